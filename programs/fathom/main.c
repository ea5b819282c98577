// SPDX-License-Identifier: MIT
// main.c: the list of subcommands, and the main function that selects one.
#include "command_line.h"

#include <fathom/fathom.h>
#include <locale.h>
#include <string.h>

const command *const commands[] = {
    &command_run,
    &command_check,
    &command_scenes,
    &command_describe,
    &command_schema,
    &command_export,
    &command_render,
    &command_bench,
    &command_man,
    &command_completion,
    NULL,
};

// Runs a subcommand, or prints its help. program: name by which the program was called. Returns the
// exit code.
static int run_command(const command *which, const char *program, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_command_help(stdout, which);
            return finish_output();
        }
    }
    static arguments args; // static because it is large; a process runs one subcommand
    if (!parse_arguments(which, argc, argv, &args))
        return EXIT_BAD_INPUT;
    args.program = program;
    return which->run(which, &args);
}

// Prints the list of subcommands and the exit codes.
static void print_help(FILE *out)
{
    fprintf(out, "fathom %s: simulate cloth under water and particle fluids\n\n", fm_version());
    for (const command *c, *const *p = commands; (c = *p); p++)
        fprintf(out, "  fathom %-10s %s\n", c->name, c->about);
    fprintf(
        out,
        "\n  fathom COMMAND --help    options of a command\n"
        "  fathom --version\n\n"
        "Exit codes: 0 success, 1 bad input or usage, 2 the simulation diverged, 3 input/output "
        "error.\n"
        "Start with: fathom scenes\n");
}

// Runs the subcommand that the first argument names.
int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); // for file names only; numbers keep the format of the C locale
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
    for (const command *c, *const *p = commands; (c = *p); p++) {
        if (strcmp(name, c->name) == 0)
            return run_command(c, argv[0], argc - 1, argv + 1);
    }
    fprintf(stderr, "fathom: unknown subcommand \"%s\"; allowed are:", name);
    for (const command *c, *const *p = commands; (c = *p); p++)
        fprintf(stderr, " %s", c->name);
    fprintf(stderr, " (see fathom --help)\n");
    return EXIT_BAD_INPUT;
}
