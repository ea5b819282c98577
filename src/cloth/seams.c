// SPDX-License-Identifier: MIT
// seams.c: stitches that draw pairs of particles together.
//
//     F_a = (k (l - g s(t)) + c (v_b - v_a) . e) e,     e = (x_b - x_a) / l,  l = |x_b - x_a|
//     s(t) = 1 before `start`, 0 from start + time on, straight in between; g the gap at the start
//
// A closed stitch is a spring without length. Its k is half of what the springs at either end have
// together, the weaker of both: as much as the cell that is missing between them, so that a seam
// gives way like the cloth beside it and the bound on omega^2 grows by half at most for one stitch
// at a particle. c is FRICTION of the critical damping of the two masses; it acts on velocities of
// the half step, stable while omega h is.
//
// There are few stitches: one thread adds them up, in their order.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double FRICTION = 0.2;

double fm_stitch_rest(const fm_stitches *s, int i, double t)
{
    double left = s->end[i] > s->start[i] ? (s->end[i] - t) / (s->end[i] - s->start[i])
                                          : (double)(t < s->end[i]);
    return s->gap[i] * fmin(1, fmax(0, left));
}

void fm_stitches_add_forces(fm_cloth *c, const fm_axes *x, const fm_axes *v, double t)
{
    const fm_stitches *s = &c->stitches;
    const fm_axes *f = &c->force;
    for (int i = 0; i < s->count; i++) {
        int a = s->a[i], b = s->b[i];
        fm_vec3 d = {x->x[b] - x->x[a], x->y[b] - x->y[a], x->z[b] - x->z[a]};
        fm_vec3 u = {v->x[b] - v->x[a], v->y[b] - v->y[a], v->z[b] - v->z[a]};
        double l = sqrt(fm_dot(d, d) + 1e-200), rest = fm_stitch_rest(s, i, t);
        fm_vec3 e = fm_scale(d, 1 / l);
        double pull = s->stiffness[i] * (l - rest) + s->friction[i] * fm_dot(u, e);
        f->x[a] += pull * e.x, f->y[a] += pull * e.y, f->z[a] += pull * e.z;
        f->x[b] -= pull * e.x, f->y[b] -= pull * e.y, f->z[b] -= pull * e.z;
    }
}

void fm_stitches_measure_gaps(fm_cloth *c)
{
    const fm_stitches *s = &c->stitches;
    for (int i = 0; i < s->count; i++) {
        int a = s->a[i], b = s->b[i];
        fm_vec3 d = {c->x.x[b] - c->x.x[a], c->x.y[b] - c->x.y[a], c->x.z[b] - c->x.z[a]};
        s->gap[i] = fm_length(d);
    }
}

void fm_stitches_add_sums(fm_cloth *c)
{
    const fm_stitches *s = &c->stitches;
    for (int i = 0; i < s->count; i++) { // from the springs alone, whatever is sewn already
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

static bool check_seam(const fm_cloth *c, const int *one, const int *other, int count, double start,
                       double time, fm_error *err)
{
    if (c->started)
        return fm_fail_number(err, c->name, "seam", c->time, "made before the first advance");
    if (count < 1 || count > c->count)
        return fm_fail_number(err, c->name, "seam count", count, "1 to the number of particles");
    if (!isfinite(start))
        return fm_fail_number(err, c->name, "seam start", start, "a finite number");
    if (!(time >= 0 && isfinite(time)))
        return fm_fail_number(err, c->name, "seam time", time, "0 seconds or more");
    for (int i = 0; i < 2 * count; i++) {
        int particle = i % 2 ? other[i / 2] : one[i / 2];
        if (particle < 0 || particle >= c->count)
            return fm_fail_number(err, c->name, "seam particle", particle,
                                  "0 to the number of particles - 1");
    }
    for (int i = 0; i < count; i++) {
        if (one[i] == other[i])
            return fm_fail_number(err, c->name, "seam particle", one[i],
                                  "two different particles in each stitch");
    }
    return true;
}

static void *grow(fm_cloth *c, const void *old, size_t size, int more, fm_error *err)
{
    size_t count = (size_t)c->stitches.count;
    char *fresh = fm_arena_alloc(&c->arena, count + (size_t)more, size, c->name, err);
    if (fresh && count)
        memcpy(fresh, old, count * size);
    return fresh;
}

bool fm_cloth_sew(fm_cloth *cloth, const int *one, const int *other, int count, double start,
                  double time, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (err->status != FM_OK || !check_seam(cloth, one, other, count, start, time, err))
        return false;
    const fm_stitches *old = &cloth->stitches;
    fm_stitches s = {
        .count = old->count + count,
        .a = grow(cloth, old->a, sizeof *s.a, count, err),
        .b = grow(cloth, old->b, sizeof *s.b, count, err),
        .gap = grow(cloth, old->gap, sizeof *s.gap, count, err),
        .stiffness = grow(cloth, old->stiffness, sizeof *s.stiffness, count, err),
        .friction = grow(cloth, old->friction, sizeof *s.friction, count, err),
        .start = grow(cloth, old->start, sizeof *s.start, count, err),
        .end = grow(cloth, old->end, sizeof *s.end, count, err),
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
    return !cloth->def.repulsion.enabled || fm_repulsion_find_kin(cloth, err);
}
