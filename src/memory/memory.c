// SPDX-License-Identifier: MIT
// memory.c: checks definitions, creates memories, and dispatches time steps to the method in use.
//
// FULL and FADING are computed in exponentials.c, TRAPEZOID and COIMBRA in fixed_step_window.c.
//
//   h          time step between two pushes of rates, s
//   past_part  part of the derivative at the next push that follows from past rates
//   lane       one of the signals that a memory differentiates; FM_LANES lanes are a block
#include "memory/memory.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const object = "memory"; // what error messages say is wrong

// The definition that a caller starts from; include/fathom/memory.h documents the fields.
fm_memory_def fm_default_memory_def(void)
{
    return (fm_memory_def){
        .method = FM_MEMORY_FULL,
        .order = 0.5,
        .time_step = 1e-3,
        .horizon = 100,
        .tolerance = 1e-4,
        .window_steps = FM_MEMORY_UNLIMITED,
        .window_seconds = INFINITY,
        .fading_time = 1,
    };
}

// Translates the settings of a force (recall: how far back its derivative looks) into the
// definition of a memory. step: usual time step of the body or fluid, s. shortest: smallest step
// that FULL and FADING memories accept, s.
fm_memory_def fm_memory_def_from_recall(const fm_recall *recall, double order, double step,
                                        double shortest)
{
    const double MOST_STEPS = 1e8; // keeps the conversion to int defined
    fm_memory_def def = fm_default_memory_def();
    def.order = order;
    def.tolerance = recall->tolerance;
    def.fading_time = recall->fading;
    def.time_step = step;
    switch (recall->kind) {
    case FM_RECALL_FULL:
    case FM_RECALL_FADING:
        def.method = recall->kind == FM_RECALL_FULL ? FM_MEMORY_FULL : FM_MEMORY_FADING;
        def.time_step = shortest;
        def.horizon = fmax(recall->horizon, step);
        break;
    case FM_RECALL_STEPS:
        def.method = recall->rule == FM_RULE_COIMBRA ? FM_MEMORY_COIMBRA : FM_MEMORY_TRAPEZOID;
        def.window_steps = recall->steps;
        break;
    case FM_RECALL_SECONDS:
        def.method = FM_MEMORY_TRAPEZOID;
        def.window_steps = (int)fmin(MOST_STEPS, fmax(1, round(recall->seconds / step)));
        break;
    }
    return def;
}

// Checks the fields that FULL and FADING use. Fills err and returns false if one is out of range.
static bool check_exponentials(const fm_memory_def *def, fm_error *err)
{
    if (!(def->horizon >= def->time_step) || !isfinite(def->horizon))
        return fm_fail_number(err, object, "horizon", def->horizon,
                              "time_step or more, in seconds");
    if (!(def->tolerance > 1e-12 && def->tolerance < 0.1))
        return fm_fail_number(err, object, "tolerance", def->tolerance, "between 1e-12 and 0.1");
    if (def->method == FM_MEMORY_FADING && !(def->fading_time > 0 && isfinite(def->fading_time)))
        return fm_fail_number(err, object, "fading_time", def->fading_time, "> 0 seconds");
    return true;
}

// Checks the fields that TRAPEZOID and COIMBRA use. Fills err and returns false if one is out of
// range. Windows have at most INT_MAX / 4 steps, so that doubled row counts fit an int.
static bool check_window(const fm_memory_def *def, fm_error *err)
{
    if (def->method == FM_MEMORY_COIMBRA && def->order != 0.5)
        return fm_fail_number(err, object, "order", def->order,
                              "0.5 with the coimbra rule (others: trapezoid)");
    if (def->window_steps < 1 && def->window_steps != FM_MEMORY_UNLIMITED)
        return fm_fail_number(err, object, "window_steps", def->window_steps,
                              "1 or more, or FM_MEMORY_UNLIMITED");
    if (!(def->window_seconds > 0))
        return fm_fail_number(err, object, "window_seconds", def->window_seconds, "> 0 seconds");
    if (isfinite(def->window_seconds)) {
        if (def->window_steps != FM_MEMORY_UNLIMITED)
            return fm_fail_number(err, object, "window_steps", def->window_steps,
                                  "FM_MEMORY_UNLIMITED when window_seconds is given");
        double steps = def->window_seconds / def->time_step;
        if (!(steps >= 0.5 && steps < INT_MAX / 4))
            return fm_fail_number(err, object, "window_seconds", def->window_seconds,
                                  "one to 5e8 time steps");
    }
    if (def->window_steps > INT_MAX / 4)
        return fm_fail_number(err, object, "window_steps", def->window_steps, "at most 5e8");
    return true;
}

// Checks all fields of a definition. Fills err and returns false at the first one out of range.
static bool check_def(const fm_memory_def *def, fm_error *err)
{
    if (!(def->order > 0 && def->order < 1))
        return fm_fail_number(err, object, "order", def->order, "between 0 and 1, both excluded");
    if (!(def->time_step > 0 && isfinite(def->time_step)))
        return fm_fail_number(err, object, "time_step", def->time_step, "> 0 seconds");
    switch (def->method) {
    case FM_MEMORY_FULL:
    case FM_MEMORY_FADING:
        return check_exponentials(def, err);
    case FM_MEMORY_TRAPEZOID:
    case FM_MEMORY_COIMBRA:
        return check_window(def, err);
    }
    return fm_fail_number(err, object, "method", def->method, "an fm_memory_method");
}

bool fm_memory_uses_exponentials(const fm_memory *memory)
{
    return memory->def.method == FM_MEMORY_FULL || memory->def.method == FM_MEMORY_FADING;
}

// Fits the exponentials of a FULL or FADING memory to the kernel on the ages from time_step to the
// horizon. A FADING kernel carries e^(-age/fading_time); beyond faded_age this factor is below
// tolerance^1.5 and below e^-10, so that older rates need no exponentials.
static bool fit_exponentials(fm_memory *memory, fm_error *err)
{
    const fm_memory_def *def = &memory->def;
    memory->faded_age = INFINITY;
    if (def->method == FM_MEMORY_FADING)
        memory->faded_age = def->fading_time * fmax(10, -1.5 * log(def->tolerance));
    memory->shortest = def->time_step;
    memory->longest = fmax(fmin(def->horizon, memory->faded_age), 2 * def->time_step);
    if (!fm_exponentials_build(&memory->sum, def->order, memory->shortest, memory->longest,
                               def->tolerance))
        return fm_fail_number(err, object, "tolerance", def->tolerance,
                              "what 160 exponentials reach for this order and horizon");
    memory->recurrence = fm_aligned_calloc(1, sizeof *memory->recurrence);
    if (!memory->recurrence)
        return fm_fail_no_memory(err, object, sizeof *memory->recurrence);
    memory->row_count = ROW_MODES + memory->sum.count;
    return true;
}

// Computes the number of rows (stored rates per lane) of a TRAPEZOID or COIMBRA memory: one more
// than the steps of its window.
static void size_window(fm_memory *memory)
{
    enum { FIRST_ROWS = 64 }; // rows of an unlimited window at first; they are doubled when full
    const fm_memory_def *def = &memory->def;
    memory->window = isfinite(def->window_seconds)
                         ? (int)fmax(1, round(def->window_seconds / def->time_step))
                         : def->window_steps;
    memory->row_count = memory->window == FM_MEMORY_UNLIMITED ? FIRST_ROWS : memory->window + 1;
    memory->newest = memory->row_count - 1; // the next row in the ring, for the first push, is 0
}

// Allocates the rows of all blocks, filled with 0, and the quadrature weights of a window.
static bool create_state(fm_memory *memory, fm_error *err)
{
    size_t block = (size_t)memory->row_count * FM_LANES * sizeof *memory->state;
    memory->state = fm_aligned_calloc((size_t)memory->block_count, block);
    if (!memory->state)
        return fm_fail_no_memory(err, object, (size_t)memory->block_count * block);
    if (!fm_memory_uses_exponentials(memory) && !fm_window_create_weights(memory))
        return fm_fail_no_memory(err, object, 2 * sizeof(double) * (size_t)memory->row_count);
    return true;
}

// Creates a memory for lane_count signals (lanes); NULL with err filled if the definition is wrong
// or memory runs out.
fm_memory *fm_memory_create(const fm_memory_def *def, int lane_count, fm_error *err)
{
    assert(err->status != FM_OK || def);
    if (err->status != FM_OK || !check_def(def, err))
        return NULL;
    if (lane_count < 1 || lane_count > INT_MAX - FM_LANES) {
        fm_fail_number(err, object, "lane_count", lane_count, "1 to 2147483639");
        return NULL;
    }
    fm_memory *memory = fm_aligned_calloc(1, sizeof *memory);
    if (!memory) {
        fm_fail_no_memory(err, object, sizeof *memory);
        return NULL;
    }
    memory->def = *def;
    memory->lane_count = lane_count;
    memory->block_count = fm_parallel_block_count(lane_count, FM_LANES);
    bool prepared = true;
    if (fm_memory_uses_exponentials(memory))
        prepared = fit_exponentials(memory, err);
    else
        size_window(memory);
    prepared = prepared && create_state(memory, err);
    if (!prepared) {
        fm_memory_destroy(memory);
        return NULL;
    }
    return memory;
}

// Frees a memory and its arrays. Does nothing for NULL.
void fm_memory_destroy(fm_memory *memory)
{
    if (!memory)
        return;
    free(memory->state);
    free(memory->spare);
    free(memory->row_weights);
    free(memory->recurrence);
    free(memory);
}

// Copies the state to a new array with `rows` rows per block, which may be more or fewer than
// before. Additional rows are 0. NULL when memory runs out.
double *fm_memory_copy_rows(const fm_memory *memory, int rows)
{
    int old_rows = memory->row_count, kept = rows < old_rows ? rows : old_rows;
    double *state = fm_aligned_calloc((size_t)memory->block_count * rows * FM_LANES, sizeof *state);
    for (int b = 0; state && b < memory->block_count; b++)
        memcpy(state + (size_t)b * rows * FM_LANES, memory->state + (size_t)b * old_rows * FM_LANES,
               (size_t)kept * FM_LANES * sizeof *state);
    return state;
}

void fm_memory_replace_rows(fm_memory *memory, double *state, int rows)
{
    free(memory->state);
    memory->state = state;
    memory->row_count = rows;
}

// Whether a push h seconds after the last one is allowed. The first push has h = 0. Exponentials
// allow all steps that are long enough, windows only the step of their definition.
static bool step_allowed(const fm_memory *memory, double h)
{
    const double SLACK = 1e-9; // relative rounding error of steps computed from times
    bool exponentials = fm_memory_uses_exponentials(memory);
    double shortest = exponentials ? memory->shortest : memory->def.time_step;
    if (memory->push_count == 0)
        return h == 0;
    if (!isfinite(h) || h < shortest * (1 - SLACK))
        return false;
    return exponentials || h <= shortest * (1 + SLACK);
}

double fm_memory_fading_rate(const fm_memory *memory)
{
    return memory->def.method == FM_MEMORY_FADING ? 1 / memory->def.fading_time : 0;
}

// Computes the coefficients of the exponentials for steps of h seconds, unless they are already
// those of h.
void fm_memory_set_step(fm_memory *memory, double h)
{
    if (!(h > 0) || !fm_memory_uses_exponentials(memory) || h == memory->recurrence->step)
        return;
    fm_recurrence_build(memory->recurrence, &memory->sum, memory->def.order,
                        fm_memory_fading_rate(memory), h);
    memory->sums_stale = true;
}

// Prepares a push h seconds after the last one. A window gets a free row. Exponentials get slow
// ones if the past has become too long, and the coefficients for h. False if the step is not
// allowed or memory runs out.
bool fm_memory_begin(fm_memory *memory, double h)
{
    if (!step_allowed(memory, h))
        return false;
    if (!fm_memory_uses_exponentials(memory))
        return fm_window_reserve_row(memory);
    if (!fm_memory_extend_past(memory))
        return false;
    fm_memory_set_step(memory, h);
    return true;
}

// Writes the values of all lanes in block_count blocks from `block` on to out.
typedef void block_reader(fm_memory *memory, int block, int block_count, double *out);

// Reads the lanes first to last - 1 with `read`, which works on blocks of FM_LANES lanes. Complete
// blocks go directly to out; the lanes of an incomplete last block are copied from a temporary
// block.
static void read_lanes(block_reader *read, fm_memory *memory, int first, int last, double *out)
{
    assert(first % FM_LANES == 0 && last <= memory->lane_count);
    int block = first / FM_LANES, complete_blocks = (last - first) / FM_LANES,
        remaining_lanes = (last - first) % FM_LANES;
    if (complete_blocks > 0)
        read(memory, block, complete_blocks, out);
    if (remaining_lanes > 0) {
        double last_block[FM_LANES];
        read(memory, block + complete_blocks, 1, last_block);
        memcpy(out + (size_t)complete_blocks * FM_LANES, last_block,
               (size_t)remaining_lanes * sizeof *last_block);
    }
}

// Computes the part of the derivative at the next push that follows from past rates, by the method
// of the memory (window or exponentials).
static void read_past_part(fm_memory *memory, int block, int block_count, double *past_part)
{
    if (!fm_memory_uses_exponentials(memory)) {
        fm_window_quadrature rule = fm_window_quadrature_next(memory);
        fm_window_integrate(memory, &rule, block, block_count, past_part);
        return;
    }
    if (memory->sums_stale)
        fm_exponentials_refresh_sums(memory, block, block_count);
    fm_exponentials_predict(memory, block, block_count, past_part);
}

// Writes the derivative at the last push to value: a window computes it, exponentials have stored
// it in ROW_VALUE.
static void read_value(fm_memory *memory, int block, int block_count, double *value)
{
    if (!fm_memory_uses_exponentials(memory)) {
        fm_window_quadrature rule = fm_window_quadrature_now(memory);
        fm_window_integrate(memory, &rule, block, block_count, value);
        return;
    }
    const double *row = fm_memory_row(memory, block, ROW_VALUE);
    size_t stride = (size_t)memory->row_count * FM_LANES;
    for (int b = 0; b < block_count; b++)
        memcpy(value + (size_t)b * FM_LANES, row + b * stride, FM_LANES * sizeof *value);
}

void fm_memory_predict_range(fm_memory *memory, int first, int last, double *past_part)
{
    read_lanes(read_past_part, memory, first, last, past_part);
}

void fm_memory_value_range(fm_memory *memory, int first, int last, double *derivative)
{
    read_lanes(read_value, memory, first, last, derivative);
}

// Pushes new rates into block_count blocks. Exponentials advance their modes by one step; a window,
// and the first push of exponentials, only store the rates in a row.
static void write_rates(fm_memory *memory, int block, int block_count, const double *rate)
{
    const bool exponentials = fm_memory_uses_exponentials(memory);
    if (exponentials && memory->push_count > 0) {
        if (memory->sums_stale)
            fm_exponentials_refresh_sums(memory, block, block_count);
        fm_exponentials_push(memory, block, block_count, rate);
        return;
    }
    double *row =
        fm_memory_row(memory, block, exponentials ? ROW_NEWEST : fm_window_next_row(memory));
    size_t stride = (size_t)memory->row_count * FM_LANES;
    for (int b = 0; b < block_count; b++)
        memcpy(row + b * stride, rate + (size_t)b * FM_LANES, FM_LANES * sizeof *rate);
}

// Pushes the rates of lanes first to last - 1. The lanes of an incomplete last block are padded
// with rates of 0.
void fm_memory_push_range(fm_memory *memory, int first, int last, const double *rate)
{
    assert(first % FM_LANES == 0 && last <= memory->lane_count);
    int block = first / FM_LANES, complete_blocks = (last - first) / FM_LANES,
        remaining_lanes = (last - first) % FM_LANES;
    if (complete_blocks > 0)
        write_rates(memory, block, complete_blocks, rate);
    if (remaining_lanes > 0) {
        double last_block[FM_LANES] = {0};
        memcpy(last_block, rate + (size_t)complete_blocks * FM_LANES,
               (size_t)remaining_lanes * sizeof *last_block);
        write_rates(memory, block + complete_blocks, 1, last_block);
    }
}

// Ends a push after all ranges of lanes have been pushed: advances the time, or the newest row of a
// window, and counts the push.
void fm_memory_end(fm_memory *memory)
{
    if (fm_memory_uses_exponentials(memory)) {
        memory->sums_stale = false;
        if (memory->push_count > 0)
            memory->time += memory->recurrence->step;
    } else {
        memory->newest = fm_window_next_row(memory);
    }
    memory->push_count++;
}

// Appends the rates of all lanes, h seconds after the last push. False if h is not allowed or
// memory runs out.
bool fm_memory_push(fm_memory *memory, const double *rate, double h)
{
    assert(memory);
    if (!fm_memory_begin(memory, h))
        return false;
    fm_memory_push_range(memory, 0, memory->lane_count, rate);
    fm_memory_end(memory);
    return true;
}

void fm_memory_value(fm_memory *memory, double *derivative)
{
    assert(memory);
    fm_memory_value_range(memory, 0, memory->lane_count, derivative);
}

// Writes the part of the derivative h seconds after the last push that follows from past rates.
// False if a push with this h is not allowed.
bool fm_memory_predict(fm_memory *memory, double h, double *past_part)
{
    assert(memory);
    if (!fm_memory_begin(memory, h))
        return false;
    fm_memory_predict_range(memory, 0, memory->lane_count, past_part);
    return true;
}

// Weight of the newest rate in the derivative, s^(1-q), for a push with step h. Exponentials do not
// contribute to it, so the recurrence for another h is built without them.
double fm_memory_newest_weight(const fm_memory *memory, double h)
{
    assert(memory);
    if (!(h > 0))
        return 0;
    if (!fm_memory_uses_exponentials(memory))
        return pow(h, 1 - memory->def.order) * fm_window_newest_weight(&memory->def);
    if (h == memory->recurrence->step)
        return memory->recurrence->newest_weight;
    fm_exponentials none = {0};
    fm_recurrence recurrence;
    fm_recurrence_build(&recurrence, &none, memory->def.order, fm_memory_fading_rate(memory), h);
    return recurrence.newest_weight;
}

// One implicit step of h seconds in one pass over the lanes. `solve` computes the new rates of each
// chunk of lanes from past_part, and the new rates are pushed.
bool fm_memory_step(fm_memory *memory, double h, fm_memory_solve *solve, void *context)
{
    assert(memory);
    enum { STEP_LANES = 256 }; // the arrays past_part and rate of 256 lanes stay in the L1 cache
    double past_part[STEP_LANES], rate[STEP_LANES];
    if (!fm_memory_begin(memory, h))
        return false;
    for (int first = 0; first < memory->lane_count; first += STEP_LANES) {
        int left = memory->lane_count - first;
        int count = left < STEP_LANES ? left : STEP_LANES;
        fm_memory_predict_range(memory, first, first + count, past_part);
        solve(context, first, count, past_part, rate);
        fm_memory_push_range(memory, first, first + count, rate);
    }
    fm_memory_end(memory);
    return true;
}

int fm_memory_lane_count(const fm_memory *memory)
{
    assert(memory);
    return memory->lane_count;
}

int64_t fm_memory_push_count(const fm_memory *memory)
{
    assert(memory);
    return memory->push_count;
}

size_t fm_memory_bytes_per_lane(const fm_memory *memory)
{
    assert(memory);
    return (size_t)memory->row_count * sizeof *memory->state;
}

int fm_memory_exponential_count(const fm_memory *memory)
{
    assert(memory);
    return memory->sum.count;
}

double fm_memory_kernel_error(const fm_memory *memory)
{
    assert(memory);
    return memory->sum.error;
}

int fm_memory_window_steps(const fm_memory *memory)
{
    assert(memory);
    return memory->window;
}
