// SPDX-License-Identifier: MIT
// mesh_levels.c: the matrix of a Newton iteration on the levels of a mesh or tube, its product, and
// the preconditioner.
//
// The blocks of springs and stitches are those of implicit_system.c. Hinges with a rest angle enter
// as if they were flat. The blocks of the coarser levels are sums of those of the finer ones
// (mesh_levels_plan.c); `own` is lumped. A pinned particle enters `own` of the coarser level with
// PIN times its springs.
//
// The preconditioner is one V-cycle as on sheets (implicit_multigrid.c): Chebyshev smoothing of
// inverse * A, restriction of the residual by P^T, interpolation by P. It is symmetric and positive
// definite as long as the smoother is a contraction: for eigenvalues of inverse * A below
// 9/8 EIGENVALUE. On level 0 they are below 4 (implicit_system.c); on coarser levels power
// iteration finds 1.9 to 3.4 in tubes and in regular, irregular and sewn meshes.
//
// With the inverse diagonal alone, conjugate gradients take 0.6 to 1 sqrt(kappa) iterations, with
// kappa = 2/3 of the mean of trace own^-1 diagonal: 33, 54 and 117 on meshes of 41x27, 61x41 and
// 122x82, where sqrt(kappa) is 50, 77 and 157. A solve with the levels takes as long as 16 to 30 of
// these. Below sqrt(kappa) = PLAIN the levels stay unused.
#include "cloth/implicit.h"

#include <math.h>
#include <string.h>

enum {
    SMOOTH = 2,          // degree of the smoothing polynomial
    SMOOTH_COARSEST = 8, // on the coarsest level
};
static const double RANGE = 8, RANGE_COARSEST = 100; // largest over smallest smoothed eigenvalue
static const double PIN = 4;
static const double EIGENVALUE = 4; // bound on the largest of inverse * A
static const double PLAIN = 24;     // sqrt(kappa)

// Arguments of the parallel loops.
typedef struct task {
    fm_mesh_level *a;       // the level
    const fm_mesh_level *f; // the next finer one
    const fm_system *system;
    const fm_vec3_array *x;
    const fm_hessian_factors *factors;
    const fm_float_axes *in, *out;
    const fm_four_floats *b;
    float bending;
    float old, fresh; // step = old * step + fresh * inverse * residual
} task;

// The product of a symmetric block and the vector d.
FM_INLINE fm_four_floats multiply_block(const float *m, fm_four_floats d)
{
    fm_four_floats low = fm_four_floats_load(m), high = fm_four_floats_load(m + 2);
    fm_four_floats second = __builtin_shufflevector(low, high, 1, 3, 6, 6);
    fm_four_floats third = __builtin_shufflevector(high, high, 0, 2, 3, 3);
    return low * __builtin_shufflevector(d, d, 0, 0, 0, 0) +
           second * __builtin_shufflevector(d, d, 1, 1, 1, 1) +
           third * __builtin_shufflevector(d, d, 2, 2, 2, 2);
}

// Row i of A x.
FM_INLINE fm_four_floats multiply_row(const fm_mesh_level *a, float bending, int i,
                                      const fm_four_floats *x)
{
    const fm_four_floats own = x[i], mask = {1, 1, 1, 0};
    fm_four_floats sum = multiply_block(a->own + 6 * (size_t)i, own), far = {0, 0, 0, 0};
    for (int k = a->near.start[i]; k < a->near.start[i + 1]; k++)
        sum += multiply_block(a->near_block + 6 * (size_t)k, own - x[a->near.column[k]]);
    for (int k = a->far.start[i]; k < a->far.start[i + 1]; k++)
        far += a->far.weight[k] * (own - x[a->far.column[k]]);
    return (sum + bending * far) * mask;
}

// Blocks of the edges [first, last).
static void assemble_edges(void *context, int first, int last)
{
    const task *t = context;
    const fm_spring_mesh *mesh = &t->system->cloth->mesh;
    for (int i = first; i < last; i++) {
        int a = mesh->edge_a[i], b = mesh->edge_b[i];
        double dx = t->x->x[b] - t->x->x[a], dy = t->x->y[b] - t->x->y[a],
               dz = t->x->z[b] - t->x->z[a];
        double ll = dx * dx + dy * dy + dz * dz + FM_TINY;
        double k = mesh->edge_stiffness[i] * t->factors->springs;
        double share = 1 - mesh->edge_rest[i] / sqrt(ll), alpha = k * (share > 0 ? share : 0);
        double beta = (k + mesh->edge_damping[i] * t->factors->damping - alpha) / ll;
        float *m = t->a->pair + 6 * (size_t)i;
        m[0] = (float)(alpha + beta * dx * dx), m[1] = (float)(beta * dx * dy);
        m[2] = (float)(beta * dx * dz), m[3] = (float)(alpha + beta * dy * dy);
        m[4] = (float)(beta * dy * dz), m[5] = (float)(alpha + beta * dz * dz);
    }
}

// Row i of the sums: the weighted sum of blocks of the finer level.
static void sum_blocks(const fm_rows *rows, int i, const float *fine, float *coarse)
{
    float m[6] = {0};
    for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const float *from = fine + 6 * (size_t)rows->column[k];
        for (int j = 0; j < 6; j++)
            m[j] += rows->weight[k] * from[j];
    }
    memcpy(coarse + 6 * (size_t)i, m, sizeof m);
}

// Blocks of the coarse pairs [first, last).
static void sum_pairs(void *context, int first, int last)
{
    const task *t = context;
    for (int p = first; p < last; p++)
        sum_blocks(&t->a->sum, p, t->f->pair, t->a->pair);
}

// `own` of the particles [first, last) of the finest level.
static void copy_own(void *context, int first, int last)
{
    const task *t = context;
    for (int i = first; i < last; i++) {
        for (int k = 0; k < 6; k++)
            t->a->own[6 * (size_t)i + k] = t->system->own.m[k][i];
    }
}

// `own` of the particles [first, last) of a coarser level.
static void sum_own(void *context, int first, int last)
{
    const task *t = context;
    for (int i = first; i < last; i++)
        sum_blocks(&t->a->lump, i, t->f->own, t->a->own);
}

// Inverts a symmetric block; zeros for a pinned particle.
static void invert_block(const double m[6], float moves, float *out)
{
    double p = m[3] * m[5] - m[4] * m[4], q = m[2] * m[4] - m[1] * m[5],
           r = m[1] * m[4] - m[2] * m[3];
    double scale = (double)moves / (m[0] * p + m[1] * q + m[2] * r);
    out[0] = (float)(scale * p), out[1] = (float)(scale * q), out[2] = (float)(scale * r);
    out[3] = (float)(scale * (m[0] * m[5] - m[2] * m[2]));
    out[4] = (float)(scale * (m[1] * m[2] - m[0] * m[4]));
    out[5] = (float)(scale * (m[0] * m[3] - m[1] * m[1]));
}

// Blocks of the rows [first, last), and the inverse of their diagonal.
static void fill_rows(void *context, int first, int last)
{
    const task *t = context;
    fm_mesh_level *a = t->a;
    for (int i = first; i < last; i++) {
        double d[6];
        for (int j = 0; j < 6; j++)
            d[j] = (double)a->own[6 * (size_t)i + j];
        for (int k = a->near.start[i]; k < a->near.start[i + 1]; k++) {
            const float *from = a->pair + 6 * (size_t)a->near_pair[k];
            float *to = a->near_block + 6 * (size_t)k, bend = t->bending * a->near.weight[k];
            for (int j = 0; j < 6; j++)
                to[j] = from[j];
            to[0] += bend, to[3] += bend, to[5] += bend;
            for (int j = 0; j < 6; j++)
                d[j] += (double)to[j];
        }
        for (int k = a->far.start[i]; k < a->far.start[i + 1]; k++) {
            double bend = (double)(t->bending * a->far.weight[k]);
            d[0] += bend, d[3] += bend, d[5] += bend;
        }
        invert_block(d, a->moves ? a->moves[i] : 1, a->inverse + 6 * (size_t)i);
    }
}

static double trace(const float *block)
{
    return (double)block[0] + (double)block[3] + (double)block[5];
}

// `own` of the pinned particles becomes PIN times the trace of their springs, which holds the
// coarser levels. It does not matter on the finest level, where these particles do not move.
static void hold_pinned_particles(const fm_cloth *c, const fm_mesh_level *a)
{
    for (int p = 0; p < c->pinned_count; p++) {
        int i = c->pinned[p];
        if (a->moves[i] != 0)
            continue;
        float *own = a->own + 6 * (size_t)i;
        double springs = 0;
        for (int k = a->near.start[i]; k < a->near.start[i + 1]; k++)
            springs += trace(a->near_block + 6 * (size_t)k);
        memset(own, 0, 6 * sizeof *own);
        own[0] = own[3] = own[5] = (float)(PIN * springs);
    }
}

// next_x = x + step with step = old step + fresh inverse (b - A x).
FM_SIMD_CLONES
static void smooth_lanes(const fm_mesh_level *restrict a, const task *restrict t, int first,
                         int last, const fm_four_floats *restrict x, fm_four_floats *restrict next)
{
    for (int i = first; i < last; i++) {
        fm_four_floats g = t->b[i] - multiply_row(a, t->bending, i, x), mask = {1, 1, 1, 0};
        fm_four_floats step =
            t->old * a->step[i] + t->fresh * multiply_block(a->inverse + 6 * (size_t)i, g) * mask;
        a->step[i] = step;
        next[i] = x[i] + step;
    }
}

static void smooth_range(void *context, int first, int last)
{
    const task *t = context;
    smooth_lanes(t->a, t, first, last, t->a->x, t->a->next_x);
}

// The first step from x = 0.
FM_SIMD_CLONES
static void begin_lanes(const fm_mesh_level *restrict a, const task *restrict t, int first,
                        int last, fm_four_floats *restrict x)
{
    const fm_four_floats mask = {1, 1, 1, 0};
    for (int i = first; i < last; i++)
        x[i] = a->step[i] = t->fresh * multiply_block(a->inverse + 6 * (size_t)i, t->b[i]) * mask;
}

static void begin_range(void *context, int first, int last)
{
    const task *t = context;
    begin_lanes(t->a, t, first, last, t->a->x);
}

// r = moves (b - A x)
FM_SIMD_CLONES
static void residual_lanes(const fm_mesh_level *restrict a, const task *restrict t, int first,
                           int last, fm_four_floats *restrict r)
{
    for (int i = first; i < last; i++) {
        r[i] = t->b[i] - multiply_row(a, t->bending, i, a->x);
        if (a->moves)
            r[i] *= a->moves[i];
    }
}

static void residual_range(void *context, int first, int last)
{
    const task *t = context;
    residual_lanes(t->a, t, first, last, t->a->r);
}

// Chebyshev iteration of the given degree for A x = b, from the present x or from 0.
static void smooth(fm_mesh_level *a, fm_pool *pool, float bending, const fm_four_floats *b,
                   bool from_zero, int degree, double range)
{
    double high = EIGENVALUE, low = high / range, theta = (high + low) / 2,
           delta = (high - low) / 2, sigma = theta / delta, rho = 1 / sigma;
    for (int n = 0; n < degree; n++) {
        task t = {.a = a, .b = b, .bending = bending};
        double next = 1 / (2 * sigma - rho);
        t.old = n == 0 ? 0 : (float)(next * rho);
        t.fresh = n == 0 ? (float)(1 / theta) : (float)(2 * next / delta);
        if (n > 0)
            rho = next;
        if (from_zero && n == 0) {
            fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, begin_range, &t);
            continue;
        }
        fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, smooth_range, &t);
        fm_four_floats *x = a->x;
        a->x = a->next_x, a->next_x = x;
    }
}

// Sum of the weights of row i times from.
FM_INLINE fm_four_floats gather_row(const fm_rows *rows, int i, const fm_four_floats *from)
{
    fm_four_floats sum = {0, 0, 0, 0};
    for (int k = rows->start[i]; k < rows->start[i + 1]; k++)
        sum += rows->weight[k] * from[rows->column[k]];
    return sum;
}

static void restrict_range(void *context, int first, int last)
{
    const task *t = context;
    for (int i = first; i < last; i++)
        t->a->b[i] = gather_row(&t->a->gather, i, t->f->r);
}

// Adds the interpolated solution of level a to the particles [first, last) of the finer one.
static void interpolate_range(void *context, int first, int last)
{
    const task *t = context;
    for (int i = first; i < last; i++) {
        fm_four_floats d = gather_row(&t->a->spread, i, t->a->x);
        t->f->x[i] += (t->f->moves ? t->f->moves[i] : 1) * d;
    }
}

// V-cycle on level l for A x = b, from x = 0.
static void cycle(fm_mesh_levels *m, int l, fm_pool *pool, const fm_four_floats *b)
{
    fm_mesh_level *f = &m->level[l], *c = f + 1;
    if (l == m->count - 1) {
        smooth(f, pool, m->bending, b, true, SMOOTH_COARSEST, RANGE_COARSEST);
        return;
    }
    smooth(f, pool, m->bending, b, true, SMOOTH, RANGE);
    task t = {.a = f, .b = b, .bending = m->bending};
    fm_parallel_for(pool, f->count, FM_PARTICLE_BLOCK, residual_range, &t);
    t = (task){.a = c, .f = f};
    fm_parallel_for(pool, c->count, FM_PARTICLE_BLOCK, restrict_range, &t);
    cycle(m, l + 1, pool, c->b);
    fm_parallel_for(pool, f->count, FM_PARTICLE_BLOCK, interpolate_range, &t);
    smooth(f, pool, m->bending, b, false, SMOOTH, RANGE);
}

// Copies the particles [first, last) between vectors of the solver and of the levels.
static void take_range(void *context, int first, int last)
{
    const task *t = context;
    for (int i = first; i < last; i++)
        t->a->b[i] = (fm_four_floats){t->in->x[i], t->in->y[i], t->in->z[i], 0};
}

static void give_range(void *context, int first, int last)
{
    const task *t = context;
    for (int i = first; i < last; i++) {
        fm_four_floats x = t->a->x[i];
        t->out->x[i] = x[0], t->out->y[i] = x[1], t->out->z[i] = x[2];
    }
}

// Adds the blocks of the stitches, which are in `own` at both ends, as pairs.
static void assemble_stitches(const fm_implicit *m, const fm_cloth *c, fm_mesh_level *a)
{
    const fm_stitches *s = &c->stitches;
    for (int i = 0; i < s->count; i++) {
        float *pair = a->pair + 6 * (size_t)(c->mesh.edge_count + i);
        for (int k = 0; k < 6; k++) {
            pair[k] = m->stitch.m[k][i];
            a->own[6 * (size_t)s->a[i] + k] -= pair[k];
            a->own[6 * (size_t)s->b[i] + k] -= pair[k];
        }
    }
}

// Sum of trace own^-1 diagonal over the particles [first, last).
static double sum_ratios(void *context, int first, int last)
{
    const fm_mesh_level *a = ((const task *)context)->a;
    double sum = 0;
    for (int i = first; i < last; i++) {
        const float *own = a->own + 6 * (size_t)i;
        double d[6];
        float inverse[6];
        for (int j = 0; j < 6; j++)
            d[j] = (double)own[j];
        invert_block(d, 1, inverse);
        for (int k = a->near.start[i]; k < a->near.start[i + 1]; k++)
            for (int j = 0; j < 6; j++)
                d[j] += (double)a->near_block[6 * (size_t)k + j];
        for (int j = 0; j < 6; j++)
            sum += (j == 0 || j == 3 || j == 5 ? 1 : 2) * (double)inverse[j] * d[j];
    }
    return sum;
}

// Whether the inverse diagonal alone would need many iterations.
static bool needs_levels(task *t, fm_pool *pool, double *partial)
{
    int n = t->a->count;
    double sum = fm_parallel_sum(pool, n, FM_PARTICLE_BLOCK, sum_ratios, t, partial);
    return sqrt(2.0 / 3 * sum / n) > PLAIN;
}

void fm_mesh_levels_assemble(fm_implicit *m, const fm_vec3_array *x, fm_pool *pool)
{
    fm_mesh_levels *levels = m->mesh;
    const fm_cloth *c = m->level[0].cloth;
    fm_mesh_level *a = levels->level;
    levels->bending = (float)m->factors.bending;
    a->moves = m->level[0].moves;
    task t = {
        .a = a, .system = &m->level[0], .x = x, .factors = &m->factors, .bending = levels->bending};
    fm_parallel_for(pool, c->mesh.edge_count, FM_ELEMENT_BLOCK, assemble_edges, &t);
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, copy_own, &t);
    assemble_stitches(m, c, a);
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, fill_rows, &t);
    levels->active = levels->count > 1 && needs_levels(&t, pool, m->partial);
    if (!levels->active)
        return;
    hold_pinned_particles(c, a);
    for (int l = 1; l < levels->count; l++) {
        t = (task){.a = &a[l], .f = &a[l - 1], .bending = levels->bending};
        fm_parallel_for(pool, a[l].pair_count, FM_ELEMENT_BLOCK, sum_pairs, &t);
        fm_parallel_for(pool, a[l].count, FM_PARTICLE_BLOCK, sum_own, &t);
        fm_parallel_for(pool, a[l].count, FM_PARTICLE_BLOCK, fill_rows, &t);
    }
}

void fm_mesh_levels_apply(const fm_implicit *m, fm_pool *pool, const fm_float_axes *in,
                          const fm_float_axes *out)
{
    fm_mesh_level *a = m->mesh->level;
    task t = {.a = a, .in = in, .out = out, .b = a->b, .fresh = 1};
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, take_range, &t);
    if (m->mesh->active)
        cycle(m->mesh, 0, pool, a->b);
    else
        fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, begin_range, &t);
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, give_range, &t);
}

static void take_direction_range(void *context, int first, int last)
{
    const task *t = context;
    for (int i = first; i < last; i++)
        t->a->x[i] = (fm_four_floats){t->in->x[i], t->in->y[i], t->in->z[i], 0};
}

FM_SIMD_CLONES
static void product_range(void *context, int first, int last)
{
    const task *t = context;
    for (int i = first; i < last; i++) {
        fm_four_floats sum = multiply_row(t->a, t->bending, i, t->a->x);
        t->out->x[i] = sum[0], t->out->y[i] = sum[1], t->out->z[i] = sum[2];
    }
}

void fm_mesh_levels_multiply(const fm_implicit *m, fm_pool *pool, const fm_float_axes *in,
                             const fm_float_axes *out)
{
    fm_mesh_level *a = &m->mesh->level[0];
    task t = {.a = a, .in = in, .out = out, .bending = m->mesh->bending};
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, take_direction_range, &t);
    fm_parallel_for(pool, a->count, FM_PARTICLE_BLOCK, product_range, &t);
}
