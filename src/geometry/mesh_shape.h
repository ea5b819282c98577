// SPDX-License-Identifier: MIT
// mesh_shape.h: parts of the mesh builders: Delaunay triangulation, vertex order, flat shapes and
// canopies.
#ifndef FATHOM_GEOMETRY_MESH_SHAPE_H
#define FATHOM_GEOMETRY_MESH_SHAPE_H

#include "geometry/geometry.h"

#include <fathom/mesh_shape.h>

enum { FM_BUILT_VERTICES_MAX = 1 << 22 };

// A point of the plane, m. A flat mesh has x = u, z = -v, so that counter-clockwise triangles face
// +y.
typedef struct fm_plane_point {
    double u, v;
} fm_plane_point;

// delaunay.c: the Delaunay triangulation of points; corners counter-clockwise. Points that follow
// each other should be close to each other, for speed. The caller frees *triangles.
bool fm_delaunay_triangulate(const fm_plane_point *points, int count, int **triangles,
                             int *triangle_count, fm_error *err);

// vertex_order.c: the order of points along a Hilbert curve: order[i] is the point that comes at
// position i. The caller frees the array; NULL: no memory.
int *fm_hilbert_order(const fm_vec3 *points, int count, fm_error *err);

// planar_mesh.c, canopy_mesh.c: mesh and groups of a checked shape.
bool fm_planar_mesh_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err);
bool fm_canopy_mesh_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err);

// mesh_shapes.c
// Adds a group with room for `count` vertices and returns its array; NULL: no memory.
int *fm_built_mesh_add_group(fm_built_mesh *built, const char *name, int count, fm_error *err);
// Renumbers the vertices of a mesh and of its groups along a Hilbert curve.
bool fm_built_mesh_renumber(fm_built_mesh *built, fm_error *err);

#endif
