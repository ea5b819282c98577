// SPDX-License-Identifier: MIT
// drag_exchange.c: drag between a body and a simulated fluid that feels the opposite force.
//
// For lines and loads, which are thinner than a cell of the fluid, and for cloth with coupling by
// drag. At the end of each substep of the body, every particle exchanges the impulse J with the
// fluid around it:
//
//     v' = v + J / m,     w' = w - J / M,     J = h A (b + c |r'|) r',     r' = w' - v'
//
// separately along the axis of the particle (normal of a cloth, tangent of a line) and across it.
// b and c are those of the body's drag law (drag.c, line_drag.c) without its history. With
// C = 1/m + 1/M and r = w - v this is
//
//     (1 + C h A b) r' + C h A c |r'| r' = r,     J = (r - r') / C
//
// in closed form: r' has the direction of r and is shorter. So every strength of the drag, every
// mass of the body and every number of bodies in a cell is stable. M is the share of the particle
// in the mass of the cells around it, among all particles there. A held particle has 1/m = 0.
//
// J and the buoyancy change the velocities at once. The sum of J in an interval, with the opposite
// sign, acts on the fluid, and so does the momentum that the added mass of a line gains: equal and
// opposite to rounding.
//
//   v  m/s, velocity of the particle    w  m/s, of the fluid at its place    m  kg, mass with added
//   mass    M  kg, of the fluid around it    A  m^2, wet area    h  s, substep of the body
#include "cloth/cloth.h"

#include <math.h>

// True if the opposite of the cloth's drag acts on a simulated fluid.
bool fm_cloth_exchanges_drag(const fm_cloth *c)
{
    return c->samples && c->samples->points.by_drag;
}

// Impulse along one direction, relative to r: solves the equations of the head. linear, quadratic:
// h A b and h A c.
static double find_impulse(double speed, double response, double linear, double quadratic)
{
    if (response <= 0) // a held particle in an unlimited fluid
        return linear + quadratic * speed;
    double b = 1 + response * linear;
    double kept = 2 / (b + sqrt(b * b + 4 * response * quadratic * speed));
    return (1 - kept) / response;
}

// Exchanges the drag of particle i in h seconds.
static void exchange(fm_cloth *c, const fm_drag_step *law, fm_vec3 lift, int i, double h)
{
    fm_cloth_samples *s = c->samples;
    double A = c->wet_area[i];
    bool held = fm_cloth_is_pinned(c, i, c->time);
    double body = held ? 0 : 1 / c->inertia[i], fluid = s->fluid[i] > 0 ? 1 / s->fluid[i] : 0;
    fm_vec3 v = fm_vec3_array_at(c->v, i), n = fm_vec3_array_at(c->normal, i);
    fm_vec3 r = fm_sub(s->flow[i], v);
    double along = fm_dot(r, n);
    fm_vec3 across = fm_add_scaled(r, n, -along);
    double Jn = find_impulse(fabs(along), body + fluid, h * A * (law->viscous + law->normal),
                             h * A * law->pressure);
    double Jt =
        find_impulse(fm_length(across), body + fluid, h * A * law->viscous, h * A * law->friction);
    fm_vec3 J = fm_add_scaled(fm_scale(across, Jt), n, along * Jn);
    s->flow[i] = fm_add_scaled(s->flow[i], J, -fluid);
    J = fm_add_scaled(J, lift, h * A);
    s->push[i] = fm_add(s->push[i], J);
    c->v.x[i] += body * J.x, c->v.y[i] += body * J.y, c->v.z[i] += body * J.z;
}

// Arguments of exchange_range.
typedef struct exchange_job {
    fm_cloth *c;
    fm_drag_step law;
    fm_vec3 lift; // N/m^2, buoyancy per area
    double h;
} exchange_job;

static void exchange_range(void *context, int first, int last)
{
    const exchange_job *job = context;
    for (int i = first; i < last && i < job->c->count; i++)
        if (job->c->wet_area[i] > 0)
            exchange(job->c, &job->law, job->lift, i, job->h);
}

// At the end of a substep: exchanges the drag of all particles.
void fm_cloth_exchange_drag(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    const fm_medium *medium = &c->samples->medium;
    exchange_job job = {.c = c, .law = fm_drag_find_law(c, medium, s->h, 0), .h = s->h};
    job.lift = fm_scale(s->weight.gravity, -medium->density * c->def.thickness);
    fm_parallel_for(s->around.pool, c->lanes, FM_PARTICLE_BLOCK, exchange_range, &job);
}

// Before an interval: fluid velocities, wet areas and masses of fluid at the particles, which
// fm_cloth_samples_read_medium has summed, and the inertia with the added mass of a line.
void fm_cloth_begin_drag_exchange(fm_cloth *c)
{
    fm_cloth_samples *s = c->samples;
    double added = c->line ? fm_line_added_mass(c, &s->medium) : 0;
    for (int i = 0; i < c->count; i++) {
        double inertia = c->mass[i] + added * c->wet_area[i], change = c->inertia[i] / inertia;
        s->flow[i] = fm_vec3_array_at(c->carrier.velocity, i);
        s->push[i] = (fm_vec3){0};
        s->v[i] = fm_vec3_array_at(c->v, i);
        c->inertia[i] = inertia;
        c->a.x[i] *= change, c->a.y[i] *= change, c->a.z[i] *= change;
    }
}

// After an interval that ended at `end`, s: the impulses that the fluid gave go back to it, at the
// samples around each particle in proportion to their wet areas.
void fm_cloth_end_drag_exchange(fm_cloth *c, double end)
{
    fm_cloth_samples *s = c->samples;
    const fm_samples *p = &s->points;
    for (int i = 0; i < c->count; i++) {
        double added = fm_cloth_is_pinned(c, i, end) ? 0 : c->inertia[i] - c->mass[i];
        fm_vec3 gained = fm_sub(fm_vec3_array_at(c->v, i), s->v[i]);
        s->push[i] = fm_add_scaled(s->push[i], gained, -added);
        s->weight[i] = 0;
    }
    for (int i = 0; i < 3 * p->count; i++)
        s->weight[s->corner[i]] += s->share[i] * p->area[i / 3] * p->wet[i / 3];
    for (int i = 0; i < 3 * p->count; i++) {
        int k = s->corner[i];
        double part = s->share[i] * p->area[i / 3] * p->wet[i / 3];
        if (part > 0)
            p->impulse_to_fluid[i / 3] =
                fm_add_scaled(p->impulse_to_fluid[i / 3], s->push[k], -part / s->weight[k]);
    }
}
