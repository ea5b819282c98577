// SPDX-License-Identifier: MIT
// meshes.h: triangle meshes that tests make cloth of.
#ifndef FATHOM_TESTS_MESHES_H
#define FATHOM_TESTS_MESHES_H

#include "bodies.h"

typedef struct test_mesh {
    fm_vec3 *positions;
    int *triangles;
    int columns, rows, vertex_count, triangle_count;
} test_mesh;

// A grid of columns x rows vertices, dx apart along x and dy along -y, every cell cut in two.
// shifted: odd rows begin half a spacing to the right, and all diagonals are the shorter ones (with
// dy = sqrt(3)/2 dx: equilateral triangles); otherwise diagonals alternate, or all go the same way.
typedef enum test_cut { CUT_SHIFTED, CUT_ALTERNATING, CUT_ONE_WAY } test_cut;

static inline test_mesh make_grid(int columns, int rows, double dx, double dy, test_cut cut)
{
    test_mesh m = {.columns = columns, .rows = rows, .vertex_count = columns * rows};
    m.positions = malloc((size_t)m.vertex_count * sizeof *m.positions);
    m.triangles = malloc(6 * (size_t)m.vertex_count * sizeof *m.triangles);
    for (int i = 0; i < m.vertex_count; i++) {
        int r = i / columns, c = i % columns;
        double shift = cut == CUT_SHIFTED && r % 2 ? 0.5 : 0;
        m.positions[i] = (fm_vec3){(c + shift) * dx, -r * dy, 0};
    }
    for (int r = 0; r + 1 < rows; r++) {
        for (int c = 0; c + 1 < columns; c++) {
            int i = r * columns + c, cell[4] = {i, i + columns, i + columns + 1, i + 1};
            int turn = cut == CUT_SHIFTED ? (r + 1) % 2 : cut == CUT_ALTERNATING ? (r + c) % 2 : 0;
            for (int half = 0; half < 2; half++, m.triangle_count++) {
                for (int k = 0; k < 3; k++)
                    m.triangles[3 * m.triangle_count + k] = cell[(turn + 2 * half + k) % 4];
            }
        }
    }
    return m;
}

static inline void free_mesh(test_mesh *m)
{
    free(m->positions);
    free(m->triangles);
}

static inline fm_cloth *try_mesh(fm_world *world, const fm_cloth_def *def, const test_mesh *m,
                                 fm_error *err)
{
    fm_cloth_mesh mesh = {.positions = m->positions,
                          .vertex_count = m->vertex_count,
                          .triangles = m->triangles,
                          .triangle_count = m->triangle_count};
    return fm_cloth_create_mesh(world, def, &mesh, err);
}

static inline fm_cloth *make_mesh(fm_world *world, const fm_cloth_def *def, const test_mesh *m)
{
    fm_error err = {0};
    fm_cloth *cloth = try_mesh(world, def, m, &err);
    if (!cloth)
        print_error("%s\n", err.text);
    assert_non_null(cloth);
    return cloth;
}

static inline fm_tube tube_of(int columns, int rows, double top, double bottom, double height)
{
    return (fm_tube){.columns = columns,
                     .rows = rows,
                     .radius_top = top,
                     .radius_bottom = bottom,
                     .height = height};
}

static inline fm_cloth *make_tube(fm_world *world, const fm_cloth_def *def, fm_tube tube)
{
    fm_error err = {0};
    fm_cloth *cloth = fm_cloth_create_tube(world, def, &tube, &err);
    if (!cloth)
        print_error("%s\n", err.text);
    assert_non_null(cloth);
    return cloth;
}

#endif
