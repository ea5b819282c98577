// SPDX-License-Identifier: MIT
// liquid_viscosity.c: implicit viscosity of a liquid with a free surface.
//
// The velocity after a substep minimizes [BB08]
//
//     1/2 sum over faces  V (u - u*)^2  +  k sum over cells  V e^2  +  k/2 sum over edges  V g^2
//
//     k = dt nu / h^2,    e = u_a(+) - u_a(-)  along each axis a,
//     g = u_a(+b) - u_a(-b) + u_b(+a) - u_b(-a)  at the edges between the axes a and b
//
// V is the part of the volume around a face, cell or edge that is liquid. There is no stress on the
// free surface, without any condition for it, so that threads of honey bend, buckle and coil. The
// minimum solves a symmetric system for all components at once: conjugate gradients with the
// diagonal as preconditioner, from the old velocity.
//
// Faces inside colliders have the velocity of the collider. On sides of the kind wall the liquid
// sticks: half a cell from the side, the gradient is 2 (u - v). Where k < SMALLEST the viscosity
// changes nothing that the grid resolves, and is left out.
//
//   u*  velocity before, m/s    nu  kinematic viscosity, m^2/s    h  spacing, m
//
// [BB08] Batty, Bridson: Accurate viscous free surfaces for buckling, coiling, and rotating
//        liquids. Symposium on Computer Animation, 2008.
#include "grid/liquid.h"

static const double SMALLEST = 1e-3;   // of k
static const double TOLERANCE = 1e-5;  // of the residual, relative to that at the start
static const double LEAST_PART = 0.02; // of a face that counts
enum { ITERATIONS = 400, CELL = 0, FACE = 1, EDGE = 4 }; // numbers of `fraction`

// A solve by conjugate gradients: k of the file header, and the two coefficients of a step.
typedef struct solve {
    fm_liquid *l;
    double k, alpha, beta;
} solve;

// Number, in `fraction`, of the edges between the axes a < b.
static int edge_number(int a, int b)
{
    return EDGE + a + b - 1;
}

// Liquid part of a cell-sized volume with the distance phi, spacings, at its centre.
static float find_part(double phi)
{
    return (float)fm_double_max(0, fm_double_min(1, 0.5 - phi));
}

// Indices of the first cell of the row at q.
static void find_row_place(const fm_grid *g, ptrdiff_t q, int at[3])
{
    ptrdiff_t from = q - g->start;
    at[0] = 0;
    at[2] = (int)(from / g->stride[2]);
    at[1] = (int)((from - at[2] * g->stride[2]) / g->stride[1]);
}

// Liquid parts of cells, of their low faces and of their low edges.
static void find_parts_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    fm_liquid *l = ((solve *)context)->l;
    const double *phi = l->phi;
    int at[3];
    find_row_place(g, q, at);
    for (ptrdiff_t i = q; i < q + length; i++, at[0]++) {
        l->fraction[CELL][i] = find_part(phi[i]);
        for (int a = 0; a < 3; a++) {
            ptrdiff_t s = g->stride[a];
            double mean = 0.5 * (phi[i] + phi[i - s]);
            bool free = g->active[a] && at[a] > 0 && g->open[a][i] > 0 && mean < 0.5;
            l->fraction[FACE + a][i] = free ? (float)fm_double_max(LEAST_PART, find_part(mean)) : 0;
            for (int b = a + 1; b < 3; b++) {
                ptrdiff_t t = g->stride[b];
                bool inside = g->active[a] && g->active[b] && at[a] > 0 && at[b] > 0;
                l->fraction[edge_number(a, b)][i] =
                    inside ? find_part(0.25 * (phi[i] + phi[i - s] + phi[i - t] + phi[i - s - t]))
                           : 0;
            }
        }
    }
}

// Coefficient of (u_a - v) at the low face of cell q along axis a, from the walls along axis b to
// which the liquid sticks: 2 for each wall that the cell touches, times the liquid part. *v:
// receives the coefficients times the velocities of the walls along a, m/s.
static double find_wall(const fm_liquid *l, const int at[3], int b, ptrdiff_t q, int a, double *v)
{
    const fm_grid *g = l->grid;
    const fm_grid_side *sides = l->def.grid.sides;
    double total = 0;
    *v = 0;
    for (int high = 0; high < 2; high++) {
        const fm_grid_side *side = &sides[2 * b + high];
        if (at[b] != (high ? g->n[b] - 1 : 0) || side->kind != FM_GRID_WALL)
            continue;
        double part = 2 * l->fraction[FACE + a][q];
        total += part;
        *v += part * (a == 0 ? side->velocity.x : a == 1 ? side->velocity.y : side->velocity.z);
    }
    return total;
}

// Shear g of the file header, m/s, at the low edge of cell q between the axes a and b.
static double find_shear(const fm_grid *g, double *const *u, int a, int b, ptrdiff_t q)
{
    return u[a][q] - u[a][q - g->stride[b]] + u[b][q] - u[b][q - g->stride[a]];
}

// (A u) at the low face of cell q along axis a. walls: adds the velocities of walls.
static double apply_at(const solve *job, double *const *u, int a, ptrdiff_t q, const int at[3],
                       bool walls)
{
    const fm_liquid *l = job->l;
    const fm_grid *g = l->grid;
    ptrdiff_t s = g->stride[a];
    const float *cell = l->fraction[CELL];
    double sum = 2 * (cell[q - s] * (u[a][q] - u[a][q - s]) - cell[q] * (u[a][q + s] - u[a][q]));
    for (int b = 0; b < 3; b++) {
        if (b == a || !g->active[b])
            continue;
        const float *edge = l->fraction[a < b ? edge_number(a, b) : edge_number(b, a)];
        ptrdiff_t t = g->stride[b];
        double v;
        if (edge[q] > 0)
            sum += edge[q] * find_shear(g, u, a, b, q);
        if (at[b] < g->n[b] - 1 && edge[q + t] > 0)
            sum -= edge[q + t] * find_shear(g, u, a, b, q + t);
        sum += find_wall(l, at, b, q, a, &v) * u[a][q] - (walls ? v : 0);
    }
    return l->fraction[FACE + a][q] * u[a][q] + job->k * sum;
}

// Diagonal of A at the low face of cell q along axis a.
static double find_diagonal(const solve *job, int a, ptrdiff_t q, const int at[3])
{
    const fm_liquid *l = job->l;
    const fm_grid *g = l->grid;
    double sum = 2 * (l->fraction[CELL][q - g->stride[a]] + l->fraction[CELL][q]), v;
    for (int b = 0; b < 3; b++) {
        if (b == a || !g->active[b])
            continue;
        const float *edge = l->fraction[a < b ? edge_number(a, b) : edge_number(b, a)];
        sum += edge[q] + (at[b] < g->n[b] - 1 ? edge[q + g->stride[b]] : 0) +
               find_wall(l, at, b, q, a, &v);
    }
    return l->fraction[FACE + a][q] + job->k * sum;
}

// r = b - A u and d = r / diagonal at free faces, 0 elsewhere; returns r . d.
static double start_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    fm_liquid *l = job->l;
    int at[3];
    double total = 0;
    find_row_place(g, q, at);
    for (ptrdiff_t i = q; i < q + length; i++, at[0]++)
        for (int a = 0; a < 3; a++) {
            double part = l->fraction[FACE + a][i], r = 0, diagonal = 1;
            if (part > 0) {
                r = part * g->u[a][i] - apply_at(job, g->u, a, i, at, true);
                diagonal = find_diagonal(job, a, i, at);
            }
            l->solve[0][a][i] = r;
            l->solve[1][a][i] = r / diagonal;
            l->solve[3][a][i] = diagonal;
            total += r * r / diagonal;
        }
    return total;
}

// q = A d; returns d . q.
static double apply_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    fm_liquid *l = job->l;
    int at[3];
    double total = 0;
    find_row_place(g, q, at);
    for (ptrdiff_t i = q; i < q + length; i++, at[0]++)
        for (int a = 0; a < 3; a++) {
            if (l->fraction[FACE + a][i] == 0)
                continue;
            double value = apply_at(job, l->solve[1], a, i, at, false);
            l->solve[2][a][i] = value;
            total += value * l->solve[1][a][i];
        }
    return total;
}

// u += alpha d, r -= alpha q; returns r . r / diagonal.
static double update_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    fm_liquid *l = job->l;
    double total = 0;
    for (int a = 0; a < 3; a++)
        for (ptrdiff_t i = q; i < q + length; i++) {
            if (l->fraction[FACE + a][i] == 0)
                continue;
            double *r = &l->solve[0][a][i];
            g->u[a][i] += job->alpha * l->solve[1][a][i];
            *r -= job->alpha * l->solve[2][a][i];
            total += *r * *r / l->solve[3][a][i];
        }
    return total;
}

// Next search direction of the conjugate gradients in a row: d = r / diagonal + beta d.
static void turn_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const solve *job = context;
    fm_liquid *l = job->l;
    (void)g;
    for (int a = 0; a < 3; a++)
        for (ptrdiff_t i = q; i < q + length; i++)
            l->solve[1][a][i] =
                l->solve[0][a][i] / l->solve[3][a][i] + job->beta * l->solve[1][a][i];
}

// Applies the viscosity of dt seconds to the velocities of the faces.
void fm_liquid_diffuse(fm_liquid *l, double dt, fm_pool *pool)
{
    fm_grid *g = l->grid;
    solve job = {.l = l, .k = dt * g->nu / (g->h * g->h)};
    l->stats.viscosity_iterations = 0;
    if (job.k < SMALLEST)
        return;
    for (int i = 0; i < g->solids.face_count; i++) {
        const fm_solid_face *f = &g->solids.faces[i];
        if (f->open == 0)
            g->u[f->axis][f->q] = f->solid;
    }
    fm_grid_for_rows(g, pool, 3, 10, find_parts_row, &job);
    double rr = fm_grid_sum_rows(g, pool, 30, start_row, &job), first = rr;
    while (rr > TOLERANCE * TOLERANCE * first && l->stats.viscosity_iterations < ITERATIONS) {
        double below = fm_grid_sum_rows(g, pool, 30, apply_row, &job), before = rr;
        if (!(below > 0)) // no direction is left
            break;
        job.alpha = rr / below;
        rr = fm_grid_sum_rows(g, pool, 6, update_row, &job);
        job.beta = rr / before;
        fm_grid_for_rows(g, pool, 3, 4, turn_row, &job);
        l->stats.viscosity_iterations++;
    }
}
