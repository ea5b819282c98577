// SPDX-License-Identifier: MIT
// file.c: files that are whole or not there.
//
// A writer fills PATH.tmp-PID beside the place where the file belongs and renames it at the end:
// rename(2) is atomic, so a reader sees the old file or the new one, after a kill too. What a full
// disk, a quota or a vanished directory says is kept as the message. With `sync` the bytes and the
// name are on the disk when close returns: for checkpoints, after which older ones are removed.
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 16 };

struct fm_writer {
    fm_error *err;
    int file;
    bool direct; // no renaming: the path is a device or a pipe
    bool keep;   // no file: into memory
    char *memory;
    size_t held, room;
    char *path, *beside;
    uint64_t offset;
    locale_t numbers;
    size_t used;
    char buffer[BUFFER_SIZE];
};

static void destroy(fm_writer *writer)
{
    if (writer->numbers)
        freelocale(writer->numbers);
    free(writer->path);
    free(writer->beside);
    free(writer);
}

static fm_writer *create(const char *path, fm_error *err)
{
    size_t length = strlen(path) + 32;
    fm_writer *writer = calloc(1, sizeof *writer);
    if (writer) {
        writer->err = err;
        writer->path = strdup(path);
        writer->beside = malloc(length);
        writer->numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    }
    if (!writer || !writer->path || !writer->beside || !writer->numbers) {
        fm_fail_no_memory(err, path, sizeof *writer);
        if (writer)
            destroy(writer);
        return NULL;
    }
    snprintf(writer->beside, length, "%s.tmp-%ld", path, (long)getpid());
    return writer;
}

fm_writer *fm_writer_open(const char *path, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_writer *writer = create(path, err);
    if (!writer)
        return NULL;
    struct stat there;
    bool exists = stat(path, &there) == 0;
    writer->direct = exists && !S_ISREG(there.st_mode);
    if (exists && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        writer->file = -1;
    } else if (writer->direct) {
        writer->file = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        writer->file =
            open(writer->beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    if (writer->file < 0) {
        fm_fail_file(err, path, "write", errno);
        destroy(writer);
        return NULL;
    }
    return writer;
}

fm_writer *fm_writer_open_memory(fm_error *err)
{
    fm_writer *writer = err->status == FM_OK ? create("memory", err) : NULL;
    if (writer)
        writer->keep = true;
    return writer;
}

static void keep(fm_writer *writer, const char *bytes, size_t size)
{
    if (writer->err->status != FM_OK)
        return;
    if (size >= writer->room - writer->held) {
        size_t room = 2 * (writer->held + size) + 1;
        char *more = realloc(writer->memory, room);
        if (!more) {
            fm_fail_no_memory(writer->err, "file", room);
            return;
        }
        writer->memory = more;
        writer->room = room;
    }
    memcpy(writer->memory + writer->held, bytes, size);
    writer->held += size;
    writer->memory[writer->held] = 0;
}

static void send(fm_writer *writer, const char *bytes, size_t size)
{
    if (writer->keep) {
        keep(writer, bytes, size);
        return;
    }
    while (size > 0 && writer->err->status == FM_OK) {
        ssize_t sent = write(writer->file, bytes, size);
        if (sent > 0) {
            bytes += sent;
            size -= (size_t)sent;
        } else if (sent == 0 || errno != EINTR) {
            fm_fail_file(writer->err, writer->path, "write", sent == 0 ? ENOSPC : errno);
        }
    }
}

static void flush(fm_writer *writer)
{
    send(writer, writer->buffer, writer->used);
    writer->used = 0;
}

void fm_write(fm_writer *writer, const void *bytes, size_t size)
{
    if (!writer || size == 0)
        return;
    writer->offset += size;
    if (size > BUFFER_SIZE - writer->used)
        flush(writer);
    if (size > BUFFER_SIZE) {
        send(writer, bytes, size);
    } else {
        memcpy(writer->buffer + writer->used, bytes, size);
        writer->used += size;
    }
}

void fm_write_text(fm_writer *writer, const char *format, ...)
{
    if (!writer)
        return;
    char text[1024];
    locale_t hosts = uselocale(writer->numbers);
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    uselocale(hosts);
    if (length < 0 || length >= (int)sizeof text)
        fm_fail_file(writer->err, writer->path, "write", EOVERFLOW);
    else
        fm_write(writer, text, (size_t)length);
}

uint64_t fm_writer_offset(const fm_writer *writer)
{
    return writer ? writer->offset : 0;
}

char *fm_writer_take(fm_writer *writer, size_t *size)
{
    if (!writer)
        return NULL;
    flush(writer);
    char *memory = writer->memory;
    *size = writer->held;
    if (writer->err->status != FM_OK) {
        free(memory);
        memory = NULL;
    }
    destroy(writer);
    return memory;
}

// The new name is kept in the directory, which is a file of its own. Some file systems cannot do
// it and say EINVAL: then there is nothing to be done.
static void sync_directory(const fm_writer *writer)
{
    char *folder = strdup(writer->path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (folder) {
        if (slash)
            slash[slash == folder] = 0;
        int file = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (file >= 0) {
            if (fsync(file) != 0 && errno != EINVAL)
                fm_fail_file(writer->err, writer->path, "write", errno);
            close(file);
        }
    }
    free(folder);
}

bool fm_writer_close(fm_writer *writer, bool sync)
{
    if (!writer)
        return false;
    fm_error *err = writer->err;
    flush(writer);
    if (sync && err->status == FM_OK && !writer->direct && fsync(writer->file) != 0)
        fm_fail_file(err, writer->path, "write", errno);
    if (close(writer->file) != 0) // network file systems report a full disk here
        fm_fail_file(err, writer->path, "write", errno);
    if (!writer->direct) {
        if (err->status == FM_OK && rename(writer->beside, writer->path) != 0)
            fm_fail_file(err, writer->path, "rename to", errno);
        if (err->status != FM_OK)
            unlink(writer->beside);
        else if (sync)
            sync_directory(writer);
    }
    destroy(writer);
    return err->status == FM_OK;
}

bool fm_directory_make(const char *path, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    char *part = strdup(path);
    if (!part)
        return fm_fail_no_memory(err, "path", strlen(path));
    for (char *slash = part + 1; *part; slash++) {
        bool end = *slash == 0;
        if (*slash != '/' && !end)
            continue;
        *slash = 0;
        struct stat about;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            fm_fail_file(err, part, "make directory", errno);
        else if (stat(part, &about) != 0 || !S_ISDIR(about.st_mode))
            fm_fail_file(err, part, "make directory", ENOTDIR);
        if (end || err->status != FM_OK)
            break;
        *slash = '/';
    }
    free(part);
    return err->status == FM_OK;
}
