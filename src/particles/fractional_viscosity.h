// SPDX-License-Identifier: MIT
// fractional_viscosity.h: the state of fractional viscosity, for fractional_viscosity.c and tests.
//
// Fractional viscosity needs D^q x, the fractional derivative of order q of each particle's
// position. A memory is the operator that computes it: it is fed ("pushed") the velocities at
// successive times. Each scalar signal that it differentiates is a lane, so a particle has one lane
// per axis. Lanes stay where they are and each particle stores the number of its lane, so sorting
// particles moves one integer per particle.
#ifndef FATHOM_PARTICLES_FRACTIONAL_VISCOSITY_H
#define FATHOM_PARTICLES_FRACTIONAL_VISCOSITY_H

#include "memory/memory.h"
#include "particles/particles.h"

// State of the fractional viscosity of one fluid.
typedef struct fm_fractional_state {
    int axes;               // 2 or 3
    int solid_lanes;        // lanes (differentiated signals) per axis of walls and colliders
    int lanes;              // lanes per axis, those of the fluid particles included
    bool replaces_velocity; // only viscosity reads the velocities of the force records, so they
                            // are overwritten with the fractional velocities
    double shortest_step;   // s, velocities are fed to the memory at most once in this time
    // Computes D^q x from the whole past, for FM_RECALL_FULL and FM_RECALL_FADING; else NULL. Lane
    // l of axis k is k * lanes + l.
    fm_memory *memory;
    fm_variable_window window; // computes D^q x from the last n steps, for FM_RECALL_STEPS

    // state
    int *lane;         // [capacity] lane of each particle, then the lanes that no particle has
    int used_lanes;    // largest number of lanes that particles have had at once
    double since_push; // s, time since velocities were last fed to the memory
    double recorded;   // s, time that the memory covers
    double last_step;  // s, time between the last two sets of velocities that were fed to it
    double scale;      // s^(q-1), T^(q-1), turns D^q x into a velocity
    bool begun;        // the memory has been fed at least once
    double *values;    // [axes * lanes] m s^-q, D^q x of each lane when the memory was last fed

    // scratch
    int *lane_spare; // [capacity] destination when `lane` is reordered
    // m/s, T^(q-1) D^q x, which viscosity uses, of fluid and of boundary particles
    fm_viscous_velocity *velocities, *boundary_velocities;
} fm_fractional_state;

// State of the fractional viscosity of a fluid; NULL for a fluid without it.
static inline fm_fractional_state *fm_fractional_find_state(const fm_particles *p)
{
    return fm_fluid_terms_find(p, &fm_fractional_term);
}

#endif
