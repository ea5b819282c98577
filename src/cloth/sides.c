// SPDX-License-Identifier: MIT
// sides.c: the edges of triangles, found by sorting.
#include "cloth/cloth.h"

#include <stdlib.h>

typedef struct record {
    int low, high, triangle, opposite;
    bool turned; // the triangle has it from high to low
} record;

static int by_ends(const void *a, const void *b)
{
    const record *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static void list_records(const int *triangle, int count, record *records)
{
    for (int t = 0; t < count; t++) {
        const int *corner = triangle + 3 * (size_t)t;
        for (int k = 0; k < 3; k++) {
            int from = corner[k], to = corner[(k + 1) % 3];
            records[3 * (size_t)t + k] = (record){.low = from < to ? from : to,
                                                  .high = from < to ? to : from,
                                                  .triangle = t,
                                                  .opposite = corner[(k + 2) % 3],
                                                  .turned = from > to};
        }
    }
}

fm_mesh_side *fm_find_sides(const int *triangle, int triangle_count, int *count)
{
    size_t all = 3 * (size_t)triangle_count;
    record *records = malloc((all + 1) * sizeof *records);
    fm_mesh_side *sides = malloc((all + 1) * sizeof *sides);
    *count = 0;
    if (!records || !sides) {
        free(records);
        free(sides);
        return NULL;
    }
    list_records(triangle, triangle_count, records);
    qsort(records, all, sizeof *records, by_ends);
    for (size_t i = 0; i < all; i++) {
        const record *r = &records[i];
        fm_mesh_side *last = *count ? &sides[*count - 1] : NULL;
        if (!last || last->a != r->low || last->b != r->high) {
            sides[(*count)++] = (fm_mesh_side){.a = r->low,
                                               .b = r->high,
                                               .triangle = {r->triangle, -1},
                                               .opposite = {r->opposite, -1},
                                               .turned = r->turned};
        } else if (last->triangle[1] < 0) {
            last->triangle[1] = r->triangle;
            last->opposite[1] = r->opposite;
            last->same_way = last->turned == r->turned;
        } else {
            if (last->more++ == 0)
                last->third = r->triangle;
        }
    }
    free(records);
    return sides;
}
