// SPDX-License-Identifier: MIT
// bench.c: the subcommand fathom bench [NAME...] [--json].
#include "bench.h"
#include "command_line.h"

#include <string.h>

// The benchmark with this name; NULL if there is none.
static const bench_case *find_case(const char *name)
{
    for (const bench_case *c = bench_cases; c->name; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

static void print_names(FILE *out)
{
    for (const bench_case *c = bench_cases; c->name; c++)
        fprintf(out, "  %-24s %s\n", c->name, c->about);
}

// Runs one benchmark between the messages that begin and end its part of the report.
static void run_case(bench_report *report, const bench_case *which)
{
    bench_begin(report, which);
    which->run(report);
    bench_end(report);
}

// Runs the named benchmarks, or all of them without a name.
static int run_bench(const command *self, const arguments *args)
{
    for (int i = 0; i < args->rest_count; i++) {
        if (find_case(args->rest[i]))
            continue;
        fprintf(stderr, "fathom: bench: there is no benchmark \"%s\"; allowed are:", args->rest[i]);
        for (const bench_case *c = bench_cases; c->name; c++)
            fprintf(stderr, " %s", c->name);
        fprintf(stderr, "\n");
        return EXIT_BAD_INPUT;
    }
    bench_report *report = bench_open(option_given(self, args, "--json"));
    if (!report) {
        print_error("bench: out of memory");
        return EXIT_INPUT_OUTPUT;
    }
    for (const bench_case *c = bench_cases; c->name && args->rest_count == 0; c++)
        run_case(report, c);
    for (int i = 0; i < args->rest_count; i++)
        run_case(report, find_case(args->rest[i]));
    return bench_close(report);
}

const command command_bench = {
    .name = "bench",
    .usage = "[NAME...] [--json]",
    .about = "run benchmarks and print each time and its ratio to a baseline",
    .more = "Without a name, all benchmarks are run. Names:",
    .print_names = print_names,
    .options = {{"--json", NULL, NULL, "print JSON instead of a table"}},
    .rest_max = 16,
    .run = run_bench,
};
