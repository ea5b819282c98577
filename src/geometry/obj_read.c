// SPDX-License-Identifier: MIT
// obj_read.c: reads points, lines and polygons from Wavefront OBJ files [OBJ].
//
// The reader understands these statements:
//
//   v      a point: x y z; further numbers are checked and ignored
//   f      a face of three or more corners: POINT, POINT/TEXTURE, POINT//NORMAL or
//          POINT/TEXTURE/NORMAL; negative numbers count back from the newest
//   l      a polyline through two or more points, written like corners
//   g, o   the name of the group to which the following faces and lines belong
//   vt     texture coordinates: u, v (0 if missing) and a third number, which is ignored
//   vn     counted only, to check the numbers that faces give
//
// Materials, smoothing, point elements, curves and levels of detail are skipped. Any other word is
// an error. A line that ends in a backslash continues on the next line. A point must precede the
// faces that use it. Mistakes are reported as FILE:LINE:COLUMN.
#include "geometry/geometry.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_MAX = 1 << 30,    // bytes
    COUNT_MAX = 1 << 27,   // points, faces or corners in a file
    CORNERS_MAX = 1 << 12, // corners of one face
    GROUPS_MAX = 1 << 12,  // groups in a file
    NUMBER_MAX = 64        // characters of a number, with the final zero
};

// A growing array.
typedef struct list {
    void *items;
    size_t count, capacity, item_size; // items, items allocated, bytes per item
} list;

// State of the reader.
typedef struct reader {
    const char *path;
    const char *at, *end;   // next character to read; end of the text
    const char *line_start; // beginning of the current line
    int line;               // number of the current line, from 1
    const char *statement;  // statement being read, for error messages: "v"
    fm_error *err;
    list points;                // fm_vec3
    list starts, corners;       // int, face_start and face_points of the mesh
    list textures;              // float[2], the vt statements
    list corner_textures;       // int, texture of each corner of the faces; -1: none
    list names;                 // char[FM_OBJ_NAME_SIZE], names of the groups
    list groups, line_groups;   // int, group of each face and of each line
    list lines;                 // int, two point indices per line
    list point_rows, face_rows; // int, line number of each point and face
    int normals;                // number of vn statements so far
    int group;                  // current group
    bool textured;              // some face has texture coordinates
} reader;

// Reports a mistake at the character `at` of the current line. Returns false.
static bool fail(reader *r, const char *at, const char *text)
{
    char place[512];
    size_t length = strlen(r->path), shown = sizeof place - 32;
    snprintf(place, sizeof place, "%s:%d:%ld", r->path + (length > shown ? length - shown : 0),
             r->line, (long)(at - r->line_start) + 1);
    return fm_fail_content(r->err, FM_BAD_VALUE, place, r->statement, "%s", text);
}

// Appends an item to a list of at most `limit` items and returns its address; NULL on failure.
static void *append_item(reader *r, list *l, size_t limit)
{
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 256;
        void *more = l->count < limit ? realloc(l->items, capacity * l->item_size) : NULL;
        if (!more) {
            if (l->count < limit)
                fm_fail_no_memory(r->err, "OBJ", capacity * l->item_size);
            else
                fail(r, r->at, "more of these than can be read");
            return NULL;
        }
        l->items = more;
        l->capacity = capacity;
    }
    return (char *)l->items + l->item_size * l->count++;
}

// True for white space within a line.
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Skips blanks, and line ends after a backslash.
static void skip_blanks(reader *r)
{
    while (r->at < r->end) {
        const char *next = r->at + 1;
        if (*r->at == '\\' && next < r->end && *next == '\r')
            next++;
        if (is_blank(*r->at)) {
            r->at++;
        } else if (*r->at == '\\' && next < r->end && *next == '\n') {
            r->at = r->line_start = next + 1;
            r->line++;
        } else {
            break;
        }
    }
}

// Skips blanks; true at the end of a line, of the file, or at a comment.
static bool at_line_end(reader *r)
{
    skip_blanks(r);
    return r->at >= r->end || *r->at == '\n' || *r->at == '#';
}

// Goes to the start of the next line. A backslash at the end of a line joins it with the next.
static void skip_line(reader *r)
{
    while (!at_line_end(r))
        do
            r->at++;
        while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n' && *r->at != '\\');
    while (r->at < r->end && *r->at != '\n') // in a comment, a backslash has no meaning
        r->at++;
    if (r->at < r->end) {
        r->line_start = ++r->at;
        r->line++;
    }
}

// Characters up to the next blank or line end.
static size_t word_length(const reader *r)
{
    const char *c = r->at;
    while (c < r->end && !is_blank(*c) && *c != '\n')
        c++;
    return (size_t)(c - r->at);
}

// Reads the number at the current position; false and an error if there is none.
static bool read_number(reader *r, double *value)
{
    char text[NUMBER_MAX];
    size_t length = word_length(r);
    if (length == 0 || length >= sizeof text)
        return fail(r, r->at, "a number is missing");
    memcpy(text, r->at, length);
    text[length] = 0;
    char *rest;
    double number = fm_text_to_number(text, &rest);
    if (rest == text || rest != text + length)
        return fail(r, r->at, "not a number");
    if (!(fabs(number) <= FLT_MAX))
        return fail(r, r->at, "a number out of range");
    *value = number;
    r->at += length;
    return true;
}

// Appends an integer to a list; false on failure.
static bool append_number(reader *r, list *l, int number)
{
    int *place = append_item(r, l, COUNT_MAX);
    if (place)
        *place = number;
    return place != NULL;
}

// Reads the coordinates of a v statement. A weight or colour after them is checked and ignored.
static bool read_point(reader *r)
{
    double point[3], more;
    int line = r->line;
    for (int i = 0; i < 3; i++) {
        if (at_line_end(r))
            return fail(r, r->at, "a point needs three numbers");
        if (!read_number(r, &point[i]))
            return false;
    }
    while (!at_line_end(r))
        if (!read_number(r, &more))
            return false;
    fm_vec3 *place = append_item(r, &r->points, COUNT_MAX);
    if (!place)
        return false;
    *place = (fm_vec3){point[0], point[1], point[2]};
    return append_number(r, &r->point_rows, line);
}

// Reads one number of a corner as an index from 0. In the file, 1 is the first of `count` elements
// and -1 the newest. `if_missing` is the error message for an element that does not exist.
static bool read_index(reader *r, int count, const char *if_missing, int *index)
{
    const char *start = r->at;
    bool negative = r->at < r->end && *r->at == '-';
    int64_t value = 0;
    r->at += negative;
    const char *digits = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && value <= COUNT_MAX)
        value = 10 * value + (*r->at++ - '0');
    if (r->at == digits)
        return fail(r, start, "a corner is POINT, POINT/TEXTURE, POINT//NORMAL or all three");
    if (value == 0 || value > count)
        return fail(r, start, if_missing);
    *index = (int)(negative ? count - value : value - 1);
    return true;
}

// Reads the coordinates of a vt statement.
static bool read_texture(reader *r)
{
    double uvw[3] = {0};
    int count = 0;
    for (; !at_line_end(r); count++) {
        if (count == 3)
            return fail(r, r->at, "one to three texture coordinates");
        if (!read_number(r, &uvw[count]))
            return false;
    }
    if (count == 0)
        return fail(r, r->at, "one to three texture coordinates");
    float *place = append_item(r, &r->textures, COUNT_MAX);
    if (!place)
        return false;
    place[0] = (float)uvw[0], place[1] = (float)uvw[1];
    return true;
}

// Reads a corner POINT, POINT/TEXTURE, POINT//NORMAL or POINT/TEXTURE/NORMAL. index, texture:
// receive the point and the vt, -1 without; the normal is only checked.
static bool read_corner(reader *r, int *index, int *texture)
{
    int ignored;
    *texture = -1;
    if (!read_index(r, (int)r->points.count, "no such point before this line", index))
        return false;
    if (r->at < r->end && *r->at == '/') {
        r->at++;
        bool no_texture = r->at < r->end && *r->at == '/';
        if (!no_texture &&
            !read_index(r, (int)r->textures.count, "no such vt before this line", texture))
            return false;
        if (r->at < r->end && *r->at == '/') {
            r->at++;
            if (!read_index(r, r->normals, "no such vn before this line", &ignored))
                return false;
        }
    }
    if (word_length(r) > 0 && *r->at != '\\' && *r->at != '#')
        return fail(r, r->at, "a corner is POINT, POINT/TEXTURE, POINT//NORMAL or all three");
    return true;
}

// Reads the corners of an f statement.
static bool read_face(reader *r)
{
    const char *start = r->at;
    int line = r->line;
    size_t first = r->corners.count;
    for (int index, texture; !at_line_end(r); r->textured |= texture >= 0)
        if (!read_corner(r, &index, &texture) || !append_number(r, &r->corners, index) ||
            !append_number(r, &r->corner_textures, texture))
            return false;
    size_t count = r->corners.count - first;
    if (count < 3 || count > CORNERS_MAX)
        return fail(r, line == r->line ? start : r->at,
                    count < 3 ? "a face needs three corners" : "a face of more than 4096 corners");
    return append_number(r, &r->starts, (int)first) && append_number(r, &r->groups, r->group) &&
           append_number(r, &r->face_rows, line);
}

// Reads an l statement: a line from each of its points to the next.
static bool read_polyline(reader *r)
{
    const char *start = r->at;
    int count = 0, row = r->line;
    for (int index, texture, last = 0; !at_line_end(r); last = index, count++) {
        if (!read_corner(r, &index, &texture))
            return false;
        if (count > 0 &&
            (!append_number(r, &r->lines, last) || !append_number(r, &r->lines, index) ||
             !append_number(r, &r->line_groups, r->group)))
            return false;
    }
    return count > 1 || fail(r, row == r->line ? start : r->at, "a line needs two points");
}

// Reads the name of a group, the rest of the line, and makes it the current group. A name that
// occurred before continues its group.
static bool read_group(reader *r)
{
    char name[FM_OBJ_NAME_SIZE] = "", (*names)[FM_OBJ_NAME_SIZE] = r->names.items;
    size_t length = 0;
    skip_blanks(r);
    for (; r->at < r->end && *r->at != '\n'; r->at++)
        if (length + 1 < sizeof name && *r->at != 0)
            name[length++] = *r->at;
    while (length > 0 && is_blank(name[length - 1]))
        name[--length] = 0;
    for (size_t i = r->names.count; i > 0; i--) {
        if (strcmp(names[i - 1], name) == 0) {
            r->group = (int)i - 1;
            return true;
        }
    }
    char *place = append_item(r, &r->names, GROUPS_MAX);
    if (!place)
        return false;
    memcpy(place, name, sizeof name);
    r->group = (int)r->names.count - 1;
    return true;
}

// True if a statement is valid OBJ that this reader ignores.
static bool is_skipped(const char *word, size_t length)
{
    static const char *const skipped[] = {
        "vp",     "s",     "p",        "mg",       "usemtl",     "mtllib",    "usemap", "maplib",
        "lod",    "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj", "ctech",  "stech",
        "cstype", "deg",   "bmat",     "step",     "curv",       "curv2",     "surf",   "parm",
        "trim",   "hole",  "scrv",     "sp",       "end",        "con",       "csh",    "call"};
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (strlen(skipped[i]) == length && memcmp(skipped[i], word, length) == 0)
            return true;
    return false;
}

// Reads one statement, or an empty line. False and an error on a mistake.
static bool read_line(reader *r)
{
    if (at_line_end(r))
        return true;
    const char *word = r->at;
    size_t length = word_length(r);
    r->at += length;
    if (length == 1 && *word == 'v') {
        r->statement = "v";
        return read_point(r);
    }
    if (length == 1 && *word == 'f') {
        r->statement = "f";
        return read_face(r);
    }
    if (length == 1 && *word == 'l') {
        r->statement = "l";
        return read_polyline(r);
    }
    if (length == 1 && (*word == 'g' || *word == 'o')) {
        r->statement = "g";
        return read_group(r);
    }
    if (length == 2 && memcmp(word, "vt", 2) == 0) {
        r->statement = "vt";
        return read_texture(r);
    }
    r->statement = "OBJ";
    if (length == 2 && memcmp(word, "vn", 2) == 0) {
        r->normals += r->normals < COUNT_MAX;
        return true;
    }
    return is_skipped(word, length) || fail(r, word, "not a known statement");
}

// Takes the items out of a list; the caller owns them then. An empty list gives an array of one
// zeroed item, so that the result is never NULL.
static void *take_items(reader *r, list *l)
{
    void *items = l->items ? l->items : calloc(1, l->item_size);
    if (!items)
        fm_fail_no_memory(r->err, "OBJ", l->item_size);
    l->items = NULL;
    return items;
}

// The texture coordinates of all corners, 0 where a face has none; NULL if no face has any, or with
// err filled if memory runs out.
static float *list_corner_uv(reader *r)
{
    size_t count = r->corner_textures.count;
    float *uv = r->textured ? calloc(count, 2 * sizeof *uv) : NULL;
    const int *texture = r->corner_textures.items;
    const float *from = r->textures.items;
    if (!uv && r->textured)
        fm_fail_no_memory(r->err, "OBJ", count * 2 * sizeof *uv);
    for (size_t i = 0; uv && i < count; i++)
        if (texture[i] >= 0)
            memcpy(uv + 2 * i, from + 2 * (size_t)texture[i], 2 * sizeof *uv);
    return uv;
}

// Moves the lists that were read into the result.
static bool move_result(reader *r, fm_obj *obj)
{
    int *end = append_item(r, &r->starts, (size_t)COUNT_MAX + 1);
    if (!end)
        return false;
    *end = (int)r->corners.count;
    obj->mesh = (fm_mesh_data){.points = take_items(r, &r->points),
                               .point_count = (int)r->points.count,
                               .lines = take_items(r, &r->lines),
                               .line_count = (int)(r->lines.count / 2),
                               .face_start = take_items(r, &r->starts),
                               .face_points = take_items(r, &r->corners),
                               .face_count = (int)r->starts.count - 1};
    obj->mesh.corner_uv = list_corner_uv(r);
    obj->group_count = (int)r->names.count;
    obj->group_names = take_items(r, &r->names);
    obj->face_group = take_items(r, &r->groups);
    obj->line_group = take_items(r, &r->line_groups);
    obj->point_row = take_items(r, &r->point_rows);
    obj->face_row = take_items(r, &r->face_rows);
    return r->err->status == FM_OK;
}

// Reads all lines of the text. Group 0, without a name, has the faces before the first group.
static bool read_lines(reader *r)
{
    char *unnamed = append_item(r, &r->names, GROUPS_MAX);
    if (!unnamed)
        return false;
    memset(unnamed, 0, FM_OBJ_NAME_SIZE);
    while (r->at < r->end) {
        if (!read_line(r))
            return false;
        skip_line(r);
    }
    return true;
}

// Parses the text of an OBJ file; path: for error messages. The caller destroys the result.
bool fm_obj_parse(const char *text, size_t size, const char *path, fm_obj *obj, fm_error *err)
{
    *obj = (fm_obj){0};
    if (err->status != FM_OK)
        return false;
    reader r = {.path = path,
                .at = text,
                .end = text + size,
                .line_start = text,
                .line = 1,
                .statement = "OBJ",
                .err = err};
    r.points.item_size = sizeof(fm_vec3);
    r.starts.item_size = r.corners.item_size = r.groups.item_size = sizeof(int);
    r.lines.item_size = r.line_groups.item_size = r.corner_textures.item_size = sizeof(int);
    r.textures.item_size = 2 * sizeof(float);
    r.point_rows.item_size = r.face_rows.item_size = sizeof(int);
    r.names.item_size = FM_OBJ_NAME_SIZE;
    bool good = read_lines(&r) && move_result(&r, obj);
    list *lists[] = {&r.points,    &r.starts,      &r.corners,        &r.names,
                     &r.groups,    &r.line_groups, &r.lines,          &r.point_rows,
                     &r.face_rows, &r.textures,    &r.corner_textures};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->items);
    return good;
}

// Reads an OBJ file. The caller destroys the result.
bool fm_obj_read(const char *path, fm_obj *obj, fm_error *err)
{
    *obj = (fm_obj){0};
    size_t size;
    char *text = fm_file_read(path, FILE_MAX, &size, err);
    bool good = text && fm_obj_parse(text, size, path, obj, err);
    free(text);
    return good;
}

// Frees the arrays of a file's contents and empties it.
void fm_obj_destroy(fm_obj *obj)
{
    fm_mesh_data_destroy(&obj->mesh);
    free(obj->group_names);
    free(obj->face_group);
    free(obj->line_group);
    free(obj->point_row);
    free(obj->face_row);
    *obj = (fm_obj){0};
}
