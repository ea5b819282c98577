// SPDX-License-Identifier: MIT
// scene_checks.c: checks of keys against each other. The decoder calls the check of a table after
// it has found every key of the mapping good by itself.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The place in the scene file of node.key.subkey.subsubkey, or of the deepest of these that the
// file has. Trailing keys may be NULL.
fm_place fm_node_find_place(const fm_node *node, const char *key, const char *subkey,
                            const char *subsubkey)
{
    const char *const keys[] = {key, subkey, subsubkey};
    fm_place place = node->key_place;
    for (int i = 0; i < 3 && keys[i]; i++) {
        node = fm_node_find(node, keys[i]);
        if (!node)
            break;
        place = node->kind == FM_NODE_SCALAR ? node->place : node->key_place;
    }
    return place;
}

// Checks the keys of a probe against each other. object: an fm_scene_probe.
void fm_scene_check_probe_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_probe *probe = object;
    if (probe->at.count > 0 && probe->particle >= 0)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "particle", NULL, NULL),
                              "%s has \"at\" and \"particle\": only one of them is allowed",
                              d->path);
}

// Checks that the two ends of a cylinder or cone differ. object: an fm_shape.
void fm_scene_check_shape_axis(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_shape *shape = object;
    fm_vec3 a = shape->start, b = shape->end;
    if (a.x == b.x && a.y == b.y && a.z == b.z)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "end", NULL, NULL),
                              "%s.end equals start: the axis has no direction", d->path);
}

// Checks that only mesh colliders are animated. object: an fm_scene_collider.
void fm_scene_check_collider_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_collider *collider = object;
    if (collider->animation.kind != 0 && collider->def.shape.kind != FM_SHAPE_MESH)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "animation", NULL, NULL),
                              "%s.animation is only allowed with mesh", d->path);
}

// Checks that an oscillating rotation has a period. object: an fm_turn.
void fm_scene_check_turn_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_turn *turn = object;
    if (turn->amplitude != 0 && !fm_node_find(node, "period"))
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "amplitude", NULL, NULL),
                              "%s has an amplitude, so it needs a period", d->path);
}

// Checks that compositions and keyframes are not empty and that key times increase. object: an
// fm_scene_motion.
void fm_scene_check_motion_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_motion *motion = object;
    const fm_scene_keyframe *keys = motion->keys.data;
    if (motion->kind == FM_SCENE_MOTION_COMPOSE && motion->parts.count < 1)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "compose", NULL, NULL),
                              "%s.compose is an empty list", d->path);
    if (motion->kind != FM_SCENE_MOTION_KEYFRAMES)
        return;
    if (motion->keys.count < 1)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "keyframes", "keys", NULL),
                              "%s.keyframes.keys is empty, it needs at least one key", d->path);
    for (int i = 1; i < motion->keys.count; i++) {
        if (keys[i].key.time <= keys[i - 1].key.time)
            fm_loader_add_mistake(
                d->loader, fm_node_find_place(keys[i].item.node, "time", NULL, NULL),
                "%s.keyframes.keys[%d].time is %g, it must be later than %g, the time of the key "
                "before",
                d->path, i, keys[i].key.time, keys[i - 1].key.time);
    }
}

// Index of the motion of that name; -1: none.
static int find_motion(const fm_items *motions, const char *name)
{
    const fm_scene_motion *all = motions->data;
    for (int i = 0; i < motions->count; i++) {
        if (strcmp(all[i].item.name, name) == 0)
            return i;
    }
    return -1;
}

// Counts the motions that a composition consists of, itself not counted, and refuses cycles.
// visits[i] of motion i: 0 not visited, -1 being visited, else its count. The recursion is at most
// as deep as the number of motions, 1024.
static int count_parts(fm_decoder *d, const fm_items *motions, int index, int *visits)
{
    enum { PARTS_MAX = 1024 }; // limit of fm_motion_compose
    const fm_scene_motion *motion = (const fm_scene_motion *)motions->data + index;
    const fm_item *parts = motion->parts.data;
    if (motion->kind != FM_SCENE_MOTION_COMPOSE)
        return visits[index] = 1;
    visits[index] = -1;
    int count = 0;
    for (int i = 0; i < motion->parts.count; i++) {
        int part = find_motion(motions, parts[i].name);
        if (part < 0)
            continue;
        if (visits[part] == -1)
            fm_loader_add_mistake(d->loader, parts[i].node->place,
                                  "motions.%s.compose contains itself through \"%s\"",
                                  motion->item.name, parts[i].name);
        else if (count <= PARTS_MAX)
            count += visits[part] > 0 ? visits[part] : count_parts(d, motions, part, visits);
    }
    if (count > PARTS_MAX)
        fm_loader_add_mistake(d->loader, motion->item.node->key_place,
                              "motions.%s is composed of more than %d motions", motion->item.name,
                              PARTS_MAX);
    visits[index] = count > PARTS_MAX ? 1 : count + (count == 0);
    return visits[index];
}

// Objects write files under their names, so a name must not occur in two sections.
// size: bytes of an element of `others`; section: its name, for the message.
static void check_name_is_unique(fm_decoder *d, const fm_item *one, const fm_items *others,
                                 size_t size, const char *section)
{
    for (int i = 0; i < others->count; i++) {
        const fm_item *other = (const void *)((const char *)others->data + (size_t)i * size);
        if (other != one && strcmp(one->name, other->name) == 0)
            fm_loader_add_mistake(d->loader, one->node->key_place,
                                  "\"%s\" is also a name in %s: both would write the same files",
                                  one->name, section);
    }
}

// Checks that the names of bodies, fluids and colliders with a mass, which write files, differ.
static void check_names(fm_decoder *d, const fm_scene *scene)
{
    const fm_scene_object *fluids = scene->fluids.data;
    const fm_scene_collider *colliders = scene->colliders.data;
    for (int i = 0; i < scene->fluids.count; i++)
        check_name_is_unique(d, &fluids[i].item, &scene->bodies, sizeof(fm_scene_object), "bodies");
    for (int i = 0; i < scene->colliders.count; i++) {
        if (!(colliders[i].def.mass > 0))
            continue;
        check_name_is_unique(d, &colliders[i].item, &scene->bodies, sizeof(fm_scene_object),
                             "bodies");
        check_name_is_unique(d, &colliders[i].item, &scene->fluids, sizeof(fm_scene_object),
                             "fluids");
    }
}

// Checks the keys of each object against the rest of the scene. items: array of fm_scene_object.
static void check_objects(fm_decoder *d, const fm_items *items)
{
    const fm_scene_object *objects = items->data;
    for (int i = 0; i < items->count; i++) {
        if (objects[i].kind->check)
            objects[i].kind->check(d, &objects[i]);
    }
}

// Checks the sections of a scene against each other. object: an fm_scene.
void fm_scene_check_all_keys(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene *scene = object;
    if (scene->bodies.count < 1 && scene->fluids.count < 1)
        fm_loader_add_mistake(
            d->loader, fm_node_find_place(node, "bodies", NULL, NULL),
            "the scene needs \"bodies\" or \"fluids\": there is nothing to simulate");
    check_names(d, scene);
    check_objects(d, &scene->bodies);
    check_objects(d, &scene->fluids);
    fm_scene_check_couplings(d, scene);
    if (scene->motions.count < 1)
        return;
    int *visits = fm_loader_alloc(d->loader, (size_t)scene->motions.count, sizeof *visits);
    for (int i = 0; visits && i < scene->motions.count; i++) {
        if (visits[i] == 0)
            count_parts(d, &scene->motions, i, visits);
    }
}
