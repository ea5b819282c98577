// SPDX-License-Identifier: MIT
// objects.c: the objects of a scene, their kinds, and the fields that the kinds offer.
#include "scene/scene.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Kind of object number `index`, of all kinds that scenes can contain; NULL after the last.
const fm_scene_kind *fm_scene_kind_at(int index)
{
    if (index < fm_body_table.count)
        return fm_body_table.entries[index].object;
    index -= fm_body_table.count;
    if (index < fm_fluid_table.count)
        return fm_fluid_table.entries[index].object;
    return index == fm_fluid_table.count ? &fm_scene_free_collider_kind : NULL;
}

// The field of that name of a kind of object; NULL: none.
const fm_field *fm_scene_kind_find_field(const fm_scene_kind *kind, const char *name)
{
    for (int i = 0; i < kind->type->field_count; i++) {
        if (strcmp(kind->type->fields[i].name, name) == 0)
            return &kind->type->fields[i];
    }
    return NULL;
}

// True when a kind of object before this one in the list of kinds has a field of that name.
static bool is_listed_before(const fm_scene_kind *kind, const char *name)
{
    for (int i = 0; fm_scene_kind_at(i) != kind; i++) {
        if (fm_scene_kind_find_field(fm_scene_kind_at(i), name))
            return true;
    }
    return false;
}

// Name number `index` of the fields of all kinds of objects, each name once; NULL after the last.
const char *fm_scene_field_name(int index)
{
    const fm_scene_kind *kind;
    for (int k = 0; (kind = fm_scene_kind_at(k)); k++) {
        for (int i = 0; i < kind->type->field_count; i++) {
            const char *name = kind->type->fields[i].name;
            if (!is_listed_before(kind, name) && index-- == 0)
                return name;
        }
    }
    return NULL;
}

// Appends name, unit and meaning of each field of each kind of object.
void fm_scene_describe_fields(fm_text *text)
{
    const fm_scene_kind *kind;
    for (int k = 0; (kind = fm_scene_kind_at(k)); k++) {
        const fm_medium_type *medium = kind->type->medium;
        fm_text_add(text, "  fields of the kind %s, with their units\n", kind->type->kind);
        for (int i = 0; i < kind->type->field_count; i++) {
            const fm_field *field = &kind->type->fields[i];
            fm_text_add(text, "    %-12s %-8s %s\n", field->name, *field->unit ? field->unit : "-",
                        field->about);
        }
        if (medium && medium->probe_fields)
            fm_text_add(text, "    at a point in space: %s\n", medium->probe_fields);
    }
}

// Fills scene->objects with colliders that have a mass, bodies and fluids.
bool fm_scene_list_objects(fm_scene *scene, fm_loader *loader)
{
    const fm_scene_collider *colliders = scene->colliders.data;
    size_t most =
        (size_t)scene->colliders.count + (size_t)scene->bodies.count + (size_t)scene->fluids.count;
    fm_scene_object *all = fm_loader_alloc(loader, most + 1, sizeof *all);
    int count = 0;
    if (!all)
        return false;
    for (int i = 0; i < scene->colliders.count; i++) {
        if (colliders[i].def.mass > 0)
            all[count++] =
                (fm_scene_object){.item = colliders[i].item, .kind = &fm_scene_free_collider_kind};
    }
    const fm_items *const sections[] = {&scene->bodies, &scene->fluids};
    for (int s = 0; s < 2; s++) {
        const fm_scene_object *objects = sections[s]->data;
        for (int i = 0; i < sections[s]->count; i++)
            all[count++] = objects[i];
    }
    scene->objects = (fm_items){all, count};
    return true;
}

// The object of that name in a scene; NULL: none.
const fm_scene_object *fm_scene_find_object(const fm_scene *scene, const char *name)
{
    const fm_scene_object *objects = scene->objects.data;
    for (int i = 0; i < scene->objects.count; i++) {
        if (strcmp(objects[i].item.name, name) == 0)
            return &objects[i];
    }
    return NULL;
}

// True when some object of the scene has a field of that name.
static bool has_object_with_field(const fm_scene *scene, const char *name)
{
    const fm_scene_object *objects = scene->objects.data;
    for (int i = 0; i < scene->objects.count; i++) {
        if (fm_scene_kind_find_field(objects[i].kind, name))
            return true;
    }
    return false;
}

// Appends the names of the fields that objects of the scene have: "velocity, stretch".
static void add_allowed_fields(const fm_scene *scene, fm_text *text)
{
    const char *name;
    for (int i = 0; (name = fm_scene_field_name(i)); i++) {
        if (has_object_with_field(scene, name))
            fm_text_add(text, "%s%s", text->size ? ", " : "", name);
    }
}

// Checks that every field named in output.fields exists in some object of the scene.
void fm_scene_check_output_fields(const fm_scene *scene, fm_loader *loader)
{
    const fm_node *output = fm_node_find(scene->root, "output");
    const fm_node *fields = output ? fm_node_find(output, "fields") : NULL;
    const fm_node *word = fields && fields->kind == FM_NODE_LIST ? fields->first : fields;
    const int *chosen = scene->fields.data;
    for (int i = 0; i < scene->fields.count && word; i++, word = word->next) {
        fm_text allowed = {0};
        if (has_object_with_field(scene, fm_scene_field_name(chosen[i])))
            continue;
        add_allowed_fields(scene, &allowed);
        fm_loader_add_mistake(
            loader, word->place,
            "output.fields has %s, which no object of the scene has; allowed are %s",
            fm_scene_field_name(chosen[i]), allowed.data ? allowed.data : "");
        free(allowed.data);
    }
}

// Number of objects in a scene: colliders with a mass, bodies and fluids.
int fm_scene_object_count(const fm_scene *scene)
{
    assert(scene);
    return scene->objects.count;
}

// Name of the object with this index; NULL if there is none.
const char *fm_scene_object_name(const fm_scene *scene, int index)
{
    assert(scene);
    const fm_scene_object *objects = scene->objects.data;
    return index >= 0 && index < scene->objects.count ? objects[index].item.name : NULL;
}

// Kind of the object with this index, as "cloth"; NULL if there is none.
const char *fm_scene_object_kind(const fm_scene *scene, int index)
{
    assert(scene);
    const fm_scene_object *objects = scene->objects.data;
    return index >= 0 && index < scene->objects.count ? objects[index].kind->type->kind : NULL;
}
