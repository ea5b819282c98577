// SPDX-License-Identifier: MIT
// seams.c: the force term of seams: stitches that pull pairs of particles together.
//
//     F_a = (k (l - g s(t)) + c (v_b - v_a) . e) e,     e = (x_b - x_a) / l,  l = |x_b - x_a|
//     s(t) = 1 before `start`, 0 after start + time, linear in between
//
//   F_a  N, force on particle a; b gets its opposite     g  m, gap before sewing
//   k  N/m, stiffness     c  N s/m, damping
//
// A closed stitch is a spring of rest length 0. k is half of the sum of the stiffness of the
// springs at a, or at b if that is smaller. This is about the stiffness of the cell that is missing
// between them: a seam stretches like the cloth beside it, and one stitch at a particle increases
// the bound on omega^2 by at most one half. c is FRICTION times the critical damping of the two
// masses. It acts on velocities at mid-step and is stable as long as the springs are.
//
// Seams have few stitches: one thread adds the forces, in the order of the stitches.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double FRICTION = 0.2; // of the critical damping

// m, rest length of stitch i at time t: shrinks from the initial gap to 0 between start and end.
double fm_stitch_rest(const fm_stitches *s, int i, double t)
{
    double fraction = s->end[i] > s->start[i] ? (s->end[i] - t) / (s->end[i] - s->start[i])
                                              : (double)(t < s->end[i]);
    return s->gap[i] * fmin(1, fmax(0, fraction));
}

// Adds the forces of all stitches to the particles at their ends.
static void add_forces(fm_cloth *c, fm_term *term, const fm_evaluation *at)
{
    (void)term;
    const fm_stitches *s = &c->stitches;
    const fm_vec3_array *x = at->x, *v = at->v;
    const fm_vec3_array *f = &c->force;
    for (int i = 0; i < s->count; i++) {
        int a = s->a[i], b = s->b[i];
        fm_vec3 d = {x->x[b] - x->x[a], x->y[b] - x->y[a], x->z[b] - x->z[a]};
        fm_vec3 u = {v->x[b] - v->x[a], v->y[b] - v->y[a], v->z[b] - v->z[a]};
        double l = sqrt(fm_dot(d, d) + FM_TINY), rest = fm_stitch_rest(s, i, at->t);
        fm_vec3 e = fm_scale(d, 1 / l);
        double pull = s->stiffness[i] * (l - rest) + s->friction[i] * fm_dot(u, e);
        f->x[a] += pull * e.x, f->y[a] += pull * e.y, f->z[a] += pull * e.z;
        f->x[b] -= pull * e.x, f->y[b] -= pull * e.y, f->z[b] -= pull * e.z;
    }
}

// Measures the present distance of each sewn pair, from which sewing starts.
void fm_stitches_measure_gaps(fm_cloth *c)
{
    const fm_stitches *s = &c->stitches;
    for (int i = 0; i < s->count; i++) {
        int a = s->a[i], b = s->b[i];
        fm_vec3 d = {c->x.x[b] - c->x.x[a], c->x.y[b] - c->x.y[a], c->x.z[b] - c->x.z[a]};
        s->gap[i] = fm_length(d);
    }
}

// Chooses stiffness and damping of each stitch from the springs at its ends, and adds the stiffness
// to cloth->spring_sum. The first loop reads spring_sum without any stitches.
static void add_stiffness(fm_cloth *c, fm_term *term)
{
    (void)term;
    const fm_stitches *s = &c->stitches;
    for (int i = 0; i < s->count; i++) {
        int a = s->a[i], b = s->b[i];
        s->stiffness[i] = 0.5 * fmin(c->spring_sum[a], c->spring_sum[b]);
        double mass = c->mass[a] * c->mass[b] / (c->mass[a] + c->mass[b]);
        s->friction[i] = FRICTION * 2 * sqrt(s->stiffness[i] * mass);
    }
    for (int i = 0; i < s->count; i++) {
        c->spring_sum[s->a[i]] += s->stiffness[i];
        c->spring_sum[s->b[i]] += s->stiffness[i];
    }
}

// Scales the stiffness of the stitches; critical damping scales with its root.
static void scale_stiffness(fm_cloth *c, fm_term *term, double factor)
{
    (void)term;
    for (int i = 0; i < c->stitches.count; i++) {
        c->stitches.stiffness[i] *= factor;
        c->stitches.friction[i] *= sqrt(factor);
    }
}

// Elastic energy of the stitches.
static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)term, (void)around;
    const fm_stitches *s = &c->stitches;
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        double distance = fm_cloth_particle_distance(c, s->a[i], s->b[i]);
        double elongation = distance - fm_stitch_rest(s, i, c->time);
        sum += 0.5 * s->stiffness[i] * elongation * elongation;
    }
    return (fm_energies){.potential = sum};
}

// Every cloth has this term, since seams may be added after its creation.
const fm_term_type fm_seams_term = {
    .name = "seams",
    .add_forces = add_forces,
    .add_stiffness = add_stiffness,
    .scale_stiffness = scale_stiffness,
    .energy = energy,
};

// Checks the arguments of fm_cloth_sew. Fills err and returns false if one is not allowed.
static bool check_seam(const fm_cloth *c, const int *one, const int *other, int count, double start,
                       double time, fm_error *err)
{
    if (c->started)
        return fm_fail_number(err, c->object.name, "seam", c->time,
                              "made before the first advance");
    if (count < 1 || count > c->count)
        return fm_fail_number(err, c->object.name, "seam count", count,
                              "1 to the number of particles");
    if (!isfinite(start))
        return fm_fail_number(err, c->object.name, "seam start", start, "a finite number");
    if (!(time >= 0 && isfinite(time)))
        return fm_fail_number(err, c->object.name, "seam time", time, "0 seconds or more");
    for (int i = 0; i < 2 * count; i++) {
        int particle = i % 2 ? other[i / 2] : one[i / 2];
        if (particle < 0 || particle >= c->count)
            return fm_fail_number(err, c->object.name, "seam particle", particle,
                                  "0 to the number of particles - 1");
    }
    for (int i = 0; i < count; i++) {
        if (one[i] == other[i])
            return fm_fail_number(err, c->object.name, "seam particle", one[i],
                                  "two different particles in each stitch");
    }
    return true;
}

// Copies an array with one element of `size` bytes per stitch to a new one that is longer by `more`
// elements. NULL if memory runs out.
static void *grow_array(fm_cloth *c, const void *old, size_t size, int more, fm_error *err)
{
    size_t count = (size_t)c->stitches.count;
    char *longer = fm_arena_alloc(&c->arena, count + (size_t)more, size, c->object.name, err);
    if (longer && count)
        memcpy(longer, old, count * size);
    return longer;
}

// Sews a seam: adds `count` stitches between particles one[i] and other[i], which close between the
// times start and start + time, s. The substep and the exclusions of repulsion depend on stitches.
bool fm_cloth_sew(fm_cloth *cloth, const int *one, const int *other, int count, double start,
                  double time, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (err->status != FM_OK || !check_seam(cloth, one, other, count, start, time, err))
        return false;
    const fm_stitches *old = &cloth->stitches;
    fm_stitches s = {
        .count = old->count + count,
        .a = grow_array(cloth, old->a, sizeof *s.a, count, err),
        .b = grow_array(cloth, old->b, sizeof *s.b, count, err),
        .gap = grow_array(cloth, old->gap, sizeof *s.gap, count, err),
        .stiffness = grow_array(cloth, old->stiffness, sizeof *s.stiffness, count, err),
        .friction = grow_array(cloth, old->friction, sizeof *s.friction, count, err),
        .start = grow_array(cloth, old->start, sizeof *s.start, count, err),
        .end = grow_array(cloth, old->end, sizeof *s.end, count, err),
    };
    if (!s.a || !s.b || !s.gap || !s.stiffness || !s.friction || !s.start || !s.end)
        return false;
    for (int i = 0; i < count; i++) {
        int at = old->count + i;
        s.a[at] = one[i], s.b[at] = other[i];
        s.start[at] = start, s.end[at] = start + time;
    }
    cloth->stitches = s;
    fm_stitches_measure_gaps(cloth);
    fm_cloth_choose_step(cloth);
    return !cloth->def.repulsion.enabled || fm_repulsion_find_exclusions(cloth, err);
}
