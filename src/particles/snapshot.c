// SPDX-License-Identifier: MIT
// snapshot.c: a fluid as bytes: header | x y z | vx vy vz s | id | P fill | layers of the sources |
// what particles remember.
//
// In the order of the cells they were in, which sorting keeps among those that share one: a
// restored fluid goes on with the same bits.
#include "particles/particles.h"

#include <string.h>

typedef struct header {
    char magic[8];
    int32_t version, count, next_id, source_count;
    double time, max_speed, max_acceleration, removed, refused;
    uint64_t past_size; // bytes
} header;

static const char magic[8] = "fmfluid ";
enum { VERSION = 2, DOUBLES = 3, FLOATS = 6 };

static header describe(const fm_particles *p)
{
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.count = p->count;
    h.next_id = p->next_id;
    h.source_count = p->source_count;
    h.time = p->time;
    h.max_speed = p->max_speed;
    h.max_acceleration = p->max_acceleration;
    h.removed = p->removed;
    h.refused = p->refused;
    h.past_size = fm_past_save(p, NULL);
    return h;
}

static size_t state_size(int count, int source_count)
{
    return sizeof(header) +
           (size_t)count * (DOUBLES * sizeof(double) + FLOATS * sizeof(float) + sizeof(int)) +
           (size_t)source_count * sizeof(int64_t);
}

// What the state is made of: bytes of each particle and where they are. P and fill are what readers
// see until the next step.
typedef struct piece {
    void *values;
    size_t size;
} piece;

static int list_pieces(const fm_particles *p, piece pieces[10])
{
    const fm_parcels *q = &p->now;
    piece all[10] = {{q->x, 8},  {q->y, 8}, {q->z, 8},  {q->vx, 4}, {q->vy, 4},
                     {q->vz, 4}, {q->s, 4}, {q->id, 4}, {p->P, 4},  {p->fill, 4}};
    memcpy(pieces, all, sizeof all);
    return 10;
}

size_t fm_particles_save(const fm_particles *p, void *buffer, size_t size)
{
    header h = describe(p);
    size_t need = state_size(p->count, p->source_count) + h.past_size;
    if (!buffer || size < need)
        return need;
    unsigned char *out = buffer;
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    piece pieces[10];
    int count = list_pieces(p, pieces);
    for (int k = 0; k < count; k++) {
        size_t bytes = (size_t)p->count * pieces[k].size;
        if (pieces[k].values)
            memcpy(out, pieces[k].values, bytes);
        else
            memset(out, 0, bytes); // not yet
        out += bytes;
    }
    for (int i = 0; i < p->source_count; i++, out += sizeof(int64_t))
        memcpy(out, &p->sources[i].layer, sizeof(int64_t));
    fm_past_save(p, out);
    return need;
}

uint64_t fm_particles_hash(const fm_particles *p, uint64_t seed)
{
    header h = describe(p);
    uint64_t hash = fm_hash(&h, sizeof h, seed);
    piece pieces[10];
    list_pieces(p, pieces);
    for (int k = 0; k < 8; k++)
        hash = fm_hash(pieces[k].values, (size_t)p->count * pieces[k].size, hash);
    for (int i = 0; i < p->source_count; i++)
        hash = fm_hash(&p->sources[i].layer, sizeof(int64_t), hash);
    return fm_past_hash(p, hash);
}

static bool check(const fm_particles *p, const header *h, size_t size, fm_error *err)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0 || h->version != VERSION)
        return fm_fail_number(err, p->name, "state version", h->version, "that of this program");
    if (h->count < 0 || h->count > p->capacity || h->next_id < 0)
        return fm_fail_number(err, p->name, "state particles", h->count,
                              "at most the capacity of this fluid");
    if (h->source_count != p->source_count)
        return fm_fail_number(err, p->name, "state sources", h->source_count,
                              "those of this fluid");
    if (h->past_size > size || size != state_size(h->count, h->source_count) + h->past_size)
        return fm_fail_number(err, p->name, "state size", (double)size, "what was saved");
    bool good = isfinite(h->time) && h->max_speed >= 0 && h->max_acceleration >= 0;
    return good || fm_fail_number(err, p->name, "state time", h->time, "finite numbers");
}

// The fluid has been prepared: the capacity and the speed of sound come from its beginning.
bool fm_particles_restore(fm_particles *p, const void *buffer, size_t size, fm_error *err)
{
    header h;
    if (size < sizeof h)
        return fm_fail_number(err, p->name, "state size", (double)size, "what was saved");
    memcpy(&h, buffer, sizeof h);
    if (!check(p, &h, size, err))
        return false;
    const unsigned char *in = (const unsigned char *)buffer + sizeof h;
    if (!fm_past_restore(p, in + (size - sizeof h) - h.past_size, h.past_size, err))
        return false;
    piece pieces[10];
    int count = list_pieces(p, pieces);
    for (int k = 0; k < count; k++) {
        size_t bytes = (size_t)h.count * pieces[k].size;
        memcpy(pieces[k].values, in, bytes);
        in += bytes;
    }
    for (int i = 0; i < p->source_count; i++, in += sizeof(int64_t))
        memcpy(&p->sources[i].layer, in, sizeof(int64_t));
    p->count = h.count;
    p->next_id = h.next_id;
    p->time = h.time;
    p->max_speed = h.max_speed;
    p->max_acceleration = h.max_acceleration;
    p->removed = h.removed;
    p->refused = h.refused;
    fm_passages_forget(p, 0);
    p->fluid.count = 0; // to be sorted again
    p->others_sorted = false;
    return true;
}
