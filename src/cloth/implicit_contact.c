// SPDX-License-Identifier: MIT
// implicit_contact.c: colliders inside the solve of the implicit integrators.
//
// A particle nearer to a collider than d = margin + gap is pushed out by the gradient of
//
//     k/2 (d - distance)^2,     k: half the stiffness of its springs, N/m
//
// and slowed down by Coulomb friction, mu times that force against its sliding velocity u_t, with
// u_t/|u_t| replaced by u_t/FM_CREEP_SPEED below that speed. The gap keeps particles that rest on a
// collider outside the margin, so that the exact contact at the end of the step (contact.c of
// collide/, or fm_substep_resolve_colliders) has nothing to correct. A particle that meets a
// collider does not bounce: at the end of a stage its velocity along the normal is at most that of
// the surface, and the state from which the next stage extrapolates is made consistent with that.
//
// Colliders with a mass are left to the contact at the end of the step, which gives them impulses.
//
// Steps of a cloth with contact are so short that its fastest particle moves by at most half an
// edge in a step. With two edges a step (a corner that hits the floor at 3 m/s), vertices pass far
// through other layers within an iterate, Newton's method fails, and the guard's corrections
// stretch the cloth: 74 J for a sheet that had 0.3 J.
#include "cloth/implicit.h"

#include <math.h>

static const double LEAST_GAP = 1e-4; // edge lengths
static const double MOST_EDGES = 0.5; // edges, way of the fastest particle in a step with contact
enum { MOST_DIVISIONS = 16 };         // of a step

static double find_edge(const fm_cloth *c)
{
    return c->kind == FM_CLOTH_SHEET ? fmin(c->dx, c->dy) : c->mesh.mean_rest;
}

// Number of steps of an interval in which a cloth with contact takes part: `count`, or more if it
// moves fast. A time_step in the definition holds. A memory with a window supports the step of the
// first interval only.
int fm_implicit_count_substeps(const fm_cloth *c, double interval, int count)
{
    if (c->def.time_step > 0)
        return count;
    if (c->started && fm_terms_have_window(c))
        return (int)fmax(round(interval / (c->step * fm_implicit_stage_count(&c->def))), 1);
    double square = 0; // m^2/s^2
    for (int i = 0; i < c->count; i++) {
        fm_vec3 v = fm_vec3_array_at(c->v, i);
        square = fmax(square, fm_dot(v, v));
    }
    double needed = ceil(sqrt(square) * interval / (MOST_EDGES * find_edge(c)));
    return (int)fmin(fmax(needed, count), (double)MOST_DIVISIONS * count);
}

// m, distance below which colliders push.
static double find_reach(const fm_substep *s)
{
    double edge = find_edge(s->cloth);
    return s->margin + fmax(FM_CONTACT_GAP * s->margin, LEAST_GAP * edge);
}

// The deepest contact of a particle at x with a collider; false: none.
static bool find_contact(const fm_substep *s, fm_vec3 x, double reach, fm_contact *contact,
                         double *friction)
{
    bool found = false;
    for (int k = 0; k < s->around.collider_count; k++) {
        const fm_placed_collider *placed = &s->around.placed[k];
        if (placed->collider->rigid || fm_placed_is_far(placed, x, reach))
            continue;
        fm_contact near = fm_placed_find_contact(placed, x);
        if (near.distance >= reach || (found && near.distance >= contact->distance))
            continue;
        *contact = near;
        *friction = placed->friction;
        found = true;
    }
    return found;
}

// Adds the force of colliders on particle i at x with the velocity v to f, N, and its derivative
// with respect to -v to the block, N s/m.
void fm_implicit_add_colliders(const fm_substep *s, double tau, int i, fm_vec3 x, fm_vec3 v,
                               fm_vec3 *f, double block[6])
{
    fm_contact contact;
    double friction, reach = find_reach(s), k = 0.5 * s->cloth->spring_sum[i];
    if (s->around.collider_count == 0 || !find_contact(s, x, reach, &contact, &friction))
        return;
    if (s->cloth->def.contact.enabled)
        friction = sqrt(friction * s->cloth->def.contact.friction *
                        (s->cloth->friction_weight ? s->cloth->friction_weight[i] : 1));
    fm_vec3 n = contact.normal, u = fm_sub(v, contact.velocity);
    fm_vec3 slide = fm_add_scaled(u, n, -fm_dot(u, n));
    double push = k * (reach - contact.distance);
    double drag = friction * push / fmax(fm_length(slide), FM_CREEP_SPEED); // N s/m
    *f = fm_add_scaled(fm_add_scaled(*f, n, push), slide, -drag);
    const double outer[6] = {n.x * n.x, n.x * n.y, n.x * n.z, n.y * n.y, n.y * n.z, n.z * n.z};
    for (int m = 0; m < 6; m++)
        block[m] += (k * tau - drag) * outer[m] + (m == 0 || m == 3 || m == 5 ? drag : 0);
}

// a with its component along n replaced by that of b.
static fm_vec3 replace_component(fm_vec3 a, fm_vec3 b, fm_vec3 n)
{
    return fm_add_scaled(a, n, fm_dot(fm_sub(b, a), n));
}

// After a stage of `interval` seconds: a particle in contact does not leave the surface faster than
// the surface itself moves, has no acceleration along the normal, and its earlier state, in first_x
// and first_v, becomes that of a particle that moved with the surface.
bool fm_implicit_stop_bounce(const fm_substep *s, fm_implicit *m, int i)
{
    fm_cloth *c = s->cloth;
    fm_contact contact;
    double friction;
    fm_vec3 x = fm_vec3_array_at(c->x, i), v = fm_vec3_array_at(c->v, i);
    if (s->around.collider_count == 0 || m->level[0].moves[i] == 0 ||
        !find_contact(s, x, find_reach(s), &contact, &friction))
        return false;
    fm_vec3 n = contact.normal, a = fm_vec3_array_at(c->a, i);
    if (fm_dot(fm_sub(v, contact.velocity), n) > 0)
        v = replace_component(v, contact.velocity, n);
    a = replace_component(a, (fm_vec3){0, 0, 0}, n);
    fm_vec3 before = fm_add_scaled(x, v, -m->stage.interval);
    fm_vec3 first_x = replace_component(fm_vec3_array_at(m->first_x, i), before, n);
    fm_vec3 first_v = replace_component(fm_vec3_array_at(m->first_v, i), v, n);
    c->v.x[i] = v.x, c->v.y[i] = v.y, c->v.z[i] = v.z;
    c->a.x[i] = a.x, c->a.y[i] = a.y, c->a.z[i] = a.z;
    m->first_x.x[i] = first_x.x, m->first_x.y[i] = first_x.y, m->first_x.z[i] = first_x.z;
    m->first_v.x[i] = first_v.x, m->first_v.y[i] = first_v.y, m->first_v.z[i] = first_v.z;
    return true;
}
