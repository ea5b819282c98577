// SPDX-License-Identifier: MIT
// sheet_pressure.h: thin sheets, such as cloth, in the pressure solve of the constant-density
// method. All functions do nothing in fluids without sheets (p->sheet).
#ifndef FM_PARTICLES_SHEET_PRESSURE_H
#define FM_PARTICLES_SHEET_PRESSURE_H

#include "particles/particles.h"

// Reads what the sheets did in their interval. Call after the forces without pressure are computed.
void fm_sheet_pressure_begin(const fm_particles_step *step);
// Predicts the velocities of the samples without pressure. Call before the matrix is computed.
void fm_sheet_pressure_predict(const fm_particles_step *step);
// Adds the sheets to the matrix. Call after its rows are computed.
void fm_sheet_pressure_add_rows(const fm_particles_step *step);
// Adds the part of the sheets to a product with the matrix: writes it to the boundary records. Call
// before multiplication.
void fm_sheet_pressure_respond(const fm_particles_step *step);
// The sheets stay where they are in the solves that follow.
void fm_sheet_pressure_hold(const fm_particles_step *step);
// Adds the forces of the pressures between samples and fluid to the accelerations.
void fm_sheet_pressure_push(const fm_particles_step *step);
// Adds an impulse, N s, of a stopped particle to the sample that is boundary particle b.
void fm_sheet_pressure_add_impulse(fm_particles *p, int b, fm_vec3 impulse);
// Gives all impulses and the next loads to the sheets. Call at the end of the substep.
void fm_sheet_pressure_finish(const fm_particles_step *step);

#endif
