// SPDX-License-Identifier: MIT
// obj_read.c: polygons from Wavefront OBJ.
//
// Read are v (x y z, more numbers are checked and ignored), f (three or more corners: point,
// point/texture, point//normal, point/texture/normal; negative numbers count back from the newest)
// and the names of g and o. vt and vn are counted, so that what a face says about them can be
// checked. Materials, smoothing, lines, points, curves and levels of detail are skipped; any other
// word is an error. A line that ends in a backslash goes on in the next. Mistakes are reported as
// FILE:LINE:COLUMN. A point must stand before the faces that use it.
//
// Alias|Wavefront: Object Files (.obj), appendix B1 of the Advanced Visualizer manual.
#include "core/core.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_MAX = 1 << 30,    // bytes
    COUNT_MAX = 1 << 27,   // points, faces, corners
    CORNERS_MAX = 1 << 12, // of one face
    GROUPS_MAX = 1 << 12,
    NUMBER_MAX = 64 // characters
};

typedef struct list {
    void *items;
    size_t count, room, item_size;
} list;

typedef struct reader {
    const char *path, *at, *end, *line_start;
    int line;
    const char *statement; // what is being read: "v"
    fm_error *err;
    list points, starts, corners, names, groups; // fm_vec3, int, int, char[48], int
    list point_lines, face_lines;                // int
    int textures, normals;                       // seen so far
    int group;
} reader;

static bool fail(reader *r, const char *at, const char *text)
{
    char place[512];
    size_t length = strlen(r->path), shown = sizeof place - 32;
    snprintf(place, sizeof place, "%s:%d:%ld", r->path + (length > shown ? length - shown : 0),
             r->line, (long)(at - r->line_start) + 1);
    return fm_fail_content(r->err, FM_BAD_VALUE, place, r->statement, "%s", text);
}

static void *add(reader *r, list *l, size_t limit)
{
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 256;
        void *more = l->count < limit ? realloc(l->items, room * l->item_size) : NULL;
        if (!more) {
            if (l->count < limit)
                fm_fail_no_memory(r->err, "OBJ", room * l->item_size);
            else
                fail(r, r->at, "more of these than can be read");
            return NULL;
        }
        l->items = more;
        l->room = room;
    }
    return (char *)l->items + l->item_size * l->count++;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Blanks, and the ends of lines that go on in the next.
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

static bool at_line_end(reader *r)
{
    skip_blanks(r);
    return r->at >= r->end || *r->at == '\n' || *r->at == '#';
}

static void skip_line(reader *r)
{
    while (!at_line_end(r))
        do
            r->at++;
        while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n' && *r->at != '\\');
    while (r->at < r->end && *r->at != '\n') // a comment: its backslashes mean nothing
        r->at++;
    if (r->at < r->end) {
        r->line_start = ++r->at;
        r->line++;
    }
}

static size_t word_length(const reader *r)
{
    const char *c = r->at;
    while (c < r->end && !is_blank(*c) && *c != '\n')
        c++;
    return (size_t)(c - r->at);
}

static bool read_number(reader *r, double *value)
{
    char text[NUMBER_MAX];
    size_t length = word_length(r);
    if (length == 0 || length >= sizeof text)
        return fail(r, r->at, "a number is missing");
    memcpy(text, r->at, length);
    text[length] = 0;
    char *rest;
    double number = fm_parse_number(text, &rest);
    if (rest == text || rest != text + length)
        return fail(r, r->at, "not a number");
    if (!(fabs(number) <= FLT_MAX))
        return fail(r, r->at, "a number out of range");
    *value = number;
    r->at += length;
    return true;
}

static bool add_number(reader *r, list *l, int number)
{
    int *place = add(r, l, COUNT_MAX);
    if (place)
        *place = number;
    return place != NULL;
}

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
    while (!at_line_end(r)) // a weight, a colour
        if (!read_number(r, &more))
            return false;
    fm_vec3 *place = add(r, &r->points, COUNT_MAX);
    if (!place)
        return false;
    *place = (fm_vec3){point[0], point[1], point[2]};
    return add_number(r, &r->point_lines, line);
}

// One number of a corner, 1 for the first there is or -1 for the newest, as an index from 0.
static bool read_index(reader *r, int count, const char *none, int *index)
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
        return fail(r, start, none);
    *index = (int)(negative ? count - value : value - 1);
    return true;
}

static bool read_corner(reader *r)
{
    int index = 0, ignored;
    if (!read_index(r, (int)r->points.count, "no such point before this line", &index))
        return false;
    if (r->at < r->end && *r->at == '/') {
        r->at++;
        bool none = r->at < r->end && *r->at == '/';
        if (!none && !read_index(r, r->textures, "no such vt before this line", &ignored))
            return false;
        if (r->at < r->end && *r->at == '/') {
            r->at++;
            if (!read_index(r, r->normals, "no such vn before this line", &ignored))
                return false;
        }
    }
    if (word_length(r) > 0 && *r->at != '\\' && *r->at != '#')
        return fail(r, r->at, "a corner is POINT, POINT/TEXTURE, POINT//NORMAL or all three");
    return add_number(r, &r->corners, index);
}

static bool read_face(reader *r)
{
    const char *start = r->at;
    int line = r->line;
    size_t first = r->corners.count;
    while (!at_line_end(r))
        if (!read_corner(r))
            return false;
    size_t count = r->corners.count - first;
    if (count < 3 || count > CORNERS_MAX)
        return fail(r, line == r->line ? start : r->at,
                    count < 3 ? "a face needs three corners" : "a face of more than 4096 corners");
    return add_number(r, &r->starts, (int)first) && add_number(r, &r->groups, r->group) &&
           add_number(r, &r->face_lines, line);
}

// The rest of the line is a name; the same name is the same group.
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
    char *place = add(r, &r->names, GROUPS_MAX);
    if (!place)
        return false;
    memcpy(place, name, sizeof name);
    r->group = (int)r->names.count - 1;
    return true;
}

static bool is_skipped(const char *word, size_t length)
{
    static const char *const skipped[] = {
        "vp",        "s",      "l",     "p",      "mg",       "usemtl",   "mtllib",
        "usemap",    "maplib", "lod",   "bevel",  "c_interp", "d_interp", "shadow_obj",
        "trace_obj", "ctech",  "stech", "cstype", "deg",      "bmat",     "step",
        "curv",      "curv2",  "surf",  "parm",   "trim",     "hole",     "scrv",
        "sp",        "end",    "con",   "csh",    "call"};
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (strlen(skipped[i]) == length && memcmp(skipped[i], word, length) == 0)
            return true;
    return false;
}

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
    if (length == 1 && (*word == 'g' || *word == 'o')) {
        r->statement = "g";
        return read_group(r);
    }
    r->statement = "OBJ";
    bool texture = length == 2 && memcmp(word, "vt", 2) == 0;
    bool normal = length == 2 && memcmp(word, "vn", 2) == 0;
    if (texture || normal) {
        int *count = texture ? &r->textures : &r->normals;
        *count += *count < COUNT_MAX;
        return true;
    }
    return is_skipped(word, length) || fail(r, word, "not a known statement");
}

// Hands a list over to the result; never NULL, so that nothing is something too.
static void *take(reader *r, list *l)
{
    void *items = l->items ? l->items : calloc(1, l->item_size);
    if (!items)
        fm_fail_no_memory(r->err, "OBJ", l->item_size);
    l->items = NULL;
    return items;
}

static bool make_result(reader *r, fm_obj *obj)
{
    int *end = add(r, &r->starts, (size_t)COUNT_MAX + 1);
    if (!end)
        return false;
    *end = (int)r->corners.count;
    obj->point_count = (int)r->points.count;
    obj->face_count = (int)r->starts.count - 1;
    obj->group_count = (int)r->names.count;
    obj->points = take(r, &r->points);
    obj->face_start = take(r, &r->starts);
    obj->face_points = take(r, &r->corners);
    obj->group_names = take(r, &r->names);
    obj->face_group = take(r, &r->groups);
    obj->point_line = take(r, &r->point_lines);
    obj->face_line = take(r, &r->face_lines);
    return r->err->status == FM_OK;
}

static bool read_lines(reader *r)
{
    char *none = add(r, &r->names, GROUPS_MAX);
    if (!none)
        return false;
    memset(none, 0, FM_OBJ_NAME_SIZE);
    while (r->at < r->end) {
        if (!read_line(r))
            return false;
        skip_line(r);
    }
    return true;
}

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
    r.point_lines.item_size = r.face_lines.item_size = sizeof(int);
    r.names.item_size = FM_OBJ_NAME_SIZE;
    bool good = read_lines(&r) && make_result(&r, obj);
    list *lists[] = {&r.points, &r.starts,      &r.corners,   &r.names,
                     &r.groups, &r.point_lines, &r.face_lines};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->items);
    return good;
}

bool fm_obj_read(const char *path, fm_obj *obj, fm_error *err)
{
    *obj = (fm_obj){0};
    size_t size;
    char *text = fm_file_read(path, FILE_MAX, &size, err);
    bool good = text && fm_obj_parse(text, size, path, obj, err);
    free(text);
    return good;
}

void fm_obj_free(fm_obj *obj)
{
    free(obj->points);
    free(obj->face_start);
    free(obj->face_points);
    free(obj->group_names);
    free(obj->face_group);
    free(obj->point_line);
    free(obj->face_line);
    *obj = (fm_obj){0};
}
