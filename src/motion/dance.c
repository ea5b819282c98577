// SPDX-License-Identifier: MIT
// dance.c: a slow dance, as one dances under water: the figure rises from the floor, turns, bends
// and lets its arms sweep.
//
// Every joint is a sum of slow waves of one clock, p = 2 pi (warm time) tempo / 6 s, at the rates
// 1/4, 1/2, 1 and others that do not fit them, so that no two phrases are the same. Amplitudes come
// in with the ramp and are scaled by the energy. The pelvis only rises, and legs that bend lift
// their feet, so that nothing goes through the floor it began on.
#include "motion/figure.h"

static const double DEGREE = FM_PI / 180;
static const double PHRASE = 6; // s, at tempo 1

typedef struct dance {
    fm_jet clock;  // p
    fm_jet amount; // of every gesture
} dance;

// amount (offset + size sin(rate p + phase)), degrees
static fm_jet sway(const dance *d, double rate, double phase, double size, double offset)
{
    fm_jet wave = fm_jet_sin(fm_jet_line(d->clock, rate, phase));
    return fm_jet_line(fm_jet_mul(d->amount, fm_jet_line(wave, size, offset)), DEGREE, 0);
}

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

// Arms rise and sink one after the other, elbows and hands trailing.
static void move_arms(const dance *d, fm_posture *p)
{
    for (int side = 0; side < 2; side++) {
        double after = side * 1.9;
        p->arm_raise[side] = fm_jet_add(p->arm_raise[side], sway(d, 0.5, -after, 38, 58));
        p->arm_flexion[side] =
            fm_jet_add(p->arm_flexion[side], sway(d, 0.618, 0.8 - after, 26, 14));
        p->elbow[side] = fm_jet_add(p->elbow[side], sway(d, 0.5, -1.2 - after, 16, 18));
        p->hand[side] = sway(d, 0.5, -2.0 - after, 18, 0);
    }
}

// One leg bends while the other is long, feet pointed.
static void move_legs(const dance *d, fm_posture *p)
{
    for (int side = 0; side < 2; side++) {
        double phase = side * FM_PI - FM_PI / 2;
        fm_jet bend = sway(d, 0.5, phase, 17, 17);
        p->hip[side] = fm_jet_add(p->hip[side], fm_jet_line(bend, 0.9, 0));
        p->knee[side] = fm_jet_add(p->knee[side], fm_jet_line(bend, 1.8, 0));
        p->hip_raise[side] = sway(d, 0.5, phase + 0.8, 3, 5);
        // the bent leg tips its foot already; what is left points it
        fm_jet pointed = sway(d, 0.5, phase + 0.5, 10, 28);
        fm_jet tipped = fm_jet_line(bend, 0.9, 0);
        p->ankle[side] = fm_jet_add(p->ankle[side], fm_jet_sub(tipped, pointed));
    }
}

fm_posture fm_figure_dancing(const fm_figure *figure, double t)
{
    const fm_figure_def *def = &figure->def;
    double height = figure->measures.height, energy = def->dance.energy;
    fm_jet warm = fm_jet_warm_up(t, def->start, def->ramp);
    fm_jet gone = {(t - def->start) / def->ramp, 1 / def->ramp};
    dance d = {fm_jet_line(warm, 2 * FM_PI * def->dance.tempo / PHRASE, 0),
               fm_jet_line(fm_jet_ease(gone), energy, 0)};
    fm_posture p = fm_figure_standing(figure);
    fm_jet quarter = fm_jet_line(d.clock, 0.25, 0);
    // a whole turn every four phrases, now faster, now slower
    p.turn = fm_jet_line(fm_jet_sub(quarter, fm_jet_line(fm_jet_sin(quarter), 0.6, 0)), energy, 0);
    // up from the floor far enough for pointed feet, and breathing there
    fm_jet breath = fm_jet_line(fm_jet_cos(d.clock), -0.018, 0.018 + 0.103);
    p.y = fm_jet_add(p.y, fm_jet_line(fm_jet_mul(d.amount, breath), height, 0));
    p.x = fm_jet_line(fm_jet_mul(d.amount, fm_jet_sin(fm_jet_line(d.clock, 0.5, 0))), 0.03 * height,
                      0);
    p.z = fm_jet_line(fm_jet_mul(d.amount, fm_jet_sin(fm_jet_line(d.clock, 0.309, 0))),
                      0.03 * height, 0);
    move_trunk(&d, &p);
    move_arms(&d, &p);
    move_legs(&d, &p);
    return p;
}
