// SPDX-License-Identifier: MIT
// memory_steps.c: a memory computes fractional derivatives of signals (lanes) from their rates. Its
// functions fm_memory_push, fm_memory_value, fm_memory_predict, fm_memory_newest_weight and
// fm_memory_step agree with each other, for every method and for lane counts that are no multiple
// of FM_LANES, the SIMD width. The quadrature weights of derivatives over the last n steps are the
// published ones.
#include "memory_fixture.h"

#include <string.h>

// D^q x = predicted + w0 rate: `predicted` follows from the past, w0 is the weight of the newest
// rate.
static void the_derivative_is_the_predicted_part_plus_the_weighted_newest_rate(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        enum { LANES = 11 };
        fm_memory *memory = create_memory(kind, LANES);
        double w0 = fm_memory_newest_weight(memory, 1e-3), predicted[LANES], value[LANES];
        for (int n = 0; n < 150; n++) {
            assert_true(fm_memory_predict(memory, n ? 1e-3 : 0, predicted));
            push_step(memory, n);
            fm_memory_value(memory, value);
            for (int i = 0; i < LANES; i++)
                assert_close(value[i], n ? predicted[i] + w0 * rate_of(i, n) : 0, 1e-14);
        }
        assert_int_equal(fm_memory_push_count(memory), 150);
        fm_memory_destroy(memory);
    }
}

static void the_derivative_before_the_first_rate_is_zero(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        fm_memory *memory = create_memory(kind, 3);
        double value[3] = {7, 7, 7};
        fm_memory_value(memory, value);
        for (int i = 0; i < 3; i++)
            assert_true(value[i] == 0);
        fm_memory_destroy(memory);
    }
}

// Context of solve: number of the step, and calls so far.
typedef struct solver {
    int n, calls;
} solver;

// Callback of fm_memory_step: new rates of `count` lanes (signals) that depend on the part
// `predicted` of their fractional derivatives.
static void solve(void *context, int first, int count, const double *predicted, double *rate)
{
    solver *s = context;
    s->calls++;
    for (int i = 0; i < count; i++)
        rate[i] = rate_of(first + i, s->n) - 0.1 * predicted[i];
}

static void fm_memory_step_equals_predict_solve_and_push(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        enum { LANES = 600 };
        static double predicted[LANES], rate[LANES];
        fm_memory *fused = create_memory(kind, LANES), *plain = create_memory(kind, LANES);
        for (int n = 0; n < 40; n++) {
            double h = n ? 1e-3 : 0;
            solver s = {.n = n};
            assert_true(fm_memory_step(fused, h, solve, &s));
            assert_true(s.calls > 1);
            assert_true(fm_memory_predict(plain, h, predicted));
            solve(&s, 0, LANES, predicted, rate);
            assert_true(fm_memory_push(plain, rate, h));
            assert_int_equal(fm_memory_hash(fused), fm_memory_hash(plain));
        }
        assert_false(fm_memory_step(fused, 1e-5, solve, &(solver){0}));
        fm_memory_destroy(fused);
        fm_memory_destroy(plain);
    }
}

// The memories are defined for steps of 1 ms. Some accept longer steps, none shorter ones.
static void time_steps_that_are_not_allowed_are_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        fm_memory *memory = create_memory(kind, 1);
        double rate = 1, predicted;
        assert_false(fm_memory_push(memory, &rate, 1e-3)); // the first rate is at t = 0
        assert_true(fm_memory_push(memory, &rate, 0));
        uint64_t before = fm_memory_hash(memory);
        assert_false(fm_memory_push(memory, &rate, 0));
        assert_false(fm_memory_push(memory, &rate, -1e-3));
        assert_false(fm_memory_push(memory, &rate, 0.9e-3));
        assert_false(fm_memory_push(memory, &rate, NAN));
        assert_false(fm_memory_push(memory, &rate, INFINITY));
        assert_false(fm_memory_predict(memory, 0.9e-3, &predicted));
        assert_int_equal(fm_memory_hash(memory), before);
        assert_true(fm_memory_push(memory, &rate, 1e-3 * (1 + 1e-12)));
        bool longer = kind == FULL || kind == FADING; // they accept steps of different lengths
        assert_int_equal(fm_memory_push(memory, &rate, 2e-3), longer);
        assert_true(fm_memory_newest_weight(memory, 0) == 0);
        fm_memory_destroy(memory);
    }
}

// Measures the weights c_j of the fractional derivative D = h^(1-q) sum_j c_j v_{n-j} of order q by
// passing rates v that are 1 at one step and 0 at all others, and compares them with the published
// formulas, evaluated by hand.
static void check_weights(fm_memory_def def, const double *expected, int count, double tolerance)
{
    double scale = pow(def.time_step, 1 - def.order);
    for (int age = 0; age < count + 2; age++) {
        fm_error err = {0};
        fm_memory *memory = fm_memory_create(&def, 1, &err);
        double value;
        enum { LAST = 40 };
        for (int n = 0; n <= LAST; n++) {
            double rate = n == LAST - age;
            assert_true(fm_memory_push(memory, &rate, n ? def.time_step : 0));
        }
        fm_memory_value(memory, &value);
        assert_close(value / scale, age < count ? expected[age] : 0, tolerance);
        fm_memory_destroy(memory);
    }
}

static void weights_of_derivatives_over_the_last_n_steps_are_the_published_ones(void **state)
{
    (void)state;
    // weights by age, newest first, of the rule of [OKRC10] eq. (6) over 3 and over 10 steps
    static const double coimbra_3[] = {0.852669, 0.560439, 0.405475, 0.173231};
    static const double coimbra_10[] = {0.852669, 0.560439, 0.405475, 0.328044, 0.283209, 0.252949,
                                        0.230731, 0.213517, 0.199666, 0.188209, 0.090751};
    fm_memory_def def = fm_default_memory_def();
    def.method = FM_MEMORY_COIMBRA;
    def.window_steps = 3;
    check_weights(def, coimbra_3, 4, 1e-6);
    def.window_steps = 10;
    check_weights(def, coimbra_10, 11, 1e-6);

    // trapezoidal rule over 10 steps: interior weights as printed in [OKRC10]; the oldest rate
    // belongs to one interval only; p = 2 - q
    double trapezoid_10[11], p = 1.5;
    trapezoid_10[0] = 1 / tgamma(2.5);
    for (int j = 1; j < 10; j++)
        trapezoid_10[j] = (pow(j + 1, p) - 2 * pow(j, p) + pow(j - 1, p)) / tgamma(2.5);
    trapezoid_10[10] = (pow(9, p) - sqrt(10) * (10 + 0.5 - 2)) / tgamma(2.5);
    def.method = FM_MEMORY_TRAPEZOID;
    check_weights(def, trapezoid_10, 11, 1e-13);
}

// The fractional derivative over the last 0.3 s equals that over the last 300 steps of 1 ms. As
// long as these cover the whole run, they also equal the derivative over the whole past.
static void derivatives_over_equal_times_in_seconds_and_in_steps_agree(void **state)
{
    (void)state;
    fm_memory_def def = define_memory(TRAPEZOID_ALL);
    fm_error err = {0};
    fm_memory *unlimited = fm_memory_create(&def, 5, &err);
    def.window_steps = 300;
    fm_memory *steps = fm_memory_create(&def, 5, &err);
    def.window_steps = FM_MEMORY_UNLIMITED;
    def.window_seconds = 0.3;
    fm_memory *seconds = fm_memory_create(&def, 5, &err);
    for (int n = 0; n <= 300; n++) {
        double a[5], b[5], c[5];
        push_step(unlimited, n);
        push_step(steps, n);
        push_step(seconds, n);
        fm_memory_value(unlimited, a);
        fm_memory_value(steps, b);
        fm_memory_value(seconds, c);
        for (int i = 0; i < 5; i++)
            assert_close(a[i], b[i], 1e-14);
        assert_memory_equal(b, c, sizeof b);
    }
    fm_memory_destroy(unlimited);
    fm_memory_destroy(steps);
    fm_memory_destroy(seconds);
}

// FM_MEMORY_FULL integrates over the whole past with a fixed number of exponentials.
static void the_size_of_a_full_memory_does_not_grow_with_time(void **state)
{
    (void)state;
    fm_memory *memory = create_memory(FULL, 1);
    size_t bytes = fm_memory_bytes_per_lane(memory);
    for (int n = 0; n < 5000; n++)
        push_step(memory, n);
    assert_int_equal(fm_memory_bytes_per_lane(memory), bytes);
    fm_memory_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_derivative_is_the_predicted_part_plus_the_weighted_newest_rate),
        cmocka_unit_test(the_derivative_before_the_first_rate_is_zero),
        cmocka_unit_test(fm_memory_step_equals_predict_solve_and_push),
        cmocka_unit_test(time_steps_that_are_not_allowed_are_refused),
        cmocka_unit_test(weights_of_derivatives_over_the_last_n_steps_are_the_published_ones),
        cmocka_unit_test(derivatives_over_equal_times_in_seconds_and_in_steps_agree),
        cmocka_unit_test(the_size_of_a_full_memory_does_not_grow_with_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
