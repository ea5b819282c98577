// SPDX-License-Identifier: MIT
// surface_reference.h: the pressure that forces beside an immersed surface leave out.
#ifndef FM_PARTICLES_SURFACE_REFERENCE_H
#define FM_PARTICLES_SURFACE_REFERENCE_H

#include "particles/particles.h"

// Reference pressure at a fluid particle beside an immersed surface.
typedef struct fm_surface_reference {
    double share;  // 0 to 1, that of the samples around it; 0: no reference
    double P;      // m^2/s^2
    fm_vec3 slope; // m/s^2, its gradient
    // Sums over the samples around the particle, without the gradient scale fm_particles.F: of the
    // kernel gradients, and of these times slope . (distance vector).
    fm_vec3 gradient, linear;
} fm_surface_reference;

// Sets the reference of a sample from its kernel sums. inside: share of the particles around it that
// are not beside a free surface; clinging: its clinging share.
void fm_surface_reference_set(fm_sample_sums *v, fm_vec3 normal, fm_vec3 g, double inside,
                              double clinging);
// Weight of the fluid in the excess volume of sample k, N, without what the reference carries.
fm_vec3 fm_surface_reference_find_weight(const fm_particles_step *step, const fm_samples *samples,
                                         int k, const fm_sample_sums *v);
// Finds the references of all fluid particles. Call after the samples have measured the fluid.
void fm_surface_reference_find(const fm_particles_step *step);

#endif
