// SPDX-License-Identifier: MIT
// candidate_pairs.c: the list of feature pairs that may collide. It lasts several steps.
//
// The list consists of pairs of patches that could not be proven apart when it was built
// (patches.c). Each patch pair holds all feature pairs that were nearer than their thickness plus a
// slack s_ab, the distance by which the two patches may approach before the list is out of date:
//
//     s_ab = n (|c_a - c_b| + r_a + r_b)
//
//   a, b  patches   c  mean displacement of the vertices of a patch in the step at which the list
//   was built, m   r  largest deviation of a vertex from c, m   n  number of steps to last
//
// The list is out of date when two patches have approached by more than s_ab, or when a patch pair
// outside the list may meet. Cloth that moves as a whole, and layers that move together, keep their
// list, because only relative displacements count. Patches that are provably apart in a step need
// no list. Every vertex and every edge is owned by one triangle, so that each feature pair appears
// once, with the pair of the triangles that own the features.
#include "collide/contact.h"
#include "core/simd.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// smallest approach that the list allows two patches, in thicknesses
static const double MIN_SLACK = 0.2;
// steps added to the number that the list should last, to allow for motion that impulses add
static const double EXTRA_STEPS = 0.5;
// The list allows two patches the approach of the whole step, in parts of which contact may be
// resolved, times this factor, even if that exceeds the skin.
static const double WHOLE_STEP = 1.3;
// largest safety factor on the number of steps that the list lasts
static const double MAX_SAFETY = 8;
// A new list leaves out a patch pair of one smooth grid only if its distance ratio (lower bound of
// distance in space / distance in the flat grid, smooth_regions.c) exceeds the limit by this much.
static const double EXTRA_RATIO = 0.1;
enum {
    // a list that lasted this many times longer than intended lowers the safety factor of the next
    LONG_LASTING = 4,
    BLOCKS_AT_ONCE = 16, // blocks (one per patch) in one task of a thread
};

// Length of the longest displacement of a vertex from positions a to positions b, m.
double fm_contact_longest_displacement(const fm_contact_set *set, fm_vec3_array a, fm_vec3_array b)
{
    double largest = 0;
    for (int i = 0; i < set->vertex_count; i++) {
        double x = b.x[i] - a.x[i], y = b.y[i] - a.y[i], z = b.z[i] - a.z[i];
        largest = fm_double_max(largest, x * x + y * y + z * z);
    }
    return sqrt(largest);
}

// Upper bound of how much two patches that may meet approach when vertices move from a to b, m.
double fm_candidates_bound_approach(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b,
                                    fm_pool *pool)
{
    double largest = 0;
    fm_patches_measure_motion(set, &set->near_patches, a, b, pool);
    for (int i = 0; i < set->near_patches.count; i++)
        largest =
            fm_double_max(largest, fm_patches_bound_approach(set, &set->near_patches.pairs[i]));
    return largest;
}

// m, slack of a patch pair: how much nearer the patches may come before the candidate list is out
// of date; -1: the pair is not in the list.
static double find_slack(const fm_contact_set *set, const fm_patch_pair *pair)
{
    int k = set->blocks[pair->a].first_pair;
    while (k >= 0 && set->listed_patches.pairs[k].b != pair->b)
        k = set->listed_patches.pairs[k].next;
    return k >= 0 ? set->listed_patches.pairs[k].slack : -1;
}

// True if no pair of near patches has approached by more than its slack (approach allowed before
// the list is out of date) since the list was built, with vertices at x.
static bool stay_within_slack(fm_contact_set *set, fm_vec3_array x, fm_pool *pool)
{
    fm_patches_measure_motion(set, &set->near_patches, set->list_positions, x, pool);
    for (int i = 0; i < set->near_patches.count; i++) {
        if (!(fm_patches_bound_approach(set, &set->near_patches.pairs[i]) <=
              set->near_patches.pairs[i].slack))
            return false;
    }
    return true;
}

// Stores in set->near_patches the pairs of patches that may come nearer than their thickness when
// vertices move from a to b.
void fm_candidates_find_patch_pairs(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b,
                                    fm_pool *pool)
{
    fm_patches_update_bounds(set, a, b, pool);
    fm_patches_find_pairs(set, 0, 0, &set->near_patches);
}

// True if the candidate list contains all feature pairs that may come near when vertices move from
// a to b: each pair in near_patches is in the list and stays within its slack (approach allowed
// before the list is out of date).
bool fm_candidates_are_complete(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b,
                                fm_pool *pool)
{
    if (set->near_patches.out_of_memory)
        return false;
    for (int i = 0; i < set->near_patches.count; i++) {
        set->near_patches.pairs[i].slack =
            set->list_made ? find_slack(set, &set->near_patches.pairs[i]) : -1;
        if (set->near_patches.pairs[i].slack < 0)
            return false;
    }
    return stay_within_slack(set, a, pool) && stay_within_slack(set, b, pool);
}

// As fm_candidates_are_complete, but first finds the patch pairs that may meet from a to b.
bool fm_candidates_check(fm_contact_set *set, fm_vec3_array a, fm_vec3_array b, fm_pool *pool)
{
    fm_candidates_find_patch_pairs(set, a, b, pool);
    return fm_candidates_are_complete(set, a, b, pool);
}

// The value limited to the range from `least` to `most`.
static double clamp(double value, double least, double most)
{
    return fm_double_min(most, fm_double_max(least, value));
}

// Doubles the capacity of a list of candidate pairs; false when out of memory.
static bool grow_list(fm_pair_list *list)
{
    int capacity = list->capacity < 128 ? 256 : 2 * list->capacity;
    for (int i = 0; i < 4; i++) {
        int *more = realloc(list->v[i], (size_t)capacity * sizeof *more);
        if (!more)
            return false;
        list->v[i] = more;
    }
    double *recheck_at = realloc(list->recheck_at, (size_t)capacity * sizeof *recheck_at);
    if (recheck_at)
        list->recheck_at = recheck_at;
    double *thickness = realloc(list->thickness, (size_t)capacity * sizeof *thickness);
    if (thickness)
        list->thickness = thickness;
    float *start = realloc(list->start, (size_t)capacity * sizeof *start);
    if (start)
        list->start = start;
    if (!recheck_at || !thickness || !start)
        return false;
    list->capacity = capacity;
    return true;
}

// Search for the candidate pairs of one patch pair.
typedef struct search {
    fm_contact_set *set;
    fm_pair_block *block; // receives the pairs
    int body, other;      // surfaces that the two patches belong to
    double slack;         // m, how much the patches may approach before the list is out of date
} search;

// m, distance below which a feature pair is repelled: the mean thickness of the surfaces a and b.
// Within one surface at most half the least triangle height at the vertices v, so that neighbours
// in a flat cloth do not repel each other.
static double find_thickness(const fm_contact_set *set, const int v[4], int a, int b)
{
    double mean = (set->bodies[a].thickness + set->bodies[b].thickness) / 2;
    if (a != b)
        return mean;
    for (int i = 0; i < 4; i++)
        mean = fm_double_min(mean, set->height[v[i]] / 2);
    return mean;
}

// Adds the pair of vertex v0 and triangle v1 v2 v3, or of edges v0 v1 and v2 v3, unless they share
// a vertex. It stays in the list if it is nearer than thickness + slack (approach allowed before
// the list is out of date).
static void add_feature_pair(search *s, fm_feature_kind kind, int v0, int v1, int v2, int v3)
{
    const fm_contact_set *set = s->set;
    const int v[4] = {v0, v1, v2, v3};
    if (fm_contact_shares_vertex(set->joint, kind, v0, v1, v2, v3))
        return;
    fm_pair_list *list = &s->block->pairs[kind];
    if (list->count == list->capacity && !grow_list(list)) {
        s->block->out_of_memory = true;
        return;
    }
    double thickness = find_thickness(set, v, s->body, s->other);
    for (int i = 0; i < 4; i++)
        list->v[i][list->count] = v[i];
    list->recheck_at[list->count] = thickness + s->slack;
    list->thickness[list->count++] = thickness;
}

// Slot of vertex v in the block's open-addressing hash table of vertices, or the free slot where v
// belongs.
static int find_slot(const fm_pair_block *block, int v)
{
    // multiplicative hash by 2^32 / golden ratio; the shift drops low bits, which mix least
    unsigned mask = (unsigned)block->slot_count - 1, at = (unsigned)v * 2654435769u;
    for (at >>= 7; block->slot[at & mask] >= 0 && block->slot[at & mask] != v; at++)
        ;
    return (int)(at & mask);
}

// Doubles the hash table and the list of a block's vertices; false when out of memory.
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

// Adds vertex v to the vertices of a block (the pairs of one patch) if it is not among them.
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

// Writes to `found` the triangles of a patch whose boxes are within `margin` m of `box`. Returns
// their number.
static int find_triangles_near(const fm_contact_set *set, const fm_patch *patch,
                               const fm_bounds *box, double margin, int *found)
{
    int count = 0;
    for (int i = patch->first; i < patch->last; i++) {
        int t = set->patch_triangle[i];
        if (fm_bounds_overlap(&set->boxes[t], box, margin))
            found[count++] = t;
    }
    return count;
}

// Bounding box of a patch at the positions for which the list is built.
static fm_bounds bound_patch(const fm_contact_set *set, const fm_patch *patch)
{
    fm_bounds box = fm_bounds_empty();
    for (int i = patch->first_vertex; i < patch->first_vertex + patch->vertex_count; i++)
        fm_bounds_add_point(&box, fm_vec3_array_at(set->list_positions, set->patch_vertex[i]));
    return box;
}

// True if the surfaces a and b do not collide with each other.
static bool is_ignored(const fm_contact_set *set, int a, int b)
{
    for (int i = 0; i < set->ignored_count; i++) {
        const int *pair = set->ignored[i];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a))
            return true;
    }
    return false;
}

enum {
    FEATURES_MAX = 3 * FM_PATCH_TRIANGLES
}; // vertices or edges that the triangles of a patch own

// Features of a patch, and their boxes in single precision, rounded outwards: [axis][feature].
typedef struct feature_list {
    int count;
    int v[FEATURES_MAX][3]; // vertices of a triangle, an edge or a vertex; the last one repeated
    bool is_point[FEATURES_MAX]; // an edge of zero length in place of an isolated point
    bool is_side[FEATURES_MAX];  // an edge that a triangle owns
    float low[3][FEATURES_MAX], high[3][FEATURES_MAX];
} feature_list;

// x in single precision, at most x.
static float round_down(double x)
{
    return (float)x - FLT_EPSILON * fabsf((float)x);
}

// Appends the feature with the vertices a, b and c, with its box enlarged by `margin`, m.
static void append_feature(const fm_contact_set *set, feature_list *list, int a, int b, int c,
                           double margin)
{
    const double *axes[3] = {set->list_positions.x, set->list_positions.y, set->list_positions.z};
    int k = list->count++;
    list->v[k][0] = a, list->v[k][1] = b, list->v[k][2] = c;
    list->is_point[k] = list->is_side[k] = false;
    for (int axis = 0; axis < 3; axis++) {
        double p = axes[axis][a], q = axes[axis][b], r = axes[axis][c];
        double low = fm_double_min(p, fm_double_min(q, r));
        double high = fm_double_max(p, fm_double_max(q, r));
        list->low[axis][k] = round_down(low - margin);
        list->high[axis][k] = -round_down(-high - margin);
    }
}

// The features of `count` triangles of a patch, with boxes enlarged by `margin`, m: the triangles
// themselves, and the vertices and edges they own. A line contributes its edge. A point contributes
// its vertex, and an edge of zero length that meets lines and other points.
typedef struct patch_features {
    feature_list triangles, vertices, edges;
} patch_features;

static void list_features(const fm_contact_set *set, const int *triangle, int count, double margin,
                          patch_features *list)
{
    list->triangles.count = list->vertices.count = list->edges.count = 0;
    for (int k = 0; k < count; k++) {
        int t = triangle[k];
        const int *v = set->triangle[t], *vertex = set->owned_vertex[t];
        if (fm_contact_is_triangle(v))
            append_feature(set, &list->triangles, v[0], v[1], v[2], margin);
        for (int i = 0; i < 3 && vertex[i] >= 0; i++)
            append_feature(set, &list->vertices, vertex[i], vertex[i], vertex[i], margin);
        for (int i = 0; i < 3 && set->owned_edge[t][i] >= 0; i++) {
            const int *e = set->edge[set->owned_edge[t][i]];
            append_feature(set, &list->edges, e[0], e[1], e[1], margin);
            list->edges.is_side[list->edges.count - 1] = fm_contact_is_triangle(v);
        }
        if (fm_contact_is_point(v)) {
            append_feature(set, &list->edges, v[0], v[0], v[0], margin);
            list->edges.is_point[list->edges.count - 1] = true;
        }
    }
}

// overlap[k]: whether box k of `list` overlaps box i of `other`.
static FM_SIMD_CLONES void test_boxes(const feature_list *list, const feature_list *other, int i,
                                      int *overlap)
{
    float low_x = other->low[0][i], low_y = other->low[1][i], low_z = other->low[2][i];
    float high_x = other->high[0][i], high_y = other->high[1][i], high_z = other->high[2][i];
    int count = list->count;
#pragma omp simd
    for (int k = 0; k < count; k++)
        overlap[k] = (list->low[0][k] <= high_x) & (list->high[0][k] >= low_x) &
                     (list->low[1][k] <= high_y) & (list->high[1][k] >= low_y) &
                     (list->low[2][k] <= high_z) & (list->high[2][k] >= low_z);
}

// Adds the pairs of vertices and triangles whose boxes overlap.
static void add_vertex_pairs(search *s, const feature_list *vertices, const feature_list *triangles)
{
    int overlap[FEATURES_MAX];
    for (int i = 0; i < vertices->count; i++) {
        test_boxes(triangles, vertices, i, overlap);
        for (int k = 0; k < triangles->count; k++) {
            const int *q = triangles->v[k];
            if (overlap[k])
                add_feature_pair(s, FM_VERTEX_TRIANGLE, vertices->v[i][0], q[0], q[1], q[2]);
        }
    }
}

// Adds the pairs of edges whose boxes overlap. A point meets the edges of triangles as a vertex
// only.
static void add_edge_pairs(search *s, const feature_list *one, const feature_list *other)
{
    int overlap[FEATURES_MAX];
    for (int i = 0; i < one->count; i++) {
        test_boxes(other, one, i, overlap);
        for (int k = one == other ? i + 1 : 0; k < other->count; k++) {
            const int *e = one->v[i], *f = other->v[k];
            if (overlap[k] && !(one->is_point[i] && other->is_side[k]) &&
                !(one->is_side[i] && other->is_point[k]))
                add_feature_pair(s, FM_EDGE_EDGE, e[0], e[1], f[0], f[1]);
        }
    }
}

// Adds the candidate pairs between two patches, or within one.
static void add_patch_pair(search *s, const fm_patch_pair *pair)
{
    const fm_contact_set *set = s->set;
    const fm_patch *a = &set->patches[pair->a], *b = &set->patches[pair->b];
    int found[FM_PATCH_TRIANGLES];
    patch_features one, other;
    s->body = a->body, s->other = b->body, s->slack = pair->slack;
    if (is_ignored(set, s->body, s->other))
        return;
    double margin =
        pair->slack + (set->bodies[a->body].thickness + set->bodies[b->body].thickness) / 2;
    fm_bounds box_a = bound_patch(set, a), box_b = bound_patch(set, b);
    int count = find_triangles_near(set, a, &box_b, margin, found);
    list_features(set, found, count, margin / 2, &one);
    if (a == b) {
        add_vertex_pairs(s, &one.vertices, &one.triangles);
        add_edge_pairs(s, &one.edges, &one.edges);
        return;
    }
    count = find_triangles_near(set, b, &box_a, margin, found);
    list_features(set, found, count, margin / 2, &other);
    add_vertex_pairs(s, &one.vertices, &other.triangles);
    add_vertex_pairs(s, &other.vertices, &one.triangles);
    add_edge_pairs(s, &one.edges, &other.edges);
}

// Removes candidate pairs whose boxes are near but whose features are further apart than thickness
// + slack (approach allowed before the list is out of date), and computes at which travel (bound on
// the approach of features since the list was built) each remaining pair is tested next.
static void remove_distant_pairs(const fm_contact_set *set, fm_pair_list *list,
                                 fm_feature_kind kind)
{
    fm_closest_batch batch = {0};
    int kept = 0;
    for (int first = 0; first < list->count; first += FM_CLOSEST_BATCH) {
        int count = fm_closest_batch_run(&batch, kind, list, first, set->list_positions);
        for (int i = 0, k = first; i < count; i++, k++) {
            if (batch.distance[i] > list->recheck_at[k])
                continue;
            list->recheck_at[kept] = fm_near_find_clearance(kind, &batch, i, list->thickness[k]);
            list->thickness[kept] = list->thickness[k];
            for (int j = 0; j < 4; j++)
                list->v[j][kept] = list->v[j][k];
            kept++;
        }
    }
    list->count = kept;
}

// Collects the candidate pairs of one patch with itself and with patches of higher index.
static void fill_block(search *s)
{
    fm_contact_set *set = s->set;
    fm_pair_block *block = s->block;
    for (int kind = 0; kind < 2; kind++) {
        block->pairs[kind].count = block->near[kind].count = 0;
        block->pairs[kind].first_recheck = -INFINITY;
    }
    block->travel = 0;
    if (block->member_count > 0)
        memset(block->slot, -1, (size_t)block->slot_count * sizeof *block->slot);
    block->member_count = 0;
    for (int k = block->first_pair; k >= 0; k = set->listed_patches.pairs[k].next)
        add_patch_pair(s, &set->listed_patches.pairs[k]);
    for (int kind = 0; kind < 2; kind++) {
        fm_pair_list *list = &block->pairs[kind];
        remove_distant_pairs(set, list, (fm_feature_kind)kind);
        for (int k = 0; k < list->count; k++) {
            for (int i = 0; i < 4; i++)
                add_member(block, list->v[i][k]);
        }
    }
}

// Task of a thread: fills the blocks (pairs of one patch each) first to last - 1. context: the
// contact set.
static void fill_blocks(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int b = first; b < last; b++) {
        search s = {.set = set, .block = &set->blocks[b]};
        fill_block(&s);
    }
}

// Gives a block (the pairs of one patch) the first colour that no other block at its vertices has,
// for graph colouring. Vertices of kinematic surfaces do not count, because impulses do not change
// them.
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

// Colours all blocks (pairs of one patch each) and sorts them by colour, so that threads can apply
// the impulses of blocks of one colour at the same time.
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

// Task of a thread: computes the boxes of all triangles in patches first to last - 1 that are in a
// listed pair (spread >= 0).
static void bound_triangles(void *context, int first, int last)
{
    fm_contact_set *set = context;
    for (int p = first; p < last; p++) {
        const fm_patch *patch = &set->patches[p];
        if (patch->spread < 0)
            continue;
        for (int i = patch->first; i < patch->last; i++) {
            int t = set->patch_triangle[i];
            set->boxes[t] = fm_bounds_empty();
            for (int k = 0; k < 3; k++)
                fm_bounds_add_point(&set->boxes[t],
                                    fm_vec3_array_at(set->list_positions, set->triangle[t][k]));
        }
    }
}

// Chooses the pairs of patches that may come near before the list is out of date, and the approach
// (slack) that the list allows each of them. Leaves spread >= 0 in the patches of these pairs.
static void choose_patches(fm_contact_set *set, fm_pool *pool)
{
    fm_patch_pairs *listed = &set->listed_patches;
    fm_patches_update_bounds(set, set->list_positions, set->list_targets, pool);
    fm_patches_find_pairs(set, set->max_slack, EXTRA_RATIO, listed);
    fm_patches_measure_motion(set, listed, set->list_positions, set->list_targets, pool);
    for (int b = 0; b < set->block_count; b++)
        set->blocks[b].first_pair = -1;
    int kept = 0;
    for (int i = 0; i < listed->count; i++) {
        fm_patch_pair pair = listed->pairs[i];
        const fm_patch *a = &set->patches[pair.a], *b = &set->patches[pair.b];
        double approach = fm_patches_bound_approach(set, &pair);
        pair.slack = clamp(set->list_horizon * approach, set->min_slack,
                           fm_double_max(set->max_slack, WHOLE_STEP * approach));
        double reach = (set->bodies[a->body].thickness + set->bodies[b->body].thickness) / 2;
        const fm_bounds *boxes = set->patch_boxes;
        if (pair.a != pair.b &&
            fm_bounds_distance(&boxes[pair.a], &boxes[pair.b]) > reach + pair.slack)
            continue;
        pair.next = set->blocks[pair.a].first_pair;
        set->blocks[pair.a].first_pair = kept;
        listed->pairs[kept++] = pair;
    }
    listed->count = kept;
}

// Builds the candidate list from the stored positions, targets, number of steps to last, and limits
// of the slack (approach of two patches allowed before the list is out of date).
void fm_candidates_rebuild(fm_contact_set *set, fm_pool *pool)
{
    for (int p = 0; p < set->block_count; p++)
        set->patches[p].spread = -1; // marks a patch that is in no listed pair
    choose_patches(set, pool);
    fm_parallel_for(pool, set->block_count, BLOCKS_AT_ONCE, bound_triangles, set);
    fm_parallel_for(pool, set->block_count, 1, fill_blocks, set);
    colour_blocks(set);
}

// Builds the candidate list for vertices at x that move to `targets` in this step. A list that
// became outdated earlier than intended doubles the safety factor of the next; one that lasted much
// longer halves it. max_slack: m.
void fm_candidates_build(fm_contact_set *set, fm_vec3_array x, fm_vec3_array targets,
                         double max_slack, fm_pool *pool)
{
    bool early = set->list_made && set->list_age < set->list_steps;
    bool late = set->list_age > LONG_LASTING * set->list_steps;
    set->list_safety = early  ? fm_double_min(MAX_SAFETY, 2 * set->list_safety)
                       : late ? fm_double_max(1, set->list_safety / 2)
                              : set->list_safety;
    set->list_age = 0;
    set->list_horizon = set->list_safety * (set->list_steps + EXTRA_STEPS);
    set->max_slack = max_slack;
    set->min_slack = fm_double_min(max_slack, set->list_safety * MIN_SLACK * set->min_thickness);
    fm_vec3_array_copy(set->list_positions, x, set->vertex_count);
    fm_vec3_array_copy(set->list_targets, targets, set->vertex_count);
    fm_candidates_rebuild(set, pool);
    set->list_made = true;
}
