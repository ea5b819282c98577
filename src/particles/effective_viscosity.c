// SPDX-License-Identifier: MIT
// effective_viscosity.c: the viscosity that a fluid really has, from the energy that it loses.
//
// A Newtonian fluid of the viscosity mu loses energy at the rate mu Phi. The energy that the
// particles lose, by whatever part of the scheme (viscosity, artificial viscosity, pressure,
// shifting, diffusion and relaxation of the density, impacts on walls), is known from a balance:
//
//     D = E(t0) - E(t1) + energy of emitted - energy of removed particles - work on balls
//     E = sum_i m (|v_i|^2 / 2 - g . x_i + c^2 s_i^2 / 2)
//     Phi = sum_i 2 V e_i : e_i,       effective viscosity = integral of D / integral of Phi
//
// The last part of E is that of compression, in the weakly compressible method only. e is the
// strain rate by least squares (local_gradients.h), without its trace: linear velocities are exact
// up to walls and free surfaces. Both integrals fade with the time WINDOW. It is long, because
// waves exchange energy with small errors of the level and back: with 1 s, the value of a swinging
// tank varied by a factor of 10 within a period.
//
// Walls and colliders at rest do no work. Where work is done that is not in the balance, nothing is
// measured: a domain, walls or colliders that are moved, body-force regions, coupled cloth, surface
// tension, springs, fractional viscosity, and gravity along a periodic axis.
//
// The level of a pool is not exactly constant: its particles need a little more or less room when
// their arrangement changes, 1e-5 to 1e-4 of the depth. With waves lower than about a twentieth of
// the depth, that energy is not small against what the waves lose.
//
//   E  energy, J    D  loss of energy, J    m  mass of a particle, kg    V  its volume, m^d
//   s  rho/rho0 - 1    c  speed of sound, m/s    Phi  m^d/s^2    g  gravity, m/s^2
#include "particles/particles.h"

#include <string.h>

// s, of the fading integrals: a loss has the weight e^(-t/WINDOW) after the time t
static const double WINDOW = 10;

// What is known of the loss of energy. Saved as it is.
struct fm_energy_loss {
    fm_vec3 gravity;        // m/s^2
    double energy;          // J, at the last balance, and what sources and sinks changed since
    double strained;        // m^d/s, integral of Phi since the last balance
    double time;            // s, of the last balance
    double lost, straining; // fading integrals of D and Phi
};

// Energy of the particles from `first` to below `last` of a state, J.
static double sum_energy(const fm_particles *p, const fm_particle_state *state, const int *from,
                         int first, int last, fm_vec3 g)
{
    const bool elastic = p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE;
    double sum = 0;
    for (int k = first; k < last; k++) {
        const int i = from ? from[k] : k;
        fm_vec3 x = {state->x[i], state->y[i], state->z[i]};
        fm_vec3 v = {state->vx[i], state->vy[i], state->vz[i]};
        double s = elastic ? p->c * (double)state->s[i] : 0;
        sum += fm_dot(v, v) / 2 - fm_dot(g, x) + s * s / 2;
    }
    return fm_particles_mass(p) * sum;
}

// True when all work on the fluid is in the balance.
static bool is_balanced(const fm_particles *p, const fm_surroundings *around)
{
    const fm_particles_def *def = &p->def;
    const double g[3] = {around->gravity.x, around->gravity.y, around->gravity.z};
    bool still = !def->domain.motion && p->push_count == 0 && p->surface_count == 0;
    for (int side = 0; side < FM_SIDE_COUNT; side++)
        still = still && fm_length(def->domain.slide[side]) == 0;
    for (int axis = 0; axis < 3; axis++)
        still = still && !(fm_particles_is_periodic(p, axis) && g[axis] != 0);
    for (int i = 0; i < around->collider_count; i++)
        still = still && (around->colliders[i]->rigid || !around->colliders[i]->motion);
    return still && fm_particles_needs_gradients(p) && def->surface_tension == 0 &&
           def->network.viscosity == 0 && def->fractional.order == 1;
}

static void *create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    if (!is_balanced(p, around))
        return NULL;
    p->loss = fm_arena_alloc(&p->arena, 1, sizeof *p->loss, p->object.name, err);
    if (p->loss)
        *p->loss = (fm_energy_loss){.gravity = around->gravity};
    return p->loss;
}

static void begin(fm_particles *p, void *state)
{
    fm_energy_loss *loss = state;
    loss->energy = sum_energy(p, &p->now, NULL, 0, p->count, loss->gravity);
    loss->time = p->time;
}

// Adds the energy of emitted particles.
static void emit(fm_particles *p, void *state, int first)
{
    fm_energy_loss *loss = state;
    loss->energy += sum_energy(p, &p->now, NULL, first, p->count, loss->gravity);
}

// Subtracts the energy of removed particles; the state before sorting is in p->spare.
static void reorder(fm_particles *p, void *state, const fm_particle_order *order)
{
    fm_energy_loss *loss = state;
    loss->energy -=
        sum_energy(p, &p->spare, order->from, order->count, order->before, loss->gravity);
}

// Sum of 2 e : e of the particles first to below last, 1/s^2.
static double sum_strain(void *context, int first, int last)
{
    const fm_particles *p = context;
    const double d = p->def.dimensions;
    double sum = 0;
    for (int i = first; i < last; i++) {
        const fm_strain_record e = p->strain[i];
        double xx = (double)e.xx, yy = (double)e.yy, zz = (double)e.zz;
        double xy = (double)e.xy, yz = (double)e.yz, zx = (double)e.zx, trace = xx + yy + zz;
        sum += 2 * (xx * xx + yy * yy + zz * zz - trace * trace / d) +
               4 * (xy * xy + yz * yz + zx * zx);
    }
    return sum;
}

// Integrates Phi over the substep.
static void integrate_strain(const fm_particles_step *step, void *state)
{
    fm_particles *p = step->p;
    double sum = fm_parallel_sum(step->around->pool, p->count, FM_PARTICLES_BLOCK, sum_strain, p,
                                 p->partial);
    ((fm_energy_loss *)state)->strained += p->volume * step->h * sum;
}

// Work of the impulses that the fluid gave to balls in this advance and that have not moved them
// yet, J.
static double find_work_on_balls(const fm_surroundings *around)
{
    double work = 0;
    for (int i = 0; i < around->collider_count; i++) {
        const fm_rigid *ball = around->colliders[i]->rigid;
        if (!ball)
            continue;
        fm_vec3 v = fm_add_scaled(ball->velocity, ball->impulse, 0.5 / ball->mass);
        work += fm_dot(ball->impulse, v) + fm_dot(ball->angular_impulse, ball->spin);
    }
    return work;
}

// Adds what an advance that ends now has lost to the integrals.
void fm_energy_loss_balance(fm_particles *p, const fm_surroundings *around)
{
    fm_energy_loss *loss = p->loss;
    if (!loss)
        return;
    double now = sum_energy(p, &p->now, NULL, 0, p->count, loss->gravity);
    double lost = loss->energy - now - find_work_on_balls(around);
    double fade = exp(-(p->time - loss->time) / WINDOW);
    loss->lost = fade * loss->lost + lost;
    loss->straining = fade * loss->straining + loss->strained;
    p->stats.lost_energy += lost;
    p->stats.strain_integral += loss->strained;
    loss->energy = now;
    loss->strained = 0;
    loss->time = p->time;
}

double fm_particles_effective_viscosity(const fm_particles *p)
{
    const fm_energy_loss *loss = p->loss;
    return loss && loss->straining > 0 ? loss->lost / loss->straining : 0;
}

// Writes the state; out NULL: its size only.
static size_t save(const fm_particles *p, const void *state, unsigned char *out)
{
    (void)p;
    if (out)
        memcpy(out, state, sizeof(fm_energy_loss));
    return sizeof(fm_energy_loss);
}

// Reads the state from the bytes of a snapshot. Gravity may have changed since.
static bool restore(fm_particles *p, void *state, int count, const unsigned char *in, size_t size,
                    fm_error *err)
{
    (void)count;
    fm_energy_loss *loss = state;
    const fm_vec3 gravity = loss->gravity;
    if (size != 0 && size != sizeof *loss)
        return fm_fail_number(err, p->object.name, "state of the energy", (double)size,
                              "what was saved");
    *loss = (fm_energy_loss){0};
    if (size > 0)
        memcpy(loss, in, size);
    loss->gravity = gravity;
    return true;
}

const fm_fluid_term_type fm_energy_loss_term = {
    .name = "energy loss",
    .create = create,
    .begin = begin,
    .emit = emit,
    .reorder = reorder,
    .before_forces = integrate_strain,
    .save = save,
    .restore = restore,
};
