// SPDX-License-Identifier: MIT
// weight.c: the force term of weight minus buoyancy.
//
// The force on a particle is (m - rho A d) g:
//
//   m  kg, mass of the particle     A  m^2, its area     d  m, thickness of the cloth
//   rho  kg/m^3, density of the medium     g  m/s^2, gravity
//
// A soft body scales g by its weight delta. The closing kick adds the force in its own loop
// (kick.c), so the term has no force function.
#include "cloth/cloth.h"

fm_weight fm_weight_compute(const fm_cloth *cloth, const fm_surroundings *around)
{
    double scale = cloth->soft ? cloth->soft->def.delta : 1;
    return (fm_weight){fm_scale(around->gravity, scale),
                       around->medium.density * cloth->def.thickness};
}

// Potential energy of weight minus buoyancy, 0 at the origin. net: mass minus displaced mass, kg.
static fm_energies weight_energy(const fm_cloth *c, const fm_term *term,
                                 const fm_surroundings *around)
{
    (void)term;
    fm_weight weight = fm_weight_compute(c, around);
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        double net = c->mass[i] - c->area[i] * weight.displaced;
        sum -= net * fm_dot(fm_vec3_array_at(c->x, i), weight.gravity);
    }
    return (fm_energies){.potential = sum};
}

// Weight has no force function: load_particle adds it.
const fm_term_type fm_weight_term = {.name = "weight", .energy = weight_energy};
