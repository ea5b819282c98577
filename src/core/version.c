// SPDX-License-Identifier: MIT
// version.c: the version of the library. CMakeLists.txt defines FM_VERSION.
#include <fathom/fathom.h>

// The version, as "1.2.3".
const char *fm_version(void)
{
    return FM_VERSION;
}
