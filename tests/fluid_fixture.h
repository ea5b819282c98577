// SPDX-License-Identifier: MIT
// fluid_fixture.h: particles that stand as fluids do, and what their surface must be.
#ifndef FATHOM_TESTS_FLUID_FIXTURE_H
#define FATHOM_TESTS_FLUID_FIXTURE_H

#include "check.h"
#include "core/core.h"

#include <fathom/draw.h>
#include <stdlib.h>
#include <string.h>

typedef struct crowd {
    float *points;
    int count, room;
    double spacing;
    double jitter; // spacings, either way
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

// A ball around a place.
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

// columns x rows x layers from a corner on.
static inline void add_block(crowd *c, fm_vec3 low, int columns, int rows, int layers)
{
    for (int i = 0; i < columns * rows * layers; i++)
        add_particle(c, low.x + (i % columns + 0.5) * c->spacing,
                     low.y + (i / columns % rows + 0.5) * c->spacing,
                     low.z + (i / (columns * rows) + 0.5) * c->spacing);
}

static inline fm_triangles make_surface(const crowd *c, int threads)
{
    fm_error err = {0};
    fm_triangles made;
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    def.spacing = c->spacing;
    def.threads = threads;
    if (!fm_fluid_mesh_make(c->points, c->count, &def, &made, &err))
        print_error("%s\n", err.text);
    assert_int_equal(err.status, FM_OK);
    return made;
}

#endif
