// SPDX-License-Identifier: MIT
// obj.c: surfaces as Wavefront OBJ: text, points and polygons, no fields.
//
// Nine digits: reading gives back the same floats. Points keep their order, which the point caches
// beside it (pc2.c, mdd.c) rely on.
//
// Alias|Wavefront: Object Files (.obj), appendix B1 of the Advanced Visualizer manual.
#include "io/io.h"

bool fm_obj_write(const char *path, const fm_surface *surface, fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    fm_write_text(writer, FM_OBJ_HEAD " y up, metres, %.9g s\no %s\n", surface->time,
                  surface->name);
    for (int i = 0; i < surface->point_count; i++) {
        const float *p = surface->points + 3 * (size_t)i;
        fm_write_text(writer, "v %.9g %.9g %.9g\n", p[0], p[1], p[2]);
    }
    for (int i = 0; i < surface->face_count; i++) {
        fm_write_text(writer, "f");
        for (int k = surface->face_start[i]; k < surface->face_start[i + 1]; k++)
            fm_write_text(writer, " %d", surface->face_points[k] + 1);
        fm_write_text(writer, "\n");
    }
    return fm_writer_close(writer, false);
}
