// SPDX-License-Identifier: MIT
// contact.c: what it costs that nothing passes through anything.
//
// Canvas with 25 mm between particles, folded in three on a floor: every particle has cloth or
// floor on both sides, at rest and yet never quite. Frames of 1/60 s in eight substeps, directional
// enforcement. First a sheet of 61x41 with contact, beside the plain collision of its particles
// with the floor, which lets the layers through each other; then larger sheets of the same cloth.
//
// Then what contact costs where it has nothing to do: sheets of canvas that swing down from a bar
// and on, with contact and without; and four capes of 20x30 on shoulders that move, as games have
// them.
//
// Values are microseconds for a particle and a frame, the median of rounds; of the capes,
// milliseconds of processor time for a frame, the mean, and the worst in the note.
#include "bench.h"

#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

// What all worlds here have in common.
static fm_world *open_world(int threads, fm_error *err)
{
    fm_world_def def = fm_default_world_def();
    def.threads = threads;
    def.medium.density = 1.2;
    def.medium.viscosity = 1.8e-5;
    return fm_world_create(&def, err);
}

static fm_cloth_def choose_cloth(bool contact)
{
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_CANVAS);
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    def.contact.enabled = contact;
    return def;
}

static bool open_fold(fold_run *r, const fold_case *c)
{
    fm_error err = {0};
    *r = (fold_run){.world = open_world(c->threads, &err), .count = c->columns * c->rows};
    fm_cloth_def def = choose_cloth(c->contact);
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

typedef bool open_function(fold_run *r, const fold_case *c);

static void compare(bench_report *report, const char *group, open_function *open_run,
                    const fold_case *cases, int count)
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

// A sheet 1.5 m wide, let fall from almost level.
static bool open_swing(fold_run *r, const fold_case *c)
{
    fm_error err = {0};
    *r = (fold_run){.world = open_world(c->threads, &err), .count = c->columns * c->rows};
    fm_cloth_def def = choose_cloth(c->contact);
    double angle = -80 * acos(-1) / 180;
    fm_sheet sheet = {.columns = c->columns,
                      .rows = c->rows,
                      .width = 1.5,
                      .height = 1.5 * (c->rows - 1) / (c->columns - 1),
                      .rotation = {sin(angle / 2), 0, 0, cos(angle / 2)}};
    fm_cloth *cloth = fm_cloth_create_sheet(r->world, &def, &sheet, &err);
    fm_motion *bar = fm_motion_sine(r->world, (fm_vec3){0, 0, 1}, 0.06, 2.4, &err);
    fm_cloth_pin_row(cloth, 0, bar, &err);
    fm_world_advance(r->world, 1.0 / FRAMES_PER_SECOND, &err);
    return err.status == FM_OK;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct cape_times {
    double mean, worst; // s, after the first frame
    int contacts;
} cape_times;

static bool add_cape(fm_world *world, int k, bool contact, bool shoulders, fm_error *err)
{
    fm_cloth_def def = choose_cloth(contact);
    fm_motion *sway = fm_motion_sine(world, (fm_vec3){0.3, 0, 1}, 0.04, 0.9 + 0.1 * k, err);
    fm_sheet sheet = {
        .columns = 20, .rows = 30, .width = 0.6, .height = 0.9, .origin = {k - 0.3, 1.45, -0.2}};
    fm_cloth *cape = fm_cloth_create_sheet(world, &def, &sheet, err);
    fm_cloth_pin_row(cape, 0, sway, err);
    if (!shoulders)
        return err->status == FM_OK;
    fm_collider_def back = fm_default_collider_def();
    back.shape = (fm_shape){
        .kind = FM_SHAPE_CAPSULE, .start = {k, 0.2, 0}, .end = {k, 1.3, 0}, .radius = 0.16};
    back.motion = sway;
    back.friction = 0.2;
    fm_collider_create(world, &back, err);
    return err->status == FM_OK;
}

static bool time_capes(bool contact, bool shoulders, cape_times *times)
{
    enum { CAPES = 4, FRAMES = 180 };
    fm_error err = {0};
    fm_world *world = open_world(1, &err);
    for (int k = 0; k < CAPES; k++)
        add_cape(world, k, contact, shoulders, &err);
    *times = (cape_times){0};
    for (int frame = 0; frame < FRAMES && err.status == FM_OK; frame++) {
        double begin = processor_seconds();
        times->contacts += fm_world_advance(world, 1.0 / FRAMES_PER_SECOND, &err).contact_count;
        double took = processor_seconds() - begin;
        if (frame == 0)
            continue;
        times->mean += took / (FRAMES - 1);
        times->worst = fmax(times->worst, took);
    }
    fm_world_destroy(world);
    return err.status == FM_OK;
}

static void compare_capes(bench_report *report, const char *group, bool shoulders)
{
    static const char *const names[] = {"without contact", "contact"};
    cape_times times[2];
    for (int i = 0; i < 2; i++) {
        if (!time_capes(i == 1, shoulders, &times[i]))
            return;
        char note[96];
        snprintf(note, sizeof note, "worst frame %.1f ms, %.1f contacts a frame",
                 1e3 * times[i].worst, times[i].contacts / 180.0);
        bench_add(report, &(bench_result){group, names[i], 1e3 * times[i].mean, "ms/frame",
                                          i ? times[1].mean / times[0].mean : 0, names[0], note});
    }
}

void bench_contact(bench_report *report)
{
    static const fold_case small[] = {{"without contact", 61, 41, 1, false},
                                      {"contact", 61, 41, 1, true}};
    static const fold_case large[] = {{"without contact", 128, 128, 1, false},
                                      {"contact", 128, 128, 1, true}};
    static const fold_case one_thread[] = {{"plain collisions", 61, 41, 1, false},
                                           {"contact", 61, 41, 1, true}};
    static const fold_case two_threads[] = {{"plain collisions", 61, 41, 2, false},
                                            {"contact", 61, 41, 2, true}};
    static const fold_case larger[] = {{"contact, 61x41", 61, 41, 1, true},
                                       {"contact, 129x129", 129, 129, 1, true},
                                       {"contact, 257x257", 257, 257, 1, true}};
    compare(report, "61x41, one thread", open_fold, one_thread, 2);
    compare(report, "61x41, two threads", open_fold, two_threads, 2);
    compare(report, "one thread", open_fold, larger, 3);
    compare(report, "idle, 61x41", open_swing, small, 2);
    compare(report, "idle, 128x128", open_swing, large, 2);
    compare_capes(report, "four capes", false);
    compare_capes(report, "four capes, worn", true);
}
