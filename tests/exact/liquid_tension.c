// SPDX-License-Identifier: MIT
// liquid_tension.c: surface tension without gravity. The pressure in a drop at rest is sigma / R in
// a plane and 2 sigma / R in space (Laplace). A standing capillary wave, a hundredth of its length
// high, has w^2 = sigma k^3 tanh(k d) / rho; the error of the period falls with the spacing.
#include "liquids.h"

static const double SIGMA = 0.072, RADIUS = 0.01; // N/m, m

// Mean pressure in the middle of a drop, with `cells` cells across its radius, after 0.02 s,
// relative to Laplace's. *speed: fastest particle, m/s.
static double measure_drop(int cells, bool space, double *speed)
{
    double h = RADIUS / cells, middle = 1.5 * RADIUS, sum = 0;
    int n = 3 * cells, count = 0;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0});
    fm_liquid_def def = liquid_tank_def(n, n, space ? n : 1, h);
    def.surface_tension = SIGMA;
    fm_liquid *liquid = create_liquid(world, &def, NULL);
    fm_error err = {0};
    fm_vec3 centre = {middle, middle, space ? middle : 0.5 * h};
    assert_true(fm_liquid_add_ball(liquid, centre, RADIUS, (fm_vec3){0}, &err));
    advance(world, 0.02);
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++, count++)
            sum += liquid_pressure(liquid, middle + 0.25 * RADIUS * i * 0.5,
                                   middle + 0.25 * RADIUS * j * 0.5, centre.z);
    *speed = fastest_particle(liquid);
    fm_world_destroy(world);
    return sum / count * RADIUS / ((space ? 2 : 1) * SIGMA);
}

static void the_pressure_in_a_drop_is_that_of_laplace(void **state)
{
    (void)state;
    for (int space = 0; space < 2; space++)
        for (int cells = 4; cells <= (space ? 8 : 16); cells *= 2) {
            double speed, ratio = measure_drop(cells, space, &speed);
            printf("  %s, %2d cells across the radius: pressure %+.2f %%, fastest %.1e m/s\n",
                   space ? "drop" : "disc", cells, 100 * (ratio - 1), speed);
            assert_close(ratio, 1, 1.6 / (cells * cells)); // second order
        }
}

// Period of a standing wave in a tank 0.02 m long, s.
static double measure_period(int columns)
{
    const double length = 0.02, depth = 0.01;
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0});
    fm_liquid_def def = liquid_tank_def(columns, columns * 3 / 4, 1, length / columns);
    def.surface_tension = SIGMA;
    fm_liquid_box box = {.high = {length, depth, 1}, .wave = {0.0004, 2 * length}};
    fm_liquid *liquid = create_liquid(world, &def, &box);
    double step = 1e-3, before = 0, first = 0, last = 0;
    int zeros = 0;
    for (int n = 0; n * step < 0.8; n++) {
        double mode = 0;
        for (int i = 0; i < columns; i++) {
            double x = (i + 0.5) / columns;
            mode += cos(PI * x) * fm_liquid_depth(liquid, x * length, 0);
        }
        if (n > 0 && (mode < 0) != (before < 0)) {
            last = step * (n - 1 + before / (before - mode));
            first = zeros++ == 0 ? last : first;
        }
        before = mode;
        advance(world, step);
    }
    fm_world_destroy(world);
    return zeros > 1 ? 2 * (last - first) / (zeros - 1) : 0;
}

static void a_capillary_wave_has_its_period(void **state)
{
    (void)state;
    double k = PI / 0.02, exact = 2 * PI / sqrt(SIGMA * k * k * k * tanh(k * 0.01) / 1000);
    for (int columns = 16; columns <= 32; columns *= 2) {
        double period = measure_period(columns);
        printf("  wave, %d cells: period %.5f s, %+.2f %% of %.5f s\n", columns, period,
               100 * (period / exact - 1), exact);
        assert_close(period, exact, 0.32 / columns * exact); // at least first order
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pressure_in_a_drop_is_that_of_laplace),
        cmocka_unit_test(a_capillary_wave_has_its_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
