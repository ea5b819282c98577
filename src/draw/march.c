// SPDX-License-Identifier: MIT
// march.c: triangles where the field of a fluid passes the surface's value.
//
// Marching cubes [LC87]: every edge between a node inside and one outside has a vertex, and each
// cell joins those on its edges. How is not taken from a table of the literature but found from one
// rule: on a face of the cell, nodes inside that are not neighbours are apart. Two cells that share
// a face follow the same rule there, so their triangles meet edge to edge; the closed lines that
// go around a cell are cut into triangles without any diagonal in a face, so that no edge has
// more than two. The surface has no holes and one side.
//
// [LC87] Lorensen, Cline: Marching cubes. SIGGRAPH 1987.
#include "draw/fluid.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIDE = FM_BLOCK + 3,   // nodes of a block with one before and two behind
    EDGES = 12,            // of a cell: axis * 4 + place around it
    TRIANGLES_MAX = 5 * 2, // of a cell, with room
    SLOTS = 3 * FM_BLOCK_NODES,
};

// Nodes of a cell are numbered by bits, x 1, y 2, z 4. Edge e begins at node edge_node(e).
static int edge_axis(int e)
{
    return e / 4;
}

static int edge_node(int e)
{
    int axis = e / 4, a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3;
    return (e & 1 ? a : 0) | (e & 2 ? b : 0);
}

static int find_edge(int node, int other)
{
    for (int e = 0; e < EDGES; e++) {
        int from = edge_node(e), to = from | 1 << edge_axis(e);
        if ((from == node && to == other) || (from == other && to == node))
            return e;
    }
    return -1;
}

typedef struct cases {
    unsigned char count[256];
    unsigned char corner[256][3 * TRIANGLES_MAX]; // edges
} cases;

// Nodes of face 2 axis + side, counter-clockwise seen from outside.
static void list_face(int face, int node[4])
{
    int axis = face / 2, side = face % 2, a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3;
    int base = side ? 1 << axis : 0;
    const int around[4] = {base, base | (side ? a : b), base | a | b, base | (side ? b : a)};
    memcpy(node, around, sizeof around);
}

static bool share_face(int e, int f)
{
    for (int face = 0; face < 6; face++) {
        int bit = 1 << face / 2, on = face % 2 ? bit : 0;
        bool first = edge_axis(e) != face / 2 && (edge_node(e) & bit) == on;
        if (first && edge_axis(f) != face / 2 && (edge_node(f) & bit) == on)
            return true;
    }
    return false;
}

// Where the line goes on from an edge: on the face that enters the inside there, to where that face
// leaves it.
static void find_lines(int inside, int next[EDGES])
{
    for (int e = 0; e < EDGES; e++)
        next[e] = -1;
    for (int face = 0; face < 6; face++) {
        int node[4];
        list_face(face, node);
        for (int i = 0; i < 4; i++) {
            if (!(inside >> node[i] & 1) || (inside >> node[(i + 1) % 4] & 1))
                continue;
            int j = i; // back along the nodes inside
            while (inside >> node[(j + 3) % 4] & 1)
                j = (j + 3) % 4;
            next[find_edge(node[j], node[(j + 3) % 4])] = find_edge(node[i], node[(i + 1) % 4]);
        }
    }
}

// Cuts a closed line into triangles, ear by ear; false if there is no way without a diagonal in a
// face.
static bool cut_ears(const int *line, int count, unsigned char *corner)
{
    if (count == 3) {
        for (int i = 0; i < 3; i++)
            corner[i] = (unsigned char)line[i];
        return true;
    }
    for (int i = 0; i < count; i++) {
        int before = line[(i + count - 1) % count], after = line[(i + 1) % count];
        if (share_face(before, after))
            continue;
        int rest[EDGES], left = 0;
        for (int k = 0; k < count; k++)
            if (k != i)
                rest[left++] = line[k];
        if (!cut_ears(rest, left, corner + 3))
            continue;
        const int ear[3] = {before, line[i], after};
        for (int k = 0; k < 3; k++)
            corner[k] = (unsigned char)ear[k];
        return true;
    }
    return false;
}

static void make_cases(cases *all)
{
    memset(all, 0, sizeof *all);
    for (int inside = 1; inside < 255; inside++) {
        int next[EDGES];
        bool seen[EDGES] = {false};
        find_lines(inside, next);
        for (int e = 0; e < EDGES; e++) {
            int line[EDGES], count = 0;
            for (int at = e; next[at] >= 0 && !seen[at]; at = next[at]) {
                seen[at] = true;
                line[count++] = at;
            }
            if (count >= 3 && cut_ears(line, count, all->corner[inside] + 3 * all->count[inside]))
                all->count[inside] = (unsigned char)(all->count[inside] + count - 2);
        }
    }
}

typedef struct march_job {
    fm_level *level;
    cases cases;
    uint16_t *vertex; // [SLOTS] of each block: number of the vertex on the edge, within the block
    fm_triangles *made;
} march_job;

// The nodes of a block and those next to it, from one before to two behind.
static void load_nodes(const fm_level *level, const fm_level_block *b, float *nodes)
{
    for (int z = 0; z < SIDE; z++) {
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                // shifted by a block, not to divide what is below 0
                int u = x + FM_BLOCK - 1, v = y + FM_BLOCK - 1, w = z + FM_BLOCK - 1;
                int number = b->around[u / FM_BLOCK + 3 * (v / FM_BLOCK) + 9 * (w / FM_BLOCK)];
                float value = 0;
                if (number >= 0) {
                    int values = level->blocks[number].values;
                    int at = (w % FM_BLOCK * FM_BLOCK + v % FM_BLOCK) * FM_BLOCK + u % FM_BLOCK;
                    const float *own =
                        level->values + (size_t)(values < 0 ? 0 : values) * FM_BLOCK_NODES;
                    value = values < 0 ? 1 : own[at];
                }
                nodes[(z * SIDE + y) * SIDE + x] = value;
            }
        }
    }
}

static const int step[3] = {1, SIDE, SIDE *SIDE};

static int node_at(int x, int y, int z)
{
    return ((z + 1) * SIDE + y + 1) * SIDE + x + 1;
}

static int find_case(const float *nodes, int at)
{
    int inside = 0;
    for (int i = 0; i < 8; i++) {
        int node = at + (i & 1 ? step[0] : 0) + (i & 2 ? step[1] : 0) + (i & 4 ? step[2] : 0);
        inside |= (nodes[node] > fm_level_surface) << i;
    }
    return inside;
}

// Whether a block may have anything: deep ones only where they meet others.
static bool is_plain(const fm_level *level, const fm_level_block *b)
{
    for (int k = 13; k < 27; k++) // those behind along any axis are among them
        if (b->around[k] < 0 || level->blocks[b->around[k]].values >= 0)
            return false;
    return true;
}

static void count_range(void *context, int first, int last)
{
    const march_job *job = context;
    float nodes[SIDE * SIDE * SIDE];
    for (int i = first; i < last; i++) {
        fm_level_block *b = &job->level->blocks[i];
        uint16_t *vertex = job->vertex + (size_t)i * SLOTS, points = 0;
        int triangles = 0;
        b->first_point = b->first_triangle = 0;
        if (is_plain(job->level, b))
            continue;
        load_nodes(job->level, b, nodes);
        for (int k = 0; k < FM_BLOCK_NODES; k++) {
            int at = node_at(k % FM_BLOCK, k / FM_BLOCK % FM_BLOCK, k / (FM_BLOCK * FM_BLOCK));
            bool here = nodes[at] > fm_level_surface;
            for (int axis = 0; axis < 3; axis++)
                if ((nodes[at + step[axis]] > fm_level_surface) != here)
                    vertex[3 * k + axis] = points++;
            triangles += job->cases.count[find_case(nodes, at)];
        }
        b->first_point = points;
        b->first_triangle = triangles;
    }
}

static fm_float3 slope_at(const float *nodes, int at)
{
    return fm_f3(nodes[at + step[0]] - nodes[at - step[0]],
                 nodes[at + step[1]] - nodes[at - step[1]],
                 nodes[at + step[2]] - nodes[at - step[2]]);
}

static void set_vertex(const march_job *job, const fm_level_block *b, const float *nodes, int k,
                       int axis, int number)
{
    const int node[3] = {k % FM_BLOCK, k / FM_BLOCK % FM_BLOCK, k / (FM_BLOCK * FM_BLOCK)};
    int at = node_at(node[0], node[1], node[2]), other = at + step[axis];
    float t = (fm_level_surface - nodes[at]) / (nodes[other] - nodes[at]);
    t = fm_min(fm_max(t, 0.01f), 0.99f); // no triangle without an area
    float p[3] = {(float)(b->x * FM_BLOCK + node[0]), (float)(b->y * FM_BLOCK + node[1]),
                  (float)(b->z * FM_BLOCK + node[2])};
    p[axis] += t;
    fm_float3 slope = fm_f3_mix(slope_at(nodes, at), slope_at(nodes, other), t);
    fm_f3_store(job->made->points + 3 * (size_t)number,
                fm_f3_scale(fm_f3_load(p), job->level->cell));
    fm_f3_store(job->made->normals + 3 * (size_t)number, fm_f3_unit(fm_f3_scale(slope, -1)));
}

// The number of the vertex on an edge of the cell at x, y, z of a block.
static int find_vertex(const march_job *job, const fm_level_block *b, int k, int e)
{
    int start = edge_node(e);
    int x = k % FM_BLOCK + (start & 1), y = k / FM_BLOCK % FM_BLOCK + (start >> 1 & 1);
    int z = k / (FM_BLOCK * FM_BLOCK) + (start >> 2);
    int number = b->around[13 + x / FM_BLOCK + 3 * (y / FM_BLOCK) + 9 * (z / FM_BLOCK)];
    int node = (z % FM_BLOCK * FM_BLOCK + y % FM_BLOCK) * FM_BLOCK + x % FM_BLOCK;
    return job->level->blocks[number].first_point +
           job->vertex[(size_t)number * SLOTS + (size_t)(3 * node + edge_axis(e))];
}

static void fill_range(void *context, int first, int last)
{
    const march_job *job = context;
    float nodes[SIDE * SIDE * SIDE];
    for (int i = first; i < last; i++) {
        const fm_level_block *b = &job->level->blocks[i];
        int point = b->first_point;
        int *triangle = job->made->triangles + 3 * (size_t)b->first_triangle;
        if (is_plain(job->level, b))
            continue;
        load_nodes(job->level, b, nodes);
        for (int k = 0; k < FM_BLOCK_NODES; k++) {
            int at = node_at(k % FM_BLOCK, k / FM_BLOCK % FM_BLOCK, k / (FM_BLOCK * FM_BLOCK));
            bool here = nodes[at] > fm_level_surface;
            for (int axis = 0; axis < 3; axis++)
                if ((nodes[at + step[axis]] > fm_level_surface) != here)
                    set_vertex(job, b, nodes, k, axis, point++);
            int inside = find_case(nodes, at);
            for (int c = 0; c < 3 * job->cases.count[inside]; c++)
                *triangle++ = find_vertex(job, b, k, job->cases.corner[inside][c]);
        }
    }
}

// Counts become beginnings.
static bool sum_counts(fm_level *level, fm_triangles *made, fm_error *err)
{
    int64_t points = 0, triangles = 0;
    for (int i = 0; i < level->block_count; i++) {
        fm_level_block *b = &level->blocks[i];
        int own_points = b->first_point, own_triangles = b->first_triangle;
        b->first_point = (int)points;
        b->first_triangle = (int)triangles;
        points += own_points;
        triangles += own_triangles;
        if (3 * triangles > INT32_MAX)
            return fm_fail_number(err, "fluid", "triangles", (double)triangles,
                                  "at most 715 million: larger cells");
    }
    made->point_count = (int)points;
    made->triangle_count = (int)triangles;
    made->points = malloc(3 * (size_t)points * sizeof(float) + 1);
    made->normals = malloc(3 * (size_t)points * sizeof(float) + 1);
    made->triangles = malloc(3 * (size_t)triangles * sizeof(int) + 1);
    return (made->points && made->normals && made->triangles) ||
           fm_fail_no_memory(err, "fluid", 3 * (size_t)triangles * sizeof(int));
}

bool fm_level_march(fm_level *level, fm_pool *pool, fm_triangles *made, fm_error *err)
{
    march_job *job = calloc(1, sizeof *job);
    size_t slots = (size_t)level->block_count * SLOTS;
    uint16_t *vertex = malloc(slots * sizeof *vertex + 1);
    bool good = job && vertex;
    if (good) {
        job->level = level;
        job->vertex = vertex;
        job->made = made;
        make_cases(&job->cases);
        fm_parallel_for(pool, level->block_count, 1, count_range, job);
        good = sum_counts(level, made, err);
    } else {
        fm_fail_no_memory(err, "fluid", slots * sizeof *vertex);
    }
    if (good)
        fm_parallel_for(pool, level->block_count, 1, fill_range, job);
    free(vertex);
    free(job);
    return good;
}
