// SPDX-License-Identifier: MIT
// closed_mesh.c: meshes of closed shapes: ball, slab, cushion, torus and tube. All triangles are
// counter-clockwise seen from outside.
//
// ball      an icosahedron whose triangles are divided into four `level` times, pushed onto the
//           sphere: 10 4^level + 2 vertices
// slab      the surface of a box of cells[0] x cells[1] x cells[2] quads, each divided into four
//           `level` times and then into two triangles. flat: the sides of the box are folded into
//           its upper and lower face, so that all cells have about the same size: from the share
//           f = n_x / (n_x + n_y) of the half width on, the section is a half ellipse
// cushion   two rectangular grids with a common border; the upper one is raised to
//           height/2 (1 - u^2)(1 - v^2), with u and v from -1 to 1; the lower one is its mirror
//           image
// torus     rings of vertices around a circle in the x-z plane, every second one turned by half an
//           edge
// tube      a cylinder along x with flat ends: the surface of a box whose square sections are
//           mapped to discs, so that there are no poles
#include "geometry/mesh_shape.h"

#include <stdlib.h>

// A mesh that grows; its arrays have room for what the shape needs.
typedef struct builder {
    const fm_mesh_shape *shape;
    fm_mesh_data *mesh;
    fm_error *err;
} builder;

// Allocates arrays for that many vertices and triangles.
static bool allocate(const builder *b, double vertices, double triangles)
{
    if (vertices > FM_BUILT_VERTICES_MAX)
        return fm_fail_number(b->err, "mesh", "vertices", vertices, "at most 4194304 vertices");
    b->mesh->points = malloc((size_t)vertices * sizeof *b->mesh->points);
    b->mesh->face_points = malloc(3 * (size_t)triangles * sizeof *b->mesh->face_points);
    return (b->mesh->points && b->mesh->face_points) ||
           fm_fail_no_memory(b->err, "mesh", 3 * (size_t)triangles * sizeof(int));
}

static int add_point(const builder *b, double x, double y, double z)
{
    b->mesh->points[b->mesh->point_count] = (fm_vec3){x, y, z};
    return b->mesh->point_count++;
}

static void add_triangle(const builder *b, int i, int j, int k)
{
    int *t = b->mesh->face_points + 3 * (size_t)b->mesh->face_count++;
    t[0] = i, t[1] = j, t[2] = k;
}

// Adds the quad of four corners in order, cut along the diagonal from corner 0, or from corner 1.
static void add_quad(const builder *b, const int c[4], bool from_first)
{
    if (from_first) {
        add_triangle(b, c[0], c[1], c[2]);
        add_triangle(b, c[0], c[2], c[3]);
    } else {
        add_triangle(b, c[0], c[1], c[3]);
        add_triangle(b, c[1], c[2], c[3]);
    }
}

// Ball.

// Middles of edges that exist already: a hash table with open addressing.
typedef struct middle {
    int a, b, vertex; // a < b; vertex -1: the place is free
} middle;
typedef struct middle_table {
    middle *places;
    size_t mask;
} middle_table;

// The vertex in the middle of an edge, on the unit sphere; adds it if it is new.
static int find_middle(const builder *b, const middle_table *table, int i, int j)
{
    int low = i < j ? i : j, high = i < j ? j : i, key[2] = {low, high};
    size_t at = (size_t)fm_hash(key, sizeof key, 0) & table->mask;
    while (table->places[at].vertex >= 0) {
        if (table->places[at].a == low && table->places[at].b == high)
            return table->places[at].vertex;
        at = (at + 1) & table->mask;
    }
    fm_vec3 p = fm_add(b->mesh->points[i], b->mesh->points[j]);
    p = fm_scale(p, 1 / fm_length(p));
    table->places[at] = (middle){low, high, add_point(b, p.x, p.y, p.z)};
    return table->places[at].vertex;
}

// Divides every triangle into four. The new triangles of t replace it and follow the others.
static void divide_triangles(const builder *b, const middle_table *table)
{
    int count = b->mesh->face_count;
    for (size_t i = 0; i <= table->mask; i++)
        table->places[i].vertex = -1;
    for (int t = 0; t < count; t++) {
        int *c = b->mesh->face_points + 3 * (size_t)t, p[3] = {c[0], c[1], c[2]}, m[3];
        for (int k = 0; k < 3; k++)
            m[k] = find_middle(b, table, p[k], p[(k + 1) % 3]);
        c[0] = m[0], c[1] = m[1], c[2] = m[2];
        for (int k = 0; k < 3; k++)
            add_triangle(b, p[k], m[k], m[(k + 2) % 3]);
    }
}

// Adds an icosahedron with its vertices on the unit sphere.
static void add_icosahedron(const builder *b)
{
    static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    static const int signs[12][3] = {{-1, 2, 0}, {1, 2, 0}, {-1, -2, 0}, {1, -2, 0},
                                     {0, -1, 2}, {0, 1, 2}, {0, -1, -2}, {0, 1, -2},
                                     {2, 0, -1}, {2, 0, 1}, {-2, 0, -1}, {-2, 0, 1}};
    double g = (1 + sqrt(5)) / 2, s = 1 / sqrt(1 + g * g);
    const double value[5] = {-g * s, -s, 0, s, g * s}; // for -2 to 2
    for (int i = 0; i < 12; i++)
        add_point(b, value[signs[i][0] + 2], value[signs[i][1] + 2], value[signs[i][2] + 2]);
    for (int i = 0; i < 20; i++)
        add_triangle(b, faces[i][0], faces[i][1], faces[i][2]);
}

static bool build_ball(const builder *b)
{
    double quads = pow(4, b->shape->level);
    size_t places = 1;
    while ((double)places < 60 * quads)
        places *= 2;
    middle_table table = {malloc(places * sizeof(middle)), places - 1};
    bool good = allocate(b, 10 * quads + 2, 20 * quads);
    if (good && !table.places)
        good = fm_fail_no_memory(b->err, "mesh", places * sizeof(middle));
    if (good)
        add_icosahedron(b);
    for (int level = 0; level < b->shape->level && good; level++)
        divide_triangles(b, &table);
    for (int i = 0; i < b->mesh->point_count; i++)
        b->mesh->points[i] = fm_scale(b->mesh->points[i], b->shape->radius);
    free(table.places);
    return good;
}

// Slab and tube: the surface of a lattice of n[0] x n[1] x n[2] cells.

// Position of the lattice point with coordinates u from -1 to 1 on a flat slab.
static fm_vec3 place_flat_point(const fm_mesh_shape *s, const double u[3])
{
    double share = (double)s->cells[0] / (s->cells[0] + s->cells[1]);
    double out = fmax(fabs(u[0]), fabs(u[2])); // 1 on the sides of the box
    double scale = out < 1 ? share : share + (1 - share) * (1 - fabs(u[1]));
    double rim = fmax(0, (scale * out - share) / (1 - share));
    double y = s->height / 2 * sqrt(fmax(0, 1 - rim * rim));
    return (fm_vec3){scale * u[0] * s->width / 2, u[1] < 0 ? -y : y, scale * u[2] * s->length / 2};
}

// Position of the lattice point with coordinates u from -1 to 1.
static fm_vec3 place_box_point(const fm_mesh_shape *s, const double u[3])
{
    if (s->kind == FM_MESH_SLAB && s->flat)
        return place_flat_point(s, u);
    if (s->kind == FM_MESH_SLAB)
        return (fm_vec3){u[0] * s->width / 2, u[1] * s->height / 2, u[2] * s->length / 2};
    double square = fmax(fabs(u[1]), fabs(u[2])), round = hypot(u[1], u[2]);
    double scale = round > 0 ? s->radius * square / round : 0;
    return (fm_vec3){u[0] * s->length / 2, u[1] * scale, u[2] * scale};
}

// Index of a lattice point, row by row along x.
static size_t find_lattice_index(const int n[3], const int at[3])
{
    return ((size_t)at[1] * (size_t)(n[2] + 1) + (size_t)at[2]) * (size_t)(n[0] + 1) +
           (size_t)at[0];
}

// Adds the lattice points on the surface; vertex[] gives their index.
static void add_box_points(const builder *b, const int n[3], int *vertex)
{
    int at[3];
    for (at[1] = 0; at[1] <= n[1]; at[1]++)
        for (at[2] = 0; at[2] <= n[2]; at[2]++)
            for (at[0] = 0; at[0] <= n[0]; at[0]++) {
                double u[3];
                bool on_surface = false;
                for (int k = 0; k < 3; k++) {
                    on_surface = on_surface || at[k] == 0 || at[k] == n[k];
                    u[k] = 2.0 * at[k] / n[k] - 1;
                }
                fm_vec3 p = place_box_point(b->shape, u);
                if (on_surface)
                    vertex[find_lattice_index(n, at)] = add_point(b, p.x, p.y, p.z);
            }
}

// Adds the side of the box across `axis`, at its end if high.
static void add_box_side(const builder *b, const int n[3], const int *vertex, int axis, bool high)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < n[u]; i++)
        for (int j = 0; j < n[v]; j++) {
            int corner[4] = {0};
            for (int k = 0; k < 4; k++) { // counter-clockwise seen from +axis
                int at[3];
                at[axis] = high ? n[axis] : 0;
                at[u] = i + (k == 1 || k == 2), at[v] = j + (k >= 2);
                corner[high ? k : 3 - k] = vertex[find_lattice_index(n, at)];
            }
            add_quad(b, corner, (i + j) % 2 == 0);
        }
}

// The surface of a lattice of n[0] x n[1] x n[2] cells.
static bool build_box(const builder *b, const int n[3])
{
    double all = (n[0] + 1.0) * (n[1] + 1.0) * (n[2] + 1.0);
    double faces = 2.0 * n[0] * n[1] + 2.0 * n[1] * n[2] + 2.0 * n[2] * n[0];
    if (all > 16.0 * FM_BUILT_VERTICES_MAX)
        return fm_fail_number(b->err, "mesh", "cells", all, "a lattice of at most 6.7e7 points");
    int *vertex = malloc((size_t)all * sizeof *vertex);
    if (!vertex)
        return fm_fail_no_memory(b->err, "mesh", (size_t)all * sizeof *vertex);
    bool good = allocate(b, faces + 2, 2 * faces);
    if (good)
        add_box_points(b, n, vertex);
    for (int side = 0; side < 6 && good; side++)
        add_box_side(b, n, vertex, side / 2, side % 2);
    free(vertex);
    return good;
}

static bool build_slab(const builder *b)
{
    const int *cells = b->shape->cells;
    int parts = 1 << b->shape->level;
    return build_box(b, (int[3]){cells[0] * parts, cells[1] * parts, cells[2] * parts});
}

// Number of edges that fit a length.
static int count_edges(double length, double edge, int least)
{
    return (int)fmax(least, round(length / edge));
}

static bool build_tube(const builder *b)
{
    const fm_mesh_shape *s = b->shape;
    int across = count_edges(FM_PI / 2 * s->radius, s->edge, 2);
    return build_box(b, (int[3]){count_edges(s->length, s->edge, 1), across, across});
}

// Cushion: vertices of the upper grid row by row, then those of the lower one without its border.

// The vertex in column i and row j of a sheet; both sheets share those of the border.
static int find_cushion_vertex(const int n[2], int i, int j, bool upper)
{
    bool border = i == 0 || j == 0 || i == n[0] || j == n[1];
    return upper || border ? j * (n[0] + 1) + i
                           : (n[0] + 1) * (n[1] + 1) + (j - 1) * (n[0] - 1) + i - 1;
}

// Adds the vertices of a sheet, those of the border only with the upper one.
static void add_cushion_points(const builder *b, const int n[2], bool upper)
{
    const fm_mesh_shape *s = b->shape;
    int skip = upper ? 0 : 1;
    for (int j = skip; j <= n[1] - skip; j++)
        for (int i = skip; i <= n[0] - skip; i++) {
            double u = 2.0 * i / n[0] - 1, v = 2.0 * j / n[1] - 1;
            double y = s->height / 2 * (1 - u * u) * (1 - v * v);
            add_point(b, u * s->width / 2, upper ? y : -y, v * s->length / 2);
        }
}

// Cells at a corner are cut from the corner to the inside: the other diagonal would give both
// sheets the same triangle.
static void add_cushion_sheet(const builder *b, const int n[2], bool upper)
{
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++) {
            bool left = i == 0, low = j == 0;
            bool corner = (left || i == n[0] - 1) && (low || j == n[1] - 1);
            bool from_first = corner ? left == low : (i + j) % 2 == 0;
            int c[4] = {find_cushion_vertex(n, i, j, upper),
                        find_cushion_vertex(n, i, j + 1, upper),
                        find_cushion_vertex(n, i + 1, j + 1, upper),
                        find_cushion_vertex(n, i + 1, j, upper)};
            int turned[4] = {c[0], c[3], c[2], c[1]};
            add_quad(b, upper ? c : turned, from_first);
        }
}

static bool build_cushion(const builder *b, fm_built_mesh *built)
{
    const fm_mesh_shape *s = b->shape;
    int n[2] = {count_edges(s->width, s->edge, 2), count_edges(s->length, s->edge, 2)};
    if (!allocate(b, 2 * (n[0] + 1.0) * (n[1] + 1.0), 4.0 * n[0] * n[1]))
        return false;
    add_cushion_points(b, n, true);
    add_cushion_points(b, n, false);
    add_cushion_sheet(b, n, true);
    add_cushion_sheet(b, n, false);
    int *rim = fm_built_mesh_add_group(built, "rim", 2 * (n[0] + n[1]), b->err), count = 0;
    for (int j = 0; j <= n[1] && rim; j++)
        for (int i = 0; i <= n[0]; i++)
            if (i == 0 || j == 0 || i == n[0] || j == n[1])
                rim[count++] = find_cushion_vertex(n, i, j, true);
    return rim != NULL;
}

// Torus: ring i has the angle a around the axis y, its vertex j the angle b around the ring.
static bool build_torus(const builder *b)
{
    const fm_mesh_shape *s = b->shape;
    int around = 2 * count_edges(FM_PI * s->radius, s->edge * sqrt(0.75), 3);
    int n = count_edges(2 * FM_PI * s->tube_radius, s->edge, 4);
    if (!allocate(b, (double)around * n, 2.0 * around * n))
        return false;
    for (int i = 0; i < around; i++)
        for (int j = 0; j < n; j++) {
            double a = 2 * FM_PI * i / around, t = 2 * FM_PI * (j + 0.5 * (i % 2)) / n;
            double r = s->radius + s->tube_radius * cos(t);
            add_point(b, r * cos(a), s->tube_radius * sin(t), -r * sin(a));
        }
    for (int i = 0; i < around; i++)
        for (int j = 0; j < n; j++) {
            int next = (i + 1) % around, up = (j + 1) % n, shift = i % 2 ? up : j;
            int here = i * n + j, above = i * n + up;
            int there = next * n + shift, there_up = next * n + (shift + 1) % n;
            add_triangle(b, here, there, above);
            add_triangle(b, above, there, there_up);
        }
    return true;
}

// Builds the mesh of a shape that has been checked.
bool fm_closed_mesh_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err)
{
    builder b = {shape, &built->mesh, err};
    switch (shape->kind) {
    case FM_MESH_BALL:
        return build_ball(&b);
    case FM_MESH_SLAB:
        return build_slab(&b);
    case FM_MESH_CUSHION:
        return build_cushion(&b, built);
    case FM_MESH_TORUS:
        return build_torus(&b);
    default:
        return build_tube(&b);
    }
}
