// SPDX-License-Identifier: MIT
// boxes.c: a tree of boxes over items that move but keep their neighbours.
//
// Built once by halving at the median of the widest axis; afterwards only the boxes are fitted
// again, from the leaves up. Nodes stand before their children, and every node owns a contiguous
// run of `item`, so that "only items behind mine" is one comparison.
#include "core/core.h"

#include <math.h>

enum { LEAF_SIZE = 4, MAX_DEPTH = 64 };

// Room for nodes: every leaf but one holds at least half of LEAF_SIZE.
static int most_nodes(int count)
{
    return count <= LEAF_SIZE ? 1 : 2 * (count / (LEAF_SIZE / 2)) + 1;
}

static double centre_of(const fm_span *box, int axis)
{
    return box->low[axis] + box->high[axis];
}

static int widest_axis(const fm_box_tree *tree, const fm_span *boxes, int first, int count)
{
    int widest = 0;
    double most = -1;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = first; i < first + count; i++) {
            low = fm_smaller(low, centre_of(&boxes[tree->item[i]], axis));
            high = fm_larger(high, centre_of(&boxes[tree->item[i]], axis));
        }
        if (high - low > most) {
            most = high - low;
            widest = axis;
        }
    }
    return widest;
}

static bool stands_before(const fm_span *boxes, int axis, int a, int b)
{
    double p = centre_of(&boxes[a], axis), q = centre_of(&boxes[b], axis);
    return p < q || (p == q && a < b);
}

// Quickselect: the `half` items that stand first along the axis come first. Ties go by index.
static void halve(int *item, const fm_span *boxes, int axis, int count, int half)
{
    int low = 0, high = count - 1;
    while (low < high) {
        int pivot = item[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (stands_before(boxes, axis, item[i], pivot))
                i++;
            while (stands_before(boxes, axis, pivot, item[j]))
                j--;
            if (i <= j) {
                int swapped = item[i];
                item[i++] = item[j];
                item[j--] = swapped;
            }
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            return;
    }
}

static void build_node(fm_box_tree *tree, const fm_span *boxes, int first, int count)
{
    fm_box_node *node = &tree->nodes[tree->node_count++];
    *node = (fm_box_node){.first = first, .count = count};
    if (count <= LEAF_SIZE)
        return;
    int half = count / 2;
    halve(tree->item + first, boxes, widest_axis(tree, boxes, first, count), count, half);
    build_node(tree, boxes, first, half);
    node->right = tree->node_count;
    build_node(tree, boxes, first + half, count - half);
}

bool fm_box_tree_build(fm_box_tree *tree, fm_arena *arena, int count, const fm_span *boxes,
                       fm_error *err)
{
    size_t room = (size_t)most_nodes(count);
    tree->nodes = fm_arena_alloc(arena, room, sizeof *tree->nodes, "tree", err);
    tree->item = fm_arena_alloc(arena, (size_t)count, sizeof(int), "tree", err);
    if (err->status != FM_OK)
        return false;
    tree->item_count = count;
    for (int i = 0; i < count; i++)
        tree->item[i] = i;
    tree->node_count = 0;
    build_node(tree, boxes, 0, count);
    fm_box_tree_refit(tree, boxes);
    return true;
}

static void enclose(fm_span *box, const fm_span *other)
{
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = fm_smaller(box->low[axis], other->low[axis]);
        box->high[axis] = fm_larger(box->high[axis], other->high[axis]);
    }
}

void fm_box_tree_refit(fm_box_tree *tree, const fm_span *boxes)
{
    for (int n = tree->node_count - 1; n >= 0; n--) {
        fm_box_node *node = &tree->nodes[n];
        if (node->right) {
            node->box = tree->nodes[n + 1].box;
            enclose(&node->box, &tree->nodes[node->right].box);
            continue;
        }
        node->box = boxes[tree->item[node->first]];
        for (int i = 1; i < node->count; i++)
            enclose(&node->box, &boxes[tree->item[node->first + i]]);
    }
}

bool fm_box_overlaps(const fm_span *a, const fm_span *b, double margin)
{
    return a->low[0] - margin <= b->high[0] && b->low[0] - margin <= a->high[0] &&
           a->low[1] - margin <= b->high[1] && b->low[1] - margin <= a->high[1] &&
           a->low[2] - margin <= b->high[2] && b->low[2] - margin <= a->high[2];
}

void fm_box_tree_query(const fm_box_tree *tree, const fm_span *box, double margin, int from,
                       fm_box_visit *visit, void *context)
{
    int stack[MAX_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int n = stack[--depth];
        const fm_box_node *node = &tree->nodes[n];
        if (node->first + node->count <= from || !fm_box_overlaps(&node->box, box, margin))
            continue;
        if (node->right) {
            stack[depth++] = node->right;
            stack[depth++] = n + 1;
        } else {
            visit(context, node->first, node->count);
        }
    }
}
