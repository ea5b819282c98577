// SPDX-License-Identifier: MIT
// smoothing_kernels.h: SPH smoothing kernels in 2D and 3D, evaluated for eight distances at once.
//
//     W(r) = n / R^d w(q),     q = r / R in [0, 1],     W = 0 for r > R
//
//   r  distance of two particles, m      R  kernel support radius, m      d  dimensions, 2 or 3
//
//               w(q)                            n in 2D   n in 3D
//   poly6       (1 - q^2)^3                     4/pi      315/(64 pi)    [MCG03] eq. (20)
//   spiky       (1 - q)^3                       10/pi     15/pi          [MCG03] eq. (21)
//   viscosity   Laplacian l/R^(d+2) (1 - q)     l = 40/pi    45/pi       [MCG03] eq. (22)
//   wendland    (1 - q)^4 (1 + 4 q)             7/pi      21/(2 pi)      [W95]
//
// The 3D constants are those published. The 2D constants make the same shapes integrate to 1 over
// the plane. The table gives the Laplacian of the viscosity kernel. The kernel itself follows from
// the condition that it and its slope vanish at q = 1. At q = 0 it has a logarithmic singularity in
// 2D and a 1/q singularity in 3D:
//
//   3D  15/(2 pi) (-q^3/2 + q^2 + 1/(2q) - 1)
//   2D  40/pi (q^2/4 - q^3/9 - ln(q)/6 - 5/36)
//
// The _slope functions return w'(q)/q, because the gradient of W at particle i is
// n / R^(d+2) w'(q)/q (x_i - x_j). The wendland kernel needs no division for this. The
// slope of spiky does not vanish at q = 0, so spiky needs one.
//
// [MCG03] eq. (20) to (22), [W95]: see docs/references.md.
#ifndef FATHOM_CORE_SMOOTHING_KERNELS_H
#define FATHOM_CORE_SMOOTHING_KERNELS_H

#include "core/core.h"
#include "core/simd.h"

typedef enum fm_kernel {
    FM_KERNEL_POLY6,
    FM_KERNEL_SPIKY,
    FM_KERNEL_VISCOSITY,
    FM_KERNEL_WENDLAND
} fm_kernel;

// The factor n of the table above; for the viscosity kernel, the factor l of its Laplacian.
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

// The functions below are without the norm of the kernel; q is the distance divided by the support
// radius, in [0, 1].

// w(q) of the poly6 kernel.
FM_INLINE fm_floats fm_kernel_poly6(fm_floats q)
{
    fm_floats u = 1 - q * q;
    return u * u * u;
}

// w'(q)/q of the spiky kernel.
FM_INLINE fm_floats fm_kernel_spiky_slope(fm_floats q)
{
    fm_floats u = 1 - q;
    // 1e-6 keeps this finite at q = 0, where the distance vector makes the gradient zero
    return -3 * u * u / (q + 1e-6f);
}

// Laplacian of the viscosity kernel at q.
FM_INLINE fm_floats fm_kernel_viscosity_laplacian(fm_floats q)
{
    return 1 - q;
}

// w(q) of the Wendland kernel.
FM_INLINE fm_floats fm_kernel_wendland(fm_floats q)
{
    fm_floats u = 1 - q, u2 = u * u;
    return u2 * u2 * (1 + 4 * q);
}

// w'(q)/q of the Wendland kernel.
FM_INLINE fm_floats fm_kernel_wendland_slope(fm_floats q)
{
    fm_floats u = 1 - q;
    return -20 * u * u * u;
}

// w(q) of poly6 or wendland for a single distance, where speed does not matter.
static inline double fm_kernel_shape(fm_kernel kernel, double q)
{
    fm_floats wide = {(float)q};
    return kernel == FM_KERNEL_POLY6 ? fm_kernel_poly6(wide)[0] : fm_kernel_wendland(wide)[0];
}

// w'(q)/q of spiky or wendland for a single distance.
static inline double fm_kernel_slope(fm_kernel kernel, double q)
{
    fm_floats wide = {(float)q};
    return kernel == FM_KERNEL_SPIKY ? fm_kernel_spiky_slope(wide)[0]
                                     : fm_kernel_wendland_slope(wide)[0];
}

#endif
