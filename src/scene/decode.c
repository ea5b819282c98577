// SPDX-License-Identifier: MIT
// decode.c: decodes the tree of nodes into a scene, as the key tables say. Decoding continues after
// a mistake, to find further ones.
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Appends ".key", or "[index]" when key is NULL, to the path for messages. Returns the old length.
size_t fm_decoder_enter_path(fm_decoder *d, const char *key, int index)
{
    size_t length = strlen(d->path);
    char shown[64];
    if (key)
        snprintf(d->path + length, sizeof d->path - length, "%s%s", length ? "." : "",
                 fm_text_shorten(shown, key));
    else
        snprintf(d->path + length, sizeof d->path - length, "[%d]", index);
    return length;
}

// Cuts the path for messages to its old length.
void fm_decoder_leave_path(fm_decoder *d, size_t length)
{
    d->path[length] = 0;
}

// Path of the mapping that is being decoded, as "bodies.towel.cloth".
static const char *path_for_message(const fm_decoder *d)
{
    return d->path[0] ? d->path : "the scene";
}

// Records a key that the table does not have, with a suggestion.
static void report_unknown_key(fm_decoder *d, const fm_table *table, const fm_node *node)
{
    enum { LISTED_MAX = 12 }; // a message lists the keys of tables up to this size
    char shown[64];
    const char *nearest = fm_table_find_nearest(table, node->key);
    fm_text text = {0};
    if (nearest)
        fm_text_add(&text, "; did you mean \"%s\"?", nearest);
    if (table->count <= LISTED_MAX) {
        fm_text_add(&text, "%s", nearest ? " Allowed are " : "; allowed are ");
        for (int i = 0; i < table->count; i++)
            fm_text_add(&text, "%s%s", i ? ", " : "", table->entries[i].key);
    } else if (!nearest) {
        fm_text_add(&text, "; `fathom describe` lists them");
    }
    fm_loader_add_mistake(d->loader, node->key_place, "%s has no key \"%s\"%s", path_for_message(d),
                          fm_text_shorten(shown, node->key), text.data ? text.data : "");
    free(text.data);
}

// Of the keys of a table that exclude each other, exactly one must be given. Stores its code
// (fm_entry.kind) in `object`.
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
            fm_loader_add_mistake(d->loader, each->key_place,
                                  "%s has \"%s\" and \"%s\": only one of %s is allowed",
                                  path_for_message(d), chosen->key, each->key, choices);
        else
            memcpy((char *)object + table->kind_offset, &entry->kind, sizeof entry->kind);
        chosen = each;
    }
    if (!chosen)
        fm_loader_add_mistake(d->loader, node->key_place, "%s needs one of %s", path_for_message(d),
                              choices);
    free(text.data);
}

// Checks the characters and the length of a name that the user chose for an object.
static void check_user_name(fm_decoder *d, const fm_node *node)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char shown[64];
    const char *name = node->key;
    bool good = name[0] && strchr(letters, name[0]);
    for (const char *p = name; *p && good; p++)
        good = strchr(letters, *p) || *p == '-' || *p == '_';
    if (!good)
        fm_loader_add_mistake(
            d->loader, node->key_place,
            "\"%s\" is not a valid name: letters, digits, - and _ are allowed, the first must be a "
            "letter or a digit",
            fm_text_shorten(shown, name));
    else if (strlen(name) > FM_SCENE_NAME_MAX)
        fm_loader_add_mistake(d->loader, node->key_place,
                              "the name \"%s\" is too long, at most %d characters are allowed",
                              fm_text_shorten(shown, name), FM_SCENE_NAME_MAX);
}

// Records a mistake and returns false when a YAML node is not of this kind (scalar, mapping or
// list). needed: what the message asks for.
static bool check_node_kind(fm_decoder *d, const fm_node *node, fm_node_kind kind,
                            const char *needed)
{
    if (node->kind == kind)
        return true;
    char shown[64];
    if (node->kind == FM_NODE_SCALAR && !fm_node_is_empty(node))
        fm_loader_add_mistake(d->loader, node->place, "%s is \"%s\", it must be %s",
                              path_for_message(d), fm_text_shorten(shown, node->text), needed);
    else
        fm_loader_add_mistake(d->loader, node->place, "%s is %s, it must be %s",
                              path_for_message(d), fm_node_kind_text(node), needed);
    return false;
}

// Decodes a mapping of names to mappings, or a list of mappings, into `items`. A key without a
// value is an empty list.
static void decode_items(fm_decoder *d, const fm_entry *entry, const fm_node *node, fm_items *items)
{
    bool named = entry->type == FM_KEY_NAMED;
    if (fm_node_is_empty(node) || !check_node_kind(d, node, named ? FM_NODE_MAPPING : FM_NODE_LIST,
                                                   named ? "a mapping of names" : "a list"))
        return;
    double most = fm_entry_upper_limit(entry);
    if (node->count > most) {
        fm_loader_add_mistake(d->loader, node->place, "%s has %d entries, allowed are at most %g",
                              d->path, node->count, most);
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
        *(fm_item *)(void *)object = (fm_item){named ? each->key : NULL, each};
        if (named)
            check_user_name(d, each);
        size_t length = fm_decoder_enter_path(d, named ? each->key : NULL, i);
        fm_decoder_decode_mapping(d, table, each, object);
        fm_decoder_leave_path(d, length);
    }
}

// Decodes the keys of a world object (cloth or fluid) into a struct of its own, whose size depends
// on the kind of the object.
static void decode_object(fm_decoder *d, const fm_entry *entry, const fm_node *node,
                          fm_scene_object *object)
{
    object->kind = entry->object;
    object->def = fm_loader_alloc(d->loader, 1, entry->table->size);
    if (!object->def)
        return;
    if (entry->table->set_defaults)
        entry->table->set_defaults(object->def);
    fm_decoder_decode_mapping(d, entry->table, node, object->def);
}

// Decodes the value of one key and stores it in the struct `object`.
static void decode_entry(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *object)
{
    size_t length = fm_decoder_enter_path(d, entry->key, 0);
    int before = d->loader->mistake_count;
    void *at = (char *)object + entry->offset;
    if (entry->object)
        decode_object(d, entry, node, object);
    else if (entry->type == FM_KEY_MAPPING)
        fm_decoder_decode_mapping(d, entry->table, node, at);
    else if (entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST)
        decode_items(d, entry, node, at);
    else
        fm_decoder_decode_value(d, entry, node, at);
    if (entry->apply && d->loader->mistake_count == before)
        entry->apply(object);
    fm_decoder_leave_path(d, length);
}

// Handles the word that may replace a mapping, as in `memory: full`. False: the node is no such
// word.
static bool decode_word_for_mapping(const fm_table *table, const fm_node *node, void *object)
{
    if (!table->word || node->kind != FM_NODE_SCALAR || strcmp(node->text, table->word) != 0)
        return false;
    const int word_kind = 0; // code that stands for the word
    memcpy((char *)object + table->kind_offset, &word_kind, sizeof word_kind);
    return true;
}

// Decodes a YAML mapping with the keys of a table into the struct `object`.
void fm_decoder_decode_mapping(fm_decoder *d, const fm_table *table, const fm_node *node,
                               void *object)
{
    int before = d->loader->mistake_count;
    if (fm_loader_has_too_many_mistakes(d->loader) || decode_word_for_mapping(table, node, object))
        return;
    char needed[64];
    snprintf(needed, sizeof needed, "a mapping%s%s", table->word ? " or the word " : "",
             table->word ? table->word : "");
    if (!fm_node_is_empty(node) && !check_node_kind(d, node, FM_NODE_MAPPING, needed))
        return;
    for (const fm_node *each = node->first; each; each = each->next) {
        if (!fm_table_find(table, each->key))
            report_unknown_key(d, table, each);
    }
    if (table->has_kind)
        decode_choice(d, table, node, object);
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        const fm_node *child = fm_node_find(node, entry->key);
        if (child)
            decode_entry(d, entry, child, object);
        else if (entry->needed)
            fm_loader_add_mistake(d->loader, node->key_place, "%s needs \"%s\": %s",
                                  path_for_message(d), entry->key, entry->about);
    }
    if (table->check && d->loader->mistake_count == before)
        table->check(d, node, object);
}
