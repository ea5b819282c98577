// SPDX-License-Identifier: MIT
// thick-sinking.c: speed of a ball that sinks in cornstarch in water. Von Kann et al. 2011 saw the
// speed of a sinking ball swing about its terminal value without decay; Kirov et al. 2026 saw the
// same frequency for balls of three sizes, and larger balls sink more slowly.
//
// A steel ball (7800 kg/m^3) starts at rest just below the surface of a column of 12 x 24 x 12 cm.
// Its velocity is sampled with 240 Hz. Between the first tenth of a second and the floor, a swing
// is a maximum of the speed that exceeds the minima beside it by 5 % of the mean speed.
#include "starch.h"

#include <stdio.h>

static const double FPS = 240, STEEL = 7800; // 1/s, kg/m^3
enum { SAMPLES_MAX = 800 };

// What is measured of one ball.
typedef struct sinking {
    double mean, swing; // m/s, mean speed, root mean square deviation relative to it
    double frequency;   // Hz, of swings; 0: fewer than two
    int swings;
} sinking;

// Counts swings of the speeds v and finds their frequency.
static sinking analyse(const double *v, int count)
{
    sinking s = {0};
    for (int k = 0; k < count; k++)
        s.mean += v[k] / count;
    double square = 0, low = INFINITY, high = -INFINITY;
    int first = 0, last = 0, peak = 0;
    bool rising = true;
    for (int k = 0; k < count; k++) {
        square += (v[k] - s.mean) * (v[k] - s.mean) / count;
        if (v[k] > high) {
            high = v[k];
            peak = k;
        }
        low = fmin(low, v[k]);
        if (rising && v[k] < high - 0.05 * s.mean) { // passed a maximum
            first = s.swings == 0 ? peak : first;
            last = peak;
            s.swings++;
            rising = false;
            low = v[k];
        } else if (!rising && v[k] > low + 0.05 * s.mean) { // passed a minimum
            rising = true;
            high = v[k];
            peak = k;
        }
    }
    s.swing = s.mean > 0 ? sqrt(square) / s.mean : 0;
    s.frequency = last > first ? (s.swings - 1) * FPS / (last - first) : 0;
    return s;
}

// Lets one ball sink.
static sinking sink(experiment *e, double diameter, bool history, experiment_table *table)
{
    fm_error *err = experiment_error(e);
    const bool quick = experiment_quick(e);
    starch_def def = starch_default();
    def.size = (fm_vec3){0.12, 0.3, 0.12};
    def.depth = 0.24;
    def.spacing = quick ? 0.015 : 0.012;
    def.fluid.history = history;
    fm_collider_def ball =
        starch_ball((fm_vec3){0.06, def.depth - diameter / 2, 0.06}, diameter / 2, STEEL);
    def.solid = &ball;
    starch pool = starch_create(&def, err);
    static double v[SAMPLES_MAX];
    int count = 0;
    for (int k = 1; k <= (quick ? 60 : SAMPLES_MAX) && err->status == FM_OK; k++) {
        fm_world_advance(pool.world, 1 / FPS, err);
        const double y = fm_collider_position(pool.solid).y,
                     speed = -fm_collider_velocity(pool.solid).y;
        experiment_write_row(table, "%g,%d,%.6g,%.6g,%.6g", diameter, history, k / FPS, y, speed);
        if (y < diameter / 2 + 2 * def.spacing)
            break;
        if (k >= 0.1 * FPS)
            v[count++] = speed;
    }
    fm_world_destroy(pool.world);
    return analyse(v, count);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "thick-sinking",
                                    "Speed of balls that sink in cornstarch in water.", &status);
    if (!e)
        return status;
    experiment_table *table =
        experiment_table_open(e, "sinking.csv", "diameter_m,history,time_s,height_m,speed_m/s");
    const double diameter[] = {0.03, 0.04, 0.05};
    for (int history = 1; history >= 0; history--) {
        for (int k = 0; k < 3; k++) {
            sinking s = sink(e, diameter[k], history, table);
            const char *name = history ? "with history" : "without history";
            experiment_add_named_result(e, NAN, s.mean, "m/s", "%s, %g cm, mean speed", name,
                                        100 * diameter[k]);
            experiment_add_named_result(e, NAN, s.swing, "", "%s, %g cm, deviation of the speed",
                                        name, 100 * diameter[k]);
            experiment_add_named_result(e, NAN, s.frequency, "Hz",
                                        "%s, %g cm, frequency of %d swings", name,
                                        100 * diameter[k], s.swings);
        }
    }
    experiment_plot(e, "sinking", "Speed of steel balls sinking in cornstarch in water",
                    "set xlabel 'time [s]'\nset ylabel 'speed [m/s]'\n"
                    "plot for [d in '0.03 0.04 0.05'] 'sinking.csv' using "
                    "($1==d+0&&$2==1?$3:1/0):5 with lines title d.' m, with history', \\\n"
                    "  for [d in '0.03 0.04 0.05'] '' using ($1==d+0&&$2==0?$3:1/0):5 with lines "
                    "dashtype 2 title d.' m, without'\n");
    return experiment_close(e);
}
