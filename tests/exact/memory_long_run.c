// SPDX-License-Identifier: MIT
// memory_long_run.c: fractional derivatives by full memory against the untruncated trapezoidal sum,
// over a million steps.
//
// Full memory (FM_MEMORY_FULL) approximates the sum over all past rates by exponentials, at a
// constant cost per step. The difference stays within twice the tolerance from the first step to
// the last. The sum is evaluated at some steps only, since one evaluation costs as much as all
// steps of full memory. The difference is relative to the derivative for steady signals, and to the
// amplitude w^(q-1) of the derivative for oscillating ones.
#include "check.h"
#include "exact.h"

#include <fathom/memory.h>

enum { LANES = 6, STEPS = 1000000 }; // LANES: number of signals
static const double H = 1e-3;        // s, time step
static const double pi = 3.14159265358979323846;
static const double periods[LANES] = {0, 0, 0, 0.05, 1, 50}; // s; 0: a steady signal

// Computes the rates dx/dt of all signals at time t (s).
static void compute_rates(double t, double *rate)
{
    rate[0] = 1;
    rate[1] = exp(-t / 100);
    rate[2] = 1 + 0.5 * sin(2 * pi * t);
    for (int i = 3; i < LANES; i++)
        rate[i] = sin(2 * pi * t / periods[i]);
}

// Compares full memory at three tolerances with the untruncated sum, for derivatives of order q.
static void compare_with_sum(double q)
{
    static const double tolerances[] = {1e-3, 1e-6, 1e-9};
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.order = q;
    def.time_step = H;
    def.horizon = STEPS * H;
    fm_memory *full[3];
    for (int i = 0; i < 3; i++) {
        def.tolerance = tolerances[i];
        full[i] = fm_memory_create(&def, LANES, &err);
        assert_non_null(full[i]);
    }
    def.method = FM_MEMORY_TRAPEZOID;
    fm_memory *sum = fm_memory_create(&def, LANES, &err);
    assert_non_null(sum);

    double next = 3; // step at which values are compared next; the intervals grow by 1.3
    double worst[3] = {0};
    for (int n = 0; n <= STEPS; n++) {
        double rate[LANES], exact[LANES], value[LANES];
        compute_rates(n * H, rate);
        assert_true(fm_memory_push(sum, rate, n ? H : 0));
        for (int i = 0; i < 3; i++)
            assert_true(fm_memory_push(full[i], rate, n ? H : 0));
        if (n < next && n != STEPS)
            continue;
        next *= 1.3;
        fm_memory_value(sum, exact);
        for (int i = 0; i < 3; i++) {
            fm_memory_value(full[i], value);
            for (int l = 0; l < LANES; l++) {
                double scale = periods[l] > 0 ? pow(2 * pi / periods[l], q - 1) : fabs(exact[l]);
                worst[i] = fmax(worst[i], fabs(value[l] - exact[l]) / (scale * tolerances[i]));
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        printf("  q = %.1f, tolerance %.0e: largest difference %.2f tolerances\n", q, tolerances[i],
               worst[i]);
        assert_at_most(worst[i], 2);
        fm_memory_destroy(full[i]);
    }
    fm_memory_destroy(sum);
}

static void full_memory_equals_the_untruncated_sum_within_twice_its_tolerance(void **state)
{
    (void)state;
    compare_with_sum(0.2);
    compare_with_sum(0.5);
    compare_with_sum(0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_memory_equals_the_untruncated_sum_within_twice_its_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
