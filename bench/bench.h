// SPDX-License-Identifier: MIT
// bench.h: a benchmark is a named function that times several cases and reports a result for each.
#ifndef FATHOM_BENCH_H
#define FATHOM_BENCH_H

#include <stdbool.h>

// The result of one case. Absolute times vary on busy machines. `ratio` is more reliable: it
// compares with a baseline case that was measured alternately with this one.
typedef struct bench_result {
    const char *group; // heading of cases that belong together: "61x41, one thread"
    const char *name;
    double value;         // time per unit of work, in `unit`; median of the rounds
    const char *unit;     // such as "ns/particle"
    double ratio;         // time / time of the baseline, median of the rounds; 0: no baseline
    const char *baseline; // name of the baseline case
    const char *note;     // remark for the reader, or ""
} bench_result;

// Where results are printed to: text or JSON on standard output.
typedef struct bench_report bench_report;
// Measures all cases of one benchmark and adds their results to the report.
typedef void bench_function(bench_report *report);

// One benchmark of the command `fathom bench`.
typedef struct bench_case {
    const char *name;
    const char *about; // one line for the reader
    bench_function *run;
} bench_case;

extern const bench_case bench_cases[]; // ends with a NULL name

bench_report *bench_open(bool json);
// Prints the heading of a benchmark. Its results are added next, then bench_end is called.
void bench_begin(bench_report *report, const bench_case *which);
void bench_add(bench_report *report, const bench_result *result); // prints one result
void bench_end(bench_report *report);
int bench_close(bench_report *report); // 0, or 3 when the output could not be written

double bench_now(void); // monotonic clock, s

// Work to be timed.
typedef struct bench_job {
    void (*run)(void *context, int repeats); // does the work `repeats` times
    void *context;
    double work;  // units of work in one repeat
    int baseline; // index of the job this one is compared with
    double ns;    // result: ns per unit of work, median of the rounds
    double ratio; // result: ns / ns of the baseline, median of the rounds
} bench_job;

// Times `count` jobs alternately, one turn of about seconds_per_turn each, for `rounds` rounds
// after a warm-up, and fills their results.
void bench_measure(bench_job *jobs, int count, int rounds, double seconds_per_turn);

double bench_median(double *values, int count); // sorts the values

// Runs a program of another solver and reads the numbers it prints, at most three. Returns how
// many; 0 where the solver is not installed.
int bench_run_other(const char *command, double numbers[3]);

bench_function bench_memory;
bench_function bench_cloth;
bench_function bench_stiff;
bench_function bench_contact;
bench_function bench_fabric;
bench_function bench_particles;
bench_function bench_grid;
bench_function bench_liquid;
bench_function bench_flow;
bench_function bench_surface;
bench_function bench_files;  // needs the library fathom_io
bench_function bench_scenes; // needs fathom_scene and fathom_io
bench_function bench_render; // needs fathom_render

#endif
