// SPDX-License-Identifier: MIT
// film.h: how each kind of object is drawn, and drawing the setting (colliders, camera) of a run.
#ifndef FATHOM_RENDER_FILM_H
#define FATHOM_RENDER_FILM_H

#include "io/picture_setting.h"

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
