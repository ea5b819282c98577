// SPDX-License-Identifier: MIT
// eigenfrequency.c: bounds on the frequencies of the springs of a mesh.
//
// Linearised springs obey m_i d2x_i/dt2 = -sum_j K_ij (x_i - x_j), with the 3 x 3 block of each
// edge from fabric_springs.c. The squares of the frequencies are the eigenvalues of M^-1/2 K
// M^-1/2.
//
//   Gershgorin   omega^2 <= max_i 2 sum_j k_ij / m_i                     [LCKL13] eq. (3.5)
//   sharper      omega^2 <= the largest eigenvalue of model I, whose blocks are k 1: in models I,
//                II and tension no block has an eigenvalue above k, in any state, so that K <= K_I.
//                K_I is the same for x, y and z: one number per point.
//
// The largest eigenvalue is found by Lanczos iterations from a random vector, which never exceed
// it. [KW92] theorem 4.2: after n iterations on a matrix of order N the result is too small by more
// than the share eps with a probability of at most 1.648 sqrt(N) exp(-(2 n - 1) sqrt(eps)). For the
// 60 iterations in use, eps = 5 % and N = 1e6 that is below 1e-8; the bound has this share added.
//
// [KW92] Kuczynski, Wozniakowski: Estimating the largest eigenvalue by the power and Lanczos
// algorithms with a random start. SIAM Journal on Matrix Analysis and Applications 13(4), 1992.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MAX = 10000 };
static const double RESERVE = 1.05; // on omega^2

typedef struct lanczos {
    const fm_cloth *cloth;
    int components;       // 1: model I; 3: the present state
    bool hold_pins;       // pinned points do not move
    double *root;         // kg^-1/2, 1 / sqrt(m) of each point; 0: held
    double *scaled;       // vector times root
    double *q, *last, *w; // vectors of the iteration
    double *diagonal, *off;
} lanczos;

// w = M^-1/2 K M^-1/2 q. The edges of a point are summed in order.
static void multiply(const lanczos *z)
{
    const fm_cloth *c = z->cloth;
    const fm_spring_mesh *mesh = &c->mesh;
    int dim = z->components;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < dim; k++)
            z->scaled[dim * i + k] = z->root[i] * z->q[dim * i + k];
    memset(z->w, 0, (size_t)dim * (size_t)c->count * sizeof *z->w);
    for (int e = 0; e < mesh->edge_count; e++) {
        int a = dim * mesh->edge_a[e], b = dim * mesh->edge_b[e];
        if (dim == 1) {
            double f = mesh->edge_stiffness[e] * (z->scaled[a] - z->scaled[b]);
            z->w[a] += f, z->w[b] -= f;
            continue;
        }
        fm_edge_stiffness s = fm_fabric_linearise_edge(c, e);
        fm_vec3 d = {z->scaled[a] - z->scaled[b], z->scaled[a + 1] - z->scaled[b + 1],
                     z->scaled[a + 2] - z->scaled[b + 2]};
        fm_vec3 f = fm_add_scaled(fm_scale(d, s.p), s.e, s.q * fm_dot(s.e, d));
        z->w[a] += f.x, z->w[a + 1] += f.y, z->w[a + 2] += f.z;
        z->w[b] -= f.x, z->w[b + 1] -= f.y, z->w[b + 2] -= f.z;
    }
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < dim; k++)
            z->w[dim * i + k] *= z->root[i];
}

// Number of eigenvalues of the tridiagonal matrix above x (Sturm sequence).
static int count_above(const lanczos *z, int n, double x)
{
    int count = 0;
    double pivot = 1;
    for (int i = 0; i < n; i++) {
        pivot = z->diagonal[i] - x - (i > 0 ? z->off[i - 1] * z->off[i - 1] / pivot : 0);
        if (pivot == 0)
            pivot = 1e-300;
        count += pivot > 0;
    }
    return count;
}

// The largest eigenvalue of the tridiagonal matrix, by bisection.
static double find_largest(const lanczos *z, int n)
{
    double low = 0, high = 0;
    for (int i = 0; i < n; i++)
        high = fmax(high, z->diagonal[i] + (i > 0 ? z->off[i - 1] : 0) + z->off[i]);
    for (int k = 0; k < 100; k++) {
        double middle = (low + high) / 2;
        *(count_above(z, n, middle) > 0 ? &low : &high) = middle;
    }
    return high;
}

static void start_iteration(lanczos *z)
{
    const fm_cloth *c = z->cloth;
    fm_rng rng = {2013}; // any fixed number: results must not change from run to run
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        bool held = z->hold_pins && fm_cloth_is_pinned(c, i, c->time);
        z->root[i] = held ? 0 : 1 / sqrt(c->mass[i]);
        for (int k = 0; k < z->components; k++) {
            double value = held ? 0 : 2 * fm_rng_uniform(&rng) - 1;
            z->q[z->components * i + k] = value;
            sum += value * value;
        }
    }
    for (int i = 0; i < z->components * c->count; i++)
        z->q[i] /= sqrt(sum + 1e-300);
}

// Returns the largest eigenvalue, 1/s^2.
static double iterate(lanczos *z, int iterations)
{
    int n = z->components * z->cloth->count, done = 0;
    double beta = 0;
    start_iteration(z);
    while (done < iterations) {
        multiply(z);
        double alpha = 0, square = 0;
        for (int i = 0; i < n; i++)
            alpha += z->q[i] * z->w[i];
        for (int i = 0; i < n; i++) {
            z->w[i] -= alpha * z->q[i] + beta * z->last[i];
            square += z->w[i] * z->w[i];
        }
        beta = sqrt(square);
        z->diagonal[done] = alpha, z->off[done] = beta;
        done++;
        if (beta <= 1e-12 * fabs(alpha) || done >= n)
            break;
        double *swap = z->last;
        z->last = z->q, z->q = swap;
        for (int i = 0; i < n; i++)
            z->q[i] = z->w[i] / beta;
    }
    return find_largest(z, done);
}

// Largest eigenvalue of model I (components 1) or of the present state (3); 0 and err: no memory.
static double find_eigenvalue(const fm_cloth *c, int components, bool hold_pins, int iterations,
                              fm_error *err)
{
    size_t n = (size_t)c->count * (size_t)components;
    lanczos z = {.cloth = c, .components = components, .hold_pins = hold_pins};
    double *room = calloc(4 * n + (size_t)c->count + 2 * (size_t)iterations + 2, sizeof *room);
    if (!room) {
        fm_fail_no_memory(err, c->object.name, 4 * n * sizeof *room);
        return 0;
    }
    z.scaled = room, z.q = room + n, z.last = room + 2 * n, z.w = room + 3 * n;
    z.root = room + 4 * n, z.diagonal = z.root + c->count, z.off = z.diagonal + iterations + 1;
    double largest = iterate(&z, iterations);
    free(room);
    return largest;
}

// 1/s^2, from the springs of the edges alone.
static double find_gershgorin(const fm_cloth *c)
{
    double largest = 0;
    for (int i = 0; i < c->count; i++)
        largest = fmax(largest, fm_springs_sum_at_particle(c, i).stiffness / c->mass[i]);
    return 2 * largest;
}

bool fm_fabric_find_bound(fm_cloth *c, fm_error *err)
{
    fm_fabric *fabric = c->fabric;
    bool bounded = fabric->def.model != FM_FABRIC_MODEL_III;
    fabric->gershgorin = find_gershgorin(c);
    fabric->bound = bounded ? RESERVE * find_eigenvalue(c, 1, false, 60, err) : fabric->gershgorin;
    fabric->bound = fmin(fabric->bound, fabric->gershgorin);
    return err->status == FM_OK;
}

fm_eigenfrequencies fm_cloth_find_eigenfrequencies(const fm_cloth *c, int iterations, fm_error *err)
{
    assert(err->status != FM_OK || c);
    fm_eigenfrequencies none = {0, 0, 0};
    if (err->status != FM_OK)
        return none;
    if (c->kind != FM_CLOTH_MESH) {
        fm_fail(err, FM_BAD_VALUE, c->object.name, "eigenfrequencies", "of a sheet or tube",
                "meshes");
        return none;
    }
    if (iterations < 10 || iterations > ITERATIONS_MAX) {
        fm_fail_number(err, c->object.name, "iterations", iterations, "10 to 10000");
        return none;
    }
    double gershgorin = find_gershgorin(c);
    double bound = RESERVE * find_eigenvalue(c, 1, false, iterations, err);
    double linear = find_eigenvalue(c, 3, true, iterations, err);
    return (fm_eigenfrequencies){sqrt(gershgorin), sqrt(fmin(bound, gershgorin)), sqrt(linear)};
}
