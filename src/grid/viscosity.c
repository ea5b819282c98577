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
//     (1 - dt nu / 2 L) x = dt R,        R = all rates at the old velocity
//
// solved for each component by conjugate gradients. x is zero on sides with a given velocity and on
// faces that colliders close, and does not vary across open sides. Inside colliders the mirror
// values of x are neglected, an error that is of first order in dt and vanishes in steady flow.
//
//   nu  kinematic viscosity, m^2/s      h  spacing, m      dt  substep, s
#include "core/simd.h"
#include "grid/grid.h"

#include <string.h>

typedef struct diffused {
    const double *u;
    double *rate;
    double scale; // 1/s
} diffused;

// Sum of the second differences of u at q, times h^2.
FM_INLINE double find_laplacian(const fm_grid *g, const double *restrict u, ptrdiff_t q)
{
    double total = 0, mid = 2 * u[q];
    if (g->active[0])
        total += u[q - 1] + u[q + 1] - mid;
    if (g->active[1])
        total += u[q - g->stride[1]] + u[q + g->stride[1]] - mid;
    if (g->active[2])
        total += u[q - g->stride[2]] + u[q + g->stride[2]] - mid;
    return total;
}

FM_SIMD_CLONES static void add_laplacian_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const diffused *job = context;
    const double *restrict u = job->u;
    double *restrict rate = job->rate;
#pragma omp simd
    for (int i = 0; i < length; i++)
        rate[q + i] += job->scale * find_laplacian(g, u, q + i);
}

// The rest of the second difference across a side, in the layer of component d next to it.
static void correct_side(const fm_grid *g, const diffused *job, int d, int side)
{
    int axis = side / 2, b = (axis + 1) % 3, c = (axis + 2) % 3, at[3] = {0};
    ptrdiff_t s = g->stride[axis];
    at[axis] = side % 2 ? g->n[axis] - 1 : 0;
    for (at[c] = 0; at[c] < g->n[c] + (c == d); at[c]++)
        for (at[b] = 0; at[b] < g->n[b] + (b == d); at[b]++) {
            fm_grid_side_kind kind = fm_grid_find_condition(g, side, at)->kind;
            ptrdiff_t q = fm_grid_index(g, at[0], at[1], at[2]);
            if (kind == FM_GRID_WALL || kind == FM_GRID_INFLOW)
                job->rate[q] += job->scale / 3 * (job->u[q - s] + job->u[q + s] - 2 * job->u[q]);
        }
}

// All sides that components lie half a cell from.
typedef struct correction {
    const fm_grid *g;
    double *const *u, *const *rate;
} correction;

static void correct_components(void *context, int first, int last)
{
    const correction *job = context;
    const fm_grid *g = job->g;
    for (int d = first; d < last; d++)
        for (int side = 0; side < FM_SIDE_COUNT; side++)
            if (side / 2 != d && g->active[side / 2] && g->def.sides[side].kind != FM_GRID_PERIODIC)
                correct_side(g,
                             &(diffused){.u = job->u[d],
                                         .rate = job->rate[d],
                                         .scale = g->nu / (g->h * g->h)},
                             d, side);
}

void fm_grid_add_viscosity(fm_grid *g, double *u[3], double *rate[3], fm_pool *pool)
{
    if (!(g->nu > 0))
        return;
    for (int d = 0; d < 3; d++)
        fm_grid_for_rows(g, pool, d, 2, add_laplacian_row,
                         &(diffused){.u = u[d], .rate = rate[d], .scale = g->nu / (g->h * g->h)});
    double faces = g->n[0] * g->n[1] + g->n[1] * g->n[2] + g->n[2] * g->n[0];
    if (g->def.advection == FM_GRID_FIFTH_ORDER)
        fm_parallel_for(fm_pool_if_worthwhile(pool, 20 * faces), 3, 1, correct_components,
                        &(correction){g, u, rate});
}

// One component of the implicit solve. x, r, s, q: solution, residual, search direction and matrix
// times s.
typedef struct solve {
    int d;
    double dt, share;
    double *x, *r, *s, *q;
    double scale, alpha, beta;
} solve;

// x = 0, r = s = dt (rate + share extra).
FM_SIMD_CLONES static void start_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    const double *restrict rate = g->rate[job->d], *restrict extra = g->extra[job->d];
#pragma omp simd
    for (int i = 0; i < length; i++) {
        job->x[q + i] = 0;
        job->r[q + i] = job->dt * (rate[q + i] + job->share * extra[q + i]);
    }
}

FM_SIMD_CLONES static void apply_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    const double *restrict s = job->s;
    double *restrict out = job->q;
#pragma omp simd
    for (int i = 0; i < length; i++)
        out[q + i] = s[q + i] - job->scale * find_laplacian(g, s, q + i);
}

FM_SIMD_CLONES static void update_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const solve *job = context;
    const double *restrict s = job->s, *restrict A_s = job->q;
    double *restrict x = job->x, *restrict r = job->r;
#pragma omp simd
    for (int i = 0; i < length; i++) {
        x[q + i] += job->alpha * s[q + i];
        r[q + i] -= job->alpha * A_s[q + i];
    }
}

FM_SIMD_CLONES static void turn_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const solve *job = context;
    double *restrict s = job->s;
    const double *restrict r = job->r;
#pragma omp simd
    for (int i = 0; i < length; i++)
        s[q + i] = r[q + i] + job->beta * s[q + i];
}

static double dot_r_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const solve *job = context;
    double total = 0;
    for (int i = 0; i < length; i++)
        total += job->r[q + i] * job->r[q + i];
    return total;
}

static double dot_s_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const solve *job = context;
    double total = 0;
    for (int i = 0; i < length; i++)
        total += job->s[q + i] * job->q[q + i];
    return total;
}

// u = old + x.
FM_SIMD_CLONES static void finish_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    for (int i = 0; i < length; i++)
        g->u[job->d][q + i] = g->old[job->d][q + i] + job->x[q + i];
}

static void solve_component(fm_grid *g, solve *job, fm_pool *pool)
{
    enum { MOST = 2000 };
    static const double TOLERANCE = 1e-9; // of the norm of the right side
    fm_grid_for_rows(g, pool, job->d, 2, start_row, job);
    fm_grid_fill_change(g, job->r, job->d, FM_GRID_FILL_CHANGE, pool);
    job->beta = 0;
    double rr = fm_grid_sum_rows(g, pool, 1, dot_r_row, job), limit = TOLERANCE * TOLERANCE * rr;
    for (int k = 0; k < MOST && rr > limit; k++) {
        fm_grid_for_rows(g, pool, job->d, 1, turn_row, job);
        fm_grid_fill_change(g, job->s, job->d, FM_GRID_FILL_CHANGE, pool);
        fm_grid_for_rows(g, pool, job->d, 2, apply_row, job);
        fm_grid_fill_change(g, job->q, job->d, FM_GRID_FILL_CHANGE, pool);
        job->alpha = rr / fm_grid_sum_rows(g, pool, 1, dot_s_row, job);
        fm_grid_for_rows(g, pool, job->d, 2, update_row, job);
        double before = rr;
        rr = fm_grid_sum_rows(g, pool, 1, dot_r_row, job);
        job->beta = rr / before;
    }
    fm_grid_fill_change(g, job->x, job->d, FM_GRID_FILL_CHANGE, pool);
    fm_grid_for_rows(g, pool, job->d, 1, finish_row, job);
}

void fm_grid_solve_viscosity(fm_grid *g, double dt, double share, fm_pool *pool)
{
    for (int d = 0; d < 3; d++) {
        solve job = {.d = d, .dt = dt, .share = share, .scale = 0.5 * dt * g->nu / (g->h * g->h)};
        job.x = g->solve[0], job.r = g->solve[1], job.s = g->solve[2], job.q = g->solve[3];
        memset(job.s, 0, g->count * sizeof(double));
        solve_component(g, &job, pool);
    }
}
