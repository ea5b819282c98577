// SPDX-License-Identifier: MIT
// surface.c: cost of reconstructing the surface of a fluid.
//
// A column of water with a wavy top and drops above it, sampled at three particle spacings, each
// half the previous one: eight times the particles, four times the area. The cost per particle must
// not grow.
#include "bench.h"

#include <fathom/draw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 3, ROUNDS = 3 }; // spacings that are compared; measurements of each job

// Particles of water and their surface.
typedef struct tank {
    float *points; // m, positions x, y, z of the particles
    int count;     // particles
    fm_fluid_mesh_def def;
    fm_surface *surface; // result
    fm_error err;
} tank;

// Whether the point (x, y, z), m, is in the column or in a drop above it.
static bool is_water(double x, double y, double z)
{
    double height = 0.35 + 0.08 * sin(6 * x) * cos(4 * z), u = fmod(8 * x, 1) - 0.5;
    double v = fmod(8 * y, 1) - 0.5, w = fmod(8 * z, 1) - 0.5;
    return y < height || (y > 0.5 && u * u + v * v + w * w < 0.03);
}

// Creates particles `spacing` (m) apart wherever there is water.
static bool fill_tank(tank *t, double spacing, int threads)
{
    int n = (int)(0.8 / spacing); // lattice sites along the edge of a cube of 0.8 m
    *t = (tank){.points = malloc(3 * (size_t)n * n * n * sizeof(float))};
    t->def = fm_default_fluid_mesh_def();
    t->def.spacing = spacing;
    t->def.threads = threads;
    for (int i = 0; t->points && i < n * n * n; i++) {
        double x = (i % n + 0.5) * spacing, y = (i / n % n + 0.5) * spacing;
        double z = (i / (n * n) + 0.5) * spacing;
        if (!is_water(x, y, z))
            continue;
        float *p = t->points + 3 * (size_t)t->count++;
        p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
    }
    return t->points != NULL;
}

// The job of a tank: reconstructs its surface `repeats` times.
static void create_surfaces(void *context, int repeats)
{
    tank *t = context;
    for (int i = 0; i < repeats; i++) {
        fm_surface_destroy(t->surface);
        t->surface = fm_fluid_mesh_create(t->points, t->count, &t->def, &t->err);
    }
}

// Reconstructs all surfaces alternately and reports the time per particle.
void bench_surface(bench_report *report)
{
    static tank tanks[SIZES + 1];
    static char names[SIZES + 1][64];
    // m; the last tank repeats the second on all threads
    static const double spacing[SIZES + 1] = {0.024, 0.012, 0.006, 0.012};
    bench_job jobs[SIZES + 1];
    bool good = true;
    for (int i = 0; i <= SIZES; i++) {
        good = fill_tank(&tanks[i], spacing[i], i == SIZES ? 0 : 1) && good;
        jobs[i] = (bench_job){.run = create_surfaces,
                              .context = &tanks[i],
                              .work = tanks[i].count > 0 ? tanks[i].count : 1,
                              .baseline = i == SIZES ? 1 : 0};
    }
    if (good)
        bench_measure(jobs, SIZES + 1, ROUNDS, 0.1);
    for (int i = 0; good && i <= SIZES; i++) {
        snprintf(names[i], sizeof names[i], "%d particles, %d triangles%s", tanks[i].count,
                 tanks[i].surface ? tanks[i].surface->face_count : 0,
                 i == SIZES ? ", all threads" : "");
        bench_result result = {.group = "surface of a fluid",
                               .name = names[i],
                               .value = jobs[i].ns,
                               .unit = "ns/particle",
                               .ratio = i ? jobs[i].ratio : 0,
                               .baseline = names[jobs[i].baseline]};
        bench_add(report, &result);
    }
    for (int i = 0; i <= SIZES; i++) {
        fm_surface_destroy(tanks[i].surface);
        free(tanks[i].points);
    }
}
