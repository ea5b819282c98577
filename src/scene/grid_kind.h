// SPDX-License-Identifier: MIT
// grid_kind.h: the decoded keys of a grid fluid in a scene.
#ifndef FATHOM_SCENE_GRID_KIND_H
#define FATHOM_SCENE_GRID_KIND_H

#include "scene/scene.h"

#include <fathom/grid.h>

// Decoded keys of fluids.NAME.grid.
typedef struct fm_scene_grid {
    fm_grid_def def;             // without cells and patches
    fm_items cells;              // array of three int: cells along x, y, z
    fm_items patches;            // array of fm_scene_grid_patch
    fm_grid_start start;         // initial velocity field
    fm_grid_dye_start dye_start; // initial concentration of the dye
} fm_scene_grid;

// One element of `patches`: a rectangle of a side with a boundary condition of its own.
typedef struct fm_scene_grid_patch {
    fm_item item;
    fm_grid_patch patch;
} fm_scene_grid_patch;

// In grid_table.c. Offsets are those of an fm_scene_grid.
extern const fm_table fm_grid_table, fm_grid_sides_table, fm_grid_patch_table, fm_grid_start_table;
extern const fm_scene_kind fm_scene_grid_kind; // in grid_kind.c

// grid_kind.c: the definition of a grid fluid: its keys with name, cells and patches.
fm_grid_def fm_scene_find_grid_def(const fm_scene_grid *grid, const char *name);
// grid_kind.c: checks keys against each other, for the table.
void fm_scene_check_grid_keys(fm_decoder *decoder, const fm_node *node, const void *object);

#endif
