// SPDX-License-Identifier: MIT
// cavities.h: the lid-driven cavity against tables of u on x = 1/2 and v on y = 1/2.
#ifndef FATHOM_TESTS_CAVITIES_H
#define FATHOM_TESTS_CAVITIES_H

#include "exact.h"
#include "grids.h"

// Simulates a cavity of cells^2 until time `end`, when it is steady. Returns the largest difference
// from the table with the columns y, u, x, v, in units of the lid's speed.
static inline double measure_cavity(int cells, double Re, double end, const char *path)
{
    double table[4 * 32], worst = 0;
    int rows = read_table(path, table, 4, 32);
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
        worst = fmax(worst, fmax(fabs(u - table[4 * i + 1]), fabs(v - table[4 * i + 3])));
    }
    fm_world_destroy(world);
    return worst;
}

#endif
