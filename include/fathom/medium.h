// SPDX-License-Identifier: MIT
// medium.h: the medium in which bodies are immersed, and its prescribed flow.
#ifndef FATHOM_MEDIUM_H
#define FATHOM_MEDIUM_H

#include <fathom/vec.h>

// Kinds of prescribed flow of the medium, with the fields of fm_flow that each uses. Cloth does not
// disturb the flow.
typedef enum fm_flow_kind {
    FM_FLOW_STILL,       // at rest
    FM_FLOW_UNIFORM,     // `velocity` everywhere
    FM_FLOW_OSCILLATING, // velocity + amplitude sin(2 pi t / period + phase)
    FM_FLOW_SHEAR,       // velocity + amplitude (axis . (x - centre)) / radius
    // velocity plus a vortex about `axis` through `centre`: rigid rotation within `radius`, with
    // the speed |amplitude| at the radius, falling as 1/r outside
    FM_FLOW_VORTEX,
    // steady rows of counter-rotating vortices of size `radius` in the plane across `axis`
    FM_FLOW_CELLS,
    FM_FLOW_PARABOLIC, // velocity + amplitude (distance from axis through centre / radius)^2
    FM_FLOW_FUNCTION,  // given by `function`
} fm_flow_kind;

// Velocity of the medium at a position and time, given by the caller.
typedef fm_vec3 fm_flow_function(void *context, fm_vec3 position, double time); // m/s

// Random eddies of many sizes, added to the flow: divergence-free, with von Karman's spectrum, the
// same for the same seed. The mean flow carries them along: its `velocity` and, in an oscillating
// flow, its oscillation.
typedef struct fm_turbulence {
    double intensity; // m/s, rms of each component of the velocity; 0: no turbulence
    double length;    // m, size of the strongest eddies; > 0 if there is turbulence
    int seed;         // of the random eddies, 0 to 1e9
} fm_turbulence;

// Prescribed flow of the medium. fm_flow_kind says which of the fields each kind of flow uses.
typedef struct fm_flow {
    fm_flow_kind kind;
    fm_vec3 velocity;  // m/s
    fm_vec3 amplitude; // m/s
    double period;     // s
    double phase;      // rad
    fm_vec3 axis;      // will be normalized
    fm_vec3 centre;    // m
    double radius;     // m
    fm_flow_function *function;
    void *context; // first argument of function
    fm_turbulence turbulence;
    const struct fm_eddies
        *eddies; // created by the world from `turbulence`; a given value is ignored
} fm_flow;

// The fluid that surrounds all bodies of a world, with prescribed flow.
typedef struct fm_medium {
    double density;   // kg/m^3; 0 is a vacuum, air 1.2, water 1000
    double viscosity; // Pa s (dynamic); water 1.0e-3
    fm_flow flow;
} fm_medium;

#endif
