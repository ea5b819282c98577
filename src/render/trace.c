// SPDX-License-Identifier: MIT
// trace.c: the light along a camera ray.
//
// Where it meets a surface, the sun through one ray towards a point of it, and everything else
// through one ray into the half space: what it meets sends back what the sun gives it, what it does
// not meet is sky. Beside the light as the rays found it, each pixel keeps what it would be if no
// ray had met anything: that has no noise, and the filter works on the ratio of the two.
#include "render/render.h"

fm_float3 fm_shot_ray(const fm_shot *shot, float x, float y)
{
    float u = (2 * x / (float)shot->width - 1) * shot->tan_x;
    float v = (1 - 2 * y / (float)shot->height) * shot->tan_y;
    return fm_f3_unit(fm_f3_along(fm_f3_along(shot->forward, u, shot->right), v, shot->up));
}

static fm_float3 cosine_direction(fm_float3 normal, const float pair[2])
{
    // Duff et al.: Building an orthonormal basis, revisited. JCGT 6(1), 2017.
    float sign = copysignf(1, normal.z), a = -1 / (sign + normal.z), b = normal.x * normal.y * a;
    fm_float3 s = {1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x};
    fm_float3 t = {b, sign + normal.y * normal.y * a, -normal.y};
    float r = sqrtf(pair[0]), angle = 2 * (float)FM_PI * pair[1];
    fm_float3 d = fm_f3_scale(normal, sqrtf(fm_max(0, 1 - pair[0])));
    return fm_f3_unit(fm_f3_along(fm_f3_along(d, r * cosf(angle), s), r * sinf(angle), t));
}

// A point a little off the surface, on the side a ray leaves from.
static fm_float3 leave(const fm_path *p, const fm_point *point, float side)
{
    float gap = 2e-4f * p->shot->size;
    return fm_f3_along(point->position, side > 0 ? gap : -(gap + point->skip), point->facing);
}

// 0 or 1, or what clear matter leaves of it.
static fm_float3 sun_seen(const fm_path *p, const fm_point *point, uint32_t dimension, float side)
{
    float pair[2];
    fm_sampler_pair(&p->sampler, dimension, pair);
    fm_float3 d = fm_sun_sample(p->shot, pair), origin = leave(p, point, side);
    if (fm_tracer_is_blocked(p->shot->tracer, p->tally, origin, d, 0, 20 * p->shot->size))
        return fm_f3(0, 0, 0);
    bool counted = point->floor && p->shot->caustics.light; // among the caustics
    return counted ? fm_f3(1, 1, 1) : fm_clear_left(p, origin, d);
}

// What a point sends back when it is met by a ray that left another surface.
static fm_float3 bounced_light(const fm_path *p, const fm_point *point)
{
    const fm_shot *shot = p->shot;
    float facing = fm_f3_dot(point->normal, shot->sun);
    fm_float3 light = fm_f3_scale(fm_ambient(shot, point->position, point->normal), 0.55f);
    light = fm_f3_mul(light, point->albedo);
    fm_float3 share = facing > 0 ? point->albedo : point->through;
    float most = fm_max(share.x, fm_max(share.y, share.z)) * fabsf(facing);
    if (most > 0.02f) {
        fm_float3 sun = fm_f3_mul(fm_sun_at(shot, point->position, 1), share);
        sun = fm_f3_mul(sun, sun_seen(p, point, FM_DIM_BOUNCE, facing));
        light = fm_f3_along(light, fabsf(facing), sun);
    }
    return light;
}

// Light from a direction, without clear matter.
static fm_float3 sky_towards(const fm_path *p, const fm_point *point, fm_float3 origin, fm_float3 d)
{
    const fm_shot *shot = p->shot;
    fm_hit hit;
    if (fm_tracer_hit(shot->tracer, p->tally, FM_PART_SOLID, origin, d, 0, 12 * shot->size, false,
                      &hit)) {
        fm_point other;
        fm_point_from_hit(shot, &hit, origin, d, false, &other);
        return fm_f3_mul(bounced_light(p, &other), fm_transmission(shot, hit.distance));
    }
    if (shot->has_floor && d.y < -1e-3f && origin.y > shot->floor_y) {
        float distance = (shot->floor_y - origin.y) / d.y;
        fm_float3 light = fm_f3_mul(shot->floor_light, fm_transmission(shot, distance));
        fm_float3 lost = fm_f3_sub(fm_f3(1, 1, 1), fm_transmission(shot, distance));
        return fm_f3_add(light, fm_f3_mul(fm_sky(shot, d), lost));
    }
    return fm_f3_scale(fm_sky(shot, d), fm_depth_fade(shot, point->position.y));
}

// Light from one direction of the half space.
static fm_float3 sky_seen(const fm_path *p, const fm_point *point)
{
    float pair[2];
    fm_sampler_pair(&p->sampler, FM_DIM_SKY, pair);
    fm_float3 d = cosine_direction(point->normal, pair), origin = leave(p, point, 1);
    return fm_f3_mul(sky_towards(p, point, origin, d), fm_clear_left(p, origin, d));
}

// The sun on the front, or through from behind; sheen and gloss with it.
static fm_float3 sun_response(const fm_shot *shot, const fm_point *point, fm_float3 view)
{
    float facing = fm_max(fm_f3_dot(point->bumped, shot->sun), 0);
    float side = fm_f3_dot(point->normal, shot->sun); // bumps do not change which side it is
    fm_float3 sun = fm_sun_at(shot, point->position, side > 0 ? point->blur : 1);
    if (side <= 0)
        return fm_f3_scale(fm_f3_mul(sun, point->through), -side);
    fm_float3 sum = fm_f3_scale(point->albedo, facing);
    float rim = 1 - fm_clamp01(fm_f3_dot(point->normal, view));
    float fuzz = 0.5f * point->sheen * rim * rim * rim * fm_clamp01(facing + 0.3f);
    sum = fm_f3_along(sum, fuzz, fm_f3(1, 1, 1));
    if (point->gloss > 0) {
        fm_float3 half = fm_f3_unit(fm_f3_add(view, shot->sun));
        float shine = powf(fm_clamp01(fm_f3_dot(point->normal, half)), 70);
        sum = fm_f3_along(sum, 2 * point->gloss * shine, fm_f3(1, 1, 1));
    }
    return fm_f3_mul(sun, sum);
}

static fm_float3 sky_response(const fm_point *point, fm_float3 view, fm_float3 sky)
{
    float rim = 1 - fm_clamp01(fm_f3_dot(point->normal, view));
    float fuzz = 0.6f * point->sheen * rim * rim * rim;
    fm_float3 share = fm_f3_scale(point->albedo, 0.7f + 0.3f * point->crevice);
    return fm_f3_mul(sky, fm_f3_along(share, fuzz, fm_f3(1, 1, 1)));
}

static fm_both light_point(const fm_path *p, const fm_point *point, fm_float3 direction,
                           bool traced)
{
    const fm_shot *shot = p->shot;
    fm_float3 view = fm_f3_scale(direction, -1);
    fm_float3 sun = sun_response(shot, point, view);
    if (point->floor)
        sun = fm_f3_mul(sun, fm_caustics_at(shot, point->position));
    fm_float3 open = fm_ambient(shot, point->position, point->bumped);
    fm_float3 behind = fm_ambient(shot, point->position, fm_f3_scale(point->normal, -1));
    behind = fm_f3_scale(fm_f3_mul(behind, point->through), 0.8f);
    fm_both result;
    result.unlit = fm_f3_add(fm_f3_add(sun, behind), sky_response(point, view, open));
    result.light = result.unlit;
    if (!traced)
        return result;
    float side = fm_f3_dot(point->normal, shot->sun);
    float most = fm_max(sun.x, fm_max(sun.y, sun.z));
    fm_float3 seen = most > 0.004f ? sun_seen(p, point, FM_DIM_SUN, side) : fm_f3(1, 1, 1);
    // the half space is the smooth normal's, the bumps' share of it that of the open sky
    fm_float3 smooth = fm_ambient(shot, point->position, point->normal);
    fm_float3 bump = {open.x / fm_max(smooth.x, 1e-6f), open.y / fm_max(smooth.y, 1e-6f),
                      open.z / fm_max(smooth.z, 1e-6f)};
    fm_float3 sky = sky_response(point, view, fm_f3_mul(sky_seen(p, point), bump));
    result.light = fm_f3_add(fm_f3_add(behind, fm_f3_mul(seen, sun)), sky);
    return result;
}

fm_sight fm_look_at_solid(const fm_path *p, const fm_hit *hit, fm_float3 origin, fm_float3 d,
                          bool traced)
{
    fm_point point;
    fm_point_from_hit(p->shot, hit, origin, d, true, &point);
    return (fm_sight){light_point(p, &point, d, traced), point.normal, hit->distance,
                      hit->distance};
}

float fm_floor_distance(const fm_shot *shot, fm_float3 origin, fm_float3 d)
{
    bool below = shot->has_floor && d.y < -1e-4f && origin.y > shot->floor_y;
    return below ? (shot->floor_y - origin.y) / d.y : FM_NOTHING;
}

fm_sight fm_look_at_floor(const fm_path *p, float distance, fm_float3 origin, fm_float3 d,
                          bool traced)
{
    const fm_shot *shot = p->shot;
    fm_point point;
    fm_point_on_floor(shot, fm_f3_along(origin, distance, d), distance, &point);
    float clear = fm_transmission(shot, distance).z;
    fm_both color = light_point(p, &point, d, traced && clear > 0.06f);
    if (!shot->under_water) { // the floor ends in the background
        float far = fm_smoothstep(4, 15, distance / shot->size);
        fm_float3 behind = fm_background(shot, d);
        color.light = fm_f3_mix(color.light, behind, far);
        color.unlit = fm_f3_mix(color.unlit, behind, far);
    }
    return (fm_sight){color, fm_f3(0, 1, 0), distance, distance};
}

fm_sight fm_look_at_nothing(const fm_path *p, fm_float3 origin, fm_float3 d)
{
    float above;
    fm_float3 light;
    if (fm_surface_light(p->shot, origin, d, &above, &light))
        return (fm_sight){{light, light}, {0, 0, 0}, FM_NOTHING, above};
    light = fm_background(p->shot, d);
    return (fm_sight){{light, light}, {0, 0, 0}, FM_NOTHING, FM_NOTHING};
}

static fm_sight look(const fm_path *p, fm_float3 origin, fm_float3 d)
{
    const fm_shot *shot = p->shot;
    fm_hit hit;
    float floor = fm_floor_distance(shot, origin, d);
    if (fm_tracer_hit(shot->tracer, p->tally, FM_PART_ALL, origin, d, 0, fm_min(floor, 1e20f), true,
                      &hit))
        return fm_hit_is_clear(shot, &hit) ? fm_look_at_clear(p, &hit, origin, d)
                                           : fm_look_at_solid(p, &hit, origin, d, true);
    if (floor < FM_NOTHING)
        return fm_look_at_floor(p, floor, origin, d, true);
    return fm_look_at_nothing(p, origin, d);
}

static void through_water(const fm_shot *shot, fm_sight *seen, float x, float y)
{
    if (!shot->under_water)
        return;
    fm_float3 haze = fm_haze_at(shot, x, y, seen->reach);
    fm_float3 clear = fm_transmission(shot, fm_min(seen->reach, shot->haze.far));
    seen->color.light = fm_f3_add(fm_f3_mul(seen->color.light, clear), haze);
    seen->color.unlit = fm_f3_add(fm_f3_mul(seen->color.unlit, clear), haze);
}

// Through a lens: all rays of a point at the focus meet there.
static void bend(const fm_path *p, fm_float3 *origin, fm_float3 *d)
{
    const fm_shot *shot = p->shot;
    float pair[2];
    if (!(shot->lens_radius > 0))
        return;
    fm_sampler_pair(&p->sampler, FM_DIM_LENS, pair);
    float r = shot->lens_radius * sqrtf(pair[0]), a = 2 * (float)FM_PI * pair[1];
    fm_float3 sharp = fm_f3_along(*origin, shot->focus / fm_f3_dot(*d, shot->forward), *d);
    *origin = fm_f3_along(*origin, r * cosf(a), shot->right);
    *origin = fm_f3_along(*origin, r * sinf(a), shot->up);
    *d = fm_f3_unit(fm_f3_sub(sharp, *origin));
}

void fm_shot_trace_pixel(const fm_shot *shot, fm_tally *tally, int x, int y, fm_pixel *pixel)
{
    fm_path p = {shot, tally, fm_sampler_begin(x, y, shot->seed, shot->samples)};
    float share = 1.0f / (float)shot->samples, nearest = FM_NOTHING;
    *pixel = (fm_pixel){.distance = FM_NOTHING};
    for (int s = 0; s < shot->samples; s++) {
        float pair[2];
        p.sampler.index = (uint32_t)s;
        fm_sampler_pair(&p.sampler, FM_DIM_PIXEL, pair);
        float px = (float)x + pair[0], py = (float)y + pair[1];
        fm_float3 origin = shot->eye, d = fm_shot_ray(shot, px, py);
        bend(&p, &origin, &d);
        fm_sight seen = look(&p, origin, d);
        through_water(shot, &seen, px, py);
        // a bright speck in one of few rays is noise
        fm_float3 light = seen.color.light;
        light = fm_f3(fm_min(light.x, 8), fm_min(light.y, 8), fm_min(light.z, 8));
        pixel->light = fm_f3_along(pixel->light, share, light);
        pixel->unlit = fm_f3_along(pixel->unlit, share, seen.color.unlit);
        pixel->normal = fm_f3_along(pixel->normal, share, seen.normal);
        nearest = fm_min(nearest, seen.distance);
    }
    pixel->distance = nearest;
}
