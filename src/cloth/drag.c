// SPDX-License-Identifier: MIT
// drag.c: the force term of drag, added mass and history; drag.h solves the equations for one
// particle.
//
// Symbols: u = v - w  m/s, velocity of a particle relative to the medium; n  unit normal of the
// cloth; u_n, u_t  parts of u along n and in the plane of the cloth; A  m^2, area and m  kg, mass
// of the particle; rho  kg/m^3 and mu  Pa s, density and viscosity of the medium; D^q  fractional
// derivative of order q with respect to time. The forces on a particle are, in N:
//
// physical model:
//     pressure         -1/2 rho C_n A |u_n| u_n
//     friction         -1/2 rho C_t A |u_t| u_t
//     skin history     -2 sqrt(rho mu) A D^(1/2) u_t      Stokes' first problem, both sides
//     normal history   -k_B A D^(1/2) u_n
//     added mass       -rho L A n d(u_n)/dt               a layer of medium, L m thick, moves along
// published model, [OKRC10] eq. (3), (4), and the models that paper compares it with:
//     viscous          -k_vd A u
//     normal           -k_n A u_n
//     history          -k_hd A (D^q x . e) e,  e = u/|u|  (zero for |u| < 1e-9 m/s)
//
// The fractional derivative at the new time is w0 * rate + known: the rate at the new time (the
// acceleration du/dt in the physical model, the velocity u in the published one) times the memory's
// newest weight w0, plus a part that is known beforehand. With it, the closing half kick (kick.c)
//
//     u' = p + (h/2) s,   p = v_half - w,   s = du/dt at the new time
//
// has a closed-form solution. q is the sum of all other forces. Physical model, for the normal
// component and for the tangential vector separately:
//
//     c |u'| u' + b u' = G,   b = (2/h) M,  G = q - k known + b p
//     u' = 2 G / (b + sqrt(b^2 + 4 c |G|))
//     M = m + rho L A + k_B A w0 along n,   m + 2 sqrt(rho mu) A w0 across
//
// (c is the coefficient of the quadratic drag, k that of the history force, both times A.)
//
// Published model: B u' + k (w0 u' . e + known . e) e = G with B = (2m/h + k_vd A) 1 + k_n A n n^T.
// The history force is parallel to u', so e is taken as the direction of B^-1 G. That is exact for
// k_n = 0 and an approximation otherwise. Then the Sherman-Morrison formula gives u'.
//
// The added mass has the kinetic energy rho L A u_n^2 / 2 and its force must conserve it. Therefore
// the force uses the rate of the scalar u_n = n . u, not n . du/dt. While the normal turns from n0
// to n, the layer keeps its speed along the normal and changes the particle's velocity by
//
//     u <- u - g e,   g = M_L c ((n - n0) . u) / (m + M_L c^2),   c = e . n
//     e = (n0 + n) / |n0 + n|
//
// which conserves m u^2 + M_L u_n^2 up to rounding (M_L = rho L A; the other root of that condition
// is the reflection g = 2 e . u). The change of the medium's velocity, w' - w, is also added to v
// as a whole when the substep closes. For second order, the preceding drift must include both
// changes. It uses their values from the previous substep: drift_acceleration = (w' - w - g e) / h.
//
// A history force on displacements dissipates energy over a cycle but does positive work in a part
// of it: at order 1/2 with full memory, in a quarter of the cycle.
#include "cloth/drag.h"
#include "cloth/added_mass.h"

#include <math.h>
#include <string.h>

// The drag coefficients of a substep of h seconds, from the definition and the medium. w0: weight
// of the newest rate in the fractional derivative of the drag memory. Drag that a fluid feels acts
// after the kick (drag_exchange.c).
fm_drag_step fm_drag_prepare_step(const fm_cloth *cloth, const fm_surroundings *around, double h,
                                  double w0)
{
    if (fm_cloth_exchanges_drag(cloth))
        return (fm_drag_step){.h = h, .w0 = w0};
    return fm_drag_find_law(cloth, &around->medium, h, w0);
}

fm_drag_step fm_drag_find_law(const fm_cloth *cloth, const fm_medium *medium, double h, double w0)
{
    const fm_drag *drag = &cloth->def.drag;
    fm_drag_step step = {.h = h, .w0 = w0};
    if (cloth->line && drag->model == FM_DRAG_PHYSICAL) {
        fm_line_prepare_drag(cloth, medium, &step);
        return step;
    }
    switch (drag->model) {
    case FM_DRAG_NONE:
        break;
    case FM_DRAG_PHYSICAL:
        step.physical = true;
        step.pressure = 0.5 * medium->density * drag->pressure;
        step.friction = 0.5 * medium->density * drag->friction;
        step.skin = drag->skin_history ? 2 * sqrt(medium->density * medium->viscosity) : 0;
        step.normal_history = drag->normal_history >= 0
                                  ? drag->normal_history
                                  : 2 * sqrt(medium->density * medium->viscosity);
        step.modes = fm_added_mass_is_used(cloth);
        step.density = medium->density;
        step.layer = step.density * (step.modes ? cloth->added->local : cloth->added_mass);
        step.ripple = 0.5 * medium->density * fmin(drag->ripple_pressure, drag->pressure);
        break;
    case FM_DRAG_PUBLISHED:
        step.viscous = drag->viscous;
        step.normal = drag->normal;
        step.history = drag->history.coefficient;
        break;
    case FM_DRAG_VISCOUS:
        step.viscous = drag->viscous;
        break;
    case FM_DRAG_NORMAL:
        step.normal = drag->normal;
        break;
    case FM_DRAG_BOTH:
        step.viscous = drag->viscous;
        step.normal = drag->normal;
        break;
    }
    return step;
}

// Effective mass of particle i against an impulse. A jump of the velocity by dv within a substep is
// pushed into the memory as the rate dv/h. The history force responds with the impulse -k A w0 dv,
// so it acts like an additional mass k A w0 (k: coefficient of the history force).
fm_effective_mass fm_drag_effective_mass(const fm_cloth *c, const fm_drag_step *d, int i)
{
    double m = c->inertia[i], A = c->wet_area[i];
    if (!d->physical)
        return (fm_effective_mass){m, m};
    double layer = d->modes ? d->layer * (1 - c->added->given[i]) : d->layer;
    return (fm_effective_mass){m + A * (layer + d->normal_history * d->w0),
                               m + A * d->skin * d->w0};
}

bool fm_drag_has_added_mass(const fm_drag_step *d)
{
    return d->physical && (d->layer != 0 || (d->w0 > 0 && (d->skin > 0 || d->normal_history > 0)));
}

const fm_vec3_array *fm_drag_known_part(const fm_cloth *c)
{
    return &fm_cloth_find_term(c, &fm_drag_term)->known;
}

double fm_drag_newest_weight(const fm_cloth *c, double h)
{
    const fm_term *term = fm_cloth_find_term(c, &fm_drag_term);
    return term->memory ? fm_memory_newest_weight(term->memory, h) : 0;
}

// Writes the fractional derivatives of the drag memory at the current time, as world vectors; 0
// without a memory.
void fm_drag_read_memory(const fm_cloth *c, const fm_vec3_array *out)
{
    const fm_term *term = fm_cloth_find_term(c, &fm_drag_term);
    memset(out->x, 0, 3 * (size_t)c->lanes * sizeof(double));
    if (!term->memory)
        return;
    fm_memory_value(term->memory, out->x);
    if (term->data)
        fm_frame_rotate_to_world(c, term, out);
}

// Writes drag, history and added-mass force per area at each particle in the present state, N/m^2,
// three numbers per particle. un: relative velocity along the normal; t: its tangential part; kn:
// derivative along the normal; across: the force along the normal.
void fm_drag_force_per_area(fm_cloth *c, const fm_surroundings *around, double *force)
{
    fm_drag_step d = fm_drag_prepare_step(c, around, 0, 0);
    const fm_vec3_array *D = &c->pair;
    fm_drag_read_memory(c, D);
    const double *inertia = NULL, *pressure = NULL;
    if (d.modes)
        fm_added_mass_find_forces(c, &d, &inertia, &pressure);
    for (int i = 0; i < c->count; i++) {
        fm_vec3 n = {c->normal.x[i], c->normal.y[i], c->normal.z[i]};
        fm_vec3 u = {c->v.x[i] - c->w.x[i], c->v.y[i] - c->w.y[i], c->v.z[i] - c->w.z[i]};
        fm_vec3 derivative = {D->x[i], D->y[i], D->z[i]};
        fm_vec3 rate = {c->rate.x[i], c->rate.y[i], c->rate.z[i]};
        double un = fm_dot(u, n), speed = sqrt(fm_dot(u, u)), kn = fm_dot(derivative, n);
        fm_vec3 t = fm_sub(u, fm_scale(n, un));
        fm_vec3 f = fm_scale(t, -(d.viscous + d.friction * sqrt(fm_dot(t, t))));
        double across = (d.viscous + d.normal + (d.modes ? 0 : d.pressure * fabs(un))) * un;
        if (d.physical) {
            f = fm_sub(f, fm_scale(fm_sub(derivative, fm_scale(n, kn)), d.skin));
            across += d.normal_history * kn;
            across += d.modes ? inertia[i] + pressure[i] : d.layer * fm_dot(rate, n);
            if (c->line)
                f = fm_sub(f, fm_scale(rate, fm_line_added_mass(c, &around->medium)));
        } else if (speed > FM_DRAG_MIN_SPEED) {
            f = fm_sub(f, fm_scale(u, d.history * fm_dot(derivative, u) / (speed * speed)));
        }
        f = fm_sub(f, fm_scale(n, across));
        force[3 * i] = f.x, force[3 * i + 1] = f.y, force[3 * i + 2] = f.z;
    }
}

// The kinetic energy of the added mass.
static fm_energies energy(const fm_cloth *c, const fm_term *term, const fm_surroundings *around)
{
    (void)term;
    if (c->line)
        return (fm_energies){.kinetic = fm_line_added_energy(c, &around->medium)};
    fm_drag_step drag = fm_drag_prepare_step(c, around, 0, 0);
    double sum = 0;
    if (drag.modes)
        return (fm_energies){.kinetic = fm_added_mass_energy(c, drag.density)};
    for (int i = 0; i < c->count && drag.layer > 0; i++) {
        fm_vec3 u = fm_sub(fm_vec3_array_at(c->v, i), fm_vec3_array_at(c->w, i));
        double un = fm_dot(u, fm_vec3_array_at(c->normal, i));
        sum += 0.5 * drag.layer * c->area[i] * un * un;
    }
    return (fm_energies){.kinetic = sum};
}

// Whether drag has a memory, and its settings. The physical model is an exact half derivative.
static bool define_memory(const fm_cloth *c, const fm_medium *medium, fm_recall *memory,
                          double *order)
{
    const fm_drag *drag = &c->def.drag;
    bool physical = drag->model == FM_DRAG_PHYSICAL;
    *memory = drag->history.memory;
    *order = physical ? 0.5 : drag->history.order;
    if (physical) // an exact half derivative needs the whole past
        memory->kind = FM_RECALL_FULL;
    return fm_cloth_needs_drag_memory(&c->def, medium);
}

// The rates that are pushed into the drag memory. Physical model (term->data holds its frames): the
// rates of the components of the relative velocity in the frame that turns with the cloth
// (frame.c), from the accelerations that the kick has stored in `rate` and the turn of the frame.
// Published model: the relative velocities, after pins and colliders have changed them.
static const fm_vec3_array *find_rates(fm_cloth *c, fm_term *term, int first, int last)
{
    if (term->data)
        return fm_frame_compute_rates(c, term, first, last);
    for (int i = first; i < last; i++) {
        c->rate.x[i] = c->v.x[i] - c->w.x[i];
        c->rate.y[i] = c->v.y[i] - c->w.y[i];
        c->rate.z[i] = c->v.z[i] - c->w.z[i];
    }
    return &c->rate;
}

// Drag has no force function: it depends on the particle's own new velocity, and the closing kick
// solves for both in one loop (kick.c, drag.h).
const fm_term_type fm_drag_term = {
    .name = "drag",
    .setup = fm_frame_setup,
    .energy = energy,
    .define_memory = define_memory,
    .find_rates = find_rates,
};
