// SPDX-License-Identifier: MIT
// render.c: the subcommand fathom render DIR|SCENE, which makes pictures and movies of runs.
#include "command_line.h"
#include "run.h"

#include <fathom/render.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    RUNS_MAX = 16,              // runs that are drawn side by side
    LAST_FRAME = FRAME_MAX + 1, // stands for the last frame of the run
    SHEET_SIDE_MAX = 64,        // columns or rows of a contact sheet
    SHEET_FRAME_WIDTH = 240,    // pixels of one frame of a contact sheet
    SHEET_FRAME_HEIGHT = 320,
    MOVIE_SAMPLES = 6, // rays per pixel, unless given
    SHEET_SAMPLES = 12,
    PICTURE_SAMPLES = 32,
};
static const double DEFAULT_FIELD_OF_VIEW = 35; // degrees
static const double ELEVATION_MAX = 85;         // degrees; at 90 the direction up is undefined
static const double TERMINAL_PERIOD = 0.2, FILE_PERIOD = 5; // s, between two progress messages

// A picture or movie as requested on the command line.
typedef struct render_request {
    fm_film_options film;
    const char *directories[RUNS_MAX];    // directories of the runs to draw
    char scene_runs[RUNS_MAX][PATH_SIZE]; // directories of runs of scenes that were given
    int count;                            // number of directories, one for each run to draw
    const char *labels[RUNS_MAX];         // title of each run; NULL: none
    char output[PATH_SIZE + 32];
    int frame;               // number of a single frame; -1: a movie or a sheet
    int columns, rows;       // columns and rows of frames on a contact sheet; 0: no sheet
    int first, last, stride; // frames of a movie or sheet; -1: from the first, to the last
    int samples;             // rays per pixel; 0: the default of movies, sheets or single pictures
    bool has_size;           // the option --size was given
    bool quiet;              // print neither progress nor summary
    double fps;              // frames per second of the movie; 0: as many as the run has
} render_request;

// Parses two whole numbers "AxB", each from 1 to `high`. Prints an error that names `flag` and
// returns false for any other text.
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
        print_error("%s: %s is \"%s\", allowed are two whole numbers like %s, from 1 to %d",
                    self->name, flag, text, high > SHEET_SIDE_MAX ? "1280x720" : "4x2", high);
        return false;
    }
    *a = (int)x;
    *b = (int)y;
    return true;
}

// Parses at most `capacity` numbers, separated by commas or colons. Returns how many there are, -1
// for any other text.
static int parse_numbers(const char *text, double *values, int capacity)
{
    for (int count = 0; count < capacity;) {
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

// Reads --camera (position, target, field of view) or --view (azimuth, elevation) into the request.
// Prints an error and returns false for bad values.
static bool read_camera(const command *self, const arguments *args, render_request *request)
{
    const char *camera = option_value(self, args, "--camera");
    const char *view = option_value(self, args, "--view");
    double v[7] = {0}; // the numbers of the option, in its order
    if (camera) {
        int count = parse_numbers(camera, v, 7);
        if (count != 6 && count != 7) {
            print_error(
                "render: --camera is \"%s\", allowed are position and target and, optionally, the "
                "field of view in degrees: 1.1,0,1.2,0.2,-0.3,0,35",
                camera);
            return false;
        }
        request->film.has_camera = true;
        request->film.camera =
            (fm_camera){.position = {v[0], v[1], v[2]},
                        .target = {v[3], v[4], v[5]},
                        .up = {0, 1, 0},
                        .field_of_view = (count == 7 ? v[6] : DEFAULT_FIELD_OF_VIEW) * FM_DEGREE};
    } else if (view) {
        if (parse_numbers(view, v, 2) != 2 || fabs(v[1]) > ELEVATION_MAX) {
            print_error(
                "render: --view is \"%s\", allowed are azimuth and elevation in degrees, elevation "
                "from -85 to 85: 35,4",
                view);
            return false;
        }
        request->film.azimuth = v[0];
        request->film.elevation = v[1];
        request->film.ignores_scene_camera = true;
    }
    return true;
}

// Reads --slice, as z=0.5. Prints an error and returns false for bad values.
static bool read_slice(const command *self, const arguments *args, render_request *request)
{
    const char *slice = option_value(self, args, "--slice");
    double at;
    if (!slice)
        return true;
    if (slice[0] < 'x' || slice[0] > 'z' || slice[1] != '=' ||
        parse_numbers(slice + 2, &at, 1) != 1) {
        print_error("render: --slice is \"%s\", allowed are x, y or z and a coordinate in m: z=0.5",
                    slice);
        return false;
    }
    request->film.has_slice = true;
    request->film.slice_axis = slice[0] - 'x';
    request->film.slice_at = at;
    return true;
}

// Reads the options of the picture's appearance: --look, --color, --range, --label, --time and
// --particles. Prints an error and returns false for bad values.
static bool read_look(const command *self, const arguments *args, render_request *request)
{
    const char *look = option_value(self, args, "--look"),
               *range = option_value(self, args, "--range");
    static const char *const looks[] = {"underwater", "studio", "sky"};
    int style = 0;
    while (look && style < 3 && strcmp(look, looks[style]) != 0)
        style++;
    if (style == 3) {
        print_error("render: --look is \"%s\", allowed are underwater, studio and sky", look);
        return false;
    }
    if (look) {
        request->film.has_look = true;
        request->film.look = fm_default_look((fm_style)style);
    }
    request->film.field = option_value(self, args, "--color");
    if (range) {
        double v[2];
        if (parse_numbers(range, v, 2) != 2 || !(v[0] < v[1])) {
            print_error(
                "render: --range is \"%s\", allowed are two numbers, the smaller first: 0,0.2",
                range);
            return false;
        }
        request->film.has_range = true;
        request->film.low = v[0];
        request->film.high = v[1];
    }
    int labels = option_index(self, "--label");
    for (int i = 0; i < args->given[labels] && i < RUNS_MAX; i++)
        request->labels[i] = args->values[labels][i];
    if (args->given[labels] > 0)
        request->film.labels = request->labels;
    if (!read_slice(self, args, request))
        return false;
    request->film.show_time = option_given(self, args, "--time");
    request->film.particles = option_given(self, args, "--particles");
    return true;
}

// Reads --frames, --fps and --frame. Prints an error and returns false for bad values.
static bool read_frames(const command *self, const arguments *args, render_request *request)
{
    const char *frames = option_value(self, args, "--frames"),
               *fps = option_value(self, args, "--fps");
    double v[3] = {0, 0, 1};
    if (frames) {
        int count = parse_numbers(frames, v, 3);
        if (count < 2 || v[0] < 0 || v[1] < v[0] || v[1] > FRAME_MAX || v[2] < 1 ||
            v[2] > FRAME_MAX) {
            print_error(
                "render: --frames is \"%s\", allowed are first and last frame and, optionally, the "
                "step: 0:120:2",
                frames);
            return false;
        }
        request->first = (int)v[0];
        request->last = (int)v[1];
        request->stride = (int)v[2];
    }
    if (fps && (parse_numbers(fps, &request->fps, 1) != 1 ||
                !(request->fps > 0 && request->fps <= 1000))) {
        print_error("render: --fps is \"%s\", allowed is a number above 0, up to 1000", fps);
        return false;
    }
    return option_integer(self, args, "--frame", 0, FRAME_MAX, -1, &request->frame);
}

// Reads all options of `fathom render`. Prints an error and returns false for bad values.
static bool read_request(const command *self, const arguments *args, render_request *request)
{
    *request =
        (render_request){.film = fm_default_film_options(), .first = -1, .last = -1, .stride = 1};
    const char *size = option_value(self, args, "--size"),
               *sheet = option_value(self, args, "--sheet");
    const char *output = option_value(self, args, "-o");
    request->quiet = option_given(self, args, "--quiet");
    request->has_size = size != NULL;
    if (size && !parse_pair(self, "--size", size, FM_PICTURE_SIDE_MAX, &request->film.width,
                            &request->film.height))
        return false;
    if (sheet &&
        !parse_pair(self, "--sheet", sheet, SHEET_SIDE_MAX, &request->columns, &request->rows))
        return false;
    if (output && strlen(output) >= PATH_SIZE) {
        print_error("render: the path given with -o is too long");
        return false;
    }
    snprintf(request->output, sizeof request->output, "%s", output ? output : "");
    return read_camera(self, args, request) && read_look(self, args, request) &&
           read_frames(self, args, request) &&
           option_integer(self, args, "--samples", 1, 1024, 0, &request->samples) &&
           option_integer(self, args, "--threads", 0, 256, 0, &request->film.threads);
}

// Collects the run directories. An argument that is a file is a scene: it is run first, or its
// interrupted run is completed. Returns the exit code.
static int find_runs(const arguments *args, render_request *request)
{
    for (int i = 0; i < args->rest_count; i++) {
        struct stat info;
        if (stat(args->rest[i], &info) != 0) {
            print_error("%s: there is no such directory or scene (to list the scenes that come "
                        "with fathom: fathom "
                        "scenes)",
                        args->rest[i]);
            return EXIT_INPUT_OUTPUT;
        }
        request->directories[i] = args->rest[i];
        request->count++;
        if (S_ISDIR(info.st_mode))
            continue;
        run_request run = {.scene_path = args->rest[i],
                           .frames = -1,
                           .threads = request->film.threads,
                           .resume = true,
                           .quiet = request->quiet};
        run_result result;
        get_default_directory(run.scene_path, run.directory, sizeof run.directory);
        run_scene(&run, &result);
        if (result.code != EXIT_GOOD)
            return result.code;
        snprintf(request->scene_runs[i], sizeof request->scene_runs[i], "%s", run.directory);
        request->directories[i] = request->scene_runs[i];
    }
    return EXIT_GOOD;
}

// Fills in options that were not given: the size of a contact sheet, the rays per pixel and the
// output file. Prints an error and returns false when the file name does not fit the kind of
// output.
static bool complete_request(render_request *request)
{
    bool movie = request->frame < 0 && request->columns == 0;
    if (request->columns > 0 && !request->has_size) {
        request->film.width = SHEET_FRAME_WIDTH * request->columns;
        request->film.height = SHEET_FRAME_HEIGHT * request->rows;
    }
    request->film.samples = request->samples > 0   ? request->samples
                            : movie                ? MOVIE_SAMPLES
                            : request->columns > 0 ? SHEET_SAMPLES
                                                   : PICTURE_SAMPLES;
    const char *folder = request->directories[0];
    if (!request->output[0] && movie)
        snprintf(request->output, sizeof request->output, "%.*s/movie.mp4", PATH_SIZE, folder);
    else if (!request->output[0] && request->columns > 0)
        snprintf(request->output, sizeof request->output, "%.*s/sheet.png", PATH_SIZE, folder);
    else if (!request->output[0])
        snprintf(request->output, sizeof request->output, "%.*s/frame.%06d.png", PATH_SIZE, folder,
                 request->frame);
    size_t length = strlen(request->output);
    bool png = length > 4 && strcmp(request->output + length - 4, ".png") == 0;
    if (movie && png && request->first < 0) { // a single picture: of the last frame
        request->frame = LAST_FRAME;
        return true;
    }
    if (movie ? fm_movie_is_path(request->output) : png)
        return true;
    print_error("render: -o is \"%s\", allowed is a name that ends in %s", request->output,
                movie ? ".mp4, .mkv, .webm, .gif or .webp, or .png for one frame" : ".png");
    return false;
}

// Replaces frame numbers that were not given by the first and last frame of the run. Prints an
// error and returns false when the run lacks a requested frame.
static bool choose_frames(const fm_film *film, render_request *request)
{
    int first = fm_film_first_frame(film), last = fm_film_last_frame(film);
    if (request->frame == LAST_FRAME)
        request->frame = last;
    request->first = request->first < 0 ? first : request->first;
    request->last = request->last < 0 ? last : request->last;
    int requested = request->frame >= 0      ? request->frame
                    : request->first < first ? request->first
                                             : request->last;
    if (requested >= first && requested <= last && request->first <= last)
        return true;
    print_error("%s: there is no frame %d, allowed are %d to %d", request->directories[0],
                requested, first, last);
    return false;
}

// Checks that the folder of the output path is writable, before rendering, which can take minutes.
static bool check_folder(const char *path)
{
    char folder[PATH_SIZE + 32];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    if (access(folder, W_OK | X_OK) == 0)
        return true;
    print_error("%s: cannot write: %s is not a writable directory", path, folder);
    return false;
}

// Time of the monotonic clock, s.
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Prints how many of `count` pictures are done and how long the others will take, at most once per
// period. started, shown: clock times, s, of the start and of the
// last message.
static void show_progress(const render_request *request, int done, int count, double started,
                          double *shown)
{
    bool terminal = isatty(STDERR_FILENO);
    double time = now();
    if (request->quiet ||
        (time - *shown < (terminal ? TERMINAL_PERIOD : FILE_PERIOD) && done < count))
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

// Renders the requested frames one by one and encodes them as a movie.
static bool render_movie(const render_request *request, fm_film *film, fm_error *err)
{
    int count = (request->last - request->first) / request->stride + 1;
    double fps = request->fps > 0 ? request->fps : fm_film_rate(film) / request->stride;
    double started = now(), shown = started;
    fm_movie *movie =
        fm_movie_open(request->output, request->film.width, request->film.height, fps, err);
    for (int i = 0; movie && i < count && err->status == FM_OK; i++) {
        fm_picture *picture = fm_film_draw(film, request->first + i * request->stride, err);
        bool good = picture && fm_movie_add(movie, picture, err);
        fm_picture_destroy(picture);
        if (!good)
            break;
        show_progress(request, i + 1, count, started, &shown);
    }
    return movie && fm_movie_close(movie, err);
}

// Renders one frame, or a contact sheet of several, and writes it as PNG.
static bool render_picture(const render_request *request, fm_film *film, fm_error *err)
{
    fm_picture *picture = request->columns > 0
                              ? fm_film_draw_sheet(film, request->columns, request->rows,
                                                   request->first, request->last, err)
                              : fm_film_draw(film, request->frame, err);
    bool good = picture && fm_picture_write(picture, request->output, err);
    fm_picture_destroy(picture);
    return good;
}

// Runs `fathom render`. Returns the exit code.
static int run_render(const command *self, const arguments *args)
{
    static render_request request; // static because it is large
    fm_error err = {0};
    if (!read_request(self, args, &request))
        return EXIT_BAD_INPUT;
    int code = find_runs(args, &request);
    if (code != EXIT_GOOD)
        return code;
    if (!complete_request(&request))
        return EXIT_BAD_INPUT;
    if (!check_folder(request.output))
        return EXIT_INPUT_OUTPUT;
    double started = now();
    fm_film *film = fm_film_open(request.directories, request.count, &request.film, &err);
    if (film && !choose_frames(film, &request)) {
        fm_film_close(film);
        return EXIT_BAD_INPUT;
    }
    bool movie = film && request.frame < 0 && request.columns == 0;
    bool good =
        film && (movie ? render_movie(&request, film, &err) : render_picture(&request, film, &err));
    int dropped = film ? fm_film_dropped_count(film) : 0, // points that are not finite
        without_setting = film ? fm_film_run_without_setting(film) : -1; // index of a run
    fm_film_close(film);
    if (!good)
        return report_error(&err);
    if (without_setting >= 0)
        print_error("%s: setting.json is missing, as in runs of older versions; camera, look and "
                    "colliders of the scene are not used",
                    request.directories[without_setting]);
    if (dropped > 0)
        print_error("%d points are not finite; their faces are not drawn", dropped);
    if (!request.quiet)
        printf("%s: %dx%d, %d samples per pixel, %.1f s\n", request.output, request.film.width,
               request.film.height, request.film.samples, now() - started);
    return finish_output();
}

const command command_render = {
    .name = "render",
    .usage = "DIR|SCENE... [-o FILE] [options]",
    .about = "make pictures and movies of a run",
    .more =
        "A scene is first run into runs/NAME, unless that run is complete. Without --frame and "
        "--sheet the\nresult is a movie of all frames, DIR/movie.mp4. Several runs are drawn side "
        "by side. Camera and look\ncome from the scene unless they are given here; without both, "
        "the camera shows the whole motion.\nMovies (mp4, mkv, webm, gif, webp) need the program "
        "ffmpeg.",
    .options =
        {{"--output", "-o", "FILE", "file to write; its extension selects the format"},
         {"--frame", NULL, "N", "make a picture of this frame"},
         {"--frames", NULL, "A:B[:STEP]", "first and last frame, and step, of the movie or sheet"},
         {"--sheet", NULL, "CxR", "make one picture with C columns and R rows of frames"},
         {"--size", NULL, "WxH", "size of the picture in pixels; default 1280x720"},
         {"--samples", NULL, "N", "rays per pixel: 4 for a preview, 64 for high quality"},
         {"--look", NULL, "NAME", "style: underwater, studio or sky"},
         {"--color", NULL, "FIELD", "colour by a field of the frames, as velocity or stretch"},
         {"--range", NULL, "LOW,HIGH", "values at the two ends of the colour scale"},
         {"--camera", NULL, "X,Y,Z,X,Y,Z[,A]", "position, target and field of view in degrees"},
         {"--view", NULL, "A,E", "show the whole motion from azimuth A and elevation E in degrees"},
         {"--label", NULL, "TEXT", "title of a run; give it once for each run"},
         {"--slice", NULL, "AXIS=AT", "where grid fluids in 3D are cut for --color, as z=0.5"},
         {"--particles", NULL, NULL, "draw fluids as particles instead of surfaces"},
         {"--time", NULL, NULL, "write the time into the picture"},
         {"--fps", NULL, "N", "frames per second of the movie, instead of those of the run"},
         {"--threads", NULL, "N", "number of threads; 0: one per processor"},
         {"--quiet", NULL, NULL, "print no progress and no summary"}},
    .rest_min = 1,
    .rest_max = RUNS_MAX,
    .run = run_render,
};
