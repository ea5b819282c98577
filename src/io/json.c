// SPDX-License-Identifier: MIT
// json.c: the part of JSON (RFC 8259) that run.json and setting.json need: writes strings and
// numbers, finds and reads values.
//
// fm_json_check validates a whole text once. The other reading functions rely on that: they step
// over values without checking for the end of the text.
#include "io/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 }; // nested objects and arrays

// Writes a JSON string, with quotes and escapes.
void fm_json_write_string(fm_writer *w, const char *text)
{
    fm_writer_write(w, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fm_writer_print(w, "\\%c", *c);
        else if (*c == '\n')
            fm_writer_print(w, "\\n");
        else if (*c < 0x20)
            fm_writer_print(w, "\\u%04x", *c);
        else
            fm_writer_write(w, c, 1);
    }
    fm_writer_write(w, "\"", 1);
}

// Writes `, "name": number`, or an array if count > 1.
void fm_json_write_numbers(fm_writer *w, const char *name, const double *values, int count)
{
    fm_writer_print(w, ", \"%s\": %s", name, count > 1 ? "[" : "");
    for (int i = 0; i < count; i++)
        fm_writer_print(w, "%s%.17g", i ? ", " : "", values[i]);
    fm_writer_print(w, "%s", count > 1 ? "]" : "");
}

// Writes the members of the struct at `base` that are not zero; table: their names and offsets.
void fm_json_write_fields(fm_writer *w, const fm_json_field *table, const void *base)
{
    for (; table->name; table++) {
        const double *values = (const double *)((const char *)base + table->offset);
        bool zero = true;
        for (int i = 0; i < table->count; i++)
            zero &= values[i] == 0;
        if (!zero)
            fm_json_write_numbers(w, table->name, values, table->count);
    }
}

// Decodes the JSON string at `in`; the caller frees it. NULL if there is none. end (may be NULL):
// receives the position after it.
char *fm_json_read_string(const char *in, const char **end)
{
    char *text = in && *in == '"' ? malloc(strlen(in)) : NULL, *out = text;
    if (!text)
        return NULL;
    for (in++; *in && *in != '"'; in++) {
        char c = *in;
        if (c == '\\' && in[1]) {
            c = *++in;
            if (c == 'n')
                c = '\n';
            else if (c == 'u' && strlen(in) > 4) {
                char digits[5] = {in[1], in[2], in[3], in[4], 0};
                c = (char)strtol(digits, NULL, 16);
                in += 4;
            }
        }
        *out++ = c;
    }
    *out = 0;
    if (end)
        *end = *in ? in + 1 : in;
    return text;
}

// First character that is not white space.
static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

// Position after the string that begins at `at`; NULL if it does not end or there is none.
static const char *skip_string(const char *at)
{
    if (*at != '"')
        return NULL;
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && !*++at)
            return NULL;
    return *at ? at + 1 : NULL;
}

static const char *skip_value(const char *at, int depth);

// Skips the array or object that begins at `at` and returns the position after its closing bracket;
// NULL if it is not closed or holds something that is no JSON value.
static const char *skip_members(const char *at, int depth)
{
    bool object = *at == '{';
    char closing = object ? '}' : ']';
    at = skip_blanks(at + 1);
    if (*at == closing)
        return at + 1;
    for (;;) {
        if (object) {
            at = skip_string(at);
            at = at ? skip_blanks(at) : NULL;
            if (!at || *at != ':')
                return NULL;
            at = skip_blanks(at + 1);
        }
        at = skip_value(at, depth);
        at = at ? skip_blanks(at) : NULL;
        if (!at || (*at != ',' && *at != closing))
            return NULL;
        if (*at++ == closing)
            return at;
        at = skip_blanks(at);
    }
}

// Position after the JSON value at `at`; NULL if there is none. depth: of nested arrays and
// objects.
static const char *skip_value(const char *at, int depth)
{
    if (*at == '"')
        return skip_string(at);
    if (*at == '{' || *at == '[')
        return depth < DEPTH_MAX ? skip_members(at, depth + 1) : NULL;
    size_t length = strspn(at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
    return length > 0 ? at + length : NULL;
}

// True if the text is one complete JSON object.
bool fm_json_check(const char *text)
{
    const char *at = skip_blanks(text);
    at = *at == '{' ? skip_value(at, 0) : NULL;
    return at && *skip_blanks(at) == 0;
}

// First item of an array, or first key of an object; NULL if it is empty or neither.
const char *fm_json_first_item(const char *array)
{
    if (!array || (*array != '[' && *array != '{'))
        return NULL;
    array = skip_blanks(array + 1);
    return *array == ']' || *array == '}' ? NULL : array;
}

// The item after this one, or the key after this value; NULL after the last.
const char *fm_json_next_item(const char *item)
{
    item = skip_blanks(skip_value(item, 0));
    return *item == ',' ? skip_blanks(item + 1) : NULL;
}

// The value of a key of an object; NULL if there is none.
const char *fm_json_find_value(const char *object, const char *key)
{
    object = object ? skip_blanks(object) : NULL;
    if (!object || *object != '{')
        return NULL;
    size_t length = strlen(key);
    for (const char *name = fm_json_first_item(object); name;) {
        const char *after_name = skip_string(name),
                   *value = skip_blanks(skip_blanks(after_name) + 1);
        if ((size_t)(after_name - name) == length + 2 && strncmp(name + 1, key, length) == 0)
            return value;
        name = fm_json_next_item(value);
    }
    return NULL;
}

// Reads a finite number that a separator or white space follows.
static bool read_number(const char *at, double *number)
{
    char *end;
    *number = fm_text_to_number(at, &end);
    return end != at && strchr(",]} \t\r\n", *end) && isfinite(*number);
}

// Reads one number, or an array of exactly `count`; false if one is missing or not finite.
bool fm_json_read_numbers(const char *value, double *numbers, int count)
{
    if (value && *value != '[')
        return count == 1 && read_number(value, numbers);
    const char *item = fm_json_first_item(value);
    for (int i = 0; i < count; i++, item = item ? fm_json_next_item(item) : NULL)
        if (!item || !read_number(item, &numbers[i]))
            return false;
    return !item;
}

// Reads the members of the struct at `base` that the object has keys for. Returns NULL, or the name
// of the first with a wrong value.
const char *fm_json_read_fields(const char *object, const fm_json_field *table, void *base)
{
    for (; table->name; table++) {
        const char *value = fm_json_find_value(object, table->name);
        double *to = (double *)((char *)base + table->offset);
        if (value && !fm_json_read_numbers(value, to, table->count))
            return table->name;
    }
    return NULL;
}

// True if the value is this bare word.
bool fm_json_equals_word(const char *value, const char *word)
{
    size_t length = strlen(word);
    return value && strncmp(value, word, length) == 0 && strchr(",]} \t\r\n", value[length]);
}
