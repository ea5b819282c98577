// SPDX-License-Identifier: MIT
// liquid_viscosity.c: a vortex u = U sin(pi x) cos(pi y), v = -U cos(pi x) sin(pi y) in a square of
// 1 m full of liquid, with sides that slip. It keeps its shape, and its velocity falls as
// exp(-2 nu pi^2 t). The error of its energy after 0.5 s falls with the spacing.
#include "liquids.h"

// Energy after 0.5 s over that at the start.
static double measure(int cells)
{
    fm_world *world = create_world(1000, 1e-3, (fm_vec3){0, 0, 0});
    fm_liquid_def def = liquid_tank_def(cells, cells, 1, 1.0 / cells);
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        def.grid.sides[side].kind = FM_GRID_SLIP;
    def.grid.viscosity = 50;
    def.grid.time_step = 0.16 / cells / cells * 16;
    fm_liquid *liquid = create_liquid(world, &def, &(fm_liquid_box){.high = {1, 1, 1}});
    fm_error err = {0};
    fm_grid_start start = {.kind = FM_GRID_START_TAYLOR_GREEN, .radius = 1, .speed = 0.1};
    assert_true(fm_liquid_set_start(liquid, &start, &err));
    double before = fm_world_report(world).kinetic_energy;
    advance(world, 0.5);
    double after = fm_world_report(world).kinetic_energy;
    fm_world_destroy(world);
    return after / before;
}

static void a_vortex_decays_as_it_must(void **state)
{
    (void)state;
    double right = exp(-4 * 0.05 * PI * PI * 0.5), before = INFINITY;
    for (int cells = 8; cells <= 32; cells *= 2) {
        double energy = measure(cells), error = fabs(energy / right - 1);
        printf("  %d cells: energy %.5f, exact %.5f, off by %+.2f %%\n", cells, energy, right,
               100 * (energy / right - 1));
        assert_at_most(error, before);
        before = error;
    }
    assert_at_most(before, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_vortex_decays_as_it_must)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
