// SPDX-License-Identifier: MIT
// fluid_surface.h: stages of surface reconstruction from particles: anisotropic kernels, their sum
// on a sparse grid, marching cubes, smoothing. All lengths are in units of the particle spacing,
// all positions relative to a shared origin.
#ifndef FATHOM_DRAW_FLUID_H
#define FATHOM_DRAW_FLUID_H

#include "draw/draw.h"

#include <fathom/mesher.h>

// fluid_kernels.c: the anisotropic kernel of a particle, an ellipsoid. Its value at the vector r
// from its centre is peak (1 - q^2)^3 for q < 1.
typedef struct fm_fluid_kernel {
    float x, y, z;                // centre, moved towards the mean of the neighbours
    float xx, yy, zz, xy, xz, yz; // symmetric matrix M of q^2 = r . M r
    float peak;                   // value at the centre
    float reach[3];               // half extents of the bounding box of the support q < 1
} fm_fluid_kernel;

// The kernels of all particles of a fluid.
typedef struct fm_fluid_kernels {
    int count;
    fm_fluid_kernel *list; // [count], sorted by cell
    bool *inner;           // [count], whether the particle has fluid on all sides
    fm_cell_list cells;    // cells.order: index of each particle before sorting
    float reach;           // the largest reach of all kernels
} fm_fluid_kernels;

// Computes the kernels of particles at x, y, z [count], which are sorted by cell in place.
bool fm_fluid_kernels_compute(fm_fluid_kernels *kernels, fm_arena *arena, fm_pool *pool, double *x,
                              double *y, double *z, int count, fm_error *err);

// fluid_field.c: the scalar field on the nodes of the grid blocks that a kernel overlaps.
enum {
    FM_FIELD_BLOCK_SIDE = 8, // cells along the side of a block
    FM_FIELD_BLOCK_NODES = FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE * FM_FIELD_BLOCK_SIDE,
};

// A cube of grid cells.
typedef struct fm_field_block {
    int x, y, z; // block coordinates; times FM_FIELD_BLOCK_SIDE: its first node
    // index of the block's node values, or -1: deep inside the fluid, where all values are 1
    int values;
    int first_point, first_triangle; // offsets into the extracted surface
    int around[27]; // indices of the 3x3x3 blocks around it, itself at 13; -1: absent, values 0
} fm_field_block;

// The sum of all kernels on a sparse grid: about 1 inside the fluid, 0 outside.
typedef struct fm_fluid_field {
    float cell; // side of a cell, particle spacings
    fm_field_block *blocks;
    int block_count, block_capacity; // number of blocks, and space allocated for them
    int *table;                      // hash table from block coordinates to block index
    int table_mask;                  // number of slots - 1, a power of two less one
    float *values;                   // [value_count][FM_FIELD_BLOCK_NODES]
    int value_count;                 // blocks that have node values
} fm_fluid_field;

extern const float fm_fluid_isovalue; // the field value on the fluid's surface

// Sums the kernels on a grid with cells of side `cell`, particle spacings.
bool fm_fluid_field_compute(fm_fluid_field *field, const fm_fluid_kernels *kernels, double cell,
                            fm_pool *pool, fm_error *err);
void fm_fluid_field_destroy(fm_fluid_field *field);

// marching_cubes.c: extracts the isosurface as triangles with normals. Vertices in particle
// spacings.
fm_surface *fm_fluid_field_extract_surface(fm_fluid_field *field, fm_pool *pool, fm_error *err);

// fluid_cavities.c: removes closed cavities inside the fluid of less than the given volume, in
// particle volumes: gaps between particles, which would look like bubbles.
bool fm_surface_remove_cavities(fm_surface *surface, double volume, fm_error *err);

// taubin_smoothing.c: smooths the surface by `steps` steps, which remove bumps smaller than a few
// cells and keep the volume; smooths the normals as well.
bool fm_surface_smooth(fm_surface *surface, int steps, fm_pool *pool, fm_error *err);

// fluid_levels.c: moves the vertices onto the free surface, where levels[0] is 0, then onto walls,
// where levels[1] is 0. levels: spacings, [count] in the order of the particles before sorting, or
// NULL; x, y, z: their sorted positions.
bool fm_surface_move_to_levels(fm_surface *surface, const fm_fluid_kernels *kernels,
                               const double *x, const double *y, const double *z,
                               const float *const levels[2], fm_arena *arena, fm_pool *pool,
                               fm_error *err);

#endif
