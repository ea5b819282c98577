// SPDX-License-Identifier: MIT
// checkpoint.c: DIR/checkpoints/000120.state, the whole state of a world at a frame.
//
// magic, version, frame, hash of the scene, size of the state | state | hash of all before
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct header {
    char magic[8];
    uint32_t version;
    int32_t frame;
    uint64_t scene_hash;
    uint64_t size; // of the state
} header;

static const char magic[8] = "fmstate ";
enum { VERSION = 1 };

static void checkpoint_path(const char *directory, int frame, char *path, size_t size)
{
    snprintf(path, size, "%s/checkpoints/%06d.state", directory, frame);
}

bool fm_checkpoint_write(const char *directory, int frame, uint64_t scene_hash,
                         const fm_world *world, fm_error *err)
{
    size_t size = fm_world_save(world, NULL, 0);
    unsigned char *bytes = malloc(sizeof(header) + size + sizeof(uint64_t));
    if (!bytes)
        return fm_fail_no_memory(err, "checkpoint", size);
    header h = {.version = VERSION, .frame = frame, .scene_hash = scene_hash, .size = size};
    memcpy(h.magic, magic, sizeof magic);
    memcpy(bytes, &h, sizeof h);
    fm_world_save(world, bytes + sizeof h, size);
    uint64_t hash = fm_hash(bytes, sizeof h + size, 0);
    memcpy(bytes + sizeof h + size, &hash, sizeof hash);

    char path[FM_PATH_SIZE];
    checkpoint_path(directory, frame, path, sizeof path);
    fm_writer *writer = fm_writer_open(path, err);
    fm_write(writer, bytes, sizeof h + size + sizeof hash);
    // not forced to the disk: that takes longer than the frame, and a checkpoint that a power cut
    // damages is noticed and passed over for the one before it
    bool good = fm_writer_close(writer, false);
    free(bytes);
    return good;
}

// The state inside a checkpoint's bytes, or NULL with the reason.
const void *fm_checkpoint_parse(const void *bytes, size_t size, const char *path, int *frame,
                                uint64_t *scene_hash, size_t *state_size, fm_error *err)
{
    header h;
    uint64_t hash;
    const unsigned char *in = bytes;
    if (size < sizeof h + sizeof hash) {
        fm_fail_content(err, FM_BAD_VALUE, path, "size", "%zu bytes are too few", size);
        return NULL;
    }
    memcpy(&h, in, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.version != VERSION) {
        fm_fail_content(err, FM_BAD_VALUE, path, "magic", "not a checkpoint of this version");
        return NULL;
    }
    if (h.size != size - sizeof h - sizeof hash) {
        fm_fail_content(err, FM_BAD_VALUE, path, "size", "it is cut off, or more was added");
        return NULL;
    }
    memcpy(&hash, in + size - sizeof hash, sizeof hash);
    if (hash != fm_hash(in, size - sizeof hash, 0)) {
        fm_fail_content(err, FM_BAD_VALUE, path, "checksum", "it is damaged");
        return NULL;
    }
    *frame = h.frame;
    *scene_hash = h.scene_hash;
    *state_size = h.size;
    return in + sizeof h;
}

bool fm_checkpoint_restore(const char *directory, int frame, uint64_t scene_hash, fm_world *world,
                           fm_error *err)
{
    char path[FM_PATH_SIZE];
    size_t size, state_size;
    int at;
    uint64_t hash;
    checkpoint_path(directory, frame, path, sizeof path);
    char *bytes = fm_file_read(path, (size_t)1 << 36, &size, err);
    if (!bytes)
        return false;
    const void *state = fm_checkpoint_parse(bytes, size, path, &at, &hash, &state_size, err);
    bool good = state != NULL;
    if (good && at != frame)
        good = fm_fail_content(err, FM_BAD_VALUE, path, "frame", "it holds frame %d", at);
    if (good && scene_hash != 0 && hash != scene_hash)
        good = fm_fail_content(err, FM_BAD_VALUE, path, "scene", "it belongs to another scene");
    good = good && fm_world_restore(world, state, state_size, err);
    free(bytes);
    return good;
}

static int compare_frames(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Frames that have a checkpoint, rising; count of them. frames is free()d by the caller.
int fm_checkpoint_list(const char *directory, int **frames)
{
    char path[FM_PATH_SIZE];
    snprintf(path, sizeof path, "%s/checkpoints", directory);
    *frames = NULL;
    int count = 0, room = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char *end;
        long frame = strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || strcmp(end, ".state") != 0 || frame < 0 || frame > INT32_MAX)
            continue;
        if (count == room) {
            int *more = realloc(*frames, (2 * (size_t)room + 16) * sizeof *more);
            if (!more)
                break;
            room = 2 * room + 16;
            *frames = more;
        }
        (*frames)[count++] = (int)frame;
    }
    if (folder)
        closedir(folder);
    if (count > 1)
        qsort(*frames, (size_t)count, sizeof **frames, compare_frames);
    return count;
}

void fm_checkpoint_prune(const char *directory, int kept)
{
    int *frames = NULL, count = fm_checkpoint_list(directory, &frames);
    for (int i = 0; i + (kept > 1 ? kept : 1) < count; i++) {
        char path[FM_PATH_SIZE];
        checkpoint_path(directory, frames[i], path,
                        sizeof path); // NOLINT: count says they are there
        unlink(path);
    }
    free(frames);
}
