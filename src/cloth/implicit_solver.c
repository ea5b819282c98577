// SPDX-License-Identifier: MIT
// implicit_solver.c: conjugate gradients for the linear system of a Newton iteration.
//
//     A dx = -gradient,   preconditioned by a multigrid cycle on sheets of several levels, else by
//                         the inverse diagonal blocks
//
// The iteration stops when the energy norm of the residual, sqrt(r . M r) with the preconditioner
// M, has fallen by the factor `tolerance`. Sums go over fixed blocks in their order.
#include "cloth/implicit.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 4096,          // floats per partial sum
    MOST_ITERATIONS = 400, // of conjugate gradients
};

// Arguments of the loops over all components.
typedef struct vectors {
    const float *a, *b;
    float *to, *other;
    float scale;
} vectors;

FM_SIMD_CLONES
static float dot_lanes(int first, int last, const float *restrict a, const float *restrict b)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = first; i < last; i++)
        sum += a[i] * b[i];
    return sum;
}

static double dot_range(void *context, int first, int last)
{
    enum { SHORT = 512 }; // floats that are summed in single precision
    const vectors *v = context;
    double sum = 0;
    for (int i = first; i < last; i += SHORT)
        sum += (double)dot_lanes(i, i + SHORT < last ? i + SHORT : last, v->a, v->b);
    return sum;
}

static double dot(const fm_implicit *m, fm_pool *pool, const fm_float_axes *a,
                  const fm_float_axes *b)
{
    vectors v = {.a = a->x, .b = b->x};
    return fm_parallel_sum(pool, 3 * m->level[0].lanes, BLOCK, dot_range, &v, m->partial);
}

// solution += scale * direction, residual -= scale * product.
FM_SIMD_CLONES
static void advance_lanes(int first, int last, float scale, const float *restrict direction,
                          const float *restrict product, float *restrict solution,
                          float *restrict residual)
{
#pragma omp simd
    for (int i = first; i < last; i++) {
        solution[i] += scale * direction[i];
        residual[i] -= scale * product[i];
    }
}

static void advance_range(void *context, int first, int last)
{
    const vectors *v = context;
    advance_lanes(first, last, v->scale, v->a, v->b, v->to, v->other);
}

// direction = correction + scale * direction.
FM_SIMD_CLONES
static void turn_lanes(int first, int last, float scale, const float *restrict correction,
                       float *restrict direction)
{
#pragma omp simd
    for (int i = first; i < last; i++)
        direction[i] = correction[i] + scale * direction[i];
}

static void turn_range(void *context, int first, int last)
{
    const vectors *v = context;
    turn_lanes(first, last, v->scale, v->a, v->to);
}

// The blocks' inverse times the residual.
static void precondition_range(void *context, int first, int last)
{
    const fm_implicit *m = context;
    const fm_blocks *b = &m->level[0].inverse;
    const fm_float_axes *r = &m->residual, *z = &m->correction;
    for (int i = first; i < last; i++) {
        float x = r->x[i], y = r->y[i], q = r->z[i];
        z->x[i] = b->m[0][i] * x + b->m[1][i] * y + b->m[2][i] * q;
        z->y[i] = b->m[1][i] * x + b->m[3][i] * y + b->m[4][i] * q;
        z->z[i] = b->m[2][i] * x + b->m[4][i] * y + b->m[5][i] * q;
    }
}

static void precondition(const fm_implicit *m, fm_pool *pool)
{
    if (m->level_count > 1)
        fm_levels_apply(m, pool, &m->residual, &m->correction);
    else
        fm_parallel_for(pool, m->level[0].lanes, FM_ELEMENT_BLOCK, precondition_range, (void *)m);
}

// Starts with solution 0 and residual -gradient, 0 at pinned particles.
static void begin(const fm_implicit *m)
{
    const fm_system *a = &m->level[0];
    memset(m->solution.x, 0, 3 * (size_t)a->lanes * sizeof(float));
    for (int i = 0; i < a->count; i++) {
        m->residual.x[i] = -(float)m->gradient.x[i] * a->moves[i];
        m->residual.y[i] = -(float)m->gradient.y[i] * a->moves[i];
        m->residual.z[i] = -(float)m->gradient.z[i] * a->moves[i];
    }
}

int fm_implicit_solve(fm_implicit *m, const fm_cloth *cloth, fm_pool *pool, double tolerance)
{
    (void)cloth;
    const fm_system *a = &m->level[0];
    int n = 3 * a->lanes;
    begin(m);
    precondition(m, pool);
    memcpy(m->direction.x, m->correction.x, (size_t)n * sizeof(float));
    double rz = dot(m, pool, &m->residual, &m->correction), goal = tolerance * tolerance * rz;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        if (!(rz > goal) || rz <= 0)
            return k;
        fm_system_multiply(a, pool, &m->direction, &m->product);
        double curvature = dot(m, pool, &m->direction, &m->product);
        if (!(curvature > 0))
            return k;
        vectors v = {.a = m->direction.x,
                     .b = m->product.x,
                     .to = m->solution.x,
                     .other = m->residual.x,
                     .scale = (float)(rz / curvature)};
        fm_parallel_for(pool, n, BLOCK, advance_range, &v);
        precondition(m, pool);
        double next = dot(m, pool, &m->residual, &m->correction);
        v = (vectors){.a = m->correction.x, .to = m->direction.x, .scale = (float)(next / rz)};
        fm_parallel_for(pool, n, BLOCK, turn_range, &v);
        rz = next;
    }
    return MOST_ITERATIONS;
}
