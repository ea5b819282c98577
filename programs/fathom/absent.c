// SPDX-License-Identifier: MIT
// absent.c: subcommands that this build cannot have, because libyaml or expat was missing when it
// was made.
#include "fathom.h"

static int run_absent(const command *self, const arguments *args)
{
    (void)args;
    complain("%s: this fathom was built without libyaml or expat; install them with scripts/setup "
             "and build again",
             self->name);
    return EXIT_BAD_INPUT;
}

const command command_run = {
    .name = "run", .usage = "", .about = "not in this build", .rest_max = 99, .run = run_absent};
const command command_check = {
    .name = "check", .usage = "", .about = "not in this build", .rest_max = 99, .run = run_absent};
const command command_scenes = {
    .name = "scenes", .usage = "", .about = "not in this build", .rest_max = 99, .run = run_absent};
const command command_describe = {.name = "describe",
                                  .usage = "",
                                  .about = "not in this build",
                                  .rest_max = 99,
                                  .run = run_absent};
const command command_schema = {
    .name = "schema", .usage = "", .about = "not in this build", .rest_max = 99, .run = run_absent};
const command command_export = {
    .name = "export", .usage = "", .about = "not in this build", .rest_max = 99, .run = run_absent};
