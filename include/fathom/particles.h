// SPDX-License-Identifier: MIT
// particles.h: fluids made of particles (smoothed particle hydrodynamics), in 2D and 3D.
//
//     fm_particles_def def = fm_default_particles_def();
//     def.spacing = 0.02;
//     def.domain.high = (fm_vec3){2, 1, 0.5};
//     fm_particles *water = fm_particles_create(world, &def, &err);
//     fm_particles_add_box(water, &(fm_fluid_box){.high = {0.5, 0.8, 0.5}}, &err);
//
// A fluid is confined to a box, its domain. The colliders of the world are obstacles in it;
// colliders with a mass float or sink. All viscosities are dynamic, in Pa s. See docs/particles.md.
#ifndef FATHOM_PARTICLES_H
#define FATHOM_PARTICLES_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/field.h>
#include <fathom/memory.h>
#include <fathom/motion.h>
#include <fathom/object.h>
#include <fathom/vec.h>
#include <fathom/world.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_particles fm_particles;

// How the pressure is computed.
typedef enum fm_sph_method {
    FM_SPH_WEAKLY_COMPRESSIBLE, // stiff equation of state; many short and cheap steps
    FM_SPH_CONSTANT_DENSITY,    // iterative pressure solver; few long steps
    FM_SPH_STANDARD,            // as in [OZG13]: gas equation of state, for comparisons
    FM_SPH_AUTOMATIC,           // CONSTANT_DENSITY for free surfaces, else WEAKLY_COMPRESSIBLE
    FM_SPH_RELAXATION,          // as in [OZG13] chapter 5: prediction, double-density relaxation
} fm_sph_method;

// Time integrator of the method FM_SPH_STANDARD.
typedef enum fm_sph_integrator {
    FM_SPH_EULER,    // explicit, as in [OZG13]: stable only with short steps and viscosity
    FM_SPH_LEAPFROG, // symplectic
} fm_sph_integrator;

// The six sides of the domain: left and right are at low and high x, bottom and top at low and high
// y, back and front at low and high z.
typedef enum fm_side {
    FM_SIDE_LEFT,
    FM_SIDE_RIGHT,
    FM_SIDE_BOTTOM,
    FM_SIDE_TOP,
    FM_SIDE_BACK,
    FM_SIDE_FRONT,
    FM_SIDE_COUNT,
} fm_side;

// What a side of the domain does to particles.
typedef enum fm_side_kind {
    FM_SIDE_WALL,
    FM_SIDE_PERIODIC, // particles that leave enter at the opposite side, which must be periodic too
    FM_SIDE_OPEN,     // particles that leave fall freely and are counted
} fm_side_kind;

// The box that contains a fluid.
typedef struct fm_domain {
    fm_vec3 low, high; // m; 2D ignores z
    fm_side_kind sides[FM_SIDE_COUNT];
    fm_vec3 slide[FM_SIDE_COUNT]; // m/s, tangential velocity of a wall, such as a lid or a belt
    bool slip;                    // free slip instead of no slip at walls and colliders
    const fm_motion *motion;      // moves the box; only its displacement is used. NULL: at rest
} fm_domain;

// Fractional viscosity: it acts on differences of u = time^(q-1) D^q x, the fractional derivative
// of the displacements x of the particles, instead of velocities. `memory` says how far back the
// derivative looks. The viscosity that a steady shear feels is, for memory.kind =
//     FM_RECALL_FADING  viscosity (fading/time)^(1-q), a few times `fading` after the start
//     FM_RECALL_STEPS   viscosity (n h/time)^(1-q) / Gamma(2-q) for n steps of the length h
//     FM_RECALL_FULL    viscosity (t/time)^(1-q) / Gamma(2-q) at time t, growing without limit
typedef struct fm_fractional {
    double order; // q, 0 < q < 1; 1: ordinary viscosity, which acts on velocities
    // How far back the derivative looks: FADING, FULL, or STEPS with the trapezoid rule; the length
    // of substeps may change.
    fm_recall memory;
    // s, characteristic time that turns D^q x into a velocity; 0: with FADING and STEPS chosen so
    // that steady shear feels the viscosity, with FULL 1 s.
    double time;
    // 1/s, threshold of the strain rate (relative velocity / distance) of a pair of neighbours.
    // Above it the pair uses fractional derivatives, below half of it velocities. 0: all pairs use
    // fractional derivatives.
    double above;
} fm_fractional;

// The rate that hardens a spring.
typedef enum fm_hardening_rate {
    FM_HARDENING_LENGTH,       // rate of its smoothed length; rigid rotation does not harden
    FM_HARDENING_SPEED,        // |v_i - v_j|, relative speed of its ends, as in [OZG13] eq. (5.13)
    FM_HARDENING_DISPLACEMENT, // M is the norm of D^q (x_i - x_j) instead, as in [OZG13] eq. (5.9)
} fm_hardening_rate;

// A network of springs between the particles: viscoelastic, and with an onset shear-thickening.
// Springs are made, flow plastically and break (docs/thickening.md).
typedef struct fm_spring_network {
    double viscosity;  // Pa s, of the network in slow shear, besides that of the fluid; 0: none
    double relaxation; // s, in which the stress of a held shape decays: 1 / alpha of [OZG13] (5.8)
    double yield;      // relative change of length below which a spring does not flow, 0 to 0.9
    double onset;      // 1/s, shear rate at which history doubles the stiffness; 0: no history
    double threshold;  // 1/s, strain rate of a spring below which it does not harden; 0: none
    double stiffening; // largest stiffness, relative to that without history, >= 1
    double order;      // q, order of the fractional derivative, 0 < q < 1
    // FADING or FULL: the past is kept per spring. STEPS or SECONDS, with the rates SPEED and
    // DISPLACEMENT only: it is kept per particle, so that a new spring has the past of its ends.
    fm_recall memory;
    fm_hardening_rate rate;
    // As printed: plastic flow by explicit steps, and hardening that stiffens a stretched spring.
    // false: flow exact for any step, and hardening without stress (docs/thickening.md)
    bool published;
} fm_spring_network;

// Definition of a particle fluid. STANDARD, WEAKLY_COMPRESSIBLE and CONSTANT_DENSITY mark fields
// that only this fm_sph_method uses.
typedef struct fm_particles_def {
    const char *name; // for messages and files; copied
    int dimensions;   // 3, or 2: the plane z = 0 with masses per metre of depth
    fm_domain domain;
    double spacing;   // m, between particles at rest
    double support;   // support radius of the kernel, in spacings; 0: 3 in 2D, 2 in 3D
    double density;   // kg/m^3, at rest
    double viscosity; // Pa s, dynamic; water 1.0e-3
    // N/m, water 0.072; 0: none. WEAKLY_COMPRESSIBLE and CONSTANT_DENSITY
    double surface_tension;
    fm_fractional fractional;
    fm_spring_network network;
    fm_sph_method method;
    double stiffness;             // m^2/s^2, STANDARD: k of p = k (rho - rho0)
    fm_sph_integrator integrator; // STANDARD
    // m/s, WEAKLY_COMPRESSIBLE: largest flow speed expected. 0: estimated from the height of the
    // fluid, motions and body-force regions.
    double speed;
    double
        sound_ratio; // WEAKLY_COMPRESSIBLE: speed of sound / largest flow speed expected, 1 to 100
    // 0 to 1, not STANDARD: damps motion that changes within a few spacings, not velocities that
    // are linear in the position.
    double artificial_viscosity;
    double diffusion;  // WEAKLY_COMPRESSIBLE: 0 to 1, density diffusion
    double shifting;   // 0 to 4, not STANDARD: particle shifting, keeps spacings even; 0 with a
                       // network of springs
    double tolerance;  // CONSTANT_DENSITY: a thousandth of it is the mean relative compression in a
                       // substep at which the solve for the pressure ends, if not at 1 % residual
    int iterations;    // CONSTANT_DENSITY: largest number of iterations in a solve
    double near_ratio; // RELAXATION: stiffness of the near-pressure / that of the pressure
    double quadratic_viscosity; // RELAXATION: 1/m, beta of the viscous impulses
    bool sticky;                // RELAXATION: hardened fluid sticks to walls and colliders
    // s, largest substep; 0: from the Courant number and the forces. STANDARD and RELAXATION use
    // the given step, stable or not.
    double time_step;
    double courant; // Courant number; 3D flows with a support of 2 are wrong above 0.25
    // WEAKLY_COMPRESSIBLE: s, for how long substeps share sorting and neighbour lists, while no
    // particle moves by more than a quarter of the spacing, and at most for one advance; 0: lists
    // are built in every substep. Fluids with periodic sides, meshes or coupled cloth build them in
    // every substep.
    double list_time;
    // Largest number of particles; 0: the initial number, or with sources 4 times that and at least
    // 50,000.
    int capacity;
    bool loads; // measure the force on walls and colliders: fm_particles_stats.load
} fm_particles_def;

FM_API fm_particles_def fm_default_particles_def(void); // water in a box of 1 m, 3D

// Materials of fluids with a network of springs. Only cornstarch in water hardens.
typedef enum fm_thickening_material {
    FM_THICKENING_CORNSTARCH,
    FM_THICKENING_HONEY,
    FM_THICKENING_TOOTHPASTE,
    FM_THICKENING_SLIME,
    FM_THICKENING_GEL,
    FM_THICKENING_MATERIAL_COUNT,
} fm_thickening_material;

// A thickening fluid by quantities that a person can know. Where they are 0, those of the material.
typedef struct fm_thickening {
    fm_thickening_material material;
    double density;    // kg/m^3
    double viscosity;  // Pa s, in slow shear
    double relaxation; // s, in which the stress of a held shape decays
    double yield;      // relative deformation below which it keeps its shape
    double onset;      // 1/s, shear rate at which it begins to harden
    double sharpness;  // excess over the onset, relative to it, at which it is fully hard
    double stiffening; // how many times stiffer the springs get at most
    bool history;      // false: it does not harden
    bool published;    // the model of [OZG13]: method RELAXATION, rate SPEED, sticky walls
} fm_thickening;
FM_API fm_thickening fm_default_thickening(void); // cornstarch
// Sets density, viscosity, network, sound_ratio, list_time and, if published, the method of a
// definition. Set network.memory, network.order and network.rate before.
FM_API void fm_thickening_convert(const fm_thickening *thickening, fm_particles_def *def);
FM_API fm_particles *fm_particles_create(fm_world *world, const fm_particles_def *def,
                                         fm_error *err);

// A box of fluid: a lattice of particles, half a spacing from the faces of the box. Particles
// inside existing colliders are left out, so create colliders first.
typedef struct fm_fluid_box {
    fm_vec3 low, high; // m
    fm_vec3 velocity;  // m/s
    bool settled;      // starts with the hydrostatic pressure below the top of the box
    double jitter;     // random offset of each coordinate, uniform in +-jitter, in spacings
    uint64_t seed;     // of the random offsets
} fm_fluid_box;
FM_API bool fm_particles_add_box(fm_particles *fluid, const fm_fluid_box *box, fm_error *err);

// A nozzle: a disc (2D: a slit) that emits a jet of particles.
typedef struct fm_fluid_source {
    fm_vec3 centre, direction; // m; the length of the direction is ignored
    double radius;             // m
    double speed;              // m/s
    double start, end;         // s, time of emission; end may be INFINITY
} fm_fluid_source;
FM_API bool fm_particles_add_source(fm_particles *fluid, const fm_fluid_source *source,
                                    fm_error *err);

// A box that removes the particles in it.
typedef struct fm_fluid_sink {
    fm_vec3 low, high; // m
} fm_fluid_sink;
FM_API bool fm_particles_add_sink(fm_particles *fluid, const fm_fluid_sink *sink, fm_error *err);

// A body-force region: a ball (2D: a disc) in which all particles have an additional acceleration.
typedef struct fm_fluid_push {
    fm_vec3 centre;       // m
    double radius;        // m
    fm_vec3 acceleration; // m/s^2
    double start, end;    // s, time in which it acts
} fm_fluid_push;
FM_API bool fm_particles_add_push(fm_particles *fluid, const fm_fluid_push *push, fm_error *err);

// Read access. Arrays are in order of creation of the particles and valid until the next advance.
FM_API const char *fm_particles_name(const fm_particles *fluid);
FM_API fm_particles_def fm_particles_definition(const fm_particles *fluid);
FM_API int fm_particles_count(const fm_particles *fluid);
FM_API const fm_vec3 *fm_particles_positions(fm_particles *fluid, int *count);
FM_API const fm_vec3 *fm_particles_velocities(fm_particles *fluid, int *count);
FM_API double fm_particles_sound_speed(const fm_particles *fluid); // m/s; 0 before the first step

// Viscosity that a shear that has been steady since the beginning feels now, Pa s. With fractional
// viscosity it grows with the past time that the derivative covers.
FM_API double fm_particles_steady_viscosity(const fm_particles *fluid);
// The method that FM_SPH_AUTOMATIC chose, and why; "" before the first advance or if the definition
// names the method. From then on fm_particles_definition has the chosen method.
FM_API const char *fm_particles_method_reason(const fm_particles *fluid);
// Viscosity of a Newtonian fluid, Pa s, that would lose as much energy in the same flow as this one
// did in the last 10 s or so, by viscosity and by all errors of the method together. 0: not
// measured, because something moved does work on the fluid (docs/particles.md).
FM_API double fm_particles_effective_viscosity(const fm_particles *fluid);
FM_API double fm_particles_mass(const fm_particles *fluid); // kg, of a particle; 2D: per m of depth

// Conversions between fluid and object of a world. NULL if the object is not a particle fluid.
FM_API fm_object *fm_particles_object(fm_particles *fluid);
FM_API fm_particles *fm_object_particles(fm_object *object);
// Fields: position velocity density pressure fill id radius history_stiffness. Reads
// values[count * components].
FM_API const fm_field *fm_particles_fields(int *count);
FM_API bool fm_particles_read_field(fm_particles *fluid, const char *name, double *values,
                                    fm_error *err);
// Velocity of the fluid at arbitrary points: kernel-weighted mean of the particles within the
// support, 0 where there are none.
FM_API bool fm_particles_sample(fm_particles *fluid, const fm_vec3 *points, int point_count,
                                fm_vec3 *velocities, fm_error *err);
// Sets initial velocities, in order of creation of the particles.
FM_API bool fm_particles_set_velocities(fm_particles *fluid, const fm_vec3 *velocities,
                                        fm_error *err);

// The stages of a substep.
typedef enum fm_particles_stage {
    FM_PARTICLES_SORT,       // sorts particles into cells
    FM_PARTICLES_NEIGHBOURS, // builds neighbour lists
    FM_PARTICLES_MEMORY,     // updates data attached to particles, such as velocity histories
    FM_PARTICLES_BOUNDARY,   // boundary particles of walls and colliders, ghost particles
    FM_PARTICLES_DENSITY,
    FM_PARTICLES_FORCES,
    FM_PARTICLES_PRESSURE, // CONSTANT_DENSITY: iterative pressure solver
    FM_PARTICLES_MOVE,
    FM_PARTICLES_STAGE_COUNT,
} fm_particles_stage;

// Totals since the fluid was created, unless said otherwise.
typedef struct fm_particles_stats {
    double seconds[FM_PARTICLES_STAGE_COUNT]; // wall-clock time of each stage
    int64_t substep_count;
    int64_t iteration_count; // CONSTANT_DENSITY: iterations of the pressure solver
    double compression;      // CONSTANT_DENSITY: mean relative compression left, last substep
    int64_t refused_count;   // particles not emitted because the capacity was full
    int64_t removed_count;   // particles removed by sinks
    int64_t stopped_count;   // particles moved back to their side of a coupled cloth
    fm_vec3 load;            // N s, impulse on walls and colliders without a mass; needs `loads`
    // N s, impulse of the weight of fluid that cloth displaces beyond its own volume
    fm_vec3 clinging;
    double lost_energy; // J, lost by the fluid, if fm_particles_effective_viscosity is measured
    // m^3/s (2D: m^2/s), integral of 2 e : e over the volume and the time, e: strain rate, 1/s
    double strain_integral;
    int64_t pair_count;      // pairs of particles within the support now, each counted once
    int64_t candidate_count; // distances that the neighbour search computes now
    int boundary_count;      // boundary particles of walls, colliders and cloth
    // Boundary and ghost particles near fluid in the last substep; only these are computed.
    int wet_count;
} fm_particles_stats;
FM_API const char *fm_particles_stage_name(fm_particles_stage stage); // "sort", ...
FM_API fm_particles_stats fm_particles_read_stats(fm_particles *fluid);

// The springs of a fluid with a network. The first four count since the fluid was created.
typedef struct fm_spring_stats {
    int64_t made_count, broken_count;
    int64_t refused_count; // springs that did not fit: more than three times as many as at rest
    int64_t limited_count; // times that a spring was softened because the substep was too long
    int64_t spring_count;  // springs now
    int particle_count;    // particles that were looked at
    double mean_square, mean_cube; // m^2, m^3, mean of the squared and of the cubed length
    double mean_memory;            // m s^-q, mean of M
    double mean_stiffness;         // N/m, mean of the stiffness
    double least_stiffness;        // N/m, stiffness without history, k_min
    double onset_memory;           // m s^-q, M at which the stiffness is twice that
    double stress[3];              // Pa, shear stress of the springs: xy, yz, zx
} fm_spring_stats;
// Springs whose owner, the older of their two particles, is in the box from low to high, m.
FM_API fm_spring_stats fm_particles_read_springs(fm_particles *fluid, fm_vec3 low, fm_vec3 high);

#ifdef __cplusplus
}
#endif

#endif
