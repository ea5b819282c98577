// SPDX-License-Identifier: MIT
// grid.c: cost of a substep of a grid fluid: a lid-driven cavity in 3D.
//
// Measured, per cell and substep, with divergence to 1e-6 of speed / spacing:
//   - 64^3 cells: stages, one and two threads, against the bandwidth of a copy
//   - 32^3, 64^3 and 96^3 cells
#include "bench.h"
#include "fixtures.h"

#include <fathom/grid.h>
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

// Creates a cavity of n^3 cells at Reynolds number 100 and takes a few substeps.
static bool open_cavity(cavity *c, int n, int threads)
{
    fm_error err = {0};
    c->world = fixture_create_world(fixture_weightless_water_def(threads), &err);
    fm_grid_def def = fm_default_grid_def();
    def.cells[0] = def.cells[1] = def.cells[2] = n;
    def.spacing = 1.0 / n;
    def.density = 1;
    def.viscosity = 0.01;
    def.sides[FM_SIDE_TOP].velocity.x = 1;
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

// Bytes that a substep must move at least, counted in the source: three stages that read and write
// three components, rates and pressure in double (200 bytes), and iterations of the pressure solver
// (about 150 bytes each: five passes in single precision, five in double).
static double count_bytes(const fm_grid_stats *stats)
{
    return 3 * 200 + 150.0 * (double)stats->iteration_count / (double)stats->substep_count;
}

// Compares two threads with one, and the data rate with that of a copy.
static void compare_threads(bench_report *report)
{
    static const char *const group = "cavity of 64^3 cells";
    cavity one = {0}, two = {0};
    double *memory = calloc(2 * COPY, sizeof *memory);
    if (memory && open_cavity(&one, 64, 1) && open_cavity(&two, 64, 2)) {
        bench_job jobs[3] = {cavity_job(&one, 0),
                             cavity_job(&two, 0),
                             {.run = copy_memory,
                              .context = memory,
                              .work = 2.0 * COPY * sizeof *memory,
                              .baseline = 2}};
        bench_measure(jobs, 3, ROUNDS, TURN);
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
        report_stages(report, group, &one, 10);
    }
    free(memory);
    fm_world_destroy(one.world);
    fm_world_destroy(two.world);
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

// Runs all comparisons of grid fluids.
void bench_grid(bench_report *report)
{
    compare_threads(report);
    compare_sizes(report);
}
