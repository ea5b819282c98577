// SPDX-License-Identifier: MIT
// grids.h: grid fluids and checks that several tests share.
#ifndef FATHOM_TESTS_GRIDS_H
#define FATHOM_TESTS_GRIDS_H

#include "fluids.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

// Makes both sides of an axis periodic.
static inline void set_grid_periodic(fm_grid_def *def, int axis)
{
    def->sides[2 * axis].kind = def->sides[2 * axis + 1].kind = FM_GRID_PERIODIC;
}

static inline fm_grid *create_grid(fm_world *world, const fm_grid_def *def)
{
    fm_error err = {0};
    fm_grid *grid = fm_grid_create(world, def, &err);
    assert_good(grid, &err);
    return grid;
}

// A world for grid fluids, without gravity.
static inline fm_world *create_grid_world(void)
{
    return create_world(1, 1e-3, no_gravity);
}

static inline void set_grid_velocity(fm_grid *grid, fm_grid_field *field, void *context)
{
    fm_error err = {0};
    bool good = fm_grid_set_velocity(grid, field, context, &err);
    assert_good(good, &err);
}

// Reads a field of all cells. The caller frees it.
static inline double *read_grid(fm_grid *grid, const char *field, int components)
{
    fm_error err = {0};
    fm_grid_def def = fm_grid_definition(grid);
    size_t count = (size_t)def.cells[0] * (size_t)def.cells[1] * (size_t)def.cells[2];
    double *values = malloc(count * (size_t)components * sizeof *values);
    assert_true(fm_object_read_field(fm_grid_object(grid), field, values, &err));
    return values;
}

// Advances, and checks the divergence after the last substep: below 1e-5 speed / spacing.
static inline fm_report advance_grid(fm_world *world, fm_grid *grid, double duration)
{
    fm_report report = advance(world, duration);
    fm_grid_stats stats = fm_grid_read_stats(grid);
    assert_true(stats.divergence < 1e-5);
    assert_int_equal(stats.unconverged_count, 0);
    return report;
}

// Velocity of the fluid at a point, m/s, with cubic interpolation.
static inline fm_vec3 grid_velocity(fm_grid *grid, double x, double y, double z)
{
    fm_error err = {0};
    fm_vec3 at = {x, y, z}, u;
    assert_true(fm_grid_sample(grid, &at, 1, &u, &err));
    return u;
}

#endif
