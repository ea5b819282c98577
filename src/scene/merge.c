// SPDX-License-Identifier: MIT
// merge.c: merges trees of nodes: a file over the file it extends, and settings over the file.
//
// Mappings are merged key by key; lists and single values are replaced. Of keys that exclude each
// other, as `sine` and `turn`, the new one replaces the old one.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Puts the node `fresh` in the place of `old` among the children of a mapping or list.
static void replace_child(fm_node *parent, fm_node *old, fm_node *fresh)
{
    fm_node *before = NULL;
    for (fm_node *each = parent->first; each != old; each = each->next)
        before = each;
    fresh->next = old->next;
    if (before)
        before->next = fresh;
    else
        parent->first = fresh;
    if (parent->last == old)
        parent->last = fresh;
}

// Removes the keys of the table that exclude the key `chosen`.
static void drop_other_choices(const fm_table *table, fm_node *base, const char *chosen)
{
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        fm_node *other = entry->choice && strcmp(entry->key, chosen) != 0
                             ? fm_node_find(base, entry->key)
                             : NULL;
        if (other)
            fm_node_remove(base, other);
    }
}

static void merge_child(const fm_table *table, const fm_entry *entry, fm_node *base,
                        fm_node *fresh);

// Merges a mapping of named objects, as `bodies`: objects of the same name are merged, others
// added. table: the keys of one object.
static void merge_named(const fm_table *table, fm_node *base, fm_node *over)
{
    for (fm_node *each = over->first, *next; each; each = next) {
        next = each->next;
        fm_node *old = fm_node_find(base, each->key);
        if (old && old->kind == FM_NODE_MAPPING && each->kind == FM_NODE_MAPPING)
            fm_node_merge(table, old, each);
        else if (old)
            replace_child(base, old, each);
        else
            fm_node_append(base, each);
    }
}

// Merges the tree `over` into the tree `base`; where both have a value, that of `over` wins. table:
// the keys of both.
void fm_node_merge(const fm_table *table, fm_node *base, fm_node *over)
{
    for (fm_node *each = over->first, *next; each; each = next) {
        next = each->next;
        merge_child(table, fm_table_find(table, each->key), base, each);
    }
    base->place = over->place;
    base->key_place = over->key_place;
}

// Merges the value `fresh` of one key into the mapping `base`. entry: the key in the table; NULL:
// an unknown key.
static void merge_child(const fm_table *table, const fm_entry *entry, fm_node *base, fm_node *fresh)
{
    if (entry && entry->choice)
        drop_other_choices(table, base, entry->key);
    fm_node *old = fm_node_find(base, fresh->key);
    bool both = old && old->kind == FM_NODE_MAPPING && fresh->kind == FM_NODE_MAPPING;
    if (!old) {
        fm_node_append(base, fresh);
    } else if (both && entry && entry->type == FM_KEY_MAPPING) {
        fm_node_merge(entry->table, old, fresh);
    } else if (both && entry && entry->type == FM_KEY_NAMED) {
        merge_named(entry->table, old, fresh);
        old->place = fresh->place;
        old->key_place = fresh->key_place;
    } else {
        replace_child(base, old, fresh);
    }
}

// The path of a file relative to a folder; NULL: too long, or out of memory.
static char *join_path(fm_loader *loader, const char *folder, const char *file)
{
    enum { LONGEST = 4000 }; // bytes of a path
    size_t size = strlen(folder) + strlen(file) + 1;
    char *path = size < LONGEST ? fm_loader_alloc(loader, size, 1) : NULL;
    if (path)
        snprintf(path, size, "%s%s", file[0] == '/' ? "" : folder, file);
    return path;
}

// The length of the chain of files that led to this one by `extend`.
static int count_extends(const fm_source *source)
{
    int count = 0;
    for (; source->extended_by; source = source->extended_by)
        count++;
    return count;
}

// Merges a scene over the file that its key `extend` names. That file may extend another one, over
// which it is merged first.
fm_node *fm_scene_merge_extended(fm_loader *loader, const fm_source *source, fm_node *root)
{
    fm_node *extend = fm_node_find(root, "extend");
    if (!extend)
        return root;
    if (extend->kind != FM_NODE_SCALAR || extend->text[0] == 0) {
        fm_loader_add_mistake(loader, extend->place, "extend must be the name of a file");
        return NULL;
    }
    if (count_extends(source) == FM_SCENE_EXTENDS_MAX) {
        fm_loader_add_mistake(loader, extend->place, "more than %d files extend one another",
                              FM_SCENE_EXTENDS_MAX);
        return NULL;
    }
    const char *path = join_path(loader, source->folder, extend->text);
    if (!path) {
        fm_loader_add_mistake(loader, extend->place, "extend: the name of the file is too long");
        return NULL;
    }
    fm_source *other = fm_source_read_file(loader, path, source, extend->place);
    fm_node *base = other ? fm_source_parse(loader, other, other->text, other->size) : NULL;
    if (base && base->kind != FM_NODE_MAPPING) {
        fm_loader_add_mistake(loader, base->place, "a scene must be a mapping of keys");
        return NULL;
    }
    base = base ? fm_scene_merge_extended(loader, other, base) : NULL;
    if (!base)
        return NULL;
    fm_node_remove(root, extend);
    fm_node_merge(&fm_scene_table, base, root);
    return base;
}

// State while the path of a setting PATH=VALUE is followed. A path consists of steps: keys, names
// and list indices, separated by dots.
typedef struct step_context {
    fm_loader *loader;
    fm_place place;    // place of the setting, for messages
    const char *path;  // the path, for messages
    const char *start; // a copy of it, in which the dots become zero bytes
    int done;          // characters of the path before the current step
} step_context;

// Appends an empty mapping under `key` to a node.
static fm_node *add_mapping(step_context *s, fm_node *parent, const char *key)
{
    fm_node *node = fm_node_create(s->loader, FM_NODE_MAPPING, s->place);
    char *copy = fm_loader_copy_text(s->loader, key, strlen(key));
    if (!node || !copy)
        return NULL;
    node->key = copy;
    node->key_place = s->place;
    fm_node_append(parent, node);
    return node;
}

// Records that a step (part between two dots) of a setting's path is no key of the table.
static void report_unknown_step(const step_context *s, const fm_table *table, const char *step)
{
    char shown[64];
    static const char whole[] = "the scene";
    int size = s->done; // characters of the path before this step
    const char *nearest = fm_table_find_nearest(table, step);
    fm_loader_add_mistake(s->loader, s->place, "%.*s has no key \"%s\"%s%s%s",
                          size ? size : (int)sizeof whole - 1, size ? s->path : whole,
                          fm_text_shorten(shown, step), nearest ? "; did you mean \"" : "",
                          nearest ? nearest : "", nearest ? "\"?" : "");
}

// Records that a step of a setting's path names an object that does not exist in `map`. A setting
// may add a whole named object, but not a single key of an object that does not exist.
static void report_unknown_name(const step_context *s, const fm_node *map, const char *step)
{
    char shown[64];
    fm_text names = {0};
    fm_node_add_names(map, &names);
    fm_loader_add_mistake(s->loader, s->place, "%.*s has no \"%s\"%s", s->done, s->path,
                          fm_text_shorten(shown, step), names.data ? names.data : "");
    free(names.data);
}

// The element of a list whose index is a step of a setting's path, as the 0 in "pins.0.release".
static fm_node *find_list_element(const step_context *s, const fm_node *list, const char *step)
{
    char *end;
    long index = strtol(step, &end, 10);
    if (*end || end == step || list->kind != FM_NODE_LIST || index < 0 || index >= list->count) {
        char shown[64];
        fm_loader_add_mistake(s->loader, s->place,
                              "%.*s has no element \"%s\"; it has %d elements, counted from 0",
                              s->done, s->path, fm_text_shorten(shown, step),
                              list->kind == FM_NODE_LIST ? list->count : 0);
        return NULL;
    }
    fm_node *node = list->first;
    while (index-- > 0)
        node = node->next;
    return node;
}

// The mapping under a key, created empty when it is missing or is a word such as `full`.
static fm_node *find_or_add_mapping(step_context *s, const fm_table *table, fm_node *base,
                                    const fm_entry *entry)
{
    if (entry->choice)
        drop_other_choices(table, base, entry->key);
    fm_node *node = fm_node_find(base, entry->key);
    if (node && node->kind == FM_NODE_SCALAR && entry->type != FM_KEY_LIST) {
        fm_node_remove(base, node); // a word in place of a mapping, as in memory: full
        node = NULL;
    }
    return node ? node : add_mapping(s, base, entry->key);
}

static void set_value(step_context *s, const fm_table *table, fm_node *base, char *path,
                      fm_node *value);

// Sets the value at `path`, whose first step selects an element of named items or of a list.
static void set_element(step_context *s, const fm_entry *entry, fm_node *items, char *path,
                        fm_node *value)
{
    char *dot = strchr(path, '.');
    if (dot)
        *dot = 0;
    bool named = entry->type == FM_KEY_NAMED;
    fm_node *element = named ? fm_node_find(items, path) : find_list_element(s, items, path);
    if (named && !element && dot)
        report_unknown_name(s, items, path);
    else if (named && !element)
        value->key = path, fm_node_append(items, value);
    else if (element && dot && element->kind == FM_NODE_MAPPING)
        set_value(s, entry->table, element, dot + 1, value);
    else if (element && dot)
        report_unknown_step(s, entry->table, dot + 1);
    else if (element && element->kind == FM_NODE_MAPPING && value->kind == FM_NODE_MAPPING)
        fm_node_merge(entry->table, element, value);
    else if (element)
        value->key = element->key, replace_child(items, element, value);
}

// Sets the value at `path` below the mapping `base`, which has the keys of `table`.
static void set_value(step_context *s, const fm_table *table, fm_node *base, char *path,
                      fm_node *value)
{
    char *dot = strchr(path, '.');
    if (dot)
        *dot = 0;
    const fm_entry *entry = fm_table_find(table, path);
    bool has_keys = entry && (entry->type == FM_KEY_MAPPING || entry->type == FM_KEY_NAMED ||
                              entry->type == FM_KEY_LIST);
    bool rotation = entry && entry->type == FM_KEY_ROTATION;
    if (!entry || (table == &fm_scene_table && strcmp(path, "extend") == 0)) {
        report_unknown_step(s, table, path);
        return;
    }
    if (!dot) {
        value->key = entry->key;
        merge_child(table, entry, base, value);
        return;
    }
    s->done = (int)(dot - s->start);
    if (!has_keys && !rotation) {
        char shown[64];
        fm_loader_add_mistake(s->loader, s->place, "%.*s has no keys, \"%s\" cannot be set",
                              s->done, s->path, fm_text_shorten(shown, dot + 1));
        return;
    }
    fm_node *node = find_or_add_mapping(s, table, base, entry);
    if (!node)
        return;
    if (entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST)
        set_element(s, entry, node, dot + 1, value);
    else
        set_value(s, rotation ? &fm_rotation_table : entry->table, node, dot + 1, value);
}

// Changes one value of the tree as a setting "PATH=VALUE" says.
void fm_scene_apply_setting(fm_loader *loader, fm_node *root, const char *setting)
{
    enum { LONGEST = 1 << 16, PREFIX_SIZE = 7 }; // bytes; PREFIX_SIZE: of "--set " and a zero byte
    size_t size = strlen(setting);
    const char *equal = strchr(setting, '=');
    char *name = size < LONGEST ? fm_loader_alloc(loader, size + PREFIX_SIZE, 1) : NULL;
    if (!name) {
        fm_loader_add_mistake(loader, (fm_place){0}, "a setting may have at most %d characters",
                              LONGEST);
        return;
    }
    snprintf(name, size + PREFIX_SIZE, "--set %s", setting);
    fm_source *source = fm_source_create_from_text(loader, name, "", "", 0);
    if (!source)
        return;
    source->text = NULL; // a setting has no lines
    step_context s = {.loader = loader, .place = {source, 0, 0}};
    if (!equal || equal == setting) {
        fm_loader_add_mistake(loader, s.place,
                              "a setting must be PATH=VALUE, for example world.frames=48");
        return;
    }
    char *path = fm_loader_copy_text(loader, setting, (size_t)(equal - setting));
    fm_node *value =
        fm_source_parse(loader, source, equal + 1, size - (size_t)(equal + 1 - setting));
    if (!path || !value)
        return;
    value->key_place = s.place;
    s.start = path;
    s.path = fm_loader_copy_text(loader, path, strlen(path));
    if (s.path)
        set_value(&s, &fm_scene_table, root, path, value);
}
