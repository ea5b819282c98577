// SPDX-License-Identifier: MIT
// spring_network.h: the springs between particles of a thickening fluid, for spring_network.c,
// spring_memory.c and tests.
//
// A spring is stored with the one of its two particles that has the lower id, its owner. The
// springs of a block of FM_PARTICLES_BLOCK particles are in one part of the arrays, in the order of
// their owners. Each substep copies them to the order of the sorted particles, without those that
// broke, and adds new ones.
#ifndef FATHOM_PARTICLES_SPRING_NETWORK_H
#define FATHOM_PARTICLES_SPRING_NETWORK_H

#include "memory/memory.h"
#include "particles/particles.h"

#include <string.h>

enum {
    FM_SPRING_MODES_MAX = FM_MEMORY_MAX_EXPONENTIALS,
    FM_SPRING_MODE_GROUP = 8, // modes that one SIMD vector holds
};

// Springs of all particles, one array per quantity. A slot is the place of a spring in the arrays.
typedef struct fm_spring_arrays {
    int *start;    // [capacity] first slot of a particle's own springs
    int *count;    // [capacity] how many it owns
    int *other;    // [slots] index of the particle at the other end
    float *rest;   // [slots] m, rest length L
    float *rate;   // [slots] m/s, rate that was fed to the memory last
    float *memory; // [slots] m s^-q, M, the fractional integral of that rate
    float *modes;  // [slots][mode_count] m, one number for each exponential of the memory's kernel
} fm_spring_arrays;

// Coefficients of one step of the memory, in single precision. Symbols as in exponentials.c.
typedef struct fm_spring_recurrence {
    double step;                          // s, for which they were computed; 0: not yet
    float newest_weight, previous_weight; // s^(1-q), w0 and w1
    float loss[FM_SPRING_MODES_MAX]; // 1 - e^-z, which single precision resolves for short steps
    float from_old[FM_SPRING_MODES_MAX]; // s, h A
    float from_new[FM_SPRING_MODES_MAX]; // s, h B
    float gain[FM_SPRING_MODES_MAX];     // s^-q, g_k
} fm_spring_recurrence;

// Results of one block of particles, summed in order afterwards.
typedef struct fm_spring_block {
    int made, broken, refused, limited; // springs: see fm_spring_stats
    double least_share;                 // smallest ratio of limited to unlimited stiffness
    double largest_sum;                 // N/m, largest sum of stiffnesses at a particle
} fm_spring_block;

// The springs of one fluid: definition converted to springs, state, and scratch.
typedef struct fm_springs {
    // from the definition
    double k_min;           // N/m (2D: N/m per m of depth), stiffness without history
    double M_onset;         // m s^-q, M at which the stiffness is twice k_min; INFINITY: never
    double reach, break_at; // m, springs are made below this length and removed above that one
    fm_exponentials kernel; // of the memory
    double fading_rate;     // 1/s, 1 / fading time; 0: full memory
    int mode_count;         // exponentials, padded to a multiple of 8
    int block_capacity;     // slots of one block of particles
    double period[3];       // m, of the domain along each axis; 0: not periodic

    // state
    fm_spring_arrays now;
    fm_particle_scalar *history; // N/m, mean history stiffness of the springs at each particle
    double recorded;             // s, time of the last evaluation
    bool begun;                  // there was one
    double largest_sum;          // N/m, largest sum of stiffnesses at a particle

    // scratch
    fm_spring_arrays spare;    // destination of the next copy
    const int *from;           // particle i was at from[i] before the last sorting
    int *new_index;            // [capacity] index after sorting; -1: removed
    float *fx, *fy, *fz;       // [slots] N, force on the owner
    float *stiffness;          // [slots] N/m, before the limit of the substep
    int *incoming_start;       // [capacity + 1] springs that particle i does not own: from
                               // incoming[incoming_start[i]] to below incoming_start[i + 1]
    int *incoming;             // [slots] slots of these springs
    fm_spring_block *blocks;   // [blocks]
    fm_spring_recurrence step; // of the current substep
    fm_spring_stats totals;    // since the fluid was created
    double least_share;        // since the last reset of the fluid's statistics
} fm_springs;

// spring_memory.c
// Fits the kernel of the memory and converts viscosity, onset and relaxation to springs.
bool fm_springs_convert_def(fm_springs *springs, const fm_particles *p, fm_error *err);
// Computes the coefficients of a step of h seconds.
void fm_springs_set_step(fm_springs *springs, const fm_particles *p, double h);
// Advances the modes of one spring and returns M, m s^-q. Rates in m/s.
FM_INLINE float fm_springs_advance_memory(const fm_spring_recurrence *step, int mode_count,
                                          const float *restrict old, float *restrict now,
                                          float old_rate, float new_rate)
{
    fm_floats sum = {0};
    for (int k = 0; k < mode_count; k += FM_SPRING_MODE_GROUP) {
        fm_floats mode, loss, a, b, gain;
        memcpy(&mode, old + k, sizeof mode);
        memcpy(&gain, step->gain + k, sizeof gain);
        memcpy(&loss, step->loss + k, sizeof loss);
        memcpy(&a, step->from_old + k, sizeof a);
        memcpy(&b, step->from_new + k, sizeof b);
        sum += gain * mode;
        mode += (a * old_rate + b * new_rate) - loss * mode;
        memcpy(now + k, &mode, sizeof mode);
    }
    return step->newest_weight * new_rate + step->previous_weight * old_rate + fm_floats_sum(sum);
}

// The springs of a fluid; NULL for a fluid without springs.
static inline fm_springs *fm_springs_find(const fm_particles *p)
{
    return fm_fluid_terms_find(p, &fm_network_term);
}

// spring_network.c
double fm_springs_find_history(const fm_particles *p, int i); // N/m, at particle i; 0: no springs

#endif
