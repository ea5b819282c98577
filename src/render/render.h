// SPDX-License-Identifier: MIT
// render.h: internals of the renderer: ray tracing, materials and light.
//
// Radiance is in units in which a white surface that faces the sun, seen from nearby, has the
// radiance shot.sun_color. Lengths of the look (floor, surface, clarity, waves) default to
// multiples of shot.size, the radius of the scene, so that a handkerchief and a sail look alike.
#ifndef FATHOM_RENDER_RENDER_H
#define FATHOM_RENDER_RENDER_H

#include "draw/draw.h"

#include <fathom/render.h>

// embree.c: the only file that includes Embree.
typedef struct fm_ray_device fm_ray_device; // Embree's library state
typedef struct fm_tracer fm_tracer;         // ray tracing structures of one drawing

// Number and cost of rays; one record per tile, so that threads do not share it.
typedef struct fm_ray_stats {
    uint64_t ray_count;
    uint64_t timed_count; // rays whose time was measured
    double timed_seconds; // total time of the timed rays
    bool measure;         // measure times
} fm_ray_stats;

// Where a ray hits an object.
typedef struct fm_ray_hit {
    float distance;   // m
    float u, v;       // barycentric coordinates in the triangle
    fm_float3 normal; // geometric normal, not normalised
    int object;       // index of a mesh, or mesh_count + index of a sphere list
    int primitive;    // index of the triangle or sphere
} fm_ray_hit;

// Sets of geometry to trace against: camera rays use all of it, shadow rays the solid part only.
typedef enum fm_ray_scene {
    FM_RAY_SCENE_ALL,
    FM_RAY_SCENE_SOLID,
    FM_RAY_SCENE_TRANSPARENT,
    FM_RAY_SCENE_COUNT
} fm_ray_scene;

double fm_ray_clock_cost(void); // s, the time that reading the clock adds to each timed ray
fm_ray_device *fm_ray_device_create(fm_error *err);
void fm_ray_device_destroy(fm_ray_device *device);
fm_tracer *fm_tracer_create(fm_ray_device *device, const fm_drawing *drawing, fm_error *err);
void fm_tracer_destroy(fm_tracer *tracer);
bool fm_tracer_has_transparent(const fm_tracer *tracer);
// The first hit between the distances near and far (m). coherent: neighbouring rays are similar, a
// hint for Embree.
bool fm_tracer_intersect(const fm_tracer *tracer, fm_ray_stats *stats, fm_ray_scene set,
                         fm_float3 origin, fm_float3 direction, float near, float far,
                         bool coherent, fm_ray_hit *hit);
// Whether solid geometry lies between the distances near and far (m) along a ray.
bool fm_tracer_is_occluded(const fm_tracer *tracer, fm_ray_stats *stats, fm_float3 origin,
                           fm_float3 direction, float near, float far);

// sampler.c: low-discrepancy random numbers for the rays of one pixel, the same on every machine
// and thread.
typedef struct fm_sampler {
    uint32_t seed;  // hash of the pixel
    uint32_t index; // number of the sample
    uint32_t mask;  // the number of samples rounded up to a power of two, minus 1
} fm_sampler;
// The random decision that a pair of numbers is used for.
enum { FM_DIM_PIXEL, FM_DIM_LENS, FM_DIM_SUN, FM_DIM_SKY, FM_DIM_BOUNCE, FM_DIM_CLOUD };
// The random numbers of pixel x, y. samples: rays per pixel.
fm_sampler fm_sampler_begin(int x, int y, uint32_t seed, int samples);
// A point in the unit square for the current sample.
void fm_sampler_draw_pair(const fm_sampler *sampler, uint32_t dimension, float pair[2]);
uint32_t fm_sampler_hash(uint32_t x); // scrambles the bits of x

// waves.c: the water's surface and its caustics, as tileable textures.
typedef struct fm_waves {
    int slope_side, light_side, beam_side; // texels along the sides of the three textures
    float *slope; // [slope_side^2][2], slope of the water's surface along x and z
    float *light; // [light_side^2], caustics on surfaces, mean 1
    float *beam;  // [beam_side^2], light shafts in the water, mean 1
} fm_waves;
bool fm_waves_create(fm_waves *waves, fm_error *err);
void fm_waves_destroy(fm_waves *waves);
void fm_waves_compute(fm_waves *waves, fm_pool *pool, double time); // time: s, animates the waves
// Bilinear lookup of one component in a tileable square texture. u, v in tiles.
float fm_texture_sample(const float *map, int side, int components, int component, float u,
                        float v);

// sand.c: tileable texture of the floor.
typedef struct fm_sand {
    int side;   // texels
    float *map; // [side^2][3]: slope along x, slope along z, brightness around 1
} fm_sand;
bool fm_sand_create(fm_sand *sand, fm_error *err);
void fm_sand_destroy(fm_sand *sand);

// haze.c: light scattered by the water towards the camera, integrated along a coarse grid of rays.
typedef struct fm_haze {
    int columns, rows, slices; // of the grid: rays, and distances along each ray
    float cell;                // pixels between neighbouring rays of the grid
    float far;                 // m, end of the last slice
    float *sum; // [rows][columns][slices][3], radiance scattered between the camera and the end of
                // each slice
} fm_haze;

// caustics.c: sunlight on the floor below transparent objects, relative to the unobstructed sun.
typedef struct fm_caustics {
    int side;           // texels
    float low[2], size; // m, corner (x, z) and side of the floor texture
    float *light;       // [side^2][3], factor on the sunlight; NULL: 1 everywhere
} fm_caustics;
// cloud.c: smoke.
typedef struct fm_cloud {
    fm_cloud_def def;      // of the drawing
    fm_float3 low, high;   // m, corners of its box
    int brick_size[3];     // blocks of points along each axis
    unsigned char *bricks; // [blocks] 1: holds cloud; NULL: there is no cloud
    int light_size[3];     // points of a lattice half as fine
    float *sun, *sky;      // transmittance from the sun and from above there
} fm_cloud;

enum { FM_CAUSTICS_BLOCKS = 40 }; // tasks of threads that compute the floor texture

enum { FM_AMBIENT_STEPS = 33 }; // entries of the table of ambient light

// Everything that is needed to render one picture.
typedef struct fm_shot {
    const fm_drawing *drawing;
    const fm_tracer *tracer;
    fm_look look;
    int width, height, samples; // pixels; rays per pixel
    uint32_t seed;              // of random numbers
    double time;                // s

    // camera
    fm_float3 eye, right, up, forward; // position, m, and unit axes
    float tan_x, tan_y;                // tangents of half the fields of view
    float pixel_angle;                 // radians covered by a pixel
    float lens_radius, focus;          // m; focus: distance of the plane in focus

    // light
    float size;                    // m, radius of the scene
    fm_float3 centre;              // of the scene, m
    fm_float3 sun;                 // unit direction towards the sun, in the water
    fm_float3 sun_tangents[2];     // unit directions perpendicular to sun
    float sun_spread;              // tangent of the sun's angular radius
    fm_float3 sun_color;           // radiance of a white surface that faces the sun
    fm_float3 extinction, scatter; // coefficients of the water, 1/m
    // radiance of the sky overhead, at the horizon, and from below
    fm_float3 sky_overhead, sky_horizon, sky_below;
    fm_float3 ground;      // albedo of the studio's floor
    fm_float3 floor_light; // radiance reflected by the floor
    // cosine-weighted mean radiance of the hemisphere around a normal, tabulated by the normal's y
    fm_float3 ambient[FM_AMBIENT_STEPS];
    bool has_floor, under_water;
    float floor_y, surface_y;   // m, heights of the floor and of the water's surface
    float wave_tile, sand_tile; // m, sides of one repetition of the wave and sand textures
    fm_waves waves;
    fm_sand sand;
    fm_haze haze;
    fm_caustics caustics;
    fm_cloud cloud;
} fm_shot;

// lighting.c: light sources, and attenuation by the water.
// Sets sun, sky, water and floor of a shot from its definition.
void fm_shot_set_light(fm_shot *shot, const fm_shot_def *def);
// Radiance of the sky from a direction.
fm_float3 fm_shot_sky_radiance(const fm_shot *shot, fm_float3 direction);
// Cosine-weighted mean radiance of the hemisphere around a normal, without occlusion.
fm_float3 fm_shot_ambient_radiance(const fm_shot *shot, fm_float3 position, fm_float3 normal);
// Factor on light from above at the height y (m).
float fm_shot_depth_attenuation(const fm_shot *shot, float y);
// Unoccluded sunlight with caustics. blur: 0 to 1, fades from sharp to blurred caustics.
fm_float3 fm_shot_sun_radiance(const fm_shot *shot, fm_float3 position, float blur);
// Relative strength of the light shafts in the water, mean 1.
float fm_shot_beam_intensity(const fm_shot *shot, fm_float3 position);
// A random direction towards the sun's disc.
fm_float3 fm_shot_sample_sun(const fm_shot *shot, const float pair[2]);
// Transmittance of the surrounding water over a distance (m).
fm_float3 fm_shot_transmittance(const fm_shot *shot, float distance);
// Radiance where a ray hits nothing.
fm_float3 fm_shot_background_radiance(const fm_shot *shot, fm_float3 direction);
// Radiance of the water's surface seen from below, and its distance (m); false if the ray misses
// it.
bool fm_shot_water_surface_radiance(const fm_shot *shot, fm_float3 origin, fm_float3 direction,
                                    float *distance, fm_float3 *light);

bool fm_haze_create(fm_haze *haze, int width, int height, fm_error *err);
void fm_haze_destroy(fm_haze *haze);
// Integrates the scattered light along all rays of the grid. ray_stats: [shot->haze.rows]
void fm_haze_compute(fm_shot *shot, fm_pool *pool, fm_ray_stats *ray_stats);
// Light scattered into a camera ray through pixel x, y up to a distance (m).
fm_float3 fm_haze_radiance(const fm_shot *shot, float x, float y, float distance);

// Creates the cloud of the drawing, if it has one, then the light that arrives in it. ray_stats:
// [light_size[2]]
bool fm_cloud_create(fm_shot *shot, fm_error *err);
void fm_cloud_light(fm_shot *shot, fm_pool *pool, fm_ray_stats *ray_stats);
void fm_cloud_destroy(fm_cloud *cloud);
// Transmittance of the cloud along a ray of light.
float fm_cloud_transmittance(const fm_shot *shot, fm_float3 origin, fm_float3 d);

// Computes the sunlight on the floor below transparent objects. ray_stats: [FM_CAUSTICS_BLOCKS]
bool fm_caustics_compute(fm_shot *shot, fm_pool *pool, fm_ray_stats *ray_stats, fm_error *err);
void fm_caustics_destroy(fm_caustics *caustics);
// Factor on the sunlight at a point of the floor.
fm_float3 fm_caustics_factor(const fm_shot *shot, fm_float3 position);

// A point to be shaded, and its material.
typedef struct fm_shading_point {
    fm_float3 position;         // m
    fm_float3 geometric_normal; // unit normal of the triangle, towards the viewer
    fm_float3 normal;           // interpolated from the vertices, towards the viewer
    fm_float3 bumped_normal;    // the same with the bump map of weave or sand
    fm_float3 albedo;           // diffuse reflectance
    fm_float3 transmission;     // diffuse transmittance: light from behind that passes through
    float sheen, gloss; // strengths of fuzz at grazing angles and of highlights, as in fm_paint
    float weave_shade;  // darkening in the wells of the weave, 1: none
    float back_offset;  // m, distance to the other side of a cloth
    float blur;         // 0 to 1, of caustics where a pixel covers a large area
    bool floor;         // the point is on the floor
    bool flat;          // shown in its colour, without light
} fm_shading_point;

// shading_point.c: normal and material where a ray hits an object. detailed: with the weave of
// cloth.
void fm_shading_point_from_hit(const fm_shot *shot, const fm_ray_hit *hit, fm_float3 origin,
                               fm_float3 direction, bool detailed, fm_shading_point *point);
// True if the object that was hit has a transparent material.
bool fm_ray_hit_is_transparent(const fm_shot *shot, const fm_ray_hit *hit);
// Normal and material of the floor at a position; distance: m from the camera.
void fm_shading_point_on_floor(const fm_shot *shot, fm_float3 position, float distance,
                               fm_shading_point *point);

// State of one sample of a pixel.
typedef struct fm_pixel_sample {
    const fm_shot *shot;
    fm_ray_stats *stats;
    fm_sampler sampler;
} fm_pixel_sample;

// Radiance from traced rays, and the noise-free radiance if nothing occluded the light sources.
typedef struct fm_radiance_pair {
    fm_float3 light, unoccluded;
} fm_radiance_pair;

// The result of tracing a ray.
typedef struct fm_ray_result {
    fm_radiance_pair color;
    fm_float3 normal; // at the hit; 0: no hit
    float distance;   // m, of the hit, or FM_RAY_NO_HIT
    float path;       // m, length of the ray over which haze is added
} fm_ray_result;

// Adds the cloud in front of what a camera ray sees. offset: 0 to 1, of the first step.
void fm_cloud_apply(const fm_shot *shot, fm_float3 origin, fm_float3 d, float offset,
                    fm_ray_result *seen);

// path_tracing.c: mean over the samples of a pixel.
typedef struct fm_pixel {
    fm_float3 light;      // radiance from traced rays
    fm_float3 unoccluded; // noise-free radiance if nothing occluded the light sources
    fm_float3 normal;     // mean of the hits
    float distance;       // m, of the nearest hit, or FM_RAY_NO_HIT
} fm_pixel;
#define FM_RAY_NO_HIT 1e30f                   // m, distance that stands for no hit
static const float FM_RAY_LENGTH_MAX = 1e20f; // m, longest ray that is traced
// In scene radii (fm_shot.size): distance of the origin of a reflected, refracted or shadow ray
// from its surface, so that the ray does not hit that surface again; length of shadow rays.
static const float FM_RAY_OFFSET = 2e-4f, FM_SHADOW_LENGTH = 20;
// Traces all rays of pixel x, y.
void fm_shot_trace_pixel(const fm_shot *shot, fm_ray_stats *stats, int x, int y, fm_pixel *pixel);
// Unit direction of the ray from the camera through pixel coordinates x, y.
fm_float3 fm_shot_camera_ray(const fm_shot *shot, float x, float y);
// Distance (m) to the floor along a ray, or FM_RAY_NO_HIT.
float fm_shot_floor_distance(const fm_shot *shot, fm_float3 origin, fm_float3 d);
// Radiance from a solid, from the floor, or where the ray hits nothing. d: unit direction of the
// ray; traced: trace shadow and sky rays, else leave out occlusion.
fm_ray_result fm_shade_solid(const fm_pixel_sample *p, const fm_ray_hit *hit, fm_float3 origin,
                             fm_float3 d, bool traced);
fm_ray_result fm_shade_floor(const fm_pixel_sample *p, float distance, fm_float3 origin,
                             fm_float3 d, bool traced);
fm_ray_result fm_shade_background(const fm_pixel_sample *p, fm_float3 origin, fm_float3 d);

// refraction.c: transparent materials.
// Radiance from a transparent surface, reflected and refracted.
fm_ray_result fm_shade_transparent(const fm_pixel_sample *p, const fm_ray_hit *hit,
                                   fm_float3 origin, fm_float3 d);
// Continues a ray of light behind a transparent surface: origin and d are those of the refracted or
// totally reflected ray. Returns the transmittance from the old origin through the surface.
fm_float3 fm_shade_refract_ray(const fm_shot *shot, const fm_ray_hit *hit, fm_float3 *origin,
                               fm_float3 *d);
// Transmittance of the transparent objects along a straight shadow ray.
fm_float3 fm_shade_shadow_transmittance(const fm_pixel_sample *p, fm_float3 origin, fm_float3 d);

// denoise.c: filters the ratio light / unoccluded along surfaces and stores the result in light.
bool fm_pixels_denoise(fm_pixel *pixels, int width, int height, int samples, fm_pool *pool,
                       fm_error *err);
// suspended_particles.c: adds the suspended particles (motes) to light.
void fm_pixels_add_motes(const fm_shot *shot, fm_pixel *pixels);
// tone_mapping.c: the radiance that is shown as a linear colour in the middle of the picture.
fm_float3 fm_shot_displayed_radiance(const fm_shot *shot, fm_float3 color);
// Maps linear radiance to 8-bit sRGB.
void fm_pixels_tone_map(const fm_shot *shot, const fm_pixel *pixels, fm_pool *pool,
                        fm_picture *picture);

#endif
