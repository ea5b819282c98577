// SPDX-License-Identifier: MIT
// soft.h: soft bodies [MES]: what they have besides the cloth made from their mesh. Part of
// cloth.h.
#ifndef FATHOM_CLOTH_SOFT_H
#define FATHOM_CLOTH_SOFT_H

#include "cloth/spring_mesh.h"
#include "object/object.h"

#include <fathom/soft.h>

// Springs through the inside of a soft body, between opposite parts of its surface; see struts.c.
typedef struct fm_struts {
    int count;
    int *a, *b;           // particles at the ends
    double *rest;         // m, rest length
    double *stiffness;    // N/m
    double *friction;     // N s/m
    fm_incidence at;      // struts at each particle
    fm_vec3_array forces; // scratch, N, on particle a
} fm_struts;

// A soft body [MES]: what it has besides the cloth made from its mesh. soft.c
typedef struct fm_soft {
    fm_soft_def def;
    bool closed;   // every edge has two triangles
    double volume; // m^3, enclosed at the start
    fm_struts struts;
    double *partial; // scratch: partial sums over blocks of triangles
} fm_soft;

// enclosed_gas.c: m^3, volume that a closed mesh encloses at positions x, from its area vectors.
double fm_soft_compute_volume(fm_cloth *cloth, const fm_vec3_array *x, fm_pool *pool);
double fm_soft_gas_amount(const fm_cloth *cloth);                   // Pa m^3; 0 without gas
double fm_soft_over_pressure(const fm_cloth *cloth, double volume); // Pa, of the gas

// soft.c: soft bodies.
bool fm_soft_check(const fm_soft_def *soft, const char *object, fm_error *err);
bool fm_soft_create(fm_cloth *cloth, const fm_soft_def *def, fm_error *err); // scales by alpha
bool fm_soft_finish(fm_cloth *cloth, fm_error *err); // once edges and triangles exist

// fluidity.c: density of the points, from their present neighbours: kg/m^2 or kg/m^3.
void fm_fluidity_read_density(fm_cloth *cloth, double *density);

// surface_measures.c: volume, curvature and roughness of the surface of a mesh.
double fm_mesh_volume(const fm_cloth *cloth); // m^3, enclosed now
// Mean curvature at each particle, 1/m, positive where the surface bulges to the front; 0 at the
// border of an open mesh.
bool fm_mesh_compute_curvature(const fm_cloth *cloth, double *curvature, fm_error *err);
double fm_mesh_rms_curvature(const fm_cloth *cloth, fm_error *err); // 1/m, weighted by area
// m, root mean square of the distance from a copy that is smoothed over `length`, m.
double fm_mesh_roughness(const fm_cloth *cloth, double length, fm_error *err);

extern const fm_object_type fm_soft_type; // soft_object.c

#endif
