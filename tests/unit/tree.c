// SPDX-License-Identifier: MIT
// Trees of boxes: what they find is what looking at every box finds, after refits too.
#include "check.h"
#include "core/core.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT_MAX = 700 };

static double between(fm_rng *rng, double low, double high)
{
    return low + (high - low) * fm_rng_uniform(rng);
}

static fm_vec3 random_point(fm_rng *rng)
{
    return (fm_vec3){between(rng, -1, 1), between(rng, -2, 2), between(rng, -0.1, 0.1)};
}

static void scatter_boxes(fm_rng *rng, fm_box *boxes, int count)
{
    for (int i = 0; i < count; i++) {
        boxes[i] = fm_box_empty();
        fm_vec3 p = random_point(rng);
        fm_box_add(&boxes[i], p);
        p.x += between(rng, 0, 0.1), p.y += between(rng, 0, 0.1);
        fm_box_add(&boxes[i], p);
    }
}

static double outside(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

static double square_to_box(void *context, int item, fm_vec3 p)
{
    const fm_box *box = (const fm_box *)context + item;
    double x = outside(box->low.x, box->high.x, p.x), y = outside(box->low.y, box->high.y, p.y),
           z = outside(box->low.z, box->high.z, p.z);
    return x * x + y * y + z * z;
}

static void check_nearest(const fm_tree *tree, fm_box *boxes, int count, fm_rng *rng)
{
    fm_vec3 p = random_point(rng);
    double least = INFINITY, found;
    for (int i = 0; i < count; i++)
        least = fmin(least, square_to_box(boxes, i, p));
    int item = fm_tree_nearest(tree, p, INFINITY, square_to_box, boxes, &found);
    assert_true(item >= 0 && item < count);
    assert_true(found == least);
    assert_true(square_to_box(boxes, item, p) == least);
    double limit = sqrt(least);
    assert_int_equal(fm_tree_nearest(tree, p, limit * (1 - 1e-9), square_to_box, boxes, &found),
                     -1);
    if (least > 0)
        assert_true(fm_tree_nearest(tree, p, limit * (1 + 1e-9), square_to_box, boxes, &found) >=
                    0);
}

typedef struct marks {
    int seen[COUNT_MAX];
    int left; // visits until it is told to stop
} marks;

static bool mark(void *context, int item)
{
    marks *m = context;
    m->seen[item]++;
    return --m->left != 0;
}

static bool meet(const fm_box *a, const fm_box *b)
{
    return a->low.x <= b->high.x && a->low.y <= b->high.y && a->low.z <= b->high.z &&
           b->low.x <= a->high.x && b->low.y <= a->high.y && b->low.z <= a->high.z;
}

static void check_visit(const fm_tree *tree, const fm_box *boxes, int count, fm_rng *rng)
{
    fm_box box = fm_box_empty();
    fm_box_add(&box, random_point(rng));
    fm_box_add(&box, random_point(rng));
    marks m = {{0}, 0};
    fm_tree_visit(tree, &box, mark, &m);
    int seen = 0;
    for (int i = 0; i < count; i++) {
        assert_true(m.seen[i] <= 1);
        assert_true(m.seen[i] || !meet(&boxes[i], &box));
        seen += m.seen[i];
    }
    if (seen > 2) {
        marks few = {{0}, 2};
        fm_tree_visit(tree, &box, mark, &few);
        assert_int_equal(few.left, 0);
    }
}

static void finds_what_is_there(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 4, 5, 9, 64, COUNT_MAX};
    fm_rng rng = {5};
    fm_box *boxes = malloc(COUNT_MAX * sizeof *boxes);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        fm_arena arena = {0};
        fm_error err = {0};
        fm_tree tree;
        scatter_boxes(&rng, boxes, counts[c]);
        assert_true(fm_tree_build(&tree, &arena, boxes, counts[c], &err));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 100; i++) {
                check_nearest(&tree, boxes, counts[c], &rng);
                check_visit(&tree, boxes, counts[c], &rng);
            }
            scatter_boxes(&rng, boxes, counts[c]); // all mixed up
            fm_tree_refit(&tree, boxes);
        }
        fm_arena_free(&arena);
    }
    free(boxes);
}

static void same_places_and_none(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_tree tree;
    fm_box boxes[100];
    double found;
    for (int i = 0; i < 100; i++)
        boxes[i] = (fm_box){{1, 1, 1}, {1, 1, 1}};
    assert_true(fm_tree_build(&tree, &arena, boxes, 100, &err));
    assert_true(
        fm_tree_nearest(&tree, (fm_vec3){1, 1, 4}, INFINITY, square_to_box, boxes, &found) >= 0);
    assert_close(found, 9, 0);
    assert_close(fm_tree_bounds(&tree).high.x, 1, 0);
    assert_true(fm_tree_build(&tree, &arena, NULL, 0, &err));
    assert_int_equal(fm_tree_nearest(&tree, (fm_vec3){0}, INFINITY, square_to_box, boxes, &found),
                     -1);
    marks m = {{0}, 0};
    fm_tree_visit(&tree, &boxes[0], mark, &m);
    assert_int_equal(m.left, 0);
    assert_true(fm_tree_bounds(&tree).low.x > fm_tree_bounds(&tree).high.x);
    fm_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_there),
        cmocka_unit_test(same_places_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
