// SPDX-License-Identifier: MIT
// cloth.c: a cloth as it is now, drawn.
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>

// A sheet is drawn from its quadrilaterals, row by row, others from their triangles.
static void list_cells(const fm_sheet *sheet, int *corner)
{
    int columns = sheet->columns;
    for (int r = 0; r + 1 < sheet->rows; r++) {
        for (int c = 0; c + 1 < columns; c++, corner += 4) {
            int i = r * columns + c;
            corner[0] = i;
            corner[1] = i + columns;
            corner[2] = i + columns + 1;
            corner[3] = i + 1;
        }
    }
}

bool fm_drawing_add_cloth(fm_drawing *drawing, fm_cloth *cloth, const fm_paint *paint,
                          const fm_coloring *coloring, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && cloth));
    if (err->status != FM_OK)
        return false;
    fm_sheet sheet = fm_cloth_sheet(cloth);
    bool quads = fm_cloth_topology(cloth) == FM_CLOTH_SHEET;
    int count, corners = quads ? 4 : 3, faces = (sheet.columns - 1) * (sheet.rows - 1);
    const fm_vec3 *positions = fm_cloth_positions(cloth, &count);
    const int *triangles = quads ? NULL : fm_cloth_triangles(cloth, &faces, err);
    if (err->status != FM_OK)
        return false;
    float *points = malloc(3 * (size_t)count * sizeof *points);
    int *start = malloc(((size_t)faces + 1) * sizeof *start);
    int *cells = malloc((quads ? 4 * (size_t)faces : 1) * sizeof *cells);
    bool good = points && start && cells;
    if (good) {
        for (int i = 0; i < count; i++)
            fm_f3_store(points + 3 * (size_t)i, fm_f3_from(positions[i]));
        for (int i = 0; i <= faces; i++)
            start[i] = corners * i;
        if (quads)
            list_cells(&sheet, cells);
        fm_polygons polygons = {.point_count = count,
                                .points = points,
                                .face_count = faces,
                                .face_start = start,
                                .face_points = quads ? cells : triangles};
        if (quads) {
            polygons.spacing[0] = sheet.width / (sheet.columns - 1);
            polygons.spacing[1] = sheet.height / (sheet.rows - 1);
        }
        fm_paint own = *paint;
        own.thickness = (float)fm_cloth_definition(cloth).thickness;
        good = fm_drawing_add_surface(drawing, &polygons, &own, coloring, err);
    } else {
        fm_fail_no_memory(err, "drawing", 3 * (size_t)count * sizeof *points);
    }
    free(points);
    free(start);
    free(cells);
    return good;
}
