// SPDX-License-Identifier: MIT
// step.c: a substep of the grid fluid.
//
// Solves   du/dt = -div(u u) + nu L u - grad p / rho + g,   div u = 0
//
// with a projection that corrects the pressure of the substep before [VK86]. R(u, t) is the right
// side with that old pressure p. Explicit viscosity: a Runge-Kutta method of third order [SO88],
//
//     u1 = u + dt R(u, t)
//     u2 = 3/4 u + 1/4 (u1 + dt R(u1, t + dt))
//     u* = 1/3 u + 2/3 (u2 + dt R(u2, t + dt/2))
//
// then one projection:
//
//     L psi = div u*,    u = u* - grad psi,    p = p + rho psi / dt
//
// u1 and u2 are free of divergence up to O(dt^2), because p is the pressure half a step ago, so one
// projection is enough for second order in time [LM91]. p belongs to the middle of the substep.
// Implicit viscosity: u1 = u + x with (1 - dt nu/2 L) x = dt R(u), then the same with the mean of
// the advection of u and u1. FIRST_ORDER and PUBLISHED advection use u* = u + dt R(u, t).
//
// Faces that colliders cut let fluid through their open fraction A [BBB07] (solids.c).
//
// Substep: with s = largest sum of |u_a| over the axes, d = active axes, C = Courant number,
//
//     dt = 1 / (s / (C h) + 2 d nu / h^2),  and dt (s + |g| dt) <= C h
//
// the viscous part for explicit viscosity, or for the diffusivity of the dye if that is larger;
// stable because 4 d nu dt / h^2 <= 2 < 2.51.
//
//   u  velocity, m/s    p  pressure, Pa    rho  density, kg/m^3    nu  viscosity, m^2/s
//   g  body force per mass, m/s^2          psi  m^2/s, stored divided by h
//
// [BBB07] Batty, Bertails, Bridson: A fast variational framework for accurate solid-fluid coupling.
//         ACM Transactions on Graphics 26(3), 2007.
// [LM91]  Le, Moin: An improvement of fractional step methods for the incompressible Navier-Stokes
//         equations. Journal of Computational Physics 92, 1991.
// [SO88]  Shu, Osher: Efficient implementation of essentially non-oscillatory shock-capturing
//         schemes. Journal of Computational Physics 77, 1988.
// [VK86]  van Kan: A second-order accurate pressure-correction scheme for viscous incompressible
//         flow. SIAM Journal on Scientific and Statistical Computing 7, 1986.
#include "core/simd.h"
#include "grid/grid.h"

#include <string.h>

// Adds the time since *start to a stage, and starts anew.
static void end_stage(fm_grid *g, fm_grid_stage stage, double *start)
{
    double now = fm_clock_now_ms();
    g->stats.seconds[stage] += 1e-3 * (now - *start);
    *start = now;
}

// Largest sum of |u_a| over the axes in a row of cells, m/s. `fault` keeps a NaN, which comparisons
// lose.
FM_SIMD_CLONES static double find_speed_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    double fastest = 0, fault = 0, use = g->active[2];
    ptrdiff_t sy = g->stride[1], sz = g->stride[2];
    const double *restrict u = g->u[0] + q, *restrict v = g->u[1] + q, *restrict w = g->u[2] + q;
#pragma omp simd reduction(max : fastest) reduction(+ : fault)
    for (int i = 0; i < length; i++) {
        double sum = fm_double_max(fabs(u[i]), fabs(u[i + 1])) +
                     fm_double_max(fabs(v[i]), fabs(v[i + sy])) +
                     use * fm_double_max(fabs(w[i]), fabs(w[i + sz]));
        fault += 0 * (u[i] + u[i + 1] + v[i] + v[i + sy] + w[i] + w[i + sz]);
        fastest = sum > fastest ? sum : fastest;
    }
    return fastest + fault;
}

// Body force per mass, m/s^2.
static fm_vec3 find_force(const fm_grid *g, const fm_surroundings *around)
{
    return fm_add(around->gravity, g->def.acceleration);
}

// Longest stable substep, s.
double fm_grid_find_step(fm_grid *g, const fm_surroundings *around)
{
    double s = fm_grid_max_rows(g, around->pool, 3, find_speed_row, NULL);
    s = fm_double_max(s, fm_double_max(fm_grid_side_speed(g, g->time), g->solids.max_speed));
    s = fm_double_max(s, fm_double_max(fm_grid_sheet_speed(g), fm_grid_ball_speed(g, around)));
    bool viscous = g->def.diffusion == FM_GRID_EXPLICIT;
    double length = g->def.courant * g->h, force = fm_length(find_force(g, around));
    double nu = viscous ? g->nu : 0;
    if (g->def.dye.on)
        nu = fm_double_max(nu, g->def.dye.diffusivity);
    double rate = s / length + 2 * g->axes * nu / (g->h * g->h);
    double dt = rate > 0 ? 1 / rate : INFINITY;
    force += fm_grid_most_lift(g, find_force(g, around), around->pool);
    if (force > 0)
        dt = fm_double_min(dt, 2 * length / (s + sqrt(s * s + 4 * length * force)));
    return g->def.time_step > 0 ? fm_double_min(dt, g->def.time_step) : dt;
}

// Rates of the velocity from pressure, body force and viscosity, with advection or without.
typedef struct pushed {
    double force[3]; // m/s^2
    bool advected;
} pushed;

// Sets the rate of a row of faces of component d to that of pressure and body force, m/s^2.
FM_SIMD_CLONES static void start_rate_row(const fm_grid *g, double force, int d, ptrdiff_t q,
                                          int length)
{
    const double *restrict p = g->p;
    double *restrict rate = g->rate[d];
    double scale = g->active[d] ? 1 / (g->def.density * g->h) : 0;
    ptrdiff_t s = g->stride[d];
#pragma omp simd
    for (int i = 0; i < length; i++)
        rate[q + i] = force - scale * (p[q + i] - p[q + i - s]);
}

// Computes the rate of a row of faces of component d.
static void compute_rate_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    const pushed *job = context;
    start_rate_row(g, job->force[d], d, q, length);
    if (job->advected)
        fm_grid_advect_row(g, g->u, g->rate[d], d, q, length);
    if (g->nu > 0)
        fm_grid_diffuse_row(g, g->u[d], g->rate[d], g->nu / (g->h * g->h), d, q, length);
}

// Computes the rates of all components, with the lift of the dye, m/s^2.
static void compute_rates(fm_grid *g, fm_vec3 force, bool advected, fm_pool *pool)
{
    pushed job = {.force = {force.x, force.y, g->active[2] ? force.z : 0}, .advected = advected};
    fm_grid_for_faces(g, pool, advected ? 12 : 3, compute_rate_row, &job);
    fm_grid_add_lift(g, g->rate, force, pool);
    fm_grid_add_sheet_rates(g, g->rate, 1);
}

// u = keep old + (1 - keep) (from + dt rate), from: old or u.
typedef struct combined {
    double keep, dt;
    double *const *from; // [component]
} combined;

// Combines a row of faces of component d.
FM_SIMD_CLONES static void combine_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    const combined *job = context;
    double *u = g->u[d], keep = job->keep, dt = job->dt;
    const double *old = g->old[d], *rate = g->rate[d], *from = job->from[d];
#pragma omp simd
    for (int i = 0; i < length; i++)
        u[q + i] = keep * old[q + i] + (1 - keep) * (from[q + i] + dt * rate[q + i]);
}

// Fills the ghost values of the velocity at time t, s, outside the grid and inside colliders.
static void fill(fm_grid *g, double t, fm_pool *pool)
{
    double start = fm_clock_now_ms();
    fm_grid_fill_sides(g, g->u, t, pool);
    fm_grid_fill_solids(g, g->u);
    end_stage(g, FM_GRID_STAGE_BOUNDARY, &start);
}

// One stage of the Runge-Kutta method: u = keep old + (1 - keep)(u + dt R). Ghost values must be in
// place. The first stage leaves u in `old`.
static void take_stage(fm_grid *g, bool first, double keep, double dt, fm_vec3 force, fm_pool *pool)
{
    double start = fm_clock_now_ms();
    compute_rates(g, force, true, pool);
    for (int d = 0; d < 3 && first; d++) {
        double *u = g->u[d];
        g->u[d] = g->old[d];
        g->old[d] = u;
    }
    combined job = {.keep = keep, .dt = dt, .from = first ? g->old : g->u};
    fm_grid_for_faces(g, pool, 1.5, combine_row, &job);
    end_stage(g, FM_GRID_STAGE_ADVECTION, &start);
}

// From u to u*, without implicit viscosity: three stages, or one Euler step.
static void advance_explicitly(fm_grid *g, double dt, fm_vec3 force, fm_pool *pool)
{
    take_stage(g, true, 0, dt, force, pool);
    if (g->def.advection != FM_GRID_FIFTH_ORDER)
        return;
    fill(g, g->time + dt, pool);
    take_stage(g, false, 0.75, dt, force, pool);
    fill(g, g->time + 0.5 * dt, pool);
    take_stage(g, false, 1.0 / 3, dt, force, pool);
}

// rate += extra / 2.
FM_SIMD_CLONES static void add_half_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    (void)context;
    double *restrict rate = g->rate[d];
    const double *restrict extra = g->extra[d];
#pragma omp simd
    for (int i = 0; i < length; i++)
        rate[q + i] += 0.5 * extra[q + i];
}

// extra = advection of u, m/s^2, in a row of faces of component d.
static void advect_extra_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    (void)context;
    memset(g->extra[d] + q, 0, (size_t)length * sizeof(double));
    fm_grid_advect_row(g, g->u, g->extra[d], d, q, length);
}

// From u to u* with Crank-Nicolson for viscosity. The velocities on the sides are those at the
// middle of the substep.
static void advance_implicitly(fm_grid *g, double dt, fm_vec3 force, fm_pool *pool)
{
    for (int d = 0; d < 3; d++)
        memcpy(g->old[d], g->u[d], g->count * sizeof(double));
    fill(g, g->time + 0.5 * dt, pool);
    double start = fm_clock_now_ms();
    compute_rates(g, force, false, pool);
    fm_grid_for_faces(g, pool, 10, advect_extra_row, NULL);
    end_stage(g, FM_GRID_STAGE_ADVECTION, &start);
    fm_grid_solve_viscosity(g, dt, 1, pool);
    end_stage(g, FM_GRID_STAGE_VISCOSITY, &start);
    if (g->def.advection != FM_GRID_FIFTH_ORDER)
        return;
    fm_grid_for_faces(g, pool, 1, add_half_row, NULL);
    fill(g, g->time + dt, pool);
    start = fm_clock_now_ms();
    fm_grid_for_faces(g, pool, 10, advect_extra_row, NULL);
    end_stage(g, FM_GRID_STAGE_ADVECTION, &start);
    fm_grid_solve_viscosity(g, dt, 0.5, pool);
    end_stage(g, FM_GRID_STAGE_VISCOSITY, &start);
}

// b = -divergence of the open fluxes of a row of cells, times h, m/s.
FM_SIMD_CLONES static void write_divergence_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    double *b = fm_poisson_right_side(g->solver) + l->start + j * l->stride[1] + k * l->stride[2];
    for (int a = 0; a < 3; a++) {
        const double *low = g->u[a] + q, *high = low + g->stride[a];
        const float *open_low = g->open[a] + q, *open_high = open_low + g->stride[a];
#pragma omp simd
        for (int i = 0; i < length; i++)
            b[i] = (a == 0 ? 0 : b[i]) + open_low[i] * low[i] - open_high[i] * high[i];
    }
}

// Replaces the fluxes A u through the faces that colliders cut.
static void correct_solid_fluxes(fm_grid *g)
{
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    double *b = fm_poisson_right_side(g->solver);
    for (int i = 0; i < g->solids.face_count; i++) {
        const fm_solid_face *f = &g->solids.faces[i];
        double flux = fm_grid_find_flux(g, f) - f->open * g->u[f->axis][f->q];
        ptrdiff_t from = f->q - g->start;
        int at[3];
        for (int a = 2; a >= 0; a--) {
            at[a] = (int)(from / g->stride[a]);
            from -= at[a] * g->stride[a];
        }
        ptrdiff_t q = l->start + at[0] + at[1] * l->stride[1] + at[2] * l->stride[2];
        if (at[f->axis] < g->n[f->axis])
            b[q] += flux;
        if (at[f->axis] > 0)
            b[q - l->stride[f->axis]] -= flux;
    }
}

// Largest |u_a| of any component in a row of cells, m/s; NaN if a velocity is.
FM_SIMD_CLONES static double find_component_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    double fastest = 0, fault = 0;
    const double *restrict u = g->u[0] + q, *restrict v = g->u[1] + q, *restrict w = g->u[2] + q;
#pragma omp simd reduction(max : fastest) reduction(+ : fault)
    for (int i = 0; i < length; i++) {
        double speed = fm_double_max(fabs(u[i]), fm_double_max(fabs(v[i]), fabs(w[i])));
        fault += 0 * (u[i] + v[i] + w[i]);
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest + fault;
}

// u -= grad psi on the faces of a row along axis d that are not closed. psi is the solution of the
// Poisson solver, stored divided by h; its ghost layer has the values beyond the sides.
FM_SIMD_CLONES static void correct_row(fm_grid *g, void *context, int d, ptrdiff_t q, int length)
{
    (void)context;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    ptrdiff_t first = l->start + j * l->stride[1] + k * l->stride[2];
    const float *c = fm_poisson_conductances(g->solver, d) + first, *open = g->open[d] + q;
    const double *psi = fm_poisson_solution(g->solver) + first;
    double *u = g->u[d] + q;
#pragma omp simd
    for (int i = 0; i < length; i++) {
        double step = c[i] > open[i] ? 2 : c[i] > 0; // open sides: half the distance
        u[i] -= step * (psi[i] - psi[i - l->stride[d]]);
    }
}

// p += scale psi.
static void raise_pressure_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    double scale = *(double *)context;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    const double *psi =
        fm_poisson_solution(g->solver) + l->start + j * l->stride[1] + k * l->stride[2];
    for (int i = 0; i < length; i++)
        g->p[q + i] += scale * psi[i];
}

// Makes u free of divergence. The velocities that boundaries give must be in place. dt > 0: also
// corrects the pressure. is_rate: u holds the rate of the velocity, whose values inside colliders
// are not known.
static void project(fm_grid *g, double dt, bool is_rate, fm_pool *pool)
{
    double start = fm_clock_now_ms(), *psi = fm_poisson_solution(g->solver);
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    double fastest = fm_grid_max_rows(g, pool, 2, find_component_row, NULL);
    fm_grid_for_rows(g, pool, 3, 4, write_divergence_row, NULL);
    if (!is_rate)
        correct_solid_fluxes(g);
    fm_grid_add_ball_fluxes(g);
    fm_grid_balance_pockets(g);
    memset(psi, 0, l->count * sizeof *psi);
    end_stage(g, FM_GRID_STAGE_PROJECT, &start);
    // rounding keeps the solver from smaller tolerances
    double tolerance = fm_double_max(g->def.tolerance, 1e-13) * fastest;
    fm_poisson_result r = fm_poisson_solve(g->solver, tolerance, g->def.iterations, pool);
    end_stage(g, FM_GRID_STAGE_PRESSURE, &start);
    fm_grid_for_faces(g, pool, 2, correct_row, NULL);
    if (dt > 0) {
        double scale = g->def.density * g->h / dt;
        fm_grid_for_rows(g, pool, 3, 1, raise_pressure_row, &scale);
    }
    g->stats.iterations = r.iterations;
    g->stats.iteration_count += r.iterations;
    g->stats.unconverged_count += !r.converged;
    g->stats.divergence = fastest > 0 ? r.residual / fastest : 0;
    g->stats.max_speed = fastest;
    end_stage(g, FM_GRID_STAGE_PROJECT, &start);
}

// Moves dye and marks for dt seconds.
static void move_passive(fm_grid *g, const fm_surroundings *around, double dt)
{
    double start = fm_clock_now_ms();
    if (g->def.dye.on)
        fm_grid_move_dye(g, dt, around->pool);
    if (g->marks)
        fm_marks_move(g->marks, around, dt);
    end_stage(g, FM_GRID_STAGE_PASSIVE, &start);
}

// Places the colliders at time t, s, and finds the parts into which they divide the fluid.
bool fm_grid_place_solids(fm_grid *g, const fm_surroundings *around, double t, fm_error *err)
{
    bool stays = g->solids.ready && !g->solids.moving;
    return fm_grid_update_solids(g, around, t, err) &&
           (stays || around->collider_count == 0 || fm_grid_find_pockets(g, err));
}

// Advances the fluid by one substep of dt seconds. left: s, of the interval, dt included. whole: s,
// of the interval.
static bool take_substep(fm_grid *g, const fm_surroundings *around, double dt, double left,
                         double whole, fm_error *err)
{
    bool last = left <= dt;
    fm_vec3 force = find_force(g, around);
    double start = fm_clock_now_ms();
    if (!fm_grid_place_sheets(g, err))
        return false;
    fm_grid_place_balls(g, around, whole - left, dt);
    end_stage(g, FM_GRID_STAGE_SHEETS, &start);
    fill(g, g->time, around->pool);
    move_passive(g, around, g->lag + 0.5 * dt);
    g->lag = 0.5 * dt;
    start = fm_clock_now_ms();
    fm_grid_fill_pressure(g, force, around->pool);
    end_stage(g, FM_GRID_STAGE_BOUNDARY, &start);
    if (g->def.diffusion == FM_GRID_IMPLICIT)
        advance_implicitly(g, dt, force, around->pool);
    else
        advance_explicitly(g, dt, force, around->pool);
    start = fm_clock_now_ms();
    if (!fm_grid_place_solids(g, around, g->time + dt, err))
        return false;
    end_stage(g, FM_GRID_STAGE_SOLIDS, &start);
    g->time += dt;
    fill(g, g->time, around->pool);
    start = fm_clock_now_ms();
    fm_grid_add_drag_impulses(g, dt, NULL);
    fm_grid_exchange_with_balls(g, around, dt);
    fm_grid_exchange_with_sheets(g, g->old, around->gravity, dt);
    fm_poisson_update(g->solver, around->pool);
    end_stage(g, FM_GRID_STAGE_SHEETS, &start);
    project(g, dt, false, around->pool);
    start = fm_clock_now_ms();
    fm_grid_finish_sheets(g, dt, last);
    fm_grid_finish_balls(g, around, true);
    end_stage(g, FM_GRID_STAGE_SHEETS, &start);
    g->stats.substep_count++;
    g->stats.time_step = dt;
    if (g->def.loads)
        g->stats.load = fm_add(g->stats.load, fm_grid_add_loads(g, dt));
    return true;
}

// Exchanges the velocity and its rate, so that project() works on the rate.
static void swap_with_rate(fm_grid *g)
{
    for (int d = 0; d < 3; d++) {
        double *u = g->u[d];
        g->u[d] = g->rate[d];
        g->rate[d] = u;
    }
}

// The pressure at the start: that which makes the rate of the velocity free of divergence.
static void find_first_pressure(fm_grid *g, fm_vec3 force, fm_pool *pool)
{
    memset(g->p, 0, g->count * sizeof *g->p);
    fill(g, g->time, pool);
    fm_grid_fill_pressure(g, force, pool);
    compute_rates(g, force, true, pool);
    for (int d = 0; d < 3; d++)
        fm_grid_fill_change(g, g->rate[d], d, FM_GRID_FILL_RATE, pool);
    double speed = g->stats.max_speed;
    swap_with_rate(g);
    project(g, 1, true, pool); // the acceleration of colliders is neglected
    swap_with_rate(g);
    g->stats.max_speed = speed; // not that of the rate
}

// Places the colliders; before the first substep also makes the velocity free of divergence and
// finds its pressure.
bool fm_grid_prepare(fm_grid *g, const fm_surroundings *around, fm_error *err)
{
    if (!fm_grid_place_solids(g, around, g->time, err))
        return false;
    if (!fm_grid_reserve_balls(g, around, err))
        return false;
    if (!g->started) {
        fill(g, g->time, around->pool);
        fm_grid_start_balls(g, around);
        fm_poisson_update(g->solver, around->pool);
        project(g, 0, false, around->pool);
        fm_grid_finish_balls(g, around, false);
        fm_poisson_update(g->solver, around->pool);
        find_first_pressure(g, find_force(g, around), around->pool);
        g->started = true;
    }
    if (g->marks)
        fm_marks_start(g->marks, around);
    return true;
}

// Ghost values for readers. The layers around the grid come last: they follow from the state alone,
// so that a restored fluid has the same.
static void fill_for_readers(fm_grid *g, fm_vec3 force, fm_pool *pool)
{
    fm_grid_fill_solids(g, g->u);
    fm_grid_fill_velocity(g, g->u, g->time, pool);
    fm_grid_fill_pressure(g, force, pool);
}

// Advances the fluid by `interval` seconds in stable substeps, and adds their number to *substeps.
bool fm_grid_advance(fm_grid *g, const fm_surroundings *around, double interval, int *substeps,
                     fm_error *err)
{
    double left = interval;
    fm_grid_move_domain(g, around, find_force(g, around));
    if (!fm_grid_prepare(g, around, err))
        return false;
    while (left > 0) {
        if (!fm_stop_request_check(around->stop, err))
            return false;
        double longest = fm_grid_find_step(g, around), count = ceil(left / longest * (1 - 1e-12));
        if (!(count < 1e9)) // a NaN, or a speed beyond all bounds
            return fm_fail_number(err, g->object.name, "substep", longest, "a stable flow");
        double dt = count > 1 ? left / count : left;
        if (!take_substep(g, around, dt, left, interval, err))
            return false;
        left = count > 1 ? left - dt : 0;
        ++*substeps;
    }
    fill_for_readers(g, find_force(g, around), around->pool);
    fm_grid_write_samples(g, around->pool);
    fm_grid_release_sheets(g, 0, around->gravity);
    fm_grid_clear_drag_impulses(g);
    return true;
}
