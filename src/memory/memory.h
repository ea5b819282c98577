// SPDX-License-Identifier: MIT
// memory.h: internals of the fractional derivative operator, and steps on ranges of lanes that
// integrators run in parallel loops.
//
// A lane is one scalar signal; a memory computes the derivatives of many lanes at once.
#ifndef FATHOM_MEMORY_MEMORY_H
#define FATHOM_MEMORY_MEMORY_H

#include "core/core.h"
#include "core/simd.h"

#include <fathom/memory.h>

// One time step of all lanes, in ranges that may run on different threads:
//
//     fm_memory_begin(m, h)                 one thread; false when the step h is not allowed
//     fm_memory_predict_range,
//     fm_memory_push_range                  any threads, each lane once
//     fm_memory_end(m)                      one thread, when all ranges are pushed
//
// A range is the lanes first to last - 1; `first` is a multiple of FM_LANES. The arrays past_part,
// rate and derivative begin with lane `first`. h: time step, s. past_part: the part of the next
// derivative that follows from past rates. rate: new rates. The derivative at the new time is
// (newest weight) rate + past_part.
bool fm_memory_begin(fm_memory *memory, double h);
void fm_memory_predict_range(fm_memory *memory, int first, int last, double *past_part);
void fm_memory_push_range(fm_memory *memory, int first, int last, const double *rate);
void fm_memory_end(fm_memory *memory);
void fm_memory_value_range(fm_memory *memory, int first, int last, double *derivative);

// FULL, FADING: adds fast exponentials until steps of h seconds are allowed. Does nothing if they
// are allowed already. False when memory runs out or FM_MEMORY_MAX_EXPONENTIALS are not enough.
bool fm_memory_extend_to_step(fm_memory *memory, double h);

// FULL, FADING: replaces the history of a lane by one in which its rate was `rate` during the last
// `duration` seconds before the last push, and 0 before that.
void fm_memory_set_steady(fm_memory *memory, int lane, double rate, double duration);

// The memory definition for an fm_recall of a body or fluid that takes steps of `step` seconds.
// FULL and FADING memories also accept steps down to `shortest` seconds.
fm_memory_def fm_memory_def_from_recall(const fm_recall *recall, double order, double step,
                                        double shortest);

// variable_step_window.c: the derivative over a window of past rates, with steps of any length.
// Ranges of lanes may be pushed on different threads between one fm_variable_window_begin and the
// next. The rows are a ring buffer.
typedef struct fm_variable_window {
    int rows;       // number of rates kept per lane: steps of the window + 1
    int64_t pushes; // number of pushes so far
    float *rates;   // [rows][lanes] past rates
    double *steps;  // [rows] s, time between the previous push and the push of this row
    double *weight; // [rows] s^(1-q), quadrature weights of the current push
} fm_variable_window;

// Allocates a window of `steps` steps for `lanes` lanes in the arena. name: of the object, for the
// error message when memory runs out.
bool fm_variable_window_create(fm_variable_window *window, fm_arena *arena, int steps, int lanes,
                               const char *name, fm_error *err);
// Begins a push, h seconds after the last one, and computes the quadrature weights.
void fm_variable_window_begin(fm_variable_window *window, double order, double h);
// Pushes the rates values[0] ... of lanes first to last - 1 and replaces them by the derivatives.
void fm_variable_window_push(fm_variable_window *window, int lanes, int first, int last,
                             double *values);
// Sets all past rates of a lane to `rate`.
void fm_variable_window_set_steady(fm_variable_window *window, int lanes, int lane, double rate);

// Largest number of exponentials of a memory: the size of the arrays in fm_exponentials.
enum { FM_MEMORY_MAX_EXPONENTIALS = 160 };

// The kernel t^-q / Gamma(1-q), approximated by sum_k weight[k] e^(-decay_rate[k] t).
//
// The exponentials are nodes of a quadrature over log(decay rate), `spacing` apart, except for the
// two slowest. These two replace the infinitely many nodes slow_node - j spacing, j = 0, 1, ...
typedef struct fm_exponentials {
    int count;        // number of exponentials in use
    double error;     // largest relative error measured on the fitted interval of times
    double spacing;   // distance of two nodes in log(decay rate)
    double slow_node; // log(decay rate in 1/s) of the first node replaced by the two slowest
    double decay_rate[FM_MEMORY_MAX_EXPONENTIALS]; // 1/s, fastest first
    double weight[FM_MEMORY_MAX_EXPONENTIALS];     // s^-q
} fm_exponentials;

// Fits the exponentials on times from `shortest` to `longest` (s) with a relative error of at most
// `tolerance`. False when FM_MEMORY_MAX_EXPONENTIALS are not enough.
bool fm_exponentials_build(fm_exponentials *sum, double order, double shortest, double longest,
                           double tolerance);

// Splits one node off the two slowest exponentials, which replace infinitely many nodes. The sum
// then has one exponential more and reaches e^spacing times as far back with the same error. The
// first count - 2 exponentials do not change.
void fm_exponentials_add_slow_node(fm_exponentials *sum, double order);
// Inserts a node before the fastest exponential. The shortest time at which the sum meets the
// tolerance decreases by the factor e^-spacing.
void fm_exponentials_add_fast_node(fm_exponentials *sum, double order);

// Coefficients of one time step of the exponentials. The names in brackets are the symbols of
// exponentials.c, which has the equations. A mode is the number that an exponential keeps per lane.
typedef struct fm_recurrence {
    double step;            // (h) s; 0 before the first step
    double newest_weight;   // (w0) s^(1-q), weight of the new rate in the derivative
    double previous_weight; // (w1) s^(1-q), weight of the previous rate in the derivative
    double decay_factor[FM_MEMORY_MAX_EXPONENTIALS]; // (e^-z) new mode / old mode without new rates
    double from_old[FM_MEMORY_MAX_EXPONENTIALS];     // (h A) s, weight of the old rate in a mode
    double from_new[FM_MEMORY_MAX_EXPONENTIALS];     // (h B) s, weight of the new rate in a mode
    double gain[FM_MEMORY_MAX_EXPONENTIALS]; // (g_k) s^-q, weight of mode k in the next derivative
} fm_recurrence;

// Computes the coefficients for a step h (s) and a fading rate 1/tau (1/s).
void fm_recurrence_build(fm_recurrence *recurrence, const fm_exponentials *sum, double order,
                         double fading_rate, double h);

// Quadrature weights of past rates in units of h^(1-q), by the age of the rate in steps.
double fm_window_newest_weight(const fm_memory_def *def);
double fm_window_interior_weight(const fm_memory_def *def, int age); // age >= 1
// Weight of the oldest rate of a window of `age` >= 1 steps.
double fm_window_oldest_weight(const fm_memory_def *def, int age);

// Layout of the state: a block holds FM_LANES lanes, and its rows follow one after another:
// state[(block * row_count + row) * FM_LANES + lane]. A window has one row per remembered push. A
// memory with exponentials has the rows of this enumeration.
enum {
    ROW_NEWEST, // rate of the last push
    ROW_SUM,    // sum over k of gain[k] times mode k: part of the next derivative
    ROW_VALUE,  // derivative at the last push
    ROW_MODES,  // first of the rows with the modes: one row for each exponential
};

struct fm_memory {
    fm_memory_def def;
    int lane_count;
    int block_count;
    int row_count;      // rows of a block
    int64_t push_count; // number of pushes so far
    double *state;      // [block_count][row_count][FM_LANES], past rates or modes
    double *spare;     // second buffer for rearranging lanes, swapped with state; NULL until needed
    size_t spare_size; // bytes

    // for FULL and FADING only
    double time;      // s, from the first push to the last
    double shortest;  // s, shortest step that the exponentials resolve
    double longest;   // s, age up to which the exponentials meet the tolerance
    double faded_age; // s, age beyond which the kernel has faded; INFINITY for FULL
    fm_exponentials sum;
    fm_recurrence *recurrence; // coefficients of the current step length
    bool sums_stale;           // ROW_SUM was computed for another step length

    // for TRAPEZOID and COIMBRA only
    int window; // length of the window in steps, or FM_MEMORY_UNLIMITED
    int newest; // row of the last push; the rows are a ring buffer
    // [2 * row_count] newest and interior weights of all ages, twice in a row, so that the weight
    // of a row is row_weights[row - newest + row_count]
    double *row_weights;
};

bool fm_memory_uses_exponentials(const fm_memory *memory); // FULL and FADING do
double fm_memory_fading_rate(const fm_memory *memory);     // 1/tau, 1/s; 0 without fading
// Computes the recurrence coefficients for the step h (s). Does nothing for windows.
void fm_memory_set_step(fm_memory *memory, double h);

// Copies the state to a new array with `rows` rows per block. Additional rows are 0. NULL when
// memory runs out.
double *fm_memory_copy_rows(const fm_memory *memory, int rows);
// Replaces the state by an array with `rows` rows per block, and frees the old one.
void fm_memory_replace_rows(fm_memory *memory, double *state, int rows);

// extend_exponentials.c: adds slow exponentials until the time since the first push is at most half
// the age up to which the exponentials meet the tolerance. False when memory runs out.
bool fm_memory_extend_past(fm_memory *memory);

// Address of a row of a block: FM_LANES numbers.
static inline double *fm_memory_row(fm_memory *memory, int block, int row)
{
    return memory->state + ((size_t)block * memory->row_count + row) * FM_LANES;
}

// exponentials.c. Each of the next three functions works on block_count blocks from `block` on. The
// arrays rate and past_part begin with the first lane of `block`.

// Recomputes ROW_SUM for the current step length.
void fm_exponentials_refresh_sums(fm_memory *memory, int block, int block_count);
// Writes the part of the next derivative that does not depend on the next rate to past_part.
void fm_exponentials_predict(fm_memory *memory, int block, int block_count, double *past_part);
// Advances the modes by one step with new rates.
void fm_exponentials_push(fm_memory *memory, int block, int block_count, const double *rate);

// fixed_step_window.c: changes the number of rows and keeps the first ones. False when memory runs
// out.
bool fm_window_resize(fm_memory *memory, int rows);
// Adds rows to an unlimited window if all rows are in use, so that the next push has a row. False
// when memory runs out.
bool fm_window_reserve_row(fm_memory *memory);
// Computes the weights of all ages into memory->row_weights. False when memory runs out.
bool fm_window_create_weights(fm_memory *memory);

// Parameters of the weighted sum over the rows of a window. fm_window_quadrature_now gives the
// derivative at the last push, fm_window_quadrature_next the derivative at the next push without
// the term of its rate.
typedef struct fm_window_quadrature {
    int newest;          // row of the newest rate
    int age;             // intervals from the newest to the oldest rate; 0: the sum is zero
    bool without_newest; // leave out the newest rate, because it has not been pushed yet
    double surplus;      // interior weight minus oldest weight, at the age of the oldest rate
    double scale;        // h^(1-q), s^(1-q), where h is the time step and q the order
} fm_window_quadrature;

int fm_window_next_row(const fm_memory *memory); // row of the next push
fm_window_quadrature fm_window_quadrature_now(const fm_memory *memory);
fm_window_quadrature fm_window_quadrature_next(const fm_memory *memory);
// Writes the weighted sums, the derivatives, of the lanes in block_count blocks from `block` on to
// total.
void fm_window_integrate(fm_memory *memory, const fm_window_quadrature *rule, int block,
                         int block_count, double *total);

#endif
