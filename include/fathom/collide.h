// SPDX-License-Identifier: MIT
// collide.h: things that cloth and fluids may not enter.
//
// A collider is a solid shape, fixed where its definition puts it, carried from there by a motion,
// or free, with a mass. Colliders belong to the world they are made in.
#ifndef FATHOM_COLLIDE_H
#define FATHOM_COLLIDE_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/motion.h>
#include <fathom/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fm_shape_kind {
    FM_SHAPE_PLANE,   // all that is below it: centre, normal
    FM_SHAPE_SPHERE,  // centre, radius
    FM_SHAPE_CAPSULE, // from `start` to `end`, radius
    FM_SHAPE_BOX,     // centre, half_size, rotation
} fm_shape_kind;

typedef struct fm_shape {
    fm_shape_kind kind;
    fm_vec3 centre;     // m; sphere, box; a point of the plane
    fm_vec3 normal;     // plane, pointing out of the solid; made a unit vector
    fm_vec3 start, end; // m; capsule: the ends of its axis
    double radius;      // m, > 0; sphere, capsule
    fm_vec3 half_size;  // m, > 0; box
    fm_quat rotation;   // box; made a unit, all zero means none
} fm_shape;

typedef struct fm_collider_def {
    const char *name; // for messages; copied
    fm_shape shape;
    const fm_motion *motion; // NULL: fixed
    double friction;         // Coulomb's coefficient, >= 0
    double mass;      // kg; > 0: moves freely, pushed by particle fluids and its weight. Spheres
                      // only, and without a motion. In 2D a disc, per metre of depth
    fm_vec3 velocity; // m/s, at the beginning, of a free one
} fm_collider_def;

typedef struct fm_collider fm_collider;

FM_API fm_collider_def fm_default_collider_def(void); // a unit sphere at the origin, friction 0.3
FM_API fm_collider *fm_collider_create(fm_world *world, const fm_collider_def *def, fm_error *err);

// Where the centre of a free collider is, and how fast it moves and turns; of others, at time 0.
FM_API fm_vec3 fm_collider_position(const fm_collider *collider);
FM_API fm_vec3 fm_collider_velocity(const fm_collider *collider);
FM_API fm_vec3 fm_collider_spin(const fm_collider *collider); // rad/s

// At time t: signed distance in m of a point from the surface (negative inside), with the closest
// surface point, the outward normal there and the surface's velocity. Where several surface points
// are equally close, as from a sphere's centre, it is one of them. Any output may be NULL.
FM_API double fm_collider_distance(const fm_collider *collider, fm_vec3 point, double t,
                                   fm_vec3 *closest, fm_vec3 *normal, fm_vec3 *velocity);

#ifdef __cplusplus
}
#endif

#endif
