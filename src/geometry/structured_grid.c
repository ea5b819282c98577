// SPDX-License-Identifier: MIT
// structured_grid.c: faces of a structured grid of points, and the test whether a mesh is such a
// grid.
//
// Point (row, column) has the index row * columns + column. The corners of a cell are in the order
// (row, column), (row + 1, column), (row + 1, column + 1), (row, column + 1). This is
// counter-clockwise when seen from the front, with columns going right and rows going down.
#include "geometry/geometry.h"

#include <assert.h>

// Writes the faces of a grid of columns x rows points, one quad per cell.
void fm_grid_write_quads(int columns, int rows, int *face_start, int *face_points)
{
    int face = 0;
    for (int r = 0; r + 1 < rows; r++) {
        for (int c = 0; c + 1 < columns; c++) {
            int i = r * columns + c, *corner = face_points + 4 * (size_t)face;
            face_start[face++] = (int)(corner - face_points);
            corner[0] = i;
            corner[1] = i + columns;
            corner[2] = i + columns + 1;
            corner[3] = i + 1;
        }
    }
    face_start[face] = 4 * face;
}

// Writes two triangles per cell of a grid, unless `triangle` is NULL; returns their number. The
// diagonals alternate, so that cloth bends alike in all directions. is_tube: the last column is
// joined to the first.
int fm_grid_write_triangles(int columns, int rows, bool is_tube, int *triangle)
{
    int cells_per_row = is_tube ? columns : columns - 1, count = 0;
    if (!triangle)
        return 2 * cells_per_row * (rows - 1);
    for (int r = 0; r + 1 < rows; r++) {
        for (int c = 0; c < cells_per_row; c++) {
            int next = c + 1 < columns ? c + 1 : 0, row = r * columns, row_below = row + columns;
            // corners, counter-clockwise; both triangles begin at an end of the diagonal
            int cell[4] = {row + c, row_below + c, row_below + next, row + next};
            int diagonal = (r + c) % 2;
            for (int half = 0; half < 2; half++, count++) {
                triangle[3 * count] = cell[(diagonal + 2 * half) % 4];
                triangle[3 * count + 1] = cell[(diagonal + 2 * half + 1) % 4];
                triangle[3 * count + 2] = cell[(diagonal + 2 * half + 2) % 4];
            }
        }
    }
    return count;
}

// True if the faces of the mesh are the quads of a grid, as fm_grid_write_quads writes them; gives
// its columns and rows, 0 if it is no grid.
bool fm_mesh_is_sheet(const fm_mesh_view *mesh, int *columns, int *rows)
{
    assert(mesh);
    *columns = *rows = 0;
    const int *start = mesh->face_start, *corner = mesh->face_points;
    if (mesh->face_count < 1 || !start || start[1] != 4)
        return false;
    int c = corner[1]; // the corner below point 0: its index is the number of columns
    if (corner[0] != 0 || corner[3] != 1 || c < 2 || mesh->point_count % c != 0)
        return false;
    int r = mesh->point_count / c;
    if (r < 2 || (c - 1) * (r - 1) != mesh->face_count)
        return false;
    for (int face = 0; face < mesh->face_count; face++) {
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

// Distance of two points in single precision, like the frames of a run: the spacing of a cloth and
// that of its frames are then bitwise equal.
static float distance(fm_vec3 a, fm_vec3 b)
{
    float x = (float)b.x - (float)a.x, y = (float)b.y - (float)a.y, z = (float)b.z - (float)a.z;
    return sqrtf(x * x + y * y + z * z);
}

// Mean distances of neighbouring columns and of neighbouring rows of a sheet, m; 0 for any other
// mesh.
void fm_mesh_spacing(const fm_mesh_view *mesh, double spacing[2])
{
    assert(mesh);
    int columns, rows, count[2] = {0, 0};
    double sum[2] = {0, 0};
    spacing[0] = spacing[1] = 0;
    if (!fm_mesh_is_sheet(mesh, &columns, &rows))
        return;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            const fm_vec3 *a = mesh->points + (size_t)r * columns + c;
            for (int axis = 0; axis < 2; axis++) {
                if (axis == 0 ? c + 1 == columns : r + 1 == rows)
                    continue;
                float length = distance(*a, a[axis == 0 ? 1 : columns]);
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
