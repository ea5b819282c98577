// SPDX-License-Identifier: MIT
// balls.c: balls with a mass, without fluids, fall, come to rest on solids, and collide with cloth.
#include "bodies.h"

static const fm_vec3 gravity = {0, -9.81, 0};
static const double FRAME = 1.0 / 24; // s
static const double RADIUS = 0.06;    // m, of the balls

// Adds a ball of 0.3 kg that moves freely.
static fm_collider *add_ball(fm_world *world, fm_vec3 centre, fm_vec3 velocity)
{
    fm_collider_def def = fixture_ball_def(centre, RADIUS);
    def.name = "ball";
    def.mass = 0.3;
    def.velocity = velocity;
    return add_collider(world, def);
}

// A free ball follows a parabola. The position error of its symplectic Euler steps of h = 1/3840 s
// is g h t / 2, for any length of the frames.
static void balls_fall_freely(void **state)
{
    (void)state;
    for (int fps = 10; fps <= 1000; fps *= 10) {
        fm_world *world = create_world(0, 0, gravity);
        fm_collider *ball = add_ball(world, (fm_vec3){0, 1, 0}, (fm_vec3){2, 1, 0});
        for (int i = 0; i < fps / 2; i++)
            advance(world, 1.0 / fps);
        double t = 0.5, error = 9.81 / 3840 * t / 2; // s, m
        fm_vec3 x = fm_collider_position(ball);
        assert_close(x.x, 2 * t, 1e-12);
        assert_close(x.y, 1 + t - 9.81 * t * t / 2, error * (1 + 1e-9));
        fm_world_destroy(world);
    }
}

// The floor is created last, after up to 1022 other solids: with ball and floor, the largest number
// of colliders that a world can have.
static void balls_rest_on_the_last_of_many_solids(void **state)
{
    (void)state;
    for (int others = 0; others <= 1022; others += 511) {
        fm_world *world = create_world(0, 0, gravity);
        fm_collider *ball = add_ball(world, (fm_vec3){0, 0.2, 0}, no_gravity);
        for (int i = 0; i < others; i++)
            add_collider(world, fixture_ball_def((fm_vec3){10 + 3 * i, 0, 0}, 1));
        add_collider(world, fixture_floor_def(0));
        for (int i = 0; i < 12; i++)
            advance(world, FRAME);
        assert_close(fm_collider_position(ball).y, RADIUS, 1e-6);
        fm_world_destroy(world);
    }
}

// A capsule with a mass and a motion is free in height only: it falls as a ball does while the
// motion moves it sideways, and stops at the floor. The foot that rides on it shares its height.
// The state survives a restart.
static fm_world *create_feet(fm_collider **body, fm_collider **foot)
{
    fm_error err = {0};
    fm_world *world = create_world(0, 0, gravity);
    fm_collider_def def = fm_default_collider_def();
    def.name = "body";
    def.shape = (fm_shape){
        .kind = FM_SHAPE_CAPSULE, .start = {-0.1, 1, 0}, .end = {0.1, 1, 0}, .radius = 0.05};
    def.mass = 70;
    def.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, 0.1, 1, &err);
    *body = add_collider(world, def);
    def.name = "foot";
    def.mass = 0;
    def.carrier = *body;
    def.motion = fm_motion_sine(world, (fm_vec3){0, 1, 0}, 0.1, 1, &err);
    *foot = add_collider(world, def);
    add_collider(world, fixture_floor_def(0));
    return world;
}

static void feet_are_free_in_height(void **state)
{
    (void)state;
    fm_collider *body, *foot;
    fm_world *world = create_feet(&body, &foot);
    for (int i = 0; i < 6; i++)
        advance(world, FRAME);
    world = move_state_into(world, create_feet(&body, &foot));
    double t = 0.25, error = 9.81 / 3840 * t / 2; // s, m
    fm_vec3 x = fm_collider_position(body), y = fm_collider_position(foot);
    assert_close(x.x, 0.1, 1e-9); // a quarter of the period
    assert_close(x.y, 1 - 9.81 * t * t / 2, error * (1 + 1e-6));
    assert_close(y.y - x.y, 0.1, 1e-9);
    assert_close(y.x, 0, 1e-12);
    for (int i = 0; i < 18; i++)
        advance(world, FRAME);
    assert_close(fm_collider_position(body).y, 0.05, 1e-9);
    fm_world_destroy(world);
}

static void feet_without_a_body_are_refused(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = create_world(0, 0, gravity);
    fm_collider_def def = fm_default_collider_def();
    def.mass = 1;
    fm_collider *ball = add_collider(world, def);
    def.shape.kind = FM_SHAPE_BOX; // without a motion it would have to rotate
    def.shape.half_size = (fm_vec3){1, 1, 1};
    assert_null(fm_collider_create(world, &def, &err));
    assert_string_equal(err.field, "mass");
    err = (fm_error){0};
    def.mass = 0;
    def.carrier = ball; // a ball carries nothing
    def.motion = fm_motion_sine(world, (fm_vec3){1, 0, 0}, 0.1, 1, &err);
    assert_null(fm_collider_create(world, &def, &err));
    assert_string_equal(err.field, "carrier");
    fm_world_destroy(world);
}

// Settings of a cloth in these tests.
typedef struct cloth_case {
    const char *name;                  // for messages
    bool contact;                      // contact handling of surfaces
    bool skin_history;                 // drag with the history force of a sliding sheet
    bool half_derivative;              // spring damping by a derivative of order 0.5, not 1
    bool window;                       // that derivative covers the last 4 substeps only
    fm_enforcement_method enforcement; // strain limiting
} cloth_case;

// Creates a sheet of cloth that hangs from its upper edge.
static fm_cloth *hang_sheet(fm_world *world, const cloth_case *settings, fm_error *err)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.name = "sheet";
    def.contact.enabled = settings->contact;
    def.enforcement.method = settings->enforcement;
    def.drag.skin_history = settings->skin_history;
    def.damping.coefficient = 0.01;
    def.damping.order = settings->half_derivative ? 0.5 : 1;
    if (settings->window) {
        def.damping.memory.kind = FM_RECALL_STEPS;
        def.damping.memory.steps = 4;
    }
    fixture_towel towel = {.cloth = def, .sheet = {13, 13, 0.3, 0.3, .origin = {-0.15, 0.15, 0}}};
    return fixture_create_hanging_cloth(world, &towel, err);
}

// A world with a ball that flies at `speed`, m/s, towards a sheet that hangs in water.
static fm_world *throw_ball(const cloth_case *settings, double speed, fm_cloth **cloth)
{
    fm_error err = {0};
    fm_world_def def = fixture_water_def(1);
    def.check_intersections = true;
    fm_world *world = open_world(def);
    add_ball(world, (fm_vec3){0.01, 0.05, -0.1}, (fm_vec3){0, 0.5, speed});
    *cloth = hang_sheet(world, settings, &err);
    assert_int_equal(err.status, FM_OK);
    return world;
}

// m, largest z coordinate of a cloth.
static double largest_z(fm_cloth *cloth)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double z = -INFINITY;
    for (int i = 0; i < count; i++)
        z = fmax(z, x[i].z);
    return z;
}

static const cloth_case cloth_cases[] = {
    {.name = "plain"},
    {"with fractional derivatives", .skin_history = true, .half_derivative = true},
    {"with truncated derivatives", .skin_history = true, .half_derivative = true, .window = true},
    {"directional strain limiting", .skin_history = true, .enforcement = FM_ENFORCE_DIRECTIONAL},
    {"iterative strain limiting", .skin_history = true, .half_derivative = true,
     .enforcement = FM_ENFORCE_ITERATIVE},
    {"contact", .contact = true},
    {"contact, truncated derivatives", .contact = true, .skin_history = true,
     .half_derivative = true, .window = true},
    {"contact, strain limiting", .contact = true, .skin_history = true,
     .enforcement = FM_ENFORCE_DIRECTIONAL},
};

static const double SPEED = 0.8; // m/s; at 1.5 m/s the water holds the sheet back until it tears

// A ball thrown at a sheet that hangs in water pushes the sheet along. All intervals have the same
// length, no particle is inside the ball, and with contact there are no intersections.
static void a_thrown_ball_pushes_cloth_without_penetration(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cloth_cases / sizeof *cloth_cases; k++) {
        fm_cloth *cloth;
        fm_world *world = throw_ball(&cloth_cases[k], SPEED, &cloth);
        for (int frame = 1; frame <= 4; frame++) {
            fm_report report = advance(world, FRAME);
            assert_int_equal(report.interval_count, 10); // of 1/240 s
            assert_int_equal(report.penetration_count, 0);
            assert_int_equal(report.intersection_count, 0);
        }
        double ball = fm_collider_position(fm_world_collider(world, 0)).z;
        printf("  %s: the ball is at %.3f m, the sheet reaches %.3f m\n", cloth_cases[k].name, ball,
               largest_z(cloth));
        assert_close(ball, -0.1 + SPEED * 4 * FRAME, 1e-12);
        // the sheet is in front of the ball, by at most its radius and the sheet's folds
        assert_in_interval(largest_z(cloth), ball, ball + 0.09);
        fm_world_destroy(world);
    }
}

static void a_restored_world_with_a_moving_ball_continues_bit_by_bit(void **state)
{
    (void)state;
    for (size_t k = 1; k < sizeof cloth_cases / sizeof *cloth_cases; k += 2) {
        fm_cloth *cloth;
        fm_world *whole = throw_ball(&cloth_cases[k], 1.5, &cloth);
        fm_world *first = throw_ball(&cloth_cases[k], 1.5, &cloth);
        for (int frame = 0; frame < 2; frame++)
            advance(whole, FRAME), advance(first, FRAME);
        fm_world *second = move_state_into(first, throw_ball(&cloth_cases[k], 1.5, &cloth));
        for (int frame = 0; frame < 2; frame++)
            advance(whole, FRAME), advance(second, FRAME);
        assert_int_equal(fm_world_hash(whole), fm_world_hash(second));
        fm_world_destroy(whole);
        fm_world_destroy(second);
    }
}

// A fluid limits the substep of the cloth, which then varies. A fractional derivative over the
// whole past handles that; one over the last n steps (a window) needs equal steps and is an error.
static void a_derivative_over_the_last_n_steps_is_refused_where_steps_vary(void **state)
{
    (void)state;
    for (int window = 0; window <= 1; window++) {
        fm_error err = {0};
        fm_cloth *cloth;
        fm_world *world = throw_ball(
            &(cloth_case){.skin_history = true, .half_derivative = true, .window = window}, 0,
            &cloth);
        fm_particles_def def = fm_default_particles_def();
        def.spacing = 0.01;
        // m/s; the fluid gets much faster when it has fallen, and steps get shorter
        def.speed = 0.1;
        def.domain.low = (fm_vec3){1, -0.5, 0};
        def.domain.high = (fm_vec3){1.06, 0.5, 0.06};
        fm_fluid_box box = {.low = {1, 0.4, 0}, .high = {1.06, 0.46, 0.06}};
        fixture_create_fluid(world, &def, &box, &err);
        for (int frame = 0; frame < 12; frame++)
            fm_world_advance(world, FRAME, &err);
        if (window) {
            assert_int_equal(err.status, FM_BAD_VALUE);
            assert_string_equal(err.value, "a window");
        } else {
            assert_int_equal(err.status, FM_OK);
        }
        fm_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_fall_freely),
        cmocka_unit_test(feet_are_free_in_height),
        cmocka_unit_test(feet_without_a_body_are_refused),
        cmocka_unit_test(balls_rest_on_the_last_of_many_solids),
        cmocka_unit_test(a_thrown_ball_pushes_cloth_without_penetration),
        cmocka_unit_test(a_restored_world_with_a_moving_ball_continues_bit_by_bit),
        cmocka_unit_test(a_derivative_over_the_last_n_steps_is_refused_where_steps_vary),
    };
    return cmocka_run_group_tests_name("balls", tests, NULL, NULL);
}
