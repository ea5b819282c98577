// SPDX-License-Identifier: MIT
// snapshot.c: saves and restores the state of a cloth as bytes.
//
// Layout: header | x v a w rate force normal drift_acceleration | touch | enforcement | inertia, if
// a fluid adds mass | with added mass by wavelength, the energy of the water between layers, its
// time, and the roots of the shares | terms, see term_memories.c
#include "cloth/added_mass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Head of a saved cloth. Fields without a comment are those of struct fm_cloth.
typedef struct header {
    char magic[8]; // marks the format
    int32_t version, columns, rows, started, verlet_moving;
    int32_t enforced;  // 1 with enforcement (constraint projection of edge lengths), else 0
    int32_t triangles; // number of triangles of a tube or mesh, 0 for a sheet
    int32_t terms;     // number of force terms
    double time, step;
} header;

static const char magic[8] = "fmcloth ";
enum {
    VERSION = 5,    // of the format
    STATE_AXES = 8, // vector fields that are saved
};

// State of enforcement. In the snapshot, `expected` and the `fixed` array of map 0 follow;
// restoring computes the map from the latter.
typedef struct enforcement {
    int32_t current, substeps_to_check, map_update_count, padding;
    fm_vec3 direction;
} enforcement;

// Fills the header of a snapshot of the cloth as it is now.
static header describe_cloth(const fm_cloth *c)
{
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.columns = c->columns;
    h.rows = c->rows;
    h.started = c->started;
    h.verlet_moving = c->verlet_moving;
    h.enforced = c->enforcer != NULL;
    h.triangles = c->mesh.triangle_count;
    h.time = c->time;
    h.step = c->step;
    h.terms = c->term_count;
    return h;
}

// Bytes of one vector field.
static size_t axes_size(const fm_cloth *c)
{
    return 3 * (size_t)c->lanes * sizeof(double);
}

static size_t enforcement_size(const fm_cloth *c)
{
    return c->enforcer ? sizeof(enforcement) + axes_size(c) + (size_t)c->lanes : 0;
}

static size_t inertia_size(const fm_cloth *c)
{
    return c->inertia == c->mass ? 0 : (size_t)c->lanes * sizeof(double);
}

static size_t shares_size(const fm_cloth *c)
{
    return c->added ? ((size_t)c->lanes + 2) * sizeof(double) : 0;
}

// bytes of everything before the terms.
static size_t size_before_terms(const fm_cloth *c)
{
    return sizeof(header) + STATE_AXES * axes_size(c) + (size_t)c->lanes + enforcement_size(c) +
           inertia_size(c) + shares_size(c);
}

static enforcement describe_enforcement(const fm_enforcer *e)
{
    return (enforcement){e->current, e->substeps_to_check, e->map_update_count, 0, e->direction};
}

// Restores the state of enforcement from the bytes at `in`, and computes the maps from it.
static void restore_enforcement(fm_cloth *c, const unsigned char *in)
{
    fm_enforcer *e = c->enforcer;
    enforcement saved;
    memcpy(&saved, in, sizeof saved);
    memcpy(e->expected.x, in + sizeof saved, axes_size(c));
    memcpy(e->maps[0].fixed, in + sizeof saved + axes_size(c), (size_t)c->lanes);
    for (int i = 0; i < c->count; i++)
        e->maps[0].fixed[i] = e->maps[0].fixed[i] != 0;
    e->current = saved.current >= 0 && saved.current < e->map_count ? saved.current : 0;
    e->substeps_to_check = saved.substeps_to_check;
    e->map_update_count = saved.map_update_count;
    e->direction = saved.direction;
    fm_enforcer_compute_maps(c);
}

// Lists the vector fields of the state in the order of the snapshot.
static void list_state_axes(const fm_cloth *c, double *axes[STATE_AXES])
{
    double *all[STATE_AXES] = {c->x.x,    c->v.x,     c->a.x,      c->w.x,
                               c->rate.x, c->force.x, c->normal.x, c->drift_acceleration.x};
    memcpy(axes, all, sizeof all);
}

// Writes the state to buffer if `size` bytes are enough. Returns the number of bytes needed.
size_t fm_cloth_save(const fm_cloth *c, void *buffer, size_t size)
{
    header h = describe_cloth(c);
    size_t need = size_before_terms(c) + fm_terms_save(c, NULL);
    if (!buffer || size < need)
        return need;
    unsigned char *out = buffer;
    double *axes[STATE_AXES];
    list_state_axes(c, axes);
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    for (int i = 0; i < STATE_AXES; i++, out += axes_size(c))
        memcpy(out, axes[i], axes_size(c));
    memcpy(out, c->touch, (size_t)c->lanes);
    out += c->lanes;
    if (c->enforcer) {
        enforcement e = describe_enforcement(c->enforcer);
        memcpy(out, &e, sizeof e);
        memcpy(out + sizeof e, c->enforcer->expected.x, axes_size(c));
        memcpy(out + sizeof e + axes_size(c), c->enforcer->maps[0].fixed, (size_t)c->lanes);
        out += enforcement_size(c);
    }
    memcpy(out, c->inertia, inertia_size(c));
    out += inertia_size(c);
    if (c->added) {
        const double between[2] = {c->added->between, c->added->between_time};
        memcpy(out, between, sizeof between);
        memcpy(out + sizeof between, c->added->root, shares_size(c) - sizeof between);
    }
    fm_terms_save(c, out + shares_size(c));
    return need;
}

// Hash of the state that fm_cloth_save writes, computed without copying it: frames of a run are
// hashed, and the memories of a cloth are megabytes.
uint64_t fm_cloth_hash(const fm_cloth *c, uint64_t seed)
{
    header h = describe_cloth(c);
    double *axes[STATE_AXES];
    list_state_axes(c, axes);
    uint64_t hash = fm_hash(&h, sizeof h, seed);
    for (int i = 0; i < STATE_AXES; i++)
        hash = fm_hash(axes[i], axes_size(c), hash);
    hash = fm_hash(c->touch, (size_t)c->lanes, hash);
    if (c->enforcer) {
        enforcement e = describe_enforcement(c->enforcer);
        hash = fm_hash(&e, sizeof e, hash);
        hash = fm_hash(c->enforcer->expected.x, axes_size(c), hash);
        hash = fm_hash(c->enforcer->maps[0].fixed, (size_t)c->lanes, hash);
    }
    hash = fm_hash(c->inertia, inertia_size(c), hash);
    if (c->added) {
        const double between[2] = {c->added->between, c->added->between_time};
        hash = fm_hash(between, sizeof between, hash);
        hash = fm_hash(c->added->root, shares_size(c) - sizeof between, hash);
    }
    return fm_terms_hash(c, hash);
}

// Fills err and returns false if the header is not that of a state of this cloth. size: bytes of
// the whole snapshot.
static bool check_header(const fm_cloth *c, const header *h, size_t size, fm_error *err)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0 || h->version != VERSION)
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "state", "something else",
                       "a state saved by this version");
    char allowed[64];
    snprintf(allowed, sizeof allowed, "%d columns and %d rows, as this cloth has", c->columns,
             c->rows);
    if (h->columns != c->columns)
        return fm_fail_number(err, c->object.name, "columns of the saved state", h->columns,
                              allowed);
    if (h->rows != c->rows)
        return fm_fail_number(err, c->object.name, "rows of the saved state", h->rows, allowed);
    if (h->enforced != (c->enforcer != NULL))
        return fm_fail_number(err, c->object.name, "enforcement of the saved state", h->enforced,
                              c->enforcer ? "1, as this cloth has it"
                                          : "0, as this cloth has none");
    if (h->triangles != c->mesh.triangle_count)
        return fm_fail_number(err, c->object.name, "triangles of the saved state", h->triangles,
                              "as many as this cloth has (0 for a sheet)");
    if (h->terms != c->term_count)
        return fm_fail_number(err, c->object.name, "forces of the saved state", h->terms,
                              "as many terms as this cloth has");
    if (size < size_before_terms(c))
        return fm_fail_number(err, c->object.name, "state size", (double)size, "what was saved");
    if (h->started && !(h->step > 0 && isfinite(h->step)))
        return fm_fail_number(err, c->object.name, "step", h->step, "> 0 seconds");
    if (!isfinite(h->time))
        return fm_fail_number(err, c->object.name, "time", h->time, "a finite number");
    return true;
}

// Fills err and returns false if the saved energy of the water between layers or a share is wrong.
static bool check_shares(const fm_cloth *c, const unsigned char *in, fm_error *err)
{
    double value, between[2];
    memcpy(between, in, sizeof between);
    if (!(between[0] >= 0 && isfinite(between[0]) && isfinite(between[1])))
        return fm_fail_number(err, c->object.name, "saved energy between layers", between[0],
                              "at least 0 J");
    for (int i = 0; i < c->count; i++) {
        memcpy(&value, in + sizeof between + (size_t)i * sizeof value, sizeof value);
        if (!(value > 0 && value <= 1))
            return fm_fail_number(err, c->object.name, "saved share of water", value,
                                  "above 0 and at most 1");
    }
    return true;
}

// Fills err and returns false if a saved number is not finite, or an inertia is not above 0. in:
// the bytes after the header.
static bool check_numbers(const fm_cloth *c, const unsigned char *in, fm_error *err)
{
    for (size_t i = 0; i < STATE_AXES * 3 * (size_t)c->lanes; i++) {
        double value;
        memcpy(&value, in + i * sizeof value, sizeof value);
        if (!isfinite(value))
            return fm_fail_number(err, c->object.name, "saved state", value, "finite numbers");
    }
    in += STATE_AXES * axes_size(c) + (size_t)c->lanes;
    for (size_t i = 0; i < 3 * (size_t)c->lanes && c->enforcer; i++) {
        double value;
        memcpy(&value, in + sizeof(enforcement) + i * sizeof value, sizeof value);
        if (!isfinite(value))
            return fm_fail_number(err, c->object.name, "saved state", value, "finite numbers");
    }
    in += enforcement_size(c);
    for (int i = 0; i < c->count && inertia_size(c) > 0; i++) {
        double value;
        memcpy(&value, in + (size_t)i * sizeof value, sizeof value);
        if (!(value > 0 && isfinite(value)))
            return fm_fail_number(err, c->object.name, "saved inertia", value, "above 0 kg");
    }
    return !c->added || check_shares(c, in + inertia_size(c), err);
}

// Checks the bytes of a saved state and restores it. On failure the cloth is unchanged: everything
// that can fail comes before the first copy.
bool fm_cloth_restore(fm_cloth *c, const fm_medium *medium, const void *buffer, size_t size,
                      fm_error *err)
{
    header h;
    if (size < sizeof h)
        return fm_fail_number(err, c->object.name, "state size", (double)size, "what was saved");
    const unsigned char *in = buffer;
    memcpy(&h, in, sizeof h);
    if (!check_header(c, &h, size, err) || !check_numbers(c, in + sizeof h, err) ||
        !fm_terms_restore(c, medium, h.started ? h.step : 0, in + size_before_terms(c),
                          size - size_before_terms(c), err))
        return false;
    in += sizeof h;
    double *axes[STATE_AXES];
    list_state_axes(c, axes);
    for (int i = 0; i < STATE_AXES; i++, in += axes_size(c))
        memcpy(axes[i], in, axes_size(c));
    memcpy(c->touch, in, (size_t)c->lanes);
    if (c->enforcer)
        restore_enforcement(c, in + c->lanes);
    in += (size_t)c->lanes + enforcement_size(c);
    memcpy(c->inertia, in, inertia_size(c));
    if (c->added) {
        double between[2];
        in += inertia_size(c);
        memcpy(between, in, sizeof between);
        c->added->between = between[0], c->added->between_time = between[1];
        memcpy(c->added->next_root, in + sizeof between, shares_size(c) - sizeof between);
        fm_shared_water_set(c, c->added->next_root);
    }
    c->started = h.started != 0;
    c->verlet_moving = h.verlet_moving != 0;
    c->time = h.time;
    c->step = h.step;
    if (fm_added_mass_is_used(c))
        fm_added_mass_update(c, c->time);
    return true;
}
