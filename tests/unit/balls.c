// SPDX-License-Identifier: MIT
// Balls with a mass where no fluid pushes them: they fall, come to rest on solids, and cloth meets
// them on their way.
#include "bodies.h"

static const fm_vec3 gravity = {0, -9.81, 0};
static const double FRAME = 1.0 / 24;

static fm_collider *add_ball(fm_world *world, fm_vec3 centre, fm_vec3 velocity)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.name = "ball";
    def.shape.centre = centre;
    def.shape.radius = 0.06;
    def.mass = 0.3;
    def.velocity = velocity;
    fm_collider *ball = fm_collider_create(world, &def, &err);
    assert_non_null(ball);
    return ball;
}

static void add_floor(fm_world *world, double y)
{
    fm_error err = {0};
    fm_collider_def def = fm_default_collider_def();
    def.shape = (fm_shape){.kind = FM_SHAPE_PLANE, .centre = {0, y, 0}, .normal = {0, 1, 0}};
    assert_non_null(fm_collider_create(world, &def, &err));
}

// Symplectic Euler in steps of 1/3840 s is g h t / 2 off; the frame's length does not matter.
static void balls_fall_freely(void **state)
{
    (void)state;
    for (int fps = 10; fps <= 1000; fps *= 10) {
        fm_world *world = make_world(0, 0, gravity);
        fm_collider *ball = add_ball(world, (fm_vec3){0, 1, 0}, (fm_vec3){2, 1, 0});
        for (int i = 0; i < fps / 2; i++)
            advance(world, 1.0 / fps);
        double t = 0.5, off = 9.81 / 3840 * t / 2;
        fm_vec3 x = fm_collider_position(ball);
        assert_close(x.x, 2 * t, 1e-12);
        assert_close(x.y, 1 + t - 9.81 * t * t / 2, off * (1 + 1e-9));
        fm_world_destroy(world);
    }
}

// The floor comes last, behind as many solids as there may be.
static void balls_rest_on_the_last_of_many_solids(void **state)
{
    (void)state;
    for (int others = 0; others <= 1022; others += 511) {
        fm_error err = {0};
        fm_world *world = make_world(0, 0, gravity);
        fm_collider *ball = add_ball(world, (fm_vec3){0, 0.2, 0}, no_gravity);
        fm_collider_def def = fm_default_collider_def();
        for (int i = 0; i < others; i++) {
            def.shape.centre = (fm_vec3){10 + 3 * i, 0, 0};
            assert_non_null(fm_collider_create(world, &def, &err));
        }
        add_floor(world, 0);
        for (int i = 0; i < 12; i++)
            advance(world, FRAME);
        assert_close(fm_collider_position(ball).y, 0.06, 1e-6);
        fm_world_destroy(world);
    }
}

typedef struct kind {
    const char *what;
    bool contact, remembers, damped, window;
    fm_enforcement_method enforcement;
} kind;

static fm_cloth *hang_sheet(fm_world *world, const kind *k, fm_error *err)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.name = "sheet";
    def.contact.enabled = k->contact;
    def.enforcement.method = k->enforcement;
    def.drag.skin_history = k->remembers;
    def.damping.coefficient = 0.01;
    def.damping.order = k->damped ? 0.5 : 1;
    if (k->window) {
        def.damping.memory.kind = FM_RECALL_STEPS;
        def.damping.memory.steps = 4;
    }
    fm_sheet sheet = {
        .columns = 13, .rows = 13, .width = 0.3, .height = 0.3, .origin = {-0.15, 0.15, 0}};
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    fm_cloth_pin_row(cloth, 0, NULL, err);
    return cloth;
}

static fm_world *throw_ball(const kind *k, double speed, fm_cloth **cloth)
{
    fm_error err = {0};
    fm_world_def def = fm_default_world_def();
    def.threads = 1;
    def.check_intersections = true;
    fm_world *world = fm_world_create(&def, &err);
    add_ball(world, (fm_vec3){0.01, 0.05, -0.1}, (fm_vec3){0, 0.5, speed});
    *cloth = hang_sheet(world, k, &err);
    assert_int_equal(err.status, FM_OK);
    return world;
}

static double deepest_place(fm_cloth *cloth)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double z = -INFINITY;
    for (int i = 0; i < count; i++)
        z = fmax(z, x[i].z);
    return z;
}

static const kind kinds[] = {
    {.what = "plain"},
    {"with memory", .remembers = true, .damped = true},
    {"with a window", .remembers = true, .damped = true, .window = true},
    {"enforced", .remembers = true, .enforcement = FM_ENFORCE_DIRECTIONAL},
    {"iterative", .remembers = true, .damped = true, .enforcement = FM_ENFORCE_ITERATIVE},
    {"contact", .contact = true},
    {"contact, memory", .contact = true, .remembers = true, .damped = true, .window = true},
    {"contact, enforced", .contact = true, .remembers = true,
     .enforcement = FM_ENFORCE_DIRECTIONAL},
};

static const double SPEED = 0.8; // m/s: at 1.5 the water holds the sheet back until it tears

// Thrown at a sheet that hangs in water, it takes the sheet along: intervals have one length, no
// particle is inside the ball, and with contact nothing passes through anything.
static void cloth_meets_a_ball(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        fm_cloth *cloth;
        fm_world *world = throw_ball(&kinds[k], SPEED, &cloth);
        for (int frame = 1; frame <= 4; frame++) {
            fm_report report = advance(world, FRAME);
            assert_int_equal(report.interval_count, 10);
            assert_int_equal(report.penetration_count, 0);
            assert_int_equal(report.intersection_count, 0);
        }
        double ball = fm_collider_position(fm_world_collider(world, 0)).z;
        printf("  %s: the ball is at %.3f m, the sheet reaches %.3f m\n", kinds[k].what, ball,
               deepest_place(cloth));
        assert_close(ball, -0.1 + SPEED * 4 * FRAME, 1e-12);
        assert_in_interval(deepest_place(cloth), ball, ball + 0.09);
        fm_world_destroy(world);
    }
}

static void a_ball_on_its_way_is_saved(void **state)
{
    (void)state;
    for (size_t k = 1; k < sizeof kinds / sizeof *kinds; k += 2) {
        fm_cloth *cloth;
        fm_world *whole = throw_ball(&kinds[k], 1.5, &cloth);
        fm_world *first = throw_ball(&kinds[k], 1.5, &cloth);
        for (int frame = 0; frame < 2; frame++)
            advance(whole, FRAME), advance(first, FRAME);
        fm_world *second = move_into(first, throw_ball(&kinds[k], 1.5, &cloth));
        for (int frame = 0; frame < 2; frame++)
            advance(whole, FRAME), advance(second, FRAME);
        assert_int_equal(fm_world_hash(whole), fm_world_hash(second));
        fm_world_destroy(whole);
        fm_world_destroy(second);
    }
}

// Where a fluid sets the pace, memories take its changing steps, and a window says that it cannot.
static void cloth_beside_a_ball_in_a_fluid(void **state)
{
    (void)state;
    for (int window = 0; window <= 1; window++) {
        fm_error err = {0};
        fm_cloth *cloth;
        fm_world *world =
            throw_ball(&(kind){.remembers = true, .damped = true, .window = window}, 0, &cloth);
        fm_particles_def def = fm_default_particles_def();
        def.spacing = 0.01;
        def.speed = 0.1; // and much faster when it has fallen: steps get shorter
        def.domain.low = (fm_vec3){1, -0.5, 0};
        def.domain.high = (fm_vec3){1.06, 0.5, 0.06};
        fm_particles *fluid = fm_particles_create(world, &def, &err);
        fm_fluid_box box = {.low = {1, 0.4, 0}, .high = {1.06, 0.46, 0.06}};
        fm_particles_add_box(fluid, &box, &err);
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
        cmocka_unit_test(balls_rest_on_the_last_of_many_solids),
        cmocka_unit_test(cloth_meets_a_ball),
        cmocka_unit_test(a_ball_on_its_way_is_saved),
        cmocka_unit_test(cloth_beside_a_ball_in_a_fluid),
    };
    return cmocka_run_group_tests_name("balls", tests, NULL, NULL);
}
