// SPDX-License-Identifier: MIT
// mesher.h: triangles made of particles, for those who have particles and cannot draw.
//
// fm_fluid_mesher (draw.h) makes one from the smooth surface of a fluid; exports (cache.h) take
// any.
#ifndef FATHOM_MESHER_H
#define FATHOM_MESHER_H

#include <fathom/error.h>
#include <stdbool.h>

// free() points, normals and triangles.
typedef struct fm_triangles {
    int point_count, triangle_count;
    float *points;  // m, [3 * point_count]
    float *normals; // unit, outwards, [3 * point_count]
    int *triangles; // [3 * triangle_count], counter-clockwise seen from outside
} fm_triangles;

typedef struct fm_mesher {
    const void *context;
    // spacing: m, between particles at rest; 0: not known. Without particles there are no
    // triangles. Gives false with err filled, and nothing to free then.
    bool (*make)(const void *context, const float *points, int count, double spacing,
                 fm_triangles *made, fm_error *err);
} fm_mesher;

#endif
