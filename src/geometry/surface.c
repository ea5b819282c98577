// SPDX-License-Identifier: MIT
// surface.c: a mesh in single precision with fields at its points, in one allocation.
#include "geometry/geometry.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reserves space for `count` values of `size` bytes in one allocation, at a 16-byte boundary: *at
// receives their offset, *total grows. Returns false on overflow.
static bool reserve(size_t *total, size_t *at, size_t count, size_t size)
{
    *at = *total;
    if (count > (SIZE_MAX / 4 - *total) / size)
        return false;
    *total = (*total + count * size + 15) / 16 * 16;
    return true;
}

// Creates a surface with zeroed arrays, in one allocation. fields: name and number of components of
// each.
fm_surface *fm_surface_create(const char *name, const fm_mesh_size *size,
                              const fm_surface_field *fields, int field_count, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    size_t total = 0, head, points, lines, start, corners, uv, values[FM_SURFACE_FIELDS_MAX] = {0};
    bool fits = reserve(&total, &head, 1, sizeof(fm_surface)) &&
                reserve(&total, &points, (size_t)size->points, 3 * sizeof(float)) &&
                reserve(&total, &lines, (size_t)size->lines, 2 * sizeof(int)) &&
                reserve(&total, &start, (size_t)size->faces + 1, sizeof(int)) &&
                reserve(&total, &corners, (size_t)size->corners, sizeof(int)) &&
                reserve(&total, &uv, size->has_uv ? (size_t)size->corners : 0, 2 * sizeof(float));
    for (int i = 0; i < field_count && fits; i++)
        fits = reserve(&total, &values[i], (size_t)size->points,
                       (size_t)fields[i].components * sizeof(float));
    char *memory = fits ? calloc(1, total) : NULL;
    if (!memory) {
        fm_fail_no_memory(err, name, total);
        return NULL;
    }
    fm_surface *surface = (fm_surface *)memory;
    snprintf(surface->name, sizeof surface->name, "%s", name);
    surface->point_count = size->points;
    surface->points = (float *)(memory + points);
    surface->line_count = size->lines;
    surface->lines = (int *)(memory + lines);
    surface->face_count = size->faces;
    surface->face_start = (int *)(memory + start);
    surface->face_start[size->faces] = size->corners;
    surface->face_points = (int *)(memory + corners);
    surface->corner_uv = size->has_uv ? (float *)(memory + uv) : NULL;
    surface->field_count = field_count;
    for (int i = 0; i < field_count; i++) {
        surface->fields[i] = fields[i];
        surface->fields[i].values = (float *)(memory + values[i]);
    }
    return surface;
}

// Creates a surface with points, lines and faces of a mesh, converted to single precision. The
// values of the fields are zero.
fm_surface *fm_surface_create_from_mesh(const char *name, const fm_mesh_view *mesh,
                                        const fm_surface_field *fields, int field_count,
                                        fm_error *err)
{
    fm_mesh_size size = fm_mesh_measure(mesh);
    fm_surface *surface = fm_surface_create(name, &size, fields, field_count, err);
    if (!surface)
        return NULL;
    surface->lattice = mesh->lattice;
    for (int i = 0; i < size.points && mesh->points; i++) {
        float *p = surface->points + 3 * (size_t)i;
        p[0] = (float)mesh->points[i].x;
        p[1] = (float)mesh->points[i].y;
        p[2] = (float)mesh->points[i].z;
    }
    if (size.lines > 0)
        memcpy(surface->lines, mesh->lines, 2 * (size_t)size.lines * sizeof(int));
    if (size.faces > 0)
        memcpy(surface->face_points, mesh->face_points, (size_t)size.corners * sizeof(int));
    if (size.has_uv)
        memcpy(surface->corner_uv, mesh->corner_uv, 2 * (size_t)size.corners * sizeof(float));
    for (int i = 0; i <= size.faces; i++)
        surface->face_start[i] = mesh->face_start ? mesh->face_start[i] : 3 * i;
    return surface;
}

// The mesh of a surface. points (may be NULL): receives the points in double precision.
fm_mesh_view fm_surface_view(const fm_surface *surface, fm_vec3 *points)
{
    for (int i = 0; i < surface->point_count && points; i++) {
        const float *p = surface->points + 3 * (size_t)i;
        points[i] = (fm_vec3){p[0], p[1], p[2]};
    }
    return (fm_mesh_view){points,
                          surface->point_count,
                          surface->lines,
                          surface->line_count,
                          surface->face_start,
                          surface->face_points,
                          surface->face_count,
                          surface->lattice,
                          surface->corner_uv};
}

// Frees a surface with its arrays, which are one allocation.
void fm_surface_destroy(fm_surface *surface)
{
    free(surface);
}

// Number of corners of all faces together.
int fm_surface_corner_count(const fm_surface *surface)
{
    return surface->face_start[surface->face_count];
}

// Values of a field with the given number of components; NULL if the surface has no such field.
const float *fm_surface_values(const fm_surface *surface, const char *field, int components)
{
    assert(surface);
    for (int i = 0; i < surface->field_count; i++)
        if (strcmp(surface->fields[i].name, field) == 0)
            return surface->fields[i].components == components ? surface->fields[i].values : NULL;
    return NULL;
}

// True if both have as many points, and the same lines and faces.
bool fm_surface_same_mesh(const fm_surface *a, const fm_surface *b)
{
    return a->point_count == b->point_count && a->face_count == b->face_count &&
           a->line_count == b->line_count &&
           memcmp(a->lines, b->lines, 2 * (size_t)a->line_count * sizeof(int)) == 0 &&
           memcmp(a->face_start, b->face_start, ((size_t)a->face_count + 1) * sizeof(int)) == 0 &&
           memcmp(a->face_points, b->face_points,
                  (size_t)fm_surface_corner_count(a) * sizeof(int)) == 0;
}

// How many of `count` values are NaN or infinite.
static int count_not_finite(const float *values, size_t count)
{
    int found = 0;
    for (size_t i = 0; i < count && found < INT_MAX; i++)
        found += !isfinite(values[i]);
    return found;
}

// Counts the coordinates and field values that are NaN or infinite, for surface->not_finite.
void fm_surface_count_not_finite(fm_surface *surface)
{
    size_t points = (size_t)surface->point_count;
    int64_t found = count_not_finite(surface->points, 3 * points);
    for (int i = 0; i < surface->field_count; i++)
        found += count_not_finite(surface->fields[i].values,
                                  points * (size_t)surface->fields[i].components);
    if (surface->corner_uv)
        found += count_not_finite(surface->corner_uv, 2 * (size_t)fm_surface_corner_count(surface));
    surface->not_finite = found < INT_MAX ? (int)found : INT_MAX;
}

// Smallest and largest coordinates of the points; zero without points.
void fm_surface_bounds(const fm_surface *surface, float low[3], float high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = surface->point_count ? surface->points[axis] : 0;
        for (int i = 1; i < surface->point_count; i++) {
            low[axis] = fminf(low[axis], surface->points[3 * (size_t)i + axis]);
            high[axis] = fmaxf(high[axis], surface->points[3 * (size_t)i + axis]);
        }
    }
}

// Twice the area vector of a polygon by Newell's formula: the sum of p_k x p_(k+1) over its
// corners, with the first corner as the origin.
static void area_vector(const fm_surface *surface, int face, double area[3])
{
    const int *corner = surface->face_points + surface->face_start[face];
    int count = surface->face_start[face + 1] - surface->face_start[face];
    const float *origin = surface->points + 3 * (size_t)corner[0];
    area[0] = area[1] = area[2] = 0;
    for (int k = 1; k + 1 < count; k++) {
        const float *p = surface->points + 3 * (size_t)corner[k];
        const float *q = surface->points + 3 * (size_t)corner[k + 1];
        double a[3], b[3];
        for (int axis = 0; axis < 3; axis++) {
            a[axis] = (double)p[axis] - origin[axis];
            b[axis] = (double)q[axis] - origin[axis];
        }
        area[0] += a[1] * b[2] - a[2] * b[1];
        area[1] += a[2] * b[0] - a[0] * b[2];
        area[2] += a[0] * b[1] - a[1] * b[0];
    }
}

// Unit normals at the points: area-weighted means of the adjacent faces.
void fm_surface_normals(const fm_surface *surface, float *normals)
{
    memset(normals, 0, 3 * (size_t)surface->point_count * sizeof *normals);
    for (int face = 0; face < surface->face_count; face++) {
        double area[3];
        area_vector(surface, face, area);
        for (int k = surface->face_start[face]; k < surface->face_start[face + 1]; k++)
            for (int axis = 0; axis < 3; axis++)
                normals[3 * (size_t)surface->face_points[k] + axis] += (float)area[axis];
    }
    for (int i = 0; i < surface->point_count; i++) {
        float *n = normals + 3 * (size_t)i;
        double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
        if (length > 0 && isfinite(length)) {
            for (int axis = 0; axis < 3; axis++)
                n[axis] = (float)(n[axis] / length);
        } else { // isolated point or faces without area: an arbitrary unit vector
            n[0] = n[2] = 0;
            n[1] = 1;
        }
    }
}
