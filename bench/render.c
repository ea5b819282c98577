// SPDX-License-Identifier: MIT
// render.c: cost of rendering a picture.
//
// A towel of 41 x 61 particles after two seconds of swinging, 1280 x 720 pixels at 4 samples, as in
// movie previews. One ray is one call of Embree; Embree's share of the CPU time of the tiles is
// estimated from every 61st ray. The water is a block of 20,000 particles with a wavy top that
// fills the picture as in a film.
#include "bench.h"
#include "fixtures.h"

#include <fathom/render.h>
#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 1280, // pixels
    HEIGHT = 720,
    SAMPLES = 4, // rays per pixel
    ROUNDS = 5,  // measurements of each job
    SETUPS = 4,  // pictures that are compared
};

// A drawing, its renderer, and the picture that it is rendered to.
typedef struct render_setup {
    fm_world *world;
    fm_drawing *drawing;
    fm_renderer *renderer;
    fm_picture *picture;
    fm_shot_def shot;
    fm_render_stats stats;
    fm_error err;
} render_setup;

// The setup for a picture of the towel.
static bool create_cloth_setup(render_setup *s, fm_style style, int threads)
{
    *s = (render_setup){0};
    s->world = fixture_create_world(fixture_water_def(1), &s->err);
    fixture_towel towel = fixture_default_towel(41, 61);
    fm_cloth *cloth = fixture_create_hanging_cloth(s->world, &towel, &s->err);
    if (s->err.status != FM_OK)
        return false;
    fm_world_advance(s->world, 2, &s->err);
    s->drawing = fm_drawing_create(&s->err);
    fm_paint paint = fm_default_paint();
    fm_drawing_add_cloth(s->drawing, cloth, &paint, NULL, &s->err);
    s->renderer = fm_renderer_create(threads, &s->err);
    s->picture = fm_picture_create(WIDTH, HEIGHT, &s->err);
    s->shot = fm_default_shot_def();
    s->shot.look = fm_default_look(style);
    s->shot.bounds = (fm_bounds){{0, -0.6, -0.1}, {0.4, 0, 0.1}};
    s->shot.camera = fm_camera_frame(&s->shot.bounds, 35, 4, (double)WIDTH / HEIGHT);
    s->shot.samples = SAMPLES;
    s->shot.measure = true;
    return s->err.status == FM_OK;
}

// Adds the surface of a block of particles with a wavy top.
static void add_water(render_setup *s)
{
    // particles along x and z, and in the lowest and highest column
    enum { X = 54, Z = 24, LOWEST = 12, HIGHEST = 22 };
    const double spacing = 0.02; // m
    float *points = malloc(3 * (size_t)X * Z * HIGHEST * sizeof *points);
    int count = 0;
    for (int i = 0; points && i < X * Z * HIGHEST; i++) {
        int x = i % X, y = i / X % HIGHEST, z = i / (X * HIGHEST);
        if (y > LOWEST + 4 * (1 + sin(0.2 * x) * cos(0.15 * z)))
            continue;
        float *p = points + 3 * (size_t)count++;
        p[0] = (float)((x + 0.5) * spacing);
        p[1] = (float)((y + 0.5) * spacing);
        p[2] = (float)((z + 0.5) * spacing);
    }
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    fm_paint paint = fm_paint_clear_water();
    def.spacing = spacing;
    fm_drawing_add_fluid(s->drawing, points, count, &def, &paint, &s->err);
    free(points);
}

// The setup for a picture of the water.
static bool create_water_setup(render_setup *s)
{
    *s = (render_setup){0};
    s->drawing = fm_drawing_create(&s->err);
    if (!s->drawing)
        return false;
    add_water(s);
    s->renderer = fm_renderer_create(0, &s->err);
    s->picture = fm_picture_create(WIDTH, HEIGHT, &s->err);
    s->shot = fm_default_shot_def();
    s->shot.look = fm_default_look(FM_STYLE_STUDIO);
    s->shot.look.floor = 0;
    s->shot.bounds = (fm_bounds){{0, 0, 0}, {1.08, 0.42, 0.48}};
    s->shot.camera = fm_camera_frame(&s->shot.bounds, 25, 22, (double)WIDTH / HEIGHT);
    s->shot.samples = SAMPLES;
    s->shot.measure = true;
    return s->err.status == FM_OK;
}

// Frees the drawing, its renderer, picture and world.
static void destroy_setup(render_setup *s)
{
    fm_picture_destroy(s->picture);
    fm_renderer_destroy(s->renderer);
    fm_drawing_destroy(s->drawing);
    fm_world_destroy(s->world);
}

// The job of a setup: draws the picture `repeats` times.
static void render_pictures(void *context, int repeats)
{
    render_setup *s = context;
    for (int i = 0; i < repeats; i++)
        fm_renderer_draw(s->renderer, s->drawing, &s->shot, s->picture, &s->stats, &s->err);
}

// Reports one number about the rendering of a picture.
static void add_detail(bench_report *report, const char *name, double value, const char *unit,
                       const char *note)
{
    bench_result result = {.group = "details, under water, all threads",
                           .name = name,
                           .value = value,
                           .unit = unit,
                           .note = note};
    bench_add(report, &result);
}

// Reports rays, ray tracing and processor time of the last picture.
static void add_details(bench_report *report, const render_setup *s)
{
    const fm_render_stats *t = &s->stats;
    add_detail(report, "rays", (double)t->ray_count * 1e-6, "million", "a picture");
    add_detail(report, "rays per second", (double)t->ray_count * 1e-6 / t->seconds, "million/s",
               "");
    add_detail(report, "Embree's traversal", 100 * t->trace_seconds / t->work_seconds, "%",
               "of the tiles' processor time");
    add_detail(report, "tiles", 1e3 * t->work_seconds, "ms", "a picture, processor time");
    add_detail(report, "Embree's tree", 1e3 * t->build_seconds, "ms", "a picture, on one thread");
}

// Measures all pictures alternately and reports the details of the first.
void bench_render(bench_report *report)
{
    // the first three show the towel, the last the water; threads 0: one per processor
    static render_setup setups[SETUPS];
    static const char *const names[SETUPS] = {"under water, all threads", "under water, 1 thread",
                                              "studio, all threads",
                                              "20,000 particles of water, all threads"};
    bench_job jobs[SETUPS];
    bool good = true;
    for (int i = 0; i < SETUPS; i++) {
        good = (i == 3 ? create_water_setup(&setups[i])
                       : create_cloth_setup(
                             &setups[i], i == 2 ? FM_STYLE_STUDIO : FM_STYLE_UNDERWATER, i == 1)) &&
               good;
        jobs[i] =
            (bench_job){.run = render_pictures, .context = &setups[i], .work = 1, .baseline = 0};
    }
    if (good)
        bench_measure(jobs, SETUPS, ROUNDS, 0.1);
    for (int i = 0; good && i < SETUPS; i++) {
        bench_result result = {.group = "1280x720, 4 samples, 41x61 cloth",
                               .name = names[i],
                               .value = jobs[i].ns * 1e-6,
                               .unit = "ms/picture",
                               .ratio = i ? jobs[i].ratio : 0,
                               .baseline = names[0]};
        bench_add(report, &result);
    }
    if (good)
        add_details(report, &setups[0]);
    for (int i = 0; i < SETUPS; i++)
        destroy_setup(&setups[i]);
}
