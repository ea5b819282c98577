// SPDX-License-Identifier: MIT
// memory_kernel.c: the approximation of the kernel t^-q / Gamma(1-q) of a fractional derivative of
// order q by a sum of exponentials.
//
// For orders and tolerances over the whole allowed range all weights are positive, and the relative
// error stays within the tolerance, also at times other than those at which fm_exponentials_build
// checks it. The number of exponentials stays within the documented limits.
#include "check.h"
#include "memory/memory.h"

// Relative error of the sum of exponentials at the age t (s).
static double relative_error_at(const fm_exponentials *sum, double q, double t)
{
    double value = 0;
    for (int k = 0; k < sum->count; k++)
        value += sum->weight[k] * exp(-sum->decay_rate[k] * t);
    return fabs(value * tgamma(1 - q) * pow(t, q) - 1);
}

static void the_kernel_is_within_its_tolerance_at_all_times(void **state)
{
    (void)state;
    static const double orders[] = {0.01, 0.2, 0.5, 0.8, 0.99};
    static const double tolerances[] = {9e-2, 1e-3, 1e-6, 1e-9, 1.1e-12};
    static const double ratios[] = {2, 1e3, 1e6}; // of the longest to the shortest age
    const double shortest = 3e-4;                 // s, age from which on the tolerance holds
    for (int i = 0; i < 5 * 5 * 3; i++) {
        double q = orders[i % 5], tolerance = tolerances[i / 5 % 5], ratio = ratios[i / 25];
        fm_exponentials sum;
        assert_true(fm_exponentials_build(&sum, q, shortest, ratio * shortest, tolerance));
        assert_at_most(sum.error, tolerance);
        for (int k = 0; k < sum.count; k++)
            assert_true(sum.weight[k] > 0 && sum.decay_rate[k] > 0);
        // a prime number of ages, few of which fm_exponentials_build checks itself
        enum { AGES = 7919 };
        for (int p = 0; p < AGES; p++)
            assert_at_most(relative_error_at(&sum, q, shortest * pow(ratio, p / (AGES - 1.0))),
                           1.01 * tolerance + 1e-14);
    }
}

static void the_number_of_exponentials_stays_within_the_documented_limits(void **state)
{
    (void)state;
    fm_exponentials sum;
    assert_true(fm_exponentials_build(&sum, 0.5, 1e-3, 100, 1e-3));
    assert_at_most(sum.count, 14);
    assert_true(fm_exponentials_build(&sum, 0.5, 1e-3, 100, 1e-4));
    assert_at_most(sum.count, 18);
    assert_true(fm_exponentials_build(&sum, 0.5, 1e-3, 100, 1e-6));
    assert_at_most(sum.count, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_is_within_its_tolerance_at_all_times),
        cmocka_unit_test(the_number_of_exponentials_stays_within_the_documented_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
