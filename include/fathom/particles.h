// SPDX-License-Identifier: MIT
// particles.h: fluids made of particles (smoothed particle hydrodynamics), in 2D and 3D.
//
//     fm_particles_def def = fm_default_particles_def();
//     def.spacing = 0.02;
//     def.domain.high = (fm_vec3){2, 1, 0.5};
//     fm_particles *water = fm_particles_create(world, &def, &err);
//     fm_particles_add_box(water, &(fm_fluid_box){.high = {0.5, 0.8, 0.5}}, &err);
//
// A fluid lives in a box, its domain. What stands in it are the world's colliders; those with a
// mass float and sink. Viscosity is dynamic, in Pa s, everywhere. See docs/particles.md.
#ifndef FATHOM_PARTICLES_H
#define FATHOM_PARTICLES_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/field.h>
#include <fathom/memory.h>
#include <fathom/motion.h>
#include <fathom/vec.h>
#include <fathom/world.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_particles fm_particles;

// How pressure comes about.
typedef enum fm_sph_method {
    FM_SPH_WEAKLY_COMPRESSIBLE, // stiff: short steps, each cheap; density from its rate of change
    FM_SPH_CONSTANT_DENSITY,    // a pressure that keeps the density, found by iteration: long steps
    FM_SPH_STANDARD,            // as published: gas equation, explicit Euler. To compare with
} fm_sph_method;

typedef enum fm_sph_integrator {
    FM_SPH_EULER,    // explicit, as published: needs short steps and viscosity
    FM_SPH_LEAPFROG, // symplectic
} fm_sph_integrator;

// The six sides of the domain: left and right are across x, bottom and top y, back and front z.
typedef enum fm_side {
    FM_SIDE_LEFT,
    FM_SIDE_RIGHT,
    FM_SIDE_BOTTOM,
    FM_SIDE_TOP,
    FM_SIDE_BACK,
    FM_SIDE_FRONT,
    FM_SIDE_COUNT,
} fm_side;

typedef enum fm_side_kind {
    FM_SIDE_WALL,
    FM_SIDE_PERIODIC, // what leaves comes back on the other side; both sides alike
    FM_SIDE_OPEN,     // what leaves goes on under its weight alone, and is counted
} fm_side_kind;

typedef struct fm_domain {
    fm_vec3 low, high; // m; in 2D z is not looked at
    fm_side_kind sides[FM_SIDE_COUNT];
    fm_vec3 slide[FM_SIDE_COUNT]; // m/s, of a wall along itself, as a lid or a belt
    bool slip;                    // fluid slides along walls and colliders instead of sticking
    const fm_motion *motion;      // carries the box; its displacement only. NULL: at rest
} fm_domain;

// Viscosity that remembers: it acts on differences of u = time^(q-1) D^q x, the fractional
// derivative of how far particles have come, instead of velocities. Shear that stays as it is feels
// in the end, with FADING, viscosity (fading/time)^(1-q); with n STEPS of length h, viscosity
// (n h/time)^(1-q) / Gamma(2-q), which changes with the step; with FULL the same with the time
// since the beginning in the place of n h: ever more.
typedef struct fm_fractional {
    double order;     // q, 0 < q < 1; 1: the velocity itself, no memory
    fm_recall memory; // FADING; STEPS by the trapezoid, steps may change; FULL
    double time;      // s, that makes a velocity of D^q x; 0: chosen so that steady shear feels the
                      // viscosity with FADING and STEPS, and 1 s with FULL
    double above;     // 1/s: memory only between neighbours that move against each other so many
                      // times their distance a second; none below half of it. 0: everywhere
} fm_fractional;

typedef struct fm_particles_def {
    const char *name; // for messages and files; copied
    int dimensions;   // 3, or 2: the plane z = 0, masses per metre of depth
    fm_domain domain;
    double spacing;   // m, between particles at rest
    double support;   // radius of the smoothing kernel, in spacings; 0: 3 in 2D, 2 in 3D
    double density;   // kg/m^3, at rest
    double viscosity; // Pa s, dynamic; water 1.0e-3
    fm_fractional fractional;
    fm_sph_method method;
    double stiffness;             // m^2/s^2, STANDARD: k of p = k (rho - rho0)
    fm_sph_integrator integrator; // STANDARD
    double speed; // m/s, WEAKLY_COMPRESSIBLE: the fastest expected, sound is ten times as fast; 0:
                  // from the height of the fluid, what moves, and what pushes
    double artificial_viscosity; // WEAKLY_COMPRESSIBLE: share, calms what is shorter than a few
                                 // spacings; acts on approaching particles only
    double diffusion;            // WEAKLY_COMPRESSIBLE: share, smooths the density field
    double shifting;  // share, WEAKLY_COMPRESSIBLE: evens out the particles where they flow
    double tolerance; // CONSTANT_DENSITY: mean compression allowed
    int iterations;   // CONSTANT_DENSITY: at most so many
    double time_step; // s, the largest substep allowed; 0: from the Courant number and the forces.
                      // STANDARD takes what is given, stable or not
    double courant;   // of that; beyond 0.25 flows in space with a support of 2 come out wrong
    int capacity;     // particles at most; 0: those of the beginning, or with sources 4 times as
                      // many and at least 50,000
    bool loads;       // measure what it does to walls and colliders: fm_particles_stats.load
} fm_particles_def;

FM_API fm_particles_def fm_default_particles_def(void); // water in a box of 1 m, 3D
FM_API fm_particles *fm_particles_create(fm_world *world, const fm_particles_def *def,
                                         fm_error *err);

// A block of fluid on a lattice, particles half a spacing from its faces. What would be inside a
// collider is left out: make colliders first.
typedef struct fm_fluid_box {
    fm_vec3 low, high; // m
    fm_vec3 velocity;  // m/s
    bool settled;      // begins with the pressure of fluid at rest under its own surface
    double jitter;     // of each coordinate, in spacings, evenly spread up to so much either way
    uint64_t seed;     // of the jitter
} fm_fluid_box;
FM_API bool fm_particles_add_box(fm_particles *fluid, const fm_fluid_box *box, fm_error *err);

// A nozzle: a disc (2D: a slit) that sends out a jet.
typedef struct fm_fluid_source {
    fm_vec3 centre, direction; // m; direction is made a unit vector
    double radius;             // m
    double speed;              // m/s
    double start, end;         // s; end INFINITY: for ever
} fm_fluid_source;
FM_API bool fm_particles_add_source(fm_particles *fluid, const fm_fluid_source *source,
                                    fm_error *err);

// A box that takes away what enters it.
typedef struct fm_fluid_sink {
    fm_vec3 low, high; // m
} fm_fluid_sink;
FM_API bool fm_particles_add_sink(fm_particles *fluid, const fm_fluid_sink *sink, fm_error *err);

// Something that pushes what is within a ball (2D: a disc), evenly.
typedef struct fm_fluid_push {
    fm_vec3 centre;       // m
    double radius;        // m
    fm_vec3 acceleration; // m/s^2
    double start, end;    // s
} fm_fluid_push;
FM_API bool fm_particles_add_push(fm_particles *fluid, const fm_fluid_push *push, fm_error *err);

// Reads. In double, in the order the particles were made; valid until the next advance.
FM_API const char *fm_particles_name(const fm_particles *fluid);
FM_API fm_particles_def fm_particles_definition(const fm_particles *fluid);
FM_API int fm_particles_count(const fm_particles *fluid);
FM_API const fm_vec3 *fm_particles_positions(fm_particles *fluid, int *count);
FM_API const fm_vec3 *fm_particles_velocities(fm_particles *fluid, int *count);
FM_API double fm_particles_sound_speed(const fm_particles *fluid); // m/s; 0 before the first step
// Pa s, what shear that has been the same from the beginning feels now: grows while a memory fills.
FM_API double fm_particles_steady_viscosity(const fm_particles *fluid);
FM_API double fm_particles_mass(const fm_particles *fluid); // kg, of one; in 2D per metre of depth
// Position velocity density pressure fill id; values[count * components].
FM_API const fm_field *fm_particles_fields(int *count);
FM_API bool fm_particles_read_field(fm_particles *fluid, const char *name, double *values,
                                    fm_error *err);
// The velocity of the fluid at any points: a mean over the particles within the support. Zero where
// there are none.
FM_API bool fm_particles_sample(fm_particles *fluid, const fm_vec3 *points, int point_count,
                                fm_vec3 *velocities, fm_error *err);
// Sets velocities, in the order the particles were made: for setting up.
FM_API bool fm_particles_set_velocities(fm_particles *fluid, const fm_vec3 *velocities,
                                        fm_error *err);

// The parts of a substep, and what they took since the fluid was made.
typedef enum fm_particles_stage {
    FM_PARTICLES_SORT,       // into cells
    FM_PARTICLES_NEIGHBOURS, // who is within the support of each
    FM_PARTICLES_MEMORY,     // fractional viscosity: the past of each
    FM_PARTICLES_BOUNDARY,   // walls, colliders, copies across periodic sides
    FM_PARTICLES_DENSITY,
    FM_PARTICLES_FORCES,
    FM_PARTICLES_PRESSURE, // CONSTANT_DENSITY: the iterations
    FM_PARTICLES_MOVE,
    FM_PARTICLES_STAGE_COUNT,
} fm_particles_stage;

typedef struct fm_particles_stats {
    double seconds[FM_PARTICLES_STAGE_COUNT];
    int64_t substep_count;
    int64_t iteration_count; // CONSTANT_DENSITY
    double compression;      // CONSTANT_DENSITY: mean, after the last substep
    int64_t refused_count;   // particles that found no room
    int64_t removed_count;   // taken by sinks
    int64_t stopped_count;   // put back on their side of a coupled cloth
    fm_vec3 load;            // N s, given to walls and colliders without a mass; with `loads` only
    fm_vec3 clinging;        // N s, weight of the fluid that a coupled cloth stands in the place of
    int64_t pair_count;      // within the support now, each pair once
    int64_t candidate_count; // distances that a pass looks at
    int boundary_count;      // points that walls and colliders are made of
    int wet_count;           // those, and samples of cloth, that the last substep found fluid near:
                             // the rest costs nothing
} fm_particles_stats;
FM_API const char *fm_particles_stage_name(fm_particles_stage stage); // "sort", ...
FM_API fm_particles_stats fm_particles_read_stats(fm_particles *fluid);

#ifdef __cplusplus
}
#endif

#endif
