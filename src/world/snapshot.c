// SPDX-License-Identifier: MIT
// snapshot.c: saves the state of a world as bytes and restores it.
//
//   header | for each object: hash of its kind, size, state | coupling | contact | checksum
#include "world/world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const object = "world state"; // named in error messages

// First bytes of a snapshot.
typedef struct header {
    char magic[8];                 // identifies the format
    int32_t version, object_count; // version of the format; number of objects in the world
    uint64_t size;                 // bytes, of the whole snapshot with its hash
    uint64_t contact_size;         // bytes, state of contact; 0 before its first step
    uint64_t coupling_size;        // bytes, samples of coupled bodies
    double time;                   // s, of the world
} header;

// Bytes before the state of each object.
typedef struct part {
    uint64_t kind; // hash of the name of the object's kind
    uint64_t size; // bytes, of the state that follows
} part;

static const char magic[8] = "fmworld ";
enum { VERSION = 5 }; // version of the format

// Hash of the object's kind (cloth, particles, ball) and size of its state.
static part describe_part(const fm_object *o)
{
    const char *kind = o->type->kind;
    return (part){fm_hash(kind, strlen(kind), 0), o->type->save(o, NULL, 0)};
}

// The header of a snapshot of the world.
static header describe_world(const fm_world *world)
{
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.object_count = world->object_count;
    h.time = world->time;
    h.size = sizeof h + sizeof(uint64_t);
    for (int i = 0; i < world->object_count; i++)
        h.size += sizeof(part) + describe_part(world->objects[i]).size;
    h.contact_size = fm_world_save_contact(world->contact, NULL, 0);
    h.coupling_size = fm_coupling_save(world, NULL);
    h.size += h.contact_size + h.coupling_size;
    return h;
}

// Writes the states of all objects and couplings behind the header. Returns the end of the output.
static unsigned char *write_objects(const fm_world *world, unsigned char *out)
{
    for (int i = 0; i < world->object_count; i++) {
        const fm_object *o = world->objects[i];
        part p = describe_part(o);
        memcpy(out, &p, sizeof p);
        o->type->save(o, out + sizeof p, p.size);
        out += sizeof p + p.size;
    }
    return out + fm_coupling_save(world, out);
}

// Writes a snapshot if `size` is large enough. Returns the size needed, bytes.
size_t fm_world_save(const fm_world *world, void *buffer, size_t size)
{
    assert(world);
    header h = describe_world(world);
    if (!buffer || size < h.size)
        return h.size;
    memcpy(buffer, &h, sizeof h);
    unsigned char *out = write_objects(world, (unsigned char *)buffer + sizeof h);
    fm_world_save_contact(world->contact, out, h.contact_size);
    out += h.contact_size;
    uint64_t hash = fm_hash(buffer, h.size - sizeof hash, 0);
    memcpy(out, &hash, sizeof hash);
    return h.size;
}

// A buffer of `size` bytes that the world keeps from frame to frame; NULL when out of memory.
static unsigned char *reserve_hash_bytes(fm_world *world, size_t size)
{
    if (size <= world->hash_capacity && world->hash_bytes)
        return world->hash_bytes;
    free(world->hash_bytes);
    world->hash_bytes = malloc(size + 1);
    world->hash_capacity = world->hash_bytes ? size : 0;
    return world->hash_bytes;
}

// Continues `hash` with the state of an object; false when out of memory.
static bool hash_object(fm_world *world, const fm_object *o, uint64_t *hash)
{
    part p = describe_part(o);
    *hash = fm_hash(&p, sizeof p, *hash);
    if (o->type->hash) {
        *hash = o->type->hash(o, *hash);
        return true;
    }
    unsigned char *bytes = reserve_hash_bytes(world, p.size);
    if (!bytes)
        return false;
    o->type->save(o, bytes, p.size);
    *hash = fm_hash(bytes, p.size, *hash);
    return true;
}

// Hash of the state of the world. The state of contact is left out, because it only serves speed. 0
// when out of memory.
uint64_t fm_world_hash(const fm_world *world)
{
    assert(world);
    fm_world *scratch = (fm_world *)world; // only its buffer is written
    header h = describe_world(world);
    h.size -= h.contact_size;
    h.contact_size = 0;
    uint64_t hash = fm_hash(&h, sizeof h, 0);
    for (int i = 0; i < world->object_count; i++) {
        if (!hash_object(scratch, world->objects[i], &hash))
            return 0;
    }
    unsigned char *bytes = reserve_hash_bytes(scratch, h.coupling_size);
    if (!bytes)
        return 0;
    fm_coupling_save(world, bytes);
    return fm_hash(bytes, h.coupling_size, hash);
}

// Checks magic, version, size, checksum and number of objects of a snapshot.
static bool check_header(const fm_world *world, const header *h, const void *buffer, size_t size,
                         fm_error *err)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return fm_fail(err, FM_BAD_VALUE, object, "magic", "something else",
                       "bytes written by fm_world_save");
    if (h->version != VERSION)
        return fm_fail_number(err, object, "version", h->version,
                              "4, in the byte order of this machine");
    if (h->size != size)
        return fm_fail_number(err, object, "size", (double)size, "the size fm_world_save gave");
    uint64_t hash;
    memcpy(&hash, (const unsigned char *)buffer + size - sizeof hash, sizeof hash);
    if (hash != fm_hash(buffer, size - sizeof hash, 0))
        return fm_fail(err, FM_BAD_VALUE, object, "checksum", "wrong", "undamaged bytes");
    if (h->object_count != world->object_count)
        return fm_fail_number(err, object, "objects", h->object_count, "those of this world");
    if (!isfinite(h->time))
        return fm_fail_number(err, object, "time", h->time, "a finite number");
    return true;
}

// Returns the state of the next object in a snapshot and advances `in` behind it; size: its bytes,
// at least one. NULL if the data is truncated or belongs to another kind of object.
static const unsigned char *next_part(const fm_object *o, const unsigned char **in,
                                      const unsigned char *end, size_t *size, fm_error *err)
{
    part p = {0};
    size_t left = (size_t)(end - *in);
    if (left >= sizeof p)
        memcpy(&p, *in, sizeof p);
    if (p.size == 0 || p.size > left - sizeof p) {
        fm_fail_number(err, object, "size of a part", (double)p.size, "what was saved");
        return NULL;
    }
    if (p.kind != describe_part(o).kind) {
        fm_fail(err, FM_BAD_VALUE, o->name, "kind of the saved state", "another", o->type->kind);
        return NULL;
    }
    const unsigned char *found = *in + sizeof p;
    *in = found + p.size;
    *size = p.size;
    return found;
}

// Restores objects, couplings and contact from the bytes `in` to `end`, which follow the header.
static bool restore_parts(fm_world *world, const unsigned char *in, const unsigned char *end,
                          size_t coupling_size, size_t contact_size, fm_error *err)
{
    for (int i = 0; i < world->object_count; i++) {
        size_t size;
        fm_object *o = world->objects[i];
        fm_surroundings around = fm_object_surroundings(o);
        const unsigned char *state = next_part(o, &in, end, &size, err);
        o->measured = false;
        if (!state || !o->type->restore(o, &around, state, size, err))
            return false;
    }
    if (coupling_size > (size_t)(end - in))
        return fm_fail_number(err, object, "coupling size", (double)coupling_size,
                              "what was saved");
    if (!fm_coupling_restore(world, in, coupling_size, err))
        return false;
    in += coupling_size;
    if ((size_t)(end - in) != contact_size)
        return fm_fail_number(err, object, "contact size", (double)contact_size, "what was saved");
    return contact_size == 0 || fm_world_restore_contact(world->contact, in, contact_size, err);
}

// Restores the world from a snapshot whose header was checked. If an object refuses its state, the
// world is left partly restored.
static bool restore_state(fm_world *world, const unsigned char *buffer, size_t size, fm_error *err)
{
    header h;
    memcpy(&h, buffer, sizeof h);
    if (h.contact_size == 0)
        fm_world_destroy_contact(world); // the state is from before the first step with contact
    else if (!world->contact && !fm_world_create_contact(world, err))
        return false;
    if (!restore_parts(world, buffer + sizeof h, buffer + size - sizeof(uint64_t), h.coupling_size,
                       h.contact_size, err))
        return false;
    world->time = h.time;
    return true;
}

// Restores the world from a snapshot. If an object refuses its state, all get their old state back.
bool fm_world_restore(fm_world *world, const void *buffer, size_t size, fm_error *err)
{
    assert(err->status != FM_OK || world);
    if (err->status != FM_OK)
        return false;
    header h;
    if (size < sizeof h + sizeof(uint64_t))
        return fm_fail_number(err, object, "size", (double)size, "the size fm_world_save gave");
    memcpy(&h, buffer, sizeof h);
    if (!check_header(world, &h, buffer, size, err))
        return false;
    if (h.contact_size > 0 && !fm_world_has_contact(world))
        return fm_fail_number(err, object, "contact", (double)h.contact_size,
                              "0: no body of this world has it");
    size_t old_size = fm_world_save(world, NULL, 0);
    void *old_state = malloc(old_size);
    if (!old_state)
        return fm_fail_no_memory(err, object, old_size);
    fm_world_save(world, old_state, old_size);
    bool good = restore_state(world, buffer, size, err);
    if (!good) {
        fm_error ignored = {0};
        restore_state(world, old_state, old_size, &ignored);
    }
    free(old_state);
    return good;
}
