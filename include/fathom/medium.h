// SPDX-License-Identifier: MIT
// medium.h: what bodies are immersed in, and how it moves by itself.
#ifndef FATHOM_MEDIUM_H
#define FATHOM_MEDIUM_H

#include <fathom/vec.h>

// How the medium moves by itself. Cloth does not disturb it.
typedef enum fm_flow_kind {
    FM_FLOW_STILL,
    FM_FLOW_UNIFORM,     // velocity
    FM_FLOW_OSCILLATING, // velocity + amplitude sin(2 pi t / period + phase)
    FM_FLOW_SHEAR,       // velocity + amplitude (axis . (x - centre)) / radius
    FM_FLOW_VORTEX, // turns about axis through centre: solid within radius, 1/r outside; the speed
                    // at radius is |amplitude|; plus velocity
    FM_FLOW_CELLS,  // steady rows of counter-rotating vortices of size radius in the plane across
                    // axis
    FM_FLOW_FUNCTION, // what the function says
} fm_flow_kind;

typedef fm_vec3 fm_flow_function(void *context, fm_vec3 position, double time); // m/s

typedef struct fm_flow {
    fm_flow_kind kind;
    fm_vec3 velocity;  // m/s
    fm_vec3 amplitude; // m/s
    double period;     // s
    double phase;      // rad
    fm_vec3 axis;      // made a unit vector
    fm_vec3 centre;    // m
    double radius;     // m
    fm_flow_function *function;
    void *context;
} fm_flow;

typedef struct fm_medium {
    double density;   // kg/m^3; 0 is a vacuum, air 1.2, water 1000
    double viscosity; // Pa s (dynamic); water 1.0e-3
    fm_flow flow;
} fm_medium;

#endif
