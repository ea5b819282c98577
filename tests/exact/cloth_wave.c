// SPDX-License-Identifier: MIT
// Transverse waves on a stretched sheet in an ideal fluid are slowed by the fluid they carry:
//
//     omega^2 (sigma + 2 rho/k) = T k^2 + B k^4
//
// with the thickness 2/k as the layer of medium (fluid on both sides, each moving to the depth
// 1/k). A standing wave between two held columns; ratios of speeds against
// reference/immersed_sheet_wave_speed_ratio.csv, and speeds against the formula, once with bending.
// Particles 24 to the wave: the mesh's own error is (k dx)^2/24 = 0.3 %, and the same in both.
#include "bodies.h"
#include "exact.h"

enum { COLUMNS = 25, ROWS = 3 };
static const double PI = 3.14159265358979323846, width = 0.5, stretch = 0.02;

// Frequency of the standing wave of two half waves, from the zero crossings at its crest.
static double frequency(double rho, double bend)
{
    fm_error err = {0};
    double k = 2 * PI / width;
    fm_cloth_def def = bare_cloth();
    def.shear.stiffness = 0;
    def.bend.stiffness = bend;
    def.drag = fm_default_cloth_def().drag;
    def.drag.pressure = def.drag.friction = 0;
    def.drag.skin_history = false;
    def.drag.added_mass = 2 / k;
    fm_world *world = make_world(rho, 0, no_gravity);
    fm_cloth *cloth = make_sheet(
        world, &def, &(fm_sheet){.columns = COLUMNS, .rows = ROWS, .width = width, .height = 0.1});
    fm_vec3 x[COLUMNS * ROWS];
    const fm_vec3 *flat = fm_cloth_positions(cloth, NULL);
    for (int i = 0; i < COLUMNS * ROWS; i++)
        x[i] = (fm_vec3){flat[i].x * (1 + stretch), flat[i].y, 1e-4 * sin(k * flat[i].x)};
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_LEFT, NULL, &err));
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_RIGHT, NULL, &err));
    int crest = COLUMNS + (COLUMNS - 1) / 4, crossings = 0;
    double dt = 1e-3, t = 0, z = x[crest].z, first = 0, last = 0;
    while (crossings < 5) {
        advance(world, dt);
        t += dt;
        double now = fm_cloth_positions(cloth, NULL)[crest].z;
        if (z * now < 0) {
            last = t - dt * now / (now - z);
            first = crossings++ ? first : last;
        }
        z = now;
        assert_true(t < 20);
    }
    fm_world_destroy(world);
    return 4 * PI / (last - first);
}

// What the formula says; tension per width of the cut sheet, and its pull per stretched length.
static double expected_frequency(double rho, double bend)
{
    fm_cloth_def def = bare_cloth();
    double k = 2 * PI / width, sigma = def.density * def.thickness;
    double T = def.stretch.stiffness * stretch / (1 + stretch);
    return sqrt((T * k * k + bend * pow(k, 4)) / (sigma + 2 * rho / k));
}

static void immersed_waves_are_slower(void **state)
{
    (void)state;
    FILE *file = fopen(REFERENCE_DIR "/immersed_sheet_wave_speed_ratio.csv", "r");
    assert_non_null(file);
    char line[128];
    assert_non_null(fgets(line, sizeof line, file));
    fm_cloth_def def = bare_cloth();
    double sigma = def.density * def.thickness, k = 2 * PI / width;
    double vacuum = frequency(0, 0), load, ratio;
    assert_close(vacuum, expected_frequency(0, 0), 0.01 * vacuum);
    int rows = 0;
    while (fgets(line, sizeof line, file) && sscanf(line, "%lf,%lf", &load, &ratio) == 2) {
        double measured = frequency(load * sigma * k, 0) / vacuum;
        printf("  rho/(sigma k) = %-5g speed %.5f of that in a vacuum, expected %.5f\n", load,
               measured, ratio);
        assert_close(measured, ratio, 0.005 * ratio);
        rows++;
    }
    assert_int_equal(rows, 5);
    fclose(file);
}

static void bending_makes_them_faster(void **state)
{
    (void)state;
    double bend = 0.02, rho = 30, expected = expected_frequency(rho, bend);
    assert_true(expected > 1.3 * expected_frequency(rho, 0)); // it matters
    double measured = frequency(rho, bend);
    printf("  with bending %.4f rad/s, expected %.4f\n", measured, expected);
    assert_close(measured, expected, 0.02 * expected);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_wave");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(immersed_waves_are_slower),
        cmocka_unit_test(bending_makes_them_faster),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
