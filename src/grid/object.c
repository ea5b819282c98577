// SPDX-License-Identifier: MIT
// object.c: the object type of grid fluids: the functions through which worlds, file writers and
// probes use one, and the public functions.
#include "core/simd.h"
#include "grid/grid.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fm_grid *grid_of(const fm_object *object)
{
    return (fm_grid *)object;
}

static bool advance(fm_object *object, const fm_surroundings *around, double interval,
                    int *substeps, fm_error *err)
{
    return fm_grid_advance(grid_of(object), around, interval, substeps, err);
}

static double longest_step(fm_object *object, const fm_surroundings *around, fm_error *err)
{
    return fm_grid_prepare(grid_of(object), around, err)
               ? fm_grid_find_step(grid_of(object), around)
               : INFINITY;
}

// Tells how many substeps `duration` seconds will take, and what would make them fewer.
static void forecast(fm_object *object, const fm_surroundings *around, double duration,
                     fm_forecast *f, fm_error *err)
{
    const fm_grid *g = grid_of(object);
    double step = longest_step(object, around, err), count = ceil(duration / step);
    if (err->status != FM_OK || !fm_forecast_raise_substeps(f, count))
        return;
    snprintf(
        f->text, sizeof f->text,
        "%s: %.3g substeps of %.3g s, for its spacing is %.3g m and its viscosity %.3g Pa s. A "
        "larger spacing, slower flow or implicit diffusion help",
        object->name, count, step, g->h, g->def.viscosity);
}

static fm_medium find_properties(const fm_object *object)
{
    const fm_grid_def *def = &grid_of(object)->def;
    return (fm_medium){.density = def->density, .viscosity = def->viscosity};
}

// Two to three patches of a body per face of a cell are enough (sheets.c): their edges may be 1.2
// spacings long, 0.75 (world/coupling.c) of this.
static double find_resolution(const fm_object *object)
{
    return 1.6 * grid_of(object)->h;
}

static bool check_coupling(const fm_object *object, fm_coupling_way way, const char *body,
                           fm_error *err)
{
    (void)object, (void)way, (void)body, (void)err;
    return true; // bodies can be in every grid fluid, in every way
}

static bool attach(fm_object *object, fm_samples *samples, fm_error *err)
{
    return fm_grid_attach_samples(grid_of(object), samples,
                                  fm_world_surroundings(object->world).gravity, err);
}

// Reads a field of the fluid at a point, m.
static bool probe(fm_object *object, const char *field, fm_vec3 at, double values[3], fm_error *err)
{
    const fm_grid *g = grid_of(object);
    if (strcmp(field, "pressure") == 0) {
        values[0] = fm_grid_pressure_at(g, at);
        return true;
    }
    if (strcmp(field, "dye") == 0 && g->def.dye.on) {
        values[0] = fm_grid_dye_at(g, at);
        return true;
    }
    if (strcmp(field, "velocity") != 0)
        return fm_fail(err, FM_BAD_VALUE, object->name, "field", field,
                       g->def.dye.on ? "velocity, pressure or dye" : "velocity or pressure");
    fm_vec3 u = fm_grid_probe_velocity(g, at);
    values[0] = u.x, values[1] = u.y, values[2] = u.z;
    return true;
}

static const fm_field quantities[] = {
    {"divergence", "", "largest divergence x spacing / fastest speed, after the last substep", 1},
    {"pressure_iterations", "", "of the pressure solver in the last substep", 1},
    {"kinetic_energy", "J", "of the fluid; one cell thick counts its thickness", 1},
    {"max_speed", "m/s", "largest component of the velocity", 1},
    {"time_step", "s", "of the last substep", 1},
    {"load_x", "N", "force on the colliders along x, mean since the last row; needs `loads`", 1},
    {"load_y", "N", "the same along y", 1},
    {"load_z", "N", "the same along z", 1},
    {"dye", "m^3", "concentration of the dye times volume, summed", 1},
};

// Sum over a row of cells of A u^2 at the low and high faces along all axes, m^2/s^2. A: open
// fraction of the face.
FM_SIMD_CLONES static double add_energy_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    double total = 0;
    for (int a = 0; a < 3; a++) {
        const double *low = g->u[a] + q, *high = low + g->stride[a];
        const float *open_low = g->open[a] + q, *open_high = open_low + g->stride[a];
#pragma omp simd reduction(+ : total)
        for (int i = 0; i < length; i++)
            total += open_low[i] * low[i] * low[i] + open_high[i] * high[i] * high[i];
    }
    return total;
}

// Sum over a row of cells of the mean of A u at the two faces along an axis, m/s.
static double add_momentum_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    int a = *(int *)context;
    const double *low = g->u[a] + q, *high = low + g->stride[a];
    const float *open_low = g->open[a] + q, *open_high = open_low + g->stride[a];
    double total = 0;
    for (int i = 0; i < length; i++)
        total += 0.5 * (open_low[i] * low[i] + open_high[i] * high[i]);
    return total;
}

// Momentum of the fluid, kg m/s.
static fm_vec3 find_momentum(fm_grid *g, fm_pool *pool)
{
    double sum[3], mass = g->def.density * g->h * g->h * g->h;
    for (int a = 0; a < 3; a++)
        sum[a] = mass * fm_grid_sum_rows(g, pool, 1, add_momentum_row, &a);
    return (fm_vec3){sum[0], sum[1], sum[2]};
}

// Number of the first cell with a NaN or an infinite value; -1: none.
static int find_bad_cell(const fm_grid *g)
{
    for (int k = 0; k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++) {
                ptrdiff_t q = fm_grid_index(g, i, j, k);
                if (!isfinite(g->u[0][q] + g->u[1][q] + g->u[2][q] + g->p[q]))
                    return i + g->n[0] * (j + g->n[1] * k);
            }
    return -1;
}

// Measures the fluid for the report of a world; q: also the quantities above.
static void measure(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    fm_grid *g = grid_of(object);
    fm_vec3 impulse = fm_sub(g->stats.load, g->at_reset.load);
    double inside, energy = 0.25 * g->def.density * g->h * g->h * g->h *
                            fm_grid_sum_rows(g, around->pool, 4, add_energy_row, NULL);
    fm_vec3 momentum =
        fm_sub(find_momentum(g, around->pool), fm_grid_measure_balls(g, around, &inside));
    energy -= inside;
    *m = (fm_measure){
        .kinetic_energy = energy,
        .bad_point = find_bad_cell(g),
        .momentum = momentum,
        .load = impulse,
        .damping_share = 1,
        .stiffness_share = 1,
    };
    if (!q)
        return;
    double span = g->time - g->reset_time, each = span > 0 ? 1 / span : 0;
    q[0] = g->stats.divergence;
    q[1] = g->stats.iterations;
    q[2] = energy;
    q[3] = g->stats.max_speed;
    q[4] = g->stats.time_step;
    q[8] = fm_grid_total_dye(g, around->pool);
    q[5] = each * impulse.x, q[6] = each * impulse.y, q[7] = each * impulse.z;
}

// Starts the mean of the forces on colliders anew.
static void reset(fm_object *object)
{
    fm_grid *g = grid_of(object);
    g->at_reset = g->stats;
    g->reset_time = g->time;
    for (int i = 0; i < g->solids.load_count; i++)
        g->solids.load[i] = (fm_vec3){0};
}

// Mean force on a collider since the last reset.
static bool find_collider_load(const fm_object *object, int collider, fm_vec3 *load)
{
    const fm_grid *g = grid_of(object);
    double span = g->time - g->reset_time;
    bool known = collider < g->solids.load_count && span > 0;
    *load = known ? fm_scale(g->solids.load[collider], 1 / span) : (fm_vec3){0};
    return g->def.loads;
}

// Shows the fluid as a lattice of points at the centres of its cells.
static bool view_mesh(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    fm_grid *g = grid_of(object);
    int count = g->n[0] * g->n[1] * g->n[2];
    *view = (fm_mesh_view){
        .point_count = count,
        .lattice = {{g->n[0], g->n[1], g->n[2]}, fm_grid_centre(g, 0, 0, 0, 3), g->h},
    };
    bool moved = fm_max_norm(fm_sub(g->points_low, g->def.low)) > 0;
    if (!g->points)
        g->points = malloc((size_t)count * sizeof *g->points), moved = true;
    if (!g->points)
        return fm_fail_no_memory(err, object->name, (size_t)count * sizeof *g->points);
    if (moved) {
        fm_vec3 *point = g->points;
        g->points_low = g->def.low;
        for (int k = 0; k < g->n[2]; k++)
            for (int j = 0; j < g->n[1]; j++)
                for (int i = 0; i < g->n[0]; i++)
                    *point++ = fm_grid_centre(g, i, j, k, 3);
    }
    view->points = g->points;
    return true;
}

static bool read_field(fm_object *object, const fm_surroundings *around, const char *name,
                       double *values, fm_error *err)
{
    (void)around;
    return fm_grid_read_field(grid_of(object), name, values, err);
}

static bool has_field(const fm_object *object, const char *name)
{
    return strcmp(name, "dye") != 0 || grid_of(object)->def.dye.on;
}

static void destroy(fm_object *object)
{
    fm_grid_destroy(grid_of(object));
}

static size_t save(const fm_object *object, void *buffer, size_t size)
{
    return fm_grid_save(grid_of(object), buffer, size);
}

// Restores a saved state, and all that follows from it: ghost values and colliders.
static bool restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                    size_t size, fm_error *err)
{
    fm_grid *g = grid_of(object);
    if (!fm_grid_restore(g, buffer, size, err))
        return false;
    g->solids.ready = false;
    if (!fm_grid_place_solids(g, around, g->time, err))
        return false;
    fm_grid_fill_velocity(g, g->u, g->time, around->pool);
    fm_grid_fill_pressure(g, fm_add(around->gravity, g->def.acceleration), around->pool);
    return true;
}

// The closed sides of the grid as planes that balls collide with.
static int find_walls(const fm_object *object, double t, fm_placed_collider *planes)
{
    (void)t;
    return fm_grid_find_walls((const fm_grid *)object, planes);
}

static const fm_medium_type medium = {
    .advance = advance,
    .longest_step = longest_step,
    .properties = find_properties,
    .resolution = find_resolution,
    .check_coupling = check_coupling,
    .permeates = true,
    .follows = true,
    .takes_drag = true,
    .attach = attach,
    .probe_fields = "velocity pressure dye",
    .probe = probe,
    .collider_load = find_collider_load,
    .walls = find_walls,
};

const fm_object_type fm_grid_type = {
    .kind = "grid",
    .fields = fm_grid_field_list,
    .field_count = FM_GRID_FIELD_COUNT,
    .needed_fields = "velocity pressure",
    .usual_fields = "vorticity dye",
    .has_field = has_field,
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .medium = &medium,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .reset = reset,
    .forecast = forecast,
    .mesh = view_mesh,
    .read = read_field,
    .measure = measure,
};

// Creates a grid fluid, and its marks, in a world.
fm_grid *fm_grid_create(fm_world *world, const fm_grid_def *def, fm_error *err)
{
    if (!fm_world_is_ready(world, err))
        return NULL;
    fm_grid *g = fm_grid_create_detached(def, err);
    if (!g)
        return NULL;
    g->object.type = &fm_grid_type;
    g->time = g->reset_time = fm_world_time(world);
    fm_grid_fill_velocity(g, g->u, g->time, NULL);
    if (!fm_world_add_object(world, &g->object, err))
        return NULL;
    if (g->def.marks.density > 0)
        g->marks = fm_marks_create(world, g, err);
    return err->status == FM_OK ? g : NULL;
}

static double component(fm_vec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// Samples an initial velocity at the centres of the faces.
bool fm_grid_set_velocity(fm_grid *g, fm_grid_field *field, void *context, fm_error *err)
{
    assert(err->status != FM_OK || (g && field));
    if (err->status != FM_OK)
        return false;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < g->n[2] + (a == 2); k++)
            for (int j = 0; j < g->n[1] + (a == 1); j++)
                for (int i = 0; i < g->n[0] + (a == 0); i++) {
                    fm_vec3 u = field(context, fm_grid_centre(g, i, j, k, a));
                    if (!fm_is_finite(u))
                        return fm_fail_vector(err, g->object.name, "velocity", u, "finite numbers");
                    g->u[a][fm_grid_index(g, i, j, k)] = component(u, a);
                }
    fm_grid_fill_velocity(g, g->u, g->time, NULL);
    fm_grid_write_samples(g, NULL);
    g->started = false;
    return true;
}

fm_object *fm_grid_object(fm_grid *grid)
{
    return grid ? &grid->object : NULL;
}

fm_grid *fm_object_grid(fm_object *object)
{
    return object && object->type == &fm_grid_type ? (fm_grid *)object : NULL;
}

fm_grid_def fm_grid_definition(const fm_grid *grid)
{
    return grid->def;
}

bool fm_grid_sample(fm_grid *grid, const fm_vec3 *points, int point_count, fm_vec3 *velocities,
                    fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    for (int i = 0; i < point_count; i++)
        velocities[i] = fm_grid_probe_velocity(grid, points[i]);
    return true;
}

const char *fm_grid_stage_name(fm_grid_stage stage)
{
    static const char *const names[FM_GRID_STAGE_COUNT] = {
        "solids", "boundary", "advection", "viscosity", "pressure", "project", "passive", "sheets"};
    return names[stage];
}

fm_grid_stats fm_grid_read_stats(const fm_grid *grid)
{
    return grid->stats;
}
