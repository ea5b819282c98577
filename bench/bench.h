// SPDX-License-Identifier: MIT
// bench.h: a benchmark is a named function that times cases and reports each with the work it did.
#ifndef FATHOM_BENCH_H
#define FATHOM_BENCH_H

#include <stdbool.h>

// One measured case. Times on busy machines mean little by themselves: `ratio` compares with a
// baseline measured in the same run, turn by turn.
typedef struct bench_result {
    const char *group; // cases that belong together: "7503 lanes"
    const char *name;
    double ns; // per unit of work, the median of the rounds
    const char *unit;
    double ratio;         // ns / ns of the baseline, the median over the rounds; 0 for none
    const char *baseline; // name of the case compared with
    const char *note;     // "" or what a reader should know
} bench_result;

typedef struct bench_report bench_report;
typedef void bench_function(bench_report *report);

typedef struct bench_case {
    const char *name;
    const char *about;
    bench_function *run;
} bench_case;

extern const bench_case bench_cases[]; // ends with a NULL name

bench_report *bench_open(bool json);
void bench_begin(bench_report *report, const bench_case *which);
void bench_add(bench_report *report, const bench_result *result);
void bench_end(bench_report *report);
int bench_close(bench_report *report); // 0, or 3 when the output could not be written

double bench_now(void); // s

// Times `count` jobs turn by turn for `rounds` rounds, after some to warm up, and gives each one's
// ns per unit of work, and its median ratio to another.
typedef struct bench_job {
    void (*run)(void *context, int repeats);
    void *context;
    double work;  // units done by one repeat
    int baseline; // index of the job this one is compared with
    double ns;    // out: median
    double ratio; // out
} bench_job;

void bench_measure(bench_job *jobs, int count, int rounds, double seconds_per_turn);

double bench_median(double *values, int count); // sorts them

bench_function bench_memory;
bench_function bench_cloth;
bench_function bench_stiff;
bench_function bench_contact;
bench_function bench_particles;
bench_function bench_surface;
bench_function bench_files;  // where files are built
bench_function bench_scenes; // where scenes and files are built
bench_function bench_render; // where pictures are built

#endif
