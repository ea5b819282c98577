// SPDX-License-Identifier: MIT
// keyframes.c: interpolates displacements and rotations between keys.
//
// From key i at t_i to key i + 1 at t_i + h, with u = (t - t_i) / h, both are cubics in u:
//
//     d(t) = c0 + c1 u + c2 u^2 + c3 u^3
//     R(t) = exp(r(u)) R_i,      r(u) = a1 u + a2 u^2 + a3 u^3
//     spin = J(r) r'(u) / h
//     J(r) a = a + (1 - cos q) / q^2 r x a + (q - sin q) / q^3 r x (r x a)
//
//   d  displacement, m        R  rotation       r  rotation vector, rad, in world coordinates
//   q  |r|                    J  left Jacobian of exp, which maps the rate of r to the angular
//                                velocity [SOL18] eq. (145); its inverse is eq. (146)
//
// The chord (change from key to key) and the slopes at both keys fix a cubic. The interpolations
// differ in the slopes only:
//
//   linear   the slopes are the chord; rotations are then slerp
//   smooth   the slopes are zero, so the chord is multiplied by 3u^2 - 2u^3
//   spline   the slope at a key is that of the parabola through it and its two neighbours
//            (Catmull-Rom for uneven times), and at the first and the last key that of the parabola
//            through the three keys at that end. Velocity and spin are continuous; displacements
//            quadratic in time and rotations at constant spin are reproduced exactly.
//
// Between two rotations the shorter way is taken.
#include "motion/motion.h"

#include <assert.h>
#include <stdio.h>

static const char *const object = "motion"; // named in error messages

// The time from one key to the next.
typedef struct span {
    double start, length; // s
    fm_vec3 place[4];     // m, coefficients c0 ... c3 of the displacement
    fm_vec3 turn[3];      // rad, coefficients a1 ... a3 of the rotation vector
    fm_quat rotation;     // R_i, rotation at the key where the span starts
} span;

struct fm_keyframes {
    fm_vec3 pivot; // m, point that rotations are about
    int key_count;
    span *spans; // [key_count]; the last one has infinite length and no motion
};

// A displacement and a rotation vector, or their rates of change.
typedef struct change {
    fm_vec3 place, turn;
} change;

// Fills err: a member of a key has a bad value. Returns false.
static bool fail_at_key(int key, const char *member, double value, const char *allowed,
                        fm_error *err)
{
    char field[48];
    snprintf(field, sizeof field, "keys[%d].%s", key, member);
    return fm_fail_number(err, object, field, value, allowed);
}

// Checks that key i is finite and later than the key before.
static bool check_key(const fm_key *keys, int i, fm_error *err)
{
    const fm_key *key = &keys[i];
    if (!isfinite(key->time))
        return fail_at_key(i, "time", key->time, "a finite number of seconds", err);
    if (i > 0 && !(key->time > keys[i - 1].time))
        return fail_at_key(i, "time", key->time, "later than the key before", err);
    if (!fm_is_finite(key->position)) {
        char field[48];
        snprintf(field, sizeof field, "keys[%d].position", i);
        return fm_fail_vector(err, object, field, key->position, "finite numbers");
    }
    fm_quat rotation = key->rotation;
    if (!fm_quat_normalize(&rotation))
        return fail_at_key(i, "rotation", NAN, "finite numbers", err);
    return true;
}

// Checks all keys, the interpolation and the pivot.
static bool check_keys(const fm_key *keys, int key_count, fm_interpolation interpolation,
                       fm_vec3 pivot, fm_error *err)
{
    if (key_count < 1)
        return fm_fail_number(err, object, "key_count", key_count, "1 or more");
    if (interpolation != FM_INTERPOLATE_LINEAR && interpolation != FM_INTERPOLATE_SMOOTH &&
        interpolation != FM_INTERPOLATE_SPLINE)
        return fm_fail_number(err, object, "interpolation", interpolation,
                              "linear, smooth or spline");
    if (!fm_is_finite(pivot))
        return fm_fail_vector(err, object, "pivot", pivot, "finite numbers");
    assert(keys);
    for (int i = 0; i < key_count; i++) {
        if (!check_key(keys, i, err))
            return false;
    }
    return true;
}

// The change of displacement and rotation from key i to key i + 1.
static change chord(const span *spans, int i)
{
    fm_quat between = fm_quat_multiply(spans[i + 1].rotation, fm_quat_inverse(spans[i].rotation));
    return (change){
        .place = fm_sub(spans[i + 1].place[0], spans[i].place[0]),
        .turn = fm_quat_to_rotation_vector(between),
    };
}

// Scales a change, for example by 1 / time to a rate.
static change scale_change(change a, double s)
{
    return (change){fm_scale(a.place, s), fm_scale(a.turn, s)};
}

// Weighted mean of the mean rates of two spans: (1 - share) times that of `one` plus `share` times
// that of `other`. A negative share extrapolates from `one` away from `other`.
static change mix_rates(const span *spans, int one, int other, double share)
{
    change a = scale_change(chord(spans, one), (1 - share) / spans[one].length);
    change b = scale_change(chord(spans, other), share / spans[other].length);
    return (change){fm_add(a.place, b.place), fm_add(a.turn, b.turn)};
}

// The rate of change at key i: that of the parabola through it and its neighbours (at the first and
// last key: through the three keys at that end), or of the straight line if there are only two
// keys.
static change rate_at_key(const span *spans, int key_count, int i)
{
    int last = key_count - 1;
    if (last == 1)
        return mix_rates(spans, 0, 0, 0);
    if (i > 0 && i < last) {
        double before = spans[i - 1].length, after = spans[i].length;
        return mix_rates(spans, i - 1, i, before / (before + after));
    }
    int near = i ? last - 1 : 0, far = i ? last - 2 : 1; // spans at this end, the outer one first
    return mix_rates(spans, near, far,
                     -spans[near].length / (spans[near].length + spans[far].length));
}

// J(r) a: the angular velocity of a rotation vector r that changes at the rate a. Below 0.1 rad a
// Taylor series is used, whose next term is below rounding.
static fm_vec3 turn_rate_to_spin(fm_vec3 r, fm_vec3 a)
{
    // 2 half^2 = (1 - cos q) / q^2, cubic = (q - sin q) / q^3
    double q = fm_length(r), half = q > 0 ? sin(q / 2) / q : 0.5, q2 = q * q;
    double cubic =
        q < 0.1 ? (1 - q2 / 20 * (1 - q2 / 42 * (1 - q2 / 72))) / 6 : (q - sin(q)) / (q2 * q);
    fm_vec3 once = fm_cross(r, a);
    return fm_add_scaled(fm_add_scaled(a, once, 2 * half * half), fm_cross(r, once), cubic);
}

// Rate of the rotation vector r, |r| <= pi, for an angular velocity w (spin), with q = |r|:
//     J(r)^-1 w = w - 1/2 r x w + (1 - q/2 cot(q/2)) / q^2 r x (r x w)
// Below 0.03 rad the last coefficient (`square`) is a Taylor series.
static fm_vec3 spin_to_turn_rate(fm_vec3 r, fm_vec3 spin)
{
    double q = fm_length(r), q2 = q * q;
    double square =
        q < 0.03 ? (1 + q2 / 60 * (1 + q2 / 42)) / 12 : (1 - q / 2 * cos(q / 2) / sin(q / 2)) / q2;
    fm_vec3 once = fm_cross(r, spin);
    return fm_add_scaled(fm_add_scaled(spin, once, -0.5), fm_cross(r, once), square);
}

// The coefficients of u, u^2 and u^3 of a cubic that changes by `chord` from u = 0 to 1 and has the
// slopes `first` and `last` there.
static void fill_cubic(fm_vec3 coefficient[3], fm_vec3 chord, fm_vec3 first, fm_vec3 last)
{
    fm_vec3 sum = fm_add(first, last);
    coefficient[0] = first;
    coefficient[1] = fm_sub(fm_scale(chord, 3), fm_add(sum, first));
    coefficient[2] = fm_sub(sum, fm_scale(chord, 2));
}

// Computes the cubics from key i to key i + 1. The slopes of a spline are per span, not per second.
static void fill_span(span *spans, int key_count, int i, fm_interpolation interpolation)
{
    span *here = &spans[i];
    change across = chord(spans, i), first = across, last = across;
    if (interpolation == FM_INTERPOLATE_SMOOTH) {
        first = last = (change){0};
    } else if (interpolation == FM_INTERPOLATE_SPLINE) {
        first = scale_change(rate_at_key(spans, key_count, i), here->length);
        last = scale_change(rate_at_key(spans, key_count, i + 1), here->length);
        last.turn = spin_to_turn_rate(across.turn, last.turn);
    }
    fill_cubic(&here->place[1], across.place, first.place, last.place);
    fill_cubic(here->turn, across.turn, first.turn, last.turn);
}

// Creates the interpolation through keys, which rotates about `pivot`. NULL and err filled on bad
// values.
fm_keyframes *fm_keyframes_create(fm_arena *arena, const fm_key *keys, int key_count,
                                  fm_interpolation interpolation, fm_vec3 pivot, fm_error *err)
{
    if (err->status != FM_OK || !check_keys(keys, key_count, interpolation, pivot, err))
        return NULL;
    fm_keyframes *keyframes = fm_arena_alloc(arena, 1, sizeof *keyframes, object, err);
    span *spans = fm_arena_alloc(arena, (size_t)key_count, sizeof *spans, object, err);
    if (!spans)
        return NULL;
    for (int i = 0; i < key_count; i++) {
        spans[i].start = keys[i].time;
        spans[i].length = i + 1 < key_count ? keys[i + 1].time - keys[i].time : INFINITY;
        spans[i].place[0] = keys[i].position;
        spans[i].rotation = keys[i].rotation;
        fm_quat_normalize(&spans[i].rotation);
    }
    for (int i = 0; i + 1 < key_count; i++)
        fill_span(spans, key_count, i, interpolation);
    *keyframes = (fm_keyframes){pivot, key_count, spans};
    return keyframes;
}

// The last span that has begun at time t; the first span if t is before the first key.
static const span *find_span(const fm_keyframes *keyframes, double t)
{
    int begun = 0, not_begun = keyframes->key_count;
    while (not_begun - begun > 1) {
        int middle = begun + (not_begun - begun) / 2;
        if (keyframes->spans[middle].start <= t)
            begun = middle;
        else
            not_begun = middle;
    }
    return &keyframes->spans[begun];
}

// The pose at time t, s, with its velocity and angular velocity.
fm_pose fm_keyframes_pose(const fm_keyframes *keyframes, double t)
{
    const span *here = find_span(keyframes, t);
    const fm_vec3 *c = here->place, *a = here->turn;
    bool moving = t >= here->start && isfinite(here->length);
    double u = moving ? (t - here->start) / here->length : 0;
    double rate = moving ? 1 / here->length : 0;

    fm_vec3 turn = fm_scale(fm_add_scaled(a[0], fm_add_scaled(a[1], a[2], u), u), u);
    fm_vec3 turn_rate =
        fm_scale(fm_add_scaled(a[0], fm_add_scaled(fm_scale(a[1], 2), a[2], 3 * u), u), rate);
    fm_quat rotation = fm_quat_multiply(fm_quat_from_rotation_vector(turn), here->rotation);
    fm_pose pose =
        fm_pose_about_pivot(keyframes->pivot, rotation, turn_rate_to_spin(turn, turn_rate));

    fm_vec3 slope = fm_add_scaled(c[1], fm_add_scaled(c[2], c[3], u), u);
    fm_vec3 velocity = fm_add_scaled(c[1], fm_add_scaled(fm_scale(c[2], 2), c[3], 3 * u), u);
    pose.position = fm_add(pose.position, fm_add_scaled(c[0], slope, u));
    pose.velocity = fm_add_scaled(pose.velocity, velocity, rate);
    return pose;
}
