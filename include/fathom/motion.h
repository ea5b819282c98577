// SPDX-License-Identifier: MIT
// motion.h: prescribed motions of pins and colliders: displacement and rotation as functions of
// time.
//
// A motion moves a point p of a pinned row or of a collider to
//
//     p(t) = pivot + R(t) (p - pivot) + d(t)
//
//   R  rotation about the pivot      d  displacement, m      t  time, s
//
// R(0) and d(0) need not be zero: a sine with a phase starts displaced. Velocities are the exact
// derivatives of positions. Where a velocity jumps, as at a key of a linear motion, the one just
// after t is returned. A motion belongs to its world and may move any number of objects.
#ifndef FATHOM_MOTION_H
#define FATHOM_MOTION_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_world fm_world;
typedef struct fm_motion fm_motion;

// How a motion moves between two keyframes.
typedef enum fm_interpolation {
    FM_INTERPOLATE_LINEAR, // straight from key to key; the velocity jumps at keys
    FM_INTERPOLATE_SMOOTH, // ease in and out (3u^2 - 2u^3); the velocity is zero at each key
    FM_INTERPOLATE_SPLINE, // Catmull-Rom spline for uneven times; the velocity is continuous
} fm_interpolation;

// A keyframe: displacement and rotation at one time.
typedef struct fm_key {
    double time;      // s, increasing from key to key
    fm_vec3 position; // m, displacement at that time
    // Rotation about the pivot at that time. It is normalized; all zero means no rotation. Between
    // two keys the motion takes the shorter way.
    fm_quat rotation;
} fm_key;

// Displacement axis x amplitude x sin(2 pi t / period). The axis is normalized; amplitude in m,
// period in s.
FM_API fm_motion *fm_motion_sine(fm_world *world, fm_vec3 axis, double amplitude, double period,
                                 fm_error *err);
// Displacement axis x amplitude x sin(2 pi t / period + phase), phase in rad.
FM_API fm_motion *fm_motion_sine_phase(fm_world *world, fm_vec3 axis, double amplitude,
                                       double period, double phase, fm_error *err);

// Rotation about an axis through the pivot by
//     angle + rate t + amplitude sin(2 pi t / period + phase)
typedef struct fm_turn {
    fm_vec3 axis;     // normalized; positive angles turn counter-clockwise seen from its tip
    fm_vec3 pivot;    // m
    double angle;     // rad
    double rate;      // rad/s
    double amplitude; // rad
    double period;    // s; used only if amplitude is not 0
    double phase;     // rad
} fm_turn;
FM_API fm_motion *fm_motion_turn(fm_world *world, const fm_turn *turn, fm_error *err);

// Motion through keys, which are copied. It rests at the first key before that key's time, and at
// the last key after its time.
FM_API fm_motion *fm_motion_keyframes(fm_world *world, const fm_key *keys, int key_count,
                                      fm_interpolation interpolation, fm_vec3 pivot, fm_error *err);

// Applies `inner` first, then `outer`: p -> outer(inner(p)). NULL stands for no motion. A
// composition may contain at most 1024 motions, counting those inside composed motions.
FM_API fm_motion *fm_motion_compose(fm_world *world, const fm_motion *outer, const fm_motion *inner,
                                    fm_error *err);

// Position, m, and velocity, m/s, at time t of the point that is at `point` without motion. NULL
// stands for no motion.
FM_API fm_vec3 fm_motion_position(const fm_motion *motion, fm_vec3 point, double t);
FM_API fm_vec3 fm_motion_velocity(const fm_motion *motion, fm_vec3 point, double t);

#ifdef __cplusplus
}
#endif

#endif
