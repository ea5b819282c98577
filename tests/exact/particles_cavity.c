// SPDX-License-Identifier: MIT
// particles_cavity.c: the lid-driven cavity at Re = 100. Velocities along the two centre lines
// against reference/cavity_richardson_Re100.csv, averaged over the last two of twelve seconds, when
// the flow is steady. Measures the root mean square error at the table's points, without the walls,
// in units of the lid's speed, at 20 and 40 particles across, and its order of convergence.
#include "exact.h"
#include "fluids.h"

enum { ROWS = 17, AVERAGED = 20 }; // rows of the reference table; averaged instants

// Root mean square error with cells x cells particles. Columns of the table: y, u(0.5, y), x,
// v(x, 0.5). points: of the two centre lines, one after the other.
static double measure_velocity_error(int cells, double table[ROWS][4])
{
    fm_error err = {0};
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles_def def = fixture_cavity_def(2, cells, 10); // 10 Pa s: Re = 1000 * 1 * 1 / 10
    def.speed = 1;
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0);
    advance(world, 10);
    fm_vec3 points[2 * ROWS], v[2 * ROWS], mean[2 * ROWS] = {0};
    for (int i = 0; i < ROWS; i++) {
        points[i] = (fm_vec3){0.5, table[i][0], 0};
        points[ROWS + i] = (fm_vec3){table[i][2], 0.5, 0};
    }
    for (int k = 0; k < AVERAGED; k++) {
        assert_int_equal(advance(world, 2.0 / AVERAGED).outside_count, 0);
        assert_true(fm_particles_sample(fluid, points, 2 * ROWS, v, &err));
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

static void centre_line_velocities_converge_to_the_reference(void **state)
{
    (void)state;
    double table[ROWS][4] = {0}, error[2];
    assert_int_equal(
        read_table(REFERENCE_DIR "/cavity_richardson_Re100.csv", &table[0][0], 4, ROWS), ROWS);
    for (int level = 0; level < 2; level++) {
        error[level] = measure_velocity_error(20 << level, table);
        exact_report("centre lines", 0.05 / (1 << level), error[level]);
    }
    printf("  order %.2f\n", exact_order(error, 2));
    assert_true(exact_order(error, 2) >= 1);
    assert_at_most(error[1], 0.015);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "particles_cavity");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centre_line_velocities_converge_to_the_reference)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
