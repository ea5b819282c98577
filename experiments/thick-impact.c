// SPDX-License-Identifier: MIT
// thick-impact.c: stress under a rod that is driven into cornstarch in water. Maharjan et al. 2018
// saw the stress rise only after a delay, when the hardened region below the rod meets the floor.
//
// A rod with a round end of 5 cm across goes down with 1 m/s, from just above the surface, into
// layers of 6, 10 and 14 cm. The force on the rod and that on floor and walls are sampled with
// 960 Hz. The delay is the time from the first contact until the force on floor and walls exceeds
// the weight of the fluid by a tenth of its largest excess while the rod moves down to 2 cm above
// the floor.
#include "starch.h"

#include <stdio.h>

static const double FPS = 960, SPEED = 1, RADIUS = 0.025; // 1/s, m/s, m
enum { SAMPLES_MAX = 400 };

// The rod goes down by 1 m in 1 s.
static const fm_motion *drive(fm_world *world, const void *context, fm_error *err)
{
    (void)context;
    const fm_key keys[2] = {{.time = 0}, {.time = 1 / SPEED, .position = {0, -1, 0}}};
    return fm_motion_keyframes(world, keys, 2, FM_INTERPOLATE_LINEAR, (fm_vec3){0}, err);
}

// What is measured in one layer.
typedef struct impact {
    double delay;      // s
    double rod, floor; // N, largest forces on the rod and, beyond the weight, on floor and walls
} impact;

// Drives the rod into a layer.
static impact hit(experiment *e, double depth, bool history, experiment_table *table)
{
    fm_error *err = experiment_error(e);
    const bool quick = experiment_quick(e);
    starch_def def = starch_default();
    def.loads = true;
    def.size = (fm_vec3){0.24, 0.5, 0.24};
    def.depth = depth;
    def.spacing = quick ? 0.02 : 0.01;
    def.fluid.history = history;
    fm_collider_def rod = fm_default_collider_def();
    rod.name = "rod";
    rod.shape = (fm_shape){.kind = FM_SHAPE_CAPSULE,
                           .start = {0.12, depth + 1.2 * RADIUS, 0.12},
                           .end = {0.12, depth + 0.4, 0.12},
                           .radius = RADIUS};
    def.solid = &rod;
    def.motion = drive;
    starch pool = starch_create(&def, err);
    static double force[SAMPLES_MAX];
    impact m = {.delay = NAN};
    const double weight = 1200 * STARCH_GRAVITY * depth * def.size.x * def.size.z;
    const double begin = 0.2 * RADIUS / SPEED, end = begin + (depth - 0.02) / SPEED;
    int count = 0;
    for (int k = 1; k <= (quick ? 40 : SAMPLES_MAX) && k / FPS <= end && err->status == FM_OK;
         k++) {
        fm_report report = fm_world_advance(pool.world, 1 / FPS, err);
        fm_vec3 on_rod = {0};
        fm_world_collider_load(pool.world, 0, &on_rod);
        force[count] = -(report.load.y - on_rod.y) - weight;
        m.rod = fmax(m.rod, on_rod.y);
        m.floor = fmax(m.floor, force[count]);
        experiment_write_row(table, "%g,%d,%.6g,%.6g,%.6g", depth, history, k / FPS - begin,
                             on_rod.y, force[count]);
        count++;
    }
    for (int k = 0; k < count && !(m.delay >= 0); k++)
        if (force[k] > 0.1 * m.floor && (k + 1) / FPS > begin)
            m.delay = (k + 1) / FPS - begin;
    fm_world_destroy(pool.world);
    return m;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "thick-impact",
                        "Stress on rod and floor when a rod hits cornstarch in water.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "impact.csv", "depth_m,history,time_s,force_on_rod_N,force_on_floor_N");
    const double depth[] = {0.06, 0.1, 0.14};
    for (int history = 1; history >= 0; history--) {
        const char *name = history ? "with history" : "without history";
        for (int k = 0; k < 3; k++) {
            impact m = hit(e, depth[k], history, table);
            if (m.delay >= 0)
                experiment_add_named_result(e, NAN, 1e3 * m.delay, "ms",
                                            "%s, %g cm deep, delay of the force on the floor", name,
                                            100 * depth[k]);
            experiment_add_named_result(e, NAN, m.rod, "N", "%s, %g cm deep, force on the rod",
                                        name, 100 * depth[k]);
            experiment_add_named_result(e, NAN, m.floor, "N", "%s, %g cm deep, force on the floor",
                                        name, 100 * depth[k]);
        }
    }
    experiment_plot(e, "impact", "Force on the floor below a rod that enters with 1 m/s",
                    "set xlabel 'time since contact [s]'\nset ylabel 'force [N]'\n"
                    "plot for [d in '0.06 0.1 0.14'] 'impact.csv' using ($1==d+0&&$2==1?$3:1/0):5 "
                    "with lines title d.' m deep, with history', \\\n"
                    "  for [d in '0.06 0.1 0.14'] '' using ($1==d+0&&$2==0?$3:1/0):5 with lines "
                    "dashtype 2 title d.' m deep, without'\n");
    return experiment_close(e);
}
