// SPDX-License-Identifier: MIT
// pose.c: rigid placements with their rates, and the rotations in them.
//
//     p -> R p + x,      d/dt:  v + w x (R p)
//
//   R  rotation, a unit quaternion     x  image of the origin, m
//   w  spin, rad/s                     v  dx/dt, m/s
#include "motion/motion.h"

#include <stdio.h>

static const fm_quat unturned = {0, 0, 0, 1};

fm_pose fm_pose_identity(void)
{
    return (fm_pose){.rotation = unturned};
}

fm_pose fm_pose_about(fm_vec3 pivot, fm_quat rotation, fm_vec3 spin)
{
    fm_vec3 arm = fm_quat_rotate(rotation, pivot);
    return (fm_pose){
        .rotation = rotation,
        .position = fm_sub(pivot, arm),
        .velocity = fm_cross(arm, spin),
        .spin = spin,
    };
}

fm_pose fm_pose_compose(const fm_pose *outer, const fm_pose *inner)
{
    fm_vec3 arm = fm_quat_rotate(outer->rotation, inner->position);
    fm_vec3 carried = fm_add(outer->velocity, fm_cross(outer->spin, arm));
    return (fm_pose){
        .rotation = fm_quat_multiply(outer->rotation, inner->rotation),
        .position = fm_add(outer->position, arm),
        .velocity = fm_add(carried, fm_quat_rotate(outer->rotation, inner->velocity)),
        .spin = fm_add(outer->spin, fm_quat_rotate(outer->rotation, inner->spin)),
    };
}

fm_vec3 fm_pose_apply(const fm_pose *pose, fm_vec3 point)
{
    return fm_add(pose->position, fm_quat_rotate(pose->rotation, point));
}

fm_vec3 fm_pose_apply_inverse(const fm_pose *pose, fm_vec3 point)
{
    return fm_quat_rotate(fm_quat_inverse(pose->rotation), fm_sub(point, pose->position));
}

fm_vec3 fm_pose_velocity_at(const fm_pose *pose, fm_vec3 at)
{
    return fm_add(pose->velocity, fm_cross(pose->spin, fm_sub(at, pose->position)));
}

bool fm_make_unit(fm_vec3 *a)
{
    double largest = fm_largest(*a);
    if (!fm_is_finite(*a) || largest == 0)
        return false;
    // twice, so that squares neither overflow nor vanish
    fm_vec3 tame = {a->x / largest, a->y / largest, a->z / largest};
    *a = fm_scale(tame, 1 / fm_length(tame));
    return true;
}

fm_quat fm_quat_multiply(fm_quat a, fm_quat b)
{
    return (fm_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

fm_quat fm_quat_of_turn(fm_vec3 turn)
{
    double angle = fm_length(turn);
    double s = angle > 0 ? sin(angle / 2) / angle : 0.5;
    return (fm_quat){turn.x * s, turn.y * s, turn.z * s, cos(angle / 2)};
}

fm_vec3 fm_quat_to_turn(fm_quat q)
{
    fm_vec3 v = {q.x, q.y, q.z};
    double sine = fm_length(v), sign = q.w < 0 ? -1 : 1;
    double angle = 2 * atan2(sine, fabs(q.w));
    return fm_scale(v, sine > 0 ? sign * angle / sine : 2 * sign);
}

bool fm_quat_make_unit(fm_quat *q)
{
    double largest = fmax(fmax(fabs(q->x), fabs(q->y)), fmax(fabs(q->z), fabs(q->w)));
    if (!isfinite(q->x) || !isfinite(q->y) || !isfinite(q->z) || !isfinite(q->w))
        return false;
    if (largest == 0) {
        *q = unturned;
        return true;
    }
    fm_quat tame = {q->x / largest, q->y / largest, q->z / largest, q->w / largest};
    double s = 1 / sqrt(tame.x * tame.x + tame.y * tame.y + tame.z * tame.z + tame.w * tame.w);
    *q = (fm_quat){tame.x * s, tame.y * s, tame.z * s, tame.w * s};
    return true;
}

bool fm_fail_vector(fm_error *err, const char *object, const char *field, fm_vec3 value,
                    const char *allowed)
{
    char text[48];
    fm_format(text, sizeof text, "(%.6g, %.6g, %.6g)", value.x, value.y, value.z);
    return fm_fail(err, FM_BAD_VALUE, object, field, text, allowed);
}
