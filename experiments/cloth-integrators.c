// SPDX-License-Identifier: MIT
// cloth-integrators.c: time steps for cloth with half derivatives: stability, accuracy and cost.
//
// [OKRC10] §4.3, [OZG13] §3.3.3 integrate by explicit Euler and say that half derivatives do not
// affect its stability. They name an improved explicit step, and explicit predictors with implicit
// correctors, which may be iterated, as alternatives. Here the towel of towel.h (31 x 21 particles)
// is swung with all of them:
//
//   Euler                eq. (7), all forces at the beginning of the step
//   semi-implicit Euler  new velocities first, positions by these; half derivatives predicted for
//                        the end of the step
//   predictor-corrector  Heun: a step by Euler, then the mean of the rates at both ends
//   iterated corrector   the same, the mean three times
//   implicit             TR-BDF2, solved by Newton's method; [OKRC10] says that implicit schemes
//                        can be adapted to half derivatives. Its largest step is not searched
//                        for: 1/96 s, the default, is tried
//   kick-drift-kick      the library's default
//
// Stability: the largest step, found by bisection, with which the towel swings for two seconds
// while its kinetic energy stays below 5 J (a swinging towel has less than 0.05 J) and no spring
// exceeds three times its length; without memory, with u = 3, with full memory, and with full
// memory a hundred times as strong. The library takes no step above its own bound, 1.5 over the
// highest frequency of the springs, so this is the largest possible result. "Dashpots like u = 3"
// is the cloth with the dashpots that a half derivative over three steps h amounts to at constant
// velocity, 2 sqrt(u h/pi) v: if its largest step is that of u = 3, the effect of u = 3 on
// stability is that of a stronger dashpot.
//
// Accuracy, with full memory: the largest distance of the centre line, in the first half second,
// from kick-drift-kick at 1/61440 s, with a step of 1/30720 s for all but the implicit one (whose
// steps cost too much for that), and with nine tenths of the largest stable step of each. Cost:
// processor time for a second of the swing at that step.
#include "towel.h"

static const double pi = 3.14159265358979323846;
static const double STABLE_STEP = 1.16e-3; // s, that the library chooses for this towel
// A run is unstable if its kinetic energy, J, or the stretch l/l0 - 1 of a spring exceeds these.
static const double ENERGY_MAX = 5, STRETCH_MAX = 2;

enum { INTEGRATORS = 6 };
static const fm_integrator integrators[INTEGRATORS] = {FM_EULER,    FM_SEMI_IMPLICIT_EULER,
                                                       FM_HEUN,     FM_ITERATED_CORRECTOR,
                                                       FM_IMPLICIT, FM_KICK_DRIFT_KICK};
static const char *const integrator_names[INTEGRATORS] = {
    "Euler",    "semi-implicit Euler", "predictor-corrector", "iterated corrector",
    "implicit", "kick-drift-kick"};

// The cloths whose largest stable step is measured.
enum {
    WITHOUT_HISTORY,     // viscous drag and dashpots
    EQUIVALENT_DASHPOTS, // dashpots that a half derivative over three steps amounts to
    HISTORY_3_STEPS,     // half derivatives over the last three steps
    HISTORY_WHOLE_PAST,  // half derivatives over the whole past
    HISTORY_STRONG,      // the same with coefficients a hundred times as large
    CLOTHS,
};
static const char *const cloth_names[CLOTHS] = {"without memory", "dashpots like u = 3", "u = 3",
                                                "full memory", "full memory x 100"};

// One of the cloths WITHOUT_HISTORY to HISTORY_STRONG. h: time step, s, 0: chosen by the library.
static fm_cloth_def stability_cloth_def(int cloth_kind, fm_integrator integrator, double h)
{
    fm_cloth_def def = towel_fractional_cloth_def(
        cloth_kind == HISTORY_3_STEPS ? towel_window_memory(3) : towel_full_memory());
    if (cloth_kind == WITHOUT_HISTORY) {
        def = towel_cloth_def(FM_DRAG_VISCOUS);
        def.drag.viscous = 2;
    }
    if (cloth_kind == HISTORY_STRONG) {
        def.damping.coefficient *= 100;
        def.drag.history.coefficient *= 100;
    }
    if (cloth_kind ==
        EQUIVALENT_DASHPOTS) { // half derivative over 3 steps at constant v: 2 sqrt(3 h/pi) v
        double w = 2 * sqrt(3 * (h > 0 ? h : STABLE_STEP) / pi); // s^(1/2)
        def = towel_cloth_def(FM_DRAG_VISCOUS);
        def.drag.viscous = 2 + 20 * w;
        def.damping.coefficient = TOWEL_HALF_DAMPING * w;
    }
    def.integrator = integrator;
    def.time_step = h;
    return def;
}

// Whether the towel can be swung for two seconds with the step h (s). *bound: the library's own
// limit of the step, s.
static bool is_stable(experiment *e, const fm_cloth_def *def, double h, double *bound)
{
    bool quick = experiment_quick(e);
    fm_error err = {0};
    fm_world *world = fixture_create_world(fixture_water_def(1), &err);
    fixture_towel towel = fixture_default_towel(quick ? 11 : 21, quick ? 16 : 31);
    towel.cloth = *def;
    towel.amplitude = 0.05;
    towel.period = 0.8;
    fm_cloth *cloth = fixture_create_hanging_cloth(world, &towel, &err);
    bool good = err.status == FM_OK;
    *bound = good ? fm_cloth_stable_step(cloth) : 0;
    h = h > 0 ? h : *bound;
    const int substeps = 20;                                    // of exactly h in an advance
    int calls = (int)floor((quick ? 0.4 : 2) / (substeps * h)); // advances
    for (int n = 0; n < calls && good; n++) {
        fm_report report = fm_world_advance(world, substeps * h, &err);
        good = err.status == FM_OK && report.kinetic_energy < ENERGY_MAX &&
               report.max_stretch < STRETCH_MAX;
    }
    if (err.status != FM_OK && err.status != FM_DIVERGED)
        experiment_fail(e, err.status, "%s", err.text);
    fm_world_destroy(world);
    return good;
}

// The largest stable step (s) of one cloth (cloth_kind: WITHOUT_HISTORY to HISTORY_STRONG), by
// bisection. *bound: the library's own limit of the step, s. 0 if even 20 us (80 us with --quick)
// are unstable.
static double largest_step(experiment *e, int cloth_kind, fm_integrator integrator, double *bound)
{
    fm_cloth_def def = stability_cloth_def(cloth_kind, integrator, 0);
    if (is_stable(e, &def, 0, bound))
        return *bound;
    double low = experiment_quick(e) ? 8e-5 : 2e-5, high = *bound, ignored;
    def = stability_cloth_def(cloth_kind, integrator, low);
    if (!is_stable(e, &def, low, &ignored))
        return 0;
    for (int n = experiment_quick(e) ? 4 : 0; n < 8; n++) {
        def = stability_cloth_def(cloth_kind, integrator, sqrt(low * high));
        if (is_stable(e, &def, def.time_step, &ignored))
            low = def.time_step;
        else
            high = def.time_step;
    }
    return low;
}

// Reports the largest stable step of every cloth with one integrator. Returns that of full memory.
static double study_stability(experiment *e, int i, experiment_table *table)
{
    double full = 0;
    for (int k = 0; k < CLOTHS && !experiment_failed(e); k++) {
        double bound = 0, h = largest_step(e, k, integrators[i], &bound);
        full = k == HISTORY_WHOLE_PAST ? h : full;
        experiment_write_row(table, "%s,%s,%.4g,%.4g", integrator_names[i], cloth_names[k], h,
                             bound);
        experiment_add_named_result(e, NAN, 1e3 * h, "ms",
                                    "%s, %s: largest stable step, bound %.3g", integrator_names[i],
                                    cloth_names[k], 1e3 * bound);
    }
    return full;
}

// Half a second of the swing with full memory and steps of at most h, s.
static towel_record swing(experiment *e, fm_integrator integrator, double h)
{
    bool quick = experiment_quick(e);
    fm_cloth_def def = stability_cloth_def(HISTORY_WHOLE_PAST, integrator, h);
    def.drag.history.memory.tolerance = def.damping.memory.tolerance = 1e-6;
    towel_run run = towel_default_swing(&def, quick ? 11 : 21, quick ? 16 : 31);
    run.duration = quick ? 0.1 : 0.5;
    return towel_simulate(e, &run);
}

// Reports the distance of one integrator from the reference. largest: its largest stable step, s.
static void study_accuracy(experiment *e, int i, double largest, const towel_record *exact,
                           experiment_table *table)
{
    double fine = experiment_quick(e) ? 1 / 7680.0 : 1 / 30720.0;
    bool is_implicit = integrators[i] == FM_IMPLICIT;
    towel_record own = swing(e, integrators[i], 0.9 * largest),
                 same = is_implicit ? own : swing(e, integrators[i], fine);
    double share = 100 / 0.05; // of the amplitude, %
    double apart[2] = {is_implicit ? NAN : share * towel_largest_distance(exact, &same, 0, 0.5),
                       share * towel_largest_distance(exact, &own, 0, 0.5)};
    double seconds = own.cpu / (experiment_quick(e) ? 0.1 : 0.5);
    experiment_write_row(table, "%s,%.4g,%.4g,%.4g,%.4g", integrator_names[i], apart[0],
                         own.substep, apart[1], seconds);
    if (!is_implicit)
        experiment_add_named_result(e, NAN, apart[0], "% of the amplitude",
                                    "%s, full memory: distance at %.3g ms", integrator_names[i],
                                    1e3 * fine);
    experiment_add_named_result(e, NAN, apart[1], "% of the amplitude",
                                "%s, full memory: distance at 0.9 of its largest step, %.3g ms",
                                integrator_names[i], 1e3 * own.substep);
    experiment_add_named_result(e, NAN, seconds, "s", "%s, full memory: time for a second",
                                integrator_names[i]);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(
        argc, argv, "cloth-integrators",
        "Time steps for cloth with half derivatives: stability and accuracy.", &status);
    if (!e)
        return status;
    experiment_table *stable =
        experiment_table_open(e, "stability.csv", "integrator,memory,largest_step_s,bound_s");
    experiment_table *accurate = experiment_table_open(
        e, "accuracy.csv", "integrator,distance_same_step,own_step_s,distance_own_step,cpu_s");
    towel_record exact =
        swing(e, FM_KICK_DRIFT_KICK, experiment_quick(e) ? 1 / 15360.0 : 1 / 61440.0);
    for (int i = 0; i < INTEGRATORS && !experiment_failed(e); i++) {
        double largest = study_stability(e, i, stable);
        if (largest > 0)
            study_accuracy(e, i, largest, &exact, accurate);
    }
    return experiment_close(e);
}
