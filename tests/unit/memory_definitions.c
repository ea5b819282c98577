// SPDX-License-Identifier: MIT
// Bad definitions are refused with field, value and range; good ones give what they say.
#include "check.h"

#include <fathom/memory.h>
#include <limits.h>
#include <string.h>

static void refuse(fm_memory_def def, int lanes, const char *field, const char *value)
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

static fm_memory_def with_order(fm_memory_method method, double order)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = method;
    def.order = order;
    return def;
}

static void orders(void **state)
{
    (void)state;
    for (int m = FM_MEMORY_FULL; m <= FM_MEMORY_COIMBRA; m++) {
        refuse(with_order((fm_memory_method)m, 0), 1, "order", "0");
        refuse(with_order((fm_memory_method)m, 1), 1, "order", "1");
        refuse(with_order((fm_memory_method)m, -0.5), 1, "order", "-0.5");
        refuse(with_order((fm_memory_method)m, 1.5), 1, "order", "1.5");
        refuse(with_order((fm_memory_method)m, NAN), 1, "order", "nan");
    }
    refuse(with_order(FM_MEMORY_COIMBRA, 0.3), 1, "order", "0.3");
    refuse(with_order((fm_memory_method)9, 0.5), 1, "method", "9");
}

static void steps_horizons_tolerances(void **state)
{
    (void)state;
    fm_memory_def def = fm_default_memory_def();
    def.time_step = 0;
    refuse(def, 1, "time_step", "0");
    def.time_step = -1e-3;
    refuse(def, 1, "time_step", "-0.001");
    def.time_step = INFINITY;
    refuse(def, 1, "time_step", "inf");
    def = fm_default_memory_def();
    def.horizon = 1e-4;
    refuse(def, 1, "horizon", "0.0001");
    def.horizon = INFINITY;
    refuse(def, 1, "horizon", "inf");
    def = fm_default_memory_def();
    def.tolerance = 1e-12;
    refuse(def, 1, "tolerance", "1e-12");
    def.tolerance = 0.1;
    refuse(def, 1, "tolerance", "0.1");
    def.tolerance = NAN;
    refuse(def, 1, "tolerance", "nan");
    def = fm_default_memory_def();
    def.method = FM_MEMORY_FADING;
    def.fading_time = 0;
    refuse(def, 1, "fading_time", "0");
    def.fading_time = -1;
    refuse(def, 1, "fading_time", "-1");
}

static void windows(void **state)
{
    (void)state;
    fm_memory_def def = fm_default_memory_def();
    def.method = FM_MEMORY_TRAPEZOID;
    def.window_steps = 0;
    refuse(def, 1, "window_steps", "0");
    def.window_steps = -2;
    refuse(def, 1, "window_steps", "-2");
    def.window_steps = INT_MAX;
    refuse(def, 1, "window_steps", "2147483647");
    def.window_steps = 3;
    def.window_seconds = 1;
    refuse(def, 1, "window_steps", "3");
    def.window_steps = FM_MEMORY_UNLIMITED;
    def.window_seconds = 0;
    refuse(def, 1, "window_seconds", "0");
    def.window_seconds = -1;
    refuse(def, 1, "window_seconds", "-1");
    def.window_seconds = 1e-5;
    refuse(def, 1, "window_seconds", "1e-05");
    def.window_seconds = 1e12;
    refuse(def, 1, "window_seconds", "1e+12");
}

static void lane_counts(void **state)
{
    (void)state;
    fm_memory_def def = fm_default_memory_def();
    refuse(def, 0, "lane_count", "0");
    refuse(def, -8, "lane_count", "-8");
    refuse(def, INT_MAX, "lane_count", "2147483647");
    def.method = FM_MEMORY_TRAPEZOID; // more than a machine has: said, not crashed
    def.window_steps = INT_MAX / 4;
    fm_error err = {0};
    assert_null(fm_memory_create(&def, INT_MAX - 8, &err));
    assert_int_equal(err.status, FM_NO_MEMORY);
}

static void a_failure_before_is_kept(void **state)
{
    (void)state;
    fm_error err = {.status = FM_INPUT_OUTPUT};
    fm_memory_def def = fm_default_memory_def();
    assert_null(fm_memory_create(&def, 1, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
}

static void what_a_memory_tells_of_itself(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),
        cmocka_unit_test(steps_horizons_tolerances),
        cmocka_unit_test(windows),
        cmocka_unit_test(lane_counts),
        cmocka_unit_test(a_failure_before_is_kept),
        cmocka_unit_test(what_a_memory_tells_of_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
