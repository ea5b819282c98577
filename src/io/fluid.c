// SPDX-License-Identifier: MIT
// fluid.c: the surface of a fluid whose frames are points. Files do not know how to make one: a
// mesher does (mesher.h), which whoever exports hands over.
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

double fm_points_spacing(const fm_surface *points)
{
    const float *radius = points->point_count > 0 ? fm_surface_values(points, "radius", 1) : NULL;
    return radius && radius[0] > 0 ? 2.0 * radius[0] : 0;
}

static fm_surface *copy_triangles(const fm_triangles *made, const fm_surface *points, fm_error *err)
{
    static const fm_surface_field normal = {"normal", 3, NULL};
    fm_surface *surface = fm_surface_create(points->name, made->point_count, made->triangle_count,
                                            3 * made->triangle_count, &normal, 1, err);
    if (!surface)
        return NULL;
    size_t bytes = 3 * (size_t)made->point_count * sizeof(float);
    memcpy(surface->points, made->points, bytes);
    memcpy(surface->fields[0].values, made->normals, bytes);
    memcpy(surface->face_points, made->triangles, 3 * (size_t)made->triangle_count * sizeof(int));
    for (int i = 0; i <= made->triangle_count; i++)
        surface->face_start[i] = 3 * i;
    surface->time = points->time;
    return surface;
}

fm_surface *fm_points_surface(const fm_mesher *mesher, const fm_surface *points, fm_error *err)
{
    fm_triangles made = {0};
    if (!mesher->make(mesher->context, points->points, points->point_count,
                      fm_points_spacing(points), &made, err))
        return NULL;
    fm_surface *surface = NULL;
    if (made.triangle_count > 0)
        surface = copy_triangles(&made, points, err);
    else if (err->status == FM_OK) { // no particles: a file of nothing
        surface = fm_surface_create(points->name, 0, 0, 0, NULL, 0, err);
        if (surface)
            surface->time = points->time;
    }
    free(made.points);
    free(made.normals);
    free(made.triangles);
    return surface;
}
