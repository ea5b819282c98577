// SPDX-License-Identifier: MIT
// memory.h: the inside of a memory, for the files of this folder, and the ranged steps that the
// integrators above call from the pool.
#ifndef FATHOM_MEMORY_MEMORY_H
#define FATHOM_MEMORY_MEMORY_H

#include "core/core.h"
#include "core/simd.h"

#include <fathom/memory.h>

// One step of all lanes, in ranges that may run on different threads:
//
//     if (fm_memory_begin(m, h))            on one thread
//         predict_range, push_range         on any threads, each lane once, ranges beginning at
//                                           multiples of FM_LANES; known and rate start at lane
//                                           `first`
//     fm_memory_end(m)                      on one thread, when all ranges are pushed
bool fm_memory_begin(fm_memory *memory, double h);
void fm_memory_predict_range(fm_memory *memory, int first, int last, double *known);
void fm_memory_push_range(fm_memory *memory, int first, int last, const double *rate);
void fm_memory_end(fm_memory *memory);
void fm_memory_value_range(fm_memory *memory, int first, int last, double *derivative);

// FULL, FADING: a lane becomes one whose rate was `rate` for `duration` seconds up to the last
// push, and 0 before.
void fm_memory_set_steady(fm_memory *memory, int lane, double rate, double duration);

enum { FM_MEMORY_MAX_EXPONENTIALS = 160 };

// A kernel t^-q / Gamma(1-q) as sum_k weight[k] e^(-rate[k] t).
typedef struct fm_exponentials {
    int count;
    double error; // largest relative error found on the interval asked for
    double rate[FM_MEMORY_MAX_EXPONENTIALS];   // 1/s, fastest first
    double weight[FM_MEMORY_MAX_EXPONENTIALS]; // s^-q
} fm_exponentials;

// False when the tolerance cannot be reached with FM_MEMORY_MAX_EXPONENTIALS.
bool fm_exponentials_build(fm_exponentials *sum, double order, double shortest, double longest,
                           double tolerance);

// How a step of one length acts on the exponentials: see exponentials.c.
typedef struct fm_recurrence {
    double step;   // s; 0 before the first
    double newest; // w0, of the new rate
    double before; // of the rate before it
    double decay[FM_MEMORY_MAX_EXPONENTIALS];
    double from_old[FM_MEMORY_MAX_EXPONENTIALS];
    double from_new[FM_MEMORY_MAX_EXPONENTIALS];
    double gain[FM_MEMORY_MAX_EXPONENTIALS];
} fm_recurrence;

void fm_recurrence_build(fm_recurrence *recurrence, const fm_exponentials *sum, double order,
                         double fading_rate, double h);

// Weights of past rates by age in steps, in units of h^(1-q).
double fm_window_newest(const fm_memory_def *def);
double fm_window_interior(const fm_memory_def *def, int age); // age >= 1
double fm_window_oldest(const fm_memory_def *def, int age);   // age >= 1: the last one seen

// A block is FM_LANES lanes, its rows stand one after another: state[(block * rows + row) *
// FM_LANES + lane]. Exponentials: rows NEWEST, SUM, VALUE, then one per exponential. Windows: one
// row per remembered push.
enum { ROW_NEWEST, ROW_SUM, ROW_VALUE, ROW_MODES };

struct fm_memory {
    fm_memory_def def;
    int lane_count;
    int block_count;
    int row_count; // rows in a block
    int64_t push_count;
    double *state;
    double *
        spare; // the other half of the double buffer in which lanes are rearranged; NULL until used
    size_t spare_size; // bytes

    // FULL, FADING
    fm_exponentials sum;
    fm_recurrence *recurrence;
    bool sums_stale; // ROW_SUM was made for another step

    // TRAPEZOID, COIMBRA
    int window;       // intervals, or FM_MEMORY_UNLIMITED
    int newest;       // row of the last push
    double *unrolled; // interior weights, twice around the ring: unrolled[row - newest + row_count]
};

bool fm_memory_uses_exponentials(const fm_memory *memory);
double fm_memory_fading_rate(const fm_memory *memory); // 1/s
void fm_memory_set_step(fm_memory *memory,
                        double h); // the recurrences of this step; nothing for windows

static inline double *fm_memory_row(fm_memory *memory, int block, int row)
{
    return memory->state + ((size_t)block * memory->row_count + row) * FM_LANES;
}

// exponentials.c: on block_count blocks from `block`; rate and known hold those blocks only.
void fm_modes_refresh_sums(fm_memory *memory, int block, int block_count);
void fm_modes_known(fm_memory *memory, int block, int block_count, double *known);
void fm_modes_push(fm_memory *memory, int block, int block_count, const double *rate);

// window.c
bool fm_window_set_rows(fm_memory *memory, int rows); // keeps those that fit
bool fm_window_grow(fm_memory *memory);               // room for one more push
bool fm_window_alloc_weights(fm_memory *memory);

// How the rows are weighed: for the value at the last push, or for the next value less its newest
// rate.
typedef struct fm_window_view {
    int newest; // row
    int age;    // intervals seen; the sum of none is zero
    bool without_newest;
    double surplus; // what the interior weight has too much at the old end
    double scale;   // h^(1-q)
} fm_window_view;

int fm_window_next_row(const fm_memory *memory); // where the next push goes
fm_window_view fm_window_now(const fm_memory *memory);
fm_window_view fm_window_next(const fm_memory *memory);
void fm_window_weigh(fm_memory *memory, const fm_window_view *view, int block, int block_count,
                     double *total);

#endif
