// SPDX-License-Identifier: MIT
// fluid_surface.c: reconstructs the surface of a fluid from its particles.
//
//     fluid_kernels.c     particles -> anisotropic kernels (ellipsoids)
//     fluid_field.c       kernels -> scalar field on a sparse grid of blocks
//     marching_cubes.c    field -> triangles
//     fluid_cavities.c    triangles -> triangles without small cavities
//     taubin_smoothing.c  triangles -> smoother triangles
//     fluid_levels.c      triangles -> triangles on level set and walls, where these are known
//
// All lengths are in units of the particle spacing. The origin is rounded to a multiple of the
// block size, so that the grid stays fixed in space when particles appear or vanish elsewhere. A
// fluid of one layer of particles, as in 2D, is drawn as a slab: the layer is repeated along z.
#include "draw/fluid_surface.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLAB_LAYERS = 5,      // copies of a 2D layer that make a slab
    MEDIAN_SAMPLES = 999, // at most this many particles are used for the median position
    SPACING_SAMPLES = 64, // at most this many nearest-neighbour distances are measured
};

// spacings from the origin; particles farther away are not drawn
static const double DISTANCE_MAX = 1e5;
// spacings; particles whose z coordinates differ by less than this are one layer
static const double LAYER_THICKNESS = 1e-3;
// particle volumes; smaller cavities are gaps between particles, not bubbles
static const double CAVITY_MAX = 64;

fm_fluid_mesh_def fm_default_fluid_mesh_def(void)
{
    return (fm_fluid_mesh_def){.cells = 2, .smoothing = 10};
}

// Checks spacing, cells per spacing, smoothing steps and threads.
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

// Order of two floats, for qsort.
static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The median position of the particles, which a few outliers do not change, from a sample of at
// most MEDIAN_SAMPLES of them. False if no particle of the sample is finite.
static bool find_median(const float *points, int count, double middle[3])
{
    float sample[MEDIAN_SAMPLES];
    int stride = count / MEDIAN_SAMPLES + 1;
    for (int axis = 0; axis < 3; axis++) {
        int found = 0;
        for (int i = 0; i < count && found < MEDIAN_SAMPLES; i += stride)
            if (fm_drawing_point_is_finite(points + 3 * (size_t)i))
                sample[found++] = points[3 * (size_t)i + axis];
        if (found == 0)
            return false;
        qsort(sample, (size_t)found, sizeof *sample, compare_floats);
        middle[axis] = sample[found / 2];
    }
    return true;
}

// Square of the distance from particle i to its nearest neighbour; INFINITY without one.
static double nearest_distance_squared(const float *points, int count, int i)
{
    const float *p = points + 3 * (size_t)i;
    double nearest = INFINITY;
    for (int j = 0; j < count; j++) {
        const float *q = points + 3 * (size_t)j;
        double dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
        double square = dx * dx + dy * dy + dz * dz;
        if (j != i && square > 0 && square < nearest)
            nearest = square;
    }
    return nearest;
}

// Estimates the particle spacing, m: 1.1 times the median distance of a particle to its nearest
// neighbour, which in a disordered fluid is closer than the mean spacing; 0.01 m for a single
// particle.
static double estimate_spacing(const float *points, int count)
{
    float found[SPACING_SAMPLES];
    int n = 0, stride = count / SPACING_SAMPLES + 1;
    for (int i = 0; i < count && n < SPACING_SAMPLES; i += stride) {
        double square = nearest_distance_squared(points, count, i);
        if (isfinite(square))
            found[n++] = (float)sqrt(square);
    }
    if (n == 0)
        return 0.01;
    qsort(found, (size_t)n, sizeof *found, compare_floats);
    return 1.1 * found[n / 2];
}

// The particles to be drawn.
typedef struct particle_cloud {
    fm_arena arena;
    int count;
    double *x, *y, *z; // [count], relative to the origin, in spacings
    float *levels[2];  // [count], distance to the free surface and to walls, spacings; or NULL
    double origin[3];  // m, of these positions
    double spacing;    // m, of the particles
    int layers;        // copies of each particle: SLAB_LAYERS for a 2D layer, else 1
} particle_cloud;

// True if all particles lie in one plane z = const, as those of a 2D fluid.
static bool is_layer(const float *points, int count, double spacing)
{
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (!fm_drawing_point_is_finite(points + 3 * (size_t)i))
            continue;
        low = fm_float_min(low, points[3 * (size_t)i + 2]);
        high = fm_float_max(high, points[3 * (size_t)i + 2]);
    }
    return count > 2 && high - low < LAYER_THICKNESS * spacing;
}

// Copies the particles that are finite and within DISTANCE_MAX of the median; adds the others to
// `dropped`. levels: m, of the particles, or NULL; cell: side of a grid cell, spacings.
static bool fill_cloud(particle_cloud *c, const float *points, int count,
                       const float *const levels[2], double cell, int *dropped, fm_error *err)
{
    double middle[3], block = c->spacing * cell * FM_FIELD_BLOCK_SIDE;
    if (!find_median(points, count, middle)) {
        *dropped = count;
        return true;
    }
    int layers = c->layers = is_layer(points, count, c->spacing) ? SLAB_LAYERS : 1;
    if (count > INT32_MAX / 2 / layers)
        return fm_fail_number(err, "fluid", "particles", count, "fewer");
    size_t n = (size_t)count * (size_t)layers;
    c->x = fm_arena_alloc(&c->arena, n, sizeof(double), "fluid", err);
    c->y = fm_arena_alloc(&c->arena, n, sizeof(double), "fluid", err);
    c->z = fm_arena_alloc(&c->arena, n, sizeof(double), "fluid", err);
    for (int k = 0; k < 2; k++)
        c->levels[k] = levels[k] ? fm_arena_alloc(&c->arena, n, sizeof(float), "fluid", err) : NULL;
    for (int axis = 0; axis < 3; axis++)
        c->origin[axis] = block * floor(middle[axis] / block);
    for (int i = 0; i < count && err->status == FM_OK; i++) {
        const float *p = points + 3 * (size_t)i;
        double at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = (p[axis] - c->origin[axis]) / c->spacing;
        bool near =
            fabs(at[0]) < DISTANCE_MAX && fabs(at[1]) < DISTANCE_MAX && fabs(at[2]) < DISTANCE_MAX;
        *dropped += !near;
        for (int k = 0; near && k < layers; k++, c->count++) {
            c->x[c->count] = at[0];
            c->y[c->count] = at[1];
            c->z[c->count] = at[2] + k - (layers - 1) / 2.0;
            for (int m = 0; m < 2; m++)
                if (c->levels[m])
                    c->levels[m][c->count] = levels[m][i] / (float)c->spacing;
        }
    }
    return err->status == FM_OK;
}

// Converts the vertices from spacings relative to the origin to metres.
static void convert_to_metres(const particle_cloud *c, fm_surface *surface)
{
    for (int i = 0; i < surface->point_count; i++) {
        float *p = surface->points + 3 * (size_t)i;
        for (int axis = 0; axis < 3; axis++)
            p[axis] = (float)(c->origin[axis] + c->spacing * p[axis]);
    }
}

// Runs the stages of the reconstruction: kernels, scalar field, marching cubes, smoothing.
static fm_surface *create_surface(particle_cloud *c, const fm_fluid_mesh_def *def, fm_error *err)
{
    fm_fluid_kernels kernels;
    fm_fluid_field field = {0};
    fm_surface *surface = NULL;
    fm_pool *pool =
        fm_pool_create(def->threads == 0 ? fm_pool_processor_count() : def->threads, err);
    if (pool &&
        fm_fluid_kernels_compute(&kernels, &c->arena, pool, c->x, c->y, c->z, c->count, err) &&
        fm_fluid_field_compute(&field, &kernels, 1 / def->cells, pool, err))
        surface = fm_fluid_field_extract_surface(&field, pool, err);
    if (surface && fm_surface_remove_cavities(surface, CAVITY_MAX, err) &&
        fm_surface_smooth(surface, def->smoothing, pool, err) &&
        fm_surface_move_to_levels(surface, &kernels, c->x, c->y, c->z,
                                  (const float *[2]){c->levels[0], c->levels[1]}, &c->arena, pool,
                                  err))
        convert_to_metres(c, surface);
    fm_fluid_field_destroy(&field);
    fm_pool_destroy(pool);
    return surface;
}

// Facts about a reconstruction that the caller of create_mesh needs.
typedef struct mesh_info {
    double spacing; // m, of the particles
    int layers;     // copies of each particle: more than 1 for a 2D layer
    int dropped;    // particles that are not finite or farther than DISTANCE_MAX
} mesh_info;

// Reconstructs the surface of particles at points (x y z each, m); it is empty if none can be
// drawn. found: receives spacing, layers and dropped particles.
static fm_surface *create_mesh(const float *points, int count, const fm_fluid_mesh_def *def,
                               mesh_info *found, fm_error *err)
{
    if (err->status != FM_OK || !check_def(def, err))
        return NULL;
    particle_cloud c = {.spacing =
                            def->spacing > 0 ? def->spacing : estimate_spacing(points, count)};
    fm_surface *surface = NULL;
    bool good =
        count < 1 || fill_cloud(&c, points, count, (const float *[2]){def->level, def->wall},
                                1 / def->cells, &found->dropped, err);
    found->spacing = c.spacing;
    found->layers = c.layers;
    if (good && c.count > 0)
        surface = create_surface(&c, def, err);
    else if (good)
        surface = fm_surface_create("fluid", &(fm_mesh_size){0}, NULL, 0, err);
    fm_arena_destroy(&c.arena);
    if (err->status == FM_OK)
        return surface;
    fm_surface_destroy(surface);
    return NULL;
}

// Reconstructs the surface of a fluid from its particles at points (x y z each, m).
fm_surface *fm_fluid_mesh_create(const float *points, int count, const fm_fluid_mesh_def *def,
                                 fm_error *err)
{
    mesh_info found = {0};
    return create_mesh(points, count, def, &found, err);
}

// The callback of fm_fluid_mesher. spacing: m, 0: that of the definition.
static fm_surface *create_from_callback(const void *context, const fm_surface *particles,
                                        double spacing, fm_error *err)
{
    fm_fluid_mesh_def def = *(const fm_fluid_mesh_def *)context;
    if (spacing > 0)
        def.spacing = spacing;
    def.level = fm_surface_values(particles, "level", 1);
    def.wall = fm_surface_values(particles, "wall", 1);
    return fm_fluid_mesh_create(particles->points, particles->point_count, &def, err);
}

// The surface reconstruction as a callback for exports; def must outlive the mesher.
fm_mesher fm_fluid_mesher(const fm_fluid_mesh_def *def)
{
    return (fm_mesher){.context = def, .make = create_from_callback};
}

// Adds the reconstructed surface of a fluid's particles to the drawing.
bool fm_drawing_add_fluid(fm_drawing *drawing, const float *points, int count,
                          const fm_fluid_mesh_def *def, const fm_paint *paint, fm_error *err)
{
    assert(err->status != FM_OK || drawing);
    mesh_info found = {0};
    fm_surface *surface = create_mesh(points, count, def, &found, err);
    if (!surface)
        return false;
    drawing->dropped_count += found.dropped;
    fm_triangle_mesh *mesh = NULL;
    if (surface->face_count > 0)
        mesh =
            fm_drawing_create_mesh(drawing, paint, surface->point_count, surface->face_count, err);
    if (mesh) {
        mesh->paint.thickness = (float)found.spacing;
        // a slab is thin: its transmittance holds for twice its thickness, so that colour shows
        if (found.layers > 1 && !(paint->depth > 0))
            mesh->paint.depth = (float)(2 * found.layers * found.spacing);
        size_t bytes = 3 * (size_t)surface->point_count * sizeof(float);
        memcpy(mesh->points, surface->points, bytes);
        memcpy(mesh->normals, surface->fields[0].values, bytes);
        memcpy(mesh->triangles, surface->face_points,
               3 * (size_t)surface->face_count * sizeof(int));
    }
    fm_surface_destroy(surface);
    return err->status == FM_OK;
}
