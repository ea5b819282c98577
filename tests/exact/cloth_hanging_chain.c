// SPDX-License-Identifier: MIT
// cloth_hanging_chain.c: small oscillations of a hanging strip without bending stiffness have the
// frequencies of a hanging chain.
//
//     omega_n = j_n/2 sqrt(g/L),     mode n: z(s) = J_0(j_n sqrt(1 - s/L))
//
//   j_n  zeros of the Bessel function J_0      s  distance from the top, m      L  length, m
//
// The strip is stiff: its weight stretches it by 0.05 %. It starts at rest, hanging in the shape of
// a mode. The time between the zero crossings of its tip gives the frequency. The discretisation
// error is proportional to (mode number / rows)^2.
#include "bodies.h"
#include "exact.h"

enum { ROWS = 41 };
static const double L = 1, g = 9.81;  // m, length of the strip; m/s^2
static const double AMPLITUDE = 1e-3; // m, of the tip; small, so that the oscillation is linear
static const double PI = 3.14159265358979323846;

// Bessel function J_0 by its power series, for |x| < 10.
static double bessel_j0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 60; k++) {
        term *= -x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

// Places the strip in the mode of the zero j_n = `zero`, with each row lowered by the stretch that
// the weight below it causes.
static void hang_in_mode(fm_cloth *cloth, double zero)
{
    fm_error err = {0};
    fm_cloth_def def = fm_cloth_definition(cloth);
    double dy = L / (ROWS - 1), y = 0, sigma = def.density * def.thickness;
    fm_vec3 x[2 * ROWS];
    for (int r = 0; r < ROWS; r++) {
        double s = r * dy / L, z = AMPLITUDE * bessel_j0(zero * sqrt(1 - s));
        x[2 * r] = (fm_vec3){0, y, z};
        x[2 * r + 1] = (fm_vec3){0.05, y, z};
        y -= dy * (1 + sigma * g * (L - (r + 0.5) * dy) / def.stretch.stiffness);
    }
    assert_true(fm_cloth_set_positions(cloth, x, &err));
}

// Angular frequency (rad/s) of the mode of the zero j_n = `zero`. guess: expected frequency.
static double measure_frequency(double zero, double guess)
{
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    def.stretch.stiffness = 2e4;
    def.shear.stiffness = 0;
    fm_world *world = create_world(0, 0, (fm_vec3){0, -g, 0});
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = 2, .rows = ROWS, .width = 0.05, .height = L});
    hang_in_mode(cloth, zero);
    assert_true(fm_cloth_pin_row(cloth, 0, NULL, &err));
    double dt = 2 * PI / guess / 200, t = 0, z_before = AMPLITUDE;
    double first_crossing = 0, last_crossing = 0; // s
    int crossings = 0;
    while (crossings < 5) { // two periods after the first crossing
        advance(world, dt);
        t += dt;
        double z = fm_cloth_positions(cloth, NULL)[2 * ROWS - 1].z;
        if (z_before * z < 0) {
            last_crossing = t - dt * z / (z - z_before);
            first_crossing = crossings++ ? first_crossing : last_crossing;
        }
        z_before = z;
        assert_true(t < 10 * 2 * PI / guess);
    }
    fm_world_destroy(world);
    return 4 * PI / (last_crossing - first_crossing);
}

static void a_hanging_strip_swings_with_the_frequencies_of_a_hanging_chain(void **state)
{
    (void)state;
    FILE *file = fopen(REFERENCE_DIR "/hanging_chain_modes.csv", "r");
    assert_non_null(file);
    char line[128];
    assert_non_null(fgets(line, sizeof line, file));
    for (int mode = 1; mode <= 3; mode++) {
        int n;
        double reduced; // omega sqrt(L/g) = j_n / 2
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(sscanf(line, "%d,%lf", &n, &reduced), 2);
        assert_int_equal(n, mode);
        double expected = reduced * sqrt(g / L),
               measured = measure_frequency(2 * reduced, expected);
        printf("  mode %d: %.5f rad/s, expected %.5f\n", mode, measured, expected);
        assert_close(measured, expected, 0.01 * expected);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_hanging_chain");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_strip_swings_with_the_frequencies_of_a_hanging_chain)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
