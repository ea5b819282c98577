// SPDX-License-Identifier: MIT
// geometry.h: vector algebra, bounding boxes, bounding volume hierarchies, and meshes of points,
// lines and faces.
#ifndef FATHOM_GEOMETRY_GEOMETRY_H
#define FATHOM_GEOMETRY_GEOMETRY_H

#include "core/core.h"

#include <fathom/mesh.h>
#include <fathom/surface.h>
#include <string.h>

// Vector algebra.
static inline fm_vec3 fm_add(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline fm_vec3 fm_sub(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline fm_vec3 fm_scale(fm_vec3 a, double s)
{
    return (fm_vec3){a.x * s, a.y * s, a.z * s};
}
// a + b s
static inline fm_vec3 fm_add_scaled(fm_vec3 a, fm_vec3 b, double s)
{
    return (fm_vec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
static inline double fm_dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline double fm_length(fm_vec3 a)
{
    return sqrt(fm_dot(a, a));
}
// max(|x|, |y|, |z|)
static inline double fm_max_norm(fm_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}
static inline fm_vec3 fm_cross(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// True if no component is infinite or NaN.
static inline bool fm_is_finite(fm_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
// Scales a vector to length 1. A vector that is zero or not finite stays as it is; returns false.
bool fm_normalize(fm_vec3 *a);

// Many vectors as a structure of arrays, one array per component.
typedef struct fm_vec3_array {
    double *x, *y, *z;
} fm_vec3_array;

// Element i.
static inline fm_vec3 fm_vec3_array_at(fm_vec3_array a, int i)
{
    return (fm_vec3){a.x[i], a.y[i], a.z[i]};
}

// Copies the first `count` elements.
static inline void fm_vec3_array_copy(fm_vec3_array to, fm_vec3_array from, int count)
{
    size_t bytes = (size_t)count * sizeof(double);
    memcpy(to.x, from.x, bytes);
    memcpy(to.y, from.y, bytes);
    memcpy(to.z, from.z, bytes);
}

// Allocates three zeroed arrays of `length` numbers in the arena, one directly behind the other.
// When memory runs out, fills err and returns NULL arrays.
fm_vec3_array fm_vec3_array_create(fm_arena *arena, int length, fm_error *err);

// Axis-aligned bounding boxes.

// Enlarges a box to contain a point. Coordinates that are NaN are ignored.
static inline void fm_bounds_add_point(fm_bounds *box, fm_vec3 p)
{
    box->low.x = p.x < box->low.x ? p.x : box->low.x;
    box->low.y = p.y < box->low.y ? p.y : box->low.y;
    box->low.z = p.z < box->low.z ? p.z : box->low.z;
    box->high.x = p.x > box->high.x ? p.x : box->high.x;
    box->high.y = p.y > box->high.y ? p.y : box->high.y;
    box->high.z = p.z > box->high.z ? p.z : box->high.z;
}

// Distance of two boxes, m; 0 when they overlap.
double fm_bounds_distance(const fm_bounds *a, const fm_bounds *b);

// Whether the gap between two boxes is at most margin (m) along each axis.
static inline bool fm_bounds_overlap(const fm_bounds *a, const fm_bounds *b, double margin)
{
    return a->low.x - margin <= b->high.x && b->low.x - margin <= a->high.x &&
           a->low.y - margin <= b->high.y && b->low.y - margin <= a->high.y &&
           a->low.z - margin <= b->high.z && b->low.z - margin <= a->high.z;
}

// Bounding volume hierarchy: a binary tree of bounding boxes, for broad phase and nearest-item
// queries. Items are triangles, edges or paths of particles; the tree only knows their boxes. It is
// built once and refitted when items move. The order of query results depends only on how the tree
// was built.
typedef struct fm_bvh_node fm_bvh_node;
typedef struct fm_bvh {
    int item_count, node_count;
    fm_bvh_node *nodes;
    int *items; // item numbers sorted by leaf; each node covers a run of consecutive entries
} fm_bvh;

// Builds a tree over the boxes of `count` items. The tree lives in the arena and keeps no pointer
// to the boxes.
bool fm_bvh_build(fm_bvh *tree, fm_arena *arena, const fm_bounds *boxes, int count, fm_error *err);
// Recomputes the boxes of all nodes after the items have moved. The number of items stays the same.
void fm_bvh_refit(fm_bvh *tree, const fm_bounds *boxes);
fm_bounds fm_bvh_bounds(const fm_bvh *tree); // box of all items
// Calls visit for each leaf whose box is within margin (m) of a box. A leaf is passed as the run
// tree->items[first] to tree->items[first + count - 1]; single items of it may be further away.
typedef void fm_bvh_visitor(void *context, int first, int count);
void fm_bvh_visit(const fm_bvh *tree, const fm_bounds *box, double margin, fm_bvh_visitor *visit,
                  void *context);
// Calls visit for each pair of leaves whose boxes are within margin (m) of each other. With two
// trees, one leaf is of each. With one tree passed twice, each pair comes once, and each leaf also
// comes paired with itself.
typedef void fm_bvh_pair_visitor(void *context, int first, int count, int other_first,
                                 int other_count);
void fm_bvh_visit_pairs(const fm_bvh *one, const fm_bvh *other, double margin,
                        fm_bvh_pair_visitor *visit, void *context);
// Returns the item nearest to a point, or -1 when none is nearer than limit (m). `square` returns
// the squared distance of an item, which must not be less than that of its box. *found receives the
// squared distance of the nearest item.
typedef double fm_bvh_distance(void *context, int item, fm_vec3 point);
int fm_bvh_find_nearest(const fm_bvh *tree, fm_vec3 point, double limit, fm_bvh_distance *square,
                        void *context, double *found);

// structured_grid.c: faces of a structured grid of points that are numbered row by row.
// Writes the cells as quads. face_start has room for (columns - 1) (rows - 1) + 1 entries,
// face_points for four per cell.
void fm_grid_write_quads(int columns, int rows, int *face_start, int *face_points);
// Writes the cells as triangles, two per cell, unless `triangle` is NULL. Returns the number of
// triangles. is_tube: the last column of the grid is joined to the first.
int fm_grid_write_triangles(int columns, int rows, bool is_tube, int *triangle);

// mesh.c: size of a mesh.
typedef struct fm_mesh_size {
    int points, lines, faces; // how many the mesh has
    int corners;              // number of corners of all faces together
    bool has_uv;              // the corners have texture coordinates
} fm_mesh_size;
// Counts the points, lines, faces and corners of a mesh.
fm_mesh_size fm_mesh_measure(const fm_mesh_view *mesh);
// Fills err and returns false if a line or face uses a point that does not exist, or if face_start
// does not give each face at least three corners.
bool fm_mesh_check(const fm_mesh_view *mesh, const char *object, fm_error *err);
// Allocates the arrays of a mesh. corners == 0: all faces are triangles. Arrays without elements
// are NULL.
bool fm_mesh_data_create(fm_mesh_data *mesh, const fm_mesh_size *size, const char *object,
                         fm_error *err);

// The corners of a face, as point indices; their number goes to *corners.
static inline const int *fm_mesh_face(const fm_mesh_view *mesh, int face, int *corners)
{
    int first = mesh->face_start ? mesh->face_start[face] : 3 * face;
    *corners = mesh->face_start ? mesh->face_start[face + 1] - first : 3;
    return mesh->face_points + first;
}

// Cuts a polygon into triangles that fan out from the corner with index `first`. Returns the number
// of triangles.
int fm_mesh_triangulate_face(const int *corner, int corners, int first, int *triangles);
// fm_mesh_triangulate cuts all faces into triangles that fan out from their first corners.
// `triangles` receives three indices for each of the triangles that fm_mesh_count_triangles counts.
int fm_mesh_count_triangles(const fm_mesh_view *mesh);
void fm_mesh_triangulate(const fm_mesh_view *mesh, int *triangles);

// Replaces the faces of a mesh by triangles that fan out from the first corners of the faces.
bool fm_mesh_data_triangulate(fm_mesh_data *mesh, fm_error *err);

// Indices of the points that belong to no line and no face, in increasing order; the caller frees
// them with free(). When memory runs out, fills err and returns NULL.
int *fm_mesh_find_isolated_points(const fm_mesh_view *mesh, int *count, fm_error *err);

// polylines.c: the lines of a mesh joined to polylines. Polyline i goes through the mesh points
// points[start[i]] to points[start[i + 1] - 1]. Every line of the mesh belongs to exactly one
// polyline. A closed polyline ends at the point it begins with.
typedef struct fm_polylines {
    int count;
    int *start;  // [count + 1] into points
    int *points; // mesh points; in the same allocation as start
} fm_polylines;
bool fm_polylines_create(fm_polylines *polylines, const fm_mesh_view *mesh, fm_error *err);
void fm_polylines_destroy(fm_polylines *polylines);

// surface.c. Creates a surface with zeroed arrays, in one allocation. `fields` gives name and
// number of components of each field; its values are ignored.
fm_surface *fm_surface_create(const char *name, const fm_mesh_size *size,
                              const fm_surface_field *fields, int field_count, fm_error *err);
// Number of corners of all faces together.
int fm_surface_corner_count(const fm_surface *surface);
// Whether two surfaces have as many points, and the same lines and faces. Positions may differ.
bool fm_surface_same_mesh(const fm_surface *a, const fm_surface *b);
// Sets surface->not_finite to the number of coordinates and field values that are NaN or infinite.
void fm_surface_count_not_finite(fm_surface *surface);
// Smallest and largest coordinates of the points; zero without points.
void fm_surface_bounds(const fm_surface *surface, float low[3], float high[3]);
// Unit normals at the points, averaged over the adjacent faces with their areas as weights.
void fm_surface_normals(const fm_surface *surface, float *normals);

// texture_points.c: the points of a surface, split where their corners have different texture
// coordinates (seams), for formats with one pair of coordinates per point. Split point i < the
// surface's point_count is point i with the coordinates of its first corner; further ones follow.
typedef struct fm_texture_points {
    int count;   // the surface's point_count, and one more for each further pair of a point
    int *point;  // [count] point of the surface
    float *uv;   // [2 * count]
    int *corner; // [corners] split point of each corner of the surface's faces
} fm_texture_points;
// The surface must have texture coordinates.
bool fm_texture_points_create(fm_texture_points *split, const fm_surface *surface, fm_error *err);
void fm_texture_points_destroy(fm_texture_points *split);
// The surface with these points: a mesh without seams.
fm_surface *fm_texture_points_split(const fm_texture_points *split, const fm_surface *surface,
                                    fm_error *err);
// Copies `components` numbers of the point of each split point.
void fm_texture_points_expand(const fm_texture_points *split, const float *values, int components,
                              float *expanded);

// sample_patches.c: the patch of surface around a quadrature point (core/surface_samples.h).
typedef struct fm_sample_patch {
    fm_vec3 normal;        // unit vector; for a patch of a line, perpendicular to the line
    double area;           // m^2
    double reach;          // m, radius of a disc around the centroid that covers the patch
    fm_vec3 along, across; // 1/m, gradients of two barycentric coordinates
} fm_sample_patch;
// Patch of one of the parts^2 similar triangles that a triangle is cut into. A negative `parts`
// stands for one of those that are rotated by 180 degrees against the triangle.
fm_sample_patch fm_sample_patch_of_triangle(const fm_vec3 corner[3], double parts);
// Patch of one of `parts` equal pieces of a line, and patch of a point. Both are as wide as the
// body is thick (thickness in m).
fm_sample_patch fm_sample_patch_of_line(const fm_vec3 end[2], double parts, double thickness);
fm_sample_patch fm_sample_patch_of_point(double thickness);

// obj_read.c: contents of a Wavefront OBJ file.
enum { FM_OBJ_NAME_SIZE = 48 };
typedef struct fm_obj {
    fm_mesh_data mesh; // no array is NULL, and face_start is always present
    int group_count;   // groups named by g and o statements; group 0 has the faces before the first
    char (*group_names)[FM_OBJ_NAME_SIZE]; // [group_count]
    int *face_group;                       // [face_count] group of each face
    int *line_group;                       // [line_count] group of each line
    int *point_row, *face_row; // [point_count], [face_count] line number in the file, from 1
} fm_obj;
// Reads a file; fm_obj_parse reads a text of `size` bytes, with `path` for error messages only.
bool fm_obj_read(const char *path, fm_obj *obj, fm_error *err);
bool fm_obj_parse(const char *text, size_t size, const char *path, fm_obj *obj, fm_error *err);
void fm_obj_destroy(fm_obj *obj);

#endif
