// SPDX-License-Identifier: MIT
// Bending rigidity B. A strip bent into an arc of radius R has the energy B/(2 R^2) per area: at
// order 2 in the mesh over what its second differences cover. Half a cell along each bent border
// has none (the natural condition of a free border: no moment), so that of the whole strip is
// short by 1/(columns - 1). Saddles: x y / R has B/R^2.
//
// A strip held by its first two columns is clamped half-way between them; its slowest vibration is
// that of a cantilever, (1.8751/L)^2 sqrt(B/sigma) with L from there. Its Poisson's ratio is 0.
#include "bodies.h"
#include "exact.h"

static const double PI = 3.14159265358979323846, B = 1e-3;

static fm_cloth_def bending_only(void)
{
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 1e-9;
    def.shear.stiffness = 0;
    def.bend.stiffness = B;
    return def;
}

typedef fm_vec3 shape(double u, double v); // of a sheet 0.4 x 0.3

static fm_vec3 arc_along_rows(double u, double v)
{
    const double R = 0.25;
    return (fm_vec3){R * sin(u / R), v, R * cos(u / R)};
}

static fm_vec3 arc_along_columns(double u, double v)
{
    fm_vec3 p = arc_along_rows(v, u);
    return (fm_vec3){p.y, p.x, p.z};
}

static fm_vec3 saddle(double u, double v)
{
    return (fm_vec3){u, v, u * v / 0.25};
}

static double energy(shape *f, int n)
{
    fm_error err = {0};
    fm_cloth_def def = bending_only();
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth *cloth =
        make_sheet(world, &def, &(fm_sheet){.columns = n, .rows = n, .width = 0.4, .height = 0.3});
    const fm_vec3 *flat = fm_cloth_positions(cloth, NULL);
    fm_vec3 *x = malloc((size_t)(n * n) * sizeof *x);
    for (int i = 0; i < n * n; i++)
        x[i] = f(flat[i].x, flat[i].y);
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    free(x);
    double result = fm_world_report(world).potential_energy;
    fm_world_destroy(world);
    return result;
}

static void arcs_and_saddles(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        shape *f;
        bool border; // half a cell at two borders has no bending
        double times;
    } cases[] = {{"arc along rows", arc_along_rows, true, 0.5},
                 {"arc along columns", arc_along_columns, true, 0.5},
                 {"saddle", saddle, false, 1}};
    for (int i = 0; i < 3; i++) {
        double error[4];
        for (int level = 0; level < 4; level++) {
            int n = (8 << level) + 1;
            double covered = 0.4 * 0.3 * (cases[i].border ? (n - 2.0) / (n - 1) : 1);
            double expected = cases[i].times * B / (0.25 * 0.25) * covered;
            error[level] = fabs(energy(cases[i].f, n) / expected - 1);
            exact_report(cases[i].name, 0.4 / (n - 1), error[level]);
        }
        if (cases[i].border)
            assert_close(exact_order(error, 4), 2, 0.1);
        else // a cell's twist is what it should be, at once
            assert_at_most(error[0], 1e-6);
        assert_at_most(error[3], 1e-3);
    }
}

// Frequency from zero crossings of the free end, started in the shape of the mode.
static double frequency(int columns, double length, double *clamped_length)
{
    fm_error err = {0};
    fm_cloth_def def = bending_only();
    enum { ROWS = 4 };
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth *cloth = make_sheet(
        world, &def, &(fm_sheet){.columns = columns, .rows = ROWS, .width = length, .height = 0.1});
    double dx = length / (columns - 1), L = length - dx / 2, b = 1.87510406871 / L;
    double s = (cos(b * L) + cosh(b * L)) / (sin(b * L) + sinh(b * L));
    const fm_vec3 *flat = fm_cloth_positions(cloth, NULL);
    fm_vec3 *x = malloc((size_t)(columns * ROWS) * sizeof *x);
    for (int i = 0; i < columns * ROWS; i++) {
        double u = fmax(0, flat[i].x - dx / 2);
        x[i] = flat[i];
        x[i].z = i % columns < 2
                     ? 0
                     : 1e-4 * (cosh(b * u) - cos(b * u) - s * (sinh(b * u) - sin(b * u)));
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_column(cloth, 0, NULL, &err));
    assert_true(fm_cloth_pin_column(cloth, 1, NULL, &err));
    *clamped_length = L;
    double dt = 2e-3, t = 0, z = x[columns - 1].z, first = 0, last = 0;
    free(x);
    for (int crossings = 0; crossings < 5;) {
        advance(world, dt);
        t += dt;
        double now = fm_cloth_positions(cloth, NULL)[columns - 1].z;
        if (z * now < 0) {
            last = t - dt * now / (now - z);
            first = crossings++ ? first : last;
        }
        z = now;
        assert_true(t < 60);
    }
    fm_world_destroy(world);
    return 4 * PI / (last - first);
}

static void cantilever(void **state)
{
    (void)state;
    fm_cloth_def def = bending_only();
    double error[3], L;
    for (int level = 0; level < 3; level++) {
        int columns = (8 << level) + 1;
        double measured = frequency(columns, 0.4, &L);
        double expected = pow(1.87510406871 / L, 2) * sqrt(B / (def.density * def.thickness));
        printf("  %2d columns: %.5f rad/s, expected %.5f\n", columns, measured, expected);
        error[level] = fabs(measured / expected - 1);
        exact_report("cantilever", 0.4 / (columns - 1), error[level]);
    }
    assert_at_most(error[2], 0.01);
    assert_true(exact_order(error, 3) > 1.5);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_bending");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcs_and_saddles),
        cmocka_unit_test(cantilever),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
