// SPDX-License-Identifier: MIT
// implicit_multigrid.c: geometric multigrid on sheets, as a preconditioner of the implicit
// integrators.
//
// Each coarser grid has every second row and column of the finer one, from the first on. Its matrix
// is that of a coarser sheet of the same material [WWF18]: with the factors fx, fy (1 or 2) between
// the spacings of columns and rows,
//
//     along rows      K' = sum K / fx^2        over the fx springs between two coarse particles, in
//                                              the row and, with the weight 1/2, its two neighbours
//     along columns   K' = sum K / fy^2        likewise
//     diagonals       K' = sum K / (fx fy)     over the cells in a coarse cell
//     bending         across' = across fy/fx^3, down' = down fx/fy^3, twist' = twist/(fx fy)
//     own             own' = Q^T own           lumped; Q: bilinear interpolation
//
// A pinned particle enters `own` of the coarser level with PIN times its springs. One V-cycle:
// Chebyshev smoothing of inverse * A (degree SMOOTH before and after, eigenvalues from
// bound / RANGE to the bound), restriction of the residual by P^T, interpolation by P, which is
// bicubic: bilinear interpolation has kinks, which bending resists more the finer the mesh is. The
// cycle is a symmetric positive definite operator, as conjugate gradients need.
//
// [WWF18] Wang, Wu, Fratarcangeli, Tang, Wang: Parallel multigrid for nonlinear cloth simulation.
//         CGF 37(7), 2018.
#include "cloth/implicit.h"

#include <math.h>
#include <string.h>

enum {
    SMOOTH = 2,          // degree of the smoothing polynomial
    SMOOTH_COARSEST = 8, // on the coarsest level
    FEWEST = 40,         // particles of a level that is not made coarser
};
static const double RANGE = 8, RANGE_COARSEST = 100; // largest over smallest smoothed eigenvalue
static const double PIN = 4;

// Number of coarse rows or columns for n fine ones.
static int coarsen(int n)
{
    return n <= 3 ? n : (n + 1) / 2;
}

// The coarse rows between which fine row i of n lies, and the weight of the first. A last one at an
// odd position lies beyond all coarse ones, and belongs to the last of them.
typedef struct between {
    int one, other;
    float weight;
} between;

static between locate(int i, int n)
{
    if (coarsen(n) == n)
        return (between){i, i, 1};
    if (i % 2 == 0 || i == n - 1)
        return (between){i / 2, i / 2, 1};
    return (between){i / 2, i / 2 + 1, 0.5F};
}

// The coarse ones from which fine one i of n is interpolated, and their weights: cubic between four
// coarse ones, quadratic near the border, extrapolated linearly beyond the last one.
static int find_weights(int i, int n, float weight[4])
{
    int last = coarsen(n) - 1;
    between at = locate(i, n);
    memset(weight, 0, 4 * sizeof *weight);
    if (at.weight == 1) {
        int first = at.one < last - 3 ? at.one : last > 3 ? last - 3 : 0;
        bool beyond = i % 2 == 1;
        weight[at.one - first] = beyond ? 1.5F : 1;
        if (beyond)
            weight[at.one - first - 1] = -0.5F;
        return first;
    }
    static const float cubic[4] = {-1.0F / 16, 9.0F / 16, 9.0F / 16, -1.0F / 16};
    static const float left[4] = {3.0F / 8, 6.0F / 8, -1.0F / 8, 0};
    static const float right[4] = {0, -1.0F / 8, 6.0F / 8, 3.0F / 8};
    bool inner = at.one > 0 && at.other < last;
    const float *chosen = inner ? cubic : at.other + 1 <= last ? left : right;
    int first = inner ? at.one - 1 : chosen == left ? at.one : at.one - 2;
    if (first < 0 || first + 3 > last) { // few coarse ones: linear
        first = at.one < last - 3 ? at.one : last > 3 ? last - 3 : 0;
        weight[at.one - first] = weight[at.other - first] = 0.5F;
        return first;
    }
    memcpy(weight, chosen, 4 * sizeof *weight);
    return first;
}

// Computes the weights of the interpolation to n fine rows or columns.
static bool create_transfer(fm_transfer *t, int n, fm_arena *arena, fm_error *err)
{
    *t = (fm_transfer){.fine = n, .coarse = coarsen(n)};
    t->first = fm_arena_alloc(arena, (size_t)n, sizeof(int), "cloth", err);
    for (int k = 0; k < 4; k++)
        t->spread[k] = fm_arena_alloc(arena, (size_t)n, sizeof(float), "cloth", err);
    for (int k = 0; k <= 2 * FM_GATHER; k++)
        t->gather[k] = fm_arena_alloc(arena, (size_t)t->coarse, sizeof(float), "cloth", err);
    if (err->status != FM_OK || t->coarse == t->fine)
        return err->status == FM_OK;
    for (int i = 0; i < n; i++) {
        float weight[4];
        t->first[i] = find_weights(i, n, weight);
        for (int k = 0; k < 4; k++) {
            int c = t->first[i] + k, at = i - 2 * c + FM_GATHER;
            t->spread[k][i] = weight[k];
            if (weight[k] != 0)
                t->gather[at][c] = weight[k];
        }
    }
    return true;
}

// to = P^T from along the columns, with linear interpolation: its weights are positive.
static void restrict_row(int n, const float *from, float *to)
{
    int last = coarsen(n) - 1;
    if (last + 1 == n) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    to[0] = from[0] + 0.5F * from[1];
    for (int c = 1; c < last; c++)
        to[c] = from[2 * c] + 0.5F * (from[2 * c - 1] + from[2 * c + 1]);
    to[last] = from[2 * last] + 0.5F * from[2 * last - 1];
    if (n % 2 == 0)
        to[last] += from[n - 1];
}

// Creates the next coarser level.
static bool create_level(fm_system *c, const fm_system *f, fm_arena *arena, fm_error *err)
{
    *c = (fm_system){.is_grid = true,
                     .columns = coarsen(f->columns),
                     .rows = coarsen(f->rows),
                     .family_count = f->family_count};
    c->count = c->columns * c->rows;
    c->lanes = fm_parallel_block_count(c->count, FM_LANES) * FM_LANES;
    c->row_block = f->row_block; // a quarter of the particles
    memcpy(c->down, f->down, sizeof c->down);
    memcpy(c->across, f->across, sizeof c->across);
    int pad = fm_system_find_pad(c);
    for (int k = 0; k < c->family_count; k++)
        fm_blocks_create(arena, c->lanes, pad, &c->pair[k], err);
    fm_blocks_create(arena, c->lanes, pad, &c->own, err);
    fm_blocks_create(arena, c->lanes, pad, &c->inverse, err);
    fm_float_axes *axes[] = {&c->x, &c->b, &c->r, &c->step};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        fm_float_axes_create(arena, c->lanes, pad, axes[i], err);
    c->moves = fm_arena_alloc(arena, (size_t)c->lanes, sizeof(float), "cloth", err);
    if (!create_transfer(&c->across_columns, f->columns, arena, err) ||
        !create_transfer(&c->across_rows, f->rows, arena, err) ||
        !fm_system_create_columns(c, arena, err))
        return false;
    for (int i = 0; i < c->count; i++)
        c->moves[i] = 1;
    return true;
}

// Creates the coarser levels of a sheet. Sheets with springs over two cells have one level only.
bool fm_levels_create(fm_implicit *m, fm_cloth *cloth, fm_error *err)
{
    m->level_count = 1;
    if (cloth->kind != FM_CLOTH_SHEET || cloth->def.bend.model == FM_BEND_SPRINGS)
        return true;
    while (m->level_count < FM_LEVELS_MAX) {
        const fm_system *f = &m->level[m->level_count - 1];
        if (f->count <= FEWEST || (f->columns <= 3 && f->rows <= 3))
            return true;
        if (!create_level(&m->level[m->level_count], f, &cloth->arena, err))
            return false;
        m->level_count++;
    }
    return true;
}

// K of pair i of family k.
static void read_pair(const fm_system *a, int k, int i, float block[6])
{
    float *const *m = a->pair[k].m;
    float x = m[0][i], y = m[1][i], z = m[2][i], across = m[3][i];
    const float spring[6] = {across + x * x, x * y, x * z, across + y * y, y * z, across + z * z};
    for (int j = 0; j < 6; j++)
        block[j] = a->finest ? spring[j] : m[j][i];
}

// Sums K of the fine pairs that the coarse pairs of family k in a row stand for. (r, q): the fine
// pairs relative to the first one of each coarse pair; rows and columns beside a pair along the
// other direction take part by one half.
static void sum_pair_row(const fm_system *c, const fm_system *f, int k, int row)
{
    int fx = c->columns < f->columns ? 2 : 1, fy = c->rows < f->rows ? 2 : 1;
    int down = f->down[k], across = f->across[k], sign = across < 0 ? -1 : 1;
    int r0 = row * fy;
    float scale = 1.0F / (float)(!down ? fx * fx : !across ? fy * fy : fx * fy);
    for (int m = 0; m < 6; m++)
        memset(c->pair[k].m[m] + row * c->columns, 0, (size_t)c->columns * sizeof(float));
    for (int r = down ? 0 : 1 - fy; r < fy; r++) {
        if (r0 + r < 0 || r0 + r + down >= f->rows)
            continue;
        for (int q = across ? 0 : 1 - fx; q < fx; q++) {
            float weight = scale * ((!down && r != 0) || (!across && q != 0) ? 0.5F : 1);
            int end = c->columns - (across > 0 ? across : 0);
            for (int column = across < 0 ? 1 : 0; column < end; column++) {
                int at = column * fx + sign * q;
                if (at < 0 || at >= f->columns || at + across < 0 || at + across >= f->columns)
                    continue;
                float block[6];
                read_pair(f, k, (r0 + r) * f->columns + at, block);
                for (int m = 0; m < 6; m++)
                    c->pair[k].m[m][row * c->columns + column] += weight * block[m];
            }
        }
    }
}

// The levels of a parallel loop.
typedef struct task {
    fm_system *c, *f;
} task;

// Restricts the fine numbers `from` to row `row` of the coarse ones, with linear interpolation.
static void restrict_to_row(const fm_system *c, const fm_system *f, int row, const float *from,
                            float *to)
{
    float sum[FM_SHEET_COLUMNS_MAX];
    memset(sum, 0, (size_t)f->columns * sizeof *sum);
    bool halved = c->rows < f->rows;
    int low = halved ? 2 * row - 1 : row, high = halved ? 2 * row + 1 : row;
    for (int r = low < 0 ? 0 : low; r <= high && r < f->rows; r++) {
        between down = locate(r, f->rows);
        float weight =
            (down.one == row ? down.weight : 0) + (down.other == row ? 1 - down.weight : 0);
        for (int q = 0; q < f->columns && weight > 0; q++)
            sum[q] += weight * from[r * f->columns + q];
    }
    restrict_row(f->columns, sum, to + row * c->columns);
}

// The matrix of the coarse rows [first, last).
static void assemble_rows(void *context, int first, int last)
{
    const task *t = context;
    const fm_system *c = t->c, *f = t->f;
    for (int row = first; row < last; row++) {
        for (int k = 0; k < c->family_count; k++) {
            if (row + c->down[k] < c->rows)
                sum_pair_row(c, f, k, row);
        }
        for (int m = 0; m < 6; m++)
            restrict_to_row(c, f, row, f->own.m[m], c->own.m[m]);
    }
}

// A pinned particle i: `own` becomes PIN times its springs, which holds the coarser levels. It does
// not matter on the finest level, where the particle does not move.
static void hold_pinned_particle(const fm_system *a, int i)
{
    double trace = 0;
    int row = i / a->columns, column = i % a->columns;
    for (int k = 0; k < 2 * a->family_count; k++) {
        int sign = k % 2 ? -1 : 1, r = row + sign * a->down[k / 2];
        int q = column + sign * a->across[k / 2];
        if (r < 0 || r >= a->rows || q < 0 || q >= a->columns)
            continue;
        int at = sign > 0 ? i : r * a->columns + q;
        float block[6];
        read_pair(a, k / 2, at, block);
        trace += (double)(block[0] + block[3] + block[5]);
    }
    for (int m = 0; m < 6; m++)
        a->own.m[m][i] = m == 0 || m == 3 || m == 5 ? (float)(PIN * trace) : 0;
}

void fm_levels_assemble(fm_implicit *m, fm_pool *pool)
{
    for (int p = 0; p < m->level[0].cloth->pinned_count && m->level_count > 1; p++) {
        int i = m->level[0].cloth->pinned[p];
        if (m->level[0].moves[i] == 0)
            hold_pinned_particle(&m->level[0], i);
    }
    for (int l = 1; l < m->level_count; l++) {
        fm_system *c = &m->level[l], *f = &m->level[l - 1];
        float fx = c->columns < f->columns ? 2 : 1, fy = c->rows < f->rows ? 2 : 1;
        c->bend_across = f->bend_across * fy / (fx * fx * fx);
        c->bend_down = f->bend_down * fx / (fy * fy * fy);
        c->bend_twist = f->bend_twist / (fx * fy);
        task t = {.c = c, .f = f};
        fm_parallel_for(pool, c->rows, c->row_block, assemble_rows, &t);
        fm_system_invert_diagonal(c, pool);
    }
}

// Arguments of a smoothing step.
typedef struct smoothing {
    const fm_system *a;
    const fm_float_axes *b; // right-hand side
    float old, fresh;       // step = old * step + fresh * inverse * residual
    bool from_zero;         // the solution so far is 0, so that the residual is b
} smoothing;

// step = old step + fresh inverse (b - r), x += step for the particles [first, last), where r = A
// x.
FM_SIMD_CLONES
static void smooth_lanes(int first, int last, const smoothing *restrict s)
{
    const fm_system *a = s->a;
    const float *const *m = (const float *const *)a->inverse.m;
    const float *xx = m[0], *xy = m[1], *xz = m[2], *yy = m[3], *yz = m[4], *zz = m[5];
    const float *bx = s->b->x, *by = s->b->y, *bz = s->b->z;
    float *rx = a->r.x, *ry = a->r.y, *rz = a->r.z, *px = a->step.x, *py = a->step.y,
          *pz = a->step.z, *x = a->x.x, *y = a->x.y, *z = a->x.z;
    float old = s->old, fresh = s->fresh, keep = s->from_zero ? 0 : 1;
#pragma omp simd
    for (int i = first; i < last; i++) {
        float gx = bx[i] - keep * rx[i], gy = by[i] - keep * ry[i], gz = bz[i] - keep * rz[i];
        px[i] = old * px[i] + fresh * (xx[i] * gx + xy[i] * gy + xz[i] * gz);
        py[i] = old * py[i] + fresh * (xy[i] * gx + yy[i] * gy + yz[i] * gz);
        pz[i] = old * pz[i] + fresh * (xz[i] * gx + yz[i] * gy + zz[i] * gz);
        x[i] = keep * x[i] + px[i], y[i] = keep * y[i] + py[i], z[i] = keep * z[i] + pz[i];
    }
}

static void smooth_range(void *context, int first, int last)
{
    smooth_lanes(first, last, context);
}

// Chebyshev iteration of the given degree for A x = b, from the present x or from 0.
static void smooth(const fm_system *a, fm_pool *pool, const fm_float_axes *b, bool from_zero,
                   int degree, double range)
{
    double high = a->eigenvalue, low = high / range, theta = (high + low) / 2,
           delta = (high - low) / 2, sigma = theta / delta, rho = 1 / sigma;
    for (int n = 0; n < degree; n++) {
        smoothing s = {.a = a, .b = b, .from_zero = from_zero && n == 0};
        double next = 1 / (2 * sigma - rho);
        s.old = n == 0 ? 0 : (float)(next * rho);
        s.fresh = n == 0 ? (float)(1 / theta) : (float)(2 * next / delta);
        if (n > 0)
            rho = next;
        if (!s.from_zero)
            fm_system_multiply(a, pool, &a->x, &a->r);
        fm_parallel_for(pool, a->lanes, FM_ELEMENT_BLOCK, smooth_range, &s);
    }
}

enum { PAD = FM_GATHER + 1 }; // numbers before and after a row of scratch

// Adds weight * from to n numbers.
FM_SIMD_CLONES
static void add_weighted(int n, float weight, const float *restrict from, float *restrict to)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        to[i] += weight * from[i];
}

// to += a b for n numbers.
FM_SIMD_CLONES
static void add_product(int n, const float *restrict a, const float *restrict b, float *restrict to)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        to[i] += a[i] * b[i];
}

// to = P^T from along the columns. from has PAD zeros before and after it.
FM_SIMD_CLONES
static void gather_columns(const fm_transfer *restrict t, const float *restrict from,
                           float *restrict to)
{
    const float *w0 = t->gather[0], *w1 = t->gather[1], *w2 = t->gather[2], *w3 = t->gather[3],
                *w4 = t->gather[4], *w5 = t->gather[5], *w6 = t->gather[6];
#pragma omp simd
    for (int c = 0; c < t->coarse; c++) {
        const float *f = from + 2 * c;
        to[c] = w0[c] * f[-3] + w1[c] * f[-2] + w2[c] * f[-1] + w3[c] * f[0] + w4[c] * f[1] +
                w5[c] * f[2] + w6[c] * f[3];
    }
}

// Restricts one component of the residual to coarse row `row`.
static void gather_row(const fm_system *c, const fm_system *f, int row, const float *from,
                       float *to)
{
    float scratch[FM_SHEET_COLUMNS_MAX + 3 * PAD], *sum = scratch + PAD;
    const fm_transfer *t = &c->across_rows;
    int n = f->columns;
    memset(scratch, 0, (size_t)(n + 3 * PAD) * sizeof *scratch);
    if (t->coarse == t->fine)
        add_weighted(n, 1, from + row * n, sum);
    for (int k = 0; k <= 2 * FM_GATHER && t->coarse < t->fine; k++) {
        int r = 2 * row + k - FM_GATHER;
        if (r >= 0 && r < f->rows && t->gather[k][row] != 0)
            add_weighted(n, t->gather[k][row], from + r * n, sum);
    }
    if (c->columns == n)
        memcpy(to + row * n, sum, (size_t)n * sizeof *to);
    else
        gather_columns(&c->across_columns, sum, to + row * c->columns);
}

// Restricts the residual in r of the fine level to rows [first, last) of b of the coarse one.
static void restrict_rows(void *context, int first, int last)
{
    const task *t = context;
    for (int row = first; row < last; row++) {
        gather_row(t->c, t->f, row, t->f->r.x, t->c->b.x);
        gather_row(t->c, t->f, row, t->f->r.y, t->c->b.y);
        gather_row(t->c, t->f, row, t->f->r.z, t->c->b.z);
    }
}

// to += moves * P from for column i.
static void spread_column(const fm_transfer *t, const float *from, const float *moves, float *to,
                          int i)
{
    const float *f = from + t->first[i];
    to[i] += moves[i] * (t->spread[0][i] * f[0] + t->spread[1][i] * f[1] + t->spread[2][i] * f[2] +
                         t->spread[3][i] * f[3]);
}

// to += moves * P from along the columns. Away from the borders, even columns are coarse ones, and
// odd ones are interpolated by the cubic polynomial through four.
FM_SIMD_CLONES
static void spread_columns(const fm_transfer *restrict t, const float *restrict from,
                           const float *restrict moves, float *restrict to)
{
    const float outer = -1.0F / 16, inner = 9.0F / 16;
    int last = t->coarse > 4 ? t->coarse - 3 : 0; // of the inner ones
    for (int i = 0; i < t->fine; i++) {
        if (i == 2 && last > 1)
            i = 2 * last;
        spread_column(t, from, moves, to, i);
    }
#pragma omp simd
    for (int c = 1; c < last; c++) {
        float odd = outer * (from[c - 1] + from[c + 2]) + inner * (from[c] + from[c + 1]);
        to[2 * c] += moves[2 * c] * from[c];
        to[2 * c + 1] += moves[2 * c + 1] * odd;
    }
}

// Adds the interpolated coarse solution to that of the fine rows [first, last).
static void interpolate_rows(void *context, int first, int last)
{
    const task *t = context;
    const fm_system *c = t->c, *f = t->f;
    const fm_transfer *rows = &c->across_rows;
    const float *from[3] = {c->x.x, c->x.y, c->x.z};
    float *to[3] = {f->x.x, f->x.y, f->x.z}, sum[FM_SHEET_COLUMNS_MAX + PAD];
    for (int r = first; r < last; r++) {
        for (int k = 0; k < 3; k++) {
            memset(sum, 0, (size_t)(c->columns + PAD) * sizeof *sum);
            if (rows->coarse == rows->fine)
                add_weighted(c->columns, 1, from[k] + r * c->columns, sum);
            for (int m = 0; m < 4 && rows->coarse < rows->fine; m++) {
                if (rows->spread[m][r] != 0)
                    add_weighted(c->columns, rows->spread[m][r],
                                 from[k] + (rows->first[r] + m) * c->columns, sum);
            }
            const float *moves = f->moves + r * f->columns;
            if (c->columns < f->columns)
                spread_columns(&c->across_columns, sum, moves, to[k] + r * f->columns);
            else
                add_product(f->columns, moves, sum, to[k] + r * f->columns);
        }
    }
}

// r = b - A x, where r contains A x; 0 for pinned particles.
static void subtract_range(void *context, int first, int last)
{
    const smoothing *s = context;
    const fm_float_axes *b = s->b, *r = &s->a->r;
    const float *moves = s->a->moves;
    for (int i = first; i < last; i++) {
        r->x[i] = moves[i] * (b->x[i] - r->x[i]);
        r->y[i] = moves[i] * (b->y[i] - r->y[i]);
        r->z[i] = moves[i] * (b->z[i] - r->z[i]);
    }
}

// V-cycle on level l for A x = b, from x = 0.
static void cycle(const fm_implicit *m, int l, fm_pool *pool, const fm_float_axes *b)
{
    const fm_system *f = &m->level[l];
    if (l == m->level_count - 1) {
        smooth(f, pool, b, true, SMOOTH_COARSEST, RANGE_COARSEST);
        return;
    }
    smooth(f, pool, b, true, SMOOTH, RANGE);
    fm_system_multiply(f, pool, &f->x, &f->r);
    smoothing s = {.a = f, .b = b};
    fm_parallel_for(pool, f->lanes, FM_ELEMENT_BLOCK, subtract_range, &s);
    task t = {.c = (fm_system *)&m->level[l + 1], .f = (fm_system *)f};
    fm_parallel_for(pool, t.c->rows, t.c->row_block, restrict_rows, &t);
    cycle(m, l + 1, pool, &t.c->b);
    fm_parallel_for(pool, f->rows, f->row_block, interpolate_rows, &t);
    smooth(f, pool, b, false, SMOOTH, RANGE);
}

// out = V-cycle of `in`.
void fm_levels_apply(const fm_implicit *m, fm_pool *pool, const fm_float_axes *in,
                     const fm_float_axes *out)
{
    cycle(m, 0, pool, in);
    memcpy(out->x, m->level[0].x.x, 3 * (size_t)m->level[0].lanes * sizeof(float));
}
