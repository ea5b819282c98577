// SPDX-License-Identifier: MIT
// liquid_balls.c: the push of a liquid on balls with a mass.
//
// The impulse of the pressure on a ball in a substep is J = dt sum over its cut cells of p S, with
// S the area vector of its surface in the cell (solids.c). The liquid has seen the ball change its
// velocity by D, the change of the substep before, and J has the reaction of the added mass to
// that. The next change dV follows from
//
//     (M + K) dV = J + M g dt + K D
//
// K is an estimate of the added mass: ADDED times the mass of displaced liquid. When dV is steady,
// K has no effect; light balls, for which K = 0 would be unstable, are stable because dV depends on
// D by the factor (K - added mass) / (M + K). The world adds the impulse M (dV - g dt) to the ball.
//
//   M  mass of the ball, kg    p  pressure, Pa    g  gravity, m/s^2
#include "grid/liquid.h"

#include <stdlib.h>
#include <string.h>

static const double ADDED = 0.6; // a ball far from walls and surface has 0.5

// Makes the list of velocities long enough for `count` colliders. False if memory runs out.
bool fm_liquid_reserve_balls(fm_liquid *l, int count, fm_error *err)
{
    if (count <= l->ball_count)
        return true;
    fm_vec3 *balls = realloc(l->ball_velocity, (size_t)count * sizeof *balls);
    if (!balls)
        return fm_fail_no_memory(err, l->object.name, (size_t)count * sizeof *balls);
    memset(balls + l->ball_count, 0, (size_t)(count - l->ball_count) * sizeof *balls);
    l->ball_velocity = balls;
    l->ball_count = count;
    return true;
}

// Stores the velocities of all balls with a mass, m/s, for the next substep.
void fm_liquid_note_balls(fm_liquid *l, const fm_surroundings *around)
{
    for (int i = 0; i < around->collider_count; i++)
        if (around->colliders[i]->rigid)
            l->ball_velocity[i] = around->colliders[i]->rigid->velocity;
}

// N s, impulse of the pressure on a collider in dt seconds, and the wet part of its cut cells.
static fm_vec3 find_impulse(const fm_liquid *l, int collider, double dt, double *wet)
{
    const fm_grid *g = l->grid;
    fm_vec3 impulse = {0};
    int all = 0, count = 0;
    for (int i = 0; i < g->solids.cell_count; i++) {
        const fm_cut_cell *c = &g->solids.cells[i];
        if (c->collider != collider)
            continue;
        all++;
        count += fm_liquid_is_wet(l, c->q);
        impulse = fm_add_scaled(impulse, c->area, dt * g->p[c->q]);
    }
    *wet = all > 0 ? (double)count / all : 0;
    return impulse;
}

// Adds the impulses of the liquid in dt seconds, N s, to all balls with a mass.
void fm_liquid_push_balls(fm_liquid *l, const fm_surroundings *around, double dt)
{
    for (int i = 0; i < around->collider_count; i++) {
        const fm_collider *collider = around->colliders[i];
        fm_rigid *ball = collider->rigid;
        if (!ball)
            continue;
        double wet, r = collider->shape.radius;
        fm_vec3 impulse = find_impulse(l, i, dt, &wet);
        double K = ADDED * wet * l->def.grid.density * 4.0 / 3 * FM_PI * r * r * r;
        fm_vec3 before = fm_sub(ball->velocity, l->ball_velocity[i]);
        fm_vec3 change = fm_add_scaled(impulse, around->gravity, ball->mass * dt);
        change = fm_scale(fm_add_scaled(change, before, K), 1 / (ball->mass + K));
        if (wet > 0)
            ball->impulse = fm_add_scaled(ball->impulse,
                                          fm_add_scaled(change, around->gravity, -dt), ball->mass);
    }
    fm_liquid_note_balls(l, around);
}
