// SPDX-License-Identifier: MIT
// motion.h: how pins and colliders move: a displacement and a rotation as functions of time.
//
// A motion carries a point p of the thing it moves to
//
//     p(t) = pivot + R(t) (p(0) - pivot) + d(t)
//
// Motions belong to the world they are made in and may move any number of things.
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

typedef enum fm_interpolation {
    FM_INTERPOLATE_LINEAR, // straight from key to key, speed jumps at keys
    FM_INTERPOLATE_SMOOTH, // eases in and out: rests for a moment at each key
    FM_INTERPOLATE_SPLINE, // a smooth curve through the keys (Catmull-Rom in time), speed
                           // continuous
} fm_interpolation;

typedef struct fm_key {
    double time;      // s, increasing from key to key
    fm_vec3 position; // m, displacement at that time
    fm_quat rotation; // about the pivot; all zero means none
} fm_key;

// Displacement axis x amplitude x sin(2 pi t / period); axis is made a unit vector.
FM_API fm_motion *fm_motion_sine(fm_world *world, fm_vec3 axis, double amplitude, double period,
                                 fm_error *err);
// The same with a phase in radians: sin(2 pi t / period + phase).
FM_API fm_motion *fm_motion_sine_phase(fm_world *world, fm_vec3 axis, double amplitude,
                                       double period, double phase, fm_error *err);
// Rotation about an axis through the pivot: angle + rate t + amplitude sin(2 pi t / period +
// phase).
typedef struct fm_turn {
    fm_vec3 axis, pivot;
    double angle;     // rad
    double rate;      // rad/s
    double amplitude; // rad
    double period;    // s; needed when amplitude is not 0
    double phase;     // rad
} fm_turn;
FM_API fm_motion *fm_motion_turn(fm_world *world, const fm_turn *turn, fm_error *err);
// Before the first key it stays there, after the last key too.
FM_API fm_motion *fm_motion_keyframes(fm_world *world, const fm_key *keys, int key_count,
                                      fm_interpolation interpolation, fm_vec3 pivot, fm_error *err);
// First `inner`, then `outer`: p -> outer(inner(p)). Pure displacements add up.
FM_API fm_motion *fm_motion_compose(fm_world *world, const fm_motion *outer, const fm_motion *inner,
                                    fm_error *err);

// Where a point and how fast it is at time t: for those who want to look.
FM_API fm_vec3 fm_motion_position(const fm_motion *motion, fm_vec3 point, double t);
FM_API fm_vec3 fm_motion_velocity(const fm_motion *motion, fm_vec3 point, double t);

#ifdef __cplusplus
}
#endif

#endif
