// SPDX-License-Identifier: MIT
// particle_graph.c: the graph of neighbouring particles with their distances at rest, used to
// compute shortest paths along the cloth (tethers.c, pair_levels.c).
//
// Links are the stretch and shear edges. On a triangle mesh, paths along edges are longer than
// straight lines, by up to 15 % on a regular mesh. Additional links between the two corners
// opposite to a shared edge, with the length in the unfolded pair of triangles, reduce that to 4 %.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

enum { SHEET_LINKS = 8 }; // links of a particle of a sheet: rows, columns and diagonals

// Appends a link to the list of particle `from`, which has fill[from] entries. rest: length, m.
static void add_link(fm_particle_graph *g, int *fill, int from, int to, double rest,
                     fm_link_kind kind)
{
    int at = g->start[from] + fill[from]++;
    g->to[at] = to;
    g->rest[at] = rest;
    g->kind[at] = (unsigned char)kind;
}

// Lists the links of a sheet. Their order, left, right, down, up, then diagonals, is the order in
// which the published list follows them. fill: number of links of each particle so far.
static void link_sheet(const fm_cloth *c, fm_particle_graph *g, int *fill)
{
    static const int steps[SHEET_LINKS][2] = {{0, -1}, {0, 1}, {1, 0},   {-1, 0},
                                              {1, -1}, {1, 1}, {-1, -1}, {-1, 1}};
    for (int i = 0; i < c->count; i++) {
        g->start[i + 1] = g->start[i];
        for (int s = 0; s < SHEET_LINKS; s++) {
            int down = steps[s][0], across = steps[s][1];
            int row = i / c->columns + down, column = i % c->columns + across;
            bool shear = down != 0 && across != 0;
            if (row < 0 || row >= c->rows || column < 0 || column >= c->columns ||
                (shear && !c->def.enforcement.shear))
                continue;
            add_link(g, fill, i, row * c->columns + column, hypot(down * c->dy, across * c->dx),
                     shear       ? down > 0 ? FM_LINK_SHEAR_DOWN : FM_LINK_SHEAR_UP
                     : down == 0 ? FM_LINK_ACROSS
                     : down > 0  ? FM_LINK_DOWN
                                 : FM_LINK_UP);
            g->start[i + 1]++;
        }
    }
}

// The kind of the link from a to b along an edge of a tube or mesh; a mesh has no rows.
static fm_link_kind classify_edge(const fm_cloth *c, int edge, int a, int b)
{
    if (c->kind == FM_CLOTH_MESH || c->kind == FM_CLOTH_LINE)
        return FM_LINK_EDGE;
    int down = b / c->columns - a / c->columns;
    if (c->mesh.edge_kind[edge] == FM_EDGE_SHEAR)
        return down > 0 ? FM_LINK_SHEAR_DOWN : FM_LINK_SHEAR_UP;
    return down == 0 ? FM_LINK_ACROSS : down > 0 ? FM_LINK_DOWN : FM_LINK_UP;
}

// m, length of the link between two particles; 0 if there is none.
static double find_rest(const fm_particle_graph *g, int from, int to)
{
    for (int k = g->start[from]; k < g->start[from + 1]; k++) {
        if (g->to[k] == to)
            return g->rest[k];
    }
    return 0;
}

// m, distance of the corners c and d opposite to edge a-b when triangles abc and abd are unfolded
// into a plane; 0 if the straight line between them does not cross the edge. With a at the origin
// and b at (ab, 0), c is at (p, height_c) and d at (q, -height_d).
static double find_unfolded_distance(const fm_particle_graph *g, int a, int b, int c, int d)
{
    double ab = find_rest(g, a, b), ac = find_rest(g, a, c), bc = find_rest(g, b, c);
    double ad = find_rest(g, a, d), bd = find_rest(g, b, d);
    if (ab <= 0 || ac <= 0 || bc <= 0 || ad <= 0 || bd <= 0)
        return 0;
    double p = (ac * ac - bc * bc + ab * ab) / (2 * ab),
           q = (ad * ad - bd * bd + ab * ab) / (2 * ab);
    double height_c = sqrt(fmax(0, ac * ac - p * p)), height_d = sqrt(fmax(0, ad * ad - q * q));
    double sum = height_c + height_d;
    double crossing = sum > 0 ? p + (q - p) * height_c / sum : -1;
    return crossing >= 0 && crossing <= ab ? hypot(p - q, sum) : 0;
}

// Whether enforcement uses this edge of a tube or mesh.
static bool is_link(const fm_cloth *c, int edge)
{
    return c->def.enforcement.shear || c->mesh.edge_kind[edge] == FM_EDGE_STRETCH;
}

// Lists the links of a tube or mesh: counts those of each particle, then fills the lists. edges:
// the edges of a triangle mesh, for links over shared edges; none for a tube, which has diagonals.
// A link over an edge that the straight line does not cross is infinitely long.
static void link_mesh(const fm_cloth *c, fm_particle_graph *g, const fm_mesh_edge *edges,
                      int edge_count, int *fill)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int e = 0; e < mesh->edge_count; e++) {
        g->start[mesh->edge_a[e] + 1] += is_link(c, e);
        g->start[mesh->edge_b[e] + 1] += is_link(c, e);
    }
    for (int k = 0; k < edge_count; k++) {
        if (edges[k].triangle[1] < 0)
            continue;
        g->start[edges[k].opposite[0] + 1]++;
        g->start[edges[k].opposite[1] + 1]++;
    }
    for (int i = 0; i < c->count; i++)
        g->start[i + 1] += g->start[i];
    for (int e = 0; e < mesh->edge_count; e++) {
        int a = mesh->edge_a[e], b = mesh->edge_b[e];
        if (!is_link(c, e))
            continue;
        add_link(g, fill, a, b, mesh->edge_rest[e], classify_edge(c, e, a, b));
        add_link(g, fill, b, a, mesh->edge_rest[e], classify_edge(c, e, b, a));
    }
    for (int k = 0; k < edge_count; k++) {
        if (edges[k].triangle[1] < 0)
            continue;
        int a = edges[k].opposite[0], b = edges[k].opposite[1];
        double distance = find_unfolded_distance(g, edges[k].a, edges[k].b, a, b);
        add_link(g, fill, a, b, distance > 0 ? distance : INFINITY, FM_LINK_OVER_EDGE);
        add_link(g, fill, b, a, distance > 0 ? distance : INFINITY, FM_LINK_OVER_EDGE);
    }
}

// Creates the graph of neighbouring particles in the cloth's arena. False if memory runs out.
bool fm_particle_graph_create(fm_cloth *c, fm_particle_graph *g, fm_error *err)
{
    bool sheet = c->kind == FM_CLOTH_SHEET;
    size_t n = (size_t)c->count;
    int edge_count = 0;
    fm_mesh_edge *edges =
        c->kind == FM_CLOTH_MESH
            ? fm_mesh_find_edges(c->mesh.triangle, c->mesh.triangle_count, &edge_count)
            : NULL;
    if (c->kind == FM_CLOTH_MESH && !edges)
        return fm_fail_no_memory(err, c->object.name, n * sizeof *edges);
    size_t link_count =
        sheet ? SHEET_LINKS * n : 2 * ((size_t)c->mesh.edge_count + (size_t)edge_count);
    int *fill = fm_arena_alloc(&c->arena, n, sizeof(int), c->object.name, err);
    g->start = fm_arena_alloc(&c->arena, n + 1, sizeof(int), c->object.name, err);
    g->to = fm_arena_alloc(&c->arena, link_count + 1, sizeof(int), c->object.name, err);
    g->rest = fm_arena_alloc(&c->arena, link_count + 1, sizeof(double), c->object.name, err);
    g->kind = fm_arena_alloc(&c->arena, link_count + 1, 1, c->object.name, err);
    if (err->status == FM_OK && sheet)
        link_sheet(c, g, fill);
    else if (err->status == FM_OK)
        link_mesh(c, g, edges, edge_count, fill);
    free(edges);
    if (err->status != FM_OK)
        return false;
    g->max_links = 0;
    for (int i = 0; i < c->count; i++) {
        int count = g->start[i + 1] - g->start[i];
        g->max_links = count > g->max_links ? count : g->max_links;
    }
    return true;
}
