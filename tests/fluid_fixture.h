// SPDX-License-Identifier: MIT
// fluid_fixture.h: blocks and balls of particles for tests of fluid surface reconstruction.
#ifndef FATHOM_TESTS_FLUID_FIXTURE_H
#define FATHOM_TESTS_FLUID_FIXTURE_H

#include "check.h"
#include "core/core.h"

#include <fathom/draw.h>
#include <stdlib.h>
#include <string.h>

// A growing list of particle positions.
typedef struct crowd {
    float *points; // [3 count] m
    int count, room;
    double spacing; // m
    double jitter;  // random offset of each coordinate, uniform in +-jitter, in spacings
    fm_rng rng;
} crowd;

static inline void add_particle(crowd *c, double x, double y, double z)
{
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 1024;
        c->points = realloc(c->points, 3 * (size_t)c->room * sizeof *c->points);
        assert_non_null(c->points);
    }
    const double at[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        double off = c->jitter > 0 ? c->jitter * (2 * fm_rng_uniform(&c->rng) - 1) : 0;
        c->points[3 * (size_t)c->count + k] = (float)(at[k] + c->spacing * off);
    }
    c->count++;
}

// Adds the lattice points inside a ball.
static inline void add_ball(crowd *c, fm_vec3 centre, double radius)
{
    int n = (int)(radius / c->spacing) + 2;
    for (int i = 0; i < 8 * n * n * n; i++) {
        double x = (i % (2 * n) - n + 0.5) * c->spacing;
        double y = (i / (2 * n) % (2 * n) - n + 0.5) * c->spacing;
        double z = (i / (4 * n * n) - n + 0.5) * c->spacing;
        if (x * x + y * y + z * z < radius * radius)
            add_particle(c, centre.x + x, centre.y + y, centre.z + z);
    }
}

// Adds columns x rows x layers particles along x, y and z, starting at the corner `low`.
static inline void add_block(crowd *c, fm_vec3 low, int columns, int rows, int layers)
{
    for (int i = 0; i < columns * rows * layers; i++)
        add_particle(c, low.x + (i % columns + 0.5) * c->spacing,
                     low.y + (i / columns % rows + 0.5) * c->spacing,
                     low.z + (i / (columns * rows) + 0.5) * c->spacing);
}

// Reconstructs the fluid surface around the particles.
static inline fm_surface *create_surface(const crowd *c, int threads)
{
    fm_error err = {0};
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    def.spacing = c->spacing;
    def.threads = threads;
    fm_surface *made = fm_fluid_mesh_create(c->points, c->count, &def, &err);
    assert_good(made, &err);
    return made;
}

#endif
