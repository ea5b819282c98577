// SPDX-License-Identifier: MIT
// write.c: a checked tree as YAML again, in one way only: keys in the order of the tables, names
// and lists in the order of the file, numbers as short as they can be, texts in quotes.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, LINE = 96 };

typedef struct writer {
    bool hashed;
} writer;

// The whole path, so that the text can be read anywhere; hashed is the name only: where files lie
// does not matter.
static void add_file(const writer *w, fm_text *text, const fm_node *node)
{
    char path[4096];
    const char *slash = strrchr(node->text, '/');
    if (w->hashed)
        fm_text_add_quoted(text, slash ? slash + 1 : node->text);
    else
        fm_text_add_quoted(text, fm_file_path(node, path, sizeof path) ? path : node->text);
}

static void add_scalar(const writer *w, fm_text *text, const fm_entry *entry, const fm_node *node)
{
    double value;
    const char *rest;
    if (entry->type == FM_KEY_FILE)
        add_file(w, text, node);
    else if (entry->type == FM_KEY_TEXT)
        fm_text_add_quoted(text, node->text);
    else if (!node->quoted && fm_read_number(node->text, &value, &rest) &&
             entry->type != FM_KEY_NAME && entry->type != FM_KEY_NAMES &&
             entry->type != FM_KEY_WORD && entry->type != FM_KEY_WORDS)
        fm_text_add_number(text, value);
    else
        fm_text_add_bytes(text, node->text, strlen(node->text));
}

// What says nothing is left out, and what is aside when hashing.
static bool is_skipped(const writer *w, const fm_entry *entry, const fm_node *child)
{
    if (!child || (w->hashed && entry->aside))
        return true;
    bool items = entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST;
    if (items)
        return child->count == 0;
    if (entry->type != FM_KEY_MAPPING || entry->choice ||
        (child->kind == FM_NODE_SCALAR && !fm_node_is_empty(child)))
        return false;
    for (int i = 0; i < entry->table->count; i++) {
        const fm_entry *below = &entry->table->entries[i];
        if (!is_skipped(w, below, fm_node_find(child, below->key)))
            return false;
    }
    return true;
}

static void add_flow(const writer *w, fm_text *text, const fm_entry *entry, const fm_node *node);

static void add_flow_mapping(const writer *w, fm_text *text, const fm_table *table,
                             const fm_node *node)
{
    const char *comma = "{ ";
    for (int i = 0; i < table->count; i++) {
        const fm_node *child = fm_node_find(node, table->entries[i].key);
        if (is_skipped(w, &table->entries[i], child))
            continue;
        fm_text_add(text, "%s%s: ", comma, child->key);
        add_flow(w, text, &table->entries[i], child);
        comma = ", ";
    }
    fm_text_add(text, "%s", *comma == '{' ? "{}" : " }");
}

static void add_flow(const writer *w, fm_text *text, const fm_entry *entry, const fm_node *node)
{
    const char *comma = "";
    if (node->kind == FM_NODE_SCALAR) {
        add_scalar(w, text, entry, node);
    } else if (node->kind == FM_NODE_LIST) {
        fm_text_add(text, "[");
        for (const fm_node *each = node->first; each; each = each->next, comma = ", ") {
            fm_text_add(text, "%s", comma);
            if (entry->type == FM_KEY_LIST)
                add_flow_mapping(w, text, entry->table, each);
            else
                add_flow(w, text, entry, each);
        }
        fm_text_add(text, "]");
    } else if (entry->type == FM_KEY_NAMED) {
        fm_text_add(text, "{");
        for (const fm_node *each = node->first; each; each = each->next, comma = ",") {
            fm_text_add(text, "%s %s: ", comma, each->key);
            if (each->kind == FM_NODE_SCALAR)
                add_scalar(w, text, entry, each);
            else
                add_flow_mapping(w, text, entry->table, each);
        }
        fm_text_add(text, " }");
    } else {
        add_flow_mapping(w, text,
                         entry->type == FM_KEY_ROTATION ? &fm_rotation_table : entry->table, node);
    }
}

static void add_mapping(const writer *w, fm_text *text, const fm_table *table, const fm_node *node,
                        int indent);

// "key: value" on a line of its own, or on several.
static void add_member(const writer *w, fm_text *text, const fm_entry *entry, const fm_node *node,
                       int indent)
{
    size_t start = text->size;
    fm_text_add(text, "%*s%s: ", indent, "", node->key);
    add_flow(w, text, entry, node);
    fm_text_add(text, "\n");
    bool deep =
        entry->type == FM_KEY_MAPPING || entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST;
    if (text->failed || text->size - start <= LINE || !deep || node->kind == FM_NODE_SCALAR ||
        node->count == 0)
        return;
    text->size = start;
    text->data[start] = 0;
    fm_text_add(text, "%*s%s:\n", indent, "", node->key);
    if (entry->type == FM_KEY_MAPPING) {
        add_mapping(w, text, entry->table, node, indent + INDENT);
        return;
    }
    fm_entry element = *entry; // what each of the named or listed is
    element.type = FM_KEY_MAPPING;
    for (const fm_node *each = node->first; each; each = each->next) {
        if (entry->type == FM_KEY_NAMED) {
            add_member(w, text, &element, each, indent + INDENT);
            continue;
        }
        fm_text_add(text, "%*s- ", indent + INDENT, "");
        add_flow_mapping(w, text, entry->table, each);
        fm_text_add(text, "\n");
    }
}

static void add_mapping(const writer *w, fm_text *text, const fm_table *table, const fm_node *node,
                        int indent)
{
    for (int i = 0; i < table->count; i++) {
        const fm_node *child = fm_node_find(node, table->entries[i].key);
        if (!is_skipped(w, &table->entries[i], child))
            add_member(w, text, &table->entries[i], child, indent);
    }
}

bool fm_scene_write(const fm_node *root, bool hashed, fm_text *text)
{
    writer w = {hashed};
    add_mapping(&w, text, &fm_scene_table, root, 0);
    return !text->failed;
}
