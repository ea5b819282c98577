// SPDX-License-Identifier: MIT
// Nothing passes through a cloth: water stands and sloshes on light cotton that spans a tank and
// gives way by a third of its length, with triangles three times as long as particles are apart and
// with triangles half as long. Particles below it are counted, by the height of the cloth beside
// them. A cloth that gives no way carries the weight of the water.
#include "couplings.h"

static const double SIZE = 0.2, HEIGHT = 0.15, DEPTH = 0.08; // m

static fm_cloth *make_floor(fm_world *world, int columns, bool rigid)
{
    fm_error err = {0};
    fm_cloth_def def = light_cotton();
    fm_sheet sheet = flat_sheet(columns, SIZE, 0, HEIGHT, 0);
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    for (int row = 0; row < columns && rigid; row++)
        assert_true(fm_cloth_pin_row(cloth, row, NULL, &err));
    for (fm_edge edge = FM_EDGE_TOP; edge <= FM_EDGE_RIGHT && !rigid; edge++)
        assert_true(fm_cloth_pin_edge(cloth, edge, NULL, &err));
    return cloth;
}

static fm_particles *make_water(fm_world *world, double spacing, fm_vec3 velocity)
{
    fm_particles_def def = fm_default_particles_def();
    def.spacing = spacing;
    def.domain.high = (fm_vec3){SIZE, 0.5, SIZE};
    fm_particles *fluid = make_fluid(world, &def);
    fm_fluid_box box = {.low = {0, HEIGHT + spacing / 2, 0},
                        .high = {SIZE, HEIGHT + spacing / 2 + DEPTH, SIZE},
                        .velocity = velocity,
                        .settled = true};
    add_box(fluid, &box);
    return fluid;
}

// Below the lowest of the particles of the cloth within a cell of it.
static int count_leaked(fm_cloth *cloth, fm_particles *fluid)
{
    int n, m, leaked = 0;
    const fm_vec3 *x = fm_particles_positions(fluid, &n), *y = fm_cloth_positions(cloth, &m);
    double cell = 1.5 * SIZE / (fm_cloth_sheet(cloth).columns - 1);
    for (int i = 0; i < n; i++) {
        double lowest = INFINITY;
        for (int k = 0; k < m; k++) {
            if (fabs(y[k].x - x[i].x) < cell && fabs(y[k].z - x[i].z) < cell)
                lowest = fmin(lowest, y[k].y);
        }
        leaked += x[i].y < lowest;
    }
    return leaked;
}

static void expect_tight(double spacing, int columns)
{
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = make_floor(world, columns, false);
    fm_particles *fluid = make_water(world, spacing, (fm_vec3){0.3, 0, 0.2});
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    double stretch = 0;
    int leaked = 0;
    for (int frame = 0; frame < 10; frame++) {
        fm_report report = advance(world, 0.05);
        stretch = fmax(stretch, report.max_stretch);
        leaked += count_leaked(cloth, fluid);
    }
    printf("  %d columns, %.2f spacings apart: stretched by %.2f, %lld stopped, %d leaked of %d\n",
           columns, SIZE / (columns - 1) / spacing, stretch,
           (long long)fm_particles_read_stats(fluid).stopped_count, leaked,
           fm_particles_count(fluid));
    assert_true(stretch > 0.1);
    assert_int_equal(leaked, 0);
    fm_world_destroy(world);
}

static void nothing_leaks(void **state)
{
    (void)state;
    expect_tight(0.0167, 5);
    expect_tight(0.0167, 13);
    expect_tight(0.0167, 25);
}

static void weight_is_carried(void **state)
{
    (void)state;
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_cloth *cloth = make_floor(world, 9, true);
    fm_particles *fluid = make_water(world, 0.0125, (fm_vec3){0, 0, 0});
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    const fm_samples *s = fluid->surfaces[0];
    double force = 0, seconds = 0;
    advance(world, 0.2);
    for (int step = 0; step < 200; step++) {
        advance(world, 1e-3);
        for (int i = 0; i < s->count; i++)
            force -= s->impulse[i].y;
        seconds += s->end - s->start; // the last of its intervals
    }
    double weight = fm_particles_count(fluid) * fm_particles_mass(fluid) * 9.81;
    printf("  carries %.4f of the weight\n", force / seconds / weight);
    assert_at_most(fabs(force / seconds / weight - 1), 0.05);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks),
                                       cmocka_unit_test(weight_is_carried)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
