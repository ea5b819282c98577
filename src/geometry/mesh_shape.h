// SPDX-License-Identifier: MIT
// mesh_shape.h: parts of the mesh builders: Delaunay triangulation, flat shapes,
// canopies and closed shapes.
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

// delaunay.c: the Delaunay triangulation of points; corners counter-clockwise. The caller frees
// *triangles.
bool fm_delaunay_triangulate(const fm_plane_point *points, int count, int **triangles,
                             int *triangle_count, fm_error *err);

// planar_mesh.c, closed_mesh.c, canopy_mesh.c: mesh and groups of a checked shape.
bool fm_planar_mesh_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err);
bool fm_closed_mesh_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err);
bool fm_canopy_mesh_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err);

// canopy_mesh.c
// m, height of the apex of a canopy above its rim; 0 of a flat shape.
double fm_mesh_shape_height(const fm_mesh_shape *shape);
// m, distance of the ring of radius r from the apex along the meridian; r of a flat shape.
double fm_mesh_shape_distance(const fm_mesh_shape *shape, double r);

// mesh_shapes.c
// Adds a group with room for `count` vertices and returns its array; NULL: no memory.
int *fm_built_mesh_add_group(fm_built_mesh *built, const char *name, int count, fm_error *err);

#endif
