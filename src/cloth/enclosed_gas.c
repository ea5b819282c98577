// SPDX-License-Identifier: MIT
// enclosed_gas.c: the force term of the gas inside a soft body.
//
// The gas pushes along the gradient of the enclosed volume:
//
//     F_i = gamma (p + (rho_g - rho) g . (x_i - x_c)) dV/dx_i
//     V = 1/6 sum over triangles x_a . (x_b x x_c),    dV/dx_i = 1/3 sum of area vectors at i
//
// The volume is a cubic function of the positions. On a closed mesh a third of the area vectors of
// the triangles at a point is its exact gradient: the terms that area vectors have besides
// 1/6 x_b x x_c cancel around the point.
//
//     sealed      p = G/V - p_a,    dG/dt = pump flow - leak p     (isothermal)
//     constant    p is given
//
//   p    Pa, over-pressure     p_a  Pa, ambient pressure at the centre of the body
//   G    Pa m^3, amount of gas: absolute pressure times volume; the state of the term
//   rho_g, rho   kg/m^3, density of the gas and of the medium     g  m/s^2, gravity times delta
//   x_c  m, mean position of the points
//
// The term with g is the weight of the gas and the buoyancy of the body: pressures inside and
// outside grow with the depth. Summed over the points it is exactly (rho_g - rho) V g. It is left
// out in a simulated fluid, which presses on the surface itself. The gas has no inertia.
//
// Largest omega^2: the volume resists a change by (p_a + p)/V (dV)^2, a stiffness of rank one, so
//
//     omega^2 <= gamma ((p_a + p)/V sum_i |dV/dx_i|^2 / m_i + p max_i (perimeter_i / (3 m_i)))
//
// where the second part bounds the row sums of p d^2V/dx^2: the block of two neighbours i and j is
// p/6 times the vector between the two points opposite to their edge.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

enum { AMOUNT, TIME, STATE_COUNT };      // numbers of the state
static const double LEAST_VOLUME = 1e-3; // of the initial volume: keeps G/V finite
static const double GROWTH = 2;          // the first part of the bound grows with the diameter

// Soft bodies with gas have this term.
static bool applies(const fm_cloth *c)
{
    return c->soft && c->soft->def.gas.kind != FM_GAS_NONE;
}

// Arguments of the loops over triangles and particles.
typedef struct gas {
    fm_cloth *cloth;
    const fm_vec3_array *x; // m, positions
    double pressure;        // Pa, gamma p at the centre
    fm_vec3 gradient;       // Pa/m, of the pressure difference
    fm_vec3 centre;         // m
} gas;

// m^3, volume of the tetrahedra of the triangles [first, last) with particle 0.
static double sum_volumes(void *context, int first, int last)
{
    const gas *g = context;
    const fm_spring_mesh *mesh = &g->cloth->mesh;
    fm_vec3 origin = fm_vec3_array_at(*g->x, 0);
    double sum = 0;
    for (int t = first; t < last; t++) {
        fm_vec3 corner = fm_vec3_array_at(*g->x, mesh->triangle[3 * (size_t)t]);
        sum += fm_dot(fm_sub(corner, origin), fm_vec3_array_at(mesh->area_vector, t));
    }
    return sum / 3;
}

// m^3, the volume from the area vectors at positions x, which must have been computed.
double fm_soft_compute_volume(fm_cloth *c, const fm_vec3_array *x, fm_pool *pool)
{
    gas g = {.cloth = c, .x = x};
    return fm_parallel_sum(pool, c->mesh.triangle_count, FM_ELEMENT_BLOCK, sum_volumes, &g,
                           c->soft->partial);
}

// Pa, of the gas G in the volume V.
static double find_pressure(const fm_soft *soft, double amount, double volume)
{
    if (soft->def.gas.kind == FM_GAS_CONSTANT)
        return soft->def.gas.pressure;
    return amount / fmax(volume, LEAST_VOLUME * soft->volume) - soft->def.gas.ambient;
}

// Pa m^3, amount of gas; 0 without gas.
double fm_soft_gas_amount(const fm_cloth *c)
{
    const fm_term *term = fm_cloth_find_term(c, &fm_gas_term);
    return term ? term->state[AMOUNT] : 0;
}

// Pa, over-pressure of the gas at this volume; 0 without gas.
double fm_soft_over_pressure(const fm_cloth *c, double volume)
{
    return applies(c) ? find_pressure(c->soft, fm_soft_gas_amount(c), volume) : 0;
}

// Allocates the state and sets the amount of gas at the start, absolute pressure times volume,
// Pa m^3.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    const fm_soft *soft = c->soft;
    term->state = fm_arena_alloc(&c->arena, STATE_COUNT, sizeof *term->state, c->object.name, err);
    if (!term->state)
        return false;
    term->state_count = STATE_COUNT;
    term->state[AMOUNT] = (soft->def.gas.ambient + soft->def.gas.pressure) * soft->volume;
    return true;
}

// Lets gas in by the pump and out by the leak until time t, by the implicit Euler method.
static void exchange_gas(const fm_cloth *c, fm_term *term, double t, double volume)
{
    const fm_soft_def *def = &c->soft->def;
    double *state = term->state, V = fmax(volume, LEAST_VOLUME * c->soft->volume);
    double dt = c->started ? t - state[TIME] : 0;
    if (def->gas.kind == FM_GAS_SEALED && dt > 0) {
        double full = (def->gas.pump.limit + def->gas.ambient) * V;
        bool on = def->gas.pump.flow > 0 && t > def->gas.pump.start && t <= def->gas.pump.end &&
                  state[AMOUNT] < full;
        double flow = (on ? def->gas.pump.flow : 0) + def->gas.leak * def->gas.ambient;
        double amount = (state[AMOUNT] + dt * flow) / (1 + dt * def->gas.leak / V);
        state[AMOUNT] = on ? fmin(amount, full) : amount;
    }
    if (dt > 0 || !c->started)
        state[TIME] = t;
}

// m, mean position of the points.
static fm_vec3 find_centre(const fm_cloth *c, const fm_vec3_array *x)
{
    fm_vec3 sum = {0, 0, 0};
    for (int i = 0; i < c->count; i++)
        sum = fm_add(sum, fm_vec3_array_at(*x, i));
    return fm_scale(sum, 1.0 / c->count);
}

// Adds the force of the gas to the particles [first, last).
static void add_range(void *context, int first, int last)
{
    const gas *g = context;
    fm_cloth *c = g->cloth;
    for (int i = first; i < last; i++) {
        fm_vec3 x = fm_vec3_array_at(*g->x, i);
        double p = g->pressure + fm_dot(g->gradient, fm_sub(x, g->centre));
        fm_vec3 f = fm_scale(fm_mesh_sum_area_vectors(c, i), p / 3);
        c->force.x[i] += f.x, c->force.y[i] += f.y, c->force.z[i] += f.z;
    }
}

// The area vectors at these positions have been computed with the elements of other terms.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    const fm_soft_def *def = &c->soft->def;
    double volume = fm_soft_compute_volume(c, at->x, at->pool);
    exchange_gas(c, term, at->t, volume);
    const fm_substep *s = c->substep;
    double heavier = c->samples ? 0 : def->gas.density - s->around.medium.density; // kg/m^3
    gas g = {.cloth = c,
             .x = at->x,
             .pressure = def->gamma * find_pressure(c->soft, term->state[AMOUNT], volume),
             .gradient = fm_scale(s->weight.gravity, def->gamma * heavier)};
    if (fm_dot(g.gradient, g.gradient) > 0)
        g.centre = find_centre(c, at->x);
    fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, add_range, &g);
}

// m, sum of the lengths of the edges opposite to a particle in its triangles.
static double find_perimeter(const fm_cloth *c, int i)
{
    const fm_spring_mesh *mesh = &c->mesh;
    double sum = 0;
    for (int k = mesh->triangles.start[i]; k < mesh->triangles.start[i + 1]; k++) {
        int t = mesh->triangles.entry[k] / 3, corner = mesh->triangles.entry[k] % 3;
        const int *p = mesh->triangle + 3 * (size_t)t;
        sum += fm_cloth_particle_distance(c, p[(corner + 1) % 3], p[(corner + 2) % 3]);
    }
    return sum;
}

// The bound of the comment above, at the start, with the largest pressure of the pump.
static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    (void)term;
    const fm_soft_def *def = &c->soft->def;
    double p = fabs(def->gas.pressure), breathing = 0, widest = 0;
    bool sealed = def->gas.kind == FM_GAS_SEALED;
    if (sealed && def->gas.pump.flow > 0)
        p = fmax(p, def->gas.pump.limit);
    for (int i = 0; i < c->count; i++) {
        fm_vec3 gradient = fm_scale(fm_mesh_sum_area_vectors(c, i), 1.0 / 3);
        breathing += fm_dot(gradient, gradient) / c->mass[i];
        widest = fmax(widest, find_perimeter(c, i) / c->mass[i]);
    }
    double stiffness = sealed ? GROWTH * (def->gas.ambient + p) / c->soft->volume : 0; // Pa/m^3
    return (fm_term_bound){.fixed = def->gamma * (stiffness * breathing + p * widest / 3)};
}

// Work that the gas can still do, 0 at the initial volume; without its weight and buoyancy.
static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)around;
    const fm_soft *soft = c->soft;
    double V = fm_mesh_volume(c), change = V - soft->volume, spent = 0;
    if (soft->def.gas.kind == FM_GAS_SEALED) {
        spent = term->state[AMOUNT] * log(fmax(V / soft->volume, LEAST_VOLUME));
        change *= soft->def.gas.ambient;
    } else {
        change *= -soft->def.gas.pressure;
    }
    return (fm_energies){.potential = soft->def.gamma * (change - spent)};
}

const fm_term_type fm_gas_term = {
    .name = "gas",
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .bound = bound,
    .energy = energy,
};
