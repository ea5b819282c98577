// SPDX-License-Identifier: MIT
// cloth.c: what a substep of a cloth costs, and what remembering adds to it.
//
// A towel swung at its top edge. Regular: viscous drag and damped springs. Fractional: the same
// with history drag, as published (u = 3) and with full memory at 1e-3, which is three lanes a
// particle; beside it the cost of those lanes alone, as in `bench memory`. Then the physical set,
// larger sheets, two threads, and the same cloth on index arrays: as a tube, and as a mesh of its
// triangles. All on one thread unless said. Last what the first frame costs beside later ones, for
// what is made then: tables of memories, and the map of what holds enforced cloth.
#include "bench.h"

#include <fathom/fathom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 11, SUBSTEPS = 40 };
static const double TURN = 0.04; // s

typedef enum kind { REGULAR, FRACTIONAL_3, FRACTIONAL_FULL, PHYSICAL, SPRINGS_ONLY } kind;

typedef struct towel {
    fm_world *world;
    fm_cloth *cloth;
    double duration; // of SUBSTEPS substeps
    double particles;
} towel;

static void step_towel(void *context, int repeats)
{
    towel *t = context;
    fm_error err = {0};
    for (int i = 0; i < repeats; i++)
        fm_world_advance(t->world, t->duration, &err);
}

static fm_cloth_def define(kind which)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.drag.viscous = 20;
    def.drag.history.coefficient = 20;
    def.drag.history.memory.tolerance = 1e-3;
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

// The triangles of a sheet as a mesh.
static fm_cloth *copy_as_mesh(fm_world *world, const fm_cloth_def *def, const fm_sheet *sheet,
                              fm_error *err)
{
    fm_world_def other_def = fm_default_world_def();
    other_def.threads = 1;
    fm_world *other = fm_world_create(&other_def, err);
    fm_cloth *from = fm_cloth_create_sheet(other, def, sheet, err), *made = NULL;
    if (from) {
        fm_cloth_mesh mesh = {0};
        mesh.positions = fm_cloth_positions(from, &mesh.vertex_count);
        mesh.triangles = fm_cloth_triangles(from, &mesh.triangle_count, err);
        made = fm_cloth_create_mesh(world, def, &mesh, err);
    }
    fm_world_destroy(other);
    return made;
}

static fm_cloth *make_cloth(fm_world *world, const fm_cloth_def *def, fm_cloth_kind topology,
                            int columns, int rows, fm_error *err)
{
    fm_sheet sheet = {.columns = columns, .rows = rows, .width = 0.4, .height = 0.6};
    fm_tube tube = {.columns = columns, .rows = rows, .height = 0.6};
    tube.radius_top = tube.radius_bottom = 0.4 / (2 * 3.14159265358979);
    return topology == FM_CLOTH_SHEET  ? fm_cloth_create_sheet(world, def, &sheet, err)
           : topology == FM_CLOTH_TUBE ? fm_cloth_create_tube(world, def, &tube, err)
                                       : copy_as_mesh(world, def, &sheet, err);
}

static bool open_cloth(towel *t, kind which, fm_cloth_kind topology, int columns, int rows,
                       int threads)
{
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = threads;
    fm_cloth_def def = define(which);
    t->world = fm_world_create(&world_def, &err);
    t->cloth = make_cloth(t->world, &def, topology, columns, rows, &err);
    fm_motion *swing = fm_motion_sine(t->world, (fm_vec3){0, 0, 1}, 0.05, 1.2, &err);
    fm_shape top = {.kind = FM_SHAPE_PLANE, .centre = {0, -1e-4, 0}, .normal = {0, -1, 0}};
    if (err.status == FM_OK) {
        fm_cloth_pin_within(t->cloth, &top, swing, &err);
        t->duration = SUBSTEPS * fm_cloth_stable_step(t->cloth);
        t->particles = (double)columns * rows;
        fm_world_advance(t->world, t->duration, &err); // memories are made here
    }
    return err.status == FM_OK;
}

static bool open_towel(towel *t, kind which, int columns, int rows, int threads)
{
    return open_cloth(t, which, FM_CLOTH_SHEET, columns, rows, threads);
}

static bench_job towel_job(towel *t, int baseline)
{
    return (bench_job){
        .run = step_towel, .context = t, .work = SUBSTEPS * t->particles, .baseline = baseline};
}

typedef struct lanes {
    fm_memory *memory;
    double h;
} lanes;

static void solve_lanes(void *context, int first, int count, const double *known, double *rate)
{
    (void)context, (void)first;
    for (int i = 0; i < count; i++)
        rate[i] = 1 - 0.1 * known[i];
}

static void step_lanes(void *context, int repeats)
{
    lanes *l = context;
    for (int i = 0; i < repeats; i++)
        fm_memory_step(l->memory, l->h, solve_lanes, NULL);
}

static bool open_lanes(lanes *l, int count, double h)
{
    fm_error err = {0};
    fm_memory_def def = fm_default_memory_def();
    def.time_step = h / 2;
    def.tolerance = 1e-3;
    l->h = h;
    l->memory = fm_memory_create(&def, count, &err);
    return l->memory && fm_memory_step(l->memory, 0, solve_lanes, NULL);
}

static void compare_models(bench_report *report, const char *group, int columns, int rows)
{
    static const char *const names[4] = {"regular", "fractional, u = 3", "fractional, full 1e-3",
                                         "physical, 1e-3"};
    towel t[4] = {0};
    lanes l = {0};
    bench_job jobs[5];
    bool ready = true;
    for (int i = 0; i < 4; i++) {
        ready = open_towel(&t[i], (kind)i, columns, rows, 1) && ready;
        jobs[i] = towel_job(&t[i], 0);
    }
    ready = ready && open_lanes(&l, 3 * columns * rows, t[0].duration / SUBSTEPS);
    jobs[4] = (bench_job){.run = step_lanes, .context = &l, .work = t[0].particles};
    if (ready) {
        bench_measure(jobs, 5, ROUNDS, TURN);
        for (int i = 0; i < 4; i++)
            bench_add(report, &(bench_result){group, names[i], jobs[i].ns, "ns/particle",
                                              i ? jobs[i].ratio : 0, names[0], ""});
        bench_add(report, &(bench_result){group, "its three lanes alone", jobs[4].ns, "ns/particle",
                                          0, "", ""});
        // from the medians of ratios, which a busy machine disturbs less than times
        double added = (jobs[2].ratio - 1) / jobs[4].ratio;
        bench_add(report, &(bench_result){group, "what full memory adds", added * jobs[4].ns,
                                          "ns/particle", added, "its three lanes alone", ""});
    }
    for (int i = 0; i < 4; i++)
        fm_world_destroy(t[i].world);
    fm_memory_destroy(l.memory);
}

// A loop of independent fused multiply-adds that stays in registers: what the machine can do at
// most.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
static void
multiply_add(double *restrict sink, int repeats)
{
    double a[64];
    for (int i = 0; i < 64; i++)
        a[i] = sink[i];
    for (int r = 0; r < repeats; r++) {
#pragma omp simd
        for (int i = 0; i < 64; i++)
            a[i] = a[i] * 0.999999 + 1e-6;
    }
    for (int i = 0; i < 64; i++)
        sink[i] = a[i];
}

static void run_peak(void *context, int repeats)
{
    multiply_add(context, repeats);
}

// Operations of one particle in a substep with springs and bending only, counted in the code; a
// division and a root as one each. Springs 4 x 24, bending 3 x 33, normal 30, kicks and drift 12,
// closing 75.
enum { FLOPS = 4 * 24 + 3 * 33 + 30 + 12 + 75 };

static void compare_sizes(bench_report *report)
{
    static const char *const group = "larger sheets, more threads";
    towel small = {0}, one = {0}, two = {0}, springs = {0};
    double sink[64] = {0};
    bool ready = open_towel(&small, FRACTIONAL_FULL, 61, 41, 1);
    ready = open_towel(&one, FRACTIONAL_FULL, 257, 257, 1) && ready;
    ready = open_towel(&two, FRACTIONAL_FULL, 257, 257, 2) && ready;
    ready = open_towel(&springs, SPRINGS_ONLY, 61, 41, 1) && ready;
    bench_job jobs[5] = {towel_job(&small, 0),
                         towel_job(&one, 0),
                         towel_job(&two, 1),
                         towel_job(&springs, 4),
                         {.run = run_peak, .context = sink, .work = 128, .baseline = 4}};
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
        double rate = FLOPS / jobs[3].ns, peak = 1 / jobs[4].ns;
        snprintf(note, sizeof note, "%.2f of %.1f Gflop/s measured peak: %.0f %%", rate, peak,
                 100 * rate / peak);
        bench_add(report, &(bench_result){group, "61x41, springs only", jobs[3].ns, "ns/particle",
                                          0, "", note});
    }
    fm_world_destroy(small.world);
    fm_world_destroy(one.world);
    fm_world_destroy(two.world);
    fm_world_destroy(springs.world);
}

// Two threads beside one, from sheets that stay on one to those that leave the caches.
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
            open_cloth(&t[i], PHYSICAL, topology, sizes[i / 2][0], sizes[i / 2][1], 1 + i % 2) &&
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

static double time_frame(fm_world *world, double duration)
{
    fm_error err = {0};
    double start = bench_now();
    fm_world_advance(world, duration, &err);
    return 1e3 * (bench_now() - start);
}

static void compare_first_frame(bench_report *report, const char *name, int columns, int rows,
                                fm_enforcement_method method)
{
    enum { TIMES = 5, LATER = 3, FRAME = 8 };
    double first[TIMES], later[TIMES * LATER];
    fm_error err = {0};
    for (int i = 0; i < TIMES; i++) {
        fm_world_def world_def = fm_default_world_def();
        world_def.threads = 1;
        fm_world *world = fm_world_create(&world_def, &err);
        fm_cloth_def def = define(PHYSICAL);
        def.enforcement.method = method;
        fm_sheet sheet = {.columns = columns, .rows = rows, .width = 0.4, .height = 0.6};
        fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, &err);
        if (err.status == FM_OK && fm_cloth_pin_row(cloth, 0, NULL, &err)) {
            double duration = FRAME * fm_cloth_stable_step(cloth);
            first[i] = time_frame(world, duration);
            for (int k = 0; k < LATER; k++)
                later[i * LATER + k] = time_frame(world, duration);
        }
        fm_world_destroy(world);
    }
    if (err.status != FM_OK)
        return;
    double ms = bench_median(first, TIMES), usual = bench_median(later, TIMES * LATER);
    char note[48];
    snprintf(note, sizeof note, "%.1f ms more", ms - usual);
    bench_add(report, &(bench_result){"the first frame, 8 substeps", name, ms, "ms", ms / usual,
                                      "a later frame", note});
}

static void compare_topologies(bench_report *report)
{
    static const char *const group = "index arrays, 61x41";
    static const char *const names[3] = {"sheet, physical", "tube, physical", "mesh, physical"};
    towel t[3] = {0};
    bench_job jobs[3];
    bool ready = true;
    for (int i = 0; i < 3; i++) {
        ready = open_cloth(&t[i], PHYSICAL, (fm_cloth_kind)i, 61, 41, 1) && ready;
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

void bench_cloth(bench_report *report)
{
    compare_models(report, "a substep, 31x21", 31, 21);
    compare_models(report, "a substep, 61x41", 61, 41);
    compare_sizes(report);
    compare_topologies(report);
    compare_threads(report);
    compare_first_frame(report, "61x41", 61, 41, FM_ENFORCE_NONE);
    compare_first_frame(report, "61x41, directional", 61, 41, FM_ENFORCE_DIRECTIONAL);
    compare_first_frame(report, "128x128", 128, 128, FM_ENFORCE_NONE);
    compare_first_frame(report, "257x257, directional", 257, 257, FM_ENFORCE_DIRECTIONAL);
}
