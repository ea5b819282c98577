// SPDX-License-Identifier: MIT
// forces.c: pressure and viscous forces between fluid particles and boundary particles.
//
// Weakly compressible method, and constant density, where viscosity and pressure act one after the
// other (pressure_solver.c), n = 1 and s is not relaxed:
//
//     a_i = n_i sum_j n_j V_j F_ij [-(P_j + P_i) r_ij + 2 nu (v_i - v_j) + Pi_ij r_ij] + g + b
//     n = max(1 - s, 2/3),  s = P / c^2:  current volume / rest volume, to first order
//     Pi_ij = alpha c h w_ij / (r_ij^2 + h^2 / 100)                                  [MON92]
//     w_ij = (v_i - v_j) . r_ij - r_ij . (E_i + E_j) r_ij / 2,
//            at most (v_i - v_j) . r_ij, and 0 if it has the opposite sign
//
// E is the strain rate (local_gradients.h), so artificial viscosity does not act on velocities that
// are linear in the position, only on motion that changes within a few spacings. At boundary
// particles without slip, w_ij = min(0, (v_i - v_j) . r_ij) / 5: the boundary layer of water is
// thinner than a spacing, and without this the front of a dam break would run ahead along the
// floor. The same holds for all pairs with a network of springs.
//
// The sum over P_i is an error, which is zero on a lattice. In sheared fluid it is a force that
// drives particles back to a lattice, as if the fluid were elastic with a shear modulus of about
// 1 % of its pressure, for any spacing. A sloshing tank loses 5 to 9 % of its amplitude in a second
// by it. Where the pressure is mainly that of the weight (P > |v|^2, with gravity), away from free
// surfaces and from bodies that the fluid moves, and with particle shifting, pressure therefore
// acts by differences from a linear field:
//
//     -sum_j V_j F_ij r_ij [P_j - P_i + G_i . r_ij] - G_i
//
// Beside surfaces in the fluid (cloth), the pressure minus a reference acts by sums over pairs, so
// that fluid and surface feel opposite forces (surface_reference.c). Artificial viscosity does not
// act there: E is found without the surface, and so w_ij is not zero for velocities that are linear
// on each side. It took two thirds of the speed of a sheet that sinks.
//
// G is the gradient of P by least squares (local_gradients.h), so the force is exact where P is
// linear, for any arrangement of the particles. The sum of these forces over all particles is not
// exactly that with P_j + P_i. In a fluid without walls, the difference is subtracted in equal
// parts from the particles inside, so that momentum is conserved. With walls, the sum of all forces
// is their reaction.
//
// Every other summand is antisymmetric in i and j, so momentum is conserved up to rounding. Away
// from free surfaces, particle shifting moves particles against the gradient of their concentration
// [SKI13], and s, which density.c integrates from its rate, is relaxed towards the kernel sum:
//
//     shift_i = -4 A R |v|max dt sum_j V_j F_ij r_ij,     at most a tenth of the spacing
//     ds_i/dt = RELAXATION c / R (sum_j V_j W_ij - 1 - s_i)
//
// A = 1 shifts about twice as much as a transport velocity [ADA13]; with less, particles line up in
// Taylor-Green vortices. Without the relaxation, the volume of a sloshing tank grows by a tenth
// within seconds. A third of RELAXATION prevents that as well, but the value used gives the
// smallest errors for Taylor-Green vortices and the lid-driven cavity. Density diffusion
// (density.c) smooths the noise of the kernel sum.
//
// Standard method, as published: [OZG13] eqs. (4.4), (4.5) after [MCG03], with rho from the sum:
//
//     a_i = 1/rho_i sum_j m_j/rho_j [ -(p_i + p_j)/2 grad Wspiky + mu (v_j - v_i) lap Wviscosity ]
//
// Fractional viscosity (fractional_viscosity.c) replaces v in the viscous force by velocities u:
// for all pairs, or for pairs with |v_i - v_j| / |r_ij| above a threshold (fractional.above of the
// definition, 1/s). From half of the threshold on, u is blended in linearly.
//
//   P   pressure / rho0, m^2/s^2    nu  mu / rho0, m^2/s    mu  viscosity, Pa s, dynamic
//   F_ij r_ij  gradient of the kernel at i, 1/m^(d+1)       h  half the support R, m   A  shifting
//   alpha  artificial viscosity    c  speed of sound, m/s    V  volume at rest, m^d
//   b   acceleration of body-force regions (fm_fluid_push), m/s^2, added in step.c
//
// F is scaled so that sum_j V_j F_ij x_ij^2 = -1 on the rest lattice. Gradients of linear fields
// and Laplacians of quadratic fields are exact there.
//
// [MON92], [SKI13], [ADA13], [MCG03], [OZG13] in docs/references.md
#include "particles/particles.h"
#include "particles/surface_reference.h"

#include <string.h>

// Rate at which s = rho/rho0 - 1 is relaxed towards its kernel sum, in units of c / R.
static const double RELAXATION = 0.03;
// Near free surfaces the value that s = rho/rho0 - 1 is relaxed towards is at most this.
static const float SURFACE_TARGET_MAX = 0.05f;
// Largest artificial viscosity with constant density, whose steps sound does not limit, in units of
// h^2 / step: tanks at rest stay at rest with this, not with twice this. Of 0.5, 0.6 and 0.7, the
// one with which the effective viscosity of a wave is nearest to that measured (19 %). Not in
// fluids that fill their domain: shaken boxes would be less even.
static const double DAMPING_MAX = 0.7;
// Share of artificial viscosity where it acts on all of the relative velocity of approaching
// particles: at boundaries and with a network of springs.
static const double PLAIN_SHARE = 0.2;
// Least speed in the shift of a particle, in speeds of sound: fluid at rest needs shifting as well,
// because differences of pressures do not order its particles.
static const double REST_SHIFTING = 0.01;
// Largest shift of a particle in one substep, in spacings.
static const float SHIFT_MAX = 0.1f;

// Sums over neighbours: acceleration divided by constant scales (x, y, z), gradient of the particle
// concentration (gx, gy, gz), and force of a linear field of pressure (ex, ey, ez).
typedef struct force_sums {
    fm_floats x, y, z, gx, gy, gz, ex, ey, ez;
} force_sums;

// Constants of the loop over pairs; symbols as at the head of this file.
typedef struct force_constants {
    float inverse;          // 1/m, 1 / R, R: support radius
    float viscosity;        // m^2/s, 2 nu
    float artificial;       // m^2/s, alpha c h / 5: boundaries, springs
    float limited;          // m^2/s, alpha c h between other fluid particles
    float softening;        // m^2, h^2 / 100, keeps artificial viscosity finite for close particles
    float spiky, laplacian; // scales of the pressure and viscosity kernels of [MCG03]
    float shift;            // m^2, shift per concentration gradient
    float shift_max;        // m, largest shift
    float relaxation; // share of the deviation of s from the kernel sum that a substep corrects
    float threshold;  // 1/s, relative velocity / distance above which viscosity uses the
                      // replaced velocities; 0: always
    bool published;   // standard method
    bool shifts;      // compute the concentration gradient for particle shifting
} force_constants;

// Replaces u, the velocity of a particle minus those of eight neighbours, by the difference of the
// velocities that fractional viscosity uses. own: that of the particle; velocities[list[k]]: those
// of the neighbours; r2: squared distances, m^2.
FM_INLINE void replace_differences(const force_constants *k, const fm_viscous_velocity *own,
                                   const fm_viscous_velocity *velocities, const int *list,
                                   fm_floats r2, fm_floats u[3])
{
    fm_floats other[3], share;
    fm_records_load_viscous(velocities, list, other);
    if (k->threshold > 0) {
        share = fm_records_find_memory_share(k->threshold, r2, u);
        for (int axis = 0; axis < 3; axis++)
            u[axis] += share * (own->u[axis] - other[axis] - u[axis]);
        return;
    }
    for (int axis = 0; axis < 3; axis++)
        u[axis] = own->u[axis] - other[axis];
}

// The strain rates that artificial viscosity reads: that of a particle, and those of all particles
// that may be its neighbours. own NULL: no artificial viscosity by strain rates.
typedef struct strain_rates {
    const fm_strain_record *own, *others;
} strain_rates;

// alpha c h w_ij of eight neighbours. approach: product of relative velocity and distance vector
// (dx, dy, dz), m^2/s, of which w_ij leaves out the part that is linear in the position; list: the
// neighbours; plain: the result for boundary particles, which have no strain rate.
FM_INLINE fm_floats limit_damping(const force_constants *k, strain_rates strain, const int *list,
                                  fm_floats plain, fm_floats approach, fm_floats dx, fm_floats dy,
                                  fm_floats dz)
{
    const fm_strain_record *E = strain.own;
    fm_floats e[8];
    fm_records_load_strain(strain.others, list, e);
    fm_floats linear = dx * ((E->xx + e[0]) * dx + 2 * (E->xy + e[3]) * dy) +
                       dy * ((E->yy + e[1]) * dy + 2 * (E->yz + e[4]) * dz) +
                       dz * ((E->zz + e[2]) * dz + 2 * (E->zx + e[5]) * dx);
    fm_floats deviation = approach - 0.5f * linear;
    fm_ints same = deviation * approach > 0; // false for NaN: boundary particles
    fm_ints larger = deviation * deviation > approach * approach;
    fm_ints boundary = e[0] != e[0]; // NOLINT: true for NaN
    fm_floats share = k->limited * (1 - E->undamped) * (1 - e[6]);
    return share * (fm_floats_select(same & ~larger, deviation) +
                    fm_floats_select(same & larger, approach)) +
           fm_floats_select(boundary, plain);
}

// Adds the accelerations of particle i by eight neighbours j, divided by constant scales. own,
// velocities, list: the velocities that viscosity uses, as in replace_differences; own NULL:
// viscosity uses the particles' velocities.
FM_INLINE void add_octet(force_sums *sum, const force_constants *k, const fm_force_record *i,
                         const fm_force_octet *j, const fm_viscous_velocity *own,
                         const fm_viscous_velocity *velocities, const int *list,
                         strain_rates strain, fm_pressure_slope slopes)
{
    fm_floats dx = i->x - j->x, dy = i->y - j->y, dz = i->z - j->z;
    fm_floats ux = i->vx - j->vx, uy = i->vy - j->vy, uz = i->vz - j->vz;
    fm_floats r2 = dx * dx + dy * dy + dz * dz;
    fm_floats q = fm_floats_sqrt(r2) * k->inverse;
    fm_floats pressure = i->P + j->P, slope, along, drag;
    fm_floats expected = slopes.x * dx + slopes.y * dy + slopes.z * dz;
    if (k->published) {
        slope = j->V;
        along = slope * fm_kernel_spiky_slope(q) * k->spiky * pressure;
        drag = slope * fm_kernel_viscosity_laplacian(q) * k->laplacian;
    } else {
        fm_floats approach = ux * dx + uy * dy + uz * dz;
        fm_floats damped = k->artificial * fm_floats_select(approach < 0, approach);
        if (strain.own)
            damped = limit_damping(k, strain, list, damped, approach, dx, dy, dz);
        slope = j->V * fm_kernel_wendland_slope(q);
        along = slope * (damped / (r2 + k->softening) - pressure);
        drag = slope * k->viscosity;
    }
    fm_floats u[3] = {ux, uy, uz};
    if (own)
        replace_differences(k, own, velocities, list, r2, u);
    sum->x += along * dx + drag * u[0];
    sum->y += along * dy + drag * u[1];
    sum->z += along * dz + drag * u[2];
    if (k->shifts) {
        fm_floats e = slope * expected;
        sum->ex += e * dx;
        sum->ey += e * dy;
        sum->ez += e * dz;
        sum->gx += slope * dx;
        sum->gy += slope * dy;
        sum->gz += slope * dz;
    }
}

// Constants of the loop over pairs. published: standard method; shifts: with particle shifting.
static force_constants find_constants(const fm_particles_step *step, bool published, bool shifts)
{
    const fm_particles *p = step->p;
    double h = p->R / 2, nu = step->pressure_only ? 0 : p->def.viscosity / p->def.density;
    double alpha = step->pressure_only ? 0 : p->def.artificial_viscosity;
    double shifting_speed = fmax(p->max_speed, REST_SHIFTING * p->c);
    bool limited = fm_particles_needs_strain(p), solved = p->def.method == FM_SPH_CONSTANT_DENSITY;
    // m^2/s; the explicit step is unstable above twice this
    const double most =
        solved && p->count < p->full_count ? DAMPING_MAX * h * h / step->h : INFINITY;
    // m^2; twice as much moves a pool of water at rest in 3D
    double largest = solved ? (p->def.dimensions == 3 ? 0.15 : 0.3) * h * h : INFINITY;
    return (force_constants){
        .inverse = (float)(1 / p->R),
        .viscosity = (float)(2 * nu),
        .artificial = limited && p->def.domain.slip ? 0 : (float)(PLAIN_SHARE * alpha * p->c * h),
        .limited = limited ? (float)fmin(alpha * p->c * h, most) : 0,
        .softening = (float)(h * h / 100),
        .spiky = -0.5f * p->spiky,
        .laplacian = (float)(-nu * p->laplacian),
        .shift = -(float)(p->def.shifting * fmin(4 * p->R * shifting_speed * step->h, largest)),
        .shift_max = SHIFT_MAX * (float)p->def.spacing,
        .relaxation = solved ? 0 : (float)(RELAXATION * p->c / p->R) * (float)step->h,
        .threshold = (float)p->def.fractional.above,
        .published = published,
        .shifts = shifts,
    };
}

// Particle shifting of particle i, and relaxation of its density s = rho/rho0 - 1 towards the
// kernel sum. sum[4..6]: gradient of the particle concentration. Near a free surface there is no
// shifting, which would move particles out of the fluid, and s may only grow, because the kernel
// sum is too small there. The growth keeps jets and splashes from contracting to a thread.
FM_INLINE void shift_and_relax(fm_particles *p, int i, const force_constants *k, fm_floats sum)
{
    bool near_surface = atomic_load_explicit(&p->beside_surface[i], memory_order_relaxed);
    float gx = sum[4], gy = sum[5], gz = sum[6], a = k->shift;
    float length = fabsf(a) * sqrtf(gx * gx + gy * gy + gz * gz);
    a = near_surface ? 0 : length > k->shift_max ? a * k->shift_max / length : a;
    p->dx[i] = a * gx;
    p->dy[i] = a * gy;
    p->dz[i] = a * gz;
    float deviation = p->fill[i] - 1 - p->now.s[i];
    if (near_surface && p->fill[i] - 1 > SURFACE_TARGET_MAX)
        deviation = SURFACE_TARGET_MAX - p->now.s[i];
    if (!near_surface || deviation > 0)
        p->now.s[i] += k->relaxation * deviation;
}

// True when a body that the fluid moves is within the support of particle i.
static bool is_near_moved_body(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    for (int k = 0; k < count - padding; k++)
        if (!fm_boundary_is_ghost(p, list[k]) && !fm_boundary_has_prescribed_motion(step, list[k]))
            return true;
    return false;
}

// True when pressure acts on particle i by differences: in slow fluid under its own weight, where
// P > |v|^2; away from free surfaces, where the kernel is cut off and the sum with P_j + P_i makes
// the pressure zero; and away from bodies that the fluid moves, which feel the opposite force. With
// constant density in a closed fluid, where P is known up to a constant, always, except beside
// sheets.
static bool is_inside(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    const fm_force_record *at = &p->fluid.force[i];
    if (step->closed)
        return !p->sheet || !is_near_moved_body(step, i);
    return at->P > at->vx * at->vx + at->vy * at->vy + at->vz * at->vz &&
           fm_length(step->around->gravity) > 0 && p->fill[i] < FM_CLUMP_FILL &&
           !atomic_load_explicit(&p->beside_surface[i], memory_order_relaxed) &&
           !is_near_moved_body(step, i);
}

// How pressure acts on a particle: by P_j + P_i - 2 P + slope . r_ij over pairs, and by -slope.
typedef struct pressure_law {
    bool differs;            // from P_j + P_i
    float P;                 // m^2/s^2: P_i for differences
    fm_pressure_slope slope; // m/s^2, gradient of P
    float samples[3]; // force of P and slope in pairs with samples, divided by the gradient scale
} pressure_law;

// Chooses how pressure acts on particle i: inside, by differences from the particle's own pressure;
// beside surfaces in the fluid, from a reference that particle and surface share.
static pressure_law choose_pressure_law(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    if (is_inside(step, i))
        return (pressure_law){true, p->fluid.force[i].P, p->pressure_gradient[i], {0}};
    if (p->surface_count == 0 || p->surface_reference[i].share == 0)
        return (pressure_law){0};
    const fm_surface_reference *at = &p->surface_reference[i];
    fm_vec3 samples = fm_add_scaled(at->linear, at->gradient, -2 * at->P);
    return (pressure_law){true,
                          (float)at->P,
                          {(float)at->slope.x, (float)at->slope.y, (float)at->slope.z},
                          {(float)samples.x, (float)samples.y, (float)samples.z}};
}

// Adds the part of the pressure force that makes it exact for linear fields, for a particle inside,
// and adds its difference from the force with P_j + P_i to excess[0..2], m/s^2, and 1 to excess[3].
// sum, scale: sums over neighbours and the factor on them; total[4..6]: concentration gradient.
// Pairs with samples of surfaces have P_j + P_i.
FM_INLINE void correct_gradient(fm_particles *p, int i, const pressure_law *law,
                                const force_sums *sum, float scale, fm_floats total,
                                double excess[4])
{
    const float n = scale / p->F;
    const float correction[3] = {
        scale * (law->samples[0] - fm_floats_sum(sum->ex)) - n * law->slope.x,
        scale * (law->samples[1] - fm_floats_sum(sum->ey)) - n * law->slope.y,
        scale * (law->samples[2] - fm_floats_sum(sum->ez)) - n * law->slope.z};
    p->ax[i] += correction[0];
    p->ay[i] += correction[1];
    p->az[i] += correction[2];
    for (int axis = 0; axis < 3; axis++)
        excess[axis] += 2 * (double)law->P * (double)total[4 + axis] + (double)correction[axis];
    excess[3]++;
}

// Adds what the rows missing above a free surface would do to a linear pressure, constant density
// under gravity: with it, the sum over P_j + P_i gives particles in flat rows the acceleration -G.
// The rows next to the particle have P_j + P_i = 0, so it is the row after that, which only kernels
// with a support of more than two spacings reach: downwards in the outermost row of particles,
// upwards in the second. total[4..6]: concentration gradient, whose length tells the rows apart.
FM_INLINE void add_missing_rows(const fm_particles_step *step, int i, fm_floats total)
{
    fm_particles *p = step->p;
    const fm_pressure_slope G = p->pressure_gradient[i];
    const float first = p->row_slope[0], second = p->row_slope[1];
    const float length = sqrtf(total[4] * total[4] + total[5] * total[5] + total[6] * total[6]);
    if (fm_length(step->around->gravity) == 0)
        return;
    float share = length > second ? 2 * (length - second) / (first - second) - 1 : -length / second;
    share = fminf(share, 1) * (float)p->def.spacing * second;
    p->ax[i] -= share * G.x;
    p->ay[i] -= share * G.y;
    p->az[i] -= share * G.z;
}

// Computes the accelerations of the particles first to below last. Constant arguments select the
// variant. published: standard method; shifts: with particle shifting; replaced: viscosity uses the
// velocities p->viscous instead of the particles' own.
FM_INLINE void compute_range(const fm_particles_step *step, int first, int last, bool published,
                             bool shifts, bool replaced)
{
    fm_particles *p = step->p;
    const fm_viscous_velocity *velocities = replaced ? p->viscous : NULL;
    const fm_viscous_velocity *boundary_velocities = replaced ? p->viscous_boundary : NULL;
    const force_constants k = find_constants(step, published, shifts);
    const fm_vec3 g = step->pressure_only ? (fm_vec3){0} : step->around->gravity;
    int buffer[FM_NEIGHBOURS_CAPACITY], boundary_buffer[FM_NEIGHBOURS_CAPACITY];
    const fm_strain_record *strain = !published && k.limited > 0 ? p->strain : NULL;
    double excess[4] = {0}; // m/s^2, of the sum over particles inside, and their number
    int fluid_count, count, padding;
    for (int i = first; i < last; i++) {
        const fm_force_record *at = &p->fluid.force[i];
        fm_force_record own = *at; // P has the sign that it has in the sum
        const pressure_law law = shifts ? choose_pressure_law(step, i) : (pressure_law){0};
        p->is_inside[i] = law.differs;
        own.P = at->P - 2 * law.P;
        const fm_viscous_velocity *own_viscous = replaced ? velocities + i : NULL;
        const int *list = fm_neighbours_in_fluid(p, i, buffer, &fluid_count, &padding);
        force_sums sum = {0};
        for (int b = 0; b < fluid_count; b += 8) {
            fm_force_octet j = fm_records_load_force(p->fluid.force, list + b, 0);
            add_octet(&sum, &k, &own, &j, own_viscous, velocities, list + b,
                      (strain_rates){strain ? strain + i : NULL, strain}, law.slope);
        }
        const int *points = fm_neighbours_in_boundary(p, i, boundary_buffer, &count, &padding);
        for (int b = 0; b < count; b += 8) {
            int repeated = b + 8 == count ? padding : 0;
            fm_force_octet j = fm_records_load_force(p->boundary.force, points + b, repeated);
            add_octet(
                &sum, &k, &own, &j, own_viscous, boundary_velocities, points + b,
                (strain_rates){strain && p->ghost_strain ? strain + i : NULL, p->ghost_strain},
                law.slope);
        }
        float scale = (published ? 1 : p->F) * fm_particles_volume_ratio(p, at->P);
        const fm_floats a[4] = {sum.x, sum.y, sum.z}, b[4] = {sum.gx, sum.gy, sum.gz};
        const fm_floats total = scale * fm_floats_sum_eight(a, b);
        p->ax[i] = (float)g.x + total[0];
        p->ay[i] = (float)g.y + total[1];
        p->az[i] = (float)g.z + total[2];
        if (p->is_inside[i])
            correct_gradient(p, i, &law, &sum, scale, total, excess);
        if (step->pressure_only && p->is_surface[i] && p->row_slope[1] > 0)
            add_missing_rows(step, i, total);
        if (shifts)
            shift_and_relax(p, i, &k, total);
    }
    if (shifts)
        memcpy(p->partial + 4 * (first / FM_PARTICLES_BLOCK), excess, sizeof excess);
}

// Accelerations of the weakly compressible method with particle shifting.
FM_SIMD_CLONES static void compute_shifted(void *context, int first, int last)
{
    const bool published = false, shifts = true, replaced = false;
    compute_range(context, first, last, published, shifts, replaced);
}

// Accelerations of the weakly compressible method without particle shifting, and of the
// constant-density method.
FM_SIMD_CLONES static void compute_plain(void *context, int first, int last)
{
    const bool published = false, shifts = false, replaced = false;
    compute_range(context, first, last, published, shifts, replaced);
}

// Accelerations of the standard method, as in [OZG13].
FM_SIMD_CLONES static void compute_published(void *context, int first, int last)
{
    const bool published = true, shifts = false, replaced = false;
    compute_range(context, first, last, published, shifts, replaced);
}

// As compute_shifted, with fractional viscosity.
FM_SIMD_CLONES static void compute_shifted_replaced(void *context, int first, int last)
{
    const bool published = false, shifts = true, replaced = true;
    compute_range(context, first, last, published, shifts, replaced);
}

// As compute_plain, with fractional viscosity.
FM_SIMD_CLONES static void compute_plain_replaced(void *context, int first, int last)
{
    const bool published = false, shifts = false, replaced = true;
    compute_range(context, first, last, published, shifts, replaced);
}

// As compute_published, with fractional viscosity.
FM_SIMD_CLONES static void compute_published_replaced(void *context, int first, int last)
{
    const bool published = true, shifts = false, replaced = true;
    compute_range(context, first, last, published, shifts, replaced);
}

// Runs one of two variants over all particles: `replaced` if viscosity uses the velocities
// p->viscous instead of the particles' own.
static void compute_for_all(const fm_particles_step *step, fm_range_body *plain,
                            fm_range_body *replaced)
{
    const fm_particles *p = step->p;
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, p->viscous ? replaced : plain,
                    (void *)step);
}

// Force of walls, colliders and coupled bodies on the fluid: the sum of all forces on particles
// except gravity, N.
static fm_vec3 sum_forces(const fm_particles_step *step)
{
    const fm_particles *p = step->p;
    fm_vec3 sum = {0};
    for (int i = 0; i < p->count; i++)
        sum = fm_add(sum, (fm_vec3){p->ax[i], p->ay[i], p->az[i]});
    if (!step->pressure_only)
        sum = fm_add_scaled(sum, step->around->gravity, -p->count);
    if (p->def.dimensions == 2)
        sum.z = 0;
    return fm_scale(sum, fm_particles_mass(p));
}

// Accelerations of all particles by pressure, viscosity and gravity, without particle shifting.
void fm_forces_compute(const fm_particles_step *step)
{
    compute_for_all(step, compute_plain, compute_plain_replaced);
    if (step->p->def.loads)
        step->p->force_on_fluid = sum_forces(step);
}

// Subtracts the excess acceleration from the particles inside.
static void subtract_excess(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    for (int i = first; i < last; i++) {
        if (!p->is_inside[i])
            continue;
        p->ax[i] -= (float)step->excess.x;
        p->ay[i] -= (float)step->excess.y;
        p->az[i] -= (float)step->excess.z;
    }
}

// Adds up the excess of the particles inside and subtracts it from them in equal parts.
static void balance_momentum(const fm_particles_step *step)
{
    const fm_particles *p = step->p;
    double total[4] = {0};
    for (int block = 0; block < fm_parallel_block_count(p->count, FM_PARTICLES_BLOCK); block++)
        for (int k = 0; k < 4; k++)
            total[k] += p->partial[4 * block + k];
    fm_particles_step balanced = *step;
    if (total[3] == 0)
        return;
    balanced.excess = (fm_vec3){total[0] / total[3], total[1] / total[3], total[2] / total[3]};
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_LARGE_BLOCK, subtract_excess,
                    &balanced);
}

// Accelerations of all particles, with particle shifting and relaxation of the density.
void fm_forces_compute_shifted(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    compute_for_all(step, compute_shifted, compute_shifted_replaced);
    if (!p->has_walls)
        balance_momentum(step);
    if (p->def.loads)
        p->force_on_fluid = sum_forces(step);
}

// Accelerations of all particles in the standard method, as in [OZG13].
void fm_forces_compute_published(const fm_particles_step *step)
{
    compute_for_all(step, compute_published, compute_published_replaced);
}

// Computes the forces of the fluid on boundary particles, N. The force of a pair on the boundary
// particle is the opposite of its force on the fluid particle.
FM_SIMD_CLONES void fm_forces_compute_reactions(const fm_particles_step *step, int first, int last,
                                                fm_vec3 *force)
{
    fm_particles *p = step->p;
    bool published = p->def.method == FM_SPH_STANDARD;
    const force_constants constant = find_constants(step, published, false);
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int k = first; k < last; k++) {
        int i = p->wet[k];
        if (!fm_boundary_needs_force(step, i))
            continue;
        const fm_force_record at = p->boundary.force[i];
        const fm_viscous_velocity *own_viscous = p->viscous ? p->viscous_boundary + i : NULL;
        force_sums sum = {0};
        const int *list = fm_neighbours_of_wet(p, k, buffer, &count, &padding);
        for (int b = 0; b < count; b += 8) {
            fm_force_octet j =
                fm_records_load_force(p->fluid.force, list + b, b + 8 == count ? padding : 0);
            add_octet(&sum, &constant, &at, &j, own_viscous, p->viscous, list + b,
                      (strain_rates){0}, (fm_pressure_slope){0});
        }
        float gradient_scale = at.V * (published ? 1 : p->F);
        double scale = p->def.density * (double)gradient_scale;
        force[i] = (fm_vec3){scale * fm_floats_sum(sum.x), scale * fm_floats_sum(sum.y),
                             scale * fm_floats_sum(sum.z)};
    }
}
