// SPDX-License-Identifier: MIT
// collider.c: adds a collider at a given time to a drawing.
#include "collide/collide.h"
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>

// Adds the triangles of a mesh collider, rotated and translated by the pose.
bool fm_drawing_add_trimesh(fm_drawing *drawing, const fm_trimesh *triangles, const fm_pose *pose,
                            const fm_paint *paint, fm_error *err)
{
    fm_mesh_view mesh = fm_trimesh_view(triangles);
    size_t bytes = (size_t)mesh.point_count * sizeof *mesh.points;
    fm_vec3 *points = malloc(bytes);
    if (!points)
        return fm_fail_no_memory(err, "drawing", bytes);
    for (int i = 0; i < mesh.point_count; i++)
        points[i] = fm_pose_apply(pose, mesh.points[i]);
    mesh.points = points;
    bool good = fm_drawing_add_surface(drawing, &mesh, paint, NULL, err);
    free(points);
    return good;
}

// Adds a collider in its pose at `time`, s.
bool fm_drawing_add_collider(fm_drawing *drawing, const fm_collider *collider, double time,
                             const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && collider));
    if (err->status != FM_OK)
        return false;
    fm_placed_collider placed = fm_collider_place(collider, time);
    if (collider->mesh)
        return fm_drawing_add_trimesh(drawing, collider->mesh, &placed.pose, paint, err);
    return fm_drawing_add_shape(drawing, &placed.shape, paint, err);
}
