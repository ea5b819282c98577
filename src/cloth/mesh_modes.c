// SPDX-License-Identifier: MIT
// mesh_modes.c: the smooth modes of a tube or mesh, eigenvectors of its Laplacian.
//
//     L phi = k^2 A phi,   (L u)_i = sum_j w_ij (u_i - u_j),   w_ij = sum of cot(angle) / 2
//
//   A   m^2, areas of the particles    k  1/m, wavenumber
//   angle  opposite to the edge i-j, in its triangles at rest
//
// These are linear finite elements with lumped areas and free edges. phi is 0 at particles that
// pins hold.
//
// On a grid of the spacing l, L has the eigenvalues (2/l sin(k l/2))^2 for waves along the grid. So
// k is 2/l asin(l sqrt(eigenvalue)/2), with the mean spacing l.
//
// The lowest eigenvectors are found by subspace iteration with a Chebyshev filter [ZSTC06]: a
// polynomial of the operator B = A^-1/2 L A^-1/2 that is small on [cut, top] and grows towards 0,
// applied to a block of vectors that starts from random numbers; then the block is made
// orthonormal. After ITERATIONS rounds the Rayleigh-Ritz method separates the vectors. They need
// not be exact: any orthonormal functions with nearly the right wavenumbers give a positive added
// mass that is nearly right.
#include "cloth/added_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODES_MAX = 128,
    PARTICLES_PER_MODE = 7, // waves down to about five cells
    ITERATIONS = 4,
    EXTRA = 8,  // vectors of the block beyond the modes, which converge slowest
    SWEEPS = 12 // of Jacobi's method
};

// B in compressed rows, and the block of vectors, row by row.
typedef struct solver {
    int count, block;
    int *start, *to;
    double *weight; // 1/m^2
    double *diagonal;
    double *root; // sqrt(A), m
    double top;   // 1/m^2, bound on the eigenvalues
    double *v, *next, *last;
    double *small, *vectors; // [block][block]
} solver;

// m, the length of the edge between two particles at rest.
static double find_length(const fm_cloth *c, int a, int b)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int k = mesh->edges.start[a]; k < mesh->edges.start[a + 1]; k++) {
        int e = mesh->edges.entry[k] / 2;
        if (mesh->edge_a[e] + mesh->edge_b[e] == a + b &&
            (mesh->edge_a[e] == a || mesh->edge_a[e] == b))
            return mesh->edge_rest[e];
    }
    fm_vec3 d = fm_sub(c->initial_x[a], c->initial_x[b]);
    return sqrt(fm_dot(d, d));
}

// The cotangent of the angle opposite to the edge a-b in the triangle with the corner `top`.
static double find_cotangent(const fm_cloth *c, int a, int b, int top)
{
    double p = find_length(c, a, top), q = find_length(c, b, top), r = find_length(c, a, b);
    double s = (p + q + r) / 2, square = s * (s - p) * (s - q) * (s - r);
    double area = sqrt(fmax(square, 1e-6 * r * r * r * r));
    return (p * p + q * q - r * r) / (4 * area);
}

// Computes the matrix B, 1/m^2, from the edges of the mesh, and the bound s->top on its
// eigenvalues. False: out of memory.
static bool fill_matrix(const fm_cloth *c, solver *s, const fm_mesh_edge *edges, int edge_count)
{
    for (int e = 0; e < edge_count; e++)
        s->start[edges[e].a + 1]++, s->start[edges[e].b + 1]++;
    for (int i = 0; i < s->count; i++) {
        s->start[i + 1] += s->start[i];
        s->root[i] = sqrt(c->area[i]);
    }
    int *filled = calloc((size_t)s->count, sizeof *filled);
    if (!filled)
        return false;
    for (int e = 0; e < edge_count; e++) {
        const fm_mesh_edge *edge = &edges[e];
        double w = 0;
        for (int k = 0; k < 2; k++)
            w += edge->triangle[k] < 0 ? 0 : find_cotangent(c, edge->a, edge->b, edge->opposite[k]);
        w /= 2;
        int ab[2] = {edge->a, edge->b};
        for (int k = 0; k < 2; k++) {
            int i = ab[k], j = ab[1 - k], at = s->start[i] + filled[i]++;
            s->to[at] = j;
            s->weight[at] = -w / (s->root[i] * s->root[j]);
            s->diagonal[i] += w / (s->root[i] * s->root[i]);
        }
    }
    free(filled);
    for (int i = 0; i < s->count; i++) {
        double sum = fabs(s->diagonal[i]);
        for (int k = s->start[i]; k < s->start[i + 1]; k++)
            sum += fabs(s->weight[k]);
        s->top = fmax(s->top, sum);
    }
    return true;
}

// out = (B - middle) in * scale - before * keep, for one row of the blocks.
FM_SIMD_CLONES
static void filter_row(int n, double middle, double scale, double keep, int links, const int *to,
                       const double *weight, const double *restrict in, int row,
                       const double *restrict before, double *restrict out)
{
    const double *own = in + (size_t)row * (size_t)n;
#pragma omp simd
    for (int j = 0; j < n; j++)
        out[j] = middle * own[j];
    for (int k = 0; k < links; k++) {
        const double *other = in + (size_t)to[k] * (size_t)n;
        double w = weight[k];
#pragma omp simd
        for (int j = 0; j < n; j++)
            out[j] += w * other[j];
    }
#pragma omp simd
    for (int j = 0; j < n; j++)
        out[j] = scale * out[j] - keep * before[j];
}

// s->next = scale (B - middle) s->v - keep s->last.
static void apply_matrix(const solver *s, double middle, double scale, double keep)
{
    for (int i = 0; i < s->count; i++) {
        size_t at = (size_t)i * (size_t)s->block;
        filter_row(s->block, s->diagonal[i] - middle, scale, keep, s->start[i + 1] - s->start[i],
                   s->to + s->start[i], s->weight + s->start[i], s->v, i, s->last + at,
                   s->next + at);
    }
}

// Makes the result `next` of apply_matrix the current block v, and v the previous one.
static void rotate_buffers(solver *s)
{
    double *last = s->last;
    s->last = s->v, s->v = s->next, s->next = last;
}

// Chebyshev polynomial that is at most 1 in size on [cut, top].
static void filter_block(solver *s, double cut)
{
    double half = (s->top - cut) / 2, middle = (s->top + cut) / 2;
    int degree = (int)ceil(3 * sqrt(s->top / cut));
    apply_matrix(s, middle, 1 / half, 0);
    rotate_buffers(s);
    for (int k = 1; k < degree; k++) {
        apply_matrix(s, middle, 2 / half, 1);
        rotate_buffers(s);
    }
}

// small = a^T b, [block][block].
FM_SIMD_CLONES
static void multiply_blocks(int count, int n, const double *restrict a, const double *restrict b,
                            double *restrict small)
{
    memset(small, 0, (size_t)n * (size_t)n * sizeof *small);
    for (int i = 0; i < count; i++) {
        const double *p = a + (size_t)i * (size_t)n, *q = b + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            double w = p[j], *out = small + (size_t)j * (size_t)n;
#pragma omp simd
            for (int l = 0; l < n; l++)
                out[l] += w * q[l];
        }
    }
}

// v <- v matrix, row by row, with a matrix [block][block].
FM_SIMD_CLONES
static void transform_block(int count, int n, double *restrict v, const double *restrict matrix,
                            double *restrict row)
{
    for (int i = 0; i < count; i++) {
        double *at = v + (size_t)i * (size_t)n;
        memset(row, 0, (size_t)n * sizeof *row);
        for (int j = 0; j < n; j++) {
            const double *from = matrix + (size_t)j * (size_t)n;
            double w = at[j];
#pragma omp simd
            for (int l = 0; l < n; l++)
                row[l] += w * from[l];
        }
        memcpy(at, row, (size_t)n * sizeof *row);
    }
}

// Makes the vectors orthonormal: v <- v U^-1 with v^T v = U^T U (Cholesky).
static void orthonormalise(const solver *s)
{
    int n = s->block;
    double *g = s->small, *inverse = s->vectors;
    multiply_blocks(s->count, n, s->v, s->v, g);
    for (int i = 0; i < n; i++) { // U in the upper triangle of g
        for (int k = 0; k < i; k++) {
            for (int j = i; j < n; j++)
                g[i * n + j] -= g[k * n + i] * g[k * n + j];
        }
        double scale = 1 / sqrt(fmax(g[i * n + i], 1e-300));
        for (int j = i; j < n; j++)
            g[i * n + j] *= scale;
    }
    memset(inverse, 0, (size_t)n * (size_t)n * sizeof *inverse);
    for (int i = n - 1; i >= 0; i--) { // U^-1, upper triangle
        inverse[i * n + i] = 1 / g[i * n + i];
        for (int k = i + 1; k < n; k++) {
            double w = g[i * n + k] * inverse[i * n + i];
            for (int j = k; j < n; j++)
                inverse[i * n + j] -= w * inverse[k * n + j];
        }
    }
    transform_block(s->count, n, s->v, inverse, s->last);
}

// One rotation of Jacobi's method, which makes a[p][q] zero.
static void rotate(int n, double *a, double *vectors, int p, int q)
{
    double off = a[p * n + q];
    if (fabs(off) < 1e-14 * sqrt(fabs(a[p * n + p] * a[q * n + q])) || off == 0)
        return;
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * off);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
    }
    double *rp = a + (size_t)p * (size_t)n, *rq = a + (size_t)q * (size_t)n;
    double *vp = vectors + (size_t)p * (size_t)n, *vq = vectors + (size_t)q * (size_t)n;
    for (int k = 0; k < n; k++) {
        double x = rp[k], y = rq[k], z = vp[k], w = vq[k];
        rp[k] = c * x - s * y, rq[k] = s * x + c * y;
        vp[k] = c * z - s * w, vq[k] = s * z + c * w;
    }
}

// Rayleigh-Ritz: turns the orthonormal block into approximate eigenvectors, by rising eigenvalue.
static void separate(solver *s, double *eigenvalue)
{
    int n = s->block;
    apply_matrix(s, 0, 1, 0);
    multiply_blocks(s->count, n, s->v, s->next, s->small);
    double *a = s->small, *rows = s->vectors; // eigenvectors in the rows
    memset(rows, 0, (size_t)n * (size_t)n * sizeof *rows);
    for (int i = 0; i < n; i++)
        rows[i * n + i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++)
                rotate(n, a, rows, p, q);
        }
    }
    for (int i = 0; i < n; i++)
        eigenvalue[i] = a[i * n + i];
    for (int i = 0; i < n; i++) { // selection sort, and the transposed matrix into `a`
        int least = i;
        for (int j = i + 1; j < n; j++)
            least = eigenvalue[j] < eigenvalue[least] ? j : least;
        double value = eigenvalue[least];
        eigenvalue[least] = eigenvalue[i], eigenvalue[i] = value;
        for (int j = 0; j < n; j++) {
            double x = rows[least * n + j];
            rows[least * n + j] = rows[i * n + j], rows[i * n + j] = x;
            a[j * n + i] = x;
        }
    }
    transform_block(s->count, n, s->v, a, s->last);
}

// Allocates the solver for a block of vectors, and lists the edges of the mesh. False: out of
// memory.
static bool create_solver(const fm_cloth *c, solver *s, int block, fm_mesh_edge **edges,
                          int *edge_count)
{
    size_t n = (size_t)c->count;
    s->count = c->count, s->block = block;
    *edges = fm_mesh_find_edges(c->mesh.triangle, c->mesh.triangle_count, edge_count);
    s->start = calloc(n + 1, sizeof(int));
    s->to = calloc(2 * (size_t)*edge_count, sizeof(int));
    s->weight = calloc(2 * (size_t)*edge_count, sizeof(double));
    s->diagonal = calloc(n, sizeof(double));
    s->root = calloc(n, sizeof(double));
    // block is 0 if all particles are held; calloc of 0 bytes may return NULL
    s->v = calloc(n * (size_t)block + 1, sizeof(double));
    s->next = calloc(n * (size_t)block + 1, sizeof(double));
    s->last = calloc(n * (size_t)block + 1, sizeof(double));
    s->small = calloc((size_t)block * (size_t)block + 1, sizeof(double));
    s->vectors = calloc((size_t)block * (size_t)block + 1, sizeof(double));
    return *edges && s->start && s->to && s->weight && s->diagonal && s->root && s->v && s->next &&
           s->last && s->small && s->vectors;
}

// Frees the arrays of the solver.
static void destroy_solver(solver *s)
{
    free(s->start), free(s->to), free(s->weight), free(s->diagonal), free(s->root);
    free(s->v), free(s->next), free(s->last), free(s->small), free(s->vectors);
}

// The block's first vectors as modes, in single precision. Modes beyond the block are 0.
static void store_modes(const fm_cloth *c, const solver *s, const double *eigenvalue, double area,
                        fm_surface_modes *m)
{
    double spacing = sqrt(area / c->count);
    int found = m->count < s->block ? m->count : s->block;
    for (int j = 0; j < m->count; j++) {
        double root = j < found ? sqrt(fmax(eigenvalue[j], 0)) : 0;
        m->wave[j] = j < found ? 2 / spacing * asin(fmin(1, root * spacing / 2)) : INFINITY;
        for (int i = 0; i < c->count; i++) {
            size_t block = (size_t)(i / FM_MODE_BLOCK) * (size_t)m->count + (size_t)j;
            m->shape[block * FM_MODE_BLOCK + (size_t)(i % FM_MODE_BLOCK)] =
                j < found ? (float)(s->v[(size_t)i * (size_t)s->block + (size_t)j] / s->root[i])
                          : 0;
        }
    }
    // hardly any particles: waves of three cells
    m->local_wave = found < 3 ? 2 * FM_PI / (3 * spacing) : m->wave[found - 1];
}

// Allocates the arrays of a number of modes. False: out of memory.
static bool create_arrays(fm_cloth *c, fm_surface_modes *m, int modes, fm_error *err)
{
    const char *name = c->object.name;
    size_t blocks = (size_t)fm_parallel_block_count(c->count, FM_MODE_BLOCK);
    m->count = modes;
    m->wave = fm_arena_alloc(&c->arena, (size_t)modes, sizeof(double), name, err);
    m->shape =
        fm_arena_alloc(&c->arena, blocks * (size_t)modes * FM_MODE_BLOCK, sizeof(float), name, err);
    m->partial = fm_arena_alloc(&c->arena, blocks * (size_t)modes, sizeof(double), name, err);
    return err->status == FM_OK;
}

// Chooses the number of modes and allocates them. shortest: m, no shorter waves are wanted; 0: all
// that the particles resolve. False: out of memory.
bool fm_mesh_modes_create(fm_cloth *c, fm_surface_modes *m, double shortest, fm_error *err)
{
    int modes = (c->count + PARTICLES_PER_MODE - 1) / PARTICLES_PER_MODE;
    modes = modes < MODES_MAX ? modes : MODES_MAX;
    if (shortest > 0) { // Weyl's law, twice as many because of the border
        double area = 0;
        for (int i = 0; i < c->count; i++)
            area += c->area[i];
        double wanted = ceil(2 * FM_PI * area / (shortest * shortest));
        modes = wanted < modes ? (int)wanted : modes;
    }
    return create_arrays(c, m, modes, err);
}

// A held particle gets a row of its own with the largest eigenvalue: the filter makes it 0.
static void remove_held(solver *s, const unsigned char *held)
{
    for (int i = 0; i < s->count; i++) {
        for (int k = s->start[i]; k < s->start[i + 1]; k++)
            s->weight[k] = held[i] || held[s->to[k]] ? 0 : s->weight[k];
        if (held[i])
            s->diagonal[i] = s->top;
    }
}

// Computes the modes, 0 at particles with held[i] != 0, as in the file header. False if memory runs
// out; then the modes are unchanged.
bool fm_mesh_modes_compute(const fm_cloth *c, fm_surface_modes *m, const unsigned char *held)
{
    solver s = {0};
    fm_mesh_edge *edges = NULL;
    int edge_count = 0;
    double eigenvalue[MODES_MAX + EXTRA], area = 0;
    int free_count = 0;
    for (int i = 0; i < c->count; i++)
        free_count += !held[i];
    int block = m->count + EXTRA < free_count ? m->count + EXTRA : free_count;
    bool good =
        create_solver(c, &s, block, &edges, &edge_count) && fill_matrix(c, &s, edges, edge_count);
    if (good) {
        remove_held(&s, held);
        for (int i = 0; i < c->count; i++)
            area += c->area[i];
        fm_rng random = {1};
        for (size_t i = 0; i < (size_t)s.count * (size_t)s.block; i++)
            s.v[i] = held[i / (size_t)s.block] ? 0 : fm_rng_uniform(&random) - 0.5;
        // Weyl's law: as many eigenvalues below `cut` as the block has vectors
        double cut = fmin(4 * FM_PI * s.block / area, s.top / 2);
        for (int n = 0; n < ITERATIONS; n++) {
            filter_block(&s, cut);
            orthonormalise(&s);
        }
        separate(&s, eigenvalue);
        store_modes(c, &s, eigenvalue, area, m);
    }
    free(edges);
    destroy_solver(&s);
    return good;
}
