// SPDX-License-Identifier: MIT
// coupling.c: the keys of the section `coupling`, and its checks.
//
// The rules come from the library, where each kind of body and fluid lists what it does not support
// (fm_coupling_fault). Asking for them before the world is built reports all faults, with lines.
#include "scene/scene.h"

#include <math.h>
#include <string.h>

static const char *const ways[] = {"two-way", "one-way", "by-drag", NULL};

static const fm_entry coupling_entries[] = {
    {"body", FM_KEY_NAME, offsetof(fm_scene_coupling, body), .section = "bodies", .needed = true,
     .about = "name of a cloth, soft body, line or load; each can be in one fluid only"},
    {"fluid", FM_KEY_NAME, offsetof(fm_scene_coupling, fluid), .section = "fluids", .needed = true,
     .about = "name of the fluid around it; it replaces the section `medium` for this body"},
    {"way", FM_KEY_WORD, offsetof(fm_scene_coupling, way), .words = ways,
     .about = "two-way: body and fluid push each other, and no fluid passes through the body; "
              "one-way: the fluid drags the body, and the body does not act on the fluid; by-drag: "
              "the fluid drags the body, and the opposite force acts on the fluid around it; lines "
              "and loads do this with two-way, too"},
    {"resistance", FM_KEY_NUMBER, offsetof(fm_scene_coupling, resistance), "Pa s/m",
     .range = WITHIN(0, 1e12),
     .about =
         "of the cloth in a grid fluid: pressure difference per speed of the fluid that passes "
         "through; 0: it passes freely"},
    {"quadratic", FM_KEY_NUMBER, offsetof(fm_scene_coupling, quadratic), "Pa s^2/m^2",
     .range = WITHIN(0, 1e12),
     .about = "the same per square of the speed, in addition; needs `resistance`"},
    {"follow", FM_KEY_BOOLEAN, offsetof(fm_scene_coupling, follow),
     .about = "the box of a grid fluid moves with the body, by whole cells, along the axes whose "
              "two sides are open or inflows; the side ahead should be an inflow of still fluid"},
};

// Nothing passes through the cloth.
static void set_coupling_defaults(void *object)
{
    ((fm_scene_coupling *)object)->resistance = fm_default_coupling_def().resistance;
}

const fm_table fm_coupling_table = {
    .name = "coupling",
    .about = "Puts a body into a fluid. `docs/coupling.md` and `docs/flow.md` explain the method.",
    .size = sizeof(fm_scene_coupling),
    .entries = coupling_entries,
    .count = COUNT(coupling_entries),
    .set_defaults = set_coupling_defaults,
};

// Checks the permeability of the body of coupling i.
static void check_permeability(fm_decoder *d, int i, const fm_scene_coupling *coupling,
                               const fm_scene_object *body, const fm_scene_object *fluid)
{
    const fm_node *node = coupling->item.node;
    bool permeable = coupling->resistance < INFINITY;
    if (coupling->quadratic > 0 && !permeable)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "quadratic", NULL, NULL),
                              "coupling[%d].quadratic is %g, allowed is 0 without `resistance`: "
                              "nothing passes then",
                              i, coupling->quadratic);
    if (permeable && (coupling->way != FM_COUPLING_TWO_WAY || body->kind->type->body->thin ||
                      !fluid->kind->type->medium->permeates))
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "resistance", NULL, NULL),
                              "coupling[%d].resistance is %g, allowed with `way: two-way` of a "
                              "surface in a grid fluid only",
                              i, coupling->resistance);
}

// Checks that the fluid of coupling i can follow its body, and follows no other one.
static void check_follow(fm_decoder *d, int i, const fm_scene_coupling *all,
                         const fm_scene_object *fluid)
{
    fm_place place = fm_node_find_place(all[i].item.node, "follow", NULL, NULL);
    if (!all[i].follow)
        return;
    if (!fluid->kind->type->medium->follows)
        fm_loader_add_mistake(d->loader, place,
                              "coupling[%d].follow is true, allowed for a grid fluid only", i);
    for (int k = 0; k < i; k++)
        if (all[k].follow && strcmp(all[k].fluid, all[i].fluid) == 0)
            fm_loader_add_mistake(d->loader, place,
                                  "coupling[%d].follow is true, as in coupling[%d]: a fluid can "
                                  "follow one body only",
                                  i, k);
}

// Records what the object, the body or the fluid of coupling i, does not support. `key` is "body"
// or "fluid".
static void check_partner(fm_decoder *d, int i, const fm_scene_coupling *coupling, const char *key,
                          const fm_scene_object *object)
{
    fm_coupling_fault faults[FM_COUPLING_FAULTS_MAX];
    const fm_node *node = coupling->item.node;
    const fm_scene_kind *kind = object->kind;
    const char *name = object->item.name;
    int count =
        kind->find_coupling_faults
            ? kind->find_coupling_faults(object->def, (fm_coupling_way)coupling->way, faults)
            : 0;
    for (int k = 0; k < count; k++) {
        const fm_node *given = fm_node_find(object->item.node, kind->key);
        given = given ? fm_node_find(given, faults[k].field) : NULL;
        bool written = given && given->kind == FM_NODE_SCALAR;
        if (faults[k].two_way && !faults[k].field[0])
            fm_loader_add_mistake(d->loader, fm_node_find_place(node, "way", NULL, NULL),
                                  "coupling[%d].way is two-way, allowed with %s.%s.%s is %s", i,
                                  kind->section, name, kind->key, faults[k].allowed);
        else if (faults[k].two_way)
            fm_loader_add_mistake(d->loader, fm_node_find_place(node, "way", NULL, NULL),
                                  "coupling[%d].way is two-way, which needs %s.%s.%s.%s: %s", i,
                                  kind->section, name, kind->key, faults[k].field,
                                  faults[k].allowed);
        else
            fm_loader_add_mistake(d->loader, fm_node_find_place(node, key, NULL, NULL),
                                  "coupling[%d].%s is \"%s\", which has %s: %s, allowed is %s", i,
                                  key, name, faults[k].field,
                                  written ? given->text : faults[k].value, faults[k].allowed);
    }
}

// The body or fluid of that name in `items`, an array of fm_scene_object; NULL: none.
static const fm_scene_object *find_object(const fm_items *items, const char *name)
{
    const fm_scene_object *objects = items->data;
    for (int i = 0; i < items->count; i++) {
        if (strcmp(objects[i].item.name, name) == 0)
            return &objects[i];
    }
    return NULL;
}

// Checks element i of the section `coupling`.
static void check_coupling(fm_decoder *d, const fm_scene *scene, int i)
{
    const fm_scene_coupling *all = scene->coupling.data, *coupling = &all[i];
    const fm_node *node = coupling->item.node;
    const fm_scene_object *body = find_object(&scene->bodies, coupling->body);
    const fm_scene_object *fluid = find_object(&scene->fluids, coupling->fluid);
    if (!body || !fluid) // the decoder has reported it
        return;
    for (int k = 0; k < i; k++) {
        if (strcmp(all[k].body, coupling->body) == 0)
            fm_loader_add_mistake(
                d->loader, fm_node_find_place(node, "body", NULL, NULL),
                "coupling[%d].body is \"%s\", as in coupling[%d]: allowed is one fluid "
                "for each body",
                i, coupling->body, k);
    }
    if (!body->kind->type->body->sample)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "body", NULL, NULL),
                              "coupling[%d].body is \"%s\": %s cannot be coupled to a fluid", i,
                              coupling->body, body->kind->key);
    if (!fluid->kind->type->medium->attach)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "fluid", NULL, NULL),
                              "coupling[%d].fluid is \"%s\": no body can be coupled to %s", i,
                              coupling->fluid, fluid->kind->key);
    if (fm_coupling_is_by_drag(body->kind->type, (fm_coupling_way)coupling->way) &&
        !fluid->kind->type->medium->takes_drag)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "way", NULL, NULL),
                              "coupling[%d].way is %s, allowed for this body in a grid fluid or "
                              "its liquid only",
                              i, ways[coupling->way]);
    check_permeability(d, i, coupling, body, fluid);
    check_follow(d, i, all, fluid);
    check_partner(d, i, coupling, "fluid", fluid);
    check_partner(d, i, coupling, "body", body);
}

// Checks the section `coupling` against the bodies and fluids that it names.
void fm_scene_check_couplings(fm_decoder *d, const fm_scene *scene)
{
    for (int i = 0; i < scene->coupling.count; i++)
        check_coupling(d, scene, i);
}
