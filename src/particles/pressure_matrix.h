// SPDX-License-Identifier: MIT
// pressure_matrix.h: linear system of the pressure solver (pressure_solver.c).
#ifndef FM_PARTICLES_PRESSURE_MATRIX_H
#define FM_PARTICLES_PRESSURE_MATRIX_H

#include "particles/particles.h"

// Computes weights, diagonal and right sides: p->residual for the velocities, p->excess for the
// density. Sets p->pressure_sum to the pressures of the last substep.
void fm_pressure_compute_rows(const fm_particles_step *step);
// True when the fluid has a free surface, where the pressure is known.
bool fm_pressure_has_surface(const fm_particles *p);
// Lists the particles beside colliders with a mass. Needs step->closed.
void fm_pressure_find_body_links(const fm_particles_step *step);
// Solves for p->pressure_sum, from its present value. p->residual: the right side. reduction: of
// the residual relative to the right side. Ends earlier when the mean residual is below `least`.
// Returns the mean residual.
double fm_pressure_iterate(const fm_particles_step *step, double reduction, double least);

#endif
