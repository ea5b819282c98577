// SPDX-License-Identifier: MIT
// method_choice.c: the automatic choice between the constant-density and the weakly compressible
// method.
//
// Constant density takes long steps and is the better method for water with a free surface that
// moves under gravity. It is chosen there, unless something needs the weakly compressible method:
//
//   springs           they exist in that method only
//   memory            fractional viscosity is tested with that method
//   surface tension   with constant density, only drops at rest are tested
//   light cloth       free two-way cloth that differs from the weight of the fluid by less than
//                     LIGHT layers of particles sinks much more slowly with constant density
//   viscosity         if it bounds the step, the long steps of constant density are lost
//
// A step of constant density costs about as much as SOLVE_STEPS weakly compressible ones. At the
// shipped dam breaks (docs/particles.md), the viscous bound is 1.4 of the step of sound for honey,
// where constant density takes twice as long, and 14 for syrup, where it takes 0.6.
#include "particles/particles.h"

#include <stdio.h>

static const double SOLVE_STEPS = 4;
static const double LIGHT = 0.5; // docs/coupling.md, Sinking
static const double FULL = 0.9;  // share of the domain above which fluid has no free surface

// True when the fluid fills a domain without open sides.
static bool fills_domain(const fm_particles *p)
{
    const fm_domain *d = &p->def.domain;
    const double size[3] = {d->high.x - d->low.x, d->high.y - d->low.y, d->high.z - d->low.z};
    double volume = 1;
    for (int axis = 0; axis < (p->def.dimensions == 2 ? 2 : 3); axis++) {
        volume *= size[axis];
        if (d->sides[2 * axis] == FM_SIDE_OPEN || d->sides[2 * axis + 1] == FM_SIDE_OPEN)
            return false;
    }
    return p->count * p->volume > FULL * volume;
}

// True when a free cloth with two-way coupling is almost as heavy as the fluid.
static bool has_light_cloth(const fm_particles *p)
{
    for (int m = 0; m < p->surface_count; m++) {
        const fm_samples *s = p->surfaces[m];
        double weight = fabs(s->free_mass - p->def.density * s->thickness); // kg/m^2, in the fluid
        if (!s->passive && !s->by_drag && s->free_mass > 0 &&
            weight < LIGHT * p->def.density * p->def.spacing)
            return true;
    }
    return false;
}

// Why constant density is not chosen; NULL: it is.
static const char *find_obstacle(const fm_particles *p, const fm_surroundings *around)
{
    const double nu = p->def.viscosity / p->def.density, h = p->R / 2;
    const double sound = p->def.courant * p->R / p->c; // s
    if (p->def.network.viscosity > 0)
        return "it has springs";
    if (p->def.fractional.order < 1)
        return "its viscosity has a memory";
    if (p->def.surface_tension > 0)
        return "it has surface tension";
    if (fm_length(around->gravity) == 0)
        return "there is no gravity";
    if (fills_domain(p))
        return "it has no free surface";
    if (has_light_cloth(p))
        return "light free cloth moves too slowly with constant density";
    return nu * sound * SOLVE_STEPS > 0.125 * h * h ? "viscosity bounds the step" : NULL;
}

void fm_particles_choose_method(fm_particles *p, const fm_surroundings *around)
{
    if (p->def.method != FM_SPH_AUTOMATIC)
        return;
    const char *obstacle = find_obstacle(p, around);
    p->def.method = obstacle ? FM_SPH_WEAKLY_COMPRESSIBLE : FM_SPH_CONSTANT_DENSITY;
    snprintf(p->method_reason, sizeof p->method_reason, "%s: %s",
             obstacle ? "weakly-compressible" : "constant-density",
             obstacle ? obstacle : "it has a free surface, and nothing needs another method");
}

const char *fm_particles_method_reason(const fm_particles *p)
{
    return p->method_reason;
}
