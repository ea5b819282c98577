// SPDX-License-Identifier: MIT
// Cells find every pair that is near, each once, in an order that never changes: against all pairs.
#include "check.h"
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 700 };

typedef struct cloud {
    double x[MAX], y[MAX], z[MAX];
    int count;
} cloud;

static cloud scatter_points(int count, double spread, uint64_t seed)
{
    cloud c = {.count = count};
    fm_rng rng = {seed};
    for (int i = 0; i < count; i++) {
        c.x[i] = spread * (2 * fm_rng_uniform(&rng) - 1);
        c.y[i] = spread * (2 * fm_rng_uniform(&rng) - 1);
        c.z[i] = spread * (2 * fm_rng_uniform(&rng) - 1);
    }
    return c;
}

static bool near(const cloud *c, int i, int j, double reach)
{
    double x = c->x[i] - c->x[j], y = c->y[i] - c->y[j], z = c->z[i] - c->z[j];
    return x * x + y * y + z * z < reach * reach;
}

// Marks what the 27 cells around i hold of particles nearer than a cell; each once.
static void find_by_cells(const fm_cells *cells, const cloud *c, int i, int *seen)
{
    memset(seen, 0, MAX * sizeof *seen);
    for (int n = 0; n < 27; n++) {
        fm_cell cell = cells->cell[i];
        cell.x += n % 3 - 1, cell.y += n / 3 % 3 - 1, cell.z += n / 9 - 1;
        int bucket = fm_cells_bucket(cells, cell), before = -1;
        assert_in_range(bucket, 0, cells->mask);
        for (int e = cells->start[bucket]; e < cells->start[bucket + 1]; e++) {
            int j = cells->order[e];
            assert_true(j > before); // by increasing index
            before = j;
            if (memcmp(&cells->cell[j], &cell, sizeof cell) == 0 && near(c, i, j, cells->size))
                seen[j]++;
        }
    }
}

static void compare(const cloud *c, double size)
{
    fm_error err = {0};
    fm_arena arena = {0};
    fm_cells cells = {0};
    int seen[MAX];
    assert_true(fm_cells_alloc(&cells, &arena, c->count, &err));
    for (int turn = 0; turn < 2; turn++) // built again over itself
        fm_cells_build(&cells, size, c->count, c->x, c->y, c->z);
    for (int i = 0; i < c->count; i++) {
        find_by_cells(&cells, c, i, seen);
        for (int j = 0; j < c->count; j++)
            assert_int_equal(seen[j], near(c, i, j, size));
    }
    fm_arena_free(&arena);
}

static void same_pairs_as_by_trying_all(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        cloud c = scatter_points(i == 0 ? 1 : 60 * i, i % 3 == 0 ? 50 : 1, (uint64_t)i + 1);
        compare(&c, 0.3);
        compare(&c, 3);
    }
}

static void all_in_one_cell_and_on_borders(void **state)
{
    (void)state;
    cloud one = scatter_points(300, 1e-3, 5);
    compare(&one, 1);
    cloud grid = {.count = 343};
    for (int i = 0; i < 343; i++) // exactly on borders, and with negative coordinates
        grid.x[i] = i % 7 - 3, grid.y[i] = i / 7 % 7 - 3, grid.z[i] = i / 49 - 3;
    compare(&grid, 1);
    compare(&grid, 1.0000001);
    compare(&grid, 2);
}

// What is not finite, or far out, lands in some cell and harms nobody.
static void strange_numbers(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_arena arena = {0};
    fm_cells cells = {0};
    double x[5] = {0, NAN, INFINITY, -INFINITY, 1e300}, y[5] = {0, 1, NAN, 2, -1e300};
    double z[5] = {0, 0, 0, NAN, 0};
    assert_true(fm_cells_alloc(&cells, &arena, 5, &err));
    fm_cells_build(&cells, 0.01, 5, x, y, z);
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += 1 << cells.order[i];
    assert_int_equal(sum, 31);
    assert_int_equal(cells.start[cells.mask + 1], 5);
    fm_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_pairs_as_by_trying_all),
        cmocka_unit_test(all_in_one_cell_and_on_borders),
        cmocka_unit_test(strange_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
