// SPDX-License-Identifier: MIT
// nodes.c: operations on the tree of nodes that a YAML text is parsed into.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

// Creates a node of the YAML tree; NULL after a mistake or without memory.
fm_node *fm_node_create(fm_loader *loader, fm_node_kind kind, fm_place place)
{
    if (loader->node_count++ == FM_SCENE_NODES_MAX) {
        fm_loader_add_mistake(loader, place,
                              "the scene has more than %d values, which is the limit",
                              FM_SCENE_NODES_MAX);
        return NULL;
    }
    fm_node *node = fm_loader_alloc(loader, 1, sizeof *node);
    if (node) {
        node->kind = kind;
        node->place = place;
        node->text = "";
    }
    return node;
}

// Appends a child to a mapping or list.
void fm_node_append(fm_node *parent, fm_node *child)
{
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

// The value under a key of a mapping; NULL: no such key, or no mapping.
fm_node *fm_node_find(const fm_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != FM_NODE_MAPPING)
        return NULL;
    for (fm_node *each = mapping->first; each; each = each->next) {
        if (strcmp(each->key, key) == 0)
            return each;
    }
    return NULL;
}

// Appends the keys of a mapping, as "; there are a, b", for a message.
void fm_node_add_names(const fm_node *mapping, fm_text *text)
{
    enum { LONGEST = 100 }; // characters after which the list of names is cut
    if (!mapping || mapping->kind != FM_NODE_MAPPING)
        return;
    char shown[64];
    for (const fm_node *each = mapping->first; each && text->size < LONGEST; each = each->next)
        fm_text_add(text, "%s%s", text->size == 0 ? "; there are " : ", ",
                    fm_text_shorten(shown, each->key));
}

// Removes a child from a mapping or list.
void fm_node_remove(fm_node *parent, const fm_node *child)
{
    fm_node *before = NULL;
    for (fm_node *each = parent->first; each; before = each, each = each->next) {
        if (each != child)
            continue;
        if (before)
            before->next = each->next;
        else
            parent->first = each->next;
        if (parent->last == each)
            parent->last = before;
        parent->count--;
        return;
    }
}

// True for a key without a value.
bool fm_node_is_empty(const fm_node *node)
{
    return node->kind == FM_NODE_SCALAR && !node->quoted && node->text[0] == 0;
}

// The kind of a YAML node for messages: "a list", "a mapping", ...
const char *fm_node_kind_text(const fm_node *node)
{
    switch (node->kind) {
    case FM_NODE_MAPPING:
        return "a mapping";
    case FM_NODE_LIST:
        return "a list";
    case FM_NODE_SCALAR:
        break;
    }
    return fm_node_is_empty(node) ? "empty" : "a single value";
}

// Compares two nodes of a mapping by key, then by position in the file, for qsort.
static int compare_keys(const void *a, const void *b)
{
    const fm_node *one = *(const fm_node *const *)a, *other = *(const fm_node *const *)b;
    int order = strcmp(one->key, other->key);
    if (order)
        return order;
    const fm_place *p = &one->key_place, *q = &other->key_place;
    if (p->line != q->line)
        return p->line < q->line ? -1 : 1;
    return p->column < q->column ? -1 : 1;
}

// Records keys that a mapping contains twice.
void fm_node_check_duplicates(fm_loader *loader, const fm_node *mapping)
{
    if (mapping->count < 2)
        return;
    const fm_node **sorted = malloc((size_t)mapping->count * sizeof *sorted);
    if (!sorted) {
        fm_fail_no_memory(&loader->err, "scene", (size_t)mapping->count * sizeof *sorted);
        return;
    }
    int count = 0;
    for (const fm_node *each = mapping->first; each; each = each->next)
        sorted[count++] = each;
    qsort(sorted, (size_t)count, sizeof *sorted, compare_keys);
    for (int i = 1; i < count; i++) {
        char shown[64];
        if (strcmp(sorted[i]->key, sorted[i - 1]->key) == 0)
            fm_loader_add_mistake(
                loader, sorted[i]->key_place, "\"%s\" is given twice, first on line %d",
                fm_text_shorten(shown, sorted[i]->key), sorted[i - 1]->key_place.line);
    }
    free(sorted);
}
