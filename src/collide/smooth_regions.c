// SPDX-License-Identifier: MIT
// smooth_regions.c: proof that a smooth region of a grid cannot touch itself.
//
// It culls self-contact like the normal cones of [VM94], but for distances. A vertex grid is the
// image of a flat rectangle: X maps (u, v), in m along rows and columns, to space. X is linear on
// each triangle with the gradient F, a 3 x 2 matrix whose columns are an edge along a row and an
// edge along a column, divided by the spacings. Take any 3 x 2 matrix Q with orthonormal columns.
// On a region that is convex in (u, v),
//
//     (X(p) - X(q)) . Q (p - q) = integral over the line from q to p of (p - q)^T Q^T F (p - q)
//
// Let c be a lower bound, over all triangles of the region, of the least eigenvalue of the
// symmetric part of Q^T F. Then |X(p) - X(q)| >= c |p - q|: c bounds the ratio of the distance of
// two points in space to their distance in the flat grid, and is called distance ratio here.
// Features without a common vertex are at least a triangle's height apart in (u, v); if c times
// that height exceeds their thickness, no two features of the region are near. The least eigenvalue
// is concave in F, and F is linear in time while vertices move on straight paths. So a bound that
// holds with one Q at both ends of a step holds during the whole step.
//
// Regions are rectangles of patches. A patch stores the mean M of its edges at both ends of the
// step, the normal n of M, and the largest deviations of an edge from M: d perpendicular to n, b
// along n. Q comes from the polar decomposition of the region's mean, and on each of its patches
//
//     distance ratio >= least eigenvalue of sym(Q^T M) - d - |Q^T n| b
//
// A flat patch that keeps its size has d = b = 0 and distance ratio 1. A bent patch has a large b,
// which matters only as far as the patch is rotated against the region. Full reference:
// docs/references.md.
#include "collide/contact.h"
#include "core/simd.h"

#include <string.h>

// largest side of a region, in patches; larger regions are rarely smooth
enum { MAX_REGION_SIDE = 4 };

// Largest squared deviation of an edge of a patch from the patch's mean edge: perpendicular to the
// patch's normal, and along it. Edges are divided by the grid spacing.
typedef struct deviation {
    double across, along;
} deviation;

// Largest deviations from `mean` of the edges from vertex i to vertex i + step, i < count, at
// vertex positions x. used[i]: 1, or 0 if the grid has no such edge. scale: 1 / grid spacing; n:
// unit normal of the patch.
static FM_SIMD_CLONES deviation find_deviation(double x[3][FM_PATCH_VERTICES], int count, int step,
                                               const double *used, double scale, fm_vec3 mean,
                                               fm_vec3 n)
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
    if (!isfinite(sum)) // a position is not finite: no bound can be proven
        return (deviation){INFINITY, INFINITY};
    return (deviation){most_across, most_along};
}

// Position of vertex i of a patch at the start (end = 0) or the end (end = 1) of the step.
static fm_vec3 vertex_at(fm_patch_ends x, int end, int i)
{
    return (fm_vec3){x[end][0][i], x[end][1][i], x[end][2][i]};
}

// Sets the mean edges of a patch along rows and along columns, over start and end of the step,
// divided by the grid spacings. The edges in a row add up to the vector from its first vertex to
// its last.
static void find_mean_edges(const fm_contact_body *body, fm_patch *patch, fm_patch_ends x)
{
    int width = patch->width, height = patch->vertex_count / width;
    fm_vec3 across = {0, 0, 0}, down = {0, 0, 0};
    for (int end = 0; end < 2; end++) {
        for (int r = 0; r < height; r++) {
            across = fm_add(across, vertex_at(x, end, r * width + width - 1));
            across = fm_sub(across, vertex_at(x, end, r * width));
        }
        for (int c = 0; c < width; c++) {
            down = fm_add(down, vertex_at(x, end, (height - 1) * width + c));
            down = fm_sub(down, vertex_at(x, end, c));
        }
    }
    patch->row_edge = fm_scale(across, 0.5 / (height * (width - 1) * body->spacing[0]));
    patch->column_edge = fm_scale(down, 0.5 / (width * (height - 1) * body->spacing[1]));
}

// Sets mean edges, normal and the largest deviations of an edge from the mean (stretch: in the
// plane, bend: along the normal) of a grid patch whose vertices are at x.
void fm_smooth_measure_patch(const fm_contact_set *set, fm_patch *patch, fm_patch_ends x)
{
    const fm_contact_body *body = &set->bodies[patch->body];
    int count = patch->vertex_count, width = patch->width;
    // 1 for vertices with an edge to the next vertex of their row, and for all vertices
    double in_row[FM_PATCH_VERTICES] = {0}, all[FM_PATCH_VERTICES] = {0};
    for (int i = 0; i < count; i++) {
        in_row[i] = (i + 1) % width != 0;
        all[i] = 1;
    }
    find_mean_edges(body, patch, x);
    patch->normal = fm_cross(patch->row_edge, patch->column_edge);
    patch->stretch = patch->bend = INFINITY;
    if (!fm_normalize(&patch->normal))
        return;
    double across = 0, along = 0;
    for (int side = 0; side < 2; side++) { // edges along rows, then along columns
        deviation most = {0, 0};
        for (int end = 0; end < 2; end++) {
            deviation e =
                find_deviation(x[end], count - (side ? width : 1), side ? width : 1,
                               side ? all : in_row, 1 / body->spacing[side],
                               side ? patch->column_edge : patch->row_edge, patch->normal);
            most.across = fm_double_max(most.across, e.across);
            most.along = fm_double_max(most.along, e.along);
        }
        across += most.across, along += most.along;
    }
    patch->stretch = sqrt(across);
    patch->bend = sqrt(along);
}

// A rectangle of patches in the grid of patches: first column and row, and size. On a tube its
// columns may wrap around.
typedef struct region {
    int column, row, columns, rows;
} region;

// The patch of a body in a column and row of its grid of patches. On a tube, the column may exceed
// the last one by less than a turn.
static const fm_patch *patch_in(const fm_contact_set *set, const fm_contact_body *body, int column,
                                int row)
{
    column = column >= body->patch_columns ? column - body->patch_columns : column;
    return &set->patches[body->first_patch + row * body->patch_columns + column];
}

// The polar factor Q = M (M^T M)^(-1/2) of M = [row edge, column edge], with the square root of a 2
// x 2 matrix in closed form. across, down: the columns of M; q: receives those of Q. False if M has
// no rank 2.
static bool find_polar_factor(fm_vec3 across, fm_vec3 down, fm_vec3 q[2])
{
    double a = fm_dot(across, across), b = fm_dot(across, down), d = fm_dot(down, down);
    double s = sqrt(fm_double_max(0, a * d - b * b)), t = sqrt(a + d + 2 * s);
    double det = s * t; // t times the determinant of the square root: ((a + s)(d + s) - b^2) / t
    if (!(det > 0))
        return false;
    q[0] = fm_scale(fm_sub(fm_scale(across, d + s), fm_scale(down, b)), 1 / det);
    q[1] = fm_scale(fm_sub(fm_scale(down, a + s), fm_scale(across, b)), 1 / det);
    return true;
}

// Lower bound, over a patch and over the step, of the ratio of the distance of two points in space
// to their distance in the flat grid: the least eigenvalue of sym(Q^T M) - d - |Q^T n| b. q:
// columns of the matrix Q of the region; xx, xy, yy: entries of sym(Q^T M); nx, ny: those of Q^T n.
static double bound_patch_ratio(const fm_patch *patch, const fm_vec3 q[2])
{
    double xx = fm_dot(q[0], patch->row_edge), yy = fm_dot(q[1], patch->column_edge);
    double xy = (fm_dot(q[0], patch->column_edge) + fm_dot(q[1], patch->row_edge)) / 2;
    double half = (xx - yy) / 2, nx = fm_dot(q[0], patch->normal), ny = fm_dot(q[1], patch->normal);
    return (xx + yy) / 2 - sqrt(half * half + xy * xy) - patch->stretch -
           sqrt(nx * nx + ny * ny) * patch->bend;
}

// Lower bound, over the region and over the step, of the ratio of the distance of two points in
// space to their distance in the flat grid; 0 if no positive bound could be proven.
static double bound_region_ratio(const fm_contact_set *set, const fm_contact_body *body, region r)
{
    fm_vec3 across = {0, 0, 0}, down = {0, 0, 0}, q[2];
    for (int row = r.row; row < r.row + r.rows; row++) {
        for (int column = r.column; column < r.column + r.columns; column++) {
            const fm_patch *patch = patch_in(set, body, column, row);
            across = fm_add(across, patch->row_edge);
            down = fm_add(down, patch->column_edge);
        }
    }
    double share = 1.0 / (r.rows * r.columns), least = INFINITY;
    if (!find_polar_factor(fm_scale(across, share), fm_scale(down, share), q))
        return 0;
    for (int row = r.row; row < r.row + r.rows; row++) {
        for (int column = r.column; column < r.column + r.columns; column++) {
            double ratio = bound_patch_ratio(patch_in(set, body, column, row), q);
            if (!(ratio > 0))
                return 0;
            least = fm_double_min(least, ratio);
        }
    }
    return least;
}

// Largest width of a region that is a rectangle, in patches. A region all the way around a tube is
// no rectangle.
static int largest_region_width(const fm_contact_body *body)
{
    return body->is_tube ? body->patch_columns - 1 : body->patch_columns;
}

// Sets `ratio` of each patch: the lower bound of the distance ratio over the square of 2 x 2
// patches whose first patch it is; 0 where that square does not fit into the grid.
void fm_smooth_bound_window_ratios(fm_contact_set *set, fm_contact_body *body)
{
    for (int i = body->first_patch; i < body->first_patch + body->patch_count; i++) {
        fm_patch *patch = &set->patches[i];
        region r = {patch->column, patch->row, 2, 2};
        bool inside = r.row + 2 <= body->patch_rows && largest_region_width(body) >= 2 &&
                      (body->is_tube || r.column + 2 <= body->patch_columns);
        patch->ratio = inside ? bound_region_ratio(set, body, r) : 0;
    }
}

// The smallest rectangle of patches that contains both patches.
static region find_region(const fm_contact_body *body, const fm_patch *a, const fm_patch *b)
{
    int top = a->row < b->row ? a->row : b->row, bottom = a->row + b->row - top;
    int left = a->column < b->column ? a->column : b->column, right = a->column + b->column - left;
    // on a tube, the other way around may be shorter
    int columns = right - left + 1, columns_around = body->patch_columns - columns + 2;
    if (body->is_tube && columns_around < columns)
        return (region){right, top, columns_around, bottom - top + 1};
    return (region){left, top, columns, bottom - top + 1};
}

// True if the features of patches a and b of one grid are certainly apart in this step, because the
// distance ratio of a rectangle around both exceeds the limit of the surface by extra_ratio. Most
// pairs lie in a square of 2 x 2 patches, whose bound is stored with its first patch. In the last
// row and column of the grid no square begins; pairs there use the one before.
bool fm_smooth_proves_apart(const fm_contact_set *set, const fm_patch *a, const fm_patch *b,
                            double extra_ratio)
{
    const fm_contact_body *body = &set->bodies[a->body];
    double enough = body->smooth_ratio + extra_ratio;
    if (body->patch_columns == 0)
        return false;
    region r = find_region(body, a, b);
    if (r.columns > largest_region_width(body) || r.columns > MAX_REGION_SIDE ||
        r.rows > MAX_REGION_SIDE)
        return false;
    if (r.columns <= 2 && r.rows <= 2 && body->patch_columns > 1 && body->patch_rows > 1) {
        bool last = !body->is_tube && r.column + 2 > body->patch_columns;
        int row = r.row + 2 > body->patch_rows ? r.row - 1 : r.row;
        if (patch_in(set, body, last ? r.column - 1 : r.column, row)->ratio >= enough)
            return true;
        if (r.columns == 2 && r.rows == 2)
            return false;
    }
    return bound_region_ratio(set, body, r) >= enough;
}
