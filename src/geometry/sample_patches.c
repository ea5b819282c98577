// SPDX-License-Identifier: MIT
// sample_patches.c: the patch of a triangle, line or point that a quadrature point
// (core/surface_samples.h) stands for.
//
// Every patch is described as a triangle around its centroid, the quadrature point. With r the
// vector from the centroid to a point, the point lies in the patch where
//
//     u > -1/3,  v > -1/3,  u + v < 1/3,     u = r.along,  v = r.across
//
// u + 1/3 and v + 1/3 are barycentric coordinates of the patch, and along and across are their
// gradients, 1/m. A triangle whose sides are cut into n parts has n^2 patches similar to itself. A
// patch of a line has the area length x thickness, that of a point thickness^2. Both are described
// as a right triangle of the same area, whose legs are sqrt(2) times length and thickness.
#include "geometry/geometry.h"

// Patch of one of the parts^2 triangles similar to the triangle with the given corners. parts < 0:
// of one that is rotated by 180 degrees.
fm_sample_patch fm_sample_patch_of_triangle(const fm_vec3 corner[3], double parts)
{
    fm_vec3 a = corner[0], b = corner[1], c = corner[2];
    fm_vec3 centroid = fm_scale(fm_add(a, fm_add(b, c)), 1.0 / 3), n;
    double reach = fmax(fm_length(fm_sub(a, centroid)), fm_length(fm_sub(b, centroid)));
    reach = fmax(reach, fm_length(fm_sub(c, centroid)));
    n = fm_cross(fm_sub(b, a), fm_sub(c, a));
    double square = fm_dot(n, n) + 1e-200; // not 0, so that a triangle without area gives zeros
    fm_sample_patch patch = {.area = fm_length(n) / (2 * parts * parts),
                             .reach = reach / fabs(parts),
                             .along = fm_scale(fm_cross(fm_sub(c, a), n), parts / square),
                             .across = fm_scale(fm_cross(n, fm_sub(b, a)), parts / square)};
    fm_normalize(&n);
    patch.normal = n;
    return patch;
}

// Patch of a rectangle of length x width, m. along, side: unit vectors of its sides, perpendicular
// to each other. The gradients are those of the right triangle with the legs sqrt(2) length and
// sqrt(2) width, which has the same area.
static fm_sample_patch patch_of_rectangle(fm_vec3 along, fm_vec3 side, double length, double width)
{
    return (fm_sample_patch){.normal = fm_cross(along, side),
                             .area = length * width,
                             .reach = hypot(length, width) / 2,
                             .along = fm_scale(along, sqrt(0.5) / length),
                             .across = fm_scale(side, sqrt(0.5) / width)};
}

// Patch of one of `parts` equal pieces of a line. It is a rectangle as wide as the line is thick,
// m, in an arbitrary direction across the line.
fm_sample_patch fm_sample_patch_of_line(const fm_vec3 end[2], double parts, double thickness)
{
    fm_vec3 along = fm_sub(end[1], end[0]);
    double length = fm_length(along) / parts;
    if (!fm_normalize(&along))
        return fm_sample_patch_of_point(thickness);
    // an axis that is far from parallel to the line
    fm_vec3 other = fabs(along.x) < 0.6 ? (fm_vec3){1, 0, 0} : (fm_vec3){0, 1, 0};
    fm_vec3 side = fm_cross(along, other);
    fm_normalize(&side);
    return patch_of_rectangle(along, side, length, thickness);
}

// Patch of a point: a square with the side `thickness`, m.
fm_sample_patch fm_sample_patch_of_point(double thickness)
{
    return patch_of_rectangle((fm_vec3){0, 0, 1}, (fm_vec3){1, 0, 0}, thickness, thickness);
}
