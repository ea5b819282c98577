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
// sheets is linear in the positions and enters exactly. This file has the matrix of sheets, those
// of tubes and meshes are in mesh_levels.c.
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

bool fm_float_axes_create(fm_arena *arena, int lanes, int pad, fm_float_axes *axes, fm_error *err)
{
    size_t n = (size_t)lanes;
    float *all = fm_arena_alloc(arena, 3 * n + 2 * (size_t)pad, sizeof *all, "cloth", err);
    if (all)
        *axes = (fm_float_axes){all + pad, all + pad + n, all + pad + 2 * n};
    return all != NULL;
}

bool fm_blocks_create(fm_arena *arena, int lanes, int pad, fm_blocks *blocks, fm_error *err)
{
    size_t n = (size_t)lanes;
    float *all = fm_arena_alloc(arena, 6 * n + 2 * (size_t)pad, sizeof *all, "cloth", err);
    for (int k = 0; k < 6 && all; k++)
        blocks->m[k] = all + pad + (size_t)k * n;
    return all != NULL;
}

int fm_system_find_pad(const fm_system *a)
{
    return a->is_grid ? (2 * a->columns / FM_LANES + 2) * FM_LANES : 0;
}

// Computes the coefficients that depend on the column only.
bool fm_system_create_columns(fm_system *a, fm_arena *arena, fm_error *err)
{
    static const float second[3] = {1, -2, 1};
    float **arrays[] = {&a->column_weight,     &a->bend_along[0],    &a->bend_along[1],
                        &a->bend_along[2],     &a->bend_along[3],    &a->bend_along[4],
                        &a->bend_neighbour[0], &a->bend_neighbour[1]};
    int n = a->columns;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = fm_arena_alloc(arena, (size_t)n, sizeof(float), "cloth", err);
    for (int i = 0; i < 9; i++)
        a->bend_inner[i] = fm_arena_alloc(arena, (size_t)n, sizeof(float), "cloth", err);
    if (err->status != FM_OK)
        return false;
    for (int i = 0; i < n; i++) {
        a->column_weight[i] = i == 0 || i == n - 1 ? 0.5F : 1;
        a->bend_neighbour[0][i] = i > 0;
        a->bend_neighbour[1][i] = i < n - 1;
    }
    for (int middle = 1; middle < n - 1; middle++)
        for (int k = 0; k < 9; k++)
            a->bend_along[2 + k % 3 - k / 3][middle - 1 + k / 3] += second[k / 3] * second[k % 3];
    return true;
}

// Allocates the matrix of a sheet; of a tube or mesh, `own` and `moves` only.
bool fm_system_create(fm_system *a, fm_cloth *c, fm_error *err)
{
    fm_arena *arena = &c->arena;
    *a = (fm_system){.cloth = c,
                     .is_grid = c->kind == FM_CLOTH_SHEET,
                     .finest = true,
                     .columns = c->columns,
                     .rows = c->rows,
                     .count = c->count,
                     .lanes = c->lanes,
                     .row_block = c->row_block,
                     .family_count = c->springs_count};
    int pad = fm_system_find_pad(a);
    fm_blocks_create(arena, c->lanes, pad, &a->own, err);
    a->moves = fm_arena_alloc(arena, (size_t)c->lanes, sizeof(float), "cloth", err);
    if (!a->is_grid)
        return err->status == FM_OK;
    for (int f = 0; f < a->family_count; f++) {
        a->down[f] = c->springs[f].down;
        a->across[f] = c->springs[f].across;
        fm_blocks_create(arena, c->lanes, pad, &a->pair[f], err);
    }
    fm_blocks_create(arena, c->lanes, pad, &a->inverse, err);
    fm_float_axes *axes[] = {&a->x, &a->b, &a->r, &a->step};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        fm_float_axes_create(arena, c->lanes, pad, axes[i], err);
    return fm_system_create_columns(a, arena, err);
}

// The springs of one family in a row, whose blocks are computed.
typedef struct spring_run {
    const double *x, *y, *z;  // m, positions; springs join particles a and b
    int a, b;                 // first particles
    const double *scatter;    // relative change of the rest lengths at each particle
    double k, c, l0;          // N/m, N s^q/m, m
    double springs, dashpots; // factors of stiffness and damping
    double stiffening;        // 1/strain^2
    double tension;           // 1; 0: its springs carry no force
    const double *weight;     // of each spring
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
    float *px = out->m[0] + first, *py = out->m[1] + first, *pz = out->m[2] + first;
    float *across = out->m[3] + first;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = ax[i + b] - ax[i], dy = ay[i + b] - ay[i], dz = az[i + b] - az[i];
        double ll = dx * dx + dy * dy + dz * dz + FM_TINY;
        double l0 = rest * (1 + 0.5 * (ga[i] + gb[i])), length = sqrt(ll);
        double share = 1 - l0 / length, pulled = share > 0 ? share : 0;
        double strain = pulled * length / l0, more = stiffening * strain * strain;
        double alpha = tension * w[i] * k * pulled * (1 + more);
        double root = sqrt((w[i] * (k * (1 + 3 * more) + c) - alpha) / ll);
        px[i] = (float)(root * dx), py[i] = (float)(root * dy), pz[i] = (float)(root * dz);
        across[i] = (float)alpha;
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

void fm_system_assemble(fm_system *a, const fm_vec3_array *x, const fm_hessian_factors *factors,
                        fm_pool *pool)
{
    const fm_cloth *c = a->cloth;
    task t = {.system = a, .x = x, .factors = factors};
    a->bend_across = (float)(factors->bending * c->bend_across);
    a->bend_down = (float)(factors->bending * c->bend_down);
    a->bend_twist = (float)(factors->bending * c->bend_twist);
    fm_parallel_for(pool, a->rows, a->row_block, assemble_rows, &t);
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

// Adds the blocks of n springs of the finest level from number `from` on to the blocks d, from
// number `to` on.
FM_SIMD_CLONES
static void add_spring_row(int n, const fm_blocks *restrict k, int from,
                           const fm_blocks *restrict d, int to)
{
    const float *px = k->m[0] + from, *py = k->m[1] + from, *pz = k->m[2] + from,
                *across = k->m[3] + from;
    float *xx = d->m[0] + to, *xy = d->m[1] + to, *xz = d->m[2] + to, *yy = d->m[3] + to,
          *yz = d->m[4] + to, *zz = d->m[5] + to;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        xx[i] += across[i] + px[i] * px[i], xy[i] += px[i] * py[i], xz[i] += px[i] * pz[i];
        yy[i] += across[i] + py[i] * py[i], yz[i] += py[i] * pz[i];
        zz[i] += across[i] + pz[i] * pz[i];
    }
}

// Adds the blocks of n pairs from number `from` on to the diagonal blocks, from number `to` on.
static void add_pair_row(const fm_system *a, int family, int n, int from, int to)
{
    if (a->finest) {
        add_spring_row(n, &a->pair[family], from, &a->inverse, to);
        return;
    }
    for (int m = 0; m < 6; m++)
        add_row(n, a->pair[family].m[m] + from, a->inverse.m[m] + to);
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
            if (r + down < a->rows)
                add_pair_row(a, f, n, row + from, row + from);
            if (r >= down)
                add_pair_row(a, f, n, row - down * a->columns + from, row + to);
        }
        add_bending_diagonal(a, r, &a->inverse);
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

// Coefficients of bend_inner_lanes: of the five columns of a row, of the rows two above and below,
// of those next to it, and of their left and right columns.
static void find_inner_bending(const fm_system *a)
{
    float *const *to = a->bend_inner, twist = a->bend_twist;
    for (int c = 0; c < a->columns; c++) {
        float left = a->bend_neighbour[0][c], right = a->bend_neighbour[1][c];
        float down = a->bend_down * a->column_weight[c];
        for (int k = 0; k < 5; k++)
            to[k][c] = a->bend_across * a->bend_along[k][c];
        to[1][c] -= 2 * twist * left, to[3][c] -= 2 * twist * right;
        to[2][c] += 6 * down + 2 * twist * (left + right);
        to[5][c] = down;
        to[6][c] = -4 * down - twist * (left + right);
        to[7][c] = twist * left, to[8][c] = twist * right;
    }
}

void fm_system_invert_diagonal(fm_system *a, fm_pool *pool)
{
    task t = {.system = a};
    find_inner_bending(a);
    fm_parallel_for(pool, a->rows, a->row_block, sum_diagonal_rows, &t);
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, invert_range, &t);
    a->eigenvalue = a->bend_across + a->bend_down + a->bend_twist > 0 ? 4 : 2;
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

// Adds the products of one family of pairs at the particles [first, last) of a grid. A pair joins
// the particles i and i + d. Pairs that would leave the grid have K = 0, so that rows need no
// treatment of their own.
FM_SIMD_CLONES
static void add_pairs(int first, int last, ptrdiff_t d, const fm_blocks *restrict k,
                      const fm_float_axes *restrict in, const fm_float_axes *restrict out)
{
    const float *xx = k->m[0], *xy = k->m[1], *xz = k->m[2], *yy = k->m[3], *yz = k->m[4],
                *zz = k->m[5], *x = in->x, *y = in->y, *z = in->z;
    float *ox = out->x, *oy = out->y, *oz = out->z;
#pragma omp simd
    for (int i = first; i < last; i++) {
        float ax = x[i] - x[i + d], ay = y[i] - y[i + d], az = z[i] - z[i + d];
        float bx = x[i] - x[i - d], by = y[i] - y[i - d], bz = z[i] - z[i - d];
        ox[i] += xx[i] * ax + xy[i] * ay + xz[i] * az +
                 (xx[i - d] * bx + xy[i - d] * by + xz[i - d] * bz);
        oy[i] += xy[i] * ax + yy[i] * ay + yz[i] * az +
                 (xy[i - d] * bx + yy[i - d] * by + yz[i - d] * bz);
        oz[i] += xz[i] * ax + yz[i] * ay + zz[i] * az +
                 (xz[i - d] * bx + yz[i - d] * by + zz[i - d] * bz);
    }
}

// The same for the springs of the finest level.
FM_SIMD_CLONES
static void add_springs(int first, int last, ptrdiff_t d, const fm_blocks *restrict k,
                        const fm_float_axes *restrict in, const fm_float_axes *restrict out)
{
    const float *px = k->m[0], *py = k->m[1], *pz = k->m[2], *across = k->m[3], *x = in->x,
                *y = in->y, *z = in->z;
    float *ox = out->x, *oy = out->y, *oz = out->z;
#pragma omp simd
    for (int i = first; i < last; i++) {
        float ax = x[i] - x[i + d], ay = y[i] - y[i + d], az = z[i] - z[i + d];
        float bx = x[i] - x[i - d], by = y[i] - y[i - d], bz = z[i] - z[i - d];
        float along = px[i] * ax + py[i] * ay + pz[i] * az;
        float back = px[i - d] * bx + py[i - d] * by + pz[i - d] * bz;
        float k1 = across[i], k2 = across[i - d];
        ox[i] += along * px[i] + k1 * ax + (back * px[i - d] + k2 * bx);
        oy[i] += along * py[i] + k1 * ay + (back * py[i - d] + k2 * by);
        oz[i] += along * pz[i] + k1 * az + (back * pz[i - d] + k2 * bz);
    }
}

// The coefficients of the bending of a row, as in sheet_bending.c.
typedef struct bend_row {
    float down[5];           // of the rows from two above to two below, along columns
    float across, twist;     // N/m
    float around, up, low;   // of the row, of that above and below in the twist
    float *const *along;     // of five columns, along rows
    float *const *neighbour; // of the left and the right column in the twist
    const float *weight;     // of the columns
} bend_row;

// Adds the bending of a row of n particles along one axis to `out`. p: the row; rows follow each
// other in memory. Columns beyond the borders have the coefficient 0.
FM_SIMD_CLONES
static void bend_row_lanes(int n, const bend_row *restrict b, const float *p, float *restrict out)
{
    const float *p0 = p - 2 * n, *p1 = p - n, *p3 = p + n, *p4 = p + 2 * n, *w = b->weight;
    const float *l2 = b->along[0], *l1 = b->along[1], *own = b->along[2], *r1 = b->along[3],
                *r2 = b->along[4], *left = b->neighbour[0], *right = b->neighbour[1];
    float d0 = b->down[0], d1 = b->down[1], d2 = b->down[2], d3 = b->down[3], d4 = b->down[4];
    float across = b->across, twist = b->twist, around = b->around, up = b->up, low = b->low;
#pragma omp simd
    for (int c = 0; c < n; c++) {
        float q = around * p[c] - up * p1[c] - low * p3[c];
        float ql = around * p[c - 1] - up * p1[c - 1] - low * p3[c - 1];
        float qr = around * p[c + 1] - up * p1[c + 1] - low * p3[c + 1];
        out[c] += across * (l2[c] * p[c - 2] + l1[c] * p[c - 1] + own[c] * p[c] + r1[c] * p[c + 1] +
                            r2[c] * p[c + 2]) +
                  w[c] * (d0 * p0[c] + d1 * p1[c] + d2 * p[c] + d3 * p3[c] + d4 * p4[c]) +
                  twist * (left[c] * (q - ql) + right[c] * (q - qr));
    }
}

// The same for a row that is not near the upper or lower border.
FM_SIMD_CLONES
static void bend_inner_lanes(int n, float *const *restrict coefficient, const float *p,
                             float *restrict out)
{
    const float *p0 = p - 2 * n, *p1 = p - n, *p3 = p + n, *p4 = p + 2 * n;
    const float *l2 = coefficient[0], *l1 = coefficient[1], *own = coefficient[2],
                *r1 = coefficient[3], *r2 = coefficient[4], *far = coefficient[5],
                *near = coefficient[6], *left = coefficient[7], *right = coefficient[8];
#pragma omp simd
    for (int c = 0; c < n; c++)
        out[c] += l2[c] * p[c - 2] + l1[c] * p[c - 1] + own[c] * p[c] + r1[c] * p[c + 1] +
                  r2[c] * p[c + 2] + far[c] * (p0[c] + p4[c]) + near[c] * (p1[c] + p3[c]) +
                  left[c] * (p1[c - 1] + p3[c - 1]) + right[c] * (p1[c + 1] + p3[c + 1]);
}

// The coefficients of the bending of row r.
static bend_row describe_bending(const fm_system *a, int r)
{
    bool up = r > 0, low = r < a->rows - 1;
    bend_row b = {.across = a->bend_across * (up && low ? 1 : 0.5F),
                  .twist = a->bend_twist,
                  .around = (float)(up + low),
                  .up = up,
                  .low = low,
                  .along = a->bend_along,
                  .neighbour = a->bend_neighbour,
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

// The product for the rows [first, last) of a grid.
static void multiply_rows(void *context, int first, int last)
{
    const task *t = context;
    const fm_system *a = t->system;
    int n = a->columns;
    multiply_blocks(first * n, last * n, &a->own, t->in, t->out);
    for (int f = 0; f < a->family_count; f++) {
        int d = a->down[f] * n + a->across[f];
        if (a->finest)
            add_springs(first * n, last * n, d, &a->pair[f], t->in, t->out);
        else
            add_pairs(first * n, last * n, d, &a->pair[f], t->in, t->out);
    }
    if (a->bend_across + a->bend_down + a->bend_twist == 0)
        return;
    const float *in[3] = {t->in->x, t->in->y, t->in->z};
    float *out[3] = {t->out->x, t->out->y, t->out->z};
    for (int r = first; r < last; r++) {
        bool inner = r >= 2 && r < a->rows - 2;
        bend_row b;
        if (!inner)
            b = describe_bending(a, r);
        for (int k = 0; k < 3; k++) {
            if (inner)
                bend_inner_lanes(n, a->bend_inner, in[k] + r * n, out[k] + r * n);
            else
                bend_row_lanes(n, &b, in[k] + r * n, out[k] + r * n);
        }
    }
}

// out = A in.
void fm_system_multiply(const fm_system *a, fm_pool *pool, const fm_float_axes *in,
                        const fm_float_axes *out)
{
    task t = {.system = (fm_system *)a, .in = in, .out = out};
    fm_parallel_for(pool, a->rows, a->row_block, multiply_rows, &t);
}
