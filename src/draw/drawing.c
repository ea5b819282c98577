// SPDX-License-Identifier: MIT
// drawing.c: a drawing, which is a list of meshes and spheres, and functions that add surfaces,
// points and lines to it.
#include "draw/draw.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Creates an empty drawing. NULL with err filled on failure.
fm_drawing *fm_drawing_create(fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_drawing *drawing = calloc(1, sizeof *drawing);
    if (!drawing)
        fm_fail_no_memory(err, "drawing", sizeof *drawing);
    return drawing;
}

// Frees a drawing and everything in it.
void fm_drawing_destroy(fm_drawing *drawing)
{
    if (!drawing)
        return;
    fm_arena_destroy(&drawing->arena);
    free(drawing->meshes);
    free(drawing->sphere_lists);
    free(drawing);
}

// Appends a zeroed element of `size` bytes to a growing list and returns it. NULL with err filled
// on failure. count, capacity: number of elements and of allocated elements, updated.
static void *append_element(void **list, int *count, int *capacity, size_t size, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (*count == *capacity) {
        int larger = *capacity ? 2 * *capacity : 8;
        void *grown = realloc(*list, (size_t)larger * size);
        if (!grown) {
            fm_fail_no_memory(err, "drawing", (size_t)larger * size);
            return NULL;
        }
        *list = grown;
        *capacity = larger;
    }
    void *element = (char *)*list + (size_t)*count * size;
    memset(element, 0, size);
    (*count)++;
    return element;
}

// Appends one zeroed mesh to the drawing. NULL with err filled on failure.
fm_triangle_mesh *fm_drawing_append_mesh(fm_drawing *drawing, fm_error *err)
{
    void *list = drawing->meshes;
    fm_triangle_mesh *mesh =
        append_element(&list, &drawing->mesh_count, &drawing->mesh_capacity, sizeof *mesh, err);
    drawing->meshes = list;
    return mesh;
}

// Appends one zeroed list of spheres to the drawing. NULL with err filled on failure.
fm_sphere_list *fm_drawing_append_spheres(fm_drawing *drawing, fm_error *err)
{
    void *list = drawing->sphere_lists;
    fm_sphere_list *spheres = append_element(&list, &drawing->sphere_list_count,
                                             &drawing->sphere_list_capacity, sizeof *spheres, err);
    drawing->sphere_lists = list;
    return spheres;
}

// Maps the values of a thin surface to colours for all points of the mesh thickened from it: front,
// back, and the border strip, whose points take the colour of the neighbouring front point.
static bool color_mesh(fm_arena *arena, const fm_thin_surface *thin, const fm_coloring *coloring,
                       fm_triangle_mesh *mesh, fm_error *err)
{
    enum { SHADES = 256 }; // colours precomputed from the colormap
    size_t n = (size_t)thin->point_count;
    mesh->colors =
        fm_arena_alloc(arena, 3 * (size_t)mesh->point_count, sizeof(float), "drawing", err);
    if (!mesh->colors)
        return false;
    fm_color shades[SHADES];
    for (int i = 0; i < SHADES; i++)
        shades[i] = fm_colormap_color(coloring->map, (double)i / (SHADES - 1));
    double scale = coloring->high > coloring->low ? 1 / (coloring->high - coloring->low) : 0;
    for (size_t i = 0; i < n; i++) {
        double t = (thin->values[i] - coloring->low) * scale;
        fm_color c = isfinite(t) ? shades[(int)(fm_float_clamp01((float)t) * (SHADES - 1) + 0.5f)]
                                 : fm_colormap_color(coloring->map, NAN);
        memcpy(mesh->colors + 3 * i, &c, sizeof c);
        if (mesh->front_count)
            memcpy(mesh->colors + 3 * (n + i), &c, sizeof c);
    }
    // the border strip has four triangles for each border edge a b, whose corners begin with a,
    // strip point of a, strip point of b, a, strip point of b, b (thin_surface.c)
    for (int i = 6 * mesh->front_count; mesh->front_count && i + 12 <= 3 * mesh->triangle_count;
         i += 12) {
        const int *t = mesh->triangles + i;
        memcpy(mesh->colors + 3 * (size_t)t[1], mesh->colors + 3 * (size_t)t[0], sizeof(fm_color));
        memcpy(mesh->colors + 3 * (size_t)t[2], mesh->colors + 3 * (size_t)t[5], sizeof(fm_color));
    }
    return true;
}

// Number of points that cannot be drawn because they are not finite.
static int count_not_finite(const fm_surface_input *input)
{
    int count = 0;
    for (int i = 0; i < input->mesh->point_count; i++)
        count += !fm_drawing_point_is_finite(input->points + 3 * (size_t)i);
    return count;
}

// Adds the faces of a mesh, sheets as spline surfaces. finite: all points are finite.
static bool add_faces(fm_drawing *drawing, const fm_surface_input *input, bool finite,
                      const fm_paint *paint, const fm_coloring *coloring, fm_error *err)
{
    int columns, rows;
    fm_thin_surface thin = {0};
    fm_arena *arena = &drawing->arena;
    bool sheet = finite && fm_mesh_is_sheet(input->mesh, &columns, &rows);
    if (!(sheet ? fm_thin_surface_from_sheet(arena, input, columns, rows, &thin, err)
                : fm_thin_surface_from_faces(arena, input, &thin, err)))
        return false;
    fm_triangle_mesh mesh;
    if (!fm_thin_surface_thicken(arena, &thin, paint, &mesh, err) ||
        (coloring && !color_mesh(arena, &thin, coloring, &mesh, err)))
        return false;
    fm_triangle_mesh *appended = fm_drawing_append_mesh(drawing, err);
    if (appended)
        *appended = mesh;
    return appended != NULL;
}

// Adds the finite points of a list as spheres.
static bool add_sphere_list(fm_drawing *drawing, const fm_surface_input *input, const int *list,
                            int count, double radius, const fm_paint *paint,
                            const fm_coloring *coloring, fm_error *err)
{
    size_t n = (size_t)count;
    fm_sphere_list *spheres = fm_drawing_append_spheres(drawing, err);
    if (!spheres)
        return false;
    spheres->paint = *paint;
    spheres->points = fm_arena_alloc(&drawing->arena, 4 * n, sizeof(float), "drawing", err);
    spheres->colors =
        coloring ? fm_arena_alloc(&drawing->arena, 3 * n, sizeof(float), "drawing", err) : NULL;
    if (err->status != FM_OK)
        return false;
    for (int k = 0; k < count; k++) {
        const float *p = input->points + 3 * (size_t)list[k];
        if (!fm_drawing_point_is_finite(p))
            continue;
        size_t at = (size_t)spheres->count++;
        fm_f3_store(spheres->points + 4 * at, fm_f3_load(p));
        spheres->points[4 * at + 3] = (float)radius;
        if (coloring) {
            double t =
                (coloring->values[list[k]] - coloring->low) / (coloring->high - coloring->low);
            fm_color c = fm_colormap_color(coloring->map, t);
            memcpy(spheres->colors + 3 * at, &c, sizeof c);
        }
    }
    return true;
}

// Adds the points that belong to no face and no line as spheres. If the paint gives no radius, it
// is 0.4 of the mean spacing, estimated from the bounding box; 1 cm for a single point.
static bool add_points(fm_drawing *drawing, const fm_surface_input *input, const fm_paint *paint,
                       const fm_coloring *coloring, fm_error *err)
{
    int count, *isolated = fm_mesh_find_isolated_points(input->mesh, &count, err);
    fm_bounds bounds = fm_bounds_empty();
    for (int k = 0; k < count && isolated; k++)
        fm_bounds_add(&bounds, input->points + 3 * (size_t)isolated[k], 1);
    double size = fmax(bounds.high.x - bounds.low.x,
                       fmax(bounds.high.y - bounds.low.y, bounds.high.z - bounds.low.z));
    double radius = paint->radius > 0 ? paint->radius
                    : size > 0        ? 0.4 * size / cbrt((double)count)
                                      : 0.01;
    bool good = isolated && (count == 0 || add_sphere_list(drawing, input, isolated, count, radius,
                                                           paint, coloring, err));
    free(isolated);
    return good;
}

// Adds a tube along the Catmull-Rom spline through the points of a list, two or more.
static bool add_tube(fm_drawing *drawing, const fm_surface_input *input, const int *list, int count,
                     double radius, const fm_paint *paint, const fm_coloring *coloring,
                     fm_error *err)
{
    enum { PIECES = 4 }; // straight pieces between two points
    int pieces = count > 2 ? PIECES : 1, total = (count - 1) * pieces + 1;
    fm_sphere_list *tube = fm_drawing_append_spheres(drawing, err);
    if (!tube)
        return false;
    tube->paint = *paint;
    tube->joined = true;
    tube->count = total;
    tube->points =
        fm_arena_alloc(&drawing->arena, 4 * (size_t)total, sizeof(float), "drawing", err);
    tube->colors =
        coloring ? fm_arena_alloc(&drawing->arena, 3 * (size_t)total, sizeof(float), "drawing", err)
                 : NULL;
    for (int k = 0; k < total && err->status == FM_OK; k++) {
        int i = k / pieces < count - 1 ? k / pieces : count - 2, j[4];
        float t = (float)(k - i * pieces) / (float)pieces, t2 = t * t, t3 = t2 * t;
        const float w[4] = {(2 * t2 - t3 - t) / 2, (3 * t3 - 5 * t2 + 2) / 2,
                            (4 * t2 - 3 * t3 + t) / 2, (t3 - t2) / 2};
        for (int n = 0; n < 4; n++) {
            int at = i - 1 + n;
            j[n] = list[at < 0 ? 0 : at < count ? at : count - 1];
        }
        float *out = tube->points + 4 * (size_t)k;
        for (int axis = 0; axis < 3; axis++) {
            out[axis] = 0;
            for (int n = 0; n < 4; n++)
                out[axis] += w[n] * input->points[3 * (size_t)j[n] + (size_t)axis];
        }
        out[3] = (float)radius;
        if (!coloring)
            continue;
        double value = (1 - t) * coloring->values[j[1]] + t * coloring->values[j[2]];
        fm_color c = fm_colormap_color(coloring->map,
                                       (value - coloring->low) / (coloring->high - coloring->low));
        memcpy(tube->colors + 3 * (size_t)k, &c, sizeof c);
    }
    return err->status == FM_OK;
}

// Radius of the tubes that lines are drawn as, m: a fifth of the mean length of the lines, at most
// a fiftieth of the diagonal of their bounding box, so that neighbouring tubes can still be told
// apart; 1 cm if all lengths are 0.
static double choose_tube_radius(const fm_surface_input *input)
{
    double sum = 0;
    int count = 0;
    fm_bounds all = fm_bounds_empty();
    for (int i = 0; i < input->mesh->line_count; i++) {
        const int *end = input->mesh->lines + 2 * (size_t)i;
        float length = fm_f3_length(fm_f3_sub(fm_f3_load(input->points + 3 * (size_t)end[1]),
                                              fm_f3_load(input->points + 3 * (size_t)end[0])));
        if (isfinite(length)) {
            fm_bounds_add(&all, input->points + 3 * (size_t)end[0], 1);
            fm_bounds_add(&all, input->points + 3 * (size_t)end[1], 1);
            sum += length;
            count++;
        }
    }
    double diagonal = count > 0 ? fm_length(fm_sub(all.high, all.low)) : 0;
    return sum > 0 ? fmin(0.2 * sum / count, 0.02 * diagonal) : 0.01;
}

// Adds the lines of a mesh as tubes. A point that is not finite splits its chain of lines.
static bool add_lines(fm_drawing *drawing, const fm_surface_input *input, const fm_paint *paint,
                      const fm_coloring *coloring, fm_error *err)
{
    fm_polylines chains;
    if (!fm_polylines_create(&chains, input->mesh, err))
        return false;
    double radius = paint->radius > 0 ? paint->radius : choose_tube_radius(input);
    bool good = true;
    for (int i = 0; i < chains.count && good; i++) {
        for (int k = chains.start[i], end; k < chains.start[i + 1] && good; k = end + 1) {
            for (end = k;
                 end < chains.start[i + 1] &&
                 fm_drawing_point_is_finite(input->points + 3 * (size_t)chains.points[end]);)
                end++;
            if (end - k > 1)
                good = add_tube(drawing, input, chains.points + k, end - k, radius, paint, coloring,
                                err);
        }
    }
    fm_polylines_destroy(&chains);
    return good;
}

// Adds a mesh: its faces, its lines as tubes, and its isolated points as spheres. coloring (may be
// NULL): values at the points, mapped to colours.
bool fm_drawing_add_surface(fm_drawing *drawing, const fm_mesh_view *mesh, const fm_paint *paint,
                            const fm_coloring *coloring, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && mesh));
    if (err->status != FM_OK || !fm_mesh_check(mesh, "drawing", err))
        return false;
    size_t n = (size_t)mesh->point_count;
    float *points = malloc(3 * n * sizeof *points + 1);
    if (!points)
        return fm_fail_no_memory(err, "drawing", 3 * n * sizeof *points);
    for (size_t i = 0; i < n; i++)
        fm_f3_store(points + 3 * i, fm_f3_from_vec3(mesh->points[i]));
    fm_surface_input input = {
        mesh, points, coloring ? coloring->values : NULL, {paint->spacing[0], paint->spacing[1]}};
    int dropped = count_not_finite(&input);
    drawing->dropped_count += dropped;
    bool good = add_points(drawing, &input, paint, coloring, err);
    if (mesh->line_count > 0)
        good = good && add_lines(drawing, &input, paint, coloring, err);
    if (mesh->face_count > 0)
        good = good && add_faces(drawing, &input, dropped == 0, paint, coloring, err);
    free(points);
    return good;
}

// Adds spheres with given centres (x y z each) and radii, m.
bool fm_drawing_add_spheres(fm_drawing *drawing, const float *centres, const float *radii,
                            int count, const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || drawing);
    if (err->status != FM_OK || count < 1)
        return err->status == FM_OK;
    fm_sphere_list *spheres = fm_drawing_append_spheres(drawing, err);
    if (!spheres)
        return false;
    spheres->paint = *paint;
    spheres->points =
        fm_arena_alloc(&drawing->arena, 4 * (size_t)count, sizeof(float), "drawing", err);
    for (int i = 0; i < count && spheres->points; i++) {
        if (!fm_drawing_point_is_finite(centres + 3 * (size_t)i) ||
            !(radii[i] > 0 && radii[i] < FM_DRAWING_SIZE_MAX)) {
            drawing->dropped_count++;
            continue;
        }
        float *out = spheres->points + 4 * (size_t)spheres->count++;
        fm_f3_store(out, fm_f3_load(centres + 3 * (size_t)i));
        out[3] = radii[i];
    }
    return spheres->points != NULL;
}

// Adds a tube of constant radius, m, through the points (x y z each).
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
        drawing->sphere_lists[drawing->sphere_list_count - 1].joined = true;
    free(radii);
    return good;
}

// Number of triangles of all meshes.
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
