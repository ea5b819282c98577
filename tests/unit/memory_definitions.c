// SPDX-License-Identifier: MIT
// memory_definitions.c: definitions of memories (operators that compute fractional derivatives):
// bad ones are refused with field, value and range, and good ones give the size and accuracy that
// they ask for.
#include "check.h"
#include "memory/memory.h"

#include <fathom/memory.h>
#include <limits.h>
#include <string.h>

// Asserts that a memory (operator that computes fractional derivatives) of this definition is
// refused because of this field and value.
static void assert_refused(fm_memory_def def, int lanes, const char *field, const char *value)
{
    fm_error err = {0};
    assert_null(fm_memory_create(&def, lanes, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.object, "memory");
    assert_string_equal(err.field, field);
    assert_string_equal(err.value, value);
    assert_true(strlen(err.allowed) > 0);
    assert_non_null(strstr(err.text, err.allowed));
}

// A definition with this method and order of the fractional derivative.
static fm_memory_def with_order(fm_memory_method method, double order)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = method;
    def.order = order;
    return def;
}

static void derivatives_of_orders_outside_0_to_1_are_refused(void **state)
{
    (void)state;
    for (int m = FM_MEMORY_FULL; m <= FM_MEMORY_COIMBRA; m++) {
        assert_refused(with_order((fm_memory_method)m, 0), 1, "order", "0");
        assert_refused(with_order((fm_memory_method)m, 1), 1, "order", "1");
        assert_refused(with_order((fm_memory_method)m, -0.5), 1, "order", "-0.5");
        assert_refused(with_order((fm_memory_method)m, 1.5), 1, "order", "1.5");
        assert_refused(with_order((fm_memory_method)m, NAN), 1, "order", "nan");
    }
    assert_refused(with_order(FM_MEMORY_COIMBRA, 0.3), 1, "order", "0.3");
    assert_refused(with_order((fm_memory_method)9, 0.5), 1, "method", "9");
}

static void bad_steps_horizons_tolerances_and_fading_times_are_refused(void **state)
{
    (void)state;
    fm_memory_def def = fm_default_memory_def();
    def.time_step = 0;
    assert_refused(def, 1, "time_step", "0");
    def.time_step = -1e-3;
    assert_refused(def, 1, "time_step", "-0.001");
    def.time_step = INFINITY;
    assert_refused(def, 1, "time_step", "inf");
    def = fm_default_memory_def();
    def.horizon = 1e-4;
    assert_refused(def, 1, "horizon", "0.0001");
    def.horizon = INFINITY;
    assert_refused(def, 1, "horizon", "inf");
    def = fm_default_memory_def();
    def.tolerance = 1e-12;
    assert_refused(def, 1, "tolerance", "1e-12");
    def.tolerance = 0.1;
    assert_refused(def, 1, "tolerance", "0.1");
    def.tolerance = NAN;
    assert_refused(def, 1, "tolerance", "nan");
    def = fm_default_memory_def();
    def.method = FM_MEMORY_FADING;
    def.fading_time = 0;
    assert_refused(def, 1, "fading_time", "0");
    def.fading_time = -1;
    assert_refused(def, 1, "fading_time", "-1");
}

// A window is the past time, in steps or seconds, that the fractional derivative covers.
static void bad_windows_are_refused(void **state)
{
    (void)state;
    fm_memory_def def = fm_default_memory_def();
    def.method = FM_MEMORY_TRAPEZOID;
    def.window_steps = 0;
    assert_refused(def, 1, "window_steps", "0");
    def.window_steps = -2;
    assert_refused(def, 1, "window_steps", "-2");
    def.window_steps = INT_MAX;
    assert_refused(def, 1, "window_steps", "2147483647");
    def.window_steps = 3;
    def.window_seconds = 1;
    assert_refused(def, 1, "window_steps", "3");
    def.window_steps = FM_MEMORY_UNLIMITED;
    def.window_seconds = 0;
    assert_refused(def, 1, "window_seconds", "0");
    def.window_seconds = -1;
    assert_refused(def, 1, "window_seconds", "-1");
    def.window_seconds = 1e-5;
    assert_refused(def, 1, "window_seconds", "1e-05");
    def.window_seconds = 1e12;
    assert_refused(def, 1, "window_seconds", "1e+12");
}

// The lane count is the number of signals that a memory differentiates.
static void bad_lane_counts_are_refused(void **state)
{
    (void)state;
    fm_memory_def def = fm_default_memory_def();
    assert_refused(def, 0, "lane_count", "0");
    assert_refused(def, -8, "lane_count", "-8");
    assert_refused(def, INT_MAX, "lane_count", "2147483647");
    def.method = FM_MEMORY_TRAPEZOID; // more memory than any machine has: reported as an error
    def.window_steps = INT_MAX / 4;
    fm_error err = {0};
    assert_null(fm_memory_create(&def, INT_MAX - 8, &err));
    assert_int_equal(err.status, FM_NO_MEMORY);
}

static void creating_a_memory_keeps_an_earlier_failure(void **state)
{
    (void)state;
    fm_error err = {.status = FM_INPUT_OUTPUT};
    fm_memory_def def = fm_default_memory_def();
    assert_null(fm_memory_create(&def, 1, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
}

// A memory computes fractional derivatives. Full: of the whole past, by a sum of exponentials;
// window: of the last 0.01 s; unlimited: of all past rates, which it stores.
static void a_memory_reports_its_size_and_accuracy(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.tolerance = 1e-3;
    fm_memory *full = fm_memory_create(&def, 13, &err);
    assert_int_equal(fm_memory_lane_count(full), 13);
    assert_int_equal(fm_memory_push_count(full), 0);
    assert_true(fm_memory_exponential_count(full) > 4 && fm_memory_exponential_count(full) <= 14);
    assert_true(fm_memory_kernel_error(full) > 0 && fm_memory_kernel_error(full) <= 1e-3);
    assert_int_equal(fm_memory_window_steps(full), 0);
    def.method = FM_MEMORY_TRAPEZOID;
    def.window_seconds = 0.01;
    fm_memory *window = fm_memory_create(&def, 13, &err);
    assert_int_equal(fm_memory_window_steps(window), 10);
    assert_int_equal(fm_memory_bytes_per_lane(window), 11 * sizeof(double));
    assert_int_equal(fm_memory_exponential_count(window), 0);
    def.window_seconds = INFINITY;
    fm_memory *unlimited = fm_memory_create(&def, 13, &err);
    assert_int_equal(fm_memory_window_steps(unlimited), FM_MEMORY_UNLIMITED);
    fm_memory_destroy(full);
    fm_memory_destroy(window);
    fm_memory_destroy(unlimited);
    fm_memory_destroy(NULL);
}

// Definitions of bodies and fluids say with an fm_recall how far back a fractional derivative
// looks. It is converted to the definition of a memory, the operator that computes the derivative.
static void a_recall_gives_the_matching_memory_definition(void **state)
{
    (void)state;
    const fm_recall recall = {
        .steps = 7, .seconds = 0.5, .fading = 3, .tolerance = 1e-5, .horizon = 20};
    const double step = 0.01, shortest = 0.001; // s, expected and shortest time step
    fm_recall r = recall;
    r.kind = FM_RECALL_FULL;
    fm_memory_def def = fm_memory_def_from_recall(&r, 0.4, step, shortest);
    assert_int_equal(def.method, FM_MEMORY_FULL);
    assert_true(def.order == 0.4 && def.time_step == shortest && def.tolerance == 1e-5);
    // the horizon is at least one step
    assert_true(def.horizon == 20 && fm_memory_def_from_recall(&r, 0.4, 30, 1).horizon == 30);
    r.kind = FM_RECALL_FADING;
    def = fm_memory_def_from_recall(&r, 0.4, step, shortest);
    assert_int_equal(def.method, FM_MEMORY_FADING);
    assert_true(def.fading_time == 3 && def.time_step == shortest);
    r.kind = FM_RECALL_STEPS; // a derivative over the last n steps needs a fixed step
    def = fm_memory_def_from_recall(&r, 0.5, step, shortest);
    assert_int_equal(def.method, FM_MEMORY_TRAPEZOID);
    assert_true(def.window_steps == 7 && def.time_step == step);
    r.rule = FM_RULE_COIMBRA;
    assert_int_equal(fm_memory_def_from_recall(&r, 0.5, step, shortest).method, FM_MEMORY_COIMBRA);
    r.kind = FM_RECALL_SECONDS; // over the last seconds, the rule is always the trapezoidal one
    def = fm_memory_def_from_recall(&r, 0.5, step, shortest);
    assert_int_equal(def.method, FM_MEMORY_TRAPEZOID);
    assert_int_equal(def.window_steps, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_orders_outside_0_to_1_are_refused),
        cmocka_unit_test(bad_steps_horizons_tolerances_and_fading_times_are_refused),
        cmocka_unit_test(bad_windows_are_refused),
        cmocka_unit_test(bad_lane_counts_are_refused),
        cmocka_unit_test(creating_a_memory_keeps_an_earlier_failure),
        cmocka_unit_test(a_memory_reports_its_size_and_accuracy),
        cmocka_unit_test(a_recall_gives_the_matching_memory_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
