// SPDX-License-Identifier: MIT
// parallel.c: loops and sums give the same bits without a pool, with a pool of 1 to 5 threads, and
// with the task system of a host.
#include "check.h"
#include "core/core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100003, BLOCK = 1000 }; // elements of a loop; elements per parallel block

// Input and output of the tested loops.
typedef struct work {
    double *in, *out;
    atomic_int visits; // number of elements computed by all loops
} work;

// The body of a parallel loop.
static void fill_range(void *context, int first, int last)
{
    work *w = context;
    atomic_fetch_add(&w->visits, last - first);
    for (int i = first; i < last; i++)
        w->out[i] = sin(w->in[i]) * i;
}

// The body of a parallel sum.
static double sum_range(void *context, int first, int last)
{
    work *w = context;
    double total = 0;
    for (int i = first; i < last; i++)
        total += w->out[i];
    return total;
}

// A task system of a host program that counts its calls.
static void run_on_host(void *host, int block_count, fm_block_task *task, void *context)
{
    ++*(int *)host;
    // backwards: results must not depend on the order
    for (int block = block_count - 1; block >= 0; block--)
        task(context, block);
}

// Hash of the results of 50 loops and sums. pool: the threads, NULL for none.
static uint64_t run_and_hash(fm_pool *pool)
{
    work w = {.in = malloc(COUNT * sizeof(double)), .out = malloc(COUNT * sizeof(double))};
    double *partial = malloc((size_t)fm_parallel_block_count(COUNT, BLOCK) * sizeof *partial);
    fm_rng rng = {7};
    for (int i = 0; i < COUNT; i++)
        w.in[i] = fm_rng_uniform(&rng) * 10;
    double total = 0;
    for (int turn = 0; turn < 50; turn++) {
        fm_parallel_for(pool, COUNT, BLOCK, fill_range, &w);
        total += fm_parallel_sum(pool, COUNT, BLOCK, sum_range, &w, partial);
    }
    assert_int_equal(w.visits, 50 * COUNT);
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
    int runs = 0;
    fm_error err = {0};
    fm_pool *hosted = fm_pool_create_hosted(run_on_host, &runs, 4, &err);
    assert_int_equal(run_and_hash(hosted), expected);
    assert_int_equal(runs, 100);
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
    enum { TURNS = 200 };
    atomic_int *visits = calloc((size_t)NEST * NEST, sizeof *visits);
    fm_error err = {0};
    nested_loop n = {.pool = fm_pool_create(3, &err), .visits = visits};
    for (int turn = 0; turn < TURNS; turn++)
        fm_parallel_for(n.pool, NEST, 1, visit_outer, &n);
    for (int i = 0; i < NEST * NEST; i++)
        assert_int_equal(visits[i], TURNS);
    fm_pool_destroy(n.pool);
    free(visits);
}

// Values that each loop advances by one step. They are right only if every loop visits every
// element once and is complete when it returns, whether the worker threads spin, fall asleep, wake
// up, or wait for a processor.
typedef struct recurrence {
    double value[64];
    int turn; // number of the loop
} recurrence;

// One step of the recurrence for the values first to last - 1.
static void advance_range(void *context, int first, int last)
{
    recurrence *c = context;
    for (int i = first; i < last; i++)
        c->value[i] = c->value[i] * 0.5 + c->turn + i;
}

// Keeps this thread busy for `ms` milliseconds.
static void spin(double ms)
{
    for (double start = fm_clock_now_ms(); fm_clock_now_ms() - start < ms;)
        ;
}

// Runs `turns` short loops, with pauses after which worker threads sleep or nearly so.
static void run_short_loops(fm_pool *pool, int turns, recurrence *c)
{
    memset(c, 0, sizeof *c);
    for (c->turn = 0; c->turn < turns; c->turn++) {
        fm_parallel_for(pool, 2 + c->turn % 62, 1 + c->turn % 3, advance_range, c);
        if (c->turn % 1000 == 999)
            spin(c->turn % 5000 == 4999 ? 1 : 0.02); // workers fall asleep, or nearly
    }
}

static void many_short_loops_give_the_same_values(void **state)
{
    (void)state;
    enum { TURNS = 20000 };
    recurrence expected, found;
    run_short_loops(NULL, TURNS, &expected);
    for (int threads = 2; threads <= 16; threads *= 2) {
        fm_error err = {0};
        fm_pool *pool = fm_pool_create(threads, &err);
        run_short_loops(pool, TURNS, &found);
        fm_pool_destroy(pool);
        assert_memory_equal(found.value, expected.value, sizeof found.value);
    }
}

// Keeps busy for 0.02 ms per element and counts the elements.
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
    fm_pool *pools[4];
    for (int i = 0; i < 4; i++)
        pools[i] = fm_pool_create(8, &err);
    atomic_int done = 0;
    for (int turn = 0; turn < 200; turn++)
        fm_parallel_for(pools[turn % 4], 16, 1, spin_and_count, &done);
    assert_int_equal(done, 200 * 16);
    for (int i = 0; i < 4; i++)
        fm_pool_destroy(pools[i]);
}

static void pools_can_be_created_and_destroyed_with_or_without_work(void **state)
{
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        fm_error err = {0};
        fm_pool *pool = fm_pool_create(4, &err);
        atomic_int done = 0;
        if (turn % 2)
            fm_parallel_for(pool, 8, 1, spin_and_count, &done);
        fm_pool_destroy(pool);
        assert_int_equal(done, turn % 2 ? 8 : 0);
    }
}

// Whether a loop is shared among threads depends on its amount of work only.
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
