// SPDX-License-Identifier: MIT
// pressure_difference.c: a given pressure difference across a fabric (enclosed_gas.c: gas inside a
// closed surface).
//
// Each triangle gets the force p A n, a third of it at each corner:
//
//   p  Pa, pressure behind minus pressure in front     A n  m^2, area vector, to the front
#include "cloth/cloth.h"

// Fabrics with a pressure difference have this term.
static bool applies(const fm_cloth *c)
{
    return c->fabric && c->fabric->def.pressure != 0;
}

// m^2, sum of the area vectors of the triangles at a particle.
fm_vec3 fm_mesh_sum_area_vectors(const fm_cloth *c, int particle)
{
    const fm_spring_mesh *mesh = &c->mesh;
    fm_vec3 sum = {0, 0, 0};
    for (int k = mesh->triangles.start[particle]; k < mesh->triangles.start[particle + 1]; k++)
        sum = fm_add(sum, fm_vec3_array_at(mesh->area_vector, mesh->triangles.entry[k] / 3));
    return sum;
}

// N, force of the pressure difference on a particle; 0 without one.
fm_vec3 fm_pressure_force(const fm_cloth *c, int particle)
{
    fm_vec3 none = {0, 0, 0};
    return applies(c) ? fm_scale(fm_mesh_sum_area_vectors(c, particle), c->fabric->def.pressure / 3)
                      : none;
}

// Adds the forces to the particles [first, last).
static void add_range(void *context, int first, int last)
{
    fm_cloth *c = context;
    for (int i = first; i < last; i++) {
        fm_vec3 f = fm_pressure_force(c, i);
        c->force.x[i] += f.x, c->force.y[i] += f.y, c->force.z[i] += f.z;
    }
}

// The area vectors at these positions have been computed with the elements of other terms.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    (void)term;
    fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, add_range, c);
}

const fm_term_type fm_pressure_term = {
    .name = "pressure",
    .applies = applies,
    .add_forces = add_forces,
};
