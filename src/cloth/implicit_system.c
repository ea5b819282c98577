// SPDX-License-Identifier: MIT
// implicit_system.c: the matrix of a Newton iteration of the implicit integrators, and its product
// with a vector.
//
//     A p = own p + sum over pairs K (p_a - p_b) + bending p
//
// A spring of stiffness k, length l and rest length l0 along the unit vector e has the block
//
//     K = k max(0, 1 - l0/l) (1 - e e^T) + (k + c) e e^T
//
// which is its second derivative without the negative part of a compressed spring, so that A is
// positive definite [CK02]; with stiffening, k in the first part is the secant and in the second
// part the tangent stiffness. c is the damping coefficient of the spring times w0/tau. Bending of
// sheets and of hinges that are flat at rest is linear in the positions and enters exactly; hinges
// with a rest angle enter as if they were flat.
//
// Bound on the largest eigenvalue of D^-1 A, with the diagonal blocks D of A: an element with the
// coefficients a_i has (sum a_i p_i)^2 <= n sum a_i^2 p_i^2 for n particles, so it is at most 2 for
// pairs and at most 4 for bending.
//
// [CK02] Choi, Ko: Stable but responsive cloth. SIGGRAPH 2002.
#include "cloth/implicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool fm_float_axes_create(fm_arena *arena, int lanes, fm_float_axes *axes, fm_error *err)
{
    float *all = fm_arena_alloc(arena, 3 * (size_t)lanes, sizeof *all, "cloth", err);
    if (all)
        *axes = (fm_float_axes){all, all + lanes, all + 2 * (size_t)lanes};
    return all != NULL;
}

bool fm_blocks_create(fm_arena *arena, int lanes, fm_blocks *blocks, fm_error *err)
{
    float *all = fm_arena_alloc(arena, 6 * (size_t)lanes, sizeof *all, "cloth", err);
    for (int k = 0; k < 6 && all; k++)
        blocks->m[k] = all + (size_t)k * (size_t)lanes;
    return all != NULL;
}

// Allocates the matrix of a cloth.
bool fm_system_create(fm_system *a, fm_cloth *c, fm_error *err)
{
    fm_arena *arena = &c->arena;
    *a = (fm_system){.cloth = c,
                     .is_grid = c->kind == FM_CLOTH_SHEET,
                     .columns = c->columns,
                     .rows = c->rows,
                     .count = c->count,
                     .lanes = c->lanes,
                     .row_block = c->row_block,
                     .family_count = c->kind == FM_CLOTH_SHEET ? c->springs_count : 1};
    int pairs = a->is_grid ? c->lanes : c->mesh.edge_count;
    for (int f = 0; f < a->family_count; f++) {
        a->down[f] = c->springs[f].down;
        a->across[f] = c->springs[f].across;
        fm_blocks_create(arena, pairs, &a->pair[f], err);
    }
    fm_blocks_create(arena, c->lanes, &a->own, err);
    fm_blocks_create(arena, c->lanes, &a->inverse, err);
    if (!a->is_grid)
        fm_float_axes_create(arena, c->mesh.hinge_count + 1, &a->hinge, err);
    fm_float_axes *axes[] = {&a->x, &a->b, &a->r, &a->step};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        fm_float_axes_create(arena, c->lanes, axes[i], err);
    a->column_weight = fm_arena_alloc(arena, (size_t)c->columns, sizeof(float), "cloth", err);
    a->moves = fm_arena_alloc(arena, (size_t)c->lanes, sizeof(float), "cloth", err);
    for (int i = 0; i < c->columns && a->column_weight; i++)
        a->column_weight[i] = i == 0 || i == c->columns - 1 ? 0.5F : 1;
    return err->status == FM_OK;
}

// The springs of one family in a row, or edges of a mesh, whose blocks are computed.
typedef struct spring_run {
    const double *x, *y, *z; // m, positions; springs join particles a and b
    int a, b;                // first particles, for a row
    const int *from, *to;    // particles of each edge; NULL: a row
    const double *scatter;   // relative change of the rest lengths at each particle
    const double *stiffness, *damping, *rest; // of each edge; NULL: the same for a row
    double k, c, l0;                          // of a row: N/m, N s^q/m, m
    double springs, dashpots;                 // factors of stiffness and damping
    double stiffening;                        // of a row: 1/strain^2
    double tension;                           // of a row: 1; 0: its springs carry no force
    const double *weight;                     // of each spring of a row
} spring_run;

// Blocks of the springs [0, n) of a row.
FM_SIMD_CLONES
static void compute_row_blocks(int n, const spring_run *restrict l, const fm_blocks *restrict out,
                               int first)
{
    const double *ax = l->x + l->a, *ay = l->y + l->a, *az = l->z + l->a, *w = l->weight;
    const double *ga = l->scatter + l->a, *gb = l->scatter + l->b;
    ptrdiff_t b = l->b - l->a;
    double k = l->k * l->springs, c = l->c * l->dashpots, rest = l->l0;
    double stiffening = l->stiffening, tension = l->tension;
    float *xx = out->m[0] + first, *xy = out->m[1] + first, *xz = out->m[2] + first;
    float *yy = out->m[3] + first, *yz = out->m[4] + first, *zz = out->m[5] + first;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = ax[i + b] - ax[i], dy = ay[i + b] - ay[i], dz = az[i + b] - az[i];
        double ll = dx * dx + dy * dy + dz * dz + FM_TINY;
        double l0 = rest * (1 + 0.5 * (ga[i] + gb[i])), length = sqrt(ll);
        double share = 1 - l0 / length, pulled = share > 0 ? share : 0;
        double strain = pulled * length / l0, more = stiffening * strain * strain;
        double alpha = tension * w[i] * k * pulled * (1 + more);
        double beta = (w[i] * (k * (1 + 3 * more) + c) - alpha) / ll;
        xx[i] = (float)(alpha + beta * dx * dx), yy[i] = (float)(alpha + beta * dy * dy);
        zz[i] = (float)(alpha + beta * dz * dz), xy[i] = (float)(beta * dx * dy);
        xz[i] = (float)(beta * dx * dz), yz[i] = (float)(beta * dy * dz);
    }
}

// Blocks of the edges [first, last) of a mesh.
static void compute_edge_blocks(const spring_run *l, const fm_blocks *out, int first, int last)
{
    for (int i = first; i < last; i++) {
        int a = l->from[i], b = l->to[i];
        double dx = l->x[b] - l->x[a], dy = l->y[b] - l->y[a], dz = l->z[b] - l->z[a];
        double ll = dx * dx + dy * dy + dz * dz + FM_TINY, k = l->stiffness[i] * l->springs;
        double share = 1 - l->rest[i] / sqrt(ll), alpha = k * (share > 0 ? share : 0);
        double beta = (k + l->damping[i] * l->dashpots - alpha) / ll;
        out->m[0][i] = (float)(alpha + beta * dx * dx);
        out->m[3][i] = (float)(alpha + beta * dy * dy);
        out->m[5][i] = (float)(alpha + beta * dz * dz);
        out->m[1][i] = (float)(beta * dx * dy);
        out->m[2][i] = (float)(beta * dx * dz);
        out->m[4][i] = (float)(beta * dy * dz);
    }
}

// Arguments of the parallel loops.
typedef struct task {
    fm_system *system;
    const fm_vec3_array *x;
    const fm_hessian_factors *factors;
    const fm_float_axes *in, *out;
} task;

// Blocks of the springs that start in rows [first, last) of a sheet.
static void assemble_rows(void *context, int first, int last)
{
    const task *t = context;
    const fm_cloth *c = t->system->cloth;
    for (int f = 0; f < c->springs_count; f++) {
        const fm_springs *s = &c->springs[f];
        int start = s->across < 0 ? -s->across : 0, n = c->columns - abs(s->across);
        for (int r = first; r < last && r + s->down < c->rows; r++) {
            double border = s->by_row && (r == 0 || r == c->rows - 1) ? 0.5 : 1;
            int a = r * c->columns + start;
            spring_run l = {.x = t->x->x,
                            .y = t->x->y,
                            .z = t->x->z,
                            .a = a,
                            .b = a + s->down * c->columns + s->across,
                            .scatter = c->rest_scatter,
                            .k = border * s->stiffness,
                            .c = border * s->damping,
                            .l0 = s->rest,
                            .springs = t->factors->springs,
                            .dashpots = t->factors->damping,
                            .stiffening = s->stiffening,
                            .tension = !s->damped_only,
                            .weight = s->by_column ? c->column_weight + start : c->ones};
            compute_row_blocks(n, &l, &t->system->pair[f], a);
        }
    }
}

static void assemble_edges(void *context, int first, int last)
{
    const task *t = context;
    const fm_spring_mesh *mesh = &t->system->cloth->mesh;
    spring_run l = {.x = t->x->x,
                    .y = t->x->y,
                    .z = t->x->z,
                    .from = mesh->edge_a,
                    .to = mesh->edge_b,
                    .stiffness = mesh->edge_stiffness,
                    .damping = mesh->edge_damping,
                    .rest = mesh->edge_rest,
                    .springs = t->factors->springs,
                    .dashpots = t->factors->damping};
    compute_edge_blocks(&l, &t->system->pair[0], first, last);
}

void fm_system_assemble(fm_system *a, const fm_vec3_array *x, const fm_hessian_factors *factors,
                        fm_pool *pool)
{
    const fm_cloth *c = a->cloth;
    task t = {.system = a, .x = x, .factors = factors};
    a->bend_across = (float)(factors->bending * c->bend_across);
    a->bend_down = (float)(factors->bending * c->bend_down);
    a->bend_twist = (float)(factors->bending * c->bend_twist);
    a->bend_factor = (float)factors->bending;
    if (a->is_grid)
        fm_parallel_for(pool, a->rows, a->row_block, assemble_rows, &t);
    else
        fm_parallel_for(pool, c->mesh.edge_count, FM_ELEMENT_BLOCK, assemble_edges, &t);
    fm_system_invert_diagonal(a, pool);
}

// Number of second differences of `count` particles in a row that contain particle i, weighted by
// the squares of its coefficients 1, -2, 1.
static float square_coefficients(int i, int count)
{
    float sum = 0;
    for (int middle = i - 1; middle <= i + 1; middle++) {
        if (middle >= 1 && middle <= count - 2)
            sum += middle == i ? 4 : 1;
    }
    return sum;
}

// Adds the bending's diagonal elements of row r of a grid to the blocks d.
static void add_bending_diagonal(const fm_system *a, int r, const fm_blocks *d)
{
    bool edge_row = r == 0 || r == a->rows - 1;
    float across = a->bend_across * (edge_row ? 0.5F : 1);
    float down = a->bend_down * square_coefficients(r, a->rows);
    for (int c = 0; c < a->columns; c++) {
        int i = r * a->columns + c;
        float cells = (edge_row ? 1 : 2) * (c == 0 || c == a->columns - 1 ? 1 : 2);
        float sum = across * square_coefficients(c, a->columns) + down * a->column_weight[c] +
                    a->bend_twist * cells;
        d->m[0][i] += sum, d->m[3][i] += sum, d->m[5][i] += sum;
    }
}

// to += from for n numbers.
FM_SIMD_CLONES
static void add_row(int n, const float *restrict from, float *restrict to)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        to[i] += from[i];
}

// Sums the diagonal blocks of the rows [first, last) of a grid in `inverse`.
static void sum_diagonal_rows(void *context, int first, int last)
{
    fm_system *a = ((task *)context)->system;
    for (int r = first; r < last; r++) {
        int row = r * a->columns;
        for (int m = 0; m < 6; m++)
            memcpy(a->inverse.m[m] + row, a->own.m[m] + row, (size_t)a->columns * sizeof(float));
        for (int f = 0; f < a->family_count; f++) {
            int down = a->down[f], across = a->across[f], n = a->columns - abs(across);
            int from = across < 0 ? -across : 0, to = across < 0 ? 0 : across; // ends of pairs
            for (int m = 0; m < 6; m++) {
                const float *k = a->pair[f].m[m] + from;
                if (r + down < a->rows)
                    add_row(n, k + row, a->inverse.m[m] + row + from);
                if (r >= down)
                    add_row(n, k + row - down * a->columns, a->inverse.m[m] + row + to);
            }
        }
        add_bending_diagonal(a, r, &a->inverse);
    }
}

// N/m, diagonal element of the hinges at particle i of a mesh.
static float find_hinge_bending(const fm_system *a, int i)
{
    const fm_spring_mesh *mesh = &a->cloth->mesh;
    double sum = 0;
    if (mesh->hinge_count == 0)
        return 0;
    for (int k = mesh->hinges.start[i]; k < mesh->hinges.start[i + 1]; k++) {
        int h = mesh->hinges.entry[k] / 4;
        double share = mesh->hinge_share[mesh->hinges.entry[k] % 4][h];
        sum += mesh->hinge_stiffness[h] * share * share;
    }
    return a->bend_factor * (float)sum;
}

// Sums the diagonal blocks of the particles [first, last) of a mesh in `inverse`.
static void sum_diagonal_range(void *context, int first, int last)
{
    fm_system *a = ((task *)context)->system;
    const fm_incidence *edges = &a->cloth->mesh.edges;
    for (int i = first; i < last; i++) {
        double bending = find_hinge_bending(a, i);
        for (int m = 0; m < 6; m++) {
            double sum = a->own.m[m][i] + (m == 0 || m == 3 || m == 5 ? bending : 0);
            for (int k = edges->start[i]; k < edges->start[i + 1]; k++)
                sum += a->pair[0].m[m][edges->entry[k] / 2];
            a->inverse.m[m][i] = (float)sum;
        }
    }
}

// Inverts the symmetric blocks of the particles [first, last) in place; 0 for pinned particles.
FM_SIMD_CLONES
static void invert_lanes(int first, int last, const fm_blocks *restrict d,
                         const float *restrict moves)
{
    float *xx = d->m[0], *xy = d->m[1], *xz = d->m[2], *yy = d->m[3], *yz = d->m[4], *zz = d->m[5];
#pragma omp simd
    for (int i = first; i < last; i++) {
        double a = xx[i], b = xy[i], c = xz[i], e = yy[i], f = yz[i], g = zz[i];
        double p = e * g - f * f, q = c * f - b * g, r = b * f - c * e;
        double scale = moves[i] / (a * p + b * q + c * r);
        xx[i] = (float)(scale * p), xy[i] = (float)(scale * q), xz[i] = (float)(scale * r);
        yy[i] = (float)(scale * (a * g - c * c)), yz[i] = (float)(scale * (b * c - a * f));
        zz[i] = (float)(scale * (a * e - b * b));
    }
}

static void invert_range(void *context, int first, int last)
{
    const fm_system *a = ((task *)context)->system;
    invert_lanes(first, last, &a->inverse, a->moves);
}

void fm_system_invert_diagonal(fm_system *a, fm_pool *pool)
{
    task t = {.system = a};
    if (a->is_grid)
        fm_parallel_for(pool, a->rows, a->row_block, sum_diagonal_rows, &t);
    else
        fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, sum_diagonal_range, &t);
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, invert_range, &t);
    bool bends = a->bend_factor > 0 || a->bend_across + a->bend_down + a->bend_twist > 0;
    a->eigenvalue = bends ? 4 : 2;
}

// out = B in for the symmetric blocks B of the particles [first, last).
FM_SIMD_CLONES
static void multiply_blocks(int first, int last, const fm_blocks *restrict b,
                            const fm_float_axes *restrict in, const fm_float_axes *restrict out)
{
    const float *xx = b->m[0], *xy = b->m[1], *xz = b->m[2], *yy = b->m[3], *yz = b->m[4],
                *zz = b->m[5], *x = in->x, *y = in->y, *z = in->z;
    float *ox = out->x, *oy = out->y, *oz = out->z;
#pragma omp simd
    for (int i = first; i < last; i++) {
        float px = x[i], py = y[i], pz = z[i];
        ox[i] = xx[i] * px + xy[i] * py + xz[i] * pz;
        oy[i] = xy[i] * px + yy[i] * py + yz[i] * pz;
        oz[i] = xz[i] * px + yz[i] * py + zz[i] * pz;
    }
}

// s = K (in_b - in_a) for n pairs; pair i joins particles a + i and b + i.
FM_SIMD_CLONES
static void multiply_pairs(int n, int a, int b, const fm_blocks *restrict k,
                           const fm_float_axes *restrict in, float *restrict sx, float *restrict sy,
                           float *restrict sz)
{
    const float *xx = k->m[0] + a, *xy = k->m[1] + a, *xz = k->m[2] + a, *yy = k->m[3] + a,
                *yz = k->m[4] + a, *zz = k->m[5] + a;
    const float *ax = in->x + a, *ay = in->y + a, *az = in->z + a;
    const float *bx = in->x + b, *by = in->y + b, *bz = in->z + b;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        float dx = bx[i] - ax[i], dy = by[i] - ay[i], dz = bz[i] - az[i];
        sx[i] = xx[i] * dx + xy[i] * dy + xz[i] * dz;
        sy[i] = xy[i] * dx + yy[i] * dy + yz[i] * dz;
        sz[i] = xz[i] * dx + yz[i] * dy + zz[i] * dz;
    }
}

// Adds sign times the products s of n pairs to one end of them.
FM_SIMD_CLONES
static void add_products(int n, float sign, const float *restrict sx, const float *restrict sy,
                         const float *restrict sz, float *restrict x, float *restrict y,
                         float *restrict z)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        x[i] += sign * sx[i];
        y[i] += sign * sy[i];
        z[i] += sign * sz[i];
    }
}

// Adds the product of the pairs that start in row r to their ends in the rows [first, last).
static void add_pair_row(const task *t, int f, int r, int first, int last)
{
    float s[3][FM_SHEET_COLUMNS_MAX];
    const fm_system *m = t->system;
    int below = r + m->down[f], across = m->across[f];
    bool has_a = r >= first, has_b = below < last && below >= first;
    if (below >= m->rows || (!has_a && !has_b))
        return;
    int start = across < 0 ? -across : 0, n = m->columns - abs(across);
    int a = r * m->columns + start, b = below * m->columns + start + across;
    const fm_float_axes *out = t->out;
    multiply_pairs(n, a, b, &m->pair[f], t->in, s[0], s[1], s[2]);
    if (has_a)
        add_products(n, -1, s[0], s[1], s[2], out->x + a, out->y + a, out->z + a);
    if (has_b)
        add_products(n, 1, s[0], s[1], s[2], out->x + b, out->y + b, out->z + b);
}

// The rows that take part in the bending of one row along one axis, with the coefficients of
// sheet_bending.c.
typedef struct bend_row {
    const float *row[5];   // two above, the row itself, two below
    float down[5];         // their coefficients in the second differences along columns
    float across, twist;   // N/m
    float around, up, low; // coefficients of the row, of that above and below in the twist
    const float *weight;   // of the columns
} bend_row;

// Adds the bending of a row of n particles to `out`. s, q: scratch of n + 2 numbers.
FM_SIMD_CLONES
static void bend_row_lanes(int n, const bend_row *restrict b, float *restrict s, float *restrict q,
                           float *restrict out)
{
    const float *p0 = b->row[0], *p1 = b->row[1], *p = b->row[2], *p3 = b->row[3], *p4 = b->row[4];
    const float *w = b->weight;
    float d0 = b->down[0], d1 = b->down[1], d2 = b->down[2], d3 = b->down[3], d4 = b->down[4];
    float across = b->across, twist = b->twist, around = b->around, up = b->up, low = b->low;
    s[0] = s[1] = s[n] = s[n + 1] = 0;
#pragma omp simd
    for (int c = 1; c < n - 1; c++)
        s[c + 1] = p[c - 1] - 2 * p[c] + p[c + 1];
#pragma omp simd
    for (int c = 0; c < n; c++)
        q[c + 1] = around * p[c] - up * p1[c] - low * p3[c];
    q[0] = q[1], q[n + 1] = q[n]; // the twist ends at the border
#pragma omp simd
    for (int c = 0; c < n; c++)
        out[c] += across * (s[c] - 2 * s[c + 1] + s[c + 2]) +
                  w[c] * (d0 * p0[c] + d1 * p1[c] + d2 * p[c] + d3 * p3[c] + d4 * p4[c]) -
                  twist * (q[c] - 2 * q[c + 1] + q[c + 2]);
}

// The coefficients of the bending of row r. The rows themselves are set by the caller.
static bend_row describe_bending(const fm_system *a, int r)
{
    bool up = r > 0, low = r < a->rows - 1;
    bend_row b = {.across = a->bend_across * (up && low ? 1 : 0.5F),
                  .twist = a->bend_twist,
                  .around = (float)(up + low),
                  .up = up,
                  .low = low,
                  .weight = a->column_weight};
    for (int middle = r - 1; middle <= r + 1; middle++) {
        if (middle < 1 || middle > a->rows - 2)
            continue;
        float factor = middle == r ? -2 * a->bend_down : a->bend_down;
        b.down[middle - r + 1] += factor;
        b.down[middle - r + 2] -= 2 * factor;
        b.down[middle - r + 3] += factor;
    }
    return b;
}

// Adds the bending to row r of a grid.
static void bend_grid_row(const fm_system *a, const fm_float_axes *in, const fm_float_axes *out,
                          int r)
{
    float s[FM_SHEET_COLUMNS_MAX + 2], q[FM_SHEET_COLUMNS_MAX + 2];
    const float *from[3] = {in->x, in->y, in->z};
    float *to[3] = {out->x, out->y, out->z};
    bend_row b = describe_bending(a, r);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 5; i++) {
            int row = r + i - 2;
            bool exists = row >= 0 && row < a->rows;
            b.row[i] = from[k] + (size_t)(exists ? row : r) * (size_t)a->columns;
        }
        bend_row_lanes(a->columns, &b, s, q, to[k] + (size_t)r * (size_t)a->columns);
    }
}

// The product for the rows [first, last) of a grid.
static void multiply_rows(void *context, int first, int last)
{
    const task *t = context;
    const fm_system *a = t->system;
    int reach = 0;
    for (int f = 0; f < a->family_count; f++)
        reach = a->down[f] > reach ? a->down[f] : reach;
    multiply_blocks(first * a->columns, last * a->columns, &a->own, t->in, t->out);
    for (int r = first > reach ? first - reach : 0; r < last; r++) {
        for (int f = 0; f < a->family_count; f++)
            add_pair_row(t, f, r, first, last);
    }
    if (a->bend_across + a->bend_down + a->bend_twist == 0)
        return;
    for (int r = first; r < last; r++) {
        bend_grid_row(a, t->in, t->out, r);
    }
}

// The bending k L of the hinges [first, last) of a mesh.
static void bend_hinges(void *context, int first, int last)
{
    const task *t = context;
    const fm_system *a = t->system;
    const fm_spring_mesh *mesh = &a->cloth->mesh;
    for (int h = first; h < last; h++) {
        float L[3] = {0};
        for (int k = 0; k < 4; k++) {
            int i = mesh->hinge[k][h];
            float share = (float)mesh->hinge_share[k][h];
            L[0] += share * t->in->x[i], L[1] += share * t->in->y[i], L[2] += share * t->in->z[i];
        }
        float stiffness = a->bend_factor * (float)mesh->hinge_stiffness[h];
        a->hinge.x[h] = stiffness * L[0];
        a->hinge.y[h] = stiffness * L[1];
        a->hinge.z[h] = stiffness * L[2];
    }
}

// The product of the pairs at particle i of a mesh, added to s.
static void add_edge_products(const task *t, int i, float s[3])
{
    const fm_spring_mesh *mesh = &t->system->cloth->mesh;
    const fm_blocks *pair = &t->system->pair[0];
    const fm_float_axes *in = t->in;
    for (int k = mesh->edges.start[i]; k < mesh->edges.start[i + 1]; k++) {
        int e = mesh->edges.entry[k] / 2;
        int j = mesh->edges.entry[k] % 2 ? mesh->edge_a[e] : mesh->edge_b[e];
        float dx = in->x[i] - in->x[j], dy = in->y[i] - in->y[j], dz = in->z[i] - in->z[j];
        s[0] += pair->m[0][e] * dx + pair->m[1][e] * dy + pair->m[2][e] * dz;
        s[1] += pair->m[1][e] * dx + pair->m[3][e] * dy + pair->m[4][e] * dz;
        s[2] += pair->m[2][e] * dx + pair->m[4][e] * dy + pair->m[5][e] * dz;
    }
}

// The product for the particles [first, last) of a mesh, after bend_hinges.
static void multiply_mesh_range(void *context, int first, int last)
{
    const task *t = context;
    const fm_system *a = t->system;
    const fm_spring_mesh *mesh = &a->cloth->mesh;
    multiply_blocks(first, last, &a->own, t->in, t->out);
    for (int i = first; i < last; i++) {
        float s[3] = {0};
        add_edge_products(t, i, s);
        for (int k = mesh->hinge_count ? mesh->hinges.start[i] : 0;
             mesh->hinge_count && k < mesh->hinges.start[i + 1]; k++) {
            int h = mesh->hinges.entry[k] / 4;
            float share = (float)mesh->hinge_share[mesh->hinges.entry[k] % 4][h];
            s[0] += share * a->hinge.x[h];
            s[1] += share * a->hinge.y[h];
            s[2] += share * a->hinge.z[h];
        }
        t->out->x[i] += s[0], t->out->y[i] += s[1], t->out->z[i] += s[2];
    }
}

// out = A in.
void fm_system_multiply(const fm_system *a, fm_pool *pool, const fm_float_axes *in,
                        const fm_float_axes *out)
{
    task t = {.system = (fm_system *)a, .in = in, .out = out};
    if (a->is_grid) {
        fm_parallel_for(pool, a->rows, a->row_block, multiply_rows, &t);
        return;
    }
    fm_parallel_for(pool, a->cloth->mesh.hinge_count, FM_ELEMENT_BLOCK, bend_hinges, &t);
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, multiply_mesh_range, &t);
}
