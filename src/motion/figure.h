// SPDX-License-Identifier: MIT
// figure.h: internal declarations of the human figure: dual numbers, body measures, posture, bones.
//
// Every joint angle and length is a function of time. It is computed together with its time
// derivative by forward-mode automatic differentiation, so that velocities are exact.
#ifndef FATHOM_MOTION_FIGURE_H
#define FATHOM_MOTION_FIGURE_H

#include "motion/motion.h"

#include <fathom/figure.h>

// A dual number: a value v and its time derivative d, per second.
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
// a b, by the product rule.
static inline fm_jet fm_jet_mul(fm_jet a, fm_jet b)
{
    return (fm_jet){a.v * b.v, a.d * b.v + a.v * b.d};
}
// a / b, by the quotient rule.
static inline fm_jet fm_jet_div(fm_jet a, fm_jet b)
{
    double q = a.v / b.v;
    return (fm_jet){q, (a.d - q * b.d) / b.v};
}
// The affine function s a + c of a dual number a, with constants s and c.
static inline fm_jet fm_jet_affine(fm_jet a, double s, double c)
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
fm_jet fm_jet_ease(fm_jet u); // 0 for u < 0, 1 for u > 1, between them 6u^5 - 15u^4 + 10u^3
fm_jet fm_jet_bump(fm_jet u); // 64 u^3 (1 - u)^3 for 0 < u < 1, with the maximum 1; else 0
// The integral of fm_jet_ease((t - start) / ramp) over t, s: a clock that stands still until
// `start`, speeds up smoothly over `ramp` seconds, and then runs at normal speed.
fm_jet fm_jet_ramped_time(double t, double start, double ramp);

// A vector v and its time derivative d.
typedef struct fm_jet3 {
    fm_vec3 v, d;
} fm_jet3;

// Body measures in the bind pose, in which the figure stands upright with straight legs and hanging
// arms, faces +z, and has its left side at +x and the floor at y = 0. Lengths are in m.
typedef struct fm_measures {
    double height;                           // height of the figure
    double hip, spine, chest, neck, head;    // heights (y) of the joints
    double hip_side, foot_side;              // x of the left hip; x of the left foot when walking
    double thigh, shin;                      // lengths; equal
    double ankle;                            // y of the ankle joint
    double heel, toe;                        // z of the centres of a foot's two round ends
    double heel_radius, toe_radius;          // radii of the two round ends of a foot
    fm_vec3 shoulder, elbow, wrist, fingers; // positions on the left arm
} fm_measures;

struct fm_figure {
    const char *name;
    fm_figure_def def; // checked, with the stride filled in
    fm_measures measures;
    double crouch;    // m, how much lower than in the bind pose the hips are when it stands
    double walk_drop; // m, how much lower than in the bind pose the hips are when it walks
    fm_pose to_world; // maps the figure's own frame to the world
    fm_pose to_bind_pose[FM_BONE_COUNT]; // maps the world at time 0 to the bind pose of each bone
};

// The poses of all bones; each maps the bind pose to the figure's own frame.
typedef struct fm_bone_poses {
    fm_pose bones[FM_BONE_COUNT];
} fm_bone_poses;

// Joint angles of the figure, rad, and the displacement of its pelvis. Angles about the body axes
// are turn (about y), lean (forwards) and roll (to its left). Flexion bends a joint forwards, but a
// knee backwards. Index [0] is the left side, [1] the right side.
typedef struct fm_posture {
    fm_jet x, y, z;          // m, displacement of the pelvis from the bind pose
    fm_jet turn, lean, roll; // angles of the pelvis
    fm_jet spine_turn, spine_lean, spine_roll;
    fm_jet chest_turn, chest_lean, chest_roll;
    fm_jet neck_turn, neck_lean, neck_roll;
    fm_jet head_lean;
    fm_jet arm_raise[2], arm_flexion[2]; // angles of the shoulder: sideways, forwards
    fm_jet elbow[2], hand[2];            // flexion of the elbow, sideways angle of the wrist
    fm_jet hip[2], hip_raise[2], knee[2], ankle[2]; // flexion; hip_raise moves the leg sideways
    bool feet_given; // legs follow from `feet` by inverse kinematics, not from the angles above
    fm_pose feet[2]; // map the bind pose of the feet to the figure's own frame
} fm_posture;

// kinematics.c: poses of all bones from joint angles.
void fm_figure_compute_bone_poses(const fm_figure *figure, const fm_posture *posture,
                                  fm_bone_poses *poses);

// figure.c: joint angles of a standing figure.
fm_posture fm_figure_standing_posture(const fm_figure *figure, double t);
// The motion of a bone: maps a world point at time 0 to its position at time t.
fm_pose fm_figure_bone_pose(const fm_figure *figure, fm_bone bone, double t);
// Returns NULL and fills err on bad values.
fm_figure *fm_figure_create_in_arena(fm_arena *arena, const fm_figure_def *def, fm_error *err);
// The poses of all bones at time t; each maps the bind pose to the world.
void fm_figure_compute_world_poses(const fm_figure *figure, double t, fm_pose poses[FM_BONE_COUNT]);

// walk.c, dance.c: postures at time t, s
fm_posture fm_figure_walking_posture(const fm_figure *figure, double t);
// How much lower than in the bind pose the hips of a walking figure must be, m, so that its legs
// reach the feet at every time.
double fm_figure_find_walk_drop(const fm_figure *figure);
fm_posture fm_figure_dancing_posture(const fm_figure *figure, double t);

#endif
