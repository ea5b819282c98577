// SPDX-License-Identifier: MIT
// read_yaml.c: reads files and parses YAML texts into nodes. The only file that uses libyaml.
//
// Texts that are too large, not UTF-8 or contain control characters are refused before libyaml sees
// them. These features of YAML are refused: anchors and aliases (a few lines can expand to billions
// of values), tags, several documents, and keys that are not scalars.
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

static const char TOO_LARGE[] = "it is larger than 16 MB, the limit for a scene";

// Creates a source (scene file or text) without text. NULL: out of memory.
static fm_source *add_source(fm_loader *loader, const char *name, const char *folder)
{
    fm_source *source = fm_loader_alloc(loader, 1, sizeof *source);
    if (!source)
        return NULL;
    source->name = fm_loader_copy_text(loader, name, strlen(name));
    source->folder = fm_loader_copy_text(loader, folder, strlen(folder));
    source->order = loader->source_count++;
    return source->name && source->folder ? source : NULL;
}

// Creates a source from a text in memory. NULL: too large, or out of memory.
fm_source *fm_source_create_from_text(fm_loader *loader, const char *name, const char *folder,
                                      const char *text, size_t size)
{
    fm_source *source = add_source(loader, name, folder);
    if (!source)
        return NULL;
    if (size > FM_SCENE_BYTES_MAX) {
        fm_loader_add_mistake(loader, (fm_place){source, 0, 0},
                              "it has %zu bytes, allowed are at most %d", size, FM_SCENE_BYTES_MAX);
        return NULL;
    }
    source->text = fm_loader_copy_text(loader, text, size);
    source->size = size;
    return source->text ? source : NULL;
}

// Records that a file cannot be used. is_io_error: the system could not read it; otherwise its
// content is not allowed. Returns false.
static bool refuse_file(fm_loader *loader, const fm_source *source, fm_place place, const char *why,
                        bool is_io_error)
{
    char shown[64];
    if (source->extended_by)
        fm_loader_add_mistake(loader, place, "cannot extend \"%s\": %s",
                              fm_text_shorten(shown, source->name), why);
    else
        fm_loader_add_mistake(loader, place, "cannot be read: %s", why);
    if (source->extended_by || !is_io_error || loader->err.status != FM_OK)
        return false;
    fm_fail(&loader->err, FM_INPUT_OUTPUT, "scene", "file", source->name, "a readable file");
    snprintf(loader->err.text, sizeof loader->err.text, "%s: %s", source->name, why);
    return false;
}

// Reads a file of at most FM_SCENE_BYTES_MAX bytes. Stops beyond that, as an endless pipe would
// never end; *size is then larger than the limit. NULL: errno says why. The caller frees the bytes.
static char *read_all(int file, size_t *size)
{
    size_t capacity = 1 << 16, used = 0;
    char *data = malloc(capacity);
    while (data) {
        ssize_t more = read(file, data + used, capacity - used);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0) {
            free(data);
            return NULL;
        }
        used += (size_t)more;
        if (more == 0 || used > FM_SCENE_BYTES_MAX)
            break;
        if (used < capacity)
            continue;
        capacity *= 2;
        char *larger = realloc(data, capacity);
        if (!larger)
            free(data);
        data = larger;
    }
    *size = used;
    return data;
}

// True when the file is `source` or one of the files that led to it by `extend`.
static bool is_cyclic(const fm_source *source, const struct stat *status)
{
    for (; source; source = source->extended_by) {
        if (source->inode == status->st_ino && source->device == status->st_dev)
            return true;
    }
    return false;
}

// The reason why a file is refused, or NULL. The scene file itself may be a pipe or a device.
static const char *find_refusal(const struct stat *status, const fm_source *extended_by)
{
    if (S_ISDIR(status->st_mode))
        return "it is a directory";
    if (extended_by && !S_ISREG(status->st_mode))
        return "it is not a regular file";
    if (S_ISREG(status->st_mode) && status->st_size > FM_SCENE_BYTES_MAX)
        return TOO_LARGE;
    if (is_cyclic(extended_by, status))
        return "it extends itself, directly or through other files";
    return NULL;
}

// Reads the file source->name into the source.
static bool fill_source(fm_loader *loader, fm_source *source, fm_place place)
{
    struct stat status;
    if (stat(source->name, &status) != 0)
        return refuse_file(loader, source, place, strerror(errno), true);
    const char *why = find_refusal(&status, source->extended_by);
    if (why)
        return refuse_file(loader, source, place, why, false);
    int file = open(source->name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refuse_file(loader, source, place, strerror(errno), true);
    char *data = read_all(file, &source->size);
    int error_number = errno;
    close(file);
    if (!data)
        return refuse_file(loader, source, place, strerror(error_number), true);
    if (source->size > FM_SCENE_BYTES_MAX) {
        free(data);
        return refuse_file(loader, source, place, TOO_LARGE, false);
    }
    source->text = fm_loader_copy_text(loader, data, source->size);
    source->device = status.st_dev;
    source->inode = status.st_ino;
    free(data);
    return source->text != NULL;
}

// Reads a scene file. extended_by: the file that extends it, at the place extended_at; NULL: none.
// Returns NULL after recording a mistake.
fm_source *fm_source_read_file(fm_loader *loader, const char *path, const fm_source *extended_by,
                               fm_place extended_at)
{
    const char *slash = strrchr(path, '/');
    fm_source *source = add_source(loader, path, "");
    if (!source)
        return NULL;
    source->folder = fm_loader_copy_text(loader, path, slash ? (size_t)(slash - path) + 1 : 0);
    source->extended_by = extended_by;
    fm_place place = extended_by ? extended_at : (fm_place){source, 0, 0};
    return source->folder && fill_source(loader, source, place) ? source : NULL;
}

// Records the place of the first character that YAML does not allow.
static bool check_characters(fm_loader *loader, const fm_source *source, const char *text,
                             size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    fm_place place = {source, 1, 1};
    for (size_t i = 0; i < size;) {
        unsigned point = 0;
        int length = fm_text_decode_utf8(bytes + i, size - i, &point);
        if (length == 0 || !fm_text_is_allowed_in_yaml(point)) {
            fm_loader_add_mistake(loader, source->text ? place : (fm_place){source, 0, 0},
                                  length == 0
                                      ? "this is not text: the byte 0x%02x is not UTF-8"
                                      : "this is not text: the character 0x%02x is not allowed",
                                  length == 0 ? bytes[i] : point);
            return false;
        }
        bool before_newline = point == '\r' && i + 1 < size && bytes[i + 1] == '\n';
        if (fm_text_is_line_break(point) && !before_newline)
            place = (fm_place){source, place.line + 1, 1};
        else if (point != 0xfeff || i > 0) // a byte order mark at the beginning has no column
            place.column++;
        i += (size_t)length;
    }
    return true;
}

// A mapping or list whose end has not been read.
typedef struct open_node {
    fm_node *node;
    const char *key;    // key of the next value; NULL: the next event is a key
    fm_place key_place; // where that key is
} open_node;

// State while the events of libyaml are turned into a tree.
typedef struct tree_builder {
    fm_loader *loader;
    const fm_source *source;
    open_node levels[FM_SCENE_DEPTH_MAX]; // [depth] from the root to the innermost
    int depth;                            // open mappings and lists
    int document_count;                   // documents begun so far
    fm_node *root;                        // the outermost node; NULL: none yet
} tree_builder;

// Converts a line or column of libyaml, which counts from 0.
static int count_from_one(size_t value)
{
    return value < INT_MAX - 1 ? (int)value + 1 : INT_MAX;
}

// Converts a position of libyaml to a place in the scene file.
static fm_place get_place(const tree_builder *b, yaml_mark_t mark)
{
    if (!b->source->text)
        return (fm_place){b->source, 0, 0};
    return (fm_place){b->source, count_from_one(mark.line), count_from_one(mark.column)};
}

// Stores a key for the next value. False: parsing cannot continue.
static bool handle_key(tree_builder *b, open_node *top, const yaml_event_t *event, fm_place place)
{
    if (event->type != YAML_SCALAR_EVENT) {
        fm_loader_add_mistake(b->loader, place, "a key must be a word");
        return false;
    }
    const char *text = (const char *)event->data.scalar.value;
    if (top->node->count == FM_SCENE_KEYS_MAX) {
        fm_loader_add_mistake(b->loader, place, "a mapping may have at most %d keys",
                              FM_SCENE_KEYS_MAX);
        return false;
    }
    if (strlen(text) != event->data.scalar.length)
        fm_loader_add_mistake(b->loader, place, "a key must not hold a zero byte");
    top->key = fm_loader_copy_text(b->loader, text, strlen(text));
    top->key_place = place;
    return top->key != NULL;
}

// Adds a node to the innermost open mapping or list.
static void attach_node(tree_builder *b, fm_node *node)
{
    if (b->depth == 0) {
        int first = b->source->text ? 1 : 0;
        node->key_place = (fm_place){b->source, first, first};
        b->root = node;
        return;
    }
    open_node *top = &b->levels[b->depth - 1];
    node->key = top->key;
    node->key_place = top->key ? top->key_place : node->place;
    top->key = NULL;
    fm_node_append(top->node, node);
}

// Adds a single value to the tree. An alias, which was refused before, becomes an empty value.
static bool handle_scalar(tree_builder *b, const yaml_event_t *event, fm_place place)
{
    fm_node *node = fm_node_create(b->loader, FM_NODE_SCALAR, place);
    if (!node)
        return false;
    if (event->type == YAML_SCALAR_EVENT) {
        const char *text = (const char *)event->data.scalar.value;
        size_t size = event->data.scalar.length;
        if (strlen(text) != size)
            fm_loader_add_mistake(b->loader, place, "a text must not hold a zero byte");
        node->text = fm_loader_copy_text(b->loader, text, size);
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    }
    attach_node(b, node);
    return node->text != NULL;
}

// Opens a mapping or a list. False: parsing cannot continue.
static bool handle_start(tree_builder *b, const yaml_event_t *event, fm_place place)
{
    if (b->depth == FM_SCENE_DEPTH_MAX) {
        fm_loader_add_mistake(b->loader, place, "mappings and lists are nested more than %d deep",
                              FM_SCENE_DEPTH_MAX);
        return false;
    }
    bool mapping = event->type == YAML_MAPPING_START_EVENT;
    fm_node *node = fm_node_create(b->loader, mapping ? FM_NODE_MAPPING : FM_NODE_LIST, place);
    if (!node)
        return false;
    attach_node(b, node);
    b->levels[b->depth++] = (open_node){.node = node};
    return true;
}

// Records features of YAML that scenes do not allow. Parsing continues, to find further mistakes.
static void refuse_yaml_features(tree_builder *b, const yaml_event_t *event, fm_place place)
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
        fm_loader_add_mistake(
            b->loader, place,
            "anchors (&name) and aliases (*name) are not allowed; use `extend` to share keys");
    if (tag)
        fm_loader_add_mistake(b->loader, place,
                              "tags (!name) are not allowed; the key determines the type");
}

// Handles one event of libyaml. False: parsing cannot continue.
static bool handle_event(tree_builder *b, const yaml_event_t *event)
{
    fm_place place = get_place(b, event->start_mark);
    refuse_yaml_features(b, event, place);
    open_node *top = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;
    bool value = event->type == YAML_SCALAR_EVENT || event->type == YAML_ALIAS_EVENT ||
                 event->type == YAML_MAPPING_START_EVENT ||
                 event->type == YAML_SEQUENCE_START_EVENT;
    if (value && top && top->node->kind == FM_NODE_MAPPING && !top->key)
        return handle_key(b, top, event, place);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
    case YAML_ALIAS_EVENT:
        return handle_scalar(b, event, place);
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        return handle_start(b, event, place);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        if (top && top->node->kind == FM_NODE_MAPPING)
            fm_node_check_duplicates(b->loader, top->node);
        b->depth--;
        return true;
    case YAML_DOCUMENT_START_EVENT:
        if (b->document_count++ == 0)
            return true;
        fm_loader_add_mistake(b->loader, place,
                              "a second document begins here; a scene is one document");
        return false;
    default:
        return true;
    }
}

// Records a syntax error that libyaml found.
static void report_syntax_error(tree_builder *b, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        fm_fail_no_memory(&b->loader->err, "scene", 0);
        return;
    }
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    fm_place place = get_place(b, parser->problem_mark);
    if (strstr(problem, "cannot start any token"))
        problem = "a value cannot start with this character (if it is a tab, indent with blanks)";
    if (parser->context && parser->context_mark.line != parser->problem_mark.line)
        fm_loader_add_mistake(b->loader, place, "not YAML: %s (%s that begins on line %d)", problem,
                              parser->context, count_from_one(parser->context_mark.line));
    else if (parser->context)
        fm_loader_add_mistake(b->loader, place, "not YAML: %s (%s)", problem, parser->context);
    else
        fm_loader_add_mistake(b->loader, place, "not YAML: %s", problem);
}

// Passes all events of libyaml to handle_event.
static void read_events(tree_builder *b, yaml_parser_t *parser)
{
    bool going = true;
    while (going) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            report_syntax_error(b, parser);
            return;
        }
        going = handle_event(b, &event) && event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
}

// Parses a YAML text into a tree of nodes. Returns NULL after recording a mistake.
fm_node *fm_source_parse(fm_loader *loader, const fm_source *source, const char *text, size_t size)
{
    int before = loader->mistake_count;
    if (!check_characters(loader, source, text, size))
        return NULL;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) // byte order mark
        text += 3, size -= 3;
    tree_builder *b = calloc(1, sizeof *b);
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
        fm_loader_add_mistake(
            loader, (fm_place){source, source->text ? 1 : 0, source->text ? 1 : 0},
            source->text ? "the file is empty" : "a value is missing after \"=\"");
        return NULL;
    }
    return root;
}
