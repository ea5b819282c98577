// SPDX-License-Identifier: MIT
// shapes.c: meshes and spheres for the analytic shapes of colliders.
#include "draw/draw.h"

#include <assert.h>
#include <string.h>

// Rotates v by the unit quaternion q. The zero quaternion stands for no rotation.
static fm_float3 rotate(fm_quat q, fm_float3 v)
{
    fm_float3 u = {(float)q.x, (float)q.y, (float)q.z};
    float w = (float)q.w;
    if (q.x == 0 && q.y == 0 && q.z == 0)
        return v;
    fm_float3 t = fm_f3_scale(fm_f3_cross(u, v), 2);
    return fm_f3_add(fm_f3_add_scaled(v, w, t), fm_f3_cross(u, t));
}

// Appends a mesh to the drawing, with arrays for the caller to fill. NULL with err filled on
// failure.
fm_triangle_mesh *fm_drawing_create_mesh(fm_drawing *drawing, const fm_paint *paint,
                                         int point_count, int triangle_count, fm_error *err)
{
    size_t n = 3 * (size_t)point_count, m = 3 * (size_t)triangle_count;
    float *points = fm_arena_alloc(&drawing->arena, n, sizeof(float), "drawing", err);
    float *normals = fm_arena_alloc(&drawing->arena, n, sizeof(float), "drawing", err);
    int *triangles = fm_arena_alloc(&drawing->arena, m, sizeof(int), "drawing", err);
    fm_triangle_mesh *mesh = triangles ? fm_drawing_append_mesh(drawing, err) : NULL;
    if (mesh)
        *mesh = (fm_triangle_mesh){.paint = *paint,
                                   .point_count = point_count,
                                   .triangle_count = triangle_count,
                                   .points = points,
                                   .normals = normals,
                                   .triangles = triangles};
    return mesh;
}

// Adds a box: four points for each of the six faces, so that normals are not shared across edges.
static bool add_box(fm_drawing *drawing, const fm_shape *shape, const fm_paint *paint,
                    fm_error *err)
{
    enum { POINTS = 6 * 4, TRIANGLES = 6 * 2 };
    fm_triangle_mesh *mesh = fm_drawing_create_mesh(drawing, paint, POINTS, TRIANGLES, err);
    if (!mesh)
        return false;
    fm_float3 half = fm_f3_from_vec3(shape->half_size), centre = fm_f3_from_vec3(shape->centre);
    const float size[3] = {half.x, half.y, half.z};
    static const float corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int face = 0; face < 6; face++) {
        // the face is normal to `axis`; b and c are the axes in it
        int axis = face / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
        float side = face % 2 ? 1.0f : -1.0f;
        for (int k = 0; k < 4; k++) {
            float p[3], n[3] = {0, 0, 0};
            p[axis] = side * size[axis];
            p[b] = side * corner[k][0] * size[b];
            p[c] = corner[k][1] * size[c];
            n[axis] = side;
            size_t at = 3 * (size_t)(4 * face + k); // first coordinate of the point
            fm_f3_store(mesh->points + at,
                        fm_f3_add(centre, rotate(shape->rotation, fm_f3_load(p))));
            fm_f3_store(mesh->normals + at, rotate(shape->rotation, fm_f3_load(n)));
        }
        const int i = 4 * face, triangles[6] = {i, i + 1, i + 2, i, i + 2, i + 3};
        memcpy(mesh->triangles + 6 * (size_t)face, triangles, sizeof triangles);
    }
    return true;
}

enum {
    CIRCLE_POINTS = 64, // points of a circle
    RINGS = 33,         // circles of latitude of an ellipsoid, poles included
};

// Writes the triangles between circle `ring` and the next one; circles have CIRCLE_POINTS + 1
// points. Returns the place for the next triangle.
static int *connect_rings(int *triangle, int ring)
{
    for (int i = 0; i < CIRCLE_POINTS; i++) {
        int a = ring * (CIRCLE_POINTS + 1) + i, b = a + CIRCLE_POINTS + 1;
        const int triangles[6] = {a, b, b + 1, a, b + 1, a + 1};
        memcpy(triangle, triangles, sizeof triangles);
        triangle += 6;
    }
    return triangle;
}

// Adds a cylinder or a cone, which has the radius `end_radius`, m, at its end: two end discs and
// the side, two circles each, so that normals are not shared across edges.
static bool add_cone(fm_drawing *drawing, const fm_shape *shape, double end_radius,
                     const fm_paint *paint, fm_error *err)
{
    fm_triangle_mesh *mesh =
        fm_drawing_create_mesh(drawing, paint, 6 * (CIRCLE_POINTS + 1), 3 * 2 * CIRCLE_POINTS, err);
    if (!mesh)
        return false;
    fm_float3 from = fm_f3_from_vec3(shape->start),
              axis = fm_f3_sub(fm_f3_from_vec3(shape->end), from);
    float length = fm_f3_length(axis), first = (float)shape->radius, last = (float)end_radius;
    fm_float3 up = fm_f3_unit(axis);
    // `other` is not nearly parallel to the axis
    fm_float3 other = fabsf(up.x) < 0.6f ? fm_f3(1, 0, 0) : fm_f3(0, 1, 0);
    fm_float3 a = fm_f3_unit(fm_f3_cross(up, other)), b = fm_f3_cross(a, up);
    const float radius[6] = {0, first, first, last, last, 0}, height[6] = {0, 0, 0, 1, 1, 1};
    // component along the axis of the normals of start disc, side and end disc
    const float axial[3] = {-1, (first - last) / length, 1};
    for (int ring = 0; ring < 6; ring++) {
        float radial = ring / 2 == 1 ? 1.0f : 0.0f;
        for (int i = 0; i <= CIRCLE_POINTS; i++) {
            double angle = 2 * FM_PI * (i % CIRCLE_POINTS) / CIRCLE_POINTS;
            fm_float3 out =
                fm_f3_add_scaled(fm_f3_scale(a, (float)cos(angle)), (float)sin(angle), b);
            fm_float3 centre = fm_f3_add_scaled(from, height[ring], axis);
            size_t at = 3 * (size_t)(ring * (CIRCLE_POINTS + 1) + i);
            fm_f3_store(mesh->points + at, fm_f3_add_scaled(centre, radius[ring], out));
            fm_f3_store(mesh->normals + at, fm_f3_unit(fm_f3_add_scaled(fm_f3_scale(out, radial),
                                                                        axial[ring / 2], up)));
        }
    }
    int *triangle = mesh->triangles;
    for (int part = 0; part < 3; part++)
        triangle = connect_rings(triangle, 2 * part);
    return true;
}

// Adds an ellipsoid: a sphere of RINGS circles of latitude, scaled by the half axes and rotated.
static bool add_ellipsoid(fm_drawing *drawing, const fm_shape *shape, const fm_paint *paint,
                          fm_error *err)
{
    fm_triangle_mesh *mesh = fm_drawing_create_mesh(drawing, paint, RINGS * (CIRCLE_POINTS + 1),
                                                    (RINGS - 1) * 2 * CIRCLE_POINTS, err);
    if (!mesh)
        return false;
    fm_float3 half = fm_f3_from_vec3(shape->half_size), centre = fm_f3_from_vec3(shape->centre);
    int *triangle = mesh->triangles;
    for (int ring = 0; ring < RINGS; ring++) {
        double polar = FM_PI * ring / (RINGS - 1);
        for (int i = 0; i <= CIRCLE_POINTS; i++) {
            double angle = 2 * FM_PI * (i % CIRCLE_POINTS) / CIRCLE_POINTS;
            fm_float3 u = {(float)(sin(polar) * cos(angle)), (float)-cos(polar),
                           (float)(sin(polar) * sin(angle))};
            fm_float3 n = fm_f3_unit(fm_f3(u.x / half.x, u.y / half.y, u.z / half.z));
            size_t at = 3 * (size_t)(ring * (CIRCLE_POINTS + 1) + i);
            fm_f3_store(mesh->points + at,
                        fm_f3_add(centre, rotate(shape->rotation, fm_f3_mul(half, u))));
            fm_f3_store(mesh->normals + at, rotate(shape->rotation, n));
        }
        if (ring + 1 < RINGS)
            triangle = connect_rings(triangle, ring);
    }
    return true;
}

// Adds a capsule as a tube between two spheres. end_radius 0: the same radius at both ends.
static bool add_capsule(fm_drawing *drawing, const fm_shape *shape, const fm_paint *paint,
                        fm_error *err)
{
    float ends[6], radii[2] = {(float)shape->radius, (float)shape->end_radius};
    if (!(shape->end_radius > 0))
        radii[1] = radii[0];
    fm_f3_store(ends, fm_f3_from_vec3(shape->start));
    fm_f3_store(ends + 3, fm_f3_from_vec3(shape->end));
    bool good = fm_drawing_add_spheres(drawing, ends, radii, 2, paint, err);
    if (good)
        drawing->sphere_lists[drawing->sphere_list_count - 1].joined = true;
    return good;
}

// Adds a collider shape. Planes are not drawn, and meshes are added elsewhere.
bool fm_drawing_add_shape(fm_drawing *drawing, const fm_shape *shape, const fm_paint *paint,
                          fm_error *err)
{
    assert(err->status != FM_OK || (drawing && shape));
    float centre[3], radius = (float)shape->radius;
    switch (shape->kind) {
    case FM_SHAPE_SPHERE:
        fm_f3_store(centre, fm_f3_from_vec3(shape->centre));
        return fm_drawing_add_spheres(drawing, centre, &radius, 1, paint, err);
    case FM_SHAPE_CAPSULE:
        return add_capsule(drawing, shape, paint, err);
    case FM_SHAPE_BOX:
        return add_box(drawing, shape, paint, err);
    case FM_SHAPE_CYLINDER:
        return add_cone(drawing, shape, shape->radius, paint, err);
    case FM_SHAPE_CONE:
        return add_cone(drawing, shape, shape->end_radius, paint, err);
    case FM_SHAPE_ELLIPSOID:
        return add_ellipsoid(drawing, shape, paint, err);
    case FM_SHAPE_PLANE:
    case FM_SHAPE_MESH:
        break;
    }
    return err->status == FM_OK;
}
