// SPDX-License-Identifier: MIT
// vdb.h: writes fluids as OpenVDB volumes, where OpenVDB was found when the program was built.
#ifndef FATHOM_PROGRAM_VDB_H
#define FATHOM_PROGRAM_VDB_H

#include <fathom/mesher.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A volume writer for fm_export_options: two grids per file, "surface" (level set, m) and
// "velocity" (m/s), y up.
bool vdb_write(const void *context, const char *path, const fm_surface *particles,
               const fm_surface *surface, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
