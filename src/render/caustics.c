// SPDX-License-Identifier: MIT
// caustics.c: what clear matter makes of the sun on the floor: shadows, and bright lines in them.
//
// An even grid of sun rays is sent down over all clear matter, bent at each of its surfaces and
// counted where it arrives: twice as many rays as without it make twice the light. Rays on the way
// are computed in parallel and counted one after another, so that the map is the same for any
// number of threads; there is no chance in it.
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 320,   // texels of the map
    FINE = 2,     // rays along the side of a texel
    SURFACES = 8, // that a ray may meet
    ROWS = SIDE * FINE / FM_CAUSTICS_BLOCKS,
};

typedef struct landing {
    float x, z; // texels
    fm_float3 light;
} landing;

typedef struct caustics_job {
    const fm_shot *shot;
    fm_tally *tallies; // [FM_CAUSTICS_BLOCKS]
    landing *landings; // [rays]
    float from[2], texel, high;
} caustics_job;

// The part of the floor that the sun reaches through clear matter; false: none.
static bool find_region(const fm_shot *shot, fm_caustics *c, float *high)
{
    float low[2] = {INFINITY, INFINITY}, top[2] = {-INFINITY, -INFINITY};
    *high = shot->floor_y;
    for (int m = 0; m < shot->drawing->mesh_count; m++) {
        const fm_mesh *mesh = &shot->drawing->meshes[m];
        for (int i = 0; mesh->paint.refraction > 0 && i < mesh->point_count; i++) {
            fm_float3 p = fm_f3_load(mesh->points + 3 * (size_t)i);
            fm_float3 away = fm_f3_sub(p, shot->centre);
            if (fm_f3_dot(away, away) > 4 * shot->size * shot->size)
                continue; // a drop that flew off would make the map coarse for all
            float up = fm_max(p.y - shot->floor_y, 0) / shot->sun.y;
            float at[2] = {p.x - up * shot->sun.x, p.z - up * shot->sun.z};
            for (int k = 0; k < 2; k++) {
                low[k] = fm_min(low[k], at[k]);
                top[k] = fm_max(top[k], at[k]);
            }
            *high = fm_max(*high, p.y);
        }
    }
    float size = 1.1f * fm_max(top[0] - low[0], top[1] - low[1]) + 0.04f * shot->size;
    if (!(size < INFINITY))
        return false;
    c->size = size;
    for (int k = 0; k < 2; k++)
        c->low[k] = (low[k] + top[k] - size) / 2;
    return true;
}

static void send_ray(const caustics_job *job, fm_tally *tally, float x, float z, landing *l)
{
    const fm_shot *shot = job->shot;
    fm_float3 d = fm_f3_scale(shot->sun, -1), floor = {x, shot->floor_y, z};
    float up = (job->high - shot->floor_y) / shot->sun.y + 0.1f * shot->size;
    fm_float3 origin = fm_f3_along(floor, up, shot->sun), light = {1, 1, 1};
    bool met = false;
    for (int i = 0; i < SURFACES && d.y < -1e-3f; i++) {
        fm_hit hit;
        float way = fm_floor_distance(shot, origin, d);
        if (!fm_tracer_hit(shot->tracer, tally, FM_PART_ALL, origin, d, 0, way, true, &hit)) {
            l->x = (origin.x + way * d.x - job->from[0]) / job->texel;
            l->z = (origin.z + way * d.z - job->from[1]) / job->texel;
            l->light = light;
            return;
        }
        if (!fm_hit_is_clear(shot, &hit)) // its shadow is found elsewhere, unless water bent it
            break;
        met = true;
        light = fm_f3_mul(light, fm_clear_cross(shot, &hit, &origin, &d));
    }
    if (!met) {
        l->x = (x - job->from[0]) / job->texel;
        l->z = (z - job->from[1]) / job->texel;
        l->light = light;
    }
}

static void send_rows(void *context, int first, int last)
{
    const caustics_job *job = context;
    for (int row = first; row < last; row++) {
        for (int column = 0; column < SIDE * FINE; column++) {
            float x = job->from[0] + ((float)column + 0.5f) * job->texel / FINE;
            float z = job->from[1] + ((float)row + 0.5f) * job->texel / FINE;
            landing *l = &job->landings[(size_t)row * SIDE * FINE + column];
            *l = (landing){0};
            send_ray(job, &job->tallies[row / ROWS], x, z, l);
        }
    }
}

// Shared among the four texels around where it arrived.
static void count_landing(float *map, const landing *l)
{
    float u = l->x - 0.5f, v = l->z - 0.5f;
    if (!(u >= 0 && v >= 0 && u < SIDE - 1 && v < SIDE - 1))
        return;
    int i = (int)u, j = (int)v;
    u -= (float)i, v -= (float)j;
    const float share[4] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
    for (int k = 0; k < 4; k++) {
        float *texel = map + 3 * ((size_t)(j + k / 2) * SIDE + (size_t)(i + k % 2));
        fm_f3_store(texel, fm_f3_along(fm_f3_load(texel), share[k] / (FINE * FINE), l->light));
    }
}

// As a sun that is not a point does, and against the grain of the rays: 1 2 1 along both axes.
static void blur(float *map, float *other)
{
    for (int axis = 0; axis < 2; axis++) {
        size_t step = axis ? 3 * SIDE : 3;
        memcpy(other, map, 3 * (size_t)SIDE * SIDE * sizeof *map);
        for (int j = 1; j < SIDE - 1; j++) {
            for (int i = 1; i < SIDE - 1; i++) {
                size_t at = 3 * ((size_t)j * SIDE + (size_t)i);
                for (size_t k = at; k < at + 3; k++)
                    map[k] = (other[k - step] + 2 * other[k] + other[k + step]) / 4;
            }
        }
    }
}

bool fm_caustics_compute(fm_shot *shot, fm_pool *pool, fm_tally *tallies, fm_error *err)
{
    fm_caustics *c = &shot->caustics;
    caustics_job job = {.shot = shot, .tallies = tallies};
    if (!shot->has_floor || shot->under_water || !fm_tracer_has_clear(shot->tracer) ||
        !find_region(shot, c, &job.high))
        return true;
    size_t texels = (size_t)SIDE * SIDE, rays = texels * FINE * FINE;
    c->side = SIDE;
    c->light = calloc(3 * texels, sizeof *c->light);
    float *other = malloc(3 * texels * sizeof *other);
    job.landings = malloc(rays * sizeof *job.landings);
    bool good = c->light && other && job.landings;
    if (good) {
        memcpy(job.from, c->low, sizeof job.from);
        job.texel = c->size / SIDE;
        fm_parallel_for(pool, SIDE * FINE, ROWS, send_rows, &job);
        for (size_t i = 0; i < rays; i++)
            count_landing(c->light, &job.landings[i]);
        for (int i = 0; i < 2; i++)
            blur(c->light, other);
    } else {
        fm_fail_no_memory(err, "picture", rays * sizeof *job.landings);
    }
    free(job.landings);
    free(other);
    return good;
}

void fm_caustics_free(fm_caustics *caustics)
{
    free(caustics->light);
    *caustics = (fm_caustics){0};
}

fm_float3 fm_caustics_at(const fm_shot *shot, fm_float3 position)
{
    const fm_caustics *c = &shot->caustics;
    if (!c->light)
        return fm_f3(1, 1, 1);
    float texels = (float)c->side / c->size;
    float u = (position.x - c->low[0]) * texels - 0.5f,
          v = (position.z - c->low[1]) * texels - 0.5f;
    const float edge = 4; // texels near the border have lost rays
    float border = fm_min(fm_min(u, v), fm_min((float)c->side - 1 - u, (float)c->side - 1 - v));
    if (!(border > edge))
        return fm_f3(1, 1, 1);
    int i = (int)u, j = (int)v;
    const float *t = c->light + 3 * ((size_t)j * (size_t)c->side + (size_t)i);
    size_t row = 3 * (size_t)c->side;
    u -= (float)i, v -= (float)j;
    fm_float3 a = fm_f3_mix(fm_f3_load(t), fm_f3_load(t + 3), u);
    fm_float3 b = fm_f3_mix(fm_f3_load(t + row), fm_f3_load(t + row + 3), u);
    return fm_f3_mix(fm_f3(1, 1, 1), fm_f3_mix(a, b, v), fm_clamp01((border - edge) / 8));
}
