// SPDX-License-Identifier: MIT
// cloth_woven.c: woven sheets: moduli of warp and weft, Poisson's ratio, shear by angle, stiffening
// (sheet_triangles.c).
//
// - Picture frame: the border of a square sheet is sheared by an angle phi. The moment of the
//   frame, the derivative of the energy, is G A phi within 5 % up to 8 degrees, on two meshes.
// - Strips pulled along warp and weft, with free sides: the energy per area is E (1 - nu^2) e^2/2,
//   and the strip becomes narrower by nu sqrt(E_1/E_2) e.
// - Stiffening e_s: at e = e_s in both directions, the energy per area is 3/4 (E_1 + E_2) e_s^2.
#include "bodies.h"

static const double PI = 3.14159265358979323846;
static const double WARP = 800, WEFT = 500, SHEAR = 30, SIDE = 0.2; // N/m, m

static fm_cloth_def woven(void)
{
    fm_cloth_def def = bare_cloth();
    def.density = 500;
    def.thickness = 3e-4;
    def.stretch.model = FM_STRETCH_TRIANGLES;
    def.stretch.stiffness = WARP;
    def.stretch.weft = WEFT;
    def.shear.stiffness = SHEAR;
    def.integrator = FM_IMPLICIT_EULER;
    def.time_step = 0.02;
    def.damping.kept = 0.5; // of the velocity, per step: overdamped
    return def;
}

static void assert_pinned(fm_cloth *cloth, bool columns, bool rows)
{
    static const fm_edge edges[4] = {FM_EDGE_LEFT, FM_EDGE_RIGHT, FM_EDGE_TOP, FM_EDGE_BOTTOM};
    fm_error err = {0};
    for (int i = 0; i < 4; i++)
        if (i < 2 ? columns : rows)
            assert_true(fm_cloth_pin_edge(cloth, edges[i], NULL, &err));
}

// J, energy at rest of a sheet whose particles start at positions deformed by the matrix
// [a b; c d], with pins at the left and right, or upper and lower, borders, or both. narrow: mean
// distance of the other two borders in the middle.
static double deform(const fm_cloth_def *def, int cells, const double f[4], bool columns, bool rows,
                     double *narrow)
{
    enum { MOST = 41 };
    fm_error err = {0};
    int n = cells + 1;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(
        world, def, &(fm_sheet){.columns = n, .rows = n, .width = SIDE, .height = SIDE});
    static fm_vec3 x[MOST * MOST];
    const fm_vec3 *at = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < n * n; i++)
        x[i] = (fm_vec3){f[0] * at[i].x + f[1] * at[i].y, f[2] * at[i].x + f[3] * at[i].y, 0};
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_pinned(cloth, columns, rows);
    double energy = advance(world, 1).potential_energy;
    at = fm_cloth_positions(cloth, NULL);
    int middle = cells / 2;
    *narrow = columns ? at[middle].y - at[cells * n + middle].y
                      : at[middle * n + cells].x - at[middle * n].x;
    fm_world_destroy(world);
    return energy;
}

static void a_picture_frame_measures_the_shear_modulus(void **state)
{
    (void)state;
    fm_cloth_def def = woven();
    for (int cells = 10; cells <= 20; cells += 10)
        for (int degrees = 1; degrees <= 8; degrees += 7) {
            double phi = degrees * PI / 180, d = 1e-3, energy[2], unused;
            for (int i = 0; i < 2; i++) {
                double half = (phi + (i == 0 ? -d : d)) / 2;
                const double f[4] = {cos(half), sin(half), sin(half), cos(half)};
                energy[i] = deform(&def, cells, f, true, true, &unused);
            }
            double G = (energy[1] - energy[0]) / (2 * d * SIDE * SIDE * phi);
            printf("  %d cells, %d degrees: G %.3f N/m (%+.1f %%)\n", cells, degrees, G,
                   100 * (G / SHEAR - 1));
            assert_close(G, SHEAR, 0.05 * SHEAR);
        }
}

static void strips_have_the_moduli_of_warp_and_weft(void **state)
{
    (void)state;
    const double e = 0.01, nu = 0.3;
    for (int warp = 0; warp < 2; warp++) {
        fm_cloth_def def = woven();
        def.stretch.poisson = nu;
        def.stretch.stiffness = warp ? WARP : WEFT; // WARP along the columns in both cases
        def.stretch.weft = warp ? WEFT : WARP;
        def.warp = warp ? FM_WARP_DOWN : FM_WARP_ACROSS;
        // pulled along the columns; the rows of the held borders keep their width as it narrows
        const double narrowing = nu * sqrt(WARP / WEFT) * e;
        const double f[4] = {1 - narrowing, 0, 0, 1 + e};
        double width, energy = deform(&def, 20, f, false, true, &width);
        double expected = WARP * (1 - nu * nu) * e * e / 2 * SIDE * SIDE;
        printf("  warp %s: energy %+.2f %%, narrowing %+.2f %%\n", warp ? "down" : "across",
               100 * (energy / expected - 1), 100 * ((1 - width / SIDE) / narrowing - 1));
        assert_close(energy, expected, 0.01 * expected);
        assert_close(1 - width / SIDE, narrowing, 0.02 * narrowing);
    }
}

static void stiffening_doubles_the_force_at_its_strain(void **state)
{
    (void)state;
    const double e = 0.04;
    fm_cloth_def def = woven();
    def.stretch.stiffening = e;
    const double f[4] = {1 + e, 0, 0, 1 + e};
    double unused, energy = deform(&def, 10, f, true, true, &unused);
    double expected = 0.75 * (WARP + WEFT) * e * e * SIDE * SIDE;
    printf("  energy %+.3f %%\n", 100 * (energy / expected - 1));
    assert_close(energy, expected, 1e-3 * expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_frame_measures_the_shear_modulus),
        cmocka_unit_test(strips_have_the_moduli_of_warp_and_weft),
        cmocka_unit_test(stiffening_doubles_the_force_at_its_strain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
