// SPDX-License-Identifier: MIT
// cloth_moduli.c: hanging and strained sheets have the lengths and energies that follow from their
// surface moduli E (stretch) and G (shear), N/m.
//
// A strip without shear springs hangs under its own weight. The spring below row j carries the
// weight of all rows below it, and is longer than at rest by this weight divided by its stiffness E
// W/dy, where W is the width of the strip and dy the distance of the rows. Under water the weight
// is reduced by buoyancy.
//
// A sheet under a small homogeneous strain has the energy E e^2/2 per area when stretched by e
// along columns or rows, and G gamma^2/2 when sheared by gamma. When it is stretched along x, its
// diagonal springs add G (dx/dy)^2 to E. The deviations are proportional to the strain.
#include "bodies.h"
#include "exact.h"

enum { ROWS = 17 };

// Checks the heights of all rows of a strip that hangs at rest. medium: density of the fluid,
// kg/m^3; gravity: m/s^2.
static void check_hanging_strip(double medium, double gravity)
{
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    const double width = 0.05, height = 0.6, dy = height / (ROWS - 1);
    def.shear.stiffness = 0;
    def.drag.model = FM_DRAG_VISCOUS; // about critical damping of the slowest mode
    def.drag.viscous = 80;
    fm_world *world = create_world(medium, 0, (fm_vec3){0, -gravity, 0});
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = 2, .rows = ROWS, .width = width, .height = height});
    assert_true(fm_cloth_pin_row(cloth, 0, NULL, &err));
    advance(world, 5);
    double y = 0, worst = 0;                                        // m
    double load = (def.density - medium) * def.thickness * gravity; // N/m^2, weight less buoyancy
    for (int r = 0; r < ROWS; r++) {
        const fm_vec3 *x = fm_cloth_positions(cloth, NULL) + 2 * r;
        worst = fmax(worst, fmax(fabs(x[0].y - y), fabs(x[1].y - y)));
        assert_close(x[1].x - x[0].x, width, 1e-9);
        double length_below = height - (r + 0.5) * dy;
        y -= dy * (1 + load * length_below / def.stretch.stiffness);
    }
    printf("  lowest row at %.6f m, off by %.1e\n", y, worst);
    assert_at_most(worst, 1e-9);
    fm_world_destroy(world);
}

static void a_hanging_strip_has_the_length_that_its_weight_and_springs_give(void **state)
{
    (void)state;
    check_hanging_strip(0, 9.81);
    check_hanging_strip(1000, 9.81);
    check_hanging_strip(0, 40); // stretched by 35 % at the top
}

// Energy per area (J/m^2) of a sheet of 5 x 4 particles and 0.4 m x 0.24 m, deformed by the matrix
// (a, b; c, d).
static double energy_density(double a, double b, double c, double d)
{
    fm_error err = {0};
    fm_cloth_def def = bare_cloth();
    fm_world *world = create_world(0, 0, no_gravity);
    fm_cloth *cloth = create_sheet(
        world, &def, &(fm_sheet){.columns = 5, .rows = 4, .width = 0.4, .height = 0.24});
    const fm_vec3 *flat = fm_cloth_positions(cloth, NULL);
    fm_vec3 x[20];
    for (int i = 0; i < 20; i++)
        x[i] = (fm_vec3){a * flat[i].x + b * flat[i].y, c * flat[i].x + d * flat[i].y, 0};
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    double energy = fm_world_report(world).potential_energy;
    fm_world_destroy(world);
    return energy / (0.4 * 0.24);
}

static void strained_sheets_have_the_energy_that_their_moduli_give(void **state)
{
    (void)state;
    fm_cloth_def def = bare_cloth();
    double E = def.stretch.stiffness, G = def.shear.stiffness;
    double e = 1e-4, tan2 = pow(0.1 / 0.08, 2); // strain; (dx/dy)^2
    assert_close(energy_density(1 + e, 0, 0, 1) / (e * e / 2), E + G * tan2, 1e-3 * E);
    assert_close(energy_density(1, 0, 0, 1 + e) / (e * e / 2), E + G / tan2, 1e-3 * E);
    assert_close(energy_density(1, e, 0, 1) / (e * e / 2), G, 1e-3 * E);
    assert_close(energy_density(1, 0, e, 1) / (e * e / 2), G, 1e-3 * E);
    assert_close(energy_density(cos(1), sin(1), -sin(1), cos(1)), 0, 1e-20 * E); // rigid rotation
}

int main(int argc, char **argv)
{
    exact_open(argc, argv, "cloth_moduli");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_strip_has_the_length_that_its_weight_and_springs_give),
        cmocka_unit_test(strained_sheets_have_the_energy_that_their_moduli_give),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exact_close();
    return failed;
}
