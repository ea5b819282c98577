// SPDX-License-Identifier: MIT
// describe.c: what a key means, from the tables: type, unit, range, default, and its keys.
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {
    [FM_KEY_NUMBER] = "number",
    [FM_KEY_INTEGER] = "whole number",
    [FM_KEY_BOOLEAN] = "true or false",
    [FM_KEY_WORD] = "word",
    [FM_KEY_WORDS] = "word or list of words",
    [FM_KEY_TEXT] = "text",
    [FM_KEY_FILE] = "file, relative to the scene's",
    [FM_KEY_VECTOR] = "[x, y, z]",
    [FM_KEY_PAIR] = "[x, y]",
    [FM_KEY_ROTATION] = "rotation",
    [FM_KEY_INTEGERS] = "whole number or list of them",
    [FM_KEY_NAME] = "name",
    [FM_KEY_NAMES] = "list of names",
    [FM_KEY_MAPPING] = "mapping",
    [FM_KEY_NAMED] = "mapping by name",
    [FM_KEY_LIST] = "list of mappings",
};

static bool is_range_worth_saying(const fm_entry *entry)
{
    // limits against typing errors are not worth a word
    bool numbers = entry->type == FM_KEY_VECTOR || entry->type == FM_KEY_NUMBER;
    return !(numbers && entry->range.low == -entry->range.high);
}

void fm_entry_add_type(fm_text *text, const fm_entry *entry)
{
    fm_text_add(text, "%s", type_names[entry->type]);
    if (entry->section)
        fm_text_add(text, " from `%s`", entry->section);
    else if (is_range_worth_saying(entry)) {
        size_t before = text->size;
        fm_text_add(text, ": ");
        size_t range = text->size;
        fm_entry_add_range(text, entry);
        if (text->size == range && !text->failed)
            text->size = before, text->data[before] = 0;
    } else if (entry->unit) {
        fm_text_add(text, ", %s", entry->unit);
    }
}

void *fm_table_make_defaults(const fm_table *table)
{
    void *object = calloc(1, table->size);
    if (object && table->set_defaults)
        table->set_defaults(object);
    return object;
}

static void add_value(fm_text *text, const fm_entry *entry, double value)
{
    if (isinf(value))
        fm_text_add(text, "never");
    else
        fm_text_add_number(text,
                           entry->scale != 0 ? round(value / entry->scale * 1e9) / 1e9 : value);
}

static void add_chosen(fm_text *text, const fm_table *table, const void *object)
{
    int kind;
    memcpy(&kind, (const char *)object + table->kind_offset, sizeof kind);
    if (table->word && kind == 0) {
        fm_text_add(text, "%s", table->word);
        return;
    }
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        if (!entry->choice || entry->kind != kind || entry->type == FM_KEY_MAPPING)
            continue;
        fm_text_add(text, "{ %s: ", entry->key);
        fm_entry_add_default(text, entry, object);
        fm_text_add(text, " }");
    }
}

static void add_words(fm_text *text, const fm_entry *entry, const fm_items *items)
{
    const int *words = items->data;
    for (int i = 0; i < items->count; i++)
        fm_text_add(text, "%s%s",
                    i                  ? ", "
                    : items->count > 1 ? "["
                                       : "",
                    fm_entry_word(entry, words[i]));
    if (items->count > 1)
        fm_text_add(text, "]");
}

void fm_entry_add_default(fm_text *text, const fm_entry *entry, const void *defaults)
{
    const char *at = (const char *)defaults + entry->offset;
    const double *numbers = (const double *)(const void *)at;
    const int *integers = (const int *)(const void *)at;
    int count = entry->type == FM_KEY_VECTOR ? 3 : 2;
    if (entry->needed || entry->unstored)
        return;
    switch (entry->type) {
    case FM_KEY_NUMBER:
        if (isinf(*numbers) || fm_range_low(entry) < 0 || *numbers > 0 || !entry->range.low_open)
            add_value(text, entry, *numbers); // else it is not allowed, and stands for none
        return;
    case FM_KEY_INTEGER:
        if (*integers >= fm_range_low(entry)) // else it stands for none
            fm_text_add(text, "%d", *integers);
        return;
    case FM_KEY_BOOLEAN:
        fm_text_add(text, *(const bool *)at ? "true" : "false");
        return;
    case FM_KEY_WORD:
        fm_text_add(text, "%s", fm_entry_word(entry, *integers));
        return;
    case FM_KEY_WORDS:
        add_words(text, entry, (const fm_items *)(const void *)at);
        return;
    case FM_KEY_PAIR:
    case FM_KEY_VECTOR:
        if (numbers[0] < 0 && entry->range.low >= 0) // stands for nothing given
            return;
        for (int i = 0; i < count; i++) {
            fm_text_add(text, i ? ", " : "[");
            add_value(text, entry, numbers[i]);
        }
        fm_text_add(text, "]");
        return;
    case FM_KEY_MAPPING:
        if (entry->table->has_kind)
            add_chosen(text, entry->table, at);
        return;
    case FM_KEY_TEXT:
    case FM_KEY_FILE:
    case FM_KEY_ROTATION:
    case FM_KEY_INTEGERS:
    case FM_KEY_NAME:
    case FM_KEY_NAMES:
    case FM_KEY_NAMED:
    case FM_KEY_LIST:
        return;
    }
}

// Where a description is: the entry, its table, an object with its defaults, its path.
typedef struct spot {
    const fm_entry *entry;
    const fm_table *table; // it is in
    const void *defaults;
    const char *path;
} spot;

typedef struct finder {
    const char *key; // that is looked for
    fm_text found;
    int count;
    const char *nearest;
    int least;
} finder;

static void add_keys(fm_text *text, const fm_table *table)
{
    if (table->word)
        fm_text_add(text, "  the word %s, or\n", table->word);
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        fm_text_add(text, "  %-14s %s%s\n", entry->key, entry->about,
                    entry->needed   ? " (needed)"
                    : entry->choice ? " (one of these)"
                                    : "");
    }
}

static void add_description(fm_text *text, const spot *s)
{
    const fm_entry *entry = s->entry;
    fm_text_add(text, "%s: %s\n  type     ", s->path, entry->about);
    fm_entry_add_type(text, entry);
    size_t before = text->size;
    fm_text_add(text, "\n  default  ");
    size_t start = text->size;
    if (entry->needed)
        fm_text_add(text, "none: it is needed");
    else if (entry->choice && entry->type != FM_KEY_MAPPING)
        fm_text_add(text, "none: one of ");
    else
        fm_entry_add_default(text, entry, s->defaults);
    if (entry->choice && !entry->needed && entry->type != FM_KEY_MAPPING)
        fm_table_add_choices(text, s->table);
    if (text->size == start && !text->failed)
        text->size = before, text->data[before] = 0;
    fm_text_add(text, "\n");
    const fm_table *table = entry->type == FM_KEY_ROTATION ? &fm_rotation_table : entry->table;
    if (table) {
        fm_text_add(text, "  keys%s\n",
                    entry->type == FM_KEY_NAMED  ? " of each"
                    : entry->type == FM_KEY_LIST ? " of each element"
                                                 : "");
        add_keys(text, table);
    }
}

// "bodies.towel.cloth.density" and "bodies.cloth.density" ask about "bodies.NAME.cloth.density".
static bool is_match(const char *path, const char *asked)
{
    if (!*path || !*asked)
        return *path == *asked;
    size_t p = strcspn(path, "."), a = strcspn(asked, ".");
    bool any = (p == 4 && memcmp(path, "NAME", 4) == 0) || (p == 1 && *path == 'N');
    const char *path_rest = path + p + (path[p] == '.');
    const char *asked_rest = asked + a + (asked[a] == '.');
    if (any)
        return is_match(path_rest, asked_rest) || is_match(path_rest, asked);
    return p == a && memcmp(path, asked, p) == 0 && is_match(path_rest, asked_rest);
}

// The whole path, or its end: "drag.model".
static bool is_asked(const char *path, const char *asked)
{
    for (const char *p = path; p; p = strchr(p, '.')) {
        p += *p == '.';
        if (strncmp(p, "NAME.", 5) != 0 && strncmp(p, "N.", 2) != 0 && is_match(p, asked))
            return true;
    }
    return false;
}

static void find_in(finder *f, const fm_table *table, const void *defaults, const char *prefix)
{
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        fm_text path = {0};
        fm_text_add(&path, "%s%s", prefix, entry->key);
        if (!path.data)
            return;
        if (is_asked(path.data, f->key)) {
            fm_text_add(&f->found, f->count++ ? "\n" : "");
            add_description(&f->found, &(spot){entry, table, defaults, path.data});
        }
        const char *last = strrchr(f->key, '.');
        int distance = fm_text_distance(last ? last + 1 : f->key, entry->key);
        if (distance < f->least)
            f->nearest = entry->key, f->least = distance;
        bool items = entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST;
        fm_text_add(&path, "%s",
                    entry->type == FM_KEY_NAMED  ? ".NAME."
                    : entry->type == FM_KEY_LIST ? ".N."
                                                 : ".");
        if (entry->table && path.data) {
            void *own = items ? fm_table_make_defaults(entry->table) : NULL;
            if (own || !items)
                find_in(f, entry->table, items ? own : (const char *)defaults + entry->offset,
                        path.data);
            free(own);
        }
        free(path.data);
    }
}

char *fm_scene_describe(const char *key, fm_error *err)
{
    fm_text text = {0};
    if (err->status != FM_OK)
        return NULL;
    if (!key) {
        for (int i = 0; i < fm_scene_table.count; i++)
            fm_text_add(&text, "%-10s %s\n", fm_scene_table.entries[i].key,
                        fm_scene_table.entries[i].about);
        return fm_text_take(&text, err);
    }
    finder f = {.key = key, .least = 4};
    void *defaults = fm_table_make_defaults(&fm_scene_table);
    if (!defaults) {
        fm_fail_no_memory(err, "scene", fm_scene_table.size);
        return NULL;
    }
    find_in(&f, &fm_scene_table, defaults, "");
    free(defaults);
    if (f.count > 0)
        return fm_text_take(&f.found, err);
    free(f.found.data);
    char shown[64];
    fm_fail(err, FM_BAD_VALUE, "describe", "key", fm_text_shown(shown, key),
            "a key of a scene; without one, the sections are listed");
    if (f.nearest)
        snprintf(err->text, sizeof err->text, "there is no key \"%s\"; did you mean \"%s\"?", shown,
                 f.nearest);
    return NULL;
}
