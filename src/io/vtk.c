// SPDX-License-Identifier: MIT
// vtk.c: writes frames as VTK XML PolyData (.vtp) [VTKFF], points on a lattice as ImageData (.vti),
// and the time index for ParaView (.pvd).
//
// The file begins with XML. Each array is a block of raw bytes after the underscore in
// AppendedData: its length in bytes as UInt64, then its values, little endian. FieldData holds the
// time of the frame as TimeValue and the kind of the object, if known, as kind: a String array of
// one tuple, which VTK stores in an Array element (not DataArray) with a terminating zero.
// Texture coordinates are the point data "uv" (TCoords). If a point has several, at seams, the
// point data has those of its first corner, and FieldData has the array corner_uv with those of all
// corners.
// Points that belong to no line and no polygon get one vertex cell each, because ParaView draws
// cells only. The same surface always gives the same bytes: no date, no host name.
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

// Writes text as the value of an XML attribute.
static void write_escaped(fm_writer *writer, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fm_writer_print(writer, "&amp;");
            break;
        case '<':
            fm_writer_print(writer, "&lt;");
            break;
        case '"':
            fm_writer_print(writer, "&quot;");
            break;
        default:
            fm_writer_write(writer, text, 1);
        }
    }
}

// Writes the XML element of an array of `bytes` bytes, and advances *offset past its block.
static void declare_array(fm_writer *writer, const char *type, const char *name, int components,
                          size_t bytes, uint64_t *offset)
{
    fm_writer_print(writer, "<DataArray type=\"%s\" Name=\"", type);
    write_escaped(writer, name);
    fm_writer_print(writer, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
                    components, (unsigned long long)*offset);
    *offset += sizeof(uint64_t) + bytes;
}

// Bytes of the values of a field.
static size_t field_bytes(const fm_surface *surface, int field)
{
    return (size_t)surface->point_count * (size_t)surface->fields[field].components * sizeof(float);
}

// Writes the XML of a section of cells (Verts, Lines or Polys): the array of the cells' points, and
// the array of offsets at which each cell ends.
static void declare_cells(fm_writer *writer, const char *section, int corners, int count,
                          uint64_t *offset)
{
    fm_writer_print(writer, "<%s>\n", section);
    declare_array(writer, "Int32", "connectivity", 1, (size_t)corners * sizeof(int32_t), offset);
    declare_array(writer, "Int32", "offsets", 1, (size_t)count * sizeof(int32_t), offset);
    fm_writer_print(writer, "</%s>\n", section);
}

// The texture coordinates of a surface, as the file holds them.
typedef struct texture {
    fm_texture_points points; // count 0: none
    bool seams;               // some point has several
    size_t bytes;             // of those of all corners
} texture;

static bool create_texture(texture *t, const fm_surface *surface, fm_error *err)
{
    *t = (texture){0};
    if (!surface->corner_uv)
        return true;
    t->bytes = 2 * sizeof(float) * (size_t)fm_surface_corner_count(surface);
    bool good = fm_texture_points_create(&t->points, surface, err);
    t->seams = t->points.count > surface->point_count;
    return good;
}

// Writes the XML of time, kind and texture coordinates at seams. *offset receives the end of their
// blocks.
static void declare_field_data(fm_writer *writer, const fm_surface *surface, const texture *t,
                               uint64_t *offset)
{
    uint64_t at = 0;
    fm_writer_print(writer, "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
                            "NumberOfTuples=\"1\" format=\"appended\" offset=\"0\"/>\n");
    at += sizeof(uint64_t) + sizeof(double);
    if (surface->kind[0]) {
        fm_writer_print(writer,
                        "<Array type=\"String\" Name=\"kind\" NumberOfTuples=\"1\" "
                        "format=\"appended\" offset=\"%llu\"/>\n",
                        (unsigned long long)at);
        at += sizeof(uint64_t) + strlen(surface->kind) + 1;
    }
    if (t->seams) {
        fm_writer_print(writer,
                        "<DataArray type=\"Float32\" Name=\"corner_uv\" NumberOfComponents=\"2\" "
                        "NumberOfTuples=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
                        fm_surface_corner_count(surface), (unsigned long long)at);
        at += sizeof(uint64_t) + t->bytes;
    }
    fm_writer_print(writer, "</FieldData>\n");
    *offset = at;
}

// Writes the XML of the fields, and advances *at past their blocks.
static void declare_point_data(fm_writer *writer, const fm_surface *surface, const texture *t,
                               uint64_t *at)
{
    bool normals = fm_surface_values(surface, "normal", 3) != NULL, uv = t->points.count > 0;
    fm_writer_print(writer, "<PointData%s%s>\n", normals ? " Normals=\"normal\"" : "",
                    uv ? " TCoords=\"uv\"" : "");
    for (int i = 0; i < surface->field_count; i++)
        declare_array(writer, "Float32", surface->fields[i].name, surface->fields[i].components,
                      field_bytes(surface, i), at);
    if (uv)
        declare_array(writer, "Float32", "uv", 2, 2 * sizeof(float) * (size_t)surface->point_count,
                      at);
    fm_writer_print(writer, "</PointData>\n");
}

// Writes the XML of a .vtp file up to the binary data. vertices: number of isolated points.
static void write_xml(fm_writer *writer, const fm_surface *surface, const texture *t, int vertices)
{
    uint64_t at;
    fm_writer_print(writer, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    declare_field_data(writer, surface, t, &at);
    fm_writer_print(writer,
                    "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" "
                    "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
                    surface->point_count, vertices, surface->line_count, surface->face_count);
    declare_point_data(writer, surface, t, &at);
    fm_writer_print(writer, "<Points>\n");
    declare_array(writer, "Float32", "Points", 3, 3 * sizeof(float) * (size_t)surface->point_count,
                  &at);
    fm_writer_print(writer, "</Points>\n");
    if (vertices > 0)
        declare_cells(writer, "Verts", vertices, vertices, &at);
    if (surface->line_count > 0)
        declare_cells(writer, "Lines", 2 * surface->line_count, surface->line_count, &at);
    declare_cells(writer, "Polys", fm_surface_corner_count(surface), surface->face_count, &at);
    fm_writer_print(writer, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

// Writes the values of an array with their length in bytes before them.
static void write_block(fm_writer *writer, const void *values, size_t bytes)
{
    uint64_t length = bytes;
    fm_writer_write(writer, &length, sizeof length);
    fm_writer_write(writer, values, bytes);
}

// Writes the end offsets of `count` cells with `corners` points each.
static void write_end_offsets(fm_writer *writer, int corners, int count)
{
    uint64_t length = (uint64_t)count * sizeof(int32_t);
    fm_writer_write(writer, &length, sizeof length);
    enum { BATCH = 1024 }; // offsets that are written at once
    for (int i = 0; i < count; i += BATCH) {
        int32_t offsets[BATCH];
        int n = count - i < BATCH ? count - i : BATCH;
        for (int k = 0; k < n; k++)
            offsets[k] = corners * (i + k + 1);
        fm_writer_write(writer, offsets, (size_t)n * sizeof *offsets);
    }
}

// Writes the binary data of isolated points, lines and faces.
static void write_cells(fm_writer *writer, const fm_surface *surface, const int *isolated,
                        int isolated_count)
{
    if (isolated_count > 0) {
        write_block(writer, isolated, (size_t)isolated_count * sizeof(int32_t));
        write_end_offsets(writer, 1, isolated_count);
    }
    if (surface->line_count > 0) {
        write_block(writer, surface->lines, 2 * (size_t)surface->line_count * sizeof(int32_t));
        write_end_offsets(writer, 2, surface->line_count);
    }
    write_block(writer, surface->face_points,
                (size_t)fm_surface_corner_count(surface) * sizeof(int32_t));
    write_block(writer, surface->face_start + 1, (size_t)surface->face_count * sizeof(int32_t));
}

// Writes the binary blocks of time, kind, fields and texture coordinates, in the order of their
// XML.
static void write_field_blocks(fm_writer *writer, const fm_surface *surface, const texture *t)
{
    write_block(writer, &surface->time, sizeof surface->time);
    if (surface->kind[0])
        write_block(writer, surface->kind, strlen(surface->kind) + 1);
    if (t->seams)
        write_block(writer, surface->corner_uv, t->bytes);
    for (int i = 0; i < surface->field_count; i++)
        write_block(writer, surface->fields[i].values, field_bytes(surface, i));
    if (t->points.count > 0)
        write_block(writer, t->points.uv, 2 * sizeof(float) * (size_t)surface->point_count);
}

// Writes points on a lattice as ImageData (.vti): the positions follow from origin and spacing.
static bool write_image(const char *path, const fm_surface *surface, bool sync, fm_error *err)
{
    const fm_lattice *l = &surface->lattice;
    uint64_t at;
    char extent[64];
    fm_writer *writer = fm_writer_open(path, err);
    snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", l->size[0] - 1, l->size[1] - 1,
             l->size[2] - 1);
    fm_writer_print(writer, "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
                            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n");
    fm_writer_print(writer,
                    "<ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" "
                    "Spacing=\"%.17g %.17g %.17g\">\n",
                    extent, l->origin.x, l->origin.y, l->origin.z, l->spacing, l->spacing,
                    l->spacing);
    const texture none = {0};
    declare_field_data(writer, surface, &none, &at);
    fm_writer_print(writer, "<Piece Extent=\"%s\">\n", extent);
    declare_point_data(writer, surface, &none, &at);
    fm_writer_print(writer, "</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_");
    write_field_blocks(writer, surface, &none);
    fm_writer_print(writer, "\n</AppendedData>\n</VTKFile>\n");
    return fm_writer_close(writer, sync);
}

// Writes a surface as .vtp. sync: waits until the file is on the disk.
bool fm_vtk_write(const char *path, const fm_surface *surface, bool sync, fm_error *err)
{
    if (surface->lattice.size[0] > 0)
        return write_image(path, surface, sync, err);
    fm_mesh_view mesh = fm_surface_view(surface, NULL);
    int isolated_count, *isolated = fm_mesh_find_isolated_points(&mesh, &isolated_count, err);
    texture t = {0};
    bool good = isolated && create_texture(&t, surface, err);
    fm_writer *writer = good ? fm_writer_open(path, err) : NULL;
    if (!writer) {
        free(isolated);
        fm_texture_points_destroy(&t.points);
        return false;
    }
    write_xml(writer, surface, &t, isolated_count);
    write_field_blocks(writer, surface, &t);
    fm_texture_points_destroy(&t.points);
    write_block(writer, surface->points, 3 * sizeof(float) * (size_t)surface->point_count);
    write_cells(writer, surface, isolated, isolated_count);
    free(isolated);
    fm_writer_print(writer, "\n</AppendedData>\n</VTKFile>\n");
    return fm_writer_close(writer, sync);
}

// Writes a time index, which lists the file of each time.
bool fm_pvd_write(const char *path, const fm_pvd_entry *entries, int count, bool sync,
                  fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    fm_writer_print(writer, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                            "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int i = 0; i < count; i++) {
        fm_writer_print(writer, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"", entries[i].time,
                        entries[i].part);
        write_escaped(writer, entries[i].file);
        fm_writer_print(writer, "\"/>\n");
    }
    fm_writer_print(writer, "</Collection>\n</VTKFile>\n");
    return fm_writer_close(writer, sync);
}
