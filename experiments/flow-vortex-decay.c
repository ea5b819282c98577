// SPDX-License-Identifier: MIT
// flow-vortex-decay.c: how fast the whirlpool of the paper decays, with its scheme and with ours.
//
// [SJ] section 7 puts a cloth into a "vertical whirlpool" and figure 4 shows "the decomposition of
// the fluid". It gives no size, speed, viscosity or time. Here: scenes/grid/vertical-vortex.yaml, a
// vortex that rotates rigidly within 0.25 m at 1 m/s in a closed tank of 1 m, 32^3 cells. Measured:
// the kinetic energy over 5 s and the times at which half and a tenth of it are left,
//
//   - in water, where the scheme of the paper (central differences and Euler steps [FM96]) is
//     unstable, so that its energy does not fall,
//   - with a viscosity of 0.016 m^2/s, at which it is stable: speed x spacing / viscosity = 2.
//
// The flow also decays by friction at the walls, which all schemes have in common.
//
// [SJ], [FM96] in docs/references.md
#include "experiment.h"
#include "fixtures.h"

#include <fathom/grid.h>

enum { SAMPLES = 200 };

// One fluid and scheme.
typedef struct variant {
    const char *name;
    int cells;
    fm_grid_advection scheme;
    double nu; // m^2/s
} variant;

// The kinetic energy of a vortex over time.
typedef struct decay {
    double energy[SAMPLES + 1]; // relative to that at the start; NAN after a failure
    double half, tenth;         // s, when a half and a tenth are left; NAN: not reached
} decay;

// s, the time at which the energy falls below a level; NAN: never. end: s, length of the run.
static double find_time(const decay *d, double level, double end)
{
    for (int i = 1; i <= SAMPLES; i++)
        if (d->energy[i] <= level && d->energy[i - 1] > level)
            return end / SAMPLES *
                   (i - 1 + (d->energy[i - 1] - level) / (d->energy[i - 1] - d->energy[i]));
    return NAN;
}

// Runs one variant for `end` seconds.
static decay measure_decay(experiment *e, const variant *v, double end)
{
    fm_error own = {0}, *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_grid_def def = fm_default_grid_def();
    int cells = experiment_quick(e) ? 12 : v->cells;
    def.cells[0] = def.cells[1] = def.cells[2] = cells;
    def.spacing = 1.0 / cells;
    def.viscosity = v->nu * def.density;
    def.advection = v->scheme;
    fm_grid *grid = fm_grid_create(world, &def, err);
    fm_grid_start vortex = {.kind = FM_GRID_START_VORTEX,
                            .centre = {0.5, 0.5, 0.5},
                            .axis = {0, 1, 0},
                            .radius = 0.25,
                            .speed = 1};
    if (grid)
        fm_grid_set_start(grid, &vortex, err);
    decay d = {{0}, NAN, NAN};
    double first = NAN;
    for (int i = 0; i <= SAMPLES && grid && !experiment_failed(e); i++) {
        // the first advance, a short one, removes the divergence of the start
        fm_report r = fm_world_advance(world, i ? end / SAMPLES : 1e-6, &own);
        first = i ? first : r.kinetic_energy;
        d.energy[i] = own.status == FM_OK ? r.kinetic_energy / first : NAN;
    }
    d.half = find_time(&d, 0.5, end);
    d.tenth = find_time(&d, 0.1, end);
    fm_world_destroy(world);
    return d;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "flow-vortex-decay",
                        "How fast a whirlpool decays, with the paper's scheme and ours.", &status);
    if (!e)
        return status;
    static const variant variants[] = {
        {"water published", 32, FM_GRID_PUBLISHED, 1e-6},
        {"water first-order", 32, FM_GRID_FIRST_ORDER, 1e-6},
        {"water fifth-order", 32, FM_GRID_FIFTH_ORDER, 1e-6},
        {"water fifth-order fine", 64, FM_GRID_FIFTH_ORDER, 1e-6},
        {"viscous published", 32, FM_GRID_PUBLISHED, 0.016},
        {"viscous first-order", 32, FM_GRID_FIRST_ORDER, 0.016},
        {"viscous fifth-order", 32, FM_GRID_FIFTH_ORDER, 0.016},
    };
    enum { COUNT = sizeof variants / sizeof *variants };
    static decay all[COUNT];
    double end = experiment_quick(e) ? 0.2 : 5;
    for (int i = 0; i < COUNT && !experiment_failed(e); i++) {
        all[i] = measure_decay(e, &variants[i], end);
        experiment_add_named_result(e, NAN, all[i].half, "s", "%s: half the energy after",
                                    variants[i].name);
        experiment_add_named_result(e, NAN, all[i].tenth, "s", "%s: a tenth after",
                                    variants[i].name);
        experiment_add_named_result(e, NAN, all[i].energy[SAMPLES], "",
                                    "%s: energy left at the end", variants[i].name);
    }
    experiment_table *table = experiment_table_open(e, "energy.csv", "variant,time_s,energy");
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k <= SAMPLES; k++)
            experiment_write_row(table, "%s,%g,%g", variants[i].name, k * end / SAMPLES,
                                 all[i].energy[k]);
    experiment_plot(
        e, "energy", "A whirlpool in a closed tank: kinetic energy",
        "set xlabel 'time, s'\nset ylabel 'energy / energy at the start'\nset yrange [0:1.3]\n"
        "names = system(\"awk -F, 'NR>1 && !seen[$1]++ {gsub(/ /,\\\"_\\\",$1); print $1}' "
        "energy.csv\")\n"
        "plot for [k = 1:words(names)] 'energy.csv' every ::((k-1)*201+1)::(k*201) using 2:3 with "
        "lines ls k title word(names, k) noenhanced\n");
    return experiment_close(e);
}
