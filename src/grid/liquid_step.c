// SPDX-License-Identifier: MIT
// liquid_step.c: a substep of a liquid with a free surface.
//
// Solves   du/dt + (u . grad) u = nu L u - grad p / rho + g,   div u = 0   in the liquid,
//          p = sigma kappa on its surface, which moves with u
//
// Particles carry the velocity, so that there is no advection on the grid. One substep of dt:
//
//     emit        sources add particles
//     gather      u on faces from the particles                      liquid_particles.c
//     force       u = u + dt g;  implicit viscosity                  liquid_viscosity.c
//     project     u = u - grad psi                                   liquid_pressure.c
//     extend      u outside the liquid                               liquid_extend.c
//     move        particles, then the surface, for dt in u           liquid_surface.c
//     band        particles only below the surface, if wanted        liquid_band.c
//     spread      crowded particles move apart                       liquid_crowding.c
//     correct     the particles bound the surface; phi a distance
//
// The surface moves with the velocity that the pressure of its old place gave: for waves this is
// the symplectic Euler method, which neither damps nor amplifies and is stable for w dt < 2.
//
// Volume: with V the volume inside the surface, where liquid is at least a cell thick, and V_p that
// of the particles there, the velocity has the divergence (V_p - V) / (V RELAXATION) in all liquid
// cells, at most FASTEST_CHANGE. RELAXATION counts as at least 1.5 dt.
//
// The published method [SJ], [FM96]: marks show which cells have liquid, and nothing else. u stays
// on the grid, moved by upwind differences (central ones, as published, need viscosity); the
// pressure is zero at the centres of empty cells; nothing restores the volume.
//
// Substep: dt <= C h / s, dt <= WAVES sqrt(h / |g|), with s = largest speed of a particle in the
// liquid (spray flies freely). The shortest waves of the grid have w^2 = pi g / h. C may exceed
// 1, because nothing is advected on the grid: particles and surface follow the velocity in parts of
// a spacing. Colliders and sides move by at most GIVEN_COURANT spacings in a substep.
//
// [FM96] Foster, Metaxas: Realistic animation of liquids. Graphical Models and Image Processing
//        58(5), 1996.
// [SJ]   Samson, Jensen: Cloth dynamics affected by fluid.
#include "grid/liquid.h"

#include <string.h>

static const double WAVES = 0.4;
static const double GIVEN_COURANT = 0.8; // of colliders and sides
static const double PUBLISHED_COURANT =
    0.5;                                // of the published method, for the sum of the axes below 1
static const double RELAXATION = 0.03;  // s
static const double FASTEST_CHANGE = 2; // 1/s
static const double FARTHEST_SHIFT = 0.03; // spacings
static const double SHIFT_SHARE = 0.1;     // of the way of the fastest particle
enum { LAYERS = 7 }; // of extended velocities: the band of the surface and one

// Adds the time since *start to a stage, s, and restarts the clock.
static void end_stage(fm_liquid *l, fm_liquid_stage stage, double *start)
{
    double now = fm_clock_now_ms();
    l->stats.seconds[stage] += 1e-3 * (now - *start);
    *start = now;
}

// Gravity and the given acceleration, m/s^2.
static fm_vec3 find_force(const fm_liquid *l, const fm_surroundings *around)
{
    fm_vec3 force = fm_add(around->gravity, l->def.grid.acceleration);
    if (!l->grid->active[2])
        force.z = 0;
    return force;
}

// The volume of the particles of the start becomes that inside the surface.
static void scale_volumes(fm_liquid *l, fm_pool *pool)
{
    fm_liquid_volumes v = fm_liquid_find_volumes(l, pool);
    for (int i = 0; i < l->now.count && v.particles > 0; i++)
        l->now.volume[i] *= v.surface / v.particles;
}

// Before each advance: updates the colliders. The first call also reserves memory, computes the
// distance phi and sorts the particles.
bool fm_liquid_prepare(fm_liquid *l, const fm_surroundings *around, fm_error *err)
{
    fm_grid *g = l->grid;
    bool fresh = !g->solids.ready || g->solids.moving;
    if (!fm_grid_update_solids(g, around, g->time, err))
        return false;
    if (fresh)
        fm_liquid_compute_open_volume(l);
    if (l->prepared)
        return true;
    int capacity = l->def.capacity, room = l->now.count;
    if (capacity == 0 && l->source_count > 0)
        room = room > 25000 ? 4 * room : 100000;
    if (l->def.band > 0) // new particles may be smaller than those that they stand for
        room += room / 3;
    if (!fm_liquid_reserve(l, capacity > room ? capacity : room, err))
        return false;
    fm_liquid_prepare_band(l);
    fm_liquid_redistance(l, around->pool);
    fm_liquid_sort(l, around->pool);
    scale_volumes(l, around->pool);
    if (l->def.method == FM_LIQUID_PUBLISHED) {
        fm_liquid_mark_cells(l);
        fm_liquid_gather_velocity(l, around->pool);
        fm_liquid_extend(l, FM_LIQUID_FROM_PARTICLES, LAYERS, around->pool);
        memset(g->rate[0], 0, g->count * sizeof(double));
        memset(g->rate[1], 0, g->count * sizeof(double));
        memset(g->rate[2], 0, g->count * sizeof(double));
        fm_grid_fill_velocity(g, g->u, g->time, around->pool);
    }
    l->prepared = true;
    return true;
}

// Courant number of the liquid: that of the definition, but the published method moves velocities
// by upwind differences, which are unstable above 1.
static double find_courant(const fm_liquid *l)
{
    double courant = l->def.grid.courant;
    if (l->def.method == FM_LIQUID_PUBLISHED)
        return fm_double_min(courant, PUBLISHED_COURANT);
    // particles that meet a body pass a part of a cell at a time
    return l->grid->samples_count > 0 ? fm_double_min(courant, GIVEN_COURANT) : courant;
}

// Longest stable substep, s; NaN if a velocity is.
double fm_liquid_find_step(fm_liquid *l, const fm_surroundings *around)
{
    const fm_grid *g = l->grid;
    double s = fm_liquid_fastest(l, around->pool), force = fm_length(find_force(l, around));
    if (isnan(s))
        return NAN;
    for (int i = 0; i < l->source_count; i++)
        s = fm_double_max(s, l->sources[i].def.speed);
    double length = find_courant(l) * g->h, dt = s > 0 ? length / s : INFINITY;
    double given = fm_double_max(fm_grid_side_speed(g, g->time), g->solids.max_speed);
    given = fm_double_max(given, fm_grid_sheet_speed(g));
    if (given > 0)
        dt = fm_double_min(dt, fm_double_min(length, GIVEN_COURANT * g->h) / given);
    if (force > 0) {
        dt = fm_double_min(dt, 2 * length / (s + sqrt(s * s + 4 * length * force)));
        dt = fm_double_min(dt, WAVES * sqrt(g->h / force));
    }
    if (l->curvature)
        dt = fm_double_min(dt, fm_liquid_find_tension_step(l));
    return g->def.time_step > 0 ? fm_double_min(dt, g->def.time_step) : dt;
}

// Divergence that restores the volume, 1/s; 0 in the published method.
static double find_source(fm_liquid *l, double dt, fm_pool *pool)
{
    if (l->def.method == FM_LIQUID_PUBLISHED)
        return 0;
    double time = fm_double_max(RELAXATION, 1.5 * dt);
    fm_liquid_volumes v = fm_liquid_find_volumes(l, pool);
    double rate = v.surface > 0 ? (v.particles - v.surface) / (v.surface * time) : 0;
    return fm_double_max(-FASTEST_CHANGE, fm_double_min(FASTEST_CHANGE, rate));
}

// Distance by which the surface moves outwards to restore the volume, spacings. way: that by which
// the fastest particle has moved in the substep, spacings.
static double find_shift(fm_liquid *l, double way, fm_pool *pool)
{
    fm_liquid_volumes v = fm_liquid_find_volumes(l, pool);
    double shift = v.area > 0 ? (v.particles - v.surface) / (v.area * l->grid->h) : 0;
    double farthest = fm_double_max(FARTHEST_SHIFT, SHIFT_SHARE * way);
    return fm_double_max(-farthest, fm_double_min(farthest, shift));
}

// Adds the change of the velocity, m/s, to the faces of a row.
static void accelerate_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    double change = ((double *)context)[d];
    for (ptrdiff_t i = q; i < q + length; i++)
        g->u[d][i] += change;
}

// Adds dt times the force, m/s^2, to the velocities of all faces.
static void accelerate(fm_liquid *l, fm_vec3 force, double dt, fm_pool *pool)
{
    double change[3] = {dt * force.x, dt * force.y, dt * force.z};
    fm_grid_for_faces(l->grid, pool, 1, accelerate_row, change);
}

// The published method: u = u - dt div(u u) on the grid, with upwind values.
static void advect_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    (void)context;
    memset(g->rate[d] + q, 0, (size_t)length * sizeof(double));
    fm_grid_advect_row(g, g->u, g->rate[d], d, q, length);
}

// Advances the velocities on the grid by advection for dt seconds (published method).
static void advect_on_grid(fm_liquid *l, double dt, fm_pool *pool)
{
    fm_grid *g = l->grid;
    fm_grid_for_faces(g, pool, 10, advect_row, NULL);
    for (int a = 0; a < 3; a++)
        for (size_t i = 0; i < g->count && g->active[a]; i++)
            g->u[a][i] += dt * g->rate[a][i];
}

// One substep of dt seconds; the stages are those of the file header. last: of the coupling
// interval.
static bool take_substep(fm_liquid *l, const fm_surroundings *around, double dt, bool last,
                         fm_error *err)
{
    fm_grid *g = l->grid;
    fm_pool *pool = around->pool;
    double clock = fm_clock_now_ms();
    double way = dt * fm_liquid_fastest(l, pool) / g->h; // spacings, of the fastest particle
    l->dt = dt, l->way = way;
    int before = l->now.count;
    fm_liquid_emit(l, dt);
    if (l->now.count != before) {
        fm_liquid_sort(l, pool);
        fm_liquid_fill_phi(l, l->phi);
        fm_liquid_redistance(l, pool);
    }
    end_stage(l, FM_LIQUID_STAGE_SORT, &clock);
    if (l->def.method == FM_LIQUID_PUBLISHED) {
        advect_on_grid(l, dt, pool);
    } else {
        fm_liquid_carry_core(l, pool);
        fm_liquid_gather_velocity(l, pool);
        fm_liquid_add_core(l, pool);
        for (int a = 0; a < 3; a++)
            g->filled[a] = g->rate[a];
        fm_grid_add_drag_impulses(g, dt, g->rate);
        fm_liquid_extend(l, FM_LIQUID_FROM_PARTICLES, 2, pool);
    }
    accelerate(l, find_force(l, around), dt, pool);
    end_stage(l, FM_LIQUID_STAGE_TRANSFER, &clock);
    if (!fm_grid_update_solids(g, around, g->time + dt, err) ||
        !fm_liquid_reserve_balls(l, around, err))
        return false;
    if (g->solids.moving)
        fm_liquid_compute_open_volume(l);
    end_stage(l, FM_LIQUID_STAGE_SOLIDS, &clock);
    fm_grid_fill_velocity(g, g->u, g->time + dt, pool);
    fm_liquid_diffuse(l, dt, pool);
    if (!fm_grid_place_sheets(g, err))
        return false;
    fm_grid_add_sheet_rates(g, g->u, dt);
    end_stage(l, FM_LIQUID_STAGE_VISCOSITY, &clock);
    fm_liquid_project(l, around, dt, find_source(l, dt, pool), last);
    end_stage(l, FM_LIQUID_STAGE_PRESSURE, &clock);
    fm_liquid_extend(l, FM_LIQUID_FROM_LIQUID, LAYERS, pool);
    fm_grid_fill_velocity(g, g->u, g->time + dt, pool);
    end_stage(l, FM_LIQUID_STAGE_EXTEND, &clock);
    fm_liquid_list_samples(l, dt);
    fm_liquid_move_particles(l, around, dt);
    fm_liquid_remove_outside(l, pool);
    end_stage(l, FM_LIQUID_STAGE_TRANSFER, &clock);
    if (l->def.method != FM_LIQUID_PUBLISHED)
        fm_liquid_move_surface(l, dt, pool);
    end_stage(l, FM_LIQUID_STAGE_SURFACE, &clock);
    if (l->def.method == FM_LIQUID_PUBLISHED) {
        fm_liquid_sort(l, pool);
    } else {
        fm_liquid_update_band(l, around, dt);
        fm_liquid_spread_crowded(l, around, (int)fm_double_min(way, FM_LIQUID_COURANT_MAX) + 1);
    }
    end_stage(l, FM_LIQUID_STAGE_SORT, &clock);
    if (l->def.method == FM_LIQUID_PUBLISHED) {
        fm_liquid_mark_cells(l);
    } else {
        fm_liquid_shift_surface(l, find_shift(l, way, pool));
        fm_vec3 up = fm_scale(find_force(l, around), -1);
        fm_normalize(&up);
        fm_liquid_bound_surface(l, up, pool);
        fm_grid_anchor_surface(g, l->phi);
        fm_liquid_redistance(l, pool);
    }
    end_stage(l, FM_LIQUID_STAGE_SURFACE, &clock);
    g->time += dt;
    l->stats.substep_count++;
    l->stats.time_step = dt;
    return true;
}

// Pressure outside the grid, hydrostatic from the nearest cell.
static void fill_pressure(fm_liquid *l, fm_vec3 force)
{
    fm_grid *g = l->grid;
    double rise[3] = {force.x, force.y, force.z};
    for (int a = 0; a < 3; a++) {
        int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
        double step = g->active[a] ? g->def.density * g->h * rise[a] : 0;
        ptrdiff_t s = g->stride[a], last = (g->n[a] - 1) * s;
        for (int k = 0; k < g->size[c]; k++)
            for (int j = 0; j < g->size[b]; j++) {
                ptrdiff_t q = g->layers[a] * s + j * g->stride[b] + k * g->stride[c];
                bool low = l->phi[q] < 0, high = l->phi[q + last] < 0;
                g->p[q - s] = g->p[q] - (low ? step : 0);
                g->p[q + last + s] = g->p[q + last] + (high ? step : 0);
            }
    }
}

// Writes velocities and pressures outside the grid, so that readers can interpolate at its border.
// force: m/s^2.
void fm_liquid_fill_for_readers(fm_liquid *l, fm_vec3 force, fm_pool *pool)
{
    fm_grid *g = l->grid;
    fm_grid_fill_velocity(g, g->u, g->time, pool);
    fill_pressure(l, force);
}

// Advances the liquid by `interval` seconds in stable substeps. *substeps: increased by their
// number.
bool fm_liquid_advance(fm_liquid *l, const fm_surroundings *around, double interval, int *substeps,
                       fm_error *err)
{
    fm_grid *g = l->grid;
    double left = interval;
    l->interval_start = g->time;
    if (!fm_liquid_prepare(l, around, err))
        return false;
    while (left > 0) {
        if (!fm_stop_request_check(around->stop, err))
            return false;
        double longest = fm_liquid_find_step(l, around);
        double count = ceil(left / longest * (1 - 1e-12));
        if (!(count < 1e9)) // a NaN, or a speed beyond all bounds
            return fm_fail_number(err, l->object.name, "substep", longest, "a stable flow");
        double dt = count > 1 ? left / count : left;
        if (!take_substep(l, around, dt, count <= 1, err))
            return false;
        left = count > 1 ? left - dt : 0;
        ++*substeps;
    }
    fm_liquid_fill_for_readers(l, find_force(l, around), around->pool);
    g->level = l->phi;
    fm_grid_write_samples(g, around->pool);
    fm_grid_release_sheets(g, 0, around->gravity);
    fm_grid_clear_drag_impulses(g);
    return true;
}
