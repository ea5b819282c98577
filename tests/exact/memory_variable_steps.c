// SPDX-License-Identifier: MIT
// memory_variable_steps.c: fractional derivatives with time steps of varying length, and with
// fading memory.
//
// Full memory (a sum of exponentials in place of the kernel) converges with order 2 even if the
// steps vary randomly within a factor of ten, because its recurrences are exact for any step.
// Fading memory, whose kernel is multiplied by e^(-t/tau), is compared with its integral in closed
// form.
#include "check.h"
#include "core/core.h"
#include "exact.h"

#include <fathom/memory.h>

static const double pi = 3.14159265358979323846;

// Creates the operator for derivatives of order q; h: smallest step, s.
static fm_memory *create_memory(double q, double h)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.order = q;
    def.time_step = h;
    def.horizon = 1.5;
    def.tolerance = 2e-12;
    fm_memory *memory = fm_memory_create(&def, 1, &err);
    assert_non_null(memory);
    return memory;
}

// Error of the derivative of order q at t = 1, of a signal with rate cos(2 pi t), with random steps
// of h to 10 h; the last step is lengthened to end at t = 1.
static double error_with_random_steps(fm_memory *memory, double q, double h, uint64_t seed)
{
    fm_rng rng = {seed};
    double t = 0, rate = 1, value;
    assert_true(fm_memory_push(memory, &rate, 0));
    while (t < 1) {
        double step = h * pow(10, fm_rng_uniform(&rng));
        if (1 - t < step + h)
            step = 1 - t;
        t = 1 - t == step ? 1 : t + step;
        rate = cos(2 * pi * t);
        assert_true(fm_memory_push(memory, &rate, step));
    }
    fm_memory_value(memory, &value);
    return fabs(value - exact_cos(q, 2 * pi, 1));
}

// Root mean square of the error over many sequences of random steps of h to 10 h (s).
static double root_mean_square_error(double q, double h)
{
    enum { SEEDS = 120 };
    char fresh[8192];
    fm_error err = {0};
    fm_memory *memory = create_memory(q, h);
    assert_true(fm_memory_save(memory, fresh, sizeof fresh) <= sizeof fresh);
    double square = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        assert_true(fm_memory_restore(memory, fresh, sizeof fresh, &err));
        square += pow(error_with_random_steps(memory, q, h, (uint64_t)seed), 2) / SEEDS;
    }
    fm_memory_destroy(memory);
    return sqrt(square);
}

static void random_steps_converge_with_order_two(void **state)
{
    (void)state;
    static const double orders[] = {0.2, 0.5, 0.8};
    enum { LEVELS = 5 };
    for (int i = 0; i < 3; i++) {
        double error[LEVELS];
        char series[32];
        snprintf(series, sizeof series, "cos q=%.1f", orders[i]);
        for (int level = 0; level < LEVELS; level++) {
            double h = 1e-3 / (1 << level);
            error[level] = root_mean_square_error(orders[i], h);
            exact_report(series, h, error[level]);
        }
        assert_close(exact_order(error, LEVELS), 2, 0.1);
    }
}

// The regularised lower incomplete gamma function P(a, z). With fading memory, the derivative of
// a signal of constant rate 1 is 1/Gamma(1-q) integral_0^t s^-q e^(-s/tau) ds = tau^(1-q) P(1-q,
// t/tau).
static double lower_gamma(double a, double z)
{
    double term = 1 / a, total = term;
    for (int n = 1; n < 400; n++)
        total += term *= z / (a + n);
    return total * pow(z, a) * exp(-z) / tgamma(a);
}

static void fading_memory_of_a_constant_rate_matches_its_integral(void **state)
{
    (void)state;
    static const double orders[] = {0.2, 0.5, 0.8};
    for (int i = 0; i < 3; i++) {
        double q = orders[i], tau = 0.7;
        fm_error err = {0};
        fm_memory_def def = fm_default_memory_def();
        def.method = FM_MEMORY_FADING;
        def.order = q;
        def.fading_time = tau;
        def.tolerance = 1e-8;
        fm_memory *memory = fm_memory_create(&def, 1, &err);
        assert_non_null(memory);
        double rate = 1, value, t = 0;
        assert_true(fm_memory_push(memory, &rate, 0));
        for (int n = 0; n < 20000; n++) {
            double h = n % 3 ? 1e-3 : 2.5e-3;
            assert_true(fm_memory_push(memory, &rate, h));
            t += h;
            if (n % 1999 == 0) {
                double exact = pow(tau, 1 - q) * lower_gamma(1 - q, t / tau);
                fm_memory_value(memory, &value);
                assert_close(value / exact, 1, 3e-8);
            }
        }
        fm_memory_destroy(memory);
    }
}

// For a constant rate and t much longer than the fading time tau, the derivative is tau^(1-q) times
// the rate.
static void steps_much_longer_than_the_fading_time_are_accurate(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.method = FM_MEMORY_FADING;
    def.fading_time = 1e-4;
    def.tolerance = 1e-8;
    fm_memory *memory = fm_memory_create(&def, 1, &err);
    assert_non_null(memory);
    static const double steps[] = {0, 1e-3, 5e-3, 6.1e-3, 0.05, 0.5, 1, 100};
    double rate = 1, value;
    for (int n = 0; n < 8; n++) {
        assert_true(fm_memory_push(memory, &rate, steps[n]));
        fm_memory_value(memory, &value);
        if (n > 1)
            assert_close(value, 0.01, 1e-9); // tau^(1/2)
    }
    fm_memory_destroy(memory);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "memory_variable_steps");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_converge_with_order_two),
        cmocka_unit_test(fading_memory_of_a_constant_rate_matches_its_integral),
        cmocka_unit_test(steps_much_longer_than_the_fading_time_are_accurate),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
