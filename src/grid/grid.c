// SPDX-License-Identifier: MIT
// grid.c: creation of grid fluids from checked definitions, their layout, and loops over rows.
#include "grid/grid.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 1 << 28 };

fm_grid_def fm_default_grid_def(void)
{
    return (fm_grid_def){
        .cells = {32, 32, 32},
        .spacing = 1.0 / 32,
        .density = 1000,
        .viscosity = 1e-3,
        .tolerance = 1e-6,
        .iterations = 100,
        .courant = 0.8,
        .marks = {.everywhere = true, .most = 200000, .seed = 1},
    };
}

// Checks the number of cells along each axis and in all.
static bool check_cells(const fm_grid_def *def, fm_error *err)
{
    double product = 1;
    for (int a = 0; a < 3; a++) {
        if (def->cells[a] < 1 || def->cells[a] > 65536)
            return fm_fail_number(err, def->name, "cells", def->cells[a], "1 to 65536");
        product *= def->cells[a];
    }
    if (product > CELLS_MAX)
        return fm_fail_number(err, def->name, "cells", product, "at most 2^28 in all");
    if (def->cells[0] < 2 || def->cells[1] < 2)
        return fm_fail_number(err, def->name, "cells", 1, "2 or more along x and y");
    return true;
}

static bool check_number(const fm_grid_def *def, const char *field, double value, double low,
                         double high, const char *allowed, fm_error *err)
{
    return (value >= low && value <= high) || fm_fail_number(err, def->name, field, value, allowed);
}

// Checks all numbers of a definition.
static bool check_def(const fm_grid_def *def, fm_error *err)
{
    return check_cells(def, err) &&
           check_number(def, "spacing", def->spacing, 1e-9, 1e6, "1e-9 to 1e6 m", err) &&
           check_number(def, "density", def->density, 1e-6, 1e6, "1e-6 to 1e6 kg/m^3", err) &&
           check_number(def, "viscosity", def->viscosity, 0, 1e6, "0 to 1e6 Pa s", err) &&
           check_number(def, "tolerance", def->tolerance, 1e-12, 0.1, "1e-12 to 0.1", err) &&
           check_number(def, "iterations", def->iterations, 1, 10000, "1 to 10000", err) &&
           check_number(def, "courant", def->courant, 1e-3, 1, "1e-3 to 1", err) &&
           check_number(def, "time_step", def->time_step, 0, 1e3, "0 to 1e3 s", err) &&
           (fm_is_finite(def->low) ||
            fm_fail_vector(err, def->name, "low", def->low, "finite numbers")) &&
           (fm_is_finite(def->acceleration) ||
            fm_fail_vector(err, def->name, "acceleration", def->acceleration, "finite numbers")) &&
           fm_grid_check_sides(def, err) && fm_grid_check_dye(def, err) &&
           fm_grid_check_marks(def, err);
}

// Computes the layout of the arrays from the number of cells.
static void lay_out(fm_grid *g)
{
    g->count = 1;
    for (int a = 0; a < 3; a++) {
        g->n[a] = g->def.cells[a];
        g->active[a] = g->n[a] > 1;
        g->axes += g->active[a];
        g->layers[a] = g->active[a] ? 3 : 1;
        g->size[a] = g->n[a] + 2 * g->layers[a] + 1; // one more for the last face
        g->stride[a] = (ptrdiff_t)g->count;
        g->start += g->layers[a] * g->stride[a];
        g->count *= (size_t)g->size[a];
    }
    g->h = g->def.spacing;
    g->nu = g->def.viscosity / g->def.density;
}

// Allocates all arrays of the fluid and its pressure solver.
static void allocate(fm_grid *g, fm_error *err)
{
    const char *name = g->object.name;
    double **vectors[3] = {g->u, g->old, g->rate};
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            vectors[i][a] = fm_arena_alloc(&g->arena, g->count, sizeof(double), name, err);
    for (int a = 0; a < 3; a++) {
        g->open[a] = fm_arena_alloc(&g->arena, g->count, sizeof(float), name, err);
        if (g->def.diffusion == FM_GRID_IMPLICIT)
            g->extra[a] = fm_arena_alloc(&g->arena, g->count, sizeof(double), name, err);
    }
    for (int i = 0; i < 6 && g->def.diffusion == FM_GRID_IMPLICIT; i++)
        g->solve[i] = fm_arena_alloc(&g->arena, g->count, sizeof(double), name, err);
    g->p = fm_arena_alloc(&g->arena, g->count, sizeof(double), name, err);
    double **dye[3] = {&g->dye.c, &g->dye.old, &g->dye.rate};
    for (int i = 0; i < 3 && g->def.dye.on; i++)
        *dye[i] = fm_arena_alloc(&g->arena, g->count, sizeof(double), name, err);
    g->distance = fm_arena_alloc(&g->arena, g->count, sizeof(double), name, err);
    size_t rows = (size_t)(g->n[1] + 1) * (size_t)(g->n[2] + 1);
    g->partial = fm_arena_alloc(&g->arena, rows, sizeof(double), name, err);
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        int b = (side / 2 + 1) % 3, c = (side / 2 + 2) % 3;
        g->condition[side] =
            fm_arena_alloc(&g->arena, (size_t)g->n[b] * (size_t)g->n[c], 1, name, err);
    }
    bool periodic[3];
    for (int a = 0; a < 3; a++)
        periodic[a] = g->def.sides[2 * a].kind == FM_GRID_PERIODIC;
    g->solver = fm_poisson_create(&g->arena, g->n, periodic, err);
}

// Creates a grid fluid that belongs to no world yet.
fm_grid *fm_grid_create_detached(const fm_grid_def *def, fm_error *err)
{
    assert(def);
    fm_grid_def checked = *def;
    checked.name = def->name ? def->name : "grid";
    if (err->status != FM_OK || !check_def(&checked, err))
        return NULL;
    fm_grid *g = fm_aligned_calloc(1, sizeof *g);
    if (!g) {
        fm_fail_no_memory(err, checked.name, sizeof *g);
        return NULL;
    }
    g->def = checked;
    snprintf(g->object.name, sizeof g->object.name, "%s", checked.name);
    g->def.name = g->object.name;
    g->start_low = g->def.low;
    lay_out(g);
    allocate(g, err);
    if (err->status != FM_OK) {
        fm_grid_destroy(g);
        return NULL;
    }
    fm_grid_prepare_sides(g);
    return g;
}

void fm_grid_destroy(fm_grid *g)
{
    if (!g)
        return;
    free(g->solids.faces);
    free(g->solids.cells);
    free(g->solids.load);
    free(g->ball_motions);
    free(g->pockets.part);
    free(g->pockets.queue);
    free(g->points);
    fm_arena_destroy(&g->arena);
    free(g);
}

fm_vec3 fm_grid_position(const fm_grid *g, double x, double y, double z)
{
    double at[3] = {x, y, z};
    for (int a = 0; a < 3; a++)
        at[a] = g->active[a] ? at[a] : 0.5;
    return fm_add_scaled(g->def.low, (fm_vec3){at[0], at[1], at[2]}, g->h);
}

fm_vec3 fm_grid_centre(const fm_grid *g, int i, int j, int k, int a)
{
    return fm_grid_position(g, i + (a == 0 ? 0 : 0.5), j + (a == 1 ? 0 : 0.5),
                            k + (a == 2 ? 0 : 0.5));
}

// A loop over rows.
typedef struct row_loop {
    fm_grid *g;
    fm_grid_row *body;
    fm_grid_row_sum *sum;
    void *context;
    int length, rows; // rows along y
} row_loop;

// Calls the body of a loop for some of its rows.
static void run_rows(void *context, int first, int last)
{
    row_loop *loop = context;
    for (int row = first; row < last; row++) {
        ptrdiff_t q = fm_grid_index(loop->g, 0, row % loop->rows, row / loop->rows);
        if (loop->body)
            loop->body(loop->g, loop->context, q, loop->length);
        else
            loop->g->partial[row] = loop->sum(loop->g, loop->context, q, loop->length);
    }
}

// Runs a loop over all rows of cells (faces = 3), or of the faces of one velocity component (faces
// = 0, 1, 2). Returns the number of rows. ns: estimated time per cell, ns.
static int run_loop(row_loop *loop, fm_pool *pool, int faces, double ns)
{
    const fm_grid *g = loop->g;
    loop->length = g->n[0] + (faces == 0);
    loop->rows = g->n[1] + (faces == 1);
    int rows = loop->rows * (g->n[2] + (faces == 2));
    fm_parallel_for(fm_grid_share(pool, ns * rows * loop->length), rows, FM_GRID_BLOCK, run_rows,
                    loop);
    return rows;
}

void fm_grid_for_rows(fm_grid *g, fm_pool *pool, int faces, double ns, fm_grid_row *body,
                      void *context)
{
    run_loop(&(row_loop){.g = g, .body = body, .context = context}, pool, faces, ns);
}

// A loop over the rows of faces of all components.
typedef struct face_loop {
    fm_grid *g;
    fm_grid_face_row *body;
    void *context;
    int past[3]; // rows of the components up to and including this one
} face_loop;

// Runs the body for some rows of faces.
static void run_faces(void *context, int first, int last)
{
    face_loop *loop = context;
    fm_grid *g = loop->g;
    for (int i = first; i < last; i++) {
        int d = i < loop->past[0] ? 0 : i < loop->past[1] ? 1 : 2;
        int row = d > 0 ? i - loop->past[d - 1] : i, rows = g->n[1] + (d == 1);
        loop->body(g, loop->context, d, fm_grid_index(g, 0, row % rows, row / rows),
                   g->n[0] + (d == 0));
    }
}

// Runs the body for the rows of faces of all components.
void fm_grid_for_faces(fm_grid *g, fm_pool *pool, double ns, fm_grid_face_row *body, void *context)
{
    face_loop loop = {.g = g, .body = body, .context = context};
    int rows = 0;
    for (int d = 0; d < 3; d++) {
        rows += d == 2 && fm_grid_is_flat(g) ? 0 : (g->n[1] + (d == 1)) * (g->n[2] + (d == 2));
        loop.past[d] = rows;
    }
    fm_parallel_for(fm_grid_share(pool, ns * rows * g->n[0]), rows, FM_GRID_BLOCK, run_faces,
                    &loop);
}

// Adds the results of all rows in their order.
double fm_grid_sum_rows(fm_grid *g, fm_pool *pool, double ns, fm_grid_row_sum *body, void *context)
{
    int rows = run_loop(&(row_loop){.g = g, .sum = body, .context = context}, pool, 3, ns);
    double total = 0;
    for (int i = 0; i < rows; i++)
        total += g->partial[i];
    return total;
}

// The largest result of all rows, at least 0; NaN if one of them is.
double fm_grid_max_rows(fm_grid *g, fm_pool *pool, double ns, fm_grid_row_sum *body, void *context)
{
    int rows = run_loop(&(row_loop){.g = g, .sum = body, .context = context}, pool, 3, ns);
    double largest = 0;
    for (int i = 0; i < rows; i++)
        if (g->partial[i] > largest || isnan(g->partial[i])) // a NaN stays
            largest = g->partial[i];
    return largest;
}
