// SPDX-License-Identifier: MIT
// cloth.c: what a ray met: position, normals, colour; the weave of cloth, the sand of the floor.
//
// The weave is drawn at two scales: a waffle of small wells, and the threads it is made of, warp
// over weft and weft over warp in turn. Both are bumps of the normal and shades, not geometry, and
// fade where they become smaller than a pixel.
#include "render/render.h"

static const float THREADS = 5; // in a period of the waffle

static fm_float3 mix_corners(const float *values, const int *corner, float u, float v)
{
    fm_float3 a = fm_f3_load(values + 3 * (size_t)corner[0]);
    fm_float3 b = fm_f3_load(values + 3 * (size_t)corner[1]);
    fm_float3 c = fm_f3_load(values + 3 * (size_t)corner[2]);
    return fm_f3_along(fm_f3_along(fm_f3_scale(a, 1 - u - v), u, b), v, c);
}

// Directions of growing texture coordinates in the surface; false where it has none.
static bool find_tangents(const fm_mesh *mesh, const int *corner, fm_float3 *along_u,
                          fm_float3 *along_v)
{
    const float *a = mesh->texture + 2 * (size_t)corner[0];
    const float *b = mesh->texture + 2 * (size_t)corner[1];
    const float *c = mesh->texture + 2 * (size_t)corner[2];
    float bu = b[0] - a[0], bv = b[1] - a[1], cu = c[0] - a[0], cv = c[1] - a[1];
    float area = bu * cv - bv * cu;
    if (fabsf(area) < 1e-20f)
        return false;
    fm_float3 p = fm_f3_load(mesh->points + 3 * (size_t)corner[0]);
    fm_float3 e = fm_f3_sub(fm_f3_load(mesh->points + 3 * (size_t)corner[1]), p);
    fm_float3 f = fm_f3_sub(fm_f3_load(mesh->points + 3 * (size_t)corner[2]), p);
    *along_u = fm_f3_unit(fm_f3_sub(fm_f3_scale(e, cv / area), fm_f3_scale(f, bv / area)));
    *along_v = fm_f3_unit(fm_f3_sub(fm_f3_scale(f, bu / area), fm_f3_scale(e, cu / area)));
    return true;
}

// Slopes and shade of the waffle at u, v, in periods.
static void add_waffle(float u, float v, float amount, float slope[2], float *shade)
{
    const float turn = 2 * (float)FM_PI;
    float su = sinf(turn * u), cu = cosf(turn * u), sv = sinf(turn * v), cv = cosf(turn * v);
    // height (cu + cv)/2 + cu cv/4: ridges around wells
    slope[0] -= amount * su * (0.5f + 0.25f * cv);
    slope[1] -= amount * sv * (0.5f + 0.25f * cu);
    *shade *= 1 + 0.09f * amount * (cu + cv - 0.6f);
}

static void add_threads(float u, float v, float amount, float slope[2], float *shade)
{
    float i = floorf(u), j = floorf(v), a = u - i - 0.5f, b = v - j - 0.5f;
    bool warp = ((int)i + (int)j) & 1; // which one is on top here
    float across = warp ? a : b, along = warp ? b : a;
    slope[warp ? 0 : 1] -= amount * 2.2f * across;
    slope[warp ? 1 : 0] -= amount * 0.8f * along;
    *shade *= 1 - amount * (0.9f * across * across + 0.5f * along * along);
}

static float band_at(const fm_mesh *mesh, float v)
{
    float height = mesh->extent[1], end = fm_min(v, height - v) / height;
    bool on = (end > 0.075f && end < 0.115f) || (end > 0.130f && end < 0.138f) ||
              (end > 0.052f && end < 0.060f);
    return on ? mesh->paint.bands : 0;
}

// Hems: flat borders, with a seam.
static float hem_at(const fm_mesh *mesh, const float uv[2])
{
    float u = fm_min(uv[0], mesh->extent[0] - uv[0]), v = fm_min(uv[1], mesh->extent[1] - uv[1]);
    return fm_min(u, v) / (0.018f * mesh->extent[1]);
}

// No woven sheet lies quite flat: slopes of a degree or two, a few centimetres long.
static void add_unevenness(const fm_shot *shot, const float uv[2], float slope[2])
{
    const float *map = shot->sand.map;
    float scale = 1 / (90 * 0.0055f), u = uv[0] * scale, v = uv[1] * scale;
    for (int k = 0; k < 2; k++)
        slope[k] +=
            0.35f * fm_map_sample(map, shot->sand.side, 3, k, 0.8f * u + 0.3f * v, v - 0.2f * u);
}

static void add_weave(const fm_shot *shot, const fm_mesh *mesh, const int *corner,
                      const fm_hit *hit, float footprint, fm_point *point)
{
    float uv[2];
    fm_float3 along_u, along_v;
    for (int k = 0; k < 2; k++)
        uv[k] = (1 - hit->u - hit->v) * mesh->texture[2 * (size_t)corner[0] + k] +
                hit->u * mesh->texture[2 * (size_t)corner[1] + k] +
                hit->v * mesh->texture[2 * (size_t)corner[2] + k];
    float band = mesh->colors ? 0 : band_at(mesh, uv[1]);
    point->albedo = fm_f3_mix(point->albedo, fm_f3_color(mesh->paint.band), band);
    float period = mesh->paint.weave, shade = 1, slope[2] = {0, 0}, hem = hem_at(mesh, uv);
    if (!(period > 0) || !find_tangents(mesh, corner, &along_u, &along_v))
        return;
    float seam = hem > 0.82f && hem < 1.0f ? 1.0f : 0.0f;
    float coarse = fm_clamp01(1.35f - 2.7f * footprint / period) * (hem < 1 ? 0.15f : 1);
    float fine = fm_clamp01(1.4f - 2.0f * footprint * THREADS / period);
    if (!mesh->colors)
        add_unevenness(shot, uv, slope);
    if (coarse > 0)
        add_waffle(uv[0] / period, uv[1] / period, coarse * (1 - 0.5f * band), slope, &shade);
    if (fine > 0)
        add_threads(uv[0] / period * THREADS, uv[1] / period * THREADS, 0.6f * fine, slope, &shade);
    shade *= 1 - 0.28f * seam;
    // the surface's own slopes turn the normal away from where it rises
    fm_float3 n = fm_f3_along(point->normal, -0.34f * slope[0], along_u);
    point->bumped = fm_f3_unit(fm_f3_along(n, -0.34f * slope[1], along_v));
    point->albedo = fm_f3_scale(point->albedo, shade);
    point->crevice = shade;
}

static void point_on_mesh(const fm_shot *shot, const fm_mesh *mesh, const fm_hit *hit,
                          fm_float3 direction, bool detailed, fm_point *point)
{
    const int *corner = mesh->triangles + 3 * (size_t)hit->primitive;
    bool away = fm_f3_dot(point->facing, direction) > 0;
    bool back = mesh->front_count
                    ? hit->primitive >= mesh->front_count && hit->primitive < 2 * mesh->front_count
                    : away;
    point->normal = fm_f3_unit(mix_corners(mesh->normals, corner, hit->u, hit->v));
    if (away) {
        point->facing = fm_f3_scale(point->facing, -1);
        point->normal = fm_f3_scale(point->normal, -1);
    }
    // smooth normals may point away from the viewer near outlines: turn them until they do not
    float turned = fm_f3_dot(point->normal, direction);
    if (turned > -0.02f)
        point->normal = fm_f3_unit(fm_f3_along(point->normal, -(turned + 0.02f), direction));
    point->bumped = point->normal;
    point->albedo = mesh->colors ? mix_corners(mesh->colors, corner, hit->u, hit->v)
                                 : fm_f3_color(back ? mesh->paint.back : mesh->paint.front);
    point->skip = mesh->front_count ? 1.6f * mesh->paint.thickness : 0;
    if (detailed && mesh->texture) {
        float cosine = fm_max(-fm_f3_dot(point->normal, direction), 0.15f);
        add_weave(shot, mesh, corner, hit, hit->distance * shot->pixel_angle / cosine, point);
    }
}

static const fm_paint *find_paint(const fm_shot *shot, int object)
{
    int meshes = shot->drawing->mesh_count;
    return object < meshes ? &shot->drawing->meshes[object].paint
                           : &shot->drawing->beads[object - meshes].paint;
}

void fm_point_from_hit(const fm_shot *shot, const fm_hit *hit, fm_float3 origin,
                       fm_float3 direction, bool detailed, fm_point *point)
{
    const fm_drawing *drawing = shot->drawing;
    const fm_paint *paint = find_paint(shot, hit->object);
    *point = (fm_point){.position = fm_f3_along(origin, hit->distance, direction),
                        .facing = fm_f3_unit(hit->normal),
                        .sheen = paint->sheen,
                        .gloss = paint->gloss,
                        .crevice = 1};
    if (hit->object < drawing->mesh_count) {
        point_on_mesh(shot, &drawing->meshes[hit->object], hit, direction, detailed, point);
    } else {
        const fm_beads *beads = &drawing->beads[hit->object - drawing->mesh_count];
        if (fm_f3_dot(point->facing, direction) > 0)
            point->facing = fm_f3_scale(point->facing, -1);
        point->normal = point->bumped = point->facing;
        point->albedo = beads->colors ? fm_f3_load(beads->colors + 3 * (size_t)hit->primitive)
                                      : fm_f3_color(paint->front);
    }
    // light that went through has been coloured more than light that bounced
    fm_float3 a = point->albedo;
    point->through = fm_f3_scale(fm_f3(a.x * sqrtf(a.x), a.y * sqrtf(a.y), a.z * sqrtf(a.z)),
                                 paint->translucency);
}

bool fm_hit_is_clear(const fm_shot *shot, const fm_hit *hit)
{
    return find_paint(shot, hit->object)->refraction > 0;
}

void fm_point_on_floor(const fm_shot *shot, fm_float3 position, float distance, fm_point *point)
{
    const fm_float3 up = {0, 1, 0};
    *point = (fm_point){.position = position,
                        .facing = up,
                        .normal = up,
                        .bumped = up,
                        .crevice = 1,
                        .floor = true};
    point->position.y = shot->floor_y;
    if (!shot->under_water) {
        float far = fm_smoothstep(5, 16, distance / shot->size);
        point->albedo = fm_f3_mix(fm_f3(0.74f, 0.74f, 0.74f), fm_f3(0.62f, 0.62f, 0.62f), far);
        return;
    }
    float u = position.x / shot->sand_tile, v = position.z / shot->sand_tile;
    const float *map = shot->sand.map;
    int side = shot->sand.side;
    float sx = fm_map_sample(map, side, 3, 0, u, v), sz = fm_map_sample(map, side, 3, 1, u, v);
    // a second, larger copy, turned, hides that the first repeats
    float U = 0.31f * u + 0.17f * v + 0.4f, V = 0.31f * v - 0.17f * u;
    float shade =
        fm_map_sample(map, side, 3, 2, u, v) * (0.5f + 0.5f * fm_map_sample(map, side, 3, 2, U, V));
    float calm = 1 / (1 + 0.06f * distance / shot->size);
    point->blur = fm_smoothstep(4, 16, distance / shot->size);
    point->bumped = fm_f3_unit(fm_f3(-1.7f * calm * sx, 1, -1.7f * calm * sz));
    point->albedo = fm_f3_scale(fm_f3(0.46f, 0.40f, 0.30f), shade);
}
