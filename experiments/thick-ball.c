// SPDX-License-Identifier: MIT
// thick-ball.c: a ball is thrown flat onto cornstarch in water. [OZG13] figure 5.7: it bounces,
// rolls on, comes to rest on the hardened fluid, and sinks when the fluid has forgotten.
//
// The pool is 1.2 x 0.16 x 0.36 m (8640 particles), the ball has a radius of 5 cm and the density
// of glass, 2500 kg/m^3; the fluid has 1200. Measured:
//
//   travel    distance that the ball goes in contact with the fluid, in radii
//   bounce    height that it rises after the first contact, in radii
//   carried   time from the first contact until its centre is half a radius below the surface
//   sunk      how deep its centre is below the surface at the end, in radii
//
// then, for a ball dropped from 10 cm into a smaller pool, the time carried against the memory time
// and against the Courant number, that is the step: means over three seeds of the particles' random
// offsets. A regular lattice is a special state, and the time at which a ball that creeps passes a
// level varies by some per cent from one start to another.
#include "starch.h"

#include <stdio.h>

static const double RADIUS = 0.05, GLASS = 2500, FPS = 60; // m, kg/m^3, 1/s

// What the ball does.
typedef struct outcome {
    double travel, bounce, carried, sunk; // radii, radii, s (INFINITY: to the end), radii
} outcome;

// Runs a pool and follows its ball. until_sunk: ends when it is no longer carried.
static outcome follow(experiment *e, const starch_def *def, double duration, bool until_sunk,
                      experiment_table *table, const char *name)
{
    fm_error *err = experiment_error(e);
    starch pool = starch_create(def, err);
    outcome o = {.carried = INFINITY};
    const double surface = def->depth;
    const double level = surface - RADIUS / 2;
    double touched = -1, from = 0, lowest = INFINITY, before = INFINITY;
    for (int k = 1; k <= duration * FPS && err->status == FM_OK; k++) {
        if (until_sunk && o.carried < duration)
            break;
        fm_world_advance(pool.world, 1 / FPS, err);
        const double t = k / FPS;
        const fm_vec3 x = fm_collider_position(pool.solid);
        experiment_write_row(table, "%s,%.5g,%.6g,%.6g", name, t, x.x, x.y);
        if (touched < 0 && x.y < surface + RADIUS) {
            touched = t;
            from = x.x;
        }
        if (touched < 0)
            continue;
        if (o.carried > duration)
            o.travel = fmax(o.travel, (x.x - from) / RADIUS);
        lowest = fmin(lowest, x.y);
        if (t < touched + 0.5)
            o.bounce = fmax(o.bounce, (x.y - lowest) / RADIUS);
        if (o.carried > duration && x.y < level) // between two frames
            o.carried = t - (level - x.y) / (before - x.y) / FPS - touched;
        before = x.y;
        o.sunk = (surface - x.y) / RADIUS;
    }
    fm_world_destroy(pool.world);
    return o;
}

// The thrown ball, with one fluid.
static void throw_ball(experiment *e, const char *name, starch_def def, experiment_table *table)
{
    fm_collider_def ball = starch_ball((fm_vec3){0.1, 0.26, 0.18}, RADIUS, GLASS);
    ball.velocity.x = 1.6;
    def.size = (fm_vec3){1.2, 0.5, 0.36};
    def.solid = &ball;
    const bool quick = experiment_quick(e);
    if (quick)
        def.spacing = 0.03;
    outcome o = follow(e, &def, quick ? 0.3 : 6, false, table, name);
    experiment_add_named_result(e, NAN, o.travel, "radii", "%s, distance travelled", name);
    experiment_add_named_result(e, NAN, o.bounce, "radii", "%s, height of the bounce", name);
    experiment_add_named_result(e, NAN, fmin(o.carried, 6), "s", "%s, time carried (6: all)", name);
    experiment_add_named_result(e, NAN, o.sunk, "radii", "%s, depth of the centre at the end",
                                name);
}

// Mean time for which a dropped ball is carried, s.
static double drop_ball(experiment *e, double fading, double courant, experiment_table *table)
{
    const int seeds = experiment_quick(e) ? 1 : 3;
    double sum = 0;
    for (int seed = 1; seed <= seeds && !experiment_failed(e); seed++) {
        starch_def def = starch_default();
        fm_collider_def ball = starch_ball((fm_vec3){0.25, 0.31, 0.15}, RADIUS, GLASS);
        def.solid = &ball;
        def.fading = fading;
        def.courant = courant;
        def.seed = (uint64_t)seed;
        char name[64];
        snprintf(name, sizeof name, "drop fading %g courant %g seed %d", fading, courant, seed);
        sum += fmin(8, follow(e, &def, experiment_quick(e) ? 0.05 : 8, true, table, name).carried);
    }
    return sum / seeds;
}

// Time carried with the default step, half and a quarter of it, for two memory times.
static void vary_step(experiment *e, experiment_table *table)
{
    const double fading[] = {0.1, 0.5};
    for (int m = 0; m < 2; m++)
        for (int part = 1; part <= 4; part *= 2)
            experiment_add_named_result(e, NAN, drop_ball(e, fading[m], 0.25 / part, table), "s",
                                        "dropped ball, time carried, memory of %g s, step / %d",
                                        fading[m], part);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "thick-ball",
                        "A ball bounces and rolls on cornstarch, rests, and sinks.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(e, "ball.csv", "run,time_s,x_m,y_m");
    starch_def def = starch_default();
    throw_ball(e, "with history", def, table);
    def.fluid.history = false;
    throw_ball(e, "without history", def, table);
    const double fading[] = {0.25, 0.5, 1};
    for (int k = 0; k < 3; k++)
        experiment_add_named_result(e, NAN, drop_ball(e, fading[k], 0.25, table), "s",
                                    "dropped ball, time carried, memory of %g s", fading[k]);
    if (!experiment_quick(e))
        vary_step(e, table);
    def.fluid.history = def.fluid.published = true;
    def.time_step = 1 / 600.0;
    throw_ball(e, "published model", def, table);
    experiment_plot(e, "ball", "Height of a ball thrown onto cornstarch in water",
                    "set xlabel 'time [s]'\nset ylabel 'height of its centre [m]'\n"
                    "plot 'ball.csv' using (strcol(1) eq 'with history'?$2:1/0):4 with lines ls 1 "
                    "title 'with history', \\\n"
                    "  '' using (strcol(1) eq 'without history'?$2:1/0):4 with lines ls 2 title "
                    "'without history', \\\n"
                    "  '' using (strcol(1) eq 'published model'?$2:1/0):4 with lines ls 3 title "
                    "'published model', 0.16 with lines ls 8 title 'surface'\n");
    return experiment_close(e);
}
