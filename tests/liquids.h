// SPDX-License-Identifier: MIT
// liquids.h: liquids and checks that several tests share.
#ifndef FATHOM_TESTS_LIQUIDS_H
#define FATHOM_TESTS_LIQUIDS_H

#include "grids.h"

static const double GRAVITY = 9.81; // m/s^2

static inline fm_world *create_liquid_world(void)
{
    return create_world(1000, 1e-3, (fm_vec3){0, -GRAVITY, 0});
}

// A tank of columns x rows x layers cells; one layer: slip at back and front.
static inline fm_liquid_def liquid_tank_def(int columns, int rows, int layers, double spacing)
{
    fm_liquid_def def = fm_default_liquid_def();
    def.grid.cells[0] = columns, def.grid.cells[1] = rows, def.grid.cells[2] = layers;
    def.grid.spacing = spacing;
    if (layers == 1)
        def.grid.sides[FM_SIDE_BACK].kind = def.grid.sides[FM_SIDE_FRONT].kind = FM_GRID_SLIP;
    return def;
}

static inline fm_liquid *create_liquid(fm_world *world, const fm_liquid_def *def,
                                       const fm_liquid_box *box)
{
    fm_error err = {0};
    fm_liquid *liquid = fm_liquid_create(world, def, &err);
    assert_good(liquid, &err);
    bool good = !box || fm_liquid_add_box(liquid, box, &err);
    assert_good(good, &err);
    return liquid;
}

// Reads a field of all particles; the caller frees the array.
static inline double *read_liquid(fm_liquid *liquid, const char *field, int components)
{
    fm_error err = {0};
    double *values =
        malloc((size_t)components * (size_t)fm_liquid_particle_count(liquid) * sizeof *values);
    assert_true(fm_object_read_field(fm_liquid_object(liquid), field, values, &err));
    return values;
}

static inline double fastest_particle(fm_liquid *liquid)
{
    double *v = read_liquid(liquid, "velocity", 3), fastest = 0;
    for (int i = 0; i < 3 * fm_liquid_particle_count(liquid); i++)
        fastest = fmax(fastest, fabs(v[i]));
    free(v);
    return fastest;
}

static inline double liquid_pressure(fm_liquid *liquid, double x, double y, double z)
{
    fm_error err = {0};
    double p[3] = {NAN};
    assert_true(fm_object_probe(fm_liquid_object(liquid), "pressure", (fm_vec3){x, y, z}, p, &err));
    return p[0];
}

#endif
