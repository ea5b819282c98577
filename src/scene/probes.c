// SPDX-License-Identifier: MIT
// probes.c: probes read a field of an object at a point of a body, at a point in a medium, or as
// the mean over the whole object.
#include "scene/scene.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// True when a list of words, separated by blanks, contains the word.
static bool has_word(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *p = words; *p; p += strcspn(p, " "), p += *p == ' ') {
        if (strcspn(p, " ") == size && memcmp(p, word, size) == 0)
            return true;
    }
    return false;
}

// True when the probe can read the field `name`; at a point in space a medium offers fewer fields.
static bool can_read(const fm_scene_probe *probe, const fm_scene_kind *kind, const char *name)
{
    return fm_scene_kind_find_field(kind, name) &&
           (probe->at.count != 3 || has_word(kind->type->medium->probe_fields, name));
}

// The name of field number `index` of the probe. Without the key `measure` a probe reads the
// position or, at a point in space, the first field that the medium offers there.
static const char *measured_field(const fm_scene_probe *probe, const fm_scene_kind *kind, int index)
{
    const fm_object_type *type = kind->type;
    if (probe->at.count != 3 || fm_node_find(probe->item.node, "measure"))
        return fm_scene_field_name(((const int *)probe->measures.data)[index]);
    const char *first = type->medium->probe_fields;
    int i = 0;
    while (strncmp(first, type->fields[i].name, strcspn(first, " ")) != 0)
        i++;
    return type->fields[i].name;
}

// Checks that the probed object has every field that the key `measure` names.
static void check_fields(const fm_scene_probe *probe, const fm_scene_kind *kind, fm_loader *loader)
{
    const fm_node *node = fm_node_find(probe->item.node, "measure");
    const fm_node *word = node && node->kind == FM_NODE_LIST ? node->first : node;
    for (int m = 0; m < probe->measures.count && word; m++, word = word->next) {
        const char *name = measured_field(probe, kind, m), *other;
        fm_text allowed = {0};
        for (int i = 0; (other = fm_scene_field_name(i)); i++) {
            if (can_read(probe, kind, other))
                fm_text_add(&allowed, "%s%s", allowed.size ? ", " : "", other);
        }
        if (!can_read(probe, kind, name))
            fm_loader_add_mistake(
                loader, word->place,
                "probes.%s.measure has %s, which \"%s\" does not have%s; allowed are %s",
                probe->item.name, name, probe->object,
                probe->at.count == 3 ? " at a point in space" : "",
                allowed.data ? allowed.data : "");
        free(allowed.data);
    }
}

// Records a mistake in a key of a probe. why, kind: the two parts of the message.
static void add_probe_mistake(const fm_scene_probe *probe, const char *key, const char *why,
                              const char *kind, fm_loader *loader)
{
    fm_loader_add_mistake(loader, fm_node_find_place(probe->item.node, key, NULL, NULL),
                          "probes.%s.%s %s%s", probe->item.name, key, why, kind);
}

// Checks the key `at`. False: the object cannot be probed there.
static bool check_at(const fm_scene_probe *probe, const fm_scene_object *object, fm_loader *loader)
{
    const fm_scene_kind *kind = object->kind;
    const fm_medium_type *medium = kind->type->medium;
    bool in_space = medium && medium->probe_fields, on_body = kind->weigh_points;
    int count = probe->at.count;
    const char *why = count == 2 && kind->refuse_uv ? kind->refuse_uv(object->def) : NULL;
    if (count == 0 || (count == 3 && in_space) || (count == 2 && on_body && !why))
        return true;
    if (why)
        add_probe_mistake(probe, "at", why, "", loader);
    else if (in_space)
        add_probe_mistake(probe, "at", "is [u, v], allowed is [x, y, z] for the kind ",
                          kind->type->kind, loader);
    else if (on_body)
        add_probe_mistake(probe, "at", "is [x, y, z], allowed is [u, v] for the kind ",
                          kind->type->kind, loader);
    else
        add_probe_mistake(probe, "at",
                          "is not allowed, only the whole object can be probed, for the kind ",
                          kind->type->kind, loader);
    return false;
}

// Checks the key `particle`: the number of a particle must be below their count.
static bool check_particle(const fm_scene_probe *probe, const fm_scene_object *object,
                           fm_loader *loader)
{
    const fm_scene_kind *kind = object->kind;
    int count = kind->count_points ? kind->count_points(object->def) : 0;
    if (probe->particle < count)
        return true;
    if (!kind->count_points)
        add_probe_mistake(probe, "particle",
                          "is not allowed, only the whole object can be probed, for the kind ",
                          kind->type->kind, loader);
    else
        fm_loader_add_mistake(loader, fm_node_find_place(probe->item.node, "particle", NULL, NULL),
                              "probes.%s.particle is %d, allowed is 0 to %d", probe->item.name,
                              probe->particle, count - 1);
    return false;
}

// Checks the place and the fields of each probe against the object that it names.
void fm_scene_check_probe_targets(const fm_scene *scene, fm_loader *loader)
{
    const fm_scene_probe *probes = scene->probes.data;
    for (int i = 0; i < scene->probes.count; i++) {
        const fm_scene_object *object = fm_scene_find_object(scene, probes[i].object);
        if (!object)
            fm_loader_add_mistake(
                loader, fm_node_find_place(probes[i].item.node, "object", NULL, NULL),
                "probes.%s.object is \"%s\", a collider without a mass; allowed are "
                "bodies, fluids and colliders with a mass",
                probes[i].item.name, probes[i].object);
        else if (check_at(&probes[i], object, loader) && check_particle(&probes[i], object, loader))
            check_fields(&probes[i], object->kind, loader);
    }
}

// Appends the columns of probes.csv for one field of a probe: "tip.x" for a position,
// "tip.velocity.x" for other vectors, "tip.stretch" for scalars.
static void add_columns(fm_scene *scene, fm_loader *loader, const fm_scene_probe *probe,
                        const fm_field *field)
{
    static const char *const axes[] = {".x", ".y", ".z"};
    bool position = strcmp(field->name, "position") == 0;
    for (int i = 0; i < field->components; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s%s%s", probe->item.name, position ? "" : ".",
                 position ? "" : field->name, field->components == 3 ? axes[i] : "");
        if (scene->columns)
            scene->columns[scene->column_count] = fm_loader_copy_text(loader, name, strlen(name));
        scene->column_count++;
    }
}

// Counts the columns and, once scene->columns is allocated, writes their names.
static void list_columns(fm_scene *scene, fm_loader *loader)
{
    const fm_scene_probe *probes = scene->probes.data;
    scene->column_count = 0;
    for (int i = 0; i < scene->probes.count; i++) {
        const fm_scene_kind *kind = fm_scene_find_object(scene, probes[i].object)->kind;
        for (int m = 0; m < probes[i].measures.count; m++)
            add_columns(scene, loader, &probes[i],
                        fm_scene_kind_find_field(kind, measured_field(&probes[i], kind, m)));
    }
}

// Fills scene->columns with the names of the columns of probes.csv.
void fm_scene_name_probe_columns(fm_scene *scene, fm_loader *loader)
{
    list_columns(scene, loader); // counts only
    size_t count = (size_t)scene->column_count + 1;
    scene->columns = fm_loader_alloc(loader, count, sizeof *scene->columns);
    list_columns(scene, loader);
}

// Number of columns of probes.csv.
int fm_scene_probe_column_count(const fm_scene *scene)
{
    assert(scene);
    return scene->column_count;
}

// Name of the column with this index; NULL if there is none.
const char *fm_scene_probe_column(const fm_scene *scene, int index)
{
    assert(scene);
    return index >= 0 && index < scene->column_count ? scene->columns[index] : NULL;
}

// Computes the weights of the object's points: the value of a probe is a weighted sum over them.
static void compute_weights(const fm_scene_probe *probe, const fm_scene_kind *kind,
                            fm_object *object, int count, double *weights, fm_error *err)
{
    bool whole = probe->at.count == 0 && probe->particle < 0;
    for (int i = 0; i < count; i++)
        weights[i] = whole && !kind->weigh_points ? 1.0 / count : 0;
    if (probe->particle >= 0)
        weights[probe->particle] = 1;
    else if (kind->weigh_points)
        kind->weigh_points(object, whole ? NULL : probe->at.at, weights, err);
}

// Writes the weighted sums of the probe's fields to `values`. scratch: 4 * count doubles.
static void read_points(const fm_scene_probe *probe, const fm_scene_kind *kind, fm_object *object,
                        int count, double *scratch, double *values, fm_error *err)
{
    double *weights = scratch, *read = scratch + count;
    compute_weights(probe, kind, object, count, weights, err);
    for (int m = 0; m < probe->measures.count && err->status == FM_OK; m++) {
        const fm_field *field = fm_scene_kind_find_field(kind, measured_field(probe, kind, m));
        if (!fm_object_read_field(object, field->name, read, err))
            return;
        for (int k = 0; k < field->components; k++) {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                if (weights[i] != 0)
                    sum += weights[i] * read[field->components * i + k];
            }
            *values++ = sum;
        }
    }
}

// Reads the fields of a probe at a point inside a fluid.
static void read_point_in_space(const fm_scene_probe *probe, const fm_scene_kind *kind,
                                fm_object *object, double *values, fm_error *err)
{
    fm_vec3 at = {probe->at.at[0], probe->at.at[1], probe->at.at[2]};
    for (int m = 0; m < probe->measures.count; m++) {
        double found[3] = {0};
        const fm_field *field = fm_scene_kind_find_field(kind, measured_field(probe, kind, m));
        fm_object_probe(object, field->name, at, found, err);
        for (int k = 0; k < field->components; k++)
            *values++ = found[k];
    }
}

// Reads the fields of one probe into `values`, one number per column.
static void read_probe(const fm_scene_probe *probe, const fm_scene_kind *kind, fm_object *object,
                       double *values, fm_error *err)
{
    fm_mesh_view view;
    if (probe->at.count == 3) {
        read_point_in_space(probe, kind, object, values, err);
        return;
    }
    if (!fm_object_mesh(object, &view, err))
        return;
    size_t size = (4 * (size_t)view.point_count + 1) * sizeof(double);
    double *scratch = malloc(size);
    if (scratch)
        read_points(probe, kind, object, view.point_count, scratch, values, err);
    else
        fm_fail_no_memory(err, "scene", size);
    free(scratch);
}

// Number of columns of one probe.
static int count_columns(const fm_scene_probe *probe, const fm_scene_kind *kind)
{
    int count = 0;
    for (int m = 0; m < probe->measures.count; m++)
        count += fm_scene_kind_find_field(kind, measured_field(probe, kind, m))->components;
    return count;
}

// Reads all probes of a scene into `values`, one number per column of probes.csv.
bool fm_scene_read_probes(const fm_scene *scene, fm_world *world, double *values, fm_error *err)
{
    assert(err->status != FM_OK || (scene && world));
    if (err->status != FM_OK)
        return false;
    const fm_scene_probe *probes = scene->probes.data;
    for (int i = 0; i < scene->probes.count && err->status == FM_OK; i++) {
        const fm_scene_kind *kind = fm_scene_find_object(scene, probes[i].object)->kind;
        fm_object *object = fm_world_find_object(world, probes[i].object);
        if (!object || strcmp(fm_object_kind(object), kind->type->kind) != 0)
            return fm_fail(err, FM_BAD_VALUE, "scene", "probe", probes[i].item.name,
                           "a world built from this scene");
        read_probe(&probes[i], kind, object, values, err);
        values += count_columns(&probes[i], kind);
    }
    return err->status == FM_OK;
}
