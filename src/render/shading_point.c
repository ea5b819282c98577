// SPDX-License-Identifier: MIT
// shading_point.c: position, normals and material at a ray's hit: the weave of cloth, the sand.
//
// The weave is drawn at two scales: a waffle pattern of small wells, and the threads, warp over
// weft alternating with weft over warp. Both are bump maps and shading, not geometry, and fade out
// where they become smaller than a pixel.
#include "render/render.h"

static const float THREADS_PER_PERIOD = 5; // threads in one period of the waffle pattern

// Interpolates the values of three corners with barycentric coordinates u, v.
static fm_float3 interpolate_corners(const float *values, const int *corner, float u, float v)
{
    fm_float3 a = fm_f3_load(values + 3 * (size_t)corner[0]);
    fm_float3 b = fm_f3_load(values + 3 * (size_t)corner[1]);
    fm_float3 c = fm_f3_load(values + 3 * (size_t)corner[2]);
    return fm_f3_add_scaled(fm_f3_add_scaled(fm_f3_scale(a, 1 - u - v), u, b), v, c);
}

// Unit tangents of a triangle along the texture coordinates u and v; false where these are
// degenerate. corner: its three points.
static bool find_tangents(const fm_triangle_mesh *mesh, const int *corner, fm_float3 *along_u,
                          fm_float3 *along_v)
{
    const float *a = mesh->texture + 2 * (size_t)corner[0];
    const float *b = mesh->texture + 2 * (size_t)corner[1];
    const float *c = mesh->texture + 2 * (size_t)corner[2];
    float bu = b[0] - a[0], bv = b[1] - a[1], cu = c[0] - a[0], cv = c[1] - a[1];
    float area = bu * cv - bv * cu;
    const float area_min = 1e-20f; // m^2; smaller areas cannot be divided by
    if (fabsf(area) < area_min)
        return false;
    fm_float3 p = fm_f3_load(mesh->points + 3 * (size_t)corner[0]);
    fm_float3 e = fm_f3_sub(fm_f3_load(mesh->points + 3 * (size_t)corner[1]), p);
    fm_float3 f = fm_f3_sub(fm_f3_load(mesh->points + 3 * (size_t)corner[2]), p);
    *along_u = fm_f3_unit(fm_f3_sub(fm_f3_scale(e, cv / area), fm_f3_scale(f, bv / area)));
    *along_v = fm_f3_unit(fm_f3_sub(fm_f3_scale(f, bu / area), fm_f3_scale(e, cu / area)));
    return true;
}

// Adds the slopes of the waffle pattern at u, v, in periods, to `slope`, and multiplies the
// brightness `shade`, darker in the wells. The height is (cos u + cos v) / 2 + cos u cos v / 4:
// ridges around wells. amount: 0 to 1, fades the pattern out.
static void add_waffle(float u, float v, float amount, float slope[2], float *shade)
{
    const float turn = 2 * (float)FM_PI;
    float su = sinf(turn * u), cu = cosf(turn * u), sv = sinf(turn * v), cv = cosf(turn * v);
    slope[0] -= amount * su * (0.5f + 0.25f * cv);
    slope[1] -= amount * sv * (0.5f + 0.25f * cu);
    *shade *= 1 + 0.09f * amount * (cu + cv - 0.6f);
}

// Adds the slopes of the threads at u, v, in threads, to `slope`, and multiplies the brightness
// `shade`, darker at the borders of a thread. Slopes grow by 2.2 per thread width across a thread
// and by 0.8 along it. amount: fades the threads out.
static void add_threads(float u, float v, float amount, float slope[2], float *shade)
{
    float i = floorf(u), j = floorf(v), a = u - i - 0.5f, b = v - j - 0.5f;
    bool warp = ((int)i + (int)j) & 1; // whether the warp is on top here
    float across = warp ? a : b, along = warp ? b : a;
    slope[warp ? 0 : 1] -= amount * 2.2f * across;
    slope[warp ? 1 : 0] -= amount * 0.8f * along;
    *shade *= 1 - amount * (0.9f * across * across + 0.5f * along * along);
}

// Opacity of the coloured stripes at v, m from the top edge: three stripes near the top and three
// near the bottom, at fixed fractions of the height.
static float band_opacity(const fm_triangle_mesh *mesh, float v)
{
    float height = mesh->extent[1], edge = fm_float_min(v, height - v) / height;
    bool in_stripe = (edge > 0.075f && edge < 0.115f) || (edge > 0.130f && edge < 0.138f) ||
                     (edge > 0.052f && edge < 0.060f);
    return in_stripe ? mesh->paint.bands : 0;
}

// Distance from the nearest edge of the sheet, in widths of the hem, which is 1.8 % of the height.
static float hem_distance(const fm_triangle_mesh *mesh, const float uv[2])
{
    float u = fm_float_min(uv[0], mesh->extent[0] - uv[0]),
          v = fm_float_min(uv[1], mesh->extent[1] - uv[1]);
    return fm_float_min(u, v) / (0.018f * mesh->extent[1]);
}

// Adds slopes of a degree or two over a few centimetres, because no woven sheet is perfectly flat.
// The slopes of the sand texture serve as smooth noise; one tile of it covers 0.5 m of cloth, 90
// periods of the default weave of 5.5 mm, and is sheared so that it does not follow the threads.
static void add_wrinkles(const fm_shot *shot, const float uv[2], float slope[2])
{
    const float *noise = shot->sand.map;
    float scale = 1 / (90 * 0.0055f), u = uv[0] * scale, v = uv[1] * scale; // tiles
    for (int k = 0; k < 2; k++)
        slope[k] += 0.35f * fm_texture_sample(noise, shot->sand.side, 3, k, 0.8f * u + 0.3f * v,
                                              v - 0.2f * u);
}

// Adds stripes, hem, wrinkles and weave to a point of a cloth. footprint: m, size of a pixel on the
// cloth. The waffle fades out where its period is 2 pixels, the threads where a thread is 1.4
// pixels wide. In the hem the waffle is nearly flat, and its seam is dark. Strengths are artistic
// choices.
static void add_weave(const fm_shot *shot, const fm_triangle_mesh *mesh, const int *corner,
                      const fm_ray_hit *hit, float footprint, fm_shading_point *point)
{
    float uv[2];
    fm_float3 along_u, along_v;
    for (int k = 0; k < 2; k++)
        uv[k] = (1 - hit->u - hit->v) * mesh->texture[2 * (size_t)corner[0] + k] +
                hit->u * mesh->texture[2 * (size_t)corner[1] + k] +
                hit->v * mesh->texture[2 * (size_t)corner[2] + k];
    float band = mesh->colors ? 0 : band_opacity(mesh, uv[1]);
    point->albedo = fm_f3_mix(point->albedo, fm_f3_from_color(mesh->paint.band), band);
    float period = mesh->paint.weave, shade = 1, slope[2] = {0, 0}, hem = hem_distance(mesh, uv);
    if (!(period > 0) || !find_tangents(mesh, corner, &along_u, &along_v))
        return;
    float seam = hem > 0.82f && hem < 1.0f ? 1.0f : 0.0f;
    float coarse = fm_float_clamp01(1.35f - 2.7f * footprint / period) * (hem < 1 ? 0.15f : 1);
    float fine = fm_float_clamp01(1.4f - 2.0f * footprint * THREADS_PER_PERIOD / period);
    if (!mesh->colors)
        add_wrinkles(shot, uv, slope);
    if (coarse > 0)
        add_waffle(uv[0] / period, uv[1] / period, coarse * (1 - 0.5f * band), slope, &shade);
    if (fine > 0)
        add_threads(uv[0] / period * THREADS_PER_PERIOD, uv[1] / period * THREADS_PER_PERIOD,
                    0.6f * fine, slope, &shade);
    shade *= 1 - 0.28f * seam;
    // the bump-mapped normal tilts against the slopes
    fm_float3 n = fm_f3_add_scaled(point->normal, -0.34f * slope[0], along_u);
    point->bumped_normal = fm_f3_unit(fm_f3_add_scaled(n, -0.34f * slope[1], along_v));
    point->albedo = fm_f3_scale(point->albedo, shade);
    point->weave_shade = shade;
}

// Texture coordinates of a mesh where a ray hits it; false on its border strip and without any.
static bool find_texture(const fm_triangle_mesh *mesh, const int *corner, const fm_ray_hit *hit,
                         float uv[2])
{
    int front = mesh->front_count ? mesh->front_count : mesh->triangle_count;
    bool back = hit->primitive >= front; // whose corners are in the opposite order
    const float share[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    uv[0] = uv[1] = 0;
    if (!mesh->texture && (!mesh->corner_texture || hit->primitive >= 2 * front))
        return false;
    for (int j = 0; j < 3; j++) {
        const float *from = mesh->texture ? mesh->texture + 2 * (size_t)corner[j]
                                          : mesh->corner_texture +
                                                6 * (size_t)(hit->primitive - (back ? front : 0)) +
                                                2 * (back ? (3 - j) % 3 : j);
        uv[0] += share[j] * from[0], uv[1] += share[j] * from[1];
    }
    return true;
}

// Colours a point by stripes along v, or by checks: bands of half the period along u and v, each of
// which gives half of the pattern's colour.
static void add_pattern(const fm_triangle_mesh *mesh, const int *corner, const fm_ray_hit *hit,
                        fm_shading_point *point)
{
    const fm_paint *paint = &mesh->paint;
    float uv[2], period = paint->checks > 0 ? paint->checks : paint->stripes;
    if (mesh->colors || !(period > 0) || !find_texture(mesh, corner, hit, uv))
        return;
    bool across = uv[0] / period - floorf(uv[0] / period) < 0.5f;
    bool along = uv[1] / period - floorf(uv[1] / period) < 0.5f;
    float share = paint->checks > 0 ? 0.5f * (float)(across + along) : (float)across;
    point->albedo = fm_f3_mix(point->albedo, fm_f3_from_color(paint->pattern), share);
}

// Sets the normals and the material where a ray in `direction` hits a mesh. detailed: with the
// weave.
static void set_mesh_point(const fm_shot *shot, const fm_triangle_mesh *mesh, const fm_ray_hit *hit,
                           fm_float3 direction, bool detailed, fm_shading_point *point)
{
    const int *corner = mesh->triangles + 3 * (size_t)hit->primitive;
    bool faces_away = fm_f3_dot(point->geometric_normal, direction) > 0;
    bool back = mesh->front_count
                    ? hit->primitive >= mesh->front_count && hit->primitive < 2 * mesh->front_count
                    : faces_away;
    point->normal = fm_f3_unit(interpolate_corners(mesh->normals, corner, hit->u, hit->v));
    if (faces_away) {
        point->geometric_normal = fm_f3_scale(point->geometric_normal, -1);
        point->normal = fm_f3_scale(point->normal, -1);
    }
    // interpolated normals may face away from the viewer near silhouettes: tilt them back
    float cosine_to_view = fm_f3_dot(point->normal, direction);
    const float grazing = 0.02f;
    if (cosine_to_view > -grazing)
        point->normal =
            fm_f3_unit(fm_f3_add_scaled(point->normal, -(cosine_to_view + grazing), direction));
    point->bumped_normal = point->normal;
    point->albedo = mesh->colors ? interpolate_corners(mesh->colors, corner, hit->u, hit->v)
                                 : fm_f3_from_color(back ? mesh->paint.back : mesh->paint.front);
    point->back_offset = mesh->front_count ? 1.6f * mesh->paint.thickness : 0;
    add_pattern(mesh, corner, hit, point);
    if (detailed && mesh->texture) {
        float cosine = fm_float_max(-fm_f3_dot(point->normal, direction), 0.15f);
        add_weave(shot, mesh, corner, hit, hit->distance * shot->pixel_angle / cosine, point);
    }
}

// The material of an object: a mesh, or a sphere list after all meshes.
static const fm_paint *find_paint(const fm_shot *shot, int object)
{
    int meshes = shot->drawing->mesh_count;
    return object < meshes ? &shot->drawing->meshes[object].paint
                           : &shot->drawing->sphere_lists[object - meshes].paint;
}

// Position, normals and material where a ray hits an object. detailed: with the weave of cloth.
// Light that passes through is more saturated than reflected light: its colour is albedo^1.5.
void fm_shading_point_from_hit(const fm_shot *shot, const fm_ray_hit *hit, fm_float3 origin,
                               fm_float3 direction, bool detailed, fm_shading_point *point)
{
    const fm_drawing *drawing = shot->drawing;
    const fm_paint *paint = find_paint(shot, hit->object);
    *point = (fm_shading_point){.position = fm_f3_add_scaled(origin, hit->distance, direction),
                                .geometric_normal = fm_f3_unit(hit->normal),
                                .sheen = paint->sheen,
                                .gloss = paint->gloss,
                                .flat = paint->flat,
                                .weave_shade = 1};
    if (hit->object < drawing->mesh_count) {
        set_mesh_point(shot, &drawing->meshes[hit->object], hit, direction, detailed, point);
    } else {
        const fm_sphere_list *spheres = &drawing->sphere_lists[hit->object - drawing->mesh_count];
        if (fm_f3_dot(point->geometric_normal, direction) > 0)
            point->geometric_normal = fm_f3_scale(point->geometric_normal, -1);
        point->normal = point->bumped_normal = point->geometric_normal;
        size_t at = (size_t)hit->primitive * (spheres->paired ? 2 : 1);
        point->albedo =
            spheres->colors ? fm_f3_load(spheres->colors + 3 * at) : fm_f3_from_color(paint->front);
    }
    fm_float3 a = point->albedo;
    point->transmission = fm_f3_scale(fm_f3(a.x * sqrtf(a.x), a.y * sqrtf(a.y), a.z * sqrtf(a.z)),
                                      paint->translucency);
}

bool fm_ray_hit_is_transparent(const fm_shot *shot, const fm_ray_hit *hit)
{
    return find_paint(shot, hit->object)->refraction > 0;
}

// Normal and material of the floor: grey in the studio, sand under water. A second copy of the sand
// texture, larger and rotated, hides its repetition; ripples flatten and caustics blur with the
// distance, m. Colours are artistic choices.
void fm_shading_point_on_floor(const fm_shot *shot, fm_float3 position, float distance,
                               fm_shading_point *point)
{
    const fm_float3 up = {0, 1, 0};
    *point = (fm_shading_point){.position = position,
                                .geometric_normal = up,
                                .normal = up,
                                .bumped_normal = up,
                                .weave_shade = 1,
                                .floor = true};
    point->position.y = shot->floor_y;
    if (!shot->under_water) {
        float far = fm_float_smoothstep(5, 16, distance / shot->size);
        point->albedo = fm_f3_scale(shot->ground, 1 - far * (0.12f / 0.74f));
        return;
    }
    float u = position.x / shot->sand_tile, v = position.z / shot->sand_tile;
    const float *map = shot->sand.map;
    int side = shot->sand.side;
    float sx = fm_texture_sample(map, side, 3, 0, u, v),
          sz = fm_texture_sample(map, side, 3, 1, u, v);
    float U = 0.31f * u + 0.17f * v + 0.4f, V = 0.31f * v - 0.17f * u; // of the second copy
    float shade = fm_texture_sample(map, side, 3, 2, u, v) *
                  (0.5f + 0.5f * fm_texture_sample(map, side, 3, 2, U, V));
    float damping = 1 / (1 + 0.06f * distance / shot->size);
    point->blur = fm_float_smoothstep(4, 16, distance / shot->size);
    point->bumped_normal = fm_f3_unit(fm_f3(-1.7f * damping * sx, 1, -1.7f * damping * sz));
    point->albedo = fm_f3_scale(fm_f3(0.46f, 0.40f, 0.30f), shade);
}
