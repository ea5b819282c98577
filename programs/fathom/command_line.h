// SPDX-License-Identifier: MIT
// command_line.h: subcommands, their options, and messages; shared by all files of the program.
#ifndef FATHOM_PROGRAM_H
#define FATHOM_PROGRAM_H

#include <fathom/error.h>
#include <stdbool.h>
#include <stdio.h>

// Exit codes.
enum { EXIT_GOOD = 0, EXIT_BAD_INPUT = 1, EXIT_DIVERGED = 2, EXIT_INPUT_OUTPUT = 3 };

// An option of a subcommand; the parser, --help, manual page and completion use it.
typedef struct option {
    const char *flag;     // "--frames"
    const char *letter;   // "-o", or NULL
    const char *argument; // name of the value in the help, such as "N"; NULL: it takes no value
    const char *about;    // help in one line
} option;

// Largest numbers of options of a subcommand, of occurrences of one option on the command line, and
// of arguments that are not options.
enum { OPTIONS_MAX = 20, REPEATS_MAX = 64, ARGUMENTS_MAX = 256 };
enum { FRAME_MAX = 999999 }; // largest frame number on the command line

// A parsed command line: the values of each option, and the arguments that are not options.
typedef struct arguments {
    const char *program;                          // name by which the program was called
    const char *values[OPTIONS_MAX][REPEATS_MAX]; // [option][occurrence on the command line]
    int given[OPTIONS_MAX];                       // how often each option was given
    const char *rest[ARGUMENTS_MAX];              // the arguments that are not options
    int rest_count;
} arguments;

// A subcommand.
typedef struct command {
    const char *name;
    const char *usage;              // arguments after the name: "SCENE [-o DIR]"
    const char *about;              // help in one line
    const char *more;               // further help, or NULL
    void (*print_names)(FILE *out); // prints what the arguments may be, one line each; or NULL
    option options[OPTIONS_MAX];
    int rest_min, rest_max; // allowed number of arguments that are not options
    // Runs the subcommand and returns the exit code.
    int (*run)(const struct command *command, const arguments *args);
} command;

extern const command *const commands[]; // all subcommands, ended by NULL

extern const command command_run, command_check, command_scenes, command_describe, command_schema,
    command_export, command_render, command_bench, command_man, command_completion;

// Parses the arguments of a subcommand; prints an error and returns false when they are wrong.
bool parse_arguments(const command *command, int argc, char **argv, arguments *args);
// Index of a flag in command->options; -1: there is no such option.
int option_index(const command *command, const char *flag);
// The last value given for an option, or NULL.
const char *option_value(const command *command, const arguments *args, const char *flag);
// True if the option occurs on the command line.
bool option_given(const command *command, const arguments *args, const char *flag);
// Reads the value of an option, a whole number from low to high; `default_value` when it was not
// given. Prints an error and returns false for any other value.
bool option_integer(const command *command, const arguments *args, const char *flag, int low,
                    int high, int default_value, int *value);

void print_command_help(FILE *out, const command *command);

// Prints "fathom: " and the message to stderr.
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Prints err and returns the exit code for its status.
int report_error(const fm_error *err);
// Flushes stdout. Returns EXIT_GOOD, or EXIT_INPUT_OUTPUT when writing to it failed.
int finish_output(void);

#endif
