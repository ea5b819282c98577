// SPDX-License-Identifier: MIT
// tree.c: boxes in a tree, to find which are near without looking at all of them.
//
// Built once by halving: items are sorted by the middle of their boxes along the longest side of
// what those middles span, and cut in two equal parts, down to leaves of a few. Where items move,
// the boxes are made anew and the tree stays as it is: it grows slower as things mix, never wrong.
// A node's left child follows it, so that children stand behind their parents and one pass from
// the end to the beginning refits all. What a search finds depends on boxes and items only, and its
// order on how the tree was built, which is the same every time.
#include "core/core.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    LEAF = 4,       // items at most: below, a box more costs what it saves
    STACK_MAX = 64, // halving 2^31 items goes 30 deep
};

struct fm_tree_node {
    fm_box box;
    int first, count; // its run of items
    int right;        // child; the left one is the next node. 0 for a leaf
};

// An item while the tree is made.
typedef struct seed {
    fm_vec3 middle;
    double key;
    int item;
} seed;

static fm_box join(const fm_box *a, const fm_box *b)
{
    fm_box both = *a;
    fm_box_add(&both, b->low);
    fm_box_add(&both, b->high);
    return both;
}

double fm_box_gap(const fm_box *a, const fm_box *b)
{
    double x = fmax(a->low.x - b->high.x, b->low.x - a->high.x);
    double y = fmax(a->low.y - b->high.y, b->low.y - a->high.y);
    double z = fmax(a->low.z - b->high.z, b->low.z - a->high.z);
    x = fmax(x, 0), y = fmax(y, 0), z = fmax(z, 0);
    return sqrt(x * x + y * y + z * z);
}

static double outside(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

// Square of the distance, 0 inside.
static double square_to(const fm_box *box, fm_vec3 p)
{
    double x = outside(box->low.x, box->high.x, p.x), y = outside(box->low.y, box->high.y, p.y),
           z = outside(box->low.z, box->high.z, p.z);
    return x * x + y * y + z * z;
}

static int compare_seeds(const void *one, const void *other)
{
    const seed *a = one, *b = other;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static void sort_along_longest(seed *seeds, int count)
{
    fm_box span = fm_box_empty();
    for (int i = 0; i < count; i++)
        fm_box_add(&span, seeds[i].middle);
    double x = span.high.x - span.low.x, y = span.high.y - span.low.y, z = span.high.z - span.low.z;
    for (int i = 0; i < count; i++)
        seeds[i].key = x >= y && x >= z ? seeds[i].middle.x
                       : y >= z         ? seeds[i].middle.y
                                        : seeds[i].middle.z;
    qsort(seeds, (size_t)count, sizeof *seeds, compare_seeds);
}

// Writes the nodes of seeds[first .. first + count) and gives the number of the first.
static int split(fm_tree *tree, seed *seeds, int first, int count)
{
    int index = tree->node_count++;
    fm_tree_node *node = &tree->nodes[index];
    *node = (fm_tree_node){.first = first, .count = count};
    if (count <= LEAF) {
        for (int i = 0; i < count; i++)
            tree->items[first + i] = seeds[first + i].item;
        return index;
    }
    sort_along_longest(seeds + first, count);
    split(tree, seeds, first, count / 2);
    node->right = split(tree, seeds, first + count / 2, count - count / 2);
    return index;
}

bool fm_tree_build(fm_tree *tree, fm_arena *arena, const fm_box *boxes, int count, fm_error *err)
{
    assert(count >= 0);
    *tree = (fm_tree){.item_count = count};
    size_t n = (size_t)count;
    seed *seeds = malloc((n + 1) * sizeof *seeds);
    if (!seeds)
        return fm_fail_no_memory(err, "tree", n * sizeof *seeds);
    tree->nodes = fm_arena_alloc(arena, n + 1, sizeof *tree->nodes, "tree", err);
    tree->items = fm_arena_alloc(arena, n, sizeof *tree->items, "tree", err);
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        fm_vec3 a = boxes[i].low, b = boxes[i].high;
        seeds[i].middle = (fm_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
        seeds[i].item = i;
    }
    if (err->status == FM_OK && count > 0)
        split(tree, seeds, 0, count);
    free(seeds);
    if (err->status != FM_OK)
        return false;
    fm_tree_refit(tree, boxes);
    return true;
}

void fm_tree_refit(fm_tree *tree, const fm_box *boxes)
{
    for (int i = tree->node_count - 1; i >= 0; i--) {
        fm_tree_node *node = &tree->nodes[i];
        if (node->right) {
            node->box = join(&tree->nodes[i + 1].box, &tree->nodes[node->right].box);
            continue;
        }
        node->box = boxes[tree->items[node->first]];
        for (int k = 1; k < node->count; k++)
            node->box = join(&node->box, &boxes[tree->items[node->first + k]]);
    }
}

fm_box fm_tree_bounds(const fm_tree *tree)
{
    return tree->node_count ? tree->nodes[0].box : fm_box_empty();
}

void fm_tree_visit(const fm_tree *tree, const fm_box *box, double margin, fm_tree_visitor *visit,
                   void *context)
{
    int stack[STACK_MAX], depth = 0;
    if (tree->node_count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        int index = stack[--depth];
        const fm_tree_node *node = &tree->nodes[index];
        if (!fm_box_meets(&node->box, box, margin))
            continue;
        if (!node->right) {
            visit(context, node->first, node->count);
            continue;
        }
        stack[depth++] = node->right;
        stack[depth++] = index + 1;
    }
}

typedef struct node_pair {
    int a, b;
} node_pair;

void fm_tree_visit_pairs(const fm_tree *one, const fm_tree *other, double margin,
                         fm_tree_pair_visitor *visit, void *context)
{
    node_pair stack[4 * STACK_MAX];
    int depth = 0;
    if (one->node_count > 0 && other->node_count > 0)
        stack[depth++] = (node_pair){0, 0};
    while (depth > 0) {
        node_pair at = stack[--depth];
        const fm_tree_node *a = &one->nodes[at.a], *b = &other->nodes[at.b];
        bool same = a == b;
        if (!same && !fm_box_meets(&a->box, &b->box, margin))
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

int fm_tree_nearest(const fm_tree *tree, fm_vec3 point, double limit, fm_tree_distance *square,
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
        stack[depth++].square = square_to(&tree->nodes[0].box, point);
    }
    while (depth > 0) {
        int index = stack[--depth].node;
        const fm_tree_node *node = &tree->nodes[index];
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
        double to_near = square_to(&tree->nodes[near].box, point);
        double to_far = square_to(&tree->nodes[far].box, point);
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
