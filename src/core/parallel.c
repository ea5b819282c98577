// SPDX-License-Identifier: MIT
// parallel.c: a few threads that take blocks of work, and when it pays to have them do so.
//
// Which thread takes which block is left to chance; which elements make a block is not, and sums
// are added in the order of the blocks. That is all it takes for the same bits with any number of
// threads.
//
// A loop is offered by giving each thread a share of its blocks: first and last in one number, so
// that one atomic step claims a block. Only who has claimed one reads what the loop is: it cannot
// end before that block is done. Shares are the same parts of every loop, which keeps data in the
// cache of its thread. Who has done its own share goes on with those of others. The caller does
// too, and waits for claimed blocks only, so a helper that the system does not let run costs
// nothing.
//
// Loops of a cloth take 5 to 100 us, about as long as waking a thread. So helpers that have run out
// of work look for more for a while before they sleep, first without giving up their processor,
// then yielding it to anybody who wants it. They look no longer than has lately been worth while.
//
// The caller keeps account, in us. Work done alone while helpers sleep is `owed`; when it exceeds
// `patience`, they are called, and patience doubles until calls have paid. About every ms of loops
// done together is closed: what the helpers' blocks would have taken here is saved, what was waited
// for them is lost, and so is the time in which the system ran others instead of the caller, for
// then there is no processor to spare. In the red, the caller works alone for ten times the loss,
// up to MOST_PATIENCE: meant to keep the cost on a busy machine near a tenth.
#include "core/core.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 256, CACHE_LINE = 64 };

// us
enum {
    WORTH_SHARING = 90, // less work than this is not offered to other threads
    LEAST_PATIENCE = 100,
    MOST_PATIENCE = 100000,
    CALL_COST = 20, // of the caller, to wake the helpers
    CREDIT = 200,   // the most that the balance holds
    OVERDRAFT = -200,
    WINDOW = 1000,   // after which the account is closed
    PAUSE = 200,     // between loops: another window begins
    LEAST_LOOK = 10, // how long helpers look for work
    FIRST_LOOK = 50,
    MOST_LOOK = 200,
    CALLER_LOOK = 50, // how long the caller waits before it sleeps
};

// Loops done together since `start`. us.
typedef struct window {
    double start, cpu, last; // of the caller
    double own, waited;      // in blocks, and for those of others
    int own_blocks, other_blocks;
} window;

// Blocks from first on, before last, that nobody has claimed: last << 32 | first.
typedef struct share {
    _Alignas(CACHE_LINE) _Atomic uint64_t blocks;
} share;

struct fm_pool {
    int thread_count;
    fm_run_blocks *run; // how a set of blocks is run: our own threads, or the host's
    void *host;

    _Alignas(CACHE_LINE) atomic_int unfinished; // blocks of the loop on offer
    _Alignas(CACHE_LINE) fm_block_task *task;   // the loop; for those who have claimed a block
    void *context;
    int looking_count;    // helpers with a processor of their own; others are never missed
    atomic_int asleep;    // of those
    atomic_bool sleeping; // the caller
    atomic_bool in_use;

    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t called;
    pthread_cond_t finished;
    uint64_t calls;
    bool quit;
    int started; // helpers that have begun

    // the caller's account, us
    _Alignas(CACHE_LINE) bool alone;
    double owed, patience, balance;
    window window;

    int helper_count;
    pthread_t helpers[MAX_THREADS - 1];
    share shares[MAX_THREADS]; // the first is the caller's
};

static double now_us(void)
{
    return 1e3 * fm_now_ms();
}

// us that the calling thread has run.
static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool any_left(share *of)
{
    uint64_t blocks = atomic_load_explicit(&of->blocks, memory_order_relaxed);
    return (uint32_t)blocks < blocks >> 32;
}

static bool any_unclaimed(fm_pool *pool)
{
    for (int i = 0; i < pool->thread_count; i++) {
        if (any_left(&pool->shares[i]))
            return true;
    }
    return false;
}

// A block of a share, or -1: the first for its owner, the last for others.
static int claim_block(share *of, bool own)
{
    const uint64_t one_last = (uint64_t)1 << 32;
    uint64_t blocks = atomic_load_explicit(&of->blocks, memory_order_relaxed);
    while ((uint32_t)blocks < blocks >> 32) {
        uint64_t rest = own ? blocks + 1 : blocks - one_last;
        if (atomic_compare_exchange_weak_explicit(&of->blocks, &blocks, rest, memory_order_acquire,
                                                  memory_order_relaxed))
            return (int)(own ? (uint32_t)blocks : (rest >> 32));
    }
    return -1;
}

// A block for thread `who`, of its own share while there are any, or -1.
static int claim_any(fm_pool *pool, int who)
{
    int threads = pool->thread_count;
    int block = claim_block(&pool->shares[who], true);
    for (int i = 1; i < threads && block < 0; i++)
        block = claim_block(&pool->shares[(who + i) % threads], false);
    return block;
}

static void help_out(fm_pool *pool, int who)
{
    int taken = 0;
    for (int block; (block = claim_any(pool, who)) >= 0; taken++)
        pool->task(pool->context, block);
    if (taken == 0)
        return;
    // from here on the loop may be another
    if (atomic_fetch_sub(&pool->unfinished, taken) == taken && atomic_load(&pool->sleeping)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->finished);
        pthread_mutex_unlock(&pool->mutex);
    }
}

// us until there was work, or negative when there was none in that time.
static double look_for_work(fm_pool *pool, int who, double time)
{
    enum { PAUSES = 64 };
    double start = now_us(), waited = 0;
    while (waited < time) {
        for (int i = 0; i < PAUSES; i++) {
            if (any_left(&pool->shares[who]))
                return waited;
            pause_briefly();
        }
        if (any_unclaimed(pool))
            return waited;
        if (waited > LEAST_LOOK)
            sched_yield();
        waited = now_us() - start;
    }
    return -1;
}

// False when the pool is given up.
static bool sleep_until_called(fm_pool *pool, bool missed, uint64_t *calls)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->asleep, missed);
    while (pool->calls == *calls && !pool->quit)
        pthread_cond_wait(&pool->called, &pool->mutex);
    atomic_fetch_sub(&pool->asleep, missed);
    *calls = pool->calls;
    bool quit = pool->quit;
    pthread_mutex_unlock(&pool->mutex);
    return !quit;
}

static void *help(void *argument)
{
    enum { RETRY = 16 };
    fm_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    int who = ++pool->started;
    pthread_mutex_unlock(&pool->mutex);
    bool looks = who <= pool->looking_count;
    uint64_t calls = 0;
    int vain = 0;
    double look = FIRST_LOOK; // us
    while (sleep_until_called(pool, looks, &calls)) {
        double waited = 0;
        while (waited >= 0) {
            help_out(pool, who);
            waited = looks ? look_for_work(pool, who, look) : -1;
            look = fmin(fmax(look, 4 * waited), MOST_LOOK);
        }
        // shorter after looking in vain; at times the longest again, in case that pays now
        look = ++vain % RETRY ? fmax(look / 2, LEAST_LOOK) : MOST_LOOK;
    }
    return NULL;
}

static void call_helpers(fm_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->calls++;
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->mutex);
    pool->balance -= CALL_COST;
    pool->owed = 0;
    pool->patience = fmin(2 * pool->patience, MOST_PATIENCE);
}

// Blocks from the first on until helpers should be tried again; gives how many were done.
static int work_alone(fm_pool *pool, int block_count, fm_block_task *task, void *context)
{
    int done = 0;
    double last = now_us();
    while (done < block_count && pool->alone) {
        task(context, done++);
        double now = now_us();
        pool->owed += now - last;
        last = now;
        pool->alone = pool->owed < pool->patience;
    }
    return done;
}

// The caller's share of the loop on offer; gives how many blocks that was.
static int work_as_caller(fm_pool *pool, double last)
{
    int taken = 0;
    for (int block; (block = claim_any(pool, 0)) >= 0; taken++) {
        pool->task(pool->context, block);
        if (atomic_load_explicit(&pool->asleep, memory_order_relaxed) == 0)
            continue;
        double now = now_us();
        pool->owed += now - last;
        last = now;
        if (pool->owed > pool->patience && any_unclaimed(pool))
            call_helpers(pool);
    }
    return taken;
}

static void wait_for_helpers(fm_pool *pool, double since)
{
    enum { PAUSES = 32 };
    while (now_us() - since < CALLER_LOOK) {
        for (int i = 0; i < PAUSES; i++) {
            if (atomic_load_explicit(&pool->unfinished, memory_order_acquire) == 0)
                return;
            pause_briefly();
        }
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->sleeping, true);
    while (atomic_load(&pool->unfinished) > 0)
        pthread_cond_wait(&pool->finished, &pool->mutex);
    atomic_store(&pool->sleeping, false);
    pthread_mutex_unlock(&pool->mutex);
}

static void open_window(fm_pool *pool, double now)
{
    if (pool->window.start == 0 || now - pool->window.last > PAUSE)
        pool->window = (window){.start = now, .cpu = cpu_us()};
}

static void close_window(fm_pool *pool, double now)
{
    window *w = &pool->window;
    w->last = now;
    if (now - w->start < WINDOW)
        return;
    double cpu = cpu_us();
    double robbed = fmax(0, now - w->start - (cpu - w->cpu) - w->waited);
    double block = w->own_blocks ? fmax(0, w->own - robbed) / w->own_blocks : 0;
    pool->balance =
        fmin(pool->balance + block * w->other_blocks - w->waited - robbed, (double)CREDIT);
    *w = (window){.start = now, .cpu = cpu, .last = now};
    if (pool->balance >= CREDIT)
        pool->patience = LEAST_PATIENCE;
    if (pool->balance >= OVERDRAFT)
        return;
    pool->patience = fmin(fmax(2 * pool->patience, -10 * pool->balance), MOST_PATIENCE);
    pool->balance = pool->owed = w->start = 0;
    pool->alone = true;
}

static void offer(fm_pool *pool, int first, int block_count, fm_block_task *task, void *context)
{
    int threads = pool->thread_count, offered = block_count - first;
    pool->task = task;
    pool->context = context;
    atomic_store_explicit(&pool->unfinished, offered, memory_order_relaxed);
    for (int i = threads - 1; i >= 0; i--) { // what cannot be divided goes to the first ones
        uint64_t from = (uint64_t)(first + i * (offered / threads) +
                                   (i < offered % threads ? i : offered % threads));
        uint64_t to = from + (uint64_t)(offered / threads + (i < offered % threads));
        atomic_store_explicit(&pool->shares[i].blocks, to << 32 | from, memory_order_release);
    }
}

static void work_together(fm_pool *pool, int first, int block_count, fm_block_task *task,
                          void *context)
{
    int offered = block_count - first;
    offer(pool, first, block_count, task, context);
    double start = now_us();
    open_window(pool, start);
    int taken = work_as_caller(pool, start);
    double middle = now_us(), end = middle;
    if (atomic_fetch_sub(&pool->unfinished, taken) > taken) {
        wait_for_helpers(pool, middle);
        end = now_us();
    }
    pool->window.own += middle - start;
    pool->window.waited += end - middle;
    pool->window.own_blocks += taken;
    pool->window.other_blocks += offered - taken;
    close_window(pool, end);
}

static void work_here(int block_count, fm_block_task *task, void *context)
{
    for (int block = 0; block < block_count; block++)
        task(context, block);
}

// A loop inside a block of another is done by the thread that comes to it.
static void run_on_helpers(void *host, int block_count, fm_block_task *task, void *context)
{
    fm_pool *pool = host;
    if (pool->helper_count == 0 || atomic_exchange(&pool->in_use, true)) {
        work_here(block_count, task, context);
        return;
    }
    int done = pool->alone ? work_alone(pool, block_count, task, context) : 0;
    if (done < block_count)
        work_together(pool, done, block_count, task, context);
    atomic_store(&pool->in_use, false);
}

int fm_processor_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int)count;
}

static fm_pool *create_empty(int thread_count, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (thread_count < 1 || thread_count > MAX_THREADS) {
        fm_fail_number(err, "threads", "count", thread_count, "1 to 256");
        return NULL;
    }
    fm_pool *pool = fm_alloc_aligned(1, sizeof *pool);
    if (!pool) {
        fm_fail_no_memory(err, "threads", sizeof *pool);
        return NULL;
    }
    pool->thread_count = thread_count;
    pool->patience = LEAST_PATIENCE;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->called, NULL);
    pthread_cond_init(&pool->finished, NULL);
    return pool;
}

fm_pool *fm_pool_create(int thread_count, fm_error *err)
{
    fm_pool *pool = create_empty(thread_count, err);
    if (!pool)
        return NULL;
    pool->run = run_on_helpers;
    pool->host = pool;
    pool->looking_count = fm_processor_count() - 1;
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
    pthread_cond_broadcast(&pool->called);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->helper_count; i++)
        pthread_join(pool->helpers[i], NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->called);
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

fm_pool *fm_pool_for_work(fm_pool *pool, double ns)
{
    return ns >= 1e3 * WORTH_SHARING ? pool : NULL;
}

static void run_blocks(fm_pool *pool, int block_count, fm_block_task *task, void *context)
{
    if (pool && pool->thread_count > 1 && block_count > 1) {
        pool->run(pool->host, block_count, task, context);
        return;
    }
    work_here(block_count, task, context);
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
