// SPDX-License-Identifier: MIT
// grid.h: incompressible fluids on a staggered grid, in 3D or one cell thick.
//
//     fm_grid_def def = fm_default_grid_def();
//     def.cells[0] = def.cells[1] = 128, def.cells[2] = 1; // one cell thick: a plane flow
//     def.spacing = 1.0 / 128;
//     def.sides[FM_SIDE_TOP].velocity.x = 1; // the lid of a cavity
//     fm_grid *fluid = fm_grid_create(world, &def, &err);
//
// The fluid fills a box of cubic cells. The colliders of the world are obstacles in it, which need
// not follow the grid. The world's gravity acts on it. See docs/grid.md.
#ifndef FATHOM_GRID_H
#define FATHOM_GRID_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/object.h>
#include <fathom/particles.h>
#include <fathom/vec.h>
#include <fathom/world.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_grid fm_grid;

// What a side of the box does to the fluid.
typedef enum fm_grid_side_kind {
    FM_GRID_WALL,     // no slip; `velocity` is that of the wall, which may slide
    FM_GRID_SLIP,     // a wall without friction
    FM_GRID_PERIODIC, // the opposite side must be periodic too
    FM_GRID_INFLOW,   // the velocity is given: a source, or a sink where it points outwards
    FM_GRID_OPEN,     // the pressure is given
} fm_grid_side_kind;

// How the velocity is distributed over an inflow or a wall.
typedef enum fm_grid_profile {
    FM_GRID_UNIFORM,   // the given velocity everywhere
    FM_GRID_PARABOLIC, // `velocity` in the middle, 0 at the edges; constant along axes of one cell
} fm_grid_profile;

// Velocity of the boundary at a point and a time, m/s.
typedef fm_vec3 fm_grid_function(void *context, fm_vec3 position, double time);

// What happens on a side, or on a patch of a side. WALL and INFLOW have the velocity
//
//     (velocity + amplitude sin(2 pi t / period)) profile(position) min(1, t / ramp)
//
// or the result of `function`. Of a wall, only the part along the wall counts.
typedef struct fm_grid_side {
    fm_grid_side_kind kind;
    fm_vec3 velocity;  // m/s
    fm_vec3 amplitude; // m/s
    double period;     // s; used if the amplitude is not 0
    double ramp;       // s, time in which the velocity grows from 0; 0: at once
    fm_grid_profile profile;
    double dye; // concentration of the dye in fluid that enters
    // Pa. OPEN: pressure outside at the height of the grid's centre; with gravity, the pressure
    // outside is hydrostatic.
    double pressure;
    fm_grid_function *function; // WALL and INFLOW: replaces the formula; NULL: none
    void *context;              // first argument of function
} fm_grid_side;

// A rectangle of a side with a boundary condition of its own, such as a nozzle or a drain. Faces
// whose centre is between `low` and `high` belong to it; the coordinate across the side is ignored.
typedef struct fm_grid_patch {
    fm_side side;
    fm_vec3 low, high;      // m
    fm_grid_side condition; // not PERIODIC
} fm_grid_patch;

// The discretisation of advection.
typedef enum fm_grid_advection {
    FM_GRID_FIFTH_ORDER, // upwind interpolation of fifth order, Runge-Kutta steps
    FM_GRID_FIRST_ORDER, // upwind values, Euler steps
    FM_GRID_PUBLISHED,   // as [SJ] after [FM96]: central means, Euler steps; needs viscosity
} fm_grid_advection;

// The time integration of viscosity.
typedef enum fm_grid_diffusion {
    FM_GRID_EXPLICIT, // limits the substep to a fraction of spacing^2 density / viscosity
    FM_GRID_IMPLICIT, // Crank-Nicolson, for very viscous fluids
} fm_grid_diffusion;

// Dye or smoke: a concentration that the flow carries along.
typedef struct fm_grid_dye {
    bool on;
    double diffusivity; // m^2/s
    double buoyancy;    // fluid of concentration c weighs 1 - buoyancy c of its weight; smoke: > 0
    double fading;      // s, time in which it fades to 1/e; 0: never
} fm_grid_dye;

// Passive marks, which move with the flow. They are an object of their own in the world, of the
// kind "marks", named after the fluid: fluid-marks.
typedef struct fm_grid_marks {
    double density;  // marks per cell, at the start and in fluid that enters; 0: no marks
    bool everywhere; // false: no marks at the start and through open sides, only from inflows
    double period;   // s, between additions at sources; 0: in every substep
    int most;        // largest number of marks; sources add none beyond it
    int seed;        // of their random places
} fm_grid_marks;

enum { FM_GRID_PATCHES_MAX = 32 }; // patches of a grid fluid

// Definition of a grid fluid.
typedef struct fm_grid_def {
    const char *name; // for messages and files; copied
    fm_vec3 low;      // m, corner with the smallest x, y, z
    // Number of cells along x, y, z. Along an axis of one cell nothing varies: its sides must be
    // PERIODIC or SLIP. Multiples of large powers of two are fastest.
    int cells[3];
    double spacing; // m, edge of a cell
    fm_grid_side sides[FM_SIDE_COUNT];
    fm_grid_patch patches[FM_GRID_PATCHES_MAX];
    int patch_count;
    double density;       // kg/m^3
    double viscosity;     // Pa s, dynamic
    fm_vec3 acceleration; // m/s^2, uniform body force per mass, besides gravity
    fm_grid_advection advection;
    fm_grid_diffusion diffusion;
    double tolerance; // largest divergence after a substep, relative to fastest speed / spacing
    int iterations;   // largest number of iterations of the pressure solver
    double courant;   // Courant number, sum over axes of |u| time step / spacing
    double time_step; // s, largest substep; 0: only stability limits it
    fm_grid_dye dye;
    fm_grid_marks marks;
    bool loads; // measure the force on colliders: fm_grid_stats.load
} fm_grid_def;

FM_API fm_grid_def fm_default_grid_def(void); // water at rest in a closed box of 1 m, 32^3 cells
FM_API fm_grid *fm_grid_create(fm_world *world, const fm_grid_def *def, fm_error *err);

// Initial velocity, m/s, at a point. Sampled at the centres of the faces and made free of
// divergence before the first substep.
typedef fm_vec3 fm_grid_field(void *context, fm_vec3 position);
FM_API bool fm_grid_set_velocity(fm_grid *grid, fm_grid_field *field, void *context, fm_error *err);

// Named initial fields.
typedef enum fm_grid_start_kind {
    FM_GRID_START_REST,
    FM_GRID_START_UNIFORM, // `velocity` everywhere
    // rigid rotation about `axis` through `centre` within `radius`, with `speed` at the radius,
    // falling as 1/r outside
    FM_GRID_START_VORTEX,
    // Taylor-Green vortices of size `radius`: u = speed sin x cos y cos z, v = -speed cos x sin y
    // cos z, with x, y, z in units of radius/pi from `centre`; without the factor in z if the grid
    // is one cell thick
    FM_GRID_START_TAYLOR_GREEN,
    // speed tanh((y - centre.y) / radius) along x, and a small wave of 1 % of the speed across
    FM_GRID_START_SHEAR,
} fm_grid_start_kind;
// An initial velocity field. fm_grid_start_kind says which fields each kind uses.
typedef struct fm_grid_start {
    fm_grid_start_kind kind;
    fm_vec3 velocity; // m/s, added to the field of every kind
    fm_vec3 centre;   // m
    fm_vec3 axis;     // of the vortex; its length is ignored
    double radius;    // m
    double speed;     // m/s
} fm_grid_start;
// The velocity, m/s, of an initial field at the position `at`, m.
FM_API fm_vec3 fm_grid_start_velocity(const fm_grid *grid, const fm_grid_start *start, fm_vec3 at);
FM_API bool fm_grid_set_start(fm_grid *grid, const fm_grid_start *start, fm_error *err);

// Initial concentration of the dye at a point. Needs def.dye.on.
typedef double fm_grid_dye_field(void *context, fm_vec3 position);
FM_API bool fm_grid_set_dye(fm_grid *grid, fm_grid_dye_field *field, void *context, fm_error *err);

// Named initial concentrations: 1 in a shape, 0 outside, with an edge of one cell.
typedef enum fm_grid_dye_start_kind {
    FM_GRID_DYE_NONE,
    FM_GRID_DYE_BALL,    // of radius size.x about `centre`
    FM_GRID_DYE_BOX,     // `centre` plus and minus `size`
    FM_GRID_DYE_STRIPES, // planes of thickness |size| across the direction of `size`
} fm_grid_dye_start_kind;
typedef struct fm_grid_dye_start {
    fm_grid_dye_start_kind kind;
    fm_vec3 centre, size; // m
} fm_grid_dye_start;
FM_API bool fm_grid_start_dye(fm_grid *grid, const fm_grid_dye_start *start, fm_error *err);

FM_API int fm_grid_mark_count(const fm_grid *grid);
FM_API const fm_field *fm_grid_fields(int *count); // fields at the centres of cells
FM_API fm_object *fm_grid_object(fm_grid *grid);
FM_API fm_grid *fm_object_grid(fm_object *object); // NULL if it is another kind
FM_API fm_grid_def fm_grid_definition(const fm_grid *grid);
// Velocity of the fluid, m/s, at points, interpolated with cubic polynomials; at the nearest point
// of the box for points outside it.
FM_API bool fm_grid_sample(fm_grid *grid, const fm_vec3 *points, int point_count,
                           fm_vec3 *velocities, fm_error *err);

// The stages of a substep.
typedef enum fm_grid_stage {
    FM_GRID_STAGE_SOLIDS,    // open fractions of faces, where colliders move
    FM_GRID_STAGE_BOUNDARY,  // ghost values outside the grid and inside solids
    FM_GRID_STAGE_ADVECTION, // advection, pressure gradient and explicit viscosity
    FM_GRID_STAGE_VISCOSITY, // implicit viscosity
    FM_GRID_STAGE_PRESSURE,  // the pressure solver
    FM_GRID_STAGE_PROJECT,   // divergence, and correction of the velocity
    FM_GRID_STAGE_PASSIVE,   // dye and marks
    FM_GRID_STAGE_SHEETS,    // exchange of momentum with bodies in the fluid
    FM_GRID_STAGE_COUNT,
} fm_grid_stage;
FM_API const char *fm_grid_stage_name(fm_grid_stage stage);

// Totals since the fluid was created, unless said otherwise.
typedef struct fm_grid_stats {
    double seconds[FM_GRID_STAGE_COUNT]; // wall-clock time of each stage
    int64_t substep_count;               // number of substeps
    int64_t iteration_count;             // iterations of the pressure solver
    int64_t unconverged_count;           // substeps whose pressure solver stopped at `iterations`
    int iterations;                      // iterations of the pressure solver in the last substep
    double time_step;                    // s, length of the last substep
    double divergence; // largest after the last substep, relative to speed / spacing
    double max_speed;  // m/s, largest component of the velocity
    fm_vec3 load;      // N s, impulse on colliders; needs `loads`
} fm_grid_stats;
FM_API fm_grid_stats fm_grid_read_stats(const fm_grid *grid);

#ifdef __cplusplus
}
#endif

#endif
