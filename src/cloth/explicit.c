// SPDX-License-Identifier: MIT
// explicit.c: integrators that take everything at the beginning of what they step over.
//
//   Euler    x' = x + h v,  v' = v + h a(x, v, D)                as published, memories included
//   Verlet   v' = d v + h a(x, v),  x' = x + h v'                v belongs to the middle of the
//            step: x' = x + d (x - x_prev) + h^2 a, d = damping.kept (step.c)
//   RK2      the midpoint rule
//   RK4      the classical one
//
// [OZG13] eq. 6.2 damps Verlet's scheme by a multiplier other than 2 of x, which pulls every
// particle to the origin of coordinates instead; d is what it must have meant.
//
// The last three have no memory: a derivative of the past has no value between steps. Euler is
// first order and, for springs without damping, grows at every step size; it is here to reproduce a
// paper.
#include "cloth/cloth.h"

#include <string.h>

typedef struct evaluation {
    fm_substep *s;
    const fm_axes *x, *v, *a;
    double t;
} evaluation;

static void evaluate_range(void *context, int first, int last)
{
    const evaluation *e = context;
    fm_cloth *c = e->s->cloth;
    fm_substep_sample_medium(e->s, e->x, e->t, first, last);
    fm_drag_explicit(c, &e->s->drag, e->v, &c->flow, &c->drag_known, e->a, first, last);
    fm_substep_pin_zero(e->s, e->a, first, last);
}

// a at time t, with pinned particles where they are then.
static void evaluate(fm_substep *s, const fm_axes *x, const fm_axes *v, double t, const fm_axes *a)
{
    fm_cloth *c = s->cloth;
    evaluation e = {s, x, v, a, t};
    fm_cloth_inner_forces(c, x, v, t, &c->normal, s->around->pool);
    if (s->damped) // on D^q x of the damping memory, or on velocities
        fm_cloth_add_damping_forces(c, x, c->damping_memory ? &c->known : v, s->around->pool);
    if (c->def.repulsion.enabled)
        fm_repulsion_add_forces(c, x, v, s->around->pool);
    fm_parallel_for(s->around->pool, c->lanes, FM_FLAT_BLOCK, evaluate_range, &e);
}

// out = base + s * rate, for all three components: they follow each other in memory.
static void combine(const fm_cloth *c, const fm_axes *out, const fm_axes *base, double s,
                    const fm_axes *rate)
{
    int n = 3 * c->lanes;
#pragma omp simd
    for (int i = 0; i < n; i++)
        out->x[i] = base->x[i] + s * rate->x[i];
}

static void euler(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    if (c->drag_memory)
        fm_memory_value(c->drag_memory, c->drag_known.x);
    if (c->damping_memory)
        fm_memory_value(c->damping_memory, c->known.x);
    evaluate(s, &c->x, &c->v, s->end - s->h, &c->a);
    combine(c, &c->x, &c->x, s->h, &c->v);
    combine(c, &c->v, &c->v, s->h, &c->a);
}

static void verlet(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    evaluate(s, &c->x, &c->v, s->end - s->h, &c->a);
    // v is that of the middle of the step before; the first step starts from v itself
    combine(c, &c->v, &c->v, c->verlet_moving ? s->h : s->h / 2, &c->a);
    combine(c, &c->x, &c->x, s->h, &c->v);
    c->verlet_moving = true;
}

// Stage values x + s dx, v + s dv at time t, with pins in their place.
static void stage(fm_substep *s, double step, const fm_axes *dx, const fm_axes *dv, double t)
{
    fm_cloth *c = s->cloth;
    combine(c, &c->trial_x, &c->x, step, dx);
    combine(c, &c->trial_v, &c->v, step, dv);
    fm_substep_place(s, t);
    fm_substep_pin_positions(s, &c->trial_x, 0, c->lanes);
    fm_substep_pin_velocities(s, &c->trial_x, &c->trial_v, 0, c->lanes);
}

static void rk2(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    double h = s->h, t = s->end - h;
    evaluate(s, &c->x, &c->v, t, &c->a);
    stage(s, h / 2, &c->v, &c->a, t + h / 2);
    evaluate(s, &c->trial_x, &c->trial_v, t + h / 2, &c->a);
    combine(c, &c->x, &c->x, h, &c->trial_v);
    combine(c, &c->v, &c->v, h, &c->a);
    fm_substep_place(s, t + h);
}

static void rk4(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    double h = s->h, t = s->end - h;
    size_t size = 3 * (size_t)c->lanes * sizeof(double);
    memset(c->sum_x.x, 0, size);
    memset(c->sum_v.x, 0, size);
    memcpy(c->trial_v.x, c->v.x, size);
    evaluate(s, &c->x, &c->v, t, &c->a);
    static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, next[3] = {0.5, 0.5, 1};
    for (int k = 0; k < 4; k++) {
        combine(c, &c->sum_x, &c->sum_x, weight[k], &c->trial_v);
        combine(c, &c->sum_v, &c->sum_v, weight[k], &c->a);
        if (k == 3)
            break;
        // the rate of x is the velocity of this stage, which the next stage replaces
        memcpy(c->pair.x, c->trial_v.x, size);
        stage(s, next[k] * h, &c->pair, &c->a, t + next[k] * h);
        evaluate(s, &c->trial_x, &c->trial_v, t + next[k] * h, &c->a);
    }
    combine(c, &c->x, &c->x, h, &c->sum_x);
    combine(c, &c->v, &c->v, h, &c->sum_v);
    fm_substep_place(s, t + h);
}

void fm_substep_explicit(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    switch (c->def.integrator) {
    case FM_KICK_DRIFT_KICK:
        break;
    case FM_EULER:
        euler(s);
        break;
    case FM_VERLET:
        verlet(s);
        break;
    case FM_RK2:
        rk2(s);
        break;
    case FM_RK4:
        rk4(s);
        break;
    }
    fm_substep_pin_positions(s, &c->x, 0, c->lanes);
    if (c->enforcer)
        fm_substep_enforce(s);
    fm_substep_pin_velocities(s, &c->x, &c->v, 0, c->lanes);
    fm_substep_collide(s, s->margin, false, 0, c->lanes);
    fm_substep_sample_medium(s, &c->x, s->end, 0, c->lanes);
    memcpy(c->w.x, c->flow.x, 3 * (size_t)c->lanes * sizeof(double));
    combine(c, &c->rate, &c->v, -1, &c->w);
    if (c->drag_memory)
        fm_lanes_push(c->drag_memory, &c->rate, c->lanes, 0, c->lanes);
    if (c->damping_memory)
        fm_lanes_push(c->damping_memory, &c->rate, c->lanes, 0, c->lanes);
}
