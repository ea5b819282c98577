// SPDX-License-Identifier: MIT
// sheet.c: the forces inside a sheet, as stencils without index arrays.
//
// A sheet is a grid of particles, spacing dx along columns and dy along rows. Springs after Choi
// and Ko [CK02]: stretch to the next column and row, shear along both diagonals of a cell, and, for
// the published bending model, over two cells:
//
//     F = k (l - l0) d / l,     d from one end to the other, l = |d|
//
// Spring constants come from surface moduli, so that the sheet keeps them when refined:
//
//     stretch  k = E dy/dx (columns), E dx/dy (rows)      half of that along the border
//     shear    k = G L^2 / (2 dx dy), L the diagonal: the energy per area is G gamma^2 / 2 for a
//              shear gamma of the cell; stretched along x, diagonals add G (dx/dy)^2 to E
//     bend     k = E_b dy/dx, E_b dx/dy, E_b over two cells; energy of fourth order when flat
//
// The default bending is the energy of second differences, B the rigidity:
//
//     E = B/2 integral |x_uu|^2 + 2 |x_uv|^2 + |x_vv|^2 dA
//
// which is the curvature of a sheet that does not stretch, is linear in the positions, does not see
// rigid motions, and converges with the mesh. Discretely, with S = x(c-1) - 2 x(c) + x(c+1) along a
// row, T the same along a column and W = x(r,c) - x(r,c+1) - x(r+1,c) + x(r+1,c+1) over a cell:
//
//     E = bend_across/2 |S|^2 + bend_down/2 |T|^2 + bend_twist/2 |W|^2
//     bend_across = B dy/dx^3,  bend_down = B dx/dy^3,  bend_twist = 2 B/(dx dy)
//
// [CK02] Choi, Ko: Stable but responsive cloth. SIGGRAPH 2002.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_springs(fm_cloth *cloth, int down, int across, double stiffness, double damping,
                        bool by_row, bool by_column)
{
    double rest = hypot(across * cloth->dx, down * cloth->dy);
    if (stiffness > 0 || damping > 0)
        cloth->springs[cloth->springs_count++] = (fm_springs){
            .down = down,
            .across = across,
            .rest = rest,
            .stiffness = stiffness,
            .damping = damping,
            .by_row = by_row,
            .by_column = by_column,
        };
}

// Damping goes with stiffness: the coefficient belongs to the stretch springs, the others have it
// in proportion to their modulus.
void fm_sheet_setup(fm_cloth *cloth)
{
    const fm_cloth_def *def = &cloth->def;
    double dx = cloth->dx, dy = cloth->dy;
    double across = dy / dx, down = dx / dy;
    double diagonal = (dx * dx + dy * dy) / (2 * dx * dy);
    double stretch = def->stretch.stiffness, shear = def->shear.stiffness;
    double c = def->damping.coefficient, per = stretch > 0 ? c / stretch : 0;
    cloth->springs_count = 0;
    add_springs(cloth, 0, 1, stretch * across, c * across, true, false);
    add_springs(cloth, 1, 0, stretch * down, c * down, false, true);
    add_springs(cloth, 1, 1, shear * diagonal, per * shear * diagonal, false, false);
    add_springs(cloth, 1, -1, shear * diagonal, per * shear * diagonal, false, false);
    double bend = def->bend.stiffness;
    if (def->bend.model == FM_BEND_SPRINGS) {
        add_springs(cloth, 0, 2, bend * across, per * bend * across, true, false);
        add_springs(cloth, 2, 0, bend * down, per * bend * down, false, true);
        add_springs(cloth, 2, 2, bend * diagonal, per * bend * diagonal, false, false);
        add_springs(cloth, 2, -2, bend * diagonal, per * bend * diagonal, false, false);
    } else {
        cloth->bend_across = bend * dy / (dx * dx * dx);
        cloth->bend_down = bend * dx / (dy * dy * dy);
        cloth->bend_twist = 2 * bend / (dx * dy);
    }
}

// Adds what springs carry to one end, in another row than the other, and takes it from that.
FM_SIMD_CLONES
static void give_rows(int n, const double *restrict sx, const double *restrict sy,
                      const double *restrict sz, double *restrict ax, double *restrict ay,
                      double *restrict az, double *restrict bx, double *restrict by,
                      double *restrict bz)
{
#pragma omp simd
    for (int c = 0; c < n; c++) {
        ax[c] += sx[c];
        ay[c] += sy[c];
        az[c] += sz[c];
        bx[c] -= sx[c];
        by[c] -= sy[c];
        bz[c] -= sz[c];
    }
}

// The same for one end only: within a row the ends overlap, and at the border of a task's rows the
// other end is not its own.
FM_SIMD_CLONES
static void give_row(int n, double sign, const double *restrict sx, const double *restrict sy,
                     const double *restrict sz, double *restrict x, double *restrict y,
                     double *restrict z)
{
#pragma omp simd
    for (int c = 0; c < n; c++) {
        x[c] += sign * sx[c];
        y[c] += sign * sy[c];
        z[c] += sign * sz[c];
    }
}

static void visit_springs(const fm_cloth *cloth, const fm_springs *springs,
                          fm_spring_kernel *kernel, const void *context, const fm_axes *target,
                          int r, int first, int last)
{
    double s[3][FM_SHEET_COLUMNS_MAX];
    int columns = cloth->columns, below = r + springs->down;
    // rows outside [first, last) belong to another task
    bool give_a = r >= first, give_b = below < last && below >= first;
    if (below >= cloth->rows || (!give_a && !give_b))
        return;
    int start = springs->across < 0 ? -springs->across : 0;
    int n = columns - abs(springs->across);
    int a = r * columns + start, b = below * columns + start + springs->across;
    double border = springs->by_row && (r == 0 || r == cloth->rows - 1) ? 0.5 : 1;
    const double *weight = springs->by_column ? cloth->column_weight + start : cloth->ones;
    kernel(context, springs, n, a, b, border, weight, s[0], s[1], s[2]);
    if (give_a && give_b && springs->down > 0) {
        give_rows(n, s[0], s[1], s[2], target->x + a, target->y + a, target->z + a, target->x + b,
                  target->y + b, target->z + b);
        return;
    }
    if (give_a)
        give_row(n, 1, s[0], s[1], s[2], target->x + a, target->y + a, target->z + a);
    if (give_b)
        give_row(n, -1, s[0], s[1], s[2], target->x + b, target->y + b, target->z + b);
}

void fm_sheet_gather(const fm_cloth *cloth, fm_spring_kernel *kernel, const void *context,
                     const fm_axes *target, int first, int last)
{
    size_t from = (size_t)first * cloth->columns;
    size_t size = (size_t)(last - first) * cloth->columns * sizeof(double);
    memset(target->x + from, 0, size);
    memset(target->y + from, 0, size);
    memset(target->z + from, 0, size);
    int reach = cloth->def.bend.model == FM_BEND_SPRINGS ? 2 : 1;
    for (int r = first > reach ? first - reach : 0; r < last; r++) {
        for (int i = 0; i < cloth->springs_count; i++)
            visit_springs(cloth, &cloth->springs[i], kernel, context, target, r, first, last);
    }
}

FM_SIMD_CLONES
static void elastic_row(int n, const double *restrict ax, const double *restrict ay,
                        const double *restrict az, const double *restrict bx,
                        const double *restrict by, const double *restrict bz, double k, double rest,
                        const double *restrict weight, double *restrict sx, double *restrict sy,
                        double *restrict sz)
{
#pragma omp simd
    for (int c = 0; c < n; c++) {
        double dx = bx[c] - ax[c], dy = by[c] - ay[c], dz = bz[c] - az[c];
        double l =
            sqrt(dx * dx + dy * dy + dz * dz + 1e-200); // two particles in one place: no force
        double f = k * weight[c] * (1 - rest / l);
        sx[c] = f * dx;
        sy[c] = f * dy;
        sz[c] = f * dz;
    }
}

static void elastic_kernel(const void *context, const fm_springs *springs, int n, int a, int b,
                           double border, const double *weight, double *sx, double *sy, double *sz)
{
    const fm_axes *x = context;
    elastic_row(n, x->x + a, x->y + a, x->z + a, x->x + b, x->y + b, x->z + b,
                border * springs->stiffness, springs->rest, weight, sx, sy, sz);
}

// force -= k second difference of the second differences of p along a row; s holds n + 2 numbers.
FM_SIMD_CLONES
static void bend_along_row(int n, const double *restrict p, double k, double *restrict s,
                           double *restrict force)
{
    s[0] = s[1] = s[n] = s[n + 1] = 0; // s[c + 1] belongs to column c; the border has none
#pragma omp simd
    for (int c = 1; c < n - 1; c++)
        s[c + 1] = p[c - 1] - 2 * p[c] + p[c + 1];
#pragma omp simd
    for (int c = 0; c < n; c++)
        force[c] -= k * (s[c] - 2 * s[c + 1] + s[c + 2]);
}

// force -= k weight times a combination of five rows, p being the middle one.
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

// Row of the matrix of squared second differences along a column of `rows` particles. Rows that the
// sheet does not have get the coefficient 0 and the offset 0.
static void bend_coefficients(int r, int rows, int columns, double coefficient[5], int offset[5])
{
    memset(coefficient, 0, 5 * sizeof *coefficient);
    for (int middle = r - 1; middle <= r + 1; middle++) {
        if (middle < 1 || middle > rows - 2)
            continue;
        double own = middle == r ? -2 : 1;
        coefficient[middle - r + 1] += own;
        coefficient[middle - r + 2] -= 2 * own;
        coefficient[middle - r + 3] += own;
    }
    for (int i = 0; i < 5; i++)
        offset[i] = r + i - 2 >= 0 && r + i - 2 < rows ? (i - 2) * columns : 0;
}

// Twist of the cells between row p and the row below it, given to both rows.
FM_SIMD_CLONES
static void twist_cells(int n, const double *restrict p, const double *restrict below, double k,
                        double *restrict cell, double *restrict force, double *restrict force_below)
{
    cell[0] = cell[n] = 0; // cell[c + 1] lies right of column c
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

static void apply_bending(const fm_cloth *cloth, const double *p, double *f, int r, int first,
                          int last, double *scratch)
{
    int n = cloth->columns;
    size_t row = (size_t)r * n;
    if (r >= first) {
        double half = r == 0 || r == cloth->rows - 1 ? 0.5 : 1, coefficient[5];
        int offset[5];
        bend_along_row(n, p + row, half * cloth->bend_across, scratch, f + row);
        bend_coefficients(r, cloth->rows, n, coefficient, offset);
        bend_down_rows(n, p + row, coefficient, offset, cloth->bend_down, cloth->column_weight,
                       f + row);
    }
    if (r + 1 < cloth->rows) {
        double *dump = scratch + n + 2;
        twist_cells(n, p + row, p + row + n, cloth->bend_twist, scratch,
                    r >= first ? f + row : dump, r + 1 < last ? f + row + n : dump);
    }
}

void fm_sheet_forces(const fm_cloth *cloth, const fm_axes *x, const fm_axes *force, int first,
                     int last)
{
    fm_sheet_gather(cloth, elastic_kernel, x, force, first, last);
    if (cloth->bend_across <= 0)
        return;
    double scratch[2 * FM_SHEET_COLUMNS_MAX + 4];
    for (int r = first > 0 ? first - 1 : 0; r < last; r++) {
        apply_bending(cloth, x->x, force->x, r, first, last, scratch);
        apply_bending(cloth, x->y, force->y, r, first, last, scratch);
        apply_bending(cloth, x->z, force->z, r, first, last, scratch);
    }
}

FM_SIMD_CLONES
static void normal_row(int n, int left, int right, const double *restrict x,
                       const double *restrict y, const double *restrict z, int up, int down,
                       double *restrict nx, double *restrict ny, double *restrict nz)
{
#pragma omp simd
    for (int c = 0; c < n; c++) {
        double ax = x[c + right] - x[c + left], ay = y[c + right] - y[c + left];
        double az = z[c + right] - z[c + left];
        double bx = x[c + up] - x[c + down], by = y[c + up] - y[c + down];
        double bz = z[c + up] - z[c + down];
        double px = ay * bz - az * by, py = az * bx - ax * bz, pz = ax * by - ay * bx;
        double s = 1 / sqrt(px * px + py * py + pz * pz + 1e-200);
        nx[c] = px * s;
        ny[c] = py * s;
        nz[c] = pz * s;
    }
}

// n = (x(c+1) - x(c-1)) x (x(r-1) - x(r+1)), one-sided at the border: +z for a sheet as it is made.
void fm_sheet_normals(const fm_cloth *cloth, const fm_axes *x, const fm_axes *out, int first,
                      int last)
{
    int n = cloth->columns;
    for (int r = first; r < last; r++) {
        int row = r * n, up = r > 0 ? -n : 0, down = r < cloth->rows - 1 ? n : 0;
        const int start[3] = {0, 1, n - 1}, count[3] = {1, n - 2, 1};
        for (int part = 0; part < 3; part++) {
            int i = row + start[part], left = part == 0 ? 0 : -1, right = part == 2 ? 0 : 1;
            normal_row(count[part], left, right, x->x + i, x->y + i, x->z + i, up, down, out->x + i,
                       out->y + i, out->z + i);
        }
    }
}
