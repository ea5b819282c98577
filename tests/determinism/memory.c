// SPDX-License-Identifier: MIT
// memory.c: fractional derivatives of many signals end in the same bits when 1, 2 or 3 threads
// advance ranges of the signals, and when the state is saved and restored half-way. A memory
// (fm_memory) computes the derivatives from the rates of the signals; a signal is a lane.
#include "memory/memory.h"
#include "check.h"

#include <stdlib.h>

enum { LANES = 5003, STEPS = 60, RANGE = 512 }; // RANGE: signals per parallel block

// Argument of step_range.
typedef struct step_job {
    fm_memory *memory;
    int n; // number of the step
} step_job;

// One step of the signals first to last - 1. Their new rates depend on the part of the new
// derivatives that follows from the past (predicted), so that errors in it would grow.
static void step_range(void *context, int first, int last)
{
    const step_job *job = context;
    double predicted[RANGE], rate[RANGE];
    fm_memory_predict_range(job->memory, first, last, predicted);
    for (int i = first; i < last; i++)
        rate[i - first] = sin(0.05 * job->n + i) - 0.2 * predicted[i - first];
    fm_memory_push_range(job->memory, first, last, rate);
}

// Step number n of all signals: 1 ms, and every fifth step 1.7 ms where the method allows it. The
// first step has length 0 and sets the initial rates.
static void step_lanes(fm_memory *memory, fm_pool *pool, int n)
{
    step_job job = {memory, n};
    bool fixed_step = memory->def.method >= FM_MEMORY_TRAPEZOID;
    double h = n == 0 ? 0 : fixed_step || n % 5 ? 1e-3 : 1.7e-3;
    assert_true(fm_memory_begin(memory, h));
    fm_parallel_for(pool, LANES, RANGE, step_range, &job);
    fm_memory_end(memory);
}

// Creates the operator for half derivatives. Windows of past rates have 20 steps. horizon: s, age
// up to which the kernel is fitted at first.
static fm_memory *create_memory(fm_memory_method method, double horizon)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.method = method;
    def.horizon = horizon;
    def.window_steps = 20;
    fm_memory *memory = fm_memory_create(&def, LANES, &err);
    assert_non_null(memory);
    return memory;
}

// Hash after STEPS steps of about 1 ms. The state moves into a new memory before step
// `restore_step`; -1: never.
static uint64_t run_and_hash(fm_memory_method method, double horizon, int threads, int restore_step)
{
    fm_error err = {0};
    fm_pool *pool = fm_pool_create(threads, &err);
    fm_memory *memory = create_memory(method, horizon);
    for (int n = 0; n < STEPS; n++) {
        if (n == restore_step) {
            size_t size = fm_memory_save(memory, NULL, 0);
            void *bytes = malloc(size);
            fm_memory_save(memory, bytes, size);
            fm_memory_destroy(memory);
            memory = create_memory(method, horizon);
            assert_true(fm_memory_restore(memory, bytes, size, &err));
            free(bytes);
        }
        step_lanes(memory, pool, n);
    }
    uint64_t hash = fm_memory_hash(memory);
    fm_memory_destroy(memory);
    fm_pool_destroy(pool);
    return hash;
}

static void lanes_have_the_same_bits_on_any_number_of_threads_and_after_a_restore(void **state)
{
    (void)state;
    static const double HORIZON = 100; // s, longer than the run
    for (int m = FM_MEMORY_FULL; m <= FM_MEMORY_COIMBRA; m++) {
        fm_memory_method method = (fm_memory_method)m;
        uint64_t expected = run_and_hash(method, HORIZON, 1, -1);
        for (int threads = 1; threads <= 3; threads++) {
            assert_int_equal(run_and_hash(method, HORIZON, threads, -1), expected);
            assert_int_equal(run_and_hash(method, HORIZON, threads, STEPS / 2), expected);
        }
    }
}

// With a horizon of 8 steps, the memory adds exponentials both before and after it is restored.
static void bits_are_the_same_after_a_restore_when_exponentials_are_added(void **state)
{
    (void)state;
    static const double HORIZON = 8e-3; // s
    for (int m = FM_MEMORY_FULL; m <= FM_MEMORY_FADING; m++) {
        uint64_t expected = run_and_hash((fm_memory_method)m, HORIZON, 1, -1);
        for (int restore_step = 2; restore_step < STEPS; restore_step += 3)
            assert_int_equal(run_and_hash((fm_memory_method)m, HORIZON, 1, restore_step), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_have_the_same_bits_on_any_number_of_threads_and_after_a_restore),
        cmocka_unit_test(bits_are_the_same_after_a_restore_when_exponentials_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
