// SPDX-License-Identifier: MIT
// grid.h: the state of a grid fluid, and the parts of its substep.
//
// Cell (i, j, k) spans low + h (i, j, k) to low + h (i + 1, j + 1, k + 1). Component a of the
// velocity is stored at the centre of the cell's low face along axis a, the pressure at its centre
// [HW65]. All arrays have the same layout with ghost layers around the grid. An axis of one cell is
// inactive: nothing varies along it.
//
// [HW65] Harlow, Welch: Numerical calculation of time-dependent viscous incompressible flow of
//        fluid with free surface. Physics of Fluids 8, 1965.
#ifndef FATHOM_GRID_GRID_H
#define FATHOM_GRID_GRID_H

#include "collide/collide.h"
#include "core/core.h"
#include "grid/pressure.h"
#include "object/object.h"

#include <fathom/grid.h>

// A point between eight faces of one component.
typedef struct fm_face_point {
    ptrdiff_t q;     // index of the first of them
    double share[3]; // position between them, 0 to 1
} fm_face_point;

// A face that a collider cuts or closes. Sorted by component and index.
typedef struct fm_solid_face {
    ptrdiff_t q;             // index of the face
    int axis;                // component of the velocity there
    float open;              // open fraction of its area; below 1/2 the face is a ghost
    bool sealed;             // a ghost beside a solid cell: nothing flows through it
    double centroid[2];      // of its open part along the next two axes, from its centre, spacings
    double solid;            // m/s, velocity of the collider along the axis
    fm_face_point mirror[2]; // ghosts: points in the fluid, and weights of `solid` and of the
    double weight[3];        // velocities at these points
    int collider;            // number of the collider in its world
} fm_solid_face;

// A cell with a piece of a collider's surface in it.
typedef struct fm_cut_cell {
    ptrdiff_t q;
    fm_vec3 area;         // m^2, area vector of the surface, pointing into the collider
    fm_vec3 wall, normal; // nearest point of the surface, m; unit normal into the fluid
    fm_vec3 velocity;     // m/s, of the surface
    int collider;         // number of the collider in its world
} fm_cut_cell;

// The colliders in the grid, as lists of faces and cells, and the forces on them.
typedef struct fm_solids {
    fm_solid_face *faces;
    int face_count, face_room;
    fm_cut_cell *cells;
    int cell_count, cell_room;
    fm_vec3 *load; // [colliders] N s, impulse on each collider since the last reset
    int load_count;
    double max_speed; // m/s, of the colliders' surfaces
    bool moving;      // a collider moves: the lists are computed in every substep
    bool ready;       // the lists are valid as long as no collider moves
} fm_solids;

enum { FM_POCKETS_MAX = 1024 }; // parts of the fluid that are told apart

// Parts of the fluid between which colliders let nothing flow.
typedef struct fm_pockets {
    int *part; // [cells of the solver] number of the part of a cell; 0: a solid
    int *queue;
    int count;                     // parts; 0: not found yet, or no colliders
    int cells[FM_POCKETS_MAX + 1]; // cells of a closed part; 0: it leads to a given pressure
} fm_pockets;

// The dye in the fluid; arrays as those of the velocity, at the centres of cells.
typedef struct fm_dye {
    double *c;          // concentration, at the middle of the last substep
    double *old, *rate; // scratch
} fm_dye;

typedef struct fm_marks fm_marks;   // defined in tracer_particles.c
typedef struct fm_sheets fm_sheets; // defined in sheets.c
typedef struct fm_balls fm_balls;   // defined in balls.c

// Velocity, m/s, and angular velocity, rad/s, of a ball with a mass.
typedef struct fm_ball_motion {
    fm_vec3 velocity, spin;
} fm_ball_motion;

enum { FM_GRID_BODIES_MAX = 64, FM_SAMPLE_BLOCK = 256 }; // coupled bodies; samples of a task

struct fm_grid {
    fm_object object;
    fm_grid_def def;
    fm_arena arena;
    int n[3];             // cells
    bool active[3];       // more than one cell
    int axes;             // number of active axes
    int layers[3];        // ghost layers: 3, or 1 along inactive axes
    int size[3];          // elements along each axis, ghost layers included
    ptrdiff_t stride[3];  // of the arrays
    ptrdiff_t start;      // index of cell (0, 0, 0)
    size_t count;         // elements
    double h, nu;         // m, spacing; m^2/s, kinematic viscosity
    fm_vec3 start_low;    // m, low corner at the start; def.low is the present one
    fm_samples *followed; // of the body that the box follows; NULL: none
    fm_vec3 anchor;       // m, from the low corner to the centre of that body at the start

    // State.
    double *u[3];   // m/s
    double *p;      // Pa, at the middle of the last substep
    double time;    // s
    int shift[3];   // cells by which the box has moved from its place at the start
    fm_vec3 motion; // m/s, velocity of the body that it follows, along the axes that follow
    double lag;     // s, from the time of dye and marks to `time`: half of the last substep
    fm_dye dye;
    fm_marks *marks; // an object of the world; NULL: none
    bool started;    // false until the first substep: u has a divergence, p is not known
    fm_ball_motion *ball_motions; // [ball_count] of balls with a mass after the last substep
    int ball_count;               // colliders

    // Scratch.
    double *old[3], *rate[3];
    // [count] liquid: mass of the particles at a face, of rho h^3; NULL: all faces are full
    const double *filled[3];
    double *extra[3], *solve[6]; // implicit viscosity only
    double *distance;            // m, signed distance of cell corners to the colliders
    float *open[3];              // open fraction of faces, 0 to 1; walls of the domain: 0
    unsigned char *condition[FM_SIDE_COUNT]; // [faces of the side] 0: def.sides; i: patches[i - 1]
    bool has_patches[FM_SIDE_COUNT];
    fm_poisson *solver;
    fm_solids solids;
    fm_pockets pockets;
    fm_samples *samples[FM_GRID_BODIES_MAX]; // of the bodies in the fluid
    int samples_count;
    fm_sheets *sheets; // bodies that push the fluid; NULL: none
    fm_balls *balls;   // balls with a mass; NULL: none, or in a liquid
    bool has_surface;  // of a liquid, whose faces balls with a mass cut like other colliders
    const double
        *level;         // of a liquid: spacings from its surface, negative inside; NULL: no surface
    double *partial;    // [rows] sums
    fm_vec3 *points;    // m, cell centres, for readers
    fm_vec3 points_low; // m, low corner that they belong to
    fm_grid_stats stats, at_reset;
    double reset_time; // s
};

extern const fm_object_type fm_grid_type;

// grid.c
fm_grid *fm_grid_create_detached(const fm_grid_def *def, fm_error *err);
void fm_grid_destroy(fm_grid *grid);

static inline ptrdiff_t fm_grid_index(const fm_grid *g, int i, int j, int k)
{
    return g->start + i + j * g->stride[1] + k * g->stride[2];
}
// Whether the grid is one cell thick between slip sides: the velocity across them is zero.
static inline bool fm_grid_is_flat(const fm_grid *g)
{
    return !g->active[2] && g->def.sides[FM_SIDE_BACK].kind == FM_GRID_SLIP;
}
// Position, m, of the point (x, y, z), in spacings from the grid's low corner. Along inactive axes
// always the middle of the cell.
fm_vec3 fm_grid_position(const fm_grid *g, double x, double y, double z);
// Centre of the low face of cell (i, j, k) along axis a; a = 3: centre of the cell.
fm_vec3 fm_grid_centre(const fm_grid *g, int i, int j, int k, int a);

// A parallel loop over rows (j, k) of cells or faces. `faces` is the component whose faces are
// meant, whose last faces along its axis are then included; 3: cells. ns: estimated time of a cell.
typedef void fm_grid_row(fm_grid *g, void *context, ptrdiff_t q, int length);
void fm_grid_for_rows(fm_grid *g, fm_pool *pool, int faces, double ns, fm_grid_row *body,
                      void *context);
// The same over the faces of all components in one loop. Skips a component that is always zero.
typedef void fm_grid_face_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length);
void fm_grid_for_faces(fm_grid *g, fm_pool *pool, double ns, fm_grid_face_row *body, void *context);
// The same for rows of cells, with a number from each row: their sum, or the largest.
typedef double fm_grid_row_sum(fm_grid *g, void *context, ptrdiff_t q, int length);
double fm_grid_sum_rows(fm_grid *g, fm_pool *pool, double ns, fm_grid_row_sum *body, void *context);
double fm_grid_max_rows(fm_grid *g, fm_pool *pool, double ns, fm_grid_row_sum *body, void *context);

// boundary.c
typedef enum fm_grid_fill {
    FM_GRID_FILL_VELOCITY,
    FM_GRID_FILL_CHANGE, // no given velocities; values on open sides are those of the next faces
    FM_GRID_FILL_RATE,   // no given velocities; values on open sides stay
} fm_grid_fill;
bool fm_grid_check_sides(const fm_grid_def *def, fm_error *err);
void fm_grid_prepare_sides(fm_grid *g); // finds the faces of all patches
// The boundary condition on a side next to cell `at`: that of a patch, or of the side.
const fm_grid_side *fm_grid_find_condition(const fm_grid *g, int side, const int at[3]);
// Velocity that the condition gives at a point.
fm_vec3 fm_grid_boundary_velocity(const fm_grid *g, const fm_grid_side *c, int side, int patch,
                                  fm_vec3 at, double t);
// Writes the velocities on the sides and in the ghost layers, at time t.
void fm_grid_fill_velocity(fm_grid *g, double *u[3], double t, fm_pool *pool);
// The same as far as a substep needs it: on a flat grid, not in the planes beside the only one.
void fm_grid_fill_sides(fm_grid *g, double *u[3], double t, fm_pool *pool);
// The same for a change or a rate x of component a, which is zero where the velocity is given.
void fm_grid_fill_change(fm_grid *g, double *x, int a, fm_grid_fill mode, fm_pool *pool);
// Writes the pressure in the ghost layer, Pa.
void fm_grid_fill_pressure(fm_grid *g, fm_vec3 gravity, fm_pool *pool);
double fm_grid_side_speed(const fm_grid *g, double t); // m/s, largest sum of components on a side

// The closed sides as planes that balls collide with, at most 6. Returns their number.
int fm_grid_find_walls(const fm_grid *g, fm_placed_collider *planes);

// solids.c
// Places the colliders at time t, s, and computes open fractions, conductances and cut faces.
bool fm_grid_update_solids(fm_grid *g, const fm_surroundings *around, double t, fm_error *err);
// Writes the velocities on faces inside colliders (ghost values).
void fm_grid_fill_solids(fm_grid *g, double *u[3]);
// The same for a change or a rate x of component a, for colliders that do not move. mirrored: ghost
// values, a linear function of x outside the colliders; else zero.
void fm_grid_fill_solid_change(fm_grid *g, double *x, int a, bool mirrored);
double fm_grid_find_flux(const fm_grid *g, const fm_solid_face *face); // m/s, per area of the face
// Adds the impulses on the colliders in dt seconds to their loads. Returns their sum, N s.
fm_vec3 fm_grid_add_loads(fm_grid *g, double dt);
// N, force of the fluid on the surface of a collider in a cell.
fm_vec3 fm_grid_find_wall_force(const fm_grid *g, const fm_cut_cell *c);

// pockets.c
// Finds the parts of the fluid from the conductances of the pressure solver.
bool fm_grid_find_pockets(fm_grid *g, fm_error *err);
// Removes the mean of the right side of the pressure solver from every closed part.
void fm_grid_balance_pockets(fm_grid *g);

// advection.c: adds -div(u u_d) to the rate of component d, for a row of faces.
void fm_grid_advect_row(const fm_grid *g, double *const u[3], double *rate, int d, ptrdiff_t q,
                        int length);

// viscosity.c
// rate += scale h^2 L u, for a row of faces of component d.
void fm_grid_diffuse_row(const fm_grid *g, const double *u, double *rate, double scale, int d,
                         ptrdiff_t q, int length);
// Sets u = old + x, where (1 - dt nu / 2 Laplacian) x = dt (rate + share extra).
void fm_grid_solve_viscosity(fm_grid *g, double dt, double share, fm_pool *pool);

// balls.c
// Whether a collider is a ball with a mass that the fluid flows around by balls.c.
bool fm_grid_has_ball(const fm_grid *g, const fm_collider *collider);
// Makes space for the motions of `count` colliders, and for all balls. False if memory runs out.
bool fm_grid_reserve_ball_motions(fm_grid *g, int count, fm_error *err);
bool fm_grid_reserve_balls(fm_grid *g, const fm_surroundings *around, fm_error *err);
// Before the projection of the start: gives the fluid in balls their velocity.
void fm_grid_start_balls(fm_grid *g, const fm_surroundings *around);
// The parts of a substep of dt s, in this order. elapsed: s, since the start of the interval.
void fm_grid_place_balls(fm_grid *g, const fm_surroundings *around, double elapsed, double dt);
// Exchanges momentum before the projection; the pressure solver must then be updated.
void fm_grid_exchange_with_balls(fm_grid *g, const fm_surroundings *around, double dt);
void fm_grid_add_ball_fluxes(fm_grid *g); // to the right side of the pressure solver
// After the projection. moved: balls get their impulses.
void fm_grid_finish_balls(fm_grid *g, const fm_surroundings *around, bool moved);
double fm_grid_ball_speed(const fm_grid *g, const fm_surroundings *around); // m/s
// Momentum, N s, and kinetic energy, J, of the fluid that is computed inside balls.
fm_vec3 fm_grid_measure_balls(fm_grid *g, const fm_surroundings *around, double *energy);

// moving_domain.c
// Lets the box of the grid follow the body of these samples from now on.
bool fm_grid_follow(fm_grid *g, fm_samples *samples, fm_error *err);
// Moves the box after its body, before a coupling interval. force: m/s^2, gravity and the like.
void fm_grid_move_domain(fm_grid *g, const fm_surroundings *around, fm_vec3 force);
// Places the box `shift` cells from its place at the start; values are not moved.
void fm_grid_set_shift(fm_grid *g, const int shift[3]);

// step.c
// Places the colliders at time t, s, and finds the parts into which they divide the fluid.
bool fm_grid_place_solids(fm_grid *g, const fm_surroundings *around, double t, fm_error *err);
// Places the colliders at the current time, and removes the divergence of a velocity that was set.
bool fm_grid_prepare(fm_grid *g, const fm_surroundings *around, fm_error *err);
double fm_grid_find_step(fm_grid *g, const fm_surroundings *around); // s
bool fm_grid_advance(fm_grid *g, const fm_surroundings *around, double interval, int *substeps,
                     fm_error *err);

// fields.c
enum { FM_GRID_FIELD_COUNT = 5 };
extern const fm_field fm_grid_field_list[FM_GRID_FIELD_COUNT];
bool fm_grid_read_field(fm_grid *g, const char *name, double *values, fm_error *err);
fm_vec3 fm_grid_velocity_at(const fm_grid *g, fm_vec3 at);    // linear interpolation
fm_vec3 fm_grid_probe_velocity(const fm_grid *g, fm_vec3 at); // cubic interpolation
// Weights of the cubic polynomial through four values at -1, 0, 1 and 2 (Catmull-Rom), at t.
void fm_grid_find_cubic_weights(double t, double weight[4]);
double fm_grid_pressure_at(const fm_grid *g, fm_vec3 at);
double fm_grid_dye_at(const fm_grid *g, fm_vec3 at);

// dye.c
bool fm_grid_check_dye(const fm_grid_def *def, fm_error *err);
// Moves the dye for dt seconds with the velocity, whose values on the sides must be in place.
void fm_grid_move_dye(fm_grid *g, double dt, fm_pool *pool);
// Adds the lift of the dye, which is against gravity, to the rate of the velocity.
void fm_grid_add_lift(fm_grid *g, double *rate[3], fm_vec3 gravity, fm_pool *pool);
double fm_grid_most_lift(fm_grid *g, fm_vec3 gravity, fm_pool *pool); // m/s^2, largest
double fm_grid_total_dye(fm_grid *g, fm_pool *pool); // m^3, concentration times volume

// tracer_particles.c
extern const fm_object_type fm_marks_type;
bool fm_grid_is_in_collider(const fm_surroundings *around, fm_vec3 at);
bool fm_grid_check_marks(const fm_grid_def *def, fm_error *err);
fm_marks *fm_marks_create(fm_world *world, fm_grid *g, fm_error *err);
// Adds the marks of the start, unless that was done. The colliders must be placed.
void fm_marks_start(fm_marks *marks, const fm_surroundings *around);
// Adds marks to the cells that the box reached by moving by some cells along each axis.
void fm_marks_fill_new_cells(fm_marks *marks, const fm_surroundings *around, const int by[3]);
// Moves the marks for dt seconds with the velocity, whose ghost values must be in place.
void fm_marks_move(fm_marks *marks, const fm_surroundings *around, double dt);

// immersed.c
// Couples the fluid to the quadrature points (samples) of a body.
bool fm_grid_attach_samples(fm_grid *g, fm_samples *samples, fm_vec3 gravity, fm_error *err);
// Writes the velocity of the fluid at the samples of all coupled bodies, at their newest positions.
void fm_grid_write_samples(fm_grid *g, fm_pool *pool);

// drag_impulses.c: bodies that act on the fluid by the opposite of their drag.
// Writes the mass of the fluid that each sample slows down, kg. Uses g->rate.
void fm_grid_write_drag_masses(fm_grid *g);
// Adds the impulses of dt seconds to the velocities. masses: of the fluid at the faces, in masses
// of a cell, or NULL: 1.
void fm_grid_add_drag_impulses(fm_grid *g, double dt, double *const masses[3]);
void fm_grid_clear_drag_impulses(fm_grid *g); // at the end of a coupling interval

// sheets.c
// Index in the pressure solver of the cell above face q of the grid.
ptrdiff_t fm_grid_find_solver_cell(const fm_grid *g, ptrdiff_t q);
// Index of face number `at` along its axis a. False: outside the grid, or on a side of it.
bool fm_grid_find_face(const fm_grid *g, int a, const int at[3], ptrdiff_t *q);
// Sets the value of a face, and that of its copy on the other side of a periodic grid.
void fm_grid_set_face(const fm_grid *g, double *values, int a, ptrdiff_t q, double value);
// Adds the samples of a body that pushes the fluid.
bool fm_grid_add_sheet(fm_grid *g, fm_samples *samples, fm_error *err);
// The parts of a substep, in this order. Bodies are where they end the coupling interval.
bool fm_grid_place_sheets(fm_grid *g, fm_error *err);
// Adds `factor` times the accelerations by the forces of the bodies, m/s^2, to `rate`.
void fm_grid_add_sheet_rates(fm_grid *g, double *const rate[3], double factor);
// Exchanges momentum before the projection. old: velocities before the substep of dt s. Changes
// conductances of the pressure solver, which must then be updated.
void fm_grid_exchange_with_sheets(fm_grid *g, double *const old[3], fm_vec3 gravity, double dt);
// Whether a body crosses the dual edge of face q of axis a.
bool fm_grid_is_crossed(const fm_grid *g, int a, ptrdiff_t q);
// Puts the surface of a liquid onto the sheets beside it that nothing passes. phi: spacings.
void fm_grid_anchor_surface(const fm_grid *g, double *phi);
// After the projection: gives the impulses to the bodies. last: this ends the coupling interval.
void fm_grid_finish_sheets(fm_grid *g, double dt, bool last);
// At the end of a coupling interval: writes added mass and buoyancy of the bodies from `first` on.
void fm_grid_release_sheets(fm_grid *g, int first, fm_vec3 gravity);
int fm_grid_sheet_count(const fm_grid *g);    // bodies that push the fluid
double fm_grid_sheet_speed(const fm_grid *g); // m/s, largest sum of components of a body's velocity

// snapshot.c
size_t fm_grid_save(const fm_grid *g, void *buffer, size_t size);
bool fm_grid_restore(fm_grid *g, const void *buffer, size_t size, fm_error *err);

#endif
