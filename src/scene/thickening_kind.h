// SPDX-License-Identifier: MIT
// thickening_kind.h: the kind fluids.NAME.thickening.
#ifndef FATHOM_SCENE_THICKENING_KIND_H
#define FATHOM_SCENE_THICKENING_KIND_H

#include "scene/scene.h"

extern const fm_table fm_thickening_table; // both in thickening_kind.c
extern const fm_scene_kind fm_scene_thickening_kind;

#endif
