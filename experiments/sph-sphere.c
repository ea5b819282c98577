// SPDX-License-Identifier: MIT
// sph-sphere.c: a ball in a shaken box of fluid, with and without fractional viscosity.
//
// [OZG13] §4.4.1, figure 4.3, after the experiment of L'Espérance et al. 2005: a closed box of
// 12,000 particles without gravity is shaken and carries a ball of 1.5 times the fluid's density.
// With 40 % fewer particles, the fractional fluid gives a path closer to that of the high
// resolution, and closer to a sine, than the standard one. The thesis shows curves without numbers
// or parameters.
//
// Here: the scene shaken-box (0.3 x 0.2 x 0.2 m, +-3 cm at 2 Hz, 1 Pa s, a ball of 3 cm radius, the
// weakly compressible method, 6 periods), except that the box starts at rest at one end of its
// path, not with a jerk. Measured over the last 3 periods of the ball's path in the frame of the
// box:
//
//   sine       root mean square residual of the least-squares fit of a sine of that period and a
//              straight line (drift), relative to the amplitude
//   distance   root mean square distance from the path in the high resolution, relative to its
//              amplitude
//
// for six random jitters of the particles, the same in both resolutions. The distance between runs
// of the high resolution with different jitters shows the effect of chance.
//
// [OZG13] in docs/references.md
#include "streams.h"

#include <stdio.h>

enum { SAMPLES_MAX = 300, JITTERS = 6 }; // JITTERS: random initial positions of the particles
static const double period = 0.5, shake = 0.03; // of the box: period, s; amplitude, m

// The path of the ball.
typedef struct path {
    int count;                             // samples
    double t[SAMPLES_MAX], x[SAMPLES_MAX]; // s, m in the frame of the box
    double steady;                         // Pa s, viscosity felt by steady shear at the end
} path;

// Simulates the shaken box with particles `spacing` (m) apart and records the path of the ball.
static void simulate_box(experiment *e, double spacing, double viscosity,
                         const fm_fractional *fractional, int seed, path *out)
{
    fm_error *err = experiment_error(e);
    fm_world *world = fixture_create_world(fixture_weightless_water_def(1), err);
    const double pi = 3.14159265358979;
    const fm_key back = {.position = {-shake, 0, 0}}; // so that the displacement is 0 at t = 0
    fm_motion *motion = fm_motion_compose(
        world, fm_motion_sine_phase(world, (fm_vec3){1, 0, 0}, shake, period, pi / 2, err),
        fm_motion_keyframes(world, &back, 1, FM_INTERPOLATE_LINEAR, (fm_vec3){0, 0, 0}, err), err);
    fm_collider_def ball_def = fixture_ball_def((fm_vec3){0.15, 0.1, 0.1}, 0.03);
    ball_def.mass = 0.1696; // kg, 1.5 times the mass of the fluid it displaces
    fm_collider *ball = fm_collider_create(world, &ball_def, err);
    fm_particles_def def = fixture_tank_def(3, spacing, (fm_vec3){0.3, 0.2, 0.2});
    streams_set_method(&def, 0.1);
    def.viscosity = viscosity;
    def.fractional = *fractional;
    def.domain.motion = motion;
    fm_fluid_box box = {.high = def.domain.high, .jitter = 0.05, .seed = (uint64_t)seed};
    fm_particles *fluid = fixture_create_fluid(world, &def, &box, err);
    bool quick = experiment_quick(e);
    out->count = quick ? 20 : SAMPLES_MAX;
    double frame = (quick ? 0.1 : 6) * period / out->count;
    if (fluid) {
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

// Fits a + b t + c sin + d cos to the second half of the path by least squares. Returns the
// amplitude of the sine, m; *residual_rms: root mean square residual, m.
static double fit_sine(const path *p, double *residual_rms)
{
    double A[4][5] = {{0}}, basis[4]; // normal equations; column 4: right side, then solution
    // the first pass sums and solves the equations, the second computes the residual
    for (int pass = 0; pass < 2; pass++) {
        double square = 0;
        int n = 0;
        for (int k = p->count / 2; k < p->count; k++, n++) {
            double phase = 2 * 3.14159265358979 * p->t[k] / period;
            basis[0] = 1, basis[1] = p->t[k] - p->t[p->count - 1];
            basis[2] = sin(phase), basis[3] = cos(phase);
            double residual = p->x[k];
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4 && pass == 0; j++)
                    A[i][j] += basis[i] * basis[j];
                if (pass == 0)
                    A[i][4] += basis[i] * p->x[k];
                residual -= pass ? A[i][4] * basis[i] : 0;
            }
            square += residual * residual;
        }
        *residual_rms = sqrt(square / n);
        // Gauss-Jordan elimination without pivoting; the matrix is positive definite
        for (int i = 0; i < 4 && pass == 0; i++) {
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

// Root mean square distance of two paths over their second halves, m.
static double path_distance(const path *a, const path *b)
{
    double square = 0;
    int n = 0;
    for (int k = a->count / 2; k < a->count; k++, n++)
        square += pow(a->x[k] - b->x[k], 2);
    return sqrt(square / n);
}

// The fluids that are compared.
enum {
    STANDARD,   // Newtonian viscosity
    PUBLISHED,  // half derivatives of the shear over ten steps
    EQUIVALENT, // Newtonian, with the viscosity that steady shear feels in PUBLISHED
    SCALED,     // as PUBLISHED, scaled so that steady shear feels the nominal viscosity
    FADING,     // half derivatives over the past weighted by e^(-t/0.05 s), scaled likewise
    WHOLE_PAST, // half derivatives over the whole past
    VARIANTS,
};
static const char *const names[VARIANTS] = {
    "standard",        "10 steps as published", "standard equivalent viscosity",
    "10 steps scaled", "fading 0.05 s scaled",  "full T = 1 s"};

// Paths of the ball in the high resolution, and in each fluid of low resolution.
typedef struct study {
    path high[JITTERS], low, first[VARIANTS]; // first: path of each variant with the first jitter
    double amplitude[JITTERS];                // m, of the ball in the high resolution
    double viscosity;                         // Pa s, that steady shear feels in PUBLISHED
    int jitters;
} study;

// Simulates the high resolution with every jitter and reports the path of the ball.
static void run_high(experiment *e, study *s, double spacing)
{
    const fm_fractional none = fm_default_particles_def().fractional;
    streams_mean amplitude = {0}, sine = {0}, distances = {0};
    for (int j = 0; j < s->jitters && !experiment_failed(e); j++) {
        double residual;
        simulate_box(e, spacing, 1, &none, 1 + j, &s->high[j]);
        s->amplitude[j] = fit_sine(&s->high[j], &residual);
        streams_add_value(&amplitude, s->amplitude[j]);
        streams_add_value(&sine, residual / s->amplitude[j]);
    }
    for (int j = 0; j < s->jitters && s->jitters > 1; j++)
        streams_add_value(&distances, path_distance(&s->high[(j + 1) % s->jitters], &s->high[j]) /
                                          s->amplitude[j]);
    experiment_add_result(e, "amplitude in the box, high resolution", NAN,
                          1e3 * streams_average(&amplitude), "mm");
    experiment_add_result(e, "high resolution: left by the best sine", NAN, streams_average(&sine),
                          "");
    experiment_add_result(e, "high resolution: its standard deviation", NAN,
                          streams_standard_deviation(&sine), "");
    experiment_add_result(e, "high resolution, another jitter: distance", NAN,
                          streams_average(&distances), "");
    experiment_add_result(e, "high resolution, another jitter: its standard deviation", NAN,
                          streams_standard_deviation(&distances), "");
}

// Simulates one fluid of low resolution with every jitter and reports the path of the ball.
static void run_low(experiment *e, study *s, double spacing, int variant,
                    const fm_fractional *fractional, experiment_table *table)
{
    streams_mean sine = {0}, distances = {0}, amplitude = {0};
    for (int j = 0; j < s->jitters && !experiment_failed(e); j++) {
        double residual;
        simulate_box(e, spacing, variant == EQUIVALENT ? s->viscosity : 1, fractional, 1 + j,
                     &s->low);
        double low_amplitude = fit_sine(&s->low, &residual),
               distance = path_distance(&s->low, &s->high[j]);
        streams_add_value(&amplitude, low_amplitude);
        streams_add_value(&sine, residual / low_amplitude);
        streams_add_value(&distances, distance / s->amplitude[j]);
        experiment_write_row(table, "%d,%s,%.4g,%.4g,%.4g", 1 + j, names[variant], low_amplitude,
                             residual / low_amplitude, distance / s->amplitude[j]);
        if (j == 0)
            s->first[variant] = s->low;
    }
    s->viscosity = variant == PUBLISHED ? s->low.steady : s->viscosity;
    experiment_add_named_result(e, NAN, 1e3 * streams_average(&amplitude), "mm", "%s: amplitude",
                                names[variant]);
    experiment_add_named_result(e, NAN, streams_average(&sine), "", "%s: left by the best sine",
                                names[variant]);
    experiment_add_named_result(e, NAN, streams_standard_deviation(&sine), "",
                                "%s: standard deviation of that", names[variant]);
    experiment_add_named_result(e, NAN, streams_average(&distances), "",
                                "%s: distance to the high resolution", names[variant]);
    experiment_add_named_result(e, NAN, streams_standard_deviation(&distances), "",
                                "%s: its standard deviation", names[variant]);
}

// Writes and plots the paths of the ball with the first jitter.
static void write_paths(experiment *e, const study *s)
{
    experiment_table *table =
        experiment_table_open(e, "paths.csv", "time_s,high,standard,published");
    for (int k = 0; k < s->high[0].count; k++)
        experiment_write_row(table, "%g,%g,%g,%g", s->high[0].t[k], s->high[0].x[k],
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
    const fm_fractional variants[VARIANTS] = {none,
                                              streams_window_viscosity(10, 1),
                                              none,
                                              streams_window_viscosity(10, 0),
                                              streams_fading_viscosity(0.05, 0),
                                              streams_full_viscosity(1)};
    study *s = experiment_alloc(e, 1, sizeof *s);
    experiment_table *table =
        experiment_table_open(e, "seeds.csv", "seed,arm,amplitude_m,sine,distance");
    if (s && !experiment_failed(e)) {
        s->jitters = quick ? 1 : JITTERS;
        s->viscosity = 1;
        run_high(e, s, quick ? 0.02 : 0.01);
        for (int a = 0; a < VARIANTS && !experiment_failed(e); a++)
            run_low(e, s, quick ? 0.022 : 0.01186, a, &variants[a], table);
        experiment_add_result(e, "viscosity that 10 steps, as published, amount to", NAN,
                              s->viscosity, "Pa s");
        write_paths(e, s);
    }
    return experiment_close(e);
}
