// SPDX-License-Identifier: MIT
// flow-cylinder.c: a cylinder across a channel, the benchmark of Schäfer and Turek [ST96].
//
// Steady flow at Re 20 (2D-1): coefficients of drag and lift, and the pressure difference between
// front and back, for 10, 20 and 40 cells across the cylinder. Vortices at Re 100 (2D-2): their
// frequency (Strouhal number), largest drag and lift, for 10 and 20 cells. The cylinder is not on
// grid lines. "paper" is the benchmark's value.
//
// [ST96] in docs/references.md
#include "experiment.h"
#include "fixtures.h"

#include <fathom/grid.h>
#include <stdio.h>

// Reports the steady flow at Re 20. across: cells per diameter of the cylinder.
static void measure_steady(experiment *e, int across)
{
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_grid_def def = fixture_channel_grid_def(world, across, 0.3, err);
    fm_grid *grid = fm_grid_create(world, &def, err);
    fixture_wake wake = {0};
    if (grid) {
        fm_world_advance(world, experiment_quick(e) ? 0.05 : 6, err);
        wake = fixture_measure_wake(world, grid, 0.3, experiment_quick(e) ? 0.05 : 0.5, err);
    }
    experiment_add_named_result(e, 5.57953523384, wake.drag, "", "Re 20, %d cells: drag", across);
    experiment_add_named_result(e, 0.010618948146, wake.lift, "", "Re 20, %d cells: lift", across);
    experiment_add_named_result(e, 0.11752016697, wake.difference, "Pa",
                                "Re 20, %d cells: pressure difference", across);
    fm_world_destroy(world);
}

// The wake at Re 100 from its samples over some periods.
typedef struct shedding {
    double St, drag, lift, low_lift;
    int crossings;
    double first, last, before;
} shedding;

// Adds the wake at time t, s, to the extremes, and finds where the lift crosses zero upwards.
static void add_sample(shedding *s, const fixture_wake *wake, double t, double dt, int sample)
{
    s->drag = fmax(s->drag, wake->drag);
    s->lift = fmax(s->lift, wake->lift);
    s->low_lift = fmin(s->low_lift, wake->lift);
    if (sample > 0 && s->before < 0 && wake->lift >= 0) { // upwards
        s->last = t - dt * wake->lift / (wake->lift - s->before);
        s->first = s->crossings++ ? s->first : s->last;
    }
    s->before = wake->lift;
}

// Reports the vortices at Re 100. across: cells per diameter of the cylinder.
static void measure_shedding(experiment *e, int across)
{
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_grid_def def = fixture_channel_grid_def(world, across, 1.5, err);
    fm_grid *grid = fm_grid_create(world, &def, err);
    const double dt = 0.01;
    int samples = experiment_quick(e) ? 4 : 300;
    shedding s = {0};
    char file[64];
    snprintf(file, sizeof file, "lift-%d.csv", across);
    experiment_table *table = experiment_table_open(e, file, "time_s,drag,lift,difference_Pa");
    if (grid)
        fm_world_advance(world, experiment_quick(e) ? 0.02 : 6, err);
    for (int i = 0; grid && i < samples && !experiment_failed(e); i++) {
        fixture_wake wake = fixture_measure_wake(world, grid, 1.5, dt, err);
        add_sample(&s, &wake, i * dt, dt, i);
        experiment_write_numbers(table, (double[4]){i * dt, wake.drag, wake.lift, wake.difference});
    }
    s.St = s.crossings > 1 ? (s.crossings - 1) / (s.last - s.first) * 0.1 : NAN;
    experiment_add_named_result(e, 0.30184, s.St, "", "Re 100, %d cells: Strouhal number", across);
    experiment_add_named_result(e, 3.2274, s.drag, "", "Re 100, %d cells: largest drag", across);
    experiment_add_named_result(e, 2.0079, s.lift - s.low_lift, "",
                                "Re 100, %d cells: lift, peak to peak", across);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "flow-cylinder",
                                    "A cylinder across a channel, Re 20 and 100.", &status);
    if (!e)
        return status;
    for (int across = 10; across <= (experiment_quick(e) ? 10 : 40); across *= 2)
        measure_steady(e, across);
    for (int across = 10; across <= (experiment_quick(e) ? 10 : 20); across *= 2)
        measure_shedding(e, across);
    if (!experiment_quick(e))
        experiment_plot(e, "lift", "Cylinder in a channel, Re 100: coefficients of drag and lift",
                        "set xlabel 'time, s'\n"
                        "plot 'lift-20.csv' using 1:2 with lines title 'drag, 20 cells', "
                        "'lift-20.csv' using 1:3 with lines title 'lift, 20 cells', "
                        "'lift-10.csv' using 1:3 with lines dt 2 title 'lift, 10 cells'\n");
    return experiment_close(e);
}
