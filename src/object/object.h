// SPDX-License-Identifier: MIT
// object.h: the interface between a world and its objects, used also by snapshots, scenes, files
// and pictures.
//
// A kind of object (cloth, particles, ball) is one constant fm_object_type: its name, its readable
// fields, and its functions. The struct of an object starts with an fm_object, so that a pointer to
// one can be cast to the other. There are three roles, and every kind has one of them:
//
//     body     moves in stage bodies, in its own substeps; may have contact, may be in a medium
//     medium   moves in stage fluids; samples of bodies may be in it
//     rigid    moves in stage free; it is a collider for all others (fm_collider.rigid)
//
// docs/adding-a-kind.md explains all of it with an example.
#ifndef FATHOM_OBJECT_OBJECT_H
#define FATHOM_OBJECT_OBJECT_H

#include "core/core.h"
#include "core/surface_samples.h"
#include "geometry/geometry.h"

#include <fathom/couple.h>
#include <fathom/medium.h>
#include <fathom/object.h>

enum { FM_OBJECT_NAME_SIZE = 48, FM_QUANTITIES_MAX = 16 }; // bytes; quantities of an object

typedef struct fm_surroundings fm_surroundings;       // defined in collide/collide.h
typedef struct fm_placed_collider fm_placed_collider; // defined in collide/collide.h
typedef struct fm_object_type fm_object_type;

struct fm_object {
    const fm_object_type *type; // functions of its kind
    fm_world *world;            // owner
    char name[FM_OBJECT_NAME_SIZE];
    // quantities of the newest fm_report, so that stats.csv need not measure them again
    double quantities[FM_QUANTITIES_MAX];
    bool measured; // `quantities` is filled
};

// Measures of an object after an advance, for fm_report. A kind leaves the measures that it does
// not have at their initial value.
typedef struct fm_measure {
    double kinetic_energy, potential_energy; // J
    // index of the first point with a position or velocity that is not finite; -1: none
    int bad_point;
    bool has_stretch; // the object has edges, whose stretches follow
    double max_stretch, min_stretch, mean_stretch,
        mean_strain;    // relative lengths l/l0 - 1 of edges
    int contact_count;  // particles in contact with colliders
    int repelled_count; // particles repelled by their own cloth
    int pierced_count;  // stitches that pull through a cloth
    int particle_count; // fluid particles
    int outside_count;  // fluid particles outside the domain of their fluid
    // Sums over the whole advance.
    int stopped_count; // fluid particles that were put back before they crossed a cloth
    fm_vec3 load;      // N s, impulse on walls and fixed colliders
    fm_vec3 momentum;  // kg m/s, now, with impulses that other objects gave and it has to receive
    // fraction of the requested damping and stiffness that acts; 1: all
    double damping_share, stiffness_share;
    // ms, time in constraint projection (enforcement), and for computing its order
    double enforce_ms, order_ms;
} fm_measure;

struct fm_contact_set;

// A body as seen by contact: points with a mass, lines and triangles between them.
typedef struct fm_contact_view {
    fm_mesh_view initial_mesh;     // points at their initial positions, lines and triangles
    double thickness;              // m
    double guard;                  // m, distance that the contact step keeps; 0: the thickness
    bool solved;                   // forces of open_together keep it apart below the thickness
    double friction;               // Coulomb's coefficient
    const double *friction_weight; // [point] factors on it; NULL: 1
    bool separate;     // points that start inside a collider are moved out; false: that is an error
    bool started;      // the body has moved at least once
    int columns, rows; // size of a structured grid of vertices; 0: not a grid
    bool is_tube;      // the last column of the grid is connected to its first
    // Arrays that contact reads and changes, one for each of x, y and z.
    double *x[3], *v[3];        // position, m; velocity, m/s
    double *velocity_change[3]; // m/s, change of v by contact in this substep
    const double *axis[3];      // unit vectors along which added mass acts
    unsigned char *touched;     // [point] 1: contact changed its velocity
    int joined_count;           // pairs of points that seams join; their number may grow
    const int *joined[2];       // [pair] the two points; contact takes them for one
} fm_contact_view;

// The arrays of a body that ties read and change, one for each of x, y and z.
typedef struct fm_tie_view {
    int point_count;
    double *x[3], *v[3];    // m, m/s
    double *jump[3];        // m/s, change of v in this substep
    double *force[3];       // N
    unsigned char *tied;    // [point] 1: it is tied; written by ties
    unsigned char *touched; // [point] 1: its jump is in use already
    bool keeps_jump;        // the jumps of all points are in use already
    bool started;           // the body has moved at least once
} fm_tie_view;

// A surface that moves the medium with it along its normals, as seen by layers.c.
typedef struct fm_layer_view {
    int count;               // points
    fm_vec3_array x, normal; // m; unit normals
    const double *area;      // m^2, what each point stands for now
    const double *coverage;  // sum of area times fm_layer_kernel over the surface at rest around
                             // each point: 1, less at borders
    double radius;           // m, of the kernel
    double wave;             // 1/m, wavenumber of the waves for which shares are exact
    bool is_disc;            // one piece with one border
    double *share;           // 0 to 1, written by layers.c: the share of its water that each point
                             // has, if others are close
} fm_layer_view;

// 1/m^2, weight of a point in sums over the surface around another: (1 - t^2/H^2)^2 3/(pi H^2),
// whose integral is 1. square: t^2, m^2; radius: H, m.
static inline double fm_layer_kernel(double square, double radius)
{
    double rest = 1 - square / (radius * radius);
    return rest > 0 ? 3 / (FM_PI * radius * radius) * rest * rest : 0;
}

// Mass of a point along an axis and across it, kg. held: a pin holds the point.
typedef struct fm_point_mass {
    fm_vec3 axis; // a unit vector, or 0: no axis
    double along, across;
    bool held;
} fm_point_mass;

// Inverse masses of a body's points, 1/kg: along the axis of their added mass, and perpendicular to
// it. 0: held by a pin.
typedef struct fm_inverse_masses {
    double *along, *across;
} fm_inverse_masses;

// A setting that coupling does not allow: the field, its value and the allowed values.
typedef struct fm_coupling_fault {
    const char *field, *value, *allowed; // field "": the way of coupling itself
    bool two_way;                        // only two-way coupling forbids it
} fm_coupling_fault;

enum { FM_COUPLING_FAULTS_MAX = 4 }; // settings of an object that coupling may forbid
// Whether a body of this type and a medium act on each other by the body's drag.
bool fm_coupling_is_by_drag(const fm_object_type *body, fm_coupling_way way);
// Fills err with the fault of an object. Returns false.
bool fm_coupling_fail(fm_error *err, const fm_object *object, const fm_coupling_fault *fault);

// Functions of a kind of bodies, such as cloth.
typedef struct fm_body_type {
    // Advances the body by `interval` s in as many substeps as it needs; sets *substeps
    // to their number.
    bool (*advance)(fm_object *body, const fm_surroundings *around, double interval, int *substeps,
                    fm_error *err);
    // ns, estimated cost of a substep on one thread; cheap bodies use one thread only.
    double (*substep_ns)(const fm_object *body);
    // Tells the body, before its first advance, whether the length of intervals may vary.
    void (*set_variable_intervals)(fm_object *body, bool variable);

    // Contact. If uses_contact is NULL or returns false, the body takes no part in contact and
    // `advance` moves it. Otherwise all bodies with contact take the same substeps: begin once,
    // then open, contact and close in every substep.
    bool (*uses_contact)(const fm_object *body);
    // Fills the view: mesh, material, and the arrays that contact reads and changes.
    bool (*contact)(fm_object *body, fm_contact_view *view, fm_error *err);
    // Optional. Whether open_together moves the body. all: all bodies in contact allow it; else a
    // body that can choose takes another integrator.
    bool (*is_solved)(fm_object *body, bool all);
    // Number of substeps that the body needs in `interval` s.
    int (*count_substeps)(const fm_object *body, double interval);
    double (*longest_substep)(const fm_object *body); // s, largest stable substep now
    // Prepares for substeps of h seconds.
    bool (*begin)(fm_object *body, const fm_surroundings *around, double h, fm_error *err);
    // Moves the points without contact to time `end`, s.
    bool (*open)(fm_object *body, double end, fm_error *err);
    // Instead of open, for all bodies whose view is `solved`: moves them to time `end` together,
    // with contact between them. first: their first vertices in the contact set, whose starts and
    // guessed ends are filled.
    bool (*open_together)(fm_object *const *bodies, const int *first, int count,
                          struct fm_contact_set *set, fm_pool *pool, double end, fm_error *err);
    void (*clear_touched)(fm_object *body); // sets `touched` and `jump` of all points to zero
    void (*evaluate)(fm_object *body);      // forces at the positions that contact corrected
    void (*close)(fm_object *body);         // ends the substep with these forces
    // Inverse masses for contact at the end of the open substep. Returns false if there is no added
    // mass; both inverse masses are equal then.
    bool (*inverse_masses)(const fm_object *body, double end, fm_inverse_masses masses);
    bool (*is_held)(const fm_object *body, int point, double t); // true if a pin holds the point
    // Writes the positions of pinned points at time t to x, as in the first substep.
    void (*place_pins)(fm_object *body, double t, double *x[3]);
    // m/s, largest speed of a pin from t to t + duration.
    double (*fastest_pin)(const fm_object *body, double t, double duration);
    // Called after contact has moved points out of colliders, before the first substep.
    void (*points_moved)(fm_object *body);

    // Ties: to points of other bodies; NULL: none are possible. Tied bodies take their substeps
    // together with those in contact.
    bool (*view_ties)(fm_object *body, fm_tie_view *view, fm_error *err);
    // The mass that resists an impulse on a point. closing: with the axis at the end of the
    // substep, after evaluate; otherwise at its start.
    fm_point_mass (*point_mass)(const fm_object *body, int point, double end, bool closing);
    // N, after evaluate: all forces on a point that do not depend on its velocity.
    fm_vec3 (*point_force)(const fm_object *body, int point);

    // Layers that lie on each other share the medium that they move; NULL: the body moves none.
    // Returns false if it moves none now. Afterwards take_shares reads the shares in the view.
    bool (*view_layers)(fm_object *body, fm_layer_view *view);
    void (*take_shares)(fm_object *body);

    // Coupling with a medium; NULL: the body cannot be in a medium.
    // Fails if the settings of the body do not allow this coupling.
    bool (*check_coupling)(const fm_object *body, fm_coupling_way way, fm_error *err);
    // Creates quadrature points (samples) at most `longest` m apart, owned by the body, for a way
    // of coupling with a medium of these properties.
    fm_samples *(*sample)(fm_object *body, double longest, fm_coupling_way way,
                          const fm_medium *medium, fm_error *err);
    bool thin; // without a surface, as lines: two-way coupling acts by drag
    // Takes the medium's impulses, before the body moves to time `end`, s.
    void (*take_impulses)(fm_object *body, double end);
    // Writes sample positions and impulses for the medium, after the body moved from `start` to
    // `end`, s.
    void (*give_samples)(fm_object *body, double start, double end);
} fm_body_type;

// Functions of a kind of media, such as particle fluids.
typedef struct fm_medium_type {
    // Advances the medium by `interval` s; adds the number of its substeps to *substeps.
    bool (*advance)(fm_object *medium, const fm_surroundings *around, double interval,
                    int *substeps, fm_error *err);
    // s, largest stable substep now.
    double (*longest_step)(fm_object *medium, const fm_surroundings *around, fm_error *err);
    fm_medium (*properties)(const fm_object *medium); // density and viscosity
    double (*resolution)(const fm_object *medium);    // m, spacing of particles that bodies need
    // Fails if the settings of the medium do not allow this coupling. body: its name, for errors.
    bool (*check_coupling)(const fm_object *medium, fm_coupling_way way, const char *body,
                           fm_error *err);
    bool permeates;  // bodies in the medium may be permeable
    bool follows;    // the box of the medium can follow a body
    bool takes_drag; // the medium takes the opposite of a body's drag (fm_samples.by_drag)
    // Puts the quadrature points (samples) of a body into the medium. They live as long as it does.
    bool (*attach)(fm_object *medium, fm_samples *samples, fm_error *err);
    // Writes the walls at time t as planes, at most FM_WALLS_MAX. Returns their number.
    int (*walls)(const fm_object *medium, double t, fm_placed_collider *planes);
    // names of the fields that `probe` can evaluate at a point, separated by blanks
    const char *probe_fields;
    // Evaluates a field at a point.
    bool (*probe)(fm_object *medium, const char *field, fm_vec3 at, double values[3],
                  fm_error *err);
    // Mean force on the world's collider of this number in the last advance, N. False if the medium
    // does not measure it; NULL: it cannot.
    bool (*collider_load)(const fm_object *medium, int collider, fm_vec3 *load);
} fm_medium_type;

enum { FM_WALLS_MAX = 6 }; // walls of a medium: the sides of a box

// Functions of a kind of rigid objects, such as balls.
typedef struct fm_rigid_type {
    // Moves the object for h seconds under gravity, and keeps it outside the solids.
    void (*move)(fm_object *rigid, const fm_surroundings *around, double h,
                 const fm_placed_collider *solids, int solid_count);
    void (*save_start)(fm_object *rigid); // saves its state for begin_path
    // Puts the object back to the saved state at time t. Until end_path, it follows the straight
    // path from there to the position it had before the call, reached h seconds later.
    void (*begin_path)(fm_object *rigid, double t, double h);
    void (*end_path)(fm_object *rigid);
    const struct fm_collider *(*collider)(const fm_object *rigid); // shape for collisions
} fm_rigid_type;

// A kind of object: its fields and its functions.
struct fm_object_type {
    const char *kind;       // name of the kind in run.json and in frames
    const fm_field *fields; // readable at each point of its mesh
    int field_count;
    const char *needed_fields; // fields that every frame contains, separated by blanks
    // fields that a frame contains unless others are requested, separated by blanks
    const char *usual_fields;
    // Whether an object has a field of its kind; NULL: it has all of them.
    bool (*has_field)(const fm_object *object, const char *field);
    const fm_field *quantities; // numbers for the whole object: columns of stats.csv
    int quantity_count;

    const fm_body_type *body; // exactly one of body, medium and rigid is not NULL
    const fm_medium_type *medium;
    const fm_rigid_type *rigid;

    void (*destroy)(fm_object *object);
    // Writes the state if `size` is large enough. Returns the size needed, bytes.
    size_t (*save)(const fm_object *object, void *buffer, size_t size);
    // A hash of the bytes that save writes, or of the same state in place, without a copy of it.
    // NULL: the world hashes the saved bytes. Large states provide it.
    uint64_t (*hash)(const fm_object *object, uint64_t seed);
    // Reads a saved state. On failure the object keeps its old state.
    bool (*restore)(fm_object *object, const fm_surroundings *around, const void *buffer,
                    size_t size, fm_error *err);
    void (*reset)(fm_object *object); // zeroes the sums over an advance; NULL: there are none
    // Adds a prediction of the substeps in an advance; may be NULL.
    void (*forecast)(fm_object *object, const fm_surroundings *around, double duration,
                     fm_forecast *forecast, fm_error *err);
    // Points, lines and faces in their current positions.
    bool (*mesh)(fm_object *object, fm_mesh_view *view, fm_error *err);
    // Points of the mesh in a named group, in order; NULL: no such group. May be NULL.
    const int *(*point_group)(const fm_object *object, const char *name, int *count);
    // Reads the values of a field at all points of the mesh.
    bool (*read)(fm_object *object, const fm_surroundings *around, const char *field,
                 double *values, fm_error *err);
    // Fills measures of the last advance and, unless NULL, the quantities of the object.
    void (*measure)(fm_object *object, const fm_surroundings *around, fm_measure *measure,
                    double *quantities);
};

// Functions of the world for object kinds (world/objects.c).
//
// Adds an object; the world owns it from now on. If the world has too many objects, destroys the
// object, fills err and returns NULL.
fm_object *fm_world_add_object(fm_world *world, fm_object *added, fm_error *err);
// True if err holds no failure and the world exists.
bool fm_world_is_ready(const fm_world *world, fm_error *err);
// The prescribed medium around objects that are in no particle fluid.
const fm_medium *fm_world_medium(const fm_world *world);
// Gravity, medium, colliders and threads of the world.
fm_surroundings fm_world_surroundings(const fm_world *world);
// The environment of an object. For a coupled body the medium is its fluid.
fm_surroundings fm_object_surroundings(const fm_object *object);
// The object number `index` among those of one type; NULL: there is none.
fm_object *fm_world_object_of_type(const fm_world *world, const fm_object_type *type, int index);
// The quantities of the newest fm_report, for the columns of stats.csv. They belong to the object.
const double *fm_object_reported_quantities(fm_object *object);
// The number of objects of one type.
int fm_world_type_count(const fm_world *world, const fm_object_type *type);

// For predictions of cost: raises the predicted number of substeps to `count`, if that is more.
// Returns true if that made it too large.
bool fm_forecast_raise_substeps(fm_forecast *forecast, double count);

#endif
