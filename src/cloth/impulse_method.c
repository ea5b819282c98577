// SPDX-License-Identifier: MIT
// impulse_method.c: the external impulses of a fabric or line and the damping of its internal
// impulse.
//
// [LCKL13] section 3.5 separates the velocity of a point into the part v_s due to the impulses of
// its springs and the part v_e due to all else, and damps the first only:
//
//     v = v_s + v_e,      dv_s/dt = F/m - kappa v_s
//     dv_e/dt = g + p A n / m,   or   v_e = w(x, t) with an external velocity field
//
//   F  N, internal forces: springs, bending, repulsion      m  kg      kappa  1/s
//   g  m/s^2, weight minus buoyancy over the mass     p A n  N, pressure (pressure_difference.c)
//   w  m/s, velocity of the medium
//
// Kick-drift-kick solves the damping implicitly in the closing half kick,
//
//     v_s' = (v_s + h/2 (a_s + F'/m)) / (1 + kappa h/2),     a_s = F/m - kappa v_s
//
// and adds the acceleration dw/dt of the medium along the path, so that a point moves with
// v_s + w. The explicit integrators evaluate v_s at each stage as v_s + (v_stage - v) - (t_stage -
// t) e, with the external acceleration e at the beginning of the step, and add the change of w at
// the end of the step; collisions count as internal there. Initial velocities are external.
//
// In equilibrium v_s = -v_e grows with time, and so does the damping force: a hanging fabric sags
// as if gravity were (1 + kappa t) g. That is the published method; the damping of cloth.h has no
// such drift. Forces of ties are external.
#include "cloth/cloth.h"

#include <string.h>

// State: v_s, then a_s, three arrays of `lanes` numbers each. Scratch in `data`.
typedef struct impulses {
    fm_vec3_array internal; // N, F
    fm_vec3_array before;   // m/s, v at the beginning of an explicit step
    fm_vec3_array external; // m/s^2, e
} impulses;

// The vectors v_s (which = 0) or a_s (1) in the state.
static fm_vec3_array view_state(const fm_cloth *c, const fm_term *term, int which)
{
    double *from = term->state + 3 * (size_t)which * (size_t)c->lanes;
    return (fm_vec3_array){from, from + c->lanes, from + 2 * c->lanes};
}

// 1/s, of a fabric or a line.
static double find_kappa(const fm_cloth *c)
{
    return c->line ? c->line->kappa : c->fabric ? c->fabric->def.kappa : 0;
}

// Whether the medium carries the points: w instead of drag.
static bool is_carried(const fm_cloth *c)
{
    return c->fabric && c->fabric->def.external_velocity;
}

static bool applies(const fm_cloth *c)
{
    return find_kappa(c) > 0 || is_carried(c);
}

// Allocates the state, v_s and a_s of each particle, and the scratch arrays.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    impulses *data = fm_arena_alloc(&c->arena, 1, sizeof *data, c->object.name, err);
    term->state_count = 6 * c->lanes;
    term->state = fm_arena_alloc(&c->arena, (size_t)term->state_count, sizeof *term->state,
                                 c->object.name, err);
    if (!data || !term->state)
        return false;
    data->internal = fm_vec3_array_create(&c->arena, c->lanes, err);
    data->before = fm_vec3_array_create(&c->arena, c->lanes, err);
    data->external = fm_vec3_array_create(&c->arena, c->lanes, err);
    term->data = data;
    return err->status == FM_OK;
}

// Adds -kappa m v_s at a stage of an explicit integrator.
static void add_stage_damping(fm_cloth *c, const fm_term *term, const fm_evaluation *at)
{
    const impulses *data = term->data;
    fm_vec3_array v_s = view_state(c, term, 0);
    double elapsed = at->t - c->time, kappa = find_kappa(c);
    for (int i = 0; i < c->count; i++) {
        fm_vec3 v = fm_add(fm_vec3_array_at(v_s, i),
                           fm_sub(fm_vec3_array_at(*at->v, i), fm_vec3_array_at(data->before, i)));
        v = fm_add_scaled(v, fm_vec3_array_at(data->external, i), -elapsed);
        c->force.x[i] -= kappa * c->mass[i] * v.x;
        c->force.y[i] -= kappa * c->mass[i] * v.y;
        c->force.z[i] -= kappa * c->mass[i] * v.z;
    }
}

// The internal forces are those that the terms before this one have added.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    impulses *data = term->data;
    if (at->is_explicit)
        add_stage_damping(c, term, at);
    else
        fm_vec3_array_copy(data->internal, c->force, c->count);
}

// Advances v_s to the end of the substep along one axis and writes impulses. first: before the
// first substep, when v_s = 0 and only a_s is unknown.
static void find_axis_impulses(const fm_cloth *c, double h, bool first, double *v_s, double *a_s,
                               const double *force, const double *dw, double *impulse)
{
    double kappa = find_kappa(c), follow = is_carried(c);
    for (int i = 0; i < c->count; i++) {
        double a = force[i] / c->mass[i];
        if (!first)
            v_s[i] = (v_s[i] + h / 2 * (a_s[i] + a)) / (1 + kappa * h / 2);
        a_s[i] = a - kappa * v_s[i];
        impulse[i] = h / 2 * c->mass[i] * (follow * dw[i] - kappa * v_s[i]);
    }
}

static void find_impulses(fm_cloth *c, fm_term *term, const fm_substep *s)
{
    const impulses *data = term->data;
    fm_vec3_array v_s = view_state(c, term, 0), a_s = view_state(c, term, 1);
    const fm_vec3_array *f = &data->internal, *dw = &c->drift_acceleration;
    bool first = !c->started;
    find_axis_impulses(c, s->h, first, v_s.x, a_s.x, f->x, dw->x, c->pair.x);
    find_axis_impulses(c, s->h, first, v_s.y, a_s.y, f->y, dw->y, c->pair.y);
    find_axis_impulses(c, s->h, first, v_s.z, a_s.z, f->z, dw->z, c->pair.z);
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        if (fm_substep_is_pinned(s, i))
            v_s.x[i] = v_s.y[i] = v_s.z[i] = a_s.x[i] = a_s.y[i] = a_s.z[i] = 0;
    }
}

void fm_impulses_begin_explicit(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    const fm_term *term = fm_cloth_find_term(c, &fm_impulse_term);
    if (!term)
        return;
    impulses *data = term->data;
    fm_vec3_array_copy(data->before, c->v, c->count);
    if (c->fabric->def.pressure != 0)
        fm_spring_mesh_compute_areas(c, &c->x, (fm_element_parts){0, 1, 1});
    for (int i = 0; i < c->count; i++) {
        double net = c->mass[i] - c->area[i] * s->weight.displaced;
        fm_vec3 force = fm_scale(s->weight.gravity, net);
        force = fm_add(force, fm_pressure_force(c, i));
        data->external.x[i] = force.x / c->mass[i];
        data->external.y[i] = force.y / c->mass[i];
        data->external.z[i] = force.z / c->mass[i];
    }
}

void fm_impulses_end_explicit(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    const fm_term *term = fm_cloth_find_term(c, &fm_impulse_term);
    if (!term)
        return;
    impulses *data = term->data;
    fm_vec3_array v_s = view_state(c, term, 0);
    double follow = is_carried(c);
    for (int i = 0; i < c->count; i++) {
        bool pinned = fm_substep_is_pinned(s, i);
        double *v[3] = {&c->v.x[i], &c->v.y[i], &c->v.z[i]};
        double *own[3] = {&v_s.x[i], &v_s.y[i], &v_s.z[i]};
        const double before[3] = {data->before.x[i], data->before.y[i], data->before.z[i]};
        const double e[3] = {data->external.x[i], data->external.y[i], data->external.z[i]};
        const double dw[3] = {c->flow.x[i] - c->w.x[i], c->flow.y[i] - c->w.y[i],
                              c->flow.z[i] - c->w.z[i]};
        for (int k = 0; k < 3; k++) {
            *own[k] = pinned ? 0 : *own[k] + *v[k] - before[k] - s->h * e[k];
            *v[k] += pinned ? 0 : follow * dw[k];
        }
    }
}

void fm_impulses_add_medium(fm_cloth *c)
{
    if (!is_carried(c))
        return;
    for (int i = 0; i < c->count; i++)
        c->v.x[i] += c->w.x[i], c->v.y[i] += c->w.y[i], c->v.z[i] += c->w.z[i];
}

const fm_term_type fm_impulse_term = {
    .name = "impulses",
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .find_impulses = find_impulses,
};
