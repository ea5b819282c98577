// SPDX-License-Identifier: MIT
// bvh.c: bounding volume hierarchy, a binary tree of axis-aligned boxes.
//
// The tree is built once by median splits: the items of a node are sorted by the centres of their
// boxes, along the longest side of the box around these centres, and cut into two equal halves,
// down to leaves of a few items. When items move, only the boxes are recomputed. Queries stay
// correct, but become slower as items mix. The left child of a node directly follows the node, so
// children come after their parents and one backward pass over the nodes refits all boxes. The
// results of a query depend on the boxes only, and their order on the tree, which is built the same
// way every time.
#include "geometry/geometry.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    LEAF_MAX = 4,   // items of a leaf; splitting further costs as much as it saves
    STACK_MAX = 64, // entries; a tree of 2^31 items is 30 levels deep
};

struct fm_bvh_node {
    fm_bounds box;
    int first, count; // the items of the node: tree->items[first] to [first + count - 1]
    int right;        // right child, 0 for a leaf; the left child is the next node
};

// An item while the tree is being built.
typedef struct build_item {
    fm_vec3 centre; // centre of the box of the item
    double key;     // coordinate of the centre along the axis of the split
    int item;
} build_item;

// The box around two boxes.
static fm_bounds merge_boxes(const fm_bounds *a, const fm_bounds *b)
{
    fm_bounds both = *a;
    fm_bounds_add_point(&both, b->low);
    fm_bounds_add_point(&both, b->high);
    return both;
}

// Distance of x from the interval [low, high].
static double interval_distance(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

// Squared distance of a point from a box; 0 inside the box.
static double squared_distance(const fm_bounds *box, fm_vec3 p)
{
    double x = interval_distance(box->low.x, box->high.x, p.x),
           y = interval_distance(box->low.y, box->high.y, p.y),
           z = interval_distance(box->low.z, box->high.z, p.z);
    return x * x + y * y + z * z;
}

// Orders items by their coordinate along the split axis, then by index.
static int compare_keys(const void *one, const void *other)
{
    const build_item *a = one, *b = other;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

// Sorts items by the centres of their boxes along the axis on which these extend furthest.
static void sort_along_longest_axis(build_item *items, int count)
{
    fm_bounds span = fm_bounds_empty();
    for (int i = 0; i < count; i++)
        fm_bounds_add_point(&span, items[i].centre);
    double x = span.high.x - span.low.x, y = span.high.y - span.low.y, z = span.high.z - span.low.z;
    for (int i = 0; i < count; i++)
        items[i].key = x >= y && x >= z ? items[i].centre.x
                       : y >= z         ? items[i].centre.y
                                        : items[i].centre.z;
    qsort(items, (size_t)count, sizeof *items, compare_keys);
}

// Writes the node of items[first] to items[first + count - 1] and all nodes below it. Returns the
// index of the node.
static int build_node(fm_bvh *tree, build_item *items, int first, int count)
{
    int index = tree->node_count++;
    fm_bvh_node *node = &tree->nodes[index];
    *node = (fm_bvh_node){.first = first, .count = count};
    if (count <= LEAF_MAX) {
        for (int i = 0; i < count; i++)
            tree->items[first + i] = items[first + i].item;
        return index;
    }
    sort_along_longest_axis(items + first, count);
    build_node(tree, items, first, count / 2);
    node->right = build_node(tree, items, first + count / 2, count - count / 2);
    return index;
}

// Builds the tree over `count` boxes, by median splits.
bool fm_bvh_build(fm_bvh *tree, fm_arena *arena, const fm_bounds *boxes, int count, fm_error *err)
{
    assert(count >= 0);
    *tree = (fm_bvh){.item_count = count};
    size_t n = (size_t)count;
    build_item *items = malloc((n + 1) * sizeof *items);
    if (!items)
        return fm_fail_no_memory(err, "tree", n * sizeof *items);
    tree->nodes = fm_arena_alloc(arena, n + 1, sizeof *tree->nodes, "tree", err);
    tree->items = fm_arena_alloc(arena, n, sizeof *tree->items, "tree", err);
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        fm_vec3 a = boxes[i].low, b = boxes[i].high;
        items[i].centre = (fm_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
        items[i].item = i;
    }
    if (err->status == FM_OK && count > 0)
        build_node(tree, items, 0, count);
    free(items);
    if (err->status != FM_OK)
        return false;
    fm_bvh_refit(tree, boxes);
    return true;
}

// Recomputes the boxes of all nodes for moved items, without changing the tree.
void fm_bvh_refit(fm_bvh *tree, const fm_bounds *boxes)
{
    for (int i = tree->node_count - 1; i >= 0; i--) {
        fm_bvh_node *node = &tree->nodes[i];
        if (node->right) {
            node->box = merge_boxes(&tree->nodes[i + 1].box, &tree->nodes[node->right].box);
            continue;
        }
        node->box = boxes[tree->items[node->first]];
        for (int k = 1; k < node->count; k++)
            node->box = merge_boxes(&node->box, &boxes[tree->items[node->first + k]]);
    }
}

// Box around all items; empty without items.
fm_bounds fm_bvh_bounds(const fm_bvh *tree)
{
    return tree->node_count ? tree->nodes[0].box : fm_bounds_empty();
}

// Calls visit(context, first, count) for the items of each leaf whose box is within `margin` of
// `box`.
void fm_bvh_visit(const fm_bvh *tree, const fm_bounds *box, double margin, fm_bvh_visitor *visit,
                  void *context)
{
    int stack[STACK_MAX], depth = 0;
    if (tree->node_count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        int index = stack[--depth];
        const fm_bvh_node *node = &tree->nodes[index];
        if (!fm_bounds_overlap(&node->box, box, margin))
            continue;
        if (!node->right) {
            visit(context, node->first, node->count);
            continue;
        }
        stack[depth++] = node->right;
        stack[depth++] = index + 1;
    }
}

// Two nodes, one of each tree.
typedef struct node_pair {
    int a, b;
} node_pair;

// Calls `visit` for each pair of leaves, one of each tree, whose boxes are within `margin`. The
// trees may be the same; each pair is then visited once.
void fm_bvh_visit_pairs(const fm_bvh *one, const fm_bvh *other, double margin,
                        fm_bvh_pair_visitor *visit, void *context)
{
    node_pair stack[4 * STACK_MAX]; // a pair is replaced by at most three pairs, one level deeper
    int depth = 0;
    if (one->node_count > 0 && other->node_count > 0)
        stack[depth++] = (node_pair){0, 0};
    while (depth > 0) {
        node_pair at = stack[--depth];
        const fm_bvh_node *a = &one->nodes[at.a], *b = &other->nodes[at.b];
        bool same = a == b;
        if (!same && !fm_bounds_overlap(&a->box, &b->box, margin))
            continue;
        if (!a->right && !b->right) {
            visit(context, a->first, a->count, b->first, b->count);
        } else if (same) {
            stack[depth++] = (node_pair){a->right, a->right};
            stack[depth++] = (node_pair){at.a + 1, a->right};
            stack[depth++] = (node_pair){at.a + 1, at.a + 1};
        } else if (a->right && (!b->right || a->count >= b->count)) {
            stack[depth++] = (node_pair){a->right, at.b};
            stack[depth++] = (node_pair){at.a + 1, at.b};
        } else {
            stack[depth++] = (node_pair){at.a, b->right};
            stack[depth++] = (node_pair){at.a, at.b + 1};
        }
    }
}

// The item nearest to the point within `limit` m, -1 if there is none. square(context, item, point)
// returns the squared distance of an item; *found receives that of the nearest. The search descends
// into the nearer child first and skips nodes that are further away than the nearest item so far.
int fm_bvh_find_nearest(const fm_bvh *tree, fm_vec3 point, double limit, fm_bvh_distance *square,
                        void *context, double *found)
{
    struct {
        int node;
        double square;
    } stack[STACK_MAX];
    int depth = 0, nearest = -1;
    double least = limit < INFINITY ? limit * limit : INFINITY;
    if (tree->node_count > 0) {
        stack[depth].node = 0;
        stack[depth++].square = squared_distance(&tree->nodes[0].box, point);
    }
    while (depth > 0) {
        int index = stack[--depth].node;
        const fm_bvh_node *node = &tree->nodes[index];
        if (!(stack[depth].square < least))
            continue;
        for (int k = 0; k < node->count && !node->right; k++) {
            double s = square(context, tree->items[node->first + k], point);
            if (s < least)
                least = s, nearest = tree->items[node->first + k];
        }
        if (!node->right)
            continue;
        int near = index + 1, far = node->right;
        double to_near = squared_distance(&tree->nodes[near].box, point);
        double to_far = squared_distance(&tree->nodes[far].box, point);
        if (to_far < to_near) {
            int other = near;
            double to_other = to_near;
            near = far, far = other;
            to_near = to_far, to_far = to_other;
        }
        stack[depth].node = far;
        stack[depth++].square = to_far;
        stack[depth].node = near;
        stack[depth++].square = to_near;
    }
    *found = least;
    return nearest;
}
