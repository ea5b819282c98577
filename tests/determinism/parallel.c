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

// Loops inside the blocks of a loop, as deep as they go.
typedef struct nest {
    fm_pool *pool;
    atomic_int *visits; // [NEST * NEST]
    int row;
} nest;

enum { NEST = 40 };

static void visit_inner(void *context, int first, int last)
{
    nest *n = context;
    for (int i = first; i < last; i++)
        atomic_fetch_add(&n->visits[n->row * NEST + i], 1);
}

static void visit_outer(void *context, int first, int last)
{
    nest inner = *(nest *)context;
    for (inner.row = first; inner.row < last; inner.row++)
        fm_parallel_for(inner.pool, NEST, 3, visit_inner, &inner);
}

static void loops_inside_loops(void **state)
{
    (void)state;
    enum { TURNS = 200 };
    atomic_int *visits = calloc((size_t)NEST * NEST, sizeof *visits);
    fm_error err = {0};
    nest n = {.pool = fm_pool_create(3, &err), .visits = visits};
    for (int turn = 0; turn < TURNS; turn++)
        fm_parallel_for(n.pool, NEST, 1, visit_outer, &n);
    for (int i = 0; i < NEST * NEST; i++)
        assert_int_equal(visits[i], TURNS);
    fm_pool_destroy(n.pool);
    free(visits);
}

// Every block once and the loop over when it returns, whatever the helpers are at: looking for
// work, falling asleep, waking, or not let run because there are more of them than processors.
typedef struct chain {
    double value[64];
    int turn;
} chain;

static void pass_on(void *context, int first, int last)
{
    chain *c = context;
    for (int i = first; i < last; i++)
        c->value[i] = c->value[i] * 0.5 + c->turn + i;
}

static void idle(double ms)
{
    for (double start = fm_now_ms(); fm_now_ms() - start < ms;)
        ;
}

static void run_chain(fm_pool *pool, int turns, chain *c)
{
    memset(c, 0, sizeof *c);
    for (c->turn = 0; c->turn < turns; c->turn++) {
        fm_parallel_for(pool, 2 + c->turn % 62, 1 + c->turn % 3, pass_on, c);
        if (c->turn % 1000 == 999)
            idle(c->turn % 5000 == 4999 ? 1 : 0.02); // long enough to fall asleep, or nearly
    }
}

static void many_tiny_loops(void **state)
{
    (void)state;
    enum { TURNS = 20000 };
    chain expected, found;
    run_chain(NULL, TURNS, &expected);
    for (int threads = 2; threads <= 16; threads *= 2) {
        fm_error err = {0};
        fm_pool *pool = fm_pool_create(threads, &err);
        run_chain(pool, TURNS, &found);
        fm_pool_destroy(pool);
        assert_memory_equal(found.value, expected.value, sizeof found.value);
    }
}

static void crowd(void *context, int first, int last)
{
    for (int i = first; i < last; i++)
        idle(0.02);
    atomic_fetch_add((atomic_int *)context, last - first);
}

static void more_threads_than_processors(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_pool *pools[4];
    for (int i = 0; i < 4; i++)
        pools[i] = fm_pool_create(8, &err);
    atomic_int done = 0;
    for (int turn = 0; turn < 200; turn++)
        fm_parallel_for(pools[turn % 4], 16, 1, crowd, &done);
    assert_int_equal(done, 200 * 16);
    for (int i = 0; i < 4; i++)
        fm_pool_destroy(pools[i]);
}

static void pools_that_come_and_go(void **state)
{
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        fm_error err = {0};
        fm_pool *pool = fm_pool_create(4, &err);
        atomic_int done = 0;
        if (turn % 2)
            fm_parallel_for(pool, 8, 1, crowd, &done);
        fm_pool_destroy(pool);
        assert_int_equal(done, turn % 2 ? 8 : 0);
    }
}

// Small work stays on the thread that has it; by its size alone.
static void small_work_stays(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_pool *pool = fm_pool_create(2, &err);
    assert_null(fm_pool_for_work(pool, 1e3));
    assert_ptr_equal(fm_pool_for_work(pool, 1e6), pool);
    assert_null(fm_pool_for_work(NULL, 1e6));
    assert_in_range(fm_processor_count(), 1, 256);
    fm_pool_destroy(pool);
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
        cmocka_unit_test(loops_inside_loops),
        cmocka_unit_test(many_tiny_loops),
        cmocka_unit_test(more_threads_than_processors),
        cmocka_unit_test(pools_that_come_and_go),
        cmocka_unit_test(small_work_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
