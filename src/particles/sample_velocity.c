// SPDX-License-Identifier: MIT
// sample_velocity.c: velocity of the fluid at arbitrary points, as a kernel-weighted mean:
//
//     v(x) = sum_j v_j W(x - x_j) / sum_j W(x - x_j),      particles j within the support of x
//
// Each call sorts all particles into a new cell list, so it suits measurements, not coupling. It
// ignores periodic images.
#include "particles/particles.h"

#include <assert.h>
#include <stdlib.h>

// Velocity of the fluid at x, m/s; 0 without particles within the support. cells: all particles.
static fm_vec3 sample_point(const fm_particles *p, const fm_cell_list *cells, fm_vec3 x)
{
    fm_cell centre = fm_cell_list_find_cell(cells, x.x, x.y, x.z);
    fm_vec3 sum = {0};
    double weight = 0;
    for (int k = 0; k < 27; k++) { // the cell of x and the cells around it
        fm_cell cell = {centre.x + k % 3 - 1, centre.y + k / 3 % 3 - 1, centre.z + k / 9 - 1};
        int bucket = fm_cell_list_find_bucket(cells, cell);
        for (int at = cells->start[bucket]; at < cells->start[bucket + 1]; at++) {
            int i = cells->order[at];
            fm_cell own = cells->cell[i]; // a bucket may hold particles of several cells
            if (own.x != cell.x || own.y != cell.y || own.z != cell.z)
                continue;
            fm_vec3 d = {p->now.x[i] - x.x, p->now.y[i] - x.y, p->now.z[i] - x.z};
            double q = fm_length(d) / p->R;
            if (q >= 1)
                continue;
            double w = pow(1 - q, 4) * (1 + 4 * q); // Wendland kernel
            weight += w;
            sum = fm_add_scaled(sum, (fm_vec3){p->now.vx[i], p->now.vy[i], p->now.vz[i]}, w);
        }
    }
    return weight > 0 ? fm_scale(sum, 1 / weight) : sum;
}

// Velocity of the fluid at arbitrary points, m/s; 0 where no particle is near.
bool fm_particles_sample(fm_particles *p, const fm_vec3 *points, int point_count,
                         fm_vec3 *velocities, fm_error *err)
{
    assert(err->status != FM_OK || p);
    if (err->status != FM_OK)
        return false;
    fm_arena arena = {0};
    fm_cell_list cells;
    if (fm_cell_list_create(&cells, &arena, p->count > 0 ? p->count : 1, err)) {
        fm_cell_list_build(&cells, p->R, p->count, p->now.x, p->now.y, p->now.z);
        for (int i = 0; i < point_count; i++) {
            fm_vec3 x = points[i];
            if (p->def.dimensions == 2)
                x.z = 0;
            velocities[i] = sample_point(p, &cells, x);
        }
    }
    fm_arena_destroy(&arena);
    return err->status == FM_OK;
}
