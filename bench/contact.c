// SPDX-License-Identifier: MIT
// contact.c: cost of contact handling.
//
// Canvas with 25 mm between particles, folded in three layers on a floor: every particle has cloth
// or floor on both sides and is almost at rest. Frames of 1/60 s in eight substeps, with
// directional enforcement (strain limiting outwards from fixed particles). First a sheet of 61x41
// with contact is compared with the plain collision of its particles with the floor, which lets the
// layers pass through each other; then larger sheets of the same cloth.
//
// Then the cost of contact where nothing touches: sheets of canvas that swing down from a bar, with
// and without contact; and four capes of 20x30 on moving shoulders, as in games.
//
// Values are microseconds per particle and frame, the median of several rounds. For the capes they
// are milliseconds of processor time per frame: the mean, with the largest in the note.
#include "bench.h"
#include "fixtures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// SETTLED: frames before measuring; CAPE_FRAMES: frames of the capes
enum { ROUNDS = 7, FRAMES_PER_SECOND = 60, SETTLED = 30, CAPE_FRAMES = 180 };
static const double TURN = 0.05;     // s, measuring time of a job per round
static const double SPACING = 0.025; // m, between particles
static const double RADIUS = 0.012;  // m, of the turns between folded layers

// A sheet to be measured.
typedef struct sheet_case {
    const char *name;
    int columns, rows; // particles
    int threads;
    bool contact; // with contact handling
} sheet_case;

// A sheet while it is measured.
typedef struct sheet_run {
    fm_world *world;
    int count;      // particles
    int frames;     // frames simulated so far
    int impacts;    // paths cut short at a time of impact, all frames
    double stretch; // largest l/l0 - 1
    double best;    // s, time of the fastest frame
} sheet_run;

// Position (m) of the point at distance u (m) along a strip of the given length, folded into three
// layers with round turns between them.
static fm_vec3 fold_point(double u, double length, double z)
{
    double turn = acos(-1) * RADIUS,
           layer = (length - 2 * turn) / 3; // m, lengths of turn and layer
    double low = RADIUS;                    // m, height of the lowest layer
    double rest = u;                        // m, length from the start of the current part
    if (rest < layer)
        return (fm_vec3){rest, low, z};
    rest -= layer;
    if (rest < turn)
        return (fm_vec3){layer + RADIUS * sin(rest / RADIUS),
                         low + RADIUS * (1 - cos(rest / RADIUS)), z};
    rest -= turn;
    if (rest < layer)
        return (fm_vec3){layer - rest, low + 2 * RADIUS, z};
    rest -= layer;
    if (rest < turn)
        return (fm_vec3){-RADIUS * sin(rest / RADIUS), low + RADIUS * (3 - cos(rest / RADIUS)), z};
    return (fm_vec3){rest - turn, low + 4 * RADIUS, z};
}

// Sets the positions of a flat sheet to the folded strip. length: along x, m.
static void fold_cloth(fm_cloth *cloth, double length, fm_error *err)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    fm_vec3 *folded = malloc((size_t)count * sizeof *folded);
    for (int i = 0; folded && i < count; i++)
        folded[i] = fold_point(x[i].x, length, x[i].z);
    if (folded)
        fm_cloth_set_positions(cloth, folded, err);
    free(folded);
}

// Creates a folded sheet on a floor and lets it settle.
static bool start_folded(sheet_run *r, const sheet_case *c)
{
    fm_error err = {0};
    *r = (sheet_run){.world = fixture_create_world(fixture_air_def(c->threads), &err),
                     .count = c->columns * c->rows};
    fm_cloth_def def = fixture_canvas_def(FM_ENFORCE_DIRECTIONAL, c->contact);
    def.time_step = 1.0 / 480; // s, eight substeps a frame
    double length = SPACING * (c->columns - 1);
    fm_sheet sheet = fixture_level_sheet(c->columns, c->rows, length, SPACING * (c->rows - 1),
                                         (fm_vec3){0, 0, 0});
    fm_cloth *cloth = fm_cloth_create_sheet(r->world, &def, &sheet, &err);
    if (err.status == FM_OK)
        fold_cloth(cloth, length, &err);
    fm_collider_def floor = fixture_floor_def(0);
    floor.friction = 0.5;
    fm_collider_create(r->world, &floor, &err);
    for (int f = 0; f < SETTLED && err.status == FM_OK; f++)
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
        r->impacts += report.impact_count;
        r->stretch = fmax(r->stretch, report.max_stretch);
        r->frames++;
    }
}

// Creates the world of a case.
typedef bool start_function(sheet_run *r, const sheet_case *c);

// Measures the cases alternately and reports each relative to the first.
static void compare_cases(bench_report *report, const char *group, start_function *start,
                          const sheet_case *cases, int count)
{
    enum { CASES_MAX = 4 };
    sheet_run runs[CASES_MAX] = {{0}};
    bench_job jobs[CASES_MAX];
    bool ready = true;
    for (int i = 0; i < count; i++) {
        ready = ready && start(&runs[i], &cases[i]);
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

// Creates a sheet 1.5 m wide that swings down from an almost horizontal position.
static bool start_swinging(sheet_run *r, const sheet_case *c)
{
    fm_error err = {0};
    *r = (sheet_run){.world = fixture_create_world(fixture_air_def(c->threads), &err),
                     .count = c->columns * c->rows};
    fixture_towel towel = fixture_default_towel(0, 0);
    towel.cloth = fixture_canvas_def(FM_ENFORCE_DIRECTIONAL, c->contact);
    towel.sheet = fixture_tilted_sheet(c->columns, c->rows, 1.5, -80);
    fixture_create_hanging_cloth(r->world, &towel, &err);
    fm_world_advance(r->world, 1.0 / FRAMES_PER_SECOND, &err);
    return err.status == FM_OK;
}

// CPU time of this process, s.
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Processor time of four capes.
typedef struct cape_times {
    double mean, worst; // s per frame, without the first frame
    int contacts;       // contacts in all frames
} cape_times;

// Adds the cape number k, k metres along x. shoulders: with a moving capsule, the back of its
// wearer.
static bool add_cape(fm_world *world, int k, bool contact, bool shoulders, fm_error *err)
{
    fixture_towel cape = fixture_default_cape(contact);
    cape.sheet.origin = (fm_vec3){k - 0.3, 1.45, -0.2};
    cape.motion = fm_motion_sine(world, cape.axis, cape.amplitude, 0.9 + 0.1 * k, err);
    fixture_create_hanging_cloth(world, &cape, err);
    if (!shoulders)
        return err->status == FM_OK;
    fm_collider_def back = fm_default_collider_def();
    back.shape = (fm_shape){
        .kind = FM_SHAPE_CAPSULE, .start = {k, 0.2, 0}, .end = {k, 1.3, 0}, .radius = 0.16};
    back.motion = cape.motion;
    back.friction = 0.2;
    fm_collider_create(world, &back, err);
    return err->status == FM_OK;
}

// Simulates four capes for CAPE_FRAMES frames and measures the processor time of each.
static bool time_capes(bool contact, bool shoulders, cape_times *times)
{
    enum { CAPES = 4 };
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_air_def(1), &err);
    for (int k = 0; k < CAPES; k++)
        add_cape(world, k, contact, shoulders, &err);
    *times = (cape_times){0};
    for (int frame = 0; frame < CAPE_FRAMES && err.status == FM_OK; frame++) {
        double begin = processor_seconds();
        times->contacts += fm_world_advance(world, 1.0 / FRAMES_PER_SECOND, &err).contact_count;
        double took = processor_seconds() - begin;
        if (frame == 0)
            continue;
        times->mean += took / (CAPE_FRAMES - 1);
        times->worst = fmax(times->worst, took);
    }
    fm_world_destroy(world);
    return err.status == FM_OK;
}

// Compares capes with contact and without.
static void compare_capes(bench_report *report, const char *group, bool shoulders)
{
    static const char *const names[] = {"without contact", "contact"};
    cape_times times[2];
    for (int i = 0; i < 2; i++) {
        if (!time_capes(i == 1, shoulders, &times[i]))
            return;
        char note[96];
        snprintf(note, sizeof note, "worst frame %.1f ms, %.1f contacts a frame",
                 1e3 * times[i].worst, times[i].contacts / (double)CAPE_FRAMES);
        bench_add(report, &(bench_result){group, names[i], 1e3 * times[i].mean, "ms/frame",
                                          i ? times[1].mean / times[0].mean : 0, names[0], note});
    }
}

// Runs all comparisons of contact: folded sheets, sheets that touch nothing, capes.
void bench_contact(bench_report *report)
{
    static const sheet_case small[] = {{"without contact", 61, 41, 1, false},
                                       {"contact", 61, 41, 1, true}};
    static const sheet_case large[] = {{"without contact", 128, 128, 1, false},
                                       {"contact", 128, 128, 1, true}};
    static const sheet_case one_thread[] = {{"plain collisions", 61, 41, 1, false},
                                            {"contact", 61, 41, 1, true}};
    static const sheet_case two_threads[] = {{"plain collisions", 61, 41, 2, false},
                                             {"contact", 61, 41, 2, true}};
    static const sheet_case larger[] = {{"contact, 61x41", 61, 41, 1, true},
                                        {"contact, 129x129", 129, 129, 1, true},
                                        {"contact, 257x257", 257, 257, 1, true}};
    compare_cases(report, "61x41, one thread", start_folded, one_thread, 2);
    compare_cases(report, "61x41, two threads", start_folded, two_threads, 2);
    compare_cases(report, "one thread", start_folded, larger, 3);
    compare_cases(report, "idle, 61x41", start_swinging, small, 2);
    compare_cases(report, "idle, 128x128", start_swinging, large, 2);
    compare_capes(report, "four capes", false);
    compare_capes(report, "four capes, worn", true);
}
