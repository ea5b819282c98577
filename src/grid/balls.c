// SPDX-License-Identifier: MIT
// balls.c: the push of a grid fluid or a liquid on balls with a mass.
//
// The impulse on a ball in a substep is J = dt sum over its cut cells of p S, with S the area
// vector of its surface in the cell, and in a grid fluid the friction there (solids.c). The fluid
// has seen the ball change its velocity by D, the change of the substep before, and J has the
// reaction of the added mass to that. The next change dV follows from
//
//     (M + K) dV = J + M g dt + K D
//
// K is an estimate of the added mass: ADDED times the mass of displaced fluid. When dV is steady,
// K has no effect; light balls, for which K = 0 would be unstable, are stable because dV depends on
// D by the factor (K - added mass) / (M + K). The world adds the impulse M (dV - g dt) to the ball.
//
//   M  mass of the ball, kg    p  pressure, Pa    g  gravity, m/s^2
#include "grid/grid.h"

#include <stdlib.h>
#include <string.h>

static const double ADDED = 0.6; // a ball far from walls and surface has 0.5

// Makes the list of velocities long enough for `count` colliders. False if memory runs out.
bool fm_grid_reserve_balls(fm_grid *g, int count, fm_error *err)
{
    if (count <= g->ball_count)
        return true;
    fm_vec3 *balls = realloc(g->ball_velocity, (size_t)count * sizeof *balls);
    if (!balls)
        return fm_fail_no_memory(err, g->object.name, (size_t)count * sizeof *balls);
    memset(balls + g->ball_count, 0, (size_t)(count - g->ball_count) * sizeof *balls);
    g->ball_velocity = balls;
    g->ball_count = count;
    return true;
}

// Stores the velocities of all balls with a mass, m/s, for the next substep.
void fm_grid_note_balls(fm_grid *g, const fm_surroundings *around)
{
    for (int i = 0; i < around->collider_count; i++)
        if (around->colliders[i]->rigid)
            g->ball_velocity[i] = around->colliders[i]->rigid->velocity;
}

// N s, impulse on a collider in dt seconds, and the wet part of its cut cells. level: distance to
// the surface of a liquid, negative in it, whose pressure alone acts; NULL: fluid is everywhere.
static fm_vec3 find_impulse(const fm_grid *g, int collider, const double *level, double dt,
                            double *wet)
{
    fm_vec3 impulse = {0};
    int all = 0, count = 0;
    for (int i = 0; i < g->solids.cell_count; i++) {
        const fm_cut_cell *c = &g->solids.cells[i];
        if (c->collider != collider)
            continue;
        all++;
        count += !level || level[c->q] < 0;
        fm_vec3 force = level ? fm_scale(c->area, g->p[c->q]) : fm_grid_find_wall_force(g, c);
        impulse = fm_add_scaled(impulse, force, dt);
    }
    *wet = all > 0 ? (double)count / all : 0;
    return impulse;
}

// m^3, volume of a ball; of the part of a disc in a flow that is one cell thick.
static double find_volume(const fm_grid *g, double radius)
{
    return g->active[2] ? 4.0 / 3 * FM_PI * radius * radius * radius
                        : FM_PI * radius * radius * g->h;
}

// Adds the impulses of the fluid in dt seconds, N s, to all balls with a mass.
void fm_grid_push_balls(fm_grid *g, const fm_surroundings *around, const double *level, double dt)
{
    for (int i = 0; i < around->collider_count; i++) {
        const fm_collider *collider = around->colliders[i];
        fm_rigid *ball = collider->rigid;
        if (!ball)
            continue;
        double wet;
        fm_vec3 impulse = find_impulse(g, i, level, dt, &wet);
        double K = ADDED * wet * g->def.density * find_volume(g, collider->shape.radius);
        fm_vec3 before = fm_sub(ball->velocity, g->ball_velocity[i]);
        fm_vec3 change = fm_add_scaled(impulse, around->gravity, ball->mass * dt);
        change = fm_scale(fm_add_scaled(change, before, K), 1 / (ball->mass + K));
        if (wet > 0)
            ball->impulse = fm_add_scaled(ball->impulse,
                                          fm_add_scaled(change, around->gravity, -dt), ball->mass);
    }
    fm_grid_note_balls(g, around);
}
