// SPDX-License-Identifier: MIT
// vtk.c: frames as VTK XML PolyData (.vtp), and the list of times that ParaView opens (.pvd).
//
// The head is XML; every array is a block of raw bytes after the underscore of AppendedData: its
// length as UInt64, then its values, little endian. The time of a frame is the field TimeValue.
// Points without polygons get a vertex each, which is what makes them seen.
// Nothing in the file depends on when or where it was written: same surface, same bytes.
//
// VTK file formats, https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
#include "io/io.h"

static void write_escaped(fm_writer *writer, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fm_write_text(writer, "&amp;");
            break;
        case '<':
            fm_write_text(writer, "&lt;");
            break;
        case '"':
            fm_write_text(writer, "&quot;");
            break;
        default:
            fm_write(writer, text, 1);
        }
    }
}

// One array's place in the XML; moves the offset past its block.
static void declare(fm_writer *writer, const char *type, const char *name, int components,
                    size_t bytes, uint64_t *offset)
{
    fm_write_text(writer, "<DataArray type=\"%s\" Name=\"", type);
    write_escaped(writer, name);
    fm_write_text(writer, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n",
                  components, (unsigned long long)*offset);
    *offset += sizeof(uint64_t) + bytes;
}

static size_t field_bytes(const fm_surface *surface, int field)
{
    return (size_t)surface->point_count * (size_t)surface->fields[field].components * sizeof(float);
}

static int count_vertices(const fm_surface *surface)
{
    return surface->face_count == 0 ? surface->point_count : 0;
}

static void write_head(fm_writer *writer, const fm_surface *surface)
{
    uint64_t at = 0;
    fm_write_text(writer, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                          "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    fm_write_text(writer,
                  "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
                  "NumberOfTuples=\"1\" format=\"appended\" offset=\"0\"/>\n</FieldData>\n");
    at += sizeof(uint64_t) + sizeof(double);
    fm_write_text(writer,
                  "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
                  surface->point_count, count_vertices(surface), surface->face_count);
    bool normals = fm_surface_values(surface, "normal", 3) != NULL;
    fm_write_text(writer, normals ? "<PointData Normals=\"normal\">\n" : "<PointData>\n");
    for (int i = 0; i < surface->field_count; i++)
        declare(writer, "Float32", surface->fields[i].name, surface->fields[i].components,
                field_bytes(surface, i), &at);
    fm_write_text(writer, "</PointData>\n<Points>\n");
    declare(writer, "Float32", "Points", 3, 3 * sizeof(float) * (size_t)surface->point_count, &at);
    fm_write_text(writer, "</Points>\n");
    size_t vertices = (size_t)count_vertices(surface);
    if (vertices > 0) {
        fm_write_text(writer, "<Verts>\n");
        declare(writer, "Int32", "connectivity", 1, vertices * sizeof(int32_t), &at);
        declare(writer, "Int32", "offsets", 1, vertices * sizeof(int32_t), &at);
        fm_write_text(writer, "</Verts>\n");
    }
    fm_write_text(writer, "<Polys>\n");
    declare(writer, "Int32", "connectivity", 1,
            (size_t)fm_surface_corner_count(surface) * sizeof(int32_t), &at);
    declare(writer, "Int32", "offsets", 1, (size_t)surface->face_count * sizeof(int32_t), &at);
    fm_write_text(writer, "</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

static void write_block(fm_writer *writer, const void *values, size_t bytes)
{
    uint64_t length = bytes;
    fm_write(writer, &length, sizeof length);
    fm_write(writer, values, bytes);
}

// first, first + 1, ...
static void write_numbers(fm_writer *writer, int first, int count)
{
    uint64_t length = (uint64_t)count * sizeof(int32_t);
    fm_write(writer, &length, sizeof length);
    for (int i = 0; i < count; i += 1024) {
        int32_t some[1024];
        int n = count - i < 1024 ? count - i : 1024;
        for (int k = 0; k < n; k++)
            some[k] = first + i + k;
        fm_write(writer, some, (size_t)n * sizeof *some);
    }
}

bool fm_vtk_write(const char *path, const fm_surface *surface, bool sync, fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    if (!writer)
        return false;
    write_head(writer, surface);
    write_block(writer, &surface->time, sizeof surface->time);
    for (int i = 0; i < surface->field_count; i++)
        write_block(writer, surface->fields[i].values, field_bytes(surface, i));
    write_block(writer, surface->points, 3 * sizeof(float) * (size_t)surface->point_count);
    if (count_vertices(surface) > 0) {
        write_numbers(writer, 0, surface->point_count);
        write_numbers(writer, 1, surface->point_count);
    }
    write_block(writer, surface->face_points,
                (size_t)fm_surface_corner_count(surface) * sizeof(int32_t));
    write_block(writer, surface->face_start + 1, (size_t)surface->face_count * sizeof(int32_t));
    fm_write_text(writer, "\n</AppendedData>\n</VTKFile>\n");
    return fm_writer_close(writer, sync);
}

bool fm_pvd_write(const char *path, const fm_pvd_entry *entries, int count, bool sync,
                  fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    fm_write_text(writer, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                          "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int i = 0; i < count; i++) {
        fm_write_text(writer, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"", entries[i].time,
                      entries[i].part);
        write_escaped(writer, entries[i].file);
        fm_write_text(writer, "\"/>\n");
    }
    fm_write_text(writer, "</Collection>\n</VTKFile>\n");
    return fm_writer_close(writer, sync);
}
