// SPDX-License-Identifier: MIT
// damping.c: springs that resist the change of their length, with memory.
//
// Adds to each spring between particles i and j [OKRC10] eq. (5)
//
//     F = -c ((D^q x_i - D^q x_j) . e) e,     e = (x_i - x_j) / |x_i - x_j|
//
// with D^q x from one memory of the particles' velocities relative to the medium; order 1 is the
// ordinary dashpot, D^1 x = v. The derivative at the new time is w0 v + known. Solving for all new
// velocities at once would couple the whole sheet; instead each spring gives the impulse
//
//     J = -(h/2) c s (w0 (v_i - v_j) . e + (known_i - known_j) . e)
//     s = min(1, 0.95 / (k_e D_e)),   k_e = (h/2) c w0,   D_e = d_i/m_i + d_j/m_j
//
// all from the same velocities, d_i being the number of damped springs at i. It conserves momentum,
// and no strength of damping makes it unstable: a_e = s k_e < 1/D_e gives, by Cauchy and Schwarz,
// sum_e a_e (u_i - u_j)^2 < sum_i m_i u_i^2, so that the step is an implicit one with another,
// non-negative, damping matrix. Where s < 1 the damping asked for is more than one sweep can do in
// this substep: what acts is c s, and it depends on mesh and substep. The report says how much
// acts.
//
// [OKRC10] Özgen, Kallmann, Ramirez, Coimbra: Underwater cloth simulation with fractional
//          derivatives. TOG 29(3), 2010.
#include "cloth/cloth.h"

#include <math.h>

typedef struct pairs {
    const fm_axes *x, *v, *known;
    const double *load; // d_i/m_i; zeros for no limit
    double scale;       // h/2 for impulses, 1 for forces
    double w0;
} pairs;

FM_SIMD_CLONES
static void impulse_row(int n, const double *restrict xa, const double *restrict ya,
                        const double *restrict za, const double *restrict ua,
                        const double *restrict va, const double *restrict wa,
                        const double *restrict ka, const double *restrict la,
                        const double *restrict ma, const double *restrict load, ptrdiff_t b,
                        double k, double w0, const double *restrict weight, double *restrict sx,
                        double *restrict sy, double *restrict sz)
{
#pragma omp simd
    for (int c = 0; c < n; c++) {
        double dx = xa[c + b] - xa[c], dy = ya[c + b] - ya[c], dz = za[c + b] - za[c];
        double ll = dx * dx + dy * dy + dz * dz + 1e-200;
        double rate =
            (ua[c + b] - ua[c]) * dx + (va[c + b] - va[c]) * dy + (wa[c + b] - wa[c]) * dz;
        double past =
            (ka[c + b] - ka[c]) * dx + (la[c + b] - la[c]) * dy + (ma[c + b] - ma[c]) * dz;
        double kw = k * weight[c];
        double most = 0.95 / (kw * w0 * (load[c] + load[c + b]) + 1e-200);
        double share =
            most < 1 ? most : 1; // not fmin: a call would keep this loop from vector code
        double j = share * kw * (w0 * rate + past) / ll;
        sx[c] = j * dx;
        sy[c] = j * dy;
        sz[c] = j * dz;
    }
}

static void pair_kernel(const void *context, const fm_springs *springs, int n, int a, int b,
                        double border, const double *weight, double *sx, double *sy, double *sz)
{
    const pairs *p = context;
    impulse_row(n, p->x->x + a, p->x->y + a, p->x->z + a, p->v->x + a, p->v->y + a, p->v->z + a,
                p->known->x + a, p->known->y + a, p->known->z + a, p->load + a, b - a,
                p->scale * border * springs->damping, p->w0, weight, sx, sy, sz);
}

void fm_sheet_pair_impulses(fm_cloth *cloth, double h, double w0, int first, int last)
{
    pairs p = {&cloth->x, &cloth->v, &cloth->known, cloth->pair_load, h / 2, w0};
    fm_sheet_gather(cloth, pair_kernel, &p, &cloth->pair, first, last);
}

void fm_sheet_pair_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *derivative, int first,
                          int last)
{
    // no implicit part: everything is known, and nothing is divided
    pairs p = {x, derivative, &cloth->nothing, cloth->nothing.x, 1, 1};
    fm_sheet_gather(cloth, pair_kernel, &p, &cloth->pair, first, last);
}

double fm_sheet_damping_share(const fm_cloth *cloth, double h, double w0)
{
    double load = 0, share = 1;
    for (int i = 0; i < cloth->count; i++)
        load = fmax(load, cloth->pair_load[i]);
    for (int s = 0; s < cloth->springs_count; s++) {
        double k = h / 2 * cloth->springs[s].damping * w0;
        if (k > 0)
            share = fmin(share, 0.95 / (k * 2 * load));
    }
    return share;
}
