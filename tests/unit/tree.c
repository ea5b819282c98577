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
    const fm_tree *tree;
    int seen[COUNT_MAX];
} marks;

static void mark(void *context, int first, int count)
{
    marks *m = context;
    for (int i = first; i < first + count; i++)
        m->seen[m->tree->items[i]]++;
}

static bool meet(const fm_box *a, const fm_box *b, double margin)
{
    return fmax(a->low.x, b->low.x) - fmin(a->high.x, b->high.x) <= margin &&
           fmax(a->low.y, b->low.y) - fmin(a->high.y, b->high.y) <= margin &&
           fmax(a->low.z, b->low.z) - fmin(a->high.z, b->high.z) <= margin;
}

// Everything that meets the box is visited once.
static void check_visit(const fm_tree *tree, const fm_box *boxes, int count, fm_rng *rng)
{
    fm_box box = fm_box_empty();
    fm_box_add(&box, random_point(rng));
    fm_box_add(&box, random_point(rng));
    double margin = 0.1 * fm_rng_uniform(rng);
    marks all = {.tree = tree};
    fm_tree_visit(tree, &box, margin, mark, &all);
    for (int i = 0; i < count; i++) {
        assert_true(all.seen[i] <= 1);
        assert_true(all.seen[i] || !meet(&boxes[i], &box, margin));
    }
}

typedef struct pair_marks {
    const fm_tree *one, *other;
    unsigned char *seen; // [COUNT_MAX * item + item]
} pair_marks;

static void mark_pairs(void *context, int first, int count, int other_first, int other_count)
{
    const pair_marks *m = context;
    bool same = m->one == m->other && first == other_first;
    for (int i = first; i < first + count; i++) {
        for (int k = same ? i : other_first; k < other_first + other_count; k++)
            m->seen[COUNT_MAX * m->one->items[i] + m->other->items[k]]++;
    }
}

// Every two boxes that meet are visited once, in one order or the other.
static void check_pairs(const fm_tree *one, const fm_tree *other, const fm_box *boxes,
                        const fm_box *others, int count)
{
    pair_marks m = {one, other, calloc(COUNT_MAX * COUNT_MAX, 1)};
    double margin = 0.05;
    fm_tree_visit_pairs(one, other, margin, mark_pairs, &m);
    for (int i = 0; i < count; i++) {
        for (int k = one == other ? i : 0; k < count; k++) {
            int seen = m.seen[COUNT_MAX * i + k];
            if (one == other && i != k)
                seen += m.seen[COUNT_MAX * k + i];
            assert_true(seen <= 1);
            assert_true(seen || !meet(&boxes[i], &others[k], margin));
        }
    }
    free(m.seen);
}

static void finds_pairs(void **state)
{
    (void)state;
    static const int counts[] = {1, 3, 5, 64, COUNT_MAX};
    fm_rng rng = {7};
    fm_box *boxes = malloc(2 * COUNT_MAX * sizeof *boxes), *others = boxes + COUNT_MAX;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        fm_arena arena = {0};
        fm_error err = {0};
        fm_tree tree, other;
        scatter_boxes(&rng, boxes, counts[c]);
        scatter_boxes(&rng, others, counts[c]);
        assert_true(fm_tree_build(&tree, &arena, boxes, counts[c], &err));
        assert_true(fm_tree_build(&other, &arena, others, counts[c], &err));
        check_pairs(&tree, &tree, boxes, boxes, counts[c]);
        check_pairs(&tree, &other, boxes, others, counts[c]);
        scatter_boxes(&rng, boxes, counts[c]);
        fm_tree_refit(&tree, boxes);
        check_pairs(&tree, &tree, boxes, boxes, counts[c]);
        fm_arena_free(&arena);
    }
    free(boxes);
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
    marks none = {.tree = &tree};
    fm_tree_visit(&tree, &boxes[0], 0, mark, &none);
    assert_int_equal(none.seen[0], 0);
    assert_true(fm_tree_bounds(&tree).low.x > fm_tree_bounds(&tree).high.x);
    fm_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_there),
        cmocka_unit_test(finds_pairs),
        cmocka_unit_test(same_places_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
