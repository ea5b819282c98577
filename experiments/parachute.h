// SPDX-License-Identifier: MIT
// parachute.h: the opening of a parachute of scenes/parachute, measured frame by frame.
#ifndef FATHOM_EXPERIMENTS_PARACHUTE_H
#define FATHOM_EXPERIMENTS_PARACHUTE_H

#include "experiment.h"

#include <fathom/fathom.h>

enum { PARACHUTE_SETTINGS_MAX = 12 };

// One run of a scene.
typedef struct parachute_case {
    const char *name, *scene;                     // of the run; file in scenes/parachute
    const char *settings[PARACHUTE_SETTINGS_MAX]; // PATH=VALUE, as fathom run --set
    fm_vec3 wind;                                 // m/s, velocity of the air far away
    double density;                               // kg/m^3, of the air
    double area;                                  // m^2, S0: of all cloth at rest
    double mass;                                  // kg, of all that falls; 0: nothing falls
    double fps, duration;                         // frames per second; s
    bool closed; // nothing acts from outside: the momentum of the world must stay
} parachute_case;

// Runs all cases, with --quick only the first, writes their frames to frames.csv, and adds their
// results.
void parachute_run_all(experiment *e, const parachute_case *cases, int count);

#endif
