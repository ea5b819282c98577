// SPDX-License-Identifier: MIT
// line.h: lines and loads: what they have besides the springs of a cloth. Part of cloth.h.
#ifndef FATHOM_CLOTH_LINE_H
#define FATHOM_CLOTH_LINE_H

#include "object/object.h"

#include <fathom/line.h>

typedef struct fm_drag_step fm_drag_step;

// Drag of a line or load per surface area; line_drag.c has the equations.
typedef struct fm_line_coefficients {
    double quadratic; // times 1/2 rho |u| u
    double viscous;   // 1/m, times mu u
    double history;   // times sqrt(rho mu) D^(1/2) u
} fm_line_coefficients;

// What a line or load has besides its springs.
typedef struct fm_line {
    double diameter; // m
    bool is_load;    // one point, a ball
    bool tension_only;
    double bending;                     // N m^2
    double kappa;                       // 1/s, damping of the spring impulses (impulse_method.c)
    fm_line_coefficients along, across; // the line; the same for a load
    double added_mass;                  // in displaced masses
    int strand_count;
    int *starts, *points; // as in fm_strands
    int *edge;            // [2 * edge_count] ends of the edges, in pairs
} fm_line;

// line.c, line_drag.c: lines and loads.
fm_cloth *fm_line_create_detached(const fm_line_def *def, const fm_strands *strands,
                                  const fm_medium *medium, fm_error *err);
fm_cloth *fm_load_create_detached(const fm_load_def *def, const fm_medium *medium, fm_error *err);
void fm_line_prepare_drag(const fm_cloth *c, const fm_medium *medium, fm_drag_step *step);
double fm_line_added_mass(const fm_cloth *c, const fm_medium *medium); // kg/m^2
double fm_line_added_energy(const fm_cloth *c, const fm_medium *medium);
double fm_line_edge_tension(const fm_cloth *c, int e);          // N, now
void fm_line_set_inertia(fm_cloth *c, const fm_medium *medium); // mass and added mass
void fm_line_compute_tangents(const fm_cloth *c, const fm_vec3_array *x,
                              const fm_vec3_array *tangent, int first, int last);
extern const fm_object_type fm_line_type, fm_load_type; // line_object.c

#endif
