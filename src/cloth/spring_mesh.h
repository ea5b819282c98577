// SPDX-License-Identifier: MIT
// spring_mesh.h: springs, hinges and triangles of tubes and meshes as index arrays. Part of
// cloth.h.
#ifndef FATHOM_CLOTH_SPRING_MESH_H
#define FATHOM_CLOTH_SPRING_MESH_H

#include "core/core.h"

#include <fathom/cloth.h>
#include <fathom/fabric.h>
#include <fathom/soft.h>

// What an edge of a tube or mesh resists: a change of length of the cloth, or shear of a cell.
typedef enum fm_edge_kind { FM_EDGE_STRETCH, FM_EDGE_SHEAR } fm_edge_kind;

// Elements (edges, hinges or triangles) incident to each particle, by rising element index. The
// entries of particle i are entry[start[i]] to entry[start[i + 1] - 1]; an entry is
// element * corner_count + corner.
typedef struct fm_incidence {
    int *start, *entry;
} fm_incidence;

// A tube or a mesh as index arrays: springs along edges, bending about hinges, triangles. Empty for
// a sheet, which is a regular grid and needs no indices.
typedef struct fm_spring_mesh {
    int edge_count, hinge_count, triangle_count, vertex_count;
    int *edge_a, *edge_b;     // particles at the ends of an edge
    double *edge_rest;        // m, rest length
    double *edge_stiffness;   // N/m
    double *edge_damping;     // N s^order / m
    unsigned char *edge_kind; // fm_edge_kind
    int *hinge[4];            // ends of the shared edge, then the opposite corner of each triangle
    double *hinge_angle;      // rad, at rest
    double *hinge_stiffness;  // N m: energy stiffness / 2 (angle - angle at rest)^2
    double *hinge_share[4];   // 1/m, coefficients of the four particles in L, see hinge_bending.c
    double *hinge_area[2];    // m^2 at rest, of the two triangles
    double *hinge_warp;     // squared cosine of the angle between its bending and the warp, or NULL
    fm_vec3 *triangle_warp; // unit vector of the warp at rest in each triangle; NULL: not known
    fm_vec3 *triangle_rest; // [3 * triangle_count] m, corners at rest, of woven meshes; else NULL
    // factors on stretch and shear, and on bending, at each particle; NULL: 1
    double *stretch_weight, *bend_weight;
    int *triangle; // [3 * triangle_count] particles
    int *vertex;   // [vertex_count] particle of each input vertex; NULL: the identity
    int *face;     // the triangles as indices of input vertices
    fm_incidence edges, hinges, triangles;
    double *bend_sum;     // N/m, sum of hinge stiffness at a particle; NULL without bending
    double smallest_mass; // kg, of a particle
    double mean_rest;     // m, mean rest length of the stretch edges

    // scratch: recomputed in every substep
    fm_vec3_array edge_force;     // N, or N s for impulses; on particle edge_a, towards edge_b
    fm_vec3_array hinge_force[4]; // N, on the four particles of each hinge
    fm_vec3_array area_vector;    // m^2, of each triangle: its normal times its area
} fm_spring_mesh;

// mesh.c, tube.c: particles, edges, hinges and incidence lists of tubes and meshes.
// fabric, soft: NULL for an ordinary cloth.
fm_cloth *fm_cloth_create_detached_mesh(const fm_cloth_def *def, const fm_fabric_def *fabric,
                                        const fm_soft_def *soft, const fm_cloth_mesh *mesh,
                                        const fm_medium *medium, fm_error *err);
fm_cloth *fm_cloth_create_detached_tube(const fm_cloth_def *def, const fm_tube *tube,
                                        const fm_medium *medium, fm_error *err);
// Fills err and returns false if the definition is for sheets only. object: name of the cloth.
bool fm_spring_mesh_check_def(const fm_cloth_def *def, const char *object, fm_error *err);

// Reasons why a triangle mesh, after welding, cannot be a cloth.
typedef enum fm_mesh_fault_kind {
    FM_FAULT_REPEATED_CORNER, // two corners of a triangle are the same particle
    FM_FAULT_ZERO_AREA,       // a triangle has no area
    FM_FAULT_NON_MANIFOLD,    // an edge has more than two triangles
    FM_FAULT_WINDING,         // the two triangles of an edge have opposite orientations
    FM_FAULT_UNUSED_VERTEX,   // a vertex is in no triangle
    FM_FAULT_KIND_COUNT
} fm_mesh_fault_kind;
// One fault: where it is in the mesh.
typedef struct fm_mesh_fault {
    fm_mesh_fault_kind kind;
    int triangle;  // the last of the triangles at fault; -1 for an unused vertex
    int others[2]; // earlier triangles at the same edge; -1: none
    int vertex[2]; // ends of the edge at fault; or the unused vertex; or the repeated corner
    int count;     // number of triangles at the edge at fault
    double area;   // m^2, of the triangle
} fm_mesh_fault;
typedef void fm_mesh_fault_function(void *context, const fm_mesh_fault *fault);
// Calls function for every fault of triangles and of vertices, and, if no triangle is at fault, of
// edges. Returns false if memory runs out or numbers or indices are out of range; err says which.
bool fm_mesh_find_faults(const fm_cloth_mesh *mesh, const char *object,
                         fm_mesh_fault_function *function, void *context, fm_error *err);

// mesh_edges.c: an edge of a triangle mesh, with its one or two triangles.
typedef struct fm_mesh_edge {
    int a, b;          // particles, a < b
    int triangle[2];   // triangle[1] is -1 at the border
    int opposite[2];   // corner of each triangle that is not on the edge
    bool reversed;     // triangle[0] runs along the edge from b to a
    bool inconsistent; // both triangles run along the edge in the same direction
    int extra_count;   // triangles beyond two
    int first_extra;   // the first of the extra triangles
} fm_mesh_edge;
// Returns every edge once, sorted by a and b; the caller frees the array. NULL: no memory.
fm_mesh_edge *fm_mesh_find_edges(const int *triangle, int triangle_count, int *count);

// hinge_bending.c: a triangle next to an edge a-b, at rest.
typedef struct fm_edge_triangle {
    fm_vec3 a, b, c; // m, ends of the edge and the opposite corner
    double length;   // m, of the edge
    double area;     // m^2
    double height;   // m, of c over the edge
    double foot;     // foot of the height, as a fraction of the way from a to b
} fm_edge_triangle;
// Measures the first (which = 0) or second (1) triangle of an edge. corner: rest positions of the
// three corners of each triangle.
fm_edge_triangle fm_mesh_measure_edge_triangle(const fm_cloth *cloth, const fm_vec3 *corner,
                                               const fm_mesh_edge *edge, int which);
// Adds a hinge for each edge with two triangles. columns > 0: the mesh is a grid with that many
// columns, and its diagonals get the stiffness that resists twist.
bool fm_spring_mesh_add_hinges(fm_cloth *cloth, const fm_mesh_edge *edges, int edge_count,
                               const fm_vec3 *corner, int columns, fm_error *err);
void fm_spring_mesh_compute_hinge_forces(fm_cloth *cloth, const fm_vec3_array *x, int first,
                                         int last);
// A property of hinge h that is `warp` for bending of the warp yarns and `weft` (0: as warp) for
// that of the weft yarns: (sqrt(warp) cos^2 + sqrt(weft) sin^2)^2 in between.
double fm_hinge_directional(const fm_cloth *cloth, int h, double warp, double weft);

// mesh_triangles.c
bool fm_mesh_has_warp(const fm_cloth_def *def); // whether the mesh needs directions of the warp
// The unit vector of the warp at rest in a triangle with these corners: by an axis, or by texture
// coordinates, NULL without. Zero if it cannot be found.
fm_vec3 fm_mesh_find_warp(const fm_cloth_def *def, const fm_vec3 *corner, const float *uv);
// N/m, spring constants of the edges 0-1, 1-2, 2-0 of triangle t that stand for it in bounds and in
// second derivatives.
void fm_mesh_find_edge_constants(const fm_cloth *cloth, int t, const fm_vec3 *corner,
                                 double constant[3]);
double fm_mesh_triangle_weight(const fm_cloth *cloth, int t); // factor on its moduli
double fm_spring_mesh_bending_energy(const fm_cloth *cloth);
double fm_spring_mesh_bending_bound(const fm_cloth *cloth); // 1/s^2, on omega^2

// Lists the elements of each particle. The corners of element e are column[k][e * stride].
bool fm_incidence_create(fm_cloth *cloth, int corners, int count, const int *const column[4],
                         int stride, fm_incidence *incidence, fm_error *err);
// spring_mesh.c: allocates the index arrays of a tube or mesh with these numbers of elements.
bool fm_spring_mesh_create(fm_cloth *cloth, int edges, int triangles, fm_error *err);
// Lists the edges, hinges and triangles of each particle, once all of them exist.
bool fm_spring_mesh_link_particles(fm_cloth *cloth, fm_error *err);
// Adds edge_force to the particles [first, last) at both ends of each edge, with opposite signs.
void fm_spring_mesh_gather_edges(const fm_cloth *cloth, const fm_vec3_array *target, int first,
                                 int last);

#endif
