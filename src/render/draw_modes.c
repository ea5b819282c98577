// SPDX-License-Identifier: MIT
// draw_modes.c: the drawing mode of each kind of object. Kinds without a row use FM_DRAW_MODE_MESH.
#include "render/film.h"

const fm_draw_mode_row fm_draw_mode_rows[] = {
    {"cloth", FM_DRAW_MODE_CLOTH},
    {"particles", FM_DRAW_MODE_FLUID},
    {"ball", FM_DRAW_MODE_MESH},
    {NULL, FM_DRAW_MODE_MESH},
};
