// SPDX-License-Identifier: MIT
// clock.c: what time it is, for measuring how long things take.
#include "core/core.h"

#include <time.h>

double fm_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
