// SPDX-License-Identifier: MIT
// explicit_integrators.c: integrators that evaluate all forces at the beginning of a step or stage.
//
//   Euler    x' = x + h v,  v' = v + h a(x, v, D)     as in [OKRC10]; D: fractional derivatives
//   Verlet   v' = d v + h a(x, v),  x' = x + h v'     v belongs to the middle of the step:
//            x' = x + d (x - x_prev) + h^2 a, with d = damping.kept (step.c)
//   RK2      the midpoint rule
//   Heun     predictor by Euler, corrector by the mean of both rates: [LCKL13] eq. (3.21)
//   iterated corrector   Heun with the corrector three times, as [OKRC10] suggests for stiff forces
//   semi-implicit Euler  v' = v + h a(x, v, D),  x' = x + h v',  D at the end of the step with the
//                        old v
//   RK4      the classical Runge-Kutta method
//
// Correctors need D at the end of the step: D = known + w0 u, with the part `known` of the past,
// the weight w0 of the newest rate and u = v - w of the prediction.
//
// [OZG13] eq. 6.2 damps Verlet's scheme by replacing the factor 2 of x by a smaller one. That pulls
// every particle towards the origin of coordinates; the factor d above damps as intended.
//
// Verlet, RK2 and RK4 do not support memories: a fractional derivative has no value between steps.
// Euler is of first order and unstable at every step size for springs without damping; it is here
// to reproduce [OKRC10].
#include "cloth/cloth.h"

#include <string.h>

// Arguments of evaluate_range.
typedef struct evaluation {
    fm_substep *s;
    const fm_vec3_array *x, *v, *a; // m, m/s, m/s^2
    double t;                       // s
} evaluation;

// Computes the accelerations of the particles [first, last) from the forces of all terms.
static void evaluate_range(void *context, int first, int last)
{
    const evaluation *e = context;
    fm_cloth *c = e->s->cloth;
    fm_substep_sample_medium(e->s, e->x, e->t, first, last);
    fm_kick_compute_accelerations(c, &e->s->drag, &e->s->weight, e->v, fm_drag_known_part(c), e->a,
                                  first, last);
    fm_substep_zero_pinned(e->s, e->a, first, last);
}

// Evaluates all forces at positions x, velocities v and time t, and computes the accelerations a;
// those of pinned particles are 0.
static void evaluate(fm_substep *s, const fm_vec3_array *x, const fm_vec3_array *v, double t,
                     const fm_vec3_array *a)
{
    fm_cloth *c = s->cloth;
    evaluation e = {s, x, v, a, t};
    fm_evaluation at = {x, v, t, true, s->around.pool, NULL};
    fm_terms_add_forces(c, &at, &c->normal);
    fm_parallel_for(s->around.pool, c->lanes, FM_PARTICLE_BLOCK, evaluate_range, &e);
}

// out = base + s * rate for all three components, which follow each other in memory.
static void combine(const fm_cloth *c, const fm_vec3_array *out, const fm_vec3_array *base,
                    double s, const fm_vec3_array *rate)
{
    int n = 3 * c->lanes;
#pragma omp simd
    for (int i = 0; i < n; i++)
        out->x[i] = base->x[i] + s * rate->x[i];
}

// Explicit Euler step; forces and fractional derivatives are those at its beginning.
static void step_euler(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_terms_read_memories(c);
    evaluate(s, &c->x, &c->v, s->end - s->h, &c->a);
    combine(c, &c->x, &c->x, s->h, &c->v);
    combine(c, &c->v, &c->v, s->h, &c->a);
}

// Writes the fractional derivatives at the end of the step, if the velocities there are v at
// positions x, into term->known.
static void predict_memories(fm_substep *s, const fm_vec3_array *x, const fm_vec3_array *v)
{
    fm_cloth *c = s->cloth;
    fm_terms_predict_memories(c, 0, c->lanes);
    fm_substep_sample_medium(s, x, s->end, 0, c->lanes);
    for (int k = 0; k < c->term_count; k++) {
        fm_term *term = &c->terms[k];
        if (!term->memory)
            continue;
        double w0 = fm_memory_newest_weight(term->memory, s->h);
        combine(c, &term->known, &term->known, w0, v);
        combine(c, &term->known, &term->known, -w0, &c->flow);
    }
}

// Semi-implicit Euler step with the derivatives predicted for its end.
static void step_semi_implicit_euler(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    predict_memories(s, &c->x, &c->v);
    evaluate(s, &c->x, &c->v, s->end - s->h, &c->a);
    combine(c, &c->v, &c->v, s->h, &c->a);
    combine(c, &c->x, &c->x, s->h, &c->v);
}

// Verlet step in leapfrog form. The velocity belongs to the middle of the previous step; in the
// first step to its beginning, so that it is advanced by half a step.
static void step_verlet(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    evaluate(s, &c->x, &c->v, s->end - s->h, &c->a);
    combine(c, &c->v, &c->v, c->verlet_moving ? s->h : s->h / 2, &c->a);
    combine(c, &c->x, &c->x, s->h, &c->v);
    c->verlet_moving = true;
}

// Sets trial_x = x + step * dx and trial_v = v + step * dv, with pinned particles at their
// positions at time t.
static void set_stage(fm_substep *s, double step, const fm_vec3_array *dx, const fm_vec3_array *dv,
                      double t)
{
    fm_cloth *c = s->cloth;
    combine(c, &c->trial_x, &c->x, step, dx);
    combine(c, &c->trial_v, &c->v, step, dv);
    fm_substep_set_poses(s, t);
    fm_substep_set_pinned_positions(s, &c->trial_x, 0, c->lanes);
    fm_substep_set_pinned_velocities(s, &c->trial_x, &c->trial_v, 0, c->lanes);
}

// Midpoint rule: the state in the middle of the step, and a whole step with its rates.
static void step_rk2(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    double h = s->h, t = s->end - h;
    evaluate(s, &c->x, &c->v, t, &c->a);
    set_stage(s, h / 2, &c->v, &c->a, t + h / 2);
    evaluate(s, &c->trial_x, &c->trial_v, t + h / 2, &c->a);
    combine(c, &c->x, &c->x, h, &c->trial_v);
    combine(c, &c->v, &c->v, h, &c->a);
    fm_substep_set_poses(s, t + h);
}

// Heun's predictor-corrector of second order: an Euler step, then the mean of both rates, with
// `correctors` such means.
static void step_heun(fm_substep *s, int correctors)
{
    fm_cloth *c = s->cloth;
    double h = s->h, t = s->end - h;
    size_t size = 3 * (size_t)c->lanes * sizeof(double);
    fm_terms_read_memories(c);
    evaluate(s, &c->x, &c->v, t, &c->a);
    memcpy(c->sum_v.x, c->a.x, size);
    set_stage(s, h, &c->v, &c->a, t + h);
    for (int k = 1; k <= correctors; k++) {
        predict_memories(s, &c->trial_x, &c->trial_v);
        evaluate(s, &c->trial_x, &c->trial_v, t + h, &c->a);
        if (k == correctors)
            break;
        // mean rates of this round, for the stage of the next one
        combine(c, &c->sum_x, &c->v, 1, &c->trial_v);
        combine(c, &c->pair, &c->sum_v, 1, &c->a);
        set_stage(s, h / 2, &c->sum_x, &c->pair, t + h);
    }
    combine(c, &c->x, &c->x, h / 2, &c->v);
    combine(c, &c->x, &c->x, h / 2, &c->trial_v);
    combine(c, &c->v, &c->v, h / 2, &c->sum_v);
    combine(c, &c->v, &c->v, h / 2, &c->a);
}

// Classical Runge-Kutta step of fourth order: four stages, whose rates are summed with the weights
// 1/6, 1/3, 1/3, 1/6 in sum_x and sum_v.
static void step_rk4(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    double h = s->h, t = s->end - h;
    size_t size = 3 * (size_t)c->lanes * sizeof(double);
    memset(c->sum_x.x, 0, size);
    memset(c->sum_v.x, 0, size);
    memcpy(c->trial_v.x, c->v.x, size);
    evaluate(s, &c->x, &c->v, t, &c->a);
    static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    static const double next[3] = {0.5, 0.5, 1}; // time of the next stage, in steps
    for (int k = 0; k < 4; k++) {
        combine(c, &c->sum_x, &c->sum_x, weight[k], &c->trial_v);
        combine(c, &c->sum_v, &c->sum_v, weight[k], &c->a);
        if (k == 3)
            break;
        // the rate of x is the velocity of this stage, which set_stage overwrites
        memcpy(c->pair.x, c->trial_v.x, size);
        set_stage(s, next[k] * h, &c->pair, &c->a, t + next[k] * h);
        evaluate(s, &c->trial_x, &c->trial_v, t + next[k] * h, &c->a);
    }
    combine(c, &c->x, &c->x, h, &c->sum_x);
    combine(c, &c->v, &c->v, h, &c->sum_v);
    fm_substep_set_poses(s, t + h);
}

// A whole substep by the explicit integrator of the definition, with pins, enforcement, colliders
// and memories.
void fm_substep_integrate_explicitly(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_impulses_begin_explicit(s);
    switch (c->def.integrator) {
    case FM_KICK_DRIFT_KICK:
    case FM_IMPLICIT:
    case FM_IMPLICIT_EULER:
    case FM_AUTOMATIC:
        break;
    case FM_EULER:
        step_euler(s);
        break;
    case FM_VERLET:
        step_verlet(s);
        break;
    case FM_RK2:
        step_rk2(s);
        break;
    case FM_RK4:
        step_rk4(s);
        break;
    case FM_HEUN:
        step_heun(s, 1);
        break;
    case FM_ITERATED_CORRECTOR:
        step_heun(s, 3);
        break;
    case FM_SEMI_IMPLICIT_EULER:
        step_semi_implicit_euler(s);
        break;
    }
    fm_substep_set_pinned_positions(s, &c->x, 0, c->lanes);
    if (c->enforcer)
        fm_substep_enforce_lengths(s);
    fm_substep_set_pinned_velocities(s, &c->x, &c->v, 0, c->lanes);
    fm_substep_resolve_colliders(s, s->margin, false, 0, c->lanes);
    fm_substep_sample_medium(s, &c->x, s->end, 0, c->lanes);
    fm_impulses_end_explicit(s);
    memcpy(c->w.x, c->flow.x, 3 * (size_t)c->lanes * sizeof(double));
    combine(c, &c->rate, &c->v, -1, &c->w);
    fm_terms_push_memories(c, 0, c->lanes);
}
