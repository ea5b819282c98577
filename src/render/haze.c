// SPDX-License-Identifier: MIT
// haze.c: light that the water scatters towards the camera.
//
// Along a ray, with s the share scattered and k the share lost per metre,
//
//     L(d) = integral_0^d  s exp(-k r) (p sun(x) V(x) beam(x) + around(x)) dr
//
// V tells whether the sun is seen from there, beam what the waves make of it, p the scattering
// towards the camera, more forwards than backwards. It is smooth, so it is summed once on a coarse
// grid of pixels and looked up: no noise, shadows of cloth in the water included.
#include "render/render.h"

#include <stdlib.h>

enum { CELL = 8, SLICES = 40 };

bool fm_haze_alloc(fm_haze *haze, int width, int height, fm_error *err)
{
    *haze = (fm_haze){.columns = (width + CELL - 1) / CELL + 1,
                      .rows = (height + CELL - 1) / CELL + 1,
                      .slices = SLICES,
                      .cell = CELL};
    size_t count = (size_t)haze->columns * haze->rows * SLICES * 3;
    haze->sum = calloc(count, sizeof *haze->sum);
    return haze->sum || fm_fail_no_memory(err, "picture", count * sizeof *haze->sum);
}

void fm_haze_free(fm_haze *haze)
{
    free(haze->sum);
    *haze = (fm_haze){0};
}

// End of a slice: finer near the camera.
static float slice_end(const fm_haze *haze, float slice)
{
    float share = slice / SLICES;
    return haze->far * share * (0.25f + 0.75f * share);
}

static float slice_of(const fm_haze *haze, float distance)
{
    float share = fm_min(distance / haze->far, 1);
    return SLICES * (sqrtf(0.25f * 0.25f + 3 * share) - 0.25f) / 1.5f;
}

// Henyey and Greenstein's, of mean 1.
static float scattering(float cosine)
{
    const float g = 0.45f;
    float base = 1 + g * g - 2 * g * cosine;
    return (1 - g * g) / (base * sqrtf(base));
}

static void sum_ray(const fm_shot *shot, fm_tally *tally, float x, float y, float *sum)
{
    fm_float3 d = fm_shot_ray(shot, x, y), total = {0, 0, 0};
    float towards = scattering(fm_f3_dot(d, shot->sun)), begin = 0;
    float shafts = (float)shot->look.shafts;
    for (int i = 0; i < SLICES; i++) {
        float end = slice_end(&shot->haze, (float)(i + 1)), middle = (begin + end) / 2;
        fm_float3 p = fm_f3_along(shot->eye, middle, d);
        fm_float3 away = fm_f3_sub(p, shot->centre);
        if (shot->has_floor && p.y < shot->floor_y)
            p.y = shot->floor_y;
        bool near = fm_f3_dot(away, away) < 9 * shot->size * shot->size;
        float seen = 1;
        if (near)
            seen = !fm_tracer_is_blocked(shot->tracer, tally, p, shot->sun, 0, 6 * shot->size);
        float beam = fm_max(0, 1 + 1.5f * shafts * (fm_beam_at(shot, p) - 1));
        float down = fm_depth_fade(shot, p.y);
        float sun = 1.15f * towards * down * beam * seen;
        fm_float3 source = fm_f3_scale(shot->sun_color, sun);
        fm_float3 around = fm_f3_scale(fm_f3_add(shot->sky_up, shot->sky_side), 0.55f * down);
        fm_float3 light = fm_f3_mul(shot->scatter, fm_f3_add(source, around));
        light = fm_f3_mul(light, fm_transmission(shot, middle));
        total = fm_f3_along(total, end - begin, light);
        fm_f3_store(sum + 3 * i, total);
        begin = end;
    }
}

typedef struct haze_job {
    fm_shot *shot;
    fm_tally *tallies;
} haze_job;

static void sum_rows(void *context, int first, int last)
{
    const haze_job *job = context;
    const fm_haze *haze = &job->shot->haze;
    for (int row = first; row < last; row++) {
        for (int column = 0; column < haze->columns; column++) {
            size_t at = ((size_t)row * haze->columns + column) * SLICES * 3;
            sum_ray(job->shot, &job->tallies[row], (float)column * CELL, (float)row * CELL,
                    haze->sum + at);
        }
    }
}

void fm_haze_compute(fm_shot *shot, fm_pool *pool, fm_tally *tallies)
{
    haze_job job = {shot, tallies};
    shot->haze.far = 4.5f / shot->extinction.y;
    fm_parallel_for(pool, shot->haze.rows, 1, sum_rows, &job);
}

// Between two slices; from the camera on in the first.
static fm_float3 at_cell(const fm_haze *haze, int column, int row, int slice, float t)
{
    const float *sum = haze->sum + ((size_t)row * haze->columns + column) * SLICES * 3;
    fm_float3 high = fm_f3_load(sum + 3 * slice);
    fm_float3 low = slice > 0 ? fm_f3_load(sum + 3 * (slice - 1)) : fm_f3(0, 0, 0);
    return fm_f3_mix(low, high, t);
}

fm_float3 fm_haze_at(const fm_shot *shot, float x, float y, float distance)
{
    const fm_haze *haze = &shot->haze;
    float s = slice_of(haze, distance);
    int slice = s < SLICES - 1 ? (int)s : SLICES - 1;
    float t = fm_min(s - (float)slice, 1);
    float u = fm_max(x / CELL, 0), v = fm_max(y / CELL, 0);
    int i = (int)u < haze->columns - 1 ? (int)u : haze->columns - 2;
    int j = (int)v < haze->rows - 1 ? (int)v : haze->rows - 2;
    u = fm_min(u - (float)i, 1);
    v = fm_min(v - (float)j, 1);
    fm_float3 above =
        fm_f3_mix(at_cell(haze, i, j, slice, t), at_cell(haze, i + 1, j, slice, t), u);
    fm_float3 below =
        fm_f3_mix(at_cell(haze, i, j + 1, slice, t), at_cell(haze, i + 1, j + 1, slice, t), u);
    return fm_f3_mix(above, below, v);
}
