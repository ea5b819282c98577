// SPDX-License-Identifier: MIT
// mesher.h: the interfaces of functions that build a surface mesh around the particles of a fluid,
// and that write a fluid as volumes.
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
    // Builds the surface of a frame of particles: points without faces, and fields. spacing:
    // distance of particles at rest, m; 0: not known. The surface has triangles, counter-clockwise
    // seen from outside, and unit normals as the field "normal"; without particles it has no
    // triangles. Returns NULL with err filled on failure.
    fm_surface *(*make)(const void *context, const fm_surface *particles, double spacing,
                        fm_error *err);
} fm_mesher;

// A function that writes a fluid as volumes, such as a level set and velocities, and its argument.
// The library has none of its own, because libraries of volume formats are large; the program
// `fathom` has one for OpenVDB where that is installed.
typedef struct fm_volume_writer {
    const void *context; // first argument of `write`
    // Writes one file. particles: a frame of a fluid; surface: that a mesher built around them.
    // Returns false with err filled on failure.
    bool (*write)(const void *context, const char *path, const fm_surface *particles,
                  const fm_surface *surface, fm_error *err);
} fm_volume_writer;

#endif
