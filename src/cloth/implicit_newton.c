// SPDX-License-Identifier: MIT
// implicit_newton.c: Newton's method for a stage of the implicit integrators (implicit.c), for all
// cloths that contact may join.
//
// The second derivatives are those of implicit_system.c and, for pairs in contact, of
// collide/solver_pairs.c; the direction of drag, damping, friction and of the frames is that of the
// last iterate. The line search accepts a step dx if gradient(x + dx) . dx <=
// SLOPE |gradient(x) . dx|: the minimum along dx is not overshot by much. Otherwise it shortens the
// step. Forces of contact jump where pairs begin and end: if the slope along dx jumps from below to
// above 0, the search ends just behind the jump, and the next matrix has the pair. The iteration
// ends when the rms error that remains is small against the edges and against the largest step of
// Newton's method, in both stages of TR-BDF2.
//
// Contact of cloth with cloth, N/m per vertex of mass m:  k = m SPEED/(tau gap), at most half the
// stiffness of its springs: a cloth at SPEED stops within the gap between the thickness, where
// forces begin, and the distance that the guard (collide/contact_step.c) keeps. Edges and corners
// of colliders push with half the stiffness of the springs, as the colliders' distance fields do: a
// single corner may carry much of the cloth. Where tension presses layers together, as in wrung
// cloth, that k is too small: a pair that has passed through when the iteration ends would leave it
// to the guard to stretch the cloth until the layers are apart. So k rises by a factor of 10 at its
// vertices, at most to half the stiffness of the springs, and the iteration goes on. A step in
// which pairs touch at its start, or on the straight path to its end, takes two steps of backward
// Euler in place of the two stages of TR-BDF2: these would return the energy of the impact.
//
// A stage that does not converge is thrown away and tried again in shorter stages of backward Euler
// (advance_in_parts). All that it has changed are the positions and scratch: velocities, frames and
// memories change when a stage is finished.
#include "cloth/implicit.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ITERATIONS = 30, // of Newton's method in a stage
    MOST_TRIES = 10,      // step lengths in a line search
    SHORTEST = 4,         // parts of a stage, at most, in which a solve that failed is tried again
};
static const double SLOPE = 0.9;
// The rms error that remains, in edge lengths: at most ROUGH, and at most RELATIVE times the
// largest step of the iteration unless that is below FINE. The iteration converges linearly (the
// matrix leaves out what would make it indefinite), so that a step of s after one of s0 leaves
// s^2/s0. With pairs in contact it may slow down, and s is taken for what remains.
static const double ROUGH = 1e-3, FINE = 1e-7, FINE_IN_CONTACT = 3e-6, RELATIVE = 0.03,
                    RELATIVE_IN_CONTACT = 0.02;
// Relative accuracy of the linear system; ROUGHER after EARLY iterations. Where cloth crumples, the
// matrix changes so much within a step that rough solutions serve better.
enum { EARLY = 4 };
static const double LINEAR = 0.1, ROUGHER = 0.3;
static const double SPEED = 2; // m/s, of an impact that contact forces stop within the gap

static fm_stage_task *task_of(const fm_implicit_group *g, int i)
{
    return &g->cloths[i]->implicit->task;
}

// Copies the positions, and the velocities at the iterate, of all cloths to the contact set.
static void write_to_set(const fm_implicit_group *g)
{
    fm_vec3_array x = g->set->x1, v = g->set->v;
    for (int i = 0; i < g->count; i++) {
        const fm_cloth *c = g->cloths[i];
        const fm_implicit *m = c->implicit;
        size_t bytes = (size_t)c->count * sizeof(double);
        int first = m->first_vertex;
        memcpy(x.x + first, c->x.x, bytes), memcpy(v.x + first, m->v.x, bytes);
        memcpy(x.y + first, c->x.y, bytes), memcpy(v.y + first, m->v.y, bytes);
        memcpy(x.z + first, c->x.z, bytes), memcpy(v.z + first, m->v.z, bytes);
    }
}

// Adds the forces and diagonal blocks of the pairs in contact.
static void add_contact(fm_implicit_group *g)
{
    write_to_set(g);
    g->pair_count = fm_solver_pairs_evaluate(g->set, g->cloths[0]->implicit->stage.tau, g->pool);
    for (int i = 0; i < g->count && g->pair_count > 0; i++) {
        fm_implicit *m = g->cloths[i]->implicit;
        fm_system *a = &m->level[0];
        for (int p = 0, v = m->first_vertex; p < a->count; p++, v++) {
            m->gradient.x[p] -= g->set->solver_force.x[v] * (double)a->moves[p];
            m->gradient.y[p] -= g->set->solver_force.y[v] * (double)a->moves[p];
            m->gradient.z[p] -= g->set->solver_force.z[v] * (double)a->moves[p];
            for (int k = 0; k < 6; k++)
                a->own.m[k][p] += g->set->solver_diagonal[k][v];
        }
    }
}

// Gradients of all cloths at the present positions.
static void evaluate(fm_implicit_group *g)
{
    for (int i = 0; i < g->count; i++)
        fm_stage_evaluate(task_of(g, i));
    if (g->set)
        add_contact(g);
}

// x = base + step * solution for the particles [first, last).
static void move_range(void *context, int first, int last)
{
    const fm_stage_task *t = context;
    const fm_implicit *m = t->m;
    fm_cloth *c = t->s->cloth;
    for (int i = first; i < last && i < c->count; i++) {
        c->x.x[i] = m->base.x[i] + t->step * m->solution.x[i];
        c->x.y[i] = m->base.y[i] + t->step * m->solution.y[i];
        c->x.z[i] = m->base.z[i] + t->step * m->solution.z[i];
    }
}

// Sum of gradient . solution over the particles [first, last).
static double slope_range(void *context, int first, int last)
{
    const fm_implicit *m = context;
    double sum = 0;
    for (int i = first; i < last; i++)
        sum += m->gradient.x[i] * m->solution.x[i] + m->gradient.y[i] * m->solution.y[i] +
               m->gradient.z[i] * m->solution.z[i];
    return sum;
}

// Sum of |solution|^2.
static double square_range(void *context, int first, int last)
{
    const fm_implicit *m = context;
    double sum = 0;
    for (int i = first; i < last; i++)
        sum += (double)(m->solution.x[i] * m->solution.x[i]) +
               (double)(m->solution.y[i] * m->solution.y[i]) +
               (double)(m->solution.z[i] * m->solution.z[i]);
    return sum;
}

static double sum_particles(const fm_stage_task *t, fm_range_sum *body)
{
    return fm_parallel_sum(t->s->around.pool, t->s->cloth->count, FM_PARTICLE_BLOCK, body, t->m,
                           t->m->partial);
}

// Sum over the particles of all cloths.
static double sum_group(const fm_implicit_group *g, fm_range_sum *body)
{
    double sum = 0;
    for (int i = 0; i < g->count; i++)
        sum += sum_particles(task_of(g, i), body);
    return sum;
}

// Moves all cloths to base + step * solution.
static void move(const fm_implicit_group *g, double step)
{
    for (int i = 0; i < g->count; i++) {
        fm_stage_task *t = task_of(g, i);
        t->step = step;
        fm_parallel_for(t->s->around.pool, t->s->cloth->lanes, FM_PARTICLE_BLOCK, move_range, t);
    }
}

// Moves along the solution until the slope there is acceptable, and evaluates the gradient. step:
// its length. kink: the slope jumps from below to above 0 there.
static fm_newton_fault search_line(fm_implicit_group *g, double *step, bool *kink)
{
    for (int i = 0; i < g->count; i++)
        memcpy(g->cloths[i]->implicit->base.x, g->cloths[i]->x.x,
               3 * (size_t)g->cloths[i]->lanes * sizeof(double));
    double slope = sum_group(g, slope_range), low = 0, high = 0, low_slope = slope;
    *step = 1, *kink = false;
    for (int n = 0; n < MOST_TRIES; n++) {
        move(g, *step);
        evaluate(g);
        double there = sum_group(g, slope_range);
        bool beyond = !(there <= SLOPE * fabs(slope)), before = there < -SLOPE * fabs(slope);
        if (!beyond && (!before || high == 0))
            return FM_NEWTON_CONVERGED;
        if (beyond)
            high = *step;
        else
            low = *step, low_slope = there;
        double secant = beyond ? low_slope / (low_slope - there) : 0.5; // of the way to high
        *step = low + (high - low) * (secant > 0.1 && secant < 0.5 ? secant
                                      : secant <= 0.1              ? 0.1
                                                                   : 0.5);
    }
    if (!isfinite(slope))
        return FM_NEWTON_NOT_FINITE;
    *step = high, *kink = true;
    move(g, high);
    evaluate(g);
    return FM_NEWTON_CONVERGED;
}

// Sum of numbers [first, last) of one component of the gradient.
static double component_range(void *context, int first, int last)
{
    const double *component = context;
    double sum = 0;
    for (int i = first; i < last; i++)
        sum += component[i];
    return sum;
}

// Sum of the gradient along one axis.
static double sum_component(const fm_stage_task *t, double *component)
{
    return fm_parallel_sum(t->s->around.pool, t->s->cloth->count, FM_PARTICLE_BLOCK,
                           component_range, component, t->m->partial);
}

// Sum of the mean diagonal elements of `own`.
static double own_range(void *context, int first, int last)
{
    const fm_blocks *own = &((const fm_implicit *)context)->level[0].own;
    double sum = 0;
    for (int i = first; i < last; i++)
        sum += ((double)own->m[0][i] + (double)own->m[3][i] + (double)own->m[5][i]) / 3;
    return sum;
}

// A cloth without pins and contact: translates it as a whole such that the sum of the gradient is
// 0. The forces between particles do not change, so that momentum is conserved although Newton's
// method stopped early.
static void balance_momentum(const fm_stage_task *t)
{
    fm_cloth *c = t->s->cloth;
    double own = sum_particles(t, own_range);
    for (int i = 0; i < c->stitches.count; i++) { // stitches are in `own` at both ends
        const fm_blocks *k = &t->m->stitch;
        own -= 2 * ((double)k->m[0][i] + (double)k->m[3][i] + (double)k->m[5][i]) / 3;
    }
    fm_vec3 shift = {-sum_component(t, t->m->gradient.x) / own,
                     -sum_component(t, t->m->gradient.y) / own,
                     -sum_component(t, t->m->gradient.z) / own};
    double rate = 1 / t->m->stage.tau;
    for (int i = 0; i < c->count; i++) {
        c->x.x[i] += shift.x, c->x.y[i] += shift.y, c->x.z[i] += shift.z;
        t->m->v.x[i] += rate * shift.x;
        t->m->v.y[i] += rate * shift.y;
        t->m->v.z[i] += rate * shift.z;
    }
}

// Newton's method for a stage, from the first guess in x.
static fm_newton_fault solve_stage(fm_implicit_group *g)
{
    double last = 0, edge = INFINITY; // m; last: rms step of the last iteration
    int particles = 0;
    for (int i = 0; i < g->count; i++) {
        const fm_cloth *c = g->cloths[i];
        edge = fmin(edge, c->kind == FM_CLOTH_SHEET ? fmin(c->dx, c->dy) : c->mesh.mean_rest);
        particles += c->count;
    }
    if (task_of(g, 0)->older == 0)
        g->largest = 0;
    evaluate(g);
    for (int n = 0, most = MOST_ITERATIONS; n < most; n++) {
        for (int i = 0; i < g->count; i++) {
            fm_implicit *m = g->cloths[i]->implicit;
            fm_pool *pool = m->task.s->around.pool;
            if (m->mesh) {
                fm_mesh_levels_assemble(m, &g->cloths[i]->x, pool);
            } else {
                fm_system_assemble(&m->level[0], &g->cloths[i]->x, &m->factors, pool);
                fm_levels_assemble(m, pool);
            }
            m->iterations++;
        }
        int linear = fm_implicit_solve(g, n < EARLY ? LINEAR : ROUGHER);
        for (int i = 0; i < g->count; i++)
            g->cloths[i]->implicit->linear_iterations += linear;
        double step;
        bool kink;
        fm_newton_fault fault = search_line(g, &step, &kink);
        if (fault != FM_NEWTON_CONVERGED)
            return fault;
        double rms = step * sqrt(sum_group(g, square_range) / particles);
        if (!isfinite(rms))
            return FM_NEWTON_NOT_FINITE;
        g->largest = fmax(g->largest, rms);
        bool touches = g->pair_count > 0;
        double remains = n > 0 && !touches ? rms * fmin(rms / last, 1) : rms;
        double fine = touches ? FINE_IN_CONTACT : FINE;
        double share = touches ? RELATIVE_IN_CONTACT : RELATIVE;
        last = rms;
        if (kink || !(remains < fmin(ROUGH * edge, fmax(share * g->largest, fine * edge))))
            continue;
        if (!touches || fm_solver_pairs_stiffen(g->set) == 0)
            return FM_NEWTON_CONVERGED;
        evaluate(g);
        most = n < MOST_ITERATIONS ? n + 1 + MOST_ITERATIONS : most;
    }
    return FM_NEWTON_ITERATIONS;
}

// Solves for the state at the time `end`, s, `interval` after the last one. Its memories are begun
// and not pushed.
static bool try_stage(fm_implicit_group *g, double tau, double interval, double end,
                      fm_newton_fault *fault, fm_error *err)
{
    for (int i = 0; i < g->count; i++)
        if (!fm_stage_begin(task_of(g, i), tau, interval, end, err))
            return false;
    if (g->set)
        fm_solver_pairs_place_kinematic(g->set, 1 - (g->end - end) / g->h, g->h);
    g->pair_count = 0;
    *fault = solve_stage(g);
    for (int i = 0; i < g->count; i++)
        task_of(g, i)->m->solves++;
    return true;
}

// Ends a solve: velocities and accelerations.
static void finish_stage(fm_implicit_group *g, fm_newton_fault fault)
{
    for (int i = 0; i < g->count; i++) {
        fm_stage_task *t = task_of(g, i);
        if (g->cloths[i]->pinned_count == 0 && g->pair_count == 0)
            balance_momentum(t);
        if (fault != FM_NEWTON_CONVERGED)
            t->m->failures++, t->m->fault = fault;
        fm_stage_finish(t);
    }
}

// Keeps the positions at the beginning of a stage, or restores them.
static void copy_positions(const fm_implicit_group *g, bool restore)
{
    for (int i = 0; i < g->count; i++) {
        fm_cloth *c = g->cloths[i];
        double *kept = c->implicit->begin.x;
        memcpy(restore ? c->x.x : kept, restore ? kept : c->x.x,
               3 * (size_t)c->lanes * sizeof(double));
    }
}

// A memory with a window takes steps of one length only.
static bool can_shorten(const fm_implicit_group *g)
{
    for (int i = 0; i < g->count; i++)
        if (fm_terms_have_window(g->cloths[i]))
            return false;
    return true;
}

// Goes through a stage whose solve failed in shorter stages of backward Euler. A stage that fails
// is tried again with half its length, down to 1/SHORTEST of the whole.
static bool advance_in_parts(fm_implicit_group *g, double interval, double end, fm_error *err)
{
    int done = 0, length = SHORTEST / 2; // in units of interval/SHORTEST
    while (done < SHORTEST) {
        double tau = interval * length / SHORTEST;
        fm_newton_fault fault;
        int left = SHORTEST - done - length;
        if (!try_stage(g, tau, tau, end - interval * left / SHORTEST, &fault, err))
            return false;
        if (fault != FM_NEWTON_CONVERGED && length > 1) {
            copy_positions(g, true);
            length /= 2;
            continue;
        }
        finish_stage(g, fault);
        done += length;
        for (int i = 0; i < g->count && done < SHORTEST; i++)
            fm_stage_push_memories(task_of(g, i));
        copy_positions(g, false);
        while (done % (2 * length) == 0 && done + 2 * length <= SHORTEST)
            length *= 2;
    }
    return true;
}

// One stage that ends at the time `end`, s; its memories are begun and not pushed. If its solve
// fails, this stage and the rest of the step use backward Euler, with shorter stages.
static bool advance_stage(fm_implicit_group *g, double tau, double interval, double end,
                          fm_error *err)
{
    fm_newton_fault fault;
    copy_positions(g, false);
    if (!try_stage(g, tau, interval, end, &fault, err))
        return false;
    if (fault == FM_NEWTON_CONVERGED || !can_shorten(g)) {
        finish_stage(g, fault);
        return true;
    }
    copy_positions(g, true);
    for (int i = 0; i < g->count; i++) {
        fm_stage_task *t = task_of(g, i);
        t->trapezoid = false, t->old = t->older = 0, t->m->retries++;
    }
    return advance_in_parts(g, interval, end, err);
}

// Stiffness of contact at the vertices of a cloth in the set, for stages of tau seconds.
static void write_stiffness(const fm_implicit_group *g, const fm_cloth *c, double tau)
{
    double *k = g->set->solver_stiffness + c->implicit->first_vertex;
    double *held = g->set->solver_held + c->implicit->first_vertex;
    double gap = FM_CONTACT_GAP * c->contact_thickness;
    for (int i = 0; i < c->count; i++) {
        held[i] = 0.5 * c->spring_sum[i];
        k[i] = fmin(c->mass[i] * SPEED / (tau * gap), held[i]);
    }
}

// Prepares contact in a step of h seconds. True if pairs touch at its start, or on the straight
// path to its end, which the caller has written to the ends of the contact set.
static bool prepare_contact(fm_implicit_group *g, double tau)
{
    fm_contact_set *set = g->set;
    int candidates = 0;
    for (int i = 0; i < g->count; i++) {
        fm_cloth *c = g->cloths[i];
        write_stiffness(g, c, tau);
        memcpy(c->implicit->v.x, c->v.x, 3 * (size_t)c->lanes * sizeof(double));
    }
    fm_solver_pairs_begin(set, g->pool);
    fm_solver_pairs_place_kinematic(set, 1, g->h);
    for (int b = 0; b < set->block_count; b++)
        candidates += set->blocks[b].pairs[0].count + set->blocks[b].pairs[1].count;
    if (candidates == 0) {
        g->set = NULL;
        return false;
    }
    bool touch = fm_solver_pairs_evaluate(set, tau, g->pool) > 0;
    write_to_set(g);
    return touch || fm_solver_pairs_evaluate(set, tau, g->pool) > 0;
}

// Opens a substep of all cloths: all stages, then colliders. The memories of the last stage are not
// pushed yet.
bool fm_implicit_open_group(fm_implicit_group *g, double end, fm_error *err)
{
    const fm_cloth *first = g->cloths[0];
    bool second_order = fm_implicit_stage_count(&first->def) == 2;
    double length = first->substep->h; // s, of a stage
    for (int i = 0; i < g->count; i++) {
        fm_cloth *c = g->cloths[i];
        c->implicit->task = (fm_stage_task){.s = c->substep,
                                            .m = c->implicit,
                                            .frame = fm_frame_view_arrays(c),
                                            .known = fm_drag_known_part(c)};
    }
    g->end = end;
    g->h = second_order ? 2 * length : length;
    bool touch = g->set && prepare_contact(g, length);
    bool trapezoid = second_order && !touch;
    for (int i = 0; i < g->count; i++)
        task_of(g, i)->trapezoid = trapezoid;
    if (second_order) {
        if (!advance_stage(g, trapezoid ? length / 2 : length, length, end - length, err))
            return false;
        for (int i = 0; i < g->count; i++) {
            fm_stage_task *t = task_of(g, i);
            fm_stage_push_memories(t);
            if (t->trapezoid)
                t->old = 4.0 / 3, t->older = -1.0 / 3;
        }
    }
    trapezoid = task_of(g, 0)->trapezoid;
    if (!advance_stage(g, trapezoid ? 2 * length / 3 : length, length, end, err))
        return false;
    for (int i = 0; i < g->count; i++) {
        fm_substep *s = g->cloths[i]->substep;
        fm_substep_resolve_colliders(s, s->margin, false, 0, g->cloths[i]->lanes);
        fm_implicit *m = g->cloths[i]->implicit;
        for (int p = 0, v = m->first_vertex; g->pair_count > 0 && p < g->cloths[i]->count; p++, v++)
            m->touching[p] |= g->set->solver_diagonal[0][v] + g->set->solver_diagonal[3][v] > 0;
    }
    return true;
}

bool fm_implicit_open(fm_substep *s, double end, fm_error *err)
{
    fm_cloth *cloths[1] = {s->cloth};
    fm_implicit_group g = {.cloths = cloths, .count = 1};
    return fm_implicit_open_group(&g, end, err);
}
