// SPDX-License-Identifier: MIT
// triangles.c: the triangles of a cloth of any kind; those of a sheet are created on first use.
#include "cloth/cloth.h"

#include <assert.h>

// Views the initial positions and the triangles of a cloth of any kind. Creates the triangles of a
// sheet on first use; false if memory runs out.
bool fm_cloth_find_mesh(fm_cloth *c, fm_mesh_view *mesh, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    *mesh = (fm_mesh_view){.points = c->initial_x,
                           .point_count = c->count,
                           .face_points = c->mesh.triangle,
                           .face_count = c->mesh.triangle_count};
    if (c->kind == FM_CLOTH_LINE) {
        mesh->lines = c->line->edge;
        mesh->line_count = c->mesh.edge_count;
    }
    if (c->kind != FM_CLOTH_SHEET)
        return true;
    mesh->face_count = fm_grid_write_triangles(c->columns, c->rows, false, NULL);
    if (!c->sheet_triangles) {
        c->sheet_triangles = fm_arena_alloc(&c->arena, 3 * (size_t)mesh->face_count, sizeof(int),
                                            c->object.name, err);
        if (!c->sheet_triangles)
            return false;
        fm_grid_write_triangles(c->columns, c->rows, false, c->sheet_triangles);
    }
    mesh->face_points = c->sheet_triangles;
    return true;
}

// The triangles as indices of particles; NULL with err filled if memory runs out.
const int *fm_cloth_triangles(fm_cloth *cloth, int *count, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    fm_mesh_view mesh = {0};
    bool good = fm_cloth_find_mesh(cloth, &mesh, err);
    *count = good ? mesh.face_count : 0;
    return good ? mesh.face_points : NULL;
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
