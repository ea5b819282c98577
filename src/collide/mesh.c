// SPDX-License-Identifier: MIT
// mesh.c: triangle meshes as colliders: the surface at a time, and the signed distance to it.
//
// The closest point c of a triangle is on its face, an edge or a corner; a tree of boxes finds the
// triangle. A closed mesh is solid, and the side of p is the sign of (p - c) . n with n the sum of
// the normals of the triangles that meet at c, each weighted by its angle there: of one face, two
// faces at an edge, all around at a corner. With any other n corners have points on the wrong side.
// An open mesh has no inside: it is a shell, half_thickness to both sides of the triangles.
//
// Animated vertices pass through given frames. Between frames i and i + 1, u = f - i, they are sums
// over x_(i-1) to x_(i+2) whose weights depend on u only, and so are their velocities:
//
//     linear  x_i (1 - u) + x_(i+1) u         smooth  the same with 3u^2 - 2u^3 for u
//     spline  Catmull and Rom's cubic; a frame before the first is 2 x_0 - x_1, likewise at the end
//
// The tree is built of the first positions and refitted when a time asks for others.
//
// [BA05] Baerentzen, Aanaes: Signed distance computation using the angle weighted pseudonormal.
//        IEEE TVCG 11(3), 2005.
// [ERI05] Ericson: Real-time collision detection, section 5.1.5. Morgan Kaufmann, 2005.
#include "collide/collide.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

struct fm_trimesh {
    int vertex_count, triangle_count;
    int *triangles;    // [3 * triangle_count]
    int *across;       // [3 * triangle_count] triangle beyond the edge from a corner to the next
    int *around_start; // [vertex_count + 1] into around
    int *around;       // triangles at each vertex
    bool closed;       // every edge has two triangles that agree which side is out
    double half_thickness; // m, of a shell; 0 when closed
    // animation; frame_count 0: none
    int frame_count;
    const float *frames; // [frame_count * vertex_count * 3]
    double fps, start;
    fm_interpolation interpolation;
    // at `time`, made by fm_trimesh_set_time
    double time;
    fm_vec3 *x, *v; // m, m/s; v is NULL without an animation
    fm_box *boxes;
    fm_tree tree;
};

// One edge of one triangle while neighbours are sought.
typedef struct half_edge {
    int low, high; // vertices
    int edge;      // 3 * triangle + corner
    bool forward;  // from low to high
} half_edge;

static int compare_edges(const void *one, const void *other)
{
    const half_edge *a = one, *b = other;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

// Fills `across` and tells whether the mesh is closed.
static bool find_neighbours(fm_trimesh *mesh, fm_error *err)
{
    int count = 3 * mesh->triangle_count;
    half_edge *edges = malloc((size_t)count * sizeof *edges);
    if (!edges)
        return fm_fail_no_memory(err, "mesh", (size_t)count * sizeof *edges);
    for (int e = 0; e < count; e++) {
        int a = mesh->triangles[e], b = mesh->triangles[e % 3 == 2 ? e - 2 : e + 1];
        edges[e] = (half_edge){a < b ? a : b, a < b ? b : a, e, a < b};
        mesh->across[e] = -1;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    mesh->closed = true;
    for (int i = 0; i < count;) {
        int same = 1;
        while (i + same < count && edges[i + same].low == edges[i].low &&
               edges[i + same].high == edges[i].high)
            same++;
        if (same == 2) {
            mesh->across[edges[i].edge] = edges[i + 1].edge / 3;
            mesh->across[edges[i + 1].edge] = edges[i].edge / 3;
        }
        if (same != 2 || edges[i].forward == edges[i + 1].forward)
            mesh->closed = false;
        i += same;
    }
    free(edges);
    return true;
}

static void find_surroundings(fm_trimesh *mesh)
{
    int *start = mesh->around_start;
    for (int c = 0; c < 3 * mesh->triangle_count; c++)
        start[mesh->triangles[c] + 1]++;
    for (int i = 0; i < mesh->vertex_count; i++)
        start[i + 1] += start[i];
    for (int c = 3 * mesh->triangle_count - 1; c >= 0; c--) // backwards from the ends
        mesh->around[--start[mesh->triangles[c] + 1]] = c / 3;
    for (int i = 0; i < mesh->vertex_count; i++) // now the beginnings, one place too far
        start[i] = start[i + 1];
    start[mesh->vertex_count] = 3 * mesh->triangle_count;
}

// Six times the volume that a closed mesh holds; below 0 its triangles face inwards.
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

static void turn_inside_out(fm_trimesh *mesh)
{
    for (size_t t = 0; t < (size_t)mesh->triangle_count; t++) {
        int *c = mesh->triangles + 3 * t, *n = mesh->across + 3 * t, corner = c[1], beyond = n[0];
        c[1] = c[2], c[2] = corner; // edges 01 12 20 become 02 21 10
        n[0] = n[2], n[2] = beyond;
    }
}

static void update_boxes(fm_trimesh *mesh)
{
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles + 3 * (size_t)t;
        fm_box box = {mesh->x[c[0]], mesh->x[c[0]]};
        fm_box_add(&box, mesh->x[c[1]]);
        fm_box_add(&box, mesh->x[c[2]]);
        mesh->boxes[t] = box;
    }
}

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

static bool check_mesh(const fm_collider_mesh *def, const char *object, fm_error *err)
{
    enum { MOST = 1 << 27 }; // corners must be countable
    if (def->vertex_count < 3 || def->vertex_count > MOST)
        return fm_fail_number(err, object, "mesh.vertex_count", def->vertex_count, "3 to 2^27");
    if (def->triangle_count < 1 || def->triangle_count > MOST)
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

static bool allocate(fm_trimesh *mesh, fm_arena *arena, const fm_collider_mesh *def,
                     const char *object, fm_error *err)
{
    size_t n = (size_t)def->vertex_count, m = (size_t)def->triangle_count;
    size_t values = 3 * n * (size_t)def->frame_count;
    mesh->triangles = fm_arena_alloc(arena, 3 * m, sizeof(int), object, err);
    mesh->across = fm_arena_alloc(arena, 3 * m, sizeof(int), object, err);
    mesh->around = fm_arena_alloc(arena, 3 * m, sizeof(int), object, err);
    mesh->around_start = fm_arena_alloc(arena, n + 2, sizeof(int), object, err);
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

fm_trimesh *fm_trimesh_new(fm_arena *arena, const fm_collider_mesh *def, const char *object,
                           fm_error *err)
{
    if (!check_mesh(def, object, err))
        return NULL;
    fm_trimesh *mesh = fm_arena_alloc(arena, 1, sizeof *mesh, object, err);
    if (!mesh || !allocate(mesh, arena, def, object, err))
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
    find_surroundings(mesh);
    if (mesh->closed && find_volume(mesh) < 0)
        turn_inside_out(mesh);
    mesh->half_thickness = mesh->closed ? 0 : def->thickness / 2;
    if (!mesh->closed && def->thickness == 0) {
        fm_fail_number(err, object, "mesh.thickness", 0,
                       "> 0 metres for a mesh that is not closed");
        return NULL;
    }
    update_boxes(mesh);
    return fm_tree_build(&mesh->tree, arena, mesh->boxes, mesh->triangle_count, err) ? mesh : NULL;
}

bool fm_trimesh_is_closed(const fm_trimesh *mesh)
{
    return mesh->closed;
}

bool fm_trimesh_is_animated(const fm_trimesh *mesh)
{
    return mesh->frame_count > 0;
}

// Weights of frames first to first + 3 and of their rates, 1/s. Frames outside are folded in.
typedef struct blend {
    int first;
    double weight[4], rate[4];
} blend;

static blend blend_at(const fm_trimesh *mesh, double t)
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
        bool eased = mesh->interpolation == FM_INTERPOLATE_SMOOTH;
        b.weight[2] = eased ? u * u * (3 - 2 * u) : u;
        b.rate[2] = eased ? 6 * u * (1 - u) * s : s;
        b.weight[1] = 1 - b.weight[2];
        b.rate[1] = -b.rate[2];
        return b;
    }
    const double w[4] = {((2 - u) * u - 1) * u / 2, ((3 * u - 5) * u * u + 2) / 2,
                         ((4 - 3 * u) * u + 1) * u / 2, (u - 1) * u * u / 2};
    const double r[4] = {((4 - 3 * u) * u - 1) / 2, (9 * u - 10) * u / 2, ((8 - 9 * u) * u + 1) / 2,
                         (3 * u - 2) * u / 2};
    for (int k = 0; k < 4; k++)
        b.weight[k] = w[k], b.rate[k] = r[k] * s;
    for (int k = 0; k < 4; k += 3) { // beyond an end: twice the end less its neighbour
        int end = k ? 2 : 1, next = k ? 1 : 2;
        if (b.first + k >= 0 && b.first + k < mesh->frame_count)
            continue;
        b.weight[end] += 2 * b.weight[k], b.weight[next] -= b.weight[k], b.weight[k] = 0;
        b.rate[end] += 2 * b.rate[k], b.rate[next] -= b.rate[k], b.rate[k] = 0;
    }
    return b;
}

// v may be NULL.
static void blend_frames(const fm_trimesh *mesh, double t, fm_vec3 *x, fm_vec3 *v)
{
    blend b = blend_at(mesh, t);
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

void fm_trimesh_set_time(fm_trimesh *mesh, double t)
{
    if (mesh->frame_count == 0 || t == mesh->time)
        return;
    blend_frames(mesh, t, mesh->x, mesh->v);
    mesh->time = t;
    update_boxes(mesh);
    fm_tree_refit(&mesh->tree, mesh->boxes);
}

double fm_trimesh_read_vertices(const fm_trimesh *mesh, double t, fm_vec3 *x)
{
    double most = 0;
    blend_frames(mesh, t, x, NULL);
    for (int i = 0; i < mesh->vertex_count; i++)
        most = fmax(most, fm_length(fm_sub(x[i], mesh->x[i])));
    return most;
}

double fm_trimesh_half_thickness(const fm_trimesh *mesh)
{
    return mesh->half_thickness;
}

fm_box fm_trimesh_bounds(const fm_trimesh *mesh)
{
    fm_box box = fm_tree_bounds(&mesh->tree);
    double h = mesh->half_thickness;
    box.low = fm_sub(box.low, (fm_vec3){h, h, h});
    box.high = fm_add(box.high, (fm_vec3){h, h, h});
    return box;
}

const fm_vec3 *fm_trimesh_vertices(const fm_trimesh *mesh, int *count)
{
    *count = mesh->vertex_count;
    return mesh->x;
}

const int *fm_trimesh_triangles(const fm_trimesh *mesh, int *count)
{
    *count = mesh->triangle_count;
    return mesh->triangles;
}

const fm_tree *fm_trimesh_tree(const fm_trimesh *mesh)
{
    return &mesh->tree;
}

// The closest point of a triangle, as shares of its corners; a share that is 0 is not part of what
// the point lies on.
static void find_shares(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 p, double share[3])
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

static fm_vec3 mix(const fm_vec3 *values, const int *corner, const double share[3])
{
    fm_vec3 sum = fm_scale(values[corner[0]], share[0]);
    sum = fm_add_scaled(sum, values[corner[1]], share[1]);
    return fm_add_scaled(sum, values[corner[2]], share[2]);
}

static double square_to_triangle(void *context, int triangle, fm_vec3 p)
{
    const fm_trimesh *mesh = context;
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    double share[3];
    find_shares(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, share);
    fm_vec3 away = fm_sub(p, mix(mesh->x, c, share));
    return fm_dot(away, away);
}

// Unit, or zero for a triangle without area.
static fm_vec3 face_normal(const fm_trimesh *mesh, int triangle)
{
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    fm_vec3 a = mesh->x[c[0]];
    fm_vec3 n = fm_cross(fm_sub(mesh->x[c[1]], a), fm_sub(mesh->x[c[2]], a));
    return fm_make_unit(&n) ? n : (fm_vec3){0};
}

static double corner_angle(const fm_trimesh *mesh, int triangle, int vertex)
{
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    int k = c[0] == vertex ? 0 : c[1] == vertex ? 1 : 2;
    fm_vec3 e = fm_sub(mesh->x[c[(k + 1) % 3]], mesh->x[vertex]);
    fm_vec3 f = fm_sub(mesh->x[c[(k + 2) % 3]], mesh->x[vertex]);
    return atan2(fm_length(fm_cross(e, f)), fm_dot(e, f));
}

// The pseudonormal of what the shares say the point lies on; of any length.
static fm_vec3 feature_normal(const fm_trimesh *mesh, int triangle, const double share[3])
{
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    int zeros = (share[0] == 0) + (share[1] == 0) + (share[2] == 0);
    fm_vec3 sum = {0};
    if (zeros == 0)
        return face_normal(mesh, triangle);
    if (zeros == 1) { // the edge that leaves from behind the corner without share
        int opposite = share[0] == 0 ? 0 : share[1] == 0 ? 1 : 2;
        int beyond = mesh->across[3 * (size_t)triangle + (size_t)(opposite + 1) % 3];
        sum = face_normal(mesh, triangle);
        return beyond < 0 ? sum : fm_add(sum, face_normal(mesh, beyond));
    }
    int vertex = c[share[0] > 0 ? 0 : share[1] > 0 ? 1 : 2];
    for (int i = mesh->around_start[vertex]; i < mesh->around_start[vertex + 1]; i++) {
        int t = mesh->around[i];
        sum = fm_add_scaled(sum, face_normal(mesh, t), corner_angle(mesh, t, vertex));
    }
    return sum;
}

fm_contact fm_trimesh_contact(const fm_trimesh *mesh, fm_vec3 p)
{
    double square, share[3];
    // the tree does not change its context
    int triangle = fm_tree_nearest(&mesh->tree, p, INFINITY, square_to_triangle,
                                   (void *)(uintptr_t)mesh, &square);
    assert(triangle >= 0 || !fm_is_finite(p));
    if (triangle < 0) // of NaN: far from everything
        return (fm_contact){.distance = INFINITY, .normal = {0, 1, 0}};
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    find_shares(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, share);
    fm_vec3 at = mix(mesh->x, c, share), away = fm_sub(p, at);
    fm_vec3 normal = feature_normal(mesh, triangle, share);
    if (!fm_make_unit(&normal))
        normal = (fm_vec3){0, 1, 0};
    double length = fm_length(away), side = fm_dot(away, normal) < 0 ? -1 : 1;
    // nearer than this the way from surface to point is mostly rounding
    double rounding = 1e4 * DBL_EPSILON * (fm_largest(p) + fm_largest(at));
    if (length > rounding)
        normal = fm_scale(away, (mesh->closed ? side : 1) / length);
    fm_contact contact = {.normal = normal, .point = at};
    contact.distance = mesh->closed ? side * length : length - mesh->half_thickness;
    contact.point = fm_add_scaled(at, normal, mesh->half_thickness);
    if (mesh->v)
        contact.velocity = mix(mesh->v, c, share);
    return contact;
}

fm_anchor fm_trimesh_anchor(const fm_trimesh *mesh, fm_vec3 p)
{
    fm_anchor anchor = {0};
    double square;
    int triangle = fm_tree_nearest(&mesh->tree, p, INFINITY, square_to_triangle,
                                   (void *)(uintptr_t)mesh, &square);
    assert(triangle >= 0);
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    anchor.triangle = triangle;
    find_shares(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, anchor.share);
    return anchor;
}

fm_frame fm_trimesh_frame(const fm_trimesh *mesh, const fm_anchor *anchor)
{
    const int *c = mesh->triangles + 3 * (size_t)anchor->triangle;
    fm_frame frame = {.origin = mix(mesh->x, c, anchor->share)};
    frame.axes[0] = fm_sub(mesh->x[c[1]], mesh->x[c[0]]);
    frame.axes[2] = face_normal(mesh, anchor->triangle);
    if (!fm_make_unit(&frame.axes[0]))
        frame.axes[0] = fm_find_perpendicular(frame.axes[2]);
    frame.axes[1] = fm_cross(frame.axes[2], frame.axes[0]);
    if (mesh->v)
        frame.velocity = mix(mesh->v, c, anchor->share);
    return frame;
}

// In front of a face that meets at the feature the shares tell: not behind the surface there.
static bool is_in_front(const fm_trimesh *mesh, int triangle, const double share[3], fm_vec3 away)
{
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    double slack = 1e-6 * fm_length(away);
    if (fm_dot(away, face_normal(mesh, triangle)) > slack)
        return true;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, beyond = mesh->across[3 * (size_t)triangle + (size_t)k];
        bool edge = share[(k + 2) % 3] == 0 && share[k] > 0 && share[next] > 0;
        if (edge && beyond >= 0 && fm_dot(away, face_normal(mesh, beyond)) > slack)
            return true;
        for (int i = mesh->around_start[c[k]]; share[k] == 1 && i < mesh->around_start[c[k] + 1];
             i++)
            if (fm_dot(away, face_normal(mesh, mesh->around[i])) > slack)
                return true;
    }
    return false;
}

typedef struct opposite {
    const fm_trimesh *mesh;
    fm_vec3 normal; // of the side that is not meant
} opposite;

static const double OPPOSED = -0.2; // cosine: normals that are less than that face away

static double square_to_opposite(void *context, int triangle, fm_vec3 p)
{
    const opposite *o = context;
    const fm_trimesh *mesh = o->mesh;
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    double share[3];
    find_shares(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, share);
    fm_vec3 away = fm_sub(p, mix(mesh->x, c, share));
    fm_vec3 normal = feature_normal(mesh, triangle, share);
    if (!fm_make_unit(&normal) || fm_dot(normal, o->normal) > OPPOSED ||
        is_in_front(mesh, triangle, share, away))
        return INFINITY;
    return fm_dot(away, away);
}

bool fm_trimesh_opposite(const fm_trimesh *mesh, fm_vec3 p, const fm_contact *near, double reach,
                         fm_contact *far)
{
    double h = mesh->half_thickness, square, share[3];
    if (!mesh->closed) {
        fm_anchor anchor = fm_trimesh_anchor(mesh, p);
        *far = (fm_contact){.distance = -near->distance - 2 * h,
                            .point = fm_add_scaled(near->point, near->normal, -2 * h),
                            .normal = fm_scale(near->normal, -1)};
        // beyond the rim there is no other side
        return fabs(fm_dot(near->normal, face_normal(mesh, anchor.triangle))) > 0.7 &&
               -far->distance < reach;
    }
    opposite o = {mesh, near->normal};
    int triangle = fm_tree_nearest(&mesh->tree, p, reach, square_to_opposite, &o, &square);
    if (triangle < 0)
        return false;
    const int *c = mesh->triangles + 3 * (size_t)triangle;
    find_shares(mesh->x[c[0]], mesh->x[c[1]], mesh->x[c[2]], p, share);
    *far = (fm_contact){.distance = -sqrt(square),
                        .point = mix(mesh->x, c, share),
                        .normal = feature_normal(mesh, triangle, share)};
    return fm_make_unit(&far->normal);
}
