// SPDX-License-Identifier: MIT
// drawing.c: the list of things to be seen.
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

fm_drawing *fm_drawing_create(fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_drawing *drawing = calloc(1, sizeof *drawing);
    if (!drawing)
        fm_fail_no_memory(err, "drawing", sizeof *drawing);
    return drawing;
}

void fm_drawing_destroy(fm_drawing *drawing)
{
    if (!drawing)
        return;
    fm_arena_free(&drawing->arena);
    free(drawing->meshes);
    free(drawing->beads);
    free(drawing);
}

// One more zeroed element of a list that grows.
static void *next_element(void **list, int *count, int *room, size_t size, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (*count == *room) {
        int more = *room ? 2 * *room : 8;
        void *bigger = realloc(*list, (size_t)more * size);
        if (!bigger) {
            fm_fail_no_memory(err, "drawing", (size_t)more * size);
            return NULL;
        }
        *list = bigger;
        *room = more;
    }
    void *element = (char *)*list + (size_t)*count * size;
    memset(element, 0, size);
    (*count)++;
    return element;
}

fm_mesh *fm_drawing_next_mesh(fm_drawing *drawing, fm_error *err)
{
    void *list = drawing->meshes;
    fm_mesh *mesh =
        next_element(&list, &drawing->mesh_count, &drawing->mesh_room, sizeof *mesh, err);
    drawing->meshes = list;
    return mesh;
}

fm_beads *fm_drawing_next_beads(fm_drawing *drawing, fm_error *err)
{
    void *list = drawing->beads;
    fm_beads *beads =
        next_element(&list, &drawing->bead_count, &drawing->bead_room, sizeof *beads, err);
    drawing->beads = list;
    return beads;
}

// Colours of the points of a patch, for all of the points of the mesh made from it: the front's,
// the back's and the rim's, which takes them from the front.
static bool color_mesh(fm_arena *arena, const fm_patch *patch, const fm_coloring *coloring,
                       fm_mesh *mesh, fm_error *err)
{
    enum { SHADES = 256 };
    size_t n = (size_t)patch->point_count;
    mesh->colors =
        fm_arena_alloc(arena, 3 * (size_t)mesh->point_count, sizeof(float), "drawing", err);
    if (!mesh->colors)
        return false;
    fm_color shades[SHADES];
    for (int i = 0; i < SHADES; i++)
        shades[i] = fm_map_color(coloring->map, (double)i / (SHADES - 1));
    double scale = coloring->high > coloring->low ? 1 / (coloring->high - coloring->low) : 0;
    for (size_t i = 0; i < n; i++) {
        double t = (patch->values[i] - coloring->low) * scale;
        fm_color c = isfinite(t) ? shades[(int)(fm_clamp01((float)t) * (SHADES - 1) + 0.5f)]
                                 : fm_map_color(coloring->map, NAN);
        memcpy(mesh->colors + 3 * i, &c, sizeof c);
        if (mesh->front_count)
            memcpy(mesh->colors + 3 * (n + i), &c, sizeof c);
    }
    for (int i = 6 * mesh->front_count; mesh->front_count && i + 12 <= 3 * mesh->triangle_count;
         i += 12) { // the rim: a, rim of a, rim of b, a, rim of b, b
        const int *t = mesh->triangles + i;
        memcpy(mesh->colors + 3 * (size_t)t[1], mesh->colors + 3 * (size_t)t[0], sizeof(fm_color));
        memcpy(mesh->colors + 3 * (size_t)t[2], mesh->colors + 3 * (size_t)t[5], sizeof(fm_color));
    }
    return true;
}

static int count_not_finite(const fm_polygons *polygons)
{
    int count = 0;
    for (int i = 0; i < polygons->point_count; i++)
        count += !fm_point_is_finite(polygons->points + 3 * (size_t)i);
    return count;
}

static bool add_points(fm_drawing *drawing, const fm_polygons *polygons, const fm_paint *paint,
                       const fm_coloring *coloring, fm_error *err)
{
    size_t n = (size_t)polygons->point_count;
    fm_beads *beads = n ? fm_drawing_next_beads(drawing, err) : NULL;
    if (!beads)
        return err->status == FM_OK;
    beads->paint = *paint;
    beads->points = fm_arena_alloc(&drawing->arena, 4 * n, sizeof(float), "drawing", err);
    beads->colors =
        coloring ? fm_arena_alloc(&drawing->arena, 3 * n, sizeof(float), "drawing", err) : NULL;
    if (err->status != FM_OK)
        return false;
    fm_bounds bounds = fm_empty_bounds();
    fm_bounds_add(&bounds, polygons->points, polygons->point_count);
    double size = fmax(bounds.high.x - bounds.low.x,
                       fmax(bounds.high.y - bounds.low.y, bounds.high.z - bounds.low.z));
    double radius = polygons->radius > 0 ? polygons->radius
                    : size > 0           ? 0.4 * size / cbrt((double)n)
                                         : 0.01;
    for (size_t i = 0; i < n; i++) {
        const float *p = polygons->points + 3 * i;
        if (!fm_point_is_finite(p))
            continue;
        size_t at = (size_t)beads->count++;
        fm_f3_store(beads->points + 4 * at, fm_f3_load(p));
        beads->points[4 * at + 3] = (float)radius;
        if (coloring) {
            double t = (coloring->values[i] - coloring->low) / (coloring->high - coloring->low);
            fm_color c = fm_map_color(coloring->map, t);
            memcpy(beads->colors + 3 * at, &c, sizeof c);
        }
    }
    return true;
}

bool fm_drawing_add_surface(fm_drawing *drawing, const fm_polygons *polygons, const fm_paint *paint,
                            const fm_coloring *coloring, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && polygons));
    if (err->status != FM_OK)
        return false;
    int bad = count_not_finite(polygons), columns, rows;
    drawing->dropped_count += bad;
    if (polygons->face_count == 0)
        return add_points(drawing, polygons, paint, coloring, err);
    fm_patch patch = {0};
    const float *values = coloring ? coloring->values : NULL;
    bool sheet = bad == 0 && fm_polygons_are_sheet(polygons, &columns, &rows);
    if (!(sheet ? fm_sheet_patch(&drawing->arena, polygons, values, columns, rows, &patch, err)
                : fm_polygons_patch(&drawing->arena, polygons, values, &patch, err)))
        return false;
    fm_mesh mesh;
    if (!fm_patch_thicken(&drawing->arena, &patch, paint, &mesh, err) ||
        (coloring && !color_mesh(&drawing->arena, &patch, coloring, &mesh, err)))
        return false;
    fm_mesh *place = fm_drawing_next_mesh(drawing, err);
    if (place)
        *place = mesh;
    return place != NULL;
}

bool fm_drawing_add_spheres(fm_drawing *drawing, const float *centres, const float *radii,
                            int count, const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || drawing);
    if (err->status != FM_OK || count < 1)
        return err->status == FM_OK;
    fm_beads *beads = fm_drawing_next_beads(drawing, err);
    if (!beads)
        return false;
    beads->paint = *paint;
    beads->points =
        fm_arena_alloc(&drawing->arena, 4 * (size_t)count, sizeof(float), "drawing", err);
    for (int i = 0; i < count && beads->points; i++) {
        if (!fm_point_is_finite(centres + 3 * (size_t)i) || !(radii[i] > 0 && radii[i] < 1e12f)) {
            drawing->dropped_count++;
            continue;
        }
        float *out = beads->points + 4 * (size_t)beads->count++;
        fm_f3_store(out, fm_f3_load(centres + 3 * (size_t)i));
        out[3] = radii[i];
    }
    return beads->points != NULL;
}

bool fm_drawing_add_line(fm_drawing *drawing, const float *points, int count, double radius,
                         const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || drawing);
    if (err->status != FM_OK || count < 2)
        return err->status == FM_OK;
    float *radii = malloc((size_t)count * sizeof *radii);
    if (!radii)
        return fm_fail_no_memory(err, "drawing", (size_t)count * sizeof *radii);
    for (int i = 0; i < count; i++)
        radii[i] = (float)radius;
    bool good = fm_drawing_add_spheres(drawing, points, radii, count, paint, err);
    if (good)
        drawing->beads[drawing->bead_count - 1].joined = true;
    free(radii);
    return good;
}

int fm_drawing_triangle_count(const fm_drawing *drawing)
{
    assert(drawing);
    int count = 0;
    for (int i = 0; i < drawing->mesh_count; i++)
        count += drawing->meshes[i].triangle_count;
    return count;
}

int fm_drawing_dropped_count(const fm_drawing *drawing)
{
    assert(drawing);
    return drawing->dropped_count;
}
