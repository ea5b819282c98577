// SPDX-License-Identifier: MIT
// cloth-memory.c: how much of the past the half derivatives of an underwater cloth must cover.
//
// [OKRC10] §4.2, [OZG13] §3.3.2: the springs' damping and the drag are half derivatives, sums
// over the velocities of the last u steps; the cloth is said to change very little for u > 3.
// Figure 2 (3.2) shows the effect of viscoelastic springs alone.
//
// A towel (towel.h, 31 x 21 particles) is swung for eight seconds with
//
//   memory     the last u = 1, 2, 3, 5, 10, 30, 100 steps of 1.04 ms (a window), or the whole past
//              (full)
//   order      of the derivative, q = 0.2, 0.5, 0.8 (product trapezoidal rule for all windows, so
//              that only u differs)
//   place      fractional derivative in the springs only, in the drag only, in both
//
// and compared with full memory of the same order and place: the largest distance of any point of
// the centre line in the first two seconds, and the bumps after three. This is done twice:
//
//   same       with the same coefficients for every u: the effect of a user raising u
//   matched    with the coefficients of drag and damping scaled for each u such that a motion of
//              the swing's period dissipates as much energy as with full memory: the part of
//              the computed derivative in phase with the velocity v equals the exact one,
//              omega^(q-1) sin(pi q/2) v. The remaining difference is due to the part of the
//              past that the window leaves out
//
// Windows with an order below 0.308 do not dissipate at all frequencies: the integral of t^-q cos(w
// t) over a window can be negative (the smallest q for which it never is, 0.30844, is the constant
// of Littlewood, Salem and Izumi), and then the force adds energy to the motion. At q = 0.2 some
// windows excite oscillations of the cloth's springs for this reason.
#include "towel.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double step = 1 / 960.0; // s, time step

// The part of the past that a derivative covers: 0 to WINDOWS - 1 are indices of windows[], the
// lengths of a window in steps; WHOLE_PAST is the whole past.
enum { WINDOWS = 7, WHOLE_PAST = WINDOWS, MEMORIES };
static const int windows[WINDOWS] = {1, 2, 3, 5, 10, 30, 100};
// The forces that are fractional derivatives.
enum { IN_SPRINGS, IN_DRAG, IN_BOTH, PLACES };
static const char *const place_names[PLACES] = {"springs", "drag", "both"};
enum { ORDERS = 3 };
static const double orders[ORDERS] = {0.2, 0.5, 0.8}; // orders q of the derivative

// The library's setting for the past that a derivative covers: windows[index] steps, or the whole
// past (WHOLE_PAST).
static fm_recall memory_setting(int index)
{
    fm_recall memory = towel_full_memory();
    if (index == WHOLE_PAST)
        return memory;
    memory.kind = FM_RECALL_STEPS;
    memory.unsafe = true; // allows windows of order 0.2, which may add energy
    memory.steps = windows[index];
    return memory;
}

// A cloth with fractional derivatives of order q. window: index of windows[], or WHOLE_PAST; place:
// IN_SPRINGS, IN_DRAG or IN_BOTH. The coefficients of towel.h are given for order 1/2. For other
// orders they are scaled such that a motion of angular frequency omega dissipates as much energy
// with full memory, and then multiplied by `scale`.
static fm_cloth_def fractional_cloth_def(int window, double q, int place, double scale,
                                         double omega)
{
    fm_cloth_def def = towel_fractional_cloth_def(memory_setting(window));
    // in-phase part of the derivative over v: of order 1/2, and of order 1/2 over order q
    double half = sin(pi / 4) / sqrt(omega), ratio = half / (sin(pi * q / 2) * pow(omega, q - 1));
    def.damping.order = def.drag.history.order = q;
    def.damping.coefficient *= ratio * scale;
    def.drag.history.coefficient *= ratio * scale;
    if (place == IN_SPRINGS)
        def.drag.history.coefficient = 0;
    if (place == IN_DRAG) {
        def.damping.order = 1;
        def.damping.coefficient = TOWEL_DAMPING;
    }
    def.time_step = step;
    return def;
}

// Amplitude of the part of the fractional derivative in phase with the velocity v = sin(omega t),
// computed over a window of windows[window] steps.
static double in_phase_part(experiment *e, int window, double q, double omega)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = FM_MEMORY_TRAPEZOID;
    def.order = q;
    def.window_steps = windows[window];
    def.time_step = step;
    fm_memory *memory = fm_memory_create(&def, 1, experiment_error(e));
    int period = (int)round(2 * pi / (omega * step)); // steps
    double sum = 0; // Fourier coefficient of sin(omega t) over the second period
    for (int n = 0; memory && n < 2 * period; n++) {
        double velocity = sin(omega * n * step), derivative;
        fm_memory_push(memory, &velocity, n == 0 ? 0 : step);
        fm_memory_value(memory, &derivative);
        if (n >= period)
            sum += 2 * derivative * velocity / period;
    }
    fm_memory_destroy(memory);
    return sum;
}

// One swung towel and its comparison with full memory.
typedef struct outcome {
    double deviation; // m, largest distance from the run with full memory
    bump_stats bumps;
    towel_record record;
} outcome;

// Swings the towel. full: the run with full memory to compare with, or NULL.
static outcome swing_towel(experiment *e, const fm_cloth_def *def, const outcome *full)
{
    towel_run swing = towel_default_swing(def, 21, 31);
    if (experiment_quick(e)) {
        swing.columns = 11, swing.rows = 16;
        swing.duration = 4;
    }
    outcome o = {.record = towel_simulate(e, &swing)};
    o.bumps = towel_measure_bumps(e, &swing, &o.record, experiment_quick(e) ? 2 : 3);
    o.deviation = full ? towel_largest_distance(&o.record, &full->record, 0, 2) : 0;
    return o;
}

// Writes one row of memory.csv. window: index of windows[], or WHOLE_PAST; place: index of
// place_names.
static void write_outcome(experiment_table *table, bool matched, int window, double q, int place,
                          const outcome *o, double amplitude)
{
    char name[16] = "full";
    if (window != WHOLE_PAST)
        snprintf(name, sizeof name, "%d", windows[window]);
    experiment_write_row(table, "%s,%s,%g,%s,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g",
                         matched ? "matched" : "same", place_names[place], q, name,
                         100 * o->deviation / amplitude, o->bumps.count, o->bumps.speed,
                         o->bumps.arriving, o->bumps.survival, o->bumps.height);
}

// Compares every window with full memory, for derivatives of order q in the springs, the drag or
// both (place). matched: with coefficients scaled to equal dissipation. deviation: largest distance
// of the two centre lines, % of the amplitude of the swing; survival: see bumps.h.
static void compare_windows(experiment *e, experiment_table *table, double q, int place,
                            bool matched, double deviation[MEMORIES], double survival[MEMORIES])
{
    towel_run swing = towel_default_swing(&(fm_cloth_def){0}, 21, 31);
    double omega = 2 * pi / swing.period, exact = pow(omega, q - 1) * sin(pi * q / 2);
    fm_cloth_def def = fractional_cloth_def(WHOLE_PAST, q, place, 1, omega);
    outcome full = swing_towel(e, &def, NULL);
    write_outcome(table, matched, WHOLE_PAST, q, place, &full, swing.amplitude);
    deviation[WHOLE_PAST] = 0;
    survival[WHOLE_PAST] = full.bumps.survival;
    for (int m = experiment_quick(e) ? 2 : 0; m < WINDOWS && !experiment_failed(e); m++) {
        double scale = matched ? exact / in_phase_part(e, m, q, omega) : 1;
        def = fractional_cloth_def(m, q, place, scale, omega);
        outcome o = swing_towel(e, &def, &full);
        write_outcome(table, matched, m, q, place, &o, swing.amplitude);
        deviation[m] = 100 * o.deviation / swing.amplitude;
        survival[m] = o.bumps.survival;
    }
}

// Reports what compare_windows measured with three windows. place: index of place_names.
static void report_windows(experiment *e, double q, int place, bool matched,
                           const double *deviation, const double *survival)
{
    static const int reported[] = {2, 3, 6}; // indices of windows[]: 3, 5 and 100 steps
    const char *coefficients = matched ? "matched" : "same coefficients";
    for (int i = 0; i < 3; i++)
        experiment_add_named_result(e, NAN, deviation[reported[i]], "% of the amplitude",
                                    "%s, q = %g, %s: u = %d from full memory in 2 s",
                                    place_names[place], q, coefficients, windows[reported[i]]);
    experiment_add_named_result(e, NAN, survival[2], "", "%s, q = %g, %s: survival with u = 3",
                                place_names[place], q, coefficients);
    experiment_add_named_result(e, NAN, survival[WHOLE_PAST], "",
                                "%s, q = %g, %s: survival with full memory", place_names[place], q,
                                coefficients);
}

static const char deviation_script[] =
    "set multiplot layout 1,2 title heading font ',18'\n"
    "set logscale xy\n"
    "set xrange [0.8:130]\n"
    "set yrange [10:1000]\n"
    "set xtics (1, 2, 3, 5, 10, 30, 100)\n"
    "set xlabel 'steps remembered, u'\n"
    "set ylabel 'largest distance from full memory, first 2 s [% of the amplitude]'\n"
    "set key top right\n"
    "set title 'the same coefficients' font ',15'\n"
    "plot name.'.csv' skip 1 using 1:2 with linespoints ls 3 ps 1.3 title 'q = 0.2', \\\n"
    "     '' skip 1 using 1:3 with linespoints ls 1 ps 1.3 title 'q = 0.5', \\\n"
    "     '' skip 1 using 1:4 with linespoints ls 2 ps 1.3 title 'q = 0.8'\n"
    "set title 'matched: the same loss at the swing' font ',15'\n"
    "unset ylabel\n"
    "plot name.'.csv' skip 1 using 1:5 with linespoints ls 3 ps 1.3 title 'q = 0.2', \\\n"
    "     '' skip 1 using 1:6 with linespoints ls 1 ps 1.3 title 'q = 0.5', \\\n"
    "     '' skip 1 using 1:7 with linespoints ls 2 ps 1.3 title 'q = 0.8'\n"
    "unset multiplot\n";

// Compares windows of the past with the whole past, for all orders and places.
static void study_windows(experiment *e)
{
    bool quick = experiment_quick(e);
    experiment_table *table = experiment_table_open(
        e, "memory.csv",
        "coefficients,place,order,steps,apart_percent,count,speed_m_per_s,arriving,survival,"
        "height_m");
    double deviation[2][ORDERS][MEMORIES] = {{{0}}}, survival[MEMORIES] = {0};
    for (int i = quick ? 1 : 0; i < (quick ? 2 : ORDERS) && !experiment_failed(e); i++)
        for (int place = quick ? IN_BOTH : 0; place < PLACES; place++)
            for (int matched = 0; matched < 2; matched++) {
                compare_windows(e, table, orders[i], place, matched, deviation[matched][i],
                                survival);
                if (place == IN_BOTH || orders[i] == 0.5)
                    report_windows(e, orders[i], place, matched, deviation[matched][i], survival);
            }
    // deviation now holds the results for derivatives in springs and drag (IN_BOTH), the last place
    experiment_table *plot = experiment_table_open(
        e, "apart.csv", "steps,q0.2,q0.5,q0.8,q0.2_matched,q0.5_matched,q0.8_matched");
    for (int m = 0; m < WINDOWS; m++)
        experiment_write_numbers(
            plot, (double[]){windows[m], deviation[0][0][m], deviation[0][1][m], deviation[0][2][m],
                             deviation[1][0][m], deviation[1][1][m], deviation[1][2][m]});
    experiment_plot(e, "apart", "Memory in springs and drag: a window against full memory",
                    deviation_script);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "cloth-memory",
                                    "How long an underwater cloth must remember.", &status);
    if (!e)
        return status;
    bumps_check(e);
    study_windows(e);
    return experiment_close(e);
}
