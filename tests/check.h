// SPDX-License-Identifier: MIT
// check.h: cmocka, and assertions for floating-point numbers.
#ifndef FATHOM_TESTS_CHECK_H
#define FATHOM_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Whether the environment asks for the long version of a test, as `make check-long` does.
static inline bool is_long_version(void)
{
    const char *text = getenv("FATHOM_LONG");
    return text && strcmp(text, "1") == 0;
}

// Asserts |measured - expected| <= tolerance; the message contains all three.
#define assert_close(measured, expected, tolerance)                                                \
    check_close(measured, expected, tolerance, #measured, __FILE__, __LINE__)

static inline void check_close(double measured, double expected, double tolerance, const char *what,
                               const char *file, int line)
{
    if (fabs(measured - expected) <= tolerance)
        return;
    print_error("%s is %.12g, expected %.12g, off by %.3g, allowed %.3g\n", what, measured,
                expected, measured - expected, tolerance);
    _fail(file, line);
}

// Asserts success; on failure prints the text of the fm_error.
#define assert_good(good, err) check_good(good, (err)->text, __FILE__, __LINE__)

static inline void check_good(bool good, const char *why, const char *file, int line)
{
    if (good)
        return;
    print_error("%s\n", why);
    _fail(file, line);
}

// Asserts measured <= limit; NaN fails.
#define assert_at_most(measured, limit)                                                            \
    check_at_most(measured, limit, #measured, __FILE__, __LINE__)

static inline void check_at_most(double measured, double limit, const char *what, const char *file,
                                 int line)
{
    if (measured <= limit)
        return;
    print_error("%s is %.12g, at most %.12g is allowed\n", what, measured, limit);
    _fail(file, line);
}

// Asserts low <= measured <= high. (cmocka's assert_in_range is for integers.)
#define assert_in_interval(measured, low, high)                                                    \
    check_in_interval(measured, low, high, #measured, __FILE__, __LINE__)

static inline void check_in_interval(double measured, double low, double high, const char *what,
                                     const char *file, int line)
{
    if (measured >= low && measured <= high)
        return;
    print_error("%s is %.12g, allowed is %.12g to %.12g\n", what, measured, low, high);
    _fail(file, line);
}

#endif
