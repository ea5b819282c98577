// SPDX-License-Identifier: MIT
// snapshot.c: a world as bytes.
//
// header | for each cloth, then each fluid: size, state | for each free collider: state | coupling
// | contact | hash of all before
#include "world/world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const object = "world state";

typedef struct header {
    char magic[8];
    int32_t version, cloth_count, fluid_count, free_count;
    uint64_t size;         // of everything, the hash included
    uint64_t contact_size; // of what contact leaves behind; 0 before it began
    uint64_t couple_size;  // of what cloths and fluids have for each other
    double time;
} header;

static const char magic[8] = "fmworld ";
enum { VERSION = 3 };

enum { FREE_SIZE = FM_FREE_STATE * sizeof(double) };

static header describe(const fm_world *world)
{
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.cloth_count = world->cloth_count;
    h.fluid_count = world->fluid_count;
    for (int i = 0; i < world->collider_count; i++)
        h.free_count += world->colliders[i]->mass > 0;
    h.time = world->time;
    h.size = sizeof h + sizeof(uint64_t) + (size_t)h.free_count * FREE_SIZE;
    for (int i = 0; i < world->fluid_count; i++)
        h.size += sizeof(uint64_t) + fm_particles_save(world->fluids[i], NULL, 0);
    for (int i = 0; i < world->cloth_count; i++)
        h.size += sizeof(uint64_t) + fm_cloth_save(world->cloths[i], NULL, 0);
    h.contact_size = fm_touch_save(world->touch, NULL, 0);
    h.couple_size = fm_couple_save(world, NULL);
    h.size += h.contact_size + h.couple_size;
    return h;
}

size_t fm_world_save(const fm_world *world, void *buffer, size_t size)
{
    assert(world);
    header h = describe(world);
    if (!buffer || size < h.size)
        return h.size;
    unsigned char *out = buffer;
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    for (int i = 0; i < world->cloth_count; i++) {
        uint64_t part = fm_cloth_save(world->cloths[i], NULL, 0);
        memcpy(out, &part, sizeof part);
        fm_cloth_save(world->cloths[i], out + sizeof part, part);
        out += sizeof part + part;
    }
    for (int i = 0; i < world->fluid_count; i++) {
        uint64_t part = fm_particles_save(world->fluids[i], NULL, 0);
        memcpy(out, &part, sizeof part);
        fm_particles_save(world->fluids[i], out + sizeof part, part);
        out += sizeof part + part;
    }
    for (int i = 0; i < world->collider_count; i++) {
        double state[FM_FREE_STATE];
        if (!(world->colliders[i]->mass > 0))
            continue;
        fm_collider_save(world->colliders[i], state);
        memcpy(out, state, FREE_SIZE);
        out += FREE_SIZE;
    }
    out += fm_couple_save(world, out);
    fm_touch_save(world->touch, out, h.contact_size);
    out += h.contact_size;
    uint64_t hash = fm_hash(buffer, h.size - sizeof hash, 0);
    memcpy(out, &hash, sizeof hash);
    return h.size;
}

uint64_t fm_world_hash(const fm_world *world)
{
    assert(world);
    header h = describe(world);
    uint64_t hash = fm_hash(&h, sizeof h, 0);
    for (int i = 0; i < world->cloth_count; i++)
        hash = fm_cloth_hash(world->cloths[i], hash);
    for (int i = 0; i < world->fluid_count; i++)
        hash = fm_particles_hash(world->fluids[i], hash);
    for (int i = 0; i < world->collider_count; i++) {
        double state[FM_FREE_STATE];
        if (!(world->colliders[i]->mass > 0))
            continue;
        fm_collider_save(world->colliders[i], state);
        hash = fm_hash(state, FREE_SIZE, hash);
    }
    return fm_couple_hash(world, hash);
}

static bool check(const fm_world *world, const header *h, const void *buffer, size_t size,
                  fm_error *err)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return fm_fail(err, FM_BAD_VALUE, object, "magic", "something else",
                       "bytes written by fm_world_save");
    if (h->version != VERSION)
        return fm_fail_number(err, object, "version", h->version,
                              "3, in the byte order of this machine");
    if (h->size != size)
        return fm_fail_number(err, object, "size", (double)size, "the size fm_world_save gave");
    uint64_t hash;
    memcpy(&hash, (const unsigned char *)buffer + size - sizeof hash, sizeof hash);
    if (hash != fm_hash(buffer, size - sizeof hash, 0))
        return fm_fail(err, FM_BAD_VALUE, object, "checksum", "wrong", "undamaged bytes");
    if (h->cloth_count != world->cloth_count)
        return fm_fail_number(err, object, "cloths", h->cloth_count, "those of this world");
    if (h->fluid_count != world->fluid_count)
        return fm_fail_number(err, object, "fluids", h->fluid_count, "those of this world");
    if (h->free_count != describe(world).free_count)
        return fm_fail_number(err, object, "free colliders", h->free_count, "those of this world");
    if (!isfinite(h->time))
        return fm_fail_number(err, object, "time", h->time, "a finite number");
    return true;
}

// The next part, of which there is at least one byte; NULL when it is cut short.
static const unsigned char *next_part(const unsigned char **in, const unsigned char *end,
                                      uint64_t *part, fm_error *err)
{
    *part = 0;
    if ((size_t)(end - *in) >= sizeof *part)
        memcpy(part, *in, sizeof *part);
    if (*part == 0 || *part > (size_t)(end - *in) - sizeof *part) {
        fm_fail_number(err, object, "size of a part", (double)*part, "what was saved");
        return NULL;
    }
    const unsigned char *found = *in + sizeof *part;
    *in = found + *part;
    return found;
}

// Free colliders, and behind them what coupling and contact left.
static bool restore_free(fm_world *world, const unsigned char *in, const unsigned char *end,
                         size_t couple_size, size_t contact_size, fm_error *err)
{
    for (int i = 0; i < world->collider_count; i++) {
        double state[FM_FREE_STATE];
        if (!(world->colliders[i]->mass > 0))
            continue;
        if ((size_t)(end - in) < FREE_SIZE)
            return fm_fail_number(err, object, "size", (double)(end - in), "what was saved");
        memcpy(state, in, FREE_SIZE);
        for (int k = 0; k < FM_FREE_STATE; k++)
            if (!isfinite(state[k]))
                return fm_fail_number(err, object, "free collider", state[k], "finite numbers");
        fm_collider_restore(world->colliders[i], state);
        in += FREE_SIZE;
    }
    if (couple_size > (size_t)(end - in) || !fm_couple_restore(world, in, couple_size, err))
        return fm_fail_number(err, object, "coupling size", (double)couple_size, "what was saved");
    in += couple_size;
    if ((size_t)(end - in) != contact_size)
        return fm_fail_number(err, object, "contact size", (double)contact_size, "what was saved");
    return contact_size == 0 || fm_touch_restore(world->touch, in, contact_size, err);
}

static bool restore_parts(fm_world *world, const unsigned char *in, const unsigned char *end,
                          size_t couple_size, size_t contact_size, fm_error *err)
{
    uint64_t size;
    for (int i = 0; i < world->cloth_count; i++) {
        const unsigned char *part = next_part(&in, end, &size, err);
        fm_medium medium = fm_couple_medium(world, world->cloths[i]);
        if (!part || !fm_cloth_restore(world->cloths[i], &medium, part, size, err))
            return false;
    }
    fm_surroundings around = fm_world_surroundings(world);
    for (int i = 0; i < world->fluid_count; i++) {
        const unsigned char *part = next_part(&in, end, &size, err);
        if (!part || !fm_particles_prepare(world->fluids[i], &around, err) ||
            !fm_particles_restore(world->fluids[i], part, size, err))
            return false;
    }
    return restore_free(world, in, end, couple_size, contact_size, err);
}

// Makes the world what the bytes say, which have been checked as a whole. When a part is refused,
// the world is left between the two.
static bool apply(fm_world *world, const unsigned char *buffer, size_t size, fm_error *err)
{
    header h;
    memcpy(&h, buffer, sizeof h);
    if (h.contact_size == 0)
        fm_touch_drop(world); // the state is from before contact began
    else if (!world->touch && !fm_touch_make(world, err))
        return false;
    if (!restore_parts(world, buffer + sizeof h, buffer + size - sizeof(uint64_t), h.couple_size,
                       h.contact_size, err))
        return false;
    world->time = h.time;
    return true;
}

bool fm_world_restore(fm_world *world, const void *buffer, size_t size, fm_error *err)
{
    assert(err->status != FM_OK || world);
    if (err->status != FM_OK)
        return false;
    header h;
    if (size < sizeof h + sizeof(uint64_t))
        return fm_fail_number(err, object, "size", (double)size, "the size fm_world_save gave");
    memcpy(&h, buffer, sizeof h);
    if (!check(world, &h, buffer, size, err))
        return false;
    if (h.contact_size > 0 && !fm_world_has_contact(world))
        return fm_fail_number(err, object, "contact", (double)h.contact_size,
                              "0: no cloth of this world has it");
    // a part may be refused: then all get back what they had
    size_t own = fm_world_save(world, NULL, 0);
    void *before = malloc(own);
    if (!before)
        return fm_fail_no_memory(err, object, own);
    fm_world_save(world, before, own);
    bool good = apply(world, buffer, size, err);
    if (!good) {
        fm_error ignored = {0};
        apply(world, before, own, &ignored);
    }
    free(before);
    return good;
}
