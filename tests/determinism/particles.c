// SPDX-License-Identifier: MIT
// particles.c: a fluid large enough for several parallel blocks gives the same bits on 1, 2 and 3
// threads and on the host's own task system, also when it is saved and restored into a new world
// half-way. The cases: every method, 2D, periodic sides, a shaken tank, sources with sinks and
// pushes, colliders that rest, move and float, a thin mesh that rotates in the fluid, and
// fractional viscosity or a network of springs with all of these.
#include "fluids.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 50; // s

// The tested fluids.
typedef enum tested_fluid {
    WEAK,      // weakly compressible, the default method
    CONSTANT,  // constant density
    STANDARD,  // the method of [OZG13]
    PLANE,     // 2D
    PERIODIC,  // periodic sides
    SHAKEN,    // the tank moves
    FLOWS,     // a source, a sink and a push (a body force within a ball)
    COLLIDERS, // a moving ball, a floating ball and a slope
    MESH,      // COLLIDERS and a thin mesh that rotates
    // FLOWS, MESH and fractional viscosity: a stress that depends on the last steps, on the past
    // with an exponentially fading kernel, and on the whole past
    FRACTIONAL_STEPS,
    FRACTIONAL_FADING,
    FRACTIONAL_FULL,
    SPRINGS, // FLOWS, MESH and a network of springs with history
    STARCH,  // FLOWS, COLLIDERS and cornstarch, whose substeps share neighbour lists
    // FLOWS, MESH and the published model of thickening fluids, by speed and by displacement
    PUBLISHED,
    DISPLACEMENT,
    FLUIDS, // number of tested fluids
} tested_fluid;

static const char *const names[FLUIDS] = {
    "weak", "constant", "standard", "plane", "periodic", "shaken", "flows",     "colliders",
    "mesh", "steps",    "fading",   "full",  "springs",  "starch", "published", "displacement"};

// Adds a moving ball, a floating ball and a slope.
static void add_colliders(fm_world *world)
{
    fm_error err = {0};
    fm_collider_def moving_ball = fixture_ball_def((fm_vec3){0.6, 0.1, 0.2}, 0.1);
    moving_ball.motion = fm_motion_sine(world, (fm_vec3){1, 0, 1}, 0.05, 0.1, &err);
    add_collider(world, moving_ball);
    fm_collider_def floating_ball = fixture_ball_def((fm_vec3){0.2, 0.3, 0.3}, 0.1);
    floating_ball.mass = 2;
    add_collider(world, floating_ball);
    fm_collider_def slope = fixture_floor_def(0.05);
    slope.shape.normal.x = 0.2;
    add_collider(world, slope);
}

// Adds a collider of two triangles, about 0.35 m x 0.5 m, that turns back and forth in the fluid.
static void add_mesh(fm_world *world)
{
    fm_error err = {0};
    const fm_vec3 corners[4] = {{0.25, 0, 0.1}, {0.3, 0, 0.45}, {0.25, 0.5, 0.45}, {0.2, 0.5, 0.1}};
    const int triangles[6] = {0, 1, 2, 0, 2, 3};
    fm_collider_mesh mesh = {.vertices = corners,
                             .vertex_count = 4,
                             .triangles = triangles,
                             .triangle_count = 2,
                             .thickness = 0.01};
    fm_turn turn = {.axis = {0, 1, 0}, .pivot = {0.25, 0, 0.25}, .amplitude = 0.5, .period = 0.3};
    fm_collider_def def = fm_default_collider_def();
    def.motion = fm_motion_turn(world, &turn, &err);
    assert_non_null(fm_collider_create_mesh(world, &def, &mesh, &err));
}

// Adds a source, a sink and a push (a body force within a ball).
static void add_flows(fm_particles *fluid)
{
    fm_error err = {0};
    fm_fluid_source source = {.centre = {0.5, 0.7, 0.25},
                              .direction = {1, -0.2, 0},
                              .radius = 0.07,
                              .speed = 3,
                              .end = INFINITY};
    assert_true(fm_particles_add_source(fluid, &source, &err));
    fm_fluid_sink sink = {.low = {0, 0, 0}, .high = {0.1, 0.1, 0.5}};
    assert_true(fm_particles_add_sink(fluid, &sink, &err));
    fm_fluid_push push = {
        .centre = {0.3, 0.2, 0.2}, .radius = 0.1, .acceleration = {0, 30, 0}, .end = 1};
    assert_true(fm_particles_add_push(fluid, &push, &err));
}

// Creates a tank in number a column of fluid moves to the other end.
static fm_world *create_fluid_world(tested_fluid tested, int threads)
{
    fm_error err = {0};
    fm_world *world = open_world(threaded_world_def(threads));
    if (tested >= COLLIDERS)
        add_colliders(world);
    if (tested >= MESH && tested != STARCH)
        add_mesh(world);
    fm_vec3 size = {1, 0.8, 0.5}; // m; about five parallel blocks of particles
    fm_particles_def def =
        tested == PLANE ? fixture_tank_def(2, 0.014, size) : fixture_tank_def(3, 0.045, size);
    def.method = tested == CONSTANT   ? FM_SPH_CONSTANT_DENSITY
                 : tested == STANDARD ? FM_SPH_STANDARD
                                      : FM_SPH_WEAKLY_COMPRESSIBLE;
    if (tested == STANDARD)
        def.viscosity = 20, def.stiffness = 50, def.time_step = 5e-4;
    if (tested == SPRINGS) {
        def.network.viscosity = 2;
        def.network.onset = 5;
        def.network.yield = 0.05;
        def.network.stiffening = 50;
    } else if (tested >= STARCH) {
        fm_thickening starch = fm_default_thickening();
        starch.published = tested >= PUBLISHED;
        def.network.memory.kind = tested >= PUBLISHED ? FM_RECALL_SECONDS : FM_RECALL_FADING;
        def.network.memory.seconds = 0.03;
        def.time_step = tested >= PUBLISHED ? 2e-3 : 0;
        def.network.rate = tested == DISPLACEMENT ? FM_HARDENING_DISPLACEMENT : FM_HARDENING_LENGTH;
        fm_thickening_convert(&starch, &def);
    } else if (tested >= FRACTIONAL_STEPS) {
        def.viscosity = 5;
        def.fractional.order = 0.5;
        def.fractional.memory.kind = tested == FRACTIONAL_STEPS    ? FM_RECALL_STEPS
                                     : tested == FRACTIONAL_FADING ? FM_RECALL_FADING
                                                                   : FM_RECALL_FULL;
        def.fractional.above = tested == FRACTIONAL_FADING ? 5 : 0;
    }
    if (tested == PERIODIC)
        set_periodic(&def, 0), set_periodic(&def, 2);
    if (tested == SHAKEN)
        def.domain.motion = fm_motion_sine(world, (fm_vec3){1, 0.5, 0}, 0.05, 0.2, &err);
    fm_particles *fluid = create_pool(world, &def, &rushing_column);
    if (tested == FLOWS || tested >= FRACTIONAL_STEPS)
        add_flows(fluid);
    return world;
}

// Hash of the world of a tested fluid after FRAMES frames. Its state moves into a new world before
// frame `restore_frame`; -1: never. threads: as in threaded_world_def.
static uint64_t run_and_hash(int number, int threads, int restore_frame)
{
    tested_fluid tested = (tested_fluid)number;
    fm_world *world = create_fluid_world(tested, threads);
    int first_count = fm_particles_count(fm_world_particle_fluid(world, 0));
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == restore_frame)
            world = move_state_into(world, create_fluid_world(tested, threads));
        advance(world, FRAME);
    }
    if (tested == FLOWS || tested >= FRACTIONAL_STEPS) { // sources and sinks must have acted
        fm_particles_stats stats = fm_particles_read_stats(fm_world_particle_fluid(world, 0));
        assert_true(stats.removed_count > 0);
        assert_true(fm_particles_count(fm_world_particle_fluid(world, 0)) + stats.removed_count >
                    first_count);
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void results_do_not_depend_on_threads_or_restarts(void **state)
{
    (void)state;
    uint64_t hashes[FLUIDS];
    check_same_bits(run_and_hash, names, FLUIDS, FRAMES, hashes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads_or_restarts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
