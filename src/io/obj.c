// SPDX-License-Identifier: MIT
// obj.c: writes a surface as Wavefront OBJ: points, texture coordinates, lines and polygons as
// text, no fields.
//
// Numbers have nine digits, so that reading them gives the same floats. Points keep their order,
// because point caches (pc2.c, mdd.c) assign positions to points by their index.
#include "io/io.h"

// Writes points, faces and lines of a surface as OBJ.
bool fm_obj_write(const char *path, const fm_surface *surface, fm_error *err)
{
    fm_texture_points split = {0};
    if (surface->corner_uv && !fm_texture_points_create(&split, surface, err)) {
        fm_texture_points_destroy(&split);
        return false;
    }
    fm_writer *writer = fm_writer_open(path, err);
    fm_writer_print(writer, FM_OBJ_FIRST_LINE " y up, metres, %.9g s\no %s\n", surface->time,
                    surface->name);
    for (int i = 0; i < surface->point_count; i++) {
        const float *p = surface->points + 3 * (size_t)i;
        fm_writer_print(writer, "v %.9g %.9g %.9g\n", p[0], p[1], p[2]);
    }
    for (int i = 0; i < split.count; i++)
        fm_writer_print(writer, "vt %.9g %.9g\n", split.uv[2 * (size_t)i],
                        split.uv[2 * (size_t)i + 1]);
    for (int i = 0; i < surface->face_count; i++) {
        fm_writer_print(writer, "f");
        for (int k = surface->face_start[i]; k < surface->face_start[i + 1]; k++)
            if (split.corner)
                fm_writer_print(writer, " %d/%d", surface->face_points[k] + 1, split.corner[k] + 1);
            else
                fm_writer_print(writer, " %d", surface->face_points[k] + 1);
        fm_writer_print(writer, "\n");
    }
    for (int i = 0; i < surface->line_count; i++)
        fm_writer_print(writer, "l %d %d\n", surface->lines[2 * (size_t)i] + 1,
                        surface->lines[2 * (size_t)i + 1] + 1);
    fm_texture_points_destroy(&split);
    return fm_writer_close(writer, false);
}
