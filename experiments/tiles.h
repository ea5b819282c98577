// SPDX-License-Identifier: MIT
// tiles.h: cloths in colours, several to a picture.
#ifndef FATHOM_TILES_H
#define FATHOM_TILES_H

#include "experiment.h"

#include <fathom/fathom.h>

typedef struct tile {
    fm_cloth *cloth;
    const double *values; // per particle; [0, high] is drawn from dark blue to yellow
    const char *label;
} tile;

// Draws the cloths as they are into FILE of the experiment's directory, `columns` to a row, seen
// from a direction given in degrees (draw.h). Without the render library there is no picture, and
// the experiment goes on.
void tiles_draw(experiment *e, const char *file, const tile *tiles, int count, int columns,
                double high, double azimuth, double elevation);

#endif
