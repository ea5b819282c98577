// SPDX-License-Identifier: MIT
// flow-slosh.c: a standing wave in a tank, by the liquid on a grid and by the particle fluid.
//
// A tank 1 m long with water 0.5 m deep, in 2D. At the start the left half is a sixteenth of a
// metre deeper than the right one, which excites the odd modes. The first mode is, for both fluids,
//
//     M(t) = sum over particles of volume cos(pi x / L)
//
// and small waves have the period 2 pi / w, w^2 = g k tanh(k h), k = pi / L (1.18182 s). Measured
// in 10 s with 16, 32 and 64 cells, or particles, along the tank, the particle fluid with both of
// its methods for water: the period from the zeros of M, its decay from the extrema between them,
// and the CPU time per simulated second on one thread.
#include "experiment.h"
#include "fixtures.h"

#include <fathom/liquid.h>

enum { FLUIDS = 3 };
static const double pi = 3.14159265358979323846, g = 9.81;    // m/s^2
static const double length = 1, depth = 0.5, step = 1 / 32.0; // m
static const char *const names[FLUIDS] = {"liquid", "weakly-compressible", "constant-density"};

// Creates the tank of a fluid with the spacing 1 m / cells.
static fm_object *create_tank(fm_world *world, int fluid, int cells, fm_error *err)
{
    double spacing = length / cells, middle = length / 2;
    if (fluid >= 1) {
        fm_particles_def def = fixture_tank_def(2, spacing, (fm_vec3){length, 1.5 * depth, 0});
        def.method = fluid == 1 ? FM_SPH_WEAKLY_COMPRESSIBLE : FM_SPH_CONSTANT_DENSITY;
        def.domain.slip = true; // water has no friction at the walls of the liquid's grid either
        fm_fluid_box left = {.high = {middle, depth + step, 0}, .settled = true},
                     right = {
                         .low = {middle, 0, 0}, .high = {length, depth - step, 0}, .settled = true};
        fm_particles *p = fixture_create_fluid(world, &def, &left, err);
        fm_particles_add_box(p, &right, err);
        return err->status == FM_OK ? fm_particles_object(p) : NULL;
    }
    fm_liquid_def def = fm_default_liquid_def();
    def.grid.cells[0] = cells, def.grid.cells[1] = cells * 3 / 4, def.grid.cells[2] = 1;
    def.grid.spacing = spacing;
    def.grid.sides[FM_SIDE_BACK].kind = def.grid.sides[FM_SIDE_FRONT].kind = FM_GRID_SLIP;
    fm_liquid *l = fm_liquid_create(world, &def, err);
    fm_liquid_add_box(l, &(fm_liquid_box){.high = {middle, depth + step, 1}}, err);
    fm_liquid_add_box(l, &(fm_liquid_box){.low = {middle, 0, 0}, .high = {length, depth - step, 1}},
                      err);
    return err->status == FM_OK ? fm_liquid_object(l) : NULL;
}

// First mode, relative to the volume of the fluid.
static double find_mode(fm_object *object, fm_error *err)
{
    fm_mesh_view view = {0};
    double sum = 0;
    if (object && fm_object_mesh(object, &view, err))
        for (int i = 0; i < view.point_count; i++)
            sum += cos(pi * view.points[i].x / length) / view.point_count;
    return sum;
}

// Simulates a tank and reports period, decay and cost.
static void run(experiment *e, int fluid, int cells, experiment_table *table)
{
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    fm_object *object = create_tank(world, fluid, cells, err);
    double dt = 0.01, end = experiment_quick(e) ? 1 : 10, k = pi / length;
    double start = experiment_read_clock(true);
    fixture_oscillation mode = fixture_begin_oscillation(dt, find_mode(object, err));
    for (int n = 1; n * dt <= end + 1e-9 && err->status == FM_OK; n++) {
        fm_world_advance(world, dt, err);
        double now = find_mode(object, err);
        experiment_write_row(table, "%s,%d,%g,%g", names[fluid], cells, n * dt, now);
        fixture_add_value(&mode, now);
    }
    double seconds = (experiment_read_clock(true) - start) / end;
    double right = 2 * pi / sqrt(g * k * tanh(k * depth));
    double period = fixture_find_period(&mode), decay = fixture_find_decay(&mode);
    experiment_add_named_result(e, right, period, "s", "%s, %d: period", names[fluid], cells);
    experiment_add_named_result(e, NAN, decay, "1/s", "%s, %d: decay", names[fluid], cells);
    experiment_add_named_result(e, NAN, seconds, "s", "%s, %d: CPU time per simulated second",
                                names[fluid], cells);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "flow-slosh", "A standing wave: liquid, particles.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(e, "mode.csv", "fluid,cells,t_s,mode");
    for (int cells = 16; cells <= (experiment_quick(e) ? 16 : 64); cells *= 2)
        for (int fluid = 0; fluid < FLUIDS && !experiment_failed(e); fluid++)
            run(e, fluid, cells, table);
    experiment_plot(e, "mode", "First mode of a standing wave",
                    "stats 'mode.csv' using 2 nooutput\nmiddle = STATS_max > 32 ? 32 : STATS_max\n"
                    "set xlabel 't, s'\nset ylabel 'mode / volume'\nplot for [f in 'liquid "
                    "weakly-compressible constant-density'] 'mode.csv' using (strcol(1) eq f && "
                    "$2==middle ? $3 : NaN):4 with "
                    "lines title f\n");
    return experiment_close(e);
}
