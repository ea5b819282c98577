// SPDX-License-Identifier: MIT
// kernels.h: smoothing kernels, eight distances at a time, in 2D and 3D.
//
//     W(r) = n / R^d w(q),     q = r / R in [0, 1],     zero beyond
//
//               w(q)                            n in 2D   n in 3D
//   poly6       (1 - q^2)^3                     4/pi      315/(64 pi)    [MCG03] eq. (20)
//   spiky       (1 - q)^3                       10/pi     15/pi          [MCG03] eq. (21)
//   viscosity   Laplacian l/R^(d+2) (1 - q)     l = 40/pi    45/pi       [MCG03] eq. (22)
//   wendland    (1 - q)^4 (1 + 4 q)             7/pi      21/(2 pi)      [W95]
//
// The 3D constants are those published; the 2D ones make the same shapes integrate to 1 over the
// plane. The viscosity kernel is the one with that Laplacian which vanishes with its slope at q =
// 1; in 2D it ends in a logarithm at 0 instead of in 1/q:
//
//   3D  15/(2 pi) (-q^3/2 + q^2 + 1/(2q) - 1)
//   2D  40/pi (q^2/4 - q^3/9 - ln(q)/6 - 5/36)
//
// Slopes are given as w'(q)/q, since the gradient is n / R^(d+2) w'(q)/q times the vector from
// there to here: no division is needed but for spiky, whose slope does not vanish at 0.
//
// [MCG03] Müller, Charypar, Gross: Particle-based fluid simulation for interactive applications.
//         SCA 2003.
// [W95]   Wendland: Piecewise polynomial, positive definite and compactly supported radial
//         functions of minimal degree. Adv. Comput. Math. 4, 1995.
#ifndef FATHOM_CORE_KERNELS_H
#define FATHOM_CORE_KERNELS_H

#include "core/core.h"
#include "core/simd.h"

typedef enum fm_kernel { FM_POLY6, FM_SPIKY, FM_VISCOSITY, FM_WENDLAND } fm_kernel;

// n, but l for the viscosity kernel.
static inline double fm_kernel_norm(fm_kernel kernel, int dimensions)
{
    static const double norms[4][2] = {
        {4 / FM_PI, 315 / (64 * FM_PI)},
        {10 / FM_PI, 15 / FM_PI},
        {40 / FM_PI, 45 / FM_PI},
        {7 / FM_PI, 21 / (2 * FM_PI)},
    };
    return norms[kernel][dimensions - 2];
}

FM_INLINE fm_floats fm_poly6(fm_floats q)
{
    fm_floats u = 1 - q * q;
    return u * u * u;
}

FM_INLINE fm_floats fm_spiky_slope(fm_floats q)
{
    fm_floats u = 1 - q;
    return -3 * u * u / (q + 1e-6f); // two particles at one place push each other nowhere
}

FM_INLINE fm_floats fm_viscosity_laplacian(fm_floats q)
{
    return 1 - q;
}

FM_INLINE fm_floats fm_wendland(fm_floats q)
{
    fm_floats u = 1 - q, u2 = u * u;
    return u2 * u2 * (1 + 4 * q);
}

FM_INLINE fm_floats fm_wendland_slope(fm_floats q)
{
    fm_floats u = 1 - q;
    return -20 * u * u * u;
}

// For one distance, where speed does not matter.
static inline double fm_kernel_shape(fm_kernel kernel, double q)
{
    fm_floats wide = {(float)q};
    return kernel == FM_POLY6 ? fm_poly6(wide)[0] : fm_wendland(wide)[0];
}

static inline double fm_kernel_slope(fm_kernel kernel, double q)
{
    fm_floats wide = {(float)q};
    return kernel == FM_SPIKY ? fm_spiky_slope(wide)[0] : fm_wendland_slope(wide)[0];
}

#endif
