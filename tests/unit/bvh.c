// SPDX-License-Identifier: MIT
// bvh.c: queries of a bounding volume hierarchy return the same as a search over all boxes, also
// after a refit.
#include "check.h"
#include "geometry/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT_MAX = 700 }; // boxes

static double random_between(fm_rng *rng, double low, double high)
{
    return low + (high - low) * fm_rng_uniform(rng);
}

// A random point in a box of 2 x 4 x 0.2.
static fm_vec3 random_point(fm_rng *rng)
{
    return (fm_vec3){random_between(rng, -1, 1), random_between(rng, -2, 2),
                     random_between(rng, -0.1, 0.1)};
}

// Creates boxes with sides of up to 0.1 along x and y at random places.
static void scatter_boxes(fm_rng *rng, fm_bounds *boxes, int count)
{
    for (int i = 0; i < count; i++) {
        boxes[i] = fm_bounds_empty();
        fm_vec3 p = random_point(rng);
        fm_bounds_add_point(&boxes[i], p);
        p.x += random_between(rng, 0, 0.1), p.y += random_between(rng, 0, 0.1);
        fm_bounds_add_point(&boxes[i], p);
    }
}

// Distance of x from the interval [low, high].
static double interval_distance(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

// Callback of fm_bvh_find_nearest. context: the array of boxes.
static double squared_distance_to_box(void *context, int item, fm_vec3 p)
{
    const fm_bounds *box = (const fm_bounds *)context + item;
    double x = interval_distance(box->low.x, box->high.x, p.x),
           y = interval_distance(box->low.y, box->high.y, p.y),
           z = interval_distance(box->low.z, box->high.z, p.z);
    return x * x + y * y + z * z;
}

// Checks that the item nearest to a random point is that of a search over all boxes, and that only
// limits on the distance above the least distance find one.
static void check_nearest(const fm_bvh *tree, fm_bounds *boxes, int count, fm_rng *rng)
{
    fm_vec3 p = random_point(rng);
    double least = INFINITY, found;
    for (int i = 0; i < count; i++)
        least = fmin(least, squared_distance_to_box(boxes, i, p));
    int item = fm_bvh_find_nearest(tree, p, INFINITY, squared_distance_to_box, boxes, &found);
    assert_true(item >= 0 && item < count);
    assert_true(found == least);
    assert_true(squared_distance_to_box(boxes, item, p) == least);
    double limit = sqrt(least);
    assert_int_equal(
        fm_bvh_find_nearest(tree, p, limit * (1 - 1e-9), squared_distance_to_box, boxes, &found),
        -1);
    if (least > 0)
        assert_true(fm_bvh_find_nearest(tree, p, limit * (1 + 1e-9), squared_distance_to_box, boxes,
                                        &found) >= 0);
}

// Counts the visits of each item.
typedef struct item_visits {
    const fm_bvh *tree;
    int visits[COUNT_MAX];
} item_visits;

// Callback of fm_bvh_visit for a leaf with `count` items. context: an item_visits.
static void count_visits(void *context, int first, int count)
{
    item_visits *all = context;
    for (int i = first; i < first + count; i++)
        all->visits[all->tree->items[i]]++;
}

// True when two boxes are at most `margin` apart along every axis.
static bool overlap(const fm_bounds *a, const fm_bounds *b, double margin)
{
    return fmax(a->low.x, b->low.x) - fmin(a->high.x, b->high.x) <= margin &&
           fmax(a->low.y, b->low.y) - fmin(a->high.y, b->high.y) <= margin &&
           fmax(a->low.z, b->low.z) - fmin(a->high.z, b->high.z) <= margin;
}

// Checks that every item whose box overlaps a random box is visited once.
static void check_visit(const fm_bvh *tree, const fm_bounds *boxes, int count, fm_rng *rng)
{
    fm_bounds box = fm_bounds_empty();
    fm_bounds_add_point(&box, random_point(rng));
    fm_bounds_add_point(&box, random_point(rng));
    double margin = 0.1 * fm_rng_uniform(rng);
    item_visits all = {.tree = tree};
    fm_bvh_visit(tree, &box, margin, count_visits, &all);
    for (int i = 0; i < count; i++) {
        assert_true(all.visits[i] <= 1);
        assert_true(all.visits[i] || !overlap(&boxes[i], &box, margin));
    }
}

// Counts the visits of each pair of items of two trees, which may be the same tree.
typedef struct pair_visits {
    const fm_bvh *one, *other;
    unsigned char *visits; // [COUNT_MAX * i + k] visits of the pair of items i and k
} pair_visits;

// Callback of fm_bvh_visit_pairs for two leaves. context: a pair_visits. The pairs within one leaf
// of the same tree are counted once.
static void count_pair_visits(void *context, int first, int count, int other_first, int other_count)
{
    const pair_visits *m = context;
    bool same = m->one == m->other && first == other_first;
    for (int i = first; i < first + count; i++) {
        for (int k = same ? i : other_first; k < other_first + other_count; k++)
            m->visits[COUNT_MAX * m->one->items[i] + m->other->items[k]]++;
    }
}

// Checks that every pair of overlapping boxes is visited once, as (i, k) or as (k, i).
static void check_pairs(const fm_bvh *one, const fm_bvh *other, const fm_bounds *boxes,
                        const fm_bounds *others, int count)
{
    pair_visits m = {one, other, calloc(COUNT_MAX * COUNT_MAX, 1)};
    double margin = 0.05;
    fm_bvh_visit_pairs(one, other, margin, count_pair_visits, &m);
    for (int i = 0; i < count; i++) {
        for (int k = one == other ? i : 0; k < count; k++) {
            int visits = m.visits[COUNT_MAX * i + k];
            if (one == other && i != k)
                visits += m.visits[COUNT_MAX * k + i];
            assert_true(visits <= 1);
            assert_true(visits || !overlap(&boxes[i], &others[k], margin));
        }
    }
    free(m.visits);
}

static void all_pairs_of_overlapping_boxes_are_visited_once(void **state)
{
    (void)state;
    static const int counts[] = {1, 3, 5, 64, COUNT_MAX};
    fm_rng rng = {7};
    fm_bounds *boxes = malloc(2 * COUNT_MAX * sizeof *boxes), *others = boxes + COUNT_MAX;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        fm_arena arena = {0};
        fm_error err = {0};
        fm_bvh tree, other;
        scatter_boxes(&rng, boxes, counts[c]);
        scatter_boxes(&rng, others, counts[c]);
        assert_true(fm_bvh_build(&tree, &arena, boxes, counts[c], &err));
        assert_true(fm_bvh_build(&other, &arena, others, counts[c], &err));
        check_pairs(&tree, &tree, boxes, boxes, counts[c]);
        check_pairs(&tree, &other, boxes, others, counts[c]);
        scatter_boxes(&rng, boxes, counts[c]);
        fm_bvh_refit(&tree, boxes);
        check_pairs(&tree, &tree, boxes, boxes, counts[c]);
        fm_arena_destroy(&arena);
    }
    free(boxes);
}

static void nearest_items_and_overlapping_boxes_are_those_of_a_search_over_all(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 4, 5, 9, 64, COUNT_MAX};
    fm_rng rng = {5};
    fm_bounds *boxes = malloc(COUNT_MAX * sizeof *boxes);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        fm_arena arena = {0};
        fm_error err = {0};
        fm_bvh tree;
        scatter_boxes(&rng, boxes, counts[c]);
        assert_true(fm_bvh_build(&tree, &arena, boxes, counts[c], &err));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 100; i++) {
                check_nearest(&tree, boxes, counts[c], &rng);
                check_visit(&tree, boxes, counts[c], &rng);
            }
            scatter_boxes(&rng, boxes, counts[c]); // all items move far
            fm_bvh_refit(&tree, boxes);
        }
        fm_arena_destroy(&arena);
    }
    free(boxes);
}

static void trees_of_coincident_boxes_and_empty_trees_work(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_bvh tree;
    fm_bounds boxes[100];
    double found;
    for (int i = 0; i < 100; i++)
        boxes[i] = (fm_bounds){{1, 1, 1}, {1, 1, 1}};
    assert_true(fm_bvh_build(&tree, &arena, boxes, 100, &err));
    assert_true(fm_bvh_find_nearest(&tree, (fm_vec3){1, 1, 4}, INFINITY, squared_distance_to_box,
                                    boxes, &found) >= 0);
    assert_close(found, 9, 0);
    assert_close(fm_bvh_bounds(&tree).high.x, 1, 0);
    assert_true(fm_bvh_build(&tree, &arena, NULL, 0, &err));
    assert_int_equal(
        fm_bvh_find_nearest(&tree, (fm_vec3){0}, INFINITY, squared_distance_to_box, boxes, &found),
        -1);
    item_visits none = {.tree = &tree};
    fm_bvh_visit(&tree, &boxes[0], 0, count_visits, &none);
    assert_int_equal(none.visits[0], 0);
    // the bounds of an empty tree are empty
    assert_true(fm_bvh_bounds(&tree).low.x > fm_bvh_bounds(&tree).high.x);
    fm_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_items_and_overlapping_boxes_are_those_of_a_search_over_all),
        cmocka_unit_test(all_pairs_of_overlapping_boxes_are_visited_once),
        cmocka_unit_test(trees_of_coincident_boxes_and_empty_trees_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
