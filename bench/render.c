// SPDX-License-Identifier: MIT
// render.c: what a picture costs.
//
// A towel of 41 x 61 particles that was swung for two seconds, 1280 x 720 at 4 samples, as in the
// previews of movies. A ray is one question to Embree; its share of the processor time of the tiles
// is estimated from every 61st ray. The water is a block of 20,000 particles with waves on it, and
// fills as much of its picture as a film of it would.
#include "bench.h"

#include <fathom/fathom.h>
#include <fathom/render.h>
#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1280, HEIGHT = 720, SAMPLES = 4, ROUNDS = 5, STAGES = 4 };

typedef struct stage {
    fm_world *world;
    fm_drawing *drawing;
    fm_renderer *renderer;
    fm_picture *picture;
    fm_shot_def shot;
    fm_render_stats stats;
    fm_error err;
} stage;

static bool open_stage(stage *s, fm_style style, int threads)
{
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    *s = (stage){0};
    s->world = fm_world_create(&world_def, &s->err);
    fm_cloth_def def = fm_default_cloth_def();
    fm_sheet sheet = {.columns = 41, .rows = 61, .width = 0.4, .height = 0.6};
    fm_cloth *cloth = fm_cloth_create_sheet(s->world, &def, &sheet, &s->err);
    fm_motion *swing = fm_motion_sine(s->world, (fm_vec3){0, 0, 1}, 0.06, 2.4, &s->err);
    if (s->err.status != FM_OK)
        return false;
    fm_cloth_pin_row(cloth, 0, swing, &s->err);
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

static void add_water(stage *s)
{
    enum { X = 54, Z = 24, LEAST = 12, MOST = 22 };
    const double spacing = 0.02;
    float *points = malloc(3 * (size_t)X * Z * MOST * sizeof *points);
    int count = 0;
    for (int i = 0; points && i < X * Z * MOST; i++) {
        int x = i % X, y = i / X % MOST, z = i / (X * MOST);
        if (y > LEAST + 4 * (1 + sin(0.2 * x) * cos(0.15 * z)))
            continue;
        float *p = points + 3 * (size_t)count++;
        p[0] = (float)((x + 0.5) * spacing);
        p[1] = (float)((y + 0.5) * spacing);
        p[2] = (float)((z + 0.5) * spacing);
    }
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    fm_paint paint = fm_clear_paint();
    def.spacing = spacing;
    fm_drawing_add_fluid(s->drawing, points, count, &def, &paint, &s->err);
    free(points);
}

static bool open_water(stage *s)
{
    *s = (stage){0};
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

static void close_stage(stage *s)
{
    fm_picture_destroy(s->picture);
    fm_renderer_destroy(s->renderer);
    fm_drawing_destroy(s->drawing);
    fm_world_destroy(s->world);
}

static void draw(void *context, int repeats)
{
    stage *s = context;
    for (int i = 0; i < repeats; i++)
        fm_renderer_draw(s->renderer, s->drawing, &s->shot, s->picture, &s->stats, &s->err);
}

static void add(bench_report *report, const char *name, double value, const char *unit,
                const char *note)
{
    bench_result result = {.group = "details, under water, all threads",
                           .name = name,
                           .ns = value,
                           .unit = unit,
                           .note = note};
    bench_add(report, &result);
}

static void add_details(bench_report *report, const stage *s)
{
    const fm_render_stats *t = &s->stats;
    add(report, "rays", (double)t->ray_count * 1e-6, "million", "a picture");
    add(report, "rays per second", (double)t->ray_count * 1e-6 / t->seconds, "million/s", "");
    add(report, "Embree's traversal", 100 * t->trace_seconds / t->work_seconds, "%",
        "of the tiles' processor time");
    add(report, "tiles", 1e3 * t->work_seconds, "ms", "a picture, processor time");
    add(report, "Embree's tree", 1e3 * t->build_seconds, "ms", "a picture, on one thread");
}

void bench_render(bench_report *report)
{
    static stage stages[STAGES];
    static const char *const names[STAGES] = {"under water, all threads", "under water, 1 thread",
                                              "studio, all threads",
                                              "20,000 particles of water, all threads"};
    bench_job jobs[STAGES];
    bool good = true;
    for (int i = 0; i < STAGES; i++) {
        good = (i == 3 ? open_water(&stages[i])
                       : open_stage(&stages[i], i == 2 ? FM_STYLE_STUDIO : FM_STYLE_UNDERWATER,
                                    i == 1)) &&
               good;
        jobs[i] = (bench_job){.run = draw, .context = &stages[i], .work = 1, .baseline = 0};
    }
    if (good)
        bench_measure(jobs, STAGES, ROUNDS, 0.1);
    for (int i = 0; good && i < STAGES; i++) {
        bench_result result = {.group = "1280x720, 4 samples, 41x61 cloth",
                               .name = names[i],
                               .ns = jobs[i].ns * 1e-6,
                               .unit = "ms/picture",
                               .ratio = i ? jobs[i].ratio : 0,
                               .baseline = names[0]};
        bench_add(report, &result);
    }
    if (good)
        add_details(report, &stages[0]);
    for (int i = 0; i < STAGES; i++)
        close_stage(&stages[i]);
}
