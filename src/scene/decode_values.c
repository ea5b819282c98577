// SPDX-License-Identifier: MIT
// decode_values.c: checks single values against their table entry and stores them.
//
// The entry alone determines the type of a scalar: `yes` is a word and never a boolean. Numbers are
// [+-] digits [. digits] [e [+-] digits] and finite; `1e3` is a number, `0x10` is not.
#include "scene/scene.h"

#include "motion/motion.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Suggestions for misspelt words and names: their edit distance is below these.
enum { WORD_DISTANCE_MAX = 3, NAME_DISTANCE_MAX = 4 };

// True for 0 to 9, in any locale.
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Parses [+-] digits [. digits] [e [+-] digits]. *rest: the first character that is not part of the
// number; true when that is the end of the text.
bool fm_text_parse_number(const char *text, double *value, const char **rest)
{
    const char *p = text + (*text == '-' || *text == '+'), *start = p;
    while (is_digit(*p))
        p++;
    int digits = (int)(p - start);
    if (*p == '.') {
        const char *point = p++;
        while (is_digit(*p))
            p++;
        digits += (int)(p - point) - 1;
    }
    *rest = text;
    if (digits == 0)
        return false;
    const char *e = p;
    if (*p == 'e' || *p == 'E') {
        p += 1 + (p[1] == '-' || p[1] == '+');
        if (!is_digit(*p))
            p = e;
        while (is_digit(*p))
            p++;
    }
    *rest = p;
    *value = fm_text_to_number(text, NULL); // accepts everything that was accepted above
    return *p == 0;
}

// Records that the value of a key has the wrong type. needed: what it must be, as "a number".
static void report_wrong_type(fm_decoder *d, const fm_entry *entry, const fm_node *node,
                              const char *needed)
{
    char shown[64];
    fm_text allowed = {0};
    fm_entry_add_range(&allowed, entry);
    const char *range = allowed.data && allowed.size ? allowed.data : "";
    if (node->kind == FM_NODE_SCALAR && !fm_node_is_empty(node))
        fm_loader_add_mistake(d->loader, node->place, "%s is \"%s\", it must be %s%s%s", d->path,
                              fm_text_shorten(shown, node->text), needed, *range ? ": " : "",
                              range);
    else
        fm_loader_add_mistake(d->loader, node->place, "%s is %s, it must be %s%s%s", d->path,
                              fm_node_kind_text(node), needed, *range ? ": " : "", range);
    free(allowed.data);
}

// Records that a value is not a number, and names the usual mistakes: quotes, a unit as in
// "1100 kg/m^3", a decimal comma as in "1,5".
static void report_bad_number(fm_decoder *d, const fm_entry *entry, const fm_node *node)
{
    double value;
    const char *rest, *needed = entry->type == FM_KEY_INTEGER || entry->type == FM_KEY_INTEGERS
                                    ? "a whole number"
                                    : "a number";
    bool starts_as_number = node->kind == FM_NODE_SCALAR && !node->quoted &&
                            !fm_text_parse_number(node->text, &value, &rest) && rest > node->text;
    if (node->quoted)
        needed = "a number, without quotes";
    else if (starts_as_number && (*rest == ' ' || (*rest >= 'a' && *rest <= 'z')))
        needed = "a number without its unit";
    else if (starts_as_number && *rest == ',')
        needed = "a number with a point, not a comma";
    report_wrong_type(d, entry, node, needed);
}

// Records that a number is outside the range of its key.
static void report_out_of_range(fm_decoder *d, const fm_entry *entry, const fm_node *node)
{
    char shown[64];
    fm_text allowed = {0};
    fm_entry_add_range(&allowed, entry);
    fm_loader_add_mistake(d->loader, node->place, "%s is %s, allowed is %s", d->path,
                          fm_text_shorten(shown, node->text), allowed.data ? allowed.data : "");
    free(allowed.data);
}

// Reads a number, in the unit that the scene file uses, and checks its range.
static bool read_number(fm_decoder *d, const fm_entry *entry, const fm_node *node, double *value)
{
    const char *rest;
    bool plain = node->kind == FM_NODE_SCALAR && !node->quoted;
    if (plain && entry->automatic && strcmp(node->text, "auto") == 0) {
        *value = -1;
        return true;
    }
    if (!plain || !fm_text_parse_number(node->text, value, &rest)) {
        report_bad_number(d, entry, node);
        return false;
    }
    double low = fm_entry_lower_limit(entry), high = fm_entry_upper_limit(entry);
    bool above_low = entry->range.low_open ? *value > low : *value >= low;
    bool below_high = entry->range.high_open ? *value < high : *value <= high;
    if (above_low && below_high)
        return true;
    report_out_of_range(d, entry, node);
    return false;
}

// Reads a number, checks its range and converts it to SI units.
static bool read_scaled(fm_decoder *d, const fm_entry *entry, const fm_node *node, double *value)
{
    if (!read_number(d, entry, node, value))
        return false;
    if (entry->scale != 0)
        *value *= entry->scale;
    return true;
}

// Reads a whole number and checks its range. It may have an exponent: runs store 200000 as 2e5.
static bool read_integer(fm_decoder *d, const fm_entry *entry, const fm_node *node, int *value)
{
    double number;
    if (!read_number(d, entry, node, &number))
        return false;
    if (number != (double)(int)number || strchr(node->text, '.')) {
        report_bad_number(d, entry, node);
        return false;
    }
    *value = (int)number;
    return true;
}

// Reads true or false.
static void decode_boolean(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    bool scalar = node->kind == FM_NODE_SCALAR && !node->quoted;
    bool value = scalar && strcmp(node->text, "true") == 0;
    if (!value && (!scalar || strcmp(node->text, "false") != 0))
        report_wrong_type(d, entry, node, "true or false");
    else if (entry->choice && !value)
        fm_loader_add_mistake(d->loader, node->place,
                              "%s can only be true; to switch it off, leave it out", d->path);
    else if (!entry->not_stored)
        *(bool *)at = value;
}

// Records that a value is none of the words that its key allows, with a suggestion.
static void report_unknown_word(fm_decoder *d, const fm_entry *entry, const fm_node *node)
{
    char shown[64];
    if (node->kind != FM_NODE_SCALAR || fm_node_is_empty(node)) {
        report_wrong_type(d, entry, node, "one of");
        return;
    }
    const char *nearest = NULL;
    int least = WORD_DISTANCE_MAX;
    for (int i = 0; fm_entry_word(entry, i); i++) {
        int distance = fm_text_edit_distance(node->text, fm_entry_word(entry, i));
        if (distance < least)
            nearest = fm_entry_word(entry, i), least = distance;
    }
    fm_text allowed = {0};
    fm_entry_add_range(&allowed, entry);
    fm_loader_add_mistake(d->loader, node->place, "%s is \"%s\", %s%s%sallowed is %s", d->path,
                          fm_text_shorten(shown, node->text), nearest ? "did you mean \"" : "",
                          nearest ? nearest : "", nearest ? "\"? " : "",
                          allowed.data ? allowed.data : "");
    free(allowed.data);
}

// Reads one of the words that a key allows; *value: its index in the list of words.
static bool read_word(fm_decoder *d, const fm_entry *entry, const fm_node *node, int *value)
{
    int index = node->kind == FM_NODE_SCALAR ? fm_entry_find_word(entry, node->text) : -1;
    if (index < 0)
        report_unknown_word(d, entry, node);
    else
        *value = index;
    return index >= 0;
}

// Reads a text that is not empty.
static void decode_text(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    if (node->kind != FM_NODE_SCALAR || node->text[0] == 0)
        report_wrong_type(d, entry, node, "a text");
    else
        *(const char **)at = node->text;
}

// Reads the name of a file and stores its absolute path.
static void decode_file(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    char path[4096];
    if (node->kind != FM_NODE_SCALAR || node->text[0] == 0)
        report_wrong_type(d, entry, node, "the name of a file");
    else if (!fm_node_resolve_path(node, path, sizeof path))
        fm_loader_add_mistake(d->loader, node->place, "%s: the path of the file is too long",
                              d->path);
    else
        *(const char **)at = fm_loader_copy_text(d->loader, path, strlen(path));
}

// Reads a list of exactly `count` numbers.
static bool read_numbers(fm_decoder *d, const fm_entry *entry, const fm_node *node, int count,
                         double *values)
{
    if (node->kind != FM_NODE_LIST || node->count != count) {
        report_wrong_type(d, entry, node, "[x, y, z]");
        return false;
    }
    bool good = true;
    int i = 0;
    for (const fm_node *each = node->first; each; each = each->next, i++) {
        size_t length = fm_decoder_enter_path(d, NULL, i);
        good = read_scaled(d, entry, each, &values[i]) && good;
        fm_decoder_leave_path(d, length);
    }
    return good;
}

// Reads [x, y, z].
static void decode_vector(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    double v[3] = {0};
    if (!read_numbers(d, entry, node, 3, v))
        return;
    if (entry->nonzero && v[0] == 0 && v[1] == 0 && v[2] == 0)
        fm_loader_add_mistake(d->loader, node->place, "%s is [0, 0, 0], which has no direction",
                              d->path);
    else
        *(fm_vec3 *)at = (fm_vec3){v[0], v[1], v[2]};
}

// Reads the point of a probe: [u, v] on a body, within the range of the entry, or [x, y, z] in
// space, m.
static void decode_probe_point(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    int count = node->kind == FM_NODE_LIST ? node->count : 0;
    fm_probe_point point = {.count = count};
    fm_entry number = *entry; // entry for a single coordinate
    number.type = FM_KEY_NUMBER;
    if (count == 3) {
        number.range = (fm_range)FM_PROBE_POINT_RANGE;
        number.unit = "m";
    }
    if (count != 2 && count != 3)
        report_wrong_type(d, entry, node, "[u, v] or [x, y, z]");
    else if (read_numbers(d, &number, node, count, point.at))
        *(fm_probe_point *)at = point;
}

// Reads a rotation, given as axis and angle, and stores it as a quaternion.
static void decode_rotation(fm_decoder *d, const fm_node *node, void *at)
{
    struct {
        fm_vec3 axis;
        double angle;
    } turn = {{0, 1, 0}, 0};
    fm_decoder_decode_mapping(d, &fm_rotation_table, node, &turn);
    if (fm_normalize(&turn.axis))
        *(fm_quat *)at = fm_quat_from_rotation_vector(fm_scale(turn.axis, turn.angle));
}

// True when `text` is a bone of a figure, as "woman.pelvis", and the section allows bones.
static bool is_bone(fm_decoder *d, const char *section, const char *text)
{
    char figure[FM_SCENE_NAME_MAX + 1];
    fm_bone bone;
    return (strcmp(section, "motions") == 0 || strncmp(section, "colliders", 9) == 0) &&
           fm_scene_split_bone_name(text, figure, &bone) &&
           fm_node_find(fm_node_find(d->root, "figures"), figure);
}

// Takes the next name from a list "bodies, fluids" and finds that section, NULL if the scene has
// none. False after the last name.
static bool next_section(fm_decoder *d, const char **names, const fm_node **section)
{
    char name[32];
    size_t size = strcspn(*names, ",");
    snprintf(name, sizeof name, "%.*s", (int)size, *names);
    *section = fm_node_find(d->root, name);
    *names += size + strspn(*names + size, ", ");
    return size > 0;
}

// Appends "; did you mean ...?", or all names of the entry's sections when none is similar.
static void add_suggestion(fm_decoder *d, const fm_entry *entry, const char *wanted, fm_text *text)
{
    const fm_node *section;
    const char *nearest = NULL;
    int least = NAME_DISTANCE_MAX;
    for (const char *names = entry->section; next_section(d, &names, &section);) {
        for (const fm_node *each = section && section->kind == FM_NODE_MAPPING ? section->first
                                                                               : NULL;
             each; each = each->next) {
            int distance = fm_text_edit_distance(wanted, each->key);
            if (distance < least)
                nearest = each->key, least = distance;
        }
    }
    char shown[64];
    if (nearest)
        fm_text_add(text, "; did you mean \"%s\"?", fm_text_shorten(shown, nearest));
    for (const char *names = entry->section; !nearest && next_section(d, &names, &section);)
        fm_node_add_names(section, text);
}

// Checks that a value is the name of an object in one of the key's sections, or a bone.
static bool check_name(fm_decoder *d, const fm_entry *entry, const fm_node *node)
{
    char shown[64];
    const fm_node *section;
    if (node->kind != FM_NODE_SCALAR || node->text[0] == 0) {
        report_wrong_type(d, entry, node, "a name");
        return false;
    }
    for (const char *names = entry->section; next_section(d, &names, &section);) {
        if (fm_node_find(section, node->text))
            return true;
    }
    if (is_bone(d, entry->section, node->text))
        return true;
    fm_text names = {0};
    add_suggestion(d, entry, node->text, &names);
    fm_loader_add_mistake(d->loader, node->place, "%s is \"%s\", which is not in %s%s", d->path,
                          fm_text_shorten(shown, node->text), entry->section,
                          names.data ? names.data : "");
    free(names.data);
    return false;
}

// Reads one element of a list of words, whole numbers or names.
static void decode_element(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    if (entry->type == FM_KEY_WORDS) {
        read_word(d, entry, node, at);
    } else if (entry->type == FM_KEY_INTEGERS) {
        read_integer(d, entry, node, at);
    } else {
        fm_item *item = at;
        if (check_name(d, entry, node))
            *item = (fm_item){node->text, node};
    }
}

// Reads one value or a list of values of the types FM_KEY_WORDS, FM_KEY_INTEGERS and FM_KEY_NAMES.
static void decode_list(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    size_t size = entry->type == FM_KEY_NAMES ? sizeof(fm_item) : sizeof(int);
    int count = node->kind == FM_NODE_LIST ? node->count : 1;
    fm_items *items = at;
    if (entry->type == FM_KEY_NAMES && count > FM_SCENE_OBJECTS_MAX) {
        fm_loader_add_mistake(d->loader, node->place, "%s has %d names, allowed are at most %d",
                              d->path, count, FM_SCENE_OBJECTS_MAX);
        return;
    }
    char *data = fm_loader_alloc(d->loader, (size_t)count + 1, size);
    if (!data)
        return;
    *items = (fm_items){data, count};
    if (node->kind != FM_NODE_LIST) {
        decode_element(d, entry, node, data);
        return;
    }
    int i = 0;
    for (const fm_node *each = node->first; each && !fm_loader_has_too_many_mistakes(d->loader);
         each = each->next, i++) {
        size_t length = fm_decoder_enter_path(d, NULL, i);
        decode_element(d, entry, each, data + (size_t)i * size);
        fm_decoder_leave_path(d, length);
    }
}

// Decodes a single value or a list of values of the key `entry` and stores it at `at`.
void fm_decoder_decode_value(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    double number;
    switch (entry->type) {
    case FM_KEY_NUMBER:
        if (read_scaled(d, entry, node, &number))
            *(double *)at = number;
        return;
    case FM_KEY_INTEGER:
        read_integer(d, entry, node, at);
        return;
    case FM_KEY_BOOLEAN:
        decode_boolean(d, entry, node, at);
        return;
    case FM_KEY_WORD:
        read_word(d, entry, node, at);
        return;
    case FM_KEY_TEXT:
        decode_text(d, entry, node, at);
        return;
    case FM_KEY_FILE:
        decode_file(d, entry, node, at);
        return;
    case FM_KEY_VECTOR:
        decode_vector(d, entry, node, at);
        return;
    case FM_KEY_PROBE_POINT:
        decode_probe_point(d, entry, node, at);
        return;
    case FM_KEY_ROTATION:
        decode_rotation(d, node, at);
        return;
    case FM_KEY_NAME:
        if (check_name(d, entry, node))
            *(const char **)at = node->text;
        return;
    case FM_KEY_WORDS:
    case FM_KEY_INTEGERS:
    case FM_KEY_NAMES:
        decode_list(d, entry, node, at);
        return;
    case FM_KEY_MAPPING:
    case FM_KEY_NAMED:
    case FM_KEY_LIST:
        return; // decode.c handles these
    }
}
