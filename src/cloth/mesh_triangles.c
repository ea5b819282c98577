// SPDX-License-Identifier: MIT
// mesh_triangles.c: the force term of the triangles of a woven mesh (stretch.model: triangles), and
// the directions of warp and weft in a mesh.
//
// Each triangle has a constant deformation gradient. w and f are its columns, the images of the
// unit vectors along warp and weft, linear in the positions of the corners [BW98]:
//
//     w = sum a_k x_k,   f = sum b_k x_k,   sum a_k = sum b_k = 0
//     e_w = |w| - 1,   e_f = |f| - 1,   gamma = w.f/(|w||f|)         strains, sine of the shear
//     E = A (U_w(e_w) + U_f(e_f) + C e_w e_f + G/2 gamma^2)
//     dU/de = T = E_w e (1 + (e/s)^2 where e > 0)
//
//   A  m^2, at rest    E_w, E_f, G  N/m, moduli    C  N/m, nu sqrt(E_w E_f)    s  stiffening
//
// so that the moduli do not depend on the mesh. Sheets have the same law (sheet_triangles.c).
//
// The second derivatives for the implicit integrators, and the bound on omega^2, are those of
// springs along the edges. The strains are linear in the relative elongations of the three edges,
// strain = M epsilon, and sum_l |K_kl| of the matrix K = A M^T D M / (l_k l_l), with D of the law
// above at rest, is a spring constant of edge k with which the springs are nowhere softer than the
// triangle.
//
// [BW98] Baraff, Witkin: Large steps in cloth simulation. SIGGRAPH 1998.
#include "cloth/cloth.h"

#include <math.h>

// Parameters and scratch of the term.
typedef struct triangles {
    double *a[2], *b[2];       // 1/m, a_k and b_k of the corners 1 and 2 of each triangle
    double *area;              // m^2, at rest
    fm_vec3_array along, over; // scratch: forces on the corners 1 and 2, N
} triangles;

static bool applies(const fm_cloth *c)
{
    return c->kind == FM_CLOTH_MESH && c->def.stretch.model == FM_STRETCH_TRIANGLES;
}

// The moduli of warp, weft and shear, and C, N/m.
typedef struct moduli {
    double warp, weft, shear, lateral;
    double stiffening; // 1/strain^2
} moduli;

static moduli find_moduli(const fm_cloth *c)
{
    double warp = c->def.stretch.stiffness, weft = c->def.stretch.weft,
           s = c->def.stretch.stiffening;
    weft = weft > 0 ? weft : warp;
    return (moduli){warp, weft, c->def.shear.stiffness, c->def.stretch.poisson * sqrt(warp * weft),
                    s > 0 ? 1 / (s * s) : 0};
}

bool fm_mesh_has_warp(const fm_cloth_def *def)
{
    return def->stretch.model == FM_STRETCH_TRIANGLES || fm_length(def->warp_axis) > 0;
}

// Direction at rest along which the texture coordinate of the warp grows and the other does not:
// dX/dv, or dX/du with warp across. uv: of the three corners; x: their rest positions.
static fm_vec3 find_uv_direction(const fm_vec3 *x, const float *uv, bool across)
{
    fm_vec3 e1 = fm_sub(x[1], x[0]), e2 = fm_sub(x[2], x[0]);
    double u1 = (double)uv[2] - uv[0], v1 = (double)uv[3] - uv[1];
    double u2 = (double)uv[4] - uv[0], v2 = (double)uv[5] - uv[1], det = u1 * v2 - u2 * v1;
    double sign = det < 0 ? -1 : 1; // a mirrored texture has the same yarns
    return across ? fm_scale(fm_add_scaled(fm_scale(e1, v2), e2, -v1), sign)
                  : fm_scale(fm_add_scaled(fm_scale(e2, u1), e1, -u2), sign);
}

// The unit vector of the warp at rest in a triangle with these corners: by an axis, or by texture
// coordinates. Zero if it cannot be found.
fm_vec3 fm_mesh_find_warp(const fm_cloth_def *def, const fm_vec3 *corner, const float *uv)
{
    fm_vec3 n = fm_cross(fm_sub(corner[1], corner[0]), fm_sub(corner[2], corner[0]));
    bool by_axis = fm_length(def->warp_axis) > 0;
    fm_vec3 d = by_axis ? def->warp_axis
                : uv    ? find_uv_direction(corner, uv, def->warp == FM_WARP_ACROSS)
                        : (fm_vec3){0, 0, 0};
    double length = fm_length(d);
    n = fm_scale(n, 1 / fm_length(n));
    d = fm_add_scaled(d, n, -fm_dot(d, n));
    if (by_axis && fm_length(d) < 1e-6 * length) // the axis is perpendicular to the triangle
        d = fm_vec3_find_perpendicular(n);
    return fm_length(d) > 0 ? fm_scale(d, 1 / fm_length(d)) : d;
}

// A triangle at rest: coordinates of the edges 0-1 and 0-2 along warp and weft.
typedef struct rest {
    double w1, f1, w2, f2; // m
    double area;           // m^2
} rest;

static rest measure_rest(const fm_vec3 *corner, fm_vec3 warp)
{
    fm_vec3 e1 = fm_sub(corner[1], corner[0]), e2 = fm_sub(corner[2], corner[0]);
    fm_vec3 n = fm_cross(e1, e2), weft = fm_scale(fm_cross(n, warp), 1 / fm_length(n));
    return (rest){fm_dot(e1, warp), fm_dot(e1, weft), fm_dot(e2, warp), fm_dot(e2, weft),
                  fm_length(n) / 2};
}

// Spring constants of the edges 0-1, 1-2 and 2-0 of a triangle; see the head of this file.
static void find_edge_constants(const moduli *m, const rest *r, double constant[3])
{
    double w[3] = {r->w1, r->w2 - r->w1, -r->w2}, f[3] = {r->f1, r->f2 - r->f1, -r->f2};
    double P[3][3], M[3][3]; // epsilon = P strain, M its inverse
    for (int k = 0; k < 3; k++) {
        double ll = w[k] * w[k] + f[k] * f[k];
        P[k][0] = w[k] * w[k] / ll, P[k][1] = f[k] * f[k] / ll, P[k][2] = w[k] * f[k] / ll;
    }
    double det = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            M[i][j] = P[a][c] * P[b][d] - P[a][d] * P[b][c];
            det += i == 0 ? P[j][0] * M[0][j] : 0;
        }
    for (int k = 0; k < 3; k++) {
        constant[k] = 0;
        for (int l = 0; l < 3; l++) {
            double sum = m->warp * M[0][k] * M[0][l] + m->weft * M[1][k] * M[1][l] +
                         m->shear * M[2][k] * M[2][l] +
                         m->lateral * (M[0][k] * M[1][l] + M[1][k] * M[0][l]);
            double lengths = hypot(w[k], f[k]) * hypot(w[l], f[l]);
            constant[k] += fabs(r->area * sum / (det * det * lengths));
        }
    }
}

void fm_mesh_find_edge_constants(const fm_cloth *c, int t, const fm_vec3 *corner,
                                 double constant[3])
{
    const moduli m = find_moduli(c);
    rest r = measure_rest(corner, c->mesh.triangle_warp[t]);
    find_edge_constants(&m, &r, constant);
    for (int k = 0; k < 3; k++)
        constant[k] *= fm_mesh_triangle_weight(c, t);
}

// The mean of the factors at its corners.
double fm_mesh_triangle_weight(const fm_cloth *c, int t)
{
    const double *weight = c->mesh.stretch_weight;
    const int *p = c->mesh.triangle + 3 * (size_t)t;
    return weight ? (weight[p[0]] + weight[p[1]] + weight[p[2]]) / 3 : 1;
}

// Stores the coefficients of the triangles from their rest positions, which the mesh keeps until
// its terms have been created.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    const char *name = c->object.name;
    size_t n = (size_t)c->mesh.triangle_count;
    triangles *own = fm_arena_alloc(&c->arena, 1, sizeof *own, name, err);
    if (!own)
        return false;
    for (int k = 0; k < 2; k++) {
        own->a[k] = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
        own->b[k] = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    }
    own->area = fm_arena_alloc(&c->arena, n, sizeof(double), name, err);
    own->along = fm_vec3_array_create(&c->arena, (int)n, err);
    own->over = fm_vec3_array_create(&c->arena, (int)n, err);
    if (err->status != FM_OK)
        return false;
    for (size_t t = 0; t < n; t++) {
        rest r = measure_rest(c->mesh.triangle_rest + 3 * t, c->mesh.triangle_warp[t]);
        double det = r.w1 * r.f2 - r.w2 * r.f1;
        own->a[0][t] = r.f2 / det, own->a[1][t] = -r.f1 / det;
        own->b[0][t] = -r.w2 / det, own->b[1][t] = r.w1 / det;
        own->area[t] = r.area;
    }
    term->data = own;
    return true;
}

// A column of the deformation gradient.
typedef struct column {
    fm_vec3 e;              // unit vector
    double inverse, strain; // 1/length; dimensionless
} column;

static column find_column(fm_vec3 d, double factor)
{
    double length = fm_length(d) + FM_TINY;
    return (column){fm_scale(d, 1 / length), 1 / length, length / factor - 1};
}

static double find_tension(double modulus, double strain, double stiffening)
{
    double pulled = strain > 0 ? strain : 0;
    return modulus * strain * (1 + stiffening * pulled * pulled);
}

// The columns of triangle t at positions x.
static void find_columns(const fm_cloth *c, const triangles *own, const fm_vec3_array *x, int t,
                         column *w, column *f)
{
    const int *p = c->mesh.triangle + 3 * (size_t)t;
    fm_vec3 origin = fm_vec3_array_at(*x, p[0]);
    fm_vec3 d1 = fm_sub(fm_vec3_array_at(*x, p[1]), origin);
    fm_vec3 d2 = fm_sub(fm_vec3_array_at(*x, p[2]), origin);
    double scatter = c->rest_scatter[p[0]] + c->rest_scatter[p[1]] + c->rest_scatter[p[2]];
    *w = find_column(fm_add_scaled(fm_scale(d1, own->a[0][t]), d2, own->a[1][t]), 1 + scatter / 3);
    *f = find_column(fm_add_scaled(fm_scale(d1, own->b[0][t]), d2, own->b[1][t]), 1 + scatter / 3);
}

static void compute_elements(fm_cloth *c, fm_term *term, const fm_vec3_array *x,
                             fm_element_parts part)
{
    const triangles *own = term->data;
    const moduli m = find_moduli(c);
    int last = fm_element_parts_last(part, c->mesh.triangle_count);
    for (int t = fm_element_parts_first(part, c->mesh.triangle_count); t < last; t++) {
        column w, f;
        find_columns(c, own, x, t, &w, &f);
        double gamma = fm_dot(w.e, f.e), A = -own->area[t] * fm_mesh_triangle_weight(c, t);
        double pull_w = find_tension(m.warp, w.strain, m.stiffening) + m.lateral * f.strain;
        double pull_f = find_tension(m.weft, f.strain, m.stiffening) + m.lateral * w.strain;
        fm_vec3 dw = fm_add_scaled(fm_scale(w.e, pull_w), fm_add_scaled(f.e, w.e, -gamma),
                                   m.shear * gamma * w.inverse);
        fm_vec3 df = fm_add_scaled(fm_scale(f.e, pull_f), fm_add_scaled(w.e, f.e, -gamma),
                                   m.shear * gamma * f.inverse);
        for (int k = 0; k < 2; k++) {
            fm_vec3 force =
                fm_scale(fm_add_scaled(fm_scale(dw, own->a[k][t]), df, own->b[k][t]), A);
            const fm_vec3_array *to = k == 0 ? &own->along : &own->over;
            to->x[t] = force.x, to->y[t] = force.y, to->z[t] = force.z;
        }
    }
}

static void gather_elements(fm_cloth *c, fm_term *term, int first, int last)
{
    const triangles *own = term->data;
    const fm_incidence *of = &c->mesh.triangles;
    const fm_vec3_array *force = &c->force;
    for (int i = first; i < last; i++) {
        fm_vec3 sum = fm_vec3_array_at(*force, i);
        for (int k = of->start[i]; k < of->start[i + 1]; k++) {
            int t = of->entry[k] / 3, corner = of->entry[k] % 3;
            fm_vec3 one = fm_vec3_array_at(own->along, t), two = fm_vec3_array_at(own->over, t);
            sum = corner == 0   ? fm_sub(sum, fm_add(one, two))
                  : corner == 1 ? fm_add(sum, one)
                                : fm_add(sum, two);
        }
        force->x[i] = sum.x, force->y[i] = sum.y, force->z[i] = sum.z;
    }
}

// Energy per area of a tension law: E (e^2/2 + stiffening e^4/4 where e > 0).
static double find_energy(double modulus, double e, double stiffening)
{
    double pulled = e > 0 ? e : 0, square = pulled * pulled;
    return modulus * (e * e / 2 + stiffening * square * square / 4);
}

static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)around;
    const triangles *own = term->data;
    const moduli m = find_moduli(c);
    double sum = 0;
    for (int t = 0; t < c->mesh.triangle_count; t++) {
        column w, f;
        find_columns(c, own, &c->x, t, &w, &f);
        double gamma = fm_dot(w.e, f.e);
        sum += own->area[t] * fm_mesh_triangle_weight(c, t) *
               (find_energy(m.warp, w.strain, m.stiffening) +
                find_energy(m.weft, f.strain, m.stiffening) + m.lateral * w.strain * f.strain +
                m.shear / 2 * gamma * gamma);
    }
    return (fm_energies){.potential = sum};
}

// The springs term adds the edge constants.
static void add_hessian(const fm_cloth *c, const fm_term *term, const fm_implicit_stage *stage,
                        fm_hessian_factors *factors)
{
    (void)c, (void)term, (void)stage, (void)factors;
}

const fm_term_type fm_mesh_triangles_term = {
    .name = "mesh_triangles",
    .applies = applies,
    .setup = setup,
    .compute_elements = compute_elements,
    .gather_elements = gather_elements,
    .add_hessian = add_hessian,
    .energy = energy,
};
