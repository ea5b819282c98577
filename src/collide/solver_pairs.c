// SPDX-License-Identifier: MIT
// solver_pairs.c: contact of surfaces as forces inside an implicit solver.
//
// A candidate pair of features nearer than its thickness h repels its closest points by the
// gradient of
//
//     k/2 (h - d)^2,     d: distance; negative for a pair that has passed through
//
// and slows down their sliding velocity u_t by mu k (h - d) u_t/|u_t|, with u_t/FM_CREEP_SPEED
// below that speed. A vertex near a side of a triangle is near the triangle behind it as well; so
// that it slides over the mesh without bumps, each triangle adds -1/2 of the force of each of its
// sides and 1/6 of that of its corners, as in inclusion and exclusion of the six triangles around a
// corner.
//
// The matrix of the pair is w_i w_j (k n n^T + c (1 - n n^T)) with the weights w of the
// closest points, the normal n and the friction coefficient c: positive semidefinite.
//
// At the start of the step, no features intersect. A vertex has passed through a triangle if it is
// above or below its inside and was on the other side of its plane at the start; two edges have
// passed each other if their closest points are inside both and the sign of the volume between them
// has changed. Edges that are nearly parallel are left to their vertices. The solver may leave
// pairs that this test does not find; fm_contact_step is the guard that lets none pass.
//
// Edges and vertices of kinematic surfaces push, too: a cloth bends over the edge of a table
// between its vertices, which the distance field of the table does not see.
//
//   k  N/m, the least of its vertices: solver_stiffness, or solver_held against kinematic surfaces
//   mu Coulomb's coefficient
//
// Forces are summed colour by colour: blocks of one colour share no vertex. The result does not
// depend on the number of threads.
#include "collide/contact.h"

#include <stdlib.h>

enum { BLOCKS_AT_ONCE = 4 };         // blocks in one task of a thread
static const double PARALLEL = 0.04; // squared sine of the angle of edges without a side
// shares of the forces of sides and corners, for two triangles at a side and six at a corner
static const double SIDE = 1.0 / 2, CORNER = 1.0 / 6;
static const double STIFFER = 10;  // factor of fm_solver_pairs_stiffen
static const double INSIDE = 1e-9; // least weight of a corner inside a feature

typedef struct job {
    fm_contact_set *set;
    double tau;
    const int *blocks; // of one colour
} job;

// Distances at the start of the step of the candidates of the blocks [first, last).
static void measure_starts(void *context, int first, int last)
{
    fm_contact_set *set = ((job *)context)->set;
    fm_closest_batch batch = {0};
    for (int b = first; b < last; b++) {
        for (int kind = 0; kind < 2; kind++) {
            fm_pair_list *list = &set->blocks[b].pairs[kind];
            for (int k = 0; k < list->count; k += FM_CLOSEST_BATCH) {
                int n = fm_closest_batch_run(&batch, (fm_feature_kind)kind, list, k, set->x0);
                for (int i = 0; i < n; i++)
                    list->start[k + i] = (float)batch.distance[i];
            }
        }
    }
}

// Keeps the ends of kinematic surfaces in set->to, which the step does not use yet.
void fm_solver_pairs_begin(fm_contact_set *set, fm_pool *pool)
{
    fm_contact_update_list(set, pool);
    fm_vec3_array_copy(set->to, set->x1, set->vertex_count);
    job j = {.set = set};
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, measure_starts, &j);
}

void fm_solver_pairs_place_kinematic(fm_contact_set *set, double fraction, double h)
{
    for (int b = 0; b < set->body_count; b++) {
        const fm_contact_body *body = &set->bodies[b];
        for (int i = body->first_vertex;
             body->kinematic && i < body->first_vertex + body->vertex_count; i++) {
            fm_vec3 from = fm_vec3_array_at(set->x0, i);
            fm_vec3 way = fm_sub(fm_vec3_array_at(set->to, i), from);
            fm_vec3 at = fm_add_scaled(from, way, fraction);
            set->x1.x[i] = at.x, set->x1.y[i] = at.y, set->x1.z[i] = at.z;
            set->v.x[i] = way.x / h, set->v.y[i] = way.y / h, set->v.z[i] = way.z / h;
            set->solver_stiffness[i] = set->solver_held[i] = INFINITY;
        }
    }
}

// True for a vertex of a kinematic surface. Forces on it are not summed: blocks of one colour may
// share it.
static bool is_kinematic(const fm_contact_set *set, int v)
{
    return set->bodies[set->body_of[v]].kinematic;
}

// True if forces act on a pair. The caller keeps vertices of dynamic surfaces away from kinematic
// ones itself, by their distance fields.
static bool is_active(const fm_contact_set *set, fm_feature_kind kind, int first, int last)
{
    return set->bodies[set->body_of[first]].solved && set->bodies[set->body_of[last]].solved &&
           !(kind == FM_VERTEX_TRIANGLE && is_kinematic(set, last));
}

// Six times the volume between the features of a pair at positions x; its sign is the side of the
// first feature. 0: the side is not defined.
static double find_volume(fm_feature_kind kind, const int v[4], fm_vec3_array x)
{
    fm_vec3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = fm_vec3_array_at(x, v[i]);
    if (kind == FM_VERTEX_TRIANGLE)
        return fm_dot(fm_sub(p[0], p[1]), fm_cross(fm_sub(p[2], p[1]), fm_sub(p[3], p[1])));
    fm_vec3 a = fm_sub(p[1], p[0]), b = fm_sub(p[3], p[2]), n = fm_cross(a, b);
    bool parallel = fm_dot(n, n) < PARALLEL * fm_dot(a, a) * fm_dot(b, b);
    return parallel ? 0 : fm_dot(fm_sub(p[0], p[2]), n);
}

static fm_solver_pair *append_pair(fm_pair_block *block)
{
    if (block->solver_count == block->solver_capacity) {
        int capacity = block->solver_capacity < 32 ? 64 : 2 * block->solver_capacity;
        fm_solver_pair *more = realloc(block->solver, (size_t)capacity * sizeof *more);
        if (!more) {
            block->out_of_memory = true;
            return NULL;
        }
        block->solver = more;
        block->solver_capacity = capacity;
    }
    return &block->solver[block->solver_count++];
}

// Candidate pairs of a block that wait until a batch is full.
typedef struct queue {
    fm_closest_batch batch;
    int index[FM_CLOSEST_BATCH];
    int count;
    double approach; // m, bound on the approach of the block's features since the start
} queue;

// True if the closest points are inside both features.
static bool is_inside(const double w[4])
{
    for (int i = 0; i < 4; i++)
        if (fabs(w[i]) < INSIDE || fabs(w[i]) > 1 + INSIDE)
            return false;
    return true;
}

// A pair in contact before it is stored.
typedef struct contact {
    const int *v;
    double w[4];  // weights of the closest points
    fm_vec3 n;    // unit normal
    double depth; // m
    double share; // of the force
    bool passed;
} contact;

// Stores a pair in contact.
static void add_contact(const fm_contact_set *set, fm_pair_block *block, const contact *c)
{
    fm_solver_pair *pair = append_pair(block);
    double stiffness = INFINITY;
    if (!pair)
        return;
    bool held = is_kinematic(set, c->v[0]) || is_kinematic(set, c->v[3]);
    const double *k = held ? set->solver_held : set->solver_stiffness;
    for (int i = 0; i < 4; i++) {
        pair->v[i] = c->v[i], pair->w[i] = (float)c->w[i];
        stiffness = fm_double_min(stiffness, k[c->v[i]]);
    }
    pair->n[0] = (float)c->n.x, pair->n[1] = (float)c->n.y, pair->n[2] = (float)c->n.z;
    pair->passed = c->passed && !held;
    pair->push = (float)(c->share * stiffness * c->depth);
    pair->stiffness = c->share > 0 ? (float)(c->share * stiffness) : 0;
}

// Adds the shares of a side or corner of a triangle in the contact with a vertex: the vertex v[0]
// and the point with parameter t between the corners v[i] and v[j].
static void add_part(const fm_contact_set *set, fm_pair_block *block, const int v[4], int i, int j,
                     double t, double h, double share)
{
    fm_vec3 a = fm_vec3_array_at(set->x1, v[i]), b = fm_vec3_array_at(set->x1, v[j]);
    fm_vec3 gap = fm_sub(fm_vec3_array_at(set->x1, v[0]), fm_add_scaled(a, fm_sub(b, a), t));
    double d = fm_length(gap);
    if (!(d < h) || !(d > 0))
        return;
    contact c = {v, {1, 0, 0, 0}, fm_scale(gap, 1 / d), h - d, share, false};
    c.w[i] -= 1 - t, c.w[j] -= t;
    add_contact(set, block, &c);
}

// Subtracts what the triangles around a side or corner count more than once.
static void add_sides(const fm_contact_set *set, fm_pair_block *block, const int v[4], double h)
{
    for (int i = 1; i < 4; i++) {
        int j = i % 3 + 1;
        fm_vec3 a = fm_vec3_array_at(set->x1, v[i]), b = fm_vec3_array_at(set->x1, v[j]);
        fm_vec3 side = fm_sub(b, a), to = fm_sub(fm_vec3_array_at(set->x1, v[0]), a);
        double t = fm_dot(to, side) / fm_dot(side, side);
        add_part(set, block, v, i, j, t < 0 ? 0 : t > 1 ? 1 : t, h, -SIDE);
        add_part(set, block, v, i, j, 0, h, CORNER);
    }
}

// Adds the queued pairs that are in contact.
static void add_queued(const job *j, fm_pair_block *block, fm_feature_kind kind, queue *q)
{
    fm_contact_set *set = j->set;
    fm_pair_list *list = &block->pairs[kind];
    fm_feature_find_closest_batch(kind, &q->batch, q->count);
    for (int i = 0; i < q->count; i++) {
        int k = q->index[i], v[4] = {list->v[0][k], list->v[1][k], list->v[2][k], list->v[3][k]};
        double h = list->thickness[k], d = q->batch.distance[i];
        fm_near_pair closest = {.s = q->batch.s[i], .t = q->batch.t[i]};
        contact c = {.v = v, .share = 1};
        fm_near_find_weights(kind, &closest, c.w);
        bool inside = is_inside(c.w);
        if (!(d > 0) || !(d < h + q->approach) ||
            (kind == FM_EDGE_EDGE && (!inside || find_volume(kind, v, set->x1) == 0)))
            continue;
        bool passed = inside && d + (double)list->start[k] <= q->approach &&
                      find_volume(kind, v, set->x0) * find_volume(kind, v, set->x1) < 0;
        c.passed = passed;
        c.depth = passed ? h + d : h - d;
        c.n = fm_scale((fm_vec3){q->batch.gap[0][i], q->batch.gap[1][i], q->batch.gap[2][i]},
                       (passed ? -1 : 1) / d);
        if (!(c.depth > 0))
            continue;
        add_contact(set, block, &c);
        if (kind == FM_VERTEX_TRIANGLE && !passed)
            add_sides(set, block, v, h);
    }
    q->count = 0;
}

// Friction of the pairs of a block at the velocities of the set.
static void find_friction(const job *j, fm_pair_block *block)
{
    const fm_contact_set *set = j->set;
    for (int k = 0; k < block->solver_count; k++) {
        fm_solver_pair *p = &block->solver[k];
        fm_vec3 u = {0, 0, 0}, n = {p->n[0], p->n[1], p->n[2]};
        for (int i = 0; i < 4; i++)
            u = fm_add_scaled(u, fm_vec3_array_at(set->v, p->v[i]), p->w[i]);
        fm_vec3 slide = fm_add_scaled(u, n, -fm_dot(u, n));
        double most = fm_contact_pair_friction(set, p->v) * p->push;
        double drag = most / fm_double_max(fm_length(slide), FM_CREEP_SPEED); // N s/m
        p->slide[0] = (float)slide.x, p->slide[1] = (float)slide.y, p->slide[2] = (float)slide.z;
        p->drag = (float)drag;
        p->friction = p->stiffness > 0 ? (float)(drag / j->tau) : 0;
    }
}

// Finds the pairs in contact of the blocks [first, last).
static void find_contacts(void *context, int first, int last)
{
    const job *j = context;
    fm_contact_set *set = j->set;
    queue q = {.count = 0};
    for (int b = first; b < last; b++) {
        fm_pair_block *block = &set->blocks[b];
        block->solver_count = 0;
        q.approach = fm_near_find_approach(block, set->x0, set->x1);
        for (int kind = 0; kind < 2; kind++) {
            fm_pair_list *list = &block->pairs[kind];
            for (int k = 0; k < list->count; k++) {
                if ((double)list->start[k] > list->thickness[k] + q.approach ||
                    !is_active(set, (fm_feature_kind)kind, list->v[0][k], list->v[3][k]))
                    continue;
                q.index[q.count] = k;
                fm_closest_batch_load(&q.batch, q.count++, set->x1, list->v[0][k], list->v[1][k],
                                      list->v[2][k], list->v[3][k]);
                if (q.count == FM_CLOSEST_BATCH)
                    add_queued(j, block, (fm_feature_kind)kind, &q);
            }
            add_queued(j, block, (fm_feature_kind)kind, &q);
        }
        find_friction(j, block);
    }
}

// Adds forces and diagonal blocks of the pairs of the blocks [first, last) of one colour.
static void add_forces(void *context, int first, int last)
{
    const job *j = context;
    fm_contact_set *set = j->set;
    for (int b = first; b < last; b++) {
        const fm_pair_block *block = &set->blocks[j->blocks[b]];
        for (int k = 0; k < block->solver_count; k++) {
            const fm_solver_pair *p = &block->solver[k];
            float along = p->stiffness - p->friction, f[3];
            for (int axis = 0; axis < 3; axis++)
                f[axis] = p->push * p->n[axis] - p->drag * p->slide[axis];
            for (int i = 0; i < 4; i++) {
                int v = p->v[i];
                float w = p->w[i], ww = w * w;
                if (is_kinematic(set, v))
                    continue;
                set->solver_force.x[v] += w * f[0];
                set->solver_force.y[v] += w * f[1];
                set->solver_force.z[v] += w * f[2];
                for (int a = 0, m = 0; a < 3; a++)
                    for (int c = a; c < 3; c++, m++)
                        set->solver_diagonal[m][v] +=
                            ww * (along * p->n[a] * p->n[c] + (a == c ? p->friction : 0));
            }
        }
    }
}

// to += scale * a, four numbers.
static inline void add_scaled(float *restrict to, float scale, const float *restrict a)
{
#pragma omp simd
    for (int axis = 0; axis < 4; axis++)
        to[axis] += scale * a[axis];
}

// Adds the products of the pairs of the blocks [first, last) of one colour. Shares below 0 are not
// in the matrix.
static void add_products(void *context, int first, int last)
{
    const job *j = context;
    fm_contact_set *set = j->set;
    const float *in = set->solver_in;
    float *out = set->solver_out;
    for (int b = first; b < last; b++) {
        const fm_pair_block *block = &set->blocks[j->blocks[b]];
        for (int k = 0; k < block->solver_count; k++) {
            const fm_solver_pair *p = &block->solver[k];
            if (p->stiffness == 0)
                continue;
            float u[4] = {0}, n[4] = {p->n[0], p->n[1], p->n[2], 0};
            for (int i = 0; i < 4; i++)
                add_scaled(u, p->w[i], in + 4 * (size_t)p->v[i]);
            float along = (p->stiffness - p->friction) * (u[0] * n[0] + u[1] * n[1] + u[2] * n[2]);
            for (int axis = 0; axis < 4; axis++)
                u[axis] = p->friction * u[axis] + along * n[axis];
            for (int i = 0; i < 4; i++)
                if (!is_kinematic(set, p->v[i]))
                    add_scaled(out + 4 * (size_t)p->v[i], p->w[i], u);
        }
    }
}

// Runs a loop over the blocks of each colour; those of the last colour one after another.
static void run_colours(job *j, fm_pool *pool, fm_range_body *body)
{
    const fm_contact_set *set = j->set;
    for (int c = 0; c < FM_CONTACT_COLOURS; c++) {
        int first = set->colour_first[c], blocks = set->colour_first[c + 1] - first;
        j->blocks = set->by_colour + first;
        if (c == FM_CONTACT_COLOURS - 1)
            body(j, 0, blocks);
        else if (blocks > 0)
            fm_parallel_for(pool, blocks, BLOCKS_AT_ONCE, body, j);
    }
}

int fm_solver_pairs_evaluate(fm_contact_set *set, double tau, fm_pool *pool)
{
    job j = {.set = set, .tau = tau};
    int count = 0;
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, find_contacts, &j);
    for (int b = 0; b < set->block_count; b++)
        count += set->blocks[b].solver_count;
    size_t n = (size_t)set->vertex_count;
    memset(set->solver_force.x, 0, n * sizeof(double));
    memset(set->solver_force.y, 0, n * sizeof(double));
    memset(set->solver_force.z, 0, n * sizeof(double));
    for (int m = 0; m < 6; m++)
        memset(set->solver_diagonal[m], 0, n * sizeof(float));
    if (count > 0)
        run_colours(&j, pool, add_forces);
    return count;
}

int fm_solver_pairs_stiffen(fm_contact_set *set)
{
    int count = 0;
    memset(set->solver_passed, 0, (size_t)set->vertex_count * sizeof *set->solver_passed);
    for (int b = 0; b < set->block_count; b++) {
        const fm_pair_block *block = &set->blocks[b];
        for (int k = 0; k < block->solver_count; k++)
            for (int i = 0; i < 4 && block->solver[k].passed; i++)
                set->solver_passed[block->solver[k].v[i]] = true;
    }
    for (int v = 0; v < set->vertex_count; v++) {
        double *k = &set->solver_stiffness[v], most = set->solver_held[v];
        if (!set->solver_passed[v] || !(*k < most))
            continue;
        *k = fm_double_min(STIFFER * *k, most);
        count++;
    }
    return count;
}

void fm_solver_pairs_multiply(fm_contact_set *set, fm_pool *pool)
{
    job j = {.set = set};
    memset(set->solver_out, 0, 4 * (size_t)set->vertex_count * sizeof(float));
    run_colours(&j, pool, add_products);
}
