// SPDX-License-Identifier: MIT
// fabric.h: shared parts of the fabric experiments: worlds, runs, spectra.
#ifndef FATHOM_EXPERIMENT_FABRIC_H
#define FATHOM_EXPERIMENT_FABRIC_H

#include "experiment.h"

#include <fathom/fathom.h>

#define FABRIC_PI 3.14159265358979323846

// A world in vacuum; gravity along -y, m/s^2.
fm_world *fabric_create_world(experiment *e, double gravity);

// A fabric of a shape with the published springs: constant k, N/m, and mass m of each point, kg.
fm_fabric_def fabric_def(double k, double m);
fm_mesh_shape fabric_shape(fm_mesh_shape_kind kind, double edge);
fm_cloth *fabric_create(experiment *e, fm_world *world, const fm_cloth_def *def,
                        const fm_fabric_def *fabric, const fm_mesh_shape *shape, double prestretch);
double fabric_energy(fm_world *world);                    // J, kinetic and potential
double fabric_area_ratio(experiment *e, fm_cloth *cloth); // present area over area at rest

// Power at the frequencies i / (count dt), i < count / 2, of a record with its mean removed and a
// Blackman window. count: a power of 2.
void fabric_find_spectrum(experiment *e, const double *record, int count, double *power);
// The frequency, Hz, below which the share `share` of the power lies.
double fabric_find_cutoff(const double *power, int count, double dt, double share);

#endif
