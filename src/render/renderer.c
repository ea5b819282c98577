// SPDX-License-Identifier: MIT
// renderer.c: renders a drawing with a camera into a picture.
#include "render/render.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 32 }; // pixels along the side of a tile

struct fm_renderer {
    fm_pool *pool;         // threads
    fm_ray_device *device; // Embree
    fm_waves waves;        // textures of the water's surface and its caustics
    fm_sand sand;          // texture of the floor
};

// Underwater light, no bounds, 16 rays per pixel.
fm_shot_def fm_default_shot_def(void)
{
    return (fm_shot_def){
        .look = fm_default_look(FM_STYLE_UNDERWATER),
        .bounds = fm_bounds_empty(),
        .samples = 16,
    };
}

// Creates a renderer with its threads, Embree and textures. threads 0: one per processor.
fm_renderer *fm_renderer_create(int threads, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_renderer *renderer = calloc(1, sizeof *renderer);
    if (!renderer) {
        fm_fail_no_memory(err, "picture", sizeof *renderer);
        return NULL;
    }
    renderer->pool = fm_pool_create(threads == 0 ? fm_pool_processor_count() : threads, err);
    renderer->device = fm_ray_device_create(err);
    if (err->status == FM_OK && fm_waves_create(&renderer->waves, err) &&
        fm_sand_create(&renderer->sand, err))
        return renderer;
    fm_renderer_destroy(renderer);
    return NULL;
}

// Frees the threads, Embree and the textures.
void fm_renderer_destroy(fm_renderer *renderer)
{
    if (!renderer)
        return;
    fm_waves_destroy(&renderer->waves);
    fm_sand_destroy(&renderer->sand);
    fm_ray_device_destroy(renderer->device);
    fm_pool_destroy(renderer->pool);
    free(renderer);
}

// Time of the monotonic clock, s.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Checks that the camera looks at another point, that `up` is not along the view, and the field of
// view.
static bool check_camera(const fm_camera *camera, fm_error *err)
{
    fm_float3 look = fm_f3_sub(fm_f3_from_vec3(camera->target), fm_f3_from_vec3(camera->position));
    float length = fm_f3_length(look);
    if (!(length > 0) || !isfinite(length))
        return fm_fail(err, FM_BAD_VALUE, "camera", "target", "where the camera is",
                       "another place than the position");
    fm_float3 side = fm_f3_cross(look, fm_f3_from_vec3(camera->up));
    if (!(fm_f3_length(side) > 1e-5f * length))
        return fm_fail(err, FM_BAD_VALUE, "camera", "up", "along the view", "any other direction");
    if (!(camera->field_of_view > 0 && camera->field_of_view < 3.1))
        return fm_fail_number(err, "camera", "field_of_view", camera->field_of_view,
                              "above 0 and below 3.1 (radians)");
    return true;
}

// Sets position, axes and lens of the camera.
static void set_camera(fm_shot *shot, const fm_camera *camera)
{
    shot->eye = fm_f3_from_vec3(camera->position);
    fm_float3 look = fm_f3_sub(fm_f3_from_vec3(camera->target), shot->eye);
    shot->forward = fm_f3_unit(look);
    shot->right = fm_f3_unit(fm_f3_cross(shot->forward, fm_f3_from_vec3(camera->up)));
    shot->up = fm_f3_cross(shot->right, shot->forward);
    shot->tan_y = (float)tan(camera->field_of_view / 2);
    shot->tan_x = shot->tan_y * (float)shot->width / (float)shot->height;
    shot->pixel_angle = 2 * shot->tan_y / (float)shot->height;
    shot->lens_radius = (float)camera->aperture / 2;
    shot->focus = camera->focus > 0 ? (float)camera->focus : fm_f3_length(look);
}

// Rendering of all tiles.
typedef struct tile_job {
    const fm_shot *shot;
    fm_pixel *pixels;
    fm_ray_stats *ray_stats; // [tiles]
    double *seconds;         // [tiles], CPU time
    int columns;             // tiles in a row
} tile_job;

// CPU time of the calling thread, s.
static double thread_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Task of a thread: traces the pixels of tiles first to last - 1.
static void trace_tiles(void *context, int first, int last)
{
    const tile_job *job = context;
    const fm_shot *shot = job->shot;
    for (int tile = first; tile < last; tile++) {
        double start = thread_now();
        int left = tile % job->columns * TILE, top = tile / job->columns * TILE;
        for (int y = top; y < top + TILE && y < shot->height; y++)
            for (int x = left; x < left + TILE && x < shot->width; x++)
                fm_shot_trace_pixel(shot, &job->ray_stats[tile], x, y,
                                    &job->pixels[(size_t)y * shot->width + x]);
        job->seconds[tile] = thread_now() - start;
    }
}

// Ray statistics and CPU times: of all tiles, then the rows of the haze, then the caustics blocks.
typedef struct tile_costs {
    int tile_count, haze_count;
    fm_ray_stats *ray_stats;
    double *seconds;
} tile_costs;

// Allocates the ray statistics. measure: also measure the time of some rays.
static bool create_costs(tile_costs *c, const fm_shot *shot, bool measure, fm_error *err)
{
    int columns = (shot->width + TILE - 1) / TILE, rows = (shot->height + TILE - 1) / TILE;
    c->tile_count = columns * rows;
    c->haze_count = shot->haze.rows;
    size_t count = (size_t)c->tile_count + (size_t)c->haze_count + FM_CAUSTICS_BLOCKS;
    c->ray_stats = calloc(count, sizeof *c->ray_stats);
    c->seconds = calloc(count, sizeof *c->seconds);
    if (!c->ray_stats || !c->seconds)
        return fm_fail_no_memory(err, "picture", count * sizeof *c->ray_stats);
    for (size_t i = 0; i < count; i++)
        c->ray_stats[i].measure = measure;
    return true;
}

// Adds up the statistics of all tiles; the time of all rays is extrapolated from the timed ones.
static void sum_costs(const tile_costs *c, fm_render_stats *stats)
{
    fm_ray_stats total = {0};
    for (int i = 0; i < c->tile_count + c->haze_count + FM_CAUSTICS_BLOCKS; i++) {
        total.ray_count += c->ray_stats[i].ray_count;
        total.timed_count += c->ray_stats[i].timed_count;
        total.timed_seconds += c->ray_stats[i].timed_seconds;
        stats->work_seconds += c->seconds[i];
    }
    stats->ray_count = total.ray_count;
    if (total.timed_count > 0)
        stats->trace_seconds =
            (total.timed_seconds / (double)total.timed_count - fm_ray_clock_cost()) *
            (double)total.ray_count;
}

// Renders all pixels: caustics, waves and haze first, then tiles, denoising, tone mapping.
static bool draw_pixels(fm_renderer *renderer, fm_shot *shot, const fm_shot_def *def,
                        fm_picture *picture, fm_render_stats *stats, fm_error *err)
{
    tile_costs c = {0};
    size_t count = (size_t)shot->width * shot->height;
    fm_pixel *pixels = malloc(count * sizeof *pixels);
    bool good = pixels != NULL;
    if (!good)
        fm_fail_no_memory(err, "picture", count * sizeof *pixels);
    good =
        good && (!shot->under_water || fm_haze_create(&shot->haze, shot->width, shot->height, err));
    good = good && create_costs(&c, shot, def->measure, err);
    good = good && fm_caustics_compute(shot, renderer->pool,
                                       c.ray_stats + c.tile_count + c.haze_count, err);
    if (good) {
        if (shot->under_water) {
            fm_waves_compute(&renderer->waves, renderer->pool, def->time);
            shot->waves = renderer->waves;
            fm_haze_compute(shot, renderer->pool, c.ray_stats + c.tile_count);
        }
        tile_job job = {shot, pixels, c.ray_stats, c.seconds, (shot->width + TILE - 1) / TILE};
        fm_parallel_for(renderer->pool, c.tile_count, 1, trace_tiles, &job);
        good = def->skip_denoise || fm_pixels_denoise(pixels, shot->width, shot->height,
                                                      shot->samples, renderer->pool, err);
    }
    if (good) {
        fm_pixels_add_motes(shot, pixels);
        fm_pixels_tone_map(shot, pixels, renderer->pool, picture);
        sum_costs(&c, stats);
    }
    free(c.ray_stats);
    free(c.seconds);
    fm_haze_destroy(&shot->haze);
    fm_caustics_destroy(&shot->caustics);
    free(pixels);
    return good;
}

// Renders a drawing into the whole picture. stats (may be NULL): receives the cost.
bool fm_renderer_draw(fm_renderer *renderer, const fm_drawing *drawing, const fm_shot_def *def,
                      fm_picture *picture, fm_render_stats *stats, fm_error *err)
{
    assert(err->status != FM_OK || (renderer && drawing && def && picture));
    if (err->status != FM_OK || !check_camera(&def->camera, err))
        return false;
    if (def->samples < 1 || def->samples > 1024)
        return fm_fail_number(err, "picture", "samples", def->samples, "1 to 1024");
    fm_render_stats cost = {0};
    double start = now();
    fm_tracer *tracer = fm_tracer_create(renderer->device, drawing, err);
    cost.build_seconds = now() - start;
    if (!tracer)
        return false;
    fm_shot shot = {.drawing = drawing,
                    .tracer = tracer,
                    .width = picture->width,
                    .height = picture->height,
                    .samples = def->samples,
                    .seed = def->seed,
                    .time = def->time,
                    .sand = renderer->sand};
    set_camera(&shot, &def->camera);
    fm_shot_set_light(&shot, def);
    bool good = draw_pixels(renderer, &shot, def, picture, &cost, err);
    fm_tracer_destroy(tracer);
    cost.seconds = now() - start;
    if (stats)
        *stats = cost;
    return good;
}
