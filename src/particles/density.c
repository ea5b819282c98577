// SPDX-License-Identifier: MIT
// density.c: density of the fluid at each particle, and pressure by the equation of state.
//
// The weakly compressible method integrates the rate of change of s = rho/rho0 - 1, with density
// diffusion [MAR11] of the part of s that is not linear in the position:
//
//     ds_i/dt = sum_j V_j F_ij [(v_i - v_j) . r_ij + 2 delta h c (s_i - s_j - G_i . r_ij)]
//
// G_i is the gradient of s by least squares (local_gradients.h). Where it is not known or not
// needed (fm_particles_needs_gradients), it is that of fluid at rest, g / c^2 [FOU19], and in
// fluids with surface tension as well: the sum of s is then conserved. With G_i it grows in small
// drops, whose pressure comes to many times that of surface tension.
//
// Particles near a free edge of an immersed surface skip the diffusion, which would carry pressure
// around the edge from one side to the other: with it, a sheet across a slow stream has 4 to 7 %
// less drag.
//
// Integrating the rate keeps the density right at free surfaces, where a kernel sum is too small.
// The other methods use the kernel sum [MCG03] eq. (3), over fluid and boundary particles:
//
//     s_i = sum_j V_j W_ij - 1
//
// Equation of state: P = k s, with k = c^2 or the stiffness of the standard method. In the weakly
// compressible method, negative P is set to 0 at free surfaces (fill below FM_SURFACE_FILL) and in
// crowded fluid (fill above FM_CLUMP_FILL), but for viscous liquids not at walls: the pressure of
// the air holds films there, and without suction every disturbance pushes them away. Spray has s =
// 0 and so no pressure: with pressure, walls would reflect it faster than it came.
//
//   W_ij  kernel, 1/m^d     F_ij r_ij  its gradient at i      V_j  volume of j at rest, m^d
//   h     half the support, m       c  speed of sound, m/s    delta  diffusion, dimensionless
//   g     gravity, m/s^2            fill  sum_j V_j W_ij, 1 inside fluid at rest
//
// [MAR11], [FOU19], [MCG03] in docs/references.md
#include "particles/local_gradients.h"

static const double HOLDING_RATE = 2;   // 1/s, viscosity / density / spacing^2 of viscous liquids
static const double HOLDING_FILL = 0.1; // least fill by walls at which suction holds a particle

// Sums over the neighbours of a particle: of V w, and of the rate of change of s = rho/rho0 - 1,
// 1/s, divided by the gradient scale p->F.
typedef struct density_sums {
    fm_floats fill, rate;
} density_sums;

// Constants of the loop over pairs; symbols as at the head of this file.
typedef struct density_constants {
    float inverse;     // 1/m, 1 / R, R: support radius
    float diffusion;   // m^2/s, 2 delta h c
    float gradient[3]; // 1/m, of s: by least squares, or g / c^2
    bool poly6;        // kernel of [MCG03] instead of Wendland's
    bool rate;         // compute the rate of change of the density, too
} density_constants;

// Adds eight neighbours j of particle i. Density diffusion skips boundary particles, which have no
// density.
FM_INLINE void add_octet(density_sums *sum, const density_constants *k, const fm_density_record *i,
                         const fm_density_octet *j, bool boundary)
{
    fm_floats dx = i->x - j->x, dy = i->y - j->y, dz = i->z - j->z;
    fm_floats q = fm_floats_sqrt(dx * dx + dy * dy + dz * dz) * k->inverse;
    fm_floats w = k->poly6 ? fm_kernel_poly6(q) : fm_kernel_wendland(q);
    sum->fill += j->V * w;
    if (!k->rate)
        return;
    fm_floats approach = (i->vx - j->vx) * dx + (i->vy - j->vy) * dy + (i->vz - j->vz) * dz;
    fm_floats excess =
        i->s - j->s - (k->gradient[0] * dx + k->gradient[1] * dy + k->gradient[2] * dz);
    if (boundary)
        excess = fm_floats_select(j->s == j->s, excess); // NOLINT: 0 where s is NaN
    sum->rate += j->V * fm_kernel_wendland_slope(q) * (approach + k->diffusion * excess);
}

// Neighbourhood is symmetric, so a particle at the free surface can mark all particles that have it
// as a neighbour. Threads may store the same 1 in any order.
static void mark_neighbours_beside_surface(fm_particles *p, int i)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
    for (int k = 0; k < count; k++)
        atomic_store_explicit(&p->beside_surface[list[k]], 1, memory_order_relaxed);
}

// True if suction may hold particle i: in viscous liquids, at walls and colliders. In a film of one
// particle, the wall makes up for the missing neighbours on one side.
static bool is_held_by_wall(const fm_particles *p, int i)
{
    const fm_density_record *at = &p->fluid.density[i];
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    double sum = 0;
    for (int k = 0; k < count - padding; k++) {
        const fm_density_record *j = &p->boundary.density[list[k]];
        double x = (double)(at->x - j->x), y = (double)(at->y - j->y), z = (double)(at->z - j->z);
        double q = sqrt(x * x + y * y + z * z) / p->R;
        if (q < 1 && !fm_boundary_is_ghost(p, list[k]))
            sum += (double)j->V * fm_kernel_shape(FM_KERNEL_WENDLAND, q);
    }
    return (double)p->W * sum > HOLDING_FILL;
}

// Computes the fill (kernel sum), s = rho/rho0 - 1 and P of the particles first to below last.
// poly6: kernel of [MCG03] instead of Wendland's; rate: integrate the rate of change of s instead
// of using the kernel sum.
FM_INLINE void compute_range(const fm_particles_step *step, int first, int last, bool poly6,
                             bool rate)
{
    fm_particles *p = step->p;
    const fm_particles_def *def = &p->def;
    const fm_vec3 g = step->around->gravity;
    const double c2 = p->c * p->c;
    const float diffusion = (float)(2 * def->diffusion * p->R / 2 * p->c);
    const float rest[3] = {(float)(g.x / c2), (float)(g.y / c2), (float)(g.z / c2)};
    density_constants k = {
        .inverse = (float)(1 / p->R),
        .gradient = {rest[0], rest[1], rest[2]},
        .poly6 = poly6,
        .rate = rate,
    };
    const bool sloped = !poly6 && fm_particles_needs_gradients(p);
    const bool flat = def->dimensions == 2, balanced = def->surface_tension > 0;
    const bool viscous = def->viscosity / def->density > HOLDING_RATE * def->spacing * def->spacing;
    const float V = (float)p->volume, h = (float)step->h, stiffness = (float)c2;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding, boundary_padding;
    for (int i = first; i < last; i++) {
        const fm_density_record *at = &p->fluid.density[i];
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        density_sums sum = {0};
        k.diffusion =
            p->surface_count > 0 && fm_immersed_surfaces_is_near_free_edge(p, i) ? 0 : diffusion;
        if (sloped) {
            fm_gradients found = flat ? fm_gradients_find(p, i, list, count, true)
                                      : fm_gradients_find(p, i, list, count, false);
            p->strain[i] = found.strain;
            if (p->spin)
                memcpy(p->spin[i].u, found.spin, sizeof found.spin);
            p->pressure_gradient[i] = (fm_pressure_slope){
                stiffness * found.s[0], stiffness * found.s[1], stiffness * found.s[2]};
            for (int axis = 0; axis < 3; axis++)
                k.gradient[axis] = found.known && !balanced ? found.s[axis] : rest[axis];
        }
        for (int b = 0; b < count; b += 8) {
            fm_density_octet j = fm_records_load_density(p->fluid.density, list + b, 0);
            add_octet(&sum, &k, at, &j, false);
        }
        // each padding entry repeats the particle itself and added V w(0) = V
        float fluid_fill = p->W * (fm_floats_sum(sum.fill) - (float)padding * V);
        sum.fill = (fm_floats){0};
        list = fm_neighbours_in_boundary(p, i, buffer, &count, &boundary_padding);
        for (int b = 0; b < count; b += 8) {
            int repeated = b + 8 == count ? boundary_padding : 0;
            fm_density_octet j = fm_records_load_density(p->boundary.density, list + b, repeated);
            add_octet(&sum, &k, at, &j, true);
        }
        float fill = fluid_fill + p->W * fm_floats_sum(sum.fill);
        p->fill[i] = fill;
        if (!poly6 && fill < p->surface_fill && p->count < p->full_count)
            mark_neighbours_beside_surface(p, i);
        float s = fill - 1;
        if (rate) {
            float ds = p->F * fm_floats_sum(sum.rate);
            s = fluid_fill < p->self_fill + FM_SPRAY_FILL ? 0 : at->s + h * ds;
        }
        p->s_next[i] = s;
        bool at_surface_or_crowded = fill < FM_SURFACE_FILL || fill > FM_CLUMP_FILL;
        bool slack = rate && s < 0 && at_surface_or_crowded &&
                     !(viscous && fill < FM_SURFACE_FILL && is_held_by_wall(p, i));
        p->P[i] = stiffness * (slack ? 0 : s);
    }
}

// Weakly compressible method: density from its integrated rate of change.
FM_SIMD_CLONES static void compute_rates(void *context, int first, int last)
{
    const bool poly6 = false, rate = true;
    compute_range(context, first, last, poly6, rate);
}

// Constant-density method: density from the kernel sum.
FM_SIMD_CLONES static void compute_sums(void *context, int first, int last)
{
    const bool poly6 = false, rate = false;
    compute_range(context, first, last, poly6, rate);
}

// Standard method: density from the sum with the kernel of [MCG03].
FM_SIMD_CLONES static void compute_published_sums(void *context, int first, int last)
{
    const bool poly6 = true, rate = false;
    compute_range(context, first, last, poly6, rate);
}

// Stores the new densities s = rho/rho0 - 1 and fills the force records, after all particles have
// read the old densities.
static void store_results(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        p->now.s[i] = p->s_next[i];
        const fm_density_record *record = &p->fluid.density[i];
        float V = (float)p->volume * fm_particles_volume_ratio(p, p->P[i]);
        p->fluid.force[i] = (fm_force_record){record->x,  record->y,  record->z,  p->P[i],
                                              record->vx, record->vy, record->vz, V};
    }
}

// Computes the densities of all particles with one of the three methods above, then stores them.
static void compute_for_all(const fm_particles_step *step, fm_range_body *body)
{
    fm_particles *p = step->p;
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, body, (void *)step);
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, store_results, (void *)step);
}

// Density of all particles from its integrated rate of change (weakly compressible method).
void fm_density_integrate_rate(const fm_particles_step *step)
{
    compute_for_all(step, compute_rates);
}

// Density of all particles from the kernel sum (constant-density method).
void fm_density_compute_sum(const fm_particles_step *step)
{
    compute_for_all(step, compute_sums);
}

// Density of all particles from the sum with the kernel of [MCG03] (standard method).
void fm_density_compute_published_sum(const fm_particles_step *step)
{
    compute_for_all(step, compute_published_sums);
}
