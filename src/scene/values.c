// SPDX-License-Identifier: MIT
// values.c: single values: text checked against an entry of a table and put into place.
//
// A scalar is what its entry says it is: `yes` is a word and never a truth, `1e3` a number, `0x10`
// none. Numbers are [+-] digits [. digits] [e [+-] digits] and finite.
#include "scene/scene.h"

#include "motion/motion.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool fm_read_number(const char *text, double *value, const char **rest)
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
    *value = fm_parse_number(text, NULL); // the grammar above is a part of its own
    return *p == 0;
}

static void complain_of_kind(fm_decoder *d, const fm_entry *entry, const fm_node *node,
                             const char *needed)
{
    char shown[64];
    fm_text allowed = {0};
    fm_entry_add_range(&allowed, entry);
    const char *range = allowed.data && allowed.size ? allowed.data : "";
    if (node->kind == FM_NODE_SCALAR && !fm_node_is_empty(node))
        fm_complain(d->loader, node->place, "%s is \"%s\", it must be %s%s%s", d->path,
                    fm_text_shown(shown, node->text), needed, *range ? ": " : "", range);
    else
        fm_complain(d->loader, node->place, "%s is %s, it must be %s%s%s", d->path,
                    fm_node_kind_text(node), needed, *range ? ": " : "", range);
    free(allowed.data);
}

// "1100 kg/m^3" is a number with its unit, "1,5" has a comma: say so.
static void complain_of_number(fm_decoder *d, const fm_entry *entry, const fm_node *node)
{
    double value;
    const char *rest, *needed = entry->type == FM_KEY_INTEGER || entry->type == FM_KEY_INTEGERS
                                    ? "a whole number"
                                    : "a number";
    bool begins = node->kind == FM_NODE_SCALAR && !node->quoted &&
                  !fm_read_number(node->text, &value, &rest) && rest > node->text;
    if (node->quoted)
        needed = "a number, without quotes";
    else if (begins && (*rest == ' ' || (*rest >= 'a' && *rest <= 'z')))
        needed = "a number alone, without its unit";
    else if (begins && *rest == ',')
        needed = "a number with a point, not a comma";
    complain_of_kind(d, entry, node, needed);
}

static void complain_of_range(fm_decoder *d, const fm_entry *entry, const fm_node *node)
{
    char shown[64];
    fm_text allowed = {0};
    fm_entry_add_range(&allowed, entry);
    fm_complain(d->loader, node->place, "%s is %s, allowed is %s", d->path,
                fm_text_shown(shown, node->text), allowed.data ? allowed.data : "");
    free(allowed.data);
}

// In the unit of the file.
static bool read_number(fm_decoder *d, const fm_entry *entry, const fm_node *node, double *value)
{
    const char *rest;
    if (node->kind != FM_NODE_SCALAR || node->quoted || !fm_read_number(node->text, value, &rest)) {
        complain_of_number(d, entry, node);
        return false;
    }
    double low = fm_range_low(entry), high = fm_range_high(entry);
    bool above = entry->range.low_open ? *value > low : *value >= low;
    bool below = entry->range.high_open ? *value < high : *value <= high;
    if (above && below)
        return true;
    complain_of_range(d, entry, node);
    return false;
}

static bool read_scaled(fm_decoder *d, const fm_entry *entry, const fm_node *node, double *value)
{
    if (!read_number(d, entry, node, value))
        return false;
    if (entry->scale != 0)
        *value *= entry->scale;
    return true;
}

static bool read_integer(fm_decoder *d, const fm_entry *entry, const fm_node *node, int *value)
{
    double number;
    if (!read_number(d, entry, node, &number))
        return false;
    if (number != (double)(int)number || strpbrk(node->text, ".eE")) {
        complain_of_number(d, entry, node);
        return false;
    }
    *value = (int)number;
    return true;
}

static void decode_boolean(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    bool scalar = node->kind == FM_NODE_SCALAR && !node->quoted;
    bool value = scalar && strcmp(node->text, "true") == 0;
    if (!value && (!scalar || strcmp(node->text, "false") != 0))
        complain_of_kind(d, entry, node, "true or false");
    else if (entry->choice && !value)
        fm_complain(d->loader, node->place, "%s can only be true; leave it out otherwise", d->path);
    else if (!entry->unstored)
        *(bool *)at = value;
}

static void complain_of_word(fm_decoder *d, const fm_entry *entry, const fm_node *node)
{
    char shown[64];
    if (node->kind != FM_NODE_SCALAR || fm_node_is_empty(node)) {
        complain_of_kind(d, entry, node, "one of");
        return;
    }
    const char *nearest = NULL;
    int least = 3;
    for (int i = 0; fm_entry_word(entry, i); i++) {
        int distance = fm_text_distance(node->text, fm_entry_word(entry, i));
        if (distance < least)
            nearest = fm_entry_word(entry, i), least = distance;
    }
    fm_text allowed = {0};
    fm_entry_add_range(&allowed, entry);
    fm_complain(d->loader, node->place, "%s is \"%s\", %s%s%sallowed is %s", d->path,
                fm_text_shown(shown, node->text), nearest ? "did you mean \"" : "",
                nearest ? nearest : "", nearest ? "\"? " : "", allowed.data ? allowed.data : "");
    free(allowed.data);
}

static bool read_word(fm_decoder *d, const fm_entry *entry, const fm_node *node, int *value)
{
    int index = node->kind == FM_NODE_SCALAR ? fm_entry_word_index(entry, node->text) : -1;
    if (index < 0)
        complain_of_word(d, entry, node);
    else
        *value = index;
    return index >= 0;
}

static void decode_text(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    if (node->kind != FM_NODE_SCALAR || node->text[0] == 0)
        complain_of_kind(d, entry, node, "a text");
    else
        *(const char **)at = node->text;
}

static void decode_file(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    char path[4096];
    if (node->kind != FM_NODE_SCALAR || node->text[0] == 0)
        complain_of_kind(d, entry, node, "the name of a file");
    else if (!fm_file_path(node, path, sizeof path))
        fm_complain(d->loader, node->place, "%s is too long a path", d->path);
    else
        *(const char **)at = fm_loader_copy(d->loader, path, strlen(path));
}

// `count` numbers, written as a list.
static bool read_numbers(fm_decoder *d, const fm_entry *entry, const fm_node *node, int count,
                         double *values)
{
    if (node->kind != FM_NODE_LIST || node->count != count) {
        complain_of_kind(d, entry, node, count == 3 ? "[x, y, z]" : "[x, y]");
        return false;
    }
    bool good = true;
    int i = 0;
    for (const fm_node *each = node->first; each; each = each->next, i++) {
        size_t length = fm_decoder_enter(d, NULL, i);
        good = read_scaled(d, entry, each, &values[i]) && good;
        fm_decoder_leave(d, length);
    }
    return good;
}

static void decode_vector(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    double v[3] = {0};
    if (!read_numbers(d, entry, node, 3, v))
        return;
    if (entry->direction && v[0] == 0 && v[1] == 0 && v[2] == 0)
        fm_complain(d->loader, node->place, "%s is [0, 0, 0], which is no direction", d->path);
    else
        *(fm_vec3 *)at = (fm_vec3){v[0], v[1], v[2]};
}

static void decode_pair(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    double v[2] = {0};
    if (read_numbers(d, entry, node, 2, v))
        memcpy(at, v, sizeof v);
}

static void decode_rotation(fm_decoder *d, const fm_node *node, void *at)
{
    struct {
        fm_vec3 axis;
        double angle;
    } turn = {{0, 1, 0}, 0};
    fm_decode(d, &fm_rotation_table, node, &turn);
    if (fm_make_unit(&turn.axis))
        *(fm_quat *)at = fm_quat_of_turn(fm_scale(turn.axis, turn.angle));
}

// Bones of figures are motions too.
static bool is_bone(fm_decoder *d, const char *section, const char *text)
{
    char figure[FM_SCENE_NAME_MAX + 1];
    fm_bone bone;
    return (strcmp(section, "motions") == 0 || strcmp(section, "colliders") == 0) &&
           fm_split_bone_name(text, figure, &bone) &&
           fm_node_find(fm_node_find(d->root, "figures"), figure);
}

static bool check_name(fm_decoder *d, const fm_entry *entry, const fm_node *node)
{
    char shown[64];
    if (node->kind != FM_NODE_SCALAR || node->text[0] == 0) {
        complain_of_kind(d, entry, node, "a name");
        return false;
    }
    const fm_node *section = fm_node_find(d->root, entry->section);
    if (fm_node_find(section, node->text) || is_bone(d, entry->section, node->text))
        return true;
    const char *nearest = NULL;
    int least = 4;
    for (const fm_node *each = section && section->kind == FM_NODE_MAPPING ? section->first : NULL;
         each; each = each->next) {
        int distance = fm_text_distance(node->text, each->key);
        if (distance < least)
            nearest = each->key, least = distance;
    }
    char key[64];
    fm_text names = {0};
    if (nearest)
        fm_text_add(&names, "; did you mean \"%s\"?", fm_text_shown(key, nearest));
    else
        fm_node_add_names(section, &names);
    fm_complain(d->loader, node->place, "%s is \"%s\", which is not in %s%s", d->path,
                fm_text_shown(shown, node->text), entry->section, names.data ? names.data : "");
    free(names.data);
    return false;
}

static void decode_element(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    if (entry->type == FM_KEY_WORDS) {
        read_word(d, entry, node, at);
    } else if (entry->type == FM_KEY_INTEGERS) {
        read_integer(d, entry, node, at);
    } else {
        fm_thing *thing = at;
        if (check_name(d, entry, node))
            *thing = (fm_thing){node->text, node};
    }
}

// One value or a list of them.
static void decode_several(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
{
    size_t size = entry->type == FM_KEY_NAMES ? sizeof(fm_thing) : sizeof(int);
    int count = node->kind == FM_NODE_LIST ? node->count : 1;
    fm_items *items = at;
    if (entry->type == FM_KEY_NAMES && count > FM_SCENE_OBJECTS_MAX) {
        fm_complain(d->loader, node->place, "%s has %d names, at most %d are allowed", d->path,
                    count, FM_SCENE_OBJECTS_MAX);
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
    for (const fm_node *each = node->first; each && !fm_loader_is_full(d->loader);
         each = each->next, i++) {
        size_t length = fm_decoder_enter(d, NULL, i);
        decode_element(d, entry, each, data + (size_t)i * size);
        fm_decoder_leave(d, length);
    }
}

void fm_decode_value(fm_decoder *d, const fm_entry *entry, const fm_node *node, void *at)
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
    case FM_KEY_PAIR:
        decode_pair(d, entry, node, at);
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
        decode_several(d, entry, node, at);
        return;
    case FM_KEY_MAPPING:
    case FM_KEY_NAMED:
    case FM_KEY_LIST:
        return; // decode.c
    }
}
