// SPDX-License-Identifier: MIT
// film.h: an opened film, how each kind of object is drawn, and the setting (colliders, camera).
#ifndef FATHOM_RENDER_FILM_H
#define FATHOM_RENDER_FILM_H

#include "io/picture_setting.h"
#include "render/render.h"

#include <fathom/cache.h>
#include <fathom/render.h>

// How a kind of object is drawn.
typedef enum fm_draw_mode {
    FM_DRAW_MODE_MESH,  // faces as a surface, lines as tubes, points as spheres
    FM_DRAW_MODE_CLOTH, // like a mesh, with a woven texture
    FM_DRAW_MODE_FLUID, // a surface reconstructed from its points, or water-coloured spheres
    FM_DRAW_MODE_GRID,  // a slice or a cloud (draw_flow.c)
    FM_DRAW_MODE_MARKS, // streaks
} fm_draw_mode;

// A row of the table of drawing modes.
typedef struct fm_draw_mode_row {
    const char *kind; // of object: cloth, particles, ball
    fm_draw_mode mode;
    const fm_field *(*fields)(int *count); // its fields, with units for the legend; may be NULL
} fm_draw_mode_row;

extern const fm_draw_mode_row fm_draw_mode_rows[]; // draw_modes.c; the last row has kind NULL

enum { FM_FILM_RUNS_MAX = 16 }; // runs in one picture

// A run that is drawn.
typedef struct fm_film_run {
    fm_cache *cache;             // its frames
    fm_picture_setting *setting; // NULL: the run's directory has no setting.json
    double (*spacing)[2];        // [object] m, mean spacing of columns and rows in the first frame
    char label[FM_NAME_SIZE];    // title in the picture
} fm_film_run;

struct fm_film {
    fm_film_options options;
    char field[FM_FIELD_NAME_SIZE];     // field that objects are coloured by, or ""
    char title[2 * FM_FIELD_NAME_SIZE]; // of the legend, with unit
    fm_film_run runs[FM_FILM_RUNS_MAX];
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

// film.c: what film_draw.c needs too.
// How the kind of object that a frame shows (cloth, particles, ball) is drawn.
fm_draw_mode fm_film_find_mode(const fm_surface *s);
// Sets a mesh view of a surface, with its points in double precision. Returns the points, which the
// caller frees.
fm_vec3 *fm_film_create_view(const fm_surface *s, fm_mesh_view *view, fm_error *err);
// The values that colour an object: NULL if it is not coloured by them, or on failure. The caller
// frees them.
float *fm_film_read_values(const fm_film *film, const fm_surface *s, fm_error *err);
// Mean position of the points of an object of run 0 in a frame, m.
fm_vec3 fm_film_find_centre(const fm_film *film, int object, int frame, fm_error *err);

// draw_setting.c: with a NULL setting there is no floor, and nothing is drawn.
// Translates a camera by the horizontal displacement of the object it follows, if there is one.
bool fm_setting_move_camera(const fm_picture_setting *setting, int frame, fm_camera *camera,
                            fm_error *err);
// Height (m) of the first fixed horizontal plane, else of the figures' lowest feet; false: none.
bool fm_setting_find_floor(const fm_picture_setting *setting, double *height);
// True if the object with this name is a ball that fm_setting_draw draws.
bool fm_setting_draws_ball(const fm_picture_setting *setting, const char *name);
// Adds the colliders and figures of a run at a frame to a drawing.
bool fm_setting_draw(const fm_picture_setting *setting, int frame, double time, fm_drawing *drawing,
                     fm_error *err);

// draw_contacts.c: moves the surfaces of transparent fluids in the drawing onto clear colliders
// that they nearly touch. To be called before fm_setting_draw.
bool fm_setting_close_gaps(const fm_picture_setting *setting, int frame, double time,
                           fm_drawing *drawing, fm_error *err);

// draw_flow.c: frames of grid fluids and their marks. has_marks: the run has marks.
bool fm_flow_is_plane(const fm_surface *s); // one cell thick
// The field that colours a fluid if none was asked for; "": none, it is drawn as a cloud.
const char *fm_flow_default_field(const fm_surface *s, bool has_marks);
// Reads a field as one number per cell. The caller frees it.
float *fm_flow_read_field(const fm_film_options *options, const fm_surface *s, const char *name,
                          fm_error *err);
// Extends the range from low to high by most of the values of a field.
void fm_flow_extend_range(const float *values, int count, double *low, double *high);
void fm_flow_extend_bounds(const fm_surface *s, fm_bounds *bounds);
bool fm_flow_add_grid(const fm_film_options *options, const fm_surface *s, bool has_marks,
                      const fm_coloring *coloring, fm_drawing *drawing, fm_error *err);
bool fm_flow_add_streaks(const fm_surface *s, double fps, const fm_coloring *coloring,
                         fm_drawing *drawing, fm_error *err);

// draw_foam.c: foam and spray of a fluid in a picture.
typedef struct fm_foam {
    fm_foam_particle *found; // [count]
    float *foam;             // [count] 0 to 1
    bool *spray;             // [count] drawn as drops, not as a part of the surface
    int *ids;                // [count]
    int count;               // 0: the frame has no velocities or ids, or is in 2D
    double spacing;          // m
} fm_foam;
// Where the frames before the picture's are.
typedef struct fm_foam_source {
    fm_cache *cache;
    int object, frame;
    double fps; // frames per second of simulated time
} fm_foam_source;
// Finds the foam of the particles of frame s. The caller calls fm_foam_destroy.
bool fm_foam_create(const fm_surface *s, const fm_foam_source *from, double spacing, int threads,
                    fm_foam *foam, fm_error *err);
// Copies the values of all particles that are not spray, `width` each, to `body`; returns their
// number.
int fm_foam_select_body(const fm_foam *foam, const float *values, int width, float *body);
void fm_foam_destroy(fm_foam *foam);

#endif
