// SPDX-License-Identifier: MIT
// thick-vibration.c: a layer of cornstarch in water on a dish that vibrates up and down. [OZG13]
// figures 5.3, 5.4: clusters and fingers with history, none without. Merkt et al. 2004: in a layer
// of 5 mm, holes persist above about 10 g, fingers rise above about 17 g, near 120 Hz.
//
// The dish is 2 cm wide, the layer 5 mm deep with four or six particles across, and the step 0.5 ms
// or less. At the end, after 0.3 s, the dish is divided into columns of 2.5 mm. Measured over seeds
// of the particles' random offsets: the standard deviation of the columns' heights and the tallest
// column, both relative to the depth. Vibrations are sines; or, after [OZG13], every period has a
// random frequency between 60 and 180 Hz, at the same acceleration.
//
// In the measurements holes began from a puff of air. Here some layers, 3 cm wide, begin with a
// square hole of 1 cm; measured is the share of its columns that is less than half full after 2 s,
// which is four times the memory.
#include "starch.h"

#include <stdio.h>

static const double WIDTH = 0.02, HOLE = 0.01, WIDTH_AROUND_HOLE = 0.03; // m
static const double DEPTH = 0.005, COLUMN = 0.0025;                      // m
static const double PI = 3.14159265358979;
enum { COLUMNS_MAX = 12, SEEDS_MAX = 5 }; // columns along one side
enum { KEYS_PER_PERIOD = 16, KEYS_MAX = 2048 };

// A vibration.
typedef struct vibration {
    double frequency;    // Hz; 0: random for each period
    double acceleration; // in units of gravity
    double order;        // of the memory
    double spacing;      // m
    double hole;         // m, side; 0: none
    double duration;     // s; 0: 0.3 s
    bool history, published;
} vibration;

// Amplitude of a sine with this frequency, m.
static double find_amplitude(const vibration *v, double frequency)
{
    const double omega = 2 * PI * frequency;
    return v->acceleration * STARCH_GRAVITY / (omega * omega);
}

// A motion of which each period has a random frequency.
static const fm_motion *shake_randomly(fm_world *world, const vibration *v, fm_error *err)
{
    fm_key keys[KEYS_MAX];
    uint64_t random = 1;
    double t = 0;
    for (int k = 0; k < KEYS_MAX; k += KEYS_PER_PERIOD) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double frequency = 60 + 120 * (double)(random >> 40) / (double)(1 << 24);
        for (int n = 0; n < KEYS_PER_PERIOD; n++, t += 1 / frequency / KEYS_PER_PERIOD)
            keys[k + n] = (fm_key){
                .time = t,
                .position = {0, find_amplitude(v, frequency) * sin(2 * PI * n / KEYS_PER_PERIOD),
                             0}};
    }
    return fm_motion_keyframes(world, keys, KEYS_MAX, FM_INTERPOLATE_SPLINE, (fm_vec3){0}, err);
}

// The motion of the dish.
static const fm_motion *shake(fm_world *world, const void *context, fm_error *err)
{
    const vibration *v = context;
    if (v->acceleration <= 0)
        return NULL;
    if (v->frequency <= 0)
        return shake_randomly(world, v, err);
    return fm_motion_sine(world, (fm_vec3){0, 1, 0}, find_amplitude(v, v->frequency),
                          1 / v->frequency, err);
}

// Heights of the columns of a layer.
typedef struct relief {
    double deviation, tallest; // relative to the depth
    double open;               // share of the columns of the hole
} relief;

// Heights of the surface of a dish of this width, m, from the highest particle of each column.
static relief measure(starch *pool, double width, double spacing)
{
    double height[COLUMNS_MAX * COLUMNS_MAX] = {0}, mean = 0, square = 0, tallest = 0;
    const int side = (int)round(width / COLUMN), columns = side * side;
    int count;
    const fm_vec3 *x = fm_particles_positions(pool->fluid, &count);
    for (int i = 0; i < count; i++) {
        int a = (int)(x[i].x / COLUMN), b = (int)(x[i].z / COLUMN);
        if (a >= 0 && a < side && b >= 0 && b < side)
            height[a * side + b] = fmax(height[a * side + b], x[i].y + spacing / 2);
    }
    for (int k = 0; k < columns; k++) {
        mean += height[k] / columns;
        tallest = fmax(tallest, height[k]);
    }
    for (int k = 0; k < columns; k++)
        square += (height[k] - mean) * (height[k] - mean) / columns;
    const int first = (int)round((width - HOLE) / 2 / COLUMN), wide = (int)round(HOLE / COLUMN);
    int open = 0;
    for (int a = first; a < first + wide; a++)
        for (int b = first; b < first + wide; b++)
            open += height[a * side + b] < DEPTH / 2;
    return (relief){sqrt(square) / DEPTH, tallest / DEPTH, (double)open / (wide * wide)};
}

// Vibrates one layer.
static relief run(experiment *e, const vibration *v, uint64_t seed)
{
    fm_error *err = experiment_error(e);
    starch_def def = starch_default();
    const double width = v->hole > 0 ? WIDTH_AROUND_HOLE : WIDTH;
    def.size = (fm_vec3){width, 0.03, width};
    def.depth = DEPTH;
    def.spacing = v->spacing;
    const double frequency = v->frequency > 0 ? v->frequency : 120;
    def.time_step = fmin(5e-4, 1 / frequency / 16);
    def.seconds = 0.25;
    def.order = v->order;
    def.hole = v->hole;
    def.fluid.viscosity = 1;
    def.fluid.history = v->history;
    def.fluid.published = v->published;
    def.seed = seed;
    def.shake = shake;
    def.context = v;
    starch pool = starch_create(&def, err);
    const double duration = v->duration > 0 ? v->duration : 0.3;
    const int periods = (int)round((experiment_quick(e) ? 0.02 : duration) * frequency);
    for (int k = 0; k < periods && err->status == FM_OK; k++)
        fm_world_advance(pool.world, 1 / frequency, err);
    relief r = {0};
    if (err->status == FM_OK)
        r = measure(&pool, width, v->spacing);
    fm_world_destroy(pool.world);
    return r;
}

// Means over seeds.
static relief run_seeds(experiment *e, const vibration *v, int seeds, experiment_table *table)
{
    relief mean = {0};
    for (int k = 0; k < seeds && !experiment_failed(e); k++) {
        relief r = run(e, v, (uint64_t)k + 1);
        experiment_write_row(table, "%g,%g,%d,%g,%d,%.5g,%.5g,%g,%g,%d,%.5g", v->frequency,
                             v->acceleration, v->history, v->spacing, k, r.deviation, r.tallest,
                             v->order, v->hole, v->published, r.open);
        mean.deviation += r.deviation / seeds;
        mean.tallest += r.tallest / seeds;
        mean.open += r.open / seeds;
    }
    return mean;
}

// Reports the relief of a layer.
static void add_relief(experiment *e, const char *name, const vibration *v, int seeds,
                       experiment_table *table)
{
    relief r = run_seeds(e, v, seeds, table);
    experiment_add_named_result(e, NAN, r.deviation, "depths", "%s, deviation of the height", name);
    experiment_add_named_result(e, NAN, r.tallest, "depths", "%s, tallest column", name);
}

// Sines of three frequencies and four accelerations, with and without history.
static void vary_vibration(experiment *e, experiment_table *table)
{
    const bool quick = experiment_quick(e);
    const double frequency[] = {60, 120, 180}, acceleration[] = {5, 10, 17, 25};
    for (int f = quick ? 1 : 0; f < (quick ? 2 : 3); f++) {
        for (int a = quick ? 3 : 0; a < 4; a++) {
            for (int history = 1; history >= 0; history--) {
                vibration v = {frequency[f], acceleration[a], 0.5, 0.00125, .history = history};
                char name[64];
                snprintf(name, sizeof name, "%s history, %g Hz, %g g", history ? "with" : "without",
                         frequency[f], acceleration[a]);
                add_relief(e, name, &v, quick ? 1 : SEEDS_MAX, table);
            }
        }
    }
}

// Other orders, finer particles, random frequency, and the published model, at 25 g.
static void vary_model(experiment *e, experiment_table *table)
{
    const vibration usual = {120, 25, 0.5, 0.00125, .history = true};
    vibration v = usual;
    v.order = 0.2;
    add_relief(e, "with history, 120 Hz, 25 g, order 0.2", &v, 2, table);
    v.order = 0.8;
    add_relief(e, "with history, 120 Hz, 25 g, order 0.8", &v, 2, table);
    v = usual;
    v.spacing /= 1.5;
    add_relief(e, "with history, 120 Hz, 25 g, finer particles", &v, 2, table);
    v = usual;
    v.frequency = 0;
    add_relief(e, "with history, random frequency, 25 g", &v, 2, table);
    v.history = false;
    add_relief(e, "without history, random frequency, 25 g", &v, 2, table);
    v.history = v.published = true;
    add_relief(e, "published model, random frequency, 25 g", &v, 1, table);
}

// Layers that begin with a hole, with and without history.
static void close_holes(experiment *e, experiment_table *table)
{
    const double acceleration[] = {0, 5, 10, 17, 25};
    for (int a = 0; a < 5; a++) {
        for (int history = 1; history >= 0; history--) {
            vibration v = {120, acceleration[a], 0.5, 0.00125, HOLE, 2, .history = history};
            relief r = run_seeds(e, &v, 1, table);
            experiment_add_named_result(e, NAN, r.open, "",
                                        "%s history, 120 Hz, %g g, open share "
                                        "of the hole",
                                        history ? "with" : "without", acceleration[a]);
        }
    }
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "thick-vibration",
                                    "A layer of cornstarch in water on a vibrating dish.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "relief.csv",
        "frequency_Hz,acceleration_g,history,spacing_m,seed,deviation,tallest,order,hole_m,"
        "published,open");
    vary_vibration(e, table);
    if (!experiment_quick(e)) {
        vary_model(e, table);
        close_holes(e, table);
    }
    experiment_plot(e, "relief", "Roughness of a vibrated layer at 120 Hz",
                    "set xlabel 'acceleration [g]'\nset ylabel 'deviation of height / depth'\n"
                    "plot 'relief.csv' using ($1==120&&$3==1&&$9==0?$2:1/0):6 ls 1 title "
                    "'with history', "
                    "'' using ($1==120&&$3==0&&$9==0?$2:1/0):6 ls 2 title 'without'\n");
    return experiment_close(e);
}
