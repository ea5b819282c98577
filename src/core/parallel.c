// SPDX-License-Identifier: MIT
// parallel.c: thread pool that runs loops in blocks, and decides when sharing a loop pays.
//
// Chance decides which thread runs a block. The elements of a block are fixed, and partial sums are
// added in block order. This makes all results bitwise equal for any number of threads.
//
// The caller of a loop gives each thread a share of consecutive blocks. First and last block of a
// share are packed into one 64-bit number, so that one atomic compare-and-swap claims a block. A
// thread reads the loop's task only after it has claimed a block: the loop cannot end before that
// block is done. A thread gets the same part of every loop, which keeps data in its cache. A thread
// that has finished its share steals blocks from other shares. The caller does so too, and then
// waits for claimed blocks only. A worker that the system does not schedule therefore costs
// nothing.
//
// The loops of a cloth take 5 to 100 us, about as long as waking a thread. Workers without work
// therefore spin for a while before they sleep: first without giving up their processor, then
// yielding it to other threads. Each worker adapts how long it spins to how long it lately took
// until work came.
//
// The caller accounts in us whether sharing pays. Time that it works alone while workers sleep adds
// to `alone_time`. When `alone_time` exceeds `wake_after`, the caller wakes the workers, and
// `wake_after` doubles until sharing has paid off. About every ms of shared loops the caller closes
// the account. The gain is the time that the workers' blocks would have taken the caller. The loss
// is the time that it waited for workers, and the time in which the system ran other threads in its
// place, because then no processor is to spare. If the balance is too low, the caller works alone
// for ten times the loss, up to WAKE_AFTER_MAX. This aims to keep the cost on a busy machine near a
// tenth.
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

// Times in us.
enum {
    WORTH_SHARING = 90, // a loop that takes one thread less than this is not shared
    // smallest and largest value of `wake_after`, the work done alone before workers are woken
    WAKE_AFTER_MIN = 100,
    WAKE_AFTER_MAX = 100000,
    WAKE_COST = 20,      // time the caller loses when it wakes the workers
    BALANCE_MAX = 200,   // largest balance of time gained less time lost by sharing
    BALANCE_MIN = -200,  // below this balance the caller stops sharing loops
    ACCOUNT_TIME = 1000, // gain and loss by sharing are summed over at least this time
    ACCOUNT_GAP = 200,   // a longer gap between two loops begins a new sum
    ALONE_PER_LOSS = 10, // after a loss by sharing, the caller works alone for this many times it
    // how long a worker spins for work before it sleeps: least, at first, most
    SPIN_MIN = 10,
    SPIN_FIRST = 50,
    SPIN_MAX = 200,
    CALLER_SPIN = 50, // how long the caller spins for its workers before it sleeps
};

// Time spent in loops that were shared with workers since `start`. Times in us.
typedef struct account {
    double start, last; // wall clock at the beginning of the account and at its last loop
    double cpu;         // processor time of the caller at the beginning
    double own;         // time the caller spent in blocks
    double waited;      // time the caller waited for workers
    int own_blocks;     // blocks that the caller ran
    int other_blocks;   // blocks that workers ran
} account;

// The unclaimed blocks of one thread's share, first to last - 1, packed as last << 32 | first.
typedef struct share {
    _Alignas(CACHE_LINE) _Atomic uint64_t blocks;
} share;

struct fm_pool {
    int thread_count;
    fm_block_runner *run; // runs the blocks of a loop: run_on_workers, or the host's runner
    void *host;           // first argument of `run`

    _Alignas(CACHE_LINE) atomic_int unfinished; // blocks of the current loop that are not done
    _Alignas(CACHE_LINE) fm_block_task *task;   // current loop; read after claiming a block only
    void *context;
    int spinning_count;        // workers that have a processor of their own; only these spin
    atomic_int sleeping_count; // sleeping workers among the spinning_count
    atomic_bool caller_sleeps;
    atomic_bool in_use; // a loop is running

    pthread_mutex_t mutex;   // guards the members from here to `started`
    pthread_cond_t woken;    // the caller wakes the workers
    pthread_cond_t finished; // a worker finished the last block of a loop
    uint64_t wake_count;     // how often the caller has woken the workers
    bool quit;
    int started; // workers that have begun to run

    // the caller's account, us
    _Alignas(CACHE_LINE) bool alone; // the caller runs its loops alone at present
    double alone_time;               // work done alone since the workers were last woken
    double wake_after;               // value of `alone_time` at which the caller wakes the workers
    double balance;                  // time gained by sharing less time lost
    account account;

    int worker_count;
    pthread_t workers[MAX_THREADS - 1];
    share shares[MAX_THREADS]; // shares[0] is the caller's
};

// Wall clock, us.
static double now_us(void)
{
    return 1e3 * fm_clock_now_ms();
}

// Processor time of the calling thread, in us.
static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

// Tells the processor that the thread is spinning.
static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// True if a thread's share of the current loop has blocks that nobody has claimed.
static bool has_unclaimed_blocks(share *of)
{
    uint64_t blocks = atomic_load_explicit(&of->blocks, memory_order_relaxed);
    return (uint32_t)blocks < blocks >> 32;
}

// True if the current loop has blocks that no thread has claimed.
static bool any_share_has_blocks(fm_pool *pool)
{
    for (int i = 0; i < pool->thread_count; i++) {
        if (has_unclaimed_blocks(&pool->shares[i]))
            return true;
    }
    return false;
}

// Claims a block of a share and returns its number, or -1 if the share is empty. The owner of the
// share takes its first block, a thread that steals takes its last.
static int claim_block(share *of, bool is_owner)
{
    const uint64_t one_from_end = (uint64_t)1 << 32; // the end of the range is in the high half
    uint64_t blocks = atomic_load_explicit(&of->blocks, memory_order_relaxed);
    while ((uint32_t)blocks < blocks >> 32) {
        uint64_t rest = is_owner ? blocks + 1 : blocks - one_from_end;
        if (atomic_compare_exchange_weak_explicit(&of->blocks, &blocks, rest, memory_order_acquire,
                                                  memory_order_relaxed))
            return (int)(is_owner ? (uint32_t)blocks : (rest >> 32));
    }
    return -1;
}

// Claims a block for a thread, from its own share if possible, otherwise from another. Returns -1
// when none is left.
static int claim_block_for(fm_pool *pool, int thread)
{
    int threads = pool->thread_count;
    int block = claim_block(&pool->shares[thread], true);
    for (int i = 1; i < threads && block < 0; i++)
        block = claim_block(&pool->shares[(thread + i) % threads], false);
    return block;
}

// A worker runs blocks of the current loop until none is left, and signals a waiting caller.
static void run_claimed_blocks(fm_pool *pool, int thread)
{
    int taken = 0;
    for (int block; (block = claim_block_for(pool, thread)) >= 0; taken++)
        pool->task(pool->context, block);
    if (taken == 0)
        return;
    // after the subtraction the caller may begin another loop
    if (atomic_fetch_sub(&pool->unfinished, taken) == taken && atomic_load(&pool->caller_sleeps)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->finished);
        pthread_mutex_unlock(&pool->mutex);
    }
}

// A worker spins until there is work, for at most `time` us. Returns the us waited, or -1 if no
// work came.
static double spin_for_work(fm_pool *pool, int thread, double time)
{
    enum { PAUSES = 64 }; // looks at its own share between two readings of the clock
    double start = now_us(), waited = 0;
    while (waited < time) {
        for (int i = 0; i < PAUSES; i++) {
            if (has_unclaimed_blocks(&pool->shares[thread]))
                return waited;
            pause_briefly();
        }
        if (any_share_has_blocks(pool))
            return waited;
        if (waited > SPIN_MIN)
            sched_yield();
        waited = now_us() - start;
    }
    return -1;
}

// A worker sleeps until the caller wakes the workers. spins: this worker has a processor of its own
// and is counted in sleeping_count while it sleeps. wake_count: number of the last wake-up it saw.
// Returns false when the pool is being destroyed.
static bool sleep_until_woken(fm_pool *pool, bool spins, uint64_t *wake_count)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleeping_count, spins);
    while (pool->wake_count == *wake_count && !pool->quit)
        pthread_cond_wait(&pool->woken, &pool->mutex);
    atomic_fetch_sub(&pool->sleeping_count, spins);
    *wake_count = pool->wake_count;
    bool quit = pool->quit;
    pthread_mutex_unlock(&pool->mutex);
    return !quit;
}

// Main function of a worker thread: sleeps, and once woken alternates between running blocks and
// spinning for more, until spinning was in vain. It spins for at least four times the last wait.
static void *run_worker(void *argument)
{
    enum { RETRY = 16 }; // after this many vain spins one lasts SPIN_MAX again
    fm_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    int thread = ++pool->started;
    pthread_mutex_unlock(&pool->mutex);
    bool spins = thread <= pool->spinning_count;
    uint64_t wake_count = 0;
    int failures = 0;
    double spin_time = SPIN_FIRST; // us
    while (sleep_until_woken(pool, spins, &wake_count)) {
        double waited = 0;
        while (waited >= 0) {
            run_claimed_blocks(pool, thread);
            waited = spins ? spin_for_work(pool, thread, spin_time) : -1;
            spin_time = fmin(fmax(spin_time, 4 * waited), SPIN_MAX);
        }
        // halve the time after spinning in vain
        spin_time = ++failures % RETRY ? fmax(spin_time / 2, SPIN_MIN) : SPIN_MAX;
    }
    return NULL;
}

// Wakes the sleeping workers. That costs the caller WAKE_COST, and the next time it waits twice as
// long before it does so, until sharing has paid off.
static void wake_workers(fm_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->wake_count++;
    pthread_cond_broadcast(&pool->woken);
    pthread_mutex_unlock(&pool->mutex);
    pool->balance -= WAKE_COST;
    pool->alone_time = 0;
    pool->wake_after = fmin(2 * pool->wake_after, WAKE_AFTER_MAX);
}

// The caller runs blocks alone, from block 0 on, until it has worked alone for `wake_after` us
// since the workers were last woken. Returns how many blocks it ran.
static int work_alone(fm_pool *pool, int block_count, fm_block_task *task, void *context)
{
    int done = 0;
    double last = now_us();
    while (done < block_count && pool->alone) {
        task(context, done++);
        double now = now_us();
        pool->alone_time += now - last;
        last = now;
        pool->alone = pool->alone_time < pool->wake_after;
    }
    return done;
}

// The caller runs blocks of a shared loop until none is left, and wakes sleeping workers when that
// pays. last: wall clock at the start, us. Returns how many blocks it ran.
static int work_as_caller(fm_pool *pool, double last)
{
    int taken = 0;
    for (int block; (block = claim_block_for(pool, 0)) >= 0; taken++) {
        pool->task(pool->context, block);
        if (atomic_load_explicit(&pool->sleeping_count, memory_order_relaxed) == 0)
            continue;
        double now = now_us();
        pool->alone_time += now - last;
        last = now;
        if (pool->alone_time > pool->wake_after && any_share_has_blocks(pool))
            wake_workers(pool);
    }
    return taken;
}

// The caller waits until the workers have finished their blocks: spins for CALLER_SPIN us, then
// sleeps. since: wall clock at which it ran out of blocks, us.
static void wait_for_workers(fm_pool *pool, double since)
{
    enum { PAUSES = 32 }; // tests between two readings of the clock
    while (now_us() - since < CALLER_SPIN) {
        for (int i = 0; i < PAUSES; i++) {
            if (atomic_load_explicit(&pool->unfinished, memory_order_acquire) == 0)
                return;
            pause_briefly();
        }
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->caller_sleeps, true);
    while (atomic_load(&pool->unfinished) > 0)
        pthread_cond_wait(&pool->finished, &pool->mutex);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

// Begins a new sum of the time gained and lost by sharing, after a long gap between loops.
static void open_account(fm_pool *pool, double now)
{
    if (pool->account.start == 0 || now - pool->account.last > ACCOUNT_GAP)
        pool->account = (account){.start = now, .cpu = cpu_us()};
}

// After ACCOUNT_TIME, adds time gained and lost by sharing to the balance and decides whether to go
// on sharing loops. Gained: the time that the workers' blocks would have taken the caller. Lost:
// the time it waited for workers, and the time in which the system ran other threads in its place.
static void close_account(fm_pool *pool, double now)
{
    account *sums = &pool->account;
    sums->last = now;
    if (now - sums->start < ACCOUNT_TIME)
        return;
    double cpu = cpu_us();
    double preempted = fmax(0, now - sums->start - (cpu - sums->cpu) - sums->waited);
    double per_block = sums->own_blocks ? fmax(0, sums->own - preempted) / sums->own_blocks : 0;
    double gain = per_block * sums->other_blocks;
    pool->balance = fmin(pool->balance + gain - sums->waited - preempted, (double)BALANCE_MAX);
    *sums = (account){.start = now, .cpu = cpu, .last = now};
    if (pool->balance >= BALANCE_MAX)
        pool->wake_after = WAKE_AFTER_MIN;
    if (pool->balance >= BALANCE_MIN)
        return;
    pool->wake_after =
        fmin(fmax(2 * pool->wake_after, -ALONE_PER_LOSS * pool->balance), WAKE_AFTER_MAX);
    pool->balance = pool->alone_time = sums->start = 0;
    pool->alone = true;
}

// Offers a loop to all threads: divides its blocks from `first` on among their shares.
static void publish_loop(fm_pool *pool, int first, int block_count, fm_block_task *task,
                         void *context)
{
    int threads = pool->thread_count, offered = block_count - first;
    pool->task = task;
    pool->context = context;
    atomic_store_explicit(&pool->unfinished, offered, memory_order_relaxed);
    // when the blocks do not divide evenly, the first threads get one more
    for (int i = threads - 1; i >= 0; i--) {
        int begin =
            first + i * (offered / threads) + (i < offered % threads ? i : offered % threads);
        uint64_t from = (uint64_t)begin;
        uint64_t to = from + (uint64_t)(offered / threads + (i < offered % threads));
        atomic_store_explicit(&pool->shares[i].blocks, to << 32 | from, memory_order_release);
    }
}

// Runs the blocks of a loop from `first` on together with the workers, and accounts the time.
static void work_shared(fm_pool *pool, int first, int block_count, fm_block_task *task,
                        void *context)
{
    int offered = block_count - first;
    publish_loop(pool, first, block_count, task, context);
    double start = now_us();
    open_account(pool, start);
    int taken = work_as_caller(pool, start);
    double middle = now_us(), end = middle;
    if (atomic_fetch_sub(&pool->unfinished, taken) > taken) {
        wait_for_workers(pool, middle);
        end = now_us();
    }
    pool->account.own += middle - start;
    pool->account.waited += end - middle;
    pool->account.own_blocks += taken;
    pool->account.other_blocks += offered - taken;
    close_account(pool, end);
}

// Runs all blocks of a loop on the calling thread.
static void run_in_order(int block_count, fm_block_task *task, void *context)
{
    for (int block = 0; block < block_count; block++)
        task(context, block);
}

// Block runner of the pool's own threads. A nested loop, inside a block of another loop, runs on
// the thread that reaches it.
static void run_on_workers(void *host, int block_count, fm_block_task *task, void *context)
{
    fm_pool *pool = host;
    if (pool->worker_count == 0 || atomic_exchange(&pool->in_use, true)) {
        run_in_order(block_count, task, context);
        return;
    }
    int done = pool->alone ? work_alone(pool, block_count, task, context) : 0;
    if (done < block_count)
        work_shared(pool, done, block_count, task, context);
    atomic_store(&pool->in_use, false);
}

// Processors of this machine that are online, 1 to MAX_THREADS.
int fm_pool_processor_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int)count;
}

// Creates a pool without worker threads. Returns NULL and fills err on failure.
static fm_pool *create_pool(int thread_count, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (thread_count < 1 || thread_count > MAX_THREADS) {
        fm_fail_number(err, "threads", "count", thread_count, "1 to 256");
        return NULL;
    }
    fm_pool *pool = fm_aligned_calloc(1, sizeof *pool);
    if (!pool) {
        fm_fail_no_memory(err, "threads", sizeof *pool);
        return NULL;
    }
    pool->thread_count = thread_count;
    pool->wake_after = WAKE_AFTER_MIN;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->woken, NULL);
    pthread_cond_init(&pool->finished, NULL);
    return pool;
}

// Creates a pool of threads. If the system gives fewer than asked for, results are the same, only
// later.
fm_pool *fm_pool_create(int thread_count, fm_error *err)
{
    fm_pool *pool = create_pool(thread_count, err);
    if (!pool)
        return NULL;
    pool->run = run_on_workers;
    pool->host = pool;
    pool->spinning_count = fm_pool_processor_count() - 1;
    while (pool->worker_count < thread_count - 1 &&
           pthread_create(&pool->workers[pool->worker_count], NULL, run_worker, pool) == 0)
        pool->worker_count++;
    return pool;
}

// Creates a pool that runs its blocks through the task system of the host program.
fm_pool *fm_pool_create_hosted(fm_block_runner *run, void *host, int thread_count, fm_error *err)
{
    fm_pool *pool = create_pool(thread_count, err);
    if (!pool)
        return NULL;
    pool->run = run;
    pool->host = host;
    return pool;
}

// Ends the worker threads and frees the pool.
void fm_pool_destroy(fm_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->woken);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->worker_count; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->woken);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

// Threads that share a loop, the calling thread included; 1 without a pool.
int fm_pool_thread_count(const fm_pool *pool)
{
    return pool ? pool->thread_count : 1;
}

// Number of blocks of block_size elements that hold `count` elements.
int fm_parallel_block_count(int count, int block_size)
{
    assert(count >= 0 && block_size > 0);
    return count / block_size + (count % block_size != 0);
}

// The pool if a loop that takes one thread `ns` nanoseconds is worth sharing, otherwise NULL.
fm_pool *fm_pool_if_worthwhile(fm_pool *pool, double ns)
{
    return ns >= 1e3 * WORTH_SHARING ? pool : NULL; // WORTH_SHARING is in us
}

// Runs task(context, block) for all blocks, on the pool if there are several threads and blocks.
static void run_blocks(fm_pool *pool, int block_count, fm_block_task *task, void *context)
{
    if (pool && pool->thread_count > 1 && block_count > 1) {
        pool->run(pool->host, block_count, task, context);
        return;
    }
    run_in_order(block_count, task, context);
}

// A loop over count elements in blocks of block_size.
typedef struct range_job {
    fm_range_body *body; // called for each block, or
    fm_range_sum *sum;   // returns the partial sum of each block
    void *context;       // first argument of body or sum
    double *partial;     // [block] partial sums
    int count, block_size;
} range_job;

// Range of elements [first, last) of a block.
static void block_range(const range_job *job, int block, int *first, int *last)
{
    *first = block * job->block_size;
    *last = job->count - *first > job->block_size ? *first + job->block_size : job->count;
}

// Task of a thread: calls the body of the loop for one block.
static void run_range(void *context, int block)
{
    const range_job *job = context;
    int first, last;
    block_range(job, block, &first, &last);
    job->body(job->context, first, last);
}

// Task of a thread: computes the partial sum of one block.
static void sum_range(void *context, int block)
{
    const range_job *job = context;
    int first, last;
    block_range(job, block, &first, &last);
    job->partial[block] = job->sum(job->context, first, last);
}

// Calls body(context, first, last) for each block of block_size elements of [0, count).
void fm_parallel_for(fm_pool *pool, int count, int block_size, fm_range_body *body, void *context)
{
    range_job job = {.body = body, .context = context, .count = count, .block_size = block_size};
    run_blocks(pool, fm_parallel_block_count(count, block_size), run_range, &job);
}

// Sums body(context, first, last) over all blocks, in block order. partial: scratch, one number per
// block.
double fm_parallel_sum(fm_pool *pool, int count, int block_size, fm_range_sum *body, void *context,
                       double *partial)
{
    range_job job = {.sum = body,
                     .context = context,
                     .partial = partial,
                     .count = count,
                     .block_size = block_size};
    int block_count = fm_parallel_block_count(count, block_size);
    run_blocks(pool, block_count, sum_range, &job);
    double total = 0;
    for (int block = 0; block < block_count; block++)
        total += partial[block];
    return total;
}
