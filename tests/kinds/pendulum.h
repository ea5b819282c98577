// SPDX-License-Identifier: MIT
// pendulum.h: the scene table and the scene kind of pendulum.c, for kinds.c.
#ifndef FATHOM_TESTS_PENDULUM_H
#define FATHOM_TESTS_PENDULUM_H

#include "scene/scene.h"

extern const fm_table pendulum_table;
extern const fm_scene_kind pendulum_kind;

#endif
