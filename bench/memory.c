// SPDX-License-Identifier: MIT
// memory.c: time to compute half derivatives of many signals, per signal and step.
//
// A memory (fm_memory) computes the half derivatives of many independent signals (lanes) from their
// rates; a step pushes the new rates and reads the derivatives. Full memory integrates over the
// whole past by a sum of exponentials; it is compared, at two tolerances, with a plain loop that
// reads and writes as many bytes as the memory holds. Windows over the last 3, 10 and 100 steps,
// kept in ring buffers, are compared with full memory. 7,503 lanes are the coordinates of a 61x41
// cloth and fit the second-level cache; 300,000 lanes do not. A last case checks that step
// 1,000,000 takes no longer than step 1,000.
#include "bench.h"

#include <fathom/memory.h>
#include <stdio.h>
#include <stdlib.h>

// The plain loop must be compiled for the same instruction sets as the memory.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

enum {
    ROUNDS = 15,      // measurements of each job
    METHODS = 5,      // memories that are compared
    FULL_METHODS = 2, // full memories among them, which come first
};
static const double TURN = 0.02; // s, for one timing of a case
static const double STEP = 1e-3; // s, time step of the signals

// Independent signals (lanes) and the memory that computes their half derivatives.
typedef struct lanes {
    fm_memory *memory;
    double *rate;  // [count], time derivatives of the signals, which the memory is fed with
    double *value; // [count], half derivatives of the signals
    int count;
} lanes;

// The job of a memory: feeds one step and reads the half derivatives, `repeats` times.
static void step_lanes(void *context, int repeats)
{
    lanes *l = context;
    for (int i = 0; i < repeats; i++) {
        fm_memory_push(l->memory, l->rate, STEP);
        fm_memory_value(l->memory, l->value);
    }
}

// Data of the plain loop.
typedef struct bytes {
    double *data;
    size_t count;
} bytes;

// The plain loop: one multiplication and addition per number.
CLONES
static void update_values(double *restrict data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        data[i] = data[i] * 0.999 + 1e-9;
}

// The job of the plain loop: reads and writes all data, `repeats` times.
static void update_bytes(void *context, int repeats)
{
    bytes *b = context;
    for (int i = 0; i < repeats; i++)
        update_values(b->data, b->count);
}

// Creates the memory of `count` signals and feeds the rates at t = 0.
static bool create_lanes(lanes *l, const fm_memory_def *def, int count)
{
    fm_error err = {0};
    *l = (lanes){.count = count};
    l->memory = fm_memory_create(def, count, &err);
    l->rate = malloc((size_t)count * sizeof *l->rate);
    l->value = malloc((size_t)count * sizeof *l->value);
    if (!l->memory || !l->rate || !l->value)
        return false;
    for (int i = 0; i < count; i++)
        l->rate[i] = 1 + 1e-3 * i / count;
    fm_memory_push(l->memory, l->rate, 0);
    return true;
}

// Frees the signals and their memory.
static void destroy_lanes(lanes *l)
{
    fm_memory_destroy(l->memory);
    free(l->rate);
    free(l->value);
}

// Full memory: half derivative over the whole past.
static fm_memory_def full_memory_def(double tolerance)
{
    fm_memory_def def = fm_default_memory_def();
    def.time_step = STEP;
    def.horizon = 100; // s, 1e5 steps: age up to which the tolerance holds
    def.tolerance = tolerance;
    return def;
}

// Half derivative over a window of the last `steps` steps.
static fm_memory_def window_def(int steps)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = steps == 3 ? FM_MEMORY_COIMBRA : FM_MEMORY_TRAPEZOID;
    def.time_step = STEP;
    def.window_steps = steps;
    return def;
}

// Reports time and state size of one method.
static void report_method(bench_report *report, const char *group, const char *name,
                          fm_memory *memory, const bench_job *job, const char *baseline)
{
    char note[64];
    int exponentials = fm_memory_exponential_count(memory);
    int length = snprintf(note, sizeof note, "%zu bytes a lane", fm_memory_bytes_per_lane(memory));
    if (exponentials)
        snprintf(note + length, sizeof note - length, ", %d exponentials", exponentials);
    bench_add(report,
              &(bench_result){group, name, job->ns, "ns/lane-step", job->ratio, baseline, note});
}

// Compares all methods for `count` signals.
static void compare_methods(bench_report *report, const char *group, int count)
{
    static const char *const names[METHODS] = {"full, 1e-3", "full, 1e-4", "ring of 3",
                                               "ring of 10", "ring of 100"};
    static const char *const loops[FULL_METHODS] = {"loop as 1e-3", "loop as 1e-4"};
    fm_memory_def defs[METHODS] = {full_memory_def(1e-3), full_memory_def(1e-4), window_def(3),
                                   window_def(10), window_def(100)};
    lanes l[METHODS] = {0};
    bytes plain[FULL_METHODS] = {0};
    bench_job jobs[METHODS + FULL_METHODS];
    bool ready = true;
    for (int i = 0; i < METHODS; i++) {
        ready = create_lanes(&l[i], &defs[i], count) && ready;
        jobs[i] = (bench_job){.run = step_lanes, .context = &l[i], .work = count};
    }
    for (int i = 0; i < FULL_METHODS && ready; i++) {
        plain[i].count = (size_t)count * fm_memory_bytes_per_lane(l[i].memory) / sizeof(double);
        plain[i].data = calloc(plain[i].count, sizeof *plain[i].data);
        jobs[METHODS + i] = (bench_job){.run = update_bytes, .context = &plain[i], .work = count};
        jobs[i].baseline = METHODS + i;
        ready = plain[i].data != NULL;
    }
    if (ready) {
        bench_measure(jobs, METHODS + FULL_METHODS, ROUNDS, TURN);
        for (int i = 0; i < FULL_METHODS; i++)
            bench_add(report, &(bench_result){group, loops[i], jobs[METHODS + i].ns, "ns/lane-step",
                                              0, "", "a plain loop over the same bytes"});
        for (int i = 0; i < METHODS; i++)
            report_method(report, group, names[i], l[i].memory, &jobs[i],
                          i < FULL_METHODS ? loops[i] : names[0]);
    }
    for (int i = 0; i < FULL_METHODS; i++)
        free(plain[i].data);
    for (int i = 0; i < METHODS; i++)
        destroy_lanes(&l[i]);
}

// Times a memory after 1,000 steps and one after 1,000,000 steps alternately.
static void compare_ages(bench_report *report)
{
    enum { LANES = 750 };
    fm_memory_def def = full_memory_def(1e-3);
    lanes young, old;
    bool ready = create_lanes(&young, &def, LANES);
    ready = create_lanes(&old, &def, LANES) && ready;
    if (ready) {
        step_lanes(&young, 1000);
        step_lanes(&old, 1000000);
        bench_job jobs[2] = {{.run = step_lanes, .context = &young, .work = LANES},
                             {.run = step_lanes, .context = &old, .work = LANES}};
        // many short turns (s), so that the young memory takes few further steps
        const int rounds = 41;
        const double turn = 2e-4;
        bench_measure(jobs, 2, rounds, turn);
        bench_add(report, &(bench_result){"does it get slower?", "step 1,000", jobs[0].ns,
                                          "ns/lane-step", 0, "", ""});
        bench_add(report, &(bench_result){"does it get slower?", "step 1,000,000", jobs[1].ns,
                                          "ns/lane-step", jobs[1].ratio, "step 1,000", ""});
    }
    destroy_lanes(&young);
    destroy_lanes(&old);
}

// Compares the methods for few and many signals, and the cost after many steps.
void bench_memory(bench_report *report)
{
    compare_methods(report, "7,503 lanes", 7503);
    compare_methods(report, "300,000 lanes", 300000);
    compare_ages(report);
}
