// SPDX-License-Identifier: MIT
// mesh_shape.h: triangle meshes that Fathom builds: disc, rectangle, cross, hemisphere and
// polyconical canopy, and the closed shapes ball, slab, cushion, torus and tube, with named groups
// of vertices for pins and lines.
//
//     fm_mesh_shape shape = fm_default_mesh_shape();
//     shape.kind = FM_MESH_DISC, shape.radius = 0.5, shape.edge = 0.02;
//     fm_built_mesh built;
//     if (fm_mesh_shape_build(&shape, &built, &err)) {
//         const fm_vertex_group *rim = fm_built_mesh_group(&built, "rim");
//         ...
//         fm_built_mesh_destroy(&built);
//     }
//
// Flat shapes lie in the x-z plane with their centre at the origin and their front towards +y.
// Canopies have the axis y, the rim at y = 0 and the apex above it; their front is outside. Closed
// shapes have their centre at the origin; the front of their triangles is outside.
// Vertices are numbered row by row, or ring by ring, so that neighbours are close in memory.
#ifndef FATHOM_MESH_SHAPE_H
#define FATHOM_MESH_SHAPE_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fm_mesh_shape_kind {
    FM_MESH_DISC,        // radius
    FM_MESH_RECTANGLE,   // width along x, length along z
    FM_MESH_CROSS,       // two rectangles of width x arm that cross in the middle
    FM_MESH_HEMISPHERE,  // radius, gores, vent
    FM_MESH_POLYCONICAL, // cones, gores, vent
    FM_MESH_BALL,        // radius, level: a divided icosahedron
    FM_MESH_SLAB,        // width along x, height along y, length along z, cells, level
    FM_MESH_CUSHION,     // width along x, length along z, edge, height of the initial bulge
    FM_MESH_TORUS,       // radius of its circle in the x-z plane, tube_radius, edge
    FM_MESH_TUBE,        // a closed cylinder: length along x, radius, edge
} fm_mesh_shape_kind;

// How a flat shape is divided into triangles. Canopies have rings of vertices instead.
typedef enum fm_triangulation {
    FM_TRIANGLES_REGULAR,   // an equilateral lattice
    FM_TRIANGLES_IRREGULAR, // Delaunay triangulation of a lattice with displaced vertices
} fm_triangulation;

// How an equilateral lattice ends at the border of a flat shape.
typedef enum fm_mesh_rim {
    FM_RIM_FITTED,  // vertices on the border; triangles next to it are not equilateral
    FM_RIM_LATTICE, // whole triangles only: exactly equal edges and a border with teeth
} fm_mesh_rim;

enum { FM_CONES_MAX = 8, FM_VERTEX_GROUPS_MAX = 64, FM_VERTEX_GROUP_NAME_SIZE = 48 };

// A frustum of a polyconical canopy.
typedef struct fm_mesh_cone {
    double length; // m, along the meridian
    double angle;  // rad, from the horizontal, 0 to pi/2
} fm_mesh_cone;

typedef struct fm_mesh_shape {
    fm_mesh_shape_kind kind;
    double edge; // m, length of the edges
    fm_triangulation triangulation;
    double jitter; // FM_TRIANGLES_IRREGULAR: largest displacement along each axis over `edge`
    int seed;      // FM_TRIANGLES_IRREGULAR: 0 to 1e9
    fm_mesh_rim rim;
    double radius;                    // m
    double width, length;             // m
    double arm;                       // m, width of the arms of a cross
    int gores;                        // segments of a canopy, separated by seams
    double vent;                      // m, radius of the hole around the apex; 0: none
    fm_mesh_cone cones[FM_CONES_MAX]; // from the apex to the rim
    int cone_count;
    double height;      // m
    double tube_radius; // m
    int cells[3];       // quads of a slab along x, y and z before they are divided
    bool flat;          // the sides of a slab are folded into its faces: cells of about one size
    int level;          // how often the faces of a ball or slab are divided into four; 0 to 9
} fm_mesh_shape;

// Vertices with a name. In order:
//   rim            the outer border, counter-clockwise seen from +y, from the side of +x on
//   corners        of a rectangle or cross, counter-clockwise
//   left, right, front, back   sides of a rectangle at -x, +x, +z, -z
//   ends           the four ends of the arms of a cross, one after the other
//   vent           the border of the hole of a canopy
//   seams          all vertices on seams, seam by seam from the vent to the rim
//   rim-seams      where the seams meet the rim, one vertex per seam
typedef struct fm_vertex_group {
    char name[FM_VERTEX_GROUP_NAME_SIZE];
    int *vertices;
    int count;
} fm_vertex_group;

typedef struct fm_built_mesh {
    fm_mesh_data mesh; // points and triangles
    fm_vertex_group groups[FM_VERTEX_GROUPS_MAX];
    int group_count;
} fm_built_mesh;

FM_API fm_mesh_shape fm_default_mesh_shape(void); // a regular disc of radius 0.5 m
// Destroy the mesh with fm_built_mesh_destroy, also if this fails.
FM_API bool fm_mesh_shape_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err);
// Folds the points of a built flat shape or canopy into pleats about its axis, the apex up, without
// changing the lengths of edges. pleats: 2 to 1000; opening: 0: as narrow as the pleats allow, to
// 1: unfolded.
FM_API bool fm_mesh_fold(const fm_mesh_shape *shape, int pleats, double opening, fm_vec3 *points,
                         int count, fm_error *err);
FM_API void fm_built_mesh_destroy(fm_built_mesh *built);
// NULL: the mesh has no group of that name.
FM_API const fm_vertex_group *fm_built_mesh_group(const fm_built_mesh *built, const char *name);

#ifdef __cplusplus
}
#endif

#endif
