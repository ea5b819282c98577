// SPDX-License-Identifier: MIT
// pose.c: rigid poses with their velocities, and rotations as unit quaternions.
//
// A pose maps a point p to R p + x. The velocity of the mapped point is v + w x (R p).
//
//   R  rotation, a unit quaternion     x  position, m
//   w  spin: angular velocity, rad/s   v  dx/dt, m/s
#include "motion/motion.h"

#include <stdio.h>

static const fm_quat identity = {0, 0, 0, 1};

// The pose that maps every point to itself and does not move.
fm_pose fm_pose_identity(void)
{
    return (fm_pose){.rotation = identity};
}

// The pose that rotates about a fixed pivot. spin: angular velocity, rad/s.
fm_pose fm_pose_about_pivot(fm_vec3 pivot, fm_quat rotation, fm_vec3 spin)
{
    fm_vec3 arm = fm_quat_rotate(rotation, pivot);
    return (fm_pose){
        .rotation = rotation,
        .position = fm_sub(pivot, arm),
        .velocity = fm_cross(arm, spin),
        .spin = spin,
    };
}

// The pose that applies `inner` first, then `outer`.
fm_pose fm_pose_compose(const fm_pose *outer, const fm_pose *inner)
{
    fm_vec3 arm = fm_quat_rotate(outer->rotation, inner->position);
    fm_vec3 velocity = fm_add(outer->velocity, fm_cross(outer->spin, arm));
    return (fm_pose){
        .rotation = fm_quat_multiply(outer->rotation, inner->rotation),
        .position = fm_add(outer->position, arm),
        .velocity = fm_add(velocity, fm_quat_rotate(outer->rotation, inner->velocity)),
        .spin = fm_add(outer->spin, fm_quat_rotate(outer->rotation, inner->spin)),
    };
}

// Maps a point by the pose.
fm_vec3 fm_pose_apply(const fm_pose *pose, fm_vec3 point)
{
    return fm_add(pose->position, fm_quat_rotate(pose->rotation, point));
}

// The point that the pose maps to `point`.
fm_vec3 fm_pose_apply_inverse(const fm_pose *pose, fm_vec3 point)
{
    return fm_quat_rotate(fm_quat_inverse(pose->rotation), fm_sub(point, pose->position));
}

// Velocity, m/s, of the material point that is at `at` now.
fm_vec3 fm_pose_velocity_at(const fm_pose *pose, fm_vec3 at)
{
    return fm_add(pose->velocity, fm_cross(pose->spin, fm_sub(at, pose->position)));
}

// The rotation b followed by a, as the product of quaternions.
fm_quat fm_quat_multiply(fm_quat a, fm_quat b)
{
    return (fm_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

// The rotation by |turn| rad about the direction of `turn`.
fm_quat fm_quat_from_rotation_vector(fm_vec3 turn)
{
    double angle = fm_length(turn);
    double s = angle > 0 ? sin(angle / 2) / angle : 0.5;
    return (fm_quat){turn.x * s, turn.y * s, turn.z * s, cos(angle / 2)};
}

// The rotation vector of q: along the axis, with the angle in rad, at most pi, as its length.
fm_vec3 fm_quat_to_rotation_vector(fm_quat q)
{
    fm_vec3 v = {q.x, q.y, q.z};
    double sine = fm_length(v), sign = q.w < 0 ? -1 : 1;
    double angle = 2 * atan2(sine, fabs(q.w));
    return fm_scale(v, sine > 0 ? sign * angle / sine : 2 * sign);
}

// Scales a quaternion to length 1, dividing by its largest component first, so that squares neither
// overflow nor underflow. All zero becomes the identity. False if a component is not finite.
bool fm_quat_normalize(fm_quat *q)
{
    double largest = fmax(fmax(fabs(q->x), fabs(q->y)), fmax(fabs(q->z), fabs(q->w)));
    if (!isfinite(q->x) || !isfinite(q->y) || !isfinite(q->z) || !isfinite(q->w))
        return false;
    if (largest == 0) {
        *q = identity;
        return true;
    }
    fm_quat scaled = {q->x / largest, q->y / largest, q->z / largest, q->w / largest};
    double s = 1 / sqrt(scaled.x * scaled.x + scaled.y * scaled.y + scaled.z * scaled.z +
                        scaled.w * scaled.w);
    *q = (fm_quat){scaled.x * s, scaled.y * s, scaled.z * s, scaled.w * s};
    return true;
}

// Like fm_fail_number, for a vector.
bool fm_fail_vector(fm_error *err, const char *object, const char *field, fm_vec3 value,
                    const char *allowed)
{
    char text[48];
    fm_text_format(text, sizeof text, "(%.6g, %.6g, %.6g)", value.x, value.y, value.z);
    return fm_fail(err, FM_BAD_VALUE, object, field, text, allowed);
}
