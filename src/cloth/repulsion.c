// SPDX-License-Identifier: MIT
// repulsion.c: a cloth keeps away from itself, by forces between particles that come near.
//
// Particles i and j that are not neighbours in the sheet and nearer than d0 push each other:
//
//     F_i = k (d0 - d) e - c min(0, (v_i - v_j) . e) e,     e = (x_i - x_j) / d
//
// [OKRC10] section 5: "a standard collision avoidance repulsive force". k is a share of what the
// substep allows, c that share of critical damping. It slows down what would pass through, and a
// fast or thin enough fold still passes: contact that never fails is another matter.
//
// Each particle sums over its own partners, found in the 27 cells around it, so that no two threads
// write to one place and the order of the sum is always the same.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

bool fm_repulsion_setup(fm_cloth *c, fm_error *err)
{
    c->repulsion_distance =
        c->def.repulsion.distance > 0 ? c->def.repulsion.distance : 0.8 * fmin(c->dx, c->dy);
    c->repelled = fm_arena_alloc(&c->arena, (size_t)c->lanes, sizeof *c->repelled, "cloth", err);
    return fm_cells_alloc(&c->cells, &c->arena, c->count, err);
}

typedef struct repulsion {
    fm_cloth *cloth;
    const fm_axes *x, *v;
} repulsion;

// In the sheet, particles nearer than d0 at rest have springs for this.
static bool neighbours(const fm_cloth *c, int i, int j)
{
    int rows = abs(i / c->columns - j / c->columns), columns = abs(i % c->columns - j % c->columns);
    return rows * c->dy < 1.5 * c->repulsion_distance + c->dy &&
           columns * c->dx < 1.5 * c->repulsion_distance + c->dx;
}

static void push_apart(const repulsion *p, int i, int j, fm_vec3 *force, int *partners)
{
    const fm_cloth *c = p->cloth;
    double d0 = c->repulsion_distance;
    fm_vec3 d = {p->x->x[i] - p->x->x[j], p->x->y[i] - p->x->y[j], p->x->z[i] - p->x->z[j]};
    double dd = fm_dot(d, d);
    if (dd >= d0 * d0 || dd == 0 || neighbours(c, i, j))
        return;
    double length = sqrt(dd), k = c->repulsion_stiffness;
    fm_vec3 u = {p->v->x[i] - p->v->x[j], p->v->y[i] - p->v->y[j], p->v->z[i] - p->v->z[j]};
    double approach = fmin(0, fm_dot(u, d) / length);
    double mass = fmin(c->mass[i], c->mass[j]);
    double f = k * (d0 - length) - c->def.repulsion.friction * sqrt(k * mass) * approach;
    *force = fm_add(*force, fm_scale(d, f / length));
    (*partners)++;
}

static void repel_range(void *context, int first, int last)
{
    const repulsion *p = context;
    fm_cloth *c = p->cloth;
    const fm_cells *cells = &c->cells;
    for (int i = first; i < last; i++) {
        fm_vec3 force = {0, 0, 0};
        int partners = 0;
        for (int n = 0; n < 27; n++) {
            fm_cell cell = cells->cell[i];
            cell.x += n % 3 - 1, cell.y += n / 3 % 3 - 1, cell.z += n / 9 - 1;
            int bucket = fm_cells_bucket(cells, cell);
            for (int e = cells->start[bucket]; e < cells->start[bucket + 1]; e++) {
                int j = cells->order[e];
                const fm_cell *other = &cells->cell[j];
                if (other->x == cell.x && other->y == cell.y && other->z == cell.z && j != i)
                    push_apart(p, i, j, &force, &partners);
            }
        }
        c->repelled[i] = partners;
        c->force.x[i] += force.x, c->force.y[i] += force.y, c->force.z[i] += force.z;
    }
}

void fm_repulsion_add_forces(fm_cloth *c, const fm_axes *x, const fm_axes *v, fm_pool *pool)
{
    repulsion p = {c, x, v};
    fm_cells_build(&c->cells, c->repulsion_distance, c->count, x->x, x->y, x->z);
    fm_parallel_for(pool, c->count, FM_FLAT_BLOCK, repel_range, &p);
}
