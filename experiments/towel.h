// SPDX-License-Identifier: MIT
// towel.h: the cotton towel that the cloth experiments share, its models, and its recording.
//
// [OKRC10] gives no number for any of its parameters, so the set here is ours: a towel of
// 0.4 m x 0.6 m, 2 mm thick, wet density 1080 kg/m^3 (it sinks slowly, as theirs), stretch 150 N/m,
// shear 30 N/m, bending rigidity 2e-5 N m, springs' damping 0.2 N s/m.
//
// The paper's drag coefficients are per particle, ours are per area of cloth; one particle of the
// 31 x 21 mesh stands for 4e-4 m^2, so k per particle = 4e-4 m^2 x k per area, and 1e-4 m^2 at
// 61 x 41: what stays the same between the two meshes is the number per area.
#ifndef FATHOM_TOWEL_H
#define FATHOM_TOWEL_H

#include "bumps.h"

#include <fathom/fathom.h>

typedef enum towel_axis { TOWEL_X, TOWEL_Z } towel_axis;

typedef struct towel_run {
    fm_cloth_def cloth;
    int columns, rows;
    towel_axis axis;  // of the motion and of what is recorded
    double amplitude; // m, of the top edge
    double period;    // s
    double duration;  // s
    double stop;      // s, when the top edge comes to rest; 0: never
} towel_run;

typedef struct towel_record {
    deflection line; // centre line, along the axis
    fm_vec3 *tip;    // m, middle of the lower edge, by frame
    double substep;  // s
    double stretch;  // largest l/l0 - 1 of all frames
    bool diverged;   // the numbers did; frames after that are missing
} towel_record;

static const double TOWEL_FRAME = 1 / 60.0; // s

fm_cloth_def towel_cloth(fm_drag_model model); // the base set, springs with a dashpot
towel_run towel_swing(const fm_cloth_def *cloth, int columns, int rows); // 8 s of it

// Makes the springs' damping and the drag's history fractional: order 1/2 with that memory.
void towel_remember(fm_cloth_def *cloth, fm_recall memory, double damping, double history);
fm_recall towel_steps(int steps);     // the paper's rule, the last `steps` substeps
fm_recall towel_full(void);           // the whole past
fm_recall towel_fading(double fading); // the past times e^(-t/fading)

// Runs it. A divergence is recorded, not a failure.
towel_record towel_simulate(experiment *e, const towel_run *run);

#endif
