// SPDX-License-Identifier: MIT
// caustics.c: caustics and tinted shadows of transparent objects on the floor, by photon mapping.
//
// A regular grid of sun rays (photons) is sent down over all transparent objects. Each ray is
// refracted at every surface, attenuated, and deposited in a texture of the floor where it arrives:
// twice the density of rays is twice the light. The grid is regular, so there is no random noise.
// Rays are traced in parallel and deposited one after another, so the texture is the same for any
// number of threads.
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 320,                                        // texels along the side of the floor texture
    RAYS_PER_TEXEL = 2,                                // sun rays along the side of a texel
    BLUR_PASSES = 2,                                   // blurs of the floor texture
    SURFACES_MAX = 8,                                  // transparent surfaces that a ray may cross
    ROWS = SIDE * RAYS_PER_TEXEL / FM_CAUSTICS_BLOCKS, // rows of rays in one task of a thread
};

static const float DOWN = -1e-3f; // y component of the steepest direction that counts as horizontal

// A sun ray where it arrives.
typedef struct photon {
    float x, z;      // where it hits the floor, texels
    fm_float3 light; // transmittance of its path; 0: it does not reach the floor
} photon;

// Computation of the floor texture.
typedef struct caustics_job {
    const fm_shot *shot;
    fm_ray_stats *ray_stats; // [FM_CAUSTICS_BLOCKS]
    photon *photons;         // [rays]
    float from[2], texel;    // m, corner (x, z) of the texture, side of a texel
    float top;               // m, height of the top of the transparent objects
} caustics_job;

// Finds the square of the floor that the sun reaches through transparent objects, with a margin of
// 10 % and 0.04 scene radii, and the height of their top, m. False if there are none. Points
// farther than two scene radii from the centre are ignored.
static bool find_map_region(const fm_shot *shot, fm_caustics *c, float *top)
{
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    *top = shot->floor_y;
    for (int m = 0; m < shot->drawing->mesh_count; m++) {
        const fm_triangle_mesh *mesh = &shot->drawing->meshes[m];
        for (int i = 0; mesh->paint.refraction > 0 && i < mesh->point_count; i++) {
            fm_float3 p = fm_f3_load(mesh->points + 3 * (size_t)i);
            fm_float3 away = fm_f3_sub(p, shot->centre);
            if (fm_f3_dot(away, away) > 4 * shot->size * shot->size)
                continue; // a distant stray drop would make the texture too coarse
            float path = fm_float_max(p.y - shot->floor_y, 0) / shot->sun.y; // m, along the ray
            float at[2] = {p.x - path * shot->sun.x, p.z - path * shot->sun.z};
            for (int k = 0; k < 2; k++) {
                low[k] = fm_float_min(low[k], at[k]);
                high[k] = fm_float_max(high[k], at[k]);
            }
            *top = fm_float_max(*top, p.y);
        }
    }
    float size = 1.1f * fm_float_max(high[0] - low[0], high[1] - low[1]) + 0.04f * shot->size;
    if (!(size < INFINITY))
        return false;
    c->size = size;
    for (int k = 0; k < 2; k++)
        c->low[k] = (low[k] + high[k] - size) / 2;
    return true;
}

// Traces the sun ray that would hit the floor at x, z (m) without obstacles, through transparent
// surfaces, to the floor. A solid ends it, because shadow rays compute the shadows of solids. A ray
// that meets a solid first is deposited as if unobstructed.
static void trace_photon(const caustics_job *job, fm_ray_stats *stats, float x, float z, photon *p)
{
    const fm_shot *shot = job->shot;
    fm_float3 d = fm_f3_scale(shot->sun, -1), floor = {x, shot->floor_y, z};
    // rays start 0.1 scene radii above the objects
    float path = (job->top - shot->floor_y) / shot->sun.y + 0.1f * shot->size;
    fm_float3 origin = fm_f3_add_scaled(floor, path, shot->sun), light = {1, 1, 1};
    bool hit_transparent = false;
    for (int i = 0; i < SURFACES_MAX && d.y < DOWN; i++) {
        fm_ray_hit hit;
        float floor_distance = fm_shot_floor_distance(shot, origin, d);
        if (!fm_tracer_intersect(shot->tracer, stats, FM_RAY_SCENE_ALL, origin, d, 0,
                                 floor_distance, true, &hit)) {
            p->x = (origin.x + floor_distance * d.x - job->from[0]) / job->texel;
            p->z = (origin.z + floor_distance * d.z - job->from[1]) / job->texel;
            p->light = light;
            return;
        }
        if (!fm_ray_hit_is_transparent(shot, &hit))
            break;
        hit_transparent = true;
        light = fm_f3_mul(light, fm_shade_refract_ray(shot, &hit, &origin, &d));
    }
    if (!hit_transparent) {
        p->x = (x - job->from[0]) / job->texel;
        p->z = (z - job->from[1]) / job->texel;
        p->light = light;
    }
}

// Task of a thread: traces the sun rays of rows first to last - 1.
static void trace_rows(void *context, int first, int last)
{
    const caustics_job *job = context;
    for (int row = first; row < last; row++) {
        for (int column = 0; column < SIDE * RAYS_PER_TEXEL; column++) {
            float x = job->from[0] + ((float)column + 0.5f) * job->texel / RAYS_PER_TEXEL;
            float z = job->from[1] + ((float)row + 0.5f) * job->texel / RAYS_PER_TEXEL;
            photon *p = &job->photons[(size_t)row * SIDE * RAYS_PER_TEXEL + column];
            *p = (photon){0};
            trace_photon(job, &job->ray_stats[row / ROWS], x, z, p);
        }
    }
}

// Adds the light of a sun ray to the four nearest texels of the floor texture, bilinearly.
static void deposit_photon(float *map, const photon *p)
{
    float u = p->x - 0.5f, v = p->z - 0.5f;
    if (!(u >= 0 && v >= 0 && u < SIDE - 1 && v < SIDE - 1))
        return;
    int i = (int)u, j = (int)v;
    u -= (float)i, v -= (float)j;
    const float share[4] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
    for (int k = 0; k < 4; k++) {
        float *texel = map + 3 * ((size_t)(j + k / 2) * SIDE + (size_t)(i + k % 2));
        fm_f3_store(texel,
                    fm_f3_add_scaled(fm_f3_load(texel),
                                     share[k] / (RAYS_PER_TEXEL * RAYS_PER_TEXEL), p->light));
    }
}

// Blurs the floor texture with the kernel 1 2 1 along both axes: the penumbra of an extended sun,
// which also hides the grid of rays. scratch: texture of the same size.
static void blur_map(float *map, float *scratch)
{
    for (int axis = 0; axis < 2; axis++) {
        size_t step = axis ? 3 * SIDE : 3;
        memcpy(scratch, map, 3 * (size_t)SIDE * SIDE * sizeof *map);
        for (int j = 1; j < SIDE - 1; j++) {
            for (int i = 1; i < SIDE - 1; i++) {
                size_t at = 3 * ((size_t)j * SIDE + (size_t)i);
                for (size_t k = at; k < at + 3; k++)
                    map[k] = (scratch[k - step] + 2 * scratch[k] + scratch[k + step]) / 4;
            }
        }
    }
}

// Computes the texture of sunlight on the floor below transparent objects, in air only. ray_stats:
// [FM_CAUSTICS_BLOCKS].
bool fm_caustics_compute(fm_shot *shot, fm_pool *pool, fm_ray_stats *ray_stats, fm_error *err)
{
    fm_caustics *c = &shot->caustics;
    caustics_job job = {.shot = shot, .ray_stats = ray_stats};
    if (!shot->has_floor || shot->under_water || !fm_tracer_has_transparent(shot->tracer) ||
        !find_map_region(shot, c, &job.top))
        return true;
    size_t texels = (size_t)SIDE * SIDE, rays = texels * RAYS_PER_TEXEL * RAYS_PER_TEXEL;
    c->side = SIDE;
    c->light = calloc(3 * texels, sizeof *c->light);
    float *scratch = malloc(3 * texels * sizeof *scratch);
    job.photons = malloc(rays * sizeof *job.photons);
    bool good = c->light && scratch && job.photons;
    if (good) {
        memcpy(job.from, c->low, sizeof job.from);
        job.texel = c->size / SIDE;
        fm_parallel_for(pool, SIDE * RAYS_PER_TEXEL, ROWS, trace_rows, &job);
        for (size_t i = 0; i < rays; i++)
            deposit_photon(c->light, &job.photons[i]);
        for (int i = 0; i < BLUR_PASSES; i++)
            blur_map(c->light, scratch);
    } else {
        fm_fail_no_memory(err, "picture", rays * sizeof *job.photons);
    }
    free(job.photons);
    free(scratch);
    return good;
}

// Frees the floor texture.
void fm_caustics_destroy(fm_caustics *caustics)
{
    free(caustics->light);
    *caustics = (fm_caustics){0};
}

// Factor on the sunlight at a point of the floor, from the texture; fades to 1 at its border.
fm_float3 fm_caustics_factor(const fm_shot *shot, fm_float3 position)
{
    const fm_caustics *c = &shot->caustics;
    if (!c->light)
        return fm_f3(1, 1, 1);
    float texels = (float)c->side / c->size;
    float u = (position.x - c->low[0]) * texels - 0.5f,
          v = (position.z - c->low[1]) * texels - 0.5f;
    const float edge = 4; // texels at the border, which miss sun rays from outside the texture
    const float fade = 8; // texels over which the factor fades to 1
    float border = fm_float_min(fm_float_min(u, v),
                                fm_float_min((float)c->side - 1 - u, (float)c->side - 1 - v));
    if (!(border > edge))
        return fm_f3(1, 1, 1);
    int i = (int)u, j = (int)v;
    const float *t = c->light + 3 * ((size_t)j * (size_t)c->side + (size_t)i);
    size_t row = 3 * (size_t)c->side;
    u -= (float)i, v -= (float)j;
    fm_float3 a = fm_f3_mix(fm_f3_load(t), fm_f3_load(t + 3), u);
    fm_float3 b = fm_f3_mix(fm_f3_load(t + row), fm_f3_load(t + row + 3), u);
    return fm_f3_mix(fm_f3(1, 1, 1), fm_f3_mix(a, b, v), fm_float_clamp01((border - edge) / fade));
}
