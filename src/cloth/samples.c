// SPDX-License-Identifier: MIT
// samples.c: the points by which a cloth meets a medium that is simulated, and what it takes from
// them.
//
// Triangles are cut into n^2 equal ones, n the fewest with edges no longer than asked for; their
// middles are the samples, each a mean of the three corners with weights b. What a sample is given
// goes to the corners with the same weights, so that forces and turns stay what they are:
//
//     x_s = sum_k b_k x_k,      J_k += b_k J_s
//
// A medium that pushes the cloth (two-way) lends it inertia. The force of the medium would fall as
// soon as the cloth yields; so the cloth takes
//
//     (m + M) dv = J + springs, weight, ...         and hands back M dv
//
// with M the mass of some medium beside it, which is the same force taken implicitly: J - M dv acts
// on the cloth, its opposite on the medium. Weight is that of m alone, and nothing is left of M
// where the cloth is at rest.
//
// A medium that only carries it (one-way) says how fast it goes, which drag.c needs, and how much
// of the cloth is wet. Over the interval the velocity goes straight from what it was.
//
//   J  impulse, N s    m  mass of a particle, kg    M  what is lent, kg    v  velocity, m/s
#include "cloth/cloth.h"

#include <math.h>

static fm_vec3 axes_at(const fm_axes *a, int i)
{
    return (fm_vec3){a->x[i], a->y[i], a->z[i]};
}

static int divide(const fm_cloth *c, const int corner[3], double longest)
{
    double length = 0;
    for (int k = 0; k < 3; k++) {
        fm_vec3 side = fm_sub(axes_at(&c->x, corner[(k + 1) % 3]), axes_at(&c->x, corner[k]));
        length = fmax(length, fm_length(side));
    }
    return (int)fmax(1, fmin(1000, ceil(length / longest * (1 - 1e-9))));
}

// The middles of the n^2 parts of one triangle.
static void fill(fm_cloth_samples *s, int *next, const int corner[3], int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; i + j < n; j++) {
            for (int turned = 0; turned <= (i + j < n - 1); turned++) {
                double b = (i + (1 + turned) / 3.0) / n, d = (j + (1 + turned) / 3.0) / n;
                const double share[3] = {1 - b - d, b, d};
                for (int k = 0; k < 3; k++) {
                    s->corner[3 * *next + k] = corner[k];
                    s->share[3 * *next + k] = share[k];
                }
                s->parts[(*next)++] = turned ? -n : n;
            }
        }
    }
}

static bool alloc_own(fm_cloth_samples *s, fm_arena *arena, double count, fm_error *err)
{
    fm_cloth *c = s->cloth;
    if (count > 2e7)
        return fm_fail_number(err, c->name, "samples", count,
                              "at most 2e7: a coarser fluid, or a smaller cloth");
    size_t n = (size_t)count, lanes = (size_t)c->lanes;
    s->corner = fm_arena_alloc(arena, 3 * n, sizeof *s->corner, c->name, err);
    s->share = fm_arena_alloc(arena, 3 * n, sizeof *s->share, c->name, err);
    s->parts = fm_arena_alloc(arena, n, sizeof *s->parts, c->name, err);
    s->given = fm_arena_alloc(arena, lanes, sizeof *s->given, c->name, err);
    s->weight = fm_arena_alloc(arena, lanes, sizeof *s->weight, c->name, err);
    s->v = fm_arena_alloc(arena, lanes, sizeof *s->v, c->name, err);
    double *own = fm_arena_alloc(arena, lanes, sizeof *own, c->name, err);
    c->carrier.velocity = fm_axes_alloc(arena, c->lanes, err);
    if (!fm_samples_alloc(&s->points, arena, (int)count, c->name, err))
        return false;
    const double *from = s->points.passive ? c->area : c->mass;
    for (size_t i = 0; i < lanes; i++)
        own[i] = from[i];
    *(s->points.passive ? &c->wet_area : &c->inertia) = own;
    return true;
}

static void place(const fm_cloth_samples *s, fm_vec3 *to)
{
    const fm_axes *x = &s->cloth->x;
    for (int i = 0; i < s->points.count; i++) {
        const int *corner = s->corner + 3 * (size_t)i;
        const double *share = s->share + 3 * (size_t)i;
        fm_vec3 at = fm_scale(axes_at(x, corner[0]), share[0]);
        at = fm_add_scaled(at, axes_at(x, corner[1]), share[1]);
        to[i] = fm_add_scaled(at, axes_at(x, corner[2]), share[2]);
    }
}

// Normals, areas, how far the corners of a part are from its middle, and where it ends.
static void place_discs(const fm_cloth_samples *s, fm_vec3 *normal)
{
    const fm_axes *x = &s->cloth->x;
    for (int i = 0; i < s->points.count; i++) {
        const int *corner = s->corner + 3 * (size_t)i;
        fm_vec3 a = axes_at(x, corner[0]), b = axes_at(x, corner[1]), c = axes_at(x, corner[2]);
        fm_vec3 middle = fm_scale(fm_add(a, fm_add(b, c)), 1.0 / 3), n;
        double reach = fmax(fm_length(fm_sub(a, middle)), fm_length(fm_sub(b, middle)));
        reach = fmax(reach, fm_length(fm_sub(c, middle)));
        n = fm_cross(fm_sub(b, a), fm_sub(c, a));
        double square = fm_dot(n, n) + 1e-200, parts = s->parts[i];
        s->points.area[i] = fm_length(n) / (2 * parts * parts);
        s->points.reach[i] = reach / fabs(parts);
        s->points.along[i] = fm_scale(fm_cross(fm_sub(c, a), n), parts / square);
        s->points.across[i] = fm_scale(fm_cross(n, fm_sub(b, a)), parts / square);
        fm_make_unit(&n);
        normal[i] = n;
    }
}

bool fm_cloth_samples_make(fm_cloth_samples *s, fm_cloth *c, double longest, bool passive,
                           fm_arena *arena, fm_error *err)
{
    fm_cloth_parts parts;
    *s = (fm_cloth_samples){.cloth = c, .points = {.passive = passive}};
    s->points.thickness = c->def.thickness;
    if (!fm_cloth_find_parts(c, &parts, err))
        return false;
    double count = 0;
    for (int t = 0; t < parts.triangle_count; t++) {
        double n = divide(c, parts.triangle + 3 * (size_t)t, longest);
        count += n * n;
    }
    if (!alloc_own(s, arena, count, err))
        return false;
    int next = 0;
    for (int t = 0; t < parts.triangle_count; t++) {
        const int *corner = parts.triangle + 3 * (size_t)t;
        fill(s, &next, corner, divide(c, corner, longest));
    }
    c->carrier.on = passive;
    place(s, s->points.before);
    place(s, s->points.after);
    place_discs(s, s->points.turned);
    return true;
}

// Sums over the samples of each particle, in the order of the samples: of `from` times `by` (1
// where that is NULL), and of `by` alone.
static void gather(const fm_cloth_samples *s, const fm_vec3 *from, const double *by,
                   const double *also)
{
    for (int i = 0; i < s->cloth->count; i++) {
        s->given[i] = (fm_vec3){0};
        s->weight[i] = 0;
    }
    for (int i = 0; i < s->points.count; i++) {
        double weight = also ? by[i] * also[i] : by[i];
        for (int k = 0; k < 3; k++) {
            int at = s->corner[3 * (size_t)i + (size_t)k];
            double share = s->share[3 * (size_t)i + (size_t)k];
            s->given[at] = fm_add_scaled(s->given[at], from[i], also ? share * weight : share);
            s->weight[at] += share * weight;
        }
    }
}

// Impulses of the medium, and the inertia it lends. What was an acceleration under the old inertia
// is one of the same forces under the new.
static void take_push(const fm_cloth_samples *s)
{
    fm_cloth *c = s->cloth;
    gather(s, s->points.impulse, s->points.layer, NULL);
    for (int i = 0; i < c->count; i++) {
        double inertia = c->mass[i] + s->weight[i], change = c->inertia[i] / inertia;
        c->inertia[i] = inertia;
        c->a.x[i] *= change, c->a.y[i] *= change, c->a.z[i] *= change;
        s->v[i] = axes_at(&c->v, i);
        if (fm_cloth_is_held(c, i, c->time))
            continue;
        fm_vec3 dv = fm_scale(s->given[i], 1 / inertia);
        c->v.x[i] += dv.x, c->v.y[i] += dv.y, c->v.z[i] += dv.z;
    }
    for (int i = 0; i < s->points.count; i++)
        s->points.impulse[i] = (fm_vec3){0};
}

// Velocity and share of the medium around each particle. What is dry keeps the velocity it had, so
// that the memory of the drag sees no jump that means nothing.
static void take_flow(const fm_cloth_samples *s, double end)
{
    fm_cloth *c = s->cloth;
    gather(s, s->points.velocity, s->points.area, s->points.wet);
    c->carrier.end = end;
    for (int i = 0; i < c->count; i++) {
        bool wet = s->weight[i] > 1e-6 * c->area[i];
        fm_vec3 w = wet ? fm_scale(s->given[i], 1 / s->weight[i]) : axes_at(&c->w, i);
        c->carrier.velocity.x[i] = w.x;
        c->carrier.velocity.y[i] = w.y;
        c->carrier.velocity.z[i] = w.z;
        c->wet_area[i] = fmin(s->weight[i], c->area[i]);
    }
}

void fm_cloth_samples_take(fm_cloth_samples *s, double end)
{
    place(s, s->points.before);
    place_discs(s, s->points.turned);
    if (s->points.passive)
        take_flow(s, end);
    else
        take_push(s);
}

void fm_cloth_samples_give(fm_cloth_samples *s, double start, double end)
{
    fm_cloth *c = s->cloth;
    s->points.start = start;
    s->points.end = end;
    place(s, s->points.after);
    place_discs(s, s->points.normal);
    for (int i = 0; i < c->count && !s->points.passive; i++)
        s->v[i] = fm_cloth_is_held(c, i, end) ? (fm_vec3){0} : fm_sub(axes_at(&c->v, i), s->v[i]);
    for (int i = 0; i < s->points.count && !s->points.passive; i++) {
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + (size_t)k;
            s->points.handed[i] = fm_add_scaled(s->points.handed[i], s->v[s->corner[at]],
                                                s->share[at] * s->points.layer[i]);
        }
    }
}

void fm_carrier_velocity(fm_cloth *c, double t, double h, int first, int last)
{
    double left = c->carrier.end - (t - h);
    double part = c->started && left > h ? h / left : 1;
    const fm_axes *to = &c->carrier.velocity, *w = &c->w;
    for (int i = first; i < last && i < c->count; i++) {
        c->flow.x[i] = w->x[i] + part * (to->x[i] - w->x[i]);
        c->flow.y[i] = w->y[i] + part * (to->y[i] - w->y[i]);
        c->flow.z[i] = w->z[i] + part * (to->z[i] - w->z[i]);
    }
}
