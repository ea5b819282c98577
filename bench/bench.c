// SPDX-License-Identifier: MIT
// bench.c: the table of benchmarks; times them and prints their results.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const bench_case bench_cases[] = {
    {"memory", "the fractional memory: ns per lane and step against rings and a plain loop",
     bench_memory},
    {"cloth", "a substep of a cloth: what memory, size and threads cost", bench_cloth},
    {"stiff", "cloth that does not stretch: directional, iterative, springs alone", bench_stiff},
    {"contact", "cloth that nothing passes through: against plain collisions, and larger sheets",
     bench_contact},
    {"fabric", "a substep of a mesh of 100,000 points beside a sheet of as many", bench_fabric},
    {"particles", "a substep of a particle fluid: its parts, threads, sizes, methods",
     bench_particles},
    {"grid", "substeps of a fluid on a staggered grid: stages, threads, sizes", bench_grid},
    {"flow", "a cloth in a grid fluid: two-way, one-way, by drag", bench_flow},
    {"liquid", "a dam break on a grid, against particles and mantaflow", bench_liquid},
    {"surface", "the surface of a fluid: ns per particle, and how that grows", bench_surface},
#ifdef BENCH_FILES
    {"files", "writing frames beside simulating them", bench_files},
#endif
#ifdef BENCH_SCENES
    {"scenes", "every scene of ./scenes: two threads beside one, the first frame beside later ones",
     bench_scenes},
#endif
#ifdef BENCH_RENDER
    {"render", "pictures of cloth and of water: ms, rays per second, Embree's share", bench_render},
#endif
    {NULL, NULL, NULL},
};

struct bench_report {
    bool json;
    int case_count;
    int result_count; // results of the current benchmark so far
    char group[128];  // group of the last result printed
};

// Time of the monotonic clock, s.
double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Starts the output as text or JSON.
bench_report *bench_open(bool json)
{
    bench_report *report = calloc(1, sizeof *report);
    if (!report)
        return NULL;
    report->json = json;
    if (json)
        printf("{\"benchmarks\": [");
    return report;
}

// Prints the heading of a benchmark.
void bench_begin(bench_report *report, const bench_case *which)
{
    if (report->json)
        printf("%s\n  {\"name\": \"%s\", \"results\": [", report->case_count ? "," : "",
               which->name);
    else
        printf("%s%s: %s\n", report->case_count ? "\n" : "", which->name, which->about);
    report->case_count++;
    report->result_count = 0;
    report->group[0] = 0;
    fflush(stdout);
}

// Prints one result as an element of the JSON array.
static void print_json(const bench_report *report, const bench_result *result)
{
    printf("%s\n    {\"group\": \"%s\", \"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\"",
           report->result_count ? "," : "", result->group, result->name, result->value,
           result->unit);
    if (result->ratio > 0)
        printf(", \"ratio\": %.4g, \"baseline\": \"%s\"", result->ratio, result->baseline);
    if (result->note && result->note[0])
        printf(", \"note\": \"%s\"", result->note);
    printf("}");
}

// Prints one result as a line of text, below the heading of its group.
static void print_text(bench_report *report, const bench_result *result)
{
    if (strcmp(report->group, result->group) != 0)
        printf("\n  %s\n", result->group);
    snprintf(report->group, sizeof report->group, "%s", result->group);
    printf("    %-28s %9.3f %-14s", result->name, result->value, result->unit);
    if (result->ratio > 0)
        printf(" %7.2f x %-20s", result->ratio, result->baseline);
    printf(" %s\n", result->note ? result->note : "");
}

// Prints one result of the current benchmark.
void bench_add(bench_report *report, const bench_result *result)
{
    if (report->json)
        print_json(report, result);
    else
        print_text(report, result);
    report->result_count++;
    fflush(stdout);
}

// Ends the current benchmark.
void bench_end(bench_report *report)
{
    if (report->json)
        printf("]}");
}

// Ends the output. Returns the exit code: 0, or 3 when the output could not be written.
int bench_close(bench_report *report)
{
    if (report->json)
        printf("\n]}\n");
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    free(report);
    return failed ? 3 : 0;
}

// Order of two doubles, for qsort.
static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Median of the values, which are sorted in place.
double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_numbers);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

// Time of one turn, s: `repeats` repeats of the job.
static double time_turn(const bench_job *job, int repeats)
{
    double start = bench_now();
    job->run(job->context, repeats);
    return bench_now() - start;
}

// Doubles the number of repeats until a turn takes at least half of seconds_per_turn. This also
// warms the caches.
static int choose_repeats(const bench_job *job, double seconds_per_turn)
{
    int repeats = 1;
    const int repeats_max = 1 << 28; // doubling it again would still fit int
    while (time_turn(job, repeats) < seconds_per_turn / 2 && repeats < repeats_max)
        repeats *= 2;
    return repeats;
}

// Times the jobs alternately and fills their median times and ratios to their baselines.
void bench_measure(bench_job *jobs, int count, int rounds, double seconds_per_turn)
{
    int *repeats = malloc((size_t)count * sizeof *repeats);
    double *ns = malloc((size_t)count * rounds * sizeof *ns);
    double *ratio = malloc((size_t)rounds * sizeof *ratio);
    if (!repeats || !ns || !ratio) {
        free(repeats);
        free(ns);
        free(ratio);
        return;
    }
    for (int j = 0; j < count; j++)
        repeats[j] = choose_repeats(&jobs[j], seconds_per_turn);
    for (int r = 0; r < rounds; r++) {
        for (int j = 0; j < count; j++)
            ns[j * rounds + r] =
                1e9 * time_turn(&jobs[j], repeats[j]) / (repeats[j] * jobs[j].work);
    }
    for (int j = 0; j < count; j++) {
        for (int r = 0; r < rounds; r++)
            ratio[r] = ns[j * rounds + r] / ns[jobs[j].baseline * rounds + r];
        jobs[j].ratio = bench_median(ratio, rounds);
    }
    for (int j = 0; j < count; j++)
        jobs[j].ns = bench_median(ns + (size_t)j * rounds, rounds);
    free(repeats);
    free(ns);
    free(ratio);
}

// Runs a program of another solver and reads the numbers it prints, at most three. Returns how
// many; 0 where the solver is not installed.
int bench_run_other(const char *command, double numbers[3])
{
    char line[128] = "";
    FILE *output = popen(command, "r");
    if (!output)
        return 0;
    bool read = fgets(line, sizeof line, output);
    bool good = pclose(output) == 0 && read;
    return good ? sscanf(line, "%lf %lf %lf", &numbers[0], &numbers[1], &numbers[2]) : 0;
}
