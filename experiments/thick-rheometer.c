// SPDX-License-Identifier: MIT
// thick-rheometer.c: apparent viscosity of a thickening fluid against the shear rate, over three
// decades, up and down, with and without history. docs/thickening.md has the theory.
//
// The cell is 2D, periodic along x, between walls that slide in opposite directions. The rate is
// held for a while, then the state moves into a cell with the next rate and a linear profile.
// Stress of the springs and rate are means over the second half of that time in the middle half of
// the cell.
//
//     eta = tau_y / g + n <L^2> / (8 alpha) (k_min + k_hist tau^(1-q) c g <L^3> / <L^2>)
//
// with c = 0.424 holds for g tau < 0.2; its slope is compared there, with history and no yield.
// The fluid without history has a yield ratio, so that it thins.
#include "experiment.h"

#include <fathom/fathom.h>
#include <math.h>
#include <stdlib.h>

static const double SPACING = 0.01, HEIGHT = 0.2, WIDTH = 0.08; // m
static const double RELAXATION = 0.02, FADING = 0.1;            // s, 1 / alpha and tau
static const double ORDER = 0.5, ONSET = 0.5, VISCOSITY = 2;    // -, 1/s, Pa s of the springs
static const double YIELD = 0.002;                              // of the springs without history
static const double LOWEST = 0.03, HIGHEST = 30;                // 1/s
enum { MOMENTS = 40, RATES_MAX = 16 };

// Means over the second half of the time at one rate.
typedef struct measured {
    double nominal;                 // 1/s, rate of the walls
    double rate, stress, viscosity; // 1/s, Pa, Pa s
    double formula;                 // Pa s, without the yield stress
    double share;                   // stiffness / k_min
} measured;

// A cell whose walls slide with this rate.
static fm_world *create_cell(double rate, bool history, fm_particles **fluid, fm_error *err)
{
    fm_world_def world_def = fm_default_world_def();
    world_def.gravity = (fm_vec3){0};
    fm_world *world = fm_world_create(&world_def, err);
    fm_particles_def def = fm_default_particles_def();
    def.dimensions = 2;
    def.spacing = SPACING;
    def.viscosity = 2;
    def.artificial_viscosity = 0;
    def.speed = HIGHEST * HEIGHT / 2;
    def.domain.high = (fm_vec3){WIDTH, HEIGHT, WIDTH};
    def.domain.sides[FM_SIDE_LEFT] = def.domain.sides[FM_SIDE_RIGHT] = FM_SIDE_PERIODIC;
    def.domain.slide[FM_SIDE_BOTTOM].x = -rate * HEIGHT / 2;
    def.domain.slide[FM_SIDE_TOP].x = rate * HEIGHT / 2;
    def.network.viscosity = VISCOSITY;
    def.network.relaxation = RELAXATION;
    def.network.yield = history ? 0 : YIELD;
    def.network.onset = history ? ONSET : 0;
    def.network.stiffening = 1000;
    def.network.order = ORDER;
    def.network.memory.fading = FADING;
    *fluid = fm_particles_create(world, &def, err);
    fm_particles_add_box(*fluid, &(fm_fluid_box){.high = {WIDTH, HEIGHT, 0}, .jitter = 0.1}, err);
    return world;
}

// Slope dv_x/dy of the least-squares line through the particles of the middle half, 1/s.
static double find_rate(fm_particles *fluid)
{
    int count;
    const fm_vec3 *x = fm_particles_positions(fluid, &count);
    const fm_vec3 *v = fm_particles_velocities(fluid, NULL);
    double yy = 0, yv = 0;
    for (int i = 0; i < count; i++) {
        double y = x[i].y - HEIGHT / 2;
        if (fabs(y) > HEIGHT / 4)
            continue;
        yy += y * y;
        yv += y * v[i].x;
    }
    return yv / yy;
}

// Gives all particles the velocities of a linear profile: momentum would need seconds to diffuse.
static void set_profile(experiment *e, fm_particles *fluid, double rate)
{
    int count;
    const fm_vec3 *x = fm_particles_positions(fluid, &count);
    fm_vec3 *v = experiment_alloc(e, (size_t)count, sizeof *v);
    for (int i = 0; v && i < count; i++)
        v[i].x = rate * (x[i].y - HEIGHT / 2);
    if (v)
        fm_particles_set_velocities(fluid, v, experiment_error(e));
}

// Holds one rate and measures.
static measured hold(fm_world *world, fm_particles *fluid, double rate, bool history, bool quick,
                     fm_error *err)
{
    measured m = {.nominal = rate};
    const double duration = fmax(5 * FADING, fmin(1 / rate, quick ? 0 : 2));
    for (int k = 0; k < 2 * MOMENTS && err->status == FM_OK; k++) {
        fm_world_advance(world, duration / (2 * MOMENTS), err);
        if (k < MOMENTS)
            continue;
        fm_spring_stats net = fm_particles_read_springs(fluid, (fm_vec3){-1, HEIGHT / 4, -1},
                                                        (fm_vec3){1, 3 * HEIGHT / 4, 1});
        double n = (double)net.spring_count / (net.particle_count * SPACING * SPACING);
        double g = find_rate(fluid), k_hist = net.least_stiffness / net.onset_memory;
        double M = pow(FADING, 1 - ORDER) * 0.424 * g * net.mean_cube / net.mean_square;
        m.rate += g / MOMENTS;
        m.stress += net.stress[0] / MOMENTS;
        m.share += net.mean_stiffness / net.least_stiffness / MOMENTS;
        m.formula += n * net.mean_square * RELAXATION / 8 *
                     (net.least_stiffness + (history ? k_hist * M : 0)) / MOMENTS;
    }
    m.viscosity = m.stress / m.rate;
    return m;
}

// Moves the state of a world into another.
static void move_state(fm_world *from, fm_world *to, fm_error *err)
{
    size_t size = fm_world_save(from, NULL, 0);
    void *buffer = malloc(size);
    if (buffer && fm_world_save(from, buffer, size) == size)
        fm_world_restore(to, buffer, size, err);
    free(buffer);
}

// Runs all rates up and then down. Returns the number of values in m.
static int sweep(experiment *e, bool history, int count, measured m[2 * RATES_MAX])
{
    fm_error *err = experiment_error(e);
    fm_world *world = NULL;
    int done = 0;
    for (int k = 0; k < 2 * count && !experiment_failed(e); k++) {
        int step = k < count ? k : 2 * count - 1 - k;
        double rate = LOWEST * pow(HIGHEST / LOWEST, (double)step / (count - 1));
        fm_particles *fluid;
        fm_world *next = create_cell(rate, history, &fluid, err);
        if (world)
            move_state(world, next, err);
        fm_world_destroy(world);
        world = next;
        if (err->status == FM_OK)
            set_profile(e, fluid, rate);
        if (err->status == FM_OK)
            m[done++] = hold(world, fluid, rate, history, experiment_quick(e), err);
    }
    fm_world_destroy(world);
    return done;
}

// Area of the loop of stress over the logarithm of the rate, relative to that below the way up.
static double find_loop_area(const measured *m, int count)
{
    double up = 0, down = 0;
    for (int k = 1; k < count; k++) {
        const measured *a = &m[k], *b = &m[2 * count - 1 - k];
        up += (a[0].stress + a[-1].stress) / 2 * log(a[0].nominal / a[-1].nominal);
        down += (b[0].stress + b[1].stress) / 2 * log(b[0].nominal / b[1].nominal);
    }
    return fabs(down - up) / up;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(
        argc, argv, "thick-rheometer",
        "Viscosity of a thickening fluid against the shear rate, with and without history.",
        &status);
    if (!e)
        return status;
    const int count = experiment_quick(e) ? 3 : 13;
    experiment_table *table = experiment_table_open(
        e, "viscosity.csv",
        "history,down,nominal_1/s,rate_1/s,stress_Pa,viscosity_Pa_s,formula_Pa_s,"
        "stiffness_share");
    for (int history = 0; history < 2; history++) {
        measured m[2 * RATES_MAX];
        int done = sweep(e, history, count, m);
        int last = 0; // the highest rate on the way up with g tau < 0.2
        for (int k = 0; k < done; k++) {
            experiment_write_row(table, "%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", history, k >= count,
                                 m[k].nominal, m[k].rate, m[k].stress, m[k].viscosity, m[k].formula,
                                 m[k].share);
            if (k < count && m[k].rate * FADING < 0.2)
                last = k;
        }
        if (done < 2 * count)
            continue;
        const char *name = history ? "with history" : "without history";
        for (int k = 0; k < count; k += (count - 1) / 2)
            experiment_add_named_result(e, NAN, m[k].viscosity, "Pa s", "%s, viscosity at %.3g 1/s",
                                        name, m[k].rate);
        experiment_add_named_result(e, NAN, find_loop_area(m, count), "",
                                    "%s, area of the hysteresis loop, relative", name);
        int first = 0; // the lowest rate with g tau > 0.02
        while (first < last && m[first].rate * FADING < 0.02)
            first++;
        if (history && last > first)
            experiment_add_named_result(
                e, (m[last].formula - m[first].formula) / (m[last].rate - m[first].rate),
                (m[last].viscosity - m[first].viscosity) / (m[last].rate - m[first].rate), "Pa s^2",
                "slope from %.3g to %.3g 1/s, beside the formula", m[first].rate, m[last].rate);
    }
    experiment_plot(
        e, "viscosity", "Viscosity of the springs against the shear rate",
        "set logscale xy\nset xlabel 'shear rate [1/s]'\nset ylabel 'viscosity [Pa s]'\n"
        "set key top left\n"
        "plot name.'.csv' using ($1==1&&$2==0?$4:1/0):6 with linespoints ls 1 title "
        "'with history, up', \\\n"
        "     '' using ($1==1&&$2==1?$4:1/0):6 with linespoints ls 2 title 'down', \\\n"
        "     '' using ($1==1&&$2==0?$4:1/0):7 with lines ls 8 title 'formula', \\\n"
        "     '' using ($1==0&&$2==0?$4:1/0):6 with linespoints ls 3 title 'without "
        "history, up', \\\n"
        "     '' using ($1==0&&$2==1?$4:1/0):6 with linespoints ls 4 title 'down'\n");
    return experiment_close(e);
}
