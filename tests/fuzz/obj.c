// SPDX-License-Identifier: MIT
// obj.c: fuzz target: any bytes as an OBJ file are either refused with an error or give polygons
// whose indices are all valid.
#include "geometry/geometry.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fm_error err = {0};
    fm_obj obj;
    if (fm_obj_parse((const char *)data, size, "fuzz.obj", &obj, &err) != (err.status == FM_OK))
        abort();
    for (int i = 0; i < obj.mesh.face_count; i++) {
        if (obj.face_group[i] < 0 || obj.face_group[i] >= obj.group_count)
            abort();
        for (int k = obj.mesh.face_start[i]; k < obj.mesh.face_start[i + 1]; k++)
            if (obj.mesh.face_points[k] < 0 || obj.mesh.face_points[k] >= obj.mesh.point_count)
                abort();
    }
    fm_obj_destroy(&obj);
    return 0;
}
