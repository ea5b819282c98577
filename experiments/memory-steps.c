// SPDX-License-Identifier: MIT
// memory-steps.c: time steps for forces with half derivatives: explicit, improved, predictor-
// corrector.
//
// [OKRC10] 4.3, [OZG13] 3.3.3 take explicit Euler and name improved explicit steps and explicit
// predictors with implicit correctors, which may be iterated, as alternatives. Here they are
// compared on oscillators like the modes of the towel, per mass
//
//     x'' = -w^2 x - c D^(1/2) x,   x(0) = 1,  v(0) = 0
//
// with D over the whole past (product trapezoidal rule, memory.h). At the next step D is w0 v +
// past part, with the past part known. Steps:
//
//   Euler          x' = x + h v,  v' = v + h a(x, D), all at the beginning of the step, as
//                  published
//   improved       v first, then x' = x + h v' (semi-implicit Euler), D predicted for the end of
//                  the step with the old velocity. The papers describe theirs as forward
//                  differences for both derivatives; taken literally that is Euler's step again
//   corrected 1    Heun: a predictor by Euler; corrector by the mean of both ends, with D there
//   corrected 3    the same, the corrector three times
//   implicit       kick-drift-kick; D at the end of each step solved for exactly, as it is linear
//
// Measured: the error of x at t = 1 s against the implicit step at 1/16 of the shortest step, its
// order between the two shortest steps, and the largest stable step: |x| < 10 for 2000 steps.
#include "experiment.h"

#include <fathom/memory.h>

enum { METHODS = 5, STEPS = 4, DAMPINGS = 2 };
static const char *const names[METHODS] = {"Euler", "improved", "corrected 1", "corrected 3",
                                           "implicit"};
static const double FREQUENCY = 12;               // rad/s, of the towel's swing and its waves
static const double STIFF = 900;                  // rad/s, of its springs
static const double dampings[DAMPINGS] = {3, 30}; // c, s^(-3/2)
static const double STIFF_DAMPING[DAMPINGS] = {0, 1000}; // c of the stiff mode

typedef struct oscillator {
    double w, c, h, x, v;
    fm_memory *memory;
} oscillator;

static double rate(const oscillator *o, double x, double derivative)
{
    return -o->w * o->w * x - o->c * derivative;
}

// One step of the explicit methods; D: the derivative now, `next`: its known part at the end.
static void step_explicitly(oscillator *o, int method, double D, double next, double weight)
{
    double h = o->h, x = o->x, v = o->v, a = rate(o, x, D);
    if (method == 0) {
        o->x += h * v;
        o->v += h * a;
        return;
    }
    if (method == 1) {
        o->v += h * rate(o, x, next + weight * v);
        o->x += h * o->v;
        return;
    }
    double end_x = x + h * v, end_v = v + h * a;
    for (int k = 0; k < (method == 2 ? 1 : 3); k++) {
        double end_a = rate(o, end_x, next + weight * end_v);
        end_x = x + h / 2 * (v + end_v);
        end_v = v + h / 2 * (a + end_a);
    }
    o->x = end_x, o->v = end_v;
}

// One step of a method.
static void step(oscillator *o, int method)
{
    double D = 0, next = 0, h = o->h, weight = fm_memory_newest_weight(o->memory, o->h);
    fm_memory_value(o->memory, &D);
    fm_memory_predict(o->memory, h, &next);
    if (method < 4) {
        step_explicitly(o, method, D, next, weight);
    } else {
        double half = o->v + h / 2 * rate(o, o->x, D);
        o->x += h * half;
        o->v = (half + h / 2 * rate(o, o->x, next)) / (1 + h / 2 * o->c * weight);
    }
    fm_memory_push(o->memory, &o->v, h);
}

// Runs `count` steps of length h; the final x, or INFINITY if |x| reached 10.
static double run(experiment *e, int method, double w, double c, double h, int count)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = FM_MEMORY_TRAPEZOID;
    def.time_step = h;
    oscillator o = {w, c, h, 1, 0, fm_memory_create(&def, 1, experiment_error(e))};
    if (!o.memory)
        return NAN;
    fm_memory_push(o.memory, &o.v, 0);
    for (int k = 0; k < count && fabs(o.x) < 10; k++)
        step(&o, method);
    fm_memory_destroy(o.memory);
    return fabs(o.x) < 10 ? o.x : INFINITY;
}

// Errors at four steps and the order of each method.
static void report_errors(experiment *e, int damping, experiment_table *table)
{
    int finest = experiment_quick(e) ? 512 : 1024; // steps per second, the shortest step
    double c = dampings[damping];
    double exact = run(e, 4, FREQUENCY, c, 1.0 / (16 * finest), 16 * finest);
    for (int m = 0; m < METHODS; m++) {
        double error[STEPS];
        for (int k = 0; k < STEPS; k++) {
            int n = finest >> (STEPS - 1 - k);
            error[k] = fabs(run(e, m, FREQUENCY, c, 1.0 / n, n) - exact);
        }
        double order = log2(error[STEPS - 2] / error[STEPS - 1]);
        experiment_write_row(table, "%s,%g,%.4g,%.4g,%.4g,%.4g,%.4g", names[m], c, error[0],
                             error[1], error[2], error[3], order);
        experiment_add_named_result(e, NAN, error[STEPS - 1], "", "%s, c = %g: error at 1/%d s",
                                    names[m], c, finest);
        experiment_add_named_result(e, NAN, order, "", "%s, c = %g: order", names[m], c);
    }
}

// The largest stable step of each method for the stiff mode, ms; 0: below 1 us.
static void report_stability(experiment *e, int damping, experiment_table *table)
{
    for (int m = 0; m < METHODS; m++) {
        double low = 0, high = 0.01; // s
        int count = experiment_quick(e) ? 200 : 2000;
        for (int k = 0; k < 14; k++) {
            double h = (low + high) / 2;
            if (isfinite(run(e, m, STIFF, STIFF_DAMPING[damping], h, count)))
                low = h;
            else
                high = h;
        }
        experiment_write_row(table, "%s,%g,%.4g", names[m], STIFF_DAMPING[damping], 1e3 * low);
        experiment_add_named_result(e, NAN, 1e3 * low, "ms", "%s, stiff, c = %g: largest step",
                                    names[m], STIFF_DAMPING[damping]);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "memory-steps",
                                    "Time steps for forces with half derivatives.", &status);
    if (!e)
        return status;
    experiment_table *errors =
        experiment_table_open(e, "errors.csv", "step,c,error_h,error_h2,error_h4,error_h8,order");
    experiment_table *stable = experiment_table_open(e, "stable.csv", "step,c,largest_ms");
    for (int d = 0; d < DAMPINGS && !experiment_failed(e); d++) {
        report_errors(e, d, errors);
        report_stability(e, d, stable);
    }
    return experiment_close(e);
}
