// SPDX-License-Identifier: MIT
// surface.c: triangles of any polygons, with smooth normals, and the two sides of a cloth.
#include "draw/draw.h"

#include <stdlib.h>
#include <string.h>

static bool face_is_good(const fm_polygons *polygons, int face)
{
    for (int k = polygons->face_start[face]; k < polygons->face_start[face + 1]; k++)
        if (!fm_point_is_finite(polygons->points + 3 * (size_t)polygons->face_points[k]))
            return false;
    return true;
}

// Triangles as fans. Each adds its area vector to the normals of its corners.
static int fan_triangles(const fm_polygons *polygons, float *normals, int *triangles)
{
    int count = 0;
    for (int face = 0; face < polygons->face_count; face++) {
        const int *corner = polygons->face_points + polygons->face_start[face];
        int corners = polygons->face_start[face + 1] - polygons->face_start[face];
        if (!face_is_good(polygons, face))
            continue;
        for (int k = 1; k + 1 < corners; k++) {
            const int i[3] = {corner[0], corner[k], corner[k + 1]};
            fm_float3 p[3];
            for (int j = 0; j < 3; j++)
                p[j] = fm_f3_load(polygons->points + 3 * (size_t)i[j]);
            fm_float3 area = fm_f3_cross(fm_f3_sub(p[1], p[0]), fm_f3_sub(p[2], p[0]));
            for (int j = 0; j < 3; j++) {
                float *n = normals + 3 * (size_t)i[j];
                fm_f3_store(n, fm_f3_add(fm_f3_load(n), area));
            }
            memcpy(triangles + 3 * (size_t)count++, i, sizeof i);
        }
    }
    return count;
}

bool fm_polygons_patch(fm_arena *arena, const fm_polygons *polygons, const float *values,
                       fm_patch *patch, fm_error *err)
{
    size_t points = (size_t)polygons->point_count, triangles = 0;
    for (int face = 0; face < polygons->face_count; face++) {
        int corners = polygons->face_start[face + 1] - polygons->face_start[face];
        triangles += corners > 2 ? (size_t)corners - 2 : 0;
    }
    *patch = (fm_patch){.point_count = polygons->point_count};
    patch->points = fm_arena_alloc(arena, 3 * points + 3, sizeof(float), "drawing", err);
    patch->normals = fm_arena_alloc(arena, 3 * points + 3, sizeof(float), "drawing", err);
    patch->triangles = fm_arena_alloc(arena, 3 * triangles + 3, sizeof(int), "drawing", err);
    patch->values = values ? fm_arena_alloc(arena, points, sizeof(float), "drawing", err) : NULL;
    if (err->status != FM_OK)
        return false;
    patch->triangle_count = fan_triangles(polygons, patch->normals, patch->triangles);
    for (size_t i = 0; i < points; i++) {
        const float *p = polygons->points + 3 * i;
        float *n = patch->normals + 3 * i;
        fm_f3_store(patch->points + 3 * i, fm_point_is_finite(p) ? fm_f3_load(p) : fm_f3(0, 0, 0));
        fm_f3_store(n, fm_f3_unit(fm_f3_load(n)));
    }
    if (values)
        memcpy(patch->values, values, points * sizeof *values);
    return true;
}

// Edges of triangles, sorted by their ends, to find those that belong to one triangle only.
typedef struct edge {
    int low, high; // ends
    int from, to;  // as the triangle has them
} edge;

static int by_ends(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->low != y->low     ? (x->low > y->low) - (x->low < y->low)
           : x->high != y->high ? (x->high > y->high) - (x->high < y->high)
                                : (x->from > y->from) - (x->from < y->from);
}

// Edges along the border, at the front of the list. Gives their number, -1 without memory.
static int find_border(const fm_patch *patch, edge **border)
{
    int count = 3 * patch->triangle_count, kept = 0;
    edge *edges = *border = malloc(((size_t)count + 1) * sizeof *edges);
    if (!edges)
        return -1;
    for (int i = 0; i < count; i++) {
        int from = patch->triangles[i], to = patch->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (edge){from < to ? from : to, from < to ? to : from, from, to};
    }
    qsort(edges, (size_t)count, sizeof *edges, by_ends);
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1;
             next < count && edges[next].low == edges[i].low && edges[next].high == edges[i].high;)
            next++;
        if (next == i + 1)
            edges[kept++] = edges[i];
    }
    return kept;
}

// The outward direction at each border point: in the surface, away from it.
static void find_outward(const fm_patch *patch, const edge *border, int count, float *outward)
{
    for (int i = 0; i < count; i++) {
        fm_float3 a = fm_f3_load(patch->points + 3 * (size_t)border[i].from);
        fm_float3 b = fm_f3_load(patch->points + 3 * (size_t)border[i].to);
        const int end[2] = {border[i].from, border[i].to};
        for (int k = 0; k < 2; k++) {
            float *out = outward + 3 * (size_t)end[k];
            fm_float3 n = fm_f3_load(patch->normals + 3 * (size_t)end[k]);
            fm_float3 away = fm_f3_cross(fm_f3_unit(fm_f3_sub(b, a)), n);
            fm_f3_store(out, fm_f3_add(fm_f3_load(out), away));
        }
    }
}

// Colours, texture and the like of point `from` for point `to` of the mesh.
static void copy_looks(const fm_patch *patch, fm_mesh *mesh, size_t from, size_t to)
{
    if (mesh->texture && patch->texture)
        memcpy(mesh->texture + 2 * to, patch->texture + 2 * from, 2 * sizeof(float));
}

// Points: the front's, the back's, and for each border point one on the middle of the rim.
static void place_points(const fm_patch *patch, const float *outward, const int *rim, float half,
                         fm_mesh *mesh)
{
    size_t n = (size_t)patch->point_count;
    for (size_t i = 0; i < n; i++) {
        fm_float3 p = fm_f3_load(patch->points + 3 * i),
                  normal = fm_f3_load(patch->normals + 3 * i);
        fm_f3_store(mesh->points + 3 * i, fm_f3_along(p, half, normal));
        fm_f3_store(mesh->normals + 3 * i, normal);
        fm_f3_store(mesh->points + 3 * (n + i), fm_f3_along(p, -half, normal));
        fm_f3_store(mesh->normals + 3 * (n + i), fm_f3_scale(normal, -1));
        copy_looks(patch, mesh, i, i);
        copy_looks(patch, mesh, i, n + i);
        if (rim[i] < 0)
            continue;
        size_t at = (size_t)rim[i];
        fm_float3 away = fm_f3_unit(fm_f3_load(outward + 3 * i));
        fm_f3_store(mesh->points + 3 * at, fm_f3_along(p, half, away));
        fm_f3_store(mesh->normals + 3 * at, away);
        copy_looks(patch, mesh, i, at);
    }
}

static void join_points(const fm_patch *patch, const edge *border, int border_count, const int *rim,
                        fm_mesh *mesh)
{
    int n = patch->point_count, *out = mesh->triangles;
    memcpy(out, patch->triangles, 3 * (size_t)patch->triangle_count * sizeof *out);
    out += 3 * (size_t)patch->triangle_count;
    for (int i = 0; i < patch->triangle_count; i++, out += 3) {
        const int *t = patch->triangles + 3 * (size_t)i;
        out[0] = n + t[0];
        out[1] = n + t[2];
        out[2] = n + t[1];
    }
    for (int i = 0; i < border_count; i++, out += 12) {
        int a = border[i].from, b = border[i].to;
        const int round[12] = {a,      rim[a], rim[b], a,      rim[b], b,
                               rim[a], n + a,  n + b,  rim[a], n + b,  rim[b]};
        memcpy(out, round, sizeof round);
    }
}

// Numbers the border points behind the 2 n others.
static int number_rim(const fm_patch *patch, const edge *border, int count, int *rim)
{
    int next = 2 * patch->point_count;
    for (int i = 0; i < patch->point_count; i++)
        rim[i] = -1;
    for (int i = 0; i < count; i++) {
        if (rim[border[i].from] < 0)
            rim[border[i].from] = next++;
        if (rim[border[i].to] < 0)
            rim[border[i].to] = next++;
    }
    return next;
}

static bool alloc_mesh(fm_arena *arena, fm_mesh *mesh, bool texture, fm_error *err)
{
    size_t points = (size_t)mesh->point_count, triangles = (size_t)mesh->triangle_count;
    mesh->points = fm_arena_alloc(arena, 3 * points, sizeof(float), "drawing", err);
    mesh->normals = fm_arena_alloc(arena, 3 * points, sizeof(float), "drawing", err);
    mesh->triangles = fm_arena_alloc(arena, 3 * triangles, sizeof(int), "drawing", err);
    if (texture)
        mesh->texture = fm_arena_alloc(arena, 2 * points, sizeof(float), "drawing", err);
    return err->status == FM_OK;
}

bool fm_patch_thicken(fm_arena *arena, const fm_patch *patch, const fm_paint *paint, fm_mesh *mesh,
                      fm_error *err)
{
    *mesh = (fm_mesh){.paint = *paint, .extent = {patch->extent[0], patch->extent[1]}};
    if (!(paint->thickness > 0)) {
        mesh->point_count = patch->point_count;
        mesh->triangle_count = patch->triangle_count;
        mesh->points = patch->points;
        mesh->normals = patch->normals;
        mesh->texture = patch->texture;
        mesh->triangles = patch->triangles;
        return true;
    }
    edge *border;
    int border_count = find_border(patch, &border);
    int *rim = malloc(((size_t)patch->point_count + 1) * sizeof *rim);
    float *outward = calloc(3 * (size_t)patch->point_count + 1, sizeof *outward);
    bool good = border_count >= 0 && rim && outward;
    if (!good) {
        fm_fail_no_memory(err, "drawing", (size_t)patch->point_count * sizeof(edge));
    } else {
        mesh->point_count = number_rim(patch, border, border_count, rim);
        mesh->triangle_count = 2 * patch->triangle_count + 4 * border_count;
        mesh->front_count = patch->triangle_count;
        good = alloc_mesh(arena, mesh, patch->texture != NULL, err);
    }
    if (good) {
        find_outward(patch, border, border_count, outward);
        place_points(patch, outward, rim, paint->thickness / 2, mesh);
        join_points(patch, border, border_count, rim, mesh);
    }
    free(outward);
    free(rim);
    free(border);
    return good;
}
