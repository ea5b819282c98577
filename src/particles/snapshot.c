// SPDX-License-Identifier: MIT
// snapshot.c: saves and restores a fluid as bytes:
//
//     header | x y z | vx vy vz s | id | P fill | layers of the sources | terms
//
// s = rho/rho0 - 1. A layer is the number of the next layer of particles that a source emits. Terms
// are extensions of the fluid, such as fractional viscosity (terms.h).
// Particles are saved in their current order. Sorting is stable, so that a restored fluid continues
// with the same bits.
#include "particles/particles.h"

#include <string.h>

// Begins the saved bytes of a fluid. The fields without a comment are those of fm_particles.
typedef struct fluid_header {
    char magic[8];
    int32_t version, count, next_id, source_count, begun, unused;
    double time, max_speed, max_acceleration, removed, refused;
    uint64_t terms_size; // bytes of the terms (extensions of the fluid)
} fluid_header;

static const char magic[8] = "fmfluid ";
enum {
    VERSION = 3,                   // of the layout
    DOUBLES = 3,                   // doubles per particle: x, y, z
    FLOATS = 6,                    // floats per particle: vx, vy, vz, s, P, fill
    ARRAYS = DOUBLES + FLOATS + 1, // arrays of the state: these and the int id
};

// The header that precedes the saved state of a fluid.
static fluid_header find_header(const fm_particles *p)
{
    fluid_header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.count = p->count;
    h.next_id = p->next_id;
    h.source_count = p->source_count;
    h.begun = p->begun;
    h.time = p->time;
    h.max_speed = p->max_speed;
    h.max_acceleration = p->max_acceleration;
    h.removed = p->removed;
    h.refused = p->refused;
    h.terms_size = fm_fluid_terms_save(p, NULL);
    return h;
}

// Bytes of a saved fluid with `count` particles, without its terms (extensions, terms.h).
static size_t state_size(int count, int source_count)
{
    return sizeof(fluid_header) +
           (size_t)count * (DOUBLES * sizeof(double) + FLOATS * sizeof(float) + sizeof(int)) +
           (size_t)source_count * sizeof(int64_t);
}

// One array of the saved state. size: bytes per particle. Pressure P and fill (kernel sum) are
// saved because readers see them until the next step.
typedef struct state_array {
    void *values;
    size_t size;
} state_array;

// Lists the arrays of a fluid's state, in the order of a snapshot. Returns their number.
static int list_state_arrays(const fm_particles *p, state_array arrays[ARRAYS])
{
    const fm_particle_state *q = &p->now;
    const size_t d = sizeof(double), f = sizeof(float);
    state_array all[ARRAYS] = {{q->x, d},  {q->y, d},   {q->z, d}, {q->vx, f},
                               {q->vy, f}, {q->vz, f},  {q->s, f}, {q->id, sizeof(int)},
                               {p->P, f},  {p->fill, f}};
    memcpy(arrays, all, sizeof all);
    return ARRAYS;
}

// Writes the state of a fluid as bytes and returns the size needed; writes nothing if the buffer is
// too small.
size_t fm_particles_save(const fm_particles *p, void *buffer, size_t size)
{
    fluid_header h = find_header(p);
    size_t need = state_size(p->count, p->source_count) + h.terms_size;
    if (!buffer || size < need)
        return need;
    unsigned char *out = buffer;
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    state_array arrays[ARRAYS];
    int count = list_state_arrays(p, arrays);
    for (int k = 0; k < count; k++) {
        size_t bytes = (size_t)p->count * arrays[k].size;
        if (arrays[k].values)
            memcpy(out, arrays[k].values, bytes);
        else
            memset(out, 0, bytes); // the array is allocated by the first advance
        out += bytes;
    }
    for (int i = 0; i < p->source_count; i++, out += sizeof(int64_t))
        memcpy(out, &p->sources[i].layer, sizeof(int64_t));
    fm_fluid_terms_save(p, out);
    return need;
}

// Hash of the state of a fluid.
uint64_t fm_particles_hash(const fm_particles *p, uint64_t seed)
{
    fluid_header h = find_header(p);
    uint64_t hash = fm_hash(&h, sizeof h, seed);
    state_array arrays[ARRAYS];
    list_state_arrays(p, arrays);
    for (int k = 0; k < ARRAYS - 1; k++) // without fill, the last, which positions determine
        hash = fm_hash(arrays[k].values, (size_t)p->count * arrays[k].size, hash);
    for (int i = 0; i < p->source_count; i++)
        hash = fm_hash(&p->sources[i].layer, sizeof(int64_t), hash);
    return fm_fluid_terms_hash(p, hash);
}

// Checks that the header of a saved state fits this fluid and the number of bytes.
static bool check_header(const fm_particles *p, const fluid_header *h, size_t size, fm_error *err)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0 || h->version != VERSION)
        return fm_fail_number(err, p->object.name, "state version", h->version,
                              "that of this program");
    if (h->count < 0 || h->count > p->capacity || h->next_id < 0)
        return fm_fail_number(err, p->object.name, "state particles", h->count,
                              "at most the capacity of this fluid");
    if (h->source_count != p->source_count)
        return fm_fail_number(err, p->object.name, "state sources", h->source_count,
                              "those of this fluid");
    if (h->terms_size > size || size != state_size(h->count, h->source_count) + h->terms_size)
        return fm_fail_number(err, p->object.name, "state size", (double)size, "what was saved");
    bool good = isfinite(h->time) && h->max_speed >= 0 && h->max_acceleration >= 0;
    return good || fm_fail_number(err, p->object.name, "state time", h->time, "finite numbers");
}

// The fluid must be prepared: its capacity and speed of sound follow from its initial state.
bool fm_particles_restore(fm_particles *p, const void *buffer, size_t size, fm_error *err)
{
    fluid_header h;
    if (size < sizeof h)
        return fm_fail_number(err, p->object.name, "state size", (double)size, "what was saved");
    memcpy(&h, buffer, sizeof h);
    if (!check_header(p, &h, size, err))
        return false;
    const unsigned char *in = (const unsigned char *)buffer + sizeof h;
    const unsigned char *terms = in + (size - sizeof h) - h.terms_size;
    if (!fm_fluid_terms_restore(p, h.count, terms, h.terms_size, err))
        return false;
    p->list_age = 0;
    state_array arrays[ARRAYS];
    int count = list_state_arrays(p, arrays);
    for (int k = 0; k < count; k++) {
        size_t bytes = (size_t)h.count * arrays[k].size;
        memcpy(arrays[k].values, in, bytes);
        in += bytes;
    }
    for (int i = 0; i < p->source_count; i++, in += sizeof(int64_t))
        memcpy(&p->sources[i].layer, in, sizeof(int64_t));
    p->count = h.count;
    p->next_id = h.next_id;
    p->begun = h.begun;
    p->time = h.time;
    p->max_speed = h.max_speed;
    p->max_acceleration = h.max_acceleration;
    p->removed = h.removed;
    p->refused = h.refused;
    p->fluid.count = 0; // must be sorted again
    p->boundary_sorted = false;
    return true;
}
