// SPDX-License-Identifier: MIT
// memory_signals.c: fractional derivatives of signals x(t) whose derivative is known.
//
// A memory (fm_memory) computes D^q x from the rates dx/dt at the time steps. x = t and t^2 (rates
// 1 and 2t) are exact to rounding, since rates are interpolated linearly between steps. t^2.5, t^3,
// sin, cos and e^-t converge with order 2 for q = 0.2, 0.5, 0.8, with the untruncated trapezoidal
// rule and with full memory. The quadrature rule of [OKRC10] eq. (6) for q = 1/2 (coimbra)
// converges with order 1/2 where the newest rate is not zero; its error tends to 0.0374 sqrt(h)
// times that rate.
#include "check.h"
#include "exact.h"

#include <fathom/memory.h>
#include <stdlib.h>

// A signal x(t) with a known fractional derivative.
typedef struct signal {
    const char *name;
    double (*rate)(double t);            // dx/dt
    double (*exact)(double q, double t); // D^q x
} signal;

static const double pi = 3.14159265358979323846;

// Rates dx/dt of the signals t, t^2, t^2.5 and t^3, and the rates sin, cos and e^-t.
static double rate_of_t(double t)
{
    (void)t;
    return 1;
}
static double rate_of_t2(double t)
{
    return 2 * t;
}
static double rate_of_t2_5(double t)
{
    return 2.5 * pow(t, 1.5);
}
static double rate_of_t3(double t)
{
    return 3 * t * t;
}
static double rate_sine(double t)
{
    return sin(2 * pi * t);
}
static double rate_cosine(double t)
{
    return cos(2 * pi * t);
}
static double rate_decay(double t)
{
    return exp(-t);
}
// Exact derivatives D^q x of the signals.
static double exact_for_t(double q, double t)
{
    return exact_power(q, 0, t);
}
static double exact_for_t2(double q, double t)
{
    return 2 * exact_power(q, 1, t);
}
static double exact_for_t2_5(double q, double t)
{
    return 2.5 * exact_power(q, 1.5, t);
}
static double exact_for_t3(double q, double t)
{
    return 3 * exact_power(q, 2, t);
}
static double exact_for_sine(double q, double t)
{
    return exact_sin(q, 2 * pi, t);
}
static double exact_for_cosine(double q, double t)
{
    return exact_cos(q, 2 * pi, t);
}

static const signal linear_signals[] = {{"t", rate_of_t, exact_for_t},
                                        {"t^2", rate_of_t2, exact_for_t2}};
static const signal smooth_signals[] = {{"t^2.5", rate_of_t2_5, exact_for_t2_5},
                                        {"t^3", rate_of_t3, exact_for_t3},
                                        {"sin", rate_sine, exact_for_sine},
                                        {"cos", rate_cosine, exact_for_cosine},
                                        {"e^-t", rate_decay, exact_decay}};
static const double orders[] = {0.2, 0.5, 0.8}; // orders q of the derivative

// Error of the derivative D^q x at t = 1 that a memory computes from the rates at `steps` steps.
static double error_at_time_one(fm_memory_method method, double q, const signal *s, int steps)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.method = method;
    def.order = q;
    def.time_step = 1.0 / steps;
    def.horizon = 1.5;
    def.tolerance = 2e-12;
    fm_memory *memory = fm_memory_create(&def, 1, &err);
    assert_non_null(memory);
    for (int n = 0; n <= steps; n++) {
        double rate = s->rate((double)n / steps);
        assert_true(fm_memory_push(memory, &rate, n ? def.time_step : 0));
    }
    double value;
    fm_memory_value(memory, &value);
    fm_memory_destroy(memory);
    return fabs(value - s->exact(q, 1));
}

static void linear_rates_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int s = 0; s < 2; s++) {
            assert_at_most(
                error_at_time_one(FM_MEMORY_TRAPEZOID, orders[i], &linear_signals[s], 500), 2e-14);
            assert_at_most(error_at_time_one(FM_MEMORY_FULL, orders[i], &linear_signals[s], 500),
                           4e-12);
        }
    }
}

static void smooth_rates_converge_with_order_two(void **state)
{
    (void)state;
    static const char *const names[] = {"full", "trapezoid"};
    static const fm_memory_method methods[] = {FM_MEMORY_FULL, FM_MEMORY_TRAPEZOID};
    for (int i = 0; i < 2 * 3 * 5; i++) {
        const signal *s = &smooth_signals[i % 5];
        double q = orders[i / 5 % 3], error[5];
        char series[64];
        snprintf(series, sizeof series, "%s %s q=%.1f", names[i / 15], s->name, q);
        for (int level = 0; level < 5; level++) {
            int steps = 80 << level;
            error[level] = error_at_time_one(methods[i / 15], q, s, steps);
            exact_report(series, 1.0 / steps, error[level]);
        }
        assert_close(exact_order(error, 5), 2, 0.1);
    }
}

static void coimbra_converges_with_order_one_half(void **state)
{
    (void)state;
    static const signal *const signals[] = {&linear_signals[0], &linear_signals[1],
                                            &smooth_signals[3], &smooth_signals[4]};
    for (int i = 0; i < 4; i++) {
        double error[5];
        for (int level = 0; level < 5; level++) {
            int steps = 320 << level;
            error[level] = error_at_time_one(FM_MEMORY_COIMBRA, 0.5, signals[i], steps);
            exact_report(signals[i]->name, 1.0 / steps, error[level]);
        }
        assert_close(exact_order(error, 5), 0.5, 0.03);
        double constant = error[4] * sqrt(320 << 4) / fabs(signals[i]->rate(1));
        assert_close(constant, 0.0374, 0.001);
    }
}

// Checks the functions of exact.h. The reference values were computed independently from closed
// forms.
static void power_series_match_independent_reference_values(void **state)
{
    (void)state;
    assert_close(exact_for_t(0.5, 1), 1.128379167096, 1e-11);
    assert_close(exact_for_sine(0.5, 0.1), 0.1428294776649, 1e-11);
    assert_close(exact_for_sine(0.5, 1), -0.1937515485598, 1e-11);
    assert_close(exact_for_cosine(0.5, 1), 0.2754674858394, 1e-11);
    assert_close(exact_decay(0.5, 1), 0.6071577058414, 1e-11);
    assert_close(exact_for_sine(0.2, 1), -0.08262914244792, 1e-11);
    assert_close(exact_for_cosine(0.8, 1), 0.6545233769483, 1e-11);
    assert_close(exact_decay(0.2, 1), 0.6440844002340, 1e-11);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "memory_signals");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_series_match_independent_reference_values),
        cmocka_unit_test(linear_rates_are_exact),
        cmocka_unit_test(smooth_rates_converge_with_order_two),
        cmocka_unit_test(coimbra_converges_with_order_one_half),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
