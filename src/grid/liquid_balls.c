// SPDX-License-Identifier: MIT
// liquid_balls.c: balls with a mass in a liquid. Both push each other.
//
// The pressure moves liquid and ball together [BBB07]. With a the flux into each liquid cell per
// velocity of the ball along an axis, which is the closed part of the faces that the ball cuts, and
// m = rho h^3,
//
//     V = V^ - (m / M) a . psi,        L psi + (m / M) a (a . psi) = b(V^)
//
// V^ is the velocity of the ball with gravity, without pressure, and b the divergence of the liquid
// around a ball of that velocity. h^2 a is the area vector of the ball in the cell, so that the
// impulse on the ball is dt sum of p S, and that on the liquid its opposite. No ratio of densities
// is unstable by the added mass of the ball.
//
// A collider that rides is free in height only.
//
//   psi  m/s, dt p / (rho h)    V  m/s, of the ball    M  kg, of the ball
//
// [BBB07] Batty, Bertails, Bridson: A fast variational framework for accurate solid-fluid coupling.
//         ACM Transactions on Graphics 26(3), 2007.
#include "grid/liquid.h"

#include <stdlib.h>

static double component(fm_vec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// Whether the liquid moves a collider along axis a.
static bool is_free(const fm_collider *c, int a)
{
    return c->rigid && !c->rigid->carrier && (!c->rigid->rides || a == 1);
}

// Makes space for the fluxes of all balls: two entries for a face. False if memory runs out.
bool fm_liquid_reserve_balls(fm_liquid *l, const fm_surroundings *around, fm_error *err)
{
    fm_liquid_balls *b = &l->balls;
    int balls = 0, faces = l->grid->solids.face_room;
    for (int i = 0; i < around->collider_count; i++)
        balls += around->colliders[i]->rigid != NULL;
    if (balls == 0 || (balls <= b->room && faces <= b->face_room))
        return true;
    fm_flux_entry *entries = realloc(b->entries, 2 * (size_t)faces * sizeof *entries);
    b->entries = entries ? entries : b->entries;
    fm_flux_vector *vectors = realloc(b->vectors, 3 * (size_t)balls * sizeof *vectors);
    b->vectors = vectors ? vectors : b->vectors;
    if (!entries || !vectors)
        return fm_fail_no_memory(err, l->object.name, 2 * (size_t)faces * sizeof *entries);
    b->room = balls, b->face_room = faces;
    return true;
}

void fm_liquid_free_balls(fm_liquid *l)
{
    free(l->balls.entries);
    free(l->balls.vectors);
}

// Adds the two cells of a cut face, as far as they hold liquid, to the list of fluxes.
static void add_entries(fm_liquid *l, const fm_solid_face *f, int *count)
{
    const fm_grid *g = l->grid;
    const fm_cell_layout *s = fm_poisson_layout(g->solver);
    double closed = fm_liquid_find_closed(f);
    int at[3];
    ptrdiff_t row = fm_liquid_find_solver_row(g, f->q, at), from = f->q - g->start;
    at[0] = (int)(from - at[1] * g->stride[1] - at[2] * g->stride[2]);
    ptrdiff_t q = row + at[0];
    if (at[f->axis] < g->n[f->axis] && fm_liquid_is_wet(l, f->q))
        l->balls.entries[(*count)++] = (fm_flux_entry){q, closed};
    if (at[f->axis] > 0 && fm_liquid_is_wet(l, f->q - g->stride[f->axis]))
        l->balls.entries[(*count)++] = (fm_flux_entry){q - s->stride[f->axis], -closed};
}

// Gives the faces that a ball cuts a velocity along axis a that is `change` m/s higher.
static void change_faces(fm_grid *g, int collider, int a, double change)
{
    for (int i = 0; i < g->solids.face_count; i++)
        if (g->solids.faces[i].collider == collider && g->solids.faces[i].axis == a)
            g->solids.faces[i].solid += change;
}

// Before the right-hand side of a substep of dt seconds is written: gives all balls gravity, and
// their fluxes to the pressure solver.
void fm_liquid_add_balls(fm_liquid *l, const fm_surroundings *around, double dt)
{
    fm_grid *g = l->grid;
    fm_liquid_balls *b = &l->balls;
    double mass = g->def.density * g->h * g->h * g->h;
    int entries = 0;
    b->count = 0;
    for (int k = 0; k < around->collider_count; k++)
        for (int a = 0; a < 3 && b->room > 0; a++) {
            const fm_collider *c = around->colliders[k];
            if (!is_free(c, a) || !g->active[a])
                continue;
            int first = entries;
            // impulses of earlier substeps of the interval
            double earlier = component(c->rigid->impulse, a) / c->rigid->mass +
                             component(around->gravity, a) * (g->time - l->interval_start);
            change_faces(g, k, a, earlier + component(around->gravity, a) * dt);
            for (int i = 0; i < g->solids.face_count; i++)
                if (g->solids.faces[i].collider == k && g->solids.faces[i].axis == a)
                    add_entries(l, &g->solids.faces[i], &entries);
            b->vectors[b->count++] =
                (fm_flux_vector){first, entries - first, mass / c->rigid->mass};
        }
    fm_poisson_set_bodies(g->solver, b->entries, b->vectors, b->count);
}

// After the pressure is known: gives the balls their impulses.
void fm_liquid_push_balls(fm_liquid *l, const fm_surroundings *around)
{
    fm_grid *g = l->grid;
    int number = 0;
    for (int k = 0; k < around->collider_count; k++)
        for (int a = 0; a < 3 && l->balls.room > 0; a++) {
            const fm_collider *c = around->colliders[k];
            if (!is_free(c, a) || !g->active[a])
                continue;
            const fm_flux_vector *v = &l->balls.vectors[number++];
            double change = -v->weight * fm_poisson_find_flux(g->solver, v);
            double *impulse = a == 0   ? &c->rigid->impulse.x
                              : a == 1 ? &c->rigid->impulse.y
                                       : &c->rigid->impulse.z;
            *impulse += c->rigid->mass * change;
            change_faces(g, k, a, change);
        }
    fm_poisson_set_bodies(g->solver, NULL, NULL, 0);
}
