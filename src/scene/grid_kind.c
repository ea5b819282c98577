// SPDX-License-Identifier: MIT
// grid_kind.c: the kind fluids.NAME.grid: checks the keys of a grid fluid and builds it.
#include "scene/grid_kind.h"

#include "grid/grid.h"

// Copies the decoded numbers of cells along x, y and z into the definition.
static void copy_cells(const fm_scene_grid *grid, fm_grid_def *def)
{
    const int *cells = grid->cells.data;
    for (int a = 0; a < 3 && grid->cells.count == 3; a++)
        def->cells[a] = cells[a];
}

// The definition of a grid fluid: its keys with name, cells and patches.
fm_grid_def fm_scene_find_grid_def(const fm_scene_grid *grid, const char *name)
{
    fm_grid_def def = grid->def;
    const fm_scene_grid_patch *patches = grid->patches.data;
    def.name = name;
    copy_cells(grid, &def);
    for (int i = 0; i < grid->patches.count && i < FM_GRID_PATCHES_MAX; i++)
        def.patches[def.patch_count++] = patches[i].patch;
    return def;
}

// Creates a grid fluid with its initial velocity field.
static void build_grid(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    const fm_scene_grid *grid = object->def;
    fm_grid_def def = fm_scene_find_grid_def(grid, object->item.name);
    fm_grid *fluid = fm_grid_create(b->world, &def, err);
    if (fluid && grid->start.kind != FM_GRID_START_REST)
        fm_grid_set_start(fluid, &grid->start, err);
    if (fluid && grid->dye_start.kind != FM_GRID_DYE_NONE)
        fm_grid_start_dye(fluid, &grid->dye_start, err);
    fm_scene_locate_error(err, object->item.node);
}

// Checks that the side opposite to a periodic one is periodic too, and that the sides of an axis
// with one cell are slip or periodic.
static void check_sides(fm_decoder *d, const fm_node *node, const fm_grid_def *def)
{
    static const char *const names[FM_SIDE_COUNT] = {"left", "right", "bottom",
                                                     "top",  "back",  "front"};
    for (int side = 0; side < FM_SIDE_COUNT; side++) {
        // sides 0 and 1, 2 and 3, 4 and 5 are opposite to each other
        fm_grid_side_kind kind = def->sides[side].kind, other = def->sides[side ^ 1].kind;
        fm_place place = fm_node_find_place(node, "sides", names[side], NULL);
        if (kind == FM_GRID_PERIODIC && other != FM_GRID_PERIODIC)
            fm_loader_add_mistake(d->loader, place,
                                  "%s.sides.%s is periodic, and %s is not; allowed are both",
                                  d->path, names[side], names[side ^ 1]);
        if (def->cells[side / 2] == 1 && kind != FM_GRID_PERIODIC && kind != FM_GRID_SLIP)
            fm_loader_add_mistake(d->loader, place,
                                  "%s.sides.%s must be slip or periodic, because there is one cell "
                                  "along this axis",
                                  d->path, names[side]);
    }
}

// Checks the number of cells and the sides of a grid fluid. object: an fm_scene_grid.
void fm_scene_check_grid_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_grid *grid = object;
    fm_grid_def def = grid->def;
    double count = 1;
    fm_place place = fm_node_find_place(node, "cells", NULL, NULL);
    if (grid->cells.count != 3) {
        fm_loader_add_mistake(d->loader, place, "%s.cells has %d numbers, allowed are 3", d->path,
                              grid->cells.count);
        return;
    }
    copy_cells(grid, &def);
    for (int a = 0; a < 3; a++)
        count *= def.cells[a];
    if (def.cells[0] < 2 || def.cells[1] < 2 || def.cells[2] < 1 || count > 1 << 28)
        fm_loader_add_mistake(d->loader, place,
                              "%s.cells is [%d, %d, %d], allowed are 2 or more along x and y, 1 or "
                              "more along z, and at most 2^28 in all",
                              d->path, def.cells[0], def.cells[1], def.cells[2]);
    check_sides(d, node, &def);
}

// True if the fluid measures its force on colliders.
static bool has_loads(const void *def)
{
    return ((const fm_scene_grid *)def)->def.loads;
}

const fm_scene_kind fm_scene_grid_kind = {
    .type = &fm_grid_type,
    .section = "fluids",
    .key = "grid",
    .build = build_grid,
    .has_loads = has_loads,
};
