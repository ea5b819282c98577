// SPDX-License-Identifier: MIT
// film.c: opens runs for rendering: frames, bounds, range of colours, and one camera and look for
// the whole motion. film_draw.c draws the frames.
#include "render/film.h"
#include "io/io.h"
#include "render/render.h"

#include <assert.h>
#include <fathom/cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCANNED_FRAMES = 40 }; // frames from which bounds and range of values are found

// 1280 x 720 pixels, 16 rays per pixel, seen from the azimuth 35 and the elevation 4 degrees.
fm_film_options fm_default_film_options(void)
{
    return (fm_film_options){.width = 1280,
                             .height = 720,
                             .samples = 16,
                             .look = fm_default_look(FM_STYLE_UNDERWATER),
                             .azimuth = 35,
                             .elevation = 4};
}

// How the kind of object that a frame shows (cloth, particles, ball) is drawn.
fm_draw_mode fm_film_find_mode(const fm_surface *s)
{
    const fm_draw_mode_row *row = fm_draw_mode_rows;
    while (row->kind && strcmp(row->kind, s->kind) != 0)
        row++;
    return row->mode;
}

// Sets a mesh view of a surface, with its points in double precision. Returns the points, which the
// caller frees.
fm_vec3 *fm_film_create_view(const fm_surface *s, fm_mesh_view *view, fm_error *err)
{
    size_t bytes = ((size_t)s->point_count + 1) * sizeof(fm_vec3);
    fm_vec3 *points = malloc(bytes);
    if (points)
        *view = fm_surface_view(s, points);
    else
        fm_fail_no_memory(err, "picture", bytes);
    return points;
}

// Reads the film's field as one number per point, vectors by their length. The caller frees it.
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

// The values that colour an object: NULL if it is not coloured by them, or on failure.
float *fm_film_read_values(const fm_film *film, const fm_surface *s, fm_error *err)
{
    fm_draw_mode mode = fm_film_find_mode(s);
    if (!film->field[0])
        return NULL;
    if (mode == FM_DRAW_MODE_GRID)
        return fm_flow_read_field(&film->options, s, film->field, err);
    // a field that was chosen for the fluid does not colour other objects
    bool chosen = film->has_grid && !film->options.field && mode != FM_DRAW_MODE_MARKS;
    for (int i = 0; i < s->field_count && !chosen; i++)
        if (strcmp(s->fields[i].name, film->field) == 0)
            return read_field(film, s, err);
    // a ball without the field keeps its colour
    bool is_ball = s->face_count + s->line_count == 0 && mode != FM_DRAW_MODE_FLUID;
    return film->has_grid || is_ball ? NULL : read_field(film, s, err);
}

// Extends the range low to high by all finite values.
static void extend_range(double *low, double *high, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

// Order of two floats, for qsort.
static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Extends the bounds by the 1st to 99th percentile of a fluid's positions along each axis, so that
// a few stray drops do not make the camera zoom out.
static void add_fluid_bounds(fm_bounds *bounds, const fm_surface *s)
{
    enum { SAMPLES_MAX = 2000 }; // particles whose positions are sorted
    float sorted[SAMPLES_MAX], ends[2][3];
    int stride = s->point_count / SAMPLES_MAX + 1;
    for (int axis = 0; axis < 3; axis++) {
        int count = 0;
        for (int i = 0; i < s->point_count && count < SAMPLES_MAX; i += stride)
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

// The lowest height, m, that walls around the particles of a liquid can have; infinite if their
// distance from walls is not known.
static double find_rest(const fm_surface *s)
{
    const float *wall = fm_surface_values(s, "wall", 1);
    double lowest = INFINITY;
    for (int i = 0; wall && i < s->point_count; i++)
        if (isfinite(s->points[3 * (size_t)i + 1]))
            lowest = fmin(lowest, (double)(s->points[3 * (size_t)i + 1] - wall[i]));
    return lowest;
}

// Adds one object to the film's bounds and range of values, from up to SCANNED_FRAMES + 1 frames
// spread over the whole run. A frame in the middle that cannot be read is an error only when it is
// drawn.
static bool scan_object(fm_film *film, fm_film_run *r, int object, fm_error *err)
{
    int count = film->last - film->first, steps = count < SCANNED_FRAMES ? count : SCANNED_FRAMES;
    for (int i = 0; i <= steps && err->status == FM_OK; i++) {
        int frame = film->first + (steps ? (int)((int64_t)count * i / steps) : 0);
        fm_surface *s = fm_cache_read_frame(r->cache, object, frame, err);
        if (!s) {
            if (i > 0 && i < steps)
                *err = (fm_error){0};
            continue;
        }
        fm_draw_mode mode = fm_film_find_mode(s);
        if (mode == FM_DRAW_MODE_GRID) {
            fm_flow_extend_bounds(s, &film->bounds);
        } else if (mode == FM_DRAW_MODE_FLUID) {
            add_fluid_bounds(&film->bounds, s);
            film->has_fluid = true;
            film->rest = fmin(film->rest, find_rest(s));
            film->spacing = fmax(film->spacing, fm_fluid_find_spacing(s));
        } else if (mode != FM_DRAW_MODE_MARKS) {
            fm_bounds_add(&film->bounds, s->points, s->point_count);
        }
        if (i == 0 && mode != FM_DRAW_MODE_GRID) {
            fm_mesh_view mesh;
            fm_vec3 *points = fm_film_create_view(s, &mesh, err);
            if (points)
                fm_mesh_spacing(&mesh, r->spacing[object]);
            free(points);
        }
        float *values = fm_film_read_values(film, s, err);
        if (values && (mode == FM_DRAW_MODE_GRID || mode == FM_DRAW_MODE_MARKS))
            fm_flow_extend_range(values, s->point_count, &film->low, &film->high);
        else if (values)
            extend_range(&film->low, &film->high, values, s->point_count);
        free(values);
        fm_surface_destroy(s);
    }
    return err->status == FM_OK;
}

// Frames per second, from the times of the first and last frame; 24 if they are unknown.
static void find_rate(fm_film *film)
{
    fm_error ignored = {0};
    fm_surface *a = fm_cache_read_frame(film->runs[0].cache, 0, film->first, &ignored);
    fm_surface *b = fm_cache_read_frame(film->runs[0].cache, 0, film->last, &ignored);
    double rate = a && b ? (film->last - film->first) / (b->time - a->time) : 0;
    film->fps = isfinite(rate) && rate > 0 ? rate : 24;
    const double rounding = 1e-4; // rates this close to an integer are rounded to it
    if (fabs(film->fps - round(film->fps)) < rounding * film->fps)
        film->fps = round(film->fps);
    fm_surface_destroy(a);
    fm_surface_destroy(b);
}

// Sets the legend's title: the field's name and, if known, its unit.
static void set_title(fm_film *film)
{
    snprintf(film->title, sizeof film->title, "%s", film->field);
    for (const fm_draw_mode_row *row = fm_draw_mode_rows; row->kind; row++) {
        int count = 0;
        const fm_field *fields = row->fields ? row->fields(&count) : NULL;
        for (int i = 0; i < count; i++)
            if (strcmp(fields[i].name, film->field) == 0 && fields[i].unit[0])
                snprintf(film->title, sizeof film->title, "%s, %s", film->field, fields[i].unit);
    }
}

// The style that the options or the scene of the first run ask for; without one, NULL.
static const char *find_style(const fm_film *film)
{
    const fm_picture_setting *setting = film->runs[0].setting;
    if (film->options.has_look)
        return film->options.look.style == FM_STYLE_SKY ? "sky" : NULL;
    return setting ? setting->def.look.style : NULL;
}

// Finds out whether the first run has grid fluids and marks, and which field colours them unless
// one was asked for. In the style sky a fluid without dye or marks is clear air.
static void find_flow(fm_film *film)
{
    const fm_film_run *r = &film->runs[0];
    fm_error ignored = {0};
    film->has_plane = true;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < fm_cache_object_count(r->cache); i++) {
            fm_surface *s = fm_cache_read_frame(r->cache, i, film->first, &ignored);
            fm_draw_mode mode = s ? fm_film_find_mode(s) : FM_DRAW_MODE_MESH;
            film->has_marks |= mode == FM_DRAW_MODE_MARKS;
            film->has_grid |= mode == FM_DRAW_MODE_GRID;
            film->has_plane &= mode != FM_DRAW_MODE_GRID || fm_flow_is_plane(s);
            if (pass == 1 && mode == FM_DRAW_MODE_GRID && !film->options.field)
                snprintf(film->field, sizeof film->field, "%s",
                         fm_flow_default_field(s, film->has_marks));
            fm_surface_destroy(s);
        }
    const char *style = find_style(film);
    film->hides_air = film->has_grid && style && strcmp(style, "sky") == 0 &&
                      !film->options.field && !film->has_marks && film->field[0];
    if (film->hides_air) {
        film->field[0] = 0;
        film->has_grid = false;
    }
    film->has_plane &= film->has_grid;
}

// True if a directory has a run.json, and is not just a folder of frames.
static bool is_run_directory(const char *directory)
{
    fm_error ignored = {0};
    fm_run_record record;
    bool exists;
    if (!fm_run_record_read(directory, &record, &exists, &ignored))
        return true;
    fm_run_record_destroy(&record);
    return exists;
}

// Opens the directory of a run and narrows the range of frames to those of all its objects.
static bool open_run(fm_film *film, int index, const char *directory, fm_error *err)
{
    fm_film_run *r = &film->runs[index];
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
    r->setting = fm_picture_setting_open(directory, err);
    if (!r->setting && film->run_without_setting < 0 && is_run_directory(directory))
        film->run_without_setting = index;
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && directory[start - 1] != '/')
        start--;
    snprintf(r->label, sizeof r->label, "%.*s", (int)(length - start), directory + start);
    if (film->options.labels && film->options.labels[index])
        snprintf(r->label, sizeof r->label, "%s", film->options.labels[index]);
    return err->status == FM_OK;
}

// Linear colour from sRGB components.
static fm_color color_from_vec3(fm_vec3 srgb)
{
    return fm_color_from_srgb(srgb.x, srgb.y, srgb.z);
}

// Mean position of the points of an object of run 0 in a frame, m.
fm_vec3 fm_film_find_centre(const fm_film *film, int object, int frame, fm_error *err)
{
    fm_vec3 sum = {0, 0, 0};
    fm_surface *s = fm_cache_read_frame(film->runs[0].cache, object, frame, err);
    for (int i = 0; s && i < s->point_count; i++) {
        const float *p = s->points + 3 * (size_t)i;
        sum = fm_add_scaled(sum, (fm_vec3){p[0], p[1], p[2]}, 1.0 / s->point_count);
    }
    fm_surface_destroy(s);
    return sum;
}

// Finds the object that the scene's camera follows, if it is one of run 0 and not a collider.
static void find_followed(fm_film *film, fm_error *err)
{
    const fm_picture_setting *setting = film->runs[0].setting;
    film->followed = -1;
    if (!film->follows || setting->followed_pose >= 0 || !setting->def.camera.follow)
        return;
    film->followed = fm_cache_find_object(film->runs[0].cache, setting->def.camera.follow);
    if (film->followed >= 0)
        film->followed_from = fm_film_find_centre(
            film, film->followed, fm_cache_first_frame(film->runs[0].cache, film->followed), err);
}

// Sets the transmittance of one metre of fluid. It is stored for a centimetre, because that of dark
// fluids is too small for single precision.
static void set_water(fm_film_options *o, fm_vec3 metre)
{
    const double depth = 0.01; // m
    o->water = (fm_color){(float)pow(metre.x, depth), (float)pow(metre.y, depth),
                          (float)pow(metre.z, depth)};
    o->water_depth = depth;
}

// Fills in camera, look (style and colours) and floor that the options do not give, from the
// setting of the first run. Pictures coloured by a field use the studio style, because underwater
// light would distort the colours. Without a plane in the scene, a fluid rests on the floor.
static void apply_setting(fm_film *film)
{
    const fm_picture_setting *setting = film->runs[0].setting;
    const fm_picture_setting_def none = {0}, *def = setting ? &setting->def : &none;
    fm_film_options *o = &film->options;
    fm_style style = film->has_fluid || film->has_grid ? FM_STYLE_STUDIO : FM_STYLE_UNDERWATER;
    if (film->has_plane && !o->ignores_scene_camera) // seen from the front
        o->azimuth = o->elevation = 0;
    if (!o->has_camera && !o->ignores_scene_camera && def->camera.given) {
        film->follows = o->has_camera = true;
        o->camera = (fm_camera){def->camera.position,
                                def->camera.target,
                                def->camera.up,
                                def->camera.field_of_view,
                                0,
                                0};
    }
    if (def->look.style)
        style = strcmp(def->look.style, "studio") == 0 ? FM_STYLE_STUDIO
                : strcmp(def->look.style, "sky") == 0  ? FM_STYLE_SKY
                                                       : FM_STYLE_UNDERWATER;
    if (!o->has_look)
        o->look = fm_default_look(film->field[0] ? FM_STYLE_STUDIO : style);
    if (!o->has_look && (!film->field[0] || film->has_grid) && def->look.has_background)
        o->look.tint = color_from_vec3(def->look.background);
    if (!o->has_look && def->look.has_floor)
        o->look.ground = color_from_vec3(def->look.floor);
    if (!o->has_cloth && def->look.has_cloth)
        o->cloth = color_from_vec3(def->look.cloth);
    if (!o->has_lines && def->look.has_lines)
        o->lines = color_from_vec3(def->look.lines);
    o->has_lines |= def->look.has_lines;
    if (!o->has_water && def->look.has_water)
        set_water(o, def->look.water);
    if (!o->has_fluid && def->look.has_fluid)
        o->fluid = color_from_vec3(def->look.fluid);
    o->has_fluid |= def->look.has_fluid;
    o->foam = o->has_foam ? o->foam : def->look.foam;
    o->mirror = o->mirror > 0 ? o->mirror : def->look.mirror;
    o->has_cloth |= def->look.has_cloth;
    o->has_water |= def->look.has_water;
    if (!isfinite(o->look.floor) && !fm_setting_find_floor(setting, &o->look.floor) &&
        film->has_fluid)
        o->look.floor = isfinite(film->rest) ? film->rest : film->bounds.low.y - film->spacing / 2;
    o->look.no_floor |= film->has_plane;
}

// Sets the values at the ends of the colormap: those of the options, or the range found. A range
// with both signs is made symmetric, so that zero is white, unless the negative values are small,
// as errors of a concentration are.
static void set_range(fm_film *film)
{
    const fm_film_options *o = &film->options;
    const double small = 0.1; // of the largest value
    if (o->has_range) {
        film->low = o->low;
        film->high = o->high;
    } else if (film->low < 0 && film->low > -small * film->high) {
        film->low = 0;
    } else if (film->low < 0 && film->high > 0) {
        film->high = fmax(-film->low, film->high);
        film->low = -film->high;
    }
    if (!(film->high > film->low)) { // all values are equal, or there are none
        film->low = isfinite(film->low) ? film->low : 0;
        film->high = film->low + 1;
    }
}

// Opens runs for rendering: finds the frames they share, bounds, colour range, camera and look.
fm_film *fm_film_open(const char *const *directories, int count, const fm_film_options *options,
                      fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    if (count < 1 || count > FM_FILM_RUNS_MAX) {
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
    film->run_without_setting = -1;
    film->bounds = fm_bounds_empty();
    film->rest = INFINITY;
    film->low = INFINITY;
    film->high = -INFINITY;
    snprintf(film->field, sizeof film->field, "%s", options->field ? options->field : "");
    for (int i = 0; i < count && err->status == FM_OK; i++)
        open_run(film, i, directories[i], err);
    if (err->status == FM_OK && film->first > film->last)
        fm_fail(err, FM_BAD_VALUE, "film", "frames", "none common to all runs", "at least one");
    if (err->status == FM_OK)
        find_flow(film);
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
    find_followed(film, err);
    if (err->status == FM_OK)
        return film;
    fm_film_close(film);
    return NULL;
}

// Closes the runs and frees the renderer.
void fm_film_close(fm_film *film)
{
    if (!film)
        return;
    for (int i = 0; i < film->run_count; i++) {
        fm_cache_close(film->runs[i].cache);
        fm_picture_setting_close(film->runs[i].setting);
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

int fm_film_run_without_setting(const fm_film *film)
{
    assert(film);
    return film->run_without_setting;
}

const fm_render_stats *fm_film_stats(const fm_film *film)
{
    assert(film);
    return &film->stats;
}
