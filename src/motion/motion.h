// SPDX-License-Identifier: MIT
// motion.h: poses in time, for what moves.
#ifndef FATHOM_MOTION_MOTION_H
#define FATHOM_MOTION_MOTION_H

#include "core/core.h"

#include <fathom/motion.h>

// A rigid placement and how it changes: p -> rotation p + position, its rate velocity + spin x (rotation p),
// both in the frame of the world.
typedef struct fm_pose {
    fm_quat rotation;
    fm_vec3 position; // m
    fm_vec3 velocity; // m/s, of the image of the origin
    fm_vec3 spin;     // rad/s
} fm_pose;

fm_pose fm_pose_identity(void);
fm_vec3 fm_pose_apply(const fm_pose *pose, fm_vec3 point);
fm_vec3 fm_pose_apply_inverse(const fm_pose *pose, fm_vec3 point);
// Velocity of the material point that is at the (moved) position `at` now.
fm_vec3 fm_pose_velocity_at(const fm_pose *pose, fm_vec3 at);

// Motions are allocated in an arena and live as long as it does. NULL with err filled on bad values.
fm_motion *fm_motion_new_sine(fm_arena *arena, fm_vec3 axis, double amplitude, double period,
                              double phase, fm_error *err);
fm_motion *fm_motion_new_turn(fm_arena *arena, const fm_turn *turn, fm_error *err);
fm_motion *fm_motion_new_keyframes(fm_arena *arena, const fm_key *keys, int key_count,
                                   fm_interpolation interpolation, fm_vec3 pivot, fm_error *err);
fm_motion *fm_motion_new_composed(fm_arena *arena, const fm_motion *outer, const fm_motion *inner,
                                  fm_error *err);

// The pose at time t >= 0; NULL stays where it is. Values and rates come from one formula, so that they agree.
fm_pose fm_motion_pose(const fm_motion *motion, double t);

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
static inline double fm_dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline fm_vec3 fm_cross(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
