// SPDX-License-Identifier: MIT
// mesh_edges.c: finds the edges of a triangle mesh by sorting the half-edges.
#include "cloth/cloth.h"

#include <stdlib.h>

// A side of a triangle.
typedef struct half_edge {
    int low, high; // particles at its ends, low < high
    int triangle;  // the triangle that it belongs to
    int opposite;  // the corner of the triangle that is not on the half-edge
    bool reversed; // the triangle runs along it from high to low
} half_edge;

// Order for qsort: by both ends, then by triangle, so that half-edges of one edge follow each
// other.
static int compare_ends(const void *a, const void *b)
{
    const half_edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

// Writes the three half-edges of each of `count` triangles.
static void list_half_edges(const int *triangle, int count, half_edge *half_edges)
{
    for (int t = 0; t < count; t++) {
        const int *corner = triangle + 3 * (size_t)t;
        for (int k = 0; k < 3; k++) {
            int from = corner[k], to = corner[(k + 1) % 3];
            half_edges[3 * (size_t)t + k] = (half_edge){.low = from < to ? from : to,
                                                        .high = from < to ? to : from,
                                                        .triangle = t,
                                                        .opposite = corner[(k + 2) % 3],
                                                        .reversed = from > to};
        }
    }
}

// Finds every edge once, sorted by its ends: sorts the half-edges and merges those with the same
// ends. The caller frees the array; NULL if memory runs out.
fm_mesh_edge *fm_mesh_find_edges(const int *triangle, int triangle_count, int *count)
{
    size_t all = 3 * (size_t)triangle_count;
    half_edge *half_edges = malloc((all + 1) * sizeof *half_edges);
    fm_mesh_edge *edges = malloc((all + 1) * sizeof *edges);
    *count = 0;
    if (!half_edges || !edges) {
        free(half_edges);
        free(edges);
        return NULL;
    }
    list_half_edges(triangle, triangle_count, half_edges);
    qsort(half_edges, all, sizeof *half_edges, compare_ends);
    for (size_t i = 0; i < all; i++) {
        const half_edge *r = &half_edges[i];
        fm_mesh_edge *last = *count ? &edges[*count - 1] : NULL;
        if (!last || last->a != r->low || last->b != r->high) {
            edges[(*count)++] = (fm_mesh_edge){.a = r->low,
                                               .b = r->high,
                                               .triangle = {r->triangle, -1},
                                               .opposite = {r->opposite, -1},
                                               .reversed = r->reversed};
        } else if (last->triangle[1] < 0) {
            last->triangle[1] = r->triangle;
            last->opposite[1] = r->opposite;
            last->inconsistent = last->reversed == r->reversed;
        } else {
            if (last->extra_count++ == 0)
                last->first_extra = r->triangle;
        }
    }
    free(half_edges);
    return edges;
}
