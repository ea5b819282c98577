// SPDX-License-Identifier: MIT
// fabric_springs.c: the spring models of [LCKL13] on the edges of a mesh.
//
// Force on one end of an edge towards the other, and energy:
//
//     model I     F = k (d - d0)               V = k/2 |d - d0|^2              eq. (2.1), (2.5)
//     model II    F = k (1 - l0/l) d           V = k/2 (l - l0)^2              eq. (2.2), (2.6)
//     model III   F = k (l0 d / l - d0)        V = k (l l0 - d . d0)           eq. (2.8)
//     tension     F = k max(0, 1 - l0/l) d     V = k/2 max(0, l - l0)^2        [CK02]
//
//   d, d0  m, vector along the edge now and at rest      l, l0  m, their lengths      k  N/m
//
// Model I is the sum of II and III. Models I and III are not invariant under rotation: d0 is fixed
// in space. Model II is the force of springs.c. The derivative of F with respect to d is
//
//     k (p 1 + q e e^T),  e = d / l:   I p = 1, q = 0;   II p = 1 - l0/l, q = l0/l;
//                                      III p = l0/l, q = -l0/l;   tension: II or 0
//
// Its eigenvalues are at most k for models I, II and tension.
#include "cloth/cloth.h"

#include <math.h>

// Forces of models I (stretch = 1) and III (stretch = 0) on end a of n edges, N.
FM_SIMD_CLONES
static void compute_turning_forces(int n, double stretch, const int *restrict a,
                                   const int *restrict b, const fm_vec3_array *restrict x,
                                   const fm_vec3_array *restrict d0, const double *restrict k,
                                   const double *restrict rest, const fm_vec3_array *restrict f)
{
    const double *px = x->x, *py = x->y, *pz = x->z;
    const double *rx = d0->x, *ry = d0->y, *rz = d0->z;
    double *fx = f->x, *fy = f->y, *fz = f->z;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = px[b[i]] - px[a[i]], dy = py[b[i]] - py[a[i]], dz = pz[b[i]] - pz[a[i]];
        double l = sqrt(dx * dx + dy * dy + dz * dz + 1e-200); // + 1e-200: no division by 0
        double s = stretch + (1 - stretch) * rest[i] / l;      // 1 in model I, l0/l in model III
        fx[i] = k[i] * (s * dx - rx[i]);
        fy[i] = k[i] * (s * dy - ry[i]);
        fz[i] = k[i] * (s * dz - rz[i]);
    }
}

// Forces of the model tension on end a of n edges, N.
FM_SIMD_CLONES
static void compute_tension_forces(int n, const int *restrict a, const int *restrict b,
                                   const fm_vec3_array *restrict x, const double *restrict k,
                                   const double *restrict rest, const fm_vec3_array *restrict f)
{
    const double *px = x->x, *py = x->y, *pz = x->z;
    double *fx = f->x, *fy = f->y, *fz = f->z;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = px[b[i]] - px[a[i]], dy = py[b[i]] - py[a[i]], dz = pz[b[i]] - pz[a[i]];
        double l = sqrt(dx * dx + dy * dy + dz * dz + 1e-200);
        double s = k[i] * fm_double_max(0, 1 - rest[i] / l);
        fx[i] = s * dx, fy[i] = s * dy, fz[i] = s * dz;
    }
}

bool fm_fabric_has_own_law(const fm_cloth *c)
{
    return c->fabric && c->fabric->def.model != FM_FABRIC_MODEL_II;
}

// Computes the forces of the edges [first, last) at positions x, into edge_force.
void fm_fabric_compute_edges(fm_cloth *c, const fm_vec3_array *x, int first, int last)
{
    const fm_spring_mesh *mesh = &c->mesh;
    const fm_vec3_array *rest = &c->fabric->rest_vector, *force = &mesh->edge_force;
    fm_vec3_array f = {force->x + first, force->y + first, force->z + first};
    fm_vec3_array d0 = {rest->x + first, rest->y + first, rest->z + first};
    const int *a = mesh->edge_a + first, *b = mesh->edge_b + first;
    const double *k = mesh->edge_stiffness + first, *l0 = mesh->edge_rest + first;
    if (c->fabric->def.model == FM_FABRIC_TENSION)
        compute_tension_forces(last - first, a, b, x, k, l0, &f);
    else
        compute_turning_forces(last - first, c->fabric->def.model == FM_FABRIC_MODEL_I, a, b, x,
                               &d0, k, l0, &f);
}

// m, vector along edge e now.
static fm_vec3 find_edge(const fm_cloth *c, int e)
{
    return fm_sub(fm_vec3_array_at(c->x, c->mesh.edge_b[e]),
                  fm_vec3_array_at(c->x, c->mesh.edge_a[e]));
}

// J, energy V of edge e, as at the head of this file.
double fm_fabric_edge_energy(const fm_cloth *c, int e)
{
    fm_vec3 d = find_edge(c, e), d0 = fm_vec3_array_at(c->fabric->rest_vector, e);
    double k = c->mesh.edge_stiffness[e], l0 = c->mesh.edge_rest[e], l = fm_length(d);
    fm_vec3 change = fm_sub(d, d0);
    switch (c->fabric->def.model) {
    case FM_FABRIC_MODEL_I:
        return 0.5 * k * fm_dot(change, change);
    case FM_FABRIC_MODEL_II:
        return 0.5 * k * (l - l0) * (l - l0);
    case FM_FABRIC_MODEL_III:
        return k * (l * l0 - fm_dot(d, d0));
    case FM_FABRIC_TENSION:
        return l > l0 ? 0.5 * k * (l - l0) * (l - l0) : 0;
    }
    return 0;
}

// Derivative of the force of edge e with respect to d, N/m; p and q include k. Also for cloths
// without a fabric, whose springs are those of model II.
fm_edge_stiffness fm_fabric_linearise_edge(const fm_cloth *c, int e)
{
    fm_vec3 d = find_edge(c, e);
    double k = c->mesh.edge_stiffness[e], l = fm_length(d) + 1e-200;
    double ratio = c->mesh.edge_rest[e] / l;
    fm_edge_stiffness s = {.e = fm_scale(d, 1 / l), .p = k * (1 - ratio), .q = k * ratio};
    switch (c->fabric ? c->fabric->def.model : FM_FABRIC_MODEL_II) {
    case FM_FABRIC_MODEL_I:
        s.p = k, s.q = 0;
        break;
    case FM_FABRIC_MODEL_II:
        break;
    case FM_FABRIC_MODEL_III:
        s.p = k * ratio, s.q = -k * ratio;
        break;
    case FM_FABRIC_TENSION: // at rest, both one-sided derivatives are possible: the larger one
        if (ratio > 1 + 1e-12)
            s.p = s.q = 0;
        break;
    }
    return s;
}
