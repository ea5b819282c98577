// SPDX-License-Identifier: MIT
// planar_mesh.c: meshes of flat shapes: disc, rectangle and cross.
//
// The vertices are those of an equilateral lattice with rows along x. A lattice rim keeps the
// lattice points inside the shape. A fitted rim has vertices on the border, at equal distances
// along each side, and lattice points at least CLEARANCE edges away from it; a rectangle has whole
// rows instead, stretched to its sides. An irregular mesh displaces each inner vertex by a random
// vector, uniform in [-jitter, jitter] edges along each axis, and vertices of the border along it.
// The triangles are those of the Delaunay triangulation that lie inside the shape.
#include "geometry/mesh_shape.h"

#include <stdlib.h>
#include <string.h>

static const double CLEARANCE = 0.55;       // of fitted lattices from the border, in edges
static const double CLEARANCE_MOVED = 0.35; // the same after displacement
static const double ROW_HEIGHT = 0.866025403784438646764; // sqrt(3)/2, of rows over the edge

enum { CORNERS_MAX = 12 };

// A flat shape while its mesh is built.
typedef struct builder {
    const fm_mesh_shape *shape;
    fm_plane_point corner[CORNERS_MAX]; // of the border, counter-clockwise; none for a disc
    int corner_count;
    double half_u, half_v; // m, half the size of the shape
    fm_plane_point *points;
    int count, room;
    fm_rng rng;
    fm_error *err;
} builder;

// Adds a point at (u, v), m.
static void add_point(builder *b, double u, double v)
{
    if (b->count == b->room) {
        int room = 2 * b->room + 1024;
        fm_plane_point *points = NULL;
        if (room <= FM_BUILT_VERTICES_MAX)
            points = realloc(b->points, (size_t)room * sizeof *points);
        if (!points) {
            fm_fail_no_memory(b->err, "mesh", (size_t)room * sizeof *points);
            return;
        }
        b->points = points, b->room = room;
    }
    b->points[b->count++] = (fm_plane_point){u, v};
}

// In [-jitter, jitter] edges, for irregular meshes; else 0. m.
static double draw_displacement(builder *b)
{
    const fm_mesh_shape *s = b->shape;
    return s->triangulation == FM_TRIANGLES_IRREGULAR
               ? s->jitter * s->edge * (2 * fm_rng_uniform(&b->rng) - 1)
               : 0;
}

// m, distance of the point (u, v) from the segment a-b.
static double find_segment_distance(fm_plane_point a, fm_plane_point b, double u, double v)
{
    double du = b.u - a.u, dv = b.v - a.v;
    double t = ((u - a.u) * du + (v - a.v) * dv) / (du * du + dv * dv);
    t = fmin(1, fmax(0, t));
    return hypot(a.u + t * du - u, a.v + t * dv - v);
}

// m, distance from the border; negative outside.
static double find_depth(const builder *b, double u, double v)
{
    if (b->shape->kind == FM_MESH_DISC)
        return b->shape->radius - hypot(u, v);
    double nearest = INFINITY;
    bool inside = false;
    for (int i = 0, j = b->corner_count - 1; i < b->corner_count; j = i++) {
        fm_plane_point p = b->corner[i], q = b->corner[j];
        nearest = fmin(nearest, find_segment_distance(p, q, u, v));
        if ((p.v > v) != (q.v > v) && u < (q.u - p.u) * (v - p.v) / (q.v - p.v) + p.u)
            inside = !inside;
    }
    return inside ? nearest : -nearest;
}

// Adds points on the border of a fitted mesh, about one edge apart. Corners are kept; on irregular
// meshes the other points are displaced along the border.
static void add_border(builder *b)
{
    const fm_mesh_shape *s = b->shape;
    if (s->kind == FM_MESH_DISC) {
        int n = (int)fmax(6, round(2 * FM_PI * s->radius / s->edge));
        for (int i = 0; i < n; i++) {
            double angle = 2 * FM_PI * i / n + draw_displacement(b) / s->radius;
            add_point(b, s->radius * cos(angle), s->radius * sin(angle));
        }
    }
    for (int i = 0; i < b->corner_count; i++) {
        fm_plane_point p = b->corner[i], q = b->corner[(i + 1) % b->corner_count];
        double length = hypot(q.u - p.u, q.v - p.v);
        int n = (int)fmax(1, round(length / s->edge));
        for (int k = 0; k < n; k++) {
            double t = (double)k / n + (k > 0 ? draw_displacement(b) / length : 0);
            add_point(b, p.u + t * (q.u - p.u), p.v + t * (q.v - p.v));
        }
    }
}

// Adds a lattice point, displaced, if it is at least `clearance` edges inside.
static void add_inner_point(builder *b, double u, double v, double clearance)
{
    double edge = b->shape->edge;
    if (find_depth(b, u, v) < clearance * edge)
        return;
    double du = draw_displacement(b), dv = draw_displacement(b);
    bool keep = find_depth(b, u + du, v + dv) >= fmin(clearance, CLEARANCE_MOVED) * edge;
    add_point(b, keep ? u + du : u, keep ? v + dv : v);
}

// An equilateral lattice with a point at the centre.
static void add_lattice(builder *b, double clearance)
{
    double edge = b->shape->edge, height = ROW_HEIGHT * edge;
    int rows = (int)ceil(b->half_v / height), columns = (int)ceil(b->half_u / edge) + 1;
    for (int r = -rows; r <= rows; r++) {
        double shift = r % 2 != 0 ? 0.5 : 0;
        for (int c = -columns; c <= columns; c++)
            add_inner_point(b, (c + shift) * edge, r * height, clearance);
    }
}

// Rows of a rectangle. With a lattice rim every second row is shifted by half an edge; with a
// fitted rim all rows reach both sides, and every second one has its inner points shifted; their
// number is odd, so that the first and the last have equal edges.
static void add_rectangle_rows(builder *b)
{
    const fm_mesh_shape *s = b->shape;
    bool fitted = s->rim == FM_RIM_FITTED;
    double tall = s->length / (ROW_HEIGHT * s->edge);
    int rows = (int)fmax(1, fitted ? 2 * fmax(1, round(tall / 2)) : round(tall));
    int columns = (int)fmax(1, round(s->width / s->edge - (fitted ? 0 : 0.5)));
    double du = fitted ? s->width / columns : s->edge;
    double dv = fitted ? s->length / rows : ROW_HEIGHT * s->edge;
    double left = -0.5 * (fitted ? s->width : (columns + 0.5) * du), low = -0.5 * rows * dv;
    for (int r = 0; r <= rows; r++) {
        bool odd = r % 2 != 0, end_row = r == 0 || r == rows;
        int last = columns + (odd && fitted);
        for (int c = 0; c <= last; c++) {
            double at = odd ? c + (fitted ? -0.5 : 0.5) : c;
            bool side = fitted && (c == 0 || c == last);
            at = fitted ? fmin(fmax(at, 0), columns) : at;
            double shift_u = side ? 0 : draw_displacement(b);
            double shift_v = end_row ? 0 : draw_displacement(b);
            add_point(b, left + at * du + shift_u, low + r * dv + shift_v);
        }
    }
}

// Sets the corners of the border and the size of the shape.
static void set_corners(builder *b)
{
    const fm_mesh_shape *s = b->shape;
    double w = s->width / 2, l = s->length / 2, a = s->arm / 2;
    if (s->kind == FM_MESH_DISC) {
        b->half_u = b->half_v = s->radius;
    } else if (s->kind == FM_MESH_RECTANGLE) {
        const fm_plane_point at[] = {{-w, -l}, {w, -l}, {w, l}, {-w, l}};
        memcpy(b->corner, at, sizeof at);
        b->corner_count = 4, b->half_u = w, b->half_v = l;
    } else {
        const fm_plane_point at[] = {{w, -a}, {w, a},   {a, a},   {a, w},   {-a, w}, {-a, a},
                                     {-w, a}, {-w, -a}, {-a, -a}, {-a, -w}, {a, -w}, {a, -a}};
        memcpy(b->corner, at, sizeof at);
        b->corner_count = 12, b->half_u = b->half_v = w;
    }
}

static fm_plane_point find_plane_point(const fm_built_mesh *built, int i)
{
    fm_vec3 p = built->mesh.points[i];
    return (fm_plane_point){p.x, -p.z};
}

// Whether a Delaunay triangle belongs to the mesh. Triangles of almost no area never do. With a
// fitted rim, the centroid must be inside the shape. With a lattice rim, no edge may be longer than
// an edge of the lattice: longer ones bridge gaps of the border.
static bool is_kept(const builder *b, const fm_built_mesh *built, const int *t)
{
    const fm_plane_point p[3] = {find_plane_point(built, t[0]), find_plane_point(built, t[1]),
                                 find_plane_point(built, t[2])};
    double edge = b->shape->edge, longest = 0, u = 0, v = 0;
    for (int k = 0; k < 3; k++) {
        fm_plane_point q = p[k], r = p[(k + 1) % 3];
        longest = fmax(longest, hypot(r.u - q.u, r.v - q.v));
        u += q.u / 3, v += q.v / 3;
    }
    double area = (p[1].u - p[0].u) * (p[2].v - p[0].v) - (p[1].v - p[0].v) * (p[2].u - p[0].u);
    if (area < 1e-6 * edge * edge)
        return false;
    if (b->shape->rim == FM_RIM_FITTED)
        return find_depth(b, u, v) > 0;
    double slack = b->shape->triangulation == FM_TRIANGLES_IRREGULAR ? 3 * b->shape->jitter : 0;
    return longest < edge * (1.1 + slack);
}

// Orders points by v, then by u, for qsort.
static int compare_rows(const void *a, const void *b)
{
    const fm_plane_point *p = a, *q = b;
    if (p->v != q->v)
        return p->v < q->v ? -1 : 1;
    return (p->u > q->u) - (p->u < q->u);
}

// Sorts the points by rows of the lattice, and along each row: neighbours of a point are close to
// it in memory, or one row away. The key of a point has the number of its row in place of v.
static bool sort_points(builder *b, fm_vec3 *sorted)
{
    typedef struct keyed {
        fm_plane_point key, point;
    } keyed;
    keyed *list = malloc(((size_t)b->count + 1) * sizeof *list);
    if (!list)
        return fm_fail_no_memory(b->err, "mesh", (size_t)b->count * sizeof *list);
    double height = ROW_HEIGHT * b->shape->edge;
    for (int i = 0; i < b->count; i++) {
        fm_plane_point p = b->points[i];
        list[i] = (keyed){{p.u, floor((p.v + b->half_v) / height + 0.5)}, p};
    }
    qsort(list, (size_t)b->count, sizeof *list, compare_rows);
    for (int i = 0; i < b->count; i++) {
        b->points[i] = list[i].point;
        sorted[i] = (fm_vec3){list[i].point.u, 0, -list[i].point.v};
    }
    free(list);
    return true;
}

// Sorts and triangulates the points and keeps the triangles inside.
static bool triangulate(builder *b, fm_built_mesh *built)
{
    fm_mesh_data *mesh = &built->mesh;
    int *triangles = NULL, count = 0, kept = 0;
    mesh->points = calloc((size_t)b->count + 1, sizeof *mesh->points);
    if (!mesh->points)
        return fm_fail_no_memory(b->err, "mesh", (size_t)b->count * sizeof *mesh->points);
    bool good = sort_points(b, mesh->points) &&
                fm_delaunay_triangulate(b->points, b->count, &triangles, &count, b->err);
    for (int t = 0; t < count; t++) {
        if (is_kept(b, built, triangles + 3 * t)) {
            memmove(triangles + 3 * kept, triangles + 3 * t, 3 * sizeof *triangles);
            kept++;
        }
    }
    mesh->point_count = b->count;
    mesh->face_points = triangles, mesh->face_count = kept;
    return good;
}

// Removes vertices that no triangle uses; a lattice rim, which is toothed, may have some. number:
// scratch, one element per vertex.
static void drop_unused(fm_built_mesh *built, int *number)
{
    fm_mesh_data *mesh = &built->mesh;
    int kept = 0;
    memset(number, 0, (size_t)mesh->point_count * sizeof *number);
    for (int i = 0; i < 3 * mesh->face_count; i++)
        number[mesh->face_points[i]] = 1;
    for (int i = 0; i < mesh->point_count; i++) {
        bool used = number[i] != 0;
        number[i] = kept;
        if (used)
            mesh->points[kept++] = mesh->points[i];
    }
    mesh->point_count = kept;
    for (int i = 0; i < 3 * mesh->face_count; i++)
        mesh->face_points[i] = number[mesh->face_points[i]];
}

// Orders directed edges by their first vertex, then by their second, for qsort.
static int compare_edges(const void *a, const void *b)
{
    const int *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

// Writes the next vertex along the border of each vertex to `next`, -1: not on the border. Two
// triangles traverse an inner edge in opposite directions; an edge of the border has one triangle.
static bool find_border(const fm_built_mesh *built, int *next, fm_error *err)
{
    const fm_mesh_data *mesh = &built->mesh;
    size_t n = 3 * (size_t)mesh->face_count;
    int(*edges)[2] = malloc((n + 1) * sizeof *edges);
    if (!edges)
        return fm_fail_no_memory(err, "mesh", n * sizeof *edges);
    for (size_t i = 0; i < n; i++) {
        edges[i][0] = mesh->face_points[i];
        edges[i][1] = mesh->face_points[i - i % 3 + (i + 1) % 3];
    }
    qsort(edges, n, sizeof *edges, compare_edges);
    for (int i = 0; i < mesh->point_count; i++)
        next[i] = -1;
    for (size_t i = 0; i < n; i++) {
        const int back[2] = {edges[i][1], edges[i][0]};
        if (!bsearch(back, edges, n, sizeof *edges, compare_edges))
            next[edges[i][0]] = edges[i][1];
    }
    free(edges);
    return true;
}

// Adds the group rim, counter-clockwise from the vertex closest to the direction +x.
static bool add_rim(fm_built_mesh *built, const int *next, fm_error *err)
{
    int count = 0, start = -1;
    double smallest = INFINITY;
    for (int i = 0; i < built->mesh.point_count; i++) {
        fm_plane_point p = find_plane_point(built, i);
        double angle = fabs(atan2(p.v, p.u)) - 1e-9 * atan2(p.v, p.u);
        count += next[i] >= 0;
        if (next[i] >= 0 && angle < smallest)
            smallest = angle, start = i;
    }
    int *rim = fm_built_mesh_add_group(built, "rim", count, err);
    for (int i = 0, at = start; i < count && rim && at >= 0; i++, at = next[at])
        rim[i] = at;
    return rim != NULL;
}

// The vertices of the rim within `reach` of the line through two corners, in the order of the rim
// from the first corner on.
static bool add_side(fm_built_mesh *built, const char *name, fm_plane_point from, fm_plane_point to,
                     double reach, fm_error *err)
{
    const fm_vertex_group *rim = fm_built_mesh_group(built, "rim");
    int count = 0, *list = fm_built_mesh_add_group(built, name, rim->count, err);
    double du = to.u - from.u, dv = to.v - from.v, length = hypot(du, dv);
    int first = 0; // of the rim: the vertex nearest to the corner
    double nearest = INFINITY;
    for (int i = 0; i < rim->count && list; i++) {
        fm_plane_point p = find_plane_point(built, rim->vertices[i]);
        double distance = hypot(p.u - from.u, p.v - from.v);
        if (distance < nearest - 1e-9 * length)
            nearest = distance, first = i;
    }
    for (int k = -1; k < rim->count - 1 && list; k++) {
        int vertex = rim->vertices[(first + k + rim->count) % rim->count];
        fm_plane_point p = find_plane_point(built, vertex);
        double across = fabs((p.u - from.u) * dv - (p.v - from.v) * du) / length;
        double along = ((p.u - from.u) * du + (p.v - from.v) * dv) / length;
        if (across <= reach && along >= -reach && along <= length + reach)
            list[count++] = vertex;
    }
    built->groups[built->group_count - 1].count = count;
    return list != NULL;
}

// The vertices nearest to the corners of the shape.
static bool add_corners(const builder *b, fm_built_mesh *built)
{
    const fm_vertex_group *rim = fm_built_mesh_group(built, "rim");
    int *list = fm_built_mesh_add_group(built, "corners", b->corner_count, b->err);
    for (int c = 0; c < b->corner_count && list; c++) {
        double nearest = INFINITY;
        for (int i = 0; i < rim->count; i++) {
            fm_plane_point p = find_plane_point(built, rim->vertices[i]);
            double distance = hypot(p.u - b->corner[c].u, p.v - b->corner[c].v);
            if (distance < nearest)
                nearest = distance, list[c] = rim->vertices[i];
        }
    }
    return list != NULL;
}

// Adds the group ends of a cross: the vertices on the four outer sides of its arms.
static bool add_ends(const builder *b, fm_built_mesh *built, double reach)
{
    for (int i = 0; i < 4; i++) {
        if (!add_side(built, "ends", b->corner[3 * i], b->corner[3 * i + 1], reach, b->err))
            return false;
    }
    fm_vertex_group *end = &built->groups[built->group_count - 4]; // joins the four ends
    for (int i = 1; i < 4; i++) {
        memcpy(end[0].vertices + end[0].count, end[i].vertices,
               (size_t)end[i].count * sizeof *end[i].vertices);
        end[0].count += end[i].count;
        free(end[i].vertices);
    }
    built->group_count -= 3;
    return true;
}

// Removes unused vertices and adds the groups of the shape.
static bool add_groups(const builder *b, fm_built_mesh *built)
{
    static const char *const sides[] = {"front", "right", "back", "left"};
    int *scratch = malloc(((size_t)built->mesh.point_count + 1) * sizeof *scratch);
    if (!scratch)
        return fm_fail_no_memory(b->err, "mesh", (size_t)built->mesh.point_count * sizeof *scratch);
    drop_unused(built, scratch);
    bool good = find_border(built, scratch, b->err) && add_rim(built, scratch, b->err);
    free(scratch);
    if (!good || b->shape->kind == FM_MESH_DISC)
        return good;
    // the teeth of a lattice rim are half an edge deep
    double reach = (b->shape->rim == FM_RIM_LATTICE ? 0.8 : 1e-6) * b->shape->edge;
    if (!add_corners(b, built))
        return false;
    if (b->shape->kind == FM_MESH_CROSS)
        return add_ends(b, built, reach);
    for (int i = 0; i < 4 && good; i++)
        good = add_side(built, sides[i], b->corner[i], b->corner[(i + 1) % 4], reach, b->err);
    return good;
}

// Builds the mesh of a flat shape with its groups.
bool fm_planar_mesh_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err)
{
    builder b = {.shape = shape, .rng = {(uint64_t)shape->seed}, .err = err};
    set_corners(&b);
    if (shape->kind == FM_MESH_RECTANGLE) {
        add_rectangle_rows(&b);
    } else {
        bool fitted = shape->rim == FM_RIM_FITTED;
        if (fitted)
            add_border(&b);
        add_lattice(&b, fitted ? CLEARANCE : -1e-9);
    }
    bool good = err->status == FM_OK && triangulate(&b, built) && add_groups(&b, built);
    free(b.points);
    return good;
}
