// SPDX-License-Identifier: MIT
// collider.c: a collider as it is at a time, drawn.
#include "collide/collide.h"
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>

static bool add_triangles(fm_drawing *drawing, const fm_placed_collider *placed,
                          const fm_paint *paint, fm_error *err)
{
    const fm_trimesh *mesh = placed->collider->mesh;
    int point_count, face_count;
    const fm_vec3 *x = fm_trimesh_vertices(mesh, &point_count);
    const int *corners = fm_trimesh_triangles(mesh, &face_count);
    float *points = malloc(3 * (size_t)point_count * sizeof *points);
    int *start = malloc(((size_t)face_count + 1) * sizeof *start);
    bool good = points && start;
    if (good) {
        for (int i = 0; i < point_count; i++)
            fm_f3_store(points + 3 * (size_t)i, fm_f3_from(fm_pose_apply(&placed->pose, x[i])));
        for (int i = 0; i <= face_count; i++)
            start[i] = 3 * i;
        fm_polygons polygons = {.point_count = point_count,
                                .points = points,
                                .face_count = face_count,
                                .face_start = start,
                                .face_points = corners};
        good = fm_drawing_add_surface(drawing, &polygons, paint, NULL, err);
    } else {
        fm_fail_no_memory(err, "drawing", 3 * (size_t)point_count * sizeof *points);
    }
    free(points);
    free(start);
    return good;
}

bool fm_drawing_add_collider(fm_drawing *drawing, const fm_collider *collider, double time,
                             const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && collider));
    if (err->status != FM_OK)
        return false;
    fm_placed_collider placed = fm_collider_place(collider, time);
    if (collider->mesh)
        return add_triangles(drawing, &placed, paint, err);
    return fm_drawing_add_shape(drawing, &placed.shape, paint, err);
}
