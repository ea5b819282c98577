// SPDX-License-Identifier: MIT
// soft_kind.c: the kind bodies.NAME.soft: builds a soft body, which is a cloth, from its keys.
#include "scene/soft_kind.h"

#include "cloth/cloth.h"

// The part of a definition that is shared with fabrics, with the cells of a slab filled in.
static fm_scene_fabric *complete_shape(const fm_scene_object *object)
{
    fm_scene_soft *body = object->def;
    int *cells = body->base.shape.cells;
    cells[0] = (int)body->cells.x, cells[1] = (int)body->cells.y, cells[2] = (int)body->cells.z;
    return &body->base;
}

// Creates a soft body from a mesh file.
static fm_cloth *create_from_file(fm_builder *b, const fm_scene_soft *body, const fm_cloth_def *def,
                                  fm_error *err)
{
    fm_cloth_mesh mesh;
    fm_cloth *cloth = NULL;
    fm_scene_cloth from = body->base.cloth;
    from.mesh.origin = body->base.place.origin, from.mesh.velocity = body->base.place.velocity;
    from.mesh.rotation = body->base.place.rotation;
    if (fm_scene_cloth_create_mesh(&from, &mesh, err))
        cloth = fm_cloth_create_soft(b->world, def, &body->soft, &mesh, err);
    fm_scene_cloth_destroy_mesh(&mesh);
    fm_scene_cloth_add_file_groups(cloth, &from.mesh, err);
    return cloth;
}

// Creates a soft body with its pins.
static void build_soft(fm_builder *b, const fm_scene_object *object, fm_error *err)
{
    const fm_scene_soft *body = object->def;
    const fm_scene_fabric *base = complete_shape(object);
    fm_cloth_def def = base->cloth.def;
    def.name = object->item.name;
    fm_cloth *cloth;
    if (base->shape_key == FM_SCENE_SOFT_OBJ) {
        cloth = create_from_file(b, body, &def, err);
    } else {
        fm_mesh_shape shape = fm_scene_fabric_shape(base);
        cloth = fm_cloth_create_soft_shape(b->world, &def, &body->soft, &shape, &base->place, err);
    }
    fm_scene_locate_error(err, object->item.node);
    fm_scene_cloth_add_pins(b, cloth, &base->cloth, err);
}

// Reads the file, or builds the mesh, to check it and to know its vertices and groups.
static void load_mesh(fm_loader *loader, const fm_scene_object *object)
{
    if (complete_shape(object)->shape_key == FM_SCENE_SOFT_OBJ)
        fm_scene_cloth_load_obj(loader, object, "soft");
    else
        fm_scene_fabric_load_shape(loader, object, "soft");
}

static int find_coupling_faults(const void *def, fm_coupling_way way, fm_coupling_fault *faults)
{
    return fm_cloth_find_coupling_faults(&((const fm_scene_soft *)def)->base.cloth.def, way,
                                         faults);
}

// Adds the contents of the mesh file, not its name, to the hash of the scene.
static uint64_t hash_mesh(const void *def, uint64_t hash)
{
    const fm_scene_mesh *mesh = &((const fm_scene_soft *)def)->base.cloth.mesh;
    return mesh->hash ? fm_hash(&mesh->hash, sizeof mesh->hash, hash) : hash;
}

static int count_points(const void *def)
{
    return ((const fm_scene_soft *)def)->base.cloth.mesh.mesh.point_count;
}

static const char *refuse_uv(const void *def)
{
    (void)def;
    return "is only allowed on sheets and tubes; on a soft body use `particle`";
}

const fm_scene_kind fm_scene_soft_kind = {
    .type = &fm_soft_type,
    .section = "bodies",
    .key = "soft",
    .build = build_soft,
    .find_coupling_faults = find_coupling_faults,
    .load = load_mesh,
    .hash = hash_mesh,
    .count_points = count_points,
    .refuse_uv = refuse_uv,
    .weigh_points = fm_scene_cloth_weigh_points,
};
