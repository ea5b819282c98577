// SPDX-License-Identifier: MIT
// schema.c: writes the key tables as JSON Schema (draft 2020-12), with which editors complete and
// check scene files.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

static void add_table(fm_text *text, const fm_table *table, const char *about);

// Appends the smallest and the largest number that a key allows.
static void add_limits(fm_text *text, const fm_entry *entry)
{
    fm_text_add(text, ",\"%s\":", entry->range.low_open ? "exclusiveMinimum" : "minimum");
    fm_text_add_number(text, fm_entry_lower_limit(entry));
    fm_text_add(text, ",\"%s\":", entry->range.high_open ? "exclusiveMaximum" : "maximum");
    fm_text_add_number(text, fm_entry_upper_limit(entry));
}

// Appends the schema of a number with its limits.
static void add_number(fm_text *text, const fm_entry *entry)
{
    bool whole = entry->type == FM_KEY_INTEGER || entry->type == FM_KEY_INTEGERS;
    fm_text_add(text, "\"type\":\"%s\"", whole ? "integer" : "number");
    add_limits(text, entry);
}

// Appends the schema of a word: the list of those that a key allows.
static void add_words(fm_text *text, const fm_entry *entry)
{
    fm_text_add(text, "\"enum\":[");
    for (int i = 0; fm_entry_word(entry, i); i++)
        fm_text_add(text, "%s\"%s\"", i ? "," : "", fm_entry_word(entry, i));
    fm_text_add(text, "]");
}

// Appends the schema of a single value or a list of such values.
static void add_one_or_more(fm_text *text, const fm_entry *entry,
                            void (*add)(fm_text *text, const fm_entry *entry))
{
    fm_text_add(text, "\"anyOf\":[{");
    add(text, entry);
    fm_text_add(text, "},{\"type\":\"array\",\"items\":{");
    add(text, entry);
    fm_text_add(text, "}}]");
}

// Appends the schema of a name or text.
static void add_name(fm_text *text, const fm_entry *entry)
{
    (void)entry;
    fm_text_add(text, "\"type\":\"string\"");
}

// Appends the schema of a list of exactly `count` numbers.
static void add_numbers(fm_text *text, const fm_entry *entry, int count)
{
    fm_text_add(text, "\"type\":\"array\",\"minItems\":%d,\"maxItems\":%d,\"items\":{", count,
                count);
    add_number(text, entry);
    fm_text_add(text, "}");
}

// Appends the schema of a mapping of named mappings, or of a list of mappings.
static void add_items(fm_text *text, const fm_entry *entry)
{
    if (entry->type == FM_KEY_NAMED)
        fm_text_add(text,
                    "\"type\":[\"object\",\"null\"],\"propertyNames\":{\"pattern\":"
                    "\"^[A-Za-z0-9][A-Za-z0-9_-]{0,%d}$\"},\"additionalProperties\":",
                    FM_SCENE_NAME_MAX - 1);
    else
        fm_text_add(text, "\"type\":[\"array\",\"null\"],\"items\":");
    add_table(text, entry->table, NULL);
}

// Appends the schema of the value of a key, except mappings.
static void add_type(fm_text *text, const fm_entry *entry)
{
    switch (entry->type) {
    case FM_KEY_NUMBER:
    case FM_KEY_INTEGER:
        fm_text_add(text, entry->automatic ? "\"anyOf\":[{" : "");
        add_number(text, entry);
        fm_text_add(text, entry->automatic ? "},{\"const\":\"auto\"}]" : "");
        return;
    case FM_KEY_BOOLEAN:
        fm_text_add(text, entry->choice ? "\"const\":true" : "\"type\":\"boolean\"");
        return;
    case FM_KEY_WORD:
        add_words(text, entry);
        return;
    case FM_KEY_WORDS:
        add_one_or_more(text, entry, add_words);
        return;
    case FM_KEY_INTEGERS:
        add_one_or_more(text, entry, add_number);
        return;
    case FM_KEY_NAMES:
        add_one_or_more(text, entry, add_name);
        return;
    case FM_KEY_TEXT:
    case FM_KEY_FILE:
    case FM_KEY_NAME:
        add_name(text, entry);
        return;
    case FM_KEY_VECTOR:
        add_numbers(text, entry, 3);
        return;
    case FM_KEY_PROBE_POINT:
        fm_text_add(text, "\"anyOf\":[{");
        add_numbers(text, entry, 2);
        fm_text_add(text, "},{");
        add_numbers(text, &(fm_entry){.type = FM_KEY_NUMBER, .range = FM_PROBE_POINT_RANGE}, 3);
        fm_text_add(text, "}]");
        return;
    case FM_KEY_NAMED:
    case FM_KEY_LIST:
        add_items(text, entry);
        return;
    case FM_KEY_ROTATION:
    case FM_KEY_MAPPING:
        return; // add_entry writes these
    }
}

// Appends the schema of one key, with its description.
static void add_entry(fm_text *text, const fm_entry *entry)
{
    fm_text about = {0};
    fm_text_add(&about, "%s", entry->about);
    if (entry->unit)
        fm_text_add(&about, " (%s)", entry->unit);
    const char *words = about.data ? about.data : "";
    fm_text_add(text, "\"%s\":", entry->key);
    if (entry->type == FM_KEY_MAPPING || entry->type == FM_KEY_ROTATION) {
        add_table(text, entry->type == FM_KEY_ROTATION ? &fm_rotation_table : entry->table, words);
    } else {
        fm_text_add(text, "{\"description\":");
        fm_text_add_quoted(text, words);
        fm_text_add(text, ",");
        add_type(text, entry);
        fm_text_add(text, "}");
    }
    free(about.data);
}

// Appends the list of the keys that a mapping must have.
static void add_required(fm_text *text, const fm_table *table)
{
    const char *comma = ",\"required\":[", *end = "";
    for (int i = 0; i < table->count; i++) {
        // an extended file may provide the required keys of a scene
        if (!table->entries[i].needed || table == &fm_scene_table)
            continue;
        fm_text_add(text, "%s\"%s\"", comma, table->entries[i].key);
        comma = ",", end = "]";
    }
    fm_text_add(text, "%s", end);
}

// Appends the rule that exactly one of the keys that exclude each other must be given.
static void add_choices(fm_text *text, const fm_table *table)
{
    const char *comma = ",\"oneOf\":[", *end = "";
    for (int i = 0; i < table->count; i++) {
        if (!table->entries[i].choice)
            continue;
        fm_text_add(text, "%s{\"required\":[\"%s\"]}", comma, table->entries[i].key);
        comma = ",", end = "]";
    }
    fm_text_add(text, "%s", end);
}

// Appends the schema of a mapping: its keys, the required ones, and those that exclude each other.
static void add_object(fm_text *text, const fm_table *table)
{
    fm_text_add(text, "\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
    for (int i = 0; i < table->count; i++) {
        fm_text_add(text, "%s\n", i ? "," : "");
        add_entry(text, &table->entries[i]);
    }
    fm_text_add(text, "}");
    add_required(text, table);
    add_choices(text, table);
}

// Appends the schema of a mapping with the keys of a table. about: its description; NULL: that of
// the table.
static void add_table(fm_text *text, const fm_table *table, const char *about)
{
    fm_text_add(text, "{\"description\":");
    fm_text_add_quoted(text, about && *about ? about : table->about);
    fm_text_add(text, ",");
    if (table->word)
        fm_text_add(text, "\"anyOf\":[{\"const\":\"%s\"},{", table->word);
    add_object(text, table);
    fm_text_add(text, "%s}", table->word ? "}]" : "");
}

// The JSON Schema of scene files; the caller frees it; NULL: out of memory.
char *fm_scene_schema(void)
{
    fm_text text = {0};
    fm_text_add(&text, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
                       "\"title\":\"Fathom scene\",");
    add_object(&text, &fm_scene_table);
    fm_text_add(&text, "}\n");
    return fm_text_detach(&text, NULL);
}
