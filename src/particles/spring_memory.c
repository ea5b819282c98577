// SPDX-License-Identifier: MIT
// spring_memory.c: the memory of a spring, and the conversion of measurable properties of a fluid
// (viscosity, relaxation time, onset of thickening) to springs.
//
// A spring remembers how fast its length changed. M is the fractional integral of that rate u,
//
//     M(t) = 1/Gamma(1-q) integral_0^t (t-s)^-q e^(-(t-s)/tau) u(s) ds,
//
// with the kernel approximated by a sum of exponentials. Each spring stores one number (mode) per
// exponential. memory/exponentials.c has the recurrence, which is exact for steps of any length.
// Memories of `steps` and `seconds` instead keep past velocities of particles (velocity_history.c).
//
// Conversion. In a steady shear of rate g a network of n springs per volume has the viscosity
// (derived by averaging over directions; d = 15 in 3D, 8 in 2D)
//
//     eta = tau_y / g + n <L^2> / (d alpha) (k_min + k_hist tau^(1-q) c g <L^3> / <L^2>)
//
// with c = 0.364 (3D), 0.424 (2D) for the rate of length and 0.625, 0.679 for the relative speed,
// as long as g tau < 0.2. Without history eta = n <L^2> k_min / (d alpha), which gives k_min. The
// onset is the rate g at which history doubles that: k_hist = k_min / M(g).
//
//   L  length, m    alpha  plastic rate, 1 / relaxation, 1/s    q  order    tau  fading time, s
#include "particles/spring_network.h"

#include <math.h>

// Springs are made below REACH spacings and removed above BREAK supports.
static const double REACH = 1.5, BREAK = 0.95;

// The kernel is accurate for steps down to this fraction of the acoustic limit on the step.
static const double SHORTEST_SHARE = 0.125;

// Springs per particle of fluid in steady shear, with lengths in spacings. Measured by
// exact/thick_shear with the default support; the rest lattice has 6 and 1.28, 15 and 1.26.
typedef struct flow_sums {
    double L2;    // springs per particle times <L^2>
    double ratio; // <L^3> / <L^2>
} flow_sums;

static const flow_sums FLOW_2D = {11.68, 1.884}, FLOW_3D = {19.08, 1.428};
// Springs per particle of the rest lattice, each counted half for both of its particles.
static const int SPRINGS_AT_REST_2D = 4, SPRINGS_AT_REST_3D = 9;
// The springs of a block of particles have room for this many times those at rest.
enum { ROOM = 3 };

// c in M = tau^(1-q) c g <L^3> / <L^2>: mean of the hardening rate over directions.
static double find_shear_factor(const fm_particles *p)
{
    bool length = p->def.network.rate == FM_HARDENING_LENGTH;
    if (p->def.dimensions == 2)
        return length ? 0.424 : 0.679;
    return length ? 0.364 : 0.625;
}

// Fits the kernel of the memory from the shortest expected step to the horizon.
static bool fit_kernel(fm_springs *springs, const fm_particles *p, fm_error *err)
{
    const fm_recall *m = &p->def.network.memory;
    double step = p->def.courant * p->R / (1.1 * p->c);
    if (p->def.time_step > 0)
        step = fmin(step, p->def.time_step);
    double shortest = SHORTEST_SHARE * step, longest = m->horizon;
    springs->fading_rate = 0;
    if (m->kind == FM_RECALL_FADING) {
        springs->fading_rate = 1 / m->fading;
        longest = m->fading * fmax(10, -1.5 * log(m->tolerance));
    }
    if (!fm_exponentials_build(&springs->kernel, p->def.network.order, shortest,
                               fmax(longest, 2 * shortest), m->tolerance))
        return fm_fail_number(err, p->object.name, "network.memory.tolerance", m->tolerance,
                              "what 160 exponentials reach for this order and memory");
    springs->mode_count = (springs->kernel.count + FM_SPRING_MODE_GROUP - 1) /
                          FM_SPRING_MODE_GROUP * FM_SPRING_MODE_GROUP;
    return true;
}

// Converts viscosity, relaxation and onset of the definition to springs.
bool fm_springs_convert_def(fm_springs *springs, const fm_particles *p, fm_error *err)
{
    const fm_spring_network *n = &p->def.network;
    const bool flat = p->def.dimensions == 2;
    const double dx = p->def.spacing, d = flat ? 8 : 15;
    const flow_sums *sum = flat ? &FLOW_2D : &FLOW_3D;
    springs->reach = REACH * dx;
    springs->break_at = BREAK * p->R;
    springs->block_capacity =
        ROOM * (flat ? SPRINGS_AT_REST_2D : SPRINGS_AT_REST_3D) * FM_PARTICLES_BLOCK;
    double modulus = n->viscosity / n->relaxation; // Pa
    springs->k_min = d * modulus * p->volume / (sum->L2 * dx * dx);
    double memory_time = n->memory.kind == FM_RECALL_FADING ? n->memory.fading : 1;
    if (fm_velocity_history_is_needed(p))
        memory_time = fm_velocity_history_find_fading(p);
    springs->M_onset = n->onset > 0 ? pow(memory_time, 1 - n->order) * find_shear_factor(p) *
                                          n->onset * dx * sum->ratio
                                    : INFINITY;
    const fm_domain *in = &p->def.domain;
    const double size[3] = {in->high.x - in->low.x, in->high.y - in->low.y, in->high.z - in->low.z};
    for (int axis = 0; axis < 3; axis++)
        springs->period[axis] = fm_particles_is_periodic(p, axis) ? size[axis] : 0;
    const bool without_modes = n->onset == 0 || fm_velocity_history_is_needed(p);
    return without_modes || fit_kernel(springs, p, err);
}

// Computes the coefficients of a step of h seconds, unless they are those of h already.
void fm_springs_set_step(fm_springs *springs, const fm_particles *p, double h)
{
    fm_spring_recurrence *to = &springs->step;
    if (to->step == h || !(h > 0) || springs->mode_count == 0)
        return;
    fm_recurrence r;
    fm_recurrence_build(&r, &springs->kernel, p->def.network.order, springs->fading_rate, h);
    to->step = h;
    to->newest_weight = (float)r.newest_weight;
    to->previous_weight = (float)r.previous_weight;
    for (int k = 0; k < springs->mode_count; k++) {
        bool used = k < springs->kernel.count;
        double z = used ? (springs->kernel.decay_rate[k] + springs->fading_rate) * h : 0;
        to->loss[k] = (float)-expm1(-z);
        to->from_old[k] = used ? (float)r.from_old[k] : 0;
        to->from_new[k] = used ? (float)r.from_new[k] : 0;
        to->gain[k] = used ? (float)r.gain[k] : 0;
    }
}
