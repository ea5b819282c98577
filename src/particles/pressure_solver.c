// SPDX-License-Identifier: MIT
// pressure_solver.c: pressure of the constant-density method, by projection [CR99].
//
// Finds pressures P that make the velocities v, to which gravity and viscosity were added, free of
// divergence, and then changes the velocities by -h grad P (forces.c, with the same corrections as
// in the weakly compressible method). The pressures solve
//
//     sum_j w_ij (P_i - P_j) + B_i P_i = sum_j m_j V_j F_ij (v_i - v_j) . r_ij / h
//     w_ij = -2 V_j F_ij
//
// by conjugate gradients (pressure_matrix.c), from the pressures of the last substep. Away from
// walls, the right side is minus the divergence of the velocity gradient by least squares
// (local_gradients.h), divided by h: the sum above is wrong at free surfaces and on lattices that
// the flow has strained.
// A second solve with the same matrix keeps the density, by displacements x_i -= grad q_i that
// change the volume by the share b of the excess density s, not by velocities:
//
//     sum_j w_ij (q_i - q_j) + B_i q_i = b s_i,    s_i = sum_j V_j W_ij - 1,
//     b = min(RECOVERY h c / R, RECOVERY_MAX)
//
// s < 0 counts inside the fluid only.
//
// Particles that lie unevenly: w_ij applied to a linear pressure with the gradient G gives -2 G .
// S, S = sum_j V_j F_ij r_ij, instead of 0. Where the pressure is mainly that of the weight, it is
// added to the right side in 2D, with G of the last substep: then water at rest stays at rest.
//
// Walls and colliders: m = 2, w = 0. The velocity of a boundary particle is that of the wall, and
// half-way to it is the face of the wall; 2 (v_i - v_wall) is the difference to the mirror image.
// No pressure difference acts across the face.
//
// Free surfaces: P = 0 at the distance d_i from the particle (find_surface_part in
// pressure_matrix.c). Neighbours that are missing beyond the surface have linear pressures:
//
//     B_i = 2 |sum_j V_j F_ij r_ij| / d_i
//
// Surface tension: P = sigma K / rho0 there instead, so B_i sigma K / rho0 is added to the right
// side, and the force of surface tension (surface_tension.c) acts together with the pressure. A
// round drop is then at rest with the same P in all of its particles. As a force before the solve,
// it made drops of few particles boil.
//
// P < 0 is set to 0 in particles with B_i > 0, and under gravity in all particles beside the
// surface: in splashes, tension there makes single particles so fast that steps become
// tiny. Without gravity that would only change the forces that the solve found: a rotating square
// gained 1.5 % of its angular momentum in the first radian.
//
// Closed fluids, without a free surface: P is known up to a constant, and the matrix is singular.
// The mean is taken out of the right side, the least P is 0, and pressure acts by differences on
// all particles (forces.c): in sums over P_i + P_j the constant would push particles wherever the
// sum of kernel gradients is not 0, as beside a ball. A fluid that fills its domain (full_count) is
// closed even if gaps open: P = 0 at a few particles would make all of the mean divergence flow
// there.
//
// Moving domain: u is its displacement in the substep / h, and its acceleration is part of the
// pressure gradient at the walls (boundary_particles.c). Otherwise the fluid lags behind the walls
// and leaves gaps there.
//
// Colliders with a mass take part in the solve. Pressure gives a collider of mass M the velocity
// h/M sum_i P_i C_i, C_i = 2 rho V sum_j V_j F_ij r_ij over its boundary particles, and that
// velocity changes the divergence at i by -C_i/(rho V) times it: a symmetric matrix of rank 3. The
// forces between fluid and collider are these, and their boundary particles mirror the pressure of
// the fluid: with extrapolated pressures a light ball would be unstable.
//
//   P  pressure / rho0, m^2/s^2; the warm start stores P / c^2      h  step, s
//   rho  density at rest, kg/m^3    F_ij r_ij  kernel gradient      V  volume at rest, m^d
//
// [CR99] in docs/references.md
#include "particles/local_gradients.h"
#include "particles/pressure_matrix.h"
#include "particles/sheet_pressure.h"

#include <string.h>

static const double RECOVERY_REDUCTION = 0.1; // accuracy of the solve that keeps the density
static const float DISPLACEMENT_MAX = 0.1f;   // by which it moves particles at most, in spacings
// The iteration ends when the residual is this share of the right side, or when the mean relative
// compression in a substep is below these shares of the tolerance of the definition. The second
// share is for fluids with surface tension, and for slow ones, whose particles move by less than
// SLOW spacings in a substep: there what is left adds up over many steps. Solves take hardly more
// iterations with it, because they begin with better pressures.
static const double REDUCTION = 1e-2, SLOW_REDUCTION = 2e-3, SLOW = 0.2;
static const double PRESSURE_SHARE = 1e-3, RECOVERY_SHARE = 1e-2;

// Makes the least pressure 0 in fluids without a free surface, whose pressure is known up to a
// constant. A sheet inside would feel the constant, as much as the samples see more particles on
// one side than on the other.
static void raise_pressures(fm_particles *p)
{
    float least = INFINITY;
    if (fm_pressure_has_surface(p) || p->sheet)
        return;
    for (int i = 0; i < p->count; i++)
        least = fminf(least, p->pressure_sum[i]);
    for (int i = 0; i < p->count; i++)
        p->pressure_sum[i] -= least;
}

// Makes the excess density that a substep removes the right side of a solve.
static void begin_recovery(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        p->residual[i] = p->excess[i];
        p->pressure_sum[i] = 0;
    }
}

// Adds the displacements that restore the density: dx -= grad q.
FM_SIMD_CLONES static void add_recovery(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float largest = DISPLACEMENT_MAX * (float)p->def.spacing;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        fm_gradients found = p->def.dimensions == 2 ? fm_gradients_find(p, i, list, count, true)
                                                    : fm_gradients_find(p, i, list, count, false);
        float length =
            sqrtf(found.s[0] * found.s[0] + found.s[1] * found.s[1] + found.s[2] * found.s[2]);
        float scale = length > largest ? largest / length : 1;
        p->dx[i] -= scale * found.s[0];
        p->dy[i] -= scale * found.s[1];
        p->dz[i] -= scale * found.s[2];
    }
}

// Copies q to the records.
static void update_recovery_records(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++)
        p->fluid.density[i].s = p->pressure_sum[i];
}

// Copies velocities and the pressures of the last substep to the records, which the rows read.
static void update_velocity_records(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        fm_density_record *record = &p->fluid.density[i];
        record->s = p->warm_start->now[i];
        record->vx = p->now.vx[i];
        record->vy = p->now.vy[i];
        record->vz = p->now.vz[i];
    }
}

// Stores the pressures as the result, as the next warm start and in the records.
static void store_pressure(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float inverse_c2 = (float)(1 / (p->c * p->c));
    const bool splashes = fm_length(((const fm_particles_step *)context)->around->gravity) > 0;
    for (int i = first; i < last; i++) {
        const bool beside = atomic_load_explicit(&p->beside_surface[i], memory_order_relaxed);
        const bool slack = p->is_surface[i] || (beside && splashes);
        float P = p->pressure_sum[i];
        const float least = p->tension ? fminf(0, p->tension[i].P) : 0;
        if (P < least && (slack || p->fill[i] > FM_CLUMP_FILL))
            P = least;
        p->P[i] = P;
        p->warm_start->now[i] = inverse_c2 * P;
        p->fluid.force[i].P = P;
        p->fluid.density[i].s = inverse_c2 * P;
    }
}

// Gradients of the pressures by least squares.
FM_SIMD_CLONES static void find_gradients(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float c2 = (float)(p->c * p->c);
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        fm_gradients found = p->def.dimensions == 2 ? fm_gradients_find(p, i, list, count, true)
                                                    : fm_gradients_find(p, i, list, count, false);
        p->pressure_gradient[i] =
            (fm_pressure_slope){c2 * found.s[0], c2 * found.s[1], c2 * found.s[2]};
    }
}

// v += h a
static void kick_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const float h = (float)step->h;
    for (int i = first; i < last; i++) {
        p->now.vx[i] += h * p->ax[i];
        p->now.vy[i] += h * p->ay[i];
        p->now.vz[i] += h * p->az[i];
        if (!p->tension)
            continue;
        p->now.vx[i] += h * p->tension[i].x;
        p->now.vy[i] += h * p->tension[i].y;
        p->now.vz[i] += h * p->tension[i].z;
    }
}

// Subtracts the same acceleration from all particles, so that the fluid loses the momentum that
// colliders with a mass gain. force: on these, divided by the mass of a particle, m/s^2.
static void balance_bodies(fm_particles *p, fm_vec3 force)
{
    fm_vec3 sum = force;
    for (int i = 0; i < p->count; i++)
        sum = fm_add(sum, (fm_vec3){p->ax[i], p->ay[i], p->az[i]});
    for (int i = 0; i < p->count; i++) {
        p->ax[i] -= (float)(sum.x / p->count);
        p->ay[i] -= (float)(sum.y / p->count);
        p->az[i] -= (float)(sum.z / p->count);
    }
}

// Adds to the forces between fluid and colliders with a mass the part of the pressure of their
// boundary particles, which mirror that of the fluid: P_j = P_i + g . (x_j - x_i). The force
// records of these have P = 0. In closed fluids the particles beside them feel -grad P instead.
static void push_bodies(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_vec3 sum = {0};
    for (int k = 0; k < p->body_link_count; k++) {
        const fm_body_link *link = &p->body_links[k];
        const int i = link->particle;
        fm_vec3 pairs = fm_scale(link->pairs, (double)p->P[i] / 2); // in the forces of pairs
        fm_vec3 a = fm_sub(fm_add_scaled(link->H, link->C, (double)p->P[i]), pairs);
        p->ax[i] = step->closed ? -p->pressure_gradient[i].x : p->ax[i] - (float)a.x;
        p->ay[i] = step->closed ? -p->pressure_gradient[i].y : p->ay[i] - (float)a.y;
        p->az[i] = step->closed ? -p->pressure_gradient[i].z : p->az[i] - (float)a.z;
        sum = fm_add(sum, fm_add(a, pairs));
        fm_collider *body = step->around->colliders[link->body];
        fm_collider_add_impulse(body, body->rigid->centre,
                                fm_scale(a, step->h * fm_particles_mass(p)));
    }
    if (step->closed && p->body_link_count > 0 && !p->has_walls)
        balance_bodies(p, sum);
}

// Sets the pressures in all force records to 0, so that forces have no pressure part.
void fm_pressure_clear(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int i = 0; i < p->count; i++)
        p->fluid.force[i].P = 0;
    for (int k = 0; k < p->wet_count; k++)
        p->boundary.force[p->wet[k]].P = 0;
}

// Moves particles so that the density returns to that at rest.
static void restore_density(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    void *context = (void *)step;
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, begin_recovery, context);
    fm_pressure_iterate(step, RECOVERY_REDUCTION, RECOVERY_SHARE * p->def.tolerance);
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, update_recovery_records, context);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, add_recovery, context);
}

// Velocity and acceleration of a moving domain. The velocity is that of its displacement in this
// substep, so that fluid that moves with the walls keeps its distance from them.
static void find_wall_motion(fm_particles_step *step)
{
    const double t = step->t, h = step->h;
    if (!step->p->def.domain.motion)
        return;
    fm_vec3 before = fm_particles_domain_offset(step->p, fmax(t - h, 0), NULL);
    fm_vec3 after = fm_particles_domain_offset(step->p, t + h, NULL);
    fm_vec3 old = fm_scale(fm_sub(step->offset, before), 1 / h);
    step->domain_velocity = fm_scale(fm_sub(after, step->offset), 1 / h);
    step->domain_acceleration = fm_scale(fm_sub(step->domain_velocity, old), 1 / h);
}

// Finds the pressures, and changes velocities of fluid and colliders with a mass by them.
void fm_pressure_solve(const fm_particles_step *substep)
{
    fm_particles_step pressure_step = *substep, *step = &pressure_step;
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    void *context = step;
    step->pressure_only = true;
    int n = p->count;
    if (n == 0)
        return;
    fm_parallel_for(pool, n, FM_PARTICLES_LARGE_BLOCK, update_velocity_records, context);
    find_wall_motion(step);
    fm_boundary_update_ghosts(step);
    fm_boundary_predict_velocities(step);
    fm_sheet_pressure_predict(step);
    fm_pressure_compute_rows(step);
    fm_sheet_pressure_add_rows(step);
    step->closed = !fm_pressure_has_surface(p);
    fm_pressure_find_body_links(step);
    const double h2 = step->h * step->h;
    const bool slow = p->tension || p->max_speed * step->h < SLOW * p->def.spacing;
    const double reduction = slow ? SLOW_REDUCTION : REDUCTION;
    p->stats.compression =
        h2 * fm_pressure_iterate(step, reduction, PRESSURE_SHARE * p->def.tolerance / h2);
    raise_pressures(p);
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, store_pressure, context);
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, find_gradients, context);
    fm_boundary_extrapolate(step);
    fm_forces_compute_shifted(step);
    fm_boundary_push_colliders(step);
    push_bodies(step);
    fm_sheet_pressure_push(step);
    fm_parallel_for(pool, n, FM_PARTICLES_LARGE_BLOCK, kick_range, context);
    fm_sheet_pressure_hold(step);
    restore_density(step);
}

// Creates the array of the warm start: P / c^2 of each particle, with which the next pressure
// iteration begins. It is a term (extension of the fluid, terms.h), so it is sorted and saved with
// the particles.
static void *create_warm_start(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    (void)around;
    if (p->def.method != FM_SPH_CONSTANT_DENSITY)
        return NULL;
    return p->warm_start = fm_particle_scalar_create(p, err);
}

// Takes the initial pressures as the first warm start.
static void begin_warm_start(fm_particles *p, void *state)
{
    fm_particle_scalar *warm = state;
    for (int i = 0; i < p->count; i++)
        warm->now[i] = (float)(p->P[i] / (p->c * p->c));
}

// Emitted particles, from index `first` on, start with pressure 0.
static void clear_warm_start(fm_particles *p, void *state, int first)
{
    fm_particle_scalar_clear(state, first, p->count);
}

// Sorts the warm start (pressures of the last substep) with the particles.
static void reorder_warm_start(fm_particles *p, void *state, const fm_particle_order *order)
{
    (void)p;
    fm_particle_scalar_reorder(state, order);
}

// Writes the warm start (pressures of the last substep) to `out`; NULL: the size only.
static size_t save_warm_start(const fm_particles *p, const void *state, unsigned char *out)
{
    const fm_particle_scalar *warm = state;
    size_t size = (size_t)p->count * sizeof *warm->now;
    if (out && size)
        memcpy(out, warm->now, size);
    return size;
}

// Reads the warm start (pressures of the last substep) from the bytes of a snapshot.
static bool restore_warm_start(fm_particles *p, void *state, int count, const unsigned char *in,
                               size_t size, fm_error *err)
{
    fm_particle_scalar *warm = state;
    if (size != 0 && size != (size_t)count * sizeof *warm->now)
        return fm_fail_number(err, p->object.name, "state of the pressure", (double)size,
                              "as many pressures as particles");
    if (size > 0)
        memcpy(warm->now, in, size);
    return true;
}

// Hash of the warm start (pressures of the last substep).
static uint64_t hash_warm_start(const fm_particles *p, const void *state, uint64_t seed)
{
    const fm_particle_scalar *warm = state;
    return fm_hash(warm->now, (size_t)p->count * sizeof *warm->now, seed);
}

const fm_fluid_term_type fm_warm_start_term = {
    .name = "warm start",
    .create = create_warm_start,
    .begin = begin_warm_start,
    .emit = clear_warm_start,
    .reorder = reorder_warm_start,
    .save = save_warm_start,
    .restore = restore_warm_start,
    .hash = hash_warm_start,
};
