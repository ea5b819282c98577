// SPDX-License-Identifier: MIT
// Contact in a world: objects that join later, states from before contact began, damaged states,
// and cloths that begin inside colliders or through each other.
#include "bodies.h"
#include "core/core.h"

#include <math.h>
#include <string.h>

static const fm_sheet flat = {.columns = 9,
                              .rows = 9,
                              .width = 0.4,
                              .height = 0.4,
                              .origin = {-0.2, 0.3, -0.2},
                              .rotation = {-0.70710678118654752, 0, 0, 0.70710678118654752}};

static fm_world *make_dry_world(void)
{
    return make_world(0, 0, (fm_vec3){0, -9.81, 0});
}

static fm_cloth *add_sheet(fm_world *world, double lift, fm_contact_start start)
{
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet sheet = flat;
    sheet.origin.y += lift;
    def.drag.model = FM_DRAG_NONE;
    def.contact.enabled = true;
    def.contact.start = start;
    return make_sheet(world, &def, &sheet);
}

static fm_collider *add_ball(fm_world *world, fm_vec3 centre, double radius)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.name = "ball";
    def.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = centre, .radius = radius};
    fm_collider *ball = fm_collider_create(world, &def, &err);
    assert_non_null(ball);
    return ball;
}

static double mean_height(fm_cloth *cloth)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i].y;
    return sum / count;
}

static void a_cloth_made_after_the_first_advance_falls(void **state)
{
    (void)state;
    fm_world *world = make_dry_world();
    add_sheet(world, 0, FM_START_REFUSE);
    advance(world, 0.05);
    fm_cloth *late = add_sheet(world, 0.5, FM_START_REFUSE);
    double before = mean_height(late);
    for (int i = 0; i < 4; i++)
        advance(world, 0.05);
    assert_close(before - mean_height(late), 0.5 * 9.81 * 0.2 * 0.2, 1e-3);
    fm_world_destroy(world);
}

static void a_collider_made_after_the_first_advance_stops_cloth(void **state)
{
    (void)state;
    fm_world *world = make_dry_world();
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
    assert_true(fm_cloth_positions(cloth, NULL)[40].y > 0.1); // its middle lies on the ball
    fm_world_destroy(world);
}

// A world that contact has begun in takes a state from before that, and goes on from it with the
// bits of the first time.
static void a_state_from_before_contact_began_is_restored(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_dry_world();
    add_sheet(world, 0, FM_START_REFUSE);
    add_ball(world, (fm_vec3){0, 0.1, 0}, 0.15);
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

// Replaces one number of a saved state and makes its checksum right again.
static void damage(unsigned char *bytes, size_t size, double old, double fresh)
{
    size_t at = 0;
    while (at + sizeof old < size && memcmp(bytes + at, &old, sizeof old) != 0)
        at++;
    assert_true(at + sizeof old < size);
    memcpy(bytes + at, &fresh, sizeof fresh);
    uint64_t hash = fm_hash(bytes, size - sizeof hash, 0);
    memcpy(bytes + size - sizeof hash, &hash, sizeof hash);
}

static fm_world *make_falling(fm_cloth **cloth)
{
    fm_world *world = make_dry_world();
    *cloth = add_sheet(world, 0, FM_START_REFUSE);
    add_ball(world, (fm_vec3){0, 0.1, 0}, 0.15);
    return world;
}

static unsigned char *save_moved(size_t *size, double *some)
{
    fm_cloth *cloth;
    fm_world *world = make_falling(&cloth);
    for (int i = 0; i < 4; i++)
        advance(world, 0.03);
    *some = fm_cloth_positions(cloth, NULL)[40].y;
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
    for (int begun = 0; begun < 2; begun++) {
        for (int i = 0; i < 3; i++) {
            size_t size;
            double some;
            unsigned char *bytes = save_moved(&size, &some);
            damage(bytes, size, some, bad[i]);
            fm_cloth *cloth;
            fm_world *world = make_falling(&cloth);
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

static void numbers_out_of_this_world_diverge(void **state)
{
    (void)state;
    static const double bad[] = {1e300, -1e300, 1e30, 1e12};
    for (int i = 0; i < 4; i++) {
        size_t size;
        double some;
        unsigned char *bytes = save_moved(&size, &some);
        damage(bytes, size, some, bad[i]);
        fm_cloth *cloth;
        fm_world *world = make_falling(&cloth);
        fm_error err = {0};
        assert_true(fm_world_restore(world, bytes, size, &err));
        fm_world_advance(world, 0.03, &err); // must return
        assert_int_equal(err.status, FM_DIVERGED);
        free(bytes);
        fm_world_destroy(world);
    }
}

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
    fm_world *world = make_dry_world();
    add_sheet(world, 0, FM_START_REFUSE);
    add_ball(world, (fm_vec3){0, 0.25, 0}, 0.15);
    expect_refused(world, "cloth", "ball");
    fm_world_destroy(world);
    world = make_dry_world(); // all of it is inside: no surface crosses another
    add_sheet(world, 0, FM_START_REFUSE);
    add_ball(world, (fm_vec3){0, 0.25, 0}, 2);
    expect_refused(world, "cloth", "ball");
    fm_world_destroy(world);
}

static void a_cloth_that_begins_through_another_is_refused(void **state)
{
    (void)state;
    fm_world *world = make_dry_world();
    fm_cloth_def def = fm_default_cloth_def();
    def.contact.enabled = true;
    def.name = "upright";
    add_sheet(world, 0, FM_START_REFUSE);
    fm_sheet upright = {.columns = 7, .rows = 7, .width = 0.3, .height = 0.3};
    upright.origin = (fm_vec3){-0.14, 0.43, 0.011};
    make_sheet(world, &def, &upright);
    expect_refused(world, "cloth", "through");
    fm_world_destroy(world);
}

static void a_cloth_that_begins_apart_is_not_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = make_dry_world();
    add_sheet(world, 0, FM_START_REFUSE);
    add_ball(world, (fm_vec3){0, 0.1, 0}, 0.15);
    assert_true(fm_world_check_start(world, &err));
    fm_world_destroy(world);
}

// The sheet cuts a cap off the ball: its middle is moved out, and it comes to lie on top.
static void separating_moves_cloth_out_of_a_collider(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    world_def.medium.density = 0;
    world_def.check_intersections = true;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_cloth *cloth = add_sheet(world, 0, FM_START_SEPARATE);
    add_ball(world, (fm_vec3){0, 0.2, 0}, 0.15);
    assert_true(fm_world_check_start(world, &err));
    fm_report report = {0};
    for (int i = 0; i < 10; i++)
        report = advance(world, 0.03);
    assert_int_equal(report.intersection_count, 0);
    assert_int_equal(report.penetration_count, 0);
    assert_true(fm_cloth_positions(cloth, NULL)[40].y > 0.34);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloth_made_after_the_first_advance_falls),
        cmocka_unit_test(a_collider_made_after_the_first_advance_stops_cloth),
        cmocka_unit_test(a_state_from_before_contact_began_is_restored),
        cmocka_unit_test(a_damaged_state_is_refused_and_changes_nothing),
        cmocka_unit_test(numbers_out_of_this_world_diverge),
        cmocka_unit_test(a_cloth_that_begins_inside_a_collider_is_refused),
        cmocka_unit_test(a_cloth_that_begins_through_another_is_refused),
        cmocka_unit_test(a_cloth_that_begins_apart_is_not_refused),
        cmocka_unit_test(separating_moves_cloth_out_of_a_collider),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
