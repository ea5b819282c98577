// SPDX-License-Identifier: MIT
// build.c: builds the world of a checked scene. When the library refuses a value, the error message
// names the place in the scene file.
#include "motion/motion.h"
#include "scene/scene.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Finds a key below a node: among its children first, then among their descendants.
static const fm_node *find_descendant(const fm_node *node, const char *key, size_t size)
{
    for (const fm_node *each = node->first; each; each = each->next) {
        if (each->key && strlen(each->key) == size && memcmp(each->key, key, size) == 0)
            return each;
    }
    for (const fm_node *each = node->first; each; each = each->next) {
        const fm_node *found = find_descendant(each, key, size);
        if (found)
            return found;
    }
    return NULL;
}

// Prefixes the text of err with the place in the scene file of the key that err->field names, as
// "drag.history.order", below `node`.
void fm_scene_locate_error(fm_error *err, const fm_node *node)
{
    if (err->status == FM_OK || err->status == FM_NO_MEMORY || !node)
        return;
    fm_place place = node->key_place;
    for (const char *part = err->field; *part;) {
        size_t size = strcspn(part, ". ");
        const fm_node *found = find_descendant(node, part, size);
        if (found) {
            node = found;
            place = node->kind == FM_NODE_SCALAR ? node->place : node->key_place;
        }
        part += size + (part[size] != 0);
    }
    char where[160], text[sizeof err->text];
    fm_place_format(place, where, sizeof where);
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "%s: %.150s", where, text);
}

// Index of the motion of that name in the scene; -1: none.
static int find_motion(const fm_scene *scene, const char *name)
{
    const fm_scene_motion *motions = scene->motions.data;
    for (int i = 0; i < scene->motions.count; i++) {
        if (strcmp(motions[i].item.name, name) == 0)
            return i;
    }
    return -1;
}

static fm_motion *create_motion(fm_builder *b, int index, fm_error *err);

// The motion of a bone, as "woman.pelvis"; NULL if there is no such bone.
static fm_motion *find_bone_motion(fm_builder *b, const char *name, fm_error *err)
{
    const fm_scene_figure *figures = b->scene->figures.data;
    char owner[FM_SCENE_NAME_MAX + 1];
    fm_bone bone;
    if (!name || !fm_scene_split_bone_name(name, owner, &bone))
        return NULL;
    for (int i = 0; i < b->scene->figures.count; i++) {
        if (strcmp(figures[i].item.name, owner) == 0)
            return fm_motion_figure(b->world, b->figures[i], bone, err);
    }
    return NULL;
}

// The motion or bone of that name, created on first use; NULL (at rest) when name is NULL.
fm_motion *fm_builder_find_motion(fm_builder *b, const char *name, fm_error *err)
{
    int index = name ? find_motion(b->scene, name) : -1;
    return index < 0 ? find_bone_motion(b, name, err) : create_motion(b, index, err);
}

// Composes motions; the first one in the list is applied first.
static fm_motion *compose_motions(fm_builder *b, const fm_scene_motion *motion, fm_error *err)
{
    const fm_item *parts = motion->parts.data;
    fm_motion *whole = fm_builder_find_motion(b, parts[0].name, err);
    for (int i = 1; i < motion->parts.count; i++) {
        fm_motion *outer = fm_builder_find_motion(b, parts[i].name, err);
        whole = fm_motion_compose(b->world, outer, whole, err);
    }
    return whole;
}

// Creates a motion through keyframes.
static fm_motion *create_keyframes(fm_builder *b, const fm_scene_motion *motion, fm_error *err)
{
    const fm_scene_keyframe *from = motion->keys.data;
    size_t count = (size_t)motion->keys.count;
    fm_key *keys = malloc(count * sizeof *keys);
    if (!keys) {
        fm_fail_no_memory(err, "scene", count * sizeof *keys);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = from[i].key;
    fm_motion *created =
        fm_motion_keyframes(b->world, keys, motion->keys.count,
                            (fm_interpolation)motion->interpolation, motion->pivot, err);
    free(keys);
    return created;
}

// Creates a motion on first use and returns the same motion afterwards. The recursion through
// compositions ends because scene_checks.c refuses cycles.
static fm_motion *create_motion(fm_builder *b, int index, fm_error *err)
{
    const fm_scene_motion *motion = (const fm_scene_motion *)b->scene->motions.data + index;
    if (b->motion_created[index] || err->status != FM_OK)
        return b->motions[index];
    const fm_scene_sine *sine = &motion->sine;
    fm_motion *created = NULL;
    switch ((fm_scene_motion_kind)motion->kind) {
    case FM_SCENE_MOTION_REST:
        break;
    case FM_SCENE_MOTION_SINE:
        created = fm_motion_sine_phase(b->world, sine->axis, sine->amplitude, sine->period,
                                       sine->phase, err);
        break;
    case FM_SCENE_MOTION_TURN:
        created = fm_motion_turn(b->world, &motion->turn, err);
        break;
    case FM_SCENE_MOTION_KEYFRAMES:
        created = create_keyframes(b, motion, err);
        break;
    case FM_SCENE_MOTION_COMPOSE:
        created = compose_motions(b, motion, err);
        break;
    }
    fm_scene_locate_error(err, motion->kind == FM_SCENE_MOTION_COMPOSE ? NULL : motion->item.node);
    b->motions[index] = created;
    b->motion_created[index] = true;
    return created;
}

// Creates a figure (person) and the colliders of its bones.
static void create_figure(fm_builder *b, int index, fm_error *err)
{
    const fm_scene_figure *figure = (const fm_scene_figure *)b->scene->figures.data + index;
    fm_figure_def def = figure->def;
    def.name = figure->item.name;
    def.bare = figure->look == 1;
    b->figures[index] = fm_figure_create(b->world, &def, err);
    if (b->figures[index])
        fm_figure_add_colliders(b->world, b->figures[index], figure->friction, err);
    fm_scene_locate_error(err, figure->item.node);
}

// Creates a collider: a shape, or a mesh from a file.
static void create_collider(fm_builder *b, const fm_scene_collider *collider, fm_error *err)
{
    fm_collider_def def = collider->def;
    def.name = collider->item.name;
    def.motion = fm_builder_find_motion(b, collider->motion, err);
    if (collider->rides_on && err->status == FM_OK) {
        def.carrier = fm_world_find_collider(b->world, collider->rides_on);
        if (!def.carrier)
            fm_fail(err, FM_BAD_VALUE, def.name, "rides_on", collider->rides_on,
                    "a collider above it, with a mass and a motion");
    }
    if (err->status != FM_OK)
        return;
    if (def.shape.kind == FM_SHAPE_MESH) {
        fm_scene_create_mesh_collider(collider, b->loader, b->world, &def, err);
        return;
    }
    fm_collider_create(b->world, &def, err);
    fm_scene_locate_error(err, collider->item.node);
}

// Creates the bodies or fluids in `items`, an array of fm_scene_object.
static void create_objects(fm_builder *b, const fm_items *items, fm_error *err)
{
    const fm_scene_object *objects = items->data;
    for (int i = 0; i < items->count && err->status == FM_OK; i++)
        objects[i].kind->build(b, &objects[i], err);
}

// Couples a body with a fluid. The decoder has checked that both names exist.
static void create_coupling(fm_builder *b, const fm_scene_coupling *coupling, fm_error *err)
{
    fm_coupling_def def = {(fm_coupling_way)coupling->way, coupling->resistance,
                           coupling->quadratic, coupling->follow};
    fm_world_couple_with(b->world, fm_world_find_object(b->world, coupling->body),
                         fm_world_find_object(b->world, coupling->fluid), &def, err);
    fm_scene_locate_error(err, coupling->item.node);
}

// Creates everything that the scene describes. Objects come after the motions and colliders that
// they refer to.
static void create_all(fm_builder *b, fm_error *err)
{
    const fm_scene *scene = b->scene;
    const fm_scene_collider *colliders = scene->colliders.data;
    for (int i = 0; i < scene->figures.count && err->status == FM_OK; i++)
        create_figure(b, i, err);
    for (int i = 0; i < scene->motions.count && err->status == FM_OK; i++)
        create_motion(b, i, err);
    for (int i = 0; i < scene->colliders.count && err->status == FM_OK; i++)
        create_collider(b, &colliders[i], err);
    create_objects(b, &scene->bodies, err);
    create_objects(b, &scene->fluids, err);
    const fm_scene_coupling *coupling = scene->coupling.data;
    for (int i = 0; i < scene->coupling.count && err->status == FM_OK; i++)
        create_coupling(b, &coupling[i], err);
}

// Builds the world of a scene without mesh colliders. threads: 0 takes the number in the scene.
fm_world *fm_scene_build(const fm_scene *scene, int threads, fm_error *err)
{
    return fm_scene_build_with_loader(scene, threads, NULL, err);
}

// Builds the world that a scene describes. threads: 0 takes the number in the scene; loader: reads
// the files of mesh colliders, may be NULL.
fm_world *fm_scene_build_with_loader(const fm_scene *scene, int threads,
                                     const fm_mesh_loader *loader, fm_error *err)
{
    assert(err->status != FM_OK || scene);
    if (err->status != FM_OK)
        return NULL;
    fm_world_def def = scene->world;
    def.threads = threads > 0 ? threads : scene->world.threads;
    size_t count = (size_t)scene->motions.count + 1;
    size_t figure_count = (size_t)scene->figures.count + 1;
    fm_builder b = {.scene = scene,
                    .loader = loader,
                    .motions = calloc(count, sizeof *b.motions),
                    .motion_created = calloc(count, sizeof *b.motion_created),
                    .figures = calloc(figure_count, sizeof(fm_figure *))};
    if (b.motions && b.motion_created && b.figures) {
        b.world = fm_world_create(&def, err);
        fm_scene_locate_error(err, scene->root);
        if (b.world)
            create_all(&b, err);
    } else {
        fm_fail_no_memory(err, "scene", count * sizeof *b.motions);
    }
    free(b.motions);
    free(b.motion_created);
    free(b.figures);
    if (err->status != FM_OK) {
        fm_world_destroy(b.world);
        return NULL;
    }
    return b.world;
}
