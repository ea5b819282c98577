// SPDX-License-Identifier: MIT
// spring_snapshot.c: saves, restores and hashes the springs of a fluid.
#include "particles/spring_network.h"

#include <string.h>

// Begins the saved springs. Followed by, for each particle, its number of springs, its history
// stiffness and the sum of stiffnesses, then for each spring other, rest, length, path, memory and
// modes.
typedef struct springs_header {
    int64_t spring_count;
    int32_t mode_count, begun;
    double recorded, renewed, largest_sum;
    fm_spring_stats totals;
} springs_header;

// Bytes of one saved spring.
static size_t find_spring_size(const fm_springs *s)
{
    return sizeof(int) + (4 + (size_t)s->mode_count) * sizeof(float);
}

// Bytes of the saved past velocities, behind the springs.
static size_t find_past_size(const fm_springs *s, int count)
{
    return s->past ? fm_velocity_history_find_size(s->past, count) : 0;
}

// The header that precedes the saved springs.
static springs_header find_header(const fm_particles *p, const fm_springs *s)
{
    springs_header h;
    memset(&h, 0, sizeof h);
    h.mode_count = s->mode_count;
    h.begun = s->begun;
    h.recorded = s->recorded;
    h.renewed = s->renewed;
    h.largest_sum = s->largest_sum;
    h.totals = s->totals;
    for (int i = 0; i < p->count; i++)
        h.spring_count += s->now.count[i];
    return h;
}

// Copies n bytes to *out and advances it.
static void put(unsigned char **out, const void *from, size_t n)
{
    memcpy(*out, from, n);
    *out += n;
}

// Copies n bytes from *in and advances it.
static void get(const unsigned char **in, void *to, size_t n)
{
    memcpy(to, *in, n);
    *in += n;
}

// Writes the springs to `out` and returns the number of bytes; NULL: the number only.
size_t fm_springs_save(const fm_particles *p, const void *state, unsigned char *out)
{
    const fm_springs *s = state;
    const springs_header h = find_header(p, s);
    const size_t modes = (size_t)s->mode_count;
    size_t size = sizeof h + (size_t)p->count * (sizeof(int) + 2 * sizeof(float)) +
                  (size_t)h.spring_count * find_spring_size(s) + find_past_size(s, p->count);
    if (!out)
        return size;
    put(&out, &h, sizeof h);
    put(&out, s->now.count, (size_t)p->count * sizeof(int));
    put(&out, s->history->now, (size_t)p->count * sizeof(float));
    put(&out, s->sum->now, (size_t)p->count * sizeof(float));
    for (int i = 0; i < p->count; i++) {
        for (int k = s->now.start[i]; k < s->now.start[i] + s->now.count[i]; k++) {
            put(&out, &s->now.other[k], sizeof(int));
            put(&out, &s->now.rest[k], sizeof(float));
            put(&out, &s->now.length[k], sizeof(float));
            put(&out, &s->now.path[k], sizeof(float));
            put(&out, &s->now.memory[k], sizeof(float));
            put(&out, s->now.modes + (size_t)k * modes, modes * sizeof(float));
        }
    }
    if (s->past)
        fm_velocity_history_save(s->past, p->count, out);
    return size;
}

// Checks that saved springs fit this fluid with `count` particles and the number of bytes.
static bool check_saved(const fm_particles *p, const fm_springs *s, int count,
                        const unsigned char *in, size_t size, fm_error *err)
{
    springs_header h;
    const size_t past = find_past_size(s, count);
    size_t fixed = sizeof h + (size_t)count * (sizeof(int) + 2 * sizeof(float));
    if (size < fixed + past)
        return fm_fail_number(err, p->object.name, "state of springs", (double)size,
                              "what was saved");
    memcpy(&h, in, sizeof h);
    bool good = h.mode_count == s->mode_count && h.spring_count >= 0 && isfinite(h.recorded) &&
                isfinite(h.renewed) && h.largest_sum >= 0 &&
                (size - fixed - past) / find_spring_size(s) == (size_t)h.spring_count &&
                (size - fixed - past) % find_spring_size(s) == 0 &&
                (past == 0 || fm_velocity_history_check(s->past, in + size - past));
    const unsigned char *at = in + sizeof h, *springs = in + fixed;
    int64_t total = 0;
    for (int i = 0, room = 0; i < count && good; i++) {
        int own;
        get(&at, &own, sizeof own);
        room = i % FM_PARTICLES_BLOCK == 0 ? s->block_capacity : room;
        good = own >= 0 && own <= room;
        room -= own;
        total += own;
    }
    good = good && total == h.spring_count;
    for (int64_t k = 0; k < total && good; k++, springs += find_spring_size(s)) {
        int other;
        memcpy(&other, springs, sizeof other);
        good = other >= 0 && other < count;
    }
    return good || fm_fail_number(err, p->object.name, "state of springs", (double)h.spring_count,
                                  "springs of a fluid with the same definition");
}

// Reads the springs from the bytes of a snapshot.
bool fm_springs_restore(fm_particles *p, void *state, int count, const unsigned char *in,
                        size_t size, fm_error *err)
{
    fm_springs *s = state;
    if (size > 0 && !check_saved(p, s, count, in, size, err))
        return false;
    springs_header h;
    memset(&h, 0, sizeof h);
    const size_t modes = (size_t)s->mode_count;
    const unsigned char *past_bytes = in + size - find_past_size(s, count);
    if (size > 0)
        get(&in, &h, sizeof h);
    s->begun = h.begun;
    s->recorded = h.recorded;
    s->renewed = h.renewed;
    s->largest_sum = h.largest_sum;
    s->totals = h.totals;
    if (s->past)
        fm_velocity_history_restore(s->past, count, p->capacity, size > 0 ? past_bytes : NULL);
    if (size == 0) {
        memset(s->now.count, 0, (size_t)count * sizeof(int));
        fm_particle_scalar_clear(s->history, 0, count);
        fm_particle_scalar_clear(s->sum, 0, count);
        return true;
    }
    get(&in, s->now.count, (size_t)count * sizeof(int));
    get(&in, s->history->now, (size_t)count * sizeof(float));
    get(&in, s->sum->now, (size_t)count * sizeof(float));
    for (int i = 0, slot = 0; i < count; i++) {
        slot = i % FM_PARTICLES_BLOCK == 0 ? i / FM_PARTICLES_BLOCK * s->block_capacity : slot;
        s->now.start[i] = slot;
        for (; slot < s->now.start[i] + s->now.count[i]; slot++) {
            get(&in, &s->now.other[slot], sizeof(int));
            get(&in, &s->now.rest[slot], sizeof(float));
            get(&in, &s->now.length[slot], sizeof(float));
            get(&in, &s->now.path[slot], sizeof(float));
            get(&in, &s->now.memory[slot], sizeof(float));
            get(&in, s->now.modes + (size_t)slot * modes, modes * sizeof(float));
        }
    }
    return true;
}

// Hash of the springs.
uint64_t fm_springs_hash(const fm_particles *p, const void *state, uint64_t seed)
{
    const fm_springs *s = state;
    const springs_header h = find_header(p, s);
    const size_t modes = (size_t)s->mode_count;
    uint64_t value = fm_hash(&h, sizeof h, seed);
    for (int i = 0; i < p->count; i++) {
        const size_t first = (size_t)s->now.start[i], n = (size_t)s->now.count[i];
        value = fm_hash(s->now.other + first, n * sizeof(int), value);
        value = fm_hash(s->now.rest + first, n * sizeof(float), value);
        value = fm_hash(s->now.length + first, n * sizeof(float), value);
        value = fm_hash(s->now.path + first, n * sizeof(float), value);
        value = fm_hash(s->now.memory + first, n * sizeof(float), value);
        value = fm_hash(s->now.modes + first * modes, n * modes * sizeof(float), value);
    }
    return s->past ? fm_velocity_history_hash(s->past, p->count, value) : value;
}
