// SPDX-License-Identifier: MIT
// streams.h: the colliding flows of [OZG13] §4.5, and how two runs of them are compared.
//
// Places that push the fluid towards each other, in the plane without borders or in a box with
// walls. The thesis gives neither places nor parameters: both are those of
// scenes/particles/colliding-flows-*.yaml. 48 circles or balls of the diameter of their distance
// are looked at in every sample (every step in the plane, every fifth in space): the mean velocity
// of the particles in each. Of two runs,
//
//   angle   eq. (4.8): the mean over the samples of the angle between the two mean velocities, rad;
//           samples where one is empty or at rest are left out
//   speed   mean of the difference of their magnitudes, over the mean magnitude of the reference
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#ifndef FATHOM_STREAMS_H
#define FATHOM_STREAMS_H

#include "experiment.h"

#include <fathom/fathom.h>

enum { STREAMS_REGIONS = 48, STREAMS_SAMPLES_MAX = 1001 };

typedef struct streams_run {
    int dimensions; // 2, periodic; 3, walls
    double spacing; // m
    double viscosity;
    fm_fractional fractional;
    double step, sample; // s; sample: time between two looks
    int sample_count;
    int seed; // of the jitter
} streams_run;

typedef struct streams_record {
    int sample_count, particle_count;
    double steady_viscosity; // Pa s, in the end
    double mean_speed;       // m/s, of particles in the end
    fm_vec3 mean[STREAMS_SAMPLES_MAX][STREAMS_REGIONS];
    bool empty[STREAMS_SAMPLES_MAX][STREAMS_REGIONS];
} streams_record;

typedef struct streams_error {
    double angle[STREAMS_REGIONS], speed[STREAMS_REGIONS];
    double mean_angle, mean_speed; // over the regions
} streams_error;

streams_run streams_default(int dimensions); // the scene as it is, no memory, high resolution
fm_fractional recall_steps(int steps, double time);
fm_fractional recall_fading(double fading, double time);
fm_fractional recall_full(double time);

// False when the numbers diverged; other failures stay in the experiment.
bool streams_watch(experiment *e, const streams_run *run, streams_record *record);

streams_error streams_compare(const streams_record *reference, const streams_record *other);

// Share of the regions where one has less error than the other.
double streams_share(const double one[STREAMS_REGIONS], const double other[STREAMS_REGIONS]);

fm_vec3 streams_centre(int dimensions, int region); // m

// The ways a fluid of low resolution is run.
typedef enum streams_arm {
    STREAMS_STANDARD,  // no memory
    STREAMS_PUBLISHED, // half derivatives over 10 steps, the same number for the viscosity
    STREAMS_CONTROL,   // no memory, at the viscosity that the published one amounts to
    STREAMS_MATCHED,   // 10 steps, scaled so that steady shear feels the viscosity
    STREAMS_FADING,    // fading in 0.05 s, scaled so
    STREAMS_FULL,      // full memory, characteristic time 1 s
    STREAMS_HYBRID, // published, where neighbours part or meet at 20 times their distance a second
    STREAMS_AGAIN,  // no memory, another jitter: what chance does
    STREAMS_ARMS,
} streams_arm;
const char *streams_arm_name(streams_arm arm);
streams_run streams_make(const streams_run *low, streams_arm arm);

typedef struct streams_mean {
    double sum, squares;
    int count;
} streams_mean;
void streams_add(streams_mean *mean, double value);
double streams_average(const streams_mean *mean);
double streams_spread(const streams_mean *mean); // standard deviation

// All arms over many seeds of the jitter against the high resolution: shares of regions, errors,
// the map of regions, and two regions in time. `claim`: the thesis's share of regions.
void streams_study(experiment *e, int dimensions, double low_spacing, int seeds, double claim);

#endif
