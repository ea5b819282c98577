// SPDX-License-Identifier: MIT
// mesh_levels.h: levels of a spring mesh for the implicit integrators. Part of implicit.h.
//
// Level 0 is the cloth; the particles of a coarser level are some of those of the finer one. The
// matrix of each level is
//
//     A p = own p + sum over pairs K (p_i - p_j) + bending sum over pairs k (p_i - p_j)
//
// with symmetric 3 x 3 blocks K and numbers k. Vectors have four floats for each particle, the last
// of which is 0, and blocks have six floats: xx, xy, xz, yy, yz, zz.
#ifndef FATHOM_CLOTH_MESH_LEVELS_H
#define FATHOM_CLOTH_MESH_LEVELS_H

#include "cloth/cloth.h"
#include "core/simd.h"

// Lists of numbered weights: the entries of row i are start[i] to start[i + 1] - 1.
typedef struct fm_rows {
    int *start, *column;
    float *weight;
} fm_rows;

typedef struct fm_mesh_level {
    int count, pair_count;
    // interpolation to the next finer level: by its particles, and transposed by those of this one
    fm_rows spread, gather;
    fm_rows lump;         // transposed, without negative weights, for `own`
    fm_rows sum;          // for each pair, the pairs of the finer level whose weighted sum is its K
    float *pair;          // N/m, K of each pair
    fm_rows near, far;    // partners of each particle, weighted by k: those with K, those without
    int *near_pair;       // pair of each entry of near
    float *near_block;    // N/m, K + bending k of each entry of near
    float *own, *inverse; // N/m, m/N; blocks of each particle; inverse of the diagonal of A
    const float *moves;   // of level 0: 1, and 0 for pinned particles; else NULL
    fm_four_floats *x, *next_x, *b, *r, *step; // scratch: solution, right-hand side, residual
} fm_mesh_level;

enum { FM_MESH_LEVELS_MAX = 16 };
typedef struct fm_mesh_levels {
    fm_mesh_level level[FM_MESH_LEVELS_MAX];
    int count;
    int stitch_count; // in the plan of the matrices; -1: there is no plan yet
    float bending;    // factor on all k
    bool active;      // the coarser levels take part in the present solve
} fm_mesh_levels;

// mesh_coarsening.c: chooses the particles of the coarser levels, and the interpolation between
// levels, from the positions of the cloth at its creation.
bool fm_mesh_levels_create(fm_cloth *cloth, fm_mesh_levels *levels, fm_error *err);
// mesh_levels_plan.c: lists the pairs of each level, once all seams are sewn.
bool fm_mesh_levels_plan(fm_cloth *cloth, fm_mesh_levels *levels, fm_error *err);

#endif
