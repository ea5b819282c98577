// SPDX-License-Identifier: MIT
// particles.c: a fluid large enough for several parallel blocks gives the same bits on 1, 2 and 3
// threads and on the host's own task system, also when it is saved and restored into a new world
// half-way. The cases: every method, 2D, periodic sides, a shaken tank, sources with sinks and
// pushes, colliders that rest, move and float, a thin mesh that rotates in the fluid, and
// fractional viscosity with all of these.
#include "fluids.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 50; // s

// The tested fluids.
typedef enum ingredient {
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
    CASES, // number of cases
} ingredient;

static const char *const names[CASES] = {"weak",     "constant", "standard", "plane",
                                         "periodic", "shaken",   "flows",    "colliders",
                                         "mesh",     "steps",    "fading",   "full"};

// Adds a moving ball, a floating ball and a slope.
static void add_colliders(fm_world *world)
{
    fm_error err = {0};
    fm_collider_def moved = fixture_ball_def((fm_vec3){0.6, 0.1, 0.2}, 0.1);
    moved.motion = fm_motion_sine(world, (fm_vec3){1, 0, 1}, 0.05, 0.1, &err);
    add_collider(world, moved);
    fm_collider_def floats = fixture_ball_def((fm_vec3){0.2, 0.3, 0.3}, 0.1);
    floats.mass = 2;
    add_collider(world, floats);
    fm_collider_def slope = fixture_floor_def(0.05);
    slope.shape.normal.x = 0.2;
    add_collider(world, slope);
}

// Adds a collider: a square of two triangles that rotates in the fluid.
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

// Creates a tank in which a column of fluid moves to the other end.
static fm_world *create_fluid_world(ingredient kind, int threads)
{
    fm_error err = {0};
    fm_world *world = open_world(threaded_world_def(threads));
    if (kind >= COLLIDERS)
        add_colliders(world);
    if (kind >= MESH)
        add_mesh(world);
    fm_vec3 size = {1, 0.8, 0.5}; // m; about five parallel blocks of particles
    fm_particles_def def =
        kind == PLANE ? fixture_tank_def(2, 0.014, size) : fixture_tank_def(3, 0.045, size);
    def.method = kind == CONSTANT   ? FM_SPH_CONSTANT_DENSITY
                 : kind == STANDARD ? FM_SPH_STANDARD
                                    : FM_SPH_WEAKLY_COMPRESSIBLE;
    if (kind == STANDARD)
        def.viscosity = 20, def.stiffness = 50, def.time_step = 5e-4;
    if (kind >= FRACTIONAL_STEPS) {
        def.viscosity = 5;
        def.fractional.order = 0.5;
        def.fractional.memory.kind = kind == FRACTIONAL_STEPS    ? FM_RECALL_STEPS
                                     : kind == FRACTIONAL_FADING ? FM_RECALL_FADING
                                                                 : FM_RECALL_FULL;
        def.fractional.above = kind == FRACTIONAL_FADING ? 5 : 0;
    }
    if (kind == PERIODIC)
        set_periodic(&def, 0), set_periodic(&def, 2);
    if (kind == SHAKEN)
        def.domain.motion = fm_motion_sine(world, (fm_vec3){1, 0.5, 0}, 0.05, 0.2, &err);
    fm_particles *fluid = create_pool(world, &def, &rushing_column);
    if (kind == FLOWS || kind >= FRACTIONAL_STEPS)
        add_flows(fluid);
    return world;
}

// Hash of the world after FRAMES frames. It is saved and restored before frame `pause`; -1: never.
static uint64_t run_and_hash(int which, int threads, int pause)
{
    ingredient kind = (ingredient)which;
    fm_world *world = create_fluid_world(kind, threads);
    int start = fm_particles_count(fm_world_particle_fluid(world, 0));
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_state_into(world, create_fluid_world(kind, threads));
        advance(world, FRAME);
    }
    if (kind == FLOWS || kind >= FRACTIONAL_STEPS) { // sources and sinks must have acted
        fm_particles_stats stats = fm_particles_read_stats(fm_world_particle_fluid(world, 0));
        assert_true(stats.removed_count > 0);
        assert_true(fm_particles_count(fm_world_particle_fluid(world, 0)) + stats.removed_count >
                    start);
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void results_do_not_depend_on_threads_or_restarts(void **state)
{
    (void)state;
    uint64_t seen[CASES];
    check_same_bits(run_and_hash, names, CASES, FRAMES, seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads_or_restarts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
