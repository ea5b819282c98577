// SPDX-License-Identifier: MIT
// cloth.h: the internal structures and functions of a cloth, for this folder and for the world.
//
// struct fm_cloth keeps three kinds of data apart: parameters (the definition and values computed
// from it), state (saved in snapshots) and scratch (recomputed in every substep). A vector field is
// three arrays of `lanes` numbers, one per component; lanes is the particle count rounded up to a
// multiple of FM_LANES. The three arrays follow each other in memory, so that component c of
// particle i is lane c * lanes + i of a memory.
#ifndef FATHOM_CLOTH_CLOTH_H
#define FATHOM_CLOTH_CLOTH_H

#include "collide/collide.h"
#include "core/core.h"
#include "core/simd.h"
#include "core/surface_samples.h"
#include "memory/memory.h"
#include "motion/motion.h"
#include "object/object.h"

#include <fathom/cloth.h>
#include <fathom/fabric.h>
#include <fathom/line.h>
#include <fathom/mesh_shape.h>
#include <fathom/soft.h>

#include "cloth/enforcement.h"
#include "cloth/fabric.h"
#include "cloth/line.h"
#include "cloth/soft.h"
#include "cloth/spring_mesh.h"
#include "cloth/term.h"

// Added to denominators that may be 0, in loops that are vectorized and therefore have no branches.
// Too small to change any other quotient.
static const double FM_TINY = 1e-200;

// One family of parallel springs of a sheet: each joins particle (row, column) to particle
// (row + down, column + across).
typedef struct fm_springs {
    int down, across;
    double rest;       // m, rest length
    double stiffness;  // N/m, of a spring inside the sheet
    double damping;    // N s^order / m
    bool by_row;       // springs in the first and last row are half as strong (half a cell wide)
    bool by_column;    // springs in the first and last column are half as strong
    bool damped_only;  // no elastic force: the triangles of sheet_triangles.c resist shear
    double stiffening; // 1/strain^2: the force is k (l - l0) (1 + stiffening strain^2)
} fm_springs;

// Families of springs of a sheet: 2 of stretch, 2 of shear, and 4 of the published bending model.
enum { FM_SPRINGS_MAX = 8 };

// Springs that pull pairs of particles together; see seams.c.
typedef struct fm_stitches {
    int count;
    int *a, *b;          // the two particles of each pair
    double *gap;         // m, distance of the pair before sewing starts
    double *stiffness;   // N/m
    double *friction;    // N s/m
    double *start, *end; // s, interval over which the rest length shrinks from gap to 0
} fm_stitches;

// Pairs of particles within `reach` of each other, and some that are farther apart, which stay in
// the list until a particle has moved by half the skin. neighbour_list.c
typedef struct fm_neighbour_list {
    double reach, skin; // m
    bool valid;         // the list has been built
    fm_cell_list cells;
    fm_vec3_array at; // m, positions for which it was built
    int *counts;      // [count] number of partners
    int room;         // largest number of partners of a particle
    int *partner;     // [count][room] particles near each particle, by rising index
} fm_neighbour_list;

// Largest number of columns and of rows of a sheet. Functions keep arrays of this length on the
// stack.
enum { FM_SHEET_COLUMNS_MAX = 4096 };

// Particles that were pinned by one call and follow the same motion.
typedef struct fm_pin_group {
    const fm_motion *motion; // NULL: pinned at rest
    double release;          // s, time from which the particles are free; INFINITY: never
} fm_pin_group;

enum { FM_PIN_GROUPS_MAX = 256, FM_UNPINNED = -1 };

// Drag coefficients of one substep, all per m^2 of cloth. drag.c has the formulas.
typedef struct fm_drag_step {
    double h;  // s, length of the substep
    double w0; // weight of the newest rate in the value of the drag memory
    bool physical;
    double viscous, normal, history;                 // of the published models
    double pressure, friction, skin, normal_history; // of the physical model
    double layer; // kg/m^2, added mass: the layer of medium that moves with the cloth
    bool modes;   // added mass by wavelength (added_mass.c); `layer` is that of the shortest waves
    double density; // kg/m^3, of the medium
    double ripple;  // with modes, the part of `pressure` that acts on the whole motion
} fm_drag_step;

// Weight minus buoyancy.
typedef struct fm_weight {
    fm_vec3 gravity;  // m/s^2
    double displaced; // kg/m^2, mass of medium displaced by a square metre of cloth
} fm_weight;

// One substep, with everything the integrators need.
typedef struct fm_substep {
    fm_cloth *cloth;
    fm_surroundings around;
    double h;      // s, length of the substep; of one stage, with an implicit integrator
    double end;    // s, time at its end
    double margin; // m, distance kept from colliders
    fm_weight weight;
    fm_drag_step drag;
    int impulses_left; // number of terms whose impulses are still to be applied
    fm_pose poses[FM_PIN_GROUPS_MAX];
} fm_substep;

struct fm_cloth {
    fm_object object;
    fm_cloth_def def;
    fm_cloth_kind kind;
    fm_sheet sheet;
    fm_tube tube;
    fm_arena arena;
    int columns, rows, count, lanes; // a mesh has one row with a column for each particle
    int row_block;                   // rows that one parallel task handles
    fm_spring_mesh mesh;             // of tubes, meshes and lines
    fm_line *line;                   // of lines and loads; NULL: a cloth
    fm_fabric *fabric;               // NULL: an ordinary cloth
    fm_soft *soft;                   // NULL: no soft body
    fm_stitches stitches;            // of all seams
    int *sheet_triangles;            // triangles of a sheet, created on first use
    double dx, dy;                   // m, spacing of columns and of rows
    double *column_weight;           // [columns] 1, and 1/2 in the first and last column
    double *ones;                    // [columns] 1
    double *area;                    // m^2 of cloth that a particle represents
    double *mass;                    // kg
    double *inertia; // kg, mass plus added mass from a two-way fluid; else the array `mass`
    const fm_vec3 *fluid_load; // N, of a fluid in this interval; NULL: none
    double *wet_area; // m^2 that drag acts on; the array `area` unless a fluid carries the cloth
    double *relaxed;  // [edges] m, rest lengths without contraction; NULL: no muscle
    double *muscle_share; // [edges] part of the contraction, 0 to 1
    double *rest_scatter; // relative change of the rest lengths at each particle, imperfection.c
    double *damping_load; // 1/kg, number of damped springs at a particle over its mass, damping.c
    double *spring_sum;   // N/m, sum of the stiffness of the springs at a particle
    double spring_bound;  // 1/s^2, contribution of spring_sum to the bound on omega^2
    fm_term terms[FM_TERMS_MAX];
    int term_count;
    fm_springs springs[FM_SPRINGS_MAX];
    int springs_count;
    double bend_across, bend_down, bend_twist; // N/m: see sheet_bending.c
    double stable_step;                        // s, upper bound of the substep
    double frequency_bound;      // rad/s, of all terms together, which stable_step follows from
    double gershgorin_bound;     // rad/s, the same with Gershgorin's bound for the springs
    double stiffness_share;      // scale of the springs' stiffness, fm_cloth_choose_step; 1: full
    double added_mass;           // m, thickness of the layer of medium that moves with the cloth
    struct fm_added_mass *added; // added mass by wavelength; NULL: a layer, or none
    double repulsion_distance;   // m, distance below which particles repel each other
    double contact_thickness;    // m, distance that contact keeps between surfaces
    char integrator_reason[160]; // of an automatic choice; else empty
    bool variable_substeps;      // a fluid sets the substep, so that it changes during the run

    fm_pin_group groups[FM_PIN_GROUPS_MAX];
    int group_count;
    int *pin;    // pin group of each particle, or FM_UNPINNED
    int *pinned; // particles with a pin group, by rising index
    int pinned_count;
    fm_vec3_array anchor; // m, position of a pinned particle when it was pinned
    fm_vec3 *initial_x;   // m, position of each particle when the cloth was created
    fm_vertex_group vertex_groups[FM_VERTEX_GROUPS_MAX];
    double *friction_weight; // factors on contact.friction at each particle; NULL: 1
    int vertex_group_count;

    // state, saved in snapshots
    bool started;       // the accelerations `a` and the memories are valid
    bool verlet_moving; // v belongs to half a substep before `time`
    double time;        // s, at which x and v are valid
    double step;        // s, the substep that the memories were created for; 0: none yet
    fm_vec3_array x, v; // m, m/s, positions and velocities of the particles
    fm_vec3_array a;    // m/s^2, acceleration of v - w, for the next opening kick
    fm_vec3_array drift_acceleration; // m/s^2, from the medium, acts on positions only; see drag.c
    fm_vec3_array w;                  // m/s, velocity of the medium at the particles
    fm_vec3_array rate;               // the newest rates pushed into the drag memory
    fm_vec3_array normal;             // unit vectors

    // scratch: recomputed in every substep
    fm_substep *substep;       // the current substep
    fm_vec3_array force;       // N: sum of the terms' forces
    fm_vec3_array next_normal; // normals at the end of the substep
    fm_vec3_array flow;        // m/s, velocity of the medium at the end of the substep
    fm_vec3_array pair;        // N s: impulses of a term on the particles; also positions or rates
    fm_vec3_array zeros;       // all 0
    // stages of Runge-Kutta methods; NULL for other integrators
    fm_vec3_array trial_x, trial_v, sum_x, sum_v;
    fm_vec3_array jump;   // m/s, change of v by enforcement, colliders and contact in this substep
    fm_vec3 *pinned_u;    // m/s, v - w of pinned particles before the closing kick
    unsigned char *touch; // 1 where the particle touches a collider in this substep
    unsigned char *tied;  // 1 where the particle is tied to another body; NULL: no ties
    fm_vec3 *out_x, *out_v; // copies that fm_cloth_positions and fm_cloth_velocities return
    struct {
        fm_neighbour_list list;
        int *excluded_start;      // [count + 1] into excluded; NULL: use the distance on the grid
        int *excluded;            // particles that a particle never repels, by rising index
    } near;                       // neighbours of repulsion
    int *repelled;                // number of particles that repel each particle
    fm_enforcer *enforcer;        // NULL without enforcement; contains state of its own
    struct fm_implicit *implicit; // of the implicit integrators; NULL for others
    struct fm_cloth_samples *samples; // quadrature points in a fluid; NULL without a fluid
    int *face_start, *face_points;    // quads of a sheet, created on first use
    float *corner_uv;  // texture coordinates of the corners of its faces, for readers; NULL: none
    fm_vec3 *vertices; // m, positions of the mesh's vertices for readers
    // smallest shares of the requested damping and stiffness that acted in this advance; 1: all
    double damping_share, least_stiffness_share;
    struct {
        bool on;                // a fluid determines the velocity of the medium, not medium.flow
        fm_vec3_array velocity; // m/s, of the fluid at the particles at the time `end`
        double end;             // s
    } carrier;                  // the fluid that carries the cloth in one-way coupling
};

// cloth.c: creates a sheet that is not yet in a world.
fm_cloth *fm_cloth_create_detached_sheet(const fm_cloth_def *def, const fm_sheet *sheet,
                                         const fm_medium *medium, fm_error *err);
void fm_cloth_destroy(fm_cloth *cloth);
// Checks the definition and allocates the arrays of a cloth of any kind. The caller then places
// particles and springs and calls fm_cloth_finish_creation, which computes everything that depends
// on them. If that returns false, the caller must destroy the cloth.
fm_cloth *fm_cloth_create_empty(const fm_cloth_def *def, const fm_medium *medium, int columns,
                                int rows, fm_error *err);
bool fm_cloth_finish_creation(fm_cloth *cloth, const fm_medium *medium, fm_error *err);
// Fills err and returns false if a number is not finite. object: name of the cloth.
bool fm_cloth_check_placement(const char *object, fm_vec3 origin, fm_vec3 velocity,
                              fm_quat rotation, fm_error *err);
// Sets position, velocity, area and mass of particle i.
void fm_cloth_place_particle(fm_cloth *cloth, int i, fm_vec3 x, fm_vec3 v, double area);
// Whether a force of the definition contains a fractional derivative of order below 1, and so needs
// a memory of past velocities.
bool fm_cloth_needs_drag_memory(const fm_cloth_def *def, const fm_medium *medium);
bool fm_cloth_needs_damping_memory(const fm_cloth_def *def);
bool fm_cloth_needs_bend_memory(const fm_cloth_def *def); // bend_damping.c

// kg, inertia of a particle against an impulse along its normal and across it: the cloth's mass,
// the added mass of the medium, and the part of the history forces that is proportional to the
// newest change of velocity.
typedef struct fm_effective_mass {
    double along, across;
} fm_effective_mass;

// step.c: number of substeps that `duration` seconds need.
int fm_cloth_count_substeps(const fm_cloth *cloth, double duration);
// Advances a cloth by `duration` in `substeps` equal parts.
bool fm_cloth_advance(fm_cloth *cloth, const fm_surroundings *around, double duration, int substeps,
                      fm_error *err);

enum {
    FM_PARTICLE_BLOCK = 256, // particles per task in a loop that reads no neighbours
    FM_ELEMENT_BLOCK = 1024, // edges, hinges or triangles per task
};

// A substep in two parts, for cloths in contact with each other: all cloths open the substep, the
// contact solver changes x, v, jump and touch, then all cloths close it. After one call of
// fm_cloth_begin_substeps, any number of substeps of length h may follow.
bool fm_cloth_begin_substeps(fm_cloth *cloth, const fm_surroundings *around, double h,
                             fm_error *err);
void fm_cloth_scale_velocities(fm_cloth *cloth);                        // by damping.kept
bool fm_cloth_open_substep(fm_cloth *cloth, double end, fm_error *err); // up to time `end`, s
void fm_cloth_evaluate_forces(fm_cloth *cloth); // at the positions at the end of the substep
void fm_cloth_close_substep(fm_cloth *cloth);
double fm_cloth_substep_ns(const fm_cloth *cloth); // ns, rough cost of a substep on one thread
// The mass that resists an impulse between opening and closing a substep.
fm_effective_mass fm_cloth_effective_mass(const fm_cloth *cloth, int particle);
bool fm_cloth_has_added_mass(const fm_cloth *cloth); // effective masses exceed the cloth's mass

void fm_substep_set_poses(fm_substep *s, double t); // poses of pins and colliders at time t
void fm_substep_resolve_colliders(fm_substep *s, double margin, bool again, int first, int last);
void fm_substep_sample_medium(fm_substep *s, const fm_vec3_array *x, double t, int first, int last);
void fm_substep_compute_forces(fm_substep *s); // at the cloth's x and v

// pins.c
bool fm_cloth_is_pinned(const fm_cloth *cloth, int particle, double t);
// Index in the sorted list `pinned` of the first particle that is not below `particle`.
int fm_cloth_find_first_pin(const fm_cloth *cloth, int particle);
// Writes the positions of the pinned particles at time t into x, independent of any substep.
void fm_cloth_place_pins(const fm_cloth *cloth, double t, const fm_vec3_array *x);
bool fm_substep_is_pinned(const fm_substep *s, int particle); // at the end of the substep

// The next three functions set positions x, velocities v and accelerations a of the pinned
// particles in [first, last) at the end of the substep; accelerations become 0.
void fm_substep_set_pinned_positions(fm_substep *s, const fm_vec3_array *x, int first, int last);
void fm_substep_set_pinned_velocities(fm_substep *s, const fm_vec3_array *x, const fm_vec3_array *v,
                                      int first, int last);
void fm_substep_zero_pinned(fm_substep *s, const fm_vec3_array *a, int first, int last);
// Stores v - w in pinned_u, so that the change by the kick can be computed afterwards.
void fm_substep_store_pinned_velocities(fm_substep *s, int first, int last);

// explicit_integrators.c: a whole substep by the explicit integrator of the definition.
void fm_substep_integrate_explicitly(fm_substep *s);

// implicit.c: the implicit integrators.
bool fm_cloth_is_implicit(const fm_cloth_def *def);
int fm_implicit_stage_count(const fm_cloth_def *def); // stages of equal length in a substep
bool fm_implicit_create(fm_cloth *cloth, fm_error *err);
// Name of a force that these integrators do not support; NULL: none.
const char *fm_implicit_find_unsupported(const fm_cloth *cloth);
// integrator_choice.c: replaces FM_AUTOMATIC, after the terms of the cloth have been created.
void fm_cloth_choose_integrator(fm_cloth *cloth, const fm_medium *medium);
// Kick-drift-kick instead of an automatic choice of the implicit integrator, because of `obstacle`,
// which it does not support. Before the first step; nothing for an integrator that was named.
void fm_cloth_prefer_explicit(fm_cloth *cloth, const char *obstacle);
// Fails if the cloth has a force that these integrators do not support.
bool fm_implicit_check(fm_cloth *cloth, fm_error *err);
// Opens the substep that ends at the time `end`, s: moves the particles and resolves colliders.
bool fm_implicit_open(fm_substep *s, double end, fm_error *err);
struct fm_implicit_group;
// The same for cloths that contact may join; all have the same integrator.
int fm_implicit_count_substeps(const fm_cloth *cloth, double interval, int count);
bool fm_implicit_open_group(struct fm_implicit_group *group, double end, fm_error *err);
// Relative to the distance that contact keeps: further distance below which forces inside the solve
// keep cloth apart from cloth and from colliders.
static const double FM_CONTACT_GAP = 0.1;
void fm_implicit_close(fm_substep *s);   // after contact
void fm_implicit_reset(fm_cloth *cloth); // the counters of fm_cloth_newton_report

// initial_state.c: memories, accelerations and rates before the first substep.
bool fm_substep_initialize_cloth(fm_substep *s, fm_error *err);

// imperfection.c: changes rest lengths and positions of a cloth that has just been created.
void fm_cloth_add_imperfection(fm_cloth *cloth);
// The factor by which imperfection multiplies the rest length between particles a and b.
static inline double fm_cloth_rest_factor(const fm_cloth *c, int a, int b)
{
    return 1 + 0.5 * (c->rest_scatter[a] + c->rest_scatter[b]);
}

// muscle.c: contraction in time.
bool fm_muscle_setup(fm_cloth *cloth, fm_error *err);
void fm_muscle_contract(fm_cloth *cloth, double t); // sets the rest lengths at time t, s

// triangles.c: the initial positions and the triangles of a cloth of any kind.
bool fm_cloth_find_mesh(fm_cloth *cloth, fm_mesh_view *mesh, fm_error *err);

// normals.c: unit normals of all particles at positions x.
void fm_cloth_compute_normals(fm_cloth *cloth, const fm_vec3_array *x, const fm_vec3_array *normal);
// Unit normals at positions x of the particles in rows [first, last) of a sheet.
void fm_sheet_compute_normals(const fm_cloth *cloth, const fm_vec3_array *x,
                              const fm_vec3_array *out, int first, int last);
// Computes the area vectors (normal times area, m^2) of the triangles in a part of the mesh.
void fm_spring_mesh_compute_areas(fm_cloth *cloth, const fm_vec3_array *x, fm_element_parts part);
// Normals of the particles of a tube or mesh, tangents of those of a line.
void fm_spring_mesh_gather_normals(const fm_cloth *cloth, const fm_vec3_array *x,
                                   const fm_vec3_array *normal, int first, int last);

// seams.c: measures the initial distances of sewn pairs; called again whenever positions are set.
void fm_stitches_measure_gaps(fm_cloth *cloth);
double fm_stitch_rest(const fm_stitches *s, int i, double t); // m, rest length of stitch i

// neighbour_list.c. The list is in the cloth's arena.
bool fm_neighbour_list_create(fm_cloth *cloth, fm_neighbour_list *list, double reach, double skin,
                              fm_error *err);
// Builds the list again at positions x if it may lack pairs. excluded: pairs that are left out;
// NULL: none. If memory runs out the list is empty until it is built again.
typedef bool fm_pair_excluded(const fm_cloth *cloth, int i, int j);
void fm_neighbour_list_update(fm_cloth *cloth, fm_neighbour_list *list, const fm_vec3_array *x,
                              fm_pair_excluded *excluded, fm_pool *pool);
// The partners of particle i.
static inline int *fm_neighbour_list_partners(const fm_neighbour_list *list, int i)
{
    return list->partner ? list->partner + (size_t)i * (size_t)list->room : NULL;
}
// m^2
static inline double fm_distance_squared(const fm_vec3_array *x, int i, int j)
{
    double dx = x->x[i] - x->x[j], dy = x->y[i] - x->y[j], dz = x->z[i] - x->z[j];
    return dx * dx + dy * dy + dz * dz;
}

// repulsion_exclusions.c: pairs of particles that are close along the cloth and do not repel each
// other, for tubes, meshes and sewn sheets.
bool fm_repulsion_find_exclusions(fm_cloth *cloth, fm_error *err);
bool fm_repulsion_is_excluded(const fm_cloth *cloth, int i, int j);

// springs.c: sums over the springs at one particle.
typedef struct fm_spring_totals {
    double stiffness; // N/m
    int damped;       // number of damped springs
} fm_spring_totals;
fm_spring_totals fm_springs_sum_at_particle(const fm_cloth *c, int i);
// Computes the forces of n springs in a row into sx, sy, sz. Spring c joins particles a + c and
// b + c; the force acts on a + c, towards b + c. Its strength is border * weight[c] times that of a
// spring inside the sheet.
typedef void fm_spring_kernel(const void *context, const fm_springs *springs, int n, int a, int b,
                              double border, const double *weight, double *sx, double *sy,
                              double *sz);
// Adds the sum of the spring forces to each particle in rows [first, last). Springs that cross into
// rows of another task are computed by both tasks.
void fm_sheet_gather_springs(const fm_cloth *cloth, fm_spring_kernel *kernel, const void *context,
                             const fm_vec3_array *target, int first, int last);

// damping.c: computes the damping impulses of the springs into cloth->pair, N s. h: substep, s; w0:
// weight of the newest velocity in the fractional derivative, s^(1-order).
void fm_cloth_compute_damping_impulses(fm_cloth *cloth, double h, double w0, fm_pool *pool);
// The smallest share, over all springs, of the damping coefficient that acts at the current
// substep; 1: all of it.
double fm_cloth_damping_share(const fm_cloth *cloth);
// bend_damping.c: the same for the damping of bending.
double fm_cloth_bend_damping_share(const fm_cloth *cloth);

// measure.c: energies and stretches of a cloth.
typedef struct fm_cloth_measure {
    double kinetic_energy, potential_energy; // J
    fm_stretches stretch;
    int first_bad; // the first particle with a value that is not finite, or -1
} fm_cloth_measure;
fm_cloth_measure fm_cloth_measure_now(const fm_cloth *cloth, const fm_surroundings *around);
// Per particle, the largest l/l0 - 1 of its stretch edges.
void fm_cloth_compute_stretch(const fm_cloth *cloth, double *stretch);

// Running sums over edges; the means are sums until they are divided by `edges`.
typedef struct fm_stretch_sum {
    fm_stretches stretches;
    int edges;
} fm_stretch_sum;
// Adds an edge between particles a and b with l/l0 - 1 = stretch.
void fm_stretch_sum_add_edge(fm_stretch_sum *sum, double stretch, int a, int b);
// Adds all stretch edges of a tube or mesh to the sums.
void fm_spring_mesh_measure_stretch(const fm_cloth *cloth, fm_stretch_sum *sum);
// Writes for each particle of a tube or mesh the largest l/l0 - 1 of its stretch edges.
void fm_spring_mesh_compute_stretch(const fm_cloth *cloth, double *stretch);

// drag.c: the coefficients of a substep of h seconds. w0: weight of the newest rate in the drag
// memory of order q, s^(1-q).
fm_drag_step fm_drag_find_law(const fm_cloth *cloth, const fm_medium *medium, double h, double w0);
fm_drag_step fm_drag_prepare_step(const fm_cloth *cloth, const fm_surroundings *around, double h,
                                  double w0);
fm_effective_mass fm_drag_effective_mass(const fm_cloth *c, const fm_drag_step *d, int i);
// The part of the drag memory's next value that does not depend on the next rate.
const fm_vec3_array *fm_drag_known_part(const fm_cloth *cloth);
double fm_drag_newest_weight(const fm_cloth *cloth, double h); // w0; 0 without a memory
// Writes the fractional derivative of the drag memory at the current time; 0 without a memory.
void fm_drag_read_memory(const fm_cloth *cloth, const fm_vec3_array *out);
bool fm_drag_has_added_mass(const fm_drag_step *step); // effective masses exceed the cloth's mass
// Writes the force of the medium on each particle, N/m^2, three numbers per particle.
void fm_drag_force_per_area(fm_cloth *cloth, const fm_surroundings *around, double *force);

// frame.c: the coordinate frame, turning with the cloth, in which the memory of the physical drag
// stores vectors.
bool fm_frame_setup(fm_cloth *cloth, fm_term *term, fm_error *err);
void fm_frame_initialize(fm_cloth *cloth); // at x, with the normals there

// Computes tangents t1 of the particles [first, last) at positions x with these normals, for
// fm_frame_advance. They depend on neighbours, so they are computed with the forces, before any
// particle is moved out of a collider.
void fm_frame_compute_tangents(const fm_cloth *cloth, const fm_vec3_array *x,
                               const fm_vec3_array *normal, int first, int last);
// Before the closing kick: turns the frames of the particles [first, last) to the end of the
// substep, and the known part of the memory from frame components into world vectors.
void fm_frame_advance(fm_substep *s, int first, int last);
// Rates of change of the relative velocity's components in the frames, m/s^2, to be pushed into the
// drag memory.
const fm_vec3_array *fm_frame_compute_rates(fm_cloth *cloth, fm_term *term, int first, int last);
// Rotates vectors from components of the frames into world vectors.
void fm_frame_rotate_to_world(const fm_cloth *cloth, const fm_term *term,
                              const fm_vec3_array *vectors);

// The frames for the implicit integrators, which compute the rates themselves; NULL arrays unless
// drag is physical.
typedef struct fm_frame_view {
    fm_vec3_array tangent; // t1 at the beginning of the substep
    fm_vec3_array next;    // t1 at its end, by fm_frame_compute_tangents
    fm_vec3_array rate;    // added to the rates that are pushed into the memory, components
} fm_frame_view;
fm_frame_view fm_frame_view_arrays(const fm_cloth *cloth);

// weight.c: gravity (of a soft body, multiplied by delta) and displaced mass of medium per area.
fm_weight fm_weight_compute(const fm_cloth *cloth, const fm_surroundings *around);
// kick.c: half kicks and accelerations.
// Closing half kick of the particles [first, last). Reads the velocity at mid-step, the force at
// the end of the substep, the medium's new velocity in `flow` and the known part of the drag
// memory; writes v, a, w and rate at the end of the substep.
void fm_kick_close_substep(fm_cloth *cloth, const fm_drag_step *drag, const fm_weight *weight,
                           const fm_vec3_array *known, int first, int last);
// Computes accelerations a at velocities v for the explicit integrators. known: the fractional
// derivative in the drag, at the beginning of the substep.
void fm_kick_compute_accelerations(fm_cloth *cloth, const fm_drag_step *drag,
                                   const fm_weight *weight, const fm_vec3_array *v,
                                   const fm_vec3_array *known, const fm_vec3_array *a, int first,
                                   int last);
// The same for all particles at once, with added mass by wavelength; start: the half kick at t = 0.
// fm_kick_turn_modes comes before it and before the frames of the memory are turned.
void fm_kick_turn_modes(fm_substep *s);
void fm_kick_solve_modes(fm_substep *s, const fm_vec3_array *known, bool start);
void fm_kick_close_modes(fm_cloth *cloth, const fm_drag_step *drag, const fm_weight *weight,
                         const fm_vec3_array *known, int first, int last);
// Velocities of the free particles that the jump of pinned ones at t = 0 causes through the water.
void fm_kick_start_modes(fm_substep *s);
// Changes the velocities of the particles [first, last) by impulses, N s, over the effective mass.
void fm_kick_apply_impulses(fm_cloth *cloth, const fm_drag_step *step, const fm_vec3_array *impulse,
                            int first, int last);

// fluid_coupling.c: quadrature points through which a cloth and a simulated fluid act on each
// other.
typedef struct fm_cloth_samples {
    fm_cloth *cloth;
    fm_samples points; // in a fluid
    int *corner;       // [3 * count] particles at the corners of the sample's triangle
    // [count] n: the edges of the sample's triangle are cut into n pieces, the triangle into n^2
    // smaller ones, and the sample is the centroid of one of these. -n: that one is rotated by 180
    // degrees against the triangle
    int *parts;
    double *share;     // [3 * count] barycentric coordinates of the sample
    double *part;      // [3 * count] parts of an impulse on the sample that its corners get
    fm_vec3 *gathered; // scratch: weighted sums at the particles
    double *weight;    // scratch: sums of the weights at the particles
    fm_vec3 *v;        // m/s, velocities before the interval; afterwards their change in it
    fm_vec3 *push;     // N s, impulses of the fluid's load in the interval, if it is implicit
    double *mass;      // [count] kg, the sample's share of the mass of its corners
    double *layer;     // kg, mass of the fluid that clings to the particles
    fm_medium medium;  // density and viscosity of the fluid
    fm_vec3 *flow;     // m/s, velocity of the fluid at the particles, during drag_exchange.c
    double *fluid;     // kg, mass of the fluid there
    fm_vec3 received;  // N s, impulses of the fluid on the cloth since `since`
    double since;      // s
} fm_cloth_samples;
// Samples are at most `longest` apart, m, for a way of coupling with a fluid of these properties.
bool fm_cloth_samples_create(fm_cloth_samples *samples, fm_cloth *cloth, double longest,
                             fm_coupling_way way, const fm_medium *medium, fm_error *err);
// Before the cloth moves: applies the fluid's impulses, or takes over its velocity.
void fm_cloth_samples_read_medium(fm_cloth_samples *samples, double end);
// After the cloth has moved: writes the samples' new positions and the momentum returned to the
// fluid.
void fm_cloth_samples_write_motion(fm_cloth_samples *samples, double start, double end);
// kg m/s, impulses between cloth and fluid that one has given and the other has to receive, and the
// momentum of the fluid that clings to the cloth.
fm_vec3 fm_cloth_samples_pending(const fm_cloth_samples *samples);
// Writes the carrying fluid's velocity at time t into `flow`; start: of the substep, s.
void fm_cloth_interpolate_carrier(fm_cloth *cloth, double start, double t, int first, int last);

// drag_exchange.c: drag whose opposite acts on a simulated fluid.
bool fm_cloth_exchanges_drag(const fm_cloth *cloth);
void fm_cloth_begin_drag_exchange(fm_cloth *cloth); // before an interval
void fm_cloth_exchange_drag(fm_substep *s);         // at the end of a substep
void fm_cloth_end_drag_exchange(fm_cloth *cloth, double end);

// body.c
static inline fm_cloth *fm_cloth_cast(const fm_object *object)
{
    return (fm_cloth *)object;
}
extern const fm_body_type fm_cloth_body; // of cloth and soft bodies
extern const fm_body_type fm_line_body;  // of lines and loads
// Lists the settings of a cloth that do not allow coupling to a fluid. Returns how many there are,
// at most FM_COUPLING_FAULTS_MAX.
int fm_cloth_find_coupling_faults(const fm_cloth_def *def, fm_coupling_way way,
                                  fm_coupling_fault *faults);

// object.c: entries that the types cloth, soft, line and load share; see fm_object_type.
extern const fm_object_type fm_cloth_type;
void fm_cloth_object_destroy(fm_object *object);
size_t fm_cloth_object_save(const fm_object *object, void *buffer, size_t size);
uint64_t fm_cloth_object_hash(const fm_object *object, uint64_t seed);
bool fm_cloth_object_restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                             size_t size, fm_error *err);
void fm_cloth_object_reset(fm_object *object);
void fm_cloth_object_forecast(fm_object *object, const fm_surroundings *around, double duration,
                              fm_forecast *f, fm_error *err);
bool fm_cloth_object_view_mesh(fm_object *object, fm_mesh_view *view, fm_error *err);
const int *fm_cloth_object_find_group(const fm_object *object, const char *name, int *count);
void fm_cloth_object_measure(fm_object *object, const fm_surroundings *around, fm_measure *m,
                             double *q);
fm_vec3 fm_cloth_find_load(const fm_cloth *cloth); // N, of a two-way fluid; mean since the reset
// Expands a field from values per particle to values per input vertex, in place.
void fm_cloth_copy_to_vertices(const fm_cloth *cloth, const char *field, double *values);

// fields.c
enum { FM_CLOTH_FIELD_COUNT = 11, FM_LINE_FIELD_COUNT = 12, FM_SOFT_FIELD_COUNT = 13 };
// The fields of cloth, then those that only soft bodies have.
extern const fm_field fm_cloth_field_list[FM_SOFT_FIELD_COUNT];
extern const fm_field fm_line_field_list[FM_LINE_FIELD_COUNT]; // of lines and loads
bool fm_soft_read_values(fm_cloth *cloth, const fm_surroundings *around, const char *name,
                         double *values, fm_error *err);
bool fm_line_read_values(fm_cloth *line, const fm_surroundings *around, const char *name,
                         double *values, fm_error *err);
bool fm_cloth_read_values(fm_cloth *cloth, const fm_surroundings *around, const char *name,
                          double *values, fm_error *err);

// snapshot.c
size_t fm_cloth_save(const fm_cloth *cloth, void *buffer, size_t size);
uint64_t fm_cloth_hash(const fm_cloth *cloth, uint64_t seed);
// On failure the cloth is unchanged.
bool fm_cloth_restore(fm_cloth *cloth, const fm_medium *medium, const void *buffer, size_t size,
                      fm_error *err);

#endif
