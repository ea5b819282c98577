// SPDX-License-Identifier: MIT
// vectors_bounds.c: normalises vectors, allocates arrays of vectors, measures bounding boxes.
#include "geometry/geometry.h"

// Scales a vector to length 1. A vector that is zero or not finite stays as it is; returns false.
bool fm_normalize(fm_vec3 *a)
{
    double largest = fm_max_norm(*a);
    if (!fm_is_finite(*a) || largest == 0)
        return false;
    // divide by the largest component first, so that squares neither overflow nor underflow
    fm_vec3 scaled = {a->x / largest, a->y / largest, a->z / largest};
    *a = fm_scale(scaled, 1 / fm_length(scaled));
    return true;
}

// Allocates `length` zeroed vectors in the arena, as three arrays one behind the other.
fm_vec3_array fm_vec3_array_create(fm_arena *arena, int length, fm_error *err)
{
    double *all = fm_arena_alloc(arena, 3 * (size_t)length, sizeof *all, "points", err);
    return all ? (fm_vec3_array){all, all + length, all + 2 * length} : (fm_vec3_array){0};
}

// A box that contains nothing: its bounds grow with the first point that is added.
fm_bounds fm_bounds_empty(void)
{
    return (fm_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

// Distance of two boxes, m; 0 when they overlap.
double fm_bounds_distance(const fm_bounds *a, const fm_bounds *b)
{
    double x = fmax(a->low.x - b->high.x, b->low.x - a->high.x);
    double y = fmax(a->low.y - b->high.y, b->low.y - a->high.y);
    double z = fmax(a->low.z - b->high.z, b->low.z - a->high.z);
    x = fmax(x, 0), y = fmax(y, 0), z = fmax(z, 0);
    return sqrt(x * x + y * y + z * z);
}
