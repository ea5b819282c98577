// SPDX-License-Identifier: MIT
// sheet_triangles.c: the force term of shear and lateral contraction of a woven sheet
// (stretch.model: triangles).
//
// Each corner of a cell forms a triangle of constant strain with its two neighbours. U and V are
// its edges along the row and along the column, dx and dy their rest lengths:
//
//     e_u = |U|/dx - 1,   e_v = |V|/dy - 1,   gamma = U.V/(|U||V|)     strains, sine of the shear
//     E = A/4 (C e_u e_v + G/2 gamma^2)                                of one of the four triangles
//
//   A  m^2, dx dy      G  N/m, shear modulus      C  N/m, nu sqrt(E_u E_v) with Poisson's ratio nu
//
// The parts E_u e_u^2/2 and E_v e_v^2/2 of the same triangles belong to one edge each and are the
// stretch springs (springs.c), with the modulus of warp or weft and stiffening. A strip pulled
// along u contracts by nu sqrt(E_u/E_v) times its strain, and its modulus is E_u (1 - nu^2).
//
// With an implicit integrator, the second derivatives of the shear are those of the diagonal
// springs that the other model has; those of C are left out. The springs of that family act through
// their damping only.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

static bool applies(const fm_cloth *c)
{
    return c->kind == FM_CLOTH_SHEET && c->def.stretch.model == FM_STRETCH_TRIANGLES;
}

// The moduli of a cell.
typedef struct moduli {
    double shear, lateral; // A/4 G and A/4 C, N m
    double dx, dy;         // m
} moduli;

static moduli find_moduli(const fm_cloth *c)
{
    double area = c->dx * c->dy / 4;
    double weft = c->def.stretch.weft > 0 ? c->def.stretch.weft : c->def.stretch.stiffness;
    return (moduli){area * c->def.shear.stiffness,
                    area * c->def.stretch.poisson * sqrt(c->def.stretch.stiffness * weft), c->dx,
                    c->dy};
}

// An edge of a cell.
typedef struct edge {
    fm_vec3 e;              // unit vector
    double inverse, strain; // 1/m; dimensionless
} edge;

static edge find_edge(const fm_vec3_array *x, int from, int to, double rest)
{
    fm_vec3 d = fm_sub(fm_vec3_array_at(*x, to), fm_vec3_array_at(*x, from));
    double length = fm_length(d) + FM_TINY;
    return (edge){fm_scale(d, 1 / length), 1 / length, length / rest - 1};
}

// The edges of the cell whose first corner is particle i: along rows (upper, lower) and along
// columns (left, right).
typedef struct cell {
    edge u[2], v[2];
} cell;

static cell find_cell(const fm_cloth *c, const fm_vec3_array *x, int i)
{
    int n = c->columns;
    return (cell){{find_edge(x, i, i + 1, c->dx), find_edge(x, i + n, i + n + 1, c->dx)},
                  {find_edge(x, i, i + n, c->dy), find_edge(x, i + 1, i + n + 1, c->dy)}};
}

// Adds the derivatives of the energy of one triangle with respect to its edges U and V to du, dv.
static void add_gradient(const moduli *m, const edge *u, const edge *v, fm_vec3 *du, fm_vec3 *dv)
{
    double gamma = fm_dot(u->e, v->e);
    fm_vec3 across_u = fm_add_scaled(v->e, u->e, -gamma);
    fm_vec3 across_v = fm_add_scaled(u->e, v->e, -gamma);
    *du = fm_add_scaled(*du, u->e, m->lateral * v->strain / m->dx);
    *du = fm_add_scaled(*du, across_u, m->shear * gamma * u->inverse);
    *dv = fm_add_scaled(*dv, v->e, m->lateral * u->strain / m->dy);
    *dv = fm_add_scaled(*dv, across_v, m->shear * gamma * v->inverse);
}

static void add_force(const fm_vec3_array *f, int i, fm_vec3 a, double sign)
{
    f->x[i] += sign * a.x, f->y[i] += sign * a.y, f->z[i] += sign * a.z;
}

// Adds the forces of the cells to the particles in rows [first, last). Cells that cross into rows
// of another task are computed by both tasks.
static void add_rows(fm_cloth *c, fm_term *term, const fm_vec3_array *x, int first, int last)
{
    (void)term;
    const moduli m = find_moduli(c);
    int n = c->columns;
    for (int r = first > 0 ? first - 1 : 0; r < last && r + 1 < c->rows; r++) {
        for (int q = 0; q + 1 < n; q++) {
            int i = r * n + q;
            cell k = find_cell(c, x, i);
            fm_vec3 du[2] = {{0, 0, 0}, {0, 0, 0}}, dv[2] = {{0, 0, 0}, {0, 0, 0}};
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    add_gradient(&m, &k.u[a], &k.v[b], &du[a], &dv[b]);
            if (r >= first) {
                add_force(&c->force, i, fm_add(du[0], dv[0]), 1);
                add_force(&c->force, i + 1, fm_sub(dv[1], du[0]), 1);
            }
            if (r + 1 < last) {
                add_force(&c->force, i + n, fm_sub(du[1], dv[0]), 1);
                add_force(&c->force, i + n + 1, fm_add(du[1], dv[1]), -1);
            }
        }
    }
}

static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)term, (void)around;
    const moduli m = find_moduli(c);
    double sum = 0;
    for (int r = 0; r + 1 < c->rows; r++)
        for (int q = 0; q + 1 < c->columns; q++) {
            cell k = find_cell(c, &c->x, r * c->columns + q);
            for (int t = 0; t < 4; t++) {
                const edge *u = &k.u[t / 2], *v = &k.v[t % 2];
                double gamma = fm_dot(u->e, v->e);
                sum += m.lateral * u->strain * v->strain + m.shear / 2 * gamma * gamma;
            }
        }
    return (fm_energies){.potential = sum};
}

// The stiffness of the springs, which springs.c counts with that of the diagonals, bounds omega^2;
// lateral contraction raises it by nu.
static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    (void)term;
    return (fm_term_bound){.of_springs = c->def.stretch.poisson};
}

static void add_hessian(const fm_cloth *c, const fm_term *term, const fm_implicit_stage *stage,
                        fm_hessian_factors *factors)
{
    (void)c, (void)term, (void)stage, (void)factors;
}

const fm_term_type fm_triangles_term = {
    .name = "triangles",
    .applies = applies,
    .add_rows = add_rows,
    .add_hessian = add_hessian,
    .bound = bound,
    .energy = energy,
};
