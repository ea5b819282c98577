// SPDX-License-Identifier: MIT
// liquid.c: cost of a dam break, per simulated second.
//
// A tank of 1.6 x 0.8 x 0.4 m with a column of 0.4 x 0.6 x 0.4 m of water, two threads:
//   - the liquid on a grid of 128 x 64 x 32 cells, with 393,000 particles, and its stages
//   - the particle fluid with the spacing of the cells, 49,000 particles, by both of its methods
//     for water
//   - mantaflow in Blender on as many cells, where it is installed (mantaflow_dambreak)
// The first DURATION seconds are simulated once by each: too long to repeat.
#include "bench.h"
#include "fixtures.h"

#include <fathom/liquid.h>
#include <stdio.h>

static const double DURATION = 0.25;                                   // s
static const fm_vec3 TANK = {1.6, 0.8, 0.4}, COLUMN = {0.4, 0.6, 0.4}; // m
static const char *const group =
    "dam break, 128 x 64 x 32 cells, two threads, per simulated second";

// Advances a world for DURATION; s per simulated second, 0 after a failure.
static double measure(fm_world *world, fm_error *err)
{
    double start = bench_now();
    for (int i = 0; i < 10; i++)
        fm_world_advance(world, DURATION / 10, err);
    return err->status == FM_OK ? (bench_now() - start) / DURATION : 0;
}

// Measures the liquid and reports its stages. Returns s per simulated second.
static double measure_liquid(bench_report *report)
{
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(2), &err);
    fm_liquid_def def = fm_default_liquid_def();
    def.grid.cells[0] = 128, def.grid.cells[1] = 64, def.grid.cells[2] = 32;
    def.grid.spacing = TANK.x / 128;
    fm_liquid *liquid = fm_liquid_create(world, &def, &err);
    fm_liquid_add_box(liquid, &(fm_liquid_box){.high = COLUMN}, &err);
    double seconds = err.status == FM_OK ? measure(world, &err) : 0;
    if (seconds > 0) {
        char note[80];
        fm_liquid_stats stats = fm_liquid_read_stats(liquid);
        snprintf(note, sizeof note, "%d particles, %.0f substeps per simulated second",
                 fm_liquid_particle_count(liquid), (double)stats.substep_count / DURATION);
        bench_add(report, &(bench_result){group, "liquid", seconds, "s", 0, "", note});
        for (int i = 0; i < FM_LIQUID_STAGE_COUNT; i++)
            bench_add(report, &(bench_result){group, fm_liquid_stage_name((fm_liquid_stage)i),
                                              stats.seconds[i] / DURATION, "s",
                                              stats.seconds[i] / DURATION / seconds, "liquid", ""});
    }
    fm_world_destroy(world);
    return seconds;
}

// Measures the particle fluid with one of its methods.
static void measure_particles(bench_report *report, fm_sph_method method, const char *name,
                              double baseline)
{
    fm_error err = {0};
    char note[80];
    fm_world *world = fixture_create_world(fixture_water_def(2), &err);
    fm_particles_def def = fixture_tank_def(3, TANK.x / 128, TANK);
    def.method = method;
    fm_fluid_box box = {.high = COLUMN, .settled = true};
    fm_particles *fluid = fixture_create_fluid(world, &def, &box, &err);
    double seconds = fluid ? measure(world, &err) : 0;
    if (seconds > 0) {
        int count;
        fm_particles_positions(fluid, &count);
        snprintf(note, sizeof note, "%d particles", count);
        bench_add(report,
                  &(bench_result){group, name, seconds, "s", seconds / baseline, "liquid", note});
    }
    fm_world_destroy(world);
}

// Runs all comparisons of liquids.
void bench_liquid(bench_report *report)
{
    double seconds = measure_liquid(report), other[3];
    measure_particles(report, FM_SPH_CONSTANT_DENSITY, "particle fluid, constant-density", seconds);
    measure_particles(report, FM_SPH_WEAKLY_COMPRESSIBLE, "particle fluid, weakly-compressible",
                      seconds);
    if (bench_run_other(BENCH_MANTAFLOW " 128 6", other) >= 1)
        bench_add(report, &(bench_result){group, "mantaflow in Blender", other[0], "s",
                                          seconds > 0 ? other[0] / seconds : 0, "liquid",
                                          "its defaults: FLIP, at most 4 steps a frame"});
}
