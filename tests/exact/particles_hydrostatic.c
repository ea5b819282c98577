// SPDX-License-Identifier: MIT
// particles_hydrostatic.c: hydrostatic pressure p = rho g (H - y) of water at rest in a tank, in 2D
// and 3D, with the default method, whether the fluid starts with that pressure or without. After
// four seconds a line fitted to the pressures of all particles is within 1 % of rho g H at the
// bottom and within 1 % of the gradient -rho g of the pressure. Over the last second the load on
// the walls is the weight of all particles.
#include "fluids.h"

static const double g = 9.81, H = 1; // m/s^2; depth of the water, m

// Checks the pressures of water at rest. settled: it starts with the hydrostatic pressure.
static void expect_hydrostatic_pressure(int dimensions, bool settled)
{
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, -g, 0});
    double width = dimensions == 2 ? 1 : 0.4;
    fm_particles_def def = fixture_tank_def(dimensions, 0.05, (fm_vec3){width, 1.5, width});
    def.loads = true;
    fm_fluid_box box = {.high = {width, H, width}, .settled = settled};
    fm_particles *fluid = create_pool(world, &def, &box);
    fm_report report = {0};
    for (int i = 0; i < 4; i++)
        report = advance(world, 1);
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    // a line P(y) is fitted by least squares; y, P, yy, yP: means over all particles
    double *p = read_fluid(fluid, "pressure", 1), y = 0, P = 0, yy = 0, yP = 0;
    for (int i = 0; i < n; i++) {
        y += x[i].y / n;
        P += p[i] / n;
        yy += x[i].y * x[i].y / n;
        yP += x[i].y * p[i] / n;
    }
    double gradient = (yP - y * P) / (yy - y * y), bottom = P - gradient * y, worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(p[i] - 1000 * g * (H - x[i].y)) / (1000 * g * H));
    printf("  %dD, %s: slope %.4f rho g, bottom %.4f rho g H, worst particle off by %.4f\n",
           dimensions, settled ? "settled" : "let go", -gradient / (1000 * g),
           bottom / (1000 * g * H), worst);
    assert_close(-gradient / (1000 * g), 1, 0.01);
    assert_close(bottom / (1000 * g * H), 1, 0.01);
    double weight = n * fm_particles_mass(fluid) * g;
    printf("  walls carry %.5f of the weight, sideways %.2g\n", -report.load.y / weight,
           report.load.x / weight);
    assert_close(-report.load.y / weight, 1, 0.002);
    assert_close(report.load.x / weight, 0, 0.002);
    assert_int_equal(report.outside_count, 0);
    assert_int_equal(report.particle_count, n);
    free(p);
    fm_world_destroy(world);
}

static void water_started_in_equilibrium_keeps_hydrostatic_pressure(void **state)
{
    (void)state;
    expect_hydrostatic_pressure(2, true);
    expect_hydrostatic_pressure(3, true);
}

static void water_started_without_pressure_reaches_hydrostatic_pressure(void **state)
{
    (void)state;
    expect_hydrostatic_pressure(2, false);
    expect_hydrostatic_pressure(3, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_started_in_equilibrium_keeps_hydrostatic_pressure),
        cmocka_unit_test(water_started_without_pressure_reaches_hydrostatic_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
