// SPDX-License-Identifier: MIT
// The lid-driven cavity at Re = 100: velocities along the two centre lines against
// reference/cavity_richardson_Re100.csv, averaged over the last two of twelve seconds, when the
// flow is steady. The root mean square error at the table's points, in speeds of the lid, at 20 and
// 40 particles across, and its order; the walls themselves are left out.
#include "exact.h"
#include "fluids.h"

enum { ROWS = 17, AVERAGED = 20 };

static double measure(int cells, double table[ROWS][4])
{
    fm_error err = {0};
    fm_world *world = make_world(1000, 1e-3, no_gravity);
    fm_particles_def def = viscous_fluid(2, 1.0 / cells, 0.01, 1);
    def.domain.slide[FM_SIDE_TOP] = (fm_vec3){1, 0, 0};
    fm_particles *fluid = make_fluid(world, &def);
    fill_domain(fluid, 0);
    advance(world, 10);
    fm_vec3 at[2 * ROWS], v[2 * ROWS], mean[2 * ROWS] = {0};
    for (int i = 0; i < ROWS; i++) {
        at[i] = (fm_vec3){0.5, table[i][0], 0};
        at[ROWS + i] = (fm_vec3){table[i][2], 0.5, 0};
    }
    for (int k = 0; k < AVERAGED; k++) {
        assert_int_equal(advance(world, 2.0 / AVERAGED).outside_count, 0);
        assert_true(fm_particles_sample(fluid, at, 2 * ROWS, v, &err));
        for (int i = 0; i < 2 * ROWS; i++) {
            mean[i].x += v[i].x / AVERAGED;
            mean[i].y += v[i].y / AVERAGED;
        }
    }
    double square = 0;
    for (int i = 1; i + 1 < ROWS; i++)
        square += (pow(mean[i].x - table[i][1], 2) + pow(mean[ROWS + i].y - table[i][3], 2)) /
                  (2 * (ROWS - 2));
    fm_world_destroy(world);
    return sqrt(square);
}

static void eddy_is_the_reference(void **state)
{
    (void)state;
    double table[ROWS][4] = {0}, error[2];
    assert_int_equal(
        read_table(REFERENCE_DIR "/cavity_richardson_Re100.csv", &table[0][0], 4, ROWS), ROWS);
    for (int level = 0; level < 2; level++) {
        error[level] = measure(20 << level, table);
        exact_report("centre lines", 0.05 / (1 << level), error[level]);
    }
    printf("  order %.2f\n", exact_order(error, 2));
    assert_true(exact_order(error, 2) >= 1);
    assert_at_most(error[1], 0.015);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "particles_cavity");
    const struct CMUnitTest tests[] = {cmocka_unit_test(eddy_is_the_reference)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
