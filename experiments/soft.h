// SPDX-License-Identifier: MIT
// soft.h: what the experiments on soft bodies and wrinkles share.
#ifndef FATHOM_EXPERIMENT_SOFT_H
#define FATHOM_EXPERIMENT_SOFT_H

#include "experiment.h"

#include <fathom/fathom.h>

// A world in a vacuum with this gravity along y, m/s^2; one thread.
fm_world *soft_create_world(experiment *e, double gravity);

// A skin of 0.45 kg/m^2 with this surface modulus, N/m, and bending rigidity, N m, flat at rest.
fm_cloth_def soft_skin(double modulus, double bending);

// The slab (closed, `level` divisions) or, for level 0, an open sheet with edges of this length, m:
// 0.3 x 0.6 m.
fm_mesh_shape soft_slab_or_sheet(int level, double edge);

// Creates a body above the bar of a hanger.
fm_cloth *soft_create(experiment *e, fm_world *world, const fm_cloth_def *def,
                      const fm_soft_def *soft, const fm_mesh_shape *shape);

// Advances by `seconds` in frames of 1/60 s; stops after a failure.
void soft_advance(experiment *e, fm_world *world, double seconds);

// A pseudorandom number in [-1, 1) that depends only on i.
double soft_scatter(unsigned i);

#endif
