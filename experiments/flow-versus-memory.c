// SPDX-License-Identifier: MIT
// flow-versus-memory.c: does water remember as half derivatives do? The swung towel in simulated
// water against the drag models that stand for water.
//
// [OKRC10] and [OZG13] replace the water around cloth by forces with half derivatives, because the
// simulation of the water takes "minutes to hours" a frame; which forces are nearest to those of
// water they judge by eye. Here the water is simulated, with two-way coupling, and the towel swung
// with three amplitudes and three periods. Every model swings with the same motion.
//
// A limp towel in water moves irregularly: with another substep alone, two runs separate after the
// first swing. So three measures are compared that the water repeats,
//
//     early     sqrt(mean |x_model - x_water|^2) / amplitude, first half period, at most 0.4 s
//     envelope  sqrt(mean (z_rms,model - z_rms,water)^2) / amplitude, z_rms(s): over the whole run
//     pull      |P_model - P_water| / |P_water|, P: first harmonic of the pull on the hand
//
// and their mean, the distance. Each model has the coefficients with the smallest distance over all
// swings, by a sweep over decades and a pattern search from its best point. The error of the
// simulated water is the distance of runs with larger cells; the distance of a run with the same
// cells and shorter substeps is the part of it that no resolution would remove. Towel and tank are
// a slice of 2 cm between walls without friction (the flow is nearly plane); one swing of the whole
// towel of 0.4 m in a tank of 0.8 m says what that changes.
//
// What order does the water have? If its force were linear in the motion of every point, the force
// on the towel would be that of its mean deflection z. Least squares over the run give c and q in
//
//     F = -c D^q z,    and a, b, c in F = -(a D^2 z + b D z + c D^(1/2) z)
//
// with D^q by the sums of Gruenwald and Letnikov at the frames; `unexplained` is the rms of the
// remainder over that of F. The same is done with the pull on the hand and the hand's own motion.
//
// [OKRC10], [OZG13] in docs/references.md
#include "towel.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

enum { AMPLITUDES = 3, PERIODS = 3, SWINGS = AMPLITUDES * PERIODS, MEASURES = 3 };
static const double SMALLEST = 1e-3; // coefficient at which a search ends
static const double PI = 3.14159265358979323846;
static const double amplitudes[AMPLITUDES] = {0.025, 0.05, 0.1}; // m
static const double periods[PERIODS] = {0.5, 1, 1.6};            // s

// The simulated waters: the reference first, the coarsest last.
enum { WATERS = 5 };
static const struct {
    const char *name;
    double spacing, step; // m; s, longest substep, 0: as long as is stable
} water_cases[WATERS] = {
    {"cells of 0.5 cm", 0.005, 0},     {"0.5 cm, short substeps", 0.005, 1.0 / 300},
    {"cells of 0.67 cm", 0.02 / 3, 0}, {"cells of 1 cm", 0.01, 0},
    {"cells of 2 cm", 0.02, 0},
};

typedef enum model {
    VISCOUS,
    NORMAL,
    BOTH,
    HALF_3_STEPS,
    HALF_FADING,
    HALF_FULL,
    NORMAL_AND_FULL,
    PHYSICAL,
    PHYSICAL_WITHOUT_HISTORY,
    DEFAULT,
    MODELS
} model;
static const struct {
    const char *name;
    int first, second;            // values of the sweep of two coefficients, a decade apart;
                                  // the second one also 0 in published models
    double first_low, second_low; // the smallest ones
} models[MODELS] = {
    [VISCOUS] = {"viscous", 5, 0, 1, 0},
    [NORMAL] = {"normal", 5, 0, 1, 0},
    [BOTH] = {"viscous and normal", 5, 5, 1, 1},
    [HALF_3_STEPS] = {"u = 3", 5, 5, 1, 1},
    [HALF_FADING] = {"fading 0.3 s", 5, 5, 1, 1},
    [HALF_FULL] = {"full", 5, 5, 1, 1},
    [NORMAL_AND_FULL] = {"normal and full", 5, 5, 1, 1},
    [PHYSICAL] = {"physical", 5, 5, 0.01, 0.01},
    [PHYSICAL_WITHOUT_HISTORY] = {"physical without history", 5, 5, 0.01, 0.01},
    [DEFAULT] = {"physical, as it is", 1, 0, 1, 0},
};

// The towel of a model with two coefficients.
static fm_cloth_def create_model(model m, double first, double second)
{
    static const fm_drag_model drag[MODELS] = {
        [VISCOUS] = FM_DRAG_VISCOUS,
        [NORMAL] = FM_DRAG_NORMAL,
        [BOTH] = FM_DRAG_BOTH,
        [HALF_3_STEPS] = FM_DRAG_PUBLISHED,
        [HALF_FADING] = FM_DRAG_PUBLISHED,
        [HALF_FULL] = FM_DRAG_PUBLISHED,
        [NORMAL_AND_FULL] = FM_DRAG_PUBLISHED,
        [PHYSICAL] = FM_DRAG_PHYSICAL,
        [PHYSICAL_WITHOUT_HISTORY] = FM_DRAG_PHYSICAL,
        [DEFAULT] = FM_DRAG_PHYSICAL,
    };
    fm_cloth_def def = towel_cloth_def(drag[m]);
    bool normal = m == NORMAL || m == NORMAL_AND_FULL;
    def.drag.viscous = normal ? 0 : first;
    def.drag.normal = normal ? first : m == BOTH ? second : 0;
    if (m == HALF_3_STEPS)
        towel_set_half_derivatives(&def, towel_window_memory(3), TOWEL_HALF_DAMPING, second);
    if (m == HALF_FADING)
        towel_set_half_derivatives(&def, towel_fading_memory(0.3), TOWEL_HALF_DAMPING, second);
    if (m == HALF_FULL || m == NORMAL_AND_FULL)
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

// The run of swing s with a cloth, without simulated water.
static towel_run create_run(const experiment *e, const fm_cloth_def *def, int s)
{
    bool quick = experiment_quick(e);
    towel_run run = towel_default_swing(def, 2, quick ? 11 : 31);
    run.amplitude = amplitudes[s / PERIODS], run.period = periods[s % PERIODS];
    run.duration = quick ? 0.1 : fmax(2, ceil(1.6 / run.period)) * run.period;
    run.slice = 0.02;
    return run;
}

// The same in a simulated water.
static towel_run create_water_run(const experiment *e, const fm_cloth_def *def, int s, int water)
{
    towel_run run = create_run(e, def, s);
    run.spacing = water_cases[experiment_quick(e) ? WATERS - 1 : water].spacing;
    run.water_step = water_cases[water].step;
    return run;
}

// Simulates a run; forces and energies are those of a metre of the towel's width.
static towel_record simulate_per_width(experiment *e, const towel_run *run)
{
    towel_record r = towel_simulate(e, run);
    for (int f = 0; f < r.line.frames; f++) {
        double width = run->slice > 0 ? run->slice : 0.4;
        r.pull[f] /= width, r.force[f] /= width, r.energy[f] /= width;
    }
    return r;
}

// Reads or writes the numbers of a record, frame by frame. False: not all of them.
static bool exchange(FILE *file, bool write, double *values, int count)
{
    size_t n = (size_t)count;
    return (write ? fwrite(values, sizeof *values, n, file)
                  : fread(values, sizeof *values, n, file)) == n;
}

// Reads or writes all of a record of the simulated water; the file begins with its size.
static bool exchange_record(FILE *file, bool write, towel_record *r)
{
    int frames = r->line.frames, points = r->line.points;
    double size[3] = {frames, points, r->cpu};
    if (!exchange(file, write, size, 3) || size[0] != frames || size[1] != points)
        return false;
    r->cpu = size[2];
    return exchange(file, write, r->line.z, frames * points) &&
           exchange(file, write, &r->x[0].x, 3 * frames * points) &&
           exchange(file, write, r->force, frames) && exchange(file, write, r->mean_z, frames) &&
           exchange(file, write, r->pull, frames) && exchange(file, write, r->energy, frames);
}

// The towel in simulated water. With FATHOM_WATER=DIR, records that DIR has are read, others kept
// there, so that models can be compared again without simulating the water.
static towel_record simulate_water(experiment *e, const towel_run *run)
{
    const char *directory = experiment_quick(e) ? NULL : getenv("FATHOM_WATER");
    if (!directory)
        return simulate_per_width(e, run);
    char path[512], step[32] = "";
    int frames = (int)round(run->duration / TOWEL_FRAME) + 1;
    towel_record r = towel_create_record(e, run, frames);
    if (run->water_step > 0)
        snprintf(step, sizeof step, "-%g", run->water_step);
    snprintf(path, sizeof path, "%s/water-%g-%g-%g%s%s.bin", directory, run->spacing,
             run->amplitude, run->period, step, run->slice > 0 ? "" : "-whole");
    FILE *file = fopen(path, "rb");
    r.line.frames = frames;
    bool found = file && !experiment_failed(e) && exchange_record(file, false, &r);
    if (file)
        fclose(file);
    if (found)
        return r;
    r = simulate_per_width(e, run);
    file = r.diverged || experiment_failed(e) ? NULL : fopen(path, "wb");
    if (file && (!exchange_record(file, true, &r) | (fclose(file) != 0)))
        experiment_fail(e, FM_INPUT_OUTPUT, "cannot write %s", path);
    return r;
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

// The simulated water of all swings, with all spacings.
typedef struct waters {
    towel_record records[WATERS][SWINGS]; // the first are the finest
    double cpu;                           // s per simulated second, of the finest
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

// A force F and a deflection z. A force that is a mean over its frame is half a frame earlier than
// z, so its derivatives are means of two values.
typedef struct response {
    const double *force, *z;
    int frames;
    bool mean;
} response;

// Least squares of -F by derivatives of the given orders of z; the share of F that remains.
static double fit(const response *r, const double *orders, int count, double *coefficients)
{
    double m[3][4] = {{0}}, total = 0, d[4];
    for (int f = 2; f < r->frames; f++) {
        for (int i = 0; i < count; i++)
            d[i] =
                (differentiate(r->z, f, orders[i]) + differentiate(r->z, f - r->mean, orders[i])) /
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
static double find_order(const response *r, double *q, double *c)
{
    double best = INFINITY;
    for (int i = 0; i <= 80; i++) {
        double order = i * 0.025, coefficient, rest = fit(r, &order, 1, &coefficient);
        if (rest < best)
            best = rest, *q = order, *c = coefficient;
    }
    return best;
}

// The order of the pull on the hand as a derivative of the hand's motion.
static double find_hand_order(experiment *e, const towel_record *r)
{
    double q = 0, c = 0, *z = experiment_alloc(e, (size_t)r->line.frames, sizeof *z);
    for (int f = 0; f < r->line.frames && z; f++)
        z[f] = r->x[f * r->line.points].z;
    response hand = {r->pull, z, r->line.frames, false};
    if (z && !r->diverged)
        find_order(&hand, &q, &c);
    return q;
}

// Writes the orders of one force of a swing in all waters. mean: as in response.
static void write_orders(experiment *e, experiment_table *table, const waters *w, int s, bool hand)
{
    double q[WATERS] = {0}, c[WATERS] = {0}, rest[WATERS], x[3];
    double amplitude = amplitudes[s / PERIODS], period = periods[s % PERIODS];
    response r = {0};
    for (int k = WATERS - 1; k >= 0; k--) {
        const towel_record *water = &w->records[k][s];
        double *z = experiment_alloc(e, (size_t)water->line.frames, sizeof *z);
        if (!z)
            return;
        for (int f = 0; f < water->line.frames; f++)
            z[f] = hand ? water->x[f * water->line.points].z : water->mean_z[f];
        r = (response){hand ? water->pull : water->force, z, water->line.frames, !hand};
        rest[k] = find_order(&r, &q[k], &c[k]);
    }
    double half = fit(&r, (double[]){0.5}, 1, x), first = fit(&r, (double[]){1}, 1, x);
    double second = fit(&r, (double[]){2}, 1, x), two = fit(&r, (double[]){2, 1}, 2, x);
    double three = fit(&r, (double[]){2, 1, 0.5}, 3, x), area = hand ? 1 : TOWEL_HEIGHT;
    experiment_write_row(table, "%s,%g,%g,%g,%.4g,%.3g,%g,%g,%g,%g,%.3g,%.3g,%.3g,%.3g,%.3g",
                         hand ? "hand" : "towel", amplitude, period, q[0], c[0] / area, rest[0],
                         q[1], q[2], q[3], q[4], half, first, second, two, three);
    experiment_add_named_result(e, 0.5, q[0], "", "order of the force on the %s, %g cm, %g s",
                                hand ? "hand" : "towel", 100 * amplitude, period);
}

// The order of the water, from the forces on the towel and on the hand.
static void find_orders(experiment *e, const waters *w, int swings)
{
    experiment_table *table = experiment_table_open(
        e, "orders.csv",
        "force,amplitude_m,period_s,order,coefficient,unexplained,order_shorter_substeps,"
        "order_0.67cm,order_1cm,order_2cm,"
        "unexplained_half,unexplained_first,unexplained_second,unexplained_first_second,"
        "unexplained_three");
    for (int i = 0; i < 2 * swings && !experiment_failed(e); i++)
        write_orders(e, table, w, i % swings, i >= swings);
}

// The results of one choice of coefficients, or of a coarser water.
typedef struct comparison {
    double mean, measures[MEASURES], cpu; // over the swings
    double energy; // of the towel, over that in the water: geometric mean over the swings
    double work;   // of the hand along the swing, over that in the water: mean over the swings
    double each[SWINGS];
    double bumps; // mean number of bumps, over the swings
} comparison;

// Mean kinetic energy of the towel, J/m.
static double find_energy(const towel_record *r)
{
    double sum = 0;
    for (int f = 1; f < r->line.frames; f++)
        sum += r->energy[f] / (r->line.frames - 1);
    return sum;
}

// Mean power of the hand along the swing, W/m: minus the pull times the velocity of the hand.
static double find_work(const towel_run *run, const towel_record *r)
{
    double sum = 0, speed = 2 * PI * run->amplitude / run->period;
    for (int f = 1; f < r->line.frames; f++)
        sum -= r->pull[f] * speed * cos(2 * PI * f * TOWEL_FRAME / run->period);
    return sum / (r->line.frames - 1);
}

// Adds the distance of a run of swing s from the finest water to a comparison.
static void add_run(experiment *e, comparison *c, const towel_run *run, const towel_record *r,
                    const waters *w, int s, int swings)
{
    const towel_record *water = &w->records[0][s];
    double measures[MEASURES], share = 1.0 / swings;
    c->each[s] = find_distance(run, r, water, measures);
    c->mean += share * c->each[s];
    for (int i = 0; i < MEASURES; i++)
        c->measures[i] += share * measures[i];
    c->cpu += share * r->cpu / run->duration;
    c->bumps += share * towel_measure_bumps(e, run, r, run->period / 2).count;
    c->energy += share * log(find_energy(r) / find_energy(water));
    c->work += share * find_work(run, r) / find_work(run, water);
}

// Compares a cloth with the water over the swings.
static comparison compare(experiment *e, model m, const double a[2], const waters *w, int swings)
{
    comparison c = {0};
    fm_cloth_def def = create_model(m, a[0], a[1]);
    for (int s = 0; s < swings && !experiment_failed(e); s++) {
        towel_run run = create_run(e, &def, s);
        towel_record r = simulate_per_width(e, &run);
        add_run(e, &c, &run, &r, w, s, swings);
    }
    return c;
}

// A sweep of the coefficients of a model.
typedef struct sweep {
    model m;
    const waters *w;
    int swings, tried;
    experiment_table *table;
    comparison best;
    double chosen[2];
    double own[SWINGS]; // smallest distance of each swing by itself
} sweep;

// Compares one choice of coefficients. True if it is the best so far.
static bool try(experiment *e, sweep *s, double first, double second)
{
    comparison c = compare(e, s->m, (double[]){first, second}, s->w, s->swings);
    bool better = s->tried++ == 0 || c.mean < s->best.mean;
    for (int i = 0; i < s->swings; i++) {
        s->own[i] = s->tried == 1 ? c.each[i] : fmin(s->own[i], c.each[i]);
        experiment_write_row(s->table, "\"%s\",%g,%g,%g,%g,%.4g", models[s->m].name, first, second,
                             amplitudes[i / PERIODS], periods[i % PERIODS], c.each[i]);
    }
    if (better)
        s->best = c, s->chosen[0] = first, s->chosen[1] = second;
    return better;
}

// Searches around the best point, with factors that become smaller. It may leave the first sweep.
// If the second coefficient is nearly 0 there, values between those of the sweep are tried first.
static void refine(experiment *e, sweep *s)
{
    bool two = models[s->m].second > 0;
    double start = s->chosen[0], factor = sqrt(10);
    for (int i = 0; i < 12 && two && s->chosen[1] < 1 && !experiment_failed(e); i++)
        try(e, s, start * pow(10, -0.25 * (i % 4)), start * pow(10, -0.5 * (i / 4)));
    for (int pass = 0; pass < 3; pass++, factor = sqrt(factor)) {
        bool better = true;
        for (int moves = 0; moves < 8 && better && !experiment_failed(e); moves++) {
            double a = s->chosen[0], b = s->chosen[1];
            better = try(e, s, a * factor, b);
            better = (a > SMALLEST && try(e, s, a / factor, b)) || better;
            better = (two && b > 0 && try(e, s, a, b * factor)) || better;
            better = (two && b > SMALLEST && try(e, s, a, b / factor)) || better;
        }
    }
}

// Mean order of the pull on the hand of a model over the swings: what a force without memory has.
static double find_model_order(experiment *e, const sweep *s)
{
    fm_cloth_def def = create_model(s->m, s->chosen[0], s->chosen[1]);
    double sum = 0;
    for (int i = 0; i < s->swings && !experiment_failed(e); i++) {
        towel_run run = create_run(e, &def, i);
        towel_record r = simulate_per_width(e, &run);
        sum += find_hand_order(e, &r) / s->swings;
    }
    return sum;
}

// Sweeps the coefficients of a model, and adds its best ones and their distance.
static void measure_model(experiment *e, model m, const waters *w, int swings,
                          experiment_table *table, experiment_table *best_table)
{
    sweep s = {.m = m, .w = w, .swings = swings, .table = table};
    bool quick = experiment_quick(e), zero = m < PHYSICAL || models[m].second == 0;
    int first = quick ? 1 : models[m].first, second = quick ? !zero : models[m].second;
    double mean_own = 0;
    for (int i = 0; i < first; i++)
        for (int k = zero ? -1 : 0; k < second && !experiment_failed(e); k++)
            try(e, &s, models[m].first_low * pow(10, i),
                k < 0 ? 0 : models[m].second_low * pow(10, k));
    if (!quick && m != DEFAULT)
        refine(e, &s);
    for (int i = 0; i < swings; i++)
        mean_own += s.own[i] / swings;
    const comparison *c = &s.best;
    const char *name = models[m].name;
    experiment_write_row(
        best_table, "\"%s\",%.4g,%.4g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g", name,
        s.chosen[0], s.chosen[1], c->measures[0], c->measures[1], c->measures[2], c->mean, mean_own,
        exp(c->energy), c->work, c->bumps, find_model_order(e, &s), w->cpu / c->cpu);
    experiment_add_named_result(e, NAN, c->mean, "", "%s: distance from the water", name);
    experiment_add_named_result(e, NAN, c->measures[0], "", "%s: early", name);
    experiment_add_named_result(e, NAN, mean_own, "", "%s: the same, tuned for each swing", name);
    experiment_add_named_result(e, NAN, w->cpu / c->cpu, "", "%s: time of the water / its time",
                                name);
}

// Simulates the towel in water for all swings, and compares the waters with the finest.
static void simulate_waters(experiment *e, waters *w, int swings, experiment_table *best_table)
{
    fm_cloth_def def = towel_cloth_def(FM_DRAG_NONE);
    for (int k = 0; k < WATERS && !experiment_failed(e); k++) {
        comparison c = {0};
        double order = 0; // of the pull, mean over the swings
        for (int s = 0; s < swings && !experiment_failed(e); s++) {
            towel_run run = create_water_run(e, &def, s, k);
            w->records[k][s] = simulate_water(e, &run);
            add_run(e, &c, &run, &w->records[k][s], w, s, swings);
            order += find_hand_order(e, &w->records[k][s]) / swings;
        }
        if (k == 0)
            w->cpu = c.cpu;
        experiment_write_row(best_table,
                             "\"water, %s\",,,%.3g,%.3g,%.3g,%.3g,,%.3g,%.3g,%.3g,%.3g,%.3g",
                             water_cases[k].name, c.measures[0], c.measures[1], c.measures[2],
                             c.mean, exp(c.energy), c.work, c.bumps, order, w->cpu / c.cpu);
        experiment_add_named_result(e, NAN, c.mean, "", "water, %s: distance", water_cases[k].name);
        experiment_add_named_result(e, NAN, c.cpu, "s", "water, %s: time per second",
                                    water_cases[k].name);
    }
}

// The whole towel in a tank of 0.8 m, at 2.5 cm and 0.5 s, against its slice with the same cells.
static void compare_whole(experiment *e, const waters *w)
{
    fm_cloth_def def = towel_cloth_def(FM_DRAG_NONE);
    towel_run run = create_water_run(e, &def, 0, WATERS - 1);
    run.slice = 0, run.columns = 21;
    towel_record r = simulate_water(e, &run);
    double m[MEASURES] = {0};
    find_distance(&run, &r, &w->records[WATERS - 1][0], m);
    experiment_add_result(e, "whole towel against its slice: early", NAN, m[0], "");
    experiment_add_result(e, "whole towel against its slice: envelope", NAN, m[1], "");
    experiment_add_result(e, "whole towel against its slice: pull", NAN, m[2], "");
    experiment_add_result(e, "whole towel: time per simulated second", NAN, r.cpu / run.duration,
                          "s");
}

static const char FIGURE[] =
    "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.8\n"
    "set boxwidth 0.7\nset ylabel 'early + envelope + pull, over 3'\nset yrange [0:*]\n"
    "set xtics rotate by -30\nset bmargin 9\nset rmargin 8\n"
    "set key outside top center horizontal\n"
    "plot 'models.csv' using ($4/3):xtic(1) skip 2 ls 1 title 'early', '' using ($5/3) skip 2 "
    "ls 2 title 'envelope', '' using ($6/3) skip 2 ls 3 title 'pull'\n";

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
        "model,first,second,early,envelope,pull,distance,tuned_for_each,energy,work,bumps,"
        "hand_order,times_faster");
    if (w)
        simulate_waters(e, w, swings, best);
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
