// SPDX-License-Identifier: MIT
// soft_kind.h: the decoded keys of a soft body in a scene.
#ifndef FATHOM_SCENE_SOFT_KIND_H
#define FATHOM_SCENE_SOFT_KIND_H

#include "scene/fabric_kind.h"

#include <fathom/soft.h>

// Value of shape_key for a mesh from a file.
enum { FM_SCENE_SOFT_OBJ = 200 };

// Decoded keys of bodies.NAME.soft. What it shares with a fabric is first, so that the tables of
// cloth and fabric apply.
typedef struct fm_scene_soft {
    fm_scene_fabric base; // cloth, shape and place
    fm_vec3 cells;        // of a slab; whole numbers
    fm_soft_def soft;
} fm_scene_soft;

extern const fm_table fm_soft_table;           // in soft_table.c
extern const fm_scene_kind fm_scene_soft_kind; // in soft_kind.c

#endif
