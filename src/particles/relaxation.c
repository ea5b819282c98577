// SPDX-License-Identifier: MIT
// relaxation.c: the prediction-relaxation step of [CBP05], as in [OZG13] chapter 5, algorithm 2.
//
//     v <- v + h g, viscous impulses; x <- x + h v; springs move x; pressures move x; walls;
//     v = dx/h
//
// Viscous impulses act between particles that approach each other with the speed u (algorithm 1):
//
//     v_i <- v_i - sum_j h/2 (1 - q)(sigma u + beta u^2) r^,     u = (v_i - v_j) . r^ > 0
//
// Double-density relaxation, [OZG13] eqs. (5.1) to (5.6): every pair moves apart by
//
//     D_ij = h^2 [ (p_i + p_j)/2 (1 - q) + (p'_i + p'_j)/2 (1 - q)^2 ],     q = r/R
//     p = k (rho - rho0),  rho = sum_j (1 - q)^2;     p' = k' rho',  rho' = sum_j (1 - q)^3
//
// [CBP05] changes positions particle by particle, so that a particle sees its moved neighbours.
// Here all displacements of a stage are computed from the same positions and then applied (Jacobi
// form): results have the same bits for any number of threads, and momentum is conserved. One
// stage is an explicit step, stable for c h / R < 1/4, c the speed of sound; a displacement changes
// v by D / h, so that v = dx / h at the end without storing the positions before.
//
// Boundary particles, which the thesis does not have, enter the sums with their volumes and mirror
// the pressure of each particle beside them. The constants are not free (find_constants):
//
//   k      from the speed of sound:  c^2 = d(P/rho)/d(d e),  P/rho = 1/(2 d) sum_j D_ij r_ij / h^2
//   k'     near_ratio k
//   rho0   such that the rest lattice has no pressure
//   sigma  from the viscosity: 120 nu / sum_j (1 - q) r^2, half of all pairs approach each other
//
// for a lattice of d dimensions that is compressed by the strain e along each axis.
//
// Sticky walls: a particle within half a spacing of a wall or collider loses its normal velocity
// relative to it, and of the tangential velocity the share min(1, k_hist M / (10 k_min)), with the
// mean history stiffness of its springs; the thesis says "in a proportional way", and that the
// added stiffness reaches ten times k_min. Colliders with a mass take up the lost momentum.
//
//   x  position, m   v  velocity, m/s   h  step, s   R  support, m   r^  unit vector from j to i
//   p, p'  pressure and near-pressure, m/s^2   k, k'  m/s^2   sigma  1/s   beta  1/m
//
// [CBP05], [OZG13] in docs/references.md
#include "particles/spring_network.h"

// Added stiffness, in k_min, at which walls hold a particle completely.
static const float STICKING_STIFFNESS = 10;
// Distance from a wall at which a particle sticks to it, in spacings.
static const double STICKING_DISTANCE = 0.5;

// Constants of the pair loops; symbols as at the head of this file.
typedef struct constants {
    float inverse_R, inverse_volume; // 1/m, 1/m^3
    float k, near, rest;             // k, k' in m/s^2, rho0
    float sigma, beta;               // 1/s, 1/m
} constants;

// Sums over the rest lattice that convert what a person knows to constants.
typedef struct lattice_sums {
    double rho, near;           // of (1-q)^2, (1-q)^3
    double d_rho, d_near;       // their changes per strain
    double push, near_push;     // of (1-q) r, (1-q)^2 r, m
    double d_push, d_near_push; // their changes per strain, m
    double spread;              // of (1-q) r^2, m^2
} lattice_sums;

// Adds one lattice neighbour at the distance r, m.
static void add_neighbour(lattice_sums *sum, double r, double R)
{
    double q = r / R, w = 1 - q;
    sum->rho += w * w;
    sum->near += w * w * w;
    sum->d_rho += 2 * w * q;
    sum->d_near += 3 * w * w * q;
    sum->push += w * r;
    sum->near_push += w * w * r;
    sum->d_push += q * r - w * r;
    sum->d_near_push += 2 * w * q * r - w * w * r;
    sum->spread += w * r * r;
}

// Sums over the neighbours of a particle of the rest lattice.
static lattice_sums sum_lattice(const fm_particles *p)
{
    const bool flat = p->def.dimensions == 2;
    const int reach = (int)ceil(p->def.support);
    lattice_sums sum = {0};
    for (int k = flat ? 0 : -reach; k <= (flat ? 0 : reach); k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r = p->def.spacing * sqrt((double)(i * i + j * j + k * k));
                if (r > 0 && r < p->R)
                    add_neighbour(&sum, r, p->R);
            }
        }
    }
    return sum;
}

// The constants of a fluid, from its speed of sound, viscosity and spacing.
static constants find_constants(const fm_particles *p)
{
    const lattice_sums s = sum_lattice(p);
    const double d = p->def.dimensions, ratio = p->def.near_ratio;
    const double nu = p->def.viscosity / p->def.density;
    // p / k at which the rest lattice has no pressure, and c^2 / k
    double p_rest = -ratio * s.near * s.near_push / s.push;
    double c2 = (s.d_rho * s.push + p_rest * s.d_push +
                 ratio * (s.d_near * s.near_push + s.near * s.d_near_push)) /
                (2 * d * d);
    double k = p->c * p->c / c2;
    return (constants){
        .inverse_R = (float)(1 / p->R),
        .inverse_volume = (float)(1 / p->volume),
        .k = (float)k,
        .near = (float)(ratio * k),
        .rest = (float)(s.rho - p_rest),
        .sigma = (float)(120 * nu / s.spread),
        .beta = (float)p->def.quadratic_viscosity,
    };
}

// Distances of a particle from eight neighbours, and unit vectors from these to it.
typedef struct octet {
    fm_floats x, y, z, w; // unit vector; 1 - r/R, 0 beyond the support
} octet;

// Distances of the particle at `i` from the neighbours `j`. The particle itself has the vector 0.
FM_INLINE octet find_octet(const fm_density_record *i, const fm_density_octet *j, float inverse_R)
{
    fm_floats x = i->x - j->x, y = i->y - j->y, z = i->z - j->z;
    fm_floats r2 = x * x + y * y + z * z, r = fm_floats_sqrt(r2);
    fm_floats inverse = 1 / (r + fm_floats_select(r2 <= 0, 1 - (fm_floats){0}));
    fm_floats w = 1 - r * inverse_R;
    return (octet){x * inverse, y * inverse, z * inverse, fm_floats_select(w > 0, w)};
}

// A vector for each of eight lanes.
typedef struct vectors {
    fm_floats x, y, z;
} vectors;

// Adds f times the unit vectors of an octet.
FM_INLINE void add_along(vectors *sum, const octet *o, fm_floats f)
{
    sum->x += f * o->x;
    sum->y += f * o->y;
    sum->z += f * o->z;
}

// Stores the sum over lanes, m/s^2, as the acceleration of particle i.
FM_INLINE void store_acceleration(fm_particles *p, int i, const vectors *sum, fm_vec3 g)
{
    p->ax[i] = (float)g.x + fm_floats_sum(sum->x);
    p->ay[i] = (float)g.y + fm_floats_sum(sum->y);
    p->az[i] = p->def.dimensions == 3 ? (float)g.z + fm_floats_sum(sum->z) : 0;
}

// Gravity and viscous impulses, as accelerations. [OZG13] algorithm 1.
FM_SIMD_CLONES static void find_impulse_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const constants k = find_constants(p);
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const fm_density_record *at = &p->fluid.density[i];
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        vectors sum = {0};
        for (int b = 0; b < count; b += 8) {
            fm_density_octet j = fm_records_load_density(p->fluid.density, list + b, 0);
            octet o = find_octet(at, &j, k.inverse_R);
            // i moves towards j when the unit vector from j to i and v_i - v_j are opposite
            fm_floats u = (j.vx - at->vx) * o.x + (j.vy - at->vy) * o.y + (j.vz - at->vz) * o.z;
            u = fm_floats_select(u > 0, u);
            add_along(&sum, &o, 0.5f * o.w * (k.sigma * u + k.beta * u * u));
        }
        store_acceleration(p, i, &sum, step->around->gravity);
    }
}

// Pressure and near-pressure of particles, stored in P and V of their force records. Eqs. (5.1),
// (5.2), (5.4), (5.5).
FM_SIMD_CLONES static void find_pressure_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const constants k = find_constants(p);
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding, boundary_padding;
    for (int i = first; i < last; i++) {
        const fm_density_record *at = &p->fluid.density[i];
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        fm_floats rho = {0}, near = {0};
        for (int b = 0; b < count; b += 8) {
            fm_density_octet j = fm_records_load_density(p->fluid.density, list + b, 0);
            octet o = find_octet(at, &j, k.inverse_R);
            rho += o.w * o.w;
            near += o.w * o.w * o.w;
        }
        // the particle itself and the padding entries, which repeat it, added 1 each
        float own = (float)(padding + 1), fluid = fm_floats_sum(rho) - own;
        list = fm_neighbours_in_boundary(p, i, buffer, &count, &boundary_padding);
        for (int b = 0; b < count; b += 8) {
            int repeated = b + 8 == count ? boundary_padding : 0;
            fm_density_octet j = fm_records_load_density(p->boundary.density, list + b, repeated);
            octet o = find_octet(at, &j, k.inverse_R);
            fm_floats share = k.inverse_volume * j.V;
            rho += share * o.w * o.w;
            near += share * o.w * o.w * o.w;
        }
        float density = fm_floats_sum(rho) - own;
        p->fill[i] = density / k.rest;
        p->now.s[i] = fluid > 0 ? p->fill[i] - 1 : 0;
        p->P[i] = k.k * (density - k.rest) * (float)p->R; // m^2/s^2, for the field `pressure`
        p->fluid.force[i] =
            (fm_force_record){at->x, at->y, at->z, k.k * (density - k.rest),
                              0,     0,     0,     k.near * (fm_floats_sum(near) - own)};
    }
}

// Displacements by pressure, divided by h^2. Eqs. (5.3), (5.6).
FM_SIMD_CLONES static void find_displacement_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const float inverse_R = (float)(1 / p->R), inverse_volume = (float)(1 / p->volume);
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const fm_density_record *at = &p->fluid.density[i];
        const fm_force_record *own = &p->fluid.force[i];
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        vectors sum = {0};
        for (int b = 0; b < count; b += 8) {
            fm_force_octet f = fm_records_load_force(p->fluid.force, list + b, 0);
            fm_density_octet j = {.x = f.x, .y = f.y, .z = f.z};
            octet o = find_octet(at, &j, inverse_R);
            add_along(&sum, &o, 0.5f * o.w * (own->P + f.P + (own->V + f.V) * o.w));
        }
        list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
        for (int b = 0; b < count; b += 8) {
            int repeated = b + 8 == count ? padding : 0;
            fm_density_octet j = fm_records_load_density(p->boundary.density, list + b, repeated);
            octet o = find_octet(at, &j, inverse_R);
            add_along(&sum, &o, inverse_volume * j.V * o.w * (own->P + own->V * o.w));
        }
        store_acceleration(p, i, &sum, (fm_vec3){0});
    }
}

// Opposite forces on the wet boundary particles first to below last, N.
FM_SIMD_CLONES static void find_reaction_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const float inverse_R = (float)(1 / p->R);
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int n = first; n < last; n++) {
        const int i = p->wet[n];
        if (!fm_boundary_needs_force(step, i))
            continue;
        const fm_density_record *at = &p->boundary.density[i];
        vectors sum = {0};
        const int *list = fm_neighbours_of_wet(p, n, buffer, &count, &padding);
        for (int b = 0; b < count; b += 8) {
            fm_force_octet f = fm_records_load_force(p->fluid.force, list + b, 0);
            fm_density_octet j = {.x = f.x, .y = f.y, .z = f.z};
            octet o = find_octet(at, &j, inverse_R);
            fm_floats push = o.w * (f.P + f.V * o.w);
            if (b + 8 == count)
                push = fm_floats_select(fm_ints_mask_below(8 - padding), push);
            add_along(&sum, &o, push);
        }
        double scale = p->def.density * (double)at->V;
        p->force[i] = (fm_vec3){scale * fm_floats_sum(sum.x), scale * fm_floats_sum(sum.y),
                                scale * fm_floats_sum(sum.z)};
    }
}

// Moves particles by the displacements h^2 a and changes their velocities by h a.
static void displace_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    const double h = step->h;
    const float kick = (float)h;
    for (int i = first; i < last; i++) {
        p->now.vx[i] += kick * p->ax[i];
        p->now.vy[i] += kick * p->ay[i];
        p->now.vz[i] += kick * p->az[i];
        p->now.x[i] += h * h * (double)p->ax[i];
        p->now.y[i] += h * h * (double)p->ay[i];
        p->now.z[i] += h * h * (double)p->az[i];
    }
}

// Advances particles to their predicted positions.
static void predict_range(void *context, int first, int last)
{
    fm_step_drift(context, first, last, ((const fm_particles_step *)context)->h);
}

// Sets the accelerations to 0, to which springs add.
static void clear_accelerations(fm_particles *p)
{
    const size_t size = (size_t)p->count * sizeof *p->ax;
    memset(p->ax, 0, size);
    memset(p->ay, 0, size);
    memset(p->az, 0, size);
}

// Velocity after contact of a particle of velocity v with a wall of velocity u, m/s. Relative to
// the wall, the normal part becomes 0 and the tangential part is multiplied by 1 - hold.
static fm_vec3 stick(fm_vec3 v, fm_vec3 u, fm_vec3 normal, double hold)
{
    fm_vec3 relative = fm_sub(v, u);
    fm_vec3 along = fm_add_scaled(relative, normal, -fm_dot(relative, normal));
    return fm_add_scaled(u, along, 1 - hold);
}

// Velocity of particle i after sticking to the walls of the domain.
static fm_vec3 stick_to_walls(const fm_particles_step *step, fm_vec3 x, fm_vec3 v, double hold)
{
    const fm_domain *d = &step->p->def.domain;
    const double near = STICKING_DISTANCE * step->p->def.spacing;
    const fm_vec3 low = fm_add(d->low, step->offset), high = fm_add(d->high, step->offset);
    const double gap[FM_SIDE_COUNT] = {x.x - low.x,  high.x - x.x, x.y - low.y,
                                       high.y - x.y, x.z - low.z,  high.z - x.z};
    static const fm_vec3 normal[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int side = 0; side < 2 * step->p->def.dimensions; side++)
        if (d->sides[side] == FM_SIDE_WALL && gap[side] < near)
            v = stick(v, fm_add(step->domain_velocity, d->slide[side]), normal[side / 2], hold);
    return v;
}

// Velocity of particle i after sticking to colliders. Those with a mass take up its momentum.
static fm_vec3 stick_to_colliders(const fm_particles_step *step, fm_vec3 x, fm_vec3 v, double hold)
{
    const fm_surroundings *around = step->around;
    const double near = STICKING_DISTANCE * step->p->def.spacing, m = fm_particles_mass(step->p);
    for (int k = 0; k < around->collider_count; k++) {
        fm_contact at = fm_placed_find_contact(&around->placed[k], x);
        if (at.distance >= near)
            continue;
        fm_vec3 before = v;
        v = stick(v, at.velocity, at.normal, hold);
        if (around->colliders[k]->rigid)
            fm_collider_add_impulse(around->colliders[k], at.point, fm_scale(fm_sub(before, v), m));
    }
    return v;
}

// Sticks all particles near walls and colliders to them. On one thread, in the order of particles,
// because colliders collect impulses.
static void stick_to_boundaries(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    const fm_springs *springs = fm_springs_find(p);
    if (!p->def.sticky || p->def.domain.slip)
        return;
    for (int i = 0; i < p->count; i++) {
        if (!p->is_near_boundary[p->cell[i]])
            continue;
        fm_vec3 x = {p->now.x[i], p->now.y[i], p->now.z[i]};
        fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        double history = springs ? (double)springs->history->now[i] / springs->k_min : 0;
        double hold = fmin(1, fmax(0, history / STICKING_STIFFNESS));
        v = stick_to_colliders(step, x, stick_to_walls(step, x, v, hold), hold);
        p->now.vx[i] = (float)v.x;
        p->now.vy[i] = (float)v.y;
        p->now.vz[i] = p->def.dimensions == 3 ? (float)v.z : 0;
    }
}

// Keeps particles inside walls and outside colliders.
static void contain_range(void *context, int first, int last)
{
    fm_walls_contain_particles(context, first, last);
}

// Keeps particles that changed since the last substep inside walls.
static void contain_first_range(void *context, int first, int last)
{
    fm_step_record_positions(context, first, last);
    fm_walls_contain_particles(context, first, last);
}

// Computes displacements by pressure at the current positions and applies them.
static void relax_density(fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    fm_particles_update_records(p, pool);
    fm_boundary_update_ghosts(step);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, find_pressure_range, step);
    fm_step_record_time(step, FM_PARTICLES_DENSITY);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, find_displacement_range, step);
    fm_boundary_apply_reactions(step, find_reaction_range);
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, displace_range, step);
    fm_step_record_time(step, FM_PARTICLES_PRESSURE);
}

// One substep. [OZG13] algorithm 2.
bool fm_relaxation_take_substep(fm_particles_step *step, fm_error *err)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    const double start = p->time;
    fm_step_set_time(step, start, start);
    fm_step_emit_particles(step);
    fm_step_move(step, contain_first_range);
    if (!fm_step_list_pairs(step, err))
        return false;
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, find_impulse_range, step);
    fm_step_kick(step);
    fm_step_set_time(step, start, start + step->h);
    fm_step_move(step, predict_range);
    fm_boundary_move_placed(step);
    fm_particles_update_records(p, pool);
    clear_accelerations(p);
    fm_fluid_terms_add_forces(step);
    fm_parallel_for(pool, p->count, FM_PARTICLES_LARGE_BLOCK, displace_range, step);
    fm_step_record_time(step, FM_PARTICLES_FORCES);
    relax_density(step);
    fm_step_move(step, contain_range);
    stick_to_boundaries(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    return true;
}
