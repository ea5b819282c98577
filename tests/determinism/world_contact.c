// SPDX-License-Identifier: MIT
// world_contact.c: two sheets that fall on each other, on a moving ball and on the floor have the
// same result, bit by bit, on 1, 2 and 3 threads, whether or not the state is saved and restored
// into a new world half-way. There are no intersections after any frame. The same holds for a
// swinging cape, with and without folds.
#include "bodies.h"

enum { FRAMES = 16 };
static const double FRAME = 1.0 / 60; // s

// Adds a horizontal sheet at the given height (m), rotated by `yaw` (rad) about the vertical.
// implicit: contact acts inside the solve of an implicit integrator.
static fm_cloth *add_sheet(fm_world *world, double height, double yaw, bool implicit)
{
    fm_cloth_def def =
        fixture_canvas_def(implicit ? FM_ENFORCE_NONE : FM_ENFORCE_DIRECTIONAL, true);
    fm_sheet sheet = {.columns = 31, .rows = 29, .width = 0.6, .height = 0.6};
    if (implicit) {
        def.integrator = FM_IMPLICIT;
        def.time_step = 0;
        def.imperfection.amount = 5e-4;
        sheet.columns = sheet.rows = 17;
    }
    sheet.origin = (fm_vec3){-0.3 * cos(yaw) - 0.3 * sin(yaw), height, -0.3};
    double half_angle = -acos(0) / 2; // half of the rotation by -90 degrees about x
    sheet.rotation = (fm_quat){sin(half_angle) * cos(yaw / 2), cos(half_angle) * sin(yaw / 2),
                               -sin(half_angle) * sin(yaw / 2), cos(half_angle) * cos(yaw / 2)};
    return create_sheet(world, &def, &sheet);
}

// A world of air that counts intersections after every frame.
static fm_world *create_checked_world(int threads)
{
    fm_world_def def = fixture_air_def(threads);
    def.check_intersections = true;
    return open_world(def);
}

// Two sheets above a moving ball and a floor.
static fm_world *build_sheets(int threads, bool implicit)
{
    fm_error err = {0};
    fm_world *world = create_checked_world(threads);
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.05, -0.2, 0}, 0.15);
    ball.motion = fm_motion_sine(world, (fm_vec3){0, 1, 0.2}, 0.05, 0.3, &err);
    add_collider(world, ball);
    add_collider(world, fixture_floor_def(-0.35));
    add_sheet(world, 0.02, 0, implicit);
    add_sheet(world, 0.05, 0.5, implicit);
    return world;
}

// A cape on a swinging bar. amplitude: m. With a small amplitude the cape touches nothing and every
// step is collision-free; with a large one the cape folds.
static fm_world *build_cape(int threads, double amplitude)
{
    fm_world *world = create_checked_world(threads);
    fixture_towel cape = fixture_default_cape(true);
    cape.amplitude = amplitude;
    hang_towel(world, &cape);
    return world;
}

// Hash of the world of build_sheets after FRAMES frames. Its state moves into a new world before
// frame `restore_frame`; -1: never.
static uint64_t run_sheets(int threads, int restore_frame, bool implicit)
{
    fm_world *world = build_sheets(threads, implicit);
    int contacts = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == restore_frame)
            world = move_state_into(world, build_sheets(threads, implicit));
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

static void falling_sheets_have_the_same_bits_on_any_threads_and_after_restore(void **state)
{
    (void)state;
    uint64_t hash = run_sheets(1, -1, false);
    assert_int_equal(run_sheets(2, -1, false), hash);
    assert_int_equal(run_sheets(3, FRAMES - 4, false), hash);
    assert_int_equal(run_sheets(1, FRAMES / 2, false), hash);
}

static void sheets_with_contact_in_the_implicit_solve_have_the_same_bits_too(void **state)
{
    (void)state;
    uint64_t hash = run_sheets(1, -1, true);
    assert_int_equal(run_sheets(3, FRAMES - 4, true), hash);
    assert_int_equal(run_sheets(0, FRAMES / 2, true), hash);
}

// Hash of a swinging cape after `frames` frames. amplitude: m, of the bar. restore_interval: number
// of frames after which the state moves into a new world; 0: never. *contacts: number of contacts
// in all frames.
static uint64_t run_cape(double amplitude, int threads, int frames, int restore_interval,
                         int *contacts)
{
    fm_world *world = build_cape(threads, amplitude);
    *contacts = 0;
    for (int frame = 0; frame < frames; frame++) {
        if (restore_interval > 0 && frame % restore_interval == restore_interval - 1)
            world = move_state_into(world, build_cape(threads, amplitude));
        fm_report report = advance(world, FRAME);
        assert_int_equal(report.intersection_count, 0);
        *contacts += report.contact_count;
    }
    uint64_t hash = fm_world_hash(world);
    fm_world_destroy(world);
    return hash;
}

static void a_swinging_cape_has_the_same_bits_on_any_threads_and_after_restore(void **state)
{
    (void)state;
    int contacts;
    uint64_t calm = run_cape(0.03, 1, 30, 0, &contacts);
    assert_int_equal(contacts, 0);
    assert_int_equal(run_cape(0.03, 2, 30, 7, &contacts), calm);
    uint64_t wild = run_cape(0.4, 1, 60, 0, &contacts);
    assert_true(contacts > 0);
    assert_int_equal(run_cape(0.4, 2, 60, 7, &contacts), wild);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_sheets_have_the_same_bits_on_any_threads_and_after_restore),
        cmocka_unit_test(sheets_with_contact_in_the_implicit_solve_have_the_same_bits_too),
        cmocka_unit_test(a_swinging_cape_has_the_same_bits_on_any_threads_and_after_restore)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
