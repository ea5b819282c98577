// SPDX-License-Identifier: MIT
// sph-cavity.c: the lid-driven cavity with fractional viscosity, against a grid solver.
//
// Fractional viscosity is a viscous stress that depends on the half derivative, over past steps, of
// the shear. [OZG13] §4.4.2, figure 4.4, shows velocities along x = 0.5 at t = 5 s with 40,000
// particles. Standard and fractional SPH both follow OpenFOAM. The thesis concludes that the
// fractional viscosity adds no viscosity to the standard one. It does not give the Reynolds number,
// the step or the viscosity.
//
// Here: Re = 100 (unit square, lid 1 m/s, 10 Pa s), the weakly compressible method without
// artificial viscosity, against OpenFOAM results extrapolated to a fine grid (tests/reference). The
// error is the root mean square difference along both centre lines at t = 5 s, in units of the
// lid's speed. 10,000 particles run with Newtonian viscosity and with half derivatives over ten
// steps, over the past weighted by e^(-t/0.05 s) (fading) and over the whole past (full); 40,000
// with Newtonian viscosity and over ten steps. With ten steps of length h and the same number for
// the viscosity (as published), steady flow feels 2 sqrt(10 h / pi) times that viscosity; "scaled"
// means that steady flow feels the nominal viscosity.
//
// Then Re = 400 and 1000 (2.5 and 1 Pa s), 3600 particles. These flows are not steady at t = 5 s,
// so the reference is the grid fluid of the library (128 x 128 cells, validated by flow-cavity) at
// the same time.
//
// [OZG13] in docs/references.md
#include "streams.h"

enum { ROWS = 17 }; // points of the reference on each centre line

// Columns: y and u(0.5, y), then x and v(x, 0.5); lengths in m, velocities in units of the lid's.
static const double reference[ROWS][4] = {
    {0, 0.000000, 0, 0.000000},
    {0.0547, -0.037233, 0.0625, 0.094812},
    {0.0625, -0.041982, 0.0703, 0.103590},
    {0.0703, -0.046627, 0.0781, 0.111757},
    {0.1016, -0.064441, 0.0938, 0.126434},
    {0.1719, -0.101756, 0.1563, 0.164832},
    {0.2813, -0.157687, 0.2266, 0.179365},
    {0.4531, -0.213977, 0.2344, 0.179568},
    {0.5, -0.209143, 0.5, 0.057549},
    {0.6172, -0.138781, 0.8047, -0.253565},
    {0.7344, 0.004203, 0.8594, -0.233722},
    {0.8516, 0.236555, 0.9063, -0.177108},
    {0.9531, 0.691023, 0.9453, -0.108555},
    {0.9609, 0.740469, 0.9531, -0.093409},
    {0.9688, 0.791944, 0.9609, -0.077995},
    {0.9766, 0.843732, 0.9688, -0.062208},
    {1, 1.000000, 1, 0.000000},
};

// One fluid of the comparison.
typedef struct variant {
    const char *name;
    int cells;                // particles along a side
    fm_fractional fractional; // order of the viscosity, and the part of the past it depends on
    double viscosity;         // Pa s; 0: the steady viscosity measured in the previous variant
} variant;

// The flow of one fluid at the end.
typedef struct outcome {
    double u[ROWS], v[ROWS]; // m/s, at the points of the reference
    double steady;           // Pa s, viscosity felt by steady shear at the end
    double step;             // s, mean time step
} outcome;

// Simulates the cavity with one fluid and samples the velocities at the points of the reference.
static outcome simulate_cavity(experiment *e, const variant *a, double viscosity)
{
    fm_error *err = experiment_error(e);
    outcome out = {{0}, {0}, 0, 0};
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_particles_def def = fixture_cavity_def(2, a->cells, viscosity);
    streams_set_method(&def, 0);
    def.speed = 1;
    def.courant = 0.5;
    def.fractional = a->fractional;
    fm_particles *fluid =
        fixture_create_fluid(world, &def, &(fm_fluid_box){.high = {1, 1, 0}}, err);
    double end = experiment_quick(e) ? 0.05 : 5;
    int64_t steps = 0;
    for (int k = 0; k < 50 && fluid; k++)
        steps += fm_world_advance(world, end / 50, err).substep_count;
    fm_vec3 at[2 * ROWS], v[2 * ROWS] = {{0}};
    for (int i = 0; i < ROWS; i++) {
        at[i] = (fm_vec3){0.5, reference[i][0], 0};
        at[ROWS + i] = (fm_vec3){reference[i][2], 0.5, 0};
    }
    if (fluid && fm_particles_sample(fluid, at, 2 * ROWS, v, err)) {
        out.steady = fm_particles_steady_viscosity(fluid);
        out.step = end / (double)steps;
    }
    for (int i = 0; i < ROWS; i++) {
        out.u[i] = v[i].x;
        out.v[i] = v[ROWS + i].y;
    }
    fm_world_destroy(world);
    return out;
}

// Samples the flow of the grid fluid at the points of the reference at the end.
static outcome simulate_grid(experiment *e, double number)
{
    fm_error *err = experiment_error(e);
    outcome out = {{0}, {0}, 0, 0};
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    fm_grid_def def = fixture_cavity_grid_def(2, experiment_quick(e) ? 16 : 128, 1 / number);
    fm_grid *grid = fm_grid_create(world, &def, err);
    if (grid)
        fm_world_advance(world, experiment_quick(e) ? 0.05 : 5, err);
    for (int i = 0; i < ROWS && !experiment_failed(e); i++) {
        fm_vec3 at[2] = {{0.5, reference[i][0], 0}, {reference[i][2], 0.5, 0}}, v[2] = {{0}};
        fm_grid_sample(grid, at, 2, v, err);
        out.u[i] = v[0].x;
        out.v[i] = v[1].y;
    }
    fm_world_destroy(world);
    return out;
}

// Root mean square difference of two flows, m/s, without the points on the walls.
static double flow_difference(const outcome *a, const outcome *b)
{
    double square = 0;
    for (int i = 1; i + 1 < ROWS; i++)
        square += (pow(a->u[i] - b->u[i], 2) + pow(a->v[i] - b->v[i], 2)) / (2 * (ROWS - 2));
    return sqrt(square);
}

// Reports the errors of four fluids at a higher Reynolds number.
static void report_number(experiment *e, double number)
{
    const fm_fractional none = fm_default_particles_def().fractional;
    double viscosity = 1000 / number; // Pa s; water, 1 m, 1 m/s
    int cells = experiment_quick(e) ? 15 : 60;
    const variant variants[] = {
        {"standard", cells, none, viscosity},
        {"10 steps as published", cells, streams_window_viscosity(10, 1), viscosity},
        {"standard at its viscosity", cells, none, 0},
        {"10 steps scaled", cells, streams_window_viscosity(10, 0), viscosity},
    };
    outcome right = simulate_grid(e, number), all[4] = {{{0}, {0}, 0, 0}};
    for (int a = 0; a < 4 && !experiment_failed(e); a++) {
        double used = variants[a].viscosity > 0 ? variants[a].viscosity : all[a - 1].steady;
        all[a] = simulate_cavity(e, &variants[a], used);
        experiment_add_named_result(e, NAN, flow_difference(&all[a], &right), "",
                                    "Re %g, %s: error", number, variants[a].name);
    }
    experiment_add_named_result(e, NAN, flow_difference(&all[1], &all[2]), "",
                                "Re %g: as published from its viscosity", number);
}

// Root mean square difference of the velocities from the reference, m/s, without the points on the
// walls.
static double velocity_error(const outcome *o)
{
    outcome right = {{0}, {0}, 0, 0};
    for (int i = 0; i < ROWS; i++) {
        right.u[i] = reference[i][1];
        right.v[i] = reference[i][3];
    }
    return flow_difference(o, &right);
}

// Writes and plots the velocities along both centre lines.
static void write_profiles(experiment *e, const variant *variants, const outcome *all, int count)
{
    experiment_table *table =
        experiment_table_open(e, "profiles.csv", "arm,y_m,u,u_reference,x_m,v,v_reference");
    for (int a = 0; a < count; a++)
        for (int i = 0; i < ROWS; i++)
            experiment_write_row(table, "%s,%g,%g,%g,%g,%g,%g", variants[a].name, reference[i][0],
                                 all[a].u[i], reference[i][1], reference[i][2], all[a].v[i],
                                 reference[i][3]);
    experiment_plot(
        e, "profiles", "Lid-driven cavity, Re 100, t = 5 s: u along x = 0.5",
        "set xlabel 'y, m'\nset ylabel 'u, m/s'\nset key left top\n"
        "arms = system(\"awk -F, 'NR>1 && !seen[$1]++ {gsub(/ /,\\\"_\\\",$1); print $1}' "
        "profiles.csv\")\n"
        "plot 'profiles.csv' every ::0::16 using 2:4 with points pt 7 lc 'black' title 'OpenFOAM', "
        "for [k = 1:words(arms)] 'profiles.csv' every ::((k-1)*17)::(k*17-1) using 2:3 with lines "
        "ls (k > 7 ? 7 : k) title word(arms, k) noenhanced\n");
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "sph-cavity",
                                    "A lid-driven cavity with fractional viscosity.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    const fm_fractional none = fm_default_particles_def().fractional;
    const int coarse = quick ? 20 : 100, fine = quick ? 30 : 200;
    const variant variants[] = {
        {"standard", coarse, none, 10},
        {"10 steps as published", coarse, streams_window_viscosity(10, 1), 10},
        {"standard at its viscosity", coarse, none, 0},
        {"10 steps scaled", coarse, streams_window_viscosity(10, 0), 10},
        {"fading 0.05 s scaled", coarse, streams_fading_viscosity(0.05, 0), 10},
        {"full T = 1 s", coarse, streams_full_viscosity(1), 10},
        {"standard fine", fine, none, 10},
        {"10 steps as published fine", fine, streams_window_viscosity(10, 1), 10},
        {"10 steps scaled fine", fine, streams_window_viscosity(10, 0), 10},
    };
    enum { VARIANTS = sizeof variants / sizeof *variants };
    outcome all[VARIANTS] = {{{0}, {0}, 0, 0}};
    for (int a = 0; a < VARIANTS && !experiment_failed(e); a++) {
        double viscosity = variants[a].viscosity > 0 ? variants[a].viscosity : all[a - 1].steady;
        all[a] = simulate_cavity(e, &variants[a], viscosity);
        experiment_add_named_result(e, NAN, velocity_error(&all[a]), "", "%s, %d particles: error",
                                    variants[a].name, variants[a].cells * variants[a].cells);
        experiment_add_named_result(e, NAN, all[a].steady, "Pa s",
                                    "%s: viscosity in steady shear, at the end", variants[a].name);
    }
    if (!experiment_failed(e)) {
        experiment_add_result(e, "mean step, 10,000 particles", NAN, 1e3 * all[0].step, "ms");
        write_profiles(e, variants, all, VARIANTS);
    }
    report_number(e, 400);
    report_number(e, 1000);
    return experiment_close(e);
}
