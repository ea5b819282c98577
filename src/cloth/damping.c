// SPDX-License-Identifier: MIT
// damping.c: the force term of spring damping, of fractional order.
//
// Each spring between particles i and j gets the damping force [OKRC10] eq. (5)
//
//     F = -c ((D^q x_i - D^q x_j) . e) e,     e = (x_i - x_j) / |x_i - x_j|
//
//   c  N s^q/m, coefficient     q  order in (0, 1]     D^q  fractional derivative in time
//   h  s, substep     m_i  kg, mass     d_i  number of damped springs at particle i
//
// One memory of the particles' velocities relative to the medium gives D^q x. Order 1 is an
// ordinary dashpot, D^1 x = v. The derivative at the new time is w0 v + known: the newest weight
// times the new velocity, plus a part known beforehand. An implicit solve for all new velocities
// would couple the whole cloth; instead each spring gives the impulse
//
//     J = -(h/2) c s (w0 (v_i - v_j) . e + (known_i - known_j) . e)
//     s = min(1, MARGIN / (k_e D_e)),   k_e = (h/2) c w0,   D_e = d_i/m_i + d_j/m_j
//
// All impulses use the same velocities (Jacobi iteration, one sweep). They conserve momentum and
// are stable for any c: with a_e = s k_e < 1/D_e, the Cauchy-Schwarz inequality gives sum_e a_e
// (u_i - u_j)^2 < sum_i m_i u_i^2, so that the sweep equals an implicit step with another,
// non-negative damping matrix. Where s < 1, one sweep cannot apply all of the requested damping in
// this substep: the effective coefficient is c s, which depends on mesh and substep, and the report
// contains the smallest s (damping_share). The explicit integrators use the force itself, with the
// derivative at the beginning of the substep.
#include "cloth/cloth.h"

#include <math.h>

static const double MARGIN = 0.95; // of the stability limit k_e D_e s = 1; keeps it below 1

// Inputs that are common to all damped springs.
typedef struct damped_pairs {
    fm_cloth *cloth;
    const fm_vec3_array *x, *v; // m, m/s, positions and velocities
    const fm_vec3_array *known; // part of D^q x at the new time that follows from past velocities
    const double *load;         // 1/kg, d_i/m_i; zeros: s = 1 for every spring
    double scale;               // h/2 for impulses, 1 for forces
    double w0;                  // weight of the newest velocity in D^q x
} damped_pairs;

// Damping impulses (sx, sy, sz) of n springs in a row, on the first particle of each. Spring c
// joins particles c and c + b of the arrays. (xa, ya, za): positions; (ua, va, wa): velocities;
// (ka, la, ma): part of D^q x that follows from past velocities; k: damping coefficient times h/2;
// weight: strength of each spring relative to k.
FM_SIMD_CLONES
static void compute_row_impulses(int n, const double *restrict xa, const double *restrict ya,
                                 const double *restrict za, const double *restrict ua,
                                 const double *restrict va, const double *restrict wa,
                                 const double *restrict ka, const double *restrict la,
                                 const double *restrict ma, const double *restrict load,
                                 ptrdiff_t b, double k, double w0, const double *restrict weight,
                                 double *restrict sx, double *restrict sy, double *restrict sz)
{
#pragma omp simd
    for (int c = 0; c < n; c++) {
        double dx = xa[c + b] - xa[c], dy = ya[c + b] - ya[c], dz = za[c + b] - za[c];
        double ll = dx * dx + dy * dy + dz * dz + FM_TINY;
        double rate =
            (ua[c + b] - ua[c]) * dx + (va[c + b] - va[c]) * dy + (wa[c + b] - wa[c]) * dz;
        double past =
            (ka[c + b] - ka[c]) * dx + (la[c + b] - la[c]) * dy + (ma[c + b] - ma[c]) * dz;
        double kw = k * weight[c];
        double most = MARGIN / (kw * w0 * (load[c] + load[c + b]) + FM_TINY);
        double share = most < 1 ? most : 1; // not fmin: a function call would prevent vectorization
        double j = share * kw * (w0 * rate + past) / ll;
        sx[c] = j * dx;
        sy[c] = j * dy;
        sz[c] = j * dz;
    }
}

// Damping impulses of n springs in a row of a sheet, as a callback (fm_spring_kernel) of
// fm_sheet_gather_springs.
static void damping_kernel(const void *context, const fm_springs *springs, int n, int a, int b,
                           double border, const double *weight, double *sx, double *sy, double *sz)
{
    const damped_pairs *p = context;
    compute_row_impulses(n, p->x->x + a, p->x->y + a, p->x->z + a, p->v->x + a, p->v->y + a,
                         p->v->z + a, p->known->x + a, p->known->y + a, p->known->z + a,
                         p->load + a, b - a, p->scale * border * springs->damping, p->w0, weight,
                         sx, sy, sz);
}

// Sums the damping impulses at the particles in rows [first, last) of a sheet, into cloth->pair.
static void gather_row_impulses(void *context, int first, int last)
{
    const damped_pairs *p = context;
    fm_cloth *c = p->cloth;
    fm_axes_clear(&c->pair, first * c->columns, last * c->columns);
    fm_sheet_gather_springs(c, damping_kernel, p, &c->pair, first, last);
}

// Inputs and outputs of compute_edge_impulses, for the edges of a tube or mesh.
typedef struct edge_arrays {
    const int *a, *b;             // particles at the ends of each edge
    const double *x, *y, *z;      // m, positions
    const double *u, *v, *w;      // m/s, velocities
    const double *ku, *kv, *kw;   // part of D^q x that follows from past velocities
    const double *load, *damping; // 1/kg, of the particles; N s^q/m, of the edges
    double scale, w0;             // as in damped_pairs
    double *sx, *sy, *sz;         // N s, impulses on the particles a
} edge_arrays;

// Damping impulses of n edges of a tube or mesh.
FM_SIMD_CLONES
static void compute_edge_impulses(int n, const edge_arrays *restrict l)
{
    const double *x = l->x, *y = l->y, *z = l->z, *u = l->u, *v = l->v, *w = l->w;
    const double *ku = l->ku, *kv = l->kv, *kw = l->kw, *load = l->load;
    double scale = l->scale, w0 = l->w0;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int a = l->a[i], b = l->b[i];
        double dx = x[b] - x[a], dy = y[b] - y[a], dz = z[b] - z[a];
        double ll = dx * dx + dy * dy + dz * dz + FM_TINY;
        double rate = (u[b] - u[a]) * dx + (v[b] - v[a]) * dy + (w[b] - w[a]) * dz;
        double past = (ku[b] - ku[a]) * dx + (kv[b] - kv[a]) * dy + (kw[b] - kw[a]) * dz;
        double k = scale * l->damping[i];
        double most = MARGIN / (k * w0 * (load[a] + load[b]) + FM_TINY);
        double j = (most < 1 ? most : 1) * k * (w0 * rate + past) / ll;
        l->sx[i] = j * dx;
        l->sy[i] = j * dy;
        l->sz[i] = j * dz;
    }
}

// Damping impulses, N s, of the edges [first, last) of a tube or mesh, into mesh->edge_force, which
// serves as scratch here.
static void compute_edge_range(void *context, int first, int last)
{
    const damped_pairs *p = context;
    const fm_spring_mesh *mesh = &p->cloth->mesh;
    const fm_vec3_array *f = &mesh->edge_force;
    edge_arrays l = {.a = mesh->edge_a + first,
                     .b = mesh->edge_b + first,
                     .x = p->x->x,
                     .y = p->x->y,
                     .z = p->x->z,
                     .u = p->v->x,
                     .v = p->v->y,
                     .w = p->v->z,
                     .ku = p->known->x,
                     .kv = p->known->y,
                     .kw = p->known->z,
                     .load = p->load,
                     .damping = mesh->edge_damping + first,
                     .scale = p->scale,
                     .w0 = p->w0,
                     .sx = f->x + first,
                     .sy = f->y + first,
                     .sz = f->z + first};
    compute_edge_impulses(last - first, &l);
}

// Sums the impulses of the edges at the particles [first, last), into cloth->pair.
static void gather_edge_impulses(void *context, int first, int last)
{
    fm_cloth *c = ((const damped_pairs *)context)->cloth;
    fm_axes_clear(&c->pair, first, last);
    fm_spring_mesh_gather_edges(c, &c->pair, first, last);
}

// Computes the damping impulses of all springs and sums them at each particle, into cloth->pair.
static void sum_impulses(damped_pairs *p, fm_pool *pool)
{
    fm_cloth *c = p->cloth;
    if (c->kind == FM_CLOTH_SHEET) {
        fm_parallel_for(pool, c->rows, c->row_block, gather_row_impulses, p);
        return;
    }
    fm_parallel_for(pool, c->mesh.edge_count, FM_ELEMENT_BLOCK, compute_edge_range, p);
    fm_parallel_for(pool, c->count, FM_PARTICLE_BLOCK, gather_edge_impulses, p);
}

// Computes the damping impulses of a substep of h seconds into cloth->pair, N s. w0: weight of the
// newest velocity in the fractional derivative.
void fm_cloth_compute_damping_impulses(fm_cloth *c, double h, double w0, fm_pool *pool)
{
    const fm_term *term = fm_cloth_find_term(c, &fm_damping_term);
    damped_pairs p = {c, &c->x, &c->v, &term->known, c->damping_load, h / 2, w0};
    sum_impulses(&p, pool);
}

// Without a memory the derivative has order 1 and is the velocity itself, so w0 = 1.
static void find_impulses(fm_cloth *c, fm_term *term, const fm_substep *s)
{
    double w0 = term->memory ? fm_memory_newest_weight(term->memory, s->h) : 1;
    fm_cloth_compute_damping_impulses(c, s->h, w0, s->around.pool);
}

// Adds the damping force; none is limited. The explicit integrators use the derivative at the
// beginning of the substep: all of D^q x is in term->known. The implicit ones use the derivative at
// the end of the stage, w0 v + known.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    if (!at->is_explicit && !at->stage)
        return;
    const fm_vec3_array *derivative = term->memory ? &term->known : at->v;
    damped_pairs p = {c, at->x, derivative, &c->zeros, c->zeros.x, 1, 1};
    if (at->stage && term->memory)
        p = (damped_pairs){c,
                           at->x,
                           at->v,
                           &term->known,
                           c->zeros.x,
                           1,
                           fm_memory_newest_weight(term->memory, at->stage->interval)};
    sum_impulses(&p, at->pool);
    for (int i = 0; i < c->count; i++) {
        c->force.x[i] += c->pair.x[i];
        c->force.y[i] += c->pair.y[i];
        c->force.z[i] += c->pair.z[i];
    }
}

static bool applies(const fm_cloth *c)
{
    return c->def.damping.coefficient > 0;
}

// Computes the loads d_i/m_i: number of damped springs at a particle over its mass.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    (void)term, (void)err;
    for (int i = 0; i < c->count; i++)
        c->damping_load[i] = fm_springs_sum_at_particle(c, i).damped / c->mass[i];
    return true;
}

// Whether damping has a memory, and its settings.
static bool define_memory(const fm_cloth *c, const fm_medium *medium, fm_recall *memory,
                          double *order)
{
    (void)medium;
    *memory = c->def.damping.memory;
    *order = c->def.damping.order;
    return fm_cloth_needs_damping_memory(&c->def);
}

// The rates pushed into the memory: velocities relative to the medium. They overwrite cloth->pair,
// whose impulses have been applied.
static const fm_vec3_array *find_rates(fm_cloth *c, fm_term *term, int first, int last)
{
    (void)term;
    const fm_vec3_array *u = &c->pair;
    for (int i = first; i < last; i++) {
        u->x[i] = c->v.x[i] - c->w.x[i];
        u->y[i] = c->v.y[i] - c->w.y[i];
        u->z[i] = c->v.z[i] - c->w.z[i];
    }
    return u;
}

// The smallest share s of the damping coefficient that acts, over the springs of a sheet (formula
// at the head of this file). h: substep, s; w0: newest weight of the derivative.
static double find_sheet_share(const fm_cloth *cloth, double h, double w0)
{
    double load = 0, share = 1;
    for (int i = 0; i < cloth->count; i++)
        load = fmax(load, cloth->damping_load[i]);
    for (int s = 0; s < cloth->springs_count; s++) {
        double k = h / 2 * cloth->springs[s].damping * w0;
        if (k > 0)
            share = fmin(share, MARGIN / (k * 2 * load));
    }
    return share;
}

// The smallest share s of the damping coefficient that acts, over the edges of a tube or mesh.
static double find_mesh_share(const fm_cloth *c, double h, double w0)
{
    const fm_spring_mesh *mesh = &c->mesh;
    double share = 1;
    for (int e = 0; e < mesh->edge_count; e++) {
        double k = h / 2 * mesh->edge_damping[e] * w0;
        double load = c->damping_load[mesh->edge_a[e]] + c->damping_load[mesh->edge_b[e]];
        if (k > 0)
            share = fmin(share, MARGIN / (k * load));
    }
    return share;
}

// The smallest share of the damping coefficient that acts at the current substep; 1: all of it.
// Only kick-drift-kick limits the impulses.
double fm_cloth_damping_share(const fm_cloth *c)
{
    const fm_term *term = fm_cloth_find_term(c, &fm_damping_term);
    if (!term || c->def.integrator != FM_KICK_DRIFT_KICK)
        return 1;
    double w0 = term->memory ? fm_memory_newest_weight(term->memory, c->step) : 1;
    return c->kind == FM_CLOTH_SHEET ? find_sheet_share(c, c->step, w0)
                                     : find_mesh_share(c, c->step, w0);
}

static void add_hessian(const fm_cloth *c, const fm_term *term, const fm_implicit_stage *stage,
                        fm_hessian_factors *factors)
{
    (void)c;
    double w0 = term->memory ? fm_memory_newest_weight(term->memory, stage->interval) : 1;
    factors->damping += w0 / stage->tau;
}

const fm_term_type fm_damping_term = {
    .name = "damping",
    .add_hessian = add_hessian,
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .find_impulses = find_impulses,
    .define_memory = define_memory,
    .find_rates = find_rates,
};
