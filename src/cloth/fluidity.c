// SPDX-License-Identifier: MIT
// fluidity.c: the force term of fluidity: smoothed particle hydrodynamics among the points of a
// soft body [MES], kernels and forces of [MCG03].
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
// Bound on omega^2: the largest eigenvalue of the forces, linearised about the start by central
// differences, from ITERATIONS power iterations, times RESERVE. On a slab and on a sheet the
// eigenvalue grows by 1.7 and 2.3 when the density doubles. The viscous force acts on velocities at
// mid-step; it needs h lambda <= 1 for its largest rate of decay lambda.
//
// [MCG03]: see docs/references.md.
#include "cloth/cloth.h"
#include "core/smoothing_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SKIN = 0.4;           // of the neighbour list, in radii
static const double DEFAULT_RADIUS = 2.5; // in mean edges
static const double RESERVE = 2;          // on the eigenvalue at the start
enum { ITERATIONS = 30 };
static const double NEAREST = 1e-6; // in radii: closer points have no direction

// Parameters and scratch of the term.
typedef struct fluidity {
    double radius;                  // m
    double poly6, spiky, laplacian; // factors of the kernels in these dimensions
    double *density, *pressure;     // of each point
    double *volume;                 // m^2 or m^3, of each point: mass over density
    fm_neighbour_list near;
    double bound; // 1/s^2, on omega^2
} fluidity;

static bool applies(const fm_cloth *c)
{
    return c->soft && c->soft->def.beta > 0;
}

// Factors so that W_poly6 = poly6 (1 - q^2)^3, grad W_spiky = spiky (1 - q)^2 e and the Laplacian
// of W_viscosity = laplacian (1 - q), with q = r/R and e the unit vector from j to i.
static void set_kernels(fluidity *f, int dimensions)
{
    double R = f->radius, volume = dimensions == 2 ? R * R : R * R * R;
    f->poly6 = fm_kernel_norm(FM_KERNEL_POLY6, dimensions) / volume;
    f->spiky = -3 * fm_kernel_norm(FM_KERNEL_SPIKY, dimensions) / (volume * R);
    f->laplacian = fm_kernel_norm(FM_KERNEL_VISCOSITY, dimensions) / (volume * R * R);
}

// Arguments of the loops over particles.
typedef struct loop {
    fm_cloth *cloth;
    const fluidity *f;
    const fm_vec3_array *x, *v; // m, m/s
    double *rest;               // densities at the start
} loop;

// Density, area or volume, and pressure of the points [first, last).
static void compute_density_range(void *context, int first, int last)
{
    const loop *l = context;
    const fm_cloth *c = l->cloth;
    const fluidity *f = l->f;
    double square = f->radius * f->radius, scale = 1 / square;
    for (int i = first; i < last; i++) {
        double sum = c->mass[i];
        const int *partner = fm_neighbour_list_partners(&f->near, i);
        for (int e = 0; e < f->near.counts[i]; e++) {
            int j = partner[e];
            double rr = fm_distance_squared(l->x, i, j), u = 1 - rr * scale;
            sum += rr < square ? c->mass[j] * u * u * u : 0;
        }
        f->density[i] = f->poly6 * sum;
        f->volume[i] = c->mass[i] / f->density[i];
        f->pressure[i] = c->soft->def.fluidity.stiffness * (f->density[i] - l->rest[i]);
    }
}

// N, force on point i.
static fm_vec3 find_force(const loop *l, int i)
{
    const fluidity *f = l->f;
    const fm_soft_def *def = &l->cloth->soft->def;
    const double *x = l->x->x, *y = l->x->y, *z = l->x->z;
    double sign = def->fluidity.form == FM_FLUIDITY_PRINTED ? -1 : 1;
    double square = f->radius * f->radius, scale = 1 / f->radius, near = NEAREST * f->radius;
    double mu = def->fluidity.viscosity * f->laplacian, L = f->pressure[i];
    fm_vec3 sum = {0, 0, 0}, drag = {0, 0, 0}, v = fm_vec3_array_at(*l->v, i);
    const int *partner = fm_neighbour_list_partners(&f->near, i);
    for (int e = 0; e < f->near.counts[i]; e++) {
        int j = partner[e];
        double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
        double rr = dx * dx + dy * dy + dz * dz;
        if (rr >= square)
            continue;
        double r = sqrt(rr), u = 1 - r * scale;
        double push = (L + sign * f->pressure[j]) * f->volume[j] * u * u / fmax(r, near);
        sum.x += push * dx, sum.y += push * dy, sum.z += push * dz;
        if (mu > 0)
            drag = fm_add_scaled(drag, fm_sub(fm_vec3_array_at(*l->v, j), v), f->volume[j] * u);
    }
    fm_vec3 force = fm_add_scaled(fm_scale(drag, mu), sum, -0.5 * f->spiky);
    return fm_scale(force, def->beta * f->volume[i]);
}

// Adds the forces on the points [first, last).
static void add_range(void *context, int first, int last)
{
    const loop *l = context;
    fm_cloth *c = l->cloth;
    for (int i = first; i < last; i++) {
        fm_vec3 force = find_force(l, i);
        c->force.x[i] += force.x, c->force.y[i] += force.y, c->force.z[i] += force.z;
    }
}

// Computes densities, pressures and volumes at positions x.
static void compute_densities(const loop *l, fm_term *term, fm_pool *pool)
{
    fm_cloth *c = l->cloth;
    fluidity *f = term->data;
    fm_neighbour_list_update(c, &f->near, l->x, NULL, pool);
    fm_parallel_for(pool, c->count, FM_PARTICLE_BLOCK, compute_density_range, (void *)l);
}

// Takes the present densities as the rest densities, at which the pressure is 0.
static void store_rest_densities(const loop *l)
{
    for (int i = 0; i < l->cloth->count; i++)
        l->rest[i] = l->f->density[i], l->f->pressure[i] = 0;
}

// Adds the forces at positions at->x.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    loop l = {c, term->data, at->x, at->v, term->state};
    compute_densities(&l, term, at->pool);
    fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, add_range, &l);
}

// Densities at the present positions; 0 without fluidity.
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

// 1/s, largest rate at which viscosity slows down a point: a bound in the maximum norm.
static double find_viscous_rate(const loop *l)
{
    const fm_cloth *c = l->cloth;
    const fluidity *f = l->f;
    double mu = c->soft->def.fluidity.viscosity * f->laplacian, largest = 0;
    for (int i = 0; i < c->count; i++) {
        double sum = 0;
        const int *partner = fm_neighbour_list_partners(&f->near, i);
        for (int e = 0; e < f->near.counts[i]; e++) {
            int j = partner[e];
            double q = sqrt(fm_distance_squared(l->x, i, j)) / f->radius;
            sum += f->volume[j] * fmax(0, 1 - q);
        }
        largest = fmax(largest, 2 * mu * sum / f->density[i]);
    }
    return largest;
}

// Accelerations per metre of the displacements d, by central differences, into `a`. Returns their
// norm. The positions of the cloth are restored.
static double apply_linear_forces(const loop *l, fm_term *term, const fm_vec3 *d, fm_vec3 *a)
{
    fm_cloth *c = l->cloth;
    double step = 1e-5 * l->f->radius, squares = 0;
    for (int i = 0; i < c->count; i++)
        a[i] = (fm_vec3){0, 0, 0};
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < c->count; i++) {
            fm_vec3 x = fm_add_scaled(c->initial_x[i], d[i], side * step);
            c->x.x[i] = x.x, c->x.y[i] = x.y, c->x.z[i] = x.z;
        }
        compute_densities(l, term, NULL);
        for (int i = 0; i < c->count; i++)
            a[i] = fm_add_scaled(a[i], find_force(l, i), side / (2 * step * c->mass[i]));
    }
    for (int i = 0; i < c->count; i++) {
        fm_vec3 x = c->initial_x[i];
        c->x.x[i] = x.x, c->x.y[i] = x.y, c->x.z[i] = x.z;
        squares += fm_dot(a[i], a[i]);
    }
    return sqrt(squares);
}

// 1/s^2, largest eigenvalue of the linearised forces, by power iterations from a fixed start.
static bool find_eigenvalue(const loop *l, fm_term *term, double *eigenvalue, fm_error *err)
{
    fm_cloth *c = l->cloth;
    size_t size = 2 * (size_t)c->count * sizeof(fm_vec3);
    fm_vec3 *d = malloc(size), *a = d ? d + c->count : NULL;
    if (!d)
        return fm_fail_no_memory(err, c->object.name, size);
    double norm = 0;
    fm_rng rng = {1};
    for (int i = 0; i < c->count; i++) {
        double x = fm_rng_uniform(&rng) - 0.5, y = fm_rng_uniform(&rng) - 0.5;
        a[i] = (fm_vec3){x, y, fm_rng_uniform(&rng) - 0.5};
        norm += fm_dot(a[i], a[i]);
    }
    norm = sqrt(norm);
    for (int n = 0; n < ITERATIONS && norm > 0; n++) {
        for (int i = 0; i < c->count; i++)
            d[i] = fm_scale(a[i], 1 / norm);
        norm = apply_linear_forces(l, term, d, a);
    }
    free(d);
    *eigenvalue = norm;
    return true;
}

// Computes the rest densities, those of the body as it was created, and the bound. Positions that
// are set later deform the body against them, as against the rest lengths of its springs.
static bool find_bound(const loop *l, fm_term *term, fm_error *err)
{
    const double LONGEST = 1.5; // largest omega h of the substep: h = LONGEST / omega
    fm_cloth *c = l->cloth;
    fluidity *f = term->data;
    double eigenvalue = 0;
    compute_densities(l, term, NULL);
    store_rest_densities(l);
    double viscous = LONGEST * c->soft->def.beta * find_viscous_rate(l);
    bool good = find_eigenvalue(l, term, &eigenvalue, err);
    f->bound = RESERVE * eigenvalue + viscous * viscous;
    return good;
}

// Chooses the radius, allocates the arrays and computes the bound.
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
    f->volume = fm_arena_alloc(&c->arena, lanes, sizeof(double), c->object.name, err);
    term->state = fm_arena_alloc(&c->arena, lanes, sizeof(double), c->object.name, err);
    term->state_count = c->count;
    term->data = f;
    loop l = {c, f, &c->x, &c->v, term->state};
    return fm_neighbour_list_create(c, &f->near, f->radius, SKIN * f->radius, err) &&
           find_bound(&l, term, err);
}

static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    (void)c;
    return (fm_term_bound){.fixed = ((const fluidity *)term->data)->bound};
}

const fm_term_type fm_fluidity_term = {
    .name = "fluidity",
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .bound = bound,
};
