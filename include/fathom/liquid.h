// SPDX-License-Identifier: MIT
// liquid.h: liquids with a free surface on a staggered grid, in 3D or one cell thick.
//
//     fm_liquid_def def = fm_default_liquid_def();
//     def.grid.cells[0] = 64, def.grid.cells[1] = 32, def.grid.cells[2] = 16;
//     def.grid.spacing = 0.025;
//     fm_liquid *water = fm_liquid_create(world, &def, &err);
//     fm_liquid_add_box(water, &(fm_liquid_box){.high = {0.4, 0.6, 0.4}}, &err);
//
// Particles carry the velocity, a level set the surface; above the surface the pressure is zero.
// Colliders of the world are obstacles; colliders with a mass float, sink and are carried. See
// docs/liquid.md.
#ifndef FATHOM_LIQUID_H
#define FATHOM_LIQUID_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/grid.h>
#include <fathom/object.h>
#include <fathom/particles.h>
#include <fathom/vec.h>
#include <fathom/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_liquid fm_liquid;

// How the liquid is simulated.
typedef enum fm_liquid_method {
    FM_LIQUID_PARTICLES, // affine particles, level set, surface of second order
    // as [SJ] after [FM96]: marks in cells, velocities on the grid, first order
    FM_LIQUID_PUBLISHED,
} fm_liquid_method;

#define FM_LIQUID_COURANT_MAX 4.0 // largest Courant number

// Definition of a liquid.
typedef struct fm_liquid_def {
    // Box of cells, its sides and patches, density, viscosity, acceleration, tolerance, iterations,
    // courant, time_step and loads of the liquid, as for a grid fluid. Of the sides, PERIODIC is
    // not possible, and OPEN leads to air: what reaches it is removed. The other members are
    // ignored.
    fm_grid_def grid;
    fm_liquid_method method;
    double surface_tension; // N/m, 0 to 1e3; water 0.072. Not in the published method
    int sampling;           // particles per cell along each axis at the start, 1 to 4
    // 0, or 3 to 5: there are particles only up to this many cells below the surface, and near
    // colliders, bodies, sources, sinks and open sides. Not in the published method
    int band;
    int capacity; // largest number of particles; 0: the initial number, with sources 4 times that
                  // and at least 100,000
} fm_liquid_def;

FM_API fm_liquid_def fm_default_liquid_def(void); // an empty box of 1 m, 32^3 cells, for water
FM_API fm_liquid *fm_liquid_create(fm_world *world, const fm_liquid_def *def, fm_error *err);

// A box of liquid at the start. The parts inside existing colliders are left out, so create
// colliders first. wave: its top is at high.y + amplitude cos(2 pi (x - low.x) / length).
typedef struct fm_liquid_box {
    fm_vec3 low, high; // m
    fm_vec3 velocity;  // m/s
    struct {
        double amplitude, length; // m; length 0: flat
    } wave;
} fm_liquid_box;
FM_API bool fm_liquid_add_box(fm_liquid *liquid, const fm_liquid_box *box, fm_error *err);
// A ball of liquid at the start.
FM_API bool fm_liquid_add_ball(fm_liquid *liquid, fm_vec3 centre, double radius, fm_vec3 velocity,
                               fm_error *err);
// Nozzles, whose radius is at least the spacing, and boxes that remove liquid (particles.h).
FM_API bool fm_liquid_add_source(fm_liquid *liquid, const fm_fluid_source *source, fm_error *err);
FM_API bool fm_liquid_add_sink(fm_liquid *liquid, const fm_fluid_sink *sink, fm_error *err);
// Adds a velocity field to the liquid of the start.
FM_API bool fm_liquid_set_start(fm_liquid *liquid, const fm_grid_start *start, fm_error *err);

// Number of particles, and of the points that stand for the liquid that a band leaves without: the
// length of the fields.
FM_API int fm_liquid_particle_count(const fm_liquid *liquid);
// Volume, m^3: inside the surface where the liquid is at least a cell thick, and that of the
// particles elsewhere, which are spray, drops and thin sheets (loose).
FM_API double fm_liquid_volume(fm_liquid *liquid);
FM_API double fm_liquid_loose_volume(fm_liquid *liquid);
// Height of the surface above the point (x, z) of the bottom of the grid, m from there: the length
// of the vertical line through it that is inside the liquid.
FM_API double fm_liquid_depth(const fm_liquid *liquid, double x, double z);
FM_API fm_object *fm_liquid_object(fm_liquid *liquid);
FM_API fm_liquid *fm_object_liquid(fm_object *object); // NULL if it is another kind
FM_API fm_liquid_def fm_liquid_definition(const fm_liquid *liquid);
FM_API const fm_field *fm_liquid_fields(int *count); // fields of the particles

// The stages of a substep.
typedef enum fm_liquid_stage {
    FM_LIQUID_STAGE_SORT,      // sorts particles into cells
    FM_LIQUID_STAGE_TRANSFER,  // velocities from particles to faces and back, motion of particles
    FM_LIQUID_STAGE_SOLIDS,    // open fractions of faces, where colliders move
    FM_LIQUID_STAGE_VISCOSITY, // implicit viscosity
    FM_LIQUID_STAGE_PRESSURE,  // the pressure solver
    FM_LIQUID_STAGE_EXTEND,    // velocities outside the liquid
    FM_LIQUID_STAGE_SURFACE,   // motion of the level set
    FM_LIQUID_STAGE_COUNT,
} fm_liquid_stage;
FM_API const char *fm_liquid_stage_name(fm_liquid_stage stage);

// Totals since the liquid was created, unless said otherwise.
typedef struct fm_liquid_stats {
    double seconds[FM_LIQUID_STAGE_COUNT]; // wall-clock time of each stage
    int64_t substep_count;
    int64_t iteration_count;   // iterations of the pressure solver
    int64_t unconverged_count; // substeps whose pressure solver stopped at `iterations`
    int iterations;            // of the pressure solver in the last substep
    int viscosity_iterations;  // of the viscosity solver in the last substep
    double time_step;          // s, length of the last substep
    double divergence;         // largest after the last substep, relative to speed / spacing
    double max_speed;          // m/s, largest component of a particle's velocity
    double added, removed;     // m^3, volume from sources, and into sinks and open sides
    int64_t refused_count;     // particles not added because the capacity was full
} fm_liquid_stats;
FM_API fm_liquid_stats fm_liquid_read_stats(const fm_liquid *liquid);

#ifdef __cplusplus
}
#endif

#endif
