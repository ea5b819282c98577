// SPDX-License-Identifier: MIT
// measure.c: energies and stretches of a cloth as it is. Called once a frame, so plain loops.
//
//     kinetic     m v^2 / 2, and rho L A u_n^2 / 2 for the layer of medium that moves with it
//     potential   springs k (l - l0)^2 / 2; bending as in sheet.c; weight less buoyancy, -(m - rho
//     V) g . x
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

static fm_vec3 at(const fm_axes *a, int i)
{
    return (fm_vec3){a->x[i], a->y[i], a->z[i]};
}

static double spring_length(const fm_cloth *c, int a, int b)
{
    fm_vec3 d = fm_sub(at(&c->x, b), at(&c->x, a));
    return sqrt(fm_dot(d, d));
}

void fm_stretch_sum_add(fm_stretch_sum *sum, double stretch, int a, int b)
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

static void add_spring(const fm_cloth *c, const fm_springs *s, int row, int column,
                       fm_stretch_sum *sum)
{
    int r = row + s->down, q = column + s->across;
    if (r >= c->rows || q < 0 || q >= c->columns)
        return;
    double weight = s->by_row && (row == 0 || row == c->rows - 1) ? 0.5 : 1;
    weight *= s->by_column ? c->column_weight[column] : 1;
    int a = row * c->columns + column, b = r * c->columns + q;
    double l = spring_length(c, a, b);
    sum->energy += 0.5 * s->stiffness * weight * (l - s->rest) * (l - s->rest);
    if (s->down + abs(s->across) == 1) // a stretch spring
        fm_stretch_sum_add(sum, l / s->rest - 1, a, b);
}

static double second_difference(const fm_cloth *c, int i, int step)
{
    fm_vec3 d = fm_add(at(&c->x, i - step), at(&c->x, i + step));
    d = fm_sub(d, fm_scale(at(&c->x, i), 2));
    return fm_dot(d, d);
}

static double bending_energy(const fm_cloth *c, int row, int column)
{
    int n = c->columns, i = row * n + column;
    double energy = 0;
    if (column > 0 && column < n - 1)
        energy += c->bend_across / 2 * second_difference(c, i, 1) *
                  (row == 0 || row == c->rows - 1 ? 0.5 : 1);
    if (row > 0 && row < c->rows - 1)
        energy += c->bend_down / 2 * second_difference(c, i, n) * c->column_weight[column];
    if (row < c->rows - 1 && column < n - 1) {
        fm_vec3 w = fm_add(fm_sub(at(&c->x, i), at(&c->x, i + 1)),
                           fm_sub(at(&c->x, i + n + 1), at(&c->x, i + n)));
        energy += c->bend_twist / 2 * fm_dot(w, w);
    }
    return energy;
}

static fm_stretch_sum sum_springs(const fm_cloth *c)
{
    fm_stretch_sum sum = {0};
    for (int i = 0; i < c->count && c->kind == FM_CLOTH_SHEET; i++)
        for (int s = 0; s < c->springs_count; s++)
            add_spring(c, &c->springs[s], i / c->columns, i % c->columns, &sum);
    if (c->kind != FM_CLOTH_SHEET)
        fm_net_measure(c, &sum);
    if (sum.edges > 0) {
        sum.stretches.mean /= sum.edges;
        sum.stretches.mean_strain /= sum.edges;
    }
    return sum;
}

fm_stretches fm_cloth_measure_stretches(const fm_cloth *c)
{
    return sum_springs(c).stretches;
}

fm_cloth_measure fm_cloth_measure_now(const fm_cloth *c, const fm_surroundings *around)
{
    fm_cloth_measure m = {.first_bad = -1};
    fm_drag_step drag = fm_drag_prepare(c, around, 0, 0);
    fm_stretch_sum springs = sum_springs(c);
    for (int i = 0; i < c->count; i++) {
        fm_vec3 x = at(&c->x, i), v = at(&c->v, i), n = at(&c->normal, i);
        double un = fm_dot(fm_sub(v, at(&c->w, i)), n);
        double kinetic = 0.5 * c->mass[i] * fm_dot(v, v) + 0.5 * drag.layer * c->area[i] * un * un;
        double weight = c->mass[i] - c->area[i] * drag.displaced;
        double height = fm_dot(x, drag.gravity);
        if (m.first_bad < 0 && !isfinite(kinetic + fm_dot(x, x) + height))
            m.first_bad = i;
        m.kinetic_energy += kinetic;
        m.potential_energy -= weight * height;
        if (c->kind == FM_CLOTH_SHEET)
            m.potential_energy += bending_energy(c, i / c->columns, i % c->columns);
    }
    for (int i = 0; i < c->stitches.count; i++) {
        double l = spring_length(c, c->stitches.a[i], c->stitches.b[i]);
        double past = l - fm_stitch_rest(&c->stitches, i, c->time);
        springs.energy += 0.5 * c->stitches.stiffness[i] * past * past;
    }
    m.potential_energy += springs.energy;
    m.stretch = springs.stretches;
    return m;
}

void fm_cloth_stretch(const fm_cloth *c, double *stretch)
{
    if (c->kind != FM_CLOTH_SHEET) {
        fm_net_stretch(c, stretch);
        return;
    }
    for (int i = 0; i < c->count; i++) {
        int row = i / c->columns, column = i % c->columns;
        double largest = -1;
        if (column > 0)
            largest = fmax(largest, spring_length(c, i - 1, i) / c->dx - 1);
        if (column < c->columns - 1)
            largest = fmax(largest, spring_length(c, i, i + 1) / c->dx - 1);
        if (row > 0)
            largest = fmax(largest, spring_length(c, i - c->columns, i) / c->dy - 1);
        if (row < c->rows - 1)
            largest = fmax(largest, spring_length(c, i, i + c->columns) / c->dy - 1);
        stretch[i] = largest;
    }
}
