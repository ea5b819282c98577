// SPDX-License-Identifier: MIT
// crossing.c: where the way of a point passes the surface of a mesh.
//
// The way goes from a to b while the corners of a triangle go from where they were to where they
// are, all of them straight and evenly. With the distances s and s' of the point from the plane of
// the triangle before and after, it is in that plane at the share u = s / (s - s') of the way, and
// passes when it is inside the triangle then. A closed mesh is passed from outside to inside only:
// the way out is free. Triangles overlap by a little, so that nothing slips through at their edges.
//
// In the frame of a mesh that keeps its shape the triangles rest, and all of this is exact: who
// passes at no step never passes.
#include "collide/collide.h"

static const double OVERLAP = 1e-6; // of a triangle's size

typedef struct search {
    const fm_trimesh *mesh;
    const fm_vec3 *x, *before; // before: NULL when the mesh keeps its shape
    const int *triangles;
    fm_vec3 a, b;
    fm_crossing *first;
} search;

static fm_vec3 mean(fm_vec3 a, fm_vec3 b, double u)
{
    return fm_add_scaled(a, fm_sub(b, a), u);
}

// Shares of the corners t in a point of their plane. False for a triangle without area.
static bool find_shares(const fm_vec3 t[3], fm_vec3 p, double share[3])
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

static double distance_from_plane(const fm_vec3 t[3], fm_vec3 p)
{
    fm_vec3 n = fm_cross(fm_sub(t[1], t[0]), fm_sub(t[2], t[0]));
    return fm_make_unit(&n) ? fm_dot(fm_sub(p, t[0]), n) : 0;
}

static void try_triangle(search *s, int triangle)
{
    const int *c = s->triangles + 3 * (size_t)triangle;
    fm_vec3 now[3], was[3], then[3];
    for (int k = 0; k < 3; k++) {
        now[k] = s->x[c[k]];
        was[k] = s->before ? s->before[c[k]] : now[k];
    }
    double from = distance_from_plane(was, s->a), to = distance_from_plane(now, s->b);
    if ((from > 0) == (to > 0) || (!(from > 0) && fm_trimesh_is_closed(s->mesh)))
        return;
    double u = from / (from - to);
    for (int k = 0; k < 3; k++)
        then[k] = mean(was[k], now[k], u);
    fm_anchor anchor = {.triangle = triangle};
    if (u >= s->first->share || !find_shares(then, mean(s->a, s->b, u), anchor.share) ||
        fmin(anchor.share[0], fmin(anchor.share[1], anchor.share[2])) < -OVERLAP)
        return;
    *s->first =
        (fm_crossing){.share = u, .anchor = anchor, .side = from > 0 ? 1 : -1, .beyond = to};
}

static void visit(void *context, int first, int count)
{
    search *s = context;
    for (int k = first; k < first + count; k++)
        try_triangle(s, fm_trimesh_tree(s->mesh)->items[k]);
}

bool fm_trimesh_cross(const fm_trimesh *mesh, const fm_vec3 *before, double moved, fm_vec3 a,
                      fm_vec3 b, fm_crossing *first)
{
    int count;
    *first = (fm_crossing){.share = INFINITY};
    search s = {.mesh = mesh,
                .x = fm_trimesh_vertices(mesh, &count),
                .triangles = fm_trimesh_triangles(mesh, &count),
                .before = before,
                .a = a,
                .b = b,
                .first = first};
    fm_box box = {a, a};
    fm_box_add(&box, b);
    fm_tree_visit(fm_trimesh_tree(mesh), &box, moved, visit, &s);
    return first->share < INFINITY;
}
