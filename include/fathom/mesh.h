// SPDX-License-Identifier: MIT
// mesh.h: meshes of points, lines and faces: a read-only view of one, and an owner of one.
#ifndef FATHOM_MESH_H
#define FATHOM_MESH_H

#include <fathom/api.h>
#include <fathom/vec.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Points on a regular lattice: point (i, j, k), number i + size[0] (j + size[1] k), is at origin +
// spacing (i, j, k). size[0] = 0: the points are on no lattice.
typedef struct fm_lattice {
    int size[3];
    fm_vec3 origin; // m
    double spacing; // m
} fm_lattice;

// A view of a mesh whose arrays are owned elsewhere. All zero is the empty mesh. A point need not
// belong to any line or face.
typedef struct fm_mesh_view {
    const fm_vec3 *points; // [point_count], m
    int point_count;
    const int *lines; // [2 * line_count] indices of points
    int line_count;
    const int *face_start;  // [face_count + 1] into face_points; NULL: faces are triangles
    const int *face_points; // indices of points, counter-clockwise seen from the normal's tip
    int face_count;
    fm_lattice lattice; // of the points; frames of such objects are images
    // [2 * corners] texture coordinates u, v of each corner, in the order of face_points; NULL:
    // none
    const float *corner_uv;
} fm_mesh_view;

// A mesh that owns its arrays, each from malloc or NULL.
typedef struct fm_mesh_data {
    fm_vec3 *points; // [point_count], m
    int point_count;
    int *lines; // [2 * line_count] indices of points
    int line_count;
    int *face_start;  // [face_count + 1] into face_points; NULL: faces are triangles
    int *face_points; // indices of points
    int face_count;
    float *corner_uv; // [2 * corners] texture coordinates of the corners
} fm_mesh_data;

FM_API fm_mesh_view fm_mesh_data_view(const fm_mesh_data *mesh);
FM_API void fm_mesh_data_destroy(fm_mesh_data *mesh); // frees the arrays and empties the struct

// Whether the faces are the quadrilaterals of a sheet, row by row. Then gives the numbers of its
// columns and rows of points, else 0 for both.
FM_API bool fm_mesh_is_sheet(const fm_mesh_view *mesh, int *columns, int *rows);
// Gives the mean distance between the columns and between the rows of a sheet, m; 0 for any other
// mesh.
FM_API void fm_mesh_spacing(const fm_mesh_view *mesh, double spacing[2]);

// An axis-aligned bounding box; empty when low > high.
typedef struct fm_bounds {
    fm_vec3 low, high; // m
} fm_bounds;

FM_API fm_bounds fm_bounds_empty(void); // low = +infinity, high = -infinity

#ifdef __cplusplus
}
#endif

#endif
