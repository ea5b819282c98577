// SPDX-License-Identifier: MIT
// mesh.c: creates cloth from a triangle mesh: checks the input, welds vertices, sets springs and
// masses.
//
// There is a spring along every edge, with Van Gelder's stiffness [VG98]
//
//     k = Y (A1 + A2) / l^2
//
//   k  N/m, stiffness of the spring          Y  N/m, surface modulus: def.stretch.stiffness
//   A1, A2  m^2, areas of the triangles at the edge (only A1 at the border)    l  m, rest length
//
// Each corner of a triangle gets a third of the triangle's mass. A mesh of equilateral triangles is
// isotropic: it has the surface modulus Y (k = sqrt(3)/2 Y, and a triangular lattice has the
// modulus 2 k / sqrt(3)), Poisson's ratio 1/3 and the shear modulus 3/8 Y. Other triangles give
// approximately these values; springs along the edges cannot represent an isotropic material
// exactly. def.shear.stiffness is not used. Bending is in hinge_bending.c.
//
// Vertices that are welded become one particle. The rest length of an edge is that of the input
// triangles, or the mean of both lengths where two pieces are welded together, so that flat pattern
// pieces keep their size.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES_MAX = 1 << 24 };           // of a mesh; it has at most twice as many triangles
static const double MIN_AREA_RATIO = 1e-9; // of a triangle: area over the squared longest edge
static const double COORDINATE_MAX = 1e9;  // m, of a vertex

// The input mesh, and what is computed from it while a cloth is created.
typedef struct mesh_builder {
    const fm_cloth_mesh *mesh;
    const char *object;  // name of the cloth, for error messages
    const fm_vec3 *rest; // m, rest position of each vertex
    int *particle;       // of each vertex; while welding, an earlier vertex of the same particle
    int *triangle;       // particles at the three corners of each triangle
    int particle_count;
    fm_vec3 *corner; // m, rest positions of the three corners of each triangle
    fm_mesh_edge *edges;
    int edge_count;
    const fm_fabric_def *fabric; // NULL: no fabric
    const fm_soft_def *soft;     // NULL: no soft body
    fm_error *err;
} mesh_builder;

// Fills err for entry `index` of a list of the input, such as "triangles". Returns false.
static bool fail_at(const mesh_builder *m, const char *list, int index, double value,
                    const char *allowed)
{
    char field[48];
    snprintf(field, sizeof field, "%s[%d]", list, index);
    return fm_fail_number(m->err, m->object, field, value, allowed);
}

// Checks the numbers of vertices and triangles, the weld distance and the initial velocity.
static bool check_counts(const mesh_builder *m)
{
    const fm_cloth_mesh *mesh = m->mesh;
    if (mesh->vertex_count < 3 || mesh->vertex_count > VERTICES_MAX)
        return fm_fail_number(m->err, m->object, "vertex_count", mesh->vertex_count,
                              "3 to 16777216");
    if (mesh->triangle_count < 1 || mesh->triangle_count > 2 * VERTICES_MAX)
        return fm_fail_number(m->err, m->object, "triangle_count", mesh->triangle_count,
                              "1 to 33554432");
    if (!(mesh->weld >= 0 && mesh->weld <= 1e3))
        return fm_fail_number(m->err, m->object, "weld", mesh->weld, "0 to 1e3 m");
    fm_vec3 none = {0, 0, 0};
    return fm_cloth_check_placement(m->object, none, mesh->velocity, (fm_quat){0}, m->err);
}

// Checks that all coordinates are finite and at most COORDINATE_MAX, and that triangles and welds
// name existing vertices.
static bool check_numbers(const mesh_builder *m)
{
    const fm_cloth_mesh *mesh = m->mesh;
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!fm_is_finite(mesh->positions[i]) || fm_max_norm(mesh->positions[i]) > COORDINATE_MAX)
            return fail_at(m, "positions", i, fm_max_norm(mesh->positions[i]), "numbers up to 1e9");
        if (!fm_is_finite(m->rest[i]) || fm_max_norm(m->rest[i]) > COORDINATE_MAX)
            return fail_at(m, "rest_positions", i, fm_max_norm(m->rest[i]), "numbers up to 1e9");
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (mesh->stiffness && !(mesh->stiffness[i] > 0 && mesh->stiffness[i] <= 1e4))
            return fail_at(m, "stiffness", i, mesh->stiffness[i], "above 0 and at most 1e4");
        if (mesh->friction && !(mesh->friction[i] >= 0 && mesh->friction[i] <= 100))
            return fail_at(m, "friction", i, mesh->friction[i], "0 to 100");
        if (mesh->thickness && !(mesh->thickness[i] > 0 && mesh->thickness[i] <= 100))
            return fail_at(m, "thickness", i, mesh->thickness[i], "above 0 and at most 100");
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count)
            return fail_at(m, "triangles", i / 3, mesh->triangles[i],
                           "vertices, 0 to vertex_count - 1");
    }
    for (int i = 0; i < 2 * mesh->weld_count; i++) {
        if (mesh->welds[i] < 0 || mesh->welds[i] >= mesh->vertex_count)
            return fail_at(m, "welds", i / 2, mesh->welds[i], "vertices, 0 to vertex_count - 1");
    }
    return true;
}

// Union-find with path halving: the lowest vertex that is welded to this one.
static int find_root(const mesh_builder *m, int vertex)
{
    while (m->particle[vertex] != vertex)
        vertex = m->particle[vertex] = m->particle[m->particle[vertex]];
    return vertex;
}

// Union-find: welds the groups of vertices i and j; the lower root represents both.
static void weld_pair(const mesh_builder *m, int i, int j)
{
    i = find_root(m, i), j = find_root(m, j);
    m->particle[i > j ? i : j] = i > j ? j : i;
}

// Welds all pairs of vertices within mesh->weld of each other, found in a hash grid with cells of
// that size: a vertex in a cell has its partners in the 27 cells around it. False if memory runs
// out.
static bool weld_near(const mesh_builder *m)
{
    const double SMALLEST_CELL = 1e-9; // m
    int n = m->mesh->vertex_count;
    double reach = m->mesh->weld;
    fm_arena arena = {0};
    fm_cell_list cells = {0};
    fm_vec3_array x = fm_vec3_array_create(&arena, n, m->err);
    bool good = m->err->status == FM_OK && fm_cell_list_create(&cells, &arena, n, m->err);
    for (int i = 0; i < n && good; i++) {
        fm_vec3 p = m->mesh->positions[i];
        x.x[i] = p.x, x.y[i] = p.y, x.z[i] = p.z;
    }
    if (good)
        fm_cell_list_build(&cells, fmax(reach, SMALLEST_CELL), n, x.x, x.y, x.z);
    for (int i = 0; i < n && good; i++) {
        for (int k = 0; k < 27; k++) {
            fm_cell cell = cells.cell[i];
            cell.x += k % 3 - 1, cell.y += k / 3 % 3 - 1, cell.z += k / 9 - 1;
            int bucket = fm_cell_list_find_bucket(&cells, cell);
            for (int e = cells.start[bucket]; e < cells.start[bucket + 1]; e++) {
                int j = cells.order[e];
                fm_vec3 d = fm_sub(m->mesh->positions[i], m->mesh->positions[j]);
                if (j < i && fm_length(d) <= reach)
                    weld_pair(m, i, j);
            }
        }
    }
    fm_arena_destroy(&arena);
    return good;
}

// Assigns a particle to every vertex; particles are numbered in the order of their lowest vertex.
// Then writes the particles and rest positions at the corners of each triangle.
static bool weld(mesh_builder *m)
{
    const fm_cloth_mesh *mesh = m->mesh;
    for (int i = 0; i < mesh->vertex_count; i++)
        m->particle[i] = i;
    if (mesh->weld > 0 && !weld_near(m))
        return false;
    for (int i = 0; i < mesh->weld_count; i++)
        weld_pair(m, mesh->welds[2 * i], mesh->welds[2 * i + 1]);
    for (int i = 0; i < mesh->vertex_count; i++)
        m->particle[i] = find_root(m, i);
    for (int i = 0; i < mesh->vertex_count; i++) // a root is below its members: already numbered
        m->particle[i] = m->particle[i] == i ? m->particle_count++ : m->particle[m->particle[i]];
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        m->triangle[i] = m->particle[mesh->triangles[i]];
        m->corner[i] = m->rest[mesh->triangles[i]];
    }
    return true;
}

// The caller's function for faults, and how many faults it was called for.
typedef struct fault_listener {
    fm_mesh_fault_function *visit;
    void *context;
    int count;
} fault_listener;

static void report_fault(fault_listener *to, fm_mesh_fault fault)
{
    to->count++;
    to->visit(to->context, &fault);
}

// Reports triangles with a repeated corner or without area.
static void find_bad_triangles(const mesh_builder *m, fault_listener *to)
{
    for (int t = 0; t < m->mesh->triangle_count; t++) {
        const int *p = m->triangle + 3 * (size_t)t;
        const fm_vec3 *x = m->corner + 3 * (size_t)t;
        fm_mesh_fault fault = {.triangle = t, .others = {-1, -1}};
        fault.vertex[0] = m->mesh->triangles[3 * (size_t)t + (p[0] == p[1] ? 0 : 2)];
        fm_vec3 e[3] = {fm_sub(x[1], x[0]), fm_sub(x[2], x[1]), fm_sub(x[0], x[2])};
        double longest = fmax(fm_dot(e[0], e[0]), fmax(fm_dot(e[1], e[1]), fm_dot(e[2], e[2])));
        fault.area = fm_length(fm_cross(e[0], e[1])) / 2;
        bool repeated = p[0] == p[1] || p[1] == p[2] || p[2] == p[0];
        fault.kind = repeated ? FM_FAULT_REPEATED_CORNER : FM_FAULT_ZERO_AREA;
        if (repeated || !(fault.area > MIN_AREA_RATIO * longest))
            report_fault(to, fault);
    }
}

// Reports edges with more than two triangles, and edges whose two triangles have opposite
// orientations. The loop over corners finds the input vertices at the ends of the edge.
static void find_bad_edges(const mesh_builder *m, fault_listener *to)
{
    for (int i = 0; i < m->edge_count; i++) {
        const fm_mesh_edge *edge = &m->edges[i];
        if (edge->extra_count == 0 && !edge->inconsistent)
            continue;
        bool more_than_two = edge->extra_count > 0;
        fm_mesh_fault fault = {
            .kind = more_than_two ? FM_FAULT_NON_MANIFOLD : FM_FAULT_WINDING,
            .triangle = more_than_two ? edge->first_extra : edge->triangle[1],
            .others = {edge->triangle[0], more_than_two ? edge->triangle[1] : -1},
            .count = edge->extra_count + 2};
        for (int k = 0; k < 3; k++) {
            size_t from = 3 * (size_t)fault.triangle, one = from + k, next = from + (k + 1) % 3;
            int a = m->triangle[one], b = m->triangle[next];
            if ((a == edge->a && b == edge->b) || (a == edge->b && b == edge->a)) {
                fault.vertex[0] = m->mesh->triangles[one];
                fault.vertex[1] = m->mesh->triangles[next];
            }
        }
        report_fault(to, fault);
    }
}

// Reports vertices whose particle is in no triangle. False if memory runs out.
static bool find_unused_vertices(const mesh_builder *m, fault_listener *to)
{
    bool *used = calloc((size_t)m->particle_count, sizeof *used);
    if (!used)
        return fm_fail_no_memory(m->err, m->object, (size_t)m->particle_count * sizeof *used);
    for (int i = 0; i < 3 * m->mesh->triangle_count; i++)
        used[m->triangle[i]] = true;
    for (int i = 0; i < m->mesh->vertex_count; i++) {
        if (!used[m->particle[i]])
            report_fault(to, (fm_mesh_fault){.kind = FM_FAULT_UNUSED_VERTEX,
                                             .triangle = -1,
                                             .others = {-1, -1},
                                             .vertex = {i}});
    }
    free(used);
    return true;
}

// Finds the edges of the mesh, and reports faults of triangles, of edges and of vertices.
static bool find_faults(mesh_builder *m, fm_mesh_fault_function *function, void *context)
{
    fault_listener to = {function, context, 0};
    find_bad_triangles(m, &to);
    m->edges = fm_mesh_find_edges(m->triangle, m->mesh->triangle_count, &m->edge_count);
    if (!m->edges)
        return fm_fail_no_memory(m->err, m->object,
                                 3 * (size_t)m->mesh->triangle_count * sizeof(fm_mesh_edge));
    if (to.count == 0) // a triangle with a repeated corner would have the same edge twice
        find_bad_edges(m, &to);
    return find_unused_vertices(m, &to);
}

// Fills err from a fault of the mesh; err keeps the first one.
static void set_error_from_fault(void *context, const fm_mesh_fault *fault)
{
    const mesh_builder *m = context;
    switch (fault->kind) {
    case FM_FAULT_REPEATED_CORNER:
        fail_at(m, "triangles", fault->triangle, fault->vertex[0],
                "three different vertices, welded ones counted once");
        break;
    case FM_FAULT_ZERO_AREA:
        fail_at(m, "triangles", fault->triangle, fault->area, "an area above 0");
        break;
    case FM_FAULT_NON_MANIFOLD:
        fail_at(m, "triangles", fault->triangle, fault->count,
                "at most two triangles at each of its edges");
        break;
    case FM_FAULT_WINDING:
        fail_at(m, "triangles", fault->triangle, fault->others[0],
                "corners in the same sense as its neighbour's");
        break;
    case FM_FAULT_UNUSED_VERTEX:
        fail_at(m, "positions", fault->vertex[0], fault->vertex[0], "vertices that triangles use");
        break;
    case FM_FAULT_KIND_COUNT:
        break;
    }
}

static double find_median(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

// Places each particle at the mean position of its vertices. area: m^2, of each particle. Without a
// given added mass, the layer of medium that moves with the cloth is 1/(2 pi) of the median side of
// its bounding box.
static void place_particles(const mesh_builder *m, fm_cloth *c, const double *area)
{
    const fm_cloth_mesh *mesh = m->mesh;
    fm_vec3 low = mesh->positions[0], high = low;
    int *members = c->pinned; // number of vertices of each particle, in an array not yet in use
    for (int i = 0; i < mesh->vertex_count; i++) {
        fm_vec3 p = mesh->positions[i];
        int k = m->particle[i], n = members[k]++;
        fm_vec3 so_far = {c->x.x[k], c->x.y[k], c->x.z[k]};
        fm_vec3 mean = fm_add_scaled(so_far, fm_sub(p, so_far), 1.0 / (n + 1));
        fm_cloth_place_particle(c, k, n == 0 ? p : mean, mesh->velocity, area[k]);
        low = (fm_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (fm_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    memset(members, 0, (size_t)c->count * sizeof *members);
    fm_vec3 size = fm_sub(high, low);
    c->added_mass = c->def.drag.added_mass >= 0 ? c->def.drag.added_mass
                                                : find_median(size.x, size.y, size.z) / (2 * FM_PI);
}

// Copies the texture coordinates. False if memory runs out.
static bool copy_uv(const mesh_builder *m, fm_cloth *c)
{
    size_t count = 6 * (size_t)m->mesh->triangle_count;
    c->corner_uv = fm_arena_alloc(&c->arena, count, sizeof(float), c->object.name, m->err);
    if (c->corner_uv)
        memcpy(c->corner_uv, m->mesh->corner_uv, count * sizeof(float));
    return c->corner_uv != NULL;
}

// Finds the directions of the warp in all triangles, and keeps their corners at rest for woven
// ones.
static bool find_warp(const mesh_builder *m, fm_cloth *c)
{
    size_t count = (size_t)m->mesh->triangle_count;
    const float *uv = m->mesh->corner_uv;
    const char *name = c->object.name;
    if (!uv && fm_length(c->def.warp_axis) <= 0)
        return fm_fail(
            m->err, FM_BAD_VALUE, m->object, "warp_axis", "0",
            "a direction, or a mesh with texture coordinates: woven meshes need the warp");
    fm_vec3 *warp = fm_arena_alloc(&c->arena, count, sizeof *warp, name, m->err);
    for (size_t t = 0; t < count && warp; t++) {
        warp[t] = fm_mesh_find_warp(&c->def, m->corner + 3 * t, uv ? uv + 6 * t : NULL);
        if (fm_length(warp[t]) <= 0)
            return fail_at(m, "corner_uv", (int)t, 0, "texture coordinates that differ");
    }
    c->mesh.triangle_warp = warp;
    if (c->def.stretch.model != FM_STRETCH_TRIANGLES)
        return warp != NULL;
    c->mesh.triangle_rest = fm_arena_alloc(&c->arena, 3 * count, sizeof(fm_vec3), name, m->err);
    if (c->mesh.triangle_rest)
        memcpy(c->mesh.triangle_rest, m->corner, 3 * count * sizeof(fm_vec3));
    return m->err->status == FM_OK;
}

// N/m, spring constant of an edge that stands for its woven triangles.
static double find_woven_constant(const mesh_builder *m, const fm_cloth *c,
                                  const fm_mesh_edge *edge)
{
    double sum = 0;
    for (int side = 0; side < 2 && edge->triangle[side] >= 0; side++) {
        int t = edge->triangle[side];
        const int *p = m->triangle + 3 * (size_t)t;
        double constant[3];
        fm_mesh_find_edge_constants(c, t, m->corner + 3 * (size_t)t, constant);
        for (int k = 0; k < 3; k++)
            sum += p[k] + p[(k + 1) % 3] == edge->a + edge->b && p[(k + 2) % 3] != edge->a &&
                           p[(k + 2) % 3] != edge->b
                       ? constant[k]
                       : 0;
    }
    return sum;
}

// Fills the factors on stiffness of all particles, and multiplies their masses by that on the
// thickness.
static bool weigh_particles(const mesh_builder *m, fm_cloth *c)
{
    const fm_cloth_mesh *mesh = m->mesh;
    const char *name = c->object.name;
    size_t n = (size_t)c->count;
    if (mesh->friction)
        c->friction_weight = fm_arena_alloc(&c->arena, n, sizeof(double), name, m->err);
    for (int i = mesh->vertex_count - 1; i >= 0 && mesh->friction && c->friction_weight; i--)
        c->friction_weight[m->particle[i]] = mesh->friction[i];
    if (!mesh->stiffness && !mesh->thickness)
        return m->err->status == FM_OK;
    double *stretch = fm_arena_alloc(&c->arena, n, sizeof *stretch, name, m->err);
    double *bend = fm_arena_alloc(&c->arena, n, sizeof *bend, name, m->err);
    if (!stretch || !bend)
        return false;
    for (int i = mesh->vertex_count - 1; i >= 0; i--) { // a particle has those of its first vertex
        int k = m->particle[i];
        double stiffness = mesh->stiffness ? mesh->stiffness[i] : 1;
        double thick = mesh->thickness ? mesh->thickness[i] : 1;
        stretch[k] = stiffness * thick, bend[k] = stiffness * thick * thick * thick;
        c->mass[k] = c->def.density * c->def.thickness * thick * c->area[k];
    }
    c->mesh.stretch_weight = stretch, c->mesh.bend_weight = bend;
    return true;
}

// Fills the index arrays of the cloth: triangles, the map from vertices to particles (if any were
// welded), a spring along every edge, and hinges. False if memory runs out.
static bool fill_spring_mesh(const mesh_builder *m, fm_cloth *c)
{
    fm_spring_mesh *out = &c->mesh;
    const fm_cloth_mesh *mesh = m->mesh;
    if (!fm_spring_mesh_create(c, m->edge_count, mesh->triangle_count, m->err))
        return false;
    memcpy(out->triangle, m->triangle, 3 * (size_t)mesh->triangle_count * sizeof(int));
    if ((mesh->corner_uv && !copy_uv(m, c)) || !weigh_particles(m, c) ||
        (fm_mesh_has_warp(&c->def) && !find_warp(m, c)))
        return false;
    if (m->particle_count < mesh->vertex_count) {
        size_t vertices = (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
        out->vertex_count = mesh->vertex_count;
        out->vertex = fm_arena_alloc(&c->arena, vertices, sizeof(int), c->object.name, m->err);
        out->face = fm_arena_alloc(&c->arena, corners, sizeof(int), c->object.name, m->err);
        if (m->err->status != FM_OK)
            return false;
        memcpy(out->vertex, m->particle, vertices * sizeof(int));
        memcpy(out->face, mesh->triangles, corners * sizeof(int));
    }
    for (int i = 0; i < m->edge_count; i++) {
        const fm_mesh_edge *edge = &m->edges[i];
        fm_edge_triangle one = fm_mesh_measure_edge_triangle(c, m->corner, edge, 0), other = {0};
        if (edge->triangle[1] >= 0)
            other = fm_mesh_measure_edge_triangle(c, m->corner, edge, 1);
        double rest = edge->triangle[1] >= 0 ? (one.length + other.length) / 2 : one.length;
        double share = (one.area + other.area) / (rest * rest);
        out->edge_a[i] = edge->a, out->edge_b[i] = edge->b;
        out->edge_kind[i] = FM_EDGE_STRETCH;
        out->edge_rest[i] = rest;
        out->edge_stiffness[i] =
            m->fabric ? fm_fabric_edge_constant(m->fabric, edge->triangle[1] < 0)
            : m->soft && m->soft->spring > 0 ? m->soft->alpha * m->soft->spring
                                             : c->def.stretch.stiffness * share;
        if (out->stretch_weight)
            out->edge_stiffness[i] *=
                (out->stretch_weight[edge->a] + out->stretch_weight[edge->b]) / 2;
        if (out->triangle_rest)
            out->edge_stiffness[i] = find_woven_constant(m, c, edge);
        out->edge_damping[i] = c->def.damping.coefficient * share;
    }
    return fm_spring_mesh_add_hinges(c, m->edges, m->edge_count, m->corner, 0, m->err);
}

// Creates the cloth of a mesh that has been checked and welded. A particle gets a third of the area
// of each of its triangles.
static fm_cloth *create_cloth(mesh_builder *m, const fm_cloth_def *def, const fm_medium *medium)
{
    double *area = calloc((size_t)m->particle_count, sizeof *area);
    if (!area) {
        fm_fail_no_memory(m->err, m->object, (size_t)m->particle_count * sizeof *area);
        return NULL;
    }
    for (int i = 0; i < 3 * m->mesh->triangle_count; i++) {
        const fm_vec3 *x = m->corner + i / 3 * 3;
        fm_vec3 n = fm_cross(fm_sub(x[1], x[0]), fm_sub(x[2], x[0]));
        area[m->triangle[i]] += fm_length(n) / 6;
    }
    fm_cloth *c = fm_cloth_create_empty(def, medium, m->particle_count, 1, m->err);
    if (c) {
        c->kind = FM_CLOTH_MESH;
        place_particles(m, c, area);
        if ((m->fabric && !fm_fabric_create(c, m->fabric, m->err)) ||
            (m->soft && !fm_soft_create(c, m->soft, m->err)) || !fill_spring_mesh(m, c) ||
            !fm_spring_mesh_link_particles(c, m->err) ||
            !fm_cloth_finish_creation(c, medium, m->err)) {
            fm_cloth_destroy(c);
            c = NULL;
        }
    }
    free(area);
    return c;
}

bool fm_spring_mesh_check_def(const fm_cloth_def *def, const char *object, fm_error *err)
{
    bool woven = def->stretch.model != FM_STRETCH_SPRINGS || def->stretch.stiffening > 0;
    if (def->bend.model != FM_BEND_RIGIDITY)
        return fm_fail(err, FM_BAD_VALUE, object, "bend.model", "springs",
                       "rigidity for tubes and meshes: springs over two cells are those of sheets");
    return !woven || fm_fail(err, FM_BAD_VALUE, object, "stretch", "triangles or stiffening",
                             "springs without stiffening for tubes, fabrics and soft bodies");
}

// Checks the numbers, allocates the arrays and welds the vertices. The caller must call
// destroy_builder() in any case.
static bool prepare_builder(mesh_builder *m)
{
    const fm_cloth_mesh *mesh = m->mesh;
    m->rest = mesh->rest_positions ? mesh->rest_positions : mesh->positions;
    if (m->err->status != FM_OK || !check_counts(m) || !check_numbers(m))
        return false;
    size_t corners = 3 * (size_t)mesh->triangle_count, vertices = (size_t)mesh->vertex_count;
    m->particle = malloc(vertices * sizeof *m->particle);
    m->triangle = malloc(corners * sizeof *m->triangle);
    m->corner = malloc(corners * sizeof *m->corner);
    if (!m->particle || !m->triangle || !m->corner) {
        fm_fail_no_memory(m->err, m->object, corners * sizeof *m->corner);
        return false;
    }
    return weld(m);
}

// Frees the arrays of a builder.
static void destroy_builder(mesh_builder *m)
{
    free(m->particle);
    free(m->triangle);
    free(m->corner);
    free(m->edges);
}

// Calls `function` for every fault that keeps a mesh from being a cloth. False with err filled if
// memory runs out or numbers or indices are out of range. object: name of the cloth, for messages.
bool fm_mesh_find_faults(const fm_cloth_mesh *mesh, const char *object,
                         fm_mesh_fault_function *function, void *context, fm_error *err)
{
    mesh_builder m = {.mesh = mesh, .object = object, .err = err};
    bool good = prepare_builder(&m) && find_faults(&m, function, context);
    destroy_builder(&m);
    return good;
}

// Creates a cloth from a triangle mesh, not yet in a world. NULL with err filled if the mesh has a
// fault. fabric, soft: NULL for an ordinary cloth.
fm_cloth *fm_cloth_create_detached_mesh(const fm_cloth_def *def, const fm_fabric_def *fabric,
                                        const fm_soft_def *soft, const fm_cloth_mesh *mesh,
                                        const fm_medium *medium, fm_error *err)
{
    assert(def && mesh);
    mesh_builder m = {.mesh = mesh,
                      .object = def->name ? def->name : "cloth",
                      .fabric = fabric,
                      .soft = soft,
                      .err = err};
    fm_cloth *cloth = NULL;
    bool plain = !fabric && !soft && def->stretch.model == FM_STRETCH_TRIANGLES &&
                 def->bend.model == FM_BEND_RIGIDITY; // a woven mesh
    if (err->status == FM_OK && (plain || fm_spring_mesh_check_def(def, m.object, err)) &&
        (!fabric || fm_fabric_check(fabric, def, m.object, err)) &&
        (!soft || fm_soft_check(soft, m.object, err)) && prepare_builder(&m) &&
        find_faults(&m, set_error_from_fault, &m) && err->status == FM_OK)
        cloth = create_cloth(&m, def, medium);
    destroy_builder(&m);
    return cloth;
}
