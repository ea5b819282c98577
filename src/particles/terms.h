// SPDX-License-Identifier: MIT
// terms.h: terms, the extensions of a fluid: data attached to particles, and forces besides
// pressure and viscosity, such as fractional viscosity.
//
// A term owns data per particle (such as velocity histories or distances from meshes) or over pairs
// of particles (such as springs). Particles are sorted in every substep, enter through sources and
// leave through sinks. The fluid calls the functions of its terms when that happens and knows no
// term by name. A new term is a file with one constant fm_fluid_term_type and a row in the table of
// terms.c.
//
// The functions of a term are called on one thread, in this order in a substep. A function that a
// term does not need is NULL. `state` is the pointer that create returned.
//
//     begin          before the first substep, with the particles of the boxes. Nothing is saved or
//                    hashed earlier
//     bound_step     before each substep: limits its length
//     emit           after sources appended particles
//     reorder        after particles were removed and sorted: arrays take the new order
//     record         the state is the one at which forces are evaluated; colliders are placed
//     extrapolate    for each boundary and ghost particle near fluid, on any thread
//     before_forces  the force records of fluid and boundary particles are complete
//     add_forces     after pressure and viscosity: adds to ax, ay, az; neighbour lists are valid.
//                    Springs between pairs are created and removed here
#ifndef FATHOM_PARTICLES_TERMS_H
#define FATHOM_PARTICLES_TERMS_H

#include "collide/collide.h"

#include <fathom/particles.h>

typedef struct fm_particles_step fm_particles_step;

enum { FM_FLUID_TERMS_MAX = 16 }; // terms (extensions) of one fluid

// Result of sorting: the particle at i was at from[i] before. For i from `count` to below `before`,
// from[i] is the old index of a particle that was removed.
typedef struct fm_particle_order {
    const int *from;   // [before]
    int count, before; // particles after and before sorting
} fm_particle_order;

// Upper bounds on the length of a substep, s; the smallest applies. INFINITY: no bound.
typedef struct fm_step_bounds {
    double courant;      // CFL bound of the speed of sound, or of the flow for CONSTANT_DENSITY
    double acceleration; // from the largest acceleration
    double viscous;      // of a Newtonian fluid with the viscosity of the definition
    double terms;        // from forces that terms (extensions of the fluid) add
    double given;        // time_step of the definition
} fm_step_bounds;

// Fluid neighbours of one boundary particle, see fm_neighbours_find_next_of_boundary. The list of a
// ghost particle is empty.
typedef struct fm_boundary_neighbours {
    int index; // of the boundary particle
    const int *list;
    int count, padding; // length of the list, and padding entries at its end
} fm_boundary_neighbours;

// A type of term (extension of a fluid). The head of this file says when the functions are called.
typedef struct fm_fluid_term_type {
    const char *name; // in snapshots and errors, shorter than FM_FLUID_TERM_NAME_SIZE
    // Allocates for the capacity of the fluid. NULL without an error: the fluid does not need it.
    void *(*create)(fm_particles *p, const fm_surroundings *around, fm_error *err);
    void (*destroy)(void *state); // frees memory outside the fluid's arena
    void (*begin)(fm_particles *p, void *state);
    void (*bound_step)(const fm_particles *p, const void *state, fm_step_bounds *bounds);
    void (*emit)(fm_particles *p, void *state, int first); // particles first and up
    void (*reorder)(fm_particles *p, void *state, const fm_particle_order *order);
    void (*record)(const fm_particles_step *step, void *state);
    void (*extrapolate)(const fm_particles_step *step, void *state,
                        const fm_boundary_neighbours *near);
    void (*before_forces)(const fm_particles_step *step, void *state);
    void (*add_forces)(const fm_particles_step *step, void *state);
    // save writes the state as bytes and returns their number (out NULL: the number only). restore
    // reads the bytes that save wrote; the fluid gets its `count` particles afterwards. A restore
    // that fails changes nothing. If save is NULL, restore gets no bytes and resets the state.
    size_t (*save)(const fm_particles *p, const void *state, unsigned char *out);
    bool (*restore)(fm_particles *p, void *state, int count, const unsigned char *in, size_t size,
                    fm_error *err);
    uint64_t (*hash)(const fm_particles *p, const void *state, uint64_t seed);
} fm_fluid_term_type;

enum { FM_FLUID_TERM_NAME_SIZE = 24 }; // bytes of a term's name, with the terminating zero

// A term (extension) of one fluid.
typedef struct fm_fluid_term {
    const fm_fluid_term_type *type;
    void *state; // result of type->create
} fm_fluid_term;

// One float per particle that is sorted with the particles: the state of simple terms, such as the
// warm start of the pressure solver.
typedef struct fm_particle_scalar {
    float *now, *spare; // [capacity] current values, and destination of the next reordering
} fm_particle_scalar;

fm_particle_scalar *fm_particle_scalar_create(fm_particles *p, fm_error *err); // all 0
void fm_particle_scalar_clear(fm_particle_scalar *scalar, int first, int last);
void fm_particle_scalar_reorder(fm_particle_scalar *scalar, const fm_particle_order *order);

extern const fm_fluid_term_type fm_clearance_term;        // mesh_collision.c
extern const fm_fluid_term_type fm_energy_loss_term;      // effective_viscosity.c
extern const fm_fluid_term_type fm_fractional_term;       // fractional_viscosity.c
extern const fm_fluid_term_type fm_network_term;          // spring_network.c
extern const fm_fluid_term_type fm_rotation_term;         // viscous_rotation.c
extern const fm_fluid_term_type fm_surface_shifting_term; // surface_shifting.c
extern const fm_fluid_term_type fm_tension_term;          // surface_tension.c
extern const fm_fluid_term_type fm_warm_start_term;       // pressure_solver.c

// terms.c: calls the functions of all terms (extensions) of a fluid.
// Adds the built-in terms, such as fractional viscosity, to a new fluid.
void fm_fluid_terms_register(fm_particles *p);
// Adds one more term (extension) to a fluid. Call before the fluid is prepared.
bool fm_particles_add_term(fm_particles *p, const fm_fluid_term_type *type, fm_error *err);
// Creates the states of all terms (extensions) of a fluid, when the fluid is prepared.
bool fm_fluid_terms_create(fm_particles *p, const fm_surroundings *around, fm_error *err);
void fm_fluid_terms_destroy(fm_particles *p); // destroys the states
void *fm_fluid_terms_find(const fm_particles *p,
                          const fm_fluid_term_type *type); // its state, or NULL
// Each of the next functions calls the function of that name of every term.
void fm_fluid_terms_begin(fm_particles *p);
void fm_fluid_terms_bound_step(const fm_particles *p, fm_step_bounds *bounds);
void fm_fluid_terms_emit(fm_particles *p, int first);
void fm_fluid_terms_reorder(fm_particles *p, const fm_particle_order *order);
void fm_fluid_terms_record_state(const fm_particles_step *step);
void fm_fluid_terms_extrapolate(const fm_particles_step *step, const fm_boundary_neighbours *near);
void fm_fluid_terms_before_forces(const fm_particles_step *step);
void fm_fluid_terms_add_forces(const fm_particles_step *step);
size_t fm_fluid_terms_save(const fm_particles *p, unsigned char *out); // out NULL: the size only
bool fm_fluid_terms_restore(fm_particles *p, int count, const unsigned char *in, size_t size,
                            fm_error *err);
uint64_t fm_fluid_terms_hash(const fm_particles *p, uint64_t seed);

#endif
