// SPDX-License-Identifier: MIT
// candidates.c: which pairs of features may meet: a list that lasts several steps.
//
// The list is of pairs of patches that were not certainly apart when it was made (patches.c), and
// for each of them holds all pairs of features that were nearer than their thickness and what the
// two patches may come nearer before the list is old:
//
//     s_ab = what patches a and b may have come nearer in the step at which the list was made,
//            |c_a - c_b| + r_a + r_b, for all steps to come
//     old when that is more than s_ab since then, or when other patches meet
//
//   c  mean way of a patch's vertices    r  the most that a vertex differs from it
//
// so that cloth that moves as a whole, or layers that move together, keep their list. What is
// certainly apart in a step needs none. Each vertex and each edge belongs to one triangle, so that
// a pair of features is met once, with the pair of the triangles they belong to.
#include "collide/contact.h"
#include "core/simd.h"

#include <stdlib.h>
#include <string.h>

static const double CALM = 0.2;       // of the thickness: what two patches may come nearer
static const double STEPS_MORE = 0.5; // beyond those to come, for what impulses add
static const double MOST_CARE = 8;
static const double SMOOTHER = 0.1; // slope beyond the least, to be left out of a new list
enum {
    LATE = 4, // times as long as it was to last: the next one is less careful
    BLOCKS_AT_ONCE = 16,
};

double fm_contact_largest_way(const fm_contact_set *set, fm_contact_axes a, fm_contact_axes b)
{
    double most = 0;
    for (int i = 0; i < set->vertex_count; i++) {
        double x = b.x[i] - a.x[i], y = b.y[i] - a.y[i], z = b.z[i] - a.z[i];
        most = fm_larger(most, x * x + y * y + z * z);
    }
    return sqrt(most);
}

double fm_candidates_approach(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b)
{
    double most = 0;
    fm_patches_follow(set, &set->met, a, b);
    for (int i = 0; i < set->met.count; i++)
        most = fm_larger(most, fm_patches_approach(set, &set->met.pairs[i]));
    return most;
}

// The slack of a pair in the list, -1: it is not.
static double find_slack(const fm_contact_set *set, const fm_patch_pair *pair)
{
    int k = set->blocks[pair->a].first_pair;
    while (k >= 0 && set->listed.pairs[k].b != pair->b)
        k = set->listed.pairs[k].next;
    return k >= 0 ? set->listed.pairs[k].slack : -1;
}

static bool all_within(fm_contact_set *set, fm_contact_axes x)
{
    fm_patches_follow(set, &set->met, set->built, x);
    for (int i = 0; i < set->met.count; i++) {
        if (!(fm_patches_approach(set, &set->met.pairs[i]) <= set->met.pairs[i].slack))
            return false;
    }
    return true;
}

void fm_candidates_measure(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b, fm_pool *pool)
{
    fm_patches_measure(set, a, b, pool);
    fm_patches_meet(set, 0, 0, &set->met);
}

bool fm_candidates_suffice(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b)
{
    if (set->met.out_of_memory)
        return false;
    for (int i = 0; i < set->met.count; i++) {
        set->met.pairs[i].slack = set->list_made ? find_slack(set, &set->met.pairs[i]) : -1;
        if (set->met.pairs[i].slack < 0)
            return false;
    }
    return all_within(set, a) && all_within(set, b);
}

bool fm_candidates_hold(fm_contact_set *set, fm_contact_axes a, fm_contact_axes b, fm_pool *pool)
{
    fm_candidates_measure(set, a, b, pool);
    return fm_candidates_suffice(set, a, b);
}

static double limit(double value, double least, double most)
{
    return fm_smaller(most, fm_larger(least, value));
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
    int body, other; // whose patches
    double slack;    // m, of the two
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

static bool add_pair(search *s, fm_feature_kind kind, int v0, int v1, int v2, int v3)
{
    const fm_contact_set *set = s->set;
    int v[4] = {v0, v1, v2, v3}, first_count = kind == FM_VERTEX_TRIANGLE ? 1 : 2;
    if (v0 == v2 || v0 == v3 || v1 == v2 || v1 == v3 || v0 == v1)
        return false; // neighbours; in a vertex and a triangle, v0 is none of the others'
    double thickness = find_thickness(set, v, s->body, s->other);
    double reach = thickness + s->slack;
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

// Triangles of a patch whose boxes meet a box.
static int sift_triangles(const fm_contact_set *set, const fm_patch *patch, const fm_box *box,
                          double margin, int *found)
{
    int count = 0;
    for (int i = patch->first; i < patch->last; i++) {
        int t = set->patch_triangle[i];
        if (fm_box_meets(&set->boxes[t], box, margin))
            found[count++] = t;
    }
    return count;
}

static fm_box box_patch(const fm_contact_set *set, const fm_patch *patch)
{
    fm_box box = fm_box_empty();
    for (int i = patch->first_vertex; i < patch->first_vertex + patch->vertex_count; i++)
        fm_box_add(&box, fm_contact_at(set->built, set->patch_vertex[i]));
    return box;
}

static void add_patches(search *s, const fm_patch_pair *pair)
{
    const fm_contact_set *set = s->set;
    const fm_patch *a = &set->patches[pair->a], *b = &set->patches[pair->b];
    int one[FM_PATCH_TRIANGLES], other[FM_PATCH_TRIANGLES];
    s->body = a->body, s->other = b->body, s->slack = pair->slack;
    double margin =
        pair->slack + (set->bodies[a->body].thickness + set->bodies[b->body].thickness) / 2;
    fm_box box_a = box_patch(set, a), box_b = box_patch(set, b);
    int count = sift_triangles(set, a, &box_b, margin, one);
    int others = sift_triangles(set, b, &box_a, margin, other);
    for (int i = 0; i < count; i++) {
        for (int k = a == b ? i + 1 : 0; k < others; k++) {
            if (fm_box_meets(&set->boxes[one[i]], &set->boxes[other[k]], margin))
                add_triangles(s, one[i], other[k]);
        }
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
    for (int kind = 0; kind < 2; kind++) {
        block->pairs[kind].count = block->near[kind].count = 0;
        block->pairs[kind].soonest = -INFINITY;
    }
    block->travel = 0;
    if (block->member_count > 0)
        memset(block->slot, -1, (size_t)block->slot_count * sizeof *block->slot);
    block->member_count = 0;
    for (int k = block->first_pair; k >= 0; k = set->listed.pairs[k].next)
        add_patches(s, &set->listed.pairs[k]);
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

static void box_triangles(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int p = first; p < last; p++) {
        const fm_patch *patch = &set->patches[p];
        if (patch->spread < 0)
            continue;
        for (int i = patch->first; i < patch->last; i++) {
            int t = set->patch_triangle[i];
            set->boxes[t] = fm_box_empty();
            for (int k = 0; k < 3; k++)
                fm_box_add(&set->boxes[t], fm_contact_at(set->built, set->triangle[t][k]));
        }
    }
}

// Pairs of patches that will be near before the list is old. Leaves a spread >= 0 in those patches.
static void choose_patches(fm_contact_set *set, fm_pool *pool)
{
    fm_patch_pairs *listed = &set->listed;
    fm_patches_measure(set, set->built, set->ahead, pool);
    fm_patches_meet(set, set->list_most, SMOOTHER, listed);
    fm_patches_follow(set, listed, set->built, set->ahead);
    for (int b = 0; b < set->block_count; b++)
        set->blocks[b].first_pair = -1;
    int kept = 0;
    for (int i = 0; i < listed->count; i++) {
        fm_patch_pair pair = listed->pairs[i];
        const fm_patch *a = &set->patches[pair.a], *b = &set->patches[pair.b];
        pair.slack = limit(set->list_ahead * fm_patches_approach(set, &pair), set->list_least,
                           set->list_most);
        double reach = (set->bodies[a->body].thickness + set->bodies[b->body].thickness) / 2;
        const fm_box *boxes = set->patch_boxes;
        if (pair.a != pair.b && fm_box_gap(&boxes[pair.a], &boxes[pair.b]) > reach + pair.slack)
            continue;
        pair.next = set->blocks[pair.a].first_pair;
        set->blocks[pair.a].first_pair = kept;
        listed->pairs[kept++] = pair;
    }
    listed->count = kept;
}

void fm_candidates_fill(fm_contact_set *set, fm_pool *pool)
{
    for (int p = 0; p < set->block_count; p++)
        set->patches[p].spread = -1;
    choose_patches(set, pool);
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, box_triangles, set);
    fm_parallel_for(pool, set->block_count, 1, fill_blocks, set);
    colour_blocks(set);
}

// A list that did not last as long as it was to makes the next one more careful.
void fm_candidates_build(fm_contact_set *set, fm_contact_axes x, fm_contact_axes ahead, double most,
                         fm_pool *pool)
{
    bool early = set->list_made && set->list_age < set->list_steps;
    bool late = set->list_age > LATE * set->list_steps;
    set->list_care = early  ? fm_smaller(MOST_CARE, 2 * set->list_care)
                     : late ? fm_larger(1, set->list_care / 2)
                            : set->list_care;
    set->list_age = 0;
    set->list_ahead = set->list_care * (set->list_steps + STEPS_MORE);
    set->list_most = most;
    set->list_least = fm_smaller(most, set->list_care * CALM * set->shortest_reach);
    fm_contact_copy(set, set->built, x);
    fm_contact_copy(set, set->ahead, ahead);
    fm_candidates_fill(set, pool);
    set->list_made = true;
}
