// SPDX-License-Identifier: MIT
// hull.c: closed triangle meshes of shapes, for contact.
//
// Round shapes are circles of points about an axis, joined by triangles. A polygon about a circle
// of radius r is r (1 - cos(pi/n)) off at most; points are put half of that outside, so that the
// mesh is as much too large as it is too small. Edges of boxes, rims and tips are exact.
#include "collide/collide.h"

#include <stdlib.h>
#include <string.h>

static const double OFF = 5e-4;        // m, as far as a mesh may be off
static const double PLANE_REACH = 100; // m, half the width of what stands for a plane
enum { LEAST_AROUND = 16, MOST_AROUND = 96 };

// One circle: where it is along the axis, and how wide.
typedef struct ring {
    double along, radius; // m
} ring;

static int choose_around(double radius)
{
    double angle = acos(fmax(-1, 1 - 2 * OFF / fmax(radius, 2 * OFF)));
    double n = ceil(FM_PI / angle);
    return n < LEAST_AROUND ? LEAST_AROUND : n > MOST_AROUND ? MOST_AROUND : (int)n;
}

static bool alloc_hull(fm_hull *hull, int vertices, int triangles)
{
    hull->vertices = malloc(((size_t)vertices + 1) * sizeof *hull->vertices);
    hull->triangles = malloc(((size_t)triangles + 1) * sizeof *hull->triangles);
    hull->vertex_count = hull->triangle_count = 0;
    return hull->vertices && hull->triangles;
}

static void add_triangle(fm_hull *hull, int a, int b, int c)
{
    int *t = hull->triangles[hull->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
}

// A body of revolution about the unit vector `up` from `origin`, with points at both ends.
static bool revolve(fm_hull *hull, fm_vec3 origin, fm_vec3 up, const ring *rings, int count,
                    double bottom, double top, int around)
{
    if (!alloc_hull(hull, count * around + 2, 2 * count * around))
        return false;
    fm_vec3 least = fabs(up.x) < 0.6 ? (fm_vec3){1, 0, 0} : (fm_vec3){0, 1, 0};
    fm_vec3 a = fm_cross(up, least);
    a = fm_scale(a, 1 / fm_length(a));
    fm_vec3 b = fm_cross(up, a);
    for (int r = 0; r < count; r++) {
        for (int i = 0; i < around; i++) {
            double angle = 2 * FM_PI * i / around;
            fm_vec3 out = fm_add_scaled(fm_scale(a, cos(angle)), b, sin(angle));
            fm_vec3 centre = fm_add_scaled(origin, up, rings[r].along);
            hull->vertices[r * around + i] = fm_add_scaled(centre, out, rings[r].radius);
        }
    }
    int low = count * around, high = low + 1;
    hull->vertices[low] = fm_add_scaled(origin, up, bottom);
    hull->vertices[high] = fm_add_scaled(origin, up, top);
    hull->vertex_count = high + 1;
    for (int i = 0; i < around; i++) {
        int next = (i + 1) % around, last = (count - 1) * around;
        add_triangle(hull, low, next, i);
        add_triangle(hull, high, last + i, last + next);
        for (int r = 0; r + 1 < count; r++) {
            int p = r * around + i, q = r * around + next;
            add_triangle(hull, p, q, p + around);
            add_triangle(hull, q, q + around, p + around);
        }
    }
    return true;
}

// From pole to pole around two centres `length` apart: a sphere when that is 0.
static bool make_capsule(fm_hull *hull, fm_vec3 start, fm_vec3 up, double length, double radius,
                         double end_radius)
{
    enum { MOST_RINGS = 2 * MOST_AROUND };
    ring rings[MOST_RINGS];
    int around = choose_around(fmax(radius, end_radius)), half = around / 4, count = 0;
    double wider = 1 / sqrt(cos(FM_PI / around)); // half outside
    // the cone between touches both balls where its normal leans by this
    double lean = length > 0 ? asin(fmax(-1, fmin(1, (radius - end_radius) / length))) : 0;
    double first = radius * wider, last = end_radius * wider;
    for (int k = 1; k <= half; k++) {
        double angle = -FM_PI / 2 + (FM_PI / 2 + lean) * k / half;
        rings[count++] = (ring){first * sin(angle), first * cos(angle)};
    }
    for (int k = length > 0 ? 0 : 1; k < half; k++) {
        double angle = lean + (FM_PI / 2 - lean) * k / half;
        rings[count++] = (ring){length + last * sin(angle), last * cos(angle)};
    }
    return revolve(hull, start, up, rings, count, -first, length + last, around);
}

static bool make_cone(fm_hull *hull, const fm_shape *shape, double end_radius)
{
    fm_vec3 axis = fm_sub(shape->end, shape->start);
    double length = fm_length(axis), most = fmax(shape->radius, end_radius);
    int around = choose_around(most);
    double wider = 1 / sqrt(cos(FM_PI / around));
    ring rings[2] = {{0, shape->radius * wider}, {length, end_radius * wider}};
    return revolve(hull, shape->start, fm_scale(axis, 1 / length), rings, end_radius > 0 ? 2 : 1, 0,
                   length, around);
}

static bool make_box(fm_hull *hull, const fm_shape *shape)
{
    static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (!alloc_hull(hull, 8, 12))
        return false;
    hull->vertex_count = 8;
    for (int i = 0; i < 8; i++) {
        fm_vec3 corner = {i & 1 ? shape->half_size.x : -shape->half_size.x,
                          i & 2 ? shape->half_size.y : -shape->half_size.y,
                          i & 4 ? shape->half_size.z : -shape->half_size.z};
        hull->vertices[i] = fm_add(shape->centre, fm_quat_rotate(shape->rotation, corner));
    }
    for (int s = 0; s < 6; s++) {
        add_triangle(hull, sides[s][0], sides[s][1], sides[s][2]);
        add_triangle(hull, sides[s][0], sides[s][2], sides[s][3]);
    }
    return true;
}

static bool make_ellipsoid(fm_hull *hull, const fm_shape *shape)
{
    double most = fmax(shape->half_size.x, fmax(shape->half_size.y, shape->half_size.z));
    if (!make_capsule(hull, (fm_vec3){0}, (fm_vec3){0, 1, 0}, 0, most, most))
        return false;
    for (int i = 0; i < hull->vertex_count; i++) {
        fm_vec3 p = fm_scale(hull->vertices[i], 1 / most);
        p = (fm_vec3){p.x * shape->half_size.x, p.y * shape->half_size.y, p.z * shape->half_size.z};
        hull->vertices[i] = fm_add(shape->centre, fm_quat_rotate(shape->rotation, p));
    }
    return true;
}

// A square of it, seen from above.
static bool make_plane(fm_hull *hull, const fm_shape *shape)
{
    fm_vec3 up = shape->normal, least = fabs(up.x) < 0.6 ? (fm_vec3){1, 0, 0} : (fm_vec3){0, 1, 0};
    fm_vec3 a = fm_cross(up, least);
    a = fm_scale(a, 1 / fm_length(a));
    fm_vec3 b = fm_cross(up, a);
    if (!alloc_hull(hull, 4, 2))
        return false;
    hull->vertex_count = 4;
    for (int i = 0; i < 4; i++) {
        double s = i == 1 || i == 2 ? PLANE_REACH : -PLANE_REACH,
               t = i < 2 ? -PLANE_REACH : PLANE_REACH;
        hull->vertices[i] = fm_add_scaled(fm_add_scaled(shape->centre, a, s), b, t);
    }
    add_triangle(hull, 0, 1, 2);
    add_triangle(hull, 0, 2, 3);
    return true;
}

bool fm_shape_hull(const fm_shape *shape, fm_hull *hull, fm_error *err)
{
    bool good = false;
    *hull = (fm_hull){.closed = shape->kind != FM_SHAPE_PLANE};
    fm_vec3 axis = fm_sub(shape->end, shape->start);
    double length = fm_length(axis);
    switch (shape->kind) {
    case FM_SHAPE_PLANE:
        good = make_plane(hull, shape);
        break;
    case FM_SHAPE_SPHERE:
        good =
            make_capsule(hull, shape->centre, (fm_vec3){0, 1, 0}, 0, shape->radius, shape->radius);
        break;
    case FM_SHAPE_CAPSULE: {
        double last = shape->end_radius > 0 ? shape->end_radius : shape->radius;
        bool point = length <= fabs(shape->radius - last); // one ball holds the other
        fm_vec3 up = length > 0 ? fm_scale(axis, 1 / length) : (fm_vec3){0, 1, 0};
        fm_vec3 from = point && last > shape->radius ? shape->end : shape->start;
        double most = fmax(shape->radius, last);
        good = point ? make_capsule(hull, from, up, 0, most, most)
                     : make_capsule(hull, from, up, length, shape->radius, last);
        break;
    }
    case FM_SHAPE_BOX:
        good = make_box(hull, shape);
        break;
    case FM_SHAPE_CYLINDER:
        good = make_cone(hull, shape, shape->radius);
        break;
    case FM_SHAPE_CONE:
        good = make_cone(hull, shape, shape->end_radius);
        break;
    case FM_SHAPE_ELLIPSOID:
        good = make_ellipsoid(hull, shape);
        break;
    case FM_SHAPE_MESH:
        break;
    }
    if (!good) {
        fm_hull_free(hull);
        return fm_fail_no_memory(err, "collider", 1);
    }
    return true;
}

void fm_hull_free(fm_hull *hull)
{
    free(hull->vertices);
    free(hull->triangles);
    *hull = (fm_hull){0};
}
