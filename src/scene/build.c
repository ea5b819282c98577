// SPDX-License-Identifier: MIT
// build.c: a checked scene into a world. What the library still refuses is said in terms of the
// file.
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fm_node *find_below(const fm_node *node, const char *key, size_t size)
{
    for (const fm_node *each = node->first; each; each = each->next) {
        if (each->key && strlen(each->key) == size && memcmp(each->key, key, size) == 0)
            return each;
    }
    for (const fm_node *each = node->first; each; each = each->next) {
        const fm_node *found = find_below(each, key, size);
        if (found)
            return found;
    }
    return NULL;
}

// Puts the place of the key that err names ("drag.history.order") before its text. Parts of the
// name that the file does not have are passed over.
static void blame(fm_error *err, const fm_node *node)
{
    if (err->status == FM_OK || err->status == FM_NO_MEMORY || !node)
        return;
    fm_place place = node->key_place;
    for (const char *part = err->field; *part;) {
        size_t size = strcspn(part, ". ");
        const fm_node *found = find_below(node, part, size);
        if (found) {
            node = found;
            place = node->kind == FM_NODE_SCALAR ? node->place : node->key_place;
        }
        part += size + (part[size] != 0);
    }
    char where[160], text[sizeof err->text];
    fm_place_text(place, where, sizeof where);
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "%s: %.150s", where, text);
}

typedef struct builder {
    const fm_scene *scene;
    fm_world *world;
    fm_motion **motions; // by their number in the scene; NULL is rest
    bool *made;
} builder;

static int find_motion(const fm_scene *scene, const char *name)
{
    const fm_scene_motion *motions = scene->motions.data;
    for (int i = 0; i < scene->motions.count; i++) {
        if (strcmp(motions[i].thing.name, name) == 0)
            return i;
    }
    return -1;
}

static fm_motion *make_motion(builder *b, int index, fm_error *err);

static fm_motion *named_motion(builder *b, const char *name, fm_error *err)
{
    int index = name ? find_motion(b->scene, name) : -1;
    return index < 0 ? NULL : make_motion(b, index, err);
}

// The first part is innermost.
static fm_motion *compose(builder *b, const fm_scene_motion *motion, fm_error *err)
{
    const fm_thing *parts = motion->parts.data;
    fm_motion *whole = named_motion(b, parts[0].name, err);
    for (int i = 1; i < motion->parts.count; i++) {
        fm_motion *outer = named_motion(b, parts[i].name, err);
        whole = fm_motion_compose(b->world, outer, whole, err);
    }
    return whole;
}

static fm_motion *keyframes(builder *b, const fm_scene_motion *motion, fm_error *err)
{
    const fm_scene_key *from = motion->keys.data;
    size_t count = (size_t)motion->keys.count;
    fm_key *keys = malloc(count * sizeof *keys);
    if (!keys) {
        fm_fail_no_memory(err, "scene", count * sizeof *keys);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = from[i].key;
    fm_motion *made =
        fm_motion_keyframes(b->world, keys, motion->keys.count,
                            (fm_interpolation)motion->interpolation, motion->pivot, err);
    free(keys);
    return made;
}

// Made once, whoever asks first; checks.c has seen to it that compositions do not turn in circles.
static fm_motion *make_motion(builder *b, int index, fm_error *err)
{
    const fm_scene_motion *motion = (const fm_scene_motion *)b->scene->motions.data + index;
    if (b->made[index] || err->status != FM_OK)
        return b->motions[index];
    const fm_scene_sine *sine = &motion->sine;
    fm_motion *made = NULL;
    switch ((fm_scene_motion_kind)motion->kind) {
    case FM_SCENE_REST:
        break;
    case FM_SCENE_SINE:
        made = fm_motion_sine_phase(b->world, sine->axis, sine->amplitude, sine->period,
                                    sine->phase, err);
        break;
    case FM_SCENE_TURN:
        made = fm_motion_turn(b->world, &motion->turn, err);
        break;
    case FM_SCENE_KEYFRAMES:
        made = keyframes(b, motion, err);
        break;
    case FM_SCENE_COMPOSE:
        made = compose(b, motion, err);
        break;
    }
    blame(err, motion->kind == FM_SCENE_COMPOSE ? NULL : motion->thing.node);
    b->motions[index] = made;
    b->made[index] = true;
    return made;
}

static void make_collider(builder *b, const fm_scene_collider *collider, fm_error *err)
{
    fm_collider_def def = collider->def;
    def.name = collider->thing.name;
    def.motion = named_motion(b, collider->motion, err);
    if (err->status != FM_OK)
        return;
    fm_collider_create(b->world, &def, err);
    blame(err, collider->thing.node);
}

static void make_pin(builder *b, fm_cloth *cloth, const fm_scene_pin *pin, fm_error *err)
{
    const fm_motion *motion = named_motion(b, pin->motion, err);
    if (err->status != FM_OK)
        return;
    switch ((fm_scene_pin_kind)pin->kind) {
    case FM_SCENE_PIN_EDGE:
        fm_cloth_pin_edge(cloth, (fm_edge)pin->edge, motion, err);
        break;
    case FM_SCENE_PIN_ROW:
        fm_cloth_pin_row(cloth, pin->row, motion, err);
        break;
    case FM_SCENE_PIN_COLUMN:
        fm_cloth_pin_column(cloth, pin->column, motion, err);
        break;
    case FM_SCENE_PIN_CORNER:
        fm_cloth_pin_corner(cloth, (fm_corner)pin->corner, motion, err);
        break;
    case FM_SCENE_PIN_PARTICLES:
        fm_cloth_pin_list(cloth, pin->particles.data, pin->particles.count, motion, err);
        break;
    }
    if (isfinite(pin->release))
        fm_cloth_release_at(cloth, pin->release, err);
    blame(err, pin->thing.node);
}

static void make_cloth(builder *b, const fm_scene_body *body, fm_error *err)
{
    fm_cloth_def def = body->cloth.def;
    def.name = body->thing.name;
    fm_cloth *cloth = fm_cloth_create_sheet(b->world, &def, &body->cloth.sheet, err);
    blame(err, body->thing.node);
    const fm_scene_pin *pins = body->cloth.pins.data;
    for (int i = 0; i < body->cloth.pins.count && cloth && err->status == FM_OK; i++)
        make_pin(b, cloth, &pins[i], err);
}

static void fill_fluid(const fm_scene_fluid *fluid, fm_particles *particles, fm_error *err)
{
    const fm_scene_fluid_box *boxes = fluid->boxes.data;
    const fm_scene_nozzle *sources = fluid->sources.data;
    const fm_scene_sink *sinks = fluid->sinks.data;
    const fm_scene_push *pushes = fluid->pushes.data;
    for (int i = 0; i < fluid->boxes.count && err->status == FM_OK; i++) {
        fm_fluid_box box = boxes[i].box;
        box.seed = (uint64_t)boxes[i].seed;
        fm_particles_add_box(particles, &box, err);
        blame(err, boxes[i].thing.node);
    }
    for (int i = 0; i < fluid->sources.count && err->status == FM_OK; i++) {
        fm_particles_add_source(particles, &sources[i].source, err);
        blame(err, sources[i].thing.node);
    }
    for (int i = 0; i < fluid->sinks.count && err->status == FM_OK; i++)
        fm_particles_add_sink(particles, &sinks[i].sink, err);
    for (int i = 0; i < fluid->pushes.count && err->status == FM_OK; i++)
        fm_particles_add_push(particles, &pushes[i].push, err);
}

static void make_fluid(builder *b, const fm_scene_fluid *fluid, fm_error *err)
{
    fm_particles_def def = fluid->def;
    def.name = fluid->thing.name;
    def.domain.motion = named_motion(b, fluid->motion, err);
    fm_particles *particles = fm_particles_create(b->world, &def, err);
    blame(err, fluid->thing.node);
    if (particles)
        fill_fluid(fluid, particles, err);
}

static void make_all(builder *b, fm_error *err)
{
    const fm_scene *scene = b->scene;
    const fm_scene_collider *colliders = scene->colliders.data;
    const fm_scene_body *bodies = scene->bodies.data;
    for (int i = 0; i < scene->motions.count && err->status == FM_OK; i++)
        make_motion(b, i, err);
    for (int i = 0; i < scene->colliders.count && err->status == FM_OK; i++)
        make_collider(b, &colliders[i], err);
    for (int i = 0; i < scene->bodies.count && err->status == FM_OK; i++)
        make_cloth(b, &bodies[i], err);
    const fm_scene_fluid *fluids = scene->fluids.data;
    for (int i = 0; i < scene->fluids.count && err->status == FM_OK; i++)
        make_fluid(b, &fluids[i], err);
}

fm_world *fm_scene_build(const fm_scene *scene, int threads, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_world_def def = scene->world;
    def.threads = threads > 0 ? threads : scene->world.threads;
    size_t count = (size_t)scene->motions.count + 1;
    builder b = {.scene = scene,
                 .motions = calloc(count, sizeof *b.motions),
                 .made = calloc(count, sizeof *b.made)};
    if (b.motions && b.made) {
        b.world = fm_world_create(&def, err);
        blame(err, scene->root);
        if (b.world)
            make_all(&b, err);
    } else {
        fm_fail_no_memory(err, "scene", count * sizeof *b.motions);
    }
    free(b.motions);
    free(b.made);
    if (err->status != FM_OK) {
        fm_world_destroy(b.world);
        return NULL;
    }
    return b.world;
}
