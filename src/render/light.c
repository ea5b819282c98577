// SPDX-License-Identifier: MIT
// light.c: where light comes from, and what becomes of it on the way.
//
// Under water: the sun, bent towards the vertical at the surface, gathered by the waves; a sky
// that is bright overhead, where Snell's window lets it in, and turns to the colour of deep water
// towards the horizon and below; water that takes light of each colour by
//
//     T(d) = exp(-extinction d)
//
// red first. In the studio: a large key light, a bright room, no water.
#include "render/render.h"

static const float WATER_INDEX = 1.333f;

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
    return look;
}

static float fade(const fm_look *look)
{
    return (float)look->ambient;
}

static void set_water(fm_shot *shot)
{
    const fm_look *look = &shot->look;
    float clarity = look->clarity > 0 ? (float)look->clarity : 8 * shot->size;
    const fm_float3 usual = {0.030f, 0.17f, 0.24f}; // far away
    fm_float3 share = {1, 1, 1};
    if (look->tint.r + look->tint.g + look->tint.b > 0)
        share = fm_f3(look->tint.r / usual.x, look->tint.g / usual.y, look->tint.b / usual.z);
    shot->extinction = fm_f3_scale(fm_f3(1.38f, 1.0f, 0.95f), 1 / clarity);
    shot->scatter = fm_f3_scale(fm_f3_mul(fm_f3(0.004f, 0.070f, 0.102f), share), 1 / clarity);
    shot->sun_color = fm_f3_scale(fm_f3(2.50f, 2.16f, 1.68f), (float)look->light);
    shot->sky_up = fm_f3_scale(fm_f3(0.60f, 0.98f, 1.05f), fade(look));
    shot->sky_side = fm_f3_scale(fm_f3_mul(usual, share), fade(look));
    shot->sky_down = fm_f3_scale(fm_f3_mul(fm_f3(0.012f, 0.055f, 0.075f), share), fade(look));
    shot->sun_spread = 0.045f;
    shot->surface_y =
        look->surface != 0 ? (float)look->surface : shot->centre.y + 2.4f * shot->size;
    shot->wave_tile = 3.4f * shot->size;
}

static void set_studio(fm_shot *shot)
{
    const fm_look *look = &shot->look;
    fm_color tint = look->tint;
    if (tint.r + tint.g + tint.b <= 0)
        tint = (fm_color){0.62f, 0.66f, 0.70f};
    fm_float3 room = {tint.r, tint.g, tint.b};
    shot->sun_color = fm_f3_scale(fm_f3(0.98f, 0.94f, 0.88f), (float)look->light);
    shot->sky_up = fm_f3_scale(room, 0.95f * fade(look));
    shot->sky_side = fm_f3_scale(room, 0.72f * fade(look));
    shot->sky_down = fm_f3_scale(room, 0.35f * fade(look));
    shot->sun_spread = 0.14f;
    shot->surface_y = INFINITY;
}

static fm_float3 sky_at(const fm_shot *shot, float y)
{
    if (y > 0) {
        float window = shot->under_water ? fm_smoothstep(0.35f, 0.92f, y) : fm_smoothstep(0, 1, y);
        return fm_f3_mix(shot->sky_side, shot->sky_up, window);
    }
    return fm_f3_mix(shot->sky_side, shot->sky_down, fm_smoothstep(0, 0.5f, -y));
}

fm_float3 fm_sky(const fm_shot *shot, fm_float3 direction)
{
    return sky_at(shot, direction.y);
}

// Mean of the sky over the half space around a normal, weighted with the cosine: a fixed sum.
static fm_float3 mean_sky(const fm_shot *shot, float y)
{
    enum { RINGS = 24, TURNS = 24 };
    float x = sqrtf(fm_max(0, 1 - y * y));
    fm_float3 sum = {0, 0, 0};
    for (int i = 0; i < RINGS; i++) {
        float square = ((float)i + 0.5f) / RINGS, across = sqrtf(square), along = sqrtf(1 - square);
        for (int j = 0; j < TURNS; j++) {
            float c = cosf(2 * (float)FM_PI * ((float)j + 0.5f) / TURNS);
            float up = along * y + across * c * x;
            bool floor = shot->has_floor && up < -0.1f;
            sum = fm_f3_add(sum, floor ? shot->floor_light : sky_at(shot, up));
        }
    }
    return fm_f3_scale(sum, 1.0f / (RINGS * TURNS));
}

static void set_sun(fm_shot *shot)
{
    float azimuth = (float)(shot->look.sun_azimuth * FM_PI / 180);
    float elevation = (float)(shot->look.sun_elevation * FM_PI / 180);
    fm_float3 back = {-shot->forward.x, 0, -shot->forward.z};
    back = fabsf(back.x) + fabsf(back.z) > 1e-6f ? fm_f3_unit(back) : fm_f3(0, 0, 1);
    fm_float3 side = {back.z, 0, -back.x};
    fm_float3 flat = fm_f3_along(fm_f3_scale(back, cosf(azimuth)), sinf(azimuth), side);
    shot->sun = fm_f3_scale(flat, cosf(elevation));
    shot->sun.y = sinf(elevation);
    fm_float3 other = fabsf(shot->sun.y) < 0.9f ? fm_f3(0, 1, 0) : fm_f3(1, 0, 0);
    shot->sun_side[0] = fm_f3_unit(fm_f3_cross(other, shot->sun));
    shot->sun_side[1] = fm_f3_cross(shot->sun, shot->sun_side[0]);
}

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
    else
        set_studio(shot);
    set_sun(shot);
    float gap = shot->under_water ? 0.30f : 0.04f;
    shot->has_floor = !def->look.no_floor;
    shot->floor_y =
        isfinite(def->look.floor) ? (float)def->look.floor : (float)box.low.y - gap * shot->size;
    shot->sand_tile = 3.1f * shot->size;
    fm_float3 sand = shot->under_water ? fm_f3(0.38f, 0.33f, 0.25f) : fm_f3(0.7f, 0.7f, 0.7f);
    fm_float3 falls = fm_f3_along(fm_f3_scale(shot->sky_up, 0.6f), shot->sun.y, shot->sun_color);
    falls = fm_f3_scale(falls, fm_depth_fade(shot, shot->floor_y));
    shot->floor_light = fm_f3_mul(fm_f3_mul(sand, falls), fm_transmission(shot, 1.5f * shot->size));
    for (int i = 0; i < FM_AMBIENT_STEPS; i++)
        shot->ambient[i] = mean_sky(shot, 2.0f * (float)i / (FM_AMBIENT_STEPS - 1) - 1);
}

float fm_depth_fade(const fm_shot *shot, float y)
{
    if (!shot->under_water)
        return 1;
    // light from above sinks to a third over the height of what is seen, as if it were far deeper
    float depth = (shot->centre.y - y) / shot->size;
    return expf(-0.46f * fm_min(fm_max(depth, -3), 6));
}

fm_float3 fm_ambient(const fm_shot *shot, fm_float3 position, fm_float3 normal)
{
    float at = (normal.y + 1) / 2 * (FM_AMBIENT_STEPS - 1);
    at = fm_min(fm_max(at, 0), FM_AMBIENT_STEPS - 1.001f);
    int i = (int)at;
    fm_float3 mean = fm_f3_mix(shot->ambient[i], shot->ambient[i + 1], at - (float)i);
    return fm_f3_scale(mean, fm_depth_fade(shot, position.y));
}

// Where the sun's ray through a point crosses the height of the centre, in tiles of the waves.
static void find_tile(const fm_shot *shot, fm_float3 p, float *u, float *v)
{
    float up = (shot->centre.y - p.y) / shot->sun.y;
    *u = (p.x + up * shot->sun.x - shot->centre.x) / shot->wave_tile + 0.37f;
    *v = (p.z + up * shot->sun.z - shot->centre.z) / shot->wave_tile + 0.61f;
}

fm_float3 fm_sun_at(const fm_shot *shot, fm_float3 position, float blur)
{
    if (!shot->under_water)
        return shot->sun_color;
    float u, v, amount = (float)shot->look.caustics;
    find_tile(shot, position, &u, &v);
    float light = fm_map_sample(shot->waves.light, shot->waves.light_side, 1, 0, u, v);
    if (blur > 0)
        light +=
            blur * (fm_map_sample(shot->waves.beam, shot->waves.beam_side, 1, 0, u, v) - light);
    light = fm_min(light, 3.5f);
    float strength = (1 + amount * (light - 1)) * fm_depth_fade(shot, position.y);
    return fm_f3_scale(shot->sun_color, strength);
}

float fm_beam_at(const fm_shot *shot, fm_float3 position)
{
    float u, v;
    find_tile(shot, position, &u, &v);
    return fm_map_sample(shot->waves.beam, shot->waves.beam_side, 1, 0, u, v);
}

fm_float3 fm_sun_sample(const fm_shot *shot, const float pair[2])
{
    float r = shot->sun_spread * sqrtf(pair[0]), a = 2 * (float)FM_PI * pair[1];
    fm_float3 d = fm_f3_along(shot->sun, r * cosf(a), shot->sun_side[0]);
    return fm_f3_unit(fm_f3_along(d, r * sinf(a), shot->sun_side[1]));
}

fm_float3 fm_transmission(const fm_shot *shot, float distance)
{
    if (!shot->under_water)
        return fm_f3(1, 1, 1);
    fm_float3 k = shot->extinction;
    return fm_f3(expf(-k.x * distance), expf(-k.y * distance), expf(-k.z * distance));
}

fm_float3 fm_background(const fm_shot *shot, fm_float3 direction)
{
    if (shot->under_water) {
        fm_float3 deep = fm_f3_scale(shot->sky_side, 0.25f);
        return fm_f3_mix(deep, fm_f3_scale(shot->sky_side, 1.2f),
                         fm_smoothstep(-0.15f, 0.5f, direction.y));
    }
    fm_float3 low = fm_f3_scale(shot->sky_side, 0.92f), high = fm_f3_scale(shot->sky_side, 0.50f);
    return fm_f3_mix(low, high, fm_smoothstep(-0.02f, 0.45f, direction.y));
}

// Fresnel's share that stays in the water, and the direction in the air; 1 beyond the window's rim.
static float refract_up(fm_float3 direction, fm_float3 normal, fm_float3 *out)
{
    float cosine = fm_f3_dot(direction, normal), n = WATER_INDEX;
    float square = 1 - n * n * (1 - cosine * cosine);
    if (square <= 0)
        return 1;
    float other = sqrtf(square);
    *out = fm_f3_along(fm_f3_scale(direction, n), other - n * cosine, normal);
    float s = (n * cosine - other) / (n * cosine + other);
    float p = (n * other - cosine) / (n * other + cosine);
    return (s * s + p * p) / 2;
}

bool fm_surface_light(const fm_shot *shot, fm_float3 origin, fm_float3 direction, float *distance,
                      fm_float3 *light)
{
    if (!shot->under_water || direction.y < 1e-3f || origin.y >= shot->surface_y)
        return false;
    *distance = (shot->surface_y - origin.y) / direction.y;
    fm_float3 p = fm_f3_along(origin, *distance, direction);
    float u = p.x / shot->wave_tile, v = p.z / shot->wave_tile;
    float sx = fm_map_sample(shot->waves.slope, shot->waves.slope_side, 2, 0, u, v);
    float sz = fm_map_sample(shot->waves.slope, shot->waves.slope_side, 2, 1, u, v);
    fm_float3 normal = fm_f3_unit(fm_f3(-0.10f * sx, 1, -0.10f * sz)), air = direction;
    float inside = refract_up(direction, normal, &air);
    float bounced = direction.y - 2 * fm_f3_dot(direction, normal) * normal.y;
    fm_float3 below = fm_f3_scale(sky_at(shot, bounced), 0.8f);
    *light = below;
    if (inside < 1) {
        fm_float3 high = {shot->sun.x * WATER_INDEX, shot->sun.y, shot->sun.z * WATER_INDEX};
        float glow = powf(fm_clamp01(fm_f3_dot(air, fm_f3_unit(high))), 24);
        fm_float3 sky = fm_f3_along(fm_f3_scale(shot->sky_up, 1.6f), 5 * glow, shot->sun_color);
        *light = fm_f3_mix(sky, below, inside);
    }
    return true;
}
