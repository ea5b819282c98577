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
#include <unistd.h>

bool fm_table_create(fm_table *table, const char *path, const char *columns, fm_error *err)
{
    snprintf(table->path, sizeof table->path, "%s", path);
    table->length = 0;
    table->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (table->file < 0)
        return fm_fail_file(err, path, "make", errno);
    fm_table_text(table, "%s", columns);
    return fm_table_end_row(table, err);
}

void fm_table_text(fm_table *table, const char *format, ...)
{
    size_t room = sizeof table->row - table->length;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(table->row + table->length, room, format, arguments);
    va_end(arguments);
    table->length += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
}

bool fm_table_end_row(fm_table *table, fm_error *err)
{
    fm_table_text(table, "\n");
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

void fm_table_close(fm_table *table)
{
    if (table->file > 0)
        close(table->file);
    table->file = 0;
}

// Bytes up to and with the row of `frame`: header, then rows with rising frames. 0 when the header
// is not this one.
static size_t kept_size(const char *text, size_t size, const char *columns, int frame)
{
    size_t header = strlen(columns);
    if (size < header + 1 || memcmp(text, columns, header) != 0 || text[header] != '\n')
        return 0;
    size_t kept = header + 1;
    while (kept < size) {
        const char *end = memchr(text + kept, '\n', size - kept);
        if (!end || strtol(text + kept, NULL, 10) > frame)
            break;
        kept = (size_t)(end - text) + 1;
    }
    return kept;
}

// Goes on behind the row of `frame`. A table that is not there, or of other columns, begins anew.
bool fm_table_resume(fm_table *table, const char *path, const char *columns, int frame,
                     fm_error *err)
{
    fm_error missing = {0};
    size_t size = 0;
    char *text = fm_file_read(path, (size_t)1 << 32, &size, &missing);
    size_t kept = text ? kept_size(text, size, columns, frame) : 0;
    free(text);
    if (kept == 0)
        return fm_table_create(table, path, columns, err);
    snprintf(table->path, sizeof table->path, "%s", path);
    table->length = 0;
    table->file = open(path, O_WRONLY | O_CLOEXEC);
    if (table->file < 0)
        return fm_fail_file(err, path, "open", errno);
    if (ftruncate(table->file, (off_t)kept) != 0 || lseek(table->file, 0, SEEK_END) < 0)
        return fm_fail_file(err, path, "cut back", errno);
    return true;
}
