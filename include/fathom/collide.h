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
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fm_shape_kind {
    FM_SHAPE_PLANE,     // all that is below it: centre, normal
    FM_SHAPE_SPHERE,    // centre, radius
    FM_SHAPE_CAPSULE,   // from `start` to `end`, radius; end_radius makes it tapered
    FM_SHAPE_BOX,       // centre, half_size, rotation
    FM_SHAPE_CYLINDER,  // from `start` to `end`, radius; flat ends
    FM_SHAPE_CONE,      // from `start` to `end`, radius to end_radius; flat ends
    FM_SHAPE_ELLIPSOID, // centre, half_size, rotation
    FM_SHAPE_MESH,      // triangles: made by fm_collider_create_mesh only
} fm_shape_kind;

typedef struct fm_shape {
    fm_shape_kind kind;
    fm_vec3 centre;     // m; sphere, box, ellipsoid; a point of the plane
    fm_vec3 normal;     // plane, pointing out of the solid; made a unit vector
    fm_vec3 start, end; // m; capsule, cylinder, cone: the ends of the axis
    double radius;      // m, > 0; sphere, capsule, cylinder; at the start of a cone
    double end_radius;  // m, >= 0; at the end of a cone (0: a tip) and of a capsule (0: as radius)
    fm_vec3 half_size;  // m, > 0; box, ellipsoid
    fm_quat rotation;   // box, ellipsoid; made a unit, all zero means none
} fm_shape;

typedef struct fm_collider_def {
    const char *name; // for messages; copied
    fm_shape shape;
    const fm_motion *motion; // NULL: fixed
    double friction;         // Coulomb's coefficient, >= 0
    bool hidden;             // not drawn: something else shows what is there
    bool clear;              // pictures show it as glass
    double mass;      // kg; > 0: moves freely, pushed by particle fluids and its weight; cloth
                      // meets it but does not push it. Spheres only, and without a motion. In 2D
                      // a disc, per metre of depth
    fm_vec3 velocity; // m/s, at the beginning, of a free one
} fm_collider_def;

typedef struct fm_collider fm_collider;

FM_API fm_collider_def fm_default_collider_def(void); // a unit sphere at the origin, friction 0.3
FM_API fm_collider *fm_collider_create(fm_world *world, const fm_collider_def *def, fm_error *err);

// A surface of triangles, counter-clockwise from outside. Closed (every edge has two triangles)
// it is solid, whichever way round it was given; open it is a shell. Frames, if there are any, are
// positions of all vertices at start, start + 1/fps, ...: before and after them it rests, and
// between them its surface has the velocity of the interpolation. All is copied.
typedef struct fm_collider_mesh {
    const fm_vec3 *vertices; // m
    int vertex_count;
    const int *triangles; // [3 * triangle_count]
    int triangle_count;
    double thickness;    // m, >= 0; of a shell: > 0, half to each side
    const float *frames; // m, [frame_count][vertex_count][3]
    int frame_count;     // 0: it keeps its shape
    double fps, start;   // 1/s, s
    fm_interpolation interpolation;
} fm_collider_mesh;

// The definition's shape is not used; its motion carries the mesh as a whole.
FM_API fm_collider *fm_collider_create_mesh(fm_world *world, const fm_collider_def *def,
                                            const fm_collider_mesh *mesh, fm_error *err);

FM_API int fm_world_collider_count(const fm_world *world);
FM_API const fm_collider *fm_world_collider(const fm_world *world, int index); // as they were made

// By name; a figure's are "woman.left_thigh"... NULL if there is none.
FM_API fm_collider *fm_world_find_collider(fm_world *world, const char *name);
// Where the centre of a free collider is, and how fast it moves and turns; of others, at time 0.
FM_API fm_vec3 fm_collider_position(const fm_collider *collider);
FM_API fm_vec3 fm_collider_velocity(const fm_collider *collider);
FM_API fm_vec3 fm_collider_spin(const fm_collider *collider); // rad/s

// At time t: signed distance in m of a point from the surface (negative inside), with the closest
// surface point, the outward normal there and the surface's velocity. Where several surface points
// are equally close, as from a sphere's centre, it is one of them. Any output may be NULL. An
// animated mesh is moved to t: ask it from one thread at a time.
FM_API double fm_collider_distance(const fm_collider *collider, fm_vec3 point, double t,
                                   fm_vec3 *closest, fm_vec3 *normal, fm_vec3 *velocity);

#ifdef __cplusplus
}
#endif

#endif
