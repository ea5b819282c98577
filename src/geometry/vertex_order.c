// SPDX-License-Identifier: MIT
// vertex_order.c: order of points along a Hilbert curve.
//
// Neighbours on the curve are neighbours in space, so vertices of a mesh in this order find most of
// their neighbours in the same cache lines. The index along the curve is computed as in [SKI04]: an
// inverse-undo pass and a Gray code over the bits of the three coordinates.
//
// [SKI04] Skilling: Programming the Hilbert curve. AIP Conference Proceedings 707, 2004.
#include "geometry/mesh_shape.h"

#include <stdlib.h>

enum { BITS = 16 }; // of each coordinate

typedef struct ranked_point {
    uint64_t key;
    int index;
} ranked_point;

// Index along the curve of the cell with these coordinates, each below 2^BITS.
static uint64_t find_hilbert_index(uint32_t x[3])
{
    for (uint32_t bit = 1u << (BITS - 1); bit > 1; bit >>= 1) {
        uint32_t low = bit - 1;
        for (int i = 0; i < 3; i++) {
            uint32_t swap = (x[0] ^ x[i]) & low;
            if (x[i] & bit)
                x[0] ^= low;
            else
                x[0] ^= swap, x[i] ^= swap;
        }
    }
    x[1] ^= x[0], x[2] ^= x[1];
    uint32_t gray = 0;
    for (uint32_t bit = 1u << (BITS - 1); bit > 1; bit >>= 1)
        gray ^= x[2] & bit ? bit - 1 : 0;
    uint64_t key = 0;
    for (int b = BITS - 1; b >= 0; b--)
        for (int i = 0; i < 3; i++)
            key = key << 1 | ((x[i] ^ gray) >> b & 1);
    return key;
}

static int compare_keys(const void *a, const void *b)
{
    const ranked_point *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

int *fm_hilbert_order(const fm_vec3 *points, int count, fm_error *err)
{
    size_t n = (size_t)count + 1;
    ranked_point *ranked = malloc(n * sizeof *ranked);
    int *order = malloc(n * sizeof *order);
    if (!ranked || !order) {
        fm_fail_no_memory(err, "mesh", n * sizeof *ranked);
        free(ranked);
        free(order);
        return NULL;
    }
    fm_bounds box = fm_bounds_empty();
    for (int i = 0; i < count; i++)
        fm_bounds_add_point(&box, points[i]);
    double size = fm_max_norm(fm_sub(box.high, box.low));
    double scale = size > 0 ? ((1 << BITS) - 1) / size : 0;
    for (int i = 0; i < count; i++) {
        fm_vec3 p = fm_scale(fm_sub(points[i], box.low), scale);
        ranked[i] = (ranked_point){
            find_hilbert_index((uint32_t[3]){(uint32_t)p.x, (uint32_t)p.y, (uint32_t)p.z}), i};
    }
    qsort(ranked, (size_t)count, sizeof *ranked, compare_keys);
    for (int i = 0; i < count; i++)
        order[i] = ranked[i].index;
    free(ranked);
    return order;
}
