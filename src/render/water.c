// SPDX-License-Identifier: MIT
// water.c: clear matter: what it mirrors, and what is seen through it.
//
// At its surface light splits by Fresnel's equations, and what goes in is bent by Snell's:
//
//     n1 sin a1 = n2 sin a2,     F = (s^2 + p^2) / 2
//
// s and p being the amplitudes that stay, of the two polarisations. Along a way r inside, Beer and
// Lambert's law leaves exp(-k r) of it, k of each colour.
//
// There is no dice in it: at the first surface both ways are followed, at later ones the stronger
// way only, and the other one is taken for the light that comes from there on average. So clear
// matter is as free of noise as what is seen in it. Where two overlap, as water and the glass it
// is in, what bends light more is there. Shadows on things: the sun's ray goes straight
// through and loses what it does; on the floor there are caustics (caustics.c).
#include "render/render.h"

#include <string.h>

enum { SURFACES = 12, MEDIA = 4 }; // that one way may meet; and be in

// The share that is mirrored, and the direction of the rest; 1 where there is none. cosine: of the
// angle to the normal, which points to where the ray comes from; n: index there by index here.
static float split(fm_float3 d, fm_float3 normal, float n, fm_float3 *bent)
{
    float cosine = -fm_f3_dot(d, normal), square = 1 - n * n * (1 - cosine * cosine);
    if (square <= 0)
        return 1;
    float other = sqrtf(square);
    *bent = fm_f3_unit(fm_f3_along(fm_f3_scale(d, n), n * cosine - other, normal));
    float s = (n * cosine - other) / (n * cosine + other);
    float p = (cosine - n * other) / (cosine + n * other);
    return (s * s + p * p) / 2;
}

static fm_float3 mirror(fm_float3 d, fm_float3 normal)
{
    return fm_f3_unit(fm_f3_along(d, -2 * fm_f3_dot(d, normal), normal));
}

static const fm_paint *paint_of(const fm_shot *shot, const fm_hit *hit)
{
    return &shot->drawing->meshes[hit->object].paint;
}

// k of Beer and Lambert's law, 1/m. A picture of a cup and one of a lake look alike unless the
// paint says what its matter is like.
static fm_float3 absorption(const fm_shot *shot, const fm_paint *paint)
{
    fm_color c = paint->clear;
    float per_metre = -1 / (paint->depth > 0 ? paint->depth : shot->size);
    return fm_f3(per_metre * logf(fm_max(c.r, 1e-4f)), per_metre * logf(fm_max(c.g, 1e-4f)),
                 per_metre * logf(fm_max(c.b, 1e-4f)));
}

static fm_float3 left_after(fm_float3 k, float way)
{
    return fm_f3(expf(-k.x * way), expf(-k.y * way), expf(-k.z * way));
}

static float largest(fm_float3 a)
{
    return fm_max(a.x, fm_max(a.y, a.z));
}

// A large window over the scene and a strip behind it: what makes a smooth surface look wet.
static fm_float3 lamps(const fm_shot *shot, fm_float3 d)
{
    if (shot->under_water || d.y <= 0)
        return fm_f3(0, 0, 0);
    float across = fm_f3_dot(d, shot->sun_side[0]), along = fm_f3_dot(d, shot->sun_side[1]);
    float front = fm_f3_dot(d, shot->sun);
    float window = front > 0 ? fm_smoothstep(0.42f, 0.34f, fabsf(across)) *
                                   fm_smoothstep(0.30f, 0.22f, fabsf(along))
                             : 0;
    float strip = front < 0
                      ? fm_smoothstep(0.75f, 0.5f, fabsf(across)) *
                            fm_smoothstep(0.10f, 0.16f, d.y) * fm_smoothstep(0.42f, 0.34f, d.y)
                      : 0;
    return fm_f3_scale(shot->sun_color, 3.2f * window + 0.9f * strip);
}

// Follows one way through clear matter and out of it. weight: of what it finds.
typedef struct way {
    fm_float3 origin, d, weight;
    const fm_paint *in[MEDIA]; // what it is in
    int count;
    fm_both sum;
} way;

// What bends light most of all that a way is in; NULL in the open.
static const fm_paint *find_medium(const way *w)
{
    const fm_paint *medium = NULL;
    for (int i = 0; i < w->count; i++)
        if (!medium || w->in[i]->refraction > medium->refraction)
            medium = w->in[i];
    return medium;
}

static void enter(way *w, const fm_paint *paint)
{
    if (w->count < MEDIA)
        w->in[w->count++] = paint;
}

// Whoever leaves has been inside, also where the way in was too near to be found.
static bool is_in(const way *w, const fm_paint *paint)
{
    bool in = false;
    for (int i = 0; i < w->count; i++)
        in |= w->in[i] == paint;
    return in;
}

static void leave(way *w, const fm_paint *paint)
{
    int i = 0;
    while (w->in[i] != paint)
        i++;
    w->in[i] = w->in[--w->count];
}

static float index_of(const fm_paint *medium)
{
    return medium ? medium->refraction : 1;
}

static void add(way *w, fm_float3 light, fm_float3 unlit)
{
    w->sum.light = fm_f3_add(w->sum.light, fm_f3_mul(w->weight, light));
    w->sum.unlit = fm_f3_add(w->sum.unlit, fm_f3_mul(w->weight, unlit));
}

// What the way loses until a distance, and the light that matter there sends along.
static void pass(const fm_path *p, way *w, float distance)
{
    const fm_shot *shot = p->shot;
    const fm_paint *medium = find_medium(w);
    fm_float3 left = fm_transmission(shot, distance), glow = shot->sky_side;
    if (medium) {
        left = left_after(absorption(shot, medium), distance);
        glow = fm_f3_mul(fm_ambient(shot, w->origin, fm_f3(0, 1, 0)), fm_f3(0.02f, 0.10f, 0.13f));
    }
    fm_float3 lost = fm_f3_sub(fm_f3(1, 1, 1), left);
    add(w, fm_f3_mul(glow, lost), fm_f3_mul(glow, lost));
    w->weight = fm_f3_mul(w->weight, left);
}

static void end(const fm_path *p, way *w, const fm_hit *hit, float floor)
{
    bool traced = largest(w->weight) > 0.08f;
    fm_sight seen;
    if (hit)
        seen = fm_look_at_solid(p, hit, w->origin, w->d, traced);
    else if (floor < FM_NOTHING)
        seen = fm_look_at_floor(p, floor, w->origin, w->d, traced);
    else
        seen = fm_look_at_nothing(p, w->origin, w->d);
    add(w, seen.color.light, seen.color.unlit);
}

// Light from everywhere around a direction, where no ray is sent.
static fm_float3 around(const fm_shot *shot, const way *w, fm_float3 d, const fm_paint *medium)
{
    if (!medium)
        return fm_f3_add(fm_background(shot, d), lamps(shot, d));
    fm_float3 tint = left_after(absorption(shot, medium), shot->size);
    return fm_f3_mul(fm_ambient(shot, w->origin, d), tint);
}

// Something solid, or the floor, that the matter touches where the way would leave it.
static bool ends_at_wet(const fm_path *p, way *w, float wet)
{
    fm_hit hit;
    float floor = fm_floor_distance(p->shot, w->origin, w->d);
    // a slanted way has farther to go
    float far = wet / fm_max(fabsf(w->d.y), 0.1f);
    if (wet > 0 && fm_tracer_hit(p->shot->tracer, p->tally, FM_PART_SOLID, w->origin, w->d, 0, wet,
                                 false, &hit)) {
        end(p, w, &hit, FM_NOTHING);
        return true;
    }
    if (wet > 0 && floor < far) {
        end(p, w, NULL, floor);
        return true;
    }
    return false;
}

// To the other side of a surface, or back from it; false where the way ends.
static bool cross(const fm_path *p, way *w, const fm_hit *hit)
{
    const fm_shot *shot = p->shot;
    fm_point point;
    fm_point_from_hit(shot, hit, w->origin, w->d, false, &point);
    float gap = 2e-4f * shot->size;
    bool leaves = fm_f3_dot(hit->normal, w->d) > 0;
    const fm_paint *paint = paint_of(shot, hit), *here, *there;
    if (leaves && !is_in(w, paint))
        enter(w, paint);
    way over = *w;
    if (leaves && is_in(w, paint))
        leave(&over, paint);
    else if (!leaves && !is_in(w, paint))
        enter(&over, paint);
    here = find_medium(w), there = find_medium(&over);
    pass(p, w, hit->distance);
    w->origin = fm_f3_along(point.position, -gap, point.facing);
    if (leaves && !there && ends_at_wet(p, w, paint->thickness))
        return false;
    fm_float3 bent = w->d, back = mirror(w->d, point.normal);
    float share =
        here == there ? 0 : split(w->d, point.normal, index_of(here) / index_of(there), &bent);
    bool turns = share > 0.5f;
    float other = turns ? 1 - share : share;
    fm_float3 rest = around(shot, w, turns ? bent : back, turns ? there : here);
    add(w, fm_f3_scale(rest, other), fm_f3_scale(rest, other));
    w->weight = fm_f3_scale(w->weight, 1 - other);
    w->d = turns ? back : bent;
    if (turns) {
        w->origin = fm_f3_along(point.position, gap, point.facing);
    } else {
        memcpy(w->in, over.in, sizeof w->in);
        w->count = over.count;
    }
    return largest(w->weight) > 0.01f;
}

static fm_both follow(const fm_path *p, way w)
{
    const fm_shot *shot = p->shot;
    for (int i = 0; i < SURFACES; i++) {
        fm_hit hit;
        float floor = fm_floor_distance(shot, w.origin, w.d);
        bool met = fm_tracer_hit(shot->tracer, p->tally, FM_PART_ALL, w.origin, w.d, 0,
                                 fm_min(floor, 1e20f), false, &hit);
        if (met && fm_hit_is_clear(shot, &hit)) {
            if (!cross(p, &w, &hit))
                return w.sum;
            continue;
        }
        if (met || floor < FM_NOTHING)
            pass(p, &w, met ? hit.distance : floor);
        end(p, &w, met ? &hit : NULL, floor);
        if (!met && !(floor < FM_NOTHING)) {
            fm_float3 light = lamps(shot, w.d);
            add(&w, light, light);
        }
        return w.sum;
    }
    fm_float3 light = around(shot, &w, w.d, find_medium(&w));
    add(&w, light, light);
    return w.sum;
}

fm_sight fm_look_at_clear(const fm_path *p, const fm_hit *hit, fm_float3 origin, fm_float3 d)
{
    const fm_shot *shot = p->shot;
    const fm_paint *paint = paint_of(shot, hit);
    fm_point point;
    fm_point_from_hit(shot, hit, origin, d, false, &point);
    bool leaves = fm_f3_dot(hit->normal, d) > 0; // the camera is inside
    float gap = 2e-4f * shot->size, n = paint->refraction;
    fm_float3 bent = d, back = mirror(d, point.normal);
    float share = split(d, point.normal, leaves ? n : 1 / n, &bent);
    way out = {.origin = fm_f3_along(point.position, gap, point.facing),
               .d = back,
               .weight = {share, share, share},
               .in = {paint},
               .count = leaves};
    way in = {.origin = fm_f3_along(point.position, -gap, point.facing),
              .d = bent,
              .weight = {1 - share, 1 - share, 1 - share},
              .in = {paint},
              .count = !leaves};
    fm_both a = follow(p, out), b = {{0, 0, 0}, {0, 0, 0}};
    if (share < 1)
        b = follow(p, in);
    fm_both color = {fm_f3_add(a.light, b.light), fm_f3_add(a.unlit, b.unlit)};
    return (fm_sight){color, point.normal, hit->distance, hit->distance};
}

fm_float3 fm_clear_cross(const fm_shot *shot, const fm_hit *hit, fm_float3 *origin, fm_float3 *d)
{
    fm_point point;
    fm_point_from_hit(shot, hit, *origin, *d, false, &point);
    const fm_paint *paint = paint_of(shot, hit);
    bool leaves = fm_f3_dot(hit->normal, *d) > 0;
    fm_float3 left = {1, 1, 1}, bent;
    if (leaves)
        left = left_after(absorption(shot, paint), hit->distance);
    float n = paint->refraction, gap = 2e-4f * shot->size;
    float share = split(*d, point.normal, leaves ? n : 1 / n, &bent);
    bool turns = share >= 1;
    *origin = fm_f3_along(point.position, turns ? gap : -gap, point.facing);
    if (leaves && !turns && point.position.y - shot->floor_y < paint->thickness)
        return left; // wets the floor: straight on
    *d = turns ? mirror(*d, point.normal) : bent;
    return turns ? left : fm_f3_scale(left, 1 - share);
}

fm_float3 fm_clear_left(const fm_path *p, fm_float3 origin, fm_float3 d)
{
    const fm_shot *shot = p->shot;
    fm_float3 left = {1, 1, 1};
    float start = 0;
    if (!fm_tracer_has_clear(shot->tracer))
        return left;
    for (int i = 0; i < SURFACES; i++) {
        fm_hit hit;
        if (!fm_tracer_hit(shot->tracer, p->tally, FM_PART_CLEAR, origin, d, start, 20 * shot->size,
                           false, &hit))
            break;
        bool leaves = fm_f3_dot(hit.normal, d) > 0;
        const fm_paint *paint = paint_of(shot, &hit);
        if (leaves)
            left = fm_f3_mul(left, left_after(absorption(shot, paint), hit.distance - start));
        fm_float3 bent, normal = fm_f3_unit(hit.normal);
        if (leaves)
            normal = fm_f3_scale(normal, -1);
        float share = split(d, normal, 1 / paint->refraction, &bent);
        left = fm_f3_scale(left, 1 - share);
        start = hit.distance + 1e-4f * shot->size;
    }
    return left;
}
