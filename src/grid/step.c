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

// Largest sum of |u_a| over the axes in a row of cells, m/s; NaN if a velocity is.
static double find_speed_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    double fastest = 0;
    for (int i = 0; i < length; i++) {
        double sum = 0;
        for (int a = 0; a < 3; a++)
            if (g->active[a]) {
                double low = fabs(g->u[a][q + i]), high = fabs(g->u[a][q + i + g->stride[a]]);
                sum += low > high || isnan(low) ? low : high;
            }
        if (sum > fastest || isnan(sum))
            fastest = sum;
    }
    return fastest;
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

// The rate of one component from pressure and body force, before other rates are added.
typedef struct pushed {
    double *rate;
    double force; // m/s^2
    ptrdiff_t s;  // stride along the component
} pushed;

FM_SIMD_CLONES static void start_rate_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const pushed *job = context;
    const double *restrict p = g->p;
    double *restrict rate = job->rate, scale = 1 / (g->def.density * g->h);
#pragma omp simd
    for (int i = 0; i < length; i++)
        rate[q + i] = job->force - scale * (p[q + i] - p[q + i - job->s]);
}

// Sets the rate of the velocity to that of pressure, body force and lift, m/s^2.
static void start_rate(fm_grid *g, double *rate[3], fm_vec3 force, fm_pool *pool)
{
    double f[3] = {force.x, force.y, force.z};
    for (int d = 0; d < 3; d++)
        fm_grid_for_rows(g, pool, d, 1, start_rate_row,
                         &(pushed){rate[d], g->active[d] ? f[d] : 0, g->stride[d]});
    fm_grid_add_lift(g, rate, force, pool);
}

// u = keep old + gain (u + dt rate).
typedef struct combined {
    double *u;
    const double *old, *rate;
    double keep, gain, dt;
} combined;

FM_SIMD_CLONES static void combine_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const combined *job = context;
    double *restrict u = job->u;
    const double *restrict old = job->old, *restrict rate = job->rate;
#pragma omp simd
    for (int i = 0; i < length; i++)
        u[q + i] = job->keep * old[q + i] + job->gain * (u[q + i] + job->dt * rate[q + i]);
}

// Combines a stage of the Runge-Kutta method for all components.
static void combine(fm_grid *g, double keep, double dt, fm_pool *pool)
{
    for (int d = 0; d < 3; d++)
        fm_grid_for_rows(g, pool, d, 1.5, combine_row,
                         &(combined){g->u[d], g->old[d], g->rate[d], keep, 1 - keep, dt});
}

// Fills the ghost values of the velocity at time t, s, outside the grid and inside colliders.
static void fill(fm_grid *g, double t, fm_pool *pool)
{
    double start = fm_clock_now_ms();
    fm_grid_fill_velocity(g, g->u, t, pool);
    fm_grid_fill_solids(g, g->u);
    end_stage(g, FM_GRID_STAGE_BOUNDARY, &start);
}

// One stage of the Runge-Kutta method: u = keep old + (1 - keep)(u + dt R). Ghost values must be in
// place.
static void take_stage(fm_grid *g, double keep, double dt, fm_vec3 force, fm_pool *pool)
{
    double start = fm_clock_now_ms();
    start_rate(g, g->rate, force, pool);
    fm_grid_add_advection(g, g->u, g->rate, pool);
    fm_grid_add_viscosity(g, g->u, g->rate, pool);
    combine(g, keep, dt, pool);
    end_stage(g, FM_GRID_STAGE_ADVECTION, &start);
}

// From u to u*, without implicit viscosity: three stages, or one Euler step.
static void advance_explicitly(fm_grid *g, double dt, fm_vec3 force, fm_pool *pool)
{
    take_stage(g, 0, dt, force, pool);
    if (g->def.advection != FM_GRID_FIFTH_ORDER)
        return;
    fill(g, g->time + dt, pool);
    take_stage(g, 0.75, dt, force, pool);
    fill(g, g->time + 0.5 * dt, pool);
    take_stage(g, 1.0 / 3, dt, force, pool);
}

// rate += share extra.
FM_SIMD_CLONES static void add_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)g;
    const combined *job = context;
    double *restrict u = job->u;
    const double *restrict rate = job->rate;
#pragma omp simd
    for (int i = 0; i < length; i++)
        u[q + i] += job->gain * rate[q + i];
}

// extra = advection of u, m/s^2.
static void compute_advection(fm_grid *g, fm_pool *pool)
{
    for (int d = 0; d < 3; d++)
        memset(g->extra[d], 0, g->count * sizeof(double));
    fm_grid_add_advection(g, g->u, g->extra, pool);
}

// From u to u* with Crank-Nicolson for viscosity. The velocities on the sides are those at the
// middle of the substep.
static void advance_implicitly(fm_grid *g, double dt, fm_vec3 force, fm_pool *pool)
{
    fill(g, g->time + 0.5 * dt, pool);
    double start = fm_clock_now_ms();
    start_rate(g, g->rate, force, pool);
    fm_grid_add_viscosity(g, g->u, g->rate, pool);
    compute_advection(g, pool);
    end_stage(g, FM_GRID_STAGE_ADVECTION, &start);
    fm_grid_solve_viscosity(g, dt, 1, pool);
    end_stage(g, FM_GRID_STAGE_VISCOSITY, &start);
    if (g->def.advection != FM_GRID_FIFTH_ORDER)
        return;
    for (int d = 0; d < 3; d++)
        fm_grid_for_rows(g, pool, d, 1, add_row,
                         &(combined){.u = g->rate[d], .rate = g->extra[d], .gain = 0.5});
    fill(g, g->time + dt, pool);
    start = fm_clock_now_ms();
    compute_advection(g, pool);
    end_stage(g, FM_GRID_STAGE_ADVECTION, &start);
    fm_grid_solve_viscosity(g, dt, 0.5, pool);
    end_stage(g, FM_GRID_STAGE_VISCOSITY, &start);
}

// b = -divergence of the open fluxes of a row of cells, times h, m/s.
static void write_divergence_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    double *b = fm_poisson_right_side(g->solver) + l->start + j * l->stride[1] + k * l->stride[2];
    for (int i = 0; i < length; i++) {
        double flux = 0;
        for (int a = 0; a < 3; a++) {
            ptrdiff_t low = q + i, high = low + g->stride[a];
            flux += g->open[a][low] * g->u[a][low] - g->open[a][high] * g->u[a][high];
        }
        b[i] = flux;
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

// Largest |u_a| of any component in a row of cells, m/s.
static double find_component_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    (void)context;
    double fastest = 0;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < length; i++) {
            double speed = fabs(g->u[a][q + i]);
            if (speed > fastest || isnan(speed))
                fastest = speed;
        }
    return fastest;
}

// u -= grad psi on all faces that the pressure moves: psi of the solver, ghost layer included.
typedef struct corrected {
    int d;
    double *psi; // of cell (0, 0, 0)
} corrected;

// Subtracts the gradient of psi from a row of faces.
static void correct_row(fm_grid *g, void *context, ptrdiff_t q, int length)
{
    const corrected *job = context;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    const float *c = fm_poisson_conductances(g->solver, job->d) + l->start;
    ptrdiff_t from = q - g->start, k = from / g->stride[2],
              j = (from - k * g->stride[2]) / g->stride[1];
    ptrdiff_t first = j * l->stride[1] + k * l->stride[2];
    const double *psi = job->psi + first;
    double *u = g->u[job->d] + q;
    const float *open = g->open[job->d] + q;
    for (int i = 0; i < length; i++) {
        double step =
            c[first + i] > open[i] ? 2 : c[first + i] > 0; // open sides: half the distance
        u[i] -= step * (psi[i] - psi[i - l->stride[job->d]]);
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
    memset(psi, 0, l->count * sizeof *psi);
    end_stage(g, FM_GRID_STAGE_PROJECT, &start);
    // rounding keeps the solver from smaller tolerances
    double tolerance = fm_double_max(g->def.tolerance, 1e-13) * fastest;
    fm_poisson_result r = fm_poisson_solve(g->solver, tolerance, g->def.iterations, pool);
    end_stage(g, FM_GRID_STAGE_PRESSURE, &start);
    for (int d = 0; d < 3; d++)
        fm_grid_for_rows(g, pool, d, 2, correct_row, &(corrected){d, psi + l->start});
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

// Copies planes of u to old.
static void copy_planes(void *context, int first, int last)
{
    fm_grid *g = context;
    for (int i = first; i < last; i++) {
        int d = i / g->size[2];
        ptrdiff_t from = i % g->size[2] * g->stride[2];
        memcpy(g->old[d] + from, g->u[d] + from, (size_t)g->stride[2] * sizeof(double));
    }
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

// Advances the fluid by one substep of dt seconds.
static bool take_substep(fm_grid *g, const fm_surroundings *around, double dt, fm_error *err)
{
    fm_vec3 force = find_force(g, around);
    fill(g, g->time, around->pool);
    move_passive(g, around, g->lag + 0.5 * dt);
    g->lag = 0.5 * dt;
    double start = fm_clock_now_ms();
    fm_parallel_for(fm_pool_if_worthwhile(around->pool, 3.0 * (double)g->count), 3 * g->size[2], 4,
                    copy_planes, g);
    fm_grid_fill_pressure(g, force, around->pool);
    end_stage(g, FM_GRID_STAGE_BOUNDARY, &start);
    if (g->def.diffusion == FM_GRID_IMPLICIT)
        advance_implicitly(g, dt, force, around->pool);
    else
        advance_explicitly(g, dt, force, around->pool);
    start = fm_clock_now_ms();
    if (!fm_grid_update_solids(g, around, g->time + dt, err))
        return false;
    end_stage(g, FM_GRID_STAGE_SOLIDS, &start);
    g->time += dt;
    fill(g, g->time, around->pool);
    project(g, dt, false, around->pool);
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
    fm_grid_fill_pressure(g, force, pool);
    fill(g, g->time, pool);
    start_rate(g, g->rate, force, pool);
    fm_grid_add_advection(g, g->u, g->rate, pool);
    fm_grid_add_viscosity(g, g->u, g->rate, pool);
    for (int d = 0; d < 3; d++)
        fm_grid_fill_change(g, g->rate[d], d, FM_GRID_FILL_RATE, pool);
    swap_with_rate(g);
    project(g, 1, true, pool); // the acceleration of colliders is neglected
    swap_with_rate(g);
}

// Places the colliders; before the first substep also makes the velocity free of divergence and
// finds its pressure.
bool fm_grid_prepare(fm_grid *g, const fm_surroundings *around, fm_error *err)
{
    if (!fm_grid_update_solids(g, around, g->time, err))
        return false;
    if (!g->started) {
        fill(g, g->time, around->pool);
        project(g, 0, false, around->pool);
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
    if (!fm_grid_prepare(g, around, err))
        return false;
    while (left > 0) {
        if (!fm_stop_request_check(around->stop, err))
            return false;
        double longest = fm_grid_find_step(g, around), count = ceil(left / longest * (1 - 1e-12));
        if (!(count < 1e9)) // a NaN, or a speed beyond all bounds
            return fm_fail_number(err, g->object.name, "substep", longest, "a stable flow");
        double dt = count > 1 ? left / count : left;
        if (!take_substep(g, around, dt, err))
            return false;
        left = count > 1 ? left - dt : 0;
        ++*substeps;
    }
    fill_for_readers(g, find_force(g, around), around->pool);
    fm_grid_write_samples(g, around->pool);
    return true;
}
