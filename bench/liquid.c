// SPDX-License-Identifier: MIT
// liquid.c: cost of a dam break and of a deep tank, per simulated second.
//
// A tank of 1.6 x 0.8 x 0.4 m with a column of 0.4 x 0.6 x 0.4 m of water, two threads:
//   - the liquid on a grid of 128 x 64 x 32 cells, with 393,000 particles, and its stages
//   - the same with particles only in a band of 3 cells below the surface
//   - the particle fluid with the spacing of the cells, 49,000 particles, by both of its methods
//     for water
//   - mantaflow in Blender on as many cells, where it is installed (mantaflow_dambreak)
// A drop falls into a tank of 48^3 cells, 32 of them deep: with particles everywhere, and in bands
// of 3 and 4 cells. The first DURATION seconds are simulated once by each: too long to repeat.
#include "bench.h"
#include "fixtures.h"

#include <fathom/liquid.h>
#include <stdio.h>

static const double DURATION = 0.25;                                   // s
static const fm_vec3 TANK = {1.6, 0.8, 0.4}, COLUMN = {0.4, 0.6, 0.4}; // m
static const char broken[] = "dam break, 128 x 64 x 32 cells, two threads, per simulated second";

// Advances a world for DURATION; s per simulated second, 0 after a failure.
static double measure(fm_world *world, fm_error *err)
{
    double start = bench_now();
    for (int i = 0; i < 10; i++)
        fm_world_advance(world, DURATION / 10, err);
    return err->status == FM_OK ? (bench_now() - start) / DURATION : 0;
}

// A case with a liquid: bands of particles are compared with the first one, which has none.
typedef struct liquid_case {
    const char *group;
    fm_liquid *(*create)(fm_world *world, int band, fm_error *err);
} liquid_case;

static fm_liquid *create_dam_break(fm_world *world, int band, fm_error *err)
{
    fm_liquid_def def = fm_default_liquid_def();
    def.grid.cells[0] = 128, def.grid.cells[1] = 64, def.grid.cells[2] = 32;
    def.grid.spacing = TANK.x / 128;
    def.band = band;
    fm_liquid *liquid = fm_liquid_create(world, &def, err);
    fm_liquid_add_box(liquid, &(fm_liquid_box){.high = COLUMN}, err);
    return liquid;
}

static fm_liquid *create_deep_tank(fm_world *world, int band, fm_error *err)
{
    fm_liquid_def def = fm_default_liquid_def();
    def.grid.cells[0] = def.grid.cells[1] = def.grid.cells[2] = 48;
    def.grid.spacing = 0.8 / 48;
    def.band = band;
    fm_liquid *liquid = fm_liquid_create(world, &def, err);
    fm_liquid_add_box(liquid, &(fm_liquid_box){.high = {0.8, 0.5333, 0.8}}, err);
    fm_liquid_add_ball(liquid, (fm_vec3){0.3, 0.66, 0.35}, 0.09, (fm_vec3){0, -1, 0}, err);
    return liquid;
}

// Reports the stages of a liquid, which took `seconds` per simulated second.
static void report_stages(bench_report *report, const char *group, const char *name,
                          const fm_liquid_stats *stats, double seconds)
{
    for (int i = 0; i < FM_LIQUID_STAGE_COUNT; i++)
        bench_add(report, &(bench_result){group, fm_liquid_stage_name((fm_liquid_stage)i),
                                          stats->seconds[i] / DURATION, "s",
                                          stats->seconds[i] / DURATION / seconds, name, ""});
}

// Measures a liquid with a band, 0: none, and reports its stages. baseline: of the liquid without
// band. Returns s per simulated second.
static double measure_liquid(bench_report *report, const liquid_case *which, int band,
                             double baseline)
{
    fm_error err = {0};
    char name[40] = "liquid", note[80];
    fm_world *world = fixture_create_world(fixture_water_def(2), &err);
    fm_liquid *liquid = which->create(world, band, &err);
    double seconds = err.status == FM_OK ? measure(world, &err) : 0;
    if (seconds > 0) {
        fm_liquid_stats stats = fm_liquid_read_stats(liquid);
        if (band > 0)
            snprintf(name, sizeof name, "liquid, band of %d cells", band);
        snprintf(note, sizeof note, "%d particles and points, %.0f substeps per simulated second",
                 fm_liquid_particle_count(liquid), (double)stats.substep_count / DURATION);
        bench_add(report, &(bench_result){which->group, name, seconds, "s",
                                          baseline > 0 ? seconds / baseline : 0,
                                          baseline > 0 ? "liquid" : "", note});
        report_stages(report, which->group, name, &stats, seconds);
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
                  &(bench_result){broken, name, seconds, "s", seconds / baseline, "liquid", note});
    }
    fm_world_destroy(world);
}

// Runs all comparisons of liquids.
void bench_liquid(bench_report *report)
{
    static const liquid_case dam_break = {broken, create_dam_break},
                             deep_tank = {"deep tank, 48^3 cells, two threads, per simulated "
                                          "second",
                                          create_deep_tank};
    double seconds = measure_liquid(report, &dam_break, 0, 0), other[3];
    measure_liquid(report, &dam_break, 3, seconds);
    measure_particles(report, FM_SPH_CONSTANT_DENSITY, "particle fluid, constant-density", seconds);
    measure_particles(report, FM_SPH_WEAKLY_COMPRESSIBLE, "particle fluid, weakly-compressible",
                      seconds);
    if (bench_run_other(BENCH_MANTAFLOW " 128 6", other) >= 1)
        bench_add(report, &(bench_result){broken, "mantaflow in Blender", other[0], "s",
                                          seconds > 0 ? other[0] / seconds : 0, "liquid",
                                          "its defaults: FLIP, at most 4 steps a frame"});
    double deep = measure_liquid(report, &deep_tank, 0, 0);
    for (int band = 3; band <= 4; band++)
        measure_liquid(report, &deep_tank, band, deep);
}
