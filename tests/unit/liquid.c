// SPDX-License-Identifier: MIT
// Liquids: mistakes in definitions, sources and sinks with their volumes, a pour that loses no
// volume, walls that hold, floating and sinking balls, viscous flow down a wall, and the published
// method.
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
    def.sampling = 2;
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

// A jet fills a tank; the level is that of the volume poured, and nothing leaves.
static void a_pour_loses_no_volume(void **state)
{
    (void)state;
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(20, 30, 20, 0.02);
    fm_liquid *liquid = create_liquid(world, &def, NULL);
    fm_error err = {0};
    fm_fluid_source nozzle = {.centre = {0.2, 0.55, 0.2},
                              .direction = {0, -1, 0},
                              .radius = 0.05,
                              .speed = 0.5,
                              .end = 9};
    assert_true(fm_liquid_add_source(liquid, &nozzle, &err));
    for (int i = 0; i < 10; i++)
        advance(world, 1);
    fm_liquid_stats stats = fm_liquid_read_stats(liquid);
    double poured = PI * 0.05 * 0.05 * 0.5 * 9, level = 0;
    for (int i = 0; i < 400; i++)
        level += fm_liquid_depth(liquid, 0.01 + 0.02 * (i % 20), 0.01 + 0.02 * (i / 20)) / 400;
    printf(
        "  poured %.5f m^3 of %.5f; inside the surface %+.2f %%, below the mean level %+.2f %%\n",
        stats.added, poured, 100 * (fm_liquid_volume(liquid) / poured - 1),
        100 * (level * 0.16 / poured - 1));
    assert_close(stats.added, poured, 0.005 * poured);
    assert_close(fm_liquid_volume(liquid), poured, 0.005 * poured);
    assert_true(stats.removed == 0);
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

static double find_ball_height(double density)
{
    fm_world *world = create_liquid_world();
    fm_liquid_def def = liquid_tank_def(16, 20, 16, 0.025);
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.2, 0.27, 0.2}, 0.08);
    ball.mass = density * 4 / 3 * PI * 0.08 * 0.08 * 0.08;
    fm_collider *collider = add_collider(world, ball);
    create_liquid(world, &def, &(fm_liquid_box){.high = {0.4, 0.25, 0.4}});
    double sum = 0;
    for (int i = 0; i < 40; i++) {
        advance(world, 0.1);
        sum += i < 20 ? 0 : fm_collider_position(collider).y / 20;
    }
    fm_world_destroy(world);
    return sum;
}

static void balls_float_and_sink(void **state)
{
    (void)state;
    double light = find_ball_height(200), half = find_ball_height(500),
           heavy = find_ball_height(2000);
    printf("  mean height of balls of 200, 500 and 2000 kg/m^3: %.3f, %.3f, %.3f m\n", light, half,
           heavy);
    // Archimedes: water displaced 0.2 and 0.5 of the ball's volume; the mean level is 0.2555 m for
    // the half, since the ball was in the water at the start
    assert_true(light > half && half > heavy);
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
        cmocka_unit_test(a_pour_loses_no_volume),
        cmocka_unit_test(sinks_and_open_sides_remove_liquid),
        cmocka_unit_test(balls_float_and_sink),
        cmocka_unit_test(the_published_method_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
