// SPDX-License-Identifier: MIT
// constraint-cost.c: computing time and stability of methods that keep cloth from stretching.
//
// Enforcement (strain limiting) moves the particles after each substep until springs have their
// rest length. [OZG13] §6.5: correcting springs once, in an order computed in advance, "improves
// the computation time by 80 %" compared with iterative enforcement over several passes,
// "completely eliminates the shaky behaviour", and takes 0.52 s of preparation for 1681 particles
// on a 2.4 GHz Core 2 Duo.
//
// curve       The six scenes of hanging.h with 41 x 41 = 1681 particles in air, substeps of
//             1/240 s, five seconds, of which the last 1.5 are measured. The directional method
//             (this library: outwards from the fixed particles) with 1, 2 and 4 passes and the
//             iterative method with 1 to 200, all correcting every stretch, advance in turns. The
//             ratio is that of the enforcement times at equal largest stretch, interpolated
//             logarithmically between two numbers of iterative passes. If 200 passes stretch more
//             than one directional pass, the ratio to 200 passes is given, an upper bound. The
//             method of [OZG13] is run as well, on the cloth and with the damping of `sweep`.
// hanging     61 x 41 particles held at two corners for ten seconds: stretch, jitter, and speed
//             relative to real time. Iterative as described in [OZG13]: springs beyond 5 % are set
//             to their rest length. With substeps of 1/120 s the canvas has a tenth of its bending
//             stiffness, since the full stiffness would be unstable.
// sweep       The method of [OZG13]: Verlet, gravity and springs only, one pass, only the second
//             end of a spring moves. Five scenes; 1, 3 and 8 visits (how often the order of
//             correction may move one particle); substeps of 1/240, 1/1000 and
//             (visits 3) 1/2000 s; every stretch corrected, compression too, or clamped to 10 %;
//             four damping strengths, given by the terminal velocity U of a freely falling
//             particle: the factor U/(U + g h) is applied to velocities in each substep. Canvas in
//             air has U = 3.6 m/s. Four seconds, of which the last 1.5 are measured. A setting is
//             stable if no edge is stretched by more than 10 % and jitter is below 0.01 m^2/s^2.
// order       Time to compute the order in which springs are corrected, minimum of ten, and its
//             number of springs.
#include "hanging.h"

#include <stdio.h>

// Runs of one scene: three with the directional method, eight with the iterative one, and one with
// the method of [OZG13]. passes: number of passes per substep of each.
enum {
    DIRECTIONAL = 3, // runs with the directional method, which come first
    PASSES = 8,      // runs with the iterative method
    RUNS = DIRECTIONAL + PASSES + 1,
    PUBLISHED = RUNS - 1, // index of the run with the method of [OZG13]
};
static const int passes[RUNS] = {1, 2, 4, 1, 2, 5, 10, 20, 50, 100, 200, 1};
static const double gravity = 9.81;      // m/s^2
static const double SLOWEST_FALL = 0.35; // m/s, terminal velocity with the strongest damping

// The factor on velocities per substep with which a freely falling particle has the terminal
// velocity `speed` (m/s); INFINITY: no damping.
static double velocity_factor(double speed, double time_step)
{
    return isfinite(speed) ? speed / (speed + gravity * time_step) : 1;
}

// Name of the method of strain limiting of a run; index: of passes[].
static const char *method_name(int index)
{
    return index < DIRECTIONAL ? "directional" : index < PUBLISHED ? "iterative" : "published";
}

// Functions of the measurement `curve`: stretch against computing time.

// Creates all runs of one scene.
static bool create_runs(experiment *e, hanging_scene scene, hanging **all)
{
    bool quick = experiment_quick(e);
    int n = quick ? 13 : 41;
    for (int i = 0; i < RUNS; i++) {
        fm_cloth_def def = hanging_cloth_def(
            i < DIRECTIONAL ? FM_ENFORCE_DIRECTIONAL : FM_ENFORCE_ITERATIVE, passes[i]);
        if (i == PUBLISHED)
            def =
                hanging_published_cloth_def(3, velocity_factor(SLOWEST_FALL, 1 / 240.0), 1 / 240.0);
        hanging_run run = {scene, def, n, n, 1, quick ? 0.3 : 5, quick ? 0.1 : 1.5};
        all[i] = hanging_create(e, &run);
    }
    return !experiment_failed(e);
}

// The fractional index in [0, count) at which the decreasing stretches of the iterative runs equal
// `stretch`, interpolated logarithmically; -1 if all are larger.
static double find_equal_stretch(hanging *const *iterative, int count, double stretch)
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

// Time of one directional pass over that of the iterative method at the fractional index `position`
// of its runs (-1: the last one). whole: of the whole cloth step, else of the enforcement only.
static double time_ratio_at(experiment *e, hanging *const *all, double position, bool whole)
{
    int low = position < 0 ? PASSES - 1 : (int)floor(position), high = low + 1;
    double ratio[2] = {0};
    for (int i = low; i <= high && i < PASSES; i++) {
        const hanging *a = all[0], *b = all[DIRECTIONAL + i];
        ratio[i - low] = whole ? hanging_tenth_percentile(e, a->bodies_us, a->sample_count) /
                                     hanging_tenth_percentile(e, b->bodies_us, b->sample_count)
                               : hanging_tenth_percentile(e, a->enforce_us, a->sample_count) /
                                     hanging_tenth_percentile(e, b->enforce_us, b->sample_count);
    }
    double part = position < 0 ? 0 : position - low;
    return part > 0 ? ratio[0] * pow(ratio[1] / ratio[0], part) : ratio[0];
}

// Reports stretch and times of all runs of one scene, and the ratios of times at equal stretch.
static void report_curve(experiment *e, hanging_scene scene, hanging *const *all,
                         experiment_table *ratios)
{
    char file[64];
    const char *name = hanging_scene_name(scene);
    snprintf(file, sizeof file, "curve-%s.csv", name);
    experiment_table *table = experiment_table_open(
        e, file, "method,passes,enforce_us,bodies_us,stretch,mean_strain,peak,jitter,motion");
    for (int i = 0; i < RUNS; i++) {
        const hanging *h = all[i];
        experiment_write_row(table, "%s,%d,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g", method_name(i),
                             passes[i], hanging_tenth_percentile(e, h->enforce_us, h->sample_count),
                             hanging_tenth_percentile(e, h->bodies_us, h->sample_count), h->stretch,
                             h->mean, h->peak, h->jitter, h->motion);
    }
    double position = find_equal_stretch(all + DIRECTIONAL, PASSES, all[0]->stretch);
    double enforcement_ratio = time_ratio_at(e, all, position, false),
           whole_ratio = time_ratio_at(e, all, position, true);
    double list_ratio =
        hanging_tenth_percentile(e, all[PUBLISHED]->enforce_us, all[PUBLISHED]->sample_count) /
        hanging_tenth_percentile(e, all[DIRECTIONAL]->enforce_us, all[DIRECTIONAL]->sample_count);
    // passes of the iterative method at equal stretch
    double equal = position < 0 ? NAN
                                : passes[DIRECTIONAL + (int)position] *
                                      pow((double)passes[DIRECTIONAL + (int)ceil(position)] /
                                              passes[DIRECTIONAL + (int)position],
                                          position - floor(position));
    experiment_write_row(ratios, "%s,%.4g,%.4g,%.4g,%.4g,%.4g", name, all[0]->stretch, equal,
                         enforcement_ratio, whole_ratio, list_ratio);
    experiment_add_named_result(e, NAN, all[0]->stretch, "", "%s: stretch, one directional pass",
                                name);
    experiment_add_named_result(e, NAN, equal, "", "%s: iterative passes for that (none: over 200)",
                                name);
    experiment_add_named_result(e, 0.2, enforcement_ratio, "",
                                "%s: directional over iterative, stage%s", name,
                                position < 0 ? ", at most" : "");
    experiment_add_named_result(e, NAN, whole_ratio, "",
                                "%s: directional over iterative, whole step%s", name,
                                position < 0 ? ", at most" : "");
    experiment_add_named_result(e, NAN, list_ratio, "",
                                "%s: published list over one iterative pass", name);
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

// Measures stretch against computing time in every scene.
static void measure_curves(experiment *e)
{
    experiment_table *ratios = experiment_table_open(
        e, "ratios.csv", "scene,stretch,iterative_passes,stage_ratio,whole_ratio,list_over_pass");
    for (int s = 0; s < HANGING_SCENES && !experiment_failed(e); s++) {
        hanging *all[RUNS] = {0};
        if (create_runs(e, (hanging_scene)s, all)) {
            hanging_simulate(e, all, RUNS);
            report_curve(e, (hanging_scene)s, all, ratios);
        }
        for (int i = 0; i < RUNS; i++)
            hanging_destroy_world(all[i]);
    }
    experiment_plot(e, "curve", "Largest stretch against the time of enforcement, 41 x 41",
                    curve_script);
}

// Functions of the measurement `hanging`: jitter of a cloth held at two corners.

// One way to limit the strain of the hanging cloth whose jitter is measured.
typedef struct jitter_case {
    const char *name;
    fm_enforcement_method method;
    int iterations;               // passes per substep
    double threshold;             // stretch l/l0 - 1 beyond which a spring is corrected
    double time_step;             // s, 0 means 1/240 s
    fm_enforcement_target target; // corrected to its rest length, or to the threshold
    double bend;                  // factor on the bending stiffness of canvas
    bool compression;             // springs shorter than at rest are corrected, too
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
enum {
    JITTER_CASES = sizeof jitter_cases / sizeof *jitter_cases,
    ITERATIVE_PAST_THRESHOLD = 5, // index of "iterative past 5 % to rest 100"
    ITERATIVE_EVERY_STRETCH = 7,  // index of "iterative every stretch 100"
};

// Measures stretch, jitter and times of all jitter cases on a cloth held at two corners.
static void measure_hanging(experiment *e)
{
    bool quick = experiment_quick(e);
    hanging *all[JITTER_CASES] = {0};
    experiment_table *table = experiment_table_open(
        e, "hanging.csv",
        "method,stretch,mean_strain,peak,jitter,motion,enforce_us,substep_us,times_real_time");
    for (int i = 0; i < JITTER_CASES; i++) {
        const jitter_case *c = &jitter_cases[i];
        fm_cloth_def def = hanging_cloth_def(c->method, c->iterations);
        def.enforcement.threshold = c->threshold;
        def.enforcement.target = c->target;
        def.enforcement.compression = c->compression;
        def.time_step = c->time_step;
        def.bend.stiffness *= c->bend;
        hanging_run run = {HANGING_CORNERS, def, quick ? 16 : 61,
                           quick ? 11 : 41, 1.5, quick ? 0.4 : 10,
                           quick ? 0.2 : 2};
        all[i] = hanging_create(e, &run);
    }
    if (!experiment_failed(e))
        hanging_simulate(e, all, JITTER_CASES);
    for (int i = 0; i < JITTER_CASES && !experiment_failed(e); i++) {
        const hanging *h = all[i];
        double us = hanging_tenth_percentile(e, h->bodies_us, h->sample_count);
        experiment_write_row(table, "%s,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g",
                             jitter_cases[i].name, h->stretch, h->mean, h->peak, h->jitter,
                             h->motion, hanging_tenth_percentile(e, h->enforce_us, h->sample_count),
                             us, 1e6 * h->substep / us);
        experiment_add_named_result(e, NAN, 100 * h->stretch, "%", "61 x 41, %s: largest stretch",
                                    jitter_cases[i].name);
        experiment_add_named_result(e, NAN, h->jitter, "m^2/s^2", "61 x 41, %s: jitter",
                                    jitter_cases[i].name);
        experiment_add_named_result(e, NAN, 1e6 * h->substep / us, "",
                                    "61 x 41, %s: times real time", jitter_cases[i].name);
    }
    if (!experiment_failed(e)) {
        experiment_add_result(e, "61 x 41, jitter over that of iterative past 5 % to rest", NAN,
                              all[0]->jitter / all[ITERATIVE_PAST_THRESHOLD]->jitter, "");
        experiment_add_result(e, "61 x 41, jitter over that of iterative every stretch", NAN,
                              all[0]->jitter / all[ITERATIVE_EVERY_STRETCH]->jitter, "");
    }
    for (int i = 0; i < JITTER_CASES; i++)
        hanging_destroy_world(all[i]);
}

// Functions of the measurement `sweep`: stability of the method of [OZG13].

// Parameters of the sweep; speeds: terminal velocities of a falling particle, a measure of damping.
enum { SPEEDS = 4, STEPS = 3, VISITS = 3, VARIANTS = 3, SWEPT_SCENES = HANGING_BALL };
static const double speeds[SPEEDS] = {INFINITY, 4, 1, 0.35}; // m/s; the last: SLOWEST_FALL
static const double time_steps[STEPS] = {1 / 240.0, 1 / 1000.0, 1 / 2000.0};
static const int visits[VISITS] = {1, 3, 8};
static const char *const variants[VARIANTS] = {"stretch", "stretch and compression",
                                               "clamped to 10 %"};

// The cloth of one parameter set; the arguments are indices of speeds[], time_steps[], visits[] and
// variants[].
static fm_cloth_def swept_cloth_def(int speed_index, int step_index, int visits_index, int variant)
{
    double h = time_steps[step_index], factor = velocity_factor(speeds[speed_index], h);
    fm_cloth_def def = hanging_published_cloth_def(visits[visits_index], factor, h);
    def.enforcement.compression = variant == 1;
    if (variant == 2) {
        def.enforcement.threshold = 0.1;
        def.enforcement.target = FM_TARGET_THRESHOLD;
    }
    return def;
}

// Simulates one parameter set of the sweep. Returns whether it is stable. speed_index: of speeds[].
static bool is_stable(experiment *e, hanging_scene scene, const fm_cloth_def *def, int speed_index,
                      const char *variant, experiment_table *table)
{
    bool quick = experiment_quick(e);
    int n = quick ? 9 : 41;
    hanging_run run = {scene, *def, n, n, 1, quick ? 0.2 : 4, quick ? 0.1 : 1.5};
    hanging *h = hanging_create(e, &run);
    if (!h)
        return false;
    hanging_simulate(e, &h, 1);
    experiment_write_row(table, "%s,%.6g,%.6g,%.6g,%d,%s,%.4g,%.4g,%.4g", hanging_scene_name(scene),
                         1 / def->time_step, speeds[speed_index], def->damping.kept,
                         def->enforcement.visits, variant, h->stretch, h->jitter, h->motion);
    hanging_destroy_world(h);
    const double stretch_max = 0.1 + 1e-6, jitter_max = 0.01; // l/l0 - 1 with rounding; m^2/s^2
    return h->stretch <= stretch_max && h->jitter < jitter_max;
}

// Simulates all parameter sets in one scene and reports the share that is stable.
static void sweep_scene(experiment *e, hanging_scene scene, experiment_table *table)
{
    int stable[SPEEDS] = {0}, tried[SPEEDS] = {0};
    for (int i = 0; i < SPEEDS * STEPS * VISITS * VARIANTS && !experiment_failed(e); i++) {
        // indices of speeds[], time_steps[], visits[] and variants[]
        int speed = i % SPEEDS, step = i / SPEEDS % STEPS, visit = i / SPEEDS / STEPS % VISITS;
        int variant = i / SPEEDS / STEPS / VISITS;
        if ((step == STEPS - 1 && visits[visit] != 3) || (experiment_quick(e) && step > 0))
            continue;
        fm_cloth_def def = swept_cloth_def(speed, step, visit, variant);
        tried[speed]++;
        stable[speed] += is_stable(e, scene, &def, speed, variants[variant], table);
    }
    for (int k = 0; k < SPEEDS; k++)
        experiment_add_named_result(e, NAN, 100.0 * stable[k] / tried[k], "%",
                                    "published, %s, falling at %g m/s: settings that hold",
                                    hanging_scene_name(scene), speeds[k]);
}

// Functions of the measurement `order`: time to compute the order of correction.

// Measures the time to compute the order of correction, in every scene.
static void measure_orders(experiment *e)
{
    enum { ROUNDS = 10 }; // measurements, of which the least counts
    static const fm_enforcement_method methods[2] = {FM_ENFORCE_PUBLISHED, FM_ENFORCE_DIRECTIONAL};
    experiment_table *table =
        experiment_table_open(e, "order.csv", "scene,method,order_ms,corrections");
    for (int i = 0; i < 2 * SWEPT_SCENES && !experiment_failed(e); i++) {
        hanging_scene scene = (hanging_scene)(i / 2);
        double least = INFINITY;
        int count = 0;
        for (int r = 0; r < ROUNDS && !experiment_failed(e); r++) {
            hanging_run run = {scene, hanging_cloth_def(methods[i % 2], 1), 41, 41, 1, 1 / 240.0,
                               0};
            hanging *h = hanging_create(e, &run);
            if (!h)
                return;
            hanging_simulate(e, &h, 1);
            least = fmin(least, h->order_ms);
            count = fm_cloth_correction_count(h->cloth);
            hanging_destroy_world(h);
        }
        const char *name = hanging_scene_name(scene);
        const char *method = i % 2 ? "directional" : "published";
        experiment_write_row(table, "%s,%s,%.4g,%d", name, method, least, count);
        experiment_add_named_result(e, i % 2 ? NAN : 520, least, "ms", "%s, %s: making the order",
                                    name, method);
        experiment_add_named_result(e, NAN, count, "", "%s, %s: corrections of a pass", name,
                                    method);
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
