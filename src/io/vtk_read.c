// SPDX-License-Identifier: MIT
// vtk_read.c: reads VTK XML PolyData (.vtp) and ImageData (.vti) into a surface.
//
// Reads the files of vtk.c and similar files of other programs: one piece of points, lines and
// polygons; raw appended arrays, little endian, not compressed; points and point data in Float32 or
// Float64, lines and polygons in Int32 or Int64, lengths of arrays in UInt32 or UInt64. Expat
// parses the XML and is stopped at AppendedData, because the binary data after it is not XML. The
// file may be damaged, so every count, offset and index is checked against the size of the file
// before it is used.
#include "io/io.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_MAX = 1 << 20, // bytes of XML before AppendedData
    CHUNK = 1 << 14,    // bytes of XML that are passed to expat at a time
    COUNT_MAX = 1 << 28 // points, faces, corners: three times that still fits an int
};

// A VTK type of numbers.
typedef struct type {
    const char *name;
    size_t size; // bytes
    bool real;   // floating point
} type;

static const type types[] = {
    {"Float32", 4, true}, {"Float64", 8, true}, {"Int32", 4, false}, {"Int64", 8, false}};
// VTK's type of texts, which the kind of an object has
static const type string_type = {"String", 1, false};

// A DataArray element and its values.
typedef struct array {
    const type *type; // NULL: not in the file
    char name[FM_FIELD_NAME_SIZE];
    int components;
    uint64_t offset;   // position of the block in the appended data, bytes
    const char *bytes; // values of the array in the file
    uint64_t size;     // number of those bytes
} array;

// The element of the file that the parser is in.
typedef enum section { NOWHERE, FIELD_DATA, POINT_DATA, POINTS, LINES, POLYS, ELSEWHERE } section;

// The lines or the polygons of a file.
typedef struct cells {
    uint64_t count;
    array connectivity; // indices of the points of all cells, one cell after another
    array offsets;      // end of each cell in connectivity
    int corners;        // entries of connectivity
} cells;

// State of the reader.
typedef struct reader {
    const char *path;
    fm_error *err;
    XML_Parser parser;
    section section;    // the element that the parser is in
    bool root;          // the element VTKFile has been seen
    int piece_count;    // elements Piece so far; more than one is refused
    size_t header_size; // bytes of the number before each array that gives its length: 4 or 8
    uint64_t point_count;
    bool image;         // the file says that it holds ImageData
    fm_lattice lattice; // lattice of the points of ImageData
    cells lines, faces;
    array time, kind, points, fields[FM_SURFACE_FIELDS_MAX];
    int field_count;
    array uv;                         // texture coordinates of the points
    array corner_uv;                  // of all corners of the polygons, where they have seams
    char uv_name[FM_FIELD_NAME_SIZE]; // name of the point data with texture coordinates; "": none
    size_t data_start; // offset in the file after the tag AppendedData; 0: not seen yet
    const char *data;  // the raw bytes after the underscore
    uint64_t data_size;
} reader;

// Fills err with an error about `field` and stops the parser. Returns false.
static bool fail(reader *r, const char *field, const char *text)
{
    fm_fail_content(r->err, FM_INPUT_OUTPUT, r->path, field, "%s", text);
    if (r->parser)
        XML_StopParser(r->parser, XML_FALSE);
    return false;
}

// Value of an attribute of an XML element; NULL if there is none.
static const char *find_attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

// True if the attribute exists and has this value.
static bool has_value(const char **attributes, const char *name, const char *value)
{
    const char *text = find_attribute(attributes, name);
    return text && strcmp(text, value) == 0;
}

// Parses an attribute made of decimal digits, with a value from 0 to `limit`. Returns `missing` if
// the attribute does not exist.
static uint64_t parse_count(reader *r, const char **attributes, const char *name, uint64_t limit,
                            uint64_t missing)
{
    const char *text = find_attribute(attributes, name);
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

// Handles <VTKFile>: checks type, byte order and compression.
static void begin_file(reader *r, const char **attributes)
{
    r->root = true;
    r->image = has_value(attributes, "type", "ImageData");
    if (!r->image && !has_value(attributes, "type", "PolyData"))
        fail(r, "VTKFile", "its type is neither PolyData nor ImageData");
    else if (!has_value(attributes, "byte_order", "LittleEndian"))
        fail(r, "byte_order", "not LittleEndian");
    else if (find_attribute(attributes, "compressor"))
        fail(r, "compressor", "compressed files are not read");
    else if (has_value(attributes, "header_type", "UInt64"))
        r->header_size = 8;
    else if (has_value(attributes, "header_type", "UInt32") ||
             !find_attribute(attributes, "header_type"))
        r->header_size = 4;
    else
        fail(r, "header_type", "neither UInt32 nor UInt64");
}

// Reads `count` numbers from an attribute. False if there are fewer.
static bool parse_numbers(const char **attributes, const char *name, double *values, int count)
{
    const char *text = find_attribute(attributes, name);
    for (int i = 0; i < count && text; i++) {
        char *rest = (char *)text;
        values[i] = fm_text_to_number(text, &rest);
        text = rest == text || !isfinite(values[i]) ? NULL : rest;
    }
    return text != NULL;
}

// The lattice of ImageData: extents from 0, and one spacing for all axes.
static void begin_image(reader *r, const char **attributes)
{
    double extent[6], origin[3], spacing[3], count = 1;
    bool good = parse_numbers(attributes, "WholeExtent", extent, 6) &&
                parse_numbers(attributes, "Origin", origin, 3) &&
                parse_numbers(attributes, "Spacing", spacing, 3);
    for (int a = 0; a < 3 && good; a++) {
        good = extent[2 * a] == 0 && extent[2 * a + 1] >= 0 && extent[2 * a + 1] < COUNT_MAX &&
               extent[2 * a + 1] == floor(extent[2 * a + 1]) && spacing[a] == spacing[0] &&
               spacing[a] > 0;
        r->lattice.size[a] = good ? (int)extent[2 * a + 1] + 1 : 0;
        count *= r->lattice.size[a];
    }
    if (!good || count > COUNT_MAX) {
        fail(r, "ImageData", "its extent, origin or spacing cannot be read");
        return;
    }
    r->lattice.origin = (fm_vec3){origin[0], origin[1], origin[2]};
    r->lattice.spacing = spacing[0];
    r->point_count = (uint64_t)count;
}

// Handles <Piece>: reads the counts of points, lines and polygons. Vertex cells are counted but not
// read: they add nothing to their points.
static void begin_piece(reader *r, const char **attributes)
{
    if (++r->piece_count > 1) {
        fail(r, "Piece", "more than one");
        return;
    }
    if (r->lattice.size[0] > 0)
        return;
    r->point_count = parse_count(r, attributes, "NumberOfPoints", COUNT_MAX, 0);
    r->faces.count = parse_count(r, attributes, "NumberOfPolys", COUNT_MAX, 0);
    r->lines.count = parse_count(r, attributes, "NumberOfLines", COUNT_MAX, 0);
    if (parse_count(r, attributes, "NumberOfStrips", COUNT_MAX, 0) > 0)
        fail(r, "NumberOfStrips", "only points, lines and polygons are read");
    parse_count(r, attributes, "NumberOfVerts", COUNT_MAX, 0);
}

// Reads name, type, offset and number of components of an array.
static void read_array(reader *r, const char **attributes, array *a)
{
    const char *type_name = find_attribute(attributes, "type"),
               *name = find_attribute(attributes, "Name");
    if (!name || strlen(name) >= sizeof a->name) {
        fail(r, "DataArray", "no Name, or one of more than 31 characters");
        return;
    }
    memcpy(a->name, name, strlen(name) + 1);
    if (!has_value(attributes, "format", "appended"))
        fail(r, name, "its format is not appended");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type_name && strcmp(type_name, types[i].name) == 0)
            a->type = &types[i];
    if (!a->type)
        fail(r, name, "its type is none of Float32 Float64 Int32 Int64");
    if (!find_attribute(attributes, "offset"))
        fail(r, name, "no offset");
    a->offset = parse_count(r, attributes, "offset", INT64_MAX, 0);
    a->components = (int)parse_count(r, attributes, "NumberOfComponents", 9, 1);
    if (a->components < 1)
        fail(r, name, "no components");
}

// Handles the array with the kind of the object (cloth, particles, ball). An array of the same name
// but another type or format comes from another program and is ignored.
static void begin_kind(reader *r, const char **attributes)
{
    if (!has_value(attributes, "type", string_type.name) ||
        !has_value(attributes, "format", "appended") || !find_attribute(attributes, "offset"))
        return;
    if (r->kind.type)
        fail(r, "kind", "there twice");
    r->kind = (array){.type = &string_type,
                      .name = "kind",
                      .components = 1,
                      .offset = parse_count(r, attributes, "offset", INT64_MAX, 0)};
}

// Handles <DataArray>: the array belongs to the section that the parser is in.
static void begin_array(reader *r, const char **attributes)
{
    array ignored = {0}, *a = NULL;
    const char *name = find_attribute(attributes, "Name");
    if (r->section == POINTS)
        a = &r->points;
    else if (r->section == FIELD_DATA && has_value(attributes, "Name", "TimeValue"))
        a = &r->time;
    else if (r->section == FIELD_DATA && has_value(attributes, "Name", "corner_uv"))
        a = &r->corner_uv;
    else if (r->section == POINT_DATA && r->uv_name[0] && name && strcmp(name, r->uv_name) == 0)
        a = &r->uv;
    else if ((r->section == POLYS || r->section == LINES) && name) {
        cells *c = r->section == POLYS ? &r->faces : &r->lines;
        a = strcmp(name, "connectivity") == 0 ? &c->connectivity
            : strcmp(name, "offsets") == 0    ? &c->offsets
                                              : NULL;
    } else if (r->section == POINT_DATA)
        a = r->field_count < FM_SURFACE_FIELDS_MAX ? &r->fields[r->field_count++] : &ignored;
    if (a == &ignored)
        fail(r, "PointData", "more than 16 arrays");
    else if (a && a->type)
        fail(r, a->name, "there twice");
    else if (a)
        read_array(r, attributes, a);
}

// True if an element is a section of the file; found: which. Other elements, such as the
// InformationKey that VTK writes inside arrays, must not change the current section.
static bool is_section(const char *name, section *found)
{
    static const struct {
        const char *name;
        section section;
    } sections[] = {{"FieldData", FIELD_DATA}, {"PointData", POINT_DATA}, {"Points", POINTS},
                    {"Polys", POLYS},          {"CellData", ELSEWHERE},   {"Verts", ELSEWHERE},
                    {"Lines", LINES},          {"Strips", ELSEWHERE}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(name, sections[i].name) == 0) {
            *found = sections[i].section;
            return true;
        }
    }
    return false;
}

// Handles <PointData>: notes which array has the texture coordinates.
static void begin_point_data(reader *r, const char **attributes)
{
    const char *name = find_attribute(attributes, "TCoords");
    if (name && strlen(name) < sizeof r->uv_name)
        memcpy(r->uv_name, name, strlen(name) + 1);
}

// Handles <AppendedData>: notes where the binary data begins and stops the parser.
static void begin_data(reader *r, const char **attributes)
{
    if (!has_value(attributes, "encoding", "raw")) {
        fail(r, "AppendedData", "its encoding is not raw");
        return;
    }
    r->data_start =
        (size_t)XML_GetCurrentByteIndex(r->parser) + (size_t)XML_GetCurrentByteCount(r->parser);
    XML_StopParser(r->parser, XML_FALSE);
}

// Callback of expat for the start of an element.
static void XMLCALL begin_element(void *context, const char *name, const char **attributes)
{
    reader *r = context;
    if (!r->root && strcmp(name, "VTKFile") == 0)
        begin_file(r, attributes);
    else if (!r->root)
        fail(r, name, "the file is no VTKFile");
    else if (strcmp(name, "ImageData") == 0)
        begin_image(r, attributes);
    else if (strcmp(name, "Piece") == 0)
        begin_piece(r, attributes);
    else if (strcmp(name, "DataArray") == 0)
        begin_array(r, attributes);
    else if (strcmp(name, "Array") == 0 && r->section == FIELD_DATA &&
             has_value(attributes, "Name", "kind"))
        begin_kind(r, attributes);
    else if (strcmp(name, "AppendedData") == 0)
        begin_data(r, attributes);
    else if (is_section(name, &r->section) && r->section == POINT_DATA)
        begin_point_data(r, attributes);
}

// Callback of expat for the end of an element.
static void XMLCALL end_element(void *context, const char *name)
{
    reader *r = context;
    section ended;
    if (is_section(name, &ended))
        r->section = NOWHERE;
}

// Refuses a DOCTYPE, because entities can expand a small file without limit. No program writes one
// in a VTK file.
static void XMLCALL refuse_doctype(void *context, const char *name, const char *system_id,
                                   const char *public_id, int internal)
{
    (void)name, (void)system_id, (void)public_id, (void)internal;
    fail(context, "DOCTYPE", "not allowed");
}

// Parses the XML up to <AppendedData>.
static bool parse_xml(reader *r, const char *bytes, size_t size)
{
    r->parser = XML_ParserCreate(NULL);
    if (!r->parser)
        return fm_fail_no_memory(r->err, "XML parser", 0);
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin_element, end_element);
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

// Finds the raw bytes after the underscore. Checks that the file ends with </VTKFile>: a file that
// was cut short does not.
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

// Finds the bytes of an array from its offset and from the length before them.
static bool find_bytes(reader *r, array *a)
{
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

// Finds the bytes of an array that must hold floating-point numbers (real) or integers.
static bool find_block(reader *r, array *a, bool real)
{
    if (!a->type)
        return fail(r, "DataArray", "Points are missing");
    if (a->type->real != real)
        return fail(r, a->name, real ? "not Float32 or Float64" : "not Int32 or Int64");
    return find_bytes(r, a);
}

// Finds the bytes of the object's kind and checks that they end with a zero.
static bool find_kind(reader *r)
{
    if (!r->kind.type)
        return true;
    if (!find_bytes(r, &r->kind))
        return false;
    const char *end =
        memchr(r->kind.bytes, 0, r->kind.size < FM_NAME_SIZE ? r->kind.size : FM_NAME_SIZE);
    return end || fail(r, "kind", "no zero at its end, or more than 47 characters");
}

// Checks that the bytes of an array hold exactly `tuples` tuples.
static bool check_size(reader *r, const array *a, uint64_t tuples)
{
    if (a->size == tuples * (uint64_t)a->components * a->type->size)
        return true;
    fm_fail_content(r->err, FM_INPUT_OUTPUT, r->path, a->name,
                    "%llu bytes where %llu times %d of %s belong", (unsigned long long)a->size,
                    (unsigned long long)tuples, a->components, a->type->name);
    return false;
}

// Finds the bytes of lines or polygons and checks their sizes. name: of the section.
static bool find_cells(reader *r, cells *c, const char *name)
{
    if (!c->connectivity.type || !c->offsets.type)
        return fail(r, name, "connectivity or offsets are missing");
    if (!find_block(r, &c->connectivity, false) || !find_block(r, &c->offsets, false))
        return false;
    if (c->connectivity.components != 1 || c->offsets.components != 1)
        return fail(r, name, "not of 1 component");
    uint64_t corners = c->connectivity.size / c->connectivity.type->size;
    if (corners > COUNT_MAX)
        return fail(r, "connectivity", "more corners than can be read");
    c->corners = (int)corners;
    return check_size(r, &c->connectivity, corners) && check_size(r, &c->offsets, c->count);
}

// Finds the bytes of the texture coordinates of the corners.
static bool find_corner_uv(reader *r)
{
    if (!r->corner_uv.type)
        return true;
    if (r->corner_uv.components != 2)
        return fail(r, "corner_uv", "not of 2 components");
    return find_block(r, &r->corner_uv, true) &&
           check_size(r, &r->corner_uv, (uint64_t)r->faces.corners);
}

// Finds the bytes of all arrays and checks their sizes.
static bool find_blocks(reader *r)
{
    if (r->piece_count != 1)
        return fail(r, "Piece", "not there");
    if (r->image != (r->lattice.size[0] > 0))
        return fail(r, "ImageData", r->image ? "not there" : "in a file of another type");
    if (r->time.type && (!find_block(r, &r->time, true) || !check_size(r, &r->time, 1)))
        return false;
    if (!find_kind(r))
        return false;
    for (int i = 0; i < r->field_count; i++)
        if (!find_block(r, &r->fields[i], true) || !check_size(r, &r->fields[i], r->point_count))
            return false;
    if (r->uv.type && (!find_block(r, &r->uv, true) || !check_size(r, &r->uv, r->point_count)))
        return false;
    if (r->lattice.size[0] > 0)
        return true;
    if (!find_block(r, &r->points, true))
        return false;
    if (r->points.components != 3)
        return fail(r, "Points", "not of 3 components");
    return check_size(r, &r->points, r->point_count) && find_cells(r, &r->faces, "Polys") &&
           (r->lines.count == 0 || find_cells(r, &r->lines, "Lines")) && find_corner_uv(r);
}

// Reads floating-point numbers as floats.
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

// Reads the time of the frame, s.
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

// Reads integers and checks that they are in [0, limit].
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

// Reads the point indices of all cells, and where each cell begins in them; start[0] is 0. Cells
// with fewer than `least` points are an error.
static bool read_cells(reader *r, const cells *c, int least, int *points, int *start)
{
    int count = (int)c->count;
    if (!read_integers(r, &c->connectivity, points, (size_t)c->corners,
                       (int64_t)r->point_count - 1) ||
        !read_integers(r, &c->offsets, start + 1, (size_t)count, c->corners))
        return false;
    for (int i = 0; i < count; i++)
        if (start[i + 1] - start[i] < least)
            return fail(r, "offsets",
                        least == 3 ? "a polygon of less than 3 corners"
                                   : "a line of less than 2 points");
    if (start[count] != c->corners)
        return fail(r, "offsets", "they do not end where the corners end");
    return true;
}

// Reads polylines and splits them into line segments.
static bool read_lines(reader *r, fm_surface *surface)
{
    size_t count = (size_t)r->lines.count, corners = (size_t)r->lines.corners;
    if (count == 0)
        return true;
    int *start = calloc(count + 1 + corners, sizeof *start);
    if (!start)
        return fm_fail_no_memory(r->err, "lines", (count + 1 + corners) * sizeof *start);
    int *points = start + count + 1, *out = surface->lines;
    bool good = read_cells(r, &r->lines, 2, points, start);
    for (size_t i = 0; i < count && good; i++) {
        for (int k = start[i]; k + 1 < start[i + 1]; k++) {
            *out++ = points[k];
            *out++ = points[k + 1];
        }
    }
    free(start);
    return good;
}

// Computes the positions of the points of a lattice, x fastest.
static void place_on_lattice(const fm_lattice *l, float *points)
{
    for (int k = 0; k < l->size[2]; k++)
        for (int j = 0; j < l->size[1]; j++)
            for (int i = 0; i < l->size[0]; i++, points += 3) {
                points[0] = (float)(l->origin.x + l->spacing * i);
                points[1] = (float)(l->origin.y + l->spacing * j);
                points[2] = (float)(l->origin.z + l->spacing * k);
            }
}

// Reads the texture coordinates of the corners, or those of their points.
static bool read_uv(reader *r, fm_surface *surface)
{
    size_t corners = (size_t)r->faces.corners, n = (size_t)r->uv.components;
    if (!surface->corner_uv)
        return true;
    if (r->corner_uv.type) {
        read_reals(&r->corner_uv, surface->corner_uv, 2 * corners);
        return true;
    }
    float *values = malloc((n * (size_t)r->point_count + 1) * sizeof *values);
    if (!values)
        return fm_fail_no_memory(r->err, r->uv.name, n * (size_t)r->point_count * sizeof *values);
    read_reals(&r->uv, values, n * (size_t)r->point_count);
    for (size_t i = 0; i < corners; i++)
        memcpy(surface->corner_uv + 2 * i, values + n * (size_t)surface->face_points[i],
               2 * sizeof *values);
    free(values);
    return true;
}

// Creates the surface from the arrays found in the file. Texture coordinates of one component,
// which VTK allows, are left out.
static fm_surface *create_surface(reader *r)
{
    fm_surface_field fields[FM_SURFACE_FIELDS_MAX] = {0};
    for (int i = 0; i < r->field_count; i++) {
        memcpy(fields[i].name, r->fields[i].name, sizeof fields[i].name);
        fields[i].components = r->fields[i].components;
    }
    if ((uint64_t)r->lines.corners < r->lines.count) {
        fail(r, "offsets", "a line of less than 2 points");
        return NULL;
    }
    fm_mesh_size size = {.points = (int)r->point_count,
                         .lines = r->lines.corners - (int)r->lines.count,
                         .faces = (int)r->faces.count,
                         .corners = r->faces.corners,
                         .has_uv = r->corner_uv.type || (r->uv.type && r->uv.components >= 2)};
    fm_surface *surface = fm_surface_create("", &size, fields, r->field_count, r->err);
    if (!surface)
        return NULL;
    size_t points = (size_t)r->point_count;
    surface->lattice = r->lattice;
    if (r->lattice.size[0] > 0)
        place_on_lattice(&r->lattice, surface->points);
    else
        read_reals(&r->points, surface->points, 3 * points);
    for (int i = 0; i < r->field_count; i++)
        read_reals(&r->fields[i], surface->fields[i].values,
                   points * (size_t)surface->fields[i].components);
    if (r->time.type)
        surface->time = read_time(&r->time);
    if (r->kind.type)
        snprintf(surface->kind, sizeof surface->kind, "%s", r->kind.bytes);
    bool has_cells = r->lattice.size[0] == 0;
    if (has_cells && (!read_cells(r, &r->faces, 3, surface->face_points, surface->face_start) ||
                      !read_lines(r, surface) || !read_uv(r, surface))) {
        fm_surface_destroy(surface);
        return NULL;
    }
    fm_surface_count_not_finite(surface);
    return surface;
}

// Parses the contents of a .vtp file; path: for error messages.
fm_surface *fm_vtk_parse(const char *bytes, size_t size, const char *path, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    reader r = {.path = path, .err = err};
    if (!parse_xml(&r, bytes, size) || !find_data(&r, bytes, size) || !find_blocks(&r))
        return NULL;
    return create_surface(&r);
}

// Names the surface after its file: the object's name for "frames/towel.000012.vtp", which is
// "towel", and the file name for any other, such as "a.vtp".
static void name_after_file(fm_surface *surface, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    int frame;
    if (!fm_cache_parse_name(file, surface->name, &frame))
        snprintf(surface->name, sizeof surface->name, "%.47s", file);
}

// Reads a .vtp file and names the surface after it.
fm_surface *fm_vtk_read(const char *path, fm_error *err)
{
    size_t size;
    char *bytes = fm_file_read(path, SIZE_MAX / 4, &size, err);
    if (!bytes)
        return NULL;
    fm_surface *surface = fm_vtk_parse(bytes, size, path, err);
    if (surface)
        name_after_file(surface, path);
    free(bytes);
    return surface;
}
