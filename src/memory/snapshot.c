// SPDX-License-Identifier: MIT
// snapshot.c: a memory as bytes.
//
// header | exponentials: rates, weights, the recurrence's step | rows of the blocks | hash of all
// before
//
// The table of exponentials itself is kept, not its recipe, so that a state outlives a better
// recipe. What the step determines (decays, gains, weights) is computed again.
#include "memory/memory.h"

#include <assert.h>
#include <string.h>

static const char *const object = "memory snapshot";

typedef struct header {
    char magic[8];
    uint32_t version;
    int32_t method;
    double order, time_step, horizon, tolerance, window_seconds, fading_time;
    int32_t window, lane_count, row_count, newest;
    int64_t push_count;
    int32_t exponential_count, sums_stale;
    double recurrence_step, kernel_error;
} header;

static const char magic[8] = "fmmemory";
enum { VERSION = 1 };

static header describe(const fm_memory *memory)
{
    header h;
    memset(&h, 0, sizeof h); // padding too: these bytes are hashed
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
    return h;
}

static size_t rows_size(const header *h)
{
    return (size_t)fm_block_count(h->lane_count, FM_LANES) * (size_t)h->row_count * FM_LANES *
           sizeof(double);
}

static size_t total_size(const header *h)
{
    return sizeof *h + 2 * (size_t)h->exponential_count * sizeof(double) + rows_size(h) +
           sizeof(uint64_t);
}

size_t fm_memory_save(const fm_memory *memory, void *buffer, size_t size)
{
    assert(memory);
    header h = describe(memory);
    size_t need = total_size(&h), table = (size_t)h.exponential_count * sizeof(double);
    if (!buffer || size < need)
        return need;
    unsigned char *out = buffer;
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, memory->sum.rate, table);
    memcpy(out + sizeof h + table, memory->sum.weight, table);
    memcpy(out + sizeof h + 2 * table, memory->state, rows_size(&h));
    uint64_t hash = fm_hash(out, need - sizeof hash, 0);
    memcpy(out + need - sizeof hash, &hash, sizeof hash);
    return need;
}

uint64_t fm_memory_hash(const fm_memory *memory)
{
    assert(memory);
    header h = describe(memory);
    uint64_t hash = fm_hash(&h, sizeof h, 0);
    return fm_hash(memory->state, rows_size(&h), hash);
}

// The rows that the counts of a header say are in use are there, and where they say.
static bool rows_fit(const header *h, const header *own)
{
    if (h->push_count < 0)
        return false;
    if (h->exponential_count > 0)
        return h->row_count == own->row_count;
    bool unlimited = h->window == FM_MEMORY_UNLIMITED;
    if (unlimited ? h->row_count < 1 || h->push_count > h->row_count
                  : h->row_count != own->row_count)
        return false;
    return h->newest == (h->row_count - 1 + h->push_count) % h->row_count;
}

static bool check(const header *h, const fm_memory *memory, size_t size, fm_error *err)
{
    header own = describe(memory);
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return fm_fail(err, FM_BAD_VALUE, object, "magic", "something else",
                       "bytes written by fm_memory_save");
    if (h->version != VERSION)
        return fm_fail_number(err, object, "version", h->version,
                              "1, in the byte order of this machine");
    if (h->method != own.method)
        return fm_fail_number(err, object, "method", h->method, "that of this memory");
    if (h->order != own.order)
        return fm_fail_number(err, object, "order", h->order, "that of this memory");
    if (h->time_step != own.time_step)
        return fm_fail_number(err, object, "time_step", h->time_step, "that of this memory");
    bool modes = fm_memory_uses_exponentials(memory);
    if (h->exponential_count != own.exponential_count)
        return fm_fail_number(err, object, "exponentials", h->exponential_count,
                              "as many as this memory has");
    if (modes && (h->tolerance != own.tolerance || h->horizon != own.horizon))
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
    if (size < total_size(h))
        return fm_fail_number(err, object, "size", (double)size, "the size fm_memory_save gave");
    return true;
}

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
    if (!check(&h, memory, size, err))
        return false;
    size_t need = total_size(&h), table = (size_t)h.exponential_count * sizeof(double);
    uint64_t hash;
    memcpy(&hash, in + need - sizeof hash, sizeof hash);
    if (hash != fm_hash(in, need - sizeof hash, 0))
        return fm_fail(err, FM_BAD_VALUE, object, "checksum", "wrong", "undamaged bytes");
    if (h.row_count != memory->row_count && !fm_window_set_rows(memory, h.row_count))
        return fm_fail_no_memory(err, object, rows_size(&h));

    memcpy(memory->sum.rate, in + sizeof h, table);
    memcpy(memory->sum.weight, in + sizeof h + table, table);
    memcpy(memory->state, in + sizeof h + 2 * table, rows_size(&h));
    memory->sum.error = h.kernel_error;
    memory->push_count = h.push_count;
    memory->newest = h.newest;
    if (memory->recurrence)
        memory->recurrence->step = 0; // made with the table that was here before
    fm_memory_set_step(memory, h.recurrence_step);
    memory->sums_stale = h.sums_stale != 0;
    return true;
}
