// SPDX-License-Identifier: MIT
// fluid.h: the parts of a fluid's surface: kernels of particles, a field on blocks of cells,
// triangles, smoothing. Lengths in here are spacings of the particles, from a shared origin.
#ifndef FATHOM_DRAW_FLUID_H
#define FATHOM_DRAW_FLUID_H

#include "draw/draw.h"

#include <fathom/mesher.h>

// kernels.c: what each particle adds to the field, in the order of the cells.
typedef struct fm_kernel {
    float x, y, z;                // centre, smoothed
    float xx, yy, zz, xy, xz, yz; // M of q^2 = r . M r
    float peak;                   // value at the centre
    float reach[3];               // half the box around q < 1
} fm_kernel;

typedef struct fm_kernels {
    int count;
    fm_kernel *each; // by cell
    bool *inner;     // fluid all around
    fm_cells cells;  // order: of the particles before they were sorted
    float reach;     // the largest of all
} fm_kernels;

// x, y, z: [count], sorted in place.
bool fm_kernels_compute(fm_kernels *kernels, fm_arena *arena, fm_pool *pool, double *x, double *y,
                        double *z, int count, fm_error *err);

// level.c: the field on the nodes of blocks that are touched by a kernel.
enum {
    FM_BLOCK = 8, // cells along the side of a block
    FM_BLOCK_NODES = FM_BLOCK * FM_BLOCK * FM_BLOCK,
};

typedef struct fm_level_block {
    int x, y, z; // times FM_BLOCK: its first node
    int values;  // number of its values, or -1: deep inside, where all are 1
    int first_point, first_triangle;
    int around[27]; // numbers of the blocks around it, itself included; -1: none, all values are 0
} fm_level_block;

typedef struct fm_level {
    float cell; // spacings
    fm_level_block *blocks;
    int block_count, block_room;
    int *table; // of blocks, by where they are
    int table_mask;
    float *values; // [FM_BLOCK_NODES] of each block that has them
    int value_count;
} fm_level;

extern const float fm_level_surface; // the value there

bool fm_level_compute(fm_level *level, const fm_kernels *kernels, double cell, fm_pool *pool,
                      fm_error *err);
void fm_level_free(fm_level *level);

// march.c: the triangles where the field has one value. Vertices in spacings.
bool fm_level_march(fm_level *level, fm_pool *pool, fm_triangles *made, fm_error *err);

// fair.c: takes out bumps smaller than a few cells and keeps the volume; normals are smoothed with
// it.
bool fm_triangles_fair(fm_triangles *t, int steps, fm_pool *pool, fm_error *err);

#endif
