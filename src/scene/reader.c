// SPDX-License-Identifier: MIT
// reader.c: files and texts into nodes. The only file that knows libyaml.
//
// What is refused before libyaml sees it: too large, not UTF-8, control characters. What YAML
// offers and scenes do not: anchors and aliases (a few lines can expand to billions of values),
// tags, several documents, keys that are not words.
#include "scene/scene.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

static const char TOO_LARGE[] = "it is larger than the 16 MB a scene may have";

static fm_source *add_source(fm_loader *loader, const char *name, const char *folder)
{
    fm_source *source = fm_loader_alloc(loader, 1, sizeof *source);
    if (!source)
        return NULL;
    source->name = fm_loader_copy(loader, name, strlen(name));
    source->folder = fm_loader_copy(loader, folder, strlen(folder));
    source->order = loader->source_count++;
    return source->name && source->folder ? source : NULL;
}

fm_source *fm_source_of_text(fm_loader *loader, const char *name, const char *folder,
                             const char *text, size_t size)
{
    fm_source *source = add_source(loader, name, folder);
    if (!source)
        return NULL;
    if (size > FM_SCENE_BYTES_MAX) {
        fm_complain(loader, (fm_place){source, 0, 0}, "it has %zu bytes, at most %d are allowed",
                    size, FM_SCENE_BYTES_MAX);
        return NULL;
    }
    source->text = fm_loader_copy(loader, text, size);
    source->size = size;
    return source->text ? source : NULL;
}

// `cannot` is true when the system refused, false when we do.
static bool refuse_file(fm_loader *loader, const fm_source *source, fm_place place, const char *why,
                        bool cannot)
{
    char shown[64];
    if (source->wanted_by)
        fm_complain(loader, place, "cannot extend \"%s\": %s", fm_text_shown(shown, source->name),
                    why);
    else
        fm_complain(loader, place, "cannot be read: %s", why);
    if (source->wanted_by || !cannot || loader->err.status != FM_OK)
        return false;
    fm_fail(&loader->err, FM_INPUT_OUTPUT, "scene", "file", source->name, "one that can be read");
    snprintf(loader->err.text, sizeof loader->err.text, "%s: %s", source->name, why);
    return false;
}

// Reads up to one byte more than is allowed, so that a pipe without end is noticed.
static char *read_all(int file, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *data = malloc(room);
    while (data) {
        ssize_t more = read(file, data + used, room - used);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0) {
            free(data);
            return NULL;
        }
        used += (size_t)more;
        if (more == 0 || used > FM_SCENE_BYTES_MAX)
            break;
        if (used < room)
            continue;
        room *= 2;
        char *larger = realloc(data, room);
        if (!larger)
            free(data);
        data = larger;
    }
    *size = used;
    return data;
}

static bool is_cyclic(const fm_source *source, const struct stat *status)
{
    for (; source; source = source->wanted_by) {
        if (source->inode == status->st_ino && source->device == status->st_dev)
            return true;
    }
    return false;
}

// Why a file may not be opened, or NULL. Only the scene's own file may be something special.
static const char *judge(const struct stat *status, const fm_source *wanted_by)
{
    if (S_ISDIR(status->st_mode))
        return "it is a directory";
    if (wanted_by && !S_ISREG(status->st_mode))
        return "it is not a regular file";
    if (S_ISREG(status->st_mode) && status->st_size > FM_SCENE_BYTES_MAX)
        return TOO_LARGE;
    if (is_cyclic(wanted_by, status))
        return "it leads back to itself";
    return NULL;
}

static bool fill_source(fm_loader *loader, fm_source *source, fm_place place)
{
    struct stat status;
    if (stat(source->name, &status) != 0)
        return refuse_file(loader, source, place, strerror(errno), true);
    const char *why = judge(&status, source->wanted_by);
    if (why)
        return refuse_file(loader, source, place, why, false);
    int file = open(source->name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refuse_file(loader, source, place, strerror(errno), true);
    char *data = read_all(file, &source->size);
    int problem = errno;
    close(file);
    if (!data)
        return refuse_file(loader, source, place, strerror(problem), true);
    if (source->size > FM_SCENE_BYTES_MAX) {
        free(data);
        return refuse_file(loader, source, place, TOO_LARGE, false);
    }
    source->text = fm_loader_copy(loader, data, source->size);
    source->device = status.st_dev;
    source->inode = status.st_ino;
    free(data);
    return source->text != NULL;
}

fm_source *fm_source_open(fm_loader *loader, const char *path, const fm_source *wanted_by,
                          fm_place wanted_at)
{
    const char *slash = strrchr(path, '/');
    fm_source *source = add_source(loader, path, "");
    if (!source)
        return NULL;
    source->folder = fm_loader_copy(loader, path, slash ? (size_t)(slash - path) + 1 : 0);
    source->wanted_by = wanted_by;
    fm_place place = wanted_by ? wanted_at : (fm_place){source, 0, 0};
    return source->folder && fill_source(loader, source, place) ? source : NULL;
}

// Every character must be one that YAML allows. Says where the first other one is.
static bool check_characters(fm_loader *loader, const fm_source *source, const char *text,
                             size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    fm_place place = {source, 1, 1};
    for (size_t i = 0; i < size;) {
        unsigned point = 0;
        int length = fm_text_decode(bytes + i, size - i, &point);
        if (length == 0 || !fm_text_is_allowed(point)) {
            fm_complain(loader, source->text ? place : (fm_place){source, 0, 0},
                        length == 0 ? "this is not text: the byte 0x%02x is no UTF-8"
                                    : "this is not text: the character 0x%02x is not allowed",
                        length == 0 ? bytes[i] : point);
            return false;
        }
        bool first_of_two = point == '\r' && i + 1 < size && bytes[i + 1] == '\n';
        if (fm_text_is_break(point) && !first_of_two)
            place = (fm_place){source, place.line + 1, 1};
        else if (point != 0xfeff || i > 0)
            place.column++;
        i += (size_t)length;
    }
    return true;
}

typedef struct level {
    fm_node *node;
    const char *key; // of the value that comes next; NULL: a key comes next
    fm_place key_place;
} level;

typedef struct builder {
    fm_loader *loader;
    const fm_source *source;
    level levels[FM_SCENE_DEPTH_MAX];
    int depth, document_count;
    fm_node *root;
} builder;

static int clip(size_t value)
{
    return value < INT_MAX - 1 ? (int)value + 1 : INT_MAX;
}

static fm_place place_of(const builder *b, yaml_mark_t mark)
{
    if (!b->source->text)
        return (fm_place){b->source, 0, 0};
    return (fm_place){b->source, clip(mark.line), clip(mark.column)};
}

// A key for what comes next. False: cannot go on.
static bool take_key(builder *b, level *top, const yaml_event_t *event, fm_place place)
{
    if (event->type != YAML_SCALAR_EVENT) {
        fm_complain(b->loader, place, "a key must be a word");
        return false;
    }
    const char *text = (const char *)event->data.scalar.value;
    if (top->node->count == FM_SCENE_KEYS_MAX) {
        fm_complain(b->loader, place, "a mapping may have at most %d keys", FM_SCENE_KEYS_MAX);
        return false;
    }
    if (strlen(text) != event->data.scalar.length)
        fm_complain(b->loader, place, "a key must not hold a zero byte");
    top->key = fm_loader_copy(b->loader, text, strlen(text));
    top->key_place = place;
    return top->key != NULL;
}

static void attach(builder *b, fm_node *node)
{
    if (b->depth == 0) {
        int first = b->source->text ? 1 : 0;
        node->key_place = (fm_place){b->source, first, first};
        b->root = node;
        return;
    }
    level *top = &b->levels[b->depth - 1];
    node->key = top->key;
    node->key_place = top->key ? top->key_place : node->place;
    top->key = NULL;
    fm_node_append(top->node, node);
}

static bool take_scalar(builder *b, const yaml_event_t *event, fm_place place)
{
    fm_node *node = fm_node_create(b->loader, FM_NODE_SCALAR, place);
    if (!node)
        return false;
    if (event->type == YAML_SCALAR_EVENT) {
        const char *text = (const char *)event->data.scalar.value;
        size_t size = event->data.scalar.length;
        if (strlen(text) != size)
            fm_complain(b->loader, place, "a text must not hold a zero byte");
        node->text = fm_loader_copy(b->loader, text, size);
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    }
    attach(b, node);
    return node->text != NULL;
}

static bool take_start(builder *b, const yaml_event_t *event, fm_place place)
{
    if (b->depth == FM_SCENE_DEPTH_MAX) {
        fm_complain(b->loader, place, "nested more than %d deep", FM_SCENE_DEPTH_MAX);
        return false;
    }
    bool mapping = event->type == YAML_MAPPING_START_EVENT;
    fm_node *node = fm_node_create(b->loader, mapping ? FM_NODE_MAPPING : FM_NODE_LIST, place);
    if (!node)
        return false;
    attach(b, node);
    b->levels[b->depth++] = (level){.node = node};
    return true;
}

// What YAML has and scenes do not. Goes on, to find the others.
static void refuse_extras(builder *b, const yaml_event_t *event, fm_place place)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        anchor = event->data.alias.anchor;
    if (event->type == YAML_SCALAR_EVENT)
        anchor = event->data.scalar.anchor, tag = event->data.scalar.tag;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
    if (event->type == YAML_MAPPING_START_EVENT)
        anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
    if (anchor)
        fm_complain(b->loader, place,
                    "anchors (&name) and aliases (*name) are not allowed; `extend` shares files");
    if (tag)
        fm_complain(b->loader, place, "tags (!name) are not allowed; each key knows its type");
}

// False: cannot go on.
static bool take_event(builder *b, const yaml_event_t *event)
{
    fm_place place = place_of(b, event->start_mark);
    refuse_extras(b, event, place);
    level *top = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;
    bool value = event->type == YAML_SCALAR_EVENT || event->type == YAML_ALIAS_EVENT ||
                 event->type == YAML_MAPPING_START_EVENT ||
                 event->type == YAML_SEQUENCE_START_EVENT;
    if (value && top && top->node->kind == FM_NODE_MAPPING && !top->key)
        return take_key(b, top, event, place);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
    case YAML_ALIAS_EVENT:
        return take_scalar(b, event, place);
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        return take_start(b, event, place);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        if (top && top->node->kind == FM_NODE_MAPPING)
            fm_node_check_duplicates(b->loader, top->node);
        b->depth--;
        return true;
    case YAML_DOCUMENT_START_EVENT:
        if (b->document_count++ == 0)
            return true;
        fm_complain(b->loader, place, "a second document begins here; a scene is one");
        return false;
    default:
        return true;
    }
}

static void complain_of_syntax(builder *b, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        fm_fail_no_memory(&b->loader->err, "scene", 0);
        return;
    }
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    fm_place place = place_of(b, parser->problem_mark);
    if (strstr(problem, "cannot start any token"))
        problem = "a character that cannot begin a value is here (a tab? indent with blanks)";
    if (parser->context && parser->context_mark.line != parser->problem_mark.line)
        fm_complain(b->loader, place, "not YAML: %s (%s that begins on line %d)", problem,
                    parser->context, clip(parser->context_mark.line));
    else if (parser->context)
        fm_complain(b->loader, place, "not YAML: %s (%s)", problem, parser->context);
    else
        fm_complain(b->loader, place, "not YAML: %s", problem);
}

static void read_events(builder *b, yaml_parser_t *parser)
{
    bool going = true;
    while (going) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            complain_of_syntax(b, parser);
            return;
        }
        going = take_event(b, &event) && event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
}

fm_node *fm_source_read(fm_loader *loader, const fm_source *source, const char *text, size_t size)
{
    int before = loader->mistake_count;
    if (!check_characters(loader, source, text, size))
        return NULL;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3, size -= 3;
    builder *b = calloc(1, sizeof *b);
    yaml_parser_t parser;
    if (!b || !yaml_parser_initialize(&parser)) {
        free(b);
        fm_fail_no_memory(&loader->err, "scene", sizeof *b);
        return NULL;
    }
    b->loader = loader;
    b->source = source;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    read_events(b, &parser);
    yaml_parser_delete(&parser);
    fm_node *root = b->root;
    free(b);
    if (loader->mistake_count > before || loader->err.status != FM_OK)
        return NULL;
    if (!root || fm_node_is_empty(root)) {
        fm_complain(loader, (fm_place){source, source->text ? 1 : 0, source->text ? 1 : 0},
                    source->text ? "the file is empty" : "a value is missing after \"=\"");
        return NULL;
    }
    return root;
}
