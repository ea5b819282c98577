// SPDX-License-Identifier: MIT
// mesh.c: cloth on any triangles: input checked, vertices welded, springs and masses.
//
// A spring along every edge, by Van Gelder's rule [VG98]
//
//     k = Y (A1 + A2) / l^2,     A1, A2 the triangles beside it (one at the border), l its length
//
// and a third of each triangle's mass at its corners. On equilateral triangles the sheet is
// isotropic with the surface modulus Y (k = sqrt(3)/2 Y, and a triangular lattice has 2 k /
// sqrt(3)), Poisson's ratio 1/3 and the shear modulus 3/8 Y; on others it is near that: springs
// cannot do better. So `stretch.stiffness` is Y and `shear.stiffness` is not used. Bending:
// hinges.c.
//
// Welded vertices become one particle. Lengths at rest are those of the triangles as they were
// given, the mean of both where pieces meet, so that pieces cut flat keep their size.
//
// [VG98] Van Gelder: Approximate simulation of elastic membranes by triangulated spring meshes.
//        Journal of Graphics Tools 3(2), 1998.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES_MAX = 1 << 24 };
static const double THINNEST = 1e-9; // area over the square of the longest side

typedef struct maker {
    const fm_cloth_mesh *mesh;
    const char *object;
    const fm_vec3 *rest; // of vertices
    int *particle;       // of each vertex; while welding, an earlier vertex it is one with
    int *triangle;       // in particles
    int particle_count;
    fm_vec3 *corner; // at rest, three of each triangle
    fm_mesh_side *sides;
    int side_count;
    fm_error *err;
} maker;

static bool fail_at(const maker *m, const char *list, int index, double value, const char *allowed)
{
    char field[48];
    snprintf(field, sizeof field, "%s[%d]", list, index);
    return fm_fail_number(m->err, m->object, field, value, allowed);
}

static bool check_counts(const maker *m)
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

static bool check_numbers(const maker *m)
{
    const fm_cloth_mesh *mesh = m->mesh;
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!fm_is_finite(mesh->positions[i]) || fm_largest(mesh->positions[i]) > 1e9)
            return fail_at(m, "positions", i, fm_largest(mesh->positions[i]), "numbers up to 1e9");
        if (!fm_is_finite(m->rest[i]) || fm_largest(m->rest[i]) > 1e9)
            return fail_at(m, "rest_positions", i, fm_largest(m->rest[i]), "numbers up to 1e9");
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

// The first vertex that this one is one with.
static int root_of(const maker *m, int vertex)
{
    while (m->particle[vertex] != vertex)
        vertex = m->particle[vertex] = m->particle[m->particle[vertex]];
    return vertex;
}

static void weld_pair(const maker *m, int i, int j)
{
    i = root_of(m, i), j = root_of(m, j);
    m->particle[i > j ? i : j] = i > j ? j : i;
}

static bool weld_near(const maker *m)
{
    int n = m->mesh->vertex_count;
    double reach = m->mesh->weld;
    fm_arena arena = {0};
    fm_cells cells = {0};
    fm_axes x = fm_axes_alloc(&arena, n, m->err);
    bool good = m->err->status == FM_OK && fm_cells_alloc(&cells, &arena, n, m->err);
    for (int i = 0; i < n && good; i++) {
        fm_vec3 p = m->mesh->positions[i];
        x.x[i] = p.x, x.y[i] = p.y, x.z[i] = p.z;
    }
    if (good)
        fm_cells_build(&cells, fmax(reach, 1e-9), n, x.x, x.y, x.z);
    for (int i = 0; i < n && good; i++) {
        for (int k = 0; k < 27; k++) {
            fm_cell cell = cells.cell[i];
            cell.x += k % 3 - 1, cell.y += k / 3 % 3 - 1, cell.z += k / 9 - 1;
            int bucket = fm_cells_bucket(&cells, cell);
            for (int e = cells.start[bucket]; e < cells.start[bucket + 1]; e++) {
                int j = cells.order[e];
                fm_vec3 d = fm_sub(m->mesh->positions[i], m->mesh->positions[j]);
                if (j < i && fm_length(d) <= reach)
                    weld_pair(m, i, j);
            }
        }
    }
    fm_arena_free(&arena);
    return good;
}

// Vertices to particles, numbered by their first vertex.
static bool weld(maker *m)
{
    const fm_cloth_mesh *mesh = m->mesh;
    for (int i = 0; i < mesh->vertex_count; i++)
        m->particle[i] = i;
    if (mesh->weld > 0 && !weld_near(m))
        return false;
    for (int i = 0; i < mesh->weld_count; i++)
        weld_pair(m, mesh->welds[2 * i], mesh->welds[2 * i + 1]);
    for (int i = 0; i < mesh->vertex_count; i++)
        m->particle[i] = root_of(m, i);
    for (int i = 0; i < mesh->vertex_count; i++) // roots come first and are numbered already
        m->particle[i] = m->particle[i] == i ? m->particle_count++ : m->particle[m->particle[i]];
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        m->triangle[i] = m->particle[mesh->triangles[i]];
        m->corner[i] = m->rest[mesh->triangles[i]];
    }
    return true;
}

// Counts what it tells.
typedef struct fault_teller {
    fm_mesh_fault_function *tell;
    void *context;
    int count;
} fault_teller;

static void tell(fault_teller *to, fm_mesh_fault fault)
{
    to->count++;
    to->tell(to->context, &fault);
}

static void find_bad_triangles(const maker *m, fault_teller *to)
{
    for (int t = 0; t < m->mesh->triangle_count; t++) {
        const int *p = m->triangle + 3 * (size_t)t;
        const fm_vec3 *x = m->corner + 3 * (size_t)t;
        fm_mesh_fault fault = {.triangle = t, .others = {-1, -1}};
        fault.vertex[0] = m->mesh->triangles[3 * (size_t)t + (p[0] == p[1] ? 0 : 2)];
        fm_vec3 e[3] = {fm_sub(x[1], x[0]), fm_sub(x[2], x[1]), fm_sub(x[0], x[2])};
        double longest = fmax(fm_dot(e[0], e[0]), fmax(fm_dot(e[1], e[1]), fm_dot(e[2], e[2])));
        fault.area = fm_length(fm_cross(e[0], e[1])) / 2;
        bool twice = p[0] == p[1] || p[1] == p[2] || p[2] == p[0];
        fault.kind = twice ? FM_FAULT_CORNERS : FM_FAULT_AREA;
        if (twice || !(fault.area > THINNEST * longest))
            tell(to, fault);
    }
}

static void find_bad_sides(const maker *m, fault_teller *to)
{
    for (int i = 0; i < m->side_count; i++) {
        const fm_mesh_side *side = &m->sides[i];
        if (side->more == 0 && !side->same_way)
            continue;
        bool crowded = side->more > 0;
        fm_mesh_fault fault = {.kind = crowded ? FM_FAULT_CROWDED : FM_FAULT_FLIPPED,
                               .triangle = crowded ? side->third : side->triangle[1],
                               .others = {side->triangle[0], crowded ? side->triangle[1] : -1},
                               .count = side->more + 2};
        for (int k = 0; k < 3; k++) {
            size_t from = 3 * (size_t)fault.triangle, one = from + k, next = from + (k + 1) % 3;
            int a = m->triangle[one], b = m->triangle[next];
            if ((a == side->a && b == side->b) || (a == side->b && b == side->a)) {
                fault.vertex[0] = m->mesh->triangles[one];
                fault.vertex[1] = m->mesh->triangles[next];
            }
        }
        tell(to, fault);
    }
}

static bool find_loose(const maker *m, fault_teller *to)
{
    bool *used = calloc((size_t)m->particle_count, sizeof *used);
    if (!used)
        return fm_fail_no_memory(m->err, m->object, (size_t)m->particle_count * sizeof *used);
    for (int i = 0; i < 3 * m->mesh->triangle_count; i++)
        used[m->triangle[i]] = true;
    for (int i = 0; i < m->mesh->vertex_count; i++) {
        if (!used[m->particle[i]])
            tell(to,
                 (fm_mesh_fault){
                     .kind = FM_FAULT_LOOSE, .triangle = -1, .others = {-1, -1}, .vertex = {i}});
    }
    free(used);
    return true;
}

// Triangles, then sides, which are found here, then vertices.
static bool find_faults(maker *m, fm_mesh_fault_function *function, void *context)
{
    fault_teller to = {function, context, 0};
    find_bad_triangles(m, &to);
    m->sides = fm_find_sides(m->triangle, m->mesh->triangle_count, &m->side_count);
    if (!m->sides)
        return fm_fail_no_memory(m->err, m->object,
                                 3 * (size_t)m->mesh->triangle_count * sizeof(fm_mesh_side));
    if (to.count == 0) // a triangle with a particle twice has a side twice
        find_bad_sides(m, &to);
    return find_loose(m, &to);
}

// The first fault becomes the error.
static void refuse(void *context, const fm_mesh_fault *fault)
{
    const maker *m = context;
    switch (fault->kind) {
    case FM_FAULT_CORNERS:
        fail_at(m, "triangles", fault->triangle, fault->vertex[0],
                "three different vertices, welded ones counted once");
        break;
    case FM_FAULT_AREA:
        fail_at(m, "triangles", fault->triangle, fault->area, "an area above 0");
        break;
    case FM_FAULT_CROWDED:
        fail_at(m, "triangles", fault->triangle, fault->count,
                "at most two triangles at each of its edges");
        break;
    case FM_FAULT_FLIPPED:
        fail_at(m, "triangles", fault->triangle, fault->others[0],
                "corners in the same sense as its neighbour's");
        break;
    case FM_FAULT_LOOSE:
        fail_at(m, "positions", fault->vertex[0], fault->vertex[0], "vertices that triangles use");
        break;
    case FM_FAULT_KINDS:
        break;
    }
}

static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static void place(const maker *m, fm_cloth *c, const double *area)
{
    const fm_cloth_mesh *mesh = m->mesh;
    fm_vec3 low = mesh->positions[0], high = low;
    int *members = c->pinned; // not used yet
    for (int i = 0; i < mesh->vertex_count; i++) {
        fm_vec3 p = mesh->positions[i];
        int k = m->particle[i], n = members[k]++;
        fm_vec3 so_far = {c->x.x[k], c->x.y[k], c->x.z[k]};
        fm_vec3 mean = fm_add_scaled(so_far, fm_sub(p, so_far), 1.0 / (n + 1));
        fm_cloth_place(c, k, n == 0 ? p : mean, mesh->velocity, area[k]);
        low = (fm_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (fm_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    memset(members, 0, (size_t)c->count * sizeof *members);
    fm_vec3 size = fm_sub(high, low);
    c->added_mass = c->def.drag.added_mass >= 0 ? c->def.drag.added_mass
                                                : middle(size.x, size.y, size.z) / (2 * FM_PI);
}

static bool fill_net(const maker *m, fm_cloth *c)
{
    fm_net *net = &c->mesh;
    const fm_cloth_mesh *mesh = m->mesh;
    if (!fm_net_alloc(c, m->side_count, mesh->triangle_count, m->err))
        return false;
    memcpy(net->triangle, m->triangle, 3 * (size_t)mesh->triangle_count * sizeof(int));
    if (m->particle_count < mesh->vertex_count) {
        size_t vertices = (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
        net->vertex_count = mesh->vertex_count;
        net->vertex = fm_arena_alloc(&c->arena, vertices, sizeof(int), c->name, m->err);
        net->face = fm_arena_alloc(&c->arena, corners, sizeof(int), c->name, m->err);
        if (m->err->status != FM_OK)
            return false;
        memcpy(net->vertex, m->particle, vertices * sizeof(int));
        memcpy(net->face, mesh->triangles, corners * sizeof(int));
    }
    for (int i = 0; i < m->side_count; i++) {
        const fm_mesh_side *side = &m->sides[i];
        fm_flap one = fm_side_flap(c, m->corner, side, 0), other = {0};
        if (side->triangle[1] >= 0)
            other = fm_side_flap(c, m->corner, side, 1);
        double rest = side->triangle[1] >= 0 ? (one.length + other.length) / 2 : one.length;
        double share = (one.area + other.area) / (rest * rest);
        net->edge_a[i] = side->a, net->edge_b[i] = side->b;
        net->edge_kind[i] = FM_EDGE_STRETCH;
        net->edge_rest[i] = rest;
        net->edge_stiffness[i] = c->def.stretch.stiffness * share;
        net->edge_damping[i] = c->def.damping.coefficient * share;
    }
    return fm_net_add_hinges(c, m->sides, m->side_count, m->corner, 0, m->err);
}

static fm_cloth *make(maker *m, const fm_cloth_def *def, const fm_medium *medium)
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
    fm_cloth *c = fm_cloth_alloc(def, medium, m->particle_count, 1, m->err);
    if (c) {
        c->kind = FM_CLOTH_MESH;
        place(m, c, area);
        if (!fill_net(m, c) || !fm_net_link(c, m->err) || !fm_cloth_finish(c, m->err)) {
            fm_cloth_free(c);
            c = NULL;
        }
    }
    free(area);
    return c;
}

bool fm_net_check_def(const fm_cloth_def *def, const char *object, fm_error *err)
{
    return def->bend.model == FM_BEND_RIGIDITY ||
           fm_fail(err, FM_BAD_VALUE, object, "bend.model", "springs",
                   "rigidity for tubes and meshes: springs over two cells are those of sheets");
}

// Numbers checked, vertices welded, room for what follows; drop() it, whatever comes back.
static bool prepare(maker *m)
{
    const fm_cloth_mesh *mesh = m->mesh;
    m->rest = mesh->rest_positions ? mesh->rest_positions : mesh->positions;
    if (m->err->status != FM_OK || !check_counts(m) || !check_numbers(m))
        return false;
    size_t corners = 3 * (size_t)mesh->triangle_count, vertices = (size_t)mesh->vertex_count;
    m->particle = malloc(vertices * sizeof *m->particle);
    m->triangle = malloc(corners * sizeof *m->triangle);
    m->corner = malloc(corners * sizeof *m->corner);
    if (!m->particle || !m->triangle || !m->corner)
        return fm_fail_no_memory(m->err, m->object, corners * sizeof *m->corner);
    return weld(m);
}

static void drop(maker *m)
{
    free(m->particle);
    free(m->triangle);
    free(m->corner);
    free(m->sides);
}

bool fm_mesh_find_faults(const fm_cloth_mesh *mesh, const char *object,
                         fm_mesh_fault_function *function, void *context, fm_error *err)
{
    maker m = {.mesh = mesh, .object = object, .err = err};
    bool good = prepare(&m) && find_faults(&m, function, context);
    drop(&m);
    return good;
}

fm_cloth *fm_cloth_new_mesh(const fm_cloth_def *def, const fm_cloth_mesh *mesh,
                            const fm_medium *medium, fm_error *err)
{
    assert(def && mesh);
    maker m = {.mesh = mesh, .object = def->name ? def->name : "cloth", .err = err};
    fm_cloth *cloth = NULL;
    if (err->status == FM_OK && fm_net_check_def(def, m.object, err) && prepare(&m) &&
        find_faults(&m, refuse, &m) && err->status == FM_OK)
        cloth = make(&m, def, medium);
    drop(&m);
    return cloth;
}
