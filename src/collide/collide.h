// SPDX-License-Identifier: MIT
// collide.h: colliders: moving shapes and meshes, signed distances to them, and the collision
// response of a particle.
#ifndef FATHOM_COLLIDE_COLLIDE_H
#define FATHOM_COLLIDE_COLLIDE_H

#include "core/core.h"
#include "motion/motion.h"

#include <fathom/collide.h>
#include <fathom/figure.h>

typedef struct fm_trimesh fm_trimesh;

enum { FM_RIGID_STATE = 15 }; // number of doubles in the state of a collider with a mass

// State of a collider with a mass: a rigid ball, which moves by impulses and gravity, or a shape
// that is free in height only and has a motion (`rides`).
typedef struct fm_rigid {
    double mass;                    // kg
    bool rides;                     // free in height only
    struct fm_rigid *carrier;       // whose height it shares; NULL: it has its own
    double height;                  // m, rides: displacement along y from the motion
    double time;                    // s, rides: time of the state
    fm_vec3 centre, velocity, spin; // m, m/s, rad/s
    fm_quat orientation;            // rotation since time 0
    // Impulses that fluids gave the ball since it last moved.
    fm_vec3 impulse, angular_impulse; // N s; N m s about its centre
    // While cloths move: the straight path on which the ball is predicted (fm_rigid_begin_path).
    bool has_path;
    double path_start;                  // s, time at which the ball is at `centre`
    fm_vec3 path_velocity;              // m/s, velocity along the path
    double start_state[FM_RIGID_STATE]; // state at the start of the interval
} fm_rigid;

struct fm_collider {
    const char *name; // "" if it has none
    fm_shape shape;   // normal and rotation are normalized
    fm_trimesh *mesh; // triangles at one time; NULL: the collider is an analytic shape
    const fm_motion *motion;
    double friction; // Coulomb's coefficient
    bool hidden;     // not drawn, because another object represents it in pictures
    bool clear;      // drawn as glass
    fm_vec3 color;   // sRGB, for pictures; all 0: light grey
    bool shown_only; // only drawn: not among the colliders of the world
    fm_rigid *rigid; // state of a ball with a mass; NULL: fixed, or moved by `motion`
};

// Closest surface point of a collider: signed distance of the query point, m (negative inside), the
// surface point, its outward unit normal and its velocity.
typedef struct fm_contact {
    double distance;
    fm_vec3 point, normal, velocity;
} fm_contact;

// A collider at one time. Created once per substep and queried for many particles. For an animated
// mesh it is valid until the collider is placed at another time.
typedef struct fm_placed_collider {
    // bounding box in world coordinates; infinite for a plane, except above an axis-aligned one
    fm_vec3 low, high;
    double reach;    // m, largest absolute coordinate of the collider: scale of its rounding errors
    double friction; // Coulomb's coefficient
    fm_shape shape;  // in world coordinates
    fm_pose pose;    // maps the collider's definition to the world
    const fm_collider *collider;
} fm_placed_collider;

// True if the collider never moves: it has no motion, no animation and no mass.
bool fm_collider_is_fixed(const fm_collider *collider);

// Creates a collider in the arena. Returns NULL and fills err on bad values. The motion must live
// as long as the collider.
fm_collider *fm_collider_create_in_arena(fm_arena *arena, const fm_collider_def *def,
                                         fm_error *err);
fm_collider *fm_collider_create_mesh_in_arena(fm_arena *arena, const fm_collider_def *def,
                                              const fm_collider_mesh *mesh, fm_error *err);
// The collider in its pose at time t, s.
fm_placed_collider fm_collider_place(const fm_collider *collider, double t);
// Closest surface point of the placed collider to `point`.
fm_contact fm_placed_find_contact(const fm_placed_collider *placed, fm_vec3 point);
// As fm_placed_find_contact, but the velocity lacks the collider's motion, which saves time.
fm_contact fm_placed_find_closest(const fm_placed_collider *placed, fm_vec3 point);

// True if the point is further than `range` m from the collider's bounding box.
bool fm_placed_is_far(const fm_placed_collider *placed, fm_vec3 point, double range);

// Moves a particle that is nearer than `margin` m to any collider out to that distance (never
// nearer, further only by rounding errors). Removes the velocity into the surface, and reduces the
// sliding velocity by Coulomb friction. Velocities are relative to the surface; a particle that
// leaves the surface keeps its velocity. If the colliders overlap, or close on the particle, so
// that several passes do not free it, the particle is left outside the last collider that pushed
// it, and the function returns false. touched (may be NULL): receives whether the particle was
// nearer than margin.
bool fm_collide_particle(const fm_placed_collider *placed, int collider_count, double margin,
                         fm_vec3 *position, fm_vec3 *velocity, bool *touched);

// As fm_collide_particle, for a particle with added mass along an axis, such as a cloth particle
// that moves water along its normal: an impulse p changes its velocity by M^-1 p,
// M^-1 = 1 - (1 - ratio) e e^T, up to a factor.
typedef struct fm_mass_axis {
    fm_vec3 e;    // unit vector along which the particle has added mass
    double ratio; // mass across the axis / mass along it, in (0, 1]
} fm_mass_axis;
bool fm_collide_particle_with_mass_axis(const fm_placed_collider *placed, int collider_count,
                                        double margin, const fm_mass_axis *axis, fm_vec3 *position,
                                        fm_vec3 *velocity, bool *touched);

// mesh_collider.c. All in the frame of the mesh, before the collider's motion.
fm_trimesh *fm_trimesh_create(fm_arena *arena, const fm_collider_mesh *def, const char *object,
                              fm_error *err);
void fm_trimesh_set_time(fm_trimesh *mesh, double t); // moves an animated mesh to time t, s
bool fm_trimesh_is_closed(const fm_trimesh *mesh);
bool fm_trimesh_is_animated(const fm_trimesh *mesh);
// Bounding box, including the thickness of a shell.
fm_bounds fm_trimesh_bounds(const fm_trimesh *mesh);
// Surface point closest to `point`, with signed distance, normal and velocity.
fm_contact fm_trimesh_find_contact(const fm_trimesh *mesh, fm_vec3 point);
fm_mesh_view fm_trimesh_view(const fm_trimesh *mesh); // triangles at the current time
// The definition that would create the mesh again; its vertices are those at the current time, and
// its arrays belong to the mesh.
fm_collider_mesh fm_trimesh_definition(const fm_trimesh *mesh);
const fm_bvh *fm_trimesh_tree(const fm_trimesh *mesh); // bounding volume tree of its triangles
// Writes the vertex positions of an animated mesh at time t to x. Returns their largest distance
// from the current positions, m.
double fm_trimesh_read_vertices(const fm_trimesh *mesh, double t, fm_vec3 *x);
// Finds the opposite side of a thin wall: the nearest surface behind p that faces away from `near`,
// the nearest surface. False if there is none within `reach` m, or p is beyond the rim of a shell.
bool fm_trimesh_find_opposite_side(const fm_trimesh *mesh, fm_vec3 p, const fm_contact *near,
                                   double reach, fm_contact *far);

// A point fixed to the surface, and the local frame there: origin, unit axes (along an edge, across
// it, along the normal) and velocity.
typedef struct fm_anchor {
    int triangle;
    double share[3]; // barycentric coordinates
} fm_anchor;
typedef struct fm_frame {
    fm_vec3 origin, axes[3], velocity;
} fm_frame;
fm_anchor fm_trimesh_find_anchor(const fm_trimesh *mesh, fm_vec3 p); // surface point nearest to p
fm_frame fm_trimesh_frame(const fm_trimesh *mesh, const fm_anchor *anchor);

// mesh_crossing.c: first crossing of a path from a to b with the surface, while the mesh's vertices
// move from `before` (NULL: at rest), by at most `moved` m, to their current positions. A closed
// mesh is crossed inwards only.
typedef struct fm_crossing {
    double share; // fraction of the path, 0 to 1
    fm_anchor anchor;
    int side;      // 1: the path starts on the front side of the triangle, -1: on the back
    double beyond; // m, signed distance of b from the plane of the triangle
} fm_crossing;
bool fm_trimesh_find_crossing(const fm_trimesh *mesh, const fm_vec3 *before, double moved,
                              fm_vec3 a, fm_vec3 b, fm_crossing *first);

// rigid_motion.c: colliders with a mass (balls). Adds an impulse, N s, that acts at the point
// `at` in world coordinates.
void fm_collider_add_impulse(fm_collider *collider, fm_vec3 at, fm_vec3 impulse);
// Velocity of the ball's material at the point `at` after a step of h seconds, with the impulses
// added so far and gravity.
fm_vec3 fm_collider_predict_velocity(const fm_collider *collider, fm_vec3 at, fm_vec3 gravity,
                                     double h);
// Applies the collected impulses and gravity to a ball with a mass, moves it for h seconds, and
// keeps it outside `solids`, the other colliders and the walls.
void fm_collider_move(fm_collider *collider, fm_vec3 gravity, double h,
                      const fm_placed_collider *solids, int solid_count);
// Puts the ball back to start_state at time t. Until has_path is cleared, its pose follows the
// straight path from there to the position it had before the call, reached h seconds later.
void fm_rigid_begin_path(fm_rigid *rigid, double t, double h);
// Sets the centre of a collider with a mass from its shape, its motion and its height at time t.
void fm_rigid_set_centre(fm_collider *collider, double t);
// Write and read the state as an array; reading also clears the collected impulses.
void fm_rigid_save(const fm_rigid *rigid, double state[FM_RIGID_STATE]);
void fm_rigid_restore(fm_rigid *rigid, const double state[FM_RIGID_STATE]);
// Pose of any collider at time t, from its motion or from the state of the ball.
fm_pose fm_collider_pose(const fm_collider *collider, double t);

// The environment of bodies and fluids, common to all objects of a world.
typedef struct fm_surroundings {
    fm_vec3 gravity;  // m/s^2
    fm_medium medium; // prescribed medium, or the fluid that a coupled body is in
    fm_collider *const *colliders;
    int collider_count;
    fm_placed_collider *placed; // scratch array of collider_count elements, filled in every substep
    fm_pool *pool;              // threads; may be NULL
    fm_stop_request *stop;      // checked between substeps; may be NULL
} fm_surroundings;

// shapes.c. All shapes are convex, so their signed distances are convex functions;
// particle_response.c relies on it.
// Checks the values of a shape and normalizes its normal and rotation.
bool fm_shape_check(fm_shape *shape, const char *object, fm_error *err);
fm_shape fm_shape_transform(const fm_shape *shape, const fm_pose *pose);
void fm_shape_find_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high);
// Closest surface point of a shape at rest.
fm_contact fm_shape_find_contact(const fm_shape *shape, fm_vec3 point);
fm_vec3 fm_vec3_find_perpendicular(fm_vec3 a); // a unit vector perpendicular to a

// figure_shapes.c: the shape of a bone in the figure's bind pose.
struct fm_figure;
fm_shape fm_figure_bind_shape(const struct fm_figure *figure, fm_bone bone);

// cone_ellipsoid.c, for shapes.c. A cylinder is a cone with equal radii.
fm_contact fm_cone_find_contact(const fm_shape *shape, double end_radius, fm_vec3 point);
void fm_cone_find_bounds(const fm_shape *shape, double end_radius, fm_vec3 *low, fm_vec3 *high);
fm_contact fm_ellipsoid_find_contact(const fm_shape *shape, fm_vec3 point);
void fm_ellipsoid_find_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high);

// triangulate.c: a shape as a triangle mesh, counterclockwise from outside, in the pose of its
// definition. Closed, except for a plane. The caller frees it with fm_mesh_data_destroy.
bool fm_shape_triangulate(const fm_shape *shape, fm_mesh_data *mesh, fm_error *err);

#endif
