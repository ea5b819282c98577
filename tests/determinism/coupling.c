// SPDX-License-Identifier: MIT
// coupling.c: a cloth in a fluid has the same result, bit by bit, on 1, 2 and 3 threads and on a
// host's task system, whether or not the state is saved and restored into a new world half-way:
// with two-way and one-way coupling, with contact, with enforcement (strain limiting), and with
// springs that are damped by a half derivative of past velocities (memory).
#include "couplings.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 50; // s

// The tested variants of cloth and coupling.
typedef enum ingredient { TWO_WAY, ONE_WAY, CONTACT, ENFORCED, MEMORY, CASES } ingredient;
static const char *const names[CASES] = {"two-way", "one-way", "contact", "enforced", "memory"};

// Creates a tank in which a column of water meets a pinned sheet.
static fm_world *create_coupled_world(ingredient kind, int threads)
{
    fm_error err = {0};
    fm_world *world = open_world(threaded_world_def(threads));
    fm_cloth_def cloth_def = light_cotton();
    cloth_def.contact.enabled = kind == CONTACT;
    cloth_def.enforcement.method = kind == ENFORCED ? FM_ENFORCE_DIRECTIONAL : FM_ENFORCE_NONE;
    cloth_def.damping.order = kind == MEMORY ? 0.5 : 1;
    fm_sheet sheet = flat_sheet(17, 0.4, 0.3, 0.25, 0.05);
    fm_cloth *cloth = create_sheet(world, &cloth_def, &sheet);
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_LEFT, NULL, &err));
    fm_particles_def def = fixture_tank_def(3, 0.045, (fm_vec3){1, 0.8, 0.5});
    fm_particles *fluid = create_pool(world, &def, &rushing_column);
    couple(world, cloth, fluid, kind == ONE_WAY ? FM_COUPLING_ONE_WAY : FM_COUPLING_TWO_WAY);
    return world;
}

// Hash of the world after FRAMES frames. It is saved and restored before frame `pause`; -1: never.
static uint64_t run_and_hash(int which, int threads, int pause)
{
    ingredient kind = (ingredient)which;
    fm_world *world = create_coupled_world(kind, threads);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_state_into(world, create_coupled_world(kind, threads));
        advance(world, FRAME);
    }
    const fm_samples *s = fm_world_particle_fluid(world, 0)->surfaces[0];
    double wet = 0;
    for (int i = 0; i < s->count; i++)
        wet += s->wet[i];
    assert_true(wet > 0.1 * s->count); // the fluid has reached the cloth
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void coupling_has_the_same_bits_on_any_threads_and_after_restore(void **state)
{
    (void)state;
    uint64_t seen[CASES];
    check_same_bits(run_and_hash, names, CASES, FRAMES, seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupling_has_the_same_bits_on_any_threads_and_after_restore)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
