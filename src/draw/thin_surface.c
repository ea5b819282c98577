// SPDX-License-Identifier: MIT
// thin_surface.c: triangulates polygons with smooth normals, and thickens a surface into a slab.
#include "draw/draw.h"

#include <stdlib.h>
#include <string.h>

// True if all corners of a face are finite points.
static bool face_is_finite(const fm_surface_input *input, const int *corner, int corners)
{
    for (int k = 0; k < corners; k++)
        if (!fm_drawing_point_is_finite(input->points + 3 * (size_t)corner[k]))
            return false;
    return true;
}

// Copies the texture coordinates of triangle k of the fan of a face. uv: those of its corners.
static void copy_corner_texture(const float *uv, int k, float *to)
{
    memcpy(to, uv, 2 * sizeof *to);
    memcpy(to + 2, uv + 2 * ((size_t)k + 1), 4 * sizeof *to);
}

// Cuts each face into a fan of triangles, which add their area vectors to the normals of their
// corners. texture: receives the texture coordinates of their corners, unless NULL. Returns the
// number of triangles.
static int add_triangle_fans(const fm_surface_input *input, float *normals, int *triangles,
                             float *texture)
{
    int count = 0;
    for (int face = 0; face < input->mesh->face_count; face++) {
        int corners;
        const int *corner = fm_mesh_face(input->mesh, face, &corners);
        if (!face_is_finite(input, corner, corners))
            continue;
        int fan_count = fm_mesh_triangulate_face(corner, corners, 0, triangles + 3 * (size_t)count);
        for (int k = 0; k < fan_count; k++, count++) {
            const int *i = triangles + 3 * (size_t)count;
            fm_float3 p[3];
            if (texture)
                copy_corner_texture(input->mesh->corner_uv +
                                        2 * (size_t)(corner - input->mesh->face_points),
                                    k, texture + 6 * (size_t)count);
            for (int j = 0; j < 3; j++)
                p[j] = fm_f3_load(input->points + 3 * (size_t)i[j]);
            fm_float3 area = fm_f3_cross(fm_f3_sub(p[1], p[0]), fm_f3_sub(p[2], p[0]));
            for (int j = 0; j < 3; j++) {
                float *n = normals + 3 * (size_t)i[j];
                fm_f3_store(n, fm_f3_add(fm_f3_load(n), area));
            }
        }
    }
    return count;
}

// Triangulates the faces of a mesh, with smooth normals. Faces with a point that is not finite are
// left out.
bool fm_thin_surface_from_faces(fm_arena *arena, const fm_surface_input *input,
                                fm_thin_surface *thin, fm_error *err)
{
    size_t points = (size_t)input->mesh->point_count;
    size_t triangles = (size_t)fm_mesh_count_triangles(input->mesh);
    *thin = (fm_thin_surface){.point_count = input->mesh->point_count};
    thin->points = fm_arena_alloc(arena, 3 * points + 3, sizeof(float), "drawing", err);
    thin->normals = fm_arena_alloc(arena, 3 * points + 3, sizeof(float), "drawing", err);
    thin->triangles = fm_arena_alloc(arena, 3 * triangles + 3, sizeof(int), "drawing", err);
    if (input->values)
        thin->values = fm_arena_alloc(arena, points, sizeof(float), "drawing", err);
    if (input->mesh->corner_uv)
        thin->corner_texture =
            fm_arena_alloc(arena, 6 * triangles + 6, sizeof(float), "drawing", err);
    if (err->status != FM_OK)
        return false;
    thin->triangle_count =
        add_triangle_fans(input, thin->normals, thin->triangles, thin->corner_texture);
    for (size_t i = 0; i < points; i++) {
        const float *p = input->points + 3 * i;
        float *n = thin->normals + 3 * i;
        fm_f3_store(thin->points + 3 * i,
                    fm_drawing_point_is_finite(p) ? fm_f3_load(p) : fm_f3(0, 0, 0));
        fm_f3_store(n, fm_f3_unit(fm_f3_load(n)));
    }
    if (input->values)
        memcpy(thin->values, input->values, points * sizeof *input->values);
    return true;
}

// An edge of a triangle. Sorted by their ends, edges that belong to one triangle only stand alone.
typedef struct edge {
    int low, high; // the ends in ascending order
    int from, to;  // the ends in the order of the triangle
} edge;

// Orders edges by their ends, then by direction.
static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->low != y->low     ? (x->low > y->low) - (x->low < y->low)
           : x->high != y->high ? (x->high > y->high) - (x->high < y->high)
                                : (x->from > y->from) - (x->from < y->from);
}

// Finds the border edges, which belong to one triangle only, and stores them first in *border,
// which the caller frees. Returns their number, -1 if out of memory.
static int find_border(const fm_thin_surface *thin, edge **border)
{
    int count = 3 * thin->triangle_count, kept = 0;
    edge *edges = *border = malloc(((size_t)count + 1) * sizeof *edges);
    if (!edges)
        return -1;
    for (int i = 0; i < count; i++) {
        int from = thin->triangles[i], to = thin->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (edge){from < to ? from : to, from < to ? to : from, from, to};
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1;
             next < count && edges[next].low == edges[i].low && edges[next].high == edges[i].high;)
            next++;
        if (next == i + 1)
            edges[kept++] = edges[i];
    }
    return kept;
}

// Sums at each border point the direction that is tangent to the surface and points away from it.
static void find_outward(const fm_thin_surface *thin, const edge *border, int count, float *outward)
{
    for (int i = 0; i < count; i++) {
        fm_float3 a = fm_f3_load(thin->points + 3 * (size_t)border[i].from);
        fm_float3 b = fm_f3_load(thin->points + 3 * (size_t)border[i].to);
        const int end[2] = {border[i].from, border[i].to};
        for (int k = 0; k < 2; k++) {
            float *out = outward + 3 * (size_t)end[k];
            fm_float3 n = fm_f3_load(thin->normals + 3 * (size_t)end[k]);
            fm_float3 away = fm_f3_cross(fm_f3_unit(fm_f3_sub(b, a)), n);
            fm_f3_store(out, fm_f3_add(fm_f3_load(out), away));
        }
    }
}

// Copies the texture coordinates of point `from` of the thin surface to point `to` of the mesh.
static void copy_texture(const fm_thin_surface *thin, fm_triangle_mesh *mesh, size_t from,
                         size_t to)
{
    if (mesh->texture && thin->texture)
        memcpy(mesh->texture + 2 * to, thin->texture + 2 * from, 2 * sizeof(float));
}

// Places a point on the front and one on the back for each point of the thin surface and, for each
// border point, one in the middle of the border strip. outward: directions away from the surface at
// border points; strip: index of the point of the strip, -1 inside the surface; half: m, half the
// thickness.
static void offset_points(const fm_thin_surface *thin, const float *outward, const int *strip,
                          float half, fm_triangle_mesh *mesh)
{
    size_t n = (size_t)thin->point_count;
    for (size_t i = 0; i < n; i++) {
        fm_float3 p = fm_f3_load(thin->points + 3 * i), normal = fm_f3_load(thin->normals + 3 * i);
        fm_f3_store(mesh->points + 3 * i, fm_f3_add_scaled(p, half, normal));
        fm_f3_store(mesh->normals + 3 * i, normal);
        fm_f3_store(mesh->points + 3 * (n + i), fm_f3_add_scaled(p, -half, normal));
        fm_f3_store(mesh->normals + 3 * (n + i), fm_f3_scale(normal, -1));
        copy_texture(thin, mesh, i, i);
        copy_texture(thin, mesh, i, n + i);
        if (strip[i] < 0)
            continue;
        size_t at = (size_t)strip[i];
        fm_float3 away = fm_f3_unit(fm_f3_load(outward + 3 * i));
        fm_f3_store(mesh->points + 3 * at, fm_f3_add_scaled(p, half, away));
        fm_f3_store(mesh->normals + 3 * at, away);
        copy_texture(thin, mesh, i, at);
    }
}

// Writes the triangles of the front, of the back and of the border strip, four per border edge.
static void connect_points(const fm_thin_surface *thin, const edge *border, int border_count,
                           const int *strip, fm_triangle_mesh *mesh)
{
    int n = thin->point_count, *out = mesh->triangles;
    memcpy(out, thin->triangles, 3 * (size_t)thin->triangle_count * sizeof *out);
    out += 3 * (size_t)thin->triangle_count;
    for (int i = 0; i < thin->triangle_count; i++, out += 3) {
        const int *t = thin->triangles + 3 * (size_t)i;
        out[0] = n + t[0];
        out[1] = n + t[2];
        out[2] = n + t[1];
    }
    for (int i = 0; i < border_count; i++, out += 12) {
        int a = border[i].from, b = border[i].to;
        const int corners[12] = {a,        strip[a], strip[b], a,        strip[b], b,
                                 strip[a], n + a,    n + b,    strip[a], n + b,    strip[b]};
        memcpy(out, corners, sizeof corners);
    }
}

// Assigns the indices from twice the number of points on to the points of the border strip. Returns
// the total number of points.
static int number_strip(const fm_thin_surface *thin, const edge *border, int count, int *strip)
{
    int next = 2 * thin->point_count;
    for (int i = 0; i < thin->point_count; i++)
        strip[i] = -1;
    for (int i = 0; i < count; i++) {
        if (strip[border[i].from] < 0)
            strip[border[i].from] = next++;
        if (strip[border[i].to] < 0)
            strip[border[i].to] = next++;
    }
    return next;
}

// Allocates the arrays of a mesh in the arena.
static bool create_mesh_arrays(fm_arena *arena, fm_triangle_mesh *mesh, bool texture, fm_error *err)
{
    size_t points = (size_t)mesh->point_count, triangles = (size_t)mesh->triangle_count;
    mesh->points = fm_arena_alloc(arena, 3 * points, sizeof(float), "drawing", err);
    mesh->normals = fm_arena_alloc(arena, 3 * points, sizeof(float), "drawing", err);
    mesh->triangles = fm_arena_alloc(arena, 3 * triangles, sizeof(int), "drawing", err);
    if (texture)
        mesh->texture = fm_arena_alloc(arena, 2 * points, sizeof(float), "drawing", err);
    return err->status == FM_OK;
}

// Turns a surface without thickness into a closed slab of paint->thickness: front, back and border
// strip. Thickness 0: the surface stays a single layer.
bool fm_thin_surface_thicken(fm_arena *arena, const fm_thin_surface *thin, const fm_paint *paint,
                             fm_triangle_mesh *mesh, fm_error *err)
{
    *mesh = (fm_triangle_mesh){.paint = *paint,
                               .corner_texture = thin->corner_texture,
                               .extent = {thin->extent[0], thin->extent[1]}};
    if (!(paint->thickness > 0)) {
        mesh->point_count = thin->point_count;
        mesh->triangle_count = thin->triangle_count;
        mesh->points = thin->points;
        mesh->normals = thin->normals;
        mesh->texture = thin->texture;
        mesh->triangles = thin->triangles;
        return true;
    }
    edge *border;
    int border_count = find_border(thin, &border);
    int *strip = malloc(((size_t)thin->point_count + 1) * sizeof *strip);
    float *outward = calloc(3 * (size_t)thin->point_count + 1, sizeof *outward);
    bool good = border_count >= 0 && strip && outward;
    if (!good) {
        fm_fail_no_memory(err, "drawing", (size_t)thin->point_count * sizeof(edge));
    } else {
        mesh->point_count = number_strip(thin, border, border_count, strip);
        mesh->triangle_count = 2 * thin->triangle_count + 4 * border_count;
        mesh->front_count = thin->triangle_count;
        good = create_mesh_arrays(arena, mesh, thin->texture != NULL, err);
    }
    if (good) {
        find_outward(thin, border, border_count, outward);
        offset_points(thin, outward, strip, paint->thickness / 2, mesh);
        connect_points(thin, border, border_count, strip, mesh);
    }
    free(outward);
    free(strip);
    free(border);
    return good;
}
