// SPDX-License-Identifier: MIT
// motion.h: poses in time, for what moves, and the vectors and rotations they are made of.
#ifndef FATHOM_MOTION_MOTION_H
#define FATHOM_MOTION_MOTION_H

#include "core/core.h"

#include <fathom/medium.h>
#include <fathom/motion.h>
#include <math.h>

// A rigid placement and how it changes: p -> rotation p + position, its rate velocity + spin x
// (rotation p), both in the frame of the world.
typedef struct fm_pose {
    fm_quat rotation;
    fm_vec3 position; // m
    fm_vec3 velocity; // m/s, of the image of the origin
    fm_vec3 spin;     // rad/s
} fm_pose;

fm_pose fm_pose_identity(void);
// Turned about a pivot that stays where it is.
fm_pose fm_pose_about(fm_vec3 pivot, fm_quat rotation, fm_vec3 spin);
// First inner, then outer.
fm_pose fm_pose_compose(const fm_pose *outer, const fm_pose *inner);
fm_vec3 fm_pose_apply(const fm_pose *pose, fm_vec3 point);
fm_vec3 fm_pose_apply_inverse(const fm_pose *pose, fm_vec3 point);
// Velocity of the material point that is at the (moved) position `at` now.
fm_vec3 fm_pose_velocity_at(const fm_pose *pose, fm_vec3 at);

// Motions are allocated in an arena and live as long as it does; what they are given is copied.
// NULL with err filled on bad values, and when err already holds a failure.
fm_motion *fm_motion_new_sine(fm_arena *arena, fm_vec3 axis, double amplitude, double period,
                              double phase, fm_error *err);
fm_motion *fm_motion_new_turn(fm_arena *arena, const fm_turn *turn, fm_error *err);
fm_motion *fm_motion_new_keyframes(fm_arena *arena, const fm_key *keys, int key_count,
                                   fm_interpolation interpolation, fm_vec3 pivot, fm_error *err);
// A bone (fm_bone) of a figure, which must live as long.
struct fm_figure;
fm_motion *fm_motion_new_figure(fm_arena *arena, const struct fm_figure *figure, int bone,
                                fm_error *err);
// Either may be NULL: it stays where it is.
fm_motion *fm_motion_new_composed(fm_arena *arena, const fm_motion *outer, const fm_motion *inner,
                                  fm_error *err);

// The pose at time t; NULL stays where it is. Values and rates come from one formula, so that they
// agree; where the rate jumps (keys), it is the one just after t.
fm_pose fm_motion_pose(const fm_motion *motion, double t);

// flow.c: the medium's own motion. The check makes its axis a unit vector.
bool fm_flow_check(fm_flow *flow, fm_error *err);
bool fm_flow_is_uniform(const fm_flow *flow); // the same everywhere
fm_vec3 fm_flow_velocity(const fm_flow *flow, fm_vec3 x, double t);

// keyframes.c, for motion.c
typedef struct fm_keyframes fm_keyframes;
fm_keyframes *fm_keyframes_new(fm_arena *arena, const fm_key *keys, int key_count,
                               fm_interpolation interpolation, fm_vec3 pivot, fm_error *err);
fm_pose fm_keyframes_pose(const fm_keyframes *keyframes, double t);

// Small vector arithmetic that everything above uses.
static inline fm_vec3 fm_add(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline fm_vec3 fm_sub(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline fm_vec3 fm_scale(fm_vec3 a, double s)
{
    return (fm_vec3){a.x * s, a.y * s, a.z * s};
}
// a + b s
static inline fm_vec3 fm_add_scaled(fm_vec3 a, fm_vec3 b, double s)
{
    return (fm_vec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
static inline double fm_dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline double fm_length(fm_vec3 a)
{
    return sqrt(fm_dot(a, a));
}
static inline double fm_largest(fm_vec3 a) // coordinate, without its sign
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}
static inline fm_vec3 fm_cross(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline bool fm_is_finite(fm_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
bool fm_make_unit(fm_vec3 *a); // false, and left alone, when zero or not finite

// Rotations, as unit quaternions.
static inline fm_quat fm_quat_inverse(fm_quat q)
{
    return (fm_quat){-q.x, -q.y, -q.z, q.w};
}
static inline fm_vec3 fm_quat_rotate(fm_quat q, fm_vec3 a)
{
    fm_vec3 v = {q.x, q.y, q.z};
    fm_vec3 twice = fm_scale(fm_cross(v, a), 2);
    return fm_add(fm_add_scaled(a, twice, q.w), fm_cross(v, twice));
}
fm_quat fm_quat_multiply(fm_quat a, fm_quat b); // first b, then a
fm_quat fm_quat_of_turn(fm_vec3 turn);          // along the axis, as long as the angle in rad
fm_vec3 fm_quat_to_turn(fm_quat q);             // the shortest such, at most pi long
bool fm_quat_make_unit(fm_quat *q); // all zero becomes the identity; false when not finite

// fm_fail_number for a vector: the value reads (x, y, z).
bool fm_fail_vector(fm_error *err, const char *object, const char *field, fm_vec3 value,
                    const char *allowed);

#endif
