// SPDX-License-Identifier: MIT
// pressure.h: the interface of the pressure solver, and the multigrid hierarchy inside it.
//
// The solver knows cells and conductances between them, and nothing of velocities. It solves
//
//     g_i x_i + sum over the six faces f of cell i:  c_f (x_i - x_f) = b_i
//
//   x_f  value of the neighbour across face f; 0 outside the grid, where the pressure is given
//   c_f  conductance of the face: its open area / distance of the two values, relative to a face
//        inside the fluid; 0: a wall or a solid; 2: an open side, whose value is half a cell away.
//   g_i  conductance of the cell to a pressure of 0 inside the grid: sum of A / s over the faces
//        of open area A beyond which a free surface is at the fraction s of the distance
//
// Bodies that the pressure moves add w a (a . x) to the left side for each direction in which they
// can move: a has the flux into each cell per velocity of the body, and w is the mass of a cell of
// fluid over that of the body [BBB07].
//
// [BBB07] Batty, Bertails, Bridson: A fast variational framework for accurate solid-fluid coupling.
//         ACM Transactions on Graphics 26(3), 2007.
//
// Another solver takes its place by providing the functions below.
#ifndef FATHOM_GRID_PRESSURE_H
#define FATHOM_GRID_PRESSURE_H

#include "core/core.h"

// Arrays over cells have one layer of cells around the grid: cell (i, j, k) has the index
// start + i stride[0] + j stride[1] + k stride[2].
typedef struct fm_cell_layout {
    int n[3];
    ptrdiff_t stride[3], start;
    size_t count; // elements to allocate
    bool periodic[3];
} fm_cell_layout;

typedef struct fm_poisson fm_poisson;

typedef struct fm_poisson_result {
    int iterations;
    double residual; // largest |residual| of a cell at the end
    bool converged;
} fm_poisson_result;

fm_poisson *fm_poisson_create(fm_arena *arena, const int n[3], const bool periodic[3],
                              fm_error *err);
const fm_cell_layout *fm_poisson_layout(const fm_poisson *solver);
// Conductances of the low faces of all cells along an axis. The face at n[axis] is the high face of
// the last cell. Call fm_poisson_prepare after writing them.
float *fm_poisson_conductances(fm_poisson *solver, int axis);
// Conductances of the cells to the pressure 0; all 0 unless they are written.
float *fm_poisson_given_conductances(fm_poisson *solver);
void fm_poisson_prepare(fm_poisson *solver, fm_pool *pool);
// Sets the conductance of the low face of one cell, by its index, along an axis, and that of its
// copy on the other side of a periodic grid. Call fm_poisson_update, which is quick, before the
// next solve. Zero must stay zero, and other values positive.
void fm_poisson_set_conductance(fm_poisson *solver, int axis, ptrdiff_t cell, float value);
void fm_poisson_update(fm_poisson *solver, fm_pool *pool);
double *fm_poisson_right_side(fm_poisson *solver); // b; overwritten by the solve
// x: the first guess before the solve, the solution after it, with ghosts of periodic axes.
double *fm_poisson_solution(fm_poisson *solver);
// An element of the vector a of a body: the index of a cell, and the value there.
typedef struct fm_flux_entry {
    ptrdiff_t cell;
    double value;
} fm_flux_entry;
// One direction in which a body moves: elements `first` to first + count - 1 of the list.
typedef struct fm_flux_vector {
    int first, count;
    double weight; // w
} fm_flux_vector;
// Bodies that the pressure moves, from now on; the lists must stay valid. count 0: none.
void fm_poisson_set_bodies(fm_poisson *solver, const fm_flux_entry *entries,
                           const fm_flux_vector *vectors, int count);
// a . x for the solution x.
double fm_poisson_find_flux(const fm_poisson *solver, const fm_flux_vector *vector);
// Solves until no |residual| exceeds `tolerance`, in the unit of b; takes at least one
// iteration. If no face of any cell leads to a given pressure, the mean of b over the fluid is
// removed, and that of x is zero.
fm_poisson_result fm_poisson_solve(fm_poisson *solver, double tolerance, int iterations,
                                   fm_pool *pool);

// multigrid.c: the preconditioner, in single precision.
enum { FM_MULTIGRID_LEVELS_MAX = 24 };

typedef struct fm_multigrid_level {
    fm_cell_layout layout;
    int factor[3];          // cells of this level per cell of the next: 2, or 1 if not coarsened
    float *c[3];            // conductances of low faces
    float *given;           // conductance to the pressure 0
    float full[3];          // conductance of a face inside the fluid
    float *inverse;         // 1 / sum of the conductances of a cell; 0 for solid cells
    float *b, *x, *y;       // right side, and two iterates
    unsigned char *uniform; // [rows] all conductances of the row are full, but for its end faces
    unsigned char *changed; // [rows] conductances of its faces have changed since the last update
} fm_multigrid_level;

typedef struct fm_multigrid {
    fm_multigrid_level levels[FM_MULTIGRID_LEVELS_MAX];
    int count;
    double *factor; // [cells^2] Cholesky factor of the coarsest level; NULL: smoothed instead
    double *solved; // [cells]
} fm_multigrid;

bool fm_multigrid_create(fm_multigrid *grid, fm_arena *arena, const int n[3],
                         const bool periodic[3], fm_error *err);
// Computes all that depends on the conductances of the finest level.
void fm_multigrid_prepare(fm_multigrid *grid, fm_pool *pool);
// The same where rows of the finest level are marked as changed.
void fm_multigrid_update(fm_multigrid *grid, fm_pool *pool);
// One V-cycle: b of the finest level to y of the finest level.
void fm_multigrid_cycle(fm_multigrid *grid, fm_pool *pool);

// multigrid.c: the layout of arrays over n[0] x n[1] x n[2] cells.
fm_cell_layout fm_cell_layout_create(const int n[3], const bool periodic[3]);
// Index of the first cell (0, j, k) of a row, with row = j + n[1] k.
static inline ptrdiff_t fm_cell_row(const fm_cell_layout *l, int row)
{
    return l->start + row % l->n[1] * l->stride[1] + row / l->n[1] * l->stride[2];
}
// Number of rows of cells along x.
static inline int fm_cell_row_count(const fm_cell_layout *l)
{
    return l->n[1] * l->n[2];
}
enum { FM_GRID_BLOCK = 16 }; // rows per parallel block

// The pool if a loop that takes one thread `ns` nanoseconds is worth sharing. The loops of a
// substep follow each other at once and find the workers spinning, so a third of the usual time is
// enough.
static inline fm_pool *fm_grid_share(fm_pool *pool, double ns)
{
    return fm_pool_if_worthwhile(pool, 3 * ns);
}

#endif
