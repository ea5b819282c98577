// SPDX-License-Identifier: MIT
// collider.c: creation of colliders from checked definitions, their pose at a time, and signed
// distances.
#include "collide/collide.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

// A fixed sphere with a radius of 1 m; other kinds of shapes begin with a size of 1 m, too.
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

// Copy of the name in the arena; "" for NULL.
static const char *copy_name(fm_arena *arena, const char *name, fm_error *err)
{
    size_t size = name ? strlen(name) + 1 : 1;
    char *copy = fm_arena_alloc(arena, size, 1, "collider", err);
    if (copy && name)
        memcpy(copy, name, size);
    return copy;
}

// True when a collider of this kind may have the mass, motion and carrier of its definition.
static bool may_be_free(const fm_collider_def *def, fm_shape_kind kind)
{
    const bool rides = def->motion && kind != FM_SHAPE_PLANE && kind != FM_SHAPE_MESH;
    if (def->carrier)
        return rides && def->mass == 0 && def->carrier->rigid && def->carrier->rigid->rides;
    return def->mass == 0 || rides || (kind == FM_SHAPE_SPHERE && !def->motion);
}

// True for a number from 0 to 1.
static bool is_share(double x)
{
    return x >= 0 && x <= 1;
}

// Fails if the colour is none, or if a collider that is only drawn has a mass.
static bool check_look(const fm_collider_def *def, const char *object, fm_error *err)
{
    if (!is_share(def->color.x) || !is_share(def->color.y) || !is_share(def->color.z))
        return fm_fail_vector(err, object, "color", def->color, "red, green, blue from 0 to 1");
    return !def->shown_only || def->mass == 0 ||
           fm_fail_number(err, object, "mass", def->mass, "0 with shown_only");
}

// Creates the part that shape colliders and mesh colliders share; kind is the kind of shape.
// Returns NULL and fills err on bad values.
static fm_collider *create(fm_arena *arena, const fm_collider_def *def, fm_shape_kind kind,
                           const char *object, fm_error *err)
{
    if (!(def->friction >= 0) || !isfinite(def->friction)) {
        fm_fail_number(err, object, "friction", def->friction, "0 or more");
        return NULL;
    }
    if (!(def->mass >= 0) || !isfinite(def->mass)) {
        fm_fail_number(err, object, "mass", def->mass, "0 (not free) or more, kg");
        return NULL;
    }
    if (!may_be_free(def, kind)) {
        fm_fail_number(err, object, def->carrier ? "carrier" : "mass", def->mass,
                       def->carrier ? "a collider with a mass and a motion, for one with a motion "
                                      "and no mass"
                                    : "0, but for spheres, and for other shapes with a motion");
        return NULL;
    }
    if (!fm_is_finite(def->velocity)) {
        fm_fail_vector(err, object, "velocity", def->velocity, "finite numbers");
        return NULL;
    }
    if (!check_look(def, object, err))
        return NULL;
    fm_collider *collider = fm_arena_alloc(arena, 1, sizeof *collider, object, err);
    const char *name = copy_name(arena, def->name, err);
    if (!name)
        return NULL;
    *collider = (fm_collider){.name = name,
                              .motion = def->motion,
                              .friction = def->friction,
                              .hidden = def->hidden,
                              .clear = def->clear,
                              .color = def->color,
                              .shown_only = def->shown_only};
    if (!(def->mass > 0 || def->carrier))
        return collider;
    collider->rigid = fm_arena_alloc(arena, 1, sizeof *collider->rigid, object, err);
    if (!collider->rigid)
        return NULL;
    *collider->rigid =
        (fm_rigid){.mass = def->mass, .velocity = def->velocity, .orientation = {0, 0, 0, 1}};
    collider->rigid->rides = def->motion != NULL;
    if (def->carrier) {
        fm_rigid *of = def->carrier->rigid;
        collider->rigid->carrier = of->carrier ? of->carrier : of;
        collider->rigid->mass = collider->rigid->carrier->mass;
    }
    return collider;
}

enum { OBJECT_SIZE = 64 }; // bytes of "collider NAME" in error messages

// Writes "collider NAME" for error messages.
static void name_object(const fm_collider_def *def, char object[OBJECT_SIZE])
{
    bool named = def->name && *def->name;
    snprintf(object, OBJECT_SIZE, "collider%s%s", named ? " " : "", named ? def->name : "");
}

// Creates a collider of an analytic shape. NULL and err filled on bad values.
fm_collider *fm_collider_create_in_arena(fm_arena *arena, const fm_collider_def *def, fm_error *err)
{
    assert(def);
    char object[OBJECT_SIZE];
    name_object(def, object);
    fm_shape shape = def->shape;
    if (err->status != FM_OK || !fm_shape_check(&shape, object, err))
        return NULL;
    fm_collider *collider = create(arena, def, shape.kind, object, err);
    if (collider) {
        collider->shape = shape;
        if (collider->rigid)
            fm_rigid_set_centre(collider, 0);
    }
    return collider;
}

// Creates a collider that is a triangle mesh. NULL and err filled on bad values.
fm_collider *fm_collider_create_mesh_in_arena(fm_arena *arena, const fm_collider_def *def,
                                              const fm_collider_mesh *mesh, fm_error *err)
{
    assert(def && mesh);
    char object[OBJECT_SIZE];
    name_object(def, object);
    fm_trimesh *created = err->status == FM_OK ? fm_trimesh_create(arena, mesh, object, err) : NULL;
    fm_collider *collider = created ? create(arena, def, FM_SHAPE_MESH, object, err) : NULL;
    if (collider) {
        collider->shape.kind = FM_SHAPE_MESH;
        collider->mesh = created;
    }
    return collider;
}

// True if the collider has no motion, no mass and no animation.
bool fm_collider_is_fixed(const fm_collider *collider)
{
    return !collider->motion && !collider->rigid &&
           !(collider->mesh && fm_trimesh_is_animated(collider->mesh));
}

// The larger absolute value of two coordinates of a box; an infinite one counts as 0.
static double largest_finite(double low, double high)
{
    return fmax(isfinite(low) ? fabs(low) : 0, isfinite(high) ? fabs(high) : 0);
}

// Bounding box of `box` after the pose has rotated and translated it.
static fm_bounds transform_box(const fm_bounds *box, const fm_pose *pose)
{
    fm_bounds result = fm_bounds_empty();
    for (int i = 0; i < 8; i++)
        fm_bounds_add_point(&result,
                            fm_pose_apply(pose, (fm_vec3){i & 1 ? box->high.x : box->low.x,
                                                          i & 2 ? box->high.y : box->low.y,
                                                          i & 4 ? box->high.z : box->low.z}));
    return result;
}

// Bounding box of a placed collider in world coordinates.
static fm_bounds find_bounds(const fm_placed_collider *placed)
{
    fm_bounds box;
    if (placed->collider->mesh) {
        box = fm_trimesh_bounds(placed->collider->mesh);
        return transform_box(&box, &placed->pose);
    }
    fm_shape_find_bounds(&placed->shape, &box.low, &box.high);
    return box;
}

// The collider at time t: its shape in world coordinates and its bounding box. An animated mesh is
// moved to that time.
fm_placed_collider fm_collider_place(const fm_collider *collider, double t)
{
    fm_pose pose = fm_collider_pose(collider, t);
    bool moves = collider->motion || collider->rigid;
    fm_placed_collider placed = {
        .friction = collider->friction,
        .shape = moves ? fm_shape_transform(&collider->shape, &pose) : collider->shape,
        .pose = pose,
        .collider = collider,
    };
    if (collider->mesh)
        fm_trimesh_set_time(collider->mesh, t);
    fm_bounds box = find_bounds(&placed);
    fm_vec3 low = box.low, high = box.high;
    placed.reach = fmax(fm_max_norm(placed.shape.centre),
                        fmax(largest_finite(low.x, high.x),
                             fmax(largest_finite(low.y, high.y), largest_finite(low.z, high.z))));
    // margin for the rounding errors of some operations on coordinates of this size, so that the
    // box is not smaller than the collider
    double slack = 16 * DBL_EPSILON * placed.reach;
    placed.low = fm_sub(low, (fm_vec3){slack, slack, slack});
    placed.high = fm_add(high, (fm_vec3){slack, slack, slack});
    return placed;
}

// As fm_placed_find_contact, but the velocity does not include the collider's motion.
fm_contact fm_placed_find_closest(const fm_placed_collider *placed, fm_vec3 point)
{
    if (placed->shape.kind != FM_SHAPE_MESH)
        return fm_shape_find_contact(&placed->shape, point);
    const fm_pose *pose = &placed->pose;
    fm_contact contact =
        fm_trimesh_find_contact(placed->collider->mesh, fm_pose_apply_inverse(pose, point));
    contact.point = fm_pose_apply(pose, contact.point);
    contact.normal = fm_quat_rotate(pose->rotation, contact.normal);
    contact.velocity = fm_quat_rotate(pose->rotation, contact.velocity);
    return contact;
}

// Closest surface point of a placed collider, with the velocity of the surface there.
fm_contact fm_placed_find_contact(const fm_placed_collider *placed, fm_vec3 point)
{
    fm_contact contact = fm_placed_find_closest(placed, point);
    contact.velocity = fm_add(contact.velocity, fm_pose_velocity_at(&placed->pose, contact.point));
    return contact;
}

// Signed distance, m, of a point from a collider at time t; closest, normal, velocity (may be NULL)
// receive those of the nearest surface point.
double fm_collider_distance(const fm_collider *collider, fm_vec3 point, double t, fm_vec3 *closest,
                            fm_vec3 *normal, fm_vec3 *velocity)
{
    assert(collider);
    fm_placed_collider placed = fm_collider_place(collider, t);
    fm_contact contact = fm_placed_find_contact(&placed, point);
    if (closest)
        *closest = contact.point;
    if (normal)
        *normal = contact.normal;
    if (velocity)
        *velocity = contact.velocity;
    return contact.distance;
}
