// SPDX-License-Identifier: MIT
// The lid-driven cube at Re 1000 on 64^3 cells, against grid_cavity3d_Re1000.csv (Albensoeder and
// Kuhlmann 2005, second hand): the velocities on the centre lines within 0.03 of the lid's speed.
//
// The steady flow is symmetric about z = 1/2, so half of the cube is simulated, with slip on the
// plane of symmetry. It starts from the steady flow on half as many cells.
#include "exact.h"
#include "grids.h"

static fm_grid *create_half_cube(fm_world *world, int cells)
{
    fm_grid_def def = fixture_cavity_grid_def(3, cells, 1e-3);
    def.cells[2] = cells / 2;
    def.sides[FM_SIDE_FRONT].kind = FM_GRID_SLIP;
    return create_grid(world, &def);
}

static fm_vec3 read_coarse(void *context, fm_vec3 at)
{
    return grid_velocity(context, at.x, at.y, at.z);
}

// Advances until the kinetic energy changes by less than 1e-3 in a second, at most `most` s.
static void advance_until_steady(fm_world *world, fm_grid *grid, int most)
{
    double before = 0, change = 1;
    int t = 0;
    for (; t < most && change > 1e-3; t++) {
        double energy = advance_grid(world, grid, 1).kinetic_energy;
        change = fabs(energy / before - 1);
        before = energy;
    }
    printf("  %.0f s, the energy changes by %.1e per s\n", (double)t, change);
}

static double compare(fm_grid *grid)
{
    double table[4 * 32], worst = 0;
    int rows = read_table(REFERENCE_DIR "/grid_cavity3d_Re1000.csv", table, 4, 32);
    for (int i = 0; i < rows; i++) {
        double u = grid_velocity(grid, 0.5, table[4 * i], 0.5).x;
        double v = grid_velocity(grid, table[4 * i + 2], 0.5, 0.5).y;
        worst = fmax(worst, fmax(fabs(u - table[4 * i + 1]), fabs(v - table[4 * i + 3])));
    }
    return worst;
}

static void the_cube_at_Re_1000_is_that_of_the_reference(void **state)
{
    (void)state;
    fm_world *small = create_grid_world(), *large = create_grid_world();
    fm_grid *coarse = create_half_cube(small, 32), *fine = create_half_cube(large, 64);
    advance_until_steady(small, coarse, 50);
    set_grid_velocity(fine, read_coarse, coarse);
    advance_until_steady(large, fine, 12);
    double errors[2] = {compare(coarse), compare(fine)};
    exact_report("cube, Re 1000", 1.0 / 32, errors[0]);
    exact_report("cube, Re 1000", 1.0 / 64, errors[1]);
    assert_at_most(errors[1], 0.03);
    assert_true(errors[1] < errors[0]);
    fm_world_destroy(small);
    fm_world_destroy(large);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "grid_cube");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cube_at_Re_1000_is_that_of_the_reference)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
