// SPDX-License-Identifier: MIT
// merge.c: one tree laid over another: files over those they extend, settings over files.
//
// Mappings are merged key by key, everything else is replaced. Where one of several keys is to be
// chosen (sine or turn), a choice replaces the other.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void replace(fm_node *parent, fm_node *old, fm_node *fresh)
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

static void merge_named(const fm_table *table, fm_node *base, fm_node *over)
{
    for (fm_node *each = over->first, *next; each; each = next) {
        next = each->next;
        fm_node *old = fm_node_find(base, each->key);
        if (old && old->kind == FM_NODE_MAPPING && each->kind == FM_NODE_MAPPING)
            fm_merge(table, old, each);
        else if (old)
            replace(base, old, each);
        else
            fm_node_append(base, each);
    }
}

void fm_merge(const fm_table *table, fm_node *base, fm_node *over)
{
    for (fm_node *each = over->first, *next; each; each = next) {
        next = each->next;
        merge_child(table, fm_table_find(table, each->key), base, each);
    }
    base->place = over->place;
    base->key_place = over->key_place;
}

static void merge_child(const fm_table *table, const fm_entry *entry, fm_node *base, fm_node *fresh)
{
    if (entry && entry->choice)
        drop_other_choices(table, base, entry->key);
    fm_node *old = fm_node_find(base, fresh->key);
    bool both = old && old->kind == FM_NODE_MAPPING && fresh->kind == FM_NODE_MAPPING;
    if (!old) {
        fm_node_append(base, fresh);
    } else if (both && entry && entry->type == FM_KEY_MAPPING) {
        fm_merge(entry->table, old, fresh);
    } else if (both && entry && entry->type == FM_KEY_NAMED) {
        merge_named(entry->table, old, fresh);
        old->place = fresh->place;
        old->key_place = fresh->key_place;
    } else {
        replace(base, old, fresh);
    }
}

static char *join_path(fm_loader *loader, const char *folder, const char *file)
{
    enum { LONGEST = 4000 };
    size_t size = strlen(folder) + strlen(file) + 1;
    char *path = size < LONGEST ? fm_loader_alloc(loader, size, 1) : NULL;
    if (path)
        snprintf(path, size, "%s%s", file[0] == '/' ? "" : folder, file);
    return path;
}

static int count_extends(const fm_source *source)
{
    int count = 0;
    for (; source->wanted_by; source = source->wanted_by)
        count++;
    return count;
}

// The tree of the file that this one extends, itself extended, with this one laid over it. NULL
// when it cannot be had; the mistake is noted.
fm_node *fm_extend(fm_loader *loader, const fm_source *source, fm_node *root)
{
    fm_node *extend = fm_node_find(root, "extend");
    if (!extend)
        return root;
    if (extend->kind != FM_NODE_SCALAR || extend->text[0] == 0) {
        fm_complain(loader, extend->place, "extend must be the name of a file");
        return NULL;
    }
    if (count_extends(source) == FM_SCENE_EXTENDS_MAX) {
        fm_complain(loader, extend->place, "more than %d files extend each other",
                    FM_SCENE_EXTENDS_MAX);
        return NULL;
    }
    const char *path = join_path(loader, source->folder, extend->text);
    if (!path) {
        fm_complain(loader, extend->place, "extend: the name of the file is too long");
        return NULL;
    }
    fm_source *other = fm_source_open(loader, path, source, extend->place);
    fm_node *base = other ? fm_source_read(loader, other, other->text, other->size) : NULL;
    if (base && base->kind != FM_NODE_MAPPING) {
        fm_complain(loader, base->place, "a scene is a mapping of keys");
        return NULL;
    }
    base = base ? fm_extend(loader, other, base) : NULL;
    if (!base)
        return NULL;
    fm_node_remove(root, extend);
    fm_merge(&fm_scene_table, base, root);
    return base;
}

// Settings: PATH=VALUE, a path of keys, names and indices.
typedef struct step_context {
    fm_loader *loader;
    fm_place place;
    const char *path, *start; // as given; and where its copy, which is cut into steps, starts
    int done;                 // letters of it up to the step that is taken
} step_context;

static fm_node *add_mapping(step_context *s, fm_node *parent, const char *key)
{
    fm_node *node = fm_node_create(s->loader, FM_NODE_MAPPING, s->place);
    char *copy = fm_loader_copy(s->loader, key, strlen(key));
    if (!node || !copy)
        return NULL;
    node->key = copy;
    node->key_place = s->place;
    fm_node_append(parent, node);
    return node;
}

static void complain_of_step(const step_context *s, const fm_table *table, const char *step)
{
    char shown[64];
    int size = s->done;
    const char *nearest = fm_table_nearest(table, step);
    fm_complain(s->loader, s->place, "%.*s has no key \"%s\"%s%s%s", size ? size : 9,
                size ? s->path : "the scene", fm_text_shown(shown, step),
                nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// The name must be there already, or be the last step: a whole object may be added.
static void complain_of_name(const step_context *s, const fm_node *map, const char *step)
{
    char shown[64];
    fm_text names = {0};
    fm_node_add_names(map, &names);
    fm_complain(s->loader, s->place, "%.*s has no \"%s\"%s", s->done, s->path,
                fm_text_shown(shown, step), names.data ? names.data : "");
    free(names.data);
}

static fm_node *find_index(const step_context *s, const fm_node *list, const char *step)
{
    char *end;
    long index = strtol(step, &end, 10);
    if (*end || end == step || list->kind != FM_NODE_LIST || index < 0 || index >= list->count) {
        char shown[64];
        fm_complain(s->loader, s->place, "%.*s has no element \"%s\", it has %d, from 0", s->done,
                    s->path, fm_text_shown(shown, step),
                    list->kind == FM_NODE_LIST ? list->count : 0);
        return NULL;
    }
    fm_node *node = list->first;
    while (index-- > 0)
        node = node->next;
    return node;
}

// A mapping to go on in: what is there, or an empty one in its place.
static fm_node *open_mapping(step_context *s, const fm_table *table, fm_node *base,
                             const fm_entry *entry)
{
    if (entry->choice)
        drop_other_choices(table, base, entry->key);
    fm_node *node = fm_node_find(base, entry->key);
    if (node && node->kind == FM_NODE_SCALAR && entry->type != FM_KEY_LIST) {
        fm_node_remove(base, node); // a word that stood for it: memory: full
        node = NULL;
    }
    return node ? node : add_mapping(s, base, entry->key);
}

static void set_below(step_context *s, const fm_table *table, fm_node *base, char *path,
                      fm_node *value);

// `path` goes on inside an element of named items or of a list.
static void set_element(step_context *s, const fm_entry *entry, fm_node *items, char *path,
                        fm_node *value)
{
    char *dot = strchr(path, '.');
    if (dot)
        *dot = 0;
    bool named = entry->type == FM_KEY_NAMED;
    fm_node *element = named ? fm_node_find(items, path) : find_index(s, items, path);
    if (named && !element && dot)
        complain_of_name(s, items, path);
    else if (named && !element)
        value->key = path, fm_node_append(items, value);
    else if (element && dot && element->kind == FM_NODE_MAPPING)
        set_below(s, entry->table, element, dot + 1, value);
    else if (element && dot)
        complain_of_step(s, entry->table, dot + 1);
    else if (element && element->kind == FM_NODE_MAPPING && value->kind == FM_NODE_MAPPING)
        fm_merge(entry->table, element, value);
    else if (element)
        value->key = element->key, replace(items, element, value);
}

static void set_below(step_context *s, const fm_table *table, fm_node *base, char *path,
                      fm_node *value)
{
    char *dot = strchr(path, '.');
    if (dot)
        *dot = 0;
    const fm_entry *entry = fm_table_find(table, path);
    bool deep = entry && (entry->type == FM_KEY_MAPPING || entry->type == FM_KEY_NAMED ||
                          entry->type == FM_KEY_LIST);
    bool flat = entry && entry->type == FM_KEY_ROTATION;
    if (!entry || (table == &fm_scene_table && strcmp(path, "extend") == 0)) {
        complain_of_step(s, table, path);
        return;
    }
    if (!dot) {
        value->key = entry->key;
        merge_child(table, entry, base, value);
        return;
    }
    s->done = (int)(dot - s->start);
    if (!deep && !flat) {
        char shown[64];
        fm_complain(s->loader, s->place, "%.*s has no keys, \"%s\" cannot be set", s->done, s->path,
                    fm_text_shown(shown, dot + 1));
        return;
    }
    fm_node *node = open_mapping(s, table, base, entry);
    if (!node)
        return;
    if (entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST)
        set_element(s, entry, node, dot + 1, value);
    else
        set_below(s, flat ? &fm_rotation_table : entry->table, node, dot + 1, value);
}

void fm_apply_setting(fm_loader *loader, fm_node *root, const char *setting)
{
    enum { LONGEST = 1 << 16 };
    size_t size = strlen(setting);
    const char *equal = strchr(setting, '=');
    char *name = size < LONGEST ? fm_loader_alloc(loader, size + 7, 1) : NULL;
    if (!name) {
        fm_complain(loader, (fm_place){0}, "a setting may have at most %d letters", LONGEST);
        return;
    }
    snprintf(name, size + 7, "--set %s", setting);
    fm_source *source = fm_source_of_text(loader, name, "", "", 0);
    if (!source)
        return;
    source->text = NULL; // no lines
    step_context s = {.loader = loader, .place = {source, 0, 0}};
    if (!equal || equal == setting) {
        fm_complain(loader, s.place, "a setting is written PATH=VALUE, as world.frames=48");
        return;
    }
    char *path = fm_loader_copy(loader, setting, (size_t)(equal - setting));
    fm_node *value =
        fm_source_read(loader, source, equal + 1, size - (size_t)(equal + 1 - setting));
    if (!path || !value)
        return;
    value->key_place = s.place;
    s.start = path;
    s.path = fm_loader_copy(loader, path, strlen(path));
    if (s.path)
        set_below(&s, &fm_scene_table, root, path, value);
}
