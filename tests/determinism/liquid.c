// SPDX-License-Identifier: MIT
// A liquid of several parallel blocks gives the same bits on 1, 2 and 3 threads and on the host's
// own task system, also when it is saved and restored into a new world half-way. The cases: a
// collapsing column in 3D with a moving ball, the plane, honey from a nozzle above a ball with a
// mass, the published method, and a deep liquid with particles only in a band below its surface.
#include "liquids.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 50;

typedef enum ingredient { COLUMN, PLANE, HONEY, PUBLISHED, BAND, CASES } ingredient;
static const char *const names[CASES] = {"column", "plane", "honey", "published", "band"};

static fm_world *build(ingredient kind, int threads)
{
    fm_error err = {0};
    fm_world *world = open_world(threaded_world_def(threads));
    fm_liquid_def def = liquid_tank_def(28, 24, 20, 0.025);
    if (kind == PLANE)
        def = liquid_tank_def(140, 90, 1, 0.005);
    if (kind == HONEY)
        def.grid.viscosity = 10, def.capacity = 60000;
    if (kind == PUBLISHED)
        def.method = FM_LIQUID_PUBLISHED;
    if (kind == BAND)
        def.band = 3;
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.4, 0.12, 0.25}, 0.08);
    if (kind == COLUMN)
        ball.motion = fm_motion_sine(world, (fm_vec3){1, 0.3, 0}, 0.05, 0.2, &err);
    if (kind == HONEY || kind == BAND)
        ball.mass = 1;
    add_collider(world, ball);
    fm_vec3 high = kind == BAND ? (fm_vec3){0.7, 0.35, 0.5} : (fm_vec3){0.25, 0.4, 0.5};
    fm_liquid *liquid = create_liquid(world, &def, &(fm_liquid_box){.high = high});
    fm_fluid_source nozzle = {.centre = {0.45, 0.4, 0.25},
                              .direction = {0, -1, 0},
                              .radius = 0.04,
                              .speed = 1,
                              .end = INFINITY};
    if (kind == HONEY || kind == BAND)
        assert_true(fm_liquid_add_source(liquid, &nozzle, &err));
    if (kind == PLANE)
        assert_true(fm_liquid_add_sink(liquid, &(fm_fluid_sink){{0.6, 0, 0}, {0.7, 0.1, 1}}, &err));
    return world;
}

static uint64_t run(int which, int threads, int pause)
{
    fm_world *world = build((ingredient)which, threads);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_state_into(world, build((ingredient)which, threads));
        advance(world, FRAME);
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void results_do_not_depend_on_threads_or_restarts(void **state)
{
    (void)state;
    uint64_t seen[CASES];
    check_same_bits(run, names, CASES, FRAMES, seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads_or_restarts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
