// SPDX-License-Identifier: MIT
// fluid_surface.c: turns a frame of fluid particles into a surface, with the mesher (mesher.h) that
// the caller of an export supplies.
#include "io/io.h"

#include <string.h>

// m, particle spacing at rest, twice the field "radius"; 0 if the frame has no such field.
double fm_fluid_find_spacing(const fm_surface *particles)
{
    const float *radius =
        particles->point_count > 0 ? fm_surface_values(particles, "radius", 1) : NULL;
    return radius && radius[0] > 0 ? 2.0 * radius[0] : 0;
}

// Reconstructs the surface of a frame of fluid particles, with name and time of the frame.
fm_surface *fm_fluid_create_surface(const fm_mesher *mesher, const fm_surface *particles,
                                    fm_error *err)
{
    fm_surface *surface = mesher->make(mesher->context, particles->points, particles->point_count,
                                       fm_fluid_find_spacing(particles), err);
    if (!surface)
        return NULL;
    memcpy(surface->name, particles->name, sizeof surface->name);
    surface->time = particles->time;
    if (surface->face_count == 0)
        surface->point_count = surface->field_count = 0; // so that the exported file is empty
    return surface;
}
