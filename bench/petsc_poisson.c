// SPDX-License-Identifier: MIT
// petsc_poisson.c: a program that solves the pressure equation of a closed tank with PETSc, for
// `fathom bench grid` to compare with. Built only where PETSc is installed.
//
// petsc_poisson N: N^3 cells, conjugate gradients with algebraic multigrid (GAMG), right side the
// divergence of a random velocity between walls, until the residual is 1e-6 of the right side in
// the 2-norm. Prints seconds of the set-up, seconds of the solve, and iterations.
#include <petscdmda.h>
#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>

// A random number from -1/2 to 1/2 for a face, the same in every run; 0 on walls.
static double draw_velocity(int n, int axis, const int at[3])
{
    if (at[axis] == 0 || at[axis] == n)
        return 0;
    uint64_t x = (((uint64_t)at[2] * 4096 + (uint64_t)at[1]) * 4096 + (uint64_t)at[0]) * 3 +
                 (uint64_t)axis + 1;
    for (int i = 0; i < 3; i++)
        x = (x ^ x >> 31) * 6364136223846793005u;
    return (double)(x >> 11) * 0x1p-53 - 0.5;
}

// One row of the matrix and of the right side.
static void fill_row(Mat A, PetscScalar ***b, int n, int i, int j, int k)
{
    MatStencil row = {.i = i, .j = j, .k = k}, columns[7];
    PetscScalar values[7], diagonal = 0, divergence = 0;
    int count = 0;
    for (int side = 0; side < 6; side++) {
        int axis = side / 2, next[3] = {i, j, k}, face[3] = {i, j, k};
        next[axis] += side % 2 ? 1 : -1;
        face[axis] += side % 2;
        divergence += (side % 2 ? -1 : 1) * draw_velocity(n, axis, face);
        if (next[axis] < 0 || next[axis] >= n)
            continue;
        columns[count] = (MatStencil){.i = next[0], .j = next[1], .k = next[2]};
        values[count++] = -1;
        diagonal += 1;
    }
    columns[count] = row;
    values[count++] = diagonal;
    MatSetValuesStencil(A, 1, &row, count, columns, values, INSERT_VALUES);
    b[k][j][i] = divergence;
}

static void assemble(DM cells, Mat A, Vec b, int n)
{
    DMDALocalInfo box;
    PetscScalar ***values;
    DMDAGetLocalInfo(cells, &box);
    DMDAVecGetArray(cells, b, &values);
    for (int k = box.zs; k < box.zs + box.zm; k++)
        for (int j = box.ys; j < box.ys + box.ym; j++)
            for (int i = box.xs; i < box.xs + box.xm; i++)
                fill_row(A, values, n, i, j, k);
    DMDAVecRestoreArray(cells, b, &values);
    MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    if (n < 2 || PetscInitialize(&argc, &argv, NULL, NULL))
        return 1;
    DM cells;
    Mat A;
    Vec x, b;
    MatNullSpace constants;
    KSP solver;
    PC multigrid;
    PetscInt iterations = 0;
    DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                 DMDA_STENCIL_STAR, n, n, n, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL,
                 NULL, NULL, &cells);
    DMSetUp(cells);
    DMCreateMatrix(cells, &A);
    DMCreateGlobalVector(cells, &x);
    VecDuplicate(x, &b);
    assemble(cells, A, b, n);
    MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constants);
    MatSetNullSpace(A, constants);
    MatNullSpaceRemove(constants, b);
    KSPCreate(PETSC_COMM_WORLD, &solver);
    KSPSetOperators(solver, A, A);
    KSPSetType(solver, KSPCG);
    KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED);
    KSPGetPC(solver, &multigrid);
    PCSetType(multigrid, PCGAMG);
    KSPSetTolerances(solver, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 200);
    KSPSetFromOptions(solver);
    double start = MPI_Wtime();
    KSPSetUp(solver);
    double ready = MPI_Wtime();
    KSPSolve(solver, b, x);
    double end = MPI_Wtime();
    KSPGetIterationNumber(solver, &iterations);
    PetscPrintf(PETSC_COMM_WORLD, "%.3f %.3f %d\n", ready - start, end - ready, (int)iterations);
    KSPDestroy(&solver);
    MatNullSpaceDestroy(&constants);
    VecDestroy(&b);
    VecDestroy(&x);
    MatDestroy(&A);
    DMDestroy(&cells);
    PetscFinalize();
    return 0;
}
