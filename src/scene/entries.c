// SPDX-License-Identifier: MIT
// entries.c: what tables answer: keys, words, ranges.
#include "scene/scene.h"

#include <string.h>

static const double LARGEST = 1e9; // where a table says nothing else

const fm_entry *fm_table_find(const fm_table *table, const char *key)
{
    for (int i = 0; i < table->count; i++) {
        if (strcmp(table->entries[i].key, key) == 0)
            return &table->entries[i];
    }
    return NULL;
}

const char *fm_entry_word(const fm_entry *entry, int index)
{
    if (entry->word_at)
        return entry->word_at(index);
    return entry->words ? entry->words[index] : NULL;
}

int fm_entry_word_index(const fm_entry *entry, const char *word)
{
    for (int i = 0; fm_entry_word(entry, i); i++) {
        if (strcmp(fm_entry_word(entry, i), word) == 0)
            return i;
    }
    return -1;
}

// At most a third of the letters may differ, and two.
const char *fm_table_nearest(const fm_table *table, const char *key)
{
    const char *nearest = NULL;
    size_t length = strlen(key);
    int least = length < 3 ? 2 : length < 6 ? 3 : 4;
    for (int i = 0; i < table->count; i++) {
        int distance = fm_text_distance(key, table->entries[i].key);
        if (distance < least)
            nearest = table->entries[i].key, least = distance;
    }
    return nearest;
}

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

static bool is_unlimited(const fm_entry *entry)
{
    return entry->range.low == 0 && entry->range.high == 0;
}

double fm_range_low(const fm_entry *entry)
{
    return is_unlimited(entry) ? -LARGEST : entry->range.low;
}

double fm_range_high(const fm_entry *entry)
{
    return is_unlimited(entry) ? LARGEST : entry->range.high;
}

static void add_words(fm_text *text, const fm_entry *entry)
{
    for (int i = 0; fm_entry_word(entry, i); i++)
        fm_text_add(text, "%s%s", i ? ", " : "", fm_entry_word(entry, i));
}

static void add_interval(fm_text *text, const fm_entry *entry)
{
    const fm_range *range = &entry->range;
    if (range->low_open || range->high_open) {
        fm_text_add(text, range->low_open ? "above " : "at least ");
        fm_text_add_number(text, fm_range_low(entry));
        fm_text_add(text, range->high_open ? " and below " : " and at most ");
    } else {
        fm_text_add_number(text, fm_range_low(entry));
        fm_text_add(text, " to ");
    }
    fm_text_add_number(text, fm_range_high(entry));
    if (entry->unit)
        fm_text_add(text, " %s", entry->unit);
}

void fm_entry_add_range(fm_text *text, const fm_entry *entry)
{
    switch (entry->type) {
    case FM_KEY_NUMBER:
    case FM_KEY_INTEGER:
    case FM_KEY_INTEGERS:
    case FM_KEY_VECTOR:
    case FM_KEY_PAIR:
        add_interval(text, entry);
        return;
    case FM_KEY_WORD:
    case FM_KEY_WORDS:
        add_words(text, entry);
        return;
    case FM_KEY_BOOLEAN:
    case FM_KEY_TEXT:
    case FM_KEY_FILE:
    case FM_KEY_ROTATION:
    case FM_KEY_NAME:
    case FM_KEY_NAMES:
    case FM_KEY_MAPPING:
    case FM_KEY_NAMED:
    case FM_KEY_LIST:
        return;
    }
}
