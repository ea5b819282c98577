// SPDX-License-Identifier: MIT
// memory-weights.c: the weights of past velocities, and how much a truncated sum leaves out.
//
// A half derivative of the position is computed as a weighted sum of past velocities. The papers
// plot the weights, observe that they fall within a few steps, and keep the newest and the last
// three velocities (u = 3), or ten steps, or one second:
//
//     figure 3.6 of [OZG13] (figure 6 of [OKRC10])   the coimbra rule (eq. (6) of [OKRC10]),
//                                                    three step sizes h, n = 100 past steps
//     figure 4.2                                     the product trapezoidal rule, order q = 1/2,
//                                                    three step sizes h
//     figure 5.2                                     the product trapezoidal rule, order q = 0.2,
//                                                    0.5, 0.8
//
// Here the weights are recovered through the public interface: an impulse, the velocity 1 at one
// step and 0 at all others, gives the weight of that step in every later derivative. The same is
// done with full memory (whole past, by a sum of exponentials) and fading memory (times e^(-t/1
// s)), which have no explicit list of weights. On logarithmic axes the weights follow the power law
// age^-q. Their sum diverges, so the share of the last u of n steps, about sqrt(u/n) at q = 1/2,
// tends to zero as the past n grows.
//
// The papers do not state the step h of their figures; 10, 1 and 0.1 ms are our choice.
#include "experiment.h"

#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

enum { PAST = 100 }; // number n of past steps in the figures of [OZG13]

static const double pi = 3.14159265358979323846;

// Definition of an operator that computes the derivative of the given order from the velocities of
// the last `steps` steps of length h (s).
static fm_memory_def window_def(fm_memory_method method, double order, double h, int steps)
{
    fm_memory_def def = fm_default_memory_def();
    def.method = method;
    def.order = order;
    def.time_step = h;
    def.window_steps = steps;
    return def;
}

// Recovers weight[i], i = 0 .. last <= PAST, the weight of the velocity at step i in the derivative
// at step `last`. The operator differentiates last + 1 signals at once; signal i has the velocity 1
// at step i and 0 otherwise.
static void recover_weights(experiment *e, const fm_memory_def *def, int last,
                            double weight[PAST + 1])
{
    double velocity[PAST + 1] = {0}; // of each signal at the present step
    fm_memory *memory = fm_memory_create(def, last + 1, experiment_error(e));
    if (!memory)
        return;
    for (int i = 0; i <= last; i++) {
        velocity[i] = 1;
        if (!fm_memory_push(memory, velocity, i == 0 ? 0 : def->time_step))
            experiment_fail(e, FM_BAD_VALUE, "push %d refused", i);
        velocity[i] = 0;
    }
    fm_memory_value(memory, weight);
    fm_memory_destroy(memory);
}

static const char steps_script[] =
    "set multiplot layout 1,2 title heading font ',18'\n"
    "set title 'as in the papers' font ',15'\n"
    "set xlabel 'step i'\n"
    "set ylabel 'weight of v_i [s^{1/2}]'\n"
    "set key top left\n"
    "set xrange [0:103]\n"
    "plot name.'.csv' using 1:3 with linespoints ls 1 ps 0.7 title 'h = 10 ms', \\\n"
    "     '' using 1:4 with linespoints ls 2 ps 0.7 title 'h = 1 ms', \\\n"
    "     '' using 1:5 with linespoints ls 3 ps 0.7 title 'h = 0.1 ms'\n"
    "set title 'over h^{1/2} and by age: one curve, a power law'\n"
    "set logscale xy\n"
    "set xrange [0.9:130]\n"
    "set yrange [0.02:1]\n"
    "set xlabel 'age n - i [steps]'\n"
    "set ylabel 'weight of v_i over h^{1/2}'\n"
    "set key bottom left\n"
    "plot name.'.csv' using 2:($3/sqrt(1e-2)) with points ls 1 ps 2 title 'h = 10 ms', \\\n"
    "     '' using 2:($4/sqrt(1e-3)) with points ls 2 ps 1.3 title 'h = 1 ms', \\\n"
    "     '' using 2:($5/sqrt(1e-4)) with points ls 3 ps 0.7 title 'h = 0.1 ms', \\\n"
    "     1/sqrt(pi*x) with lines ls 8 title '1/({/Symbol p} age)^{1/2}'\n"
    "unset multiplot\n";

// Figures 3.6 and 4.2 of [OZG13]: weights of one quadrature rule of the half derivative with the
// whole past, for three step sizes.
static void plot_steps(experiment *e, fm_memory_method method, const char *name,
                       const char *heading)
{
    static const double steps[3] = {1e-2, 1e-3, 1e-4};
    double weight[3][PAST + 1] = {{0}};
    char file[64];
    for (int s = 0; s < 3; s++) {
        fm_memory_def def = window_def(method, 0.5, steps[s], FM_MEMORY_UNLIMITED);
        recover_weights(e, &def, PAST, weight[s]);
    }
    snprintf(file, sizeof file, "%s.csv", name);
    experiment_table *table =
        experiment_table_open(e, file, "step,age_steps,h_10ms_sqrt_s,h_1ms_sqrt_s,h_0.1ms_sqrt_s");
    for (int i = 0; i <= PAST; i++)
        experiment_write_numbers(table,
                                 (double[]){i, PAST - i, weight[0][i], weight[1][i], weight[2][i]});
    experiment_plot(e, name, heading, steps_script);
}

static const char orders_script[] =
    "set multiplot layout 1,2 title heading font ',18'\n"
    "set title 'as in the thesis' font ',15'\n"
    "set xlabel 'step p'\n"
    "set ylabel 'weight a_{p,n}, the newest = 1'\n"
    "set key top left\n"
    "set xrange [0:103]\n"
    "plot name.'.csv' using 1:3 with linespoints ls 1 ps 0.7 title 'q = 0.2', \\\n"
    "     '' using 1:4 with linespoints ls 2 ps 0.7 title 'q = 0.5', \\\n"
    "     '' using 1:5 with linespoints ls 3 ps 0.7 title 'q = 0.8'\n"
    "set title 'by age: power laws'\n"
    "set logscale xy\n"
    "set xrange [0.9:130]\n"
    "set yrange [2e-3:2]\n"
    "set xlabel 'age n - p [steps]'\n"
    "set key bottom left\n"
    "kernel(q, x) = gamma(3-q)/gamma(1-q)*x**(-q)\n"
    "plot name.'.csv' using 2:3 with points ls 1 ps 1.2 title 'q = 0.2', \\\n"
    "     '' using 2:4 with points ls 2 ps 1.2 title 'q = 0.5', \\\n"
    "     '' using 2:5 with points ls 3 ps 1.2 title 'q = 0.8', \\\n"
    "     kernel(0.2, x) with lines ls 8 title '(1-q)(2-q) age^{-q}', \\\n"
    "     kernel(0.5, x) with lines ls 8 notitle, kernel(0.8, x) with lines ls 8 notitle\n"
    "unset multiplot\n";

// Figure 5.2 of [OZG13]: weights of the product trapezoidal rule for three orders of the
// derivative.
static void plot_orders(experiment *e)
{
    static const double orders[3] = {0.2, 0.5, 0.8};
    double weight[3][PAST + 1] = {{0}};
    for (int s = 0; s < 3; s++) {
        fm_memory_def def = window_def(FM_MEMORY_TRAPEZOID, orders[s], 1e-3, FM_MEMORY_UNLIMITED);
        recover_weights(e, &def, PAST, weight[s]);
    }
    experiment_table *table =
        experiment_table_open(e, "figure-5.2.csv", "step,age_steps,q_0.2,q_0.5,q_0.8");
    // weights divided by the newest one, dimensionless as a_{p,n} in the thesis
    for (int i = 0; i <= PAST; i++) {
        double row[5] = {i, PAST - i};
        for (int s = 0; s < 3; s++)
            row[2 + s] = weight[s][i] / weight[s][PAST];
        experiment_write_numbers(table, row);
    }
    experiment_plot(e, "figure-5.2", "Product trapezoid: weights by order q, n = 100",
                    orders_script);
}

// The methods that are compared, all for the half derivative: quadrature rule and the part of the
// past that it covers.
enum {
    COIMBRA_3_STEPS,
    COIMBRA_10_STEPS,
    TRAPEZOID_10_STEPS,
    TRAPEZOID_1_SECOND,
    FADING_MEMORY, // the past weighted by e^(-t/1 s), by a sum of exponentials
    FULL_MEMORY,   // the whole past, by a sum of exponentials
    COIMBRA_WHOLE_PAST,
    TRAPEZOID_WHOLE_PAST,
    METHODS,
};

// Definition of the operator that computes half derivatives with one of the methods above and the
// step h (s).
static fm_memory_def method_def(int method, double h)
{
    fm_memory_def def = window_def(FM_MEMORY_TRAPEZOID, 0.5, h, FM_MEMORY_UNLIMITED);
    if (method == COIMBRA_3_STEPS || method == COIMBRA_10_STEPS || method == COIMBRA_WHOLE_PAST)
        def.method = FM_MEMORY_COIMBRA;
    if (method == COIMBRA_3_STEPS)
        def.window_steps = 3;
    else if (method == COIMBRA_10_STEPS || method == TRAPEZOID_10_STEPS)
        def.window_steps = 10;
    else if (method == TRAPEZOID_1_SECOND)
        def.window_seconds = 1;
    else if (method == FADING_MEMORY)
        def.method = FM_MEMORY_FADING;
    else if (method == FULL_MEMORY)
        def.method = FM_MEMORY_FULL;
    return def;
}

// Weights of one method after certain numbers of steps, step[i].
typedef struct record {
    double *weight; // [i]: of the velocity step[i] - 1 steps ago, s^1/2
    double *total;  // [i]: sum of all weights, the half derivative for the constant velocity 1
} record;

// Records the weights of a method at the steps step[count]. Differentiates two signals: one with
// velocity 1 at step 1 only (step 0 would have a boundary weight), one with velocity 1 at all
// steps.
static record record_weights(experiment *e, int method, double h, const int *step, int count)
{
    record r = {.weight = experiment_alloc(e, count, sizeof(double)),
                .total = experiment_alloc(e, count, sizeof(double))};
    fm_memory_def def = method_def(method, h);
    fm_memory *memory = fm_memory_create(&def, 2, experiment_error(e));
    if (experiment_failed(e)) {
        fm_memory_destroy(memory);
        return r;
    }
    fm_memory_push(memory, (double[]){0, 1}, 0);
    for (int i = 0, n = 1; i < count; n++) {
        if (!fm_memory_push(memory, (double[]){n == 1, 1}, h)) {
            experiment_fail(e, FM_BAD_VALUE, "push %d refused", n);
            break;
        }
        if (n < step[i])
            continue;
        double value[2];
        fm_memory_value(memory, value);
        r.weight[i] = value[0];
        r.total[i++] = value[1];
    }
    fm_memory_destroy(memory);
    return r;
}

// Chooses the steps at which weights are recorded: every step up to 20, then steps 5 % apart, and
// the powers of ten. Returns their number.
static int choose_steps(int *step, int capacity, int last)
{
    int count = 0;
    for (int n = 1, decade = 10; n <= last && count < capacity;) {
        step[count++] = n;
        const int every_step_until = 20;
        const double ratio = 1.05; // of steps after that
        int next = n < every_step_until ? n + 1 : (int)(n * ratio);
        while (decade <= n)
            decade *= 10;
        n = next > decade ? decade : next;
    }
    return count;
}

// The index of `wanted` in step[count], or -1.
static int index_of(const int *step, int count, int wanted)
{
    for (int i = 0; i < count; i++) {
        if (step[i] == wanted)
            return i;
    }
    return -1;
}

// Writes the weights of all methods over the age of the velocity, and the shares of the sum of all
// weights that they hold.
static void write_records(experiment *e, const record *r, const int *step, int count, double h)
{
    experiment_table *weights = experiment_table_open(
        e, "weights.csv", "age_s,kernel,u3,u10,d10,one_second,fading,full,coimbra,trapezoid");
    experiment_table *shares = experiment_table_open(
        e, "shares.csv", "steps,u3,u10,d10,one_second,fading,full,coimbra,trapezoid");
    for (int i = 0; i < count; i++) {
        double age = (step[i] - 1) * h;
        double weight[METHODS + 2] = {age, age > 0 ? 1 / sqrt(pi * age) : NAN};
        double share[METHODS + 1] = {step[i]};
        for (int m = 0; m < METHODS; m++) {
            // weights divided by the step are comparable with the kernel; zeros cannot be shown on
            // a logarithmic axis
            weight[m + 2] = r[m].weight[i] > 0 ? r[m].weight[i] / h : NAN;
            share[m + 1] = r[m].total[i] / r[TRAPEZOID_WHOLE_PAST].total[i];
        }
        experiment_write_numbers(weights, weight);
        experiment_write_numbers(shares, share);
    }
}

// Reports the share of the sum of all weights that three windows hold after 100 to 100,000 steps.
static void report_shares(experiment *e, const record *r, const int *step, int count)
{
    static const struct {
        int method;
        const char *name;
    } windows[] = {{COIMBRA_3_STEPS, "coimbra u = 3"},
                   {COIMBRA_10_STEPS, "coimbra u = 10"},
                   {TRAPEZOID_10_STEPS, "trapezoid d = 10"}};
    for (int w = 0; w < 3; w++) {
        for (int n = 100; n <= 100000; n *= 10) {
            int i = index_of(step, count, n);
            if (i >= 0)
                experiment_add_named_result(
                    e, NAN, r[windows[w].method].total[i] / r[TRAPEZOID_WHOLE_PAST].total[i], "",
                    "share of the weight of %d steps held by %s", n, windows[w].name);
        }
    }
}

// Reports the error of the truncation in [OZG13], whose sum over d past steps ends with an interior
// weight of the trapezoidal rule instead of a boundary weight.
static void report_oldest_weight(experiment *e, double h)
{
    static const int windows[2] = {10, 1000};
    for (int i = 0; i < 2; i++) {
        int d = windows[i];
        fm_memory_def def = window_def(FM_MEMORY_TRAPEZOID, 0.5, h, d);
        fm_memory_def longer = window_def(FM_MEMORY_TRAPEZOID, 0.5, h, d + 1);
        double value[2][2] = {{0}};
        for (int w = 0; w < 2; w++) {
            fm_memory *memory = fm_memory_create(w ? &longer : &def, 2, experiment_error(e));
            // at the last step the impulse, velocity 1 at step 1, is d steps old
            for (int n = 0; memory && n <= d + 1; n++)
                fm_memory_push(memory, (double[]){n == 1, 1}, n == 0 ? 0 : h);
            if (memory)
                fm_memory_value(memory, value[w]);
            fm_memory_destroy(memory);
        }
        double surplus = (value[1][0] - value[0][0]) / value[0][1];
        experiment_add_named_result(e, NAN, surplus, "",
                                    "excess weight of the thesis's window, d = %d, q = 1/2", d);
    }
}

// Largest relative difference of the weights of two methods.
static double largest_weight_difference(const record *a, const record *b, int count)
{
    double worst = 0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs(a->weight[i] / b->weight[i] - 1));
    return worst;
}

// Reports properties of the coimbra rule and the agreement of full memory with the trapezoidal
// rule.
static void report_rules(experiment *e, const record *r, const int *step, int count, double h)
{
    // weight of the newest velocity by [OKRC10] eq. (6), divided by sqrt(h), evaluated by hand
    double newest = (0.15 * (2 / sqrt(0.55) + 1 / sqrt(0.1)) +
                     0.05 * (8 * sqrt(2) / 3 / sqrt(0.05) - 4.0 / 3 / sqrt(0.1))) /
                    sqrt(pi);
    experiment_add_result(e, "coimbra: weight of the newest velocity over sqrt(h)", newest,
                          r[COIMBRA_3_STEPS].weight[0] / sqrt(h), "");
    int last = count - 1;
    double exact = 2 * sqrt(step[last] * h / pi);
    experiment_add_result(e, "coimbra, whole past, v = 1: error over sqrt(h)", NAN,
                          (r[COIMBRA_WHOLE_PAST].total[last] - exact) / sqrt(h), "");
    // The papers recompute the weights in every step. Compared here: the weights of velocities of
    // the same age after 50 and after 100 steps.
    double change = 0, early[PAST + 1] = {0}, late[PAST + 1] = {0};
    fm_memory_def def = window_def(FM_MEMORY_COIMBRA, 0.5, h, FM_MEMORY_UNLIMITED);
    recover_weights(e, &def, PAST / 2, early);
    recover_weights(e, &def, PAST, late);
    // without the first velocity, which has a boundary weight
    for (int age = 0; age < PAST / 2; age++)
        change = fmax(change, fabs(early[PAST / 2 - age] - late[PAST - age]));
    experiment_add_result(e, "coimbra: largest change of a weight of given age, n = 50 to 100", NAN,
                          change, "s^1/2");
    experiment_add_result(
        e, "full memory: largest difference of its weights from the trapezoid's", NAN,
        largest_weight_difference(&r[FULL_MEMORY], &r[TRAPEZOID_WHOLE_PAST], count), "");
}

// Reports the bytes that each method stores per differentiated signal.
static void report_state_sizes(experiment *e, double h)
{
    static const char *const names[METHODS] = {
        [COIMBRA_3_STEPS] = "coimbra u = 3",       [COIMBRA_10_STEPS] = "coimbra u = 10",
        [TRAPEZOID_10_STEPS] = "trapezoid d = 10", [TRAPEZOID_1_SECOND] = "trapezoid of one second",
        [FADING_MEMORY] = "fading memory",         [FULL_MEMORY] = "full memory"};
    for (int m = COIMBRA_3_STEPS; m <= FULL_MEMORY; m++) {
        fm_memory_def def = method_def(m, h);
        fm_memory *memory = fm_memory_create(&def, 1, experiment_error(e));
        if (!memory)
            return;
        experiment_add_named_result(e, NAN, (double)fm_memory_bytes_per_lane(memory), "B",
                                    "%s: state of a scalar, h = 1 ms", names[m]);
        fm_memory_destroy(memory);
    }
}

// Tabulates the number of exponentials by which full memory approximates the kernel t^-q, by order
// and tolerance. The tolerance holds up to an age of 1e5 steps (the horizon).
static void tabulate_exponentials(experiment *e)
{
    static const double orders[3] = {0.2, 0.5, 0.8}, tolerances[4] = {1e-2, 1e-3, 1e-4, 1e-6};
    experiment_table *table = experiment_table_open(
        e, "exponentials.csv", "order,tolerance,exponentials,kernel_error,state_bytes,create_ms");
    for (int q = 0; q < 3; q++) {
        for (int t = 0; t < 4; t++) {
            fm_memory_def def = fm_default_memory_def();
            def.order = orders[q];
            def.tolerance = tolerances[t];
            clock_t start = clock();
            fm_memory *memory = fm_memory_create(&def, 1, experiment_error(e));
            if (!memory)
                return;
            double create_ms = (double)(clock() - start) / CLOCKS_PER_SEC * 1e3;
            int count = fm_memory_exponential_count(memory);
            experiment_write_numbers(
                table, (double[]){def.order, def.tolerance, count, fm_memory_kernel_error(memory),
                                  (double)fm_memory_bytes_per_lane(memory), create_ms});
            if (def.order == 0.5)
                experiment_add_named_result(e, NAN, count, "",
                                            "full memory: exponentials for q = 0.5, tolerance %g",
                                            def.tolerance);
            fm_memory_destroy(memory);
        }
    }
}

// Full memory approximates its kernel up to an age called the horizon; beyond it the weights decay.
// Reports the effect on the half derivative for the constant velocity 1.
static void report_horizon(experiment *e)
{
    fm_memory_def def = fm_default_memory_def();
    const double velocity = 1;
    def.horizon = 1; // s, a thousand steps
    fm_memory *memory = fm_memory_create(&def, 1, experiment_error(e));
    if (!memory)
        return;
    fm_memory_push(memory, &velocity, 0);
    for (int n = 1; n <= 100000; n++) {
        fm_memory_push(memory, &velocity, def.time_step);
        if (n != 1000 && n != 5000 && n != 10000 && n != 100000)
            continue;
        double value, t = n * def.time_step;
        fm_memory_value(memory, &value);
        experiment_add_named_result(e, NAN, value / (2 * sqrt(t / pi)) - 1, "",
                                    "full memory, v = 1: relative error after %g horizons", t);
    }
    fm_memory_destroy(memory);
}

static const char weights_script[] =
    "set logscale xy\n"
    "set format x '10^{%L}'\n"
    "set format y '10^{%L}'\n"
    "set xlabel 'age [s]'\n"
    "set ylabel 'weight over h [s^{-1/2}]'\n"
    "set xrange [0.8e-3:150]\n"
    "set yrange [1e-2:40]\n"
    "set key bottom left\n"
    "plot name.'.csv' using 1:8 every 3 with points ls 1 ps 1.3 title 'full', \\\n"
    "     '' using 1:7 with lines ls 3 title 'fading, {/Symbol t} = 1 s', \\\n"
    "     '' using 1:6 with lines ls 5 lw 3 title 'trapezoid, one second', \\\n"
    "     '' using 1:4 with linespoints ls 4 ps 1.8 title 'coimbra, u = 10', \\\n"
    "     '' using 1:3 with linespoints ls 2 ps 1.3 title 'coimbra, u = 3', \\\n"
    "     '' using 1:2 with lines ls 8 title 'kernel ({/Symbol p} t)^{-1/2}'\n";

static const char shares_script[] =
    "set logscale xy\n"
    "set format x '10^{%L}'\n"
    "set xlabel 'past n [steps of 1 ms]'\n"
    "set ylabel 'share of the whole weight'\n"
    "set yrange [4e-3:1.5]\n"
    "set key bottom left\n"
    "plot name.'.csv' using 1:7 with lines ls 1 lw 3 title 'full', \\\n"
    "     '' using 1:6 with lines ls 3 title 'fading, {/Symbol t} = 1 s', \\\n"
    "     '' using 1:5 with lines ls 5 title 'trapezoid, one second', \\\n"
    "     '' using 1:3 with lines ls 4 title 'coimbra, u = 10', \\\n"
    "     '' using 1:2 with lines ls 2 title 'coimbra, u = 3', \\\n"
    "     x>8 ? sqrt(3/x) : NaN with lines ls 8 title '(u/n)^{1/2}', \\\n"
    "     x>20 ? sqrt(10/x) : NaN with lines ls 8 notitle\n";

int main(int argc, char **argv)
{
    enum { MAX_RECORDED = 400 };
    const double h = 1e-3;
    int status, step[MAX_RECORDED];
    experiment *e =
        experiment_open(argc, argv, "memory-weights",
                        "How much each past velocity counts in the half derivative.", &status);
    if (!e)
        return status;
    plot_steps(e, FM_MEMORY_COIMBRA, "figure-3.6",
               "Coimbra rule: weights of past velocities, q = 1/2, n = 100");
    plot_steps(e, FM_MEMORY_TRAPEZOID, "figure-4.2",
               "Product trapezoid: weights of past velocities, q = 1/2, n = 100");
    plot_orders(e);

    int count = choose_steps(step, MAX_RECORDED, experiment_quick(e) ? 10000 : 100000);
    record records[METHODS];
    for (int m = 0; m < METHODS; m++)
        records[m] = record_weights(e, m, h, step, count);
    if (!experiment_failed(e)) {
        write_records(e, records, step, count, h);
        report_shares(e, records, step, count);
        report_oldest_weight(e, h);
        report_rules(e, records, step, count, h);
        report_state_sizes(e, h);
        tabulate_exponentials(e);
        report_horizon(e);
    }
    experiment_plot(e, "weights",
                    "Weights of the past, q = 1/2, h = 1 ms: windows end, the kernel does not",
                    weights_script);
    experiment_plot(e, "shares", "What a memory holds of all weights when the past is n steps long",
                    shares_script);
    return experiment_close(e);
}
