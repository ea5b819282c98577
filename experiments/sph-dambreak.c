// SPDX-License-Identifier: MIT
// sph-dambreak.c: a column of fluid collapses, at several Reynolds numbers.
//
// [OZG13] shows a dam break at various Reynolds numbers (figure 4.14) and a rendered one (figure
// 4.15), both with the fractional method and without numbers; 20,000 particles ran at 4 steps per
// second on four cores of 3.2 GHz. Here: Newtonian viscosity with the method that the library
// chooses by default ("default": constant density, except where viscosity bounds the step) and with
// the weakly compressible method, and beside the latter the fractional one at three Reynolds
// numbers: half derivatives of the shear over ten steps, T = 1 s, as in the thesis ("10 steps"),
// and scaled such that steady shear feels the nominal viscosity ("scaled"). The control is
// Newtonian fluid of the viscosity that steady shear feels with ten steps ("equivalent"). Where it
// equals the fractional one, memory does nothing that a smaller viscosity does not do.
//
// A 2D column of width a = 2.25 in and twice as high, released at once. Measured:
//
//   front     Z = x/a of the foremost fluid against T = t sqrt(2 g/a), for water and for fluids of
//             Re = sqrt(g H) H rho / mu = 3000, 300, 30 with H = 2a. For water also the largest
//             deviation from Martin and Moyce 1952, after subtracting the delay that fits best,
//             because time in the experiment starts with the opening of a gate
//   height    of the fluid between 0.2a and 0.4a from the wall
//   energy    kinetic energy / lost potential energy when the front is at 4a
//
//   distance  of the fractional fluid and of its control from each other, in front and height: the
//             largest over time
//
// Then 3D columns with both methods: of 20,000 particles, substeps per second and the time of a
// simulated second, and of 6,000 particles, the volume after it has come to rest (--quick: far
// fewer particles and less time).
//
// [OZG13] in docs/references.md
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    FLUIDS = 17,
    NUMBERS = 4,
    SAMPLES_MAX = 121,
    POINTS = 14
};                                         // POINTS: measured by Martin and Moyce
static const double a = 0.05715, g = 9.81; // width of the column, m; gravity, m/s^2
static const double reynolds[NUMBERS] = {0, 3000, 300, 30}; // 0: viscosity of water
static const char *const names[FLUIDS] = {"water",
                                          "Re 3000",
                                          "Re 300",
                                          "Re 30",
                                          "Re 3000 10 steps",
                                          "Re 300 10 steps",
                                          "Re 30 10 steps",
                                          "Re 3000 equivalent",
                                          "Re 300 equivalent",
                                          "Re 30 equivalent",
                                          "Re 3000 scaled",
                                          "Re 300 scaled",
                                          "Re 30 scaled",
                                          "water default",
                                          "Re 3000 default",
                                          "Re 300 default",
                                          "Re 30 default"};
// The fluids 1 + k, of Re = reynolds[1 + k], and their variants: TEN_STEPS + k and so on. DEFAULT +
// k: the fluid k with the method that the library chooses.
enum {
    TEN_STEPS = NUMBERS,
    EQUIVALENT = TEN_STEPS + 3,
    SCALED = EQUIVALENT + 3,
    DEFAULT = SCALED + 3
};

// Particles with a smaller fill are spray; two or three neighbours in 2D give more.
static const double SPRAY_FILL = 0.4;

// Position Z = x/a of the front at times T = t sqrt(2 g/a), measured by Martin and Moyce 1952 for a
// column twice as high as wide (their n^2 = 2): T, Z.
static const double measured[POINTS][2] = {
    {0.41, 1.11}, {0.84, 1.23}, {1.19, 1.44}, {1.43, 1.67},   {1.63, 1.89},
    {1.82, 2.11}, {1.97, 2.33}, {2.20, 2.56}, {2.32, 2.78},   {2.50, 3.00},
    {2.64, 3.22}, {2.82, 3.44}, {2.96, 3.67}, {3.345, 4.134},
};

// Measured series of one collapse.
typedef struct collapse {
    int count;                             // number of samples
    double T[SAMPLES_MAX], Z[SAMPLES_MAX]; // dimensionless time, position of the front over a
    double height[SAMPLES_MAX];            // height near the wall over a
    double share[SAMPLES_MAX];             // kinetic energy over lost potential energy
    double steady;                         // Pa s, viscosity felt by steady shear, at the end
    char method[120];                      // chosen by the library, and why
} collapse;

// Measures front and height, in units of a, of fluid that is not spray. The fill is the share of
// the space around a particle that fluid takes.
static void measure_front(fm_particles *fluid, double spacing, double *front, double *height,
                          fm_error *err)
{
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    double *fill = malloc(((size_t)n + 1) * sizeof *fill);
    *front = *height = 0;
    if (fill && fm_particles_read_field(fluid, "fill", fill, err)) {
        for (int i = 0; i < n; i++) {
            if (fill[i] < SPRAY_FILL)
                continue;
            *front = fmax(*front, (x[i].x + spacing / 2) / a);
            if (x[i].x > 0.2 * a && x[i].x < 0.4 * a) // away from the film that sticks to the wall
                *height = fmax(*height, (x[i].y + spacing / 2) / a);
        }
    }
    free(fill);
}

// Writes the particles at the end for the picture of all fluids.
static void write_particles(experiment *e, fm_particles *fluid, int which)
{
    char file[32];
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n);
    snprintf(file, sizeof file, "end-%d.csv", which);
    experiment_table *table = experiment_table_open(e, file, "x_over_a,y_over_a");
    for (int i = 0; i < n; i++)
        experiment_write_row(table, "%.4g,%.4g", x[i].x / a, x[i].y / a);
}

// The viscosity of the fluid names[which]. c: the collapses of the fluids before it.
static void set_viscosity(fm_particles_def *def, int which, const collapse *c)
{
    int number = which >= DEFAULT  ? which - DEFAULT
                 : which < NUMBERS ? which
                                   : 1 + (which - NUMBERS) % 3;
    def->viscosity = 1e-3; // Pa s, of water
    if (reynolds[number] > 0)
        def->viscosity = sqrt(g * 2 * a) * 2 * a * def->density / reynolds[number];
    if (which >= DEFAULT)
        def->method = FM_SPH_AUTOMATIC;
    else if (which >= SCALED)
        def->fractional = streams_window_viscosity(10, 0);
    else if (which >= EQUIVALENT)
        def->viscosity = c[which - EQUIVALENT + TEN_STEPS].steady;
    else if (which >= TEN_STEPS)
        def->fractional = streams_window_viscosity(10, 1);
}

// Simulates the collapse of the fluid names[which] and stores it in all[which].
static void run_collapse(experiment *e, int which, collapse *all)
{
    fm_error *err = experiment_error(e);
    bool quick = experiment_quick(e);
    collapse *c = &all[which];
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    fm_particles_def def = fixture_tank_def(2, a / (quick ? 10 : 40), (fm_vec3){12 * a, 3 * a, 0});
    streams_set_method(&def, 0.1);
    set_viscosity(&def, which, all);
    fm_fluid_box box = {.high = {a, 2 * a, 0}, .settled = true};
    fm_particles *fluid = fixture_create_fluid(world, &def, &box, err);
    if (!fluid) {
        fm_world_destroy(world);
        return;
    }
    double end = quick ? 3 : 6, start = fm_world_report(world).potential_energy;
    c->count = quick ? 31 : SAMPLES_MAX;
    for (int k = 0; k < c->count && err->status == FM_OK; k++) {
        fm_report now = {.potential_energy = start};
        if (k > 0)
            now = fm_world_advance(world, end / (c->count - 1) * sqrt(a / (2 * g)), err);
        c->T[k] = end * k / (c->count - 1);
        measure_front(fluid, def.spacing, &c->Z[k], &c->height[k], err);
        double lost = start - now.potential_energy;
        c->share[k] = lost > 0 ? now.kinetic_energy / lost : 0;
    }
    c->steady = fm_particles_steady_viscosity(fluid);
    snprintf(c->method, sizeof c->method, "%s", fm_particles_method_reason(fluid));
    if (which > 0 && which < DEFAULT)
        write_particles(e, fluid, which);
    fm_world_destroy(world);
}

// Linear interpolation of a measured series at the dimensionless time T.
static double interpolate(const collapse *c, const double *values, double T)
{
    int i = 1;
    while (i < c->count - 1 && c->T[i] < T)
        i++;
    double share = (T - c->T[i - 1]) / (c->T[i] - c->T[i - 1]);
    return values[i - 1] + share * (values[i] - values[i - 1]);
}

// Sum of squares, or largest value, of the relative deviations of the front from the experiment,
// after subtracting `delay` (dimensionless) from its times.
static double front_deviation(const collapse *c, double delay, bool largest)
{
    double sum = 0;
    for (int i = 1; i < POINTS; i++) {
        double T = measured[i][0] - delay;
        if (T > c->T[c->count - 1])
            continue;
        double d = interpolate(c, c->Z, T) / measured[i][1] - 1;
        sum = largest ? fmax(sum, fabs(d)) : sum + d * d;
    }
    return sum;
}

// Reports how far the front of water is from the experiment.
static void report_deviation(experiment *e, const collapse *c, const char *name)
{
    const double interval = 0.005; // of the delays that are tried
    double delay = 0;
    for (int k = 0; k < 80; k++)
        if (front_deviation(c, interval * k, false) < front_deviation(c, delay, false))
            delay = interval * k;
    experiment_add_named_result(e, NAN, 1e3 * delay * sqrt(a / (2 * g)), "ms",
                                "%s: delay of the gate", name);
    experiment_add_named_result(e, NAN, 100 * front_deviation(c, delay, true), "%",
                                "%s: largest deviation of the front from Martin and Moyce", name);
}

// Reports front, height and energy of all fluids. c: one collapse per fluid.
static void report_fronts(experiment *e, const collapse *c)
{
    report_deviation(e, &c[0], names[0]);
    report_deviation(e, &c[DEFAULT], names[DEFAULT]);
    experiment_table *methods = experiment_table_open(e, "methods.csv", "fluid,method");
    for (int f = DEFAULT; f < FLUIDS; f++)
        experiment_write_row(methods, "%s,\"%s\"", names[f], c[f].method);
    for (int f = 0; f < FLUIDS; f++) {
        experiment_add_named_result(e, NAN, interpolate(&c[f], c[f].Z, 2.5), "",
                                    "%s: front Z at T = 2.5", names[f]);
        experiment_add_named_result(e, NAN, interpolate(&c[f], c[f].height, 2.5), "",
                                    "%s: height near the wall over a at T = 2.5", names[f]);
        int k = 0;
        while (k < c[f].count - 1 && c[f].Z[k] < 4)
            k++;
        if (c[f].Z[k] >= 4) {
            experiment_add_named_result(e, NAN, c[f].T[k], "", "%s: T when the front is at 4a",
                                        names[f]);
            experiment_add_named_result(e, NAN, c[f].share[k], "",
                                        "%s: share of energy that is motion", names[f]);
        }
    }
}

// Largest difference of two series over time.
static double largest_difference(const double *one, const double *other, int count)
{
    double largest = 0;
    for (int k = 0; k < count; k++)
        largest = fmax(largest, fabs(one[k] - other[k]));
    return largest;
}

// Reports how far the fractional fluids are from the standard one and from their controls.
static void report_distances(experiment *e, const collapse *c)
{
    for (int k = 0; k < NUMBERS - 1; k++) {
        const collapse *ten = &c[TEN_STEPS + k], *equivalent = &c[EQUIVALENT + k],
                       *scaled = &c[SCALED + k], *standard = &c[1 + k];
        int n = ten->count;
        const char *name = names[1 + k];
        experiment_add_named_result(e, NAN, ten->steady / standard->steady, "",
                                    "%s, 10 steps: viscosity in steady shear over nominal", name);
        experiment_add_named_result(e, NAN, largest_difference(ten->Z, standard->Z, n), "",
                                    "%s: front over a, 10 steps against standard", name);
        experiment_add_named_result(e, NAN, largest_difference(ten->Z, equivalent->Z, n), "",
                                    "%s: front over a, 10 steps against equivalent", name);
        experiment_add_named_result(e, NAN, largest_difference(scaled->Z, standard->Z, n), "",
                                    "%s: front over a, scaled against standard", name);
        experiment_add_named_result(e, NAN, largest_difference(ten->height, equivalent->height, n),
                                    "", "%s: height over a, 10 steps against equivalent", name);
    }
}

// Writes and plots front and height of all fluids over time.
static void write_fronts(experiment *e, const collapse *c)
{
    experiment_table *table = experiment_table_open(
        e, "front.csv", "T,water,re3000,re300,re30,water_h,re3000_h,re300_h,re30_h");
    for (int k = 0; k < c[0].count; k++)
        experiment_write_row(table, "%g,%g,%g,%g,%g,%g,%g,%g,%g", c[0].T[k], c[0].Z[k], c[1].Z[k],
                             c[2].Z[k], c[3].Z[k], c[0].height[k], c[1].height[k], c[2].height[k],
                             c[3].height[k]);
    table = experiment_table_open(e, "measured.csv", "T,Z");
    for (int i = 0; i < POINTS; i++)
        experiment_write_row(table, "%g,%g", measured[i][0], measured[i][1]);
    experiment_plot(e, "front", "Dam break: front and height near the wall",
                    "set xlabel 'T = t sqrt(2g/a)'\nset ylabel 'x/a, y/a'\nset key left top\n"
                    "plot for [k = 2:5] 'front.csv' using 1:k with lines ls (k - 1) title "
                    "word('water Re3000 Re300 Re30', k - 1), for [k = 6:9] 'front.csv' using 1:k "
                    "with lines ls (k - 5) dt 2 notitle, 'measured.csv' using 1:2 with points pt 7 "
                    "lc 'black' title 'Martin and Moyce 1952'\n");
    experiment_plot(
        e, "memory", "Dam break at T = 6: standard and fractional fluids",
        "set terminal pngcairo size 1400,560 font 'DejaVu Sans,11'\nset output name.'.png'\n"
        "set ytics 1\nset xtics 2\n"
        "set multiplot layout 3,4 margins 0.05,0.99,0.1,0.86 spacing 0.025,0.11 title "
        "heading font ',18'\nunset title\nunset key\nunset grid\n"
        "set xrange [0:9]\nset yrange [0:2.2]\nset size ratio -1\n"
        "array names[4] = ['standard', '10 steps', 'equivalent', 'scaled']\n"
        "do for [r = 1:3] { do for [k = 0:3] {\n"
        "  set title sprintf('Re %s, %s', word('3000 300 30', r), names[k + 1]) font ',13' "
        "offset 0,-0.6\n"
        "  set xlabel (r == 3 ? 'x/a' : '') offset 0,0.6\n"
        "  set ylabel (k == 0 ? 'y/a' : '') offset 1.5,0\n"
        "  plot 'end-'.(k * 3 + r).'.csv' using 1:2 with points pt 7 ps 0.15 lc "
        "'#0072b2'\n} }\nunset multiplot\n");
}

// Lets a column go in space. Reports substeps per second, or the volume of the water at rest as its
// depth: twice the mean height of the particles. seconds: of the simulation.
static void collapse_in_space(experiment *e, fm_sph_method method, double spacing, double seconds,
                              bool volume)
{
    const char *word = method == FM_SPH_CONSTANT_DENSITY ? "default" : "weakly compressible";
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_water_def(0), err);
    fm_particles_def def = fixture_tank_def(3, spacing, (fm_vec3){1.6, 1.2, 0.4});
    streams_set_method(&def, 0.1);
    def.method = method;
    def.domain.sides[FM_SIDE_TOP] = FM_SIDE_OPEN;
    fm_fluid_box box = {.high = {0.4, 0.6, 0.4}, .settled = true};
    fm_particles *fluid = fixture_create_fluid(world, &def, &box, err);
    double start = experiment_read_clock(false);
    int64_t steps = 0, outside = 0;
    for (int k = 0; k < 20 && fluid && err->status == FM_OK; k++) {
        fm_report report = fm_world_advance(world, seconds / 20, err);
        steps += report.substep_count;
        outside = report.outside_count;
    }
    if (fluid && err->status == FM_OK) {
        double elapsed = experiment_read_clock(false) - start, mean = 0;
        const double depth = 0.15; // m, of 0.4 x 0.6 x 0.4 m^3 of water in a tank of 1.6 x 0.4 m^2
        int n;
        const fm_vec3 *x = fm_particles_positions(fluid, &n);
        for (int i = 0; i < n; i++)
            mean += x[i].y / n;
        if (volume) {
            experiment_add_named_result(e, NAN, 2 * mean / depth, "",
                                        "%d particles, %s: depth at rest over that at the start", n,
                                        word);
            experiment_add_named_result(e, NAN, (double)outside, "",
                                        "%d particles, %s: outside in the end", n, word);
        } else {
            experiment_add_named_result(e, 4, (double)steps / elapsed, "1/s",
                                        "%d particles, %s: substeps a second, all threads", n,
                                        word);
            experiment_add_named_result(e, NAN, elapsed / seconds, "s",
                                        "%d particles, %s: time of a simulated second", n, word);
        }
    }
    fm_world_destroy(world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "sph-dambreak",
                        "A column of fluid collapses, at several Reynolds numbers.", &status);
    if (!e)
        return status;
    collapse *c = experiment_alloc(e, FLUIDS, sizeof *c);
    for (int f = 0; f < FLUIDS && c && !experiment_failed(e); f++)
        run_collapse(e, f, c);
    if (c && !experiment_failed(e)) {
        report_fronts(e, c);
        report_distances(e, c);
        write_fronts(e, c);
        const fm_sph_method methods[] = {FM_SPH_CONSTANT_DENSITY, FM_SPH_WEAKLY_COMPRESSIBLE};
        bool quick = experiment_quick(e);
        for (int m = 0; m < 2; m++) {
            collapse_in_space(e, methods[m], quick ? 0.05 : 0.0165, quick ? 0.02 : 0.5, false);
            collapse_in_space(e, methods[m], quick ? 0.05 : 0.025, quick ? 0.2 : 8, true);
        }
    }
    return experiment_close(e);
}
