// SPDX-License-Identifier: MIT
// motion.h: how pins and colliders move: a displacement and a rotation as functions of time.
//
// A motion carries the point that the thing it moves has at p to
//
//     p(t) = pivot + R(t) (p - pivot) + d(t)
//
// with its own pivot, rotation R and displacement d. Nothing makes R(0) and d(0) vanish: a sine
// with a phase begins displaced. Velocities are the exact derivatives; where they jump, as at keys,
// the one just after t is meant. Motions belong to the world they are made in and may move any
// number of things.
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
    FM_INTERPOLATE_SMOOTH, // eases in and out (3u^2 - 2u^3): rests for a moment at each key
    FM_INTERPOLATE_SPLINE, // smooth through the keys (Catmull-Rom in time), speed continuous
} fm_interpolation;

typedef struct fm_key {
    double time;      // s, increasing from key to key
    fm_vec3 position; // m, displacement at that time
    fm_quat rotation; // about the pivot, made a unit; all zero means none; turns the shorter way
} fm_key;

// Displacement axis x amplitude x sin(2 pi t / period); axis is made a unit vector.
FM_API fm_motion *fm_motion_sine(fm_world *world, fm_vec3 axis, double amplitude, double period,
                                 fm_error *err);
// The same with a phase in radians: sin(2 pi t / period + phase).
FM_API fm_motion *fm_motion_sine_phase(fm_world *world, fm_vec3 axis, double amplitude,
                                       double period, double phase, fm_error *err);

// Rotation about an axis through the pivot by
//     angle + rate t + amplitude sin(2 pi t / period + phase)
typedef struct fm_turn {
    fm_vec3 axis;     // made a unit vector; turns counterclockwise seen from its tip
    fm_vec3 pivot;    // m
    double angle;     // rad
    double rate;      // rad/s
    double amplitude; // rad
    double period;    // s; needed when amplitude is not 0
    double phase;     // rad
} fm_turn;
FM_API fm_motion *fm_motion_turn(fm_world *world, const fm_turn *turn, fm_error *err);

// Before the first key it stays there, after the last key too. The keys are copied.
FM_API fm_motion *fm_motion_keyframes(fm_world *world, const fm_key *keys, int key_count,
                                      fm_interpolation interpolation, fm_vec3 pivot, fm_error *err);

// First `inner`, then `outer`: p -> outer(inner(p)). Pure displacements add up. NULL is rest. At
// most 1024 motions may be put together.
FM_API fm_motion *fm_motion_compose(fm_world *world, const fm_motion *outer, const fm_motion *inner,
                                    fm_error *err);

// Where the point is at time t, and how fast: for those who want to look. NULL is rest.
FM_API fm_vec3 fm_motion_position(const fm_motion *motion, fm_vec3 point, double t);
FM_API fm_vec3 fm_motion_velocity(const fm_motion *motion, fm_vec3 point, double t);

#ifdef __cplusplus
}
#endif

#endif
