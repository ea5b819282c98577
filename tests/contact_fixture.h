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

// Sets the vertices a, b, c of triangle t.
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

// A horizontal sheet of columns x rows vertices around `centre`, with alternating diagonals. dx: m,
// distance of neighbouring vertices.
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

// A cone with its tip at the origin, opening downwards; lengths in m.
static inline mesh create_cone_mesh(double radius, double height, int sectors)
{
    return convert_mesh(
        fixture_create_revolution(1, sectors, &radius, &(double){-height}, -height, 0));
}

// A box around the origin. half_size: m, half its edges.
static inline mesh create_box_mesh(fm_vec3 half_size)
{
    fixture_mesh box = fixture_create_mesh(8, 12);
    fixture_add_box(&box, half_size, false);
    return convert_mesh(box);
}

// A spring with damping between the vertices a and b, numbered over all surfaces.
typedef struct spring {
    int a, b;
    double length, stiffness; // m, at rest; N/m
} spring;

// The springs of a sheet, in units of the stiffness of its stretch springs.
static const double SHEAR_STIFFNESS = 0.3, BEND_STIFFNESS = 0.02;
// s, damping of a spring in units of its stiffness.
static const double SPRING_DAMPING_TIME = 0.002;

// The simulation of one test: sheets with springs, and meshes with prescribed motion.
typedef struct contact_scene {
    // set by the test before it adds surfaces
    double mass;      // kg, of each vertex of a sheet
    double stiffness; // N/m, of the stretch springs
    double damping;   // 1/s, rate at which velocities decay
    double thickness; // m, of the sheets
    fm_vec3 gravity;  // m/s^2

    // set by add_surface and add_spring
    mesh meshes[MAX_SURFACES];
    fm_contact_surface surfaces[MAX_SURFACES];
    int surface_count;
    spring *springs;
    int spring_count, spring_capacity;

    // set by open_scene; the arrays belong to the contact solver
    fm_contact_set *set;    // contact solver of all surfaces
    int vertex_count;       // of all surfaces
    double *inverse_masses; // 1/kg; 0 for vertices of colliders
    fm_vec3_array x, x1;    // m, positions at the start and at the end of the step
    fm_vec3_array v;        // m/s

    fm_contact_report report; // of the last step
} contact_scene;

// Adds a mesh as a surface of the contact solver. kinematic: its motion is prescribed, else its
// vertices have the mass s->mass; thickness: m; friction: coefficient.
static inline void add_surface(contact_scene *s, mesh m, bool kinematic, double thickness,
                               double friction)
{
    fm_contact_surface *surface = &s->surfaces[s->surface_count];
    double *inverse_mass = kinematic ? NULL : malloc((size_t)m.vertex_count * sizeof(double));
    for (int i = 0; i < m.vertex_count && inverse_mass; i++)
        inverse_mass[i] = 1 / s->mass;
    *surface = (fm_contact_surface){.name = kinematic ? "collider" : "sheet",
                                    .mesh = {.points = m.vertices,
                                             .point_count = m.vertex_count,
                                             .face_points = m.triangles[0],
                                             .face_count = m.triangle_count},
                                    .inverse_mass = inverse_mass,
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
    if (s->spring_count == s->spring_capacity) {
        s->spring_capacity = 2 * s->spring_capacity + 1024;
        s->springs = realloc(s->springs, (size_t)s->spring_capacity * sizeof *s->springs);
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
                add_spring(s, a, a + columns + 1, SHEAR_STIFFNESS * s->stiffness);
                add_spring(s, a + 1, a + columns, SHEAR_STIFFNESS * s->stiffness);
            }
            if (c + 2 < columns)
                add_spring(s, a, a + 2, BEND_STIFFNESS * s->stiffness);
            if (r + 2 < rows)
                add_spring(s, a, a + 2 * columns, BEND_STIFFNESS * s->stiffness);
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
    s->inverse_masses = fm_contact_inverse_masses(s->set);
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

// One explicit step of h seconds without contact: changes velocities by springs, gravity and
// damping, and writes the positions at the end of the step to x1. Vertices of colliders stay where
// they are. The contact solver then corrects x1 and v.
static inline void set_spring_targets(contact_scene *s, double h)
{
    for (int k = 0; k < s->spring_count; k++) {
        const spring *p = &s->springs[k];
        fm_vec3 d = fm_sub(fm_vec3_array_at(s->x, p->b), fm_vec3_array_at(s->x, p->a));
        double length = fm_length(d);
        double f = h * p->stiffness * (1 - p->length / length); // N s/m, impulse / d
        fm_vec3 u = fm_sub(fm_vec3_array_at(s->v, p->b), fm_vec3_array_at(s->v, p->a));
        f += h * SPRING_DAMPING_TIME * p->stiffness * fm_dot(u, d) / (length * length);
        double wa = f * s->inverse_masses[p->a], wb = f * s->inverse_masses[p->b];
        s->v.x[p->a] += wa * d.x, s->v.y[p->a] += wa * d.y, s->v.z[p->a] += wa * d.z;
        s->v.x[p->b] -= wb * d.x, s->v.y[p->b] -= wb * d.y, s->v.z[p->b] -= wb * d.z;
    }
    double kept = exp(-s->damping * h);
    for (int i = 0; i < s->vertex_count; i++) {
        bool moves = s->inverse_masses[i] > 0;
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

// Writes the positions of a moving mesh to the array x (s->x or s->x1): the mesh is rotated about
// its origin by a rotation vector, rad, then translated by `shift`, m.
static inline void place_mesh(contact_scene *s, int surface, fm_vec3 rotation, fm_vec3 shift,
                              fm_vec3_array x)
{
    int first = fm_contact_first_vertex(s->set, surface);
    fm_quat q = fm_quat_from_rotation_vector(rotation);
    for (int i = 0; i < s->meshes[surface].vertex_count; i++) {
        fm_vec3 p = fm_add(shift, fm_quat_rotate(q, s->meshes[surface].vertices[i]));
        x.x[first + i] = p.x, x.y[first + i] = p.y, x.z[first + i] = p.z;
    }
}

#endif
