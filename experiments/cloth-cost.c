// SPDX-License-Identifier: MIT
// cloth-cost.c: computing time of cloth whose damping and drag are half derivatives.
//
// [OKRC10] §5, [OZG13] §3.4: a cloth of 31 x 21 particles with half derivatives over the last u
// = 3 steps was computed at 9 frames per second on one 2.4 GHz core of 2008; regular cloths,
// with viscous drag and dashpots, "in the order of 2 to 3 times faster". The results list this
// factor as 2.5.
//
// The towel of towel.h is swung on one thread, with kick-drift-kick at its own stable step: as a
// regular cloth (viscous drag, dashpots in the springs), with half derivatives over u = 3 steps,
// with half derivatives over the whole past at tolerance 1e-3, and with the physical drag of
// towel.h. The models advance in turns, a few frames of 1/30 s each, so that other load on the
// machine affects all of them equally. The ratio to the regular cloth is computed for every turn,
// and the median is reported. Frames per second count the simulation only. The paper's cloths had
// self-repulsion; one row has it, too.
//
// The paper also says that simulated water would take minutes to hours a frame. Here the towel is
// swung for a quarter of a second in a tank of simulated water, coupled both ways, with cells of 4
// and 2 cm: processor time over that of u = 3.
#include "towel.h"

#include <stdio.h>
#include <stdlib.h>

// The models that are timed.
enum {
    REGULAR,         // viscous drag and dashpots
    HALF_3_STEPS,    // half derivatives over the last three steps
    HALF_WHOLE_PAST, // half derivatives over the whole past
    PHYSICAL,        // the default drag
    MODELS,
};
static const char *const names[MODELS] = {"regular", "u = 3", "full, 1e-3", "physical"};
static const double frame = 1 / 30.0; // s, simulated per frame
enum { TURNS_MAX = 41 };              // measurements of each model

// A sheet on which the models are timed.
typedef struct mesh {
    int columns, rows; // particles
    bool repulsion;    // repulsive forces between particles of the cloth that come close
    const char *name;
} mesh;
static const mesh meshes[] = {{21, 31, false, "31 x 21"},
                              {41, 61, false, "61 x 41"},
                              {21, 31, true, "31 x 21 with repulsion"}};
enum { MESHES = sizeof meshes / sizeof *meshes };

// A cloth model and its measured computing times.
typedef struct timed_model {
    fm_world *world;
    double seconds[TURNS_MAX]; // computing time per substep, [turns]
    int substeps;              // number of substeps per frame
} timed_model;

// The towel of one model, REGULAR to PHYSICAL.
static fm_cloth_def model_cloth_def(int model, bool repulsion)
{
    fm_recall full = towel_full_memory();
    full.tolerance = 1e-3;
    fm_cloth_def def = towel_cloth_def(model == PHYSICAL ? FM_DRAG_PHYSICAL : FM_DRAG_VISCOUS);
    if (model == HALF_3_STEPS)
        def = towel_fractional_cloth_def(towel_window_memory(3));
    if (model == HALF_WHOLE_PAST)
        def = towel_fractional_cloth_def(full);
    if (model == REGULAR)
        def.drag.viscous = 5; // N s/m per m^2
    def.repulsion.enabled = repulsion;
    return def;
}

// Creates water with one towel that is swung.
static fm_world *create_world(const fm_cloth_def *def, const mesh *m, fm_error *err)
{
    fm_world *world = fixture_create_world(fixture_water_def(1), err);
    towel_run swing = towel_default_swing(def, m->columns, m->rows);
    fixture_towel towel = fixture_default_towel(m->columns, m->rows);
    towel.cloth = *def;
    towel.amplitude = swing.amplitude;
    towel.period = swing.period;
    fixture_create_hanging_cloth(world, &towel, err);
    return world;
}

// The number of frames with which a turn of the regular cloth takes about 20 ms.
static int choose_frames_per_turn(timed_model *all, fm_error *err)
{
    double start = experiment_read_clock(false);
    fm_world_advance(all[REGULAR].world, frame, err);
    const double turn = 0.02; // s
    const int frames_max = 50;
    int frames = (int)(turn / (experiment_read_clock(false) - start));
    return frames < 1 ? 1 : frames > frames_max ? frames_max : frames;
}

// Times the models in turns of a few frames each.
static void time_turns(timed_model all[MODELS], int turns, fm_error *err)
{
    // the first advance allocates the history of past velocities and is not timed
    for (int m = 0; m < MODELS; m++)
        fm_world_advance(all[m].world, frame, err);
    int frames = choose_frames_per_turn(all, err);
    for (int t = 0; t < turns && err->status == FM_OK; t++)
        for (int m = 0; m < MODELS; m++) {
            double start = experiment_read_clock(false);
            for (int f = 0; f < frames; f++)
                all[m].substeps = fm_world_advance(all[m].world, frame, err).substep_count;
            all[m].seconds[t] =
                (experiment_read_clock(false) - start) / (frames * (double)all[m].substeps);
        }
}

// Reports the time per substep of every model and its ratio to that of the regular cloth.
static void report_times(experiment *e, experiment_table *table, const mesh *sheet,
                         timed_model *all, int turns)
{
    for (int m = 0; m < MODELS; m++) {
        double ratio[TURNS_MAX], seconds = experiment_median(all[m].seconds, turns);
        for (int t = 0; t < turns; t++)
            ratio[t] = all[m].seconds[t] / all[REGULAR].seconds[t];
        double frames_per_second = 1 / (seconds * all[m].substeps),
               cost = experiment_median(ratio, turns);
        bool published = m == HALF_3_STEPS && sheet->columns == 21;
        experiment_write_row(table, "%s,%s,%.4g,%d,%.4g,%.4g", sheet->name, names[m], 1e6 * seconds,
                             all[m].substeps, frames_per_second, cost);
        experiment_add_named_result(e, NAN, 1e6 * seconds, "us", "%s, %s: time per substep",
                                    sheet->name, names[m]);
        experiment_add_named_result(e, published ? 9 : NAN, frames_per_second, "1/s",
                                    "%s, %s: frames of 1/30 s per second", sheet->name, names[m]);
        if (m != REGULAR)
            experiment_add_named_result(e, m == HALF_3_STEPS ? 2.5 : NAN, cost, "",
                                        "%s, %s: cost over the regular cloth", sheet->name,
                                        names[m]);
    }
}

static const char cost_script[] =
    "set style data histograms\n"
    "set style histogram clustered gap 1.5\n"
    "set style fill solid 0.9\n"
    "set boxwidth 0.9\n"
    "set yrange [0:4]\n"
    "set ylabel 'time of a substep over that of the regular cloth'\n"
    "set key top left\n"
    "plot name.'.csv' skip 1 using 2:xtic(1) ls 6 title 'u = 3', \\\n"
    "     '' skip 1 using 3 ls 1 title 'full memory, tolerance 10^{-3}', \\\n"
    "     '' skip 1 using 4 ls 5 title 'physical', \\\n"
    "     2 with lines ls 8 title 'the paper, u = 3: 2 to 3', \\\n"
    "     3 with lines ls 8 notitle\n";

// Reports the time of the towel in simulated water over that with u = 3, both on one thread.
static void compare_with_water(experiment *e)
{
    bool quick = experiment_quick(e);
    fm_cloth_def memory = model_cloth_def(HALF_3_STEPS, false),
                 water = towel_cloth_def(FM_DRAG_PHYSICAL);
    towel_run run = towel_default_swing(&memory, 21, 31);
    run.duration = quick ? TOWEL_FRAME : 0.25;
    double seconds = towel_simulate(e, &run).cpu;
    run.cloth = water;
    for (int k = 0; k < 2 && !experiment_failed(e); k++) {
        run.spacing = quick ? 0.1 : k == 0 ? 0.04 : 0.02;
        double cpu = towel_simulate(e, &run).cpu;
        experiment_add_named_result(e, NAN, cpu / (30 * run.duration), "s",
                                    "31 x 21 in water of %g cm: time of a frame of 1/30 s",
                                    100 * run.spacing);
        experiment_add_named_result(e, NAN, cpu / seconds, "",
                                    "31 x 21 in water of %g cm: time over u = 3",
                                    100 * run.spacing);
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "cloth-cost", "What memory costs a cloth.", &status);
    if (!e)
        return status;
    int turns = experiment_quick(e) ? 5 : TURNS_MAX;
    experiment_table *table = experiment_table_open(
        e, "timings.csv", "mesh,model,substep_us,substeps_per_frame,frames_per_s,ratio");
    experiment_table *ratios = experiment_table_open(e, "cost.csv", "mesh,u3,full,physical");
    for (int i = 0; i < MESHES && !experiment_failed(e); i++) {
        timed_model all[MODELS] = {{0}};
        for (int m = 0; m < MODELS; m++) {
            fm_cloth_def def = model_cloth_def(m, meshes[i].repulsion);
            all[m].world = create_world(&def, &meshes[i], experiment_error(e));
        }
        if (!experiment_failed(e))
            time_turns(all, turns, experiment_error(e));
        if (!experiment_failed(e)) {
            report_times(e, table, &meshes[i], all, turns);
            double ratio[3] = {0}, per_turn[TURNS_MAX];
            for (int m = 1; m < MODELS; m++) {
                for (int t = 0; t < turns; t++)
                    per_turn[t] = all[m].seconds[t] / all[REGULAR].seconds[t];
                ratio[m - 1] = experiment_median(per_turn, turns);
            }
            experiment_write_row(ratios, "%s,%.4g,%.4g,%.4g", meshes[i].name, ratio[0], ratio[1],
                                 ratio[2]);
        }
        for (int m = 0; m < MODELS; m++)
            fm_world_destroy(all[m].world);
    }
    compare_with_water(e);
    experiment_plot(e, "cost", "Cost of a substep with memory, one thread", cost_script);
    return experiment_close(e);
}
