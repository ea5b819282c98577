// SPDX-License-Identifier: MIT
// draw_modes.c: the drawing mode of each kind of object. Kinds without a row use FM_DRAW_MODE_MESH.
#include "render/film.h"

#include <fathom/grid.h>
#include <fathom/particles.h>

const fm_draw_mode_row fm_draw_mode_rows[] = {
    {"cloth", FM_DRAW_MODE_CLOTH, fm_cloth_fields},
    {"particles", FM_DRAW_MODE_FLUID, fm_particles_fields},
    {"liquid", FM_DRAW_MODE_FLUID, NULL},
    {"grid", FM_DRAW_MODE_GRID, fm_grid_fields},
    {"marks", FM_DRAW_MODE_MARKS, NULL},
    {"ball", FM_DRAW_MODE_MESH, NULL},
    {NULL, FM_DRAW_MODE_MESH, NULL},
};
