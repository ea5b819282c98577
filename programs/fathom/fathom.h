// SPDX-License-Identifier: MIT
// fathom.h: what the files of the program share.
#ifndef FATHOM_PROGRAM_H
#define FATHOM_PROGRAM_H

// Exit codes.
enum { EXIT_GOOD = 0, EXIT_BAD_INPUT = 1, EXIT_DIVERGED = 2, EXIT_INPUT_OUTPUT = 3 };

// A subcommand gets its own arguments, argv[0] being its name, and returns an exit code.
typedef int subcommand(int argc, char **argv);

subcommand command_bench;

#endif
