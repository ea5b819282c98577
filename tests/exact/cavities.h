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

// Speed of a lid without jumps at its ends, where the vorticity stays bounded.
static inline fm_vec3 find_smooth_lid(void *context, fm_vec3 at, double t)
{
    (void)context, (void)t;
    return (fm_vec3){16 * at.x * at.x * (1 - at.x) * (1 - at.x), 0, 0};
}

// Simulates a cavity of cells^2 until time `end`, when it is steady, and reads the velocities at
// the places of a table with the columns y, u, x, v. smooth: with the lid above, else with speed 1.
// Returns the rows of the table.
static inline int simulate_cavity(int cells, double Re, double end, bool smooth, const char *path,
                                  double *table, cavity_profile *profile)
{
    int rows = read_table(path, table, 4, CAVITY_ROWS_MAX);
    *profile = (cavity_profile){{0}};
    fm_world *world = create_grid_world();
    fm_grid_def def = fixture_cavity_grid_def(2, cells, 1 / Re);
    if (smooth)
        def.sides[FM_SIDE_TOP].function = find_smooth_lid;
    fm_grid *grid = create_grid(world, &def);
    advance_grid(world, grid, end);
    double energy = advance_grid(world, grid, 1).kinetic_energy;
    double later = advance_grid(world, grid, 1).kinetic_energy;
    assert_close(later / energy, 1, 1e-4); // steady
    for (int i = 0; i < rows; i++) {
        profile->values[2 * i] = grid_velocity(grid, 0.5, table[4 * i], 0).x;
        profile->values[2 * i + 1] = grid_velocity(grid, table[4 * i + 2], 0.5, 0).y;
    }
    fm_world_destroy(world);
    return rows;
}

// Returns the largest difference from the table, in units of the lid's speed.
static inline double measure_cavity(int cells, double Re, double end, const char *path,
                                    cavity_profile *profile)
{
    double table[4 * CAVITY_ROWS_MAX], worst = 0;
    int rows = simulate_cavity(cells, Re, end, false, path, table, profile);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < 2; k++)
            worst = fmax(worst, fabs(profile->values[2 * i + k] - table[4 * i + 2 * k + 1]));
    return worst;
}

// Order of convergence from three grids, each twice as fine as the one before, without a reference:
// from the root mean square of the changes.
static inline double cavity_order(const cavity_profile profiles[3])
{
    double change[2] = {0, 0};
    for (int i = 0; i < 2 * CAVITY_ROWS_MAX; i++)
        for (int k = 0; k < 2; k++) {
            double difference = profiles[k + 1].values[i] - profiles[k].values[i];
            change[k] += difference * difference;
        }
    return 0.5 * log2(change[0] / change[1]);
}

// The same for the cavity with the smooth lid at Re 100, on `cells`^2 cells and finer ones.
static inline double smooth_cavity_order(int cells, const char *path)
{
    cavity_profile profiles[3];
    double table[4 * CAVITY_ROWS_MAX];
    for (int i = 0; i < 3; i++)
        simulate_cavity(cells << i, 100, 20, true, path, table, &profiles[i]);
    return cavity_order(profiles);
}

#endif
