// SPDX-License-Identifier: MIT
// Any bytes as an OBJ file: refused with a place, or polygons whose every index is good.
#include "core/core.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fm_error err = {0};
    fm_obj obj;
    if (fm_obj_parse((const char *)data, size, "fuzz.obj", &obj, &err) != (err.status == FM_OK))
        abort();
    for (int i = 0; i < obj.face_count; i++) {
        if (obj.face_group[i] < 0 || obj.face_group[i] >= obj.group_count)
            abort();
        for (int k = obj.face_start[i]; k < obj.face_start[i + 1]; k++)
            if (obj.face_points[k] < 0 || obj.face_points[k] >= obj.point_count)
                abort();
    }
    fm_obj_free(&obj);
    return 0;
}
