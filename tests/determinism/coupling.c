// SPDX-License-Identifier: MIT
// A cloth in a fluid ends in the same bits on 1, 2, 3 threads and on a host's own, whether or not
// both were saved and restored into a fresh world half-way: pushed and pushing, carried only, with
// contact and enforcement, with memories in the damping of its springs.
#include "couplings.h"

enum { FRAMES = 4 };
static const double FRAME = 1.0 / 50;

typedef enum ingredient { TWO_WAY, ONE_WAY, CONTACT, ENFORCED, MEMORY, CASES } ingredient;
static const char *const names[CASES] = {"two-way", "one-way", "contact", "enforced", "memory"};

static void host_run(void *host, int block_count, void (*task)(void *context, int block),
                     void *context)
{
    (void)host;
    for (int block = block_count - 1; block >= 0; block--) // backwards: any order must do
        task(context, block);
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
    fm_cloth_def cloth_def = light_cotton();
    cloth_def.contact.enabled = kind == CONTACT;
    cloth_def.enforcement.method = kind == ENFORCED ? FM_ENFORCE_DIRECTIONAL : FM_ENFORCE_NONE;
    cloth_def.damping.order = kind == MEMORY ? 0.5 : 1;
    fm_sheet sheet = flat_sheet(17, 0.4, 0.3, 0.25, 0.05);
    fm_cloth *cloth = make_sheet(world, &cloth_def, &sheet);
    assert_true(fm_cloth_pin_edge(cloth, FM_EDGE_LEFT, NULL, &err));
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 0.045;
    def.domain.high = (fm_vec3){1, 0.8, 0.5};
    fm_particles *fluid = make_fluid(world, &def);
    fm_fluid_box box = {
        .high = {0.4, 0.6, 0.5}, .jitter = 0.1, .velocity = {1, 0, 0}, .settled = true};
    add_box(fluid, &box);
    couple(world, cloth, fluid, kind == ONE_WAY ? FM_COUPLING_ONE_WAY : FM_COUPLING_TWO_WAY);
    return world;
}

static uint64_t run(int which, int threads, int pause)
{
    ingredient kind = (ingredient)which;
    fm_world *world = build(kind, threads);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_into(world, build(kind, threads));
        advance(world, FRAME);
    }
    const fm_samples *s = fm_world_particles(world, 0)->surfaces[0];
    double wet = 0;
    for (int i = 0; i < s->count; i++)
        wet += s->wet[i];
    assert_true(wet > 0.1 * s->count); // they have met
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
