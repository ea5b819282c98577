// SPDX-License-Identifier: MIT
// ball.h: balls with a mass as objects of a world.
#ifndef FATHOM_RIGID_BALL_H
#define FATHOM_RIGID_BALL_H

#include "collide/collide.h"
#include "object/object.h"

extern const fm_object_type fm_ball_type; // the functions of balls

// Creates the object of a collider that is a ball with a mass. Returns NULL and fills err if memory
// runs out.
fm_object *fm_ball_create(fm_collider *collider, fm_error *err);

#endif
