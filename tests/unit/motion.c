// SPDX-License-Identifier: MIT
// motion.c: motions: positions match their formulas, velocities are the derivatives of positions,
// and bad values are refused.
#include "motion/motion.h"
#include "check.h"

#include <string.h>

// Asserts that each component differs by at most the tolerance.
static void assert_vectors_close(fm_vec3 a, fm_vec3 b, double tolerance)
{
    assert_close(a.x, b.x, tolerance);
    assert_close(a.y, b.y, tolerance);
    assert_close(a.z, b.z, tolerance);
}

// The rotation with this rotation vector (axis times angle, rad).
static fm_quat rotation_by(double x, double y, double z)
{
    return fm_quat_from_rotation_vector((fm_vec3){x, y, z});
}

// Compares velocities with differences of positions, for four points, which determine a pose. The
// five-point formula has the error h^4/30 |d^5 p/dt^5|, below 1e-9 for rates up to 10 / s, and a
// rounding error of 1e-15/h.
static void check_velocities(const fm_motion *motion, double t)
{
    static const fm_vec3 points[] = {{0, 0, 0}, {1, 0.2, 0}, {0, 1, -0.3}, {0.5, 0, 1}};
    const double h = 1e-3; // s
    for (int i = 0; i < 4; i++) {
        fm_vec3 near = fm_sub(fm_motion_position(motion, points[i], t + h),
                              fm_motion_position(motion, points[i], t - h));
        fm_vec3 far = fm_sub(fm_motion_position(motion, points[i], t + 2 * h),
                             fm_motion_position(motion, points[i], t - 2 * h));
        fm_vec3 slope = fm_scale(fm_add_scaled(fm_scale(near, 8), far, -1), 1 / (12 * h));
        assert_vectors_close(fm_motion_velocity(motion, points[i], t), slope, 2e-9);
    }
}

static void a_pose_and_its_inverse_cancel(void **state)
{
    (void)state;
    fm_pose rest = fm_motion_pose(NULL, 3);
    fm_vec3 p = {1, 2, 3};
    assert_vectors_close(fm_pose_apply(&rest, p), p, 0);
    assert_vectors_close(fm_pose_velocity_at(&rest, p), (fm_vec3){0}, 0);
    fm_pose pose = {rotation_by(0.4, -1, 2), {3, 1, -2}, {1, 0, 0}, {0, 0, 2}};
    assert_vectors_close(fm_pose_apply_inverse(&pose, fm_pose_apply(&pose, p)), p, 1e-14);
    // A point 1 m from pose.position along x moves along y with spin x 1 m = 2 m/s.
    assert_vectors_close(fm_pose_velocity_at(&pose, (fm_vec3){4, 1, -2}), (fm_vec3){1, 2, 0},
                         1e-15);
    fm_pose quarter = {.rotation = rotation_by(0, 0, FM_PI / 2)};
    assert_vectors_close(fm_pose_apply(&quarter, (fm_vec3){1, 0, 0}), (fm_vec3){0, 1, 0}, 1e-15);
}

static void rotation_vectors_and_quaternions_convert_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        double angle = i < 10 ? pow(10, -20 * i) : 0.1 * (i - 9);
        fm_vec3 turn = {angle * 0.6, 0, -angle * 0.8};
        assert_vectors_close(fm_quat_to_rotation_vector(fm_quat_from_rotation_vector(turn)), turn,
                             angle * 2e-15);
    }
    fm_quat q = rotation_by(1, 2, 0.5), negative = {-q.x, -q.y, -q.z, -q.w};
    assert_vectors_close(fm_quat_to_rotation_vector(q), fm_quat_to_rotation_vector(negative),
                         1e-15);
    fm_quat huge = {0, 0, 1e300, 1e300};
    assert_true(fm_quat_normalize(&huge));
    assert_close(huge.z, sqrt(0.5), 1e-15);
    fm_quat none = {0};
    assert_true(fm_quat_normalize(&none));
    assert_close(none.w, 1, 0);
    fm_vec3 tiny = {0, 3e-310, 4e-310};
    assert_true(fm_normalize(&tiny));
    assert_close(tiny.z, 0.8, 1e-12);
}

static void a_sine_has_its_amplitude_period_phase_and_velocity(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_motion *swing = fm_motion_create_sine(&arena, (fm_vec3){0, 0, 3}, 0.1, 1.2, 0, &err);
    fm_vec3 p = {1, 2, 3};
    assert_vectors_close(fm_motion_position(swing, p, 0), p, 0);
    assert_vectors_close(fm_motion_position(swing, p, 0.3), (fm_vec3){1, 2, 3.1}, 1e-15);
    assert_vectors_close(fm_motion_position(swing, p, 0.9), (fm_vec3){1, 2, 2.9}, 1e-15);
    assert_vectors_close(fm_motion_velocity(swing, p, 0), (fm_vec3){0, 0, 0.2 * FM_PI / 1.2},
                         1e-15);
    fm_motion *late = fm_motion_create_sine(&arena, (fm_vec3){1, 1, 0}, 2, 4, FM_PI / 2, &err);
    assert_vectors_close(fm_motion_position(late, p, 0), (fm_vec3){1 + sqrt(2), 2 + sqrt(2), 3},
                         1e-15);
    for (int i = 0; i < 14; i++) {
        double t = 0.37 * i;
        check_velocities(swing, t);
        check_velocities(late, t);
    }
    assert_int_equal(err.status, FM_OK);
    fm_arena_destroy(&arena);
}

static void a_turn_rotates_about_its_pivot_at_its_rate(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_turn wheel = {.axis = {0, 0, 2}, .pivot = {1, 0, 0}, .rate = FM_PI / 2};
    fm_motion *motion = fm_motion_create_turn(&arena, &wheel, &err);
    assert_vectors_close(fm_motion_position(motion, (fm_vec3){2, 0, 5}, 1), (fm_vec3){1, 1, 5},
                         1e-15);
    assert_vectors_close(fm_motion_velocity(motion, (fm_vec3){2, 0, 5}, 1),
                         (fm_vec3){-FM_PI / 2, 0, 0}, 1e-15);
    assert_vectors_close(fm_motion_velocity(motion, wheel.pivot, 7.7), (fm_vec3){0}, 1e-15);
    fm_turn door = {.axis = {1, 2, -1},
                    .pivot = {0.3, -0.2, 0.5},
                    .angle = 0.4,
                    .rate = -0.7,
                    .amplitude = 1.1,
                    .period = 1.7,
                    .phase = 0.6};
    fm_motion *swinging = fm_motion_create_turn(&arena, &door, &err);
    assert_vectors_close(fm_motion_position(swinging, door.pivot, 2.2), door.pivot, 1e-15);
    fm_pose pose = fm_motion_pose(swinging, 0);
    assert_close(fm_length(fm_quat_to_rotation_vector(pose.rotation)), 0.4 + 1.1 * sin(0.6), 1e-15);
    for (int i = 0; i < 14; i++) {
        double t = 0.37 * i;
        check_velocities(motion, t);
        check_velocities(swinging, t);
    }
    assert_int_equal(err.status, FM_OK);
    fm_arena_destroy(&arena);
}

enum { KEY_COUNT = 5 }; // keyframes

// Keys at uneven times with large and small rotations. One quaternion has its sign flipped, one is
// zero, which means no rotation.
static void fill_keys(fm_key keys[KEY_COUNT])
{
    fm_quat flipped = rotation_by(0.5, 0.2, 2.2);
    keys[0] = (fm_key){0.5, {0, 0, 0}, rotation_by(0.1, 0.2, 0)};
    keys[1] = (fm_key){1.3, {1, 0.5, 0}, rotation_by(1.1, -0.4, 0.9)};
    keys[2] = (fm_key){1.9, {0.7, -0.2, 0.6}, {-flipped.x, -flipped.y, -flipped.z, -flipped.w}};
    keys[3] = (fm_key){3.2, {0.2, 0.1, 0.3}, rotation_by(0.51, 0.2, 2.2)};
    keys[4] = (fm_key){3.9, {0.2, 0.4, -0.3}, {0, 0, 0, 0}};
}

static const fm_vec3 pivot = {0.2, -0.1, 0.4}; // m, about which keyframes rotate

// Expected position of the point p at a keyframe.
static fm_vec3 place_at_key(const fm_key *key, fm_vec3 p)
{
    fm_quat rotation = key->rotation;
    fm_quat_normalize(&rotation);
    return fm_add(fm_add(pivot, fm_quat_rotate(rotation, fm_sub(p, pivot))), key->position);
}

static void keyframes_pass_through_their_keys_and_rest_outside_them(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_vec3 p = {1, 2, 3};
    for (int interpolation = FM_INTERPOLATE_LINEAR; interpolation <= FM_INTERPOLATE_SPLINE;
         interpolation++) {
        fm_key keys[KEY_COUNT], copy[KEY_COUNT];
        fill_keys(keys);
        fill_keys(copy);
        fm_motion *motion = fm_motion_create_keyframes(
            &arena, copy, KEY_COUNT, (fm_interpolation)interpolation, pivot, &err);
        memset(copy, 0, sizeof copy); // the motion must have copied the keys
        for (int i = 0; i < KEY_COUNT; i++) {
            fm_vec3 expected = place_at_key(&keys[i], p);
            assert_vectors_close(fm_motion_position(motion, p, keys[i].time), expected, 1e-14);
            // 1e-9 s before the key; the speed is at most 100 m/s
            assert_vectors_close(fm_motion_position(motion, p, keys[i].time - 1e-9), expected,
                                 1e-7);
        }
        assert_vectors_close(fm_motion_position(motion, p, 0), place_at_key(&keys[0], p), 1e-14);
        assert_vectors_close(fm_motion_velocity(motion, p, 0.49), (fm_vec3){0}, 0);
        assert_vectors_close(fm_motion_position(motion, p, 99), place_at_key(&keys[4], p), 1e-14);
        assert_vectors_close(fm_motion_velocity(motion, p, 3.9), (fm_vec3){0}, 0);
    }
    fm_key one = {7, {1, 0, 0}, {0, 0, 0, 2}};
    fm_motion *still =
        fm_motion_create_keyframes(&arena, &one, 1, FM_INTERPOLATE_SPLINE, pivot, &err);
    assert_vectors_close(fm_motion_position(still, p, 7), (fm_vec3){2, 2, 3}, 1e-15);
    assert_int_equal(err.status, FM_OK);
    fm_arena_destroy(&arena);
}

static void velocities_between_keys_are_the_derivatives_of_positions(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_key keys[KEY_COUNT];
    fill_keys(keys);
    for (int interpolation = FM_INTERPOLATE_LINEAR; interpolation <= FM_INTERPOLATE_SPLINE;
         interpolation++) {
        for (int count = 2; count <= KEY_COUNT; count++) {
            fm_motion *motion = fm_motion_create_keyframes(
                &arena, keys, count, (fm_interpolation)interpolation, pivot, &err);
            for (int i = 0; i + 1 < count; i++) {
                double length = keys[i + 1].time - keys[i].time;
                for (int part = 1; part < 20; part += 2)
                    check_velocities(motion, keys[i].time + part * length / 20);
            }
        }
    }
    assert_int_equal(err.status, FM_OK);
    fm_arena_destroy(&arena);
}

static void linear_and_smooth_interpolation_match_their_formulas(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_key keys[] = {{.time = 0}, {2, {4, 0, 0}, rotation_by(0, 1.2, 0)}};
    fm_vec3 none = {0};
    fm_motion *linear =
        fm_motion_create_keyframes(&arena, keys, 2, FM_INTERPOLATE_LINEAR, none, &err);
    fm_motion *smooth =
        fm_motion_create_keyframes(&arena, keys, 2, FM_INTERPOLATE_SMOOTH, none, &err);
    fm_pose quarter = fm_motion_pose(linear, 0.5), eased = fm_motion_pose(smooth, 0.5);
    assert_vectors_close(quarter.position, (fm_vec3){1, 0, 0}, 1e-15);
    assert_vectors_close(quarter.velocity, (fm_vec3){2, 0, 0}, 1e-15);
    assert_vectors_close(fm_quat_to_rotation_vector(quarter.rotation), (fm_vec3){0, 0.3, 0}, 1e-15);
    assert_vectors_close(quarter.spin, (fm_vec3){0, 0.6, 0}, 1e-15);
    double s = 3 * 0.0625 - 2 * 0.015625; // 3 u^2 - 2 u^3 at u = 1/4
    assert_vectors_close(eased.position, (fm_vec3){4 * s, 0, 0}, 1e-15);
    assert_vectors_close(fm_quat_to_rotation_vector(eased.rotation), (fm_vec3){0, 1.2 * s, 0},
                         1e-15);
    fm_pose begin = fm_motion_pose(smooth, 0), end = fm_motion_pose(smooth, 2 - 1e-9);
    assert_vectors_close(begin.velocity, none, 0);
    assert_vectors_close(end.velocity, none, 1e-8);
    assert_vectors_close(end.spin, none, 1e-8);
    fm_arena_destroy(&arena);
}

static void splines_have_continuous_velocity_and_spin(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_key keys[KEY_COUNT];
    fill_keys(keys);
    fm_motion *motion =
        fm_motion_create_keyframes(&arena, keys, KEY_COUNT, FM_INTERPOLATE_SPLINE, pivot, &err);
    for (int i = 1; i + 1 < KEY_COUNT; i++) {
        fm_pose before = fm_motion_pose(motion, keys[i].time - 1e-9);
        fm_pose after = fm_motion_pose(motion, keys[i].time);
        // 1e-9 s apart; the acceleration is at most 1000 m/s^2
        assert_vectors_close(before.velocity, after.velocity, 1e-6);
        assert_vectors_close(before.spin, after.spin, 1e-6);
        assert_true(fm_length(after.spin) > 0.1);
    }
    fm_arena_destroy(&arena);
}

// Checks that a spline through `count` keys at uneven times reproduces a displacement quadratic in
// time (linear for two keys: curvature 0) and a rotation at constant spin.
static void check_exact_spline(fm_arena *arena, int count, double curvature)
{
    static const double times[] = {0.1, 0.4, 1.5, 1.6, 2.7, 3.0};
    fm_error err = {0};
    fm_key keys[6];
    for (int i = 0; i < count; i++) {
        double t = times[i];
        keys[i] = (fm_key){t, {t + curvature * t * t, -2 * t, 1}, rotation_by(0.6 * t, 0, 0.8 * t)};
    }
    fm_motion *motion =
        fm_motion_create_keyframes(arena, keys, count, FM_INTERPOLATE_SPLINE, (fm_vec3){0}, &err);
    for (int i = 0; i < 40; i++) {
        double t = times[0] + (times[count - 1] - times[0]) * i / 40;
        fm_pose pose = fm_motion_pose(motion, t);
        assert_vectors_close(pose.position, (fm_vec3){t + curvature * t * t, -2 * t, 1}, 1e-13);
        assert_vectors_close(pose.velocity, (fm_vec3){1 + 2 * curvature * t, -2, 0}, 1e-12);
        assert_vectors_close(fm_quat_to_rotation_vector(pose.rotation),
                             (fm_vec3){0.6 * t, 0, 0.8 * t}, 1e-13);
        assert_vectors_close(pose.spin, (fm_vec3){0.6, 0, 0.8}, 1e-12);
    }
}

static void splines_reproduce_quadratic_displacement_and_constant_spin(void **state)
{
    (void)state;
    fm_arena arena = {0};
    check_exact_spline(&arena, 2, 0);
    for (int count = 3; count <= 6; count++)
        check_exact_spline(&arena, count, 0.7);
    fm_arena_destroy(&arena);
}

static void half_turns_between_keys_stay_differentiable(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    fm_key keys[] = {{.rotation = {0, 0, 0, 1}},
                     {.time = 1, .rotation = {1, 0, 0, 0}},
                     {.time = 2, .rotation = {0, 1, 0, 0}}};
    for (int interpolation = FM_INTERPOLATE_LINEAR; interpolation <= FM_INTERPOLATE_SPLINE;
         interpolation++) {
        fm_motion *motion = fm_motion_create_keyframes(
            &arena, keys, 3, (fm_interpolation)interpolation, (fm_vec3){0}, &err);
        for (int i = 1; i < 20; i += 2)
            check_velocities(motion, 0.1 * i);
    }
    fm_arena_destroy(&arena);
}

// Returns an outer motion; *inner: an inner one, composed of keyframes and a sine.
static fm_motion *create_parts(fm_arena *arena, const fm_motion **inner, fm_error *err)
{
    fm_key keys[KEY_COUNT];
    fill_keys(keys);
    fm_turn turn = {
        .axis = {1, 2, -1}, .pivot = {1, 0, 2}, .rate = 1.3, .amplitude = 0.4, .period = 2};
    fm_motion *key =
        fm_motion_create_keyframes(arena, keys, KEY_COUNT, FM_INTERPOLATE_SPLINE, pivot, err);
    fm_motion *sine = fm_motion_create_sine(arena, (fm_vec3){1, 0, 1}, 0.5, 1.1, 0.3, err);
    *inner = fm_motion_create_composed(arena, key, sine, err);
    return fm_motion_create_turn(arena, &turn, err);
}

static void a_composed_motion_applies_the_inner_then_the_outer_motion(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    const fm_motion *inner;
    const fm_motion *outer = create_parts(&arena, &inner, &err);
    fm_motion *both = fm_motion_create_composed(&arena, outer, inner, &err);
    fm_motion *twice = fm_motion_create_composed(&arena, both, both, &err);
    fm_motion *with_rest = fm_motion_create_composed(&arena, NULL, both, &err);
    fm_vec3 p = {1, 2, 3};
    for (int i = 0; i < 33; i++) {
        double t = 0.55 + 0.1 * i; // between the keys
        fm_vec3 there = fm_motion_position(outer, fm_motion_position(inner, p, t), t);
        assert_vectors_close(fm_motion_position(both, p, t), there, 1e-14);
        assert_vectors_close(fm_motion_position(with_rest, p, t), there, 1e-14);
        check_velocities(both, t);
        check_velocities(with_rest, t);
    }
    check_velocities(twice, 1.6);
    fm_motion *x = fm_motion_create_sine(&arena, (fm_vec3){1, 0, 0}, 0.5, 1, 0, &err);
    fm_motion *y = fm_motion_create_sine(&arena, (fm_vec3){0, 1, 0}, 0.5, 1, FM_PI / 2, &err);
    fm_motion *circle = fm_motion_create_composed(&arena, x, y, &err);
    assert_vectors_close(fm_motion_position(circle, p, 0.25), (fm_vec3){1.5, 2, 3}, 1e-15);
    assert_int_equal(err.status, FM_OK);
    fm_arena_destroy(&arena);
}

// Asserts that no motion was created because of this field and value, and clears the error.
static void assert_refused(const fm_motion *motion, fm_error *err, const char *field,
                           const char *value)
{
    assert_null(motion);
    assert_int_equal(err->status, FM_BAD_VALUE);
    assert_string_equal(err->object, "motion");
    assert_string_equal(err->field, field);
    assert_string_equal(err->value, value);
    assert_true(strlen(err->allowed) > 0);
    *err = (fm_error){0};
}

static void sines_and_turns_with_bad_values_are_refused(void **state)
{
    (void)state;
    fm_arena a = {0};
    fm_error e = {0};
    fm_vec3 x = {1, 0, 0};
    assert_refused(fm_motion_create_sine(&a, (fm_vec3){0}, 1, 1, 0, &e), &e, "axis", "(0, 0, 0)");
    assert_refused(fm_motion_create_sine(&a, (fm_vec3){0, NAN, 1}, 1, 1, 0, &e), &e, "axis",
                   "(0, nan, 1)");
    assert_refused(fm_motion_create_sine(&a, x, INFINITY, 1, 0, &e), &e, "amplitude", "inf");
    assert_refused(fm_motion_create_sine(&a, x, 1, 0, 0, &e), &e, "period", "0");
    assert_refused(fm_motion_create_sine(&a, x, 1, -2, 0, &e), &e, "period", "-2");
    assert_refused(fm_motion_create_sine(&a, x, 1, 1e-309, 0, &e), &e, "period", "1e-309");
    assert_refused(fm_motion_create_sine(&a, x, 1, NAN, 0, &e), &e, "period", "nan");
    assert_refused(fm_motion_create_sine(&a, x, 1, 1, NAN, &e), &e, "phase", "nan");
    fm_turn turn = {.axis = {0}};
    assert_refused(fm_motion_create_turn(&a, &turn, &e), &e, "axis", "(0, 0, 0)");
    turn = (fm_turn){.axis = {0, 1, 0}, .amplitude = 1};
    assert_refused(fm_motion_create_turn(&a, &turn, &e), &e, "period", "0");
    turn = (fm_turn){.axis = {0, 1, 0}, .rate = NAN};
    assert_refused(fm_motion_create_turn(&a, &turn, &e), &e, "rate", "nan");
    turn = (fm_turn){.axis = {0, 1, 0}, .angle = INFINITY};
    assert_refused(fm_motion_create_turn(&a, &turn, &e), &e, "angle", "inf");
    turn = (fm_turn){.axis = {0, 1, 0}, .pivot = {NAN, 0, 0}};
    assert_refused(fm_motion_create_turn(&a, &turn, &e), &e, "pivot", "(nan, 0, 0)");
    turn = (fm_turn){.axis = {0, 1, 0}, .amplitude = NAN, .period = 1};
    assert_refused(fm_motion_create_turn(&a, &turn, &e), &e, "amplitude", "nan");
    assert_int_equal(a.used, 0);
    fm_arena_destroy(&a);
}

static void keys_with_bad_values_are_refused(void **state)
{
    (void)state;
    fm_arena a = {0};
    fm_error e = {0};
    fm_key keys[] = {{.time = 0}, {.time = 1}};
    fm_interpolation interpolation = FM_INTERPOLATE_LINEAR;
    fm_vec3 none = {0};
    assert_refused(fm_motion_create_keyframes(&a, keys, 0, interpolation, none, &e), &e,
                   "key_count", "0");
    assert_refused(fm_motion_create_keyframes(&a, keys, 2, (fm_interpolation)7, none, &e), &e,
                   "interpolation", "7");
    assert_refused(fm_motion_create_keyframes(&a, keys, 2, interpolation, (fm_vec3){0, NAN, 0}, &e),
                   &e, "pivot", "(0, nan, 0)");
    keys[1].time = 0;
    assert_refused(fm_motion_create_keyframes(&a, keys, 2, interpolation, none, &e), &e,
                   "keys[1].time", "0");
    keys[1].time = NAN;
    assert_refused(fm_motion_create_keyframes(&a, keys, 2, interpolation, none, &e), &e,
                   "keys[1].time", "nan");
    keys[1].time = 1;
    keys[1].position.x = INFINITY;
    assert_refused(fm_motion_create_keyframes(&a, keys, 2, interpolation, none, &e), &e,
                   "keys[1].position", "(inf, 0, 0)");
    keys[1].position.x = 0;
    keys[0].rotation.w = NAN;
    assert_refused(fm_motion_create_keyframes(&a, keys, 2, interpolation, none, &e), &e,
                   "keys[0].rotation", "nan");
    fm_arena_destroy(&a);
}

static void compositions_above_1024_motions_are_refused_and_errors_persist(void **state)
{
    (void)state;
    fm_arena a = {0};
    fm_error e = {0};
    fm_motion *motion = fm_motion_create_sine(&a, (fm_vec3){1, 0, 0}, 1, 1, 0, &e);
    for (int i = 0; i < 10; i++)
        motion = fm_motion_create_composed(&a, motion, motion, &e); // 1024 parts
    assert_close(fm_motion_position(motion, (fm_vec3){0}, 0.25).x, 1024, 1e-10);
    assert_refused(fm_motion_create_composed(&a, motion, NULL, &e), &e, "parts", "1025");
    e.status = FM_INPUT_OUTPUT;
    fm_key key = {0};
    assert_null(fm_motion_create_sine(&a, (fm_vec3){1, 0, 0}, 1, 1, 0, &e));
    assert_null(fm_motion_create_turn(&a, &(fm_turn){.axis = {1, 0, 0}}, &e));
    assert_null(fm_motion_create_keyframes(&a, &key, 1, FM_INTERPOLATE_LINEAR, (fm_vec3){0}, &e));
    assert_null(fm_motion_create_composed(&a, NULL, NULL, &e));
    assert_int_equal(e.status, FM_INPUT_OUTPUT);
    fm_arena_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pose_and_its_inverse_cancel),
        cmocka_unit_test(rotation_vectors_and_quaternions_convert_both_ways),
        cmocka_unit_test(a_sine_has_its_amplitude_period_phase_and_velocity),
        cmocka_unit_test(a_turn_rotates_about_its_pivot_at_its_rate),
        cmocka_unit_test(keyframes_pass_through_their_keys_and_rest_outside_them),
        cmocka_unit_test(velocities_between_keys_are_the_derivatives_of_positions),
        cmocka_unit_test(linear_and_smooth_interpolation_match_their_formulas),
        cmocka_unit_test(splines_have_continuous_velocity_and_spin),
        cmocka_unit_test(splines_reproduce_quadratic_displacement_and_constant_spin),
        cmocka_unit_test(half_turns_between_keys_stay_differentiable),
        cmocka_unit_test(a_composed_motion_applies_the_inner_then_the_outer_motion),
        cmocka_unit_test(sines_and_turns_with_bad_values_are_refused),
        cmocka_unit_test(keys_with_bad_values_are_refused),
        cmocka_unit_test(compositions_above_1024_motions_are_refused_and_errors_persist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
