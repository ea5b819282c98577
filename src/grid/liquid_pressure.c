// SPDX-License-Identifier: MIT
// liquid_pressure.c: the pressure of a liquid with a free surface.
//
// The pressure on the surface is p_s, zero without surface tension. Between a liquid cell i and a
// cell j in the air the surface is at the fraction
//
//     s = phi_i / (phi_i - phi_j)
//
// of the distance, so the pressure falls by (p_i - p_s) / s per spacing there [ENG03]: second order
// in the spacing, and the matrix stays symmetric. With A the open fraction of a face (solids.c),
//
//     sum over faces to liquid  A (psi_i - psi_j)  +  sum over faces to air  A / s (psi_i - psi_s)
//         = -sum over faces of (A u + (1 - A) v) outwards  +  h c
//
//     u = u - grad psi,     p = rho h psi / dt,     p_s = sigma kappa          liquid_tension.c
//
// v is the velocity of the collider. c is a small divergence that restores the volume, and that of
// sources inside the liquid. The pressure of the substep before is the first guess.
//
//   psi  m/s    p  Pa    u, v  m/s    c  1/s    h  spacing, m
//
// [ENG03] Enright, Nguyen, Gibou, Fedkiw: Using the particle level set method and a second order
//         accurate pressure boundary condition for free surface flows. FEDSM2003-45144, 2003.
#include "grid/liquid.h"

#include <string.h>

// The smallest s is (WAY_SHARE d)^2, with d the way of the fastest particle in the substep in
// spacings, within these limits. A larger one moves the surface where it is near the centre of a
// cell: with 0.02, waves of a quarter of a cell lost half of their height in ten seconds, or gained
// as much. With 1e-4 in splashes as well, more of them leave a narrow glass.
static const double NEAREST_MIN = 1e-4, NEAREST_MAX = 0.02, WAY_SHARE = 0.2;

// x with the 12 leading bits of its mantissa. Products of two of them are exact in single
// precision, so that the matrix of the solver, which is in single precision, and the correction of
// the velocities agree, and liquid at rest stays at rest to rounding.
static float shorten(float x)
{
    volatile float scaled = 4097 * x, rest = scaled - x;
    return scaled - rest;
}

double fm_liquid_find_closed(const fm_solid_face *f)
{
    return 1.0 - shorten(f->open);
}

// Open fraction of the low face of cell q along axis a, shortened.
static float find_open(const fm_grid *g, int a, ptrdiff_t q)
{
    return shorten(g->open[a][q]);
}

// 1 / s for the surface between the liquid cell q and its neighbour at q + step along axis a.
// Where a sheet crosses, the pressure of the cell acts on the sheet: 1.
static float find_steepness(const fm_liquid *l, int a, ptrdiff_t q, ptrdiff_t step)
{
    if (l->def.method == FM_LIQUID_PUBLISHED ||
        fm_grid_is_crossed(l->grid, a, step > 0 ? q + step : q))
        return 1;
    double inside = l->phi[q], outside = fm_double_max(l->phi[q + step], 0);
    double d = fm_liquid_has_bodies(l) ? 1 : WAY_SHARE * l->way,
           nearest = fm_double_max(NEAREST_MIN, fm_double_min(NEAREST_MAX, d * d));
    return shorten((float)fm_double_min(1 / nearest, (inside - outside) / inside));
}

// Arguments of the loops. source: the divergence that restores the volume.
typedef struct projection {
    fm_liquid *l;
    double dt, source; // s; 1/s
} projection;

// Index in the solver of the first cell of the row at q. at: receives its indices, with at[0] = 0.
ptrdiff_t fm_liquid_find_solver_row(const fm_grid *g, ptrdiff_t q, int at[3])
{
    const fm_cell_layout *s = fm_poisson_layout(g->solver);
    ptrdiff_t from = q - g->start;
    at[0] = 0;
    at[2] = (int)(from / g->stride[2]);
    at[1] = (int)((from - at[2] * g->stride[2]) / g->stride[1]);
    return s->start + at[1] * s->stride[1] + at[2] * s->stride[2];
}

// Conductance of cell q to the air through its low or high face along axis a.
static float find_given(const fm_liquid *l, ptrdiff_t q, const int at[3], int a, bool high)
{
    const fm_grid *g = l->grid;
    ptrdiff_t s = high ? g->stride[a] : -g->stride[a];
    float open = find_open(g, a, high ? q + s : q);
    if (open == 0 || !g->active[a])
        return 0;
    if (at[a] == (high ? g->n[a] - 1 : 0))
        return fm_grid_find_condition(g, 2 * a + high, at)->kind == FM_GRID_OPEN ? 2 * open : 0;
    return fm_liquid_is_wet(l, q + s) ? 0 : open * find_steepness(l, a, q, s);
}

// Writes the conductances of the cells of a row, to liquid neighbours and to the air, to the
// solver.
static void write_matrix_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const fm_liquid *l = ((projection *)context)->l;
    int at[3];
    ptrdiff_t to = fm_liquid_find_solver_row(g, q, at);
    float *given = fm_poisson_given_conductances(g->solver);
    for (int i = 0; i < length; i++, at[0]++) {
        ptrdiff_t cell = q + i;
        bool wet = fm_liquid_is_wet(l, cell);
        given[to + i] = 0;
        for (int a = 0; a < 3; a++) {
            ptrdiff_t s = g->stride[a];
            bool both = wet && g->active[a] && at[a] > 0 && fm_liquid_is_wet(l, cell - s);
            fm_poisson_conductances(g->solver, a)[to + i] = both ? find_open(g, a, cell) : 0;
            if (wet)
                given[to + i] +=
                    find_given(l, cell, at, a, false) + find_given(l, cell, at, a, true);
        }
    }
}

// Faces on the high sides are not low faces of any cell.
static void close_high_sides(fm_grid *g)
{
    const fm_cell_layout *s = fm_poisson_layout(g->solver);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        float *conductance =
            fm_poisson_conductances(g->solver, a) + s->start + s->n[a] * s->stride[a];
        for (int k = 0; k < s->n[c]; k++)
            for (int j = 0; j < s->n[b]; j++)
                conductance[j * s->stride[b] + k * s->stride[c]] = 0;
    }
}

// Writes the right-hand side and the first guess of psi, m/s, for the cells of a row.
static void write_divergence_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const projection *job = context;
    const fm_liquid *l = job->l;
    int at[3];
    ptrdiff_t to = fm_liquid_find_solver_row(g, q, at);
    double *b = fm_poisson_right_side(g->solver) + to, *psi = fm_poisson_solution(g->solver) + to;
    for (int i = 0; i < length; i++) {
        ptrdiff_t cell = q + i;
        b[i] = psi[i] = 0;
        if (!fm_liquid_is_wet(l, cell))
            continue;
        for (int a = 0; a < 3; a++) {
            ptrdiff_t high = cell + g->stride[a];
            b[i] += (double)find_open(g, a, cell) * g->u[a][cell] -
                    (double)find_open(g, a, high) * g->u[a][high];
        }
        b[i] += g->h * job->source * l->open_volume[cell] + l->added[cell];
        psi[i] = g->p[cell] * job->dt / (g->def.density * g->h);
    }
}

// Adds the pressure of surface tension on the faces of a row of cells to the right-hand side.
static void add_tension_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const projection *job = context;
    const fm_liquid *l = job->l;
    int at[3];
    double *b = fm_poisson_right_side(g->solver) + fm_liquid_find_solver_row(g, q, at);
    for (int i = 0; i < length; i++, at[0]++) {
        ptrdiff_t cell = q + i;
        if (!fm_liquid_is_wet(l, cell))
            continue;
        for (int n = 0; n < 6; n++) {
            int a = n / 2, high = n % 2;
            ptrdiff_t s = high ? g->stride[a] : -g->stride[a];
            if (!g->active[a] || at[a] == (high ? g->n[a] - 1 : 0))
                continue;
            double given = (double)find_given(l, cell, at, a, high);
            if (given > 0)
                b[i] += given * fm_liquid_find_surface_psi(l, cell, s, job->dt);
        }
    }
}

// Adds the fluxes of moving colliders through the closed parts of faces.
static void add_solid_fluxes(fm_liquid *l)
{
    fm_grid *g = l->grid;
    const fm_cell_layout *s = fm_poisson_layout(g->solver);
    double *b = fm_poisson_right_side(g->solver);
    for (int i = 0; i < g->solids.face_count; i++) {
        const fm_solid_face *f = &g->solids.faces[i];
        double flux = fm_liquid_find_closed(f) * f->solid;
        int at[3];
        ptrdiff_t row = fm_liquid_find_solver_row(g, f->q, at), from = f->q - g->start;
        at[0] = (int)(from - at[1] * g->stride[1] - at[2] * g->stride[2]);
        ptrdiff_t q = row + at[0];
        if (at[f->axis] < g->n[f->axis] && fm_liquid_is_wet(l, f->q))
            b[q] += flux;
        if (at[f->axis] > 0 && fm_liquid_is_wet(l, f->q - g->stride[f->axis]))
            b[q - s->stride[f->axis]] -= flux;
    }
}

// Largest velocity component, m/s, on the faces of the liquid cells of a row; NaN if any is.
static double find_fastest_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const fm_liquid *l = ((projection *)context)->l;
    double fastest = 0;
    for (ptrdiff_t i = q; i < q + length; i++) {
        if (!fm_liquid_is_wet(l, i))
            continue;
        for (int a = 0; a < 3; a++) {
            double low = fabs(g->u[a][i]), high = fabs(g->u[a][i + g->stride[a]]);
            double speed = low > high || isnan(low) ? low : high;
            fastest = speed > fastest || isnan(speed) ? speed : fastest;
        }
    }
    return fastest;
}

// u -= grad psi on the low faces of a row of cells, and on the high face of the last one.
static void correct_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const projection *job = context;
    const fm_liquid *l = job->l;
    int at[3];
    ptrdiff_t to = fm_liquid_find_solver_row(g, q, at);
    const double *psi = fm_poisson_solution(g->solver) + to;
    double scale = g->def.density * g->h / job->dt;
    const fm_cell_layout *layout = fm_poisson_layout(g->solver);
    for (int i = 0; i < length; i++, at[0]++) {
        ptrdiff_t cell = q + i;
        bool wet = fm_liquid_is_wet(l, cell);
        g->p[cell] = wet ? scale * psi[i] : 0;
        for (int a = 0; a < 3; a++) {
            ptrdiff_t s = g->stride[a];
            if (!g->active[a] || g->open[a][cell] == 0)
                continue;
            bool side = at[a] == 0, below = !side && fm_liquid_is_wet(l, cell - s);
            double drop = 0;
            if (wet && below)
                drop = psi[i] - psi[i - layout->stride[a]];
            else if (wet && !side)
                drop = (psi[i] - fm_liquid_find_surface_psi(l, cell, -s, job->dt)) *
                       find_steepness(l, a, cell, -s);
            else if (below)
                drop = (fm_liquid_find_surface_psi(l, cell - s, s, job->dt) -
                        psi[i - layout->stride[a]]) *
                       find_steepness(l, a, cell - s, s);
            else if (wet && fm_grid_find_condition(g, 2 * a, at)->kind == FM_GRID_OPEN)
                drop = 2 * psi[i];
            g->u[a][cell] -= drop;
            if (wet && at[a] == g->n[a] - 1 &&
                fm_grid_find_condition(g, 2 * a + 1, at)->kind == FM_GRID_OPEN)
                g->u[a][cell + s] += 2 * psi[i];
        }
    }
}

// Computes the pressure of a substep of dt seconds, and makes the divergence of the liquid equal to
// `source`, 1/s. Bodies in the liquid exchange momentum with it. last: the substep ends the
// interval of the coupling.
void fm_liquid_project(fm_liquid *l, const fm_surroundings *around, double dt, double source,
                       bool last)
{
    fm_grid *g = l->grid;
    fm_pool *pool = around->pool;
    projection job = {l, dt, source};
    fm_grid_for_rows(g, pool, 3, 10, write_matrix_row, &job);
    close_high_sides(g);
    g->level = l->phi;
    fm_grid_exchange_with_sheets(g, g->u, around->gravity, dt);
    fm_poisson_prepare(g->solver, pool);
    double fastest = fm_grid_max_rows(g, pool, 3, find_fastest_row, &job);
    if (l->curvature) // a drop at rest: the speed that a hundredth of the largest curvature gives
        fastest = fm_double_max(fastest, 0.01 * l->def.surface_tension * dt /
                                             (g->def.density * g->h * g->h));
    fm_grid_for_rows(g, pool, 3, 4, write_divergence_row, &job);
    fm_liquid_add_balls(l, around, dt);
    add_solid_fluxes(l);
    if (l->curvature) {
        fm_liquid_compute_curvature(l, pool);
        fm_grid_for_rows(g, pool, 3, 10, add_tension_row, &job);
    }
    // rounding keeps the solver from smaller tolerances
    double tolerance = fm_double_max(g->def.tolerance, 1e-14) * fastest;
    fm_poisson_result r = fm_poisson_solve(g->solver, tolerance, g->def.iterations, pool);
    fm_grid_for_rows(g, pool, 3, 4, correct_row, &job);
    fm_grid_finish_sheets(g, dt, last);
    fm_liquid_push_balls(l, around);
    if (l->def.method != FM_LIQUID_PUBLISHED)
        fm_liquid_even_density(l, pool);
    l->stats.iterations = r.iterations;
    l->stats.iteration_count += r.iterations;
    l->stats.unconverged_count += !r.converged;
    l->stats.divergence = fastest > 0 ? r.residual / fastest : 0;
}
