// SPDX-License-Identifier: MIT
// cell_list.c: a cell list finds every pair of near particles once and in a fixed order. The result
// is compared with that of a search over all pairs.
#include "check.h"
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 700 }; // largest number of particles

// Positions of particles.
typedef struct points {
    double x[MAX], y[MAX], z[MAX];
    int count;
} points;

// Random points in a cube from -half_width to half_width.
static points scatter_points(int count, double half_width, uint64_t seed)
{
    points c = {.count = count};
    fm_rng rng = {seed};
    for (int i = 0; i < count; i++) {
        c.x[i] = half_width * (2 * fm_rng_uniform(&rng) - 1);
        c.y[i] = half_width * (2 * fm_rng_uniform(&rng) - 1);
        c.z[i] = half_width * (2 * fm_rng_uniform(&rng) - 1);
    }
    return c;
}

// True when the points i and j are less than `radius` apart.
static bool are_near(const points *c, int i, int j, double radius)
{
    double x = c->x[i] - c->x[j], y = c->y[i] - c->y[j], z = c->z[i] - c->z[j];
    return x * x + y * y + z * z < radius * radius;
}

// Counts in visits[j] how often particle j is found in the 27 cells around particle i at a distance
// below the cell size. A bucket of the hash table may hold particles of several cells.
static void find_neighbours_by_cells(const fm_cell_list *cells, const points *c, int i, int *visits)
{
    memset(visits, 0, MAX * sizeof *visits);
    for (int n = 0; n < 27; n++) {
        fm_cell cell = cells->cell[i];
        cell.x += n % 3 - 1, cell.y += n / 3 % 3 - 1, cell.z += n / 9 - 1;
        int bucket = fm_cell_list_find_bucket(cells, cell), before = -1;
        assert_in_range(bucket, 0, cells->mask);
        for (int e = cells->start[bucket]; e < cells->start[bucket + 1]; e++) {
            int j = cells->order[e];
            assert_true(j > before); // particles of a bucket are in increasing order
            before = j;
            if (memcmp(&cells->cell[j], &cell, sizeof cell) == 0 && are_near(c, i, j, cells->size))
                visits[j]++;
        }
    }
}

// Checks that a cell list with cells of this size finds the same neighbours as a search over all
// pairs.
static void compare_with_all_pairs(const points *c, double size)
{
    fm_error err = {0};
    fm_arena arena = {0};
    fm_cell_list cells = {0};
    int visits[MAX];
    assert_true(fm_cell_list_create(&cells, &arena, c->count, &err));
    for (int turn = 0; turn < 2; turn++) // the second build reuses the arrays
        fm_cell_list_build(&cells, size, c->count, c->x, c->y, c->z);
    for (int i = 0; i < c->count; i++) {
        find_neighbours_by_cells(&cells, c, i, visits);
        for (int j = 0; j < c->count; j++)
            assert_int_equal(visits[j], are_near(c, i, j, size));
    }
    fm_arena_destroy(&arena);
}

static void the_neighbours_found_are_those_of_a_search_over_all_pairs(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        points c = scatter_points(i == 0 ? 1 : 60 * i, i % 3 == 0 ? 50 : 1, (uint64_t)i + 1);
        compare_with_all_pairs(&c, 0.3);
        compare_with_all_pairs(&c, 3);
    }
}

static void particles_in_one_cell_or_on_cell_borders_find_all_neighbours(void **state)
{
    (void)state;
    points one = scatter_points(300, 1e-3, 5);
    compare_with_all_pairs(&one, 1);
    points grid = {.count = 343};
    for (int i = 0; i < 343; i++) // points exactly on cell borders, some of them negative
        grid.x[i] = i % 7 - 3, grid.y[i] = i / 7 % 7 - 3, grid.z[i] = i / 49 - 3;
    compare_with_all_pairs(&grid, 1);
    compare_with_all_pairs(&grid, 1.0000001);
    compare_with_all_pairs(&grid, 2);
}

static void positions_that_are_not_finite_or_huge_get_some_cell(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_arena arena = {0};
    fm_cell_list cells = {0};
    double x[5] = {0, NAN, INFINITY, -INFINITY, 1e300}, y[5] = {0, 1, NAN, 2, -1e300};
    double z[5] = {0, 0, 0, NAN, 0};
    assert_true(fm_cell_list_create(&cells, &arena, 5, &err));
    fm_cell_list_build(&cells, 0.01, 5, x, y, z);
    int sum = 0; // bit i: particle i is in the list
    for (int i = 0; i < 5; i++)
        sum += 1 << cells.order[i];
    assert_int_equal(sum, 31);
    assert_int_equal(cells.start[cells.mask + 1], 5);
    fm_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_neighbours_found_are_those_of_a_search_over_all_pairs),
        cmocka_unit_test(particles_in_one_cell_or_on_cell_borders_find_all_neighbours),
        cmocka_unit_test(positions_that_are_not_finite_or_huge_get_some_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
