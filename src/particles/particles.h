// SPDX-License-Identifier: MIT
// particles.h: internal types and functions of particle fluids (smoothed particle hydrodynamics).
//
// Fluid particles are sorted by cell in every substep, so that the neighbours of a particle are a
// few runs of consecutive particles (neighbours.c). A second set, sorted into the same cells, holds
// everything else that the fluid interacts with: boundary particles (of walls, colliders and
// immersed surfaces) and ghost particles (periodic images of fluid particles).
//
// Positions are double and all other state is float. Loops over pairs read float positions relative
// to the origin of the cells. Lengths are in m, times in s; pressures are divided by the rest
// density.
#ifndef FATHOM_PARTICLES_PARTICLES_H
#define FATHOM_PARTICLES_PARTICLES_H

#include "collide/collide.h"
#include "core/core.h"
#include "core/simd.h"
#include "core/smoothing_kernels.h"
#include "core/surface_samples.h"
#include "motion/motion.h"
#include "object/object.h"
#include "particles/pair_records.h"
#include "particles/terms.h"

#include <fathom/particles.h>
#include <stdatomic.h>

enum {
    FM_CELL_ROWS_AROUND = 9, // cell rows searched for neighbours, the own row last; 2D: 6 are empty
    FM_PARTICLES_BLOCK = 256,                          // particles per parallel task
    FM_PARTICLES_LARGE_BLOCK = 4 * FM_PARTICLES_BLOCK, // for loops with little work per particle
    FM_CELLS_PER_SUPPORT = 4, // cells along x in one support radius; across x a cell is one support
    FM_FLUID_SOURCES_MAX = 256,    // limit for sources, for sinks and for body-force regions, each
    FM_IMMERSED_SURFACES_MAX = 64, // cloths that one fluid can be coupled with
};

// The cell grid: rows of cells along x. A row is one support wide in y and z. Rows are numbered
// tile by tile, so that neighbouring rows are close in memory.
typedef struct fm_cell_rows {
    double origin[3];    // m, low corner of the grid; moves with the domain
    float across, along; // 1/m, rows per metre in y and in z, cells per metre in x
    float size;          // m, width of a row in y and z
    int nx, ny, nz;      // cells along x, rows along y, rows along z
    int count;           // rows, ny * nz
    int *number;         // [ny * nz] number of the row at position (y, z) of the grid
    fm_ints *around;     // [count] numbers of the eight rows around each row
    // scratch of fm_cell_table_list_near
    uint64_t *marked;              // one bit per row: near particles of the other table
    int *marked_rows;              // [count] rows whose bit is set
    unsigned char *marked_columns; // [nx] 1: this cell of the row is near such particles
} fm_cell_rows;

// The cell of a particle.
typedef struct fm_cell_index {
    int row, column; // number of the row, and of the cell within it; row < 0: not sorted into cells
} fm_cell_index;

// First particle of every cell in a sorted set (cells.c). Only rows that contain particles have
// cells, and only the columns from `low` to below `high`.
typedef struct fm_cell_table {
    int *slot;         // [rows.count] slot of each row, 0 when the row is empty
    int *row;          // [slot_count + 1] row of each slot, ascending
    uint64_t *filled;  // scratch, one bit per row
    int slot_count;    // slots are numbered from 1; slot 0 is an always empty row
    int low, high;     // range of columns that contain particles
    size_t cell_count; // allocated cells
    int *start;        // [slot][nx + 1] first particle of a cell; start[high] ends the row
    unsigned char *near_along_x; // [slot][nx + 1] 1: a particle of this row is within the support
                                 // along x
} fm_cell_table;

// A set of particles sorted by cell. The search for neighbours reads x, y, z only.
typedef struct fm_particle_set {
    int count, capacity; // particles in the set, and allocated
    float *x, *y, *z;    // m from the origin of the cell rows
    fm_density_record *density;
    fm_force_record *force;
    fm_cell_table table;
} fm_particle_set;

// Particles whose fill (kernel sum of the volumes around them, sum of V W) is less than this are at
// a free surface. Measured: 0.6 to 0.8 at a flat surface, 0.96 or more inside the fluid.
static const float FM_SURFACE_FILL = 0.87f;

// Where the fill (kernel sum of the volumes around a particle) is above this, particles are too
// crowded. Negative pressure there is an error of the integrated density and would grow.
static const float FM_CLUMP_FILL = 1.1f;

// A particle whose fill (kernel sum of the volumes around it) exceeds that of a lone particle by
// less than this is spray: it has at most one or two neighbours.
static const float FM_SPRAY_FILL = 0.15f;

// State of the fluid particles, one array per quantity.
typedef struct fm_particle_state {
    double *x, *y, *z;   // m
    float *vx, *vy, *vz; // m/s
    float *s;            // rho / rho0 - 1, relative excess density
    int *id;             // numbered in order of creation
} fm_particle_state;

// The kind of object that a boundary or ghost particle belongs to.
typedef enum fm_boundary_owner_kind {
    FM_OWNER_WALL,     // boundary particle of a side of the domain
    FM_OWNER_COLLIDER, // boundary particle of a collider
    FM_OWNER_SURFACE,  // boundary particle at a sample of an immersed surface
    FM_OWNER_PARTICLE, // ghost particle: periodic image of a fluid particle
} fm_boundary_owner_kind;

// The object that a boundary or ghost particle belongs to.
typedef struct fm_boundary_owner {
    fm_boundary_owner_kind kind;
    int index; // of the side, collider, surface or fluid particle
} fm_boundary_owner;

// A boundary particle in the frame of its owner, created once. Substeps place it in the world.
typedef struct fm_boundary_point {
    fm_vec3 x;    // m, in the frame of the owner
    float volume; // m^3
    fm_boundary_owner owner;
    bool of_mesh;   // the point has an entry in mesh_points
    int mesh_point; // index of that entry
} fm_boundary_point;

// Identifies one boundary or ghost particle.
typedef struct fm_boundary_identity {
    fm_boundary_owner owner;
    int point; // index in the boundary points; unused for ghost particles
} fm_boundary_identity;

// A boundary or ghost particle before sorting.
typedef struct fm_unsorted_boundary {
    fm_vec3 x;    // m, current position
    float volume; // m^3
    fm_boundary_identity identity;
} fm_unsorted_boundary;

// Additional data of a boundary point on a mesh collider (mesh_boundary.c), in the frame of the
// mesh, or of the anchor triangle when the mesh is animated.
typedef struct fm_mesh_point {
    fm_vec3 x; // m
    // Only fluid with normal . (position - surface) > 0 interacts with the point. surface: the
    // nearest point of the mesh, m. normal: unit vector there, or 0 when fluid on every side
    // interacts.
    fm_vec3 surface, normal;
    fm_anchor anchor; // triangle that the point moves with, if the mesh is animated
} fm_mesh_point;

// Half-space from which a boundary particle is visible: n . x > at, x relative to the origin of the
// cell rows, m.
typedef struct fm_visible_side {
    float n[3], at;
} fm_visible_side;

static const fm_visible_side FM_VISIBLE_FROM_ALL_SIDES = {.at = -1};

// The nearest thin wall of a mesh beside a fluid particle.
typedef struct fm_nearest_thin_wall {
    int motion;           // index of the mesh in mesh_motions, -1: no thin wall within the support
    fm_visible_side side; // half-space in front of the wall, where the particle is
} fm_nearest_thin_wall;

// Motion of a mesh collider during one move of the particles (mesh_collision.c).
typedef struct fm_mesh_motion {
    int collider; // index in the world
    const fm_trimesh *mesh;
    fm_pose from, to;  // poses of the mesh at the start and at the end of the move
    fm_vec3 *vertices; // m, vertices at the start, in the mesh's frame; NULL: not animated
    double deformed;   // m, largest displacement of a vertex in that frame
} fm_mesh_motion;

// Growing arrays of the boundary points of walls and colliders while they are being created.
typedef struct fm_boundary_point_list {
    fm_boundary_point *points;
    fm_mesh_point *meshes;         // additional data of the points of mesh colliders
    int count, capacity;           // elements of `points`: used and allocated
    int mesh_count, mesh_capacity; // elements of `meshes`: used and allocated
} fm_boundary_point_list;

// Kernel sums over the fluid around one sample of an immersed surface (immersed_surfaces.c).
typedef struct fm_sample_sums {
    double sum, side[2]; // kernel sums: of both sides; [0] opposite to the normal, [1] along it
    double mass;         // kg/m^2, mass that the fluid particles share out to the sample
    fm_vec3 velocity;    // m/s, kernel-weighted sum of fluid velocities
    double P[2];         // m^2/s^2, pressure / rho0 of the fluid on each side, ordered as `side`
    // Pressure accelerations of the sample, m/s^2 divided by the gradient scale fm_particles.F. In
    // SPH a pair of particles contributes (P_sample + P_fluid) times the kernel gradient. `push` is
    // the part of P_sample (the means P of its two sides), `pressure` the sum of both parts.
    fm_vec3 push, pressure;
    // Reference pressure that pairs with the sample leave out (surface_reference.c): its share, 0
    // to 1, its value at the sample, m^2/s^2, and its gradient, m/s^2.
    double submerged, reference;
    fm_vec3 reference_slope;
} fm_sample_sums;

// Candidate neighbours of a point in a set: one run of consecutive particles per cell row, from
// index `first` to below `last`.
typedef struct fm_neighbour_runs {
    int first[FM_CELL_ROWS_AROUND], last[FM_CELL_ROWS_AROUND];
} fm_neighbour_runs;

// A neighbour list holds the particles within the support, the particle itself included. It is
// padded to a multiple of eight. Lists longer than this maximum are cut; a fluid that dense has
// diverged already.
enum { FM_NEIGHBOURS_MAX = 4096, FM_NEIGHBOURS_CAPACITY = FM_NEIGHBOURS_MAX + 16 };

enum { FM_OCTETS_MAX = 2048 }; // groups of eight candidates in a search; further ones are dropped

// Candidate neighbours in groups of eight consecutive particles. Consecutive particles of a cell
// row share the candidates of one search.
typedef struct fm_neighbour_search {
    int end;                  // end of the range of particles that share these candidates
    int count;                // number of groups
    int first[FM_OCTETS_MAX]; // index of the first particle of each group
    int bits[FM_OCTETS_MAX];  // one bit for each of the eight: 1: it is a candidate
} fm_neighbour_search;

// Empties a search, so that the next particle looks for candidates.
static inline void fm_neighbour_search_begin(fm_neighbour_search *search)
{
    search->end = search->count = 0;
}

// A source of particles (nozzle) and its progress.
typedef struct fm_source_state {
    fm_fluid_source def;
    int64_t layer; // next layer of particles to emit
} fm_source_state;

// Pressure of a fluid particle on a collider with a mass (pressure_solver.c).
typedef struct fm_body_link {
    int particle, body; // index of the fluid particle, and of the collider in the world
    fm_vec3 pairs;      // 1/m, sum of kernel gradients over its boundary particles, twice
    fm_vec3 C;          // 1/m, the same, or in closed fluids with the sum 0 over the particles
    fm_vec3 H;          // m/s^2, of kernel gradients times hydrostatic pressure differences
} fm_body_link;

// The energy that a fluid has lost (effective_viscosity.c).
typedef struct fm_energy_loss fm_energy_loss;

// A particle fluid.
struct fm_particles {
    fm_object object;
    fm_particles_def def;
    fm_arena arena;
    double R;        // m, support radius of the kernel
    double volume;   // m^3, of a particle at rest
    float self_fill; // kernel sum V W(0) of a particle without neighbours
    fm_source_state sources[FM_FLUID_SOURCES_MAX];
    fm_fluid_sink sinks[FM_FLUID_SOURCES_MAX];
    fm_fluid_push pushes[FM_FLUID_SOURCES_MAX]; // body-force regions
    int source_count, sink_count, push_count;

    // set by fm_particles_prepare
    bool prepared;
    char method_reason[96]; // of an automatic choice of the method; else empty
    int prepared_colliders; // number of colliders at that time
    double c;               // m/s, speed of sound
    float surface_fill;     // particles with a smaller fill are at a free surface
    float W; // kernel scale: W(q) = W w(q), chosen so that the rest lattice has density rho0
    float F; // gradient scale: the kernel gradient is F w'(q)/q times the distance vector
    float spiky, laplacian; // 1/m^(d+2), scales of the pressure and viscosity kernels of [MCG03],
                            // not corrected for the lattice; d: dimensions
    fm_cell_rows rows;
    fm_boundary_point *points;
    int point_count;
    fm_mesh_point *mesh_points;
    fm_mesh_motion *mesh_motions; // one per mesh collider
    int mesh_motion_count;
    bool has_thin_walls; // some boundary points are visible from one side only
    int full_count;      // from this number of particles on, the fluid fills a closed domain
    bool has_walls;      // there are walls, or colliders without a mass
    bool boundary_moves; // boundary particles move or ghosts exist: sort them in every substep
    fm_samples *surfaces[FM_IMMERSED_SURFACES_MAX];
    int surface_start[FM_IMMERSED_SURFACES_MAX]; // boundary point of the surface's first sample
    int surface_count;

    // state
    int count, next_id;
    double time; // s
    fm_particle_state now;
    float *P;   // m^2/s^2, pressure / rho0 of the last substep; initially that of the boxes
    bool begun; // densities have been initialised from P, substeps may be taken
    // Neighbour lists that serve several substeps (fm_step_list_pairs). An advance begins with new
    // lists, so they are not saved.
    int list_age;       // substeps that the lists have served, this one included; 0: no lists yet
    double listed_time; // s, time at which they were built
    int listed_count;   // particles when the lists were built
    double list_travel; // m, upper bound of the distance that a particle moved since then
    double max_speed, max_acceleration; // m/s, m/s^2, of the last substep, or expected at first
    double removed, refused; // numbers of particles: removed by sinks; not emitted because the
                             // capacity was full
    fm_fluid_term terms[FM_FLUID_TERMS_MAX]; // extensions of the fluid, see terms.h
    int term_count;
    fm_energy_loss *loss; // NULL: not measured

    // Velocities that viscosity uses instead of the particles' own, set by fractional viscosity;
    // NULL: viscosity uses the particles' own.
    const fm_viscous_velocity *viscous, *viscous_boundary;

    // scratch
    int capacity, boundary_capacity; // allocated fluid particles, and boundary and ghost particles
    fm_particle_state spare;         // destination of sorting
    fm_particle_set fluid;
    fm_particle_set boundary;    // boundary and ghost particles
    fm_cell_index *cell_index;   // cell of each fluid particle before sorting
    int *order;                  // order[i]: index before sorting of the particle now at i
    int *cell;                   // cell of each fluid particle in the fluid's table
    fm_ints *packing;            // [256] positions of the set bits of a byte, in order
    int *lists;                  // neighbour lists, block by block
    int *list_start;             // start of each list; -1: it did not fit, passes search again
    int *list_count;             // length of each list, a multiple of eight
    unsigned char *list_padding; // entries of it that repeat the particle itself
    int *near_boundary_start;    // as list_start, for the list of boundary and ghost neighbours
    int *near_boundary_count;    // as list_count
    unsigned char *near_boundary_padding; // entries of it that repeat the first neighbour
    int list_capacity;                    // ints in `lists` for one block
    int *wet_lists;      // lists of the fluid neighbours of wet boundary particles, block by block
    int *wet_start;      // [k] start of the list of boundary particle wet[k]; -1: it did not fit
    int *wet_neighbours; // [k] length of the list, a multiple of eight
    unsigned char *wet_padding;      // [k] entries of it that repeat the first neighbour
    int wet_list_capacity;           // ints in `wet_lists` for one block
    unsigned char *is_near_boundary; // [cell of the fluid's table] 1: boundary within the support
    unsigned char *in_sink;          // [particle] 1: a sink removes it at the next sorting
    float *fill;                     // sum of V W, 1 inside fluid at rest
    atomic_uchar *beside_surface;    // 1: the particle or a neighbour is at a free surface
    float *ax, *ay, *az;             // m/s^2
    float *dx, *dy, *dz;             // m, particle shifting, or what springs add to the drift
    bool drift_is_corrected;         // springs wrote dx, dy, dz in this substep
    fm_strain_record *strain;        // of fluid particles, if there is artificial viscosity
    fm_strain_record *ghost_strain;  // of boundary and ghost particles, if there are ghosts as well
    fm_viscous_velocity *spin;       // 1/s, half the vorticity, for viscous_rotation.c; or NULL
    unsigned char *is_inside;        // 1: pressure acts by differences (forces.c)
    fm_pressure_slope *pressure_gradient; // by least squares; 0 where it is not known
    float *s_next;                        // rho / rho0 - 1 after the substep
    // scratch of the pressure solver (pressure_solver.c)
    float *diagonal;           // 1/m^2, of the matrix; 0: no neighbours
    float *residual, *product; // 1/s^2, of the linear system; matrix times pressure_change
    float *excess;             // share of the density that a substep removes
    float *pressure_change;    // m^2/s^2, search direction
    float *pressure_sum;       // m^2/s^2, pressures found so far
    float *pair_weight;        // 1/m^2, [as lists] weights of the neighbours
    // [capacity] constant density: surface tension, which acts with the pressure; NULL: none
    fm_tension_record *tension;
    unsigned char *is_surface; // 1: neighbours are missing beyond a free surface
    fm_body_link *body_links;  // of particles beside colliders with a mass
    int body_link_count;
    // of the first and second row below a flat surface: fill; |sum of kernel gradients|, 1/m; rise
    // of the fill with a strain across the surface that keeps the volume
    float row_fill[2], row_slope[2], row_stretch[2];
    bool has_ghosts;                // there are periodic sides
    fm_particle_scalar *warm_start; // P / c^2 of the last substep, where iterations begin
    fm_unsorted_boundary *unsorted; // boundary and ghost particles of this substep, before sorting
    fm_cell_index *boundary_cell;   // of each unsorted boundary and ghost particle
    int *boundary_order;            // [i] index in `unsorted` of the sorted particle i
    fm_boundary_identity *identity; // of each sorted boundary and ghost particle
    int *wet; // boundary and ghost particles with fluid within the support; only they are computed
    int wet_count;
    fm_cell_table fixed_table; // of points that are fixed in the domain, used if boundary_moves
    int *fixed_order;          // indices of the points that are fixed in the domain, sorted by cell
    int *moving_points;        // indices of all other points
    int moving_point_count;
    bool boundary_sorted; // boundary particles (the fixed ones, if boundary_moves) are sorted
    fm_visible_side *visible_side;      // [boundary particle] if has_thin_walls
    fm_nearest_thin_wall *nearest_wall; // [fluid particle] if has_thin_walls
    fm_vec3 *start_position;       // m, of each fluid particle before its move, if there are meshes
    double mesh_travel;            // m, largest displacement of any mesh during the move
    fm_particle_scalar *clearance; // m, lower bound of each particle's distance from all meshes
    fm_vec3 *force;                // N, on each boundary particle
    fm_vec3 force_on_fluid; // N, of walls, colliders and coupled bodies, if there are loads and
                            // particle shifting (forces.c)
    double *mass_share;     // kg/m^2, of each fluid particle, see immersed_surfaces.c
    int *stopped_by;        // boundary particle that stopped each fluid particle, or -1
    fm_vec3 *stopped;       // m/s, change of velocity when it was stopped
    fm_sample_sums *sample_sums; // [boundary particle] of samples of immersed surfaces
    struct fm_surface_reference *surface_reference; // [fluid particle] beside immersed surfaces
    struct fm_sheet_sample *sheet; // [boundary particle] NULL: no sheet is in the pressure solve
    float *sheet_share;            // [fluid particle] c of sheet_pressure.c
    double sheet_interval;         // s, longest stable substep
    fm_vec3 *spread_impulse;       // [boundary particle] impulse that a sample of cloth passes on
                                   // to the fluid, N s, divided by fm_sample_sums.mass
    double *partial;               // partial sums and maxima of the blocks
    // [particle, before or after sorting] hit in this substep on a collider, if its force is used
    int *hit;               // index of that collider, -1: none
    fm_vec3 *hit_velocity;  // m/s, velocity that the particle lost
    fm_vec3 *hit_point;     // m
    fm_vec3 *lost_velocity; // m/s, per block: velocity that particles lost at walls and colliders
    fm_vec3 *out_x, *out_v; // arrays returned by fm_particles_positions and _velocities
    fm_particles_stats stats, at_reset; // at_reset: stats when the current advance began
    fm_vec3 *collider_impulse; // [collider] N s, on colliders without a mass in this advance
    double reset_time;         // s, when the current advance began
};

// One substep of a fluid.
struct fm_particles_step {
    fm_particles *p;
    const fm_surroundings *around; // colliders, gravity and threads of the world
    double h;                      // s, length of the substep
    double t;                      // s, time at which forces are evaluated
    fm_vec3 offset;                // m, displacement of the domain at the time t
    fm_vec3 domain_velocity;       // m/s, of a moving domain
    double clock;                  // ms, when the current stage began
    fm_vec3 excess; // m/s^2, acceleration that the particles inside have too much (forces.c)
    fm_vec3 domain_acceleration; // m/s^2, of a moving domain, in the pressure solve only
    bool closed;                 // the fluid has no free surface (pressure_solver.c)
    bool pressure_only;          // only pressure acts: no gravity, no viscosity (pressure_solver.c)
};

// particles.c
// Creates a fluid that is not yet part of a world.
fm_particles *fm_particles_create_detached(const fm_particles_def *def, fm_error *err);
void fm_particles_destroy(fm_particles *p);
// Allocates arrays, builds cells and boundary points and scales the kernels, at the first call.
bool fm_particles_prepare(fm_particles *p, const fm_surroundings *around, fm_error *err);
// Reallocates all arrays for `capacity` particles and keeps the first `count`.
bool fm_particle_state_grow(fm_particle_state *state, int count, int capacity, fm_error *err);
// Appends one particle at x, m, with the velocity v, m/s. Needs p->count < p->capacity.
void fm_particles_append(fm_particles *p, fm_vec3 x, fm_vec3 v);
// Fills a box with a lattice of particles, except inside colliders.
bool fm_particles_fill_box(fm_particles *p, const fm_fluid_box *box, const fm_surroundings *around,
                           fm_error *err);
static inline bool fm_particles_is_periodic(const fm_particles *p, int axis)
{
    return axis < p->def.dimensions && p->def.domain.sides[2 * axis] == FM_SIDE_PERIODIC;
}

// True when substeps have been or may be taken: densities are initialised.
static inline bool fm_particles_has_begun(const fm_particles *p)
{
    return p->begun;
}

// cells.c
bool fm_cell_rows_create(fm_particles *p, fm_error *err);
fm_cell_index fm_cell_rows_find_cell(const fm_cell_rows *rows, float x, float y, float z);
// capacity: particles that the table must be able to hold.
bool fm_cell_table_create(fm_cell_table *table, fm_particles *p, int capacity, fm_error *err);
// Stable counting sort by cell: fills `order` with particle indices, those without a cell last, and
// the table with the first particle of each cell. Returns how many particles have a cell.
int fm_cell_table_sort(const fm_cell_rows *rows, fm_cell_table *table, const fm_cell_index *index,
                       int count, int *order);
// Sets near[cell] = 1 for cells of table `of`, in its slots first + 1 to last, that may contain a
// particle within the support of a particle of table `in`; 0 for its other cells.
void fm_cell_table_mark_near(const fm_cell_rows *rows, const fm_cell_table *of,
                             const fm_cell_table *in, int first, int last, unsigned char *near);
// Lists the particles of table `of` that are in cells near particles of table `in`, in order: they
// may be within each other's support. Returns their number.
int fm_cell_table_list_near(fm_cell_rows *rows, const fm_cell_table *of, const fm_cell_table *in,
                            int *list);
// True when a particle of table `in` may be within the support of a particle in this cell.
bool fm_cell_table_is_near(const fm_cell_rows *rows, const fm_cell_table *in, fm_cell_index index);

// Converts a cell coordinate to an integer in [low, high]. NaN gives low, because comparisons with
// NaN are false.
static inline int fm_cell_rows_clamp(float c, int low, int high)
{
    return c > (float)low ? (c < (float)high ? (int)c : high) : low;
}

// The row of a position, along y and z. Never the first or the last row: those stay empty.
static inline void fm_cell_rows_find_row(const fm_cell_rows *rows, float y, float z, int *cy,
                                         int *cz)
{
    *cy = fm_cell_rows_clamp(y * rows->across, 1, rows->ny - 2);
    *cz = rows->nz == 1 ? 0 : fm_cell_rows_clamp(z * rows->across, 1, rows->nz - 2);
}

// Offset of a cell in the arrays of a table.
static inline size_t fm_cell_table_offset(const fm_cell_rows *rows, int slot, int column)
{
    return (size_t)slot * ((size_t)rows->nx + 1) + (size_t)column;
}

// neighbours.c
// Finds the runs of consecutive particles in set `in` that contain all neighbours of a point; x, y,
// z in m from the origin of the cell rows.
void fm_neighbours_find_runs(const fm_particles *p, const fm_particle_set *in, float x, float y,
                             float z, fm_neighbour_runs *runs);
// Finds the neighbours in the set `in` of particle i of the set `from`, ignoring thin walls, and
// writes them into list[FM_NEIGHBOURS_CAPACITY], padded with `fill` (-1: with the first neighbour).
// Returns the padded length; *padding is the number of padding entries.
int fm_neighbours_find_in_set(const fm_particles *p, const fm_particle_set *from, int i,
                              const fm_particle_set *in, int fill, int *list, int *padding);
// Neighbours of fluid particle i among fluid particles, and among boundary and ghost particles.
// Neighbours behind a thin wall are left out.
int fm_neighbours_find_fluid(const fm_particles *p, int i, int *list, int *padding);
int fm_neighbours_find_boundary(const fm_particles *p, int i, int *list, int *padding);
// Fluid neighbours of a boundary particle. Successive calls with ascending indices below `last`
// share candidates through `search`.
int fm_neighbours_find_next_of_boundary(const fm_particles *p, fm_neighbour_search *search,
                                        int boundary, int last, int *list, int *padding);
// Fluid neighbours of the boundary particle wet[k]: the stored list, or a new search into `buffer`.
const int *fm_neighbours_of_wet(const fm_particles *p, int k, int *buffer, int *count,
                                int *padding);
// Builds the lists of the fluid neighbours of all wet boundary particles.
void fm_particles_list_wet_neighbours(fm_particles *p, fm_pool *pool);
// Sorts the fluid particles by cell and removes those in sinks. The returned order is valid until
// the next call.
fm_particle_order fm_particles_sort(fm_particles *p, fm_pool *pool);
// Builds the neighbour lists of all fluid particles.
void fm_particles_list_neighbours(fm_particles *p, fm_pool *pool);
// Copies positions and velocities to the records of all fluid particles, without sorting.
void fm_particles_update_records(fm_particles *p, fm_pool *pool);

// Fluid neighbours of fluid particle i: the stored list, or a new search into `buffer`.
static inline const int *fm_neighbours_in_fluid(const fm_particles *p, int i, int *buffer,
                                                int *count, int *padding)
{
    if (p->list_start[i] >= 0) {
        *count = p->list_count[i];
        *padding = p->list_padding[i];
        return p->lists + (size_t)(i / FM_PARTICLES_BLOCK) * (size_t)p->list_capacity +
               p->list_start[i];
    }
    *count = fm_neighbours_find_fluid(p, i, buffer, padding);
    return buffer;
}

// True when the fluid has artificial viscosity that acts on deviations from linear velocities and
// so needs strain rates: the weakly compressible method without a network of springs, and constant
// density. Otherwise it acts on velocities.
static inline bool fm_particles_needs_strain(const fm_particles *p)
{
    return p->def.artificial_viscosity > 0 && p->def.network.viscosity == 0 &&
           (p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE ||
            p->def.method == FM_SPH_CONSTANT_DENSITY);
}

// True when gradients at the particles are needed: for artificial viscosity, or for the pressure of
// constant density and of the weakly compressible method with particle shifting.
static inline bool fm_particles_needs_gradients(const fm_particles *p)
{
    return fm_particles_needs_strain(p) || p->def.method == FM_SPH_CONSTANT_DENSITY ||
           (p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE && p->def.shifting > 0);
}

// Boundary and ghost neighbours of fluid particle i, padded with the first of them.
static inline const int *fm_neighbours_in_boundary(const fm_particles *p, int i, int *buffer,
                                                   int *count, int *padding)
{
    if (p->near_boundary_start[i] >= 0) {
        *count = p->near_boundary_count[i];
        *padding = p->near_boundary_padding[i];
        return p->lists + (size_t)(i / FM_PARTICLES_BLOCK) * (size_t)p->list_capacity +
               p->near_boundary_start[i];
    }
    *count = fm_neighbours_find_boundary(p, i, buffer, padding);
    return buffer;
}

// Volume of fluid under the pressure P divided by its volume at rest: 1/(1 + s), s = P / c^2. The
// weakly compressible method uses 1 - s (first order), limited to s <= 1/3: without the limit,
// denser fluid would resist less, and from s = 1 on it would pull.
static inline float fm_particles_volume_ratio(const fm_particles *p, float P)
{
    const float least = 2 / 3.0f, s = P / (float)(p->c * p->c);
    if (p->def.method == FM_SPH_CONSTANT_DENSITY)
        return 1;
    if (p->def.method == FM_SPH_STANDARD)
        return 1 / (1 + s);
    return 1 - s > least ? 1 - s : least;
}

// wall_boundary.c: boundary points of walls and colliders, and containment of particles.
bool fm_boundary_points_create(fm_particles *p, const fm_surroundings *around, fm_error *err);
// mesh: additional data of a point on a mesh collider, or NULL.
bool fm_boundary_point_list_add(fm_boundary_point_list *list, const fm_particles *p,
                                fm_boundary_point point, const fm_mesh_point *mesh, fm_error *err);
// True when a fixed collider needs a boundary point at x: fluid can come within the support, and x
// is not behind a wall, which has boundary points of its own.
bool fm_walls_allow_point(const fm_particles *p, fm_vec3 x);
// Least number of particles that fill the domain; INT_MAX: the domain has an open side, or is much
// larger than the fluid.
int fm_walls_find_full_count(const fm_particles *p, const fm_surroundings *around);
// Moves x inside the walls. Returns true when x was outside.
bool fm_walls_clamp_position(const fm_particles_step *step, fm_vec3 *x);
// Keeps particles inside walls and outside colliders, and wraps those that leave periodic sides.
void fm_walls_contain_particles(const fm_particles_step *step, int first, int last);
// Gives the momentum that particles lost in fm_walls_contain_particles to colliders with a mass,
// and adds it to the load.
void fm_walls_add_impact_load(const fm_particles_step *step);
// The walls as plane colliders, which cloth and balls collide with. Returns their number.
int fm_particles_find_wall_planes(const fm_particles *p, double t, fm_placed_collider planes[6]);
// Displacement of the moving domain at time t, m, and its velocity, m/s.
fm_vec3 fm_particles_domain_offset(const fm_particles *p, double t, fm_vec3 *velocity);

// mesh_boundary.c: boundary points of mesh colliders, and visibility across thin walls.
// Fails if a mesh collider is not suitable as a 2D obstacle.
bool fm_mesh_boundary_check(const fm_particles *p, const fm_surroundings *around, fm_error *err);
// Adds the boundary points of a mesh collider. owner: index of the collider in the world.
void fm_mesh_boundary_add_points(fm_particles *p, const fm_collider *collider, int owner,
                                 fm_boundary_point_list *points, fm_error *err);
// Position of a boundary point of a mesh, velocity of that mesh at x, and the side from which the
// boundary point is visible. All need point->of_mesh.
fm_vec3 fm_mesh_boundary_find_position(const fm_particles_step *step,
                                       const fm_boundary_point *point);
fm_vec3 fm_mesh_boundary_find_velocity(const fm_particles_step *step,
                                       const fm_boundary_point *point, fm_vec3 x);
fm_visible_side fm_mesh_boundary_find_visible_side(const fm_particles_step *step,
                                                   const fm_boundary_point *point);
// Sets nearest_wall of all particles. Call after sorting, before neighbours are listed.
void fm_mesh_boundary_find_nearest_walls(const fm_particles_step *step);
// Remove entries of a neighbour list and return the remaining number. The first removes fluid
// particles separated from fluid particle i by a thin wall, the second boundary particles that
// fluid particle i does not see, the third fluid particles that do not see a boundary particle.
int fm_mesh_boundary_drop_separated_fluid(const fm_particles *p, int i, int *list, int count);
int fm_mesh_boundary_drop_hidden_boundary(const fm_particles *p, int i, int *list, int count);
int fm_mesh_boundary_drop_hidden_fluid(const fm_particles *p, int boundary, int *list, int count);

// mesh_collision.c: particles do not cross mesh colliders.
bool fm_mesh_collision_create(fm_particles *p, const fm_surroundings *around, fm_error *err);
// Stores how each mesh moves from time `since` to its current pose.
void fm_mesh_collision_begin_move(const fm_particles_step *step, double since);
// Moves particle i out of all colliders and back to its own side of meshes. Returns true when its
// position or velocity changed.
bool fm_mesh_collision_resolve(const fm_particles_step *step, int i, fm_vec3 *x, fm_vec3 *v);

// boundary_particles.c: boundary and ghost particles in a substep.
// Places and sorts boundary and ghost particles.
bool fm_boundary_place(const fm_particles_step *step, fm_error *err);
// Moves the boundary particles that are placed already, without sorting. Not for ghost particles.
void fm_boundary_move_placed(const fm_particles_step *step);
// Copies density and velocity of fluid particles to their ghosts. Call before the density.
void fm_boundary_update_ghosts(const fm_particles_step *step);
// Extrapolates pressure and velocity from the fluid to boundary particles. Call after the density.
void fm_boundary_extrapolate(const fm_particles_step *step);
// Computes forces on boundary particles. Gives impulses to colliders with a mass, adds the load.
void fm_boundary_push_colliders(const fm_particles_step *step);
// As fm_boundary_push_colliders, but the forces come from `compute`: for a range [first, last) of
// p->wet (boundary particles near fluid) it writes the forces to p->force, N.
void fm_boundary_apply_reactions(const fm_particles_step *step, fm_range_body *compute);
// Gives boundary particles of colliders with a mass the velocity that they will have at the end of
// the substep, after the impulses received so far.
void fm_boundary_predict_velocities(const fm_particles_step *step);
static inline bool fm_boundary_is_ghost(const fm_particles *p, int i)
{
    return p->identity[i].owner.kind == FM_OWNER_PARTICLE;
}
// The collider that boundary particle i belongs to, or NULL.
static inline fm_collider *fm_boundary_collider(const fm_particles_step *step, int i)
{
    fm_boundary_owner owner = step->p->identity[i].owner;
    return owner.kind == FM_OWNER_COLLIDER ? step->around->colliders[owner.index] : NULL;
}
// The immersed surface that boundary particle i is a sample of, or NULL; *sample: its index there.
static inline fm_samples *fm_boundary_surface(const fm_particles *p, int i, int *sample)
{
    const fm_boundary_identity *identity = &p->identity[i];
    *sample = 0;
    if (identity->owner.kind != FM_OWNER_SURFACE)
        return NULL;
    *sample = identity->point - p->surface_start[identity->owner.index];
    return p->surfaces[identity->owner.index];
}
// Vector from boundary particle `boundary` to fluid particle i, m.
static inline fm_vec3 fm_boundary_find_offset(const fm_particles *p, int boundary, int i)
{
    const fm_density_record *a = &p->fluid.density[i], *b = &p->boundary.density[boundary];
    return (fm_vec3){(double)a->x - (double)b->x, (double)a->y - (double)b->y,
                     (double)a->z - (double)b->z};
}
// True for boundary particles of walls and of colliders without a mass, which fluid cannot move.
static inline bool fm_boundary_has_prescribed_motion(const fm_particles_step *step, int i)
{
    const fm_collider *collider = fm_boundary_collider(step, i);
    return collider ? !collider->rigid : step->p->identity[i].owner.kind == FM_OWNER_WALL;
}
// True when the force of the fluid on boundary particle i is used.
static inline bool fm_boundary_needs_force(const fm_particles_step *step, int i)
{
    return !fm_boundary_is_ghost(step->p, i) &&
           (step->p->def.loads || !fm_boundary_has_prescribed_motion(step, i));
}

// immersed_surfaces.c: thin surfaces in the fluid (cloth), represented by samples. The samples must
// outlive the fluid.
float fm_immersed_surfaces_find_volume(const fm_particles *p, const fm_samples *samples,
                                       int k); // m^3, of sample k now
bool fm_particles_attach_surface(fm_particles *p, fm_samples *samples, fm_error *err);
// Removes the particles that are inside the layer of the surface's samples.
bool fm_particles_remove_inside_surface(fm_particles *p, const fm_samples *samples, fm_error *err);
// True when fluid particle i is near a free edge of an immersed surface.
bool fm_immersed_surfaces_is_near_free_edge(const fm_particles *p, int i);
// The surface of boundary particle i if it is a sample, not passive, with fluid around it; else
// NULL. *sample: index of the sample.
fm_samples *fm_immersed_surfaces_find_active(const fm_particles *p, int i, int *sample);
// Computes kernel sums of the fluid at the samples and stores the results in the samples. Call
// after the density.
void fm_immersed_surfaces_measure_fluid(const fm_particles_step *step);
// Adds accelerations of fluid particles: impulses that the surfaces pass on to the fluid, and the
// pressure on the two sides of the surfaces. Call after the forces.
void fm_immersed_surfaces_push_fluid(const fm_particles_step *step);
// Adds impulses to samples: pressure on their two sides, forces of particles, weight of the fluid
// that they displace in excess. Call after fm_boundary_push_colliders.
void fm_immersed_surfaces_push_samples(const fm_particles_step *step);
// Moves particles that crossed a surface in this substep back to their side. Call last.
void fm_immersed_surfaces_stop_crossing(const fm_particles_step *step, int first, int last);
// Gives the momentum of the stopped particles to the surfaces.
void fm_immersed_surfaces_add_stopped_momentum(const fm_particles_step *step);

// density.c: s and P of the fluid particles, and their force records.
// One function for each method: weakly compressible, constant density, standard.
void fm_density_integrate_rate(const fm_particles_step *step);
void fm_density_compute_sum(const fm_particles_step *step);
void fm_density_compute_published_sum(const fm_particles_step *step);

// forces.c: accelerations of particles by gravity, pressure and viscosity.
void fm_forces_compute(const fm_particles_step *step);
// Also computes particle shifting and relaxes s towards the kernel sum.
void fm_forces_compute_shifted(const fm_particles_step *step);
void fm_forces_compute_published(const fm_particles_step *step);
// Forces of the fluid on the wet boundary particles from `first` to below `last`, N.
void fm_forces_compute_reactions(const fm_particles_step *step, int first, int last,
                                 fm_vec3 *force);

// pressure_solver.c
void fm_pressure_clear(const fm_particles_step *step); // so that fm_forces_compute has no pressure
void fm_pressure_solve(const fm_particles_step *step); // changes velocities so that density stays

// method_choice.c: replaces FM_SPH_AUTOMATIC in the definition. Needs the speed of sound.
void fm_particles_choose_method(fm_particles *p, const fm_surroundings *around);

// effective_viscosity.c
// Adds what the advance that ends now has lost in energy to fm_particles_effective_viscosity.
void fm_energy_loss_balance(fm_particles *p, const fm_surroundings *around);

// sources_sinks.c
void fm_sources_emit_particles(fm_particles *p, double t);
void fm_sinks_mark_particles(fm_particles *p); // sorting removes the marked particles
// Sum of the accelerations of the body-force regions that contain the point x at time t, m/s^2.
fm_vec3 fm_pushes_find_acceleration(const fm_particles *p, fm_vec3 x, double t);

// object.c
extern const fm_object_type fm_particles_type;
// Lists the settings of a fluid that this way of coupling does not allow. Returns their number, at
// most FM_COUPLING_FAULTS_MAX.
int fm_particles_find_coupling_faults(const fm_particles_def *def, fm_coupling_way way,
                                      fm_coupling_fault *faults);

// fields.c: the fields that can be read at each particle.
enum { FM_PARTICLES_FIELD_COUNT = 8 };
extern const fm_field fm_particles_field_list[FM_PARTICLES_FIELD_COUNT];

// sph_methods.c: the substep of each method.
typedef struct fm_sph_scheme {
    bool (*take_substep)(fm_particles_step *step, fm_error *err);
    double (*find_longest_step)(const fm_particles *p); // s
} fm_sph_scheme;
const fm_sph_scheme *fm_sph_find_scheme(const fm_particles *p); // that of p->def.method

// relaxation.c: one substep of the relaxation method.
bool fm_relaxation_take_substep(fm_particles_step *step, fm_error *err);

// step.c: parts of a substep that the methods share. first, last: a range of fluid particles.
// Adds the time since the last call to the statistics of a stage.
void fm_step_record_time(fm_particles_step *step, fm_particles_stage stage);
// Places the domain and the colliders at time t; since: when the particles begin this move.
void fm_step_set_time(fm_particles_step *step, double since, double t);
void fm_step_emit_particles(fm_particles_step *step); // from sources
// Calls `body` for ranges of all particles, in parallel, and records it as the stage `move`.
void fm_step_move(fm_particles_step *step, fm_range_body *body);
void fm_step_drift(const fm_particles_step *step, int first, int last, double h); // x += h v
// Stores start positions for mesh collision, for moves that begin without a drift.
void fm_step_record_positions(const fm_particles_step *step, int first, int last);
// Removes particles in sinks and sorts the others; terms (extensions, terms.h) reorder their
// arrays.
void fm_step_remove_and_sort(fm_particles_step *step);
// Places boundary and ghost particles and builds the neighbour lists.
bool fm_step_find_neighbours(fm_particles_step *step, fm_error *err);
// Sorts and lists neighbours, or keeps the lists of the last substep while particles have hardly
// moved (fm_particles_def.list_time) and only updates positions and velocities.
bool fm_step_list_pairs(fm_particles_step *step, fm_error *err);
void fm_step_kick(fm_particles_step *step);          // v += h a, with the body-force regions
void fm_step_measure_speed(fm_particles_step *step); // sets p->max_speed from the velocities now
// The smallest of all bounds on the substep, s. courant: the bound of the method, s.
double fm_step_find_bound(const fm_particles *p, double courant);

// Initialises densities and terms (extensions of the fluid, terms.h). Call after
// fm_particles_prepare, before substeps.
void fm_particles_begin(fm_particles *p, const fm_surroundings *around);
// Upper bound on the next substep, s. Call after fm_particles_begin.
double fm_particles_stable_step(const fm_particles *p);
// Takes as many substeps as `duration`, s, needs; *substeps: how many.
bool fm_particles_advance(fm_particles *p, const fm_surroundings *around, double duration,
                          int *substeps, fm_error *err);
// Totals over the particles of a fluid.
typedef struct fm_particles_measure {
    double kinetic_energy, potential_energy; // J
    fm_vec3 momentum;                        // kg m/s
    int outside_count;                       // particles outside the domain
    int first_bad;                           // id of a particle with NaN or infinity, -1: none
} fm_particles_measure;
fm_particles_measure fm_particles_measure_state(const fm_particles *p,
                                                const fm_surroundings *around);

// snapshot.c
// Writes the state as bytes and returns the size needed; writes nothing if `size` is too small.
size_t fm_particles_save(const fm_particles *p, void *buffer, size_t size);
bool fm_particles_restore(fm_particles *p, const void *buffer, size_t size, fm_error *err);
uint64_t fm_particles_hash(const fm_particles *p, uint64_t seed);

#endif
