// SPDX-License-Identifier: MIT
// mesh_coarsening.c: the particles of the coarser levels of a mesh or tube, and the interpolation
// between levels.
//
// The coarse particles are a maximal independent set of the graph of triangle edges: no two are
// neighbours, and each other particle has one as a neighbour. On a regular mesh that is a quarter.
// Coarse particles are neighbours in their graph if fine particles nearest to them are.
//
// A fine particle at the distances d_k from NEAREST coarse ones, in its tangent plane at rest, has
// the moving least squares weights
//
//     p_k = w_k (c_0 + c . d_k),   such that  sum p_k = 1,  sum p_k d_k = 0
//
// which reproduce linear functions; w_k = (1 - (d_k/R)^2)^2/(d_k/R)^2. Positions and edges at
// creation determine them, so that they are the same after a restore.
#include "cloth/mesh_levels.h"
#include "geometry/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEWEST = 40,    // particles of a level that is not made coarser
    RINGS = 4,      // edges within which coarse particles are searched
    FOUND_MAX = 96, // coarse particles that are looked at
    NEAREST = 4,    // from which a fine particle is interpolated
};
static const double LEAST_COARSENING = 1.5; // particles per coarse one; below, levels end

// The particles of a level while the next one is made.
typedef struct graph {
    int count;
    int *start, *to;    // neighbours
    fm_vec3 *x, *n;     // m, positions at rest; normals
    int *coarse, *seen; // index in the coarser level or -1; mark of the search
} graph;

// A coarse particle near a fine one.
typedef struct candidate {
    int coarse;
    double distance; // m
    double a, b;     // m, in the tangent plane
    double weight;
} candidate;

static void destroy_graph(graph *g)
{
    free(g->start), free(g->to), free(g->x), free(g->n), free(g->coarse), free(g->seen);
    *g = (graph){0};
}

static bool allocate_graph(graph *g, int count)
{
    size_t n = (size_t)count + 2;
    *g = (graph){.count = count,
                 .start = calloc(n, sizeof(int)),
                 .x = calloc(n, sizeof(fm_vec3)),
                 .n = calloc(n, sizeof(fm_vec3)),
                 .coarse = calloc(n, sizeof(int)),
                 .seen = calloc(n, sizeof(int))};
    return g->start && g->x && g->n && g->coarse && g->seen;
}

// A pair of neighbours, in both directions, to be sorted.
typedef struct link {
    int from, to;
} link;

static int compare_links(const void *a, const void *b)
{
    const link *one = a, *other = b;
    return one->from != other->from ? (one->from > other->from) - (one->from < other->from)
                                    : (one->to > other->to) - (one->to < other->to);
}

// Sorts the links, of which some may repeat, and stores them in the graph.
static bool store_links(graph *g, link *links, size_t count)
{
    qsort(links, count, sizeof *links, compare_links);
    g->to = calloc(count + 1, sizeof(int));
    if (!g->to)
        return false;
    int used = 0;
    for (size_t k = 0; k < count; k++) {
        if (k > 0 && compare_links(&links[k - 1], &links[k]) == 0)
            continue;
        g->to[used++] = links[k].to;
        g->start[links[k].from + 1]++;
    }
    for (int i = 0; i < g->count; i++)
        g->start[i + 1] += g->start[i];
    return true;
}

// The graph of the triangle edges of a cloth.
static bool create_finest(const fm_cloth *c, graph *g)
{
    const fm_spring_mesh *mesh = &c->mesh;
    size_t count = 6 * (size_t)mesh->triangle_count;
    link *links = calloc(count + 1, sizeof *links);
    bool good = links && allocate_graph(g, c->count);
    for (int i = 0; i < c->count && good; i++)
        g->x[i] = (fm_vec3){c->x.x[i], c->x.y[i], c->x.z[i]};
    for (int t = 0; t < mesh->triangle_count && good; t++) {
        const int *p = mesh->triangle + 3 * (size_t)t;
        fm_vec3 area = fm_cross(fm_sub(g->x[p[1]], g->x[p[0]]), fm_sub(g->x[p[2]], g->x[p[0]]));
        for (int k = 0; k < 3; k++) {
            int a = p[k], b = p[(k + 1) % 3];
            links[6 * (size_t)t + 2 * k] = (link){a, b};
            links[6 * (size_t)t + 2 * k + 1] = (link){b, a};
            g->n[a] = fm_add_scaled(g->n[a], area, 1);
        }
    }
    good = good && store_links(g, links, count);
    free(links);
    return good;
}

// Chooses the coarse particles in the order of the particles. Returns their number.
static int choose_coarse(graph *g)
{
    int count = 0;
    for (int i = 0; i < g->count; i++)
        g->coarse[i] = 0; // not decided
    for (int i = 0; i < g->count; i++) {
        if (g->coarse[i] != 0)
            continue;
        g->coarse[i] = ++count;
        for (int k = g->start[i]; k < g->start[i + 1]; k++)
            g->coarse[g->to[k]] = -1;
    }
    for (int i = 0; i < g->count; i++)
        if (g->coarse[i] > 0)
            g->coarse[i]--;
    return count;
}

static int compare_candidates(const void *a, const void *b)
{
    const candidate *one = a, *other = b;
    return one->distance != other->distance
               ? (one->distance > other->distance ? 1 : -1)
               : (one->coarse > other->coarse) - (one->coarse < other->coarse);
}

// Lists the coarse particles within RINGS edges of particle i, the nearest first. queue: room for
// all particles.
static int find_candidates(graph *g, int i, int *queue, candidate found[FOUND_MAX])
{
    fm_vec3 n = g->n[i];
    fm_normalize(&n);
    fm_vec3 t = fm_cross(n, fabs(n.x) < 0.6 ? (fm_vec3){1, 0, 0} : (fm_vec3){0, 1, 0});
    fm_normalize(&t);
    fm_vec3 s = fm_cross(n, t);
    int begin = 0, end = 1, count = 0;
    queue[0] = i;
    g->seen[i] = i + 1;
    for (int ring = 0; ring <= RINGS; ring++) {
        int ring_end = end;
        for (; begin < ring_end; begin++) {
            int p = queue[begin];
            if (g->coarse[p] >= 0 && count < FOUND_MAX) {
                fm_vec3 d = fm_sub(g->x[p], g->x[i]);
                found[count++] = (candidate){.coarse = g->coarse[p],
                                             .distance = fm_length(d),
                                             .a = fm_dot(d, t),
                                             .b = fm_dot(d, s)};
            }
            for (int k = g->start[p]; k < g->start[p + 1] && ring < RINGS; k++) {
                if (g->seen[g->to[k]] != i + 1)
                    g->seen[g->to[k]] = i + 1, queue[end++] = g->to[k];
            }
        }
    }
    qsort(found, (size_t)count, sizeof *found, compare_candidates);
    return count;
}

// Solves m c = (1, 0, 0) for a symmetric matrix; false if it is nearly singular.
static bool solve_moments(const double m[6], double c[3])
{
    double p = m[3] * m[5] - m[4] * m[4], q = m[2] * m[4] - m[1] * m[5],
           r = m[1] * m[4] - m[2] * m[3], det = m[0] * p + m[1] * q + m[2] * r;
    if (!(det > 1e-9 * m[0] * (m[3] + m[5]) * (m[3] + m[5])))
        return false;
    c[0] = p / det, c[1] = q / det, c[2] = r / det;
    return true;
}

// Weights of the first `count` candidates. radius: m, at which w is 0. Where these weights would be
// large (the candidates lie on a line), they are w, scaled to the sum 1.
static void find_weights(candidate *near, int count, double radius)
{
    const double MOST = 1.6, LEAST_W = 1e-3, EASE = 1e-4;
    double m[6] = {0}, c[3] = {0};
    for (int k = 0; k < count; k++) {
        candidate *q = &near[k];
        double ratio = q->distance / radius, w = fmax(1 - ratio * ratio, LEAST_W);
        q->a /= radius, q->b /= radius;
        q->weight = w * w / (ratio * ratio + LEAST_W);
        m[0] += q->weight, m[1] += q->weight * q->a, m[2] += q->weight * q->b;
        m[3] += q->weight * q->a * q->a, m[4] += q->weight * q->a * q->b;
        m[5] += q->weight * q->b * q->b;
    }
    m[3] += EASE * m[0], m[5] += EASE * m[0];
    bool good = solve_moments(m, c);
    double sum = 0;
    for (int k = 0; k < count && good; k++)
        good = fabs(near[k].weight * (c[0] + c[1] * near[k].a + c[2] * near[k].b)) < MOST;
    for (int k = 0; k < count; k++) {
        near[k].weight *= good ? c[0] + c[1] * near[k].a + c[2] * near[k].b : 1;
        sum += near[k].weight;
    }
    for (int k = 0; k < count; k++)
        near[k].weight /= sum;
}

// Interpolation of all particles, NEAREST entries for each, of which those beyond its count have
// the weight 0.
typedef struct interpolation {
    int *column;
    double *weight;
    int *owner; // the coarse particle nearest to each
    int *queue; // scratch
} interpolation;

static bool allocate_interpolation(interpolation *p, int count)
{
    size_t n = (size_t)count;
    *p = (interpolation){.column = calloc(NEAREST * n + 1, sizeof(int)),
                         .weight = calloc(NEAREST * n + 1, sizeof(double)),
                         .owner = calloc(n + 1, sizeof(int)),
                         .queue = calloc(n + 1, sizeof(int))};
    return p->column && p->weight && p->owner && p->queue;
}

static void destroy_interpolation(interpolation *p)
{
    free(p->column), free(p->weight), free(p->owner), free(p->queue);
}

static void find_interpolation(graph *g, const interpolation *p)
{
    const double BEYOND = 1.3; // radius over the distance of the last candidate
    candidate found[FOUND_MAX];
    for (int i = 0; i < g->count; i++) {
        int *column = p->column + NEAREST * (size_t)i;
        double *weight = p->weight + NEAREST * (size_t)i;
        if (g->coarse[i] >= 0) {
            column[0] = p->owner[i] = g->coarse[i], weight[0] = 1;
            continue;
        }
        int count = find_candidates(g, i, p->queue, found),
            used = count < NEAREST ? count : NEAREST;
        double radius = BEYOND * found[used - 1].distance;
        if (count > used)
            radius = fmin(radius, 1.001 * found[used].distance);
        p->owner[i] = found[0].coarse;
        find_weights(found, used, radius);
        for (int k = 0; k < used; k++)
            column[k] = found[k].coarse, weight[k] = found[k].weight;
    }
}

// How rows of an interpolation are stored: by fine particles; by coarse ones; by coarse ones
// without negative weights, the others scaled to the sum 1 at each fine particle.
typedef enum row_form { BY_FINE, BY_COARSE, LUMPED } row_form;

// The weights of fine particle i as they are stored; 0: none.
static void find_stored(const interpolation *p, int i, row_form form, double stored[NEAREST])
{
    double sum = 0;
    for (int k = 0; k < NEAREST; k++) {
        double w = p->weight[NEAREST * (size_t)i + k];
        stored[k] = form == LUMPED ? fmax(w, 0) : w;
        sum += stored[k];
    }
    for (int k = 0; k < NEAREST; k++)
        stored[k] /= sum;
}

static bool store_rows(fm_arena *arena, const interpolation *p, int fine, int coarse, row_form form,
                       fm_rows *to, fm_error *err)
{
    size_t room = NEAREST * (size_t)fine, rows = (size_t)(form == BY_FINE ? fine : coarse);
    to->start = fm_arena_alloc(arena, rows + 2, sizeof(int), "cloth", err);
    to->column = fm_arena_alloc(arena, room, sizeof(int), "cloth", err);
    to->weight = fm_arena_alloc(arena, room, sizeof(float), "cloth", err);
    if (err->status != FM_OK)
        return false;
    int *start = to->start + 1; // filling moves each start to its place
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < fine; i++) {
            double stored[NEAREST];
            find_stored(p, i, form, stored);
            for (int k = 0; k < NEAREST; k++) {
                int column = p->column[NEAREST * (size_t)i + k], row = form == BY_FINE ? i : column;
                if (stored[k] == 0)
                    continue;
                if (pass == 0) {
                    start[row + 1]++;
                    continue;
                }
                to->column[start[row]] = form == BY_FINE ? column : i;
                to->weight[start[row]++] = (float)stored[k];
            }
        }
        for (size_t i = 0; i < rows && pass == 0; i++)
            start[i + 1] += start[i];
    }
    return true;
}

// The graph of the coarse particles.
static bool create_coarse(const graph *g, const int *owner, int count, graph *coarse)
{
    link *links = calloc((size_t)g->start[g->count] + 1, sizeof *links);
    bool good = links && allocate_graph(coarse, count);
    size_t used = 0;
    for (int i = 0; i < g->count && good; i++) {
        if (g->coarse[i] >= 0)
            coarse->x[g->coarse[i]] = g->x[i];
        coarse->n[owner[i]] = fm_add(coarse->n[owner[i]], g->n[i]);
        for (int k = g->start[i]; k < g->start[i + 1]; k++)
            if (owner[i] != owner[g->to[k]])
                links[used++] = (link){owner[i], owner[g->to[k]]};
    }
    good = good && store_links(coarse, links, used);
    free(links);
    return good;
}

// Makes the next coarser level of `fine`; false if memory runs out.
static bool coarsen(fm_arena *arena, graph *fine, int count, graph *coarse, fm_mesh_level *to,
                    fm_error *err)
{
    interpolation p;
    bool good = allocate_interpolation(&p, fine->count);
    if (good)
        find_interpolation(fine, &p);
    good = good && create_coarse(fine, p.owner, count, coarse);
    if (!good)
        fm_fail_no_memory(err, "cloth", (size_t)fine->count * sizeof(graph));
    good = good && store_rows(arena, &p, fine->count, count, BY_FINE, &to->spread, err) &&
           store_rows(arena, &p, fine->count, count, BY_COARSE, &to->gather, err) &&
           store_rows(arena, &p, fine->count, count, LUMPED, &to->lump, err);
    to->count = count;
    destroy_interpolation(&p);
    return good;
}

bool fm_mesh_levels_create(fm_cloth *c, fm_mesh_levels *levels, fm_error *err)
{
    graph g = {0}, coarse = {0};
    *levels = (fm_mesh_levels){.count = 1, .stitch_count = -1};
    levels->level[0].count = c->count;
    bool good = create_finest(c, &g);
    if (!good)
        fm_fail_no_memory(err, c->object.name, (size_t)c->count * sizeof(graph));
    while (good && g.count > FEWEST && levels->count < FM_MESH_LEVELS_MAX) {
        int count = choose_coarse(&g);
        if (LEAST_COARSENING * count > g.count)
            break;
        good = coarsen(&c->arena, &g, count, &coarse, &levels->level[levels->count], err);
        destroy_graph(&g);
        g = coarse, coarse = (graph){0};
        levels->count += good;
    }
    destroy_graph(&g);
    return good;
}
