// SPDX-License-Identifier: MIT
// cloth_bending.c: bending energy and vibration of sheets, for a bending rigidity B (N m).
//
// A sheet bent into an arc of radius R has the energy B/(2 R^2) per area. The discrete energy
// converges with order 2 in the mesh size on the area that its second differences cover. Half a
// cell along each bent border is not covered (natural boundary condition: no moment at a free
// border), so the energy of the whole sheet is too small by the factor 1 - 1/(columns - 1). The
// saddle z = x y / R has the energy B/R^2 per area.
//
// A strip whose first two columns are pinned is clamped half-way between them. Its slowest
// vibration has the angular frequency of a cantilever, (1.8751/L)^2 sqrt(B/sigma), where L is the
// length from there and sigma the mass per area. The strip has Poisson's ratio 0.
#include "bodies.h"
#include "exact.h"

static const double B = 1e-3; // N m, bending rigidity
// b L of the first mode of a cantilever: the smallest positive root of cos(b L) cosh(b L) = -1
static const double FIRST_ROOT = 1.87510406871;

// A cloth whose stretch stiffness is negligible.
static fm_cloth_def cloth_with_bending_only(void)
{
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 1e-9;
    def.shear.stiffness = 0;
    def.bend.stiffness = B;
    return def;
}

typedef fm_vec3 shape(double u, double v); // position of the point (u, v) of a 0.4 m x 0.3 m sheet

// A cylinder of radius R = 0.25 m that is curved along the rows.
static fm_vec3 arc_along_rows(double u, double v)
{
    const double R = 0.25;
    return (fm_vec3){R * sin(u / R), v, R * cos(u / R)};
}

// A cylinder of radius 0.25 m that is curved along the columns.
static fm_vec3 arc_along_columns(double u, double v)
{
    fm_vec3 p = arc_along_rows(v, u);
    return (fm_vec3){p.y, p.x, p.z};
}

// The saddle z = x y / R with R = 0.25 m.
static fm_vec3 saddle(double u, double v)
{
    return (fm_vec3){u, v, u * v / 0.25};
}

// Bending energy (J) of an n x n sheet in the shape f.
static double bending_energy(shape *f, int n)
{
    fm_error err = {0};
    fm_cloth_def def = cloth_with_bending_only();
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = n, .rows = n, .width = 0.4, .height = 0.3});
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

static void bent_and_twisted_sheets_have_the_energy_of_a_plate(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        shape *f;
        bool border;   // half a cell at two borders has no bending energy
        double factor; // energy per area in units of B/R^2
    } cases[] = {{"arc along rows", arc_along_rows, true, 0.5},
                 {"arc along columns", arc_along_columns, true, 0.5},
                 {"saddle", saddle, false, 1}};
    for (int i = 0; i < 3; i++) {
        double error[4];
        for (int level = 0; level < 4; level++) {
            int n = (8 << level) + 1;
            double covered = 0.4 * 0.3 * (cases[i].border ? (n - 2.0) / (n - 1) : 1);
            double expected = cases[i].factor * B / (0.25 * 0.25) * covered;
            error[level] = fabs(bending_energy(cases[i].f, n) / expected - 1);
            exact_report(cases[i].name, 0.4 / (n - 1), error[level]);
        }
        if (cases[i].border)
            assert_close(exact_order(error, 4), 2, 0.1);
        else // the twist of a cell is exact on every mesh
            assert_at_most(error[0], 1e-6);
        assert_at_most(error[3], 1e-3);
    }
}

// Angular frequency (rad/s) of a clamped strip, from the zero crossings of its free end. The strip
// starts in the shape of the first mode. *clamped_length: from the clamp to the free end, m.
static double cantilever_frequency(int columns, double length, double *clamped_length)
{
    fm_error err = {0};
    fm_cloth_def def = cloth_with_bending_only();
    enum { ROWS = 4 };
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = columns, .rows = ROWS, .width = length, .height = 0.1});
    // b: wave number of the first mode; s: ratio of its sine to its cosine parts
    double dx = length / (columns - 1), L = length - dx / 2, b = FIRST_ROOT / L;
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
    free(x);
    double frequency = swing_frequency(world, cloth, columns - 1, 5, 2e-3, 60);
    fm_world_destroy(world);
    return frequency;
}

static void a_clamped_strip_vibrates_like_a_cantilever(void **state)
{
    (void)state;
    fm_cloth_def def = cloth_with_bending_only();
    double error[3], L;
    for (int level = 0; level < 3; level++) {
        int columns = (8 << level) + 1;
        double measured = cantilever_frequency(columns, 0.4, &L);
        double expected = pow(FIRST_ROOT / L, 2) * sqrt(B / (def.density * def.thickness));
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
        cmocka_unit_test(bent_and_twisted_sheets_have_the_energy_of_a_plate),
        cmocka_unit_test(a_clamped_strip_vibrates_like_a_cantilever),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
