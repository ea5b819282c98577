// SPDX-License-Identifier: MIT
// fluid_cavities.c: removes small closed cavities from the surface of a fluid.
//
// Where particles happen to leave a gap inside the fluid, the field is below the isovalue, and a
// closed surface around the gap would look like a bubble. A part of the surface is a cavity if it
// encloses a negative volume,
//
//     V = 1/6 sum over triangles  a . (b x c)
//
// with corners counterclockwise from outside the fluid, relative to a point of the part.
#include "draw/fluid_surface.h"

#include <stdlib.h>
#include <string.h>

// The representative of the part of the surface that point i belongs to.
static int find_root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// Six times the volume of the tetrahedron of a triangle and the point o.
static double find_volume(const float *points, const int corner[3], const float *o)
{
    double r[3][3];
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            r[i][a] = (double)points[3 * (size_t)corner[i] + (size_t)a] - (double)o[a];
    return r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
           r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
           r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
}

// Finds the parts of the surface: writes a representative of each point's part to parent, and six
// times the volume of the parts to volume, at their representatives.
static void find_parts(const fm_surface *s, int *parent, double *volume)
{
    for (int i = 0; i < s->point_count; i++)
        parent[i] = i;
    for (int f = 0; f < s->face_count; f++) {
        const int *c = s->face_points + 3 * (size_t)f;
        for (int k = 1; k < 3; k++) {
            int a = find_root(parent, c[0]), b = find_root(parent, c[k]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int i = 0; i < s->point_count; i++)
        parent[i] = find_root(parent, i);
    for (int f = 0; f < s->face_count; f++) {
        const int *c = s->face_points + 3 * (size_t)f;
        int root = parent[c[0]];
        volume[root] += find_volume(s->points, c, s->points + 3 * (size_t)root);
    }
}

// Keeps the points with keep[i] >= 0, which becomes their new number, and the triangles between
// them.
static void compact(fm_surface *s, int *keep)
{
    int points = 0, faces = 0;
    for (int i = 0; i < s->point_count; i++) {
        if (keep[i] < 0)
            continue;
        size_t from = 3 * (size_t)i, to = 3 * (size_t)points;
        memmove(s->points + to, s->points + from, 3 * sizeof(float));
        for (int k = 0; k < s->field_count; k++) {
            size_t n = (size_t)s->fields[k].components;
            memmove(s->fields[k].values + n * (size_t)points, s->fields[k].values + n * (size_t)i,
                    n * sizeof(float));
        }
        keep[i] = points++;
    }
    for (int f = 0; f < s->face_count; f++) {
        const int *c = s->face_points + 3 * (size_t)f;
        if (keep[c[0]] < 0)
            continue;
        for (int k = 0; k < 3; k++)
            s->face_points[3 * (size_t)faces + (size_t)k] = keep[c[k]];
        faces++;
    }
    s->point_count = points;
    s->face_count = faces;
}

// Removes the cavities with less than the given volume from a surface of triangles. volume: in the
// unit of the points, cubed.
bool fm_surface_remove_cavities(fm_surface *surface, double volume, fm_error *err)
{
    size_t n = (size_t)surface->point_count;
    int *part = malloc((n + 1) * sizeof *part);
    double *volumes = calloc(n + 1, sizeof *volumes);
    if (part && volumes) {
        find_parts(surface, part, volumes);
        for (size_t i = 0; i < n; i++) {
            double inside = volumes[part[i]] / 6;
            part[i] = inside < 0 && inside > -volume ? -1 : 0;
        }
        compact(surface, part);
    } else {
        fm_fail_no_memory(err, "fluid", n * (sizeof *part + sizeof *volumes));
    }
    free(part);
    free(volumes);
    return err->status == FM_OK;
}
