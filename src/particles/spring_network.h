// SPDX-License-Identifier: MIT
// spring_network.h: the springs between particles of a thickening fluid, for spring_network.c,
// spring_memory.c and tests.
//
// A spring is stored with the one of its two particles that has the lower id, its owner. The
// springs of a block of FM_PARTICLES_BLOCK particles are in one part of the arrays, in the order of
// their owners. A substep that sorts the particles renews the springs: it copies them to the new
// order, without those that broke, adds new ones and advances their memories. Every substep
// computes their forces and lets their rest lengths flow.
#ifndef FATHOM_PARTICLES_SPRING_NETWORK_H
#define FATHOM_PARTICLES_SPRING_NETWORK_H

#include "memory/memory.h"
#include "particles/particles.h"

#include <string.h>

enum {
    FM_SPRING_MODES_MAX = FM_MEMORY_MAX_EXPONENTIALS,
    FM_SPRING_MODE_GROUP = 8, // modes that one SIMD vector holds
    FM_SPRING_CYCLES_MAX = 4, // cycles of the springs in a substep
};

// Springs of all particles, one array per quantity. A slot is the place of a spring in the arrays.
typedef struct fm_spring_arrays {
    int *start;    // [capacity] first slot of a particle's own springs
    int *count;    // [capacity] how many it owns
    int *other;    // [slots] index of the particle at the other end
    float *rest;   // [slots] m, rest length L
    float *length; // [slots] m, length l, smoothed over time
    float *path;   // [slots] m, integral of the rate that hardens since the last renewal
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
    int made, broken, refused; // springs: see fm_spring_stats
    int end;                   // slot behind the last of the block
    int limited;               // particles whose springs were softened
    double largest_sum;        // N/m, largest sum of stiffnesses at a particle
} fm_spring_block;

// Force of a spring on its owner, N, and its stiffness before the limit of the substep, N/m.
typedef struct fm_spring_force {
    float x, y, z, k;
} fm_spring_force;

enum { FM_VELOCITY_HISTORY_MAX = 4096 }; // substeps that past velocities cover at most

// Past velocities of all particles (velocity_history.c).
typedef struct fm_velocity_history {
    int column_count; // velocities kept of each particle: the window in substeps + 1
    int stride;       // columns of a row, padded
    int newest;       // column of the newest velocity
    int filled;       // columns that have velocities
    float *v;         // [place][axis][stride] m/s
    float *weight;    // [stride] s^(1-q), of each column now
    double newest_weight, *interior_weight, *oldest_weight; // by age in substeps, for h = 1
    fm_viscous_velocity *derivative;                        // [particle] m s^-q, D^q x
    int *place, *spare_place; // [particle] row of each particle, and destination of reordering
    int *free_place;          // rows without a particle
    int free_count;
} fm_velocity_history;

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
    fm_particle_scalar *sum;     // N/m, sum of the stiffnesses of the springs at each particle
    double recorded;             // s, time of the last evaluation of forces
    double renewed;              // s, time at which memories were advanced last
    bool begun;                  // there was an evaluation
    fm_velocity_history *past;   // past velocities of the particles; NULL: springs have modes
    double largest_sum;          // N/m, largest sum of stiffnesses at a particle

    // scratch
    fm_spring_arrays spare; // destination of the next copy
    const int *from;        // particle i was at from[i] before the last sorting
    int *new_index;         // [capacity] index after sorting; -1: removed
    int *owner;             // [slots] index of the particle that owns the spring
    fm_spring_force *force; // [slots]
    // [capacity] positions of particles within a substep, m from the origin of the cell rows, with
    // the share of the stiffness that the substep allows as the fourth number; velocities, m/s
    fm_viscous_velocity *x, *v;
    int *incoming_start;       // [capacity + 1] springs that particle i does not own: from
                               // incoming[incoming_start[i]] to below incoming_start[i + 1]
    int *incoming;             // [slots] slots of these springs
    fm_spring_block *blocks;   // [blocks]
    fm_spring_recurrence step; // of the current substep
    fm_spring_stats totals;    // since the fluid was created
    double least_share;        // since the last reset of the fluid's statistics
} fm_springs;

// What the passes over springs read in one substep (spring_network.c, spring_forces.c).
typedef struct fm_spring_pass {
    const fm_particles_step *step;
    fm_particles *p;
    fm_springs *s;
    double elapsed;         // s, since memories were advanced last
    int cycles;             // n
    float cycle;            // s, d
    bool last;              // this is the last cycle
    float k_min;            // N/m, least stiffness
    float most_sum;         // N/m, largest sum of stiffnesses at a particle that the substep allows
    bool limits;            // some particle exceeds that
    float inverse_onset;    // 1 / M_onset
    float stiffening;       // most of k / k_min
    float stretch, squeeze; // shares by which plastic flow reduces the excess of a longer and of a
                            // shorter spring, divided by 1 + gamma and 1 - gamma
    float yield;            // gamma
    bool remembers;         // springs integrate the rate that hardens
    float smoothing;        // 1 - e^(-interval / T), T the time over which lengths are smoothed
    float interval;         // s, between two evaluations of the forces
    float threshold;        // change of length in this interval, relative to it, that does not
                            // harden
    float reach2;           // m^2, square of the length below which springs are made
    bool has_ghosts;        // the domain is periodic
} fm_spring_pass;

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

// velocity_history.c: past velocities, for memories of `steps` and `seconds`.
bool fm_velocity_history_is_needed(const fm_particles *p);
// s, time constant of the fading memory that has the same M in steady motion.
double fm_velocity_history_find_fading(const fm_particles *p);
fm_velocity_history *fm_velocity_history_create(fm_particles *p, fm_error *err);
void fm_velocity_history_emit(fm_velocity_history *past, const fm_particles *p, int first);
void fm_velocity_history_reorder(fm_velocity_history *past, const fm_particle_order *order);
// Adds the velocities of the density records, h seconds after the last ones.
void fm_velocity_history_record(fm_velocity_history *past, const fm_particles *p, fm_pool *pool,
                                double h);
float fm_velocity_history_find_memory(const fm_velocity_history *past, fm_hardening_rate rate,
                                      int i, int j); // m s^-q, M of a spring between i and j
size_t fm_velocity_history_find_size(const fm_velocity_history *past, int count); // saved, bytes
void fm_velocity_history_save(const fm_velocity_history *past, int count, unsigned char *out);
bool fm_velocity_history_check(const fm_velocity_history *past, const unsigned char *in);
void fm_velocity_history_restore(fm_velocity_history *past, int count, int capacity,
                                 const unsigned char *in); // in NULL: empties it
uint64_t fm_velocity_history_hash(const fm_velocity_history *past, int count, uint64_t seed);

// The springs of a fluid; NULL for a fluid without springs.
static inline fm_springs *fm_springs_find(const fm_particles *p)
{
    return fm_fluid_terms_find(p, &fm_network_term);
}

// spring_forces.c: advances rest lengths and adds the forces of all springs to ax, ay, az.
// Length of a cycle that the stiffness of the last substep allows, s.
double fm_springs_find_longest_cycle(const fm_particles *p, const fm_springs *s);
// Length of a substep that this stiffness allows, s.
double fm_springs_find_longest_step(const fm_particles *p, const fm_springs *s);
// Number of cycles in a substep of h seconds. A cycle is a time step of the springs alone: a
// substep of the weakly compressible method has 1 to FM_SPRING_CYCLES_MAX, of equal length. Other
// methods have 1.
int fm_springs_count_cycles(const fm_particles *p, const fm_springs *s, double h);
// Largest sum of stiffnesses at a particle, N/m, that a substep of h seconds with this number of
// cycles allows.
double fm_springs_find_largest_sum(const fm_particles *p, double h, int cycles);
void fm_springs_add_forces(fm_spring_pass *c);

// spring_snapshot.c: functions of the term (terms.h).
size_t fm_springs_save(const fm_particles *p, const void *state, unsigned char *out);
bool fm_springs_restore(fm_particles *p, void *state, int count, const unsigned char *in,
                        size_t size, fm_error *err);
uint64_t fm_springs_hash(const fm_particles *p, const void *state, uint64_t seed);

// spring_network.c
double fm_springs_find_history(const fm_particles *p, int i); // N/m, at particle i; 0: no springs

#endif
