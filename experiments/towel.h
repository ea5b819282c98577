// SPDX-License-Identifier: MIT
// towel.h: the cotton towel of the cloth experiments, the drag models it is simulated with, and its
// recorded motion.
//
// A half derivative is an integral over past velocities. Its "memory" is the part of the past that
// it covers: the last u substeps as in [OKRC10] (a window; "u = 3" for three substeps), the whole
// past (full), or the whole past weighted by e^(-t/fading_time) (fading).
//
// [OKRC10] publishes none of its parameters, so this set is our own: a towel of 0.4 m x 0.6 m, 2 mm
// thick, wet density 1080 kg/m^3 (it sinks slowly, as theirs), stretch 150 N/m, shear 30 N/m,
// bending rigidity 2e-5 N m, springs' damping 0.028 N s/m, or 0.2 N s^(1/2)/m where the damping
// force is a half derivative of the elongation. The dashpot coefficient is slightly below the
// largest that acts fully on both meshes at their steps (fm_report.damping_share is 1 up to 0.061 N
// s/m at 31 x 21 and up to 0.0297 at 61 x 41). A run in which only part of the damping acts is a
// failure.
//
// The paper's drag coefficients are per particle, ours are per area of cloth; one particle of the
// 31 x 21 mesh represents 4e-4 m^2, one of the 61 x 41 mesh 1e-4 m^2, so a coefficient per particle
// is 4e-4 m^2 or 1e-4 m^2 times the coefficient per area. The coefficient per area is the same for
// both meshes.
#ifndef FATHOM_TOWEL_H
#define FATHOM_TOWEL_H

#include "bumps.h"
#include "fixtures.h"

// A towel whose top edge is moved along a sine.
typedef struct towel_run {
    fm_cloth_def cloth;
    int columns, rows; // particles
    fm_vec3 axis;      // direction of the top edge's motion
    double amplitude;  // m, of the top edge's motion
    double period;     // s, of the top edge's motion
    double duration;   // s, of the simulation
    double stop;       // s, time at which the top edge stops; 0: never
    double spacing;    // m, of a grid of simulated water around it; 0: only the drag of its cloth
    double water_step; // s, longest substep of that water; 0: as long as is stable
    bool floats;       // gravity points up: the mirror image of a towel held by its lower edge
    double slice;      // m, width of a slice of towel and tank between slip walls; 0: all of it
    bool crossings;    // look for them ten times a second, see towel_record.crossed
} towel_run;

// The recorded motion of one run.
typedef struct towel_record {
    deflection line; // z of the centre line, normal to the cloth at rest
    fm_vec3 *x;      // m, positions of the centre line, [frame][point]
    double *force;   // N, of simulated water on the towel along z, mean over the frame, [frame]
    double *mean_z;  // m, of all particles, [frame]
    double *pull;    // N, of the stretched columns on the hand along z, [frame]
    double *energy;  // J, kinetic energy of the towel, [frame]
    double cpu;      // s, time of the processor that the run took
    double substep;  // s, length of the last substep
    double stretch;  // largest relative elongation of a spring in all frames
    double crossed;  // share of the looked at frames in which the cloth passes through itself
    bool diverged;   // the simulation diverged; later frames are missing
} towel_record;

static const double TOWEL_HEIGHT = 0.6;       // m
static const double TOWEL_FRAME = 1 / 60.0;   // s, between two recorded instants
static const double TOWEL_DAMPING = 0.028;    // N s/m, of the dashpots in the springs
static const double TOWEL_HALF_DAMPING = 0.2; // N s^(1/2)/m, of half derivatives in their place

// The parameters at the top of this file with the given drag model, and dashpots in the springs.
fm_cloth_def towel_cloth_def(fm_drag_model model);
// The top edge moves normal to the cloth for 8 s, amplitude 0.05 m, period 0.8 s.
towel_run towel_default_swing(const fm_cloth_def *cloth, int columns, int rows);

// Replaces the springs' dashpots by half derivatives (coefficient `damping`, N s^(1/2)/m) and adds
// drag proportional to the half derivative of the position (coefficient `history`, N s^(1/2)/m per
// m^2). memory: the part of the past that both cover.
void towel_set_half_derivatives(fm_cloth_def *cloth, fm_recall memory, double damping,
                                double history);
// The parameter sets with the best scores in the sweeps of cloth-swing.c.
typedef enum towel_model {
    TOWEL_BOTH,       // viscous and normal drag, without memory
    TOWEL_VISCOUS,    // viscous drag, without memory
    TOWEL_NORMAL,     // drag along the normal only, without memory
    TOWEL_PAPER,      // half derivatives over 3 substeps, other parameters as TOWEL_VISCOUS
    TOWEL_3_STEPS,    // half derivatives over 3 substeps
    TOWEL_DASHPOTS,   // TOWEL_3_STEPS with each half derivative replaced by an equivalent dashpot
    TOWEL_FADING,     // half derivatives with fading memory, fading time 0.3 s
    TOWEL_WHOLE_PAST, // half derivatives over the whole past
    TOWEL_PHYSICAL,   // physical drag, tuned, with one layer of added mass for all waves
    TOWEL_DEFAULT,    // physical drag as the library has it, with added mass by wavelength
    TOWEL_MODELS      // number of models
} towel_model;
fm_cloth_def towel_tuned_cloth_def(towel_model model);
const char *towel_model_name(towel_model model);

// The model of [OKRC10] with fixed parameters, for experiments without a sweep: viscous drag 2 N
// s/m and half-derivative drag 20 N s^(1/2)/m per m^2, half-derivative damping of the springs 0.2 N
// s^(1/2)/m. memory: the part of the past that the half derivatives cover.
fm_cloth_def towel_fractional_cloth_def(fm_recall memory);
// The part of the past that a half derivative covers: the last `steps` substeps, with the
// quadrature rule of [OKRC10] eq. (6); the whole past; the whole past, weighted by
// e^(-t/fading_time).
fm_recall towel_window_memory(int steps);
fm_recall towel_full_memory(void);
fm_recall towel_fading_memory(double fading_time);

// Largest distance (m) between corresponding points of the centre lines of two runs, over the times
// `begin` to `end` (s).
double towel_largest_distance(const towel_record *a, const towel_record *b, double begin,
                              double end);

// Measures the bumps on the centre line (bumps.h) from the time `from` (s) on, with a threshold of
// a tenth of the amplitude. All measures are 0 if the run diverged.
bump_stats towel_measure_bumps(experiment *e, const towel_run *run, const towel_record *record,
                               double from);

// Decay time, s: how long after `from` (s) the RMS of dz/dt of the centre line, over a tenth of a
// second, falls below `share` of its value in the half second before `from` and stays there.
// INFINITY if it never does.
double towel_decay_time(const towel_record *record, double from, double share);

// The largest distance (m) that a bump born after the time `from` (s) travels downwards. threshold:
// smallest height of a bump, m.
double towel_longest_bump_travel(experiment *e, const towel_record *record, double from,
                                 double threshold);

// Writes the deflection z(s,t) of the centre line to a table, from the time `begin` (s) on, every
// other frame, with times relative to `begin`.
void towel_write_deflection(experiment *e, const towel_record *record, const char *file,
                            double begin);

// Fails the experiment if only part of the springs' damping acted.
void towel_check_damping(experiment *e, const fm_report *report);

// A record with room for some frames.
towel_record towel_create_record(experiment *e, const towel_run *run, int frames);
// Simulates a run. Divergence is recorded and does not fail the experiment.
towel_record towel_simulate(experiment *e, const towel_run *run);

#endif
