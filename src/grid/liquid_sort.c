// SPDX-License-Identifier: MIT
// liquid_sort.c: the order of a liquid's particles: sorted by cell; those that left are removed.
//
// A counting sort. Which place each particle gets is found on one thread; the arrays are then
// copied by all threads, from the old places to the new ones.
#include "grid/liquid.h"

#include <string.h>

// Number of the cell that contains particle i; the nearest cell if it is outside the grid.
static int find_cell(const fm_grid *g, const fm_liquid_particles *p, int i)
{
    int at[3];
    for (int a = 0; a < 3; a++) {
        at[a] = (int)p->x[a][i];
        at[a] = at[a] < 0 ? 0 : at[a] >= g->n[a] ? g->n[a] - 1 : at[a];
    }
    return at[0] + g->n[0] * (at[1] + g->n[1] * at[2]);
}

// Writes the cells of the particles [first, last).
static void find_cells(void *context, int first, int last)
{
    fm_liquid *l = context;
    for (int i = first; i < last; i++)
        l->cell[i] = find_cell(l->grid, &l->now, i);
}

// Copies particle `from` of one set of arrays to the place `to` of another.
static inline void copy_particle(fm_liquid_particles *target, int to,
                                 const fm_liquid_particles *source, int from)
{
    for (int a = 0; a < 3; a++) {
        target->x[a][to] = source->x[a][from];
        target->v[a][to] = source->v[a][from];
    }
    for (int a = 0; a < 9; a++)
        target->c[a][to] = source->c[a][from];
    target->volume[to] = source->volume[from];
    target->id[to] = source->id[from];
}

void fm_liquid_copy_particle(fm_liquid_particles *p, int to, int from)
{
    copy_particle(p, to, p, from);
}

// Copies the particles of the new places [first, last) from their old places, in l->from.
static void copy_places(void *context, int first, int last)
{
    fm_liquid *l = context;
    for (int i = first; i < last; i++)
        copy_particle(&l->other, i, &l->now, l->from[i]);
}

// Lists the particles of each cell: l->from[l->start[c]] to l->from[l->start[c + 1] - 1] are those
// of cell c, in rising order. The arrays of the particles stay as they are.
void fm_liquid_list_cells(fm_liquid *l, fm_pool *pool)
{
    const fm_grid *g = l->grid;
    int count = l->now.count, cells = g->n[0] * g->n[1] * g->n[2];
    fm_parallel_for(fm_pool_if_worthwhile(pool, 4.0 * count), count, FM_LIQUID_BLOCK, find_cells,
                    l);
    memset(l->start, 0, ((size_t)cells + 1) * sizeof *l->start);
    for (int i = 0; i < count; i++)
        l->start[l->cell[i] + 1]++;
    for (int i = 0; i < cells; i++)
        l->start[i + 1] += l->start[i];
    for (int i = 0; i < count; i++) // start[c] becomes the end of cell c
        l->from[l->start[l->cell[i]]++] = i;
    memmove(l->start + 1, l->start, (size_t)cells * sizeof *l->start);
    l->start[0] = 0;
}

// Puts the particles in the order of the list.
void fm_liquid_reorder(fm_liquid *l, fm_pool *pool)
{
    int count = l->now.count;
    fm_parallel_for(fm_pool_if_worthwhile(pool, 30.0 * count), count, FM_LIQUID_BLOCK, copy_places,
                    l);
    l->other.count = count;
    fm_liquid_particles swap = l->now;
    l->now = l->other;
    l->other = swap;
}

// Sorts the particles by cell. l->start gets the first particle of each cell.
void fm_liquid_sort(fm_liquid *l, fm_pool *pool)
{
    fm_liquid_list_cells(l, pool);
    fm_liquid_reorder(l, pool);
}

// Whether a point, spacings, is in a sink.
static bool is_in_sink(const fm_liquid *l, const double x[3])
{
    fm_vec3 at = fm_grid_position(l->grid, x[0], x[1], x[2]);
    for (int i = 0; i < l->sink_count; i++) {
        fm_vec3 low = l->sinks[i].low, high = l->sinks[i].high;
        if (at.x >= low.x && at.x <= high.x && at.y >= low.y && at.y <= high.y &&
            (!l->grid->active[2] || (at.z >= low.z && at.z <= high.z)))
            return true;
    }
    return false;
}

// Whether particle i is outside the grid or in a sink. A NaN stays, so that the world finds it.
static bool is_gone(const fm_liquid *l, int i)
{
    const fm_liquid_particles *p = &l->now;
    double x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
    bool inside = true;
    for (int a = 0; a < 3; a++)
        inside &= x[a] >= 0 && x[a] <= l->grid->n[a];
    return (!inside && isfinite(x[0] + x[1] + x[2])) || (l->sink_count > 0 && is_in_sink(l, x));
}

// Number of the particles [first, last) that are gone.
static double count_gone(void *context, int first, int last)
{
    int count = 0;
    for (int i = first; i < last; i++)
        count += is_gone(context, i);
    return count;
}

// Removes the particles that are outside the grid or in sinks, and adds up their volume, m^3.
void fm_liquid_remove_outside(fm_liquid *l, fm_pool *pool)
{
    fm_liquid_particles *p = &l->now;
    if (fm_parallel_sum(fm_pool_if_worthwhile(pool, 3.0 * p->count), p->count, FM_LIQUID_BLOCK,
                        count_gone, l, l->partial) == 0)
        return;
    int kept = 0;
    for (int i = 0; i < p->count; i++) {
        if (is_gone(l, i))
            l->stats.removed += p->volume[i];
        else if (kept++ < i)
            copy_particle(p, kept - 1, p, i);
    }
    p->count = kept;
}
