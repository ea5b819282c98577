// SPDX-License-Identifier: MIT
// thick-vibration.c: a layer of cornstarch in water on a dish that vibrates up and down. [OZG13]
// figures 5.3, 5.4: clusters and fingers with history, none without. Merkt et al. 2004: in a layer
// of 5 mm, holes persist above about 10 g, fingers rise above about 17 g, near 120 Hz.
//
// The dish is 3 cm wide, the layer 5 mm deep with four or six particles across, and the step 0.5 ms
// or less. The first tenth of a second is at rest; at the end, after 0.6 s, the dish is divided
// into columns of 2.5 mm. Measured over seeds of the particles' random offsets: the standard
// deviation of the columns' heights and the tallest column, both relative to the depth.
#include "starch.h"

#include <stdio.h>

static const double WIDTH = 0.03, DEPTH = 0.005, COLUMN = 0.0025; // m
enum { COLUMNS = 12, SEEDS_MAX = 5 };                             // columns along one side

// A vibration.
typedef struct vibration {
    double frequency, acceleration; // Hz, in units of gravity
    double order;                   // of the memory
    double spacing;                 // m
    bool history;
} vibration;

// The motion of the dish: a sine.
static const fm_motion *shake(fm_world *world, const void *context, fm_error *err)
{
    const vibration *v = context;
    const double omega = 2 * 3.14159265358979 * v->frequency;
    return fm_motion_sine(world, (fm_vec3){0, 1, 0},
                          v->acceleration * STARCH_GRAVITY / (omega * omega), 1 / v->frequency,
                          err);
}

// Heights of the columns of a layer.
typedef struct relief {
    double deviation, tallest; // relative to the depth
} relief;

// Heights of the surface, from the highest particle of each column.
static relief measure(starch *pool, double spacing)
{
    double height[COLUMNS * COLUMNS] = {0}, mean = 0, square = 0, tallest = 0;
    int count;
    const fm_vec3 *x = fm_particles_positions(pool->fluid, &count);
    for (int i = 0; i < count; i++) {
        int a = (int)(x[i].x / COLUMN), b = (int)(x[i].z / COLUMN);
        if (a >= 0 && a < COLUMNS && b >= 0 && b < COLUMNS)
            height[a * COLUMNS + b] = fmax(height[a * COLUMNS + b], x[i].y + spacing / 2);
    }
    for (int k = 0; k < COLUMNS * COLUMNS; k++) {
        mean += height[k] / (COLUMNS * COLUMNS);
        tallest = fmax(tallest, height[k]);
    }
    for (int k = 0; k < COLUMNS * COLUMNS; k++)
        square += (height[k] - mean) * (height[k] - mean) / (COLUMNS * COLUMNS);
    return (relief){sqrt(square) / DEPTH, tallest / DEPTH};
}

// Vibrates one layer.
static relief run(experiment *e, const vibration *v, uint64_t seed)
{
    fm_error *err = experiment_error(e);
    starch_def def = starch_default();
    def.size = (fm_vec3){WIDTH, 0.03, WIDTH};
    def.depth = DEPTH;
    def.spacing = v->spacing;
    def.time_step = fmin(5e-4, 1 / v->frequency / 16);
    def.fluid.viscosity = 1;
    def.fluid.history = v->history;
    def.seed = seed;
    def.shake = shake;
    def.context = v;
    starch pool = starch_create(&def, err);
    const double period = 1 / v->frequency;
    const int periods = (int)round((experiment_quick(e) ? 0.02 : 0.5) * v->frequency);
    for (int k = 0; k < periods && err->status == FM_OK; k++)
        fm_world_advance(pool.world, period, err);
    relief r = {0};
    if (err->status == FM_OK)
        r = measure(&pool, v->spacing);
    fm_world_destroy(pool.world);
    return r;
}

// Means over seeds.
static relief run_seeds(experiment *e, const vibration *v, int seeds, experiment_table *table)
{
    relief mean = {0};
    for (int k = 0; k < seeds && !experiment_failed(e); k++) {
        relief r = run(e, v, (uint64_t)k + 1);
        experiment_write_row(table, "%g,%g,%d,%g,%d,%.5g,%.5g", v->frequency, v->acceleration,
                             v->history, v->spacing, k, r.deviation, r.tallest);
        mean.deviation += r.deviation / seeds;
        mean.tallest += r.tallest / seeds;
    }
    return mean;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "thick-vibration",
                                    "A layer of cornstarch in water on a vibrating dish.", &status);
    if (!e)
        return status;
    const bool quick = experiment_quick(e);
    experiment_table *table = experiment_table_open(
        e, "relief.csv", "frequency_Hz,acceleration_g,history,spacing_m,seed,deviation,tallest");
    const double frequency[] = {60, 120, 180}, acceleration[] = {5, 10, 17, 25};
    for (int f = quick ? 1 : 0; f < (quick ? 2 : 3); f++) {
        for (int a = quick ? 3 : 0; a < 4; a++) {
            for (int history = 1; history >= 0; history--) {
                vibration v = {frequency[f], acceleration[a], 0.5, 0.00125, history};
                relief r = run_seeds(e, &v, quick ? 1 : f == 1 ? SEEDS_MAX : 2, table);
                experiment_add_named_result(
                    e, NAN, r.deviation, "depths", "%s, %g Hz, %g g, deviation of the height",
                    history ? "with history" : "without history", frequency[f], acceleration[a]);
                experiment_add_named_result(
                    e, NAN, r.tallest, "depths", "%s, %g Hz, %g g, tallest column",
                    history ? "with history" : "without history", frequency[f], acceleration[a]);
            }
        }
    }
    if (!quick) { // finer particles
        vibration v = {120, 25, 0.5, 0.00125 / 1.5, true};
        relief r = run_seeds(e, &v, 2, table);
        experiment_add_result(e, "with history, 120 Hz, 25 g, finer particles, deviation", NAN,
                              r.deviation, "depths");
        experiment_add_result(e, "with history, 120 Hz, 25 g, finer particles, tallest column", NAN,
                              r.tallest, "depths");
    }
    experiment_plot(e, "relief", "Roughness of a vibrated layer at 120 Hz",
                    "set xlabel 'acceleration [g]'\nset ylabel 'deviation of height / depth'\n"
                    "plot 'relief.csv' using ($1==120&&$3==1?$2:1/0):6 ls 1 title 'with history', "
                    "'' using ($1==120&&$3==0?$2:1/0):6 ls 2 title 'without'\n");
    return experiment_close(e);
}
