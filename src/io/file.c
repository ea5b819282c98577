// SPDX-License-Identifier: MIT
// file.c: writes files atomically: a reader sees the complete old file or the complete new one.
//
// A writer fills PATH.unfinished and renames it to PATH when it is closed; rename(2) is atomic. If
// the program is killed, PATH.unfinished stays; the next writer of PATH truncates and reuses it. A
// lock on it stops two programs from writing the same file at once. Symbolic links are not
// followed. Errors such as a full disk, a quota or a removed directory are reported with the text
// of errno. With `sync`, closing waits until contents and name are on the disk; run.json uses this.
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_SIZE = 1 << 16, // bytes that are collected before they are written
    OPEN_TRIES = 100,      // attempts to open a file that others rename at the same time
};

struct fm_writer {
    fm_error *err;
    int file;       // descriptor
    bool direct;    // the path is a device or a pipe: write to it, rename nothing
    bool in_memory; // write into `memory`, not into a file
    char *memory;
    size_t memory_size, memory_capacity; // bytes in `memory`, and bytes allocated for it
    char *path, *unfinished_path;        // PATH and PATH.unfinished
    uint64_t offset;                     // bytes written so far, with those in the buffer
    size_t used;                         // bytes in the buffer
    char buffer[BUFFER_SIZE];
};

// Frees a writer, but not its memory block.
static void destroy_writer(fm_writer *writer)
{
    free(writer->path);
    free(writer->unfinished_path);
    free(writer);
}

// Allocates a writer for a path. NULL with err filled when out of memory.
static fm_writer *create_writer(const char *path, fm_error *err)
{
    size_t length = strlen(path) + 32; // bytes, with space for the suffix
    fm_writer *writer = calloc(1, sizeof *writer);
    if (writer) {
        writer->err = err;
        writer->path = strdup(path);
        writer->unfinished_path = malloc(length);
    }
    if (!writer || !writer->path || !writer->unfinished_path) {
        fm_fail_no_memory(err, path, sizeof *writer);
        if (writer)
            destroy_writer(writer);
        return NULL;
    }
    snprintf(writer->unfinished_path, length, "%s" FM_UNFINISHED_SUFFIX, path);
    return writer;
}

// Fills err: a path is a symbolic link. Returns false.
bool fm_fail_link(fm_error *err, const char *path)
{
    return fm_fail_content(err, FM_BAD_VALUE, path, "file",
                           "it is a symbolic link, which is not followed; remove it");
}

// Opens or creates the file, empties and locks it. Returns its descriptor, -1 on failure. Another
// writer may rename the file between open and flock; the descriptor then no longer belongs to the
// name, and opening is tried again. A file with a second hard link is refused, because writing to
// it would change the other file, too.
int fm_file_open_unfinished(const char *unfinished_path, fm_error *err)
{
    if (err->status != FM_OK)
        return -1;
    for (int tries = 0; tries < OPEN_TRIES; tries++) {
        int file =
            open(unfinished_path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (file < 0) {
            if (errno == ELOOP)
                fm_fail_link(err, unfinished_path);
            else
                fm_fail_file(err, unfinished_path, "write", errno);
            return -1;
        }
        struct stat opened, named;
        bool is_locked = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        bool same = fstat(file, &opened) == 0 && lstat(unfinished_path, &named) == 0 &&
                    opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
        if (is_locked)
            fm_fail_content(err, FM_BAD_VALUE, unfinished_path, "lock",
                            "another program is writing it");
        else if (same && (!S_ISREG(opened.st_mode) || opened.st_nlink != 1))
            fm_fail_content(err, FM_BAD_VALUE, unfinished_path, "file",
                            "it is not a regular file, or has several hard links; remove it");
        else if (same && opened.st_size > 0 && ftruncate(file, 0) != 0)
            fm_fail_file(err, unfinished_path, "cut back", errno);
        else if (same)
            return file;
        close(file);
        if (err->status != FM_OK)
            return -1;
    }
    fm_fail_content(err, FM_INPUT_OUTPUT, unfinished_path, "file", "it is renamed again and again");
    return -1;
}

// Opens a writer that creates PATH atomically. A device or pipe, also through a link such as
// /dev/stdout, is written to directly; other symbolic links are refused.
fm_writer *fm_writer_open(const char *path, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    fm_writer *writer = create_writer(path, err);
    if (!writer)
        return NULL;
    struct stat own, target; // status of the path itself, and of the file that a link leads to
    bool exists = lstat(path, &own) == 0, link = exists && S_ISLNK(own.st_mode);
    if (link)
        exists = stat(path, &target) == 0;
    int mode = (int)(link ? target.st_mode : own.st_mode);
    writer->direct = exists && !S_ISREG(mode);
    writer->file = -1;
    if (writer->direct && S_ISDIR(mode))
        fm_fail_file(err, path, "write", EISDIR);
    else if (writer->direct && (writer->file = open(path, O_WRONLY | O_CLOEXEC)) < 0)
        fm_fail_file(err, path, "write", errno);
    else if (link && !writer->direct)
        fm_fail_link(err, path);
    else if (!writer->direct)
        writer->file = fm_file_open_unfinished(writer->unfinished_path, err);
    if (writer->file >= 0)
        return writer;
    destroy_writer(writer);
    return NULL;
}

// Opens a writer that collects its bytes in memory.
fm_writer *fm_writer_open_memory(fm_error *err)
{
    fm_writer *writer = err->status == FM_OK ? create_writer("memory", err) : NULL;
    if (writer)
        writer->in_memory = true;
    return writer;
}

// Appends bytes to the memory of a writer that writes no file.
static void append_to_memory(fm_writer *writer, const char *bytes, size_t size)
{
    if (writer->err->status != FM_OK)
        return;
    if (size >= writer->memory_capacity - writer->memory_size) {
        size_t capacity = 2 * (writer->memory_size + size) + 1;
        char *more = realloc(writer->memory, capacity);
        if (!more) {
            fm_fail_no_memory(writer->err, "file", capacity);
            return;
        }
        writer->memory = more;
        writer->memory_capacity = capacity;
    }
    memcpy(writer->memory + writer->memory_size, bytes, size);
    writer->memory_size += size;
    writer->memory[writer->memory_size] = 0;
}

// Writes bytes to the file or to memory. Errors go to writer->err.
static void send_bytes(fm_writer *writer, const char *bytes, size_t size)
{
    if (writer->in_memory) {
        append_to_memory(writer, bytes, size);
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

// Writes out the buffer.
static void flush_buffer(fm_writer *writer)
{
    send_bytes(writer, writer->buffer, writer->used);
    writer->used = 0;
}

// Writes bytes through the buffer; long blocks bypass it.
void fm_writer_write(fm_writer *writer, const void *bytes, size_t size)
{
    if (!writer || size == 0)
        return;
    writer->offset += size;
    if (size > BUFFER_SIZE - writer->used)
        flush_buffer(writer);
    if (size > BUFFER_SIZE) {
        send_bytes(writer, bytes, size);
    } else {
        memcpy(writer->buffer + writer->used, bytes, size);
        writer->used += size;
    }
}

// Writes formatted text, at most 1023 bytes.
void fm_writer_print(fm_writer *writer, const char *format, ...)
{
    if (!writer)
        return;
    char text[1024];
    va_list list;
    va_start(list, format);
    int length = fm_text_format_args(text, sizeof text, format, list);
    va_end(list);
    if (length < 0 || length >= (int)sizeof text)
        fm_fail_file(writer->err, writer->path, "write", EOVERFLOW);
    else
        fm_writer_write(writer, text, (size_t)length);
}

// Bytes written so far.
uint64_t fm_writer_offset(const fm_writer *writer)
{
    return writer ? writer->offset : 0;
}

// Closes a writer into memory and returns the bytes; the caller frees them. NULL after a failure.
char *fm_writer_take_memory(fm_writer *writer, size_t *size)
{
    if (!writer)
        return NULL;
    flush_buffer(writer);
    char *memory = writer->memory;
    *size = writer->memory_size;
    if (writer->err->status != FM_OK) {
        free(memory);
        memory = NULL;
    }
    destroy_writer(writer);
    return memory;
}

// Forces the directory to the disk, because the new name of the file is stored there. File systems
// that cannot do this return EINVAL, which is ignored.
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

// Closes the file and renames PATH.unfinished to PATH; after a failure removes it instead. sync:
// waits until the file is on the disk.
bool fm_writer_close(fm_writer *writer, bool sync)
{
    if (!writer)
        return false;
    fm_error *err = writer->err;
    flush_buffer(writer);
    if (sync && err->status == FM_OK && !writer->direct && fsync(writer->file) != 0)
        fm_fail_file(err, writer->path, "write", errno);
    if (close(writer->file) != 0) // network file systems report a full disk only on close
        fm_fail_file(err, writer->path, "write", errno);
    if (!writer->direct) {
        if (err->status == FM_OK && rename(writer->unfinished_path, writer->path) != 0)
            fm_fail_file(err, writer->path, "rename to", errno);
        if (err->status != FM_OK)
            unlink(writer->unfinished_path);
        else if (sync)
            sync_directory(writer);
    }
    destroy_writer(writer);
    return err->status == FM_OK;
}

// Writes a whole file atomically.
bool fm_file_replace(const char *path, const void *bytes, size_t size, fm_error *err)
{
    fm_writer *writer = fm_writer_open(path, err);
    fm_writer_write(writer, bytes, size);
    return fm_writer_close(writer, false);
}

// Removes a file; a missing one is no error.
bool fm_file_remove(const char *path, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    return unlink(path) == 0 || errno == ENOENT || fm_fail_file(err, path, "remove", errno);
}

// Creates a directory and its parents; existing ones are no error.
bool fm_directory_create(const char *path, fm_error *err)
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
        struct stat file_status;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            fm_fail_file(err, part, "make directory", errno);
        else if (stat(part, &file_status) != 0 || !S_ISDIR(file_status.st_mode))
            fm_fail_file(err, part, "make directory", ENOTDIR);
        if (end || err->status != FM_OK)
            break;
        *slash = '/';
    }
    free(part);
    return err->status == FM_OK;
}
