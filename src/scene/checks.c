// SPDX-License-Identifier: MIT
// checks.c: what keys must satisfy together. Each is called when every key is good by itself.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fm_place fm_find_place(const fm_node *node, const char *one, const char *other, const char *third)
{
    const char *const keys[] = {one, other, third};
    fm_place place = node->key_place;
    for (int i = 0; i < 3 && keys[i]; i++) {
        node = fm_node_find(node, keys[i]);
        if (!node)
            break;
        place = node->kind == FM_NODE_SCALAR ? node->place : node->key_place;
    }
    return place;
}

void fm_check_recall(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_recall *recall = object;
    const fm_node *rule = fm_node_find(node, "rule");
    if (rule && recall->kind != FM_RECALL_STEPS)
        fm_complain(d->loader, rule->key_place, "%s.rule belongs to steps", d->path);
}

// What a memory that is used asks of its order. `place` is where it is written.
static void check_order(fm_decoder *d, const char *key, const fm_recall *recall, double order,
                        fm_place place)
{
    bool steps = recall->kind == FM_RECALL_STEPS;
    if (steps && recall->rule == FM_RULE_COIMBRA && order != 0.5)
        fm_complain(d->loader, place, "%s.%s.memory.rule is coimbra, which needs order 0.5",
                    d->path, key);
    // the library's bound: below, a window drives what it should damp
    if ((steps || recall->kind == FM_RECALL_SECONDS) && order < 0.31 && !recall->unsafe)
        fm_complain(
            d->loader, place,
            "%s.%s.memory is a window, which feeds energy in at orders below 0.31; full and "
            "fading do not (or say `unsafe: true`, for study)",
            d->path, key);
}

static void check_memories(fm_decoder *d, const fm_node *node, const fm_cloth_def *def)
{
    const fm_node *drag = fm_node_find(node, "drag");
    bool damping = def->damping.coefficient > 0 && def->damping.order < 1;
    if (damping)
        check_order(d, "damping", &def->damping.memory, def->damping.order,
                    fm_find_place(node, "damping", "memory", "rule"));
    if (drag && def->drag.model == FM_DRAG_PUBLISHED && def->drag.history.coefficient > 0)
        check_order(d, "drag.history", &def->drag.history.memory, def->drag.history.order,
                    fm_find_place(drag, "history", "memory", "rule"));
    if (damping && def->damping.order < 0.3 &&
        def->damping.coefficient > 10 * def->stretch.stiffness)
        fm_complain(d->loader, fm_find_place(node, "damping", "coefficient", NULL),
                    "%s.damping.coefficient is %g, allowed at orders below 0.3 is at most 10 times "
                    "stretch.stiffness",
                    d->path, def->damping.coefficient);
}

// The medium, which the drag depends on, is decoded before the bodies are.
static void check_integrator(fm_decoder *d, const fm_node *node, const fm_cloth_def *def)
{
    bool damping = def->damping.coefficient > 0 && def->damping.order < 1;
    bool drag = def->drag.model == FM_DRAG_PUBLISHED && def->drag.history.coefficient > 0;
    fm_place place = fm_find_place(node, "integrator", NULL, NULL);
    if (def->integrator != FM_KICK_DRIFT_KICK && def->drag.model == FM_DRAG_PHYSICAL)
        fm_complain(d->loader, place, "%s.integrator: physical drag needs kick-drift-kick",
                    d->path);
    else if (def->integrator > FM_EULER && (damping || drag))
        fm_complain(d->loader, place,
                    "%s.integrator: %s remembers, which needs kick-drift-kick or euler", d->path,
                    drag ? "drag.history" : "damping");
}

void fm_check_cloth(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_cloth *cloth = object;
    check_memories(d, node, &cloth->def);
    check_integrator(d, node, &cloth->def);
    fm_check_garment(d, node, cloth);
}

// Of a fluid. `node` is the mapping `fractional`.
void fm_check_fractional(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_fractional *f = &((const fm_scene_fluid *)object)->def.fractional;
    fm_place place = fm_find_place(node, "memory", NULL, NULL);
    bool steps = f->memory.kind == FM_RECALL_STEPS;
    if (f->memory.kind == FM_RECALL_SECONDS)
        fm_complain(d->loader, place, "%s.memory: a fluid remembers steps, fading or full",
                    d->path);
    if (steps && f->memory.rule != FM_RULE_TRAPEZOID)
        fm_complain(d->loader, fm_find_place(node, "memory", "rule", NULL),
                    "%s.memory.rule: a fluid has the trapezoid only", d->path);
    if (steps && f->memory.steps > 1000)
        fm_complain(d->loader, fm_find_place(node, "memory", "steps", NULL),
                    "%s.memory.steps is %d, allowed in a fluid is at most 1000", d->path,
                    f->memory.steps);
    if (steps && f->order < 0.31 && !f->memory.unsafe)
        fm_complain(d->loader, place,
                    "%s.memory is a window, which feeds energy in at orders below 0.31; full and "
                    "fading do not (or say `unsafe: true`, for study)",
                    d->path);
}

void fm_check_probe(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_probe *probe = object;
    if (probe->at[0] >= 0 && probe->particle >= 0)
        fm_complain(d->loader, fm_find_place(node, "particle", NULL, NULL),
                    "%s has \"at\" and \"particle\": one of them is allowed", d->path);
}

void fm_check_axis(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_shape *shape = object;
    fm_vec3 a = shape->start, b = shape->end;
    if (a.x == b.x && a.y == b.y && a.z == b.z)
        fm_complain(d->loader, fm_find_place(node, "end", NULL, NULL),
                    "%s.end is where start is: its axis has no direction", d->path);
}

void fm_check_collider(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_collider *collider = object;
    if (collider->animation.kind != 0 && collider->def.shape.kind != FM_SHAPE_MESH)
        fm_complain(d->loader, fm_find_place(node, "animation", NULL, NULL),
                    "%s.animation belongs to a mesh", d->path);
}

void fm_check_turn(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_turn *turn = object;
    if (turn->amplitude != 0 && !fm_node_find(node, "period"))
        fm_complain(d->loader, fm_find_place(node, "amplitude", NULL, NULL),
                    "%s has an amplitude and needs a period", d->path);
}

void fm_check_motion(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene_motion *motion = object;
    const fm_scene_key *keys = motion->keys.data;
    if (motion->kind == FM_SCENE_COMPOSE && motion->parts.count < 1)
        fm_complain(d->loader, fm_find_place(node, "compose", NULL, NULL),
                    "%s.compose is an empty list", d->path);
    if (motion->kind != FM_SCENE_KEYFRAMES)
        return;
    if (motion->keys.count < 1)
        fm_complain(d->loader, fm_find_place(node, "keyframes", "keys", NULL),
                    "%s.keyframes.keys needs one key or more", d->path);
    for (int i = 1; i < motion->keys.count; i++) {
        if (keys[i].key.time <= keys[i - 1].key.time)
            fm_complain(
                d->loader, fm_find_place(keys[i].thing.node, "time", NULL, NULL),
                "%s.keyframes.keys[%d].time is %g, it must be later than %g of the key before",
                d->path, i, keys[i].key.time, keys[i - 1].key.time);
    }
}

static int find_motion(const fm_items *motions, const char *name)
{
    const fm_scene_motion *all = motions->data;
    for (int i = 0; i < motions->count; i++) {
        if (strcmp(all[i].thing.name, name) == 0)
            return i;
    }
    return -1;
}

// How many motions a composition is made of, itself not counted; visits[i]: 0 not seen, -1 on the
// way, else what it came to. Depth is at most the number of motions, 1024.
static int count_parts(fm_decoder *d, const fm_items *motions, int index, int *visits)
{
    enum { MOST = 1024 }; // as the library has it
    const fm_scene_motion *motion = (const fm_scene_motion *)motions->data + index;
    const fm_thing *parts = motion->parts.data;
    if (motion->kind != FM_SCENE_COMPOSE)
        return visits[index] = 1;
    visits[index] = -1;
    int count = 0;
    for (int i = 0; i < motion->parts.count; i++) {
        int part = find_motion(motions, parts[i].name);
        if (part < 0)
            continue;
        if (visits[part] == -1)
            fm_complain(d->loader, parts[i].node->place,
                        "motions.%s.compose leads back to itself through \"%s\"",
                        motion->thing.name, parts[i].name);
        else if (count <= MOST)
            count += visits[part] > 0 ? visits[part] : count_parts(d, motions, part, visits);
    }
    if (count > MOST)
        fm_complain(d->loader, motion->thing.node->key_place,
                    "motions.%s is composed of more than %d motions", motion->thing.name, MOST);
    visits[index] = count > MOST ? 1 : count + (count == 0);
    return visits[index];
}

static void check_name(fm_decoder *d, const fm_thing *one, const fm_items *others, size_t size,
                       const char *section)
{
    for (int i = 0; i < others->count; i++) {
        const fm_thing *other = (const void *)((const char *)others->data + (size_t)i * size);
        if (other != one && strcmp(one->name, other->name) == 0)
            fm_complain(d->loader, one->node->key_place,
                        "\"%s\" is also a name in %s: their files would be the same", one->name,
                        section);
    }
}

// Bodies, fluids and free colliders have files.
static void check_names(fm_decoder *d, const fm_scene *scene)
{
    const fm_scene_fluid *fluids = scene->fluids.data;
    const fm_scene_collider *colliders = scene->colliders.data;
    for (int i = 0; i < scene->fluids.count; i++)
        check_name(d, &fluids[i].thing, &scene->bodies, sizeof(fm_scene_body), "bodies");
    for (int i = 0; i < scene->colliders.count; i++) {
        if (!(colliders[i].def.mass > 0))
            continue;
        check_name(d, &colliders[i].thing, &scene->bodies, sizeof(fm_scene_body), "bodies");
        check_name(d, &colliders[i].thing, &scene->fluids, sizeof(fm_scene_fluid), "fluids");
    }
}

// What a coupling names.
static const void *find_named(const fm_items *items, size_t size, const char *name)
{
    for (int i = 0; i < items->count; i++) {
        const fm_thing *thing = (const void *)((const char *)items->data + (size_t)i * size);
        if (strcmp(thing->name, name) == 0)
            return thing;
    }
    return NULL;
}

// What two-way coupling asks for besides; `at` is where it is said, or the entry itself.
static void check_mutual(fm_decoder *d, int i, const fm_scene_coupling *coupling,
                         const fm_cloth_def *cloth, const fm_particles_def *fluid)
{
    fm_place at = fm_find_place(coupling->thing.node, "way", NULL, NULL);
    const fm_recall *memory = &cloth->damping.memory;
    if (fluid->method != FM_SPH_WEAKLY_COMPRESSIBLE)
        fm_complain(d->loader, at,
                    "coupling[%d].way is two-way, which needs fluids.%s.sph.method: "
                    "weakly-compressible; others allow one-way",
                    i, coupling->fluid);
    if (cloth->drag.model != FM_DRAG_PHYSICAL && cloth->drag.model != FM_DRAG_NONE)
        fm_complain(d->loader, at,
                    "coupling[%d].way is two-way, which needs bodies.%s.cloth.drag.model: physical "
                    "or none: the fluid itself is the drag",
                    i, coupling->body);
    if (cloth->damping.coefficient > 0 && cloth->damping.order < 1 &&
        (memory->kind == FM_RECALL_STEPS || memory->kind == FM_RECALL_SECONDS))
        fm_complain(d->loader, at,
                    "coupling[%d].way is two-way, which needs bodies.%s.cloth.damping.memory: full "
                    "or fading: substeps change with the fluid's",
                    i, coupling->body);
}

static void check_coupling(fm_decoder *d, const fm_scene *scene, int i)
{
    const fm_scene_coupling *all = scene->coupling.data, *coupling = &all[i];
    const fm_node *node = coupling->thing.node;
    const fm_scene_body *body = find_named(&scene->bodies, sizeof *body, coupling->body);
    const fm_scene_fluid *fluid = find_named(&scene->fluids, sizeof *fluid, coupling->fluid);
    if (!body || !fluid) // the decoder has seen to it
        return;
    for (int k = 0; k < i; k++) {
        if (strcmp(all[k].body, coupling->body) == 0)
            fm_complain(d->loader, fm_find_place(node, "body", NULL, NULL),
                        "coupling[%d].body is \"%s\", as in coupling[%d]: allowed is one fluid "
                        "for each body",
                        i, coupling->body, k);
    }
    if (fluid->def.dimensions != 3)
        fm_complain(d->loader, fm_find_place(node, "fluid", NULL, NULL),
                    "coupling[%d].fluid is \"%s\", which has dimensions: %d, allowed is 3: cloth "
                    "is in space",
                    i, coupling->fluid, fluid->def.dimensions);
    if (body->cloth.def.integrator != FM_KICK_DRIFT_KICK)
        fm_complain(d->loader, fm_find_place(node, "body", NULL, NULL),
                    "coupling[%d].body is \"%s\", whose integrator must be kick-drift-kick in a "
                    "fluid",
                    i, coupling->body);
    if (coupling->way == FM_COUPLING_TWO_WAY)
        check_mutual(d, i, coupling, &body->cloth.def, &fluid->def);
}

static bool is_within(double low, double high, const double limit[2])
{
    return low >= limit[0] && high <= limit[1];
}

// Blocks of fluid are in its domain, which may be the one that nobody said.
static void check_boxes(fm_decoder *d, const fm_scene_fluid *fluid)
{
    const fm_domain *in = &fluid->def.domain;
    const double x[2] = {in->low.x, in->high.x}, y[2] = {in->low.y, in->high.y},
                 z[2] = {in->low.z, in->high.z};
    const fm_scene_fluid_box *boxes = fluid->boxes.data;
    for (int i = 0; i < fluid->boxes.count; i++) {
        fm_vec3 low = boxes[i].box.low, high = boxes[i].box.high;
        bool good = is_within(low.x, high.x, x) && is_within(low.y, high.y, y) &&
                    (fluid->def.dimensions == 2 || is_within(low.z, high.z, z));
        if (!good)
            fm_complain(d->loader, fm_find_place(boxes[i].thing.node, "high", NULL, NULL),
                        "fluids.%s.sph.boxes[%d] goes from (%g, %g, %g) to (%g, %g, %g), allowed "
                        "is within `domain`: (%g, %g, %g) to (%g, %g, %g)",
                        fluid->thing.name, i, low.x, low.y, low.z, high.x, high.y, high.z, x[0],
                        y[0], z[0], x[1], y[1], z[1]);
    }
}

void fm_check_scene(fm_decoder *d, const fm_node *node, const void *object)
{
    const fm_scene *scene = object;
    if (scene->bodies.count < 1 && scene->fluids.count < 1)
        fm_complain(d->loader, fm_find_place(node, "bodies", NULL, NULL),
                    "the scene needs \"bodies\" or \"fluids\": there is nothing to simulate");
    check_names(d, scene);
    const fm_scene_fluid *fluids = scene->fluids.data;
    for (int i = 0; i < scene->fluids.count; i++)
        check_boxes(d, &fluids[i]);
    for (int i = 0; i < scene->coupling.count; i++)
        check_coupling(d, scene, i);
    if (scene->motions.count < 1)
        return;
    int *visits = fm_loader_alloc(d->loader, (size_t)scene->motions.count, sizeof *visits);
    for (int i = 0; visits && i < scene->motions.count; i++) {
        if (visits[i] == 0)
            count_parts(d, &scene->motions, i, visits);
    }
}
