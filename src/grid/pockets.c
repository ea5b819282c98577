// SPDX-License-Identifier: MIT
// pockets.c: parts of the fluid that colliders cut off from the rest.
//
// The pressure equation has a solution only if the fluxes into every closed part of the fluid add
// up to zero. Where moving colliders enclose fluid, as between an arm and a body, they do not: the
// gap gets wider or narrower, and shapes overlap. The mean divergence of each closed part is
// therefore removed, so that a pocket gains or loses the volume that cannot be kept.
//
// Parts are found by a breadth-first search over faces with a conductance. A part that reaches an
// open side, or a given pressure, is not closed.
#include "grid/grid.h"

#include <stdlib.h>
#include <string.h>

// Whether a cell leads to a given pressure: an open side, or a conductance to it.
static bool is_open(const fm_grid *g, const float *const c[3], const float *given, const int at[3],
                    ptrdiff_t q)
{
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    for (int a = 0; a < 3; a++)
        if (!l->periodic[a] &&
            ((at[a] == 0 && c[a][q] > 0) || (at[a] == l->n[a] - 1 && c[a][q + l->stride[a]] > 0)))
            return true;
    return given[q] > 0;
}

// Index of the neighbour of cell `at`, index q, along an axis; -1: no face that is open, or
// outside.
static ptrdiff_t find_neighbour(const fm_cell_layout *l, const float *c, int a, bool high,
                                const int at[3], ptrdiff_t q)
{
    ptrdiff_t face = high ? q + l->stride[a] : q, whole = l->n[a] * l->stride[a];
    bool last = at[a] == (high ? l->n[a] - 1 : 0);
    if (!(c[face] > 0) || (last && !l->periodic[a]))
        return -1;
    return q + (high ? l->stride[a] : -l->stride[a]) + (last ? (high ? -whole : whole) : 0);
}

// Gives the part of a cell a number, and finds whether it is closed. Returns its number of cells.
static int fill_part(fm_grid *g, ptrdiff_t first, int number, bool *closed)
{
    fm_pockets *p = &g->pockets;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    const float *c[3], *given = fm_poisson_given_conductances(g->solver);
    int count = 1;
    for (int a = 0; a < 3; a++)
        c[a] = fm_poisson_conductances(g->solver, a);
    p->queue[0] = (int)first;
    p->part[first] = number;
    *closed = true;
    for (int i = 0; i < count; i++) {
        ptrdiff_t q = p->queue[i], from = q - l->start;
        int at[3];
        for (int a = 2; a >= 0; a--) {
            at[a] = (int)(from / l->stride[a]);
            from -= at[a] * l->stride[a];
        }
        *closed = *closed && !is_open(g, c, given, at, q);
        for (int k = 0; k < 6; k++) {
            ptrdiff_t next = find_neighbour(l, c[k / 2], k / 2, k % 2, at, q);
            if (next < 0 || p->part[next] != 0)
                continue;
            p->part[next] = number;
            p->queue[count++] = (int)next;
        }
    }
    return count;
}

// Whether a cell has a face with a conductance.
static bool is_fluid(const fm_grid *g, ptrdiff_t q)
{
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    for (int a = 0; a < 3; a++) {
        const float *c = fm_poisson_conductances(g->solver, a);
        if (c[q] > 0 || c[q + l->stride[a]] > 0)
            return true;
    }
    return false;
}

bool fm_grid_find_pockets(fm_grid *g, fm_error *err)
{
    fm_pockets *p = &g->pockets;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    if (!p->part) {
        p->part = malloc(l->count * sizeof *p->part);
        p->queue = malloc(l->count * sizeof *p->queue);
        if (!p->part || !p->queue)
            return fm_fail_no_memory(err, g->object.name, 2 * l->count * sizeof *p->part);
    }
    memset(p->part, 0, l->count * sizeof *p->part);
    memset(p->cells, 0, sizeof p->cells);
    p->count = 0;
    for (int row = 0; row < fm_cell_row_count(l); row++)
        for (int i = 0; i < l->n[0]; i++) {
            ptrdiff_t q = fm_cell_row(l, row) + i;
            bool closed;
            if (p->part[q] != 0 || !is_fluid(g, q))
                continue;
            int number = p->count < FM_POCKETS_MAX ? p->count + 1 : FM_POCKETS_MAX;
            int cells = fill_part(g, q, number, &closed);
            p->cells[number] += closed ? cells : 0; // beyond the most, parts share a number
            p->count = number;
        }
    return true;
}

void fm_grid_balance_pockets(fm_grid *g)
{
    const fm_pockets *p = &g->pockets;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    double *b = fm_poisson_right_side(g->solver), sum[FM_POCKETS_MAX + 1] = {0};
    if (p->count < 2) // the solver balances a single closed part
        return;
    for (int row = 0; row < fm_cell_row_count(l); row++)
        for (int i = 0; i < l->n[0]; i++)
            sum[p->part[fm_cell_row(l, row) + i]] += b[fm_cell_row(l, row) + i];
    for (int row = 0; row < fm_cell_row_count(l); row++)
        for (int i = 0; i < l->n[0]; i++) {
            ptrdiff_t q = fm_cell_row(l, row) + i;
            int part = p->part[q];
            if (part > 0 && p->cells[part] > 0)
                b[q] -= sum[part] / p->cells[part];
        }
}
