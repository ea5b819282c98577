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

// One component of the velocity while its advection is computed.
typedef struct advected {
    double *const *u;
    double *rate;
    int d; // component
} advected;

// Flux of f through the low face at m along an axis of stride s. ua: component along that axis; sd:
// stride of the axis of component f.
FM_INLINE double find_flux(const double *restrict f, const double *restrict ua, ptrdiff_t m,
                           ptrdiff_t s, ptrdiff_t sd, fm_grid_advection scheme)
{
    double U = 0.5 * (ua[m] + ua[m - sd]);
    if (scheme == FM_GRID_PUBLISHED)
        return 0.5 * U * (f[m - s] + f[m]);
    if (scheme == FM_GRID_FIRST_ORDER)
        return U > 0 ? U * f[m - s] : U * f[m];
    double inner = 27 * f[m] + 47 * f[m - s], outer = 27 * f[m - s] + 47 * f[m];
    double forth = 2 * f[m - 3 * s] - 13 * f[m - 2 * s] + inner - 3 * f[m + s];
    double back = 2 * f[m + 2 * s] - 13 * f[m + s] + outer - 3 * f[m - 2 * s];
    return U * (U > 0 ? forth : back) * (1.0 / 60);
}

// Adds the advection of component d to the rate of a row of faces.
FM_INLINE void advect_row(const fm_grid *g, const advected *job, ptrdiff_t q, int length,
                          fm_grid_advection scheme)
{
    const double *restrict f = job->u[job->d];
    double *restrict rate = job->rate, scale = 1 / g->h;
    ptrdiff_t sd = g->stride[job->d];
    for (int a = 0; a < 3; a++) {
        ptrdiff_t s = g->stride[a];
        const double *restrict ua = job->u[a];
        if (!g->active[a])
            continue;
#pragma omp simd
        for (int i = 0; i < length; i++)
            rate[q + i] += scale * (find_flux(f, ua, q + i, s, sd, scheme) -
                                    find_flux(f, ua, q + i + s, s, sd, scheme));
    }
}

FM_SIMD_CLONES static void advect_fifth_order(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    advect_row(g, context, q, length, FM_GRID_FIFTH_ORDER);
}

FM_SIMD_CLONES static void advect_first_order(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    advect_row(g, context, q, length, FM_GRID_FIRST_ORDER);
}

FM_SIMD_CLONES static void advect_published(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    advect_row(g, context, q, length, FM_GRID_PUBLISHED);
}

// Adds the advection of all components to their rates, m/s^2, by the scheme of the definition.
void fm_grid_add_advection(fm_grid *g, double *u[3], double *rate[3], fm_pool *pool)
{
    fm_grid_row *body = g->def.advection == FM_GRID_PUBLISHED     ? advect_published
                        : g->def.advection == FM_GRID_FIRST_ORDER ? advect_first_order
                                                                  : advect_fifth_order;
    for (int d = 0; d < 3; d++)
        fm_grid_for_rows(g, pool, d, 20, body, &(advected){u, rate[d], d});
}
