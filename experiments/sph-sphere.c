// SPDX-License-Identifier: MIT
// sph-sphere.c: a ball in a shaken box of fluid, with and without memory in the viscosity.
//
// [OZG13] §4.4.1, figure 4.3, after the experiment of L'Espérance et al. 2005: a closed box of
// 12,000 particles is shaken, a ball half as heavy again, weightless, is carried along. With 40 %
// fewer particles the fractional fluid gives a path nearer to that of the high resolution than the
// standard one does, and nearer to a sine. The thesis shows curves, no numbers or parameters.
//
// Here the scene shaken-box: 0.3 x 0.2 x 0.2 m, +-3 cm at 2 Hz, 1 Pa s, a ball of 3 cm radius, the
// default method, 6 periods; but the box starts from one end of its way, at rest, not with a jerk.
// The ball's path in the frame of the box, over the last 3 periods:
//
//   sine       root mean square of what the best sine of that period (and a straight line, for
//              drift) leaves, over the amplitude
//   distance   root mean square distance to the path in the high resolution, over its amplitude
//
// for six jitters of the particles, the same in both resolutions. Chance is the distance in the
// high resolution from each jitter to the next.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, 2013.
#include "streams.h"

#include <stdio.h>

enum { SAMPLES_MAX = 300, JITTERS = 6 };
static const double period = 0.5, shake = 0.03; // s, m

typedef struct path {
    int count;
    double t[SAMPLES_MAX], x[SAMPLES_MAX]; // s, m in the frame of the box
    double steady;                         // Pa s
} path;

static void run(experiment *e, double spacing, double viscosity, const fm_fractional *fractional,
                int seed, path *out)
{
    fm_error *err = experiment_error(e);
    fm_world_def world_def = fm_default_world_def();
    world_def.gravity = (fm_vec3){0, 0, 0};
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, err);
    const double pi = 3.14159265358979;
    const fm_key back = {.position = {-shake, 0, 0}}; // so that it starts where it is
    fm_motion *motion = fm_motion_compose(
        world, fm_motion_sine_phase(world, (fm_vec3){1, 0, 0}, shake, period, pi / 2, err),
        fm_motion_keyframes(world, &back, 1, FM_INTERPOLATE_LINEAR, (fm_vec3){0, 0, 0}, err), err);
    fm_collider_def ball_def = fm_default_collider_def();
    ball_def.shape =
        (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.15, 0.1, 0.1}, .radius = 0.03};
    ball_def.mass = 0.1696; // kg
    fm_collider *ball = fm_collider_create(world, &ball_def, err);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = spacing;
    def.viscosity = viscosity;
    def.fractional = *fractional;
    def.domain.high = (fm_vec3){0.3, 0.2, 0.2};
    def.domain.motion = motion;
    fm_particles *fluid = fm_particles_create(world, &def, err);
    fm_fluid_box box = {.high = def.domain.high, .jitter = 0.05, .seed = (uint64_t)seed};
    bool quick = experiment_quick(e);
    out->count = quick ? 20 : SAMPLES_MAX;
    double frame = (quick ? 0.1 : 6) * period / out->count;
    if (fluid && fm_particles_add_box(fluid, &box, err)) {
        for (int k = 0; k < out->count && err->status == FM_OK; k++) {
            fm_world_advance(world, frame, err);
            out->t[k] = (k + 1) * frame;
            out->x[k] = fm_collider_position(ball).x - 0.15 -
                        shake * (cos(2 * pi * out->t[k] / period) - 1);
        }
        out->steady = fm_particles_steady_viscosity(fluid);
    }
    fm_world_destroy(world);
}

// a + b t + c sin + d cos by least squares over the second half, by elimination. Gives the
// amplitude; rest: root mean square of what is left.
static double fit(const path *p, double *rest)
{
    double A[4][5] = {{0}}, basis[4];
    for (int pass = 0; pass < 2; pass++) {
        double square = 0;
        int n = 0;
        for (int k = p->count / 2; k < p->count; k++, n++) {
            double phase = 2 * 3.14159265358979 * p->t[k] / period;
            basis[0] = 1, basis[1] = p->t[k] - p->t[p->count - 1];
            basis[2] = sin(phase), basis[3] = cos(phase);
            double left = p->x[k];
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4 && pass == 0; j++)
                    A[i][j] += basis[i] * basis[j];
                if (pass == 0)
                    A[i][4] += basis[i] * p->x[k];
                left -= pass ? A[i][4] * basis[i] : 0;
            }
            square += left * left;
        }
        *rest = sqrt(square / n);
        for (int i = 0; i < 4 && pass == 0; i++) { // Gauss and Jordan; positive definite
            double pivot = A[i][i];
            for (int j = 0; j < 5; j++)
                A[i][j] /= pivot;
            for (int k = 0; k < 4; k++) {
                double factor = k == i ? 0 : A[k][i];
                for (int j = 0; j < 5; j++)
                    A[k][j] -= factor * A[i][j];
            }
        }
    }
    return hypot(A[2][4], A[3][4]);
}

static double distance(const path *a, const path *b)
{
    double square = 0;
    int n = 0;
    for (int k = a->count / 2; k < a->count; k++, n++)
        square += pow(a->x[k] - b->x[k], 2);
    return sqrt(square / n);
}

enum { STANDARD, PUBLISHED, CONTROL, SCALED, FADING, FULL, ARMS };
static const char *const names[ARMS] = {
    "standard",        "10 steps as published", "standard equivalent viscosity",
    "10 steps scaled", "fading 0.05 s scaled",  "full T = 1 s"};

typedef struct study {
    path high[JITTERS], low, first[ARMS]; // first: of each arm, the first jitter
    double amplitude[JITTERS];            // m, in the high resolution
    double viscosity;                     // Pa s, that 10 steps as published amount to
    int jitters;
} study;

static void run_high(experiment *e, study *s, double spacing)
{
    const fm_fractional none = fm_default_particles_def().fractional;
    streams_mean amplitude = {0}, sine = {0}, far = {0};
    for (int j = 0; j < s->jitters && !experiment_failed(e); j++) {
        double rest;
        run(e, spacing, 1, &none, 1 + j, &s->high[j]);
        s->amplitude[j] = fit(&s->high[j], &rest);
        streams_add(&amplitude, s->amplitude[j]);
        streams_add(&sine, rest / s->amplitude[j]);
    }
    for (int j = 0; j < s->jitters && s->jitters > 1; j++)
        streams_add(&far, distance(&s->high[(j + 1) % s->jitters], &s->high[j]) / s->amplitude[j]);
    experiment_result(e, "amplitude in the box, high resolution", NAN,
                      1e3 * streams_average(&amplitude), "mm");
    experiment_result(e, "high resolution: left by the best sine", NAN, streams_average(&sine), "");
    experiment_result(e, "high resolution: its standard deviation", NAN, streams_spread(&sine), "");
    experiment_result(e, "high resolution, another jitter: distance", NAN, streams_average(&far),
                      "");
    experiment_result(e, "high resolution, another jitter: its standard deviation", NAN,
                      streams_spread(&far), "");
}

static void run_arm(experiment *e, study *s, double spacing, int arm, const fm_fractional *memory,
                    experiment_table *table)
{
    streams_mean sine = {0}, far = {0}, amplitude = {0};
    for (int j = 0; j < s->jitters && !experiment_failed(e); j++) {
        double rest;
        run(e, spacing, arm == CONTROL ? s->viscosity : 1, memory, 1 + j, &s->low);
        double own = fit(&s->low, &rest), away = distance(&s->low, &s->high[j]);
        streams_add(&amplitude, own);
        streams_add(&sine, rest / own);
        streams_add(&far, away / s->amplitude[j]);
        experiment_row(table, "%d,%s,%.4g,%.4g,%.4g", 1 + j, names[arm], own, rest / own,
                       away / s->amplitude[j]);
        if (j == 0)
            s->first[arm] = s->low;
    }
    s->viscosity = arm == PUBLISHED ? s->low.steady : s->viscosity;
    experiment_result_of(e, NAN, 1e3 * streams_average(&amplitude), "mm", "%s: amplitude",
                         names[arm]);
    experiment_result_of(e, NAN, streams_average(&sine), "", "%s: left by the best sine",
                         names[arm]);
    experiment_result_of(e, NAN, streams_spread(&sine), "", "%s: standard deviation of that",
                         names[arm]);
    experiment_result_of(e, NAN, streams_average(&far), "", "%s: distance to the high resolution",
                         names[arm]);
    experiment_result_of(e, NAN, streams_spread(&far), "", "%s: its standard deviation",
                         names[arm]);
}

static void write_paths(experiment *e, const study *s)
{
    experiment_table *table =
        experiment_table_open(e, "paths.csv", "time_s,high,standard,published");
    for (int k = 0; k < s->high[0].count; k++)
        experiment_row(table, "%g,%g,%g,%g", s->high[0].t[k], s->high[0].x[k],
                       s->first[STANDARD].x[k], s->first[PUBLISHED].x[k]);
    experiment_plot(e, "paths", "A ball in a shaken box, in the frame of the box",
                    "set xlabel 'time, s'\nset ylabel 'x, m'\n"
                    "plot 'paths.csv' using 1:2 with lines ls 5 title 'high resolution', "
                    "'' using 1:3 with lines ls 6 title 'low', "
                    "'' using 1:4 with lines ls 1 title 'low, 10 steps as published'\n");
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "sph-sphere",
                        "A ball in a shaken box of fluid, with and without memory.", &status);
    if (!e)
        return status;
    bool quick = experiment_quick(e);
    const fm_fractional none = fm_default_particles_def().fractional;
    const fm_fractional arms[ARMS] = {
        none,          recall_steps(10, 1), none, recall_steps(10, 0), recall_fading(0.05, 0),
        recall_full(1)};
    study *s = experiment_alloc(e, 1, sizeof *s);
    experiment_table *table =
        experiment_table_open(e, "seeds.csv", "seed,arm,amplitude_m,sine,distance");
    if (s && !experiment_failed(e)) {
        s->jitters = quick ? 1 : JITTERS;
        s->viscosity = 1;
        run_high(e, s, quick ? 0.02 : 0.01);
        for (int a = 0; a < ARMS && !experiment_failed(e); a++)
            run_arm(e, s, quick ? 0.022 : 0.01186, a, &arms[a], table);
        experiment_result(e, "viscosity that 10 steps, as published, amount to", NAN, s->viscosity,
                          "Pa s");
        write_paths(e, s);
    }
    return experiment_close(e);
}
