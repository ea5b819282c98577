// SPDX-License-Identifier: MIT
// without_render.c: a stub of `fathom render`, for a build without Embree, libpng, libyaml or
// expat.
#include "command_line.h"

// Prints that the subcommand is not part of this build. Returns the exit code.
static int run_missing(const command *self, const arguments *args)
{
    (void)args;
    print_error(
        "%s is not available: fathom was built without Embree, libpng, libyaml or expat; install "
        "them with scripts/setup and build again",
        self->name);
    return EXIT_BAD_INPUT;
}

const command command_render = {.name = "render",
                                .usage = "",
                                .about = "not in this build",
                                .rest_max = 99,
                                .run = run_missing};
