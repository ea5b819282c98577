// SPDX-License-Identifier: MIT
// spring_mesh.c: the index arrays of tubes and meshes.
//
// Forces are computed in two passes: every element (edge, hinge, triangle) computes its force once
// into an array of its own; then every particle sums the forces of its elements, by rising element
// index. No element writes to a particle, so the result does not depend on the number of threads.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

// Allocates the arrays of a tube or mesh with these numbers of edges and triangles. False if memory
// runs out.
bool fm_spring_mesh_create(fm_cloth *c, int edges, int triangles, fm_error *err)
{
    fm_spring_mesh *mesh = &c->mesh;
    size_t e = (size_t)edges, t = 3 * (size_t)triangles;
    mesh->edge_count = edges;
    mesh->triangle_count = triangles;
    mesh->edge_a = fm_arena_alloc(&c->arena, e, sizeof(int), c->object.name, err);
    mesh->edge_b = fm_arena_alloc(&c->arena, e, sizeof(int), c->object.name, err);
    mesh->edge_kind = fm_arena_alloc(&c->arena, e, 1, c->object.name, err);
    mesh->edge_rest = fm_arena_alloc(&c->arena, e, sizeof(double), c->object.name, err);
    mesh->edge_stiffness = fm_arena_alloc(&c->arena, e, sizeof(double), c->object.name, err);
    mesh->edge_damping = fm_arena_alloc(&c->arena, e, sizeof(double), c->object.name, err);
    mesh->triangle = fm_arena_alloc(&c->arena, t, sizeof(int), c->object.name, err);
    mesh->edge_force =
        fm_vec3_array_create(&c->arena, fm_parallel_block_count(edges, FM_LANES) * FM_LANES, err);
    mesh->area_vector = fm_vec3_array_create(
        &c->arena, fm_parallel_block_count(triangles, FM_LANES) * FM_LANES, err);
    return err->status == FM_OK;
}

// Lists the elements of each particle by counting sort. An element has `corners` particles; those
// of element e are column[k][e * stride], k < corners.
bool fm_incidence_create(fm_cloth *c, int corners, int count, const int *const column[4],
                         int stride, fm_incidence *incidence, fm_error *err)
{
    size_t n = (size_t)c->count;
    incidence->start = fm_arena_alloc(&c->arena, n + 2, sizeof(int), c->object.name, err);
    incidence->entry = fm_arena_alloc(&c->arena, (size_t)corners * (size_t)count, sizeof(int),
                                      c->object.name, err);
    if (err->status != FM_OK)
        return false;
    int *start = incidence->start + 1; // shifted by one: filling moves each start to its place
    for (int e = 0; e < count; e++) {
        for (int k = 0; k < corners; k++)
            start[column[k][(size_t)e * stride] + 1]++;
    }
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (int e = 0; e < count; e++) {
        for (int k = 0; k < corners; k++)
            incidence->entry[start[column[k][(size_t)e * stride]]++] = corners * e + k;
    }
    return true;
}

// Lists the edges, hinges and triangles at each particle, and computes the mean rest length and the
// smallest mass. False if memory runs out.
bool fm_spring_mesh_link_particles(fm_cloth *c, fm_error *err)
{
    fm_spring_mesh *mesh = &c->mesh;
    const int *const ends[4] = {mesh->edge_a, mesh->edge_b};
    const int *const hinge[4] = {mesh->hinge[0], mesh->hinge[1], mesh->hinge[2], mesh->hinge[3]};
    const int *const corner[4] = {mesh->triangle, mesh->triangle + 1, mesh->triangle + 2};
    double rest_sum = 0;
    int stretch_edges = 0;
    for (int e = 0; e < mesh->edge_count; e++) {
        rest_sum += mesh->edge_kind[e] == FM_EDGE_STRETCH ? mesh->edge_rest[e] : 0;
        stretch_edges += mesh->edge_kind[e] == FM_EDGE_STRETCH;
    }
    mesh->mean_rest = stretch_edges > 0 ? rest_sum / stretch_edges : 0;
    mesh->smallest_mass = c->mass[0];
    for (int i = 0; i < c->count; i++)
        mesh->smallest_mass = fmin(mesh->smallest_mass, c->mass[i]);
    return fm_incidence_create(c, 2, mesh->edge_count, ends, 1, &mesh->edges, err) &&
           fm_incidence_create(c, 4, mesh->hinge_count, hinge, 1, &mesh->hinges, err) &&
           fm_incidence_create(c, 3, mesh->triangle_count, corner, 3, &mesh->triangles, err);
}

// Adds edge_force to the particles [first, last): as it is at the first end of an edge, with the
// opposite sign at the second.
void fm_spring_mesh_gather_edges(const fm_cloth *c, const fm_vec3_array *target, int first,
                                 int last)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int i = first; i < last; i++) {
        fm_vec3 sum = fm_vec3_array_at(*target, i);
        for (int k = mesh->edges.start[i]; k < mesh->edges.start[i + 1]; k++) {
            int entry = mesh->edges.entry[k];
            sum = fm_add_scaled(sum, fm_vec3_array_at(mesh->edge_force, entry / 2),
                                entry % 2 ? -1 : 1);
        }
        target->x[i] = sum.x, target->y[i] = sum.y, target->z[i] = sum.z;
    }
}

// l/l0 - 1 of edge e.
static double measure_edge_stretch(const fm_cloth *c, int e)
{
    const fm_spring_mesh *mesh = &c->mesh;
    return fm_cloth_particle_distance(c, mesh->edge_a[e], mesh->edge_b[e]) / mesh->edge_rest[e] - 1;
}

// Adds all stretch edges of a tube or mesh to the extremes and sums.
void fm_spring_mesh_measure_stretch(const fm_cloth *c, fm_stretch_sum *sum)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int e = 0; e < mesh->edge_count; e++) {
        if (mesh->edge_kind[e] == FM_EDGE_STRETCH)
            fm_stretch_sum_add_edge(sum, measure_edge_stretch(c, e), mesh->edge_a[e],
                                    mesh->edge_b[e]);
    }
}

// Writes for each particle of a tube or mesh the largest l/l0 - 1 of its stretch edges.
void fm_spring_mesh_compute_stretch(const fm_cloth *c, double *stretch)
{
    const fm_spring_mesh *mesh = &c->mesh;
    for (int i = 0; i < c->count; i++) {
        stretch[i] = -1;
        for (int k = mesh->edges.start[i]; k < mesh->edges.start[i + 1]; k++) {
            int e = mesh->edges.entry[k] / 2;
            if (mesh->edge_kind[e] == FM_EDGE_STRETCH)
                stretch[i] = fmax(stretch[i], measure_edge_stretch(c, e));
        }
    }
}
