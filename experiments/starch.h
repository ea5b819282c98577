// SPDX-License-Identifier: MIT
// starch.h: a pool of cornstarch in water with a ball, shared by the experiments on thickening
// fluids.
#ifndef FATHOM_EXPERIMENTS_STARCH_H
#define FATHOM_EXPERIMENTS_STARCH_H

#include "experiment.h"

#include <fathom/fathom.h>

static const double STARCH_GRAVITY = 9.81; // m/s^2

// Definition of a pool.
typedef struct starch_def {
    fm_vec3 size;     // m, of the tank, open on top
    double depth;     // m, of the fluid
    double spacing;   // m
    double fading;    // s, of the memory
    double order;     // of the memory; 0: the default
    double hole;      // m, side of a square hole in the middle of the fluid; 0: none
    double seconds;   // s, window of the published model's memory
    double time_step; // s; 0: chosen
    double courant;   // 0: the default
    bool sticky;      // walls of the published model
    bool loads;       // measure the force on walls
    int threads;
    fm_thickening fluid;          // `published` chooses the model
    uint64_t seed;                // of the particles' random offsets; 0: a regular lattice
    const fm_collider_def *solid; // one collider; NULL: none
    const fm_motion *(*motion)(fm_world *world, const void *context, fm_error *err); // of it
    const fm_motion *(*shake)(fm_world *world, const void *context, fm_error *err);  // of the tank
    const void *context; // of the motions
} starch_def;

// A pool: its world, fluid and collider.
typedef struct starch {
    fm_world *world;
    fm_particles *fluid;
    fm_collider *solid;
} starch;

starch_def starch_default(void); // 0.5 x 0.16 x 0.3 m, 2 cm, fading 0.5 s
starch starch_create(const starch_def *def, fm_error *err);
// Definition of a ball of this radius, m, and density, kg/m^3, its centre at x.
fm_collider_def starch_ball(fm_vec3 x, double radius, double density);
// Mean of a field of all particles.
double starch_mean(starch *pool, const char *field, experiment *e);

#endif
