// SPDX-License-Identifier: MIT
// sph-cost.c: the run-time cost of fractional viscosity.
//
// [OZG13] §4.6: the fractional fluid runs in real time up to 5,000 particles and at 4 frames per
// second with 20,000, on a 3.2 GHz processor with four cores (the thesis does not mention threads).
// According to the thesis, half derivatives do not affect the run time; used only where flows
// collide (the hybrid of §4.6.1), they would cost less.
//
// Here: the published method in a closed box with a body force in a small ball (push), steps of a
// millisecond. Reported are the steps per second with 5,000 and 20,000 particles; a frame of the
// thesis is compared with one step, because the thesis does not say how many steps a frame has.
// Then the time of a step with each fractional viscosity relative to Newtonian viscosity (no
// memory): the fluids take turns, and the median of the ratios is reported. Runs on one thread are
// measured by processor time, so that other programs matter little; runs on all threads by
// wall-clock time.
//
// [OZG13] in docs/references.md
#include "streams.h"

#include <stdlib.h>

// The viscosities whose cost is compared.
enum {
    NEWTONIAN,
    HALF_10_STEPS,   // half derivatives of the shear over the last ten steps
    HALF_FADING,     // half derivatives over the past weighted by e^(-t/1 s)
    HALF_WHOLE_PAST, // half derivatives over the whole past
    HYBRID,          // HALF_10_STEPS for pairs that part or meet at 20/s
    VARIANTS,
};
enum { TURNS_MAX = 15 }; // measurements of each viscosity
static const char *const names[VARIANTS] = {"no memory", "10 steps", "fading, 1e-3", "full, 1e-3",
                                            "hybrid"};

// One variant of the fluid viscosity (an entry of `names`) and its measured times.
typedef struct timed_fluid {
    fm_world *world;
    double seconds[TURNS_MAX]; // time of one step, in each turn
} timed_fluid;

// Creates a box of cells^3 particles and takes three steps. variant: NEWTONIAN to HYBRID.
static fm_world *create_box(int cells, int variant, int threads, fm_error *err)
{
    // with the characteristic time 1 s, or chosen (0)
    fm_fractional hybrid = streams_window_viscosity(10, 1);
    hybrid.above = 20;
    const fm_fractional fractional[VARIANTS] = {
        fm_default_particles_def().fractional, streams_window_viscosity(10, 1),
        streams_fading_viscosity(1, 0), streams_full_viscosity(1), hybrid};
    fm_world *world = fixture_create_world(fixture_weightless_water_def(threads), err);
    fm_particles_def def = fixture_tank_def(3, 1.0 / cells, (fm_vec3){1, 1, 1});
    streams_set_published_method(&def, 20, FM_SPH_EULER, 1e-3);
    def.viscosity = 20;
    def.fractional = fractional[variant];
    fm_fluid_box box = {.high = {1, 1, 1}, .jitter = 0.1, .seed = 1};
    fm_particles *fluid = fixture_create_fluid(world, &def, &box, err);
    fm_fluid_push push = {
        .centre = {0.3, 0.5, 0.5}, .radius = 0.15, .acceleration = {40, 0, 0}, .end = INFINITY};
    if (fluid)
        fm_particles_add_push(fluid, &push, err);
    fm_world_advance(world, 3e-3, err);
    return world;
}

// Measures the time per step of all viscosities in turns, with cells^3 particles. with: description
// of the threads, for the report; published: the thesis gives a number for this case.
static void measure_cost(experiment *e, int cells, int threads, const char *with, bool published)
{
    fm_error *err = experiment_error(e);
    timed_fluid all[VARIANTS] = {{0}};
    const int turns = experiment_quick(e) ? 3 : TURNS_MAX, steps = experiment_quick(e) ? 2 : 10;
    for (int a = 0; a < VARIANTS; a++)
        all[a].world = create_box(cells, a, threads, err);
    for (int t = 0; t < turns && err->status == FM_OK; t++)
        for (int a = 0; a < VARIANTS; a++) {
            double start = experiment_read_clock(threads == 1);
            fm_world_advance(all[a].world, 1e-3 * steps, err);
            all[a].seconds[t] = (experiment_read_clock(threads == 1) - start) / steps;
        }
    int count = cells * cells * cells;
    for (int a = 0; a < VARIANTS && err->status == FM_OK; a++) {
        double ratio[TURNS_MAX];
        for (int t = 0; t < turns; t++)
            ratio[t] = all[a].seconds[t] / all[NEWTONIAN].seconds[t];
        experiment_add_named_result(e, a == HALF_10_STEPS && published ? 4 : NAN,
                                    1 / experiment_median(all[a].seconds, turns), "1/s",
                                    "%d particles, %s, %s: steps a second", count, with, names[a]);
        if (a != NEWTONIAN)
            experiment_add_named_result(e, NAN, experiment_median(ratio, turns), "",
                                        "%d particles, %s, %s: time over no memory", count, with,
                                        names[a]);
    }
    for (int a = 0; a < VARIANTS; a++)
        fm_world_destroy(all[a].world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "sph-cost",
                                    "The run-time cost of fractional viscosity.", &status);
    if (!e)
        return status;
    measure_cost(e, experiment_quick(e) ? 8 : 17, 1, "one thread", false);
    measure_cost(e, experiment_quick(e) ? 8 : 27, 1, "one thread", true);
    measure_cost(e, experiment_quick(e) ? 8 : 27, 0, "all threads", true);
    return experiment_close(e);
}
