// SPDX-License-Identifier: MIT
// lighting.c: the sun, the sky and the room, and the attenuation of light by the water.
//
// Under water: the sun, refracted towards the vertical at the surface and focused by the waves
// (waves.c); a sky that is bright overhead, inside Snell's window, and fades to the colour of deep
// water towards the horizon and below; absorption and scattering with the transmittance
//
//     T(d) = exp(-extinction d)          (Beer-Lambert; d in m, extinction in 1/m per colour)
//
// which removes red first. In the studio: a large key light, a bright room, no water.
#include "render/render.h"

static const float WATER_INDEX = 1.333f; // index of refraction

// Default light of a style. Angles in degrees and strengths are artistic choices.
fm_look fm_default_look(fm_style style)
{
    fm_look look = {.style = style,
                    .sun_azimuth = -62,
                    .sun_elevation = 58,
                    .light = 1,
                    .ambient = 1,
                    .exposure = 1,
                    .floor = NAN};
    if (style == FM_STYLE_UNDERWATER) {
        look.caustics = 0.75;
        look.shafts = 1;
        look.motes = 0.6;
        look.sun_azimuth = -58;
        look.sun_elevation = 60;
    }
    look.no_floor = style == FM_STYLE_SKY;
    return look;
}

// Factor on the light of sky or room.
static float ambient_factor(const fm_look *look)
{
    return (float)look->ambient;
}

// Sets the light of the underwater style. Colours and strengths are artistic choices; the
// extinction removes red first. Lengths default to multiples of the radius of the scene,
// shot->size: clarity 8, surface 2.4 above the centre, wave texture 3.4.
static void set_water(fm_shot *shot)
{
    const fm_look *look = &shot->look;
    float clarity = look->clarity > 0 ? (float)look->clarity : 8 * shot->size;
    const fm_float3 default_tint = {0.030f, 0.17f, 0.24f}; // radiance of distant water by default
    fm_float3 tint_ratio = {1, 1, 1};
    if (look->tint.r + look->tint.g + look->tint.b > 0)
        tint_ratio = fm_f3(look->tint.r / default_tint.x, look->tint.g / default_tint.y,
                           look->tint.b / default_tint.z);
    shot->extinction = fm_f3_scale(fm_f3(1.38f, 1.0f, 0.95f), 1 / clarity);
    shot->scatter = fm_f3_scale(fm_f3_mul(fm_f3(0.004f, 0.070f, 0.102f), tint_ratio), 1 / clarity);
    shot->sun_color = fm_f3_scale(fm_f3(2.50f, 2.16f, 1.68f), (float)look->light);
    shot->sky_overhead = fm_f3_scale(fm_f3(0.60f, 0.98f, 1.05f), ambient_factor(look));
    shot->sky_horizon = fm_f3_scale(fm_f3_mul(default_tint, tint_ratio), ambient_factor(look));
    shot->sky_below =
        fm_f3_scale(fm_f3_mul(fm_f3(0.012f, 0.055f, 0.075f), tint_ratio), ambient_factor(look));
    shot->sun_spread = 0.045f;
    shot->surface_y =
        look->surface != 0 ? (float)look->surface : shot->centre.y + 2.4f * shot->size;
    shot->wave_tile = 3.4f * shot->size;
}

// Sets the light of the studio style: a large key light and a room that is brighter overhead.
// Colours and strengths are artistic choices.
static void set_studio(fm_shot *shot)
{
    const fm_look *look = &shot->look;
    fm_color tint = look->tint;
    if (tint.r + tint.g + tint.b <= 0)
        tint = (fm_color){0.62f, 0.66f, 0.70f};
    fm_float3 room = {tint.r, tint.g, tint.b};
    shot->sun_color = fm_f3_scale(fm_f3(0.98f, 0.94f, 0.88f), (float)look->light);
    shot->sky_overhead = fm_f3_scale(room, 0.95f * ambient_factor(look));
    shot->sky_horizon = fm_f3_scale(room, 0.72f * ambient_factor(look));
    shot->sky_below = fm_f3_scale(room, 0.35f * ambient_factor(look));
    shot->sun_spread = 0.14f;
    shot->surface_y = INFINITY;
}

// Sets the light of the style sky: a sharp warm sun, a deep blue overhead, and haze at the horizon,
// which also lights what is above it from below. Colours and strengths are artistic choices.
static void set_open_air(fm_shot *shot)
{
    const fm_look *look = &shot->look;
    fm_color tint = look->tint;
    if (tint.r + tint.g + tint.b <= 0)
        tint = (fm_color){0.16f, 0.34f, 0.66f};
    fm_float3 blue = {tint.r, tint.g, tint.b}, haze = {0.80f, 0.86f, 0.92f};
    shot->sun_color = fm_f3_scale(fm_f3(1.90f, 1.74f, 1.45f), (float)look->light);
    shot->sky_overhead = fm_f3_scale(blue, ambient_factor(look));
    shot->sky_horizon = fm_f3_scale(fm_f3_mix(blue, haze, 0.72f), ambient_factor(look));
    shot->sky_below = fm_f3_scale(fm_f3_mix(blue, haze, 0.45f), 0.8f * ambient_factor(look));
    shot->sun_spread = 0.01f;
    shot->surface_y = INFINITY;
}

// Radiance of the sky in a unit direction with the y component y. Under water the bright part
// overhead is Snell's window.
static fm_float3 sky_by_height(const fm_shot *shot, float y)
{
    if (y > 0) {
        float brightness =
            shot->under_water ? fm_float_smoothstep(0.35f, 0.92f, y) : fm_float_smoothstep(0, 1, y);
        return fm_f3_mix(shot->sky_horizon, shot->sky_overhead, brightness);
    }
    return fm_f3_mix(shot->sky_horizon, shot->sky_below, fm_float_smoothstep(0, 0.5f, -y));
}

fm_float3 fm_shot_sky_radiance(const fm_shot *shot, fm_float3 direction)
{
    return sky_by_height(shot, direction.y);
}

// Cosine-weighted mean radiance of sky and floor over the hemisphere around a normal with the y
// component y, by a fixed quadrature of 24 x 24 directions.
static fm_float3 ambient_by_height(const fm_shot *shot, float y)
{
    enum { RINGS = 24, TURNS = 24 }; // directions: polar angles and azimuths
    float x = sqrtf(fm_float_max(0, 1 - y * y));
    fm_float3 sum = {0, 0, 0};
    for (int i = 0; i < RINGS; i++) {
        float square = ((float)i + 0.5f) / RINGS, across = sqrtf(square), along = sqrtf(1 - square);
        for (int j = 0; j < TURNS; j++) {
            float c = cosf(2 * (float)FM_PI * ((float)j + 0.5f) / TURNS);
            float up = along * y + across * c * x;
            bool floor = shot->has_floor && up < -0.1f; // 6 degrees below the horizon
            sum = fm_f3_add(sum, floor ? shot->floor_light : sky_by_height(shot, up));
        }
    }
    return fm_f3_scale(sum, 1.0f / (RINGS * TURNS));
}

// Sets the direction of the sun from its azimuth, relative to the direction to the camera, and its
// elevation; and two unit vectors perpendicular to it.
static void set_sun(fm_shot *shot)
{
    float azimuth = (float)(shot->look.sun_azimuth * FM_DEGREE);
    float elevation = (float)(shot->look.sun_elevation * FM_DEGREE);
    fm_float3 back = {-shot->forward.x, 0, -shot->forward.z};
    back = fabsf(back.x) + fabsf(back.z) > 1e-6f ? fm_f3_unit(back) : fm_f3(0, 0, 1);
    fm_float3 side = {back.z, 0, -back.x};
    fm_float3 horizontal = fm_f3_add_scaled(fm_f3_scale(back, cosf(azimuth)), sinf(azimuth), side);
    shot->sun = fm_f3_scale(horizontal, cosf(elevation));
    shot->sun.y = sinf(elevation);
    // an axis that is not nearly parallel to the sun's direction
    fm_float3 other = fabsf(shot->sun.y) < 0.9f ? fm_f3(0, 1, 0) : fm_f3(1, 0, 0);
    shot->sun_tangents[0] = fm_f3_unit(fm_f3_cross(other, shot->sun));
    shot->sun_tangents[1] = fm_f3_cross(shot->sun, shot->sun_tangents[0]);
}

// Sets all light of a shot: scene radius and centre from the bounds, style, sun, floor, and the
// table of ambient light.
void fm_shot_set_light(fm_shot *shot, const fm_shot_def *def)
{
    fm_bounds box = def->bounds;
    if (!(box.low.x <= box.high.x))
        box = (fm_bounds){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    fm_vec3 half = {(box.high.x - box.low.x) / 2, (box.high.y - box.low.y) / 2,
                    (box.high.z - box.low.z) / 2};
    shot->size = (float)fmax(1e-3, sqrt(half.x * half.x + half.y * half.y + half.z * half.z));
    shot->centre = fm_f3((float)(box.low.x + half.x), (float)(box.low.y + half.y),
                         (float)(box.low.z + half.z));
    shot->look = def->look;
    shot->under_water = def->look.style == FM_STYLE_UNDERWATER;
    if (shot->under_water)
        set_water(shot);
    else if (def->look.style == FM_STYLE_SKY)
        set_open_air(shot);
    else
        set_studio(shot);
    set_sun(shot);
    float gap = shot->under_water ? 0.30f : 0.04f; // floor below the scene, in scene radii
    shot->has_floor = !def->look.no_floor;
    shot->floor_y =
        isfinite(def->look.floor) ? (float)def->look.floor : (float)box.low.y - gap * shot->size;
    shot->sand_tile = 3.1f * shot->size;
    // light that the floor reflects: its colour times sun and sky at its depth, through the water
    fm_color ground = def->look.ground;
    bool colored = ground.r + ground.g + ground.b > 0;
    shot->ground = colored ? fm_f3(ground.r, ground.g, ground.b) : fm_f3(0.74f, 0.74f, 0.74f);
    fm_float3 sand =
        shot->under_water ? fm_f3(0.38f, 0.33f, 0.25f) : fm_f3_scale(shot->ground, 0.70f / 0.74f);
    fm_float3 irradiance =
        fm_f3_add_scaled(fm_f3_scale(shot->sky_overhead, 0.6f), shot->sun.y, shot->sun_color);
    irradiance = fm_f3_scale(irradiance, fm_shot_depth_attenuation(shot, shot->floor_y));
    shot->floor_light =
        fm_f3_mul(fm_f3_mul(sand, irradiance), fm_shot_transmittance(shot, 1.5f * shot->size));
    for (int i = 0; i < FM_AMBIENT_STEPS; i++)
        shot->ambient[i] = ambient_by_height(shot, 2.0f * (float)i / (FM_AMBIENT_STEPS - 1) - 1);
}

// Factor on light from above at the height y, m. Under water it is exaggerated: it falls to 40 %
// over the height of the scene, 2 shot->size.
float fm_shot_depth_attenuation(const fm_shot *shot, float y)
{
    if (!shot->under_water)
        return 1;
    float depth = (shot->centre.y - y) / shot->size;
    const float rate = 0.46f, depth_min = -3, depth_max = 6; // per scene radius; scene radii
    return expf(-rate * fm_float_min(fm_float_max(depth, depth_min), depth_max));
}

// Unoccluded ambient light on a surface with this normal, interpolated in the table.
fm_float3 fm_shot_ambient_radiance(const fm_shot *shot, fm_float3 position, fm_float3 normal)
{
    float at = (normal.y + 1) / 2 * (FM_AMBIENT_STEPS - 1);
    at = fm_float_min(fm_float_max(at, 0), FM_AMBIENT_STEPS - 1.001f);
    int i = (int)at;
    fm_float3 mean = fm_f3_mix(shot->ambient[i], shot->ambient[i + 1], at - (float)i);
    return fm_f3_scale(mean, fm_shot_depth_attenuation(shot, position.y));
}

// Texture coordinates u, v, in tiles of the wave texture, of a point: it is projected along the
// sun's rays to the height of the scene's centre. The offsets only choose a part of the texture.
static void wave_coordinates(const fm_shot *shot, fm_float3 p, float *u, float *v)
{
    float path = (shot->centre.y - p.y) / shot->sun.y; // m, along the ray
    *u = (p.x + path * shot->sun.x - shot->centre.x) / shot->wave_tile + 0.37f;
    *v = (p.z + path * shot->sun.z - shot->centre.z) / shot->wave_tile + 0.61f;
}

// Unoccluded sunlight at a point, under water with caustics of the waves. blur: 0 to 1, fades from
// sharp to blurred caustics.
fm_float3 fm_shot_sun_radiance(const fm_shot *shot, fm_float3 position, float blur)
{
    if (!shot->under_water)
        return shot->sun_color;
    float u, v, amount = (float)shot->look.caustics;
    wave_coordinates(shot, position, &u, &v);
    float light = fm_texture_sample(shot->waves.light, shot->waves.light_side, 1, 0, u, v);
    if (blur > 0)
        light +=
            blur * (fm_texture_sample(shot->waves.beam, shot->waves.beam_side, 1, 0, u, v) - light);
    const float light_max = 3.5f; // times the mean; limits isolated bright texels
    light = fm_float_min(light, light_max);
    float strength = (1 + amount * (light - 1)) * fm_shot_depth_attenuation(shot, position.y);
    return fm_f3_scale(shot->sun_color, strength);
}

// Relative strength of the light shafts at a point of the water, mean 1.
float fm_shot_beam_intensity(const fm_shot *shot, fm_float3 position)
{
    float u, v;
    wave_coordinates(shot, position, &u, &v);
    return fm_texture_sample(shot->waves.beam, shot->waves.beam_side, 1, 0, u, v);
}

// A direction towards a point of the sun's disc. pair: two uniform random numbers.
fm_float3 fm_shot_sample_sun(const fm_shot *shot, const float pair[2])
{
    float r = shot->sun_spread * sqrtf(pair[0]), a = 2 * (float)FM_PI * pair[1];
    fm_float3 d = fm_f3_add_scaled(shot->sun, r * cosf(a), shot->sun_tangents[0]);
    return fm_f3_unit(fm_f3_add_scaled(d, r * sinf(a), shot->sun_tangents[1]));
}

// Transmittance of the surrounding water over a distance, m, by Beer-Lambert; 1 in air.
fm_float3 fm_shot_transmittance(const fm_shot *shot, float distance)
{
    if (!shot->under_water)
        return fm_f3(1, 1, 1);
    fm_float3 k = shot->extinction;
    return fm_f3(expf(-k.x * distance), expf(-k.y * distance), expf(-k.z * distance));
}

// Radiance where a ray hits nothing: the colour of the horizon, darker downwards under water and
// upwards in the studio and in open air.
fm_float3 fm_shot_background_radiance(const fm_shot *shot, fm_float3 direction)
{
    if (shot->under_water) {
        fm_float3 deep = fm_f3_scale(shot->sky_horizon, 0.25f);
        return fm_f3_mix(deep, fm_f3_scale(shot->sky_horizon, 1.2f),
                         fm_float_smoothstep(-0.15f, 0.5f, direction.y));
    }
    if (shot->look.style == FM_STYLE_SKY)
        return fm_f3_mix(fm_f3_mix(shot->sky_below, shot->sky_horizon,
                                   fm_float_smoothstep(-0.6f, 0.02f, direction.y)),
                         shot->sky_overhead, fm_float_smoothstep(-0.05f, 0.75f, direction.y));
    fm_float3 low = fm_f3_scale(shot->sky_horizon, 0.92f),
              high = fm_f3_scale(shot->sky_horizon, 0.50f);
    return fm_f3_mix(low, high, fm_float_smoothstep(-0.02f, 0.45f, direction.y));
}

// Fresnel reflectance of the water's surface from below, and the refracted direction in the air; 1
// for total internal reflection, outside Snell's window. normal: upwards.
static float refract_into_air(fm_float3 direction, fm_float3 normal, fm_float3 *out)
{
    float cosine = fm_f3_dot(direction, normal), n = WATER_INDEX;
    float square = 1 - n * n * (1 - cosine * cosine);
    if (square <= 0)
        return 1;
    float cosine_out = sqrtf(square);
    *out = fm_f3_add_scaled(fm_f3_scale(direction, n), cosine_out - n * cosine, normal);
    float s = (n * cosine - cosine_out) / (n * cosine + cosine_out);
    float p = (n * cosine_out - cosine) / (n * cosine_out + cosine);
    return (s * s + p * p) / 2;
}

// Radiance of the water's surface seen from below, rippled by the wave texture: refracted sky with
// the glow of the sun, and reflected water. distance: to the surface, m. False if the ray misses
// it. The strengths of ripples, glow and sky are artistic choices.
bool fm_shot_water_surface_radiance(const fm_shot *shot, fm_float3 origin, fm_float3 direction,
                                    float *distance, fm_float3 *light)
{
    if (!shot->under_water || direction.y < 1e-3f || origin.y >= shot->surface_y)
        return false;
    *distance = (shot->surface_y - origin.y) / direction.y;
    fm_float3 p = fm_f3_add_scaled(origin, *distance, direction);
    float u = p.x / shot->wave_tile, v = p.z / shot->wave_tile;
    float sx = fm_texture_sample(shot->waves.slope, shot->waves.slope_side, 2, 0, u, v);
    float sz = fm_texture_sample(shot->waves.slope, shot->waves.slope_side, 2, 1, u, v);
    fm_float3 normal = fm_f3_unit(fm_f3(-0.10f * sx, 1, -0.10f * sz)), air = direction;
    float reflectance = refract_into_air(direction, normal, &air);
    float reflected_y = direction.y - 2 * fm_f3_dot(direction, normal) * normal.y;
    fm_float3 below = fm_f3_scale(sky_by_height(shot, reflected_y), 0.8f);
    *light = below;
    if (reflectance < 1) {
        fm_float3 sun_in_air = {shot->sun.x * WATER_INDEX, shot->sun.y, shot->sun.z * WATER_INDEX};
        float glow = powf(fm_float_clamp01(fm_f3_dot(air, fm_f3_unit(sun_in_air))), 24);
        fm_float3 sky =
            fm_f3_add_scaled(fm_f3_scale(shot->sky_overhead, 1.6f), 5 * glow, shot->sun_color);
        *light = fm_f3_mix(sky, below, reflectance);
    }
    return true;
}
