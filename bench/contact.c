// SPDX-License-Identifier: MIT
// contact.c: what it costs that nothing passes through anything.
//
// Canvas with 25 mm between particles, folded in three on a floor: every particle has cloth or
// floor on both sides, at rest and yet never quite. Frames of 1/60 s in eight substeps, directional
// enforcement. First a sheet of 61x41 with contact, beside the plain collision of its particles
// with the floor, which lets the layers through each other; then larger sheets of the same cloth.
//
// Values are microseconds for a particle and a frame, the median of rounds.
#include "bench.h"

#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 7, FRAMES_PER_SECOND = 60, SETTLED = 30 };
static const double TURN = 0.05, SPACING = 0.025, RADIUS = 0.012; // s, m, m

typedef struct fold_case {
    const char *name;
    int columns, rows, threads;
    bool contact;
} fold_case;

typedef struct fold_run {
    fm_world *world;
    int count, frames, impacts;
    double stretch, best;
} fold_run;

// Where a point at `u` along a strip of the given length goes: three layers, round turns between.
static fm_vec3 fold(double u, double length, double z)
{
    double turn = acos(-1) * RADIUS, layer = (length - 2 * turn) / 3, low = RADIUS;
    double at = u;
    if (at < layer)
        return (fm_vec3){at, low, z};
    at -= layer;
    if (at < turn)
        return (fm_vec3){layer + RADIUS * sin(at / RADIUS), low + RADIUS * (1 - cos(at / RADIUS)),
                         z};
    at -= turn;
    if (at < layer)
        return (fm_vec3){layer - at, low + 2 * RADIUS, z};
    at -= layer;
    if (at < turn)
        return (fm_vec3){-RADIUS * sin(at / RADIUS), low + RADIUS * (3 - cos(at / RADIUS)), z};
    return (fm_vec3){at - turn, low + 4 * RADIUS, z};
}

static void place(fm_cloth *cloth, double length, fm_error *err)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    fm_vec3 *folded = malloc((size_t)count * sizeof *folded);
    for (int i = 0; folded && i < count; i++)
        folded[i] = fold(x[i].x, length, x[i].z);
    if (folded)
        fm_cloth_set_positions(cloth, folded, err);
    free(folded);
}

static bool open_run(fold_run *r, const fold_case *c)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = c->threads;
    world_def.medium.density = 1.2;
    world_def.medium.viscosity = 1.8e-5;
    *r = (fold_run){.world = fm_world_create(&world_def, &err), .count = c->columns * c->rows};
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_CANVAS);
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    def.contact.enabled = c->contact;
    def.time_step = 1.0 / 480;
    double half = sqrt(0.5), length = SPACING * (c->columns - 1);
    fm_sheet sheet = {.columns = c->columns,
                      .rows = c->rows,
                      .width = length,
                      .height = SPACING * (c->rows - 1),
                      .rotation = {-half, 0, 0, half}};
    fm_cloth *cloth = fm_cloth_create_sheet(r->world, &def, &sheet, &err);
    if (err.status == FM_OK)
        place(cloth, length, &err);
    fm_collider_def floor = fm_default_collider_def();
    floor.shape = (fm_shape){.kind = FM_SHAPE_PLANE, .normal = {0, 1, 0}};
    floor.friction = 0.5;
    fm_collider_create(r->world, &floor, &err);
    for (int f = 0; f < SETTLED && err.status == FM_OK; f++)
        fm_world_advance(r->world, 1.0 / FRAMES_PER_SECOND, &err);
    return err.status == FM_OK;
}

static void step_frames(void *context, int repeats)
{
    fold_run *r = context;
    fm_error err = {0};
    for (int i = 0; i < repeats; i++) {
        double begin = bench_now();
        fm_report report = fm_world_advance(r->world, 1.0 / FRAMES_PER_SECOND, &err);
        double took = bench_now() - begin;
        r->best = r->frames == 0 || took < r->best ? took : r->best;
        r->impacts += report.impact_count;
        r->stretch = fmax(r->stretch, report.max_stretch);
        r->frames++;
    }
}

static void compare(bench_report *report, const char *group, const fold_case *cases, int count)
{
    enum { CASES_MAX = 4 };
    fold_run runs[CASES_MAX] = {{0}};
    bench_job jobs[CASES_MAX];
    bool ready = true;
    for (int i = 0; i < count; i++) {
        ready = ready && open_run(&runs[i], &cases[i]);
        jobs[i] = (bench_job){
            .run = step_frames, .context = &runs[i], .work = runs[i].count, .baseline = 0};
    }
    if (ready)
        bench_measure(jobs, count, ROUNDS, TURN);
    for (int i = 0; ready && i < count; i++) {
        char note[96];
        snprintf(note, sizeof note, "best frame %.1f ms (%.2f x), %.1f %% stretch, %d impacts",
                 1e3 * runs[i].best, runs[i].best / runs[i].count / runs[0].best * runs[0].count,
                 100 * runs[i].stretch, runs[i].impacts);
        bench_add(report, &(bench_result){group, cases[i].name, jobs[i].ns * 1e-3, "us/particle",
                                          i ? jobs[i].ratio : 0, cases[0].name, note});
    }
    for (int i = 0; i < count; i++)
        fm_world_destroy(runs[i].world);
}

void bench_contact(bench_report *report)
{
    static const fold_case one_thread[] = {{"plain collisions", 61, 41, 1, false},
                                           {"contact", 61, 41, 1, true}};
    static const fold_case two_threads[] = {{"plain collisions", 61, 41, 2, false},
                                            {"contact", 61, 41, 2, true}};
    static const fold_case larger[] = {{"contact, 61x41", 61, 41, 1, true},
                                       {"contact, 129x129", 129, 129, 1, true},
                                       {"contact, 257x257", 257, 257, 1, true}};
    compare(report, "61x41, one thread", one_thread, 2);
    compare(report, "61x41, two threads", two_threads, 2);
    compare(report, "one thread", larger, 3);
}
