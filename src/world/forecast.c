// SPDX-License-Identifier: MIT
// forecast.c: predicts the number of substeps of an advance, from the largest stable steps of
// bodies and fluids now.
//
// Every kind of object predicts its own substeps (fm_object_type.forecast). In addition, contact
// cannot follow a motion by more than the size of the whole body within one substep.
#include "world/world.h"

#include <math.h>
#include <stdio.h>

// Raises the predicted number of substeps to `count`, if that is more. Returns true if it is then
// above FM_MANY_SUBSTEPS, which marks the forecast as endless.
bool fm_forecast_raise_substeps(fm_forecast *f, double count)
{
    if (!(count > f->substep_count))
        return false;
    f->substep_count = count;
    f->endless |= count > FM_MANY_SUBSTEPS;
    return count > FM_MANY_SUBSTEPS;
}

// m, diagonal of the bounding box of a body's points. fastest: largest speed of a point, m/s.
static double find_size(const fm_contact_view *b, double *fastest)
{
    fm_bounds box = fm_bounds_empty();
    *fastest = 0;
    for (int i = 0; i < b->initial_mesh.point_count; i++) {
        fm_bounds_add_point(&box, (fm_vec3){b->x[0][i], b->x[1][i], b->x[2][i]});
        *fastest = fmax(*fastest, fm_length((fm_vec3){b->v[0][i], b->v[1][i], b->v[2][i]}));
    }
    return fm_length(fm_sub(box.high, box.low));
}

// m/s, largest speed of a collider from t to t + duration. A shape has either a centre or a start
// point; the other is zero.
static double find_collider_speed(const fm_collider *c, double t, double duration)
{
    fm_vec3 at = fm_add(c->shape.centre, c->shape.start);
    return c->rigid ? fm_length(c->rigid->velocity)
                    : fm_motion_find_top_speed(c->motion, at, t, duration);
}

// Marks the forecast as endless if a pin, particle or collider moves further in one substep than
// the body is large.
static void forecast_contact(const fm_world *world, fm_object *object, double duration,
                             fm_forecast *f, fm_error *err)
{
    fm_contact_view view;
    const fm_body_type *body = object->type->body;
    const char *fastest_object = "its fastest pin or particle";
    if (!body->contact(object, &view, err))
        return;
    double fastest, size = find_size(&view, &fastest), step = body->longest_substep(object);
    fastest = fmax(fastest, body->fastest_pin(object, world->time, duration));
    for (int k = 0; k < world->collider_count; k++) {
        double speed = find_collider_speed(world->colliders[k], world->time, duration);
        if (speed > fastest)
            fastest = speed, fastest_object = world->colliders[k]->name;
    }
    double distance = fastest * fmin(duration, step);
    if (!(distance > size) || f->endless)
        return;
    f->endless = true;
    snprintf(
        f->text, sizeof f->text,
        "%s: contact cannot follow %s, which moves at %.3g m/s: %.3g m in a substep of %.3g s, "
        "and the cloth is %.3g m long. A slower motion, or a smaller time_step, helps",
        object->name, *fastest_object ? fastest_object : "a collider", fastest, distance, step,
        size);
}

// Predicts the cost of an advance by `duration` s.
fm_forecast fm_world_forecast(fm_world *world, double duration, fm_error *err)
{
    fm_forecast f = {0};
    for (int i = 0; i < world->object_count; i++) {
        fm_object *object = world->objects[i];
        fm_surroundings around = fm_object_surroundings(object);
        if (object->type->forecast)
            object->type->forecast(object, &around, duration, &f, err);
    }
    for (int i = 0; i < world->object_count; i++)
        if (fm_object_uses_contact(world->objects[i]))
            forecast_contact(world, world->objects[i], duration, &f, err);
    return f;
}
