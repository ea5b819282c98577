// SPDX-License-Identifier: MIT
// vtk_read.c: VTK XML PolyData back into a surface.
//
// Reads what vtk.c writes and what other programs write in the same manner: one piece of polygons,
// raw appended arrays, little endian, not compressed; points and point data in Float32 or Float64,
// polygons in Int32 or Int64, lengths in UInt32 or UInt64. Expat reads the head and is stopped at
// AppendedData, after which the file is no XML any more. A file may be damaged: every count, offset
// and index is checked against the bytes that are there before anything is made of it.
#include "io/io.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_MAX = 1 << 20, // bytes before AppendedData
    CHUNK = 1 << 14,    // of the head, handed to expat
    COUNT_MAX = 1 << 28 // points, faces, corners: three times that is still an int
};

typedef struct type {
    const char *name;
    size_t size;
    bool real;
} type;

static const type types[] = {
    {"Float32", 4, true}, {"Float64", 8, true}, {"Int32", 4, false}, {"Int64", 8, false}};

typedef struct array {
    const type *type; // NULL: not in the file
    char name[FM_FIELD_NAME_SIZE];
    int components;
    uint64_t offset;
    const char *bytes; // of its block
    uint64_t size;
} array;

typedef enum section { NOWHERE, FIELD_DATA, POINT_DATA, POINTS, POLYS, ELSEWHERE } section;

typedef struct reader {
    const char *path;
    fm_error *err;
    XML_Parser parser;
    section section;
    bool root;
    int piece_count;
    size_t header_size; // of a block's length
    uint64_t point_count, face_count;
    array time, points, connectivity, offsets, fields[FM_SURFACE_FIELDS_MAX];
    int field_count;
    size_t data_start; // where AppendedData begins, 0 before it was seen
    const char *data;
    uint64_t data_size;
} reader;

static bool fail(reader *r, const char *field, const char *text)
{
    fm_fail_content(r->err, FM_INPUT_OUTPUT, r->path, field, "%s", text);
    if (r->parser)
        XML_StopParser(r->parser, XML_FALSE);
    return false;
}

static const char *attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static bool is(const char **attributes, const char *name, const char *value)
{
    const char *text = attribute(attributes, name);
    return text && strcmp(text, value) == 0;
}

// A count in plain digits, up to and with the limit. An attribute that is not there counts as
// `missing`.
static uint64_t parse_count(reader *r, const char **attributes, const char *name, uint64_t limit,
                            uint64_t missing)
{
    const char *text = attribute(attributes, name);
    if (!text)
        return missing;
    uint64_t value = 0;
    bool good = *text != 0;
    for (const char *c = text; *c && good; c++) {
        good = *c >= '0' && *c <= '9' && value <= (limit - (uint64_t)(*c - '0')) / 10;
        value = 10 * value + (uint64_t)(*c - '0');
    }
    if (good)
        return value;
    fail(r, name, "no number, or more than can be read");
    return missing;
}

static void begin_file(reader *r, const char **attributes)
{
    r->root = true;
    if (!is(attributes, "type", "PolyData"))
        fail(r, "VTKFile", "its type is not PolyData");
    else if (!is(attributes, "byte_order", "LittleEndian"))
        fail(r, "byte_order", "not LittleEndian");
    else if (attribute(attributes, "compressor"))
        fail(r, "compressor", "compressed files are not read");
    else if (is(attributes, "header_type", "UInt64"))
        r->header_size = 8;
    else if (is(attributes, "header_type", "UInt32") || !attribute(attributes, "header_type"))
        r->header_size = 4;
    else
        fail(r, "header_type", "neither UInt32 nor UInt64");
}

static void begin_piece(reader *r, const char **attributes)
{
    if (++r->piece_count > 1) {
        fail(r, "Piece", "more than one");
        return;
    }
    r->point_count = parse_count(r, attributes, "NumberOfPoints", COUNT_MAX, 0);
    r->face_count = parse_count(r, attributes, "NumberOfPolys", COUNT_MAX, 0);
    static const char *const others[] = {"NumberOfLines", "NumberOfStrips"};
    for (int i = 0; i < 2; i++)
        if (parse_count(r, attributes, others[i], COUNT_MAX, 0) > 0)
            fail(r, others[i], "only points and polygons are read");
    // a vertex for every point says nothing that the points do not
    parse_count(r, attributes, "NumberOfVerts", COUNT_MAX, 0);
}

static void read_array(reader *r, const char **attributes, array *a)
{
    const char *type_name = attribute(attributes, "type"), *name = attribute(attributes, "Name");
    if (!name || strlen(name) >= sizeof a->name) {
        fail(r, "DataArray", "no Name, or one of more than 31 characters");
        return;
    }
    memcpy(a->name, name, strlen(name) + 1);
    if (!is(attributes, "format", "appended"))
        fail(r, name, "its format is not appended");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type_name && strcmp(type_name, types[i].name) == 0)
            a->type = &types[i];
    if (!a->type)
        fail(r, name, "its type is none of Float32 Float64 Int32 Int64");
    if (!attribute(attributes, "offset"))
        fail(r, name, "no offset");
    a->offset = parse_count(r, attributes, "offset", INT64_MAX, 0);
    a->components = (int)parse_count(r, attributes, "NumberOfComponents", 9, 1);
    if (a->components < 1)
        fail(r, name, "no components");
}

static void begin_array(reader *r, const char **attributes)
{
    array ignored = {0}, *a = NULL;
    const char *name = attribute(attributes, "Name");
    if (r->section == POINTS)
        a = &r->points;
    else if (r->section == FIELD_DATA && is(attributes, "Name", "TimeValue"))
        a = &r->time;
    else if (r->section == POLYS && name)
        a = strcmp(name, "connectivity") == 0 ? &r->connectivity
            : strcmp(name, "offsets") == 0    ? &r->offsets
                                              : NULL;
    else if (r->section == POINT_DATA)
        a = r->field_count < FM_SURFACE_FIELDS_MAX ? &r->fields[r->field_count++] : &ignored;
    if (a == &ignored)
        fail(r, "PointData", "more than 16 arrays");
    else if (a && a->type)
        fail(r, a->name, "there twice");
    else if (a)
        read_array(r, attributes, a);
}

// Arrays hold other elements in VTK's own files (InformationKey): only these tell where we are.
static bool is_section(const char *name, section *found)
{
    static const struct {
        const char *name;
        section section;
    } sections[] = {{"FieldData", FIELD_DATA}, {"PointData", POINT_DATA}, {"Points", POINTS},
                    {"Polys", POLYS},          {"CellData", ELSEWHERE},   {"Verts", ELSEWHERE},
                    {"Lines", ELSEWHERE},      {"Strips", ELSEWHERE}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(name, sections[i].name) == 0) {
            *found = sections[i].section;
            return true;
        }
    }
    return false;
}

static void begin_data(reader *r, const char **attributes)
{
    if (!is(attributes, "encoding", "raw")) {
        fail(r, "AppendedData", "its encoding is not raw");
        return;
    }
    r->data_start =
        (size_t)XML_GetCurrentByteIndex(r->parser) + (size_t)XML_GetCurrentByteCount(r->parser);
    XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL begin(void *context, const char *name, const char **attributes)
{
    reader *r = context;
    if (!r->root && strcmp(name, "VTKFile") == 0)
        begin_file(r, attributes);
    else if (!r->root)
        fail(r, name, "the file is no VTKFile");
    else if (strcmp(name, "Piece") == 0)
        begin_piece(r, attributes);
    else if (strcmp(name, "DataArray") == 0)
        begin_array(r, attributes);
    else if (strcmp(name, "AppendedData") == 0)
        begin_data(r, attributes);
    else
        is_section(name, &r->section);
}

static void XMLCALL end(void *context, const char *name)
{
    reader *r = context;
    section ended;
    if (is_section(name, &ended))
        r->section = NOWHERE;
}

// Entities could make a small file large; nobody writes them here.
static void XMLCALL refuse_doctype(void *context, const char *name, const char *system_id,
                                   const char *public_id, int internal)
{
    (void)name, (void)system_id, (void)public_id, (void)internal;
    fail(context, "DOCTYPE", "not allowed");
}

static bool parse_head(reader *r, const char *bytes, size_t size)
{
    r->parser = XML_ParserCreate(NULL);
    if (!r->parser)
        return fm_fail_no_memory(r->err, "XML parser", 0);
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin, end);
    XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
    enum XML_Status status = XML_STATUS_OK;
    size_t at = 0, head = size < HEAD_MAX ? size : HEAD_MAX;
    while (status == XML_STATUS_OK && at < head) {
        size_t part = head - at < CHUNK ? head - at : CHUNK;
        status = XML_Parse(r->parser, bytes + at, (int)part, 0);
        at += part;
    }
    if (r->data_start == 0 && status != XML_STATUS_OK)
        fm_fail_content(r->err, FM_INPUT_OUTPUT, r->path, "XML", "line %lu, column %lu: %s",
                        (unsigned long)XML_GetCurrentLineNumber(r->parser),
                        (unsigned long)XML_GetCurrentColumnNumber(r->parser) + 1,
                        XML_ErrorString(XML_GetErrorCode(r->parser)));
    XML_ParserFree(r->parser);
    r->parser = NULL;
    if (r->data_start == 0)
        fail(r, "AppendedData", "not there: the file is cut short, or holds its arrays otherwise");
    return r->err->status == FM_OK;
}

// The raw bytes after the underscore. A file that was written to its end closes its elements.
static bool find_data(reader *r, const char *bytes, size_t size)
{
    static const char closing[] = "</VTKFile>";
    size_t at = r->data_start, end_at = size, length = sizeof closing - 1;
    while (at < size && strchr(" \t\r\n", bytes[at]) && bytes[at])
        at++;
    if (at >= size || bytes[at] != '_')
        return fail(r, "AppendedData", "no underscore");
    while (end_at > at && strchr(" \t\r\n", bytes[end_at - 1]) && bytes[end_at - 1])
        end_at--;
    if (end_at - at < length || memcmp(bytes + end_at - length, closing, length) != 0)
        return fail(r, "AppendedData", "the file is cut short");
    r->data = bytes + at + 1;
    r->data_size = size - at - 1;
    return true;
}

static bool find_block(reader *r, array *a, bool real)
{
    if (!a->type)
        return fail(r, "DataArray", "Points, connectivity or offsets are missing");
    if (a->type->real != real)
        return fail(r, a->name, real ? "not Float32 or Float64" : "not Int32 or Int64");
    uint64_t head = r->header_size, length = 0;
    if (a->offset > r->data_size || r->data_size - a->offset < head)
        return fail(r, a->name, "its offset is beyond the end of the file");
    memcpy(&length, r->data + a->offset, head); // little endian: fills the low bytes
    if (length > r->data_size - a->offset - head)
        return fail(r, a->name, "longer than the rest of the file");
    a->bytes = r->data + a->offset + head;
    a->size = length;
    return true;
}

static bool check_size(reader *r, const array *a, uint64_t tuples)
{
    if (a->size == tuples * (uint64_t)a->components * a->type->size)
        return true;
    fm_fail_content(r->err, FM_INPUT_OUTPUT, r->path, a->name,
                    "%llu bytes where %llu times %d of %s belong", (unsigned long long)a->size,
                    (unsigned long long)tuples, a->components, a->type->name);
    return false;
}

static bool find_blocks(reader *r)
{
    if (r->piece_count != 1)
        return fail(r, "Piece", "not there");
    if (r->time.type && (!find_block(r, &r->time, true) || !check_size(r, &r->time, 1)))
        return false;
    for (int i = 0; i < r->field_count; i++)
        if (!find_block(r, &r->fields[i], true) || !check_size(r, &r->fields[i], r->point_count))
            return false;
    if (!find_block(r, &r->points, true) || !find_block(r, &r->connectivity, false) ||
        !find_block(r, &r->offsets, false))
        return false;
    if (r->points.components != 3)
        return fail(r, "Points", "not of 3 components");
    if (r->connectivity.components != 1 || r->offsets.components != 1)
        return fail(r, "Polys", "not of 1 component");
    uint64_t corners = r->connectivity.size / r->connectivity.type->size;
    if (corners > COUNT_MAX)
        return fail(r, "connectivity", "more corners than can be read");
    return check_size(r, &r->points, r->point_count) && check_size(r, &r->connectivity, corners) &&
           check_size(r, &r->offsets, r->face_count);
}

static void read_reals(const array *a, float *values, size_t count)
{
    if (a->type->size == sizeof *values) {
        if (count)
            memcpy(values, a->bytes, count * sizeof *values);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, a->bytes + i * sizeof value, sizeof value);
        values[i] = (float)value;
    }
}

static double read_time(const array *a)
{
    double time;
    float narrow;
    if (a->type->size == sizeof time) {
        memcpy(&time, a->bytes, sizeof time);
        return time;
    }
    memcpy(&narrow, a->bytes, sizeof narrow);
    return narrow;
}

// Whole numbers in [0, limit].
static bool read_integers(reader *r, const array *a, int *values, size_t count, int64_t limit)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        int32_t narrow = 0;
        if (a->type->size == sizeof narrow) {
            memcpy(&narrow, a->bytes + i * sizeof narrow, sizeof narrow);
            value = narrow;
        } else {
            memcpy(&value, a->bytes + i * sizeof value, sizeof value);
        }
        if (value < 0 || value > limit) {
            fm_fail_content(r->err, FM_INPUT_OUTPUT, r->path, a->name,
                            "entry %zu is %lld, allowed is 0 to %lld", i, (long long)value,
                            (long long)limit);
            return false;
        }
        values[i] = (int)value;
    }
    return true;
}

static bool read_faces(reader *r, fm_surface *surface, int corners)
{
    if (!read_integers(r, &r->connectivity, surface->face_points, (size_t)corners,
                       (int64_t)surface->point_count - 1) ||
        !read_integers(r, &r->offsets, surface->face_start + 1, (size_t)surface->face_count,
                       corners))
        return false;
    for (int i = 0; i < surface->face_count; i++)
        if (surface->face_start[i + 1] - surface->face_start[i] < 3)
            return fail(r, "offsets", "a polygon of less than 3 corners");
    if (surface->face_start[surface->face_count] != corners)
        return fail(r, "offsets", "they do not end where the corners end");
    return true;
}

static fm_surface *make_surface(reader *r)
{
    fm_surface_field fields[FM_SURFACE_FIELDS_MAX] = {0};
    for (int i = 0; i < r->field_count; i++) {
        memcpy(fields[i].name, r->fields[i].name, sizeof fields[i].name);
        fields[i].components = r->fields[i].components;
    }
    int corners = (int)(r->connectivity.size / r->connectivity.type->size);
    fm_surface *surface = fm_surface_create("", (int)r->point_count, (int)r->face_count, corners,
                                            fields, r->field_count, r->err);
    if (!surface)
        return NULL;
    size_t points = (size_t)r->point_count;
    read_reals(&r->points, surface->points, 3 * points);
    for (int i = 0; i < r->field_count; i++)
        read_reals(&r->fields[i], surface->fields[i].values,
                   points * (size_t)surface->fields[i].components);
    if (r->time.type)
        surface->time = read_time(&r->time);
    if (!read_faces(r, surface, corners)) {
        fm_surface_destroy(surface);
        return NULL;
    }
    fm_surface_count_not_finite(surface);
    return surface;
}

fm_surface *fm_vtk_parse(const char *bytes, size_t size, const char *path, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    reader r = {.path = path, .err = err};
    if (!parse_head(&r, bytes, size) || !find_data(&r, bytes, size) || !find_blocks(&r))
        return NULL;
    return make_surface(&r);
}

// "frames/towel.000012.vtp" is of "towel", "a.vtp" of "a.vtp".
static void name_after(fm_surface *surface, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    int frame;
    if (!fm_cache_parse_name(file, surface->name, &frame))
        snprintf(surface->name, sizeof surface->name, "%.47s", file);
}

fm_surface *fm_vtk_read(const char *path, fm_error *err)
{
    size_t size;
    char *bytes = fm_file_read(path, SIZE_MAX / 4, &size, err);
    if (!bytes)
        return NULL;
    fm_surface *surface = fm_vtk_parse(bytes, size, path, err);
    if (surface)
        name_after(surface, path);
    free(bytes);
    return surface;
}
