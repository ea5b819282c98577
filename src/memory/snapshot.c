// SPDX-License-Identifier: MIT
// snapshot.c: saves the state of a memory as bytes, restores it and hashes it.
//
// Layout: header | rates and weights of the exponentials | rows of all blocks | hash of all bytes
// before it.
//
// The fitted exponentials are saved, not only the definition they were fitted for. A saved state
// therefore stays valid when a later version fits them differently, and a state with exponentials
// that were added while running is restored into a memory without them. Coefficients that follow
// from the step length (decays, gains, weights) are not saved but computed again.
#include "memory/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const object = "memory snapshot"; // what error messages say is wrong

// Head of a saved state. The fields are those of struct fm_memory, its definition and its
// exponentials.
typedef struct header {
    char magic[8];    // marks the format
    uint32_t version; // of the format
    int32_t method;
    double order, time_step, horizon, tolerance, window_seconds, fading_time; // of the definition
    int32_t window, lane_count, row_count, newest;
    int64_t push_count;
    int32_t exponential_count, sums_stale;
    double recurrence_step;                             // s, step length of the last push
    double kernel_error;                                // relative error of the exponentials
    double time, shortest, longest, spacing, slow_node; // of the exponentials
} header;

static const char magic[8] = "fmmemory";
enum { VERSION = 2 };

// The header of the present state.
static header create_header(const fm_memory *memory)
{
    header h;
    memset(&h, 0, sizeof h); // the padding bytes are hashed too
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.method = (int32_t)memory->def.method;
    h.order = memory->def.order;
    h.time_step = memory->def.time_step;
    h.horizon = memory->def.horizon;
    h.tolerance = memory->def.tolerance;
    h.window_seconds = memory->def.window_seconds;
    h.fading_time = memory->def.fading_time;
    h.window = memory->window;
    h.lane_count = memory->lane_count;
    h.row_count = memory->row_count;
    h.newest = memory->newest;
    h.push_count = memory->push_count;
    h.exponential_count = memory->sum.count;
    h.sums_stale = memory->sums_stale;
    h.recurrence_step = memory->recurrence ? memory->recurrence->step : 0;
    h.kernel_error = memory->sum.error;
    h.time = memory->time;
    h.shortest = memory->shortest;
    h.longest = memory->longest;
    h.spacing = memory->sum.spacing;
    h.slow_node = memory->sum.slow_node;
    return h;
}

// Bytes of the rows of all blocks.
static size_t rows_size(const header *h)
{
    return (size_t)fm_parallel_block_count(h->lane_count, FM_LANES) * (size_t)h->row_count *
           FM_LANES * sizeof(double);
}

// Bytes of the whole snapshot.
static size_t total_size(const header *h)
{
    return sizeof *h + 2 * (size_t)h->exponential_count * sizeof(double) + rows_size(h) +
           sizeof(uint64_t);
}

// Writes the state to buffer if `size` bytes are enough. Returns the number of bytes needed.
size_t fm_memory_save(const fm_memory *memory, void *buffer, size_t size)
{
    assert(memory);
    header h = create_header(memory);
    size_t need = total_size(&h), table = (size_t)h.exponential_count * sizeof(double);
    if (!buffer || size < need)
        return need;
    unsigned char *out = buffer;
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, memory->sum.decay_rate, table);
    memcpy(out + sizeof h + table, memory->sum.weight, table);
    memcpy(out + sizeof h + 2 * table, memory->state, rows_size(&h));
    uint64_t hash = fm_hash(out, need - sizeof hash, 0);
    memcpy(out + need - sizeof hash, &hash, sizeof hash);
    return need;
}

// A hash of the header and of all rows of the state.
uint64_t fm_memory_hash(const fm_memory *memory)
{
    assert(memory);
    header h = create_header(memory);
    uint64_t hash = fm_hash(&h, sizeof h, 0);
    return fm_hash(memory->state, rows_size(&h), hash);
}

// Whether the row count, the push count and the newest row of a header are consistent with each
// other and with the header `own` of the memory that is to be restored.
static bool rows_fit(const header *h, const header *own)
{
    if (h->push_count < 0)
        return false;
    if (own->exponential_count > 0)
        return h->exponential_count >= 2 && h->exponential_count <= FM_MEMORY_MAX_EXPONENTIALS &&
               h->row_count == ROW_MODES + h->exponential_count;
    bool unlimited = h->window == FM_MEMORY_UNLIMITED;
    if (unlimited ? h->row_count < 1 || h->push_count > h->row_count
                  : h->row_count != own->row_count)
        return false;
    return h->newest == (h->row_count - 1 + h->push_count) % h->row_count;
}

// Fills err and returns false if the header does not fit the memory.
static bool check_header(const header *h, const fm_memory *memory, size_t size, fm_error *err)
{
    header own = create_header(memory);
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return fm_fail(err, FM_BAD_VALUE, object, "magic", "something else",
                       "bytes written by fm_memory_save");
    if (h->version != VERSION)
        return fm_fail_number(err, object, "version", h->version,
                              "2, in the byte order of this machine");
    if (h->method != own.method)
        return fm_fail_number(err, object, "method", h->method, "that of this memory");
    if (h->order != own.order)
        return fm_fail_number(err, object, "order", h->order, "that of this memory");
    if (h->time_step != own.time_step)
        return fm_fail_number(err, object, "time_step", h->time_step, "that of this memory");
    bool exponentials = fm_memory_uses_exponentials(memory);
    if (exponentials && (h->tolerance != own.tolerance || h->horizon != own.horizon))
        return fm_fail_number(err, object, "tolerance", h->tolerance,
                              "tolerance and horizon of this memory");
    if (h->method == FM_MEMORY_FADING && h->fading_time != own.fading_time)
        return fm_fail_number(err, object, "fading_time", h->fading_time, "that of this memory");
    if (h->window != own.window)
        return fm_fail_number(err, object, "window_steps", h->window, "that of this memory");
    if (h->lane_count != own.lane_count)
        return fm_fail_number(err, object, "lane_count", h->lane_count, "that of this memory");
    if (!rows_fit(h, &own))
        return fm_fail_number(err, object, "row_count", h->row_count, "what the definition gives");
    if (exponentials && !(h->time >= 0 && h->shortest > 0 && h->longest > 0 && h->spacing > 0 &&
                          isfinite(h->time + h->longest + h->slow_node)))
        return fm_fail_number(err, object, "time", h->time, "finite numbers of exponentials");
    if (size < total_size(h))
        return fm_fail_number(err, object, "size", (double)size, "the size fm_memory_save gave");
    return true;
}

// Changes the number of rows per block to that of a saved state. False when memory runs out.
static bool resize_rows(fm_memory *memory, int rows)
{
    if (!fm_memory_uses_exponentials(memory))
        return fm_window_resize(memory, rows);
    double *state = fm_memory_copy_rows(memory, rows);
    if (state)
        fm_memory_replace_rows(memory, state, rows);
    return state != NULL;
}

// Checks the bytes of a saved state and restores it into a memory with the same definition. On
// failure the memory is unchanged.
bool fm_memory_restore(fm_memory *memory, const void *buffer, size_t size, fm_error *err)
{
    assert(err->status != FM_OK || memory);
    if (err->status != FM_OK)
        return false;
    header h;
    if (size < sizeof h)
        return fm_fail_number(err, object, "size", (double)size, "the size fm_memory_save gave");
    const unsigned char *in = buffer;
    memcpy(&h, in, sizeof h);
    if (!check_header(&h, memory, size, err))
        return false;
    size_t need = total_size(&h), table = (size_t)h.exponential_count * sizeof(double);
    uint64_t hash;
    memcpy(&hash, in + need - sizeof hash, sizeof hash);
    if (hash != fm_hash(in, need - sizeof hash, 0))
        return fm_fail(err, FM_BAD_VALUE, object, "checksum", "wrong", "undamaged bytes");
    if (h.row_count != memory->row_count && !resize_rows(memory, h.row_count))
        return fm_fail_no_memory(err, object, rows_size(&h));

    memcpy(memory->sum.decay_rate, in + sizeof h, table);
    memcpy(memory->sum.weight, in + sizeof h + table, table);
    memcpy(memory->state, in + sizeof h + 2 * table, rows_size(&h));
    memory->sum.count = h.exponential_count;
    memory->sum.error = h.kernel_error;
    memory->sum.spacing = h.spacing;
    memory->sum.slow_node = h.slow_node;
    memory->time = h.time;
    memory->shortest = h.shortest;
    memory->longest = h.longest;
    memory->push_count = h.push_count;
    memory->newest = h.newest;
    if (memory->recurrence)
        memory->recurrence->step = 0; // its coefficients belong to the replaced exponentials
    fm_memory_set_step(memory, h.recurrence_step);
    memory->sums_stale = h.sums_stale != 0;
    return true;
}
