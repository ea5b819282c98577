// SPDX-License-Identifier: MIT
// grid.c: cost of a substep of a grid fluid: a lid-driven cavity in 3D.
//
// Measured, per cell and substep, with divergence to 1e-6 of speed / spacing:
//   - 64^3 cells: stages, one and two threads, against the bandwidth of a copy, and against two
//     independent cavities at once: what two processors of this machine give at best
//   - 32^3, 64^3 and 96^3 cells
//   - the pressure solver from a random velocity to 1e-6, 32^3 to 256^3 cells, closed, with open
//     sides and with a sphere: iterations, and time per cell against 64^3 cells
//   - with two threads against one, 128^3 cells
//   - OpenFOAM on the same cavity of 64^3 cells and PETSc on the pressure of 128^3 cells, where
//     they are installed (openfoam_cavity, petsc_poisson.c)
#include "bench.h"
#include "fixtures.h"

#include <fathom/grid.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ROUNDS: measurements of each job; COPY: doubles that a copy moves, 32 MB
enum { ROUNDS = 5, STAGES = FM_GRID_STAGE_COUNT, COPY = 1 << 22 };
static const double TURN = 0.3;    // s, duration of one measurement
static const double NS_MIN = 0.05; // ns per cell; shorter stages are not reported

// A cavity to be measured.
typedef struct cavity {
    fm_world *world;
    fm_grid *grid;
    double step;  // s, simulated time of one advance: one substep
    double cells; // number of cells
} cavity;

// The job of a cavity: advances it by one substep, `repeats` times.
static void step_cavity(void *context, int repeats)
{
    cavity *c = context;
    fm_error err = {0};
    for (int i = 0; i < repeats; i++)
        fm_world_advance(c->world, c->step, &err);
}

// Two cavities that are advanced at once, by a thread each.
typedef struct cavity_pair {
    cavity *own, *other;
    int repeats;
} cavity_pair;

static void *step_other(void *context)
{
    cavity_pair *pair = context;
    step_cavity(pair->other, pair->repeats);
    return NULL;
}

// The job of a pair.
static void step_pair(void *context, int repeats)
{
    cavity_pair *pair = context;
    pthread_t thread;
    pair->repeats = repeats;
    bool started = pthread_create(&thread, NULL, step_other, pair) == 0;
    step_cavity(pair->own, repeats);
    if (started)
        pthread_join(thread, NULL);
}

// Creates a cavity of n^3 cells at Reynolds number 100 and takes a few substeps.
static bool open_cavity(cavity *c, int n, int threads)
{
    fm_error err = {0};
    c->world = fixture_create_world(fixture_weightless_water_def(threads), &err);
    fm_grid_def def = fixture_cavity_grid_def(3, n, 0.01);
    c->grid = err.status == FM_OK ? fm_grid_create(c->world, &def, &err) : NULL;
    c->step = 0.1 / n; // less than the limits of advection and viscosity at these sizes
    c->cells = (double)n * n * n;
    if (c->grid)
        step_cavity(c, 5); // warm-up
    return err.status == FM_OK;
}

// The job that advances a cavity. baseline: index of the job it is compared with.
static bench_job cavity_job(cavity *c, int baseline)
{
    return (bench_job){.run = step_cavity, .context = c, .work = c->cells, .baseline = baseline};
}

// The job of the bandwidth: copies COPY doubles, `repeats` times.
static void copy_memory(void *context, int repeats)
{
    double *memory = context;
    for (int i = 0; i < repeats; i++) {
        memcpy(memory, memory + COPY, COPY * sizeof *memory);
        memory[COPY] = memory[i % COPY] + 1; // keeps the copy from being removed
    }
}

// Reports the time of each stage of a substep, over `steps` substeps.
static void report_stages(bench_report *report, const char *group, cavity *c, int steps)
{
    fm_grid_stats before = fm_grid_read_stats(c->grid);
    step_cavity(c, steps);
    fm_grid_stats after = fm_grid_read_stats(c->grid);
    double total = 0, work = c->cells * (double)(after.substep_count - before.substep_count);
    double iterations = (double)(after.iteration_count - before.iteration_count) * c->cells / work;
    for (int i = 0; i < STAGES; i++)
        total += after.seconds[i] - before.seconds[i];
    for (int i = 0; i < STAGES; i++) {
        double seconds = after.seconds[i] - before.seconds[i], ns = 1e9 * seconds / work;
        char note[80], iterations_note[32] = "";
        if (i == FM_GRID_STAGE_PRESSURE)
            snprintf(iterations_note, sizeof iterations_note, ", %.1f iterations", iterations);
        snprintf(note, sizeof note, "%.0f %%%s", 100 * seconds / total, iterations_note);
        if (ns > NS_MIN)
            bench_add(report, &(bench_result){group, fm_grid_stage_name((fm_grid_stage)i), ns,
                                              "ns/cell", 0, "", note});
    }
}

// Bytes per cell that a substep must move at least, counted in the source: in each of three stages
// the velocity is read twice, its old value once, rates are written and read, and the velocity is
// written, three components in double each, besides the pressure (152 bytes); and iterations of the
// pressure solver (about 150 bytes each: five passes in single precision, five in double).
static double count_bytes(const fm_grid_stats *stats)
{
    return 3 * 152 + 150.0 * (double)stats->iteration_count / (double)stats->substep_count;
}

// Compares two threads with one, and the data rate with that of a copy.
static void compare_threads(bench_report *report)
{
    static const char *const group = "cavity of 64^3 cells";
    cavity one = {0}, two = {0}, other = {0};
    cavity_pair pair = {&one, &other, 0};
    double *memory = calloc(2 * COPY, sizeof *memory);
    if (memory && open_cavity(&one, 64, 1) && open_cavity(&two, 64, 2) &&
        open_cavity(&other, 64, 1)) {
        bench_job jobs[4] = {cavity_job(&one, 0),
                             cavity_job(&two, 0),
                             {.run = copy_memory,
                              .context = memory,
                              .work = 2.0 * COPY * sizeof *memory,
                              .baseline = 2},
                             {.run = step_pair, .context = &pair, .work = 2 * one.cells}};
        bench_measure(jobs, 4, ROUNDS, TURN);
        fm_grid_stats stats = fm_grid_read_stats(one.grid);
        char note[128];
        snprintf(note, sizeof note,
                 "%.2f million cells/s, %.1f ms a substep; %.1f of %.1f GB/s copied",
                 1e3 / jobs[0].ns, 1e-6 * jobs[0].ns * one.cells, count_bytes(&stats) / jobs[0].ns,
                 1 / jobs[2].ns);
        bench_add(report, &(bench_result){group, "one thread", jobs[0].ns, "ns/cell", 0, "", note});
        snprintf(note, sizeof note, "%.2f times as fast; %.2f million cells/s", 1 / jobs[1].ratio,
                 1e3 / jobs[1].ns);
        bench_add(report, &(bench_result){group, "two threads", jobs[1].ns, "ns/cell",
                                          jobs[1].ratio, "one thread", note});
        snprintf(note, sizeof note, "%.2f times as fast", 1 / jobs[3].ratio);
        bench_add(report, &(bench_result){group, "two cavities at once", jobs[3].ns, "ns/cell",
                                          jobs[3].ratio, "one thread", note});
        report_stages(report, group, &one, 10);
    }
    free(memory);
    fm_world_destroy(one.world);
    fm_world_destroy(two.world);
    fm_world_destroy(other.world);
}

// Compares the time per cell for three numbers of cells.
static void compare_sizes(bench_report *report)
{
    static const char *const group = "sizes, two threads";
    static const int cells[3] = {32, 64, 96};
    static const char *const names[3] = {"32^3", "64^3", "96^3"};
    cavity c[3] = {0};
    bench_job jobs[3];
    bool ready = true;
    for (int i = 0; i < 3; i++) {
        ready = ready && open_cavity(&c[i], cells[i], 2);
        jobs[i] = cavity_job(&c[i], 0);
    }
    if (ready)
        bench_measure(jobs, 3, ROUNDS, TURN);
    for (int i = 0; ready && i < 3; i++)
        bench_add(report, &(bench_result){group, names[i], jobs[i].ns, "ns/cell",
                                          i ? jobs[i].ratio : 0, names[0], ""});
    for (int i = 0; i < 3; i++)
        fm_world_destroy(c[i].world);
}

typedef enum geometry { CLOSED, OPEN, SPHERE, OPEN_SPHERE, GEOMETRIES } geometry;
static const char *const geometry_names[GEOMETRIES] = {"closed", "open sides", "sphere",
                                                       "open sides and sphere"};

// A random velocity at a point, the same in every run.
static fm_vec3 draw_velocity(void *context, fm_vec3 at)
{
    (void)at;
    uint64_t *state = context;
    double v[3];
    for (int a = 0; a < 3; a++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        v[a] = (double)(*state >> 11) * 0x1p-53 - 0.5;
    }
    return (fm_vec3){v[0], v[1], v[2]};
}

// Time and iterations of one pressure solve.
typedef struct solve {
    double ns, seconds, iterations; // per cell; of a solve
} solve;

// Mean of the two pressure solves before the first substep from a random velocity: that of the
// velocity and that of its rate. The solves of the substeps themselves begin near the solution.
static bool measure_solve(int n, geometry kind, int threads, solve *result)
{
    fm_error err = {0};
    uint64_t state = 1;
    fm_world *world = fixture_create_world(fixture_weightless_water_def(threads), &err);
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = n;
    def.spacing = 1.0 / n;
    def.viscosity = 0;
    if (kind == OPEN || kind == OPEN_SPHERE)
        def.sides[FM_SIDE_LEFT].kind = def.sides[FM_SIDE_RIGHT].kind = FM_GRID_OPEN;
    fm_collider_def ball = fixture_ball_def((fm_vec3){0.47, 0.52, 0.51}, 0.21);
    if (kind == SPHERE || kind == OPEN_SPHERE)
        fm_collider_create(world, &ball, &err);
    fm_grid *grid = err.status == FM_OK ? fm_grid_create(world, &def, &err) : NULL;
    fm_grid_stats stats[2] = {0};
    if (grid && fm_grid_set_velocity(grid, draw_velocity, &state, &err))
        for (int i = 0; i < 2; i++) {
            fm_world_advance(world, 0.01 / n, &err); // one substep
            stats[i] = fm_grid_read_stats(grid);
        }
    if (grid && err.status == FM_OK) {
        double step =
            (stats[1].seconds[FM_GRID_STAGE_PRESSURE] - stats[0].seconds[FM_GRID_STAGE_PRESSURE]) /
            stats[1].iterations * stats[0].iterations; // s, solve of the first substep
        result->seconds = (stats[0].seconds[FM_GRID_STAGE_PRESSURE] - step) / 2;
        result->ns = 1e9 * result->seconds / ((double)n * n * n);
        result->iterations = 0.5 * (double)(stats[0].iteration_count - stats[0].iterations);
    }
    fm_world_destroy(world);
    return err.status == FM_OK;
}

// Reports the pressure solver for all geometries and sizes, and with two threads against one.
static void compare_solves(bench_report *report)
{
    static const int cells[4] = {32, 64, 128, 256};
    for (int kind = 0; kind < GEOMETRIES; kind++) {
        double middle = 0; // ns per cell of 64^3
        char group[64];
        snprintf(group, sizeof group, "pressure solver, %s", geometry_names[kind]);
        for (int i = 0; i < 4; i++) {
            solve s = {0};
            char name[16], note[80];
            if (!measure_solve(cells[i], (geometry)kind, 1, &s))
                continue; // not enough memory
            middle = cells[i] == 64 ? s.ns : middle;
            snprintf(name, sizeof name, "%d^3", cells[i]);
            snprintf(note, sizeof note, "%.1f iterations, %.3f s", s.iterations, s.seconds);
            bench_add(report, &(bench_result){group, name, s.ns, "ns/cell",
                                              middle > 0 ? s.ns / middle : 0, "64^3", note});
        }
    }
    solve one = {0}, two = {0};
    for (int round = 0; round < ROUNDS; round++) {
        solve a = {0}, b = {0};
        if (!measure_solve(128, CLOSED, 1, &a) || !measure_solve(128, CLOSED, 2, &b))
            return;
        one = round && one.ns < a.ns ? one : a;
        two = round && two.ns < b.ns ? two : b;
    }
    char note[80];
    snprintf(note, sizeof note, "%.3f s, one thread %.3f s: %.2f times as fast", two.seconds,
             one.seconds, one.ns / two.ns);
    bench_add(report, &(bench_result){"pressure solver, closed, 128^3", "two threads", two.ns,
                                      "ns/cell", two.ns / one.ns, "one thread", note});
}

// A step of the 64^3 cavity beside one of OpenFOAM, on one thread each.
static void compare_openfoam(bench_report *report)
{
    static const char *const group = "a step of the 64^3 cavity, one thread";
    double other[3];
    char note[80];
    cavity own = {0};
    if (bench_run_other(BENCH_OPENFOAM " 64 0.0015625", other) == 2 && open_cavity(&own, 64, 1)) {
        bench_job job = cavity_job(&own, 0);
        bench_measure(&job, 1, ROUNDS, TURN);
        double ms = 1e-6 * job.ns * own.cells;
        snprintf(note, sizeof note, "largest divergence %.1e of speed / spacing",
                 fm_grid_read_stats(own.grid).divergence);
        bench_add(report, &(bench_result){group, "fathom", ms, "ms", 0, "", note});
        snprintf(note, sizeof note, "mean divergence %.1e of speed / spacing", other[1]);
        bench_add(report, &(bench_result){group, "OpenFOAM icoFoam", 1e3 * other[0], "ms",
                                          1e3 * other[0] / ms, "fathom", note});
    }
    fm_world_destroy(own.world);
}

// The pressure of a closed tank of 128^3 cells beside PETSc's, on one thread each.
static void compare_petsc(bench_report *report)
{
#ifdef BENCH_PETSC
    static const char *const group = "pressure of a closed tank, 128^3, one thread";
    double other[3];
    char note[80];
    solve own = {0};
    if (bench_run_other(BENCH_PETSC " 128", other) == 3 && measure_solve(128, CLOSED, 1, &own)) {
        snprintf(note, sizeof note, "%.1f iterations", own.iterations);
        bench_add(report, &(bench_result){group, "fathom", own.seconds, "s", 0, "", note});
        snprintf(note, sizeof note, "%.0f iterations, after %.1f s of set-up", other[2], other[0]);
        bench_add(report, &(bench_result){group, "PETSc CG + GAMG", other[1], "s",
                                          other[1] / own.seconds, "fathom", note});
    }
#else
    (void)report;
#endif
}

// Runs all comparisons of grid fluids.
void bench_grid(bench_report *report)
{
    compare_threads(report);
    compare_sizes(report);
    compare_solves(report);
    compare_openfoam(report);
    compare_petsc(report);
}
