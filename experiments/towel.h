// SPDX-License-Identifier: MIT
// towel.h: the cotton towel that the cloth experiments share, its models, and its recording.
//
// [OKRC10] gives no number for any of its parameters, so the set here is ours: a towel of
// 0.4 m x 0.6 m, 2 mm thick, wet density 1080 kg/m^3 (it sinks slowly, as theirs), stretch 150 N/m,
// shear 30 N/m, bending rigidity 2e-5 N m, springs' damping 0.028 N s/m, or 0.2 N s^(1/2)/m where
// it is a half derivative. The dashpots' number is a little below the largest that acts fully on
// both meshes at their steps (fm_report.damping_share is 1 up to 0.061 N s/m at 31 x 21 and up to
// 0.0297 at 61 x 41); runs in which less than all of the damping acts are failures.
//
// The paper's drag coefficients are per particle, ours are per area of cloth; one particle of the
// 31 x 21 mesh stands for 4e-4 m^2, so k per particle = 4e-4 m^2 x k per area, and 1e-4 m^2 at
// 61 x 41: what stays the same between the two meshes is the number per area.
#ifndef FATHOM_TOWEL_H
#define FATHOM_TOWEL_H

#include "bumps.h"

#include <fathom/fathom.h>

typedef struct towel_run {
    fm_cloth_def cloth;
    int columns, rows;
    fm_vec3 axis;     // of the top edge's motion
    double amplitude; // m
    double period;    // s
    double duration;  // s
    double stop;      // s, when the top edge comes to rest; 0: never
} towel_run;

typedef struct towel_record {
    deflection line; // centre line, across the cloth: z
    fm_vec3 *x;      // m, the centre line's points in space, [frame][point]
    double substep;  // s
    double stretch;  // largest l/l0 - 1 of all frames
    bool diverged;   // the numbers did; frames after that are missing
} towel_record;

static const double TOWEL_FRAME = 1 / 60.0;   // s
static const double TOWEL_DAMPING = 0.028;    // N s/m
static const double TOWEL_HALF_DAMPING = 0.2; // N s^(1/2)/m

fm_cloth_def towel_cloth(fm_drag_model model); // the base set, springs with a dashpot
towel_run towel_swing(const fm_cloth_def *cloth, int columns, int rows); // 8 s of it

// Makes the springs' damping and the drag's history fractional: order 1/2 with that memory.
void towel_remember(fm_cloth_def *cloth, fm_recall memory, double damping, double history);
// The cloths that scored best in cloth-swing's sweeps.
typedef enum towel_model {
    TOWEL_BOTH,
    TOWEL_VISCOUS,
    TOWEL_NORMAL,
    TOWEL_PAPER, // u = 3 with the viscous one's parameters
    TOWEL_U3,
    TOWEL_DASHPOTS, // without memory: what three steps of that one amount to
    TOWEL_FADING,   // 0.3 s
    TOWEL_FULL,
    TOWEL_PHYSICAL,
    TOWEL_MODELS
} towel_model;
fm_cloth_def towel_tuned(towel_model model);
const char *towel_model_name(towel_model model);

// The published model as the experiments without a sweep use it: viscous drag 2 N s/m and history
// 20 N s^(1/2)/m per m^2, springs' damping 0.2 N s^(1/2)/m, all of order 1/2 with that memory.
fm_cloth_def towel_fractional(fm_recall memory);
fm_recall towel_steps(int steps);      // the paper's rule, the last `steps` substeps
fm_recall towel_full(void);            // the whole past
fm_recall towel_fading(double fading); // the past times e^(-t/fading)

// Largest distance of any point of the centre line between two runs from `begin` to `end`, s; in m.
double towel_distance(const towel_record *a, const towel_record *b, double begin, double end);

// Bumps from `from` on, s, with a threshold of a tenth of the amplitude; none when it diverged.
bump_stats towel_bumps(experiment *e, const towel_run *run, const towel_record *record,
                       double from);

// Seconds after `from` until the line's RMS velocity across the cloth, over a tenth of a second,
// stays below a share of what it was in the half second before `from`. Infinite when it never does.
double towel_ring_time(const towel_record *record, double from, double share);

// The furthest that one bump born after `from` runs down, m.
double towel_travel(experiment *e, const towel_record *record, double from, double threshold);

// Writes the line's z(s,t) from `begin` on, time counted from there, every other frame.
void towel_write_map(experiment *e, const towel_record *record, const char *file, double begin);

// Fails the experiment when a part of the springs' damping did not act.
void towel_check_damping(experiment *e, const fm_report *report);

// Runs it. A divergence is recorded, not a failure.
towel_record towel_simulate(experiment *e, const towel_run *run);

#endif
