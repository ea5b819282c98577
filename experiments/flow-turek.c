// SPDX-License-Identifier: MIT
// flow-turek.c: an elastic beam behind a cylinder in a channel, the benchmark FSI2 of Turek and
// Hron [TH06], with the beam as a thin sheet.
//
// Channel 2.5 m x 0.41 m, cylinder of 0.1 m about (0.2, 0.2), fluid of 1000 kg/m^3 and 1e-3 m^2/s,
// parabolic inflow of the mean 1 m/s. The beam is 0.35 m long and 0.02 m thick, of 1e4 kg/m^3, E
// 1.4e6 Pa and Poisson's ratio 0.4. Two-way coupling takes it as a sheet without thickness, with
// its mass per area, 200 kg/m^2, and its rigidity in plane strain, E d^3 / (12 (1 - nu^2)) = 1.11
// N m: the flow around it is not that of a beam 0.02 m thick, and the fluid in its place moves
// along. Measured: half the peak-to-peak displacement of the tip, and its frequency, in the last 4
// s of 14. "paper" is the benchmark.
//
// [TH06] in docs/references.md
#include "experiment.h"
#include "fixtures.h"

#include <fathom/couple.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 3 };

// The beam as a sheet of `columns` particles, clamped at the cylinder. depth: m, of the cells.
static fm_cloth *create_beam(fm_world *world, int columns, double depth, fm_error *err)
{
    const double E = 1.4e6, d = 0.02, poisson = 0.4, length = 0.35;
    int held[2 * ROWS];
    fm_cloth_def def = fixture_perfect_cloth();
    def.thickness = d;
    def.density = 1e4;
    def.stretch.stiffness = E * d;
    def.shear.stiffness = 0;
    def.bend.model = FM_BEND_RIGIDITY;
    def.bend.stiffness = E * d * d * d / (12 * (1 - poisson * poisson));
    def.damping.coefficient = def.bend.damping.coefficient = 0;
    def.drag.model = FM_DRAG_NONE;
    fm_sheet sheet = {.columns = columns, .rows = ROWS, .width = length, .height = depth};
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    fm_vec3 *x = calloc((size_t)columns * ROWS, sizeof *x);
    for (int i = 0; i < columns * ROWS && x; i++)
        x[i] = (fm_vec3){0.25 + length * (i % columns) / (columns - 1), 0.2,
                         depth * (i / columns) / (ROWS - 1)};
    if (cloth && x)
        fm_cloth_set_positions(cloth, x, err);
    free(x);
    for (int j = 0; j < ROWS; j++)
        held[2 * j] = j * columns, held[2 * j + 1] = j * columns + 1;
    if (cloth)
        fm_cloth_pin_list(cloth, held, 2 * ROWS, NULL, err);
    return cloth;
}

// Reports the motion of the tip with `across` cells per diameter of the cylinder.
static void measure(experiment *e, int across)
{
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_grid_def def = fixture_channel_grid_def(world, across, 1.5, err);
    def.cells[0] = (int)lround(2.5 / def.spacing);
    def.density = 1000;
    def.viscosity = 1;
    def.loads = false;
    fm_grid *grid = fm_grid_create(world, &def, err);
    int columns = (int)lround(0.35 / def.spacing) + 1;
    fm_cloth *beam = grid ? create_beam(world, columns, def.spacing, err) : NULL;
    fm_coupling_def coupling = fm_default_coupling_def();
    if (beam)
        fm_world_couple_with(world, fm_cloth_object(beam), fm_grid_object(grid), &coupling, err);
    char file[32];
    snprintf(file, sizeof file, "tip-%d.csv", across);
    experiment_table *table = experiment_table_open(e, file, "time_s,x_m,y_m");
    const double dt = 0.02, end = experiment_quick(e) ? 0.1 : 14;
    double low = INFINITY, high = -INFINITY, first = 0, last = 0, before = 0;
    int crossings = 0;
    int steps = (int)lround(end / dt);
    for (int i = 1; beam && i < steps && !experiment_failed(e); i++) {
        double t = i * dt;
        fm_world_advance(world, dt, err);
        fm_vec3 tip = fm_cloth_positions(beam, NULL)[2 * columns - 1];
        double y = tip.y - 0.2;
        experiment_write_numbers(table, (double[]){t, tip.x - 0.6, y});
        if (t > end - 4) {
            low = fmin(low, y), high = fmax(high, y);
            if (before < 0 && y >= 0) {
                last = t - dt * y / (y - before);
                first = crossings++ ? first : last;
            }
        }
        before = y;
    }
    double frequency = crossings > 1 ? (crossings - 1) / (last - first) : NAN;
    experiment_add_named_result(e, 2.0, frequency, "Hz", "%d cells: frequency of the tip", across);
    experiment_add_named_result(e, 80.6, 500 * (high - low), "mm", "%d cells: amplitude of the tip",
                                across);
    experiment_add_named_result(e, 1.23, 500 * (high + low), "mm", "%d cells: mean of the tip",
                                across);
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "flow-turek",
                                    "A beam behind a cylinder, as a thin sheet.", &status);
    if (!e)
        return status;
    for (int across = 10; across <= (experiment_quick(e) ? 10 : 15); across += 5)
        measure(e, across);
    experiment_plot(e, "tip", "Beam behind a cylinder (FSI2), as a thin sheet: its tip",
                    "set xlabel 'time, s'\nset ylabel 'displacement, m'\n"
                    "plot 'tip-10.csv' using 1:3 with lines title '10 cells per diameter', "
                    "'tip-15.csv' using 1:3 with lines title '15 cells'\n");
    return experiment_close(e);
}
