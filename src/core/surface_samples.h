// SPDX-License-Identifier: MIT
// surface_samples.h: quadrature points on the surface of a body, at which the body and a fluid
// exchange momentum.
//
// Each sample stands for a small patch of the surface. For every coupling interval the body writes
// where its samples move and which impulses it passes on to the fluid. The fluid writes its
// velocity at the samples, how much fluid is near, and which impulses it gave to the body. Body and
// fluid do not know each other: world/coupling.c copies these arrays between them.
#ifndef FATHOM_CORE_SURFACE_SAMPLES_H
#define FATHOM_CORE_SURFACE_SAMPLES_H

#include "core/core.h"

// Arrays have one element per sample.
typedef struct fm_samples {
    int count;
    double thickness; // m, of the surface
    double free_mass; // kg/m^2, of a surface without pins; 0: it has pins, or is not an open cloth
    bool passive;     // true: the samples exert no force on the fluid
    // true: the fluid solves its exchange with the body implicitly, with `inverse_mass`. Then
    // impulse_to_body changes the velocity of the body at once, and `load` acts in the next
    // interval
    bool implicit;
    // true, with `implicit`: `load` is a steady force in the interval, and what follows from it
    // acts on mass and added mass (particles/sheet_pressure.c); else half of it acts at either end
    bool steady_load;
    // true: the body computes its drag from `velocity`, and gives the opposite impulse to the fluid
    bool by_drag;
    bool followed; // the box of the fluid follows the body
    // Pa s/m and Pa s^2/m^2, permeability of the surface: fluid that passes with the speed u loses
    // the pressure resistance u + quadratic u^2. INFINITY: nothing passes
    double resistance, quadratic;

    // written by the body
    double start, end;                      // s, the coupling interval
    fm_vec3 *start_position, *end_position; // m, at the start and at the end of the interval
    fm_vec3 *start_normal, *normal; // unit normals at the start and at the end of the interval
    double *area;                   // m^2, area of the patch at the end of the interval
    double *reach;                  // m, radius of a disc around the sample that covers its patch
    fm_vec3 *along, *across;        // 1/m, gradients of two barycentric coordinates of the patch:
                                    // the patch is the set of points with r.along > -1/3,
                                    // r.across > -1/3 and r.along + r.across < 1/3, where r is the
                                    // vector from the sample to the point (sample_patches.c)
    fm_vec3 *start_corner, *end_corner; // [3 count] m, corners of the patches of a surface at the
                                        // start and at the end of the interval
    // of the edges of the patch, which of them are edges of the surface: bit k is that of the edge
    // opposite of corner k
    unsigned char *border;
    fm_vec3 *start_velocity;   // m/s, of the surface at the start of the interval, if implicit
    fm_vec3 *body_velocity;    // m/s, of the surface at the end of the interval
    double *inverse_mass;      // 1/kg, response of the patch to an impulse; 0: held
    fm_vec3 *impulse_to_fluid; // N s, impulse that the body passes on to the fluid; the fluid
                               // sets it to zero when it has received it

    // written by the fluid
    fm_vec3 *impulse_to_body; // N s, given to the body; the body sets it to zero when it has
                              // received it
    fm_vec3 *load;            // N, force on the patch in the next interval, if implicit
    double *displaced;        // kg, mass of the fluid whose buoyancy `load` contains
    // N s, tangential part of the pressure impulse of the last substep; with steady_load, momentum
    // that the clinging mass lost
    fm_vec3 *tangential_impulse;
    fm_vec3 *velocity;     // m/s, of the fluid at the sample
    double *wet;           // 0 to 1, share of the space beside the sample that holds fluid;
                           // fluid on one side of the surface is enough for 1
    double *added_mass;    // kg, half the mass of the fluid particles next to the patch; 0
                           // when passive. With by_drag, mass of the fluid around the sample
                           // that its drag slows down
    double *borrowed_mass; // kg, the added mass of the interval that ended
    double *excess_mass;   // kg, mass of fluid in the volume by which the boundary particle at the
                           // sample exceeds area x thickness; its weight acts on the patch
    double *clinging_mass; // kg, mass of fluid in that volume that adds to the inertia of the patch
} fm_samples;

// Allocates the arrays for `count` samples in the arena.
bool fm_samples_create(fm_samples *samples, fm_arena *arena, int count, const char *object,
                       fm_error *err);
// Writes the state that one coupling interval leaves for the next into buffer and returns its size
// in bytes. With a NULL buffer, returns the size only.
size_t fm_samples_save(const fm_samples *samples, void *buffer);
// Reads what fm_samples_save wrote; false if size or values are wrong.
bool fm_samples_restore(fm_samples *samples, const void *buffer, size_t size);

// Position of sample i at time t (s), interpolated linearly over the coupling interval.
static inline fm_vec3 fm_sample_position(const fm_samples *s, int i, double t)
{
    double part = s->end > s->start ? (t - s->start) / (s->end - s->start) : 1;
    fm_vec3 a = s->start_position[i], b = s->end_position[i];
    return (fm_vec3){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z)};
}

// The corners of the patch of sample i at time t (s), m.
static inline void fm_sample_corners(const fm_samples *s, int i, double t, fm_vec3 corner[3])
{
    double part = s->end > s->start ? (t - s->start) / (s->end - s->start) : 1;
    for (int k = 0; k < 3; k++) {
        fm_vec3 a = s->start_corner[3 * i + k], b = s->end_corner[3 * i + k];
        corner[k] =
            (fm_vec3){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z)};
    }
}

// Mean velocity (m/s) of sample i over the coupling interval.
static inline fm_vec3 fm_sample_velocity(const fm_samples *s, int i)
{
    double rate = s->end > s->start ? 1 / (s->end - s->start) : 0;
    fm_vec3 a = s->start_position[i], b = s->end_position[i];
    return (fm_vec3){rate * (b.x - a.x), rate * (b.y - a.y), rate * (b.z - a.z)};
}

#endif
