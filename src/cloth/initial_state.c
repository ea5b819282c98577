// SPDX-License-Identifier: MIT
// initial_state.c: memories, accelerations and rates of a cloth before its first substep.
#include "cloth/added_mass.h"

#include <math.h>
#include <string.h>

// Samples the medium's velocity, into `flow`, at the end of the first substep, at the positions
// that the particles would reach with their initial velocities. s->end is the initial time.
static void sample_medium_ahead(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    double h = s->h;
    if (c->carrier.on)
        fm_cloth_interpolate_carrier(c, s->end + h, h, 0, c->lanes);
    for (int i = 0; i < c->count && !c->carrier.on; i++) {
        fm_vec3 x = {c->x.x[i] + h * c->v.x[i], c->x.y[i] + h * c->v.y[i],
                     c->x.z[i] + h * c->v.z[i]};
        fm_vec3 w = fm_flow_velocity(&s->around.medium.flow, x, s->end + h);
        c->flow.x[i] = w.x, c->flow.y[i] = w.y, c->flow.z[i] = w.z;
    }
}

static void copy_axes(const fm_cloth *c, const fm_vec3_array *to, const fm_vec3_array *from)
{
    memcpy(to->x, from->x, 3 * (size_t)c->lanes * sizeof(double));
}

static void close_initial_kick(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    sample_medium_ahead(s);
    if (s->drag.modes) {
        fm_kick_turn_modes(s); // the normals do not turn yet; sets the drift of the medium
        fm_kick_solve_modes(s, &c->zeros, true);
        fm_kick_close_modes(c, &s->drag, &s->weight, &c->zeros, 0, c->lanes);
    } else {
        fm_kick_close_substep(c, &s->drag, &s->weight, &c->zeros, 0, c->lanes);
    }
}

// Restores what the initial kick changes: velocities, which are kept in `jump`, and w.
static void undo_initial_kick(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    copy_axes(c, &c->v, &c->jump);
    fm_substep_sample_medium(s, &c->x, s->end, 0, c->lanes);
    copy_axes(c, &c->w, &c->flow);
}

// The factor of d in the drift of the first substep; see close_with_history. z: beta sqrt(h); mean:
// 2 x/h^2 of the distance x covered in the substep.
static double find_drift_factor(double y)
{
    const double ROOT = sqrt(FM_PI);
    double z = 1.5 * ROOT * y;
    if (z < 0.01) // two terms of the series in y
        return -0.6 + 1.25 * y;
    double decay = z < 20 ? exp(z * z) * erfc(z) : 1 / (z * ROOT);
    double speed = (decay - 1 + 2 * z / ROOT) / (z * z); // u/h
    double mean = 2 * (speed - 1 + 4 * z / (3 * ROOT)) / (z * z);
    return (mean - exp(-y)) * (1 + y) / y;
}

// A cloth that starts from rest has the acceleration a - b sqrt(t) + ..., where b sqrt(t) comes
// from the history force. With a - b sqrt(h)/3 at t = 0, the mean of the accelerations at 0 and h
// is the mean over the first substep; that is the acceleration with a history force of the weight
// of find_initial_weight. The distance covered is a h^2/2 - 4/15 b h^(5/2), so that the drift of
// the first substep needs another -b sqrt(h)/5, 3/5 of the difference d to a.
//
// If the substep is long, y = |d|/|a - d| is not small. Then the factors follow from the solution
// of u' + beta D^(1/2) u = 1, whose acceleration is exp(beta^2 t) erfc(beta sqrt(t)), with the beta
// that has the same y: (1 + y) exp(-y) for the velocity, within 1 % up to y = 1/2, and the exact
// distance for the drift.
static void close_with_history(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    double w0 = s->drag.w0;
    s->drag.w0 = 0;
    close_initial_kick(s);
    copy_axes(c, &c->pair, &c->a);
    undo_initial_kick(s);
    memset(c->a.x, 0, 3 * (size_t)c->lanes * sizeof(double));
    s->drag.w0 = w0;
    close_initial_kick(s);
    for (int i = 0; i < c->count; i++) {
        fm_vec3 a = fm_vec3_array_at(c->a, i), d = fm_sub(fm_vec3_array_at(c->pair, i), a);
        double y = sqrt(fm_dot(d, d) / (fm_dot(a, a) + 1e-200)), factor = (1 + y) * exp(-y);
        double drift = find_drift_factor(y);
        c->a.x[i] *= factor, c->a.y[i] *= factor, c->a.z[i] *= factor;
        c->rate.x[i] *= factor, c->rate.y[i] *= factor, c->rate.z[i] *= factor;
        c->drift_acceleration.x[i] += drift * d.x;
        c->drift_acceleration.y[i] += drift * d.y;
        c->drift_acceleration.z[i] += drift * d.z;
    }
}

// Computes the initial accelerations by a closing half kick at t = 0 whose velocities are discarded
// (`jump` stores the initial ones meanwhile). With strong drag, explicitly computed accelerations
// would be too large for the first substep.
static void initialize_accelerations(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    copy_axes(c, &c->jump, &c->v);
    if (s->drag.w0 > 0)
        close_with_history(s);
    else
        close_initial_kick(s);
    for (int i = 0; i < c->term_count; i++) {
        fm_term *term = &c->terms[i];
        if (!term->type->find_impulses || term->memory) // a new memory gives no force at t = 0
            continue;
        fm_substep_set_pinned_velocities(s, &c->x, &c->v, 0, c->lanes);
        term->type->find_impulses(c, term, s);
        fm_kick_apply_impulses(c, &s->drag, &c->pair, 0, c->count);
    }
    undo_initial_kick(s);
    memset(c->jump.x, 0, 3 * (size_t)c->lanes * sizeof(double));
    fm_substep_zero_pinned(s, &c->a, 0, c->lanes);
}

// Computes the initial rates for the drag memory: relative velocities in the published models,
// accelerations with physical drag. A pinned particle takes on the velocity of its motion at t = 0,
// so its velocity jumps by some d. The memory interpolates rates linearly, so the jump is a peak of
// height 2 d/h at t = 0 that falls to 0 at h and has the area d.
static void initialize_rates(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    for (int i = 0; i < c->count && !s->drag.physical; i++) {
        c->rate.x[i] = c->v.x[i] - c->w.x[i];
        c->rate.y[i] = c->v.y[i] - c->w.y[i];
        c->rate.z[i] = c->v.z[i] - c->w.z[i];
    }
    for (int i = 0; i < c->count && s->drag.modes; i++) {
        double rate = c->added->start[i] / s->h; // the other half is in the kick's rate
        c->rate.x[i] += rate * c->normal.x[i];
        c->rate.y[i] += rate * c->normal.y[i];
        c->rate.z[i] += rate * c->normal.z[i];
    }
    for (int p = 0; p < c->pinned_count && s->drag.physical; p++) {
        int i = c->pinned[p];
        if (!fm_substep_is_pinned(s, i))
            continue;
        c->rate.x[i] = 2 * (c->v.x[i] - c->w.x[i] - c->pinned_u[p].x) / s->h;
        c->rate.y[i] = 2 * (c->v.y[i] - c->w.y[i] - c->pinned_u[p].y) / s->h;
        c->rate.z[i] = 2 * (c->v.z[i] - c->w.z[i] - c->pinned_u[p].z) / s->h;
    }
}

// Computes accelerations and rates at t = 0, while the memories are empty. Pins may have moved
// since the cloth was created, so the pinned particles are placed first.
static void initialize_motion(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_substep_set_pinned_positions(s, &c->x, 0, c->lanes);
    fm_substep_sample_medium(s, &c->x, s->end, 0, c->lanes);
    copy_axes(c, &c->w, &c->flow);
    fm_impulses_add_medium(c);
    fm_substep_store_pinned_velocities(s, 0, c->lanes);
    fm_substep_set_pinned_velocities(s, &c->x, &c->v, 0, c->lanes);
    fm_substep_compute_forces(s);
    fm_cloth_compute_normals(c, &c->x, &c->normal);
    fm_frame_initialize(c);
    if (s->drag.modes)
        fm_kick_start_modes(s);
    initialize_accelerations(s);
    initialize_rates(s);
}

// Weight of the newest rate in the history force of the initial half kick; see close_with_history.
// b/a is 2 k / (M sqrt(pi)) with the coefficient k of the history force.
static double find_initial_weight(const fm_cloth *c, const fm_medium *medium, double h)
{
    bool remembers = fm_cloth_needs_drag_memory(&c->def, medium);
    return c->def.drag.model == FM_DRAG_PHYSICAL && remembers ? 2.0 / 3 * sqrt(h / FM_PI) : 0;
}

// Creates the memories of all terms, computes accelerations and rates at the initial time, and
// pushes the rates into the memories.
bool fm_substep_initialize_cloth(fm_substep *s, fm_error *err)
{
    fm_cloth *c = s->cloth;
    if (!fm_terms_create_memories(c, &s->around.medium, s->h, err))
        return false;
    fm_substep_set_poses(s, c->time);
    double w0 = find_initial_weight(c, &s->around.medium, s->h);
    s->drag = fm_drag_prepare_step(c, &s->around, s->h, w0);
    if (c->enforcer)
        fm_enforcer_initialize_maps(c, &s->around);
    initialize_motion(s);
    if (!fm_terms_begin_memories(c, 0, err))
        return false;
    fm_terms_push_memories(c, 0, c->lanes);
    fm_terms_end_memories(c);
    c->started = true;
    return true;
}
