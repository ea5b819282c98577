// SPDX-License-Identifier: MIT
// version.c: FM_VERSION comes from the build, where the version is written down once.
#include <fathom/fathom.h>

const char *fm_version(void)
{
    return FM_VERSION;
}
