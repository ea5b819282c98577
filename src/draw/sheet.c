// SPDX-License-Identifier: MIT
// sheet.c: the smooth surface through the points of a sheet.
//
// Along each row, and then along each refined column, the natural cubic spline through the points:
// with unit spacing and m the second derivatives, m = 0 at both ends,
//
//     m[i-1] + 4 m[i] + m[i+1] = 6 (x[i-1] - 2 x[i] + x[i+1])
//     x(i + t) = (1-t) x[i] + t x[i+1] + ((1-t)^3 - (1-t)) m[i]/6 + (t^3 - t) m[i+1]/6
//
// which has continuous curvature, so that light runs over folds without creases. Normals are the
// cross product of the two derivatives.
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_GOAL = 240, FACTOR_MAX = 8 }; // points along the longer side that look smooth at 720p

bool fm_polygons_are_sheet(const fm_polygons *polygons, int *columns, int *rows)
{
    assert(polygons);
    *columns = *rows = 0;
    const int *start = polygons->face_start, *corner = polygons->face_points;
    if (polygons->face_count < 1 || start[1] != 4)
        return false;
    int c = corner[1];
    if (corner[0] != 0 || corner[3] != 1 || c < 2 || polygons->point_count % c != 0)
        return false;
    int r = polygons->point_count / c;
    if (r < 2 || (c - 1) * (r - 1) != polygons->face_count)
        return false;
    for (int face = 0; face < polygons->face_count; face++) {
        int i = face / (c - 1) * c + face % (c - 1);
        const int *p = corner + 4 * (size_t)face;
        if (start[face + 1] != 4 * (face + 1) || p[0] != i || p[1] != i + c || p[2] != i + c + 1 ||
            p[3] != i + 1)
            return false;
    }
    *columns = c;
    *rows = r;
    return true;
}

void fm_polygons_spacing(const fm_polygons *polygons, double spacing[2])
{
    assert(polygons);
    int columns, rows;
    spacing[0] = spacing[1] = 0;
    if (!fm_polygons_are_sheet(polygons, &columns, &rows))
        return;
    double sum[2] = {0, 0};
    int count[2] = {0, 0};
    const float *p = polygons->points;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            const float *a = p + 3 * ((size_t)r * columns + c);
            for (int axis = 0; axis < 2; axis++) {
                if (axis == 0 ? c + 1 == columns : r + 1 == rows)
                    continue;
                const float *b = a + 3 * (size_t)(axis == 0 ? 1 : columns);
                float length = fm_f3_length(fm_f3_sub(fm_f3_load(b), fm_f3_load(a)));
                if (isfinite(length)) {
                    sum[axis] += length;
                    count[axis]++;
                }
            }
        }
    }
    for (int axis = 0; axis < 2; axis++)
        spacing[axis] = count[axis] ? sum[axis] / count[axis] : 0;
}

// Second derivatives of the spline through n triples at x, stride apart; work holds n numbers.
static void solve_spline(const float *x, size_t stride, int n, float *m, float *work)
{
    memset(m, 0, 3 * (size_t)n * sizeof *m);
    for (int i = 1; i < n - 1; i++) { // Thomas: forwards
        float pivot = 4 - (i > 1 ? work[i - 1] : 0);
        work[i] = 1 / pivot;
        for (int k = 0; k < 3; k++) {
            float right =
                6 * (x[(i - 1) * stride + k] - 2 * x[i * stride + k] + x[(i + 1) * stride + k]);
            m[3 * i + k] = (right - (i > 1 ? m[3 * (i - 1) + k] : 0)) / pivot;
        }
    }
    for (int i = n - 3; i >= 1; i--) {
        for (int k = 0; k < 3; k++)
            m[3 * i + k] -= work[i] * m[3 * (i + 1) + k];
    }
}

// Values and, where slope is not NULL, derivatives at the refined places of one line.
static void refine_line(const float *x, size_t stride, int n, int factor, const float *m,
                        float *value, float *slope, size_t out_stride)
{
    int count = (n - 1) * factor + 1;
    for (int j = 0; j < count; j++) {
        int i = j / factor < n - 1 ? j / factor : n - 2;
        float t = (float)(j - i * factor) / (float)factor, s = 1 - t;
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

// The sheet, and the same refined.
typedef struct shape {
    int columns, rows, factor;
    int fine_columns, fine_rows;
} shape;

typedef struct scratch {
    float *across, *across_slope; // [rows][fine_columns][3]
    float *slope, *down;          // [fine_rows][fine_columns][3]
    float *m, *work;              // a line
} scratch;

static void free_scratch(scratch *s)
{
    free(s->across);
    free(s->across_slope);
    free(s->slope);
    free(s->down);
    free(s->m);
    free(s->work);
}

static bool alloc_scratch(scratch *s, const shape *sheet)
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

static void refine_points(const shape *sheet, const float *points, scratch *s, fm_patch *patch)
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
        refine_line(s->across + at, stride, rows, sheet->factor, s->m, patch->points + at,
                    s->down + at, stride);
        solve_spline(s->across_slope + at, stride, rows, s->m, s->work);
        refine_line(s->across_slope + at, stride, rows, sheet->factor, s->m, s->slope + at, NULL,
                    stride);
    }
    for (int i = 0; i < patch->point_count; i++) {
        fm_float3 down = fm_f3_load(s->down + 3 * (size_t)i);
        fm_float3 right = fm_f3_load(s->slope + 3 * (size_t)i);
        fm_f3_store(patch->normals + 3 * (size_t)i, fm_f3_unit(fm_f3_cross(down, right)));
    }
}

static void refine_values(const shape *sheet, const float *values, fm_patch *patch)
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
            patch->values[(size_t)j * sheet->fine_columns + i] = above + t * (below - above);
        }
    }
}

static void make_triangles(const shape *sheet, const double spacing[2], fm_patch *patch)
{
    int columns = sheet->fine_columns, *out = patch->triangles;
    float dx = (float)(spacing[0] / sheet->factor), dy = (float)(spacing[1] / sheet->factor);
    for (int r = 0; r < sheet->fine_rows; r++) {
        for (int c = 0; c < columns; c++) {
            int i = r * columns + c;
            patch->texture[2 * (size_t)i] = dx * (float)c;
            patch->texture[2 * (size_t)i + 1] = dy * (float)r;
            if (r + 1 == sheet->fine_rows || c + 1 == columns)
                continue;
            const int corner[6] = {i, i + columns, i + columns + 1, i, i + columns + 1, i + 1};
            memcpy(out, corner, sizeof corner);
            out += 6;
        }
    }
    patch->extent[0] = dx * (float)(columns - 1);
    patch->extent[1] = dy * (float)(sheet->fine_rows - 1);
}

bool fm_sheet_patch(fm_arena *arena, const fm_polygons *polygons, const float *values, int columns,
                    int rows, fm_patch *patch, fm_error *err)
{
    int side = columns > rows ? columns : rows, factor = (SIDE_GOAL + side / 2) / side;
    factor = factor < 1 ? 1 : factor > FACTOR_MAX ? FACTOR_MAX : factor;
    shape sheet = {columns, rows, factor, (columns - 1) * factor + 1, (rows - 1) * factor + 1};
    size_t points = (size_t)sheet.fine_columns * sheet.fine_rows;
    size_t cells = (size_t)(sheet.fine_columns - 1) * (sheet.fine_rows - 1);
    patch->point_count = (int)points;
    patch->triangle_count = (int)(2 * cells);
    patch->points = fm_arena_alloc(arena, 3 * points, sizeof(float), "drawing", err);
    patch->normals = fm_arena_alloc(arena, 3 * points, sizeof(float), "drawing", err);
    patch->texture = fm_arena_alloc(arena, 2 * points, sizeof(float), "drawing", err);
    patch->triangles = fm_arena_alloc(arena, 6 * cells, sizeof(int), "drawing", err);
    patch->values = values ? fm_arena_alloc(arena, points, sizeof(float), "drawing", err) : NULL;
    if (err->status != FM_OK)
        return false;
    scratch s = {0};
    bool good = alloc_scratch(&s, &sheet);
    if (good) {
        double spacing[2] = {polygons->spacing[0], polygons->spacing[1]};
        if (!(spacing[0] > 0 && spacing[1] > 0))
            fm_polygons_spacing(polygons, spacing);
        refine_points(&sheet, polygons->points, &s, patch);
        make_triangles(&sheet, spacing, patch);
        if (values)
            refine_values(&sheet, values, patch);
    }
    free_scratch(&s);
    return good || fm_fail_no_memory(err, "drawing", points * 3 * sizeof(float));
}
