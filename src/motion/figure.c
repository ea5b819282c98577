// SPDX-License-Identifier: MIT
// figure.c: creates a human figure: checks its definition, measures its body, poses its bones.
//
// Lengths are fractions of the height [WIN09, fig. 4.1]; those of the trunk and the girths are from
// a dress form. The motion of a bone is
//
//     M(t) = W B(t) B(0)^-1 W^-1
//
//   B  maps the bind pose, in which bones are measured, to the figure's own frame
//   W  maps the figure's own frame to the world
//
// M(0) is the identity.
#include "motion/figure.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Distance from hip to ankle when standing, relative to a straight leg: knees are slightly bent.
static const double STANDING = 0.996;
static const double HANGING = 14 * FM_DEGREE; // angle of hanging arms to the body

static const char *const bone_names[FM_BONE_COUNT] = {
    "pelvis",         "spine",        "chest",     "shoulders",       "neck",          "head",
    "left_upper_arm", "left_forearm", "left_hand", "right_upper_arm", "right_forearm", "right_hand",
    "left_thigh",     "left_shin",    "left_foot", "right_thigh",     "right_shin",    "right_foot",
};

// The name of a bone in scenes; NULL for a number that is no bone.
const char *fm_bone_name(fm_bone bone)
{
    return (unsigned)bone < FM_BONE_COUNT ? bone_names[bone] : NULL;
}

// The bone with this name; FM_BONE_COUNT if there is none.
fm_bone fm_bone_find(const char *name)
{
    int bone = 0;
    while (bone < FM_BONE_COUNT && strcmp(bone_names[bone], name) != 0)
        bone++;
    return (fm_bone)bone;
}

// A standing figure of average build, with the defaults of walk and dance.
fm_figure_def fm_default_figure_def(void)
{
    return (fm_figure_def){
        .height = 1.7,
        .hips = 1,
        .waist = 1,
        .chest = 1,
        .limbs = 1,
        .arms = HANGING,
        .ramp = 2,
        .walk = {.speed = 1.2},
        .dance = {.tempo = 1, .energy = 1},
    };
}

// Smooth step: 0 for u < 0, 1 for u > 1, between them 6u^5 - 15u^4 + 10u^3; with its time
// derivative.
fm_jet fm_jet_ease(fm_jet u)
{
    double x = u.v;
    if (!(x > 0))
        return (fm_jet){0, 0};
    if (x >= 1)
        return (fm_jet){1, 0};
    double y = 1 - x;
    return (fm_jet){x * x * x * (10 - 15 * x + 6 * x * x), 30 * x * x * y * y * u.d};
}

// 64 u^3 (1 - u)^3 for 0 < u < 1, else 0; with its time derivative.
fm_jet fm_jet_bump(fm_jet u)
{
    double x = u.v, y = 1 - x;
    if (!(x > 0 && x < 1))
        return (fm_jet){0, 0};
    return (fm_jet){64 * x * x * x * y * y * y, 192 * x * x * y * y * (y - x) * u.d};
}

// A clock, s, that stands still until `start`, speeds up smoothly over `ramp` seconds, and then
// runs at normal speed; with its time derivative.
fm_jet fm_jet_ramped_time(double t, double start, double ramp)
{
    double u = (t - start) / ramp;
    if (!(u > 0))
        return (fm_jet){0, 0};
    if (u >= 1)
        return (fm_jet){t - start - ramp / 2, 1};
    double fourth = u * u * u * u;
    return (fm_jet){ramp * fourth * (2.5 - 3 * u + u * u), u * u * u * (10 - 15 * u + 6 * u * u)};
}

// Fails unless low <= value <= high.
static bool check_range(const char *object, const char *field, double value, double low,
                        double high, fm_error *err)
{
    char allowed[48];
    fm_text_format(allowed, sizeof allowed, "%g to %g", low, high);
    return (value >= low && value <= high) || fm_fail_number(err, object, field, value, allowed);
}

// Checks the definition of a figure. object: named in errors.
static bool check_def(const fm_figure_def *def, const char *object, fm_error *err)
{
    if (!fm_is_finite(def->origin))
        return fm_fail_vector(err, object, "origin", def->origin, "finite numbers");
    if ((unsigned)def->motion > FM_FIGURE_DANCE)
        return fm_fail_number(err, object, "motion", def->motion, "stand, walk or dance");
    double height = def->height;
    return check_range(object, "height", height, 0.5, 3, err) &&
           check_range(object, "facing", def->facing, -1e6, 1e6, err) &&
           check_range(object, "hips", def->hips, 0.5, 2, err) &&
           check_range(object, "waist", def->waist, 0.5, 2, err) &&
           check_range(object, "chest", def->chest, 0.5, 2, err) &&
           check_range(object, "limbs", def->limbs, 0.5, 2, err) &&
           check_range(object, "arms", def->arms, 0, FM_PI / 2, err) &&
           check_range(object, "start", def->start, 0, 1e6, err) &&
           check_range(object, "ramp", def->ramp, 0.1, 1e3, err) &&
           check_range(object, "walk.speed", def->walk.speed, 0.05, 2.5, err) &&
           (def->walk.stride == 0 ||
            check_range(object, "walk.stride", def->walk.stride, 0.2 * height, height, err)) &&
           check_range(object, "dance.tempo", def->dance.tempo, 0.1, 4, err) &&
           check_range(object, "dance.energy", def->dance.energy, 0, 1.5, err);
}

// Positions of joints and lengths of bones for a figure of height h, m. The numbers are fractions
// of the height, from the sources at the head of this file.
static fm_measures measure_body(double h)
{
    const double ankle = 0.045, leg = 0.2455;
    return (fm_measures){
        .height = h,
        .hip = (ankle + 2 * leg) * h,
        .spine = 0.585 * h,
        .chest = 0.665 * h,
        .neck = 0.832 * h,
        .head = 0.885 * h,
        .hip_side = 0.052 * h,
        .foot_side = 0.042 * h,
        .thigh = leg * h,
        .shin = leg * h,
        .ankle = ankle * h,
        .heel = -0.018 * h,
        .toe = 0.102 * h,
        .heel_radius = 0.025 * h,
        .toe_radius = 0.019 * h,
        .shoulder = {0.108 * h, 0.806 * h, -0.004 * h},
        .elbow = {0.108 * h, 0.626 * h, -0.004 * h},
        .wrist = {0.108 * h, 0.482 * h, -0.004 * h},
        .fingers = {0.108 * h, 0.396 * h, -0.004 * h},
    };
}

// m, length of a stride, which grows with the square root of the speed, as in human gait: 0.76
// heights at 1.3 m/s, limited to 0.3 to 0.95 heights. height in m, speed in m/s.
static double choose_stride(double height, double speed)
{
    return fmin(fmax(0.76 * height * sqrt(speed / 1.3), 0.3 * height), 0.95 * height);
}

// Joint angles of a standing figure at time t, s: knees slightly bent, arms at the angle of the
// definition. A figure that walks or dances lowers them in the ramp of its motion.
fm_posture fm_figure_standing_posture(const fm_figure *figure, double t)
{
    const fm_figure_def *def = &figure->def;
    fm_posture p = {.y = {-figure->crouch, 0}};
    double bend = acos(STANDING);
    fm_jet ramp = {(t - def->start) / def->ramp, 1 / def->ramp};
    fm_jet lowered = def->motion == FM_FIGURE_STAND ? (fm_jet){0, 0} : fm_jet_ease(ramp);
    for (int side = 0; side < 2; side++) {
        p.arm_raise[side] = fm_jet_affine(lowered, HANGING - def->arms, def->arms);
        p.arm_flexion[side].v = 2 * FM_DEGREE;
        p.elbow[side].v = 10 * FM_DEGREE;
        p.hip[side].v = p.ankle[side].v = bend;
        p.knee[side].v = 2 * bend;
    }
    return p;
}

// Poses of all bones at time t, relative to the figure's own frame.
static void pose_bones(const fm_figure *figure, double t, fm_bone_poses *poses)
{
    fm_posture posture = figure->def.motion == FM_FIGURE_WALK ? fm_figure_walking_posture(figure, t)
                         : figure->def.motion == FM_FIGURE_DANCE
                             ? fm_figure_dancing_posture(figure, t)
                             : fm_figure_standing_posture(figure, t);
    fm_figure_compute_bone_poses(figure, &posture, poses);
}

// The inverse of a pose, with zero velocity and spin.
static fm_pose invert_pose(const fm_pose *pose)
{
    fm_pose inverse = {.rotation = fm_quat_inverse(pose->rotation)};
    inverse.position = fm_scale(fm_quat_rotate(inverse.rotation, pose->position), -1);
    return inverse;
}

// A copy of the name in the arena; an empty text for NULL.
static const char *copy_name(fm_arena *arena, const char *name, fm_error *err)
{
    size_t size = name ? strlen(name) + 1 : 1;
    char *copy = fm_arena_alloc(arena, size, 1, "figure", err);
    if (copy && name)
        memcpy(copy, name, size);
    return copy;
}

// Creates a figure in the arena. Returns NULL and fills err on bad values.
fm_figure *fm_figure_create_in_arena(fm_arena *arena, const fm_figure_def *def, fm_error *err)
{
    assert(def);
    bool named = def->name && *def->name;
    char object[48];
    snprintf(object, sizeof object, "figure%s%s", named ? " " : "", named ? def->name : "");
    if (err->status != FM_OK || !check_def(def, object, err))
        return NULL;
    fm_figure *figure = fm_arena_alloc(arena, 1, sizeof *figure, object, err);
    const char *name = copy_name(arena, def->name, err);
    if (!name)
        return NULL;
    figure->def = *def;
    figure->def.name = name;
    if (def->walk.stride == 0)
        figure->def.walk.stride = choose_stride(def->height, def->walk.speed);
    figure->name = name;
    figure->measures = measure_body(def->height);
    figure->crouch = (1 - STANDING) * (figure->measures.thigh + figure->measures.shin);
    figure->walk_drop = fm_figure_find_walk_drop(figure);
    figure->to_world = fm_pose_identity();
    figure->to_world.rotation = fm_quat_from_rotation_vector((fm_vec3){0, def->facing, 0});
    figure->to_world.position = def->origin;
    fm_bone_poses local;
    pose_bones(figure, 0, &local);
    for (int b = 0; b < FM_BONE_COUNT; b++) {
        fm_pose initial = fm_pose_compose(&figure->to_world, &local.bones[b]);
        figure->to_bind_pose[b] = invert_pose(&initial);
    }
    return figure;
}

// The definition of a figure, with the stride filled in.
fm_figure_def fm_figure_definition(const fm_figure *figure)
{
    assert(figure);
    return figure->def;
}

// The poses of all bones at time t; each maps the bind pose to the world.
void fm_figure_compute_world_poses(const fm_figure *figure, double t, fm_pose poses[FM_BONE_COUNT])
{
    fm_bone_poses local;
    pose_bones(figure, t, &local);
    for (int b = 0; b < FM_BONE_COUNT; b++)
        poses[b] = fm_pose_compose(&figure->to_world, &local.bones[b]);
}

// The motion of a bone: maps a world point at time 0 to its position at time t.
fm_pose fm_figure_bone_pose(const fm_figure *figure, fm_bone bone, double t)
{
    fm_bone_poses local;
    pose_bones(figure, t, &local);
    fm_pose now = fm_pose_compose(&figure->to_world, &local.bones[bone]);
    return fm_pose_compose(&now, &figure->to_bind_pose[bone]);
}
