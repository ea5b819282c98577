// SPDX-License-Identifier: MIT
// flow-versus-memory.c: does water remember as half derivatives do? The swung towel in simulated
// water against the drag models that stand for water.
//
// [OKRC10] and [OZG13] replace the water around cloth by forces with half derivatives, because the
// simulation of the water takes "minutes to hours" a frame; which forces are nearest to those of
// water they judge by eye. Here the water is simulated: the towel of cloth-swing in a tank of
// 0.8 m x 1 m x 1 m with two-way coupling, swung with three amplitudes and three periods. Every
// model swings with the same motion, and its centre line is compared with that in the water:
//
//     distance = sqrt(mean over frames and points of |x_model - x_water|^2) / amplitude
//
// over the time after two periods and at least 1.5 s. Each model has the coefficients with the
// smallest distance over all swings, by a sweep. The error of the simulated water is the same
// distance between two spacings of its grid.
//
// What order does the water have? A force c D^q z has, in a swing of angular frequency w, the
// phase q pi/2 ahead of the motion z and the amplitude c w^q. From the first harmonics F of the
// force of the water on the towel and Z of its mean deflection,
//
//     q(phase) = 2/pi arg(-F/Z),    q(slope) = d ln |F/Z| / d ln w
//
// If the water were a fractional derivative of the motion, the two would agree in all swings.
//
// [OKRC10], [OZG13] in docs/references.md
#include "towel.h"

#include <complex.h>
#include <stdio.h>

enum { AMPLITUDES = 3, PERIODS = 3, SWINGS = AMPLITUDES * PERIODS, STEPS = 5 };
static const double PI = 3.14159265358979323846;
static const double amplitudes[AMPLITUDES] = {0.025, 0.05, 0.1}; // m
static const double periods[PERIODS] = {0.5, 0.8, 1.6};          // s

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
    [VISCOUS] = {"viscous", 8, 1, 1, 300, 0, 0},
    [NORMAL] = {"normal", 8, 1, 1, 300, 0, 0},
    [BOTH] = {"viscous and normal", STEPS, STEPS, 1, 100, 1, 100},
    [HALF_3_STEPS] = {"u = 3", STEPS, STEPS, 1, 100, 3, 3000},
    [HALF_FADING] = {"fading 0.3 s", STEPS, STEPS, 1, 100, 1, 100},
    [HALF_FULL] = {"full", STEPS, STEPS, 1, 100, 1, 100},
    [PHYSICAL] = {"physical", STEPS, STEPS, 0.1, 4, 0.05, 4},
    [PHYSICAL_WITHOUT_HISTORY] = {"physical without history", STEPS, STEPS, 0.1, 4, 0.05, 4},
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
    towel_run run = towel_default_swing(def, quick ? 7 : 21, quick ? 11 : 31);
    run.amplitude = amplitudes[s / PERIODS], run.period = periods[s % PERIODS];
    run.duration = quick ? 0.1 : fmax(2 * run.period, 1.5) + fmax(2 * run.period, 1.6);
    run.spacing = spacing;
    return run;
}

// Frame from which a swing is compared.
static int first_frame(const experiment *e, const towel_run *run)
{
    return experiment_quick(e) ? 1 : (int)lround(fmax(2 * run->period, 1.5) / TOWEL_FRAME);
}

// Distance of two runs of a swing over its amplitude; INFINITY if one diverged.
static double find_distance(const experiment *e, const towel_run *run, const towel_record *a,
                            const towel_record *b)
{
    double sum = 0;
    int count = 0, points = a->line.points;
    if (a->diverged || b->diverged)
        return INFINITY;
    for (int f = first_frame(e, run); f < a->line.frames && f < b->line.frames; f++)
        for (int p = 0; p < points; p++, count++) {
            fm_vec3 u = a->x[f * points + p], v = b->x[f * points + p];
            sum += pow(u.x - v.x, 2) + pow(u.y - v.y, 2) + pow(u.z - v.z, 2);
        }
    return sqrt(sum / count) / run->amplitude;
}

// First harmonic of a record per frame over whole periods.
static double complex find_harmonic(const experiment *e, const towel_run *run, const double *x,
                                    int frames)
{
    int first = first_frame(e, run), whole = (int)lround(run->period / TOWEL_FRAME);
    int count = (frames - first) / whole * whole;
    double complex sum = 0;
    for (int f = first; f < first + count; f++)
        sum += x[f] * cexp(-2 * PI * I * (f - first) / whole);
    return 2 * sum / count;
}

// The simulated water of all swings, with two spacings.
typedef struct waters {
    towel_record fine[SWINGS], coarse[SWINGS];
    double error, cpu; // mean distance of the two; s per simulated second, of the fine one
} waters;

// The order of the water, from the force on the towel.
static void find_orders(experiment *e, const waters *w, int swings)
{
    experiment_table *table = experiment_table_open(
        e, "orders.csv", "amplitude_m,period_s,force_N,deflection_m,order_by_phase");
    fm_cloth_def def = create_model(DEFAULT, 0, 0);
    double stiffness[SWINGS] = {0}, phases = 0;
    for (int s = 0; s < swings && !experiment_failed(e); s++) {
        towel_run run = create_run(e, &def, s, 0);
        const towel_record *r = &w->fine[s];
        // the force of a frame is its mean: half a frame earlier than the position
        double complex late = cexp(-PI * I * TOWEL_FRAME / run.period);
        double complex F = find_harmonic(e, &run, r->force, r->line.frames);
        double complex Z = find_harmonic(e, &run, r->mean_z, r->line.frames) * late;
        double q = carg(-F / Z) * 2 / PI;
        q += q < -1 ? 4 : 0; // from -1 to 3
        stiffness[s] = cabs(F / Z);
        phases += q / swings;
        experiment_write_row(table, "%g,%g,%.4g,%.4g,%.4g", run.amplitude, run.period, cabs(F),
                             cabs(Z), q);
        experiment_add_named_result(e, 0.5, q, "", "order of the water by phase, %g cm, %g s",
                                    100 * run.amplitude, run.period);
    }
    experiment_add_result(e, "order of the water by phase, mean", 0.5, phases, "");
    for (int a = 0; a < AMPLITUDES && swings == SWINGS; a++) {
        double slope = log(stiffness[a * PERIODS] / stiffness[a * PERIODS + PERIODS - 1]) /
                       log(periods[PERIODS - 1] / periods[0]);
        experiment_add_named_result(e, 0.5, slope, "", "order of the water by slope, %g cm",
                                    100 * amplitudes[a]);
    }
}

// Mean distance of a cloth from the water over the swings; distances: of each.
static double compare(experiment *e, const fm_cloth_def *def, const waters *w, int swings,
                      double *distances, double *cpu)
{
    double sum = 0;
    for (int s = 0; s < swings && !experiment_failed(e); s++) {
        towel_run run = create_run(e, def, s, 0);
        towel_record r = towel_simulate(e, &run);
        distances[s] = fmin(10, find_distance(e, &run, &r, &w->fine[s]));
        sum += distances[s] / swings;
        *cpu += r.cpu / run.duration / swings;
    }
    return sum;
}

// Sweeps the coefficients of a model, and adds its best ones and their distance.
static void measure_model(experiment *e, model m, const waters *w, int swings,
                          experiment_table *table)
{
    double best = INFINITY, chosen[2] = {0}, distances[SWINGS], own[SWINGS], cpu = 0;
    int first = experiment_quick(e) ? 1 : models[m].first;
    int second = experiment_quick(e) ? 1 : models[m].second;
    for (int s = 0; s < SWINGS; s++)
        own[s] = INFINITY;
    for (int i = 0; i < first * second && !experiment_failed(e); i++) {
        double a = progress(models[m].first_low, models[m].first_high, i % first, first);
        double b = progress(models[m].second_low, models[m].second_high, i / first, second);
        fm_cloth_def def = create_model(m, a, b);
        double time = 0, mean = compare(e, &def, w, swings, distances, &time);
        for (int s = 0; s < swings; s++) {
            own[s] = fmin(own[s], distances[s]);
            experiment_write_row(table, "%s,%g,%g,%g,%g,%.4g", models[m].name, a, b,
                                 amplitudes[s / PERIODS], periods[s % PERIODS], distances[s]);
        }
        if (mean < best)
            best = mean, chosen[0] = a, chosen[1] = b, cpu = time;
    }
    double mean_own = 0;
    for (int s = 0; s < swings; s++)
        mean_own += own[s] / swings;
    const char *name = models[m].name;
    experiment_add_named_result(e, NAN, best, "", "%s: distance from the water", name);
    experiment_add_named_result(e, NAN, mean_own, "", "%s: the same, tuned for each swing", name);
    experiment_add_named_result(e, NAN, chosen[0], "", "%s: first coefficient", name);
    experiment_add_named_result(e, NAN, chosen[1], "", "%s: second coefficient", name);
    experiment_add_named_result(e, NAN, w->cpu / cpu, "", "%s: time of the water / its time", name);
}

// Simulates the towel in water for all swings.
static void simulate_water(experiment *e, waters *w, int swings)
{
    fm_cloth_def def = create_model(DEFAULT, 0, 0);
    def.drag.model = FM_DRAG_NONE;
    for (int s = 0; s < swings && !experiment_failed(e); s++) {
        double fine = experiment_quick(e) ? 0.1 : 0.02,
               coarse = experiment_quick(e) ? 0.2 : 0.03125;
        towel_run run = create_run(e, &def, s, fine);
        w->fine[s] = towel_simulate(e, &run);
        run.spacing = coarse;
        w->coarse[s] = towel_simulate(e, &run);
        double error = find_distance(e, &run, &w->fine[s], &w->coarse[s]);
        experiment_add_named_result(e, NAN, error, "", "water, %g cm, %g s: between two spacings",
                                    100 * run.amplitude, run.period);
        w->error += error / swings;
        w->cpu += w->fine[s].cpu / run.duration / swings;
    }
    experiment_add_result(e, "water: distance between two spacings, mean", NAN, w->error, "");
    experiment_add_result(e, "water: time per simulated second", NAN, w->cpu, "s");
}

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
    if (w)
        simulate_water(e, w, swings);
    if (w && !experiment_failed(e) && !experiment_quick(e))
        find_orders(e, w, swings);
    experiment_table *table = experiment_table_open(
        e, "distances.csv", "model,first,second,amplitude_m,period_s,distance");
    for (int m = 0; m < MODELS && w && !experiment_failed(e); m++)
        measure_model(e, (model)m, w, swings, table);
    return experiment_close(e);
}
