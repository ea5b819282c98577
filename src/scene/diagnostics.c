// SPDX-License-Identifier: MIT
// diagnostics.c: records mistakes while a scene is read and reports them sorted by file and line.
// Also allocates memory for the tree and the mistakes.
#include "scene/scene.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const object = "scene"; // fm_error.object of all errors of this file

// Allocates zeroed memory in the scene's arena. Small allocations share blocks, because each
// allocation of the arena takes at least 64 bytes.
void *fm_loader_alloc(fm_loader *loader, size_t count, size_t size)
{
    enum { BLOCK = 1 << 16, LARGE = 1 << 12 }; // bytes; larger allocations share no block
    if (size && count > SIZE_MAX / 2 / size) {
        fm_fail_no_memory(&loader->err, object, SIZE_MAX);
        return NULL;
    }
    size_t bytes = (count * size + 15) / 16 * 16;
    if (bytes > LARGE)
        return fm_arena_alloc(loader->arena, bytes, 1, object, &loader->err);
    if (bytes > loader->block_left) {
        loader->block = fm_arena_alloc(loader->arena, BLOCK, 1, object, &loader->err);
        loader->block_left = loader->block ? BLOCK : 0;
        if (!loader->block)
            return NULL;
    }
    void *piece = loader->block;
    loader->block += bytes;
    loader->block_left -= bytes;
    return piece;
}

// A copy of `size` bytes with a zero byte behind them, in the scene's arena.
char *fm_loader_copy_text(fm_loader *loader, const char *text, size_t size)
{
    char *copy = fm_loader_alloc(loader, size + 1, 1);
    if (copy && size)
        memcpy(copy, text, size);
    return copy;
}

// Records a mistake at a place in a scene file, with a message in the format of printf.
void fm_loader_add_mistake(fm_loader *loader, fm_place place, const char *format, ...)
{
    int number = loader->mistake_count;
    if (number < INT_MAX)
        loader->mistake_count++;
    if (number >= FM_SCENE_MISTAKES_MAX)
        return;
    if (!loader->mistakes)
        loader->mistakes = fm_loader_alloc(loader, FM_SCENE_MISTAKES_MAX, sizeof *loader->mistakes);
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    fm_text_format_args(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = fm_loader_copy_text(loader, text, strlen(text));
    if (loader->mistakes && copy)
        loader->mistakes[number] = (fm_mistake){place, copy, number};
}

// True if so many mistakes were found that reading stops.
bool fm_loader_has_too_many_mistakes(const fm_loader *loader)
{
    return loader->mistake_count > FM_SCENE_MISTAKES_MAX;
}

// Writes "FILE:LINE:COLUMN", or "FILE" for a place without a line.
void fm_place_format(fm_place place, char *text, size_t size)
{
    const char *name = place.source ? place.source->name : object;
    if (place.line > 0)
        snprintf(text, size, "%s:%d:%d", name, place.line, place.column);
    else
        snprintf(text, size, "%s", name);
}

// Compares mistakes by file, line, column and order of discovery, for qsort.
static int compare_mistakes(const void *a, const void *b)
{
    const fm_mistake *one = a, *other = b;
    int one_order = one->place.source ? one->place.source->order : -1;
    int other_order = other->place.source ? other->place.source->order : -1;
    if (one_order != other_order)
        return one_order < other_order ? -1 : 1;
    if (one->place.line != other->place.line)
        return one->place.line < other->place.line ? -1 : 1;
    if (one->place.column != other->place.column)
        return one->place.column < other->place.column ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

// The beginning of a line in a scene file, from which the search for a later line continues.
// Mistakes are sorted, so that a file is searched once.
typedef struct line_finder {
    const fm_source *source;
    int line;
    size_t at; // offset of the first byte of the line
} line_finder;

// Offset of the end of the line that contains offset `at`.
static size_t find_line_end(const fm_source *source, size_t at)
{
    while (at < source->size) {
        unsigned point = 0;
        const unsigned char *bytes = (const unsigned char *)source->text + at;
        int length = fm_text_decode_utf8(bytes, source->size - at, &point);
        if (length > 0 && fm_text_is_line_break(point))
            break;
        at += length > 0 ? (size_t)length : 1;
    }
    return at;
}

// Offset behind the line break at offset `at`.
static size_t skip_line_break(const fm_source *source, size_t at)
{
    if (at + 1 < source->size && source->text[at] == '\r' && source->text[at + 1] == '\n')
        return at + 2;
    unsigned point = 0;
    int length =
        fm_text_decode_utf8((const unsigned char *)source->text + at, source->size - at, &point);
    return at + (length > 0 ? (size_t)length : 1);
}

// Copies the line of the scene file that a place is in, without its line break. NULL: there is no
// such line, or it is too long.
static const char *find_line(line_finder *finder, fm_place place, char *line, size_t capacity)
{
    const fm_source *source = place.source;
    if (!source || !source->text || place.line < 1)
        return NULL;
    if (finder->source != source || finder->line > place.line)
        *finder = (line_finder){source, 1, 0};
    while (finder->line < place.line && finder->at < source->size) {
        finder->at = skip_line_break(source, find_line_end(source, finder->at));
        finder->line++;
    }
    size_t end = find_line_end(source, finder->at), size = end - finder->at;
    if (finder->line != place.line || size >= capacity)
        return NULL;
    memcpy(line, source->text + finder->at, size);
    line[size] = 0;
    return line;
}

// Fills err with the first mistake and the number of further ones.
static void fill_error(const fm_loader *loader, const fm_mistake *first, fm_error *err)
{
    if (err->status != FM_OK)
        return;
    char place[160];
    fm_place_format(first->place, place, sizeof place);
    fm_fail(err, FM_BAD_VALUE, object, "file", first->place.source ? first->place.source->name : "",
            "a scene without mistakes");
    if (loader->mistake_count > 1)
        snprintf(err->text, sizeof err->text, "%.140s: %.140s (and %d more)", place, first->text,
                 loader->mistake_count - 1);
    else
        snprintf(err->text, sizeof err->text, "%s: %s", place, first->text);
}

// The file that a mistake is in.
static const char *find_file_name(const fm_mistake *mistake)
{
    return mistake->place.source ? mistake->place.source->name : object;
}

// Calls `report` for the first `count` mistakes, each with its line of the scene file.
static void report_all(fm_loader *loader, int count, fm_diagnostic_function *report, void *context)
{
    line_finder finder = {0};
    char line[512];
    for (int i = 0; i < count; i++) {
        const fm_mistake *mistake = &loader->mistakes[i];
        report(context,
               &(fm_diagnostic){.file = find_file_name(mistake),
                                .line = mistake->place.line,
                                .column = mistake->place.column,
                                .text = mistake->text,
                                .source = find_line(&finder, mistake->place, line, sizeof line)});
    }
    if (loader->mistake_count > count) {
        snprintf(line, sizeof line, "there are more mistakes; only the first %d are shown", count);
        report(context, &(fm_diagnostic){.file = find_file_name(loader->mistakes), .text = line});
    }
}

// Calls `report` for every mistake, sorted by file, line and column, and fills err. False if there
// was a mistake.
bool fm_loader_report_mistakes(fm_loader *loader, fm_diagnostic_function *report, void *context,
                               fm_error *err)
{
    if (loader->err.status == FM_NO_MEMORY) {
        if (err->status == FM_OK)
            *err = loader->err;
        return false;
    }
    int count = loader->mistake_count;
    if (count == 0)
        return true;
    if (count > FM_SCENE_MISTAKES_MAX)
        count = FM_SCENE_MISTAKES_MAX;
    qsort(loader->mistakes, (size_t)count, sizeof *loader->mistakes, compare_mistakes);
    if (loader->err.status != FM_OK && err->status == FM_OK)
        *err = loader->err; // the scene file could not be read
    fill_error(loader, &loader->mistakes[0], err);
    if (report)
        report_all(loader, count, report, context);
    return false;
}
