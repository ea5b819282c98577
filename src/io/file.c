// SPDX-License-Identifier: MIT
// file.c: files that are whole or not there.
//
// A writer fills PATH.unfinished beside the place where the file belongs and renames it at the end:
// rename(2) is atomic, so a reader sees the old file or the new one, after a kill too. What a kill
// left has always the same name, so the next writer of that file takes it over; a lock on it keeps
// two living writers apart. Symbolic links are not followed. What a full disk, a quota or a
// vanished directory says is kept as the message. With `sync` the bytes and the name are on the
// disk when close returns: for the record of a run.
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
    size_t used;
    char buffer[BUFFER_SIZE];
};

static void destroy(fm_writer *writer)
{
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
    }
    if (!writer || !writer->path || !writer->beside) {
        fm_fail_no_memory(err, path, sizeof *writer);
        if (writer)
            destroy(writer);
        return NULL;
    }
    snprintf(writer->beside, length, "%s" FM_UNFINISHED, path);
    return writer;
}

bool fm_fail_link(fm_error *err, const char *path)
{
    return fm_fail_content(err, FM_BAD_VALUE, path, "file",
                           "it is a symbolic link, which is not followed; remove it");
}

// A writer that finishes renames the file, so that what was opened may have another name now: then
// once more. More than one name of the same file would change somebody else's.
int fm_unfinished_open(const char *beside, fm_error *err)
{
    if (err->status != FM_OK)
        return -1;
    for (int tries = 0; tries < 100; tries++) {
        int file = open(beside, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (file < 0) {
            if (errno == ELOOP)
                fm_fail_link(err, beside);
            else
                fm_fail_file(err, beside, "write", errno);
            return -1;
        }
        struct stat opened, named;
        bool taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        bool same = fstat(file, &opened) == 0 && lstat(beside, &named) == 0 &&
                    opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
        if (taken)
            fm_fail_content(err, FM_BAD_VALUE, beside, "lock", "another program is writing it");
        else if (same && (!S_ISREG(opened.st_mode) || opened.st_nlink != 1))
            fm_fail_content(err, FM_BAD_VALUE, beside, "file",
                            "it is no file of one name; remove it");
        else if (same && opened.st_size > 0 && ftruncate(file, 0) != 0)
            fm_fail_file(err, beside, "cut back", errno);
        else if (same)
            return file;
        close(file);
        if (err->status != FM_OK)
            return -1;
    }
    fm_fail_content(err, FM_INPUT_OUTPUT, beside, "file", "it is renamed again and again");
    return -1;
}

fm_writer *fm_writer_open(const char *path, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_writer *writer = create(path, err);
    if (!writer)
        return NULL;
    struct stat there, target;
    bool exists = lstat(path, &there) == 0, link = exists && S_ISLNK(there.st_mode);
    if (link) // /dev/stdout is one
        exists = stat(path, &target) == 0;
    int mode = (int)(link ? target.st_mode : there.st_mode);
    writer->direct = exists && !S_ISREG(mode);
    writer->file = -1;
    if (writer->direct && S_ISDIR(mode))
        fm_fail_file(err, path, "write", EISDIR);
    else if (writer->direct && (writer->file = open(path, O_WRONLY | O_CLOEXEC)) < 0)
        fm_fail_file(err, path, "write", errno);
    else if (link && !writer->direct)
        fm_fail_link(err, path);
    else if (!writer->direct)
        writer->file = fm_unfinished_open(writer->beside, err);
    if (writer->file >= 0)
        return writer;
    destroy(writer);
    return NULL;
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
    va_list list;
    va_start(list, format);
    int length = fm_format_list(text, sizeof text, format, list);
    va_end(list);
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

bool fm_file_replace(const char *path, const void *bytes, size_t size, fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    fm_write(writer, bytes, size);
    return fm_writer_close(writer, false);
}

bool fm_file_remove(const char *path, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    return unlink(path) == 0 || errno == ENOENT || fm_fail_file(err, path, "remove", errno);
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
