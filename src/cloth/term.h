// SPDX-License-Identifier: MIT
// term.h: the interface of a force term of a cloth.
//
// Springs, bending, seams, damping, repulsion, weight and drag are force terms: each is a constant
// fm_term_type in a file of its own and one row of the table in terms.c. A term adds forces, bounds
// the largest stable substep, computes its energy, may give impulses in the closing kick and may
// have a memory. The integrator, the measures and the snapshots loop over the table and do not
// refer to any term by name.
//
// Weight and drag are computed inside the loop of the closing kick (kick.c and drag.h say why), so
// their rows of the table have no force function.
#ifndef FATHOM_CLOTH_TERM_H
#define FATHOM_CLOTH_TERM_H

#include "collide/collide.h"
#include "core/core.h"
#include "memory/memory.h"

#include <fathom/cloth.h>

// One force term of one cloth.
typedef struct fm_term {
    const struct fm_term_type *type;
    fm_memory *memory; // NULL: the force does not depend on the past
    // The part of the memory's next value that follows from past rates, so that it is known before
    // the next rate. NULL if the type has no define_memory.
    fm_vec3_array known;
    int lanes;       // of each component of the memory: those of the cloth, unless setup changes it
    double *state;   // finite numbers, saved in snapshots in addition to the memory
    int state_count; // length of state
    void *data;      // parameters and scratch of the term, in the cloth's arena
} fm_term;

enum { FM_TERMS_MAX = 18 }; // terms of a cloth

// A stage of an implicit integrator (implicit.c): x' = r + tau v' at its end.
typedef struct fm_implicit_stage {
    double tau;      // s
    double interval; // s, since the last push into the memories
} fm_implicit_stage;

// Arguments of a force evaluation.
typedef struct fm_evaluation {
    const fm_vec3_array *x, *v; // m, m/s, positions and velocities
    double t;                   // s
    bool is_explicit;           // explicit integrator: impulses are not used, everything is a force
    fm_pool *pool;
    // implicit integrator: v are the velocities at the end of this stage, impulses are not used,
    // everything is a force; NULL: another integrator
    const fm_implicit_stage *stage;
} fm_evaluation;

// Factors of the approximate second derivatives that a term adds to the linear system of the
// implicit integrators (implicit.h).
typedef struct fm_hessian_factors {
    double springs; // of the stiffness of all springs
    double damping; // 1/s^order, of their damping coefficients
    double bending; // of the bending stiffness
} fm_hessian_factors;

// Parts [first, last) of the `count` equal parts into which a list of elements is cut.
typedef struct fm_element_parts {
    int first, last, count;
} fm_element_parts;

// Contribution of a term to the bound on omega^2, the square of the largest angular frequency:
// fixed + of_springs * (bound from spring_sum).
typedef struct fm_term_bound {
    double fixed;      // 1/s^2
    double of_springs; // dimensionless
} fm_term_bound;

// Energies of a term, or their sum over all terms.
typedef struct fm_energies {
    double kinetic, potential; // J
} fm_energies;

struct fm_substep;

// The functions of a term; NULL where a term has nothing to do. Forces are added to cloth->force,
// N. A force that depends on neighbours only is computed block by block:
// - on a sheet, add_rows adds the forces on the particles in rows [first, last); it may read
//   positions of any row;
// - on a tube or mesh, compute_elements first writes the forces of each edge, hinge or triangle
//   into arrays of the term; then gather_elements sums them at the particles [first, last), by
//   rising element index.
// All other forces are added afterwards by add_forces.
typedef struct fm_term_type {
    const char *name;                       // at most 15 characters, used in snapshots
    bool (*applies)(const fm_cloth *cloth); // whether this cloth has the term; NULL: every cloth
    bool (*setup)(fm_cloth *cloth, fm_term *term, fm_error *err); // fills state and data
    void (*add_rows)(fm_cloth *cloth, fm_term *term, const fm_vec3_array *x, int first, int last);
    void (*compute_elements)(fm_cloth *cloth, fm_term *term, const fm_vec3_array *x,
                             fm_element_parts part);
    void (*gather_elements)(fm_cloth *cloth, fm_term *term, int first, int last);
    void (*add_forces)(fm_cloth *cloth, fm_term *term, const fm_evaluation *at);
    // When the substep closes: computes impulses from the new velocities and overwrites cloth->pair
    // with them, N s. They must be stable for any h, and conserve momentum if they act between
    // particles.
    void (*find_impulses)(fm_cloth *cloth, fm_term *term, const struct fm_substep *s);
    // At the end of a substep, or of a stage of an implicit integrator: moves the state of the term
    // to the positions cloth->x.
    void (*end_stage)(fm_cloth *cloth, fm_term *term, fm_pool *pool);
    // For the implicit integrators, which refuse terms that have forces or impulses and no such
    // function: adds the term's part of the second derivatives.
    void (*add_hessian)(const fm_cloth *cloth, const fm_term *term, const fm_implicit_stage *stage,
                        fm_hessian_factors *factors);
    // For the choice of the substep. add_stiffness adds to cloth->spring_sum, N/m per particle;
    // with enforcement, scale_stiffness reduces that stiffness. bound returns the term's
    // contribution to the bound on omega^2.
    void (*add_stiffness)(fm_cloth *cloth, fm_term *term);
    void (*scale_stiffness)(fm_cloth *cloth, fm_term *term, double factor);
    fm_term_bound (*bound)(const fm_cloth *cloth, const fm_term *term);
    fm_energies (*energy)(const fm_cloth *cloth, const fm_term *term,
                          const fm_surroundings *around);
    // define_memory returns whether the term has a memory, and fills in its kind and order.
    // find_rates returns the rates of particles [first, last) that are pushed into the memory.
    bool (*define_memory)(const fm_cloth *cloth, const fm_medium *medium, fm_recall *memory,
                          double *order);
    const fm_vec3_array *(*find_rates)(fm_cloth *cloth, fm_term *term, int first, int last);
    // Instead of find_rates, for a memory of elements, whose rates depend on several particles:
    // returns 3 * term->lanes rates at the final velocities of the substep. Such a term predicts
    // its memory itself, with fm_terms_predict_elements.
    const double *(*find_element_rates)(fm_cloth *cloth, fm_term *term, fm_pool *pool);
} fm_term_type;

// The first element of a part, and one past its last element, of a list of `elements` elements.
static inline int fm_element_parts_first(fm_element_parts part, int elements)
{
    return (int)((int64_t)elements * part.first / part.count);
}
static inline int fm_element_parts_last(fm_element_parts part, int elements)
{
    return (int)((int64_t)elements * part.last / part.count);
}

// terms.c
extern const fm_term_type fm_springs_term, fm_bending_term, fm_seams_term, fm_damping_term,
    fm_repulsion_term, fm_weight_term, fm_drag_term, fm_bend_damping_term, fm_impulse_term,
    fm_pressure_term, fm_line_bending_term, fm_fluidity_term, fm_struts_term, fm_gas_term,
    fm_triangles_term, fm_mesh_triangles_term, fm_bend_friction_term;
// Adds the terms of the table that act on this cloth.
bool fm_terms_create(fm_cloth *cloth, fm_error *err);
// Adds another term after those of the table; only before the first advance.
bool fm_cloth_add_term(fm_cloth *cloth, const fm_term_type *type, fm_error *err);
// Returns NULL if the cloth does not have the term.
const fm_term *fm_cloth_find_term(const fm_cloth *cloth, const fm_term_type *type);
// Computes cloth->force, and the normals at positions at->x.
void fm_terms_add_forces(fm_cloth *cloth, const fm_evaluation *at, const fm_vec3_array *normal);
fm_energies fm_terms_energy(const fm_cloth *cloth, const fm_surroundings *around);
void fm_cloth_choose_step(fm_cloth *cloth); // stable_step, from the terms' bounds
void fm_axes_clear(const fm_vec3_array *axes, int first, int last);     // sets [first, last) to 0
double fm_cloth_particle_distance(const fm_cloth *cloth, int a, int b); // m

// kg, mass of a particle inside a sheet, or the smallest mass of a particle of a tube or mesh.
double fm_cloth_cell_mass(const fm_cloth *cloth);

// term_memories.c: the memories of all terms. In each substep of h seconds: begin, predict, push,
// end; predict and push work on the particles [first, last).
bool fm_terms_create_memories(fm_cloth *cloth, const fm_medium *medium, double h, fm_error *err);
bool fm_terms_have_window(const fm_cloth *cloth);
bool fm_terms_begin_memories(fm_cloth *cloth, double h, fm_error *err);
void fm_terms_predict_memories(fm_cloth *cloth, int first, int last); // writes term->known

// Predicts the memory of a term with find_element_rates, for all of its elements.
void fm_terms_predict_elements(fm_term *term, fm_pool *pool);
void fm_terms_push_memories(fm_cloth *cloth, int first, int last);
void fm_terms_end_memories(fm_cloth *cloth);  // also pushes the rates of elements
void fm_terms_read_memories(fm_cloth *cloth); // writes the present derivatives to term->known
size_t fm_terms_save(const fm_cloth *cloth, unsigned char *out); // out NULL: returns the size only
uint64_t fm_terms_hash(const fm_cloth *cloth, uint64_t seed);    // of what fm_terms_save writes
// h: the substep that the memories were created for, s; 0: the saved cloth had not started. On
// failure the terms are unchanged.
bool fm_terms_restore(fm_cloth *cloth, const fm_medium *medium, double h, const unsigned char *in,
                      size_t size, fm_error *err);

#endif
