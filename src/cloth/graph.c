// SPDX-License-Identifier: MIT
// graph.c: who is joined to whom along a cloth, and how far it is, for making orders (order.c) and
// ladders (ladder.c).
//
// Neighbours are those of the stretch and shear edges. On a mesh the ways along edges are longer
// than the shortest ones, by up to 15 % on a regular one; with ways straight across two triangles
// laid flat it is 4 %.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

enum { SHEET_WAYS = 8 };

static void add_way(fm_graph *g, int *fill, int from, int to, double rest, fm_way_kind kind)
{
    int at = g->start[from] + fill[from]++;
    g->to[at] = to;
    g->rest[at] = rest;
    g->kind[at] = (unsigned char)kind;
}

// Left and right, down and up, then the diagonals: the order in which lists take them.
static void link_sheet(const fm_cloth *c, fm_graph *g, int *fill)
{
    static const int steps[SHEET_WAYS][2] = {{0, -1}, {0, 1}, {1, 0},   {-1, 0},
                                             {1, -1}, {1, 1}, {-1, -1}, {-1, 1}};
    for (int i = 0; i < c->count; i++) {
        g->start[i + 1] = g->start[i];
        for (int s = 0; s < SHEET_WAYS; s++) {
            int down = steps[s][0], across = steps[s][1];
            int row = i / c->columns + down, column = i % c->columns + across;
            bool shear = down != 0 && across != 0;
            if (row < 0 || row >= c->rows || column < 0 || column >= c->columns ||
                (shear && !c->def.enforcement.shear))
                continue;
            add_way(g, fill, i, row * c->columns + column, hypot(down * c->dy, across * c->dx),
                    shear       ? down > 0 ? FM_WAY_SHEAR_DOWN : FM_WAY_SHEAR_UP
                    : down == 0 ? FM_WAY_ACROSS
                    : down > 0  ? FM_WAY_DOWN
                                : FM_WAY_UP);
            g->start[i + 1]++;
        }
    }
}

// Of an edge of a tube, from a to b; a mesh has no rows.
static fm_way_kind kind_of_edge(const fm_cloth *c, int edge, int a, int b)
{
    if (c->kind == FM_CLOTH_MESH)
        return FM_WAY_EDGE;
    int down = b / c->columns - a / c->columns;
    if (c->mesh.edge_kind[edge] == FM_EDGE_SHEAR)
        return down > 0 ? FM_WAY_SHEAR_DOWN : FM_WAY_SHEAR_UP;
    return down == 0 ? FM_WAY_ACROSS : down > 0 ? FM_WAY_DOWN : FM_WAY_UP;
}

static double find_rest(const fm_graph *g, int from, int to)
{
    for (int k = g->start[from]; k < g->start[from + 1]; k++) {
        if (g->to[k] == to)
            return g->rest[k];
    }
    return 0;
}

// Between the corners across a hinge when both triangles are laid flat; 0 when the straight way
// leaves them.
static double find_flap(const fm_graph *g, int a, int b, int c, int d)
{
    double ab = find_rest(g, a, b), ac = find_rest(g, a, c), bc = find_rest(g, b, c);
    double ad = find_rest(g, a, d), bd = find_rest(g, b, d);
    if (ab <= 0 || ac <= 0 || bc <= 0 || ad <= 0 || bd <= 0)
        return 0;
    double p = (ac * ac - bc * bc + ab * ab) / (2 * ab),
           q = (ad * ad - bd * bd + ab * ab) / (2 * ab);
    double high = sqrt(fmax(0, ac * ac - p * p)), low = sqrt(fmax(0, ad * ad - q * q));
    double crossing = high + low > 0 ? p + (q - p) * high / (high + low) : -1;
    return crossing >= 0 && crossing <= ab ? hypot(p - q, high + low) : 0;
}

static bool is_listed(const fm_cloth *c, int edge)
{
    return c->def.enforcement.shear || c->mesh.edge_kind[edge] == FM_EDGE_STRETCH;
}

// sides: those of a mesh; a tube has its diagonals instead.
static void link_net(const fm_cloth *c, fm_graph *g, const fm_mesh_side *sides, int side_count,
                     int *fill)
{
    const fm_net *net = &c->mesh;
    for (int e = 0; e < net->edge_count; e++) {
        g->start[net->edge_a[e] + 1] += is_listed(c, e);
        g->start[net->edge_b[e] + 1] += is_listed(c, e);
    }
    for (int k = 0; k < side_count; k++) {
        if (sides[k].triangle[1] < 0)
            continue;
        g->start[sides[k].opposite[0] + 1]++;
        g->start[sides[k].opposite[1] + 1]++;
    }
    for (int i = 0; i < c->count; i++)
        g->start[i + 1] += g->start[i];
    for (int e = 0; e < net->edge_count; e++) {
        int a = net->edge_a[e], b = net->edge_b[e];
        if (!is_listed(c, e))
            continue;
        add_way(g, fill, a, b, net->edge_rest[e], kind_of_edge(c, e, a, b));
        add_way(g, fill, b, a, net->edge_rest[e], kind_of_edge(c, e, b, a));
    }
    for (int k = 0; k < side_count; k++) {
        if (sides[k].triangle[1] < 0)
            continue;
        int a = sides[k].opposite[0], b = sides[k].opposite[1];
        double way = find_flap(g, sides[k].a, sides[k].b, a, b);
        add_way(g, fill, a, b, way > 0 ? way : INFINITY, FM_WAY_FLAP);
        add_way(g, fill, b, a, way > 0 ? way : INFINITY, FM_WAY_FLAP);
    }
}

bool fm_graph_make(fm_cloth *c, fm_graph *g, fm_error *err)
{
    bool sheet = c->kind == FM_CLOTH_SHEET;
    size_t n = (size_t)c->count;
    int side_count = 0;
    fm_mesh_side *sides = c->kind == FM_CLOTH_MESH
                              ? fm_find_sides(c->mesh.triangle, c->mesh.triangle_count, &side_count)
                              : NULL;
    if (c->kind == FM_CLOTH_MESH && !sides)
        return fm_fail_no_memory(err, c->name, n * sizeof *sides);
    size_t ways = sheet ? SHEET_WAYS * n : 2 * ((size_t)c->mesh.edge_count + (size_t)side_count);
    int *fill = fm_arena_alloc(&c->arena, n, sizeof(int), c->name, err);
    g->start = fm_arena_alloc(&c->arena, n + 1, sizeof(int), c->name, err);
    g->to = fm_arena_alloc(&c->arena, ways + 1, sizeof(int), c->name, err);
    g->rest = fm_arena_alloc(&c->arena, ways + 1, sizeof(double), c->name, err);
    g->kind = fm_arena_alloc(&c->arena, ways + 1, 1, c->name, err);
    if (err->status == FM_OK && sheet)
        link_sheet(c, g, fill);
    else if (err->status == FM_OK)
        link_net(c, g, sides, side_count, fill);
    free(sides);
    if (err->status != FM_OK)
        return false;
    g->most = 0;
    for (int i = 0; i < c->count; i++) {
        int count = g->start[i + 1] - g->start[i];
        g->most = count > g->most ? count : g->most;
    }
    return true;
}
