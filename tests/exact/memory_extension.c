// SPDX-License-Identifier: MIT
// memory_extension.c: full memory beyond its horizon, and with steps below its time_step.
//
// Beyond the horizon, exponentials are added while running. The derivatives of a constant rate, of
// a rate that ends after one horizon, and of an oscillation stay near their exact values at 10, 100
// and 1000 horizons: the first within the tolerance, the others within twice the tolerance. Below
// time_step, fm_memory_extend_to_step adds exponentials, and the result is that of a memory that
// was created for the shorter steps.
#include "check.h"
#include "exact.h"
#include "memory/memory.h"

static const double pi = 3.14159265358979323846;

// The signals: their rates dx/dt are 1; 1 for one second, then 0; and a cosine.
enum { CONSTANT, ENDED, OSCILLATION, SIGNALS };
static const double H = 5e-3;      // s, step; the horizon is 1 s
static const double PERIOD = 1000; // s, period of the oscillation

// Computes the rates of all signals at time t (s).
static void compute_rates(double t, double *rate)
{
    rate[CONSTANT] = 1;
    rate[ENDED] = t < 1 - H / 2 ? 1 : t < 1 + H / 2 ? 0.5 : 0;
    rate[OSCILLATION] = cos(2 * pi * t / PERIOD);
}

// D^q of the signal ENDED at time t (s) after its end. The memory interpolates rates linearly, so
// the rate is 1 until 1 - H, decreases linearly, and is 0 from 1 + H on.
static double exact_ended(double q, double t)
{
    double ramp = pow(t - 1 + H, 2 - q) - pow(t - 1 - H, 2 - q);
    return exact_power(q, 0, t) - ramp / (2 * H * tgamma(3 - q));
}

// Computes the errors of the derivatives at time t (s), relative to the derivative, or to its
// amplitude for OSCILLATION, in units of the tolerance.
static void measure_errors(fm_memory *memory, double t, double *error)
{
    double q = memory->def.order, tolerance = memory->def.tolerance, value[SIGNALS];
    fm_memory_value(memory, value);
    error[CONSTANT] = fabs(value[CONSTANT] / exact_power(q, 0, t) - 1) / tolerance;
    error[ENDED] = fabs(value[ENDED] / exact_ended(q, t) - 1) / tolerance;
    error[OSCILLATION] = fabs(value[OSCILLATION] - exact_cos(q, 2 * pi / PERIOD, t)) /
                         pow(2 * pi / PERIOD, q - 1) / tolerance;
}

// Creates a full memory for all signals. time_step, horizon: s.
static fm_memory *create_memory(double order, double tolerance, double time_step, double horizon)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.order = order;
    def.tolerance = tolerance;
    def.time_step = time_step;
    def.horizon = horizon;
    fm_memory *memory = fm_memory_create(&def, SIGNALS, &err);
    assert_non_null(memory);
    return memory;
}

// Checks the errors and the number of exponentials at 10, 100 and 1000 horizons.
static void check_long_past(double order, double tolerance)
{
    fm_memory *memory = create_memory(order, tolerance, H, 1);
    double rate[SIGNALS], error[SIGNALS], worst = 0;
    int steps = 0, first_count = fm_memory_exponential_count(memory);
    for (int horizons = 10; horizons <= 1000; horizons *= 10) {
        for (; steps <= lround(horizons / H); steps++) {
            compute_rates(steps * H, rate);
            assert_true(fm_memory_push(memory, rate, steps ? H : 0));
        }
        measure_errors(memory, (steps - 1) * H, error);
        printf("  q %.2f, tolerance %.0e, %4d horizons, %d exponentials (first %d): errors %.2f "
               "%.2f %.2f tolerances\n",
               order, tolerance, horizons, fm_memory_exponential_count(memory), first_count,
               error[CONSTANT], error[ENDED], error[OSCILLATION]);
        assert_at_most(error[CONSTANT], 1);
        for (int i = 0; i < SIGNALS; i++)
            worst = fmax(worst, error[i]);
    }
    assert_at_most(worst, 2); // the error of the kernel, and that of the exponentials added
    // the number of exponentials grows with the logarithm of time: one for each factor e^spacing
    int added = fm_memory_exponential_count(memory) - first_count;
    assert_at_most(added, ceil(log(2 * 1000) / memory->sum.spacing));
    fm_memory_destroy(memory);
}

static void derivatives_stay_within_the_tolerance_far_beyond_the_horizon(void **state)
{
    (void)state;
    static const double orders[] = {0.1, 0.2, 0.5, 0.8, 0.9};
    static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-6};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++)
            check_long_past(orders[i], tolerances[k]);
    }
}

// A memory with time_step h takes steps of h, then of h/100, then of h again. The derivatives are
// compared with those of a second memory that was created for steps of h/100.
static void compare_short_steps(double order, double tolerance)
{
    const double h = 2e-3;
    fm_memory *extended = create_memory(order, tolerance, h, 10);
    fm_memory *fine = create_memory(order, tolerance, h / 100, 10);
    double t = 0, rate[SIGNALS] = {1, 1, 1}, a[SIGNALS], b[SIGNALS], worst = 0;
    assert_true(fm_memory_push(extended, rate, 0) && fm_memory_push(fine, rate, 0));
    assert_false(fm_memory_push(extended, rate, h / 2));
    for (int n = 1; n <= 2000; n++) {
        double step = n > 500 && n <= 1500 ? h / 100 : h;
        t += step;
        rate[0] = cos(20 * pi * t);
        rate[1] = t;
        rate[2] = cos(2 * pi * t) + (t > 1.003 ? 1 : 0);
        assert_true(fm_memory_extend_to_step(extended, step));
        assert_true(fm_memory_push(extended, rate, step));
        assert_true(fm_memory_push(fine, rate, step));
        fm_memory_value(extended, a);
        fm_memory_value(fine, b);
        for (int i = 0; i < SIGNALS; i++)
            worst = fmax(worst, fabs(a[i] - b[i]));
    }
    double scale = exact_power(order, 0, 1); // of derivatives of rates of order 1
    printf("  q %.2f, tolerance %.0e: difference %.2f tolerances, %d and %d exponentials\n", order,
           tolerance, worst / (tolerance * scale), fm_memory_exponential_count(extended),
           fm_memory_exponential_count(fine));
    assert_at_most(worst / (tolerance * scale), 2); // each is within one tolerance
    fm_memory_destroy(extended);
    fm_memory_destroy(fine);
}

static void short_steps_give_what_a_memory_created_for_them_gives(void **state)
{
    (void)state;
    static const double orders[] = {0.2, 0.5, 0.8};
    for (int i = 0; i < 3; i++) {
        compare_short_steps(orders[i], 1e-3);
        compare_short_steps(orders[i], 1e-4);
        compare_short_steps(orders[i], 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_stay_within_the_tolerance_far_beyond_the_horizon),
        cmocka_unit_test(short_steps_give_what_a_memory_created_for_them_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
