// SPDX-License-Identifier: MIT
// thick-mild.c: cornstarch in water hardens gradually under mild agitation and softens afterwards.
// [OZG13] section 5.3: "when the fluid is in its liquid state and is agitated by mild forces, it
// will slowly move from liquid to solid state over time".
//
// A pool of 30 x 10 x 20 cm rests for 2 s, so that it settles and forgets, is shaken along x for
// 2 s, with 1 cm at 2 Hz, and left alone for 2 s. The fluid hardens gradually (sharpness 20) from
// any motion on (onset 0.05 1/s). Measured from the start of shaking: the mean history stiffness of
// the springs, relative to its largest value.
#include "starch.h"

static const double FPS = 30, REST = 2, SHAKEN = 2, DURATION = 6, PERIOD = 0.5; // 1/s, s

// Shakes the tank from 2 to 4 s, smoothly between the ends of its path.
static const fm_motion *shake(fm_world *world, const void *context, fm_error *err)
{
    (void)context;
    fm_key keys[16];
    int count = (int)lround(2 * SHAKEN / PERIOD) + 1; // ends of the path
    for (int i = 0; i < count; i++)
        keys[i] = (fm_key){.time = REST + i * PERIOD / 2, .position = {i % 2 ? 0.01 : 0, 0, 0}};
    return fm_motion_keyframes(world, keys, count, FM_INTERPOLATE_SMOOTH, (fm_vec3){0}, err);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(
        argc, argv, "thick-mild",
        "Cornstarch in water hardens gradually when it is stirred mildly.", &status);
    if (!e)
        return status;
    fm_error *err = experiment_error(e);
    starch_def def = starch_default();
    def.size = (fm_vec3){0.3, 0.2, 0.2};
    def.depth = 0.1;
    def.fluid.onset = 0.05;
    def.fluid.sharpness = 20;
    def.shake = shake;
    starch pool = starch_create(&def, err);
    experiment_table *table = experiment_table_open(e, "stiffness.csv", "time_s,stiffness_N/m");
    double stiffness[256] = {0}, largest = 0;
    const int frames = (int)((experiment_quick(e) ? 0.1 : DURATION) * FPS);
    for (int k = 1; k <= frames && err->status == FM_OK; k++) {
        fm_world_advance(pool.world, 1 / FPS, err);
        stiffness[k] = starch_mean(&pool, "history_stiffness", e);
        if (k / FPS > REST)
            largest = fmax(largest, stiffness[k]);
        experiment_write_row(table, "%.5g,%.6g", k / FPS, stiffness[k]);
    }
    fm_world_destroy(pool.world);
    const double moments[] = {0, 0.1, 0.25, 0.5, 1, 2, 2.5, 3, 4};
    for (int k = 0; k < 9 && (REST + moments[k]) * FPS <= frames; k++)
        experiment_add_named_result(e, NAN,
                                    stiffness[(int)round((REST + moments[k]) * FPS)] / largest, "",
                                    "stiffness after %g s, relative to the largest", moments[k]);
    experiment_add_result(e, "largest mean history stiffness", NAN, largest, "N/m");
    experiment_plot(e, "stiffness", "Mean history stiffness, shaken from 2 to 4 s",
                    "set xlabel 'time [s]'\nset ylabel 'stiffness [N/m]'\n"
                    "plot 'stiffness.csv' using 1:2 with lines ls 1 notitle\n");
    return experiment_close(e);
}
