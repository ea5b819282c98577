// SPDX-License-Identifier: MIT
// cloth_immersed_waves.c: transverse waves on a stretched sheet in an ideal fluid are slowed down
// by the fluid that moves with the sheet.
//
//     omega^2 (sigma + 2 rho/k) = T k^2 + B k^4
//
//   omega  angular frequency, rad/s     k    wave number, 1/m             T  tension, N/m
//   sigma  mass of the sheet, kg/m^2    rho  density of the fluid, kg/m^3 B  bending rigidity, N m
//
// The fluid on each side moves to a depth of 1/k, so the thickness of the added layer is 2/k. The
// test measures standing waves between two pinned edges. It compares ratios of wave speeds with
// reference/immersed_sheet_wave_speed_ratio.csv: with a layer of that thickness, and with the added
// mass by wavelength that is the default, on a sheet and on a mesh, from a wave as long as the
// sheet to one of 8 cells. Frequencies are compared with the formula, once with bending. The
// discretisation error of the elastic forces is the same in a vacuum and in the fluid.
#include "bodies.h"
#include "exact.h"

enum { COLUMNS = 49, ROWS = 5, COUNT = COLUMNS * ROWS };
// width: of the sheet, m; stretch: strain of the stretched sheet
static const double PI = 3.14159265358979323846, width = 0.5, stretch = 0.02;

// A standing wave between pinned edges.
typedef struct wave {
    fm_cloth_kind kind;
    int count;         // of waves between the edges
    double added_mass; // m, or -1: by wavelength
    double rho;        // kg/m^3, density of the fluid
    double bend;       // N m, bending rigidity
} wave;

static double wave_number(const wave *w)
{
    return 2 * PI * w->count / width;
}

static fm_cloth *create_cloth(fm_world *world, const fm_cloth_def *def, fm_cloth_kind kind)
{
    double cell = width / (COLUMNS - 1);
    if (kind == FM_CLOTH_SHEET)
        return create_sheet(
            world, def,
            &(fm_sheet){
                .columns = COLUMNS, .rows = ROWS, .width = width, .height = cell * (ROWS - 1)});
    fm_error err = {0};
    fixture_mesh grid = fixture_create_grid(COLUMNS, ROWS, cell, cell, CUT_ALTERNATING);
    fm_cloth_mesh mesh = fixture_cloth_mesh(&grid);
    fm_cloth *cloth = fm_cloth_create_mesh(world, def, &mesh, &err);
    fixture_destroy_mesh(&grid);
    assert_good(cloth, &err);
    return cloth;
}

// Angular frequency (rad/s) of a standing wave, from the zero crossings at its first crest.
static double measure_frequency(const wave *w)
{
    fm_error err = {0};
    double k = wave_number(w);
    fm_cloth_def def = bare_cloth();
    def.shear.stiffness = 0;
    def.bend.stiffness = w->bend;
    def.drag = fixture_perfect_cloth().drag;
    def.drag.pressure = def.drag.friction = 0;
    def.drag.skin_history = false;
    def.drag.added_mass = w->added_mass;
    if (w->kind == FM_CLOTH_MESH) {     // its triangles oscillate in its plane, and some edges are
        def.damping.coefficient = 0.02; // compressed and would fold without bending
        def.bend.stiffness += 3e-5;
    }
    fm_world *world = create_world(w->rho, 0, no_gravity);
    fm_cloth *cloth = create_cloth(world, &def, w->kind);
    fm_vec3 x[COUNT];
    const fm_vec3 *flat = fm_cloth_positions(cloth, NULL);
    int edges[2 * ROWS];
    // springs along the diagonals of a mesh contract it across by 1/5 of the strain; a little less,
    // so that nothing is compressed
    double across = w->kind == FM_CLOTH_MESH ? 1 - 0.15 * stretch : 1;
    for (int i = 0; i < COUNT; i++)
        x[i] =
            (fm_vec3){flat[i].x * (1 + stretch), flat[i].y * across, 1e-4 / k * sin(k * flat[i].x)};
    for (int i = 0; i < ROWS; i++)
        edges[i] = i * COLUMNS, edges[ROWS + i] = i * COLUMNS + COLUMNS - 1;
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_list(cloth, edges, 2 * ROWS, NULL, &err));
    int crest = ROWS / 2 * COLUMNS + (COLUMNS - 1) / (4 * w->count);
    double frequency = swing_frequency(world, cloth, crest, 5, 1e-3 / w->count, 40);
    fm_world_destroy(world);
    return frequency;
}

// Angular frequency (rad/s) by omega^2 (sigma + 2 rho/k) = T k^2 + B k^4, with T the tension of the
// sheet stretched by the strain `stretch`.
static double expected_frequency(const wave *w)
{
    fm_cloth_def def = bare_cloth();
    double k = wave_number(w), sigma = def.density * def.thickness;
    double T = def.stretch.stiffness * stretch / (1 + stretch);
    return sqrt((T * k * k + w->bend * pow(k, 4)) / (sigma + 2 * w->rho / k));
}

// Compares the wave's speed with every row of the reference, within the tolerance.
static void check_speed_ratios(wave w, const char *name, double tolerance)
{
    FILE *file = fopen(REFERENCE_DIR "/immersed_sheet_wave_speed_ratio.csv", "r");
    assert_non_null(file);
    char line[128];
    assert_non_null(fgets(line, sizeof line, file));
    fm_cloth_def def = bare_cloth();
    double sigma = def.density * def.thickness, k = wave_number(&w), load, ratio, worst = 0;
    w.rho = 0;
    double vacuum = measure_frequency(&w);
    int rows = 0;
    while (fgets(line, sizeof line, file) && sscanf(line, "%lf,%lf", &load, &ratio) == 2) {
        w.rho = load * sigma * k;
        double error = measure_frequency(&w) / vacuum / ratio - 1;
        worst = fabs(error) > fabs(worst) ? error : worst;
        rows++;
    }
    printf("  %s, %d waves: speed off by %+.3f %% at most\n", name, w.count, 100 * worst);
    assert_int_equal(rows, 5);
    assert_at_most(fabs(worst), tolerance);
    fclose(file);
}

static void a_layer_slows_waves_down_by_the_reference_ratio(void **state)
{
    (void)state;
    wave w = {.kind = FM_CLOTH_SHEET, .count = 1};
    w.added_mass = 2 / wave_number(&w);
    assert_close(measure_frequency(&w), expected_frequency(&w), 0.01 * expected_frequency(&w));
    check_speed_ratios(w, "layer", 0.005);
}

static void added_mass_by_wavelength_slows_every_wave_down_by_the_reference_ratio(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 6}; // the last are 8 cells long
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        wave sheet = {.kind = FM_CLOTH_SHEET, .count = counts[i], .added_mass = -1};
        wave mesh = {.kind = FM_CLOTH_MESH, .count = counts[i], .added_mass = -1};
        check_speed_ratios(sheet, "sheet", 0.01);
        check_speed_ratios(mesh, "mesh", 0.03);
    }
}

static void bending_makes_immersed_waves_faster_as_the_formula_says(void **state)
{
    (void)state;
    wave w = {.kind = FM_CLOTH_SHEET, .count = 1, .added_mass = -1, .rho = 30};
    double without = expected_frequency(&w);
    w.bend = 0.02;
    double expected = expected_frequency(&w);
    assert_true(expected > 1.3 * without); // bending has a large effect here
    double measured = measure_frequency(&w);
    printf("  with bending %.4f rad/s, expected %.4f\n", measured, expected);
    assert_close(measured, expected, 0.02 * expected);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_immersed_waves");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_slows_waves_down_by_the_reference_ratio),
        cmocka_unit_test(added_mass_by_wavelength_slows_every_wave_down_by_the_reference_ratio),
        cmocka_unit_test(bending_makes_immersed_waves_faster_as_the_formula_says),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
