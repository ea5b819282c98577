// SPDX-License-Identifier: MIT
// fabric_kind.c: the kind bodies.NAME.fabric: builds a fabric, which is a cloth, from its keys.
#include "scene/fabric_kind.h"

#include "cloth/cloth.h"

#include <stdio.h>
#include <string.h>

// Creates a fabric with its pins.
static void build_fabric(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    const fm_scene_fabric *body = object->def;
    fm_mesh_shape shape = fm_scene_fabric_shape(body);
    fm_cloth_def def = body->cloth.def;
    fm_fabric_def fabric = body->fabric;
    def.name = object->item.name;
    if (body->modulus > 0)
        fabric.spring = fm_fabric_spring_of_modulus(&shape, body->modulus);
    fm_cloth *cloth =
        fm_cloth_create_fabric_shape(b->world, &def, &fabric, &shape, &body->place, err);
    fm_scene_locate_error(err, object->item.node);
    fm_scene_cloth_add_pins(b, cloth, &body->cloth, err);
}

// Copies the points and the names of the groups of a built mesh into the scene.
static void store_mesh(fm_loader *loader, const fm_built_mesh *built, fm_scene_mesh *mesh)
{
    size_t count = (size_t)built->mesh.point_count;
    fm_vec3 *points = fm_loader_alloc(loader, count + 1, sizeof *points);
    fm_vertex_group *groups = fm_loader_alloc(loader, FM_VERTEX_GROUPS_MAX, sizeof *groups);
    if (!points || !groups)
        return;
    memcpy(points, built->mesh.points, count * sizeof *points);
    memcpy(groups, built->groups, (size_t)built->group_count * sizeof *groups);
    for (int i = 0; i < built->group_count; i++)
        groups[i].vertices = NULL;
    mesh->mesh = (fm_mesh_view){.points = points, .point_count = (int)count};
    mesh->groups = groups, mesh->group_count = built->group_count;
}

void fm_scene_fabric_load_shape(fm_loader *loader, const fm_scene_object *object, const char *key)
{
    fm_scene_fabric *fabric = object->def;
    fm_mesh_shape shape = fm_scene_fabric_shape(fabric);
    fm_built_mesh built;
    fm_error err = {0};
    const fm_node *node = fm_node_find(object->item.node, key);
    char path[256];
    snprintf(path, sizeof path, "bodies.%s.%s", object->item.name, key);
    if (fm_mesh_shape_build(&shape, &built, &err)) {
        store_mesh(loader, &built, &fabric->cloth.mesh);
        if (fabric->cloth.mesh.mesh.points)
            fm_scene_check_mesh_places(loader, path, &fabric->cloth);
    } else if (err.status == FM_NO_MEMORY) {
        loader->err = err;
    } else {
        const fm_node *at = fm_node_find(node, "mesh"), *edge = fm_node_find(node, "edge");
        at = strcmp(err.field, "edge") == 0 && edge ? edge : at;
        fm_loader_add_mistake(loader, at->place, "%s.%s", path, err.text);
    }
    fm_built_mesh_destroy(&built);
}

// Builds the mesh, to check the shape and to know its vertices and groups.
static void load_mesh(fm_loader *loader, const fm_scene_object *object)
{
    fm_scene_fabric_load_shape(loader, object, "fabric");
}

static int find_coupling_faults(const void *def, fm_coupling_way way, fm_coupling_fault *faults)
{
    return fm_cloth_find_coupling_faults(&((const fm_scene_fabric *)def)->cloth.def, way, faults);
}

static int count_points(const void *def)
{
    return ((const fm_scene_fabric *)def)->cloth.mesh.mesh.point_count;
}

static const char *refuse_uv(const void *def)
{
    (void)def;
    return "is only allowed on sheets and tubes; on a fabric use `particle`";
}

const fm_scene_kind fm_scene_fabric_kind = {
    .type = &fm_cloth_type,
    .section = "bodies",
    .key = "fabric",
    .build = build_fabric,
    .find_coupling_faults = find_coupling_faults,
    .load = load_mesh,
    .count_points = count_points,
    .refuse_uv = refuse_uv,
    .weigh_points = fm_scene_cloth_weigh_points,
};
