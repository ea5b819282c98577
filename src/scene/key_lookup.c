// SPDX-License-Identifier: MIT
// key_lookup.c: lookup in key tables: keys, allowed words, ranges.
#include "scene/scene.h"

#include <string.h>

static const double LARGEST = 1e9; // limit of numbers whose table gives no range

// The entry of a key in a table; NULL: the table has no such key.
const fm_entry *fm_table_find(const fm_table *table, const char *key)
{
    for (int i = 0; i < table->count; i++) {
        if (strcmp(table->entries[i].key, key) == 0)
            return &table->entries[i];
    }
    return NULL;
}

// Word number `index` of those that a key allows; NULL after the last.
const char *fm_entry_word(const fm_entry *entry, int index)
{
    if (entry->word_at)
        return entry->word_at(index);
    return entry->words ? entry->words[index] : NULL;
}

// Index of a word among those that a key allows; -1: not allowed.
int fm_entry_find_word(const fm_entry *entry, const char *word)
{
    for (int i = 0; fm_entry_word(entry, i); i++) {
        if (strcmp(fm_entry_word(entry, i), word) == 0)
            return i;
    }
    return -1;
}

// The key of the table that is most similar to a misspelt key; NULL: none is similar. Allows an
// edit distance of 1 for keys of 1 or 2 letters, 2 up to 5 letters, 3 for longer ones.
const char *fm_table_find_nearest(const fm_table *table, const char *key)
{
    const char *nearest = NULL;
    size_t length = strlen(key);
    int least = length < 3 ? 2 : length < 6 ? 3 : 4;
    for (int i = 0; i < table->count; i++) {
        int distance = fm_text_edit_distance(key, table->entries[i].key);
        if (distance < least)
            nearest = table->entries[i].key, least = distance;
    }
    return nearest;
}

// Appends the keys of a table that exclude each other: "sine, turn, keyframes".
void fm_table_add_choices(fm_text *text, const fm_table *table)
{
    const char *comma = "";
    for (int i = 0; i < table->count; i++) {
        if (!table->entries[i].choice)
            continue;
        fm_text_add(text, "%s%s", comma, table->entries[i].key);
        comma = ", ";
    }
}

// True when the table gives no range for the numbers of this key.
static bool is_unlimited(const fm_entry *entry)
{
    return entry->range.low == 0 && entry->range.high == 0;
}

// Smallest number that a key allows, or the number that it must exceed.
double fm_entry_lower_limit(const fm_entry *entry)
{
    return is_unlimited(entry) ? -LARGEST : entry->range.low;
}

// Largest number that a key allows, or the number that it must stay below.
double fm_entry_upper_limit(const fm_entry *entry)
{
    return is_unlimited(entry) ? LARGEST : entry->range.high;
}

// Appends the words that a key allows: "a, b, c".
static void add_words(fm_text *text, const fm_entry *entry)
{
    for (int i = 0; fm_entry_word(entry, i); i++)
        fm_text_add(text, "%s%s", i ? ", " : "", fm_entry_word(entry, i));
}

// Appends the range of numbers that a key allows: "above 0 and at most 1 m".
static void add_interval(fm_text *text, const fm_entry *entry)
{
    const fm_range *range = &entry->range;
    if (range->low_open || range->high_open) {
        fm_text_add(text, range->low_open ? "above " : "at least ");
        fm_text_add_number(text, fm_entry_lower_limit(entry));
        fm_text_add(text, range->high_open ? " and below " : " and at most ");
    } else {
        fm_text_add_number(text, fm_entry_lower_limit(entry));
        fm_text_add(text, " to ");
    }
    fm_text_add_number(text, fm_entry_upper_limit(entry));
    if (entry->unit)
        fm_text_add(text, " %s", entry->unit);
}

// Appends the values that a key allows: a range of numbers, or a list of words.
void fm_entry_add_range(fm_text *text, const fm_entry *entry)
{
    switch (entry->type) {
    case FM_KEY_NUMBER:
    case FM_KEY_INTEGER:
    case FM_KEY_INTEGERS:
    case FM_KEY_VECTOR:
        add_interval(text, entry);
        if (entry->automatic)
            fm_text_add(text, ", or auto");
        return;
    case FM_KEY_WORD:
    case FM_KEY_WORDS:
        add_words(text, entry);
        return;
    case FM_KEY_BOOLEAN:
    case FM_KEY_TEXT:
    case FM_KEY_FILE:
    case FM_KEY_PROBE_POINT:
    case FM_KEY_ROTATION:
    case FM_KEY_NAME:
    case FM_KEY_NAMES:
    case FM_KEY_MAPPING:
    case FM_KEY_NAMED:
    case FM_KEY_LIST:
        return;
    }
}
