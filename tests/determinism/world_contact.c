// SPDX-License-Identifier: MIT
// Two sheets that fall on each other, on a ball that moves and on the floor end in the same bits on
// 1, 2 and 3 threads, saved and restored into a fresh world half-way or not, and nothing has gone
// through anything after any frame. So does a cape in motion, with folds and without.
#include "bodies.h"

enum { FRAMES = 16 };
static const double FRAME = 1.0 / 60;

static fm_cloth *add_sheet(fm_world *world, double height, double turn)
{
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_CANVAS);
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    def.contact.enabled = true;
    fm_sheet sheet = {.columns = 31, .rows = 29, .width = 0.6, .height = 0.6};
    sheet.origin = (fm_vec3){-0.3 * cos(turn) - 0.3 * sin(turn), height, -0.3};
    double lie = -acos(0) / 2; // half of a right angle, about x
    sheet.rotation = (fm_quat){sin(lie) * cos(turn / 2), cos(lie) * sin(turn / 2),
                               -sin(lie) * sin(turn / 2), cos(lie) * cos(turn / 2)};
    return make_sheet(world, &def, &sheet);
}

static fm_world *build(int threads)
{
    fm_error err = {0};
    fm_world_def def = fm_default_world_def();
    def.medium = (fm_medium){.density = 1.2, .viscosity = 1.8e-5};
    def.threads = threads;
    def.check_intersections = true;
    fm_world *world = fm_world_create(&def, &err);
    fm_collider_def solid = fm_default_collider_def();
    solid.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.05, -0.2, 0}, .radius = 0.15};
    solid.motion = fm_motion_sine(world, (fm_vec3){0, 1, 0.2}, 0.05, 0.3, &err);
    assert_non_null(fm_collider_create(world, &solid, &err));
    solid.motion = NULL;
    solid.shape = (fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, -0.35, 0}, .normal = {0, 1, 0}};
    assert_non_null(fm_collider_create(world, &solid, &err));
    add_sheet(world, 0.02, 0);
    add_sheet(world, 0.05, 0.5);
    return world;
}

// A cape on a bar that is swung: calm, it touches nothing and every step is free; wild, it folds.
static fm_world *build_cape(int threads, double amplitude)
{
    fm_error err = {0};
    fm_world_def def = fm_default_world_def();
    def.medium = (fm_medium){.density = 1.2, .viscosity = 1.8e-5};
    def.threads = threads;
    def.check_intersections = true;
    fm_world *world = fm_world_create(&def, &err);
    fm_cloth_def cloth = fm_default_cloth_def();
    fm_cloth_set_material(&cloth, FM_CANVAS);
    cloth.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    cloth.contact.enabled = true;
    fm_sheet sheet = {.columns = 20, .rows = 30, .width = 0.6, .height = 0.9};
    fm_cloth *cape = make_sheet(world, &cloth, &sheet);
    fm_motion *bar = fm_motion_sine(world, (fm_vec3){0.3, 0, 1}, amplitude, 0.9, &err);
    assert_true(fm_cloth_pin_row(cape, 0, bar, &err));
    return world;
}

static fm_world *rebuild(int threads, double amplitude)
{
    return amplitude > 0 ? build_cape(threads, amplitude) : build(threads);
}

static fm_world *move_to_a_fresh_world(fm_world *world, int threads, double amplitude)
{
    fm_error err = {0};
    size_t size = fm_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    assert_int_equal(fm_world_save(world, bytes, size), size);
    fm_world_destroy(world);
    world = rebuild(threads, amplitude);
    assert_true(fm_world_restore(world, bytes, size, &err));
    free(bytes);
    return world;
}

static uint64_t run(int threads, int pause)
{
    fm_world *world = build(threads);
    int contacts = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == pause)
            world = move_to_a_fresh_world(world, threads, 0);
        fm_report report = advance(world, FRAME);
        assert_int_equal(report.intersection_count, 0);
        assert_int_equal(report.pinched_count, 0);
        assert_int_equal(report.penetration_count, 0);
        contacts += report.contact_count;
    }
    assert_true(contacts > 0);
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    uint64_t hash = run(1, -1);
    assert_int_equal(run(2, -1), hash);
    assert_int_equal(run(3, FRAMES - 4), hash);
    assert_int_equal(run(1, FRAMES / 2), hash);
}

// every: frames between two moves to a fresh world, 0: none.
static uint64_t swing(double amplitude, int threads, int frames, int every, int *contacts)
{
    fm_world *world = build_cape(threads, amplitude);
    *contacts = 0;
    for (int frame = 0; frame < frames; frame++) {
        if (every > 0 && frame % every == every - 1)
            world = move_to_a_fresh_world(world, threads, amplitude);
        fm_report report = advance(world, FRAME);
        assert_int_equal(report.intersection_count, 0);
        *contacts += report.contact_count;
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void same_bits_in_motion(void **state)
{
    (void)state;
    int contacts;
    uint64_t calm = swing(0.03, 1, 30, 0, &contacts);
    assert_int_equal(contacts, 0);
    assert_int_equal(swing(0.03, 2, 30, 7, &contacts), calm);
    uint64_t wild = swing(0.25, 1, 60, 0, &contacts);
    assert_true(contacts > 0);
    assert_int_equal(swing(0.25, 2, 60, 7, &contacts), wild);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits),
                                       cmocka_unit_test(same_bits_in_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
