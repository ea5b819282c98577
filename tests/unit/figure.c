// SPDX-License-Identifier: MIT
// figure.c: human figures: velocities are the derivatives of poses, accelerations are continuous,
// feet do not slide or go below the floor, bones stay connected, limbs do not intersect, bad values
// are refused.
#include "motion/figure.h"
#include "check.h"
#include "collide/collide.h"
#include "fixtures.h"

#include <string.h>

// Definition number i of several figures with different motions, sizes and speeds.
static fm_figure_def example_def(int i)
{
    fm_figure_def def = fm_default_figure_def();
    def.name = "woman";
    def.motion = i % 2 ? FM_FIGURE_DANCE : FM_FIGURE_WALK;
    def.origin = (fm_vec3){0.3, 0.2, -1};
    def.facing = 0.7 * i;
    def.start = i % 3 ? 0.4 : 0;
    if (i >= 2) {
        def.height = 1.2 + 0.2 * i;
        def.walk.speed = 0.3 * i;
        def.dance.tempo = 0.4 * i;
        def.dance.energy = 0.5 * (i - 1);
        def.ramp = 0.5 * i;
    }
    return def;
}

enum { DEFS = 5 }; // number of example definitions

static fm_figure *create_figure(fm_arena *arena, fm_figure_def def)
{
    fm_error err = {0};
    fm_figure *figure = fm_figure_create_in_arena(arena, &def, &err);
    assert_good(figure, &err);
    return figure;
}

static void velocities_of_bones_are_the_derivatives_of_their_positions(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    const double h = 1e-6; // s, for central differences
    for (int i = 0; i < DEFS; i++) {
        fm_figure *figure = create_figure(&arena, example_def(i));
        for (int bone = 0; bone < FM_BONE_COUNT; bone++) {
            fm_motion *motion = fm_motion_create_figure(&arena, figure, bone, &err);
            for (int k = 0; k < 126; k++) {
                double t = 0.013 + 0.071 * k;
                fm_vec3 p = {0.1, 0.9, 0.05};
                fm_vec3 a = fm_motion_position(motion, p, t - h),
                        b = fm_motion_position(motion, p, t + h);
                fm_vec3 v = fm_motion_velocity(motion, p, t);
                fm_vec3 d = fm_scale(fm_sub(b, a), 1 / (2 * h));
                assert_at_most(fm_length(fm_sub(d, v)), 1e-7 * (1 + fm_length(v)));
            }
        }
    }
    fm_arena_destroy(&arena);
}

// All bones stay at their initial positions, with zero velocity, until def.start.
static void bones_rest_until_the_start_time(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    for (int i = 0; i < DEFS; i++) {
        fm_figure *figure = create_figure(&arena, example_def(i));
        for (int bone = 0; bone < FM_BONE_COUNT; bone++) {
            fm_motion *motion = fm_motion_create_figure(&arena, figure, bone, &err);
            fm_vec3 p = {0.4, 1.1, -0.8};
            for (int k = 0; k < 5; k++) {
                double t = k * figure->def.start / 4;
                assert_at_most(fm_length(fm_sub(fm_motion_position(motion, p, t), p)), 1e-14);
                assert_at_most(fm_length(fm_motion_velocity(motion, p, t)), 1e-14);
            }
        }
    }
    fm_arena_destroy(&arena);
}

// The largest jerk, m/s^3, of a point on a bone during 6 s, from second differences of velocities h
// seconds apart. If the acceleration jumped, this would grow like 1/h.
static double largest_jerk(const fm_motion *motion, double h)
{
    fm_vec3 p = {0.3, 1, -1};
    double most = 0;
    fm_vec3 v[3] = {{0}};
    for (int i = 0; i * h < 6; i++) {
        v[0] = v[1], v[1] = v[2], v[2] = fm_motion_velocity(motion, p, i * h);
        if (i < 2)
            continue;
        fm_vec3 jerk = fm_add(fm_add_scaled(v[2], v[1], -2), v[0]);
        most = fmax(most, fm_length(jerk) / (h * h));
    }
    return most;
}

static void accelerations_of_bones_are_continuous(void **state)
{
    (void)state;
    fm_arena arena = {0};
    fm_error err = {0};
    for (int i = 0; i < DEFS; i++) {
        fm_figure *figure = create_figure(&arena, example_def(i));
        for (int bone = 0; bone < FM_BONE_COUNT; bone++) {
            fm_motion *motion = fm_motion_create_figure(&arena, figure, bone, &err);
            double coarse = largest_jerk(motion, 0.002), fine = largest_jerk(motion, 0.0005);
            assert_at_most(fine, 1.35 * coarse + 1); // a jump would give 4 times as much
        }
    }
    fm_arena_destroy(&arena);
}

// World position of a point p in the frame of a bone, m.
static fm_vec3 point_on_bone(const fm_pose *poses, fm_bone bone, fm_vec3 p)
{
    return fm_pose_apply(&poses[bone], p);
}

// Asserts that two bones have the point `joint` in common.
static void assert_joined(const fm_pose *poses, fm_bone one, fm_bone other, fm_vec3 joint)
{
    double gap =
        fm_length(fm_sub(point_on_bone(poses, one, joint), point_on_bone(poses, other, joint)));
    assert_at_most(gap, 1e-9);
}

static void bones_stay_connected_at_their_joints(void **state)
{
    (void)state;
    fm_arena arena = {0};
    for (int i = 0; i < DEFS; i++) {
        fm_figure *figure = create_figure(&arena, example_def(i));
        const fm_measures *m = &figure->measures;
        for (int k = 0; k < 630; k++) {
            double t = 0.019 * k;
            fm_pose poses[FM_BONE_COUNT];
            fm_figure_compute_world_poses(figure, t, poses);
            for (int side = 0; side < 2; side++) {
                double x = side ? -m->hip_side : m->hip_side;
                fm_bone thigh = side ? FM_BONE_RIGHT_THIGH : FM_BONE_LEFT_THIGH;
                assert_joined(poses, FM_BONE_PELVIS, thigh, (fm_vec3){x, m->hip, 0});
                assert_joined(poses, thigh, thigh + 1, (fm_vec3){x, m->hip - m->thigh, 0});
                assert_joined(poses, thigh + 1, thigh + 2, (fm_vec3){x, m->ankle, 0});
                fm_vec3 shoulder = m->shoulder, elbow = m->elbow, wrist = m->wrist;
                if (side)
                    shoulder.x *= -1, elbow.x *= -1, wrist.x *= -1;
                fm_bone arm = side ? FM_BONE_RIGHT_UPPER_ARM : FM_BONE_LEFT_UPPER_ARM;
                assert_joined(poses, FM_BONE_CHEST, arm, shoulder);
                assert_joined(poses, arm, arm + 1, elbow);
                assert_joined(poses, arm + 1, arm + 2, wrist);
            }
        }
    }
    fm_arena_destroy(&arena);
}

// The lowest point of each foot is never below the floor at y = 0.2 m. While walking, at least one
// foot is on the floor and does not move, at any time.
static void feet_stay_above_the_floor_and_one_stands_still_while_walking(void **state)
{
    (void)state;
    fm_arena arena = {0};
    for (int i = 0; i < DEFS; i++) {
        fm_figure *figure = create_figure(&arena, example_def(i));
        const fm_measures *m = &figure->measures;
        for (int k = 0; k < 1090; k++) {
            double t = 0.011 * k;
            fm_pose poses[FM_BONE_COUNT];
            fm_figure_compute_world_poses(figure, t, poses);
            int standing = 0;
            for (int side = 0; side < 2; side++) {
                fm_bone foot = side ? FM_BONE_RIGHT_FOOT : FM_BONE_LEFT_FOOT;
                double x = side ? -m->hip_side : m->hip_side;
                fm_vec3 heel = point_on_bone(poses, foot, (fm_vec3){x, m->heel_radius, m->heel});
                fm_vec3 toe = point_on_bone(poses, foot, (fm_vec3){x, m->toe_radius, m->toe});
                // m, height of the soles above the floor
                double under_heel = heel.y - m->heel_radius - 0.2,
                       under_toe = toe.y - m->toe_radius - 0.2;
                assert_true(under_heel > -1e-9 && under_toe > -1e-9);
                fm_vec3 heel_speed = fm_pose_velocity_at(&poses[foot], heel),
                        toe_speed = fm_pose_velocity_at(&poses[foot], toe);
                standing += (under_heel < 1e-9 && fm_length(heel_speed) < 1e-9) ||
                            (under_toe < 1e-9 && fm_length(toe_speed) < 1e-9);
            }
            if (figure->def.motion == FM_FIGURE_WALK)
                assert_true(standing > 0);
        }
    }
    fm_arena_destroy(&arena);
}

// The distance between a capsule a and a shape b, m, from 21 samples on the axis of a; negative:
// they overlap.
static double capsule_distance(const fm_shape *a, const fm_shape *b)
{
    double least = INFINITY;
    for (int i = 0; i <= 20; i++) {
        double share = i / 20.0;
        fm_vec3 p = fm_add_scaled(a->start, fm_sub(a->end, a->start), share);
        double radius = a->radius + share * (a->end_radius - a->radius);
        least = fmin(least, fm_shape_find_contact(b, p).distance - radius);
    }
    return least;
}

// Shins and feet stay apart from each other, forearms and hands from trunk, thighs and head, by at
// least 0.004 of the height.
static void limbs_do_not_intersect_each_other_or_the_trunk(void **state)
{
    (void)state;
    fm_arena arena = {0};
    static const fm_bone pairs[][2] = {
        {FM_BONE_LEFT_SHIN, FM_BONE_RIGHT_SHIN}, {FM_BONE_LEFT_FOOT, FM_BONE_RIGHT_FOOT},
        {FM_BONE_LEFT_SHIN, FM_BONE_RIGHT_FOOT}, {FM_BONE_LEFT_FOOT, FM_BONE_RIGHT_SHIN},
        {FM_BONE_LEFT_FOREARM, FM_BONE_PELVIS},  {FM_BONE_RIGHT_FOREARM, FM_BONE_PELVIS},
        {FM_BONE_LEFT_FOREARM, FM_BONE_SPINE},   {FM_BONE_RIGHT_FOREARM, FM_BONE_SPINE},
        {FM_BONE_LEFT_FOREARM, FM_BONE_CHEST},   {FM_BONE_RIGHT_FOREARM, FM_BONE_CHEST},
        {FM_BONE_LEFT_HAND, FM_BONE_LEFT_THIGH}, {FM_BONE_RIGHT_HAND, FM_BONE_RIGHT_THIGH},
        {FM_BONE_LEFT_HAND, FM_BONE_PELVIS},     {FM_BONE_RIGHT_HAND, FM_BONE_PELVIS},
        {FM_BONE_LEFT_HAND, FM_BONE_HEAD},       {FM_BONE_RIGHT_HAND, FM_BONE_HEAD},
        {FM_BONE_LEFT_FOREARM, FM_BONE_HEAD},    {FM_BONE_RIGHT_FOREARM, FM_BONE_HEAD},
    };
    for (int i = 0; i < DEFS; i++) {
        fm_figure *figure = create_figure(&arena, example_def(i));
        for (int n = 0; n < 800; n++) {
            double t = 0.05 * n;
            fm_pose poses[FM_BONE_COUNT];
            fm_figure_compute_world_poses(figure, t, poses);
            for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
                fm_shape a = fm_figure_bind_shape(figure, pairs[k][0]),
                         b = fm_figure_bind_shape(figure, pairs[k][1]);
                a = fm_shape_transform(&a, &poses[pairs[k][0]]);
                b = fm_shape_transform(&b, &poses[pairs[k][1]]);
                double gap = capsule_distance(&a, &b) / figure->def.height;
                if (gap < 0.004)
                    fail_msg("%s and %s are %.3f of the height apart at %.2f s, motion %d",
                             fm_bone_name(pairs[k][0]), fm_bone_name(pairs[k][1]), gap, t, i);
            }
        }
    }
    fm_arena_destroy(&arena);
}

// A figure is as tall as defined, walks at the defined speed, and in the direction that it faces.
static void height_speed_and_heading_are_as_defined(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fm_figure_def def = fm_default_figure_def();
    def.name = "walker";
    def.motion = FM_FIGURE_WALK;
    def.facing = FM_PI / 2;
    fm_figure *figure = fm_figure_create(world, &def, &err);
    assert_true(fm_figure_add_colliders(world, figure, 0.4, &err));
    assert_int_equal(fm_world_collider_count(world), FM_BONE_COUNT);
    assert_int_equal(fm_world_figure_count(world), 1);
    fm_shape head = fm_figure_shape(figure, FM_BONE_HEAD);
    fm_vec3 low, high;
    fm_shape_find_bounds(&head, &low, &high);
    assert_close(high.y, 1.7, 0.01);
    fm_motion *pelvis = fm_motion_figure(world, figure, FM_BONE_PELVIS, &err);
    fm_vec3 p = {0, 0.9, 0};
    // m; s, duration of a stride at the default speed of 1.2 m/s
    double stride = fm_figure_definition(figure).walk.stride, cycle = stride / 1.2;
    fm_vec3 a = fm_motion_position(pelvis, p, 5), b = fm_motion_position(pelvis, p, 5 + 3 * cycle);
    assert_close(b.x - a.x, 3 * stride, 1e-9); // it faces +x
    assert_close(b.z - a.z, 0, 1e-9);
    const fm_collider *thigh = fm_world_collider(world, FM_BONE_LEFT_THIGH);
    assert_string_equal(thigh->name, "walker.left_thigh");
    assert_true(thigh->hidden);
    fm_vec3 velocity;
    fm_collider_distance(thigh, fm_motion_position(thigh->motion, p, 5), 5, NULL, NULL, &velocity);
    assert_in_interval(velocity.x, 0.2, 2.2);
    assert_int_equal(fm_bone_find("right_hand"), FM_BONE_RIGHT_HAND);
    assert_int_equal(fm_bone_find("tail"), FM_BONE_COUNT);
    assert_null(fm_bone_name(FM_BONE_COUNT));
    fm_world_destroy(world);
}

// Angle, rad, between the left upper arm and the vertical at time t.
static double arm_angle(const fm_figure *figure, double t)
{
    fm_pose poses[FM_BONE_COUNT];
    fm_figure_compute_world_poses(figure, t, poses);
    const fm_pose *arm = &poses[FM_BONE_LEFT_UPPER_ARM];
    fm_vec3 d = fm_sub(fm_pose_apply(arm, figure->measures.elbow),
                       fm_pose_apply(arm, figure->measures.shoulder));
    return acos(-d.y / fm_length(d));
}

// Raised arms stay up until the motion starts, and hang as those of other figures after its ramp; a
// figure that stands keeps them up.
static void raised_arms_come_down_in_the_ramp(void **state)
{
    (void)state;
    fm_arena arena = {0};
    const double raised = 62 * FM_DEGREE;
    fm_figure_def def = fm_default_figure_def();
    def.start = 1, def.ramp = 1.5, def.motion = FM_FIGURE_WALK;
    fm_figure *usual = create_figure(&arena, def);
    def.arms = raised;
    fm_figure *walks = create_figure(&arena, def);
    def.motion = FM_FIGURE_STAND;
    fm_figure *stands = create_figure(&arena, def);
    assert_at_most(fabs(arm_angle(walks, 0) - raised), 0.5 * FM_DEGREE);
    assert_at_most(fabs(arm_angle(walks, 1) - arm_angle(walks, 0)), 1e-12);
    assert_at_most(fabs(arm_angle(walks, 2.5) - arm_angle(usual, 2.5)), 1e-12);
    assert_at_most(fabs(arm_angle(stands, 9) - arm_angle(walks, 0)), 1e-12);
    fm_arena_destroy(&arena);
}

// Asserts that the definition of a figure is refused because of this field.
static void assert_refused(fm_figure_def def, const char *field)
{
    fm_arena arena = {0};
    fm_error err = {0};
    def.name = "woman";
    assert_null(fm_figure_create_in_arena(&arena, &def, &err));
    assert_string_equal(err.field, field);
    assert_string_equal(err.object, "figure woman");
    fm_arena_destroy(&arena);
}

static void figure_definitions_out_of_range_are_refused(void **state)
{
    (void)state;
    const fm_figure_def good = fm_default_figure_def();
    fm_figure_def def = good;
    def.height = 0;
    assert_refused(def, "height");
    def = good, def.origin.x = NAN;
    assert_refused(def, "origin");
    def = good, def.facing = INFINITY;
    assert_refused(def, "facing");
    def = good, def.waist = 3;
    assert_refused(def, "waist");
    def = good, def.arms = 2;
    assert_refused(def, "arms");
    def = good, def.ramp = 0;
    assert_refused(def, "ramp");
    def = good, def.walk.speed = -1;
    assert_refused(def, "walk.speed");
    def = good, def.walk.stride = 5;
    assert_refused(def, "walk.stride");
    def = good, def.dance.tempo = NAN;
    assert_refused(def, "dance.tempo");
    def = good, def.dance.energy = 2;
    assert_refused(def, "dance.energy");
    def = good, def.motion = (fm_figure_motion)9;
    assert_refused(def, "motion");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_of_bones_are_the_derivatives_of_their_positions),
        cmocka_unit_test(bones_rest_until_the_start_time),
        cmocka_unit_test(accelerations_of_bones_are_continuous),
        cmocka_unit_test(bones_stay_connected_at_their_joints),
        cmocka_unit_test(feet_stay_above_the_floor_and_one_stands_still_while_walking),
        cmocka_unit_test(limbs_do_not_intersect_each_other_or_the_trunk),
        cmocka_unit_test(height_speed_and_heading_are_as_defined),
        cmocka_unit_test(raised_arms_come_down_in_the_ramp),
        cmocka_unit_test(figure_definitions_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
