// SPDX-License-Identifier: MIT
// hanging.h: stiff cloth that hangs or lies, for the experiments on constraint enforcement.
//
// Canvas (docs/cloth.md) of one metre in air, or as [OZG13] has it: Verlet, weight and springs
// only. Six scenes, those of its figures 6.3 and 6.5:
//
//   corner    held at the upper right corner, let fall from nearly level
//   corners   held at both upper corners, which come nearer by 8 % of the width each; let fall
//   top       held along the upper edge, let fall
//   flag      held along the left edge, upright at first; without wind
//   table     level; a disc of 0.3 m radius in its middle is held
//   ball      level; falls on a ball of 0.3 m radius, friction 0.8
//
// On table and ball no row is above another, so there the published list goes by gravity instead of
// by rows, which on a level sheet is outwards to all sides.
//
// Measured every 1/240 s (or every substep, where that is longer), and over the last part of a run:
//
//   stretch   largest l/l0 - 1 of any stretch edge in that part; `mean` is the mean of |l/l0 - 1|
//   jitter    high-frequency kinetic energy per mass, m^2/s^2: half the square of u - <u>, averaged
//             over mass and time. u is the displacement between two looks over the time between
//             them, <u> its mean over the 0.1 s around. It passes frequencies above some 5 Hz
//   motion    the same of u itself
//   times     of the enforcement and of the bodies' stage that it is part of, per substep. Runs
//             that are compared take turns of 24 looks, so that what else the machine does falls on
//             all of them
//
// [OZG13] Özgen: Physics-based animation models using fractional calculus. PhD thesis, UC Merced,
//         2013.
#ifndef FATHOM_HANGING_H
#define FATHOM_HANGING_H

#include "experiment.h"

#include <fathom/fathom.h>

typedef enum hanging_scene {
    HANGING_CORNER,
    HANGING_CORNERS,
    HANGING_TOP,
    HANGING_FLAG,
    HANGING_TABLE,
    HANGING_BALL,
    HANGING_SCENES
} hanging_scene;
const char *hanging_scene_name(hanging_scene scene);

typedef struct hanging_run {
    hanging_scene scene;
    fm_cloth_def cloth;
    int columns, rows;
    double width;    // m; cells are square
    double duration; // s
    double measured; // s, the last part of it
} hanging_run;

typedef struct hanging {
    hanging_run run;
    fm_world *world;
    fm_cloth *cloth;
    bool diverged;              // the numbers did; nothing was measured after that
    double stretch, mean, peak; // peak: the largest stretch of the whole run
    double jitter, motion;      // m^2/s^2
    double substep;             // s, the last one
    double order_ms;            // making the first order of correction
    int looks;
    double *enforce_us, *bodies_us; // per substep, by look; without the making of orders
    struct hanging_window *window;
} hanging;

fm_cloth_def hanging_cloth(fm_enforcement_method method, int iterations); // canvas in air
// Verlet, without drag and springs' damping; `kept` is what a substep leaves of velocities.
fm_cloth_def hanging_published(int visits, double kept, double time_step);

hanging *hanging_open(experiment *e, const hanging_run *run);         // NULL on failure
void hanging_simulate(experiment *e, hanging *const *all, int count); // in turns, to their ends
void hanging_close(hanging *h);                                       // the world; records stay

// What a tenth of the looks stays below: other work on the machine only ever adds to a time.
double hanging_time(experiment *e, const double *values, int count);

#endif
