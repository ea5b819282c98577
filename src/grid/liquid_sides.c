// SPDX-License-Identifier: MIT
// liquid_sides.c: the two sides of a sheet in a liquid.
//
// A sheet without `resistance` separates liquid from liquid or air within a cell. The value of phi
// in a cell belongs to the side of its centre. A cell does not see a neighbour if a sheet crosses
// the dual edge between them (sheets.c). It sees one of the 26 cells around it if one of the
// shortest ways along the axes leads there.
//
// A particle belongs to a cell whose centre is on its side, its home: the cell that it is in, or if
// a sheet is between it and the centre, the neighbour beyond one of that cell's crossed edges whose
// centre is nearest and is not behind a sheet. Particles act only on the cells that their home
// sees.
//
// The volume on the side of a cell is that up to the sheet. Every line of cells along the axis that
// is nearest to the normal of a plane sheet crosses it once, so a cell with the sheet at the
// distance d of its centre along this axis, in spacings, has d - 1/2 more than a cell.
#include "grid/liquid.h"

#include <string.h>

static const double LEAST_GAP = 0.1; // spacings, more than what a substep moves the surface

enum { HOME = 13 }; // number of the own cell among the 27 around it

// Reserves the arrays. False if memory runs out.
bool fm_liquid_reserve_sides(fm_liquid *l, fm_error *err)
{
    size_t count = l->grid->count;
    if (l->sealed)
        return true;
    l->extent = fm_arena_alloc(&l->arena, count, sizeof *l->extent, l->object.name, err);
    l->gap = fm_arena_alloc(&l->arena, count, sizeof *l->gap, l->object.name, err);
    l->sealed = fm_arena_alloc(&l->arena, count, 1, l->object.name, err);
    return err->status == FM_OK;
}

// Adds a sheet at the distance d, spacings, to cell q on one of its six sides.
static void add_seal(fm_liquid *l, ptrdiff_t q, int side, double d, bool along)
{
    if (!l->sealed[q])
        l->extent[q] = l->gap[q] = 1;
    l->sealed[q] |= (unsigned char)(1 << side);
    l->gap[q] = fm_double_max(LEAST_GAP, fm_double_min(l->gap[q], d));
    l->extent[q] = fm_double_max(0, l->extent[q] + (along ? d - 0.5 : 0));
}

// Finds which neighbours cells do not see. The crossings of the sheets must be known.
void fm_liquid_mark_sides(fm_liquid *l)
{
    const fm_grid *g = l->grid;
    fm_seal s;
    if (!l->sealed)
        return;
    memset(l->sealed, 0, g->count);
    for (int i = 0; i < fm_grid_crossed_count(g); i++)
        if (fm_grid_find_seal(g, i, &s)) {
            add_seal(l, s.q - g->stride[s.axis], 2 * s.axis + 1, s.first, s.along);
            add_seal(l, s.q, 2 * s.axis, 1 - s.last, s.along);
        }
}

// Whether cell q sees the cell at `step`, each -1, 0 or 1, along the axes from it.
bool fm_liquid_sees(const fm_liquid *l, ptrdiff_t q, const int step[3])
{
    bool arrived = true;
    for (int a = 0; a < 3; a++) {
        if (step[a] == 0)
            continue;
        int rest[3] = {step[0], step[1], step[2]};
        rest[a] = 0;
        arrived = false;
        if (!fm_liquid_is_sealed(l, q, 2 * a + (step[a] > 0)) &&
            fm_liquid_sees(l, q + step[a] * l->grid->stride[a], rest))
            return true;
    }
    return arrived;
}

// Linear interpolation of phi at x, spacings, with the values of the cells that the cell `home`
// sees, and its own value for the others.
double fm_liquid_interpolate_beside(const fm_liquid *l, const double *phi, const double x[3],
                                    const int home[3])
{
    const fm_grid *g = l->grid;
    ptrdiff_t q = fm_grid_index(g, home[0], home[1], home[2]);
    double total = 0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int step[3] = {0};
        ptrdiff_t at = q;
        for (int a = 0; a < 3; a++) {
            double from = g->active[a] ? x[a] - 0.5 : home[a], low = floor(from);
            double share = from - low;
            bool high = corner >> a & 1;
            weight *= high ? share : 1 - share;
            step[a] = (int)low + high - home[a];
            at += step[a] * g->stride[a];
            step[a] = step[a] < -1 ? -1 : step[a] > 1 ? 1 : step[a];
        }
        if (weight > 0)
            total += weight * phi[fm_liquid_sees(l, q, step) ? at : q];
    }
    return total;
}

// The cell of a place, spacings, inside the grid.
static void find_cell(const fm_grid *g, const double x[3], int cell[3])
{
    for (int a = 0; a < 3; a++)
        cell[a] = (int)fm_double_max(0, fm_double_min(g->n[a] - 1, floor(x[a])));
}

// Number of the home of a particle at x among the 27 cells around `cell`, in which it is.
static int find_home(const fm_liquid *l, const double x[3], const int cell[3])
{
    static const int number[6] = {12, 14, 10, 16, 4, 22};
    const fm_grid *g = l->grid;
    ptrdiff_t q = fm_grid_index(g, cell[0], cell[1], cell[2]);
    fm_vec3 from = {x[0], x[1], x[2]}, centre = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5};
    if (!l->sealed[q] || !fm_liquid_is_hidden(l, from, centre))
        return HOME;
    double nearest = INFINITY;
    int found = HOME;
    for (int side = 0; side < 6; side++) {
        double sign = side % 2 ? 1 : -1;
        fm_vec3 to = centre;
        *(side / 2 == 0 ? &to.x : side / 2 == 1 ? &to.y : &to.z) += sign;
        double distance = fm_length(fm_sub(to, from));
        if (fm_liquid_is_sealed(l, q, side) && distance < nearest &&
            !fm_liquid_is_hidden(l, from, to)) {
            nearest = distance;
            found = number[side];
        }
    }
    return found;
}

// Finds the homes of the particles [first, last), and interpolates phi, spacings, at them.
void fm_liquid_find_homes(fm_liquid *l, int first, int last)
{
    const fm_liquid_particles *p = &l->now;
    for (int i = first; i < last; i++) {
        double x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
        int cell[3];
        find_cell(l->grid, x, cell);
        int home = find_home(l, x, cell);
        l->home[i] = (unsigned char)home;
        for (int a = 0, n = home; a < 3; a++, n /= 3)
            cell[a] += n % 3 - 1;
        l->depth[i] = fm_liquid_interpolate_beside(l, l->phi, x, cell);
    }
}

// Whether particle i acts on the cell q at `at`, spacings.
bool fm_liquid_acts_on(const fm_liquid *l, int i, ptrdiff_t q, const int at[3])
{
    const fm_liquid_particles *p = &l->now;
    int step[3];
    for (int a = 0, n = l->home[i]; a < 3; a++, n /= 3) {
        step[a] = (int)floor(p->x[a][i]) + n % 3 - 1 - at[a];
        if (step[a] < -1 || step[a] > 1)
            return false;
    }
    return fm_liquid_sees(l, q, step);
}
