// SPDX-License-Identifier: MIT
// motion.h: rigid poses with their velocities, prescribed motions, flow of the medium, rotations.
#ifndef FATHOM_MOTION_MOTION_H
#define FATHOM_MOTION_MOTION_H

#include "core/core.h"
#include "geometry/geometry.h"

#include <fathom/medium.h>
#include <fathom/motion.h>
#include <math.h>

// A rigid pose and its rate of change. It maps a point p to rotation p + position, whose velocity
// is velocity + spin x (rotation p). All vectors are in world coordinates.
typedef struct fm_pose {
    fm_quat rotation;
    fm_vec3 position; // m
    fm_vec3 velocity; // m/s, d position / dt
    fm_vec3 spin;     // rad/s, angular velocity
} fm_pose;

fm_pose fm_pose_identity(void);
// A rotation about a fixed pivot.
fm_pose fm_pose_about_pivot(fm_vec3 pivot, fm_quat rotation, fm_vec3 spin);
// Applies inner first, then outer.
fm_pose fm_pose_compose(const fm_pose *outer, const fm_pose *inner);
fm_vec3 fm_pose_apply(const fm_pose *pose, fm_vec3 point);
fm_vec3 fm_pose_apply_inverse(const fm_pose *pose, fm_vec3 point);
// Velocity of the material point whose current position, after the pose is applied, is `at`.
fm_vec3 fm_pose_velocity_at(const fm_pose *pose, fm_vec3 at);

// Motions are allocated in an arena and live as long as it does; their arguments are copied. The
// functions return NULL with err filled for bad values, and NULL if err already holds a failure.
fm_motion *fm_motion_create_sine(fm_arena *arena, fm_vec3 axis, double amplitude, double period,
                                 double phase, fm_error *err);
fm_motion *fm_motion_create_turn(fm_arena *arena, const fm_turn *turn, fm_error *err);
fm_motion *fm_motion_create_keyframes(fm_arena *arena, const fm_key *keys, int key_count,
                                      fm_interpolation interpolation, fm_vec3 pivot, fm_error *err);
// The motion of a bone (fm_bone) of a figure; the figure must outlive the motion.
struct fm_figure;
fm_motion *fm_motion_create_figure(fm_arena *arena, const struct fm_figure *figure, int bone,
                                   fm_error *err);
// The motion `inner` followed by `outer`; NULL stands for no motion.
fm_motion *fm_motion_create_composed(fm_arena *arena, const fm_motion *outer,
                                     const fm_motion *inner, fm_error *err);

// The pose at time t, s; the identity if motion is NULL. Velocity and spin are the exact time
// derivatives; where they jump, as at keys, they are those just after t.
fm_pose fm_motion_pose(const fm_motion *motion, double t);
// The highest speed, m/s, of the point that is at `at` without motion, among 17 equally spaced
// times from t to t + duration, s.
double fm_motion_find_top_speed(const fm_motion *motion, fm_vec3 at, double t, double duration);

// turbulence.c: random eddies. fm_eddies_velocity gives their velocity, m/s, at a position in the
// frame that moves with the mean flow.
typedef struct fm_eddies fm_eddies;
fm_eddies *fm_eddies_create(fm_arena *arena, const fm_turbulence *def, fm_error *err);
fm_vec3 fm_eddies_velocity(const fm_eddies *eddies, fm_vec3 x, double t);

// medium_flow.c: the prescribed flow of the medium. fm_flow_check also normalizes the axis
// and clears `eddies`.
bool fm_flow_check(fm_flow *flow, fm_error *err);
bool fm_flow_is_uniform(const fm_flow *flow); // the velocity does not depend on the position
fm_vec3 fm_flow_velocity(const fm_flow *flow, fm_vec3 x, double t); // m/s, at position x

// keyframes.c: motion through keys; used by motion.c only.
typedef struct fm_keyframes fm_keyframes;
fm_keyframes *fm_keyframes_create(fm_arena *arena, const fm_key *keys, int key_count,
                                  fm_interpolation interpolation, fm_vec3 pivot, fm_error *err);
fm_pose fm_keyframes_pose(const fm_keyframes *keyframes, double t);

// Rotations, as unit quaternions.

// The opposite rotation.
static inline fm_quat fm_quat_inverse(fm_quat q)
{
    return (fm_quat){-q.x, -q.y, -q.z, q.w};
}
// The vector a rotated by the unit quaternion q.
static inline fm_vec3 fm_quat_rotate(fm_quat q, fm_vec3 a)
{
    fm_vec3 v = {q.x, q.y, q.z};
    fm_vec3 twice = fm_scale(fm_cross(v, a), 2);
    return fm_add(fm_add_scaled(a, twice, q.w), fm_cross(v, twice));
}
fm_quat fm_quat_multiply(fm_quat a, fm_quat b); // the rotation b followed by a
// A rotation vector points along the axis; its length is the angle in rad.
fm_quat fm_quat_from_rotation_vector(fm_vec3 turn);
fm_vec3 fm_quat_to_rotation_vector(fm_quat q); // the shorter of two ways, at most pi long
// Scales a quaternion to length 1; all zero becomes the identity. Returns false if a component is
// not finite.
bool fm_quat_normalize(fm_quat *q);

// Like fm_fail_number, for a vector: the value in the message is "(x, y, z)".
bool fm_fail_vector(fm_error *err, const char *object, const char *field, fm_vec3 value,
                    const char *allowed);

#endif
