// SPDX-License-Identifier: MIT
// frame.c: a cloth as a surface: its particles, what is between them, its fields in float.
//
// In a sheet, particle (row, column) is point row * columns + column. A quad goes top left, bottom
// left, bottom right, top right: counter-clockwise seen from the side the cloth's normal points to.
// Tubes have the triangles of their cells; meshes have the vertices and the triangles they were
// made of, in that order, so that what was modelled elsewhere can be moved there by a cache of
// points.
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

static const fm_field *find_field(const char *name, size_t length)
{
    int count;
    const fm_field *fields = fm_cloth_fields(&count);
    for (int i = 0; i < count; i++)
        if (strlen(fields[i].name) == length && strncmp(fields[i].name, name, length) == 0)
            return &fields[i];
    return NULL;
}

// Names to fields, each once. Positions are the points and not a field.
static int parse_fields(const char *names, fm_surface_field *fields, const char *object,
                        fm_error *err)
{
    int count = 0;
    for (const char *at = names; at && *at;) {
        at += strspn(at, " \t\n,");
        size_t length = strcspn(at, " \t\n,");
        if (length == 0)
            break;
        const fm_field *field = find_field(at, length);
        if (!field || count == FM_SURFACE_FIELDS_MAX) {
            char name[48];
            snprintf(name, sizeof name, "%.*s", (int)(length < 47 ? length : 47), at);
            fm_fail(err, FM_BAD_VALUE, object, "fields", name,
                    field ? "at most 16 of them" : "names of fields of a cloth");
            return 0;
        }
        bool there = strcmp(field->name, "position") == 0;
        for (int i = 0; i < count; i++)
            there |= strcmp(fields[i].name, field->name) == 0;
        if (!there) {
            snprintf(fields[count].name, sizeof fields->name, "%s", field->name);
            fields[count++].components = field->components;
        }
        at += length;
    }
    return count;
}

static void make_quads(fm_surface *surface, int columns, int rows)
{
    int face = 0, *corner = surface->face_points;
    for (int r = 0; r + 1 < rows; r++) {
        for (int c = 0; c + 1 < columns; c++) {
            int i = r * columns + c;
            surface->face_start[face] = 4 * face;
            corner[4 * face] = i;
            corner[4 * face + 1] = i + columns;
            corner[4 * face + 2] = i + columns + 1;
            corner[4 * face + 3] = i + 1;
            face++;
        }
    }
}

static void copy_triangles(fm_surface *surface, const int *triangles)
{
    for (int i = 0; i <= surface->face_count; i++)
        surface->face_start[i] = 3 * i;
    memcpy(surface->face_points, triangles, 3 * (size_t)surface->face_count * sizeof(int));
}

fm_surface *fm_frame_create(fm_cloth *cloth, const char *fields, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_sheet sheet = fm_cloth_sheet(cloth);
    bool quads = fm_cloth_topology(cloth) == FM_CLOTH_SHEET;
    fm_surface_field list[FM_SURFACE_FIELDS_MAX] = {0};
    int field_count = parse_fields(fields, list, fm_cloth_name(cloth), err);
    int points, faces = (sheet.columns - 1) * (sheet.rows - 1);
    fm_cloth_vertices(cloth, &points);
    const int *triangles = quads ? NULL : fm_cloth_faces(cloth, &faces, err);
    fm_surface *surface = fm_surface_create(fm_cloth_name(cloth), points, faces,
                                            (quads ? 4 : 3) * faces, list, field_count, err);
    if (surface && quads)
        make_quads(surface, sheet.columns, sheet.rows);
    else if (surface)
        copy_triangles(surface, triangles);
    return surface;
}

// Values of particles to the points that stand for them.
static void spread(fm_cloth *cloth, const double *values, int components, float *out)
{
    int count;
    const int *vertices = fm_cloth_vertices(cloth, &count);
    for (int i = 0; i < count; i++) {
        const double *from = values + (size_t)components * (size_t)(vertices ? vertices[i] : i);
        for (int k = 0; k < components; k++)
            *out++ = (float)from[k];
    }
}

bool fm_frame_update(fm_surface *surface, fm_cloth *cloth, double time, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    size_t count = (size_t)fm_cloth_particle_count(cloth);
    double *values = malloc(3 * count * sizeof *values);
    if (!values)
        return fm_fail_no_memory(err, surface->name, 3 * count * sizeof *values);
    surface->time = time;
    fm_cloth_read_field(cloth, "position", values, err);
    if (err->status == FM_OK)
        spread(cloth, values, 3, surface->points);
    for (int f = 0; f < surface->field_count; f++) {
        fm_surface_field *field = &surface->fields[f];
        if (!fm_cloth_read_field(cloth, field->name, values, err))
            break;
        spread(cloth, values, field->components, field->values);
    }
    free(values);
    return err->status == FM_OK;
}
