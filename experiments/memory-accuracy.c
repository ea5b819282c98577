// SPDX-License-Identifier: MIT
// memory-accuracy.c: accuracy of the half derivative by the published rules and by this library.
//
// Particles move for ten seconds with the velocity v, from rest. Several methods compute the half
// derivative D^(1/2) x of the position from the past velocities, which is compared with the exact
// derivative D over the last period:
//
//     v = 1                      D = 2 sqrt(t / pi)
//     v = 1 for 5 s, then rest   D = 2 (sqrt(t) - sqrt(t - 5)) / sqrt(pi)
//     v = sin(omega t)           D = Im [(i omega)^(-1/2) e^(i omega t) - T(t)]
//
// with the transient T = 1/sqrt(pi) integral_t^inf s^(-1/2) e^(i omega (t-s)) ds, the contribution
// of the same motion before t = 0. If the motion is slow compared with the window, the velocities
// in it are nearly equal, and u steps act as a dashpot: D = 2 sqrt(u h / pi) v, which leads the
// true derivative by 45 degrees and shrinks with the step h. The methods:
//
//     coimbra     quadrature rule of [OKRC10] eq. (6) over the last u = 3 steps as published, u =
//                 10, and the whole past. Both papers call this rule first-order accurate
//     trapezoid   product trapezoidal rule of [OZG13] eq. (4.7) over the last d = 10 steps as for
//                 its fluids, d = 1/h (one second) as for its springs, and the whole past
//     full        this library's default: the whole past by a sum of exponentials
//
//   h  step, s      omega = 2 pi / period, rad/s      D  in m s^-1/2 for v in m/s
#include "experiment.h"

#include <complex.h>
#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double duration = 10;   // s, of the motions
static const double STOP = 5;        // s, end of the motion that stops
static const double ROUNDING = 1e-9; // s, of sums of steps

// The methods: quadrature rule and the part of the past that it covers. FULL_MEMORY: the whole past
// by a sum of exponentials.
enum {
    COIMBRA_3_STEPS,
    COIMBRA_10_STEPS,
    TRAPEZOID_10_STEPS,
    TRAPEZOID_1_SECOND,
    FULL_MEMORY,
    COIMBRA_WHOLE_PAST,
    TRAPEZOID_WHOLE_PAST,
    METHODS,
};
static const char *const method_names[METHODS] = {
    "coimbra u=3", "coimbra u=10",  "trapezoid d=10", "trapezoid 1 s",
    "full",        "coimbra whole", "trapezoid whole"};

// Motions: two without a period, then sinusoids.
enum { STEADY, STOPPED, FIRST_SINE, MOTIONS = FIRST_SINE + 7 };
static const double periods[MOTIONS] = {0, 0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5};
enum { ONE_SECOND = FIRST_SINE + 4 }; // the sinusoid of period 1 s

// Time steps, s, that divide every period.
enum { MAX_STEPS = 7 };
static const double all_steps[MAX_STEPS] = {1e-2, 5e-3, 2.5e-3, 1e-3, 5e-4, 2.5e-4, 1e-4};
static const double quick_steps[] = {1e-2, 1e-3};

// Definition of the operator that computes half derivatives with one of the methods above and the
// step h (s).
static fm_memory_def method_def(int method, double h)
{
    fm_memory_def def = fm_default_memory_def();
    def.time_step = h;
    if (method == FULL_MEMORY)
        return def;
    def.method = FM_MEMORY_TRAPEZOID;
    if (method == COIMBRA_3_STEPS || method == COIMBRA_10_STEPS || method == COIMBRA_WHOLE_PAST)
        def.method = FM_MEMORY_COIMBRA;
    if (method == COIMBRA_3_STEPS)
        def.window_steps = 3;
    else if (method == COIMBRA_10_STEPS || method == TRAPEZOID_10_STEPS)
        def.window_steps = 10;
    else if (method == TRAPEZOID_1_SECOND)
        def.window_seconds = 1;
    return def;
}

// Velocity (m/s) of one of the motions STEADY, STOPPED or FIRST_SINE and following at time t (s).
static double velocity(int motion, double t)
{
    if (motion == STEADY)
        return 1;
    if (motion == STOPPED) // at the jump the mean, which is exact for linear interpolation
        return t < STOP - ROUNDING ? 1 : t < STOP + ROUNDING ? 0.5 : 0;
    return sin(2 * pi / periods[motion] * t);
}

// The transient T(t) = 1/sqrt(pi) integral_t^inf s^(-1/2) e^(i omega (t-s)) ds: the contribution
// that the same motion before t = 0 would have to the half derivative. On the path s = t - i y /
// omega the integrand decays like e^-y; with the substitution y = e^(x - e^-x) the trapezoidal rule
// in x is exact to rounding.
static double complex transient(double omega, double t)
{
    const double spacing = 0.06; // of the quadrature points in x
    enum { POINTS = 66 };        // on each side; the integrand is below rounding farther out
    double complex total = 0;
    for (int i = -POINTS; i <= POINTS; i++) {
        double x = i * spacing, y = exp(x - exp(-x));
        total += y * (1 + exp(-x)) * exp(-y) / csqrt(t - I * y / omega);
    }
    return -I / omega / sqrt(pi) * total * spacing;
}

// Exact half derivative (m s^-1/2) of the position of a motion at time t (s).
static double exact_derivative(int motion, double t)
{
    if (motion == STEADY)
        return 2 * sqrt(t / pi);
    if (motion == STOPPED)
        return 2 * (sqrt(t) - sqrt(fmax(t - STOP, 0))) / sqrt(pi);
    if (t == 0)
        return 0;
    double omega = 2 * pi / periods[motion];
    return cimag(cexp(I * omega * t) / csqrt(I * omega) - transient(omega, t));
}

// Sums over the last period of a motion, of computed and exact half derivatives.
typedef struct comparison {
    double error_squared, exact_squared; // sums of squares of the error and of the exact value
    double complex value, exact;         // Fourier sums at omega; without a period: the values
} comparison;

// Adds the half derivative `value` of a motion, computed at time t (s), to the sums.
static void add_comparison(comparison *c, int motion, double t, double value)
{
    double exact = exact_derivative(motion, t);
    double omega = motion < FIRST_SINE ? 0 : 2 * pi / periods[motion];
    c->error_squared += (value - exact) * (value - exact);
    c->exact_squared += exact * exact;
    c->value += value * cexp(-I * omega * t);
    c->exact += exact * cexp(-I * omega * t);
}

// Whether a motion is sampled `remaining` steps before the end: once at the end, or about 200 times
// in its last period.
static bool is_sample(int motion, int remaining, double h)
{
    if (motion < FIRST_SINE)
        return remaining == 0;
    enum { SAMPLES = 200 };
    int period = (int)round(periods[motion] / h), stride = period > SAMPLES ? period / SAMPLES : 1;
    return remaining < period && remaining % stride == 0;
}

// Computes the half derivatives of all motions with one method and step h (s), and adds the sums
// over their last periods to `result`.
static void run_method(experiment *e, int method, double h, comparison result[MOTIONS])
{
    fm_memory_def def = method_def(method, h);
    fm_memory *memory = fm_memory_create(&def, MOTIONS, experiment_error(e));
    if (!memory)
        return;
    int last = (int)round(duration / h);
    for (int n = 0; n <= last; n++) {
        double v[MOTIONS], value[MOTIONS]; // velocities, half derivatives
        bool evaluated = false;
        for (int m = 0; m < MOTIONS; m++)
            v[m] = velocity(m, n * h);
        if (!fm_memory_push(memory, v, n == 0 ? 0 : h)) {
            experiment_fail(e, FM_BAD_VALUE, "%s: push %d refused", method_names[method], n);
            break;
        }
        for (int m = 0; m < MOTIONS; m++) {
            if (!is_sample(m, last - n, h))
                continue;
            if (!evaluated) // evaluated once per step, since long windows are slow
                fm_memory_value(memory, value);
            evaluated = true;
            add_comparison(&result[m], m, n * h, value[m]);
        }
    }
    fm_memory_destroy(memory);
}

// Comparison of a computed half derivative D with the exact one.
typedef struct outcome {
    double error; // relative RMS error over the last period
    double ratio; // amplitude of the computed D over that of the exact D
    double phase; // degrees by which the computed D leads the exact D
    double force; // amplitude of the computed D over that of the velocity, s^1/2
} outcome;

// Error, amplitude and phase from the sums over the last period of a motion.
static outcome compute_outcome(const comparison *c, int motion)
{
    double complex ratio = c->value / c->exact;
    double omega = motion < FIRST_SINE ? 0 : 2 * pi / periods[motion];
    return (outcome){
        .error = sqrt(c->error_squared / c->exact_squared),
        .ratio = cabs(ratio),
        .phase = motion < FIRST_SINE ? NAN : carg(ratio) * 180 / pi,
        // the amplitude of D of a stationary sinusoid is that of v / sqrt(omega)
        .force = cabs(ratio) * (omega > 0 ? 1 / sqrt(omega) : creal(c->exact)),
    };
}

typedef outcome outcomes[METHODS][MOTIONS]; // of all methods and motions with one step size

// Writes the outcomes of all methods and motions for the time steps steps[count], s.
static void write_outcomes(experiment *e, outcomes *all, const double *steps, int count)
{
    experiment_table *table =
        experiment_table_open(e, "accuracy.csv",
                              "h_s,method,motion,period_s,relative_rms_error,amplitude_ratio,"
                              "phase_error_deg,force_sqrt_s");
    for (int s = 0; s < count; s++) {
        for (int k = 0; k < METHODS; k++) {
            for (int m = 0; m < MOTIONS; m++) {
                const outcome *o = &all[s][k][m];
                const char *motion = m == STEADY ? "steady" : m == STOPPED ? "stopped" : "sine";
                experiment_write_row(table, "%g,%s,%s,%g,%.6g,%.6g,%.6g,%.6g", steps[s],
                                     method_names[k], motion, periods[m], o->error, o->ratio,
                                     o->phase, o->force);
            }
        }
    }
}

static const char response_script[] =
    "set multiplot layout 2,1 title heading font ',18'\n"
    "unset title\n"
    "set logscale x\n"
    "set xrange [0.04:6.5]\n"
    "set xtics (0.05, 0.1, 0.2, 0.5, 1, 2, 5)\n"
    "set lmargin 10\n"
    "set key outside right center width -2\n"
    "set ylabel 'amplitude / exact'\n"
    "set yrange [0:1.3]\n"
    "plot name.'.csv' using 1:6 with linespoints ls 1 ps 1.4 title 'full', \\\n"
    "     '' using 1:5 with linespoints ls 5 ps 1.2 title 'trapezoid, 1 s', \\\n"
    "     '' using 1:4 with linespoints ls 3 ps 1.6 title 'trapezoid, d = 10', \\\n"
    "     '' using 1:3 with linespoints ls 4 ps 1.2 title 'coimbra, u = 10', \\\n"
    "     '' using 1:2 with linespoints ls 2 ps 1.2 title 'coimbra, u = 3', \\\n"
    "     1 with lines ls 8 title 'exact'\n"
    "set xlabel 'period [s]'\n"
    "set ylabel 'phase - exact [degrees]'\n"
    "set yrange [-12:50]\n"
    "plot name.'.csv' using 1:11 with linespoints ls 1 ps 1.4 title 'full', \\\n"
    "     '' using 1:10 with linespoints ls 5 ps 1.2 title 'trapezoid, 1 s', \\\n"
    "     '' using 1:9 with linespoints ls 3 ps 1.6 title 'trapezoid, d = 10', \\\n"
    "     '' using 1:8 with linespoints ls 4 ps 1.2 title 'coimbra, u = 10', \\\n"
    "     '' using 1:7 with linespoints ls 2 ps 1.2 title 'coimbra, u = 3', \\\n"
    "     45 with lines ls 8 title 'a dashpot'\n"
    "unset multiplot\n";

static const char error_script[] =
    "set logscale xy\n"
    "set format y '10^{%L}'\n"
    "set xrange [0.04:6.5]\n"
    "set xtics (0.05, 0.1, 0.2, 0.5, 1, 2, 5)\n"
    "set yrange [2e-8:2]\n"
    "set key outside right center width -2\n"
    "set xlabel 'period [s]'\n"
    "set ylabel 'relative RMS error'\n"
    "plot name.'.csv' using 1:2 with linespoints ls 2 ps 1.2 title 'coimbra, u = 3', \\\n"
    "     '' using 1:3 with linespoints ls 4 ps 1.2 title 'coimbra, u = 10', \\\n"
    "     '' using 1:4 with linespoints ls 3 ps 1.2 title 'trapezoid, d = 10', \\\n"
    "     '' using 1:5 with linespoints ls 5 ps 1.2 title 'trapezoid, 1 s', \\\n"
    "     '' using 1:7 with linespoints ls 6 ps 1.2 title 'coimbra, whole', \\\n"
    "     '' using 1:6 with linespoints ls 1 ps 1.4 title 'full', \\\n"
    "     '' using 1:8 with linespoints ls 7 ps 1.2 title 'trapezoid, whole'\n";

// Plots amplitude, phase and error over the period of the sinusoids, for the step 1 ms.
static void plot_periods(experiment *e, outcomes *at_1ms)
{
    experiment_table *response =
        experiment_table_open(e, "response.csv",
                              "period_s,amplitude_u3,amplitude_u10,amplitude_d10,amplitude_1s,"
                              "amplitude_full,phase_u3_deg,"
                              "phase_u10_deg,phase_d10_deg,phase_1s_deg,phase_full_deg");
    experiment_table *errors =
        experiment_table_open(e, "error.csv", "period_s,u3,u10,d10,1s,full,coimbra,trapezoid");
    for (int m = FIRST_SINE; m < MOTIONS; m++) {
        double row[11] = {periods[m]}, error[8] = {periods[m]};
        for (int k = COIMBRA_3_STEPS; k <= FULL_MEMORY; k++) {
            row[1 + k] = (*at_1ms)[k][m].ratio;
            row[6 + k] = (*at_1ms)[k][m].phase;
        }
        for (int k = 0; k < METHODS; k++)
            error[1 + k] = (*at_1ms)[k][m].error;
        experiment_write_numbers(response, row);
        experiment_write_numbers(errors, error);
    }
    experiment_plot(e, "response",
                    "Sinusoids at h = 1 ms: short windows answer weakly and 45 degrees early",
                    response_script);
    experiment_plot(e, "error", "Error of the half derivative of sinusoids, h = 1 ms",
                    error_script);
}

static const char step_script[] =
    "set logscale xy\n"
    "set format x '10^{%L}'\n"
    "set xrange [0.8e-4:1.25e-2]\n"
    "set yrange [0.01:0.6]\n"
    "set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)\n"
    "set key bottom right\n"
    "set xlabel 'step h [s]'\n"
    "set ylabel 'amplitude of D^{1/2}x over amplitude of v [s^{1/2}]'\n"
    "plot 1/sqrt(2*pi) with lines ls 7 lw 6 lc '#bbbbbb' title 'exact', \\\n"
    "     name.'.csv' using 1:6 with linespoints ls 1 ps 1.4 title 'full', \\\n"
    "     '' using 1:5 with linespoints ls 5 ps 1.2 title 'trapezoid, 1 s', \\\n"
    "     '' using 1:4 with points ls 3 ps 2 title 'trapezoid, d = 10', \\\n"
    "     '' using 1:3 with points ls 4 ps 1.4 title 'coimbra, u = 10', \\\n"
    "     '' using 1:2 with points ls 2 ps 1.4 title 'coimbra, u = 3', \\\n"
    "     2*sqrt(3*x/pi) with lines ls 8 title '2 (u h/{/Symbol p})^{1/2}', \\\n"
    "     2*sqrt(10*x/pi) with lines ls 8 notitle\n";

// Plots the amplitude of the half derivative of the sinusoid of period 1 s over the step.
static void plot_steps(experiment *e, outcomes *all, const double *steps, int count)
{
    experiment_table *table = experiment_table_open(e, "step.csv", "h_s,u3,u10,d10,1s,full");
    for (int s = 0; s < count; s++) {
        double row[6] = {steps[s]};
        for (int k = COIMBRA_3_STEPS; k <= FULL_MEMORY; k++)
            row[1 + k] = all[s][k][ONE_SECOND].force;
        experiment_write_numbers(table, row);
    }
    experiment_plot(e, "step",
                    "A truncated memory is a dashpot that weakens as the step shrinks (period 1 s)",
                    step_script);
}

enum { WAVE_POINTS = 301 };               // points of a plotted derivative over time
static const double WAVE_INTERVAL = 0.01; // s, between them

static const char wave_script[] =
    "set xlabel 'time [s]'\n"
    "set ylabel 'D^{1/2}x [m s^{-1/2}]'\n"
    "set xrange [0:3]\n"
    "set yrange [-0.5:0.65]\n"
    "set key top right maxrows 3 width -1\n"
    "plot name.'.csv' using 1:3 with lines ls 1 lw 5 lc '#9ecae9' title 'full, h = 10 ms', \\\n"
    "     '' using 1:4 with lines ls 1 title 'full, h = 1 ms', \\\n"
    "     '' using 1:2 with lines ls 8 title 'exact', \\\n"
    "     '' using 1:5 with lines ls 2 title 'u = 3, h = 10 ms', \\\n"
    "     '' using 1:6 with lines ls 5 title 'u = 3, h = 1 ms', \\\n"
    "     '' using 1:7 with lines ls 3 title 'u = 3, h = 0.1 ms'\n";

// Computes the half derivative for v = sin(2 pi t) with one method and step h (s), every 10 ms over
// 3 s.
static void compute_sine_derivative(experiment *e, int method, double h, double wave[WAVE_POINTS])
{
    fm_memory_def def = method_def(method, h);
    fm_memory *memory = fm_memory_create(&def, 1, experiment_error(e));
    int stride = (int)round(WAVE_INTERVAL / h);
    for (int n = 0; memory && n <= (WAVE_POINTS - 1) * stride; n++) {
        double v = velocity(ONE_SECOND, n * h);
        if (!fm_memory_push(memory, &v, n == 0 ? 0 : h))
            experiment_fail(e, FM_BAD_VALUE, "push %d refused", n);
        if (n % stride == 0)
            fm_memory_value(memory, &wave[n / stride]);
    }
    fm_memory_destroy(memory);
}

// Plots the half derivative of one sinusoid over time, for two methods and several steps.
static void plot_sine_derivatives(experiment *e)
{
    static const struct {
        int method;
        double h;
    } curves[5] = {{FULL_MEMORY, 1e-2},
                   {FULL_MEMORY, 1e-3},
                   {COIMBRA_3_STEPS, 1e-2},
                   {COIMBRA_3_STEPS, 1e-3},
                   {COIMBRA_3_STEPS, 1e-4}};
    double wave[5][WAVE_POINTS] = {{0}};
    for (int c = 0; c < 5; c++)
        compute_sine_derivative(e, curves[c].method, curves[c].h, wave[c]);
    experiment_table *table = experiment_table_open(
        e, "wave.csv", "time_s,exact,full_10ms,full_1ms,u3_10ms,u3_1ms,u3_0.1ms");
    for (int n = 0; n < WAVE_POINTS; n++) {
        double t = n * WAVE_INTERVAL;
        experiment_write_numbers(table, (double[]){t, exact_derivative(ONE_SECOND, t), wave[0][n],
                                                   wave[1][n], wave[2][n], wave[3][n], wave[4][n]});
    }
    experiment_plot(e, "wave", "v = sin 2{/Symbol p}t: with u = 3, the step decides the force",
                    wave_script);
}

static const char convergence_script[] =
    "set logscale xy\n"
    "set format '10^{%L}'\n"
    "set xrange [1.4e-4:0.14]\n"
    "set xlabel 'step h [s]'\n"
    "set ylabel 'error of D^{1/2}x at t = 1 s'\n"
    "set key bottom right\n"
    "plot name.'.csv' using 1:2 with linespoints ls 2 ps 1.2 title 'coimbra, whole past', \\\n"
    "     '' using 1:4 with linespoints ls 1 ps 1.2 title 'full, tolerance 10^{-4}', \\\n"
    "     '' using 1:5 with linespoints ls 6 ps 1.8 title 'full, tolerance 10^{-10}', \\\n"
    "     '' using 1:3 with linespoints ls 3 ps 0.9 title 'trapezoid, whole past', \\\n"
    "     0.0374*exp(-1)*sqrt(x) with lines ls 8 title '0.0374 h^{1/2} v'\n";

// The error of the half derivative at t = 1 for v = e^-t, computed in `steps` steps by the operator
// that def defines.
static double decay_error(experiment *e, fm_memory_def def, int steps)
{
    const double exact = 0.6071577058413939; // 2/sqrt(pi) Dawson(1)
    double value = 0;
    def.time_step = 1.0 / steps;
    fm_memory *memory = fm_memory_create(&def, 1, experiment_error(e));
    if (!memory)
        return NAN;
    for (int n = 0; n <= steps; n++) {
        double v = exp(-n * def.time_step);
        if (!fm_memory_push(memory, &v, n == 0 ? 0 : def.time_step))
            experiment_fail(e, FM_BAD_VALUE, "push %d refused", n);
    }
    fm_memory_value(memory, &value);
    fm_memory_destroy(memory);
    return fabs(value - exact);
}

// Measures the order in h of the error for v = e^-t, with the whole past.
static void study_convergence(experiment *e)
{
    fm_memory_def fine = method_def(FULL_MEMORY, 1), coarse = fine;
    fine.tolerance = 1e-10;
    experiment_table *table =
        experiment_table_open(e, "convergence.csv", "h_s,coimbra,trapezoid,full_1e-4,full_1e-10");
    double coimbra = 0, trapezoid = 0, full = 0, order[3] = {0};
    int steps = 10, last = 5120;
    for (; steps <= last && !experiment_failed(e); steps *= 2) {
        double row[5] = {1.0 / steps, decay_error(e, method_def(COIMBRA_WHOLE_PAST, 1), steps),
                         decay_error(e, method_def(TRAPEZOID_WHOLE_PAST, 1), steps),
                         decay_error(e, coarse, steps), decay_error(e, fine, steps)};
        experiment_write_numbers(table, row);
        order[0] = log2(coimbra / row[1]);
        order[1] = log2(trapezoid / row[2]);
        order[2] = log2(full / row[4]);
        coimbra = row[1];
        trapezoid = row[2];
        full = row[4];
    }
    experiment_plot(e, "convergence", "v = e^{-t}: the coimbra rule has order 1/2, the others 2",
                    convergence_script);
    experiment_add_result(e, "order of the coimbra rule with the whole past", 1, order[0], "");
    experiment_add_result(e, "its error over sqrt(h) v", NAN, coimbra * sqrt(last) / exp(-1), "");
    experiment_add_result(e, "order of the product trapezoid with the whole past", 2, order[1], "");
    experiment_add_result(e, "order of full memory, tolerance 1e-10", NAN, order[2], "");
}

// Reports the outcomes of the methods for the step 1 ms.
static void report_periods(experiment *e, outcomes *at_1ms)
{
    for (int k = COIMBRA_3_STEPS; k <= FULL_MEMORY; k++) {
        const outcome *o = (*at_1ms)[k];
        const char *name = method_names[k];
        experiment_add_named_result(e, NAN, o[STEADY].ratio, "",
                                    "%s, h = 1 ms: share of D at v = 1, 10 s", name);
        experiment_add_named_result(e, NAN, o[ONE_SECOND].ratio, "",
                                    "%s, h = 1 ms: amplitude ratio at period 1 s", name);
        experiment_add_named_result(e, NAN, o[ONE_SECOND].phase, "deg",
                                    "%s, h = 1 ms: phase error at period 1 s", name);
        experiment_add_named_result(e, NAN, o[ONE_SECOND].error, "",
                                    "%s, h = 1 ms: relative error at period 1 s", name);
        experiment_add_named_result(e, NAN, o[STOPPED].error, "",
                                    "%s, h = 1 ms: relative error 5 s after a stop", name);
    }
}

// Reports how the half derivative depends on the step, steps[count] in s.
static void report_steps(experiment *e, outcomes *all, const double *steps, int count)
{
    static const struct {
        int method, u;
    } windows[2] = {{COIMBRA_3_STEPS, 3}, {COIMBRA_10_STEPS, 10}};
    for (int w = 0; w < 2; w++) {
        int k = windows[w].method;
        for (int s = 0; s < count; s++) {
            if (fabs(log10(steps[s]) - round(log10(steps[s]))) > 1e-6)
                continue; // only steps that are powers of ten are reported
            double dashpot = 2 * sqrt(windows[w].u * steps[s] / pi);
            experiment_add_named_result(e, NAN, all[s][k][STEADY].force, "s^1/2",
                                        "%s, h = %g ms: D/v at v = 1; 2 sqrt(u h/pi) = %.4f",
                                        method_names[k], steps[s] * 1e3, dashpot);
        }
    }
    for (int k = COIMBRA_3_STEPS; k <= FULL_MEMORY; k++) {
        double change = all[0][k][ONE_SECOND].force / all[count - 1][k][ONE_SECOND].force;
        experiment_add_named_result(e, NAN, change, "",
                                    "%s: force at h = %g ms over that at %g ms, period 1 s",
                                    method_names[k], steps[0] * 1e3, steps[count - 1] * 1e3);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "memory-accuracy",
                        "The half derivative by truncated and by full memory.", &status);
    if (!e)
        return status;
    const double *steps = experiment_quick(e) ? quick_steps : all_steps;
    int count = experiment_quick(e) ? 2 : MAX_STEPS, at_1ms = 0;
    static outcomes all[MAX_STEPS];
    for (int s = 0; s < count; s++) {
        if (steps[s] == 1e-3)
            at_1ms = s;
        for (int k = 0; k < METHODS; k++) {
            comparison sums[MOTIONS] = {{0}};
            run_method(e, k, steps[s], sums);
            for (int m = 0; m < MOTIONS; m++)
                all[s][k][m] = compute_outcome(&sums[m], m);
        }
    }
    write_outcomes(e, all, steps, count);
    report_periods(e, &all[at_1ms]);
    report_steps(e, all, steps, count);
    study_convergence(e);
    plot_periods(e, &all[at_1ms]);
    plot_steps(e, all, steps, count);
    plot_sine_derivatives(e);
    return experiment_close(e);
}
