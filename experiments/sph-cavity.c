// SPDX-License-Identifier: MIT
// sph-cavity.c: the lid-driven cavity with viscosity that remembers, against a grid solver.
//
// [OZG13] §4.4.2, figure 4.4: 40,000 particles, velocities along x = 0.5 at t = 5 s; standard and
// fractional SPH both follow OpenFOAM, from which the thesis concludes that the fractional
// viscosity adds none to the standard one. Reynolds number, step and viscosity are not given.
//
// Here Re = 100 (unit square, lid 1 m/s, 10 Pa s), the default method without artificial viscosity,
// compared with OpenFOAM extrapolated to a fine grid (tests/reference). Root mean square of the
// differences along both centre lines, in speeds of the lid, at t = 5 s: 10,000 particles with each
// memory, then 40,000 without memory, as published, and scaled. With ten steps and the same number
// for the viscosity, a flow at rest in the mean feels 2 sqrt(10 h / pi) of it.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#include "streams.h"

enum { ROWS = 17 };

// y, u at x = 0.5, x, v at y = 0.5.
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

typedef struct arm {
    const char *name;
    int cells;
    fm_fractional fractional;
    double viscosity; // Pa s; 0: what the arm before it amounted to
} arm;

typedef struct outcome {
    double u[ROWS], v[ROWS], steady; // steady: Pa s
    double step;                     // s, mean
} outcome;

static outcome run(experiment *e, const arm *a, double viscosity)
{
    fm_error *err = experiment_error(e);
    outcome out = {{0}, {0}, 0, 0};
    fm_world_def world_def = fm_default_world_def();
    world_def.gravity = (fm_vec3){0, 0, 0};
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, err);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = 1.0 / a->cells;
    def.viscosity = viscosity;
    def.artificial_viscosity = 0;
    def.speed = 1;
    def.courant = 0.5;
    def.fractional = a->fractional;
    def.domain.high = (fm_vec3){1, 1, 0};
    def.domain.slide[FM_SIDE_TOP] = (fm_vec3){1, 0, 0};
    fm_particles *fluid = fm_particles_create(world, &def, err);
    fm_fluid_box box = {.high = {1, 1, 0}};
    double end = experiment_quick(e) ? 0.05 : 5;
    int64_t steps = 0;
    if (fluid && fm_particles_add_box(fluid, &box, err))
        for (int k = 0; k < 50; k++)
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

// The walls themselves are left out.
static double deviation(const outcome *o)
{
    double square = 0;
    for (int i = 1; i + 1 < ROWS; i++)
        square += (pow(o->u[i] - reference[i][1], 2) + pow(o->v[i] - reference[i][3], 2)) /
                  (2 * (ROWS - 2));
    return sqrt(square);
}

static void write_profiles(experiment *e, const arm *arms, const outcome *all, int count)
{
    experiment_table *table =
        experiment_table_open(e, "profiles.csv", "arm,y_m,u,u_reference,x_m,v,v_reference");
    for (int a = 0; a < count; a++)
        for (int i = 0; i < ROWS; i++)
            experiment_row(table, "%s,%g,%g,%g,%g,%g,%g", arms[a].name, reference[i][0],
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
                                    "A lid-driven cavity with viscosity that remembers.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    const fm_fractional none = fm_default_particles_def().fractional;
    const int coarse = quick ? 20 : 100, fine = quick ? 30 : 200;
    const arm arms[] = {
        {"standard", coarse, none, 10},
        {"10 steps as published", coarse, recall_steps(10, 1), 10},
        {"standard at its viscosity", coarse, none, 0},
        {"10 steps scaled", coarse, recall_steps(10, 0), 10},
        {"fading 0.05 s scaled", coarse, recall_fading(0.05, 0), 10},
        {"full T = 1 s", coarse, recall_full(1), 10},
        {"standard fine", fine, none, 10},
        {"10 steps as published fine", fine, recall_steps(10, 1), 10},
        {"10 steps scaled fine", fine, recall_steps(10, 0), 10},
    };
    enum { ARMS = sizeof arms / sizeof *arms };
    outcome all[ARMS] = {{{0}, {0}, 0, 0}};
    for (int a = 0; a < ARMS && !experiment_failed(e); a++) {
        double viscosity = arms[a].viscosity > 0 ? arms[a].viscosity : all[a - 1].steady;
        all[a] = run(e, &arms[a], viscosity);
        experiment_result_of(e, NAN, deviation(&all[a]), "", "%s, %d particles: error",
                             arms[a].name, arms[a].cells * arms[a].cells);
        experiment_result_of(e, NAN, all[a].steady, "Pa s",
                             "%s: viscosity in steady shear, at the end", arms[a].name);
    }
    if (!experiment_failed(e)) {
        experiment_result(e, "mean step, 10,000 particles", NAN, 1e3 * all[0].step, "ms");
        write_profiles(e, arms, all, ARMS);
    }
    return experiment_close(e);
}
