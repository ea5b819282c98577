// SPDX-License-Identifier: MIT
// liquid_surface.c: the surface of a liquid: a level set that moves with the flow and that the
// particles bound.
//
// phi is the signed distance to the surface, in spacings. A substep moves it along the velocity,
//
//     phi(x, t + dt) = phi(x - dt u(x - dt/2 u), t)                     semi-Lagrangian
//
// with cubic interpolation near the surface. Then the particles correct it [EMF02], [FFT16]:
//
//     phi >= d - OUTER           if d > OUTER: no liquid that far from particles
//     phi <= e - INNER           particles that have left it by more than ESCAPED are liquid
//     phi <= FULL - a            if a > FULL: a cell full of escaping particles is liquid
//
// with d the distance to the nearest particle, e that to the nearest escaped one, and a the volume
// of the particles in a cell, relative to the cell and at most 1. The bounds leave room for a flat
// surface at any place between regular particles, so liquid at rest is not changed, and waves keep
// the smooth surface of the level set. Splashes that the level set cannot resolve stay as
// particles.
//
// At last phi becomes a distance again within BAND spacings: cells beside the surface are divided
// by their slope [RS00]; the others solve |grad phi| = 1 by upwind differences. The division
// disturbs the curvature: with surface tension it is left out if the slope differs from 1 by less
// than SLOPE, else a drop at rest moves by 3 cm/s. Without, that would change the period of waves
// by 0.6 %.
//
// Volume inside: sum over cells of their open volume times the part inside the surface. That is the
// mean of clamp(1/2 - 2 phi) over the eight parts of a cell halved along each axis, exact for
// planes along the axes; drops and sheets thinner than a cell have the slope of each of their
// sides.
//
//   u  velocity, m/s
//
// [FFT16] Ferstl, Ando, Wojtan, Westermann, Thuerey: Narrow band FLIP for liquid simulations.
//         Computer Graphics Forum 35(2), 2016.
// [EMF02] Enright, Marschner, Fedkiw: Animation and rendering of complex water surfaces. ACM
//         Transactions on Graphics 21(3), 2002.
// [RS00]  Russo, Smereka: A remark on computing distance functions. Journal of Computational
//         Physics 163, 2000.
#include "grid/liquid.h"

#include <string.h>

static const double BAND = FM_LIQUID_BAND;
static const double OUTER = 0.9, INNER = 0.3, FULL = 0.8, ESCAPED = 0.5; // spacings
static const double SLOPE = 0.15;
static const double DEEPEST = 1.5;   // spacings inside a collider
static const double THICK = 0.5;     // spacings below the surface
static const double DIAGONAL = 0.87; // spacings from the centre of a cell to its corners

// A loop over all cells.
typedef struct cells {
    fm_liquid *l;
    double dt;  // s
    fm_vec3 up; // unit vector against gravity, or 0
} cells;

// Copies phi from the outermost cells along an axis to the layers outside the grid.
static void copy_layers(const fm_grid *g, double *phi, int axis)
{
    int b = axis == 0 ? 1 : 0, c = axis == 2 ? 1 : 2;
    ptrdiff_t s = g->stride[axis], last = (g->n[axis] - 1) * s;
    for (int k = 0; k < g->size[c]; k++)
        for (int j = 0; j < g->size[b]; j++) {
            double *line = phi + g->layers[axis] * s + j * g->stride[b] + k * g->stride[c];
            for (int i = 1; i <= g->layers[axis]; i++)
                line[-i * s] = line[0];
            for (int i = 1; i <= g->layers[axis] + 1; i++)
                line[last + i * s] = line[last];
        }
}

// Writes phi outside the grid: that of the nearest cell.
void fm_liquid_fill_phi(fm_liquid *l, double *phi)
{
    for (int axis = 0; axis < 3; axis++)
        copy_layers(l->grid, phi, axis);
}

// phi at x. Cubic where all values are within the band, else linear.
static double find_phi(const fm_grid *g, const double *phi, const double x[3])
{
    fm_liquid_place p = fm_liquid_find_place(g, x, 3);
    int first = g->active[2] ? -1 : 0, last = g->active[2] ? 2 : 0;
    for (int k = first; k <= last; k++)
        for (int j = -1; j <= 2; j++) {
            const double *f = phi + p.q + j * g->stride[1] + k * g->stride[2];
            for (int i = -1; i <= 2; i++)
                if (!(fabs(f[i]) < BAND))
                    return fm_liquid_interpolate(g, phi, x, 3);
        }
    return fm_liquid_interpolate_cubic(g, phi, x, 3);
}

// Moves phi in the cells of a row along the velocity for dt seconds.
FM_SIMD_CLONES static void move_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const cells *job = context;
    const fm_liquid *l = job->l;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    for (int i = 0; i < length; i++) {
        double x[3] = {i + 0.5, (double)j + 0.5, (double)k + 0.5};
        l->phi_new[q + i] = l->phi[q + i];
        if (fabs(l->phi[q + i]) >= BAND - 1)
            continue;
        fm_liquid_follow_back(g, x, job->dt);
        l->phi_new[q + i] = find_phi(g, l->phi, x);
    }
}

// Makes phi_new the current phi, and fills it outside the grid.
static void swap_phi(fm_liquid *l)
{
    double *phi = l->phi;
    l->phi = l->phi_new;
    l->phi_new = phi;
    fm_liquid_fill_phi(l, l->phi);
}

// Moves the surface with the flow for dt seconds.
void fm_liquid_move_surface(fm_liquid *l, double dt, fm_pool *pool)
{
    fm_grid_for_rows(l->grid, pool, 3, 60, move_row, &(cells){.l = l, .dt = dt});
    swap_phi(l);
}

// Finds the distance from the centre of cell `at` to the nearest particle in the cells up to
// `reach` away, and to the nearest escaped one, spacings; at most 2.
static void find_nearest(const fm_liquid *l, const int at[3], int reach, double *d, double *e)
{
    const fm_grid *g = l->grid;
    const fm_liquid_particles *p = &l->now;
    double least = 4, least_escaped = 4;
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = at[a] > reach ? at[a] - reach : 0;
        high[a] = at[a] + reach < g->n[a] ? at[a] + reach : g->n[a] - 1;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++) {
            int row = g->n[0] * (j + g->n[1] * k);
            for (int i = l->start[row + low[0]]; i < l->start[row + high[0] + 1]; i++) {
                double x = p->x[0][i] - at[0] - 0.5, y = p->x[1][i] - at[1] - 0.5,
                       z = p->x[2][i] - at[2] - 0.5;
                double square = x * x + y * y + z * z;
                least = fm_double_min(least, square);
                if (l->depth[i] > ESCAPED)
                    least_escaped = fm_double_min(least_escaped, square);
            }
        }
    *d = sqrt(least);
    *e = sqrt(least_escaped);
}

// Volume of the particles in a cell, relative to the cell, at most 1; 0 if those that are about to
// leave the liquid are less than half of it.
static double find_part(const fm_liquid *l, int cell)
{
    double volume = 0, leaving = 0;
    for (int i = l->start[cell]; i < l->start[cell + 1]; i++) {
        volume += l->now.volume[i];
        leaving += l->depth[i] > 0.5 * ESCAPED ? l->now.volume[i] : 0;
    }
    return leaving > 0.5 * volume ? fm_double_min(1, volume / l->spacing_volume) : 0;
}

// Interpolates phi, spacings, at the particles [first, last).
FM_SIMD_CLONES static void find_depths(void *context, int first, int last)
{
    const fm_liquid *l = context;
    const fm_liquid_particles *p = &l->now;
    for (int i = first; i < last; i++)
        l->depth[i] = fm_liquid_interpolate(l->grid, l->phi,
                                            (double[3]){p->x[0][i], p->x[1][i], p->x[2][i]}, 3);
}

// Signed distance of the centre of a cell to the colliders, spacings.
static double find_solid(const fm_grid *g, ptrdiff_t q)
{
    double sum = 0;
    for (int corner = 0; corner < 8; corner++)
        sum += g->distance[q + (corner & 1 ? g->stride[0] : 0) + (corner & 2 ? g->stride[1] : 0) +
                           (corner & 4 ? g->stride[2] : 0)];
    return 0.125 * sum / g->h;
}

// Corrects phi in the cells of a row by the particles, as in the file header.
static void bound_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    fm_liquid *l = ((cells *)context)->l;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    for (int i = 0; i < length; i++) {
        int at[3] = {i, (int)j, (int)k}, own = i + g->n[0] * (at[1] + g->n[1] * at[2]);
        double phi = l->phi[q + i], d, e;
        if (phi < -2 || (phi > 1 && l->start[own] == l->start[own + 1]))
            continue;
        find_nearest(l, at, phi > 1 ? 0 : 1, &d, &e);
        double depth = fm_double_max(0, -find_solid(g, q + i));
        if (phi <= 1 && d > OUTER + depth)
            phi = fm_double_max(phi, d - OUTER - depth);
        phi = fm_double_min(phi, e - INNER);
        double part = find_part(l, own);
        if (part > FULL)
            phi = fm_double_min(phi, FULL - part);
        l->phi[q + i] = phi;
    }
}

// Takes the liquid out of a sink.
static void empty_sinks(fm_liquid *l)
{
    const fm_grid *g = l->grid;
    for (int s = 0; s < l->sink_count; s++)
        for (int k = 0; k < g->n[2]; k++)
            for (int j = 0; j < g->n[1]; j++)
                for (int i = 0; i < g->n[0]; i++) {
                    fm_vec3 x = fm_grid_centre(g, i, j, k, 3);
                    fm_vec3 low = fm_sub(x, l->sinks[s].low), high = fm_sub(l->sinks[s].high, x);
                    double inside = fm_double_min(low.x, fm_double_min(low.y, high.x));
                    inside = fm_double_min(inside, high.y);
                    if (g->active[2])
                        inside = fm_double_min(inside, fm_double_min(low.z, high.z));
                    ptrdiff_t q = fm_grid_index(g, i, j, k);
                    if (inside > 0)
                        l->phi[q] = fm_double_max(l->phi[q], inside / g->h);
                }
}

// Moves the surface outwards by `distance`, spacings.
void fm_liquid_shift_surface(fm_liquid *l, double distance)
{
    for (size_t i = 0; i < l->grid->count; i++)
        if (fabs(l->phi[i]) < BAND)
            l->phi[i] -= distance;
}

// Outward normal of the colliders at the centre of cell q, from the distances at its corners; not a
// unit vector where two colliders meet.
static void find_normal(const fm_grid *g, ptrdiff_t q, double n[3])
{
    n[0] = n[1] = n[2] = 0;
    for (int corner = 0; corner < 8; corner++) {
        double d = g->distance[q + (corner & 1 ? g->stride[0] : 0) +
                               (corner & 2 ? g->stride[1] : 0) + (corner & 4 ? g->stride[2] : 0)];
        for (int a = 0; a < 3; a++)
            n[a] += (corner >> a & 1 ? 0.25 : -0.25) * d / g->h;
    }
}

// Continues the liquid into colliders in the cells of a row: a cell whose centre is inside one is
// at most as far from the surface as its mirror image, if the surface between them is level.
static void wet_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const cells *job = context;
    fm_liquid *l = job->l;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    for (int i = 0; i < length; i++) {
        double depth = -find_solid(g, q + i), n[3];
        double y[3] = {i + 0.5, (double)j + 0.5, (double)k + 0.5};
        l->phi_new[q + i] = l->phi[q + i];
        if (!(depth > 0 && depth < DEEPEST) || fabs(l->phi[q + i]) >= BAND - 1)
            continue;
        find_normal(g, q + i, n);
        double rise = 2 * depth * (n[0] * job->up.x + n[1] * job->up.y + n[2] * job->up.z);
        for (int a = 0; a < 3; a++)
            y[a] += g->active[a] ? 2 * depth * n[a] : 0;
        fm_liquid_clamp_inside(g, y);
        double mirror = fm_liquid_interpolate(g, l->phi, y, 3);
        l->phi_new[q + i] = fm_double_min(l->phi[q + i], mirror - rise);
    }
}

// Corrects phi by the particles, removes the liquid in sinks, and continues it into colliders. up:
// unit vector against gravity, or 0.
void fm_liquid_bound_surface(fm_liquid *l, fm_vec3 up, fm_pool *pool)
{
    fm_parallel_for(fm_pool_if_worthwhile(pool, 15.0 * l->now.count), l->now.count, FM_LIQUID_BLOCK,
                    find_depths, l);
    fm_grid_for_rows(l->grid, pool, 3, 60, bound_row, &(cells){.l = l});
    empty_sinks(l);
    fm_liquid_fill_phi(l, l->phi);
    if (l->grid->solids.face_count > 0) {
        fm_grid_for_rows(l->grid, pool, 3, 10, wet_row, &(cells){.l = l, .up = up});
        swap_phi(l);
    }
}

// phi of a cell beside the surface, divided by its slope unless that differs from 1 by less than
// `same`. Along each axis the slope is that across the surface, the steeper one if the surface is
// on both sides, so that thin sheets keep theirs; where it is on neither side, the central
// difference.
static double correct_slope(const fm_grid *g, const double *phi, ptrdiff_t q, double same)
{
    double square = 0, mid = phi[q];
    for (int a = 0; a < 3; a++) {
        if (!g->active[a])
            continue;
        double low = phi[q - g->stride[a]], high = phi[q + g->stride[a]];
        bool below = (low < 0) != (mid < 0), above = (high < 0) != (mid < 0);
        double slope = 0.5 * fabs(high - low);
        if (below || above)
            slope = fm_double_max(below ? fabs(mid - low) : 0, above ? fabs(high - mid) : 0);
        square += slope * slope;
    }
    // steeper only beside values that are not known yet
    double slope = fm_double_min(1.5, sqrt(fm_double_max(square, 1e-4)));
    if (fabs(slope - 1) < same)
        return mid;
    return fm_double_max(-1, fm_double_min(1, mid / slope));
}

// First pass of redistancing. Cells beside the surface get their final phi and are marked in
// known[0]; all others get the limit of the band, -BAND inside and BAND outside, spacings.
static void start_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    fm_liquid *l = ((cells *)context)->l;
    double same = l->curvature || fm_liquid_has_bodies(l) ? SLOPE : 0;
    for (ptrdiff_t i = q; i < q + length; i++) {
        bool beside = fm_liquid_is_at_surface(g, l->phi, i);
        double far = l->phi[i] < 0 ? -BAND : BAND;
        l->known[0][i] = beside;
        l->phi_new[i] = beside ? correct_slope(g, l->phi, i, same) : far;
    }
}

// Distance from the distances a <= b <= c of the nearest neighbours along the axes.
static double solve_upwind(double a, double b, double c)
{
    double d = a + 1;
    if (d > b) {
        double difference = a - b;
        d = 0.5 * (a + b + sqrt(2 - difference * difference));
    }
    if (d > c) {
        double sum = a + b + c, squares = a * a + b * b + c * c;
        d = (sum + sqrt(fm_double_max(0, sum * sum - 3 * (squares - 1)))) / 3;
    }
    return d;
}

// One sweep of redistancing over a row: cells that are not known get the distance from neighbours.
static void sweep_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    fm_liquid *l = ((cells *)context)->l;
    const double *phi = l->phi;
    for (ptrdiff_t i = q; i < q + length; i++) {
        l->phi_new[i] = phi[i];
        if (l->known[0][i])
            continue;
        double near[3];
        for (int a = 0; a < 3; a++)
            near[a] = g->active[a]
                          ? fm_double_min(fabs(phi[i - g->stride[a]]), fabs(phi[i + g->stride[a]]))
                          : BAND;
        double x = near[0], y = near[1], z = near[2];
        double least = fm_double_min(x, fm_double_min(y, z));
        double most = fm_double_max(x, fm_double_max(y, z));
        if (least >= BAND)
            continue;
        double middle = fm_double_max(fm_double_min(x, y), fm_double_min(fm_double_max(x, y), z));
        double d = fm_double_min(BAND, solve_upwind(least, middle, most));
        l->phi_new[i] = phi[i] < 0 ? -d : d;
    }
}

// Makes phi the signed distance to the surface, within BAND spacings.
void fm_liquid_redistance(fm_liquid *l, fm_pool *pool)
{
    fm_grid_for_rows(l->grid, pool, 3, 8, start_row, &(cells){.l = l});
    swap_phi(l);
    for (int i = 0; i < (int)BAND; i++) {
        fm_grid_for_rows(l->grid, pool, 3, 5, sweep_row, &(cells){.l = l});
        swap_phi(l);
    }
}

// Published method: phi is -0.5 in cells with particles and 0.5 in those without, spacings.
void fm_liquid_mark_cells(fm_liquid *l)
{
    const fm_grid *g = l->grid;
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++) {
                int cell = i + g->n[0] * (j + g->n[1] * k);
                l->phi[fm_grid_index(g, i, j, k)] =
                    l->start[cell + 1] > l->start[cell] ? -0.5 : 0.5;
            }
    fm_liquid_fill_phi(l, l->phi);
}

// Computes the fraction of each cell's volume that is outside the colliders, from the signed
// distance of its centre: 1/2 + distance in spacings, exact for planes along the axes. Cells with
// an open face get at least 1e-3, cells without one get 0.
void fm_liquid_compute_open_volume(fm_liquid *l)
{
    const fm_grid *g = l->grid;
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++) {
                ptrdiff_t q = fm_grid_index(g, i, j, k);
                double open = 0.5 + find_solid(g, q), faces = 0;
                for (int a = 0; a < 3; a++)
                    faces += g->active[a] ? g->open[a][q] + g->open[a][q + g->stride[a]] : 0;
                open = fm_double_max(1e-3, fm_double_min(1, open));
                l->open_volume[q] = faces > 0 ? open : 0;
            }
}

// Slopes of phi from cell q to its neighbours below and above along axis a. Where a neighbour is
// outside the grid or closed by colliders, the slope on the other side counts.
static void find_slopes(const fm_liquid *l, ptrdiff_t q, int a, const int at[3], double slope[2])
{
    const fm_grid *g = l->grid;
    ptrdiff_t s = g->stride[a];
    bool below = at[a] > 0 && l->open_volume[q - s] > 0;
    bool above = at[a] < g->n[a] - 1 && l->open_volume[q + s] > 0;
    double low = below ? l->phi[q] - l->phi[q - s] : 0,
           high = above ? l->phi[q + s] - l->phi[q] : 0;
    slope[0] = below ? low : high;
    slope[1] = above ? high : low;
}

// Part of cell q that is inside the surface: the mean over its halves along each axis.
static double find_inside(const fm_liquid *l, ptrdiff_t q, const int at[3])
{
    const fm_grid *g = l->grid;
    double slope[3][2] = {{0}}, total = 0;
    if (fabs(l->phi[q]) > DIAGONAL)
        return l->phi[q] < 0;
    for (int a = 0; a < (g->active[2] ? 3 : 2); a++)
        find_slopes(l, q, a, at, slope[a]);
    for (int part = 0; part < 8; part++) {
        double phi = l->phi[q];
        for (int a = 0; a < 3; a++)
            phi += (part >> a & 1 ? 0.25 : -0.25) * slope[a][part >> a & 1];
        total += 0.125 * fm_double_max(0, fm_double_min(1, 0.5 - 2 * phi));
    }
    return total;
}

// Volume of liquid in cell q, relative to the whole cell. at: its indices.
double fm_liquid_find_filled(const fm_liquid *l, ptrdiff_t q, const int at[3])
{
    return l->open_volume[q] > 0 ? l->open_volume[q] * find_inside(l, q, at) : 0;
}

// Whether cell q is in or beside liquid that is at least a cell thick, so that the level set
// resolves it. Where the surface is just below cell q, so that particles reach into it, the liquid
// may be two cells away.
static bool is_resolved(const fm_liquid *l, ptrdiff_t q, const int at[3])
{
    const fm_grid *g = l->grid;
    int reach = l->phi[q] < 1 ? 2 : 1;
    if (l->phi[q] < -THICK)
        return true;
    for (int a = 0; a < 3; a++)
        for (int n = 1; n <= reach; n++) {
            ptrdiff_t s = n * g->stride[a];
            if ((at[a] >= n && l->phi[q - s] < -THICK && l->open_volume[q - s] > 0) ||
                (at[a] < g->n[a] - n && l->phi[q + s] < -THICK && l->open_volume[q + s] > 0))
                return true;
        }
    return false;
}

// Volume inside the surface in the resolved cells of a row, in volumes of a cell.
static double add_volume_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const fm_liquid *l = ((cells *)context)->l;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    double total = 0;
    for (int i = 0; i < length; i++) {
        int at[3] = {i, (int)j, (int)k};
        if (l->phi[q + i] < DIAGONAL && l->open_volume[q + i] > 0 && is_resolved(l, q + i, at))
            total += l->open_volume[q + i] * find_inside(l, q + i, at);
    }
    return total;
}

// Volume of the particles in the resolved cells of a row, m^3.
static double add_particles_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const fm_liquid *l = ((cells *)context)->l;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    double total = 0;
    for (int i = 0; i < length; i++) {
        int at[3] = {i, (int)j, (int)k}, cell = i + g->n[0] * (at[1] + g->n[1] * at[2]);
        if (l->start[cell] == l->start[cell + 1] || !is_resolved(l, q + i, at))
            continue;
        for (int n = l->start[cell]; n < l->start[cell + 1]; n++)
            total += l->now.volume[n];
    }
    return total;
}

// Area of the surface in the resolved cells of a row, in faces of a cell: the volume of the layer
// of one spacing around it.
static double add_area_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const fm_liquid *l = ((cells *)context)->l;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    double total = 0;
    for (int i = 0; i < length; i++)
        if (fabs(l->phi[q + i]) < 0.5 && is_resolved(l, q + i, (int[3]){i, (int)j, (int)k}))
            total += l->open_volume[q + i];
    return total;
}

// Volume of the particles [first, last), m^3.
static double add_volumes(void *context, int first, int last)
{
    const double *volume = ((fm_liquid *)context)->now.volume;
    double total = 0;
    for (int i = first; i < last; i++)
        total += volume[i];
    return total;
}

// Measures the liquid by the level set and by the particles, m^3, and its surface, m^2.
fm_liquid_volumes fm_liquid_find_volumes(fm_liquid *l, fm_pool *pool)
{
    fm_grid *g = l->grid;
    cells job = {.l = l};
    fm_liquid_volumes v = {.surface = l->spacing_volume *
                                      fm_grid_sum_rows(g, pool, 4, add_volume_row, &job),
                           .particles = fm_grid_sum_rows(g, pool, 4, add_particles_row, &job),
                           .area = g->h * g->h * fm_grid_sum_rows(g, pool, 2, add_area_row, &job)};
    v.loose = fm_parallel_sum(fm_pool_if_worthwhile(pool, 1.0 * l->now.count), l->now.count,
                              FM_LIQUID_BLOCK, add_volumes, l, l->partial) -
              v.particles;
    v.particles += l->band.volume;
    return v;
}
