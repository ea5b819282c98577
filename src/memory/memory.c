// SPDX-License-Identifier: MIT
// memory.c: checks definitions, creates memories, and dispatches time steps to the method in use.
//
// FULL and FADING are computed in exponentials.c, TRAPEZOID and COIMBRA in fixed_step_window.c.
#include "memory/memory.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const object = "memory";

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

fm_memory_def fm_memory_def_from_recall(const fm_recall *recall, double order, double step,
                                        double shortest)
{
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
        def.window_steps = (int)fmin(1e8, fmax(1, round(recall->seconds / step)));
        break;
    }
    return def;
}

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

static bool fit_exponentials(fm_memory *memory, fm_error *err)
{
    const fm_memory_def *def = &memory->def;
    memory->enough = INFINITY;
    if (def->method == FM_MEMORY_FADING) // the faded kernel is below the tolerance beyond this
        memory->enough = def->fading_time * fmax(10, -1.5 * log(def->tolerance));
    memory->shortest = def->time_step;
    memory->longest = fmax(fmin(def->horizon, memory->enough), 2 * def->time_step);
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

static void size_window(fm_memory *memory)
{
    enum { FIRST_ROWS = 64 }; // an unlimited window begins with these and doubles
    const fm_memory_def *def = &memory->def;
    memory->window = isfinite(def->window_seconds)
                         ? (int)fmax(1, round(def->window_seconds / def->time_step))
                         : def->window_steps;
    memory->row_count = memory->window == FM_MEMORY_UNLIMITED ? FIRST_ROWS : memory->window + 1;
    memory->newest = memory->row_count - 1; // so that the first push lands in row 0
}

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

void fm_memory_destroy(fm_memory *memory)
{
    if (!memory)
        return;
    free(memory->state);
    free(memory->spare);
    free(memory->unrolled);
    free(memory->recurrence);
    free(memory);
}

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

static bool step_allowed(const fm_memory *memory, double h)
{
    const double slack = 1e-9; // relative rounding error of steps computed from times
    bool modes = fm_memory_uses_exponentials(memory);
    double shortest = modes ? memory->shortest : memory->def.time_step;
    if (memory->push_count == 0)
        return h == 0;
    if (!isfinite(h) || h < shortest * (1 - slack))
        return false;
    return modes || h <= shortest * (1 + slack);
}

double fm_memory_fading_rate(const fm_memory *memory)
{
    return memory->def.method == FM_MEMORY_FADING ? 1 / memory->def.fading_time : 0;
}

void fm_memory_set_step(fm_memory *memory, double h)
{
    if (!(h > 0) || !fm_memory_uses_exponentials(memory) || h == memory->recurrence->step)
        return;
    fm_recurrence_build(memory->recurrence, &memory->sum, memory->def.order,
                        fm_memory_fading_rate(memory), h);
    memory->sums_stale = true;
}

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

// Reads the lanes first to last - 1. Whole blocks go directly to out; the lanes of an incomplete
// last block are copied from a temporary block.
static void read_lanes(block_reader *read, fm_memory *memory, int first, int last, double *out)
{
    assert(first % FM_LANES == 0 && last <= memory->lane_count);
    int block = first / FM_LANES, whole = (last - first) / FM_LANES,
        odd = (last - first) % FM_LANES;
    if (whole > 0)
        read(memory, block, whole, out);
    if (odd > 0) {
        double part[FM_LANES];
        read(memory, block + whole, 1, part);
        memcpy(out + (size_t)whole * FM_LANES, part, (size_t)odd * sizeof *part);
    }
}

static void read_known(fm_memory *memory, int block, int block_count, double *known)
{
    if (!fm_memory_uses_exponentials(memory)) {
        fm_window_quadrature rule = fm_window_quadrature_next(memory);
        fm_window_integrate(memory, &rule, block, block_count, known);
        return;
    }
    if (memory->sums_stale)
        fm_exponentials_refresh_sums(memory, block, block_count);
    fm_exponentials_predict(memory, block, block_count, known);
}

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

void fm_memory_predict_range(fm_memory *memory, int first, int last, double *known)
{
    read_lanes(read_known, memory, first, last, known);
}

void fm_memory_value_range(fm_memory *memory, int first, int last, double *derivative)
{
    read_lanes(read_value, memory, first, last, derivative);
}

static void write_rates(fm_memory *memory, int block, int block_count, const double *rate)
{
    const bool modes = fm_memory_uses_exponentials(memory);
    if (modes && memory->push_count > 0) {
        if (memory->sums_stale)
            fm_exponentials_refresh_sums(memory, block, block_count);
        fm_exponentials_push(memory, block, block_count, rate);
        return;
    }
    double *row = fm_memory_row(memory, block, modes ? ROW_NEWEST : fm_window_next_row(memory));
    size_t stride = (size_t)memory->row_count * FM_LANES;
    for (int b = 0; b < block_count; b++)
        memcpy(row + b * stride, rate + (size_t)b * FM_LANES, FM_LANES * sizeof *rate);
}

void fm_memory_push_range(fm_memory *memory, int first, int last, const double *rate)
{
    assert(first % FM_LANES == 0 && last <= memory->lane_count);
    int block = first / FM_LANES, whole = (last - first) / FM_LANES,
        odd = (last - first) % FM_LANES;
    if (whole > 0)
        write_rates(memory, block, whole, rate);
    if (odd > 0) {
        double part[FM_LANES] = {0};
        memcpy(part, rate + (size_t)whole * FM_LANES, (size_t)odd * sizeof *part);
        write_rates(memory, block + whole, 1, part);
    }
}

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

bool fm_memory_predict(fm_memory *memory, double h, double *known)
{
    assert(memory);
    if (!fm_memory_begin(memory, h))
        return false;
    fm_memory_predict_range(memory, 0, memory->lane_count, known);
    return true;
}

double fm_memory_newest_weight(const fm_memory *memory, double h)
{
    assert(memory);
    if (!(h > 0))
        return 0;
    if (!fm_memory_uses_exponentials(memory))
        return pow(h, 1 - memory->def.order) * fm_window_newest_weight(&memory->def);
    if (h == memory->recurrence->step)
        return memory->recurrence->newest;
    fm_exponentials none = {0};
    fm_recurrence recurrence;
    fm_recurrence_build(&recurrence, &none, memory->def.order, fm_memory_fading_rate(memory), h);
    return recurrence.newest;
}

bool fm_memory_step(fm_memory *memory, double h, fm_memory_solve *solve, void *context)
{
    assert(memory);
    enum { STEP_LANES = 256 }; // the arrays known and rate of 256 lanes stay in the L1 cache
    double known[STEP_LANES], rate[STEP_LANES];
    if (!fm_memory_begin(memory, h))
        return false;
    for (int first = 0; first < memory->lane_count; first += STEP_LANES) {
        int left = memory->lane_count - first;
        int count = left < STEP_LANES ? left : STEP_LANES;
        fm_memory_predict_range(memory, first, first + count, known);
        solve(context, first, count, known, rate);
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
