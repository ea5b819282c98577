// SPDX-License-Identifier: MIT
// flow-dambreak.c: a collapsing column of water, by the liquid on a grid and by the particle fluid.
//
// A 2D column of width a = 2.25 in and twice as high is released at once, as in sph-dambreak. Four
// methods: the liquid, its published form [SJ] (marks in cells, first order), and the particle
// fluid with both of its methods for water, whose spacing is that of the cells. Measured for 16 and
// 32 cells across the column:
//
//   speed     of the front between 2a and 4a, in units of sqrt(2 g a), against Martin and Moyce
//             1952; times of the experiment start with the opening of a gate, so that speeds can be
//             compared, times cannot
//   cost      CPU time per simulated second, one thread
//
// [SJ] in docs/references.md
#include "experiment.h"
#include "fixtures.h"

#include <fathom/liquid.h>
#include <stdlib.h>

enum { METHODS = 4, SAMPLES_MAX = 200, POINTS = 14 };
static const double a = 0.05715, g = 9.81; // width of the column, m; gravity, m/s^2
static const char *const names[METHODS] = {"liquid", "published", "weakly-compressible",
                                           "constant-density"};
static const double SPRAY_FILL = 0.4; // particles with a smaller fill are spray

// Position Z = x/a of the front at times T = t sqrt(2 g/a), measured by Martin and Moyce 1952 for a
// column twice as high as wide (their n^2 = 2): T, Z.
static const double measured[POINTS][2] = {
    {0.41, 1.11}, {0.84, 1.23}, {1.19, 1.44}, {1.43, 1.67},   {1.63, 1.89},
    {1.82, 2.11}, {1.97, 2.33}, {2.20, 2.56}, {2.32, 2.78},   {2.50, 3.00},
    {2.64, 3.22}, {2.82, 3.44}, {2.96, 3.67}, {3.345, 4.134},
};

// A collapse: the fluid of one of the methods.
typedef struct collapse {
    fm_world *world;
    fm_liquid *liquid;
    fm_particles *particles;
    double spacing; // m
} collapse;

// Creates the column of a method, with `cells` cells across.
static collapse create_collapse(experiment *e, int method, int cells)
{
    fm_error *err = experiment_error(e);
    collapse c = {.world = fixture_create_world(fixture_water_def(1), err), .spacing = a / cells};
    if (method >= 2) {
        fm_particles_def def = fixture_tank_def(2, c.spacing, (fm_vec3){8 * a, 3 * a, 0});
        def.method = method == 2 ? FM_SPH_WEAKLY_COMPRESSIBLE : FM_SPH_CONSTANT_DENSITY;
        fm_fluid_box box = {.high = {a, 2 * a, 0}, .settled = true};
        c.particles = fixture_create_fluid(c.world, &def, &box, err);
        return c;
    }
    fm_liquid_def def = fm_default_liquid_def();
    def.method = method == 1 ? FM_LIQUID_PUBLISHED : FM_LIQUID_PARTICLES;
    def.grid.cells[0] = 8 * cells, def.grid.cells[1] = 3 * cells, def.grid.cells[2] = 1;
    def.grid.spacing = c.spacing;
    def.grid.sides[FM_SIDE_BACK].kind = def.grid.sides[FM_SIDE_FRONT].kind = FM_GRID_SLIP;
    c.liquid = fm_liquid_create(c.world, &def, err);
    fm_liquid_add_box(c.liquid, &(fm_liquid_box){.high = {a, 2 * a, 1}}, err);
    return c;
}

// Position of the front over a: of fluid that is not spray.
static double find_front(const collapse *c, fm_error *err)
{
    double front = 0;
    if (c->liquid) { // deeper than a quarter of a cell
        front = 8 * a - c->spacing / 2;
        while (front > 0 && fm_liquid_depth(c->liquid, front, 0) < 0.25 * c->spacing)
            front -= c->spacing / 4;
        return front / a;
    }
    int n;
    const fm_vec3 *x = fm_particles_positions(c->particles, &n);
    double *fill = malloc(((size_t)n + 1) * sizeof *fill);
    if (fill && fm_particles_read_field(c->particles, "fill", fill, err))
        for (int i = 0; i < n; i++)
            front = fmax(front, fill[i] >= SPRAY_FILL ? (x[i].x + c->spacing / 2) / a : 0);
    free(fill);
    return front;
}

// Simulates a collapse until its front is at 4.2 a, and reports speed and cost.
static void run(experiment *e, int method, int cells, experiment_table *table)
{
    fm_error *err = experiment_error(e);
    collapse c = create_collapse(e, method, cells);
    double series[SAMPLES_MAX][2], unit = sqrt(a / (2 * g)), step = 0.03, speed = NAN;
    double start = experiment_read_clock(true), end = experiment_quick(e) ? 1.6 : 4.2;
    int count = 0;
    do {
        series[count][0] = step * count;
        series[count][1] = err->status == FM_OK ? find_front(&c, err) : 0;
        experiment_write_row(table, "%s,%d,%g,%g", names[method], cells, series[count][0],
                             series[count][1]);
        count++;
        fm_world_advance(c.world, step * unit, err);
    } while (count < SAMPLES_MAX && series[count - 1][1] < end && err->status == FM_OK);
    double seconds = experiment_read_clock(true) - start, simulated = step * unit * count;
    double right =
        2 / (fixture_find_time(measured[0], POINTS, 4) - fixture_find_time(measured[0], POINTS, 2));
    if (series[count - 1][1] >= 4)
        speed =
            2 / (fixture_find_time(series[0], count, 4) - fixture_find_time(series[0], count, 2));
    experiment_add_named_result(e, right, speed, "sqrt(2 g a)",
                                "%s, %d cells: speed of the front from 2a to 4a", names[method],
                                cells);
    experiment_add_named_result(e, NAN, 100 * (speed / right - 1), "%",
                                "%s, %d cells: speed above that of the experiment", names[method],
                                cells);
    experiment_add_named_result(e, NAN, seconds / simulated, "s",
                                "%s, %d cells: CPU time per simulated second", names[method],
                                cells);
    fm_world_destroy(c.world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "flow-dambreak",
                                    "A collapsing column: liquid on a grid, particles.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(e, "front.csv", "method,cells,T,Z");
    for (int cells = experiment_quick(e) ? 8 : 16; cells <= (experiment_quick(e) ? 8 : 32);
         cells *= 2)
        for (int method = 0; method < METHODS && !experiment_failed(e); method++)
            run(e, method, cells, table);
    table = experiment_table_open(e, "measured.csv", "T,Z");
    for (int i = 0; i < POINTS; i++)
        experiment_write_row(table, "%g,%g", measured[i][0], measured[i][1]);
    experiment_plot(
        e, "front", "Dam break: position of the front",
        "set xlabel 'T = t sqrt(2g/a)'\nset ylabel 'x/a'\nset key left top\n"
        "stats 'front.csv' using 2 nooutput\nlargest = STATS_max\n"
        "plot for [m in 'liquid published weakly-compressible constant-density'] 'front.csv' using "
        "(strcol(1) eq m && $2==largest ? $3 : NaN):4 with lines title m, "
        "'measured.csv' using 1:2 with points pt 7 lc 'black' title "
        "'Martin and Moyce 1952'\n");
    return experiment_close(e);
}
