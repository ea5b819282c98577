// SPDX-License-Identifier: MIT
// walk.c: how a figure walks: footprints first, then everything that is carried by them.
//
// The pelvis goes at s(t) along z, from rest to the walking speed; everything else depends on the
// number of cycles c = s / L, L the stride. In a cycle each foot swings once, for a share w of it:
//
//     left   c in [k - w/2, k + w/2]               from L (k - 1/2) to L (k + 1/2),   k = 1, 2, ...
//     right  c in [k + 1/2 - w/2, k + 1/2 + w/2]   from L k to L (k + 1),             k = 0, 1, ...
//
// and stands in between, on a footprint that does not move; the left foot begins with half a step,
// c in [0, w/2], from 0 to L/2. Before it swings the heel rises about the toe, and it comes down on
// its heel: the ends of the foot are round, and it turns about their middles, so that it neither
// slides nor sinks. Legs are solved for the feet. Pelvis, trunk and arms swing as in human gait:
// the hip goes with its foot, shoulders and arms against it.
//
//   w, amplitudes  typical of adults at 1.2 m/s [PER92]; they come in over the first half step
//
// [PER92] Perry: Gait analysis, normal and pathological function. Slack, 1992.
#include "motion/figure.h"

static const double SWING = 0.4;     // share of a cycle
static const double FORWARD = 0.06;  // strides that the hips are before the middle of the feet
static const double BOB = 0.016;     // of the height, up and down, twice a cycle
static const double LONGEST = 0.996; // of a leg, when it reaches for its foot: knees stay bent
static const double DEGREE = FM_PI / 180;

// c from the beginning of a window to its end, as 0 to 1.
static fm_jet within(fm_jet c, double begin, double end)
{
    return fm_jet_line(c, 1 / (end - begin), -begin / (end - begin));
}

// Where a foot is in its cycle: its swing is from `lift` to `land`, its footprints at `from` and
// `from + step`, in strides. half: the first step of the left foot.
typedef struct swing {
    double lift, land, from, step;
    bool half;
} swing;

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

// A foot turned about x through a point, by an angle with its rate.
static fm_pose tilt(fm_vec3 pivot, fm_jet angle)
{
    fm_vec3 axis = {1, 0, 0};
    return fm_pose_about(pivot, fm_quat_of_turn(fm_scale(axis, angle.v)), fm_scale(axis, angle.d));
}

static fm_pose place_foot(const fm_figure *figure, fm_jet c, bool left)
{
    const fm_measures *m = &figure->measures;
    double stride = figure->def.walk.stride, vigour = stride / (0.8 * m->height);
    swing s = find_swing(c.v, left);
    double side = left ? 1 : -1, before = s.half ? 0 : 0.24, rest = s.half ? 0.2 : 0.32;
    fm_jet z =
        fm_jet_line(fm_jet_ease(within(c, s.lift, s.land)), s.step * stride, s.from * stride);
    fm_jet up = fm_jet_line(fm_jet_bump(within(c, s.lift, s.land)), 0.02 * vigour * m->height, 0);
    double heel = (s.half ? 14 : 42) * DEGREE * vigour, toe = -16 * DEGREE * vigour;
    fm_jet rise = fm_jet_line(fm_jet_bump(within(c, s.lift - before, s.lift + rest)), heel, 0);
    fm_jet land = fm_jet_line(fm_jet_bump(within(c, s.land - 0.16, s.land + 0.08)), toe, 0);
    double x = side * m->hip_side; // of the foot in the bind pose
    fm_pose on_toe = tilt((fm_vec3){x, m->toe_radius, m->toe}, rise);
    fm_pose on_heel = tilt((fm_vec3){x, m->heel_radius, m->heel}, land);
    fm_pose moved = fm_pose_identity();
    moved.position = (fm_vec3){side * (m->foot_side - m->hip_side), up.v, z.v};
    moved.velocity = (fm_vec3){0, up.d, z.d};
    // the first footprint is under the hip, as it stands
    if (s.half || s.from == 0) {
        fm_jet narrowing = fm_jet_ease(within(c, s.lift, s.land));
        moved.position.x *= narrowing.v;
        moved.velocity.x = side * (m->foot_side - m->hip_side) * narrowing.d;
    }
    fm_pose turned = fm_pose_compose(&on_toe, &on_heel);
    return fm_pose_compose(&moved, &turned);
}

// How much lower than straight the hips must be for the feet to be reached, at every c.
double fm_figure_find_walk_drop(const fm_figure *figure)
{
    enum { SAMPLES = 400 };
    const fm_measures *m = &figure->measures;
    double leg = LONGEST * (m->thigh + m->shin), most = figure->crouch;
    for (int i = 0; i < SAMPLES; i++) {
        double c = 1 + (double)i / SAMPLES, bob = cos(4 * FM_PI * c);
        for (int left = 0; left < 2; left++) {
            fm_pose foot = place_foot(figure, (fm_jet){c, 0}, left);
            fm_vec3 ankle =
                fm_pose_apply(&foot, (fm_vec3){left ? m->hip_side : -m->hip_side, m->ankle, 0});
            double ahead = ankle.z - (c + FORWARD) * figure->def.walk.stride;
            double reach = sqrt(fmax(leg * leg - ahead * ahead, 0.1 * leg * leg));
            double drop = m->hip - ankle.y - reach + BOB * m->height * bob;
            most = fmax(most, drop);
        }
    }
    return most + 0.003 * m->height; // the pelvis turns and rolls as well
}

static void swing_arms(fm_posture *p, fm_jet amount, fm_jet wave, fm_jet late, double vigour)
{
    for (int side = 0; side < 2; side++) {
        double forwards = side == 0 ? -1 : 1; // against the foot of its side
        fm_jet swung =
            fm_jet_mul(amount, fm_jet_line(wave, forwards * 24 * DEGREE * vigour, 4 * DEGREE));
        fm_jet bent =
            fm_jet_mul(amount, fm_jet_line(late, forwards * 12 * DEGREE * vigour, 12 * DEGREE));
        p->arm_flexion[side] = fm_jet_add(p->arm_flexion[side], swung);
        p->elbow[side] = fm_jet_add(p->elbow[side], bent);
    }
}

static fm_jet scaled(fm_jet amount, fm_jet wave, double degrees)
{
    return fm_jet_line(fm_jet_mul(amount, wave), degrees * DEGREE, 0);
}

fm_posture fm_figure_walking(const fm_figure *figure, double t)
{
    const fm_figure_def *def = &figure->def;
    const fm_measures *m = &figure->measures;
    double stride = def->walk.stride, vigour = fmin(stride / (0.8 * m->height), 1.2);
    fm_jet s = fm_jet_line(fm_jet_warm_up(t, def->start, def->ramp), def->walk.speed, 0);
    fm_jet c = fm_jet_line(s, 1 / stride, 0), phase = fm_jet_line(c, 2 * FM_PI, 0);
    fm_jet wave = fm_jet_sin(phase), other = fm_jet_cos(phase);
    fm_jet late = fm_jet_sin(fm_jet_line(phase, 1, -0.5));
    fm_jet amount = fm_jet_ease(within(c, 0, SWING)), soon = fm_jet_ease(within(c, 0, SWING / 2));
    fm_posture p = fm_figure_standing(figure);
    p.planted = true;
    p.feet[0] = place_foot(figure, c, true);
    p.feet[1] = place_foot(figure, c, false);
    p.z = fm_jet_add(s, fm_jet_line(soon, FORWARD * stride, 0));
    p.x = fm_jet_line(fm_jet_mul(amount, other), -0.012 * m->height * vigour, 0);
    fm_jet bob = fm_jet_cos(fm_jet_line(phase, 2, 0));
    fm_jet lower = fm_jet_line(bob, BOB * m->height, figure->crouch - figure->walk_drop);
    p.y = fm_jet_add(p.y, fm_jet_mul(soon, lower));
    p.turn = scaled(amount, wave, -6 * vigour);
    p.roll = scaled(amount, other, 3.5 * vigour);
    p.lean = fm_jet_line(amount, 2 * DEGREE, 0);
    p.spine_turn = scaled(amount, wave, 5 * vigour);
    p.spine_roll = scaled(amount, other, -3 * vigour);
    p.chest_turn = scaled(amount, wave, 6 * vigour);
    p.chest_roll = scaled(amount, other, -1.5 * vigour);
    p.neck_turn = scaled(amount, wave, -5 * vigour); // looks ahead
    p.neck_roll = scaled(amount, other, 1 * vigour);
    p.neck_lean = fm_jet_line(amount, -2 * DEGREE, 0);
    swing_arms(&p, amount, wave, late, vigour);
    return p;
}
