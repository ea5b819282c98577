// SPDX-License-Identifier: MIT
// text.c: a string buffer that grows, number and string formatting, UTF-8 decoding, edit distance.
#include "scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Enlarges the buffer so that `more` bytes and a zero byte fit; false: out of memory.
static bool reserve(fm_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (text->capacity - text->size > more)
        return true;
    size_t capacity = 2 * text->capacity + more + 256;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

// Appends `size` bytes.
void fm_text_add_bytes(fm_text *text, const char *bytes, size_t size)
{
    if (!reserve(text, size))
        return;
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = 0;
}

// Appends a text in the format of printf.
void fm_text_add(fm_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = fm_text_format_args(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || !reserve(text, (size_t)size))
        return;
    va_start(arguments, format);
    fm_text_format_args(text->data + text->size, (size_t)size + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)size;
}

// Appends a number with the fewest digits that parse back to the same value.
void fm_text_add_number(fm_text *text, double value)
{
    char number[40];
    for (int digits = 1; digits <= 17; digits++) {
        fm_text_format(number, sizeof number, "%.*g", digits, value);
        if (fm_text_to_number(number, NULL) == value)
            break;
    }
    // whole numbers below 1e5 are written out; exponents as 1e5 and 1e-5, not 1e+05 and 1e-05
    double size = value < 0 ? -value : value;
    if (size >= 1 && size < 1e5 && value == (double)(long)value)
        snprintf(number, sizeof number, "%ld", (long)value);
    char *e = strchr(number, 'e');
    if (e) {
        long exponent = strtol(e + 1, NULL, 10);
        snprintf(e + 1, (size_t)(number + sizeof number - (e + 1)), "%ld", exponent);
    }
    fm_text_add(text, "%s", number);
}

// Appends the escape sequence of a Unicode code point, as YAML and JSON write it.
static void add_escape(fm_text *text, unsigned point)
{
    if (point == '\n')
        fm_text_add(text, "\\n");
    else if (point == '\t')
        fm_text_add(text, "\\t");
    else if (point <= 0xffff)
        fm_text_add(text, "\\u%04x", point);
    else
        fm_text_add(text, "\\U%08x", point);
}

// Appends a text in quotes, as YAML and JSON write it.
void fm_text_add_quoted(fm_text *text, const char *value)
{
    size_t size = strlen(value);
    fm_text_add(text, "\"");
    for (size_t i = 0; i < size;) {
        unsigned point = 0;
        int length = fm_text_decode_utf8((const unsigned char *)value + i, size - i, &point);
        if (length == 0) // never happens: read_yaml.c refuses invalid UTF-8
            break;
        if (point == '"' || point == '\\')
            fm_text_add(text, "\\%c", (int)point);
        else if (!fm_text_is_allowed_in_yaml(point) || fm_text_is_line_break(point) ||
                 point == '\t' || point == 0xfeff)
            add_escape(text, point);
        else
            fm_text_add_bytes(text, value + i, (size_t)length);
        i += (size_t)length;
    }
    fm_text_add(text, "\"");
}

// Returns the text, which the caller frees, and empties the buffer; NULL: out of memory.
char *fm_text_detach(fm_text *text, fm_error *err)
{
    if (!text->data && !text->failed)
        fm_text_add(text, "%s", "");
    if (text->failed) {
        free(text->data);
        *text = (fm_text){0};
        if (err)
            fm_fail_no_memory(err, "scene", text->capacity);
        return NULL;
    }
    char *data = text->data;
    *text = (fm_text){0};
    return data;
}

// Copies about 48 bytes of `value` for a message; unprintable characters become '?', and "..."
// marks a cut.
const char *fm_text_shorten(char shown[64], const char *value)
{
    enum { LONGEST = 48 }; // bytes; the last character may exceed it by three
    size_t size = strlen(value), end = 0;
    for (size_t i = 0; i < size && i < LONGEST;) {
        unsigned point = 0;
        int length = fm_text_decode_utf8((const unsigned char *)value + i, size - i, &point);
        bool good =
            length > 0 && fm_text_is_allowed_in_yaml(point) && !fm_text_is_line_break(point);
        size_t step = length > 0 ? (size_t)length : 1;
        if (good)
            memcpy(shown + end, value + i, step);
        else
            shown[end] = '?';
        end += good ? step : 1;
        i += step;
    }
    shown[end] = 0;
    if (size > LONGEST)
        memcpy(shown + end, "...", 4);
    return shown;
}

// Edit distance by dynamic programming over prefixes. Keeps three rows of the table: `now`, `last`,
// and `before`, which swapped letters need.
int fm_text_edit_distance(const char *one, const char *other)
{
    enum { LONGEST = 48 }; // longer texts count as this far apart
    size_t n = strlen(one), m = strlen(other);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = before[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int best = last[j - 1] + (one[i - 1] != other[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        int *free_row = before;
        before = last, last = now, now = free_row;
    }
    return last[m];
}

// Decodes the first code point of `bytes`. Returns its length in bytes, 0 for invalid UTF-8.
int fm_text_decode_utf8(const unsigned char *bytes, size_t size, unsigned *point)
{
    // smallest code point of an encoding of 1, 2, 3 or 4 bytes; a smaller one is overlong
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = size ? bytes[0] : 0x80;
    int length = first < 0x80             ? 1
                 : (first & 0xe0) == 0xc0 ? 2
                 : (first & 0xf0) == 0xe0 ? 3
                 : (first & 0xf8) == 0xf0 ? 4
                                          : 0;
    if (length == 0 || (size_t)length > size)
        return 0;
    unsigned value = length == 1 ? first : first & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < least[length] || value > 0x10ffff || surrogate)
        return 0;
    *point = value;
    return length;
}

// True for characters that YAML allows without an escape sequence.
bool fm_text_is_allowed_in_yaml(unsigned point)
{
    if (point < 0x20)
        return point == '\t' || point == '\n' || point == '\r';
    return (point < 0x7f || point > 0x9f || point == 0x85) && point != 0xfffe && point != 0xffff;
}

// True for the characters that libyaml counts as line ends.
bool fm_text_is_line_break(unsigned point)
{
    return point == '\n' || point == '\r' || point == 0x85 || point == 0x2028 || point == 0x2029;
}
