// SPDX-License-Identifier: MIT
// path_tracing.c: path tracing of camera rays with one bounce.
//
// Where a camera ray hits a surface, one shadow ray goes to a random point of the sun and one ray
// in a cosine-distributed direction of the hemisphere. If the latter hits something, its radiance
// is the sunlight and ambient light that this point reflects; otherwise it is that of the sky.
// Besides this traced radiance each pixel keeps the unoccluded radiance, as if neither ray had hit
// anything. The latter is free of noise, and the denoiser filters the ratio of the two (denoise.c).
#include "render/render.h"

static const float BOUNCE_LENGTH = 12; // scene radii, length of rays in the hemisphere
// Largest radiance of a single sample, against isolated bright pixels.
static const float SAMPLE_MAX = 8;
// Shadow rays are left out where the sun contributes less radiance than this; for the second
// surface of a path, where it reflects or transmits a smaller share than BOUNCED_SUN_MIN.
static const float SUN_MIN = 0.004f, BOUNCED_SUN_MIN = 0.02f;
// The floor is shaded without shadows where water transmits less than this share of its blue light.
static const float FLOOR_VISIBLE = 0.06f;

// Unit direction of the ray from the camera through pixel coordinates x, y.
fm_float3 fm_shot_camera_ray(const fm_shot *shot, float x, float y)
{
    float u = (2 * x / (float)shot->width - 1) * shot->tan_x;
    float v = (1 - 2 * y / (float)shot->height) * shot->tan_y;
    return fm_f3_unit(
        fm_f3_add_scaled(fm_f3_add_scaled(shot->forward, u, shot->right), v, shot->up));
}

// A cosine-distributed direction around a normal. pair: two uniform random numbers.
static fm_float3 sample_cosine_direction(fm_float3 normal, const float pair[2])
{
    // orthonormal basis s, t, normal after [DBC17]
    float sign = copysignf(1, normal.z), a = -1 / (sign + normal.z), b = normal.x * normal.y * a;
    fm_float3 s = {1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x};
    fm_float3 t = {b, sign + normal.y * normal.y * a, -normal.y};
    float r = sqrtf(pair[0]), angle = 2 * (float)FM_PI * pair[1];
    fm_float3 d = fm_f3_scale(normal, sqrtf(fm_float_max(0, 1 - pair[0])));
    return fm_f3_unit(
        fm_f3_add_scaled(fm_f3_add_scaled(d, r * cosf(angle), s), r * sinf(angle), t));
}

// The origin of a secondary ray, slightly off the surface. side > 0: on the side that the camera
// sees; else behind the cloth.
static fm_float3 offset_origin(const fm_pixel_sample *p, const fm_shading_point *point, float side)
{
    float gap = FM_RAY_OFFSET * p->shot->size;
    return fm_f3_add_scaled(point->position, side > 0 ? gap : -(gap + point->back_offset),
                            point->geometric_normal);
}

// Visibility of a random point of the sun: 0, 1, or the transmittance of transparent objects.
// dimension: which random numbers to use; side: as in offset_origin.
static fm_float3 sample_sun_visibility(const fm_pixel_sample *p, const fm_shading_point *point,
                                       uint32_t dimension, float side)
{
    float pair[2];
    fm_sampler_draw_pair(&p->sampler, dimension, pair);
    fm_float3 d = fm_shot_sample_sun(p->shot, pair), origin = offset_origin(p, point, side);
    if (fm_tracer_is_occluded(p->shot->tracer, p->stats, origin, d, 0,
                              FM_SHADOW_LENGTH * p->shot->size))
        return fm_f3(0, 0, 0);
    // the caustics texture of the floor already includes the light lost in transparent objects
    bool in_texture = point->floor && p->shot->caustics.light;
    return in_texture ? fm_f3(1, 1, 1) : fm_shade_shadow_transmittance(p, origin, d);
}

// Radiance that a point reflects towards another surface: direct sun, and 0.55 of the ambient
// light, because part of the sky is usually hidden.
static fm_float3 bounced_radiance(const fm_pixel_sample *p, const fm_shading_point *point)
{
    const fm_shot *shot = p->shot;
    float facing = fm_f3_dot(point->normal, shot->sun);
    fm_float3 light =
        fm_f3_scale(fm_shot_ambient_radiance(shot, point->position, point->normal), 0.55f);
    light = fm_f3_mul(light, point->albedo);
    fm_float3 share = facing > 0 ? point->albedo : point->transmission;
    float strongest = fm_float_max(share.x, fm_float_max(share.y, share.z)) * fabsf(facing);
    if (strongest > BOUNCED_SUN_MIN) {
        fm_float3 sun = fm_f3_mul(fm_shot_sun_radiance(shot, point->position, 1), share);
        sun = fm_f3_mul(sun, sample_sun_visibility(p, point, FM_DIM_BOUNCE, facing));
        light = fm_f3_add_scaled(light, fabsf(facing), sun);
    }
    return light;
}

// Radiance that arrives at a point from direction d: of a solid, the floor or the sky. Transparent
// objects are ignored.
static fm_float3 incoming_radiance(const fm_pixel_sample *p, const fm_shading_point *point,
                                   fm_float3 origin, fm_float3 d)
{
    const fm_shot *shot = p->shot;
    fm_ray_hit hit;
    if (fm_tracer_intersect(shot->tracer, p->stats, FM_RAY_SCENE_SOLID, origin, d, 0,
                            BOUNCE_LENGTH * shot->size, false, &hit)) {
        fm_shading_point other;
        fm_shading_point_from_hit(shot, &hit, origin, d, false, &other);
        return fm_f3_mul(bounced_radiance(p, &other), fm_shot_transmittance(shot, hit.distance));
    }
    if (shot->has_floor && d.y < -1e-3f && origin.y > shot->floor_y) {
        float distance = (shot->floor_y - origin.y) / d.y;
        fm_float3 light = fm_f3_mul(shot->floor_light, fm_shot_transmittance(shot, distance));
        // the light lost on the way is replaced by scattered sky light
        fm_float3 lost = fm_f3_sub(fm_f3(1, 1, 1), fm_shot_transmittance(shot, distance));
        return fm_f3_add(light, fm_f3_mul(fm_shot_sky_radiance(shot, d), lost));
    }
    return fm_f3_scale(fm_shot_sky_radiance(shot, d),
                       fm_shot_depth_attenuation(shot, point->position.y));
}

// Radiance from a random cosine-distributed direction of the hemisphere.
static fm_float3 sample_hemisphere(const fm_pixel_sample *p, const fm_shading_point *point)
{
    float pair[2];
    fm_sampler_draw_pair(&p->sampler, FM_DIM_SKY, pair);
    fm_float3 d = sample_cosine_direction(point->normal, pair), origin = offset_origin(p, point, 1);
    return fm_f3_mul(incoming_radiance(p, point, origin, d),
                     fm_shade_shadow_transmittance(p, origin, d));
}

// Sunlight that a point reflects towards the viewer (diffuse, sheen, specular), or transmits if the
// sun is behind it. view: unit direction to the viewer. Occlusion is not included. Which side is
// lit follows from the smooth normal, not from the bump map. Sheen grows with the cube of 1 -
// cos(angle of view); its strength and that of highlights are artistic choices.
static fm_float3 shade_sun(const fm_shot *shot, const fm_shading_point *point, fm_float3 view)
{
    float facing = fm_float_max(fm_f3_dot(point->bumped_normal, shot->sun), 0);
    float side = fm_f3_dot(point->normal, shot->sun);
    fm_float3 sun = fm_shot_sun_radiance(shot, point->position, side > 0 ? point->blur : 1);
    if (side <= 0)
        return fm_f3_scale(fm_f3_mul(sun, point->transmission), -side);
    fm_float3 sum = fm_f3_scale(point->albedo, facing);
    float grazing = 1 - fm_float_clamp01(fm_f3_dot(point->normal, view));
    float fuzz =
        0.5f * point->sheen * grazing * grazing * grazing * fm_float_clamp01(facing + 0.3f);
    sum = fm_f3_add_scaled(sum, fuzz, fm_f3(1, 1, 1));
    if (point->gloss > 0) {
        fm_float3 half = fm_f3_unit(fm_f3_add(view, shot->sun));
        float shine = powf(fm_float_clamp01(fm_f3_dot(point->normal, half)), 70);
        sum = fm_f3_add_scaled(sum, 2 * point->gloss * shine, fm_f3(1, 1, 1));
    }
    return fm_f3_mul(sun, sum);
}

// Sky light that a point reflects towards the viewer, diffuse and sheen. sky: light that arrives.
// The strengths of sheen and of the weave's shading are artistic choices.
static fm_float3 shade_sky(const fm_shading_point *point, fm_float3 view, fm_float3 sky)
{
    float grazing = 1 - fm_float_clamp01(fm_f3_dot(point->normal, view));
    float fuzz = 0.6f * point->sheen * grazing * grazing * grazing;
    fm_float3 share = fm_f3_scale(point->albedo, 0.7f + 0.3f * point->weave_shade);
    return fm_f3_mul(sky, fm_f3_add_scaled(share, fuzz, fm_f3(1, 1, 1)));
}

// Radiance from a point towards the camera. direction: of the ray from the camera; traced: with
// shadow and sky rays, else without occlusion.
static fm_radiance_pair shade_point(const fm_pixel_sample *p, const fm_shading_point *point,
                                    fm_float3 direction, bool traced)
{
    const fm_shot *shot = p->shot;
    fm_float3 view = fm_f3_scale(direction, -1);
    fm_float3 sun = shade_sun(shot, point, view);
    if (point->floor)
        sun = fm_f3_mul(sun, fm_caustics_factor(shot, point->position));
    fm_float3 ambient = fm_shot_ambient_radiance(shot, point->position, point->bumped_normal);
    fm_float3 behind =
        fm_shot_ambient_radiance(shot, point->position, fm_f3_scale(point->normal, -1));
    behind = fm_f3_scale(fm_f3_mul(behind, point->transmission), 0.8f);
    fm_radiance_pair result;
    result.unoccluded = fm_f3_add(fm_f3_add(sun, behind), shade_sky(point, view, ambient));
    result.light = result.unoccluded;
    if (!traced)
        return result;
    float side = fm_f3_dot(point->normal, shot->sun);
    float strongest = fm_float_max(sun.x, fm_float_max(sun.y, sun.z));
    fm_float3 visibility =
        strongest > SUN_MIN ? sample_sun_visibility(p, point, FM_DIM_SUN, side) : fm_f3(1, 1, 1);
    // the hemisphere is sampled around the smooth normal; the effect of the bump map is taken from
    // the unoccluded ambient light
    fm_float3 smooth = fm_shot_ambient_radiance(shot, point->position, point->normal);
    fm_float3 bump = {ambient.x / fm_float_max(smooth.x, 1e-6f),
                      ambient.y / fm_float_max(smooth.y, 1e-6f),
                      ambient.z / fm_float_max(smooth.z, 1e-6f)};
    fm_float3 sky = shade_sky(point, view, fm_f3_mul(sample_hemisphere(p, point), bump));
    result.light = fm_f3_add(fm_f3_add(behind, fm_f3_mul(visibility, sun)), sky);
    return result;
}

// Radiance from a solid that a ray from `origin` in direction d hits.
fm_ray_result fm_shade_solid(const fm_pixel_sample *p, const fm_ray_hit *hit, fm_float3 origin,
                             fm_float3 d, bool traced)
{
    fm_shading_point point;
    fm_shading_point_from_hit(p->shot, hit, origin, d, true, &point);
    return (fm_ray_result){shade_point(p, &point, d, traced), point.normal, hit->distance,
                           hit->distance};
}

// Distance, m, to the floor along a ray, or FM_RAY_NO_HIT.
float fm_shot_floor_distance(const fm_shot *shot, fm_float3 origin, fm_float3 d)
{
    bool below = shot->has_floor && d.y < -1e-4f && origin.y > shot->floor_y;
    return below ? (shot->floor_y - origin.y) / d.y : FM_RAY_NO_HIT;
}

// Radiance from the floor at a distance, m, along a ray. In the studio the distant floor fades into
// the background.
fm_ray_result fm_shade_floor(const fm_pixel_sample *p, float distance, fm_float3 origin,
                             fm_float3 d, bool traced)
{
    const fm_shot *shot = p->shot;
    fm_shading_point point;
    fm_shading_point_on_floor(shot, fm_f3_add_scaled(origin, distance, d), distance, &point);
    float clear = fm_shot_transmittance(shot, distance).z;
    fm_radiance_pair color = shade_point(p, &point, d, traced && clear > FLOOR_VISIBLE);
    if (!shot->under_water) {
        float far = fm_float_smoothstep(4, 15, distance / shot->size);
        fm_float3 behind = fm_shot_background_radiance(shot, d);
        color.light = fm_f3_mix(color.light, behind, far);
        color.unoccluded = fm_f3_mix(color.unoccluded, behind, far);
    }
    return (fm_ray_result){color, fm_f3(0, 1, 0), distance, distance};
}

// Radiance where a ray hits nothing: the water's surface from below, or the background.
fm_ray_result fm_shade_background(const fm_pixel_sample *p, fm_float3 origin, fm_float3 d)
{
    float distance; // m, to the water's surface
    fm_float3 light;
    if (fm_shot_water_surface_radiance(p->shot, origin, d, &distance, &light))
        return (fm_ray_result){{light, light}, {0, 0, 0}, FM_RAY_NO_HIT, distance};
    light = fm_shot_background_radiance(p->shot, d);
    return (fm_ray_result){{light, light}, {0, 0, 0}, FM_RAY_NO_HIT, FM_RAY_NO_HIT};
}

// Radiance of the nearest object, the floor or the background along a ray.
static fm_ray_result trace_camera_ray(const fm_pixel_sample *p, fm_float3 origin, fm_float3 d)
{
    const fm_shot *shot = p->shot;
    fm_ray_hit hit;
    float floor = fm_shot_floor_distance(shot, origin, d);
    if (fm_tracer_intersect(shot->tracer, p->stats, FM_RAY_SCENE_ALL, origin, d, 0,
                            fm_float_min(floor, FM_RAY_LENGTH_MAX), true, &hit))
        return fm_ray_hit_is_transparent(shot, &hit) ? fm_shade_transparent(p, &hit, origin, d)
                                                     : fm_shade_solid(p, &hit, origin, d, true);
    if (floor < FM_RAY_NO_HIT)
        return fm_shade_floor(p, floor, origin, d, true);
    return fm_shade_background(p, origin, d);
}

// Under water: attenuates the radiance of a camera ray through pixel x, y and adds the light
// scattered into it.
static void apply_haze(const fm_shot *shot, fm_ray_result *seen, float x, float y)
{
    if (!shot->under_water)
        return;
    fm_float3 haze = fm_haze_radiance(shot, x, y, seen->path);
    fm_float3 clear = fm_shot_transmittance(shot, fm_float_min(seen->path, shot->haze.far));
    seen->color.light = fm_f3_add(fm_f3_mul(seen->color.light, clear), haze);
    seen->color.unoccluded = fm_f3_add(fm_f3_mul(seen->color.unoccluded, clear), haze);
}

// Thin lens: moves the ray's origin to a random point of the lens and aims it at the plane in
// focus.
static void apply_lens(const fm_pixel_sample *p, fm_float3 *origin, fm_float3 *d)
{
    const fm_shot *shot = p->shot;
    float pair[2];
    if (!(shot->lens_radius > 0))
        return;
    fm_sampler_draw_pair(&p->sampler, FM_DIM_LENS, pair);
    float r = shot->lens_radius * sqrtf(pair[0]), a = 2 * (float)FM_PI * pair[1];
    fm_float3 sharp = fm_f3_add_scaled(*origin, shot->focus / fm_f3_dot(*d, shot->forward), *d);
    *origin = fm_f3_add_scaled(*origin, r * cosf(a), shot->right);
    *origin = fm_f3_add_scaled(*origin, r * sinf(a), shot->up);
    *d = fm_f3_unit(fm_f3_sub(sharp, *origin));
}

// Traces all samples of a pixel and averages them. Single samples are clamped to SAMPLE_MAX.
void fm_shot_trace_pixel(const fm_shot *shot, fm_ray_stats *stats, int x, int y, fm_pixel *pixel)
{
    fm_pixel_sample p = {shot, stats, fm_sampler_begin(x, y, shot->seed, shot->samples)};
    float share = 1.0f / (float)shot->samples, nearest = FM_RAY_NO_HIT;
    *pixel = (fm_pixel){.distance = FM_RAY_NO_HIT};
    for (int s = 0; s < shot->samples; s++) {
        float pair[2];
        p.sampler.index = (uint32_t)s;
        fm_sampler_draw_pair(&p.sampler, FM_DIM_PIXEL, pair);
        float px = (float)x + pair[0], py = (float)y + pair[1];
        fm_float3 origin = shot->eye, d = fm_shot_camera_ray(shot, px, py);
        apply_lens(&p, &origin, &d);
        fm_ray_result seen = trace_camera_ray(&p, origin, d);
        apply_haze(shot, &seen, px, py);
        fm_float3 light = seen.color.light;
        light = fm_f3(fm_float_min(light.x, SAMPLE_MAX), fm_float_min(light.y, SAMPLE_MAX),
                      fm_float_min(light.z, SAMPLE_MAX));
        pixel->light = fm_f3_add_scaled(pixel->light, share, light);
        pixel->unoccluded = fm_f3_add_scaled(pixel->unoccluded, share, seen.color.unoccluded);
        pixel->normal = fm_f3_add_scaled(pixel->normal, share, seen.normal);
        nearest = fm_float_min(nearest, seen.distance);
    }
    pixel->distance = nearest;
}
