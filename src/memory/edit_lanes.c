// SPDX-License-Identifier: MIT
// edit_lanes.c: permutes, adds, removes and resets the lanes of a memory, with their history.
#include "memory/memory.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const object = "memory"; // what error messages say is wrong

enum { AT_REST = -1 }; // source of a new lane, whose past rates are all 0

// Address of a lane in the first row of its block; the lane's values in the other rows follow at a
// distance of FM_LANES.
static double *lane_rows(double *state, int row_count, int lane)
{
    return state + (size_t)(lane / FM_LANES) * row_count * FM_LANES + lane % FM_LANES;
}

// Clears the second buffer, and enlarges it if it is too small for block_count blocks.
static bool reserve_spare(fm_memory *memory, int block_count, fm_error *err)
{
    size_t count = (size_t)block_count * memory->row_count * FM_LANES;
    if (memory->spare_size >= count * sizeof(double)) {
        memset(memory->spare, 0, count * sizeof(double));
        return true;
    }
    double *spare = fm_aligned_calloc(count, sizeof *spare);
    if (!spare)
        return fm_fail_no_memory(err, object, count * sizeof *spare);
    free(memory->spare);
    memory->spare = spare;
    memory->spare_size = count * sizeof *spare;
    return true;
}

// Gives the memory lane_count lanes: lane i takes over the history of the old lane source[i], or
// has past rates of 0 if source[i] is AT_REST. The histories are copied to the spare buffer, which
// then becomes the state.
static bool gather_lanes(fm_memory *memory, const int *source, int lane_count, fm_error *err)
{
    int block_count = fm_parallel_block_count(lane_count, FM_LANES), rows = memory->row_count;
    if (!reserve_spare(memory, block_count, err))
        return false;
    for (int lane = 0; lane < lane_count; lane++) {
        if (source[lane] == AT_REST)
            continue;
        const double *from = lane_rows(memory->state, rows, source[lane]);
        double *to = lane_rows(memory->spare, rows, lane);
        for (int row = 0; row < rows; row++)
            to[(size_t)row * FM_LANES] = from[(size_t)row * FM_LANES];
    }
    size_t old_size = (size_t)memory->block_count * rows * FM_LANES * sizeof(double);
    double *old = memory->state;
    memory->state = memory->spare;
    memory->spare = old;
    memory->spare_size = old_size;
    memory->lane_count = lane_count;
    memory->block_count = block_count;
    return true;
}

// Reorders the lanes: lane i takes over the past rates of lane source[i]. An error if source does
// not name every lane once.
bool fm_memory_permute_lanes(fm_memory *memory, const int *source, fm_error *err)
{
    assert(err->status != FM_OK || memory);
    if (err->status != FM_OK)
        return false;
    bool *taken = calloc((size_t)memory->lane_count, sizeof *taken);
    if (!taken)
        return fm_fail_no_memory(err, object, (size_t)memory->lane_count);
    for (int i = 0; i < memory->lane_count; i++) {
        if (source[i] < 0 || source[i] >= memory->lane_count || taken[source[i]]) {
            fm_fail_number(err, object, "source", source[i], "each existing lane, once");
            break;
        }
        taken[source[i]] = true;
    }
    free(taken);
    return err->status == FM_OK && gather_lanes(memory, source, memory->lane_count, err);
}

// Allocates the array `source` of gather_lanes for `count` lanes; the caller frees it.
static int *create_sources(int count, fm_error *err)
{
    int *source = malloc((size_t)count * sizeof *source);
    if (!source)
        fm_fail_no_memory(err, object, (size_t)count * sizeof *source);
    return source;
}

// Appends `count` lanes whose past rates are 0.
bool fm_memory_add_lanes(fm_memory *memory, int count, fm_error *err)
{
    assert(err->status != FM_OK || memory);
    if (err->status != FM_OK)
        return false;
    if (count < 1 || count > INT_MAX - FM_LANES - memory->lane_count)
        return fm_fail_number(err, object, "count", count, "1 or more, 2147483639 lanes in all");
    int lane_count = memory->lane_count + count;
    int *source = create_sources(lane_count, err);
    if (!source)
        return false;
    for (int i = 0; i < lane_count; i++)
        source[i] = i < memory->lane_count ? i : AT_REST;
    bool done = gather_lanes(memory, source, lane_count, err);
    free(source);
    return done;
}

// Removes the lanes listed in lanes[count]; the others keep their order. Marks the removed lanes in
// `source`, then moves the others to the front of `source`.
bool fm_memory_remove_lanes(fm_memory *memory, const int *lanes, int count, fm_error *err)
{
    assert(err->status != FM_OK || memory);
    if (err->status != FM_OK)
        return false;
    if (count < 0 || count >= memory->lane_count)
        return fm_fail_number(err, object, "count", count, "fewer than there are lanes");
    int *source = create_sources(memory->lane_count, err);
    if (!source)
        return false;
    for (int i = 0; i < memory->lane_count; i++)
        source[i] = i;
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        if (lanes[i] < 0 || lanes[i] >= memory->lane_count || source[lanes[i]] == AT_REST)
            fm_fail_number(err, object, "lanes", lanes[i], "each existing lane, at most once");
        else
            source[lanes[i]] = AT_REST;
    }
    int kept = 0;
    for (int i = 0; i < memory->lane_count; i++) {
        if (source[i] != AT_REST)
            source[kept++] = i;
    }
    bool done = err->status == FM_OK && gather_lanes(memory, source, kept, err);
    free(source);
    return done;
}

// Sets all past rates of the lanes first to first + count - 1 to 0.
bool fm_memory_reset_lanes(fm_memory *memory, int first, int count, fm_error *err)
{
    assert(err->status != FM_OK || memory);
    if (err->status != FM_OK)
        return false;
    if (first < 0 || first >= memory->lane_count)
        return fm_fail_number(err, object, "first", first, "an existing lane");
    if (count < 0 || count > memory->lane_count - first)
        return fm_fail_number(err, object, "count", count, "at most the lanes from first on");
    for (int lane = first; lane < first + count; lane++) {
        double *rows = lane_rows(memory->state, memory->row_count, lane);
        for (int row = 0; row < memory->row_count; row++)
            rows[(size_t)row * FM_LANES] = 0;
    }
    return true;
}

// Sets the history of a lane to a rate that was constant during the last `duration` seconds and 0
// before. For the duration T, the mode of an exponential with the decay rate lambda is then
// s = rate (1 - e^(-lambda T)) / lambda.
void fm_memory_set_steady(fm_memory *memory, int lane, double rate, double duration)
{
    assert(fm_memory_uses_exponentials(memory) && lane >= 0 && lane < memory->lane_count);
    double *rows = lane_rows(memory->state, memory->row_count, lane), total = 0;
    for (int k = 0; k < memory->sum.count; k++) {
        double lambda = memory->sum.decay_rate[k] + fm_memory_fading_rate(memory);
        double s = rate * -expm1(-lambda * duration) / lambda;
        rows[(size_t)(ROW_MODES + k) * FM_LANES] = s;
        total += memory->recurrence->gain[k] * s;
    }
    rows[(size_t)ROW_NEWEST * FM_LANES] = rate;
    rows[(size_t)ROW_SUM * FM_LANES] = total;
    rows[(size_t)ROW_VALUE * FM_LANES] = 0; // the derivative is not known before the next push
}
