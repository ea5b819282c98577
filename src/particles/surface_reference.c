// SPDX-License-Identifier: MIT
// surface_reference.c: the pressure that pairs of particles beside an immersed surface leave out.
//
// The force between two particles is proportional to p_i + p_j (forces.c). Where the particles are
// not on a lattice, such forces do not balance under a uniform pressure. Beside a surface, layers
// of particles on its two sides differ by some percent, and the forces on the two sides by as many
// percent of the pressure: at a depth of 0.1 m they held a free sheet of 10 kg/m^2, in deeper water
// a heavier one. Beside a surface with fluid on both sides, forces therefore act by the pressure
// minus a reference, which is linear in the position:
//
//     sample s               P_s = b (P_- + P_+) / 2,     G_s = b (g . n) n
//     pairs of s and i       p_i + p_side - 2 P_s - G_s . (x_i - x_s)
//     pairs of i and j       p_i + p_j - 2 P_i + G_i . (x_i - x_j)
//     P_i = sum_s w_is [P_s + G_s . (x_i - x_s)] / sum_s w_is,   G_i = sum_s w_is G_s / sum_s w_is
//
// The reference itself has the force -G_i on fluid particle i, per mass. On the sample it has only
// the buoyancy of the surface: along n, that of the rest of its volume balances the weight of the
// fluid in it (excess_mass, immersed_surfaces.c). Pairs of s and i remain antisymmetric. For pairs
// of i and j, momentum is balanced as described in forces.c. With the lower pressure of the two
// sides as the reference, drag across a stream is 1 % larger, but waves of a sheet of 0.05 kg/m^2
// are 5 to 8 % too fast and decay by 0.3 to 0.6 1/s.
//
//     b = clamp(2 a - 1) c,     clamp(x) = x, at least 0 and at most 1
//
// a is the share of the particles around s that are not beside a free surface, where P is zero and
// the reference would have to be zero as well. c is the clinging share of s: 0 unless fluid is
// on both sides (immersed_surfaces.c).
//
// With constant density, p is that of the last substep, p_side is as in sheet_pressure.c, and the
// reference is known before the solve. Without gravity, there is none.
//
//   p  pressure / rho0, m^2/s^2    P, G  reference and its gradient, m^2/s^2, m/s^2
//   w  volume of the sample times kernel    n  normal    g  gravity, m/s^2    x  position, m
#include "particles/surface_reference.h"

// Volume of a boundary particle times the Wendland kernel, without scale, at u = 1 - distance / R.
static double find_weight(const fm_force_record *record, double u)
{
    double u2 = u * u;
    return (double)record->V * u2 * u2 * (5 - 4 * u);
}

// Adds to the reference of particle i the force of the pairs with samples that it leaves out of its
// own sums: kernel gradients, and those times the linear part of the reference.
static void add_sample_gradients(const fm_particles *p, int i, const int *list, int count,
                                 fm_surface_reference *reference)
{
    const double inverse = 1 / p->R;
    for (int n = 0; n < count; n++) {
        int k;
        if (!fm_immersed_surfaces_find_active(p, list[n], &k))
            continue;
        fm_vec3 r = fm_boundary_find_offset(p, list[n], i);
        double u = fmax(0, 1 - fm_length(r) * inverse);
        double a = -20 * u * u * u * (double)p->boundary.force[list[n]].V;
        reference->gradient = fm_add_scaled(reference->gradient, r, a);
        reference->linear = fm_add_scaled(reference->linear, r, a * fm_dot(reference->slope, r));
    }
}

// Sets the reference of a sample from its kernel sums. inside: share of the particles around that
// are not beside a free surface; clinging: its clinging share.
void fm_surface_reference_set(fm_sample_sums *v, fm_vec3 normal, fm_vec3 g, double inside,
                              double clinging)
{
    v->submerged = fmax(0, 2 * inside - 1) * clinging;
    v->reference = v->submerged * (v->P[0] + v->P[1]) / 2;
    v->reference_slope = fm_scale(normal, v->submerged * fm_dot(g, normal));
}

// Weight of the fluid in the excess volume of sample k, N, without the part that the reference
// carries, and the buoyancy of the surface in the reference. v: kernel sums of the sample.
fm_vec3 fm_surface_reference_find_weight(const fm_particles_step *step, const fm_samples *s, int k,
                                         const fm_sample_sums *v)
{
    double displaced = step->p->def.density * s->area[k] * s->thickness; // kg
    fm_vec3 weight = fm_scale(step->around->gravity, s->excess_mass[k]);
    return v->sum > 0 ? fm_add_scaled(weight, v->reference_slope, -(s->excess_mass[k] + displaced))
                      : weight;
}

// The reference at fluid particle i, as at the head of this file. The share is 0 if no surface with
// fluid on both sides is near, or if the particle is beside a free surface or a ball with a mass,
// whose forces need the whole pressure.
static fm_surface_reference find_reference(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    const double inverse = 1 / p->R;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding, k;
    fm_surface_reference found = {0};
    if (p->near_boundary_count[i] == 0 ||
        atomic_load_explicit(&p->beside_surface[i], memory_order_relaxed))
        return found;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    double sum = 0;
    for (int n = 0; n < count - padding; n++) {
        const fm_collider *collider = fm_boundary_collider(step, list[n]);
        if (collider && collider->rigid)
            return (fm_surface_reference){0};
        if (!fm_immersed_surfaces_find_active(p, list[n], &k))
            continue;
        const fm_sample_sums *s = &p->sample_sums[list[n]];
        fm_vec3 r = fm_boundary_find_offset(p, list[n], i);
        double w = find_weight(&p->boundary.force[list[n]], fmax(0, 1 - fm_length(r) * inverse));
        sum += w;
        found.share += w * s->submerged;
        found.P += w * (s->reference + fm_dot(s->reference_slope, r));
        found.slope = fm_add_scaled(found.slope, s->reference_slope, w);
    }
    if (!(found.share > 0))
        return (fm_surface_reference){0};
    found.share /= sum;
    found.P /= sum;
    found.slope = fm_scale(found.slope, 1 / sum);
    add_sample_gradients(p, i, list, count - padding, &found);
    return found;
}

// Finds the references of the fluid particles first to below last.
static void find_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        p->surface_reference[i] = find_reference(context, i);
        p->strain[i].undamped = (float)p->surface_reference[i].share;
    }
}

// Finds the references of all fluid particles from those of the samples: with particle shifting, in
// the weakly compressible method and, under gravity, beside two-way sheets with constant density.
void fm_surface_reference_find(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    bool weak = p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE && p->def.shifting > 0;
    bool constant = p->sheet && fm_length(step->around->gravity) > 0;
    if (!weak && !constant)
        return;
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, find_range, (void *)step);
    for (int w = 0; w < p->wet_count && p->ghost_strain; w++)
        if (fm_boundary_is_ghost(p, p->wet[w]))
            p->ghost_strain[p->wet[w]].undamped =
                p->strain[p->identity[p->wet[w]].owner.index].undamped;
}
