// SPDX-License-Identifier: MIT
// contact_fixture.h: sheets of springs, meshes of spheres, cones and boxes, and a contact set of
// them, for the tests of contact.
#ifndef FATHOM_TESTS_CONTACT_FIXTURE_H
#define FATHOM_TESTS_CONTACT_FIXTURE_H

#include "check.h"
#include "collide/contact.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS_OF_STAGE = 8 };

typedef struct mesh {
    int vertex_count, triangle_count;
    fm_vec3 *vertices;
    int (*triangles)[3];
    int columns, rows; // of a grid, else 0
    bool round;
} mesh;

static inline mesh new_mesh(int vertex_count, int triangle_count)
{
    return (mesh){.vertex_count = vertex_count,
                  .triangle_count = triangle_count,
                  .vertices = calloc((size_t)vertex_count, sizeof(fm_vec3)),
                  .triangles = calloc((size_t)triangle_count, sizeof(int[3]))};
}

static inline void set_triangle(mesh *m, int t, int a, int b, int c)
{
    m->triangles[t][0] = a, m->triangles[t][1] = b, m->triangles[t][2] = c;
}

// In the plane of x and z, around centre, diagonals in turn.
static inline mesh make_sheet(int columns, int rows, double dx, fm_vec3 centre)
{
    mesh m = new_mesh(columns * rows, 2 * (columns - 1) * (rows - 1));
    int t = 0;
    m.columns = columns, m.rows = rows;
    for (int i = 0; i < columns * rows; i++)
        m.vertices[i] = fm_add(centre, (fm_vec3){(i % columns - 0.5 * (columns - 1)) * dx, 0,
                                                 (i / columns - 0.5 * (rows - 1)) * dx});
    for (int r = 0; r < rows - 1; r++) {
        for (int c = 0; c < columns - 1; c++) {
            int a = r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            if ((r + c) % 2) {
                set_triangle(&m, t++, a, d, b);
                set_triangle(&m, t++, b, d, e);
            } else {
                set_triangle(&m, t++, a, d, e);
                set_triangle(&m, t++, a, e, b);
            }
        }
    }
    return m;
}

// Turned profile: `rings` rings of `sectors` points between two poles; outside counterclockwise.
static inline mesh make_turned(int rings, int sectors, const double *radius, const double *height,
                               double bottom, double top)
{
    mesh m = new_mesh(rings * sectors + 2, 2 * rings * sectors);
    int t = 0, low = rings * sectors, high = low + 1;
    m.vertices[low] = (fm_vec3){0, bottom, 0};
    m.vertices[high] = (fm_vec3){0, top, 0};
    for (int r = 0; r < rings; r++) {
        for (int s = 0; s < sectors; s++) {
            double angle = 2 * FM_PI * s / sectors;
            int next = (s + 1) % sectors, a = r * sectors + s, b = r * sectors + next;
            m.vertices[a] = (fm_vec3){radius[r] * cos(angle), height[r], radius[r] * sin(angle)};
            if (r == 0)
                set_triangle(&m, t++, low, a, b);
            if (r == rings - 1) {
                set_triangle(&m, t++, high, b, a);
            } else {
                set_triangle(&m, t++, a, a + sectors, b + sectors);
                set_triangle(&m, t++, a, b + sectors, b);
            }
        }
    }
    m.triangle_count = t;
    return m;
}

static inline mesh make_sphere(double radius, int rings, int sectors)
{
    double r[64], y[64];
    for (int i = 0; i < rings; i++) {
        double angle = FM_PI * (i + 1) / (rings + 1);
        r[i] = radius * sin(angle);
        y[i] = -radius * cos(angle);
    }
    return make_turned(rings, sectors, r, y, -radius, radius);
}

// Tip at the origin, opening downwards.
static inline mesh make_cone(double radius, double height, int sectors)
{
    return make_turned(1, sectors, &radius, &(double){-height}, -height, 0);
}

static inline mesh make_box(fm_vec3 half)
{
    static const int faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7},
                                     {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                     {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    mesh m = new_mesh(8, 12); // corner: bit 0 z, bit 1 y, bit 2 x
    for (int i = 0; i < 8; i++)
        m.vertices[i] =
            (fm_vec3){i & 4 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 1 ? half.z : -half.z};
    memcpy(m.triangles, faces, sizeof faces);
    return m;
}

typedef struct spring {
    int a, b;
    double length, stiffness;
} spring;

// Everything in one test: sheets, each with springs, and meshes that are moved.
typedef struct stage {
    mesh meshes[MAX_PARTS_OF_STAGE];
    fm_contact_surface surfaces[MAX_PARTS_OF_STAGE];
    int surface_count;
    spring *springs;
    int spring_count, spring_room;
    double *masses; // inverse, over all
    fm_contact_set *set;
    double mass, stiffness, damping; // kg a vertex, N/m, 1/s
    double thickness;                // m, of sheets
    fm_vec3 gravity;
    int vertex_count;
    fm_contact_axes x, x1, v;
    fm_contact_report report;
} stage;

static inline void add_surface(stage *s, mesh m, bool kinematic, double thickness, double friction)
{
    fm_contact_surface *surface = &s->surfaces[s->surface_count];
    double *x = malloc(3 * (size_t)m.vertex_count * sizeof(double));
    double *w = kinematic ? NULL : malloc((size_t)m.vertex_count * sizeof(double));
    for (int i = 0; i < m.vertex_count; i++) {
        x[i] = m.vertices[i].x;
        x[i + m.vertex_count] = m.vertices[i].y;
        x[i + 2 * m.vertex_count] = m.vertices[i].z;
        if (w)
            w[i] = 1 / s->mass;
    }
    *surface = (fm_contact_surface){.name = kinematic ? "collider" : "sheet",
                                    .vertex_count = m.vertex_count,
                                    .triangle_count = m.triangle_count,
                                    .triangles = (const int(*)[3])m.triangles,
                                    .x = x,
                                    .y = x + m.vertex_count,
                                    .z = x + 2 * m.vertex_count,
                                    .inverse_mass = w,
                                    .thickness = thickness,
                                    .friction = friction,
                                    .solid = kinematic,
                                    .columns = m.columns,
                                    .rows = m.rows,
                                    .round = m.round};
    s->meshes[s->surface_count++] = m;
}

static inline void add_spring(stage *s, int a, int b, double stiffness)
{
    if (s->spring_count == s->spring_room) {
        s->spring_room = 2 * s->spring_room + 1024;
        s->springs = realloc(s->springs, (size_t)s->spring_room * sizeof *s->springs);
    }
    fm_contact_axes x = s->x;
    double length = fm_length(fm_sub(fm_contact_at(x, a), fm_contact_at(x, b)));
    s->springs[s->spring_count++] = (spring){a, b, length, stiffness};
}

static inline void add_sheet_springs(stage *s, int surface, int columns, int rows)
{
    int first = fm_contact_first_vertex(s->set, surface);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            int a = first + r * columns + c;
            if (c + 1 < columns)
                add_spring(s, a, a + 1, s->stiffness);
            if (r + 1 < rows)
                add_spring(s, a, a + columns, s->stiffness);
            if (c + 1 < columns && r + 1 < rows) {
                add_spring(s, a, a + columns + 1, 0.3 * s->stiffness);
                add_spring(s, a + 1, a + columns, 0.3 * s->stiffness);
            }
            if (c + 2 < columns)
                add_spring(s, a, a + 2, 0.02 * s->stiffness);
            if (r + 2 < rows)
                add_spring(s, a, a + 2 * columns, 0.02 * s->stiffness);
        }
    }
}

static inline void open_stage(stage *s)
{
    fm_error err = {0};
    s->set = fm_contact_create(s->surfaces, s->surface_count, &err);
    if (!s->set)
        print_error("%s\n", err.text);
    assert_non_null(s->set);
    s->vertex_count = fm_contact_vertex_count(s->set);
    s->x = fm_contact_starts(s->set);
    s->x1 = fm_contact_ends(s->set);
    s->v = fm_contact_velocities(s->set);
    s->masses = fm_contact_inverse_masses(s->set);
}

static inline void close_stage(stage *s)
{
    fm_contact_destroy(s->set);
    for (int i = 0; i < s->surface_count; i++) {
        free((void *)s->surfaces[i].x);
        free((void *)s->surfaces[i].inverse_mass);
        free(s->meshes[i].vertices);
        free(s->meshes[i].triangles);
    }
    free(s->springs);
}

// Kicks by springs and gravity, then wished ends of what has a mass; what has none stays.
static inline void aim_by_springs(stage *s, double h)
{
    for (int k = 0; k < s->spring_count; k++) {
        const spring *p = &s->springs[k];
        fm_vec3 d = fm_sub(fm_contact_at(s->x, p->b), fm_contact_at(s->x, p->a));
        double length = fm_length(d), f = h * p->stiffness * (1 - p->length / length);
        fm_vec3 u = fm_sub(fm_contact_at(s->v, p->b), fm_contact_at(s->v, p->a));
        f += h * 0.002 * p->stiffness * fm_dot(u, d) / (length * length);
        double wa = f * s->masses[p->a], wb = f * s->masses[p->b];
        s->v.x[p->a] += wa * d.x, s->v.y[p->a] += wa * d.y, s->v.z[p->a] += wa * d.z;
        s->v.x[p->b] -= wb * d.x, s->v.y[p->b] -= wb * d.y, s->v.z[p->b] -= wb * d.z;
    }
    double kept = exp(-s->damping * h);
    for (int i = 0; i < s->vertex_count; i++) {
        bool moves = s->masses[i] > 0;
        fm_vec3 v = fm_scale(fm_add_scaled(fm_contact_at(s->v, i), s->gravity, h), kept);
        if (moves)
            s->v.x[i] = v.x, s->v.y[i] = v.y, s->v.z[i] = v.z;
        s->x1.x[i] = s->x.x[i] + (moves ? h * v.x : 0);
        s->x1.y[i] = s->x.y[i] + (moves ? h * v.y : 0);
        s->x1.z[i] = s->x.z[i] + (moves ? h * v.z : 0);
    }
}

static inline void end_step(stage *s)
{
    size_t bytes = (size_t)s->vertex_count * sizeof(double);
    memcpy(s->x.x, s->x1.x, bytes);
    memcpy(s->x.y, s->x1.y, bytes);
    memcpy(s->x.z, s->x1.z, bytes);
}

// Ends of a mesh that is moved: turned about its own origin by a turn vector, then put at `at`.
static inline void place_mesh(stage *s, int surface, fm_vec3 turn, fm_vec3 at, fm_contact_axes x)
{
    int first = fm_contact_first_vertex(s->set, surface);
    fm_quat q = fm_quat_of_turn(turn);
    for (int i = 0; i < s->meshes[surface].vertex_count; i++) {
        fm_vec3 p = fm_add(at, fm_quat_rotate(q, s->meshes[surface].vertices[i]));
        x.x[first + i] = p.x, x.y[first + i] = p.y, x.z[first + i] = p.z;
    }
}

#endif
