// SPDX-License-Identifier: MIT
// cloth_woven.c: woven sheets: moduli of warp and weft, Poisson's ratio, shear by angle, stiffening
// (sheet_triangles.c).
//
// - Picture frame: the border of a square sheet is sheared by an angle phi. The moment of the
//   frame, the derivative of the energy, is G A phi within 5 % up to 8 degrees, on two meshes.
// - Strips pulled along warp and weft, with free sides: the energy per area is E (1 - nu^2) e^2/2,
//   and the strip becomes narrower by nu sqrt(E_1/E_2) e.
// - The same on meshes (mesh_triangles.c) whose warp is turned against the edges, by an axis and by
//   texture coordinates; the energy of a homogeneous deformation is that of the law exactly.
// - Stiffening e_s: at e = e_s in both directions, the energy per area is 3/4 (E_1 + E_2) e_s^2.
#include "bodies.h"

#include <string.h>

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

// J, energy of a mesh at the deformation [a b; c d], all particles pinned.
static double deform_mesh(const fm_cloth_def *def, const fixture_mesh *grid, const float *uv,
                          const double f[4])
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth_mesh mesh = fixture_cloth_mesh(grid);
    mesh.corner_uv = uv;
    fm_cloth *cloth = fm_cloth_create_mesh(world, def, &mesh, &err);
    assert_good(cloth, &err);
    int count = fm_cloth_particle_count(cloth);
    fm_vec3 *x = malloc((size_t)count * sizeof *x);
    int *all = malloc((size_t)count * sizeof *all);
    const fm_vec3 *at = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < count; i++) {
        x[i] = (fm_vec3){f[0] * at[i].x + f[1] * at[i].y, f[2] * at[i].x + f[3] * at[i].y, 0};
        all[i] = i;
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_list(cloth, all, count, NULL, &err));
    double energy = advance(world, 0.02).potential_energy;
    free(x);
    free(all);
    fm_world_destroy(world);
    return energy;
}

static void meshes_have_the_moduli_along_their_warp(void **state)
{
    (void)state;
    const double e = 0.02, g = 0.1, turn = 0.5, c = cos(turn), s = sin(turn); // warp along (c, s)
    fixture_mesh grid = fixture_create_grid(7, 6, 0.02, 0.03, CUT_ALTERNATING);
    double area = 6 * 0.02 * 5 * 0.03;
    float *uv = malloc(6 * (size_t)grid.triangle_count * sizeof *uv);
    for (int i = 0; i < 3 * grid.triangle_count; i++) {
        fm_vec3 p = grid.positions[grid.triangles[i]];
        uv[2 * i] = (float)(p.x * s - p.y * c), uv[2 * i + 1] = (float)(p.x * c + p.y * s);
    }
    for (int by_uv = 0; by_uv < 2; by_uv++) {
        fm_cloth_def def = woven();
        def.warp_axis = by_uv ? (fm_vec3){0, 0, 0} : (fm_vec3){c, s, 0.3};
        // stretches by e along the warp, along the weft; shears by the angle g
        const double along[4] = {1 + e * c * c, e * c * s, e * c * s, 1 + e * s * s};
        const double over[4] = {1 + e * s * s, -e * c * s, -e * c * s, 1 + e * c * c};
        const double shear[4] = {1 - g * c * s, g * c * c, -g * s * s, 1 + g * c * s};
        double sine = g / sqrt(1 + g * g);
        const double expected[] = {WARP * e * e / 2, WEFT * e * e / 2,
                                   SHEAR * sine * sine / 2 +
                                       WEFT * pow(sqrt(1 + g * g) - 1, 2) / 2};
        const double *const ways[] = {along, over, shear};
        for (int i = 0; i < 3; i++) {
            double energy = deform_mesh(&def, &grid, by_uv ? uv : NULL, ways[i]) / area;
            printf("  %s, %s: energy %+.4f %%\n", by_uv ? "uv" : "axis",
                   i == 0   ? "warp"
                   : i == 1 ? "weft"
                            : "shear",
                   100 * (energy / expected[i] - 1));
            assert_close(energy, expected[i], 1e-4 * expected[i]);
        }
    }
    free(uv);
    fixture_destroy_mesh(&grid);
}

// A mesh with free sides, pulled along the warp with Poisson's ratio: both integrators find the
// rest in which it has become narrower.
static void a_pulled_mesh_becomes_narrower(void **state)
{
    (void)state;
    const double e = 0.01, nu = 0.3;
    for (int explicit = 0; explicit < 2; explicit ++) {
        fm_error err = {0};
        fm_cloth_def def = woven();
        def.stretch.poisson = nu;
        def.warp_axis = (fm_vec3){0, 1, 0};
        def.integrator = explicit ? FM_KICK_DRIFT_KICK : FM_IMPLICIT_EULER;
        def.time_step = explicit ? 0 : 0.02;
        def.damping.kept = explicit ? 0.98 : 0.5;
        fm_world *world = create_world(0, 0, no_gravity);
        fixture_mesh grid = fixture_create_grid(11, 31, 0.01, 0.01, CUT_ALTERNATING);
        fm_cloth *cloth = create_mesh(world, &def, &grid);
        const fm_vec3 *at = fm_cloth_positions(cloth, NULL);
        int count = fm_cloth_particle_count(cloth), held[22];
        fm_vec3 *x = malloc((size_t)count * sizeof *x);
        for (int i = 0; i < count; i++)
            x[i] = (fm_vec3){at[i].x, at[i].y * (1 + e), 0};
        for (int i = 0; i < 11; i++)
            held[i] = i, held[11 + i] = count - 11 + i;
        assert_true(fm_cloth_set_positions(cloth, x, &err));
        assert_true(fm_cloth_pin_list(cloth, held, 22, NULL, &err));
        advance(world, explicit ? 0.5 : 2);
        at = fm_cloth_positions(cloth, NULL) + 15 * 11;
        double narrowing = 1 - (at[10].x - at[0].x) / 0.1, expected = nu * sqrt(WARP / WEFT) * e;
        printf("  %s: narrowing in the middle %+.2f %%\n", explicit ? "explicit" : "implicit",
               100 * (narrowing / expected - 1));
        assert_close(narrowing, expected, 0.03 * expected);
        free(x);
        fixture_destroy_mesh(&grid);
        fm_world_destroy(world);
    }
}

static void a_woven_mesh_without_a_direction_of_the_warp_is_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = woven();
    fm_world *world = create_world(0, 0, no_gravity);
    fixture_mesh grid = fixture_create_grid(3, 3, 0.01, 0.01, CUT_ALTERNATING);
    assert_null(try_create_mesh(world, &def, &grid, &err));
    assert_non_null(strstr(err.text, "warp_axis is 0, allowed is a direction"));
    fixture_destroy_mesh(&grid);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_frame_measures_the_shear_modulus),
        cmocka_unit_test(strips_have_the_moduli_of_warp_and_weft),
        cmocka_unit_test(stiffening_doubles_the_force_at_its_strain),
        cmocka_unit_test(meshes_have_the_moduli_along_their_warp),
        cmocka_unit_test(a_pulled_mesh_becomes_narrower),
        cmocka_unit_test(a_woven_mesh_without_a_direction_of_the_warp_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
