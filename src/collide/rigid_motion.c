// SPDX-License-Identifier: MIT
// rigid_motion.c: motion of balls with a mass, a kind of collider, under fluid forces and gravity.
//
//     m dv/dt = m g + F,     I d(spin)/dt = torque,     I = 2/5 m r^2
//
// integrated by symplectic Euler steps, with the impulses collected since the last one. Contact
// with walls and other colliders removes the velocity into them, with friction and without
// restitution.
//
// A collider with a mass and a motion rides: only its height is free. The motion gives its pose, to
// which the height is added, so that a foot can be moved sideways and relative to the body that it
// carries; the other foot shares the height. It stops at horizontal planes.
//
//   m  mass, kg    r  radius, m    F  force of the fluids, N
#include "collide/collide.h"

#include <assert.h>

// The body whose height a collider that rides has: its own, or that of its carrier.
static fm_rigid *find_body(const fm_collider *c)
{
    return c->rigid->carrier ? c->rigid->carrier : c->rigid;
}

// Pose at time t of a collider that rides: that of its motion, raised by the height of its body.
static fm_pose find_riding_pose(const fm_collider *c, double t)
{
    const fm_rigid *body = find_body(c);
    fm_pose pose = fm_motion_pose(c->motion, t);
    double speed = body->has_path ? body->path_velocity.y : body->velocity.y;
    pose.position.y += body->height + (body->has_path ? speed * (t - body->path_start) : 0);
    pose.velocity.y += speed;
    return pose;
}

// Middle of a shape in its own frame, m.
static fm_vec3 find_middle(const fm_shape *shape)
{
    fm_vec3 low, high;
    fm_shape_find_bounds(shape, &low, &high);
    return fm_scale(fm_add(low, high), 0.5);
}

// Sets the centre of a collider with a mass from its shape, its motion and its height at time t, s.
void fm_rigid_set_centre(fm_collider *c, double t)
{
    c->rigid->centre = c->shape.centre;
    if (!c->rigid->rides)
        return;
    fm_pose pose = find_riding_pose(c, t);
    c->rigid->centre = fm_pose_apply(&pose, find_middle(&c->shape));
}

// Pose of a collider at time t, s. For a ball with a mass: its state, or the predicted path while
// bodies move.
fm_pose fm_collider_pose(const fm_collider *c, double t)
{
    const fm_rigid *r = c->rigid;
    if (!r)
        return fm_motion_pose(c->motion, t);
    if (r->rides)
        return find_riding_pose(c, t);
    fm_vec3 centre = r->centre, velocity = r->velocity;
    fm_quat orientation = r->orientation;
    if (r->has_path) {
        centre = fm_add_scaled(centre, r->path_velocity, t - r->path_start);
        velocity = r->path_velocity;
        orientation = fm_quat_multiply(
            fm_quat_from_rotation_vector(fm_scale(r->spin, t - r->path_start)), orientation);
    }
    fm_vec3 arm = fm_quat_rotate(orientation, c->shape.centre);
    return (fm_pose){
        .rotation = orientation,
        .position = fm_sub(centre, arm),
        .velocity = fm_sub(velocity, fm_cross(r->spin, arm)),
        .spin = r->spin,
    };
}

// Adds an impulse, N s, that acts on a ball with a mass at the point `at`, to be applied when it
// moves.
void fm_collider_add_impulse(fm_collider *c, fm_vec3 at, fm_vec3 impulse)
{
    fm_rigid *r = find_body(c);
    r->impulse = fm_add(r->impulse, impulse);
    r->angular_impulse = fm_add(r->angular_impulse, fm_cross(fm_sub(at, r->centre), impulse));
}

// Velocity and angular velocity (spin) of a ball with a mass after h seconds, from gravity and the
// impulses collected so far.
static void predict_motion(const fm_collider *c, fm_vec3 gravity, double h, fm_vec3 *velocity,
                           fm_vec3 *spin)
{
    const fm_rigid *r = c->rigid;
    double inertia = 0.4 * r->mass * c->shape.radius * c->shape.radius;
    *velocity = fm_add_scaled(r->velocity, gravity, h);
    *velocity = fm_add_scaled(*velocity, r->impulse, 1 / r->mass);
    *spin = fm_add_scaled(r->spin, r->angular_impulse, 1 / inertia);
}

// Velocity at the point `at` of a ball with a mass after h seconds.
fm_vec3 fm_collider_predict_velocity(const fm_collider *c, fm_vec3 at, fm_vec3 gravity, double h)
{
    fm_vec3 velocity, spin;
    if (c->rigid->rides) {
        const fm_rigid *body = find_body(c);
        fm_pose pose = find_riding_pose(c, body->time);
        velocity = fm_pose_velocity_at(&pose, at);
        velocity.y += gravity.y * h + body->impulse.y / body->mass;
        return velocity;
    }
    predict_motion(c, gravity, h, &velocity, &spin);
    return fm_add(velocity, fm_cross(spin, fm_sub(at, c->rigid->centre)));
}

// Raises a collider that rides out of horizontal planes and stops it there.
static void stop_at_planes(fm_collider *c, const fm_placed_collider *solids, int solid_count)
{
    const double level = 0.99; // least y component of the normal of a plane that counts as level
    fm_rigid *r = c->rigid;
    fm_vec3 low, high;
    fm_shape_find_bounds(&c->shape, &low, &high);
    double lowest = find_riding_pose(c, r->time).position.y + low.y;
    for (int k = 0; k < solid_count; k++) {
        const fm_shape *plane = &solids[k].shape;
        double depth = plane->centre.y - lowest;
        if (plane->kind != FM_SHAPE_PLANE || plane->normal.y < level || depth <= 0)
            continue;
        r->height += depth;
        lowest += depth;
        r->velocity.y = fmax(0, r->velocity.y);
    }
}

// Moves a collider that rides for h seconds.
static void ride(fm_collider *c, fm_vec3 gravity, double h, const fm_placed_collider *solids,
                 int solid_count)
{
    fm_rigid *r = c->rigid;
    r->velocity = (fm_vec3){0, r->velocity.y + gravity.y * h + r->impulse.y / r->mass, 0};
    r->impulse = r->angular_impulse = (fm_vec3){0};
    r->height += h * r->velocity.y;
    r->time += h;
    stop_at_planes(c, solids, solid_count);
    fm_rigid_set_centre(c, r->time);
}

// Moves a collider with a mass for h seconds under gravity and the collected impulses, and out of
// `solids`.
void fm_collider_move(fm_collider *c, fm_vec3 gravity, double h, const fm_placed_collider *solids,
                      int solid_count)
{
    fm_rigid *r = c->rigid;
    if (r->rides) {
        ride(c, gravity, h, solids, solid_count);
        return;
    }
    predict_motion(c, gravity, h, &r->velocity, &r->spin);
    r->impulse = r->angular_impulse = (fm_vec3){0};
    r->centre = fm_add_scaled(r->centre, r->velocity, h);
    r->orientation =
        fm_quat_multiply(fm_quat_from_rotation_vector(fm_scale(r->spin, h)), r->orientation);
    fm_quat_normalize(&r->orientation);
    fm_collide_particle(solids, solid_count, c->shape.radius, &r->centre, &r->velocity, NULL);
}

// Puts the ball back to start_state at time t, and lets it move on a straight path to the position
// it had before, reached h seconds later.
void fm_rigid_begin_path(fm_rigid *r, double t, double h)
{
    fm_vec3 end = r->centre;
    double height = r->height;
    fm_rigid_restore(r, r->start_state);
    r->path_velocity = fm_scale(fm_sub(end, r->centre), 1 / h);
    if (r->rides)
        r->path_velocity = (fm_vec3){0, (height - r->height) / h, 0};
    r->path_start = t;
    r->has_path = true;
}

// Writes the state of a body to an array: centre, velocity, angular velocity, orientation, and
// height and time of a body that is free in height only.
void fm_rigid_save(const fm_rigid *r, double state[FM_RIGID_STATE])
{
    const double all[FM_RIGID_STATE] = {
        r->centre.x,      r->centre.y,      r->centre.z,      r->velocity.x, r->velocity.y,
        r->velocity.z,    r->spin.x,        r->spin.y,        r->spin.z,     r->orientation.x,
        r->orientation.y, r->orientation.z, r->orientation.w, r->height,     r->time};
    for (int i = 0; i < FM_RIGID_STATE; i++)
        state[i] = all[i];
}

// Reads the state of a ball that fm_rigid_save wrote, and clears its collected impulses.
void fm_rigid_restore(fm_rigid *r, const double state[FM_RIGID_STATE])
{
    r->centre = (fm_vec3){state[0], state[1], state[2]};
    r->velocity = (fm_vec3){state[3], state[4], state[5]};
    r->spin = (fm_vec3){state[6], state[7], state[8]};
    r->orientation = (fm_quat){state[9], state[10], state[11], state[12]};
    r->height = state[13];
    r->time = state[14];
    r->impulse = r->angular_impulse = (fm_vec3){0};
}

const char *fm_collider_name(const fm_collider *collider)
{
    assert(collider);
    return collider->name;
}

// m, where the centre of a collider is: now for one that is free (a ball with a mass, or a shape
// that rides), at time 0 for any other.
fm_vec3 fm_collider_position(const fm_collider *c)
{
    assert(c);
    if (c->rigid && c->rigid->rides) {
        fm_pose pose = find_riding_pose(c, find_body(c)->time);
        return fm_pose_apply(&pose, find_middle(&c->shape));
    }
    return c->rigid ? c->rigid->centre : fm_motion_position(c->motion, c->shape.centre, 0);
}

// m/s, velocity of the centre of a collider: now for one that is free (a ball with a mass, or a
// shape that rides), at time 0 for any other.
fm_vec3 fm_collider_velocity(const fm_collider *c)
{
    assert(c);
    if (c->rigid && c->rigid->rides) {
        fm_pose pose = find_riding_pose(c, find_body(c)->time);
        return fm_pose_velocity_at(&pose, fm_collider_position(c));
    }
    return c->rigid ? c->rigid->velocity : fm_motion_velocity(c->motion, c->shape.centre, 0);
}

// rad/s, angular velocity of a ball with a mass; 0 for any other collider.
fm_vec3 fm_collider_spin(const fm_collider *c)
{
    assert(c);
    return c->rigid ? c->rigid->spin : (fm_vec3){0};
}
