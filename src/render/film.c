// SPDX-License-Identifier: MIT
// film.c: renders the frames of runs: one camera for the whole motion, colours by a field, several
// runs side by side, many frames on one contact sheet.
#include "render/film.h"
#include "io/io.h"
#include "render/render.h"

#include <assert.h>
#include <fathom/cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS_MAX = 16,       // runs in one picture
    SCANNED_FRAMES = 40, // frames from which bounds and range of values are found
    GAP = 2,             // pixels, dark lines between panels
    SHEET_SIDE_MAX = 64, // columns, and rows, of a contact sheet
};

static const double TEXT_MIN = 7;        // pixels, smallest height of capital letters
static const double NARROWEST = 4.0 / 3; // width / height below which the field of view is widened

// A run that is drawn.
typedef struct run {
    fm_cache *cache;             // its frames
    fm_picture_setting *setting; // NULL: the run's directory has no setting.json
    double (*spacing)[2];        // [object] m, mean spacing of columns and rows in the first frame
    char label[FM_NAME_SIZE];    // title in the picture
} run;

struct fm_film {
    fm_film_options options;
    char field[FM_FIELD_NAME_SIZE];     // field that objects are coloured by, or ""
    char title[2 * FM_FIELD_NAME_SIZE]; // of the legend, with unit
    run runs[RUNS_MAX];
    int run_count;
    int first, last;  // numbers of the frames that all runs have
    double fps;       // frames per second
    fm_bounds bounds; // of all objects over all frames
    double low, high; // values at the ends of the colormap
    bool has_fluid;
    bool has_grid, has_plane; // grid fluids; all of them one cell thick
    bool hides_air;           // grid fluids are not drawn
    bool has_marks;
    double spacing;    // m, of the fluid's particles; 0: not known
    double rest;       // m, height on which liquids rest; infinite: not known
    int dropped_count; // points that were not drawn because they are not finite
    fm_renderer *renderer;
    fm_render_stats stats;
    bool follows;            // the scene's camera is used, which may follow something
    int followed;            // object of run 0 that the camera follows; -1: none
    fm_vec3 followed_from;   // m, centre of that object in the first frame
    int run_without_setting; // index of the first run without setting.json; -1: none
};

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
static fm_draw_mode find_draw_mode(const fm_surface *s)
{
    const fm_draw_mode_row *row = fm_draw_mode_rows;
    while (row->kind && strcmp(row->kind, s->kind) != 0)
        row++;
    return row->mode;
}

// Radius of the points from the field "radius", m; 0 if there is none.
static double point_radius(const fm_surface *s)
{
    const float *radius = s->point_count > 0 ? fm_surface_values(s, "radius", 1) : NULL;
    return radius && radius[0] > 0 ? (double)radius[0] : 0;
}

// Sets a mesh view of a surface, with its points in double precision. Returns the points, which the
// caller frees.
static fm_vec3 *create_mesh_view(const fm_surface *s, fm_mesh_view *view, fm_error *err)
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
static float *read_values(const fm_film *film, const fm_surface *s, fm_error *err)
{
    fm_draw_mode mode = find_draw_mode(s);
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
static bool scan_object(fm_film *film, run *r, int object, fm_error *err)
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
        fm_draw_mode mode = find_draw_mode(s);
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
            fm_vec3 *points = create_mesh_view(s, &mesh, err);
            if (points)
                fm_mesh_spacing(&mesh, r->spacing[object]);
            free(points);
        }
        float *values = read_values(film, s, err);
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
    const run *r = &film->runs[0];
    fm_error ignored = {0};
    film->has_plane = true;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < fm_cache_object_count(r->cache); i++) {
            fm_surface *s = fm_cache_read_frame(r->cache, i, film->first, &ignored);
            fm_draw_mode mode = s ? find_draw_mode(s) : FM_DRAW_MODE_MESH;
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
static fm_vec3 find_centre(const fm_film *film, int object, int frame, fm_error *err)
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
        film->followed_from = find_centre(
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
static bool add_fluid(const fm_film *film, const run *r, int object, int frame, const fm_surface *s,
                      fm_drawing *drawing, fm_error *err)
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
static fm_paint choose_paint(const fm_film *film, const run *r, int object, const fm_surface *s)
{
    fm_draw_mode mode = find_draw_mode(s);
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
    if (coloured || mode != FM_DRAW_MODE_CLOTH)
        paint.weave = 0;
    return paint;
}

// Adds one object of a run at a frame to the drawing. time: receives the time of the frame, s.
static bool add_object(fm_film *film, const run *r, int object, int frame, fm_drawing *drawing,
                       double *time, fm_error *err)
{
    fm_surface *s = fm_cache_read_frame(r->cache, object, frame, err);
    if (!s)
        return false;
    fm_mesh_view mesh = {0};
    fm_vec3 *points = create_mesh_view(s, &mesh, err);
    fm_paint paint = choose_paint(film, r, object, s);
    fm_coloring coloring = {.low = film->low, .high = film->high, .map = choose_colormap(film)};
    float *values = read_values(film, s, err);
    coloring.values = values;
    *time = s->time;
    fm_draw_mode mode = find_draw_mode(s);
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
        fm_vec3 way = fm_sub(find_centre(film, film->followed, frame, err), film->followed_from);
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
    const run *r = &film->runs[index];
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
