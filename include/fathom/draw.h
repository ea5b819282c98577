// SPDX-License-Identifier: MIT
// draw.h: what is seen: triangles, spheres and lines with colours, from points and polygons.
//
//     fm_drawing *drawing = fm_drawing_create(&err);
//     fm_polygons cloth = {.point_count = n, .points = xyz, ...};
//     fm_paint paint = fm_default_paint();
//     fm_drawing_add_surface(drawing, &cloth, &paint, NULL, &err);
//     ... hand it to a renderer (render.h) or a page ...
//     fm_drawing_destroy(drawing);
//
// Nothing in here knows of a graphics interface. Sheets, that is, rows of quadrilaterals, are drawn
// as the smooth surface through their points; cloth gets two sides and a thickness. A point that is
// not finite takes its faces with it and is counted.
#ifndef FATHOM_DRAW_H
#define FATHOM_DRAW_H

#include <fathom/api.h>
#include <fathom/cloth.h>
#include <fathom/collide.h>
#include <fathom/error.h>
#include <fathom/figure.h>
#include <fathom/mesher.h>
#include <fathom/vec.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Linear light, 0 to 1.
typedef struct fm_color {
    float r, g, b;
} fm_color;

FM_API fm_color fm_color_from_srgb(double r, double g, double b); // 0 to 1 as screens have them

// How a surface looks.
typedef struct fm_paint {
    fm_color front, back; // of the two sides
    fm_color band;        // of the stripes near the ends of a sheet
    float bands;          // how much of them is seen, 0 to 1
    float sheen;          // light in the fuzz along outlines, 0 to 1
    float gloss;          // mirrored light, 0 to 1
    float translucency;   // share of the light that comes through, 0 to 1
    float weave;          // m, period of the weave; 0: smooth
    float thickness;      // m; 0: a surface without. Of clear matter: how near it wets things
    // Clear matter, in closed surfaces only: water has 1.33. 0: light does not go through.
    float refraction;
    fm_color clear; // what a way through it leaves of light
    float depth;    // m, of that way; 0: as long as what is seen is large
} fm_paint;

FM_API fm_paint fm_default_paint(void); // a woven towel
FM_API fm_paint fm_solid_paint(void);   // a smooth body
FM_API fm_paint fm_figure_paint(void);  // a mannequin
FM_API fm_paint fm_water_paint(void);   // particles of a fluid
FM_API fm_paint fm_clear_paint(void);   // clear water
FM_API fm_paint fm_glass_paint(void);   // clear glass
// Paints for the first, second, ... object of a picture, told apart at a glance.
FM_API fm_paint fm_choose_paint(int index);

// Colour by the values of a field.
typedef enum fm_map {
    FM_MAP_SEQUENTIAL, // dark blue to yellow, each step as far from the last one as any other
    FM_MAP_DIVERGING,  // blue, white, red: for signed values
} fm_map;

FM_API fm_color fm_map_color(fm_map map, double t); // t in [0, 1]

typedef struct fm_coloring {
    const float *values; // [point_count]
    double low, high;    // drawn at the ends of the map
    fm_map map;
} fm_coloring;

// Numbers to write beside a colour bar: at most `room`, round, within [low, high]. Gives how many.
FM_API int fm_choose_ticks(double low, double high, double *ticks, int room);

// Points and polygons as files and cloths have them.
typedef struct fm_polygons {
    int point_count;
    const float *points;    // m, [3 * point_count]
    int face_count;         // 0: points only, drawn as spheres
    const int *face_start;  // [face_count + 1] into face_points
    const int *face_points; // counter-clockwise from the front
    // m between the columns and between the rows of a sheet at rest: where the weave lies. 0: as
    // these points have it.
    double spacing[2];
    double radius; // m, of points; 0: chosen
} fm_polygons;

// Columns and rows if these polygons are a sheet: quadrilaterals row by row. 0 and false otherwise.
FM_API bool fm_polygons_are_sheet(const fm_polygons *polygons, int *columns, int *rows);
// Mean distance between columns and rows of a sheet.
FM_API void fm_polygons_spacing(const fm_polygons *polygons, double spacing[2]);

typedef struct fm_drawing fm_drawing;

FM_API fm_drawing *fm_drawing_create(fm_error *err);
FM_API void fm_drawing_destroy(fm_drawing *drawing);
// coloring may be NULL: the paint's colours.
FM_API bool fm_drawing_add_surface(fm_drawing *drawing, const fm_polygons *polygons,
                                   const fm_paint *paint, const fm_coloring *coloring,
                                   fm_error *err);
// A cloth as it is now; the paint's thickness is replaced by the cloth's.
FM_API bool fm_drawing_add_cloth(fm_drawing *drawing, fm_cloth *cloth, const fm_paint *paint,
                                 const fm_coloring *coloring, fm_error *err);
FM_API bool fm_drawing_add_spheres(fm_drawing *drawing, const float *centres, const float *radii,
                                   int count, const fm_paint *paint, fm_error *err);
// A line through the points, as thick as 2 radius.
FM_API bool fm_drawing_add_line(fm_drawing *drawing, const float *points, int count, double radius,
                                const fm_paint *paint, fm_error *err);
// A collider's shape; planes are not drawn, the picture's floor is.
FM_API bool fm_drawing_add_shape(fm_drawing *drawing, const fm_shape *shape, const fm_paint *paint,
                                 fm_error *err);

// A collider as it is at a time: its shape where its motion has carried it, or its triangles.
FM_API bool fm_drawing_add_collider(fm_drawing *drawing, const fm_collider *collider, double time,
                                    const fm_paint *paint, fm_error *err);

// A figure at a time, as one smooth body, pressed in a little where a cloth that was added before
// it would lie under its skin.
FM_API bool fm_drawing_add_figure(fm_drawing *drawing, const fm_figure *figure, double time,
                                  const fm_paint *paint, fm_error *err);

// The smooth surface of a fluid: closed, and flat where the fluid is. A fluid of one layer, as in
// 2D, becomes a slab. See docs/pictures.md.
typedef struct fm_fluid_mesh_def {
    double spacing; // m, between particles at rest; 0: found from them
    double cells;   // of the grid, for a spacing; 1 to 16
    int smoothing;  // steps that take out small bumps and keep the volume
    int threads;    // 0: one per processor; the result is the same for any number
} fm_fluid_mesh_def;

FM_API fm_fluid_mesh_def fm_default_fluid_mesh_def(void);
// points: m, [3 * count]. fm_triangles_free what is made; no particles, no triangles.
FM_API bool fm_fluid_mesh_make(const float *points, int count, const fm_fluid_mesh_def *def,
                               fm_triangles *made, fm_error *err);
FM_API void fm_triangles_free(fm_triangles *triangles);
// For exports; the definition must outlive it.
FM_API fm_mesher fm_fluid_mesher(const fm_fluid_mesh_def *def);
// The paint's thickness is replaced by the spacing: what is nearer than that to it is wet.
FM_API bool fm_drawing_add_fluid(fm_drawing *drawing, const float *points, int count,
                                 const fm_fluid_mesh_def *def, const fm_paint *paint,
                                 fm_error *err);

FM_API int fm_drawing_triangle_count(const fm_drawing *drawing);
FM_API int fm_drawing_dropped_count(const fm_drawing *drawing); // points that are not finite

// A box around something; empty when low > high.
typedef struct fm_bounds {
    fm_vec3 low, high;
} fm_bounds;

FM_API fm_bounds fm_empty_bounds(void);
FM_API void fm_bounds_add(fm_bounds *bounds, const float *points, int count); // finite ones

typedef struct fm_camera {
    fm_vec3 position, target, up; // m
    double field_of_view;         // radians, from the lower edge of the picture to the upper
    double aperture;              // m, diameter of the lens; 0: everything is sharp
    double focus;                 // m, distance of what is sharp; 0: the target's
} fm_camera;

// A camera that sees all of the bounds, from a direction given in degrees: azimuth 0 looks along -z
// and grows towards +x, elevation is upwards. aspect: width over height of the picture.
FM_API fm_camera fm_camera_frame(const fm_bounds *bounds, double azimuth, double elevation,
                                 double aspect);

#ifdef __cplusplus
}
#endif

#endif
