// SPDX-License-Identifier: MIT
// memory_fixture.h: seven memories (operators that compute fractional derivatives) of different
// methods and lengths of the past that they cover, and signals to differentiate.
#ifndef FATHOM_TESTS_MEMORY_FIXTURE_H
#define FATHOM_TESTS_MEMORY_FIXTURE_H

#include "check.h"

#include <fathom/memory.h>

// The memories (operators that compute fractional derivatives) that the tests compare.
typedef enum memory_kind {
    FULL,              // whole past, sum of exponentials
    FADING,            // whole past, weighted with e^(-age / 0.05 s)
    TRAPEZOID_10,      // trapezoidal rule over the last 10 steps
    TRAPEZOID_ALL,     // trapezoidal rule over the whole past
    COIMBRA_3,         // rule of [OKRC10] over the last 3 steps
    TRAPEZOID_SECONDS, // trapezoidal rule over the last 0.025 s, order 0.3
    COIMBRA_ALL,       // rule of [OKRC10] over the whole past
    KIND_COUNT         // number of these memories
} memory_kind;

// Definition of one of the memories (operators that compute fractional derivatives), for steps of
// 1 ms.
static inline fm_memory_def define_memory(int kind)
{
    fm_memory_def def = fm_default_memory_def();
    def.tolerance = 1e-6;
    def.order = kind == TRAPEZOID_SECONDS ? 0.3 : 0.5;
    def.window_steps = kind == TRAPEZOID_10 ? 10 : kind == COIMBRA_3 ? 3 : FM_MEMORY_UNLIMITED;
    def.window_seconds = kind == TRAPEZOID_SECONDS ? 0.025 : INFINITY;
    def.fading_time = 0.05;
    static const fm_memory_method methods[KIND_COUNT] = {
        FM_MEMORY_FULL,    FM_MEMORY_FADING,    FM_MEMORY_TRAPEZOID, FM_MEMORY_TRAPEZOID,
        FM_MEMORY_COIMBRA, FM_MEMORY_TRAPEZOID, FM_MEMORY_COIMBRA,
    };
    def.method = methods[kind];
    return def;
}

// Creates one of the memories (operators that compute fractional derivatives) for `lanes` signals.
static inline fm_memory *create_memory(int kind, int lanes)
{
    fm_error err = {0};
    fm_memory_def def = define_memory(kind);
    fm_memory *memory = fm_memory_create(&def, lanes, &err);
    assert_non_null(memory);
    return memory;
}

// Time derivative (rate) of test signal number `id` at step n, the input of a memory.
static inline double rate_of(int id, int n)
{
    return sin(0.1 * n + id) + 0.3 * id;
}

// Passes the rates (time derivatives) at step n to a memory, whose lane i computes the fractional
// derivative of test signal i. The steps are 1 ms; the first has length 0 and sets initial rates.
static inline void push_step(fm_memory *memory, int n)
{
    double rate[64];
    int lanes = fm_memory_lane_count(memory);
    for (int i = 0; i < lanes; i++)
        rate[i] = rate_of(i, n);
    assert_true(fm_memory_push(memory, rate, n ? 1e-3 : 0));
}

#endif
