// SPDX-License-Identifier: MIT
// shapes.c: colliders as they are drawn.
#include "draw/draw.h"

#include <string.h>

static fm_float3 turn(fm_quat q, fm_float3 v)
{
    fm_float3 u = {(float)q.x, (float)q.y, (float)q.z};
    float w = (float)q.w;
    if (q.x == 0 && q.y == 0 && q.z == 0)
        return v;
    fm_float3 t = fm_f3_scale(fm_f3_cross(u, v), 2);
    return fm_f3_add(fm_f3_along(v, w, t), fm_f3_cross(u, t));
}

// Six faces of four points each, so that the edges stay sharp.
static bool add_box(fm_drawing *drawing, const fm_shape *shape, const fm_paint *paint,
                    fm_error *err)
{
    fm_mesh *mesh = fm_drawing_next_mesh(drawing, err);
    if (!mesh)
        return false;
    mesh->paint = *paint;
    mesh->points = fm_arena_alloc(&drawing->arena, 24 * 3, sizeof(float), "drawing", err);
    mesh->normals = fm_arena_alloc(&drawing->arena, 24 * 3, sizeof(float), "drawing", err);
    mesh->triangles = fm_arena_alloc(&drawing->arena, 12 * 3, sizeof(int), "drawing", err);
    if (err->status != FM_OK)
        return false;
    fm_float3 half = fm_f3_from(shape->half_size), centre = fm_f3_from(shape->centre);
    const float size[3] = {half.x, half.y, half.z};
    static const float corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
        float side = face % 2 ? 1.0f : -1.0f;
        for (int k = 0; k < 4; k++) {
            float p[3], n[3] = {0, 0, 0};
            p[axis] = side * size[axis];
            p[b] = side * corner[k][0] * size[b];
            p[c] = corner[k][1] * size[c];
            n[axis] = side;
            size_t at = 3 * (size_t)(4 * face + k);
            fm_f3_store(mesh->points + at, fm_f3_add(centre, turn(shape->rotation, fm_f3_load(p))));
            fm_f3_store(mesh->normals + at, turn(shape->rotation, fm_f3_load(n)));
        }
        const int i = 4 * face, two[6] = {i, i + 1, i + 2, i, i + 2, i + 3};
        memcpy(mesh->triangles + 6 * (size_t)face, two, sizeof two);
    }
    mesh->point_count = 24;
    mesh->triangle_count = 12;
    return true;
}

bool fm_drawing_add_shape(fm_drawing *drawing, const fm_shape *shape, const fm_paint *paint,
                          fm_error *err)
{
    float ends[6], radius = (float)shape->radius;
    switch (shape->kind) {
    case FM_SHAPE_SPHERE:
        fm_f3_store(ends, fm_f3_from(shape->centre));
        return fm_drawing_add_spheres(drawing, ends, &radius, 1, paint, err);
    case FM_SHAPE_CAPSULE:
        fm_f3_store(ends, fm_f3_from(shape->start));
        fm_f3_store(ends + 3, fm_f3_from(shape->end));
        return fm_drawing_add_line(drawing, ends, 2, radius, paint, err);
    case FM_SHAPE_BOX:
        return add_box(drawing, shape, paint, err);
    case FM_SHAPE_PLANE:
        break;
    }
    return err->status == FM_OK;
}
