// SPDX-License-Identifier: MIT
// cloth.c: the cost of a cloth's substep, and the additional cost of drag that depends on the past.
//
// A towel is swung at its top edge. "regular" is viscous drag with damped springs. "fractional"
// adds drag proportional to the half derivative of the position (history drag), computed from past
// velocities: from the last u = 3 as in [OKRC10], and from all of them ("full") at a relative
// tolerance of 1e-3. For comparison, the cost of the half derivatives of the three coordinates of
// all particles (three lanes per particle) is measured alone, as in `bench memory`. Then follow
// physical drag, larger sheets, two threads, and the same cloth on index arrays: as a tube and as a
// triangle mesh; then the additional cost of damped bending, of turbulence and of added mass by
// wavelength. Everything runs on one thread unless stated otherwise. The last group compares the
// first frame with later ones: the first frame allocates the state of the half derivatives and
// computes the order in which enforcement (strain limiting) corrects edges.
#include "bench.h"
#include "fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 11, SUBSTEPS = 40 }; // measurements of each job; substeps per advance
static const double TURN = 0.04;     // s, measuring time of a job per round

// Models of drag.
typedef enum drag_kind {
    REGULAR,         // viscous
    FRACTIONAL_3,    // with half derivatives over the last three substeps [OKRC10]
    FRACTIONAL_FULL, // with half derivatives over the whole past
    PHYSICAL,        // the default drag
    SPRINGS_ONLY,    // none, and springs without damping
} drag_kind;

// A swung cloth to be measured.
typedef struct towel {
    fm_world *world;
    fm_cloth *cloth;
    double duration;  // s, of SUBSTEPS substeps
    double particles; // number of particles
} towel;

// The job of a towel: advances it by SUBSTEPS substeps, `repeats` times.
static void step_towel(void *context, int repeats)
{
    towel *t = context;
    fm_error err = {0};
    for (int i = 0; i < repeats; i++)
        fm_world_advance(t->world, t->duration, &err);
}

// A towel with one of the drag models.
static fm_cloth_def drag_cloth_def(drag_kind which)
{
    fm_cloth_def def = fixture_perfect_cloth();
    def.drag.viscous = 20;
    def.drag.history.coefficient = 20;
    def.drag.history.memory.tolerance = 1e-3;
    if (which != PHYSICAL) // as in the papers
        def.bend.damping.coefficient = 0;
    switch (which) {
    case REGULAR:
        def.drag.model = FM_DRAG_VISCOUS;
        break;
    case FRACTIONAL_3:
        def.drag.model = FM_DRAG_PUBLISHED;
        def.drag.history.memory.kind = FM_RECALL_STEPS;
        def.drag.history.memory.rule = FM_RULE_COIMBRA;
        break;
    case FRACTIONAL_FULL:
        def.drag.model = FM_DRAG_PUBLISHED;
        def.drag.history.memory.kind = FM_RECALL_FULL;
        break;
    case PHYSICAL:
        break;
    case SPRINGS_ONLY:
        def.drag.model = FM_DRAG_NONE;
        def.damping.coefficient = 0;
        break;
    }
    return def;
}

// Creates a cloth on a triangle mesh with the triangles of a sheet.
static fm_cloth *copy_as_mesh(fm_world *world, const fm_cloth_def *def, const fm_sheet *sheet,
                              fm_error *err)
{
    fm_world *other = fixture_create_world(fixture_water_def(1), err);
    fm_cloth *from = fm_cloth_create_sheet(other, def, sheet, err), *copy = NULL;
    if (from) {
        fm_cloth_mesh mesh = {0};
        mesh.positions = fm_cloth_positions(from, &mesh.vertex_count);
        mesh.triangles = fm_cloth_triangles(from, &mesh.triangle_count, err);
        copy = fm_cloth_create_mesh(world, def, &mesh, err);
    }
    fm_world_destroy(other);
    return copy;
}

// Creates a sheet, a tube or a triangle mesh of 0.4 m x 0.6 m.
static fm_cloth *create_cloth(fm_world *world, const fm_cloth_def *def, fm_cloth_kind topology,
                              int columns, int rows, fm_error *err)
{
    fm_sheet sheet = {.columns = columns, .rows = rows, .width = 0.4, .height = 0.6};
    fm_tube tube = {.columns = columns, .rows = rows, .height = 0.6};
    tube.radius_top = tube.radius_bottom = 0.4 / (2 * 3.14159265358979);
    return topology == FM_CLOTH_SHEET  ? fm_cloth_create_sheet(world, def, &sheet, err)
           : topology == FM_CLOTH_TUBE ? fm_cloth_create_tube(world, def, &tube, err)
                                       : copy_as_mesh(world, def, &sheet, err);
}

// Creates a world with one cloth whose top edge is swung, and advances it once before measuring.
static bool start_in_medium(towel *t, const fm_world_def *water, const fm_cloth_def *def,
                            fm_cloth_kind topology, int columns, int rows)
{
    fm_error err = {0};
    t->world = fixture_create_world(*water, &err);
    t->cloth = create_cloth(t->world, def, topology, columns, rows, &err);
    fm_motion *swing = fm_motion_sine(t->world, (fm_vec3){0, 0, 1}, 0.05, 1.2, &err);
    fm_shape top = {.kind = FM_SHAPE_PLANE, .centre = {0, -1e-4, 0}, .normal = {0, -1, 0}};
    if (err.status == FM_OK) {
        fm_cloth_pin_within(t->cloth, &top, swing, &err);
        t->duration = SUBSTEPS * fm_cloth_stable_step(t->cloth);
        t->particles = (double)columns * rows;
        fm_world_advance(t->world, t->duration,
                         &err); // allocates the state of the half derivatives
    }
    return err.status == FM_OK;
}

// Creates a swung cloth with one of the drag models in still water.
static bool start_cloth(towel *t, drag_kind which, fm_cloth_kind topology, int columns, int rows,
                        int threads)
{
    fm_cloth_def def = drag_cloth_def(which);
    fm_world_def water = fixture_water_def(threads);
    return start_in_medium(t, &water, &def, topology, columns, rows);
}

// Creates a swung sheet with one of the drag models.
static bool start_towel(towel *t, drag_kind which, int columns, int rows, int threads)
{
    return start_cloth(t, which, FM_CLOTH_SHEET, columns, rows, threads);
}

// The job that advances a towel. baseline: index of the job it is compared with.
static bench_job towel_job(towel *t, int baseline)
{
    return (bench_job){
        .run = step_towel, .context = t, .work = SUBSTEPS * t->particles, .baseline = baseline};
}

// Half derivatives of independent signals (lanes) without a cloth.
typedef struct lanes {
    fm_memory *memory; // computes the half derivatives from velocities
    double h;          // s, time step
} lanes;

// Computes new velocities for the benchmark: velocity + 0.1 past_part = 1. fm_memory_step calls it
// with the part of the half derivatives that past velocities determine (past_part).
static void compute_velocities(void *context, int first, int count, const double *past_part,
                               double *velocity)
{
    (void)context, (void)first;
    for (int i = 0; i < count; i++)
        velocity[i] = 1 - 0.1 * past_part[i];
}

// The job of the half derivatives alone: one step, `repeats` times.
static void step_lanes(void *context, int repeats)
{
    lanes *l = context;
    for (int i = 0; i < repeats; i++)
        fm_memory_step(l->memory, l->h, compute_velocities, NULL);
}

// Starts the half derivatives of `count` signals with the time step h (s).
static bool start_lanes(lanes *l, int count, double h)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.time_step = h / 2;
    def.tolerance = 1e-3;
    l->h = h;
    l->memory = fm_memory_create(&def, count, &err);
    return l->memory && fm_memory_step(l->memory, 0, compute_velocities, NULL);
}

// Compares the drag models on a sheet of columns x rows particles.
static void compare_models(bench_report *report, const char *group, int columns, int rows)
{
    static const char *const names[4] = {"regular", "fractional, u = 3", "fractional, full 1e-3",
                                         "physical, 1e-3"};
    towel t[4] = {0};
    lanes l = {0};
    bench_job jobs[5];
    bool ready = true;
    for (int i = 0; i < 4; i++) {
        ready = start_towel(&t[i], (drag_kind)i, columns, rows, 1) && ready;
        jobs[i] = towel_job(&t[i], 0);
    }
    ready = ready && start_lanes(&l, 3 * columns * rows, t[0].duration / SUBSTEPS);
    jobs[4] = (bench_job){.run = step_lanes, .context = &l, .work = t[0].particles};
    if (ready) {
        bench_measure(jobs, 5, ROUNDS, TURN);
        for (int i = 0; i < 4; i++)
            bench_add(report, &(bench_result){group, names[i], jobs[i].ns, "ns/particle",
                                              i ? jobs[i].ratio : 0, names[0], ""});
        bench_add(report, &(bench_result){group, "its three lanes alone", jobs[4].ns, "ns/particle",
                                          0, "", ""});
        // time that full memory adds to the regular case, relative to the lanes alone; from the
        // medians of ratios, because other load on the machine affects times more than ratios
        double added = (jobs[FRACTIONAL_FULL].ratio - 1) / jobs[4].ratio;
        bench_add(report, &(bench_result){group, "what full memory adds", added * jobs[4].ns,
                                          "ns/particle", added, "its three lanes alone", ""});
    }
    for (int i = 0; i < 4; i++)
        fm_world_destroy(t[i].world);
    fm_memory_destroy(l.memory);
}

enum { LANES = 64 }; // independent multiply-adds: enough to fill all vector registers

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

// Independent fused multiply-adds in registers, to measure the machine's peak rate.
CLONES
static void multiply_add(double *restrict sink, int repeats)
{
    double a[LANES];
    for (int i = 0; i < LANES; i++)
        a[i] = sink[i];
    for (int r = 0; r < repeats; r++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            a[i] = a[i] * 0.999999 + 1e-6;
    }
    for (int i = 0; i < LANES; i++)
        sink[i] = a[i];
}

// The job of the peak rate: LANES multiply-adds, `repeats` times.
static void run_peak(void *context, int repeats)
{
    multiply_add(context, repeats);
}

// Floating-point operations per particle in a substep with springs and bending only, counted in the
// source; a division or square root counts as one. Springs 4 x 24, bending 3 x 33, normal 30, kicks
// and drift 12, closing kick 75.
enum { FLOPS = 4 * 24 + 3 * 33 + 30 + 12 + 75 };

// Compares sheets of different sizes, two threads with one, and the flop rate with the peak.
static void compare_sizes(bench_report *report)
{
    static const char *const group = "larger sheets, more threads";
    towel small = {0}, one = {0}, two = {0}, springs = {0};
    double sink[LANES] = {0};
    bool ready = start_towel(&small, FRACTIONAL_FULL, 61, 41, 1);
    ready = start_towel(&one, FRACTIONAL_FULL, 257, 257, 1) && ready;
    ready = start_towel(&two, FRACTIONAL_FULL, 257, 257, 2) && ready;
    ready = start_towel(&springs, SPRINGS_ONLY, 61, 41, 1) && ready;
    bench_job jobs[5] = {towel_job(&small, 0),
                         towel_job(&one, 0),
                         towel_job(&two, 1),
                         towel_job(&springs, 4),
                         {.run = run_peak, .context = sink, .work = 2 * LANES, .baseline = 4}};
    if (ready) {
        bench_measure(jobs, 5, ROUNDS, TURN);
        char note[96];
        bench_add(report,
                  &(bench_result){group, "61x41, full", jobs[0].ns, "ns/particle", 0, "", ""});
        bench_add(report, &(bench_result){group, "257x257, full", jobs[1].ns, "ns/particle",
                                          jobs[1].ratio, "61x41, full", ""});
        snprintf(note, sizeof note, "%.2f times as fast", 1 / jobs[2].ratio);
        bench_add(report, &(bench_result){group, "257x257, two threads", jobs[2].ns, "ns/particle",
                                          jobs[2].ratio, "257x257, full", note});
        double gflops = FLOPS / jobs[3].ns, peak = 1 / jobs[4].ns;
        snprintf(note, sizeof note, "%.2f of %.1f Gflop/s measured peak: %.0f %%", gflops, peak,
                 100 * gflops / peak);
        bench_add(report, &(bench_result){group, "61x41, springs only", jobs[3].ns, "ns/particle",
                                          0, "", note});
    }
    fm_world_destroy(small.world);
    fm_world_destroy(one.world);
    fm_world_destroy(two.world);
    fm_world_destroy(springs.world);
}

// Compares two threads with one, from sheets that are too small for two threads to sheets that
// exceed the caches.
static void compare_threads(bench_report *report)
{
    enum { SIZES = 5 };
    static const char *const group = "two threads";
    static const char *const names[SIZES] = {"31x21, physical", "61x41, physical",
                                             "61x41 tube, physical", "128x128, physical",
                                             "257x171, physical"};
    static const int sizes[SIZES][2] = {{31, 21}, {61, 41}, {61, 41}, {128, 128}, {257, 171}};
    towel t[2 * SIZES] = {0};
    bench_job jobs[2 * SIZES];
    bool ready = true;
    for (int i = 0; i < 2 * SIZES; i++) {
        fm_cloth_kind topology = i / 2 == 2 ? FM_CLOTH_TUBE : FM_CLOTH_SHEET;
        ready =
            start_cloth(&t[i], PHYSICAL, topology, sizes[i / 2][0], sizes[i / 2][1], 1 + i % 2) &&
            ready;
        jobs[i] = towel_job(&t[i], i - i % 2);
    }
    if (ready)
        bench_measure(jobs, 2 * SIZES, ROUNDS, TURN);
    for (int i = 1; i < 2 * SIZES && ready; i += 2) {
        char note[32];
        snprintf(note, sizeof note, "%.2f times as fast", 1 / jobs[i].ratio);
        bench_add(report, &(bench_result){group, names[i / 2], jobs[i].ns, "ns/particle",
                                          jobs[i].ratio, "one thread", note});
    }
    for (int i = 0; i < 2 * SIZES; i++)
        fm_world_destroy(t[i].world);
}

// Time to advance by `duration` (s), in ms.
static double time_frame(fm_world *world, double duration)
{
    fm_error err = {0};
    double start = bench_now();
    fm_world_advance(world, duration, &err);
    return 1e3 * (bench_now() - start);
}

// Compares the time of the first frame of a hanging sheet with that of later frames. method: of
// enforcement (strain limiting).
static void compare_first_frame(bench_report *report, const char *name, int columns, int rows,
                                fm_enforcement_method method)
{
    enum { TIMES = 5, LATER = 3, FRAME = 8 }; // worlds; later frames of each; substeps per frame
    double first[TIMES], later[TIMES * LATER];
    fm_error err = {0};
    for (int i = 0; i < TIMES; i++) {
        fm_world *world = fixture_create_world(fixture_water_def(1), &err);
        fixture_towel hung = fixture_default_towel(columns, rows);
        hung.cloth = drag_cloth_def(PHYSICAL);
        hung.cloth.enforcement.method = method;
        hung.amplitude = 0;
        fm_cloth *cloth = fixture_create_hanging_cloth(world, &hung, &err);
        if (err.status == FM_OK) {
            double duration = FRAME * fm_cloth_stable_step(cloth);
            first[i] = time_frame(world, duration);
            for (int k = 0; k < LATER; k++)
                later[i * LATER + k] = time_frame(world, duration);
        }
        fm_world_destroy(world);
    }
    if (err.status != FM_OK)
        return;
    double ms = bench_median(first, TIMES), later_ms = bench_median(later, TIMES * LATER);
    char note[48];
    snprintf(note, sizeof note, "%.1f ms more", ms - later_ms);
    bench_add(report, &(bench_result){"the first frame, 8 substeps", name, ms, "ms", ms / later_ms,
                                      "a later frame", note});
}

// Compares a sheet, which needs no index arrays, with a tube and a triangle mesh.
static void compare_topologies(bench_report *report)
{
    static const char *const group = "index arrays, 61x41";
    static const char *const names[3] = {"sheet, physical", "tube, physical", "mesh, physical"};
    towel t[3] = {0};
    bench_job jobs[3];
    bool ready = true;
    for (int i = 0; i < 3; i++) {
        ready = start_cloth(&t[i], PHYSICAL, (fm_cloth_kind)i, 61, 41, 1) && ready;
        jobs[i] = towel_job(&t[i], 0);
    }
    if (ready)
        bench_measure(jobs, 3, ROUNDS, TURN);
    for (int i = 0; i < 3; i++) {
        if (ready)
            bench_add(report, &(bench_result){group, names[i], jobs[i].ns, "ns/particle",
                                              i ? jobs[i].ratio : 0, names[0], ""});
        fm_world_destroy(t[i].world);
    }
}

// Physical drag without damped bending, with dashpots (the default), with a memory, and in
// turbulent water.
static void compare_additions(bench_report *report)
{
    enum { CASES = 4 };
    static const char *const group = "additions, 61x41";
    static const char *const names[CASES] = {"bending not damped", "bending damped",
                                             "bending damped, order 1/2", "turbulent water"};
    towel t[CASES] = {0};
    bench_job jobs[CASES];
    bool ready = true;
    for (int i = 0; i < CASES; i++) {
        fm_cloth_def def = drag_cloth_def(PHYSICAL);
        fm_world_def water = fixture_water_def(1);
        if (i == 0)
            def.bend.damping.coefficient = 0;
        if (i == 2)
            def.bend.damping.order = 0.5, def.bend.damping.memory.tolerance = 1e-3;
        if (i == 3)
            water.medium.flow.turbulence = (fm_turbulence){.intensity = 0.03, .length = 0.5};
        ready = start_in_medium(&t[i], &water, &def, FM_CLOTH_SHEET, 61, 41) && ready;
        jobs[i] = towel_job(&t[i], i == 3 ? 1 : 0);
    }
    if (ready)
        bench_measure(jobs, CASES, ROUNDS, TURN);
    for (int i = 0; i < CASES; i++) {
        if (ready)
            bench_add(report, &(bench_result){group, names[i], jobs[i].ns, "ns/particle",
                                              i ? jobs[i].ratio : 0, names[i == 3], ""});
        fm_world_destroy(t[i].world);
    }
}

// Added mass: a layer for all waves, and by wavelength, the default.
static void compare_added_mass(bench_report *report)
{
    enum { SIZES = 3 };
    static const char *const group = "added mass";
    static const char *const names[2 * SIZES] = {"21x31, layer",      "21x31, by wavelength",
                                                 "61x41, layer",      "61x41, by wavelength",
                                                 "61x41 mesh, layer", "61x41 mesh, by wavelength"};
    towel t[2 * SIZES] = {0};
    bench_job jobs[2 * SIZES];
    bool ready = true;
    for (int i = 0; i < 2 * SIZES; i++) {
        fm_cloth_def def = fm_default_cloth_def();
        fm_world_def water = fixture_water_def(1);
        def.drag.added_mass = i % 2 ? -1 : 0.06;
        fm_cloth_kind kind = i < 4 ? FM_CLOTH_SHEET : FM_CLOTH_MESH;
        ready =
            start_in_medium(&t[i], &water, &def, kind, i < 2 ? 21 : 61, i < 2 ? 31 : 41) && ready;
        jobs[i] = towel_job(&t[i], i / 2 * 2);
    }
    if (ready)
        bench_measure(jobs, 2 * SIZES, ROUNDS, TURN);
    for (int i = 0; i < 2 * SIZES; i++) {
        if (ready)
            bench_add(report, &(bench_result){group, names[i], jobs[i].ns, "ns/particle",
                                              i % 2 ? jobs[i].ratio : 0, names[i / 2 * 2], ""});
        fm_world_destroy(t[i].world);
    }
}

// Runs all comparisons of cloths; sizes are columns x rows of particles.
void bench_cloth(bench_report *report)
{
    compare_models(report, "a substep, 31x21", 31, 21);
    compare_models(report, "a substep, 61x41", 61, 41);
    compare_sizes(report);
    compare_topologies(report);
    compare_additions(report);
    compare_added_mass(report);
    compare_threads(report);
    compare_first_frame(report, "61x41", 61, 41, FM_ENFORCE_NONE);
    compare_first_frame(report, "61x41, directional", 61, 41, FM_ENFORCE_DIRECTIONAL);
    compare_first_frame(report, "128x128", 128, 128, FM_ENFORCE_NONE);
    compare_first_frame(report, "257x257, directional", 257, 257, FM_ENFORCE_DIRECTIONAL);
}
