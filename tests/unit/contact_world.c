// SPDX-License-Identifier: MIT
// contact_world.c: contact in a world: objects created later, states from before the first step
// with contact, damaged states, cloths that start inside colliders or intersect each other, and
// rest.
#include "bodies.h"
#include "core/core.h"

#include <math.h>
#include <string.h>

enum { CENTRE = 40 }; // the particle in the middle of a sheet of 9 x 9

// A world without a medium, with gravity.
static fm_world *create_vacuum_world(void)
{
    return create_world(0, 0, (fm_vec3){0, -9.81, 0});
}

// Adds a level sheet with contact, at the height 0.3 m + lift. start: what to do if it begins
// inside a collider.
static fm_cloth *add_sheet(fm_world *world, double lift, fm_contact_start start)
{
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet sheet = fixture_level_sheet(9, 9, 0.4, 0.4, (fm_vec3){-0.2, 0.3 + lift, -0.2});
    def.drag.model = FM_DRAG_NONE;
    def.contact.enabled = true;
    def.contact.start = start;
    return create_sheet(world, &def, &sheet);
}

static fm_collider *add_ball(fm_world *world, fm_vec3 centre, double radius)
{
    fm_collider_def def = fixture_ball_def(centre, radius);
    def.name = "ball";
    return add_collider(world, def);
}

// A sheet above a ball.
static fm_world *create_sheet_above_ball(fm_cloth **cloth)
{
    fm_world *world = create_vacuum_world();
    *cloth = add_sheet(world, 0, FM_START_REFUSE);
    add_ball(world, (fm_vec3){0, 0.1, 0}, 0.15);
    return world;
}

// Mean y coordinate of a cloth, m.
static double mean_height(fm_cloth *cloth)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i].y;
    return sum / count;
}

static void a_cloth_created_after_the_first_advance_falls(void **state)
{
    (void)state;
    fm_world *world = create_vacuum_world();
    add_sheet(world, 0, FM_START_REFUSE);
    advance(world, 0.05);
    fm_cloth *late = add_sheet(world, 0.5, FM_START_REFUSE);
    double before = mean_height(late);
    for (int i = 0; i < 4; i++)
        advance(world, 0.05);
    assert_close(before - mean_height(late), 0.5 * 9.81 * 0.2 * 0.2, 1e-3);
    fm_world_destroy(world);
}

static void a_collider_created_after_the_first_advance_stops_cloth(void **state)
{
    (void)state;
    fm_world *world = create_vacuum_world();
    fm_cloth *cloth = add_sheet(world, 0, FM_START_REFUSE);
    advance(world, 0.05);
    add_ball(world, (fm_vec3){0, 0, 0}, 0.15);
    bool touched = false;
    for (int i = 0; i < 12; i++) {
        fm_report report = advance(world, 0.025);
        touched |= report.contact_count > 0;
        assert_int_equal(report.penetration_count, 0);
    }
    assert_true(touched);
    assert_true(fm_cloth_positions(cloth, NULL)[CENTRE].y > 0.1); // its centre lies on the ball
    fm_world_destroy(world);
}

// A world in which contact has begun restores a state from before that, and continues from it bit
// by bit as the first time.
static void a_state_from_before_contact_began_is_restored(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth *cloth;
    fm_world *world = create_sheet_above_ball(&cloth);
    size_t size = fm_world_save(world, NULL, 0);
    void *saved = malloc(size);
    fm_world_save(world, saved, size);
    uint64_t at_start = fm_world_hash(world), at_end = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 6; i++)
            advance(world, 0.03);
        if (turn == 0)
            at_end = fm_world_hash(world);
        assert_true(fm_world_hash(world) == at_end);
        assert_true(fm_world_restore(world, saved, size, &err));
        assert_true(fm_world_hash(world) == at_start);
    }
    free(saved);
    fm_world_destroy(world);
}

// Replaces the first occurrence of a number in a saved state and corrects its checksum.
static void replace_number(unsigned char *bytes, size_t size, double old, double replacement)
{
    size_t offset = 0;
    unsigned char searched[sizeof old];
    memcpy(searched, &old, sizeof old);
    while (offset + sizeof old < size && memcmp(bytes + offset, searched, sizeof old) != 0)
        offset++;
    assert_true(offset + sizeof old < size);
    memcpy(bytes + offset, &replacement, sizeof replacement);
    uint64_t hash = fm_hash(bytes, size - sizeof hash, 0);
    memcpy(bytes + size - sizeof hash, &hash, sizeof hash);
}

// Saves a world after some steps with contact. *coordinate: a number that the saved bytes contain.
static unsigned char *save_advanced_state(size_t *size, double *coordinate)
{
    fm_cloth *cloth;
    fm_world *world = create_sheet_above_ball(&cloth);
    for (int i = 0; i < 4; i++)
        advance(world, 0.03);
    *coordinate = fm_cloth_positions(cloth, NULL)[CENTRE].y;
    *size = fm_world_save(world, NULL, 0);
    unsigned char *bytes = malloc(*size);
    fm_world_save(world, bytes, *size);
    fm_world_destroy(world);
    return bytes;
}

static void a_damaged_state_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int begun = 0; begun < 2; begun++) { // before and after the first step with contact
        for (int i = 0; i < 3; i++) {
            size_t size;
            double coordinate;
            unsigned char *bytes = save_advanced_state(&size, &coordinate);
            replace_number(bytes, size, coordinate, bad[i]);
            fm_cloth *cloth;
            fm_world *world = create_sheet_above_ball(&cloth);
            if (begun)
                advance(world, 0.03);
            uint64_t before = fm_world_hash(world);
            fm_error err = {0};
            assert_false(fm_world_restore(world, bytes, size, &err));
            assert_int_equal(err.status, FM_BAD_VALUE);
            assert_true(fm_world_hash(world) == before);
            advance(world, 0.03);
            free(bytes);
            fm_world_destroy(world);
        }
    }
}

static void coordinates_beyond_1e9_are_reported_as_diverged(void **state)
{
    (void)state;
    static const double bad[] = {1e300, -1e300, 1e30, 1e12};
    for (int i = 0; i < 4; i++) {
        size_t size;
        double coordinate;
        unsigned char *bytes = save_advanced_state(&size, &coordinate);
        replace_number(bytes, size, coordinate, bad[i]);
        fm_cloth *cloth;
        fm_world *world = create_sheet_above_ball(&cloth);
        fm_error err = {0};
        assert_true(fm_world_restore(world, bytes, size, &err));
        fm_world_advance(world, 0.03, &err); // must return, and not loop forever
        assert_int_equal(err.status, FM_DIVERGED);
        free(bytes);
        fm_world_destroy(world);
    }
}

// Asserts that the first advance fails because the cloth `name` starts in contact with `what`.
static void expect_refused(fm_world *world, const char *name, const char *what)
{
    fm_error err = {0};
    uint64_t before = fm_world_hash(world);
    assert_false(fm_world_check_start(world, &err));
    assert_true(fm_world_hash(world) == before);
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_string_equal(err.object, name);
    assert_non_null(strstr(err.value, what));
    assert_non_null(strstr(err.value, "at ("));
    fm_error again = {0};
    fm_world_advance(world, 0.01, &again);
    assert_string_equal(again.text, err.text);
}

static void a_cloth_that_begins_inside_a_collider_is_refused(void **state)
{
    (void)state;
    fm_world *world = create_vacuum_world();
    add_sheet(world, 0, FM_START_REFUSE);
    add_ball(world, (fm_vec3){0, 0.25, 0}, 0.15);
    expect_refused(world, "cloth", "ball");
    fm_world_destroy(world);
    world = create_vacuum_world(); // all particles are inside, and no surface intersects another
    add_sheet(world, 0, FM_START_REFUSE);
    add_ball(world, (fm_vec3){0, 0.25, 0}, 2);
    expect_refused(world, "cloth", "ball");
    fm_world_destroy(world);
}

static void a_cloth_that_begins_through_another_is_refused(void **state)
{
    (void)state;
    fm_world *world = create_vacuum_world();
    fm_cloth_def def = fm_default_cloth_def();
    def.contact.enabled = true;
    def.name = "upright";
    add_sheet(world, 0, FM_START_REFUSE);
    fm_sheet upright = {.columns = 7, .rows = 7, .width = 0.3, .height = 0.3};
    upright.origin = (fm_vec3){-0.14, 0.43, 0.011};
    create_sheet(world, &def, &upright);
    expect_refused(world, "cloth", "through");
    fm_world_destroy(world);
}

static void a_cloth_that_begins_apart_is_not_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth *cloth;
    fm_world *world = create_sheet_above_ball(&cloth);
    assert_true(fm_world_check_start(world, &err));
    fm_world_destroy(world);
}

// With FM_START_SEPARATE a cloth may start inside a collider. Here a sheet passes through the top
// of a ball: its centre is moved out, and it comes to lie on top.
static void separating_moves_cloth_out_of_a_collider(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world_def world_def = fixture_water_def(1);
    world_def.medium.density = 0;
    world_def.check_intersections = true;
    fm_world *world = open_world(world_def);
    fm_cloth *cloth = add_sheet(world, 0, FM_START_SEPARATE);
    add_ball(world, (fm_vec3){0, 0.2, 0}, 0.15);
    assert_true(fm_world_check_start(world, &err));
    fm_report report = {0};
    for (int i = 0; i < 10; i++)
        report = advance(world, 0.03);
    assert_int_equal(report.intersection_count, 0);
    assert_int_equal(report.penetration_count, 0);
    assert_true(fm_cloth_positions(cloth, NULL)[CENTRE].y > 0.34); // the ball's top is at 0.35 m
    fm_world_destroy(world);
}

// A cloth with enforcement that lies on a floor is at rest: its velocity does not contain the
// closing half kick h/2 g, which contact takes away again in every substep.
static void a_cloth_that_lies_on_a_floor_has_no_velocity(void **state)
{
    (void)state;
    fm_world *world = create_vacuum_world();
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet sheet = fixture_level_sheet(9, 9, 0.4, 0.4, (fm_vec3){-0.2, 0.01, -0.2});
    def.drag.model = FM_DRAG_NONE;
    def.contact.enabled = true;
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_collider_def floor_def = fm_default_collider_def();
    floor_def.shape = (fm_shape){.kind = FM_SHAPE_PLANE, .normal = {0, 1, 0}};
    add_collider(world, floor_def);
    fm_report report = {0};
    for (int i = 0; i < 20; i++)
        report = advance(world, 0.05);
    double h = 0.05 / report.substep_count, mass = def.density * def.thickness * 0.4 * 0.4;
    assert_at_most(mean_height(cloth), 0.01);
    assert_at_most(report.kinetic_energy, 0.01 * mass * pow(h / 2 * 9.81, 2) / 2);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloth_created_after_the_first_advance_falls),
        cmocka_unit_test(a_collider_created_after_the_first_advance_stops_cloth),
        cmocka_unit_test(a_state_from_before_contact_began_is_restored),
        cmocka_unit_test(a_damaged_state_is_refused_and_changes_nothing),
        cmocka_unit_test(coordinates_beyond_1e9_are_reported_as_diverged),
        cmocka_unit_test(a_cloth_that_begins_inside_a_collider_is_refused),
        cmocka_unit_test(a_cloth_that_begins_through_another_is_refused),
        cmocka_unit_test(a_cloth_that_begins_apart_is_not_refused),
        cmocka_unit_test(separating_moves_cloth_out_of_a_collider),
        cmocka_unit_test(a_cloth_that_lies_on_a_floor_has_no_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
