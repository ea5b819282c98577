// SPDX-License-Identifier: MIT
// keyframes.c: displacements and rotations through given keys.
//
// From key i to key i + 1, h later, with u = (t - t_i) / h, both are cubics:
//
//     d(t) = c0 + c1 u + c2 u^2 + c3 u^3
//     R(t) = exp(r(u)) R_i,      r(u) = a1 u + a2 u^2 + a3 u^3
//     spin = J(r) r'(u) / h,     J(r) a = a + (1 - cos q) / q^2 r x a + (q - sin q) / q^3 r x (r x
//     a)
//
//   r  rotation vector, rad, in the frame of the world     q  |r|
//   J  left Jacobian of exp: what turns the rate of r into a spin [SOL18] eq. (145), inverse (146)
//
// A cubic is fixed by its chord and its slopes at both keys, and the interpolations differ in the
// slopes only. linear: the chord itself (rotations: slerp). smooth: none, which is the chord times
// 3u^2 - 2u^3. spline: of the parabola through the key and its neighbours (Catmull-Rom for
// uneven times), at the first and the last key of the parabola through the three at that end; so
// speed and spin are continuous, and displacements quadratic in time and steady turns come out
// exactly. From rotation to rotation the shorter way is taken.
//
// [SOL18] Solà, Deray, Atchuthan: A micro Lie theory for state estimation in robotics. 2018.
#include "motion/motion.h"

#include <assert.h>
#include <stdio.h>

static const char *const object = "motion";

typedef struct span {
    double start, length; // s
    fm_vec3 place[4];     // c0 ... c3, m
    fm_vec3 turn[3];      // a1 ... a3, rad
    fm_quat rotation;     // at its key
} span;

struct fm_keyframes {
    fm_vec3 pivot;
    int key_count;
    span *spans; // one per key; the last stays where it is
};

// Displacement and rotation vector, or their rates.
typedef struct change {
    fm_vec3 place, turn;
} change;

static bool fail_at_key(int key, const char *member, double value, const char *allowed,
                        fm_error *err)
{
    char field[48];
    snprintf(field, sizeof field, "keys[%d].%s", key, member);
    return fm_fail_number(err, object, field, value, allowed);
}

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
    if (!fm_quat_make_unit(&rotation))
        return fail_at_key(i, "rotation", NAN, "finite numbers", err);
    return true;
}

static bool check(const fm_key *keys, int key_count, fm_interpolation interpolation, fm_vec3 pivot,
                  fm_error *err)
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

// From key i to the next.
static change chord(const span *spans, int i)
{
    fm_quat between = fm_quat_multiply(spans[i + 1].rotation, fm_quat_inverse(spans[i].rotation));
    return (change){
        .place = fm_sub(spans[i + 1].place[0], spans[i].place[0]),
        .turn = fm_quat_to_turn(between),
    };
}

static change scale(change a, double s)
{
    return (change){fm_scale(a.place, s), fm_scale(a.turn, s)};
}

// The mean rate of one span, moved by `share` towards that of another.
static change mix_rates(const span *spans, int one, int other, double share)
{
    change a = scale(chord(spans, one), (1 - share) / spans[one].length);
    change b = scale(chord(spans, other), share / spans[other].length);
    return (change){fm_add(a.place, b.place), fm_add(a.turn, b.turn)};
}

// The rate at key i of the parabola through it and its neighbours.
static change rate_at_key(const span *spans, int key_count, int i)
{
    int last = key_count - 1;
    if (last == 1)
        return mix_rates(spans, 0, 0, 0);
    if (i > 0 && i < last) {
        double before = spans[i - 1].length, after = spans[i].length;
        return mix_rates(spans, i - 1, i, before / (before + after));
    }
    int near = i ? last - 1 : 0, far = i ? last - 2 : 1;
    return mix_rates(spans, near, far,
                     -spans[near].length / (spans[near].length + spans[far].length));
}

// J(r) a; below 0.1 rad the series, whose next term is less than rounding.
static fm_vec3 turn_rate_to_spin(fm_vec3 r, fm_vec3 a)
{
    double q = fm_length(r), half = q > 0 ? sin(q / 2) / q : 0.5, q2 = q * q;
    double cubic =
        q < 0.1 ? (1 - q2 / 20 * (1 - q2 / 42 * (1 - q2 / 72))) / 6 : (q - sin(q)) / (q2 * q);
    fm_vec3 once = fm_cross(r, a);
    return fm_add_scaled(fm_add_scaled(a, once, 2 * half * half), fm_cross(r, once), cubic);
}

// The inverse of J(r), for |r| <= pi; below 0.03 rad the series.
static fm_vec3 spin_to_turn_rate(fm_vec3 r, fm_vec3 spin)
{
    double q = fm_length(r), q2 = q * q;
    double square =
        q < 0.03 ? (1 + q2 / 60 * (1 + q2 / 42)) / 12 : (1 - q / 2 * cos(q / 2) / sin(q / 2)) / q2;
    fm_vec3 once = fm_cross(r, spin);
    return fm_add_scaled(fm_add_scaled(spin, once, -0.5), fm_cross(r, once), square);
}

// The coefficients of u, u^2 and u^3 from the chord and the slopes d/du at both ends.
static void fill_cubic(fm_vec3 coefficient[3], fm_vec3 whole, fm_vec3 first, fm_vec3 last)
{
    fm_vec3 sum = fm_add(first, last);
    coefficient[0] = first;
    coefficient[1] = fm_sub(fm_scale(whole, 3), fm_add(sum, first));
    coefficient[2] = fm_sub(sum, fm_scale(whole, 2));
}

static void fill_span(span *spans, int key_count, int i, fm_interpolation interpolation)
{
    span *here = &spans[i];
    change whole = chord(spans, i), first = whole, last = whole;
    if (interpolation == FM_INTERPOLATE_SMOOTH) {
        first = last = (change){0};
    } else if (interpolation == FM_INTERPOLATE_SPLINE) {
        first = scale(rate_at_key(spans, key_count, i), here->length);
        last = scale(rate_at_key(spans, key_count, i + 1), here->length);
        last.turn = spin_to_turn_rate(whole.turn, last.turn);
    }
    fill_cubic(&here->place[1], whole.place, first.place, last.place);
    fill_cubic(here->turn, whole.turn, first.turn, last.turn);
}

fm_keyframes *fm_keyframes_new(fm_arena *arena, const fm_key *keys, int key_count,
                               fm_interpolation interpolation, fm_vec3 pivot, fm_error *err)
{
    if (err->status != FM_OK || !check(keys, key_count, interpolation, pivot, err))
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
        fm_quat_make_unit(&spans[i].rotation);
    }
    for (int i = 0; i + 1 < key_count; i++)
        fill_span(spans, key_count, i, interpolation);
    *keyframes = (fm_keyframes){pivot, key_count, spans};
    return keyframes;
}

// The last span that has begun; the first when none has.
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
    fm_quat rotation = fm_quat_multiply(fm_quat_of_turn(turn), here->rotation);
    fm_pose pose = fm_pose_about(keyframes->pivot, rotation, turn_rate_to_spin(turn, turn_rate));

    fm_vec3 slope = fm_add_scaled(c[1], fm_add_scaled(c[2], c[3], u), u);
    fm_vec3 velocity = fm_add_scaled(c[1], fm_add_scaled(fm_scale(c[2], 2), c[3], 3 * u), u);
    pose.position = fm_add(pose.position, fm_add_scaled(c[0], slope, u));
    pose.velocity = fm_add_scaled(pose.velocity, velocity, rate);
    return pose;
}
