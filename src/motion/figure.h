// SPDX-License-Identifier: MIT
// figure.h: between the files of the figure: numbers with their rates, its measures, its pose.
//
// Every angle and length of a figure is a function of time that is computed together with its rate,
// by the rules of differentiation, so that velocities are exact whatever the formula.
#ifndef FATHOM_MOTION_FIGURE_H
#define FATHOM_MOTION_FIGURE_H

#include "motion/motion.h"

#include <fathom/figure.h>

// A value and its rate, 1/s.
typedef struct fm_jet {
    double v, d;
} fm_jet;

static inline fm_jet fm_jet_add(fm_jet a, fm_jet b)
{
    return (fm_jet){a.v + b.v, a.d + b.d};
}
static inline fm_jet fm_jet_sub(fm_jet a, fm_jet b)
{
    return (fm_jet){a.v - b.v, a.d - b.d};
}
static inline fm_jet fm_jet_mul(fm_jet a, fm_jet b)
{
    return (fm_jet){a.v * b.v, a.d * b.v + a.v * b.d};
}
static inline fm_jet fm_jet_div(fm_jet a, fm_jet b)
{
    double q = a.v / b.v;
    return (fm_jet){q, (a.d - q * b.d) / b.v};
}
// s a + c
static inline fm_jet fm_jet_line(fm_jet a, double s, double c)
{
    return (fm_jet){s * a.v + c, s * a.d};
}
static inline fm_jet fm_jet_sqrt(fm_jet a)
{
    double root = sqrt(a.v);
    return (fm_jet){root, a.d / (2 * root)};
}
static inline fm_jet fm_jet_sin(fm_jet a)
{
    return (fm_jet){sin(a.v), cos(a.v) * a.d};
}
static inline fm_jet fm_jet_cos(fm_jet a)
{
    return (fm_jet){cos(a.v), -sin(a.v) * a.d};
}
fm_jet fm_jet_ease(fm_jet u); // 0 up to u = 0, 1 from u = 1; 6u^5 - 15u^4 + 10u^3 between
fm_jet fm_jet_bump(fm_jet u); // 0 outside of 0 to 1, 1 in the middle; 64 u^3 (1 - u)^3
// The integral of the ease of (t - start) / ramp over t, s: time that gets going gently.
fm_jet fm_jet_warm_up(double t, double start, double ramp);

typedef struct fm_jet3 {
    fm_vec3 v, d;
} fm_jet3;

// Where things are while every bone is in its bind pose: upright, legs straight, arms hanging, the
// floor at y = 0, facing +z, its left at +x. Metres.
typedef struct fm_measures {
    double height;
    double hip, spine, chest, neck, head; // y of the joints
    double hip_side, foot_side;           // x of the left hip; of the left foot when walking
    double thigh, shin;                   // lengths; equal
    double ankle;                         // y
    double heel, toe;                     // z of the middles of a foot's two ends
    double heel_radius, toe_radius;
    fm_vec3 shoulder, elbow, wrist, fingers; // of the left arm
} fm_measures;

struct fm_figure {
    const char *name;
    fm_figure_def def; // checked, choices made
    fm_measures measures;
    double crouch;               // m, how much lower than straight it stands
    double walk_drop;            // m, and walks
    fm_pose place;               // from its own frame into the world
    fm_pose back[FM_BONE_COUNT]; // world -> bind, from the stance at time 0
};

// The poses of all bones: bind -> the figure's own frame.
typedef struct fm_stance {
    fm_pose bones[FM_BONE_COUNT];
} fm_stance;

// What the parts of the body do, before it becomes poses. Angles in rad: flexion bends forwards
// (a knee backwards), sides are [0] left and [1] right.
typedef struct fm_posture {
    fm_jet x, y, z;          // m, of the pelvis from its place in the bind pose
    fm_jet turn, lean, roll; // of the pelvis: about y, forwards, to its left
    fm_jet spine_turn, spine_lean, spine_roll;
    fm_jet chest_turn, chest_lean, chest_roll;
    fm_jet neck_turn, neck_lean, neck_roll;
    fm_jet head_lean;
    fm_jet arm_raise[2], arm_flexion[2]; // sideways, forwards
    fm_jet elbow[2], hand[2];
    fm_jet hip[2], hip_raise[2], knee[2], ankle[2];
    bool planted;    // legs reach for the feet below instead
    fm_pose feet[2]; // bind -> own frame
} fm_posture;

// figure.c
void fm_figure_take_stance(const fm_figure *figure, const fm_posture *posture, fm_stance *stance);
fm_posture fm_figure_standing(const fm_figure *figure);
fm_pose fm_figure_bone_pose(const fm_figure *figure, fm_bone bone, double t); // for motion.c
fm_figure *fm_figure_new(fm_arena *arena, const fm_figure_def *def, fm_error *err);
// Bind -> the world at time t, of all bones.
void fm_figure_place(const fm_figure *figure, double t, fm_pose poses[FM_BONE_COUNT]);
// walk.c, dance.c: the posture at a time
fm_posture fm_figure_walking(const fm_figure *figure, double t);
double fm_figure_find_walk_drop(const fm_figure *figure);
fm_posture fm_figure_dancing(const fm_figure *figure, double t);

#endif
