// SPDX-License-Identifier: MIT
// sheet_bending.c: the force term of bending, for sheets; hinge_bending.c computes it for tubes and
// meshes.
//
// The bending energy of a sheet is
//
//     E = B/2 integral |x_uu|^2 + 2 |x_uv|^2 + |x_vv|^2 dA
//
//   B  N m, bending rigidity      x(u, v)  m, position      dx, dy  m, spacing of columns and rows
//
// For a sheet that does not stretch, the integrand is its squared curvature. The force is linear in
// the positions, invariant under rigid motions, and converges under refinement. The discrete form
// uses the second differences S = x(c-1) - 2 x(c) + x(c+1) along a row, T along a column, and the
// twist W = x(r,c) - x(r,c+1) - x(r+1,c) + x(r+1,c+1) of a cell:
//
//     E = bend_across/2 |S|^2 + bend_down/2 |T|^2 + bend_twist/2 |W|^2
//     bend_across = B dy/dx^3,  bend_down = B dx/dy^3,  bend_twist = 2 B/(dx dy)
//
// Warp and weft may differ: B is that of the yarns along the second difference, and the geometric
// mean of both in the twist.
//
// Bound on omega^2: 16 (bend_across + bend_down + bend_twist) / m, with the mass m of a particle
// inside the sheet. The published bending model uses springs over two cells instead, see springs.c.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

static bool applies(const fm_cloth *c)
{
    return c->def.bend.stiffness > 0 && c->def.bend.model != FM_BEND_SPRINGS;
}

// Computes the coefficients of the bending energy of a sheet. The hinges of tubes and meshes were
// added when these were created.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    (void)term, (void)err;
    double warp = c->def.bend.stiffness, dx = c->dx, dy = c->dy;
    double weft = c->def.bend.weft > 0 ? c->def.bend.weft : warp;
    bool across = c->def.warp == FM_WARP_ACROSS;
    if (c->kind == FM_CLOTH_SHEET) {
        c->bend_across = (across ? warp : weft) * dy / (dx * dx * dx);
        c->bend_down = (across ? weft : warp) * dx / (dy * dy * dy);
        c->bend_twist = 2 * sqrt(warp * weft) / (dx * dy);
    }
    return true;
}

// Bending force along a row of n particles: force -= k times the second difference of the second
// differences of p. p: one coordinate of the positions; s: scratch of n + 2 numbers, s[c + 1] is
// the second difference at column c, 0 at the border.
FM_SIMD_CLONES
static void bend_along_row(int n, const double *restrict p, double k, double *restrict s,
                           double *restrict force)
{
    s[0] = s[1] = s[n] = s[n + 1] = 0;
#pragma omp simd
    for (int c = 1; c < n - 1; c++)
        s[c + 1] = p[c - 1] - 2 * p[c] + p[c + 1];
#pragma omp simd
    for (int c = 0; c < n; c++)
        force[c] -= k * (s[c] - 2 * s[c + 1] + s[c + 2]);
}

// Bending force along the columns, on a row of n particles: force -= k * weight * (linear
// combination of the row and the two rows above and below). p: one coordinate of the positions in
// the row; coefficient, offset: of the five rows (bend_coefficients).
FM_SIMD_CLONES
static void bend_down_rows(int n, const double *restrict p, const double coefficient[5],
                           const int offset[5], double k, const double *restrict weight,
                           double *restrict force)
{
    double c0 = coefficient[0], c1 = coefficient[1], c2 = coefficient[2], c3 = coefficient[3];
    double c4 = coefficient[4];
    const double *p0 = p + offset[0], *p1 = p + offset[1], *p3 = p + offset[3], *p4 = p + offset[4];
#pragma omp simd
    for (int c = 0; c < n; c++)
        force[c] -= k * weight[c] * (c0 * p0[c] + c1 * p1[c] + c2 * p[c] + c3 * p3[c] + c4 * p4[c]);
}

// Row r of the matrix D^T D, where D takes second differences along a column of `rows` particles.
// Rows outside the sheet get the coefficient 0 and the offset 0.
static void bend_coefficients(int r, int rows, int columns, double coefficient[5], int offset[5])
{
    memset(coefficient, 0, 5 * sizeof *coefficient);
    for (int middle = r - 1; middle <= r + 1; middle++) {
        if (middle < 1 || middle > rows - 2)
            continue;
        double factor = middle == r ? -2 : 1; // of row r in the second difference at `middle`
        coefficient[middle - r + 1] += factor;
        coefficient[middle - r + 2] -= 2 * factor;
        coefficient[middle - r + 3] += factor;
    }
    for (int i = 0; i < 5; i++)
        offset[i] = r + i - 2 >= 0 && r + i - 2 < rows ? (i - 2) * columns : 0;
}

// Adds the forces from the twist of the cells between a row of n particles and the row below it to
// both rows. p, below: one coordinate of the positions in the two rows; cell: scratch of n + 1
// numbers, cell[c + 1] is k times the twist of the cell right of column c.
FM_SIMD_CLONES
static void twist_cells(int n, const double *restrict p, const double *restrict below, double k,
                        double *restrict cell, double *restrict force, double *restrict force_below)
{
    cell[0] = cell[n] = 0;
#pragma omp simd
    for (int c = 0; c < n - 1; c++)
        cell[c + 1] = k * (p[c] - p[c + 1] - below[c] + below[c + 1]);
#pragma omp simd
    for (int c = 0; c < n; c++) {
        double f = cell[c + 1] - cell[c];
        force[c] -= f;
        force_below[c] += f;
    }
}

// Adds bending forces along one axis to row r, if it is in [first, last), and the forces of the
// twist below row r to those of the rows r and r + 1 that are in [first, last); the forces on other
// rows, which belong to other tasks, go to `unused`. p: positions, f: forces along that axis.
static void add_row_bending(const fm_cloth *cloth, const double *p, double *f, int r, int first,
                            int last, double *scratch)
{
    int n = cloth->columns;
    size_t row = (size_t)r * n;
    if (r >= first) {
        double border = r == 0 || r == cloth->rows - 1 ? 0.5 : 1, coefficient[5];
        int offset[5];
        bend_along_row(n, p + row, border * cloth->bend_across, scratch, f + row);
        bend_coefficients(r, cloth->rows, n, coefficient, offset);
        bend_down_rows(n, p + row, coefficient, offset, cloth->bend_down, cloth->column_weight,
                       f + row);
    }
    if (r + 1 < cloth->rows) {
        double *unused = scratch + n + 2;
        twist_cells(n, p + row, p + row + n, cloth->bend_twist, scratch,
                    r >= first ? f + row : unused, r + 1 < last ? f + row + n : unused);
    }
}

// Adds the bending forces to the particles in rows [first, last) of a sheet. It starts one row
// above, whose twist acts on row `first`.
static void add_rows(fm_cloth *c, fm_term *term, const fm_vec3_array *x, int first, int last)
{
    (void)term;
    double scratch[2 * FM_SHEET_COLUMNS_MAX + 4];
    for (int r = first > 0 ? first - 1 : 0; r < last; r++) {
        add_row_bending(c, x->x, c->force.x, r, first, last, scratch);
        add_row_bending(c, x->y, c->force.y, r, first, last, scratch);
        add_row_bending(c, x->z, c->force.z, r, first, last, scratch);
    }
}

// Computes the forces of the hinges in a part of a tube or mesh.
static void compute_elements(fm_cloth *c, fm_term *term, const fm_vec3_array *x,
                             fm_element_parts part)
{
    (void)term;
    int count = c->mesh.hinge_count;
    fm_spring_mesh_compute_hinge_forces(c, x, fm_element_parts_first(part, count),
                                        fm_element_parts_last(part, count));
}

// Adds the forces of the hinges to the particles [first, last) of a tube or mesh.
static void gather_elements(fm_cloth *c, fm_term *term, int first, int last)
{
    (void)term;
    const fm_spring_mesh *mesh = &c->mesh;
    const fm_vec3_array *f = &c->force;
    for (int i = first; i < last; i++) {
        fm_vec3 sum = fm_vec3_array_at(*f, i);
        for (int k = mesh->hinges.start[i]; k < mesh->hinges.start[i + 1]; k++) {
            int entry = mesh->hinges.entry[k];
            sum = fm_add(sum, fm_vec3_array_at(mesh->hinge_force[entry % 4], entry / 4));
        }
        f->x[i] = sum.x, f->y[i] = sum.y, f->z[i] = sum.z;
    }
}

// Contribution of bending to the bound on omega^2; formula at the head of this file.
static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    (void)term;
    double sum = c->bend_across + c->bend_down + c->bend_twist;
    return (fm_term_bound){.fixed = c->kind == FM_CLOTH_SHEET ? 16 * sum / fm_cloth_cell_mass(c)
                                                              : fm_spring_mesh_bending_bound(c)};
}

// m^2, squared norm of x(i - step) - 2 x(i) + x(i + step).
static double square_second_difference(const fm_cloth *c, int i, int step)
{
    fm_vec3 d = fm_add(fm_vec3_array_at(c->x, i - step), fm_vec3_array_at(c->x, i + step));
    d = fm_sub(d, fm_scale(fm_vec3_array_at(c->x, i), 2));
    return fm_dot(d, d);
}

// J, bending energy of the second differences centred at a particle and of the twist of its cell.
static double compute_cell_energy(const fm_cloth *c, int row, int column)
{
    int n = c->columns, i = row * n + column;
    double energy = 0;
    if (column > 0 && column < n - 1)
        energy += c->bend_across / 2 * square_second_difference(c, i, 1) *
                  (row == 0 || row == c->rows - 1 ? 0.5 : 1);
    if (row > 0 && row < c->rows - 1)
        energy += c->bend_down / 2 * square_second_difference(c, i, n) * c->column_weight[column];
    if (row < c->rows - 1 && column < n - 1) {
        fm_vec3 w =
            fm_add(fm_sub(fm_vec3_array_at(c->x, i), fm_vec3_array_at(c->x, i + 1)),
                   fm_sub(fm_vec3_array_at(c->x, i + n + 1), fm_vec3_array_at(c->x, i + n)));
        energy += c->bend_twist / 2 * fm_dot(w, w);
    }
    return energy;
}

// Bending energy of the whole cloth.
static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)term, (void)around;
    double sum = 0;
    for (int i = 0; i < c->count && c->kind == FM_CLOTH_SHEET; i++)
        sum += compute_cell_energy(c, i / c->columns, i % c->columns);
    return (fm_energies){.potential =
                             c->kind == FM_CLOTH_SHEET ? sum : fm_spring_mesh_bending_energy(c)};
}

static void add_hessian(const fm_cloth *c, const fm_term *term, const fm_implicit_stage *stage,
                        fm_hessian_factors *factors)
{
    (void)c, (void)term, (void)stage;
    factors->bending += 1;
}

const fm_term_type fm_bending_term = {
    .name = "bending",
    .add_hessian = add_hessian,
    .applies = applies,
    .setup = setup,
    .add_rows = add_rows,
    .compute_elements = compute_elements,
    .gather_elements = gather_elements,
    .bound = bound,
    .energy = energy,
};
