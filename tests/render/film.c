// SPDX-License-Identifier: MIT
// film.c: a film renders the frames of runs on disk to pictures and movies; errors that can occur.
#include "check.h"
#include "io/io.h"

#include <fathom/render.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 3 }; // frames of a run

// A temporary folder with a run.
typedef struct run_folder {
    char folder[64]; // its path
    char run[80];    // path of the run's directory in it
    char file[160];  // space for the path of a file that a test needs
} run_folder;

// Writes one frame of a run with one cloth of 4 x 4 points; broken: one coordinate is NaN.
static void write_frame(const run_folder *p, int frame, bool broken)
{
    char path[256];
    fm_error err = {0};
    const fm_surface_field fields[1] = {{"speed", 1, NULL}};
    fm_surface *s = fm_surface_create(
        "cloth", &(fm_mesh_size){.points = 16, .faces = 9, .corners = 36}, fields, 1, &err);
    assert_non_null(s);
    s->time = frame / 24.0;
    for (int i = 0; i < 16; i++) {
        int column = i % 4, row = i / 4;
        s->points[3 * i] = 0.1f * (float)column;
        s->points[3 * i + 1] = -0.1f * (float)row;
        s->points[3 * i + 2] = 0.02f * (float)(frame * row);
        s->fields[0].values[i] = (float)i;
    }
    if (broken)
        s->points[3 * 5] = NAN;
    for (int f = 0; f < 9; f++) {
        int i = f / 3 * 4 + f % 3;
        const int quad[4] = {i, i + 4, i + 5, i + 1};
        s->face_start[f] = 4 * f;
        memcpy(s->face_points + 4 * f, quad, sizeof quad);
    }
    snprintf(path, sizeof path, "%s/frames/cloth.%06d.vtp", p->run, frame);
    assert_true(fm_vtk_write(path, s, false, &err));
    fm_surface_destroy(s);
}

// Creates a folder with a run of three frames of a cloth.
static run_folder create_run_folder(void)
{
    run_folder p;
    fm_error err = {0};
    snprintf(p.folder, sizeof p.folder, "/tmp/fathom-film-XXXXXX");
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.run, sizeof p.run, "%s/run", p.folder);
    snprintf(p.file, sizeof p.file, "%s/frames", p.run);
    assert_true(fm_directory_create(p.file, &err));
    for (int i = 0; i < FRAMES; i++)
        write_frame(&p, i, false);
    return p;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail_msg("%s cannot be written", path);
}

// Puts a folder before the search path PATH, or replaces PATH by it (alone). Returns the old PATH,
// which restore_path frees.
static char *change_path(const char *folder, bool alone)
{
    const char *old = getenv("PATH");
    char *old_path = strdup(old ? old : ""), search[4096];
    snprintf(search, sizeof search, "%s%s%s", folder, alone ? "" : ":",
             alone || !old_path ? "" : old_path);
    setenv("PATH", search, 1);
    return old_path;
}

static void restore_path(char *path)
{
    if (path)
        setenv("PATH", path, 1);
    free(path);
}

static void remove_run_folder(const run_folder *p)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    assert_int_equal(system(command), 0);
}

enum { WIDTH = 96, HEIGHT = 54, BYTES = 3 * WIDTH * HEIGHT }; // size of the pictures, pixels; bytes

// Options for small pictures that are rendered quickly.
static fm_film_options small_options(void)
{
    fm_film_options o = fm_default_film_options();
    o.width = WIDTH;
    o.height = HEIGHT;
    o.samples = 2;
    o.threads = 2;
    return o;
}

// Opens the run in a folder for rendering.
static fm_film *open_film(const run_folder *p, const fm_film_options *o, fm_error *err)
{
    const char *run = p->run;
    return fm_film_open(&run, 1, o, err);
}

static void a_film_finds_the_frames_and_the_rate_and_renders_repeatably(void **state)
{
    (void)state;
    run_folder p = create_run_folder();
    fm_error err = {0};
    fm_film_options o = small_options();
    fm_film *film = open_film(&p, &o, &err);
    assert_non_null(film);
    assert_int_equal(fm_film_first_frame(film), 0);
    assert_int_equal(fm_film_last_frame(film), FRAMES - 1);
    assert_close(fm_film_rate(film), 24, 1e-9);
    fm_picture *a = fm_film_draw(film, 0, &err), *b = fm_film_draw(film, 2, &err);
    fm_picture *again = fm_film_draw(film, 0, &err);
    assert_true(a && b && again);
    assert_memory_equal(a->pixels, again->pixels, BYTES);
    assert_memory_not_equal(a->pixels, b->pixels, BYTES);
    fm_picture_destroy(a);
    fm_picture_destroy(b);
    fm_picture_destroy(again);
    fm_film_close(film);
    remove_run_folder(&p);
}

// Two runs side by side (panels), several frames in one picture (contact sheet), colours by a
// field.
static void panels_contact_sheets_and_fields_are_drawn_and_bad_ones_refused(void **state)
{
    (void)state;
    run_folder p = create_run_folder();
    fm_error err = {0};
    fm_film_options o = small_options();
    const char *runs[2] = {p.run, p.run}, *labels[2] = {"one", "two"};
    o.field = "speed";
    o.labels = labels;
    o.show_time = true;
    fm_film *film = fm_film_open(runs, 2, &o, &err);
    assert_non_null(film);
    fm_picture *panels = fm_film_draw(film, 1, &err);
    fm_picture *sheet = fm_film_draw_sheet(film, 3, 2, 0, 2, &err);
    assert_true(panels && sheet);
    fm_picture_destroy(panels);
    fm_picture_destroy(sheet);
    assert_null(fm_film_draw_sheet(film, 0, 2, 0, 2, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    fm_film_close(film);
    err = (fm_error){0};
    o.field = "heat";
    assert_null(fm_film_open(runs, 2, &o, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    assert_non_null(strstr(err.text, "heat"));
    assert_non_null(strstr(err.text, "speed")); // the message lists the fields that exist
    remove_run_folder(&p);
}

static void a_point_that_is_not_finite_is_left_out_and_counted(void **state)
{
    (void)state;
    run_folder p = create_run_folder();
    write_frame(&p, 1, true);
    fm_error err = {0};
    fm_film_options o = small_options();
    fm_film *film = open_film(&p, &o, &err);
    fm_picture *picture = film ? fm_film_draw(film, 1, &err) : NULL;
    assert_non_null(picture);
    assert_int_equal(fm_film_dropped_count(film), 1);
    fm_picture_destroy(picture);
    fm_film_close(film);
    remove_run_folder(&p);
}

static void missing_and_damaged_frames_fail_only_when_drawn(void **state)
{
    (void)state;
    run_folder p = create_run_folder();
    fm_error err = {0};
    fm_film_options o = small_options();
    snprintf(p.file, sizeof p.file, "%s/frames/cloth.000001.vtp", p.run);
    assert_int_equal(unlink(p.file), 0);
    fm_film *film = open_film(&p, &o, &err);
    assert_non_null(film); // the other frames can be drawn
    fm_picture *picture = fm_film_draw(film, 2, &err);
    assert_non_null(picture);
    fm_picture_destroy(picture);
    assert_null(fm_film_draw(film, 1, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
    assert_non_null(strstr(err.text, "cloth.000001.vtp"));
    err = (fm_error){0};
    write_text(p.file, "<VTKFile>");
    assert_null(fm_film_draw(film, 1, &err));
    assert_true(err.status != FM_OK);
    fm_film_close(film);
    remove_run_folder(&p);
}

static void a_missing_run_directory_is_reported(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_film_options o = small_options();
    const char *nowhere = "/tmp/fathom-there-is-no-such-run";
    assert_null(fm_film_open(&nowhere, 1, &o, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
}

static void unwritable_paths_and_unknown_extensions_are_refused(void **state)
{
    (void)state;
    run_folder p = create_run_folder();
    fm_error err = {0};
    fm_picture *picture = fm_picture_create(4, 4, &err);
    snprintf(p.file, sizeof p.file, "%s/none/a.png", p.folder);
    assert_false(fm_picture_write(picture, p.file, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
    err = (fm_error){0};
    snprintf(p.file, sizeof p.file, "%s/none/a.mp4", p.folder);
    assert_null(fm_movie_open(p.file, 4, 4, 24, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
    err = (fm_error){0};
    assert_null(fm_movie_open("a.txt", 4, 4, 24, &err));
    assert_int_equal(err.status, FM_BAD_VALUE);
    fm_picture_destroy(picture);
    remove_run_folder(&p);
}

static void a_missing_ffmpeg_is_reported_and_leaves_no_file(void **state)
{
    (void)state;
    run_folder p = create_run_folder();
    fm_error err = {0};
    char *path = change_path(p.folder, true);
    snprintf(p.file, sizeof p.file, "%s/a.mp4", p.folder);
    assert_null(fm_movie_open(p.file, 16, 16, 24, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
    assert_non_null(strstr(err.text, "ffmpeg"));
    assert_int_not_equal(access(p.file, F_OK), 0);
    restore_path(path);
    remove_run_folder(&p);
}

// A script called ffmpeg prints a message and exits while frames are being sent.
static void a_failing_ffmpeg_is_reported_with_its_message(void **state)
{
    (void)state;
    run_folder p = create_run_folder();
    fm_error err = {0};
    snprintf(p.file, sizeof p.file, "%s/ffmpeg", p.folder);
    write_text(p.file, "#!/bin/sh\necho 'no such codec' >&2\nexit 4\n");
    assert_int_equal(chmod(p.file, 0755), 0);
    char *path = change_path(p.folder, false);
    snprintf(p.file, sizeof p.file, "%s/a.mp4", p.folder);
    fm_movie *movie = fm_movie_open(p.file, 640, 480, 24, &err);
    fm_picture *picture = fm_picture_create(640, 480, &err);
    assert_non_null(movie);
    for (int i = 0; i < 50 && fm_movie_add(movie, picture, &err); i++)
        continue;
    assert_false(fm_movie_close(movie, &err));
    assert_int_equal(err.status, FM_INPUT_OUTPUT);
    assert_non_null(strstr(err.text, "no such codec"));
    assert_int_not_equal(access(p.file, F_OK), 0);
    restore_path(path);
    fm_picture_destroy(picture);
    remove_run_folder(&p);
}

// Writes a movie with this file ending and checks that the file has the bytes `magic`, by which its
// format is recognised, at this offset.
static void check_movie(const run_folder *p, const char *ending, const char *magic, int offset)
{
    fm_error err = {0};
    char path[160], head[64] = {0};
    snprintf(path, sizeof path, "%s/a.%s", p->folder, ending);
    fm_movie *movie = fm_movie_open(path, 63, 35, 24, &err); // odd sizes are padded
    fm_picture *picture = fm_picture_create(63, 35, &err);
    for (int i = 0; i < 5; i++) {
        memset(picture->pixels, 40 * i, 3 * 63 * 35);
        assert_true(fm_movie_add(movie, picture, &err));
    }
    bool good = fm_movie_close(movie, &err);
    assert_good(good, &err);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    assert_memory_equal(head + offset, magic, strlen(magic));
    fm_picture_destroy(picture);
}

static void movies_are_written_in_every_format(void **state)
{
    (void)state;
    if (system("ffmpeg -version > /dev/null 2>&1") != 0)
        skip();
    run_folder p = create_run_folder();
    check_movie(&p, "mp4", "ftyp", 4);
    check_movie(&p, "mkv", "\x1a\x45\xdf\xa3", 0);
    check_movie(&p, "gif", "GIF89a", 0);
    check_movie(&p, "webp", "WEBP", 8);
    remove_run_folder(&p);
}

static void a_fluid_is_drawn_as_a_surface_or_as_spheres(void **state)
{
    (void)state;
    run_folder p = create_run_folder();
    fm_error err = {0};
    const fm_surface_field radius[1] = {{"radius", 1, NULL}};
    for (int frame = 0; frame < FRAMES; frame++) {
        char path[256];
        int count = frame == 0 ? 0 : 512; // no particles have entered yet
        fm_surface *s =
            fm_surface_create("water", &(fm_mesh_size){.points = count}, radius, 1, &err);
        assert_non_null(s);
        snprintf(s->kind, sizeof s->kind, "particles");
        for (int i = 0; i < count; i++) {
            s->points[3 * i] = 0.04f * (float)(i % 8);
            s->points[3 * i + 1] = -0.3f + 0.04f * (float)(i / 8 % 8);
            s->points[3 * i + 2] = 0.04f * (float)(i / 64);
            s->fields[0].values[i] = 0.02f;
        }
        snprintf(path, sizeof path, "%s/frames/water.%06d.vtp", p.run, frame);
        assert_true(fm_vtk_write(path, s, false, &err));
        fm_surface_destroy(s);
    }
    fm_film_options options = fm_default_film_options();
    options.width = WIDTH;
    options.height = HEIGHT;
    options.samples = 2;
    fm_picture *pictures[3]; // as a surface, as spheres, as a surface of green water
    for (int i = 0; i < 3; i++) {
        const char *run = p.run;
        options.particles = i == 1;
        options.has_water = i == 2;
        options.water = (fm_color){0.001f, 0.5f, 0.001f};
        fm_film *film = fm_film_open(&run, 1, &options, &err);
        assert_non_null(film);
        fm_picture_destroy(fm_film_draw(film, 0, &err));
        pictures[i] = fm_film_draw(film, 2, &err);
        assert_non_null(pictures[i]);
        fm_film_close(film);
    }
    long green[3] = {0}; // sum over all pixels of green minus red
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            green[k] += pictures[k]->pixels[3 * i + 1] - pictures[k]->pixels[3 * i];
    assert_memory_not_equal(pictures[0]->pixels, pictures[1]->pixels, BYTES);
    assert_true(green[2] > green[0] + 10000);
    for (int k = 0; k < 3; k++)
        fm_picture_destroy(pictures[k]);
    remove_run_folder(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_film_finds_the_frames_and_the_rate_and_renders_repeatably),
        cmocka_unit_test(panels_contact_sheets_and_fields_are_drawn_and_bad_ones_refused),
        cmocka_unit_test(a_point_that_is_not_finite_is_left_out_and_counted),
        cmocka_unit_test(missing_and_damaged_frames_fail_only_when_drawn),
        cmocka_unit_test(a_fluid_is_drawn_as_a_surface_or_as_spheres),
        cmocka_unit_test(a_missing_run_directory_is_reported),
        cmocka_unit_test(unwritable_paths_and_unknown_extensions_are_refused),
        cmocka_unit_test(a_missing_ffmpeg_is_reported_and_leaves_no_file),
        cmocka_unit_test(a_failing_ffmpeg_is_reported_with_its_message),
        cmocka_unit_test(movies_are_written_in_every_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
