// SPDX-License-Identifier: MIT
// cloud.c: light absorbed and scattered by a cloud such as smoke.
//
// Along a camera ray, from where it enters the cloud's box to the first surface,
//
//     dT/dr = -k c T,      dL/dr = k c T w (p sun T_sun + sky T_sky)
//
//   c      concentration, interpolated linearly between the points of the lattice
//   k      extinction of c = 1, 1/m        w  albedo (colour of the cloud)
//   T, L   transmittance to the camera, and scattered radiance
//   T_sun  transmittance from the sun, with the shadows of solids; T_sky  transmittance from above.
//          Both are integrated once per point of a lattice with twice the spacing
//   p      phase function of Henyey and Greenstein, blended with an isotropic part that stands for
//          light scattered several times
//
// The steps are one spacing long, with a random offset for each sample of a pixel. Blocks of
// BRICK^3 points without cloud are skipped.
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

enum { BRICK = 8 };

static float component(fm_float3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// A field on a lattice, for interpolation.
typedef struct sampled {
    const float *values;
    const int *size;
    fm_float3 origin;
    float inverse; // 1 / spacing
} sampled;

// Value of a field at a point, m, linearly interpolated.
static float interpolate(const sampled *s, fm_float3 at)
{
    float share[3];
    size_t corner = 0, step[3], stride = 1;
    for (int a = 0; a < 3; a++) {
        float x = (component(at, a) - component(s->origin, a)) * s->inverse;
        int last = s->size[a] - 1;
        x = fm_float_min(fm_float_max(x, 0), (float)last);
        int i = (int)x < last ? (int)x : last > 0 ? last - 1 : 0;
        share[a] = x - (float)i;
        corner += (size_t)i * stride;
        step[a] = last > 0 ? stride : 0;
        stride *= (size_t)s->size[a];
    }
    const float *v = s->values + corner;
    float sum[4];
    for (int k = 0; k < 4; k++) {
        const float *w = v + (k & 1 ? step[1] : 0) + (k & 2 ? step[2] : 0);
        sum[k] = w[0] + share[0] * (w[step[0]] - w[0]);
    }
    float low = sum[0] + share[1] * (sum[1] - sum[0]), high = sum[2] + share[1] * (sum[3] - sum[2]);
    return low + share[2] * (high - low);
}

// The concentration, as a field on its lattice.
static sampled concentration_of(const fm_cloud *c)
{
    return (sampled){c->def.values, c->def.lattice.size, fm_f3_from_vec3(c->def.lattice.origin),
                     1 / (float)c->def.lattice.spacing};
}

// Transmittances, as a field on the lattice with twice the spacing.
static sampled light_of(const fm_cloud *c, const float *values)
{
    return (sampled){values, c->light_size, fm_f3_from_vec3(c->def.lattice.origin),
                     0.5f / (float)c->def.lattice.spacing};
}

// Distances at which a ray enters and leaves the box; false if it misses it.
static bool clip_to_box(const fm_cloud *c, fm_float3 origin, fm_float3 d, float *near, float *far)
{
    for (int a = 0; a < 3; a++) {
        float o = component(origin, a), v = component(d, a);
        float low = component(c->low, a), high = component(c->high, a);
        if (fabsf(v) < 1e-9f) {
            if (o < low || o > high)
                return false;
            continue;
        }
        float one = (low - o) / v, two = (high - o) / v;
        *near = fm_float_max(*near, fm_float_min(one, two));
        *far = fm_float_min(*far, fm_float_max(one, two));
    }
    return *near < *far;
}

// The brick of a point; points outside the cloud belong to the nearest brick.
static int find_brick(const fm_cloud *c, fm_float3 at)
{
    int index = 0, stride = 1;
    float scale = 1 / ((float)c->def.lattice.spacing * BRICK);
    for (int a = 0; a < 3; a++) {
        int i = (int)((component(at, a) - component(c->low, a)) * scale);
        i = i < 0 ? 0 : i >= c->brick_size[a] ? c->brick_size[a] - 1 : i;
        index += stride * i;
        stride *= c->brick_size[a];
    }
    return index;
}

// optical depth at which a ray ends: a share of e^-12 of the light that passes is not visible
static const float OPAQUE_DEPTH = 12;

// Optical depth along a ray, up to the distance `far` (m), with steps of `step` spacings.
static float find_optical_depth(const fm_cloud *c, fm_float3 origin, fm_float3 d, float far,
                                float step)
{
    float near = 0, total = 0, length = step * (float)c->def.lattice.spacing;
    sampled field = concentration_of(c);
    if (!clip_to_box(c, origin, d, &near, &far))
        return 0;
    for (float r = near + 0.5f * length; r < far && total < OPAQUE_DEPTH; r += length) {
        fm_float3 at = fm_f3_add_scaled(origin, r, d);
        if (c->bricks[find_brick(c, at)])
            total += interpolate(&field, at) * length * (float)c->def.extinction;
    }
    return total;
}

float fm_cloud_transmittance(const fm_shot *shot, fm_float3 origin, fm_float3 d)
{
    return shot->cloud.bricks ? expf(-find_optical_depth(&shot->cloud, origin, d, 1e20f, 2)) : 1;
}

// The light in the cloud, which threads compute plane by plane.
typedef struct cloud_job {
    fm_shot *shot;
    fm_ray_stats *ray_stats;
} cloud_job;

// Task of a thread: light that arrives at planes first to last - 1 of the coarse lattice.
static void light_planes(void *context, int first, int last)
{
    const cloud_job *job = context;
    fm_shot *shot = job->shot;
    fm_cloud *c = &shot->cloud;
    fm_float3 origin = fm_f3_from_vec3(c->def.lattice.origin);
    float spacing = 2 * (float)c->def.lattice.spacing;
    for (int k = first; k < last; k++)
        for (int j = 0; j < c->light_size[1]; j++)
            for (int i = 0; i < c->light_size[0]; i++) {
                size_t q = (size_t)i + (size_t)c->light_size[0] *
                                           ((size_t)j + (size_t)c->light_size[1] * (size_t)k);
                fm_float3 at = {origin.x + spacing * (float)i, origin.y + spacing * (float)j,
                                origin.z + spacing * (float)k};
                if (!c->bricks[find_brick(c, at)])
                    continue;
                bool shadow = fm_tracer_is_occluded(shot->tracer, &job->ray_stats[k], at, shot->sun,
                                                    0, 20 * shot->size);
                c->sun[q] = shadow ? 0 : expf(-find_optical_depth(c, at, shot->sun, 1e20f, 1.5f));
                c->sky[q] = expf(-0.6f * find_optical_depth(c, at, fm_f3(0, 1, 0), 1e20f, 2));
            }
}

// Marks the bricks that hold cloud, with a margin of one point.
static void mark_bricks(fm_cloud *c)
{
    const int *n = c->def.lattice.size;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                if (!(c->def.values[(size_t)i +
                                    (size_t)n[0] * ((size_t)j + (size_t)n[1] * (size_t)k)] > 1e-4f))
                    continue;
                for (int corner = 0; corner < 27; corner++) {
                    int at[3] = {i + corner % 3 - 1, j + corner / 3 % 3 - 1, k + corner / 9 - 1};
                    int index = 0, stride = 1;
                    for (int a = 0; a < 3; a++) {
                        int b = at[a] < 0 ? 0 : at[a] / BRICK;
                        b = b >= c->brick_size[a] ? c->brick_size[a] - 1 : b;
                        index += b * stride;
                        stride *= c->brick_size[a];
                    }
                    c->bricks[index] = 1;
                }
            }
}

// Takes over the cloud of the drawing and marks its bricks. No cloud: does nothing.
bool fm_cloud_create(fm_shot *shot, fm_error *err)
{
    fm_cloud *c = &shot->cloud;
    *c = (fm_cloud){.def = shot->drawing->cloud};
    if (!c->def.values)
        return true;
    size_t bricks = 1, lights = 1;
    double half = 0.5 * c->def.lattice.spacing;
    fm_float3 end = {0, 0, 0};
    float *high = &end.x;
    c->low = fm_f3_from_vec3(c->def.lattice.origin);
    for (int a = 0; a < 3; a++) {
        c->brick_size[a] = (c->def.lattice.size[a] + BRICK - 1) / BRICK;
        c->light_size[a] = (c->def.lattice.size[a] + 1) / 2;
        bricks *= (size_t)c->brick_size[a];
        lights *= (size_t)c->light_size[a];
        high[a] = (float)((c->def.lattice.size[a] - 1) * c->def.lattice.spacing);
    }
    c->high = fm_f3_add(c->low, end);
    c->low = fm_f3_sub(c->low, fm_f3((float)half, (float)half, (float)half));
    c->high = fm_f3_add(c->high, fm_f3((float)half, (float)half, (float)half));
    c->bricks = calloc(bricks, 1);
    c->sun = calloc(lights, sizeof *c->sun);
    c->sky = calloc(lights, sizeof *c->sky);
    if (!c->bricks || !c->sun || !c->sky) {
        fm_cloud_destroy(c);
        return fm_fail_no_memory(err, "picture", bricks + 2 * lights * sizeof(float));
    }
    mark_bricks(c);
    return true;
}

void fm_cloud_light(fm_shot *shot, fm_pool *pool, fm_ray_stats *ray_stats)
{
    if (shot->cloud.bricks)
        fm_parallel_for(pool, shot->cloud.light_size[2], 1, light_planes,
                        &(cloud_job){shot, ray_stats});
}

void fm_cloud_destroy(fm_cloud *cloud)
{
    free(cloud->bricks);
    free(cloud->sun);
    free(cloud->sky);
    *cloud = (fm_cloud){0};
}

// Henyey-Greenstein with g = 0.35, mean 1, half of it replaced by 1.
static float phase_function(float cosine)
{
    const float g = 0.35f;
    float base = 1 + g * g - 2 * g * cosine;
    return 0.5f + 0.5f * (1 - g * g) / (base * sqrtf(base));
}

// Adds the cloud in front of what a camera ray sees. offset: random start of the steps, 0 to 1, in
// steps.
void fm_cloud_apply(const fm_shot *shot, fm_float3 origin, fm_float3 d, float offset,
                    fm_ray_result *seen)
{
    const fm_cloud *c = &shot->cloud;
    float near = 0, far = seen->distance, T = 1, step = (float)c->def.lattice.spacing;
    if (!c->bricks || !clip_to_box(c, origin, d, &near, &far))
        return;
    sampled field = concentration_of(c), sun = light_of(c, c->sun), sky = light_of(c, c->sky);
    fm_float3 total = {0, 0, 0}, albedo = fm_f3_from_color(c->def.color);
    fm_float3 above = fm_f3_scale(fm_f3_add(shot->sky_overhead, shot->sky_horizon), 0.5f);
    // a white surface has the radiance sun_color; an isotropic cloud scatters a quarter of that per
    // optical depth, raised by the light that is scattered several times
    float phase = 0.85f * phase_function(fm_f3_dot(d, shot->sun));
    for (float r = near + offset * step; r < far && T > 0.005f; r += step) {
        fm_float3 at = fm_f3_add_scaled(origin, r, d);
        if (!c->bricks[find_brick(c, at)])
            continue;
        float depth = interpolate(&field, at) * step * (float)c->def.extinction;
        if (!(depth > 1e-5f))
            continue;
        fm_float3 light = fm_f3_scale(shot->sun_color, phase * interpolate(&sun, at));
        light = fm_f3_add_scaled(light, interpolate(&sky, at), above);
        float left = expf(-depth);
        total = fm_f3_add_scaled(total, T * (1 - left), fm_f3_mul(albedo, light));
        T *= left;
    }
    seen->color.light = fm_f3_add_scaled(total, T, seen->color.light);
    seen->color.unoccluded = fm_f3_add_scaled(total, T, seen->color.unoccluded);
}
