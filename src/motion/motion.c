// SPDX-License-Identifier: MIT
// motion.c: creates motions from checked values and evaluates their poses.
//
// A sine displaces, a turn rotates about its axis a through the pivot:
//
//     d(t) = a A sin(o t + p)            angle(t) = angle + rate t + A sin(o t + p)
//     v(t) = a A o cos(o t + p)          spin(t)  = a (rate + A o cos(o t + p))
//
//   A  amplitude, m or rad      o  2 pi / period, rad/s      p  phase, rad
//   a  axis, unit vector        rate  rad/s                  t  time, s
//
// Motions through keys are in keyframes.c. A composed motion is a binary tree of other motions.
#include "motion/motion.h"
#include "motion/figure.h"

#include <assert.h>

static const char *const object = "motion"; // named in error messages

// Largest number of simple motions in a composed one. It bounds the recursion depth and the cost of
// an evaluation; a figure needs far fewer.
enum { MAX_PARTS = 1024 };

typedef enum motion_kind {
    MOTION_SINE,
    MOTION_TURN,
    MOTION_KEYFRAMES,
    MOTION_FIGURE,
    MOTION_COMPOSED,
} motion_kind;

// A sine wave in time.
typedef struct wave {
    double amplitude, frequency, phase; // m or rad, rad/s, rad
} wave;

struct fm_motion {
    motion_kind kind;
    int part_count; // simple motions in a composed one; 1 for the other kinds
    fm_vec3 axis;   // unit vector, of a sine or a turn (rotation)
    wave wave;      // displacement of a sine, swing of a turn
    fm_vec3 pivot;  // m, point that a turn rotates about
    double angle;   // rad, angle of a turn at time 0 without its swing
    double rate;    // rad/s, constant angular velocity of a turn
    const fm_keyframes *keyframes;
    const fm_figure *figure; // figure whose bone the motion follows
    fm_bone bone;
    const fm_motion *outer, *inner; // parts of a composed motion; NULL: no motion
};

// Allocates a motion of one kind.
static fm_motion *create_motion(fm_arena *arena, motion_kind kind, fm_error *err)
{
    fm_motion *motion = fm_arena_alloc(arena, 1, sizeof *motion, object, err);
    if (motion) {
        motion->kind = kind;
        motion->part_count = 1;
    }
    return motion;
}

// Fails unless a value is finite. field: named in the error.
static bool check_number(const char *field, double value, fm_error *err)
{
    return isfinite(value) || fm_fail_number(err, object, field, value, "a finite number");
}

// Checks amplitude, period and phase of a sine wave.
static bool check_wave(double amplitude, double period, double phase, fm_error *err)
{
    if (!check_number("amplitude", amplitude, err) || !check_number("phase", phase, err))
        return false;
    if (!(period > 0) || !isfinite(period) || !isfinite(2 * FM_PI / period))
        return fm_fail_number(err, object, "period", period, "> 0 seconds");
    return true;
}

// Scales an axis to length 1; fails if it has no direction.
static bool normalize_axis(fm_vec3 *axis, fm_error *err)
{
    return fm_normalize(axis) ||
           fm_fail_vector(err, object, "axis", *axis, "a finite vector other than zero");
}

// Creates a displacement along an axis by a sine: amplitude in m, period in s, phase in rad.
fm_motion *fm_motion_create_sine(fm_arena *arena, fm_vec3 axis, double amplitude, double period,
                                 double phase, fm_error *err)
{
    if (!normalize_axis(&axis, err) || !check_wave(amplitude, period, phase, err))
        return NULL;
    fm_motion *motion = create_motion(arena, MOTION_SINE, err);
    if (!motion)
        return NULL;
    motion->axis = axis;
    motion->wave = (wave){amplitude, 2 * FM_PI / period, phase};
    return motion;
}

// Creates a rotation about an axis: constant angular velocity plus a sine wave.
fm_motion *fm_motion_create_turn(fm_arena *arena, const fm_turn *turn, fm_error *err)
{
    assert(turn);
    fm_vec3 axis = turn->axis;
    bool swings = turn->amplitude != 0;
    if (!normalize_axis(&axis, err) || !check_number("angle", turn->angle, err) ||
        !check_number("rate", turn->rate, err) ||
        !check_wave(turn->amplitude, swings ? turn->period : 1, turn->phase, err))
        return NULL;
    if (!fm_is_finite(turn->pivot)) {
        fm_fail_vector(err, object, "pivot", turn->pivot, "finite numbers");
        return NULL;
    }
    fm_motion *motion = create_motion(arena, MOTION_TURN, err);
    if (!motion)
        return NULL;
    motion->axis = axis;
    motion->pivot = turn->pivot;
    motion->angle = turn->angle;
    motion->rate = turn->rate;
    if (swings)
        motion->wave = (wave){turn->amplitude, 2 * FM_PI / turn->period, turn->phase};
    return motion;
}

// Creates a motion that interpolates keys and rotates about `pivot`.
fm_motion *fm_motion_create_keyframes(fm_arena *arena, const fm_key *keys, int key_count,
                                      fm_interpolation interpolation, fm_vec3 pivot, fm_error *err)
{
    fm_keyframes *keyframes =
        fm_keyframes_create(arena, keys, key_count, interpolation, pivot, err);
    fm_motion *motion = keyframes ? create_motion(arena, MOTION_KEYFRAMES, err) : NULL;
    if (motion)
        motion->keyframes = keyframes;
    return motion;
}

// Creates a motion that follows a bone of a figure.
fm_motion *fm_motion_create_figure(fm_arena *arena, const fm_figure *figure, int bone,
                                   fm_error *err)
{
    assert(figure);
    if (bone < 0 || bone >= FM_BONE_COUNT) {
        fm_fail_number(err, object, "bone", bone, "an fm_bone");
        return NULL;
    }
    fm_motion *motion = create_motion(arena, MOTION_FIGURE, err);
    if (!motion)
        return NULL;
    motion->figure = figure;
    motion->bone = (fm_bone)bone;
    return motion;
}

// Creates the motion `inner` followed by `outer`; NULL stands for no motion.
fm_motion *fm_motion_create_composed(fm_arena *arena, const fm_motion *outer,
                                     const fm_motion *inner, fm_error *err)
{
    int part_count = (outer ? outer->part_count : 1) + (inner ? inner->part_count : 1);
    if (part_count > MAX_PARTS) {
        fm_fail_number(err, object, "parts", part_count, "at most 1024 in one composition");
        return NULL;
    }
    fm_motion *motion = create_motion(arena, MOTION_COMPOSED, err);
    if (!motion)
        return NULL;
    motion->part_count = part_count;
    motion->outer = outer;
    motion->inner = inner;
    return motion;
}

// Value of a sine wave at time t, s.
static double wave_value(const wave *w, double t)
{
    return w->amplitude * sin(w->frequency * t + w->phase);
}

// Time derivative of a sine wave at time t, s.
static double wave_rate(const wave *w, double t)
{
    return w->amplitude * w->frequency * cos(w->frequency * t + w->phase);
}

// Pose of a displacement by a sine along an axis.
static fm_pose sine_pose(const fm_motion *motion, double t)
{
    fm_pose pose = fm_pose_identity();
    pose.position = fm_scale(motion->axis, wave_value(&motion->wave, t));
    pose.velocity = fm_scale(motion->axis, wave_rate(&motion->wave, t));
    return pose;
}

// Pose of a rotation about an axis through the pivot.
static fm_pose turn_pose(const fm_motion *motion, double t)
{
    double angle = motion->angle + motion->rate * t + wave_value(&motion->wave, t);
    double rate = motion->rate + wave_rate(&motion->wave, t);
    fm_quat rotation = fm_quat_from_rotation_vector(fm_scale(motion->axis, angle));
    return fm_pose_about_pivot(motion->pivot, rotation, fm_scale(motion->axis, rate));
}

// The pose at time t, s; the identity for NULL.
fm_pose fm_motion_pose(const fm_motion *motion, double t)
{
    if (!motion)
        return fm_pose_identity();
    switch (motion->kind) {
    case MOTION_SINE:
        return sine_pose(motion, t);
    case MOTION_TURN:
        return turn_pose(motion, t);
    case MOTION_KEYFRAMES:
        return fm_keyframes_pose(motion->keyframes, t);
    case MOTION_FIGURE:
        return fm_figure_bone_pose(motion->figure, motion->bone, t);
    case MOTION_COMPOSED:
        break;
    }
    fm_pose outer = fm_motion_pose(motion->outer, t), inner = fm_motion_pose(motion->inner, t);
    return fm_pose_compose(&outer, &inner);
}

// Where a motion moves a point by time t, s.
fm_vec3 fm_motion_position(const fm_motion *motion, fm_vec3 point, double t)
{
    fm_pose pose = fm_motion_pose(motion, t);
    return fm_pose_apply(&pose, point);
}

// Velocity, m/s, at time t of the point that a motion moves from `point`.
fm_vec3 fm_motion_velocity(const fm_motion *motion, fm_vec3 point, double t)
{
    fm_pose pose = fm_motion_pose(motion, t);
    return fm_pose_velocity_at(&pose, fm_pose_apply(&pose, point));
}

// The highest speed, m/s, at SAMPLES + 1 times from t to t + duration, of the point that is at `at`
// without motion.
double fm_motion_find_top_speed(const fm_motion *motion, fm_vec3 at, double t, double duration)
{
    enum { SAMPLES = 16 };
    double fastest = 0;
    for (int n = 0; n <= SAMPLES && motion; n++) {
        fm_pose pose = fm_motion_pose(motion, t + duration * n / SAMPLES);
        fm_vec3 v = fm_pose_velocity_at(&pose, fm_pose_apply(&pose, at));
        fastest = fmax(fastest, fm_length(v));
    }
    return fastest;
}
