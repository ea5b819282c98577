// SPDX-License-Identifier: MIT
// delaunay.c: Delaunay triangulation of points in the plane.
//
// Points are inserted one by one into a triangle that contains all of them. The triangle around a
// new point is found by walking from the triangle of the point before, is divided into three, and
// edges that violate the empty circle condition are flipped until none is left (Lawson). Triangles
// with a corner of the outer triangle are removed at the end. The points are inserted bin by bin of
// a square grid, whose rows are traversed in alternating directions [SLO87]: consecutive points are
// close, so that walks are short, and the points of a long row do not come one after the other,
// which would need many flips.
//
// Determinants are computed in long double on coordinates scaled to the unit square. An edge is
// flipped only if the determinant exceeds its rounding error, so that points on a common circle,
// such as those of a lattice, cannot be flipped back and forth.
//
// [SLO87] Sloan: A fast algorithm for constructing Delaunay triangulations in the plane. Advances
// in Engineering Software 9(1), 1987.
#include "geometry/mesh_shape.h"

#include <stdlib.h>

static const long double ROUNDING = 1e-15L; // relative error allowed for the determinants
static const double OUTER = 2e3; // distance of the outer corners, in widths of the points

// Corners counter-clockwise; near[k] is the triangle beyond the edge opposite to corner k, -1:
// none.
typedef struct cell {
    int corner[3], near[3];
} cell;

// The triangulation while points are inserted.
typedef struct mesher {
    fm_plane_point *p; // scaled points, then the three outer corners
    int count;         // points without the outer corners
    cell *cells;
    int cell_count;
    int *order; // in which the points are inserted
    int *stack; // edges to be checked: 3 * triangle + corner opposite to the edge
    int depth, room;
} mesher;

// Twice the area of the triangle a, b, c; positive if it is counter-clockwise.
static long double find_area(const mesher *m, int a, int b, int c)
{
    const fm_plane_point *p = m->p;
    long double bu = (long double)p[b].u - p[a].u, bv = (long double)p[b].v - p[a].v;
    long double cu = (long double)p[c].u - p[a].u, cv = (long double)p[c].v - p[a].v;
    return bu * cv - bv * cu;
}

// Whether d is inside the circle through the counter-clockwise triangle p, a, b. Coordinates are
// relative to p, which keeps the determinant accurate: p is near a and b, while d may be a far
// corner of the outer triangle. If p is on the edge a-b, d counts as inside.
static bool is_in_circle(const mesher *m, int p, int a, int b, int d)
{
    const int corner[3] = {a, d, b};
    long double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (long double)m->p[corner[k]].u - m->p[p].u;
        v[k] = (long double)m->p[corner[k]].v - m->p[p].v;
        w[k] = u[k] * u[k] + v[k] * v[k];
    }
    long double sum = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        sum += w[k] * (u[i] * v[j] - u[j] * v[i]);
        size += w[k] * (fabsl(u[i] * v[j]) + fabsl(u[j] * v[i]));
    }
    return sum > ROUNDING * size;
}

// The triangle that contains point p, or one with p on its border; starts at triangle t. Corners
// are tried from a changing one on, so that rounding cannot make the walk go round in circles.
static int find_cell(const mesher *m, int t, int p)
{
    for (int steps = 0; steps < 4 * m->cell_count + 16; steps++) {
        int next = -1;
        for (int i = 0; i < 3 && next < 0; i++) {
            int k = (i + steps) % 3;
            const int *corner = m->cells[t].corner;
            if (find_area(m, corner[(k + 1) % 3], corner[(k + 2) % 3], p) < 0)
                next = m->cells[t].near[k];
        }
        if (next < 0)
            break;
        t = next;
    }
    return t;
}

// Makes triangle t, if there is one, point to `to` where it pointed to `from`.
static void replace_neighbour(mesher *m, int t, int from, int to)
{
    for (int k = 0; k < 3 && t >= 0; k++)
        if (m->cells[t].near[k] == from)
            m->cells[t].near[k] = to;
}

// Puts the edge opposite to a corner of triangle t on the stack of edges to be checked.
static bool push_edge(mesher *m, int t, int opposite)
{
    if (m->depth == m->room) {
        int room = 2 * m->room + 64;
        int *stack = realloc(m->stack, (size_t)room * sizeof *stack);
        if (!stack)
            return false;
        m->stack = stack, m->room = room;
    }
    m->stack[m->depth++] = 3 * t + opposite;
    return true;
}

// Divides triangle t into three with the common corner p, which is corner 0 of each.
static bool divide_cell(mesher *m, int t, int p)
{
    cell old = m->cells[t];
    int made[3] = {t, m->cell_count, m->cell_count + 1};
    m->cell_count += 2;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        m->cells[made[k]] =
            (cell){{p, old.corner[i], old.corner[j]}, {old.near[k], made[i], made[j]}};
        replace_neighbour(m, old.near[k], t, made[k]);
        if (!push_edge(m, made[k], 0))
            return false;
    }
    return true;
}

// Flips the edge opposite to corner k of triangle t, whose corner k is the new point, if the far
// corner of the triangle beyond it is inside the circle of t.
static bool flip_edge(mesher *m, int t, int k)
{
    cell *one = &m->cells[t];
    int other = one->near[k];
    if (other < 0)
        return true;
    cell *two = &m->cells[other];
    int q = two->near[0] == t ? 0 : two->near[1] == t ? 1 : 2;
    int p = one->corner[k], a = one->corner[(k + 1) % 3], b = one->corner[(k + 2) % 3];
    int d = two->corner[q];
    if (!is_in_circle(m, p, a, b, d))
        return true;
    int beyond_a = one->near[(k + 1) % 3], beyond_b = one->near[(k + 2) % 3]; // opposite to a, b
    int far_a = two->near[(q + 1) % 3], far_b = two->near[(q + 2) % 3]; // beyond edges d-a, d-b
    *one = (cell){{p, a, d}, {far_a, other, beyond_b}};
    *two = (cell){{p, d, b}, {far_b, beyond_a, t}};
    replace_neighbour(m, far_a, other, t);
    replace_neighbour(m, beyond_a, t, other);
    return push_edge(m, t, 0) && push_edge(m, other, 0);
}

// Inserts all points, each followed by the flips that it causes. False: no memory.
static bool insert_points(mesher *m)
{
    int t = 0;
    for (int i = 0; i < m->count; i++) {
        int p = m->order[i];
        t = find_cell(m, t, p);
        if (!divide_cell(m, t, p))
            return false;
        while (m->depth > 0) {
            int edge = m->stack[--m->depth];
            if (!flip_edge(m, edge / 3, edge % 3))
                return false;
        }
    }
    return true;
}

// Scales the points to the unit square and adds the corners of the outer triangle.
static void place_points(mesher *m, const fm_plane_point *points)
{
    double low[2] = {points[0].u, points[0].v}, high[2] = {low[0], low[1]};
    for (int i = 1; i < m->count; i++) {
        low[0] = fmin(low[0], points[i].u), high[0] = fmax(high[0], points[i].u);
        low[1] = fmin(low[1], points[i].v), high[1] = fmax(high[1], points[i].v);
    }
    double size = fmax(high[0] - low[0], high[1] - low[1]), scale = size > 0 ? 1 / size : 1;
    for (int i = 0; i < m->count; i++)
        m->p[i] = (fm_plane_point){(points[i].u - low[0]) * scale, (points[i].v - low[1]) * scale};
    m->p[m->count] = (fm_plane_point){-OUTER, -OUTER};
    m->p[m->count + 1] = (fm_plane_point){2 * OUTER, -0.9 * OUTER};
    m->p[m->count + 2] = (fm_plane_point){-0.9 * OUTER, 2 * OUTER};
    m->cells[0] = (cell){{m->count, m->count + 1, m->count + 2}, {-1, -1, -1}};
    m->cell_count = 1;
}

// The bin of point i in a grid of side x side bins, numbered along rows of alternating direction.
static int find_bin(const mesher *m, int i, int side)
{
    int row = (int)fmin(m->p[i].v * side, side - 1), column = (int)fmin(m->p[i].u * side, side - 1);
    return row * side + (row % 2 ? side - 1 - column : column);
}

// Sorts the points by bins, by a counting sort. False: no memory.
static bool order_points(mesher *m)
{
    int side = (int)fmax(1, 0.5 * sqrt(m->count)); // four points per bin
    int *start = calloc((size_t)side * (size_t)side + 1, sizeof *start);
    if (!start)
        return false;
    for (int i = 0; i < m->count; i++)
        start[find_bin(m, i, side) + 1]++;
    for (int k = 0; k < side * side; k++)
        start[k + 1] += start[k];
    for (int i = 0; i < m->count; i++)
        m->order[start[find_bin(m, i, side)]++] = i;
    free(start);
    return true;
}

// Writes the triangles without outer corners to `triangles` and returns their number.
static int copy_triangles(const mesher *m, int *triangles)
{
    int written = 0;
    for (int t = 0; t < m->cell_count; t++) {
        const int *corner = m->cells[t].corner;
        if (corner[0] >= m->count || corner[1] >= m->count || corner[2] >= m->count)
            continue;
        for (int k = 0; k < 3; k++)
            triangles[3 * written + k] = corner[k];
        written++;
    }
    return written;
}

// Triangulates the points. False: no memory, or no points.
bool fm_delaunay_triangulate(const fm_plane_point *points, int count, int **triangles,
                             int *triangle_count, fm_error *err)
{
    size_t n = (size_t)count, cells = 2 * n + 8;
    mesher m = {.count = count};
    *triangles = NULL, *triangle_count = 0;
    m.p = malloc((n + 3) * sizeof *m.p);
    m.cells = malloc(cells * sizeof *m.cells);
    m.order = calloc(n + 1, sizeof *m.order);
    int *out = malloc(3 * cells * sizeof *out);
    bool good = m.p && m.cells && m.order && out && count > 0;
    if (good) {
        place_points(&m, points);
        good = order_points(&m) && insert_points(&m);
    }
    if (good) {
        *triangle_count = copy_triangles(&m, out);
        *triangles = out;
    } else {
        fm_fail_no_memory(err, "mesh", cells * sizeof *m.cells);
        free(out);
    }
    free(m.p);
    free(m.cells);
    free(m.order);
    free(m.stack);
    return good;
}
