// SPDX-License-Identifier: MIT
// imperfection.c: irregularities of a cloth (imperfection) displace its particles at the start and
// scatter its rest lengths. They have the given strength, are the same for the same seed and on
// finer meshes, follow the placement of the cloth, and vanish for amount 0. They break the symmetry
// of a swung towel.
#include "bodies.h"

// The default cloth with irregularities of this strength.
static fm_cloth_def uneven_cloth_def(double amount, int seed)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.imperfection.amount = amount;
    def.imperfection.seed = seed;
    return def;
}

// A sheet of 0.4 m x 0.6 m with 10 x 15 cells, each refined to `refinement`^2 cells.
static fm_sheet towel_sheet(int refinement)
{
    return (fm_sheet){
        .columns = 10 * refinement + 1, .rows = 15 * refinement + 1, .width = 0.4, .height = 0.6};
}

// The initial z, m, of all particles of a sheet in the plane z = 0; the caller frees the array.
static double *find_deflection(const fm_cloth_def *def, int refinement)
{
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_sheet sheet = towel_sheet(refinement);
    const fm_vec3 *x = fm_cloth_positions(create_sheet(world, def, &sheet), NULL);
    int n = sheet.columns * sheet.rows;
    double *z = malloc((size_t)n * sizeof *z);
    for (int i = 0; i < n; i++)
        z[i] = x[i].z;
    fm_world_destroy(world);
    return z;
}

static void initial_positions_scatter_by_the_amount_and_the_seed(void **state)
{
    (void)state;
    fm_cloth_def perfect = uneven_cloth_def(0, 1), one = uneven_cloth_def(1e-3, 1),
                 two = uneven_cloth_def(1e-3, 2);
    fm_cloth_def strong = uneven_cloth_def(1e-2, 1);
    double *flat = find_deflection(&perfect, 2), *a = find_deflection(&one, 2);
    double *again = find_deflection(&one, 2), *b = find_deflection(&two, 2);
    double *c = find_deflection(&strong, 2);
    double square = 0, difference = 0; // m^2, mean squares of the deflection and between seeds
    int n = 21 * 31;
    for (int i = 0; i < n; i++) {
        assert_true(flat[i] == 0);
        assert_true(a[i] == again[i]);
        assert_close(c[i], 10 * a[i], 1e-15);
        square += a[i] * a[i] / n;
        difference += (a[i] - b[i]) * (a[i] - b[i]) / n;
    }
    // m, rms over all seeds: amount times a quarter of the root of the area
    double expected = 1e-3 * sqrt(0.4 * 0.6) / 4;
    printf("  rms %.3e m, of all seeds %.3e; another seed differs by %.3e\n", sqrt(square),
           expected, sqrt(difference));
    assert_true(sqrt(square) > 0.5 * expected && sqrt(square) < 1.6 * expected);
    assert_true(sqrt(difference) > 0.5 * expected);
    free(flat), free(a), free(again), free(b), free(c);
}

static void finer_meshes_have_the_same_initial_shape(void **state)
{
    (void)state;
    fm_cloth_def def = uneven_cloth_def(5e-3, 4);
    double *coarse = find_deflection(&def, 1), *fine = find_deflection(&def, 4);
    for (int r = 0; r <= 15; r++)
        for (int k = 0; k <= 10; k++)
            assert_close(coarse[r * 11 + k], fine[4 * r * 41 + 4 * k], 1e-14);
    free(coarse), free(fine);
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_cloth *tubes[2] = {create_tube(world, &def, define_tube(24, 7, 0.1, 0.2, 0.4)),
                          create_tube(world, &def, define_tube(48, 13, 0.1, 0.2, 0.4))};
    const fm_vec3 *x = fm_cloth_positions(tubes[0], NULL), *y = fm_cloth_positions(tubes[1], NULL);
    double off = 0, size = 0; // m, largest difference of the tubes; largest deflection
    for (int i = 0; i < 24 * 7; i++) {
        double angle = 2 * acos(-1) * (i % 24) / 24, radius = 0.1 + 0.1 * (i / 24) / 6;
        int j = 2 * (i / 24) * 48 + 2 * (i % 24); // the same point of the finer tube
        off = fmax(off, fabs(hypot(x[i].x, x[i].z) - hypot(y[j].x, y[j].z)));
        size = fmax(size, fabs(hypot(x[i].x, x[i].z) - radius));
        assert_true(fabs(x[i].x - radius * sin(angle)) < 0.01);
    }
    printf("  a tube: scatter up to %.2e m, %.2e m different on a mesh twice as fine\n", size, off);
    assert_at_most(off, 0.1 * size);
    fm_world_destroy(world);
}

static void rest_lengths_scatter_by_the_amount(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fixture_mesh grid = fixture_create_grid(21, 31, 0.02, 0.02, CUT_SHIFTED);
    fm_cloth_def def = uneven_cloth_def(1e-3, 0), perfect = uneven_cloth_def(0, 0);
    fm_cloth *cloths[2][2] = {
        // [irregular, perfect][sheet, mesh]
        {create_sheet(world, &def,
                      &(fm_sheet){.columns = 21, .rows = 31, .width = 0.4, .height = 0.6}),
         create_mesh(world, &def, &grid)},
        {create_sheet(world, &perfect,
                      &(fm_sheet){.columns = 21, .rows = 31, .width = 0.4, .height = 0.6}),
         create_mesh(world, &perfect, &grid)}};
    for (int i = 0; i < 2; i++) {
        double strain = fm_cloth_measure_stretches(cloths[0][i]).mean_strain;
        printf("  %s: mean |strain| at the beginning %.2e\n", i ? "mesh" : "sheet", strain);
        // a normal distribution of deviation 1e-3 has the mean magnitude 0.8e-3
        assert_true(strain > 3e-4 && strain < 1.5e-3);
        assert_at_most(fm_cloth_measure_stretches(cloths[1][i]).mean_strain, 1e-12);
    }
    fixture_destroy_mesh(&grid);
    fm_world_destroy(world);
}

// A sheet that is rotated and translated has the same irregularities in its own coordinates.
static void irregularities_follow_the_placement_of_a_sheet(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_cloth_def def = uneven_cloth_def(1e-2, 3);
    fm_sheet one = towel_sheet(1), other = one;
    other.origin = (fm_vec3){3, -2, 1};
    other.rotation = (fm_quat){.y = sqrt(0.5), .w = sqrt(0.5)}; // z to x
    const fm_vec3 *x = fm_cloth_positions(create_sheet(world, &def, &one), NULL);
    const fm_vec3 *y = fm_cloth_positions(create_sheet(world, &def, &other), NULL);
    for (int i = 0; i < 11 * 16; i++)
        assert_close(y[i].x - 3, x[i].z, 1e-13);
    fm_world_destroy(world);
}

// Largest difference in z, m, of a towel swung for 1 s from its own mirror image. amount: of the
// irregularities; turbulence: of the water.
static double find_asymmetry(double amount, fm_turbulence turbulence)
{
    fm_world_def world_def = fixture_water_def(1);
    world_def.medium.flow.turbulence = turbulence;
    fm_world *world = open_world(world_def);
    enum { COLUMNS = 21, ROWS = 31 };
    fixture_towel hung = fixture_default_towel(COLUMNS, ROWS);
    hung.cloth.imperfection.amount = amount;
    fm_cloth *cloth = hang_towel(world, &hung);
    for (int i = 0; i < 24; i++)
        advance(world, 1.0 / 24);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    double worst = 0;
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        int mirrored = i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS;
        worst = fmax(worst, fabs(x[i].z - x[mirrored].z));
    }
    fm_world_destroy(world);
    return worst;
}

static void irregularities_and_turbulence_break_the_symmetry_of_a_swung_towel(void **state)
{
    (void)state;
    double none = find_asymmetry(0, (fm_turbulence){0});
    double imperfect =
        find_asymmetry(fm_default_cloth_def().imperfection.amount, (fm_turbulence){0});
    double turbulent = find_asymmetry(0, (fm_turbulence){.intensity = 0.02, .length = 0.3});
    printf("  after 1 s: %.1e m, with the default imperfection %.1e, in turbulence %.1e\n", none,
           imperfect, turbulent);
    assert_at_most(none, 1e-9);
    assert_true(imperfect > 5e-4);
    assert_true(turbulent > 5e-3);
}

static void amounts_and_seeds_out_of_range_are_refused(void **state)
{
    (void)state;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_sheet sheet = towel_sheet(1);
    const fm_cloth_def bad[] = {uneven_cloth_def(-1e-9, 0), uneven_cloth_def(0.11, 0),
                                uneven_cloth_def(NAN, 0), uneven_cloth_def(0, -1),
                                uneven_cloth_def(0, 1000000001)};
    for (int i = 0; i < 5; i++) {
        fm_error err = {0};
        assert_null(fm_cloth_create_sheet(world, &bad[i], &sheet, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        assert_string_equal(err.field, i < 3 ? "imperfection.amount" : "imperfection.seed");
    }
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_positions_scatter_by_the_amount_and_the_seed),
        cmocka_unit_test(finer_meshes_have_the_same_initial_shape),
        cmocka_unit_test(rest_lengths_scatter_by_the_amount),
        cmocka_unit_test(irregularities_follow_the_placement_of_a_sheet),
        cmocka_unit_test(irregularities_and_turbulence_break_the_symmetry_of_a_swung_towel),
        cmocka_unit_test(amounts_and_seeds_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
