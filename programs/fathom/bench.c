// SPDX-License-Identifier: MIT
// bench.c: fathom bench [NAME...] [--json]
#include "bench.h"
#include "fathom.h"

#include <stdio.h>
#include <string.h>

static const bench_case *find(const char *name)
{
    for (const bench_case *c = bench_cases; c->name; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

static void print_help(FILE *out)
{
    fprintf(out, "fathom bench [NAME...] [--json]\n\nRuns the named benchmarks, all when none is "
                 "named. Ratios compare with a baseline of the same run.\n\n");
    for (const bench_case *c = bench_cases; c->name; c++)
        fprintf(out, "  %-12s %s\n", c->name, c->about);
}

static void run_case(bench_report *report, const bench_case *which)
{
    bench_begin(report, which);
    which->run(report);
    bench_end(report);
}

int command_bench(int argc, char **argv)
{
    bool json = false;
    int named = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(stdout);
            return EXIT_GOOD;
        }
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (find(argv[i])) {
            named++;
        } else {
            fprintf(stderr, "fathom: bench: there is no %s \"%s\"; allowed are: --json",
                    argv[i][0] == '-' ? "option" : "benchmark", argv[i]);
            for (const bench_case *c = bench_cases; c->name; c++)
                fprintf(stderr, ", %s", c->name);
            fprintf(stderr, "\n");
            return EXIT_BAD_INPUT;
        }
    }
    bench_report *report = bench_open(json);
    if (!report) {
        fprintf(stderr, "fathom: bench: out of memory\n");
        return EXIT_INPUT_OUTPUT;
    }
    for (const bench_case *c = bench_cases; c->name && !named; c++)
        run_case(report, c);
    for (int i = 1; i < argc && named; i++) {
        if (find(argv[i]))
            run_case(report, find(argv[i]));
    }
    return bench_close(report);
}
