// SPDX-License-Identifier: MIT
// pair_records.h: the particle data that loops over pairs read, and SIMD loads of eight neighbours.
#ifndef FATHOM_PARTICLES_PAIR_RECORDS_H
#define FATHOM_PARTICLES_PAIR_RECORDS_H

#include "core/simd.h"

// A record holds what a loop over pairs reads of one particle: eight floats, half a cache line.

// Input of the density computation, at the time at which forces are evaluated.
typedef struct fm_density_record {
    float x, y, z;    // m from the origin of the cell rows
    float s;          // rho / rho0 - 1; NaN: a boundary particle, which has no density
    float vx, vy, vz; // m/s
    float V;          // m^3, at rest
} fm_density_record;

// Input of the force computation.
typedef struct fm_force_record {
    float x, y, z; // m from the origin of the cell rows
    float P;       // m^2/s^2, pressure / rho0 that acts in this pass; NaN: a boundary particle that
                   // mirrors the pressure of each fluid particle beside it (pressure_solver.c)
    float vx, vy, vz; // m/s; boundary particles have extrapolated velocities
    float V;          // m^3, under the pressure P
} fm_force_record;

// Velocity that viscosity uses instead of a particle's own, provided by fractional viscosity, or
// half the vorticity.
typedef struct fm_viscous_velocity {
    float u[4]; // m/s or 1/s; the last is unused padding
} fm_viscous_velocity;

// Strain rate at a particle: the symmetric part of its velocity gradient. NaN: a boundary particle.
typedef struct fm_strain_record {
    float xx, yy, zz, xy, yz, zx; // 1/s
    float undamped;               // share of its artificial viscosity that is left out, 0 to 1
    float padding;
} fm_strain_record;

// Gradient of P at a particle, m/s^2; 0: pressure acts by sums over pairs (forces.c).
typedef struct fm_pressure_slope {
    float x, y, z;
} fm_pressure_slope;

// Surface tension at a particle.
typedef struct fm_tension_record {
    float x, y, z; // m/s^2, acceleration
    float P;       // m^2/s^2, pressure / rho0 below the surface: sigma K / rho0
} fm_tension_record;

// The density records of eight neighbours, one SIMD vector per field.
typedef struct fm_density_octet {
    fm_floats x, y, z, s, vx, vy, vz, V;
} fm_density_octet;

// The force records of eight neighbours, one SIMD vector per field.
typedef struct fm_force_octet {
    fm_floats x, y, z, P, vx, vy, vz, V;
} fm_force_octet;

// Transposes eight records of eight floats. The last `padding` records repeat a neighbour: their
// volume (column 7) is set to 0.
FM_INLINE void fm_records_load_columns(const float *const record[8], int padding,
                                       fm_floats columns[8])
{
    fm_floats_load_columns(record, 0, columns);
    fm_floats_load_columns(record, 4, columns + 4);
    if (padding > 0)
        columns[7] = fm_floats_select(fm_ints_mask_below(8 - padding), columns[7]);
}

// Loads the density records of eight neighbours. The last `padding` entries of the list repeat a
// neighbour; their volume is set to 0.
FM_INLINE fm_density_octet fm_records_load_density(const fm_density_record *records,
                                                   const int *list, int padding)
{
    const float *record[8];
    fm_floats c[8];
    for (int i = 0; i < 8; i++)
        record[i] = (const float *)(records + list[i]);
    fm_records_load_columns(record, padding, c);
    return (fm_density_octet){c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
}

// Loads the force records of eight neighbours; padding as in fm_records_load_density.
FM_INLINE fm_force_octet fm_records_load_force(const fm_force_record *records, const int *list,
                                               int padding)
{
    const float *record[8];
    fm_floats c[8];
    for (int i = 0; i < 8; i++)
        record[i] = (const float *)(records + list[i]);
    fm_records_load_columns(record, padding, c);
    return (fm_force_octet){c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
}

// Loads the x, y and z components of the viscous velocities of eight neighbours.
FM_INLINE void fm_records_load_viscous(const fm_viscous_velocity *velocities, const int *list,
                                       fm_floats axes[3])
{
    const float *record[8];
    fm_floats columns[4];
    for (int i = 0; i < 8; i++)
        record[i] = (const float *)(velocities + list[i]);
    fm_floats_load_columns(record, 0, columns);
    memcpy(axes, columns, 3 * sizeof *axes);
}

// The share of viscosity with memory in pairs with the relative velocities u, m/s, and the squared
// distances r2, m^2: 0 up to half of the threshold (1/s) times the distance, 1 from the threshold
// on, linear between.
FM_INLINE fm_floats fm_records_find_memory_share(float threshold, fm_floats r2,
                                                 const fm_floats u[3])
{
    const float tiny = 1e-30f; // m/s, avoids 0 / 0 for coincident particles
    const fm_floats one = {1, 1, 1, 1, 1, 1, 1, 1};
    fm_floats limit = threshold * fm_floats_sqrt(r2);
    fm_floats over = 2 * fm_floats_sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) - limit;
    fm_ints full = over >= limit, blended = (over > 0) & ~full;
    return fm_floats_select(full, one) + fm_floats_select(blended, over / (limit + tiny));
}

// Loads the strain records of eight neighbours; the last column is padding.
FM_INLINE void fm_records_load_strain(const fm_strain_record *records, const int *list,
                                      fm_floats columns[8])
{
    const float *record[8];
    for (int i = 0; i < 8; i++)
        record[i] = (const float *)(records + list[i]);
    fm_floats_load_columns(record, 0, columns);
    fm_floats_load_columns(record, 4, columns + 4);
}

#endif
