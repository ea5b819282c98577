// SPDX-License-Identifier: MIT
// A square cavity whose lid slides: the steady flow on the centre lines, at Re 100 against the
// extrapolated values of two grids of another solver (cavity_richardson_Re100.csv). On 64^2 cells
// the largest difference is below 1 % of the lid's speed, and that on 32^2 cells at least three
// times as large. With a lid whose speed falls smoothly to zero at its ends the order is 2.
#include "cavities.h"

static void the_cavity_at_Re_100_is_that_of_the_reference(void **state)
{
    (void)state;
    const char *path = REFERENCE_DIR "/cavity_richardson_Re100.csv";
    cavity_profile profile;
    double coarse = measure_cavity(32, 100, 20, path, &profile);
    double fine = measure_cavity(64, 100, 20, path, &profile);
    exact_report("Re 100", 1.0 / 32, coarse);
    exact_report("Re 100", 1.0 / 64, fine);
    assert_at_most(fine, 0.01);
    assert_true(coarse > 3 * fine);
}

static void a_smooth_lid_converges_with_second_order(void **state)
{
    (void)state;
    double order = smooth_cavity_order(16, REFERENCE_DIR "/cavity_richardson_Re100.csv");
    printf("  order with a smooth lid %.2f\n", order);
    assert_true(order > 1.9);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "grid_cavity");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cavity_at_Re_100_is_that_of_the_reference),
        cmocka_unit_test(a_smooth_lid_converges_with_second_order)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
