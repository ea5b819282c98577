// SPDX-License-Identifier: MIT
// Lanes stepped in ranges by 1, 2 or 3 threads, with the run saved and restored half-way, end in
// the same bits.
#include "memory/memory.h"
#include "check.h"

#include <stdlib.h>

enum { LANES = 5003, STEPS = 60, RANGE = 512 };

typedef struct job {
    fm_memory *memory;
    int n;
} job;

static void step_range(void *context, int first, int last)
{
    const job *j = context;
    double known[RANGE], rate[RANGE];
    fm_memory_predict_range(j->memory, first, last, known);
    for (int i = first; i < last; i++)
        rate[i - first] = sin(0.05 * j->n + i) - 0.2 * known[i - first];
    fm_memory_push_range(j->memory, first, last, rate);
}

static void step(fm_memory *memory, fm_pool *pool, int n)
{
    job j = {memory, n};
    bool fixed = memory->def.method >= FM_MEMORY_TRAPEZOID;
    double h = n == 0 ? 0 : fixed || n % 5 ? 1e-3 : 1.7e-3;
    assert_true(fm_memory_begin(memory, h));
    fm_parallel_for(pool, LANES, RANGE, step_range, &j);
    fm_memory_end(memory);
}

static fm_memory *make(fm_memory_method method)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.method = method;
    def.window_steps = 20;
    fm_memory *memory = fm_memory_create(&def, LANES, &err);
    assert_non_null(memory);
    return memory;
}

static uint64_t run(fm_memory_method method, int threads, int pause)
{
    fm_error err = {0};
    fm_pool *pool = fm_pool_create(threads, &err);
    fm_memory *memory = make(method);
    for (int n = 0; n < STEPS; n++) {
        if (n == pause) {
            size_t size = fm_memory_save(memory, NULL, 0);
            void *bytes = malloc(size);
            fm_memory_save(memory, bytes, size);
            fm_memory_destroy(memory);
            memory = make(method);
            assert_true(fm_memory_restore(memory, bytes, size, &err));
            free(bytes);
        }
        step(memory, pool, n);
    }
    uint64_t hash = fm_memory_hash(memory);
    fm_memory_destroy(memory);
    fm_pool_destroy(pool);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    for (int m = FM_MEMORY_FULL; m <= FM_MEMORY_COIMBRA; m++) {
        uint64_t expected = run((fm_memory_method)m, 1, -1);
        for (int threads = 1; threads <= 3; threads++) {
            assert_int_equal(run((fm_memory_method)m, threads, -1), expected);
            assert_int_equal(run((fm_memory_method)m, threads, STEPS / 2), expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
