// SPDX-License-Identifier: MIT
// render.h: renders drawings and runs to pictures and movies.
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
// ffmpeg. The same binary renders the same bytes for any number of threads.
#ifndef FATHOM_RENDER_H
#define FATHOM_RENDER_H

#include <fathom/api.h>
#include <fathom/draw.h>
#include <fathom/error.h>
#include <fathom/loader.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// An 8-bit sRGB image, rows from the top.
typedef struct fm_picture {
    int width, height;
    unsigned char *pixels; // [3 * width * height]
} fm_picture;

enum { FM_PICTURE_SIDE_MAX = 8192 }; // pixels, largest width and height of a picture

FM_API fm_picture *fm_picture_create(int width, int height, fm_error *err); // black
FM_API void fm_picture_destroy(fm_picture *picture);
// Writes a PNG to a temporary file and renames it, so that an incomplete file never appears at
// path.
FM_API bool fm_picture_write(const fm_picture *picture, const char *path, fm_error *err);
// Reads the grey values of a PNG, for fm_mesh_loader.read_image. context: not used.
FM_API bool fm_picture_read_image(void *context, const char *path, fm_image_data *image,
                                  fm_error *err);

// Draws text with its lower left corner at x, y. size: height of capital letters, pixels.
FM_API void fm_picture_add_text(fm_picture *picture, double x, double y, double size,
                                const char *text);
FM_API double fm_picture_text_width(const char *text, double size); // pixels

// Draws a colour bar with a title and numbers, its lower left corner at x, y. size: height of
// capital letters, pixels.
FM_API void fm_picture_add_legend(fm_picture *picture, double x, double y, double size,
                                  fm_colormap map, double low, double high, const char *title);

// A movie file. The extension of the path chooses the format: mp4, mkv, webm, gif or webp.
typedef struct fm_movie fm_movie;
FM_API bool fm_movie_is_path(const char *path); // has one of these extensions
FM_API fm_movie *fm_movie_open(const char *path, int width, int height, double fps, fm_error *err);
FM_API bool fm_movie_add(fm_movie *movie, const fm_picture *picture, fm_error *err);
// Finishes the file. If anything failed, returns false with ffmpeg's message in err and removes the
// file.
FM_API bool fm_movie_close(fm_movie *movie, fm_error *err);

// Surroundings and light of a picture.
typedef enum fm_style {
    FM_STYLE_UNDERWATER, // sunlight through waves, blue haze, a sandy floor
    FM_STYLE_STUDIO,     // a large area light in a plain room
    FM_STYLE_SKY,        // sunlight in open air, without a floor
} fm_style;

// Lighting and surroundings of a picture. Lengths in m. A length of 0 (floor: NAN) is chosen from
// the size of the scene.
typedef struct fm_look {
    fm_style style;
    double sun_azimuth;   // degrees to the right of the direction to the camera
    double sun_elevation; // degrees above the horizon; under water: of the refracted ray
    double light;         // strength of the sun or key light; default 1
    double ambient;       // strength of the sky or room light; default 1
    double exposure;      // factor before tone mapping; default 1
    double clarity;       // m, attenuation length of green light in the water
    double caustics;      // 0 to 1: contrast of the caustics from the waves
    double shafts;        // 0 to 1: contrast of the light shafts in the water
    double motes;         // 0 to 1: brightness of suspended particles
    double floor;         // m, height of the floor
    double surface;       // m, height of the water's surface
    bool no_floor;
    fm_color tint;   // linear, of distant water, the room or the sky; 0 0 0: that of the style
    fm_color ground; // linear colour of the studio's floor; 0 0 0: light grey
} fm_look;

FM_API fm_look fm_default_look(fm_style style);

// Cost of one picture.
typedef struct fm_render_stats {
    double seconds;       // wall time
    double build_seconds; // part of seconds: building Embree's BVH
    double trace_seconds; // CPU time in Embree's traversal, estimated from a sample of rays
    double work_seconds;  // CPU time of all tiles, trace_seconds included
    uint64_t ray_count;
} fm_render_stats;

typedef struct fm_renderer fm_renderer;

// Definition of one picture: camera, light and quality.
typedef struct fm_shot_def {
    fm_camera camera;
    fm_look look;
    fm_bounds bounds;  // of the moving objects over all frames; scale of light and floor
    double time;       // s, animates waves and suspended particles
    int samples;       // camera rays per pixel, 1 to 1024
    bool skip_denoise; // keep the noise of the samples
    bool measure;      // measure fm_render_stats.trace_seconds
    uint32_t seed;     // of the random samples
} fm_shot_def;

FM_API fm_shot_def fm_default_shot_def(void);
FM_API fm_renderer *fm_renderer_create(int threads, fm_error *err); // 0: one per processor
FM_API void fm_renderer_destroy(fm_renderer *renderer);
// Renders a drawing into the whole picture. stats may be NULL.
FM_API bool fm_renderer_draw(fm_renderer *renderer, const fm_drawing *drawing,
                             const fm_shot_def *def, fm_picture *picture, fm_render_stats *stats,
                             fm_error *err);

// How to render the frames of one or more runs, side by side.
typedef struct fm_film_options {
    int width, height; // of the whole picture, pixels
    int samples;       // camera rays per pixel
    int threads;       // 0: one per processor
    // An option without its has_ flag comes from the scene of the first run, else from a default.
    bool has_look;
    fm_look look;
    bool has_camera;
    bool ignores_scene_camera; // frame the whole motion even if the scene has a camera
    fm_camera camera;
    double azimuth, elevation; // degrees, direction of view if no camera is given
    bool has_cloth;
    fm_color cloth;
    bool has_lines;
    fm_color lines;
    bool has_water;
    fm_color water;     // transmittance of a fluid over water_depth
    double water_depth; // m; 0: 1 m
    bool has_fluid;
    fm_color fluid; // of an opaque fluid; otherwise fluids are clear
    bool has_foam;
    double foam;    // factor on the amount of foam and spray of fluids; 0: none
    double mirror;  // share of the light that a metallic fluid reflects; 0: that of the scene
    bool particles; // draw fluids as spheres, not as surfaces
    // Slice of a grid fluid in 3D: the axis across it (0: x, 1: y, 2: z), and its coordinate, m.
    bool has_slice; // false: across z through the middle
    int slice_axis;
    double slice_at;
    const char *field;         // colour by this field, vectors by their length; NULL: by paints
    bool has_range;            // use low and high, not the field's range over the frames
    double low, high;          // values at the two ends of the colormap
    const char *const *labels; // [runs], or NULL: the runs' names if there are several
    bool show_time;
} fm_film_options;

FM_API fm_film_options fm_default_film_options(void);

typedef struct fm_film fm_film;
FM_API fm_film *fm_film_open(const char *const *directories, int count,
                             const fm_film_options *options, fm_error *err);
FM_API void fm_film_close(fm_film *film);
// The first and the last frame that all runs have.
FM_API int fm_film_first_frame(const fm_film *film);
FM_API int fm_film_last_frame(const fm_film *film);
FM_API double fm_film_rate(const fm_film *film); // frames per second
FM_API fm_picture *fm_film_draw(fm_film *film, int frame, fm_error *err);
// Draws columns x rows frames of the first run, evenly spaced from first to last, in one picture.
FM_API fm_picture *fm_film_draw_sheet(fm_film *film, int columns, int rows, int first, int last,
                                      fm_error *err);
// Number of points left out because they were not finite, in all pictures so far.
FM_API int fm_film_dropped_count(const fm_film *film);
// Index of the first run that has a run.json but no setting.json, as written by older versions;
// such a run is drawn without the scene's camera, look and colliders. -1: none.
FM_API int fm_film_run_without_setting(const fm_film *film);
FM_API const fm_render_stats *fm_film_stats(const fm_film *film); // cost of the last picture

#ifdef __cplusplus
}
#endif

#endif
