// SPDX-License-Identifier: MIT
// collide.h: shapes in motion, distances to them, and the response of a particle.
#ifndef FATHOM_COLLIDE_COLLIDE_H
#define FATHOM_COLLIDE_COLLIDE_H

#include "core/core.h"
#include "motion/motion.h"

#include <fathom/collide.h>

struct fm_collider {
    const char *name; // "" when it has none
    fm_shape shape;   // normal and rotation made units
    const fm_motion *motion;
    double friction;
    double mass; // kg; 0: not free
    // state of a free one
    fm_vec3 centre, velocity, spin; // m, m/s, rad/s
    fm_quat turned;                 // since the beginning
    // what it was given since it last moved
    fm_vec3 impulse, turn; // N s, N m s about its centre
};

// What a query finds: signed distance (negative inside), closest point of the surface, outward unit
// normal there, velocity of the surface there.
typedef struct fm_contact {
    double distance;
    fm_vec3 point, normal, velocity;
} fm_contact;

// The collider as it stands at one time: made once per step, asked for many particles.
typedef struct fm_placed_collider {
    fm_vec3 low, high; // box around it in the world; a plane's is infinite but for the side above
                       // it when it faces along an axis
    double reach;      // largest coordinate in it, m: what rounding is relative to
    double friction;
    fm_shape shape; // in the world
    fm_pose pose;
    const fm_collider *collider;
} fm_placed_collider;

// NULL with err filled on bad values. The motion must live as long as the collider.
fm_collider *fm_collider_new(fm_arena *arena, const fm_collider_def *def, fm_error *err);
fm_placed_collider fm_collider_place(const fm_collider *collider, double t);
fm_contact fm_collider_contact(const fm_placed_collider *placed, fm_vec3 point);

// Moves a particle that is nearer than `margin` out to that distance from every collider (or
// further by a few roundings, never nearer), and takes from its velocity what goes into the surface
// and, by Coulomb friction, up to friction x that of what slides along it. Velocities are relative
// to the surface; what leaves it is left alone. Where colliders overlap, or close in on the
// particle, so that several passes do not free it, it is left outside the last one that pushed it
// and false is returned. touched (may be NULL) tells whether anything happened.
bool fm_collide_particle(const fm_placed_collider *placed, int collider_count, double margin,
                         fm_vec3 *position, fm_vec3 *velocity, bool *touched);

// free.c: colliders with a mass.
void fm_collider_push(fm_collider *collider, fm_vec3 at, fm_vec3 impulse);
// Takes in what it was given, falls, moves for h, and stays away from the others and from planes.
void fm_collider_move(fm_collider *collider, fm_vec3 gravity, double h,
                      const fm_placed_collider *solids, int solid_count);
enum { FM_FREE_STATE = 13 }; // numbers
void fm_collider_save(const fm_collider *collider, double state[FM_FREE_STATE]);
void fm_collider_restore(fm_collider *collider, const double state[FM_FREE_STATE]);
fm_pose fm_collider_pose(const fm_collider *collider, double t);

// What bodies and fluids are in: the same for all of a world.
typedef struct fm_surroundings {
    fm_vec3 gravity;
    fm_medium medium;
    fm_collider *const *colliders;
    int collider_count;
    fm_placed_collider *placed; // room for collider_count, filled anew for every substep
    fm_pool *pool;
} fm_surroundings;

// shapes.c. All shapes are convex, and their signed distance with them: the response relies on it.
bool fm_shape_check(fm_shape *shape, const char *object, fm_error *err); // makes units as well
fm_shape fm_shape_carry(const fm_shape *shape, const fm_pose *pose);
void fm_shape_bound(const fm_shape *shape, fm_vec3 *low, fm_vec3 *high);
fm_contact fm_shape_contact(const fm_shape *shape, fm_vec3 point); // its velocity is left zero

#endif
