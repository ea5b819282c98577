// SPDX-License-Identifier: MIT
// fair.c: a surface without its smallest bumps.
//
// A vertex moves towards the mean of its neighbours and then a little farther back [T95]:
//
//     x <- x + l D x,     x <- x - m D x,     D x_i = mean of x_j - x_i,     m > l > 0
//
// Waves of a few edges die away, longer ones keep their height, so that nothing shrinks. In a
// closed surface each edge a -> b of a triangle is b -> a in another: the ends of those that begin
// at a vertex are its neighbours, each once.
//
// [T95] Taubin: A signal processing approach to fair surface design. SIGGRAPH 1995.
#include "draw/fluid.h"

#include <stdlib.h>
#include <string.h>

enum { VERTICES = 1024 }; // of a block of work

static const float INWARDS = 0.5f, OUTWARDS = -0.53f;

typedef struct fair_job {
    const int *start, *neighbour; // of vertex i: start[i] to start[i + 1]
    const float *from;
    float *to;
    float share;
    bool unit; // make what comes out unit vectors
} fair_job;

static void fair_range(void *context, int first, int last)
{
    const fair_job *job = context;
    for (int i = first; i < last; i++) {
        fm_float3 here = fm_f3_load(job->from + 3 * (size_t)i), sum = {0, 0, 0};
        int count = job->start[i + 1] - job->start[i];
        for (int k = job->start[i]; k < job->start[i + 1]; k++)
            sum = fm_f3_add(sum, fm_f3_load(job->from + 3 * (size_t)job->neighbour[k]));
        fm_float3 mean = count ? fm_f3_scale(sum, 1 / (float)count) : here;
        fm_float3 moved = fm_f3_mix(here, mean, job->share);
        fm_f3_store(job->to + 3 * (size_t)i, job->unit ? fm_f3_unit(moved) : moved);
    }
}

static void find_neighbours(const fm_triangles *t, int *start, int *neighbour)
{
    memset(start, 0, ((size_t)t->point_count + 2) * sizeof *start);
    int corners = 3 * t->triangle_count;
    for (int i = 0; i < corners; i++)
        start[t->triangles[i] + 2]++;
    for (int i = 0; i < t->point_count; i++)
        start[i + 2] += start[i + 1];
    for (int i = 0; i < corners; i++) // start[i + 1] moves on to the end of i, which it then is
        neighbour[start[t->triangles[i] + 1]++] = t->triangles[i % 3 == 2 ? i - 2 : i + 1];
}

bool fm_triangles_fair(fm_triangles *t, int steps, fm_pool *pool, fm_error *err)
{
    size_t points = (size_t)t->point_count, corners = 3 * (size_t)t->triangle_count;
    int *start = malloc((points + 2) * sizeof *start);
    int *neighbour = malloc(corners * sizeof *neighbour + 1);
    float *other = malloc(3 * points * sizeof *other + 1);
    bool good = start && neighbour && other;
    if (!good)
        fm_fail_no_memory(err, "fluid", corners * sizeof *neighbour);
    if (good && steps > 0)
        find_neighbours(t, start, neighbour);
    for (int i = 0; good && i < 2 * steps; i++) {
        fair_job job = {start, neighbour, t->points, other, i % 2 ? OUTWARDS : INWARDS, false};
        fm_parallel_for(pool, t->point_count, VERTICES, fair_range, &job);
        memcpy(t->points, other, 3 * points * sizeof *other);
    }
    for (int i = 0; good && i < steps; i++) {
        fair_job job = {start, neighbour, t->normals, other, INWARDS, true};
        fm_parallel_for(pool, t->point_count, VERTICES, fair_range, &job);
        memcpy(t->normals, other, 3 * points * sizeof *other);
    }
    free(start);
    free(neighbour);
    free(other);
    return good;
}
