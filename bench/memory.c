// SPDX-License-Identifier: MIT
// memory.c: what remembering costs.
//
// Per lane and step (push and value): full memory at two tolerances, each beside a plain loop that
// reads and writes as many bytes as it holds, and rings of 3, 10 and 100 intervals beside full
// memory. 7,503 lanes are a 61x41 cloth and fit the second-level cache; 300,000 do not. Then: does
// step 1,000,000 cost what step 1,000 does?
#include "bench.h"

#include <fathom/memory.h>
#include <stdio.h>
#include <stdlib.h>

// the loop the memory is measured against must be compiled as well as the memory
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

enum { ROUNDS = 15, FULL = 2, KINDS = 5 };
static const double TURN = 0.02; // s
static const double STEP = 1e-3; // s

typedef struct lanes {
    fm_memory *memory;
    double *rate, *value;
    int count;
} lanes;

static void step_lanes(void *context, int repeats)
{
    lanes *l = context;
    for (int i = 0; i < repeats; i++) {
        fm_memory_push(l->memory, l->rate, STEP);
        fm_memory_value(l->memory, l->value);
    }
}

typedef struct bytes {
    double *data;
    size_t count;
} bytes;

CLONES
static void touch(double *restrict data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        data[i] = data[i] * 0.999 + 1e-9;
}

static void touch_bytes(void *context, int repeats)
{
    bytes *b = context;
    for (int i = 0; i < repeats; i++)
        touch(b->data, b->count);
}

static bool open_lanes(lanes *l, const fm_memory_def *def, int count)
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

static void close_lanes(lanes *l)
{
    fm_memory_destroy(l->memory);
    free(l->rate);
    free(l->value);
}

static fm_memory_def full_def(double tolerance)
{
    fm_memory_def def = fm_default_memory_def();
    def.time_step = STEP;
    def.horizon = 100; // T/h = 1e5
    def.tolerance = tolerance;
    return def;
}

static fm_memory_def ring_def(int steps)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = steps == 3 ? FM_MEMORY_COIMBRA : FM_MEMORY_TRAPEZOID;
    def.time_step = STEP;
    def.window_steps = steps;
    return def;
}

static void report_kind(bench_report *report, const char *group, const char *name,
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

static void compare_methods(bench_report *report, const char *group, int count)
{
    static const char *const names[KINDS] = {"full, 1e-3", "full, 1e-4", "ring of 3", "ring of 10",
                                             "ring of 100"};
    static const char *const loops[FULL] = {"loop as 1e-3", "loop as 1e-4"};
    fm_memory_def defs[KINDS] = {full_def(1e-3), full_def(1e-4), ring_def(3), ring_def(10),
                                 ring_def(100)};
    lanes l[KINDS] = {0};
    bytes plain[FULL] = {0};
    bench_job jobs[KINDS + FULL];
    bool ready = true;
    for (int i = 0; i < KINDS; i++) {
        ready = open_lanes(&l[i], &defs[i], count) && ready;
        jobs[i] = (bench_job){.run = step_lanes, .context = &l[i], .work = count};
    }
    for (int i = 0; i < FULL && ready; i++) {
        plain[i].count = (size_t)count * fm_memory_bytes_per_lane(l[i].memory) / sizeof(double);
        plain[i].data = calloc(plain[i].count, sizeof *plain[i].data);
        jobs[KINDS + i] = (bench_job){.run = touch_bytes, .context = &plain[i], .work = count};
        jobs[i].baseline = KINDS + i;
        ready = plain[i].data != NULL;
    }
    if (ready) {
        bench_measure(jobs, KINDS + FULL, ROUNDS, TURN);
        for (int i = 0; i < FULL; i++)
            bench_add(report, &(bench_result){group, loops[i], jobs[KINDS + i].ns, "ns/lane-step",
                                              0, "", "a plain loop over the same bytes"});
        for (int i = 0; i < KINDS; i++)
            report_kind(report, group, names[i], l[i].memory, &jobs[i],
                        i < FULL ? loops[i] : names[0]);
    }
    for (int i = 0; i < FULL; i++)
        free(plain[i].data);
    for (int i = 0; i < KINDS; i++)
        close_lanes(&l[i]);
}

// Two memories of the same kind, one a thousand times older, turn by turn.
static void compare_ages(bench_report *report)
{
    enum { LANES = 750 };
    fm_memory_def def = full_def(1e-3);
    lanes young, old;
    bool ready = open_lanes(&young, &def, LANES);
    ready = open_lanes(&old, &def, LANES) && ready;
    if (ready) {
        step_lanes(&young, 1000);
        step_lanes(&old, 1000000);
        bench_job jobs[2] = {{.run = step_lanes, .context = &young, .work = LANES},
                             {.run = step_lanes, .context = &old, .work = LANES}};
        // few steps a turn: the young one must stay young
        bench_measure(jobs, 2, 41, 2e-4);
        bench_add(report, &(bench_result){"does it get slower?", "step 1,000", jobs[0].ns,
                                          "ns/lane-step", 0, "", ""});
        bench_add(report, &(bench_result){"does it get slower?", "step 1,000,000", jobs[1].ns,
                                          "ns/lane-step", jobs[1].ratio, "step 1,000", ""});
    }
    close_lanes(&young);
    close_lanes(&old);
}

void bench_memory(bench_report *report)
{
    compare_methods(report, "7,503 lanes", 7503);
    compare_methods(report, "300,000 lanes", 300000);
    compare_ages(report);
}
