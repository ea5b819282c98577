// SPDX-License-Identifier: MIT
// fluid_fixture.h: blocks and balls of particles for tests of fluid surface reconstruction.
#ifndef FATHOM_TESTS_FLUID_FIXTURE_H
#define FATHOM_TESTS_FLUID_FIXTURE_H

#include "check.h"
#include "core/core.h"

#include <fathom/draw.h>
#include <stdlib.h>
#include <string.h>

// A growing list of particle positions. {.spacing, .jitter, .rng} is an empty list.
typedef struct particle_list {
    float *points;  // [3 count] m; the caller frees it
    int count;      // particles in the list
    int capacity;   // particles for which memory is allocated
    double spacing; // m, distance of neighbours on the lattice
    double jitter;  // random offset of each coordinate, uniform in +-jitter, in spacings
    fm_rng rng;
} particle_list;

// Adds a particle at (x, y, z), m, moved by the jitter.
static inline void add_particle(particle_list *list, double x, double y, double z)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        list->points = realloc(list->points, 3 * (size_t)list->capacity * sizeof *list->points);
        assert_non_null(list->points);
    }
    const double position[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        double offset = list->jitter > 0 ? list->jitter * (2 * fm_rng_uniform(&list->rng) - 1) : 0;
        list->points[3 * (size_t)list->count + k] = (float)(position[k] + list->spacing * offset);
    }
    list->count++;
}

// Adds the points of a cubic lattice inside a ball. radius: m.
static inline void add_ball(particle_list *list, fm_vec3 centre, double radius)
{
    int n = (int)(radius / list->spacing) + 2;
    for (int i = 0; i < 8 * n * n * n; i++) {
        double x = (i % (2 * n) - n + 0.5) * list->spacing;
        double y = (i / (2 * n) % (2 * n) - n + 0.5) * list->spacing;
        double z = (i / (4 * n * n) - n + 0.5) * list->spacing;
        if (x * x + y * y + z * z < radius * radius)
            add_particle(list, centre.x + x, centre.y + y, centre.z + z);
    }
}

// Adds a block of columns x rows x layers particles along x, y and z. low: its lowest corner, m.
static inline void add_block(particle_list *list, fm_vec3 low, int columns, int rows, int layers)
{
    for (int i = 0; i < columns * rows * layers; i++)
        add_particle(list, low.x + (i % columns + 0.5) * list->spacing,
                     low.y + (i / columns % rows + 0.5) * list->spacing,
                     low.z + (i / (columns * rows) + 0.5) * list->spacing);
}

// Reconstructs the fluid surface around the particles.
static inline fm_surface *create_surface(const particle_list *list, int threads)
{
    fm_error err = {0};
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    def.spacing = list->spacing;
    def.threads = threads;
    fm_surface *surface = fm_fluid_mesh_create(list->points, list->count, &def, &err);
    assert_good(surface, &err);
    return surface;
}

#endif
