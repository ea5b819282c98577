// SPDX-License-Identifier: MIT
// sheet_pressure.h: thin sheets, such as cloth, in the pressure solve of the constant-density
// method. All functions do nothing in fluids without sheets (p->sheet).
#ifndef FM_PARTICLES_SHEET_PRESSURE_H
#define FM_PARTICLES_SHEET_PRESSURE_H

#include "particles/particles.h"

// A sample of a sheet in a substep of the constant-density method.
typedef struct fm_sheet_sample {
    bool active; // it has fluid nearby, and pushes it
    fm_vec3 normal;
    double mass;                  // kg, with the mass that clings to it; 0: held
    double inverse_mass;          // 1/kg, of its mass and the mass borrowed from the fluid; 0: held
    double speed;                 // m/s, along the normal: v*, then with the pressures
    double hold;                  // 1 / (1 + w K): 1 if held, 0 if light
    double response;              // rho V w / (1 + w K)
    fm_vec3 returned;             // N s, minus the load of its interval
    fm_vec3 given;                // N s, the same with the weight of its excess mass
    fm_vec3 soft;                 // N s, on mass and added mass: friction, stopped particles
    fm_vec3 passed;               // N s, that the fluid gets
    fm_vec3 pressure, tangential; // N s, of the pressures, along and across the normal
} fm_sheet_sample;

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
