// SPDX-License-Identifier: MIT
// sheet_pressure.h: thin sheets in the pressure solve of the constant-density method.
#ifndef FM_PARTICLES_SHEET_PRESSURE_H
#define FM_PARTICLES_SHEET_PRESSURE_H

#include "particles/particles.h"

void fm_sheets_begin(const fm_particles_step *step);
void fm_sheets_predict(const fm_particles_step *step);
void fm_sheets_store_links(const fm_particles_step *step);
void fm_sheets_respond(const fm_particles_step *step);
void fm_sheets_hold(const fm_particles_step *step);
void fm_sheets_push(const fm_particles_step *step);
void fm_sheets_add_impulse(fm_particles *p, int b, fm_vec3 impulse);
void fm_sheets_finish(const fm_particles_step *step);

#endif
