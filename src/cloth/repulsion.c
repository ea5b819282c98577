// SPDX-License-Identifier: MIT
// repulsion.c: the force term of self-repulsion between particles that come close.
//
// Particles i and j that are not neighbours in the cloth and closer than d0 repel each other with
//
//     F_i = k (d0 - d) e - c min(0, (v_i - v_j) . e) e,     e = (x_i - x_j) / d
//
//   d  m, their distance     k  N/m, a share of the stiffness that the substep allows
//   c  N s/m, a share of sqrt(k m), acting against approach only
//
// [OKRC10] section 5: "a standard collision avoidance repulsive force". It slows down cloth that is
// about to pass through itself, but does not prevent it: fast or thin folds still pass. Contact
// (def.contact) does prevent it.
//
// Each particle sums over its own partners in the neighbour list, by rising index. So no two
// threads write to the same particle, and the sum does not depend on when the list was built.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

static const double SKIN = 0.6; // in d0; tested from 0.2 to 1.5: near 0.6 the speed is flat
static const double DEFAULT_DISTANCE = 0.8; // d0 in spacings of the particles, if not given
// Particles whose distance along the cloth is below this many d0 plus a spacing do not repel each
// other. repulsion_exclusions.c has the same limit.
static const double EXCLUSION = 1.5;
enum { REPELLING = 8 }; // neighbours that may repel a particle at a time within the stability bound

static bool applies(const fm_cloth *c)
{
    return c->def.repulsion.enabled;
}

// Chooses d0 and allocates the neighbour list.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    (void)term;
    double spacing = c->kind == FM_CLOTH_SHEET ? fmin(c->dx, c->dy) : c->mesh.mean_rest;
    c->repulsion_distance =
        c->def.repulsion.distance > 0 ? c->def.repulsion.distance : DEFAULT_DISTANCE * spacing;
    double d0 = c->repulsion_distance;
    c->repelled = fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof *c->repelled, "cloth", err);
    return fm_neighbour_list_create(c, &c->near.list, d0, SKIN * d0, err) &&
           fm_repulsion_find_exclusions(c, err);
}

// Arguments of the loop over particles.
typedef struct repulsion {
    fm_cloth *cloth;
    const fm_vec3_array *x, *v; // m, m/s, positions and velocities
    double stiffness;           // N/m, k
} repulsion;

// Whether particles i and j are close along the cloth, where springs keep them apart.
static bool are_neighbours(const fm_cloth *c, int i, int j)
{
    if (c->near.excluded_start)
        return fm_repulsion_is_excluded(c, i, j);
    int rows = abs(i / c->columns - j / c->columns), columns = abs(i % c->columns - j % c->columns);
    return rows * c->dy < EXCLUSION * c->repulsion_distance + c->dy &&
           columns * c->dx < EXCLUSION * c->repulsion_distance + c->dx;
}

// Adds the repulsion of particle j on particle i to *force, N, and counts j in *partners, if they
// are closer than d0.
static void add_repulsion(const repulsion *p, int i, int j, fm_vec3 *force, int *partners)
{
    const fm_cloth *c = p->cloth;
    double d0 = c->repulsion_distance, dd = fm_distance_squared(p->x, i, j);
    if (dd >= d0 * d0 || dd == 0)
        return;
    fm_vec3 d = {p->x->x[i] - p->x->x[j], p->x->y[i] - p->x->y[j], p->x->z[i] - p->x->z[j]};
    double length = sqrt(dd), k = p->stiffness;
    fm_vec3 u = {p->v->x[i] - p->v->x[j], p->v->y[i] - p->v->y[j], p->v->z[i] - p->v->z[j]};
    double approach = fmin(0, fm_dot(u, d) / length);
    double mass = fmin(c->mass[i], c->mass[j]);
    double f = k * (d0 - length) - c->def.repulsion.friction * sqrt(k * mass) * approach;
    *force = fm_add(*force, fm_scale(d, f / length));
    (*partners)++;
}

// Adds the repulsion of all partners to the forces on the particles [first, last).
static void repel_range(void *context, int first, int last)
{
    const repulsion *p = context;
    fm_cloth *c = p->cloth;
    const fm_neighbour_list *near = &c->near.list;
    for (int i = first; i < last; i++) {
        fm_vec3 force = {0, 0, 0};
        int partners = 0;
        for (int e = near->start[i]; e < near->start[i + 1]; e++)
            add_repulsion(p, i, near->partner[e], &force, &partners);
        c->repelled[i] = partners;
        c->force.x[i] += force.x, c->force.y[i] += force.y, c->force.z[i] += force.z;
    }
}

// Repulsion adds a share of the springs' bound on omega^2. add_forces chooses its stiffness so that
// REPELLING neighbours at a time stay within this bound.
static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    (void)term;
    return (fm_term_bound){.of_springs = c->def.repulsion.stiffness / 2};
}

// Adds the repulsion forces. The stiffness k follows from the bound on omega^2: 2 sum k / m, summed
// over REPELLING neighbours, is the bound.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    double square = bound(c, term).of_springs * c->spring_bound; // 1/s^2, bound on omega^2
    repulsion p = {.cloth = c,
                   .x = at->x,
                   .v = at->v,
                   .stiffness = square * fm_cloth_cell_mass(c) / (2 * REPELLING)};
    fm_neighbour_list_update(c, &c->near.list, at->x, are_neighbours, at->pool);
    fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, repel_range, &p);
}

// Has no energy function: the potential energy in the report leaves out repulsion.
const fm_term_type fm_repulsion_term = {
    .name = "repulsion",
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .bound = bound,
};
