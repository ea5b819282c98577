// SPDX-License-Identifier: MIT
// stance.c: from what the parts of a body do to where its bones are.
//
// Joints turn one after the other from the pelvis outwards, so that poses and their rates are
// composed. Where the feet are given, each leg is two bars of equal length l between hip and ankle,
// D apart: with u from the hip to the ankle and f forwards across it,
//
//     knee = hip + l (u cos a + f sin a),     cos a = D / (2 l)
//
// computed with its rate. D is kept below 2 l: a leg that is straight has no rate.
#include "motion/figure.h"

static const double STRAIGHT = 0.9995; // of 2 l, at most

static const fm_vec3 across = {1, 0, 0}, up = {0, 1, 0}, ahead = {0, 0, 1};

// child = parent with a turn about a point of the bind pose
static fm_pose turned(const fm_pose *parent, fm_vec3 pivot, fm_vec3 axis, fm_jet angle)
{
    fm_pose turn =
        fm_pose_about(pivot, fm_quat_of_turn(fm_scale(axis, angle.v)), fm_scale(axis, angle.d));
    return fm_pose_compose(parent, &turn);
}

// About y, then forwards, then to the left.
static fm_pose bent(const fm_pose *parent, fm_vec3 pivot, fm_jet turn, fm_jet lean, fm_jet roll)
{
    fm_pose pose = turned(parent, pivot, up, turn);
    pose = turned(&pose, pivot, across, lean);
    return turned(&pose, pivot, ahead, fm_jet_line(roll, -1, 0));
}

static fm_jet3 jet3_sub(fm_jet3 a, fm_jet3 b)
{
    return (fm_jet3){fm_sub(a.v, b.v), fm_sub(a.d, b.d)};
}

static fm_jet jet3_dot(fm_jet3 a, fm_jet3 b)
{
    return (fm_jet){fm_dot(a.v, b.v), fm_dot(a.d, b.v) + fm_dot(a.v, b.d)};
}

static fm_jet3 jet3_cross(fm_jet3 a, fm_jet3 b)
{
    return (fm_jet3){fm_cross(a.v, b.v), fm_add(fm_cross(a.d, b.v), fm_cross(a.v, b.d))};
}

static fm_jet3 jet3_scale(fm_jet3 a, fm_jet s)
{
    return (fm_jet3){fm_scale(a.v, s.v), fm_add_scaled(fm_scale(a.d, s.v), a.v, s.d)};
}

static fm_jet3 jet3_add(fm_jet3 a, fm_jet3 b)
{
    return (fm_jet3){fm_add(a.v, b.v), fm_add(a.d, b.d)};
}

static fm_jet3 jet3_unit(fm_jet3 a)
{
    fm_jet length = fm_jet_sqrt(jet3_dot(a, a));
    return jet3_scale(a, fm_jet_div((fm_jet){1, 0}, length));
}

static fm_jet3 carried_point(const fm_pose *pose, fm_vec3 p)
{
    fm_vec3 at = fm_pose_apply(pose, p);
    return (fm_jet3){at, fm_pose_velocity_at(pose, at)};
}

// Of a rotation given by the images x, y, z of the axes; Shepperd's choice of the largest part.
static fm_quat quat_of_axes(fm_vec3 x, fm_vec3 y, fm_vec3 z)
{
    double trace = x.x + y.y + z.z;
    fm_quat q;
    if (trace > 0)
        q = (fm_quat){y.z - z.y, z.x - x.z, x.y - y.x, 1 + trace};
    else if (x.x >= y.y && x.x >= z.z)
        q = (fm_quat){1 + x.x - y.y - z.z, y.x + x.y, z.x + x.z, y.z - z.y};
    else if (y.y >= z.z)
        q = (fm_quat){y.x + x.y, 1 + y.y - x.x - z.z, z.y + y.z, z.x - x.z};
    else
        q = (fm_quat){z.x + x.z, z.y + y.z, 1 + z.z - x.x - y.y, x.y - y.x};
    fm_quat_make_unit(&q);
    return q;
}

// The bone whose joint `bind` is carried to `at`, its long axis against `along`, its x at `side`.
static fm_pose bone_along(fm_vec3 bind, fm_jet3 at, fm_jet3 side, fm_jet3 along)
{
    fm_jet3 y = {fm_scale(along.v, -1), fm_scale(along.d, -1)}, z = jet3_cross(side, y);
    fm_vec3 spin = fm_cross(side.v, side.d);
    spin = fm_add(spin, fm_add(fm_cross(y.v, y.d), fm_cross(z.v, z.d)));
    fm_pose pose = {.rotation = quat_of_axes(side.v, y.v, z.v), .spin = fm_scale(spin, 0.5)};
    fm_vec3 arm = fm_quat_rotate(pose.rotation, bind);
    pose.position = fm_sub(at.v, arm);
    pose.velocity = fm_sub(at.d, fm_cross(pose.spin, arm));
    return pose;
}

static void reach_for_foot(const fm_measures *m, const fm_pose *pelvis, double x, fm_pose leg[3])
{
    fm_vec3 hip_bind = {x, m->hip, 0}, knee_bind = {x, m->hip - m->thigh, 0};
    fm_jet3 hip = carried_point(pelvis, hip_bind);
    fm_jet3 ankle = carried_point(&leg[2], (fm_vec3){x, m->ankle, 0});
    fm_jet3 way = jet3_sub(ankle, hip), u = jet3_unit(way);
    fm_vec3 px = fm_quat_rotate(pelvis->rotation, across);
    fm_jet3 side = {px, fm_cross(pelvis->spin, px)};
    fm_jet along = jet3_dot(side, u);
    side = jet3_unit(jet3_sub(side, jet3_scale(u, along)));
    fm_jet3 forwards = jet3_cross(u, side);
    fm_jet cosine = fm_jet_line(fm_jet_sqrt(jet3_dot(way, way)), 1 / (2 * m->thigh), 0);
    if (cosine.v > STRAIGHT)
        cosine = (fm_jet){STRAIGHT, 0};
    fm_jet sine = fm_jet_sqrt(fm_jet_sub((fm_jet){1, 0}, fm_jet_mul(cosine, cosine)));
    fm_jet3 thigh = jet3_add(jet3_scale(u, cosine), jet3_scale(forwards, sine));
    fm_jet3 shin = jet3_sub(jet3_scale(u, cosine), jet3_scale(forwards, sine));
    leg[0] = bone_along(hip_bind, hip, side, thigh);
    leg[1] = bone_along(knee_bind, carried_point(&leg[0], knee_bind), side, shin);
}

static void swing_leg(const fm_measures *m, const fm_posture *p, int side, const fm_pose *pelvis,
                      fm_pose leg[3])
{
    double left = side == 0 ? 1 : -1, x = left * m->hip_side;
    fm_vec3 hip = {x, m->hip, 0}, knee = {x, m->hip - m->thigh, 0}, ankle = {x, m->ankle, 0};
    leg[0] = turned(pelvis, hip, ahead, fm_jet_line(p->hip_raise[side], left, 0));
    leg[0] = turned(&leg[0], hip, across, fm_jet_line(p->hip[side], -1, 0));
    leg[1] = turned(&leg[0], knee, across, p->knee[side]);
    leg[2] = turned(&leg[1], ankle, across, fm_jet_line(p->ankle[side], -1, 0));
}

static fm_vec3 mirrored(fm_vec3 p, double left)
{
    return (fm_vec3){left * p.x, p.y, p.z};
}

static void swing_arm(const fm_measures *m, const fm_posture *p, int side, const fm_pose *chest,
                      fm_pose arm[3])
{
    double left = side == 0 ? 1 : -1;
    fm_vec3 shoulder = mirrored(m->shoulder, left), elbow = mirrored(m->elbow, left),
            wrist = mirrored(m->wrist, left);
    arm[0] = turned(chest, shoulder, ahead, fm_jet_line(p->arm_raise[side], left, 0));
    arm[0] = turned(&arm[0], shoulder, across, fm_jet_line(p->arm_flexion[side], -1, 0));
    arm[1] = turned(&arm[0], elbow, across, fm_jet_line(p->elbow[side], -1, 0));
    arm[2] = turned(&arm[1], wrist, ahead, fm_jet_line(p->hand[side], left, 0));
}

void fm_figure_take_stance(const fm_figure *figure, const fm_posture *p, fm_stance *stance)
{
    const fm_measures *m = &figure->measures;
    fm_pose *b = stance->bones, moved = fm_pose_identity();
    moved.position = (fm_vec3){p->x.v, p->y.v, p->z.v};
    moved.velocity = (fm_vec3){p->x.d, p->y.d, p->z.d};
    fm_vec3 hips = {0, m->hip, 0}, spine = {0, m->spine, 0}, chest = {0, m->chest, 0};
    fm_vec3 neck = {0, m->neck, -0.008 * m->height}, head = {0, m->head, 0};
    b[FM_BONE_PELVIS] = bent(&moved, hips, p->turn, p->lean, p->roll);
    b[FM_BONE_SPINE] = bent(&b[FM_BONE_PELVIS], spine, p->spine_turn, p->spine_lean, p->spine_roll);
    b[FM_BONE_CHEST] = bent(&b[FM_BONE_SPINE], chest, p->chest_turn, p->chest_lean, p->chest_roll);
    b[FM_BONE_SHOULDERS] = b[FM_BONE_CHEST];
    b[FM_BONE_NECK] = bent(&b[FM_BONE_CHEST], neck, p->neck_turn, p->neck_lean, p->neck_roll);
    b[FM_BONE_HEAD] = turned(&b[FM_BONE_NECK], head, across, p->head_lean);
    for (int side = 0; side < 2; side++) {
        fm_pose *arm = b + (side ? FM_BONE_RIGHT_UPPER_ARM : FM_BONE_LEFT_UPPER_ARM);
        fm_pose *leg = b + (side ? FM_BONE_RIGHT_THIGH : FM_BONE_LEFT_THIGH);
        swing_arm(m, p, side, &b[FM_BONE_CHEST], arm);
        if (p->planted) {
            leg[2] = p->feet[side];
            reach_for_foot(m, &b[FM_BONE_PELVIS], side ? -m->hip_side : m->hip_side, leg);
        } else {
            swing_leg(m, p, side, &b[FM_BONE_PELVIS], leg);
        }
    }
}
