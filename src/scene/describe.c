// SPDX-License-Identifier: MIT
// describe.c: the text of `fathom describe KEY`, generated from the key tables: meaning, type,
// unit, range, default and the keys below.
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How each type of value is called in the help.
static const char *const type_names[] = {
    [FM_KEY_NUMBER] = "number",
    [FM_KEY_INTEGER] = "whole number",
    [FM_KEY_BOOLEAN] = "true or false",
    [FM_KEY_WORD] = "word",
    [FM_KEY_WORDS] = "word or list of words",
    [FM_KEY_TEXT] = "text",
    [FM_KEY_FILE] = "file, relative to the scene file",
    [FM_KEY_VECTOR] = "[x, y, z]",
    [FM_KEY_PROBE_POINT] = "[u, v] from 0 to 1, or [x, y, z] in m",
    [FM_KEY_ROTATION] = "rotation",
    [FM_KEY_INTEGERS] = "whole number or list of whole numbers",
    [FM_KEY_NAME] = "name",
    [FM_KEY_NAMES] = "list of names",
    [FM_KEY_MAPPING] = "mapping",
    [FM_KEY_NAMED] = "mapping by name",
    [FM_KEY_LIST] = "list of mappings",
};

// False for symmetric limits of numbers, as -1e6 to 1e6: they only catch typing errors and are not
// shown.
static bool shows_range(const fm_entry *entry)
{
    bool numbers = entry->type == FM_KEY_VECTOR || entry->type == FM_KEY_NUMBER;
    return !(numbers && entry->range.low == -entry->range.high);
}

// Appends the type of a key and its allowed values: "number: 0 to 1 m".
void fm_entry_add_type(fm_text *text, const fm_entry *entry)
{
    fm_text_add(text, "%s", type_names[entry->type]);
    if (entry->section)
        fm_text_add(text, " from `%s`", entry->section);
    else if (shows_range(entry)) {
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

// Creates a struct of a table with default values; the caller frees it; NULL: out of memory.
void *fm_table_create_defaults(const fm_table *table)
{
    void *object = calloc(1, table->size);
    if (object && table->set_defaults)
        table->set_defaults(object);
    return object;
}

// True when the mapping under a key is decoded into a struct of its own, not into that of the key's
// table.
bool fm_entry_has_own_object(const fm_entry *entry)
{
    return entry->object || entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST;
}

// Appends a number (in SI units) in the unit that scene files use for this key, rounded to 9
// decimals, because the conversion of units has rounding errors.
static void add_value(fm_text *text, const fm_entry *entry, double value)
{
    if (isinf(value))
        fm_text_add(text, "never");
    else
        fm_text_add_number(text,
                           entry->scale != 0 ? round(value / entry->scale * 1e9) / 1e9 : value);
}

// Appends the default of a mapping with choices: its word, or "{ key: value }" of the default
// choice.
static void add_default_choice(fm_text *text, const fm_table *table, const void *object)
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

// Appends a default that is a word, or a list of words as [a, b].
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

// Appends the default value of a key as YAML; nothing when the key has no default.
void fm_entry_add_default(fm_text *text, const fm_entry *entry, const void *defaults)
{
    const char *at = (const char *)defaults + entry->offset;
    const double *numbers = (const double *)(const void *)at;
    const int *integers = (const int *)(const void *)at;
    if (entry->needed || entry->not_stored || entry->object)
        return;
    switch (entry->type) {
    case FM_KEY_NUMBER:
        if (entry->automatic && *numbers == -1)
            fm_text_add(text, "auto");
        else if (isinf(*numbers) || fm_entry_lower_limit(entry) < 0 || *numbers > 0 ||
                 !entry->range.low_open)
            add_value(text, entry, *numbers); // a default outside the range means "not given"
        return;
    case FM_KEY_INTEGER:
        if (*integers >= fm_entry_lower_limit(entry)) // below it the default means "not given"
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
    case FM_KEY_VECTOR:
        for (int i = 0; i < 3; i++) {
            fm_text_add(text, i ? ", " : "[");
            add_value(text, entry, numbers[i]);
        }
        fm_text_add(text, "]");
        return;
    case FM_KEY_MAPPING:
        if (entry->table->has_kind)
            add_default_choice(text, entry->table, at);
        return;
    case FM_KEY_PROBE_POINT:
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

// A key to describe.
typedef struct key_context {
    const fm_entry *entry;
    const fm_table *table; // the table that contains the entry
    const void *defaults;  // a struct of the table with its default values
    const char *path;      // "bodies.NAME.cloth.density"
} key_context;

// A search for keys.
typedef struct key_search {
    const char *key;     // the path that the user asked for
    fm_text found;       // descriptions of all matches
    int count;           // number of matches
    const char *nearest; // the known key with the smallest edit distance
    int least;           // edit distance of `nearest` from the path that the user asked for
} key_search;

// Appends one line of help for each key of a table.
static void add_keys(fm_text *text, const fm_table *table)
{
    if (table->word)
        fm_text_add(text, "  the word %s, or these keys:\n", table->word);
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        fm_text_add(text, "  %-14s %s%s\n", entry->key, entry->about,
                    entry->needed   ? " (required)"
                    : entry->choice ? " (one of these is required)"
                                    : "");
    }
}

// Appends the description of one key: meaning, type, default, and the keys below it.
static void add_description(fm_text *text, const key_context *key)
{
    const fm_entry *entry = key->entry;
    fm_text_add(text, "%s: %s\n  type     ", key->path, entry->about);
    fm_entry_add_type(text, entry);
    size_t before = text->size;
    fm_text_add(text, "\n  default  ");
    size_t start = text->size;
    if (entry->needed)
        fm_text_add(text, "none: the key is required");
    else if (entry->choice && entry->type != FM_KEY_MAPPING)
        fm_text_add(text, "none: one of ");
    else
        fm_entry_add_default(text, entry, key->defaults);
    if (entry->choice && !entry->needed && entry->type != FM_KEY_MAPPING)
        fm_table_add_choices(text, key->table);
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
    if (entry->explain)
        entry->explain(text);
}

// Compares a path with NAME or N in it to the path a user typed: "bodies.NAME.cloth.density"
// matches "bodies.towel.cloth.density" and "bodies.cloth.density".
static bool matches_path(const char *path, const char *asked)
{
    if (!*path || !*asked)
        return *path == *asked;
    size_t p = strcspn(path, "."), a = strcspn(asked, "."); // length of the first part
    bool any = (p == 4 && memcmp(path, "NAME", 4) == 0) || (p == 1 && *path == 'N');
    const char *path_rest = path + p + (path[p] == '.');
    const char *asked_rest = asked + a + (asked[a] == '.');
    if (any)
        return matches_path(path_rest, asked_rest) || matches_path(path_rest, asked);
    return p == a && memcmp(path, asked, p) == 0 && matches_path(path_rest, asked_rest);
}

// True when the path that the user typed is the whole path of a key or its end, as "drag.model".
static bool matches_path_end(const char *path, const char *asked)
{
    for (const char *p = path; p; p = strchr(p, '.')) {
        p += *p == '.';
        if (strncmp(p, "NAME.", 5) != 0 && strncmp(p, "N.", 2) != 0 && matches_path(p, asked))
            return true;
    }
    return false;
}

// Describes the keys of a table, and of the tables below it, that match the search. prefix: path of
// the table.
static void search_table(key_search *search, const fm_table *table, const void *defaults,
                         const char *prefix)
{
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        fm_text path = {0};
        fm_text_add(&path, "%s%s", prefix, entry->key);
        if (!path.data)
            return;
        if (matches_path_end(path.data, search->key)) {
            fm_text_add(&search->found, search->count++ ? "\n" : "");
            add_description(&search->found, &(key_context){entry, table, defaults, path.data});
        }
        const char *last = strrchr(search->key, '.');
        int distance = fm_text_edit_distance(last ? last + 1 : search->key, entry->key);
        if (distance < search->least)
            search->nearest = entry->key, search->least = distance;
        bool own = fm_entry_has_own_object(entry);
        fm_text_add(&path, "%s",
                    entry->type == FM_KEY_NAMED  ? ".NAME."
                    : entry->type == FM_KEY_LIST ? ".N."
                                                 : ".");
        if (entry->table && path.data) {
            void *created = own ? fm_table_create_defaults(entry->table) : NULL;
            if (created || !own)
                search_table(search, entry->table,
                             own ? created : (const char *)defaults + entry->offset, path.data);
            free(created);
        }
        free(path.data);
    }
}

// The text of `fathom describe KEY`; key NULL: the list of sections. The caller frees it.
char *fm_scene_describe(const char *key, fm_error *err)
{
    fm_text text = {0};
    if (err->status != FM_OK)
        return NULL;
    if (!key) {
        for (int i = 0; i < fm_scene_table.count; i++)
            fm_text_add(&text, "%-10s %s\n", fm_scene_table.entries[i].key,
                        fm_scene_table.entries[i].about);
        return fm_text_detach(&text, err);
    }
    enum { DISTANCE_MAX = 4 }; // edit distance below which a key is suggested
    key_search search = {.key = key, .least = DISTANCE_MAX};
    void *defaults = fm_table_create_defaults(&fm_scene_table);
    if (!defaults) {
        fm_fail_no_memory(err, "scene", fm_scene_table.size);
        return NULL;
    }
    search_table(&search, &fm_scene_table, defaults, "");
    free(defaults);
    if (search.count > 0)
        return fm_text_detach(&search.found, err);
    free(search.found.data);
    char shown[64];
    fm_fail(err, FM_BAD_VALUE, "describe", "key", fm_text_shorten(shown, key),
            "a key of a scene file; `fathom describe` lists the sections");
    if (search.nearest)
        snprintf(err->text, sizeof err->text, "there is no key \"%s\"; did you mean \"%s\"?", shown,
                 search.nearest);
    return NULL;
}
