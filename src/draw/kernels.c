// SPDX-License-Identifier: MIT
// kernels.c: particles as ellipsoids that lie along the surface they make.
//
// The fluid fills the field
//
//     f(x) = sum_i V w(q_i) / det(L_i),     q_i = |L_i^-1 (x - c_i)|
//     w(q) = 315/(64 pi) (1 - q^2)^3
//
// 1 inside and 0 outside; the surface is in between. Round kernels would show as bumps, so each
// takes the shape of its neighbourhood [YT13]. With the weights w_ij = 1 - (|x_i - x_j| / R)^3,
//
//     m_i = sum_j w_ij x_j / sum_j w_ij                          mean
//     C_i = sum_j w_ij (x_j - m_i)(x_j - m_i)^T / sum_j w_ij     covariance
//     L_i = H (C_i / C0 + e I),      c_i = (1 - s) x_i + s m_i
//
// Deep inside C_i is C0 I and the kernel a ball of radius H (1 + e). At a surface C_i is small
// across it, in a sheet smaller still, so that flat water is flat and sheets stay; e keeps them
// from vanishing. What has hardly any neighbours is a ball of radius DROP. [YT13] turns C_i into
// its principal axes to bound their ratio; adding e I does the same without them.
//
//   V  volume of a particle, 1        R  radius of the neighbourhood
//   H  radius of a kernel inside      s  share of the mean in the centre
//   all in spacings
//
// Their values, with the surface at f = 1/4 (level.c), are those among some twenty tried with which
// balls of 4 to 16 spacings keep 98 to 100 % of their volume, single sheets 93 %, and the tops of
// lattices, straight and turned, are within 0.04 of where they should be; narrower kernels show
// more of the particles' disorder, wider ones take longer.
//
// [YT13] Yu, Turk: Reconstructing surfaces of particle-based fluids using anisotropic kernels. TOG
//        32(1), 2013.
#include "core/simd.h"
#include "draw/fluid.h"

#include <string.h>

enum { PARTICLES = 256 }; // of a block of work

static const double R = 3, H = 3, SMOOTHED = 0.9 /* s */, LEAST = 0.25 /* e */, DROP = 1.0;
static const double C0 = 0.15 * 3 * 3; // variance along an axis of a full neighbourhood
static const double FULL = 56.5;       // sum of its weights: 4 pi R^3 / 6

typedef struct kernel_job {
    fm_kernels *kernels;
    const double *x, *y, *z; // by cell
} kernel_job;

// Sums over the neighbours of a particle, of positions relative to it.
typedef struct sums {
    double weight, x, y, z, xx, yy, zz, xy, xz, yz;
} sums;

FM_SIMD_CLONES
static void add_run(const kernel_job *job, int i, int first, int last, sums *s)
{
    const double *px = job->x, *py = job->y, *pz = job->z, x = px[i], y = py[i], z = pz[i];
    double weight = 0, sx = 0, sy = 0, sz = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
#pragma omp simd reduction(+ : weight, sx, sy, sz, xx, yy, zz, xy, xz, yz)
    for (int j = first; j < last; j++) {
        double dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;
        double square = fm_smaller(dx * dx + dy * dy + dz * dz, R * R); // weight 0 from there on
        double w = 1 - square * sqrt(square) / (R * R * R), wx = w * dx, wy = w * dy, wz = w * dz;
        weight += w;
        sx += wx, sy += wy, sz += wz;
        xx += wx * dx, yy += wy * dy, zz += wz * dz;
        xy += wx * dy, xz += wx * dz, yz += wy * dz;
    }
    s->weight += weight;
    s->x += sx, s->y += sy, s->z += sz;
    s->xx += xx, s->yy += yy, s->zz += zz;
    s->xy += xy, s->xz += xz, s->yz += yz;
}

// The runs of particles around a cell, each once: cells that share a bucket share a run, and what
// is in it from elsewhere is too far away to count.
typedef struct vicinity {
    fm_cell cell;
    int count;
    int bucket[27];
    bool full; // fluid in all of it
} vicinity;

static int count_in(const fm_cells *cells, int bucket, fm_cell cell)
{
    int count = 0;
    for (int i = cells->start[bucket]; i < cells->start[bucket + 1]; i++)
        count += memcmp(&cells->cell[cells->order[i]], &cell, sizeof cell) == 0;
    return count;
}

static void find_vicinity(const fm_cells *cells, fm_cell at, vicinity *v)
{
    v->cell = at;
    v->count = 0;
    v->full = true;
    for (int k = 0; k < 27; k++) {
        fm_cell other = {at.x + k % 3 - 1, at.y + k / 3 % 3 - 1, at.z + k / 9 - 1};
        int bucket = fm_cells_bucket(cells, other), known = 0;
        while (known < v->count && v->bucket[known] != bucket)
            known++;
        if (known == v->count)
            v->bucket[v->count++] = bucket;
        v->full = v->full && count_in(cells, bucket, other) > 0.7 * R * R * R;
    }
}

// M = L^-1 L^-1 for the symmetric L; its determinant.
static double set_shape(fm_kernel *k, double xx, double yy, double zz, double xy, double xz,
                        double yz)
{
    double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    double d = xx * zz - xz * xz, e = xy * xz - xx * yz, f = xx * yy - xy * xy;
    double det = xx * a + xy * b + xz * c, scale = 1 / (det * det);
    k->xx = (float)((a * a + b * b + c * c) * scale);
    k->yy = (float)((b * b + d * d + e * e) * scale);
    k->zz = (float)((c * c + e * e + f * f) * scale);
    k->xy = (float)((a * b + b * d + c * e) * scale);
    k->xz = (float)((a * c + b * e + c * f) * scale);
    k->yz = (float)((b * c + d * e + e * f) * scale);
    k->reach[0] = (float)sqrt(xx * xx + xy * xy + xz * xz);
    k->reach[1] = (float)sqrt(xy * xy + yy * yy + yz * yz);
    k->reach[2] = (float)sqrt(xz * xz + yz * yz + zz * zz);
    return det;
}

static double ramp(double low, double high, double x)
{
    double t = fm_larger(0, fm_smaller(1, (x - low) / (high - low)));
    return t * t * (3 - 2 * t);
}

static void set_kernel(const kernel_job *job, int i, const sums *s, fm_kernel *k)
{
    double w = 1 / s->weight, mx = s->x * w, my = s->y * w, mz = s->z * w;
    double company = ramp(2, 9, s->weight), scale = company * H / C0;
    double ball = company * H * LEAST + (1 - company) * DROP;
    double det =
        set_shape(k, scale * (s->xx * w - mx * mx) + ball, scale * (s->yy * w - my * my) + ball,
                  scale * (s->zz * w - mz * mz) + ball, scale * (s->xy * w - mx * my),
                  scale * (s->xz * w - mx * mz), scale * (s->yz * w - my * mz));
    k->x = (float)(job->x[i] + SMOOTHED * mx);
    k->y = (float)(job->y[i] + SMOOTHED * my);
    k->z = (float)(job->z[i] + SMOOTHED * mz);
    k->peak = (float)(315 / (64 * FM_PI) / det);
    job->kernels->inner[i] = s->weight > 0.8 * FULL && mx * mx + my * my + mz * mz < 0.15 * 0.15;
}

static void compute_range(void *context, int first, int last)
{
    const kernel_job *job = context;
    const fm_cells *cells = &job->kernels->cells;
    vicinity near = {.count = 0};
    for (int i = first; i < last; i++) {
        fm_cell at = cells->cell[cells->order[i]];
        if (near.count == 0 || memcmp(&at, &near.cell, sizeof at) != 0)
            find_vicinity(cells, at, &near);
        sums s = {.weight = FULL, .xx = FULL * C0, .yy = FULL * C0, .zz = FULL * C0};
        if (!near.full) // else that is what it would be, nearly
            s = (sums){0};
        for (int k = 0; !near.full && k < near.count; k++)
            add_run(job, i, cells->start[near.bucket[k]], cells->start[near.bucket[k] + 1], &s);
        set_kernel(job, i, &s, &job->kernels->each[i]);
    }
}

static void sort(double *values, const int *order, int count, double *scratch)
{
    for (int i = 0; i < count; i++)
        scratch[i] = values[order[i]];
    memcpy(values, scratch, (size_t)count * sizeof *values);
}

bool fm_kernels_compute(fm_kernels *kernels, fm_arena *arena, fm_pool *pool, double *x, double *y,
                        double *z, int count, fm_error *err)
{
    size_t n = (size_t)count;
    *kernels = (fm_kernels){.count = count};
    kernels->each = fm_arena_alloc(arena, n, sizeof *kernels->each, "fluid", err);
    kernels->inner = fm_arena_alloc(arena, n, sizeof *kernels->inner, "fluid", err);
    double *scratch = fm_arena_alloc(arena, n, sizeof *scratch, "fluid", err);
    if (!fm_cells_alloc(&kernels->cells, arena, count, err))
        return false;
    fm_cells_build(&kernels->cells, R, count, x, y, z);
    sort(x, kernels->cells.order, count, scratch);
    sort(y, kernels->cells.order, count, scratch);
    sort(z, kernels->cells.order, count, scratch);
    kernel_job job = {kernels, x, y, z};
    fm_parallel_for(pool, count, PARTICLES, compute_range, &job);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            kernels->reach = fm_max(kernels->reach, kernels->each[i].reach[k]);
    return true;
}
