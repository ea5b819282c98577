// SPDX-License-Identifier: MIT
// cells.c: which particles are near: a hash of cubic cells, filled by counting sort.
//
// Particles of one bucket stand together in `order`, by increasing index, so that whoever walks
// through them does so in the same order every time.
#include "core/core.h"

#include <math.h>
#include <string.h>

bool fm_cells_alloc(fm_cells *cells, fm_arena *arena, int capacity, fm_error *err)
{
    int buckets = 64;
    while (buckets < 2 * capacity && buckets < 1 << 29)
        buckets *= 2;
    cells->capacity = capacity;
    cells->mask = buckets - 1;
    cells->start = fm_arena_alloc(arena, (size_t)buckets + 1, sizeof(int), "cells", err);
    cells->order = fm_arena_alloc(arena, (size_t)capacity, sizeof(int), "cells", err);
    cells->bucket = fm_arena_alloc(arena, (size_t)capacity, sizeof(int), "cells", err);
    cells->cell = fm_arena_alloc(arena, (size_t)capacity, sizeof *cells->cell, "cells", err);
    return err->status == FM_OK;
}

static int cell_coordinate(double x, double inverse)
{
    double c = floor(x * inverse);
    return (int)fmax(-1e9, fmin(1e9, c)); // far away or NaN: some cell
}

fm_cell fm_cells_at(const fm_cells *cells, double x, double y, double z)
{
    double inverse = 1 / cells->size;
    return (fm_cell){cell_coordinate(x, inverse), cell_coordinate(y, inverse),
                     cell_coordinate(z, inverse)};
}

int fm_cells_bucket(const fm_cells *cells, fm_cell c)
{
    uint32_t h = (uint32_t)c.x * 73856093u ^ (uint32_t)c.y * 19349663u ^ (uint32_t)c.z * 83492791u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return (int)((h ^ (h >> 13)) & (uint32_t)cells->mask);
}

void fm_cells_build(fm_cells *cells, double size, int count, const double *x, const double *y,
                    const double *z)
{
    cells->size = size;
    memset(cells->start, 0, ((size_t)cells->mask + 2) * sizeof(int));
    for (int i = 0; i < count; i++) {
        cells->cell[i] = fm_cells_at(cells, x[i], y[i], z[i]);
        cells->bucket[i] = fm_cells_bucket(cells, cells->cell[i]);
        cells->start[cells->bucket[i] + 1]++;
    }
    for (int b = 0; b <= cells->mask; b++)
        cells->start[b + 1] += cells->start[b];
    for (int i = count - 1; i >= 0; i--) // backwards from the ends, which become the beginnings
        cells->order[--cells->start[cells->bucket[i] + 1]] = i;
    for (int b = 0; b <= cells->mask; b++)
        cells->start[b] = cells->start[b + 1];
    cells->start[cells->mask + 1] = count;
}
