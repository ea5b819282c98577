// SPDX-License-Identifier: MIT
// ball.c: the object kind `ball`: a collider with a mass, a sphere or a shape that is free in
// height only. Fluids push it, it falls and rolls, and it is a collider for all other objects. Its
// motion is in collide/rigid_motion.c; the world owns its collider.
#include "rigid/ball.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A ball with a mass.
typedef struct ball {
    fm_object object;
    fm_collider *collider;   // holds its shape and state; the world owns it
    fm_vec3 fluid_impulse;   // N s, impulse of the fluids in this advance
    double moved_time;       // s, time that it has moved in this advance
    double saved_moved_time; // s, value of moved_time when save_start saved the state
} ball;

static const fm_field fields[] = {
    {"position", "m", "position of its centre", 3},
    {"velocity", "m/s", "velocity of its centre", 3},
    {"spin", "rad/s", "angular velocity", 3},
    {"radius", "m", "its radius", 1},
};

static const fm_field quantities[] = {
    {"x", "m", "its centre", 1},
    {"y", "m", "its centre", 1},
    {"z", "m", "its centre", 1},
    {"load_x", "N", "mean force of the fluids since the last frame", 1},
    {"load_y", "N", "mean force of the fluids since the last frame", 1},
    {"load_z", "N", "mean force of the fluids since the last frame", 1},
    {"kinetic_energy", "J", "translational and rotational", 1},
};

// Position, velocity and impulses of a ball.
static fm_rigid *state_of(const fm_object *object)
{
    return ((const ball *)object)->collider->rigid;
}

// Moves the ball for h seconds under gravity and the impulses of the fluids, outside `solids`.
static void move(fm_object *object, const fm_surroundings *around, double h,
                 const fm_placed_collider *solids, int solid_count)
{
    ball *b = (ball *)object;
    b->fluid_impulse = fm_add(b->fluid_impulse, b->collider->rigid->impulse);
    b->moved_time += h;
    fm_collider_move(b->collider, around->gravity, h, solids, solid_count);
}

// Saves the state of the ball, to which begin_path returns.
static void save_start(fm_object *object)
{
    ball *b = (ball *)object;
    b->saved_moved_time = b->moved_time;
    fm_rigid_save(state_of(object), state_of(object)->start_state);
}

// Puts the ball back to the saved state at time t, and lets it follow a straight path to the
// position it had before, reached h seconds later.
static void begin_path(fm_object *object, double t, double h)
{
    ball *b = (ball *)object;
    b->moved_time = b->saved_moved_time;
    fm_rigid_begin_path(state_of(object), t, h);
}

// Ends the predicted path: the pose of the ball is that of its state again.
static void end_path(fm_object *object)
{
    state_of(object)->has_path = false;
}

// The collider that other objects meet.
static const fm_collider *collider_of(const fm_object *object)
{
    return ((const ball *)object)->collider;
}

// Frees the ball; the world frees its collider.
static void destroy(fm_object *object)
{
    free(object);
}

enum { STATE_SIZE = FM_RIGID_STATE * sizeof(double) }; // bytes of a saved state

// Writes the state of the ball, if `size` suffices. Returns its size, bytes.
static size_t save(const fm_object *object, void *buffer, size_t size)
{
    double state[FM_RIGID_STATE];
    fm_rigid_save(state_of(object), state);
    if (buffer && size >= STATE_SIZE)
        memcpy(buffer, state, STATE_SIZE);
    return STATE_SIZE;
}

// Reads a saved state. False and err filled if its size or a number is wrong.
static bool restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                    size_t size, fm_error *err)
{
    (void)around;
    double state[FM_RIGID_STATE];
    if (size != STATE_SIZE)
        return fm_fail_number(err, object->name, "state size", (double)size, "what was saved");
    memcpy(state, buffer, STATE_SIZE);
    for (int i = 0; i < FM_RIGID_STATE; i++)
        if (!isfinite(state[i]))
            return fm_fail_number(err, object->name, "saved state", state[i], "finite numbers");
    fm_rigid_restore(state_of(object), state);
    return true;
}

// Zeroes the impulse of the fluids and the time moved, which are sums over an advance.
static void reset(fm_object *object)
{
    ball *b = (ball *)object;
    b->fluid_impulse = (fm_vec3){0};
    b->moved_time = 0;
}

// The ball as a mesh: one point, its centre.
static bool mesh(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    (void)err;
    *view = (fm_mesh_view){.points = &state_of(object)->centre, .point_count = 1};
    return true;
}

// Radius of a sphere that fits into the shape around its centre, m.
static double find_radius(const fm_shape *shape)
{
    const fm_vec3 half = shape->half_size;
    return shape->radius > 0 ? shape->radius : fmin(half.x, fmin(half.y, half.z));
}

// Reads position, velocity, spin or radius.
static bool read_field(fm_object *object, const fm_surroundings *around, const char *field,
                       double *values, fm_error *err)
{
    (void)around;
    const fm_rigid *r = state_of(object);
    const fm_vec3 *v = strcmp(field, "position") == 0   ? &r->centre
                       : strcmp(field, "velocity") == 0 ? &r->velocity
                       : strcmp(field, "spin") == 0     ? &r->spin
                                                        : NULL;
    if (v)
        values[0] = v->x, values[1] = v->y, values[2] = v->z;
    else if (strcmp(field, "radius") == 0)
        values[0] = find_radius(&collider_of(object)->shape);
    else
        return fm_fail(err, FM_BAD_VALUE, object->name, "field", field,
                       "position velocity spin radius");
    return true;
}

// Fills the quantities q, unless NULL: centre, mean force of the fluids since the last frame,
// kinetic energy. The report of the world sums the energies of bodies and media only, so m stays
// unchanged.
static void measure(fm_object *object, const fm_surroundings *around, fm_measure *m, double *q)
{
    (void)around;
    const ball *b = (const ball *)object;
    const fm_rigid *r = b->collider->rigid;
    m->momentum = fm_scale(r->velocity, r->mass);
    if (!q)
        return;
    double radius = b->collider->shape.radius;
    double inertia = 0.4 * r->mass * radius * radius; // kg m^2, of a solid ball
    fm_vec3 load = b->moved_time > 0 ? fm_scale(b->fluid_impulse, 1 / b->moved_time) : (fm_vec3){0};
    q[0] = r->centre.x, q[1] = r->centre.y, q[2] = r->centre.z;
    q[3] = load.x, q[4] = load.y, q[5] = load.z;
    q[6] =
        0.5 * r->mass * fm_dot(r->velocity, r->velocity) + 0.5 * inertia * fm_dot(r->spin, r->spin);
}

static const fm_rigid_type rigid = {.move = move,
                                    .save_start = save_start,
                                    .begin_path = begin_path,
                                    .end_path = end_path,
                                    .collider = collider_of};

const fm_object_type fm_ball_type = {
    .kind = "ball",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .needed_fields = "velocity spin radius",
    .usual_fields = "",
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .rigid = &rigid,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .reset = reset,
    .mesh = mesh,
    .read = read_field,
    .measure = measure,
};

// Creates the object of a collider with a mass. NULL with err filled when out of memory.
fm_object *fm_ball_create(fm_collider *collider, fm_error *err)
{
    ball *b = calloc(1, sizeof *b);
    if (!b) {
        fm_fail_no_memory(err, "ball", sizeof *b);
        return NULL;
    }
    b->object.type = &fm_ball_type;
    b->collider = collider;
    snprintf(b->object.name, sizeof b->object.name, "%s",
             *collider->name ? collider->name : "ball");
    return &b->object;
}
