// SPDX-License-Identifier: MIT
// film_draw.c: draws frames of opened runs: several runs side by side, or many frames on one
// contact sheet.
#include "io/io.h"
#include "render/film.h"
#include "render/render.h"

#include <assert.h>
#include <fathom/cache.h>
#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,             // pixels, dark lines between panels
    SHEET_SIDE_MAX = 64, // columns, and rows, of a contact sheet
};

static const double TEXT_MIN = 7;        // pixels, smallest height of capital letters
static const double NARROWEST = 4.0 / 3; // width / height below which the field of view is widened

// Radius of the points from the field "radius", m; 0 if there is none.
static double point_radius(const fm_surface *s)
{
    const float *radius = s->point_count > 0 ? fm_surface_values(s, "radius", 1) : NULL;
    return radius && radius[0] > 0 ? (double)radius[0] : 0;
}

// The diverging colormap for values of both signs, else the sequential one.
static fm_colormap choose_colormap(const fm_film *film)
{
    return film->low < 0 && film->high > 0 ? FM_COLORMAP_DIVERGING : FM_COLORMAP_SEQUENTIAL;
}

// Adds the surface of particles as transparent, or as opaque if it has a colour. levels: distances
// to the free surface and to walls, m, or NULL.
static bool add_body(const fm_film *film, const float *points, int count,
                     const float *const levels[2], double spacing, fm_drawing *drawing,
                     fm_error *err)
{
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    fm_paint paint = fm_paint_clear_water();
    def.spacing = spacing;
    def.threads = film->options.threads;
    def.level = levels[0];
    def.wall = levels[1];
    if (film->options.has_water) {
        paint.transmittance = film->options.water;
        paint.depth = film->options.water_depth > 0 ? (float)film->options.water_depth : 1;
    }
    if (film->options.has_fluid)
        paint = fm_paint_cream(film->options.fluid);
    if (film->options.mirror > 0) {
        // Fresnel's reflectance of normal incidence is ((n - 1) / (n + 1))^2; no light passes
        double root = sqrt(fmin(film->options.mirror, 0.99));
        paint = fm_paint_clear_water();
        paint.refraction = (float)((1 + root) / (1 - root));
        paint.transmittance = (fm_color){0, 0, 0};
        paint.depth = (float)(1e-3 * spacing);
    }
    return fm_drawing_add_fluid(drawing, points, count, &def, &paint, err);
}

// Adds a fluid: its surface, and foam and spray if the look asks for them.
static bool add_fluid(const fm_film *film, const fm_film_run *r, int object, int frame,
                      const fm_surface *s, fm_drawing *drawing, fm_error *err)
{
    double spacing = fm_fluid_find_spacing(s), amount = film->options.foam;
    const float *levels[2] = {fm_surface_values(s, "level", 1), fm_surface_values(s, "wall", 1)};
    fm_foam foam = {0};
    fm_foam_source from = {r->cache, object, frame, film->fps};
    if (amount > 0 && !fm_foam_create(s, &from, spacing, film->options.threads, &foam, err))
        return false;
    if (foam.count == 0)
        return add_body(film, s->points, s->point_count, levels, spacing, drawing, err);
    size_t n = (size_t)s->point_count;
    float *body = malloc(5 * n * sizeof *body), *rest = body ? body + 3 * n : NULL;
    fm_foam_def def = {.points = s->points,
                       .velocities = fm_surface_values(s, "velocity", 3),
                       .found = foam.found,
                       .foam = foam.foam,
                       .spray = foam.spray,
                       .ids = foam.ids,
                       .count = foam.count,
                       .spacing = spacing,
                       .amount = amount};
    if (!body)
        fm_fail_no_memory(err, "picture", 5 * n * sizeof *body);
    int count = body ? fm_foam_select_body(&foam, s->points, 3, body) : 0;
    for (int k = 0; body && k < 2; k++, rest += n)
        if (levels[k]) {
            fm_foam_select_body(&foam, levels[k], 1, rest);
            levels[k] = rest;
        }
    bool good = body && (count < 2 || add_body(film, body, count, levels, spacing, drawing, err)) &&
                fm_drawing_add_foam(drawing, &def, err);
    free(body);
    fm_foam_destroy(&foam);
    return good;
}

// The material of an object. Colours by a field go without weave, and with little sheen and
// translucency, which could be mistaken for values.
static fm_paint choose_paint(const fm_film *film, const fm_film_run *r, int object,
                             const fm_surface *s)
{
    fm_draw_mode mode = fm_film_find_mode(s);
    bool points = s->face_count + s->line_count == 0;
    fm_paint paint = mode == FM_DRAW_MODE_FLUID ? fm_paint_water_particles()
                     : points                   ? fm_paint_solid()
                                                : fm_paint_choose(object);
    double radius_factor = r->setting ? r->setting->def.look.particles : 0;
    paint.spacing[0] = r->spacing[object][0];
    paint.spacing[1] = r->spacing[object][1];
    paint.radius = point_radius(s);
    if (mode == FM_DRAW_MODE_FLUID && radius_factor > 0)
        paint.radius *= radius_factor;
    if (film->options.has_cloth && s->face_count > 0)
        paint.front = paint.back = film->options.cloth;
    if (film->options.has_lines && s->line_count > 0)
        paint.front = paint.back = film->options.lines;
    bool coloured = film->field[0] && !(film->has_grid && !film->options.field);
    if (coloured)
        paint.sheen = paint.translucency = 0.1f;
    if (coloured || mode != FM_DRAW_MODE_CLOTH) {
        paint.weave = 0;
    } else if (r->setting) {
        fm_vec3 c = r->setting->def.look.pattern; // sRGB
        paint.stripes = (float)r->setting->def.look.stripes;
        paint.checks = (float)r->setting->def.look.checks;
        paint.pattern = fm_color_from_srgb(c.x, c.y, c.z);
        paint.bands = paint.stripes + paint.checks > 0 ? 0 : paint.bands;
    }
    return paint;
}

// Adds one object of a run at a frame to the drawing. time: receives the time of the frame, s.
static bool add_object(fm_film *film, const fm_film_run *r, int object, int frame,
                       fm_drawing *drawing, double *time, fm_error *err)
{
    fm_surface *s = fm_cache_read_frame(r->cache, object, frame, err);
    if (!s)
        return false;
    fm_mesh_view mesh = {0};
    fm_vec3 *points = fm_film_create_view(s, &mesh, err);
    fm_paint paint = choose_paint(film, r, object, s);
    fm_coloring coloring = {.low = film->low, .high = film->high, .map = choose_colormap(film)};
    float *values = fm_film_read_values(film, s, err);
    coloring.values = values;
    *time = s->time;
    fm_draw_mode mode = fm_film_find_mode(s);
    bool as_fluid_surface = mode == FM_DRAW_MODE_FLUID && s->point_count > 1 && !film->field[0] &&
                            !film->options.particles;
    bool good = err->status == FM_OK;
    if (good && fm_setting_draws_ball(r->setting, fm_cache_object_name(r->cache, object)))
        good = true; // with the colliders
    else if (mode == FM_DRAW_MODE_GRID && film->hides_air)
        good = err->status == FM_OK;
    else if (good && mode == FM_DRAW_MODE_GRID)
        good = fm_flow_add_grid(&film->options, s, film->has_marks, &coloring, drawing, err);
    else if (good && mode == FM_DRAW_MODE_MARKS)
        good = fm_flow_add_streaks(s, film->fps, values ? &coloring : NULL, drawing, err);
    else if (good && as_fluid_surface)
        good = add_fluid(film, r, object, frame, s, drawing, err);
    else if (good)
        good = fm_drawing_add_surface(drawing, &mesh, &paint, values ? &coloring : NULL, err);
    free(values);
    free(points);
    fm_surface_destroy(s);
    return good;
}

// The camera of a frame. In pictures narrower than 4:3 the field of view is widened to show as much
// from left to right as at 4:3.
static fm_camera choose_camera(const fm_film *film, int frame, int width, int height, fm_error *err)
{
    const fm_film_options *o = &film->options;
    double aspect = (double)width / height;
    if (!o->has_camera)
        return fm_camera_frame(&film->bounds, o->azimuth, o->elevation, aspect);
    fm_camera camera = o->camera;
    if (film->follows)
        fm_setting_move_camera(film->runs[0].setting, frame, &camera, err);
    if (film->followed >= 0) {
        fm_vec3 way =
            fm_sub(fm_film_find_centre(film, film->followed, frame, err), film->followed_from);
        camera.position = fm_add(camera.position, way);
        camera.target = fm_add(camera.target, way);
    }
    if (aspect < NARROWEST)
        camera.field_of_view = 2 * atan(tan(camera.field_of_view / 2) * NARROWEST / aspect);
    return camera;
}

// Renders one run at one frame into the rectangle x, y, width, height (pixels) of the picture.
// time: receives the time of the frame, s.
static bool draw_panel(fm_film *film, int index, int frame, int x, int y, int width, int height,
                       fm_picture *picture, double *time, fm_error *err)
{
    const fm_film_run *r = &film->runs[index];
    fm_drawing *drawing = fm_drawing_create(err);
    fm_picture *panel = fm_picture_create(width, height, err);
    for (int i = 0; err->status == FM_OK && i < fm_cache_object_count(r->cache); i++)
        add_object(film, r, i, frame, drawing, time, err);
    if (err->status == FM_OK && fm_setting_close_gaps(r->setting, frame, *time, drawing, err) &&
        fm_setting_draw(r->setting, frame, *time, drawing, err)) {
        fm_shot_def def = {.camera = choose_camera(film, frame, width, height, err),
                           .look = film->options.look,
                           .bounds = film->bounds,
                           .time = *time,
                           .samples = film->options.samples,
                           .seed = (uint32_t)frame};
        fm_renderer_draw(film->renderer, drawing, &def, panel, &film->stats, err);
        film->dropped_count += fm_drawing_dropped_count(drawing);
    }
    for (int row = 0; err->status == FM_OK && row < height; row++)
        memcpy(picture->pixels + 3 * ((size_t)(y + row) * picture->width + x),
               panel->pixels + 3 * (size_t)row * width, 3 * (size_t)width);
    fm_picture_destroy(panel);
    fm_drawing_destroy(drawing);
    return err->status == FM_OK;
}

// Height of capital letters, pixels, for a panel of this size.
static double text_size(int width, int height)
{
    return fmax(TEXT_MIN, fmin(height / 36.0, width / 26.0));
}

// Writes the time into the picture, above and to the right of x, y.
static void add_time(fm_picture *picture, int x, int y, double size, double time)
{
    char text[32];
    fm_text_format(text, sizeof text, "%.2f s", time);
    fm_picture_add_text(picture, x + size, y - size, size, text);
}

// Draws the colour bar into the lower right corner.
static void add_legend(const fm_film *film, fm_picture *picture)
{
    double size = fmax(TEXT_MIN, picture->height / 45.0);
    fm_picture_add_legend(picture, picture->width - 18 * size, picture->height - size, size,
                          choose_colormap(film), film->low, film->high, film->title);
}

// Adds the legend and returns the picture; destroys it and returns NULL if anything failed.
static fm_picture *finish_picture(const fm_film *film, fm_picture *picture, const fm_error *err)
{
    if (!picture || err->status != FM_OK) {
        fm_picture_destroy(picture);
        return NULL;
    }
    if (film->field[0])
        add_legend(film, picture);
    return picture;
}

// Renders a frame of all runs side by side, in two rows if there are more than four.
fm_picture *fm_film_draw(fm_film *film, int frame, fm_error *err)
{
    assert(err->status != FM_OK || film);
    const fm_film_options *o = &film->options;
    fm_picture *picture = fm_picture_create(o->width, o->height, err);
    int n = film->run_count, rows = n > 4 ? 2 : 1, columns = (n + rows - 1) / rows;
    bool labelled = n > 1 || o->labels;
    for (int i = 0; picture && i < n && err->status == FM_OK; i++) {
        int left = o->width * (i % columns) / columns,
            right = o->width * (i % columns + 1) / columns;
        int top = o->height * (i / columns) / rows, bottom = o->height * (i / columns + 1) / rows;
        int gap = n > 1 && i % columns + 1 < columns ? GAP : 0;
        double time = 0, size = text_size(right - left, bottom - top);
        if (right - gap <= left || bottom <= top) {
            fm_fail_number(err, "film", "width", o->width, "more, for that many runs");
            break;
        }
        if (!draw_panel(film, i, frame, left, top, right - gap - left, bottom - top, picture, &time,
                        err))
            break;
        if (labelled)
            fm_picture_add_text(picture, left + size, top + 2 * size, size, film->runs[i].label);
        if (o->show_time)
            add_time(picture, left, bottom, size, time);
    }
    return finish_picture(film, picture, err);
}

// Renders columns x rows frames of the first run, evenly spread from `first` to `last`, as a
// contact sheet.
fm_picture *fm_film_draw_sheet(fm_film *film, int columns, int rows, int first, int last,
                               fm_error *err)
{
    assert(err->status != FM_OK || film);
    const fm_film_options *o = &film->options;
    if (err->status == FM_OK &&
        (columns < 1 || rows < 1 || columns > SHEET_SIDE_MAX || rows > SHEET_SIDE_MAX))
        fm_fail_number(err, "sheet", columns < 1 || columns > SHEET_SIDE_MAX ? "columns" : "rows",
                       columns < 1 || columns > SHEET_SIDE_MAX ? columns : rows, "1 to 64");
    fm_picture *picture = fm_picture_create(o->width, o->height, err);
    int count = columns * rows;
    for (int i = 0; picture && i < count && err->status == FM_OK; i++) {
        int frame = first + (count > 1 ? (int)((int64_t)(last - first) * i / (count - 1)) : 0);
        int left = o->width * (i % columns) / columns,
            right = o->width * (i % columns + 1) / columns;
        int top = o->height * (i / columns) / rows, bottom = o->height * (i / columns + 1) / rows;
        double time = 0;
        if (right - GAP <= left || bottom - GAP <= top) {
            fm_fail_number(err, "sheet", "width", o->width, "more, for that many frames");
            break;
        }
        if (draw_panel(film, 0, frame, left, top, right - GAP - left, bottom - GAP - top, picture,
                       &time, err))
            add_time(picture, left, bottom - GAP, text_size(right - left, bottom - top), time);
    }
    return finish_picture(film, picture, err);
}
