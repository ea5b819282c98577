// SPDX-License-Identifier: MIT
// liquid_density.c: ways of the particles of a liquid that make their density even.
//
// The pressure keeps the divergence of the velocity at zero; the particles follow the velocity with
// errors, and their density drifts away from that of the liquid: gaps open, which look like
// bubbles, and others crowd. A second solve with the matrix of the pressure moves them back
// [KLT19]:
//
//     sum over faces  A dx  =  STRENGTH e,     dx = -grad psi,     psi = 0 on the surface
//
//     e   = r - R, less ALLOWED, at most LARGEST, with its sign
//
//     r   = sum_p w V_p / h^3             density of the particles, w the linear weights of a cell
//     R   = K filled                      what it would be if they were even
//
// filled is the volume of liquid in a cell, from the level set and the colliders, and K the mean of
// the linear weights over cells: 1/8, 3/4, 1/8 along each axis. R takes care of walls and surface,
// where cells are partly full.
//
// In liquids with bodies particles stay where they are: dx would take them through sheets.
//
// A particle moves by dx and keeps the velocity field: v_p += C_p dx. Liquid at rest stays at rest.
//
// [KLT19] Kugelstadt, Longva, Thuerey, Bender: Implicit density projection for volume conserving
//         liquids. IEEE Transactions on Visualization and Computer Graphics 27(4), 2021.
#include "grid/liquid.h"
#include "grid/pressure.h"

#include <stdlib.h>
#include <string.h>

static const double STRENGTH = 0.5;
static const double ALLOWED = 0.2;    // |r - R| that does not count, so that waves are left alone
static const double LARGEST = 0.5;    // |r - R| - ALLOWED that counts
static const double FARTHEST = 0.25;  // spacings, of dx
static const double TOLERANCE = 0.02; // of r - R
enum { ITERATIONS = 6 };

// Writes the volumes of liquid in the cells of a row, relative to the cell.
static void fill_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    fm_liquid *l = context;
    int at[3];
    fm_liquid_find_solver_row(g, q, at);
    for (int i = 0; i < length; i++, at[0]++)
        l->filled[q + i] = fm_liquid_find_filled(l, q + i, at);
}

// The density R that even particles would have in cell q. Cells outside the grid are empty, and
// particles do not add their weights there either.
static double find_even_density(const fm_liquid *l, ptrdiff_t q)
{
    const fm_grid *g = l->grid;
    static const double w[3] = {0.125, 0.75, 0.125};
    double sum = 0;
    int depth = g->active[2] ? 1 : 0;
    for (int k = -depth; k <= depth; k++)
        for (int j = -1; j <= 1; j++) {
            const double *f = l->filled + q + j * g->stride[1] + k * g->stride[2];
            sum += (depth ? w[k + 1] : 1) * w[j + 1] * (w[0] * f[-1] + w[1] * f[0] + w[2] * f[1]);
        }
    return sum;
}

// Writes the right-hand side of a row, and the first guess 0.
static void write_excess_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const fm_liquid *l = context;
    int at[3];
    ptrdiff_t to = fm_liquid_find_solver_row(g, q, at);
    double *b = fm_poisson_right_side(g->solver) + to, *psi = fm_poisson_solution(g->solver) + to;
    for (int i = 0; i < length; i++) {
        b[i] = psi[i] = 0;
        if (!fm_liquid_is_wet(l, q + i) || fm_liquid_is_beside_core(l, q + i))
            continue;
        double excess = l->density[q + i] - find_even_density(l, q + i);
        double size = fm_double_min(LARGEST, fm_double_max(0, fabs(excess) - ALLOWED));
        b[i] = excess < 0 ? -STRENGTH * size : STRENGTH * size;
    }
}

// dx on the low faces of a row: -grad psi between liquid cells, 0 elsewhere.
static void shift_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    fm_liquid *l = context;
    int at[3];
    ptrdiff_t to = fm_liquid_find_solver_row(g, q, at);
    const fm_cell_layout *layout = fm_poisson_layout(g->solver);
    const double *psi = fm_poisson_solution(g->solver) + to;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < length; i++) {
            ptrdiff_t cell = q + i, s = g->stride[a];
            bool inside = g->active[a] && (a == 0 ? i : at[a]) > 0 && g->open[a][cell] > 0;
            bool wet = fm_liquid_is_wet(l, cell), below = inside && fm_liquid_is_wet(l, cell - s);
            double drop = 0;
            if (inside && (wet || below)) {
                drop = (wet ? psi[i] : 0) - (below ? psi[i - layout->stride[a]] : 0);
                drop = fm_double_max(-FARTHEST, fm_double_min(FARTHEST, drop));
            }
            l->shift[a][cell] = -drop;
        }
}

// Computes the ways of the particles, spacings, from the density that was gathered with their
// velocities.
void fm_liquid_even_density(fm_liquid *l, fm_pool *pool)
{
    fm_grid *g = l->grid;
    fm_grid_for_rows(g, pool, 3, 8, fill_row, l);
    fm_grid_for_rows(g, pool, 3, 8, write_excess_row, l);
    fm_poisson_solve(g->solver, STRENGTH * TOLERANCE, ITERATIONS, pool);
    fm_grid_for_rows(g, pool, 3, 5, shift_row, l);
}
