// SPDX-License-Identifier: MIT
// drawn_surface.h: the surface that is drawn around the particles of a fluid, for tests.
#ifndef FATHOM_TESTS_DRAWN_SURFACE_H
#define FATHOM_TESTS_DRAWN_SURFACE_H

#include "fluids.h"

#include <fathom/draw.h>

// The surface around the particles, with the default settings. spacing: m.
static inline fm_surface *create_drawn_surface(fm_particles *fluid, double spacing)
{
    int n;
    fm_error err = {0};
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    float *points = malloc(3 * (size_t)n * sizeof *points);
    for (int i = 0; i < n; i++) {
        points[3 * i] = (float)x[i].x;
        points[3 * i + 1] = (float)x[i].y;
        points[3 * i + 2] = (float)x[i].z;
    }
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    def.spacing = spacing;
    fm_surface *s = fm_fluid_mesh_create(points, n, &def, &err);
    assert_good(s, &err);
    free(points);
    return s;
}

#endif
