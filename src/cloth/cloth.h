// SPDX-License-Identifier: MIT
// cloth.h: the inside of a cloth, for the files of this folder and for the world.
//
// Parameters (def and what follows from it), state (what a snapshot holds) and scratch (what every
// substep makes anew) are kept apart. Vectors are three arrays of `lanes` numbers each, lanes being
// the particle count rounded up to whole blocks of FM_LANES; the three follow each other, so that
// component c of particle i is lane c * lanes + i of a memory.
#ifndef FATHOM_CLOTH_CLOTH_H
#define FATHOM_CLOTH_CLOTH_H

#include "collide/collide.h"
#include "core/core.h"
#include "core/samples.h"
#include "core/simd.h"
#include "memory/memory.h"
#include "motion/motion.h"

#include <fathom/cloth.h>

typedef struct fm_axes {
    double *x, *y, *z;
} fm_axes;

// Springs between particle (row, column) and (row + down, column + across).
typedef struct fm_springs {
    int down, across;
    double rest;      // m
    double stiffness; // N/m, of one inside the sheet
    double damping;   // N s^order / m
    bool by_row;      // half as strong in the first and last row: they carry half a strip
    bool by_column;   // the same for columns
} fm_springs;

enum { FM_SPRINGS_MAX = 8 };

typedef enum fm_edge_kind { FM_EDGE_STRETCH, FM_EDGE_SHEAR } fm_edge_kind;

// Which elements touch each particle, in rising order: entries of particle i are those from
// start[i] to start[i + 1], each element * corners + corner.
typedef struct fm_touching {
    int *start, *entry;
} fm_touching;

// A cloth on index arrays: springs along edges, bending about hinges, triangles. Empty for a sheet.
typedef struct fm_net {
    int edge_count, hinge_count, triangle_count, vertex_count;
    int *edge_a, *edge_b;     // particles
    double *edge_rest;        // m
    double *edge_stiffness;   // N/m
    double *edge_damping;     // N s^order / m
    unsigned char *edge_kind; // fm_edge_kind
    int *hinge[4];            // ends of the shared edge, then what is opposite in either triangle
    double *hinge_angle;      // rad, at rest
    double *hinge_stiffness;  // N m: energy stiffness / 2 (angle - angle at rest)^2
    double *hinge_share[4];   // 1/m, of the particles in L, see hinges.c
    double *hinge_area[2];    // m^2 at rest, of the two triangles
    int *triangle;            // [3 * triangle_count] particles
    int *vertex;              // [vertex_count] particle of each; NULL: vertices are particles
    int *face;                // as triangle, in vertices
    fm_touching edges, hinges, triangles;
    double *bend_sum;     // N/m, of the hinges at a particle; NULL without
    double smallest_mass; // kg, of a particle
    double mean_rest;     // m, of stretch edges
    // scratch
    fm_axes edge_force;     // N, or N s; towards b
    fm_axes hinge_force[4]; // N
    fm_axes area_vector;    // m^2, of triangles
} fm_net;

// Springs that draw pairs of particles together; see seams.c.
typedef struct fm_stitches {
    int count;
    int *a, *b;
    double *gap;         // m, how far apart they began
    double *stiffness;   // N/m
    double *friction;    // N s/m
    double *start, *end; // s
} fm_stitches;

// Triangles and their edges, each once, as contact asks for them.
typedef struct fm_cloth_parts {
    const int *triangle; // [3 * triangle_count]
    const int *edge;     // [2 * edge_count]
    int triangle_count, edge_count;
} fm_cloth_parts;

// Row buffers live on the stack.
enum { FM_SHEET_COLUMNS_MAX = 4096 };

typedef struct fm_pin_group {
    const fm_motion *motion; // NULL: stays
    double release;          // s; INFINITY: never
} fm_pin_group;

enum { FM_PIN_GROUPS_MAX = 256, FM_FREE = -1 };

// Pairs of particles whose distance is limited, in groups in which no particle comes twice.
typedef struct fm_pairs {
    int *a, *b;
    double *rest; // m
    int *group;   // [group_count + 1] first pair of each
    int count, group_count;
} fm_pairs;

// How one particle leads to another.
typedef enum fm_way_kind {
    FM_WAY_ACROSS, // along a row
    FM_WAY_DOWN,   // along a column
    FM_WAY_UP,
    FM_WAY_SHEAR_DOWN,
    FM_WAY_SHEAR_UP,
    FM_WAY_EDGE, // of a mesh
    FM_WAY_FLAP, // across two triangles of a mesh; no edge
} fm_way_kind;

typedef struct fm_graph {
    int *start, *to;     // those next to particle i: to[start[i]] to to[start[i + 1] - 1]
    double *rest;        // m, of each way
    unsigned char *kind; // fm_way_kind
    int most;            // ways from one particle
} fm_graph;

enum {
    FM_RUNGS = 4,    // of the ladders of nets
    FM_TETHERS = 4,  // places that hold a particle within reach
    FM_MAPS_MAX = 9, // the one of pins and contacts, and eight that colliders switch on
    FM_MAP_COLLIDERS = 8,
};

// What enforcement does while a certain set of particles is fixed.
typedef struct fm_correction_map {
    unsigned char *fixed; // 1 for those
    int fixed_count;
    int *anchor;   // [FM_TETHERS][lanes] fixed particles near; itself: none
    double *reach; // [FM_TETHERS][lanes] m, along the cloth at rest; INFINITY: none
    fm_pairs list; // PUBLISHED
    double *place; // of a particle in the order of correction, 0 to 1; 0 for fixed ones
    const fm_collider *colliders[FM_MAP_COLLIDERS]; // that switch it on
    int collider_count;
} fm_correction_map;

typedef struct fm_enforcer {
    fm_correction_map maps[FM_MAPS_MAX];
    int map_count, strides; // strides: the coarsest edge spans 2^(strides - 1) cells
    fm_graph graph;
    fm_pairs rungs[FM_RUNGS]; // of a net: by coarseness, the edges first
    double *mobility;         // 1/kg, across the normal; 0 for those that pins hold
    double *mobility_change;  // 1/kg, what is more of it along the normal: 0 or less
    bool oriented;            // mobility_change is used
    unsigned char *fixed;     // scratch: 1 for those that are fixed now
    struct fm_front *front;   // for making maps
    // state
    int current, wait; // map in use; substeps until the set of fixed ones is looked at again
    fm_vec3 direction; // the list of map 0 was made for
    int remade_count;  // since the cloth was made
    // what it took since that was asked last, not part of the state
    double enforce_ms, order_ms;
} fm_enforcer;

struct fm_cloth {
    fm_world *world; // whose it is, for those who read it through the public interface
    char name[48];
    fm_cloth_def def;
    fm_cloth_kind kind;
    fm_sheet sheet;
    fm_tube tube;
    fm_arena arena;
    int columns, rows, count, lanes; // of a mesh: as many columns as particles, one row
    int row_block;                   // rows that one task of a stencil loop does
    fm_net mesh;                     // of tubes and meshes
    fm_stitches stitches;
    fm_cloth_parts parts;  // made when first asked for
    double dx, dy;         // m, spacing of columns and of rows
    double *column_weight; // 1, and 1/2 in the first and last column
    double *ones;          // as many 1
    double *area;          // m^2 of cloth a particle stands for
    double *mass;          // kg
    double *inertia;       // kg, with what a medium lends; mass itself unless one does
    double *wet_area;      // m^2 that drag acts on; area itself unless a fluid carries the cloth
    double *pair_load;     // 1/kg: damped springs at a particle over its mass, see damping.c
    double *spring_sum;    // N/m, of the springs at a particle
    fm_springs springs[FM_SPRINGS_MAX];
    int springs_count;
    double bend_across, bend_down, bend_twist; // N/m: see sheet.c
    double stable_step;                        // s
    double stiffness_share; // of the springs' stiffness that acts, see choose_step
    double added_mass;      // m, thickness of the layer of medium
    double repulsion_distance, repulsion_stiffness; // m, N/m
    double contact_thickness;                       // m
    bool uneven;                                    // substeps change with those of a fluid

    fm_pin_group groups[FM_PIN_GROUPS_MAX];
    int group_count;
    int *pin;    // group of each particle, or FM_FREE
    int *pinned; // particles with a group, in order
    int pinned_count;
    fm_axes anchor; // m, where pins were made
    fm_vec3 *made;  // m, where particles were when the cloth was made

    // state
    bool started;       // a and the memories are valid
    bool verlet_moving; // v is half a substep behind
    double time;        // s
    double step;        // s, the substep the memories were made for; 0: none yet
    fm_axes x, v;       // m, m/s
    fm_axes a;          // m/s^2, of v - w, for the next opening kick
    fm_axes carried;    // m/s^2, by which the medium carries particles along while they drift
    fm_axes w;          // m/s, velocity of the medium at the particles
    fm_axes rate;       // what the drag memory was fed last
    fm_axes normal;     // unit vectors
    fm_memory *drag_memory, *damping_memory; // NULL when the model has none

    // scratch
    fm_axes force;                          // N: springs, bending, repulsion
    fm_axes next_normal;                    // those at the end of the substep
    fm_axes flow;                           // m/s, velocity of the medium at the end of the substep
    fm_axes pair;                           // N s: impulses of the springs' damping
    fm_axes known;                          // what the damping memory knows of its next value
    fm_axes drag_known;                     // the same of the drag memory
    fm_axes nothing;                        // zeros
    fm_axes trial_x, trial_v, sum_x, sum_v; // stages of Runge-Kutta; NULL without
    fm_axes jump;           // m/s, what colliders took from velocities in this substep
    fm_vec3 *pinned_u;      // m/s, relative velocity of pinned particles before it
    unsigned char *touch;   // 1 where a collider holds a particle in this substep
    fm_vec3 *out_x, *out_v; // what readers are given
    fm_cells cells;         // for repulsion
    struct {
        bool made;
        fm_axes at;   // positions it was made for
        int *start;   // [count + 1] into partner
        int *partner; // those near each particle, rising
        int room;
        int *kin_start, *kin; // those that never repel each particle, rising; NULL: see the grid
    } near;
    int *repelled;         // partners that push each particle
    fm_enforcer *enforcer; // NULL without enforcement; holds its own state
    struct {
        bool on;          // a fluid says how the medium moves, instead of its own flow
        fm_axes velocity; // m/s, at the end of the interval
        double end;       // s
    } carrier;
};

// cloth.c
fm_cloth *fm_cloth_new_sheet(const fm_cloth_def *def, const fm_sheet *sheet,
                             const fm_medium *medium, fm_error *err);
void fm_cloth_free(fm_cloth *cloth);
// For all kinds: a checked definition and its arrays; then, when particles and springs are in
// place, what follows from them. False: err says why, and the cloth is for fm_cloth_free.
fm_cloth *fm_cloth_alloc(const fm_cloth_def *def, const fm_medium *medium, int columns, int rows,
                         fm_error *err);
bool fm_cloth_finish(fm_cloth *cloth, fm_error *err);
void fm_cloth_choose_step(fm_cloth *cloth);
bool fm_cloth_check_placement(const char *object, fm_vec3 origin, fm_vec3 velocity,
                              fm_quat rotation, fm_error *err);
// Puts particle i there, with the velocity.
void fm_cloth_place(fm_cloth *cloth, int i, fm_vec3 x, fm_vec3 v, double area);
fm_axes fm_axes_alloc(fm_arena *arena, int lanes, fm_error *err);
bool fm_cloth_is_held(const fm_cloth *cloth, int particle, double t); // by a pin
bool fm_cloth_needs_drag_memory(const fm_cloth_def *def, const fm_medium *medium);
bool fm_cloth_needs_damping_memory(const fm_cloth_def *def);

// Drag over one substep, all coefficients per m^2 of cloth.
typedef struct fm_drag_step {
    double h;         // s
    double w0;        // newest weight of the drag memory
    fm_vec3 gravity;  // m/s^2
    double displaced; // kg/m^2 of medium that the cloth takes the place of
    bool physical;
    double viscous, normal, history;                 // the published set
    double pressure, friction, skin, normal_history; // the physical one
    double layer;                                    // kg/m^2 of medium moving with the cloth
} fm_drag_step;

// kg, of a particle that is given an impulse: along its normal and across it. Impulses also move
// the water of added mass, and meet the newest part of the history forces.
typedef struct fm_effective_mass {
    double along, across;
} fm_effective_mass;

// step.c: moves a cloth on by `duration` in `substeps` equal parts.
int fm_cloth_substeps(const fm_cloth *cloth, double duration);
double fm_cloth_damping_share(const fm_cloth *cloth); // in the substeps the memories were made for
bool fm_cloth_advance(fm_cloth *cloth, const fm_surroundings *around, double duration, int substeps,
                      fm_error *err);

// One substep, as the integrators see it. The parts work on particles [first, last).
typedef struct fm_substep {
    fm_cloth *cloth;
    const fm_surroundings *around;
    double h, end; // s: length, and the time at its end
    double margin; // m, kept from colliders
    fm_drag_step drag;
    bool damped;       // springs are
    double damping_w0; // newest weight of the damping memory; 1 for a dashpot
    fm_pose poses[FM_PIN_GROUPS_MAX];
} fm_substep;

enum { FM_FLAT_BLOCK = 256 }; // particles that one task of a loop without neighbours does

// A substep in parts, for cloths that touch: all of them open, contact changes x, v, jump and
// touch, all of them close.
double fm_cloth_substep_ns(const fm_cloth *cloth); // about, on one thread
bool fm_substep_begin(fm_substep *s, fm_cloth *cloth, const fm_surroundings *around, double h,
                      fm_error *err);
bool fm_substep_open(fm_substep *s, double end, fm_error *err); // to time `end`
void fm_substep_close(fm_substep *s);

void fm_substep_place(fm_substep *s, double t); // motions of pins and colliders, at t
void fm_substep_pin_positions(fm_substep *s, const fm_axes *x, int first, int last);
void fm_substep_pin_velocities(fm_substep *s, const fm_axes *x, const fm_axes *v, int first,
                               int last);
void fm_substep_pin_zero(fm_substep *s, const fm_axes *a, int first, int last);
void fm_substep_collide(fm_substep *s, double margin, bool again, int first, int last);
void fm_substep_sample_medium(fm_substep *s, const fm_axes *x, double t, int first, int last);
void fm_substep_forces(fm_substep *s); // at x, v
void fm_lanes_predict(fm_memory *memory, const fm_axes *known, int lanes, int first, int last);
void fm_lanes_push(fm_memory *memory, const fm_axes *rate, int lanes, int first, int last);

// enforce.c
bool fm_enforcer_setup(fm_cloth *cloth, fm_error *err);
void fm_enforcer_start(fm_cloth *cloth,
                       const fm_surroundings *around); // maps of the pins there are
void fm_enforcer_make_maps(fm_cloth *cloth); // all, of what the first takes for fixed and the pins
void fm_substep_enforce(fm_substep *s);      // x, and v as the positions went
void fm_enforcer_take_times(fm_cloth *cloth, double *enforce_ms, double *order_ms); // adds, clears

// graph.c, ladder.c
bool fm_graph_make(fm_cloth *cloth, fm_graph *graph, fm_error *err);
bool fm_ladder_make(fm_cloth *cloth, fm_enforcer *enforcer, fm_error *err);

// order.c
bool fm_correction_map_alloc(fm_cloth *cloth, fm_correction_map *map, fm_error *err);
bool fm_front_alloc(fm_cloth *cloth, fm_error *err);
void fm_correction_map_make(const fm_cloth *cloth, fm_correction_map *map,
                            fm_vec3 direction); // of map->fixed

// explicit.c
void fm_substep_explicit(fm_substep *s);

// inner.c: forces inside a cloth of any kind, over all of it.
// force and the normals at x; v and t are for seams.
void fm_cloth_inner_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *v, double t,
                           const fm_axes *normal, fm_pool *pool);
void fm_cloth_normals(fm_cloth *cloth, const fm_axes *x, const fm_axes *normal);
void fm_cloth_damping_impulses(fm_cloth *cloth, double h, double w0, fm_pool *pool); // into pair
void fm_cloth_add_damping_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *derivative,
                                 fm_pool *pool);
bool fm_cloth_find_parts(fm_cloth *cloth, fm_cloth_parts *parts, fm_error *err);
// The triangles of a grid of cells, round: the last column joins the first. Gives their number,
// writes when `triangle` is not NULL.
int fm_grid_triangles(int columns, int rows, bool round, int *triangle);

// mesh.c, tube.c: particles, edges, hinges and lists of a cloth on triangles.
fm_cloth *fm_cloth_new_mesh(const fm_cloth_def *def, const fm_cloth_mesh *mesh,
                            const fm_medium *medium, fm_error *err);
fm_cloth *fm_cloth_new_tube(const fm_cloth_def *def, const fm_tube *tube, const fm_medium *medium,
                            fm_error *err);
bool fm_net_check_def(const fm_cloth_def *def, const char *object, fm_error *err);

// What keeps a mesh from being a cloth, vertices welded.
typedef enum fm_mesh_fault_kind {
    FM_FAULT_CORNERS, // a triangle has a particle twice
    FM_FAULT_AREA,    // a triangle has no area
    FM_FAULT_CROWDED, // an edge has more than two triangles
    FM_FAULT_FLIPPED, // the two triangles of an edge turn in opposite senses
    FM_FAULT_LOOSE,   // a vertex is in no triangle
    FM_FAULT_KINDS
} fm_mesh_fault_kind;
typedef struct fm_mesh_fault {
    fm_mesh_fault_kind kind;
    int triangle;  // the last one of those at fault; of a loose vertex -1
    int others[2]; // the triangles before it at the same edge; -1 where there are none
    int vertex[2]; // ends of that edge, of `triangle`; the loose vertex; the corner that is twice
    int count;     // triangles at the edge
    double area;   // m^2
} fm_mesh_fault;
typedef void fm_mesh_fault_function(void *context, const fm_mesh_fault *fault);
// Tells every fault: of triangles, else of edges, and of vertices.
// False without memory, or when numbers or indices are out of range; err says so.
bool fm_mesh_find_faults(const fm_cloth_mesh *mesh, const char *object,
                         fm_mesh_fault_function *function, void *context, fm_error *err);

// sides.c: the edges of triangles, each once, by their ends; both triangles, -1 where there is one.
typedef struct fm_mesh_side {
    int a, b;        // particles, a < b
    int triangle[2]; // the first has the edge from a to b unless `turned`
    int opposite[2]; // the particle across
    bool turned;     // the first triangle has it from b to a
    bool same_way;   // both do: they do not face the same side
    int more;        // triangles beyond two
    int third;       // the first of those
} fm_mesh_side;
// free() them; NULL without memory.
fm_mesh_side *fm_find_sides(const int *triangle, int triangle_count, int *count);

// hinges.c. corner: where the three corners of each triangle are at rest.
// One triangle of a side at rest: corners, length of the side, area, height over the side, and
// which part of the way from a to b the foot of that height is.
typedef struct fm_flap {
    fm_vec3 a, b, c;
    double length, area, height, foot;
} fm_flap;
fm_flap fm_side_flap(const fm_cloth *cloth, const fm_vec3 *corner, const fm_mesh_side *side,
                     int which);
// Hinges of the sides that have two triangles. columns > 0: a grid, whose diagonals are weighted by
// their twist.
bool fm_net_add_hinges(fm_cloth *cloth, const fm_mesh_side *sides, int side_count,
                       const fm_vec3 *corner, int columns, fm_error *err);
void fm_net_hinge_forces(fm_cloth *cloth, const fm_axes *x, int first, int last);
double fm_net_bending_energy(const fm_cloth *cloth);
double fm_net_bending_bound(const fm_cloth *cloth); // 1/s^2

// net.c: the forces of a net.
bool fm_net_alloc(fm_cloth *cloth, int edges, int triangles, fm_error *err);
bool fm_net_link(fm_cloth *cloth, fm_error *err); // lists per particle, once all is there
void fm_net_sums(fm_cloth *cloth);                // as spring_sums of cloth.c
void fm_net_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *normal, fm_pool *pool);
void fm_net_normals(fm_cloth *cloth, const fm_axes *x, const fm_axes *normal, fm_pool *pool);
// As damping.c has it: no limit when `load` is zeros.
void fm_net_pairs(fm_cloth *cloth, const fm_axes *x, const fm_axes *v, const fm_axes *known,
                  const double *load, double scale, double w0, fm_pool *pool);
double fm_net_damping_share(const fm_cloth *cloth, double h, double w0);

// seams.c
double fm_stitch_rest(const fm_stitches *stitches, int i, double t); // m
void fm_stitches_add_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *v, double t);
void fm_stitches_measure_gaps(fm_cloth *cloth); // again, when positions are set
void fm_stitches_add_sums(fm_cloth *cloth);     // to spring_sum

// kin.c: who is near whom along the cloth, for meshes and seams.
bool fm_repulsion_find_kin(fm_cloth *cloth, fm_error *err);
bool fm_repulsion_are_kin(const fm_cloth *cloth, int i, int j);

// sheet.c: stencils over rows [first, last).
void fm_sheet_setup(fm_cloth *cloth);
// What n springs in a row carry, towards their far end: spring c joins particles a + c and b + c
// and is border * weight[c] times as strong as one inside the sheet.
typedef void fm_spring_kernel(const void *context, const fm_springs *springs, int n, int a, int b,
                              double border, const double *weight, double *sx, double *sy,
                              double *sz);
// target = sum over the springs of each particle, those of other tasks' rows computed again.
void fm_sheet_gather(const fm_cloth *cloth, fm_spring_kernel *kernel, const void *context,
                     const fm_axes *target, int first, int last);
void fm_sheet_forces(const fm_cloth *cloth, const fm_axes *x, const fm_axes *force, int first,
                     int last);
void fm_sheet_normals(const fm_cloth *cloth, const fm_axes *x, const fm_axes *out, int first,
                      int last);

// damping.c
void fm_sheet_pair_impulses(fm_cloth *cloth, double h, double w0, int first, int last);
// Share of the springs' damping that acts with this substep, of the spring that has least; 1: all.
double fm_sheet_damping_share(const fm_cloth *cloth, double h, double w0);
void fm_sheet_pair_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *derivative, int first,
                          int last);

// measure.c
typedef struct fm_cloth_measure {
    double kinetic_energy, potential_energy; // J
    fm_stretches stretch;
    int first_bad; // a particle that is not finite, or -1
} fm_cloth_measure;
fm_cloth_measure fm_cloth_measure_now(const fm_cloth *cloth, const fm_surroundings *around);
void fm_cloth_stretch(const fm_cloth *cloth,
                      double *stretch); // per particle, the largest around it

typedef struct fm_stretch_sum {
    double energy;          // J
    fm_stretches stretches; // means are sums as yet
    int edges;
} fm_stretch_sum;
void fm_stretch_sum_add(fm_stretch_sum *sum, double stretch, int a, int b); // of an edge
void fm_net_measure(const fm_cloth *cloth, fm_stretch_sum *sum);            // springs and hinges
void fm_net_stretch(const fm_cloth *cloth, double *stretch);

// drag.c
fm_drag_step fm_drag_prepare(const fm_cloth *cloth, const fm_surroundings *around, double h,
                             double w0);
// For particles [first, last): velocity and acceleration at the end of the step from the velocity
// at its middle, the force at its end, the new velocity of the medium and what the memory knows;
// then w and rate.
void fm_drag_close(fm_cloth *cloth, const fm_drag_step *step, const fm_axes *medium,
                   const fm_axes *known, int first, int last);
void fm_drag_explicit(fm_cloth *cloth, const fm_drag_step *step, const fm_axes *v,
                      const fm_axes *medium, const fm_axes *derivative, const fm_axes *a, int first,
                      int last);
fm_effective_mass fm_drag_effective_mass(const fm_cloth *cloth, const fm_drag_step *step, int i);
bool fm_drag_lends_mass(const fm_drag_step *step); // effective masses differ from the cloth's own
void fm_drag_apply_impulse(fm_cloth *cloth, const fm_drag_step *step, const fm_axes *impulse,
                           int first, int last);
void fm_drag_force_per_area(fm_cloth *cloth, const fm_surroundings *around, double *force);

// samples.c: what a medium that is simulated knows of a cloth.
typedef struct fm_cloth_samples {
    fm_cloth *cloth;
    fm_samples points;
    int *corner;    // [3 * count] particles
    int *parts;     // along an edge of the triangle; negative for those turned against it
    double *share;  // [3 * count] of the corners
    fm_vec3 *given; // scratch: sums at the particles
    double *weight; // scratch
    fm_vec3 *v;     // m/s, of the particles before the interval, then its change
} fm_cloth_samples;
// At most `longest` apart. passive: the medium carries the cloth and does not feel it.
bool fm_cloth_samples_make(fm_cloth_samples *samples, fm_cloth *cloth, double longest, bool passive,
                           fm_arena *arena, fm_error *err);
// Before the cloth moves: what the medium gave. After: where it went and what it hands back.
void fm_cloth_samples_take(fm_cloth_samples *samples, double end);
void fm_cloth_samples_give(fm_cloth_samples *samples, double start, double end);
// The carrier's velocity into flow at time t, at the end of a substep of h.
void fm_carrier_velocity(fm_cloth *cloth, double t, double h, int first, int last);

// repulsion.c
bool fm_repulsion_setup(fm_cloth *cloth, fm_error *err);
void fm_repulsion_add_forces(fm_cloth *cloth, const fm_axes *x, const fm_axes *v, fm_pool *pool);

// fields.c
bool fm_cloth_read(fm_cloth *cloth, const fm_surroundings *around, const char *name, double *values,
                   fm_error *err);

// snapshot.c
bool fm_cloth_make_memories(fm_cloth *cloth, const fm_medium *medium, double h, fm_error *err);
size_t fm_cloth_save(const fm_cloth *cloth, void *buffer, size_t size);
bool fm_cloth_restore(fm_cloth *cloth, const fm_medium *medium, const void *buffer, size_t size,
                      fm_error *err); // on failure the cloth is as it was
uint64_t fm_cloth_hash(const fm_cloth *cloth, uint64_t seed);

#endif
