// SPDX-License-Identifier: MIT
// solids.c: signed distances of cylinders, cones and ellipsoids. All of them are convex.
//
// Cylinder and cone are turned about the axis from `start` to `end`: with z along it and r across
// it, both are the trapezoid (0, 0) (R, 0) (S, h) (0, h). Inside it the distance is that to the
// nearest of the three edges that are surface, outside that to the nearest of their points.
//
// Ellipsoid: the closest point x of p in the frame of the axes is
//
//     x_i = a_i^2 p_i / (t + a_i^2),      sum (x_i / a_i)^2 = 1
//
// with t the largest root. In s = (t + a^2) / a^2, a the smallest of the a_i, every term is
// convex and falls, so that Newton's iteration from below, s >= |p| / a, climbs to the root
// without overshooting, in 4 to 10 steps; near the middle plane of the smallest axis, where the
// root comes close to a pole, s itself keeps its digits. Where p lies in that plane and too deep
// for a root, the two closest points lie off the plane and one is taken.
//
//   R, S  radii at start and end, m    h  length of the axis, m    a_i  half axes, m
//
// [EBE] Eberly: Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid.
//       Geometric Tools, 2013.
#include "collide/collide.h"

#include <float.h>

enum { MAX_STEPS = 100 };

typedef struct flat { // a vector in the plane of the trapezoid: across and along the axis
    double r, z;
} flat;

typedef struct profile_contact {
    double distance;
    flat normal, point;
} profile_contact;

// The nearest point of the edge from a to b, with its outward normal n, from p.
static profile_contact contact_edge(flat a, flat b, flat n, flat p, double least)
{
    flat along = {b.r - a.r, b.z - a.z}, from = {p.r - a.r, p.z - a.z};
    double square = along.r * along.r + along.z * along.z;
    double share = square > 0 ? (from.r * along.r + from.z * along.z) / square : 0;
    if (share > 0 && share < 1) {
        double d = from.r * n.r + from.z * n.z;
        return (profile_contact){d, n, {p.r - d * n.r, p.z - d * n.z}};
    }
    flat corner = share <= 0 ? a : b, away = {p.r - corner.r, p.z - corner.z};
    double length = sqrt(away.r * away.r + away.z * away.z);
    if (length <= least) // on the corner: its edge decides
        return (profile_contact){from.r * n.r + from.z * n.z, n, corner};
    return (profile_contact){length, {away.r / length, away.z / length}, corner};
}

static profile_contact contact_profile(double R, double S, double h, flat p, double least)
{
    double slant = sqrt(h * h + (R - S) * (R - S));
    const flat corner[4] = {{0, 0}, {R, 0}, {S, h}, {0, h}};
    const flat normal[3] = {{0, -1}, {h / slant, (R - S) / slant}, {0, 1}};
    double deep[3], most = -INFINITY;
    int face = 0;
    for (int i = 0; i < 3; i++) {
        flat a = corner[i];
        deep[i] = (p.r - a.r) * normal[i].r + (p.z - a.z) * normal[i].z;
        if (deep[i] > most)
            most = deep[i], face = i;
    }
    if (most <= 0)
        return (profile_contact){
            most, normal[face], {p.r - most * normal[face].r, p.z - most * normal[face].z}};
    profile_contact nearest = {.distance = INFINITY};
    for (int i = 0; i < 3; i++) {
        profile_contact contact = contact_edge(corner[i], corner[i + 1], normal[i], p, least);
        if (deep[i] > 0 && contact.distance < nearest.distance)
            nearest = contact;
    }
    return nearest;
}

fm_contact fm_cone_contact(const fm_shape *shape, double end_radius, fm_vec3 point)
{
    fm_vec3 axis = fm_sub(shape->end, shape->start), from = fm_sub(point, shape->start);
    double h = fm_length(axis);
    axis = fm_scale(axis, 1 / h);
    double z = fm_dot(from, axis);
    fm_vec3 across = fm_add_scaled(from, axis, -z);
    double r = fm_length(across);
    double rounding = 16 * DBL_EPSILON * (fm_largest(point) + fm_largest(shape->start) + h);
    // what rounding leaves of a point on the axis may point along it
    fm_vec3 out = r > rounding ? fm_scale(across, 1 / r) : fm_find_perpendicular(axis);
    profile_contact found = contact_profile(shape->radius, end_radius, h, (flat){r, z}, rounding);
    fm_vec3 on_axis = fm_add_scaled(shape->start, axis, found.point.z);
    return (fm_contact){
        .distance = found.distance,
        .point = fm_add_scaled(on_axis, out, found.point.r),
        .normal = fm_add_scaled(fm_scale(out, found.normal.r), axis, found.normal.z),
    };
}

// Room that a disc across the unit axis takes along each coordinate.
static fm_vec3 disc_half(fm_vec3 axis, double radius)
{
    return (fm_vec3){radius * sqrt(fmax(0, 1 - axis.x * axis.x)),
                     radius * sqrt(fmax(0, 1 - axis.y * axis.y)),
                     radius * sqrt(fmax(0, 1 - axis.z * axis.z))};
}

void fm_cone_bound(const fm_shape *shape, double end_radius, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 axis = fm_sub(shape->end, shape->start);
    fm_make_unit(&axis);
    fm_vec3 first = disc_half(axis, shape->radius), last = disc_half(axis, end_radius);
    fm_box box = fm_box_empty();
    fm_box_add(&box, fm_sub(shape->start, first));
    fm_box_add(&box, fm_add(shape->start, first));
    fm_box_add(&box, fm_sub(shape->end, last));
    fm_box_add(&box, fm_add(shape->end, last));
    *low = box.low;
    *high = box.high;
}

// Of the largest root s; k_i = (a_i / a)^2 - 1 >= 0 and g_i = a_i p_i / a^2.
static double find_root(const double g[3], const double k[3])
{
    double s = 0;
    for (int i = 0; i < 3; i++)
        s = fmax(s, g[i] - k[i]);
    for (int step = 0; step < MAX_STEPS; step++) {
        double sum = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            double below = s + k[i], term = g[i] > 0 ? g[i] / below : 0;
            sum += term * term;
            slope += g[i] > 0 ? 2 * term * term / below : 0;
        }
        double next = s + sum / slope;
        if (!(next > s))
            break;
        s = next;
    }
    return s;
}

// The point of the ellipsoid closest to p >= 0 in the frame of its axes. i: the smallest axis.
static void find_closest(const double a[3], const double p[3], int i, double x[3])
{
    double g[3], k[3], middle_sum = 0;
    for (int j = 0; j < 3; j++) {
        double ratio = a[j] / a[i];
        k[j] = j == i ? 0 : (ratio - 1) * (ratio + 1);
        g[j] = ratio * (p[j] / a[i]);
        double share = k[j] > 0 ? g[j] / k[j] : g[j] > 0 ? INFINITY : 0;
        middle_sum += share * share;
    }
    if (middle_sum < 1) { // in the middle plane, too deep for a root
        double left = 1;
        for (int j = 0; j < 3; j++) {
            double share = k[j] > 0 ? g[j] / k[j] : 0; // x over its half axis
            x[j] = a[j] * share;
            left -= share * share;
        }
        x[i] = a[i] * sqrt(fmax(left, 0));
        return;
    }
    double s = find_root(g, k);
    for (int j = 0; j < 3; j++)
        x[j] = g[j] > 0 ? a[j] * (g[j] / (s + k[j])) : 0;
}

fm_contact fm_ellipsoid_contact(const fm_shape *shape, fm_vec3 point)
{
    fm_vec3 half = shape->half_size;
    fm_quat to_axes = fm_quat_inverse(shape->rotation);
    fm_vec3 q = fm_quat_rotate(to_axes, fm_sub(point, shape->centre));
    const double a[3] = {half.x, half.y, half.z}, p[3] = {fabs(q.x), fabs(q.y), fabs(q.z)};
    int i = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
    double x[3];
    find_closest(a, p, i, x);
    fm_vec3 closest = {copysign(x[0], q.x), copysign(x[1], q.y), copysign(x[2], q.z)};
    double small = a[i];
    fm_vec3 normal = {closest.x / half.x * (small / half.x), closest.y / half.y * (small / half.y),
                      closest.z / half.z * (small / half.z)};
    fm_make_unit(&normal);
    fm_contact contact = {
        .distance = fm_dot(fm_sub(q, closest), normal),
        .point = fm_add(shape->centre, fm_quat_rotate(shape->rotation, closest)),
        .normal = fm_quat_rotate(shape->rotation, normal),
    };
    return contact;
}

void fm_ellipsoid_bound(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 x = fm_quat_rotate(shape->rotation, (fm_vec3){shape->half_size.x, 0, 0});
    fm_vec3 y = fm_quat_rotate(shape->rotation, (fm_vec3){0, shape->half_size.y, 0});
    fm_vec3 z = fm_quat_rotate(shape->rotation, (fm_vec3){0, 0, shape->half_size.z});
    fm_vec3 half = {fm_length((fm_vec3){x.x, y.x, z.x}), fm_length((fm_vec3){x.y, y.y, z.y}),
                    fm_length((fm_vec3){x.z, y.z, z.z})};
    *low = fm_sub(shape->centre, half);
    *high = fm_add(shape->centre, half);
}
