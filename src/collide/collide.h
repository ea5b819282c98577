// SPDX-License-Identifier: MIT
// collide.h: shapes in motion, distances to them, and the response of a particle.
#ifndef FATHOM_COLLIDE_COLLIDE_H
#define FATHOM_COLLIDE_COLLIDE_H

#include "core/core.h"
#include "motion/motion.h"

#include <fathom/collide.h>

// What a query finds: signed distance (negative inside), closest point of the surface, outward unit normal there, velocity of
// the surface there.
typedef struct fm_contact {
    double distance;
    fm_vec3 point, normal, velocity;
} fm_contact;

// The collider as it stands at one time: made once per step, asked for many particles.
typedef struct fm_placed_collider {
    const struct fm_collider *collider;
    fm_pose pose;
    fm_vec3 low, high; // box around it in the world, infinite for planes
    double friction;
} fm_placed_collider;

fm_collider *fm_collider_new(fm_arena *arena, const fm_collider_def *def, fm_error *err);
fm_placed_collider fm_collider_place(const fm_collider *collider, double t);
fm_contact fm_collider_contact(const fm_placed_collider *placed, fm_vec3 point);

// Moves a particle that is nearer than `margin` out to that distance from every collider, and takes from its velocity
// what goes into the surface and, by Coulomb friction, up to friction x that of what slides along it. Where colliders overlap
// so that several passes do not free the particle, it is left outside the last one and false is returned.
// touched (may be NULL) tells whether anything happened.
bool fm_collide_particle(const fm_placed_collider *placed, int collider_count, double margin,
                         fm_vec3 *position, fm_vec3 *velocity, bool *touched);

#endif
