// SPDX-License-Identifier: MIT
// draw_flow.c: how grid fluids and their marks are drawn in films: a slice coloured by a field, a
// cloud of dye, or streaks.
//
// If the options of a film name no field, a fluid in 3D with dye is drawn as a cloud. A fluid with
// marks and no dye is drawn as streaks, coloured by speed. All others are drawn as a slice: plane
// flows coloured by dye or vorticity, flows in 3D by speed.
#include "render/film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CLOUD_DEPTH = 40; // optical depth of concentration 1 across the largest side
static const double SHUTTER = 1.5;    // frames of motion that a streak shows
static const float KEPT = 0.02f;      // fraction of the values beyond each end of the colormap

bool fm_flow_is_plane(const fm_surface *s)
{
    return s->lattice.size[2] == 1;
}

// The field that colours a fluid if the options name none; "": it is drawn as a cloud.
const char *fm_flow_default_field(const fm_surface *s, bool has_marks)
{
    bool dye = fm_surface_values(s, "dye", 1) != NULL;
    if (dye)
        return fm_flow_is_plane(s) ? "dye" : "";
    if (has_marks)
        return "velocity";
    return fm_flow_is_plane(s) && fm_surface_values(s, "vorticity", 3) ? "vorticity" : "velocity";
}

// The axis across the slice: z for plane flows and by default.
static int find_axis(const fm_film_options *options, const fm_surface *s)
{
    return options->has_slice && !fm_flow_is_plane(s) ? options->slice_axis : 2;
}

// One number per point: vorticity by its component across the slice, other vectors by their length.
float *fm_flow_read_field(const fm_film_options *options, const fm_surface *s, const char *name,
                          fm_error *err)
{
    const fm_surface_field *field = NULL;
    for (int i = 0; i < s->field_count; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            field = &s->fields[i];
    if (!field) {
        fm_fail(err, FM_BAD_VALUE, s->name, "field", name, "a field that the run has written");
        return NULL;
    }
    float *values = malloc(((size_t)s->point_count + 1) * sizeof *values);
    if (!values) {
        fm_fail_no_memory(err, "picture", (size_t)s->point_count * sizeof *values);
        return NULL;
    }
    bool across = strcmp(name, "vorticity") == 0;
    int axis = find_axis(options, s);
    for (int i = 0; i < s->point_count; i++) {
        const float *v = field->values + (size_t)i * field->components;
        if (field->components == 1)
            values[i] = v[0];
        else
            values[i] = across ? v[axis] : sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return values;
}

// Orders floats, for qsort.
static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Extends the range from low to high by the values, without the smallest and largest 2 %: these
// belong to thin layers at walls.
void fm_flow_extend_range(const float *values, int count, double *low, double *high)
{
    enum { MOST = 20000 };
    float *sorted = malloc(MOST * sizeof *sorted);
    int stride = count / MOST + 1, kept = 0;
    for (int i = 0; sorted && i < count && kept < MOST; i += stride)
        if (isfinite(values[i]))
            sorted[kept++] = values[i];
    if (kept > 0) {
        qsort(sorted, (size_t)kept, sizeof *sorted, compare);
        *low = fmin(*low, (double)sorted[(int)(KEPT * (float)kept)]);
        *high = fmax(*high, (double)sorted[(int)((1 - KEPT) * (float)(kept - 1))]);
    }
    free(sorted);
}

// Extends the bounds of a picture by the box of a grid fluid.
void fm_flow_extend_bounds(const fm_surface *s, fm_bounds *bounds)
{
    const fm_lattice *l = &s->lattice;
    double half = l->spacing / 2;
    const float corners[6] = {(float)(l->origin.x - half),
                              (float)(l->origin.y - half),
                              (float)(l->origin.z - half),
                              (float)(l->origin.x + l->size[0] * l->spacing - half),
                              (float)(l->origin.y + l->size[1] * l->spacing - half),
                              (float)(l->origin.z + l->size[2] * l->spacing - half)};
    fm_bounds_add(bounds, corners, 2);
}

// Adds the dye of a 3D fluid as a cloud.
static bool add_cloud(const fm_surface *s, fm_drawing *drawing, fm_error *err)
{
    const fm_lattice *l = &s->lattice;
    int most = l->size[0] > l->size[1] ? l->size[0] : l->size[1];
    most = most > l->size[2] ? most : l->size[2];
    fm_cloud_def def = {.values = fm_surface_values(s, "dye", 1),
                        .lattice = *l,
                        .color = {0.93f, 0.94f, 0.96f},
                        .extinction = CLOUD_DEPTH / (most * l->spacing)};
    return fm_drawing_add_cloud(drawing, &def, err);
}

// Adds a grid fluid to a drawing as a cloud or a slice, or not at all if streaks show it.
bool fm_flow_add_grid(const fm_film_options *options, const fm_surface *s, bool has_marks,
                      const fm_coloring *coloring, fm_drawing *drawing, fm_error *err)
{
    bool dye = fm_surface_values(s, "dye", 1) != NULL;
    if (!options->field && dye && !fm_flow_is_plane(s))
        return add_cloud(s, drawing, err);
    if (!options->field && has_marks && !dye)
        return true; // its streaks are drawn
    const fm_lattice *l = &s->lattice;
    int axis = find_axis(options, s);
    const double origin[3] = {l->origin.x, l->origin.y, l->origin.z};
    double middle = origin[axis] + 0.5 * (l->size[axis] - 1) * l->spacing;
    fm_paint paint = fm_paint_solid();
    paint.flat = true;
    return fm_drawing_add_slice(
        drawing, l, axis, options->has_slice && !fm_flow_is_plane(s) ? options->slice_at : middle,
        &paint, coloring, err);
}

// Adds the marks of a fluid as streaks along their velocity.
bool fm_flow_add_streaks(const fm_surface *s, double fps, const fm_coloring *coloring,
                         fm_drawing *drawing, fm_error *err)
{
    const float *velocity = fm_surface_values(s, "velocity", 3);
    const float *radius = fm_surface_values(s, "radius", 1), *age = fm_surface_values(s, "age", 1);
    if (!velocity || !radius || s->point_count == 0)
        return true;
    float *tails = malloc(3 * (size_t)s->point_count * sizeof *tails);
    if (!tails)
        return fm_fail_no_memory(err, "picture", 3 * (size_t)s->point_count * sizeof *tails);
    for (int i = 0; i < s->point_count; i++) {
        float lasts = (float)(SHUTTER / fps);
        lasts = age && age[i] < lasts ? age[i] : lasts;
        for (int a = 0; a < 3; a++) {
            size_t at = 3 * (size_t)i + (size_t)a;
            tails[at] = s->points[at] - lasts * velocity[at];
        }
    }
    fm_paint paint = fm_paint_solid();
    paint.front = paint.back = (fm_color){0.85f, 0.9f, 0.95f};
    paint.flat = coloring != NULL;
    bool good = fm_drawing_add_streaks(drawing, s->points, tails, s->point_count, radius[0], &paint,
                                       coloring, err);
    free(tails);
    return good;
}
