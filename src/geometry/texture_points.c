// SPDX-License-Identifier: MIT
// texture_points.c: splits the points of a surface at seams of its texture coordinates.
#include "geometry/geometry.h"

#include <stdlib.h>
#include <string.h>

// Finds the split point of `point` with these coordinates, or adds it. used: whether a point has a
// corner so far; next: the following split point of the same point, -1: none.
static int find_split_point(fm_texture_points *t, bool *used, int *next, int point, const float *uv)
{
    int at = point;
    for (; used[point]; at = next[at]) {
        const float *known = t->uv + 2 * (size_t)at;
        if (known[0] == uv[0] && known[1] == uv[1])
            return at;
        if (next[at] < 0) {
            at = next[at] = t->count++;
            break;
        }
    }
    used[point] = true;
    next[at] = -1;
    t->point[at] = point;
    memcpy(t->uv + 2 * (size_t)at, uv, 2 * sizeof *uv);
    return at;
}

bool fm_texture_points_create(fm_texture_points *t, const fm_surface *s, fm_error *err)
{
    size_t points = (size_t)s->point_count, corners = (size_t)fm_surface_corner_count(s);
    size_t most = points + corners + 1; // split points
    *t = (fm_texture_points){.count = s->point_count,
                             .point = malloc(most * sizeof *t->point),
                             .uv = calloc(most, 2 * sizeof *t->uv),
                             .corner = malloc((corners + 1) * sizeof *t->corner)};
    int *next = malloc(most * sizeof *next);
    bool *used = calloc(points + 1, sizeof *used);
    bool good = t->point && t->uv && t->corner && next && used;
    if (!good)
        fm_fail_no_memory(err, s->name, most * sizeof *t->point);
    for (int i = 0; good && i < s->point_count; i++)
        t->point[i] = i;
    for (size_t i = 0; good && i < corners; i++)
        t->corner[i] = find_split_point(t, used, next, s->face_points[i], s->corner_uv + 2 * i);
    free(next);
    free(used);
    return good;
}

void fm_texture_points_destroy(fm_texture_points *t)
{
    free(t->point);
    free(t->uv);
    free(t->corner);
    *t = (fm_texture_points){0};
}

void fm_texture_points_expand(const fm_texture_points *t, const float *values, int components,
                              float *expanded)
{
    size_t n = (size_t)components;
    for (int i = 0; i < t->count; i++)
        memcpy(expanded + n * (size_t)i, values + n * (size_t)t->point[i], n * sizeof *values);
}

// Lines keep their points; those of faces are taken from `corner`.
fm_surface *fm_texture_points_split(const fm_texture_points *t, const fm_surface *s, fm_error *err)
{
    fm_mesh_view view = fm_surface_view(s, NULL);
    view.point_count = t->count;
    view.face_points = t->corner;
    fm_surface *split = fm_surface_create_from_mesh(s->name, &view, s->fields, s->field_count, err);
    if (!split)
        return NULL;
    memcpy(split->kind, s->kind, sizeof split->kind);
    split->time = s->time;
    split->not_finite = s->not_finite;
    fm_texture_points_expand(t, s->points, 3, split->points);
    for (int i = 0; i < s->field_count; i++)
        fm_texture_points_expand(t, s->fields[i].values, s->fields[i].components,
                                 split->fields[i].values);
    return split;
}
