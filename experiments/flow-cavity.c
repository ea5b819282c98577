// SPDX-License-Identifier: MIT
// flow-cavity.c: the lid-driven cavity on a grid, with the scheme of the paper and with ours.
//
// [SJ] took its fluid from [FM96] and shows no measurement. Here: the steady flow in the unit
// square at Re 100 and 1000 on 32^2 to 128^2 cells with the three schemes of advection, against
// another solver (Re 100) and the spectral solution [BP98] (Re 1000). The error is the largest
// difference on both centre lines, in units of the lid's speed. `published` may be unstable: such
// runs count as failed (no number).
//
// [SJ], [FM96], [BP98] in docs/references.md
#include "experiment.h"
#include "fixtures.h"

#include <fathom/grid.h>

enum { ROWS = 15, SIZES = 3, SCHEMES = 3 }; // points of the references inside the cavity

// Columns: y and u(0.5, y), then x and v(x, 0.5).
static const double places[ROWS][2] = {
    {0.0547, 0.0625}, {0.0625, 0.0703}, {0.0703, 0.0781}, {0.1016, 0.0938}, {0.1719, 0.1563},
    {0.2813, 0.2266}, {0.4531, 0.2344}, {0.5, 0.5},       {0.6172, 0.8047}, {0.7344, 0.8594},
    {0.8516, 0.9063}, {0.9531, 0.9453}, {0.9609, 0.9531}, {0.9688, 0.9609}, {0.9766, 0.9688},
};
static const double reference[2][ROWS][2] = {
    {{-0.037233, 0.094812},
     {-0.041982, 0.103590},
     {-0.046627, 0.111757},
     {-0.064441, 0.126434},
     {-0.101756, 0.164832},
     {-0.157687, 0.179365},
     {-0.213977, 0.179568},
     {-0.209143, 0.057549},
     {-0.138781, -0.253565},
     {0.004203, -0.233722},
     {0.236555, -0.177108},
     {0.691023, -0.108555},
     {0.740469, -0.093409},
     {0.791944, -0.077995},
     {0.843732, -0.062208}},
    {{-0.1812881, 0.2807056},
     {-0.20233, 0.2962703},
     {-0.2228955, 0.3099097},
     {-0.3004561, 0.3330442},
     {-0.3885691, 0.3769189},
     {-0.2803696, 0.3339924},
     {-0.1081999, 0.3253592},
     {-0.0620561, 0.0257995},
     {0.0570178, -0.3202137},
     {0.1886747, -0.4264545},
     {0.3372212, -0.5264392},
     {0.4723329, -0.4103754},
     {0.5169277, -0.3553213},
     {0.5808359, -0.2936869},
     {0.6644227, -0.2279225}},
};
static const double numbers[2] = {100, 1000}, ends[2] = {20, 60}; // Re; s until it is steady
static const char *const names[SCHEMES] = {"fifth-order", "first-order", "published"};

// Largest difference from the reference; NAN if the flow became unstable.
static double measure_error(experiment *e, int which, int cells, fm_grid_advection scheme,
                            experiment_table *table)
{
    fm_error own = {0}, *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_grid_def def = fixture_cavity_grid_def(2, cells, 1 / numbers[which]);
    def.advection = scheme;
    fm_grid *grid = fm_grid_create(world, &def, err);
    double worst = NAN, end = experiment_quick(e) ? 0.5 : ends[which];
    if (grid)
        fm_world_advance(world, end, &own);
    for (int i = 0; i < ROWS && grid && own.status == FM_OK; i++) {
        fm_vec3 at[2] = {{0.5, places[i][0], 0}, {places[i][1], 0.5, 0}}, v[2] = {{0}};
        fm_grid_sample(grid, at, 2, v, err);
        const double *right = reference[which][i];
        worst = fmax(i ? worst : 0, fmax(fabs(v[0].x - right[0]), fabs(v[1].y - right[1])));
        experiment_write_row(table, "%g,%d,%s,%g,%g,%g,%g,%g,%g", numbers[which], cells,
                             names[scheme], places[i][0], v[0].x, right[0], places[i][1], v[1].y,
                             right[1]);
    }
    fm_world_destroy(world);
    return worst;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "flow-cavity",
                                    "A lid-driven cavity on a grid, three schemes.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    experiment_table *profiles =
        experiment_table_open(e, "profiles.csv", "Re,cells,scheme,y,u,u_reference,x,v,v_reference");
    experiment_table *errors = experiment_table_open(e, "errors.csv", "Re,cells,scheme,error");
    for (int which = 0; which < 2; which++)
        for (int scheme = 0; scheme < SCHEMES; scheme++)
            for (int size = 0; size < (quick ? 1 : SIZES) && !experiment_failed(e); size++) {
                int cells = quick ? 16 : 32 << size;
                double error = measure_error(e, which, cells, (fm_grid_advection)scheme, profiles);
                experiment_write_row(errors, "%g,%d,%s,%g", numbers[which], cells, names[scheme],
                                     error);
                experiment_add_named_result(e, NAN, error, "", "Re %g, %s, %d^2 cells: error",
                                            numbers[which], names[scheme], cells);
            }
    experiment_plot(e, "errors", "Lid-driven cavity: largest error on the centre lines",
                    "set logscale xy\nset xlabel 'cells along an edge'\nset ylabel 'error / lid'\n"
                    "set key left bottom\n"
                    "plot for [s in 'fifth-order first-order published'] 'errors.csv' using "
                    "($1==100 && strcol(3) eq s ? $2 : NaN):4 with linespoints title "
                    "'Re 100 '.s, for [s in 'fifth-order first-order published'] 'errors.csv' "
                    "using ($1==1000 && strcol(3) eq s ? $2 : NaN):4 with linespoints dt 2 title "
                    "'Re 1000 '.s\n");
    return experiment_close(e);
}
