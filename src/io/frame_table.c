// SPDX-License-Identifier: MIT
// frame_table.c: CSV tables that get one row per frame and are truncated when a run resumes.
//
// The first column is the frame number. Each row is written with one write(2), so that a program
// that is killed leaves at most one incomplete line, at the end. Truncating removes it.
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t FILE_MAX = (size_t)1 << 36; // bytes of a table

// Appends text to the current row, which is kept in memory.
void fm_frame_table_print(fm_frame_table *table, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int needed = fm_text_format_args(NULL, 0, format, values);
    va_end(values);
    if (needed < 0 || table->failed)
        return;
    if (table->capacity - table->length <= (size_t)needed) {
        size_t capacity = 2 * (table->length + (size_t)needed) + 512;
        char *more = realloc(table->row, capacity);
        table->failed = !more;
        if (!more)
            return;
        table->row = more;
        table->capacity = capacity;
    }
    va_start(values, format);
    fm_text_format_args(table->row + table->length, (size_t)needed + 1, format, values);
    va_end(values);
    table->length += (size_t)needed;
}

// Writes the current row to the file.
bool fm_frame_table_end_row(fm_frame_table *table, fm_error *err)
{
    fm_frame_table_print(table, "\n");
    if (table->failed)
        return fm_fail_no_memory(err, table->path, table->length);
    size_t done = 0; // bytes written
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

// Closes the file and drops a row that was not ended.
bool fm_frame_table_close(fm_frame_table *table, fm_error *err)
{
    bool good = table->file <= 0 || close(table->file) == 0;
    if (!good)
        fm_fail_file(err, table->path, "write", errno);
    free(table->row);
    table->row = NULL;
    table->file = 0;
    return good;
}

// Reads the file of a table; "" if there is no file, NULL on failure.
static char *read_text(const char *path, size_t *size, fm_error *err)
{
    struct stat file_status;
    *size = 0;
    if (lstat(path, &file_status) != 0 && errno == ENOENT)
        return calloc(1, 1);
    return fm_file_read(path, FILE_MAX, size, err);
}

// Bytes of the header line with its newline; 0 if the header is missing or incomplete.
static size_t header_size(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) + 1 : 0;
}

// Follows the rows of consecutive frames first, first + 1, ... in the text of a table, at most to
// `frame`. Returns the offset where they end; `last` receives the frame of the last one.
static size_t follow_rows(const char *text, size_t size, int first, int frame, int *last)
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

// Finds the last frame up to which a table has the rows of all frames from `first` on. *last:
// receives this frame; first - 1: the row of `first` is missing.
bool fm_frame_table_find_last_row(const char *path, int first, int *last, fm_error *err)
{
    size_t size;
    char *text = read_text(path, &size, err);
    if (text)
        follow_rows(text, size, first, INT32_MAX, last);
    free(text);
    return text != NULL;
}

// Opens the file of the table, or creates it, and truncates it to `size` bytes.
static bool open_truncated(fm_frame_table *table, size_t size, fm_error *err)
{
    struct stat file_status;
    table->file = open(table->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (table->file < 0)
        return errno == ELOOP ? fm_fail_link(err, table->path)
                              : fm_fail_file(err, table->path, "open", errno);
    if (fstat(table->file, &file_status) != 0 || !S_ISREG(file_status.st_mode))
        return fm_fail_content(err, FM_BAD_VALUE, table->path, "file", "it is no regular file");
    if (ftruncate(table->file, (off_t)size) != 0 || lseek(table->file, 0, SEEK_END) < 0)
        return fm_fail_file(err, table->path, "cut back", errno);
    return true;
}

// Opens or creates a table and removes the rows after that of `frame`. Fails if a row from `first`
// to `frame` is missing, or if the columns differ and rows are to be kept. With frame = first - 1
// no row is kept, and a table with other columns is begun anew.
bool fm_frame_table_open(fm_frame_table *table, const char *path, const char *columns, int first,
                         int frame, fm_error *err)
{
    size_t size, width = strlen(columns), kept = 0;
    int last = first - 1;
    char *text = read_text(path, &size, err);
    if (!text)
        return err->status != FM_OK ? false : fm_fail_no_memory(err, path, 1);
    bool same = header_size(text, size) == width + 1 && memcmp(text, columns, width) == 0;
    if (same)
        kept = follow_rows(text, size, first, frame, &last);
    free(text);
    if (last != frame)
        return fm_fail_content(err, FM_BAD_VALUE, path, same ? "rows" : "columns",
                               same ? "some are missing; --force begins anew"
                                    : "they are of another version; --force begins anew");
    snprintf(table->path, sizeof table->path, "%s", path);
    if (!open_truncated(table, kept, err))
        return false;
    if (kept > 0)
        return true;
    fm_frame_table_print(table, "%s", columns);
    return fm_frame_table_end_row(table, err);
}
