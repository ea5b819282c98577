// SPDX-License-Identifier: MIT
// table.c: CSV files that grow by a row a frame and are cut back on resume.
//
// The first column of a row is the frame. Each row is written by one write(2) of whole lines, so
// that a kill leaves at most one broken line, at the end; cutting back removes it.
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fm_table_text(fm_table *table, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int needed = fm_format_list(NULL, 0, format, values);
    va_end(values);
    if (needed < 0 || table->failed)
        return;
    if (table->room - table->length <= (size_t)needed) {
        size_t room = 2 * (table->length + (size_t)needed) + 512;
        char *more = realloc(table->row, room);
        table->failed = !more;
        if (!more)
            return;
        table->row = more;
        table->room = room;
    }
    va_start(values, format);
    fm_format_list(table->row + table->length, (size_t)needed + 1, format, values);
    va_end(values);
    table->length += (size_t)needed;
}

bool fm_table_end_row(fm_table *table, fm_error *err)
{
    fm_table_text(table, "\n");
    if (table->failed)
        return fm_fail_no_memory(err, table->path, table->length);
    size_t done = 0;
    while (done < table->length) {
        ssize_t written = write(table->file, table->row + done, table->length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fm_fail_file(err, table->path, "write", errno);
        done += (size_t)written;
    }
    table->length = 0;
    return true;
}

bool fm_table_close(fm_table *table, fm_error *err)
{
    bool good = table->file <= 0 || close(table->file) == 0;
    if (!good)
        fm_fail_file(err, table->path, "write", errno);
    free(table->row);
    table->row = NULL;
    table->file = 0;
    return good;
}

// The text of a table, "" when there is none; NULL on failure.
static char *read_text(const char *path, size_t *size, fm_error *err)
{
    struct stat there;
    *size = 0;
    if (lstat(path, &there) != 0 && errno == ENOENT)
        return calloc(1, 1);
    return fm_file_read(path, (size_t)1 << 36, size, err);
}

// Bytes of the header, the newline included; 0 when there is none or a part of it.
static size_t header_size(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) + 1 : 0;
}

// Walks over the rows first, first + 1, ... up to `frame`: where they end, and the last.
static size_t walk_rows(const char *text, size_t size, int first, int frame, int *last)
{
    size_t kept = header_size(text, size);
    *last = first - 1;
    while (kept > 0 && kept < size && *last < frame) {
        const char *end = memchr(text + kept, '\n', size - kept);
        if (!end || strtol(text + kept, NULL, 10) != *last + 1)
            break;
        kept = (size_t)(end - text) + 1;
        ++*last;
    }
    return kept;
}

bool fm_table_last_row(const char *path, int first, int *last, fm_error *err)
{
    size_t size;
    char *text = read_text(path, &size, err);
    if (text)
        walk_rows(text, size, first, INT32_MAX, last);
    free(text);
    return text != NULL;
}

// Opens what is there, or makes it, and cuts it to `size` bytes.
static bool open_at(fm_table *table, size_t size, fm_error *err)
{
    struct stat about;
    table->file = open(table->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (table->file < 0)
        return errno == ELOOP ? fm_fail_link(err, table->path)
                              : fm_fail_file(err, table->path, "open", errno);
    if (fstat(table->file, &about) != 0 || !S_ISREG(about.st_mode))
        return fm_fail_content(err, FM_BAD_VALUE, table->path, "file", "it is no regular file");
    if (ftruncate(table->file, (off_t)size) != 0 || lseek(table->file, 0, SEEK_END) < 0)
        return fm_fail_file(err, table->path, "cut back", errno);
    return true;
}

bool fm_table_open(fm_table *table, const char *path, const char *columns, int first, int frame,
                   fm_error *err)
{
    size_t size, width = strlen(columns), kept = 0;
    int last = first - 1;
    char *text = read_text(path, &size, err);
    if (!text)
        return err->status != FM_OK ? false : fm_fail_no_memory(err, path, 1);
    bool same = header_size(text, size) == width + 1 && memcmp(text, columns, width) == 0;
    if (same)
        kept = walk_rows(text, size, first, frame, &last);
    free(text);
    if (last != frame)
        return fm_fail_content(err, FM_BAD_VALUE, path, same ? "rows" : "columns",
                               same ? "some are missing; --force begins anew"
                                    : "they are of another version; --force begins anew");
    snprintf(table->path, sizeof table->path, "%s", path);
    if (!open_at(table, kept, err))
        return false;
    if (kept > 0)
        return true;
    fm_table_text(table, "%s", columns);
    return fm_table_end_row(table, err);
}
