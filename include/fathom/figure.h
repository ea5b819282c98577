// SPDX-License-Identifier: MIT
// figure.h: a person who stands, walks or dances, for garments to hang on.
//
//     fm_figure_def def = fm_default_figure_def();
//     def.motion = FM_FIGURE_WALK;
//     fm_figure *woman = fm_figure_create(world, &def, &err);
//     fm_figure_add_colliders(world, woman, 0.3, &err);
//     fm_cloth_pin_row(skirt, 0, fm_motion_figure(world, woman, FM_BONE_PELVIS, &err), &err);
//
// Eighteen bones with the proportions of an adult, each a motion for pins and colliders to follow.
// At time 0 it stands, arms a little away from the body: make garments around that. All motions
// begin at rest and are smooth, accelerations included, so that what is worn is not jerked.
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

FM_API const char *fm_bone_name(fm_bone bone); // "pelvis", "left_upper_arm"; NULL beyond
FM_API fm_bone fm_bone_find(const char *name); // FM_BONE_COUNT if there is none

typedef enum fm_figure_motion {
    FM_FIGURE_STAND,
    FM_FIGURE_WALK,  // straight on, for ever
    FM_FIGURE_DANCE, // slowly, as under water: turning, rising, arms sweeping
} fm_figure_motion;

typedef struct fm_figure_def {
    const char *name;                 // of its colliders: "woman.left_thigh"; copied
    double height;                    // m, 0.5 to 3
    fm_vec3 origin;                   // m; the floor between its feet
    double facing;                    // rad about y: 0 looks along +z, pi/2 along +x
    double hips, waist, chest, limbs; // girths, 1 is an adult's; 0.5 to 2
    fm_figure_motion motion;
    double start; // s, >= 0: until then it stands
    double ramp;  // s, > 0: to get into the motion
    struct {
        double speed;  // m/s, 0.05 to 2.5
        double stride; // m, from a footprint to the next of the same foot; 0: chosen for the speed
    } walk;
    struct {
        double tempo;  // 1: a phrase takes 6 s; 0.1 to 4
        double energy; // 1: full gestures; 0 to 1.5
    } dance;
    bool bare; // pictures show the bones' shapes instead of a skin
} fm_figure_def;

typedef struct fm_figure fm_figure;

FM_API fm_figure_def fm_default_figure_def(void); // 1.7 m, at the origin, stands
FM_API fm_figure *fm_figure_create(fm_world *world, const fm_figure_def *def, fm_error *err);
FM_API fm_figure_def fm_figure_definition(const fm_figure *figure); // what was chosen filled in

// How a bone moves from where it is at time 0; p -> p(t) as every motion.
FM_API fm_motion *fm_motion_figure(fm_world *world, const fm_figure *figure, fm_bone bone,
                                   fm_error *err);
// The shape of a bone at time 0.
FM_API fm_shape fm_figure_shape(const fm_figure *figure, fm_bone bone);
// A collider for each bone, named NAME.BONE, that follows it.
FM_API bool fm_figure_add_colliders(fm_world *world, const fm_figure *figure, double friction,
                                    fm_error *err);

FM_API int fm_world_figure_count(const fm_world *world);
FM_API const fm_figure *fm_world_figure(const fm_world *world, int index); // as they were made

#ifdef __cplusplus
}
#endif

#endif
