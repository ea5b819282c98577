// SPDX-License-Identifier: MIT
// fluidity.c: the force term of fluidity: smoothed particle hydrodynamics among the points of a soft
// body [MES], kernels and forces of [MCG03].
//
//     density     rho_i = sum_j m_j W_poly6(r_ij, R)                        eq. (2), with j = i
//     pressure    L_i = k (rho_i - rho_i0)                                  eq. (3)
//     force       F_i = beta m_i/rho_i (f_pressure + f_viscosity)
//       symmetric   f_pressure = -sum_j m_j (L_i + L_j)/(2 rho_j) grad W_spiky(r_ij, R)
//       printed     f_pressure = -sum_j m_j (L_i - L_j)/(2 rho_j) grad W_spiky(r_ij, R)   eq. (4)
//       f_viscosity = mu sum_j m_j (v_j - v_i)/rho_j laplacian W_viscosity(r_ij, R)       eq. (5)
//
//   R  m, radius, h_w in [MES]     r_ij  m, distance of the points i and j     m_j  kg, mass
//   rho_i0  density at the start, for each point its own     k  m^2/s^2     mu  viscosity
//
// The kernels are normalised in the plane (densities in kg/m^2, L in N/m, mu in N s/m) or in space
// (kg/m^3, Pa, Pa s). Equations (4) and (5) are forces per area or volume; m_i/rho_i is the area or
// volume of a point. With it the symmetric force of i on j is the opposite of that of j on i.
// With L_i - L_j both points are pushed in the same direction: momentum is not conserved, and
// uniform compression gives no force.
//
// Bound on omega^2, in the maximum norm, for densities up to twice those at the start. A displacement
// of at most 1 m of every point changes L_i by at most 2 k S_i, S_i = sum_j m_j |grad W_poly6|:
//
//     omega^2 <= beta max_i sum_j m_j/(rho_i rho_j) (k (S_i + S_j) |grad W| + k (rho_i + rho_j) |W''|)
//
// with W of the spiky kernel and |W''| its largest second derivative. The viscous force acts on
// velocities at mid-step; it needs h lambda <= 1 for its largest rate of decay lambda.
//
// [MCG03]: see docs/references.md.
#include "cloth/cloth.h"
#include "core/smoothing_kernels.h"

#include <math.h>

static const double SKIN = 0.4;           // of the neighbour list, in radii
static const double DEFAULT_RADIUS = 2.5; // in mean edges
static const double NEAREST = 1e-6;       // in radii: closer points have no direction

// Parameters and scratch of the term.
typedef struct fluidity {
    double radius;                  // m
    double poly6, spiky, laplacian; // factors of the kernels in these dimensions
    double *density, *pressure;     // of each point
    fm_neighbour_list near;
} fluidity;

static bool applies(const fm_cloth *c)
{
    return c->soft && c->soft->def.beta > 0;
}

// Factors so that W_poly6 = poly6 (1 - q^2)^3, grad W_spiky = spiky (1 - q)^2 e and the Laplacian of
// W_viscosity = laplacian (1 - q), with q = r/R and e the unit vector from j to i.
static void set_kernels(fluidity *f, int dimensions)
{
    double R = f->radius, volume = dimensions == 2 ? R * R : R * R * R;
    f->poly6 = fm_kernel_norm(FM_KERNEL_POLY6, dimensions) / volume;
    f->spiky = -3 * fm_kernel_norm(FM_KERNEL_SPIKY, dimensions) / (volume * R);
    f->laplacian = fm_kernel_norm(FM_KERNEL_VISCOSITY, dimensions) / (volume * R * R);
}

static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    const fm_soft_def *def = &c->soft->def;
    fluidity *f = fm_arena_alloc(&c->arena, 1, sizeof *f, c->object.name, err);
    if (!f)
        return false;
    f->radius =
        def->fluidity.radius > 0 ? def->fluidity.radius : DEFAULT_RADIUS * c->mesh.mean_rest;
    set_kernels(f, def->fluidity.dimensions);
    size_t lanes = (size_t)c->lanes;
    f->density = fm_arena_alloc(&c->arena, lanes, sizeof(double), c->object.name, err);
    f->pressure = fm_arena_alloc(&c->arena, lanes, sizeof(double), c->object.name, err);
    term->state = fm_arena_alloc(&c->arena, lanes, sizeof(double), c->object.name, err);
    term->state_count = c->count;
    term->data = f;
    return fm_neighbour_list_create(c, &f->near, f->radius, SKIN * f->radius, err);
}

// Arguments of the loops over particles.
typedef struct loop {
    fm_cloth *cloth;
    const fluidity *f;
    const fm_vec3_array *x, *v; // m, m/s
    double *rest;               // densities at the start
} loop;

static void compute_density_range(void *context, int first, int last)
{
    const loop *l = context;
    const fm_cloth *c = l->cloth;
    const fluidity *f = l->f;
    double square = f->radius * f->radius, scale = 1 / square;
    for (int i = first; i < last; i++) {
        double sum = c->mass[i];
        for (int e = f->near.start[i]; e < f->near.start[i + 1]; e++) {
            int j = f->near.partner[e];
            double rr = fm_distance_squared(l->x, i, j), u = 1 - rr * scale;
            sum += rr < square ? c->mass[j] * u * u * u : 0;
        }
        f->density[i] = f->poly6 * sum;
        f->pressure[i] = c->soft->def.fluidity.stiffness * (f->density[i] - l->rest[i]);
    }
}

// N, force on point i.
static fm_vec3 find_force(const loop *l, int i)
{
    const fm_cloth *c = l->cloth;
    const fluidity *f = l->f;
    const fm_soft_def *def = &c->soft->def;
    double sign = def->fluidity.form == FM_FLUIDITY_PRINTED ? -1 : 1;
    double square = f->radius * f->radius, mu = def->fluidity.viscosity * f->laplacian;
    fm_vec3 sum = {0, 0, 0}, x = fm_vec3_array_at(*l->x, i), v = fm_vec3_array_at(*l->v, i);
    for (int e = f->near.start[i]; e < f->near.start[i + 1]; e++) {
        int j = f->near.partner[e];
        double rr = fm_distance_squared(l->x, i, j);
        if (rr >= square)
            continue;
        double r = sqrt(rr), u = 1 - r / f->radius, volume = c->mass[j] / f->density[j];
        double push = -0.5 * (f->pressure[i] + sign * f->pressure[j]) * volume * f->spiky * u * u /
                      fmax(r, NEAREST * f->radius);
        double drag = mu * volume * u;
        sum = fm_add_scaled(sum, fm_sub(x, fm_vec3_array_at(*l->x, j)), push);
        sum = fm_add_scaled(sum, fm_sub(fm_vec3_array_at(*l->v, j), v), drag);
    }
    return fm_scale(sum, def->beta * c->mass[i] / f->density[i]);
}

static void add_range(void *context, int first, int last)
{
    const loop *l = context;
    fm_cloth *c = l->cloth;
    for (int i = first; i < last; i++) {
        fm_vec3 force = find_force(l, i);
        c->force.x[i] += force.x, c->force.y[i] += force.y, c->force.z[i] += force.z;
    }
}

// Computes the densities at positions x, and before the first advance takes them as those of the
// start.
static void compute_densities(const loop *l, fm_term *term, fm_pool *pool)
{
    fm_cloth *c = l->cloth;
    fluidity *f = term->data;
    fm_neighbour_list_update(c, &f->near, l->x, NULL, pool);
    fm_parallel_for(pool, c->count, FM_PARTICLE_BLOCK, compute_density_range, (void *)l);
    for (int i = 0; i < c->count && !c->started; i++)
        l->rest[i] = f->density[i], f->pressure[i] = 0;
}

static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    loop l = {c, term->data, at->x, at->v, term->state};
    compute_densities(&l, term, at->pool);
    fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, add_range, &l);
}

void fm_fluidity_read_density(fm_cloth *c, double *density)
{
    fm_term *term = (fm_term *)fm_cloth_find_term(c, &fm_fluidity_term);
    if (!term) {
        memset(density, 0, (size_t)c->count * sizeof *density);
        return;
    }
    loop l = {c, term->data, &c->x, &c->v, term->state};
    compute_densities(&l, term, NULL);
    memcpy(density, l.f->density, (size_t)c->count * sizeof *density);
}

// Row sums for the bound of one point: pressure, 1/s^2, and viscosity, 1/s.
typedef struct rates {
    double pressure, viscosity;
} rates;

// slope: S_i of each point.
static rates sum_rates(const loop *l, const double *slope, int i)
{
    const fm_cloth *c = l->cloth;
    const fluidity *f = l->f;
    double R = f->radius, k = c->soft->def.fluidity.stiffness;
    double mu = c->soft->def.fluidity.viscosity * f->laplacian;
    rates sum = {0, 0};
    for (int e = f->near.start[i]; e < f->near.start[i + 1]; e++) {
        int j = f->near.partner[e];
        double q = sqrt(fm_distance_squared(l->x, i, j)) / R, u = fmax(0, 1 - q);
        double share = c->mass[j] / (f->density[i] * f->density[j]);
        double gradient = fabs(f->spiky) * u * u;
        double second = fabs(f->spiky) * fmax(2 * u, u * u / fmax(q, 0.1)) / R;
        sum.pressure +=
            share * k *
            ((slope[i] + slope[j]) * gradient + (f->density[i] + f->density[j]) * second);
        sum.viscosity += 2 * share * mu * u;
    }
    return sum;
}

// Uses `pressure` as scratch for the slopes S_i.
static fm_term_bound bound(const fm_cloth *cloth, const fm_term *term)
{
    const double LONGEST = 1.5; // largest omega h of the substep: h = LONGEST / omega
    fm_cloth *c = (fm_cloth *)cloth;
    fluidity *f = term->data;
    loop l = {c, f, &c->x, &c->v, term->state};
    compute_densities(&l, (fm_term *)term, NULL);
    double R = f->radius, *slope = f->pressure;
    for (int i = 0; i < c->count; i++) {
        slope[i] = 0;
        for (int e = f->near.start[i]; e < f->near.start[i + 1]; e++) {
            int j = f->near.partner[e];
            double q = sqrt(fm_distance_squared(l.x, i, j)) / R, u = fmax(0, 1 - q * q);
            slope[i] += c->mass[j] * f->poly6 * 6 * q * u * u / R;
        }
    }
    rates largest = {0, 0};
    for (int i = 0; i < c->count; i++) {
        rates row = sum_rates(&l, slope, i);
        largest.pressure = fmax(largest.pressure, row.pressure);
        largest.viscosity = fmax(largest.viscosity, row.viscosity);
    }
    double beta = c->soft->def.beta, viscous = LONGEST * beta * largest.viscosity;
    return (fm_term_bound){.fixed = beta * largest.pressure + viscous * viscous};
}

const fm_term_type fm_fluidity_term = {
    .name = "fluidity",
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .bound = bound,
};
