// SPDX-License-Identifier: MIT
// soft.c: a soft body with gas, fluidity and struts ends in the same bits on 1, 2 and 3 threads and
// on the task system of a host, whether or not its world is saved and restored half-way.
#include "softs.h"

#ifdef __SANITIZE_THREAD__ // slow; a few substeps are enough for a data race
enum { FRAMES = 2 };
static const double FRAME = 1.0 / 1920; // s
#else
enum { FRAMES = 6 };
static const double FRAME = 1.0 / 240; // s
#endif

static fm_world *create_soft_world(int threads)
{
    fm_world_def world_def = threaded_world_def(threads);
    world_def.medium.density = 1.2, world_def.medium.viscosity = 1.8e-5;
    fm_world *world = open_world(world_def);
    fm_collider_def floor_def = fm_default_collider_def();
    floor_def.shape =
        (fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, -0.055, 0}, .normal = {0.1, 1, 0}};
    add_collider(world, floor_def);
    fm_cloth_def def = fm_default_soft_cloth_def();
    def.drag.model = FM_DRAG_PHYSICAL;
    def.damping.order = 0.5;
    fm_soft_def soft = fm_default_soft_def();
    soft.beta = 2, soft.fluidity.stiffness = 5, soft.fluidity.viscosity = 0.01;
    soft.gas.kind = FM_GAS_SEALED, soft.gas.pressure = 100, soft.gas.leak = 1e-3;
    soft.gas.pump.flow = 5;
    soft.struts.modulus = 1000;
    fm_mesh_shape shape = small_shape(FM_MESH_SLAB);
    shape.height = 0.1, shape.level = 3;
    create_soft(world, &def, &soft, &shape);
    return world;
}

static uint64_t run(int threads, bool resumed)
{
    fm_world *world = create_soft_world(threads);
    for (int i = 0; i < FRAMES; i++) {
        if (resumed && i == FRAMES / 2)
            world = move_state_into(world, create_soft_world(threads));
        advance(world, FRAME);
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void soft_bodies_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t hash = run(2, true);
#ifndef __SANITIZE_THREAD__ // two threads are enough for a data race
    for (int threads = 0; threads < 4; threads++)
        for (int resumed = 0; resumed < 2; resumed++)
            assert_int_equal(run(threads, resumed), hash);
#else
    (void)hash;
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_bodies_have_the_same_bits_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
