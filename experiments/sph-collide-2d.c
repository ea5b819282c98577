// SPDX-License-Identifier: MIT
// sph-collide-2d.c: colliding streams in 2D: does fractional viscosity make up for fewer particles?
//
// [OZG13] §4.5, figures 4.5 to 4.9: force sources in a periodic plane; the reference has 1500
// particles of standard SPH, the compared fluids have 1250 particles with standard and with
// fractional viscosity; explicit Euler, 500 steps. The fractional fluid has less error of direction
// (eq. 4.8) in 73 % of 48 regions. Apparently each was run once. The thesis gives neither the
// parameters nor the positions of the sources.
//
// Here: 20 seeds of the random jitter, 1242 particles (46 x 27) in the low resolution, and the
// variants of streams.h. One variant is the control: ten steps of length h act like the Newtonian
// viscosity mu 2 sqrt(10 h / pi), so standard SPH also runs with that viscosity. Further runs with
// viscosities from 0.5 to 100 Pa s and steps from 2 to 0.5 ms show what the share of regions with
// less error depends on.
//
// [OZG13] in docs/references.md
#include "streams.h"

static const double HIGH = 0.02, LOW = 0.02195; // m, spacings of the high and the low resolution

// For each of `count` variants, adds the share of regions with less error of direction than
// standard SPH, over several seeds. records: scratch.
static void compare_seeds(experiment *e, const streams_run *high, int seeds,
                          const streams_variant *variants, int count, streams_mean *share,
                          streams_record records[3])
{
    for (int seed = 1; seed <= seeds && !experiment_failed(e); seed++) {
        streams_run reference = *high, low = *high;
        reference.seed = low.seed = seed;
        low.spacing = LOW * high->spacing / HIGH;
        if (!streams_simulate(e, &reference, &records[0]) ||
            !streams_simulate(e, &low, &records[1]))
            continue;
        streams_error standard = streams_compare(&records[0], &records[1]);
        for (int a = 0; a < count; a++) {
            streams_run run = streams_apply_variant(&low, variants[a]);
            if (!streams_simulate(e, &run, &records[2]))
                continue;
            streams_error error = streams_compare(&records[0], &records[2]);
            streams_add_value(&share[a], streams_share_of_regions(error.angle, standard.angle));
        }
    }
}

// Reports the share of regions with less error than standard SPH for several viscosities.
static void vary_viscosity(experiment *e, int seeds, streams_record records[3])
{
    static const double viscosities[] = {0.5, 2, 10, 40, 100};
    static const streams_variant variants[] = {STREAMS_PUBLISHED, STREAMS_EQUIVALENT,
                                               STREAMS_SCALED};
    experiment_table *table = experiment_table_open(e, "viscosity.csv",
                                                    "viscosity_Pas,published,published_sd,control,"
                                                    "control_sd,scaled,scaled_sd");
    for (int k = 0; k < (experiment_quick(e) ? 1 : 5); k++) {
        streams_run high = streams_default_run(2);
        high.viscosity = viscosities[k];
        high.sample_count = experiment_quick(e) ? 10 : high.sample_count;
        streams_mean share[3] = {{0}};
        compare_seeds(e, &high, seeds, variants, 3, share, records);
        experiment_write_row(table, "%g,%.3g,%.2g,%.3g,%.2g,%.3g,%.2g", viscosities[k],
                             streams_average(&share[0]), streams_standard_deviation(&share[0]),
                             streams_average(&share[1]), streams_standard_deviation(&share[1]),
                             streams_average(&share[2]), streams_standard_deviation(&share[2]));
        experiment_add_named_result(
            e, 73, 100 * streams_average(&share[0]), "%",
            "viscosity %g Pa s: regions where 10 steps as published is better", viscosities[k]);
        experiment_add_named_result(e, NAN, 100 * streams_average(&share[1]), "%",
                                    "viscosity %g Pa s: where the equivalent viscosity is",
                                    viscosities[k]);
        experiment_add_named_result(e, NAN, 100 * streams_average(&share[2]), "%",
                                    "viscosity %g Pa s: where 10 steps, scaled, is",
                                    viscosities[k]);
    }
}

// Reports the share of regions with less error than standard SPH for several time steps.
static void vary_step(experiment *e, int seeds, streams_record records[3])
{
    static const double steps[] = {2e-3, 1e-3, 5e-4};
    static const streams_variant variants[] = {STREAMS_PUBLISHED, STREAMS_SCALED, STREAMS_FADING,
                                               STREAMS_WHOLE_PAST};
    static const char *const names[] = {"published", "scaled", "fading", "full"};
    experiment_table *table =
        experiment_table_open(e, "step.csv", "step_s,published,scaled,fading,full");
    for (int k = 0; k < (experiment_quick(e) ? 1 : 3); k++) {
        streams_run high = streams_default_run(2);
        high.step = steps[k];
        high.sample = 2e-3; // s, the longest of the steps
        high.sample_count = experiment_quick(e) ? 5 : 250;
        streams_mean share[4] = {{0}};
        compare_seeds(e, &high, seeds, variants, 4, share, records);
        double row[5] = {steps[k]};
        for (int a = 0; a < 4; a++) {
            row[1 + a] = streams_average(&share[a]);
            experiment_add_named_result(e, NAN, 100 * row[1 + a], "%",
                                        "step %g ms, %s: regions with less error than standard",
                                        1e3 * steps[k], names[a]);
        }
        experiment_write_numbers(table, row);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "sph-collide-2d",
                        "Streams that collide in the plane, with and without memory.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    // [OZG13]: less error in 73 % of the regions
    streams_compare_variants(e, 2, LOW, quick ? 1 : 20, 73);
    streams_record *records = experiment_alloc(e, 3, sizeof *records);
    if (records && !experiment_failed(e)) {
        vary_viscosity(e, quick ? 1 : 5, records);
        vary_step(e, quick ? 1 : 5, records);
    }
    return experiment_close(e);
}
