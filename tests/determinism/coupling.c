// SPDX-License-Identifier: MIT
// coupling.c: a cloth in a fluid has the same result, bit by bit, on 1, 2 and 3 threads and on a
// host's task system, whether or not the state is saved and restored into a new world half-way:
// with two-way and one-way coupling, with contact, with enforcement (strain limiting), and with
// springs that are damped by a half derivative of past velocities (memory).
#include "couplings.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 50; // s

// The tested variants of cloth and coupling: two-way and one-way coupling; two-way coupling of a
// cloth with contact, with enforcement, and with springs damped by a half derivative.
typedef enum variant { TWO_WAY, ONE_WAY, CONTACT, ENFORCED, MEMORY, VARIANTS } variant;

// All variants in the weakly compressible method, then in the constant-density method.
enum { CASES = COUPLED_METHODS * VARIANTS };
static const char *const names[CASES] = {"two-way",
                                         "one-way",
                                         "contact",
                                         "enforced",
                                         "memory",
                                         "two-way, constant density",
                                         "one-way, constant density",
                                         "contact, constant density",
                                         "enforced, constant density",
                                         "memory, constant density"};

// Creates a tank in number a column of water meets a pinned sheet.
static fm_world *create_coupled_world(int number, int threads)
{
    const variant tested = (variant)(number % VARIANTS);
    fm_error err = {0};
    fm_world *world = open_world(threaded_world_def(threads));
    fm_cloth_def cloth_def = light_cotton();
    cloth_def.contact.enabled = tested == CONTACT;
    if (tested == CONTACT)
        cloth_def.density *= 1.1; // so that the result differs where nothing touches
    cloth_def.enforcement.method = tested == ENFORCED ? FM_ENFORCE_DIRECTIONAL : FM_ENFORCE_NONE;
    cloth_def.damping.order = tested == MEMORY ? 0.5 : 1;
    fm_sheet sheet = flat_sheet(17, 0.4, 0.3, 0.25, 0.05);
    fm_cloth *cloth = create_sheet(world, &cloth_def, &sheet);
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_LEFT, NULL, &err));
    fm_particles_def def = fixture_tank_def(3, 0.045, (fm_vec3){1, 0.8, 0.5});
    def.method = coupled_methods[number / VARIANTS];
    fm_particles *fluid = create_pool(world, &def, &rushing_column);
    couple(world, cloth, fluid, tested == ONE_WAY ? FM_COUPLING_ONE_WAY : FM_COUPLING_TWO_WAY);
    return world;
}

// Hash of the world of a variant after FRAMES frames. Its state moves into a new world before frame
// `restore_frame`; -1: never. threads: as in threaded_world_def.
static uint64_t run_and_hash(int number, int threads, int restore_frame)
{
    fm_world *world = create_coupled_world(number, threads);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == restore_frame)
            world = move_state_into(world, create_coupled_world(number, threads));
        advance(world, FRAME);
    }
    const fm_samples *s = fm_world_particle_fluid(world, 0)->surfaces[0];
    double wet = 0;
    for (int i = 0; i < s->count; i++)
        wet += s->wet[i];
    assert_true(wet > 0.1 * s->count); // the fluid has reached a tenth of the cloth
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void coupling_has_the_same_bits_on_any_threads_and_after_restore(void **state)
{
    (void)state;
    uint64_t hashes[CASES];
    check_same_bits(run_and_hash, names, CASES, FRAMES, hashes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupling_has_the_same_bits_on_any_threads_and_after_restore)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
