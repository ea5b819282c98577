// SPDX-License-Identifier: MIT
// taubin_smoothing.c: smooths a triangle mesh without shrinking it.
//
// Taubin smoothing [T95] alternates a positive and a slightly larger negative Laplacian step:
//
//     x <- x + l D x,     x <- x - m D x,     D x_i = mean over neighbours j of (x_j - x_i)
//
//   x_i   position of vertex i        l  0.5, INWARDS        m  0.53, -OUTWARDS
//
// This is a low-pass filter: wavelengths of a few edges decay, longer ones keep their amplitude, so
// the volume is preserved. In a closed surface every half-edge a -> b has an opposite b -> a in
// another triangle, so the half-edges that start at a vertex list each neighbour exactly once.
#include "draw/fluid_surface.h"

#include <stdlib.h>
#include <string.h>

enum { VERTICES = 1024 }; // vertices in one task of a thread

static const float INWARDS = 0.5f, OUTWARDS = -0.53f; // factors of the two Laplacian steps

// One Laplacian step over all vertices.
typedef struct smooth_job {
    // neighbours of vertex i: neighbour[start[i]] to neighbour[start[i + 1] - 1]
    const int *start, *neighbour;
    const float *from; // [3 * point_count], positions or normals
    float *to;
    float factor; // l or -m
    bool unit;    // normalise the results
} smooth_job;

// One Laplacian step for the vertices first to last - 1.
static void smooth_range(void *context, int first, int last)
{
    const smooth_job *job = context;
    for (int i = first; i < last; i++) {
        fm_float3 here = fm_f3_load(job->from + 3 * (size_t)i), sum = {0, 0, 0};
        int count = job->start[i + 1] - job->start[i];
        for (int k = job->start[i]; k < job->start[i + 1]; k++)
            sum = fm_f3_add(sum, fm_f3_load(job->from + 3 * (size_t)job->neighbour[k]));
        fm_float3 mean = count ? fm_f3_scale(sum, 1 / (float)count) : here;
        fm_float3 moved = fm_f3_mix(here, mean, job->factor);
        fm_f3_store(job->to + 3 * (size_t)i, job->unit ? fm_f3_unit(moved) : moved);
    }
}

// Lists the neighbours of each vertex by counting sort of the half-edges.
static void find_neighbours(const fm_surface *surface, int *start, int *neighbour)
{
    memset(start, 0, ((size_t)surface->point_count + 2) * sizeof *start);
    int corners = 3 * surface->face_count;
    // counts are stored two places ahead, so that the last loop can advance start[i + 1]
    for (int i = 0; i < corners; i++)
        start[surface->face_points[i] + 2]++;
    for (int i = 0; i < surface->point_count; i++)
        start[i + 2] += start[i + 1];
    // start[i + 1] advances from the beginning of the list of vertex i to its end
    for (int i = 0; i < corners; i++)
        neighbour[start[surface->face_points[i] + 1]++] =
            surface->face_points[i % 3 == 2 ? i - 2 : i + 1];
}

// Smooths the vertices by `steps` pairs of Laplacian steps, inwards and outwards, and the normals
// by `steps` single ones.
bool fm_surface_smooth(fm_surface *surface, int steps, fm_pool *pool, fm_error *err)
{
    size_t points = (size_t)surface->point_count, corners = 3 * (size_t)surface->face_count;
    float *normals = surface->fields[0].values;
    int *start = malloc((points + 2) * sizeof *start);
    int *neighbour = malloc(corners * sizeof *neighbour + 1);
    float *result = malloc(3 * points * sizeof *result + 1);
    bool good = start && neighbour && result;
    if (!good)
        fm_fail_no_memory(err, "fluid", corners * sizeof *neighbour);
    if (good && steps > 0)
        find_neighbours(surface, start, neighbour);
    for (int i = 0; good && i < 2 * steps; i++) {
        smooth_job job = {start, neighbour, surface->points, result, i % 2 ? OUTWARDS : INWARDS,
                          false};
        fm_parallel_for(pool, surface->point_count, VERTICES, smooth_range, &job);
        memcpy(surface->points, result, 3 * points * sizeof *result);
    }
    for (int i = 0; good && i < steps; i++) {
        smooth_job job = {start, neighbour, normals, result, INWARDS, true};
        fm_parallel_for(pool, surface->point_count, VERTICES, smooth_range, &job);
        memcpy(normals, result, 3 * points * sizeof *result);
    }
    free(start);
    free(neighbour);
    free(result);
    return good;
}
