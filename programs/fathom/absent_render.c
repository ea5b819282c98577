// SPDX-License-Identifier: MIT
// absent_render.c: pictures, in a build that cannot make them, because Embree, libpng, libyaml or
// expat was missing when it was made.
#include "fathom.h"

static int run_absent(const command *self, const arguments *args)
{
    (void)args;
    complain(
        "%s: this fathom was built without Embree, libpng, libyaml or expat; install them with "
        "scripts/setup and build again",
        self->name);
    return EXIT_BAD_INPUT;
}

const command command_render = {
    .name = "render", .usage = "", .about = "not in this build", .rest_max = 99, .run = run_absent};
