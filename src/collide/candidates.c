// SPDX-License-Identifier: MIT
// candidates.c: which pairs of features may meet: a list that lasts several steps.
//
// The list holds all pairs that were nearer than their thickness and what both features may go
// before it is old. Where a vertex is calm that is little, so that the list is short where much is
// crowded together but at rest:
//
//     r_i  = what vertex i went from its surface's mean way in this step, for all steps to come
//     D_ab = the same of the mean ways of two surfaces against each other
//     old when |x_i - X_i - c| > r_i anywhere, or |c_a - c_b| > D_ab
//
//   X  positions when the list was made    c  mean way of a surface's vertices since then
//
// so a cloth that falls as a whole keeps its list. Pairs are found through trees of boxes around
// triangles. Each vertex and each edge belongs to one triangle, so that a pair of features is met
// once, with the pair of the triangles they belong to.
#include "collide/contact.h"
#include "core/simd.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const double CALM = 0.1;       // of the thickness: what every vertex may go
static const double STEPS_MORE = 0.5; // beyond those to come, for what impulses add
static const double MOST_CARE = 8;
enum { LATE = 4 }; // times as long as it was to last: the next one is less careful

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

// Bodies whose boxes were too far apart for the list count only when they come near after all.
double fm_candidates_approach(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b)
{
    double most = 0;
    measure_ways(set, a, b);
    for (int s = 0; s < set->body_count; s++) {
        for (int t = s; t < set->body_count; t++) {
            int pair = s * set->body_count + t;
            double gap = set->gap[pair] - set->largest_reach;
            double approach = find_approach(&set->bodies[s], &set->bodies[t]);
            if (may_meet(set, s, t) && (gap <= set->drift_slack[pair] || approach > gap))
                most = fm_larger(most, approach);
        }
    }
    return most;
}

static FM_SIMD_CLONES bool stay_within(fm_contact_axes a, fm_contact_axes b, const double *slack,
                                       int first, int count, fm_vec3 c)
{
    const double *ax = a.x + first, *ay = a.y + first, *az = a.z + first;
    const double *bx = b.x + first, *by = b.y + first, *bz = b.z + first;
    const double *r = slack + first;
    double most = -1;
#pragma omp simd reduction(max : most)
    for (int i = 0; i < count; i++) {
        double x = bx[i] - ax[i] - c.x, y = by[i] - ay[i] - c.y, z = bz[i] - az[i] - c.z;
        double over = x * x + y * y + z * z - r[i] * r[i];
        most = over > most ? over : most;
    }
    return most <= 0;
}

bool fm_candidates_hold(fm_contact_set *set, fm_contact_axes x)
{
    if (!set->list_made)
        return false;
    for (int s = 0; s < set->body_count; s++) {
        fm_contact_body *body = &set->bodies[s];
        int first = body->first_vertex, count = body->vertex_count;
        body->drift = find_mean_way(set->built, x, first, count);
        if (!stay_within(set->built, x, set->slack, first, count, body->drift))
            return false;
    }
    for (int s = 0; s < set->body_count; s++) {
        for (int t = s + 1; t < set->body_count; t++) {
            int pair = s * set->body_count + t;
            double way = fm_length(fm_sub(set->bodies[s].drift, set->bodies[t].drift));
            double most = fm_larger(set->drift_slack[pair], set->gap[pair] - set->largest_reach);
            if (may_meet(set, s, t) && !(way <= most))
                return false;
        }
    }
    return true;
}

static double limit(double value, double least, double most)
{
    return fm_smaller(most, fm_larger(least, value));
}

// How far vertices and surfaces may go with the list, from how far they go now.
static void choose_slack(fm_contact_set *set, fm_contact_axes ahead, double least, double most)
{
    double steps = set->list_care * (set->list_steps + STEPS_MORE);
    measure_ways(set, set->built, ahead);
    for (int s = 0; s < set->body_count; s++) {
        const fm_contact_body *body = &set->bodies[s];
        for (int i = body->first_vertex; i < body->first_vertex + body->vertex_count; i++) {
            fm_vec3 way = fm_sub(fm_contact_at(ahead, i), fm_contact_at(set->built, i));
            double own = fm_length(fm_sub(way, body->drift));
            set->slack[i] = limit(steps * own, least, most);
        }
        for (int t = s; t < set->body_count; t++) {
            double way = fm_length(fm_sub(body->drift, set->bodies[t].drift));
            set->drift_slack[s * set->body_count + t] =
                s == t ? 0 : limit(steps * way, 2 * least, 2 * most);
        }
    }
}

// Boxes hold their triangles wherever those go while the list holds.
static void fit_boxes(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int t = first; t < last; t++) {
        const int *v = set->triangle[t];
        double r = fm_larger(set->slack[v[0]], fm_larger(set->slack[v[1]], set->slack[v[2]]));
        fm_box box = fm_box_empty();
        for (int i = 0; i < 3; i++)
            fm_box_add(&box, fm_contact_at(set->built, v[i]));
        set->boxes[t] =
            (fm_box){fm_sub(box.low, (fm_vec3){r, r, r}), fm_add(box.high, (fm_vec3){r, r, r})};
    }
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
    int body, other;        // whose leaf, and whose tree is searched
    double drift_slack;     // m, of the two
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

// How far the two features may go, each as its fastest vertex.
static double find_slack(const fm_contact_set *set, const int v[4], int first_count)
{
    double r[4];
    for (int i = 0; i < 4; i++)
        r[i] = set->slack[v[i]];
    double second = fm_larger(r[2], r[3]);
    return first_count == 1 ? r[0] + fm_larger(r[1], second) : fm_larger(r[0], r[1]) + second;
}

static bool add_pair(search *s, fm_feature_kind kind, int v0, int v1, int v2, int v3)
{
    const fm_contact_set *set = s->set;
    int v[4] = {v0, v1, v2, v3}, first_count = kind == FM_VERTEX_TRIANGLE ? 1 : 2;
    if (v0 == v2 || v0 == v3 || v1 == v2 || v1 == v3 || v0 == v1)
        return false; // neighbours; in a vertex and a triangle, v0 is none of the others'
    double thickness = find_thickness(set, v, s->body, s->other);
    double reach = thickness + s->drift_slack + find_slack(set, v, first_count);
    if (points_apart(set, v, first_count, reach))
        return false;
    fm_pair_list *list = &s->block->pairs[kind];
    if (list->count == list->room && !grow_list(list)) {
        s->block->out_of_memory = true;
        return false;
    }
    for (int i = 0; i < 4; i++)
        list->v[i][list->count] = v[i];
    list->due[list->count] = reach;
    list->thickness[list->count++] = thickness;
    return true;
}

// The place of v in the block's table, or the free one where it belongs.
static int find_slot(const fm_pair_block *block, int v)
{
    unsigned mask = (unsigned)block->slot_count - 1, at = (unsigned)v * 2654435769u;
    for (at >>= 7; block->slot[at & mask] >= 0 && block->slot[at & mask] != v; at++)
        ;
    return (int)(at & mask);
}

static bool grow_members(fm_pair_block *block)
{
    int slots = 2 * block->slot_count;
    int *slot = realloc(block->slot, (size_t)slots * sizeof *slot);
    if (slot)
        block->slot = slot;
    int *member = realloc(block->member, (size_t)slots / 2 * sizeof *member);
    if (member)
        block->member = member;
    if (!slot || !member)
        return false;
    block->slot_count = slots;
    memset(slot, -1, (size_t)slots * sizeof *slot);
    for (int i = 0; i < block->member_count; i++)
        slot[find_slot(block, member[i])] = member[i];
    return true;
}

static void add_member(fm_pair_block *block, int v)
{
    int at = find_slot(block, v);
    if (block->slot[at] == v)
        return;
    if (2 * block->member_count == block->slot_count) {
        if (!grow_members(block)) {
            block->out_of_memory = true;
            return;
        }
        at = find_slot(block, v);
    }
    block->slot[at] = v;
    block->member[block->member_count++] = v;
}

static void add_triangles(search *s, int a, int b)
{
    const fm_contact_set *set = s->set;
    const int *p = set->triangle[a], *q = set->triangle[b];
    bool added = false;
    for (int i = 0; i < 3 && set->owned_vertex[a][i] >= 0; i++)
        added |= add_pair(s, FM_VERTEX_TRIANGLE, set->owned_vertex[a][i], q[0], q[1], q[2]);
    for (int i = 0; i < 3 && set->owned_vertex[b][i] >= 0; i++)
        added |= add_pair(s, FM_VERTEX_TRIANGLE, set->owned_vertex[b][i], p[0], p[1], p[2]);
    for (int i = 0; i < 3 && set->owned_edge[a][i] >= 0; i++) {
        const int *e = set->edge[set->owned_edge[a][i]];
        for (int j = 0; j < 3 && set->owned_edge[b][j] >= 0; j++) {
            const int *f = set->edge[set->owned_edge[b][j]];
            added |= add_pair(s, FM_EDGE_EDGE, e[0], e[1], f[0], f[1]);
        }
    }
    for (int i = 0; added && i < 3; i++) {
        add_member(s->block, p[i]);
        add_member(s->block, q[i]);
    }
}

static void visit_leaf(void *context, int first, int count)
{
    search *s = context;
    const fm_contact_set *set = s->set;
    const fm_contact_body *other = &set->bodies[s->other];
    double margin = set->largest_reach + s->drift_slack;
    for (int i = first; i < first + count; i++) {
        int triangle = other->first_triangle + other->tree.items[i];
        if ((s->other != s->body || i > s->position) &&
            fm_box_meets(&set->boxes[s->triangle], &set->boxes[triangle], margin))
            add_triangles(s, s->triangle, triangle);
    }
}

// Boxes that overlap are of pairs that may be far apart: those go.
static void sift(const fm_contact_set *set, fm_pair_list *list, fm_feature_kind kind)
{
    fm_closest_batch batch = {0};
    int kept = 0;
    for (int first = 0; first < list->count; first += FM_CLOSEST_BATCH) {
        int count = fm_batch_run(&batch, kind, list, first, set->built);
        for (int i = 0, k = first; i < count; i++, k++) {
            if (batch.distance[i] > list->due[k])
                continue;
            list->due[kept] = fm_near_room(kind, &batch, i, list->thickness[k]);
            list->thickness[kept] = list->thickness[k];
            for (int j = 0; j < 4; j++)
                list->v[j][kept] = list->v[j][k];
            kept++;
        }
    }
    list->count = kept;
}

static void fill_block(search *s)
{
    fm_contact_set *set = s->set;
    fm_pair_block *block = s->block;
    const fm_contact_body *body = &set->bodies[block->body];
    for (int kind = 0; kind < 2; kind++) {
        block->pairs[kind].count = block->near[kind].count = 0;
        block->pairs[kind].soonest = -INFINITY;
    }
    block->travel = 0;
    block->member_count = 0;
    memset(block->slot, -1, (size_t)block->slot_count * sizeof *block->slot);
    s->body = block->body;
    for (s->other = s->body; s->other < set->body_count; s->other++) {
        int pair = s->body * set->body_count + s->other;
        s->drift_slack = set->drift_slack[pair];
        double margin = set->largest_reach + s->drift_slack;
        if (!may_meet(set, s->body, s->other) || set->gap[pair] > margin)
            continue;
        for (int i = block->first; i < block->last; i++) {
            s->position = i;
            s->triangle = body->first_triangle + body->tree.items[i];
            int from = s->other == s->body ? i + 1 : 0;
            fm_tree_visit(&set->bodies[s->other].tree, &set->boxes[s->triangle], margin, from,
                          visit_leaf, s);
        }
    }
    for (int kind = 0; kind < 2; kind++)
        sift(set, &block->pairs[kind], (fm_feature_kind)kind);
}

static void fill_blocks(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int b = first; b < last; b++) {
        search s = {.set = set, .block = &set->blocks[b]};
        fill_block(&s);
    }
}

static void choose_colour(fm_contact_set *set, fm_pair_block *block)
{
    uint64_t taken = 0;
    for (int i = 0; i < block->member_count; i++)
        taken |= set->colours[block->member[i]];
    int colour = 0;
    while (colour < FM_CONTACT_COLOURS - 1 && taken >> colour & 1)
        colour++;
    block->colour = colour;
    for (int i = 0; i < block->member_count; i++) {
        int v = block->member[i];
        if (!set->bodies[set->body_of[v]].kinematic)
            set->colours[v] |= (uint64_t)1 << colour;
    }
}

static void colour_blocks(fm_contact_set *set)
{
    int *first = set->colour_first;
    memset(set->colours, 0, (size_t)set->vertex_count * sizeof *set->colours);
    memset(first, 0, sizeof set->colour_first);
    for (int b = 0; b < set->block_count; b++) {
        choose_colour(set, &set->blocks[b]);
        first[set->blocks[b].colour + 1]++;
    }
    for (int c = 0; c < FM_CONTACT_COLOURS; c++)
        first[c + 1] += first[c];
    int next[FM_CONTACT_COLOURS];
    memcpy(next, first, sizeof next);
    for (int b = 0; b < set->block_count; b++)
        set->by_colour[next[set->blocks[b].colour]++] = b;
}

void fm_candidates_fill(fm_contact_set *set, fm_pool *pool)
{
    fm_parallel_for(pool, set->triangle_count, 1024, fit_boxes, set);
    for (int s = 0; s < set->body_count; s++)
        fm_tree_refit(&set->bodies[s].tree, set->boxes + set->bodies[s].first_triangle);
    for (int s = 0; s < set->body_count; s++) {
        fm_box bounds = fm_tree_bounds(&set->bodies[s].tree);
        for (int t = s; t < set->body_count; t++) {
            fm_box other = fm_tree_bounds(&set->bodies[t].tree);
            set->gap[s * set->body_count + t] = fm_box_gap(&bounds, &other);
        }
    }
    fm_parallel_for(pool, set->block_count, 1, fill_blocks, set);
    colour_blocks(set);
}

// A list that did not last as long as it was to makes the next one more careful.
void fm_candidates_build(fm_contact_set *set, fm_contact_axes x, fm_contact_axes ahead, double most,
                         fm_pool *pool)
{
    size_t bytes = (size_t)set->vertex_count * sizeof(double);
    bool early = set->list_made && set->list_age < set->list_steps;
    bool late = set->list_age > LATE * set->list_steps;
    set->list_care = early  ? fm_smaller(MOST_CARE, 2 * set->list_care)
                     : late ? fm_larger(1, set->list_care / 2)
                            : set->list_care;
    set->list_age = 0;
    memcpy(set->built.x, x.x, bytes);
    memcpy(set->built.y, x.y, bytes);
    memcpy(set->built.z, x.z, bytes);
    choose_slack(set, ahead, fm_smaller(most, set->list_care * CALM * set->shortest_reach), most);
    fm_candidates_fill(set, pool);
    set->list_made = true;
}
