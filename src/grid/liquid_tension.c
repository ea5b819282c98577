// SPDX-License-Identifier: MIT
// liquid_tension.c: curvature of the surface of a liquid, for surface tension.
//
// Surface tension makes the pressure on the surface p = sigma kappa (liquid_pressure.c). The
// distance phi is of first order beyond the cells beside the surface, so that its second
// derivatives have errors as large as kappa. Instead, a paraboloid is fitted to the points where
// phi is zero between two cells,
//
//     c = c_0 + c_1 a + c_2 b + c_3 a^2 + c_4 a b + c_5 b^2
//
// by least squares with the weights (1 - r^2 / R^2)^2, in the frame of the cell's normal n: c along
// n, a and b across it. Then
//
//     kappa = -((1 + c_2^2) 2 c_3 - 2 c_1 c_2 c_4 + (1 + c_1^2) 2 c_5) / (1 + c_1^2 + c_2^2)^(3/2)
//
// which is 2 / radius for a ball. Points of other sheets, whose surface faces away from n, are left
// out. Beyond the sides of the grid are mirror images: the surface meets sides at a right angle.
// Points inside colliders are left out.
//
//   sigma  N/m    kappa  1/m, at most 1 / spacing    r, R  spacings
#include "grid/liquid.h"

enum { REACH = 2, TERMS = 6 };        // cells around a cell; coefficients
static const double FIT_RADIUS = 2.6; // R
static const double SMALLEST = 1e-8;  // pivot, relative to the sum of the weights

// Normal equations of the fit.
typedef struct fit {
    double matrix[TERMS][TERMS], right[TERMS];
    int terms; // 6; 3 in a grid that is one cell thick
} fit;

// Adds a point of the surface with the coordinates a, b, c.
static void add_point(fit *f, double a, double b, double c, double weight)
{
    double plane[3] = {1, a, a * a}, space[TERMS] = {1, a, b, a * a, a * b, b * b};
    const double *t = f->terms == 3 ? plane : space;
    for (int i = 0; i < f->terms; i++) {
        for (int j = 0; j <= i; j++)
            f->matrix[i][j] += weight * t[i] * t[j];
        f->right[i] += weight * t[i] * c;
    }
}

// Solves the normal equations by Cholesky's method; the result is in f->right. False if the points
// do not determine the paraboloid.
static bool solve_fit(fit *f)
{
    double least = SMALLEST * f->matrix[0][0];
    for (int i = 0; i < f->terms; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = f->matrix[i][j];
            for (int k = 0; k < j; k++)
                sum -= f->matrix[i][k] * f->matrix[j][k];
            if (i == j && !(sum > least))
                return false;
            f->matrix[i][j] = i == j ? sqrt(sum) : sum / f->matrix[j][j];
        }
        for (int k = 0; k < i; k++)
            f->right[i] -= f->matrix[i][k] * f->right[k];
        f->right[i] /= f->matrix[i][i];
    }
    for (int i = f->terms - 1; i >= 0; i--) {
        for (int k = i + 1; k < f->terms; k++)
            f->right[i] -= f->matrix[k][i] * f->right[k];
        f->right[i] /= f->matrix[i][i];
    }
    return true;
}

// Unit normal of the surface at cell q, outwards, from central differences of phi.
static fm_vec3 find_normal(const fm_grid *g, const double *phi, ptrdiff_t q)
{
    double n[3] = {0};
    for (int a = 0; a < 3; a++)
        if (g->active[a])
            n[a] = phi[q + g->stride[a]] - phi[q - g->stride[a]];
    fm_vec3 normal = {n[0], n[1], n[2]};
    fm_normalize(&normal);
    return normal;
}

// Index of a cell, or of its mirror image if it is outside the grid.
static ptrdiff_t find_mirrored(const fm_grid *g, const int at[3])
{
    ptrdiff_t q = g->start;
    for (int a = 0; a < 3; a++) {
        int i = at[a] < 0 ? -1 - at[a] : at[a] >= g->n[a] ? 2 * g->n[a] - 1 - at[a] : at[a];
        i = i < 0 ? 0 : i >= g->n[a] ? g->n[a] - 1 : i; // a grid of fewer cells than REACH
        q += i * g->stride[a];
    }
    return q;
}

// Adds the point of the surface between the cell at offset[] from the cell `at` and its next
// neighbour along axis b, if there is one.
static void add_crossing(const fm_liquid *l, const int at[3], const int offset[3], int b,
                         const fm_vec3 frame[3], fit *f)
{
    const fm_grid *g = l->grid;
    int low_at[3], high_at[3];
    for (int a = 0; a < 3; a++) {
        low_at[a] = at[a] + offset[a];
        high_at[a] = low_at[a] + (a == b);
    }
    ptrdiff_t from = find_mirrored(g, low_at), to = find_mirrored(g, high_at);
    double low = l->phi[from], high = l->phi[to];
    const double n[3] = {frame[2].x, frame[2].y, frame[2].z};
    if ((low < 0) == (high < 0) || (high - low) * n[b] < 0 || l->open_volume[from] == 0 ||
        l->open_volume[to] == 0)
        return;
    double x[3] = {offset[0], offset[1], offset[2]};
    x[b] += low / (low - high);
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    double weight = 1 - square / (FIT_RADIUS * FIT_RADIUS);
    fm_vec3 place = {x[0], x[1], x[2]};
    if (weight > 0)
        add_point(f, fm_dot(place, frame[0]), fm_dot(place, frame[1]), fm_dot(place, frame[2]),
                  weight * weight);
}

// Curvature of a paraboloid with the coefficients c, 1 / spacings.
static double find_paraboloid_curvature(const double *c, int terms)
{
    if (terms == 3) {
        double slope = 1 + c[1] * c[1];
        return -2 * c[2] / (slope * sqrt(slope));
    }
    double slope = 1 + c[1] * c[1] + c[2] * c[2];
    return -((1 + c[2] * c[2]) * 2 * c[3] - 2 * c[1] * c[2] * c[4] + (1 + c[1] * c[1]) * 2 * c[5]) /
           (slope * sqrt(slope));
}

// Curvature at cell q, whose indices are `at`, in 1 / spacings; 0 if the surface is not resolved.
static double find_curvature(const fm_liquid *l, ptrdiff_t q, const int at[3])
{
    const fm_grid *g = l->grid;
    bool thick = g->active[2];
    fm_vec3 n = find_normal(g, l->phi, q), frame[3] = {[2] = n};
    fm_vec3 other = fabs(n.y) < 0.7 ? (fm_vec3){0, 1, 0} : (fm_vec3){1, 0, 0};
    frame[0] = thick ? fm_cross(n, other) : (fm_vec3){-n.y, n.x, 0};
    fm_normalize(&frame[0]);
    frame[1] = fm_cross(n, frame[0]);
    fit f = {.terms = thick ? TERMS : 3};
    int i[3], deep = thick ? REACH : 0;
    for (i[2] = -deep; i[2] <= deep; i[2]++)
        for (i[1] = -REACH; i[1] <= REACH; i[1]++)
            for (i[0] = -REACH; i[0] <= REACH; i[0]++)
                for (int b = 0; b < (thick ? 3 : 2); b++)
                    if (i[b] < REACH)
                        add_crossing(l, at, i, b, frame, &f);
    if (!solve_fit(&f))
        return 0;
    return fm_double_max(-1, fm_double_min(1, find_paraboloid_curvature(f.right, f.terms)));
}

// Writes the curvature of the cells of a row.
static void curve_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    fm_liquid *l = context;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    for (int i = 0; i < length; i++) {
        int at[3] = {i, (int)j, (int)k};
        bool curved = fm_liquid_is_at_surface(g, l->phi, q + i);
        l->curvature[q + i] = curved ? find_curvature(l, q + i, at) / g->h : 0;
    }
}

// Computes the curvature of all cells beside the surface, 1/m, if the liquid has surface tension.
void fm_liquid_compute_curvature(fm_liquid *l, fm_pool *pool)
{
    if (l->curvature)
        fm_grid_for_rows(l->grid, pool, 3, 50, curve_row, l);
}

// psi on the surface between the liquid cell q and its neighbour at q + step, m/s.
double fm_liquid_find_surface_psi(const fm_liquid *l, ptrdiff_t q, ptrdiff_t step, double dt)
{
    const fm_grid *g = l->grid;
    if (!l->curvature || l->open_volume[q + step] == 0)
        return 0;
    double inside = l->phi[q], outside = fm_double_max(l->phi[q + step], 0);
    double s = inside / (inside - outside);
    double kappa = (1 - s) * l->curvature[q] + s * l->curvature[q + step];
    return l->def.surface_tension * kappa * dt / (g->def.density * g->h);
}

// Longest substep in which the shortest capillary wave of the grid, w^2 = sigma (pi / h)^3 / rho,
// is stable, s.
double fm_liquid_find_tension_step(const fm_liquid *l)
{
    const fm_grid *g = l->grid;
    const double phase = 0.7, h = g->h; // phase: of the shortest wave in a substep, rad
    double sigma = l->def.surface_tension;
    return sigma > 0 ? phase * sqrt(g->def.density * h * h * h / (FM_PI * FM_PI * FM_PI * sigma))
                     : INFINITY;
}
