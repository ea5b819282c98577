// SPDX-License-Identifier: MIT
// decode.c: a tree and the tables into a scene. Goes on after a mistake, to find the others.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t fm_decoder_enter(fm_decoder *d, const char *key, int index)
{
    size_t length = strlen(d->path);
    char shown[64];
    if (key)
        snprintf(d->path + length, sizeof d->path - length, "%s%s", length ? "." : "",
                 fm_text_shown(shown, key));
    else
        snprintf(d->path + length, sizeof d->path - length, "[%d]", index);
    return length;
}

void fm_decoder_leave(fm_decoder *d, size_t length)
{
    d->path[length] = 0;
}

static const char *shown_path(const fm_decoder *d)
{
    return d->path[0] ? d->path : "the scene";
}

static void complain_of_key(fm_decoder *d, const fm_table *table, const fm_node *node)
{
    enum { SHORT = 12 }; // so many keys are worth listing
    char shown[64];
    const char *nearest = fm_table_nearest(table, node->key);
    fm_text text = {0};
    if (nearest)
        fm_text_add(&text, "; did you mean \"%s\"?", nearest);
    if (table->count <= SHORT) {
        fm_text_add(&text, "%s", nearest ? " Allowed are " : "; allowed are ");
        for (int i = 0; i < table->count; i++)
            fm_text_add(&text, "%s%s", i ? ", " : "", table->entries[i].key);
    } else if (!nearest) {
        fm_text_add(&text, "; `fathom describe` lists them");
    }
    fm_complain(d->loader, node->key_place, "%s has no key \"%s\"%s", shown_path(d),
                fm_text_shown(shown, node->key), text.data ? text.data : "");
    free(text.data);
}

// The choices of a table that are given: the kind, and at most one.
static void decode_choice(fm_decoder *d, const fm_table *table, const fm_node *node, void *object)
{
    fm_text text = {0};
    fm_table_add_choices(&text, table);
    const char *choices = text.data ? text.data : "";
    const fm_node *chosen = NULL;
    for (const fm_node *each = node->first; each; each = each->next) {
        const fm_entry *entry = fm_table_find(table, each->key);
        if (!entry || !entry->choice)
            continue;
        if (chosen)
            fm_complain(d->loader, each->key_place,
                        "%s has \"%s\" and \"%s\": one of %s is allowed", shown_path(d),
                        chosen->key, each->key, choices);
        else
            memcpy((char *)object + table->kind_offset, &entry->kind, sizeof entry->kind);
        chosen = each;
    }
    if (!chosen)
        fm_complain(d->loader, node->key_place, "%s needs one of %s", shown_path(d), choices);
    free(text.data);
}

static void check_user_name(fm_decoder *d, const fm_node *node)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char shown[64];
    const char *name = node->key;
    bool good = name[0] && strchr(letters, name[0]);
    for (const char *p = name; *p && good; p++)
        good = strchr(letters, *p) || *p == '-' || *p == '_';
    if (!good)
        fm_complain(
            d->loader, node->key_place,
            "\"%s\" is no name: letters, digits, - and _ are allowed, a letter or digit first",
            fm_text_shown(shown, name));
    else if (strlen(name) > FM_SCENE_NAME_MAX)
        fm_complain(d->loader, node->key_place, "the name \"%s\" is too long, at most %d letters",
                    fm_text_shown(shown, name), FM_SCENE_NAME_MAX);
}

static bool is_kind(fm_decoder *d, const fm_node *node, fm_node_kind kind, const char *needed)
{
    if (node->kind == kind)
        return true;
    char shown[64];
    if (node->kind == FM_NODE_SCALAR && !fm_node_is_empty(node))
        fm_complain(d->loader, node->place, "%s is \"%s\", it must be %s", shown_path(d),
                    fm_text_shown(shown, node->text), needed);
    else
        fm_complain(d->loader, node->place, "%s is %s, it must be %s", shown_path(d),
                    fm_node_kind_text(node), needed);
    return false;
}

// Named maps and lists of mappings. Nothing behind the key is none of them.
static void decode_items(fm_decoder *d, const fm_entry *entry, const fm_node *node, fm_items *items)
{
    bool named = entry->type == FM_KEY_NAMED;
    if (fm_node_is_empty(node) || !is_kind(d, node, named ? FM_NODE_MAPPING : FM_NODE_LIST,
                                           named ? "a mapping of names" : "a list"))
        return;
    double most = fm_range_high(entry);
    if (node->count > most) {
        fm_complain(d->loader, node->place, "%s has %d entries, at most %g are allowed", d->path,
                    node->count, most);
        return;
    }
    const fm_table *table = entry->table;
    char *data = fm_loader_alloc(d->loader, (size_t)node->count + 1, table->size);
    if (!data)
        return;
    *items = (fm_items){data, node->count};
    int i = 0;
    for (const fm_node *each = node->first; each; each = each->next, i++) {
        char *object = data + (size_t)i * table->size;
        if (table->set_defaults)
            table->set_defaults(object);
        *(fm_thing *)(void *)object = (fm_thing){named ? each->key : NULL, each};
        if (named)
            check_user_name(d, each);
        size_t length = fm_decoder_enter(d, named ? each->key : NULL, i);
        fm_decode(d, table, each, object);
        fm_decoder_leave(d, length);
    }
}

static void decode_entry(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *object)
{
    size_t length = fm_decoder_enter(d, entry->key, 0);
    int before = d->loader->mistake_count;
    void *at = (char *)object + entry->offset;
    if (entry->type == FM_KEY_MAPPING)
        fm_decode(d, entry->table, node, at);
    else if (entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST)
        decode_items(d, entry, node, at);
    else
        fm_decode_value(d, entry, node, at);
    if (entry->after && d->loader->mistake_count == before)
        entry->after(object);
    fm_decoder_leave(d, length);
}

// The word that stands for a mapping: `memory: full`.
static bool decode_short(const fm_table *table, const fm_node *node, void *object)
{
    if (!table->word || node->kind != FM_NODE_SCALAR || strcmp(node->text, table->word) != 0)
        return false;
    const int none = 0;
    memcpy((char *)object + table->kind_offset, &none, sizeof none);
    return true;
}

void fm_decode(fm_decoder *d, const fm_table *table, const fm_node *node, void *object)
{
    int before = d->loader->mistake_count;
    if (fm_loader_is_full(d->loader) || decode_short(table, node, object))
        return;
    char needed[64];
    snprintf(needed, sizeof needed, "a mapping%s%s", table->word ? " or the word " : "",
             table->word ? table->word : "");
    if (!fm_node_is_empty(node) && !is_kind(d, node, FM_NODE_MAPPING, needed))
        return;
    for (const fm_node *each = node->first; each; each = each->next) {
        if (!fm_table_find(table, each->key))
            complain_of_key(d, table, each);
    }
    if (table->has_kind)
        decode_choice(d, table, node, object);
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        const fm_node *child = fm_node_find(node, entry->key);
        if (child)
            decode_entry(d, entry, child, object);
        else if (entry->needed)
            fm_complain(d->loader, node->key_place, "%s needs \"%s\": %s", shown_path(d),
                        entry->key, entry->about);
    }
    if (table->check && d->loader->mistake_count == before)
        table->check(d, node, object);
}
