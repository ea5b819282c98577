// SPDX-License-Identifier: MIT
// haze.c: single scattering of light in the water towards the camera.
//
// The in-scattered radiance along a camera ray of length d (m) is
//
//     L(d) = integral_0^d  s exp(-k r) (p sun(x) V(x) beam(x) + ambient(x)) dr
//
//   s, k     scattering and extinction coefficients, 1/m, per colour
//   p        phase function of Henyey and Greenstein
//   V        0 or 1, visibility of the sun
//   beam     modulation of the sunlight by the waves: light shafts
//   ambient  light scattered in from all directions
//
// L is smooth across the picture, so it is integrated once on a coarse grid of pixels (one ray per
// CELL x CELL pixels, SLICES distances) and interpolated. This gives no noise, and includes the
// shadows of objects in the water.
#include "render/render.h"

#include <stdlib.h>

enum {
    CELL = 8,    // pixels between neighbouring rays of the grid
    SLICES = 40, // distances along a ray at which the integral is stored
};

static const float SHADOW_DISTANCE = 3; // scene radii; water farther from the centre has no shadows
static const float FAR_ATTENUATIONS =
    4.5f; // length of the rays, in attenuation lengths of green light

// Allocates the grid of rays for a picture of width x height pixels.
bool fm_haze_create(fm_haze *haze, int width, int height, fm_error *err)
{
    *haze = (fm_haze){.columns = (width + CELL - 1) / CELL + 1,
                      .rows = (height + CELL - 1) / CELL + 1,
                      .slices = SLICES,
                      .cell = CELL};
    size_t count = (size_t)haze->columns * haze->rows * SLICES * 3;
    haze->sum = calloc(count, sizeof *haze->sum);
    return haze->sum || fm_fail_no_memory(err, "picture", count * sizeof *haze->sum);
}

// Frees the grid of rays.
void fm_haze_destroy(fm_haze *haze)
{
    free(haze->sum);
    *haze = (fm_haze){0};
}

// Distance (m) of the end of a slice; slices are thinner near the camera.
static float slice_end(const fm_haze *haze, float slice)
{
    float share = slice / SLICES; // end = far (share / 4 + 3 share^2 / 4)
    return haze->far * share * (0.25f + 0.75f * share);
}

// Inverse of slice_end: the fractional slice at a distance (m).
static float slice_at(const fm_haze *haze, float distance)
{
    float share =
        fm_float_min(distance / haze->far, 1); // the quadratic equation is solved for slice
    return SLICES * (sqrtf(0.25f * 0.25f + 3 * share) - 0.25f) / 1.5f;
}

// Henyey-Greenstein phase function with g = 0.45, normalised to mean 1.
static float phase_function(float cosine)
{
    const float g = 0.45f;
    float base = 1 + g * g - 2 * g * cosine;
    return (1 - g * g) / (base * sqrtf(base));
}

// Integrates the light scattered towards the camera along the ray through pixel x, y. sum:
// [SLICES][3], values at the ends of the slices. Shadows are tested within SHADOW_DISTANCE of the
// scene's centre. The factors 1.15 on the sun, 0.55 on the sky and 1.5 on the contrast of light
// shafts are artistic choices.
static void integrate_ray(const fm_shot *shot, fm_ray_stats *stats, float x, float y, float *sum)
{
    fm_float3 d = fm_shot_camera_ray(shot, x, y), total = {0, 0, 0};
    float phase = phase_function(fm_f3_dot(d, shot->sun)), begin = 0;
    float shafts = (float)shot->look.shafts;
    for (int i = 0; i < SLICES; i++) {
        float end = slice_end(&shot->haze, (float)(i + 1)), middle = (begin + end) / 2;
        fm_float3 p = fm_f3_add_scaled(shot->eye, middle, d);
        fm_float3 offset = fm_f3_sub(p, shot->centre);
        if (shot->has_floor && p.y < shot->floor_y)
            p.y = shot->floor_y;
        bool near =
            fm_f3_dot(offset, offset) < SHADOW_DISTANCE * SHADOW_DISTANCE * shot->size * shot->size;
        float visibility = 1;
        if (near)
            visibility = !fm_tracer_is_occluded(shot->tracer, stats, p, shot->sun, 0,
                                                2 * SHADOW_DISTANCE * shot->size);
        float beam = fm_float_max(0, 1 + 1.5f * shafts * (fm_shot_beam_intensity(shot, p) - 1));
        float depth_factor = fm_shot_depth_attenuation(shot, p.y);
        float sun = 1.15f * phase * depth_factor * beam * visibility;
        fm_float3 source = fm_f3_scale(shot->sun_color, sun);
        fm_float3 ambient =
            fm_f3_scale(fm_f3_add(shot->sky_overhead, shot->sky_horizon), 0.55f * depth_factor);
        fm_float3 light = fm_f3_mul(shot->scatter, fm_f3_add(source, ambient));
        light = fm_f3_mul(light, fm_shot_transmittance(shot, middle));
        total = fm_f3_add_scaled(total, end - begin, light);
        fm_f3_store(sum + 3 * i, total);
        begin = end;
    }
}

// Integration of the whole grid.
typedef struct haze_job {
    fm_shot *shot;
    fm_ray_stats *ray_stats;
} haze_job;

// Task of a thread: integrates the rays of grid rows first to last - 1.
static void integrate_rows(void *context, int first, int last)
{
    const haze_job *job = context;
    const fm_haze *haze = &job->shot->haze;
    for (int row = first; row < last; row++) {
        for (int column = 0; column < haze->columns; column++) {
            size_t at = ((size_t)row * haze->columns + column) * SLICES * 3;
            integrate_ray(job->shot, &job->ray_stats[row], (float)column * CELL, (float)row * CELL,
                          haze->sum + at);
        }
    }
}

// Integrates the scattered light over the whole picture, up to FAR_ATTENUATIONS. ray_stats:
// [shot->haze.rows].
void fm_haze_compute(fm_shot *shot, fm_pool *pool, fm_ray_stats *ray_stats)
{
    haze_job job = {shot, ray_stats};
    shot->haze.far = FAR_ATTENUATIONS / shot->extinction.y;
    fm_parallel_for(pool, shot->haze.rows, 1, integrate_rows, &job);
}

// Scattered light along the grid ray (column, row), interpolated between the ends of slices slice -
// 1 (t = 0) and slice (t = 1); 0 at the camera.
static fm_float3 cell_radiance(const fm_haze *haze, int column, int row, int slice, float t)
{
    const float *sum = haze->sum + ((size_t)row * haze->columns + column) * SLICES * 3;
    fm_float3 high = fm_f3_load(sum + 3 * slice);
    fm_float3 low = slice > 0 ? fm_f3_load(sum + 3 * (slice - 1)) : fm_f3(0, 0, 0);
    return fm_f3_mix(low, high, t);
}

// Light scattered into the camera ray through pixel x, y up to a distance, m; interpolated between
// the rays of the grid.
fm_float3 fm_haze_radiance(const fm_shot *shot, float x, float y, float distance)
{
    const fm_haze *haze = &shot->haze;
    float s = slice_at(haze, distance);
    int slice = s < SLICES - 1 ? (int)s : SLICES - 1;
    float t = fm_float_min(s - (float)slice, 1);
    float u = fm_float_max(x / CELL, 0), v = fm_float_max(y / CELL, 0);
    int i = (int)u < haze->columns - 1 ? (int)u : haze->columns - 2;
    int j = (int)v < haze->rows - 1 ? (int)v : haze->rows - 2;
    u = fm_float_min(u - (float)i, 1);
    v = fm_float_min(v - (float)j, 1);
    fm_float3 above =
        fm_f3_mix(cell_radiance(haze, i, j, slice, t), cell_radiance(haze, i + 1, j, slice, t), u);
    fm_float3 below = fm_f3_mix(cell_radiance(haze, i, j + 1, slice, t),
                                cell_radiance(haze, i + 1, j + 1, slice, t), u);
    return fm_f3_mix(above, below, v);
}
