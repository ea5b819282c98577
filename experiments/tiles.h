// SPDX-License-Identifier: MIT
// tiles.h: pictures of several cloths side by side, coloured by a value per particle.
#ifndef FATHOM_TILES_H
#define FATHOM_TILES_H

#include "experiment.h"

#include <fathom/fathom.h>

// One cloth of a picture.
typedef struct tile {
    fm_cloth *cloth;
    const double *values; // one per particle; 0 to `high` is drawn from dark blue to yellow
    const char *label;
} tile;

// Draws the current state of the cloths into a picture `file` in the experiment's directory, with
// `columns` cloths per row, seen from a direction in degrees (draw.h). high: the value drawn in
// yellow. Does nothing if the experiment is built without the render library.
void tiles_draw(experiment *e, const char *file, const tile *tiles, int count, int columns,
                double high, double azimuth, double elevation);

#endif
