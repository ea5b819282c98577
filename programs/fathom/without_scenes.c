// SPDX-License-Identifier: MIT
// without_scenes.c: stubs of the subcommands that need libyaml and expat, for a build without these
// libraries.
#include "command_line.h"

// Prints that the subcommand is not part of this build. Returns the exit code.
static int run_missing(const command *self, const arguments *args)
{
    (void)args;
    print_error("%s is not available: fathom was built without libyaml or expat; install them with "
                "scripts/setup and build again",
                self->name);
    return EXIT_BAD_INPUT;
}

const command command_run = {
    .name = "run", .usage = "", .about = "not in this build", .rest_max = 99, .run = run_missing};
const command command_check = {
    .name = "check", .usage = "", .about = "not in this build", .rest_max = 99, .run = run_missing};
const command command_scenes = {.name = "scenes",
                                .usage = "",
                                .about = "not in this build",
                                .rest_max = 99,
                                .run = run_missing};
const command command_describe = {.name = "describe",
                                  .usage = "",
                                  .about = "not in this build",
                                  .rest_max = 99,
                                  .run = run_missing};
const command command_schema = {.name = "schema",
                                .usage = "",
                                .about = "not in this build",
                                .rest_max = 99,
                                .run = run_missing};
const command command_export = {.name = "export",
                                .usage = "",
                                .about = "not in this build",
                                .rest_max = 99,
                                .run = run_missing};
