// SPDX-License-Identifier: MIT
// sample.c: the velocity of the fluid at any point: the mean over the particles within the support,
//
//     v(x) = sum_j v_j W(x - x_j) / sum_j W(x - x_j)
//
// Particles are looked for among all, in cells made for the occasion: for measuring, not for
// coupling. Across periodic sides nothing is seen.
#include "particles/particles.h"

#include <assert.h>
#include <stdlib.h>

static fm_vec3 sample_point(const fm_particles *p, const fm_cells *cells, fm_vec3 x)
{
    fm_cell centre = fm_cells_at(cells, x.x, x.y, x.z);
    fm_vec3 sum = {0};
    double weight = 0;
    for (int k = 0; k < 27; k++) {
        fm_cell cell = {centre.x + k % 3 - 1, centre.y + k / 3 % 3 - 1, centre.z + k / 9 - 1};
        int bucket = fm_cells_bucket(cells, cell);
        for (int at = cells->start[bucket]; at < cells->start[bucket + 1]; at++) {
            int i = cells->order[at];
            fm_cell its = cells->cell[i];
            if (its.x != cell.x || its.y != cell.y || its.z != cell.z)
                continue;
            fm_vec3 d = {p->now.x[i] - x.x, p->now.y[i] - x.y, p->now.z[i] - x.z};
            double q = fm_length(d) / p->R;
            if (q >= 1)
                continue;
            double w = pow(1 - q, 4) * (1 + 4 * q);
            weight += w;
            sum = fm_add_scaled(sum, (fm_vec3){p->now.vx[i], p->now.vy[i], p->now.vz[i]}, w);
        }
    }
    return weight > 0 ? fm_scale(sum, 1 / weight) : sum;
}

bool fm_particles_sample(fm_particles *p, const fm_vec3 *points, int point_count,
                         fm_vec3 *velocities, fm_error *err)
{
    assert(err->status != FM_OK || p);
    if (err->status != FM_OK)
        return false;
    fm_arena arena = {0};
    fm_cells cells;
    if (fm_cells_alloc(&cells, &arena, p->count > 0 ? p->count : 1, err)) {
        fm_cells_build(&cells, p->R, p->count, p->now.x, p->now.y, p->now.z);
        for (int i = 0; i < point_count; i++) {
            fm_vec3 x = points[i];
            if (p->def.dimensions == 2)
                x.z = 0;
            velocities[i] = sample_point(p, &cells, x);
        }
    }
    fm_arena_free(&arena);
    return err->status == FM_OK;
}
