// SPDX-License-Identifier: MIT
// liquid_rest.c: water at rest in a tank with a slanted floor, which rises out of the water, and a
// submerged box stays at rest to rounding, in the plane and in 3D. The pressure is that of the
// depth, rho g (h - y). With the default tolerance of the pressure solver it stays at rest to that.
// The same with particles only in a band below the surface and near the colliders.
#include "liquids.h"

static const double DEPTH = 0.53;

static fm_liquid *build(fm_world *world, int layers, double tolerance, int band)
{
    fm_liquid_def def = liquid_tank_def(32, 24, layers, 1.0 / 32);
    def.band = band;
    def.grid.tolerance = tolerance;
    fm_collider_def floor = {
        .shape = {.kind = FM_SHAPE_PLANE, .centre = {0.55, 0, 0}, .normal = {-0.6, 1, 0.1}}};
    fm_collider_def box = {.shape = {.kind = FM_SHAPE_BOX,
                                     .centre = {0.31, 0.23, 0.25},
                                     .half_size = {0.07, 0.06, 0.11}}};
    add_collider(world, floor);
    add_collider(world, box);
    return create_liquid(world, &def, &(fm_liquid_box){.high = {1, DEPTH, 0.5}});
}

static void check_rest(int layers, double tolerance, int band, double limit)
{
    fm_world *world = create_liquid_world();
    fm_liquid *liquid = build(world, layers, tolerance, band);
    for (int i = 0; i < 10; i++)
        advance(world, 0.1);
    double fastest = fastest_particle(liquid), worst = 0;
    for (int j = 0; j < 10; j++) {
        double y = 0.02 + 0.05 * j, wanted = 1000 * GRAVITY * (DEPTH - y);
        double p = liquid_pressure(liquid, 0.05, y, 0.25);
        worst = fmax(worst, fabs(p - wanted) / (1000 * GRAVITY * DEPTH));
    }
    printf("  %2d layers, tolerance %.0e, band %d: fastest particle after 1 s %.1e m/s, pressure "
           "off by %.1e\n",
           layers, tolerance, band, fastest, worst);
    assert_at_most(fastest, limit);
    assert_at_most(worst, 0.01);
    fm_world_destroy(world);
}

static void water_at_rest_stays_at_rest(void **state)
{
    (void)state;
    check_rest(1, 1e-12, 0, 1e-12);
    check_rest(16, 1e-12, 0, 1e-12);
    check_rest(16, 1e-12, 3, 1e-12);
    check_rest(16, fm_default_liquid_def().grid.tolerance, 0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(water_at_rest_stays_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
