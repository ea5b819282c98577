// SPDX-License-Identifier: MIT
// cloth-sideways.c: a towel whose top edge is moved energetically sideways, then held still.
//
// [OKRC10] figure 3 right, [OZG13] figure 3.4 right: the top edge of a cloth with half derivatives
// in drag and damping (a fractional cloth) is moved energetically sideways, and long-lasting waves
// run through it. No regular cloth is shown for comparison.
//
// The towel of towel.h hangs in still water. Its top edge oscillates along a line 20 degrees out of
// the plane of the cloth (a hand does not move exactly in the plane, where the cloth would stay
// flat), amplitude 0.1 m, period 0.8 s, four periods, and then stops at its initial position.
// Measured on the deflection z(s,t) of the centre line, normal to the cloth:
//
//   waves      number of bumps at one instant (bumps.h) while the edge moves, from the second
//              period on, and in the two seconds after it has stopped
//   travel     the largest distance that a bump born after the stop travels downwards, m
//   duration   time after the stop until the RMS speed of the line stays below 5 % of its value
//              before
//   crossed    share of frames, ten a second, in which the cloth passes through itself (an edge
//              through a triangle); also in one run without repulsion
//
// The models are the regular and fractional cloths with the best scores in cloth-swing ("u = 3",
// half derivatives over three steps, with tuned parameters; with the paper's protocol its
// half-derivative drag would almost vanish) and the cloths with physical drag, all
// with self-repulsion as in the paper. The motion is irregular, so every cloth is simulated three
// times, with the amplitude 1 % larger each time, and the median is reported.
#include "towel.h"

#include <stdio.h>

static const towel_model shown[] = {TOWEL_VISCOUS,    TOWEL_NORMAL,   TOWEL_3_STEPS, TOWEL_DASHPOTS,
                                    TOWEL_WHOLE_PAST, TOWEL_PHYSICAL, TOWEL_DEFAULT};
enum { SHOWN = sizeof shown / sizeof *shown };
static const double threshold = 0.005;  // m, smallest height of a bump
static const double DECAY_SHARE = 0.05; // of the speed before, at which the motion has ended

static const char map_script[] =
    "set multiplot layout 2,4 margins 0.07,0.985,0.09,0.87 spacing 0.03,0.13 title heading "
    "font ',18'\n"
    "unset title\n"
    "unset key\n"
    "set palette defined (-1 '#2166ac', -0.5 '#92c5de', 0 '#f7f7f7', 0.5 '#f4a582', 1 '#b2182b')\n"
    "set cbrange [-0.06:0.06]\n"
    "unset colorbox\n"
    "unset grid\n"
    "set yrange [0.6:0]\n"
    "set ytics 0.2\n"
    "array titles[7] = ['viscous', 'normal', 'u = 3', 'its dashpots', 'full', "
    "'physical, one layer', 'physical, as it is']\n"
    "do for [i = 1:7] {\n"
    "    set title titles[i] font ',15' offset 0,-0.5\n"
    "    set xlabel (i > 4 ? 'time [s]' : '') offset 0,0.5\n"
    "    set ylabel (i % 4 == 1 ? 'down the cloth [m]' : '')\n"
    "    set format y (i % 4 == 1 ? '%g' : '')\n"
    "    set arrow 1 from 3.2, graph 0 to 3.2, graph 1 nohead front lc '#333333' dt 2\n"
    "    set xrange [0:8]\n"
    "    plot 'map-'.(i - 1).'.csv' skip 1 using 1:2:3 with image notitle\n"
    "}\n"
    "unset multiplot\n";

// What is measured in each run, as listed at the top of this file.
enum {
    WAVES_MOVED, // number of bumps while the edge moves
    SPEED,       // their speed
    WAVES_AFTER, // number of bumps after the stop
    TRAVEL,
    DURATION,
    CROSSED, // share of the looked at frames in which the cloth passes through itself
    MEASURES,
};
static const char *const measure_names[MEASURES] = {
    "waves at once while moved",      "their speed",
    "waves at once in the 2 s after", "furthest travel of a wave after",
    "duration after the stop",        "share of frames in which the cloth passes through itself"};
static const char *const units[MEASURES] = {"", "m/s", "", "m", "s", ""};
enum { RUNS = 3 }; // runs per model, with amplitudes 1 % apart

// Simulates one run with the amplitude multiplied by 1 + change, and measures its waves.
static towel_record simulate_run(experiment *e, towel_model model, double change, bool repelled,
                                 double measured[MEASURES])
{
    bool quick = experiment_quick(e);
    fm_cloth_def def = towel_tuned_cloth_def(model);
    def.repulsion.enabled = repelled;
    towel_run run = towel_default_swing(&def, quick ? 11 : 21, quick ? 16 : 31);
    double angle = 20 * 3.14159265358979323846 / 180; // rad, out of the plane of the cloth
    run.axis = (fm_vec3){cos(angle), 0, sin(angle)};
    run.amplitude = 0.1 * (1 + change);
    run.period = 0.8;
    run.stop = 4 * run.period;
    run.duration = quick ? 6 : 12;
    run.crossings = true;
    towel_record r = towel_simulate(e, &run);
    if (experiment_failed(e))
        return r;
    int stop = (int)round(run.stop / TOWEL_FRAME), later = stop + (int)round(2 / TOWEL_FRAME);
    deflection moving = r.line, after = r.line;
    moving.frames = stop < r.line.frames ? stop : r.line.frames;
    after.frames = later < r.line.frames ? later : r.line.frames;
    bump_stats during =
        bumps_measure(e, &moving, (int)round(run.period / TOWEL_FRAME), threshold, 0);
    measured[WAVES_MOVED] = during.count;
    measured[SPEED] = during.speed;
    measured[WAVES_AFTER] = bumps_measure(e, &after, stop, threshold, 0).count;
    measured[TRAVEL] = towel_longest_bump_travel(e, &r, run.stop, threshold);
    measured[CROSSED] = r.crossed;
    measured[DURATION] = towel_decay_time(&r, run.stop, DECAY_SHARE);
    return r;
}

// Measures the model shown[i] and reports the medians of its runs.
static void study_model(experiment *e, int i, experiment_table *table)
{
    double m[RUNS][MEASURES] = {{0}};
    const char *name = towel_model_name(shown[i]);
    int runs = experiment_quick(e) ? 1 : RUNS;
    for (int k = 0; k < runs && !experiment_failed(e); k++) {
        towel_record r = simulate_run(e, shown[i], 0.01 * k, true, m[k]);
        experiment_write_row(table, "\"%s\",%d,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g", name, k,
                             m[k][WAVES_MOVED], m[k][SPEED], m[k][WAVES_AFTER], m[k][TRAVEL],
                             m[k][DURATION], m[k][CROSSED], r.stretch);
        char file[32];
        snprintf(file, sizeof file, "map-%d.csv", i);
        if (k == 0)
            towel_write_deflection(e, &r, file, 0);
    }
    double unrepelled[MEASURES] = {0};
    if (!experiment_failed(e))
        simulate_run(e, shown[i], 0, false, unrepelled);
    experiment_add_named_result(e, NAN, unrepelled[CROSSED], "", "%s without repulsion: %s", name,
                                measure_names[CROSSED]);
    for (int q = 0; q < MEASURES; q++) {
        double values[RUNS] = {m[0][q], m[1][q], m[2][q]};
        experiment_add_named_result(e, NAN, experiment_median(values, runs), units[q], "%s: %s",
                                    name, measure_names[q]);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "cloth-sideways",
                                    "A towel's top edge moved energetically sideways.", &status);
    if (!e)
        return status;
    bumps_check(e);
    experiment_table *table = experiment_table_open(
        e, "models.csv",
        "model,run,waves_moved,speed_m_per_s,waves_after,travel_m,duration_s,crossed,max_stretch");
    for (int i = 0; i < SHOWN && !experiment_failed(e); i++)
        study_model(e, i, table);
    experiment_plot(e, "map", "Moved sideways until 3.2 s, then held: deflection across the cloth",
                    map_script);
    return experiment_close(e);
}
