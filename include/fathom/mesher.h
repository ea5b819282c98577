// SPDX-License-Identifier: MIT
// mesher.h: the interface of functions that build a surface mesh around the particles of a fluid.
//
// fm_export_frames (cache.h) takes any mesher. fm_fluid_mesher (draw.h) gives one that builds a
// smooth surface. A mesher written by a user creates its result with fm_surface_create_from_mesh.
#ifndef FATHOM_MESHER_H
#define FATHOM_MESHER_H

#include <fathom/error.h>
#include <fathom/surface.h>

// A function that builds a surface mesh around the particles of a fluid, and its argument.
typedef struct fm_mesher {
    const void *context; // first argument of `make`
    // Builds the surface of `count` particles at `points`, [3 * count], m. spacing: distance of
    // particles at rest, m; 0: not known. The surface has triangles, counter-clockwise seen from
    // outside, and unit normals as the field "normal"; without particles it has no triangles.
    // Returns NULL with err filled on failure.
    fm_surface *(*make)(const void *context, const float *points, int count, double spacing,
                        fm_error *err);
} fm_mesher;

#endif
