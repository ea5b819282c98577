// SPDX-License-Identifier: MIT
// springs.c: the force term of springs between neighbouring particles.
//
// A sheet is a grid of particles with spacing dx of the columns and dy of the rows. Its springs
// follow Choi and Ko [CK02]: stretch springs to the next column and row, shear springs along both
// diagonals of a cell and, for the published bending model, springs over two cells:
//
//     F = k (l - l0) d / l,     d from one end to the other, l = |d|, l0 the rest length
//
// The spring constants k (N/m) follow from surface moduli (N/m), so that the sheet keeps its
// stiffness under refinement:
//
//     stretch  k = E dy/dx (along a row), E dx/dy (along a column); half of that at the border
//     with stiffening (stretch.stiffening = e_s) the force under tension is multiplied by
//              1 + (strain/e_s)^2
//     shear    k = G L^2 / (2 dx dy), with the diagonal L: the energy per area is G gamma^2 / 2
//              for a shear angle gamma. Under stretch along x, the diagonals add G (dx/dy)^2 to E
//     bend     k = E_b dy/dx, E_b dx/dy, E_b (dx^2 + dy^2) / (2 dx dy) over two cells; the energy
//              of a flat sheet is of fourth order in the deflection. These are springs like the
//              others, so they are here and not in sheet_bending.c
//
// A sheet has no index arrays: the springs of one family in one row are one loop. Tubes and meshes
// have a list of edges (fm_spring_mesh) with the same force law.
//
// Bound on omega^2 (Gershgorin): 2 sum k / m, over the springs at a particle of mass m.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

// Adds a family of springs to a sheet, from each particle to the one `down` rows below and `across`
// columns to the right. stiffness: N/m; damping: N s^order/m; by_row, by_column: half as strong in
// the first and last row, or column.
static void add_family(fm_cloth *cloth, int down, int across, double stiffness, double damping,
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

// Creates the families of springs of a sheet. The damping coefficient of the definition applies to
// stretch springs; that of other springs is scaled by the ratio of the moduli.
static void setup_sheet(fm_cloth *cloth)
{
    const fm_cloth_def *def = &cloth->def;
    double dx = cloth->dx, dy = cloth->dy;
    double across = dy / dx, down = dx / dy;
    double diagonal = (dx * dx + dy * dy) / (2 * dx * dy);
    double warp = def->stretch.stiffness, shear = def->shear.stiffness,
           strain = def->stretch.stiffening;
    double weft = def->stretch.weft > 0 ? def->stretch.weft : warp;
    bool is_across = def->warp == FM_WARP_ACROSS;
    double c = def->damping.coefficient, per = warp > 0 ? c / warp : 0; // per modulus
    cloth->springs_count = 0;
    add_family(cloth, 0, 1, (is_across ? warp : weft) * across, c * across, true, false);
    add_family(cloth, 1, 0, (is_across ? weft : warp) * down, c * down, false, true);
    for (int i = 0; i < cloth->springs_count && strain > 0; i++)
        cloth->springs[i].stiffening = 1 / (strain * strain);
    add_family(cloth, 1, 1, shear * diagonal, per * shear * diagonal, false, false);
    add_family(cloth, 1, -1, shear * diagonal, per * shear * diagonal, false, false);
    for (int i = 0; i < cloth->springs_count; i++)
        cloth->springs[i].damped_only = def->stretch.model == FM_STRETCH_TRIANGLES &&
                                        cloth->springs[i].down && cloth->springs[i].across;
    double bend = def->bend.stiffness;
    if (def->bend.model == FM_BEND_SPRINGS) {
        add_family(cloth, 0, 2, bend * across, per * bend * across, true, false);
        add_family(cloth, 2, 0, bend * down, per * bend * down, false, true);
        add_family(cloth, 2, 2, bend * diagonal, per * bend * diagonal, false, false);
        add_family(cloth, 2, -2, bend * diagonal, per * bend * diagonal, false, false);
    }
}

// Creates the springs of a sheet. Tubes and meshes got their edges when they were created.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    (void)term, (void)err;
    if (c->kind == FM_CLOTH_SHEET)
        setup_sheet(c);
    return true;
}

// Adds the spring forces s to one end a of n springs and subtracts them from the other end b, which
// must be in another row.
FM_SIMD_CLONES
static void add_to_both_rows(int n, const double *restrict sx, const double *restrict sy,
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

// Adds sign times the forces s of n springs to one end (x, y, z) only: within a row the arrays of
// both ends overlap, and at the border of a task's rows the other end belongs to another task.
FM_SIMD_CLONES
static void add_to_row(int n, double sign, const double *restrict sx, const double *restrict sy,
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

// Adds the forces of the springs of one family that start in row r to their ends in the rows
// [first, last); other rows belong to another task. kernel: computes the forces.
static void add_spring_row(const fm_cloth *cloth, const fm_springs *springs,
                           fm_spring_kernel *kernel, const void *context,
                           const fm_vec3_array *target, int r, int first, int last)
{
    double s[3][FM_SHEET_COLUMNS_MAX];
    int columns = cloth->columns, below = r + springs->down;
    bool has_a = r >= first, has_b = below < last && below >= first;
    if (below >= cloth->rows || (!has_a && !has_b))
        return;
    int start = springs->across < 0 ? -springs->across : 0;
    int n = columns - abs(springs->across);
    int a = r * columns + start, b = below * columns + start + springs->across;
    double border = springs->by_row && (r == 0 || r == cloth->rows - 1) ? 0.5 : 1;
    const double *weight = springs->by_column ? cloth->column_weight + start : cloth->ones;
    kernel(context, springs, n, a, b, border, weight, s[0], s[1], s[2]);
    if (has_a && has_b && springs->down > 0) {
        add_to_both_rows(n, s[0], s[1], s[2], target->x + a, target->y + a, target->z + a,
                         target->x + b, target->y + b, target->z + b);
        return;
    }
    if (has_a)
        add_to_row(n, 1, s[0], s[1], s[2], target->x + a, target->y + a, target->z + a);
    if (has_b)
        add_to_row(n, -1, s[0], s[1], s[2], target->x + b, target->y + b, target->z + b);
}

// Adds the forces of all springs, computed by `kernel`, to the particles in rows [first, last) of a
// sheet. It starts `reach` rows above, whose springs end in these rows.
void fm_sheet_gather_springs(const fm_cloth *cloth, fm_spring_kernel *kernel, const void *context,
                             const fm_vec3_array *target, int first, int last)
{
    int reach = cloth->def.bend.model == FM_BEND_SPRINGS ? 2 : 1;
    for (int r = first > reach ? first - reach : 0; r < last; r++) {
        for (int i = 0; i < cloth->springs_count; i++)
            add_spring_row(cloth, &cloth->springs[i], kernel, context, target, r, first, last);
    }
}

// Forces (sx, sy, sz) of n springs of a row on their ends a, towards b. k: stiffness, scaled by
// weight; rest: rest length, m; stiffening: 1/strain^2; ga, gb: relative change of the rest length
// at the ends (imperfection.c).
FM_SIMD_CLONES
static void compute_row_forces(int n, const double *restrict ax, const double *restrict ay,
                               const double *restrict az, const double *restrict bx,
                               const double *restrict by, const double *restrict bz, double k,
                               double rest, double stiffening, const double *restrict ga,
                               const double *restrict gb, const double *restrict weight,
                               double *restrict sx, double *restrict sy, double *restrict sz)
{
#pragma omp simd
    for (int c = 0; c < n; c++) {
        double dx = bx[c] - ax[c], dy = by[c] - ay[c], dz = bz[c] - az[c];
        double l = sqrt(dx * dx + dy * dy + dz * dz + FM_TINY);
        double l0 = rest * (1 + 0.5 * (ga[c] + gb[c]));
        double strain = l / l0 - 1, pulled = strain > 0 ? strain : 0;
        double f = k * weight[c] * (1 - l0 / l) * (1 + stiffening * pulled * pulled);
        sx[c] = f * dx;
        sy[c] = f * dy;
        sz[c] = f * dz;
    }
}

// Inputs of elastic_kernel.
typedef struct elastic {
    const fm_vec3_array *x; // m, positions
    const double *scatter;  // relative change of the rest lengths at each particle
} elastic;

// Elastic forces of n springs in a row of a sheet, as a callback (fm_spring_kernel) of
// fm_sheet_gather_springs.
static void elastic_kernel(const void *context, const fm_springs *springs, int n, int a, int b,
                           double border, const double *weight, double *sx, double *sy, double *sz)
{
    const elastic *e = context;
    const fm_vec3_array *x = e->x;
    compute_row_forces(n, x->x + a, x->y + a, x->z + a, x->x + b, x->y + b, x->z + b,
                       springs->damped_only ? 0 : border * springs->stiffness, springs->rest,
                       springs->stiffening, e->scatter + a, e->scatter + b, weight, sx, sy, sz);
}

static void add_rows(fm_cloth *c, fm_term *term, const fm_vec3_array *x, int first, int last)
{
    (void)term;
    elastic e = {x, c->rest_scatter};
    fm_sheet_gather_springs(c, elastic_kernel, &e, &c->force, first, last);
}

// Forces (sx, sy, sz) of n edges of a tube, mesh or line on their ends a, towards b. k: stiffness,
// N/m. least: the smallest 1 - l0/l that has a force; 0 for lines that go slack, else -infinity.
FM_SIMD_CLONES
static void compute_edge_forces(int n, const int *restrict a, const int *restrict b,
                                const double *restrict x, const double *restrict y,
                                const double *restrict z, const double *restrict k,
                                const double *restrict rest, double least, double *restrict sx,
                                double *restrict sy, double *restrict sz)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = x[b[i]] - x[a[i]], dy = y[b[i]] - y[a[i]], dz = z[b[i]] - z[a[i]];
        double l = sqrt(dx * dx + dy * dy + dz * dz + FM_TINY);
        double strain = 1 - rest[i] / l, f = k[i] * (strain > least ? strain : least);
        sx[i] = f * dx;
        sy[i] = f * dy;
        sz[i] = f * dz;
    }
}

// True if the edges carry tension only.
static bool goes_slack(const fm_cloth *c)
{
    return c->line && c->line->tension_only;
}

// Computes the forces of the edges in a part of a tube or mesh.
static void compute_elements(fm_cloth *c, fm_term *term, const fm_vec3_array *x,
                             fm_element_parts part)
{
    (void)term;
    const fm_spring_mesh *mesh = &c->mesh;
    const fm_vec3_array *f = &mesh->edge_force;
    int a = fm_element_parts_first(part, mesh->edge_count),
        b = fm_element_parts_last(part, mesh->edge_count);
    if (mesh->triangle_rest) // mesh_triangles.c
        return;
    if (fm_fabric_has_own_law(c)) {
        fm_fabric_compute_edges(c, x, a, b);
        return;
    }
    compute_edge_forces(b - a, mesh->edge_a + a, mesh->edge_b + a, x->x, x->y, x->z,
                        mesh->edge_stiffness + a, mesh->edge_rest + a,
                        goes_slack(c) ? 0 : -INFINITY, f->x + a, f->y + a, f->z + a);
}

static void gather_elements(fm_cloth *c, fm_term *term, int first, int last)
{
    (void)term;
    if (!c->mesh.triangle_rest)
        fm_spring_mesh_gather_edges(c, &c->force, first, last);
}

// Strength of a spring in row or column i of `count`: half at the border.
static double border_weight(int i, int count)
{
    return i == 0 || i == count - 1 ? 0.5 : 1;
}

// Sums stiffness and number over the springs at particle i of a sheet: those that start there and,
// with the opposite sign of down and across, those that end there.
static fm_spring_totals sum_sheet_springs(const fm_cloth *c, int i)
{
    fm_spring_totals sum = {0};
    int row = i / c->columns, column = i % c->columns;
    for (int s = 0; s < 2 * c->springs_count; s++) {
        const fm_springs *k = &c->springs[s / 2];
        int sign = s % 2 ? -1 : 1, r = row + sign * k->down, q = column + sign * k->across;
        if (r < 0 || r >= c->rows || q < 0 || q >= c->columns)
            continue;
        double weight = (k->by_row ? border_weight(row, c->rows) : 1) *
                        (k->by_column ? border_weight(column, c->columns) : 1);
        sum.stiffness += weight * k->stiffness;
        sum.damped += k->damping > 0;
    }
    return sum;
}

// Sums the stiffness of the springs at particle i, and counts the damped ones.
fm_spring_totals fm_springs_sum_at_particle(const fm_cloth *c, int i)
{
    const fm_spring_mesh *mesh = &c->mesh;
    fm_spring_totals sum = {0};
    if (c->kind == FM_CLOTH_SHEET)
        return sum_sheet_springs(c, i);
    for (int k = mesh->edges.start[i]; k < mesh->edges.start[i + 1]; k++) {
        int e = mesh->edges.entry[k] / 2;
        sum.stiffness += mesh->edge_stiffness[e];
        sum.damped += mesh->edge_damping[e] > 0;
    }
    return sum;
}

static void add_stiffness(fm_cloth *c, fm_term *term)
{
    (void)term;
    for (int i = 0; i < c->count; i++)
        c->spring_sum[i] += fm_springs_sum_at_particle(c, i).stiffness;
}

// Scales the stiffness of all springs.
static void scale_stiffness(fm_cloth *c, fm_term *term, double factor)
{
    (void)term;
    for (int s = 0; s < c->springs_count; s++)
        c->springs[s].stiffness *= factor;
    for (int e = 0; e < c->mesh.edge_count; e++)
        c->mesh.edge_stiffness[e] *= factor;
}

// Contribution to the bound on omega^2: 1 times the bound 2 sum k / m, which follows from
// c->spring_sum, the sums of k at the particles.
static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    (void)c, (void)term;
    return (fm_term_bound){.of_springs = 1};
}

// J, elastic energy of the spring of family s that starts at (row, column) of a sheet; 0 if it
// would end outside the sheet.
static double compute_spring_energy(const fm_cloth *c, const fm_springs *s, int row, int column)
{
    int r = row + s->down, q = column + s->across;
    if (r >= c->rows || q < 0 || q >= c->columns)
        return 0;
    double weight = s->by_row && (row == 0 || row == c->rows - 1) ? 0.5 : 1;
    weight *= s->by_column ? c->column_weight[column] : 1;
    int a = row * c->columns + column, b = r * c->columns + q;
    double rest = s->rest * fm_cloth_rest_factor(c, a, b);
    double elongation = fm_cloth_particle_distance(c, a, b) - rest;
    double strain = fmax(elongation / rest, 0);
    return s->damped_only ? 0
                          : 0.5 * s->stiffness * weight * elongation * elongation *
                                (1 + s->stiffening * strain * strain / 2);
}

// Elastic energy of all springs.
static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)term, (void)around;
    const fm_spring_mesh *mesh = &c->mesh;
    double sum = 0;
    for (int row = 0; row < c->rows && c->springs_count > 0; row++)
        for (int column = 0; column < c->columns; column++)
            for (int s = 0; s < c->springs_count; s++)
                sum += compute_spring_energy(c, &c->springs[s], row, column);
    for (int e = 0; e < mesh->edge_count && !mesh->triangle_rest; e++) {
        if (fm_fabric_has_own_law(c)) {
            sum += fm_fabric_edge_energy(c, e);
            continue;
        }
        double elongation =
            fm_cloth_particle_distance(c, mesh->edge_a[e], mesh->edge_b[e]) - mesh->edge_rest[e];
        elongation = goes_slack(c) ? fmax(elongation, 0) : elongation;
        sum += 0.5 * mesh->edge_stiffness[e] * elongation * elongation;
    }
    return (fm_energies){.potential = sum};
}

static void add_hessian(const fm_cloth *c, const fm_term *term, const fm_implicit_stage *stage,
                        fm_hessian_factors *factors)
{
    (void)c, (void)term, (void)stage;
    factors->springs += 1;
}

const fm_term_type fm_springs_term = {
    .name = "springs",
    .add_hessian = add_hessian,
    .setup = setup,
    .add_rows = add_rows,
    .compute_elements = compute_elements,
    .gather_elements = gather_elements,
    .add_stiffness = add_stiffness,
    .scale_stiffness = scale_stiffness,
    .bound = bound,
    .energy = energy,
};
