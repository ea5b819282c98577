// SPDX-License-Identifier: MIT
// multigrid.c: the preconditioner of the pressure solver: one V-cycle of geometric multigrid.
//
// A level holds the operator of pressure.h, A x = g_i x_i + sum_f c_f (x_i - x_f). Two cells along
// each axis become one cell of the next level [TOS01]:
//
//   smoothing     x <- x + w_k D^-1 (b - A x), two passes before and two after the correction.
//                 D^-1 A has its eigenvalues in [0, 2] for all conductances. The weights w_k are
//                 the Chebyshev ones for [1/3, 2], the errors that the next level cannot
//                 represent, and reduce these to 0.34 or less [ABHT03]. The smoother is
//                 symmetric, so conjugate gradients accept the cycle; any order of the cells
//                 gives the same bits
//   coefficients  c of a coarse face = sum of c over its fine faces / 2: twice the distance; g of a
//                 coarse cell = sum of g over its fine cells / 2
//   prolongation  child = C + sum over axes of t/4 (C_neighbour - C), t = c of the coarse face
//                 relative to an open one: linear interpolation that does not look through walls
//   restriction   its transpose, written as a gather
//   coarsest      a Cholesky factorization. A closed region has one pivot of zero; the value of
//                 that cell is set to zero
//
// An axis with an odd number of cells ends with a coarse cell of one child. A periodic axis with an
// odd number is not coarsened, and an axis with at most two cells neither.
//
// [ABHT03] Adams, Brezina, Hu, Tuminaro: Parallel multigrid smoothing: polynomial versus
//          Gauss-Seidel. Journal of Computational Physics 188, 2003.
// [LF71]   Lebedev, Finogenov: On the order of choice of the iteration parameters in the Chebyshev
//          cyclic iteration method. Zh. Vychisl. Mat. Mat. Fiz. 11, 1971.
// [TOS01]  Trottenberg, Oosterlee, Schüller: Multigrid. Academic Press, 2001.
#include "core/simd.h"
#include "grid/pressure.h"

#include <string.h>

enum {
    PASSES = 2,       // of the smoother, before and after the correction
    DIRECT_MAX = 512, // cells of a coarsest level that is factorized
    LONG_PASSES = 32, // of the smoother on a larger coarsest level
};
static const double HIGH = 2, LOW = 1.0 / 3, LOW_COARSEST = 2.0 / 500; // eigenvalues of D^-1 A

// Weight number k of `count` Chebyshev weights, a power of two, for eigenvalues from `low` to 2.
// They are ordered so that rounding errors do not grow [LF71].
static float find_weight(int k, int count, double low)
{
    double middle = (HIGH + low) / 2, half = (HIGH - low) / 2;
    int odd = 1, last = count / 2;
    for (int m = 1; m < count; m *= 2, last /= 2)
        odd = k & last ? 4 * m - odd : odd;
    return (float)(1 / (middle + half * cos(FM_PI * odd / (2 * count))));
}

// Lays out an array over n cells with one layer around them.
fm_cell_layout fm_cell_layout_create(const int n[3], const bool periodic[3])
{
    fm_cell_layout l = {.n = {n[0], n[1], n[2]},
                        .periodic = {periodic[0], periodic[1], periodic[2]}};
    l.stride[0] = 1;
    l.stride[1] = n[0] + 2;
    l.stride[2] = l.stride[1] * (n[1] + 2);
    l.start = l.stride[0] + l.stride[1] + l.stride[2];
    // one plane more, because restriction reads two layers past an odd number of cells
    l.count = (size_t)(l.stride[2] * (n[2] + 3) + l.stride[1]);
    return l;
}

// Whether the next level has half as many cells along an axis.
static bool can_coarsen(const fm_cell_layout *l, int axis)
{
    return l->n[axis] > 2 && !(l->periodic[axis] && l->n[axis] % 2);
}

// Allocates the arrays of a level.
static void allocate_level(fm_multigrid_level *level, fm_arena *arena, fm_error *err)
{
    size_t count = level->layout.count;
    float **arrays[8] = {&level->c[0],    &level->c[1], &level->c[2], &level->given,
                         &level->inverse, &level->b,    &level->x,    &level->y};
    for (int i = 0; i < 8; i++)
        *arrays[i] = fm_arena_alloc(arena, count, sizeof(float), "grid", err);
    size_t rows = (size_t)fm_cell_row_count(&level->layout);
    level->uniform = fm_arena_alloc(arena, rows, 1, "grid", err);
    level->changed = fm_arena_alloc(arena, rows, 1, "grid", err);
}

// Creates levels, each with about half as many cells along an axis, until one has few cells.
bool fm_multigrid_create(fm_multigrid *grid, fm_arena *arena, const int n[3],
                         const bool periodic[3], fm_error *err)
{
    fm_multigrid_level *level = grid->levels;
    level->layout = fm_cell_layout_create(n, periodic);
    for (int a = 0; a < 3; a++)
        level->full[a] = n[a] > 1; // one cell along an axis: nothing varies along it
    for (grid->count = 1;; grid->count++, level++) {
        int coarse[3], cells = level->layout.n[0] * level->layout.n[1] * level->layout.n[2];
        bool smaller = false;
        allocate_level(level, arena, err);
        for (int a = 0; a < 3; a++) {
            level->factor[a] = can_coarsen(&level->layout, a) ? 2 : 1;
            coarse[a] = (level->layout.n[a] + level->factor[a] - 1) / level->factor[a];
            smaller |= level->factor[a] == 2;
        }
        if (!smaller || cells <= 32 || grid->count == FM_MULTIGRID_LEVELS_MAX)
            break;
        level[1].layout = fm_cell_layout_create(coarse, periodic);
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            level[1].full[a] =
                level->full[a] * (float)(level->factor[b] * level->factor[c]) / level->factor[a];
        }
    }
    size_t cells = (size_t)level->layout.n[0] * level->layout.n[1] * level->layout.n[2];
    if (cells <= DIRECT_MAX) {
        grid->factor = fm_arena_alloc(arena, cells * cells, sizeof(double), "grid", err);
        grid->solved = fm_arena_alloc(arena, cells, sizeof(double), "grid", err);
    }
    return err->status == FM_OK;
}

// One pass over the rows of a level.
typedef struct pass {
    const fm_multigrid_level *level, *coarse;
    const float *in;
    float *out;
    float weight;
} pass;

// The threads for a pass over a level: none if it has few cells.
static fm_pool *share(fm_pool *pool, const fm_cell_layout *l)
{
    return fm_grid_share(pool, 1.5 * fm_cell_row_count(l) * l->n[0]);
}

// Runs one pass over all rows of a level.
static void run(const fm_multigrid_level *level, fm_pool *pool, fm_range_body *body, pass *p)
{
    fm_parallel_for(share(pool, &level->layout), fm_cell_row_count(&level->layout), FM_GRID_BLOCK,
                    body, p);
}

// Copies the row that begins at index q to the ghost layers of periodic axes.
FM_INLINE void wrap_row(const fm_cell_layout *l, float *x, int row, ptrdiff_t q)
{
    int at[3] = {0, row % l->n[1], row / l->n[1]};
    size_t bytes = (size_t)(l->n[0] + 2) * sizeof *x;
    if (l->periodic[0]) {
        x[q - 1] = x[q + l->n[0] - 1];
        x[q + l->n[0]] = x[q];
    }
    for (int a = 1; a < 3; a++) {
        ptrdiff_t shift = l->n[a] * l->stride[a];
        if (!l->periodic[a])
            continue;
        if (at[a] == 0)
            memcpy(x + q + shift - 1, x + q - 1, bytes);
        if (at[a] == l->n[a] - 1)
            memcpy(x + q - shift - 1, x + q - 1, bytes);
    }
}

// b - A x at index q.
FM_INLINE float find_residual(const fm_multigrid_level *m, const float *restrict x, ptrdiff_t q)
{
    ptrdiff_t sy = m->layout.stride[1], sz = m->layout.stride[2];
    const float *cx = m->c[0], *cy = m->c[1], *cz = m->c[2];
    float mid = x[q];
    return m->b[q] - m->given[q] * mid + cx[q] * (x[q - 1] - mid) + cx[q + 1] * (x[q + 1] - mid) +
           cy[q] * (x[q - sy] - mid) + cy[q + sy] * (x[q + sy] - mid) + cz[q] * (x[q - sz] - mid) +
           cz[q + sz] * (x[q + sz] - mid);
}

// The same inside a uniform row. full: conductances along x, y and z.
FM_INLINE float find_uniform_residual(const fm_multigrid_level *m, const float *restrict x,
                                      ptrdiff_t q, const float full[3])
{
    ptrdiff_t sy = m->layout.stride[1], sz = m->layout.stride[2];
    float mid = 2 * x[q];
    return m->b[q] + full[0] * (x[q - 1] + x[q + 1] - mid) +
           full[1] * (x[q - sy] + x[q + sy] - mid) + full[2] * (x[q - sz] + x[q + sz] - mid);
}

// One smoothing pass: out = x + weight D^-1 (b - A x).
FM_SIMD_CLONES static void smooth_rows(void *context, int first, int last)
{
    const pass *p = context;
    const fm_multigrid_level *m = p->level;
    const float *restrict x = p->in;
    float *restrict out = p->out;
    float w = p->weight, full[3] = {m->full[0], m->full[1], m->full[2]};
    int n = m->layout.n[0];
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&m->layout, row);
        if (m->uniform[row]) {
            float scaled = w * m->inverse[q + 1];
            out[q] = x[q] + w * m->inverse[q] * find_residual(m, x, q);
#pragma omp simd
            for (int i = 1; i < n - 1; i++)
                out[q + i] = x[q + i] + scaled * find_uniform_residual(m, x, q + i, full);
            out[q + n - 1] =
                x[q + n - 1] + w * m->inverse[q + n - 1] * find_residual(m, x, q + n - 1);
        } else {
#pragma omp simd
            for (int i = 0; i < n; i++)
                out[q + i] = x[q + i] + w * m->inverse[q + i] * find_residual(m, x, q + i);
        }
        wrap_row(&m->layout, out, row, q);
    }
}

// The first smoothing pass, from x = 0.
FM_SIMD_CLONES static void start_rows(void *context, int first, int last)
{
    const pass *p = context;
    const fm_multigrid_level *m = p->level;
    float *restrict out = p->out;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&m->layout, row);
#pragma omp simd
        for (int i = 0; i < m->layout.n[0]; i++)
            out[q + i] = p->weight * m->inverse[q + i] * m->b[q + i];
        wrap_row(&m->layout, out, row, q);
    }
}

// out = b - A x.
FM_SIMD_CLONES static void compute_residual_rows(void *context, int first, int last)
{
    const pass *p = context;
    const fm_multigrid_level *m = p->level;
    const float *restrict x = p->in;
    float *restrict out = p->out;
    float full[3] = {m->full[0], m->full[1], m->full[2]};
    int n = m->layout.n[0];
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&m->layout, row);
        if (m->uniform[row]) {
            out[q] = find_residual(m, x, q);
#pragma omp simd
            for (int i = 1; i < n - 1; i++)
                out[q + i] = find_uniform_residual(m, x, q + i, full);
            out[q + n - 1] = find_residual(m, x, q + n - 1);
        } else {
#pragma omp simd
            for (int i = 0; i < n; i++)
                out[q + i] = find_residual(m, x, q + i);
        }
        wrap_row(&m->layout, out, row, q);
    }
}

// The children of a row of coarse cells, and the factors of the interpolation between them.
typedef struct parents {
    ptrdiff_t fine;   // index of the first child of the row's first cell
    ptrdiff_t sy, sz; // strides of the fine level
    int fx, fy, fz;   // factors
    float ty, tz;     // t / (4 c) along y and z; 0 where the axis is not coarsened
    float tx;
} parents;

// Finds the children of a row of coarse cells, and the factors of the interpolation.
static parents find_parents(const fm_multigrid_level *fine, const fm_multigrid_level *coarse,
                            int row)
{
    int j = row % coarse->layout.n[1], k = row / coarse->layout.n[1];
    const int *f = fine->factor;
    parents p = {.sy = fine->layout.stride[1], .sz = fine->layout.stride[2]};
    p.fx = f[0], p.fy = f[1], p.fz = f[2];
    p.fine = fine->layout.start + f[1] * j * p.sy + f[2] * k * p.sz;
    p.tx = f[0] == 2 ? 0.25f / coarse->full[0] : 0;
    p.ty = f[1] == 2 ? 0.25f / coarse->full[1] : 0;
    p.tz = f[2] == 2 ? 0.25f / coarse->full[2] : 0;
    return p;
}

// Sum of the children of one cell in one row: r is the first child.
FM_INLINE float sum_pair(const float *r, int fx)
{
    return fx == 2 ? r[0] + r[1] : r[0];
}

// The part of the restriction along y or z, from child row number d of the factor f. low, high: t/4
// at the low and the high face of the coarse cell.
FM_INLINE float gather_across(const float *r, int fx, float sum, int d, int f, ptrdiff_t stride,
                              float low, float high)
{
    if (f == 1)
        return 0;
    return d == 0 ? low * (sum_pair(r - stride, fx) - sum)
                  : high * (sum_pair(r + stride, fx) - sum);
}

// Restricts the residual of the fine level to the right side of the coarse one.
FM_SIMD_CLONES static void restrict_rows(void *context, int first, int last)
{
    const pass *p = context;
    const fm_multigrid_level *m = p->coarse;
    ptrdiff_t sy = m->layout.stride[1], sz = m->layout.stride[2];
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&m->layout, row);
        parents at = find_parents(p->level, m, row);
        for (int i = 0; i < m->layout.n[0]; i++, q++) {
            float x0 = at.tx * m->c[0][q], x1 = at.tx * m->c[0][q + 1];
            float y0 = at.ty * m->c[1][q], y1 = at.ty * m->c[1][q + sy];
            float z0 = at.tz * m->c[2][q], z1 = at.tz * m->c[2][q + sz], total = 0;
            for (int d = 0; d < at.fy * at.fz; d++) {
                int dy = at.fy == 2 ? d & 1 : 0, dz = at.fy == 2 ? d >> 1 : d;
                const float *r = p->in + at.fine + at.fx * i + dy * at.sy + dz * at.sz;
                float sum = sum_pair(r, at.fx);
                total += sum + x0 * (r[-1] - r[0]) + x1 * (r[at.fx] - r[at.fx - 1]);
                total += gather_across(r, at.fx, sum, dy, at.fy, at.sy, y0, y1);
                total += gather_across(r, at.fx, sum, dz, at.fz, at.sz, z0, z1);
            }
            m->b[q] = total;
        }
    }
}

// Adds the correction of the coarse level to the rows of the fine one.
FM_SIMD_CLONES static void prolong_rows(void *context, int first, int last)
{
    const pass *p = context;
    const fm_multigrid_level *m = p->level, *coarse = p->coarse;
    const float *restrict C = p->in;
    float *restrict out = p->out;
    for (int row = first; row < last; row++) {
        int j = row % m->layout.n[1], k = row / m->layout.n[1];
        int J = j / m->factor[1], K = k / m->factor[2];
        ptrdiff_t q = fm_cell_row(&m->layout, row), sy = coarse->layout.stride[1],
                  sz = coarse->layout.stride[2];
        ptrdiff_t above = coarse->layout.start + J * sy + K * sz;
        parents at = find_parents(m, coarse, J + coarse->layout.n[1] * K);
        ptrdiff_t ny = j % m->factor[1] ? sy : -sy, nz = k % m->factor[2] ? sz : -sz;
        const float *cy = coarse->c[1] + (ny > 0 ? sy : 0), *cz = coarse->c[2] + (nz > 0 ? sz : 0);
        const float *cx = coarse->c[0];
        for (int i = 0; i < m->layout.n[0]; i += at.fx) {
            ptrdiff_t c = above + i / at.fx;
            float mid = C[c], base = mid + at.ty * cy[c] * (C[c + ny] - mid) +
                                     at.tz * cz[c] * (C[c + nz] - mid);
            out[q + i] += base + at.tx * cx[c] * (C[c - 1] - mid);
            if (at.fx == 2 && i + 1 < m->layout.n[0])
                out[q + i + 1] += base + at.tx * cx[c + 1] * (C[c + 1] - mid);
        }
        wrap_row(&m->layout, out, row, q);
    }
}

// Takes the smoothing passes from `first` to below `passes`, which is even. Even passes read y and
// write x, odd ones read x and write y, so the result is in y.
static void smooth(const fm_multigrid_level *m, fm_pool *pool, int first, int passes, double low)
{
    for (int k = first; k < passes; k++) {
        pass p = {.level = m, .weight = find_weight(k, passes, low)};
        p.in = k % 2 ? m->x : m->y;
        p.out = k % 2 ? m->y : m->x;
        run(m, pool, smooth_rows, &p);
    }
}

// Smooths from x = 0; the result is in y after an even number of passes.
static void smooth_from_zero(const fm_multigrid_level *m, fm_pool *pool, int passes, double low)
{
    run(m, pool, start_rows,
        &(pass){.level = m, .out = m->x, .weight = find_weight(0, passes, low)});
    smooth(m, pool, 1, passes, low);
}

// Number of a cell of the coarsest level in its dense matrix.
static int find_number(const fm_cell_layout *l, int i, int j, int k)
{
    return i + l->n[0] * (j + l->n[1] * k);
}

// Solves the coarsest level with its factor L: L L^T y = b.
static void solve_directly(const fm_multigrid *grid)
{
    const fm_multigrid_level *m = &grid->levels[grid->count - 1];
    const fm_cell_layout *l = &m->layout;
    int rows = fm_cell_row_count(l), n = rows * l->n[0];
    double *y = grid->solved;
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < l->n[0]; i++)
            y[row * l->n[0] + i] = m->b[fm_cell_row(l, row) + i];
    for (int i = 0; i < n; i++) {
        const double *L = grid->factor + (size_t)i * n;
        for (int j = 0; j < i; j++)
            y[i] -= L[j] * y[j];
        y[i] = L[i] > 0 ? y[i] / L[i] : 0;
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *L = grid->factor + (size_t)i * n;
        y[i] = L[i] > 0 ? y[i] / L[i] : 0;
        for (int j = 0; j < i; j++)
            y[j] -= L[j] * y[i];
    }
    for (int row = 0; row < rows; row++) {
        ptrdiff_t q = fm_cell_row(l, row);
        for (int i = 0; i < l->n[0]; i++)
            m->y[q + i] = (float)y[row * l->n[0] + i];
        wrap_row(l, m->y, row, q);
    }
}

// One V-cycle from a level downwards: solves A y = b approximately.
static void cycle(fm_multigrid *grid, int index, fm_pool *pool)
{
    fm_multigrid_level *m = &grid->levels[index], *coarse = m + 1;
    if (index == grid->count - 1 && grid->factor) {
        solve_directly(grid);
        return;
    }
    if (index == grid->count - 1) {
        smooth_from_zero(m, pool, LONG_PASSES, LOW_COARSEST);
        return;
    }
    smooth_from_zero(m, pool, PASSES, LOW);
    pass p = {.level = m, .coarse = coarse, .in = m->y, .out = m->x};
    run(m, pool, compute_residual_rows, &p);
    p.in = m->x;
    run(coarse, pool, restrict_rows, &p);
    cycle(grid, index + 1, pool);
    p.in = coarse->y;
    p.out = m->y;
    run(m, pool, prolong_rows, &p);
    smooth(m, pool, 0, PASSES, LOW);
}

void fm_multigrid_cycle(fm_multigrid *grid, fm_pool *pool)
{
    cycle(grid, 0, pool);
}

// Computes the sums of the conductances of a row, and whether it is uniform.
static void prepare_row(const fm_multigrid_level *m, int row)
{
    ptrdiff_t sy = m->layout.stride[1], sz = m->layout.stride[2], q = fm_cell_row(&m->layout, row);
    int n = m->layout.n[0];
    bool uniform = n > 2;
    for (int i = 0; i < n; i++, q++) {
        float all = m->c[0][q] + m->c[0][q + 1] + m->c[1][q] + m->c[1][q + sy] + m->c[2][q] +
                    m->c[2][q + sz] + m->given[q];
        m->inverse[q] = all > 0 ? 1 / all : 0;
        uniform &= m->given[q] == 0 && (i == 0 || m->c[0][q] == m->full[0]) &&
                   m->c[1][q] == m->full[1] && m->c[1][q + sy] == m->full[1] &&
                   m->c[2][q] == m->full[2] && m->c[2][q + sz] == m->full[2];
    }
    m->uniform[row] = uniform;
}

// The same for the changed rows from `first` to below `last`. They are then unchanged.
static void prepare_rows(void *context, int first, int last)
{
    const fm_multigrid_level *m = ((pass *)context)->level;
    for (int row = first; row < last; row++)
        if (m->changed[row])
            prepare_row(m, row);
    memset(m->changed + first, 0, (size_t)(last - first));
}

// Conductance of the coarse face at (i, j, k), low along `axis`.
static float sum_faces(const fm_multigrid_level *fine, const int at[3], int axis)
{
    const fm_cell_layout *l = &fine->layout;
    int first[3], past[3];
    for (int a = 0; a < 3; a++) {
        first[a] = at[a] * fine->factor[a];
        past[a] = first[a] + fine->factor[a] < l->n[a] ? first[a] + fine->factor[a] : l->n[a];
    }
    first[axis] = first[axis] < l->n[axis] ? first[axis] : l->n[axis];
    past[axis] = first[axis] + 1;
    float total = 0;
    for (int k = first[2]; k < past[2]; k++)
        for (int j = first[1]; j < past[1]; j++)
            for (int i = first[0]; i < past[0]; i++)
                total += fine->c[axis][l->start + i + j * l->stride[1] + k * l->stride[2]];
    return total / (float)fine->factor[axis];
}

// Conductance of the coarse cell at (i, j, k) to the pressure 0.
static float sum_given(const fm_multigrid_level *fine, const int at[3])
{
    const fm_cell_layout *l = &fine->layout;
    const int *f = fine->factor;
    float total = 0;
    for (int k = f[2] * at[2]; k < f[2] * (at[2] + 1) && k < l->n[2]; k++)
        for (int j = f[1] * at[1]; j < f[1] * (at[1] + 1) && j < l->n[1]; j++)
            for (int i = f[0] * at[0]; i < f[0] * (at[0] + 1) && i < l->n[0]; i++)
                total += fine->given[l->start + i + j * l->stride[1] + k * l->stride[2]];
    return 0.5f * total;
}

// Computes the conductances of the low faces of the coarse cell at (i, j, k), which may be one past
// the last along one axis, and of the cell to the pressure 0.
static void coarsen_cell(const fm_multigrid_level *fine, const fm_multigrid_level *coarse,
                         const int at[3])
{
    const fm_cell_layout *l = &coarse->layout;
    ptrdiff_t q = l->start + at[0] + at[1] * l->stride[1] + at[2] * l->stride[2];
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        if (at[b] < l->n[b] && at[c] < l->n[c])
            coarse->c[axis][q] = sum_faces(fine, at, axis);
    }
    if (at[0] < l->n[0] && at[1] < l->n[1] && at[2] < l->n[2])
        coarse->given[q] = sum_given(fine, at);
}

// Computes the conductances of the changed coarse rows from `first` to below `last`.
static void coarsen_rows(void *context, int first, int last)
{
    const pass *p = context;
    const int *n = p->coarse->layout.n;
    for (int row = first; row < last; row++) {
        int j = row % n[1], k = row / n[1];
        for (int i = 0; i <= n[0] && p->coarse->changed[row]; i++) {
            coarsen_cell(p->level, p->coarse, (int[]){i, j, k});
            if (j == n[1] - 1)
                coarsen_cell(p->level, p->coarse, (int[]){i, n[1], k});
            if (k == n[2] - 1)
                coarsen_cell(p->level, p->coarse, (int[]){i, j, n[2]});
        }
    }
}

// Marks the rows of the coarse level that contain changed rows of the fine one.
static void mark_coarse_rows(const fm_multigrid_level *fine, const fm_multigrid_level *coarse)
{
    for (int row = 0; row < fm_cell_row_count(&fine->layout); row++)
        if (fine->changed[row]) {
            int j = row % fine->layout.n[1], k = row / fine->layout.n[1];
            coarse->changed[j / fine->factor[1] + coarse->layout.n[1] * (k / fine->factor[2])] = 1;
        }
}

// Cholesky factorization of the coarsest level. A pivot that rounding cannot tell from zero belongs
// to a closed region or a solid cell.
static void factorize(fm_multigrid *grid)
{
    const fm_multigrid_level *m = &grid->levels[grid->count - 1];
    const fm_cell_layout *l = &m->layout;
    int n = fm_cell_row_count(l) * l->n[0];
    double *L = grid->factor;
    memset(L, 0, (size_t)n * n * sizeof *L);
    for (int k = 0; k < l->n[2]; k++)
        for (int j = 0; j < l->n[1]; j++)
            for (int i = 0; i < l->n[0]; i++) {
                ptrdiff_t q = l->start + i + j * l->stride[1] + k * l->stride[2];
                int self = find_number(l, i, j, k);
                L[(size_t)self * n + self] = m->given[q];
                for (int side = 0; side < 6; side++) {
                    int axis = side / 2, next[3] = {i, j, k};
                    double c = m->c[axis][q + (side % 2 ? l->stride[axis] : 0)];
                    next[axis] += side % 2 ? 1 : -1;
                    if (l->periodic[axis])
                        next[axis] = (next[axis] + l->n[axis]) % l->n[axis];
                    L[(size_t)self * n + self] += c;
                    if (next[axis] >= 0 && next[axis] < l->n[axis])
                        L[(size_t)self * n + find_number(l, next[0], next[1], next[2])] -= c;
                }
            }
    for (int i = 0; i < n; i++) {
        double *row = L + (size_t)i * n, diagonal = row[i];
        for (int j = 0; j <= i; j++) {
            const double *other = L + (size_t)j * n;
            double s = row[j];
            for (int k = 0; k < j; k++)
                s -= row[k] * other[k];
            if (j < i)
                row[j] = other[j] > 0 ? s / other[j] : 0;
            else
                row[i] = s > 1e-6 * diagonal ? sqrt(s) : 0;
        }
    }
}

// Computes what depends on the conductances of the changed rows: on all coarser levels, and the
// factor of the coarsest.
void fm_multigrid_update(fm_multigrid *grid, fm_pool *pool)
{
    for (int i = 0; i < grid->count; i++) {
        pass p = {.level = &grid->levels[i], .coarse = &grid->levels[i + 1]};
        if (i + 1 < grid->count) {
            mark_coarse_rows(p.level, p.coarse);
            run(p.coarse, pool, coarsen_rows, &p);
        }
        run(p.level, pool, prepare_rows, &p);
    }
    if (grid->factor)
        factorize(grid);
}

// The same for all rows.
void fm_multigrid_prepare(fm_multigrid *grid, fm_pool *pool)
{
    const fm_multigrid_level *m = &grid->levels[0];
    memset(m->changed, 1, (size_t)fm_cell_row_count(&m->layout));
    fm_multigrid_update(grid, pool);
}
