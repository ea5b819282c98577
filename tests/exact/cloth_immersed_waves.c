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
// test measures a standing wave between two pinned columns. It compares ratios of wave speeds with
// reference/immersed_sheet_wave_speed_ratio.csv, and frequencies with the formula, once with
// bending. A wave has 24 particles. The discretisation error is (k dx)^2/24 = 0.3 %, in a vacuum
// and in the fluid alike.
#include "bodies.h"
#include "exact.h"

enum { COLUMNS = 25, ROWS = 3 };
// width: of the sheet, m; stretch: strain of the stretched sheet
static const double PI = 3.14159265358979323846, width = 0.5, stretch = 0.02;

// Angular frequency (rad/s) of a standing wave of two half waves, from the zero crossings at its
// crest. rho: density of the fluid, kg/m^3; bend: bending rigidity, N m.
static double measure_frequency(double rho, double bend)
{
    fm_error err = {0};
    double k = 2 * PI / width;
    fm_cloth_def def = bare_cloth();
    def.shear.stiffness = 0;
    def.bend.stiffness = bend;
    def.drag = fixture_perfect_cloth().drag;
    def.drag.pressure = def.drag.friction = 0;
    def.drag.skin_history = false;
    def.drag.added_mass = 2 / k;
    fm_world *world = create_world(rho, 0, no_gravity);
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = COLUMNS, .rows = ROWS, .width = width, .height = 0.1});
    fm_vec3 x[COLUMNS * ROWS];
    const fm_vec3 *flat = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < COLUMNS * ROWS; i++)
        x[i] = (fm_vec3){flat[i].x * (1 + stretch), flat[i].y, 1e-4 * sin(k * flat[i].x)};
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_LEFT, NULL, &err));
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_RIGHT, NULL, &err));
    int crest = COLUMNS + (COLUMNS - 1) / 4;
    double frequency = swing_frequency(world, cloth, crest, 5, 1e-3, 20);
    fm_world_destroy(world);
    return frequency;
}

// Angular frequency (rad/s) by omega^2 (sigma + 2 rho/k) = T k^2 + B k^4, with T the tension of the
// sheet stretched by the strain `stretch`. rho: density of the fluid, kg/m^3; bend: B, N m.
static double expected_frequency(double rho, double bend)
{
    fm_cloth_def def = bare_cloth();
    double k = 2 * PI / width, sigma = def.density * def.thickness;
    double T = def.stretch.stiffness * stretch / (1 + stretch);
    return sqrt((T * k * k + bend * pow(k, 4)) / (sigma + 2 * rho / k));
}

static void the_fluid_slows_waves_down_by_the_reference_ratio(void **state)
{
    (void)state;
    FILE *file = fopen(REFERENCE_DIR "/immersed_sheet_wave_speed_ratio.csv", "r");
    assert_non_null(file);
    char line[128];
    assert_non_null(fgets(line, sizeof line, file));
    fm_cloth_def def = bare_cloth();
    double sigma = def.density * def.thickness, k = 2 * PI / width;
    // load: rho/(sigma k); ratio: wave speed in the fluid by that in a vacuum
    double vacuum = measure_frequency(0, 0), load, ratio;
    assert_close(vacuum, expected_frequency(0, 0), 0.01 * vacuum);
    int rows = 0;
    while (fgets(line, sizeof line, file) && sscanf(line, "%lf,%lf", &load, &ratio) == 2) {
        double measured = measure_frequency(load * sigma * k, 0) / vacuum;
        printf("  rho/(sigma k) = %-5g speed %.5f of that in a vacuum, expected %.5f\n", load,
               measured, ratio);
        assert_close(measured, ratio, 0.005 * ratio);
        rows++;
    }
    assert_int_equal(rows, 5);
    fclose(file);
}

static void bending_makes_immersed_waves_faster_as_the_formula_says(void **state)
{
    (void)state;
    double bend = 0.02, rho = 30, expected = expected_frequency(rho, bend);
    assert_true(expected > 1.3 * expected_frequency(rho, 0)); // bending has a large effect here
    double measured = measure_frequency(rho, bend);
    printf("  with bending %.4f rad/s, expected %.4f\n", measured, expected);
    assert_close(measured, expected, 0.02 * expected);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_immersed_waves");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fluid_slows_waves_down_by_the_reference_ratio),
        cmocka_unit_test(bending_makes_immersed_waves_faster_as_the_formula_says),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
