// SPDX-License-Identifier: MIT
// core.h: what every module stands on: errors, arena, parallel loops, hash, random numbers.
#ifndef FATHOM_CORE_CORE_H
#define FATHOM_CORE_CORE_H

#include <fathom/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_PI 3.14159265358979323846

// Errors. Each fills err unless it holds a failure already, and returns false.
bool fm_fail(fm_error *err, fm_status status, const char *object, const char *field,
             const char *value, const char *allowed);
bool fm_fail_number(fm_error *err, const char *object, const char *field, double value,
                    const char *allowed);
bool fm_fail_no_memory(fm_error *err, const char *object, size_t bytes);

// Arena: pieces allocated one by one, zeroed, on 64-byte boundaries, and freed together.
typedef struct fm_arena {
    struct fm_arena_chunk *newest;
    size_t used; // bytes handed out
    size_t held; // bytes taken from the system
} fm_arena;

// NULL with err filled when there is no memory left, when count * size overflows, or when err
// already holds a failure: a chain of calls can be checked once at its end.
void *fm_arena_alloc(fm_arena *arena, size_t count, size_t size, const char *object, fm_error *err);
void fm_arena_free(fm_arena *arena);

// A single zeroed allocation on a 64-byte boundary, released with free(). NULL on failure.
void *fm_alloc_aligned(size_t count, size_t size);

// Parallel loops. Work is cut into blocks of fixed size whose borders depend on the work only, so
// that results never depend on how many threads there are.
typedef struct fm_pool fm_pool;

// Runs task(context, block) for every block below block_count, in any order, on any threads, and
// returns when all are done.
typedef void fm_block_task(void *context, int block);
typedef void fm_run_blocks(void *host, int block_count, fm_block_task *task, void *context);

fm_pool *fm_pool_create(int thread_count, fm_error *err); // the calling thread counts as one
fm_pool *fm_pool_create_hosted(fm_run_blocks *run, void *host, int thread_count, fm_error *err);
void fm_pool_destroy(fm_pool *pool);
int fm_pool_thread_count(const fm_pool *pool); // 1 for NULL

// body(context, first, last) on [first, last) for each block of [0, count). A NULL pool runs them
// here, one after another.
typedef void fm_range_body(void *context, int first, int last);
void fm_parallel_for(fm_pool *pool, int count, int block_size, fm_range_body *body, void *context);

// The sum of body over the blocks, added in the order of the blocks. partial has room for
// ceil(count / block_size) values.
typedef double fm_range_sum(void *context, int first, int last);
double fm_parallel_sum(fm_pool *pool, int count, int block_size, fm_range_sum *body, void *context,
                       double *partial);

int fm_block_count(int count, int block_size);

// Cells: particles sorted into cubes of one size, in any region of space.
typedef struct fm_cell {
    int x, y, z;
} fm_cell;

typedef struct fm_cells {
    double size; // m, edge of a cell
    int capacity, mask;
    int *start;    // [bucket] first entry of order; the next bucket's is its end
    int *order;    // particles by bucket
    int *bucket;   // of each particle
    fm_cell *cell; // of each particle: several cells may share a bucket
} fm_cells;

bool fm_cells_alloc(fm_cells *cells, fm_arena *arena, int capacity, fm_error *err);
void fm_cells_build(fm_cells *cells, double size, int count, const double *x, const double *y,
                    const double *z);
fm_cell fm_cells_at(const fm_cells *cells, double x, double y, double z);
int fm_cells_bucket(const fm_cells *cells, fm_cell cell);

// Hash of states: 64 bits, for telling states apart, not for cryptography. Chains: pass the result
// of one call as the seed of the next.
uint64_t fm_hash(const void *data, size_t size, uint64_t seed);

double fm_now_ms(void); // wall clock, from some moment on

// Random numbers with explicit state (splitmix64).
typedef struct fm_rng {
    uint64_t state;
} fm_rng;

uint64_t fm_rng_next(fm_rng *rng);
double fm_rng_uniform(fm_rng *rng); // in [0, 1)

#endif
