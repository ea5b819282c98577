// SPDX-License-Identifier: MIT
// A fluid of several blocks ends in the same bits on 1, 2, 3 threads and on a host's own, whether
// or not it was saved and restored into a fresh world half-way: with every method, periodic sides,
// a shaken tank, sources, sinks and pushes, colliders that stay, move and float, a thin mesh that
// turns in the fluid, and memories of all of these.
#include "fluids.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 50;

typedef enum ingredient {
    WEAK,
    CONSTANT,
    STANDARD,
    PLANE,
    PERIODIC,
    SHAKEN,
    FLOWS,
    COLLIDERS,
    MESH,            // with colliders
    REMEMBERS_STEPS, // these with flows, colliders and a mesh
    REMEMBERS_FADING,
    REMEMBERS_FULL,
    CASES,
} ingredient;

static const char *const names[CASES] = {"weak",     "constant", "standard", "plane",
                                         "periodic", "shaken",   "flows",    "colliders",
                                         "mesh",     "steps",    "fading",   "full"};

static void host_run(void *host, int block_count, void (*task)(void *context, int block),
                     void *context)
{
    (void)host;
    for (int block = block_count - 1; block >= 0; block--) // backwards: any order must do
        task(context, block);
}

static void add_colliders(fm_world *world)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.6, 0.1, 0.2}, .radius = 0.1};
    def.motion = fm_motion_sine(world, (fm_vec3){1, 0, 1}, 0.05, 0.1, &err);
    assert_non_null(fm_collider_create(world, &def, &err));
    def.shape.centre = (fm_vec3){0.2, 0.3, 0.3};
    def.motion = NULL;
    def.mass = 2;
    assert_non_null(fm_collider_create(world, &def, &err));
    def.mass = 0;
    def.shape = (fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, 0.05, 0}, .normal = {0.2, 1, 0}};
    assert_non_null(fm_collider_create(world, &def, &err));
}

// A square of two triangles across the fluid.
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

static fm_world *build(ingredient kind, int threads)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = threads;
    if (threads == 0)
        world_def.tasks = (fm_task_system){.run = host_run, .thread_count = 4};
    fm_world *world = fm_world_create(&world_def, &err);
    assert_non_null(world);
    if (kind >= COLLIDERS)
        add_colliders(world);
    if (kind >= MESH)
        add_mesh(world);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = kind == PLANE ? 0.014 : 0.045; // some five blocks
    def.domain.high = (fm_vec3){1, 0.8, 0.5};
    def.dimensions = kind == PLANE ? 2 : 3;
    def.method = kind == CONSTANT   ? FM_SPH_CONSTANT_DENSITY
                 : kind == STANDARD ? FM_SPH_STANDARD
                                    : FM_SPH_WEAKLY_COMPRESSIBLE;
    if (kind == STANDARD)
        def.viscosity = 20, def.stiffness = 50, def.time_step = 5e-4;
    if (kind >= REMEMBERS_STEPS) {
        def.viscosity = 5;
        def.fractional.order = 0.5;
        def.fractional.memory.kind = kind == REMEMBERS_STEPS    ? FM_RECALL_STEPS
                                     : kind == REMEMBERS_FADING ? FM_RECALL_FADING
                                                                : FM_RECALL_FULL;
        def.fractional.above = kind == REMEMBERS_FADING ? 5 : 0;
    }
    if (kind == PERIODIC)
        make_periodic(&def, 0), make_periodic(&def, 2);
    if (kind == SHAKEN)
        def.domain.motion = fm_motion_sine(world, (fm_vec3){1, 0.5, 0}, 0.05, 0.2, &err);
    fm_particles *fluid = make_fluid(world, &def);
    add_box(fluid,
            &(fm_fluid_box){
                .high = {0.4, 0.6, 0.5}, .jitter = 0.1, .velocity = {1, 0, 0}, .settled = true});
    if (kind == FLOWS || kind >= REMEMBERS_STEPS)
        add_flows(fluid);
    return world;
}

static uint64_t run(int which, int threads, int pause)
{
    ingredient kind = (ingredient)which;
    fm_world *world = build(kind, threads);
    int start = fm_particles_count(fm_world_particles(world, 0));
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_into(world, build(kind, threads));
        advance(world, FRAME);
    }
    if (kind == FLOWS || kind >= REMEMBERS_STEPS) { // what is to be tested must have happened
        fm_particles_stats stats = fm_particles_read_stats(fm_world_particles(world, 0));
        assert_true(stats.removed_count > 0);
        assert_true(fm_particles_count(fm_world_particles(world, 0)) + stats.removed_count > start);
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    uint64_t seen[CASES];
    check_same_bits(run, names, CASES, FRAMES, seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
