// SPDX-License-Identifier: MIT
// flow.c: cost of a cloth in a grid fluid with two-way coupling.
//
// A tank of 64 x 96 x 64 cells with vortices of 0.25 m, and a 61x41 cloth of silk held at its upper
// edge, one thread. Measured, per simulated second, in intervals of 1/240 s: fluid alone, cloth
// alone, and both coupled two-way, one-way and by drag; and the stages of the coupled fluid.
#include "bench.h"
#include "fixtures.h"

#include <fathom/couple.h>
#include <fathom/grid.h>
#include <stdio.h>

enum { ROUNDS = 3, VARIANTS = 5 };
static const char *const group = "64 x 96 x 64 cells, 61x41 cloth, one thread";
static const double STEP = 1.0 / 240; // s, simulated time of one advance
static const double TURN = 1;         // s, duration of one measurement

// A world to be measured.
typedef struct variant {
    const char *name;
    bool has_fluid, has_cloth;
    fm_coupling_way way;
    fm_world *world;
    fm_grid *grid;
} variant;

static void step(void *context, int repeats)
{
    variant *v = context;
    fm_error err = {0};
    for (int i = 0; i < repeats; i++)
        fm_world_advance(v->world, STEP, &err);
}

// Creates the world of a variant. False if that fails.
static bool create(variant *v)
{
    fm_error err = {0};
    fm_cloth *cloth = NULL;
    v->world = fixture_create_world(fixture_water_def(1), &err);
    if (v->has_fluid) {
        fm_grid_def def = fm_default_grid_def();
        def.cells[0] = def.cells[2] = 64, def.cells[1] = 96;
        def.spacing = 1.0 / 64;
        def.time_step = STEP;
        v->grid = fm_grid_create(v->world, &def, &err);
        fm_grid_start vortices = {.kind = FM_GRID_START_TAYLOR_GREEN, .radius = 0.25, .speed = 0.2};
        if (v->grid)
            fm_grid_set_start(v->grid, &vortices, &err);
    }
    if (v->has_cloth) {
        fm_cloth_def def = fm_default_cloth_def();
        fm_cloth_set_material(&def, FM_SILK);
        def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
        fm_sheet sheet = {.columns = 61, .rows = 41, .width = 0.6, .height = 0.4};
        sheet.origin = (fm_vec3){0.2, 1.0, 0.501};
        cloth = fm_cloth_create_sheet(v->world, &def, &sheet, &err);
        fm_cloth_pin_row(cloth, 0, NULL, &err);
    }
    if (v->has_fluid && v->has_cloth && err.status == FM_OK)
        fm_world_couple_objects(v->world, fm_cloth_object(cloth), fm_grid_object(v->grid), v->way,
                                &err);
    if (err.status == FM_OK)
        fm_world_advance(v->world, STEP, &err);
    return err.status == FM_OK;
}

// Adds the stages of a fluid, per simulated second.
static void add_stages(bench_report *report, const char *heading, variant *v)
{
    enum { STEPS = 8 };
    fm_grid_stats before = fm_grid_read_stats(v->grid);
    step(v, STEPS);
    fm_grid_stats after = fm_grid_read_stats(v->grid);
    double total = 0;
    for (int i = 0; i < FM_GRID_STAGE_COUNT; i++)
        total += after.seconds[i] - before.seconds[i];
    for (int i = 0; i < FM_GRID_STAGE_COUNT; i++) {
        double seconds = after.seconds[i] - before.seconds[i];
        if (seconds > 0.002 * total)
            bench_add(report, &(bench_result){heading, fm_grid_stage_name((fm_grid_stage)i),
                                              seconds / (STEPS * STEP), "s/s", seconds / total,
                                              "all stages", ""});
    }
}

// Measures all variants.
void bench_flow(bench_report *report)
{
    variant variants[VARIANTS] = {
        {"fluid alone", .has_fluid = true},
        {"cloth alone", .has_cloth = true},
        {"two-way", .has_fluid = true, .has_cloth = true, .way = FM_COUPLING_TWO_WAY},
        {"one-way", .has_fluid = true, .has_cloth = true, .way = FM_COUPLING_ONE_WAY},
        {"by drag", .has_fluid = true, .has_cloth = true, .way = FM_COUPLING_BY_DRAG},
    };
    bench_job jobs[VARIANTS];
    bool good = true;
    for (int i = 0; i < VARIANTS; i++) {
        good = create(&variants[i]) && good;
        jobs[i] = (bench_job){.run = step, .context = &variants[i], .work = STEP};
    }
    if (good) {
        bench_measure(jobs, VARIANTS, ROUNDS, TURN);
        double alone = jobs[0].ns + jobs[1].ns;
        for (int i = 0; i < VARIANTS; i++)
            bench_add(report, &(bench_result){group, variants[i].name, 1e-9 * jobs[i].ns, "s/s",
                                              jobs[i].ns / alone, "fluid and cloth alone", ""});
        add_stages(report, "stages of the fluid alone", &variants[0]);
        add_stages(report, "stages of the fluid, two-way", &variants[2]);
    }
    for (int i = 0; i < VARIANTS; i++)
        fm_world_destroy(variants[i].world);
}
