// SPDX-License-Identifier: MIT
// inner.c: forces inside a cloth, whatever it is made of: rows of a sheet (sheet.c, damping.c) or
// the elements of a net (net.c); then its seams. And its triangles, for those who want them.
#include "cloth/cloth.h"

#include <assert.h>
#include <stdlib.h>

typedef struct row_job {
    fm_cloth *cloth;
    const fm_axes *x, *derivative, *normal;
    double h, w0;
} row_job;

static void force_rows(void *context, int first, int last)
{
    const row_job *r = context;
    fm_sheet_forces(r->cloth, r->x, &r->cloth->force, first, last);
    fm_sheet_normals(r->cloth, r->x, r->normal, first, last);
}

static void impulse_rows(void *context, int first, int last)
{
    const row_job *r = context;
    fm_sheet_pair_impulses(r->cloth, r->h, r->w0, first, last);
}

static void damping_rows(void *context, int first, int last)
{
    const row_job *r = context;
    fm_sheet_pair_forces(r->cloth, r->x, r->derivative, first, last);
}

void fm_cloth_inner_forces(fm_cloth *c, const fm_axes *x, const fm_axes *v, double t,
                           const fm_axes *normal, fm_pool *pool)
{
    row_job r = {.cloth = c, .x = x, .normal = normal};
    if (c->kind == FM_CLOTH_SHEET)
        fm_parallel_for(pool, c->rows, c->row_block, force_rows, &r);
    else
        fm_net_forces(c, x, normal, pool);
    fm_stitches_add_forces(c, x, v, t);
}

void fm_cloth_normals(fm_cloth *c, const fm_axes *x, const fm_axes *normal)
{
    if (c->kind == FM_CLOTH_SHEET)
        fm_sheet_normals(c, x, normal, 0, c->rows);
    else
        fm_net_normals(c, x, normal, NULL);
}

void fm_cloth_damping_impulses(fm_cloth *c, double h, double w0, fm_pool *pool)
{
    row_job r = {.cloth = c, .h = h, .w0 = w0};
    if (c->kind == FM_CLOTH_SHEET)
        fm_parallel_for(pool, c->rows, c->row_block, impulse_rows, &r);
    else
        fm_net_pairs(c, &c->x, &c->v, &c->known, c->pair_load, h / 2, w0, pool);
}

void fm_cloth_add_damping_forces(fm_cloth *c, const fm_axes *x, const fm_axes *derivative,
                                 fm_pool *pool)
{
    row_job r = {.cloth = c, .x = x, .derivative = derivative};
    if (c->kind == FM_CLOTH_SHEET)
        fm_parallel_for(pool, c->rows, c->row_block, damping_rows, &r);
    else // no implicit part: everything is known, and nothing is divided
        fm_net_pairs(c, x, derivative, &c->nothing, c->nothing.x, 1, 1, pool);
    for (int i = 0; i < c->count; i++) {
        c->force.x[i] += c->pair.x[i];
        c->force.y[i] += c->pair.y[i];
        c->force.z[i] += c->pair.z[i];
    }
}

int fm_grid_triangles(int columns, int rows, bool round, int *triangle)
{
    int across = round ? columns : columns - 1, count = 0;
    if (!triangle)
        return 2 * across * (rows - 1);
    for (int r = 0; r + 1 < rows; r++) {
        for (int c = 0; c < across; c++) {
            int next = c + 1 < columns ? c + 1 : 0, up = r * columns, low = up + columns;
            int cell[4] = {up + c, low + c, low + next, up + next}; // counter-clockwise
            int turn = (r + c) % 2; // alternating diagonals: no direction is stiffer to bend
            for (int half = 0; half < 2; half++, count++) {
                triangle[3 * count] = cell[(turn + 2 * half) % 4];
                triangle[3 * count + 1] = cell[(turn + 2 * half + 1) % 4];
                triangle[3 * count + 2] = cell[(turn + 2 * half + 2) % 4];
            }
        }
    }
    return count;
}

static bool make_parts(fm_cloth *c, fm_error *err)
{
    fm_cloth_parts *parts = &c->parts;
    bool sheet = c->kind == FM_CLOTH_SHEET;
    int count =
        sheet ? fm_grid_triangles(c->columns, c->rows, false, NULL) : c->mesh.triangle_count;
    int *triangle = c->mesh.triangle;
    if (sheet) {
        triangle = fm_arena_alloc(&c->arena, 3 * (size_t)count, sizeof(int), c->name, err);
        if (!triangle)
            return false;
        fm_grid_triangles(c->columns, c->rows, false, triangle);
    }
    int side_count;
    fm_mesh_side *sides = fm_find_sides(triangle, count, &side_count);
    if (!sides)
        return fm_fail_no_memory(err, c->name, 3 * (size_t)count * sizeof *sides);
    int *edge = fm_arena_alloc(&c->arena, 2 * (size_t)side_count, sizeof(int), c->name, err);
    for (int i = 0; i < side_count && edge; i++)
        edge[2 * i] = sides[i].a, edge[2 * i + 1] = sides[i].b;
    free(sides);
    if (edge)
        *parts = (fm_cloth_parts){triangle, edge, count, side_count};
    return edge != NULL;
}

bool fm_cloth_find_parts(fm_cloth *cloth, fm_cloth_parts *parts, fm_error *err)
{
    if (err->status != FM_OK || (!cloth->parts.edge && !make_parts(cloth, err)))
        return false;
    *parts = cloth->parts;
    return true;
}

const int *fm_cloth_triangles(fm_cloth *cloth, int *count, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    fm_cloth_parts parts = {0};
    fm_cloth_find_parts(cloth, &parts, err);
    *count = parts.triangle_count;
    return parts.triangle;
}

const int *fm_cloth_vertices(const fm_cloth *cloth, int *count)
{
    assert(cloth);
    *count = cloth->mesh.vertex ? cloth->mesh.vertex_count : cloth->count;
    return cloth->mesh.vertex;
}

const int *fm_cloth_faces(fm_cloth *cloth, int *count, fm_error *err)
{
    const int *triangles = fm_cloth_triangles(cloth, count, err);
    return triangles && cloth->mesh.face ? cloth->mesh.face : triangles;
}
