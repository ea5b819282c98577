// SPDX-License-Identifier: MIT
// parallel.c: a few threads that wait on a condition variable and take blocks of work.
//
// Which thread takes which block is left to chance; which elements make a block is not, and sums
// are added in the order of the blocks. That is all it takes for the same bits with any number of
// threads.
#include "core/core.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_THREADS = 256 };

struct fm_pool {
    int thread_count;
    fm_run_blocks *run; // how a set of blocks is run: our own threads, or the host's
    void *host;

    pthread_mutex_t mutex; // guards what follows, but for next_block
    pthread_cond_t work_ready;
    pthread_cond_t work_done;
    uint64_t job; // counts the jobs handed out
    int busy;     // helpers still inside the current job
    bool quit;
    int block_count;
    fm_block_task *task;
    void *context;
    atomic_int next_block;

    int helper_count;
    pthread_t helpers[MAX_THREADS - 1];
};

static void take_blocks(fm_pool *pool, int block_count, fm_block_task *task, void *context)
{
    for (;;) {
        int block = atomic_fetch_add_explicit(&pool->next_block, 1, memory_order_relaxed);
        if (block >= block_count)
            return;
        task(context, block);
    }
}

static void *help(void *argument)
{
    fm_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->job == seen && !pool->quit)
            pthread_cond_wait(&pool->work_ready, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->job;
        int block_count = pool->block_count;
        fm_block_task *task = pool->task;
        void *context = pool->context;
        pthread_mutex_unlock(&pool->mutex);
        take_blocks(pool, block_count, task, context);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->work_done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void run_on_helpers(void *host, int block_count, fm_block_task *task, void *context)
{
    fm_pool *pool = host;
    pthread_mutex_lock(&pool->mutex);
    pool->block_count = block_count;
    pool->task = task;
    pool->context = context;
    pool->busy = pool->helper_count;
    pool->job++;
    atomic_store_explicit(&pool->next_block, 0, memory_order_relaxed);
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);

    take_blocks(pool, block_count, task, context);

    pthread_mutex_lock(&pool->mutex);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->work_done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

static fm_pool *create_empty(int thread_count, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (thread_count < 1 || thread_count > MAX_THREADS) {
        fm_fail_number(err, "threads", "count", thread_count, "1 to 256");
        return NULL;
    }
    fm_pool *pool = calloc(1, sizeof *pool);
    if (!pool) {
        fm_fail_no_memory(err, "threads", sizeof *pool);
        return NULL;
    }
    pool->thread_count = thread_count;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work_ready, NULL);
    pthread_cond_init(&pool->work_done, NULL);
    return pool;
}

fm_pool *fm_pool_create(int thread_count, fm_error *err)
{
    fm_pool *pool = create_empty(thread_count, err);
    if (!pool)
        return NULL;
    pool->run = run_on_helpers;
    pool->host = pool;
    // A system that gives fewer threads than asked for still gives the same results, only later.
    while (pool->helper_count < thread_count - 1 &&
           pthread_create(&pool->helpers[pool->helper_count], NULL, help, pool) == 0)
        pool->helper_count++;
    return pool;
}

fm_pool *fm_pool_create_hosted(fm_run_blocks *run, void *host, int thread_count, fm_error *err)
{
    fm_pool *pool = create_empty(thread_count, err);
    if (!pool)
        return NULL;
    pool->run = run;
    pool->host = host;
    return pool;
}

void fm_pool_destroy(fm_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->helper_count; i++)
        pthread_join(pool->helpers[i], NULL);
    pthread_cond_destroy(&pool->work_done);
    pthread_cond_destroy(&pool->work_ready);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

int fm_pool_thread_count(const fm_pool *pool)
{
    return pool ? pool->thread_count : 1;
}

int fm_block_count(int count, int block_size)
{
    assert(count >= 0 && block_size > 0);
    return count / block_size + (count % block_size != 0);
}

static void run_blocks(fm_pool *pool, int block_count, fm_block_task *task, void *context)
{
    if (pool && pool->thread_count > 1 && block_count > 1) {
        pool->run(pool->host, block_count, task, context);
        return;
    }
    for (int block = 0; block < block_count; block++)
        task(context, block);
}

typedef struct range_job {
    fm_range_body *body;
    fm_range_sum *sum;
    void *context;
    double *partial;
    int count, block_size;
} range_job;

static void block_range(const range_job *job, int block, int *first, int *last)
{
    *first = block * job->block_size;
    *last = job->count - *first > job->block_size ? *first + job->block_size : job->count;
}

static void run_range(void *context, int block)
{
    const range_job *job = context;
    int first, last;
    block_range(job, block, &first, &last);
    job->body(job->context, first, last);
}

static void sum_range(void *context, int block)
{
    const range_job *job = context;
    int first, last;
    block_range(job, block, &first, &last);
    job->partial[block] = job->sum(job->context, first, last);
}

void fm_parallel_for(fm_pool *pool, int count, int block_size, fm_range_body *body, void *context)
{
    range_job job = {.body = body, .context = context, .count = count, .block_size = block_size};
    run_blocks(pool, fm_block_count(count, block_size), run_range, &job);
}

double fm_parallel_sum(fm_pool *pool, int count, int block_size, fm_range_sum *body, void *context,
                       double *partial)
{
    range_job job = {.sum = body,
                     .context = context,
                     .partial = partial,
                     .count = count,
                     .block_size = block_size};
    int block_count = fm_block_count(count, block_size);
    run_blocks(pool, block_count, sum_range, &job);
    double total = 0;
    for (int block = 0; block < block_count; block++)
        total += partial[block];
    return total;
}
