// SPDX-License-Identifier: MIT
// cloth-pull.c: a towel pulled left and right, and half derivatives in its springs on and off.
//
// [OKRC10] section 5: pulled left and right, the fractional cloth is said to behave like towels.
// The towel of towel.h is pulled along its normal, to and fro by 0.25 m in 2 s each, twice, and
// stops. Three runs for each cloth with amplitudes 1 % apart; medians of
//
//   trail      largest distance of the lower edge behind the upper one, along the pull, m
//   folds      number of bumps at one instant (bumps.h) while it is pulled
//   duration   time after the stop until the RMS speed of the centre line stays below 5 % of that
//              before, s
//
// [OKRC10] figure 2, [OZG13] figure 3.2 show half derivatives in the springs without numbers. Here
// the centre line of the towel with viscous drag 1.12, pulled and swung (5 cm, 0.8 s), is drawn
// with half derivatives of the springs off (no damping), over three steps and over the whole past,
// and with the dashpots that three steps amount to. The distance is the largest of any point of the
// line from that without, while it is pulled and in the first second of the swing, in % of the
// amplitude.
#include "towel.h"

#include <stdio.h>

static const towel_model shown[] = {TOWEL_VISCOUS,    TOWEL_NORMAL,   TOWEL_3_STEPS, TOWEL_DASHPOTS,
                                    TOWEL_WHOLE_PAST, TOWEL_PHYSICAL, TOWEL_DEFAULT};
enum { SHOWN = sizeof shown / sizeof *shown, RUNS = 3, INTERNAL = 4, INSTANTS = 4 };
static const char *const internal_names[INTERNAL] = {"off", "3 steps", "whole past",
                                                     "dashpots of 3 steps"};

// Pulls a towel, with the amplitude multiplied by 1 + change.
static towel_run create_pull(experiment *e, const fm_cloth_def *def, double change)
{
    bool quick = experiment_quick(e);
    towel_run run = towel_default_swing(def, quick ? 11 : 21, quick ? 16 : 31);
    run.amplitude = 0.125 * (1 + change);
    run.period = quick ? 1 : 4;
    run.stop = 2 * run.period;
    run.duration = run.stop + (quick ? 1 : 8);
    return run;
}

// Largest distance of the lower edge from the upper one along the pull, m.
static double largest_trail(const towel_record *r)
{
    double largest = 0;
    int last = r->line.points - 1;
    for (int f = 0; f < r->line.frames; f++) {
        const double *z = r->line.z + (size_t)f * r->line.points;
        largest = fmax(largest, fabs(z[last] - z[0]));
    }
    return largest;
}

// Pulls one model RUNS times and reports the medians.
static void report_model(experiment *e, towel_model model, experiment_table *table)
{
    double trail[RUNS], folds[RUNS], duration[RUNS];
    int runs = experiment_quick(e) ? 1 : RUNS;
    for (int i = 0; i < runs && !experiment_failed(e); i++) {
        fm_cloth_def def = towel_tuned_cloth_def(model);
        towel_run run = create_pull(e, &def, 0.01 * i);
        towel_record r = towel_simulate(e, &run);
        if (experiment_failed(e))
            return;
        deflection moving = r.line;
        moving.frames = (int)round(run.stop / TOWEL_FRAME);
        trail[i] = largest_trail(&r);
        folds[i] = bumps_measure(e, &moving, 0, 0.003, 0).count;
        duration[i] = towel_decay_time(&r, run.stop, 0.05);
    }
    if (experiment_failed(e))
        return;
    const char *name = towel_model_name(model);
    double t = experiment_median(trail, runs), f = experiment_median(folds, runs),
           d = experiment_median(duration, runs);
    experiment_write_row(table, "\"%s\",%.4g,%.4g,%.4g", name, t, f, d);
    experiment_add_named_result(e, NAN, t, "m", "%s: largest trail", name);
    experiment_add_named_result(e, NAN, f, "", "%s: folds at once", name);
    experiment_add_named_result(e, NAN, d, "s", "%s: duration after the stop", name);
}

// The towel with half derivatives in its springs: off, over three steps or over the whole past; and
// with the dashpots that three steps amount to (towel.c).
static fm_cloth_def internal_cloth_def(int kind)
{
    fm_cloth_def def = towel_cloth_def(FM_DRAG_VISCOUS);
    def.drag.viscous = 1.12;
    def.damping.coefficient = 0;
    if (kind == 3) {
        def.damping.coefficient = 0.0133;
    } else if (kind > 0) {
        def.damping.coefficient = TOWEL_HALF_DAMPING;
        def.damping.order = 0.5;
        def.damping.memory = kind == 1 ? towel_window_memory(3) : towel_full_memory();
    }
    return def;
}

static const char internal_script[] =
    "set multiplot layout 1,2 title heading font ',18'\nunset title\n"
    "set xlabel 'along the motion [m]'\nset ylabel 'height [m]'\nset size ratio -1\n"
    "set key bottom right\nset xrange [-0.3:0.3]\nset yrange [-0.85:0.02]\nset xtics 0.1\n"
    "array names[4] = ['off', '3 steps', 'whole past', 'dashpots of 3 steps']\n"
    "array colors[4] = ['#b8cde0', '#e69f00', '#000000', '#d62728']\n"
    "array widths[4] = [9, 5, 2.5, 1]\n"
    "f(m, k, t) = sprintf(\"< awk -F, '$1==%d && $2==%d && $3==%g' internal.csv\", m, k, t)\n"
    "do for [m = 0:1] {\n"
    "  set title (m == 0 ? 'pulled, at 1, 3, 5 and 7 s' : 'swung, at 0.8 and 1.2 s')\n"
    "  plot for [k = 0:3] for [t = 0:(m == 0 ? 3 : 1)] f(m, k, m == 0 ? 1 + 2 * t : 0.8 + 0.4 * t)"
    " using 4:5 with lines lw (widths[k + 1]) lc rgb (colors[k + 1]) title "
    "(t == 0 ? names[k + 1] : '')\n"
    "}\nunset multiplot\n";

// Draws and compares the pulled (motion 0) and the swung (1) towel with half derivatives in the
// springs on and off.
static void compare_internal(experiment *e)
{
    static const char *const motions[] = {"pulled", "swung"};
    static const double pulled[INSTANTS] = {1, 3, 5, 7}, swung[INSTANTS] = {0.4, 0.8, 1.2, 2}; // s
    experiment_table *table =
        experiment_table_open(e, "internal.csv", "motion,springs,time_s,z_m,y_m");
    towel_record off = {.diverged = true}, three = off;
    for (int j = 0; j < 2 * INTERNAL && !experiment_failed(e); j++) {
        int motion = j / INTERNAL, k = j % INTERNAL;
        fm_cloth_def def = internal_cloth_def(k);
        bool quick = experiment_quick(e);
        towel_run run = motion == 0 ? create_pull(e, &def, 0)
                                    : towel_default_swing(&def, quick ? 11 : 21, quick ? 16 : 31);
        if (motion == 1)
            run.duration = quick ? 0.5 : 2;
        towel_record r = towel_simulate(e, &run);
        if (k == 0)
            off = r;
        for (int i = 0; i < INSTANTS; i++) {
            double t = motion == 0 ? pulled[i] : swung[i];
            int frame = (int)round(t / TOWEL_FRAME);
            for (int p = 0; p < r.line.points && frame < r.line.frames; p++) {
                fm_vec3 x = r.x[(size_t)frame * r.line.points + p];
                experiment_write_row(table, "%d,%d,%g,%.5g,%.5g", motion, k, t, x.z, x.y);
            }
        }
        double end = motion == 0 ? run.stop : 1; // s; later the swing is irregular
        if (k == 1)
            three = r;
        if (k > 0)
            experiment_add_named_result(
                e, NAN, 100 * towel_largest_distance(&off, &r, 0, end) / run.amplitude, "%",
                "springs with %s, %s: distance from off", internal_names[k], motions[motion]);
        if (k == 3)
            experiment_add_named_result(
                e, NAN, 100 * towel_largest_distance(&three, &r, 0, end) / run.amplitude, "%",
                "springs with %s, %s: distance from 3 steps", internal_names[k], motions[motion]);
    }
    experiment_plot(e, "internal", "Half derivatives in the springs: off, 3 steps, whole past",
                    internal_script);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "cloth-pull", "A towel pulled left and right.", &status);
    if (!e)
        return status;
    compare_internal(e);
    experiment_table *table =
        experiment_table_open(e, "models.csv", "model,trail_m,folds,duration_s");
    for (int i = 0; i < SHOWN && !experiment_failed(e); i++)
        report_model(e, shown[i], table);
    return experiment_close(e);
}
