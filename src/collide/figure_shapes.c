// SPDX-License-Identifier: MIT
// figure_shapes.c: collision shapes of a figure's bones, in its bind pose and in its pose at time
// 0.
//
// Ellipsoids for trunk and head, tapered capsules for limbs: convex, close to a human body, and
// overlapping at the joints so that cloth finds no gap. The numbers are fractions of the figure's
// height, taken from a dress form of size 38.
#include "collide/collide.h"
#include "motion/figure.h"

#include <assert.h>

// Ellipsoid whose centre (0, y, z) and half axes are given as fractions of the height h, m.
static fm_shape ellipsoid(double h, double y, double z, double x_half, double y_half, double z_half)
{
    return (fm_shape){.kind = FM_SHAPE_ELLIPSOID,
                      .centre = {0, y * h, z * h},
                      .half_size = {x_half * h, y_half * h, z_half * h},
                      .rotation = {0, 0, 0, 1}};
}

// Tapered capsule from start to end, m.
static fm_shape limb(fm_vec3 start, fm_vec3 end, double radius, double end_radius)
{
    return (fm_shape){.kind = FM_SHAPE_CAPSULE,
                      .start = start,
                      .end = end,
                      .radius = radius,
                      .end_radius = end_radius,
                      .rotation = {0, 0, 0, 1}};
}

// Shape of pelvis, spine, chest, shoulders, neck or head. The numbers are fractions of the height,
// measured on a dress form; def->hips, waist and chest scale the girths.
static fm_shape trunk_shape(const fm_figure_def *def, fm_bone bone)
{
    double h = def->height;
    switch (bone) {
    case FM_BONE_PELVIS:
        return ellipsoid(h, 0.556, -0.006, 0.094 * def->hips, 0.090, 0.070 * def->hips);
    case FM_BONE_SPINE:
        return ellipsoid(h, 0.632, -0.002, 0.075 * def->waist, 0.095, 0.057 * def->waist);
    case FM_BONE_CHEST:
        return ellipsoid(h, 0.728, 0.002, 0.085 * def->chest, 0.102, 0.067 * def->chest);
    case FM_BONE_SHOULDERS:
        return limb((fm_vec3){-0.080 * h, 0.800 * h, -0.006 * h},
                    (fm_vec3){0.080 * h, 0.800 * h, -0.006 * h}, 0.032 * h, 0.032 * h);
    case FM_BONE_NECK:
        return limb((fm_vec3){0, 0.812 * h, -0.010 * h}, (fm_vec3){0, 0.890 * h, 0}, 0.040 * h,
                    0.028 * h);
    default:
        return ellipsoid(h, 0.934, 0.010, 0.044, 0.066, 0.055);
    }
}

// Parts of the limbs of one side, in the order of their bones.
enum { UPPER_ARM, FOREARM, HAND, THIGH, SHIN, FOOT, PARTS_PER_LIMB = 3 };

// Shape of a part of the limbs of the left side. Radii are fractions of the height, scaled by
// def.limbs.
static fm_shape limb_shape(const fm_figure *figure, int part)
{
    const fm_measures *m = &figure->measures;
    double h = m->height, girth = figure->def.limbs * h;
    fm_vec3 hip = {m->hip_side, m->hip, 0}, knee = {m->hip_side, m->hip - m->thigh, 0};
    fm_vec3 ankle = {m->hip_side, m->ankle, 0};
    fm_vec3 heel = {m->hip_side, m->heel_radius, m->heel},
            toe = {m->hip_side, m->toe_radius, m->toe};
    switch (part) {
    case UPPER_ARM:
        return limb(m->shoulder, m->elbow, 0.029 * girth, 0.0235 * girth);
    case FOREARM:
        return limb(m->elbow, m->wrist, 0.0235 * girth, 0.0165 * girth);
    case HAND:
        return limb(m->wrist, m->fingers, 0.019 * girth, 0.013 * girth);
    case THIGH:
        return limb(hip, knee, 0.054 * girth, 0.034 * girth);
    case SHIN:
        return limb(knee, ankle, 0.034 * girth, 0.0225 * girth);
    default:
        return limb(heel, toe, m->heel_radius, m->toe_radius);
    }
}

// Shape of a bone in the bind pose. Limbs of the right side mirror those of the left.
fm_shape fm_figure_bind_shape(const fm_figure *figure, fm_bone bone)
{
    fm_shape shape;
    bool right = (bone >= FM_BONE_RIGHT_UPPER_ARM && bone <= FM_BONE_RIGHT_HAND) ||
                 bone >= FM_BONE_RIGHT_THIGH;
    if (bone < FM_BONE_LEFT_UPPER_ARM)
        return trunk_shape(&figure->def, bone);
    if (bone < FM_BONE_LEFT_THIGH)
        shape = limb_shape(figure, (bone - FM_BONE_LEFT_UPPER_ARM) % PARTS_PER_LIMB);
    else
        shape = limb_shape(figure, THIGH + (bone - FM_BONE_LEFT_THIGH) % PARTS_PER_LIMB);
    if (right) {
        shape.start.x = -shape.start.x;
        shape.end.x = -shape.end.x;
    }
    return shape;
}

// Shape of a bone at time 0, in world coordinates.
fm_shape fm_figure_shape(const fm_figure *figure, fm_bone bone)
{
    assert(figure);
    fm_pose poses[FM_BONE_COUNT];
    fm_shape shape = fm_figure_bind_shape(figure, bone);
    fm_figure_compute_world_poses(figure, 0, poses);
    return fm_shape_transform(&shape, &poses[bone]);
}
