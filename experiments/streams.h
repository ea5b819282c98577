// SPDX-License-Identifier: MIT
// streams.h: the colliding streams of [OZG13] §4.5, simulated with several fractional viscosities
// and compared with a run of higher resolution.
//
// Six body forces in small balls (pushes) accelerate the fluid so that streams collide, in a
// periodic plane or in a box with walls. Fractional viscosity is a viscous stress that depends on
// the past rates of shear; its memory is the part of the past that counts. The thesis gives neither
// the positions of the pushes nor the parameters; both are taken from
// scenes/particles/colliding-flows-*.yaml. Each sample (every step in 2D, every fifth step in 3D)
// records the mean velocity of the particles in each of 48 regions: circles or balls, one in each
// cell of a grid of 8 x 6. The errors of a run against a reference run:
//
//   angle   eq. (4.8): angle between the mean velocities of a region, mean over the samples, rad;
//           samples in which the region is empty or at rest in one of the runs are left out
//   speed   mean difference of the magnitudes, divided by the mean magnitude in the reference
//
// [OZG13] in docs/references.md
#ifndef FATHOM_STREAMS_H
#define FATHOM_STREAMS_H

#include "experiment.h"
#include "fixtures.h"

enum { STREAMS_REGIONS = 48, STREAMS_SAMPLES_MAX = 1001 };

// The parameters of one simulation.
typedef struct streams_run {
    int dimensions;           // 2: periodic, 3: walls
    double spacing;           // m, between particles at rest
    double viscosity;         // Pa s
    fm_fractional fractional; // order of the viscosity, and the part of the past it depends on
    double step;              // s, time step
    double sample;            // s, time between two samples
    int sample_count;
    int seed; // of the random jitter of the initial positions
} streams_run;

// What is recorded in one simulation.
typedef struct streams_record {
    int sample_count, particle_count;
    double steady_viscosity; // Pa s, ratio of stress to rate of steady shear, at the end
    double mean_speed;       // m/s, of the particles at the end
    fm_vec3 mean[STREAMS_SAMPLES_MAX][STREAMS_REGIONS]; // m/s, mean velocity of a region
    bool empty[STREAMS_SAMPLES_MAX][STREAMS_REGIONS];   // no particle was in the region
    double population[STREAMS_REGIONS]; // particles in a region, mean over the samples
} streams_record;

// Errors of a run against a reference run, as defined at the top of this file.
typedef struct streams_error {
    double angle[STREAMS_REGIONS], speed[STREAMS_REGIONS]; // rad, dimensionless
    double mean_angle, mean_speed;                         // means over the regions
} streams_error;

// The parameters of scenes/particles/colliding-flows-*.yaml: Newtonian viscosity (no memory), high
// resolution.
streams_run streams_default_run(int dimensions);
// Sets the method of a fluid and every number of it, so that the meaning of an experiment does not
// change with the library's defaults. streams_set_method: pressure by a stiff equation of state
// (weakly compressible). streams_set_published_method: that of the thesis, an equation of state of
// a gas with the given stiffness, m^2/s^2, and fixed steps, s.
void streams_set_method(fm_particles_def *def, double artificial_viscosity);
void streams_set_published_method(fm_particles_def *def, double stiffness,
                                  fm_sph_integrator integrator, double step);
// Fractional viscosity of order 1/2 that depends on the last `steps` steps, on the whole past
// weighted by e^(-t/fading_time), or on the whole past. time: characteristic time T by which a half
// derivative is made comparable with a Newtonian viscosity, s; 0: chosen by the library such that
// steady shear feels the nominal viscosity.
fm_fractional streams_window_viscosity(int steps, double time);
fm_fractional streams_fading_viscosity(double fading_time, double time);
fm_fractional streams_full_viscosity(double time);

// Simulates a run and records its samples. Returns false if the run diverged or failed; failures
// other than divergence are stored in the experiment.
bool streams_simulate(experiment *e, const streams_run *run, streams_record *record);

// Computes the errors of `other` against `reference`.
streams_error streams_compare(const streams_record *reference, const streams_record *other);

// Share of the regions in which the error `one` is smaller than the error `other`.
double streams_share_of_regions(const double one[STREAMS_REGIONS],
                                const double other[STREAMS_REGIONS]);

// The centre of a region, m.
fm_vec3 streams_region_centre(int dimensions, int region);

// The variants of the fluid of low resolution that are compared.
typedef enum streams_variant {
    STREAMS_STANDARD,  // Newtonian viscosity (no memory)
    STREAMS_PUBLISHED, // half derivatives over 10 steps, T = 1 s, the same number for the viscosity
    STREAMS_EQUIVALENT, // Newtonian, at the viscosity that steady shear feels in STREAMS_PUBLISHED
    STREAMS_SCALED,     // half derivatives over 10 steps; steady shear feels the nominal viscosity
    STREAMS_FADING,     // half derivatives that fade in 0.05 s; steady shear feels the nominal one
    STREAMS_WHOLE_PAST, // half derivatives over the whole past, T = 1 s
    STREAMS_HYBRID, // STREAMS_PUBLISHED for pairs with relative velocity above 20/s times distance
    STREAMS_OTHER_JITTER, // STREAMS_STANDARD with another random jitter: shows the effect of chance
    STREAMS_VARIANTS,     // number of variants
} streams_variant;
const char *streams_variant_name(streams_variant variant);
// The parameters `low` with the viscosity, or the jitter, of one variant.
streams_run streams_apply_variant(const streams_run *low, streams_variant variant);

// Mean and standard deviation of the values added.
typedef struct streams_mean {
    double sum, squares; // sums of the values and of their squares
    int count;
} streams_mean;
void streams_add_value(streams_mean *mean, double value);
double streams_average(const streams_mean *mean);
double streams_standard_deviation(const streams_mean *mean);

// Compares all variants of low resolution with the high resolution over many seeds of the jitter.
// Reports their errors, the shares of regions in which they have less error than STREAMS_STANDARD,
// and the error by region and over time. claim: that share as the thesis gives it, in %.
void streams_compare_variants(experiment *e, int dimensions, double low_spacing, int seeds,
                              double claim);

#endif
