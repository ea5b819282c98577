// SPDX-License-Identifier: MIT
// triangulate.c: triangle meshes of collider shapes, for contact. Closed, except those of planes.
//
// A round shape is a sequence of rings of vertices around an axis, joined by triangles. A regular
// n-gon inscribed in a circle of radius r deviates by r (1 - cos(pi/n)) at most; the vertices are
// placed half of that outside the circle, so that the mesh is as much too large as it is too small.
// Edges of boxes, rims and tips are exact.
#include "collide/collide.h"

#include <stdlib.h>
#include <string.h>

static const double MAX_DEVIATION = 5e-4; // m, largest deviation of a mesh from its shape
static const double PLANE_REACH = 100;    // m, half the side of the square that stands for a plane
enum { MIN_SEGMENTS = 16, MAX_SEGMENTS = 96 }; // segments of a circle

// One ring of vertices: its position along the axis and its radius.
typedef struct ring {
    double along, radius; // m
} ring;

// Number of segments of a circle so that its polygon deviates by at most MAX_DEVIATION: half of
// that inside and half outside.
static int choose_segment_count(double radius)
{
    double angle = acos(fmax(-1, 1 - 2 * MAX_DEVIATION / fmax(radius, 2 * MAX_DEVIATION)));
    double n = ceil(FM_PI / angle);
    return n < MIN_SEGMENTS ? MIN_SEGMENTS : n > MAX_SEGMENTS ? MAX_SEGMENTS : (int)n;
}

// Allocates the mesh for `points` and `triangles`, with a face count of 0, which add_triangle
// increases.
static bool create_empty_mesh(fm_mesh_data *mesh, int points, int triangles)
{
    fm_error ignored = {0};
    bool good = fm_mesh_data_create(mesh, &(fm_mesh_size){.points = points, .faces = triangles},
                                    "collider", &ignored);
    mesh->face_count = 0;
    return good;
}

// Appends a triangle with the points a, b and c.
static void add_triangle(fm_mesh_data *mesh, int a, int b, int c)
{
    int *t = mesh->face_points + 3 * (size_t)mesh->face_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

// Creates a surface of revolution about the unit vector `up` through `origin`: `count` rings of
// `segments` vertices, closed by one vertex at each end. bottom, top: positions of these two along
// the axis, m.
static bool revolve(fm_mesh_data *mesh, fm_vec3 origin, fm_vec3 up, const ring *rings, int count,
                    double bottom, double top, int segments)
{
    if (!create_empty_mesh(mesh, count * segments + 2, 2 * count * segments))
        return false;
    // an axis far from parallel to `up`, and two unit vectors perpendicular to `up`
    fm_vec3 other = fabs(up.x) < 0.6 ? (fm_vec3){1, 0, 0} : (fm_vec3){0, 1, 0};
    fm_vec3 a = fm_cross(up, other);
    a = fm_scale(a, 1 / fm_length(a));
    fm_vec3 b = fm_cross(up, a);
    for (int r = 0; r < count; r++) {
        for (int i = 0; i < segments; i++) {
            double angle = 2 * FM_PI * i / segments;
            fm_vec3 out = fm_add_scaled(fm_scale(a, cos(angle)), b, sin(angle));
            fm_vec3 centre = fm_add_scaled(origin, up, rings[r].along);
            mesh->points[r * segments + i] = fm_add_scaled(centre, out, rings[r].radius);
        }
    }
    int low = count * segments, high = low + 1;
    mesh->points[low] = fm_add_scaled(origin, up, bottom);
    mesh->points[high] = fm_add_scaled(origin, up, top);
    for (int i = 0; i < segments; i++) {
        int next = (i + 1) % segments, last = (count - 1) * segments;
        add_triangle(mesh, low, next, i);
        add_triangle(mesh, high, last + i, last + next);
        for (int r = 0; r + 1 < count; r++) {
            int p = r * segments + i, q = r * segments + next;
            add_triangle(mesh, p, q, p + segments);
            add_triangle(mesh, q, q + segments, p + segments);
        }
    }
    return true;
}

// A tapered capsule: two spheres `length` apart and the cone between them. A sphere if length is 0.
static bool create_capsule(fm_mesh_data *mesh, fm_vec3 start, fm_vec3 up, double length,
                           double radius, double end_radius)
{
    enum { MAX_RINGS = 2 * MAX_SEGMENTS };
    ring rings[MAX_RINGS];
    int segments = choose_segment_count(fmax(radius, end_radius)), half = segments / 4, count = 0;
    // places the vertices outside the circle by half of the polygon's deviation
    double radius_factor = 1 / sqrt(cos(FM_PI / segments));
    // angle between the cone's normal and the plane across the axis
    double lean = length > 0 ? asin(fmax(-1, fmin(1, (radius - end_radius) / length))) : 0;
    double first = radius * radius_factor, last = end_radius * radius_factor;
    for (int k = 1; k <= half; k++) {
        double angle = -FM_PI / 2 + (FM_PI / 2 + lean) * k / half;
        rings[count++] = (ring){first * sin(angle), first * cos(angle)};
    }
    for (int k = length > 0 ? 0 : 1; k < half; k++) {
        double angle = lean + (FM_PI / 2 - lean) * k / half;
        rings[count++] = (ring){length + last * sin(angle), last * cos(angle)};
    }
    return revolve(mesh, start, up, rings, count, -first, length + last, segments);
}

// Mesh of a cone or cylinder. The last ring is left out if end_radius is 0: the tip is one vertex.
static bool create_cone(fm_mesh_data *mesh, const fm_shape *shape, double end_radius)
{
    fm_vec3 axis = fm_sub(shape->end, shape->start);
    double length = fm_length(axis), most = fmax(shape->radius, end_radius);
    int segments = choose_segment_count(most);
    // places the vertices outside the circle by half of the polygon's deviation
    double radius_factor = 1 / sqrt(cos(FM_PI / segments));
    ring rings[2] = {{0, shape->radius * radius_factor}, {length, end_radius * radius_factor}};
    return revolve(mesh, shape->start, fm_scale(axis, 1 / length), rings, end_radius > 0 ? 2 : 1, 0,
                   length, segments);
}

// Mesh of a rotated box: eight points, two triangles per side.
static bool create_box(fm_mesh_data *mesh, const fm_shape *shape)
{
    // corners of each side, counterclockwise from outside; bits 0, 1, 2 of a corner: +x, +y, +z
    static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (!create_empty_mesh(mesh, 8, 12))
        return false;
    for (int i = 0; i < 8; i++) {
        fm_vec3 corner = {i & 1 ? shape->half_size.x : -shape->half_size.x,
                          i & 2 ? shape->half_size.y : -shape->half_size.y,
                          i & 4 ? shape->half_size.z : -shape->half_size.z};
        mesh->points[i] = fm_add(shape->centre, fm_quat_rotate(shape->rotation, corner));
    }
    for (int s = 0; s < 6; s++) {
        add_triangle(mesh, sides[s][0], sides[s][1], sides[s][2]);
        add_triangle(mesh, sides[s][0], sides[s][2], sides[s][3]);
    }
    return true;
}

// Mesh of an ellipsoid: that of a sphere, scaled and rotated.
static bool create_ellipsoid(fm_mesh_data *mesh, const fm_shape *shape)
{
    double most = fmax(shape->half_size.x, fmax(shape->half_size.y, shape->half_size.z));
    if (!create_capsule(mesh, (fm_vec3){0}, (fm_vec3){0, 1, 0}, 0, most, most))
        return false;
    for (int i = 0; i < mesh->point_count; i++) {
        fm_vec3 p = fm_scale(mesh->points[i], 1 / most);
        p = (fm_vec3){p.x * shape->half_size.x, p.y * shape->half_size.y, p.z * shape->half_size.z};
        mesh->points[i] = fm_add(shape->centre, fm_quat_rotate(shape->rotation, p));
    }
    return true;
}

// A square part of the plane, 200 m wide; its triangles are counterclockwise seen from above.
static bool create_plane(fm_mesh_data *mesh, const fm_shape *shape)
{
    // an axis far from parallel to `up`, and two unit vectors perpendicular to `up`
    fm_vec3 up = shape->normal, other = fabs(up.x) < 0.6 ? (fm_vec3){1, 0, 0} : (fm_vec3){0, 1, 0};
    fm_vec3 a = fm_cross(up, other);
    a = fm_scale(a, 1 / fm_length(a));
    fm_vec3 b = fm_cross(up, a);
    if (!create_empty_mesh(mesh, 4, 2))
        return false;
    for (int i = 0; i < 4; i++) {
        double s = i == 1 || i == 2 ? PLANE_REACH : -PLANE_REACH,
               t = i < 2 ? -PLANE_REACH : PLANE_REACH;
        mesh->points[i] = fm_add_scaled(fm_add_scaled(shape->centre, a, s), b, t);
    }
    add_triangle(mesh, 0, 1, 2);
    add_triangle(mesh, 0, 2, 3);
    return true;
}

// Creates a triangle mesh of a shape. The caller destroys it with fm_mesh_data_destroy.
bool fm_shape_triangulate(const fm_shape *shape, fm_mesh_data *mesh, fm_error *err)
{
    bool good = false;
    *mesh = (fm_mesh_data){0};
    fm_vec3 axis = fm_sub(shape->end, shape->start);
    double length = fm_length(axis);
    switch (shape->kind) {
    case FM_SHAPE_PLANE:
        good = create_plane(mesh, shape);
        break;
    case FM_SHAPE_SPHERE:
        good = create_capsule(mesh, shape->centre, (fm_vec3){0, 1, 0}, 0, shape->radius,
                              shape->radius);
        break;
    case FM_SHAPE_CAPSULE: {
        double last = shape->end_radius > 0 ? shape->end_radius : shape->radius;
        // the larger of the two spheres contains the other one
        bool one_sphere = length <= fabs(shape->radius - last);
        fm_vec3 up = length > 0 ? fm_scale(axis, 1 / length) : (fm_vec3){0, 1, 0};
        fm_vec3 from = one_sphere && last > shape->radius ? shape->end : shape->start;
        double most = fmax(shape->radius, last);
        good = one_sphere ? create_capsule(mesh, from, up, 0, most, most)
                          : create_capsule(mesh, from, up, length, shape->radius, last);
        break;
    }
    case FM_SHAPE_BOX:
        good = create_box(mesh, shape);
        break;
    case FM_SHAPE_CYLINDER:
        good = create_cone(mesh, shape, shape->radius);
        break;
    case FM_SHAPE_CONE:
        good = create_cone(mesh, shape, shape->end_radius);
        break;
    case FM_SHAPE_ELLIPSOID:
        good = create_ellipsoid(mesh, shape);
        break;
    case FM_SHAPE_MESH:
        break;
    }
    if (!good) {
        fm_mesh_data_destroy(mesh);
        return fm_fail_no_memory(err, "collider", 1);
    }
    return true;
}
