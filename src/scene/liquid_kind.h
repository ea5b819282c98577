// SPDX-License-Identifier: MIT
// liquid_kind.h: the kind fluids.NAME.liquid.
#ifndef FATHOM_SCENE_LIQUID_KIND_H
#define FATHOM_SCENE_LIQUID_KIND_H

#include "scene/scene.h"

extern const fm_table fm_liquid_table; // both in liquid_kind.c
extern const fm_scene_kind fm_scene_liquid_kind;

#endif
