// SPDX-License-Identifier: MIT
// Water at rest in a tank carries its weight: p = rho g (H - y), in the plane and in space, whether
// it begins with that pressure or has to find it, with the default method. After four seconds the
// pressure fitted to all particles is within 1 % of rho g H at the bottom, and its slope of rho g;
// and the walls carry the weight of all particles, over the last second.
#include "fluids.h"

static const double g = 9.81, H = 1;

static void expect_pressure(int dimensions, bool settled)
{
    fm_world *world = make_world(1000, 1e-3, (fm_vec3){0, -g, 0});
    fm_particles_def def = fm_default_particles_def();
    double width = dimensions == 2 ? 1 : 0.4;
    def.dimensions = dimensions;
    def.spacing = 0.05;
    def.loads = true;
    def.domain.high = (fm_vec3){width, 1.5, width};
    fm_particles *fluid = make_fluid(world, &def);
    add_box(fluid, &(fm_fluid_box){.high = {width, H, width}, .settled = settled});
    fm_report report = {0};
    for (int i = 0; i < 4; i++)
        report = advance(world, 1);
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    double *p = read_fluid(fluid, "pressure", 1), y = 0, P = 0, yy = 0, yP = 0;
    for (int i = 0; i < n; i++) {
        y += x[i].y / n;
        P += p[i] / n;
        yy += x[i].y * x[i].y / n;
        yP += x[i].y * p[i] / n;
    }
    double slope = (yP - y * P) / (yy - y * y), bottom = P - slope * y, worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(p[i] - 1000 * g * (H - x[i].y)) / (1000 * g * H));
    printf("  %dD, %s: slope %.4f rho g, bottom %.4f rho g H, worst particle off by %.4f\n",
           dimensions, settled ? "settled" : "let go", -slope / (1000 * g), bottom / (1000 * g * H),
           worst);
    assert_close(-slope / (1000 * g), 1, 0.01);
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

static void settled_water_stays(void **state)
{
    (void)state;
    expect_pressure(2, true);
    expect_pressure(3, true);
}

static void water_finds_its_pressure(void **state)
{
    (void)state;
    expect_pressure(2, false);
    expect_pressure(3, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settled_water_stays),
        cmocka_unit_test(water_finds_its_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
