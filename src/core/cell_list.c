// SPDX-License-Identifier: MIT
// cell_list.c: cell list for neighbour search: cubic cells hashed into buckets, filled by a
// counting sort.
//
// The sort is stable: within a bucket, particles are in increasing order of their index. Every
// search therefore visits neighbours in the same order, which keeps results reproducible.
#include "core/core.h"

#include <math.h>
#include <string.h>

// Allocates the arrays, with at least two hash buckets per particle.
bool fm_cell_list_create(fm_cell_list *cells, fm_arena *arena, int capacity, fm_error *err)
{
    int buckets = 64; // a power of two, so that a bit mask reduces a hash to a bucket
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

// Integer coordinate of the cell that x lies in. inverse: 1 / edge length of a cell.
static int cell_coordinate(double x, double inverse)
{
    double c = floor(x * inverse);
    return (int)fmax(-1e9, fmin(1e9, c)); // clamped, so that NaN and far points get a cell too
}

// The cell that the point x, y, z (m) lies in.
fm_cell fm_cell_list_find_cell(const fm_cell_list *cells, double x, double y, double z)
{
    double inverse = 1 / cells->size;
    return (fm_cell){cell_coordinate(x, inverse), cell_coordinate(y, inverse),
                     cell_coordinate(z, inverse)};
}

// The hash bucket that the particles of a cell are in; cells may share a bucket. The coordinates
// are multiplied by large primes; the shifts and the last multiplication mix high bits into low
// ones.
int fm_cell_list_find_bucket(const fm_cell_list *cells, fm_cell c)
{
    uint32_t h = (uint32_t)c.x * 73856093u ^ (uint32_t)c.y * 19349663u ^ (uint32_t)c.z * 83492791u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return (int)((h ^ (h >> 13)) & (uint32_t)cells->mask);
}

// Sorts `count` particles at x, y, z into cells of edge length `size`, m, by a counting sort over
// hash buckets.
void fm_cell_list_build(fm_cell_list *cells, double size, int count, const double *x,
                        const double *y, const double *z)
{
    cells->size = size;
    memset(cells->start, 0, ((size_t)cells->mask + 2) * sizeof(int));
    for (int i = 0; i < count; i++) {
        cells->cell[i] = fm_cell_list_find_cell(cells, x[i], y[i], z[i]);
        cells->bucket[i] = fm_cell_list_find_bucket(cells, cells->cell[i]);
        cells->start[cells->bucket[i] + 1]++;
    }
    for (int b = 0; b <= cells->mask; b++)
        cells->start[b + 1] += cells->start[b];
    // fill each bucket from its end: afterwards start[b + 1] is the beginning of bucket b
    for (int i = count - 1; i >= 0; i--)
        cells->order[--cells->start[cells->bucket[i] + 1]] = i;
    for (int b = 0; b <= cells->mask; b++)
        cells->start[b] = cells->start[b + 1];
    cells->start[cells->mask + 1] = count;
}

int fm_cell_list_find_buckets_around(const fm_cell_list *cells, fm_cell at, int bucket[27])
{
    int count = 0;
    for (int k = 0; k < 27; k++) {
        fm_cell other = {at.x + k % 3 - 1, at.y + k / 3 % 3 - 1, at.z + k / 9 - 1};
        int found = fm_cell_list_find_bucket(cells, other), n = 0;
        while (n < count && bucket[n] != found)
            n++;
        if (n == count) // not listed yet
            bucket[count++] = found;
    }
    return count;
}
