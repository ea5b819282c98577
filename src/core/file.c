// SPDX-License-Identifier: MIT
// file.c: reads whole files, and reports errors that name the path of the file.
#include "core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_SHOWN = 200,     // characters of a path in a message
    SMALLEST_READ = 4096, // bytes of the buffer for an empty file
};

// The last `length` characters of a path: the end of a path identifies a file better than its
// beginning.
static const char *path_tail(const char *path, size_t length)
{
    size_t full = strlen(path);
    return full > length ? path + full - length : path;
}

// Fills err with the message "PATH: FIELD: VALUE".
static void fill_error(fm_error *err, fm_status status, const char *path, const char *field,
                       const char *value)
{
    err->status = status;
    snprintf(err->object, sizeof err->object, "%s", path_tail(path, sizeof err->object - 1));
    snprintf(err->field, sizeof err->field, "%s", field);
    snprintf(err->value, sizeof err->value, "%s", value);
    err->allowed[0] = 0;
    snprintf(err->text, sizeof err->text, "%s%s: %s: %s", strlen(path) > PATH_SHOWN ? "..." : "",
             path_tail(path, PATH_SHOWN), field, value);
}

// Fills err with "PATH: cannot VERB: reason", the reason from errno. Returns false.
bool fm_fail_file(fm_error *err, const char *path, const char *verb, int error_number)
{
    if (err->status != FM_OK)
        return false;
    char failed_action[48];
    snprintf(failed_action, sizeof failed_action, "cannot %s", verb);
    fill_error(err, error_number == ENOMEM ? FM_NO_MEMORY : FM_INPUT_OUTPUT, path, failed_action,
               strerror(error_number));
    return false;
}

// Fills err with "PATH: FIELD: text", the text formatted from the arguments. Returns false.
bool fm_fail_content(fm_error *err, fm_status status, const char *path, const char *field,
                     const char *format, ...)
{
    if (err->status != FM_OK)
        return false;
    char value[96];
    va_list list;
    va_start(list, format);
    fm_text_format_args(value, sizeof value, format, list);
    va_end(list);
    fill_error(err, status, path, field, value);
    return false;
}

// Doubles the buffer when less than two of its bytes are free; false when out of memory.
static bool grow_buffer(char **bytes, size_t *capacity, size_t used)
{
    if (*capacity - used > 1)
        return true;
    size_t wanted = 2 * *capacity;
    char *more = realloc(*bytes, wanted);
    if (!more)
        return false;
    *bytes = more;
    *capacity = wanted;
    return true;
}

// Reads an open file to its end into a growing buffer, and leaves space for a final zero byte.
// Returns 0 or an errno value; EFBIG for more than `limit` bytes.
static int read_all(int file, char **bytes, size_t *capacity, size_t *used, size_t limit)
{
    while (*used <= limit) {
        if (!grow_buffer(bytes, capacity, *used))
            return ENOMEM;
        ssize_t got = read(file, *bytes + *used, *capacity - *used - 1);
        if (got < 0 && errno != EINTR)
            return errno;
        if (got == 0)
            return 0;
        if (got > 0)
            *used += (size_t)got;
    }
    return EFBIG;
}

// Reads a whole file of at most `limit` bytes and appends a zero byte. The caller frees it. size:
// receives the bytes read.
char *fm_file_read(const char *path, size_t limit, size_t *size, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        fm_fail_file(err, path, "open", errno);
        return NULL;
    }
    struct stat file_status;
    size_t used = 0, capacity = SMALLEST_READ;
    if (fstat(file, &file_status) == 0 && S_ISREG(file_status.st_mode) &&
        (uint64_t)file_status.st_size <= limit)
        capacity += (size_t)file_status.st_size;
    char *bytes = malloc(capacity);
    int error_number = bytes ? read_all(file, &bytes, &capacity, &used, limit) : ENOMEM;
    close(file);
    if (error_number) {
        fm_fail_file(err, path, "read", error_number);
        free(bytes);
        return NULL;
    }
    bytes[used] = 0;
    *size = used;
    return bytes;
}
