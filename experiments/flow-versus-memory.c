// SPDX-License-Identifier: MIT
// flow-versus-memory.c: does water remember as half derivatives do? The swung towel in simulated
// water against the drag models that stand for water.
//
// [OKRC10] and [OZG13] replace the water around cloth by forces with half derivatives, because the
// simulation of the water takes "minutes to hours" a frame; which forces are nearest to those of
// water they judge by eye. Here the water is simulated, with two-way coupling, and the towel swung
// with two amplitudes and two periods. Every model swings with the same motion.
//
// A limp towel in water moves irregularly: with another substep alone, two runs separate after the
// first swing. So three measures are compared that the water repeats,
//
//     early     sqrt(mean |x_model - x_water|^2) / amplitude, first half period, at most 0.4 s
//     envelope  sqrt(mean (z_rms,model - z_rms,water)^2) / amplitude, z_rms(s): over the whole run
//     pull      |P_model - P_water| / |P_water|, P: first harmonic of the pull on the hand
//
// and their mean, the distance. Each model has the coefficients with the smallest distance over all
// swings, by a sweep. The error of the simulated water is its distance from a run with cells of
// twice the size. Towel and tank are a slice of 4 cm between walls without friction (the flow is
// nearly plane); one swing of the whole towel of 0.4 m in a tank of 0.8 m says what that changes.
//
// What order does the water have? If its force were linear in the motion of every point, the force
// on the towel would be that of its mean deflection z. Least squares over the run give c and q in
//
//     F = -c D^q z,    and a, b, c in F = -(a D^2 z + b D z + c D^(1/2) z)
//
// with D^q by the sums of Gruenwald and Letnikov at the frames; `unexplained` is the rms of the
// remainder over that of F.
//
// [OKRC10], [OZG13] in docs/references.md
#include "towel.h"

#include <complex.h>
#include <stdio.h>

enum { AMPLITUDES = 2, PERIODS = 2, SWINGS = AMPLITUDES * PERIODS, STEPS = 4, MEASURES = 3 };
static const double PI = 3.14159265358979323846;
static const double amplitudes[AMPLITUDES] = {0.025, 0.1}; // m
static const double periods[PERIODS] = {0.5, 1.6};      // s

typedef enum model {
    VISCOUS,
    NORMAL,
    BOTH,
    HALF_3_STEPS,
    HALF_FADING,
    HALF_FULL,
    PHYSICAL,
    PHYSICAL_WITHOUT_HISTORY,
    DEFAULT,
    MODELS
} model;
static const struct {
    const char *name;
    int first, second;                                     // steps of the sweep of two coefficients
    double first_low, first_high, second_low, second_high; // in geometric progression
} models[MODELS] = {
    [VISCOUS] = {"viscous", 7, 1, 3, 3000, 0, 0},
    [NORMAL] = {"normal", 7, 1, 3, 3000, 0, 0},
    [BOTH] = {"viscous and normal", STEPS, STEPS, 1, 1000, 1, 1000},
    [HALF_3_STEPS] = {"u = 3", STEPS, STEPS, 1, 1000, 3, 3000},
    [HALF_FADING] = {"fading 0.3 s", STEPS, STEPS, 1, 1000, 1, 1000},
    [HALF_FULL] = {"full", STEPS, STEPS, 1, 1000, 1, 1000},
    [PHYSICAL] = {"physical", STEPS, STEPS, 0.5, 50, 0.5, 50},
    [PHYSICAL_WITHOUT_HISTORY] = {"physical without history", STEPS, STEPS, 0.5, 50, 0.5, 50},
    [DEFAULT] = {"physical, as it is", 1, 1, 0, 0, 0, 0},
};

// The towel of a model with two coefficients.
static fm_cloth_def create_model(model m, double first, double second)
{
    static const fm_drag_model drag[MODELS] = {
        FM_DRAG_VISCOUS,   FM_DRAG_NORMAL,   FM_DRAG_BOTH,     FM_DRAG_PUBLISHED, FM_DRAG_PUBLISHED,
        FM_DRAG_PUBLISHED, FM_DRAG_PHYSICAL, FM_DRAG_PHYSICAL, FM_DRAG_PHYSICAL};
    fm_cloth_def def = towel_cloth_def(drag[m]);
    def.drag.viscous = m == NORMAL ? 0 : first;
    def.drag.normal = m == NORMAL ? first : m == BOTH ? second : 0;
    if (m == HALF_3_STEPS)
        towel_set_half_derivatives(&def, towel_window_memory(3), TOWEL_HALF_DAMPING, second);
    if (m == HALF_FADING)
        towel_set_half_derivatives(&def, towel_fading_memory(0.3), TOWEL_HALF_DAMPING, second);
    if (m == HALF_FULL)
        towel_set_half_derivatives(&def, towel_full_memory(), TOWEL_HALF_DAMPING, second);
    if (m == PHYSICAL || m == PHYSICAL_WITHOUT_HISTORY) {
        def.drag.pressure = first;
        def.drag.ripple_pressure = second;
    }
    if (m == PHYSICAL_WITHOUT_HISTORY) {
        def.drag.normal_history = 0;
        def.drag.skin_history = false;
    }
    return def;
}

// Element i of a geometric progression of `count` numbers from low to high.
static double progress(double low, double high, int i, int count)
{
    return count < 2 ? low : low * pow(high / low, (double)i / (count - 1));
}

// The run of swing s with a cloth; spacing: of simulated water, m, or 0.
static towel_run create_run(const experiment *e, const fm_cloth_def *def, int s, double spacing)
{
    bool quick = experiment_quick(e);
    towel_run run = towel_default_swing(def, 3, quick ? 11 : 31);
    run.amplitude = amplitudes[s / PERIODS], run.period = periods[s % PERIODS];
    run.duration = quick ? 0.1 : fmax(2, ceil(1.6 / run.period)) * run.period;
    run.spacing = spacing;
    run.slice = 0.04;
    return run;
}

// First harmonic of a record over all frames but the first: whole periods.
static double complex find_harmonic(const towel_run *run, const double *x, int frames)
{
    double complex sum = 0;
    for (int f = 1; f < frames; f++)
        sum += x[f] * cexp(-2 * PI * I * f * TOWEL_FRAME / run->period);
    return 2 * sum / (frames - 1);
}

// sqrt(mean |x_a - x_b|^2) of the centre lines over the first half period, at most 0.4 s, m.
static double find_early(const towel_run *run, const towel_record *a, const towel_record *b)
{
    double sum = 0;
    int points = a->line.points, last = (int)lround(fmin(0.4, run->period / 2) / TOWEL_FRAME);
    last = last < a->line.frames ? last : a->line.frames - 1;
    for (int i = points; i < (last + 1) * points; i++) {
        fm_vec3 u = a->x[i], v = b->x[i];
        sum += pow(u.x - v.x, 2) + pow(u.y - v.y, 2) + pow(u.z - v.z, 2);
    }
    return sqrt(sum / (last * points));
}

// Root mean square deflection of a point of the centre line, m.
static double find_rms(const towel_record *r, int point)
{
    double sum = 0;
    for (int f = 0; f < r->line.frames; f++)
        sum += pow(r->x[f * r->line.points + point].z, 2);
    return sqrt(sum / r->line.frames);
}

// The three measures of how far two runs of a swing are apart, and their mean; 10 if one diverged.
static double find_distance(const towel_run *run, const towel_record *a, const towel_record *b,
                            double measures[MEASURES])
{
    int points = b->line.points;
    double sum = 0;
    for (int i = 0; i < MEASURES; i++)
        measures[i] = 10;
    if (a->diverged || b->diverged)
        return 10;
    for (int p = 0; p < points; p++)
        sum += pow(find_rms(a, p) - find_rms(b, p), 2);
    double complex P = find_harmonic(run, a->pull, a->line.frames);
    double complex Q = find_harmonic(run, b->pull, b->line.frames);
    measures[0] = find_early(run, a, b) / run->amplitude;
    measures[1] = sqrt(sum / points) / run->amplitude;
    measures[2] = cabs(P - Q) / cabs(Q);
    return (measures[0] + measures[1] + measures[2]) / MEASURES;
}

// The simulated water of all swings, with two spacings.
typedef struct waters {
    towel_record fine[SWINGS], coarse[SWINGS];
    double error[MEASURES + 1]; // measures between the two and their mean, over the swings
    double cpu;                 // s per simulated second, of the fine one
} waters;

// Fractional derivative of order q of a record that starts at rest, at frame f.
static double differentiate(const double *z, int f, double q)
{
    double weight = 1, sum = 0;
    for (int k = 0; k <= f; k++) {
        sum += weight * (z[f - k] - z[0]);
        weight *= (k - q) / (k + 1);
    }
    return sum * pow(TOWEL_FRAME, -q);
}

// Least squares of -F by derivatives of the given orders of z; the share of F that remains. The
// force of a frame is its mean over the frame: half a frame earlier than z, so means of two values.
static double fit(const towel_record *r, const double *orders, int count, double *coefficients)
{
    double m[3][4] = {{0}}, total = 0, d[4];
    for (int f = 2; f < r->line.frames; f++) {
        for (int i = 0; i < count; i++)
            d[i] = (differentiate(r->mean_z, f, orders[i]) +
                    differentiate(r->mean_z, f - 1, orders[i])) /
                   2;
        d[count] = -r->force[f];
        total += r->force[f] * r->force[f];
        for (int i = 0; i < count; i++)
            for (int j = 0; j <= count; j++)
                m[i][j] += d[i] * d[j];
    }
    double rest = total, right[3];
    for (int i = 0; i < count; i++)
        right[i] = m[i][count];
    for (int k = 0; k < count; k++)
        for (int i = 0; i < count; i++) {
            double factor = i == k ? 0 : m[i][k] / m[k][k];
            for (int j = k; j <= count && i != k; j++)
                m[i][j] -= factor * m[k][j];
        }
    for (int i = 0; i < count; i++) {
        coefficients[i] = m[i][count] / m[i][i];
        rest -= coefficients[i] * right[i];
    }
    return sqrt(fmax(0, rest) / total);
}

// The best order q of one derivative; *c: its coefficient; the share of the force that remains.
static double find_order(const towel_record *r, double *q, double *c)
{
    double best = INFINITY;
    for (int i = 0; i <= 80; i++) {
        double order = i * 0.025, coefficient, rest = fit(r, &order, 1, &coefficient);
        if (rest < best)
            best = rest, *q = order, *c = coefficient;
    }
    return best;
}

// The order of the water, from the force on the towel.
static void find_orders(experiment *e, const waters *w, int swings)
{
    experiment_table *table = experiment_table_open(
        e, "orders.csv",
        "amplitude_m,period_s,order,coefficient,unexplained,order_coarse,unexplained_half,"
        "unexplained_first,unexplained_second,unexplained_first_second,unexplained_three,"
        "added_mass_kg_m2,drag_Ns_m3,half_Ns05_m3");
    double mean[4] = {0};
    fm_cloth_def def = create_model(DEFAULT, 0, 0);
    for (int s = 0; s < swings && !experiment_failed(e); s++) {
        const towel_record *r = &w->fine[s];
        towel_run run = create_run(e, &def, s, 0);
        double area = run.slice * TOWEL_HEIGHT, q = 0, c = 0, coarse_q = 0, coarse_c = 0, x[3];
        double rest = find_order(r, &q, &c), half = fit(r, (double[]){0.5}, 1, x);
        find_order(&w->coarse[s], &coarse_q, &coarse_c);
        double first = fit(r, (double[]){1}, 1, x), second = fit(r, (double[]){2}, 1, x);
        double two = fit(r, (double[]){2, 1}, 2, x);
        double three = fit(r, (double[]){2, 1, 0.5}, 3, x);
        experiment_write_row(table, "%g,%g,%g,%.4g,%.3g,%g,%.3g,%.3g,%.3g,%.3g,%.3g,%.4g,%.4g,%.4g",
                             run.amplitude, run.period, q, c / area, rest, coarse_q, half, first,
                             second, two, three, x[0] / area, x[1] / area, x[2] / area);
        experiment_add_named_result(e, 0.5, q, "", "order of the water, %g cm, %g s",
                                    100 * run.amplitude, run.period);
        mean[0] += q / swings, mean[1] += rest / swings, mean[2] += half / swings;
        mean[3] += (two - three) / swings;
    }
    experiment_add_result(e, "order of the water, mean", 0.5, mean[0], "");
    experiment_add_result(e, "force that the best order leaves", NAN, mean[1], "");
    experiment_add_result(e, "force that the order 1/2 leaves", NAN, mean[2], "");
    experiment_add_result(e, "gain of a half derivative beside mass and drag", NAN, mean[3], "");
}

// The results of one choice of coefficients.
typedef struct comparison {
    double mean, measures[MEASURES], cpu; // over the swings
    double each[SWINGS];
    double bumps; // mean number of bumps, over the swings
} comparison;

// Compares a cloth with the water over the swings.
static comparison compare(experiment *e, const fm_cloth_def *def, const waters *w, int swings)
{
    comparison c = {0};
    for (int s = 0; s < swings && !experiment_failed(e); s++) {
        towel_run run = create_run(e, def, s, 0);
        towel_record r = towel_simulate(e, &run);
        double measures[MEASURES];
        c.each[s] = find_distance(&run, &r, &w->fine[s], measures);
        c.mean += c.each[s] / swings;
        for (int i = 0; i < MEASURES; i++)
            c.measures[i] += measures[i] / swings;
        c.cpu += r.cpu / run.duration / swings;
        c.bumps += towel_measure_bumps(e, &run, &r, run.period / 2).count / swings;
    }
    return c;
}

// Sweeps the coefficients of a model, and adds its best ones and their distance.
static void measure_model(experiment *e, model m, const waters *w, int swings,
                          experiment_table *table, experiment_table *best_table)
{
    comparison best = {.mean = INFINITY};
    double chosen[2] = {0}, own[SWINGS], mean_own = 0;
    int first = experiment_quick(e) ? 1 : models[m].first;
    int second = experiment_quick(e) ? 1 : models[m].second;
    for (int s = 0; s < SWINGS; s++)
        own[s] = INFINITY;
    for (int i = 0; i < first * second && !experiment_failed(e); i++) {
        double a = progress(models[m].first_low, models[m].first_high, i % first, first);
        double b = progress(models[m].second_low, models[m].second_high, i / first, second);
        fm_cloth_def def = create_model(m, a, b);
        comparison c = compare(e, &def, w, swings);
        for (int s = 0; s < swings; s++) {
            own[s] = fmin(own[s], c.each[s]);
            experiment_write_row(table, "%s,%g,%g,%g,%g,%.4g", models[m].name, a, b,
                                 amplitudes[s / PERIODS], periods[s % PERIODS], c.each[s]);
        }
        if (c.mean < best.mean)
            best = c, chosen[0] = a, chosen[1] = b;
    }
    for (int s = 0; s < swings; s++)
        mean_own += own[s] / swings;
    const char *name = models[m].name;
    experiment_write_row(best_table, "\"%s\",%.4g,%.4g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g", name,
                         chosen[0], chosen[1], best.measures[0], best.measures[1],
                         best.measures[2], best.mean, mean_own, best.bumps, w->cpu / best.cpu);
    experiment_add_named_result(e, NAN, best.mean, "", "%s: distance from the water", name);
    experiment_add_named_result(e, NAN, mean_own, "", "%s: the same, tuned for each swing", name);
    experiment_add_named_result(e, NAN, w->cpu / best.cpu, "", "%s: time of the water / its time",
                                name);
}

// Simulates the towel in water for all swings.
static void simulate_water(experiment *e, waters *w, int swings, experiment_table *best_table)
{
    fm_cloth_def def = create_model(DEFAULT, 0, 0);
    double bumps = 0;
    def.drag.model = FM_DRAG_NONE;
    for (int s = 0; s < swings && !experiment_failed(e); s++) {
        towel_run run = create_run(e, &def, s, 0.01);
        double measures[MEASURES];
        w->fine[s] = towel_simulate(e, &run);
        run.spacing *= 2;
        w->coarse[s] = towel_simulate(e, &run);
        double mean = find_distance(&run, &w->coarse[s], &w->fine[s], measures);
        experiment_add_named_result(e, NAN, mean, "", "water, %g cm, %g s: between two spacings",
                                    100 * run.amplitude, run.period);
        for (int i = 0; i < MEASURES; i++)
            w->error[i] += measures[i] / swings;
        w->error[MEASURES] += mean / swings;
        w->cpu += w->fine[s].cpu / run.duration / swings;
        bumps += towel_measure_bumps(e, &run, &w->fine[s], run.period / 2).count / swings;
    }
    experiment_write_row(best_table, "\"water, cells of 2 cm\",,,%.3g,%.3g,%.3g,%.3g,,%.3g,",
                         w->error[0], w->error[1], w->error[2], w->error[3], bumps);
    experiment_add_result(e, "water: distance between two spacings", NAN, w->error[MEASURES], "");
    experiment_add_result(e, "water: time per simulated second", NAN, w->cpu, "s");
}

// The whole towel in a tank of 0.8 m, at 2.5 cm and 0.5 s, against its slice with the same cells.
static void compare_whole(experiment *e, const waters *w)
{
    fm_cloth_def def = create_model(DEFAULT, 0, 0);
    def.drag.model = FM_DRAG_NONE;
    int s = 0;
    towel_run run = create_run(e, &def, s, 0.02);
    run.slice = 0, run.columns = 21;
    towel_record r = towel_simulate(e, &run);
    for (int f = 0; f < r.line.frames; f++)
        r.pull[f] *= 0.04 / 0.4;
    double m[MEASURES] = {0};
    find_distance(&run, &r, &w->coarse[s], m);
    experiment_add_result(e, "whole towel against its slice: early", NAN, m[0], "");
    experiment_add_result(e, "whole towel against its slice: envelope", NAN, m[1], "");
    experiment_add_result(e, "whole towel against its slice: pull", NAN, m[2], "");
    experiment_add_result(e, "whole towel: simulated until", NAN, r.line.frames * TOWEL_FRAME, "s");
    experiment_add_result(e, "whole towel: time per simulated second", NAN, r.cpu / run.duration,
                          "s");
}

static const char FIGURE[] =
    "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.8\n"
    "set boxwidth 0.7\nset ylabel 'early + envelope + pull, over 3'\nset yrange [0:*]\n"
    "set xtics rotate by -25\nset bmargin 6\nset key outside top center horizontal\n"
    "plot 'models.csv' using ($4/3):xtic(1) skip 1 ls 1 title 'early', '' using ($5/3) skip 1 "
    "ls 2 title 'envelope', '' using ($6/3) skip 1 ls 3 title 'pull'\n";

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "flow-versus-memory",
                        "The swung towel in simulated water, and the models of water.", &status);
    if (!e)
        return status;
    waters *w = experiment_alloc(e, 1, sizeof *w);
    int swings = experiment_quick(e) ? 1 : SWINGS;
    experiment_table *best = experiment_table_open(
        e, "models.csv",
        "model,first,second,early,envelope,pull,distance,tuned_for_each,bumps,times_faster");
    if (w)
        simulate_water(e, w, swings, best);
    if (w && !experiment_failed(e) && !experiment_quick(e))
        find_orders(e, w, swings);
    experiment_table *table = experiment_table_open(
        e, "distances.csv", "model,first,second,amplitude_m,period_s,distance");
    for (int m = 0; m < MODELS && w && !experiment_failed(e); m++)
        measure_model(e, (model)m, w, swings, table, best);
    if (w && !experiment_failed(e) && !experiment_quick(e)) {
        compare_whole(e, w);
        experiment_plot(e, "models", "Distance of the models from simulated water", FIGURE);
    }
    return experiment_close(e);
}
