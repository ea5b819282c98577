// SPDX-License-Identifier: MIT
// particles.h: the inside of a particle fluid.
//
// Particles are kept in the order of the cells they are in, sorted anew in every substep, so that
// the neighbours of one are a few runs of consecutive particles ("rows", neighbours.c). Everything
// that is not fluid but acts on it (points of walls and colliders, copies of particles across
// periodic sides) is a second set, the others, in the order of the same cells.
//
// State is in double for positions and float for the rest; loops over pairs see float positions
// relative to the corner of the cells. Lengths m, times s, pressures over the rest density.
#ifndef FATHOM_PARTICLES_PARTICLES_H
#define FATHOM_PARTICLES_PARTICLES_H

#include "collide/collide.h"
#include "core/core.h"
#include "core/kernels.h"
#include "core/samples.h"
#include "core/simd.h"
#include "memory/memory.h"
#include "motion/motion.h"

#include <fathom/particles.h>
#include <stdatomic.h>

enum {
    FM_ROWS_AROUND = 9,       // rows of cells around a particle, its own the last; 2D: 6 are empty
    FM_PARTICLES_BLOCK = 256, // particles that one task does
    FM_CELLS_PER_SUPPORT = 4, // cells along x are that much shorter than across
    FM_FLOWS_MAX = 256,       // sources, sinks, pushes, each
    FM_SURFACES_MAX = 64,
    FM_SURFACE_OWNER = -100, // and below: the surface that a boundary point is a sample of
};

// Cells: rows along x, support x support across, numbered along a curve so that neighbouring rows
// are near each other in memory.
typedef struct fm_rows {
    double origin[3];    // m, low corner; moves with the domain
    float across, along; // 1/m, cells per metre
    float size;          // m, across
    int nx, ny, nz;      // cells along x, rows along y, along z
    int count;           // of rows
    int *number;         // [ny * nz] of the row at (y, z)
    fm_ints *around;     // [count] numbers of the rows around each
    // scratch
    uint64_t *met;          // a bit for each row
    int *met_rows;          // [count]
    unsigned char *columns; // [nx]
} fm_rows;

typedef struct fm_cell_place {
    int row, column; // number of the row, below 0 for what is to be left out; cell in it
} fm_cell_place;

// Where in a sorted set those of each cell begin: cells.c. Rows without any have no cells, nor have
// columns below `low` and from `high` on.
typedef struct fm_cell_table {
    int *slot;            // [rows.count] of each row, 0 when it is empty
    int *row;             // [slot_count + 1] of each slot, ascending
    uint64_t *filled;     // scratch, a bit for each row
    int slot_count;       // from 1 on: slot 0 is a row of nobody
    int low, high;        // columns
    size_t cell_count;    // there is room for
    int *start;           // [slot][nx + 1]; that of `high` is the end of the row
    unsigned char *along; // [slot][nx + 1] 1: somebody is within the support along x
} fm_cell_table;

// What loops over pairs read of a set of particles, in the order of cells. Rows of eight numbers,
// one particle each, are what they gather; x, y, z alone are for finding neighbours.
typedef struct fm_swarm {
    int count, room;
    float *x, *y, *z; // m from the origin of the rows
    float *density;   // [8 * room] x y z s, ux uy uz V: what density.c reads
    float
        *force; // [8 * room] x y z P, vx vy vz V: what forces.c reads, V under the pressure P; the
                // fluid's is the same array
    fm_cell_table table;
} fm_swarm;

// A flat surface has a fill of 0.6 to 0.8, the inside 0.96 or more.
static const float FM_SURFACE_FILL = 0.87f;

static const float FM_WALL = -2; // s of points of walls and colliders, which have none

enum { FM_X, FM_Y, FM_Z, FM_S, FM_P = FM_S, FM_VX, FM_VY, FM_VZ, FM_V, FM_ROW }; // of such a row

// The state of particles.
typedef struct fm_parcels {
    double *x, *y, *z;   // m
    float *vx, *vy, *vz; // m/s
    float *s;            // rho / rho0 - 1
    int *id;             // in the order they were made
} fm_parcels;

// A point of a wall or of a collider.
typedef struct fm_boundary_point {
    fm_vec3 x;    // m, where its motion finds it
    float volume; // m^3
    int owner;    // collider, or -1 - side, or FM_SURFACE_OWNER - surface
    int mesh;     // 1 + its place among the points of meshes; 0 for none
} fm_boundary_point;

// What a point of a mesh has besides: meshes.c. In the frame of the mesh, or of its anchor when
// that is animated.
typedef struct fm_mesh_point {
    fm_vec3 x;               // m
    fm_vec3 surface, normal; // m, unit vector: who sees it; the normal is 0 for everybody
    fm_anchor anchor;
} fm_mesh_point;

// One of the others is seen from where n . x > at, x from the origin of the rows.
typedef struct fm_sight {
    float n[3], at;
} fm_sight;

static const fm_sight FM_SEEN_BY_ALL = {.at = -1};

// The thin wall that a particle is beside.
typedef struct fm_facing {
    int passage; // of the mesh, -1 for none
    fm_sight sight;
} fm_facing;

// Where a mesh was when particles began to move, and is now: passages.c.
typedef struct fm_passage {
    int collider;
    const fm_trimesh *mesh;
    fm_pose from, to;
    fm_vec3 *before; // m, vertices in its frame; NULL when it is not animated
    double moved;    // m, how far those have come at most
} fm_passage;

// Points while they are made.
typedef struct fm_point_list {
    fm_boundary_point *points;
    fm_mesh_point *meshes;
    int count, room, mesh_count, mesh_room;
} fm_point_list;

// Pressures over rest density that the two sides of a sample see, below and above: surfaces.c.
typedef struct fm_sides {
    double P[2]; // m^2/s^2
} fm_sides;

// Where the neighbours of a point may be in a set: a run for each row around it.
typedef struct fm_runs {
    int first[FM_ROWS_AROUND + 7], last[FM_ROWS_AROUND + 7];
} fm_runs;

// Neighbours of a particle: those within the support, itself included, then itself again until
// their number is a multiple of eight. Longer lists are cut: by then the fluid has long diverged.
enum { FM_NEIGHBOURS_MAX = 4096, FM_NEIGHBOURS_ROOM = FM_NEIGHBOURS_MAX + 16 };

// Candidates for neighbours, eight at a time: where they begin, and which of them count. Those up
// to `end` in their set share them: they follow each other in a row.
enum { FM_OCTETS_MAX = 2048 }; // more are left out
typedef struct fm_search {
    int end, count;
    int first[FM_OCTETS_MAX], bits[FM_OCTETS_MAX];
} fm_search;

static inline void fm_search_begin(fm_search *search)
{
    search->end = search->count = 0;
}

// Eight neighbours, transposed.
typedef struct fm_octet {
    fm_floats x, y, z, s, vx, vy, vz, V; // s or P
} fm_octet;

FM_INLINE fm_octet fm_load_octet(const float *rows, const int *list)
{
    const float *row[8];
    fm_floats a[4], b[4];
    for (int i = 0; i < 8; i++)
        row[i] = rows + (size_t)FM_ROW * (size_t)list[i];
    fm_floats_columns(row, 0, a);
    fm_floats_columns(row, 4, b);
    return (fm_octet){a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
}

// The first three of eight rows of four numbers.
enum { FM_QUAD = 4 };

FM_INLINE void fm_load_quads(const float *rows, const int *list, fm_floats axes[3])
{
    const float *row[8];
    fm_floats columns[4];
    for (int i = 0; i < 8; i++)
        row[i] = rows + (size_t)FM_QUAD * (size_t)list[i];
    fm_floats_columns(row, 0, columns);
    memcpy(axes, columns, 3 * sizeof *axes);
}

typedef struct fm_source_state {
    fm_fluid_source def;
    int64_t layer; // to be sent next
} fm_source_state;

// The last steps of every lane, as they were, and how long each was: window.c.
typedef struct fm_ring {
    int rows, newest; // of rates; newest: -1 before the first
    int64_t pushes;
    float *rates;   // [rows][lanes], m/s
    double *steps;  // [rows] s, from the push before to this one
    double *weight; // [rows] s^(1-q), scratch
} fm_ring;

// What particles remember of their motion: memory.c. Lanes stay where they are in memory and
// particles know theirs, so that sorting moves a number each and nothing else.
typedef struct fm_past {
    int axes, solids,
        lanes;         // axes; lanes of walls and colliders; lanes of an axis, with particles'
    bool alone;        // forces read no velocities but these: rows hold them
    double shortest;   // s: pushes wait until so much has passed
    fm_memory *memory; // FULL, FADING; lane l of axis k is k * lanes + l
    fm_ring ring;      // STEPS

    // state
    int *lane; // [capacity] of each particle; behind the last one, those that are free
    int used;  // of lanes of particles, so many have ever been
    double waited, seen, step; // s: since the last push; from the first to it; its step
    double scale;              // s^(q-1), makes a velocity of a value
    int begun;                 // 1 after the first push
    double *flow;              // [axes * lanes] values of the last push

    // scratch
    int *lane_spare;
    float *rows, *other_rows; // [FM_QUAD each] what viscosity sees of particles and others
} fm_past;

struct fm_particles {
    fm_world *world;
    char name[48];
    fm_particles_def def;
    fm_arena arena;
    double R;        // m, support
    double volume;   // m^3, of a particle at rest
    float self_fill; // of a particle alone
    fm_source_state sources[FM_FLOWS_MAX];
    fm_fluid_sink sinks[FM_FLOWS_MAX];
    fm_fluid_push pushes[FM_FLOWS_MAX];
    int source_count, sink_count, push_count;

    // made when it starts
    bool prepared;
    int prepared_colliders;
    double c; // m/s, of sound
    float W;  // kernel: W(q) = W w(q), scaled so that the lattice at rest has density rho0
    float F;  // its gradient: F w'(q)/q times the vector
    float spiky, laplacian; // the published kernels, as they are
    fm_rows rows;
    fm_boundary_point *points;
    int point_count;
    fm_mesh_point *mesh_points;
    fm_passage *passages; // of the colliders that are meshes
    int passage_count;
    bool thin;        // some points are not seen by all
    bool others_move; // or copies are needed: sort them in every substep
    fm_samples *surfaces[FM_SURFACES_MAX];
    int surface_start[FM_SURFACES_MAX]; // of the samples in points
    int surface_count;

    // state
    int count, next_id;
    double time;
    fm_parcels now;
    double max_speed, max_acceleration; // of the last substep
    double removed, refused;
    fm_past *past; // NULL for a viscosity that does not remember

    // scratch
    int capacity, others_room;
    fm_parcels spare; // where sorting puts them
    fm_swarm fluid, others;
    fm_cell_place *place;      // of each particle before it is sorted
    int *order;                // who is now where
    int *in_cell;              // of each particle
    fm_ints *packing;          // [256] where the set bits of a byte are, in order
    int *lists;                // neighbours, FM_PARTICLES_BLOCK particles after each other
    int *list_start;           // of each particle; -1: no room, to be found again in every pass
    int *list_count;           // a multiple of eight
    unsigned char *list_extra; // of it, the particle itself again
    int *other_start, *other_count; // the same for neighbours among the others
    unsigned char *other_extra;
    int list_room;                // of one block
    unsigned char *near;          // [cell of the fluid's table] others are within the support
    unsigned char *gone;          // 1: a sink took it
    float *fill;                  // sum of V W
    atomic_uchar *beside_surface; // 1: it or a neighbour is at a surface
    float *ax, *ay, *az;          // m/s^2
    float *dx, *dy, *dz;          // m, shift
    float *s_next, *P;            // rho / rho0 - 1 after the substep; pressure / rho0
    float *alpha, *kappa;         // pressure.c
    float *pressed;               // 1/s: sum of kappa over the iterations
    fm_boundary_point *unsorted;  // points and copies where they are now
    int *unsorted_from;           // point, or -1 - particle whose copy it is
    fm_cell_place *other_place;
    int *other_order, *other_from;
    int *wet; // those of the others that fluid is near, in their order: the rest is left alone
    int wet_count;
    fm_cell_table home; // of the points that stay where they are in the domain, when others move
    int *home_order, *roaming; // those points, and the rest
    int roaming_count;
    bool others_sorted;     // or the home
    fm_sight *sights;       // of the others, where some are not seen by all
    fm_facing *facing;      // of each particle, likewise
    fm_vec3 *before;        // m, where each began to move, when there are meshes
    double passage_way;     // m, how far meshes come at most while they do
    float *clearance;       // m, a particle is that far from meshes or further
    float *clearance_spare; // where sorting puts them
    fm_vec3 *force;         // N, on each of the others
    double *share;          // kg/m^2 of each particle, see surfaces.c
    int *stopped_by;        // of each particle: one of the others, or -1
    fm_vec3 *stopped;       // m/s, what it lost there
    fm_sides *sides;        // of the samples among the others
    fm_vec3 *spread;        // N s over the sum of kernels, what it gives to those around
    double *partial;        // for sums
    fm_vec3 *kept;          // m/s, what particles of each block lost at walls and colliders
    fm_vec3 *out_x, *out_v; // what readers are given
    fm_particles_stats stats;
};

// One substep, for those who take part in it.
typedef struct fm_particles_step {
    fm_particles *p;
    const fm_surroundings *around;
    double h;       // s
    double t;       // s, time at which forces are taken
    fm_vec3 offset; // m, of the domain
    fm_vec3 carry;  // m/s, of the domain
    bool presses;   // pressure alone, that of who looks at a point: pressure.c
} fm_particles_step;

// particles.c
fm_particles *fm_particles_new(const fm_particles_def *def, fm_error *err);
void fm_particles_free(fm_particles *p);
// Room for everything, cells, kernels; when there is nothing to be done, true.
bool fm_particles_prepare(fm_particles *p, const fm_surroundings *around, fm_error *err);
bool fm_parcels_grow(fm_parcels *parcels, int count, int room, fm_error *err);
void fm_parcels_append(fm_particles *p, fm_vec3 x, fm_vec3 v); // there must be room
bool fm_particles_fill_box(fm_particles *p, const fm_fluid_box *box, const fm_surroundings *around,
                           fm_error *err);
static inline bool fm_particles_is_periodic(const fm_particles *p, int axis)
{
    return axis < p->def.dimensions && p->def.domain.sides[2 * axis] == FM_SIDE_PERIODIC;
}

// A substep was taken. Before that the state holds P in the place of s.
static inline bool fm_particles_has_begun(const fm_particles *p)
{
    return p->max_acceleration > 0;
}

// cells.c
bool fm_rows_make(fm_particles *p, fm_error *err);
fm_cell_place fm_rows_place(const fm_rows *rows, float x, float y, float z);
bool fm_table_make(fm_cell_table *table, fm_particles *p, int room, fm_error *err);
// Sorts: order has those in the first cell, in the order they had, then those in the next; last
// those that are left out. Gives how many are not.
int fm_table_sort(const fm_rows *rows, fm_cell_table *table, const fm_cell_place *place, int count,
                  int *order);
// Of the slots from first + 1 to last of a table, the cells that members of another may be within
// the support of.
void fm_table_mark(const fm_rows *rows, const fm_cell_table *of, const fm_cell_table *in, int first,
                   int last, unsigned char *near);
// Members of a table in such cells, in their order. Gives how many.
int fm_table_list_near(fm_rows *rows, const fm_cell_table *of, const fm_cell_table *in, int *list);
bool fm_table_is_near(const fm_rows *rows, const fm_cell_table *in, fm_cell_place place);

static inline int fm_clamp_cell(float c, int low, int high)
{
    // also for NaN, which is no less than anything
    return c > (float)low ? (c < (float)high ? (int)c : high) : low;
}

// The row of a position, along y and z; never the first or the last, which stay empty.
static inline void fm_rows_find(const fm_rows *rows, float y, float z, int *cy, int *cz)
{
    *cy = fm_clamp_cell(y * rows->across, 1, rows->ny - 2);
    *cz = rows->nz == 1 ? 0 : fm_clamp_cell(z * rows->across, 1, rows->nz - 2);
}

static inline size_t fm_table_cell(const fm_rows *rows, int slot, int column)
{
    return (size_t)slot * ((size_t)rows->nx + 1) + (size_t)column;
}

// neighbours.c
void fm_find_runs(const fm_particles *p, const fm_swarm *in, float x, float y, float z,
                  fm_runs *runs);
// Neighbours in the set `in` of the one at place i of the set `from`, into
// list[FM_NEIGHBOURS_ROOM]; gives their number. fill: what the list is made a multiple of eight
// with, -1 for the first found.
int fm_find_list(const fm_particles *p, const fm_swarm *from, int i, const fm_swarm *in, int fill,
                 int *list, int *extra);
// Those that particle i sees in the fluid and among the others; those of the fluid that one of the
// others sees, for one after the other up to `last`.
int fm_find_fluid(const fm_particles *p, int i, int *list, int *extra);
int fm_find_others(const fm_particles *p, int i, int *list, int *extra);
int fm_find_next_seen(const fm_particles *p, fm_search *search, int other, int last, int *list,
                      int *extra);
void fm_particles_sort(fm_particles *p, fm_pool *pool);
void fm_particles_find_neighbours(fm_particles *p, fm_pool *pool);

// Neighbours of particle i in the fluid: those kept, or found again in `room`.
static inline const int *fm_list_of(const fm_particles *p, int i, int *room, int *count, int *extra)
{
    if (p->list_start[i] >= 0) {
        *count = p->list_count[i];
        *extra = p->list_extra[i];
        return p->lists + (size_t)(i / FM_PARTICLES_BLOCK) * (size_t)p->list_room +
               p->list_start[i];
    }
    *count = fm_find_fluid(p, i, room, extra);
    return room;
}

// The same among the others; the last one is repeated.
static inline const int *fm_others_of(const fm_particles *p, int i, int *room, int *count,
                                      int *extra)
{
    if (p->other_start[i] >= 0) {
        *count = p->other_count[i];
        *extra = p->other_extra[i];
        return p->lists + (size_t)(i / FM_PARTICLES_BLOCK) * (size_t)p->list_room +
               p->other_start[i];
    }
    *count = fm_find_others(p, i, room, extra);
    return room;
}

// The volume of fluid under a pressure P, over that at rest: 1/(1 + s), s = P / c^2; in the weakly
// compressible method to first order and as far as s = 1/3, where fluid that is crushed further
// would resist less, and from s = 1 on pull.
static inline float fm_volume_at(const fm_particles *p, float P)
{
    const float least = 2 / 3.0f, s = P / (float)(p->c * p->c);
    if (p->def.method == FM_SPH_CONSTANT_DENSITY)
        return 1;
    if (p->def.method == FM_SPH_STANDARD)
        return 1 / (1 + s);
    return 1 - s > least ? 1 - s : least;
}

// Without volume in the lanes that repeat.
FM_INLINE fm_octet fm_load_last_octet(const float *rows, const int *list, bool last, int extra)
{
    fm_octet octet = fm_load_octet(rows, list);
    if (last)
        octet.V = fm_floats_where(fm_lanes_below(8 - extra), octet.V);
    return octet;
}

// walls.c: the points that walls and colliders are made of.
bool fm_walls_make(fm_particles *p, const fm_surroundings *around, fm_error *err);
// mesh: NULL for none.
bool fm_point_list_add(fm_point_list *list, const fm_particles *p, fm_boundary_point point,
                       const fm_mesh_point *mesh, fm_error *err);
// A point of what does not move may be there: fluid comes near, and no wall has its own.
bool fm_walls_leave_room(const fm_particles *p, fm_vec3 x);
bool fm_walls_clamp(const fm_particles_step *step, fm_vec3 *x); // into the walls; true: it was not
// Keeps particles inside walls and outside colliders, wraps those that leave periodic sides.
void fm_walls_keep(const fm_particles_step *step, int first, int last);
void fm_walls_settle(fm_particles *p); // what that took from them goes to the load
// The walls as planes, for free colliders. Gives how many.
int fm_particles_walls(const fm_particles *p, double t, fm_placed_collider planes[6]);

// meshes.c: points of meshes, and who sees them.
bool fm_meshes_check(const fm_particles *p, const fm_surroundings *around, fm_error *err);
void fm_meshes_add(fm_particles *p, const fm_collider *collider, int owner, fm_point_list *points,
                   fm_error *err);
fm_vec3 fm_meshes_place(const fm_particles_step *step, const fm_boundary_point *point);
// Who sees it; adds how its triangle moves to the velocity.
fm_sight fm_meshes_look(const fm_particles_step *step, const fm_boundary_point *point,
                        fm_vec3 *velocity);
void fm_meshes_face(const fm_particles_step *step); // when sorted, before neighbours are found
// Leave those of a list out that are not seen: of the fluid by a particle, of the others by a
// particle, of the fluid by one of the others. Give how many are left.
int fm_meshes_cut(const fm_particles *p, int i, int *list, int count);
int fm_meshes_hide_others(const fm_particles *p, int i, int *list, int count);
int fm_meshes_hide_fluid(const fm_particles *p, int other, int *list, int count);

// passages.c: particles do not pass meshes.
bool fm_passages_make(fm_particles *p, const fm_surroundings *around, fm_error *err);
void fm_passages_begin(const fm_particles_step *step, double since); // colliders have been placed
void fm_passages_forget(fm_particles *p, int first); // how far they are from meshes, from first on
void fm_passages_follow(fm_particles *p);            // sorted
// Out of all colliders, and on its side of meshes. True when it was not.
bool fm_passages_keep(const fm_particles_step *step, int i, fm_vec3 *x, fm_vec3 *v);

// boundary.c: others: points where they are now, copies, and what they have of the fluid.
void fm_others_place(const fm_particles_step *step, fm_error *err);
void fm_others_copy(const fm_particles_step *step);        // before the density
void fm_others_extrapolate(const fm_particles_step *step); // after it
void fm_others_push_colliders(const fm_particles_step *step);
// Points of free colliders move as those will at the end of the step, by what they were given.
void fm_others_carry(const fm_particles_step *step);
// The collider that one of the others belongs to; below 0: none.
static inline int fm_others_owner(const fm_particles *p, int i)
{
    return p->other_from[i] < 0 ? -1 : p->points[p->other_from[i]].owner;
}
// The surface that one of the others is a sample of, below 0 for none, and which sample.
static inline int fm_others_surface(const fm_particles *p, int i, int *sample)
{
    int surface = FM_SURFACE_OWNER - fm_others_owner(p, i);
    *sample = surface >= 0 ? p->other_from[i] - p->surface_start[surface] : 0;
    return surface;
}
// A point of a wall, or of a collider without a mass: whatever pushes it.
static inline bool fm_others_is_solid(const fm_particles_step *step, int i)
{
    int owner = fm_others_owner(step->p, i);
    return owner >= 0 ? !(step->around->colliders[owner]->mass > 0)
                      : owner > FM_SURFACE_OWNER && step->p->other_from[i] >= 0;
}
// Takes part in what the fluid does to others.
static inline bool fm_others_feels(const fm_particles_step *step, int i)
{
    return step->p->other_from[i] >= 0 && (step->p->def.loads || !fm_others_is_solid(step, i));
}
fm_vec3 fm_domain_offset(const fm_particles *p, double t, fm_vec3 *velocity);

// surfaces.c: thin things that push the fluid, or only look at it. Samples must live as long.
float fm_surfaces_volume(const fm_particles *p, int surface, int point); // m^3, as it is now
bool fm_particles_attach(fm_particles *p, fm_samples *samples, fm_error *err);
// Leaves out the particles that would be in a surface.
bool fm_particles_make_room(fm_particles *p, const fm_samples *samples, fm_error *err);
bool fm_surfaces_has_rim(const fm_particles *p, int i);  // near particle i
void fm_surfaces_look(const fm_particles_step *step);    // after the density
void fm_surfaces_hand_on(const fm_particles_step *step); // after the forces
void fm_surfaces_push(const fm_particles_step *step);    // after the reactions
// Those that crossed a surface in the substep go back to their side, when all else is done; then
// what that took from them goes to the surface.
void fm_surfaces_stop(const fm_particles_step *step, int first, int last);
void fm_surfaces_settle(const fm_particles_step *step);

// memory.c: fractional viscosity.
bool fm_past_make(fm_particles *p, const fm_surroundings *around, fm_error *err);
void fm_past_free(fm_particles *p);
// Particles from `first` on are new: they have moved as they do from the beginning.
void fm_past_begin(fm_particles *p, int first);
void fm_past_follow(fm_particles *p, int before); // sorted, and `before` of them before
void fm_past_push(const fm_particles_step *step);
// What one of the others shows of its past; its neighbours in the fluid, for points.
void fm_past_show_other(const fm_particles_step *step, int i, const int *list, int count,
                        int extra);
void fm_past_put_into_rows(const fm_particles_step *step);           // in the place of velocities
double fm_past_stable_step(const fm_particles *p, double newtonian); // s
size_t fm_past_save(const fm_particles *p, unsigned char *out);      // NULL: only the size
bool fm_past_restore(fm_particles *p, const unsigned char *in, size_t size, fm_error *err);
uint64_t fm_past_hash(const fm_particles *p, uint64_t seed);

// window.c: ranges of lanes, on any threads, between begin and the next begin.
bool fm_ring_make(fm_ring *ring, fm_arena *arena, int steps, int lanes, const char *name,
                  fm_error *err);
void fm_ring_begin(fm_ring *ring, double order, double h);
void fm_ring_push(fm_ring *ring, int lanes, int first, int last, double *flow); // rates to values
void fm_ring_set_steady(fm_ring *ring, int lanes, int lane, double rate);

// density.c, forces.c, pressure.c
void fm_compute_density(const fm_particles_step *step);
void fm_compute_forces(const fm_particles_step *step);
void fm_compute_reactions(const fm_particles_step *step, int first, int last, fm_vec3 *force);
void fm_solve_pressure(const fm_particles_step *step);

// flows.c
void fm_flows_emit(fm_particles *p, double t);
void fm_flows_remove(fm_particles *p);
fm_vec3 fm_flows_push(const fm_particles *p, fm_vec3 x, double t); // m/s^2

// step.c
void fm_particles_begin(fm_particles *p, const fm_surroundings *around); // once, when prepared
double fm_particles_stable_step(const fm_particles *p);                  // when begun
bool fm_particles_advance(fm_particles *p, const fm_surroundings *around, double duration,
                          int *substeps, fm_error *err);
typedef struct fm_particles_measure {
    double kinetic_energy, potential_energy; // J
    int outside_count, first_bad;            // first_bad: -1 for none
} fm_particles_measure;
fm_particles_measure fm_particles_measure_now(const fm_particles *p, const fm_surroundings *around);

// snapshot.c
size_t fm_particles_save(const fm_particles *p, void *buffer, size_t size);
bool fm_particles_restore(fm_particles *p, const void *buffer, size_t size, fm_error *err);
uint64_t fm_particles_hash(const fm_particles *p, uint64_t seed);

#endif
