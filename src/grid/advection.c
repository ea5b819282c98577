// SPDX-License-Identifier: MIT
// advection.c: the momentum that the flow carries along.
//
// Adds -div(u f) to the rate of every component f of the velocity u, in conservative form:
//
//     rate_q += sum over axes a of (F_q - F_(q+a)) / h,      F_m = U_m f_m
//     U_m = (u_a[m] + u_a[m - d]) / 2          velocity through the low face of the control volume
//                                              of component d at index m
//
// f_m is interpolated at that face from the values f_(-3) f_(-2) f_(-1) | f_0 f_1 f_2 along a. With
// U > 0, and mirrored for U < 0:
//
//     fifth order    (2 f_(-3) - 13 f_(-2) + 47 f_(-1) + 27 f_0 - 3 f_1) / 60       [SHU98]
//     first order    f_(-1)
//     published      (f_(-1) + f_0) / 2, for either sign                             [FM96] eq. (3)
//
// The fifth order is that of the derivative of smooth f at constant U; with U interpolated linearly
// the scheme is of second order with a small error. It is not limited: f may overshoot at jumps.
//
//   h  spacing, m     F  flux, m^2/s^2     U, u  velocity, m/s
//
// [FM96]  Foster, Metaxas: Realistic animation of liquids. Graphical Models and Image Processing
//         58(5), 1996.
// [SHU98] Shu: Essentially non-oscillatory and weighted essentially non-oscillatory schemes for
//         hyperbolic conservation laws. Lecture Notes in Mathematics 1697, 1998.
#include "core/simd.h"
#include "grid/grid.h"

enum { CHUNK = 64 }; // cells of a row whose fluxes along x are computed once, for both neighbours

// Flux of f through the low face at m along an axis of stride s. ua: component along that axis; sd:
// stride of the axis of component f. The fifth-order value is the mean of both directions less half
// of their difference: without a branch.
FM_INLINE double find_flux(const double *restrict f, const double *restrict ua, ptrdiff_t m,
                           ptrdiff_t s, ptrdiff_t sd, fm_grid_advection scheme)
{
    double U = 0.5 * (ua[m] + ua[m - sd]);
    if (scheme == FM_GRID_PUBLISHED)
        return 0.5 * U * (f[m - s] + f[m]);
    if (scheme == FM_GRID_FIRST_ORDER)
        return U > 0 ? U * f[m - s] : U * f[m];
    double mean =
        37 * (f[m] + f[m - s]) - 8 * (f[m + s] + f[m - 2 * s]) + (f[m + 2 * s] + f[m - 3 * s]);
    double half =
        10 * (f[m] - f[m - s]) - 5 * (f[m + s] - f[m - 2 * s]) + (f[m + 2 * s] - f[m - 3 * s]);
    return (U * mean - fabs(U) * half) * (1.0 / 60);
}

// Adds the rate of component d to a row. flat: the z axis is inactive.
FM_INLINE void advect_row(const fm_grid *g, double *const u[3], double *restrict rate, int d,
                          ptrdiff_t q, int length, fm_grid_advection scheme, bool flat)
{
    const double *restrict f = u[d], *restrict ux = u[0], *restrict uy = u[1], *restrict uz = u[2];
    double scale = 1 / g->h, along[CHUNK + 1];
    ptrdiff_t sd = g->stride[d], sy = g->stride[1], sz = g->stride[2];
    for (int first = 0; first < length; first += CHUNK, q += CHUNK) {
        int count = length - first < CHUNK ? length - first : CHUNK;
#pragma omp simd
        for (int i = 0; i <= count; i++)
            along[i] = find_flux(f, ux, q + i, 1, sd, scheme);
#pragma omp simd
        for (int i = 0; i < count; i++) {
            double total = along[i] - along[i + 1] + find_flux(f, uy, q + i, sy, sd, scheme) -
                           find_flux(f, uy, q + i + sy, sy, sd, scheme);
            if (!flat)
                total += find_flux(f, uz, q + i, sz, sd, scheme) -
                         find_flux(f, uz, q + i + sz, sz, sd, scheme);
            rate[q + i] += scale * total;
        }
    }
}

// The fifth-order scheme in 3D.
FM_SIMD_CLONES static void advect_fifth_order(const fm_grid *g, double *const u[3], double *rate,
                                              int d, ptrdiff_t q, int length)
{
    advect_row(g, u, rate, d, q, length, FM_GRID_FIFTH_ORDER, false);
}

// The fifth-order scheme on a grid of one cell along z.
FM_SIMD_CLONES static void advect_fifth_order_flat(const fm_grid *g, double *const u[3],
                                                   double *rate, int d, ptrdiff_t q, int length)
{
    advect_row(g, u, rate, d, q, length, FM_GRID_FIFTH_ORDER, true);
}

// Adds the advection of component d to the rate of a row of faces, m/s^2, by the scheme of the
// definition.
void fm_grid_advect_row(const fm_grid *g, double *const u[3], double *rate, int d, ptrdiff_t q,
                        int length)
{
    bool flat = !g->active[2];
    if (g->def.advection == FM_GRID_PUBLISHED)
        advect_row(g, u, rate, d, q, length, FM_GRID_PUBLISHED, flat);
    else if (g->def.advection == FM_GRID_FIRST_ORDER)
        advect_row(g, u, rate, d, q, length, FM_GRID_FIRST_ORDER, flat);
    else if (flat)
        advect_fifth_order_flat(g, u, rate, d, q, length);
    else
        advect_fifth_order(g, u, rate, d, q, length);
}
