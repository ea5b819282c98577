// SPDX-License-Identifier: MIT
// ply_read.c: reads one property of the vertices of a PLY file [TUR94], text or binary little
// endian. The element vertex must be the first one and have no lists, as all programs write it.
#include "io/io.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLY_BYTES_MAX = 1 << 30, LINE_SIZE = 256 };

// A type of numbers, under both of its names.
typedef struct number_type {
    const char *name, *other;
    size_t size; // bytes
} number_type;

enum { CHAR, UCHAR, SHORT, USHORT, INT, UINT, FLOAT, DOUBLE, TYPE_COUNT };
static const number_type types[TYPE_COUNT] = {
    {"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
    {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8}};

// The header of a file, as far as it was read.
typedef struct header {
    const char *path, *property;
    fm_error *err;
    bool text;         // numbers are text; else binary
    long vertex_count; // -1: not seen
    bool in_vertex;    // properties are those of vertices
    int columns;       // properties of a vertex
    size_t stride;     // bytes of a vertex
    int column, type;  // of the property; type -1: not seen
    size_t offset;     // bytes of a vertex before it
    const char *data;  // after the header
} header;

static bool fail(const header *h, const char *field, const char *text)
{
    return fm_fail_content(h->err, FM_BAD_VALUE, h->path, field, "%s", text);
}

// Handles `property TYPE NAME` of a vertex.
static bool read_property(header *h, const char *type, const char *name)
{
    int t = 0;
    while (t < TYPE_COUNT && strcmp(type, types[t].name) != 0 && strcmp(type, types[t].other) != 0)
        t++;
    if (t == TYPE_COUNT)
        return fail(h, "property", "its type is not a number");
    if (strcmp(name, h->property) == 0)
        h->type = t, h->column = h->columns, h->offset = h->stride;
    h->columns++;
    h->stride += types[t].size;
    return true;
}

// Reads a line of the header; `ended` is set at its last line.
static bool read_header_line(header *h, const char *line, bool *ended)
{
    char word[3][64] = {"", "", ""};
    sscanf(line, "%63s %63s %63s", word[0], word[1], word[2]);
    if (strcmp(word[0], "format") == 0) {
        h->text = strcmp(word[1], "ascii") == 0;
        return h->text || strcmp(word[1], "binary_little_endian") == 0 ||
               fail(h, "format", "neither ascii nor binary_little_endian");
    }
    if (strcmp(word[0], "element") == 0) {
        h->in_vertex = strcmp(word[1], "vertex") == 0;
        if (h->vertex_count < 0 && !h->in_vertex)
            return fail(h, "element", "vertex is not the first one");
        h->vertex_count = h->in_vertex ? strtol(word[2], NULL, 10) : h->vertex_count;
    }
    if (strcmp(word[0], "property") == 0 && h->in_vertex)
        return read_property(h, word[1], word[2]);
    *ended = strcmp(word[0], "end_header") == 0;
    return true;
}

static bool read_header(header *h, const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size;
    bool ended = false;
    if (size < 4 || memcmp(bytes, "ply", 3) != 0)
        return fail(h, "file", "not a PLY file");
    while (!ended) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        char line[LINE_SIZE];
        if (!newline || (size_t)(newline - at) >= sizeof line)
            return fail(h, "header", "cut short, or a line of more than 255 characters");
        memcpy(line, at, (size_t)(newline - at));
        line[newline - at] = 0;
        if (!read_header_line(h, line, &ended))
            return false;
        at = newline + 1;
    }
    h->data = at;
    if (h->type < 0)
        return fail(h, h->property, "the vertices have no such property");
    return true;
}

// The number of this type at an address.
static double read_number(const char *at, int type)
{
    int16_t s = 0;
    int32_t i = 0;
    float f = 0;
    double d = 0;
    switch (type) {
    case CHAR:
        return (signed char)*at;
    case UCHAR:
        return (unsigned char)*at;
    case SHORT:
    case USHORT:
        memcpy(&s, at, sizeof s);
        return type == SHORT ? s : (uint16_t)s;
    case INT:
    case UINT:
        memcpy(&i, at, sizeof i);
        return type == INT ? i : (double)(uint32_t)i;
    case FLOAT:
        memcpy(&f, at, sizeof f);
        return (double)f;
    default:
        memcpy(&d, at, sizeof d);
        return d;
    }
}

// Reads the numbers of a text file. bytes end with a zero (fm_file_read).
static bool read_text(const header *h, double *values)
{
    const char *at = h->data;
    for (long i = 0; i < h->vertex_count; i++)
        for (int column = 0; column < h->columns; column++) {
            char *rest = (char *)(uintptr_t)at;
            double value = fm_text_to_number(at, &rest);
            if (rest == at)
                return fail(h, h->property, "the file has too few numbers");
            if (column == h->column)
                values[i] = value;
            at = rest;
        }
    return true;
}

// Reads a property of all vertices. Bytes without sign are divided by 255.
bool fm_ply_read_property(const char *path, const char *property, int vertex_count, double *values,
                          fm_error *err)
{
    size_t size;
    char *bytes = err->status == FM_OK ? fm_file_read(path, PLY_BYTES_MAX, &size, err) : NULL;
    if (!bytes)
        return false;
    header h = {.path = path, .property = property, .err = err, .vertex_count = -1, .type = -1};
    bool good = read_header(&h, bytes, size);
    if (good && h.vertex_count != vertex_count)
        good = fm_fail_content(err, FM_BAD_VALUE, path, "vertices", "%ld, the mesh has %d",
                               h.vertex_count, vertex_count);
    if (good && h.text) {
        good = read_text(&h, values);
    } else if (good) {
        good = (size_t)(bytes + size - h.data) >= h.stride * (size_t)vertex_count ||
               fail(&h, "file", "cut short");
        for (int i = 0; good && i < vertex_count; i++)
            values[i] = read_number(h.data + h.stride * (size_t)i + h.offset, h.type);
    }
    for (int i = 0; good && i < vertex_count && h.type == UCHAR; i++)
        values[i] /= 255;
    free(bytes);
    return good;
}
