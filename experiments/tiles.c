// SPDX-License-Identifier: MIT
// tiles.c: pictures of several cloths side by side, coloured by a value per particle.
#include "tiles.h"

#ifdef EXPERIMENT_PICTURES
#include <fathom/render.h>
#include <stdio.h>
#include <string.h>

// Size of one tile in pixels, and samples per pixel.
enum { WIDTH = 480, HEIGHT = 420, SAMPLES = 16, PATH_SIZE = 4096 };

// Copies values to single precision, which drawings need.
static float *to_floats(experiment *e, const double *values, int count)
{
    float *out = experiment_alloc(e, (size_t)count, sizeof *out);
    for (int i = 0; out && i < count; i++)
        out[i] = (float)values[i];
    return out;
}

// Extends a bounding box by all particles of a cloth.
static void add_bounds(experiment *e, fm_bounds *bounds, fm_cloth *cloth)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    float *points = to_floats(e, &x->x, 3 * count);
    if (points)
        fm_bounds_add(bounds, points, count);
}

// Draws one cloth with its label. high: the value drawn in yellow.
static void draw_tile(experiment *e, fm_renderer *renderer, const tile *t, double high,
                      const fm_shot_def *shot, fm_picture *picture)
{
    fm_error *err = experiment_error(e);
    fm_drawing *drawing = fm_drawing_create(err);
    fm_paint paint = fm_default_paint();
    paint.bands = 0;
    fm_coloring coloring = {.values = to_floats(e, t->values, fm_cloth_particle_count(t->cloth)),
                            .high = high,
                            .map = FM_COLORMAP_SEQUENTIAL};
    if (!experiment_failed(e) && fm_drawing_add_cloth(drawing, t->cloth, &paint, &coloring, err) &&
        fm_renderer_draw(renderer, drawing, shot, picture, NULL, err))
        fm_picture_add_text(picture, 14, 28, 14, t->label);
    fm_drawing_destroy(drawing);
}

// Copies the picture of one cloth to its column and row of the whole picture.
static void copy_tile(fm_picture *all, const fm_picture *one, int column, int row)
{
    for (int y = 0; y < HEIGHT; y++)
        memcpy(all->pixels + 3 * ((size_t)(row * HEIGHT + y) * all->width + column * WIDTH),
               one->pixels + 3 * (size_t)y * WIDTH, 3 * (size_t)WIDTH);
}

// Draws the cloths into one picture, each seen from the same direction and framed on its own.
void tiles_draw(experiment *e, const char *file, const tile *tiles, int count, int columns,
                double high, double azimuth, double elevation)
{
    if (experiment_failed(e))
        return;
    fm_error *err = experiment_error(e);
    fm_renderer *renderer = fm_renderer_create(0, err);
    fm_picture *one = fm_picture_create(WIDTH, HEIGHT, err);
    fm_picture *all =
        fm_picture_create(columns * WIDTH, (count + columns - 1) / columns * HEIGHT, err);
    fm_shot_def shot = fm_default_shot_def();
    shot.look = fm_default_look(FM_STYLE_STUDIO);
    shot.look.no_floor = true;
    shot.samples = experiment_quick(e) ? 1 : SAMPLES;
    for (int i = 0; i < count && !experiment_failed(e); i++) {
        shot.bounds = fm_bounds_empty();
        add_bounds(e, &shot.bounds, tiles[i].cloth);
        shot.camera = fm_camera_frame(&shot.bounds, azimuth, elevation, (double)WIDTH / HEIGHT);
        draw_tile(e, renderer, &tiles[i], high, &shot, one);
        if (!experiment_failed(e))
            copy_tile(all, one, i % columns, i / columns);
    }
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", experiment_directory(e), file);
    if (!experiment_failed(e))
        fm_picture_write(all, path, err);
    fm_picture_destroy(all);
    fm_picture_destroy(one);
    fm_renderer_destroy(renderer);
}

#else

// Built without the render library: does nothing.
void tiles_draw(experiment *e, const char *file, const tile *tiles, int count, int columns,
                double high, double azimuth, double elevation)
{
    (void)e, (void)file, (void)tiles, (void)count, (void)columns, (void)high;
    (void)azimuth, (void)elevation;
}

#endif
