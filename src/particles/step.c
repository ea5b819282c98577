// SPDX-License-Identifier: MIT
// step.c: parts of a substep that all methods share, the bound on its length, and measurements. The
// order of the parts is in sph_methods.c.
//
// The length of a substep is at most
//
//     C R / (c + |v|)     1/4 sqrt(h / |a|)     1/8 h^2 / nu            h = R / 2
//
// The first, the CFL bound, depends on the method (sph_methods.c). Terms, the extensions of a fluid
// (terms.h), may add bounds or change the viscous one (fractional_viscosity.c). |v| and |a| are the
// maxima of the last substep.
//
//   C  Courant number    R  support, m    c  speed of sound, m/s
//   v  velocity, m/s     a  acceleration, m/s^2    nu  viscosity / density, m^2/s
#include "particles/particles.h"
#include "particles/spring_network.h"

#include <stdio.h>

// Relative rounding error of sums of time: a remainder below this share of the duration counts as
// 0, and a substep that short as divergence.
static const double TIME_ROUNDING = 1e-9;
// A duration that exceeds whole substeps by less than this share does not need one more.
static const double COUNT_ROUNDING = 1e-12;
// Neighbour lists are kept while no particle has moved further than this, in spacings. A pair that
// comes from outside the support to this distance inside it misses 0.2 % of the largest force.
static const double LIST_TRAVEL = 0.25;

// Adds the wall-clock time since the last call to the statistics of a stage.
void fm_step_record_time(fm_particles_step *step, fm_particles_stage stage)
{
    double now = fm_clock_now_ms();
    step->p->stats.seconds[stage] += 1e-3 * (now - step->clock);
    step->clock = now;
}

// Name of a stage of a substep, in the order of fm_particles_stage.
const char *fm_particles_stage_name(fm_particles_stage stage)
{
    static const char *const names[] = {"sort",    "neighbours", "memory",   "boundary",
                                        "density", "forces",     "pressure", "move"};
    return (unsigned)stage < FM_PARTICLES_STAGE_COUNT ? names[stage] : "unknown";
}

// The smallest of all bounds on the substep, s. courant: the CFL bound of the method, s.
double fm_step_find_bound(const fm_particles *p, double courant)
{
    double h = p->R / 2, a = p->max_acceleration, nu = p->def.viscosity / p->def.density;
    fm_step_bounds bounds = {
        .courant = courant,
        .acceleration = a > 0 ? 0.25 * sqrt(h / a) : INFINITY,
        .viscous = nu > 0 ? 0.125 * h * h / nu : INFINITY,
        .terms = INFINITY,
        .given = p->def.time_step > 0 ? p->def.time_step : INFINITY,
    };
    fm_fluid_terms_bound_step(p, &bounds);
    double least = fmin(fmin(bounds.courant, bounds.acceleration), bounds.viscous);
    return fmin(fmin(least, bounds.terms), bounds.given);
}

// Upper bound on the next substep, s.
double fm_particles_stable_step(const fm_particles *p)
{
    return fm_sph_find_scheme(p)->find_longest_step(p);
}

// Stores the positions before a move, for collision detection with meshes.
void fm_step_record_positions(const fm_particles_step *step, int first, int last)
{
    const fm_particle_state *now = &step->p->now;
    for (int i = first; i < last && step->p->mesh_motion_count > 0; i++)
        step->p->start_position[i] = (fm_vec3){now->x[i], now->y[i], now->z[i]};
}

// x += h v for the particles first to below last.
void fm_step_drift(const fm_particles_step *step, int first, int last, double h)
{
    fm_particle_state *now = &step->p->now;
    fm_step_record_positions(step, first, last);
    for (int i = first; i < last; i++) {
        now->x[i] += h * (double)now->vx[i];
        now->y[i] += h * (double)now->vy[i];
        now->z[i] += h * (double)now->vz[i];
    }
}

// Calls `body` for ranges of all particles in parallel.
void fm_step_move(fm_particles_step *step, fm_range_body *body)
{
    fm_parallel_for(step->around->pool, step->p->count, FM_PARTICLES_BLOCK, body, step);
    fm_step_record_time(step, FM_PARTICLES_MOVE);
}

// Kicks the particles of a block and finds their largest speed and acceleration.
static void kick_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    fm_particle_state *now = &p->now;
    const float h = (float)step->h;
    float speed2 = 0, acceleration2 = 0; // squares of the largest values
    for (int i = first; i < last; i++) {
        fm_vec3 a = {p->ax[i], p->ay[i], p->az[i]};
        if (p->push_count > 0) {
            fm_vec3 x = {now->x[i], now->y[i], now->z[i]};
            a = fm_add(a, fm_pushes_find_acceleration(p, x, step->t));
        }
        now->vx[i] += h * (float)a.x;
        now->vy[i] += h * (float)a.y;
        now->vz[i] += h * (float)a.z;
        float v2 = now->vx[i] * now->vx[i] + now->vy[i] * now->vy[i] + now->vz[i] * now->vz[i];
        float a2 = (float)fm_dot(a, a);
        speed2 = v2 > speed2 ? v2 : speed2;
        acceleration2 = a2 > acceleration2 ? a2 : acceleration2;
    }
    int block = first / FM_PARTICLES_BLOCK;
    p->partial[2 * block] = sqrt((double)speed2);
    p->partial[2 * block + 1] = sqrt((double)acceleration2);
}

// v += h a for all particles, and finds the largest speed and acceleration.
void fm_step_kick(fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, kick_range, step);
    p->max_speed = p->max_acceleration = 0;
    for (int block = 0; block < fm_parallel_block_count(p->count, FM_PARTICLES_BLOCK); block++) {
        p->max_speed = fmax(p->max_speed, p->partial[2 * block]);
        p->max_acceleration = fmax(p->max_acceleration, p->partial[2 * block + 1]);
    }
    fm_step_record_time(step, FM_PARTICLES_MOVE);
}

// Finds the largest speed of the particles of a block.
static void find_speed_range(void *context, int first, int last)
{
    fm_particles *p = ((const fm_particles_step *)context)->p;
    const fm_particle_state *now = &p->now;
    float speed2 = 0;
    for (int i = first; i < last; i++) {
        float v2 = now->vx[i] * now->vx[i] + now->vy[i] * now->vy[i] + now->vz[i] * now->vz[i];
        speed2 = v2 > speed2 ? v2 : speed2;
    }
    p->partial[first / FM_PARTICLES_BLOCK] = sqrt((double)speed2);
}

// Finds the largest speed after particles were stopped at walls and colliders. Springs pull some
// particles into these in every substep, and the speeds before are no speeds of the flow.
void fm_step_measure_speed(fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, find_speed_range, step);
    p->max_speed = 0;
    for (int block = 0; block < fm_parallel_block_count(p->count, FM_PARTICLES_BLOCK); block++)
        p->max_speed = fmax(p->max_speed, p->partial[block]);
}

// Moves all colliders to their poses at the time of the substep.
static void place_colliders(const fm_particles_step *step)
{
    const fm_surroundings *around = step->around;
    for (int i = 0; i < around->collider_count; i++)
        around->placed[i] = fm_collider_place(around->colliders[i], step->t);
}

// Places the domain and the colliders at time t, s; since: when the particles begin this move.
void fm_step_set_time(fm_particles_step *step, double since, double t)
{
    step->t = t;
    step->offset = fm_particles_domain_offset(step->p, t, &step->domain_velocity);
    place_colliders(step);
    fm_mesh_collision_begin_move(step, since);
}

// Emits particles from sources and initialises the data that terms attach to them.
void fm_step_emit_particles(fm_particles_step *step)
{
    fm_particles *p = step->p;
    int before = p->count;
    fm_sources_emit_particles(p, p->time);
    fm_fluid_terms_emit(p, before);
}

// Moves the origin of the cell grid with the domain.
static void place_cell_grid(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_vec3 low = fm_add(p->def.domain.low, step->offset);
    bool flat = p->def.dimensions == 2;
    p->rows.origin[0] = low.x - 2 * p->R;
    p->rows.origin[1] = low.y - 2 * p->R;
    p->rows.origin[2] = flat ? 0 : low.z - 2 * p->R;
}

// Removes particles in sinks and sorts the others by cell; terms (extensions, terms.h) reorder and
// record their data.
void fm_step_remove_and_sort(fm_particles_step *step)
{
    fm_particles *p = step->p;
    place_cell_grid(step);
    fm_sinks_mark_particles(p);
    fm_particle_order order = fm_particles_sort(p, step->around->pool);
    fm_step_record_time(step, FM_PARTICLES_SORT);
    fm_fluid_terms_reorder(p, &order);
    fm_fluid_terms_record_state(step);
    fm_step_record_time(step, FM_PARTICLES_MEMORY);
}

// Places boundary and ghost particles and builds the neighbour lists.
bool fm_step_find_neighbours(fm_particles_step *step, fm_error *err)
{
    bool placed = fm_boundary_place(step, err);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    if (!placed)
        return false;
    fm_mesh_boundary_find_nearest_walls(step);
    fm_particles_list_neighbours(step->p, step->around->pool);
    fm_particles_list_wet_neighbours(step->p, step->around->pool);
    fm_step_record_time(step, FM_PARTICLES_NEIGHBOURS);
    fm_boundary_update_ghosts(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    return true;
}

// True when the lists of the last substep still serve. Ghost particles, meshes and coupled cloth
// need new ones, and windows of past velocities are recorded with them in every substep.
static bool can_keep_lists(const fm_particles_step *step)
{
    const fm_particles *p = step->p;
    bool simple = !p->mesh_motion_count && !p->surface_count && !fm_velocity_history_is_needed(p);
    for (int axis = 0; axis < 3; axis++)
        simple = simple && !fm_particles_is_periodic(p, axis);
    return simple && p->list_age > 0 && step->t - p->listed_time < p->def.list_time &&
           p->listed_count == p->count && p->list_travel < LIST_TRAVEL * p->def.spacing;
}

// Sorts and lists neighbours, or keeps the lists and updates positions and velocities.
bool fm_step_list_pairs(fm_particles_step *step, fm_error *err)
{
    fm_particles *p = step->p;
    p->list_travel += p->max_speed * step->h;
    if (!can_keep_lists(step)) {
        fm_step_remove_and_sort(step);
        p->list_age = 1;
        p->listed_time = step->t;
        p->listed_count = p->count;
        p->list_travel = 0;
        return fm_step_find_neighbours(step, err);
    }
    p->list_age++;
    fm_particles_update_records(p, step->around->pool);
    fm_step_record_time(step, FM_PARTICLES_SORT);
    fm_fluid_terms_record_state(step);
    fm_step_record_time(step, FM_PARTICLES_MEMORY);
    fm_boundary_move_placed(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    return true;
}

// Sets s = rho/rho0 - 1 from the initial pressures. Needs the speed of sound, known after
// fm_particles_prepare. A settled box of a weakly compressible fluid is compressed by its weight:
// its particles sink by the integral of s from the bottom of the box, whose pressure is in s.
// Without that the box would fall and bounce.
static void set_initial_densities(fm_particles *p, fm_vec3 g)
{
    const double c2 = p->c * p->c, length = fm_length(g);
    const bool sinks = p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE && p->def.shifting > 0;
    for (int i = 0; i < p->count; i++) {
        double P = (double)p->P[i], bottom = (double)p->now.s[i];
        if (sinks && length > 0 && bottom > P) {
            fm_vec3 fall = fm_scale(g, (bottom * bottom - P * P) / (2 * length * length * c2));
            p->now.x[i] += fall.x;
            p->now.y[i] += fall.y;
            p->now.z[i] += p->def.dimensions == 3 ? fall.z : 0;
        }
        p->now.s[i] = (float)(P / c2);
    }
}

// Estimates the largest speed and acceleration before the first substep: from the current
// velocities and from gravity. The constant-density method also uses the expected flow speed c/10,
// because sound does not limit its step.
static void estimate_motion(fm_particles *p, const fm_surroundings *around)
{
    for (int i = 0; i < p->count; i++) {
        fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        p->max_speed = fmax(p->max_speed, fm_length(v));
    }
    if (p->def.method == FM_SPH_CONSTANT_DENSITY)
        p->max_speed = fmax(p->max_speed, p->c / 10);
    const double positive = 1e-9; // m/s^2, marks the acceleration as known
    p->max_acceleration = fmax(positive, fm_length(around->gravity));
}

// Prepares an advance. The first call initialises densities and terms (extensions, terms.h). If no
// largest acceleration is known (0: before the first substep, in an empty fluid, or without
// forces), the largest speed and acceleration are estimated for the choice of the substep.
void fm_particles_begin(fm_particles *p, const fm_surroundings *around)
{
    if (!p->begun) {
        set_initial_densities(p, around->gravity);
        fm_fluid_terms_begin(p);
        p->begun = true;
    }
    if (p->max_acceleration == 0)
        estimate_motion(p, around);
}

// Takes one substep of h seconds.
static bool take_substep(fm_particles *p, const fm_surroundings *around, double h, fm_error *err)
{
    fm_particles_step step = {.p = p, .around = around, .h = h, .clock = fm_clock_now_ms()};
    if (!fm_sph_find_scheme(p)->take_substep(&step, err))
        return false;
    fm_walls_add_impact_load(&step);
    p->time += h;
    p->stats.substep_count++;
    return true;
}

// Advances the fluid by `duration` seconds in stable substeps; *substeps: their number.
bool fm_particles_advance(fm_particles *p, const fm_surroundings *around, double duration,
                          int *substeps, fm_error *err)
{
    *substeps = 0;
    if (!fm_particles_prepare(p, around, err))
        return false;
    fm_particles_begin(p, around);
    double end = p->time + duration, left = duration;
    while (left > TIME_ROUNDING * duration) {
        double longest = fm_particles_stable_step(p);
        if (!(longest > TIME_ROUNDING * duration)) {
            char value[48];
            fm_text_format(value, sizeof value, "%.3g s after %d", longest, *substeps);
            return fm_fail(err, FM_DIVERGED, p->object.name, "substep in stage fluids", value,
                           "longer ones: speeds or forces grew beyond bounds");
        }
        double h =
            left /
            fmax(1, ceil(left / longest * (1 - COUNT_ROUNDING))); // equal substeps to the end
        if (!fm_stop_request_check(around->stop, err) || !take_substep(p, around, h, err))
            return false;
        (*substeps)++;
        left = end - p->time;
    }
    p->time = end;
    fm_energy_loss_balance(p, around);
    return true;
}

// Measures energies, particles outside the domain, and values that are not finite.
fm_particles_measure fm_particles_measure_state(const fm_particles *p,
                                                const fm_surroundings *around)
{
    fm_particles_measure m = {.first_bad = -1};
    fm_vec3 offset = fm_particles_domain_offset(p, p->time, NULL), g = around->gravity;
    fm_vec3 low = fm_add(p->def.domain.low, offset), high = fm_add(p->def.domain.high, offset);
    double mass = p->def.density * p->volume;
    for (int i = 0; i < p->count; i++) {
        fm_vec3 x = {p->now.x[i], p->now.y[i], p->now.z[i]};
        fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        if (!(fm_is_finite(x) && fm_is_finite(v) && isfinite(p->now.s[i])) && m.first_bad < 0)
            m.first_bad = p->now.id[i];
        m.kinetic_energy += mass * fm_dot(v, v) / 2;
        m.momentum = fm_add_scaled(m.momentum, v, mass);
        m.potential_energy -= mass * fm_dot(g, x);
        bool out = x.x < low.x || x.x > high.x || x.y < low.y || x.y > high.y;
        m.outside_count += out || (p->def.dimensions == 3 && (x.z < low.z || x.z > high.z));
    }
    return m;
}
