// SPDX-License-Identifier: MIT
// write_yaml.c: writes a checked tree as YAML in canonical form: keys in the order of the tables,
// names and lists in the order of the file, numbers in their shortest form, texts in quotes.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, LONGEST_LINE = 96 }; // blanks per level; bytes of a line with nested keys

// Options of writing.
typedef struct writer {
    bool for_hash; // write only what the scene hash depends on
} writer;

// Writes the path of a file that a key names: the absolute path, so that the text can be read from
// any folder. For the hash it writes the file name only, because the folder does not influence
// results.
static void add_file(const writer *w, fm_text *text, const fm_node *node)
{
    char path[4096];
    const char *slash = strrchr(node->text, '/');
    if (w->for_hash)
        fm_text_add_quoted(text, slash ? slash + 1 : node->text);
    else
        fm_text_add_quoted(text, fm_node_resolve_path(node, path, sizeof path) ? path : node->text);
}

// Writes a single value: numbers in their shortest form, texts in quotes.
static void add_scalar(const writer *w, fm_text *text, const fm_entry *entry, const fm_node *node)
{
    double value;
    const char *rest;
    if (entry->type == FM_KEY_FILE)
        add_file(w, text, node);
    else if (entry->type == FM_KEY_TEXT)
        fm_text_add_quoted(text, node->text);
    else if (!node->quoted && fm_text_parse_number(node->text, &value, &rest) &&
             entry->type != FM_KEY_NAME && entry->type != FM_KEY_NAMES &&
             entry->type != FM_KEY_WORD && entry->type != FM_KEY_WORDS)
        fm_text_add_number(text, value);
    else
        fm_text_add_bytes(text, node->text, strlen(node->text));
}

// True for missing keys, for mappings and lists without content and, when writing for the hash, for
// keys that are not_hashed.
static bool is_skipped(const writer *w, const fm_entry *entry, const fm_node *child)
{
    if (!child || (w->for_hash && entry->not_hashed))
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

// Writes a mapping on one line: { key: value, key: value }.
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

// Writes a value on one line, in YAML's flow style: [a, b], { key: value }.
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

// Writes "key: value" on one line, or on several when that line would be longer than LONGEST_LINE.
static void add_member(const writer *w, fm_text *text, const fm_entry *entry, const fm_node *node,
                       int indent)
{
    size_t start = text->size;
    fm_text_add(text, "%*s%s: ", indent, "", node->key);
    add_flow(w, text, entry, node);
    fm_text_add(text, "\n");
    bool has_keys =
        entry->type == FM_KEY_MAPPING || entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST;
    if (text->failed || text->size - start <= LONGEST_LINE || !has_keys ||
        node->kind == FM_NODE_SCALAR || node->count == 0)
        return;
    text->size = start;
    text->data[start] = 0;
    fm_text_add(text, "%*s%s:\n", indent, "", node->key);
    if (entry->type == FM_KEY_MAPPING) {
        add_mapping(w, text, entry->table, node, indent + INDENT);
        return;
    }
    fm_entry element = *entry; // entry for one element
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

// Writes the keys of a mapping, each on one line or more. indent: blanks before each key.
static void add_mapping(const writer *w, fm_text *text, const fm_table *table, const fm_node *node,
                        int indent)
{
    for (int i = 0; i < table->count; i++) {
        const fm_node *child = fm_node_find(node, table->entries[i].key);
        if (!is_skipped(w, &table->entries[i], child))
            add_member(w, text, &table->entries[i], child, indent);
    }
}

// Writes the tree of a scene as YAML, keys in the order of the tables. for_hash: leaves out the
// keys that do not influence results.
bool fm_scene_write_yaml(const fm_node *root, bool for_hash, fm_text *text)
{
    writer w = {for_hash};
    add_mapping(&w, text, &fm_scene_table, root, 0);
    return !text->failed;
}
