// SPDX-License-Identifier: MIT
// constraint_projection.c: moves particles until edges and tethers have their target lengths.
// strain_limiting.c chooses the constraints and their order, and changes the velocities.
//
// An edge of length l and rest length r, with l > (1 + s) r, is corrected by
//
//     e = (l - r') / l / (m_a + m_b),   x_a += m_a e (x_b - x_a),   x_b -= m_b e (x_b - x_a)
//
//   x_a, x_b  m, positions of its ends     m_a, m_b  1/kg, their mobilities: 1/mass, 0 if pinned
//   s  threshold     r' = r, or (1 + s) r if the target is the threshold
//
// If compression is corrected, too, edges shorter than (1 - s) r are lengthened likewise. The
// published method moves only the second end of an edge (correct_second_ends). Edges here include
// pairs of particles 2^n cells apart (coarse to fine, strain_limiting.c). A tether limits the
// distance of a particle from a fixed particle (tethers.c).
//
// In a medium that adds mass along the normal n, the mobility is the matrix M^-1 = m (1 - n n^T) +
// m_n n n^T of the effective mass (drag.c), and x_a += M_a^-1 e (x_b - x_a). Then
// e = (l - r') / (|M_a^-1 (x_b - x_a)| + |M_b^-1 (x_b - x_a)|), so that the displacements of both
// ends add up to l - r'. The multiplier that gives exactly the length r' is not used: for an edge
// nearly along the normals, where the mobility is small, it would move the ends tangentially by
// many times l - r'.
//
// Edges are processed in groups in which no particle occurs twice: along a row of a sheet, blocks
// of 2^n particles with the following 2^n; between rows, row r with row r + 2^n; on tubes and
// meshes, the colours of pair_levels.c. Within a group the order does not matter, so the result
// does not depend on the number of threads.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

enum {
    PAIR_BLOCK = 4096, // pairs per parallel task
};

// Largest lengthening of a compressed edge per pass, in rest lengths. Tested with 0.02, 0.03, 0.05,
// 0.1 and no limit on crumpling sheets: with 0.02 or less the energy does not grow, and the stretch
// falls with this value; with 0.02 or more the area is preserved.
static const double MAX_LENGTHENING = 0.02;

// In rest lengths: an edge longer than `longest` is shortened to long_target, an edge shorter than
// `shortest` is lengthened to short_target.
typedef struct limits {
    double longest, long_target, shortest, short_target;
} limits;

// The limits that the definition sets. compression: also lengthens edges that are too short.
static limits find_limits(const fm_enforcement *def, bool compression)
{
    double s = def->threshold;
    bool to_threshold = def->target == FM_TARGET_THRESHOLD;
    return (limits){.longest = 1 + s,
                    .long_target = to_threshold ? 1 + s : 1,
                    .shortest = compression ? 1 - s : 0,
                    .short_target = to_threshold ? 1 - s : 1};
}

// Positions of the particles, and their mobilities as in M^-1 in the head of this file.
typedef struct points {
    double *x, *y, *z;
    const double *m;            // 1/kg, across the normal
    const double *d;            // 1/kg, along the normal minus across it; <= 0
    const double *nx, *ny, *nz; // normals
} points;

// The arrays of a cloth's particles. The mobility is isotropic (d = 0) unless a medium adds mass
// along the normals.
static points view_points(const fm_cloth *c)
{
    const fm_enforcer *e = c->enforcer;
    const double *difference = e->anisotropic ? e->mobility_difference : c->zeros.x;
    return (points){c->x.x,     c->x.y,      c->x.z,      e->mobility,
                    difference, c->normal.x, c->normal.y, c->normal.z};
}

// Corrects the edge between particles i and j to its target length, with the symbols of the head of
// this file. excess: length to be removed, m; negative: to be added. anisotropic: the mobility
// depends on the direction; must be a constant of the caller, so that the compiler removes the
// other branch. qi, qj: components of the edge along the normals of its ends.
FM_INLINE void correct_edge(const points *p, int i, int j, double rest, const limits *limit,
                            bool anisotropic)
{
    double *x = p->x, *y = p->y, *z = p->z;
    double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    double l = sqrt(dx * dx + dy * dy + dz * dz), mi = p->m[i], mj = p->m[j];
    double excess = l > rest * limit->longest ? l - rest * limit->long_target : 0;
    double deficit = l - rest * limit->short_target, max_deficit = -MAX_LENGTHENING * rest;
    excess = l < rest * limit->shortest ? (deficit < max_deficit ? max_deficit : deficit) : excess;
    if (!anisotropic) {
        double e = excess / ((l + FM_TINY) * (mi + mj + FM_TINY));
        double a = e * mi, b = e * mj;
        x[i] += a * dx, y[i] += a * dy, z[i] += a * dz;
        x[j] -= b * dx, y[j] -= b * dy, z[j] -= b * dz;
        return;
    }
    double nix = p->nx[i], niy = p->ny[i], niz = p->nz[i];
    double njx = p->nx[j], njy = p->ny[j], njz = p->nz[j];
    double qi = nix * dx + niy * dy + niz * dz, qj = njx * dx + njy * dy + njz * dz;
    double si = p->d[i] * qi, sj = p->d[j] * qj;
    // |M^-1 (x_j - x_i)| of both ends; rounding may make the squares negative
    double wi = mi * mi * l * l + (2 * mi * qi + si) * si;
    double wj = mj * mj * l * l + (2 * mj * qj + sj) * sj;
    wi = sqrt(wi > 0 ? wi : 0), wj = sqrt(wj > 0 ? wj : 0);
    double e = excess / (wi + wj + FM_TINY);
    x[i] += e * (mi * dx + si * nix), y[i] += e * (mi * dy + si * niy);
    z[i] += e * (mi * dz + si * niz);
    x[j] -= e * (mj * dx + sj * njx), y[j] -= e * (mj * dy + sj * njy);
    z[j] -= e * (mj * dz + sj * njz);
}

// Corrects edges over k cells along a row of a sheet, in `blocks` blocks of 2 k particles from
// particle `first` on: each of the first k particles of a block with the one k further. k must be a
// constant of the caller.
FM_INLINE void correct_blocks(const points *p, int first, int blocks, int k, double rest,
                              const limits *limit, bool anisotropic)
{
    limits local = *limit;
    points q = *p;
#pragma omp simd
    for (int b = 0; b < blocks; b++) {
        for (int i = 0; i < k; i++)
            correct_edge(&q, first + 2 * k * b + i, first + 2 * k * b + i + k, rest, &local,
                         anisotropic);
    }
}

// Corrects n edges of the same rest length, between particles a + i and b + i.
FM_INLINE void correct_run(const points *p, int n, int a, int b, double rest, const limits *limit,
                           bool anisotropic)
{
    limits local = *limit;
    points q = *p;
#pragma omp simd
    for (int i = 0; i < n; i++)
        correct_edge(&q, a + i, b + i, rest, &local, anisotropic);
}

// Corrects n edges that have no particle in common.
FM_INLINE void correct_pairs_inline(const points *p, int n, const int *a, const int *b,
                                    const double *rest, const limits *limit, bool anisotropic)
{
    limits local = *limit;
    points q = *p;
#pragma omp simd
    for (int i = 0; i < n; i++)
        correct_edge(&q, a[i], b[i], rest[i], &local, anisotropic);
}

// Corrects edges over k = 1, 2 or 4 cells along a row of a sheet, as correct_blocks does. Each
// combination of k and `anisotropic` becomes a loop of its own.
FM_SIMD_CLONES
static void correct_short_runs(const points *p, int first, int blocks, int k, double rest,
                               const limits *limit, bool anisotropic)
{
    if (anisotropic) {
        if (k == 1)
            correct_blocks(p, first, blocks, 1, rest, limit, true);
        else if (k == 2)
            correct_blocks(p, first, blocks, 2, rest, limit, true);
        else
            correct_blocks(p, first, blocks, 4, rest, limit, true);
    } else if (k == 1) {
        correct_blocks(p, first, blocks, 1, rest, limit, false);
    } else if (k == 2) {
        correct_blocks(p, first, blocks, 2, rest, limit, false);
    } else {
        correct_blocks(p, first, blocks, 4, rest, limit, false);
    }
}

// Corrects n edges of the same rest length, between particles a + i and b + i. Each value of
// `anisotropic` becomes a loop of its own.
FM_SIMD_CLONES
static void correct_runs(const points *p, int n, int a, int b, double rest, const limits *limit,
                         bool anisotropic)
{
    if (anisotropic)
        correct_run(p, n, a, b, rest, limit, true);
    else
        correct_run(p, n, a, b, rest, limit, false);
}

// Corrects n edges, between particles a[i] and b[i], that have no particle in common. Each value of
// `anisotropic` becomes a loop of its own.
FM_SIMD_CLONES
static void correct_pairs(const points *p, int n, const int *a, const int *b, const double *rest,
                          const limits *limit, bool anisotropic)
{
    if (anisotropic)
        correct_pairs_inline(p, n, a, b, rest, limit, true);
    else
        correct_pairs_inline(p, n, a, b, rest, limit, false);
}

// Corrects n edges of the same rest length, between particles a + i and b + i of a sheet.
static void correct_rows(const fm_cloth *c, int n, int a, int b, double rest, const limits *limit)
{
    points p = view_points(c);
    correct_runs(&p, n, a, b, rest, limit, c->enforcer->anisotropic);
}

// One pass over half of the edges of a sheet: those over `stride` cells that start in blocks of
// even (parity 0) or odd (parity 1) index.
typedef struct sweep {
    fm_cloth *cloth;
    limits limit;
    int stride, parity;
} sweep;

enum { SHORT_STRIDE = 8 }; // below it, one call handles all complete blocks of a row

// Corrects edges over `stride` cells along one row of a sheet. row: index of its first particle;
// rest: rest length over `stride` cells, m. The last block of 2 stride particles may be incomplete.
static void correct_row(const sweep *s, int row, int columns, double rest)
{
    const fm_cloth *c = s->cloth;
    int k = s->stride, first = s->parity * k, blocks = (columns - first) / (2 * k);
    points p = view_points(c);
    if (blocks < 0)
        return;
    if (k < SHORT_STRIDE)
        correct_short_runs(&p, row + first, blocks, k, rest, &s->limit, c->enforcer->anisotropic);
    for (int b = k < SHORT_STRIDE ? blocks : 0; b <= blocks; b++) {
        int at = first + 2 * k * b, left = columns - k - at, n = left < k ? left : k;
        if (n > 0)
            correct_rows(c, n, row + at, row + at + k, rest, &s->limit);
    }
}

// Corrects the edges along the rows [first, last) of a sheet.
static void correct_along_rows(void *context, int first, int last)
{
    const sweep *s = context;
    const fm_cloth *c = s->cloth;
    for (int r = first; r < last; r++)
        correct_row(s, r * c->columns, c->columns, s->stride * c->dx);
}

// Corrects the edges of a sheet that begin in the rows [first, last) and end k = stride rows below:
// along columns, and with enforcement of shear along both diagonals.
static void correct_between_rows(void *context, int first, int last)
{
    const sweep *s = context;
    const fm_cloth *c = s->cloth;
    int k = s->stride, n = c->columns;
    double rest = k * c->dy, diagonal = k * hypot(c->dx, c->dy);
    for (int r = first; r < last && r + k < c->rows; r++) {
        if (r / k % 2 != s->parity)
            continue;
        int a = r * n, b = (r + k) * n;
        correct_rows(c, n, a, b, rest, &s->limit);
        if (!c->def.enforcement.shear || k >= n)
            continue;
        correct_rows(c, n - k, a, b + k, diagonal, &s->limit);
        correct_rows(c, n - k, a + k, b, diagonal, &s->limit);
    }
}

// Corrects every edge of a sheet over `stride` cells once: along rows, then between rows, each in
// two sweeps. In a sweep along rows no particle belongs to two edges. In a sweep between rows no
// row belongs to two pairs of rows. So no two tasks of a sweep move the same particle.
static void correct_sheet(fm_cloth *c, fm_pool *pool, int stride, const limits *limit)
{
    sweep s = {c, *limit, stride, 0};
    for (s.parity = 0; s.parity < 2; s.parity++)
        fm_parallel_for(pool, c->rows, c->row_block, correct_along_rows, &s);
    for (s.parity = 0; s.parity < 2; s.parity++)
        fm_parallel_for(pool, c->rows, c->row_block, correct_between_rows, &s);
}

// Corrects n edges that have no particle in common, by moving their second ends b only.
FM_SIMD_CLONES
static void correct_second_ends(int n, const int *restrict a, const int *restrict b,
                                const double *restrict rest, const limits *restrict limit,
                                double *restrict x, double *restrict y, double *restrict z)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = x[b[i]] - x[a[i]], dy = y[b[i]] - y[a[i]], dz = z[b[i]] - z[a[i]];
        double l = sqrt(dx * dx + dy * dy + dz * dz), r = rest[i];
        double excess = l > r * limit->longest ? l - r * limit->long_target : 0;
        excess = l < r * limit->shortest ? l - r * limit->short_target : excess;
        double e = excess / (l + FM_TINY);
        x[b[i]] -= e * dx, y[b[i]] -= e * dy, z[b[i]] -= e * dz;
    }
}

// One pass over the distance pairs of a level of a tube or mesh.
typedef struct level_pass {
    fm_cloth *cloth;
    const fm_distance_pairs *pairs;
    limits limit;
    int start; // index of the first pair of the current group
} level_pass;

// Corrects the pairs [first, last) of the current group.
static void correct_pair_range(void *context, int first, int last)
{
    const level_pass *r = context;
    const fm_cloth *c = r->cloth;
    int at = r->start + first;
    points p = view_points(c);
    correct_pairs(&p, last - first, r->pairs->a + at, r->pairs->b + at, r->pairs->rest + at,
                  &r->limit, c->enforcer->anisotropic);
}

// Corrects every distance pair of level n of a tube or mesh once, group by group.
static void correct_level(fm_cloth *c, fm_pool *pool, int n, const limits *limit)
{
    level_pass r = {c, &c->enforcer->pair_levels[n], *limit, 0};
    for (int g = 0; g < r.pairs->group_count; g++) {
        r.start = r.pairs->group[g];
        fm_parallel_for(pool, r.pairs->group[g + 1] - r.start, PAIR_BLOCK, correct_pair_range, &r);
    }
}

// Corrects all edges over 2^n cells of a sheet, or all distance pairs of level n of a tube or mesh,
// once. compression: also lengthens edges that are too short.
void fm_enforcer_project_edges(fm_cloth *c, fm_pool *pool, int n, bool compression)
{
    limits limit = find_limits(&c->def.enforcement, compression);
    if (c->kind == FM_CLOTH_SHEET)
        correct_sheet(c, pool, 1 << n, &limit);
    else
        correct_level(c, pool, n, &limit);
}

// Corrects the edges of a list in order; only the second particle of each moves ([OZG13]).
void fm_enforcer_project_list(fm_cloth *c, const fm_distance_pairs *list)
{
    limits limit = find_limits(&c->def.enforcement, c->def.enforcement.compression);
    for (int g = 0; g < list->group_count; g++) {
        int first = list->group[g], n = list->group[g + 1] - first;
        correct_second_ends(n, list->a + first, list->b + first, list->rest + first, &limit, c->x.x,
                            c->x.y, c->x.z);
    }
}

// Moves each particle that is farther from its tether's anchor, at (ax, ay, az)[anchor], than the
// tether is long: by the excess length, along M^-1 times the line to the anchor as in correct_edge
// (isotropic mobility: d = 0).
FM_SIMD_CLONES
static void pull_to_anchors(int n, const int *restrict anchor, const double *restrict length,
                            double longest, const points *restrict p, const double *restrict ax,
                            const double *restrict ay, const double *restrict az)
{
    double *x = p->x, *y = p->y, *z = p->z;
    const double *m = p->m, *d = p->d, *nx = p->nx, *ny = p->ny, *nz = p->nz;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int j = anchor[i];
        double dx = x[i] - ax[j], dy = y[i] - ay[j], dz = z[i] - az[j];
        double l = sqrt(dx * dx + dy * dy + dz * dz), r = longest * length[i];
        double q = nx[i] * dx + ny[i] * dy + nz[i] * dz, s = d[i] * q;
        double w = m[i] * m[i] * l * l + (2 * m[i] * q + s) * s;
        w = sqrt(w > 0 ? w : 0);
        double e = l > r && m[i] > 0 ? (l - r) / (w + FM_TINY) : 0;
        x[i] -= e * (m[i] * dx + s * nx[i]), y[i] -= e * (m[i] * dy + s * ny[i]);
        z[i] -= e * (m[i] * dz + s * nz[i]);
    }
}

// Applies all tethers of the particles [first, last).
static void pull_particle_range(void *context, int first, int last)
{
    fm_cloth *c = context;
    const fm_correction_map *map = &c->enforcer->maps[c->enforcer->current];
    const fm_vec3_array *anchors = &c->enforcer->anchor_x;
    double longest = 1 + c->def.enforcement.threshold;
    points all = view_points(c);
    points p = {all.x + first, all.y + first,  all.z + first,  all.m + first,
                all.d + first, all.nx + first, all.ny + first, all.nz + first};
    for (int k = 0; k < FM_TETHERS_MAX; k++) {
        size_t at = (size_t)k * c->lanes + first;
        pull_to_anchors(last - first, map->tether_anchor + at, map->tether_length + at, longest, &p,
                        anchors->x, anchors->y, anchors->z);
    }
}

// Moves particles that are farther from their anchors than their tethers are long. Uses the
// anchors' positions before any particle moves, so that the result does not depend on the order.
void fm_enforcer_project_tethers(fm_cloth *c, fm_pool *pool)
{
    memcpy(c->enforcer->anchor_x.x, c->x.x, 3 * (size_t)c->lanes * sizeof(double));
    fm_parallel_for(pool, c->lanes, FM_PARTICLE_BLOCK, pull_particle_range, c);
}
