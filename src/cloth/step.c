// SPDX-License-Identifier: MIT
// step.c: a cloth moves on.
//
// Kick-drift-kick, one evaluation of the forces per substep h:
//
//     v_half = v + h/2 a;   x' = x + h (v_half + h/2 carried);   enforcement (enforce.c)
//     forces at x'
//     closing half kick with everything that depends on the new velocity solved implicitly (drag.c)
//     impulses of the springs' damping from those velocities (damping.c)
//     the memories take in the new rates
//
// Second order. Stable for every strength of drag, damping and memory as long as the springs alone
// are, omega h < 2: with the bound omega^2 <= max_i (2 sum_e k_e + 16 bend) / m_i (Gershgorin), the
// substep is chosen as h = COURANT / omega.
//
// Pinned particles go where their motions are at the end of the substep; colliders stand where they
// are then, push particles out after drift and enforcement, and take what points into them from the
// velocity after the kick.
#include "cloth/cloth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int fm_cloth_substeps(const fm_cloth *cloth, double duration)
{
    double n = ceil(duration / cloth->stable_step - 1e-9);
    return n < 1 ? 1 : n > 1e9 ? 1000000000 : (int)n;
}

// First entry of the sorted list of pinned particles that is not below `particle`.
static int first_pin(const fm_cloth *cloth, int particle)
{
    int low = 0, high = cloth->pinned_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (cloth->pinned[middle] < particle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void fm_substep_place(fm_substep *s, double t)
{
    fm_cloth *cloth = s->cloth;
    s->end = t;
    for (int g = 0; g < cloth->group_count; g++)
        s->poses[g] = fm_motion_pose(cloth->groups[g].motion, t);
    for (int i = 0; i < s->around->collider_count; i++)
        s->around->placed[i] = fm_collider_place(s->around->colliders[i], t);
}

static bool held(const fm_substep *s, int particle)
{
    return fm_cloth_is_held(s->cloth, particle, s->end);
}

void fm_substep_pin_positions(fm_substep *s, const fm_axes *x, int first, int last)
{
    const fm_cloth *c = s->cloth;
    for (int p = first_pin(c, first); p < c->pinned_count && c->pinned[p] < last; p++) {
        int i = c->pinned[p];
        if (!held(s, i))
            continue;
        fm_vec3 at = fm_pose_apply(&s->poses[c->pin[i]],
                                   (fm_vec3){c->anchor.x[i], c->anchor.y[i], c->anchor.z[i]});
        x->x[i] = at.x, x->y[i] = at.y, x->z[i] = at.z;
    }
}

void fm_substep_pin_velocities(fm_substep *s, const fm_axes *x, const fm_axes *v, int first,
                               int last)
{
    const fm_cloth *c = s->cloth;
    for (int p = first_pin(c, first); p < c->pinned_count && c->pinned[p] < last; p++) {
        int i = c->pinned[p];
        if (!held(s, i))
            continue;
        fm_vec3 u = fm_pose_velocity_at(&s->poses[c->pin[i]], (fm_vec3){x->x[i], x->y[i], x->z[i]});
        v->x[i] = u.x, v->y[i] = u.y, v->z[i] = u.z;
    }
}

void fm_substep_pin_zero(fm_substep *s, const fm_axes *a, int first, int last)
{
    const fm_cloth *c = s->cloth;
    for (int p = first_pin(c, first); p < c->pinned_count && c->pinned[p] < last; p++) {
        int i = c->pinned[p];
        if (held(s, i))
            a->x[i] = a->y[i] = a->z[i] = 0;
    }
}

// Particles nearer to a collider than the margin are moved out and stop going in. `again` looks at
// those only that were held before in this substep; jump adds up what they lost of their velocity,
// to what enforcement changed.
void fm_substep_collide(fm_substep *s, double margin, bool again, int first, int last)
{
    fm_cloth *c = s->cloth;
    int count = c->def.contact.enabled ? 0 : s->around->collider_count;
    bool lent = fm_drag_lends_mass(&s->drag);
    for (int i = first; i < last && count > 0 && i < c->count; i++) {
        if (again && !c->touch[i])
            continue;
        bool touched = false;
        fm_vec3 x = {c->x.x[i], c->x.y[i], c->x.z[i]}, v = {c->v.x[i], c->v.y[i], c->v.z[i]};
        if (!held(s, i)) {
            fm_effective_mass m = fm_drag_effective_mass(c, &s->drag, i);
            fm_mass_axis axis = {{c->normal.x[i], c->normal.y[i], c->normal.z[i]},
                                 m.across / m.along};
            fm_collide_particle_with_axis(s->around->placed, count, margin, lent ? &axis : NULL, &x,
                                          &v, &touched);
        }
        if (!again) {
            c->touch[i] = touched;
            if (!c->enforcer) // which has begun it
                c->jump.x[i] = c->jump.y[i] = c->jump.z[i] = 0;
        }
        if (!touched)
            continue;
        c->jump.x[i] += v.x - c->v.x[i];
        c->jump.y[i] += v.y - c->v.y[i];
        c->jump.z[i] += v.z - c->v.z[i];
        c->x.x[i] = x.x, c->x.y[i] = x.y, c->x.z[i] = x.z;
        c->v.x[i] = v.x, c->v.y[i] = v.y, c->v.z[i] = v.z;
    }
}

void fm_substep_sample_medium(fm_substep *s, const fm_axes *x, double t, int first, int last)
{
    fm_cloth *c = s->cloth;
    if (c->carrier.on) {
        fm_carrier_velocity(c, t, s->h, first, last);
        return;
    }
    const fm_flow *flow = &s->around->medium.flow;
    fm_vec3 w = fm_flow_velocity(flow, (fm_vec3){0, 0, 0}, t);
    bool uniform = fm_flow_is_uniform(flow);
    for (int i = first; i < last && i < c->count; i++) {
        if (!uniform)
            w = fm_flow_velocity(flow, (fm_vec3){x->x[i], x->y[i], x->z[i]}, t);
        c->flow.x[i] = w.x, c->flow.y[i] = w.y, c->flow.z[i] = w.z;
    }
}

// Each of the three components is a range of lanes of its own.
void fm_lanes_predict(fm_memory *memory, const fm_axes *known, int lanes, int first, int last)
{
    fm_memory_predict_range(memory, first, last, known->x + first);
    fm_memory_predict_range(memory, lanes + first, lanes + last, known->y + first);
    fm_memory_predict_range(memory, 2 * lanes + first, 2 * lanes + last, known->z + first);
}

void fm_lanes_push(fm_memory *memory, const fm_axes *rate, int lanes, int first, int last)
{
    fm_memory_push_range(memory, first, last, rate->x + first);
    fm_memory_push_range(memory, lanes + first, lanes + last, rate->y + first);
    fm_memory_push_range(memory, 2 * lanes + first, 2 * lanes + last, rate->z + first);
}

FM_SIMD_CLONES
static void open_lanes(int n, double h, double *restrict x, double *restrict v,
                       const double *restrict a, const double *restrict carried)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        v[i] += 0.5 * h * a[i];
        x[i] += h * (v[i] + 0.5 * h * carried[i]);
    }
}

static void open_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    int n = last - first;
    open_lanes(n, s->h, c->x.x + first, c->v.x + first, c->a.x + first, c->carried.x + first);
    open_lanes(n, s->h, c->x.y + first, c->v.y + first, c->a.y + first, c->carried.y + first);
    open_lanes(n, s->h, c->x.z + first, c->v.z + first, c->a.z + first, c->carried.z + first);
    fm_substep_pin_positions(s, &c->x, first, last);
    if (!c->enforcer)
        fm_substep_collide(s, s->margin, false, first, last);
}

static void collide_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_substep_collide(s, s->margin, false, first, last);
}

// Relative velocities of pinned particles, to be compared with after the kick.
static void note_pins(fm_substep *s, int first, int last)
{
    const fm_cloth *c = s->cloth;
    for (int p = first_pin(c, first); p < c->pinned_count && c->pinned[p] < last; p++) {
        int i = c->pinned[p];
        c->pinned_u[p] =
            (fm_vec3){c->v.x[i] - c->w.x[i], c->v.y[i] - c->w.y[i], c->v.z[i] - c->w.z[i]};
    }
}

// Accelerations of particles whose velocity pins and colliders decide. A velocity that jumps by d
// is an acceleration d/h at one push: rates are linear between pushes, and the hat of width 2h has
// the area d.
static void set_forced_rates(fm_substep *s, int first, int last)
{
    fm_cloth *c = s->cloth;
    for (int p = first_pin(c, first); p < c->pinned_count && c->pinned[p] < last; p++) {
        int i = c->pinned[p];
        if (!held(s, i))
            continue;
        c->rate.x[i] = (c->v.x[i] - c->w.x[i] - c->pinned_u[p].x) / s->h;
        c->rate.y[i] = (c->v.y[i] - c->w.y[i] - c->pinned_u[p].y) / s->h;
        c->rate.z[i] = (c->v.z[i] - c->w.z[i] - c->pinned_u[p].z) / s->h;
    }
    for (int i = first;
         i < last && (c->enforcer || c->def.contact.enabled || s->around->collider_count > 0);
         i++) {
        if (!c->touch[i] && !c->enforcer)
            continue;
        c->rate.x[i] += c->jump.x[i] / s->h;
        c->rate.y[i] += c->jump.y[i] / s->h;
        c->rate.z[i] += c->jump.z[i] / s->h;
    }
}

// What pins and colliders make of the velocities, and with that the rates the drag memory is fed.
static void settle(fm_substep *s, int first, int last)
{
    fm_cloth *c = s->cloth;
    fm_substep_pin_zero(s, &c->a, first, last);
    fm_substep_pin_velocities(s, &c->x, &c->v, first, last);
    // a little more than the margin, so that those which were moved out to it are seen
    fm_substep_collide(s, s->margin * (1 + 1e-6) + 1e-12, true, first, last);
    if (s->drag.physical) {
        set_forced_rates(s, first, last);
        return;
    }
    for (int i = first; i < last && c->drag_memory; i++) {
        c->rate.x[i] = c->v.x[i] - c->w.x[i];
        c->rate.y[i] = c->v.y[i] - c->w.y[i];
        c->rate.z[i] = c->v.z[i] - c->w.z[i];
    }
}

static void push_memories(fm_substep *s, int first, int last)
{
    fm_cloth *c = s->cloth;
    if (c->drag_memory)
        fm_lanes_push(c->drag_memory, &c->rate, c->lanes, first, last);
    if (c->damping_memory) {
        fm_axes *u = &c->pair; // the impulses of this range are spent
        for (int i = first; i < last; i++) {
            u->x[i] = c->v.x[i] - c->w.x[i];
            u->y[i] = c->v.y[i] - c->w.y[i];
            u->z[i] = c->v.z[i] - c->w.z[i];
        }
        fm_lanes_push(c->damping_memory, u, c->lanes, first, last);
    }
}

static void close_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    fm_substep_sample_medium(s, &c->x, s->end, first, last);
    if (c->drag_memory)
        fm_lanes_predict(c->drag_memory, &c->drag_known, c->lanes, first, last);
    if (c->damping_memory)
        fm_lanes_predict(c->damping_memory, &c->known, c->lanes, first, last);
    note_pins(s, first, last);
    fm_drag_close(c, &s->drag, &c->flow, &c->drag_known, first, last);
    if (s->damped) { // the springs must see where pinned ends go
        fm_substep_pin_velocities(s, &c->x, &c->v, first, last);
        return;
    }
    settle(s, first, last);
    push_memories(s, first, last);
}

static void damped_range(void *context, int first, int last)
{
    fm_substep *s = context;
    int end = last < s->cloth->count ? last : s->cloth->count; // lanes behind have no springs
    fm_drag_apply_impulse(s->cloth, &s->drag, &s->cloth->pair, first, end);
    settle(s, first, last);
    push_memories(s, first, last);
}

void fm_substep_forces(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_cloth_inner_forces(c, &c->x, &c->v, s->end, &c->next_normal, s->around->pool);
    if (c->def.repulsion.enabled)
        fm_repulsion_add_forces(c, &c->x, &c->v, s->around->pool);
}

static void kick_and_drift(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_pool *pool = s->around->pool;
    fm_parallel_for(pool, c->lanes, FM_FLAT_BLOCK, open_range, s);
    if (c->enforcer) {
        fm_substep_enforce(s);
        fm_parallel_for(pool, c->lanes, FM_FLAT_BLOCK, collide_range, s);
    }
}

static void close_kick(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_pool *pool = s->around->pool;
    fm_substep_forces(s);
    fm_parallel_for(pool, c->lanes, FM_FLAT_BLOCK, close_range, s);
    if (s->damped) {
        fm_cloth_damping_impulses(c, s->h, s->damping_w0, pool);
        fm_parallel_for(pool, c->lanes, FM_FLAT_BLOCK, damped_range, s);
    }
}

// Velocity of the medium where particles will be at the end of the first substep.
static void sample_ahead(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    double h = s->h;
    if (c->carrier.on)
        fm_carrier_velocity(c, s->end + h, h, 0, c->lanes);
    for (int i = 0; i < c->count && !c->carrier.on; i++) {
        fm_vec3 x = {c->x.x[i] + h * c->v.x[i], c->x.y[i] + h * c->v.y[i],
                     c->x.z[i] + h * c->v.z[i]};
        fm_vec3 w = fm_flow_velocity(&s->around->medium.flow, x, s->end + h);
        c->flow.x[i] = w.x, c->flow.y[i] = w.y, c->flow.z[i] = w.z;
    }
}

static void copy_axes(const fm_cloth *c, const fm_axes *to, const fm_axes *from)
{
    memcpy(to->x, from->x, 3 * (size_t)c->lanes * sizeof(double));
}

// Accelerations are those of a closing half kick from here, whose velocities are dropped again: an
// explicit value would throw a cloth with strong drag out of the world.
static void start_accelerations(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    copy_axes(c, &c->jump, &c->v);
    sample_ahead(s);
    fm_drag_close(c, &s->drag, &c->flow, &c->nothing, 0, c->lanes);
    if (s->damped && !c->damping_memory) {
        fm_substep_pin_velocities(s, &c->x, &c->v, 0, c->lanes);
        fm_cloth_damping_impulses(c, s->h, 1, NULL);
        fm_drag_apply_impulse(c, &s->drag, &c->pair, 0, c->count);
    }
    copy_axes(c, &c->v, &c->jump);
    memset(c->jump.x, 0, 3 * (size_t)c->lanes * sizeof(double));
    fm_substep_sample_medium(s, &c->x, s->end, 0, c->lanes);
    copy_axes(c, &c->w, &c->flow);
    fm_substep_pin_zero(s, &c->a, 0, c->lanes);
}

// The physical set's memory takes accelerations. Pinned particles begin with the speed of their
// motion: a jump, whose area half a hat, 2 d/h high, has.
static void start_rates(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    for (int i = 0; i < c->count && !s->drag.physical; i++) {
        c->rate.x[i] = c->v.x[i] - c->w.x[i];
        c->rate.y[i] = c->v.y[i] - c->w.y[i];
        c->rate.z[i] = c->v.z[i] - c->w.z[i];
    }
    for (int p = 0; p < c->pinned_count && s->drag.physical; p++) {
        int i = c->pinned[p];
        if (!held(s, i))
            continue;
        c->rate.x[i] = 2 * (c->v.x[i] - c->w.x[i] - c->pinned_u[p].x) / s->h;
        c->rate.y[i] = 2 * (c->v.y[i] - c->w.y[i] - c->pinned_u[p].y) / s->h;
        c->rate.z[i] = 2 * (c->v.z[i] - c->w.z[i] - c->pinned_u[p].z) / s->h;
    }
}

// Acceleration and rates at t = 0, where nothing is remembered yet. Pins and colliders may have
// moved since the cloth was made, so they are seen to first.
static void start(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_substep_pin_positions(s, &c->x, 0, c->lanes);
    fm_substep_sample_medium(s, &c->x, s->end, 0, c->lanes);
    copy_axes(c, &c->w, &c->flow);
    note_pins(s, 0, c->lanes);
    fm_substep_pin_velocities(s, &c->x, &c->v, 0, c->lanes);
    fm_substep_forces(s);
    fm_cloth_normals(c, &c->x, &c->normal);
    start_accelerations(s);
    start_rates(s);
}

static bool is_window(const fm_memory *memory)
{
    return memory && !fm_memory_uses_exponentials(memory);
}

static bool begin_memories(fm_cloth *c, double h, fm_error *err)
{
    if ((!c->drag_memory || fm_memory_begin(c->drag_memory, h)) &&
        (!c->damping_memory || fm_memory_begin(c->damping_memory, h)))
        return true;
    if (c->uneven && (is_window(c->drag_memory) || is_window(c->damping_memory)))
        return fm_fail(err, FM_BAD_VALUE, c->name, "memory", "a window",
                       "full or fading where a fluid and a ball or cloth push each other");
    char allowed[96];
    fm_format(allowed, sizeof allowed, "durations whose substeps the memory was made for, %.6g s",
              c->step);
    return fm_fail_number(err, c->name, "substep", h, allowed);
}

static void end_memories(fm_cloth *c)
{
    if (c->drag_memory)
        fm_memory_end(c->drag_memory);
    if (c->damping_memory)
        fm_memory_end(c->damping_memory);
}

static bool start_cloth(fm_substep *s, fm_error *err)
{
    fm_cloth *c = s->cloth;
    if (!fm_cloth_make_memories(c, &s->around->medium, s->h, err))
        return false;
    fm_substep_place(s, c->time);
    s->drag = fm_drag_prepare(c, s->around, s->h, 0);
    if (c->enforcer)
        fm_enforcer_start(c, s->around);
    start(s);
    if (!begin_memories(c, 0, err))
        return false;
    push_memories(s, 0, c->lanes);
    end_memories(c);
    c->started = true;
    return true;
}

static void keep_velocities(fm_cloth *c)
{
    for (int i = 0; i < 3 * c->lanes && c->def.damping.kept < 1; i++)
        c->v.x[i] *= c->def.damping.kept;
}

double fm_cloth_substep_ns(const fm_cloth *c)
{
    enum { SHEET = 60, NET = 120 }; // of a particle, measured with the physical set
    return (double)c->count * (c->kind == FM_CLOTH_SHEET ? SHEET : NET);
}

bool fm_substep_begin(fm_substep *s, fm_cloth *c, const fm_surroundings *around, double h,
                      fm_error *err)
{
    *s = (fm_substep){.cloth = c, .around = around, .h = h};
    s->margin = c->def.contact.enabled ? c->contact_thickness
                : c->def.margin < 0    ? c->def.thickness / 2
                                       : c->def.margin;
    s->damped = c->def.damping.coefficient > 0;
    return c->started || start_cloth(s, err);
}

bool fm_substep_open(fm_substep *s, double end, fm_error *err)
{
    fm_cloth *c = s->cloth;
    if (!begin_memories(c, s->h, err))
        return false;
    double w0 = c->drag_memory ? fm_memory_newest_weight(c->drag_memory, s->h) : 0;
    s->damping_w0 = c->damping_memory ? fm_memory_newest_weight(c->damping_memory, s->h) : 1;
    s->drag = fm_drag_prepare(c, s->around, s->h, w0);
    fm_substep_place(s, end);
    keep_velocities(c);
    if (c->def.integrator == FM_KICK_DRIFT_KICK)
        kick_and_drift(s);
    else
        fm_substep_explicit(s);
    return true;
}

void fm_substep_close(fm_substep *s)
{
    if (s->cloth->def.integrator == FM_KICK_DRIFT_KICK)
        close_kick(s);
    end_memories(s->cloth);
    s->cloth->time = s->end;
}

bool fm_cloth_advance(fm_cloth *c, const fm_surroundings *around, double duration, int substeps,
                      fm_error *err)
{
    fm_substep s;
    double begin = c->time;
    if (!fm_substep_begin(&s, c, around, duration / substeps, err))
        return false;
    for (int n = 1; n <= substeps; n++) {
        if (!fm_stop_check(around->stop, err) ||
            !fm_substep_open(&s, begin + duration * n / substeps, err))
            return false;
        fm_substep_close(&s);
    }
    return true;
}

double fm_cloth_damping_share(const fm_cloth *c)
{
    double w0 = c->damping_memory ? fm_memory_newest_weight(c->damping_memory, c->step) : 1;
    if (c->def.integrator != FM_KICK_DRIFT_KICK)
        return 1;
    return c->kind == FM_CLOTH_SHEET ? fm_sheet_damping_share(c, c->step, w0)
                                     : fm_net_damping_share(c, c->step, w0);
}
