// SPDX-License-Identifier: MIT
// viscosity.c: viscous forces, explicit or implicit.
//
// Explicit: adds nu L u to the rate of u, with the Laplacian of second order
//
//     (L u)_q = sum over axes a of (u_(q-a) - 2 u_q + u_(q+a)) / h^2
//
// Half a cell from a side with a given velocity v, the ghost value u_(-1) = 2 v - u_0 (boundary.c)
// makes the second difference 3/4 of that of a parabola through v, u_0 and u_1. It is multiplied by
// 4/3 there, so that the Laplacian is consistent next to walls. The largest eigenvalue of -h^2 L
// along an axis rises from 4 to 4.62, within the stability limit of the Runge-Kutta method
// (2.31 < 2.51, step.c) but not of Euler steps, which leave the factor out.
//
// Implicit: Crank-Nicolson for the change x of the velocity in a substep,
//
//     (1 - theta dt nu L) x = dt R,        R = all rates at the old velocity
//
// solved for each component by BiCGSTAB [VV92], since L is not symmetric next to walls and inside
// colliders. x has the same ghost values as u, with velocity zero on sides and colliders; it does
// not vary across open sides. theta = 1/2 + 0.05 min(1, dt nu / (100 h^2)): very stiff modes decay
// instead of changing their sign in every substep, and the order in time stays 2.
//
//   nu  kinematic viscosity, m^2/s      h  spacing, m      dt  substep, s
//
// [VV92] van der Vorst: Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution
//        of nonsymmetric linear systems. SIAM Journal on Scientific and Statistical Computing 13,
//        1992.
#include "core/simd.h"
#include "grid/grid.h"

#include <string.h>

// Adds `scale` times the rest of the second difference across a side to the elements at[0] to
// last - 1 of a row next to that side. at: the cell of the first of these elements.
static void correct_side(const fm_grid *g, const double *u, double *rate, double scale, int side,
                         int at[3], ptrdiff_t q, int last)
{
    ptrdiff_t s = g->stride[side / 2];
    fm_grid_side_kind kind = fm_grid_find_condition(g, side, at)->kind;
    for (int i = at[0]; i < last; i++, at[0]++) {
        if (g->has_patches[side])
            kind = fm_grid_find_condition(g, side, at)->kind;
        if (kind == FM_GRID_WALL || kind == FM_GRID_INFLOW)
            rate[q + i] += scale / 3 * (u[q + i - s] + u[q + i + s] - 2 * u[q + i]);
    }
}

// The same for all sides that component d lies half a cell from, for a row that begins at q.
static void correct_row(const fm_grid *g, const double *u, double *rate, double scale, int d,
                        ptrdiff_t q, int length)
{
    ptrdiff_t from = q - g->start;
    int k = (int)(from / g->stride[2]), j = (int)((from - k * g->stride[2]) / g->stride[1]);
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        int axis = side / 2, place = side % 2 ? g->n[axis] - 1 : 0, at[3] = {0, j, k};
        if (axis == d || !g->active[axis] || g->def.sides[side].kind == FM_GRID_PERIODIC)
            continue;
        at[0] = axis == 0 ? place : 0;
        if (at[axis] == place)
            correct_side(g, u, rate, scale, side, at, q, axis == 0 ? place + 1 : length);
    }
}

// rate += scale h^2 L u, for a row of faces, whose first is at u and rate.
FM_SIMD_CLONES static void add_laplacian_row(const fm_grid *g, const double *restrict u,
                                             double *restrict rate, double scale, int length)
{
    ptrdiff_t sy = g->stride[1], sz = g->stride[2];
    if (g->active[2]) {
#pragma omp simd
        for (int i = 0; i < length; i++)
            rate[i] += scale * (u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] + u[i - sz] +
                                u[i + sz] - 6 * u[i]);
    } else {
#pragma omp simd
        for (int i = 0; i < length; i++)
            rate[i] += scale * (u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] - 4 * u[i]);
    }
}

// Adds the viscous force per mass of a row of component d, with the correction next to walls.
void fm_grid_diffuse_row(const fm_grid *g, const double *u, double *rate, double scale, int d,
                         ptrdiff_t q, int length)
{
    add_laplacian_row(g, u + q, rate + q, scale, length);
    if (g->def.advection == FM_GRID_FIFTH_ORDER)
        correct_row(g, u, rate, scale, d, q, length);
}

// One component of the implicit solve, with the arrays of BiCGSTAB.
typedef struct solve {
    int d;
    double dt, share, scale; // scale: theta dt nu / h^2
    double *x;               // solution
    double *r, *r0;          // residual, and that of the start
    double *p, *v;           // search direction, and matrix times p
    double *t;               // matrix times the new residual
    double alpha, beta, omega;
    const double *one, *two; // vectors of a dot product
} solve;

// x = 0, p = v = 0, r = r0 = dt (rate + share extra).
FM_SIMD_CLONES static void start_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    const double *restrict rate = g->rate[job->d], *restrict extra = g->extra[job->d];
#pragma omp simd
    for (int i = 0; i < length; i++) {
        job->x[q + i] = job->p[q + i] = job->v[q + i] = 0;
        job->r[q + i] = job->dt * (rate[q + i] + job->share * extra[q + i]);
    }
}

// One product with the matrix: to = from - scale h^2 L from.
typedef struct product {
    const double *from;
    double *to, scale;
    int d; // component
} product;

// Computes one row of the product.
static void apply_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const product *job = context;
    memcpy(job->to + q, job->from + q, (size_t)length * sizeof(double));
    fm_grid_diffuse_row(g, job->from, job->to, -job->scale, job->d, q, length);
}

// to = matrix times from, both with their ghost values.
static void apply(fm_grid *g, const solve *job, double *from, double *to, fm_pool *pool)
{
    fm_grid_for_rows(g, pool, job->d, 2, apply_row, &(product){from, to, job->scale, job->d});
    fm_grid_fill_change(g, to, job->d, FM_GRID_FILL_CHANGE, pool);
}

// Part of a dot product over the low faces of a row of cells.
static double dot_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const solve *job = context;
    double total = 0;
    for (int i = 0; i < length; i++)
        total += job->one[q + i] * job->two[q + i];
    return total;
}

// Dot product of two vectors over the low faces of all cells.
static double dot(fm_grid *g, solve *job, const double *one, const double *two, fm_pool *pool)
{
    job->one = one, job->two = two;
    return fm_grid_sum_rows(g, pool, 1, dot_row, job);
}

// p = r + beta (p - omega v).
FM_SIMD_CLONES static void turn_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const solve *job = context;
    double *restrict p = job->p;
    const double *restrict r = job->r, *restrict v = job->v;
#pragma omp simd
    for (int i = 0; i < length; i++)
        p[q + i] = r[q + i] + job->beta * (p[q + i] - job->omega * v[q + i]);
}

// r -= alpha v.
FM_SIMD_CLONES static void shorten_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const solve *job = context;
    double *restrict r = job->r;
    const double *restrict v = job->v;
#pragma omp simd
    for (int i = 0; i < length; i++)
        r[q + i] -= job->alpha * v[q + i];
}

// x += alpha p + omega r, r -= omega t.
FM_SIMD_CLONES static void update_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const solve *job = context;
    double *restrict x = job->x, *restrict r = job->r;
    const double *restrict p = job->p, *restrict t = job->t;
#pragma omp simd
    for (int i = 0; i < length; i++) {
        x[q + i] += job->alpha * p[q + i] + job->omega * r[q + i];
        r[q + i] -= job->omega * t[q + i];
    }
}

// u = old + x.
FM_SIMD_CLONES static void finish_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    for (int i = 0; i < length; i++)
        g->u[job->d][q + i] = g->old[job->d][q + i] + job->x[q + i];
}

// Solves for the change x of one component with BiCGSTAB, and sets u = old + x.
static void solve_component(fm_grid *g, solve *job, fm_pool *pool)
{
    enum { MOST = 1000 };
    static const double TOLERANCE = 1e-9; // of the norm of the right side
    fm_grid_for_rows(g, pool, job->d, 2, start_row, job);
    fm_grid_fill_change(g, job->r, job->d, FM_GRID_FILL_CHANGE, pool);
    memcpy(job->r0, job->r, g->count * sizeof(double));
    double rr = dot(g, job, job->r, job->r, pool), limit = TOLERANCE * TOLERANCE * rr, rho = 1;
    job->alpha = job->omega = 1;
    for (int k = 0; k < MOST && rr > limit; k++) {
        double next = dot(g, job, job->r0, job->r, pool);
        job->beta = next / rho * (job->alpha / job->omega);
        rho = next;
        fm_grid_for_rows(g, pool, job->d, 1, turn_row, job);
        fm_grid_fill_change(g, job->p, job->d, FM_GRID_FILL_CHANGE, pool);
        apply(g, job, job->p, job->v, pool);
        double below = dot(g, job, job->r0, job->v, pool);
        if (!(fabs(below) > 0)) // no direction is left
            break;
        job->alpha = rho / below;
        fm_grid_for_rows(g, pool, job->d, 1, shorten_row, job);
        fm_grid_fill_change(g, job->r, job->d, FM_GRID_FILL_CHANGE, pool);
        apply(g, job, job->r, job->t, pool);
        double tt = dot(g, job, job->t, job->t, pool);
        job->omega = tt > 0 ? dot(g, job, job->t, job->r, pool) / tt : 0;
        fm_grid_for_rows(g, pool, job->d, 2, update_row, job);
        rr = dot(g, job, job->r, job->r, pool);
        if (!(fabs(job->omega) > 0) || !(fabs(rho) > 0))
            break;
    }
    fm_grid_fill_change(g, job->x, job->d, FM_GRID_FILL_CHANGE, pool);
    fm_grid_for_rows(g, pool, job->d, 1, finish_row, job);
}

// Solves for the implicit change of all components in a substep of dt seconds.
void fm_grid_solve_viscosity(fm_grid *g, double dt, double share, fm_pool *pool)
{
    double stiffness = dt * g->nu / (g->h * g->h);
    double theta = 0.5 + 0.05 * fm_double_min(1, stiffness / 100);
    double *const *own = g->solve;
    for (int d = 0; d < 3; d++)
        solve_component(g,
                        &(solve){.d = d,
                                 .dt = dt,
                                 .share = share,
                                 .scale = theta * stiffness,
                                 .x = own[0],
                                 .r = own[1],
                                 .r0 = own[2],
                                 .p = own[3],
                                 .v = own[4],
                                 .t = own[5]},
                        pool);
}
