// SPDX-License-Identifier: MIT
// vtk.c: fuzz target: any bytes as a VTK file are either refused with an error or give a surface
// whose indices are all valid.
#include "io/io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fm_error err = {0};
    fm_surface *surface = fm_vtk_parse((const char *)data, size, "fuzz.vtp", &err);
    if ((surface != NULL) != (err.status == FM_OK))
        abort();
    if (!surface)
        return 0;
    for (int i = 0; i < surface->face_count; i++)
        if (surface->face_start[i + 1] - surface->face_start[i] < 3)
            abort();
    float low[3], high[3], *normals = malloc(12 * (size_t)surface->point_count + 1);
    if (normals)
        fm_surface_normals(surface, normals); // would crash on an invalid index of a face
    fm_surface_bounds(surface, low, high);
    free(normals);
    fm_surface_destroy(surface);
    return 0;
}
