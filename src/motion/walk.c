// SPDX-License-Identifier: MIT
// walk.c: posture of a walking figure: places its feet, and moves the rest of the body with them.
//
// The pelvis moves to s(t) along z and accelerates from rest to the walking speed. All other
// motions depend on the number of gait cycles c = s / L, where L is the stride. In each cycle a
// foot swings once, for the fraction w of the cycle:
//
//     left   c in [k - w/2, k + w/2]               from L (k - 1/2) to L (k + 1/2),   k = 1, 2, ...
//     right  c in [k + 1/2 - w/2, k + 1/2 + w/2]   from L k to L (k + 1),             k = 0, 1, ...
//
// Between swings a foot stands on a footprint that does not move. The left foot starts with half a
// step, c in [0, w/2], from 0 to L/2. Before a swing the foot rolls over its toe, and after it the
// foot lands on its heel. Toe and heel are round, and the foot turns about their centres, so that
// it neither slides nor penetrates the floor. The legs follow from the feet by inverse kinematics
// (kinematics.c). Pelvis, trunk and arms swing as in human gait: each hip moves forwards with its
// foot, shoulders and arms move against it.
//
// w and the amplitudes are typical of adults at 1.2 m/s [PER92]. Amplitudes grow from zero during
// the first half step.
#include "motion/figure.h"

static const double SWING = 0.4;    // w, fraction of a cycle in which a foot swings
static const double FORWARD = 0.06; // distance of the hips ahead of the feet's mean, in strides
static const double BOB = 0.016; // vertical amplitude of the pelvis, in heights; two per gait cycle
// Largest distance from hip to ankle relative to a straight leg; below 1 the knees stay bent.
static const double LONGEST = 0.996;
// Stride, in heights, at which the amplitudes of the gait are as given below; they scale with the
// stride. The ratio of the stride to this one is called vigour.
static const double TYPICAL_STRIDE = 0.8;

// Maps c linearly so that `begin` becomes 0 and `end` becomes 1.
static fm_jet rescale(fm_jet c, double begin, double end)
{
    return fm_jet_affine(c, 1 / (end - begin), -begin / (end - begin));
}

// One swing of a foot.
typedef struct swing {
    double lift, land; // cycles c at which it begins and ends
    double from, step; // footprint before it, and distance to the next footprint, in strides
    bool is_first;     // it is the first step of the left foot, which is half as long
} swing;

// The swing of a foot that is under way at gait cycle c, or the nearest one.
static swing find_swing(double c, bool left)
{
    if (!left) {
        double k = fmax(floor(c), 0);
        return (swing){k + 0.5 - SWING / 2, k + 0.5 + SWING / 2, k, 1, false};
    }
    double k = fmax(round(c), 0);
    if (k == 0)
        return (swing){0, SWING / 2, 0, 0.5, true};
    return (swing){k - SWING / 2, k + SWING / 2, k - 0.5, 1, false};
}

// A rotation of a foot by `angle` about the x direction through `pivot`.
static fm_pose tilt(fm_vec3 pivot, fm_jet angle)
{
    fm_vec3 axis = {1, 0, 0};
    return fm_pose_about_pivot(pivot, fm_quat_from_rotation_vector(fm_scale(axis, angle.v)),
                               fm_scale(axis, angle.d));
}

// The pose of a foot at gait cycle c; maps the bind pose to the figure's own frame. Before a swing
// the foot rolls over its toe by up to 42 degrees (14 in the first step), after it the heel lands
// with the toe 16 degrees up. In the swing the foot rises by 2 % of the height. All three scale
// with the stride.
static fm_pose place_foot(const fm_figure *figure, fm_jet c, bool left)
{
    const fm_measures *m = &figure->measures;
    double stride = figure->def.walk.stride, vigour = stride / (TYPICAL_STRIDE * m->height);
    swing s = find_swing(c.v, left);
    // the toe roll begins and ends this many cycles before and after the foot lifts
    double side = left ? 1 : -1, before = s.is_first ? 0 : 0.24, after = s.is_first ? 0.2 : 0.32;
    fm_jet z =
        fm_jet_affine(fm_jet_ease(rescale(c, s.lift, s.land)), s.step * stride, s.from * stride);
    fm_jet up =
        fm_jet_affine(fm_jet_bump(rescale(c, s.lift, s.land)), 0.02 * vigour * m->height, 0);
    double heel = (s.is_first ? 14 : 42) * FM_DEGREE * vigour, toe = -16 * FM_DEGREE * vigour;
    fm_jet rise = fm_jet_affine(fm_jet_bump(rescale(c, s.lift - before, s.lift + after)), heel, 0);
    // the heel lands from 0.16 cycles before the end of the swing to 0.08 after it
    fm_jet land = fm_jet_affine(fm_jet_bump(rescale(c, s.land - 0.16, s.land + 0.08)), toe, 0);
    double x = side * m->hip_side; // x of the foot in the bind pose, m
    fm_pose on_toe = tilt((fm_vec3){x, m->toe_radius, m->toe}, rise);
    fm_pose on_heel = tilt((fm_vec3){x, m->heel_radius, m->heel}, land);
    fm_pose moved = fm_pose_identity();
    moved.position = (fm_vec3){side * (m->foot_side - m->hip_side), up.v, z.v};
    moved.velocity = (fm_vec3){0, up.d, z.d};
    // The first footprint is under the hip, where the foot stands at time 0; later ones are nearer
    // to the middle.
    if (s.is_first || s.from == 0) {
        fm_jet narrowing = fm_jet_ease(rescale(c, s.lift, s.land));
        moved.position.x *= narrowing.v;
        moved.velocity.x = side * (m->foot_side - m->hip_side) * narrowing.d;
    }
    fm_pose turned = fm_pose_compose(&on_toe, &on_heel);
    return fm_pose_compose(&moved, &turned);
}

// How much lower than in the bind pose the hips must be, m, so that the legs reach the feet at all
// times of a gait cycle. A margin of 0.3 % of the height allows for turn and roll of the pelvis.
double fm_figure_find_walk_drop(const fm_figure *figure)
{
    enum { SAMPLES = 400 }; // instants of a gait cycle that are tried
    const fm_measures *m = &figure->measures;
    double leg = LONGEST * (m->thigh + m->shin), most = figure->crouch;
    for (int i = 0; i < SAMPLES; i++) {
        double c = 1 + (double)i / SAMPLES, bob = cos(4 * FM_PI * c);
        for (int left = 0; left < 2; left++) {
            fm_pose foot = place_foot(figure, (fm_jet){c, 0}, left);
            fm_vec3 ankle =
                fm_pose_apply(&foot, (fm_vec3){left ? m->hip_side : -m->hip_side, m->ankle, 0});
            double ahead = ankle.z - (c + FORWARD) * figure->def.walk.stride;
            // height of the hip over the ankle; the lower limit keeps the root real for feet that
            // are too far away
            double reach = sqrt(fmax(leg * leg - ahead * ahead, 0.1 * leg * leg));
            double drop = m->hip - ankle.y - reach + BOB * m->height * bob;
            most = fmax(most, drop);
        }
    }
    return most + 0.003 * m->height;
}

// Adds the swing of the arms, with amplitudes [PER92] at TYPICAL_STRIDE. sine, delayed_sine: of the
// gait phase, for shoulders and elbows; fade_in: grows from 0 to 1 in the first step; vigour:
// scales the amplitudes with the stride.
static void swing_arms(fm_posture *p, fm_jet fade_in, fm_jet sine, fm_jet delayed_sine,
                       double vigour)
{
    for (int side = 0; side < 2; side++) {
        double forwards = side == 0 ? -1 : 1; // an arm swings against the foot of the same side
        fm_jet swung = fm_jet_mul(
            fade_in, fm_jet_affine(sine, forwards * 24 * FM_DEGREE * vigour, 4 * FM_DEGREE));
        fm_jet bent =
            fm_jet_mul(fade_in, fm_jet_affine(delayed_sine, forwards * 12 * FM_DEGREE * vigour,
                                              12 * FM_DEGREE));
        p->arm_flexion[side] = fm_jet_add(p->arm_flexion[side], swung);
        p->elbow[side] = fm_jet_add(p->elbow[side], bent);
    }
}

// The angle degrees x fade_in x wave, in rad.
static fm_jet swing_angle(fm_jet fade_in, fm_jet wave, double degrees)
{
    return fm_jet_affine(fm_jet_mul(fade_in, wave), degrees * FM_DEGREE, 0);
}

// Posture of a walking figure at time t, s: footprints, and the swing of pelvis, trunk, neck and
// arms. Amplitudes in degrees [PER92] scale with the stride (vigour, limited to 1.2) and grow from
// zero to their full size within one swing of a foot (fade_in) or half of one (fast_fade_in).
fm_posture fm_figure_walking_posture(const fm_figure *figure, double t)
{
    const fm_figure_def *def = &figure->def;
    const fm_measures *m = &figure->measures;
    double stride = def->walk.stride, vigour = fmin(stride / (TYPICAL_STRIDE * m->height), 1.2);
    fm_jet s = fm_jet_affine(fm_jet_ramped_time(t, def->start, def->ramp), def->walk.speed, 0);
    fm_jet c = fm_jet_affine(s, 1 / stride, 0), phase = fm_jet_affine(c, 2 * FM_PI, 0);
    fm_jet sine = fm_jet_sin(phase), cosine = fm_jet_cos(phase);
    fm_jet delayed_sine = fm_jet_sin(fm_jet_affine(phase, 1, -0.5));
    fm_jet fade_in = fm_jet_ease(rescale(c, 0, SWING));
    fm_jet fast_fade_in = fm_jet_ease(rescale(c, 0, SWING / 2));
    fm_posture p = fm_figure_standing_posture(figure, t);
    p.feet_given = true;
    p.feet[0] = place_foot(figure, c, true);
    p.feet[1] = place_foot(figure, c, false);
    p.z = fm_jet_add(s, fm_jet_affine(fast_fade_in, FORWARD * stride, 0));
    // the pelvis moves over the standing foot, by 1.2 % of the height
    p.x = fm_jet_affine(fm_jet_mul(fade_in, cosine), -0.012 * m->height * vigour, 0);
    fm_jet bob = fm_jet_cos(fm_jet_affine(phase, 2, 0));
    fm_jet lower = fm_jet_affine(bob, BOB * m->height, figure->crouch - figure->walk_drop);
    p.y = fm_jet_add(p.y, fm_jet_mul(fast_fade_in, lower));
    p.turn = swing_angle(fade_in, sine, -6 * vigour);
    p.roll = swing_angle(fade_in, cosine, 3.5 * vigour);
    p.lean = fm_jet_affine(fade_in, 2 * FM_DEGREE, 0);
    p.spine_turn = swing_angle(fade_in, sine, 5 * vigour);
    p.spine_roll = swing_angle(fade_in, cosine, -3 * vigour);
    p.chest_turn = swing_angle(fade_in, sine, 6 * vigour);
    p.chest_roll = swing_angle(fade_in, cosine, -1.5 * vigour);
    p.neck_turn = swing_angle(fade_in, sine, -5 * vigour); // so that the head faces forwards
    p.neck_roll = swing_angle(fade_in, cosine, 1 * vigour);
    p.neck_lean = fm_jet_affine(fade_in, -2 * FM_DEGREE, 0);
    swing_arms(&p, fade_in, sine, delayed_sine, vigour);
    return p;
}
