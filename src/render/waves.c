// SPDX-License-Identifier: MIT
// waves.c: the water's surface, and the light it gathers below.
//
// The surface is a sum of waves that fit a square tile, so that it repeats:
//
//     h(x, t) = sum a_i cos(k_i . x - w_i t + phase_i),     w_i = sqrt(g |k_i|)
//
// Light that falls on it is bent towards the slope: a ray that enters at x arrives, one focal
// length below, at x + f grad h. An even grid of rays is followed down and counted where it
// arrives; where many come together the water draws bright lines. Counts are divided by their mean.
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

enum { SLOPE_SIDE = 128, LIGHT_SIDE = 512, BEAM_SIDE = 128, RAYS_SIDE = 1024, WAVES = 26 };

bool fm_waves_alloc(fm_waves *waves, fm_error *err)
{
    *waves = (fm_waves){SLOPE_SIDE, LIGHT_SIDE, BEAM_SIDE, NULL, NULL, NULL};
    waves->slope = calloc(2 * SLOPE_SIDE * SLOPE_SIDE, sizeof(float));
    waves->light = calloc(LIGHT_SIDE * LIGHT_SIDE, sizeof(float));
    waves->beam = calloc(BEAM_SIDE * BEAM_SIDE, sizeof(float));
    if (waves->slope && waves->light && waves->beam)
        return true;
    fm_waves_free(waves);
    return fm_fail_no_memory(err, "picture", LIGHT_SIDE * LIGHT_SIDE * sizeof(float));
}

void fm_waves_free(fm_waves *waves)
{
    free(waves->slope);
    free(waves->light);
    free(waves->beam);
    *waves = (fm_waves){0};
}

// Far from the origin, where floats are coarser than a tile, any place will do.
static int floor_of(float x)
{
    x = fm_min(fm_max(x, -1e9f), 1e9f);
    int i = (int)x;
    return i - (x < (float)i);
}

// u, v in tiles.
float fm_map_sample(const float *map, int side, int components, int component, float u, float v)
{
    u *= (float)side;
    v *= (float)side;
    int i = floor_of(u), j = floor_of(v), mask = side - 1; // sides are powers of two
    float s = u - (float)i, t = v - (float)j;
    i &= mask;
    j &= mask;
    int right = (i + 1) & mask, below = (j + 1) & mask;
    const float *m = map + component;
    float a = m[components * (j * side + i)], b = m[components * (j * side + right)];
    float c = m[components * (below * side + i)], d = m[components * (below * side + right)];
    float above = a + s * (b - a);
    return above + t * (c + s * (d - c) - above);
}

typedef struct wave {
    int kx, kz;            // waves in a tile
    float slope[2], phase; // amplitude of the slopes, phase at this time
} wave;

// Lengths from a third to a sixteenth of the tile, in all directions with one preferred, steeper
// where longer: found by looking at what it draws.
static void choose_waves(wave *waves, double time)
{
    fm_rng rng = {20100726};
    for (int i = 0; i < WAVES; i++) {
        double length = 2.2 + 8.5 * pow((double)i / (WAVES - 1), 1.3);
        double angle = 0.5 + 2 * FM_PI * (i * 0.381966 + 0.1 * fm_rng_uniform(&rng));
        int kx = (int)lround(length * cos(angle)), kz = (int)lround(length * sin(angle));
        double k = hypot(kx, kz);
        k = k > 0 ? k : 1;
        double slope = 0.9 / pow(k, 0.75) * (0.75 + 0.25 * cos(2 * (angle - 0.6)));
        double turns = fm_rng_uniform(&rng) - 0.42 * sqrt(k) * time;
        waves[i] = (wave){kx,
                          kz,
                          {(float)(slope * kx / k), (float)(slope * kz / k)},
                          (float)(2 * FM_PI * (turns - floor(turns)))};
    }
}

typedef struct slope_job {
    fm_waves *waves;
    const wave *list;
} slope_job;

static void compute_slopes(void *context, int first, int last)
{
    const slope_job *job = context;
    for (int j = first; j < last; j++) {
        float *row = job->waves->slope + 2 * (size_t)j * SLOPE_SIDE;
        memset(row, 0, 2 * SLOPE_SIDE * sizeof *row);
        for (int w = 0; w < WAVES; w++) {
            const wave *each = &job->list[w];
            // the sine along the row by turning a pointer
            double begin = 2 * FM_PI * each->kz * j / SLOPE_SIDE + each->phase;
            double step = 2 * FM_PI * each->kx / SLOPE_SIDE;
            double s = sin(begin), c = cos(begin), ds = sin(step), dc = cos(step);
            for (int i = 0; i < SLOPE_SIDE; i++) {
                row[2 * i] -= each->slope[0] * (float)s;
                row[2 * i + 1] -= each->slope[1] * (float)s;
                double turned = s * dc + c * ds;
                c = c * dc - s * ds;
                s = turned;
            }
        }
    }
}

static void splat(float *map, int side, float u, float v, float amount)
{
    u *= (float)side;
    v *= (float)side;
    int i = floor_of(u), j = floor_of(v), mask = side - 1;
    float s = u - (float)i, t = v - (float)j;
    i &= mask;
    j &= mask;
    int right = (i + 1) & mask, below = (j + 1) & mask;
    map[j * side + i] += amount * (1 - s) * (1 - t);
    map[j * side + right] += amount * s * (1 - t);
    map[below * side + i] += amount * (1 - s) * t;
    map[below * side + right] += amount * s * t;
}

// Follows the rays. focal: tiles per slope.
static void gather_light(fm_waves *waves, float focal)
{
    float amount = (float)LIGHT_SIDE * LIGHT_SIDE / ((float)RAYS_SIDE * RAYS_SIDE);
    memset(waves->light, 0, LIGHT_SIDE * LIGHT_SIDE * sizeof(float));
    for (int j = 0; j < RAYS_SIDE; j++) {
        for (int i = 0; i < RAYS_SIDE; i++) {
            float u = ((float)i + 0.5f) / RAYS_SIDE, v = ((float)j + 0.5f) / RAYS_SIDE;
            float su = fm_map_sample(waves->slope, SLOPE_SIDE, 2, 0, u, v);
            float sv = fm_map_sample(waves->slope, SLOPE_SIDE, 2, 1, u, v);
            splat(waves->light, LIGHT_SIDE, u + focal * su, v + focal * sv, amount);
        }
    }
}

// 1 2 1 along both axes, in place, around the borders.
static void soften(float *map, int side)
{
    enum { SIDE_MAX = LIGHT_SIDE };
    float line[SIDE_MAX];
    for (int pass = 0; pass < 2; pass++) {
        int step = pass == 0 ? 1 : side, next = pass == 0 ? side : 1;
        for (int r = 0; r < side; r++) {
            float *at = map + (size_t)r * next;
            for (int i = 0; i < side; i++)
                line[i] = 0.25f * at[(size_t)((i + side - 1) % side) * step] +
                          0.5f * at[(size_t)i * step] + 0.25f * at[(size_t)((i + 1) % side) * step];
            for (int i = 0; i < side; i++)
                at[(size_t)i * step] = line[i];
        }
    }
}

static void make_beams(fm_waves *waves)
{
    int ratio = LIGHT_SIDE / BEAM_SIDE;
    for (int j = 0; j < BEAM_SIDE; j++) {
        for (int i = 0; i < BEAM_SIDE; i++) {
            float sum = 0;
            for (int y = 0; y < ratio; y++)
                for (int x = 0; x < ratio; x++)
                    sum += waves->light[(j * ratio + y) * LIGHT_SIDE + i * ratio + x];
            waves->beam[j * BEAM_SIDE + i] = sum / (float)(ratio * ratio);
        }
    }
    for (int pass = 0; pass < 3; pass++)
        soften(waves->beam, BEAM_SIDE);
}

void fm_waves_compute(fm_waves *waves, fm_pool *pool, double time)
{
    wave list[WAVES];
    choose_waves(list, time);
    slope_job job = {waves, list};
    fm_parallel_for(pool, SLOPE_SIDE, 16, compute_slopes, &job);
    gather_light(waves, 0.020f);
    soften(waves->light, LIGHT_SIDE);
    make_beams(waves);
}
