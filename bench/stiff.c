// SPDX-License-Identifier: MIT
// stiff.c: the cost of cloth that hardly stretches.
//
// Canvas of 1.5 m in air is held at two corners, each moved inwards by 8 % of the width, and
// swings; frames of 1/60 s, one thread. Compared are enforcement (constraint projection of edge
// lengths) by the directional method with substeps of 1/240 and 1/120 s, the iterative method with
// as many passes as give about the same stretch (at 61x41; at 128x128 a hundred passes stretch
// more), and springs alone: with 12.8 kN/m they stretch about as little, canvas has 400 N/m here.
// At 128x128, the bending of canvas needs 12 substeps a frame, a tenth of it 4 and a fiftieth 2.
//
// Values are ms per simulated second for the whole step, the median of the rounds. The notes
// contain the speed relative to real time, on average and for the fastest frame (as on an otherwise
// idle machine), the share of the cloth's own step (bodies) and of enforcement, and the ratio of
// the enforcement's time to that of the first case.
#include "bench.h"
#include "fixtures.h"

#include <math.h>
#include <stdio.h>

enum { ROUNDS = 7, FRAMES_PER_SECOND = 60 };
static const double TURN = 0.05; // s, measuring time of a job per round

// One way to keep the cloth from stretching.
typedef struct stiff_case {
    const char *name;
    fm_enforcement_method method;
    int iterations;         // passes of the enforcement per substep
    double time_step;       // s; 0: the default
    double stiffness, bend; // factors on the stretch and bending stiffness of canvas
    double settled;         // s, simulated before measuring
    bool no_history;        // without the part of skin friction that depends on past motion
} stiff_case;

// A sheet while it is measured.
typedef struct sheet_run {
    fm_world *world;
    double whole_ms;      // ms, computing time of all frames
    double bodies_ms;     // ms, of that the cloth's own step
    double enforce_ms;    // ms, of that the enforcement (strain limiting)
    double stretch;       // largest l/l0 - 1
    double best;          // s, time of the fastest frame: as on an otherwise idle machine
    int frames, substeps; // number of frames; substeps of the last frame
} sheet_run;

// Creates the sheet of one case and lets it swing for c->settled seconds.
static bool start_run(sheet_run *r, const stiff_case *c, int columns, int rows)
{
    fm_error err = {0};
    *r = (sheet_run){.world = fixture_create_world(fixture_air_def(1), &err)};
    fm_cloth_def def = fixture_canvas_def(c->method, false);
    def.stretch.stiffness *= c->stiffness;
    def.shear.stiffness *= c->stiffness;
    def.bend.stiffness *= c->bend;
    def.enforcement.iterations = c->iterations;
    def.time_step = c->time_step;
    def.drag.skin_history = !c->no_history;
    fm_sheet sheet = fixture_tilted_sheet(columns, rows, 1.5, 80);
    fm_cloth *cloth = fm_cloth_create_sheet(r->world, &def, &sheet, &err);
    double shift = 0.08 * sheet.width; // m, moved inwards between 0.1 and 0.9 s
    fixture_pin_moving_corner(r->world, cloth, FM_CORNER_TOP_LEFT, shift, 0.1, 0.9, &err);
    fixture_pin_moving_corner(r->world, cloth, FM_CORNER_TOP_RIGHT, -shift, 0.1, 0.9, &err);
    for (int f = 0; f < c->settled * FRAMES_PER_SECOND && err.status == FM_OK; f++)
        fm_world_advance(r->world, 1.0 / FRAMES_PER_SECOND, &err);
    return err.status == FM_OK;
}

// The job of a sheet: simulates `repeats` frames.
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

// Reports one case. first: the run that it is compared with.
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

// Measures the cases alternately on a sheet of columns x rows particles.
static void compare_cases(bench_report *report, const char *group, const stiff_case *cases,
                          int count, int columns, int rows)
{
    enum { CASES_MAX = 8 };
    sheet_run runs[CASES_MAX] = {{0}};
    bench_job jobs[CASES_MAX];
    bool ready = true;
    for (int i = 0; i < count; i++) {
        ready = ready && start_run(&runs[i], &cases[i], columns, rows);
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

// Compares the ways to keep cloth from stretching on a small and on a large sheet.
void bench_stiff(bench_report *report)
{
    // columns: name, method, passes, time step, factors on stretch and bending stiffness, settled
    // time, without skin history
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
    compare_cases(report, "61x41", small, 6, 61, 41);
    compare_cases(report, "128x128", large, 6, 128, 128);
}
