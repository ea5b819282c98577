// SPDX-License-Identifier: MIT
// net.c: springs, normals and springs' damping on index arrays.
//
// Two sweeps: every element (edge, hinge, triangle) computes what it gives, once, into arrays of
// its own; then every particle gathers from the elements that touch it, in rising order. No element
// writes into a particle, so the bits do not depend on the number of threads.
//
//     edges       F = k (l - l0) d / l, d from a to b; damping as in damping.c
//     hinges      hinges.c
//     triangles   area vectors (b - a) x (c - a) / 2; a particle's normal is the direction of their
//                 sum
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

enum { ELEMENTS = 1024 }; // that one task does

bool fm_net_alloc(fm_cloth *c, int edges, int triangles, fm_error *err)
{
    fm_net *net = &c->mesh;
    size_t e = (size_t)edges, t = 3 * (size_t)triangles;
    net->edge_count = edges;
    net->triangle_count = triangles;
    net->edge_a = fm_arena_alloc(&c->arena, e, sizeof(int), c->name, err);
    net->edge_b = fm_arena_alloc(&c->arena, e, sizeof(int), c->name, err);
    net->edge_kind = fm_arena_alloc(&c->arena, e, 1, c->name, err);
    net->edge_rest = fm_arena_alloc(&c->arena, e, sizeof(double), c->name, err);
    net->edge_stiffness = fm_arena_alloc(&c->arena, e, sizeof(double), c->name, err);
    net->edge_damping = fm_arena_alloc(&c->arena, e, sizeof(double), c->name, err);
    net->triangle = fm_arena_alloc(&c->arena, t, sizeof(int), c->name, err);
    net->edge_force = fm_axes_alloc(&c->arena, fm_block_count(edges, FM_LANES) * FM_LANES, err);
    net->area_vector =
        fm_axes_alloc(&c->arena, fm_block_count(triangles, FM_LANES) * FM_LANES, err);
    return err->status == FM_OK;
}

// Counting sort of `corners` columns of particles.
static bool link(fm_cloth *c, int corners, int count, const int *const column[4], int stride,
                 fm_touching *touching, fm_error *err)
{
    size_t n = (size_t)c->count;
    touching->start = fm_arena_alloc(&c->arena, n + 2, sizeof(int), c->name, err);
    touching->entry =
        fm_arena_alloc(&c->arena, (size_t)corners * (size_t)count, sizeof(int), c->name, err);
    if (err->status != FM_OK)
        return false;
    int *start = touching->start + 1; // one ahead while filling
    for (int e = 0; e < count; e++) {
        for (int k = 0; k < corners; k++)
            start[column[k][(size_t)e * stride] + 1]++;
    }
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (int e = 0; e < count; e++) {
        for (int k = 0; k < corners; k++)
            touching->entry[start[column[k][(size_t)e * stride]]++] = corners * e + k;
    }
    return true;
}

bool fm_net_link(fm_cloth *c, fm_error *err)
{
    fm_net *net = &c->mesh;
    const int *const ends[4] = {net->edge_a, net->edge_b};
    const int *const hinge[4] = {net->hinge[0], net->hinge[1], net->hinge[2], net->hinge[3]};
    const int *const corner[4] = {net->triangle, net->triangle + 1, net->triangle + 2};
    double total = 0;
    int stretch = 0;
    for (int e = 0; e < net->edge_count; e++) {
        total += net->edge_kind[e] == FM_EDGE_STRETCH ? net->edge_rest[e] : 0;
        stretch += net->edge_kind[e] == FM_EDGE_STRETCH;
    }
    net->mean_rest = total / stretch;
    net->smallest_mass = c->mass[0];
    for (int i = 0; i < c->count; i++)
        net->smallest_mass = fmin(net->smallest_mass, c->mass[i]);
    return link(c, 2, net->edge_count, ends, 1, &net->edges, err) &&
           link(c, 4, net->hinge_count, hinge, 1, &net->hinges, err) &&
           link(c, 3, net->triangle_count, corner, 3, &net->triangles, err);
}

void fm_net_sums(fm_cloth *c)
{
    const fm_net *net = &c->mesh;
    for (int i = 0; i < c->count; i++) {
        int damped = 0;
        double stiffness = 0;
        for (int k = net->edges.start[i]; k < net->edges.start[i + 1]; k++) {
            int e = net->edges.entry[k] / 2;
            stiffness += net->edge_stiffness[e];
            damped += net->edge_damping[e] > 0;
        }
        c->spring_sum[i] = stiffness;
        c->pair_load[i] = damped / c->mass[i];
    }
}

FM_SIMD_CLONES
static void stretch_edges(int n, const int *restrict a, const int *restrict b,
                          const double *restrict x, const double *restrict y,
                          const double *restrict z, const double *restrict k,
                          const double *restrict rest, double *restrict sx, double *restrict sy,
                          double *restrict sz)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double dx = x[b[i]] - x[a[i]], dy = y[b[i]] - y[a[i]], dz = z[b[i]] - z[a[i]];
        double l =
            sqrt(dx * dx + dy * dy + dz * dz + 1e-200); // two particles in one place: no force
        double f = k[i] * (1 - rest[i] / l);
        sx[i] = f * dx;
        sy[i] = f * dy;
        sz[i] = f * dz;
    }
}

FM_SIMD_CLONES
static void triangle_areas(int n, const int *restrict corner, const double *restrict x,
                           const double *restrict y, const double *restrict z, double *restrict nx,
                           double *restrict ny, double *restrict nz)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int a = corner[3 * i], b = corner[3 * i + 1], c = corner[3 * i + 2];
        double px = x[b] - x[a], py = y[b] - y[a], pz = z[b] - z[a];
        double qx = x[c] - x[a], qy = y[c] - y[a], qz = z[c] - z[a];
        nx[i] = 0.5 * (py * qz - pz * qy);
        ny[i] = 0.5 * (pz * qx - px * qz);
        nz[i] = 0.5 * (px * qy - py * qx);
    }
}

// What pairs of particles at the ends of damped edges get; see damping.c.
typedef struct pair_arrays {
    const int *a, *b;
    const double *x, *y, *z, *u, *v, *w, *ku, *kv, *kw, *load, *damping;
    double scale, w0;
    double *sx, *sy, *sz;
} pair_arrays;

FM_SIMD_CLONES
static void pair_edges(int n, const pair_arrays *restrict l)
{
    const double *x = l->x, *y = l->y, *z = l->z, *u = l->u, *v = l->v, *w = l->w;
    const double *ku = l->ku, *kv = l->kv, *kw = l->kw, *load = l->load;
    double scale = l->scale, w0 = l->w0;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        int a = l->a[i], b = l->b[i];
        double dx = x[b] - x[a], dy = y[b] - y[a], dz = z[b] - z[a];
        double ll = dx * dx + dy * dy + dz * dz + 1e-200;
        double rate = (u[b] - u[a]) * dx + (v[b] - v[a]) * dy + (w[b] - w[a]) * dz;
        double past = (ku[b] - ku[a]) * dx + (kv[b] - kv[a]) * dy + (kw[b] - kw[a]) * dz;
        double k = scale * l->damping[i];
        double most = 0.95 / (k * w0 * (load[a] + load[b]) + 1e-200);
        double j = (most < 1 ? most : 1) * k * (w0 * rate + past) / ll;
        l->sx[i] = j * dx;
        l->sy[i] = j * dy;
        l->sz[i] = j * dz;
    }
}

typedef struct sweep {
    fm_cloth *cloth;
    const fm_axes *x, *normal;
    const fm_axes *target; // of edges; NULL: normals only
    bool hinges;
    int parts; // of all elements, of about ELEMENTS
    pair_arrays pairs;
} sweep;

static void compute_triangles(void *context, int first, int last)
{
    const sweep *s = context;
    const fm_net *net = &s->cloth->mesh;
    const fm_axes *x = s->x, *n = &net->area_vector;
    triangle_areas(last - first, net->triangle + 3 * (size_t)first, x->x, x->y, x->z, n->x + first,
                   n->y + first, n->z + first);
}

// Where a part of `parts` begins in a list of elements.
static int part_start(int count, int part, int parts)
{
    return (int)((int64_t)count * part / parts);
}

// Parts [first, last) of the edges, of the hinges and of the triangles: elements of one part are
// neighbours, mostly, and so are those of different kinds.
static void compute_parts(void *context, int first, int last)
{
    const sweep *s = context;
    fm_net *net = &s->cloth->mesh;
    const fm_axes *x = s->x, *f = &net->edge_force;
    int a = part_start(net->edge_count, first, s->parts);
    int b = part_start(net->edge_count, last, s->parts);
    stretch_edges(b - a, net->edge_a + a, net->edge_b + a, x->x, x->y, x->z,
                  net->edge_stiffness + a, net->edge_rest + a, f->x + a, f->y + a, f->z + a);
    fm_net_hinge_forces(s->cloth, x, part_start(net->hinge_count, first, s->parts),
                        part_start(net->hinge_count, last, s->parts));
    compute_triangles(context, part_start(net->triangle_count, first, s->parts),
                      part_start(net->triangle_count, last, s->parts));
}

static void compute_pairs(void *context, int first, int last)
{
    const sweep *s = context;
    pair_arrays l = s->pairs;
    l.a += first, l.b += first, l.damping += first;
    l.sx += first, l.sy += first, l.sz += first;
    pair_edges(last - first, &l);
}

static fm_vec3 at(const fm_axes *axes, int i)
{
    return (fm_vec3){axes->x[i], axes->y[i], axes->z[i]};
}

static void gather_normal(const fm_net *net, const fm_axes *normal, int i)
{
    fm_vec3 sum = {0, 0, 0};
    for (int k = net->triangles.start[i]; k < net->triangles.start[i + 1]; k++)
        sum = fm_add(sum, at(&net->area_vector, net->triangles.entry[k] / 3));
    double s = 1 / sqrt(fm_dot(sum, sum) + 1e-200);
    normal->x[i] = s * sum.x, normal->y[i] = s * sum.y, normal->z[i] = s * sum.z;
}

static void gather_particles(void *context, int first, int last)
{
    const sweep *s = context;
    const fm_net *net = &s->cloth->mesh;
    for (int i = first; i < last; i++) {
        fm_vec3 sum = {0, 0, 0};
        for (int k = net->edges.start[i]; k < net->edges.start[i + 1] && s->target; k++) {
            int entry = net->edges.entry[k];
            sum = fm_add_scaled(sum, at(&net->edge_force, entry / 2), entry % 2 ? -1 : 1);
        }
        for (int k = net->hinges.start[i]; k < net->hinges.start[i + 1] && s->hinges; k++) {
            int entry = net->hinges.entry[k];
            sum = fm_add(sum, at(&net->hinge_force[entry % 4], entry / 4));
        }
        if (s->target)
            s->target->x[i] = sum.x, s->target->y[i] = sum.y, s->target->z[i] = sum.z;
        if (s->normal)
            gather_normal(net, s->normal, i);
    }
}

void fm_net_forces(fm_cloth *c, const fm_axes *x, const fm_axes *normal, fm_pool *pool)
{
    const fm_net *net = &c->mesh;
    sweep s = {.cloth = c, .x = x, .normal = normal, .target = &c->force, .hinges = true};
    int elements = net->edge_count + net->hinge_count + net->triangle_count;
    s.parts = fm_block_count(elements, ELEMENTS);
    fm_parallel_for(pool, s.parts, 1, compute_parts, &s);
    fm_parallel_for(pool, c->count, FM_FLAT_BLOCK, gather_particles, &s);
}

void fm_net_normals(fm_cloth *c, const fm_axes *x, const fm_axes *normal, fm_pool *pool)
{
    sweep s = {.cloth = c, .x = x, .normal = normal};
    fm_parallel_for(pool, c->mesh.triangle_count, ELEMENTS, compute_triangles, &s);
    fm_parallel_for(pool, c->count, FM_FLAT_BLOCK, gather_particles, &s);
}

void fm_net_pairs(fm_cloth *c, const fm_axes *x, const fm_axes *v, const fm_axes *known,
                  const double *load, double scale, double w0, fm_pool *pool)
{
    const fm_net *net = &c->mesh;
    const fm_axes *f = &net->edge_force;
    sweep s = {.cloth = c,
               .target = &c->pair,
               .pairs = {.a = net->edge_a,
                         .b = net->edge_b,
                         .x = x->x,
                         .y = x->y,
                         .z = x->z,
                         .u = v->x,
                         .v = v->y,
                         .w = v->z,
                         .ku = known->x,
                         .kv = known->y,
                         .kw = known->z,
                         .load = load,
                         .damping = net->edge_damping,
                         .scale = scale,
                         .w0 = w0,
                         .sx = f->x,
                         .sy = f->y,
                         .sz = f->z}};
    fm_parallel_for(pool, net->edge_count, ELEMENTS, compute_pairs, &s);
    fm_parallel_for(pool, c->count, FM_FLAT_BLOCK, gather_particles, &s);
}

double fm_net_damping_share(const fm_cloth *c, double h, double w0)
{
    const fm_net *net = &c->mesh;
    double share = 1;
    for (int e = 0; e < net->edge_count; e++) {
        double k = h / 2 * net->edge_damping[e] * w0;
        double load = c->pair_load[net->edge_a[e]] + c->pair_load[net->edge_b[e]];
        if (k > 0)
            share = fmin(share, 0.95 / (k * load));
    }
    return share;
}

static double edge_stretch(const fm_cloth *c, int e)
{
    const fm_net *net = &c->mesh;
    fm_vec3 d = fm_sub(at(&c->x, net->edge_b[e]), at(&c->x, net->edge_a[e]));
    return fm_length(d) / net->edge_rest[e] - 1;
}

void fm_net_measure(const fm_cloth *c, fm_stretch_sum *sum)
{
    const fm_net *net = &c->mesh;
    for (int e = 0; e < net->edge_count; e++) {
        double stretch = edge_stretch(c, e), past = stretch * net->edge_rest[e];
        sum->energy += 0.5 * net->edge_stiffness[e] * past * past;
        if (net->edge_kind[e] == FM_EDGE_STRETCH)
            fm_stretch_sum_add(sum, stretch, net->edge_a[e], net->edge_b[e]);
    }
    sum->energy += fm_net_bending_energy(c);
}

void fm_net_stretch(const fm_cloth *c, double *stretch)
{
    const fm_net *net = &c->mesh;
    for (int i = 0; i < c->count; i++) {
        stretch[i] = -1;
        for (int k = net->edges.start[i]; k < net->edges.start[i + 1]; k++) {
            int e = net->edges.entry[k] / 2;
            if (net->edge_kind[e] == FM_EDGE_STRETCH)
                stretch[i] = fmax(stretch[i], edge_stretch(c, e));
        }
    }
}
