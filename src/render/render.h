// SPDX-License-Identifier: MIT
// render.h: the inside of pictures: what a ray may meet, and the light there.
//
// Units of light: a white surface that faces the sun, seen from near, has the radiance `sun_color`.
// Lengths of the look (floor, surface, clarity, waves) are made from shot.size, the radius of what
// is to be seen, so that a handkerchief and a sail look alike.
#ifndef FATHOM_RENDER_RENDER_H
#define FATHOM_RENDER_RENDER_H

#include "draw/draw.h"

#include <fathom/render.h>

// embree.c: the only file that knows Embree.
typedef struct fm_ray_device fm_ray_device;
typedef struct fm_tracer fm_tracer;

// What rays cost; one for each tile.
typedef struct fm_tally {
    uint64_t ray_count;
    uint64_t timed_count;
    double timed_seconds;
    bool measure;
} fm_tally;

typedef struct fm_hit {
    float distance;
    float u, v;       // in the triangle
    fm_float3 normal; // of the triangle or sphere, not of length 1
    int object;       // mesh, or mesh_count + beads
    int primitive;
} fm_hit;

// Clear matter is in the way of sight, but not of light.
typedef enum fm_part { FM_PART_ALL, FM_PART_SOLID, FM_PART_CLEAR, FM_PART_COUNT } fm_part;

double fm_clock_cost(void); // s, contained in each timed ray
fm_ray_device *fm_ray_device_create(fm_error *err);
void fm_ray_device_destroy(fm_ray_device *device);
fm_tracer *fm_tracer_create(fm_ray_device *device, const fm_drawing *drawing, fm_error *err);
void fm_tracer_destroy(fm_tracer *tracer);
bool fm_tracer_has_clear(const fm_tracer *tracer);
bool fm_tracer_hit(const fm_tracer *tracer, fm_tally *tally, fm_part part, fm_float3 origin,
                   fm_float3 direction, float near, float far, bool coherent, fm_hit *hit);
// By what is solid.
bool fm_tracer_is_blocked(const fm_tracer *tracer, fm_tally *tally, fm_float3 origin,
                          fm_float3 direction, float near, float far);

// sampler.c: numbers for one pixel's rays, spread evenly, the same on every machine and thread.
typedef struct fm_sampler {
    uint32_t seed;  // of the pixel
    uint32_t index; // of the sample
    uint32_t mask;  // the next power of two of the number of samples, less 1
} fm_sampler;
enum { FM_DIM_PIXEL, FM_DIM_LENS, FM_DIM_SUN, FM_DIM_SKY, FM_DIM_BOUNCE };
fm_sampler fm_sampler_begin(int x, int y, uint32_t seed, int samples);
void fm_sampler_pair(const fm_sampler *sampler, uint32_t dimension, float pair[2]);
uint32_t fm_mix_bits(uint32_t x);

// waves.c: the water's surface and the light it gathers. Maps repeat.
typedef struct fm_waves {
    int slope_side, light_side, beam_side;
    float *slope; // [slope_side^2][2]
    float *light; // [light_side^2], mean 1: on surfaces
    float *beam;  // [beam_side^2], mean 1: in the water
} fm_waves;
bool fm_waves_alloc(fm_waves *waves, fm_error *err);
void fm_waves_free(fm_waves *waves);
void fm_waves_compute(fm_waves *waves, fm_pool *pool, double time);
float fm_map_sample(const float *map, int side, int components, int component, float u, float v);

// sand.c: the floor's slopes and shades. The map repeats.
typedef struct fm_sand {
    int side;
    float *map; // [side^2][3]: slope along x, along z, shade around 1
} fm_sand;
bool fm_sand_alloc(fm_sand *sand, fm_error *err);
void fm_sand_free(fm_sand *sand);

// haze.c: light scattered towards the camera, summed along each ray in a grid of the picture.
typedef struct fm_haze {
    int columns, rows, slices;
    float cell; // pixels
    float far;  // m
    float *sum; // [rows][columns][slices][3], from the camera to the end of each slice
} fm_haze;

// caustics.c: the sun on the floor below clear matter, by what it is without.
typedef struct fm_caustics {
    int side;
    float low[2], size; // m: corner and side of the map
    float *light;       // [side^2][3], or NULL: as everywhere
} fm_caustics;
enum { FM_CAUSTICS_BLOCKS = 40 };

enum { FM_AMBIENT_STEPS = 33 };

typedef struct fm_shot {
    const fm_drawing *drawing;
    const fm_tracer *tracer;
    fm_look look;
    int width, height, samples;
    uint32_t seed;
    double time;

    // camera
    fm_float3 eye, right, up, forward;
    float tan_x, tan_y;
    float pixel_angle; // of a pixel, radians
    float lens_radius, focus;

    // light
    float size;            // m, radius of what is to be seen
    fm_float3 centre;      // of it
    fm_float3 sun;         // towards it, in the water
    fm_float3 sun_side[2]; // across that
    float sun_spread;      // tangent of its radius
    fm_float3 sun_color;
    fm_float3 extinction, scatter; // 1/m
    fm_float3 sky_up, sky_side, sky_down;
    fm_float3 floor_light;               // that the floor sends up
    fm_float3 ambient[FM_AMBIENT_STEPS]; // mean radiance over the half space, by the normal's y
    bool has_floor, under_water;
    float floor_y, surface_y;
    float wave_tile, sand_tile; // m
    fm_waves waves;
    fm_sand sand;
    fm_haze haze;
    fm_caustics caustics;
} fm_shot;

// light.c
void fm_shot_set_light(fm_shot *shot, const fm_shot_def *def);
fm_float3 fm_sky(const fm_shot *shot, fm_float3 direction);
fm_float3 fm_ambient(const fm_shot *shot, fm_float3 position, fm_float3 normal);
float fm_depth_fade(const fm_shot *shot, float y);                        // of the light from above
fm_float3 fm_sun_at(const fm_shot *shot, fm_float3 position, float blur); // 0 to 1: of caustics
float fm_beam_at(const fm_shot *shot, fm_float3 position);
fm_float3 fm_sun_sample(const fm_shot *shot, const float pair[2]);
fm_float3 fm_transmission(const fm_shot *shot, float distance);
fm_float3 fm_background(const fm_shot *shot, fm_float3 direction); // behind everything
// The water's surface from below, or false where the ray does not meet it.
bool fm_surface_light(const fm_shot *shot, fm_float3 origin, fm_float3 direction, float *distance,
                      fm_float3 *light);

bool fm_haze_alloc(fm_haze *haze, int width, int height, fm_error *err);
void fm_haze_free(fm_haze *haze);
void fm_haze_compute(fm_shot *shot, fm_pool *pool, fm_tally *tallies); // one for each row of cells
fm_float3 fm_haze_at(const fm_shot *shot, float x, float y, float distance); // pixels, m

bool fm_caustics_compute(fm_shot *shot, fm_pool *pool, fm_tally *tallies, // [FM_CAUSTICS_BLOCKS]
                         fm_error *err);
void fm_caustics_free(fm_caustics *caustics);
fm_float3 fm_caustics_at(const fm_shot *shot, fm_float3 position);

// What a ray met, and how it takes light.
typedef struct fm_point {
    fm_float3 position;
    fm_float3 facing; // of the triangle, unit, on the side that is seen
    fm_float3 normal; // smooth, on that side
    fm_float3 bumped; // with the weave, or the sand's ripples
    fm_float3 albedo;
    fm_float3 through; // light that comes from behind, per light there
    float sheen, gloss, crevice;
    float skip; // m, to the other side
    float blur; // of caustics, 0 to 1: where a pixel covers much
    bool floor;
} fm_point;

// cloth.c
void fm_point_from_hit(const fm_shot *shot, const fm_hit *hit, fm_float3 origin,
                       fm_float3 direction, bool detailed, fm_point *point);
bool fm_hit_is_clear(const fm_shot *shot, const fm_hit *hit);
void fm_point_on_floor(const fm_shot *shot, fm_float3 position, float distance, fm_point *point);

// One sample of a pixel.
typedef struct fm_path {
    const fm_shot *shot;
    fm_tally *tally;
    fm_sampler sampler;
} fm_path;

// Light as rays found it, and the same, had nothing been in the way of light: without noise.
typedef struct fm_both {
    fm_float3 light, unlit;
} fm_both;

// What is seen along a ray.
typedef struct fm_sight {
    fm_both color;
    fm_float3 normal;
    float distance, reach; // m; reach: to where the water's own light is summed
} fm_sight;

// trace.c
typedef struct fm_pixel {
    fm_float3 light;  // as rays found it
    fm_float3 unlit;  // the same, had nothing been in the way of light: without noise
    fm_float3 normal; // of what is seen
    float distance;   // m, of what is seen; FM_NOTHING for water
} fm_pixel;
#define FM_NOTHING 1e30f
void fm_shot_trace_pixel(const fm_shot *shot, fm_tally *tally, int x, int y, fm_pixel *pixel);
fm_float3 fm_shot_ray(const fm_shot *shot, float x, float y); // through pixel coordinates
float fm_floor_distance(const fm_shot *shot, fm_float3 origin, fm_float3 d); // or FM_NOTHING
fm_sight fm_look_at_solid(const fm_path *p, const fm_hit *hit, fm_float3 origin, fm_float3 d,
                          bool traced);
fm_sight fm_look_at_floor(const fm_path *p, float distance, fm_float3 origin, fm_float3 d,
                          bool traced);
fm_sight fm_look_at_nothing(const fm_path *p, fm_float3 origin, fm_float3 d);

// water.c: clear matter, from its surface on.
fm_sight fm_look_at_clear(const fm_path *p, const fm_hit *hit, fm_float3 origin, fm_float3 d);
// Through a surface: what is left of light since the origin; origin and direction go on behind it.
fm_float3 fm_clear_cross(const fm_shot *shot, const fm_hit *hit, fm_float3 *origin, fm_float3 *d);
// What clear matter on the way leaves of light that comes straight from a direction.
fm_float3 fm_clear_left(const fm_path *p, fm_float3 origin, fm_float3 d);

// filter.c: less noise where light/unlit should be smooth. Leaves the result in light.
bool fm_filter_noise(fm_pixel *pixels, int width, int height, int samples, fm_pool *pool,
                     fm_error *err);
// motes.c: adds them to light.
void fm_add_motes(const fm_shot *shot, fm_pixel *pixels);
// tone.c: from light to screens.
void fm_develop(const fm_shot *shot, const fm_pixel *pixels, fm_pool *pool, fm_picture *picture);

#endif
