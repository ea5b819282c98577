// SPDX-License-Identifier: MIT
// cavities.h: the lid-driven cavity against tables of u on x = 1/2 and v on y = 1/2.
#ifndef FATHOM_TESTS_CAVITIES_H
#define FATHOM_TESTS_CAVITIES_H

#include "exact.h"
#include "grids.h"

enum { CAVITY_ROWS_MAX = 32 }; // rows of a table

// Velocities, u in even and v in odd elements, at the points of a table. Zero beyond its rows.
typedef struct cavity_profile {
    double values[2 * CAVITY_ROWS_MAX];
} cavity_profile;

// Simulates a cavity of cells^2 until time `end`, when it is steady. Returns the largest difference
// from the table with the columns y, u, x, v, in units of the lid's speed. `profile` receives the
// velocities at its points.
static inline double measure_cavity(int cells, double Re, double end, const char *path,
                                    cavity_profile *profile)
{
    double table[4 * CAVITY_ROWS_MAX], worst = 0;
    int rows = read_table(path, table, 4, CAVITY_ROWS_MAX);
    *profile = (cavity_profile){{0}};
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_cavity_grid_def(2, cells, 1 / Re);
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, end);
    double energy = advance_grid(world, grid, 1).kinetic_energy;
    double later = advance_grid(world, grid, 1).kinetic_energy;
    assert_close(later / energy, 1, 1e-4); // steady
    for (int i = 0; i < rows; i++) {
        double u = grid_velocity(grid, 0.5, table[4 * i], 0).x;
        double v = grid_velocity(grid, table[4 * i + 2], 0.5, 0).y;
        profile->values[2 * i] = u;
        profile->values[2 * i + 1] = v;
        worst = fmax(worst, fmax(fabs(u - table[4 * i + 1]), fabs(v - table[4 * i + 3])));
    }
    fm_world_destroy(world);
    return worst;
}

// Order of convergence from three grids, each twice as fine as the one before, without a reference.
static inline double cavity_order(const cavity_profile profiles[3])
{
    double change[2] = {0, 0};
    for (int i = 0; i < 2 * CAVITY_ROWS_MAX; i++)
        for (int k = 0; k < 2; k++)
            change[k] = fmax(change[k], fabs(profiles[k + 1].values[i] - profiles[k].values[i]));
    return log2(change[0] / change[1]);
}

#endif
