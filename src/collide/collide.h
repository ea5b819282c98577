// SPDX-License-Identifier: MIT
// collide.h: shapes in motion, distances to them, and the response of a particle.
#ifndef FATHOM_COLLIDE_COLLIDE_H
#define FATHOM_COLLIDE_COLLIDE_H

#include "core/core.h"
#include "motion/motion.h"

#include <fathom/collide.h>
#include <fathom/figure.h>

typedef struct fm_trimesh fm_trimesh;

enum { FM_FREE_STATE = 13 }; // numbers that a free collider's state has

struct fm_collider {
    const char *name; // "" when it has none
    fm_shape shape;   // normal and rotation made units
    fm_trimesh *mesh; // instead of a shape, or NULL; holds where its vertices are at one time
    const fm_motion *motion;
    double friction;
    bool hidden, clear;
    double mass; // kg; 0: not free
    // state of a free one
    fm_vec3 centre, velocity, spin; // m, m/s, rad/s
    fm_quat turned;                 // since the beginning
    // what it was given since it last moved
    fm_vec3 impulse, turn; // N s, N m s about its centre
    // its way through an interval, while bodies move
    bool launched;
    double since; // s, when it is at its centre
    fm_vec3 way;  // m/s
    double before[FM_FREE_STATE];
};

// What a query finds: signed distance (negative inside), closest point of the surface, outward unit
// normal there, velocity of the surface there.
typedef struct fm_contact {
    double distance;
    fm_vec3 point, normal, velocity;
} fm_contact;

// The collider as it stands at one time: made once per step, asked for many particles. That of an
// animated mesh is good until the collider is placed at another time.
typedef struct fm_placed_collider {
    fm_vec3 low, high; // box around it in the world; a plane's is infinite but for the side above
                       // it when it faces along an axis
    double reach;      // largest coordinate in it, m: what rounding is relative to
    double friction;
    fm_shape shape; // in the world
    fm_pose pose;
    const fm_collider *collider;
} fm_placed_collider;

// Neither moved nor animated nor free.
bool fm_collider_is_fixed(const fm_collider *collider);

// NULL with err filled on bad values. The motion must live as long as the collider.
fm_collider *fm_collider_new(fm_arena *arena, const fm_collider_def *def, fm_error *err);
fm_collider *fm_collider_new_mesh(fm_arena *arena, const fm_collider_def *def,
                                  const fm_collider_mesh *mesh, fm_error *err);
fm_placed_collider fm_collider_place(const fm_collider *collider, double t);
fm_contact fm_collider_contact(const fm_placed_collider *placed, fm_vec3 point);
// The same without the velocity of its motion, for those who need the distance only.
fm_contact fm_placed_contact(const fm_placed_collider *placed, fm_vec3 point);

// Certainly further away than range, by the box around it.
bool fm_placed_is_far(const fm_placed_collider *placed, fm_vec3 point, double range);

// Moves a particle that is nearer than `margin` out to that distance from every collider (or
// further by a few roundings, never nearer), and takes from its velocity what goes into the surface
// and, by Coulomb friction, up to friction x that of what slides along it. Velocities are relative
// to the surface; what leaves it is left alone. Where colliders overlap, or close in on the
// particle, so that several passes do not free it, it is left outside the last one that pushed it
// and false is returned. touched (may be NULL) tells whether anything happened.
bool fm_collide_particle(const fm_placed_collider *placed, int collider_count, double margin,
                         fm_vec3 *position, fm_vec3 *velocity, bool *touched);

// The same for a particle that is heavier along an axis, as cloth is that moves water along its
// normal: impulses answer to M^-1 = 1 - (1 - ratio) e e^T, up to a factor.
typedef struct fm_mass_axis {
    fm_vec3 e;    // unit
    double ratio; // mass across the axis over mass along it, in (0, 1]
} fm_mass_axis;
bool fm_collide_particle_with_axis(const fm_placed_collider *placed, int collider_count,
                                   double margin, const fm_mass_axis *axis, fm_vec3 *position,
                                   fm_vec3 *velocity, bool *touched);

// mesh.c. Everything in the mesh's own frame, before its motion.
fm_trimesh *fm_trimesh_new(fm_arena *arena, const fm_collider_mesh *def, const char *object,
                           fm_error *err);
void fm_trimesh_set_time(fm_trimesh *mesh, double t); // nothing to do when it does not move
bool fm_trimesh_is_closed(const fm_trimesh *mesh);
bool fm_trimesh_is_animated(const fm_trimesh *mesh);
fm_box fm_trimesh_bounds(const fm_trimesh *mesh);
fm_contact fm_trimesh_contact(const fm_trimesh *mesh, fm_vec3 point);
const fm_vec3 *fm_trimesh_vertices(const fm_trimesh *mesh, int *count); // as they are now
const int *fm_trimesh_triangles(const fm_trimesh *mesh, int *count);    // [3 * count]
const fm_tree *fm_trimesh_tree(const fm_trimesh *mesh);                 // of its triangles
double fm_trimesh_half_thickness(const fm_trimesh *mesh); // m, of a shell; 0 when closed
// Where the vertices of an animated one are at a time, into x; gives how far at most they are from
// where they are now, m.
double fm_trimesh_read_vertices(const fm_trimesh *mesh, double t, fm_vec3 *x);
// The other side of a wall: behind which surface, facing away from the one that is nearest to p, p
// is. False when there is none within reach, or beyond the rim of a shell.
bool fm_trimesh_opposite(const fm_trimesh *mesh, fm_vec3 p, const fm_contact *near, double reach,
                         fm_contact *far);

// A place on the surface that goes along with it, and the frame that stands there: along an edge,
// across it, along the normal.
typedef struct fm_anchor {
    int triangle;
    double share[3]; // of the corners
} fm_anchor;
typedef struct fm_frame {
    fm_vec3 origin, axes[3], velocity;
} fm_frame;
fm_anchor fm_trimesh_anchor(const fm_trimesh *mesh, fm_vec3 p); // nearest to p
fm_frame fm_trimesh_frame(const fm_trimesh *mesh, const fm_anchor *anchor);

// crossing.c: where the way from a to b passes the surface first, while its vertices move from
// `before` (NULL: they rest), by at most `moved`, to where they are. A closed one is passed inwards
// only.
typedef struct fm_crossing {
    double share; // of the way
    fm_anchor anchor;
    int side;      // 1: it comes from where the triangle faces, -1: from behind
    double beyond; // m, signed distance of b from the plane of the triangle
} fm_crossing;
bool fm_trimesh_cross(const fm_trimesh *mesh, const fm_vec3 *before, double moved, fm_vec3 a,
                      fm_vec3 b, fm_crossing *first);

// free.c: colliders with a mass.
void fm_collider_push(fm_collider *collider, fm_vec3 at, fm_vec3 impulse);
// How fast it will go at a point after a step of length h, by what it was given so far.
fm_vec3 fm_collider_velocity_ahead(const fm_collider *collider, fm_vec3 at, fm_vec3 gravity,
                                   double h);
// Takes in what it was given, falls, moves for h, and stays away from the others and from planes.
void fm_collider_move(fm_collider *collider, fm_vec3 gravity, double h,
                      const fm_placed_collider *solids, int solid_count);
// Puts it back to its state `before`; until `launched` is cleared, its pose at t is on the straight
// way from there, at time t, to where it was put, h later.
void fm_collider_launch(fm_collider *collider, double t, double h);
void fm_collider_save(const fm_collider *collider, double state[FM_FREE_STATE]);
void fm_collider_restore(fm_collider *collider, const double state[FM_FREE_STATE]);
fm_pose fm_collider_pose(const fm_collider *collider, double t);

// What bodies and fluids are in: the same for all of a world.
typedef struct fm_surroundings {
    fm_vec3 gravity;
    fm_medium medium;
    fm_collider *const *colliders;
    int collider_count;
    fm_placed_collider *placed; // room for collider_count, filled anew for every substep
    fm_pool *pool;
    fm_stop *stop; // asked between substeps; may be NULL
} fm_surroundings;

// shapes.c. All shapes are convex, and their signed distance with them: the response relies on it.
bool fm_shape_check(fm_shape *shape, const char *object, fm_error *err); // makes units as well
fm_shape fm_shape_carry(const fm_shape *shape, const fm_pose *pose);
void fm_shape_bound(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high);
fm_contact fm_shape_contact(const fm_shape *shape, fm_vec3 point); // its velocity is left zero
fm_vec3 fm_find_perpendicular(fm_vec3 a); // a unit vector at a right angle to it

// figure.c: a bone's shape where bones are measured.
struct fm_figure;
fm_shape fm_figure_bind_shape(const struct fm_figure *figure, fm_bone bone);

// solids.c, for shapes.c. A cylinder is a cone with equal radii.
fm_contact fm_cone_contact(const fm_shape *shape, double end_radius, fm_vec3 point);
void fm_cone_bound(const fm_shape *shape, double end_radius, fm_vec3 *low, fm_vec3 *high);
fm_contact fm_ellipsoid_contact(const fm_shape *shape, fm_vec3 point);
void fm_ellipsoid_bound(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high);

// hull.c: a shape as triangles, counterclockwise from outside, where its definition puts it.
typedef struct fm_hull {
    fm_vec3 *vertices;
    int (*triangles)[3];
    int vertex_count, triangle_count;
    bool closed; // not for planes
} fm_hull;
bool fm_shape_hull(const fm_shape *shape, fm_hull *hull, fm_error *err);
void fm_hull_free(fm_hull *hull);

#endif
