// SPDX-License-Identifier: MIT
// film.c: the frames of runs as pictures: one camera for the whole motion, colours by a field,
// several runs side by side, many frames on one sheet.
#include "render/film.h"
#include "io/io.h"
#include "render/render.h"

#include <assert.h>
#include <fathom/cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 16, SCANNED = 40 };

typedef struct run {
    fm_cache *cache;
    fm_setting *setting;  // NULL without a scene
    double (*spacing)[2]; // of each object, in the first frame
    char label[FM_NAME_SIZE];
} run;

struct fm_film {
    fm_film_options options;
    char field[FM_FIELD_NAME_SIZE];
    char title[2 * FM_FIELD_NAME_SIZE]; // of the legend
    run runs[RUNS_MAX];
    int run_count;
    int first, last;
    double fps;
    fm_bounds bounds;
    double low, high;
    bool has_fluid;
    double spacing; // m, of its particles; 0: not known
    int dropped_count;
    fm_renderer *renderer;
    fm_render_stats stats;
    bool follows; // the scene's camera may move
};

fm_film_options fm_default_film_options(void)
{
    return (fm_film_options){.width = 1280,
                             .height = 720,
                             .samples = 16,
                             .look = fm_default_look(FM_STYLE_UNDERWATER),
                             .azimuth = 35,
                             .elevation = 4};
}

// Several points are a fluid, one is a ball.
static bool is_fluid(const fm_surface *s)
{
    return s->face_count == 0 && s->point_count > 1;
}

static fm_polygons view_surface(const fm_surface *s)
{
    const float *radius = s->point_count > 0 ? fm_surface_values(s, "radius", 1) : NULL;
    return (fm_polygons){.radius = radius && radius[0] > 0 ? (double)radius[0] : 0,
                         .point_count = s->point_count,
                         .points = s->points,
                         .face_count = s->face_count,
                         .face_start = s->face_start,
                         .face_points = s->face_points};
}

// The field as one number a point: itself, or the length of a vector. free() it.
static float *read_field(const fm_film *film, const fm_surface *s, fm_error *err)
{
    const fm_surface_field *field = NULL;
    char names[96] = "";
    for (int i = 0; i < s->field_count; i++) {
        if (strcmp(s->fields[i].name, film->field) == 0)
            field = &s->fields[i];
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "", s->fields[i].name);
    }
    if (!field) {
        fm_fail(err, FM_BAD_VALUE, s->name, "field", film->field,
                names[0] ? names : "none: no fields were written");
        return NULL;
    }
    float *values = malloc(((size_t)s->point_count + 1) * sizeof *values);
    if (!values)
        fm_fail_no_memory(err, "picture", (size_t)s->point_count * sizeof *values);
    for (int i = 0; values && i < s->point_count; i++) {
        const float *v = field->values + (size_t)i * field->components;
        double square = 0;
        for (int k = 0; k < field->components; k++)
            square += (double)v[k] * v[k];
        values[i] = field->components == 1 ? v[0] : (float)sqrt(square);
    }
    return values;
}

static void widen(double *low, double *high, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// All of a fluid but the outermost hundredth along each axis: a few drops that fly off must not
// make a picture of air.
static void add_fluid_bounds(fm_bounds *bounds, const fm_surface *s)
{
    enum { MOST = 2000 };
    float sorted[MOST], ends[2][3];
    int stride = s->point_count / MOST + 1;
    for (int axis = 0; axis < 3; axis++) {
        int count = 0;
        for (int i = 0; i < s->point_count && count < MOST; i += stride)
            if (isfinite(s->points[3 * (size_t)i + axis]))
                sorted[count++] = s->points[3 * (size_t)i + axis];
        if (count == 0)
            return;
        qsort(sorted, (size_t)count, sizeof *sorted, compare_floats);
        ends[0][axis] = sorted[count / 100];
        ends[1][axis] = sorted[count - 1 - count / 100];
    }
    fm_bounds_add(bounds, ends[0], 2);
}

// Bounds of the motion and range of the field, from frames spread over all of it.
static bool scan_object(fm_film *film, run *r, int object, fm_error *err)
{
    int count = film->last - film->first, steps = count < SCANNED ? count : SCANNED;
    for (int i = 0; i <= steps && err->status == FM_OK; i++) {
        int frame = film->first + (steps ? (int)((int64_t)count * i / steps) : 0);
        fm_surface *s = fm_cache_read(r->cache, object, frame, err);
        if (!s) {
            if (i > 0 && i < steps) // only drawing it needs it
                *err = (fm_error){0};
            continue;
        }
        if (is_fluid(s)) {
            add_fluid_bounds(&film->bounds, s);
            film->has_fluid = true;
            film->spacing = fmax(film->spacing, fm_points_spacing(s));
        } else {
            fm_bounds_add(&film->bounds, s->points, s->point_count);
        }
        if (i == 0) {
            fm_polygons polygons = view_surface(s);
            fm_polygons_spacing(&polygons, r->spacing[object]);
        }
        float *values = film->field[0] ? read_field(film, s, err) : NULL;
        if (values)
            widen(&film->low, &film->high, values, s->point_count);
        free(values);
        fm_surface_destroy(s);
    }
    return err->status == FM_OK;
}

static void find_rate(fm_film *film)
{
    fm_error ignored = {0};
    fm_surface *a = fm_cache_read(film->runs[0].cache, 0, film->first, &ignored);
    fm_surface *b = fm_cache_read(film->runs[0].cache, 0, film->last, &ignored);
    double rate = a && b ? (film->last - film->first) / (b->time - a->time) : 0;
    film->fps = isfinite(rate) && rate > 0 ? rate : 24;
    if (fabs(film->fps - round(film->fps)) < 1e-4 * film->fps)
        film->fps = round(film->fps);
    fm_surface_destroy(a);
    fm_surface_destroy(b);
}

static void set_title(fm_film *film)
{
    int count;
    const fm_field *fields = fm_cloth_fields(&count);
    snprintf(film->title, sizeof film->title, "%s", film->field);
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].name, film->field) == 0 && fields[i].unit[0])
            snprintf(film->title, sizeof film->title, "%s, %s", film->field, fields[i].unit);
}

static bool open_run(fm_film *film, int index, const char *directory, fm_error *err)
{
    run *r = &film->runs[index];
    r->cache = fm_cache_open(directory, err);
    if (!r->cache)
        return false;
    film->run_count++;
    int objects = fm_cache_object_count(r->cache);
    r->spacing = calloc((size_t)objects, sizeof *r->spacing);
    if (!r->spacing)
        return fm_fail_no_memory(err, "picture", (size_t)objects * sizeof *r->spacing);
    for (int i = 0; i < objects; i++) {
        int first = fm_cache_first_frame(r->cache, i);
        int last = first + fm_cache_frame_count(r->cache, i) - 1;
        film->first = first > film->first ? first : film->first;
        film->last = last < film->last ? last : film->last;
    }
    r->setting = fm_setting_open(directory);
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && directory[start - 1] != '/')
        start--;
    snprintf(r->label, sizeof r->label, "%.*s", (int)(length - start), directory + start);
    if (film->options.labels && film->options.labels[index])
        snprintf(r->label, sizeof r->label, "%s", film->options.labels[index]);
    return true;
}

// What the options leave open, the first run's scene may say.
static void apply_setting(fm_film *film)
{
    const fm_setting *setting = film->runs[0].setting;
    fm_film_options *o = &film->options;
    fm_style style = film->has_fluid ? FM_STYLE_STUDIO : FM_STYLE_UNDERWATER;
    if (!o->has_camera && !o->ignores_scene_camera)
        film->follows = o->has_camera = fm_setting_camera(setting, &o->camera);
    fm_setting_style(setting, &style);
    if (!o->has_look) // water would change the colours of a field
        o->look = fm_default_look(film->field[0] ? FM_STYLE_STUDIO : style);
    if (!o->has_look && !film->field[0])
        fm_setting_background(setting, &o->look.tint);
    o->has_cloth = o->has_cloth || fm_setting_cloth(setting, &o->cloth);
    o->has_water = o->has_water || fm_setting_water(setting, &o->water);
    if (!isfinite(o->look.floor) && !fm_setting_floor(setting, &o->look.floor) && film->has_fluid)
        o->look.floor = film->bounds.low.y - film->spacing / 2; // it lies there
}

static void set_range(fm_film *film)
{
    const fm_film_options *o = &film->options;
    if (o->has_range) {
        film->low = o->low;
        film->high = o->high;
    } else if (film->low < 0 && film->high > 0) { // signed: white is zero
        film->high = fmax(-film->low, film->high);
        film->low = -film->high;
    }
    if (!(film->high > film->low)) { // all the same, or nothing
        film->low = isfinite(film->low) ? film->low : 0;
        film->high = film->low + 1;
    }
}

fm_film *fm_film_open(const char *const *directories, int count, const fm_film_options *options,
                      fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (count < 1 || count > RUNS_MAX) {
        fm_fail_number(err, "film", "number of runs", count, "1 to 16");
        return NULL;
    }
    fm_film *film = calloc(1, sizeof *film);
    if (!film) {
        fm_fail_no_memory(err, "film", sizeof *film);
        return NULL;
    }
    film->options = *options;
    film->last = INT32_MAX;
    film->bounds = fm_empty_bounds();
    film->low = INFINITY;
    film->high = -INFINITY;
    snprintf(film->field, sizeof film->field, "%s", options->field ? options->field : "");
    for (int i = 0; i < count && err->status == FM_OK; i++)
        open_run(film, i, directories[i], err);
    if (err->status == FM_OK && film->first > film->last)
        fm_fail(err, FM_BAD_VALUE, "film", "frames", "none that all runs have", "some");
    for (int i = 0; i < film->run_count; i++)
        for (int k = 0; err->status == FM_OK && k < fm_cache_object_count(film->runs[i].cache); k++)
            scan_object(film, &film->runs[i], k, err);
    film->renderer = fm_renderer_create(options->threads, err);
    if (err->status != FM_OK) {
        fm_film_close(film);
        return NULL;
    }
    find_rate(film);
    set_title(film);
    set_range(film);
    apply_setting(film);
    return film;
}

void fm_film_close(fm_film *film)
{
    if (!film)
        return;
    for (int i = 0; i < film->run_count; i++) {
        fm_cache_close(film->runs[i].cache);
        fm_setting_close(film->runs[i].setting);
        free(film->runs[i].spacing);
    }
    fm_renderer_destroy(film->renderer);
    free(film);
}

int fm_film_first_frame(const fm_film *film)
{
    assert(film);
    return film->first;
}

int fm_film_last_frame(const fm_film *film)
{
    assert(film);
    return film->last;
}

double fm_film_rate(const fm_film *film)
{
    assert(film);
    return film->fps;
}

int fm_film_dropped_count(const fm_film *film)
{
    assert(film);
    return film->dropped_count;
}

const fm_render_stats *fm_film_stats(const fm_film *film)
{
    assert(film);
    return &film->stats;
}

static fm_map map_of(const fm_film *film)
{
    return film->low < 0 && film->high > 0 ? FM_MAP_DIVERGING : FM_MAP_SEQUENTIAL;
}

static bool add_fluid(const fm_film *film, const fm_surface *s, fm_drawing *drawing, fm_error *err)
{
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    fm_paint paint = fm_clear_paint();
    def.spacing = fm_points_spacing(s);
    def.threads = film->options.threads;
    if (film->options.has_water) {
        paint.clear = film->options.water;
        paint.depth = 1;
    }
    return fm_drawing_add_fluid(drawing, s->points, s->point_count, &def, &paint, err);
}

static bool add_object(fm_film *film, const run *r, int object, int frame, fm_drawing *drawing,
                       double *time, fm_error *err)
{
    fm_surface *s = fm_cache_read(r->cache, object, frame, err);
    if (!s)
        return false;
    fm_polygons polygons = view_surface(s);
    polygons.spacing[0] = r->spacing[object][0];
    polygons.spacing[1] = r->spacing[object][1];
    if (s->point_count > 1)
        polygons.radius *= fm_setting_particles(r->setting);
    // several points are a fluid, one is a ball
    fm_paint paint = s->face_count > 0    ? fm_choose_paint(object)
                     : s->point_count > 1 ? fm_water_paint()
                                          : fm_solid_paint();
    if (film->options.has_cloth && s->face_count > 0)
        paint.front = paint.back = film->options.cloth;
    fm_coloring coloring = {.low = film->low, .high = film->high, .map = map_of(film)};
    float *values = film->field[0] ? read_field(film, s, err) : NULL;
    coloring.values = values;
    *time = s->time;
    if (values) { // nothing that could be taken for a value
        paint.sheen = paint.translucency = 0.1f;
        paint.weave = 0;
    }
    bool surface = is_fluid(s) && !film->field[0] && !film->options.particles;
    bool good = surface ? add_fluid(film, s, drawing, err)
                        : fm_drawing_add_surface(drawing, &polygons, &paint,
                                                 values ? &coloring : NULL, err);
    free(values);
    fm_surface_destroy(s);
    return good;
}

// A camera given for a wide picture shows a narrow one as much from left to right as at 4:3.
static fm_camera choose_camera(const fm_film *film, double time, int width, int height)
{
    const fm_film_options *o = &film->options;
    double aspect = (double)width / height;
    if (!o->has_camera)
        return fm_camera_frame(&film->bounds, o->azimuth, o->elevation, aspect);
    fm_camera camera = o->camera;
    if (film->follows)
        fm_setting_follow(film->runs[0].setting, time, &camera);
    if (aspect < 4.0 / 3)
        camera.field_of_view = 2 * atan(tan(camera.field_of_view / 2) * (4.0 / 3) / aspect);
    return camera;
}

// One run at one frame, at a place of the picture.
static bool draw_panel(fm_film *film, int index, int frame, int x, int y, int width, int height,
                       fm_picture *picture, double *time, fm_error *err)
{
    const run *r = &film->runs[index];
    fm_drawing *drawing = fm_drawing_create(err);
    fm_picture *panel = fm_picture_create(width, height, err);
    for (int i = 0; err->status == FM_OK && i < fm_cache_object_count(r->cache); i++)
        add_object(film, r, i, frame, drawing, time, err);
    if (err->status == FM_OK && fm_setting_draw(r->setting, *time, drawing, err)) {
        fm_shot_def def = {.camera = choose_camera(film, *time, width, height),
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

static double text_size(int width, int height)
{
    return fmax(7, fmin(height / 36.0, width / 26.0));
}

static void add_time(fm_picture *picture, int x, int y, double size, double time)
{
    char text[32];
    fm_format(text, sizeof text, "%.2f s", time);
    fm_picture_add_text(picture, x + size, y - size, size, text);
}

static void add_legend(const fm_film *film, fm_picture *picture)
{
    double size = fmax(7, picture->height / 45.0);
    fm_picture_add_legend(picture, picture->width - 18 * size, picture->height - size, size,
                          map_of(film), film->low, film->high, film->title);
}

// With its legend; NULL if anything failed.
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
        int gap = n > 1 && i % columns + 1 < columns ? 2 : 0; // a dark line between panels
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

fm_picture *fm_film_draw_sheet(fm_film *film, int columns, int rows, int first, int last,
                               fm_error *err)
{
    assert(err->status != FM_OK || film);
    const fm_film_options *o = &film->options;
    if (err->status == FM_OK && (columns < 1 || rows < 1 || columns > 64 || rows > 64))
        fm_fail_number(err, "sheet", columns < 1 || columns > 64 ? "columns" : "rows",
                       columns < 1 || columns > 64 ? columns : rows, "1 to 64");
    fm_picture *picture = fm_picture_create(o->width, o->height, err);
    int count = columns * rows;
    for (int i = 0; picture && i < count && err->status == FM_OK; i++) {
        int frame = first + (count > 1 ? (int)((int64_t)(last - first) * i / (count - 1)) : 0);
        int left = o->width * (i % columns) / columns,
            right = o->width * (i % columns + 1) / columns;
        int top = o->height * (i / columns) / rows, bottom = o->height * (i / columns + 1) / rows;
        double time = 0;
        if (right - 2 <= left || bottom - 2 <= top) {
            fm_fail_number(err, "sheet", "width", o->width, "more, for that many frames");
            break;
        }
        if (draw_panel(film, 0, frame, left, top, right - 2 - left, bottom - 2 - top, picture,
                       &time, err))
            add_time(picture, left, bottom - 2, text_size(right - left, bottom - top), time);
    }
    return finish_picture(film, picture, err);
}
