// SPDX-License-Identifier: MIT
// canopy_mesh.c: meshes of canopies: hemisphere and polyconical.
//
// A canopy is a surface of revolution about y, divided into gores by seams along meridians. Its
// vertices are on rings at equal distances along the meridian. A ring has as many vertices per gore
// as edges fit; seams therefore run through vertices from ring to ring. Near the apex, where a gore
// is narrower than an edge, rings have as many vertices as edges fit, without seams.
//
//   r, y   m, radius and height of a point of the meridian      s  m, length along it from the vent
#include "geometry/mesh_shape.h"

#include <stdlib.h>

static const double NARROWEST = 0.6; // width of a gore over the edge, below which seams end

// A ring of vertices: `count` of them from `first` on, the first at the side of +x.
typedef struct ring {
    int first, count;
    bool seamed;
} ring;

// A canopy while its mesh is built.
typedef struct canopy {
    const fm_mesh_shape *shape;
    double start, end; // m, part of the meridian that is built: from the vent to the rim
    double height;     // m, y of the apex
    ring *rings;
    int ring_count;
} canopy;

// Radius and height of the meridian at the distance s from the apex.
static void find_meridian(const canopy *c, double s, double *r, double *y)
{
    const fm_mesh_shape *shape = c->shape;
    if (shape->kind == FM_MESH_HEMISPHERE) {
        *r = shape->radius * sin(s / shape->radius);
        *y = shape->radius * cos(s / shape->radius);
        return;
    }
    *r = 0, *y = c->height;
    for (int i = 0; i < shape->cone_count; i++) {
        const fm_mesh_cone *cone = &shape->cones[i];
        double part = i < shape->cone_count - 1 ? fmin(s, cone->length) : s;
        *r += part * cos(cone->angle), *y -= part * sin(cone->angle);
        s -= part;
    }
}

// Length of the meridian from the apex to the rim, and height of the apex over the rim.
static void measure_meridian(canopy *c)
{
    const fm_mesh_shape *shape = c->shape;
    c->end = shape->radius * FM_PI / 2, c->height = shape->radius;
    if (shape->kind == FM_MESH_POLYCONICAL) {
        c->end = c->height = 0;
        for (int i = 0; i < shape->cone_count; i++) {
            c->end += shape->cones[i].length;
            c->height += shape->cones[i].length * sin(shape->cones[i].angle);
        }
    }
}

// m, length of the meridian from the apex to the radius r, which grows along it: by bisection.
static double find_length(const canopy *c, double r)
{
    double low = 0, high = c->end;
    for (int i = 0; i < 60; i++) {
        double here, y, middle = (low + high) / 2;
        find_meridian(c, middle, &here, &y);
        *(here < r ? &low : &high) = middle;
    }
    return high;
}

// m, length along the meridian from the apex to ring i.
static double find_ring_length(const canopy *c, int i)
{
    return c->start + (c->end - c->start) * i / (c->ring_count - 1);
}

// Chooses the rings and the number of their vertices. Returns the number of all vertices.
static double choose_rings(canopy *c, fm_error *err)
{
    const fm_mesh_shape *shape = c->shape;
    c->ring_count = (int)fmax(1, round((c->end - c->start) / shape->edge)) + 1;
    c->rings = calloc((size_t)c->ring_count, sizeof *c->rings);
    if (!c->rings)
        fm_fail_no_memory(err, "mesh", (size_t)c->ring_count * sizeof *c->rings);
    double total = 0;
    for (int i = 0; i < c->ring_count && c->rings; i++) {
        double r, y;
        find_meridian(c, find_ring_length(c, i), &r, &y);
        double around = 2 * FM_PI * r / shape->edge, per_gore = around / shape->gores;
        bool apex = i == 0 && shape->vent == 0;
        bool seamed = !apex && (per_gore >= NARROWEST || i == c->ring_count - 1 || i == 0);
        c->rings[i].seamed = seamed;
        c->rings[i].first = (int)total;
        c->rings[i].count = apex     ? 1
                            : seamed ? shape->gores * (int)fmax(1, round(per_gore))
                                     : (int)fmax(5, round(around));
        total += c->rings[i].count;
        if (total > FM_BUILT_VERTICES_MAX)
            break;
    }
    return total;
}

// Places the vertices of all rings.
static void place_vertices(const canopy *c, fm_vec3 *points)
{
    for (int i = 0; i < c->ring_count; i++) {
        const ring *at = &c->rings[i];
        double r, y;
        find_meridian(c, find_ring_length(c, i), &r, &y);
        for (int k = 0; k < at->count; k++) {
            double angle = 2 * FM_PI * k / at->count;
            points[at->first + k] = (fm_vec3){r * cos(angle), y, -r * sin(angle)};
        }
    }
}

// Writes the triangles between two rings and returns their number. Walks around both rings; of the
// two possible next triangles it takes the one with the shorter new edge.
static int join_rings(const ring *in, const ring *out, int *triangles)
{
    int count = 0, n = in->count > 1 ? in->count : 0, m = out->count;
    for (int i = 0, j = 0; m > 0 && (i < n || j < m); count++) {
        double here = n ? (double)i / n : 0, there = (double)j / m;
        double next = n ? (i + 1.0) / n : INFINITY, next_out = (j + 1.0) / m;
        bool inner = j == m || (i < n && fabs(next - there) < fabs(next_out - here));
        int *t = triangles + 3 * count;
        t[0] = in->first + (n ? i % n : 0), t[1] = out->first + j % m;
        t[2] = inner ? in->first + (i + 1) % n : out->first + (j + 1) % m;
        i += inner, j += !inner;
    }
    return count;
}

// Adds the triangles between neighbouring rings.
static bool join_all_rings(const canopy *c, fm_mesh_data *mesh, fm_error *err)
{
    size_t room = 0;
    for (int i = 0; i + 1 < c->ring_count; i++)
        room += (size_t)c->rings[i].count + (size_t)c->rings[i + 1].count;
    mesh->face_points = malloc((3 * room + 1) * sizeof *mesh->face_points);
    if (!mesh->face_points)
        return fm_fail_no_memory(err, "mesh", 3 * room * sizeof *mesh->face_points);
    for (int i = 0; i + 1 < c->ring_count; i++)
        mesh->face_count += join_rings(&c->rings[i], &c->rings[i + 1],
                                       mesh->face_points + 3 * (size_t)mesh->face_count);
    return true;
}

// Adds a group with all vertices of ring i.
static bool add_ring_group(const canopy *c, int i, const char *name, fm_built_mesh *built,
                           fm_error *err)
{
    const ring *at = &c->rings[i];
    int *list = fm_built_mesh_add_group(built, name, at->count, err);
    for (int k = 0; k < at->count && list; k++)
        list[k] = at->first + k;
    return list != NULL;
}

// Adds the groups rim, vent, seams and rim-seams.
static bool add_groups(const canopy *c, fm_built_mesh *built, fm_error *err)
{
    int gores = c->shape->gores, last = c->ring_count - 1, count = 0;
    if (!add_ring_group(c, last, "rim", built, err))
        return false;
    if (c->shape->vent > 0 && !add_ring_group(c, 0, "vent", built, err))
        return false;
    int *seams = fm_built_mesh_add_group(built, "seams", gores * c->ring_count, err);
    for (int g = 0; g < gores && seams; g++)
        for (int i = 0; i < c->ring_count; i++)
            if (c->rings[i].seamed)
                seams[count++] = c->rings[i].first + g * (c->rings[i].count / gores);
    built->groups[built->group_count - (seams != NULL)].count = count;
    int *ends = fm_built_mesh_add_group(built, "rim-seams", gores, err);
    for (int g = 0; g < gores && ends; g++)
        ends[g] = c->rings[last].first + g * (c->rings[last].count / gores);
    return seams && ends;
}

// Builds the mesh of a canopy with its groups.
bool fm_canopy_mesh_build(const fm_mesh_shape *shape, fm_built_mesh *built, fm_error *err)
{
    canopy c = {.shape = shape};
    fm_mesh_data *mesh = &built->mesh;
    measure_meridian(&c);
    c.start = shape->vent > 0 ? find_length(&c, shape->vent) : 0;
    double total = choose_rings(&c, err);
    bool good = err->status == FM_OK;
    if (good && total > FM_BUILT_VERTICES_MAX)
        good = fm_fail_number(err, "mesh", "edge", shape->edge, "an edge for at most 4e6 vertices");
    if (good) {
        mesh->point_count = (int)total;
        mesh->points = malloc((size_t)total * sizeof *mesh->points);
        good = mesh->points || fm_fail_no_memory(err, "mesh", (size_t)total * sizeof(fm_vec3));
    }
    if (good) {
        place_vertices(&c, mesh->points);
        good = join_all_rings(&c, mesh, err) && add_groups(&c, built, err);
    }
    free(c.rings);
    return good;
}

static bool is_canopy(const fm_mesh_shape *shape)
{
    return shape->kind == FM_MESH_HEMISPHERE || shape->kind == FM_MESH_POLYCONICAL;
}

double fm_mesh_shape_height(const fm_mesh_shape *shape)
{
    canopy c = {.shape = shape};
    if (is_canopy(shape))
        measure_meridian(&c);
    return c.height;
}

double fm_mesh_shape_distance(const fm_mesh_shape *shape, double r)
{
    canopy c = {.shape = shape};
    if (!is_canopy(shape))
        return r;
    measure_meridian(&c);
    return find_length(&c, r);
}
