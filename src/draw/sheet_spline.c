// SPDX-License-Identifier: MIT
// sheet_spline.c: interpolates the points of a sheet with a smooth spline surface.
//
// Each row, and then each column of the refined rows, is interpolated by a natural cubic spline.
// With unit spacing of the points x[i] and second derivatives m[i], which are 0 at both ends,
//
//     m[i-1] + 4 m[i] + m[i+1] = 6 (x[i-1] - 2 x[i] + x[i+1])
//     x(i + t) = (1-t) x[i] + t x[i+1] + ((1-t)^3 - (1-t)) m[i]/6 + (t^3 - t) m[i+1]/6
//
// The curvature is continuous, so shading shows no creases across folds. Normals are the cross
// product of the two partial derivatives.
#include "draw/draw.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIDE_POINTS = 240,  // points along the longer side of a refined sheet: smooth at 720p
    REFINEMENT_MAX = 8, // largest number of refined intervals per interval
};

// Solves for the second derivatives m[3 * n] of the natural cubic spline through n points x,
// `stride` floats apart. work: space for n numbers.
static void solve_spline(const float *x, size_t stride, int n, float *m, float *work)
{
    memset(m, 0, 3 * (size_t)n * sizeof *m);
    for (int i = 1; i < n - 1; i++) { // forward sweep of the Thomas algorithm
        float pivot = 4 - (i > 1 ? work[i - 1] : 0);
        work[i] = 1 / pivot;
        for (int k = 0; k < 3; k++) {
            float right_side =
                6 * (x[(i - 1) * stride + k] - 2 * x[i * stride + k] + x[(i + 1) * stride + k]);
            m[3 * i + k] = (right_side - (i > 1 ? m[3 * (i - 1) + k] : 0)) / pivot;
        }
    }
    for (int i = n - 3; i >= 1; i--) { // backward substitution
        for (int k = 0; k < 3; k++)
            m[3 * i + k] -= work[i] * m[3 * (i + 1) + k];
    }
}

// Evaluates one spline at `factor` places per interval: values and, if slope is not NULL,
// derivatives, `out_stride` floats apart. x, stride, n, m: points and second derivatives, as in
// solve_spline.
static void refine_line(const float *x, size_t stride, int n, int factor, const float *m,
                        float *value, float *slope, size_t out_stride)
{
    int count = (n - 1) * factor + 1;
    for (int j = 0; j < count; j++) {
        int i = j / factor < n - 1 ? j / factor : n - 2;
        float t = (float)(j - i * factor) / (float)factor, s = 1 - t;
        // weights of the second derivatives in the value (a, b) and in the slope (da, db)
        float a = (s * s * s - s) / 6, b = (t * t * t - t) / 6;
        float da = (1 - 3 * s * s) / 6, db = (3 * t * t - 1) / 6;
        for (int k = 0; k < 3; k++) {
            float x0 = x[(size_t)i * stride + k], x1 = x[((size_t)i + 1) * stride + k];
            float m0 = m[3 * i + k], m1 = m[3 * i + 3 + k];
            value[j * out_stride + k] = s * x0 + t * x1 + a * m0 + b * m1;
            if (slope)
                slope[j * out_stride + k] = x1 - x0 + da * m0 + db * m1;
        }
    }
}

// Number of points of the sheet and of its refinement by `factor`.
typedef struct sheet_size {
    int columns, rows;
    int factor; // refined intervals per interval
    int fine_columns, fine_rows;
} sheet_size;

// Temporary arrays for the refinement of a sheet.
typedef struct scratch {
    float *across, *across_slope; // [rows][fine_columns][3], refined rows and their derivatives
    float *slope, *down; // [fine_rows][fine_columns][3], derivatives along rows and along columns
    float *m, *work;     // second derivatives and workspace of one spline
} scratch;

// Frees the temporary arrays.
static void destroy_scratch(scratch *s)
{
    free(s->across);
    free(s->across_slope);
    free(s->slope);
    free(s->down);
    free(s->m);
    free(s->work);
}

// Allocates the temporary arrays; false: out of memory.
static bool create_scratch(scratch *s, const sheet_size *sheet)
{
    size_t half = (size_t)sheet->rows * sheet->fine_columns * 3 * sizeof(float);
    size_t full = (size_t)sheet->fine_rows * sheet->fine_columns * 3 * sizeof(float);
    size_t line = (size_t)(sheet->rows > sheet->columns ? sheet->rows : sheet->columns);
    s->across = malloc(half);
    s->across_slope = malloc(half);
    s->slope = malloc(full);
    s->down = malloc(full);
    s->m = malloc(3 * line * sizeof(float));
    s->work = malloc(line * sizeof(float));
    return s->across && s->across_slope && s->slope && s->down && s->m && s->work;
}

// Evaluates the spline surface and its normals at the refined points.
static void refine_points(const sheet_size *sheet, const float *points, scratch *s,
                          fm_thin_surface *thin)
{
    int columns = sheet->columns, rows = sheet->rows, fine = sheet->fine_columns;
    for (int r = 0; r < rows; r++) {
        const float *line = points + 3 * (size_t)r * columns;
        size_t at = 3 * (size_t)r * fine;
        solve_spline(line, 3, columns, s->m, s->work);
        refine_line(line, 3, columns, sheet->factor, s->m, s->across + at, s->across_slope + at, 3);
    }
    size_t stride = 3 * (size_t)fine;
    for (int c = 0; c < fine; c++) {
        size_t at = 3 * (size_t)c;
        solve_spline(s->across + at, stride, rows, s->m, s->work);
        refine_line(s->across + at, stride, rows, sheet->factor, s->m, thin->points + at,
                    s->down + at, stride);
        solve_spline(s->across_slope + at, stride, rows, s->m, s->work);
        refine_line(s->across_slope + at, stride, rows, sheet->factor, s->m, s->slope + at, NULL,
                    stride);
    }
    for (int i = 0; i < thin->point_count; i++) {
        fm_float3 down = fm_f3_load(s->down + 3 * (size_t)i);
        fm_float3 right = fm_f3_load(s->slope + 3 * (size_t)i);
        fm_f3_store(thin->normals + 3 * (size_t)i, fm_f3_unit(fm_f3_cross(down, right)));
    }
}

// Interpolates the values at the points of a sheet bilinearly to the refined points.
static void refine_values(const sheet_size *sheet, const float *values, fm_thin_surface *thin)
{
    for (int j = 0; j < sheet->fine_rows; j++) {
        int r = j / sheet->factor < sheet->rows - 1 ? j / sheet->factor : sheet->rows - 2;
        float t = (float)(j - r * sheet->factor) / (float)sheet->factor;
        for (int i = 0; i < sheet->fine_columns; i++) {
            int c = i / sheet->factor < sheet->columns - 1 ? i / sheet->factor : sheet->columns - 2;
            float s = (float)(i - c * sheet->factor) / (float)sheet->factor;
            const float *v = values + (size_t)r * sheet->columns + c;
            float above = v[0] + s * (v[1] - v[0]);
            float below = v[sheet->columns] + s * (v[sheet->columns + 1] - v[sheet->columns]);
            thin->values[(size_t)j * sheet->fine_columns + i] = above + t * (below - above);
        }
    }
}

// Sets the triangles and the texture coordinates (m at rest) of the refined sheet.
static void create_triangles(const sheet_size *sheet, const double spacing[2],
                             fm_thin_surface *thin)
{
    int columns = sheet->fine_columns, *out = thin->triangles;
    float dx = (float)(spacing[0] / sheet->factor), dy = (float)(spacing[1] / sheet->factor);
    for (int r = 0; r < sheet->fine_rows; r++) {
        for (int c = 0; c < columns; c++) {
            int i = r * columns + c;
            thin->texture[2 * (size_t)i] = dx * (float)c;
            thin->texture[2 * (size_t)i + 1] = dy * (float)r;
            if (r + 1 == sheet->fine_rows || c + 1 == columns)
                continue;
            const int corner[6] = {i, i + columns, i + columns + 1, i, i + columns + 1, i + 1};
            memcpy(out, corner, sizeof corner);
            out += 6;
        }
    }
    thin->extent[0] = dx * (float)(columns - 1);
    thin->extent[1] = dy * (float)(sheet->fine_rows - 1);
}

// Interpolates a sheet of columns x rows points by a spline surface, refined so that its longer
// side has about SIDE_POINTS points.
bool fm_thin_surface_from_sheet(fm_arena *arena, const fm_surface_input *input, int columns,
                                int rows, fm_thin_surface *thin, fm_error *err)
{
    const float *values = input->values;
    int side = columns > rows ? columns : rows, factor = (SIDE_POINTS + side / 2) / side;
    factor = factor < 1 ? 1 : factor > REFINEMENT_MAX ? REFINEMENT_MAX : factor;
    sheet_size sheet = {columns, rows, factor, (columns - 1) * factor + 1, (rows - 1) * factor + 1};
    size_t points = (size_t)sheet.fine_columns * sheet.fine_rows;
    size_t cells = (size_t)(sheet.fine_columns - 1) * (sheet.fine_rows - 1);
    thin->point_count = (int)points;
    thin->triangle_count = (int)(2 * cells);
    thin->points = fm_arena_alloc(arena, 3 * points, sizeof(float), "drawing", err);
    thin->normals = fm_arena_alloc(arena, 3 * points, sizeof(float), "drawing", err);
    thin->texture = fm_arena_alloc(arena, 2 * points, sizeof(float), "drawing", err);
    thin->triangles = fm_arena_alloc(arena, 6 * cells, sizeof(int), "drawing", err);
    thin->values = values ? fm_arena_alloc(arena, points, sizeof(float), "drawing", err) : NULL;
    if (err->status != FM_OK)
        return false;
    scratch s = {0};
    bool good = create_scratch(&s, &sheet);
    if (good) {
        double spacing[2] = {input->spacing[0], input->spacing[1]};
        if (!(spacing[0] > 0 && spacing[1] > 0))
            fm_mesh_spacing(input->mesh, spacing);
        refine_points(&sheet, input->points, &s, thin);
        create_triangles(&sheet, spacing, thin);
        if (values)
            refine_values(&sheet, values, thin);
    }
    destroy_scratch(&s);
    return good || fm_fail_no_memory(err, "drawing", points * 3 * sizeof(float));
}
