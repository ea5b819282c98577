// SPDX-License-Identifier: MIT
// fluid_levels.c: moves the surface of a liquid onto its level set and onto walls.
//
// The particles of a liquid on a grid are disordered, and the surface around them has bumps, though
// the level set of the solver is smooth. Their frames have the level at each particle: the signed
// distance to the free surface. For each vertex v, a linear function is fitted to the levels f_i of
// the particles within R spacings, with the weights w_i = (1 - r^2 / R^2)^2:
//
//     f(x) = F + g . (x - m),     g = (C + SOFT I)^-1 sum_i w_i (f_i - F)(x_i - m) / sum_i w_i
//
// F and m are the weighted means of levels and positions, C the covariance of the positions. The
// vertex moves to the place where f = 0,
//
//     v <- v - b f(v) g / |g|^2,      normal <- (1 - b) normal + b g / |g|
//
// b is 1 where the fit can be trusted and falls to 0 where it cannot: in drops and thin sheets, far
// from the level set, and where the vertex faces another way. Levels of walls, the distance to
// colliders and closed sides of the grid, act in the same way: liquid is flat where it touches
// them.
//
//   f, v, m  particle spacings    g  unit gradient of a distance    C  square spacings
#include "draw/fluid_surface.h"

enum { VERTICES = 256 }; // in one task of a thread

static const double R = 3;                         // spacings
static const double SOFT = 0.001;                  // square spacings
static const float FEWEST = 3, ENOUGH = 8;         // sum of weights
static const float STEEP = 0.25f, STEEPEST = 0.5f; // | |g| - 1 |
static const float EVEN = 0.15f, UNEVEN = 0.4f;    // spacings, deviation from the fit
static const float NEAR = 0.8f, FAR = 1.6f;        // spacings, |f(v)|
static const float ACROSS = 0, ALONG = 0.3f;       // cosine of normal and gradient
static const float INTO_WALLS = 0.25f; // spacings, so that no gap of air remains at glass

// The vertices of a surface and the particles around them.
typedef struct levelling {
    fm_surface *surface;
    const fm_fluid_kernels *kernels;
    const double *x, *y, *z; // [count], sorted by cell
    const float *levels[2];  // [count], of the particles in this order, spacings; NULL: not known
} levelling;

// Weighted moments of positions relative to the vertex, and of levels.
typedef struct moments {
    double w, x[3], xx[6], f, ff, fx[3]; // xx: xx yy zz xy xz yz
} moments;

// Adds the particles of a bucket to the moments at the point v.
static void add_bucket(const levelling *job, const float *level, int bucket, const float *v,
                       moments *s)
{
    const fm_cell_list *cells = &job->kernels->cells;
    for (int i = cells->start[bucket]; i < cells->start[bucket + 1]; i++) {
        double d[3] = {job->x[i] - (double)v[0], job->y[i] - (double)v[1],
                       job->z[i] - (double)v[2]};
        double q = 1 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (R * R);
        if (q <= 0)
            continue;
        double w = q * q, f = (double)level[i];
        s->w += w, s->f += w * f, s->ff += w * f * f;
        for (int a = 0; a < 3; a++) {
            s->x[a] += w * d[a];
            s->xx[a] += w * d[a] * d[a];
            s->fx[a] += w * f * d[a];
        }
        s->xx[3] += w * d[0] * d[1], s->xx[4] += w * d[0] * d[2], s->xx[5] += w * d[1] * d[2];
    }
}

// Solves the symmetric system M g = b; M: xx yy zz xy xz yz, positive definite.
static void solve(const double M[6], const double b[3], double g[3])
{
    double c[6] = {M[1] * M[2] - M[5] * M[5], M[0] * M[2] - M[4] * M[4], M[0] * M[1] - M[3] * M[3],
                   M[4] * M[5] - M[3] * M[2], M[3] * M[5] - M[4] * M[1], M[3] * M[4] - M[0] * M[5]};
    double det = M[0] * c[0] + M[3] * c[3] + M[4] * c[4];
    g[0] = (c[0] * b[0] + c[3] * b[1] + c[4] * b[2]) / det;
    g[1] = (c[3] * b[0] + c[1] * b[1] + c[5] * b[2]) / det;
    g[2] = (c[4] * b[0] + c[5] * b[1] + c[2] * b[2]) / det;
}

// The linear function fitted to levels around a vertex.
typedef struct fit {
    double value, g[3]; // at the vertex, spacings; gradient
    float uneven;       // spacings, deviation of the levels from it
    float weight;       // sum of the weights
} fit;

// Fits a linear function to the moments of levels around a vertex.
static fit find_fit(const moments *s)
{
    double M[6], b[3], m[3], w = s->w > 0 ? 1 / s->w : 0, F = w * s->f;
    fit found = {.weight = (float)s->w};
    for (int a = 0; a < 3; a++) {
        m[a] = w * s->x[a];
        M[a] = w * s->xx[a] - m[a] * m[a] + SOFT;
        b[a] = w * s->fx[a] - F * m[a];
    }
    M[3] = w * s->xx[3] - m[0] * m[1];
    M[4] = w * s->xx[4] - m[0] * m[2];
    M[5] = w * s->xx[5] - m[1] * m[2];
    solve(M, b, found.g);
    double explained = 0;
    found.value = F;
    for (int a = 0; a < 3; a++) {
        found.value -= found.g[a] * m[a];
        explained += found.g[a] * b[a];
    }
    found.uneven = (float)sqrt(fm_double_max(0, w * s->ff - F * F - explained));
    return found;
}

// How far the fit can be trusted for a vertex with the given normal, 0 to 1. slope: |g|.
static float find_trust(const fit *f, float slope, float value, float cosine)
{
    return fm_float_smoothstep(FEWEST, ENOUGH, f->weight) *
           (1 - fm_float_smoothstep(STEEP, STEEPEST, fabsf(slope - 1))) *
           (1 - fm_float_smoothstep(EVEN, UNEVEN, f->uneven)) *
           (1 - fm_float_smoothstep(NEAR, FAR, fabsf(value))) *
           fm_float_smoothstep(ACROSS, ALONG, cosine);
}

// Fits the level k around vertex v with the given normal. Returns how far the fit can be trusted, 0
// to 1, and writes the way of the vertex, spacings, and the outward normal of the level.
static float find_way(const levelling *job, int k, const float *v, fm_float3 normal, fm_float3 *way,
                      fm_float3 *outward)
{
    moments s = {0};
    int bucket[27];
    fm_cell at = fm_cell_list_find_cell(&job->kernels->cells, v[0], v[1], v[2]);
    int count = fm_cell_list_find_buckets_around(&job->kernels->cells, at, bucket);
    for (int b = 0; b < count; b++)
        add_bucket(job, job->levels[k], bucket[b], v, &s);
    if (s.w < (double)FEWEST)
        return 0;
    fit f = find_fit(&s);
    fm_float3 g = {(float)f.g[0], (float)f.g[1], (float)f.g[2]};
    float slope = sqrtf(g.x * g.x + g.y * g.y + g.z * g.z),
          value = (float)f.value + (k == 1 ? INTO_WALLS : 0);
    if (!(slope > 0.1f))
        return 0;
    *way = fm_f3_scale(g, -value / (slope * slope));
    *outward = fm_f3_scale(g, (k == 0 ? 1 : -1) / slope);
    float cosine = outward->x * normal.x + outward->y * normal.y + outward->z * normal.z;
    return find_trust(&f, slope, value, cosine);
}

// Moves the vertices [first, last) onto the levels. Where the free surface meets a wall, a vertex
// moves onto both, so that the edge is sharp.
static void level_range(void *context, int first, int last)
{
    const levelling *job = context;
    for (int i = first; i < last; i++) {
        float *v = job->surface->points + 3 * (size_t)i;
        float *n = job->surface->fields[0].values + 3 * (size_t)i;
        fm_float3 normal = fm_f3_load(n), sum = {0, 0, 0}, way[2], outward[2];
        float trust[2] = {0}, own = 1;
        for (int k = 0; k < 2; k++)
            if (job->levels[k])
                trust[k] = find_way(job, k, v, normal, &way[k], &outward[k]);
        for (int k = 0; k < 2; k++) {
            if (trust[k] == 0)
                continue;
            fm_f3_store(v, fm_f3_add(fm_f3_load(v), fm_f3_scale(way[k], trust[k])));
            sum = fm_f3_add(sum, fm_f3_scale(outward[k], trust[k]));
            own *= 1 - trust[k];
        }
        fm_f3_store(n, fm_f3_unit(fm_f3_add(sum, fm_f3_scale(normal, own))));
    }
}

// Moves the vertices onto the free surface, where `level` is 0, then onto walls, where `wall` is
// 0. Both are in spacings, [count] in the order of the particles before sorting, or NULL. x, y, z:
// sorted positions.
bool fm_surface_move_to_levels(fm_surface *surface, const fm_fluid_kernels *kernels,
                               const double *x, const double *y, const double *z,
                               const float *const levels[2], fm_arena *arena, fm_pool *pool,
                               fm_error *err)
{
    size_t n = (size_t)kernels->count;
    levelling job = {surface, kernels, x, y, z, {NULL, NULL}};
    for (int k = 0; k < 2 && levels[k]; k++) {
        float *sorted = fm_arena_alloc(arena, n + 1, sizeof *sorted, "fluid", err);
        for (size_t i = 0; sorted && i < n; i++)
            sorted[i] = levels[k][kernels->cells.order[i]];
        job.levels[k] = sorted;
    }
    if (err->status == FM_OK && levels[0])
        fm_parallel_for(pool, surface->point_count, VERTICES, level_range, &job);
    return err->status == FM_OK;
}
