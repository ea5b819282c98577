// SPDX-License-Identifier: MIT
// fabric.h: fabrics [LCKL13]: what they have besides the cloth made from their mesh. Part of
// cloth.h.
#ifndef FATHOM_CLOTH_FABRIC_H
#define FATHOM_CLOTH_FABRIC_H

#include "core/core.h"

#include <fathom/fabric.h>

typedef struct fm_substep fm_substep;

// A fabric [LCKL13]: what it has besides the cloth made from its mesh. fabric.c
typedef struct fm_fabric {
    fm_fabric_def def;
    fm_vec3_array rest_vector; // m, of each edge at rest
    double gershgorin, bound;  // 1/s^2, bounds on omega^2 of the springs: eigenfrequency.c
    double distance;           // m, of reflection
    // scratch of reflection.c
    fm_cell_list triangle_cells; // hash grid of the triangles
    fm_vec3_array centroid;      // m, of each triangle
} fm_fabric;

// fabric.c
bool fm_fabric_check(const fm_fabric_def *fabric, const fm_cloth_def *def, const char *object,
                     fm_error *err);
bool fm_fabric_create(fm_cloth *cloth, const fm_fabric_def *def, fm_error *err); // sets masses
double fm_fabric_edge_constant(const fm_fabric_def *def, bool border);           // N/m
bool fm_fabric_finish(fm_cloth *cloth, fm_error *err); // once the edges exist

// fabric_springs.c: the forces of the edges [first, last) into edge_force, for models other than II
bool fm_fabric_has_own_law(const fm_cloth *cloth);
void fm_fabric_compute_edges(fm_cloth *cloth, const fm_vec3_array *x, int first, int last);
double fm_fabric_edge_energy(const fm_cloth *cloth, int edge); // J
// Derivative of the force of an edge with respect to the vector along it: p 1 + q e e^T, N/m.
typedef struct fm_edge_stiffness {
    fm_vec3 e;
    double p, q;
} fm_edge_stiffness;
fm_edge_stiffness fm_fabric_linearise_edge(const fm_cloth *cloth, int edge);

// eigenfrequency.c: computes the bounds of a fabric.
bool fm_fabric_find_bound(fm_cloth *cloth, fm_error *err);

// pressure_difference.c: N, on a particle of a fabric, from the area vectors of the triangles; 0
// without a pressure difference.
fm_vec3 fm_pressure_force(const fm_cloth *cloth, int particle);
// m^2, sum of the area vectors of the triangles at a particle.
fm_vec3 fm_mesh_sum_area_vectors(const fm_cloth *cloth, int particle);

// impulse_method.c: nothing happens without the term of this file.
void fm_impulses_begin_explicit(fm_substep *s);
void fm_impulses_end_explicit(fm_substep *s); // when `flow` has the new velocity, and w the old
void fm_impulses_add_medium(fm_cloth *cloth); // at the start: v = v + w

// reflection.c: collisions at the end of a substep; nothing happens unless the fabric wants it.
bool fm_reflection_create(fm_cloth *cloth, fm_error *err);
void fm_reflection_apply(fm_substep *s);

#endif
