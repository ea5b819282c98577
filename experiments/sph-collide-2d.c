// SPDX-License-Identifier: MIT
// sph-collide-2d.c: streams that collide in the plane: does memory make up for fewer particles?
//
// [OZG13] §4.5, figures 4.5 to 4.9: force sources in a periodic plane, 1500 particles of standard
// SPH as the reference, 1250 with standard and with fractional viscosity, explicit Euler, 500
// steps. The fractional fluid has less error of direction (eq. 4.8) in 73 % of 48 regions. One run
// of each, it seems; parameters and places are not given.
//
// Here 20 seeds of the jitter, 1242 particles in the low resolution (46 x 27: what fits), and the
// arms of streams.h, among them the control: ten steps of length h amount to the Newtonian
// viscosity mu 2 sqrt(10 h / pi), so standard SPH is run at that, too. Then viscosities from 0.5 to
// 100 Pa s, and steps from 2 to 0.5 ms, to see what the share of regions depends on.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#include "streams.h"

static const double LOW = 0.02195; // m, spacing

// Shares of regions better than standard, of some arms, over a few seeds.
static void compare(experiment *e, const streams_run *high, int seeds, const streams_arm *arms,
                    int count, streams_mean *share, streams_record records[3])
{
    for (int seed = 1; seed <= seeds && !experiment_failed(e); seed++) {
        streams_run reference = *high, low = *high;
        reference.seed = low.seed = seed;
        low.spacing = LOW * high->spacing / 0.02;
        if (!streams_watch(e, &reference, &records[0]) || !streams_watch(e, &low, &records[1]))
            continue;
        streams_error standard = streams_compare(&records[0], &records[1]);
        for (int a = 0; a < count; a++) {
            streams_run run = streams_make(&low, arms[a]);
            if (!streams_watch(e, &run, &records[2]))
                continue;
            streams_error error = streams_compare(&records[0], &records[2]);
            streams_add(&share[a], streams_share(error.angle, standard.angle));
        }
    }
}

static void vary_viscosity(experiment *e, int seeds, streams_record records[3])
{
    static const double viscosities[] = {0.5, 2, 10, 40, 100};
    static const streams_arm arms[] = {STREAMS_PUBLISHED, STREAMS_CONTROL, STREAMS_MATCHED};
    experiment_table *table = experiment_table_open(e, "viscosity.csv",
                                                    "viscosity_Pas,published,published_sd,control,"
                                                    "control_sd,scaled,scaled_sd");
    for (int k = 0; k < (experiment_quick(e) ? 1 : 5); k++) {
        streams_run high = streams_default(2);
        high.viscosity = viscosities[k];
        high.sample_count = experiment_quick(e) ? 10 : high.sample_count;
        streams_mean share[3] = {{0}};
        compare(e, &high, seeds, arms, 3, share, records);
        experiment_row(table, "%g,%.3g,%.2g,%.3g,%.2g,%.3g,%.2g", viscosities[k],
                       streams_average(&share[0]), streams_spread(&share[0]),
                       streams_average(&share[1]), streams_spread(&share[1]),
                       streams_average(&share[2]), streams_spread(&share[2]));
        experiment_result_of(e, 73, 100 * streams_average(&share[0]), "%",
                             "viscosity %g Pa s: regions where 10 steps as published is better",
                             viscosities[k]);
        experiment_result_of(e, NAN, 100 * streams_average(&share[1]), "%",
                             "viscosity %g Pa s: where the equivalent viscosity is",
                             viscosities[k]);
        experiment_result_of(e, NAN, 100 * streams_average(&share[2]), "%",
                             "viscosity %g Pa s: where 10 steps, scaled, is", viscosities[k]);
    }
}

static void vary_step(experiment *e, int seeds, streams_record records[3])
{
    static const double steps[] = {2e-3, 1e-3, 5e-4};
    static const streams_arm arms[] = {STREAMS_PUBLISHED, STREAMS_MATCHED, STREAMS_FADING,
                                       STREAMS_FULL};
    static const char *const names[] = {"published", "scaled", "fading", "full"};
    experiment_table *table =
        experiment_table_open(e, "step.csv", "step_s,published,scaled,fading,full");
    for (int k = 0; k < (experiment_quick(e) ? 1 : 3); k++) {
        streams_run high = streams_default(2);
        high.step = steps[k];
        high.sample = 2e-3;
        high.sample_count = experiment_quick(e) ? 5 : 250;
        streams_mean share[4] = {{0}};
        compare(e, &high, seeds, arms, 4, share, records);
        double row[5] = {steps[k]};
        for (int a = 0; a < 4; a++) {
            row[1 + a] = streams_average(&share[a]);
            experiment_result_of(e, NAN, 100 * row[1 + a], "%",
                                 "step %g ms, %s: regions with less error than standard",
                                 1e3 * steps[k], names[a]);
        }
        experiment_numbers(table, row);
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
    streams_study(e, 2, LOW, quick ? 1 : 20, 73);
    streams_record *records = experiment_alloc(e, 3, sizeof *records);
    if (records && !experiment_failed(e)) {
        vary_viscosity(e, quick ? 1 : 5, records);
        vary_step(e, quick ? 1 : 5, records);
    }
    return experiment_close(e);
}
