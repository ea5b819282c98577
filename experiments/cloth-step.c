// SPDX-License-Identifier: MIT
// cloth-step.c: the same towel, swung with ever smaller time steps.
//
// A simulation should not change when its step is refined. With u = 3 the memory is three steps
// long, whatever the step, so the force it gives shrinks like sqrt(h) (docs/memory.md): the towel
// becomes another towel. With full or fading memory it converges. [OKRC10] shows no such test.
//
// The towel of towel.h is swung with def.time_step = h, h/2, h/4, h/8 for eight seconds. Compared:
//
//   change            largest distance of any point of the centre line between runs with h and with
//                     h/2 over the first second, as a share of the swing's amplitude. Later on the
//                     motion may be irregular, where any difference grows, so paths say little
//   order             log2 of how much that distance falls from one halving to the next
//   bumps             from 3 s on: count, speed, survival (bumps.h)
//
// Models: viscous (no memory at all, as a control), u = 3, fading (0.3 s), full, with the
// coefficients of towel_fractional; and the default physical set, whose memory is of another kind.
//
// [OKRC10] Özgen, Kallmann, Ramirez, Coimbra: Underwater cloth simulation with fractional
//          derivatives. TOG 29(3), 2010.
#include "towel.h"

#include <stdio.h>

enum { VISCOUS, U3, FADING, FULL, PHYSICAL, MODELS };
enum { STEPS = 4 };
static const char *const names[MODELS] = {"viscous", "u = 3", "fading 0.3 s", "full", "physical"};
static const double coarsest = 1 / 960.0; // s, a sixteenth of a frame; the bound is 1.16 ms

static fm_cloth_def make_def(int m)
{
    if (m == U3)
        return towel_fractional(towel_steps(3));
    if (m == FADING)
        return towel_fractional(towel_fading(0.3));
    if (m == FULL)
        return towel_fractional(towel_full());
    if (m == PHYSICAL)
        return towel_cloth(FM_DRAG_PHYSICAL);
    fm_cloth_def def = towel_cloth(FM_DRAG_VISCOUS);
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

static double lower_quarter(const towel_record *r, int frame)
{
    return r->line.z[(size_t)frame * r->line.points + r->line.points * 3 / 4];
}

static void write_paths(experiment *e, towel_record records[MODELS][STEPS])
{
    experiment_table *table = experiment_table_open(
        e, "path.csv",
        "time_s,viscous_h,viscous_h2,viscous_h4,viscous_h8,u3_h,u3_h2,u3_h4,u3_h8,fading_h,"
        "fading_h2,fading_h4,fading_h8,full_h,full_h2,full_h4,full_h8,physical_h,physical_h2,"
        "physical_h4,physical_h8");
    for (int f = 0; f < records[0][0].line.frames; f++) {
        double row[1 + MODELS * STEPS] = {f * TOWEL_FRAME};
        for (int i = 0; i < MODELS * STEPS; i++)
            row[1 + i] = lower_quarter(&records[i / STEPS][i % STEPS], f);
        experiment_numbers(table, row);
    }
}

static void compare(experiment *e, towel_record records[MODELS][STEPS], double amplitude)
{
    experiment_table *table = experiment_table_open(e, "change.csv",
                                                    "h_s,viscous_percent,u3_percent,fading_percent,"
                                                    "full_percent,physical_percent");
    double change[MODELS][STEPS - 1];
    for (int s = 0; s + 1 < STEPS; s++) {
        double row[1 + MODELS] = {coarsest / (1 << s)};
        for (int m = 0; m < MODELS; m++)
            row[1 + m] = change[m][s] =
                100 * towel_distance(&records[m][s], &records[m][s + 1], 0, 1) / amplitude;
        experiment_numbers(table, row);
    }
    for (int m = 0; m < MODELS; m++) {
        for (int s = 0; s + 1 < STEPS; s++)
            experiment_result_of(e, NAN, change[m][s], "% of the amplitude",
                                 "%s: it moves in the first second, from %.3g ms to half of it",
                                 names[m], 1e3 * coarsest / (1 << s));
        double ends = towel_distance(&records[m][0], &records[m][STEPS - 1], 0, 1) / amplitude;
        experiment_result_of(e, NAN, 100 * ends, "% of the amplitude",
                             "%s: it moves in the first second, from h to h/8", names[m]);
        experiment_result_of(e, NAN, log2(change[m][STEPS - 3] / change[m][STEPS - 2]), "",
                             "%s: order of that change", names[m]);
    }
}

static void measure(experiment *e, const towel_run *run, towel_record records[MODELS][STEPS],
                    double from)
{
    experiment_table *table =
        experiment_table_open(e, "bumps.csv",
                              "model,h_s,count,speed_m_per_s,arriving,survival,"
                              "height_m");
    for (int m = 0; m < MODELS; m++)
        for (int s = 0; s < STEPS; s++) {
            bump_stats b = towel_bumps(e, run, &records[m][s], from);
            double h = records[m][s].substep;
            experiment_row(table, "%s,%.6g,%.4g,%.4g,%.4g,%.4g,%.4g", names[m], h, b.count, b.speed,
                           b.arriving, b.survival, b.height);
            if (s != 0 && s != STEPS - 1)
                continue;
            experiment_result_of(e, NAN, b.count, "", "%s, h = %.3g ms: bumps at once", names[m],
                                 1e3 * h);
            experiment_result_of(e, NAN, b.survival, "", "%s, h = %.3g ms: survival", names[m],
                                 1e3 * h);
        }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "cloth-step",
                                    "The same swing with ever smaller time steps.", &status);
    if (!e)
        return status;
    check_bumps(e);
    bool quick = experiment_quick(e);
    static towel_record records[MODELS][STEPS];
    towel_run run = {0};
    for (int i = 0; i < MODELS * STEPS && !experiment_failed(e); i++) {
        fm_cloth_def def = make_def(i / STEPS);
        def.time_step = coarsest / (1 << i % STEPS);
        run = towel_swing(&def, quick ? 11 : 21, quick ? 16 : 31);
        if (quick)
            run.duration = 4;
        records[i / STEPS][i % STEPS] = towel_simulate(e, &run);
    }
    if (!experiment_failed(e)) {
        write_paths(e, records);
        compare(e, records, run.amplitude);
        measure(e, &run, records, quick ? 2 : 3);
        experiment_plot(e, "path",
                        "The swung towel at three quarters of its length, four time steps",
                        path_script);
        experiment_plot(e, "change",
                        "How much halving the step moves the towel in the first second",
                        change_script);
    }
    return experiment_close(e);
}
