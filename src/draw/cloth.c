// SPDX-License-Identifier: MIT
// cloth.c: a cloth as it is now, drawn.
#include "draw/draw.h"

#include <stdlib.h>

// Quadrilaterals row by row, and the points in single precision.
static void fill(const fm_sheet *sheet, const fm_vec3 *positions, float *points, int *start,
                 int *corner)
{
    int columns = sheet->columns, face = 0;
    for (int i = 0; i < columns * sheet->rows; i++)
        fm_f3_store(points + 3 * (size_t)i, fm_f3_from(positions[i]));
    for (int r = 0; r + 1 < sheet->rows; r++) {
        for (int c = 0; c + 1 < columns; c++, face++) {
            int i = r * columns + c, *p = corner + 4 * (size_t)face;
            start[face] = 4 * face;
            p[0] = i;
            p[1] = i + columns;
            p[2] = i + columns + 1;
            p[3] = i + 1;
        }
    }
    start[face] = 4 * face;
}

bool fm_drawing_add_cloth(fm_drawing *drawing, fm_cloth *cloth, const fm_paint *paint,
                          const fm_coloring *coloring, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    fm_sheet sheet = fm_cloth_sheet(cloth);
    int count, faces = (sheet.columns - 1) * (sheet.rows - 1);
    const fm_vec3 *positions = fm_cloth_positions(cloth, &count);
    float *points = malloc(3 * (size_t)count * sizeof *points);
    int *start = malloc(((size_t)faces + 1) * sizeof *start);
    int *corner = malloc(4 * (size_t)faces * sizeof *corner);
    bool good = points && start && corner;
    if (good) {
        fill(&sheet, positions, points, start, corner);
        fm_polygons polygons = {
            .point_count = count,
            .points = points,
            .face_count = faces,
            .face_start = start,
            .face_points = corner,
            .spacing = {sheet.width / (sheet.columns - 1), sheet.height / (sheet.rows - 1)}};
        fm_paint own = *paint;
        own.thickness = (float)fm_cloth_definition(cloth).thickness;
        good = fm_drawing_add_surface(drawing, &polygons, &own, coloring, err);
    } else {
        fm_fail_no_memory(err, "drawing", 3 * (size_t)count * sizeof *points);
    }
    free(points);
    free(start);
    free(corner);
    return good;
}
