// SPDX-License-Identifier: MIT
// core.h: base services of every module: errors, memory arenas, parallel loops, cell lists, files,
// text, hashes, clock, random numbers.
#ifndef FATHOM_CORE_CORE_H
#define FATHOM_CORE_CORE_H

#include <fathom/error.h>
#include <fathom/vec.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_PI 3.14159265358979323846

// The smaller of two numbers. The compiler inlines this and fm_double_max, but not fmin and fmax,
// which must treat NaN specially. Here the result is b when a or b is NaN.
static inline double fm_double_min(double a, double b)
{
    return a < b ? a : b;
}
// The larger of two numbers; b when one of them is NaN.
static inline double fm_double_max(double a, double b)
{
    return a > b ? a : b;
}

// Errors. Each function fills err, unless err holds a failure already, and returns false. object,
// field, value: what was wrong, such as collider "ball", "friction", -1; allowed: the valid range.
bool fm_fail(fm_error *err, fm_status status, const char *object, const char *field,
             const char *value, const char *allowed);
bool fm_fail_number(fm_error *err, const char *object, const char *field, double value,
                    const char *allowed);
bool fm_fail_no_memory(fm_error *err, const char *object, size_t bytes);

// An arena hands out many allocations one by one, zeroed and aligned to 64 bytes, and frees them
// all together.
typedef struct fm_arena {
    struct fm_arena_chunk *newest; // block of memory that allocations are cut from
    size_t used;                   // bytes handed out to callers
    size_t held;                   // bytes taken from the system
} fm_arena;

// Allocates count * size bytes from the arena. Returns NULL with err filled when there is no memory
// left or count * size overflows, and NULL when err already holds a failure. A chain of calls can
// therefore be checked once at its end.
void *fm_arena_alloc(fm_arena *arena, size_t count, size_t size, const char *object, fm_error *err);
void fm_arena_destroy(fm_arena *arena);

// calloc with an alignment of 64 bytes. Release the memory with free(). NULL on failure.
void *fm_aligned_calloc(size_t count, size_t size);

// Parallel loops. Work is cut into blocks of fixed size. Block borders depend on the work only,
// never on the number of threads, and so do the results.
typedef struct fm_pool fm_pool;

// A block runner calls task(context, block) for every block below block_count, in any order and on
// any threads, and returns when all blocks are done.
typedef void fm_block_task(void *context, int block);
typedef void fm_block_runner(void *host, int block_count, fm_block_task *task, void *context);

// Creates a pool of threads. The thread that calls fm_parallel_for counts as one of thread_count.
fm_pool *fm_pool_create(int thread_count, fm_error *err);
// Creates a pool that runs its blocks through the task system of the host program.
fm_pool *fm_pool_create_hosted(fm_block_runner *run, void *host, int thread_count, fm_error *err);
void fm_pool_destroy(fm_pool *pool);
int fm_pool_thread_count(const fm_pool *pool); // 1 if pool is NULL
int fm_pool_processor_count(void);             // processors of this machine, 1 to 256

// Returns the pool if sharing pays for work that takes one thread about `ns` nanoseconds. Returns
// NULL, which stands for the calling thread alone, if the work is too short.
fm_pool *fm_pool_if_worthwhile(fm_pool *pool, double ns);

// Calls body(context, first, last) on the range [first, last) of each block of [0, count). With a
// NULL pool the calling thread runs all blocks in order.
typedef void fm_range_body(void *context, int first, int last);
void fm_parallel_for(fm_pool *pool, int count, int block_size, fm_range_body *body, void *context);

// Sums body(context, first, last) over all blocks, adding the partial sums in block order. The
// caller provides `partial` with room for ceil(count / block_size) values.
typedef double fm_range_sum(void *context, int first, int last);
double fm_parallel_sum(fm_pool *pool, int count, int block_size, fm_range_sum *body, void *context,
                       double *partial);

// ceil(count / block_size).
int fm_parallel_block_count(int count, int block_size);

// Cell list for neighbour search: particles sorted into cubic cells of one size. Cells are hashed
// into buckets, so the region of space is unbounded.
typedef struct fm_cell {
    int x, y, z; // integer coordinates of the cell, in units of the cell size
} fm_cell;

typedef struct fm_cell_list {
    double size;   // m, edge length of a cell
    int capacity;  // largest number of particles
    int mask;      // number of buckets - 1; the number of buckets is a power of two
    int *start;    // [buckets + 1] bucket b holds order[start[b]] to order[start[b + 1] - 1]
    int *order;    // [capacity] particle indices, sorted by bucket, then by index
    int *bucket;   // [capacity] bucket of each particle
    fm_cell *cell; // [capacity] cell of each particle; several cells may share a bucket
} fm_cell_list;

// Allocates a cell list for at most `capacity` particles in the arena.
bool fm_cell_list_create(fm_cell_list *cells, fm_arena *arena, int capacity, fm_error *err);
// Sorts the particles at x, y, z (m) into cells of edge length `size` (m).
void fm_cell_list_build(fm_cell_list *cells, double size, int count, const double *x,
                        const double *y, const double *z);
// The cell that a point lies in, and the hash bucket in which to look for the particles of a cell.
fm_cell fm_cell_list_find_cell(const fm_cell_list *cells, double x, double y, double z);
int fm_cell_list_find_bucket(const fm_cell_list *cells, fm_cell cell);
// Lists the buckets of the 3x3x3 cells around a cell, each once; returns their number. A bucket may
// also hold particles of distant cells with the same hash.
int fm_cell_list_find_buckets_around(const fm_cell_list *cells, fm_cell at, int bucket[27]);

// Errors about files. The message begins with the path of the file: "PATH: cannot write: No space
// left on device", "PATH: polys: 7 of 12 bytes are missing". Each function fills err, unless err
// holds a failure already, and returns false.
bool fm_fail_file(fm_error *err, const char *path, const char *verb, int error_number);
bool fm_fail_content(fm_error *err, fm_status status, const char *path, const char *field,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
// Reads a whole file of at most `limit` bytes and appends a zero byte. `size` receives the number
// of bytes without it. The caller frees the result with free().
char *fm_file_read(const char *path, size_t limit, size_t *size, fm_error *err);

// As snprintf, vsnprintf and strtod, but always with a decimal point, whatever locale the host has
// set.
int fm_text_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fm_text_format_args(char *text, size_t size, const char *format, va_list values)
    __attribute__((format(printf, 3, 0)));
double fm_text_to_number(const char *text, char **rest);

// 64-bit hash that tells simulation states apart; not cryptographic. To hash several arrays, pass
// the result of one call as the seed of the next.
uint64_t fm_hash(const void *data, size_t size, uint64_t seed);

// A callback through which the host program can stop a running simulation. Once it has returned
// true, it is not called again until `stopping` is cleared.
typedef struct fm_stop_request {
    // returns true if the host wants the simulation to stop. NULL: the host never stops it
    bool (*wants_stop)(void *context);
    void *context; // argument of wants_stop
    bool stopping; // wants_stop has returned true
} fm_stop_request;

// True if the host wants the simulation to stop. False if `stop` is NULL.
bool fm_stop_request_poll(fm_stop_request *stop);
// If the host wants the simulation to stop, fills err with FM_CANCELLED and returns false.
bool fm_stop_request_check(fm_stop_request *stop, fm_error *err);

double fm_clock_now_ms(void); // ms, wall clock; only differences of two readings mean anything

// Random numbers with explicit state (splitmix64).
typedef struct fm_rng {
    uint64_t state;
} fm_rng;

uint64_t fm_rng_next(fm_rng *rng);
double fm_rng_uniform(fm_rng *rng); // in [0, 1)

#endif
