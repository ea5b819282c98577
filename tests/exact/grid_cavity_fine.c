// SPDX-License-Identifier: MIT
// The square cavity on 128^2 cells: at Re 100 against cavity_richardson_Re100.csv and at Re 1000
// against the spectral solution [BP98]. The largest difference on the centre lines is below 0.05 %
// of the lid's speed at Re 100 and below 1 % at Re 1000, where it falls with an order of more than
// 1.8 from 64^2 cells.
//
// At Re 100 the order is below 2: 1.6 from the changes between 32^2, 64^2 and 128^2 cells. The
// speed of the lid jumps at its ends, where the vorticity grows as 1/r without bound. With a lid
// whose speed falls smoothly to zero the order is 2.
#include "cavities.h"

static void the_cavity_at_Re_100_is_that_of_the_reference(void **state)
{
    (void)state;
    const char *path = REFERENCE_DIR "/cavity_richardson_Re100.csv";
    cavity_profile profiles[3];
    double error[3];
    for (int i = 0; i < 3; i++) {
        error[i] = measure_cavity(32 << i, 100, 20, path, &profiles[i]);
        exact_report("Re 100", 1.0 / (32 << i), error[i]);
    }
    double order = cavity_order(profiles);
    printf("  order %.2f, against the reference %.2f\n", order, exact_order(&error[1], 2));
    assert_at_most(error[2], 5e-4);
    assert_true(order > 1.5);
}

static void a_smooth_lid_converges_with_second_order(void **state)
{
    (void)state;
    double order = smooth_cavity_order(32, REFERENCE_DIR "/cavity_richardson_Re100.csv");
    printf("  order with a smooth lid %.2f\n", order);
    assert_true(order > 1.9);
}

static void the_cavity_at_Re_1000_is_the_spectral_solution(void **state)
{
    (void)state;
    const char *path = REFERENCE_DIR "/cavity_botella_peyret1998_Re1000.csv";
    cavity_profile profile;
    double error[2];
    for (int i = 0; i < 2; i++) {
        error[i] = measure_cavity(64 << i, 1000, 60, path, &profile);
        exact_report("Re 1000", 1.0 / (64 << i), error[i]);
    }
    printf("  order %.2f\n", exact_order(error, 2));
    assert_at_most(error[1], 0.01);
    assert_true(exact_order(error, 2) > 1.8);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "grid_cavity_fine");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cavity_at_Re_100_is_that_of_the_reference),
        cmocka_unit_test(a_smooth_lid_converges_with_second_order),
        cmocka_unit_test(the_cavity_at_Re_1000_is_the_spectral_solution)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
