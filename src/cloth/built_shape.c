// SPDX-License-Identifier: MIT
// built_shape.c: creates fabrics and soft bodies from the meshes that Fathom builds.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Moves, rotates and scales the points of a built mesh. flat: without their heights y.
static bool place_points(const fm_built_mesh *built, const fm_fabric_place *place, double scale,
                         bool flat, fm_vec3 *points)
{
    fm_pose pose = fm_pose_identity();
    pose.position = place->origin, pose.rotation = place->rotation;
    if (!fm_quat_normalize(&pose.rotation))
        return false;
    for (int i = 0; i < built->mesh.point_count; i++) {
        fm_vec3 p = built->mesh.points[i];
        p.y = flat ? 0 : p.y;
        points[i] = fm_pose_apply(&pose, fm_scale(p, scale));
    }
    return true;
}

// Displaces the particles, at `points`, by place->bump.
static void add_bump(fm_cloth *c, const fm_built_mesh *built, const fm_fabric_place *place,
                     fm_vec3 *points, fm_error *err)
{
    double radius = place->bump.radius;
    if (!(radius > 0) || !isfinite(place->bump.height)) {
        fm_fail_number(err, c->object.name, "bump.radius", radius, "above 0 m");
        return;
    }
    fm_pose pose = fm_pose_identity();
    pose.rotation = place->rotation;
    fm_quat_normalize(&pose.rotation);
    for (int i = 0; i < built->mesh.point_count; i++) {
        fm_vec3 p = built->mesh.points[i];
        double d = hypot(p.x - place->bump.x, p.z - place->bump.z) / radius;
        double height = d < 1 ? place->bump.height * (1 - d * d) * (1 - d * d) : 0;
        points[i] = fm_add(points[i], fm_pose_apply(&pose, (fm_vec3){0, height, 0}));
    }
    fm_cloth_set_positions(c, points, err);
}

// Replaces `points` by those of the folded mesh at its place.
static bool fold_points(const fm_built_mesh *built, const fm_mesh_shape *shape,
                        const fm_fabric_place *place, fm_vec3 *points, fm_error *err)
{
    int count = built->mesh.point_count;
    fm_pose pose = fm_pose_identity();
    pose.position = place->origin, pose.rotation = place->rotation;
    fm_quat_normalize(&pose.rotation);
    memcpy(points, built->mesh.points, (size_t)count * sizeof *points);
    if (!fm_mesh_fold(shape, place->fold.pleats, place->fold.opening, points, count, err))
        return false;
    for (int i = 0; i < count; i++)
        points[i] = fm_pose_apply(&pose, points[i]);
    return true;
}

// What the body becomes: a fabric, or a soft body; the other one is NULL.
typedef struct body_kind {
    const fm_fabric_def *fabric;
    const fm_soft_def *soft;
} body_kind;

// Creates the body at these points, with the vertex groups of the mesh.
static fm_cloth *create_body(fm_world *world, const fm_cloth_def *def, body_kind kind,
                             const fm_cloth_mesh *mesh, const fm_built_mesh *built, fm_error *err)
{
    fm_cloth *cloth = kind.soft ? fm_cloth_create_soft(world, def, kind.soft, mesh, err)
                                : fm_cloth_create_fabric(world, def, kind.fabric, mesh, err);
    for (int i = 0; i < built->group_count && cloth; i++)
        fm_cloth_add_group(cloth, built->groups[i].name, built->groups[i].vertices,
                           built->groups[i].count, err);
    return cloth;
}

// Creates a body from a built mesh at its place.
static fm_cloth *create_at_place(fm_world *world, const fm_cloth_def *def, body_kind kind,
                                 const fm_mesh_shape *shape, const fm_fabric_place *place,
                                 const fm_built_mesh *built, fm_error *err)
{
    const char *object = def->name ? def->name : "cloth";
    double stretch = place->prestretch == 0 ? 1 : place->prestretch;
    size_t n = (size_t)built->mesh.point_count;
    fm_vec3 *points = malloc(2 * n * sizeof *points), *rest = points ? points + n : NULL;
    fm_cloth *cloth = NULL;
    if (!points)
        fm_fail_no_memory(err, object, 2 * n * sizeof *points);
    else if (!(stretch >= 0.1 && stretch <= 10))
        fm_fail_number(err, object, "prestretch", stretch, "0.1 to 10");
    else if (!place_points(built, place, 1, false, points) ||
             !place_points(built, place, 1 / stretch, shape->kind == FM_MESH_CUSHION, rest))
        fm_fail_number(err, object, "rotation", place->rotation.w, "finite numbers");
    if (points && err->status == FM_OK && place->fold.pleats != 0)
        fold_points(built, shape, place, points, err);
    if (points && err->status == FM_OK)
        cloth = create_body(world, def, kind,
                            &(fm_cloth_mesh){.positions = points,
                                             .vertex_count = built->mesh.point_count,
                                             .rest_positions = rest,
                                             .triangles = built->mesh.face_points,
                                             .triangle_count = built->mesh.face_count,
                                             .velocity = place->velocity},
                            built, err);
    if (cloth && place->bump.height != 0)
        add_bump(cloth, built, place, points, err);
    free(points);
    return cloth;
}

// Builds the mesh of a shape and creates a body from it.
static fm_cloth *create_from_shape(fm_world *world, const fm_cloth_def *def, body_kind kind,
                                   const fm_mesh_shape *shape, const fm_fabric_place *place,
                                   fm_error *err)
{
    assert(def && shape && place);
    fm_built_mesh built;
    fm_cloth *cloth = NULL;
    if (fm_mesh_shape_build(shape, &built, err))
        cloth = create_at_place(world, def, kind, shape, place, &built, err);
    fm_built_mesh_destroy(&built);
    return cloth;
}

// Creates a fabric from a shape.
fm_cloth *fm_cloth_create_fabric_shape(fm_world *world, const fm_cloth_def *def,
                                       const fm_fabric_def *fabric, const fm_mesh_shape *shape,
                                       const fm_fabric_place *place, fm_error *err)
{
    assert(fabric);
    return create_from_shape(world, def, (body_kind){.fabric = fabric}, shape, place, err);
}

// Creates a soft body from a shape.
fm_cloth *fm_cloth_create_soft_shape(fm_world *world, const fm_cloth_def *def,
                                     const fm_soft_def *soft, const fm_mesh_shape *shape,
                                     const fm_fabric_place *place, fm_error *err)
{
    assert(soft);
    return create_from_shape(world, def, (body_kind){.soft = soft}, shape, place, err);
}
