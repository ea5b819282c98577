// SPDX-License-Identifier: MIT
// collide.h: colliders: solids that cloth and fluids may not enter.
//
// A collider is a solid shape or mesh. It is fixed in the pose of its definition, moved from there
// by a motion, or free, with a mass. Colliders belong to the world in which they are created.
#ifndef FATHOM_COLLIDE_H
#define FATHOM_COLLIDE_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/motion.h>
#include <fathom/vec.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Solid shapes, with the fields of fm_shape that each uses.
typedef enum fm_shape_kind {
    FM_SHAPE_PLANE,     // half-space below the plane: centre, normal
    FM_SHAPE_SPHERE,    // centre, radius
    FM_SHAPE_CAPSULE,   // from `start` to `end`, radius; end_radius makes it tapered
    FM_SHAPE_BOX,       // centre, half_size, rotation
    FM_SHAPE_CYLINDER,  // from `start` to `end`, radius; flat ends
    FM_SHAPE_CONE,      // from `start` to `end`, radius to end_radius; flat ends
    FM_SHAPE_ELLIPSOID, // centre, half_size, rotation
    FM_SHAPE_MESH,      // triangles: created by fm_collider_create_mesh only
} fm_shape_kind;

// A solid shape. fm_shape_kind says which fields each kind of shape uses.
typedef struct fm_shape {
    fm_shape_kind kind;
    fm_vec3 centre;     // m; sphere, box, ellipsoid; a point of the plane
    fm_vec3 normal;     // plane, pointing out of the solid; will be normalized
    fm_vec3 start, end; // m; capsule, cylinder, cone: the ends of the axis
    double radius;      // m, > 0; sphere, capsule, cylinder; at the start of a cone
    // m, >= 0; at the end of a cone (0: a tip) and of a capsule (0: same as radius)
    double end_radius;
    fm_vec3 half_size; // m, > 0; box, ellipsoid
    fm_quat rotation;  // box, ellipsoid; will be normalized, all zero means none
} fm_shape;

typedef struct fm_collider fm_collider;

// Definition of a collider.
typedef struct fm_collider_def {
    const char *name; // for error messages; copied
    fm_shape shape;
    const fm_motion *motion; // NULL: fixed
    double friction;         // Coulomb's coefficient, >= 0
    bool hidden;             // not drawn, because another object represents it in pictures
    bool clear;              // drawn as glass
    fm_vec3 color;           // sRGB, 0 to 1, for pictures; all 0: light grey
    bool shown_only;         // only drawn: nothing touches it, and it has no mass
    // kg; > 0: moved by gravity and particle fluids; cloth collides with it but does not push it.
    // A sphere without a motion is a rigid ball; in 2D a disc, mass per metre of depth. Any other
    // shape but planes and meshes needs a motion and is free in height only: the motion moves it
    // sideways and relative to its height, as the foot of somebody who runs
    double mass;
    // A collider with a mass and a motion, created before, whose height this one shares, as the
    // other foot; it needs a motion and no mass. NULL: none
    const fm_collider *carrier;
    fm_vec3 velocity; // m/s, initial velocity of a collider with a mass
} fm_collider_def;

FM_API fm_collider_def fm_default_collider_def(void); // a unit sphere at the origin, friction 0.3
FM_API fm_collider *fm_collider_create(fm_world *world, const fm_collider_def *def, fm_error *err);

// A surface of triangles, counterclockwise from outside. A closed one (every edge has two
// triangles) is solid; its orientation is corrected if necessary. An open one is a shell. Frames
// are positions of all vertices at start, start + 1/fps, ...: the mesh is at rest before the first
// and after the last, and its surface has the velocity of the interpolation between them. All
// arrays are copied.
typedef struct fm_collider_mesh {
    const fm_vec3 *vertices; // m
    int vertex_count;
    const int *triangles; // [3 * triangle_count]
    int triangle_count;
    // m; total thickness of a shell, > 0, half to each side; >= 0 and unused if closed
    double thickness;
    const float *frames;            // m, [frame_count][vertex_count][3]
    int frame_count;                // 0: not animated
    double fps, start;              // frames per second; s, time of the first frame
    fm_interpolation interpolation; // of positions between frames
} fm_collider_mesh;

// The definition's shape is not used; its motion moves the mesh as a whole.
FM_API fm_collider *fm_collider_create_mesh(fm_world *world, const fm_collider_def *def,
                                            const fm_collider_mesh *mesh, fm_error *err);

FM_API int fm_world_collider_count(const fm_world *world);
// Colliders are numbered from 0 in the order of creation.
FM_API const fm_collider *fm_world_collider(const fm_world *world, int index);

// Mean force of the fluids with `loads` on a collider without a mass in the last advance, N. False
// if there is no such fluid or no such collider.
FM_API bool fm_world_collider_load(const fm_world *world, int index, fm_vec3 *load);

// Finds a collider by name, or returns NULL. The bones of a figure are colliders with names such as
// "woman.left_thigh".
FM_API fm_collider *fm_world_find_collider(fm_world *world, const char *name);
FM_API const char *fm_collider_name(const fm_collider *collider);
// Position of the centre, m, velocity, m/s, and angular velocity (spin) of a collider: of a free
// collider (with a mass) now, of other colliders at time 0.
FM_API fm_vec3 fm_collider_position(const fm_collider *collider);
FM_API fm_vec3 fm_collider_velocity(const fm_collider *collider);
FM_API fm_vec3 fm_collider_spin(const fm_collider *collider); // rad/s

// Signed distance of a point from the surface at time t, m (negative inside). Also returns the
// closest surface point, its outward normal and its velocity. If several surface points are equally
// close, as from a sphere's centre, it is one of them. Any output may be NULL. An animated mesh is
// moved to time t, so query it from one thread at a time.
FM_API double fm_collider_distance(const fm_collider *collider, fm_vec3 point, double t,
                                   fm_vec3 *closest, fm_vec3 *normal, fm_vec3 *velocity);

#ifdef __cplusplus
}
#endif

#endif
