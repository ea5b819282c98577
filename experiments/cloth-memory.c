// SPDX-License-Identifier: MIT
// cloth-memory.c: how long must an underwater cloth remember, and what does it cost in stability?
//
// [OKRC10] §4.2, [OZG13] §3.3.2: with u the number of past steps in the half derivative, the
// cloth is said to change very little for u > 3; §4.3: half derivatives are said not to affect the
// stability of explicit steps. Figure 2 (3.2) shows what viscoelastic springs alone do.
//
// A towel (towel.h, 31 x 21 particles) is swung for eight seconds with
//
//   memory     u = 1, 2, 3, 5, 10, 30, 100 steps of 1.04 ms, and full
//   order      q = 0.2, 0.5, 0.8 (product trapezoid for all windows, so that only u differs)
//   where      springs only, drag only, both
//
// and compared with full memory of the same order and place: the largest distance of any point of
// the centre line in the first two seconds, and the bumps after three. Twice:
//
//   same       the same coefficients for every u: what happens when a user raises u
//   matched    history and damping coefficients scaled for each u so that a motion of the swing's
//              period loses as much energy as with full memory: the window's part of D in phase
//              with v equals the exact one, omega^(q-1) sin(pi q/2). What differs then is memory
//
// Stability: the largest step with which the towel swings for two seconds and neither its kinetic
// energy passes 5 J (a swinging towel has less than 0.05 J) nor a spring three times its length, by
// bisection: explicit Euler and kick-drift-kick, without memory, with u = 3, with full memory, and
// with full memory a hundred times as strong. The library takes no step above its own bound, 1.5
// over the highest frequency that the springs can have, so that this is the largest answer there
// is. "Dashpots like u = 3" is the cloth without memory whose dashpots are what three steps amount
// to, D = 2 sqrt(u h/pi) v: what remains of the difference is the change of the damping's strength.
//
// Windows of an order below 0.308 are no dampers at all frequencies: the integral of t^-q cos(w t)
// over a window can be negative (the smallest q for which it never is, 0.30844, is the constant of
// Littlewood, Salem and Izumi), and then the force feeds the motion. At q = 0.2 some windows shake
// the cloth's springs for that reason.
//
// [OKRC10] Özgen, Kallmann, Ramirez, Coimbra: Underwater cloth simulation with fractional
//          derivatives. TOG 29(3), 2010.
// [OZG13]  Özgen: Physics-based animation models using fractional calculus. PhD thesis, UC Merced,
//          2013.
#include "towel.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double step = 1 / 960.0; // s

enum { WINDOWS = 7, FULL = WINDOWS, MEMORIES };
static const int windows[WINDOWS] = {1, 2, 3, 5, 10, 30, 100};
enum { SPRINGS, DRAG, BOTH, PLACES };
static const char *const place_names[PLACES] = {"springs", "drag", "both"};
enum { ORDERS = 3 };
static const double orders[ORDERS] = {0.2, 0.5, 0.8};

static fm_recall make_recall(int memory)
{
    fm_recall recall = towel_full();
    if (memory == FULL)
        return recall;
    recall.kind = FM_RECALL_STEPS;
    recall.unsafe = true; // what windows of order 0.2 do is to be seen here
    recall.steps = windows[memory];
    return recall;
}

// Coefficients are for order 1/2; those of other orders make a motion of the swing's period lose as
// much energy with full memory.
static fm_cloth_def make_def(int memory, double q, int place, double scale, double omega)
{
    fm_cloth_def def = towel_fractional(make_recall(memory));
    double half = sin(pi / 4) / sqrt(omega), same = half / (sin(pi * q / 2) * pow(omega, q - 1));
    def.damping.order = def.drag.history.order = q;
    def.damping.coefficient *= same * scale;
    def.drag.history.coefficient *= same * scale;
    if (place == SPRINGS)
        def.drag.history.coefficient = 0;
    if (place == DRAG) {
        def.damping.order = 1;
        def.damping.coefficient = TOWEL_DAMPING;
    }
    def.time_step = step;
    return def;
}

// Part of the window's D in phase with v = sin(omega t), by feeding the memory itself.
static double in_phase(experiment *e, int memory, double q, double omega)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = FM_MEMORY_TRAPEZOID;
    def.order = q;
    def.window_steps = windows[memory];
    def.time_step = step;
    fm_memory *m = fm_memory_create(&def, 1, experiment_error(e));
    int period = (int)round(2 * pi / (omega * step));
    double sum = 0;
    for (int n = 0; m && n < 2 * period; n++) {
        double rate = sin(omega * n * step), value;
        fm_memory_push(m, &rate, n == 0 ? 0 : step);
        fm_memory_value(m, &value);
        if (n >= period)
            sum += 2 * value * rate / period;
    }
    fm_memory_destroy(m);
    return sum;
}

typedef struct outcome {
    double apart; // m, from full memory
    bump_stats bumps;
    towel_record record;
} outcome;

static outcome run(experiment *e, const fm_cloth_def *def, const outcome *full)
{
    towel_run swing = towel_swing(def, 21, 31);
    if (experiment_quick(e)) {
        swing.columns = 11, swing.rows = 16;
        swing.duration = 4;
    }
    outcome o = {.record = towel_simulate(e, &swing)};
    o.bumps = towel_bumps(e, &swing, &o.record, experiment_quick(e) ? 2 : 3);
    o.apart = full ? towel_distance(&o.record, &full->record, 0, 2) : 0;
    return o;
}

static void log_outcome(experiment_table *table, bool matched, int memory, double q, int place,
                        const outcome *o, double amplitude)
{
    char name[16] = "full";
    if (memory != FULL)
        snprintf(name, sizeof name, "%d", windows[memory]);
    experiment_row(table, "%s,%s,%g,%s,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g", matched ? "matched" : "same",
                   place_names[place], q, name, 100 * o->apart / amplitude, o->bumps.count,
                   o->bumps.speed, o->bumps.arriving, o->bumps.survival, o->bumps.height);
}

// Every u against full memory, for one order and place. apart[u] in % of the amplitude.
static void compare(experiment *e, experiment_table *table, double q, int place, bool matched,
                    double apart[MEMORIES], double survival[MEMORIES])
{
    towel_run swing = towel_swing(&(fm_cloth_def){0}, 21, 31);
    double omega = 2 * pi / swing.period, exact = pow(omega, q - 1) * sin(pi * q / 2);
    fm_cloth_def def = make_def(FULL, q, place, 1, omega);
    outcome full = run(e, &def, NULL);
    log_outcome(table, matched, FULL, q, place, &full, swing.amplitude);
    apart[FULL] = 0;
    survival[FULL] = full.bumps.survival;
    for (int m = experiment_quick(e) ? 2 : 0; m < WINDOWS && !experiment_failed(e); m++) {
        double scale = matched ? exact / in_phase(e, m, q, omega) : 1;
        def = make_def(m, q, place, scale, omega);
        outcome o = run(e, &def, &full);
        log_outcome(table, matched, m, q, place, &o, swing.amplitude);
        apart[m] = 100 * o.apart / swing.amplitude;
        survival[m] = o.bumps.survival;
    }
}

static void report(experiment *e, double q, int place, bool matched, const double *apart,
                   const double *survival)
{
    static const int told[] = {2, 3, 6}; // u = 3, 5, 100
    const char *how = matched ? "matched" : "same coefficients";
    for (int i = 0; i < 3; i++)
        experiment_result_of(e, NAN, apart[told[i]], "% of the amplitude",
                             "%s, q = %g, %s: u = %d from full memory in 2 s", place_names[place],
                             q, how, windows[told[i]]);
    experiment_result_of(e, NAN, survival[2], "", "%s, q = %g, %s: survival with u = 3",
                         place_names[place], q, how);
    experiment_result_of(e, NAN, survival[FULL], "", "%s, q = %g, %s: survival with full memory",
                         place_names[place], q, how);
}

static const char apart_script[] =
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

static void study_memories(experiment *e)
{
    bool quick = experiment_quick(e);
    experiment_table *table = experiment_table_open(
        e, "memory.csv",
        "coefficients,place,order,steps,apart_percent,count,speed_m_per_s,arriving,survival,"
        "height_m");
    double apart[2][ORDERS][MEMORIES] = {{{0}}}, survival[MEMORIES] = {0};
    for (int i = quick ? 1 : 0; i < (quick ? 2 : ORDERS) && !experiment_failed(e); i++)
        for (int place = quick ? BOTH : 0; place < PLACES; place++)
            for (int matched = 0; matched < 2; matched++) {
                compare(e, table, orders[i], place, matched, apart[matched][i], survival);
                if (place == BOTH || orders[i] == 0.5)
                    report(e, orders[i], place, matched, apart[matched][i], survival);
            }
    // the last place, both, is what is left in `apart`
    experiment_table *plot = experiment_table_open(
        e, "apart.csv", "steps,q0.2,q0.5,q0.8,q0.2_matched,q0.5_matched,q0.8_matched");
    for (int m = 0; m < WINDOWS; m++)
        experiment_numbers(plot,
                           (double[]){windows[m], apart[0][0][m], apart[0][1][m], apart[0][2][m],
                                      apart[1][0][m], apart[1][1][m], apart[1][2][m]});
    experiment_plot(e, "apart", "Memory in springs and drag: a window against full memory",
                    apart_script);
}

enum { REGULAR, DASHPOTS, PUBLISHED3, WHOLE, STRONG, KINDS };
static const char *const kind_names[KINDS] = {"without memory", "dashpots like u = 3", "u = 3",
                                              "full memory", "full memory x 100"};

static fm_cloth_def make_kind(int kind, fm_integrator integrator, double h)
{
    fm_cloth_def def = towel_fractional(kind == PUBLISHED3 ? towel_steps(3) : towel_full());
    if (kind == REGULAR) {
        def = towel_cloth(FM_DRAG_VISCOUS);
        def.drag.viscous = 2;
    }
    if (kind == STRONG) {
        def.damping.coefficient *= 100;
        def.drag.history.coefficient *= 100;
    }
    if (kind == DASHPOTS) { // D = 2 sqrt(u h/pi) v, so they change with the step
        double w = 2 * sqrt(3 * (h > 0 ? h : 1.16e-3) / pi);
        def = towel_cloth(FM_DRAG_VISCOUS);
        def.drag.viscous = 2 + 20 * w;
        def.damping.coefficient = TOWEL_HALF_DAMPING * w;
    }
    def.integrator = integrator;
    def.time_step = h;
    return def;
}

// Swings the towel for two seconds. *bound is the largest step the library would take.
static bool is_stable(experiment *e, const fm_cloth_def *def, double h, double *bound)
{
    bool quick = experiment_quick(e);
    fm_error err = {0};
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    fm_world *world = fm_world_create(&world_def, &err);
    fm_sheet sheet = {
        .columns = quick ? 11 : 21, .rows = quick ? 16 : 31, .width = 0.4, .height = 0.6};
    fm_cloth *cloth = fm_cloth_create_sheet(world, def, &sheet, &err);
    fm_motion *swing = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.05, 0.8, &err);
    fm_cloth_pin_edge(cloth, FM_EDGE_TOP, swing, &err);
    bool good = err.status == FM_OK;
    *bound = good ? fm_cloth_stable_step(cloth) : 0;
    h = h > 0 ? h : *bound;
    int calls = (int)floor(2 / (20 * h)); // substeps of exactly h
    for (int n = 0; n < calls && good; n++) {
        fm_report report = fm_world_advance(world, 20 * h, &err);
        good = err.status == FM_OK && report.kinetic_energy < 5 && report.max_stretch < 2;
    }
    if (err.status != FM_OK && err.status != FM_DIVERGED)
        experiment_fail(e, err.status, "%s", err.text);
    fm_world_destroy(world);
    return good;
}

// 0 when even 20 us (80 us when quick) are too long.
static double largest_step(experiment *e, int kind, fm_integrator integrator, double *bound)
{
    fm_cloth_def def = make_kind(kind, integrator, 0);
    if (is_stable(e, &def, 0, bound))
        return *bound;
    double low = experiment_quick(e) ? 8e-5 : 2e-5, high = *bound, ignored;
    def = make_kind(kind, integrator, low);
    if (!is_stable(e, &def, low, &ignored))
        return 0;
    for (int n = experiment_quick(e) ? 4 : 0; n < 8; n++) {
        def = make_kind(kind, integrator, sqrt(low * high));
        if (is_stable(e, &def, def.time_step, &ignored))
            low = def.time_step;
        else
            high = def.time_step;
    }
    return low;
}

static void study_stability(experiment *e)
{
    experiment_table *table =
        experiment_table_open(e, "stability.csv", "integrator,memory,largest_step_s,bound_s");
    static const fm_integrator integrators[2] = {FM_EULER, FM_KICK_DRIFT_KICK};
    static const char *const integrator_names[2] = {"Euler", "kick-drift-kick"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < KINDS && !experiment_failed(e); k++) {
            double bound = 0, h = largest_step(e, k, integrators[i], &bound);
            experiment_row(table, "%s,%s,%.4g,%.4g", integrator_names[i], kind_names[k], h, bound);
            experiment_result_of(e, NAN, 1e3 * h, "ms", "%s, %s: largest stable step, bound %.3g",
                                 integrator_names[i], kind_names[k], 1e3 * bound);
        }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "cloth-memory",
                        "How long an underwater cloth must remember, and stability.", &status);
    if (!e)
        return status;
    check_bumps(e);
    study_memories(e);
    study_stability(e);
    return experiment_close(e);
}
