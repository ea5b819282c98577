// SPDX-License-Identifier: MIT
// mesh_collider.c: triangle meshes as colliders: their surface at a time, and the signed distance
// to it.
//
// The closest point c of a triangle is on its face, an edge or a corner; a bounding volume tree
// finds the triangle. A closed mesh is solid, and a point p is inside if (p - c) . n < 0. Here n is
// the angle-weighted pseudonormal [BA05]: the sum of the normals of the triangles that meet at c,
// each weighted by its angle there (one face, two faces at an edge, all faces around a corner). Any
// other n gives wrong signs near some corners. An open mesh has no inside: it is a shell of
// half_thickness to both sides of the triangles.
//
// Animated vertices interpolate given frames. Between frames i and i + 1, u = f - i, positions and
// velocities are weighted sums over x_(i-1) to x_(i+2) whose weights depend on u only:
//
//     linear  x_i (1 - u) + x_(i+1) u         smooth  the same with 3u^2 - 2u^3 for u
//     spline  Catmull-Rom cubic; the frame before the first is 2 x_0 - x_1, likewise at the end
//
// The tree is built from the first positions and refitted for other times. The closest point of a
// triangle follows [ERI05]. Full references: docs/references.md.
#include "collide/collide.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

struct fm_trimesh {
    int vertex_count, triangle_count;
    int *triangles; // [3 * triangle_count] vertices
    // [3 * triangle_count] neighbour triangle across the edge from a corner to the next; -1: none
    int *neighbour;
    int *fan_start;        // [vertex_count + 1] start of each vertex's range in `fan`
    int *fan;              // triangles around each vertex
    bool closed;           // every edge has two triangles with consistent orientation
    double half_thickness; // m, of a shell; 0 when closed
    // Animation; frame_count 0: none.
    int frame_count;
    const float *frames; // [frame_count * vertex_count * 3]
    double fps, start;   // frames per second; time of the first frame, s
    fm_interpolation interpolation;
    // Surface at `time`, computed by fm_trimesh_set_time.
    double time;
    fm_vec3 *x, *v;   // m, m/s; v is NULL without an animation
    fm_bounds *boxes; // [triangle_count]
    fm_bvh tree;      // over the triangles
};

// One edge of one triangle, for the search for neighbours.
typedef struct half_edge {
    int low, high; // vertices
    int edge;      // 3 * triangle + corner
    bool forward;  // from low to high
} half_edge;

// Orders half edges by their vertices, then by their number.
static int compare_edges(const void *one, const void *other)
{
    const half_edge *a = one, *b = other;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

// Fills `neighbour` and finds out whether the mesh is closed.
static bool find_neighbours(fm_trimesh *mesh, fm_error *err)
{
    int count = 3 * mesh->triangle_count;
    half_edge *edges = malloc((size_t)count * sizeof *edges);
    if (!edges)
        return fm_fail_no_memory(err, "mesh", (size_t)count * sizeof *edges);
    for (int e = 0; e < count; e++) {
        int a = mesh->triangles[e], b = mesh->triangles[e % 3 == 2 ? e - 2 : e + 1];
        edges[e] = (half_edge){a < b ? a : b, a < b ? b : a, e, a < b};
        mesh->neighbour[e] = -1;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    mesh->closed = true;
    for (int i = 0; i < count;) {
        int same = 1;
        while (i + same < count && edges[i + same].low == edges[i].low &&
               edges[i + same].high == edges[i].high)
            same++;
        if (same == 2) {
            mesh->neighbour[edges[i].edge] = edges[i + 1].edge / 3;
            mesh->neighbour[edges[i + 1].edge] = edges[i].edge / 3;
        }
        if (same != 2 || edges[i].forward == edges[i + 1].forward)
            mesh->closed = false;
        i += same;
    }
    free(edges);
    return true;
}

// Fills `fan` with the triangles around each vertex, by a counting sort.
static void find_vertex_triangles(fm_trimesh *mesh)
{
    int *start = mesh->fan_start;
    for (int c = 0; c < 3 * mesh->triangle_count; c++)
        start[mesh->triangles[c] + 1]++;
    for (int i = 0; i < mesh->vertex_count; i++)
        start[i + 1] += start[i];
    // backwards: start[v + 1] goes from the end of v's range to its beginning
    for (int c = 3 * mesh->triangle_count - 1; c >= 0; c--)
        mesh->fan[--start[mesh->triangles[c] + 1]] = c / 3;
    for (int i = 0; i < mesh->vertex_count; i++) // beginnings are one index too high: shift them
        start[i] = start[i + 1];
    start[mesh->vertex_count] = 3 * mesh->triangle_count;
}

// Six times the enclosed volume of a closed mesh, m^3; negative if its triangles face inwards.
static double find_volume(const fm_trimesh *mesh)
{
    double volume = 0;
    fm_vec3 origin = mesh->x[0];
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * (size_t)t;
        fm_vec3 a = fm_sub(mesh->x[c[0]], origin), b = fm_sub(mesh->x[c[1]], origin);
        volume += fm_dot(fm_cross(a, b), fm_sub(mesh->x[c[2]], origin));
    }
    return volume;
}

// Reverses the orientation of all triangles, so that normals point to the other side.
static void flip_orientation(fm_trimesh *mesh)
{
    for (size_t t = 0; t < (size_t)mesh->triangle_count; t++) {
        int *c = mesh->triangles + 3 * t, *n = mesh->neighbour + 3 * t, corner = c[1], first = n[0];
        c[1] = c[2], c[2] = corner; // edges 01 12 20 become 02 21 10
        n[0] = n[2], n[2] = first;
    }
}

// Computes the bounding boxes of all triangles.
static void update_boxes(fm_trimesh *mesh)
{
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * (size_t)t;
        fm_bounds box = {mesh->x[c[0]], mesh->x[c[0]]};
        fm_bounds_add_point(&box, mesh->x[c[1]]);
        fm_bounds_add_point(&box, mesh->x[c[2]]);
        mesh->boxes[t] = box;
    }
}

// Checks frame count, frame rate, start time, interpolation and coordinates of an animation.
static bool check_animation(const fm_collider_mesh *def, const char *object, fm_error *err)
{
    if (def->frame_count < 0)
        return fm_fail_number(err, object, "mesh.frame_count", def->frame_count, "0 or more");
    if (def->frame_count == 0)
        return true;
    if (!(def->fps > 0) || !isfinite(def->fps))
        return fm_fail_number(err, object, "mesh.fps", def->fps, "> 0 frames per second");
    if (!isfinite(def->start))
        return fm_fail_number(err, object, "mesh.start", def->start, "a finite number");
    if ((unsigned)def->interpolation > FM_INTERPOLATE_SPLINE)
        return fm_fail_number(err, object, "mesh.interpolation", def->interpolation,
                              "linear, smooth or spline");
    size_t count = 3 * (size_t)def->vertex_count * (size_t)def->frame_count;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(def->frames[i]))
            return fm_fail_number(err, object, "mesh.frames", def->frames[i], "finite numbers");
    }
    return true;
}

// Checks counts, thickness, vertices and indices of a mesh, and its animation.
static bool check_mesh(const fm_collider_mesh *def, const char *object, fm_error *err)
{
    enum { LARGEST_COUNT = 1 << 27 }; // the number of corners must fit into an int
    if (def->vertex_count < 3 || def->vertex_count > LARGEST_COUNT)
        return fm_fail_number(err, object, "mesh.vertex_count", def->vertex_count, "3 to 2^27");
    if (def->triangle_count < 1 || def->triangle_count > LARGEST_COUNT)
        return fm_fail_number(err, object, "mesh.triangle_count", def->triangle_count, "1 to 2^27");
    if (!(def->thickness >= 0) || !isfinite(def->thickness))
        return fm_fail_number(err, object, "mesh.thickness", def->thickness, ">= 0 metres");
    for (int i = 0; i < def->vertex_count; i++) {
        if (!fm_is_finite(def->vertices[i]))
            return fm_fail_vector(err, object, "mesh.vertices", def->vertices[i], "finite numbers");
    }
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++) {
        if (def->triangles[i] < 0 || def->triangles[i] >= def->vertex_count)
            return fm_fail_number(err, object, "mesh.triangles", def->triangles[i],
                                  "0 to vertex_count - 1");
    }
    return check_animation(def, object, err);
}

// Allocates the arrays of a mesh in the arena and copies the animation frames.
static bool create_arrays(fm_trimesh *mesh, fm_arena *arena, const fm_collider_mesh *def,
                          const char *object, fm_error *err)
{
    size_t n = (size_t)def->vertex_count, m = (size_t)def->triangle_count;
    size_t values = 3 * n * (size_t)def->frame_count;
    mesh->triangles = fm_arena_alloc(arena, 3 * m, sizeof(int), object, err);
    mesh->neighbour = fm_arena_alloc(arena, 3 * m, sizeof(int), object, err);
    mesh->fan = fm_arena_alloc(arena, 3 * m, sizeof(int), object, err);
    mesh->fan_start = fm_arena_alloc(arena, n + 2, sizeof(int), object, err);
    mesh->x = fm_arena_alloc(arena, n, sizeof *mesh->x, object, err);
    mesh->boxes = fm_arena_alloc(arena, m, sizeof *mesh->boxes, object, err);
    if (values > 0) {
        float *frames = fm_arena_alloc(arena, values, sizeof(float), object, err);
        mesh->v = fm_arena_alloc(arena, n, sizeof *mesh->v, object, err);
        if (frames)
            memcpy(frames, def->frames, values * sizeof(float));
        mesh->frames = frames;
    }
    return err->status == FM_OK;
}

// Creates a mesh collider: copies the definition, finds neighbours, turns the triangles of a closed
// mesh outwards and builds the tree.
fm_trimesh *fm_trimesh_create(fm_arena *arena, const fm_collider_mesh *def, const char *object,
                              fm_error *err)
{
    if (!check_mesh(def, object, err))
        return NULL;
    fm_trimesh *mesh = fm_arena_alloc(arena, 1, sizeof *mesh, object, err);
    if (!mesh || !create_arrays(mesh, arena, def, object, err))
        return NULL;
    mesh->vertex_count = def->vertex_count;
    mesh->triangle_count = def->triangle_count;
    mesh->frame_count = def->frame_count;
    mesh->fps = def->fps;
    mesh->start = def->start;
    mesh->interpolation = def->interpolation;
    mesh->time = NAN;
    memcpy(mesh->triangles, def->triangles, 3 * (size_t)def->triangle_count * sizeof(int));
    memcpy(mesh->x, def->vertices, (size_t)def->vertex_count * sizeof *mesh->x);
    if (!find_neighbours(mesh, err))
        return NULL;
    find_vertex_triangles(mesh);
    if (mesh->closed && find_volume(mesh) < 0)
        flip_orientation(mesh);
    mesh->half_thickness = mesh->closed ? 0 : def->thickness / 2;
    if (!mesh->closed && def->thickness == 0) {
        fm_fail_number(err, object, "mesh.thickness", 0,
                       "> 0 metres for a mesh that is not closed");
        return NULL;
    }
    update_boxes(mesh);
    return fm_bvh_build(&mesh->tree, arena, mesh->boxes, mesh->triangle_count, err) ? mesh : NULL;
}

// True if the mesh encloses a solid.
bool fm_trimesh_is_closed(const fm_trimesh *mesh)
{
    return mesh->closed;
}

// True if the vertices move with time in the frame of the mesh.
bool fm_trimesh_is_animated(const fm_trimesh *mesh)
{
    return mesh->frame_count > 0;
}

// Interpolation weights of the four animation frames first to first + 3, and the time derivatives
// of these weights, 1/s.
typedef struct blend {
    int first;
    double weight[4], rate[4];
} blend;

// Weights of the animation frames at time t, s, for linear, smooth or Catmull-Rom interpolation.
// The frame before the first and that after the last are extrapolated from the two nearest frames.
// Before the start and after the end the mesh stands still.
static blend find_blend(const fm_trimesh *mesh, double t)
{
    double f = (t - mesh->start) * mesh->fps, last = mesh->frame_count - 1;
    if (!(f >= 0))
        return (blend){.first = -1, .weight = {0, 1}};
    if (f >= last)
        return (blend){.first = mesh->frame_count - 2, .weight = {0, 1}};
    int i = (int)f;
    double u = f - i, s = mesh->fps;
    blend b = {.first = i - 1};
    if (mesh->interpolation != FM_INTERPOLATE_SPLINE) {
        bool smooth = mesh->interpolation == FM_INTERPOLATE_SMOOTH;
        b.weight[2] = smooth ? u * u * (3 - 2 * u) : u;
        b.rate[2] = smooth ? 6 * u * (1 - u) * s : s;
        b.weight[1] = 1 - b.weight[2];
        b.rate[1] = -b.rate[2];
        return b;
    }
    // Catmull-Rom weights w(u) of the four frames and their derivatives r(u) = dw/du
    const double w[4] = {((2 - u) * u - 1) * u / 2, ((3 * u - 5) * u * u + 2) / 2,
                         ((4 - 3 * u) * u + 1) * u / 2, (u - 1) * u * u / 2};
    const double r[4] = {((4 - 3 * u) * u - 1) / 2, (9 * u - 10) * u / 2, ((8 - 9 * u) * u + 1) / 2,
                         (3 * u - 2) * u / 2};
    for (int k = 0; k < 4; k++)
        b.weight[k] = w[k], b.rate[k] = r[k] * s;
    // a missing frame at an end is extrapolated: 2 x_end - x_neighbour
    for (int k = 0; k < 4; k += 3) {
        int end = k ? 2 : 1, next = k ? 1 : 2;
        if (b.first + k >= 0 && b.first + k < mesh->frame_count)
            continue;
        b.weight[end] += 2 * b.weight[k], b.weight[next] -= b.weight[k], b.weight[k] = 0;
        b.rate[end] += 2 * b.rate[k], b.rate[next] -= b.rate[k], b.rate[k] = 0;
    }
    return b;
}

// Interpolated positions x and velocities v at time t; v may be NULL.
static void blend_frames(const fm_trimesh *mesh, double t, fm_vec3 *x, fm_vec3 *v)
{
    blend b = find_blend(mesh, t);
    size_t n = (size_t)mesh->vertex_count;
    memset(x, 0, n * sizeof *x);
    if (v)
        memset(v, 0, n * sizeof *v);
    for (int k = 0; k < 4; k++) {
        if (b.weight[k] == 0 && b.rate[k] == 0)
            continue;
        const float *frame = mesh->frames + 3 * n * (size_t)(b.first + k);
        for (size_t i = 0; i < n; i++) {
            fm_vec3 p = {frame[3 * i], frame[3 * i + 1], frame[3 * i + 2]};
            x[i] = fm_add_scaled(x[i], p, b.weight[k]);
            if (v)
                v[i] = fm_add_scaled(v[i], p, b.rate[k]);
        }
    }
}

// Moves the vertices of an animated mesh to time t, s, and refits the tree.
void fm_trimesh_set_time(fm_trimesh *mesh, double t)
{
    if (mesh->frame_count == 0 || t == mesh->time)
        return;
    blend_frames(mesh, t, mesh->x, mesh->v);
    mesh->time = t;
    update_boxes(mesh);
    fm_bvh_refit(&mesh->tree, mesh->boxes);
}

// Writes the vertex positions at time t to x. Returns their largest distance from the current
// positions, m.
double fm_trimesh_read_vertices(const fm_trimesh *mesh, double t, fm_vec3 *x)
{
    double most = 0;
    blend_frames(mesh, t, x, NULL);
    for (int i = 0; i < mesh->vertex_count; i++)
        most = fmax(most, fm_length(fm_sub(x[i], mesh->x[i])));
    return most;
}

// The definition that would create the mesh again; its arrays belong to the mesh.
fm_collider_mesh fm_trimesh_definition(const fm_trimesh *mesh)
{
    return (fm_collider_mesh){.vertices = mesh->x,
                              .vertex_count = mesh->vertex_count,
                              .triangles = mesh->triangles,
                              .triangle_count = mesh->triangle_count,
                              .thickness = 2 * mesh->half_thickness,
                              .frames = mesh->frames,
                              .frame_count = mesh->frame_count,
                              .fps = mesh->fps,
                              .start = mesh->start,
                              .interpolation = mesh->interpolation};
}

// Bounding box at the current time, including the thickness of a shell.
fm_bounds fm_trimesh_bounds(const fm_trimesh *mesh)
{
    fm_bounds box = fm_bvh_bounds(&mesh->tree);
    double h = mesh->half_thickness;
    box.low = fm_sub(box.low, (fm_vec3){h, h, h});
    box.high = fm_add(box.high, (fm_vec3){h, h, h});
    return box;
}

// The triangles at the current time, as a view into the arrays of the mesh.
fm_mesh_view fm_trimesh_view(const fm_trimesh *mesh)
{
    return (fm_mesh_view){.points = mesh->x,
                          .point_count = mesh->vertex_count,
                          .face_points = mesh->triangles,
                          .face_count = mesh->triangle_count};
}

// The bounding volume tree over the triangles.
const fm_bvh *fm_trimesh_tree(const fm_trimesh *mesh)
{
    return &mesh->tree;
}

// Barycentric coordinates of the point of triangle a b c closest to p. A coordinate is exactly 0 if
// the point is on the opposite edge or corner. d1 to d6, va, vb, vc are the names of [ERI05]: dot
// products of the sides ab and ac with the vectors from the corners to p, and unnormalized areas.
static void find_barycentric(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 p, double share[3])
{
    fm_vec3 ab = fm_sub(b, a), ac = fm_sub(c, a), ap = fm_sub(p, a);
    double d1 = fm_dot(ab, ap), d2 = fm_dot(ac, ap);
    fm_vec3 bp = fm_sub(p, b), cp = fm_sub(p, c);
    double d3 = fm_dot(ab, bp), d4 = fm_dot(ac, bp), d5 = fm_dot(ab, cp), d6 = fm_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    share[0] = share[1] = share[2] = 0;
    if (d1 <= 0 && d2 <= 0) {
        share[0] = 1;
    } else if (d3 >= 0 && d4 <= d3) {
        share[1] = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        share[2] = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        share[1] = d1 - d3 > 0 ? d1 / (d1 - d3) : 0;
        share[0] = 1 - share[1];
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        share[2] = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
        share[0] = 1 - share[2];
    } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
        double e = d4 - d3, f = d5 - d6;
        share[2] = e + f > 0 ? e / (e + f) : 0;
        share[1] = 1 - share[2];
    } else {
        double sum = va + vb + vc;
        share[1] = vb / sum;
        share[2] = vc / sum;
        share[0] = 1 - share[1] - share[2];
    }
}

// Value at a point of a triangle: corners and barycentric coordinates are given.
static fm_vec3 interpolate(const fm_vec3 *values, const int *corner, const double share[3])
{
    fm_vec3 sum = fm_scale(values[corner[0]], share[0]);
    sum = fm_add_scaled(sum, values[corner[1]], share[1]);
    return fm_add_scaled(sum, values[corner[2]], share[2]);
}

// Squared distance of p from a triangle, m^2. context: the mesh.
static double squared_distance(void *context, int triangle, fm_vec3 p)
{
    const fm_trimesh *mesh = context;
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    double share[3];
    find_barycentric(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, share);
    fm_vec3 away = fm_sub(p, interpolate(mesh->x, c, share));
    return fm_dot(away, away);
}

// Unit normal of a triangle; zero for a triangle without area.
static fm_vec3 face_normal(const fm_trimesh *mesh, int triangle)
{
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    fm_vec3 a = mesh->x[c[0]];
    fm_vec3 n = fm_cross(fm_sub(mesh->x[c[1]], a), fm_sub(mesh->x[c[2]], a));
    return fm_normalize(&n) ? n : (fm_vec3){0};
}

// Angle of a triangle at one of its vertices, rad.
static double corner_angle(const fm_trimesh *mesh, int triangle, int vertex)
{
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    int k = c[0] == vertex ? 0 : c[1] == vertex ? 1 : 2;
    fm_vec3 e = fm_sub(mesh->x[c[(k + 1) % 3]], mesh->x[vertex]);
    fm_vec3 f = fm_sub(mesh->x[c[(k + 2) % 3]], mesh->x[vertex]);
    return atan2(fm_length(fm_cross(e, f)), fm_dot(e, f));
}

// Angle-weighted pseudonormal, not normalized, of the face, edge or corner of a triangle that a
// point lies on. share: barycentric coordinates of the point; a zero means it is on the opposite
// edge.
static fm_vec3 feature_normal(const fm_trimesh *mesh, int triangle, const double share[3])
{
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    int zeros = (share[0] == 0) + (share[1] == 0) + (share[2] == 0);
    fm_vec3 sum = {0};
    if (zeros == 0)
        return face_normal(mesh, triangle);
    if (zeros == 1) { // on the edge opposite to the corner with coordinate 0
        int opposite = share[0] == 0 ? 0 : share[1] == 0 ? 1 : 2;
        int beyond = mesh->neighbour[3 * (size_t)triangle + (size_t)(opposite + 1) % 3];
        sum = face_normal(mesh, triangle);
        return beyond < 0 ? sum : fm_add(sum, face_normal(mesh, beyond));
    }
    int vertex = c[share[0] > 0 ? 0 : share[1] > 0 ? 1 : 2];
    for (int i = mesh->fan_start[vertex]; i < mesh->fan_start[vertex + 1]; i++) {
        int t = mesh->fan[i];
        sum = fm_add_scaled(sum, face_normal(mesh, t), corner_angle(mesh, t, vertex));
    }
    return sum;
}

// Closest surface point to p, with signed distance, normal and velocity.
fm_contact fm_trimesh_find_contact(const fm_trimesh *mesh, fm_vec3 p)
{
    double square, share[3];
    // fm_bvh_find_nearest takes a non-const context but does not change it
    int triangle = fm_bvh_find_nearest(&mesh->tree, p, INFINITY, squared_distance,
                                       (void *)(uintptr_t)mesh, &square);
    assert(triangle >= 0 || !fm_is_finite(p));
    if (triangle < 0) // p is NaN: report it as far from everything
        return (fm_contact){.distance = INFINITY, .normal = {0, 1, 0}};
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    find_barycentric(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, share);
    fm_vec3 at = interpolate(mesh->x, c, share), away = fm_sub(p, at);
    fm_vec3 normal = feature_normal(mesh, triangle, share);
    if (!fm_normalize(&normal))
        normal = (fm_vec3){0, 1, 0};
    double length = fm_length(away), side = fm_dot(away, normal) < 0 ? -1 : 1;
    // nearer than this, the direction from surface to point is dominated by rounding
    double rounding = 1e4 * DBL_EPSILON * (fm_max_norm(p) + fm_max_norm(at));
    if (length > rounding)
        normal = fm_scale(away, (mesh->closed ? side : 1) / length);
    fm_contact contact = {.normal = normal, .point = at};
    contact.distance = mesh->closed ? side * length : length - mesh->half_thickness;
    contact.point = fm_add_scaled(at, normal, mesh->half_thickness);
    if (mesh->v)
        contact.velocity = interpolate(mesh->v, c, share);
    return contact;
}

// The surface point nearest to p, as a triangle and barycentric coordinates.
fm_anchor fm_trimesh_find_anchor(const fm_trimesh *mesh, fm_vec3 p)
{
    fm_anchor anchor = {0};
    double square;
    int triangle = fm_bvh_find_nearest(&mesh->tree, p, INFINITY, squared_distance,
                                       (void *)(uintptr_t)mesh, &square);
    assert(triangle >= 0);
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    anchor.triangle = triangle;
    find_barycentric(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, anchor.share);
    return anchor;
}

// The local frame at a point fixed to the surface: axes along the triangle's first edge, across it
// and along the normal.
fm_frame fm_trimesh_frame(const fm_trimesh *mesh, const fm_anchor *anchor)
{
    const int *c = mesh->triangles + 3 * (size_t)anchor->triangle;
    fm_frame frame = {.origin = interpolate(mesh->x, c, anchor->share)};
    frame.axes[0] = fm_sub(mesh->x[c[1]], mesh->x[c[0]]);
    frame.axes[2] = face_normal(mesh, anchor->triangle);
    if (!fm_normalize(&frame.axes[0]))
        frame.axes[0] = fm_vec3_find_perpendicular(frame.axes[2]);
    frame.axes[1] = fm_cross(frame.axes[2], frame.axes[0]);
    if (mesh->v)
        frame.velocity = interpolate(mesh->v, c, anchor->share);
    return frame;
}

// distance from a plane, relative to the distance from the contact, below which a point does not
// count as in front of it
static const double FRONT_TOLERANCE = 1e-6;

// True if a point is in front of any face that meets at the face, edge or corner given by the
// barycentric coordinates `share` of a triangle. away: vector from there to the point. Used to find
// surfaces that a point is behind.
static bool is_in_front(const fm_trimesh *mesh, int triangle, const double share[3], fm_vec3 away)
{
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    double slack = FRONT_TOLERANCE * fm_length(away);
    if (fm_dot(away, face_normal(mesh, triangle)) > slack)
        return true;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, beyond = mesh->neighbour[3 * (size_t)triangle + (size_t)k];
        bool edge = share[(k + 2) % 3] == 0 && share[k] > 0 && share[next] > 0;
        if (edge && beyond >= 0 && fm_dot(away, face_normal(mesh, beyond)) > slack)
            return true;
        for (int i = mesh->fan_start[c[k]]; share[k] == 1 && i < mesh->fan_start[c[k] + 1]; i++)
            if (fm_dot(away, face_normal(mesh, mesh->fan[i])) > slack)
                return true;
    }
    return false;
}

// Search for the opposite side of a thin wall.
typedef struct opposite {
    const fm_trimesh *mesh;
    // normal of the near side of the wall; surfaces that face the same way are ignored
    fm_vec3 normal;
} opposite;

static const double OPPOSED = -0.2; // largest cosine between the normals of two opposite sides
// smallest cosine, of 45 degrees, between the normal of a shell and the direction to a point that
// is not beyond its rim
static const double NOT_BEYOND_RIM = 0.7;

// Squared distance of p from a triangle, m^2; infinite unless the triangle faces away from the near
// side of the wall and p is behind it. context: an `opposite`.
static double squared_distance_to_opposite(void *context, int triangle, fm_vec3 p)
{
    const opposite *o = context;
    const fm_trimesh *mesh = o->mesh;
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    double share[3];
    find_barycentric(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, share);
    fm_vec3 away = fm_sub(p, interpolate(mesh->x, c, share));
    fm_vec3 normal = feature_normal(mesh, triangle, share);
    if (!fm_normalize(&normal) || fm_dot(normal, o->normal) > OPPOSED ||
        is_in_front(mesh, triangle, share, away))
        return INFINITY;
    return fm_dot(away, away);
}

// Finds the surface on the opposite side of a thin wall at p; near: the nearest surface. A shell
// has its opposite side at its thickness from the near one, except beyond its rim.
bool fm_trimesh_find_opposite_side(const fm_trimesh *mesh, fm_vec3 p, const fm_contact *near,
                                   double reach, fm_contact *far)
{
    double h = mesh->half_thickness, square, share[3];
    if (!mesh->closed) {
        fm_anchor anchor = fm_trimesh_find_anchor(mesh, p);
        *far = (fm_contact){.distance = -near->distance - 2 * h,
                            .point = fm_add_scaled(near->point, near->normal, -2 * h),
                            .normal = fm_scale(near->normal, -1)};
        // beyond the rim of a shell there is no opposite side
        return fabs(fm_dot(near->normal, face_normal(mesh, anchor.triangle))) > NOT_BEYOND_RIM &&
               -far->distance < reach;
    }
    opposite o = {mesh, near->normal};
    int triangle =
        fm_bvh_find_nearest(&mesh->tree, p, reach, squared_distance_to_opposite, &o, &square);
    if (triangle < 0)
        return false;
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    find_barycentric(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, share);
    *far = (fm_contact){.distance = -sqrt(square),
                        .point = interpolate(mesh->x, c, share),
                        .normal = feature_normal(mesh, triangle, share)};
    return fm_normalize(&far->normal);
}
