// SPDX-License-Identifier: MIT
// free.c: colliders with a mass: balls that fluids push, that fall and roll.
//
//     m dv/dt = m g + F,     I d(spin)/dt = torque,     I = 2/5 m r^2
//
// in symplectic Euler steps, with the impulses that were collected since the last one. Contact with
// walls and other colliders takes away what goes into them, with friction; it does not bounce.
//
//   m  mass, kg    r  radius, m    F  force of the fluids, N
#include "collide/collide.h"

#include <assert.h>

fm_pose fm_collider_pose(const fm_collider *c, double t)
{
    if (!(c->mass > 0))
        return fm_motion_pose(c->motion, t);
    fm_vec3 centre = c->centre, velocity = c->velocity;
    fm_quat turned = c->turned;
    if (c->launched) {
        centre = fm_add_scaled(centre, c->way, t - c->since);
        velocity = c->way;
        turned = fm_quat_multiply(fm_quat_of_turn(fm_scale(c->spin, t - c->since)), turned);
    }
    fm_vec3 arm = fm_quat_rotate(turned, c->shape.centre);
    return (fm_pose){
        .rotation = turned,
        .position = fm_sub(centre, arm),
        .velocity = fm_sub(velocity, fm_cross(c->spin, arm)),
        .spin = c->spin,
    };
}

void fm_collider_push(fm_collider *c, fm_vec3 at, fm_vec3 impulse)
{
    c->impulse = fm_add(c->impulse, impulse);
    c->turn = fm_add(c->turn, fm_cross(fm_sub(at, c->centre), impulse));
}

// What it is pushed to by its weight and by what it was given.
static void take_pushes(const fm_collider *c, fm_vec3 gravity, double h, fm_vec3 *velocity,
                        fm_vec3 *spin)
{
    double inertia = 0.4 * c->mass * c->shape.radius * c->shape.radius;
    *velocity = fm_add_scaled(c->velocity, gravity, h);
    *velocity = fm_add_scaled(*velocity, c->impulse, 1 / c->mass);
    *spin = fm_add_scaled(c->spin, c->turn, 1 / inertia);
}

fm_vec3 fm_collider_velocity_ahead(const fm_collider *c, fm_vec3 at, fm_vec3 gravity, double h)
{
    fm_vec3 velocity, spin;
    take_pushes(c, gravity, h, &velocity, &spin);
    return fm_add(velocity, fm_cross(spin, fm_sub(at, c->centre)));
}

void fm_collider_move(fm_collider *c, fm_vec3 gravity, double h, const fm_placed_collider *solids,
                      int solid_count)
{
    take_pushes(c, gravity, h, &c->velocity, &c->spin);
    c->impulse = c->turn = (fm_vec3){0};
    c->centre = fm_add_scaled(c->centre, c->velocity, h);
    c->turned = fm_quat_multiply(fm_quat_of_turn(fm_scale(c->spin, h)), c->turned);
    fm_quat_make_unit(&c->turned);
    fm_collide_particle(solids, solid_count, c->shape.radius, &c->centre, &c->velocity, NULL);
}

void fm_collider_launch(fm_collider *c, double t, double h)
{
    fm_vec3 end = c->centre;
    fm_collider_restore(c, c->before);
    c->way = fm_scale(fm_sub(end, c->centre), 1 / h);
    c->since = t;
    c->launched = true;
}

void fm_collider_save(const fm_collider *c, double state[FM_FREE_STATE])
{
    const double all[FM_FREE_STATE] = {c->centre.x,   c->centre.y,   c->centre.z, c->velocity.x,
                                       c->velocity.y, c->velocity.z, c->spin.x,   c->spin.y,
                                       c->spin.z,     c->turned.x,   c->turned.y, c->turned.z,
                                       c->turned.w};
    for (int i = 0; i < FM_FREE_STATE; i++)
        state[i] = all[i];
}

void fm_collider_restore(fm_collider *c, const double s[FM_FREE_STATE])
{
    c->centre = (fm_vec3){s[0], s[1], s[2]};
    c->velocity = (fm_vec3){s[3], s[4], s[5]};
    c->spin = (fm_vec3){s[6], s[7], s[8]};
    c->turned = (fm_quat){s[9], s[10], s[11], s[12]};
    c->impulse = c->turn = (fm_vec3){0};
}

fm_vec3 fm_collider_position(const fm_collider *c)
{
    assert(c);
    return c->mass > 0 ? c->centre : fm_motion_position(c->motion, c->shape.centre, 0);
}

fm_vec3 fm_collider_velocity(const fm_collider *c)
{
    assert(c);
    return c->mass > 0 ? c->velocity : fm_motion_velocity(c->motion, c->shape.centre, 0);
}

fm_vec3 fm_collider_spin(const fm_collider *c)
{
    assert(c);
    return c->mass > 0 ? c->spin : (fm_vec3){0};
}
