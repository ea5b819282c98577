// SPDX-License-Identifier: MIT
// viscous_rotation.c: the part of the viscous force that lets a viscous fluid rotate freely.
//
// forces.c computes the viscous force as the Laplacian of the velocity,
//
//     a_i = 2 nu sum_j V_j F_ij (v_i - v_j)
//
// Inside an incompressible fluid it is exact. At a free surface, where neighbours are missing, it
// is the traction mu A n, and that of a Newtonian fluid is mu (A + A^T) n: a drop of the radius a
// that rotates like a rigid body would lose its rotation at the rate 4 nu / a^2. This term adds the
// difference,
//
//     a_i += nu sum_j V_j F_ij (A_i + A_j)^T r_ij
//
// Inside, the sum is nu grad div v = 0. With velocities that are linear in the position, both sums
// together are 2 nu E times the sum of 2 V_j F_ij r_ij, which vanishes in rigid rotation and exerts
// no torque, because E is symmetric. Equal and opposite for i and j, so momentum is kept. Over
// fluid neighbours only: on a wall without slip, A^T n is the gradient of the normal velocity, 0.
// Its least-squares estimate in a film of one to three particles is not, and the term would pull
// the upper edge of the film from the wall. Particles beside walls and colliders without a mass
// therefore do not have it; their part is added to the load on the walls (lost_velocity).
//
// Pairs with fractional viscosity have the sum over differences alone.
//
// Left out where it moves nothing: without a free surface, and where 4 nu / spacing^2, the rate at
// which the smallest drops would lose their rotation, is below SLOWEST.
//
//   A  velocity gradient dv_a/dx_b by least squares (local_gradients.h), 1/s    E  its symmetric
//   part    nu  viscosity / density, m^2/s    V  volume under pressure, m^d
//   F_ij r_ij  kernel gradient at i, 1/m^(d+1)    n  normal of the surface
#include "particles/particles.h"

static const double SLOWEST = 0.1; // 1/s

// The term has no state that lasts. p->spin holds half the vorticity of all particles, 1/s.
static void *create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    (void)around;
    const fm_particles_def *def = &p->def;
    double rate = 4 * def->viscosity / def->density / (def->spacing * def->spacing);
    bool newtonian = def->fractional.order == 1 || def->fractional.above > 0; // at least some pairs
    if (!(rate > SLOWEST) || !newtonian || def->network.viscosity > 0 ||
        !fm_particles_needs_gradients(p))
        return NULL;
    p->spin =
        fm_arena_alloc(&p->arena, (size_t)p->capacity + 8, sizeof *p->spin, p->object.name, err);
    return p->spin;
}

// The transposed gradient A^T r of eight particles with the strain rates e (in the order of
// fm_strain_record) and the spins w: E r - w x r.
FM_INLINE void add_transposed(fm_floats sum[3], const fm_floats e[6], const fm_floats w[3],
                              fm_floats dx, fm_floats dy, fm_floats dz)
{
    sum[0] += e[0] * dx + e[3] * dy + e[5] * dz - (w[1] * dz - w[2] * dy);
    sum[1] += e[3] * dx + e[1] * dy + e[4] * dz - (w[2] * dx - w[0] * dz);
    sum[2] += e[5] * dx + e[4] * dy + e[2] * dz - (w[0] * dy - w[1] * dx);
}

// The acceleration of particle i by neighbours of one set, divided by nu F n_i. owners: fluid
// particles whose gradients the neighbours have.
FM_INLINE void add_neighbours(fm_floats sum[3], const fm_particles *p, int i,
                              const fm_force_record *records, const int *list, const int *owners,
                              int count, int padding)
{
    const fm_force_record *at = &p->fluid.force[i];
    const fm_strain_record *E = &p->strain[i];
    const fm_fractional fractional = p->def.fractional;
    const float *w = p->spin[i].u, inverse = (float)(1 / p->R);
    const float own[6] = {E->xx, E->yy, E->zz, E->xy, E->yz, E->zx};
    for (int b = 0; b < count; b += 8) {
        fm_force_octet j = fm_records_load_force(records, list + b, b + 8 == count ? padding : 0);
        fm_floats e[8], spin[3], turned[3] = {0};
        fm_records_load_strain(p->strain, owners + b, e);
        fm_records_load_viscous(p->spin, owners + b, spin);
        for (int k = 0; k < 6; k++)
            e[k] += own[k];
        for (int k = 0; k < 3; k++)
            spin[k] += w[k];
        fm_floats dx = at->x - j.x, dy = at->y - j.y, dz = at->z - j.z;
        fm_floats r2 = dx * dx + dy * dy + dz * dz, q = fm_floats_sqrt(r2) * inverse;
        fm_floats slope = j.V * fm_kernel_wendland_slope(q);
        if (fractional.order < 1) {
            fm_floats u[3] = {at->vx - j.vx, at->vy - j.vy, at->vz - j.vz};
            slope *= 1 - fm_records_find_memory_share((float)fractional.above, r2, u);
        }
        add_transposed(turned, e, spin, dx, dy, dz);
        for (int k = 0; k < 3; k++)
            sum[k] += slope * turned[k];
    }
}

// Moves the ghost particles among the boundary neighbours of particle i to the front of `ghosts`,
// with their owners, and pads both to a multiple of eight. Returns their number with the padding.
static int find_ghosts(const fm_particles *p, int i, int *ghosts, int *owners, int *padding)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], count, filled, n = 0;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &filled);
    for (int k = 0; k < count - filled; k++)
        if (fm_boundary_is_ghost(p, list[k])) {
            ghosts[n] = list[k];
            owners[n++] = p->identity[list[k]].owner.index;
        }
    *padding = (8 - n % 8) % 8;
    for (int k = 0; k < *padding && n > 0; k++) {
        ghosts[n + k] = ghosts[0];
        owners[n + k] = owners[0];
    }
    return n > 0 ? n + *padding : 0;
}

// True when a wall or a collider without a mass is within the support of particle i.
static bool is_beside_wall(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    for (int k = 0; k < count - padding; k++)
        if (!fm_boundary_is_ghost(p, list[k]) && fm_boundary_has_prescribed_motion(step, list[k]))
            return true;
    return false;
}

// Adds the accelerations of the particles first to below last.
FM_SIMD_CLONES static void add_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const float nu = (float)(p->def.viscosity / p->def.density);
    int buffer[FM_NEIGHBOURS_CAPACITY], ghosts[FM_NEIGHBOURS_CAPACITY],
        owners[FM_NEIGHBOURS_CAPACITY], count, padding;
    fm_vec3 *lost = &p->lost_velocity[first / FM_PARTICLES_BLOCK];
    for (int i = first; i < last; i++) {
        fm_floats sum[3] = {0};
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        add_neighbours(sum, p, i, p->fluid.force, list, list, count, 0);
        if (p->has_ghosts) {
            count = find_ghosts(p, i, ghosts, owners, &padding);
            add_neighbours(sum, p, i, p->boundary.force, ghosts, owners, count, padding);
        }
        float scale = nu * p->F * fm_particles_volume_ratio(p, p->P[i]);
        float ax = scale * fm_floats_sum(sum[0]), ay = scale * fm_floats_sum(sum[1]),
              az = p->def.dimensions == 3 ? scale * fm_floats_sum(sum[2]) : 0;
        if (is_beside_wall(step, i)) {
            fm_vec3 a = {(double)ax, (double)ay, (double)az};
            *lost = fm_add_scaled(*lost, a, step->h);
            continue;
        }
        p->ax[i] += ax, p->ay[i] += ay, p->az[i] += az;
    }
}

static void add_forces(const fm_particles_step *step, void *state)
{
    (void)state;
    fm_particles *p = step->p;
    if (p->count < p->full_count)
        fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, add_range, (void *)step);
}

const fm_fluid_term_type fm_rotation_term = {
    .name = "viscous rotation",
    .create = create,
    .add_forces = add_forces,
};
