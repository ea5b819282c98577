// SPDX-License-Identifier: MIT
// stiff.c: what a cloth that does not stretch costs.
//
// Canvas of 1.5 m in air, held at two corners that are 8 % nearer each, swinging; frames of 1/60 s,
// one thread. Directional enforcement with substeps of 1/240 and 1/120 s, iterative enforcement
// with as many passes as stretch about as little (61x41; at 128x128 a hundred passes stretch more),
// and springs alone: 12.8 kN/m stretch as little as that, canvas has 400 N/m here. At 128x128
// canvas's bending asks for 12 substeps a frame, a tenth of it for 4 and a fiftieth for 2.
//
// Values are ms for a simulated second, all of the step, the median of rounds. Notes have the real
// time of that and of the best frame (what a machine that does nothing else would do), the share of
// the bodies' stage and of enforcement, and how enforcement compares with the first one's.
#include "bench.h"

#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>

enum { ROUNDS = 7, FRAMES_PER_SECOND = 60 };
static const double TURN = 0.05; // s

typedef struct stiff_case {
    const char *name;
    fm_enforcement_method method;
    int iterations;
    double time_step;       // s; 0: the default
    double stiffness, bend; // times canvas's
    double settled;         // s, before it is measured
    bool no_history;        // of the air along the cloth
} stiff_case;

typedef struct sheet_run {
    fm_world *world;
    double whole_ms, bodies_ms, enforce_ms, stretch;
    double best; // s, the shortest frame: what a machine that does nothing else would need
    int frames, substeps;
} sheet_run;

static void hold_corner(fm_world *world, fm_cloth *cloth, fm_corner corner, double shift,
                        fm_error *err)
{
    fm_key keys[2] = {{.time = 0.1}, {.time = 0.9, .position = {shift, 0, 0}}};
    fm_motion *motion =
        fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_SMOOTH, (fm_vec3){0}, err);
    if (err->status == FM_OK)
        fm_cloth_pin_corner(cloth, corner, motion, err);
}

static bool open_run(sheet_run *r, const stiff_case *c, int columns, int rows)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    world_def.medium.density = 1.2;
    world_def.medium.viscosity = 1.8e-5;
    *r = (sheet_run){.world = fm_world_create(&world_def, &err)};
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_CANVAS);
    def.stretch.stiffness *= c->stiffness;
    def.shear.stiffness *= c->stiffness;
    def.bend.stiffness *= c->bend;
    def.enforcement.method = c->method;
    def.enforcement.iterations = c->iterations;
    def.time_step = c->time_step;
    def.drag.skin_history = !c->no_history;
    double angle = 80 * acos(-1) / 180, width = 1.5;
    fm_sheet sheet = {.columns = columns,
                      .rows = rows,
                      .width = width,
                      .height = width * (rows - 1) / (columns - 1),
                      .origin = {-width / 2, 0, 0},
                      .rotation = {.w = cos(angle / 2), .x = sin(angle / 2)}};
    fm_cloth *cloth = fm_cloth_create_sheet(r->world, &def, &sheet, &err);
    hold_corner(r->world, cloth, FM_CORNER_TOP_LEFT, 0.08 * width, &err);
    hold_corner(r->world, cloth, FM_CORNER_TOP_RIGHT, -0.08 * width, &err);
    for (int f = 0; f < c->settled * FRAMES_PER_SECOND && err.status == FM_OK; f++)
        fm_world_advance(r->world, 1.0 / FRAMES_PER_SECOND, &err);
    return err.status == FM_OK;
}

static void step_frames(void *context, int repeats)
{
    sheet_run *r = context;
    fm_error err = {0};
    for (int i = 0; i < repeats; i++) {
        double begin = bench_now();
        fm_report report = fm_world_advance(r->world, 1.0 / FRAMES_PER_SECOND, &err);
        double took = bench_now() - begin;
        r->best = r->frames == 0 || took < r->best ? took : r->best;
        r->whole_ms += 1e3 * took;
        r->bodies_ms += report.stage_ms[FM_STAGE_BODIES];
        r->enforce_ms += report.enforce_ms;
        r->stretch = fmax(r->stretch, report.max_stretch);
        r->substeps = report.substep_count;
        r->frames++;
    }
}

static void report_run(bench_report *report, const char *group, const char *name,
                       const bench_job *job, const sheet_run *r, const sheet_run *first,
                       const char *baseline)
{
    char note[160];
    double ms = job->ns * 1e-6 * FRAMES_PER_SECOND;
    int length = snprintf(note, sizeof note,
                          "%.1f (best frame %.1f) x real time, %.1f %% stretch, %d substeps a "
                          "frame, bodies %.0f %%",
                          1e3 / ms, 1 / (r->best * FRAMES_PER_SECOND), 100 * r->stretch,
                          r->substeps, 100 * r->bodies_ms / r->whole_ms);
    if (r->enforce_ms > 0 && length > 0 && length < (int)sizeof note)
        snprintf(note + length, sizeof note - (size_t)length, ", enforcement %.0f %% (%.2f x)",
                 100 * r->enforce_ms / r->whole_ms,
                 r->enforce_ms / r->frames / (first->enforce_ms / first->frames));
    bench_add(report, &(bench_result){group, name, ms, "ms/s", r == first ? 0 : job->ratio,
                                      baseline, note});
}

static void compare(bench_report *report, const char *group, const stiff_case *cases, int count,
                    int columns, int rows)
{
    enum { CASES_MAX = 8 };
    sheet_run runs[CASES_MAX] = {{0}};
    bench_job jobs[CASES_MAX];
    bool ready = true;
    for (int i = 0; i < count; i++) {
        ready = ready && open_run(&runs[i], &cases[i], columns, rows);
        jobs[i] = (bench_job){.run = step_frames, .context = &runs[i], .work = 1, .baseline = 0};
    }
    if (ready) {
        bench_measure(jobs, count, ROUNDS, TURN);
        for (int i = 0; i < count; i++)
            report_run(report, group, cases[i].name, &jobs[i], &runs[i], &runs[0], cases[0].name);
    }
    for (int i = 0; i < count; i++)
        fm_world_destroy(runs[i].world);
}

void bench_stiff(bench_report *report)
{
    static const stiff_case small[] = {
        {"directional", FM_ENFORCE_DIRECTIONAL, 1, 0, 1, 1, 2, false},
        {"no skin history", FM_ENFORCE_DIRECTIONAL, 1, 0, 1, 1, 2, true},
        {"1/120 s", FM_ENFORCE_DIRECTIONAL, 1, 1 / 120.0, 1, 0.1, 2, false},
        {"iterative, 100 passes", FM_ENFORCE_ITERATIVE, 100, 0, 1, 1, 2, false},
        {"springs alone, 12.8 kN/m", FM_ENFORCE_NONE, 1, 0, 32, 1, 2, false},
        {"springs alone, 400 N/m", FM_ENFORCE_NONE, 1, 0, 1, 1, 2, false},
    };
    static const stiff_case large[] = {
        {"directional, bend / 10", FM_ENFORCE_DIRECTIONAL, 1, 0, 1, 0.1, 2, false},
        {"no skin history", FM_ENFORCE_DIRECTIONAL, 1, 0, 1, 0.1, 2, true},
        {"1/120 s, bend / 50", FM_ENFORCE_DIRECTIONAL, 1, 1 / 120.0, 1, 0.02, 2, false},
        {"canvas's bend", FM_ENFORCE_DIRECTIONAL, 1, 0, 1, 1, 2, false},
        {"iterative, 100 passes", FM_ENFORCE_ITERATIVE, 100, 0, 1, 0.1, 0.5, false},
        {"springs alone, 400 N/m", FM_ENFORCE_NONE, 1, 0, 1, 0.1, 0.1, false},
    };
    compare(report, "61x41", small, 6, 61, 41);
    compare(report, "128x128", large, 6, 128, 128);
}
