// SPDX-License-Identifier: MIT
// step.c: time stepping of a cloth by kick-drift-kick.
//
// Each substep of length h evaluates the forces once:
//
//     open     v_half = v + h/2 a;  x' = x + h (v_half + h/2 drift_acceleration);  place pinned
//              particles;  enforcement (strain_limiting.c);  push particles out of colliders
//     forces   of all terms at x' (terms.c)
//     close    sample the medium and predict the memories; closing half kick, implicit in all
//              forces that depend on the particle's own new velocity (kick.c)
//     damp     apply impulses of terms that couple the velocities of neighbours (damping.c)
//     settle   set velocities at pins and colliders; push the new rates into the memories
//
// The scheme is of second order. It is stable for every strength of drag, damping and memory as
// long as it is stable for the springs alone, omega h < 2. The substep is h = COURANT / omega, with
// omega from the terms' bounds (terms.c).
//
// Pinned particles and colliders are placed at their positions at the end of the substep. Colliders
// push particles out after drift and enforcement, and remove the inward part of their velocity
// after the kick. The explicit integrators are in explicit_integrators.c, the state before the
// first substep is computed in initial_state.c.
#include "cloth/added_mass.h"

#include <math.h>

// Number of substeps, 1 to 1e9, that `duration` seconds need. Rounding of the quotient does not add
// one.
int fm_cloth_count_substeps(const fm_cloth *cloth, double duration)
{
    const double ROUNDING = 1e-9; // substeps
    double n = ceil(duration / cloth->stable_step - ROUNDING);
    return n < 1 ? 1 : n > 1e9 ? 1000000000 : (int)n;
}

// Sets the end of the substep to time t, s, and computes the poses of pins and colliders there.
void fm_substep_set_poses(fm_substep *s, double t)
{
    fm_cloth *cloth = s->cloth;
    s->end = t;
    for (int g = 0; g < cloth->group_count; g++)
        s->poses[g] = fm_motion_pose(cloth->groups[g].motion, t);
    for (int i = 0; i < s->around.collider_count; i++)
        s->around.placed[i] = fm_collider_place(s->around.colliders[i], t);
}

// Moves particles [first, last) that are closer to a collider than the margin out to the margin,
// and removes the inward part of their velocity. again: only particles that were in contact before
// in this substep. `jump` accumulates the velocity changes, in addition to those by enforcement.
void fm_substep_resolve_colliders(fm_substep *s, double margin, bool again, int first, int last)
{
    fm_cloth *c = s->cloth;
    int count = c->def.contact.enabled ? 0 : s->around.collider_count;
    bool added_mass = fm_drag_has_added_mass(&s->drag);
    for (int i = first; i < last && count > 0 && i < c->count; i++) {
        if (again && !c->touch[i])
            continue;
        bool touched = false;
        fm_vec3 x = {c->x.x[i], c->x.y[i], c->x.z[i]}, v = {c->v.x[i], c->v.y[i], c->v.z[i]};
        if (!fm_substep_is_pinned(s, i)) {
            fm_effective_mass m = fm_drag_effective_mass(c, &s->drag, i);
            fm_mass_axis axis = {{c->normal.x[i], c->normal.y[i], c->normal.z[i]},
                                 m.across / m.along};
            fm_collide_particle_with_mass_axis(s->around.placed, count, margin,
                                               added_mass ? &axis : NULL, &x, &v, &touched);
        }
        if (!again) {
            c->touch[i] = touched;
            if (!c->enforcer) // otherwise jump already contains the changes by enforcement
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

// Velocity of the medium at the particles [first, last), at positions x and time t, into `flow`.
void fm_substep_sample_medium(fm_substep *s, const fm_vec3_array *x, double t, int first, int last)
{
    fm_cloth *c = s->cloth;
    if (c->carrier.on) {
        fm_cloth_interpolate_carrier(c, s->end - s->h, t, first, last);
        return;
    }
    const fm_flow *flow = &s->around.medium.flow;
    fm_vec3 w = fm_flow_velocity(flow, (fm_vec3){0, 0, 0}, t);
    bool uniform = fm_flow_is_uniform(flow);
    for (int i = first; i < last && i < c->count; i++) {
        if (!uniform)
            w = fm_flow_velocity(flow, (fm_vec3){x->x[i], x->y[i], x->z[i]}, t);
        c->flow.x[i] = w.x, c->flow.y[i] = w.y, c->flow.z[i] = w.z;
    }
}

// Opening half kick and drift of n particles along one axis, over a substep of h seconds.
FM_SIMD_CLONES
static void kick_and_drift_lanes(int n, double h, double *restrict x, double *restrict v,
                                 const double *restrict a,
                                 const double *restrict drift_acceleration)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        v[i] += 0.5 * h * a[i];
        x[i] += h * (v[i] + 0.5 * h * drift_acceleration[i]);
    }
}

// Opening half kick and drift of the particles [first, last). Without enforcement, which would move
// particles of other ranges too, colliders push particles out at once.
static void kick_and_drift_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    int n = last - first;
    kick_and_drift_lanes(n, s->h, c->x.x + first, c->v.x + first, c->a.x + first,
                         c->drift_acceleration.x + first);
    kick_and_drift_lanes(n, s->h, c->x.y + first, c->v.y + first, c->a.y + first,
                         c->drift_acceleration.y + first);
    kick_and_drift_lanes(n, s->h, c->x.z + first, c->v.z + first, c->a.z + first,
                         c->drift_acceleration.z + first);
    fm_substep_set_pinned_positions(s, &c->x, first, last);
    if (!c->enforcer)
        fm_substep_resolve_colliders(s, s->margin, false, first, last);
}

static void resolve_collider_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_substep_resolve_colliders(s, s->margin, false, first, last);
}

// Sets the rates (accelerations) of particles whose velocity pins, colliders or enforcement have
// changed. A velocity jump by d is pushed into the memory as the acceleration d/h: rates are
// interpolated linearly, and a hat function of width 2h and height d/h has the area d.
static void set_constrained_rates(fm_substep *s, int first, int last)
{
    fm_cloth *c = s->cloth;
    for (int p = fm_cloth_find_first_pin(c, first); p < c->pinned_count && c->pinned[p] < last;
         p++) {
        int i = c->pinned[p];
        if (!fm_substep_is_pinned(s, i))
            continue;
        c->rate.x[i] = (c->v.x[i] - c->w.x[i] - c->pinned_u[p].x) / s->h;
        c->rate.y[i] = (c->v.y[i] - c->w.y[i] - c->pinned_u[p].y) / s->h;
        c->rate.z[i] = (c->v.z[i] - c->w.z[i] - c->pinned_u[p].z) / s->h;
    }
    for (int i = first; i < last && (c->enforcer || c->def.contact.enabled || c->tied ||
                                     s->around.collider_count > 0);
         i++) {
        if (!c->touch[i] && !c->enforcer && !(c->tied && c->tied[i]))
            continue;
        c->rate.x[i] += c->jump.x[i] / s->h;
        c->rate.y[i] += c->jump.y[i] / s->h;
        c->rate.z[i] += c->jump.z[i] / s->h;
    }
}

// Sets velocities at pins and colliders and pushes the new rates into the memories.
static void settle_velocities(fm_substep *s, int first, int last)
{
    // slightly more than the margin, to find particles that were moved out to the margin itself
    const double RELATIVE = 1e-6, ABSOLUTE = 1e-12; // slack on the margin, relative and in m
    fm_cloth *c = s->cloth;
    fm_substep_zero_pinned(s, &c->a, first, last);
    fm_substep_set_pinned_velocities(s, &c->x, &c->v, first, last);
    fm_substep_resolve_colliders(s, s->margin * (1 + RELATIVE) + ABSOLUTE, true, first, last);
    if (s->drag.physical)
        set_constrained_rates(s, first, last);
    fm_terms_push_memories(c, first, last);
}

// Called after the closing kick and after each term's impulses: settles the velocities of the
// particles [first, last) if no term has impulses left.
static void settle_if_last(fm_substep *s, int first, int last)
{
    if (s->impulses_left == 0)
        settle_velocities(s, first, last);
    else // impulses of the remaining terms depend on the velocities of pinned particles
        fm_substep_set_pinned_velocities(s, &s->cloth->x, &s->cloth->v, first, last);
}

// Closing half kick of the particles [first, last), with the medium and the memories at its end.
static void close_kick_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    fm_substep_sample_medium(s, &c->x, s->end, first, last);
    fm_terms_predict_memories(c, first, last);
    fm_substep_store_pinned_velocities(s, first, last);
    fm_frame_advance(s, first, last);
    fm_kick_close_substep(c, &s->drag, &s->weight, fm_drag_known_part(c), first, last);
    settle_if_last(s, first, last);
}

// Closing half kick with added mass by wavelength, before the solve for the normal velocities:
// reads the medium and the memories at the end of the substep for the particles [first, last).
static void prepare_modes_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    fm_substep_sample_medium(s, &c->x, s->end, first, last);
    fm_terms_predict_memories(c, first, last);
    fm_substep_store_pinned_velocities(s, first, last);
}

// Turns the frames of the drag memory (frame.c) of the particles [first, last).
static void turn_frames_range(void *context, int first, int last)
{
    fm_frame_advance(context, first, last);
}

// After the solve for the normal velocities: ends the closing half kick of the particles
// [first, last).
static void close_modes_range(void *context, int first, int last)
{
    fm_substep *s = context;
    fm_cloth *c = s->cloth;
    fm_kick_close_modes(c, &s->drag, &s->weight, fm_drag_known_part(c), first, last);
    settle_if_last(s, first, last);
}

// Closing half kick with added mass by wavelength: loops over blocks of particles, and between them
// one solve for the normal velocities of all particles.
static void close_kick_with_modes(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_pool *pool = s->around.pool;
    fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, prepare_modes_range, s);
    fm_added_mass_release(s);
    if (c->enforcer || c->def.contact.enabled || s->around.collider_count > 0)
        fm_added_mass_limit_jumps(s);
    fm_kick_turn_modes(s);
    fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, turn_frames_range, s);
    fm_kick_solve_modes(s, fm_drag_known_part(c), false);
    fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, close_modes_range, s);
}

// Applies the impulses of a term, in cloth->pair, to the particles [first, last).
static void apply_impulse_range(void *context, int first, int last)
{
    fm_substep *s = context;
    int end = last < s->cloth->count ? last : s->cloth->count; // padding lanes have no impulses
    fm_kick_apply_impulses(s->cloth, &s->drag, &s->cloth->pair, first, end);
    settle_if_last(s, first, last);
}

// The first part of a substep: opening half kick, drift, pins, enforcement and colliders.
static void kick_and_drift(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_pool *pool = s->around.pool;
    fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, kick_and_drift_range, s);
    if (c->enforcer) {
        fm_substep_enforce_lengths(s);
        fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, resolve_collider_range, s);
    }
}

// Computes the forces of all terms and the normals at the cloth's present x and v.
void fm_substep_compute_forces(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_evaluation at = {&c->x, &c->v, s->end, false, s->around.pool, NULL};
    fm_terms_add_forces(c, &at, &c->next_normal);
}

// The second part of a substep: forces, closing half kick, and impulses term by term.
static void close_kick(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_pool *pool = s->around.pool;
    s->impulses_left = 0;
    for (int i = 0; i < c->term_count; i++)
        s->impulses_left += c->terms[i].type->find_impulses != NULL;
    if (s->drag.modes)
        close_kick_with_modes(s);
    else
        fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, close_kick_range, s);
    for (int i = 0; i < c->term_count; i++) {
        if (!c->terms[i].type->find_impulses)
            continue;
        c->terms[i].type->find_impulses(c, &c->terms[i], s);
        s->impulses_left--;
        fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, apply_impulse_range, s);
    }
}

// Multiplies all velocities by damping.kept.
void fm_cloth_scale_velocities(fm_cloth *c)
{
    for (int i = 0; i < 3 * c->lanes && c->def.damping.kept < 1; i++)
        c->v.x[i] *= c->def.damping.kept;
}

// ns, rough cost of a substep on one thread, to decide whether threads pay.
double fm_cloth_substep_ns(const fm_cloth *c)
{
    enum { SHEET_NS = 60, MESH_NS = 120 }; // ns per particle, measured with physical drag
    enum {
        IMPLICIT = 4
    }; // times as long for one of the parallel loops of the implicit integrators
    double substep = (double)c->count * (c->kind == FM_CLOTH_SHEET ? SHEET_NS : MESH_NS);
    return c->implicit ? IMPLICIT * substep : substep;
}

// Prepares for substeps of h seconds, and computes the initial state before the first one. The
// margin is the distance kept from colliders.
bool fm_cloth_begin_substeps(fm_cloth *c, const fm_surroundings *around, double h, fm_error *err)
{
    fm_substep *s = c->substep;
    s->cloth = c;
    s->around = *around;
    s->h = c->implicit ? h / fm_implicit_stage_count(&c->def) : h;
    s->weight = fm_weight_compute(c, around);
    if (c->line && !fm_cloth_exchanges_drag(c))
        fm_line_set_inertia(c, &around->medium);
    s->margin = c->def.contact.enabled ? c->contact_thickness
                : c->def.margin < 0    ? c->def.thickness / 2
                                       : c->def.margin;
    if (c->implicit && !fm_implicit_check(c, err))
        return false;
    return fm_added_mass_begin(c, err) && (c->started || fm_substep_initialize_cloth(s, err));
}

// The first part of a substep that ends at the time `end`, s: moves the positions. The explicit
// integrators do the whole substep here.
bool fm_cloth_open_substep(fm_cloth *c, double end, fm_error *err)
{
    fm_substep *s = c->substep;
    if (c->implicit) {
        fm_cloth_scale_velocities(c);
        return fm_implicit_open(s, end, err);
    }
    if (!fm_terms_begin_memories(c, s->h, err))
        return false;
    s->drag = fm_drag_prepare_step(c, &s->around, s->h, fm_drag_newest_weight(c, s->h));
    fm_substep_set_poses(s, end);
    fm_muscle_contract(c, end);
    if (c->enforcer)
        fm_enforcer_remove_expected(c);
    fm_cloth_scale_velocities(c);
    if (c->def.integrator == FM_KICK_DRIFT_KICK)
        kick_and_drift(s);
    else
        fm_substep_integrate_explicitly(s);
    return true;
}

// Computes the forces at the positions at the end of the substep, which contact may have changed.
void fm_cloth_evaluate_forces(fm_cloth *c)
{
    if (c->def.integrator == FM_KICK_DRIFT_KICK)
        fm_substep_compute_forces(c->substep);
    for (int i = 0; i < c->count && c->fluid_load; i++) {
        c->force.x[i] += c->fluid_load[i].x;
        c->force.y[i] += c->fluid_load[i].y;
        c->force.z[i] += c->fluid_load[i].z;
    }
}

// The second part of a substep: computes the velocities at its end.
void fm_cloth_close_substep(fm_cloth *c)
{
    if (c->implicit)
        fm_implicit_close(c->substep);
    if (c->def.integrator == FM_KICK_DRIFT_KICK)
        close_kick(c->substep);
    if (c->def.integrator == FM_KICK_DRIFT_KICK && c->enforcer)
        fm_enforcer_add_expected(c->substep);
    fm_reflection_apply(c->substep);
    fm_terms_end_memories(c);
    c->time = c->substep->end;
    if (fm_cloth_exchanges_drag(c))
        fm_cloth_exchange_drag(c->substep);
}

fm_effective_mass fm_cloth_effective_mass(const fm_cloth *c, int particle)
{
    return fm_drag_effective_mass(c, &c->substep->drag, particle);
}

bool fm_cloth_has_added_mass(const fm_cloth *c)
{
    return fm_drag_has_added_mass(&c->substep->drag);
}

// Advances a cloth without contact by `duration` seconds in `substeps` equal parts. False if the
// host asked to stop or memory runs out.
bool fm_cloth_advance(fm_cloth *c, const fm_surroundings *around, double duration, int substeps,
                      fm_error *err)
{
    double begin = c->time;
    if (!fm_cloth_begin_substeps(c, around, duration / substeps, err))
        return false;
    for (int n = 1; n <= substeps; n++) {
        if (!fm_stop_request_check(around->stop, err) ||
            !fm_cloth_open_substep(c, begin + duration * n / substeps, err))
            return false;
        fm_cloth_evaluate_forces(c);
        fm_cloth_close_substep(c);
    }
    return true;
}
