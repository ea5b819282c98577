// SPDX-License-Identifier: MIT
// polylines.c: joins the lines of a mesh to polylines, so that a rope can be drawn or written as
// one curve.
//
// A polyline begins at an end or a fork, that is at a point with one line or more than two, and
// follows the lines to the next end or fork. Points are tried in increasing order. The lines that
// are left over form closed rings.
#include "geometry/geometry.h"

#include <stdlib.h>

// State while the lines are joined.
typedef struct walk {
    const fm_mesh_view *mesh;
    // Lines that end at point i: incident[first[i]] to incident[first[i + 1] - 1], in increasing
    // order.
    int *first;    // [point_count + 1]
    int *incident; // [2 * line_count]
    bool *used;    // [line_count] the line is part of a polyline already
    fm_polylines *polylines;
    int length; // entries of polylines->points so far
} walk;

// Lists the lines at each point (w->first, w->incident) by a counting sort.
static void list_lines_of_points(walk *w)
{
    const fm_mesh_view *mesh = w->mesh;
    for (int i = 0; i < 2 * mesh->line_count; i++)
        w->first[mesh->lines[i] + 1]++;
    for (int i = 0; i < mesh->point_count; i++)
        w->first[i + 1] += w->first[i];
    for (int i = 2 * mesh->line_count - 1; i >= 0; i--) // fills each list from its end
        w->incident[--w->first[mesh->lines[i] + 1]] = i / 2;
    for (int i = 0; i < mesh->point_count; i++)
        w->first[i] = w->first[i + 1];
    w->first[mesh->point_count] = 2 * mesh->line_count;
}

// Number of lines that end at a point.
static int count_lines_of_point(const walk *w, int point)
{
    return w->first[point + 1] - w->first[point];
}

// The first line of a point that is in no polyline yet, or -1.
static int find_unused_line(const walk *w, int point)
{
    for (int k = w->first[point]; k < w->first[point + 1]; k++)
        if (!w->used[w->incident[k]])
            return w->incident[k];
    return -1;
}

// Adds the polyline that begins at a point and follows unused lines to the next end or fork.
static void add_polyline(walk *w, int point)
{
    fm_polylines *curves = w->polylines;
    int line = find_unused_line(w, point);
    curves->start[curves->count++] = w->length;
    curves->points[w->length++] = point;
    while (line >= 0) {
        const int *end = w->mesh->lines + 2 * (size_t)line;
        w->used[line] = true;
        point = end[0] == point ? end[1] : end[0];
        curves->points[w->length++] = point;
        line = count_lines_of_point(w, point) == 2 ? find_unused_line(w, point) : -1;
    }
    curves->start[curves->count] = w->length;
}

// Joins the lines of a mesh to polylines: first those from ends and forks, then closed rings.
bool fm_polylines_create(fm_polylines *polylines, const fm_mesh_view *mesh, fm_error *err)
{
    size_t points = (size_t)mesh->point_count, lines = (size_t)mesh->line_count;
    *polylines = (fm_polylines){.start = calloc(3 * lines + 1, sizeof(int))};
    walk w = {.mesh = mesh, .polylines = polylines};
    w.first = calloc(points + 2, sizeof *w.first);
    w.incident = malloc((2 * lines + 1) * sizeof *w.incident);
    w.used = calloc(lines + 1, sizeof *w.used);
    bool good = polylines->start && w.first && w.incident && w.used;
    if (good) {
        polylines->points = polylines->start + lines + 1; // a line adds at most two points
        list_lines_of_points(&w);
        for (int pass = 0; pass < 2; pass++) // first from ends and forks, then rings
            for (int i = 0; i < mesh->point_count; i++)
                while ((pass == 1 || count_lines_of_point(&w, i) != 2) &&
                       find_unused_line(&w, i) >= 0)
                    add_polyline(&w, i);
    } else {
        fm_fail_no_memory(err, "mesh", (3 * lines + 1) * sizeof(int));
        fm_polylines_destroy(polylines);
    }
    free(w.first);
    free(w.incident);
    free(w.used);
    return good;
}

// Frees the polylines and empties the struct.
void fm_polylines_destroy(fm_polylines *polylines)
{
    free(polylines->start);
    *polylines = (fm_polylines){0};
}
