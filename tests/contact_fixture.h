// SPDX-License-Identifier: MIT
// contact_fixture.h: a small mass-spring simulation with contact, for the tests of contact: sheets
// of springs, and moving meshes of spheres, cones and boxes.
#ifndef FATHOM_TESTS_CONTACT_FIXTURE_H
#define FATHOM_TESTS_CONTACT_FIXTURE_H

#include "check.h"
#include "collide/contact.h"
#include "fixtures.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SURFACES = 8 }; // sheets and meshes in one simulation

// A triangle mesh that owns its arrays.
typedef struct mesh {
    int vertex_count, triangle_count;
    fm_vec3 *vertices;   // m
    int (*triangles)[3]; // vertices of each triangle
    int columns, rows;   // size of a grid of vertices; 0: not a grid
    bool round;          // the first and the last column of the grid are neighbours, as in a tube
} mesh;

static inline mesh create_empty_mesh(int vertex_count, int triangle_count)
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

// Takes over the arrays of a mesh from fixtures/.
static inline mesh convert_mesh(fixture_mesh m)
{
    return (mesh){.vertex_count = m.vertex_count,
                  .triangle_count = m.triangle_count,
                  .vertices = m.positions,
                  .triangles = (int(*)[3])m.triangles,
                  .columns = m.columns,
                  .rows = m.rows};
}

// A sheet in the xz plane around `centre`, with alternating diagonals.
static inline mesh create_sheet_mesh(int columns, int rows, double dx, fm_vec3 centre)
{
    mesh m = convert_mesh(fixture_create_grid(columns, rows, dx, dx, CUT_ALTERNATING));
    for (int i = 0; i < columns * rows; i++)
        m.vertices[i] = fm_add(centre, (fm_vec3){(i % columns - 0.5 * (columns - 1)) * dx, 0,
                                                 (i / columns - 0.5 * (rows - 1)) * dx});
    return m;
}

static inline mesh create_sphere_mesh(double radius, int rings, int sectors)
{
    return convert_mesh(fixture_create_sphere(radius, rings, sectors));
}

// A cone with its tip at the origin, opening downwards.
static inline mesh create_cone_mesh(double radius, double height, int sectors)
{
    return convert_mesh(
        fixture_create_revolution(1, sectors, &radius, &(double){-height}, -height, 0));
}

static inline mesh create_box_mesh(fm_vec3 half)
{
    fixture_mesh box = fixture_create_mesh(8, 12);
    fixture_add_box(&box, half, false);
    return convert_mesh(box);
}

// A spring between the vertices a and b.
typedef struct spring {
    int a, b;
    double length, stiffness; // m, at rest; N/m
} spring;

// The simulation of one test: sheets with springs, and meshes with prescribed motion.
typedef struct contact_scene {
    mesh meshes[MAX_SURFACES];
    fm_contact_surface surfaces[MAX_SURFACES];
    int surface_count;
    spring *springs;
    int spring_count, spring_room;
    double *masses;                  // 1/kg, inverse masses of all vertices
    fm_contact_set *set;             // contact solver of all surfaces
    double mass, stiffness, damping; // kg per vertex, N/m, 1/s
    double thickness;                // m, of the sheets
    fm_vec3 gravity;                 // m/s^2
    int vertex_count;
    fm_vec3_array x, x1, v; // m, at the start and at the end of the step; m/s
    fm_contact_report report;
} contact_scene;

// Adds a mesh as a surface of the contact solver. kinematic: its motion is prescribed; thickness in
// m.
static inline void add_surface(contact_scene *s, mesh m, bool kinematic, double thickness,
                               double friction)
{
    fm_contact_surface *surface = &s->surfaces[s->surface_count];
    double *w = kinematic ? NULL : malloc((size_t)m.vertex_count * sizeof(double));
    for (int i = 0; i < m.vertex_count && w; i++)
        w[i] = 1 / s->mass;
    *surface = (fm_contact_surface){.name = kinematic ? "collider" : "sheet",
                                    .mesh = {.points = m.vertices,
                                             .point_count = m.vertex_count,
                                             .face_points = m.triangles[0],
                                             .face_count = m.triangle_count},
                                    .inverse_mass = w,
                                    .thickness = thickness,
                                    .friction = friction,
                                    .solid = kinematic,
                                    .columns = m.columns,
                                    .rows = m.rows,
                                    .is_tube = m.round};
    s->meshes[s->surface_count++] = m;
}

// Adds a spring at its present length between the vertices a and b; stiffness in N/m.
static inline void add_spring(contact_scene *s, int a, int b, double stiffness)
{
    if (s->spring_count == s->spring_room) {
        s->spring_room = 2 * s->spring_room + 1024;
        s->springs = realloc(s->springs, (size_t)s->spring_room * sizeof *s->springs);
    }
    fm_vec3_array x = s->x;
    double length = fm_length(fm_sub(fm_vec3_array_at(x, a), fm_vec3_array_at(x, b)));
    s->springs[s->spring_count++] = (spring){a, b, length, stiffness};
}

// Connects the vertices of a sheet by stretch, shear and bending springs.
static inline void add_sheet_springs(contact_scene *s, int surface, int columns, int rows)
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

// Creates the contact solver after all surfaces were added.
static inline void open_scene(contact_scene *s)
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

// Destroys the contact solver and all meshes.
static inline void close_scene(contact_scene *s)
{
    fm_contact_destroy(s->set);
    for (int i = 0; i < s->surface_count; i++) {
        free((void *)s->surfaces[i].inverse_mass);
        free(s->meshes[i].vertices);
        free(s->meshes[i].triangles);
    }
    free(s->springs);
}

// Changes velocities by springs and gravity, and sets the target positions of vertices with a mass;
// the others stay where they are.
static inline void set_spring_targets(contact_scene *s, double h)
{
    for (int k = 0; k < s->spring_count; k++) {
        const spring *p = &s->springs[k];
        fm_vec3 d = fm_sub(fm_vec3_array_at(s->x, p->b), fm_vec3_array_at(s->x, p->a));
        double length = fm_length(d), f = h * p->stiffness * (1 - p->length / length);
        fm_vec3 u = fm_sub(fm_vec3_array_at(s->v, p->b), fm_vec3_array_at(s->v, p->a));
        f += h * 0.002 * p->stiffness * fm_dot(u, d) / (length * length);
        double wa = f * s->masses[p->a], wb = f * s->masses[p->b];
        s->v.x[p->a] += wa * d.x, s->v.y[p->a] += wa * d.y, s->v.z[p->a] += wa * d.z;
        s->v.x[p->b] -= wb * d.x, s->v.y[p->b] -= wb * d.y, s->v.z[p->b] -= wb * d.z;
    }
    double kept = exp(-s->damping * h);
    for (int i = 0; i < s->vertex_count; i++) {
        bool moves = s->masses[i] > 0;
        fm_vec3 v = fm_scale(fm_add_scaled(fm_vec3_array_at(s->v, i), s->gravity, h), kept);
        if (moves)
            s->v.x[i] = v.x, s->v.y[i] = v.y, s->v.z[i] = v.z;
        s->x1.x[i] = s->x.x[i] + (moves ? h * v.x : 0);
        s->x1.y[i] = s->x.y[i] + (moves ? h * v.y : 0);
        s->x1.z[i] = s->x.z[i] + (moves ? h * v.z : 0);
    }
}

// Makes the positions at the end of this step those at the start of the next.
static inline void end_step(contact_scene *s)
{
    size_t bytes = (size_t)s->vertex_count * sizeof(double);
    memcpy(s->x.x, s->x1.x, bytes);
    memcpy(s->x.y, s->x1.y, bytes);
    memcpy(s->x.z, s->x1.z, bytes);
}

// Places a moving mesh: rotates it about its origin by a rotation vector, then translates it to
// `at`.
static inline void place_mesh(contact_scene *s, int surface, fm_vec3 turn, fm_vec3 at,
                              fm_vec3_array x)
{
    int first = fm_contact_first_vertex(s->set, surface);
    fm_quat q = fm_quat_from_rotation_vector(turn);
    for (int i = 0; i < s->meshes[surface].vertex_count; i++) {
        fm_vec3 p = fm_add(at, fm_quat_rotate(q, s->meshes[surface].vertices[i]));
        x.x[first + i] = p.x, x.y[first + i] = p.y, x.z[first + i] = p.z;
    }
}

#endif
