// SPDX-License-Identifier: MIT
// mesh_crossing.c: where the path of a point crosses the surface of a mesh.
//
// The point moves from a to b while the corners of a triangle move from their old to their new
// positions, all at constant velocity. Let s and s' be the signed distances of the point from the
// plane of the triangle before and after. The point is in that plane at the fraction u = s / (s -
// s') of its path, and crosses if it is inside the triangle at that time. A closed mesh is crossed
// only from the outside to the inside; a path out of it is ignored. Triangles are enlarged by a
// small overlap, so that no path slips through between two of them.
//
// For a mesh that keeps its shape the triangles are at rest in its own frame, and the test is
// exact: a point that crosses in no step is never on the other side.
#include "collide/collide.h"

// tolerance of barycentric coordinates, by which triangles are enlarged
static const double OVERLAP = 1e-6;

// Search for the first triangle that the path of a point crosses.
typedef struct search {
    const fm_trimesh *mesh;
    const fm_vec3 *x, *before; // new and old positions; before is NULL if the mesh keeps its shape
    const int *triangles;
    fm_vec3 a, b;       // ends of the path
    fm_crossing *first; // earliest crossing so far
} search;

// The point at fraction u of the way from a to b.
static fm_vec3 interpolate(fm_vec3 a, fm_vec3 b, double u)
{
    return fm_add_scaled(a, fm_sub(b, a), u);
}

// Barycentric coordinates of p in the triangle with corners t; p lies in its plane. False for a
// triangle without area.
static bool find_barycentric(const fm_vec3 t[3], fm_vec3 p, double share[3])
{
    fm_vec3 n = fm_cross(fm_sub(t[1], t[0]), fm_sub(t[2], t[0]));
    double square = fm_dot(n, n);
    if (!(square > 0))
        return false;
    for (int k = 0; k < 3; k++) {
        fm_vec3 b = t[(k + 1) % 3], c = t[(k + 2) % 3];
        share[k] = fm_dot(fm_cross(fm_sub(c, b), fm_sub(p, b)), n) / square;
    }
    return true;
}

// Signed distance of p from the plane of triangle t, m; 0 for a triangle without area.
static double distance_from_plane(const fm_vec3 t[3], fm_vec3 p)
{
    fm_vec3 n = fm_cross(fm_sub(t[1], t[0]), fm_sub(t[2], t[0]));
    return fm_normalize(&n) ? fm_dot(fm_sub(p, t[0]), n) : 0;
}

// Tests whether the path crosses a moving triangle earlier than the first crossing so far. start,
// end, at_crossing: its corners at the start and the end of the path, and when the point is in its
// plane. A closed mesh is crossed inwards only.
static void try_triangle(search *s, int triangle)
{
    const int *c = s->triangles + 3 * (size_t)triangle;
    fm_vec3 end[3], start[3], at_crossing[3];
    for (int k = 0; k < 3; k++) {
        end[k] = s->x[c[k]];
        start[k] = s->before ? s->before[c[k]] : end[k];
    }
    double from = distance_from_plane(start, s->a), to = distance_from_plane(end, s->b);
    if ((from > 0) == (to > 0) || (!(from > 0) && fm_trimesh_is_closed(s->mesh)))
        return;
    double u = from / (from - to);
    for (int k = 0; k < 3; k++)
        at_crossing[k] = interpolate(start[k], end[k], u);
    fm_anchor anchor = {.triangle = triangle};
    if (u >= s->first->share ||
        !find_barycentric(at_crossing, interpolate(s->a, s->b, u), anchor.share) ||
        fmin(anchor.share[0], fmin(anchor.share[1], anchor.share[2])) < -OVERLAP)
        return;
    *s->first =
        (fm_crossing){.share = u, .anchor = anchor, .side = from > 0 ? 1 : -1, .beyond = to};
}

// Called by the tree search with a range of near triangles: tests each for a crossing.
static void visit_triangles(void *context, int first, int count)
{
    search *s = context;
    for (int k = first; k < first + count; k++)
        try_triangle(s, fm_trimesh_tree(s->mesh)->items[k]);
}

// Finds the first crossing of the path from a to b with the surface. before: old positions of the
// vertices (NULL: at rest); moved: their largest displacement, m.
bool fm_trimesh_find_crossing(const fm_trimesh *mesh, const fm_vec3 *before, double moved,
                              fm_vec3 a, fm_vec3 b, fm_crossing *first)
{
    fm_mesh_view view = fm_trimesh_view(mesh);
    *first = (fm_crossing){.share = INFINITY};
    search s = {.mesh = mesh,
                .x = view.points,
                .triangles = view.face_points,
                .before = before,
                .a = a,
                .b = b,
                .first = first};
    fm_bounds box = {a, a};
    fm_bounds_add_point(&box, b);
    fm_bvh_visit(fm_trimesh_tree(mesh), &box, moved, visit_triangles, &s);
    return first->share < INFINITY;
}
