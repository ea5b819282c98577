// SPDX-License-Identifier: MIT
// Liquids: mistakes in definitions, sinks and open sides, a glass that holds, floating and sinking
// balls, and the published method.
#include "liquids.h"

#include <string.h>

static void mistakes_are_told(void **state)
{
    (void)state;
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(8, 8, 8, 0.1);
    fm_error err = {0};
    def.sampling = 5;
    assert_null(fm_liquid_create(world, &def, &err));
    assert_non_null(strstr(err.text, "sampling"));
    def.sampling = 2, def.band = 2;
    err = (fm_error){0};
    assert_null(fm_liquid_create(world, &def, &err));
    assert_non_null(strstr(err.text, "band"));
    def.band = 3, def.method = FM_LIQUID_PUBLISHED;
    err = (fm_error){0};
    assert_null(fm_liquid_create(world, &def, &err));
    assert_non_null(strstr(err.text, "published"));
    def.band = 0, def.method = FM_LIQUID_PARTICLES;
    set_grid_periodic(&def.grid, 0);
    err = (fm_error){0};
    assert_null(fm_liquid_create(world, &def, &err));
    assert_non_null(strstr(err.text, "periodic"));
    def = liquid_tank_def(8, 8, 8, 0.1);
    fm_liquid *liquid = create_liquid(world, &def, NULL);
    fm_fluid_source thin = {.direction = {0, -1, 0}, .radius = 0.05, .speed = 1, .end = 1};
    err = (fm_error){0};
    assert_false(fm_liquid_add_source(liquid, &thin, &err));
    assert_non_null(strstr(err.text, "radius"));
    err = (fm_error){0};
    assert_false(fm_liquid_add_box(liquid, &(fm_liquid_box){.low = {1, 1, 1}}, &err));
    fm_world_destroy(world);
}

// Water poured into a glass, a closed mesh whose wall is 1.2 cells thick, stays inside. The glass
// is so high that no splash leaves it at the top.
static void no_particle_passes_a_glass(void **state)
{
    (void)state;
    static const double radius[4] = {0.1, 0.1, 0.07, 0.07}, height[4] = {0.02, 0.38, 0.38, 0.05};
    fm_world *world = create_liquid_world();
    fm_error err = {0};
    fixture_mesh mesh = fixture_create_revolution(4, 24, radius, height, 0.02, 0.05);
    fm_collider_def glass = {0};
    fm_collider_mesh shape = fixture_collider_mesh(&mesh, 0);
    assert_good(fm_collider_create_mesh(world, &glass, &shape, &err), &err);
    fm_liquid_def def = liquid_tank_def(12, 16, 12, 0.025);
    def.grid.low = (fm_vec3){-0.15, 0, -0.15};
    fm_liquid *liquid = create_liquid(world, &def, NULL);
    fm_fluid_source nozzle = {.centre = {0.01, 0.3, 0.005},
                              .direction = {0, -1, 0},
                              .radius = 0.03,
                              .speed = 0.4,
                              .end = 1.2};
    assert_true(fm_liquid_add_source(liquid, &nozzle, &err));
    for (int i = 0; i < 25; i++)
        advance(world, 0.1);
    double *x = read_liquid(liquid, "position", 3), farthest = 0, lowest = 1;
    for (int i = 0; i < fm_liquid_particle_count(liquid); i++) {
        farthest = fmax(farthest, hypot(x[3 * i], x[3 * i + 2]));
        lowest = fmin(lowest, x[3 * i + 1]);
    }
    free(x);
    fm_liquid_stats stats = fm_liquid_read_stats(liquid);
    printf("  %d particles, farthest %.4f m from the axis of a glass of 0.07 m, lowest at %.4f m; "
           "volume %+.2f %%\n",
           fm_liquid_particle_count(liquid), farthest, lowest,
           100 * (fm_liquid_volume(liquid) / stats.added - 1));
    assert_at_most(farthest, 0.0701);
    assert_true(lowest > 0.0499 && stats.removed == 0);
    assert_close(fm_liquid_volume(liquid), stats.added, 0.01 * stats.added);
    fixture_destroy_mesh(&mesh);
    fm_world_destroy(world);
}

static void sinks_and_open_sides_remove_liquid(void **state)
{
    (void)state;
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(24, 16, 8, 0.05);
    def.grid.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    fm_liquid *liquid = create_liquid(world, &def, &(fm_liquid_box){.high = {0.6, 0.5, 0.4}});
    fm_error err = {0};
    assert_true(fm_liquid_add_sink(liquid, &(fm_fluid_sink){{0, 0, 0}, {0.1, 0.1, 0.4}}, &err));
    for (int i = 0; i < 30; i++)
        advance(world, 0.1);
    fm_liquid_stats stats = fm_liquid_read_stats(liquid);
    printf("  removed %.4f of 0.12 m^3\n", stats.removed);
    assert_true(stats.removed > 0.09);
    fm_world_destroy(world);
}

// Mean height, over the last 1.5 s of 3 s, of a ball released in water 0.25 m deep.
static double find_ball_height(double density)
{
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(12, 14, 12, 0.4 / 12);
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.2, 0.27, 0.2}, 0.08);
    ball.mass = density * 4 / 3 * PI * 0.08 * 0.08 * 0.08;
    fm_collider *collider = add_collider(world, ball);
    create_liquid(world, &def, &(fm_liquid_box){.high = {0.4, 0.25, 0.4}});
    double sum = 0;
    for (int i = 0; i < 30; i++) {
        advance(world, 0.1);
        sum += i < 15 ? 0 : fm_collider_position(collider).y / 15;
    }
    fm_world_destroy(world);
    return sum;
}

// Archimedes: balls of 200 and 500 kg/m^3 displace 0.2 and 0.5 of their volume. The water, 0.25 m
// deep without the cap of 6.79e-4 m^3 that the ball displaced at the start, then stands at 0.2484
// and 0.2525 m, and the centres are 0.0341 m above that and level with it.
static void balls_float_and_sink(void **state)
{
    (void)state;
    double light = find_ball_height(200), half = find_ball_height(500),
           heavy = find_ball_height(2000);
    printf("  mean height of balls of 200, 500 and 2000 kg/m^3: %.4f, %.4f, %.4f m\n", light, half,
           heavy);
    assert_close(light, 0.2825, 0.006);
    assert_close(half, 0.2525, 0.006);
    assert_close(heavy, 0.08, 0.002);
}

static void the_published_method_runs(void **state)
{
    (void)state;
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(32, 16, 1, 0.05);
    def.method = FM_LIQUID_PUBLISHED;
    fm_liquid *liquid = create_liquid(world, &def, &(fm_liquid_box){.high = {0.5, 0.6, 1}});
    for (int i = 0; i < 20; i++)
        advance(world, 0.05);
    double *x = read_liquid(liquid, "position", 3), farthest = 0;
    for (int i = 0; i < fm_liquid_particle_count(liquid); i++)
        farthest = fmax(farthest, x[3 * i]);
    free(x);
    assert_true(farthest > 1.5);
    assert_int_equal(fm_liquid_particle_count(liquid), 10 * 12 * 4);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(no_particle_passes_a_glass),
        cmocka_unit_test(sinks_and_open_sides_remove_liquid),
        cmocka_unit_test(balls_float_and_sink),
        cmocka_unit_test(the_published_method_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
