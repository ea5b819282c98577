// SPDX-License-Identifier: MIT
// local_gradients.h: gradients at a fluid particle, by least squares over its fluid neighbours:
//
//     G = A M^-1,   A = sum_j V_j F_ij (v_i - v_j) r_ij^T,   M = sum_j V_j F_ij r_ij r_ij^T
//     strain rate = (G + G^T) / 2,   spin = axial vector of (G - G^T) / 2, half the vorticity
//     grad s = M^-1 sum_j V_j F_ij (s_i - s_j) r_ij
//
// They are exact for fields that are linear in the position, also at walls and free surfaces, where
// neighbours are missing. Artificial viscosity needs the strain rate (forces.c), density diffusion
// the gradient of s (density.c).
//
//   v  velocity, m/s    r_ij  x_i - x_j, m    F_ij r_ij  kernel gradient    V  volume at rest, m^d
//   G  velocity gradient, 1/s      s  rho / rho0 - 1
#ifndef FATHOM_PARTICLES_LOCAL_GRADIENTS_H
#define FATHOM_PARTICLES_LOCAL_GRADIENTS_H

#include "particles/particles.h"

// If the determinant of M, which is about 1 inside a fluid, is less than this, a particle has too
// few neighbours, and the gradients are set to 0.
static const float FM_GRADIENT_DETERMINANT_MIN = 0.02f;

// Entries of a symmetric matrix, in the order of fm_strain_record.
enum { FM_XX, FM_YY, FM_ZZ, FM_XY, FM_YZ, FM_ZX, FM_SYMMETRIC_COUNT };

// Least-squares sums over the neighbours of a particle.
typedef struct fm_gradient_sums {
    float a[9], m[FM_SYMMETRIC_COUNT]; // A row by row; M
    float b[3];                        // of V_j F_ij (s_i - s_j) r_ij
} fm_gradient_sums;

// The gradients at a particle.
typedef struct fm_gradients {
    fm_strain_record strain;
    float spin[3]; // 1/s
    float s[3];    // 1/m, of rho / rho0
    bool known;    // false: too few neighbours; all are 0
} fm_gradients;

// Solves for the gradients.
FM_INLINE fm_gradients fm_gradients_solve(const fm_gradient_sums *sums)
{
    const float *a = sums->a, *m = sums->m, *b = sums->b;
    float xx = m[FM_YY] * m[FM_ZZ] - m[FM_YZ] * m[FM_YZ];
    float xy = m[FM_YZ] * m[FM_ZX] - m[FM_XY] * m[FM_ZZ];
    float zx = m[FM_XY] * m[FM_YZ] - m[FM_YY] * m[FM_ZX];
    float determinant = m[FM_XX] * xx + m[FM_XY] * xy + m[FM_ZX] * zx;
    if (!(determinant > FM_GRADIENT_DETERMINANT_MIN))
        return (fm_gradients){0};
    float yy = m[FM_XX] * m[FM_ZZ] - m[FM_ZX] * m[FM_ZX];
    float zz = m[FM_XX] * m[FM_YY] - m[FM_XY] * m[FM_XY];
    float yz = m[FM_XY] * m[FM_ZX] - m[FM_XX] * m[FM_YZ], scale = 1 / determinant;
    const float inverse[3][3] = {{xx, xy, zx}, {xy, yy, yz}, {zx, yz, zz}};
    float G[3][3];
    fm_gradients found = {.known = true};
    for (int column = 0; column < 3; column++) {
        const float *M = inverse[column];
        for (int row = 0; row < 3; row++)
            G[row][column] =
                scale * (a[3 * row] * M[0] + a[3 * row + 1] * M[1] + a[3 * row + 2] * M[2]);
        found.s[column] = scale * (b[0] * M[0] + b[1] * M[1] + b[2] * M[2]);
    }
    found.strain = (fm_strain_record){.xx = G[0][0],
                                      .yy = G[1][1],
                                      .zz = G[2][2],
                                      .xy = (G[0][1] + G[1][0]) / 2,
                                      .yz = (G[1][2] + G[2][1]) / 2,
                                      .zx = (G[2][0] + G[0][2]) / 2};
    found.spin[0] = (G[2][1] - G[1][2]) / 2;
    found.spin[1] = (G[0][2] - G[2][0]) / 2;
    found.spin[2] = (G[1][0] - G[0][1]) / 2;
    return found;
}

// Squares of the parts of M that differ from a multiple of the unit matrix. flat: in 2D.
FM_INLINE float fm_gradients_find_unevenness(const float *m, bool flat)
{
    const float mean = (m[FM_XX] + m[FM_YY] + (flat ? 0 : m[FM_ZZ])) / (flat ? 2 : 3);
    const float xx = m[FM_XX] - mean, yy = m[FM_YY] - mean, zz = flat ? 0 : m[FM_ZZ] - mean;
    return xx * xx + yy * yy + zz * zz +
           2 * (m[FM_XY] * m[FM_XY] + m[FM_YZ] * m[FM_YZ] + m[FM_ZX] * m[FM_ZX]);
}

// Gradients at fluid particle i. list: its neighbours among the fluid particles, padded with i;
// flat: in 2D; unevenness: may be NULL.
FM_INLINE fm_gradients fm_gradients_measure(const fm_particles *p, int i, const int *list,
                                            int count, bool flat, float *unevenness)
{
    const fm_density_record *at = &p->fluid.density[i];
    const float inverse = (float)(1 / p->R);
    fm_floats A[9] = {0}, M[FM_SYMMETRIC_COUNT] = {0}, B[3] = {0};
    for (int n = 0; n < count; n += 8) {
        fm_density_octet j = fm_records_load_density(p->fluid.density, list + n, 0);
        fm_floats dx = at->x - j.x, dy = at->y - j.y, dz = at->z - j.z;
        fm_floats q = fm_floats_sqrt(dx * dx + dy * dy + dz * dz) * inverse;
        fm_floats slope = -j.V * fm_kernel_wendland_slope(q);
        fm_floats sx = slope * dx, sy = slope * dy, sz = slope * dz;
        fm_floats ux = at->vx - j.vx, uy = at->vy - j.vy, uz = at->vz - j.vz, s = at->s - j.s;
        A[0] += ux * sx, A[1] += ux * sy, A[3] += uy * sx, A[4] += uy * sy;
        M[FM_XX] += sx * dx, M[FM_YY] += sy * dy, M[FM_XY] += sx * dy;
        B[0] += s * sx, B[1] += s * sy;
        if (flat)
            continue;
        A[2] += ux * sz, A[5] += uy * sz, A[6] += uz * sx, A[7] += uz * sy, A[8] += uz * sz;
        M[FM_ZZ] += sz * dz, M[FM_YZ] += sz * dy, M[FM_ZX] += sz * dx;
        B[2] += s * sz;
    }
    fm_gradient_sums sums;
    for (int k = 0; k < 9; k++)
        sums.a[k] = p->F * fm_floats_sum(A[k]);
    for (int k = 0; k < FM_SYMMETRIC_COUNT; k++)
        sums.m[k] = p->F * fm_floats_sum(M[k]);
    for (int k = 0; k < 3; k++)
        sums.b[k] = p->F * fm_floats_sum(B[k]);
    if (flat)
        sums.m[FM_ZZ] = 1; // all other entries with z are 0
    if (unevenness)
        *unevenness = fm_gradients_find_unevenness(sums.m, flat);
    return fm_gradients_solve(&sums);
}

// As above, without the unevenness.
FM_INLINE fm_gradients fm_gradients_find(const fm_particles *p, int i, const int *list, int count,
                                         bool flat)
{
    return fm_gradients_measure(p, i, list, count, flat, NULL);
}

#endif
