// SPDX-License-Identifier: MIT
// surface.h: one object at one time: a mesh in single precision, as in files, with point fields.
#ifndef FATHOM_SURFACE_H
#define FATHOM_SURFACE_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FM_NAME_SIZE = 48,       // bytes of an object's name, with the terminating zero
    FM_FIELD_NAME_SIZE = 32, // bytes of a field's name, with the terminating zero
    FM_SURFACE_FIELDS_MAX = 16,
};

// One value, or one vector or matrix, at every point of a surface.
typedef struct fm_surface_field {
    char name[FM_FIELD_NAME_SIZE];
    int components; // 1 to 9
    float *values;  // [point_count * components]
} fm_surface_field;

// One object at one time: points, lines and faces in single precision, with point fields.
typedef struct fm_surface {
    char name[FM_NAME_SIZE]; // of the object
    double time;             // s
    int point_count;
    float *points; // m, [3 * point_count]: x y z
    int face_count;
    int *face_start;  // [face_count + 1] into face_points; the first is 0
    int *face_points; // indices of points, counter-clockwise seen from the tip of the normal
    int field_count;
    fm_surface_field fields[FM_SURFACE_FIELDS_MAX];
    int not_finite; // number of NaN and infinite values that the file held
    int line_count;
    int *lines;              // [2 * line_count] indices of points
    char kind[FM_NAME_SIZE]; // kind of the object: "cloth", "particles"; "": not known
    fm_lattice lattice;      // of the points; size[0] = 0: none
    float *corner_uv;        // [2 * corners] u, v of each corner of the faces; NULL: none
} fm_surface;

// Creates a surface with the mesh's lines and faces, and with its points unless mesh->points is
// NULL. Of `fields` only names and components are used; all field values start at zero. Returns
// NULL with err filled on failure.
FM_API fm_surface *fm_surface_create_from_mesh(const char *name, const fm_mesh_view *mesh,
                                               const fm_surface_field *fields, int field_count,
                                               fm_error *err);
FM_API void fm_surface_destroy(fm_surface *surface);
// The values of the field with this name and number of components; NULL if there is none.
FM_API const float *fm_surface_values(const fm_surface *surface, const char *field, int components);
// A view of the surface as a mesh in double precision. The caller gives room for point_count
// `points`, which this fills; NULL: the view has lines and faces only.
FM_API fm_mesh_view fm_surface_view(const fm_surface *surface, fm_vec3 *points);

#ifdef __cplusplus
}
#endif

#endif
