// SPDX-License-Identifier: MIT
// liquid_crowding.c: moves crowded particles of a liquid apart.
//
// The pressure keeps the divergence of the velocity at zero, not the density of the particles. A
// film thinner than half a cell has no pressure at all, and particles that meet a wall stay there,
// because the velocity across it is zero. Without correction they pile up at walls, and the volume
// that they stand for is lost. In cells whose particles have more than CROWDED times the volume of
// the cell outside colliders, each particle i moves by
//
//     dx = 1/2 sum_j (D - r) (n + WOBBLE m),     r = |x_i - x_j| < D,    |dx| <= FARTHEST
//
// with n the direction away from particle j, D the pitch of the particles at the start and m a
// random direction of the pair, which lets layers buckle off a wall. Velocities do not change, so
// that liquid at rest stays at rest. All moves follow from the old positions (Jacobi iteration), so
// that results do not depend on the threads.
#include "grid/liquid.h"

static const double CROWDED = 1.3;   // volume of the particles in a cell / volume of the cell
static const double SMALLEST = 0.25; // open part of a cell below which it counts as this large
static const double WOBBLE = 0.3;    // relative to the unit vector n
static const double FARTHEST = 0.2;  // spacings

// Whether the particles in a cell have too much volume for its open part. q: its index in the grid.
static bool is_crowded(const fm_liquid *l, int cell, ptrdiff_t q)
{
    double volume = 0, room = fm_double_max(l->open_volume[q], SMALLEST) * l->spacing_volume;
    for (int i = l->start[cell]; i < l->start[cell + 1]; i++)
        volume += l->now.volume[l->from[i]];
    return volume > CROWDED * room;
}

// Adds the push of particle j on particle i to `push`, spacings.
static void add_push(const fm_liquid *l, int i, int j, double reach, double push[3])
{
    const fm_liquid_particles *p = &l->now;
    double d[3] = {p->x[0][i] - p->x[0][j], p->x[1][i] - p->x[1][j], p->x[2][i] - p->x[2][j]};
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (square >= reach * reach)
        return;
    fm_rng rng = {(uint64_t)p->id[i] * 0x9e3779b97f4a7c15u ^ (uint64_t)p->id[j]};
    double r = sqrt(square), size = 0.5 * (reach - r);
    for (int a = 0; a < 3; a++) {
        double wobble = WOBBLE * (2 * fm_rng_uniform(&rng) - 1);
        push[a] += size * ((r > 0 ? d[a] / r : 0) + wobble);
    }
}

// The push of all neighbours of particle i, which is in the cell `at`, spacings.
static void find_push(const fm_liquid *l, int i, const int at[3], double push[3])
{
    const fm_grid *g = l->grid;
    double reach = 1.0 / l->def.sampling; // D
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        push[a] = 0;
        low[a] = at[a] > 0 ? at[a] - 1 : 0;
        high[a] = at[a] + 1 < g->n[a] ? at[a] + 1 : g->n[a] - 1;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++) {
            int row = g->n[0] * (j + g->n[1] * k);
            for (int n = l->start[row + low[0]]; n < l->start[row + high[0] + 1]; n++)
                if (l->from[n] != i)
                    add_push(l, i, l->from[n], reach, push);
        }
    double length = sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
    for (int a = 0; a < 3 && length > FARTHEST; a++)
        push[a] *= FARTHEST / length;
}

// A loop over the crowded cells.
typedef struct spreading {
    fm_liquid *l;
    const fm_surroundings *around;
} spreading;

// Writes the pushes of the particles in the crowded cells of a row to l->other.v. Returns the
// number of these particles.
static double push_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    fm_liquid *l = ((spreading *)context)->l;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    int count = 0;
    for (int i = 0; i < length; i++) {
        int at[3] = {i, (int)j, (int)k}, cell = i + g->n[0] * (at[1] + g->n[1] * at[2]);
        if (!is_crowded(l, cell, q + i))
            continue;
        for (int n = l->start[cell]; n < l->start[cell + 1]; n++, count++) {
            double push[3];
            find_push(l, l->from[n], at, push);
            for (int a = 0; a < 3; a++)
                l->other.v[a][l->from[n]] = push[a];
        }
    }
    return count;
}

// Moves the particles in the crowded cells of a row by their pushes.
static void shift_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const spreading *job = context;
    fm_liquid *l = job->l;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    for (int i = 0; i < length; i++) {
        int cell = i + g->n[0] * ((int)j + g->n[1] * (int)k);
        if (!is_crowded(l, cell, q + i))
            continue;
        for (int n = l->start[cell]; n < l->start[cell + 1]; n++) {
            int p = l->from[n];
            fm_vec3 push = {l->other.v[0][p], l->other.v[1][p], l->other.v[2][p]};
            fm_liquid_shift_particle(l, job->around, p, push);
        }
    }
}

// Moves the particles of crowded cells apart in at most `passes` iterations, and sorts all
// particles.
void fm_liquid_spread_crowded(fm_liquid *l, const fm_surroundings *around, int passes)
{
    spreading job = {l, around};
    fm_liquid_list_cells(l, around->pool);
    for (int pass = 0; pass < passes; pass++) {
        if (fm_grid_sum_rows(l->grid, around->pool, 20, push_row, &job) == 0)
            break;
        fm_grid_for_rows(l->grid, around->pool, 3, 20, shift_row, &job);
        fm_liquid_list_cells(l, around->pool);
    }
    fm_liquid_reorder(l, around->pool);
}
