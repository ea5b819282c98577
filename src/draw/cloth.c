// SPDX-License-Identifier: MIT
// cloth.c: adds a cloth in its current state to a drawing.
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>

// Adds a cloth in its current state: a sheet as quads, any other cloth as triangles, with its
// thickness.
bool fm_drawing_add_cloth(fm_drawing *drawing, fm_cloth *cloth, const fm_paint *paint,
                          const fm_coloring *coloring, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && cloth));
    if (err->status != FM_OK)
        return false;
    fm_sheet sheet = fm_cloth_sheet(cloth);
    bool quads = fm_cloth_topology(cloth) == FM_CLOTH_SHEET;
    int count, faces = (sheet.columns - 1) * (sheet.rows - 1);
    const fm_vec3 *positions = fm_cloth_positions(cloth, &count);
    const int *triangles = quads ? NULL : fm_cloth_triangles(cloth, &faces, err);
    if (err->status != FM_OK)
        return false;
    int *start = malloc(((size_t)faces + 1) * sizeof *start);
    int *quad_points = malloc((quads ? 4 * (size_t)faces : 1) * sizeof *quad_points);
    bool good = start && quad_points;
    if (good) {
        fm_mesh_view mesh = {.points = positions,
                             .point_count = count,
                             .face_points = triangles,
                             .face_count = faces};
        fm_paint cloth_paint = *paint;
        cloth_paint.thickness = (float)fm_cloth_definition(cloth).thickness;
        cloth_paint.spacing[0] = cloth_paint.spacing[1] = 0;
        if (quads) {
            fm_grid_write_quads(sheet.columns, sheet.rows, start, quad_points);
            mesh.face_start = start;
            mesh.face_points = quad_points;
            cloth_paint.spacing[0] = sheet.width / (sheet.columns - 1);
            cloth_paint.spacing[1] = sheet.height / (sheet.rows - 1);
        }
        good = fm_drawing_add_surface(drawing, &mesh, &cloth_paint, coloring, err);
    } else {
        fm_fail_no_memory(err, "drawing", 5 * (size_t)faces * sizeof *quad_points);
    }
    free(start);
    free(quad_points);
    return good;
}
