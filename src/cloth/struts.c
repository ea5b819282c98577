// SPDX-License-Identifier: MIT
// struts.c: the force term of struts: springs through the inside of a soft body.
//
//     F_a = (k (l - l0) + c (v_b - v_a) . e) e,     e = (x_b - x_a) / l
//
//   F_a  N, force on particle a; b gets its opposite     l, l0  m, length now and at the start
//   k  N/m, stiffness     c  N s/m, damping: 2 f k sqrt(m / sum k) with the friction f and the sum
//   of k at the end where it is larger, so that f is the share of the critical damping
//
// They stand for an elastic filling of Young's modulus E. The line from particle i along its inner
// normal meets the surface at a triangle; struts join i to the corners of this triangle. The column
// of area A_i and length L between them has the stiffness E A_i / L, which its struts share. Since
// the corners are not exactly opposite, neighbouring columns are braced against shear.
//
// Damping acts on velocities at mid-step. With x = omega h the step is stable for
// x^2 + 2 sqrt(8) f x <= 4, which the addition to the bound below keeps: x = 1.34, 1.02, 0.5 for
// f = 0.1, 0.3, 1.
#include "cloth/cloth.h"

#include <math.h>
#include <stdlib.h>

// Soft bodies with a filling have this term.
static bool applies(const fm_cloth *c)
{
    return c->soft && c->soft->def.struts.modulus > 0;
}

// Distance along the ray from x in direction d to a triangle; INFINITY: it passes by.
static double intersect(fm_vec3 x, fm_vec3 d, fm_vec3 a, fm_vec3 b, fm_vec3 c)
{
    fm_vec3 u = fm_sub(b, a), v = fm_sub(c, a), p = fm_cross(d, v), s = fm_sub(x, a);
    double det = fm_dot(u, p);
    if (fabs(det) < FM_TINY)
        return INFINITY;
    fm_vec3 q = fm_cross(s, u);
    double first = fm_dot(s, p) / det, second = fm_dot(d, q) / det;
    return first >= 0 && second >= 0 && first + second <= 1 ? fm_dot(v, q) / det : INFINITY;
}

// A ray through the body, and the nearest triangle that it meets.
typedef struct ray {
    const fm_cloth *cloth;
    const fm_bvh *tree;
    int from; // particle at which it starts
    fm_vec3 x, d;
    double nearest; // m
    int triangle;   // -1: none yet
} ray;

// Keeps the nearest triangle of a leaf that the ray meets, other than those of its first particle.
static void visit_triangles(void *context, int first, int count)
{
    ray *r = context;
    const fm_cloth *c = r->cloth;
    for (int k = first; k < first + count; k++) {
        int t = r->tree->items[k];
        const int *p = c->mesh.triangle + 3 * (size_t)t;
        if (p[0] == r->from || p[1] == r->from || p[2] == r->from)
            continue;
        double at = intersect(r->x, r->d, fm_vec3_array_at(c->x, p[0]),
                              fm_vec3_array_at(c->x, p[1]), fm_vec3_array_at(c->x, p[2]));
        if (at > 0 && (at < r->nearest || (at == r->nearest && t < r->triangle)))
            r->nearest = at, r->triangle = t;
    }
}

// The triangle opposite to particle i, and its distance; -1: none.
static int find_opposite(const fm_cloth *c, const fm_bvh *tree, int i, double *distance)
{
    fm_bounds all = fm_bvh_bounds(tree);
    double size = fm_length(fm_sub(all.high, all.low));
    ray r = {.cloth = c, .tree = tree, .from = i, .nearest = INFINITY, .triangle = -1};
    r.x = fm_vec3_array_at(c->x, i);
    fm_vec3 n = fm_vec3_array_at(c->normal, i);
    r.d = fm_scale(n, -1);
    fm_vec3 end = fm_add_scaled(r.x, r.d, size);
    fm_bounds box = {r.x, r.x};
    fm_bounds_add_point(&box, end);
    fm_bvh_visit(tree, &box, 0, visit_triangles, &r);
    *distance = r.nearest;
    return r.triangle;
}

// Builds a tree of the triangles in the arena.
static bool build_tree(const fm_cloth *c, fm_bvh *tree, fm_arena *arena, fm_error *err)
{
    int n = c->mesh.triangle_count;
    fm_bounds *boxes = fm_arena_alloc(arena, (size_t)n, sizeof *boxes, c->object.name, err);
    for (int t = 0; t < n && boxes; t++) {
        const int *p = c->mesh.triangle + 3 * (size_t)t;
        boxes[t].low = boxes[t].high = fm_vec3_array_at(c->x, p[0]);
        fm_bounds_add_point(&boxes[t], fm_vec3_array_at(c->x, p[1]));
        fm_bounds_add_point(&boxes[t], fm_vec3_array_at(c->x, p[2]));
    }
    return boxes && fm_bvh_build(tree, arena, boxes, n, err);
}

// Adds the struts of particle i to the corners of triangle t at the distance L.
static void add_struts(const fm_cloth *c, fm_struts *s, int i, int t, double L)
{
    const fm_soft_def *def = &c->soft->def;
    double k = def->alpha * def->struts.modulus * c->area[i] / L / 3;
    for (int corner = 0; corner < 3; corner++) {
        int j = c->mesh.triangle[3 * (size_t)t + corner], at = s->count++;
        s->a[at] = i, s->b[at] = j;
        s->rest[at] = fm_cloth_particle_distance(c, i, j);
        s->stiffness[at] = k;
    }
}

// 1/s^2, sum of the stiffness of the struts at a particle over its mass.
static double find_stiffness_ratio(const fm_cloth *c, const fm_struts *s, int i)
{
    double sum = 0;
    for (int k = s->at.start[i]; k < s->at.start[i + 1]; k++)
        sum += s->stiffness[s->at.entry[k] / 2];
    return sum / c->mass[i];
}

// The damping c of each strut.
static void set_friction(const fm_cloth *c, fm_struts *s)
{
    for (int k = 0; k < s->count; k++) {
        double ratio =
            fmax(find_stiffness_ratio(c, s, s->a[k]), find_stiffness_ratio(c, s, s->b[k]));
        s->friction[k] = 2 * c->soft->def.struts.friction * s->stiffness[k] / sqrt(ratio);
    }
}

// Room for three struts from each particle.
static bool create_arrays(fm_cloth *c, fm_struts *s, fm_error *err)
{
    size_t most = 3 * (size_t)c->count;
    s->a = fm_arena_alloc(&c->arena, most, sizeof *s->a, c->object.name, err);
    s->b = fm_arena_alloc(&c->arena, most, sizeof *s->b, c->object.name, err);
    s->rest = fm_arena_alloc(&c->arena, most, sizeof *s->rest, c->object.name, err);
    s->stiffness = fm_arena_alloc(&c->arena, most, sizeof *s->stiffness, c->object.name, err);
    s->friction = fm_arena_alloc(&c->arena, most, sizeof *s->friction, c->object.name, err);
    s->forces = fm_vec3_array_create(&c->arena, (int)most, err);
    return err->status == FM_OK;
}

// Finds the struts of all particles.
static bool setup(fm_cloth *c, fm_term *term, fm_error *err)
{
    (void)term;
    fm_struts *s = &c->soft->struts;
    fm_arena arena = {0};
    fm_bvh tree = {0};
    bool good = create_arrays(c, s, err) && build_tree(c, &tree, &arena, err);
    fm_cloth_compute_normals(c, &c->x, &c->normal);
    for (int i = 0; i < c->count && good; i++) {
        double distance;
        int t = find_opposite(c, &tree, i, &distance);
        if (t >= 0)
            add_struts(c, s, i, t, distance);
    }
    fm_arena_destroy(&arena);
    const int *const ends[4] = {s->a, s->b};
    if (!good || !fm_incidence_create(c, 2, s->count, ends, 1, &s->at, err))
        return false;
    set_friction(c, s);
    return true;
}

// Arguments of the loops.
typedef struct loop {
    fm_cloth *cloth;
    const fm_evaluation *at;
} loop;

// Forces of the struts [first, last) on their particles a.
static void compute_range(void *context, int first, int last)
{
    const loop *l = context;
    const fm_struts *s = &l->cloth->soft->struts;
    for (int k = first; k < last; k++) {
        int a = s->a[k], b = s->b[k];
        fm_vec3 d = fm_sub(fm_vec3_array_at(*l->at->x, b), fm_vec3_array_at(*l->at->x, a));
        fm_vec3 u = fm_sub(fm_vec3_array_at(*l->at->v, b), fm_vec3_array_at(*l->at->v, a));
        double length = sqrt(fm_dot(d, d) + FM_TINY);
        double pull =
            s->stiffness[k] * (length - s->rest[k]) + s->friction[k] * fm_dot(u, d) / length;
        fm_vec3 f = fm_scale(d, pull / length);
        s->forces.x[k] = f.x, s->forces.y[k] = f.y, s->forces.z[k] = f.z;
    }
}

// Adds the forces of the struts to the particles [first, last), by rising index.
static void gather_range(void *context, int first, int last)
{
    const loop *l = context;
    fm_cloth *c = l->cloth;
    const fm_struts *s = &c->soft->struts;
    for (int i = first; i < last; i++) {
        fm_vec3 sum = {0, 0, 0};
        for (int k = s->at.start[i]; k < s->at.start[i + 1]; k++) {
            int entry = s->at.entry[k];
            sum = fm_add_scaled(sum, fm_vec3_array_at(s->forces, entry / 2), entry % 2 ? -1 : 1);
        }
        c->force.x[i] += sum.x, c->force.y[i] += sum.y, c->force.z[i] += sum.z;
    }
}

// Adds the forces of all struts to c->force, N.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    (void)term;
    loop l = {c, at};
    fm_parallel_for(at->pool, c->soft->struts.count, FM_ELEMENT_BLOCK, compute_range, &l);
    fm_parallel_for(at->pool, c->count, FM_PARTICLE_BLOCK, gather_range, &l);
}

// Adds the stiffness of the struts to the sums at their ends, N/m, for the bound on the substep.
static void add_stiffness(fm_cloth *c, fm_term *term)
{
    (void)term;
    const fm_struts *s = &c->soft->struts;
    for (int k = 0; k < s->count; k++) {
        c->spring_sum[s->a[k]] += s->stiffness[k];
        c->spring_sum[s->b[k]] += s->stiffness[k];
    }
}

// Multiplies the stiffness of all struts, and the damping so that its share of the critical one
// stays.
static void scale_stiffness(fm_cloth *c, fm_term *term, double factor)
{
    (void)term;
    const fm_struts *s = &c->soft->struts;
    for (int k = 0; k < s->count; k++) {
        s->stiffness[k] *= factor;
        s->friction[k] *= sqrt(factor);
    }
}

// Damping shortens the substep: see the top of the file.
static fm_term_bound bound(const fm_cloth *c, const fm_term *term)
{
    (void)term;
    double f = c->soft->def.struts.friction;
    return (fm_term_bound){.of_springs = 2 * f + 6 * f * f};
}

// Elastic energy of the struts, J.
static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)term, (void)around;
    const fm_struts *s = &c->soft->struts;
    double sum = 0;
    for (int k = 0; k < s->count; k++) {
        double elongation = fm_cloth_particle_distance(c, s->a[k], s->b[k]) - s->rest[k];
        sum += 0.5 * s->stiffness[k] * elongation * elongation;
    }
    return (fm_energies){.potential = sum};
}

const fm_term_type fm_struts_term = {
    .name = "struts",
    .applies = applies,
    .setup = setup,
    .add_forces = add_forces,
    .add_stiffness = add_stiffness,
    .scale_stiffness = scale_stiffness,
    .bound = bound,
    .energy = energy,
};
