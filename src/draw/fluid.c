// SPDX-License-Identifier: MIT
// fluid.c: the surface of a fluid, from its particles.
//
//     particles -> ellipsoids (kernels.c) -> field on blocks (level.c) -> triangles (march.c)
//               -> less bumps (fair.c)
//
// All of it in spacings of the particles, from an origin that lies on a grid fixed in space: a
// particle that comes or goes elsewhere does not move the cells. A fluid of one layer, as those in
// 2D are, is drawn as a slab: the layer is repeated a few times in front and behind.
#include "draw/fluid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAYERS = 5,    // of a slab
    SAMPLES = 999, // particles looked at for the middle of all
    PROBES = 64,   // particles whose nearest neighbour is looked for
};

static const double FAR = 1e5; // spacings from the middle: what is farther is not drawn

fm_fluid_mesh_def fm_default_fluid_mesh_def(void)
{
    return (fm_fluid_mesh_def){.cells = 2, .smoothing = 10};
}

static bool check_def(const fm_fluid_mesh_def *def, fm_error *err)
{
    if (!(def->spacing >= 0 && def->spacing < 1e9))
        return fm_fail_number(err, "fluid", "spacing", def->spacing, "0 to 1e9 m");
    if (!(def->cells >= 1 && def->cells <= 16))
        return fm_fail_number(err, "fluid", "cells", def->cells, "1 to 16 for a spacing");
    if (def->smoothing < 0 || def->smoothing > 1000)
        return fm_fail_number(err, "fluid", "smoothing", def->smoothing, "0 to 1000 steps");
    if (def->threads < 0 || def->threads > 256)
        return fm_fail_number(err, "fluid", "threads", def->threads, "0 to 256");
    return true;
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// A point in the middle of the particles, which a few that flew off do not move. False: none is
// finite.
static bool find_middle(const float *points, int count, double middle[3])
{
    float sample[SAMPLES];
    int stride = count / SAMPLES + 1;
    for (int axis = 0; axis < 3; axis++) {
        int found = 0;
        for (int i = 0; i < count && found < SAMPLES; i += stride)
            if (fm_point_is_finite(points + 3 * (size_t)i))
                sample[found++] = points[3 * (size_t)i + axis];
        if (found == 0)
            return false;
        qsort(sample, (size_t)found, sizeof *sample, compare);
        middle[axis] = sample[found / 2];
    }
    return true;
}

static double nearest_square(const float *points, int count, int i)
{
    const float *p = points + 3 * (size_t)i;
    double least = INFINITY;
    for (int j = 0; j < count; j++) {
        const float *q = points + 3 * (size_t)j;
        double dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
        double square = dx * dx + dy * dy + dz * dz;
        if (j != i && square > 0 && square < least)
            least = square;
    }
    return least;
}

// From the distance to the nearest particle, for some of them; 0.01 m for one alone.
static double guess_spacing(const float *points, int count)
{
    float found[PROBES];
    int n = 0, stride = count / PROBES + 1;
    for (int i = 0; i < count && n < PROBES; i += stride) {
        double square = nearest_square(points, count, i);
        if (isfinite(square))
            found[n++] = (float)sqrt(square);
    }
    if (n == 0)
        return 0.01;
    qsort(found, (size_t)n, sizeof *found, compare);
    return 1.1 * found[n / 2]; // in disorder the nearest is nearer than most
}

typedef struct cloud {
    fm_arena arena;
    int count;
    double *x, *y, *z; // spacings from the origin
    double origin[3];  // m
    double spacing;    // m
    int layers;        // of each particle: LAYERS if they are a slab, else 1
} cloud;

static bool is_layer(const float *points, int count, double spacing)
{
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (!fm_point_is_finite(points + 3 * (size_t)i))
            continue;
        low = fm_min(low, points[3 * (size_t)i + 2]);
        high = fm_max(high, points[3 * (size_t)i + 2]);
    }
    return count > 2 && high - low < 1e-3 * spacing;
}

// Copies what is finite and near; the rest is counted.
static bool fill_cloud(cloud *c, const float *points, int count, double cell, int *dropped,
                       fm_error *err)
{
    double middle[3], grid = c->spacing * cell * FM_BLOCK;
    if (!find_middle(points, count, middle)) {
        *dropped = count;
        return true;
    }
    int layers = c->layers = is_layer(points, count, c->spacing) ? LAYERS : 1;
    if (count > INT32_MAX / 2 / layers)
        return fm_fail_number(err, "fluid", "particles", count, "fewer");
    size_t n = (size_t)count * (size_t)layers;
    c->x = fm_arena_alloc(&c->arena, n, sizeof(double), "fluid", err);
    c->y = fm_arena_alloc(&c->arena, n, sizeof(double), "fluid", err);
    c->z = fm_arena_alloc(&c->arena, n, sizeof(double), "fluid", err);
    for (int axis = 0; axis < 3; axis++)
        c->origin[axis] = grid * floor(middle[axis] / grid);
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        const float *p = points + 3 * (size_t)i;
        double at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = (p[axis] - c->origin[axis]) / c->spacing;
        bool near = fabs(at[0]) < FAR && fabs(at[1]) < FAR && fabs(at[2]) < FAR;
        *dropped += !near;
        for (int k = 0; near && k < layers; k++, c->count++) {
            c->x[c->count] = at[0];
            c->y[c->count] = at[1];
            c->z[c->count] = at[2] + k - (layers - 1) / 2.0;
        }
    }
    return err->status == FM_OK;
}

static void place_points(const cloud *c, fm_triangles *made)
{
    for (int i = 0; i < made->point_count; i++) {
        float *p = made->points + 3 * (size_t)i;
        for (int axis = 0; axis < 3; axis++)
            p[axis] = (float)(c->origin[axis] + c->spacing * p[axis]);
    }
}

static bool make_surface(cloud *c, const fm_fluid_mesh_def *def, fm_triangles *made, fm_error *err)
{
    fm_kernels kernels;
    fm_level level = {0};
    fm_pool *pool = fm_pool_create(def->threads == 0 ? fm_processor_count() : def->threads, err);
    if (pool && fm_kernels_compute(&kernels, &c->arena, pool, c->x, c->y, c->z, c->count, err) &&
        fm_level_compute(&level, &kernels, 1 / def->cells, pool, err) &&
        fm_level_march(&level, pool, made, err) &&
        fm_triangles_fair(made, def->smoothing, pool, err))
        place_points(c, made);
    fm_level_free(&level);
    fm_pool_destroy(pool);
    return err->status == FM_OK;
}

void fm_triangles_free(fm_triangles *triangles)
{
    free(triangles->points);
    free(triangles->normals);
    free(triangles->triangles);
    *triangles = (fm_triangles){0};
}

// What is known after a mesh was made.
typedef struct findings {
    double spacing; // m
    int layers;
    int dropped; // particles that are not finite, or too far away
} findings;

static bool make_mesh(const float *points, int count, const fm_fluid_mesh_def *def,
                      fm_triangles *made, findings *found, fm_error *err)
{
    *made = (fm_triangles){0};
    if (err->status != FM_OK || !check_def(def, err))
        return false;
    cloud c = {.spacing = def->spacing > 0 ? def->spacing : guess_spacing(points, count)};
    bool good = count < 1 || fill_cloud(&c, points, count, 1 / def->cells, &found->dropped, err);
    found->spacing = c.spacing;
    found->layers = c.layers;
    if (good && c.count > 0)
        good = make_surface(&c, def, made, err);
    fm_arena_free(&c.arena);
    if (!good)
        fm_triangles_free(made);
    return good;
}

bool fm_fluid_mesh_make(const float *points, int count, const fm_fluid_mesh_def *def,
                        fm_triangles *made, fm_error *err)
{
    findings found = {0};
    return make_mesh(points, count, def, made, &found, err);
}

static bool make_from_hook(const void *context, const float *points, int count, double spacing,
                           fm_triangles *made, fm_error *err)
{
    fm_fluid_mesh_def def = *(const fm_fluid_mesh_def *)context;
    if (spacing > 0)
        def.spacing = spacing;
    return fm_fluid_mesh_make(points, count, &def, made, err);
}

fm_mesher fm_fluid_mesher(const fm_fluid_mesh_def *def)
{
    return (fm_mesher){.context = def, .make = make_from_hook};
}

bool fm_drawing_add_fluid(fm_drawing *drawing, const float *points, int count,
                          const fm_fluid_mesh_def *def, const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || drawing);
    fm_triangles made;
    findings found = {0};
    if (!make_mesh(points, count, def, &made, &found, err))
        return false;
    drawing->dropped_count += found.dropped;
    if (made.triangle_count == 0)
        return true;
    fm_mesh *mesh = fm_drawing_add_mesh(drawing, paint, made.point_count, made.triangle_count, err);
    if (mesh) {
        mesh->paint.thickness = (float)found.spacing;
        if (found.layers > 1 && !(paint->depth > 0)) // it is thin, and has a colour nevertheless
            mesh->paint.depth = (float)(2 * found.layers * found.spacing);
        size_t bytes = 3 * (size_t)made.point_count * sizeof(float);
        memcpy(mesh->points, made.points, bytes);
        memcpy(mesh->normals, made.normals, bytes);
        memcpy(mesh->triangles, made.triangles, 3 * (size_t)made.triangle_count * sizeof(int));
    }
    fm_triangles_free(&made);
    return mesh != NULL;
}
