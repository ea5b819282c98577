// SPDX-License-Identifier: MIT
// dance.c: joint angles of a figure in a slow dance, as under water: it rises from the floor,
// turns, bends and sweeps its arms.
//
// Every joint angle is
//
//     angle = A(t) (offset + size sin(rate p + phase)),      p = 2 pi T(t) tempo / 6 s
//
//   T  time, s, which starts smoothly over the ramp (fm_jet_ramped_time)
//   A  energy of the dance (a factor, 0 to 1.5) times a smooth step from 0 to 1 over the ramp
//   tempo  a factor on the speed of the dance
//
// The rates are 1/4, 1/2, 1 and fractions of the golden ratio (0.618, 0.382, 0.309), which are
// incommensurate with these, so that the motion does not repeat. The pelvis is only raised, and a
// bent leg lifts its foot, so that no foot goes through the floor.
#include "motion/figure.h"

static const double PERIOD = 6; // s, of the fastest movements at tempo 1

// Phase and amplitude of the dance at one time.
typedef struct dance {
    fm_jet clock;  // phase p of the dance, rad
    fm_jet amount; // amplitude A of all movements, 0 to the energy of the dance
} dance;

// The angle amount (offset + size sin(rate p + phase)), rad, with p the phase of the dance; size
// and offset are in degrees.
static fm_jet sway(const dance *d, double rate, double phase, double size, double offset)
{
    fm_jet wave = fm_jet_sin(fm_jet_affine(d->clock, rate, phase));
    return fm_jet_affine(fm_jet_mul(d->amount, fm_jet_affine(wave, size, offset)), FM_DEGREE, 0);
}

// Sets the angles of pelvis, spine, chest and neck. Amplitudes and offsets in degrees were chosen
// by eye.
static void move_trunk(const dance *d, fm_posture *p)
{
    p->lean = sway(d, 0.5, 0.7, 4, 2);
    p->roll = sway(d, 0.5, 0, 4, 0);
    p->spine_lean = sway(d, 0.618, 1.1, 5, 0);
    p->spine_roll = sway(d, 0.5, 0.6, 8, 0);
    p->spine_turn = sway(d, 0.5, 1.4, 8, 0);
    p->chest_lean = sway(d, 0.618, 2.0, 6, -3);
    p->chest_roll = sway(d, 0.5, 1.2, 7, 0);
    p->chest_turn = sway(d, 0.5, 2.0, 9, 0);
    p->neck_lean = sway(d, 0.618, 2.9, 7, -4);
    p->neck_roll = sway(d, 0.5, 2.1, 7, 0);
    p->neck_turn = sway(d, 0.382, 0.9, 14, 0);
}

// Sets the angles of the arms, which rise and sink one after the other; elbows and hands follow
// with a delay. Amplitudes and offsets in degrees are artistic choices.
static void move_arms(const dance *d, fm_posture *p)
{
    for (int side = 0; side < 2; side++) {
        double delay = side * 1.9; // rad, phase by which the right arm follows the left
        p->arm_raise[side] = fm_jet_add(p->arm_raise[side], sway(d, 0.5, -delay, 38, 58));
        p->arm_flexion[side] =
            fm_jet_add(p->arm_flexion[side], sway(d, 0.618, 0.8 - delay, 26, 14));
        p->elbow[side] = fm_jet_add(p->elbow[side], sway(d, 0.5, -1.2 - delay, 16, 18));
        p->hand[side] = sway(d, 0.5, -2.0 - delay, 18, 0);
    }
}

// Sets the angles of the legs: one bends while the other is straight; the feet are pointed.
// Amplitudes and offsets in degrees are artistic choices.
static void move_legs(const dance *d, fm_posture *p)
{
    for (int side = 0; side < 2; side++) {
        double phase = side * FM_PI - FM_PI / 2;
        fm_jet bend = sway(d, 0.5, phase, 17, 17);
        p->hip[side] = fm_jet_add(p->hip[side], fm_jet_affine(bend, 0.9, 0));
        p->knee[side] = fm_jet_add(p->knee[side], fm_jet_affine(bend, 1.8, 0));
        p->hip_raise[side] = sway(d, 0.5, phase + 0.8, 3, 5);
        // Bending the leg already tilts the foot by `tipped`; the ankle adds the difference to the
        // angle `pointed`.
        fm_jet pointed = sway(d, 0.5, phase + 0.5, 10, 28);
        fm_jet tipped = fm_jet_affine(bend, 0.9, 0);
        p->ankle[side] = fm_jet_add(p->ankle[side], fm_jet_sub(tipped, pointed));
    }
}

// Joint angles and pelvis position of a dancing figure at time t, s.
fm_posture fm_figure_dancing_posture(const fm_figure *figure, double t)
{
    const fm_figure_def *def = &figure->def;
    double height = figure->measures.height, energy = def->dance.energy;
    fm_jet time = fm_jet_ramped_time(t, def->start, def->ramp);
    fm_jet ramp = {(t - def->start) / def->ramp, 1 / def->ramp};
    dance d = {fm_jet_affine(time, 2 * FM_PI * def->dance.tempo / PERIOD, 0),
               fm_jet_affine(fm_jet_ease(ramp), energy, 0)};
    fm_posture p = fm_figure_standing_posture(figure, t);
    fm_jet quarter = fm_jet_affine(d.clock, 0.25, 0);
    // one whole turn every four periods, at a speed that varies by 60 %
    p.turn =
        fm_jet_affine(fm_jet_sub(quarter, fm_jet_affine(fm_jet_sin(quarter), 0.6, 0)), energy, 0);
    // The pelvis rises by 0.103 of the height, far enough for pointed feet, and bobs by 0.018. It
    // sways by 0.03 of the height to the side and forwards.
    fm_jet rise = fm_jet_affine(fm_jet_cos(d.clock), -0.018, 0.018 + 0.103);
    p.y = fm_jet_add(p.y, fm_jet_affine(fm_jet_mul(d.amount, rise), height, 0));
    p.x = fm_jet_affine(fm_jet_mul(d.amount, fm_jet_sin(fm_jet_affine(d.clock, 0.5, 0))),
                        0.03 * height, 0);
    p.z = fm_jet_affine(fm_jet_mul(d.amount, fm_jet_sin(fm_jet_affine(d.clock, 0.309, 0))),
                        0.03 * height, 0);
    move_trunk(&d, &p);
    move_arms(&d, &p);
    move_legs(&d, &p);
    return p;
}
