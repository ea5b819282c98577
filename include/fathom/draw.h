// SPDX-License-Identifier: MIT
// draw.h: turns simulated objects into drawings: coloured triangles, spheres and round lines.
//
//     fm_drawing *drawing = fm_drawing_create(&err);
//     fm_mesh_view cloth = {.points = points, .point_count = n, ...};
//     fm_paint paint = fm_default_paint();
//     fm_drawing_add_surface(drawing, &cloth, &paint, NULL, &err);
//     ... hand the drawing to a renderer (render.h) ...
//     fm_drawing_destroy(drawing);
//
// A drawing does not depend on any graphics API. A sheet (a regular grid of quadrilaterals) is
// drawn as the smooth surface through its points; cloth gets two sides and a thickness. Faces with
// a point that is not finite are left out, and such points are counted.
#ifndef FATHOM_DRAW_H
#define FATHOM_DRAW_H

#include <fathom/api.h>
#include <fathom/cloth.h>
#include <fathom/collide.h>
#include <fathom/error.h>
#include <fathom/figure.h>
#include <fathom/mesh.h>
#include <fathom/mesher.h>
#include <fathom/surface.h>
#include <fathom/vec.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Linear RGB, 0 to 1.
typedef struct fm_color {
    float r, g, b;
} fm_color;

FM_API fm_color fm_color_from_srgb(double r, double g, double b); // sRGB, 0 to 1

// The material of a surface.
typedef struct fm_paint {
    fm_color front, back; // diffuse colours of the two sides
    fm_color band;        // colour of the stripes near the top and bottom edges of a sheet
    float bands;          // opacity of the stripes, 0 to 1
    fm_color pattern;     // colour of the pattern that is woven by the texture coordinates
    // period of stripes along v, and of checks; m of a sheet, units of the texture coordinates of a
    // mesh; 0: none
    float stripes, checks;
    float sheen;        // strength of the light scattered by fuzz at grazing angles, 0 to 1
    float gloss;        // strength of the specular highlight, 0 to 1
    float translucency; // diffuse transmission: share of the light that passes through, 0 to 1
    float weave;        // m, period of the bump-mapped weave; 0: smooth
    // m, thickness of a cloth; 0: a surface without thickness. Of a transparent material: solids
    // closer than this count as wet, so no air gap is drawn between the two.
    float thickness;
    // Index of refraction of a transparent material (water 1.333); 0: opaque. Needs a closed
    // surface.
    float refraction;
    fm_color transmittance; // of a transparent material over the distance `depth`
    float depth;            // m; 0: the radius of the scene
    // m, rest spacing of the columns and of the rows of a sheet, which scales its weave texture. 0:
    // measured from the drawn points.
    double spacing[2];
    double radius; // m, of the spheres and tubes that show points and lines; 0: chosen
    bool flat;     // shown in exactly its colours, without light and shadow
} fm_paint;

FM_API fm_paint fm_default_paint(void);         // a woven towel
FM_API fm_paint fm_paint_solid(void);           // an opaque smooth body
FM_API fm_paint fm_paint_figure(void);          // a mannequin
FM_API fm_paint fm_paint_water_particles(void); // opaque spheres of a particle fluid
FM_API fm_paint fm_paint_clear_water(void);     // transparent water
FM_API fm_paint fm_paint_glass(void);           // transparent glass
// An opaque fluid of this colour, such as cream: glossy, with light scattered below its surface.
FM_API fm_paint fm_paint_cream(fm_color color);

// One of five cloth paints with clearly different colours; index: number of the object in the
// picture, taken modulo 5.
FM_API fm_paint fm_paint_choose(int index);

// Colormaps for the values of a field.
typedef enum fm_colormap {
    FM_COLORMAP_SEQUENTIAL, // dark violet to yellow, perceptually uniform
    FM_COLORMAP_DIVERGING,  // blue, white, red: for signed values
} fm_colormap;

FM_API fm_color fm_colormap_color(fm_colormap map, double t); // t in [0, 1]

// Colours a surface by the values of a field.
typedef struct fm_coloring {
    const float *values; // [point_count]
    double low, high;    // values at the two ends of the colormap
    fm_colormap map;
} fm_coloring;

// Chooses at most `capacity` round numbers within [low, high] to label a colour bar, and writes
// them to `ticks`. Returns their count.
FM_API int fm_colorbar_choose_ticks(double low, double high, double *ticks, int capacity);

typedef struct fm_drawing fm_drawing;

FM_API fm_drawing *fm_drawing_create(fm_error *err);
FM_API void fm_drawing_destroy(fm_drawing *drawing);
// Adds the faces of a mesh as triangles, its lines as round tubes, and the points that belong to
// neither as spheres. coloring may be NULL: the paint's colours.
FM_API bool fm_drawing_add_surface(fm_drawing *drawing, const fm_mesh_view *mesh,
                                   const fm_paint *paint, const fm_coloring *coloring,
                                   fm_error *err);
// Adds a cloth in its current state; the cloth's thickness replaces the paint's.
FM_API bool fm_drawing_add_cloth(fm_drawing *drawing, fm_cloth *cloth, const fm_paint *paint,
                                 const fm_coloring *coloring, fm_error *err);
FM_API bool fm_drawing_add_spheres(fm_drawing *drawing, const float *centres, const float *radii,
                                   int count, const fm_paint *paint, fm_error *err);
// Adds a round tube of the given radius through the points.
FM_API bool fm_drawing_add_line(fm_drawing *drawing, const float *points, int count, double radius,
                                const fm_paint *paint, fm_error *err);
// Adds a collider's shape. Planes are skipped: the renderer draws the floor.
FM_API bool fm_drawing_add_shape(fm_drawing *drawing, const fm_shape *shape, const fm_paint *paint,
                                 fm_error *err);

// Adds a collider, shape or mesh, at the pose its motion gives it at `time` (s).
FM_API bool fm_drawing_add_collider(fm_drawing *drawing, const fm_collider *collider, double time,
                                    const fm_paint *paint, fm_error *err);

// Adds a figure at `time` (s) as one smooth skin. Where cloth that was added before would lie under
// the skin, the skin is pushed inwards below the cloth.
FM_API bool fm_drawing_add_figure(fm_drawing *drawing, const fm_figure *figure, double time,
                                  const fm_paint *paint, fm_error *err);

// Options for the surface reconstructed from the particles of a fluid: a smooth closed mesh. A
// fluid of one layer of particles, as in 2D, becomes a slab. See docs/pictures.md.
typedef struct fm_fluid_mesh_def {
    double spacing; // m, rest distance of the particles; 0: estimated from their positions
    double cells;   // grid cells per particle spacing, 1 to 16
    int smoothing;  // iterations of volume-preserving (Taubin) smoothing
    int threads;    // 0: one per processor; the result does not depend on it
    // [count] m, signed distance of the particles to the free surface, negative in the liquid, and
    // to walls, positive in the liquid, as in the fields "level" and "wall" of liquids; NULL: not
    // known. The mesh follows them where it can, and is as smooth as they are.
    const float *level, *wall;
} fm_fluid_mesh_def;

FM_API fm_fluid_mesh_def fm_default_fluid_mesh_def(void);
// points: m, [3 * count]. Returns triangles with outward unit normals in the field "normal", empty
// if there are no particles. The caller destroys the surface. NULL with err filled on failure.
FM_API fm_surface *fm_fluid_mesh_create(const float *points, int count,
                                        const fm_fluid_mesh_def *def, fm_error *err);
// The surface reconstruction as a callback for exports; def must outlive the mesher.
FM_API fm_mesher fm_fluid_mesher(const fm_fluid_mesh_def *def);
// Foam and spray of a fluid in 3D (src/draw/foam.c). A particle at the surface entrains air where
// fluid moves against itself; one with little fill is spray.
typedef struct fm_foam_particle {
    float air;       // 0 to 1, entrained in this frame
    float fill;      // 0 to 1, of the neighbourhood by other particles
    float normal[3]; // outwards; of length 1 at crests, 0 inside the fluid
} fm_foam_particle;
// Computes `found` [count] from positions, m, and velocities, m/s, [3 * count] of one frame.
// spacing: m, of the particles; threads: 0: one per processor.
FM_API bool fm_foam_find_air(const float *points, const float *velocities, int count,
                             double spacing, int threads, fm_foam_particle *found, fm_error *err);
// White points around particles. Those of one id move with it from frame to frame.
typedef struct fm_foam_def {
    const float *points, *velocities; // [3 * count] m, m/s
    const fm_foam_particle *found;    // [count]
    const float *foam;                // [count] 0 to 1
    const bool *spray;                // [count] drawn as drops instead of foam
    const int *ids;                   // [count]
    int count;
    double spacing; // m, of the particles
    double amount;  // factor on the number of points
} fm_foam_def;
FM_API bool fm_drawing_add_foam(fm_drawing *drawing, const fm_foam_def *def, fm_error *err);

// Adds the surface of a fluid. The particle spacing replaces the paint's thickness, the distance
// below which solids count as wet.
FM_API bool fm_drawing_add_fluid(fm_drawing *drawing, const float *points, int count,
                                 const fm_fluid_mesh_def *def, const fm_paint *paint,
                                 fm_error *err);

// Adds the plane at coordinate `at` (m) across an axis (0: x, 1: y, 2: z) through cells around the
// points of a lattice, coloured by the values at the points.
FM_API bool fm_drawing_add_slice(fm_drawing *drawing, const fm_lattice *lattice, int axis,
                                 double at, const fm_paint *paint, const fm_coloring *coloring,
                                 fm_error *err);

// A cloud such as smoke: concentrations at the points of a lattice.
typedef struct fm_cloud_def {
    const float *values; // copied
    fm_lattice lattice;
    fm_color color;    // of the light that it scatters
    double extinction; // 1/m, of concentration 1
} fm_cloud_def;
// Sets the cloud of a drawing; a later one replaces it.
FM_API bool fm_drawing_add_cloud(fm_drawing *drawing, const fm_cloud_def *def, fm_error *err);

// Adds tapered streaks from tails to heads, m, [3 * count]. coloring (may be NULL): one value per
// streak.
FM_API bool fm_drawing_add_streaks(fm_drawing *drawing, const float *heads, const float *tails,
                                   int count, double radius, const fm_paint *paint,
                                   const fm_coloring *coloring, fm_error *err);

FM_API int fm_drawing_triangle_count(const fm_drawing *drawing);
// Number of points left out because they are not finite.
FM_API int fm_drawing_dropped_count(const fm_drawing *drawing);

// Grows the bounding box by all points that are finite.
FM_API void fm_bounds_add(fm_bounds *bounds, const float *points, int count);

// A perspective camera.
typedef struct fm_camera {
    fm_vec3 position, target, up; // m
    double field_of_view;         // radians, vertical
    double aperture;              // m, diameter of the lens; 0: a pinhole, everything is sharp
    double focus;                 // m, distance of the plane in focus; 0: the target's distance
} fm_camera;

// Returns a camera that has all of the bounds in view. azimuth, elevation: degrees, direction from
// the target to the camera; azimuth 0 looks along -z, larger values move the camera towards +x,
// positive elevations move it up. aspect: width over height of the picture.
FM_API fm_camera fm_camera_frame(const fm_bounds *bounds, double azimuth, double elevation,
                                 double aspect);

#ifdef __cplusplus
}
#endif

#endif
