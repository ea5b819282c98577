// SPDX-License-Identifier: MIT
// immersed_surfaces.c: thin surfaces in a fluid, such as cloth, represented by samples.
//
// A sample is a boundary particle (boundary_particles.c) with the volume V = area x spacing: a
// layer of samples replaces a layer of fluid particles. The forces between samples and fluid are
// those of forces.c. Samples differ from the boundary particles of a wall in this:
//
//     buoyancy    The layer is thicker than the surface and displaces too much fluid. Where there
//                 is fluid on both sides, the weight of the fluid displaced in excess acts on the
//                 sample (excess_mass times g), but for surface_reference.c:
//                     F = rho (V - area thickness) both g
//     pressure    Each side of the surface has the pressure of its own fluid:
//                     P_side = sum_j [ P_j + g . (x_s - x_j) ] W_sj / sum_j W_sj,   j on that side
//                 A single pressure would be the mean of both sides, and a stream across the
//                 surface would feel half of the pressure difference.
//     tangential  Pressure acts along the normal of a thin surface, but the edges of the layer of
//                 samples also get a tangential pressure force, which would compress the surface.
//                 The sum of the tangential forces is distributed evenly over the wet samples.
//     inertia     In water all around, the water in that volume would move along with the surface.
//                 Its mass (clinging_mass) therefore adds to the inertia of the sample. When it
//                 changes, the fluid beside the sample loses its momentum. In spray it is 0.
//     added mass  The added mass M of a sample is half of the mass of the fluid particles i beside
//                 it. Each particle shares its mass among the samples s
//                 around it:
//                     M_s = 1/2 A_s sum_i c_i w_is,     c_i = m / max(sum_s A_s w_is, S)
//                 S is sum_s A_s w_is at one spacing from a plane surface; farther away the shares
//                 decrease.
//     impulses    An impulse J_s that the surface passes on to the fluid is distributed with the
//                 same shares:
//                     m dv_i = c_i sum_s w_is A_s J_s / (2 M_s)
//                 so that a particle gets at most half of the change of velocity around it.
//     crossing    A particle that still crosses the surface in a substep is moved back to its side
//                 and loses the velocity component into the surface; the surface gets that
//                 momentum. In a fold this may move the particle across the opposite part, so it is
//                 repeated. If the repetition does not end, the particle moves along with the
//                 surface.
//
//     wet = (up + down) / half,   both = min(up, down) / half,   at most 1
//
// up and down are the sums of V_j W_sj over the fluid on either side. half is that sum for a
// lattice that fills one side, starting one spacing away. Passive samples have no volume: they
// measure the fluid and do not act on it.
//
//   rho  density at rest, kg/m^3    W  kernel, scaled as in density.c    g  gravity, m/s^2
//   m    mass of a particle, kg     w  kernel without scale              A  area of a sample, m^2
//   dv   change of velocity, m/s    x  position, m
#include "particles/particles.h"
#include "particles/sheet_pressure.h"
#include "particles/surface_reference.h"

#include <assert.h>
#include <stdlib.h>

static const double ADDED_SHARE = 0.5; // share of the fluid mass beside a sample: its added mass
static const double CLINGING_LOW = 0.3, CLINGING_HIGH = 0.7; // find_clinging_share
// Distance from the surface to which a particle that crossed it is moved back, in spacings.
static const double SEPARATION = 0.1;
static const double KERNEL_SUM_MIN = 1e-6; // a side with a smaller kernel sum has no fluid
// A particle is near a free edge if the mean tangential offset of the samples around it exceeds
// this, in spacings. With 0.2, particles at some parts of the edge are not found.
static const double FREE_EDGE_OFFSET = 0.1;
// The patch of a sample is enlarged by this factor in tests for crossing and overlap, because it
// rotates and stretches during a substep.
static const double PATCH_ENLARGEMENT = 1.1;

enum { CROSSINGS_MAX = 4 }; // times that a particle is moved back in one substep

// Couples a surface, given as samples, with the fluid. Call before the first substep.
bool fm_particles_attach_surface(fm_particles *p, fm_samples *samples, fm_error *err)
{
    assert(samples->passive || p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE ||
           p->def.method == FM_SPH_CONSTANT_DENSITY || p->def.method == FM_SPH_AUTOMATIC);
    if (p->prepared)
        return fm_fail(err, FM_BAD_VALUE, p->object.name, "coupling", "added later",
                       "before the first advance");
    if (p->surface_count == FM_IMMERSED_SURFACES_MAX)
        return fm_fail_number(err, p->object.name, "coupled bodies", p->surface_count + 1,
                              "at most 64");
    p->surfaces[p->surface_count++] = samples;
    return true;
}

// Volume of sample k as a boundary particle, m^3; 0 for passive samples, which do not act on the
// fluid.
float fm_immersed_surfaces_find_volume(const fm_particles *p, const fm_samples *s, int k)
{
    return s->passive ? 0 : (float)(s->area[k] * p->def.spacing);
}

// True when x is inside the layer of the samples, which is one spacing thick.
static bool is_inside_layer(const fm_cell_list *cells, const fm_samples *s, fm_vec3 x,
                            double spacing)
{
    // the slack makes only one of two lattice layers on the two faces count as inside
    const double half = spacing / 2, slack = 1e-9 * spacing;
    fm_cell centre = fm_cell_list_find_cell(cells, x.x, x.y, x.z);
    for (int k = 0; k < 27; k++) { // the cell of x and the cells around it
        fm_cell cell = {centre.x + k % 3 - 1, centre.y + k / 3 % 3 - 1, centre.z + k / 9 - 1};
        int bucket = fm_cell_list_find_bucket(cells, cell);
        for (int at = cells->start[bucket]; at < cells->start[bucket + 1]; at++) {
            int i = cells->order[at];
            fm_vec3 r = fm_sub(x, s->start_position[i]);
            double d = fm_dot(r, s->start_normal[i]), reach = PATCH_ENLARGEMENT * s->reach[i];
            if (d >= -half - slack && d < half - slack && fm_dot(r, r) - d * d < reach * reach)
                return true;
        }
    }
    return false;
}

// Moves a particle to another index, which becomes its id.
static void move_particle(fm_particle_state *q, int to, int from)
{
    q->x[to] = q->x[from], q->y[to] = q->y[from], q->z[to] = q->z[from];
    q->vx[to] = q->vx[from], q->vy[to] = q->vy[from], q->vz[to] = q->vz[from];
    q->s[to] = q->s[from];
    q->id[to] = to;
}

// Removes the fluid particles that overlap the layer of samples s of a surface.
bool fm_particles_remove_inside_surface(fm_particles *p, const fm_samples *s, fm_error *err)
{
    fm_arena arena = {0};
    fm_cell_list cells;
    size_t n = (size_t)s->count + 1;
    double *x = fm_arena_alloc(&arena, 3 * n, sizeof *x, p->object.name, err), *y = x + n,
           *z = y + n;
    if (x && fm_cell_list_create(&cells, &arena, s->count + 1, err)) {
        for (int i = 0; i < s->count; i++)
            x[i] = s->start_position[i].x, y[i] = s->start_position[i].y,
            z[i] = s->start_position[i].z;
        fm_cell_list_build(&cells, p->def.spacing, s->count, x, y, z);
        int kept = 0;
        for (int i = 0; i < p->count; i++) {
            fm_vec3 at = {p->now.x[i], p->now.y[i], p->now.z[i]};
            if (is_inside_layer(&cells, s, at, p->def.spacing))
                continue;
            p->P[kept] = p->P[i];
            move_particle(&p->now, kept++, i);
        }
        p->count = p->next_id = kept;
    }
    fm_arena_destroy(&arena);
    return err->status == FM_OK;
}

// The kernel sum (volume times kernel) at a lattice point over the lattice points on one side of a
// plane through it: that of a surface with fluid on one side only.
static double find_half_fill(const fm_particles *p)
{
    int reach = (int)ceil(p->def.support);
    double plane = 0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            double q = sqrt((double)(i * i + j * j)) / p->def.support;
            plane += q < 1 ? fm_kernel_shape(FM_KERNEL_WENDLAND, q) : 0;
        }
    }
    return (1 - plane * p->volume * (double)p->W) / 2;
}

// 1 - q, or 0 beyond the support; q: length of the distance vector r, m, divided by the support.
// inverse: 1 / support, 1/m.
static inline double find_nearness(fm_vec3 r, double inverse)
{
    double q = fm_length(r) * inverse;
    return q < 1 ? 1 - q : 0;
}

// The Wendland kernel, without scale, as a function of u = 1 - distance / support.
static inline double find_kernel(double u)
{
    double u2 = u * u;
    return u2 * u2 * (5 - 4 * u);
}

// True when fluid particle i is near a free edge of an immersed surface. Along the surface, the
// samples around the particle are then all on one side of it.
bool fm_immersed_surfaces_is_near_free_edge(const fm_particles *p, int i)
{
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    const double inverse = 1 / p->R;
    fm_vec3 offset = {0}; // tangential, weighted sum
    double sum = 0;
    for (int n = 0; n < count - padding; n++) {
        int k;
        const fm_samples *s = fm_boundary_surface(p, list[n], &k);
        if (!s)
            continue;
        fm_vec3 r = fm_boundary_find_offset(p, list[n], i), normal = s->normal[k];
        double u = find_nearness(r, inverse), w = u * u * (double)p->boundary.density[list[n]].V;
        sum += w; // w = 0 for passive samples
        offset = fm_add_scaled(offset, fm_add_scaled(r, normal, -fm_dot(r, normal)), w);
    }
    return fm_length(offset) > FREE_EDGE_OFFSET * p->def.spacing * sum;
}

// Volume of a particle times the slope w'(q)/q = -20 u^3 of the Wendland kernel at q = 1 - u, u = 1
// - distance / support. Times the distance vector and the gradient scale p->F it is the
// acceleration per pressure / density.
static inline double find_pressure_weight(const fm_force_record *record, double u)
{
    return -20 * u * u * u * (double)record->V;
}

// Share of the excess mass that moves with a sample: 1 inside fluid, 0 in spray. both: as at the
// head of this file; 0.7 to 0.8 beside a sheet in water.
static double find_clinging_share(double both)
{
    return fmax(0, fmin(1, (both - CLINGING_LOW) / (CLINGING_HIGH - CLINGING_LOW)));
}

// Pressure of fluid particle i, m^2/s^2; with constant density, that of the last substep.
static inline double find_last_pressure(const fm_particles *p, int i)
{
    return p->warm_start ? (double)p->warm_start->now[i] * p->c * p->c
                         : (double)p->fluid.force[i].P;
}

// Kernel sums over the fluid around boundary particle i, which is a sample of a surface with this
// normal. g: gravity, m/s^2; scale: 1 / the kernel sum of fluid on one side only.
static fm_sample_sums sum_fluid(const fm_particles *p, int i, fm_vec3 normal, fm_vec3 g,
                                double scale)
{
    int list[FM_NEIGHBOURS_CAPACITY], padding;
    int count =
        fm_neighbours_find_in_set(p, &p->boundary, i, &p->fluid, -1, list, &padding) - padding;
    const double inverse = 1 / p->R;
    fm_vec3 slope[2] = {{0}}, across = {0}; // across: for a pressure with the gradient `normal`
    double inside = 0;                      // kernel sum over particles not beside a free surface
    fm_sample_sums v = {0};
    for (int k = 0; k < count; k++) {
        const fm_force_record *record = &p->fluid.force[list[k]];
        fm_vec3 r = fm_boundary_find_offset(p, i, list[k]);
        double u = find_nearness(r, inverse), w = find_kernel(u),
               a = find_pressure_weight(record, u), P = find_last_pressure(p, list[k]);
        int side = fm_dot(r, normal) > 0;
        v.side[side] += w;
        v.P[side] += w * (P - fm_dot(g, r));
        v.mass += p->mass_share[list[k]] * w;
        if (!atomic_load_explicit(&p->beside_surface[list[k]], memory_order_relaxed))
            inside += w;
        across = fm_add_scaled(across, r, a * fm_dot(normal, r));
        slope[side] = fm_add_scaled(slope[side], r, a);
        v.pressure = fm_add_scaled(v.pressure, r, a * P);
        v.velocity = fm_add_scaled(v.velocity, (fm_vec3){record->vx, record->vy, record->vz}, w);
    }
    v.sum = v.side[0] + v.side[1];
    for (int side = 0; side < 2; side++)
        v.P[side] = v.side[side] > KERNEL_SUM_MIN ? v.P[side] / v.side[side] : 0;
    double both = fmin(1, scale * fmin(v.side[0], v.side[1]));
    bool weighs = !p->sheet || fm_length(g) > 0;
    if (p->def.shifting > 0 && v.sum > 0 && weighs) // without shifting there is none (forces.c)
        fm_surface_reference_set(&v, normal, g, inside / v.sum, find_clinging_share(both));
    for (int side = 0; side < 2; side++)
        v.push = fm_add_scaled(v.push, slope[side], v.P[side] - 2 * v.reference);
    v.push = fm_add_scaled(v.push, across, -fm_dot(v.reference_slope, normal));
    v.pressure = fm_add(v.pressure, v.push);
    return v;
}

// Argument of share_mass_range.
typedef struct share_job {
    const fm_particles_step *step;
    double plane_integral; // m^2, of the kernel over a plane one spacing away
} share_job;

// The integral of the kernel, without scale, over a plane one spacing away from its centre, m^2.
static double find_plane_integral(const fm_particles *p)
{
    enum { PARTS = 200 };
    double q0 = p->def.spacing / p->R, dq = (1 - q0) / PARTS, sum = 0;
    for (int i = 0; i < PARTS; i++) {
        double q = q0 + (i + 0.5) * dq;
        sum += fm_kernel_shape(FM_KERNEL_WENDLAND, q) * q * dq;
    }
    return 2 * FM_PI * p->R * p->R * sum;
}

// Computes mass_share of fluid particles: the part of a particle's mass that counts as added mass
// of each surface sample near it, per area of the sample and kernel value, kg/m^2.
static void share_mass_range(void *context, int first, int last)
{
    const share_job *s = context;
    fm_particles *p = s->step->p;
    const double inverse = 1 / p->R;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = first; i < last; i++) {
        const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
        double sum = 0;
        for (int n = 0; n < count - padding; n++) {
            int k;
            const fm_samples *samples = fm_boundary_surface(p, list[n], &k);
            if (!samples || samples->passive)
                continue;
            fm_vec3 r = fm_boundary_find_offset(p, list[n], i);
            sum += samples->area[k] * find_kernel(find_nearness(r, inverse));
        }
        p->mass_share[i] = p->def.density * p->volume / fmax(sum, s->plane_integral);
    }
}

// Argument of measure_range.
typedef struct measure_job {
    const fm_particles_step *step;
    double half_fill; // kernel sum of a sample with fluid on one side only, see find_half_fill
} measure_job;

// Computes the kernel sums of the samples near fluid, and stores in the samples: wet share,
// velocity of the fluid, added mass, and mass of the fluid displaced in excess.
static void measure_range(void *context, int first, int last)
{
    const measure_job *job = context;
    fm_particles *p = job->step->p;
    double scale = p->volume * (double)p->W / job->half_fill;
    for (int w = first; w < last; w++) {
        int k, i = p->wet[w];
        fm_samples *s = fm_boundary_surface(p, i, &k);
        if (!s)
            continue;
        p->sample_sums[i] = sum_fluid(p, i, s->normal[k], job->step->around->gravity, scale);
        const fm_sample_sums *v = &p->sample_sums[i];
        if (!(v->sum > 0))
            continue;
        s->wet[k] = fmin(1, scale * v->sum);
        s->velocity[k] = fm_scale(v->velocity, 1 / v->sum);
        if (s->passive)
            continue;
        double V = s->area[k] * p->def.spacing,
               both = fmin(1, scale * fmin(v->side[0], v->side[1]));
        double excess = p->def.density * (V - s->area[k] * s->thickness); // kg of fluid
        s->added_mass[k] = ADDED_SHARE * s->area[k] * v->mass;
        s->excess_mass[k] = excess * both;
        s->clinging_mass[k] = excess * find_clinging_share(both);
        fm_vec3 *passed = s->implicit ? s->tangential_impulse : s->impulse_to_fluid;
        passed[k] = fm_add_scaled(passed[k], s->body_velocity[k], -s->clinging_mass[k]);
    }
}

// Computes kernel sums of the fluid at the samples of all surfaces, and from them wet share, fluid
// velocity, added mass and excess mass of each sample.
void fm_immersed_surfaces_measure_fluid(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    if (p->surface_count == 0)
        return;
    for (int m = 0; m < p->surface_count; m++) {
        fm_samples *s = p->surfaces[m];
        for (int k = 0; k < s->count; k++) { // samples without fluid nearby keep the zeros
            // the momentum of the clinging mass: measure_range takes that of the new one back
            fm_vec3 *passed = s->implicit ? s->tangential_impulse : s->impulse_to_fluid;
            passed[k] = s->implicit ? (fm_vec3){0} : passed[k];
            passed[k] = fm_add_scaled(passed[k], s->body_velocity[k], s->clinging_mass[k]);
            s->borrowed_mass[k] = s->added_mass[k];
            s->wet[k] = s->added_mass[k] = s->excess_mass[k] = s->clinging_mass[k] = 0;
        }
    }
    share_job share = {step, find_plane_integral(p)};
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, share_mass_range, &share);
    measure_job measure = {step, find_half_fill(p)};
    fm_parallel_for(step->around->pool, p->wet_count, FM_PARTICLES_BLOCK, measure_range, &measure);
    fm_surface_reference_find(step);
}

// The surface of boundary particle i if it is a sample, not passive, and has fluid around it; else
// NULL. *sample: index of the sample.
fm_samples *fm_immersed_surfaces_find_active(const fm_particles *p, int i, int *sample)
{
    fm_samples *s = fm_boundary_surface(p, i, sample);
    return s && !s->passive && p->sample_sums[i].sum > 0 ? s : NULL;
}

// Moves the impulses that surfaces pass on to the fluid from the samples to spread_impulse, from
// where find_acceleration distributes them over fluid particles.
static void take_impulses_to_fluid(void *context, int first, int last)
{
    fm_particles *p = context;
    for (int w = first; w < last; w++) {
        int k, i = p->wet[w];
        fm_samples *s = fm_immersed_surfaces_find_active(p, i, &k);
        if (!s)
            continue;
        p->spread_impulse[i] = fm_scale(s->impulse_to_fluid[k], 1 / p->sample_sums[i].mass);
        s->impulse_to_fluid[k] = (fm_vec3){0};
    }
}

// Acceleration of fluid particle i by the surface samples near it, m/s^2: impulses that the surface
// passes on to the fluid, and the pressure on the particle's side of the surface.
static fm_vec3 find_acceleration(const fm_particles_step *step, int i)
{
    const fm_particles *p = step->p;
    const double inverse = 1 / p->R;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    fm_vec3 received = {0}, push = {0}; // sums of impulses and of pressure accelerations
    for (int n = 0; n < count - padding; n++) {
        int k, o = list[n];
        const fm_samples *s = fm_immersed_surfaces_find_active(p, o, &k);
        if (!s)
            continue;
        fm_vec3 r = fm_boundary_find_offset(p, o, i);
        double u = find_nearness(r, inverse);
        const fm_sample_sums *v = &p->sample_sums[o];
        double P =
            v->P[fm_dot(r, s->normal[k]) > 0] - 2 * v->reference - fm_dot(v->reference_slope, r);
        received = fm_add_scaled(received, p->spread_impulse[o], find_kernel(u));
        push = fm_add_scaled(push, r, -find_pressure_weight(&p->boundary.force[o], u) * P);
    }
    push = fm_scale(push, (double)(p->F * fm_particles_volume_ratio(p, p->fluid.force[i].P)));
    return fm_add_scaled(push, received, p->mass_share[i] / (p->def.density * p->volume * step->h));
}

// Adds the accelerations by surface samples to the fluid particles first to below last.
static void push_fluid_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    for (int i = first; i < last; i++) {
        if (p->near_boundary_count[i] == 0)
            continue;
        fm_vec3 a = find_acceleration(step, i);
        p->ax[i] += (float)a.x;
        p->ay[i] += (float)a.y;
        p->az[i] += (float)a.z;
    }
}

// Adds the accelerations of fluid particles by the surfaces: impulses that the surfaces pass on to
// the fluid, and the pressure on the two sides of the surfaces.
void fm_immersed_surfaces_push_fluid(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    if (p->surface_count == 0)
        return;
    fm_parallel_for(pool, p->wet_count, FM_PARTICLES_BLOCK, take_impulses_to_fluid, p);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, push_fluid_range, (void *)step);
}

// Replaces the tangential pressure impulses of the samples by their sum, distributed over the wet
// area of the surface.
static void spread_tangential_impulse(fm_samples *s)
{
    fm_vec3 sum = {0};
    double wet = 0; // m^2, wet area
    for (int k = 0; k < s->count; k++) {
        sum = fm_add(sum, s->tangential_impulse[k]);
        wet += s->area[k] * s->wet[k];
    }
    for (int k = 0; k < s->count && wet > 0; k++) {
        fm_vec3 part = fm_scale(sum, s->area[k] * s->wet[k] / wet);
        s->impulse_to_body[k] =
            fm_add(s->impulse_to_body[k], fm_sub(part, s->tangential_impulse[k]));
    }
}

// Adds the impulse of the pressures on the two sides of sample k, N s. v: its kernel sums. In SPH
// the force of a pair is proportional to P_sample + P_fluid. v->push is the acceleration by
// P_sample (the mean pressures of the two sides), v->pressure that by both; both are divided by the
// gradient scale p->F. fm_boundary_push_colliders has computed the part of P_fluid already, so only
// v->push is added here. The tangential part of v->pressure is kept in s->tangential_impulse.
static void add_pressure_impulse(const fm_particles_step *step, fm_samples *s, int k,
                                 const fm_sample_sums *v)
{
    const fm_particles *p = step->p;
    double along = fm_dot(v->pressure, s->normal[k]), V = s->area[k] * p->def.spacing;
    double scale = p->def.density * V * (double)p->F * step->h;
    s->impulse_to_body[k] = fm_add_scaled(s->impulse_to_body[k], v->push, scale);
    s->tangential_impulse[k] = fm_scale(fm_sub(v->pressure, fm_scale(s->normal[k], along)), scale);
}

// Adds impulses, N s, to the samples of all surfaces: pressure on their two sides, forces of fluid
// particles, and the weight of the fluid in their excess volume (excess_mass, surface_samples.h).
void fm_immersed_surfaces_push_samples(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int m = 0; m < p->surface_count; m++)
        for (int k = 0; k < p->surfaces[m]->count; k++)
            p->surfaces[m]->tangential_impulse[k] = (fm_vec3){0};
    for (int w = 0; w < p->wet_count && p->surface_count > 0; w++) {
        int k, i = p->wet[w];
        fm_samples *s = fm_boundary_surface(p, i, &k);
        if (!s || s->passive)
            continue;
        if (p->sample_sums[i].sum > 0)
            add_pressure_impulse(step, s, k, &p->sample_sums[i]);
        fm_vec3 weight =
            fm_scale(fm_surface_reference_find_weight(step, s, k, &p->sample_sums[i]), step->h);
        s->impulse_to_body[k] =
            fm_add_scaled(fm_add(s->impulse_to_body[k], weight), p->force[i], step->h);
        p->stats.clinging = fm_add(p->stats.clinging, weight);
    }
    for (int m = 0; m < p->surface_count; m++)
        if (!p->surfaces[m]->passive)
            spread_tangential_impulse(p->surfaces[m]);
}

// Path of a particle relative to the plane of one sample.
typedef struct crossing {
    double from, to;     // m, signed distances from the plane at the start and at the end
    double eccentricity; // of the point where it crosses: 0 at the sample, 1 at the border of the
                         // sample's patch, INFINITY if it does not cross the plane
} crossing;

// Path of a particle, from x0 at time t0 to x1 at time t1, relative to the plane of sample k.
static crossing find_crossing(const fm_samples *s, int k, double t0, double t1, fm_vec3 x0,
                              fm_vec3 x1)
{
    fm_vec3 r0 = fm_sub(x0, fm_sample_position(s, k, t0)),
            r1 = fm_sub(x1, fm_sample_position(s, k, t1));
    double a = fm_dot(r0, s->start_normal[k]), b = fm_dot(r1, s->normal[k]);
    if ((a > 0) == (b > 0))
        return (crossing){a, b, INFINITY};
    double part = a / (a - b); // of the path, where it meets the plane
    fm_vec3 r = fm_add_scaled(r0, fm_sub(r1, r0), part);
    double along = fm_dot(r, s->along[k]), across = fm_dot(r, s->across[k]);
    return (crossing){a, b, 3 * fmax(along + across, -fmin(along, across))};
}

// The boundary particle whose part of a surface the path from x0 to x1 of fluid particle i crosses
// nearest to its centre; -1: none.
static int find_crossed_sample(const fm_particles_step *step, int i, fm_vec3 x0, fm_vec3 x1,
                               crossing *nearest)
{
    const fm_particles *p = step->p;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding, crossed = -1;
    const int *list = fm_neighbours_in_boundary(p, i, buffer, &count, &padding);
    nearest->eccentricity = INFINITY;
    for (int n = 0; n < count - padding; n++) {
        int k;
        const fm_samples *s = fm_boundary_surface(p, list[n], &k);
        if (!s || s->passive)
            continue;
        crossing path = find_crossing(s, k, step->t - step->h, step->t, x0, x1);
        if (path.eccentricity < PATCH_ENLARGEMENT && path.eccentricity < nearest->eccentricity) {
            *nearest = path;
            crossed = list[n];
        }
    }
    return crossed;
}

// Moves fluid particle i back to its side whenever its path from x0 to *x, m, crosses a surface,
// and removes the component of its velocity *v, m/s, into the surface. Returns the boundary
// particle (surface sample) of the last crossing, or -1.
static int return_to_side(const fm_particles_step *step, int i, fm_vec3 x0, fm_vec3 *x, fm_vec3 *v)
{
    const fm_particles *p = step->p;
    int last = -1;
    for (int n = 0; n <= CROSSINGS_MAX; n++) {
        crossing path;
        int k, crossed = find_crossed_sample(step, i, x0, *x, &path);
        if (crossed < 0)
            break;
        const fm_samples *s = fm_boundary_surface(p, crossed, &k);
        if (n == CROSSINGS_MAX) { // fold too narrow: the particle moves along with the surface
            *x = fm_add_scaled(x0, fm_sample_velocity(s, k), step->h);
            *v = fm_sample_velocity(s, k);
            break;
        }
        double side = path.from > 0 ? 1 : -1;
        fm_vec3 normal = fm_scale(s->normal[k], side);
        double into = fm_dot(fm_sub(*v, fm_sample_velocity(s, k)), normal);
        *x = fm_add_scaled(*x, normal, SEPARATION * p->def.spacing - side * path.to);
        *v = fm_add_scaled(*v, normal, -fmin(into, 0));
        last = crossed;
    }
    return last;
}

// Moves fluid particles that crossed a surface in this substep back to their side.
void fm_immersed_surfaces_stop_crossing(const fm_particles_step *step, int first, int last)
{
    fm_particles *p = step->p;
    fm_particle_state *now = &p->now;
    const double h2 = p->sheet ? 0 : step->h / 2;
    for (int i = first; i < last; i++) {
        p->stopped_by[i] = -1;
        if (p->near_boundary_count[i] == 0)
            continue;
        // the density record still holds the position in the middle of the substep, or with
        // constant density that at the start
        const fm_density_record *record = &p->fluid.density[i];
        fm_vec3 x0 = {p->rows.origin[0] + (double)record->x - h2 * (double)record->vx,
                      p->rows.origin[1] + (double)record->y - h2 * (double)record->vy,
                      p->rows.origin[2] + (double)record->z - h2 * (double)record->vz};
        fm_vec3 x = {now->x[i], now->y[i], now->z[i]}, v = {now->vx[i], now->vy[i], now->vz[i]};
        const fm_vec3 before = v;
        p->stopped_by[i] = return_to_side(step, i, x0, &x, &v);
        if (p->stopped_by[i] < 0)
            continue;
        p->stopped[i] = fm_sub(v, before);
        now->x[i] = x.x, now->y[i] = x.y, now->z[i] = x.z;
        now->vx[i] = (float)v.x, now->vy[i] = (float)v.y, now->vz[i] = (float)v.z;
    }
}

// Gives the momentum that fluid particles lost when they were stopped at a surface to that surface.
void fm_immersed_surfaces_add_stopped_momentum(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    for (int i = 0; i < p->count && p->surface_count > 0; i++) {
        if (p->stopped_by[i] < 0)
            continue;
        p->stats.stopped_count++;
        fm_vec3 lost = fm_scale(p->stopped[i], -p->def.density * p->volume);
        if (p->sheet) {
            fm_sheet_pressure_add_impulse(p, p->stopped_by[i], lost);
            continue;
        }
        int k;
        fm_samples *s = fm_boundary_surface(p, p->stopped_by[i], &k);
        s->impulse_to_body[k] = fm_add(s->impulse_to_body[k], lost);
    }
}
