// SPDX-License-Identifier: MIT
// draw.h: internals of a drawing, and single-precision vectors.
#ifndef FATHOM_DRAW_DRAW_H
#define FATHOM_DRAW_DRAW_H

#include "core/core.h"
#include "geometry/geometry.h"

#include <fathom/draw.h>
#include <math.h>

// A vector or a linear RGB colour in single precision.
typedef struct fm_float3 {
    float x, y, z;
} fm_float3;

static inline fm_float3 fm_f3(float x, float y, float z)
{
    return (fm_float3){x, y, z};
}

static inline fm_float3 fm_f3_load(const float *p)
{
    return (fm_float3){p[0], p[1], p[2]};
}

// Writes the components of a to p[0], p[1], p[2].
static inline void fm_f3_store(float *p, fm_float3 a)
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

static inline fm_float3 fm_f3_from_vec3(fm_vec3 a)
{
    return (fm_float3){(float)a.x, (float)a.y, (float)a.z};
}

static inline fm_float3 fm_f3_add(fm_float3 a, fm_float3 b)
{
    return (fm_float3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline fm_float3 fm_f3_sub(fm_float3 a, fm_float3 b)
{
    return (fm_float3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// Product of components.
static inline fm_float3 fm_f3_mul(fm_float3 a, fm_float3 b)
{
    return (fm_float3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline fm_float3 fm_f3_scale(fm_float3 a, float s)
{
    return (fm_float3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline fm_float3 fm_f3_add_scaled(fm_float3 a, float s, fm_float3 b)
{
    return (fm_float3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// Linear interpolation from a (t = 0) to b (t = 1).
static inline fm_float3 fm_f3_mix(fm_float3 a, fm_float3 b, float t)
{
    return (fm_float3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static inline float fm_f3_dot(fm_float3 a, fm_float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline fm_float3 fm_f3_cross(fm_float3 a, fm_float3 b)
{
    return (fm_float3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float fm_f3_length(fm_float3 a)
{
    return sqrtf(fm_f3_dot(a, a));
}

// Normalises a; a zero or overflowing vector becomes +y.
static inline fm_float3 fm_f3_unit(fm_float3 a)
{
    float square = fm_f3_dot(a, a);
    const float tiny = 1e-30f; // smaller squares cannot be inverted accurately
    if (!(square > tiny) || !isfinite(square))
        return (fm_float3){0, 1, 0};
    return fm_f3_scale(a, 1 / sqrtf(square));
}

static inline fm_float3 fm_f3_from_color(fm_color c)
{
    return (fm_float3){c.r, c.g, c.b};
}

// Minimum and maximum, inlined without NaN handling, unlike fminf and fmaxf, which compile to
// calls.
static inline float fm_float_min(float a, float b)
{
    return a < b ? a : b;
}

static inline float fm_float_max(float a, float b)
{
    return a > b ? a : b;
}

static inline float fm_float_clamp01(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// 0 below `low`, 1 above `high`, and a smooth cubic in between.
static inline float fm_float_smoothstep(float low, float high, float x)
{
    float t = fm_float_clamp01((x - low) / (high - low));
    return t * t * (3 - 2 * t);
}

// Triangles of one surface. The first `front_count` are the front side, the next `front_count` the
// back side, the others the strip along the border that joins the two. front_count 0: a single
// layer of triangles, whose two sides are told apart by the direction of view.
typedef struct fm_triangle_mesh {
    fm_paint paint;
    int point_count, triangle_count, front_count;
    float *points, *normals; // [3 * point_count], m, unit vectors
    float *texture;          // [2 * point_count], m along columns and rows, or NULL
    float *corner_texture;   // [6 * front_count], of the corners of a mesh's faces, or NULL
    float *colors;           // [3 * point_count], replaces the paint's colours, or NULL
    int *triangles;          // [3 * triangle_count]
    float extent[2];         // m, largest texture coordinates
} fm_triangle_mesh;

// Separate spheres or, where `joined`, a round tube through their centres.
typedef struct fm_sphere_list {
    fm_paint paint;
    int count;
    float *points; // [4 * count]: x y z radius, m
    float *colors; // [3 * count], or NULL
    bool joined;
    bool paired; // joined: a tube through every two points, not through all
} fm_sphere_list;

struct fm_drawing {
    fm_arena arena;
    fm_triangle_mesh *meshes;
    int mesh_count, mesh_capacity; // number of meshes, and space allocated for them
    fm_sphere_list *sphere_lists;
    int sphere_list_count, sphere_list_capacity;
    fm_cloud_def cloud; // values NULL: none
    int dropped_count;  // points that were left out because they are not finite
};

// m, largest coordinate and radius that can be drawn. Rays are intersected in single precision,
// where squares of coordinates must not overflow.
static const float FM_DRAWING_SIZE_MAX = 1e12f;

// True if the point can be drawn.
static inline bool fm_drawing_point_is_finite(const float *p)
{
    const float limit = FM_DRAWING_SIZE_MAX;
    return fabsf(p[0]) < limit && fabsf(p[1]) < limit && fabsf(p[2]) < limit;
}

// Input of a drawn surface: a mesh, with its points converted to single precision.
typedef struct fm_surface_input {
    const fm_mesh_view *mesh;
    const float *points; // [3 * point_count]
    const float *values; // [point_count], mapped to colours, or NULL
    double spacing[2]; // m, rest spacing of a sheet's columns and rows; 0: measured from its points
} fm_surface_input;

// A triangulated surface without thickness; fm_thin_surface_thicken turns it into a drawn mesh.
typedef struct fm_thin_surface {
    int point_count, triangle_count;
    float *points, *normals; // [3 * point_count], m, unit vectors
    float *texture;          // [2 * point_count], m at rest along columns and rows, or NULL
    float *corner_texture;   // [6 * triangle_count], of the corners of a mesh's faces, or NULL
    float *values;           // [point_count], to be mapped to colours, or NULL
    int *triangles;
    float extent[2]; // m, largest texture coordinates
} fm_thin_surface;

// sheet_spline.c: the spline surface through the points of a sheet.
bool fm_thin_surface_from_sheet(fm_arena *arena, const fm_surface_input *input, int columns,
                                int rows, fm_thin_surface *thin, fm_error *err);
// thin_surface.c: triangulates polygons, skipping those with a point that is not finite.
bool fm_thin_surface_from_faces(fm_arena *arena, const fm_surface_input *input,
                                fm_thin_surface *thin, fm_error *err);
// Offsets the surface to both sides and joins the two along the border. Thickness 0: the surface as
// it is.
bool fm_thin_surface_thicken(fm_arena *arena, const fm_thin_surface *thin, const fm_paint *paint,
                             fm_triangle_mesh *mesh, fm_error *err);

// shapes.c: appends a mesh with zeroed points, normals and triangles for the caller to fill.
fm_triangle_mesh *fm_drawing_create_mesh(fm_drawing *drawing, const fm_paint *paint,
                                         int point_count, int triangle_count, fm_error *err);

// collider.c: adds the triangles of a mesh collider, transformed by a pose.
struct fm_trimesh;
struct fm_pose;
bool fm_drawing_add_trimesh(fm_drawing *drawing, const struct fm_trimesh *triangles,
                            const struct fm_pose *pose, const fm_paint *paint, fm_error *err);

// drawing.c: append one zeroed element to the drawing.
fm_triangle_mesh *fm_drawing_append_mesh(fm_drawing *drawing, fm_error *err);
fm_sphere_list *fm_drawing_append_spheres(fm_drawing *drawing, fm_error *err);

#endif
