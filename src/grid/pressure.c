// SPDX-License-Identifier: MIT
// pressure.c: the pressure solver: conjugate gradients preconditioned by multigrid, without a
// matrix.
//
// Solves A x = b with A of pressure.h, in double precision; the preconditioner M is one V-cycle in
// single precision:
//
//     z = M r,  d = z + beta d,  alpha = (r . z) / (d . A d),  x += alpha d,  r -= alpha A d
//     beta = z . (r - r_old) / (r_old . z_old)       [NOT00] flexible: M rounds to single precision
//
// A closed tank leaves x undetermined up to a constant. Then b must sum to zero, so its mean over
// the fluid cells is removed.
//
// Sums are taken over blocks of rows and added in the order of the blocks.
//
// [NOT00] Notay: Flexible conjugate gradients. SIAM Journal on Scientific Computing 22(4), 2000.
#include "grid/pressure.h"

#include "core/simd.h"

#include <string.h>

struct fm_poisson {
    fm_multigrid grid;
    fm_cell_layout layout;
    double *x, *r, *d, *q; // solution, residual, search direction, A d
    double *partial[3];    // [blocks] sums
    int fluid_cells;
    bool closed;                  // no face leads to a given pressure
    bool changed;                 // conductances have been set since the levels were computed
    const fm_flux_entry *entries; // of bodies that the pressure moves
    const fm_flux_vector *bodies; // [body_count]
    int body_count;
};

// Creates a solver for n cells.
fm_poisson *fm_poisson_create(fm_arena *arena, const int n[3], const bool periodic[3],
                              fm_error *err)
{
    fm_poisson *s = fm_arena_alloc(arena, 1, sizeof *s, "grid", err);
    if (!s || !fm_multigrid_create(&s->grid, arena, n, periodic, err))
        return NULL;
    s->layout = s->grid.levels[0].layout;
    double **arrays[4] = {&s->x, &s->r, &s->d, &s->q};
    for (int i = 0; i < 4; i++)
        *arrays[i] = fm_arena_alloc(arena, s->layout.count, sizeof(double), "grid", err);
    int blocks = fm_parallel_block_count(fm_cell_row_count(&s->layout), FM_GRID_BLOCK);
    for (int i = 0; i < 3; i++)
        s->partial[i] = fm_arena_alloc(arena, (size_t)blocks, sizeof(double), "grid", err);
    return err->status == FM_OK ? s : NULL;
}

const fm_cell_layout *fm_poisson_layout(const fm_poisson *solver)
{
    return &solver->layout;
}

float *fm_poisson_conductances(fm_poisson *solver, int axis)
{
    return solver->grid.levels[0].c[axis];
}

float *fm_poisson_given_conductances(fm_poisson *solver)
{
    return solver->grid.levels[0].given;
}

double *fm_poisson_right_side(fm_poisson *solver)
{
    return solver->r;
}

double *fm_poisson_solution(fm_poisson *solver)
{
    return solver->x;
}

// Whether a face of the outermost cells along an axis leads to a given pressure.
static bool has_given_pressure(const fm_poisson *s, int axis)
{
    const fm_cell_layout *l = &s->layout;
    const float *c = s->grid.levels[0].c[axis];
    int b = (axis + 1) % 3, d = (axis + 2) % 3;
    ptrdiff_t end = l->n[axis] * l->stride[axis];
    for (int j = 0; j < l->n[b] && !l->periodic[axis]; j++)
        for (int k = 0; k < l->n[d]; k++) {
            ptrdiff_t q = l->start + j * l->stride[b] + k * l->stride[d];
            if (c[q] > 0 || c[q + end] > 0)
                return true;
        }
    return false;
}

// Prepares the solver for new conductances.
void fm_poisson_prepare(fm_poisson *s, fm_pool *pool)
{
    fm_multigrid_prepare(&s->grid, pool);
    s->changed = false;
    const fm_cell_layout *l = &s->layout;
    s->closed = !has_given_pressure(s, 0) && !has_given_pressure(s, 1) && !has_given_pressure(s, 2);
    s->fluid_cells = 0;
    for (int row = 0; row < fm_cell_row_count(l); row++)
        for (int i = 0; i < l->n[0]; i++) {
            ptrdiff_t q = fm_cell_row(l, row) + i;
            s->fluid_cells += s->grid.levels[0].inverse[q] > 0;
            s->closed &= s->grid.levels[0].given[q] == 0;
        }
}

// Sets the conductance of the low face of a cell, and marks the rows on its two sides.
void fm_poisson_set_conductance(fm_poisson *s, int axis, ptrdiff_t cell, float value)
{
    const fm_cell_layout *l = &s->layout;
    unsigned char *changed = s->grid.levels[0].changed;
    ptrdiff_t from = cell - l->start, at[3];
    at[2] = from / l->stride[2];
    at[1] = (from - at[2] * l->stride[2]) / l->stride[1];
    at[0] = from - at[2] * l->stride[2] - at[1] * l->stride[1];
    s->grid.levels[0].c[axis][cell] = value;
    if (l->periodic[axis] && at[axis] == 0)
        s->grid.levels[0].c[axis][cell + l->n[axis] * l->stride[axis]] = value;
    changed[at[1] + l->n[1] * at[2]] = 1;
    at[axis] = at[axis] > 0 ? at[axis] - 1 : l->n[axis] - 1;
    changed[at[1] + l->n[1] * at[2]] = 1;
    s->changed = true;
}

// Prepares the solver for the conductances that fm_poisson_set_conductance has changed.
void fm_poisson_update(fm_poisson *s, fm_pool *pool)
{
    if (s->changed)
        fm_multigrid_update(&s->grid, pool);
    s->changed = false;
}

void fm_poisson_set_bodies(fm_poisson *s, const fm_flux_entry *entries,
                           const fm_flux_vector *vectors, int count)
{
    s->entries = entries;
    s->bodies = vectors;
    s->body_count = count;
}

// a . x of a body.
static double dot_body(const fm_poisson *s, const fm_flux_vector *body, const double *x)
{
    double total = 0;
    for (int i = body->first; i < body->first + body->count; i++)
        total += s->entries[i].value * x[s->entries[i].cell];
    return total;
}

double fm_poisson_find_flux(const fm_poisson *s, const fm_flux_vector *vector)
{
    return dot_body(s, vector, s->x);
}

// out += sum over bodies of w a (a . x). Returns what x . out grows by.
static double add_bodies(const fm_poisson *s, const double *x, double *out)
{
    double total = 0;
    for (int k = 0; k < s->body_count; k++) {
        const fm_flux_vector *body = &s->bodies[k];
        double flux = dot_body(s, body, x);
        for (int i = body->first; i < body->first + body->count; i++)
            out[s->entries[i].cell] += body->weight * flux * s->entries[i].value;
        total += body->weight * flux * flux;
    }
    return total;
}

// b -= sum over bodies of w a (a . x), for the first guess of x.
static void subtract_bodies(fm_poisson *s)
{
    for (int k = 0; k < s->body_count; k++) {
        const fm_flux_vector *body = &s->bodies[k];
        double flux = dot_body(s, body, s->x);
        for (int i = body->first; i < body->first + body->count; i++)
            s->r[s->entries[i].cell] -= body->weight * flux * s->entries[i].value;
    }
}

// One pass of the solver over all rows. Sums of a block go to partial[k][block].
typedef struct pass {
    fm_poisson *s;
    double alpha, beta, shift;
} pass;

// Sum number k of all blocks, in the order of the blocks.
static double add_partial(const fm_poisson *s, int k)
{
    int blocks = fm_parallel_block_count(fm_cell_row_count(&s->layout), FM_GRID_BLOCK);
    double total = 0;
    for (int i = 0; i < blocks; i++)
        total += s->partial[k][i];
    return total;
}

// Largest value number k of all blocks; NaN if one of them is.
static double find_largest(const fm_poisson *s, int k)
{
    int blocks = fm_parallel_block_count(fm_cell_row_count(&s->layout), FM_GRID_BLOCK);
    double largest = 0;
    for (int i = 0; i < blocks; i++)
        largest =
            s->partial[k][i] > largest || isnan(s->partial[k][i]) ? s->partial[k][i] : largest;
    return largest;
}

// Runs one pass of the solver over all rows.
static void run(fm_poisson *s, fm_pool *pool, fm_range_body *body, pass *p)
{
    int rows = fm_cell_row_count(&s->layout);
    p->s = s;
    fm_parallel_for(fm_grid_share(pool, 2.0 * rows * s->layout.n[0]), rows, FM_GRID_BLOCK, body, p);
}

// Copies the row that begins at index q to the ghost layers of periodic axes.
FM_INLINE void wrap_row(const fm_cell_layout *l, double *x, int row, ptrdiff_t q)
{
    int at[3] = {0, row % l->n[1], row / l->n[1]};
    if (l->periodic[0]) {
        x[q - 1] = x[q + l->n[0] - 1];
        x[q + l->n[0]] = x[q];
    }
    for (int a = 1; a < 3; a++) {
        ptrdiff_t shift = l->n[a] * l->stride[a];
        size_t bytes = (size_t)(l->n[0] + 2) * sizeof *x;
        if (l->periodic[a] && at[a] == 0)
            memcpy(x + q + shift - 1, x + q - 1, bytes);
        if (l->periodic[a] && at[a] == l->n[a] - 1)
            memcpy(x + q - shift - 1, x + q - 1, bytes);
    }
}

// (A x) at index q.
FM_INLINE double apply_at(const fm_multigrid_level *m, const double *restrict x, ptrdiff_t q)
{
    ptrdiff_t sy = m->layout.stride[1], sz = m->layout.stride[2];
    const float *cx = m->c[0], *cy = m->c[1], *cz = m->c[2];
    double mid = x[q];
    return m->given[q] * mid + cx[q] * (mid - x[q - 1]) + cx[q + 1] * (mid - x[q + 1]) +
           cy[q] * (mid - x[q - sy]) + cy[q + sy] * (mid - x[q + sy]) + cz[q] * (mid - x[q - sz]) +
           cz[q + sz] * (mid - x[q + sz]);
}

// The same inside a row whose conductances are all those of open faces.
FM_INLINE double apply_uniform_at(const fm_multigrid_level *m, const double *restrict x,
                                  ptrdiff_t q, const double full[3])
{
    ptrdiff_t sy = m->layout.stride[1], sz = m->layout.stride[2];
    double mid = 2 * x[q];
    return full[0] * (mid - x[q - 1] - x[q + 1]) + full[1] * (mid - x[q - sy] - x[q + sy]) +
           full[2] * (mid - x[q - sz] - x[q + sz]);
}

// out = A x for one row of cells, which begins at index q.
FM_INLINE void apply_row(const fm_multigrid_level *m, const double *restrict x,
                         double *restrict out, int row, ptrdiff_t q)
{
    double full[3] = {m->full[0], m->full[1], m->full[2]};
    int n = m->layout.n[0];
    if (m->uniform[row]) {
        out[q] = apply_at(m, x, q);
#pragma omp simd
        for (int i = 1; i < n - 1; i++)
            out[q + i] = apply_uniform_at(m, x, q + i, full);
        out[q + n - 1] = apply_at(m, x, q + n - 1);
    } else {
#pragma omp simd
        for (int i = 0; i < n; i++)
            out[q + i] = apply_at(m, x, q + i);
    }
}

// q = A d; sums d . q.
FM_SIMD_CLONES static void apply_rows(void *context, int first, int last)
{
    pass *p = context;
    fm_poisson *s = p->s;
    const double *restrict d = s->d;
    double *restrict out = s->q, total = 0;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&s->layout, row);
        apply_row(&s->grid.levels[0], d, out, row, q);
#pragma omp simd reduction(+ : total)
        for (int i = 0; i < s->layout.n[0]; i++)
            total += d[q + i] * out[q + i];
    }
    s->partial[0][first / FM_GRID_BLOCK] = total;
}

// r = b - A x for the first guess. Shifts b by its mean.
FM_SIMD_CLONES static void start_rows(void *context, int first, int last)
{
    pass *p = context;
    fm_poisson *s = p->s;
    const fm_multigrid_level *m = &s->grid.levels[0];
    double largest = 0;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&s->layout, row);
        apply_row(m, s->x, s->q, row, q);
#pragma omp simd reduction(max : largest)
        for (int i = 0; i < s->layout.n[0]; i++) {
            double r = m->inverse[q + i] > 0 ? s->r[q + i] - p->shift - s->q[q + i] : 0;
            s->r[q + i] = r;
            m->b[q + i] = (float)r;
            largest = fabs(r) > largest ? fabs(r) : largest;
        }
    }
    s->partial[1][first / FM_GRID_BLOCK] = largest;
}

// x += alpha d, r -= alpha q; finds the largest residual.
FM_SIMD_CLONES static void update_rows(void *context, int first, int last)
{
    pass *p = context;
    fm_poisson *s = p->s;
    const double *restrict d = s->d, *restrict A_d = s->q;
    double *restrict x = s->x, *restrict r = s->r, largest = 0, alpha = p->alpha;
    float *restrict b = s->grid.levels[0].b;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&s->layout, row);
#pragma omp simd reduction(max : largest)
        for (int i = 0; i < s->layout.n[0]; i++) {
            x[q + i] += alpha * d[q + i];
            double left = r[q + i] - alpha * A_d[q + i];
            r[q + i] = left;
            b[q + i] = (float)left;
            largest = fabs(left) > largest ? fabs(left) : largest;
        }
    }
    s->partial[1][first / FM_GRID_BLOCK] = largest;
}

// Sums r . z and q . z.
FM_SIMD_CLONES static void sum_rows(void *context, int first, int last)
{
    pass *p = context;
    fm_poisson *s = p->s;
    const float *restrict z = s->grid.levels[0].y;
    const double *restrict r = s->r, *restrict A_d = s->q;
    double rz = 0, qz = 0;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&s->layout, row);
#pragma omp simd reduction(+ : rz, qz)
        for (int i = 0; i < s->layout.n[0]; i++) {
            rz += r[q + i] * z[q + i];
            qz += A_d[q + i] * z[q + i];
        }
    }
    s->partial[0][first / FM_GRID_BLOCK] = rz;
    s->partial[2][first / FM_GRID_BLOCK] = qz;
}

// d = z + beta d.
FM_SIMD_CLONES static void turn_rows(void *context, int first, int last)
{
    pass *p = context;
    fm_poisson *s = p->s;
    const float *restrict z = s->grid.levels[0].y;
    double *restrict d = s->d, beta = p->beta;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&s->layout, row);
#pragma omp simd
        for (int i = 0; i < s->layout.n[0]; i++)
            d[q + i] = z[q + i] + beta * d[q + i];
        wrap_row(&s->layout, d, row, q);
    }
}

// Sums b over the fluid cells. Copies the first guess of x to the ghost layers of periodic axes.
static void sum_right_side(void *context, int first, int last)
{
    pass *p = context;
    fm_poisson *s = p->s;
    const float *inverse = s->grid.levels[0].inverse;
    double total = 0;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&s->layout, row);
        for (int i = 0; i < s->layout.n[0]; i++)
            total += inverse[q + i] > 0 ? s->r[q + i] : 0;
        wrap_row(&s->layout, s->x, row, q);
    }
    s->partial[0][first / FM_GRID_BLOCK] = total;
}

// Sums x over the fluid cells.
static void sum_solution(void *context, int first, int last)
{
    fm_poisson *s = ((pass *)context)->s;
    const float *inverse = s->grid.levels[0].inverse;
    double total = 0;
    for (int row = first; row < last; row++)
        for (int i = 0; i < s->layout.n[0]; i++) {
            ptrdiff_t q = fm_cell_row(&s->layout, row) + i;
            total += inverse[q] > 0 ? s->x[q] : 0;
        }
    s->partial[0][first / FM_GRID_BLOCK] = total;
}

// Shifts the solution, and copies it to the ghost layers of periodic axes.
static void finish_rows(void *context, int first, int last)
{
    const pass *p = context;
    fm_poisson *s = p->s;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_cell_row(&s->layout, row);
        for (int i = 0; i < s->layout.n[0]; i++)
            s->x[q + i] -= s->grid.levels[0].inverse[q + i] > 0 ? p->shift : 0;
        wrap_row(&s->layout, s->x, row, q);
    }
}

// Solves A x = b by preconditioned conjugate gradients.
fm_poisson_result fm_poisson_solve(fm_poisson *s, double tolerance, int iterations, fm_pool *pool)
{
    pass p = {0};
    subtract_bodies(s);
    run(s, pool, sum_right_side, &p);
    p.shift = s->closed && s->fluid_cells > 0 ? add_partial(s, 0) / s->fluid_cells : 0;
    run(s, pool, start_rows, &p);
    fm_poisson_result result = {.residual = find_largest(s, 1)};
    double rz_old = 0;
    // One iteration even within the tolerance: smooth errors have small residuals, and would
    // otherwise stay in the pressure of a nearly steady flow.
    double limit = 1e-6 * tolerance;
    while (!(result.residual <= limit) && result.iterations < iterations) {
        limit = tolerance;
        fm_multigrid_cycle(&s->grid, pool);
        run(s, pool, sum_rows, &p);
        double rz = add_partial(s, 0);
        p.beta = result.iterations ? -p.alpha * add_partial(s, 2) / rz_old : 0;
        rz_old = rz;
        run(s, pool, turn_rows, &p);
        run(s, pool, apply_rows, &p);
        double d_q = add_partial(s, 0) + add_bodies(s, s->d, s->q);
        if (!(d_q > 0)) // no search direction is left, or a NaN
            break;
        p.alpha = rz / d_q;
        run(s, pool, update_rows, &p);
        result.residual = find_largest(s, 1);
        result.iterations++;
    }
    result.converged = result.residual <= tolerance;
    run(s, pool, sum_solution, &p);
    p.shift = s->closed && s->fluid_cells > 0 ? add_partial(s, 0) / s->fluid_cells : 0;
    run(s, pool, finish_rows, &p);
    return result;
}
