// SPDX-License-Identifier: MIT
// flow.c: drawings of flows: slices through the cells of a grid, clouds, and streaks.
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A plane through a lattice. a, b: axes in the plane; c: axis across it.
typedef struct slice {
    const fm_lattice *l;
    int a, b, c;
    int layer;            // of points, the lower of the two around the plane
    double share, height; // position between the two, 0 to 1; m, along c
} slice;

static double component(fm_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The plane across `axis` at the coordinate `at`, m, moved into the lattice.
static slice find_slice(const fm_lattice *l, int axis, double at)
{
    slice s = {l, (axis + 1) % 3, (axis + 2) % 3, axis, 0, 0, at};
    double last = l->size[axis] - 1, origin = component(l->origin, axis);
    double x = (at - origin) / l->spacing;
    x = x < 0 ? 0 : x > last ? last : x;
    s.layer = (int)x < l->size[axis] - 1 ? (int)x : l->size[axis] > 1 ? l->size[axis] - 2 : 0;
    s.share = x - s.layer;
    s.height = origin + x * l->spacing;
    return s;
}

enum { SHADES = 256 };

// Samples a colormap at SHADES values from its low to its high end.
static void find_shades(fm_colormap map, fm_color shades[SHADES])
{
    for (int i = 0; i < SHADES; i++)
        shades[i] = fm_colormap_color(map, (double)i / (SHADES - 1));
}

// The colour of a value.
static fm_color find_shade(const fm_coloring *coloring, const fm_color shades[SHADES], double value)
{
    double t = (value - coloring->low) / (coloring->high - coloring->low);
    if (!isfinite(t))
        return fm_colormap_color(coloring->map, NAN);
    return shades[(int)((t < 0 ? 0 : t > 1 ? 1 : t) * (SHADES - 1) + 0.5)];
}

// Value at point (i, j) of the plane.
static double find_value(const slice *s, const float *values, int i, int j)
{
    size_t stride[3] = {1, (size_t)s->l->size[0], (size_t)s->l->size[0] * (size_t)s->l->size[1]};
    size_t at =
        (size_t)i * stride[s->a] + (size_t)j * stride[s->b] + (size_t)s->layer * stride[s->c];
    if (s->l->size[s->c] == 1)
        return (double)values[at];
    return (1 - s->share) * (double)values[at] + s->share * (double)values[at + stride[s->c]];
}

// Value at corner (i, j) of the cells around the points: mean of the neighbouring points.
static float find_corner(const slice *s, const float *values, int i, int j)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 4; k++) {
        int x = i - (k & 1), y = j - (k >> 1);
        if (x < 0 || y < 0 || x >= s->l->size[s->a] || y >= s->l->size[s->b])
            continue;
        sum += find_value(s, values, x, y);
        count++;
    }
    return (float)(sum / count);
}

// Adds a plane through a lattice as a mesh: one point per corner of its cells, coloured by value.
bool fm_drawing_add_slice(fm_drawing *drawing, const fm_lattice *lattice, int axis, double at,
                          const fm_paint *paint, const fm_coloring *coloring, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && lattice && coloring));
    if (err->status != FM_OK)
        return false;
    slice s = find_slice(lattice, axis, at);
    int columns = lattice->size[s.a] + 1, rows = lattice->size[s.b] + 1;
    fm_triangle_mesh *mesh =
        fm_drawing_create_mesh(drawing, paint, columns * rows, 2 * (columns - 1) * (rows - 1), err);
    if (!mesh)
        return false;
    mesh->colors = fm_arena_alloc(&drawing->arena, 3 * (size_t)mesh->point_count, sizeof(float),
                                  "drawing", err);
    if (!mesh->colors)
        return false;
    fm_color shades[SHADES];
    find_shades(coloring->map, shades);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            size_t p = (size_t)i + (size_t)columns * (size_t)j;
            float *x = mesh->points + 3 * p;
            x[s.a] = (float)(component(lattice->origin, s.a) + (i - 0.5) * lattice->spacing);
            x[s.b] = (float)(component(lattice->origin, s.b) + (j - 0.5) * lattice->spacing);
            x[s.c] = (float)s.height;
            mesh->normals[3 * p + (size_t)s.c] = 1;
            double value = (double)find_corner(&s, coloring->values, i, j);
            fm_color c = find_shade(coloring, shades, value);
            memcpy(mesh->colors + 3 * p, &c, sizeof c);
        }
    int *t = mesh->triangles;
    for (int j = 0; j + 1 < rows; j++)
        for (int i = 0; i + 1 < columns; i++, t += 6) {
            int q = i + columns * j;
            const int corners[6] = {q, q + 1, q + columns + 1, q, q + columns + 1, q + columns};
            memcpy(t, corners, sizeof corners);
        }
    return true;
}

// Adds a cloud; its concentrations are copied.
bool fm_drawing_add_cloud(fm_drawing *drawing, const fm_cloud_def *def, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && def));
    size_t count =
        (size_t)def->lattice.size[0] * (size_t)def->lattice.size[1] * (size_t)def->lattice.size[2];
    if (err->status != FM_OK)
        return false;
    float *values = fm_arena_alloc(&drawing->arena, count, sizeof *values, "drawing", err);
    if (!values)
        return false;
    for (size_t i = 0; i < count; i++)
        values[i] = def->values[i] > 0 ? def->values[i] : 0; // NaN becomes 0
    drawing->cloud = *def;
    drawing->cloud.values = values;
    return true;
}

// Adds a capsule from each tail to its head, thinner at the tail.
bool fm_drawing_add_streaks(fm_drawing *drawing, const float *heads, const float *tails, int count,
                            double radius, const fm_paint *paint, const fm_coloring *coloring,
                            fm_error *err)
{
    assert(err->status != FM_OK || drawing);
    if (err->status != FM_OK || count < 1)
        return err->status == FM_OK;
    fm_sphere_list *list = fm_drawing_append_spheres(drawing, err);
    if (!list)
        return false;
    size_t n = (size_t)count;
    list->paint = *paint;
    list->joined = list->paired = true;
    list->points = fm_arena_alloc(&drawing->arena, 8 * n, sizeof(float), "drawing", err);
    list->colors = fm_arena_alloc(&drawing->arena, 6 * n, sizeof(float), "drawing", err);
    fm_color shades[SHADES];
    if (coloring)
        find_shades(coloring->map, shades);
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        const float *ends[2] = {tails + 3 * (size_t)i, heads + 3 * (size_t)i};
        if (!fm_drawing_point_is_finite(ends[0]) || !fm_drawing_point_is_finite(ends[1])) {
            drawing->dropped_count++;
            continue;
        }
        fm_color c =
            coloring ? find_shade(coloring, shades, (double)coloring->values[i]) : paint->front;
        for (int k = 0; k < 2; k++) {
            size_t at = (size_t)list->count++;
            fm_f3_store(list->points + 4 * at, fm_f3_load(ends[k]));
            list->points[4 * at + 3] = (float)(radius * (k ? 1 : 0.25)); // tapers to its tail
            memcpy(list->colors + 3 * at, &c, sizeof c);
        }
    }
    return err->status == FM_OK;
}
