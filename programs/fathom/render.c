// SPDX-License-Identifier: MIT
// render.c: fathom render DIR|SCENE: pictures and movies of runs.
#include "fathom.h"
#include "run.h"

#include <fathom/render.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 16 };

// What is to be made, as asked for.
typedef struct order {
    fm_film_options film;
    const char *directories[RUNS_MAX];
    char made[RUNS_MAX][PATH_SIZE]; // of scenes
    int count;
    const char *labels[RUNS_MAX];
    char output[PATH_SIZE + 32];
    int frame;               // -1: a movie, or a sheet
    int columns, rows;       // of the sheet; 0: none
    int first, last, stride; // -1: all
    int samples;             // 0: what is usual for what is made
    bool has_size, quiet;
    double fps; // 0: the run's
} order;

static bool parse_pair(const command *self, const char *flag, const char *text, int high, int *a,
                       int *b)
{
    char *end;
    long x = strtol(text, &end, 10), y = 0;
    bool good = end != text && *end == 'x';
    const char *second = end + 1;
    if (good)
        y = strtol(second, &end, 10);
    if (!good || end == second || *end || x < 1 || y < 1 || x > high || y > high) {
        complain("%s: %s is \"%s\", allowed are two whole numbers like 1280x720, from 1 to %d",
                 self->name, flag, text, high);
        return false;
    }
    *a = (int)x;
    *b = (int)y;
    return true;
}

// Numbers separated by commas or colons; how many there were, -1 for anything else.
static int parse_numbers(const char *text, double *values, int room)
{
    for (int count = 0; count < room;) {
        char *end;
        values[count] = strtod(text, &end);
        if (end == text || !isfinite(values[count]))
            return -1;
        count++;
        if (!*end)
            return count;
        if (*end != ',' && *end != ':')
            return -1;
        text = end + 1;
    }
    return -1;
}

static bool read_camera(const command *self, const arguments *args, order *o)
{
    static const double DEGREE = 0.017453292519943295;
    const char *camera = option_value(self, args, "--camera");
    const char *view = option_value(self, args, "--view");
    double v[7] = {0};
    if (camera) {
        int count = parse_numbers(camera, v, 7);
        if (count != 6 && count != 7) {
            complain("render: --camera is \"%s\", allowed are position and target, and perhaps the "
                     "field of view in degrees: 1.1,0,1.2,0.2,-0.3,0,35",
                     camera);
            return false;
        }
        o->film.has_camera = true;
        o->film.camera = (fm_camera){.position = {v[0], v[1], v[2]},
                                     .target = {v[3], v[4], v[5]},
                                     .up = {0, 1, 0},
                                     .field_of_view = (count == 7 ? v[6] : 35) * DEGREE};
    } else if (view) {
        if (parse_numbers(view, v, 2) != 2 || fabs(v[1]) > 85) {
            complain(
                "render: --view is \"%s\", allowed are two angles in degrees: to the right, and "
                "up, at most 85: 35,4",
                view);
            return false;
        }
        o->film.azimuth = v[0];
        o->film.elevation = v[1];
        o->film.ignores_scene_camera = true;
    }
    return true;
}

static bool read_look(const command *self, const arguments *args, order *o)
{
    const char *look = option_value(self, args, "--look"),
               *range = option_value(self, args, "--range");
    if (look && strcmp(look, "underwater") != 0 && strcmp(look, "studio") != 0) {
        complain("render: --look is \"%s\", allowed are underwater and studio", look);
        return false;
    }
    if (look) {
        o->film.has_look = true;
        o->film.look =
            fm_default_look(strcmp(look, "studio") == 0 ? FM_STYLE_STUDIO : FM_STYLE_UNDERWATER);
    }
    o->film.field = option_value(self, args, "--color");
    if (range) {
        double v[2];
        if (parse_numbers(range, v, 2) != 2 || !(v[0] < v[1])) {
            complain("render: --range is \"%s\", allowed are two numbers, the smaller first: 0,0.2",
                     range);
            return false;
        }
        o->film.has_range = true;
        o->film.low = v[0];
        o->film.high = v[1];
    }
    int labels = option_index(self, "--label");
    for (int i = 0; i < args->given[labels] && i < RUNS_MAX; i++)
        o->labels[i] = args->values[labels][i];
    if (args->given[labels] > 0)
        o->film.labels = o->labels;
    o->film.show_time = option_given(self, args, "--time");
    o->film.particles = option_given(self, args, "--particles");
    return true;
}

static bool read_frames(const command *self, const arguments *args, order *o)
{
    const char *frames = option_value(self, args, "--frames"),
               *fps = option_value(self, args, "--fps");
    double v[3] = {0, 0, 1};
    if (frames) {
        int count = parse_numbers(frames, v, 3);
        if (count < 2 || v[0] < 0 || v[1] < v[0] || v[1] > 999999 || v[2] < 1 || v[2] > 999999) {
            complain(
                "render: --frames is \"%s\", allowed are first and last, and perhaps the step: "
                "0:120:2",
                frames);
            return false;
        }
        o->first = (int)v[0];
        o->last = (int)v[1];
        o->stride = (int)v[2];
    }
    if (fps && (parse_numbers(fps, &o->fps, 1) != 1 || !(o->fps > 0 && o->fps <= 1000))) {
        complain("render: --fps is \"%s\", allowed is a number above 0, up to 1000", fps);
        return false;
    }
    return option_integer(self, args, "--frame", 0, 999999, -1, &o->frame);
}

static bool read_order(const command *self, const arguments *args, order *o)
{
    *o = (order){.film = fm_default_film_options(), .first = -1, .last = -1, .stride = 1};
    const char *size = option_value(self, args, "--size"),
               *sheet = option_value(self, args, "--sheet");
    const char *output = option_value(self, args, "-o");
    o->quiet = option_given(self, args, "--quiet");
    o->has_size = size != NULL;
    if (size &&
        !parse_pair(self, "--size", size, FM_PICTURE_SIDE_MAX, &o->film.width, &o->film.height))
        return false;
    if (sheet && !parse_pair(self, "--sheet", sheet, 64, &o->columns, &o->rows))
        return false;
    if (output && strlen(output) >= PATH_SIZE) {
        complain("render: -o is too long");
        return false;
    }
    snprintf(o->output, sizeof o->output, "%s", output ? output : "");
    return read_camera(self, args, o) && read_look(self, args, o) && read_frames(self, args, o) &&
           option_integer(self, args, "--samples", 1, 1024, 0, &o->samples) &&
           option_integer(self, args, "--threads", 0, 256, 0, &o->film.threads);
}

// A directory is a run; a file is a scene, which is run first, or as far as it has not been.
static int find_runs(const arguments *args, order *o)
{
    for (int i = 0; i < args->rest_count; i++) {
        struct stat info;
        if (stat(args->rest[i], &info) != 0) {
            complain(
                "%s: there is no such directory or scene (fathom scenes lists those that ship)",
                args->rest[i]);
            return EXIT_INPUT_OUTPUT;
        }
        o->directories[i] = args->rest[i];
        o->count++;
        if (S_ISDIR(info.st_mode))
            continue;
        task t = {.scene_path = args->rest[i],
                  .frames = -1,
                  .threads = o->film.threads,
                  .resume = true,
                  .quiet = o->quiet};
        outcome result;
        default_directory(t.scene_path, t.directory, sizeof t.directory);
        execute(&t, &result);
        if (result.code != EXIT_GOOD)
            return result.code;
        snprintf(o->made[i], sizeof o->made[i], "%s", t.directory);
        o->directories[i] = o->made[i];
    }
    return EXIT_GOOD;
}

// What was not said: a sheet's size, samples, the name of the file.
static bool complete_order(order *o)
{
    bool movie = o->frame < 0 && o->columns == 0;
    if (o->columns > 0 && !o->has_size) {
        o->film.width = 240 * o->columns;
        o->film.height = 320 * o->rows;
    }
    o->film.samples = o->samples > 0 ? o->samples : movie ? 6 : o->columns > 0 ? 12 : 32;
    const char *folder = o->directories[0];
    if (!o->output[0] && movie)
        snprintf(o->output, sizeof o->output, "%.*s/movie.mp4", PATH_SIZE, folder);
    else if (!o->output[0] && o->columns > 0)
        snprintf(o->output, sizeof o->output, "%.*s/sheet.png", PATH_SIZE, folder);
    else if (!o->output[0])
        snprintf(o->output, sizeof o->output, "%.*s/frame.%06d.png", PATH_SIZE, folder, o->frame);
    size_t length = strlen(o->output);
    bool png = length > 4 && strcmp(o->output + length - 4, ".png") == 0;
    if (movie && png && o->first < 0) { // one picture was asked for: the last
        o->frame = 1000000;
        return true;
    }
    if (movie ? fm_movie_is_path(o->output) : png)
        return true;
    complain("render: -o is \"%s\", allowed is a name that ends in %s", o->output,
             movie ? ".mp4, .mkv, .webm, .gif or .webp, or .png for one frame" : ".png");
    return false;
}

static bool choose_frames(const fm_film *film, order *o)
{
    int first = fm_film_first_frame(film), last = fm_film_last_frame(film);
    if (o->frame == 1000000)
        o->frame = last;
    o->first = o->first < 0 ? first : o->first;
    o->last = o->last < 0 ? last : o->last;
    int asked = o->frame >= 0 ? o->frame : o->first < first ? o->first : o->last;
    if (asked >= first && asked <= last && o->first <= last)
        return true;
    complain("%s: there is no frame %d, allowed are %d to %d", o->directories[0], asked, first,
             last);
    return false;
}

// A picture that takes a minute should not be lost to a folder that is not there.
static bool check_folder(const char *path)
{
    char folder[PATH_SIZE + 32];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    if (access(folder, W_OK | X_OK) == 0)
        return true;
    complain("%s: cannot write: %s is not a directory one can write to", path, folder);
    return false;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_progress(const order *o, int done, int count, double started, double *shown)
{
    bool terminal = isatty(STDERR_FILENO);
    double time = now();
    if (o->quiet || (time - *shown < (terminal ? 0.2 : 5) && done < count))
        return;
    *shown = time;
    double each = (time - started) / done;
    if (terminal && done == count)
        fprintf(stderr, "\r\033[K");
    else if (done < count)
        fprintf(stderr, "%spicture %d of %d, %.2f s each, %.0f s left%s",
                terminal ? "\r\033[K" : "", done, count, each, each * (count - done),
                terminal ? "" : "\n");
}

static bool make_movie(const order *o, fm_film *film, fm_error *err)
{
    int count = (o->last - o->first) / o->stride + 1;
    double fps = o->fps > 0 ? o->fps : fm_film_rate(film) / o->stride;
    double started = now(), shown = started;
    fm_movie *movie = fm_movie_open(o->output, o->film.width, o->film.height, fps, err);
    for (int i = 0; movie && i < count && err->status == FM_OK; i++) {
        fm_picture *picture = fm_film_draw(film, o->first + i * o->stride, err);
        bool good = picture && fm_movie_add(movie, picture, err);
        fm_picture_destroy(picture);
        if (!good)
            break;
        show_progress(o, i + 1, count, started, &shown);
    }
    return movie && fm_movie_close(movie, err);
}

static bool make_picture(const order *o, fm_film *film, fm_error *err)
{
    fm_picture *picture =
        o->columns > 0 ? fm_film_draw_sheet(film, o->columns, o->rows, o->first, o->last, err)
                       : fm_film_draw(film, o->frame, err);
    bool good = picture && fm_picture_write(picture, o->output, err);
    fm_picture_destroy(picture);
    return good;
}

static int run_render(const command *self, const arguments *args)
{
    static order o; // holds paths
    fm_error err = {0};
    if (!read_order(self, args, &o))
        return EXIT_BAD_INPUT;
    int code = find_runs(args, &o);
    if (code != EXIT_GOOD)
        return code;
    if (!complete_order(&o))
        return EXIT_BAD_INPUT;
    if (!check_folder(o.output))
        return EXIT_INPUT_OUTPUT;
    double started = now();
    fm_film *film = fm_film_open(o.directories, o.count, &o.film, &err);
    if (film && !choose_frames(film, &o)) {
        fm_film_close(film);
        return EXIT_BAD_INPUT;
    }
    bool movie = film && o.frame < 0 && o.columns == 0;
    bool good = film && (movie ? make_movie(&o, film, &err) : make_picture(&o, film, &err));
    int dropped = film ? fm_film_dropped_count(film) : 0;
    fm_film_close(film);
    if (!good)
        return complain_error(&err);
    if (dropped > 0)
        complain("%d points were not finite; what they touch is not drawn", dropped);
    if (!o.quiet)
        printf("%s: %dx%d, %d samples a pixel, %.1f s\n", o.output, o.film.width, o.film.height,
               o.film.samples, now() - started);
    return finish_output();
}

const command command_render = {
    .name = "render",
    .usage = "DIR|SCENE... [-o FILE] [options]",
    .about = "pictures and movies of a run",
    .more =
        "A scene is run first, into runs/NAME, unless it has been. Without --frame or --sheet a "
        "movie of all\nframes, DIR/movie.mp4; several runs are drawn side by side. Camera and "
        "look come from the scene\nunless they are given here; without either, the whole motion "
        "is framed.\nMovies (mp4, mkv, webm, gif, webp) need the program ffmpeg.",
    .options = {{"--output", "-o", "FILE", "file to write: its ending says what"},
                {"--frame", NULL, "N", "one picture, of this frame"},
                {"--frames", NULL, "A:B[:STEP]", "first and last frame of the movie or sheet"},
                {"--sheet", NULL, "CxR", "C columns and R rows of frames on one picture"},
                {"--size", NULL, "WxH", "pixels of the whole picture; 1280x720"},
                {"--samples", NULL, "N", "rays through a pixel: 4 to look, 64 to keep"},
                {"--look", NULL, "NAME", "underwater or studio"},
                {"--color", NULL, "FIELD", "colour by a field that was written: velocity, stretch"},
                {"--range", NULL, "LOW,HIGH", "of the colours"},
                {"--camera", NULL, "X,Y,Z,X,Y,Z[,A]",
                 "position, target and field of view, degrees"},
                {"--view", NULL, "A,E", "frame the motion from azimuth A, elevation E, degrees"},
                {"--label", NULL, "TEXT", "above a run's panel; once for each run"},
                {"--particles", NULL, NULL, "fluids as the particles they are, not as surfaces"},
                {"--time", NULL, NULL, "write the time into the picture"},
                {"--fps", NULL, "N", "frames of the movie a second, instead of the run's"},
                {"--threads", NULL, "N", "threads; 0 is one per processor"},
                {"--quiet", NULL, NULL, "no progress, no summary"}},
    .rest_min = 1,
    .rest_max = RUNS_MAX,
    .run = run_render,
};
