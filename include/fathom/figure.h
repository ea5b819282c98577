// SPDX-License-Identifier: MIT
// figure.h: an animated human figure that stands, walks or dances, to carry garments.
//
//     fm_figure_def def = fm_default_figure_def();
//     def.motion = FM_FIGURE_WALK;
//     fm_figure *woman = fm_figure_create(world, &def, &err);
//     fm_figure_add_colliders(world, woman, 0.3, &err);
//     fm_cloth_pin_row(skirt, 0, fm_motion_figure(world, woman, FM_BONE_PELVIS, &err), &err);
//
// A figure has eighteen bones with the proportions of an adult. Pins and colliders can follow the
// motion of each bone. At time 0 the figure stands with its arms a little away from the body;
// garments are created around this pose. All motions start at rest and have continuous
// accelerations, so that garments are not jerked.
#ifndef FATHOM_FIGURE_H
#define FATHOM_FIGURE_H

#include <fathom/api.h>
#include <fathom/collide.h>
#include <fathom/error.h>
#include <fathom/motion.h>
#include <fathom/vec.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// The bones of a figure.
typedef enum fm_bone {
    FM_BONE_PELVIS,
    FM_BONE_SPINE, // the waist
    FM_BONE_CHEST,
    FM_BONE_SHOULDERS,
    FM_BONE_NECK,
    FM_BONE_HEAD,
    FM_BONE_LEFT_UPPER_ARM,
    FM_BONE_LEFT_FOREARM,
    FM_BONE_LEFT_HAND,
    FM_BONE_RIGHT_UPPER_ARM,
    FM_BONE_RIGHT_FOREARM,
    FM_BONE_RIGHT_HAND,
    FM_BONE_LEFT_THIGH,
    FM_BONE_LEFT_SHIN,
    FM_BONE_LEFT_FOOT,
    FM_BONE_RIGHT_THIGH,
    FM_BONE_RIGHT_SHIN,
    FM_BONE_RIGHT_FOOT,
    FM_BONE_COUNT,
} fm_bone;

FM_API const char *fm_bone_name(fm_bone bone); // such as "left_upper_arm"; NULL: no such bone
FM_API fm_bone fm_bone_find(const char *name); // bone of that name; FM_BONE_COUNT: none

// How a figure moves.
typedef enum fm_figure_motion {
    FM_FIGURE_STAND,
    FM_FIGURE_WALK,  // walks straight ahead without end
    FM_FIGURE_DANCE, // turns and rises slowly, as under water, and sweeps its arms
} fm_figure_motion;

// Definition of a figure.
typedef struct fm_figure_def {
    const char *name;                 // prefix of its colliders' names: "woman.left_thigh"; copied
    double height;                    // m, 0.5 to 3
    fm_vec3 origin;                   // m; point on the floor between the feet at time 0
    double facing;                    // rad about y: 0 faces +z, pi/2 faces +x
    double hips, waist, chest, limbs; // girths relative to an average adult, 0.5 to 2
    double arms; // rad, 0 to pi/2, from the body at time 0; the motion lowers them in its ramp
    fm_figure_motion motion;
    double start; // s, >= 0: the figure stands until this time
    double ramp;  // s, 0.1 to 1000: time from standing to the full motion
    struct {
        double speed;  // m/s, 0.05 to 2.5
        double stride; // m, between two footprints of the same foot; 0: chosen from the speed
    } walk;
    struct {
        double tempo;  // 0.1 to 4; at 1 a phrase of the dance takes 6 s, a full turn 24 s
        double energy; // 0 to 1.5, amplitude of all gestures
    } dance;
    bool bare; // pictures show the collision shapes of the bones instead of a smooth skin
} fm_figure_def;

typedef struct fm_figure fm_figure;

FM_API fm_figure_def fm_default_figure_def(void); // 1.7 m tall, at the origin, standing

// Creates a figure in a world. Its colliders are added by fm_figure_add_colliders.
FM_API fm_figure *fm_figure_create(fm_world *world, const fm_figure_def *def, fm_error *err);
// The definition of the figure, with the stride filled in if it was 0.
FM_API fm_figure_def fm_figure_definition(const fm_figure *figure);

// The motion of a bone, relative to its pose at time 0.
FM_API fm_motion *fm_motion_figure(fm_world *world, const fm_figure *figure, fm_bone bone,
                                   fm_error *err);
// The collision shape of a bone at time 0, in world coordinates.
FM_API fm_shape fm_figure_shape(const fm_figure *figure, fm_bone bone);
// Adds a collider named NAME.BONE for each bone, which follows the bone.
FM_API bool fm_figure_add_colliders(fm_world *world, const fm_figure *figure, double friction,
                                    fm_error *err);

FM_API int fm_world_figure_count(const fm_world *world);
// The figures of a world, in the order of their creation; 0 <= index < fm_world_figure_count.
FM_API const fm_figure *fm_world_figure(const fm_world *world, int index);

#ifdef __cplusplus
}
#endif

#endif
