// SPDX-License-Identifier: MIT
// constraint-cost.c: what keeping cloth from stretching costs, and what holds at all.
//
// [OZG13] §6.5: correcting springs in order, once, "improves the computation time by 80 %" against
// iterative enforcement over several passes, "completely eliminates the shaky behaviour", and takes
// 0.52 s of preparation for 1681 particles on a 2.4 GHz Core 2 Duo.
//
// curve       The six scenes of hanging.h with 41 x 41 = 1681 particles in air, substeps of 1/240
//             s, five seconds of which the last 1.5 are measured. Directional (ours) with 1, 2 and
//             4 passes, iterative with 1 to 200, all correcting every stretch, in turns. The ratio
//             is that of the enforcement's times at equal largest stretch: between two numbers of
//             iterative passes, logarithms are interpolated. Where 200 passes stretch more than one
//             directional pass, the ratio to 200 is given: an upper bound. Beside them stands the
//             published list, on the cloth and with the damping of `sweep`.
// hanging     61 x 41 at two corners for ten seconds: stretch, jitter, and how much faster than
//             real time. Iterative as [OZG13] describes it: springs past 5 % go back to their rest
//             length. With 1/120 s canvas has a tenth of its bending, which would not bear it.
// sweep       The published method as published: Verlet, weight and springs only, one pass, only
//             the second ends move. Five scenes, visits 1, 3 and 8, substeps of 1/240, 1/1000 and
//             (visits 3) 1/2000 s; every stretch corrected, compression too, or clamped to 10 %;
//             four strengths of damping, given by the speed U at which a free particle falls in the
//             end: of the velocity, U/(U + g h) is kept a substep. Canvas in air has U = 3.6 m/s.
//             Four seconds, the last 1.5 measured. A setting holds when no edge is longer than 10 %
//             and jitter is below 0.01 m^2/s^2.
// order       Time to make the order of correction, least of ten, and its number of springs.
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, UC Merced,
//         2013.
#include "hanging.h"

#include <stdio.h>

enum { PASSES = 8, OURS = 3, CONTESTANTS = OURS + PASSES + 1, LIST = CONTESTANTS - 1 };
static const int passes[CONTESTANTS] = {1, 2, 4, 1, 2, 5, 10, 20, 50, 100, 200, 1};
static const double gravity = 9.81; // m/s^2

static double kept_for(double speed, double time_step)
{
    return isfinite(speed) ? speed / (speed + gravity * time_step) : 1;
}

static const char *method_of(int contestant)
{
    return contestant < OURS ? "directional" : contestant < LIST ? "iterative" : "published";
}

// Curve.

static bool open_contestants(experiment *e, hanging_scene scene, hanging **all)
{
    bool quick = experiment_quick(e);
    int n = quick ? 13 : 41;
    for (int i = 0; i < CONTESTANTS; i++) {
        fm_cloth_def def =
            hanging_cloth(i < OURS ? FM_ENFORCE_DIRECTIONAL : FM_ENFORCE_ITERATIVE, passes[i]);
        if (i == LIST)
            def = hanging_published(3, kept_for(0.35, 1 / 240.0), 1 / 240.0);
        hanging_run run = {scene, def, n, n, 1, quick ? 0.3 : 5, quick ? 0.1 : 1.5};
        all[i] = hanging_open(e, &run);
    }
    return !experiment_failed(e);
}

// Where in [0, count) of falling values a value lies, by logarithms: -1 when below all of them.
static double find_equal(hanging *const *iterative, int count, double stretch)
{
    if (iterative[0]->stretch <= stretch)
        return 0;
    for (int i = 1; i < count; i++) {
        double high = iterative[i - 1]->stretch, low = iterative[i]->stretch;
        if (low <= stretch)
            return i - 1 + log(high / stretch) / log(high / low);
    }
    return -1;
}

// Directional's first contestant's time over the iterative one's at that place.
static double ratio_at(experiment *e, hanging *const *all, double place, bool whole)
{
    int low = place < 0 ? PASSES - 1 : (int)floor(place), high = low + 1;
    double ratio[2] = {0};
    for (int i = low; i <= high && i < PASSES; i++) {
        const hanging *a = all[0], *b = all[OURS + i];
        ratio[i - low] = whole ? hanging_time(e, a->bodies_us, a->looks) /
                                     hanging_time(e, b->bodies_us, b->looks)
                               : hanging_time(e, a->enforce_us, a->looks) /
                                     hanging_time(e, b->enforce_us, b->looks);
    }
    double part = place < 0 ? 0 : place - low;
    return part > 0 ? ratio[0] * pow(ratio[1] / ratio[0], part) : ratio[0];
}

static void report_curve(experiment *e, hanging_scene scene, hanging *const *all,
                         experiment_table *ratios)
{
    char file[64];
    const char *name = hanging_scene_name(scene);
    snprintf(file, sizeof file, "curve-%s.csv", name);
    experiment_table *table = experiment_table_open(
        e, file, "method,passes,enforce_us,bodies_us,stretch,mean_strain,peak,jitter,motion");
    for (int i = 0; i < CONTESTANTS; i++) {
        const hanging *h = all[i];
        experiment_row(table, "%s,%d,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g", method_of(i), passes[i],
                       hanging_time(e, h->enforce_us, h->looks),
                       hanging_time(e, h->bodies_us, h->looks), h->stretch, h->mean, h->peak,
                       h->jitter, h->motion);
    }
    double place = find_equal(all + OURS, PASSES, all[0]->stretch);
    double stage = ratio_at(e, all, place, false), whole = ratio_at(e, all, place, true);
    double list = hanging_time(e, all[LIST]->enforce_us, all[LIST]->looks) /
                  hanging_time(e, all[OURS]->enforce_us, all[OURS]->looks);
    double equal =
        place < 0 ? NAN
                  : passes[OURS + (int)place] *
                        pow((double)passes[OURS + (int)ceil(place)] / passes[OURS + (int)place],
                            place - floor(place));
    experiment_row(ratios, "%s,%.4g,%.4g,%.4g,%.4g,%.4g", name, all[0]->stretch, equal, stage,
                   whole, list);
    experiment_result_of(e, NAN, all[0]->stretch, "", "%s: stretch, one directional pass", name);
    experiment_result_of(e, NAN, equal, "", "%s: iterative passes for that (none: over 200)", name);
    experiment_result_of(e, 0.2, stage, "", "%s: directional over iterative, stage%s", name,
                         place < 0 ? ", at most" : "");
    experiment_result_of(e, NAN, whole, "", "%s: directional over iterative, whole step%s", name,
                         place < 0 ? ", at most" : "");
    experiment_result_of(e, NAN, list, "", "%s: published list over one iterative pass", name);
}

static const char curve_script[] =
    "set multiplot layout 2,3 title heading font ',18'\n"
    "set logscale xy\n"
    "set xlabel 'enforcement, us per substep'\n"
    "set ylabel 'largest stretch'\n"
    "set format xy '10^{%T}'\n"
    "set key top right font ',11'\n"
    "do for [s in 'corner corners top flag table ball'] {\n"
    "  set title s font ',14'\n"
    "  f = 'curve-'.s.'.csv'\n"
    "  plot f using (strcol(1) eq 'iterative' ? $3 : 1/0):5 with points ls 2 title 'iterative', "
    "\\\n"
    "       f using (strcol(1) eq 'directional' ? $3 : 1/0):5 with points ls 1 title "
    "'directional', \\\n"
    "       f using (strcol(1) eq 'published' ? $3 : 1/0):5 with points ls 3 title 'published'\n"
    "}\n"
    "unset multiplot\n";

static void measure_curves(experiment *e)
{
    experiment_table *ratios = experiment_table_open(
        e, "ratios.csv", "scene,stretch,iterative_passes,stage_ratio,whole_ratio,list_over_pass");
    for (int s = 0; s < HANGING_SCENES && !experiment_failed(e); s++) {
        hanging *all[CONTESTANTS] = {0};
        if (open_contestants(e, (hanging_scene)s, all)) {
            hanging_simulate(e, all, CONTESTANTS);
            report_curve(e, (hanging_scene)s, all, ratios);
        }
        for (int i = 0; i < CONTESTANTS; i++)
            hanging_close(all[i]);
    }
    experiment_plot(e, "curve", "Largest stretch against the time of enforcement, 41 x 41",
                    curve_script);
}

// Hanging.

typedef struct jitter_case {
    const char *name;
    fm_enforcement_method method;
    int iterations;
    double threshold, time_step; // time_step 0: 1/240 s
    fm_enforcement_target target;
    double bend; // times canvas's
    bool compression;
} jitter_case;

static const jitter_case jitter_cases[] = {
    {"directional", FM_ENFORCE_DIRECTIONAL, 1, 0, 0, FM_TARGET_REST, 1, false},
    {"directional 1/120 s bending / 10", FM_ENFORCE_DIRECTIONAL, 1, 0, 1 / 120.0, FM_TARGET_REST,
     0.1, false},
    {"directional 2 passes", FM_ENFORCE_DIRECTIONAL, 2, 0, 0, FM_TARGET_REST, 1, false},
    {"directional compression too", FM_ENFORCE_DIRECTIONAL, 1, 0, 0, FM_TARGET_REST, 1, true},
    {"iterative past 5 % to rest 20", FM_ENFORCE_ITERATIVE, 20, 0.05, 0, FM_TARGET_REST, 1, false},
    {"iterative past 5 % to rest 100", FM_ENFORCE_ITERATIVE, 100, 0.05, 0, FM_TARGET_REST, 1,
     false},
    {"iterative past 5 % to 5 % 100", FM_ENFORCE_ITERATIVE, 100, 0.05, 0, FM_TARGET_THRESHOLD, 1,
     false},
    {"iterative every stretch 100", FM_ENFORCE_ITERATIVE, 100, 0, 0, FM_TARGET_REST, 1, false},
    {"springs only", FM_ENFORCE_NONE, 1, 0, 0, FM_TARGET_REST, 1, false},
};
enum { JITTER_CASES = sizeof jitter_cases / sizeof *jitter_cases, ITERATIVE_100 = 5, SOFT = 7 };

static void measure_hanging(experiment *e)
{
    bool quick = experiment_quick(e);
    hanging *all[JITTER_CASES] = {0};
    experiment_table *table = experiment_table_open(
        e, "hanging.csv",
        "method,stretch,mean_strain,peak,jitter,motion,enforce_us,substep_us,times_real_time");
    for (int i = 0; i < JITTER_CASES; i++) {
        const jitter_case *c = &jitter_cases[i];
        fm_cloth_def def = hanging_cloth(c->method, c->iterations);
        def.enforcement.threshold = c->threshold;
        def.enforcement.target = c->target;
        def.enforcement.compression = c->compression;
        def.time_step = c->time_step;
        def.bend.stiffness *= c->bend;
        hanging_run run = {HANGING_CORNERS, def, quick ? 16 : 61,
                           quick ? 11 : 41, 1.5, quick ? 0.4 : 10,
                           quick ? 0.2 : 2};
        all[i] = hanging_open(e, &run);
    }
    if (!experiment_failed(e))
        hanging_simulate(e, all, JITTER_CASES);
    for (int i = 0; i < JITTER_CASES && !experiment_failed(e); i++) {
        const hanging *h = all[i];
        double us = hanging_time(e, h->bodies_us, h->looks);
        experiment_row(table, "%s,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g", jitter_cases[i].name,
                       h->stretch, h->mean, h->peak, h->jitter, h->motion,
                       hanging_time(e, h->enforce_us, h->looks), us, 1e6 * h->substep / us);
        experiment_result_of(e, NAN, 100 * h->stretch, "%", "61 x 41, %s: largest stretch",
                             jitter_cases[i].name);
        experiment_result_of(e, NAN, h->jitter, "m^2/s^2", "61 x 41, %s: jitter",
                             jitter_cases[i].name);
        experiment_result_of(e, NAN, 1e6 * h->substep / us, "", "61 x 41, %s: times real time",
                             jitter_cases[i].name);
    }
    if (!experiment_failed(e)) {
        experiment_result(e, "61 x 41, jitter over that of iterative past 5 % to rest", NAN,
                          all[0]->jitter / all[ITERATIVE_100]->jitter, "");
        experiment_result(e, "61 x 41, jitter over that of iterative every stretch", NAN,
                          all[0]->jitter / all[SOFT]->jitter, "");
    }
    for (int i = 0; i < JITTER_CASES; i++)
        hanging_close(all[i]);
}

// Sweep.

enum { SPEEDS = 4, STEPS = 3, VISITS = 3, VARIANTS = 3, SWEPT_SCENES = HANGING_BALL };
static const double speeds[SPEEDS] = {INFINITY, 4, 1, 0.35}; // m/s
static const double time_steps[STEPS] = {1 / 240.0, 1 / 1000.0, 1 / 2000.0};
static const int visits[VISITS] = {1, 3, 8};
static const char *const variants[VARIANTS] = {"stretch", "stretch and compression",
                                               "clamped to 10 %"};

static fm_cloth_def make_setting(int speed, int step, int visit, int variant)
{
    double h = time_steps[step];
    fm_cloth_def def = hanging_published(visits[visit], kept_for(speeds[speed], h), h);
    def.enforcement.compression = variant == 1;
    if (variant == 2) {
        def.enforcement.threshold = 0.1;
        def.enforcement.target = FM_TARGET_THRESHOLD;
    }
    return def;
}

// One run; whether it holds.
static bool try_setting(experiment *e, hanging_scene scene, const fm_cloth_def *def, int speed,
                        const char *variant, experiment_table *table)
{
    bool quick = experiment_quick(e);
    int n = quick ? 9 : 41;
    hanging_run run = {scene, *def, n, n, 1, quick ? 0.2 : 4, quick ? 0.1 : 1.5};
    hanging *h = hanging_open(e, &run);
    if (!h)
        return false;
    hanging_simulate(e, &h, 1);
    experiment_row(table, "%s,%.6g,%.6g,%.6g,%d,%s,%.4g,%.4g,%.4g", hanging_scene_name(scene),
                   1 / def->time_step, speeds[speed], def->damping.kept, def->enforcement.visits,
                   variant, h->stretch, h->jitter, h->motion);
    hanging_close(h);
    return h->stretch <= 0.1 + 1e-6 && h->jitter < 0.01;
}

static void sweep_scene(experiment *e, hanging_scene scene, experiment_table *table)
{
    int held[SPEEDS] = {0}, tried[SPEEDS] = {0};
    for (int i = 0; i < SPEEDS * STEPS * VISITS * VARIANTS && !experiment_failed(e); i++) {
        int speed = i % SPEEDS, step = i / SPEEDS % STEPS, visit = i / SPEEDS / STEPS % VISITS;
        int variant = i / SPEEDS / STEPS / VISITS;
        if ((step == STEPS - 1 && visits[visit] != 3) || (experiment_quick(e) && step > 0))
            continue;
        fm_cloth_def def = make_setting(speed, step, visit, variant);
        tried[speed]++;
        held[speed] += try_setting(e, scene, &def, speed, variants[variant], table);
    }
    for (int k = 0; k < SPEEDS; k++)
        experiment_result_of(e, NAN, 100.0 * held[k] / tried[k], "%",
                             "published, %s, falling at %g m/s: settings that hold",
                             hanging_scene_name(scene), speeds[k]);
}

// Order.

static void measure_orders(experiment *e)
{
    enum { ROUNDS = 10 };
    static const fm_enforcement_method methods[2] = {FM_ENFORCE_PUBLISHED, FM_ENFORCE_DIRECTIONAL};
    experiment_table *table =
        experiment_table_open(e, "order.csv", "scene,method,order_ms,corrections");
    for (int i = 0; i < 2 * SWEPT_SCENES && !experiment_failed(e); i++) {
        hanging_scene scene = (hanging_scene)(i / 2);
        double least = INFINITY;
        int count = 0;
        for (int r = 0; r < ROUNDS && !experiment_failed(e); r++) {
            hanging_run run = {scene, hanging_cloth(methods[i % 2], 1), 41, 41, 1, 1 / 240.0, 0};
            hanging *h = hanging_open(e, &run);
            if (!h)
                return;
            hanging_simulate(e, &h, 1);
            least = fmin(least, h->order_ms);
            count = fm_cloth_correction_count(h->cloth);
            hanging_close(h);
        }
        const char *name = hanging_scene_name(scene);
        const char *method = i % 2 ? "directional" : "published";
        experiment_row(table, "%s,%s,%.4g,%d", name, method, least, count);
        experiment_result_of(e, i % 2 ? NAN : 520, least, "ms", "%s, %s: making the order", name,
                             method);
        experiment_result_of(e, NAN, count, "", "%s, %s: corrections of a pass", name, method);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "constraint-cost",
                                    "What keeping cloth from stretching costs.", &status);
    if (!e)
        return status;
    measure_orders(e);
    measure_curves(e);
    measure_hanging(e);
    experiment_table *table = experiment_table_open(
        e, "sweep.csv", "scene,steps_per_s,fall_m_per_s,kept,visits,variant,stretch,jitter,motion");
    for (int s = 0; s < SWEPT_SCENES && !experiment_failed(e); s++)
        sweep_scene(e, (hanging_scene)s, table);
    return experiment_close(e);
}
