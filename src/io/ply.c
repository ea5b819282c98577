// SPDX-License-Identifier: MIT
// ply.c: writes a surface as binary little-endian PLY [TUR94]: points with their fields as
// properties, polygons, and lines as edges.
//
// A field of three components becomes three properties: velocity_x, velocity_y, velocity_z. The
// field "normal" becomes nx, ny, nz, the names that other programs expect. Texture coordinates
// become s and t; points with several of them, at seams, are written once for each, the first at
// its own place and the others after all points.
#include "io/io.h"

#include <string.h>

// Writes the header lines of a field: one property per component.
static void declare_field(fm_writer *writer, const fm_surface_field *field)
{
    if (field->components == 1) {
        fm_writer_print(writer, "property float %s\n", field->name);
    } else if (field->components == 3 && strcmp(field->name, "normal") == 0) {
        fm_writer_print(writer, "property float nx\nproperty float ny\nproperty float nz\n");
    } else {
        for (int k = 0; k < field->components; k++)
            fm_writer_print(writer, "property float %s_%c\n", field->name,
                            field->components == 3 ? 'x' + k : '0' + k);
    }
}

// Whether a face has more corners than one byte can count.
static bool has_large_face(const fm_surface *surface)
{
    for (int i = 0; i < surface->face_count; i++)
        if (surface->face_start[i + 1] - surface->face_start[i] > 255)
            return true;
    return false;
}

// Writes the header. large: corner counts of faces take four bytes instead of one; uv: the points
// have texture coordinates.
static void write_header(fm_writer *writer, const fm_surface *surface, bool large, bool uv)
{
    fm_writer_print(writer, "ply\nformat binary_little_endian 1.0\ncomment Fathom, y up, metres\n");
    fm_writer_print(writer, "comment time %.17g\nelement vertex %d\n", surface->time,
                    surface->point_count);
    fm_writer_print(writer, "property float x\nproperty float y\nproperty float z\n");
    for (int i = 0; i < surface->field_count; i++)
        declare_field(writer, &surface->fields[i]);
    if (uv)
        fm_writer_print(writer, "property float s\nproperty float t\n");
    fm_writer_print(writer, "element face %d\nproperty list %s int vertex_indices\n",
                    surface->face_count, large ? "int" : "uchar");
    if (surface->line_count > 0)
        fm_writer_print(writer, "element edge %d\nproperty int vertex1\nproperty int vertex2\n",
                        surface->line_count);
    fm_writer_print(writer, "end_header\n");
}

// Writes a surface with its fields as binary PLY. uv: of each point; NULL: none.
static bool write_points(const char *path, const fm_surface *surface, const float *uv,
                         fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    bool large = has_large_face(surface);
    write_header(writer, surface, large, uv != NULL);
    for (size_t i = 0; i < (size_t)surface->point_count; i++) {
        fm_writer_write(writer, surface->points + 3 * i, 3 * sizeof(float));
        for (int f = 0; f < surface->field_count; f++) {
            size_t components = (size_t)surface->fields[f].components;
            fm_writer_write(writer, surface->fields[f].values + components * i,
                            components * sizeof(float));
        }
        if (uv)
            fm_writer_write(writer, uv + 2 * i, 2 * sizeof(float));
    }
    for (int i = 0; i < surface->face_count; i++) {
        int32_t count = surface->face_start[i + 1] - surface->face_start[i];
        fm_writer_write(writer, &count, large ? 4 : 1); // little endian: the low byte comes first
        fm_writer_write(writer, surface->face_points + surface->face_start[i],
                        (size_t)count * sizeof(int32_t));
    }
    fm_writer_write(writer, surface->lines, 2 * (size_t)surface->line_count * sizeof(int32_t));
    return fm_writer_close(writer, false);
}

bool fm_ply_write(const char *path, const fm_surface *surface, fm_error *err)
{
    if (!surface->corner_uv)
        return write_points(path, surface, NULL, err);
    fm_texture_points points = {0};
    fm_surface *split = fm_texture_points_create(&points, surface, err)
                            ? fm_texture_points_split(&points, surface, err)
                            : NULL;
    bool good = split && write_points(path, split, points.uv, err);
    fm_surface_destroy(split);
    fm_texture_points_destroy(&points);
    return good;
}
