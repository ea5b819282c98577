// SPDX-License-Identifier: MIT
// sph_methods.c: one substep of each SPH method, and the CFL bound on its length.
//
//     weakly compressible, second order:   x += h/2 v;  s += h ds/dt;  v += h a;  x += h/2 v
//     constant density:                    v += h a without pressure;  pressure solve changes v;
//                                          x += h v
//     relaxation, as in [OZG13] chapter 5: relaxation.c
//     standard, as in [OZG13]:             a at x;  x += h v;  v += h a     (leapfrog: v first)
//
// Two-way coupling with immersed surfaces exists in the weakly compressible method
// (immersed_surfaces.c) and with constant density (sheet_pressure.c). In the other methods the
// surfaces measure the fluid and do not push it.
//
//   x  position, m    v  velocity, m/s    a  acceleration, m/s^2    s  rho/rho0 - 1    h  step, s
#include "particles/particles.h"
#include "particles/sheet_pressure.h"

// Keeps particles inside walls and outside colliders.
static void contain_range(void *context, int first, int last)
{
    fm_walls_contain_particles(context, first, last);
}

// Keeps particles inside walls and outside colliders before the substep moves them: for positions
// that changed since the last substep, such as those of emitted particles.
static void contain_without_drift_range(void *context, int first, int last)
{
    fm_step_record_positions(context, first, last);
    fm_walls_contain_particles(context, first, last);
}

// x += h v
static void drift_range(void *context, int first, int last)
{
    fm_step_drift(context, first, last, ((const fm_particles_step *)context)->h);
}

// x += h v, then particle shifting, and containment by walls and colliders.
static void drift_shift_and_contain_range(void *context, int first, int last)
{
    drift_range(context, first, last);
    fm_particles *p = ((const fm_particles_step *)context)->p;
    for (int i = first; i < last && p->def.shifting > 0; i++) {
        p->now.x[i] += (double)p->dx[i];
        p->now.y[i] += (double)p->dy[i];
        p->now.z[i] += (double)p->dz[i];
    }
    fm_walls_contain_particles(context, first, last);
    if (p->sheet) { // a path beyond a wall could lead around the edge of a surface
        fm_immersed_surfaces_stop_crossing(context, first, last);
        fm_walls_contain_particles(context, first, last);
    }
}

// x += h v, then containment by walls and colliders.
static void drift_and_contain_range(void *context, int first, int last)
{
    drift_range(context, first, last);
    fm_walls_contain_particles(context, first, last);
}

// x += h/2 v, then containment by walls and colliders.
static void drift_half_and_contain_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_step_drift(step, first, last, step->h / 2);
    fm_walls_contain_particles(step, first, last);
}

// Second half of the drift, x += h/2 v, then particle shifting or the correction for springs
// (spring_network.c), and containment.
static void drift_half_shift_and_contain_range(void *context, int first, int last)
{
    const fm_particles_step *step = context;
    fm_particles *p = step->p;
    fm_step_drift(step, first, last, step->h / 2);
    for (int i = first; i < last && (p->def.shifting > 0 || p->drift_is_corrected); i++) {
        p->now.x[i] += (double)p->dx[i];
        p->now.y[i] += (double)p->dy[i];
        p->now.z[i] += (double)p->dz[i];
    }
    if (p->surface_count > 0) { // a path beyond a wall could lead around the edge of a surface
        fm_walls_contain_particles(step, first, last);
        fm_immersed_surfaces_stop_crossing(step, first, last);
    }
    fm_walls_contain_particles(step, first, last);
}

// One substep of the weakly compressible method.
static bool step_weakly_compressible(fm_particles_step *step, fm_error *err)
{
    const double start = step->p->time, h = step->h;
    fm_step_set_time(step, start, start + h / 2);
    fm_step_emit_particles(step);
    fm_step_move(step, drift_half_and_contain_range);
    if (!fm_step_list_pairs(step, err))
        return false;
    fm_density_integrate_rate(step);
    fm_step_record_time(step, FM_PARTICLES_DENSITY);
    fm_boundary_extrapolate(step);
    fm_immersed_surfaces_measure_fluid(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    fm_fluid_terms_before_forces(step);
    if (step->p->def.shifting > 0)
        fm_forces_compute_shifted(step);
    else
        fm_forces_compute(step);
    fm_immersed_surfaces_push_fluid(step);
    fm_fluid_terms_add_forces(step);
    fm_step_record_time(step, FM_PARTICLES_FORCES);
    fm_boundary_push_colliders(step);
    fm_immersed_surfaces_push_samples(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    fm_step_kick(step);
    fm_step_set_time(step, step->t, start + h);
    fm_step_move(step, drift_half_shift_and_contain_range);
    fm_immersed_surfaces_add_stopped_momentum(step);
    if (step->p->def.network.viscosity > 0)
        fm_step_measure_speed(step);
    return true;
}

// One substep of the constant-density method.
static bool step_constant_density(fm_particles_step *step, fm_error *err)
{
    const double start = step->p->time, h = step->h;
    fm_step_set_time(step, start, start);
    fm_step_emit_particles(step);
    fm_step_move(step, contain_without_drift_range);
    fm_step_remove_and_sort(step);
    if (!fm_step_find_neighbours(step, err))
        return false;
    fm_density_compute_sum(step);
    fm_step_record_time(step, FM_PARTICLES_DENSITY);
    fm_boundary_extrapolate(step);
    fm_immersed_surfaces_measure_fluid(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    fm_pressure_clear(step);
    fm_fluid_terms_before_forces(step);
    fm_forces_compute(step);
    fm_fluid_terms_add_forces(step);
    fm_step_record_time(step, FM_PARTICLES_FORCES);
    fm_boundary_push_colliders(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    fm_sheet_pressure_begin(step);
    fm_step_kick(step);
    fm_pressure_solve(step);
    fm_step_record_time(step, FM_PARTICLES_PRESSURE);
    fm_step_set_time(step, start, start + h);
    fm_step_move(step, drift_shift_and_contain_range);
    if (step->p->sheet)
        fm_immersed_surfaces_add_stopped_momentum(step);
    fm_sheet_pressure_finish(step);
    fm_step_measure_speed(step);
    return true;
}

// One substep of the standard method, as in [OZG13].
static bool step_standard(fm_particles_step *step, fm_error *err)
{
    const double start = step->p->time, h = step->h;
    const bool euler = step->p->def.integrator == FM_SPH_EULER;
    fm_step_set_time(step, start, start);
    fm_step_emit_particles(step);
    fm_step_move(step, contain_without_drift_range);
    fm_step_remove_and_sort(step);
    if (!fm_step_find_neighbours(step, err))
        return false;
    fm_density_compute_published_sum(step);
    fm_step_record_time(step, FM_PARTICLES_DENSITY);
    fm_boundary_extrapolate(step);
    fm_immersed_surfaces_measure_fluid(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    fm_fluid_terms_before_forces(step);
    fm_forces_compute_published(step);
    fm_fluid_terms_add_forces(step);
    fm_step_record_time(step, FM_PARTICLES_FORCES);
    if (euler) // drift with the old velocities
        fm_step_move(step, drift_range);
    fm_boundary_push_colliders(step);
    fm_step_record_time(step, FM_PARTICLES_BOUNDARY);
    fm_step_kick(step);
    fm_step_set_time(step, start, start + h);
    fm_step_move(step, euler ? contain_range : drift_and_contain_range);
    return true;
}

// The smallest of the CFL bound of the speed of sound and all other bounds on the substep, s.
static double bound_by_sound(const fm_particles *p)
{
    return fm_step_find_bound(p, p->def.courant * p->R / (p->c + p->max_speed));
}

// The smallest of the CFL bound of the flow speed and all other bounds on the substep, s.
static double bound_by_flow(const fm_particles *p)
{
    double v = p->max_speed;
    return fm_step_find_bound(p, v > 0 ? 2 * p->def.courant * p->def.spacing / v : INFINITY);
}

// Substep of the standard and the relaxation method, s. A given time step is used even if it is
// unstable, as in
// [OZG13].
static double bound_as_published(const fm_particles *p)
{
    return p->def.time_step > 0 ? p->def.time_step : bound_by_sound(p);
}

// The substep function and the step bound of the fluid's method.
const fm_sph_scheme *fm_sph_find_scheme(const fm_particles *p)
{
    static const fm_sph_scheme methods[] = {
        [FM_SPH_WEAKLY_COMPRESSIBLE] = {step_weakly_compressible, bound_by_sound},
        [FM_SPH_CONSTANT_DENSITY] = {step_constant_density, bound_by_flow},
        [FM_SPH_STANDARD] = {step_standard, bound_as_published},
        [FM_SPH_RELAXATION] = {fm_relaxation_take_substep, bound_as_published},
    };
    return &methods[p->def.method];
}
