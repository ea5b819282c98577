// SPDX-License-Identifier: MIT
// sph-cost.c: what memory costs a particle fluid.
//
// [OZG13] §4.6: the fractional fluid runs in real time up to 5,000 particles and at 4 frames a
// second with 20,000, on a processor of 3.2 GHz with four cores (threads are not mentioned); half
// derivatives are said not to affect the running time.
//
// Here the published method in a closed box, streams pushed in it, steps of a millisecond: steps a
// second with 5,000 and 20,000 particles. A frame of the thesis is taken for a step; how many steps
// of a millisecond real time at 30 frames a second would need is the reader's choice. Then the time
// of a step with each memory over that without: they take turns, and the median of the turns'
// ratios is reported. One thread is timed by the processor time it takes, so that what else the
// machine does matters little; all threads by the clock on the wall.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#include "streams.h"

#include <stdlib.h>

enum { NONE, STEPS, FADING, FULL, ARMS, TURNS_MAX = 15 };
static const char *const names[ARMS] = {"no memory", "10 steps", "fading, 1e-3", "full, 1e-3"};

typedef struct contestant {
    fm_world *world;
    double seconds[TURNS_MAX]; // of a step
} contestant;

static fm_world *make(int cells, int arm, int threads, fm_error *err)
{
    const fm_fractional fractional[ARMS] = {fm_default_particles_def().fractional,
                                            recall_steps(10, 1), recall_fading(1, 0),
                                            recall_full(1)};
    fm_world_def world_def = fm_default_world_def();
    world_def.gravity = (fm_vec3){0, 0, 0};
    world_def.threads = threads;
    fm_world *world = fm_world_create(&world_def, err);
    fm_particles_def def = fm_default_particles_def();
    def.method = FM_SPH_STANDARD;
    def.spacing = 1.0 / cells;
    def.stiffness = 20;
    def.viscosity = 20;
    def.time_step = 1e-3;
    def.fractional = fractional[arm];
    fm_particles *fluid = fm_particles_create(world, &def, err);
    fm_fluid_box box = {.high = {1, 1, 1}, .jitter = 0.1, .seed = 1};
    fm_fluid_push push = {
        .centre = {0.3, 0.5, 0.5}, .radius = 0.15, .acceleration = {40, 0, 0}, .end = INFINITY};
    if (fluid && fm_particles_add_box(fluid, &box, err))
        fm_particles_add_push(fluid, &push, err);
    fm_world_advance(world, 3e-3, err);
    return world;
}

static void race(experiment *e, int cells, int threads, const char *with, bool published)
{
    fm_error *err = experiment_error(e);
    contestant all[ARMS] = {{0}};
    const int turns = experiment_quick(e) ? 3 : TURNS_MAX, steps = experiment_quick(e) ? 2 : 10;
    for (int a = 0; a < ARMS; a++)
        all[a].world = make(cells, a, threads, err);
    for (int t = 0; t < turns && err->status == FM_OK; t++)
        for (int a = 0; a < ARMS; a++) {
            double start = experiment_seconds(threads == 1);
            fm_world_advance(all[a].world, 1e-3 * steps, err);
            all[a].seconds[t] = (experiment_seconds(threads == 1) - start) / steps;
        }
    int count = cells * cells * cells;
    for (int a = 0; a < ARMS && err->status == FM_OK; a++) {
        double ratio[TURNS_MAX];
        for (int t = 0; t < turns; t++)
            ratio[t] = all[a].seconds[t] / all[NONE].seconds[t];
        experiment_result_of(e, a == STEPS && published ? 4 : NAN,
                             1 / experiment_median(all[a].seconds, turns), "1/s",
                             "%d particles, %s, %s: steps a second", count, with, names[a]);
        if (a != NONE)
            experiment_result_of(e, NAN, experiment_median(ratio, turns), "",
                                 "%d particles, %s, %s: time over no memory", count, with,
                                 names[a]);
    }
    for (int a = 0; a < ARMS; a++)
        fm_world_destroy(all[a].world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "sph-cost", "What memory costs a particle fluid.", &status);
    if (!e)
        return status;
    race(e, experiment_quick(e) ? 8 : 17, 1, "one thread", false);
    race(e, experiment_quick(e) ? 8 : 27, 1, "one thread", true);
    race(e, experiment_quick(e) ? 8 : 27, 0, "all threads", true);
    return experiment_close(e);
}
