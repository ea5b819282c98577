// SPDX-License-Identifier: MIT
// refraction.c: reflection and refraction by transparent materials, and their absorption.
//
// At a surface light splits by Fresnel's equations, and the transmitted part is refracted by
// Snell's law:
//
//     n1 sin a1 = n2 sin a2,     F = (s^2 + p^2) / 2
//
// n1, n2 are the indices of refraction, a1, a2 the angles to the normal, F is the reflectance, s
// and p the reflected amplitudes of the two polarisations. Over a distance r inside a
// material the transmittance is exp(-k r) (Beer-Lambert), with the absorption coefficient k (1/m)
// of each colour.
//
// Nothing is random: at the first surface both the reflected and the refracted ray are traced, at
// later surfaces only the stronger one; the weaker one is replaced by the mean radiance from its
// direction. Transparent materials therefore add no noise. Where two materials overlap, such as
// water and the glass around it, the one with the higher index of refraction counts. Shadow rays on
// objects go straight through and are attenuated; the floor receives caustics (caustics.c).
#include "render/render.h"

#include <string.h>

enum {
    SURFACES_MAX = 12, // transparent surfaces that a ray may cross
    MEDIA_MAX = 4,     // materials that a ray may be inside at the same time
};

static const float TRANSMITTANCE_MIN = 1e-4f; // of a paint, because its logarithm is taken
// Shares of the light that reaches the camera: rays that carry less than WEIGHT_MIN end; shadow
// rays are left out where a ray carries less than SHADOW_WEIGHT.
static const float WEIGHT_MIN = 0.01f, SHADOW_WEIGHT = 0.08f;

// Fresnel reflectance of an interface, and the refracted direction; 1 for total internal
// reflection. normal points to the side the ray comes from; n: index of refraction on that side
// over the index on the other side.
static float fresnel_refract(fm_float3 d, fm_float3 normal, float n, fm_float3 *refracted)
{
    float cosine = -fm_f3_dot(d, normal), square = 1 - n * n * (1 - cosine * cosine);
    if (square <= 0)
        return 1;
    float cosine_out = sqrtf(square);
    *refracted = fm_f3_unit(fm_f3_add_scaled(fm_f3_scale(d, n), n * cosine - cosine_out, normal));
    float s = (n * cosine - cosine_out) / (n * cosine + cosine_out);
    float p = (cosine - n * cosine_out) / (cosine + n * cosine_out);
    return (s * s + p * p) / 2;
}

// The direction d mirrored at a surface.
static fm_float3 reflect(fm_float3 d, fm_float3 normal)
{
    return fm_f3_unit(fm_f3_add_scaled(d, -2 * fm_f3_dot(d, normal), normal));
}

// The material of the mesh that was hit.
static const fm_paint *paint_of(const fm_shot *shot, const fm_ray_hit *hit)
{
    return &shot->drawing->meshes[hit->object].paint;
}

// Absorption coefficient of a material, 1/m per colour. Without a depth in the paint it scales with
// the scene, so that a cup and a lake look alike.
static fm_float3 absorption(const fm_shot *shot, const fm_paint *paint)
{
    fm_color c = paint->transmittance;
    float per_metre = -1 / (paint->depth > 0 ? paint->depth : shot->size);
    return fm_f3(per_metre * logf(fm_float_max(c.r, TRANSMITTANCE_MIN)),
                 per_metre * logf(fm_float_max(c.g, TRANSMITTANCE_MIN)),
                 per_metre * logf(fm_float_max(c.b, TRANSMITTANCE_MIN)));
}

// Transmittance over a distance, m, for the absorption coefficient k, 1/m.
static fm_float3 beer_lambert(fm_float3 k, float distance)
{
    return fm_f3(expf(-k.x * distance), expf(-k.y * distance), expf(-k.z * distance));
}

// The largest of three components.
static float largest_component(fm_float3 a)
{
    return fm_float_max(a.x, fm_float_max(a.y, a.z));
}

// Radiance from direction d of two area lights that only reflections show, a large window above the
// scene and a strip behind it: their highlights make a smooth surface look wet. Sizes and strengths
// are artistic choices.
static fm_float3 studio_lamps(const fm_shot *shot, fm_float3 d)
{
    if (shot->under_water || d.y <= 0)
        return fm_f3(0, 0, 0);
    float across = fm_f3_dot(d, shot->sun_tangents[0]), along = fm_f3_dot(d, shot->sun_tangents[1]);
    float front = fm_f3_dot(d, shot->sun);
    float window = front > 0 ? fm_float_smoothstep(0.42f, 0.34f, fabsf(across)) *
                                   fm_float_smoothstep(0.30f, 0.22f, fabsf(along))
                             : 0;
    float strip = front < 0 ? fm_float_smoothstep(0.75f, 0.5f, fabsf(across)) *
                                  fm_float_smoothstep(0.10f, 0.16f, d.y) *
                                  fm_float_smoothstep(0.42f, 0.34f, d.y)
                            : 0;
    return fm_f3_scale(shot->sun_color, 3.2f * window + 0.9f * strip);
}

// A ray through transparent materials, and the radiance it has collected.
typedef struct traced_ray {
    fm_float3 origin, d;               // m; unit direction
    fm_float3 weight;                  // share of its light that reaches the camera
    const fm_paint *inside[MEDIA_MAX]; // materials that overlap at its origin
    int count;                         // number of these materials
    fm_radiance_pair sum;              // radiance collected
} traced_ray;

// The material around the ray with the highest index of refraction; NULL: none.
static const fm_paint *find_medium(const traced_ray *ray)
{
    const fm_paint *medium = NULL;
    for (int i = 0; i < ray->count; i++)
        if (!medium || ray->inside[i]->refraction > medium->refraction)
            medium = ray->inside[i];
    return medium;
}

// Adds a material to those that the ray is inside.
static void enter_medium(traced_ray *ray, const fm_paint *paint)
{
    if (ray->count < MEDIA_MAX)
        ray->inside[ray->count++] = paint;
}

// True if the ray is inside the given material.
static bool is_inside(const traced_ray *ray, const fm_paint *paint)
{
    bool inside = false;
    for (int i = 0; i < ray->count; i++)
        inside |= ray->inside[i] == paint;
    return inside;
}

// Removes a material from those that the ray is inside.
static void leave_medium(traced_ray *ray, const fm_paint *paint)
{
    int i = 0;
    while (ray->inside[i] != paint)
        i++;
    ray->inside[i] = ray->inside[--ray->count];
}

// Index of refraction of a material; 1 for NULL, air or the surrounding water.
static float refractive_index(const fm_paint *medium)
{
    return medium ? medium->refraction : 1;
}

// Adds radiance, weighted by the share that reaches the camera. light: traced, unoccluded: without
// occlusion.
static void add_radiance(traced_ray *ray, fm_float3 light, fm_float3 unoccluded)
{
    ray->sum.light = fm_f3_add(ray->sum.light, fm_f3_mul(ray->weight, light));
    ray->sum.unoccluded = fm_f3_add(ray->sum.unoccluded, fm_f3_mul(ray->weight, unoccluded));
}

// Attenuates the ray over a distance, m, and adds the light that the medium scatters towards it: of
// the horizon in the surrounding water, and a share of the ambient light, an artistic choice,
// inside the given material; in its own colour if that was given for a depth.
static void attenuate(const fm_pixel_sample *p, traced_ray *ray, float distance)
{
    const fm_shot *shot = p->shot;
    const fm_paint *medium = find_medium(ray);
    fm_float3 transmittance = fm_shot_transmittance(shot, distance), glow = shot->sky_horizon;
    if (medium) {
        transmittance = beer_lambert(absorption(shot, medium), distance);
        fm_color c = medium->transmittance;
        fm_float3 share = medium->depth > 0 ? fm_f3_scale(fm_f3(c.r, c.g, c.b), 0.1f)
                                            : fm_f3(0.02f, 0.10f, 0.13f);
        glow = fm_f3_mul(fm_shot_ambient_radiance(shot, ray->origin, fm_f3(0, 1, 0)), share);
    }
    fm_float3 lost = fm_f3_sub(fm_f3(1, 1, 1), transmittance);
    add_radiance(ray, fm_f3_mul(glow, lost), fm_f3_mul(glow, lost));
    ray->weight = fm_f3_mul(ray->weight, transmittance);
}

// Adds the radiance where the ray ends: of the solid `hit` (may be NULL), of the floor at the
// distance `floor`, m, or of the background. Shadow rays are traced only if the ray carries enough
// light.
static void shade_endpoint(const fm_pixel_sample *p, traced_ray *ray, const fm_ray_hit *hit,
                           float floor)
{
    bool traced = largest_component(ray->weight) > SHADOW_WEIGHT;
    fm_ray_result seen;
    if (hit)
        seen = fm_shade_solid(p, hit, ray->origin, ray->d, traced);
    else if (floor < FM_RAY_NO_HIT)
        seen = fm_shade_floor(p, floor, ray->origin, ray->d, traced);
    else
        seen = fm_shade_background(p, ray->origin, ray->d);
    add_radiance(ray, seen.color.light, seen.color.unoccluded);
}

// Mean radiance from direction d inside `medium` (NULL: outside), for rays that are not traced.
static fm_float3 approximate_radiance(const fm_shot *shot, const traced_ray *ray, fm_float3 d,
                                      const fm_paint *medium)
{
    if (!medium)
        return fm_f3_add(fm_shot_background_radiance(shot, d), studio_lamps(shot, d));
    fm_float3 tint = beer_lambert(absorption(shot, medium), shot->size);
    return fm_f3_mul(fm_shot_ambient_radiance(shot, ray->origin, d), tint);
}

// True if a solid or the floor lies within wet_distance, m, behind the surface where the ray leaves
// a material, so that the material wets it; shades that point. Along an oblique ray the floor may
// be further away.
static bool ends_at_wet_surface(const fm_pixel_sample *p, traced_ray *ray, float wet_distance)
{
    fm_ray_hit hit;
    float floor = fm_shot_floor_distance(p->shot, ray->origin, ray->d);
    const float flattest = 0.1f; // smallest y component of the direction that is considered
    float far = wet_distance / fm_float_max(fabsf(ray->d.y), flattest);
    if (wet_distance > 0 &&
        fm_tracer_intersect(p->shot->tracer, p->stats, FM_RAY_SCENE_SOLID, ray->origin, ray->d, 0,
                            wet_distance, false, &hit)) {
        shade_endpoint(p, ray, &hit, FM_RAY_NO_HIT);
        return true;
    }
    if (wet_distance > 0 && floor < far) {
        shade_endpoint(p, ray, NULL, floor);
        return true;
    }
    return false;
}

// Takes a ray across a transparent surface: continues with the stronger of the refracted and the
// reflected ray and approximates the other. False where the ray ends, or carries too little light.
static bool cross_interface(const fm_pixel_sample *p, traced_ray *ray, const fm_ray_hit *hit)
{
    const fm_shot *shot = p->shot;
    fm_shading_point point;
    fm_shading_point_from_hit(shot, hit, ray->origin, ray->d, false, &point);
    float gap = FM_RAY_OFFSET * shot->size;
    bool leaves = fm_f3_dot(hit->normal, ray->d) > 0;
    const fm_paint *paint = paint_of(shot, hit), *here, *there;
    // a ray that leaves a material was inside it, even if its entry was too close to be hit
    if (leaves && !is_inside(ray, paint))
        enter_medium(ray, paint);
    traced_ray beyond = *ray;
    if (leaves && is_inside(ray, paint))
        leave_medium(&beyond, paint);
    else if (!leaves && !is_inside(ray, paint))
        enter_medium(&beyond, paint);
    here = find_medium(ray), there = find_medium(&beyond);
    attenuate(p, ray, hit->distance);
    ray->origin = fm_f3_add_scaled(point.position, -gap, point.geometric_normal);
    if (leaves && !there && ends_at_wet_surface(p, ray, paint->thickness))
        return false;
    fm_float3 refracted = ray->d, reflected = reflect(ray->d, point.normal);
    float reflectance =
        here == there
            ? 0
            : fresnel_refract(ray->d, point.normal,
                              refractive_index(here) / refractive_index(there), &refracted);
    bool reflects = reflectance > 0.5f;
    float weaker = reflects ? 1 - reflectance : reflectance;
    fm_float3 other =
        approximate_radiance(shot, ray, reflects ? refracted : reflected, reflects ? there : here);
    add_radiance(ray, fm_f3_scale(other, weaker), fm_f3_scale(other, weaker));
    ray->weight = fm_f3_scale(ray->weight, 1 - weaker);
    ray->d = reflects ? reflected : refracted;
    if (reflects) {
        ray->origin = fm_f3_add_scaled(point.position, gap, point.geometric_normal);
    } else {
        memcpy(ray->inside, beyond.inside, sizeof ray->inside);
        ray->count = beyond.count;
    }
    return largest_component(ray->weight) > WEIGHT_MIN;
}

// Traces a ray through up to SURFACES_MAX transparent surfaces. Returns the collected radiance.
static fm_radiance_pair trace_transparent(const fm_pixel_sample *p, traced_ray ray)
{
    const fm_shot *shot = p->shot;
    for (int i = 0; i < SURFACES_MAX; i++) {
        fm_ray_hit hit;
        float floor = fm_shot_floor_distance(shot, ray.origin, ray.d);
        bool hits = fm_tracer_intersect(shot->tracer, p->stats, FM_RAY_SCENE_ALL, ray.origin, ray.d,
                                        0, fm_float_min(floor, FM_RAY_LENGTH_MAX), false, &hit);
        if (hits && fm_ray_hit_is_transparent(shot, &hit)) {
            if (!cross_interface(p, &ray, &hit))
                return ray.sum;
            continue;
        }
        if (hits || floor < FM_RAY_NO_HIT)
            attenuate(p, &ray, hits ? hit.distance : floor);
        shade_endpoint(p, &ray, hits ? &hit : NULL, floor);
        if (!hits && !(floor < FM_RAY_NO_HIT)) {
            fm_float3 light = studio_lamps(shot, ray.d);
            add_radiance(&ray, light, light);
        }
        return ray.sum;
    }
    fm_float3 light = approximate_radiance(shot, &ray, ray.d, find_medium(&ray));
    add_radiance(&ray, light, light);
    return ray.sum;
}

// Radiance from a transparent surface that a camera ray hits: both the reflected and the refracted
// ray are traced.
fm_ray_result fm_shade_transparent(const fm_pixel_sample *p, const fm_ray_hit *hit,
                                   fm_float3 origin, fm_float3 d)
{
    const fm_shot *shot = p->shot;
    const fm_paint *paint = paint_of(shot, hit);
    fm_shading_point point;
    fm_shading_point_from_hit(shot, hit, origin, d, false, &point);
    bool leaves = fm_f3_dot(hit->normal, d) > 0; // the camera is inside
    float gap = FM_RAY_OFFSET * shot->size, n = paint->refraction;
    fm_float3 refracted = d, reflected = reflect(d, point.normal);
    float reflectance = fresnel_refract(d, point.normal, leaves ? n : 1 / n, &refracted);
    traced_ray out = {.origin = fm_f3_add_scaled(point.position, gap, point.geometric_normal),
                      .d = reflected,
                      .weight = {reflectance, reflectance, reflectance},
                      .inside = {paint},
                      .count = leaves};
    traced_ray inside = {.origin = fm_f3_add_scaled(point.position, -gap, point.geometric_normal),
                         .d = refracted,
                         .weight = {1 - reflectance, 1 - reflectance, 1 - reflectance},
                         .inside = {paint},
                         .count = !leaves};
    fm_radiance_pair a = trace_transparent(p, out), b = {{0, 0, 0}, {0, 0, 0}};
    if (reflectance < 1)
        b = trace_transparent(p, inside);
    fm_radiance_pair color = {fm_f3_add(a.light, b.light), fm_f3_add(a.unoccluded, b.unoccluded)};
    return (fm_ray_result){color, point.normal, hit->distance, hit->distance};
}

// Continues a sun ray behind a transparent surface: changes origin and direction d to those of the
// refracted, or totally reflected, ray. Returns the transmittance. A material that wets the floor
// does not refract towards it.
fm_float3 fm_shade_refract_ray(const fm_shot *shot, const fm_ray_hit *hit, fm_float3 *origin,
                               fm_float3 *d)
{
    fm_shading_point point;
    fm_shading_point_from_hit(shot, hit, *origin, *d, false, &point);
    const fm_paint *paint = paint_of(shot, hit);
    bool leaves = fm_f3_dot(hit->normal, *d) > 0;
    fm_float3 transmittance = {1, 1, 1}, refracted;
    if (leaves)
        transmittance = beer_lambert(absorption(shot, paint), hit->distance);
    float n = paint->refraction, gap = FM_RAY_OFFSET * shot->size;
    float reflectance = fresnel_refract(*d, point.normal, leaves ? n : 1 / n, &refracted);
    bool reflects = reflectance >= 1;
    *origin = fm_f3_add_scaled(point.position, reflects ? gap : -gap, point.geometric_normal);
    if (leaves && !reflects && point.position.y - shot->floor_y < paint->thickness)
        return transmittance;
    *d = reflects ? reflect(*d, point.normal) : refracted;
    return reflects ? transmittance : fm_f3_scale(transmittance, 1 - reflectance);
}

// Transmittance of the transparent objects along a straight shadow ray: absorption, and reflection
// at each surface.
fm_float3 fm_shade_shadow_transmittance(const fm_pixel_sample *p, fm_float3 origin, fm_float3 d)
{
    const fm_shot *shot = p->shot;
    float cloud = fm_cloud_transmittance(shot, origin, d), start = 0;
    fm_float3 transmittance = {cloud, cloud, cloud};
    if (!fm_tracer_has_transparent(shot->tracer))
        return transmittance;
    for (int i = 0; i < SURFACES_MAX; i++) {
        fm_ray_hit hit;
        if (!fm_tracer_intersect(shot->tracer, p->stats, FM_RAY_SCENE_TRANSPARENT, origin, d, start,
                                 FM_SHADOW_LENGTH * shot->size, false, &hit))
            break;
        bool leaves = fm_f3_dot(hit.normal, d) > 0;
        const fm_paint *paint = paint_of(shot, &hit);
        if (leaves)
            transmittance = fm_f3_mul(transmittance,
                                      beer_lambert(absorption(shot, paint), hit.distance - start));
        fm_float3 refracted, normal = fm_f3_unit(hit.normal);
        if (leaves)
            normal = fm_f3_scale(normal, -1);
        float reflectance = fresnel_refract(d, normal, 1 / paint->refraction, &refracted);
        transmittance = fm_f3_scale(transmittance, 1 - reflectance);
        start = hit.distance + FM_RAY_OFFSET / 2 * shot->size;
    }
    return transmittance;
}
