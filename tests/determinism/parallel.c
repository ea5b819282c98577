// SPDX-License-Identifier: MIT
// Loops and sums give the same bits on 1, 2, 3 threads, on the host's own, and on none.
#include "check.h"
#include "core/core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100003, BLOCK = 1000 };

typedef struct work {
    double *in, *out;
    atomic_int visits;
} work;

static void body(void *context, int first, int last)
{
    work *w = context;
    atomic_fetch_add(&w->visits, last - first);
    for (int i = first; i < last; i++)
        w->out[i] = sin(w->in[i]) * i;
}

static double sum(void *context, int first, int last)
{
    work *w = context;
    double total = 0;
    for (int i = first; i < last; i++)
        total += w->out[i];
    return total;
}

static void host_run(void *host, int block_count, fm_block_task *task, void *context)
{
    ++*(int *)host;
    for (int block = block_count - 1; block >= 0; block--) // backwards: any order must do
        task(context, block);
}

static uint64_t run(fm_pool *pool)
{
    work w = {.in = malloc(COUNT * sizeof(double)), .out = malloc(COUNT * sizeof(double))};
    double *partial = malloc((size_t)fm_block_count(COUNT, BLOCK) * sizeof *partial);
    fm_rng rng = {7};
    for (int i = 0; i < COUNT; i++)
        w.in[i] = fm_rng_uniform(&rng) * 10;
    double total = 0;
    for (int turn = 0; turn < 50; turn++) {
        fm_parallel_for(pool, COUNT, BLOCK, body, &w);
        total += fm_parallel_sum(pool, COUNT, BLOCK, sum, &w, partial);
    }
    assert_int_equal(w.visits, 50 * COUNT);
    uint64_t hash = fm_hash(w.out, COUNT * sizeof(double), fm_hash(&total, sizeof total, 0));
    free(w.in);
    free(w.out);
    free(partial);
    return hash;
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    uint64_t expected = run(NULL);
    for (int threads = 1; threads <= 5; threads++) {
        fm_error err = {0};
        fm_pool *pool = fm_pool_create(threads, &err);
        assert_non_null(pool);
        assert_int_equal(fm_pool_thread_count(pool), threads);
        assert_int_equal(run(pool), expected);
        fm_pool_destroy(pool);
    }
    int runs = 0;
    fm_error err = {0};
    fm_pool *hosted = fm_pool_create_hosted(host_run, &runs, 4, &err);
    assert_int_equal(run(hosted), expected);
    assert_int_equal(runs, 100);
    fm_pool_destroy(hosted);
}

static void odd_sizes(void **state)
{
    (void)state;
    assert_int_equal(fm_block_count(0, 8), 0);
    assert_int_equal(fm_block_count(8, 8), 1);
    assert_int_equal(fm_block_count(9, 8), 2);
    assert_int_equal(fm_block_count(INT32_MAX, 2), 1 << 30);
    assert_int_equal(fm_pool_thread_count(NULL), 1);
    work w = {0};
    fm_parallel_for(NULL, 0, 8, body, &w);
    assert_int_equal(w.visits, 0);
    fm_error err = {0};
    assert_null(fm_pool_create(0, &err));
    assert_string_equal(err.field, "count");
    assert_null(fm_pool_create(1, &err));
    err = (fm_error){0};
    assert_null(fm_pool_create(257, &err));
    fm_pool_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(odd_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
