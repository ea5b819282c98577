// SPDX-License-Identifier: MIT
// candidates.c: which pairs of features may meet: a list that lasts many steps.
//
// The list holds all pairs nearer than thickness + skin when it was made, found through trees of
// boxes around triangles. Each vertex and each edge belongs to one triangle, so that a pair of
// features is met once, with the pair of the triangles they belong to. The list holds until two
// surfaces may have approached by more than the skin:
//
//     |c_a - c_b| + r_a + r_b <= skin       c  mean way of a surface's vertices since then
//                                           r  the most that one of them differs from it
//
// so a cloth that falls as a whole keeps its list. Within it, a pair found d apart is not looked at
// until the travel, the sum of such bounds over the parts of steps, has grown by d - thickness. What
// is nearer stands in a list of its own, with normals that are kept for a fifth of the distance.
#include "collide/contact.h"
#include "core/simd.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST = 0.1;      // of the thickness: the separation that is enforced
static const double LEAST_LEFT = 0.9; // of the distance, where there is even less
static const double FRESH = 0.2;      // of the distance: travel for which a normal is kept
static const double DEEP = 0.5;       // of the thickness
static const double SOON = 0.3;       // of the thickness
static const double STAY = 0.1;       // of the thickness: further, before a pair is near no more

static FM_SIMD_CLONES fm_vec3 find_mean_way(fm_contact_axes a, fm_contact_axes b, int first,
                                             int count)
{
    const double *ax = a.x + first, *ay = a.y + first, *az = a.z + first;
    const double *bx = b.x + first, *by = b.y + first, *bz = b.z + first;
    double x = 0, y = 0, z = 0;
#pragma omp simd reduction(+ : x, y, z)
    for (int i = 0; i < count; i++) {
        x += bx[i] - ax[i];
        y += by[i] - ay[i];
        z += bz[i] - az[i];
    }
    return (fm_vec3){x / count, y / count, z / count};
}

// The most that the way of a vertex differs from c.
static FM_SIMD_CLONES double find_spread(fm_contact_axes a, fm_contact_axes b, int first, int count,
                                         fm_vec3 c)
{
    const double *ax = a.x + first, *ay = a.y + first, *az = a.z + first;
    const double *bx = b.x + first, *by = b.y + first, *bz = b.z + first;
    double most = 0;
#pragma omp simd reduction(max : most)
    for (int i = 0; i < count; i++) {
        double x = bx[i] - ax[i] - c.x, y = by[i] - ay[i] - c.y, z = bz[i] - az[i] - c.z;
        double square = x * x + y * y + z * z;
        most = square > most ? square : most;
    }
    return sqrt(most);
}

double fm_contact_largest_way(const fm_contact_set *set, fm_contact_axes a, fm_contact_axes b)
{
    return find_spread(a, b, 0, set->vertex_count, (fm_vec3){0, 0, 0});
}

// drift and spread of each body from a to b.
static void measure_ways(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b)
{
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        int first = body->first_vertex, count = body->vertex_count;
        body->drift = find_mean_way(a, b, first, count);
        body->spread = find_spread(a, b, first, count, body->drift) * (1 + 8 * DBL_EPSILON);
    }
}

static double find_approach(const fm_contact_body *a, const fm_contact_body *b)
{
    return fm_length(fm_sub(a->drift, b->drift)) + a->spread + b->spread;
}

static bool may_meet(const fm_contact_set *set, int a, int b)
{
    return !set->bodies[a].kinematic || !set->bodies[b].kinematic;
}

double fm_candidates_approach(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b)
{
    double most = 0;
    measure_ways(set, a, b);
    for (int s = 0; s < set->body_count; s++) {
        for (int t = s; t < set->body_count; t++) {
            double gap = set->gap[s * set->body_count + t];
            if (may_meet(set, s, t) && gap <= set->largest_reach + set->list_skin)
                most = fm_larger(most, find_approach(&set->bodies[s], &set->bodies[t]));
        }
    }
    return most;
}

bool fm_candidates_hold(fm_contact_set *set, fm_contact_axes x)
{
    if (!set->list_made)
        return false;
    measure_ways(set, set->built, x);
    for (int s = 0; s < set->body_count; s++) {
        for (int t = s; t < set->body_count; t++) {
            if (!may_meet(set, s, t))
                continue;
            double gap = set->gap[s * set->body_count + t] - set->largest_reach;
            if (!(find_approach(&set->bodies[s], &set->bodies[t]) <= fm_larger(set->list_skin, gap)))
                return false;
        }
    }
    return true;
}

static void fit_boxes(void *context, int first, int last)
{
    fm_contact_set *set = context;
    const fm_contact_axes x = set->built;
    for (int t = first; t < last; t++) {
        const int *v = set->triangle[t];
        fm_span *box = &set->boxes[t];
        box->low[0] = fm_smaller(x.x[v[0]], fm_smaller(x.x[v[1]], x.x[v[2]]));
        box->low[1] = fm_smaller(x.y[v[0]], fm_smaller(x.y[v[1]], x.y[v[2]]));
        box->low[2] = fm_smaller(x.z[v[0]], fm_smaller(x.z[v[1]], x.z[v[2]]));
        box->high[0] = fm_larger(x.x[v[0]], fm_larger(x.x[v[1]], x.x[v[2]]));
        box->high[1] = fm_larger(x.y[v[0]], fm_larger(x.y[v[1]], x.y[v[2]]));
        box->high[2] = fm_larger(x.z[v[0]], fm_larger(x.z[v[1]], x.z[v[2]]));
    }
}

static double find_box_gap(const fm_span *a, const fm_span *b)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double apart = fm_larger(a->low[axis] - b->high[axis], b->low[axis] - a->high[axis]);
        square += apart > 0 ? apart * apart : 0;
    }
    return sqrt(square);
}

static bool grow_list(fm_pair_list *list)
{
    int room = list->room < 128 ? 256 : 2 * list->room;
    for (int i = 0; i < 4; i++) {
        int *more = realloc(list->v[i], (size_t)room * sizeof *more);
        if (!more)
            return false;
        list->v[i] = more;
    }
    double *due = realloc(list->due, (size_t)room * sizeof *due);
    if (due)
        list->due = due;
    double *thickness = realloc(list->thickness, (size_t)room * sizeof *thickness);
    if (thickness)
        list->thickness = thickness;
    if (!due || !thickness)
        return false;
    list->room = room;
    return true;
}

typedef struct search {
    fm_contact_set *set;
    fm_pair_block *block;
    double skin;
    int body, other;     // whose leaf, and whose tree is searched
    int position, triangle; // of the triangle at hand: in its tree, over all
} search;

static double find_thickness(const fm_contact_set *set, const int v[4], int a, int b)
{
    double mean = (set->bodies[a].thickness + set->bodies[b].thickness) / 2;
    if (a != b)
        return mean;
    for (int i = 0; i < 4; i++)
        mean = fm_smaller(mean, set->height[v[i]] / 2);
    return mean;
}

static bool points_apart(const fm_contact_set *set, const int v[4], int first_count, double reach)
{
    const double *axes[3] = {set->built.x, set->built.y, set->built.z};
    for (int axis = 0; axis < 3; axis++) {
        const double *x = axes[axis];
        double low = fm_smaller(x[v[2]], x[v[3]]), high = fm_larger(x[v[2]], x[v[3]]);
        double from = x[v[0]], to = x[v[0]];
        if (first_count == 1) {
            low = fm_smaller(low, x[v[1]]), high = fm_larger(high, x[v[1]]);
        } else {
            from = fm_smaller(from, x[v[1]]), to = fm_larger(to, x[v[1]]);
        }
        if (low - reach > to || from - reach > high)
            return true;
    }
    return false;
}

static void add_pair(search *s, fm_feature_kind kind, int v0, int v1, int v2, int v3)
{
    const fm_contact_set *set = s->set;
    int v[4] = {v0, v1, v2, v3};
    if (v0 == v2 || v0 == v3 || v1 == v2 || v1 == v3 || v0 == v1)
        return; // neighbours; in a vertex and a triangle, v0 is none of the others'
    double thickness = find_thickness(set, v, s->body, s->other);
    if (points_apart(set, v, kind == FM_VERTEX_TRIANGLE ? 1 : 2, thickness + s->skin))
        return;
    fm_pair_list *list = &s->block->pairs[kind];
    if (list->count == list->room && !grow_list(list)) {
        s->block->out_of_memory = true;
        return;
    }
    for (int i = 0; i < 4; i++)
        list->v[i][list->count] = v[i];
    list->due[list->count] = 0;
    list->thickness[list->count++] = thickness;
}

static void add_triangles(search *s, int a, int b)
{
    const fm_contact_set *set = s->set;
    const int *p = set->triangle[a], *q = set->triangle[b];
    for (int i = 0; i < 3 && set->owned_vertex[a][i] >= 0; i++)
        add_pair(s, FM_VERTEX_TRIANGLE, set->owned_vertex[a][i], q[0], q[1], q[2]);
    for (int i = 0; i < 3 && set->owned_vertex[b][i] >= 0; i++)
        add_pair(s, FM_VERTEX_TRIANGLE, set->owned_vertex[b][i], p[0], p[1], p[2]);
    for (int i = 0; i < 3 && set->owned_edge[a][i] >= 0; i++) {
        const int *e = set->edge[set->owned_edge[a][i]];
        for (int j = 0; j < 3 && set->owned_edge[b][j] >= 0; j++) {
            const int *f = set->edge[set->owned_edge[b][j]];
            add_pair(s, FM_EDGE_EDGE, e[0], e[1], f[0], f[1]);
        }
    }
}

static void visit_leaf(void *context, int first, int count)
{
    search *s = context;
    const fm_contact_set *set = s->set;
    const fm_contact_body *other = &set->bodies[s->other];
    double margin = set->largest_reach + s->skin;
    for (int i = first; i < first + count; i++) {
        int triangle = other->first_triangle + other->tree.item[i];
        if ((s->other != s->body || i > s->position) &&
            fm_box_overlaps(&set->boxes[s->triangle], &set->boxes[triangle], margin))
            add_triangles(s, s->triangle, triangle);
    }
}

static void fill_block(search *s)
{
    fm_contact_set *set = s->set;
    fm_pair_block *block = s->block;
    const fm_contact_body *body = &set->bodies[block->body];
    double margin = set->largest_reach + s->skin;
    for (int kind = 0; kind < 2; kind++) {
        block->pairs[kind].count = block->near[kind].count = 0;
        block->pairs[kind].soonest = -INFINITY;
    }
    s->body = block->body;
    for (s->other = s->body; s->other < set->body_count; s->other++) {
        double gap = set->gap[s->body * set->body_count + s->other];
        if (!may_meet(set, s->body, s->other) || gap > margin)
            continue;
        for (int i = block->first; i < block->last; i++) {
            s->position = i;
            s->triangle = body->first_triangle + body->tree.item[i];
            int from = s->other == s->body ? i + 1 : 0;
            fm_box_tree_query(&set->bodies[s->other].tree, &set->boxes[s->triangle], margin, from,
                              visit_leaf, s);
        }
    }
}

static void fill_blocks(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int b = first; b < last; b++) {
        search s = {.set = set, .block = &set->blocks[b], .skin = set->list_skin};
        fill_block(&s);
    }
}

void fm_candidates_build(fm_contact_set *set, fm_contact_axes x, double skin, fm_pool *pool)
{
    size_t bytes = (size_t)set->vertex_count * sizeof(double);
    memcpy(set->built.x, x.x, bytes);
    memcpy(set->built.y, x.y, bytes);
    memcpy(set->built.z, x.z, bytes);
    set->list_skin = skin;
    set->travel = 0;
    set->list_made = true;
    fm_parallel_for(pool, set->triangle_count, 1024, fit_boxes, set);
    for (int s = 0; s < set->body_count; s++)
        fm_box_tree_refit(&set->bodies[s].tree, set->boxes + set->bodies[s].first_triangle);
    for (int s = 0; s < set->body_count; s++) {
        for (int t = s; t < set->body_count; t++)
            set->gap[s * set->body_count + t] = find_box_gap(&set->bodies[s].tree.nodes[0].box,
                                                             &set->bodies[t].tree.nodes[0].box);
    }
    fm_parallel_for(pool, set->block_count, 1, fill_blocks, set);
}

static bool grow_near(fm_near_list *near)
{
    int room = near->room < 32 ? 64 : 2 * near->room;
    fm_near_pair *pairs = realloc(near->pairs, (size_t)room * sizeof *pairs);
    if (pairs)
        near->pairs = pairs;
    int *touching = realloc(near->touching, (size_t)room * sizeof *touching);
    if (touching)
        near->touching = touching;
    if (!pairs || !touching)
        return false;
    near->room = room;
    return true;
}

typedef struct collection {
    fm_contact_set *set;
    double allowed; // m
    bool anew;
} collection;

static fm_closest find_at_start(const fm_contact_set *set, fm_feature_kind kind, const int v[4])
{
    fm_vec3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = fm_contact_at(set->from, v[i]);
    return fm_closest_points(kind, p);
}

static void take_closest(const fm_contact_set *set, fm_feature_kind kind, fm_near_pair *pair,
                         const fm_closest *c)
{
    double d = c->distance, h = pair->thickness;
    pair->n = d > 0 ? fm_scale(c->gap, 1 / d) : (fm_vec3){0, 0, 0};
    pair->s = kind == FM_EDGE_EDGE ? c->weight[1] : -c->weight[2];
    pair->t = -c->weight[3];
    pair->least = LEAST_LEFT * fm_smaller(LEAST * h, d);
    pair->fresh = set->travel + FRESH * d;
    pair->hit = pair->turned = pair->loose = pair->given_up = false;
}

// How much nearer a pair may come before it matters. Edges that are closest at an end are so as
// vertices, too, and repelled as such: they matter only when they are deep, but may soon cross.
static double find_room(fm_feature_kind kind, const fm_closest *c, double h)
{
    double room = c->distance - h;
    bool crossing = c->weight[0] > 0 && c->weight[1] > 0 && c->weight[2] < 0 && c->weight[3] < 0;
    if (kind == FM_EDGE_EDGE && !crossing && c->distance > DEEP * h)
        return fm_larger(room, fm_smaller(c->distance - DEEP * h, SOON * h));
    return room;
}

// What stays near is looked at again where it is not fresh; what went away goes back to the list.
static void refresh_near(const collection *job, fm_pair_block *block, fm_feature_kind kind)
{
    const fm_contact_set *set = job->set;
    fm_near_list *near = &block->near[kind];
    int kept = 0;
    if (!job->anew && set->travel <= near->stale)
        return;
    near->stale = INFINITY;
    for (int k = 0; k < near->count; k++) {
        fm_near_pair *pair = &near->pairs[k];
        if (job->anew || pair->turned || pair->loose || pair->given_up ||
            set->travel > pair->fresh) {
            fm_closest c = find_at_start(set, kind, pair->v);
            double room = find_room(kind, &c, pair->thickness);
            if (room > job->allowed + STAY * pair->thickness) {
                fm_pair_list *list = &block->pairs[kind];
                list->due[pair->k] = set->travel + room;
                list->soonest = fm_smaller(list->soonest, set->travel + room);
                continue;
            }
            take_closest(set, kind, pair, &c);
        }
        near->stale = fm_smaller(near->stale, pair->fresh);
        if (kept < k)
            near->pairs[kept] = *pair;
        kept++;
    }
    near->count = kept;
}

static void add_near(const fm_contact_set *set, fm_pair_block *block, fm_feature_kind kind, int k,
                     const fm_closest *c)
{
    fm_near_list *near = &block->near[kind];
    if (near->count == near->room && !grow_near(near)) {
        block->out_of_memory = true;
        return;
    }
    fm_pair_list *list = &block->pairs[kind];
    fm_near_pair *pair = &near->pairs[near->count++];
    *pair = (fm_near_pair){.thickness = list->thickness[k], .k = k};
    for (int i = 0; i < 4; i++)
        pair->v[i] = list->v[i][k];
    take_closest(set, kind, pair, c);
    near->stale = fm_smaller(near->stale, pair->fresh);
    list->due[k] = INFINITY;
}

static void collect_list(const collection *job, fm_pair_block *block, fm_feature_kind kind)
{
    const fm_contact_set *set = job->set;
    fm_pair_list *list = &block->pairs[kind];
    double limit = set->travel + job->allowed;
    if (list->soonest >= limit)
        return;
    list->soonest = INFINITY;
    for (int k = 0; k < list->count; k++) {
        double due = list->due[k];
        list->soonest = fm_smaller(due < limit ? list->soonest : due, list->soonest);
        if (due >= limit)
            continue;
        int v[4] = {list->v[0][k], list->v[1][k], list->v[2][k], list->v[3][k]};
        fm_closest c = find_at_start(set, kind, v);
        list->due[k] = set->travel + find_room(kind, &c, list->thickness[k]);
        if (!(list->due[k] >= limit))
            add_near(set, block, kind, k, &c);
        list->soonest = fm_smaller(list->soonest, list->due[k]);
    }
}

static void collect_blocks(void *context, int first, int last)
{
    const collection *job = context;
    for (int b = first; b < last; b++) {
        for (int kind = 0; kind < 2; kind++) {
            refresh_near(job, &job->set->blocks[b], (fm_feature_kind)kind);
            collect_list(job, &job->set->blocks[b], (fm_feature_kind)kind);
        }
    }
}

void fm_candidates_collect(fm_contact_set *set, double allowed, bool anew, fm_pool *pool)
{
    collection job = {set, allowed, anew};
    fm_parallel_for(pool, set->block_count, 4, collect_blocks, &job);
}

double fm_contact_find_closest(fm_contact_set *set, fm_contact_axes x, double reach)
{
    double closest = reach;
    fm_candidates_build(set, x, reach, NULL);
    for (int b = 0; b < set->block_count; b++) {
        for (int kind = 0; kind < 2; kind++) {
            const fm_pair_list *list = &set->blocks[b].pairs[kind];
            for (int k = 0; k < list->count; k++) {
                fm_vec3 p[4];
                for (int i = 0; i < 4; i++)
                    p[i] = fm_contact_at(x, list->v[i][k]);
                closest = fm_smaller(closest, fm_closest_points((fm_feature_kind)kind, p).distance);
            }
        }
    }
    set->list_made = false;
    return closest;
}
