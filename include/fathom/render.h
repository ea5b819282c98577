// SPDX-License-Identifier: MIT
// render.h: pictures and movies.
//
//     fm_film_options options = fm_default_film_options();
//     const char *run = "runs/swing";
//     fm_film *film = fm_film_open(&run, 1, &options, &err);
//     fm_picture *picture = fm_film_draw(film, 48, &err);
//     fm_picture_write(picture, "swing.png", &err);
//     fm_picture_destroy(picture);
//     fm_film_close(film);
//
// A renderer draws one fm_drawing; a film draws the frames of runs, with camera, colours and
// labels. Part of libfathom_render, which needs Embree 3 and libpng; movies need the program
// ffmpeg. The same binary makes the same picture with any number of threads.
#ifndef FATHOM_RENDER_H
#define FATHOM_RENDER_H

#include <fathom/api.h>
#include <fathom/draw.h>
#include <fathom/error.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Red, green, blue, 8 bits each as screens have them, rows from the top.
typedef struct fm_picture {
    int width, height;
    unsigned char *pixels; // [3 * width * height]
} fm_picture;

enum { FM_PICTURE_SIDE_MAX = 8192 };

FM_API fm_picture *fm_picture_create(int width, int height, fm_error *err); // black
FM_API void fm_picture_destroy(fm_picture *picture);
// PNG; beside and renamed, so that no half picture is ever there.
FM_API bool fm_picture_write(const fm_picture *picture, const char *path, fm_error *err);

// Text of a given height of capitals, in pixels, its lower left corner at x, y.
FM_API void fm_picture_add_text(fm_picture *picture, double x, double y, double size,
                                const char *text);
FM_API double fm_picture_text_width(const char *text, double size); // pixels
// A colour bar with a title and numbers, its lower left corner at x, y.
FM_API void fm_picture_add_legend(fm_picture *picture, double x, double y, double size, fm_map map,
                                  double low, double high, const char *title);

// The ending of the path says the format: mp4, mkv, webm, gif or webp.
typedef struct fm_movie fm_movie;
FM_API bool fm_movie_is_path(const char *path); // ends as a movie does
FM_API fm_movie *fm_movie_open(const char *path, int width, int height, double fps, fm_error *err);
FM_API bool fm_movie_add(fm_movie *movie, const fm_picture *picture, fm_error *err);
// Gives false, with what ffmpeg said, if anything failed; nothing is left under the path then.
FM_API bool fm_movie_close(fm_movie *movie, fm_error *err);

typedef enum fm_style {
    FM_STYLE_UNDERWATER, // light from above through waves, distance turns blue, sand below
    FM_STYLE_STUDIO,     // a large soft light in a plain room
} fm_style;

// Lengths in m; where a field is 0 (or floor NAN) it is chosen from the size of what is seen.
typedef struct fm_look {
    fm_style style;
    double sun_azimuth;   // degrees from the direction to the camera, to the right
    double sun_elevation; // degrees, under water
    double light;         // of the sun, 1 is usual
    double ambient;       // of all the rest, 1 is usual
    double exposure;      // 1 is usual
    double clarity;       // m, over which green light falls to 1/e
    double caustics;      // 0 to 1: how much the waves gather the light
    double shafts;        // 0 to 1: how much of that is seen in the water
    double motes;         // 0 to 1: particles floating about
    double floor;         // m, height of the floor
    double surface;       // m, height of the water's surface
    bool no_floor;
    fm_color tint; // of what is far away, the water or the room, linear; 0 0 0: the style's
} fm_look;

FM_API fm_look fm_default_look(fm_style style);

// What it took.
typedef struct fm_render_stats {
    double seconds;       // all
    double build_seconds; // of it, Embree's tree
    double trace_seconds; // processor time in Embree's traversal, estimated from a sample of rays
    double work_seconds;  // processor time of the tiles, that included
    uint64_t ray_count;
} fm_render_stats;

typedef struct fm_renderer fm_renderer;

typedef struct fm_shot_def {
    fm_camera camera;
    fm_look look;
    fm_bounds bounds; // of everything that is to be seen, over all frames: sizes of light and floor
    double time;      // s: waves and motes move with it
    int samples;      // rays through a pixel, 1 to 1024
    bool rough;       // leave the noise of few samples as it is
    bool measure;     // fill trace_seconds
    uint32_t seed;
} fm_shot_def;

FM_API fm_shot_def fm_default_shot_def(void);
FM_API fm_renderer *fm_renderer_create(int threads, fm_error *err); // 0: one per processor
FM_API void fm_renderer_destroy(fm_renderer *renderer);
// Into a picture of any size; stats may be NULL.
FM_API bool fm_renderer_draw(fm_renderer *renderer, const fm_drawing *drawing,
                             const fm_shot_def *def, fm_picture *picture, fm_render_stats *stats,
                             fm_error *err);

// Runs side by side, drawn frame by frame.
typedef struct fm_film_options {
    int width, height; // of the whole picture
    int samples;
    int threads; // 0: one per processor
    // Where these are not given, the scene of the first run says it, or we choose.
    bool has_look;
    fm_look look;
    bool has_camera;
    bool ignores_scene_camera; // frame the motion, whatever the scene says
    fm_camera camera;
    double azimuth, elevation; // degrees: from where the motion is framed without a camera
    bool has_cloth;
    fm_color cloth;
    bool has_water;
    fm_color water;            // what 1 m of a fluid leaves of light
    bool particles;            // fluids as balls, not as surfaces
    const char *field;         // colour by this; a vector's length; NULL: paints
    bool has_range;            // low, high: of the colours, instead of what the frames have
    double low, high;          //
    const char *const *labels; // of the runs, NULL: none for one run, their names for several
    bool show_time;
} fm_film_options;

FM_API fm_film_options fm_default_film_options(void);

typedef struct fm_film fm_film;
FM_API fm_film *fm_film_open(const char *const *directories, int count,
                             const fm_film_options *options, fm_error *err);
FM_API void fm_film_close(fm_film *film);
FM_API int fm_film_first_frame(const fm_film *film); // that all runs have
FM_API int fm_film_last_frame(const fm_film *film);
FM_API double fm_film_rate(const fm_film *film); // frames per second
FM_API fm_picture *fm_film_draw(fm_film *film, int frame, fm_error *err);
// columns x rows frames, evenly from first to last.
FM_API fm_picture *fm_film_draw_sheet(fm_film *film, int columns, int rows, int first, int last,
                                      fm_error *err);
// Points that were not finite and could not be drawn, in all pictures so far.
FM_API int fm_film_dropped_count(const fm_film *film);
FM_API const fm_render_stats *fm_film_stats(const fm_film *film); // of the last picture

#ifdef __cplusplus
}
#endif

#endif
