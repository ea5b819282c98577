// SPDX-License-Identifier: MIT
// implicit.c: implicit integrators of a cloth, for stiff springs and large steps.
//
// A step of h seconds consists of stages. At the end of each stage
//
//     x' = r + tau v',   M (v' - s)/tau = F(x', v')
//
//   backward Euler   one stage: r = x, s = v, tau = h
//   TR-BDF2 [BCF85]  two stages of h/2: the trapezoidal rule, r = x + tau v, s = v + tau a,
//                    tau = h/4, to the state (x1, v1); then the two-step backward formula,
//                    r = (4 x1 - x)/3, s = (4 v1 - v)/3, tau = h/3. Second order, L-stable.
//
//   x, v, a  m, m/s, m/s^2, state at the beginning of the step      M  kg      F  N, all forces
//
// v' is affine in x', so that a stage is the minimum of
//
//     M/2 |x' - r - tau s|^2 / tau^2 + E(x') + tau sum phi(v')
//
// with the energy E of springs, bending and weight, and the dissipation potential phi of damping
// and drag. A fractional derivative at the new time is w0 v' + known (fm_memory_newest_weight,
// fm_memory_predict), so that its force k D^q x is the gradient of k (w0/2 |v'|^2 + known . v').
//
// Physical drag (drag.c) depends on the components u . e of the relative velocity u = v - w in the
// frame e = t1, t2, n that turns with the cloth (frame.c). Their rates follow the same formula,
// (e' . u' - s_e)/tau with s_e made of e . u at earlier times; added mass and history forces are
// proportional to these rates and to their fractional derivatives.
//
// implicit_newton.c finds that minimum.
//
// Colliders push inside the solve (implicit_contact.c), and so does cloth (implicit_newton.c).
// Exact contact acts on positions and velocities at the end of the step, as with the other
// integrators.
//
// [BCF85] Bank, Coughran, Fichtner et al.: Transient simulation of silicon devices and circuits.
//         IEEE Trans. Electron Devices 32, 1985.
#include "cloth/implicit.h"
#include "cloth/drag.h"

#include <math.h>
#include <string.h>

bool fm_cloth_is_implicit(const fm_cloth_def *def)
{
    return def->integrator == FM_IMPLICIT || def->integrator == FM_IMPLICIT_EULER;
}

int fm_implicit_stage_count(const fm_cloth_def *def)
{
    return def->integrator == FM_IMPLICIT ? 2 : 1;
}

// Allocates the data of the implicit integrators.
bool fm_implicit_create(fm_cloth *c, fm_error *err)
{
    fm_implicit *m = fm_arena_alloc(&c->arena, 1, sizeof *m, c->object.name, err);
    if (!m || !fm_system_create(&m->level[0], c, err) || !fm_levels_create(m, c, err))
        return false;
    fm_vec3_array *axes[] = {&m->r,       &m->s, &m->frame_s,  &m->first_x, &m->first_v,
                             &m->first_u, &m->v, &m->gradient, &m->base,    &m->begin};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        *axes[i] = fm_vec3_array_create(&c->arena, c->lanes, err);
    fm_float_axes *floats[] = {&m->solution, &m->residual, &m->correction, &m->direction,
                               &m->product};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        fm_float_axes_create(&c->arena, c->lanes, fm_system_find_pad(&m->level[0]), floats[i], err);
    int blocks = fm_parallel_block_count(3 * c->lanes, FM_PARTICLE_BLOCK);
    m->touching = fm_arena_alloc(&c->arena, (size_t)c->lanes, 1, "cloth", err);
    m->partial = fm_arena_alloc(&c->arena, (size_t)blocks, sizeof(double), "cloth", err);
    if (c->kind != FM_CLOTH_SHEET) {
        m->mesh = fm_arena_alloc(&c->arena, 1, sizeof *m->mesh, c->object.name, err);
        if (!m->mesh || !fm_mesh_levels_create(c, m->mesh, err))
            return false;
    }
    c->implicit = m;
    return err->status == FM_OK;
}

const char *fm_implicit_find_unsupported(const fm_cloth *c)
{
    const char *missing = c->line                    ? "lines"
                          : c->soft                  ? "soft bodies"
                          : fm_fabric_has_own_law(c) ? "the springs of this fabric"
                          : c->inertia != c->mass    ? "a fluid that adds mass"
                                                     : NULL;
    for (int i = 0; i < c->term_count && !missing; i++) {
        const fm_term_type *type = c->terms[i].type;
        bool acts =
            type->add_rows || type->compute_elements || type->add_forces || type->find_impulses;
        if (acts && !type->add_hessian && type != &fm_seams_term)
            missing = type->name;
    }
    return missing;
}

// Fails if the cloth has a force that the implicit integrators do not support. Allocates what seams
// need.
bool fm_implicit_check(fm_cloth *c, fm_error *err)
{
    const char *missing = fm_implicit_find_unsupported(c);
    if (!missing)
        return fm_implicit_reserve_seams(c, err) &&
               (!c->implicit->mesh || c->implicit->mesh->stitch_count == c->stitches.count ||
                fm_mesh_levels_plan(c, c->implicit->mesh, err));
    char allowed[96];
    fm_text_format(allowed, sizeof allowed, "kick-drift-kick: implicit does not support %s",
                   missing);
    return fm_fail(err, FM_BAD_VALUE, c->object.name, "integrator", "implicit", allowed);
}

static fm_vec3 find_frame_components(const fm_stage_task *t, const fm_vec3_array *tangent, int i,
                                     fm_vec3 vector)
{
    fm_vec3 n = fm_vec3_array_at(t->s->cloth->normal, i), a = fm_vec3_array_at(*tangent, i);
    return (fm_vec3){fm_dot(a, vector), fm_dot(fm_cross(n, a), vector), fm_dot(n, vector)};
}

static void store(const fm_vec3_array *to, int i, fm_vec3 a)
{
    to->x[i] = a.x, to->y[i] = a.y, to->z[i] = a.z;
}

// Sets r, s and frame_s of the particles [first, last) at the beginning of a stage, and the first
// guess: x + interval v; in the stage of BDF2 the parabola through x0, x1 with the velocity v0 at
// the beginning of the step, 4 x1 - 3 x0 - 2 interval v0. The accelerations would not do: those of
// stiff springs alternate from stage to stage.
static void begin_range(void *context, int first, int last)
{
    const fm_stage_task *t = context;
    fm_implicit *m = t->m;
    fm_cloth *c = t->s->cloth;
    double tau = m->stage.tau;
    for (int i = first; i < last && i < c->count; i++) {
        fm_vec3 x = fm_vec3_array_at(c->x, i), v = fm_vec3_array_at(c->v, i), u = {0, 0, 0};
        if (t->frame.tangent.x)
            u = find_frame_components(t, &t->frame.tangent, i,
                                      fm_sub(v, fm_vec3_array_at(c->w, i)));
        fm_vec3 guess = fm_add_scaled(x, v, m->stage.interval);
        if (t->older == 0) {
            fm_vec3 a = fm_vec3_array_at(c->a, i), rate = {0, 0, 0};
            if (t->frame.tangent.x)
                rate = find_frame_components(t, &t->frame.tangent, i, fm_vec3_array_at(c->rate, i));
            double ahead = t->trapezoid ? tau : 0;
            store(&m->first_x, i, x), store(&m->first_v, i, v), store(&m->first_u, i, u);
            store(&m->r, i, fm_add_scaled(x, v, ahead));
            store(&m->s, i, fm_add_scaled(v, a, ahead));
            store(&m->frame_s, i, fm_add_scaled(u, rate, ahead));
        } else {
            fm_vec3 x0 = fm_vec3_array_at(m->first_x, i), v0 = fm_vec3_array_at(m->first_v, i);
            store(&m->r, i, fm_add_scaled(fm_scale(x, t->old), x0, t->older));
            store(&m->s, i, fm_add_scaled(fm_scale(v, t->old), v0, t->older));
            store(&m->frame_s, i,
                  fm_add_scaled(fm_scale(u, t->old), fm_vec3_array_at(m->first_u, i), t->older));
            guess = fm_add_scaled(fm_scale(x, 4), x0, -3);
            guess = fm_add_scaled(guess, v0, -2 * m->stage.interval);
        }
        store(&c->x, i, guess);
    }
    fm_terms_predict_memories(c, first, last);
}

// Velocities at the end of the stage, for the particles [first, last) at the present positions.
static void find_velocity_range(void *context, int first, int last)
{
    const fm_stage_task *t = context;
    fm_implicit *m = t->m;
    fm_cloth *c = t->s->cloth;
    double scale = 1 / m->stage.tau;
    for (int i = first; i < last && i < c->count; i++)
        store(&m->v, i,
              fm_scale(fm_sub(fm_vec3_array_at(c->x, i), fm_vec3_array_at(m->r, i)), scale));
    fm_substep_set_pinned_velocities(t->s, &c->x, &m->v, first, last);
    fm_substep_sample_medium(t->s, &c->x, t->s->end, first, last);
}

// Adds the symmetric matrix scale * a a^T to a block.
static void add_outer(double block[6], double scale, fm_vec3 a)
{
    block[0] += scale * a.x * a.x, block[1] += scale * a.x * a.y, block[2] += scale * a.x * a.z;
    block[3] += scale * a.y * a.y, block[4] += scale * a.y * a.z, block[5] += scale * a.z * a.z;
}

static void add_identity(double block[6], double scale)
{
    block[0] += scale, block[3] += scale, block[5] += scale;
}

// Physical drag, history and added mass of particle i at the relative velocity u: adds the force to
// f, N, and its derivative with respect to -u to the block, N s/m.
static void add_physical_drag(const fm_stage_task *t, int i, fm_vec3 u, fm_vec3 *f, double block[6])
{
    const fm_implicit *m = t->m;
    const fm_cloth *c = t->s->cloth;
    const fm_drag_step *d = &t->s->drag;
    double A = c->wet_area[i], tau = m->stage.tau;
    fm_vec3 n = fm_vec3_array_at(c->next_normal, i), a = fm_vec3_array_at(t->frame.next, i);
    fm_vec3 axis[3] = {a, fm_cross(n, a), n};
    const double known[3] = {t->known->x[i], t->known->y[i], t->known->z[i]};
    const double s[3] = {m->frame_s.x[i], m->frame_s.y[i], m->frame_s.z[i]};
    double slide[3] = {fm_dot(u, axis[0]), fm_dot(u, axis[1]), fm_dot(u, n)};
    double speed = sqrt(slide[0] * slide[0] + slide[1] * slide[1]);
    for (int k = 0; k < 3; k++) {
        double history = A * (k < 2 ? d->skin : d->normal_history);
        double mass = history * d->w0 + (k < 2 ? 0 : A * d->layer);
        double quadratic = A * (k < 2 ? d->friction * speed : d->pressure * fabs(slide[2]));
        double force = mass * (slide[k] - s[k]) / tau + quadratic * slide[k];
        if (history > 0)
            force += history * known[k];
        *f = fm_add_scaled(*f, axis[k], -force);
        add_outer(block, mass / tau + (k < 2 ? 1 : 2) * quadratic, axis[k]);
    }
    fm_vec3 along = fm_add_scaled(fm_scale(axis[0], slide[0]), axis[1], slide[1]);
    add_outer(block, A * d->friction / (speed + FM_DRAG_MIN_SPEED), along);
}

// The published models: -k_vd A u - k_n A u_n n - k A (w0 u + (known . e) e), e = u/|u|.
static void add_published_drag(const fm_stage_task *t, int i, fm_vec3 u, fm_vec3 *f,
                               double block[6])
{
    const fm_cloth *c = t->s->cloth;
    const fm_drag_step *d = &t->s->drag;
    double A = c->wet_area[i], speed = fm_length(u);
    fm_vec3 n = fm_vec3_array_at(c->next_normal, i);
    double linear = A * (d->viscous + d->history * d->w0);
    *f = fm_add_scaled(*f, u, -linear);
    *f = fm_add_scaled(*f, n, -A * d->normal * fm_dot(u, n));
    add_identity(block, linear);
    add_outer(block, A * d->normal, n);
    if (d->history > 0 && speed > FM_DRAG_MIN_SPEED) {
        double past = fm_dot(fm_vec3_array_at(*t->known, i), u) / (speed * speed);
        *f = fm_add_scaled(*f, u, -A * d->history * past);
        add_identity(block, A * d->history * fmax(past, 0));
    }
}

// Gradient and own blocks of the particles [first, last), after the forces of all terms. 0 and the
// unit block for pinned particles.
static void find_gradient_range(void *context, int first, int last)
{
    const fm_stage_task *t = context;
    fm_implicit *m = t->m;
    fm_system *a = &m->level[0];
    fm_cloth *c = t->s->cloth;
    fm_weight weight = t->s->weight;
    double tau = m->stage.tau;
    for (int i = first; i < last && i < c->count; i++) {
        fm_vec3 w = fm_vec3_array_at(c->flow, i), v = fm_vec3_array_at(m->v, i);
        fm_vec3 dw = fm_scale(fm_sub(w, fm_vec3_array_at(c->w, i)), 1 / m->stage.interval);
        fm_vec3 u = fm_sub(v, w), f = fm_vec3_array_at(c->force, i);
        double mass = c->mass[i], displaced = c->wet_area[i] * weight.displaced, block[6] = {0};
        f = fm_add_scaled(f, weight.gravity, mass - displaced);
        f = fm_add_scaled(f, dw, displaced);
        if (t->s->drag.physical)
            add_physical_drag(t, i, u, &f, block);
        else
            add_published_drag(t, i, u, &f, block);
        fm_implicit_add_colliders(t->s, tau, i, fm_vec3_array_at(c->x, i), v, &f, block);
        fm_vec3 rate = fm_scale(fm_sub(v, fm_vec3_array_at(m->s, i)), mass / tau);
        store(&m->gradient, i, fm_scale(fm_sub(rate, f), a->moves[i]));
        add_identity(block, mass / tau);
        for (int k = 0; k < 6; k++)
            a->own.m[k][i] = (float)(block[k] / tau);
    }
}

void fm_stage_evaluate(fm_stage_task *t)
{
    fm_cloth *c = t->s->cloth;
    fm_pool *pool = t->s->around.pool;
    fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, find_velocity_range, t);
    fm_evaluation at = {
        .x = &c->x, .v = &t->m->v, .t = t->s->end, .pool = pool, .stage = &t->m->stage};
    fm_terms_add_forces(c, &at, &c->next_normal);
    fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, find_gradient_range, t);
    fm_implicit_add_seams(t);
}

// Velocities, accelerations, rates and frames of the particles [first, last) at the end of a stage.
static void end_range(void *context, int first, int last)
{
    const fm_stage_task *t = context;
    fm_implicit *m = t->m;
    fm_cloth *c = t->s->cloth;
    double scale = 1 / m->stage.tau;
    for (int i = first; i < last && i < c->count; i++) {
        fm_vec3 v = fm_vec3_array_at(m->v, i), w = fm_vec3_array_at(c->flow, i), u = fm_sub(v, w);
        store(&c->v, i, v);
        store(&c->a, i, fm_scale(fm_sub(v, fm_vec3_array_at(m->s, i)), scale));
        store(&c->w, i, w);
        store(&c->normal, i, fm_vec3_array_at(c->next_normal, i));
        m->touching[i] = fm_implicit_stop_bounce(t->s, m, i);
        if (!t->frame.tangent.x)
            continue;
        fm_vec3 a = fm_vec3_array_at(t->frame.next, i);
        store(&t->frame.tangent, i, a);
        fm_vec3 n = fm_vec3_array_at(c->normal, i), b = fm_cross(n, a);
        fm_vec3 at = find_frame_components(t, &t->frame.tangent, i, u);
        fm_vec3 rate = fm_scale(fm_sub(at, fm_vec3_array_at(m->frame_s, i)), scale);
        store(&c->rate, i, fm_add_scaled(fm_add_scaled(fm_scale(a, rate.x), b, rate.y), n, rate.z));
        store(&t->frame.rate, i, (fm_vec3){0, 0, 0});
    }
    fm_substep_zero_pinned(t->s, &c->a, first, last);
}

static void push_range(void *context, int first, int last)
{
    fm_terms_push_memories(((fm_stage_task *)context)->s->cloth, first, last);
}

void fm_stage_push_memories(fm_stage_task *t)
{
    fm_cloth *c = t->s->cloth;
    fm_parallel_for(t->s->around.pool, c->lanes, FM_PARTICLE_BLOCK, push_range, t);
    fm_terms_end_memories(c);
}

bool fm_stage_begin(fm_stage_task *t, double tau, double interval, double end, fm_error *err)
{
    fm_substep *s = t->s;
    fm_cloth *c = s->cloth;
    fm_implicit *m = t->m;
    m->stage = (fm_implicit_stage){tau, interval};
    if (!fm_terms_begin_memories(c, interval, err))
        return false;
    s->drag = fm_drag_prepare_step(c, &s->around, interval, fm_drag_newest_weight(c, interval));
    fm_parallel_for(s->around.pool, c->lanes, FM_PARTICLE_BLOCK, begin_range, t);
    fm_substep_set_poses(s, end);
    fm_substep_set_pinned_positions(s, &c->x, 0, c->lanes);
    for (int i = 0; i < c->count; i++)
        m->level[0].moves[i] = 1;
    for (int p = 0; p < c->pinned_count; p++)
        m->level[0].moves[c->pinned[p]] = !fm_substep_is_pinned(s, c->pinned[p]);
    m->factors = (fm_hessian_factors){0};
    for (int i = 0; i < c->term_count; i++)
        if (c->terms[i].type->add_hessian)
            c->terms[i].type->add_hessian(c, &c->terms[i], &m->stage, &m->factors);
    return true;
}

void fm_stage_finish(fm_stage_task *t)
{
    fm_parallel_for(t->s->around.pool, t->s->cloth->lanes, FM_PARTICLE_BLOCK, end_range, t);
}

// Ends the substep of the particles [first, last): pins, colliders, memories. A jump of the
// velocity by colliders or contact is pushed into the memory as a peak of that area; `rate` is
// without it.
static void close_range(void *context, int first, int last)
{
    const double SLACK = 1e-6, SLACK_M = 1e-12; // on the margin: relative, and in m
    const fm_stage_task *t = context;
    fm_substep *s = t->s;
    fm_cloth *c = s->cloth;
    fm_substep_set_pinned_velocities(s, &c->x, &c->v, first, last);
    fm_substep_resolve_colliders(s, s->margin * (1 + SLACK) + SLACK_M, true, first, last);
    for (int i = first; i < last && i < c->count && t->frame.tangent.x; i++) {
        if (c->touch[i])
            store(&t->frame.rate, i,
                  fm_scale(
                      find_frame_components(t, &t->frame.tangent, i, fm_vec3_array_at(c->jump, i)),
                      1 / s->h));
    }
    fm_terms_push_memories(c, first, last);
    for (int i = first; i < last && i < c->count; i++)
        c->touch[i] |= t->m->touching[i];
}

void fm_implicit_close(fm_substep *s)
{
    fm_stage_task t = {.s = s, .m = s->cloth->implicit, .frame = fm_frame_view_arrays(s->cloth)};
    fm_parallel_for(s->around.pool, s->cloth->lanes, FM_PARTICLE_BLOCK, close_range, &t);
}

void fm_implicit_reset(fm_cloth *c)
{
    if (c->implicit)
        c->implicit->iterations = c->implicit->linear_iterations = c->implicit->failures =
            c->implicit->retries = c->implicit->solves = 0;
}

fm_newton_report fm_cloth_newton_report(const fm_cloth *cloth)
{
    static const char *const reasons[] = {
        [FM_NEWTON_CONVERGED] = "",
        [FM_NEWTON_ITERATIONS] = "30 iterations were not enough",
        [FM_NEWTON_NOT_FINITE] = "a force is not a finite number",
    };
    const fm_implicit *m = cloth->implicit;
    if (!m)
        return (fm_newton_report){.reason = ""};
    return (fm_newton_report){.solves = m->solves,
                              .iterations = m->iterations,
                              .linear_iterations = m->linear_iterations,
                              .failures = m->failures,
                              .retries = m->retries,
                              .reason = reasons[m->failures > 0 ? m->fault : FM_NEWTON_CONVERGED]};
}
