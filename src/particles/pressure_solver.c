// SPDX-License-Identifier: MIT
// pressure_solver.c: iterative pressure solver of the constant-density method.
//
// Finds pressures P_i >= 0 that change the velocities so that the density predicted for the end of
// the step, `ahead`, does not exceed the rest density [BK15]:
//
//     v_i <- v_i - h sum_j V_j (P_i + P_j) F_ij r_ij
//     ahead_i = 1 + CORRECTION (sum_j V_j W_ij - 1) + h sum_j V_j F_ij (v_i - v_j) . r_ij <= 1
//
// by projected Jacobi iteration, with a warm start from the pressures of the last step:
//
//     P_i <- max(0, P_i + OMEGA (ahead_i - 1) / (h^2 D_i))
//     D_i = (sum_j m_j V_j F_ij r_ij) . (sum_j V_j F_ij r_ij) + sum_j |V_j F_ij r_ij|^2
//
// D_i, the diagonal, is the change of ahead_i per change of P_i, divided by h^2. Boundary particles
// mirror the pressure of each fluid particle beside them: they have m = 2 instead of 1 and do not
// enter the last sum. Only compression is corrected, so free surfaces need no special treatment.
//
// Colliders with a mass take part in the iteration. Each iteration gives them the reaction of their
// boundary particles and predicts the velocity that they will have after the step. With the
// pressure of the last step instead, a body lighter than half of the fluid it displaces would be
// unstable. A collider with a mass adds to the diagonal of the particles around it
//
//     D_i += |G_i| rho A / m,     G_i = sum of V_j F_ij r_ij over its boundary particles
//
// as if all particles around it changed their pressures equally: sum m_k |G_k| = rho A / 2.
//
//   P  pressure / rho0, m^2/s^2; the warm start stores P / c^2                  h  step, s
//   A, m  surface and mass of a collider, m^2, kg      rho  density at rest, kg/m^3
//
// [BK15] in docs/references.md
#include "particles/particles.h"

#include <string.h>

// Tuned with a column of water at rest. With CORRECTION = 1 or WARM_START = 1 the column jumps;
// with WARM_START = 0 the solver takes 90 iterations instead of 30 to 40.
static const float OMEGA = 0.5f;      // Jacobi relaxation
static const float CORRECTION = 0.5f; // share of the excess density that one step corrects
static const float WARM_START = 0.8f; // share of the last step's pressure that a step starts with

// Marks a boundary particle in force_record.P: it has no pressure change of its own and mirrors
// that of each fluid particle beside it. Being NaN, it is recognised by P != P.
static const float MIRRORED = NAN;

// A particle whose D R^2 is below this has no neighbours.
static const float DIAGONAL_MIN = 1e-2f;

// The sums that a pass over pairs computes: for the diagonal D, or for the change of velocity.
typedef enum quantity { DIAGONAL, IMPULSE } quantity;

// Sums over neighbours j. g_j = V_j w'(q)/q r_ij is the kernel gradient without scale.
//     DIAGONAL  of g_j (x, y, z), of m_j g_j (mx, my, mz) and of |g_j|^2 (squares)
//     IMPULSE   of (P_i + P_j) g_j (x, y, z)
typedef struct pressure_sums {
    fm_floats x, y, z, squares, mx, my, mz;
} pressure_sums;

// Adds the rate at which eight neighbours j approach particle i, weighted with the slope of the
// kernel: the rate of change of the density of i, divided by the gradient scale. inverse: 1 / R.
FM_INLINE void add_approach(fm_floats *sum, const fm_density_record *i, const fm_density_octet *j,
                            float inverse)
{
    fm_floats dx = i->x - j->x, dy = i->y - j->y, dz = i->z - j->z;
    fm_floats r2 = dx * dx + dy * dy + dz * dz;
    fm_floats slope = j->V * fm_kernel_wendland_slope(fm_floats_sqrt(r2) * inverse);
    *sum += slope * ((i->vx - j->vx) * dx + (i->vy - j->vy) * dy + (i->vz - j->vz) * dz);
}

// Adds eight neighbours j of particle i. P of the records is the change of pressure in this pass.
FM_INLINE void add_octet(pressure_sums *sum, quantity what, const fm_force_record *i,
                         const fm_force_octet *j, float inverse, bool boundary)
{
    fm_floats dx = i->x - j->x, dy = i->y - j->y, dz = i->z - j->z;
    fm_floats r2 = dx * dx + dy * dy + dz * dz;
    fm_floats slope = j->V * fm_kernel_wendland_slope(fm_floats_sqrt(r2) * inverse);
    // where P is NaN, j mirrors the pressure of i
    fm_ints mirrors = boundary ? j->P != j->P : (fm_ints){0}; // NOLINT: true for NaN
    if (what == DIAGONAL) {
        fm_floats twice = slope + fm_floats_select(mirrors, slope);
        sum->squares += fm_floats_select(~mirrors, slope * slope * r2);
        sum->mx += twice * dx;
        sum->my += twice * dy;
        sum->mz += twice * dz;
    } else {
        fm_floats own = i->P - (fm_floats){0}; // P of particle i in all eight lanes
        slope *= own + fm_floats_select(~mirrors, j->P) + fm_floats_select(mirrors, own);
    }
    sum->x += slope * dx;
    sum->y += slope * dy;
    sum->z += slope * dz;
}

// Adds all neighbours of fluid particle i, fluid and boundary. buffer: memory for neighbour lists
// that are not stored.
FM_INLINE void add_all_neighbours(pressure_sums *sum, quantity what, const fm_particles *p, int i,
                                  int *buffer)
{
    const fm_force_record *at = &p->fluid.force[i];
    const float inverse = (float)(1 / p->R);
    int count, padding;
    const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
    for (int b = 0; b < count; b += 8) {
        fm_force_octet j = fm_records_load_force(p->fluid.force, list + b, 0);
        add_octet(sum, what, at, &j, inverse, false);
    }
    list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    for (int b = 0; b < count; b += 8) {
        fm_force_octet j =
            fm_records_load_force(p->boundary.force, list + b, b + 8 == count ? padding : 0);
        add_octet(sum, what, at, &j, inverse, true);
    }
}

// The sum of add_approach over all neighbours of fluid particle i: its rate of compression.
FM_INLINE float sum_approach(const fm_particles *p, int i, int *buffer)
{
    const fm_density_record *at = &p->fluid.density[i];
    const float inverse = (float)(1 / p->R);
    fm_floats sum = {0};
    int count, padding;
    const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
    for (int b = 0; b < count; b += 8) {
        fm_density_octet j = fm_records_load_density(p->fluid.density, list + b, 0);
        add_approach(&sum, at, &j, inverse);
    }
    list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    for (int b = 0; b < count; b += 8) {
        int repeated = b + 8 == count ? padding : 0;
        fm_density_octet j = fm_records_load_density(p->boundary.density, list + b, repeated);
        add_approach(&sum, at, &j, inverse);
    }
    return fm_floats_sum(sum);
}

// Sum of rho A / m over the colliders with a mass near particle i: their part of D_i for |G_i| = 1.
static float find_collider_diagonal(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    double diagonal = 0;
    for (int k = 0; k < step->around->collider_count; k++) {
        const fm_collider *c = step->around->colliders[k];
        if (!c->rigid)
            continue;
        fm_vec3 r = fm_sub((fm_vec3){p->now.x[i], p->now.y[i], p->now.z[i]}, c->rigid->centre);
        double a = c->shape.radius;
        if (fm_length(r) < a + p->R)
            diagonal += p->def.density * 4 * FM_PI * a * a / c->rigid->mass;
    }
    return (float)diagonal;
}

// Computes 1 / D_i, and the first pressure change: the warm start.
FM_SIMD_CLONES static void compute_diagonal(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    int buffer[FM_NEIGHBOURS_CAPACITY];
    for (int i = first; i < last; i++) {
        pressure_sums sum = {0};
        add_all_neighbours(&sum, DIAGONAL, p, i, buffer);
        float x = fm_floats_sum(sum.x), mx = fm_floats_sum(sum.mx);
        float y = fm_floats_sum(sum.y), my = fm_floats_sum(sum.my);
        float z = fm_floats_sum(sum.z), mz = fm_floats_sum(sum.mz);
        float D = p->F * p->F * (x * mx + y * my + z * mz + fm_floats_sum(sum.squares));
        float G2 = (mx - x) * (mx - x) + (my - y) * (my - y) + (mz - z) * (mz - z);
        if (G2 > 0)
            D += find_collider_diagonal(step, i) * p->F * sqrtf(G2);
        // a particle without neighbours is never compressed, and its D would be 0
        bool isolated = D * (float)(p->R * p->R) < DIAGONAL_MIN;
        p->inverse_diagonal[i] = isolated ? 0 : 1 / D;
        p->pressure_change[i] =
            isolated ? 0 : WARM_START * (float)(p->c * p->c) * p->warm_start->now[i];
        p->pressure_sum[i] = 0;
    }
}

// Predicts the density at the end of the step, ahead = 1 + over, and sets pressure_change. Returns
// the sum of the relative excess densities `over`.
FM_SIMD_CLONES static double predict_density(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const float h = (float)step->h, scale = OMEGA / (h * h);
    double excess = 0;
    int buffer[FM_NEIGHBOURS_CAPACITY];
    for (int i = first; i < last; i++) {
        float s = p->fill[i] - 1, approach = sum_approach(p, i, buffer);
        float over = (s > 0 ? CORRECTION * s : s) + h * p->F * approach;
        float change = over * scale * p->inverse_diagonal[i];
        p->pressure_change[i] = change > -p->pressure_sum[i] ? change : -p->pressure_sum[i];
        excess += over > 0 ? over : 0;
    }
    return excess;
}

// Applies the pressure changes to the velocities.
FM_SIMD_CLONES static void apply_pressure(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const float scale = -(float)step->h * p->F;
    int buffer[FM_NEIGHBOURS_CAPACITY];
    for (int i = first; i < last; i++) {
        pressure_sums sum = {0};
        add_all_neighbours(&sum, IMPULSE, p, i, buffer);
        p->pressure_sum[i] += p->pressure_change[i];
        p->now.vx[i] += scale * fm_floats_sum(sum.x);
        p->now.vy[i] += scale * fm_floats_sum(sum.y);
        p->now.vz[i] += scale * fm_floats_sum(sum.z);
    }
}

// Copies the new velocities to the density records, which the next prediction reads.
static void update_velocity_records(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++) {
        fm_density_record *record = &p->fluid.density[i];
        record->vx = p->now.vx[i];
        record->vy = p->now.vy[i];
        record->vz = p->now.vz[i];
    }
}

// Copies the pressure changes to the force records, which apply_pressure reads.
static void update_pressure_records(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last; i++)
        p->fluid.force[i].P = p->pressure_change[i];
}

// Updates the records of wet boundary and ghost particles: a ghost takes pressure change and
// velocity of the particle that it is an image of, a boundary particle is marked as mirroring.
static void update_boundary_records(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int k = first; k < last; k++) {
        int i = p->wet[k], imaged = p->identity[i].owner.index;
        bool ghost = fm_boundary_is_ghost(p, i);
        p->boundary.force[i].P = ghost ? p->pressure_change[imaged] : MIRRORED;
        if (ghost) {
            const fm_density_record *record = &p->fluid.density[imaged];
            p->boundary.density[i].vx = record->vx;
            p->boundary.density[i].vy = record->vy;
            p->boundary.density[i].vz = record->vz;
        }
    }
}

// Stores the sum of the pressure changes as the result and as the next warm start.
static void store_pressure(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float inverse_c2 = (float)(1 / (p->c * p->c));
    for (int i = first; i < last; i++) {
        p->P[i] = p->pressure_sum[i];
        p->warm_start->now[i] = inverse_c2 * p->pressure_sum[i];
    }
}

// Applies the pressure changes to fluid and colliders with a mass, and updates the records.
static void apply_all_pressures(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    void *context = (void *)step;
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, update_pressure_records, context);
    fm_parallel_for(pool, p->wet_count, FM_PARTICLES_LARGE_BLOCK, update_boundary_records, context);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, apply_pressure, context);
    fm_boundary_push_colliders(step);
    fm_boundary_predict_velocities(step);
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, update_velocity_records, context);
    fm_parallel_for(pool, p->wet_count, FM_PARTICLES_LARGE_BLOCK, update_boundary_records, context);
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

// Iterates pressures until the mean relative compression is below the tolerance, and changes the
// velocities accordingly.
void fm_pressure_solve(const fm_particles_step *substep)
{
    fm_particles_step pressure_step = *substep, *step = &pressure_step;
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    void *context = step;
    step->pressure_only = true;
    int n = p->count;
    fm_parallel_for(pool, p->wet_count, FM_PARTICLES_BLOCK, update_boundary_records, context);
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, compute_diagonal, context);
    fm_parallel_for(pool, n, FM_PARTICLES_LARGE_BLOCK, update_velocity_records, context);
    apply_all_pressures(step);
    for (int k = 0; k < p->def.iterations && n > 0; k++) {
        double excess =
            fm_parallel_sum(pool, n, FM_PARTICLES_BLOCK, predict_density, context, p->partial);
        p->stats.compression = excess / n;
        p->stats.iteration_count++;
        if (p->stats.compression < p->def.tolerance && k > 0)
            break;
        apply_all_pressures(step);
    }
    fm_parallel_for(pool, n, FM_PARTICLES_BLOCK, store_pressure, context);
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
