// SPDX-License-Identifier: MIT
// collider.c: colliders made from checked definitions, placed at a time, and asked for distances.
#include "collide/collide.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

fm_collider_def fm_default_collider_def(void)
{
    return (fm_collider_def){
        .shape = {.kind = FM_SHAPE_SPHERE,
                  .normal = {0, 1, 0},
                  .end = {0, 1, 0},
                  .radius = 1,
                  .half_size = {1, 1, 1},
                  .rotation = {0, 0, 0, 1}},
        .friction = 0.3,
    };
}

static const char *copy_name(fm_arena *arena, const char *name, fm_error *err)
{
    size_t size = name ? strlen(name) + 1 : 1;
    char *copy = fm_arena_alloc(arena, size, 1, "collider", err);
    if (copy && name)
        memcpy(copy, name, size);
    return copy;
}

fm_collider *fm_collider_new(fm_arena *arena, const fm_collider_def *def, fm_error *err)
{
    assert(def);
    bool named = def->name && *def->name;
    char object[48];
    snprintf(object, sizeof object, "collider%s%s", named ? " " : "", named ? def->name : "");
    fm_shape shape = def->shape;
    if (err->status != FM_OK || !fm_shape_check(&shape, object, err))
        return NULL;
    if (!(def->friction >= 0) || !isfinite(def->friction)) {
        fm_fail_number(err, object, "friction", def->friction, "0 or more");
        return NULL;
    }
    if (!(def->mass >= 0) || !isfinite(def->mass)) {
        fm_fail_number(err, object, "mass", def->mass, "0 (not free) or more, kg");
        return NULL;
    }
    if (def->mass > 0 && (shape.kind != FM_SHAPE_SPHERE || def->motion)) {
        fm_fail_number(err, object, "mass", def->mass, "0, but for spheres without a motion");
        return NULL;
    }
    if (!fm_is_finite(def->velocity)) {
        fm_fail_vector(err, object, "velocity", def->velocity, "finite numbers");
        return NULL;
    }
    fm_collider *collider = fm_arena_alloc(arena, 1, sizeof *collider, object, err);
    const char *name = copy_name(arena, def->name, err);
    if (!name)
        return NULL;
    *collider = (fm_collider){.name = name,
                              .shape = shape,
                              .motion = def->motion,
                              .friction = def->friction,
                              .mass = def->mass,
                              .centre = shape.centre,
                              .velocity = def->velocity,
                              .turned = {0, 0, 0, 1}};
    return collider;
}

// Largest of two coordinates that is not infinite, without its sign.
static double find_reach(double low, double high)
{
    return fmax(isfinite(low) ? fabs(low) : 0, isfinite(high) ? fabs(high) : 0);
}

fm_placed_collider fm_collider_place(const fm_collider *collider, double t)
{
    fm_pose pose = fm_collider_pose(collider, t);
    bool moves = collider->motion || collider->mass > 0;
    fm_placed_collider placed = {
        .friction = collider->friction,
        .shape = moves ? fm_shape_carry(&collider->shape, &pose) : collider->shape,
        .pose = pose,
        .collider = collider,
    };
    fm_vec3 low, high;
    fm_shape_bound(&placed.shape, &low, &high);
    placed.reach = fmax(fm_largest(placed.shape.centre),
                        fmax(find_reach(low.x, high.x),
                             fmax(find_reach(low.y, high.y), find_reach(low.z, high.z))));
    // never smaller than what it bounds, rounding included
    double slack = 16 * DBL_EPSILON * placed.reach;
    placed.low = fm_sub(low, (fm_vec3){slack, slack, slack});
    placed.high = fm_add(high, (fm_vec3){slack, slack, slack});
    return placed;
}

fm_contact fm_collider_contact(const fm_placed_collider *placed, fm_vec3 point)
{
    fm_contact contact = fm_shape_contact(&placed->shape, point);
    contact.velocity = fm_pose_velocity_at(&placed->pose, contact.point);
    return contact;
}

double fm_collider_distance(const fm_collider *collider, fm_vec3 point, double t, fm_vec3 *closest,
                            fm_vec3 *normal, fm_vec3 *velocity)
{
    assert(collider);
    fm_placed_collider placed = fm_collider_place(collider, t);
    fm_contact contact = fm_collider_contact(&placed, point);
    if (closest)
        *closest = contact.point;
    if (normal)
        *normal = contact.normal;
    if (velocity)
        *velocity = contact.velocity;
    return contact.distance;
}
