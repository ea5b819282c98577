// SPDX-License-Identifier: MIT
// step.c: one substep of a fluid, how long it may be, and what there is to measure.
//
//     weakly compressible, of second order:   x += h/2 v;  s += h ds/dt;  v += h a;  x += h/2 v
//     constant density:                       v += h a without pressure;  v made good;  x += h v
//     standard, as published:                 a at x;  x += h v;  v += h a     (or v first)
//
// Neighbours are found once, where forces are taken. The longest step, with the Courant number C:
//
//     C R / (c + |v|)     1/4 sqrt(h / |a|)     1/8 h^2 / nu            h = R / 2
//
// (memory.c has the last one for viscosity that remembers)
//
// and with constant density 2 C spacing / |v| for the first of them. |v| and |a| are the largest
// of the substep before, part of the state.
//
//   R  support, m    c  speed of sound, m/s    nu  kinematic viscosity, viscosity / density
#include "particles/particles.h"

#include <stdio.h>

static void clock_stage(fm_particles *p, fm_particles_stage stage, double *since)
{
    double now = fm_now_ms();
    p->stats.seconds[stage] += 1e-3 * (now - *since);
    *since = now;
}

const char *fm_particles_stage_name(fm_particles_stage stage)
{
    static const char *const names[] = {"sort",    "neighbours", "memory",   "boundary",
                                        "density", "forces",     "pressure", "move"};
    return (unsigned)stage < FM_PARTICLES_STAGE_COUNT ? names[stage] : "unknown";
}

double fm_particles_stable_step(const fm_particles *p)
{
    double h = p->R / 2, v = p->max_speed, a = p->max_acceleration, C = p->def.courant;
    double nu = p->def.viscosity / p->def.density;
    double step = INFINITY;
    if (p->def.method == FM_SPH_STANDARD && p->def.time_step > 0)
        return p->def.time_step; // as published: on the reader's own risk
    if (p->def.method == FM_SPH_CONSTANT_DENSITY)
        step = v > 0 ? 2 * C * p->def.spacing / v : INFINITY;
    else
        step = C * p->R / (p->c + v);
    if (a > 0)
        step = fmin(step, 0.25 * sqrt(h / a));
    if (nu > 0) {
        double viscous = 0.125 * h * h / nu;
        step = fmin(step, p->past ? fm_past_stable_step(p, viscous) : viscous);
    }
    return p->def.time_step > 0 ? fmin(step, p->def.time_step) : step;
}

// Where a way begins, for who may not pass a mesh on it.
static void note_places(const fm_particles_step *step, int first, int last)
{
    const fm_parcels *now = &step->p->now;
    for (int i = first; i < last && step->p->passage_count > 0; i++)
        step->p->before[i] = (fm_vec3){now->x[i], now->y[i], now->z[i]};
}

static void drift(const fm_particles_step *step, int first, int last, double h)
{
    fm_parcels *now = &step->p->now;
    note_places(step, first, last);
    for (int i = first; i < last; i++) {
        now->x[i] += h * (double)now->vx[i];
        now->y[i] += h * (double)now->vy[i];
        now->z[i] += h * (double)now->vz[i];
    }
}

static void open_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    drift(step, first, last, step->h / 2);
    fm_walls_keep(step, first, last);
}

static void open_still_range(void *context, int first, int last)
{
    note_places(context, first, last);
    fm_walls_keep(context, first, last);
}

static void drift_range(void *context, int first, int last)
{
    drift(context, first, last, ((const fm_particles_step *)context)->h);
}

static void keep_range(void *context, int first, int last)
{
    fm_walls_keep(context, first, last);
}

// Largest speed and acceleration of a block, and the kick.
static void kick_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    fm_parcels *now = &p->now;
    const float h = (float)step->h;
    float fastest = 0, hardest = 0;
    for (int i = first; i < last; i++) {
        fm_vec3 a = {p->ax[i], p->ay[i], p->az[i]};
        if (p->push_count > 0) {
            fm_vec3 x = {now->x[i], now->y[i], now->z[i]};
            a = fm_add(a, fm_flows_push(p, x, step->t));
        }
        now->vx[i] += h * (float)a.x;
        now->vy[i] += h * (float)a.y;
        now->vz[i] += h * (float)a.z;
        float v2 = now->vx[i] * now->vx[i] + now->vy[i] * now->vy[i] + now->vz[i] * now->vz[i];
        float a2 = (float)fm_dot(a, a);
        fastest = v2 > fastest ? v2 : fastest;
        hardest = a2 > hardest ? a2 : hardest;
    }
    int block = first / FM_PARTICLES_BLOCK;
    p->partial[2 * block] = sqrt((double)fastest);
    p->partial[2 * block + 1] = sqrt((double)hardest);
}

static void kick(const fm_particles_step *step)
{
    fm_particles *p = step->p;
    fm_parallel_for(step->around->pool, p->count, FM_PARTICLES_BLOCK, kick_range, (void *)step);
    p->max_speed = p->max_acceleration = 0;
    for (int block = 0; block < fm_block_count(p->count, FM_PARTICLES_BLOCK); block++) {
        p->max_speed = fmax(p->max_speed, p->partial[2 * block]);
        p->max_acceleration = fmax(p->max_acceleration, p->partial[2 * block + 1]);
    }
}

static void close_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    bool weak = p->def.method == FM_SPH_WEAKLY_COMPRESSIBLE;
    drift(step, first, last, weak ? step->h / 2 : step->h);
    if (weak && p->def.shifting > 0) {
        for (int i = first; i < last; i++) {
            p->now.x[i] += (double)p->dx[i];
            p->now.y[i] += (double)p->dy[i];
            p->now.z[i] += (double)p->dz[i];
        }
    }
    if (p->surface_count > 0) { // a way beyond a wall may lead around the rim of a surface
        fm_walls_keep(step, first, last);
        fm_surfaces_stop(step, first, last);
    }
    fm_walls_keep(step, first, last);
}

static void place_colliders(const fm_particles_step *step)
{
    const fm_surroundings *around = step->around;
    for (int i = 0; i < around->collider_count; i++)
        around->placed[i] = fm_collider_place(around->colliders[i], step->t);
}

// since: when the particles began to move towards where they will be at t.
static void set_time(fm_particles_step *step, double since, double t)
{
    step->t = t;
    step->offset = fm_domain_offset(step->p, t, &step->carry);
    place_colliders(step);
    fm_passages_begin(step, since);
}

static void find_neighbours(const fm_particles_step *step, double *since, fm_error *err)
{
    fm_particles *p = step->p;
    fm_pool *pool = step->around->pool;
    fm_vec3 low = fm_add(p->def.domain.low, step->offset);
    bool flat = p->def.dimensions == 2;
    p->rows.origin[0] = low.x - 2 * p->R;
    p->rows.origin[1] = low.y - 2 * p->R;
    p->rows.origin[2] = flat ? 0 : low.z - 2 * p->R;
    fm_flows_remove(p);
    int before = p->count;
    fm_particles_sort(p, pool);
    fm_passages_follow(p);
    clock_stage(p, FM_PARTICLES_SORT, since);
    if (p->past) {
        fm_past_follow(p, before);
        fm_past_push(step);
        clock_stage(p, FM_PARTICLES_MEMORY, since);
    }
    fm_others_place(step, err);
    clock_stage(p, FM_PARTICLES_BOUNDARY, since);
    if (err->status != FM_OK)
        return;
    fm_meshes_face(step);
    fm_particles_find_neighbours(p, pool);
    clock_stage(p, FM_PARTICLES_NEIGHBOURS, since);
    fm_others_copy(step);
    clock_stage(p, FM_PARTICLES_BOUNDARY, since);
}

static void clear_pressure(fm_particles *p)
{
    for (int i = 0; i < p->count; i++)
        p->fluid.force[FM_ROW * (size_t)i + FM_P] = 0;
    for (int k = 0; k < p->wet_count; k++)
        p->others.force[FM_ROW * (size_t)p->wet[k] + FM_P] = 0;
}

static bool take_substep(fm_particles *p, const fm_surroundings *around, double h, fm_error *err)
{
    fm_particles_step step = {.p = p, .around = around, .h = h};
    fm_pool *pool = around->pool;
    fm_sph_method method = p->def.method;
    bool weak = method == FM_SPH_WEAKLY_COMPRESSIBLE;
    double since = fm_now_ms();
    set_time(&step, p->time, weak ? p->time + h / 2 : p->time);
    int before = p->count;
    fm_flows_emit(p, p->time);
    fm_passages_forget(p, before);
    if (p->past && p->count > before)
        fm_past_begin(p, before);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, weak ? open_range : open_still_range,
                    &step);
    clock_stage(p, FM_PARTICLES_MOVE, &since);
    find_neighbours(&step, &since, err);
    if (err->status != FM_OK)
        return false;
    fm_compute_density(&step);
    clock_stage(p, FM_PARTICLES_DENSITY, &since);
    fm_others_extrapolate(&step);
    fm_surfaces_look(&step);
    clock_stage(p, FM_PARTICLES_BOUNDARY, &since);
    if (method == FM_SPH_CONSTANT_DENSITY)
        clear_pressure(p);
    if (p->past && p->past->alone)
        fm_past_put_into_rows(&step);
    fm_compute_forces(&step);
    fm_surfaces_hand_on(&step);
    clock_stage(p, FM_PARTICLES_FORCES, &since);
    bool euler = method == FM_SPH_STANDARD && p->def.integrator == FM_SPH_EULER;
    if (euler) // with the old velocities
        fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, drift_range, &step);
    fm_others_push_colliders(&step);
    fm_surfaces_push(&step);
    clock_stage(p, FM_PARTICLES_BOUNDARY, &since);
    kick(&step);
    clock_stage(p, FM_PARTICLES_MOVE, &since);
    if (method == FM_SPH_CONSTANT_DENSITY) {
        step.presses = true;
        fm_solve_pressure(&step);
        clock_stage(p, FM_PARTICLES_PRESSURE, &since);
    }
    p->time += h;
    set_time(&step, step.t, p->time);
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, euler ? keep_range : close_range, &step);
    fm_surfaces_settle(&step);
    fm_walls_settle(p);
    clock_stage(p, FM_PARTICLES_MOVE, &since);
    p->stats.substep_count++;
    return true;
}

// Speeds and accelerations are not known yet: those of the state, and of gravity; where sound does
// not limit steps, the speed that is expected. Until now there was no speed of sound to make s of
// pressures with.
void fm_particles_begin(fm_particles *p, const fm_surroundings *around)
{
    if (fm_particles_has_begun(p))
        return;
    for (int i = 0; i < p->count; i++) {
        p->now.s[i] = (float)(p->now.s[i] / (p->c * p->c));
        fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        p->max_speed = fmax(p->max_speed, fm_length(v));
    }
    if (p->def.method == FM_SPH_CONSTANT_DENSITY)
        p->max_speed = fmax(p->max_speed, p->c / 10);
    p->max_acceleration = fmax(1e-9, fm_length(around->gravity));
}

bool fm_particles_advance(fm_particles *p, const fm_surroundings *around, double duration,
                          int *substeps, fm_error *err)
{
    *substeps = 0;
    if (!fm_particles_prepare(p, around, err))
        return false;
    fm_particles_begin(p, around);
    double end = p->time + duration, left = duration;
    while (left > 1e-9 * duration) {
        double longest = fm_particles_stable_step(p);
        if (!(longest > 1e-9 * duration)) {
            char value[48];
            fm_format(value, sizeof value, "%.3g s after %d", longest, *substeps);
            return fm_fail(err, FM_DIVERGED, p->name, "substep in stage fluids", value,
                           "longer ones: speeds or forces grew beyond bounds");
        }
        double h = left / ceil(left / longest * (1 - 1e-12)); // equal ones to the end
        if (!fm_stop_check(around->stop, err) || !take_substep(p, around, h, err))
            return false;
        (*substeps)++;
        left = end - p->time;
    }
    p->time = end;
    return true;
}

fm_particles_measure fm_particles_measure_now(const fm_particles *p, const fm_surroundings *around)
{
    fm_particles_measure m = {.first_bad = -1};
    fm_vec3 offset = fm_domain_offset(p, p->time, NULL), g = around->gravity;
    fm_vec3 low = fm_add(p->def.domain.low, offset), high = fm_add(p->def.domain.high, offset);
    double mass = p->def.density * p->volume;
    for (int i = 0; i < p->count; i++) {
        fm_vec3 x = {p->now.x[i], p->now.y[i], p->now.z[i]};
        fm_vec3 v = {p->now.vx[i], p->now.vy[i], p->now.vz[i]};
        if (!(fm_is_finite(x) && fm_is_finite(v) && isfinite(p->now.s[i])) && m.first_bad < 0)
            m.first_bad = p->now.id[i];
        m.kinetic_energy += mass * fm_dot(v, v) / 2;
        m.potential_energy -= mass * fm_dot(g, x);
        bool out = x.x < low.x || x.x > high.x || x.y < low.y || x.y > high.y;
        m.outside_count += out || (p->def.dimensions == 3 && (x.z < low.z || x.z > high.z));
    }
    return m;
}
