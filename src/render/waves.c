// SPDX-License-Identifier: MIT
// waves.c: an animated water surface and the caustics of the sunlight that it refracts.
//
// The surface height h is a sum of plane waves that are periodic on a square tile:
//
//     h(x, t) = sum a_i cos(k_i . x - w_i t + phase_i),     w_i = sqrt(g |k_i|)
//
//   a_i, k_i, w_i   amplitude, wave vector and angular frequency of wave i (deep water)
//
// A sun ray that enters at x is refracted and arrives at x + f grad h at the depth of the caustics,
// f being a focal length. A regular grid of rays is traced, and each ray is splatted where it
// arrives; rays that converge form bright lines. The light texture is normalised to mean 1.
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

// Sides of the textures, texels; of the grid of rays; number of plane waves.
enum { SLOPE_SIDE = 128, LIGHT_SIDE = 512, BEAM_SIDE = 128, RAYS_SIDE = 1024, WAVES = 26 };

enum {
    ROWS_PER_TASK = 16, // rows of the slope texture in one task of a thread
    BEAM_BLURS = 3,     // blurs of the texture of light shafts
};

// Displacement of a refracted ray, in tiles, per unit of slope.
static const float FOCAL_LENGTH = 0.020f;

// Allocates the textures of the waves.
bool fm_waves_create(fm_waves *waves, fm_error *err)
{
    *waves = (fm_waves){SLOPE_SIDE, LIGHT_SIDE, BEAM_SIDE, NULL, NULL, NULL};
    waves->slope = calloc(2 * SLOPE_SIDE * SLOPE_SIDE, sizeof(float));
    waves->light = calloc(LIGHT_SIDE * LIGHT_SIDE, sizeof(float));
    waves->beam = calloc(BEAM_SIDE * BEAM_SIDE, sizeof(float));
    if (waves->slope && waves->light && waves->beam)
        return true;
    fm_waves_destroy(waves);
    return fm_fail_no_memory(err, "picture", LIGHT_SIDE * LIGHT_SIDE * sizeof(float));
}

// Frees the textures of the waves.
void fm_waves_destroy(fm_waves *waves)
{
    free(waves->slope);
    free(waves->light);
    free(waves->beam);
    *waves = (fm_waves){0};
}

// floor(x), clamped to 1e9: beyond, floats are coarser than a tile and the result does not matter.
static int floor_of(float x)
{
    x = fm_float_min(fm_float_max(x, -1e9f), 1e9f);
    int i = (int)x;
    return i - (x < (float)i);
}

// Samples one component of a periodic texture bilinearly. side: texels, a power of two; u, v in
// tiles.
float fm_texture_sample(const float *map, int side, int components, int component, float u, float v)
{
    u *= (float)side;
    v *= (float)side;
    int i = floor_of(u), j = floor_of(v), mask = side - 1;
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

// One plane wave.
typedef struct wave_component {
    int kx, kz;            // wave vector, periods per tile
    float slope[2], phase; // amplitude of the slope, and phase at the current time
} wave_component;

// Chooses the plane waves at a time, s: wavelengths from about a half to an eleventh of the tile,
// in all directions with one preferred, longer waves steeper. Successive directions differ by the
// golden angle (0.381966 turns). The numbers were tuned by eye.
static void choose_waves(wave_component *waves, double time)
{
    fm_rng rng = {20100726};
    for (int i = 0; i < WAVES; i++) {
        double periods = 2.2 + 8.5 * pow((double)i / (WAVES - 1), 1.3);
        double angle = 0.5 + 2 * FM_PI * (i * 0.381966 + 0.1 * fm_rng_uniform(&rng));
        int kx = (int)lround(periods * cos(angle)), kz = (int)lround(periods * sin(angle));
        double k = hypot(kx, kz);
        k = k > 0 ? k : 1;
        double slope = 0.9 / pow(k, 0.75) * (0.75 + 0.25 * cos(2 * (angle - 0.6)));
        double turns = fm_rng_uniform(&rng) - 0.42 * sqrt(k) * time;
        waves[i] = (wave_component){kx,
                                    kz,
                                    {(float)(slope * kx / k), (float)(slope * kz / k)},
                                    (float)(2 * FM_PI * (turns - floor(turns)))};
    }
}

// Computation of the slopes of the water's surface.
typedef struct slope_job {
    fm_waves *waves;
    const wave_component *list;
} slope_job;

// Task of a thread: computes rows first to last - 1 of the slope texture.
static void compute_slopes(void *context, int first, int last)
{
    const slope_job *job = context;
    for (int j = first; j < last; j++) {
        float *row = job->waves->slope + 2 * (size_t)j * SLOPE_SIDE;
        memset(row, 0, 2 * SLOPE_SIDE * sizeof *row);
        for (int w = 0; w < WAVES; w++) {
            const wave_component *wave = &job->list[w];
            // sine along the row by rotating a phasor, one step per node
            double begin = 2 * FM_PI * wave->kz * j / SLOPE_SIDE + wave->phase;
            double step = 2 * FM_PI * wave->kx / SLOPE_SIDE;
            double s = sin(begin), c = cos(begin), ds = sin(step), dc = cos(step);
            for (int i = 0; i < SLOPE_SIDE; i++) {
                row[2 * i] -= wave->slope[0] * (float)s;
                row[2 * i + 1] -= wave->slope[1] * (float)s;
                double next_s = s * dc + c * ds;
                c = c * dc - s * ds;
                s = next_s;
            }
        }
    }
}

// Adds an amount to the four texels around u, v, in tiles, of a periodic texture.
static void add_bilinear(float *map, int side, float u, float v, float amount)
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

// Traces the grid of sun rays into the light texture. focal: displacement of a ray, in tiles, per
// unit of slope where it enters.
static void trace_caustics(fm_waves *waves, float focal)
{
    float amount = (float)LIGHT_SIDE * LIGHT_SIDE / ((float)RAYS_SIDE * RAYS_SIDE);
    memset(waves->light, 0, LIGHT_SIDE * LIGHT_SIDE * sizeof(float));
    for (int j = 0; j < RAYS_SIDE; j++) {
        for (int i = 0; i < RAYS_SIDE; i++) {
            float u = ((float)i + 0.5f) / RAYS_SIDE, v = ((float)j + 0.5f) / RAYS_SIDE;
            float su = fm_texture_sample(waves->slope, SLOPE_SIDE, 2, 0, u, v);
            float sv = fm_texture_sample(waves->slope, SLOPE_SIDE, 2, 1, u, v);
            add_bilinear(waves->light, LIGHT_SIDE, u + focal * su, v + focal * sv, amount);
        }
    }
}

// Blurs a periodic texture in place with the kernel 1 2 1 along both axes.
static void blur(float *map, int side)
{
    enum { SIDE_MAX = LIGHT_SIDE };
    float line[SIDE_MAX];
    for (int pass = 0; pass < 2; pass++) {
        // distances of neighbours along the axis and of neighbouring lines: rows, then columns
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

// Computes the texture of light shafts in the water: a coarser and blurred copy of the light
// texture.
static void compute_beams(fm_waves *waves)
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
    for (int pass = 0; pass < BEAM_BLURS; pass++)
        blur(waves->beam, BEAM_SIDE);
}

// Computes the water's surface, its caustics and light shafts at a time, s.
void fm_waves_compute(fm_waves *waves, fm_pool *pool, double time)
{
    wave_component list[WAVES];
    choose_waves(list, time);
    slope_job job = {waves, list};
    fm_parallel_for(pool, SLOPE_SIDE, ROWS_PER_TASK, compute_slopes, &job);
    trace_caustics(waves, FOCAL_LENGTH);
    blur(waves->light, LIGHT_SIDE);
    compute_beams(waves);
}
