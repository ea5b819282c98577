// SPDX-License-Identifier: MIT
// cloth-step.c: convergence of the swung towel under refinement of the time step.
//
// A simulation should converge when its time step h is refined. Drag and damping of this towel are
// half derivatives, integrals over past velocities. With u = 3 the integral covers the last three
// steps whatever their length, so the forces shrink like sqrt(h) (docs/memory.md) and the towel
// behaves differently. With the whole past (full memory), or the past weighted by e^(-t/0.3 s)
// (fading), the motion converges. [OKRC10] shows no such test.
//
// The towel of towel.h is swung for eight seconds with def.time_step = h, h/2, h/4, h/8. Compared:
//
//   change            largest distance of any point of the centre line between the runs with h and
//                     h/2 over the first second, as a share of the swing's amplitude. Later the
//                     motion may be irregular, and any difference grows, so the motions are no
//                     longer comparable
//   order             log2 of the ratio of this distance between two successive halvings
//   bumps             from 3 s on: count, speed, survival (bumps.h)
//
// Models: viscous drag without half derivatives, as a control; half derivatives with u = 3, fading
// (0.3 s) and full memory, with the coefficients of towel_fractional_cloth_def; and the default
// physical drag, in which the history of skin friction is a half derivative (docs/cloth.md).
#include "towel.h"

#include <stdio.h>

// The models that are compared.
enum {
    VISCOUS,         // viscous drag without half derivatives
    HALF_3_STEPS,    // half derivatives over the last three steps
    HALF_FADING,     // half derivatives over the past weighted by e^(-t/0.3 s)
    HALF_WHOLE_PAST, // half derivatives over the whole past
    PHYSICAL,        // the default drag
    MODELS,
};
enum { STEPS = 4 }; // number of time steps h, h/2, h/4, h/8
static const char *const names[MODELS] = {"viscous", "u = 3", "fading 0.3 s", "full", "physical"};
static const double coarsest = 1 / 960.0; // s, a sixteenth of a frame; the stable step is 1.16 ms

// The towel of one model, VISCOUS to PHYSICAL.
static fm_cloth_def model_cloth_def(int model)
{
    if (model == HALF_3_STEPS)
        return towel_fractional_cloth_def(towel_window_memory(3));
    if (model == HALF_FADING)
        return towel_fractional_cloth_def(towel_fading_memory(0.3));
    if (model == HALF_WHOLE_PAST)
        return towel_fractional_cloth_def(towel_full_memory());
    if (model == PHYSICAL)
        return towel_cloth_def(FM_DRAG_PHYSICAL);
    fm_cloth_def def = towel_cloth_def(FM_DRAG_VISCOUS);
    def.drag.viscous = 5;
    return def;
}

static const char path_script[] =
    "set multiplot layout 2,1 title heading font ',18'\n"
    "set xlabel 'time [s]' offset 0,0.5\n"
    "set ylabel 'deflection [m]'\n"
    "set xrange [0:3]\n"
    "set yrange [-0.09:0.09]\n"
    "set ytics 0.04\n"
    "set key outside right top width 2\n"
    "set title 'u = 3' offset 0,-0.5\n"
    "plot for [k = 0:3] name.'.csv' using 1:(column(6 + k)) with lines ls (k == 0 ? 2 : k == 1 ? "
    "5 : k == 2 ? 6 : 1) title word('h h/2 h/4 h/8', k + 1)\n"
    "set title 'full memory' offset 0,-0.5\n"
    "plot for [k = 0:3] name.'.csv' using 1:(column(14 + k)) with lines ls (k == 0 ? 2 : k == 1 ? "
    "5 : k == 2 ? 6 : 1) lw (k == 0 ? 6 : 2) title word('h h/2 h/4 h/8', k + 1)\n"
    "unset multiplot\n";

static const char change_script[] =
    "set logscale xy\n"
    "set xrange [0.22:1.2]\n"
    "set yrange [0.0001:200]\n"
    "set xtics (0.26, 0.52, 1.04)\n"
    "set format y '%g'\n"
    "set xlabel 'step h [ms]'\n"
    "set ylabel 'change of the centre line from h to h/2 [% of the amplitude]'\n"
    "set key outside right center\n"
    "plot name.'.csv' using ($1*1e3):3 with linespoints ls 2 ps 1.6 title 'u = 3', \\\n"
    "     '' using ($1*1e3):4 with linespoints ls 3 ps 1.6 title 'fading 0.3 s', \\\n"
    "     '' using ($1*1e3):5 with linespoints ls 1 ps 1.6 title 'full', \\\n"
    "     '' using ($1*1e3):6 with linespoints ls 5 ps 1.6 title 'physical', \\\n"
    "     '' using ($1*1e3):2 with linespoints ls 7 ps 1.6 title 'viscous', \\\n"
    "     20*sqrt(x) with lines ls 8 title 'order 1/2', \\\n"
    "     0.5*x**2 with lines ls 8 dt 3 title 'order 2'\n";

// Deflection (m) of the centre line at three quarters of its length.
static double deflection_at_three_quarters(const towel_record *r, int frame)
{
    return r->line.z[(size_t)frame * r->line.points + r->line.points * 3 / 4];
}

// Writes the deflections at three quarters of the centre line over time, for all models and steps.
static void write_deflections(experiment *e, towel_record records[MODELS][STEPS])
{
    experiment_table *table = experiment_table_open(
        e, "path.csv",
        "time_s,viscous_h,viscous_h2,viscous_h4,viscous_h8,u3_h,u3_h2,u3_h4,u3_h8,fading_h,"
        "fading_h2,fading_h4,fading_h8,full_h,full_h2,full_h4,full_h8,physical_h,physical_h2,"
        "physical_h4,physical_h8");
    for (int f = 0; f < records[0][0].line.frames; f++) {
        double row[1 + MODELS * STEPS] = {f * TOWEL_FRAME};
        for (int i = 0; i < MODELS * STEPS; i++)
            row[1 + i] = deflection_at_three_quarters(&records[i / STEPS][i % STEPS], f);
        experiment_write_numbers(table, row);
    }
}

// Reports how far halving the step moves the centre line of each model in the first second.
static void report_changes(experiment *e, towel_record records[MODELS][STEPS], double amplitude)
{
    experiment_table *table = experiment_table_open(e, "change.csv",
                                                    "h_s,viscous_percent,u3_percent,fading_percent,"
                                                    "full_percent,physical_percent");
    double change[MODELS][STEPS - 1];
    for (int s = 0; s + 1 < STEPS; s++) {
        double row[1 + MODELS] = {coarsest / (1 << s)};
        for (int m = 0; m < MODELS; m++)
            row[1 + m] = change[m][s] =
                100 * towel_largest_distance(&records[m][s], &records[m][s + 1], 0, 1) / amplitude;
        experiment_write_numbers(table, row);
    }
    for (int m = 0; m < MODELS; m++) {
        for (int s = 0; s + 1 < STEPS; s++)
            experiment_add_named_result(
                e, NAN, change[m][s], "% of the amplitude",
                "%s: it moves in the first second, from %.3g ms to half of it", names[m],
                1e3 * coarsest / (1 << s));
        double total =
            towel_largest_distance(&records[m][0], &records[m][STEPS - 1], 0, 1) / amplitude;
        experiment_add_named_result(e, NAN, 100 * total, "% of the amplitude",
                                    "%s: it moves in the first second, from h to h/8", names[m]);
        experiment_add_named_result(e, NAN, log2(change[m][STEPS - 3] / change[m][STEPS - 2]), "",
                                    "%s: order of that change", names[m]);
    }
}

// Reports the bumps of each model and step from the time `from` (s) on.
static void report_bumps(experiment *e, const towel_run *run, towel_record records[MODELS][STEPS],
                         double from)
{
    experiment_table *table =
        experiment_table_open(e, "bumps.csv",
                              "model,h_s,count,speed_m_per_s,arriving,survival,"
                              "height_m");
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < STEPS; s++) {
            bump_stats b = towel_measure_bumps(e, run, &records[m][s], from);
            double h = records[m][s].substep;
            experiment_write_row(table, "%s,%.6g,%.4g,%.4g,%.4g,%.4g,%.4g", names[m], h, b.count,
                                 b.speed, b.arriving, b.survival, b.height);
            if (s != 0 && s != STEPS - 1)
                continue;
            experiment_add_named_result(e, NAN, b.count, "", "%s, h = %.3g ms: bumps at once",
                                        names[m], 1e3 * h);
            experiment_add_named_result(e, NAN, b.survival, "", "%s, h = %.3g ms: survival",
                                        names[m], 1e3 * h);
        }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "cloth-step",
                                    "The same swing with ever smaller time steps.", &status);
    if (!e)
        return status;
    bumps_check(e);
    bool quick = experiment_quick(e);
    static towel_record records[MODELS][STEPS];
    towel_run run = {0};
    for (int i = 0; i < MODELS * STEPS && !experiment_failed(e); i++) {
        fm_cloth_def def = model_cloth_def(i / STEPS);
        def.time_step = coarsest / (1 << i % STEPS);
        run = towel_default_swing(&def, quick ? 11 : 21, quick ? 16 : 31);
        if (quick)
            run.duration = 4;
        records[i / STEPS][i % STEPS] = towel_simulate(e, &run);
    }
    if (!experiment_failed(e)) {
        write_deflections(e, records);
        report_changes(e, records, run.amplitude);
        report_bumps(e, &run, records, quick ? 2 : 3);
        experiment_plot(e, "path",
                        "The swung towel at three quarters of its length, four time steps",
                        path_script);
        experiment_plot(e, "change",
                        "How much halving the step moves the towel in the first second",
                        change_script);
    }
    return experiment_close(e);
}
