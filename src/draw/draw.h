// SPDX-License-Identifier: MIT
// draw.h: the inside of a drawing, and vectors in single precision.
#ifndef FATHOM_DRAW_DRAW_H
#define FATHOM_DRAW_DRAW_H

#include "core/core.h"

#include <fathom/draw.h>
#include <math.h>

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

static inline void fm_f3_store(float *p, fm_float3 a)
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

static inline fm_float3 fm_f3_from(fm_vec3 a)
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

static inline fm_float3 fm_f3_mul(fm_float3 a, fm_float3 b)
{
    return (fm_float3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline fm_float3 fm_f3_scale(fm_float3 a, float s)
{
    return (fm_float3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline fm_float3 fm_f3_along(fm_float3 a, float s, fm_float3 b)
{
    return (fm_float3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

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

// A zero vector becomes +y.
static inline fm_float3 fm_f3_unit(fm_float3 a)
{
    float square = fm_f3_dot(a, a);
    if (!(square > 1e-30f) || !isfinite(square))
        return (fm_float3){0, 1, 0};
    return fm_f3_scale(a, 1 / sqrtf(square));
}

static inline fm_float3 fm_f3_color(fm_color c)
{
    return (fm_float3){c.r, c.g, c.b};
}

// Those of libm are calls, for the sake of NaN.
static inline float fm_min(float a, float b)
{
    return a < b ? a : b;
}

static inline float fm_max(float a, float b)
{
    return a > b ? a : b;
}

static inline float fm_clamp01(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static inline float fm_smoothstep(float low, float high, float x)
{
    float t = fm_clamp01((x - low) / (high - low));
    return t * t * (3 - 2 * t);
}

// Triangles of one surface. The first `front_count` show the front, the next as many the back, the
// rest the rim; front_count 0: which side is seen decides.
typedef struct fm_mesh {
    fm_paint paint;
    int point_count, triangle_count, front_count;
    float *points, *normals; // [3 * point_count]
    float *texture;          // m along columns and rows, [2 * point_count], or NULL
    float *colors;           // [3 * point_count] instead of the paint's, or NULL
    int *triangles;          // [3 * triangle_count]
    float extent[2];         // m, of the texture
} fm_mesh;

// Spheres, or a line: points with radii, joined one to the next.
typedef struct fm_beads {
    fm_paint paint;
    int count;
    float *points; // [4 * count]: x y z radius
    float *colors; // [3 * count], or NULL
    bool joined;
} fm_beads;

struct fm_drawing {
    fm_arena arena;
    fm_mesh *meshes;
    int mesh_count, mesh_room;
    fm_beads *beads;
    int bead_count, bead_room;
    int dropped_count;
};

static inline bool fm_point_is_finite(const float *p)
{
    // rays are intersected in single precision: squares must not overflow
    return fabsf(p[0]) < 1e12f && fabsf(p[1]) < 1e12f && fabsf(p[2]) < 1e12f;
}

// Values through which a surface is drawn, while it is being made.
typedef struct fm_patch {
    int point_count, triangle_count;
    float *points, *normals;
    float *texture; // or NULL
    float *values;  // or NULL
    int *triangles;
    float extent[2];
} fm_patch;

// sheet.c: the smooth surface through the points of a sheet.
bool fm_sheet_patch(fm_arena *arena, const fm_polygons *polygons, const float *values, int columns,
                    int rows, fm_patch *patch, fm_error *err);
// surface.c: triangles of any polygons, without those that have a point that is not finite.
bool fm_polygons_patch(fm_arena *arena, const fm_polygons *polygons, const float *values,
                       fm_patch *patch, fm_error *err);
// slab.c: two sides and a rim. thickness 0: the patch as it is.
bool fm_patch_thicken(fm_arena *arena, const fm_patch *patch, const fm_paint *paint, fm_mesh *mesh,
                      fm_error *err);

// shapes.c: a mesh with room for points, normals and triangles, to be filled.
fm_mesh *fm_drawing_add_mesh(fm_drawing *drawing, const fm_paint *paint, int point_count,
                             int triangle_count, fm_error *err);

fm_mesh *fm_drawing_next_mesh(fm_drawing *drawing, fm_error *err);
fm_beads *fm_drawing_next_beads(fm_drawing *drawing, fm_error *err);

#endif
