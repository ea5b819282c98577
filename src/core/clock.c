// SPDX-License-Identifier: MIT
// clock.c: monotonic wall clock for timings.
#include "core/core.h"

#include <time.h>

// Wall clock, ms, from an arbitrary origin. It never runs backwards.
double fm_clock_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
