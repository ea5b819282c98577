// SPDX-License-Identifier: MIT
// flowing.h: the cloth of [SJ] in a grid fluid, coupled in several ways, for the flow experiments.
#ifndef FATHOM_FLOWING_H
#define FATHOM_FLOWING_H

#include "experiment.h"
#include "fixtures.h"

#include <fathom/couple.h>
#include <fathom/grid.h>

// How cloth and fluid act on each other.
typedef enum flowing_way {
    FLOWING_UNIFORM, // no simulated fluid: a uniform velocity, as [Provot 1995]
    FLOWING_ONE_WAY, // [SJ] section 5
    FLOWING_BY_DRAG, // [SJ] section 6.1, the "quick and unsupported solution"
    FLOWING_TWO_WAY, // pressures kept apart; nothing passes through the cloth
    FLOWING_WAYS,
} flowing_way;
extern const char *const flowing_names[FLOWING_WAYS];

// A cloth in a fluid. NULL where there is none.
typedef struct flowing {
    fm_world *world;
    fm_grid *grid;
    fm_cloth *cloth;
} flowing;

// The cloth of [SJ]: explicit Euler, stretch, shear and bend springs, the length of stretch and
// shear springs clamped to 10 % of the rest length in three passes, drag along the normal only.
// Two-way cloth has the same springs and clamp with our integrator, and no drag of its own.
// sigma: kg/m^2; stiffness: N/m; drag: N s/m per m^2, C_n.
fm_cloth_def flowing_cloth_def(flowing_way way, double sigma, double stiffness, double drag);

// Couples the cloth to the grid, unless the flow is uniform.
void flowing_couple(const flowing *f, flowing_way way, fm_error *err);

// Velocity of the fluid at a point, m/s.
fm_vec3 flowing_velocity(const flowing *f, fm_vec3 at, fm_error *err);

#endif
