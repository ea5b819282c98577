// SPDX-License-Identifier: MIT
// main.c: the table of subcommands.
#include "fathom.h"

#include <fathom/fathom.h>
#include <stdio.h>
#include <string.h>

typedef struct entry {
    const char *name;
    const char *arguments;
    const char *about;
    subcommand *run;
} entry;

static const entry entries[] = {
    {"bench", "[NAME...] [--json]", "the benchmarks, each with a ratio to a baseline",
     command_bench},
};

enum { ENTRY_COUNT = sizeof entries / sizeof entries[0] };

static void print_help(FILE *out)
{
    fprintf(out, "fathom %s: cloth and fluids that remember\n\n", fm_version());
    for (int i = 0; i < ENTRY_COUNT; i++)
        fprintf(out, "  fathom %s %-24s %s\n", entries[i].name, entries[i].arguments,
                entries[i].about);
    fprintf(out,
            "  fathom --version\n  fathom --help\n\n"
            "Exit codes: 0 good, 1 bad input or usage, 2 the numbers diverged, 3 input/output.\n");
}

static int finish_output(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_GOOD : EXIT_INPUT_OUTPUT;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_BAD_INPUT;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("fathom %s\n", fm_version());
        return finish_output();
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return finish_output();
    }
    for (int i = 0; i < ENTRY_COUNT; i++) {
        if (strcmp(name, entries[i].name) == 0)
            return entries[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "fathom: there is no subcommand \"%s\"; allowed are:", name);
    for (int i = 0; i < ENTRY_COUNT; i++)
        fprintf(stderr, " %s", entries[i].name);
    fprintf(stderr, " (see fathom --help)\n");
    return EXIT_BAD_INPUT;
}
