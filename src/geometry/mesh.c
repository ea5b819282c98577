// SPDX-License-Identifier: MIT
// mesh.c: sizes, validity, triangulation and isolated points of a mesh; allocates mesh arrays.
#include "geometry/geometry.h"

#include <assert.h>
#include <stdlib.h>

// Counts points, lines, faces, and the corners of all faces. Without face_start, faces are
// triangles.
fm_mesh_size fm_mesh_measure(const fm_mesh_view *mesh)
{
    fm_mesh_size size = {.points = mesh->point_count,
                         .lines = mesh->line_count,
                         .faces = mesh->face_count,
                         .has_uv = mesh->corner_uv != NULL};
    if (mesh->face_count > 0)
        size.corners = mesh->face_start ? mesh->face_start[mesh->face_count] : 3 * mesh->face_count;
    return size;
}

// Checks that all point indices are at least 0 and below `limit`. object, field: named in the
// error.
static bool check_points(const int *points, size_t count, int limit, const char *object,
                         const char *field, fm_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (points[i] < 0 || points[i] >= limit)
            return fm_fail_number(err, object, field, points[i], "0 to point_count - 1");
    return true;
}

// Checks that counts are not negative, faces have at least three corners, and lines and faces use
// points that exist.
bool fm_mesh_check(const fm_mesh_view *mesh, const char *object, fm_error *err)
{
    if (mesh->point_count < 0 || mesh->line_count < 0 || mesh->face_count < 0)
        return fm_fail_number(err, object, "point_count, line_count, face_count", -1, "0 or more");
    for (int i = 0; i < mesh->face_count && mesh->face_start; i++) {
        int corners = mesh->face_start[i + 1] - mesh->face_start[i];
        if (mesh->face_start[0] != 0 || corners < 3)
            return fm_fail_number(err, object, "face_start", mesh->face_start[i + 1],
                                  "0, then at least three corners for each face");
    }
    size_t corners = (size_t)fm_mesh_measure(mesh).corners, ends = 2 * (size_t)mesh->line_count;
    return check_points(mesh->lines, ends, mesh->point_count, object, "lines", err) &&
           check_points(mesh->face_points, corners, mesh->point_count, object, "face_points", err);
}

// The mesh as a view, which points into its arrays.
fm_mesh_view fm_mesh_data_view(const fm_mesh_data *mesh)
{
    assert(mesh);
    return (fm_mesh_view){.points = mesh->points,
                          .point_count = mesh->point_count,
                          .lines = mesh->lines,
                          .line_count = mesh->line_count,
                          .face_start = mesh->face_start,
                          .face_points = mesh->face_points,
                          .face_count = mesh->face_count,
                          .corner_uv = mesh->corner_uv};
}

// Frees the arrays of a mesh and empties it.
void fm_mesh_data_destroy(fm_mesh_data *mesh)
{
    if (!mesh)
        return;
    free(mesh->points);
    free(mesh->lines);
    free(mesh->face_start);
    free(mesh->face_points);
    free(mesh->corner_uv);
    *mesh = (fm_mesh_data){0};
}

// Allocates the arrays of a mesh, zeroed. Returns false and fills err when out of memory.
bool fm_mesh_data_create(fm_mesh_data *mesh, const fm_mesh_size *size, const char *object,
                         fm_error *err)
{
    size_t corners = (size_t)(size->corners > 0 ? size->corners : 3 * size->faces);
    *mesh = (fm_mesh_data){
        .point_count = size->points, .line_count = size->lines, .face_count = size->faces};
    if (size->points > 0)
        mesh->points = calloc((size_t)size->points, sizeof *mesh->points);
    if (size->lines > 0)
        mesh->lines = calloc(2 * (size_t)size->lines, sizeof *mesh->lines);
    if (size->faces > 0)
        mesh->face_points = calloc(corners, sizeof *mesh->face_points);
    if (size->corners > 0)
        mesh->face_start = calloc((size_t)size->faces + 1, sizeof *mesh->face_start);
    if ((mesh->points || size->points == 0) && (mesh->lines || size->lines == 0) &&
        (mesh->face_points || size->faces == 0) && (mesh->face_start || size->corners == 0))
        return true;
    fm_mesh_data_destroy(mesh);
    return fm_fail_no_memory(err, object, (size_t)size->points * sizeof *mesh->points);
}

// Cuts a polygon into triangles that fan out from corner number `first`. Returns their number.
int fm_mesh_triangulate_face(const int *corner, int corners, int first, int *triangles)
{
    for (int k = 1; k + 1 < corners; k++) {
        *triangles++ = corner[first];
        *triangles++ = corner[(first + k) % corners];
        *triangles++ = corner[(first + k + 1) % corners];
    }
    return corners > 2 ? corners - 2 : 0;
}

// Number of triangles of fm_mesh_triangulate: a face of n corners gives n - 2.
int fm_mesh_count_triangles(const fm_mesh_view *mesh)
{
    return fm_mesh_measure(mesh).corners - 2 * mesh->face_count;
}

// Cuts all faces into triangles, three point indices each.
void fm_mesh_triangulate(const fm_mesh_view *mesh, int *triangles)
{
    for (int f = 0; f < mesh->face_count; f++) {
        int corners;
        const int *corner = fm_mesh_face(mesh, f, &corners);
        triangles += 3 * (size_t)fm_mesh_triangulate_face(corner, corners, 0, triangles);
    }
}

// Replaces the faces of a mesh by triangles, without texture coordinates.
bool fm_mesh_data_triangulate(fm_mesh_data *mesh, fm_error *err)
{
    fm_mesh_view view = fm_mesh_data_view(mesh);
    int count = fm_mesh_count_triangles(&view);
    int *triangles = malloc((3 * (size_t)count + 1) * sizeof *triangles);
    if (!triangles)
        return fm_fail_no_memory(err, "mesh", 3 * (size_t)count * sizeof *triangles);
    fm_mesh_triangulate(&view, triangles);
    free(mesh->face_start);
    free(mesh->face_points);
    free(mesh->corner_uv);
    mesh->corner_uv = NULL;
    mesh->face_start = NULL;
    mesh->face_points = triangles;
    mesh->face_count = count;
    return true;
}

// Indices of the points that belong to no line and no face; their number goes to *count. The caller
// frees them.
int *fm_mesh_find_isolated_points(const fm_mesh_view *mesh, int *count, fm_error *err)
{
    size_t n = (size_t)mesh->point_count, corners = (size_t)fm_mesh_measure(mesh).corners;
    bool *joined = calloc(n + 1, sizeof *joined);
    int *isolated = malloc((n + 1) * sizeof *isolated);
    *count = 0;
    if (joined && isolated) {
        for (size_t i = 0; i < 2 * (size_t)mesh->line_count; i++)
            joined[mesh->lines[i]] = true;
        for (size_t i = 0; i < corners; i++)
            joined[mesh->face_points[i]] = true;
        for (int i = 0; i < mesh->point_count; i++)
            if (!joined[i])
                isolated[(*count)++] = i;
    } else {
        fm_fail_no_memory(err, "mesh", n * sizeof *isolated);
        free(isolated);
        isolated = NULL;
    }
    free(joined);
    return isolated;
}
