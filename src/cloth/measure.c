// SPDX-License-Identifier: MIT
// measure.c: energies and edge lengths of a cloth in its present state. Called once per frame, so
// the loops are not optimized.
//
// The kinetic energy is m v^2 / 2 plus the kinetic energies of the terms, such as added mass.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

// Adds an edge between particles a and b, with l/l0 - 1 = stretch, to the extremes and sums.
void fm_stretch_sum_add_edge(fm_stretch_sum *sum, double stretch, int a, int b)
{
    fm_stretches *all = &sum->stretches;
    if (sum->edges == 0 || stretch > all->max) {
        all->max = stretch;
        all->longest[0] = a, all->longest[1] = b;
    }
    if (sum->edges == 0 || stretch < all->min) {
        all->min = stretch;
        all->shortest[0] = a, all->shortest[1] = b;
    }
    all->mean += fmax(stretch, 0);
    all->mean_strain += fabs(stretch);
    sum->edges++;
}

// Relative elongation l/l0 - 1 of an edge of a sheet. rest: m, its rest length before the random
// factor of imperfection.c is applied.
static double measure_edge_stretch(const fm_cloth *c, int a, int b, double rest)
{
    return fm_cloth_particle_distance(c, a, b) / (rest * fm_cloth_rest_factor(c, a, b)) - 1;
}

// Adds the spring of family s that begins at the particle in (row, column) of a sheet, if it ends
// inside the sheet.
static void add_sheet_edge(const fm_cloth *c, const fm_springs *s, int row, int column,
                           fm_stretch_sum *sum)
{
    int other_row = row + s->down, other_column = column + s->across;
    int i = row * c->columns + column, other = other_row * c->columns + other_column;
    if (other_row < c->rows && other_column < c->columns)
        fm_stretch_sum_add_edge(sum, measure_edge_stretch(c, i, other, s->rest), i, other);
}

static bool is_stretch_spring(const fm_springs *s)
{
    return s->down + abs(s->across) == 1;
}

// Largest, smallest and mean strain l/l0 - 1 of the stretch edges now.
fm_stretches fm_cloth_measure_stretches(const fm_cloth *c)
{
    fm_stretch_sum sum = {0};
    for (int row = 0; row < c->rows && c->kind == FM_CLOTH_SHEET; row++)
        for (int column = 0; column < c->columns; column++)
            for (int s = 0; s < c->springs_count; s++) {
                if (is_stretch_spring(&c->springs[s]))
                    add_sheet_edge(c, &c->springs[s], row, column, &sum);
            }
    if (c->kind != FM_CLOTH_SHEET)
        fm_spring_mesh_measure_stretch(c, &sum);
    if (sum.edges > 0) {
        sum.stretches.mean /= sum.edges;
        sum.stretches.mean_strain /= sum.edges;
    }
    return sum.stretches;
}

// Energies and stretches now, and the first particle whose state is not finite.
fm_cloth_measure fm_cloth_measure_now(const fm_cloth *c, const fm_surroundings *around)
{
    fm_energies sum = fm_terms_energy(c, around);
    fm_cloth_measure m = {.kinetic_energy = sum.kinetic,
                          .potential_energy = sum.potential,
                          .stretch = fm_cloth_measure_stretches(c),
                          .first_bad = -1};
    for (int i = 0; i < c->count; i++) {
        fm_vec3 x = fm_vec3_array_at(c->x, i), v = fm_vec3_array_at(c->v, i),
                w = fm_vec3_array_at(c->w, i);
        double kinetic = 0.5 * c->mass[i] * fm_dot(v, v);
        if (m.first_bad < 0 && !isfinite(kinetic + fm_dot(x, x) + fm_dot(w, w)))
            m.first_bad = i;
        m.kinetic_energy += kinetic;
    }
    return m;
}

// Writes for each particle the largest l/l0 - 1 of its stretch edges. In a sheet these are the
// edges to its neighbours in the same row and in the same column.
void fm_cloth_compute_stretch(const fm_cloth *c, double *stretch)
{
    if (c->kind != FM_CLOTH_SHEET) {
        fm_spring_mesh_compute_stretch(c, stretch);
        return;
    }
    for (int i = 0; i < c->count; i++) {
        int row = i / c->columns, column = i % c->columns;
        double largest = -1;
        if (column > 0)
            largest = fmax(largest, measure_edge_stretch(c, i - 1, i, c->dx));
        if (column < c->columns - 1)
            largest = fmax(largest, measure_edge_stretch(c, i, i + 1, c->dx));
        if (row > 0)
            largest = fmax(largest, measure_edge_stretch(c, i - c->columns, i, c->dy));
        if (row < c->rows - 1)
            largest = fmax(largest, measure_edge_stretch(c, i, i + c->columns, c->dy));
        stretch[i] = largest;
    }
}
