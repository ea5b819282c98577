// SPDX-License-Identifier: MIT
// hanging.h: stiff cloth that hangs or lies, for the experiments on enforcement (strain limiting by
// constraint projection).
//
// A sheet of canvas (docs/cloth.md) of 1 m in air, or as in [OZG13]: Verlet integration with
// gravity and springs only. Six scenes, those of figures 6.3 and 6.5 of [OZG13]:
//
//   corner    pinned at the upper right corner, released from a nearly horizontal position
//   corners   pinned at both upper corners, which move inwards by 8 % of the width each; released
//             like `corner`
//   top       pinned along the upper edge, released like `corner`
//   flag      pinned along the left edge, vertical at first; without wind
//   table     horizontal; a disc of 0.3 m radius in its middle is pinned
//   ball      horizontal; falls on a ball of 0.3 m radius, friction 0.8
//
// The method of [OZG13] corrects edge lengths in the order of a list that it computes in advance.
// The list proceeds downwards, row by row. On table and ball no row is above another, so there it
// follows gravity instead, which on a horizontal sheet means outwards from the fixed particles.
//
// Sampled every 1/240 s (or every substep if that is longer) and evaluated over the last part of a
// run:
//
//   stretch   largest l/l0 - 1 of any stretch spring in that part (l: length, l0: rest length);
//             `mean` is the mean of |l/l0 - 1|
//   jitter    high-frequency kinetic energy per mass, m^2/s^2: half the square of u - <u>, averaged
//             over mass and time. u is the mean velocity between two samples, <u> its average over
//             the 0.1 s around. This passes frequencies above about 5 Hz
//   motion    kinetic energy per mass, half the square of u, averaged in the same way
//   times     of the enforcement, and of the whole cloth step that contains it, per substep. Runs
//             that are compared advance in turns of 24 samples, so that other load on the machine
//             affects all of them equally
#ifndef FATHOM_HANGING_H
#define FATHOM_HANGING_H

#include "experiment.h"
#include "fixtures.h"

// How the cloth is held, as listed at the top of this file.
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

// The parameters of one simulation.
typedef struct hanging_run {
    hanging_scene scene;
    fm_cloth_def cloth;
    int columns, rows; // particles
    double width;      // m; cells are square
    double duration;   // s, of the simulation
    double measured;   // s, the last part of the run, which is evaluated
} hanging_run;

// One simulated cloth and its measurements.
typedef struct hanging {
    hanging_run run;
    fm_world *world;
    fm_cloth *cloth;
    bool diverged;         // the simulation diverged; nothing was measured after that
    double stretch, mean;  // largest l/l0 - 1 and mean |l/l0 - 1| of the measured part
    double peak;           // largest l/l0 - 1 of the whole run
    double jitter, motion; // m^2/s^2, kinetic energies per mass of the measured part
    double substep;        // s, length of the last substep
    double order_ms;       // ms, to compute the first order in which edges are corrected
    int sample_count;
    // [sample_count], us per substep, of the enforcement and of the whole cloth step, without the
    // time to compute orders of correction
    double *enforce_us, *bodies_us;
    struct hanging_window *window; // velocities of the last 0.1 s
} hanging;

// Canvas in air with the given enforcement (strain limiting). iterations: passes per substep.
fm_cloth_def hanging_cloth_def(fm_enforcement_method method, int iterations);
// The cloth of [OZG13]: Verlet integration, no drag, undamped springs. visits: how often the list
// of corrections may move one particle. velocity_factor: applied to the velocities in each substep.
fm_cloth_def hanging_published_cloth_def(int visits, double velocity_factor, double time_step);

// Creates the world, the cloth and its pins. NULL on failure.
hanging *hanging_create(experiment *e, const hanging_run *run);
// Advances all runs in turns until each has finished.
void hanging_simulate(experiment *e, hanging *const *all, int count);
// Destroys the world; the measurements stay valid until the experiment is closed.
void hanging_destroy_world(hanging *h);

// The 10th percentile of measured times: other load on the machine can only make a time longer.
double hanging_tenth_percentile(experiment *e, const double *values, int count);

#endif
