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
// Pairs are found with a hash grid of cells of size d0 + skin and kept in a neighbour list, which
// is valid until a particle has moved by half the skin. Each particle sums over its own partners,
// by rising index. So no two threads write to the same particle, and the sum does not depend on
// when the list was built.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    size_t count = (size_t)c->count;
    c->repelled = fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof *c->repelled, "cloth", err);
    c->near.start = fm_arena_alloc(&c->arena, count + 1, sizeof(int), "cloth", err);
    c->near.at = fm_vec3_array_create(&c->arena, c->lanes, err);
    return fm_cell_list_create(&c->cells, &c->arena, c->count, err) &&
           fm_repulsion_find_exclusions(c, err);
}

// Arguments of the loops over particles.
typedef struct repulsion {
    fm_cloth *cloth;
    const fm_vec3_array *x, *v; // m, m/s, positions and velocities
    double stiffness;           // N/m, k
    bool count_only;            // first pass of building the list: only count the partners
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

static double distance_squared(const fm_vec3_array *x, int i, int j)
{
    double dx = x->x[i] - x->x[j], dy = x->y[i] - x->y[j], dz = x->z[i] - x->z[j];
    return dx * dx + dy * dy + dz * dz;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

// Counts (p->count_only) or lists the particles within d0 + skin of the particles [first, last).
// They are in the 27 cells of the hash grid around a particle's cell. A bucket of the hash table
// may hold particles of other cells too.
static void find_partners(void *context, int first, int last)
{
    const repulsion *p = context;
    fm_cloth *c = p->cloth;
    const fm_cell_list *cells = &c->cells;
    double reach = cells->size * cells->size;
    for (int i = first; i < last; i++) {
        int found = 0;
        for (int n = 0; n < 27; n++) {
            fm_cell cell = cells->cell[i];
            cell.x += n % 3 - 1, cell.y += n / 3 % 3 - 1, cell.z += n / 9 - 1;
            int bucket = fm_cell_list_find_bucket(cells, cell);
            for (int e = cells->start[bucket]; e < cells->start[bucket + 1]; e++) {
                int j = cells->order[e];
                const fm_cell *other = &cells->cell[j];
                if (j == i || other->x != cell.x || other->y != cell.y || other->z != cell.z ||
                    distance_squared(p->x, i, j) >= reach || are_neighbours(c, i, j))
                    continue;
                if (!p->count_only)
                    c->near.partner[c->near.start[i] + found] = j;
                found++;
            }
        }
        if (p->count_only)
            c->repelled[i] = found;
        else if (found > 1)
            qsort(c->near.partner + c->near.start[i], (size_t)found, sizeof(int), compare);
    }
}

// Builds the neighbour list at the present positions: counts the partners of each particle, then
// lists them. If memory for the list runs out, there is no repulsion until it is built again; this
// is not an error.
static void build_list(repulsion *p, fm_pool *pool)
{
    fm_cloth *c = p->cloth;
    fm_cell_list_build(&c->cells, (1 + SKIN) * c->repulsion_distance, c->count, p->x->x, p->x->y,
                       p->x->z);
    p->count_only = true;
    fm_parallel_for(pool, c->count, FM_PARTICLE_BLOCK, find_partners, p);
    int total = 0;
    for (int i = 0; i < c->count; i++) {
        c->near.start[i] = total;
        total += c->repelled[i];
    }
    c->near.start[c->count] = total;
    if (total > 0 && total > c->near.capacity) {
        int *more = realloc(c->near.partner, 2 * (size_t)total * sizeof *more);
        if (!more) {
            memset(c->near.start, 0, ((size_t)c->count + 1) * sizeof(int));
            return;
        }
        c->near.partner = more;
        c->near.capacity = 2 * total;
    }
    p->count_only = false;
    fm_parallel_for(pool, c->count, FM_PARTICLE_BLOCK, find_partners, p);
    memcpy(c->near.at.x, p->x->x, 3 * (size_t)c->lanes * sizeof(double));
    c->near.valid = true;
}

// Whether the neighbour list still contains all pairs closer than d0: no particle has moved by half
// the skin since it was built.
static bool list_is_valid(const repulsion *p)
{
    const fm_cloth *c = p->cloth;
    double half = SKIN / 2 * c->repulsion_distance, farthest = 0;
    for (int i = 0; i < c->count && c->near.valid; i++) {
        double dx = p->x->x[i] - c->near.at.x[i], dy = p->x->y[i] - c->near.at.y[i];
        double dz = p->x->z[i] - c->near.at.z[i];
        farthest = fmax(farthest, dx * dx + dy * dy + dz * dz);
    }
    return c->near.valid && farthest < half * half;
}

// Adds the repulsion of particle j on particle i to *force, N, and counts j in *partners, if they
// are closer than d0.
static void add_repulsion(const repulsion *p, int i, int j, fm_vec3 *force, int *partners)
{
    const fm_cloth *c = p->cloth;
    double d0 = c->repulsion_distance, dd = distance_squared(p->x, i, j);
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
    for (int i = first; i < last; i++) {
        fm_vec3 force = {0, 0, 0};
        int partners = 0;
        for (int e = c->near.start[i]; e < c->near.start[i + 1]; e++)
            add_repulsion(p, i, c->near.partner[e], &force, &partners);
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
    if (!list_is_valid(&p))
        build_list(&p, at->pool);
    fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, repel_range, &p);
}

// Has no energy function: the potential energy contains the cloth's own elasticity and weight only.
const fm_term_type fm_repulsion_term = {
    .name = "repulsion",
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .bound = bound,
};
