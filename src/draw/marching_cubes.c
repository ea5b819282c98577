// SPDX-License-Identifier: MIT
// marching_cubes.c: extracts the isosurface of a fluid's scalar field as triangles.
//
// Marching cubes [LC87]: every grid edge between a node inside and a node outside has a vertex, and
// each cell connects the vertices on its edges by triangles. The table of the 256 cases is computed
// from one rule: on an ambiguous face, whose inside nodes are diagonally opposite, the surface
// separates these nodes. Cells that share a face follow the same rule there, so their triangles
// meet edge to edge. The vertices of a cell form closed loops, which are cut into triangles without
// a diagonal inside a cell face, so every edge belongs to exactly two triangles. The surface is
// therefore closed and oriented.
#include "draw/fluid_surface.h"

#include <stdlib.h>
#include <string.h>

enum {
    // nodes along the side of a loaded block, which has one more node before and two more behind
    NODES_SIDE = FM_FIELD_BLOCK_SIDE + 3,
    EDGES = 12,            // edges of a cell, numbered axis * 4 + position around the axis
    TRIANGLES_MAX = 5 * 2, // upper bound of the triangles in a cell
    EDGES_PER_BLOCK = 3 * FM_FIELD_BLOCK_NODES, // grid edges that start in a block
    CENTRE = 13, // index of a block in its list of the 3x3x3 blocks around it
};

// The axis along which edge e of a cell runs.
static int edge_axis(int e)
{
    return e / 4;
}

// The node at which edge e of a cell starts. Bits 0, 1 and 2 of the number of a node are its x, y
// and z in the cell.
static int edge_node(int e)
{
    int axis = e / 4, a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3;
    return (e & 1 ? a : 0) | (e & 2 ? b : 0);
}

// The cell edge between two nodes, -1 if they are not adjacent.
static int find_edge(int node, int other)
{
    for (int e = 0; e < EDGES; e++) {
        int from = edge_node(e), to = from | 1 << edge_axis(e);
        if ((from == node && to == other) || (from == other && to == node))
            return e;
    }
    return -1;
}

// The triangles of a cell for each of the 256 patterns of inside and outside nodes.
typedef struct case_table {
    unsigned char count[256];                     // number of triangles
    unsigned char corner[256][3 * TRIANGLES_MAX]; // for each corner the cell edge it lies on
} case_table;

// Lists the nodes of face 2 * axis + side, counter-clockwise seen from outside the cell.
static void list_face_nodes(int face, int node[4])
{
    int axis = face / 2, side = face % 2, a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3;
    int base = side ? 1 << axis : 0;
    const int around[4] = {base, base | (side ? a : b), base | a | b, base | (side ? b : a)};
    memcpy(node, around, sizeof around);
}

// Whether two edges of a cell lie in a common face.
static bool share_face(int e, int f)
{
    for (int face = 0; face < 6; face++) {
        // an edge lies in the face if it does not run along the face's axis and starts in it
        int bit = 1 << face / 2, in_face = face % 2 ? bit : 0;
        bool has_e = edge_axis(e) != face / 2 && (edge_node(e) & bit) == in_face;
        if (has_e && edge_axis(f) != face / 2 && (edge_node(f) & bit) == in_face)
            return true;
    }
    return false;
}

// next[e]: the cell edge that follows edge e in its loop of vertices, -1 if edge e is not cut. Each
// face contributes one segment for every run of inside nodes along its border. inside: bit n is set
// if node n is inside.
static void find_loops(int inside, int next[EDGES])
{
    for (int e = 0; e < EDGES; e++)
        next[e] = -1;
    for (int face = 0; face < 6; face++) {
        int node[4];
        list_face_nodes(face, node);
        for (int i = 0; i < 4; i++) {
            if (!(inside >> node[i] & 1) || (inside >> node[(i + 1) % 4] & 1))
                continue;
            int j = i; // first node of the run of inside nodes that ends at i
            while (inside >> node[(j + 3) % 4] & 1)
                j = (j + 3) % 4;
            next[find_edge(node[j], node[(j + 3) % 4])] = find_edge(node[i], node[(i + 1) % 4]);
        }
    }
}

// Cuts a loop of vertices, each given by its cell edge, into triangles by ear clipping. False if
// that is impossible without a diagonal inside a cell face. corner: receives three edges per
// triangle.
static bool clip_ears(const int *loop, int count, unsigned char *corner)
{
    if (count == 3) {
        for (int i = 0; i < 3; i++)
            corner[i] = (unsigned char)loop[i];
        return true;
    }
    for (int i = 0; i < count; i++) {
        int previous = loop[(i + count - 1) % count], next = loop[(i + 1) % count];
        if (share_face(previous, next))
            continue;
        int rest[EDGES], rest_count = 0;
        for (int k = 0; k < count; k++)
            if (k != i)
                rest[rest_count++] = loop[k];
        if (!clip_ears(rest, rest_count, corner + 3))
            continue;
        const int ear[3] = {previous, loop[i], next};
        for (int k = 0; k < 3; k++)
            corner[k] = (unsigned char)ear[k];
        return true;
    }
    return false;
}

// Computes the triangles of all 256 cases.
static void create_cases(case_table *all)
{
    memset(all, 0, sizeof *all);
    for (int inside = 1; inside < 255; inside++) {
        int next[EDGES];
        bool seen[EDGES] = {false};
        find_loops(inside, next);
        for (int e = 0; e < EDGES; e++) {
            int loop[EDGES], count = 0;
            for (int at = e; next[at] >= 0 && !seen[at]; at = next[at]) {
                seen[at] = true;
                loop[count++] = at;
            }
            if (count >= 3 && clip_ears(loop, count, all->corner[inside] + 3 * all->count[inside]))
                all->count[inside] = (unsigned char)(all->count[inside] + count - 2);
        }
    }
}

// Extraction of the surface, block by block.
typedef struct march_job {
    fm_fluid_field *field;
    case_table cases;
    // [block_count][EDGES_PER_BLOCK], index within the block of the vertex on a grid edge
    uint16_t *vertex;
    fm_surface *surface;
    float *normals; // of the surface, [3 * point_count]
} march_job;

// Copies the node values of a block and of the adjacent nodes, one before and two behind per axis.
static void load_nodes(const fm_fluid_field *field, const fm_field_block *b, float *nodes)
{
    for (int z = 0; z < NODES_SIDE; z++) {
        for (int y = 0; y < NODES_SIDE; y++) {
            for (int x = 0; x < NODES_SIDE; x++) {
                // shifted by one block, so that no negative number is divided
                int u = x + FM_FIELD_BLOCK_SIDE - 1, v = y + FM_FIELD_BLOCK_SIDE - 1,
                    w = z + FM_FIELD_BLOCK_SIDE - 1;
                int number = b->around[u / FM_FIELD_BLOCK_SIDE + 3 * (v / FM_FIELD_BLOCK_SIDE) +
                                       9 * (w / FM_FIELD_BLOCK_SIDE)];
                float value = 0;
                if (number >= 0) {
                    int values = field->blocks[number].values;
                    int at =
                        (w % FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE + v % FM_FIELD_BLOCK_SIDE) *
                            FM_FIELD_BLOCK_SIDE +
                        u % FM_FIELD_BLOCK_SIDE;
                    const float *own =
                        field->values + (size_t)(values < 0 ? 0 : values) * FM_FIELD_BLOCK_NODES;
                    value = values < 0 ? 1 : own[at];
                }
                nodes[(z * NODES_SIDE + y) * NODES_SIDE + x] = value;
            }
        }
    }
}

// distance in the array of loaded nodes between neighbours along x, y and z
static const int step[3] = {1, NODES_SIDE, NODES_SIDE *NODES_SIDE};

// Index of node (x, y, z) of a block in the array of loaded nodes.
static int node_at(int x, int y, int z)
{
    return ((z + 1) * NODES_SIDE + y + 1) * NODES_SIDE + x + 1;
}

// The case index of the cell whose first node is nodes[at]: bit n is set if its node n is inside.
static int find_case(const float *nodes, int at)
{
    int inside = 0;
    for (int i = 0; i < 8; i++) {
        int node = at + (i & 1 ? step[0] : 0) + (i & 2 ? step[1] : 0) + (i & 4 ? step[2] : 0);
        inside |= (nodes[node] > fm_fluid_isovalue) << i;
    }
    return inside;
}

// True if a block and its neighbours in positive directions all lie deep inside the fluid, so that
// it has no surface.
static bool is_deep(const fm_fluid_field *field, const fm_field_block *b)
{
    for (int k = CENTRE; k < 27; k++) // all neighbours in positive directions follow the block
        if (b->around[k] < 0 || field->blocks[b->around[k]].values >= 0)
            return false;
    return true;
}

// Task of a thread: numbers the vertices of blocks first to last - 1 and counts their triangles.
// The counts are stored in first_point and first_triangle.
static void count_blocks(void *context, int first, int last)
{
    const march_job *job = context;
    float nodes[NODES_SIDE * NODES_SIDE * NODES_SIDE];
    for (int i = first; i < last; i++) {
        fm_field_block *b = &job->field->blocks[i];
        uint16_t *vertex = job->vertex + (size_t)i * EDGES_PER_BLOCK, points = 0;
        int triangles = 0;
        b->first_point = b->first_triangle = 0;
        if (is_deep(job->field, b))
            continue;
        load_nodes(job->field, b, nodes);
        for (int k = 0; k < FM_FIELD_BLOCK_NODES; k++) {
            int at = node_at(k % FM_FIELD_BLOCK_SIDE, k / FM_FIELD_BLOCK_SIDE % FM_FIELD_BLOCK_SIDE,
                             k / (FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE));
            bool inside_here = nodes[at] > fm_fluid_isovalue;
            for (int axis = 0; axis < 3; axis++)
                if ((nodes[at + step[axis]] > fm_fluid_isovalue) != inside_here)
                    vertex[3 * k + axis] = points++;
            triangles += job->cases.count[find_case(nodes, at)];
        }
        b->first_point = points;
        b->first_triangle = triangles;
    }
}

// Gradient of the field at node `at`, times two cells, by central differences.
static fm_float3 gradient_at(const float *nodes, int at)
{
    return fm_f3(nodes[at + step[0]] - nodes[at - step[0]],
                 nodes[at + step[1]] - nodes[at - step[1]],
                 nodes[at + step[2]] - nodes[at - step[2]]);
}

// Where the field crosses the isovalue on an edge between nodes with the values a and b, 0 to 1.
// The root of the field is nearly linear in the distance from a flat surface. With the field
// itself, the error would depend on the place of the surface in its cell, and moving waves would
// flicker.
static float find_crossing(float a, float b)
{
    float from = sqrtf(a), t = (sqrtf(fm_fluid_isovalue) - from) / (sqrtf(b) - from);
    return fm_float_min(fm_float_max(t, 0.01f), 0.99f); // avoids degenerate triangles
}

// Places vertex `number` of the surface on the grid edge that starts at node k of block b along an
// axis, with its normal. nodes: values around the block.
static void set_vertex(const march_job *job, const fm_field_block *b, const float *nodes, int k,
                       int axis, int number)
{
    const int node[3] = {k % FM_FIELD_BLOCK_SIDE, k / FM_FIELD_BLOCK_SIDE % FM_FIELD_BLOCK_SIDE,
                         k / (FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE)};
    int at = node_at(node[0], node[1], node[2]), other = at + step[axis];
    float t = find_crossing(nodes[at], nodes[other]);
    float p[3] = {(float)(b->x * FM_FIELD_BLOCK_SIDE + node[0]),
                  (float)(b->y * FM_FIELD_BLOCK_SIDE + node[1]),
                  (float)(b->z * FM_FIELD_BLOCK_SIDE + node[2])};
    p[axis] += t;
    fm_float3 gradient = fm_f3_mix(gradient_at(nodes, at), gradient_at(nodes, other), t);
    fm_f3_store(job->surface->points + 3 * (size_t)number,
                fm_f3_scale(fm_f3_load(p), job->field->cell));
    fm_f3_store(job->normals + 3 * (size_t)number, fm_f3_unit(fm_f3_scale(gradient, -1)));
}

// The index of the vertex on edge e of cell k of a block.
static int vertex_index(const march_job *job, const fm_field_block *b, int k, int e)
{
    int start = edge_node(e);
    int x = k % FM_FIELD_BLOCK_SIDE + (start & 1),
        y = k / FM_FIELD_BLOCK_SIDE % FM_FIELD_BLOCK_SIDE + (start >> 1 & 1);
    int z = k / (FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE) + (start >> 2);
    int number = b->around[CENTRE + x / FM_FIELD_BLOCK_SIDE + 3 * (y / FM_FIELD_BLOCK_SIDE) +
                           9 * (z / FM_FIELD_BLOCK_SIDE)];
    int node = (z % FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE + y % FM_FIELD_BLOCK_SIDE) *
                   FM_FIELD_BLOCK_SIDE +
               x % FM_FIELD_BLOCK_SIDE;
    return job->field->blocks[number].first_point +
           job->vertex[(size_t)number * EDGES_PER_BLOCK + (size_t)(3 * node + edge_axis(e))];
}

// Task of a thread: writes the vertices and triangles of blocks first to last - 1.
static void fill_blocks(void *context, int first, int last)
{
    const march_job *job = context;
    float nodes[NODES_SIDE * NODES_SIDE * NODES_SIDE];
    for (int i = first; i < last; i++) {
        const fm_field_block *b = &job->field->blocks[i];
        int point = b->first_point;
        int *triangle = job->surface->face_points + 3 * (size_t)b->first_triangle;
        if (is_deep(job->field, b))
            continue;
        load_nodes(job->field, b, nodes);
        for (int k = 0; k < FM_FIELD_BLOCK_NODES; k++) {
            int at = node_at(k % FM_FIELD_BLOCK_SIDE, k / FM_FIELD_BLOCK_SIDE % FM_FIELD_BLOCK_SIDE,
                             k / (FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE));
            bool inside_here = nodes[at] > fm_fluid_isovalue;
            for (int axis = 0; axis < 3; axis++)
                if ((nodes[at + step[axis]] > fm_fluid_isovalue) != inside_here)
                    set_vertex(job, b, nodes, k, axis, point++);
            int inside = find_case(nodes, at);
            for (int c = 0; c < 3 * job->cases.count[inside]; c++)
                *triangle++ = vertex_index(job, b, k, job->cases.corner[inside][c]);
        }
    }
}

// Turns the counts of each block into offsets and creates a surface of the total size.
static fm_surface *create_output(fm_fluid_field *field, fm_error *err)
{
    int64_t points = 0, triangles = 0;
    for (int i = 0; i < field->block_count; i++) {
        fm_field_block *b = &field->blocks[i];
        int own_points = b->first_point, own_triangles = b->first_triangle;
        b->first_point = (int)points;
        b->first_triangle = (int)triangles;
        points += own_points;
        triangles += own_triangles;
        if (3 * triangles > INT32_MAX) {
            fm_fail_number(err, "fluid", "triangles", (double)triangles,
                           "at most 715 million: larger cells");
            return NULL;
        }
    }
    static const fm_surface_field normal = {"normal", 3, NULL};
    fm_mesh_size size = {
        .points = (int)points, .faces = (int)triangles, .corners = 3 * (int)triangles};
    fm_surface *surface = fm_surface_create("fluid", &size, &normal, 1, err);
    for (int i = 0; i < size.faces && surface; i++)
        surface->face_start[i] = 3 * i;
    return surface;
}

// Extracts the isosurface in two passes: counting vertices and triangles of each block, then
// writing them.
fm_surface *fm_fluid_field_extract_surface(fm_fluid_field *field, fm_pool *pool, fm_error *err)
{
    march_job *job = calloc(1, sizeof *job);
    size_t slots = (size_t)field->block_count * EDGES_PER_BLOCK;
    uint16_t *vertex = malloc(slots * sizeof *vertex + 1);
    fm_surface *surface = NULL;
    if (job && vertex) {
        job->field = field;
        job->vertex = vertex;
        create_cases(&job->cases);
        fm_parallel_for(pool, field->block_count, 1, count_blocks, job);
        surface = job->surface = create_output(field, err);
    } else {
        fm_fail_no_memory(err, "fluid", slots * sizeof *vertex);
    }
    if (surface) {
        job->normals = surface->fields[0].values;
        fm_parallel_for(pool, field->block_count, 1, fill_blocks, job);
    }
    free(vertex);
    free(job);
    return surface;
}
