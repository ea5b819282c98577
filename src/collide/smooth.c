// SPDX-License-Identifier: MIT
// smooth.c: regions of a grid that bend so little that they cannot touch themselves.
//
// A grid of vertices is the image of a flat rectangle: X maps (u, v), in m along rows and columns,
// to space, linear on each triangle with the gradient F, a 3 x 2 matrix whose columns are an edge
// along a row and an edge along a column over the spacings. Take any Q, 3 x 2, with orthonormal
// columns. On a region that is convex in (u, v),
//
//     (X(p) - X(q)) . Q (p - q) = integral over the line from q to p of (p - q)^T Q^T F (p - q)
//
// so if the least eigenvalue of the symmetric part of Q^T F, here called slope, is at least c on
// all its triangles, then |X(p) - X(q)| >= c |p - q|. Features without a common vertex are a
// triangle's height apart in (u, v); with c times that larger than their thickness, no two of them
// in the region are near. The least eigenvalue is concave in F, and F is linear in time on straight
// ways: what holds at both ends of a step with one Q holds all the way.
//
// Regions are rectangles of patches. A patch keeps the mean M of its edges at both ends of the way,
// with the normal n of M, and the most that an edge differs from M: d across n, b along n. Q is
// that of the polar decomposition of the region's mean, and on each of its patches
//
//     slope >= least eigenvalue of sym(Q^T M) - d - |Q^T n| b
//
// A flat patch has d = b = 0 and the slope 1; a bent one a large b, which counts as far as the
// patch is turned against the region only.
#include "collide/contact.h"
#include "core/simd.h"

#include <string.h>

enum { MOST_PATCHES = 4 }; // in a row or a column of a region: wider ones hardly are smooth

// The most that edges from one vertex to the `step`th behind it, over `spacing`, differ from the
// mean: squares of the parts across the normal and along it. used[vertex]: 1, or 0 for none.
typedef struct excess {
    double across, along;
} excess;

static FM_SIMD_CLONES excess find_excess(double x[3][FM_PATCH_VERTICES], int count, int step,
                                         const double *used, double scale, fm_vec3 mean, fm_vec3 n)
{
    double most_across = 0, most_along = 0, sum = 0;
#pragma omp simd reduction(max : most_across, most_along) reduction(+ : sum)
    for (int i = 0; i < count; i++) {
        double ex = (x[0][i + step] - x[0][i]) * scale - mean.x;
        double ey = (x[1][i + step] - x[1][i]) * scale - mean.y;
        double ez = (x[2][i + step] - x[2][i]) * scale - mean.z;
        double out = ex * n.x + ey * n.y + ez * n.z;
        double along = used[i] * out * out;
        double across = used[i] * (ex * ex + ey * ey + ez * ez) - along;
        most_across = across > most_across ? across : most_across;
        most_along = along > most_along ? along : most_along;
        sum += across;
    }
    if (!isfinite(sum)) // no numbers: nothing is certain
        return (excess){INFINITY, INFINITY};
    return (excess){most_across, most_along};
}

static fm_vec3 at(fm_patch_way x, int end, int i)
{
    return (fm_vec3){x[end][0][i], x[end][1][i], x[end][2][i]};
}

// Edges in a row add up to the way from its first vertex to its last.
static void find_means(const fm_contact_body *body, fm_patch *patch, fm_patch_way x)
{
    int width = patch->width, height = patch->vertex_count / width;
    fm_vec3 across = {0, 0, 0}, down = {0, 0, 0};
    for (int end = 0; end < 2; end++) {
        for (int r = 0; r < height; r++) {
            across = fm_add(across, at(x, end, r * width + width - 1));
            across = fm_sub(across, at(x, end, r * width));
        }
        for (int c = 0; c < width; c++) {
            down = fm_add(down, at(x, end, (height - 1) * width + c));
            down = fm_sub(down, at(x, end, c));
        }
    }
    patch->across = fm_scale(across, 0.5 / (height * (width - 1) * body->spacing[0]));
    patch->down = fm_scale(down, 0.5 / (width * (height - 1) * body->spacing[1]));
}

void fm_smooth_measure(const fm_contact_set *set, fm_patch *patch, fm_patch_way x)
{
    const fm_contact_body *body = &set->bodies[patch->body];
    int count = patch->vertex_count, width = patch->width;
    double in_row[FM_PATCH_VERTICES], all[FM_PATCH_VERTICES];
    for (int i = 0; i < count; i++) {
        in_row[i] = (i + 1) % width != 0;
        all[i] = 1;
    }
    find_means(body, patch, x);
    patch->normal = fm_cross(patch->across, patch->down);
    patch->stretch = patch->bend = INFINITY;
    if (!fm_make_unit(&patch->normal))
        return;
    double across = 0, along = 0;
    for (int side = 0; side < 2; side++) {
        excess most = {0, 0};
        for (int end = 0; end < 2; end++) {
            excess e = find_excess(x[end], count - (side ? width : 1), side ? width : 1,
                                   side ? all : in_row, 1 / body->spacing[side],
                                   side ? patch->down : patch->across, patch->normal);
            most.across = fm_larger(most.across, e.across);
            most.along = fm_larger(most.along, e.along);
        }
        across += most.across, along += most.along;
    }
    patch->stretch = sqrt(across);
    patch->bend = sqrt(along);
}

// A rectangle of patches: columns may go round.
typedef struct region {
    int column, row, columns, rows;
} region;

static const fm_patch *patch_in(const fm_contact_set *set, const fm_contact_body *body, int column,
                                int row)
{
    column = column >= body->patch_columns ? column - body->patch_columns : column;
    return &set->patches[body->first_patch + row * body->patch_columns + column];
}

// Columns of Q for the mean [across down]: M (M^T M)^(-1/2), by the root of a 2 x 2 matrix.
static bool find_frame(fm_vec3 across, fm_vec3 down, fm_vec3 q[2])
{
    double a = fm_dot(across, across), b = fm_dot(across, down), d = fm_dot(down, down);
    double s = sqrt(fm_larger(0, a * d - b * b)), t = sqrt(a + d + 2 * s);
    double det = s * t; // of the root times t: ((a + s)(d + s) - b^2) / t
    if (!(det > 0))
        return false;
    q[0] = fm_scale(fm_sub(fm_scale(across, d + s), fm_scale(down, b)), 1 / det);
    q[1] = fm_scale(fm_sub(fm_scale(down, a + s), fm_scale(across, b)), 1 / det);
    return true;
}

static double find_slope(const fm_patch *patch, const fm_vec3 q[2])
{
    double xx = fm_dot(q[0], patch->across), yy = fm_dot(q[1], patch->down);
    double xy = (fm_dot(q[0], patch->down) + fm_dot(q[1], patch->across)) / 2;
    double half = (xx - yy) / 2, nx = fm_dot(q[0], patch->normal), ny = fm_dot(q[1], patch->normal);
    return (xx + yy) / 2 - sqrt(half * half + xy * xy) - patch->stretch -
           sqrt(nx * nx + ny * ny) * patch->bend;
}

// The least slope in the region; 0 when there is none.
static double find_least_slope(const fm_contact_set *set, const fm_contact_body *body, region r)
{
    fm_vec3 across = {0, 0, 0}, down = {0, 0, 0}, q[2];
    for (int row = r.row; row < r.row + r.rows; row++) {
        for (int column = r.column; column < r.column + r.columns; column++) {
            const fm_patch *patch = patch_in(set, body, column, row);
            across = fm_add(across, patch->across);
            down = fm_add(down, patch->down);
        }
    }
    double share = 1.0 / (r.rows * r.columns), least = INFINITY;
    if (!find_frame(fm_scale(across, share), fm_scale(down, share), q))
        return 0;
    for (int row = r.row; row < r.row + r.rows; row++) {
        for (int column = r.column; column < r.column + r.columns; column++) {
            double slope = find_slope(patch_in(set, body, column, row), q);
            if (!(slope > 0))
                return 0;
            least = fm_smaller(least, slope);
        }
    }
    return least;
}

// A region that goes all the way round is no rectangle.
static int largest_width(const fm_contact_body *body)
{
    return body->round ? body->patch_columns - 1 : body->patch_columns;
}

void fm_smooth_measure_windows(fm_contact_set *set, fm_contact_body *body)
{
    for (int i = body->first_patch; i < body->first_patch + body->patch_count; i++) {
        fm_patch *patch = &set->patches[i];
        region r = {patch->column, patch->row, 2, 2};
        bool inside = r.row + 2 <= body->patch_rows && largest_width(body) >= 2 &&
                      (body->round || r.column + 2 <= body->patch_columns);
        patch->slope = inside ? find_least_slope(set, body, r) : 0;
    }
}

// The smallest region with both.
static region span(const fm_contact_body *body, const fm_patch *a, const fm_patch *b)
{
    int top = a->row < b->row ? a->row : b->row, low = a->row + b->row - top;
    int left = a->column < b->column ? a->column : b->column, right = a->column + b->column - left;
    int columns = right - left + 1, other = body->patch_columns - columns + 2;
    if (body->round && other < columns)
        return (region){right, top, other, low - top + 1};
    return (region){left, top, columns, low - top + 1};
}

// Most pairs lie in a window of 2 x 2 that is smooth; the last row and column have none of their
// own and use the one before.
bool fm_smooth_covers(const fm_contact_set *set, const fm_patch *a, const fm_patch *b, double slope)
{
    const fm_contact_body *body = &set->bodies[a->body];
    double enough = body->least_slope + slope;
    if (body->patch_columns == 0)
        return false;
    region r = span(body, a, b);
    if (r.columns > largest_width(body) || r.columns > MOST_PATCHES || r.rows > MOST_PATCHES)
        return false;
    if (r.columns <= 2 && r.rows <= 2 && body->patch_columns > 1 && body->patch_rows > 1) {
        bool last = !body->round && r.column + 2 > body->patch_columns;
        int row = r.row + 2 > body->patch_rows ? r.row - 1 : r.row;
        if (patch_in(set, body, last ? r.column - 1 : r.column, row)->slope >= enough)
            return true;
        if (r.columns == 2 && r.rows == 2)
            return false;
    }
    return find_least_slope(set, body, r) >= enough;
}
