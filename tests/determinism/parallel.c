// SPDX-License-Identifier: MIT
// parallel.c: loops and sums give the same bits without a pool, with a pool of 1 to 5 threads, and
// with the task system of a host.
#include "check.h"
#include "core/core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// elements of a loop; elements per parallel block; how often run_and_hash runs each loop
enum { COUNT = 100003, BLOCK = 1000, RUNS = 50 };

// Input and output of the tested loops.
typedef struct work {
    double *in, *out;
    atomic_int visits; // number of elements computed by all loops
} work;

// The body of a parallel loop: computes out from in for the elements first to last - 1.
static void fill_range(void *context, int first, int last)
{
    work *w = context;
    atomic_fetch_add(&w->visits, last - first);
    for (int i = first; i < last; i++)
        w->out[i] = sin(w->in[i]) * i;
}

// The body of a parallel sum: the sum of out over the elements first to last - 1.
static double sum_range(void *context, int first, int last)
{
    work *w = context;
    double total = 0;
    for (int i = first; i < last; i++)
        total += w->out[i];
    return total;
}

// A task system of a host program that counts its calls in *host and runs the blocks in reverse
// order: results must not depend on the order.
static void run_on_host(void *host, int block_count, fm_block_task *task, void *context)
{
    ++*(int *)host;
    for (int block = block_count - 1; block >= 0; block--)
        task(context, block);
}

// Hash of the results of RUNS loops and sums. pool: the threads, NULL for none.
static uint64_t run_and_hash(fm_pool *pool)
{
    work w = {.in = malloc(COUNT * sizeof(double)), .out = malloc(COUNT * sizeof(double))};
    double *partial = malloc((size_t)fm_parallel_block_count(COUNT, BLOCK) * sizeof *partial);
    fm_rng rng = {7};
    for (int i = 0; i < COUNT; i++)
        w.in[i] = fm_rng_uniform(&rng) * 10;
    double total = 0;
    for (int run = 0; run < RUNS; run++) {
        fm_parallel_for(pool, COUNT, BLOCK, fill_range, &w);
        total += fm_parallel_sum(pool, COUNT, BLOCK, sum_range, &w, partial);
    }
    assert_int_equal(w.visits, RUNS * COUNT);
    uint64_t hash = fm_hash(w.out, COUNT * sizeof(double), fm_hash(&total, sizeof total, 0));
    free(w.in);
    free(w.out);
    free(partial);
    return hash;
}

static void loops_and_sums_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t expected = run_and_hash(NULL);
    for (int threads = 1; threads <= 5; threads++) {
        fm_error err = {0};
        fm_pool *pool = fm_pool_create(threads, &err);
        assert_non_null(pool);
        assert_int_equal(fm_pool_thread_count(pool), threads);
        assert_int_equal(run_and_hash(pool), expected);
        fm_pool_destroy(pool);
    }
    int host_calls = 0;
    fm_error err = {0};
    fm_pool *hosted = fm_pool_create_hosted(run_on_host, &host_calls, 4, &err);
    assert_int_equal(run_and_hash(hosted), expected);
    assert_int_equal(host_calls, 2 * RUNS); // one for each loop and each sum
    fm_pool_destroy(hosted);
}

// A parallel loop inside the blocks of a parallel loop.
typedef struct nested_loop {
    fm_pool *pool;
    atomic_int *visits; // [NEST * NEST] how often each pair (outer, inner) was visited
    int row;            // element of the outer loop
} nested_loop;

enum { NEST = 40 }; // elements of the outer and of the inner loop

// The inner loop: counts a visit of each of its elements.
static void visit_inner(void *context, int first, int last)
{
    nested_loop *n = context;
    for (int i = first; i < last; i++)
        atomic_fetch_add(&n->visits[n->row * NEST + i], 1);
}

// The outer loop: runs an inner loop for each of its elements.
static void visit_outer(void *context, int first, int last)
{
    nested_loop inner = *(nested_loop *)context;
    for (inner.row = first; inner.row < last; inner.row++)
        fm_parallel_for(inner.pool, NEST, 3, visit_inner, &inner);
}

static void nested_loops_visit_every_element_once(void **state)
{
    (void)state;
    enum { RUNS_OF_OUTER = 200 };
    atomic_int *visits = calloc((size_t)NEST * NEST, sizeof *visits);
    fm_error err = {0};
    nested_loop n = {.pool = fm_pool_create(3, &err), .visits = visits};
    for (int run = 0; run < RUNS_OF_OUTER; run++)
        fm_parallel_for(n.pool, NEST, 1, visit_outer, &n);
    for (int i = 0; i < NEST * NEST; i++)
        assert_int_equal(visits[i], RUNS_OF_OUTER);
    fm_pool_destroy(n.pool);
    free(visits);
}

// Values that each loop advances by one step. They are right only if every loop visits every
// element once and is complete when it returns, whether the worker threads spin, fall asleep, wake
// up, or wait for a processor.
typedef struct recurrence {
    double value[64];
    int loop; // number of the current loop
} recurrence;

// One step of the recurrence for the values first to last - 1.
static void advance_range(void *context, int first, int last)
{
    recurrence *c = context;
    for (int i = first; i < last; i++)
        c->value[i] = c->value[i] * 0.5 + c->loop + i;
}

// Keeps this thread busy for `ms` milliseconds.
static void spin(double ms)
{
    for (double start = fm_clock_now_ms(); fm_clock_now_ms() - start < ms;)
        ;
}

// Runs `loops` short loops of 2 to 63 elements in blocks of 1 to 3. Every 1000th loop is followed
// by a pause of 0.02 ms, in which idle workers are about to fall asleep, and every 5000th by one of
// 1 ms, in which they do.
static void run_short_loops(fm_pool *pool, int loops, recurrence *c)
{
    memset(c, 0, sizeof *c);
    for (c->loop = 0; c->loop < loops; c->loop++) {
        fm_parallel_for(pool, 2 + c->loop % 62, 1 + c->loop % 3, advance_range, c);
        if (c->loop % 1000 == 999)
            spin(c->loop % 5000 == 4999 ? 1 : 0.02);
    }
}

static void many_short_loops_give_the_same_values(void **state)
{
    (void)state;
    enum { LOOPS = 20000 };
    recurrence expected, found;
    run_short_loops(NULL, LOOPS, &expected);
    for (int threads = 2; threads <= 16; threads *= 2) {
        fm_error err = {0};
        fm_pool *pool = fm_pool_create(threads, &err);
        run_short_loops(pool, LOOPS, &found);
        fm_pool_destroy(pool);
        assert_memory_equal(found.value, expected.value, sizeof found.value);
    }
}

// The body of a parallel loop that keeps a thread busy for 0.02 ms per element and counts the
// elements in *context.
static void spin_and_count(void *context, int first, int last)
{
    for (int i = first; i < last; i++)
        spin(0.02);
    atomic_fetch_add((atomic_int *)context, last - first);
}

static void pools_with_more_threads_than_processors_run_every_block(void **state)
{
    (void)state;
    fm_error err = {0};
    enum { POOLS = 4, THREADS = 8, LOOPS = 200, ELEMENTS = 16 };
    fm_pool *pools[POOLS];
    for (int i = 0; i < POOLS; i++)
        pools[i] = fm_pool_create(THREADS, &err);
    atomic_int done = 0;
    for (int loop = 0; loop < LOOPS; loop++)
        fm_parallel_for(pools[loop % POOLS], ELEMENTS, 1, spin_and_count, &done);
    assert_int_equal(done, LOOPS * ELEMENTS);
    for (int i = 0; i < POOLS; i++)
        fm_pool_destroy(pools[i]);
}

static void pools_can_be_created_and_destroyed_with_or_without_work(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        fm_error err = {0};
        fm_pool *pool = fm_pool_create(4, &err);
        atomic_int done = 0;
        bool works = i % 2;
        if (works)
            fm_parallel_for(pool, 8, 1, spin_and_count, &done);
        fm_pool_destroy(pool);
        assert_int_equal(done, works ? 8 : 0);
    }
}

// Whether threads share a loop depends only on its estimated work, ns.
static void work_below_the_limit_is_not_shared(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_pool *pool = fm_pool_create(2, &err);
    assert_null(fm_pool_if_worthwhile(pool, 1e3));
    assert_ptr_equal(fm_pool_if_worthwhile(pool, 1e6), pool);
    assert_null(fm_pool_if_worthwhile(NULL, 1e6));
    assert_in_range(fm_pool_processor_count(), 1, 256);
    fm_pool_destroy(pool);
}

static void empty_loops_and_bad_thread_counts_are_handled(void **state)
{
    (void)state;
    assert_int_equal(fm_parallel_block_count(0, 8), 0);
    assert_int_equal(fm_parallel_block_count(8, 8), 1);
    assert_int_equal(fm_parallel_block_count(9, 8), 2);
    assert_int_equal(fm_parallel_block_count(INT32_MAX, 2), 1 << 30);
    assert_int_equal(fm_pool_thread_count(NULL), 1);
    work w = {0};
    fm_parallel_for(NULL, 0, 8, fill_range, &w);
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
        cmocka_unit_test(loops_and_sums_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(empty_loops_and_bad_thread_counts_are_handled),
        cmocka_unit_test(nested_loops_visit_every_element_once),
        cmocka_unit_test(many_short_loops_give_the_same_values),
        cmocka_unit_test(pools_with_more_threads_than_processors_run_every_block),
        cmocka_unit_test(pools_can_be_created_and_destroyed_with_or_without_work),
        cmocka_unit_test(work_below_the_limit_is_not_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
