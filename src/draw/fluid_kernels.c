// SPDX-License-Identifier: MIT
// fluid_kernels.c: anisotropic kernels of the particles, ellipsoids aligned with the surface.
//
// The kernels define the scalar field
//
//     f(x) = sum_i V w(q_i) / det(L_i),     q_i = |L_i^-1 (x - c_i)|
//     w(q) = 315/(64 pi) (1 - q^2)^3
//
// which is about 1 inside the fluid and 0 outside; the surface is an isosurface in between.
// Isotropic kernels would show as bumps, so each kernel is stretched like its neighbourhood [YT13].
// With the weights w_ij = 1 - (|x_i - x_j| / R)^3,
//
//     m_i = sum_j w_ij x_j / sum_j w_ij                          mean
//     C_i = sum_j w_ij (x_j - m_i)(x_j - m_i)^T / sum_j w_ij     covariance
//     L_i = H (C_i / C0 + e I),      c_i = (1 - s) x_i + s m_i
//
// Deep inside the fluid C_i = C0 I, and the kernel is a ball of radius H (1 + e). At a surface C_i
// is small along the normal, and in a thin sheet smaller still: flat water stays flat and sheets
// are kept; e is the smallest kernel radius divided by H. A particle with hardly any neighbours
// becomes a ball of radius DROP_RADIUS. [YT13] diagonalises C_i to bound the ratio of its axes;
// adding e I has the same effect without an eigenvalue problem.
//
//   V    volume of a particle, 1                 R  radius of the neighbourhood, 3
//   H    radius of a kernel inside the fluid, 3  s  weight of the mean in the centre, 0.9
//   L_i  symmetric map from the unit ball to the kernel's support, centred at c_i
//   C0   variance along an axis of a full neighbourhood
//   lengths in particle spacings
//
// The parameters, with the isovalue f = 0.2375 (fluid_field.c), are the best of some twenty sets
// tried: balls of 4 to 16 spacings keep 97 to 100 % of their volume, single sheets 89 %, and the
// tops of axis-aligned and rotated lattices are within 0.04 of the exact height. Narrower kernels
// show more of the particles' disorder, wider ones take longer.
#include "core/simd.h"
#include "draw/fluid_surface.h"

#include <string.h>

enum { PARTICLES_PER_BLOCK = 256 }; // particles in one task of a thread

// radii of the neighbourhood and of a kernel inside the fluid, weight s of the mean in the centre,
// smallest kernel radius e relative to H; lengths in particle spacings
static const double R = 3, H = 3, CENTRE_SHIFT = 0.9, RADIUS_MIN = 0.25;
static const double DROP_RADIUS = 1.0; // spacings, kernel radius of an isolated particle
static const double C0 = 0.15 * 3 * 3; // variance along an axis of a full neighbourhood
// sum of the weights w_ij over a neighbourhood that is full of particles: 4 pi R^3 / 6
static const double FULL_WEIGHT = 56.5;
// A cell with more than this share of R^3 particles counts as full.
static const double FULL_CELL = 0.7;
// A particle has fluid on all sides if its sum of weights exceeds this share of FULL_WEIGHT and the
// mean of its neighbours is nearer than INNER_OFFSET spacings.
static const double INNER_WEIGHT = 0.8, INNER_OFFSET = 0.15;
// Sums of weights w_ij up to which a particle is a ball of DROP_RADIUS, and from which on its
// kernel is an ellipsoid shaped by the covariance. The weight of the particle itself is 1.
static const double BALL_WEIGHT = 2, ELLIPSOID_WEIGHT = 9;

// Computation of the kernels of all particles.
typedef struct kernel_job {
    fm_fluid_kernels *kernels;
    const double *x, *y, *z; // [count], sorted by cell
} kernel_job;

// Weighted moments of the neighbours' positions relative to a particle: sums of w, w r, w r r^T.
typedef struct neighbour_sums {
    double weight, x, y, z, xx, yy, zz, xy, xz, yz;
} neighbour_sums;

// Adds the sorted particles first to last - 1 to the moments of particle i.
FM_SIMD_CLONES
static void add_neighbours(const kernel_job *job, int i, int first, int last, neighbour_sums *s)
{
    const double *px = job->x, *py = job->y, *pz = job->z, x = px[i], y = py[i], z = pz[i];
    double weight = 0, sx = 0, sy = 0, sz = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
#pragma omp simd reduction(+ : weight, sx, sy, sz, xx, yy, zz, xy, xz, yz)
    for (int j = first; j < last; j++) {
        double dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;
        // the weight is 0 beyond R
        double square = fm_double_min(dx * dx + dy * dy + dz * dz, R * R);
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

// The hash buckets of the 3x3x3 cells around a cell, each listed once. A bucket may also hold
// particles of distant cells with the same hash; they are beyond R and get the weight 0.
typedef struct neighbour_cells {
    fm_cell cell;
    int count;
    int bucket[27];
    bool full; // all 27 cells are filled with particles
} neighbour_cells;

// Number of particles of a cell, which share its bucket with other cells.
static int count_particles(const fm_cell_list *cells, int bucket, fm_cell cell)
{
    int count = 0;
    for (int i = cells->start[bucket]; i < cells->start[bucket + 1]; i++)
        count += memcmp(&cells->cell[cells->order[i]], &cell, sizeof cell) == 0;
    return count;
}

// Lists the hash buckets of the 3x3x3 cells around a cell, each R spacings wide, and finds out
// whether all of them are full.
static void find_neighbour_cells(const fm_cell_list *cells, fm_cell at, neighbour_cells *v)
{
    v->cell = at;
    v->count = fm_cell_list_find_buckets_around(cells, at, v->bucket);
    v->full = true;
    for (int k = 0; k < 27 && v->full; k++) {
        fm_cell other = {at.x + k % 3 - 1, at.y + k / 3 % 3 - 1, at.z + k / 9 - 1};
        int bucket = fm_cell_list_find_bucket(cells, other);
        v->full = count_particles(cells, bucket, other) > FULL_CELL * R * R * R;
    }
}

// Sets the matrix M = L^-1 L^-1 of a kernel and the half extents of its support, for a symmetric L
// given by its elements. Returns det L.
static double set_shape(fm_fluid_kernel *k, double xx, double yy, double zz, double xy, double xz,
                        double yz)
{
    // a to f: cofactors of L, the elements of its inverse times det L
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

// 0 below `low`, 1 above `high`, and a smooth cubic in between.
static double smoothstep(double low, double high, double x)
{
    double t = fm_double_max(0, fm_double_min(1, (x - low) / (high - low)));
    return t * t * (3 - 2 * t);
}

// Sets centre and shape of the kernel of particle i from the moments s of its neighbours, and
// whether it has fluid on all sides. `crowding` blends from a ball (0) to an ellipsoid shaped by
// the covariance (1).
static void set_kernel(const kernel_job *job, int i, const neighbour_sums *s, fm_fluid_kernel *k)
{
    double w = 1 / s->weight, mx = s->x * w, my = s->y * w, mz = s->z * w;
    double crowding = smoothstep(BALL_WEIGHT, ELLIPSOID_WEIGHT, s->weight),
           scale = crowding * H / C0;
    double ball = crowding * H * RADIUS_MIN + (1 - crowding) * DROP_RADIUS;
    double det =
        set_shape(k, scale * (s->xx * w - mx * mx) + ball, scale * (s->yy * w - my * my) + ball,
                  scale * (s->zz * w - mz * mz) + ball, scale * (s->xy * w - mx * my),
                  scale * (s->xz * w - mx * mz), scale * (s->yz * w - my * mz));
    k->x = (float)(job->x[i] + CENTRE_SHIFT * mx);
    k->y = (float)(job->y[i] + CENTRE_SHIFT * my);
    k->z = (float)(job->z[i] + CENTRE_SHIFT * mz);
    k->peak = (float)(315 / (64 * FM_PI) / det);
    job->kernels->inner[i] = s->weight > INNER_WEIGHT * FULL_WEIGHT &&
                             mx * mx + my * my + mz * mz < INNER_OFFSET * INNER_OFFSET;
}

// Task of a thread: computes the kernels of particles first to last - 1. A full neighbourhood has
// nearly the moments of a uniform one, so the sums are skipped there.
static void compute_range(void *context, int first, int last)
{
    const kernel_job *job = context;
    const fm_cell_list *cells = &job->kernels->cells;
    neighbour_cells near = {.count = 0};
    for (int i = first; i < last; i++) {
        fm_cell at = cells->cell[cells->order[i]];
        if (near.count == 0 || memcmp(&at, &near.cell, sizeof at) != 0)
            find_neighbour_cells(cells, at, &near);
        neighbour_sums s = {.weight = FULL_WEIGHT,
                            .xx = FULL_WEIGHT * C0,
                            .yy = FULL_WEIGHT * C0,
                            .zz = FULL_WEIGHT * C0};
        if (!near.full)
            s = (neighbour_sums){0};
        for (int k = 0; !near.full && k < near.count; k++)
            add_neighbours(job, i, cells->start[near.bucket[k]], cells->start[near.bucket[k] + 1],
                           &s);
        set_kernel(job, i, &s, &job->kernels->list[i]);
    }
}

// values[i] <- values[order[i]]. scratch: [count].
static void reorder(double *values, const int *order, int count, double *scratch)
{
    for (int i = 0; i < count; i++)
        scratch[i] = values[order[i]];
    memcpy(values, scratch, (size_t)count * sizeof *values);
}

// Sorts the particles by cell, in place, and computes the kernel of each.
bool fm_fluid_kernels_compute(fm_fluid_kernels *kernels, fm_arena *arena, fm_pool *pool, double *x,
                              double *y, double *z, int count, fm_error *err)
{
    size_t n = (size_t)count;
    *kernels = (fm_fluid_kernels){.count = count};
    kernels->list = fm_arena_alloc(arena, n, sizeof *kernels->list, "fluid", err);
    kernels->inner = fm_arena_alloc(arena, n, sizeof *kernels->inner, "fluid", err);
    double *scratch = fm_arena_alloc(arena, n, sizeof *scratch, "fluid", err);
    if (!fm_cell_list_create(&kernels->cells, arena, count, err))
        return false;
    fm_cell_list_build(&kernels->cells, R, count, x, y, z);
    reorder(x, kernels->cells.order, count, scratch);
    reorder(y, kernels->cells.order, count, scratch);
    reorder(z, kernels->cells.order, count, scratch);
    kernel_job job = {kernels, x, y, z};
    fm_parallel_for(pool, count, PARTICLES_PER_BLOCK, compute_range, &job);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            kernels->reach = fm_float_max(kernels->reach, kernels->list[i].reach[k]);
    return true;
}
