// SPDX-License-Identifier: MIT
// implicit_solver.c: conjugate gradients for the linear system of a Newton iteration.
//
//     A dx = -gradient,   preconditioned by a multigrid cycle on cloths of several levels, else by
//                         the inverse diagonal blocks
//
// Tubes and meshes whose cycle has not helped after MOST_CYCLES iterations go on with the diagonal.
// The iteration stops when the energy norm of the residual, sqrt(r . M r) with the preconditioner
// M, has fallen by the factor `tolerance`. Sums go over fixed blocks in their order.
#include "cloth/implicit.h"

#include <string.h>

enum {
    BLOCK = 4096,          // floats per partial sum
    MOST_ITERATIONS = 400, // of conjugate gradients
    MOST_CYCLES = 40,      // of those, with the levels of tubes and meshes
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

// Sum over all cloths of the products of two of their vectors.
static double dot(const fm_implicit_group *g, fm_float_axes *(*find_a)(fm_implicit *),
                  fm_float_axes *(*find_b)(fm_implicit *))
{
    double sum = 0;
    for (int i = 0; i < g->count; i++) {
        fm_implicit *m = g->cloths[i]->implicit;
        vectors v = {.a = find_a(m)->x, .b = find_b(m)->x};
        sum += fm_parallel_sum(m->task.s->around.pool, 3 * m->level[0].lanes, BLOCK, dot_range, &v,
                               m->partial);
    }
    return sum;
}

static fm_float_axes *residual_of(fm_implicit *m)
{
    return &m->residual;
}

static fm_float_axes *correction_of(fm_implicit *m)
{
    return &m->correction;
}

static fm_float_axes *direction_of(fm_implicit *m)
{
    return &m->direction;
}

static fm_float_axes *product_of(fm_implicit *m)
{
    return &m->product;
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

static void precondition(const fm_implicit_group *g)
{
    for (int i = 0; i < g->count; i++) {
        fm_implicit *m = g->cloths[i]->implicit;
        fm_pool *pool = m->task.s->around.pool;
        if (m->mesh)
            fm_mesh_levels_apply(m, pool, &m->residual, &m->correction);
        else if (m->level_count > 1)
            fm_levels_apply(m, pool, &m->residual, &m->correction);
        else
            fm_parallel_for(pool, m->level[0].lanes, FM_ELEMENT_BLOCK, precondition_range, m);
    }
}

// Adds the product of contact with the directions to the products.
static void add_contact(const fm_implicit_group *g)
{
    for (int i = 0; i < g->count; i++) {
        const fm_implicit *m = g->cloths[i]->implicit;
        float *in = g->set->solver_in + 4 * (size_t)m->first_vertex;
        for (int p = 0; p < g->cloths[i]->count; p++, in += 4)
            in[0] = m->direction.x[p], in[1] = m->direction.y[p], in[2] = m->direction.z[p];
    }
    fm_solver_pairs_multiply(g->set, g->pool);
    for (int i = 0; i < g->count; i++) {
        const fm_implicit *m = g->cloths[i]->implicit;
        const float *out = g->set->solver_out + 4 * (size_t)m->first_vertex;
        for (int p = 0, v = m->first_vertex; p < g->cloths[i]->count; p++, v++, out += 4) {
            // the diagonal blocks of contact are in `own` already
            const float x = m->direction.x[p], y = m->direction.y[p], z = m->direction.z[p];
            float *const *d = g->set->solver_diagonal;
            m->product.x[p] += out[0] - (d[0][v] * x + d[1][v] * y + d[2][v] * z);
            m->product.y[p] += out[1] - (d[1][v] * x + d[3][v] * y + d[4][v] * z);
            m->product.z[p] += out[2] - (d[2][v] * x + d[4][v] * y + d[5][v] * z);
        }
    }
}

// product = A direction.
static void multiply(const fm_implicit_group *g)
{
    for (int i = 0; i < g->count; i++) {
        const fm_implicit *m = g->cloths[i]->implicit;
        fm_pool *pool = m->task.s->around.pool;
        if (m->mesh) { // with its seams
            fm_mesh_levels_multiply(m, pool, &m->direction, &m->product);
            continue;
        }
        fm_system_multiply(&m->level[0], pool, &m->direction, &m->product);
        fm_implicit_multiply_seams(m, g->cloths[i]);
    }
    if (g->pair_count > 0)
        add_contact(g);
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

// solution += scale * direction, residual -= scale * product, in all cloths.
static void advance(const fm_implicit_group *g, double scale)
{
    for (int i = 0; i < g->count; i++) {
        const fm_implicit *m = g->cloths[i]->implicit;
        vectors v = {.a = m->direction.x,
                     .b = m->product.x,
                     .to = m->solution.x,
                     .other = m->residual.x,
                     .scale = (float)scale};
        fm_parallel_for(m->task.s->around.pool, 3 * m->level[0].lanes, BLOCK, advance_range, &v);
    }
}

// direction = correction + scale * direction, in all cloths.
static void turn(const fm_implicit_group *g, double scale)
{
    for (int i = 0; i < g->count; i++) {
        const fm_implicit *m = g->cloths[i]->implicit;
        vectors v = {.a = m->correction.x, .to = m->direction.x, .scale = (float)scale};
        fm_parallel_for(m->task.s->around.pool, 3 * m->level[0].lanes, BLOCK, turn_range, &v);
    }
}

// Leaves the levels of tubes and meshes unused for the rest of the solve. False if none is in use.
static bool give_up_levels(const fm_implicit_group *g)
{
    bool any = false;
    for (int i = 0; i < g->count; i++) {
        fm_mesh_levels *levels = g->cloths[i]->implicit->mesh;
        any = any || (levels && levels->active);
        if (levels)
            levels->active = false;
    }
    return any;
}

// Starts the directions from the residual. Returns residual . correction.
static double begin_directions(const fm_implicit_group *g)
{
    precondition(g);
    for (int i = 0; i < g->count; i++) {
        const fm_implicit *m = g->cloths[i]->implicit;
        memcpy(m->direction.x, m->correction.x, 3 * (size_t)m->level[0].lanes * sizeof(float));
    }
    return dot(g, residual_of, correction_of);
}

// One step of conjugate gradients; rz: residual . correction. False if the matrix has no positive
// curvature along the direction.
static bool step_once(const fm_implicit_group *g, double *rz)
{
    multiply(g);
    double curvature = dot(g, direction_of, product_of);
    if (!(curvature > 0))
        return false;
    advance(g, *rz / curvature);
    precondition(g);
    double next = dot(g, residual_of, correction_of);
    turn(g, next / *rz);
    *rz = next;
    return true;
}

int fm_implicit_solve(const fm_implicit_group *g, double tolerance)
{
    for (int i = 0; i < g->count; i++)
        begin(g->cloths[i]->implicit);
    double rz = begin_directions(g), goal = tolerance * tolerance * rz;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        if (rz > 0 && rz <= goal)
            return k;
        // rounding may make rz negative, and levels that do not help may need many cycles
        if ((!(rz > 0) || k == MOST_CYCLES) && give_up_levels(g)) {
            double share = rz > 0 ? goal / rz : tolerance * tolerance;
            rz = begin_directions(g);
            goal = share * rz;
        }
        if (!(rz > 0) || !step_once(g, &rz))
            return k;
    }
    return MOST_ITERATIONS;
}
