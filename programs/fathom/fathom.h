// SPDX-License-Identifier: MIT
// fathom.h: what the files of the program share.
#ifndef FATHOM_PROGRAM_H
#define FATHOM_PROGRAM_H

#include <fathom/error.h>
#include <stdbool.h>
#include <stdio.h>

// Exit codes.
enum { EXIT_GOOD = 0, EXIT_BAD_INPUT = 1, EXIT_DIVERGED = 2, EXIT_INPUT_OUTPUT = 3 };

// An option as help, man page, completion and the parser know it.
typedef struct option {
    const char *flag;     // "--frames"
    const char *letter;   // "-o", or NULL
    const char *argument; // "N", or NULL when it takes none
    const char *about;
} option;

enum { OPTIONS_MAX = 20, REPEATS_MAX = 64, ARGUMENTS_MAX = 256 };

// What stood on the command line: the values of each option in turn, and the rest.
typedef struct arguments {
    const char *values[OPTIONS_MAX][REPEATS_MAX];
    int given[OPTIONS_MAX]; // how often
    const char *rest[ARGUMENTS_MAX];
    int rest_count;
} arguments;

// A subcommand: how it is called, what it is, how it runs.
typedef struct command {
    const char *name;
    const char *usage; // behind the name: "SCENE [-o DIR]"
    const char *about; // one line
    const char *more;  // paragraphs for --help and the man page
    option options[OPTIONS_MAX];
    int rest_min, rest_max; // arguments that are no options
    int (*run)(const struct command *command, const arguments *args);
} command;

extern const command *const commands[]; // ends with NULL

extern const command command_run, command_check, command_scenes, command_describe, command_schema,
    command_export, command_render, command_bench, command_man, command_completion;

// Reads the arguments of a command; complains and returns false when they are wrong.
bool parse_arguments(const command *command, int argc, char **argv, arguments *args);
int option_index(const command *command, const char *flag);
// The last value given, or NULL.
const char *option_value(const command *command, const arguments *args, const char *flag);
bool option_given(const command *command, const arguments *args, const char *flag);
// A whole number from low to high; `otherwise` when it was not given. Complains and returns false.
bool option_integer(const command *command, const arguments *args, const char *flag, int low,
                    int high, int otherwise, int *value);

void print_command_help(FILE *out, const command *command);

// "fathom: " and the message, to stderr.
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
int complain_error(const fm_error *err); // and the exit code that goes with it
int finish_output(void);                 // EXIT_GOOD, or EXIT_INPUT_OUTPUT when stdout failed

#endif
