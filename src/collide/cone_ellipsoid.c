// SPDX-License-Identifier: MIT
// cone_ellipsoid.c: signed distances of cylinders, cones and ellipsoids, which are all convex.
//
// Cylinder and cone are surfaces of revolution about the axis from `start` to `end`. With z along
// the axis and r across it, both have the profile of a trapezoid (0, 0) (R, 0) (S, h) (0, h).
// Inside, the distance is that to the nearest of the three edges that belong to the surface;
// outside, that to the nearest point of these edges.
//
// Ellipsoid: the closest point x of p in the frame of the axes is
//
//     x_i = a_i^2 p_i / (t + a_i^2),      sum (x_i / a_i)^2 = 1
//
// with t the largest root [EBE13]. In s = (t + a^2) / a^2, a the smallest of the a_i, every term is
// convex and decreasing. So Newton's iteration from below, s >= |p| / a, increases to the root
// without overshooting, in 4 to 10 steps. Near the middle plane of the smallest axis the root comes
// close to a pole, and s, unlike t, keeps its accuracy there. If p lies in that plane and is too
// deep for a root, there are two closest points, off the plane, and one of them is returned.
//
//   R, S  radii at start and end, m    h  length of the axis, m    a_i  half axes, m
//
// Full reference: docs/references.md.
#include "collide/collide.h"

#include <float.h>

enum { MAX_STEPS = 100 }; // limit for Newton's iteration; 10 suffice

// A point or vector in the plane of the profile: r across the axis, z along it, m.
typedef struct profile_point {
    double r, z;
} profile_point;

// Closest point of the profile: signed distance, m (negative inside), outward unit normal, point.
typedef struct profile_contact {
    double distance;
    profile_point normal, point;
} profile_contact;

// The nearest point to p of the profile's edge from a to b with outward normal n. Within `least` m
// of a corner, the direction from it to p is unreliable, and n is used.
static profile_contact find_edge_contact(profile_point a, profile_point b, profile_point n,
                                         profile_point p, double least)
{
    profile_point edge = {b.r - a.r, b.z - a.z}, to_p = {p.r - a.r, p.z - a.z};
    double square = edge.r * edge.r + edge.z * edge.z;
    // position of the foot of p on the edge: 0 at a, 1 at b
    double share = square > 0 ? (to_p.r * edge.r + to_p.z * edge.z) / square : 0;
    if (share > 0 && share < 1) {
        double d = to_p.r * n.r + to_p.z * n.z;
        return (profile_contact){d, n, {p.r - d * n.r, p.z - d * n.z}};
    }
    profile_point corner = share <= 0 ? a : b, away = {p.r - corner.r, p.z - corner.z};
    double length = sqrt(away.r * away.r + away.z * away.z);
    if (length <= least)
        return (profile_contact){to_p.r * n.r + to_p.z * n.z, n, corner};
    return (profile_contact){length, {away.r / length, away.z / length}, corner};
}

// Closest point to p of the trapezoid (0, 0) (R, 0) (S, h) (0, h), the profile of a cone with radii
// R and S and length h, m. Inside, all signed distances from the lines of the edges are negative,
// and the largest one is that of the nearest edge. least: as in find_edge_contact.
static profile_contact find_profile_contact(double R, double S, double h, profile_point p,
                                            double least)
{
    double slant = sqrt(h * h + (R - S) * (R - S));
    const profile_point corner[4] = {{0, 0}, {R, 0}, {S, h}, {0, h}};
    const profile_point normal[3] = {{0, -1}, {h / slant, (R - S) / slant}, {0, 1}};
    double distance[3], most = -INFINITY; // m, signed distances from the lines of the three edges
    int face = 0;
    for (int i = 0; i < 3; i++) {
        profile_point a = corner[i];
        distance[i] = (p.r - a.r) * normal[i].r + (p.z - a.z) * normal[i].z;
        if (distance[i] > most)
            most = distance[i], face = i;
    }
    if (most <= 0)
        return (profile_contact){
            most, normal[face], {p.r - most * normal[face].r, p.z - most * normal[face].z}};
    profile_contact nearest = {.distance = INFINITY};
    for (int i = 0; i < 3; i++) {
        profile_contact contact = find_edge_contact(corner[i], corner[i + 1], normal[i], p, least);
        if (distance[i] > 0 && contact.distance < nearest.distance)
            nearest = contact;
    }
    return nearest;
}

// Closest point of a cone with radii shape->radius at its start and end_radius at its end.
fm_contact fm_cone_find_contact(const fm_shape *shape, double end_radius, fm_vec3 point)
{
    fm_vec3 axis = fm_sub(shape->end, shape->start), from = fm_sub(point, shape->start);
    double h = fm_length(axis);
    axis = fm_scale(axis, 1 / h);
    double z = fm_dot(from, axis);
    fm_vec3 across = fm_add_scaled(from, axis, -z);
    double r = fm_length(across);
    // m, bound of the rounding error of r
    double rounding = 16 * DBL_EPSILON * (fm_max_norm(point) + fm_max_norm(shape->start) + h);
    // for a point on the axis, the rounding error of `across` may point along the axis
    fm_vec3 out = r > rounding ? fm_scale(across, 1 / r) : fm_vec3_find_perpendicular(axis);
    profile_contact found =
        find_profile_contact(shape->radius, end_radius, h, (profile_point){r, z}, rounding);
    fm_vec3 on_axis = fm_add_scaled(shape->start, axis, found.point.z);
    return (fm_contact){
        .distance = found.distance,
        .point = fm_add_scaled(on_axis, out, found.point.r),
        .normal = fm_add_scaled(fm_scale(out, found.normal.r), axis, found.normal.z),
    };
}

// Half extents of the bounding box of a disc perpendicular to the unit axis.
static fm_vec3 find_disc_extents(fm_vec3 axis, double radius)
{
    return (fm_vec3){radius * sqrt(fmax(0, 1 - axis.x * axis.x)),
                     radius * sqrt(fmax(0, 1 - axis.y * axis.y)),
                     radius * sqrt(fmax(0, 1 - axis.z * axis.z))};
}

// Bounding box of a cone: of the discs at its two ends.
void fm_cone_find_bounds(const fm_shape *shape, double end_radius, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 axis = fm_sub(shape->end, shape->start);
    fm_normalize(&axis);
    fm_vec3 first = find_disc_extents(axis, shape->radius),
            last = find_disc_extents(axis, end_radius);
    fm_bounds box = fm_bounds_empty();
    fm_bounds_add_point(&box, fm_sub(shape->start, first));
    fm_bounds_add_point(&box, fm_add(shape->start, first));
    fm_bounds_add_point(&box, fm_sub(shape->end, last));
    fm_bounds_add_point(&box, fm_add(shape->end, last));
    *low = box.low;
    *high = box.high;
}

// The largest root s of sum (g_i / (s + k_i))^2 = 1, by Newton's iteration from below. For an
// ellipsoid with half axes a_i, smallest a: k_i = (a_i / a)^2 - 1 >= 0 and g_i = a_i p_i / a^2.
static double find_root(const double g[3], const double k[3])
{
    double s = 0;
    for (int i = 0; i < 3; i++)
        s = fmax(s, g[i] - k[i]);
    for (int step = 0; step < MAX_STEPS; step++) {
        double sum = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            double denominator = s + k[i], term = g[i] > 0 ? g[i] / denominator : 0;
            sum += term * term;
            slope += g[i] > 0 ? 2 * term * term / denominator : 0;
        }
        double next = s + sum / slope;
        if (!(next > s))
            break;
        s = next;
    }
    return s;
}

// The point x of the ellipsoid with half axes a that is closest to p, in the frame of its axes; all
// p_j >= 0. i: index of the smallest half axis. The symbols g, k and s are those of find_root.
static void find_closest(const double a[3], const double p[3], int i, double x[3])
{
    double g[3], k[3], sum_at_zero = 0; // sum (g_j / k_j)^2: no root s > 0 exists if it is below 1
    for (int j = 0; j < 3; j++) {
        double ratio = a[j] / a[i];
        k[j] = j == i ? 0 : (ratio - 1) * (ratio + 1);
        g[j] = ratio * (p[j] / a[i]);
        double share = k[j] > 0 ? g[j] / k[j] : g[j] > 0 ? INFINITY : 0;
        sum_at_zero += share * share;
    }
    if (sum_at_zero < 1) { // p is in the middle plane of axis i and too deep for a root
        double square = 1; // (x_i / a_i)^2
        for (int j = 0; j < 3; j++) {
            double share = k[j] > 0 ? g[j] / k[j] : 0; // x_j / a_j
            x[j] = a[j] * share;
            square -= share * share;
        }
        x[i] = a[i] * sqrt(fmax(square, 0));
        return;
    }
    double s = find_root(g, k);
    for (int j = 0; j < 3; j++)
        x[j] = g[j] > 0 ? a[j] * (g[j] / (s + k[j])) : 0;
}

// Closest point of an ellipsoid with half axes shape->half_size: solves for p in the octant of
// positive coordinates and restores the signs.
fm_contact fm_ellipsoid_find_contact(const fm_shape *shape, fm_vec3 point)
{
    fm_vec3 half = shape->half_size;
    fm_quat to_axes = fm_quat_inverse(shape->rotation);
    fm_vec3 q = fm_quat_rotate(to_axes, fm_sub(point, shape->centre));
    const double a[3] = {half.x, half.y, half.z}, p[3] = {fabs(q.x), fabs(q.y), fabs(q.z)};
    int i = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
    double x[3];
    find_closest(a, p, i, x);
    fm_vec3 closest = {copysign(x[0], q.x), copysign(x[1], q.y), copysign(x[2], q.z)};
    double smallest = a[i]; // a factor that keeps the gradient x_j / a_j^2 from overflowing
    fm_vec3 normal = {closest.x / half.x * (smallest / half.x),
                      closest.y / half.y * (smallest / half.y),
                      closest.z / half.z * (smallest / half.z)};
    fm_normalize(&normal);
    fm_contact contact = {
        .distance = fm_dot(fm_sub(q, closest), normal),
        .point = fm_add(shape->centre, fm_quat_rotate(shape->rotation, closest)),
        .normal = fm_quat_rotate(shape->rotation, normal),
    };
    return contact;
}

// Bounding box of a rotated ellipsoid: its half extent along a coordinate axis is the length of
// that row of R diag(half_size).
void fm_ellipsoid_find_bounds(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high)
{
    fm_vec3 x = fm_quat_rotate(shape->rotation, (fm_vec3){shape->half_size.x, 0, 0});
    fm_vec3 y = fm_quat_rotate(shape->rotation, (fm_vec3){0, shape->half_size.y, 0});
    fm_vec3 z = fm_quat_rotate(shape->rotation, (fm_vec3){0, 0, shape->half_size.z});
    fm_vec3 half = {fm_length((fm_vec3){x.x, y.x, z.x}), fm_length((fm_vec3){x.y, y.y, z.y}),
                    fm_length((fm_vec3){x.z, y.z, z.z})};
    *low = fm_sub(shape->centre, half);
    *high = fm_add(shape->centre, half);
}
