// SPDX-License-Identifier: MIT
// memory_fixture.h: one memory of each kind, and rates to feed it.
#ifndef FATHOM_TESTS_MEMORY_FIXTURE_H
#define FATHOM_TESTS_MEMORY_FIXTURE_H

#include "check.h"

#include <fathom/memory.h>

enum { KIND_COUNT = 7 };

static inline fm_memory_def kind_def(int kind)
{
    fm_memory_def def = fm_default_memory_def();
    def.tolerance = 1e-6;
    def.order = kind == 5 ? 0.3 : 0.5;
    def.window_steps = kind == 2 ? 10 : kind == 4 ? 3 : FM_MEMORY_UNLIMITED;
    def.window_seconds = kind == 5 ? 0.025 : INFINITY;
    def.fading_time = 0.05;
    static const fm_memory_method methods[KIND_COUNT] = {
        FM_MEMORY_FULL,    FM_MEMORY_FADING,    FM_MEMORY_TRAPEZOID, FM_MEMORY_TRAPEZOID,
        FM_MEMORY_COIMBRA, FM_MEMORY_TRAPEZOID, FM_MEMORY_COIMBRA,
    };
    def.method = methods[kind];
    return def;
}

static inline fm_memory *make_kind(int kind, int lanes)
{
    fm_error err = {0};
    fm_memory_def def = kind_def(kind);
    fm_memory *memory = fm_memory_create(&def, lanes, &err);
    assert_non_null(memory);
    return memory;
}

// The rate of what is called `id`, at step n.
static inline double rate_of(int id, int n)
{
    return sin(0.1 * n + id) + 0.3 * id;
}

static inline void push_step(fm_memory *memory, int n)
{
    double rate[64];
    int lanes = fm_memory_lane_count(memory);
    for (int i = 0; i < lanes; i++)
        rate[i] = rate_of(i, n);
    assert_true(fm_memory_push(memory, rate, n ? 1e-3 : 0));
}

#endif
