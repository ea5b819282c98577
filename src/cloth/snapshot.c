// SPDX-License-Identifier: MIT
// snapshot.c: a cloth as bytes, and the memories that its state needs.
//
// header | x v a w rate force normal carried | touch | enforcement | drag memory | damping memory
#include "cloth/cloth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct header {
    char magic[8];
    int32_t version, columns, rows, started, verlet_moving;
    int32_t enforced;  // 1 when there is enforcement
    int32_t triangles; // of a net, 0 for a sheet
    double time, step;
    uint64_t drag_size, damping_size; // bytes
} header;

static const char magic[8] = "fmcloth ";
enum { VERSION = 2, STATE_AXES = 8 };

// Followed by the particles that map 0 takes for fixed; the map is made from them again.
typedef struct enforcement {
    int32_t current, wait, remade_count, padding;
    fm_vec3 direction;
} enforcement;

// Windows are made for one step; the others also take steps down to half of the first, or to a
// sixteenth where a fluid sets the pace.
static fm_memory *make_memory(const fm_cloth *c, const fm_recall *recall, double order, double h,
                              fm_error *err)
{
    fm_memory_def def = fm_default_memory_def();
    def.order = order;
    def.tolerance = recall->tolerance;
    def.fading_time = recall->fading;
    switch (recall->kind) {
    case FM_RECALL_FULL:
    case FM_RECALL_FADING:
        def.method = recall->kind == FM_RECALL_FULL ? FM_MEMORY_FULL : FM_MEMORY_FADING;
        def.time_step = c->uneven ? h / 16 : h / 2;
        def.horizon = fmax(recall->horizon, h);
        break;
    case FM_RECALL_STEPS:
        def.method = recall->rule == FM_RULE_COIMBRA ? FM_MEMORY_COIMBRA : FM_MEMORY_TRAPEZOID;
        def.time_step = h;
        def.window_steps = recall->steps;
        break;
    case FM_RECALL_SECONDS:
        def.method = FM_MEMORY_TRAPEZOID;
        def.time_step = h;
        def.window_steps = (int)fmin(1e8, fmax(1, round(recall->seconds / h)));
        break;
    }
    return fm_memory_create(&def, 3 * c->lanes, err);
}

bool fm_cloth_make_memories(fm_cloth *c, const fm_medium *medium, double h, fm_error *err)
{
    const fm_drag *drag = &c->def.drag;
    fm_memory_destroy(c->drag_memory);
    fm_memory_destroy(c->damping_memory);
    c->drag_memory = c->damping_memory = NULL;
    c->step = h;
    if (fm_cloth_needs_drag_memory(&c->def, medium)) {
        fm_recall recall = drag->history.memory;
        bool physical = drag->model == FM_DRAG_PHYSICAL;
        if (physical) // the half derivative of the velocity: nothing to choose
            recall.kind = FM_RECALL_FULL;
        c->drag_memory = make_memory(c, &recall, physical ? 0.5 : drag->history.order, h, err);
        if (!c->drag_memory)
            return false;
    }
    if (fm_cloth_needs_damping_memory(&c->def)) {
        c->damping_memory = make_memory(c, &c->def.damping.memory, c->def.damping.order, h, err);
        if (!c->damping_memory)
            return false;
    }
    return true;
}

static header describe(const fm_cloth *c)
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
    h.drag_size = c->drag_memory ? fm_memory_save(c->drag_memory, NULL, 0) : 0;
    h.damping_size = c->damping_memory ? fm_memory_save(c->damping_memory, NULL, 0) : 0;
    return h;
}

static size_t axes_size(const fm_cloth *c)
{
    return 3 * (size_t)c->lanes * sizeof(double);
}

static size_t enforcement_size(const fm_cloth *c)
{
    return c->enforcer ? sizeof(enforcement) + (size_t)c->lanes : 0;
}

static size_t fixed_size(const fm_cloth *c)
{
    return sizeof(header) + STATE_AXES * axes_size(c) + (size_t)c->lanes + enforcement_size(c);
}

static enforcement describe_enforcement(const fm_enforcer *e)
{
    return (enforcement){e->current, e->wait, e->remade_count, 0, e->direction};
}

static void restore_enforcement(fm_cloth *c, const unsigned char *in)
{
    fm_enforcer *e = c->enforcer;
    enforcement saved;
    memcpy(&saved, in, sizeof saved);
    memcpy(e->maps[0].fixed, in + sizeof saved, (size_t)c->lanes);
    for (int i = 0; i < c->count; i++)
        e->maps[0].fixed[i] = e->maps[0].fixed[i] != 0;
    e->current = saved.current >= 0 && saved.current < e->map_count ? saved.current : 0;
    e->wait = saved.wait;
    e->remade_count = saved.remade_count;
    e->direction = saved.direction;
    fm_enforcer_make_maps(c);
}

static void state_axes(const fm_cloth *c, double *axes[STATE_AXES])
{
    double *all[STATE_AXES] = {c->x.x,    c->v.x,     c->a.x,      c->w.x,
                               c->rate.x, c->force.x, c->normal.x, c->carried.x};
    memcpy(axes, all, sizeof all);
}

size_t fm_cloth_save(const fm_cloth *c, void *buffer, size_t size)
{
    header h = describe(c);
    size_t need = fixed_size(c) + h.drag_size + h.damping_size;
    if (!buffer || size < need)
        return need;
    unsigned char *out = buffer;
    double *axes[STATE_AXES];
    state_axes(c, axes);
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    for (int i = 0; i < STATE_AXES; i++, out += axes_size(c))
        memcpy(out, axes[i], axes_size(c));
    memcpy(out, c->touch, (size_t)c->lanes);
    out += c->lanes;
    if (c->enforcer) {
        enforcement e = describe_enforcement(c->enforcer);
        memcpy(out, &e, sizeof e);
        memcpy(out + sizeof e, c->enforcer->maps[0].fixed, (size_t)c->lanes);
        out += enforcement_size(c);
    }
    if (c->drag_memory)
        fm_memory_save(c->drag_memory, out, h.drag_size);
    if (c->damping_memory)
        fm_memory_save(c->damping_memory, out + h.drag_size, h.damping_size);
    return need;
}

uint64_t fm_cloth_hash(const fm_cloth *c, uint64_t seed)
{
    header h = describe(c);
    double *axes[STATE_AXES];
    state_axes(c, axes);
    uint64_t hash = fm_hash(&h, sizeof h, seed);
    for (int i = 0; i < STATE_AXES; i++)
        hash = fm_hash(axes[i], axes_size(c), hash);
    if (c->enforcer) {
        enforcement e = describe_enforcement(c->enforcer);
        hash = fm_hash(&e, sizeof e, hash);
        hash = fm_hash(c->enforcer->maps[0].fixed, (size_t)c->lanes, hash);
    }
    if (c->drag_memory)
        hash ^= fm_memory_hash(c->drag_memory);
    if (c->damping_memory)
        hash = fm_hash(&hash, sizeof hash, fm_memory_hash(c->damping_memory));
    return hash;
}

static bool check(const fm_cloth *c, const header *h, size_t size, fm_error *err)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0 || h->version != VERSION)
        return fm_fail(err, FM_BAD_VALUE, c->name, "state", "something else",
                       "a state saved by this version");
    char allowed[64];
    snprintf(allowed, sizeof allowed, "%d columns and %d rows, as this cloth has", c->columns,
             c->rows);
    if (h->columns != c->columns)
        return fm_fail_number(err, c->name, "columns of the saved state", h->columns, allowed);
    if (h->rows != c->rows)
        return fm_fail_number(err, c->name, "rows of the saved state", h->rows, allowed);
    if (h->enforced != (c->enforcer != NULL))
        return fm_fail_number(err, c->name, "enforcement of the saved state", h->enforced,
                              c->enforcer ? "1, as this cloth has it"
                                          : "0, as this cloth has none");
    if (h->triangles != c->mesh.triangle_count)
        return fm_fail_number(err, c->name, "triangles of the saved state", h->triangles,
                              "as many as this cloth has (0 for a sheet)");
    uint64_t memories = h->drag_size + h->damping_size;
    if (h->drag_size > size || h->damping_size > size || size != fixed_size(c) + memories)
        return fm_fail_number(err, c->name, "state size", (double)size, "what was saved");
    if (h->started && !(h->step > 0 && isfinite(h->step)))
        return fm_fail_number(err, c->name, "step", h->step, "> 0 seconds");
    if (!isfinite(h->time))
        return fm_fail_number(err, c->name, "time", h->time, "a finite number");
    return true;
}

static bool check_numbers(const fm_cloth *c, const unsigned char *in, fm_error *err)
{
    for (size_t i = 0; i < STATE_AXES * 3 * (size_t)c->lanes; i++) {
        double value;
        memcpy(&value, in + i * sizeof value, sizeof value);
        if (!isfinite(value))
            return fm_fail_number(err, c->name, "saved state", value, "finite numbers");
    }
    return true;
}

// Memories are made and filled first: if that fails, the cloth keeps what it has.
static bool restore_memories(fm_cloth *c, const fm_medium *medium, const header *h,
                             const unsigned char *in, fm_error *err)
{
    fm_memory *drag = c->drag_memory, *damping = c->damping_memory;
    double step = c->step;
    c->drag_memory = c->damping_memory = NULL;
    bool good = !h->started || fm_cloth_make_memories(c, medium, h->step, err);
    if (good && (!c->drag_memory != !h->drag_size || !c->damping_memory != !h->damping_size))
        good =
            fm_fail_number(err, c->name, "memories", (double)h->drag_size, "those of this cloth");
    good = good && (!c->drag_memory || fm_memory_restore(c->drag_memory, in, h->drag_size, err));
    good = good && (!c->damping_memory ||
                    fm_memory_restore(c->damping_memory, in + h->drag_size, h->damping_size, err));
    if (!good) {
        fm_memory_destroy(c->drag_memory);
        fm_memory_destroy(c->damping_memory);
        c->drag_memory = drag;
        c->damping_memory = damping;
        c->step = step;
        return false;
    }
    fm_memory_destroy(drag);
    fm_memory_destroy(damping);
    return true;
}

bool fm_cloth_restore(fm_cloth *c, const fm_medium *medium, const void *buffer, size_t size,
                      fm_error *err)
{
    header h;
    if (size < sizeof h)
        return fm_fail_number(err, c->name, "state size", (double)size, "what was saved");
    const unsigned char *in = buffer;
    memcpy(&h, in, sizeof h);
    if (!check(c, &h, size, err) || !check_numbers(c, in + sizeof h, err) ||
        !restore_memories(c, medium, &h, in + fixed_size(c), err))
        return false;
    in += sizeof h;
    double *axes[STATE_AXES];
    state_axes(c, axes);
    for (int i = 0; i < STATE_AXES; i++, in += axes_size(c))
        memcpy(axes[i], in, axes_size(c));
    memcpy(c->touch, in, (size_t)c->lanes);
    if (c->enforcer)
        restore_enforcement(c, in + c->lanes);
    c->started = h.started != 0;
    c->verlet_moving = h.verlet_moving != 0;
    c->time = h.time;
    c->step = h.step;
    return true;
}
