// SPDX-License-Identifier: MIT
// kinematics.c: poses of a figure's bones: forward kinematics from the joint angles, and inverse
// kinematics of the legs where the feet are given.
//
// Forward: the rotations of the joints, with their rates, are composed from the pelvis outwards.
// Inverse: thigh and shin have the same length l, and the knee is at
//
//     knee = hip + l (u cos a + f sin a),     cos a = D / (2 l)
//
//   D  distance from hip to ankle, m      u  unit vector from hip to ankle
//   a  angle between thigh and u          f  unit vector perpendicular to u, forwards
//
// D / (2 l) is kept below 0.9995, because the rate of a is infinite for a straight leg.
#include "motion/figure.h"

// largest ratio of the distance from hip to ankle to the length of the leg, D / (2 l)
static const double STRAIGHT = 0.9995;

// axes of the figure in the bind pose: to its left, up, forwards
static const fm_vec3 across = {1, 0, 0}, up = {0, 1, 0}, ahead = {0, 0, 1};

// The pose `parent` after a rotation by `angle` about an axis through `pivot`, both given in the
// bind pose.
static fm_pose rotated(const fm_pose *parent, fm_vec3 pivot, fm_vec3 axis, fm_jet angle)
{
    fm_pose turn = fm_pose_about_pivot(pivot, fm_quat_from_rotation_vector(fm_scale(axis, angle.v)),
                                       fm_scale(axis, angle.d));
    return fm_pose_compose(parent, &turn);
}

// The pose `parent` after three rotations about `pivot`: turn about y, lean forwards, roll to the
// figure's left.
static fm_pose rotated_three_ways(const fm_pose *parent, fm_vec3 pivot, fm_jet turn, fm_jet lean,
                                  fm_jet roll)
{
    fm_pose pose = rotated(parent, pivot, up, turn);
    pose = rotated(&pose, pivot, across, lean);
    return rotated(&pose, pivot, ahead, fm_jet_affine(roll, -1, 0));
}

// Differences, sums and products of vectors with their time derivatives (fm_jet3).
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

// The vector scaled to length 1.
static fm_jet3 jet3_unit(fm_jet3 a)
{
    fm_jet length = fm_jet_sqrt(jet3_dot(a, a));
    return jet3_scale(a, fm_jet_div((fm_jet){1, 0}, length));
}

// Position and velocity of a point of a bone with this pose; p: its position in the bind pose.
static fm_jet3 carried_point(const fm_pose *pose, fm_vec3 p)
{
    fm_vec3 at = fm_pose_apply(pose, p);
    return (fm_jet3){at, fm_pose_velocity_at(pose, at)};
}

// The quaternion of the rotation that maps the coordinate axes to x, y and z. For accuracy the
// largest component is computed first (Shepperd's method).
static fm_quat quat_from_axes(fm_vec3 x, fm_vec3 y, fm_vec3 z)
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
    fm_quat_normalize(&q);
    return q;
}

// The pose of a bone that moves its joint from bind_joint, its position in the bind pose, to
// `joint`, points its -y axis along `along` and its x axis along `side`; with velocity and angular
// velocity. The angular
// velocity of a frame with axes e_i is half the sum of e_i x de_i/dt.
static fm_pose bone_along(fm_vec3 bind_joint, fm_jet3 joint, fm_jet3 side, fm_jet3 along)
{
    fm_jet3 y = {fm_scale(along.v, -1), fm_scale(along.d, -1)}, z = jet3_cross(side, y);
    fm_vec3 spin = fm_cross(side.v, side.d);
    spin = fm_add(spin, fm_add(fm_cross(y.v, y.d), fm_cross(z.v, z.d)));
    fm_pose pose = {.rotation = quat_from_axes(side.v, y.v, z.v), .spin = fm_scale(spin, 0.5)};
    fm_vec3 rotated_joint = fm_quat_rotate(pose.rotation, bind_joint);
    pose.position = fm_sub(joint.v, rotated_joint);
    pose.velocity = fm_sub(joint.d, fm_cross(pose.spin, rotated_joint));
    return pose;
}

// Inverse kinematics: poses thigh leg[0] and shin leg[1] so that they join the pelvis to the foot,
// whose pose leg[2] is given. x: of the hip in the bind pose, m. The leg bends in the plane of u
// and `forwards`, which is perpendicular to the pelvis's sideways axis.
static void solve_leg(const fm_measures *m, const fm_pose *pelvis, double x, fm_pose leg[3])
{
    fm_vec3 hip_bind = {x, m->hip, 0}, knee_bind = {x, m->hip - m->thigh, 0};
    fm_jet3 hip = carried_point(pelvis, hip_bind);
    fm_jet3 ankle = carried_point(&leg[2], (fm_vec3){x, m->ankle, 0});
    fm_jet3 way = jet3_sub(ankle, hip), u = jet3_unit(way);
    fm_vec3 pelvis_x = fm_quat_rotate(pelvis->rotation, across);
    fm_jet3 side = {pelvis_x, fm_cross(pelvis->spin, pelvis_x)};
    fm_jet along = jet3_dot(side, u);
    side = jet3_unit(jet3_sub(side, jet3_scale(u, along)));
    fm_jet3 forwards = jet3_cross(u, side);
    fm_jet cosine = fm_jet_affine(fm_jet_sqrt(jet3_dot(way, way)), 1 / (2 * m->thigh), 0);
    if (cosine.v > STRAIGHT)
        cosine = (fm_jet){STRAIGHT, 0};
    fm_jet sine = fm_jet_sqrt(fm_jet_sub((fm_jet){1, 0}, fm_jet_mul(cosine, cosine)));
    fm_jet3 thigh = jet3_add(jet3_scale(u, cosine), jet3_scale(forwards, sine));
    fm_jet3 shin = jet3_sub(jet3_scale(u, cosine), jet3_scale(forwards, sine));
    leg[0] = bone_along(hip_bind, hip, side, thigh);
    leg[1] = bone_along(knee_bind, carried_point(&leg[0], knee_bind), side, shin);
}

// Forward kinematics of thigh, shin and foot from the joint angles of one side.
static void pose_leg(const fm_measures *m, const fm_posture *p, int side, const fm_pose *pelvis,
                     fm_pose leg[3])
{
    double left = side == 0 ? 1 : -1, x = left * m->hip_side;
    fm_vec3 hip = {x, m->hip, 0}, knee = {x, m->hip - m->thigh, 0}, ankle = {x, m->ankle, 0};
    leg[0] = rotated(pelvis, hip, ahead, fm_jet_affine(p->hip_raise[side], left, 0));
    leg[0] = rotated(&leg[0], hip, across, fm_jet_affine(p->hip[side], -1, 0));
    leg[1] = rotated(&leg[0], knee, across, p->knee[side]);
    leg[2] = rotated(&leg[1], ankle, across, fm_jet_affine(p->ankle[side], -1, 0));
}

// The point for the left side (left = 1) or mirrored to the right side (left = -1).
static fm_vec3 mirrored(fm_vec3 p, double left)
{
    return (fm_vec3){left * p.x, p.y, p.z};
}

// Forward kinematics of upper arm, forearm and hand from the joint angles of one side.
static void pose_arm(const fm_measures *m, const fm_posture *p, int side, const fm_pose *chest,
                     fm_pose arm[3])
{
    double left = side == 0 ? 1 : -1;
    fm_vec3 shoulder = mirrored(m->shoulder, left), elbow = mirrored(m->elbow, left),
            wrist = mirrored(m->wrist, left);
    arm[0] = rotated(chest, shoulder, ahead, fm_jet_affine(p->arm_raise[side], left, 0));
    arm[0] = rotated(&arm[0], shoulder, across, fm_jet_affine(p->arm_flexion[side], -1, 0));
    arm[1] = rotated(&arm[0], elbow, across, fm_jet_affine(p->elbow[side], -1, 0));
    arm[2] = rotated(&arm[1], wrist, ahead, fm_jet_affine(p->hand[side], left, 0));
}

// Poses of all bones from the joint angles, from the pelvis outwards. Where the feet are given
// (feet_given), the legs follow by inverse kinematics.
void fm_figure_compute_bone_poses(const fm_figure *figure, const fm_posture *p,
                                  fm_bone_poses *poses)
{
    const fm_measures *m = &figure->measures;
    fm_pose *b = poses->bones, moved = fm_pose_identity();
    moved.position = (fm_vec3){p->x.v, p->y.v, p->z.v};
    moved.velocity = (fm_vec3){p->x.d, p->y.d, p->z.d};
    fm_vec3 hips = {0, m->hip, 0}, spine = {0, m->spine, 0}, chest = {0, m->chest, 0};
    // the neck's joint is slightly behind the others, by 0.8 % of the height
    fm_vec3 neck = {0, m->neck, -0.008 * m->height}, head = {0, m->head, 0};
    b[FM_BONE_PELVIS] = rotated_three_ways(&moved, hips, p->turn, p->lean, p->roll);
    b[FM_BONE_SPINE] =
        rotated_three_ways(&b[FM_BONE_PELVIS], spine, p->spine_turn, p->spine_lean, p->spine_roll);
    b[FM_BONE_CHEST] =
        rotated_three_ways(&b[FM_BONE_SPINE], chest, p->chest_turn, p->chest_lean, p->chest_roll);
    b[FM_BONE_SHOULDERS] = b[FM_BONE_CHEST];
    b[FM_BONE_NECK] =
        rotated_three_ways(&b[FM_BONE_CHEST], neck, p->neck_turn, p->neck_lean, p->neck_roll);
    b[FM_BONE_HEAD] = rotated(&b[FM_BONE_NECK], head, across, p->head_lean);
    for (int side = 0; side < 2; side++) {
        fm_pose *arm = b + (side ? FM_BONE_RIGHT_UPPER_ARM : FM_BONE_LEFT_UPPER_ARM);
        fm_pose *leg = b + (side ? FM_BONE_RIGHT_THIGH : FM_BONE_LEFT_THIGH);
        pose_arm(m, p, side, &b[FM_BONE_CHEST], arm);
        if (p->feet_given) {
            leg[2] = p->feet[side];
            solve_leg(m, &b[FM_BONE_PELVIS], side ? -m->hip_side : m->hip_side, leg);
        } else {
            pose_leg(m, p, side, &b[FM_BONE_PELVIS], leg);
        }
    }
}
