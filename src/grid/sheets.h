// SPDX-License-Identifier: MIT
// sheets.h: the faces of a grid fluid that thin sheets cross, for sheets.c and sheet_rims.c.
#ifndef FATHOM_GRID_SHEETS_H
#define FATHOM_GRID_SHEETS_H

#include "grid/grid.h"

// A crossing of a sheet with the dual edge of a face.
typedef struct crossing {
    ptrdiff_t q;      // index of the face
    int axis, sheet;  // of the face; number of the sheet
    int sample;       // whose patch is crossed
    int next;         // next crossing of this face; -1: none
    double at;        // position along the axis, spacings
    double weight;    // m^2, area of its samples across the axis
    fm_vec3 velocity; // m/s, v*
    fm_vec3 before;   // m/s, of the sheet at the start of the interval
    double rim;       // spacings, to the nearest edge of the sheet across the axis; INFINITY: far
    double response;  // 1/kg, w
    double given;     // N s, P, without buoyancy
    double load;      // N, F, the load of its samples in this interval, without buoyancy
    double layer;     // mass of the layer of its samples times w
    double k, g;      // kg; N s
    double impulse;   // N s, J
} crossing;

// A face that sheets cross.
typedef struct crossed_face {
    ptrdiff_t q, cell; // index of the face in the grid, and in the pressure solver
    int axis;
    int first;         // crossing
    float conductance; // without sheets
    bool low, high;    // the cells on its two sides hold fluid
    double mass;       // kg, m
    double ratio;      // c
    double start;      // m/s, u*
} crossed_face;

// A body in the fluid.
typedef struct sheet {
    fm_samples *samples;
    int *link; // [3 count] crossing of the sample along each axis; -1: none
    ptrdiff_t
        *face;      // [3 count] face that gets the impulses of the sample along each axis; -1: none
    fm_vec3 *given; // [count] N s, impulses on the sample in this interval before the fluid's step
} sheet;

struct fm_sheets {
    sheet sheets[FM_GRID_BODIES_MAX];
    int count;
    crossing *crossings;
    crossed_face *faces;
    int crossing_count, face_count, room;
    int *first[3]; // [faces] first crossing of a face; -1: none
};

static inline double fm_sheet_component(fm_vec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// The crossing of a sheet that is next to a place, in spacings, along axis a; number -1: of any
// sheet. -1: there is none.
int fm_grid_find_crossing(const fm_grid *g, int a, const double place[3], int number);

// sheet_rims.c: sets the distances of all crossings to the edges of their sheets.
void fm_grid_find_rims(fm_grid *g);
// Computes k and g of a crossing in a substep of dt seconds; `old`: velocities before it, m/s.
// False: the sheet covers the whole face, or is permeable.
bool fm_sheet_linearise_rim(const fm_grid *g, crossing *c, double *const old[3], double dt);

#endif
