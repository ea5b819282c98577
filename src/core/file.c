// SPDX-License-Identifier: MIT
// file.c: files read whole, and what is wrong with them said with their path.
#include "core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SHOWN = 200, SMALLEST_READ = 4096 };

// The end of a path is what tells it apart.
static const char *end_of(const char *path, size_t length)
{
    size_t full = strlen(path);
    return full > length ? path + full - length : path;
}

static void fill(fm_error *err, fm_status status, const char *path, const char *field,
                 const char *value)
{
    err->status = status;
    snprintf(err->object, sizeof err->object, "%s", end_of(path, sizeof err->object - 1));
    snprintf(err->field, sizeof err->field, "%s", field);
    snprintf(err->value, sizeof err->value, "%.47s", value);
    err->allowed[0] = 0;
    snprintf(err->text, sizeof err->text, "%s%s: %s: %s", strlen(path) > PATH_SHOWN ? "..." : "",
             end_of(path, PATH_SHOWN), field, value);
}

bool fm_fail_file(fm_error *err, const char *path, const char *verb, int error_number)
{
    if (err->status != FM_OK)
        return false;
    char doing[48];
    snprintf(doing, sizeof doing, "cannot %s", verb);
    fill(err, error_number == ENOMEM ? FM_NO_MEMORY : FM_INPUT_OUTPUT, path, doing,
         strerror(error_number));
    return false;
}

bool fm_fail_content(fm_error *err, fm_status status, const char *path, const char *field,
                     const char *format, ...)
{
    if (err->status != FM_OK)
        return false;
    char value[96];
    va_list list;
    va_start(list, format);
    fm_format_list(value, sizeof value, format, list);
    va_end(list);
    fill(err, status, path, field, value);
    return false;
}

static bool grow(char **bytes, size_t *room, size_t used)
{
    if (*room - used > 1)
        return true;
    size_t wanted = 2 * *room;
    char *more = realloc(*bytes, wanted);
    if (!more)
        return false;
    *bytes = more;
    *room = wanted;
    return true;
}

// Reads to the end, with room for a final zero. 0 or an error number.
static int read_all(int file, char **bytes, size_t *room, size_t *used, size_t limit)
{
    while (*used <= limit) {
        if (!grow(bytes, room, *used))
            return ENOMEM;
        ssize_t got = read(file, *bytes + *used, *room - *used - 1);
        if (got < 0 && errno != EINTR)
            return errno;
        if (got == 0)
            return 0;
        if (got > 0)
            *used += (size_t)got;
    }
    return EFBIG;
}

char *fm_file_read(const char *path, size_t limit, size_t *size, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        fm_fail_file(err, path, "open", errno);
        return NULL;
    }
    struct stat about;
    size_t used = 0, room = SMALLEST_READ;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size <= limit)
        room += (size_t)about.st_size;
    char *bytes = malloc(room);
    int trouble = bytes ? read_all(file, &bytes, &room, &used, limit) : ENOMEM;
    close(file);
    if (trouble) {
        fm_fail_file(err, path, "read", trouble);
        free(bytes);
        return NULL;
    }
    bytes[used] = 0;
    *size = used;
    return bytes;
}
