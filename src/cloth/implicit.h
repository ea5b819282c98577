// SPDX-License-Identifier: MIT
// implicit.h: the implicit integrators of a cloth: the linear system of a Newton iteration, its
// solver, and the data of a time step. implicit.c has the equations.
#ifndef FATHOM_CLOTH_IMPLICIT_H
#define FATHOM_CLOTH_IMPLICIT_H

#include "cloth/cloth.h"
#include "cloth/mesh_levels.h"
#include "collide/contact.h"

// A vector field in single precision: three arrays that follow each other in memory.
typedef struct fm_float_axes {
    float *x, *y, *z;
} fm_float_axes;

// Symmetric 3 x 3 matrices, one array for each element: xx, xy, xz, yy, yz, zz. N/m
typedef struct fm_blocks {
    float *m[6];
} fm_blocks;

// Interpolation along one direction, from coarse rows or columns to fine ones: fine one i has the
// value sum_k spread[k][i] * coarse[first[i] + k]. gather has the same weights for the transposed
// operation: coarse one c receives sum_k gather[k][c] * fine[2 c + k - FM_GATHER].
enum { FM_GATHER = 3 };
typedef struct fm_transfer {
    int fine, coarse; // number of rows or columns
    int *first;
    float *spread[4], *gather[2 * FM_GATHER + 1];
} fm_transfer;

// The matrix of a Newton iteration, symmetric and positive definite, on a grid of particles (a
// sheet, or a coarser level of it):
//
//     A p = own p + sum over pairs K (p_a - p_b) + bending p
//
// Of a tube or mesh, only cloth, count, lanes, own and moves are used; mesh_levels.h has the rest.
// Single precision is enough: the matrix only decides how fast Newton's method converges.
typedef struct fm_system {
    const fm_cloth *cloth; // of the finest level
    bool is_grid, finest;
    int columns, rows, count, lanes;
    int row_block;    // rows that one parallel task handles
    int family_count; // families of pairs, as fm_springs
    int down[FM_SPRINGS_MAX], across[FM_SPRINGS_MAX];
    // K of each pair: pair[family] at its particle a. On the finest level, K = alpha + p p^T with p
    // in m[0], m[1], m[2] and alpha in m[3]: fewer numbers to read.
    fm_blocks pair[FM_SPRINGS_MAX];
    fm_blocks own;                            // of each particle: inertia, drag, pins
    fm_blocks inverse;                        // of the diagonal blocks of A; 0 for pinned particles
    float bend_across, bend_down, bend_twist; // N/m, coefficients as in sheet_bending.c
    float *column_weight;                     // [columns] 1, and 1/2 in the first and last column
    // [columns] coefficients of bending: of the columns from two to the left to two to the right in
    // the second differences; 1 for a left and a right neighbour that exist
    float *bend_along[5], *bend_neighbour[2];
    float *bend_inner[9];  // [columns] N/m, coefficients of bending in rows away from the border
    float *moves;          // [lanes] 1; 0 for pinned particles
    double eigenvalue;     // bound on the largest eigenvalue of inverse * A
    fm_float_axes x, b, r; // scratch of the solver: solution, right-hand side, residual
    fm_float_axes step;    // scratch of the smoother
    fm_transfer across_columns, across_rows; // to the next finer level
} fm_system;

// Why a Newton solve stopped before it converged.
typedef enum fm_newton_fault {
    FM_NEWTON_CONVERGED,
    FM_NEWTON_ITERATIONS, // the largest number of iterations was reached
    FM_NEWTON_NOT_FINITE, // a force is not a finite number
} fm_newton_fault;

enum { FM_LEVELS_MAX = 12 };

// A stage of one cloth, for loops over its particles.
typedef struct fm_stage_task {
    fm_substep *s;
    struct fm_implicit *m;
    fm_frame_view frame;
    const fm_vec3_array *known; // of the drag memory
    double old, older;          // BDF2: weights of the states; others: 1, 0
    bool trapezoid;
    double step; // of the line search
} fm_stage_task;

// Data of the implicit integrators of one cloth. All of it is scratch: a snapshot needs none.
typedef struct fm_implicit {
    fm_system level[FM_LEVELS_MAX]; // 0: the cloth; coarser grids of a sheet
    int level_count;
    fm_mesh_levels *mesh; // of a tube or mesh; NULL: a sheet
    fm_stage_task task;
    int first_vertex; // of the cloth in the contact set
    fm_hessian_factors factors;
    fm_implicit_stage stage;
    double w0; // weight of the newest rate in the drag memory

    // the stage: x' = r + tau v', dv/dt = (v' - s)/tau, and s of u = v - w in the turning frames
    fm_vec3_array r, s, frame_s;
    fm_vec3_array first_x, first_v, first_u; // at the beginning of the step; u in frames
    fm_vec3_array v;                         // m/s, at the present iterate
    fm_vec3_array gradient;                  // N
    fm_vec3_array base;                      // m, positions before the line search
    fm_vec3_array begin;                     // m, positions at the beginning of the stage
    // solver: solution, residual, preconditioned residual, direction, product
    fm_float_axes solution, residual, correction, direction, product;
    double *partial;         // sums of blocks
    unsigned char *touching; // [particle] 1: pushed by a collider or a cloth at the end of the step
    fm_blocks stitch;        // of each stitch of the seams
    int stitch_room;

    // in this advance
    int iterations;        // of Newton's method
    int linear_iterations; // of conjugate gradients
    int failures;          // stages whose Newton solve did not converge, of the shortest length
    int retries;           // stages that were cut into shorter ones because their solve failed
    int solves;            // stages, with those that were tried again
    fm_newton_fault fault; // of the last failure
} fm_implicit;

// Cloths that are solved together, because contact may join them.
typedef struct fm_implicit_group {
    fm_cloth *const *cloths;
    int count;
    fm_contact_set *set; // NULL: no cloth is near another one or near itself
    fm_pool *pool;       // of the contact set
    int pair_count;      // pairs in contact at the last evaluation
    double end, h;       // s, of the step
    double largest;      // m, rms step of Newton's method so far
} fm_implicit_group;

// implicit.c: one cloth in a stage.
// Begins a stage that ends at the time `end`, s: known parts, the first guess, pins.
bool fm_stage_begin(fm_stage_task *t, double tau, double interval, double end, fm_error *err);
void fm_stage_evaluate(fm_stage_task *t); // gradient and own blocks at the present positions
void fm_stage_finish(fm_stage_task *t);   // velocities, accelerations, rates and frames
void fm_stage_push_memories(fm_stage_task *t);

// implicit_system.c
bool fm_system_create(fm_system *system, fm_cloth *cloth, fm_error *err);
bool fm_system_create_columns(fm_system *system, fm_arena *arena, fm_error *err);
// Computes the matrix at positions x. own and moves have been set.
void fm_system_assemble(fm_system *a, const fm_vec3_array *x, const fm_hessian_factors *factors,
                        fm_pool *pool);
// Computes `inverse` and `eigenvalue` from all other members.
void fm_system_invert_diagonal(fm_system *a, fm_pool *pool);
void fm_system_multiply(const fm_system *a, fm_pool *pool, const fm_float_axes *in,
                        const fm_float_axes *out);
// Vectors and blocks of a grid have that many zeros before and after them: its product reads up to
// two rows and columns beyond its particles, and multiplies what it finds there by 0.
int fm_system_find_pad(const fm_system *a);
bool fm_float_axes_create(fm_arena *arena, int lanes, int pad, fm_float_axes *axes, fm_error *err);
bool fm_blocks_create(fm_arena *arena, int lanes, int pad, fm_blocks *blocks, fm_error *err);

// implicit_contact.c: colliders inside the solve.
void fm_implicit_add_colliders(const fm_substep *s, double tau, int i, fm_vec3 x, fm_vec3 v,
                               fm_vec3 *f, double block[6]);
// Returns whether particle i is in contact.
bool fm_implicit_stop_bounce(const fm_substep *s, fm_implicit *m, int i);

// implicit_seams.c: stitches in the linear system.
bool fm_implicit_reserve_seams(fm_cloth *cloth, fm_error *err); // before the first substep
void fm_implicit_add_seams(fm_stage_task *t);                   // after the own blocks
void fm_implicit_multiply_seams(const fm_implicit *m, const fm_cloth *cloth);

// implicit_multigrid.c: coarser levels of a sheet, and one V-cycle as a preconditioner.
bool fm_levels_create(fm_implicit *implicit, fm_cloth *cloth, fm_error *err);
void fm_levels_assemble(fm_implicit *m, fm_pool *pool);
void fm_levels_apply(const fm_implicit *m, fm_pool *pool, const fm_float_axes *in,
                     const fm_float_axes *out);

// mesh_levels.c: the matrix of a tube or mesh at positions x, with its stitches; the
// preconditioner; the product.
void fm_mesh_levels_assemble(fm_implicit *m, const fm_vec3_array *x, fm_pool *pool);
void fm_mesh_levels_apply(const fm_implicit *m, fm_pool *pool, const fm_float_axes *in,
                          const fm_float_axes *out);
void fm_mesh_levels_multiply(const fm_implicit *m, fm_pool *pool, const fm_float_axes *in,
                             const fm_float_axes *out);

// implicit_solver.c: solves A solution = -gradient of all cloths by conjugate gradients to the
// relative accuracy `tolerance`. Returns the number of iterations.
int fm_implicit_solve(const fm_implicit_group *group, double tolerance);

#endif
