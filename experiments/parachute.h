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
    double fps, duration;                         // frames per second; s
} parachute_case;

// What is known of it at the end. D0 = sqrt(4 S0 / pi).
typedef struct parachute_result {
    double drag;                // force along the wind / (rho V^2 S0 / 2), second half
    double drag_spread;         // standard deviation of the same
    double speed;               // m/s, of the canopy through the air, second half
    double filling_time;        // s, until the projected area is 90 % of that in the second half
    double filling_distance;    // way through the air until then, D0
    double peak;                // N, largest force on the canopy, mean over a frame
    double tension;             // N, largest of a line
    double overshoot;           // largest projected area / that in the second half
    double projected;           // projected area / S0, second half
    double area_low, area_high; // smallest and largest area of the cloth / S0
    double stretch;             // largest l/l0 - 1 of an edge after the first tenth
    int intersections;          // edges through triangles, over all frames
} parachute_result;

// Runs a case, writes its frames to `table` (columns of PARACHUTE_COLUMNS), and adds its results.
#define PARACHUTE_COLUMNS "case,t_s,speed_m_s,force_N,drag,projected,area"
parachute_result parachute_run(experiment *e, const parachute_case *c, experiment_table *table);

#endif
